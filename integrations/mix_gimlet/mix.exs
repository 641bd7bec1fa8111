defmodule MixGimlet.MixProject do
  use Mix.Project

  def project do
    [
      app: :mix_gimlet,
      version: "0.1.0",
      elixir: "~> 1.14",
      description: "mix gimlet: concolic testing with Gimlet",
      deps: [],
      package: [licenses: ["MIT", "Apache-2.0"], links: %{}]
    ]
  end

  def application, do: []
end
