//! Every reader comes back from whatever it is given: within a gigabyte, within its time, without a panic.
//!
//! `make fuzz` reads more: `GIMLET_FUZZ=10000000` executions for each reader. What was found once is kept in
//! `tests/fuzz` and read each time.
#![expect(
    clippy::disallowed_methods,
    reason = "it reads a parameter, and OTP makes what it begins with"
)]

use beam::{Otp, Settings, Source};
use conformance::fuzz::{Mutation, Target, child as in_child};
use erlang::{Files, Host, HostAnswer, HostError, ModuleCode, Programs, Sockets, System};
use prolog::text::{Reader, Syntax};
use prolog::{Machine, NoLibrary};
use specs::Specs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::{env, fs};
use term::{Atom, Term, etf, read_args, read_call, read_query, read_term};

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn seeds(texts: &[&str]) -> Vec<Vec<u8>> {
    texts.iter().map(|it| it.as_bytes().to_vec()).collect()
}

const TERMS: &[&str] = &[
    "[1, -2.5e3, 'a b', \"text\\x{1F980}\", <<1, 2:3, \"x\"/utf8>>, #{a => [b | c]}, {}, $a, 16#ff]",
    "fun (1, A) when A =:= #{} -> true; (_, _) -> false end",
    "lists:foldl(fun lists:max/1, [], list_to_pid(\"<0.1.2>\"))",
    "[list_to_ref(\"#Ref<0.1.2.3>\"), m:f(1, [2 | 3])]",
];

const ELIXIR: &[&str] = &[
    "Shop.price(%{kind: :book, \"a\" => [1, 2 | 3]}, ~c\"abc\", <<1, 2::3>>, 'x', 0x1f, ?a, 1.0e3)",
    ":lists.map(fn a, b when a === b -> {:ok, nil}; _, _ -> \"x#\" end, [a: 1])",
];

const PROLOG: &[&str] = &[
    "a(X, [Y|Z]) :- \\+ b, X = 'q''a', Y == \"s\\x41\\\", Z is 0'c + 0x1F - 1.0e10, {a, b} ; !, c --> [d].",
    ":- op(700, xfx, =>). p(X) => X = f(- 1, -(1), a:b:c, [a|b], `abc`), format(\"~w~n\", [X]).",
    "'$x'(_A, B) :- B = point{x: 1}, /* c */ A = \"\\u00e9\" % c\n.",
];

const QUERIES: &[&str] = &[
    "%0 = var 0\n%1 = const 42\n%2 = lt %0 %1\nrequire %2\nhint 0 = 17\n",
    "%0 = var 0\n%1 = is_list %0\nrefuse %1\ntype 0 = any\ndomain 0\n",
];

const CORPUS: &[&str] = &[
    "{gimlet_corpus,1}.\n{unit,{m,f,1}}.\n{targets,[\"m.erl\"]}.\n{pa,[]}.\n{includes,[]}.\n{defines,[]}.\n\
     {input,\"b35bc96d\",[[42]],{error,{case_clause,eq}}}.\n{input,\"1\",[a],{value,b}}.\n",
];

const REPORTS: &[&str] = &[
    "{\"schema\":1,\"targets\":[\"m.erl\"],\"units\":[{\"unit\":\"m:f/1\",\"findings\":[{\"id\":\"x\",\"args\":[\"1\"],\
     \"call\":\"m:f(1)\",\"schedule\":{\"steps\":[\"1\"]},\"line\":3}],\"tests\":[{\"call\":\"m:f(2)\"}]}]}",
];

/// Something of every construct, for the readers of compiled code.
const SOURCE: &str = "-module(gimlet_seed).\n-export([f/2]).\n-record(r, {a = 1 :: integer(), b}).\n\
    -type t(A) :: {A, #r{}} | [t(A)] | #{atom() => 1..5, k := <<_:8, _:_*4>>} | fun((A) -> none()).\n\
    -export_type([o/0]).\n-opaque o() :: t(o()).\n-callback c(X) -> Y when X :: atom(), Y :: [X].\n-spec f(t(A), A) -> o() when A :: any().\n\
    f([X | Xs], #{k := K}) when X > 1, is_list(Xs); K -> try [Y || {Y, <<Z:4/little, R/bits>>} <- Xs, Z, R] catch\n\
    C:E:S -> {C, E, S} after receive X -> ok after 5 -> fun(A) -> A + K end end end;\n\
    f(X, <<A:8/float-unit:8, B/utf8, _/binary>>) -> case X of #r{a = A} -> X#r{b = B}; _ -> f(X, {1.5, \"s\", $c}) end.\n";

/// The module of the seed, as OTP made it.
struct Seed {
    beam: Vec<u8>,
    code: ModuleCode,
}

fn seed() -> &'static Seed {
    static SEED: OnceLock<Seed> = OnceLock::new();
    SEED.get_or_init(|| {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("gimlet_seed.erl");
        fs::write(&path, SOURCE).expect("a file");
        let mut otp = Otp::new(Settings::default()).expect("OTP");
        let code = otp.load_source(&Source::Erl(path.clone())).expect("it compiles");
        // The same bytes in every process.
        let mut erlc = Command::new("erlc");
        erlc.args(["+debug_info", "+deterministic"]).current_dir(dir.path());
        let done = erlc.arg("-o").arg(dir.path()).arg("gimlet_seed.erl").status();
        assert!(done.expect("erlc").success());
        let beam = fs::read(dir.path().join("gimlet_seed.beam")).expect("a file");
        Seed { beam, code }
    })
}

/// Where the readers of files find what they are to read.
fn file(name: &str, bytes: &[u8]) -> PathBuf {
    static DIR: OnceLock<tempfile::TempDir> = OnceLock::new();
    let dir = DIR.get_or_init(|| tempfile::tempdir().expect("a directory"));
    let path = dir.path().join(name);
    fs::write(&path, bytes).expect("a file");
    path
}

/// Has one module, and nothing else.
struct OneModule(ModuleCode);

impl Host for OneModule {
    fn load(&mut self, module: &Atom) -> Result<ModuleCode, HostError> {
        match *module == self.0.name {
            true => Ok(self.0.clone()),
            false => Err(HostError::NotFound(module.as_str().to_owned())),
        }
    }

    fn apply(&mut self, _: &Atom, _: &Atom, _: &[Term]) -> Result<HostAnswer, HostError> {
        Err(HostError::Lost("there is no runtime".to_owned()))
    }

    fn load_binary(&mut self, module: &Atom, _: &[u8]) -> Result<ModuleCode, HostError> {
        Err(HostError::NotFound(module.as_str().to_owned()))
    }

    fn system(&mut self) -> Result<System, HostError> {
        Err(HostError::Lost("there is no runtime".to_owned()))
    }

    fn set_code_path(&mut self, _: Option<Vec<String>>) {}

    fn find_file(&mut self, _: &str) -> Option<String> {
        None
    }

    fn object_file(&mut self, _: &Atom) -> Option<String> {
        None
    }

    fn object_code(&mut self, _: &Atom) -> Option<(String, Vec<u8>)> {
        None
    }

    fn files(&mut self) -> Box<dyn Files> {
        panic!("a spec opens no file")
    }

    fn programs(&mut self) -> Box<dyn Programs> {
        panic!("a spec starts no program")
    }

    fn sockets(&mut self) -> Box<dyn Sockets> {
        panic!("a spec opens no socket")
    }
}

/// A module whose code or declarations are the term.
fn module(core: Term, forms: Term) -> ModuleCode {
    ModuleCode {
        name: Atom::new("gimlet_seed"),
        core,
        forms,
        attributes: Term::Nil,
        compile_info: Term::Nil,
        file: "gimlet_seed.erl".to_owned(),
        md5: [0; 16],
        closures: Vec::new(),
    }
}

fn targets() -> Vec<Target> {
    let of_text = |name, texts: &[&str], read| Target {
        name,
        how: Mutation::Text,
        seeds: seeds(texts),
        read,
    };
    let in_child = env::var("GIMLET_FUZZ_TARGET").ok();
    let needs = |name: &str| in_child.as_deref().is_none_or(|it| it == name);
    let encoded = |name: &str, term: fn(&Seed) -> Vec<u8>| {
        if needs(name) { vec![term(seed())] } else { vec![] }
    };
    vec![
        of_text("term", TERMS, |bytes| {
            let text = text(bytes);
            drop(read_term(&text));
            drop(read_args(&text));
            drop(read_call(&text));
        }),
        of_text("elixir", ELIXIR, |bytes| cli::readers::elixir(&text(bytes))),
        of_text("prolog", PROLOG, |bytes| {
            let text = text(bytes);
            let mut machine = Machine::new(&mut NoLibrary);
            let mut reader = Reader::new(&text);
            let syntax = Syntax { module: machine.atoms.intern("user"), ..Syntax::default() };
            let Machine { heap, atoms, ops, .. } = &mut machine;
            // A reader goes on behind a mistake, and ends with the text.
            for _ in 0..=text.len() {
                if matches!(reader.next_term(heap, atoms, ops, syntax), Ok(None)) {
                    return;
                }
            }
        }),
        of_text("query", QUERIES, |bytes| drop(read_query(&text(bytes)))),
        of_text("corpus", CORPUS, |bytes| cli::readers::corpus(&text(bytes))),
        of_text("report", REPORTS, |bytes| cli::readers::report(&text(bytes))),
        Target {
            name: "etf",
            how: Mutation::Bytes,
            seeds: encoded("etf", |it| etf::encode(&it.code.core).expect("a term")),
            read: |bytes| drop(etf::decode(bytes)),
        },
        Target {
            name: "beam",
            how: Mutation::Bytes,
            seeds: encoded("beam", |it| it.beam.clone()),
            read: |bytes| {
                let path = file("gimlet_seed.beam", bytes);
                drop(beam::Target::resolve(&path.display().to_string()));
            },
        },
        Target {
            name: "core",
            how: Mutation::Term,
            seeds: encoded("core", |it| etf::encode(&it.code.core).expect("a term")),
            read: |bytes| {
                if let Ok(term) = etf::decode(bytes) {
                    drop(erlang::core::read(&term, "gimlet_seed.erl"));
                }
            },
        },
        Target {
            name: "spec",
            how: Mutation::Term,
            seeds: encoded("spec", |it| etf::encode(&it.code.forms).expect("a term")),
            read: |bytes| {
                let Ok(forms) = etf::decode(bytes) else { return };
                let mut host = OneModule(module(Term::Nil, forms));
                let (name, mut specs) = (Atom::new("gimlet_seed"), Specs::default());
                let named = specs.functions(&mut host, &name).unwrap_or_default();
                for (function, arity) in named {
                    if let Ok(Some(signature)) = specs.signature(&mut host, &name, &function, arity)
                    {
                        drop(signature.first_input());
                        drop(signature.text());
                    }
                }
            },
        },
    ]
}

/// Not a test by itself: the process that a test starts for the readers.
#[test]
fn child() {
    in_child(&targets());
}

/// In `make test`; more with `GIMLET_FUZZ`, from another number on with `GIMLET_FUZZ_BEGIN`.
const USUAL: u64 = 2_000;

#[test]
fn readers_come_back_from_anything() {
    if env::var("GIMLET_FUZZ_TARGET").is_ok() {
        return;
    }
    let number = |name: &str| env::var(name).ok().and_then(|it| it.parse::<u64>().ok());
    let only = env::var("GIMLET_FUZZ_ONLY").ok();
    let (begin, count) =
        (number("GIMLET_FUZZ_BEGIN").unwrap_or(0), number("GIMLET_FUZZ").unwrap_or(USUAL));
    for target in targets() {
        if only.as_ref().is_none_or(|it| it == target.name) {
            target.check(begin, count);
        }
    }
}

/// Inputs are named by numbers, so the same number must give the same input.
#[test]
fn an_input_is_named_by_its_number() {
    let seeds = seeds(TERMS);
    let made = |n| conformance::fuzz::input(Mutation::Text, &seeds, n);
    assert_eq!(made(77), made(77));
    assert_ne!(made(77), made(78));
    assert!(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz.rs").is_file());
}
