defmodule Purse do
  use GenServer

  def start_link(limit), do: GenServer.start_link(__MODULE__, limit)

  @spec put(pid(), atom(), integer()) :: :ok
  def put(pid, coin, value), do: GenServer.cast(pid, {:put, coin, value})

  @spec average(pid()) :: integer()
  def average(pid), do: GenServer.call(pid, :average)

  @spec value(pid(), atom()) :: {:ok, integer()} | :none
  def value(pid, coin), do: GenServer.call(pid, {:value, coin})

  @impl true
  def init(limit) when is_integer(limit), do: {:ok, %{limit: limit, coins: %{}}}

  @impl true
  def handle_cast({:put, coin, value}, %{coins: coins} = state) do
    {:noreply, %{state | coins: Map.put(coins, coin, value)}}
  end

  @impl true
  def handle_call(:average, _from, %{coins: coins} = state) do
    {:reply, div(Enum.sum(Map.values(coins)), map_size(coins)), state}
  end

  def handle_call({:value, coin}, _from, %{coins: coins} = state) do
    reply =
      case coins do
        %{^coin => 13} -> raise "unlucky"
        %{^coin => value} -> {:ok, value}
        _ -> :none
      end

    {:reply, reply, state}
  end
end
