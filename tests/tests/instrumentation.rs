//! Instrumentation: the examples of the paper, and its Theorem 1. The events of the instrumented
//! semantics are those that the instrumented program puts out on BEAM.

use beam::{Observed, Observer, Otp, Source};
use conformance::{Random, argument, functions, machine, without_closures};
use erlang::builtins::{Effect, How};
use erlang::core::{Module, read};
use erlang::{Host, Machine, Outcome};
use expect_test::expect;
use papers::instrumentation::{
    Evaluated, Evaluator, Event, Native, Outside, alternatives, emit, flatten, instrument, is_flat,
    show,
};
use rustc_hash::FxHashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;
use std::{env, fs, process, thread};
use term::{Atom, Style, Term, print, read_term};

/// Fig. 5 before it is flat: its variables W, W1 and W2 come from flattening.
const RUNNING_EXAMPLE: &str = "
    module 'running' ['main'/1] attributes []
    'main'/1 = fun (X) -> apply 'app'/2(X, X)
    'app'/2 = fun (X, Y) ->
        case X of
            <[]> when 'true' -> Y
            <[H|T]> when 'true' -> [H|apply 'app'/2(T, Y)]
        end
    end";

#[test]
fn the_running_example() {
    let mut beam = Observer::new(otp(&[]));
    let flat = flatten(&beam.parse(RUNNING_EXAMPLE).expect("it is Core Erlang"));
    // Fig. 5
    expect![[r#"
        main/1 = fun (X) ->
          let W = apply app/2 (X,X)
          in W

        app/2 = fun (X, Y) ->
          let W1 = case X of
              [] ->
                Y
              [H|T] ->
                let W2 = apply app/2 (T,Y)
                in [H|W2]
            end
          in W1
    "#]]
    .assert_eq(&show(&flat));
    let instrumented = instrument(&flat);
    // Fig. 9
    expect![[r#"
        main/1 = fun (X) ->
          let W = out("call([X],[W],W,[X,X])",
              apply app/2 (X,X))
          in out("exit([X],[W],W)",
            W)

        app/2 = fun (X, Y) ->
          let W1 = case X of
              [] ->
                out("case([X,Y],[W1,W2,H,T],1,X,[],[(1,X,[]),(2,X,[H|T])])",
                  out("exitcase([X,Y],[W1,W2,H,T],W1,Y)",
                    Y))
              [H|T] ->
                out("case([X,Y],[W1,W2,H,T],2,X,[H|T],[(1,X,[]),(2,X,[H|T])])",
                  let W2 = out("call([X,Y],[W1,W2,H,T],W2,[T,Y])",
                      apply app/2 (T,Y))
                  in out("exitcase([X,Y],[W1,W2,H,T],W1,[H|W2])",
                    [H|W2]))
            end
          in out("exit([X,Y],[W1,W2,H,T],W1)",
            W1)
    "#]]
    .assert_eq(&show(&instrumented));

    let name = Atom::new("running");
    beam.define(&name, emit(&instrumented, &name)).expect("OTP compiles it");
    let mut outside = Real::new(otp(&[]));
    let mut evaluator = Evaluator::new(flat, name.clone(), &mut outside);
    let main = Atom::new("main");
    let args = [read("[a]")];
    let by_semantics = evaluator.call(&main, &args).expect("it is evaluated");
    let on_beam = of_beam(beam.call(&name, &main, &args, LIMIT).expect("it is run"));
    // Example 2 and Fig. 6
    let events = expect![[r#"
        call([X],[W],W,[X,X])
        case([X,Y],[W1,W2,H,T],2,X,[H|T],[(1,X,[]),(2,X,[H|T])])
        call([X,Y],[W1,W2,H,T],W2,[T,Y])
        case([X,Y],[W1,W2,H,T],1,X,[],[(1,X,[]),(2,X,[H|T])])
        exitcase([X,Y],[W1,W2,H,T],W1,Y)
        exit([X,Y],[W1,W2,H,T],W1)
        exitcase([X,Y],[W1,W2,H,T],W1,[H|W2])
        exit([X,Y],[W1,W2,H,T],W1)
        exit([X],[W],W)
    "#]];
    for found in [&by_semantics, &on_beam] {
        let lines: Vec<String> = found.events.iter().map(|it| it.full_text() + "\n").collect();
        events.assert_eq(&lines.concat());
        assert_eq!(found.end, Ok(read("[a,a]")));
        // Definition 5
        assert_eq!(alternatives(&found.events), [2, 1]);
    }

    fn read(text: &str) -> Term {
        read_term(text).expect("a term")
    }
}

/// Theorem 1.
#[test]
fn both_give_the_same_events() {
    let worker = thread::Builder::new().stack_size(1 << 30).spawn(compare).expect("a thread");
    worker.join().expect("no difference");
}

/// A suite that lost its programs must not pass.
const N_EXPECTED: usize = 3_600;
const N_RANDOM: usize = 20;
const N_CALLS: usize = 5;
const LIMIT: Duration = Duration::from_secs(20);

#[expect(clippy::print_stdout, reason = "a test tells how much it compared")]
fn compare() {
    let dir = env::temp_dir().join(format!("gimlet-instrumentation-{}", process::id()));
    fs::create_dir_all(&dir).expect("a directory for programs");
    let mut random = Random(7);
    let concolic = Path::new(env!("CARGO_MANIFEST_DIR")).join("concolic");
    let mut files = vec![concolic.join("hunts.erl"), concolic.join("deeper.erl")];
    for name in ["binaries", "data", "errors", "funs", "guards", "patterns", "tries"] {
        files.push(Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("programs/{name}.erl")));
    }
    for n in 0..N_RANDOM {
        let file = dir.join(format!("random_{n}.erl"));
        let functions = functions(&mut random);
        let source = format!(
            "-module(random_{n}).\n-compile([export_all, nowarn_export_all]).\n{functions}\n"
        );
        fs::write(&file, source).expect("programs can be written");
        files.push(file);
    }
    let mut sides = Sides::new(&files);
    for file in &files {
        let name = module_of(file);
        sides.module(&name, &name, &mut random);
    }
    // OTP's own, under another name: the runtime itself works with them.
    for name in OF_OTP {
        sides.module(&Atom::new(name), &Atom::new(&format!("observed_{name}")), &mut random);
    }
    fs::remove_dir_all(&dir).expect("our own directory can be removed");
    let Sides { n_same, n_events, skipped, different, .. } = sides;
    println!("{n_same} calls with {n_events} events are the same; not compared: {skipped:?}");
    assert!(different.is_empty(), "{} differ:\n{}", different.len(), different.join("\n"));
    assert!(N_EXPECTED < n_same, "only {n_same} were compared");
}

const OF_OTP: [&str; 13] = [
    "lists",
    "orddict",
    "string",
    "gb_trees",
    "ordsets",
    "proplists",
    "queue",
    "maps",
    "dict",
    "sets",
    "array",
    "base64",
    "calendar",
];

/// Every module of OTP's library is flat afterwards, and OTP compiles and loads what it becomes. But
/// for the tables of Unicode: each of their thousands of clauses would list all others.
#[test]
fn the_standard_library_is_instrumented() {
    let worker = thread::Builder::new().stack_size(1 << 29).spawn(|| {
        let mut host = otp(&[]);
        let lists = host.find(&Atom::new("lists")).expect("OTP has it");
        let dir = lists.path().parent().expect("a directory").to_owned();
        let mut beam = Observer::new(otp(&[]));
        let mut n_modules = 0;
        for entry in fs::read_dir(dir).expect("it can be listed") {
            let path = entry.expect("an entry").path();
            if path.extension().is_none_or(|it| it != "beam") {
                continue;
            }
            let name = module_of(&path);
            let code = host.load(&name).expect("it is loaded");
            let flat = flatten(&read(&code.core, &code.file).expect("it is Core Erlang"));
            assert!(is_flat(&flat), "{}", name.as_str());
            n_modules += 1;
            if name.as_str() == "unicode_util" {
                continue;
            }
            let as_name = Atom::new(&format!("observed_{}", name.as_str()));
            let defined = beam.define(&as_name, emit(&instrument(&flat), &as_name));
            defined.unwrap_or_else(|why| panic!("{}: {why}", name.as_str()));
        }
        n_modules
    });
    let n_modules = worker.expect("a thread").join().expect("no panic");
    assert!(80 < n_modules, "only {n_modules}");
}

struct Sides {
    host: Otp,
    outside: Real,
    beam: Observer,
    n_same: usize,
    n_events: usize,
    /// By the semantics, and on BEAM.
    different: Vec<String>,
    /// Calls that the semantics can't evaluate: they need other processes, or run too deep.
    skipped: FxHashMap<String, usize>,
}

impl Sides {
    fn new(files: &[PathBuf]) -> Sides {
        let outside = Real::new(otp(files));
        let beam = Observer::new(otp(files));
        let skipped = FxHashMap::default();
        Sides {
            host: otp(files),
            outside,
            beam,
            n_same: 0,
            n_events: 0,
            different: vec![],
            skipped,
        }
    }

    fn module(&mut self, name: &Atom, as_name: &Atom, random: &mut Random) {
        let code = self.host.load(name).expect("it is loaded");
        let module = read(&code.core, &code.file).expect("it is Core Erlang");
        let exports = module.exports.clone();
        let flat = flatten(&module);
        let defined = self.beam.define(as_name, emit(&instrument(&flat), as_name));
        defined.unwrap_or_else(|why| panic!("{}: {why}", name.as_str()));
        let mut evaluator = Evaluator::new(flat, as_name.clone(), &mut self.outside);
        for (function, arity) in exports {
            if function.as_str() == "module_info" || LEFT_OUT.contains(&function.as_str()) {
                continue;
            }
            let n_calls = if arity == 0 { 1 } else { N_CALLS };
            for _ in 0..n_calls {
                let args: Vec<Term> =
                    (0..arity).map(|_| read_term(&argument(random)).expect("a term")).collect();
                let ours = match evaluator.call(&function, &args) {
                    Ok(ours) => ours,
                    Err(trouble) => {
                        *self.skipped.entry(format!("{trouble:?}")).or_default() += 1;
                        continue;
                    }
                };
                let theirs = self.beam.call(as_name, &function, &args, LIMIT);
                let theirs = theirs.unwrap_or_else(|why| panic!("{}: {why}", function.as_str()));
                let theirs = of_beam(theirs);
                let (ours_end, theirs_end) = (settled(&ours.end), settled(&theirs.end));
                let (ours, theirs) = (lines(&ours.events), lines(&theirs.events));
                let call = || {
                    let args: Vec<String> = args.iter().map(|it| print(it, Style::TW)).collect();
                    format!("{}:{}({})", name.as_str(), function.as_str(), args.join(", "))
                };
                let n_events = ours.len().max(theirs.len());
                let different = (0..n_events).find(|n| ours.get(*n) != theirs.get(*n));
                if let Some(n) = different {
                    let (ours, theirs) = (ours.get(n), theirs.get(n));
                    self.different.push(format!("{}: event {n} is\n{ours:?}\n{theirs:?}", call()));
                    break;
                }
                if ours_end != theirs_end {
                    self.different.push(format!("{}: {ours_end:?}, {theirs_end:?}", call()));
                    break;
                }
                self.n_same += 1;
                self.n_events += ours.len();
            }
        }
    }
}

/// What takes whole seconds on purpose, walks large maps in the order of a hash, or compares on
/// `-0.0` an instruction of BEAM with its builtin, which differ.
const LEFT_OUT: &[&str] =
    &["seq", "duplicate", "pad", "t_large", "t_deep", "t_map_large", "t_unary", "t_comparison"];

fn lines(events: &[Event]) -> Vec<String> {
    let line = |it: &Event| {
        let value = it.value.as_ref().map(plain);
        Event { text: it.text.clone(), value }.full_text()
    };
    events.iter().map(line).collect()
}

fn settled(end: &Result<Term, (Atom, Term)>) -> Result<Term, (Atom, Term)> {
    match end {
        Ok(value) => Ok(plain(value)),
        Err((class, reason)) => Err((class.clone(), plain(reason))),
    }
}

/// Without what belongs to a runtime and not to a program: closures, pids, stack traces.
fn plain(term: &Term) -> Term {
    match without_closures(term) {
        Term::Pid(_) => Term::atom("a pid"),
        Term::Ref(_) => Term::atom("a reference"),
        Term::Tuple(items) => {
            let items: Vec<Term> = items.iter().map(plain).collect();
            if let [exit, Term::Tuple(reason)] = items.as_slice()
                && exit.as_atom() == Some("EXIT")
                && let [reason, Term::Nil | Term::List(_)] = reason.as_slice()
            {
                return Term::Tuple(vec![exit.clone(), reason.clone()]);
            }
            Term::Tuple(items)
        }
        Term::List(list) => Term::list(list.items.iter().map(plain).collect(), plain(&list.tail)),
        Term::Map(pairs) => Term::map(pairs.into_iter().map(|it| (it.0, plain(&it.1))).collect()),
        other @ (Term::Int(_)
        | Term::Big(_)
        | Term::Float(_)
        | Term::Atom(_)
        | Term::Nil
        | Term::Bits(_)
        | Term::Fun(_)
        | Term::Port(_)) => other,
    }
}

/// Functions that are not written in Erlang, computed by the machine; code of other modules.
struct Real {
    host: Otp,
    machine: Machine,
    loaded: FxHashMap<Atom, Option<Rc<Module>>>,
    builtins: FxHashMap<(&'static str, &'static str, usize), Effect>,
}

impl Real {
    fn new(host: Otp) -> Real {
        let rows = erlang::builtins::all();
        let rows = rows.filter(|it| !matches!(it.how, How::Code));
        let builtins =
            rows.map(|it| ((it.module, it.name, usize::from(it.arity)), it.effect)).collect();
        Real { host, machine: machine(), loaded: FxHashMap::default(), builtins }
    }
}

/// What was observed on BEAM, in the form of the semantics.
fn of_beam(it: Observed) -> Evaluated {
    let events = it.events.into_iter().map(|(text, value)| Event { text, value }).collect();
    Evaluated { end: it.end, events }
}

impl Outside for Real {
    fn code(&mut self, module: &Atom) -> Option<Rc<Module>> {
        if !self.loaded.contains_key(module) {
            let code = self.host.load(module).ok();
            let code = code.and_then(|it| read(&it.core, &it.file).ok()).map(Rc::new);
            self.loaded.insert(module.clone(), code);
        }
        self.loaded.get(module).cloned().flatten()
    }

    fn native(&mut self, module: &Atom, name: &Atom, args: &[Term]) -> Native {
        match self.builtins.get(&(module.as_str(), name.as_str(), args.len())) {
            None => return Native::Unknown,
            Some(Effect::Pure) if !COMPARES.contains(&name.as_str()) => (),
            // Whether two closures are the same depends on where they come from.
            Some(Effect::Pure) if !args.iter().any(has_closure) => (),
            Some(_) => {
                return Native::Unsupported(format!("{}:{}", module.as_str(), name.as_str()));
            }
        }
        match self.machine.call(module, name, args).map(|it| it.outcome) {
            Ok(Outcome::Value(value)) => Native::Value(value),
            Ok(Outcome::Raised { class, reason, .. }) => Native::Raised { class, reason },
            other => Native::Unsupported(format!("{other:?}")),
        }
    }
}

const COMPARES: &[&str] =
    &["=:=", "=/=", "==", "/=", "<", ">", "=<", ">=", "max", "min", "--", "member", "keyfind"];

fn has_closure(term: &Term) -> bool {
    without_closures(term) != *term
}

fn otp(files: &[PathBuf]) -> Otp {
    let cache_dir = Some(env::temp_dir().join("gimlet-conformance-cache"));
    let mut res =
        Otp::new(beam::Settings { cache_dir, ..beam::Settings::default() }).expect("OTP is there");
    for file in files {
        res.add_source(module_of(file), Source::Erl(file.clone()));
    }
    res
}

fn module_of(file: &Path) -> Atom {
    Atom::new(&file.file_stem().expect("a name").to_string_lossy())
}
