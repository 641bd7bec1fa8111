defmodule MixGimlet.Program do
  @moduledoc """
  Starts the program `gimlet`: where it is, whether it fits, and how it shares the terminal.
  """

  @own Mix.Project.config()[:version]

  # The oldest OTP that gimlet works with.
  @oldest_otp 25

  # What sh does for us. Its descriptor 3 is closed when mix ends, in whatever way: then gimlet is to end
  # too, with the report of what it found. Its output is the terminal's, so colours and progress are as ever.
  @script """
  "$@" 3<&- 4>&- & gimlet=$!
  { read -r _; kill -TERM $gimlet; } <&3 >/dev/null 2>&1 & watch=$!
  wait $gimlet; code=$?
  kill $watch 2>/dev/null
  exit $code
  """

  def check_otp do
    case Integer.parse(System.otp_release()) do
      {release, _} when release < @oldest_otp ->
        refuse("gimlet needs Erlang/OTP #{@oldest_otp} or newer, and this is #{release}")

      _ ->
        :ok
    end
  end

  @doc "The program, which is asked for its version."
  def executable(asked) do
    named = asked[:executable] || System.get_env("GIMLET")
    path = System.find_executable(path(named || "gimlet")) || refuse(missing(named))
    check_version(path, ask_version(path))
    path
  end

  # Erlang looks for ./gimlet on the PATH, too.
  defp path(name), do: if(String.contains?(name, "/"), do: Path.expand(name), else: name)

  defp missing(named) do
    """
    there is no program #{named || "gimlet on the PATH"}.
    Get gimlet from its releases, or build it with `cargo install --path crates/cli`, and put it on the PATH; \
    or say where it is: gimlet: [executable: "/path/to/gimlet"] in mix.exs, or GIMLET=/path/to/gimlet in the \
    environment.\
    """
  end

  defp ask_version(path) do
    case System.cmd(path, ["--version"], stderr_to_stdout: true) do
      {said, 0} -> said
      _ -> ""
    end
  end

  # Releases with the same first two numbers know the same options.
  defp check_version(path, said) do
    own = @own

    with ["gimlet", text | _] <- String.split(said), {:ok, version} <- Version.parse(text) do
      expected = Version.parse!(own)
      series = {version.major, version.minor}

      cond do
        series < {expected.major, expected.minor} ->
          refuse("#{path} is gimlet #{version}, and mix_gimlet #{own} needs #{own} or newer")

        series > {expected.major, expected.minor} ->
          Mix.shell().error(
            "#{path} is gimlet #{version}, and mix_gimlet #{own} was made for an older one; " <>
              "update the dependency if options are missing"
          )

        true ->
          :ok
      end
    else
      _ -> refuse("#{path} is not gimlet: it does not tell its version")
    end
  end

  @doc "Runs it to its end, and gives its exit code."
  def run(gimlet, arguments) do
    sh = System.find_executable("sh") || refuse("there is no program sh on the PATH")
    arguments = ["-c", @script, "gimlet", gimlet | arguments]
    port = Port.open({:spawn_executable, sh}, [:nouse_stdio, :exit_status, args: arguments])

    receive do
      {^port, {:exit_status, code}} -> code
    end
  end

  @spec refuse(String.t()) :: no_return
  defp refuse(why), do: throw({:gimlet, why})
end
