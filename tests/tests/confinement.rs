//! The sandbox of the runtimes that load code, confirm findings and run the back end: they do their work, and
//! code under test changes nothing outside, whether it is executed or only compiled.

use beam::backend::{Limits, Ran, Runner, Witness};
use beam::{Applied, Confinement, Otp, Replayed, Replayer, Settings, Source};
use erlang::machine::Allowed;
use erlang::{Host, HostAnswer, HostError, ModuleCode};
use sandbox::{Files, Launcher, Policy};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use term::{Atom, Style, Term, print};
use trace::Outcome;

/// A time limit that no test reaches.
const LIMIT: Duration = Duration::from_secs(600);

/// A project, and a directory next to it that the sandbox must protect.
struct World {
    dir: TempDir,
}

impl World {
    fn new(files: &[(&str, &str)]) -> World {
        let dir = tempfile::tempdir().expect("a directory for temporary files");
        let world = World { dir };
        fs::create_dir_all(world.outside()).expect("writable");
        for (name, text) in files {
            let path = world.project().join(name);
            fs::create_dir_all(path.parent().expect("it is inside")).expect("writable");
            let outside = world.outside();
            let text = text.replace("OUTSIDE", outside.to_str().expect("plain letters"));
            fs::write(path, text).expect("writable");
        }
        world
    }

    fn project(&self) -> PathBuf {
        self.dir.path().join("project")
    }

    fn outside(&self) -> PathBuf {
        self.dir.path().join("outside")
    }

    fn changes(&self) -> Vec<String> {
        let entries = fs::read_dir(self.outside()).expect("it is there");
        let name = |it: fs::DirEntry| it.file_name().to_string_lossy().into_owned();
        let mut res: Vec<String> = entries.map(|it| name(it.expect("readable"))).collect();
        res.sort();
        res
    }

    fn source(&self, name: &str) -> Source {
        Source::Erl(self.project().join(name))
    }
}

fn confinement() -> Confinement {
    let launcher = Launcher::new(PathBuf::from(env!("CARGO_BIN_EXE_runtime_launcher")));
    Confinement { launcher, policy: Policy::default() }
}

fn settings(confinement: Option<Confinement>) -> Settings {
    let [start_limit, load_limit, apply_limit] = [LIMIT; 3];
    Settings { confinement, start_limit, load_limit, apply_limit, ..Settings::default() }
}

fn otp(confinement: Option<Confinement>) -> Otp {
    Otp::new(settings(confinement)).expect("OTP; `make deps` installs it")
}

/// A parse transform and a reader of debug info that try to write files and run commands.
const EVIL: &[(&str, &str)] = &[
    (
        "evil/evil.erl",
        "-module(evil).\n-export([parse_transform/2, debug_info/4]).\n\
         parse_transform(Forms, _) -> harm(\"transform\"), Forms.\n\
         debug_info(_, _, _, _) -> harm(\"debug_info\"), {error, unknown_format}.\n\
         harm(Name) -> file:make_dir(\"OUTSIDE/\" ++ Name), (catch os:cmd(\"touch OUTSIDE/command\")).\n",
    ),
    (
        "src/m.erl",
        "-module(m).\n-compile({parse_transform, evil}).\n-include(\"m.hrl\").\n-export([f/0]).\n\
         f() -> ?VALUE.\n",
    ),
    ("src/n.erl", "-module(n).\n-export([f/0]).\nf() -> 1.\n"),
    ("include/m.hrl", "-define(VALUE, {value, 1}).\n"),
];

/// Compiles a file of the project into a directory, without a sandbox.
fn compile(world: &World, file: &str, options: &str, into: &Path) {
    let text = |it: &Path| Term::string(it.to_str().expect("plain letters"));
    let options = term::read_term(options).expect("an Erlang term");
    let args = [text(&world.project().join(file)), options];
    let answer = otp(None).apply(&Atom::new("compile"), &Atom::new("file"), &args);
    let Ok(HostAnswer::Value(Term::Tuple(parts))) = answer else { panic!("{answer:?}") };
    let [_, module, beam] = parts.as_slice() else { panic!("{parts:?}") };
    let name = format!("{}.beam", module.as_atom().expect("a module"));
    fs::create_dir_all(into).expect("writable");
    fs::write(into.join(name), beam.as_bytes().expect("a binary")).expect("writable");
}

#[test]
fn what_runs_while_code_is_loaded_changes_nothing() {
    for (confinement, expected) in
        [(None, vec!["command", "debug_info", "transform"]), (Some(confinement()), vec![])]
    {
        let world = World::new(EVIL);
        let ebin = world.project().join("ebin");
        compile(&world, "evil/evil.erl", "[binary]", &ebin);
        compile(&world, "src/n.erl", "[binary, {debug_info, {evil, data}}]", &ebin);
        let code_paths = vec![ebin.clone()];
        let mut otp =
            Otp::new(Settings { code_paths, ..settings(confinement) }).expect("OTP is there");
        let loaded = otp.load_source(&world.source("src/m.erl")).expect("it is an ordinary module");
        assert_eq!(loaded.name, Atom::new("m"));
        let loaded = otp.load_source(&Source::Beam(ebin.join("n.beam")));
        assert!(matches!(loaded, Err(HostError::NoDebugInfo(_))), "{loaded:?}");
        assert_eq!(world.changes(), expected);
    }
}

fn same(one: &ModuleCode, other: &ModuleCode) -> bool {
    let parts = |it: &ModuleCode| (it.core.clone(), it.forms.clone(), it.md5, it.file.clone());
    parts(one) == parts(other)
}

/// The loaded code is the same as without a sandbox, whatever the paths of its files.
#[test]
fn code_is_loaded_as_ever() {
    let world = World::new(EVIL);
    let linked = world.project().join("_build/default/lib/app");
    fs::create_dir_all(&linked).expect("writable");
    let ebin = linked.join("ebin");
    compile(&world, "evil/evil.erl", "[binary]", &ebin);
    for part in ["src", "include"] {
        let from = world.project().join(part);
        std::os::unix::fs::symlink(from, linked.join(part)).expect("writable");
    }
    let mut both = [None, Some(confinement())].map(otp);
    let [plain, confined] = &mut both;
    for name in ["lists", "gen_server", "beam_disasm"] {
        let name = Atom::new(name);
        let [theirs, ours] =
            [&mut *plain, &mut *confined].map(|it| it.load(&name).expect("OTP has it"));
        assert!(same(&theirs, &ours), "{}", name.as_str());
    }
    assert_eq!((plain.starts(), confined.starts()), (1, 1));
    // Paths that are added after the start are readable, too.
    for otp in [&mut *plain, &mut *confined] {
        otp.add_code_paths(std::slice::from_ref(&ebin)).expect("it runs");
    }
    for source in [world.source("src/n.erl"), Source::Erl(linked.join("src/m.erl"))] {
        let [theirs, ours] = [&mut *plain, &mut *confined].map(|it| it.load_source(&source));
        assert!(same(&theirs.expect("it compiles"), &ours.expect("it compiles")), "{source:?}");
    }
    assert_eq!((plain.starts(), confined.starts()), (1, 2));
}

/// Functions that use files, processes, nodes and the network.
const HARMFUL: &[(&str, &str)] = &[(
    "h.erl",
    "-module(h).\n-export([f/1, g/1, loop/1, nodes/0]).\n-on_load(l/0).\n\
     l() -> file:make_dir(\"OUTSIDE/on_load\"), ok.\n\
     f(N) -> {N, file:write_file(\"OUTSIDE/f\", <<>>)}.\n\
     g(N) -> lists:foreach(fun file:make_dir/1, [\"OUTSIDE/g\"]), spawn(file, make_dir, [\"OUTSIDE/s\"]), N.\n\
     loop(N) -> loop(N).\n\
     nodes() -> {erpc:call('b@localhost', erlang, node, []),\n\
         erpc:call('b@localhost', file, make_dir, [\"OUTSIDE/node\"]),\n\
         (catch erpc:call('b@localhost', gen_udp, open, [0])),\n\
         element(1, gen_tcp:listen(0, []))}.\n",
)];

fn replayer(world: &World, confinement: Option<Confinement>, nodes: &[&str]) -> Replayer {
    let modules = vec![(Atom::new("h"), world.source("h.erl"))];
    let nodes = nodes.iter().map(|it| (*it).to_owned()).collect();
    Replayer::new(otp(confinement), modules, nodes)
}

fn replayed(replayer: &mut Replayer, function: &str, args: &[Term], limit: Duration) -> String {
    let (module, function) = (Atom::new("h"), Atom::new(function));
    let args = print(&Term::proper_list(args.to_vec()), Style::INPUT);
    let answer = replayer.call(&Applied { module, function, args }, limit);
    match answer.expect("the runtime answers") {
        Replayed::Value(value) => print(&value, Style::W),
        other @ (Replayed::Raised { .. }
        | Replayed::Timeout(_)
        | Replayed::Killed(_)
        | Replayed::Unreadable
        | Replayed::Unusable(_)) => format!("{other:?}"),
    }
}

#[test]
fn a_finding_is_confirmed_and_changes_nothing() {
    let world = World::new(HARMFUL);
    let mut plain = replayer(&world, None, &[]);
    assert_eq!(replayed(&mut plain, "f", &[Term::Int(1)], LIMIT), "{1,ok}");
    assert_eq!(world.changes(), ["f", "on_load"]);

    let world = World::new(HARMFUL);
    let mut confined = replayer(&world, Some(confinement()), &[]);
    assert_eq!(replayed(&mut confined, "f", &[Term::Int(1)], LIMIT), "{1,{error,eacces}}");
    assert_eq!(replayed(&mut confined, "g", &[Term::Int(1)], LIMIT), "1");
    let short = Duration::from_millis(50);
    let endless = replayed(&mut confined, "loop", &[Term::Int(1)], short);
    assert!(endless.starts_with("Timeout"), "{endless}");
    assert_eq!(replayed(&mut confined, "g", &[Term::Int(2)], LIMIT), "2");
    assert!(world.changes().is_empty(), "{:?}", world.changes());
}

#[test]
fn files_are_written_if_they_are_allowed() {
    let world = World::new(HARMFUL);
    let policy = Policy { files: Files::Allowed, ..Policy::default() };
    let confinement = Confinement { policy, ..confinement() };
    let mut confined = replayer(&world, Some(confinement), &[]);
    assert_eq!(replayed(&mut confined, "f", &[Term::Int(1)], LIMIT), "{1,ok}");
    assert_eq!(world.changes(), ["f", "on_load"]);
}

#[test]
fn nodes_talk_to_each_other_and_to_nobody_else() {
    let names = ["a@localhost", "b@localhost"];
    let world = World::new(HARMFUL);
    let mut plain = replayer(&world, None, &names);
    let theirs = replayed(&mut plain, "nodes", &[], LIMIT);
    assert!(theirs.starts_with("{b@localhost,ok,{ok,") && theirs.ends_with(",ok}"), "{theirs}");
    assert_eq!(world.changes(), ["node", "on_load"]);

    let world = World::new(HARMFUL);
    let mut confined = replayer(&world, Some(confinement()), &names);
    let ours = replayed(&mut confined, "nodes", &[], LIMIT);
    assert_eq!(ours, "{b@localhost,{error,eacces},{error,eperm},error}");
    assert!(world.changes().is_empty(), "{:?}", world.changes());
}

/// The back end is allowed everything by its list of refused functions, so that only the sandbox protects the
/// files.
#[test]
fn the_back_end_changes_nothing() {
    let world = World::new(HARMFUL);
    let mut otp = otp(Some(confinement()));
    let name = Atom::new("h");
    otp.add_source(name.clone(), world.source("h.erl"));
    let code = Arc::new(otp.load(&name).expect("it compiles"));
    let limits = Limits { time: LIMIT, ..Limits::default() };
    let all = Allowed { files: true, network: true, os: true };
    let mut runner = Runner::new(otp, all, Witness::default(), limits);
    runner.add(&code).expect("it is rewritten");
    for function in ["f", "g", "f"] {
        let ran = runner.run(&name, &Atom::new(function), &[Term::Int(1)]).expect("it answers");
        let Ran::Ended(end) = &ran else { panic!("{function}: {ran:?}") };
        let Outcome::Value(value) = &end.outcome else { panic!("{function}: {ran:?}") };
        let expected = if function == "f" { "{1,{error,eacces}}" } else { "1" };
        assert_eq!(print(value, Style::W), expected);
    }
    assert!(world.changes().is_empty(), "{:?}", world.changes());
}
