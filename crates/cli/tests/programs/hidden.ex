defmodule Till do
  @moduledoc "Sums of what is sold: see `a_hidden_module_of_elixir...` in `levels.rs`."

  @doc "How many there are."
  def count(list) when is_list(list), do: Till.Inner.size({:list, list})

  @doc "What is left of a sum."
  def rest(sum), do: Till.Inner.rest(sum)
end

defmodule Till.Inner do
  @moduledoc false

  def size({:list, list}), do: length(list)
  def size({:tree, n}), do: div(100, n)

  # Nothing shows what it is given.
  def rest(sum) when is_integer(sum), do: rem(100, sum)
end
