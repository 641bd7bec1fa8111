//! Tests programs in Elixir, from `.beam` files to findings, calls and tests in Elixir.

#![expect(
    clippy::disallowed_methods,
    reason = "the binary, elixirc and elixir are started as users do"
)]

mod common;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Compiles the programs to a directory; `None` if Elixir is not installed.
fn compiled(name: &str) -> Option<PathBuf> {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&dir).expect("a directory");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs/basket.ex");
    let Ok(done) = Command::new("elixirc").arg("-o").arg(&dir).arg(source).output() else {
        let said = writeln!(std::io::stderr(), "no Elixir here, so nothing is tested: `make deps`");
        said.expect("standard error");
        return None;
    };
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    Some(dir)
}

/// The exit code, and standard output followed by standard error.
fn printed(dir: &Path, args: &[&str]) -> (i32, String) {
    let done = common::gimlet(dir, args);
    let said = [done.stdout, done.stderr].concat();
    (done.status.code().expect("no signal"), String::from_utf8(said).expect("UTF-8"))
}

#[test]
fn calls_and_what_comes_back() {
    let Some(dir) = compiled("elixir_calls") else { return };
    let check = |call: &str, code: i32, expect: &str| {
        let (found, said) = printed(&dir, &["run", ".", call]);
        assert_eq!(found, code, "{call}: {said}");
        assert!(said.contains(expect), "{call}: {said}");
    };
    check("Basket.label(%{kind: :pen})", 0, "\"pen\"\n");
    check("Basket.total([%{price: 2, count: 3}])", 0, "6\n");
    check("Basket.open?(12)", 0, "true\n");
    check("Enum.map(1..3, &Integer.to_string/1)", 0, "[\"1\", \"2\", \"3\"]\n");
    check("Enum.map(1..3, fn x -> x * 2 end)", 0, "[2, 4, 6]\n");
    check("Basket.share(1, 13)", 1, "** (ArithmeticError) bad argument in arithmetic expression\n");
    check("Basket.share(1, 0)", 1, "** (ArgumentError) nobody shares\n");
    check("Basket.label(kind: :pen)", 1, "** (FunctionClauseError) no function clause matching");
    check("[%{kind: :pen}] |> Enum.map(&Basket.label/1)", 0, "[\"pen\"]\n");
    check("x = 3; Basket.open?(x * 4)", 0, "true\n");
    check("'Elixir.Basket':label(#{kind => pen})", 0, "<<\"pen\">>\n");
}

/// Calls that depend on Elixir's runtime system.
#[test]
fn elixir_runs() {
    let Some(dir) = compiled("elixir_runs") else { return };
    let check = |call: &str, expect: &str| {
        let (code, said) = printed(&dir, &["run", call]);
        assert_eq!((code, said.as_str()), (0, expect), "{call}");
    };
    check("URI.parse(\"http://a.b/\").port", "80\n");
    check("URI.default_port(\"https\")", "443\n");
    check("System.argv()", "[]\n");
    check("Calendar.get_time_zone_database()", "Calendar.UTCOnlyTimeZoneDatabase\n");
    check("elem(DateTime.now(\"Europe/Rome\"), 1)", ":utc_only_time_zone_database\n");
    check("Logger.level()", ":debug\n");
    check("Application.get_env(:elixir, :check_endianness)", "true\n");
}

/// Values and exceptions are printed as in `iex`.
#[test]
fn as_iex_shows_it() {
    let Some(dir) = compiled("elixir_shown") else { return };
    let check = |call: &str, expect: &str| {
        let (_, said) = printed(&dir, &["run", call]);
        assert!(said.starts_with(expect), "{call}: {said}");
    };
    check("Date.new!(2024, 2, 29)", "~D[2024-02-29]\n");
    check("Enum.into([2, 1], MapSet.new())", "MapSet.new([1, 2])\n");
    check("\"a\" <> \"ñ\\n\"", "\"añ\\n\"\n");
    check("Range.new(1, 9, 2)", "1..9//2\n");
    check("Version.parse!(\"1.0.0\")", "%Version{major: 1, minor: 0, patch: 0}\n");
    check("%{a: 1}.b", "** (KeyError) key :b not found in: %{a: 1}\n");
    check(
        "Integer.parse(1)",
        "** (FunctionClauseError) no function clause matching in Integer.parse/2\n    (elixir 1.",
    );
}

#[test]
fn findings_and_tests() {
    let Some(dir) = compiled("elixir_findings") else { return };
    let (code, said) = printed(&dir, &["test", ".", "--out", "out"]);
    assert_eq!(code, 1, "{said}");
    for expect in [
        "Basket.label(%{})\n",
        "** (FunctionClauseError) no function clause matching in Basket.label/1\n",
        "Basket.share(0, 13)\n",
        "** (ArithmeticError)",
        "confirmed on BEAM",
    ] {
        assert!(said.contains(expect), "{expect}: {said}");
    }
    let start = ["-pa", ".", "-e", "ExUnit.start()", "-r", "out/basket_gimlet_test.exs"];
    let done = Command::new("elixir").args(start).current_dir(&dir).output().expect("elixir");
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success() && said.contains(", 0 failures"), "{said}");
}

#[test]
fn a_function_by_its_name_in_elixir() {
    let Some(dir) = compiled("elixir_names") else { return };
    let check = |args: &[&str], expect: &str| {
        let (_, said) = printed(&dir, &[&["test", "."], args].concat());
        assert!(said.contains(expect), "{args:?}: {said}");
    };
    check(&["-f", "Basket.open?/1"], "nothing found in 1 function");
    check(&["-f", "Basket.share/2", "--args", "[7, 13]"], "Basket.share(0, 13)");
    check(&["-f", "Basket.label/1", "--args", "[%{kind: :book}]"], "Basket.label(%{})");
    check(&["-f", "Basket.labels/1"], "did you mean Basket.label/1?");
}

#[test]
fn a_file_outside_of_projects_is_compiled() {
    let source = "defmodule Door do
  @spec code(String.t()) :: :open | :locked | :missing
  def code(text) do
    case String.downcase(text) do
      \"sesame\" -> :open
      \"friend\" -> div(1, String.length(text) - 6)
      \"\" -> :missing
      _ -> :locked
    end
  end
end
";
    let broken = "defmodule Broken do\n  def f(), do: unknown\nend\n";
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("elixir_alone");
    std::fs::create_dir_all(&dir).expect("a directory");
    for (name, text) in [("door.ex", source), ("broken.exs", broken)] {
        std::fs::write(dir.join(name), text).expect("a source");
    }
    let (code, said) = printed(&dir, &["run", "door.ex", "Door.code(\"Sesame\")"]);
    assert_eq!((code, said.as_str()), (0, ":open\n"));
    // The words of the source cover the clauses behind `String.downcase/1`, which a solver does not invert.
    let (code, said) = printed(&dir, &["test", "door.ex"]);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("** (ArithmeticError)"), "{said}");
    assert!(said.contains("Door: 5/5 100% clauses covered"), "{said}");
    let (code, said) = printed(&dir, &["test", "broken.exs"]);
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("error[G005]") && said.contains("undefined"), "{said}");
}
