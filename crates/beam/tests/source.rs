//! Tests of source files, their options and errors, and of targets.

use beam::{Builder, Define, Otp, Settings, Source, Target, TargetError};
use erlang::{Host, HostError, ModuleCode};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use term::{Atom, Term};

struct Project {
    dir: tempfile::TempDir,
}

impl Project {
    fn new(files: &[(&str, &str)]) -> Project {
        let project = Project { dir: tempfile::tempdir().expect("writable") };
        for (name, text) in files {
            project.write(name, text);
        }
        project
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a directory")).expect("writable");
        fs::write(path, text).expect("writable");
        // A file is cached only if it is older than the compilation.
        std::thread::sleep(std::time::Duration::from_millis(20));
    }

    fn otp(&self, change: impl FnOnce(&mut Settings)) -> Otp {
        let mut settings = Settings { cache_dir: Some(self.path("cache")), ..Settings::default() };
        change(&mut settings);
        Otp::new(settings).expect("OTP is installed")
    }

    fn load(&self, otp: &mut Otp, name: &str) -> Result<ModuleCode, HostError> {
        otp.load_source(&Source::Erl(self.path(name)))
    }

    fn erlc(&self, options: &[&str], file: &str) {
        #[expect(clippy::disallowed_methods, reason = "the compiler makes what the test loads")]
        let status =
            Command::new("erlc").args(options).arg(file).current_dir(self.dir.path()).status();
        assert!(status.expect("erlc").success());
    }
}

/// Whether a literal occurs anywhere in the code.
fn mentions(code: &Term, literal: &Term) -> bool {
    code.has_part(|it| it == literal)
}

#[test]
fn includes_defines_and_rebar_options_reach_the_compiler() {
    let project = Project::new(&[
        ("inc/a.hrl", "-define(A, from_include).\n"),
        ("include/b.hrl", "-define(B, from_app).\n"),
        ("rebar.config", "{erl_opts, [debug_info, warnings_as_errors, {d, 'C', from_rebar}]}.\n"),
        (
            "src/m.erl",
            "-module(m).\n-export([f/1]).\n-include(\"a.hrl\").\n-include(\"b.hrl\").\n\
             -spec f(integer()) -> list().\nf(Unused) -> {?A, ?B, ?C, ?D, ?E}.\n",
        ),
    ]);
    let set = |settings: &mut Settings| {
        settings.includes = vec![project.path("inc")];
        settings.defines = vec![
            Define { name: "D".to_owned(), value: Some("{4,four}".to_owned()) },
            Define { name: "E".to_owned(), value: None },
        ];
    };
    let mut first = project.otp(set);
    let code = project.load(&mut first, "src/m.erl").expect("it compiles");
    let four = Term::Tuple(vec![Term::Int(4), Term::atom("four")]);
    for literal in ["from_include", "from_app", "from_rebar"] {
        assert!(mentions(&code.core, &Term::atom(literal)), "{literal}");
    }
    assert!(mentions(&code.core, &four) && mentions(&code.core, &Term::atom("true")));
    assert_eq!(code.file, project.path("src/m.erl").to_str().unwrap());
    let is_spec =
        |it: &&Term| it.as_tuple().and_then(|it| it.get(2)).and_then(Term::as_atom) == Some("spec");
    assert_eq!(code.forms.as_list().unwrap_or_default().iter().filter(is_spec).count(), 1);

    let mut second = project.otp(set);
    assert_eq!(project.load(&mut second, "src/m.erl").expect("kept").core, code.core);
    assert_eq!(second.starts(), 0);

    project.write("inc/a.hrl", "-define(A, from_another).\n");
    let mut third = project.otp(set);
    let code = project.load(&mut third, "src/m.erl").expect("it compiles");
    assert!(mentions(&code.core, &Term::atom("from_another")), "an include changed");
    assert_eq!(third.starts(), 1);

    project.write("inc/a.hrl", "-define(A, from_another).\n");
    let mut fourth = project.otp(set);
    project.load(&mut fourth, "src/m.erl").expect("kept");
    assert_eq!(fourth.starts(), 0, "another time, the same content");
}

/// A transform that replaces `old` by the word of another module.
const TRANSFORM: &str = "-module(pt).\n-export([parse_transform/2]).\n\
    parse_transform(Forms, _) -> swap(Forms).\n\
    swap({atom, Anno, old}) -> {atom, Anno, pt_word:new()};\n\
    swap(T) when is_tuple(T) -> list_to_tuple(swap(tuple_to_list(T)));\n\
    swap([A | B]) -> [swap(A) | swap(B)];\n\
    swap(T) -> T.\n";

#[test]
fn what_transforms_a_module_is_part_of_it() {
    let word = |it: &str| format!("-module(pt_word).\n-export([new/0]).\nnew() -> {it}.\n");
    let project = Project::new(&[
        ("pt.erl", TRANSFORM),
        ("pt_word.erl", &word("one")),
        ("m.erl", "-module(m).\n-export([f/0]).\n-compile({parse_transform, pt}).\nf() -> old.\n"),
    ]);
    fs::create_dir_all(project.path("ebin")).expect("a directory");
    let build = |file: &str| {
        project.erlc(&["-o", "ebin"], file);
        std::thread::sleep(std::time::Duration::from_millis(20));
    };
    build("pt.erl");
    build("pt_word.erl");
    let set = |settings: &mut Settings| settings.code_paths = vec![project.path("ebin")];
    let mut first = project.otp(set);
    let code = project.load(&mut first, "m.erl").expect("it compiles");
    assert!(mentions(&code.core, &Term::atom("one")));
    let mut second = project.otp(set);
    assert_eq!(project.load(&mut second, "m.erl").expect("kept").core, code.core);
    assert_eq!(second.starts(), 0, "nothing changed");
    // The transform itself is unchanged; the module that it calls changes.
    project.write("pt_word.erl", &word("two"));
    build("pt_word.erl");
    let mut third = project.otp(set);
    let code = project.load(&mut third, "m.erl").expect("it compiles");
    assert!(mentions(&code.core, &Term::atom("two")));
}

#[test]
fn a_header_that_comes_to_be_found_earlier_counts() {
    let project = Project::new(&[
        ("first/other.hrl", ""),
        ("second/a.hrl", "-define(A, from_second).\n"),
        ("m.erl", "-module(m).\n-export([f/0]).\n-include(\"a.hrl\").\nf() -> ?A.\n"),
    ]);
    let set = |settings: &mut Settings| {
        settings.includes = vec![project.path("first"), project.path("second")];
    };
    let mut first = project.otp(set);
    let code = project.load(&mut first, "m.erl").expect("it compiles");
    assert!(mentions(&code.core, &Term::atom("from_second")));
    let mut second = project.otp(set);
    project.load(&mut second, "m.erl").expect("kept");
    assert_eq!(second.starts(), 0, "nothing changed");
    project.write("first/a.hrl", "-define(A, from_first).\n");
    let mut third = project.otp(set);
    let code = project.load(&mut third, "m.erl").expect("it compiles");
    assert!(mentions(&code.core, &Term::atom("from_first")));
}

#[test]
fn compile_errors_name_their_place() {
    let project = Project::new(&[
        ("bad.erl", "-module(bad).\n-export([f/0]).\nf() -> X.\ng( -> 1.\n"),
        ("other.erl", "-module(wrong).\n-export([f/0]).\nf() -> 1.\n"),
    ]);
    let mut otp = project.otp(|_| ());
    let Err(HostError::Compile(messages)) = project.load(&mut otp, "bad.erl") else {
        panic!("it compiled");
    };
    let file = project.path("bad.erl").display().to_string();
    assert!(messages.contains(&format!("{file}:4:4: syntax error before: '->'")), "{messages:?}");
    assert!(messages.contains(&format!("{file}:3:8: variable 'X' is unbound")), "{messages:?}");

    otp.add_source(Atom::new("other"), Source::Erl(project.path("other.erl")));
    let Err(HostError::Compile(messages)) = otp.load(&Atom::new("other")) else {
        panic!("it was taken");
    };
    assert!(messages.concat().contains("wrong"), "{messages:?}");
}

#[test]
fn beam_files_need_debug_info() {
    let project = Project::new(&[
        ("m.erl", "-module(m).\n-export([f/0]).\nf() -> 1.\n"),
        ("ebin/note.txt", ""),
        ("broken/x.beam", "FOR1"),
        ("broken/y.beam", "text"),
    ]);
    project.erlc(&["+debug_info", "-o", "ebin"], "m.erl");
    let target = |name: &str| Target::resolve(project.path(name).to_str().unwrap());
    let mut otp = project.otp(|_| ());
    let found = target("ebin").expect("a directory");
    assert_eq!(found, target("ebin/m.beam").expect("a file"));
    otp.add_target(&found).expect("a target");
    assert_eq!(otp.load(&Atom::new("m")).expect("it has debug info").file, "m.erl");

    project.erlc(&["+compressed", "+debug_info", "-o", "ebin"], "m.erl");
    otp.load(&Atom::new("m")).expect("it is packed");

    project.erlc(&["-o", "ebin"], "m.erl");
    assert!(matches!(otp.load(&Atom::new("m")), Err(HostError::NoDebugInfo(_))));

    let beam = project.path("ebin/m.beam");
    assert_eq!(target("ebin/m.beam"), Err(TargetError::NoDebugInfo(beam.clone())));

    let file = Term::string(beam.to_str().unwrap());
    let (module, strip) = (Atom::new("beam_lib"), Atom::new("strip_files"));
    otp.apply(&module, &strip, &[Term::proper_list(vec![file])]).expect("an answer");
    assert_eq!(target("ebin"), Err(TargetError::NoDebugInfo(beam)));
    assert!(matches!(otp.load(&Atom::new("m")), Err(HostError::NoDebugInfo(_))));
    for broken in ["broken/x.beam", "broken/y.beam"] {
        assert_eq!(target(broken), Err(TargetError::NotBeam(project.path(broken))));
        let error = otp.load_source(&Source::Beam(project.path(broken))).expect_err(broken);
        assert!(matches!(error, HostError::Compile(_)), "{error:?}");
    }
}

#[test]
fn targets() {
    let names = |target: Target| -> Vec<String> {
        target.modules.iter().map(|it| it.name.as_str().to_owned()).collect()
    };
    let lists = Target::resolve("lists").expect("a module");
    assert_eq!((names(lists.clone()), lists.code_paths), (vec!["lists".to_owned()], vec![]));
    assert_eq!(Target::resolve("Enum").map(names), Ok(vec!["Elixir.Enum".to_owned()]));
    let no_file = |name: &str| {
        assert_eq!(Target::resolve(name), Err(TargetError::NoSuchFile(PathBuf::from(name))));
    };
    no_file("no/such");
    no_file("such.erl");
    no_file("");

    let project = Project::new(&[
        ("rebar.config", "{deps, []}."),
        ("src/app.app.src", ""),
        ("src/m.erl", "-module(m).\n"),
        ("dep.erl", "-module(dep).\n"),
        ("empty/note.txt", ""),
        ("mixed/mix.exs", "  def project do\n    [app: :mixed, version: \"1\"]\n"),
        ("_build/default/lib/app/ebin/.keep", ""),
        ("_build/default/lib/dep/ebin/.keep", ""),
    ]);
    let target = |name: &str| Target::resolve(project.path(name).to_str().unwrap());
    project.erlc(&["+debug_info", "-o", "_build/default/lib/app/ebin"], "src/m.erl");
    project.erlc(&["+debug_info", "-o", "_build/default/lib/dep/ebin"], "dep.erl");
    let root = target("").expect("a project");
    assert_eq!(root.code_paths.len(), 2);
    assert_eq!(names(root), ["m"]);
    assert_eq!(target("src/m.erl").expect("a file").code_paths.len(), 2);
    assert_eq!(target("empty"), Err(TargetError::Empty(project.path("empty"))));
    let mixed = project.path("mixed");
    assert_eq!(target("mixed"), Err(TargetError::NotBuilt(mixed.clone(), Builder::Mix)));
    project.write("mixed/_build/dev/lib/mixed/ebin/.keep", "");
    project.erlc(&["+debug_info", "-o", "mixed/_build/dev/lib/mixed/ebin"], "dep.erl");
    assert_eq!(target("mixed").map(names), Ok(vec!["dep".to_owned()]));
    let note = project.path("empty/note.txt");
    assert_eq!(target("empty/note.txt"), Err(TargetError::UnknownKind(note.clone())));
    assert!(!TargetError::UnknownKind(note).hint().is_empty());
    assert!(Path::new("/usr/lib/elixir").is_dir(), "Elixir is installed");
}
