defmodule Parcel do
  # What has a `__struct__` need not be a struct that anybody makes. See `loose.rs`.
  defstruct [:weight]

  def make(weight), do: %Parcel{weight: weight}

  def label(%module{}), do: binary_part(Atom.to_string(module), 0, 12)

  def cost(%Parcel{weight: weight}) when is_integer(weight), do: div(100, weight - 7)
end
