defmodule MixGimlet.Options do
  @moduledoc """
  The options of `gimlet test` as mix takes them, on the command line and in `mix.exs`.

  Knows names and how many values they take; what they mean, and whether a value is right, gimlet knows.
  """

  # Not for gimlet: what the task itself does.
  @own [
    {:app, nil, :once, "Only these applications of the umbrella, with commas"},
    {:module, nil, :once, "Only these modules, with commas"},
    {:write_tests, :w, :flag, "Write ExUnit tests to the directory test of each application"},
    {:executable, nil, :once, "The program gimlet, unless it is on the PATH"}
  ]

  # All options of `gimlet test` but those of Prolog, -I and -D.
  @gimlet [
    {:function, :f, :many,
     "A function to test: Shop.total/1; may repeat [default: all exported]"},
    {:args, nil, :once, "The first input: '[[{:apple, 3}]]'"},
    {:depth, :d, :once, "How many choices of a path may be flipped"},
    {:time, nil, :once, "Time limit for each function: 500ms, 30s, 2m"},
    {:budget, nil, :once, "Time limit for everything together: 30s, 2m"},
    {:runs, nil, :once, "Maximum number of runs for each function"},
    {:memory, nil, :once, "Memory for everything together: 2G, 512M"},
    {:jobs, :j, :once, "How many cores to use"},
    {:backend, nil, :once, "Where Erlang runs: machine, beam, auto"},
    {:strategy, nil, :once, "The search strategy"},
    {:no_spec, nil, :flag, "Ignore specs"},
    {:made_up, nil, :flag, "Generate values that only their module constructs"},
    {:concrete, nil, :many, "Execute this module or function concretely; may repeat"},
    {:pre, nil, :many, "A precondition: only inputs for which it returns true are tested; may repeat"},
    {:setup, nil, :many, "A function that runs before each input: Shop.setup/0; may repeat"},
    {:no_start, nil, :flag, "Do not start the application"},
    {:sequence, nil, :once, "How many steps a sequence of calls and messages has"},
    {:schedules, nil, :flag, "Explore the schedules of processes too"},
    {:dpor, nil, :once, "How schedules are selected: optimal, source, none, random, pct"},
    {:bug_depth, nil, :once, "With --dpor pct, how many ordering constraints a bug may need"},
    {:delivery, nil, :once, "When sent messages and signals arrive: local, instant, causal, free"},
    {:lossy, nil, :once, "How many messages of a run may get lost"},
    {:preemptions, nil, :once, "Maximum number of preemptions"},
    {:steps, nil, :once, "Maximum number of steps of a run with --schedules"},
    {:blocked, nil, :flag, "Report processes that wait for ever"},
    {:node_down, nil, :flag, "Let each node of --nodes but the first go down"},
    {:nodes, nil, :once, "Run a distributed system of these nodes: a@host,b@host"},
    {:allow, nil, :many, "Allow the program effects: files, network, os, all; may repeat"},
    {:seed, nil, :once, "Seed of all random choices"},
    {:strict, nil, :flag, "Show refusals like other findings, and let them make the exit code 1"},
    {:fail_on, nil, :once, "Which findings make the exit code 1: promise, suspicious, race, any"},
    {:baseline, nil, :once, "A report.json: only findings that it does not contain make the exit code 1"},
    {:exclude, nil, :many, "Exclude modules and files that match; may repeat"},
    {:config, nil, :once, "The gimlet.toml [default: the nearest]"},
    {:no_config, nil, :flag, "Read no gimlet.toml"},
    {:verbose, :v, :flag, "Show every unit, every uncovered clause and every refusal"},
    {:format, nil, :once, "The format of standard output: text, json, sarif, junit, github, ..."},
    {:report, nil, :many, "Write the report to a file too: html=report.html; may repeat"},
    {:recorded, nil, :once, "The calls that `gimlet record` recorded"},
    {:no_recorded, nil, :flag, "Use no recorded calls"},
    {:out, nil, :once, "Write reports, tests and inputs to this directory"},
    {:emit, nil, :many, "The kind of tests to write: eunit, exunit; may repeat"},
    {:tests, nil, :once, "Which tests to write: minimal, all"},
    {:pa, nil, :many, "One more directory of .beam files; may repeat"}
  ]

  @all @own ++ @gimlet

  def help do
    for {name, short, kind, text} <- @all do
      short = if short, do: ", -#{short}", else: ""
      value = if kind == :flag, do: "", else: " VALUE"
      "  * `--#{long(name)}#{value}`#{short}: #{text}\n"
    end
  end

  @doc "What the command line says, then what `mix.exs` says and the command line does not."
  def asked(arguments, project) do
    strict = for {name, _, kind, _} <- @all, do: {name, type(kind)}
    aliases = for {name, short, _, _} <- @all, short != nil, do: {short, name}
    {given, others, bad} = OptionParser.parse(arguments, strict: strict, aliases: aliases)

    for {option, _} <- bad do
      refuse("#{option} is no option of mix gimlet, or lacks its value#{nearest(option)}")
    end

    for it <- others do
      refuse(
        "mix gimlet takes no argument #{it}; applications are named with --app, modules with --module"
      )
    end

    in_file = project |> Keyword.get(:gimlet, []) |> in_file()
    given ++ Enum.reject(in_file, fn {name, _} -> Keyword.has_key?(given, name) end)
  end

  defp type(:flag), do: :boolean
  defp type(:once), do: :string
  defp type(:many), do: :keep

  @doc "The names of an option that takes several with commas."
  def names(asked, key) do
    asked |> Keyword.get_values(key) |> Enum.flat_map(&String.split(&1, [",", " "], trim: true))
  end

  @doc "As the command line of gimlet spells it."
  def arguments(asked) do
    passed = for {name, _, kind, _} <- @gimlet, do: {name, kind}

    for {name, value} <- asked, Keyword.has_key?(passed, name), value != false do
      case passed[name] do
        :flag -> "--#{long(name)}"
        _ -> "--#{long(name)}=#{value}"
      end
    end
  end

  defp in_file(options) do
    if not Keyword.keyword?(options),
      do: refuse("gimlet in mix.exs is a keyword list: [budget: \"2m\"]")

    Enum.flat_map(options, &entry/1)
  end

  defp entry({name, value}) do
    case {List.keyfind(@all, name, 0), value} do
      {nil, _} ->
        refuse("gimlet in mix.exs has an option #{name} that there is not#{nearest(name)}")

      {{_, _, :flag, _}, value} when is_boolean(value) ->
        [{name, value}]

      {{_, _, :flag, _}, _} ->
        refuse("#{name} in mix.exs is true or false, not #{inspect(value)}")

      {{_, _, :many, _}, values} when is_list(values) ->
        for it <- values, do: {name, text(name, it)}

      {_, value} ->
        [{name, text(name, value)}]
    end
  end

  defp text(_, value) when is_binary(value), do: value
  defp text(_, value) when is_integer(value), do: to_string(value)

  defp text(_, value) when is_atom(value) and value not in [nil, true, false],
    do: to_string(value)

  defp text(:report, {kind, file}), do: "#{kind}=#{file}"

  defp text(name, value),
    do: refuse("#{name} in mix.exs is text, a number or an atom, not #{inspect(value)}")

  defp nearest(said) do
    name = said |> to_string() |> String.trim_leading("-") |> String.replace("-", "_")
    near = Enum.max_by(@all, fn {it, _, _, _} -> String.jaro_distance(name, to_string(it)) end)
    near = elem(near, 0)
    spelled = if is_binary(said), do: "--#{long(near)}", else: near

    if String.jaro_distance(name, to_string(near)) > 0.8,
      do: "; did you mean #{spelled}?",
      else: "; `mix help gimlet` lists them"
  end

  defp long(name), do: name |> to_string() |> String.replace("_", "-")

  @spec refuse(String.t()) :: no_return
  defp refuse(why), do: throw({:gimlet, why})
end
