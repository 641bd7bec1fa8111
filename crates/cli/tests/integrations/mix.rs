//! Tests `mix gimlet` with the real mix.

use crate::project::Project;
use crate::tools::{integration, options_of_test};

const SHOP: &str = r#"
defmodule Shop.Basket do
  @spec total(integer()) :: integer()
  def total(13), do: raise("unlucky")
  def total(n), do: n

  def label(:pen), do: "pen"
end
"#;

fn mix_exs(app: &str, dependencies: &str, options: &str) -> String {
    format!(
        "defmodule {app}.MixProject do
  use Mix.Project
  def project do
    [{place} version: \"0.1.0\", deps: [{dependencies}], gimlet: {options}]
  end
end
",
        place = if app == "All" {
            "apps_path: \"apps\",".to_owned()
        } else {
            format!("app: :{},", app.to_lowercase())
        },
    )
}

const PLUGIN: &str = "{:mix_gimlet, path: \"mix_gimlet\", runtime: false}";

fn project(name: &str, files: &[(&str, &str)]) -> Project {
    let res = Project::new(name, files);
    res.link(&integration("mix_gimlet"), "mix_gimlet");
    res
}

#[test]
fn a_project_is_compiled_tested_and_given_tests() {
    let project = project("mix_single", &[("lib/basket.ex", SHOP)]);
    let with = |options: &str| project.write("mix.exs", &mix_exs("Shop", PLUGIN, options));
    with("[report: [json: \"found.json\"], budget: \"1m\"]");
    project.tool("mix gimlet --write-tests", &[]).check(
        1,
        &[
            "crash in Shop.Basket.total/1",
            "Shop.Basket.total(13)",
            "─ lib/basket.ex:4:3",
            "broken promise",
            "confirmed on BEAM",
            "Tests for `mix test`:\n  test/shop_basket_gimlet_test.exs",
            "mix test needs the file test/test_helper.exs",
        ],
    );
    assert!(project.read("found.json").contains("\"lib/basket.ex\""));
    project.write("test/test_helper.exs", "ExUnit.start()\n");
    project.tool("mix test", &[]).check(0, &[" 0 failures"]);
    project
        .tool("mix gimlet -f Shop.Basket.label/1 --no-spec", &[])
        .check(0, &["refused by Shop.Basket.label/1"]);
    project
        .tool("mix gimlet -f Shop.Basket.none/1", &[])
        .check(2, &["no function Shop.Basket.none/1"]);
    project
        .tool("mix gimlet --bugdet 2m", &[])
        .check(2, &["--bugdet is no option", "did you mean --budget?"]);
    project
        .tool("mix gimlet", &[("GIMLET", "./none")])
        .check(2, &["there is no program ./none.\nGet gimlet"]);
    project.program("old", "gimlet 0.0.9");
    let old = project.dir.join("old").display().to_string();
    project
        .tool("mix gimlet", &[("GIMLET", &old)])
        .check(2, &["is gimlet 0.0.9, and mix_gimlet 0.1.0 needs 0.1.0 or newer"]);
    with("[bugdet: \"1m\"]");
    project
        .tool("mix gimlet", &[])
        .check(2, &["an option bugdet that there is not; did you mean budget?"]);
    // mix itself reports a project file that it can't read.
    project.write("mix.exs", "defmodule Shop do\n");
    project.tool("mix gimlet", &[]).check(1, &["mix.exs"]);
}

const STOCK: &str = r"
defmodule Stock do
  @callback level(atom()) :: integer()
end

defmodule Stock.Fixed do
  @behaviour Stock
  @impl true
  @spec level(atom()) :: integer()
  def level(:empty), do: :none
  def level(_), do: Fruit.price(:apple)
end

defmodule Stock.Native do
  @on_load :load
  def load, do: :ok
  @spec count(integer()) :: integer()
  def count(_), do: :erlang.nif_error(:not_loaded)
end
";

#[test]
fn an_umbrella_with_a_path_dependency_and_native_code() {
    let stock = "{:fruit, path: \"../../fruit\"}";
    let shared =
        "[], build_path: \"../../_build\", deps_path: \"../../deps\", lockfile: \"../../mix.lock\"";
    let files = [
        ("mix.exs", mix_exs("All", PLUGIN, "[runs: 200]")),
        ("apps/stock/mix.exs", mix_exs("Stock", stock, shared)),
        ("apps/stock/lib/stock.ex", STOCK.to_owned()),
        ("apps/stock/test/test_helper.exs", "ExUnit.start()\n".to_owned()),
        ("apps/shop/mix.exs", mix_exs("Shop", "{:stock, in_umbrella: true}", shared)),
        ("apps/shop/lib/basket.ex", SHOP.to_owned()),
        ("apps/shop/test/test_helper.exs", "ExUnit.start()\n".to_owned()),
        ("fruit/mix.exs", mix_exs("Fruit", "", "[]")),
        ("fruit/lib/fruit.ex", "defmodule Fruit do\n  def price(:apple), do: 3\nend\n".to_owned()),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|it| (it.0, it.1.as_str())).collect();
    let project = project("mix_umbrella", &files);
    let all = project.tool("mix gimlet --write-tests --verbose", &[]);
    // File names are relative to the root of the umbrella, where an editor can open them.
    all.check(1, &["crash in Shop.Basket.total/1", "─ apps/shop/lib/basket.ex:4:3"]);
    all.check(1, &["spec in Stock.Fixed.level/1", "Stock.Fixed.level(:empty)"]);
    assert!(all.stdout.contains("Stock.Native:count/1 is not supported"), "{}", all.stdout);
    assert!(!all.stdout.contains("Fruit.price/1"), "a dependency is not tested: {}", all.stdout);
    project.read("apps/stock/test/stock_fixed_gimlet_test.exs");
    project.tool("mix test", &[]).check(0, &[" 0 failures"]);
    project.tool("mix gimlet --app shop", &[]).check(1, &["1 finding in 1 of 2 functions"]);
    project
        .tool("mix gimlet --module Stock.Fixed", &[])
        .check(1, &["1 finding in 1 of 1 function"]);
    project.tool("mix gimlet --app none", &[]).check(2, &["no application none", "shop, stock"]);
}

#[test]
fn the_task_knows_every_option() {
    let source = integration("mix_gimlet").join("lib/mix_gimlet/options.ex");
    let text = std::fs::read_to_string(source).expect("the task");
    let (_, rows) = text.split_once("@gimlet [").expect("the options");
    let (rows, _) = rows.split_once("\n  ]").expect("an end");
    let rows = rows.lines().filter_map(|it| it.trim().strip_prefix("{:")?.split_once(','));
    let mut known: Vec<String> = rows.map(|it| it.0.replace('_', "-")).collect();
    known.sort();
    assert_eq!(known, options_of_test());
}
