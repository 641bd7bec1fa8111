defmodule MixGimlet.Tests do
  @moduledoc """
  Puts the tests that gimlet wrote where `mix test` finds them.
  """

  @doc "Copies ExUnit tests from `out` to the directory `test` of the application that has the module."
  def place(out, apps) do
    placed =
      for file <- Path.wildcard(Path.join(out, "*_gimlet_test.exs")),
          app <- apps,
          of_app?(file, app) do
        to = Path.join([app.dir, "test", Path.basename(file)])
        File.mkdir_p!(Path.dirname(to))
        File.cp!(file, to)
        Path.relative_to_cwd(to)
      end

    if placed != [], do: Mix.shell().info("Tests for `mix test`:\n  #{Enum.join(placed, "\n  ")}")

    for app <- apps,
        Enum.any?(placed, &String.starts_with?(Path.expand(&1), app.dir <> "/test/")),
        not File.regular?(Path.join(app.dir, "test/test_helper.exs")) do
      Mix.shell().error(
        "mix test needs the file #{Path.relative_to_cwd(app.dir <> "/test/test_helper.exs")} " <>
          "with the line: ExUnit.start()"
      )
    end
  end

  # `Shop.Basket` has the tests shop_basket_gimlet_test.exs.
  defp of_app?(file, app) do
    stem = file |> Path.basename() |> String.replace_suffix("_gimlet_test.exs", "")

    Enum.any?(Path.wildcard(app.ebin <> "/Elixir.*.beam"), fn beam ->
      "Elixir." <> module = Path.basename(beam, ".beam")
      module |> Macro.underscore() |> String.replace("/", "_") == stem
    end)
  end
end
