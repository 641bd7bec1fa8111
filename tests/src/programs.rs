//! Compares whole programs: Erlang sources compiled by OTP, run by BEAM and by the machine.
//!
//! An exception is an answer with `{Reason, Stacktrace}` as its reason. Identities that belong to the runtime
//! are normalised: a closure is shown by module and arity alone (its index, hash and environment are the
//! compiler's choice), and all pids and references are equal. Stack traces are compared as they are. The
//! programs hide values from the compiler (`id/1`) where it would find out that a call never returns, or
//! evaluate it, and then leave out frames.

use crate::calls::{Answer, Call, answer, frames};
use crate::native::silently;
use crate::otp::run_script;
use beam::{Otp, Source};
use erlang::machine::Limits;
use erlang::{Host, Machine, Outcome, Settings};
use std::path::{Path, PathBuf};
use std::time::Duration;
use term::{Atom, Fun, Term, etf};

/// The number of reductions after which a program counts as not terminating.
const MAX_REDUCTIONS: u64 = 200_000_000;

/// Options that switch off passes of OTP's compiler with observable effects: errors of a comprehension whose
/// size is computed in advance are raised even if it is empty, and `-(0.0)` loses its sign.
const UNFAITHFUL: [&str; 4] = ["no_copt", "no_bool_opt", "no_ssa_opt_bc_size", "no_ssa_opt_float"];

/// The options with which OTP compiles a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compiled {
    AsUsual,
    /// Without passes that remove computations whose result is not used; OTP 25 thereby removes some errors
    /// and introduces others.
    Faithfully,
}

/// Returns BEAM's answers to calls of these programs.
///
/// # Panics
/// If OTP is missing.
pub fn beam_runs(files: &[PathBuf], compiled: Compiled, calls: &[Call]) -> Vec<Answer> {
    let paths = files.iter().map(|it| path_term(it)).collect();
    let asked = calls.iter().map(|it| {
        let module = Term::Atom(it.module.clone());
        let function = Term::Atom(it.function.clone());
        Term::Tuple(vec![module, function, Term::proper_list(it.args.clone())])
    });
    let options = match compiled {
        Compiled::AsUsual => Vec::new(),
        Compiled::Faithfully => UNFAITHFUL.map(Term::atom).to_vec(),
    };
    let asked = Term::Tuple(vec![
        Term::proper_list(paths),
        Term::proper_list(options),
        Term::proper_list(asked.collect()),
    ]);
    let bytes = run_script("language.escript", &etf::encode(&asked).expect("calls are encoded"));
    let answers: Vec<Answer> = frames(&bytes).map(|it| settled(answer(it))).collect();
    assert_eq!(answers.len(), calls.len(), "one answer per call");
    answers
}

/// The machine, loaded with these programs.
#[derive(Debug)]
pub struct Programs {
    machine: Machine,
}

impl Programs {
    /// Loads the programs from their sources.
    ///
    /// # Panics
    /// If OTP is missing.
    pub fn new(files: &[PathBuf]) -> Programs {
        let mut host = Otp::new(beam::Settings::default()).expect("OTP is there");
        for file in files {
            host.add_source(module_of(file), Source::Erl(file.clone()));
        }
        Programs::with(host)
    }

    /// Loads the programs from object files that OTP compiles into this directory, without debug info.
    ///
    /// # Panics
    /// If OTP is missing.
    pub fn compiled(files: &[PathBuf], dir: &Path) -> Programs {
        let code_paths = vec![dir.to_owned()];
        let apply_limit = Duration::from_secs(300);
        let settings = beam::Settings { code_paths, apply_limit, ..beam::Settings::default() };
        let mut host = Otp::new(settings).expect("OTP is there");
        let text = |it: &Path| Term::string(&it.to_string_lossy());
        let outdir = Term::Tuple(vec![Term::atom("outdir"), text(dir)]);
        for file in files {
            let args = [text(file), Term::proper_list(vec![outdir.clone()])];
            let made = host.apply(&Atom::new("compile"), &Atom::new("file"), &args);
            assert!(made.is_ok(), "{made:?}");
        }
        Programs::with(host)
    }

    fn with(host: Otp) -> Programs {
        let limits = Limits { reductions: MAX_REDUCTIONS, ..Limits::default() };
        let settings = Settings { limits, ..Settings::default() };
        Programs { machine: Machine::new(Box::new(host), settings) }
    }

    /// Returns calls of a program's exported functions without arguments whose names begin with `t_`.
    ///
    /// # Panics
    /// If the program cannot be loaded.
    pub fn tests(&mut self, file: &Path) -> Vec<Call> {
        let module = module_of(file);
        let exports =
            self.machine.exports(&module).unwrap_or_else(|why| panic!("{module:?}: {why}"));
        let tests = exports
            .into_iter()
            .filter(|(name, arity)| *arity == 0 && name.as_str().starts_with("t_"));
        tests.map(|(function, _)| Call { module: module.clone(), function, args: vec![] }).collect()
    }

    pub fn run(&mut self, call: &Call) -> Answer {
        let Call { module, function, args } = call;
        let run = match silently(|| self.machine.call(module, function, args)) {
            Ok(Ok(run)) => run,
            Ok(Err(why)) => return Answer::Lost(why.to_string()),
            Err(why) => return Answer::Lost(why),
        };
        settled(match run.outcome {
            Outcome::Value(value) => Answer::Value(value),
            Outcome::Raised { class, reason, trace } => {
                Answer::Raised { class, reason: Term::Tuple(vec![reason, trace]) }
            }
            outcome @ (Outcome::Killed { .. }
            | Outcome::Deadlock { .. }
            | Outcome::NoTerm(_)
            | Outcome::Stopped(_)) => Answer::Lost(format!("{outcome:?}")),
        })
    }
}

fn module_of(file: &Path) -> Atom {
    Atom::new(&file.file_stem().expect("a file").to_string_lossy())
}

fn path_term(path: &Path) -> Term {
    Term::binary(path.as_os_str().as_encoded_bytes().to_vec())
}

fn settled(answer: Answer) -> Answer {
    match answer {
        Answer::Value(value) => Answer::Value(nameless(value)),
        Answer::Raised { class, reason } => Answer::Raised { class, reason: nameless(reason) },
        lost @ Answer::Lost(_) => lost,
    }
}

fn nameless(term: Term) -> Term {
    match term {
        Term::Fun(fun) => match *fun {
            Fun::Closure { module, arity, .. } => Term::Tuple(vec![
                Term::atom("closure"),
                Term::Atom(module),
                Term::Int(i64::from(arity)),
            ]),
            external @ (Fun::External { .. } | Fun::Table { .. }) => Term::Fun(Box::new(external)),
        },
        Term::Pid(_) => Term::atom("some pid"),
        Term::Ref(_) => Term::atom("some reference"),
        Term::List(list) => {
            Term::list(list.items.into_iter().map(nameless).collect(), nameless(list.tail))
        }
        Term::Tuple(items) => Term::Tuple(items.into_iter().map(nameless).collect()),
        Term::Map(pairs) => {
            Term::map(pairs.into_iter().map(|(k, v)| (nameless(k), nameless(v))).collect())
        }
        other @ (Term::Int(_)
        | Term::Big(_)
        | Term::Float(_)
        | Term::Atom(_)
        | Term::Nil
        | Term::Bits(_)
        | Term::Port(_)) => other,
    }
}
