//! Tests `rebar3 gimlet` with the real rebar3.

use crate::project::{Project, SHOP};
use crate::tools::{integration, options_of_test};

const SHOP_APP: &str = "{application, shop, [{description, \"A shop\"}, {vsn, \"1\"}, {applications, [kernel, stdlib]}]}.\n";
const CONFIG: &str = "{erl_opts, [debug_info]}.\n{project_plugins, [rebar3_gimlet]}.\n";

/// A project with the plugin in `_checkouts`, as for a plugin under development.
fn project(name: &str, files: &[(&str, &str)]) -> Project {
    let res = Project::new(name, files);
    res.link(&integration("rebar3_gimlet"), "_checkouts/rebar3_gimlet");
    res
}

#[test]
fn a_project_is_compiled_tested_and_given_tests() {
    let shop = [("src/shop.erl", SHOP), ("src/shop.app.src", SHOP_APP), ("rebar.config", CONFIG)];
    let project = project("rebar3_single", &shop);
    project.tool("rebar3 gimlet --write-tests", &[]).check(
        1,
        &[
            "Compiling shop",
            "crash in shop:total/1",
            "shop:total(13)",
            "─ src/shop.erl:5:1",
            "broken promise",
            "confirmed on BEAM",
            "Tests for `rebar3 eunit`:",
            "test/shop_gimlet_tests.erl",
            "gimlet has findings",
        ],
    );
    project.tool("rebar3 eunit", &[]).check(0, &["0 failures"]);
    assert!(
        project
            .read("test/shop_gimlet_tests.erl")
            .contains("?_assertError(unlucky, shop:total(13))")
    );
}

#[test]
fn options_stand_in_the_configuration_and_on_the_command_line() {
    let shop = [("src/shop.erl", SHOP), ("src/shop.app.src", SHOP_APP)];
    let project = project("rebar3_options", &shop);
    let with = |options: &str| {
        let more = "{profiles, [{careful, [{gimlet_opts, [strict]}]}]}.\n";
        project.write("rebar.config", &format!("{CONFIG}{{gimlet_opts, {options}}}.\n{more}"));
    };
    with("[{function, [\"shop:size/1\"]}, {runs, 50}, {report, [{json, \"found.json\"}]}]");
    project.tool("rebar3 gimlet", &[]).check(0, &["nothing found in 1 function"]);
    assert!(project.read("found.json").contains("\"src/shop.erl\""));
    project.tool("rebar3 gimlet -f shop:label/1", &[]).check(0, &["refused by shop:label/1"]);
    // A profile has options of its own.
    project
        .tool("rebar3 as careful gimlet -f shop:label/1", &[])
        .check(1, &["rejected in shop:label/1"]);
    project.tool("rebar3 gimlet -f shop:none/9", &[]).check(2, &["exit code 2", "shop:none/9"]);

    let could_not = |options: &str, expect: &str| {
        with(options);
        project.tool("rebar3 gimlet", &[]).check(2, &[expect]);
    };
    could_not("[{bugdet, \"2m\"}]", "gimlet_opts has no option bugdet; did you mean budget?");
    could_not("[strict, {budget, \"soon\"}]", "--budget");
    could_not("[{executable, \"./none\"}]", "There is no program ./none.\nGet gimlet");
    project.program("old", "gimlet 0.0.9");
    could_not(
        "[{executable, \"./old\"}]",
        "is gimlet 0.0.9, and rebar3_gimlet 0.1.0 needs 0.1.0 or newer",
    );
    project.program("other", "drill 1.0");
    could_not("[{executable, \"./other\"}]", "is not gimlet");
    // rebar3 itself reports a configuration that it can't read.
    project.write("rebar.config", "{erl_opts, [debug_info}.\n");
    project.tool("rebar3 gimlet", &[]).check(1, &["rebar.config"]);
}

const STOCK: &str = "\
-module(stock).
-callback level(atom()) -> integer().
";

const FIXED: &str = "\
-module(fixed).
-behaviour(stock).
-export([level/1]).
-include(\"limits.hrl\").
-spec level(atom()) -> integer().
level(empty) -> ?EMPTY;
level(_) -> fruit:price(apple).
";

/// A behaviour with a callback, and a native function without its library.
const NATIVE: &str = "\
-module(native).
-export([count/1, half/1]).
-on_load(load/0).
load() -> ok.
-spec count(integer()) -> integer().
count(_) -> erlang:nif_error(not_loaded).
-spec half(integer()) -> integer().
half(?WRONG) -> wrong;
half(N) -> N div 2.
";

#[test]
fn an_umbrella_with_profiles_dependencies_and_native_code() {
    let app = |name: &str, apps: &str| {
        format!(
            "{{application, {name}, [{{description, \"-\"}}, {{vsn, \"1\"}}, {{applications, [kernel, stdlib{apps}]}}]}}.\n"
        )
    };
    let files = [
        ("apps/stock/src/stock.erl", STOCK.to_owned()),
        ("apps/stock/src/fixed.erl", FIXED.to_owned()),
        ("apps/stock/include/limits.hrl", "-define(EMPTY, none).\n".to_owned()),
        ("apps/stock/src/stock.app.src", app("stock", ", fruit")),
        ("apps/native/src/native.erl", NATIVE.to_owned()),
        ("apps/native/src/native.app.src", app("native", "")),
        ("apps/native/rebar.config", "{erl_opts, [{d, 'WRONG', 13}]}.\n".to_owned()),
        (
            "_checkouts/fruit/src/fruit.erl",
            "-module(fruit).\n-export([price/1]).\nprice(apple) -> 3.\n".to_owned(),
        ),
        ("_checkouts/fruit/src/fruit.app.src", app("fruit", "")),
        (
            "rebar.config",
            format!(
                "{CONFIG}{{deps, [fruit]}}.\n\
                 {{profiles, [{{bare, [{{erl_opts, [no_debug_info, {{d, 'BARE'}}]}}]}}]}}.\n"
            ),
        ),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|it| (it.0, it.1.as_str())).collect();
    let project = project("rebar3_umbrella", &files);
    let found = ["spec in fixed:level/1", "fixed:level(empty)", "─ apps/stock/src/fixed.erl:6"];
    let all = project.tool("rebar3 gimlet --write-tests --verbose", &[]);
    all.check(1, &found[..2]);
    all.check(1, &["spec in native:half/1", "native:half(13)"]);
    assert!(all.stdout.contains("native:count/1 is not supported"), "{}", all.stdout);
    assert!(!all.stdout.contains("fruit:price/1 "), "a dependency is not tested: {}", all.stdout);
    project.read("apps/stock/test/fixed_gimlet_tests.erl");
    project.tool("rebar3 eunit", &[]).check(0, &["0 failures"]);
    project.tool("rebar3 gimlet --app native -f half/1", &[]).check(1, &["native:half(13)"]);
    project.tool("rebar3 gimlet --module stock,fixed", &[]).check(1, &found[..2]);
    project
        .tool("rebar3 gimlet --app none", &[])
        .check(2, &["no application none", "stock, native"]);
    project.tool("rebar3 gimlet --module none", &[]).check(2, &["no module none"]);
    // Without debug info the sources are read, with the macros and headers of their application.
    project.tool("rebar3 as bare gimlet --app native", &[]).check(1, &["native:half(13)"]);
    project.tool("rebar3 as bare gimlet --app stock", &[]).check(1, &found[..2]);
}

#[test]
fn the_plugin_knows_every_option() {
    let source = integration("rebar3_gimlet").join("src/rebar3_gimlet_options.erl");
    let text = std::fs::read_to_string(source).expect("the plugin");
    let (_, rows) = text.split_once("gimlet() ->").expect("the options");
    let (rows, _) = rows.split_once("for_getopt() ->").expect("an end");
    let rows = rows.lines().filter_map(|it| it.trim().strip_prefix('{')?.split_once(','));
    let mut known: Vec<String> = rows.map(|it| it.0.replace('_', "-")).collect();
    known.sort();
    assert_eq!(known, options_of_test());
}
