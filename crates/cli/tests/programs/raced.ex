defmodule Raced do
  # Counters in an agent: read and write in two steps, or in one.
  def agent_lost, do: counted(fn a -> n = Agent.get(a, & &1); Agent.update(a, fn _ -> n + 1 end) end)
  def agent_kept, do: counted(fn a -> Agent.update(a, &(&1 + 1)) end)

  defp counted(add) do
    {:ok, a} = Agent.start(fn -> 0 end)
    me = self()
    for _ <- 1..2, do: spawn(fn -> add.(a); send(me, :done) end)
    for _ <- 1..2, do: receive(do: (:done -> :ok))
    2 = Agent.get(a, & &1)
  end

  # Whoever registers second gets an error.
  def registry_taken, do: registered(fn -> {:ok, _} = Registry.register(Names, :k, nil) end)

  def registry_shared do
    registered(fn ->
      case Registry.register(Names, :k, nil) do
        {:ok, _} -> :ok
        {:error, {:already_registered, _}} -> :ok
      end
    end)
  end

  defp registered(take) do
    {:ok, _} = Registry.start_link(keys: :unique, name: Names)
    me = self()
    {:ok, _} = Registry.register(Names, :other, nil)
    ps = for _ <- 1..2, do: spawn(fn -> take.(); send(me, :done); receive(do: (:stop -> :ok)) end)
    for _ <- ps, do: receive(do: (:done -> :ok))
    :ok
  end

  # Tasks that write to one table.
  def tasks_raced do
    t = :ets.new(:t, [:public])
    tasks = for n <- 1..2, do: Task.async(fn -> :ets.insert(t, {:k, n}) end)
    Task.await_many(tasks)
    [{:k, 2}] = :ets.lookup(t, :k)
  end

  def tasks_joined do
    tasks = for n <- 1..2, do: Task.async(fn -> n end)
    [1, 2] = Task.await_many(tasks)
  end

  # A child that is started again has no name for a while.
  def child_asked, do: restarted(fn _ -> :ok end)
  def child_waited_for, do: restarted(fn sup -> DynamicSupervisor.count_children(sup) end)

  defp restarted(settle) do
    {:ok, sup} = DynamicSupervisor.start_link(strategy: :one_for_one)
    spec = %{id: :w, start: {Agent, :start_link, [fn -> 0 end, [name: :worker]]}}
    {:ok, child} = DynamicSupervisor.start_child(sup, spec)
    ref = Process.monitor(child)
    Process.exit(child, :kill)
    receive do: ({:DOWN, ^ref, _, _, _} -> :ok)
    settle.(sup)
    0 = Agent.get(:worker, & &1)
  end
end
