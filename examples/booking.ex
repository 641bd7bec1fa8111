defmodule Booking do
  @moduledoc "Rooms by the hour: what a stay costs, and which hours are left."

  defstruct [:room, from: 9, to: 10]

  @type t :: %__MODULE__{room: :small | :large | :roof, from: 0..23, to: 1..24}

  @doc "The price of a stay, in Euros."
  @spec price(t()) :: pos_integer()
  def price(%__MODULE__{room: room, from: from, to: to}) do
    hours = to - from
    div(rate(room) * hours * 60, hours)
  end

  defp rate(:small), do: 20
  defp rate(:large), do: 45

  @doc "Reads `9-12` as the hours from 9 to 12."
  @spec hours(String.t()) :: {:ok, Range.t()} | :error
  def hours(text) do
    case String.split(text, "-") do
      [from, to] -> {:ok, String.to_integer(from)..String.to_integer(to)}
      _ -> :error
    end
  end
end
