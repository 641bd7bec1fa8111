defmodule Basket do
  @spec total([%{price: integer(), count: integer()}]) :: integer()
  def total(items), do: Enum.reduce(items, 0, fn item, sum -> sum + item.price * item.count end)

  @spec label(map()) :: String.t()
  def label(%{kind: :book, pages: n}) when is_integer(n) and n > 1000, do: "tome"
  def label(%{kind: :book}), do: "book"
  def label(%{kind: kind}) when is_atom(kind), do: Atom.to_string(kind)

  @spec share(integer(), integer()) :: integer()
  def share(amount, people) when people > 0, do: div(amount, people - 13)
  def share(_, _), do: raise(ArgumentError, "nobody shares")

  @spec open?(integer()) :: boolean()
  def open?(hour), do: hour in 9..17
end
