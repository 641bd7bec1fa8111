defmodule Mix.Tasks.Gimlet do
  @shortdoc "Finds inputs that make functions fail (gimlet test)"

  @moduledoc """
  Finds inputs that make functions of the project fail, with `gimlet test`.

      mix gimlet                         all applications of the project
      mix gimlet --app shop              one of an umbrella's; --module Shop,Shop.Basket: some modules
      mix gimlet -f Shop.total/1         one function
      MIX_ENV=test mix gimlet            as the environment `test` compiles it
      mix gimlet --write-tests           also write ExUnit tests to test/

  What every run has in common goes into `mix.exs`:

      def project do
        [app: :shop, gimlet: [budget: "2m", strict: true, report: [html: "gimlet.html"]]]
      end

  ## Options

  #{MixGimlet.Options.help()}

  ## Exit code

  0 nothing found, 1 a finding, 2 it could not be done
  """

  use Mix.Task

  alias MixGimlet.{Options, Program, Tests}

  @could_not 2

  @impl Mix.Task
  def run(arguments) do
    Program.check_otp()
    Mix.Task.run("loadpaths")
    asked = Options.asked(arguments, Mix.Project.config())
    Mix.Task.run("compile")
    apps = apps(asked)
    gimlet = Program.executable(asked)
    out = asked[:out] || Path.join(Mix.Project.build_path(), "gimlet")
    writes? = asked[:write_tests] == true
    own_out = if writes? and asked[:out] == nil, do: ["--out", out], else: []

    code =
      Program.run(
        gimlet,
        ["test" | targets(apps, asked)] ++ own_out ++ Options.arguments(asked) ++ code_paths()
      )

    if writes?, do: Tests.place(out, apps)
    if code > 0, do: exit({:shutdown, code})
  catch
    {:gimlet, why} ->
      Mix.shell().error("** (gimlet) #{why}")
      exit({:shutdown, @could_not})
  end

  # The applications of the project that are asked for: name, directory, compiled modules.
  defp apps(asked) do
    paths = Mix.Project.apps_paths() || %{Mix.Project.config()[:app] => File.cwd!()}
    known = paths |> Map.keys() |> Enum.sort()
    names = Options.names(asked, :app)

    for name <- names, name not in Enum.map(known, &to_string/1) do
      throw(
        {:gimlet,
         "there is no application #{name} in this project; there is #{Enum.join(known, ", ")}"}
      )
    end

    for app <- known, names == [] or to_string(app) in names do
      %{name: app, dir: Path.expand(paths[app]), ebin: ebin(app)}
    end
  end

  defp ebin(app), do: Path.join([Mix.Project.build_path(), "lib", to_string(app), "ebin"])

  defp targets(apps, asked) do
    case Options.names(asked, :module) do
      [] -> for app <- apps, Path.wildcard(app.ebin <> "/*.beam") != [], do: app.ebin
      modules -> Enum.map(modules, &beam(&1, apps))
    end
  end

  # Elixir's modules by their names in Elixir, Erlang's by theirs.
  defp beam(module, apps) do
    files = for app <- apps, name <- ["Elixir.#{module}", module], do: "#{app.ebin}/#{name}.beam"

    Enum.find(files, &File.regular?/1) ||
      throw({:gimlet, "there is no module #{module} in this project"})
  end

  # Dependencies too, and protocols as the project consolidates them.
  defp code_paths do
    libs = Path.wildcard(Path.join(Mix.Project.build_path(), "lib/*/ebin"))
    consolidated = Path.wildcard(Path.join(Mix.Project.build_path(), "lib/*/consolidated"))
    Enum.flat_map(consolidated ++ libs, &["--pa", &1])
  end
end
