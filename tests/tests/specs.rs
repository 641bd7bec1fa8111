//! Specs of whole functions: alternatives, bounds, callbacks, attributes; and every spec of OTP's
//! and Elixir's libraries.

use beam::{Otp, Settings, Source, Target};
use erlang::{Host, HostAnswer};
use expect_test::expect;
use specs::{Origin, Refusal, Signature, Specs};
use std::time::Duration;
use std::{env, fs, process};
use term::{Atom, Style, Term, print, read_args, read_term};

const SOURCE: &str = "
-module(gimlet_specs).
-behaviour(gen_server).
-behaviour(no_such_behaviour).
-export([one/1, two/1, overlap/1, bounded/2, chained/1, knot/1, never/1, maps/1, opaque/1, nested/1,
         higher/1, plain/1, none/1, tails/1, unknown/1, init/1, handle_call/3, handle_cast/2]).
-gimlet({skip, [main/1, loop/2]}).
-gimlet({pre, one/1, is_small/1}).
-gimlet([{pre, two/1, is_small}, {pre, bounded/2, {other, holds, 2}}]).
-gimlet(what).

-spec one(integer()) -> ok | {error, atom()}.
one(_) -> ok.

-spec two(integer()) -> integer(); (atom()) -> atom().
two(X) -> X.

-spec overlap(number()) -> a; (integer()) -> b.
overlap(_) -> a.

-spec bounded(A, [A]) -> B when A :: atom() | integer(), B :: [A].
bounded(A, As) -> [A | As].

-spec chained(A) -> C when C :: {B, B}, A :: [B], B :: boolean().
chained([A, B]) -> {A, B}.

-spec knot(A) -> A when A :: leaf | [A].
knot(A) -> A.

-spec never(integer()) -> no_return().
never(_) -> exit(bye).

-spec maps(#{atom() := integer()}) -> #{atom() := integer(), done := true}.
maps(M) -> M.

-spec opaque(gb_trees:tree(integer(), atom())) -> sets:set(integer()).
opaque(_) -> sets:new().

-spec nested(1..12) -> file:io_device() | calendar:datetime().
nested(_) -> a.

-spec higher(fun((integer()) -> boolean())) -> fun((atom(), atom()) -> none()).
higher(F) -> F.

-spec plain(_) -> _.
plain(X) -> X.

-spec none(none()) -> ok.
none(_) -> ok.

-spec tails(integer()) -> nonempty_improper_list(integer(), [atom()] | end_of_it).
tails(X) -> [X, a].

-spec unknown(no_such_module:t()) -> lists:no_such_type().
unknown(X) -> X.

init(X) -> {ok, X}.
handle_call(R, _, S) -> {reply, R, S}.
handle_cast(_, S) -> {noreply, S}.
";

/// The name and arity, inputs that are allowed, inputs that are not.
const ALLOWED: &[(&str, &[&str], &[&str])] = &[
    ("one/1", &["[1]"], &["[a]", "[]", "[1,2]"]),
    ("two/1", &["[1]", "[a]"], &["[1.0]", "[[]]"]),
    ("overlap/1", &["[1]", "[1.0]"], &["[a]"]),
    ("bounded/2", &["[a,[1]]", "[1,[]]"], &["[1.0,[]]", "[a,[1.0]]", "[a,b]"]),
    ("chained/1", &["[[true]]", "[[]]"], &["[[a]]", "[true]"]),
    ("knot/1", &["[leaf]", "[[leaf,[]]]"], &["[a]", "[[a]]"]),
    ("maps/1", &["[#{a=>1}]"], &["[#{}]", "[#{1=>1}]"]),
    ("none/1", &[], &["[a]"]),
    ("unknown/1", &["[a]"], &[]),
    ("init/1", &["[a]"], &[]),
    ("handle_cast/2", &["[a,b]"], &[]),
];

/// The name and arity, an input, results that keep the word, results that break it.
const RETURNED: &[(&str, &str, &[&str], &[&str])] = &[
    ("one/1", "[1]", &["ok", "{error,a}"], &["error", "{error,1}"]),
    // Arguments that the spec does not take bind to nothing.
    ("one/1", "[a]", &["ok", "1"], &[]),
    ("two/1", "[1]", &["1"], &["a"]),
    ("two/1", "[a]", &["a"], &["1"]),
    // Either alternative takes an integer, so both results are fine.
    ("overlap/1", "[1]", &["a", "b"], &["c"]),
    ("overlap/1", "[1.0]", &["a"], &["b"]),
    // A variable that occurs twice is a type, not a value.
    ("bounded/2", "[a,[]]", &["[1]", "[]"], &["[1.0]", "a"]),
    ("chained/1", "[[true]]", &["{false,true}"], &["{a,true}"]),
    ("knot/1", "[leaf]", &["[[leaf]]"], &["[b]"]),
    ("never/1", "[1]", &[], &["ok"]),
    (
        "maps/1",
        "[#{a=>1}]",
        &["#{done=>true}", "#{a=>1,done=>true}"],
        &["#{a=>1}", "#{done=>false}"],
    ),
    (
        "opaque/1",
        "[{0,nil}]",
        &["#{1=>[]}", "{set,1,2,3,4,5,6,7,8}"],
        &["[]", "{set,1}", "{bag,1,2,3,4,5,6,7,8}"],
    ),
    ("nested/1", "[1]", &["{{1,1,1},{0,0,0}}", "{file_descriptor,m,a}"], &["a"]),
    // Of a fun, the arity is what can be told.
    ("higher/1", "[fun m:f/1]", &["fun m:f/2"], &["fun m:f/1", "a"]),
    ("tails/1", "[1]", &["[1,a]", "[1|end_of_it]", "[1,2]"], &["[1.0]", "[]", "[1|a]"]),
    ("unknown/1", "[1]", &["a"], &[]),
    ("init/1", "[1]", &["{ok,1}", "ignore", "{stop,x}"], &["ok"]),
    ("handle_cast/2", "[a,b]", &["{noreply,b}"], &["{reply,b}", "ok"]),
];

#[test]
fn inputs_and_results_are_told_from_wrong_ones() {
    let mut module = Module::specs();
    for (name, good, bad) in ALLOWED {
        let signature = module.signature(name);
        for (args, is_allowed) in
            good.iter().map(|it| (it, true)).chain(bad.iter().map(|it| (it, false)))
        {
            let args_read = read_args(args).expect("arguments");
            assert_eq!(signature.allows(&args_read), is_allowed, "{name} with {args}");
        }
    }
    for (name, args, good, bad) in RETURNED {
        let signature = module.signature(name);
        let args_read = read_args(args).expect("arguments");
        for (result, is_kept) in
            good.iter().map(|it| (it, true)).chain(bad.iter().map(|it| (it, false)))
        {
            let breach = signature.breach(&args_read, &read_term(result).expect("a term"));
            assert_eq!(
                breach.is_none(),
                is_kept,
                "{name} with {args} returns {result}: {breach:?}"
            );
        }
    }
}

#[test]
fn signatures_are_shown_as_erlang_writes_them() {
    let mut module = Module::specs();
    let names = [
        "one/1",
        "two/1",
        "bounded/2",
        "knot/1",
        "never/1",
        "maps/1",
        "opaque/1",
        "higher/1",
        "plain/1",
        "none/1",
        "tails/1",
        "unknown/1",
        "handle_cast/2",
    ];
    let mut shown = String::new();
    for name in names {
        let signature = module.signature(name);
        let input = signature
            .first_input()
            .map_or("no input".to_owned(), |it| print(&Term::proper_list(it), Style::TW));
        shown += &format!("{name}: {}\n  from {input}\n", signature.text());
        for gap in &signature.gaps {
            shown += &format!("  {gap}\n");
        }
    }
    let expected = expect![[r#"
        one/1: (integer()) -> ok | {error,atom()}
          from [0]
        two/1: (integer()) -> integer(); (atom()) -> atom()
          from [0]
        bounded/2: (atom() | integer(),[atom() | integer()]) -> [atom() | integer()]
          from [a,[]]
        knot/1: (A) -> A
          from [leaf]
        never/1: (integer()) -> none()
          from [0]
        maps/1: (#{atom() := integer()}) -> #{done := integer() | true,atom() => integer()}
          from [#{a => 0}]
        opaque/1: ({non_neg_integer(),gb_trees:gb_tree_node(integer(),atom())}) -> {set,any(),any(),any(),any(),any(),any(),any(),any()} | map()
          from [{0,nil}]
        higher/1: (fun((integer()) -> boolean())) -> fun((atom(),atom()) -> any())
          from [fun (_) -> false end]
        plain/1: (any()) -> any()
          from [0]
        none/1: (none()) -> ok
          from no input
        tails/1: (integer()) -> nonempty_improper_list(integer() | atom(),[] | end_of_it)
          from [0]
        unknown/1: (any()) -> any()
          from [0]
          the type no_such_module:t/0 is not known: there is no module no_such_module
          the type lists:no_such_type/0 is not known
        handle_cast/2: (any(),any()) -> {noreply,any()} | {noreply,any(),infinity | 0..4294967295 | hibernate | {continue,any()}} | {stop,any(),any()}
          from [0,0]
    "#]];
    expected.assert_eq(&shown);
    assert_eq!(module.signature("init/1").origin, Origin::Callback(Atom::new("gen_server")));
    assert_eq!(module.signature("one/1").origin, Origin::Spec);
    let breach = module.signature("two/1").breach(&[Term::Int(1)], &Term::atom("a"));
    assert_eq!(breach.map(|it| it.promised).as_deref(), Some("integer()"));
    let refusal = module.signature("bounded/2").refusal(&[Term::Int(1), Term::Int(1)]);
    let wanted = "[atom() | integer()]".to_owned();
    assert_eq!(refusal, Some(Refusal { argument: 2, wanted }));
    let refusal = module.signature("two/1").refusal(&[Term::Float(1.0)]);
    let wanted = "integer() | atom()".to_owned();
    assert_eq!(refusal, Some(Refusal { argument: 1, wanted }));
    assert_eq!(module.signature("two/1").refusal(&[Term::Int(1)]), None);
}

#[test]
fn attributes_are_read_from_the_compiled_module() {
    let mut module = Module::specs();
    let found = module.specs.directives(&mut module.host, &module.name).expect("it compiles");
    let skip: Vec<String> =
        found.skip.iter().map(|it| format!("{}/{}", it.0.as_str(), it.1)).collect();
    assert_eq!(skip, ["loop/2", "main/1"]);
    let pre: Vec<String> = found
        .preconditions
        .iter()
        .map(|(unit, by)| {
            let (unit, arity) = (unit.0.as_str(), unit.1);
            format!("{unit}/{arity} {}:{}", by.module.as_str(), by.function.as_str())
        })
        .collect();
    let expected =
        ["bounded/2 other:holds", "one/1 gimlet_specs:is_small", "two/1 gimlet_specs:is_small"];
    assert_eq!(pre, expected);
    assert_eq!(found.problems, ["-gimlet(what) is not understood"]);
}

#[test]
fn every_spec_of_the_standard_library_is_understood() {
    understand_all(&library("stdlib"), 1500);
}

#[test]
fn every_spec_of_the_kernel_is_understood() {
    understand_all(&library("kernel"), 900);
}

#[test]
fn every_spec_of_elixir_is_understood() {
    understand_all("/usr/lib/elixir/lib/elixir/ebin", 1000);
}

/// Every spec below a directory of `.beam` files has types without gaps, and a first input that it
/// allows.
fn understand_all(directory: &str, at_least: usize) {
    let target = Target::resolve(directory).expect("a directory of modules");
    let mut host = host();
    host.add_target(&target).expect("OTP takes the directory");
    let mut specs = Specs::default();
    let mut n_specs = 0;
    let mut wrong = Vec::new();
    for module in &target.modules {
        let functions = specs.functions(&mut host, &module.name).expect("it loads");
        for (function, arity) in functions {
            let found = specs.signature(&mut host, &module.name, &function, arity);
            let signature = found.expect("it loads").expect("it has a spec");
            n_specs += 1;
            let name = format!("{}:{}/{arity}", module.name.as_str(), function.as_str());
            wrong.extend(signature.gaps.iter().map(|it| format!("{name}: {it}")));
            match signature.first_input() {
                None => wrong.push(format!("{name}: no input for {}", signature.text())),
                Some(input) if signature.allows(&input) => (),
                Some(input) => wrong.push(format!("{name}: {input:?} is refused")),
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {n_specs}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(n_specs > at_least, "only {n_specs} specs");
}

struct Module {
    host: Otp,
    name: Atom,
    specs: Specs,
}

impl Module {
    fn specs() -> Module {
        let dir = env::temp_dir().join(format!("gimlet-specs-{}", process::id()));
        fs::create_dir_all(&dir).expect("a directory");
        let path = dir.join("gimlet_specs.erl");
        fs::write(&path, SOURCE).expect("a file");
        let mut host = host();
        host.add_source(Atom::new("gimlet_specs"), Source::Erl(path));
        Module { host, name: Atom::new("gimlet_specs"), specs: Specs::default() }
    }

    fn signature(&mut self, name: &str) -> Signature {
        let (function, arity) = name.split_once('/').expect("a name and an arity");
        let (function, arity) = (Atom::new(function), arity.parse().expect("an arity"));
        let found = self.specs.signature(&mut self.host, &self.name, &function, arity);
        found.expect("it compiles").unwrap_or_else(|| panic!("{name} has a spec"))
    }
}

fn host() -> Otp {
    let cache_dir = Some(env::temp_dir().join("gimlet-conformance-cache"));
    let settings =
        Settings { cache_dir, load_limit: Duration::from_secs(60), ..Settings::default() };
    Otp::new(settings).expect("OTP is installed")
}

fn library(name: &str) -> String {
    let args = [Term::atom(name)];
    let answer = host().apply(&Atom::new("code"), &Atom::new("lib_dir"), &args);
    let Ok(HostAnswer::Value(path)) = answer else { panic!("no library {name}: {answer:?}") };
    let chars = path.as_list().expect("a path").iter().filter_map(Term::as_int);
    let path: String =
        chars.filter_map(|it| u32::try_from(it).ok().and_then(char::from_u32)).collect();
    format!("{path}/ebin")
}
