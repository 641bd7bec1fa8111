//! Compares random functions on the machine with BEAM. A difference is shrunk to the smallest module that
//! still shows it.
//!
//! Values, and class and reason of exceptions, are compared. Stack traces are not: which calls leave a frame
//! depends on the type analysis of BEAM's compiler.

use conformance::{
    Answer, Call, Compiled, Programs, Random, Tree, argument, beam_runs, functions, module_source,
};
use std::path::{Path, PathBuf};
use std::{env, fs, process, thread};
use term::{Atom, Term, read_term};

const SEED: u64 = 1;
const N_MODULES: usize = 120;
const N_FUNCTIONS: u64 = 4;
const N_CALLS: usize = 24;
/// The maximum number of shrinking steps.
const MAX_ROUNDS: usize = 60;
/// The number of candidates that one start of BEAM runs.
const MAX_CANDIDATES: usize = 80;

#[test]
fn random_functions_run_as_on_beam() {
    let worker = thread::Builder::new().stack_size(256 << 20).spawn(compare).expect("a thread");
    worker.join().expect("no difference");
}

#[expect(clippy::print_stdout, reason = "a test tells how much it compared")]
fn compare() {
    let dir = env::temp_dir().join(format!("gimlet-random-{}", process::id()));
    fs::create_dir_all(&dir).expect("a directory for programs");
    let mut random = Random(SEED);
    let cases: Vec<Case> = (0..N_MODULES).map(|it| Case::new(&mut random, it)).collect();
    let answers = run(&dir, &cases);

    let n_calls: usize = cases.iter().map(|it| it.calls.len()).sum();
    let n_values = answers.iter().flatten().filter(|it| matches!(it.1, Answer::Value(_))).count();
    let n_lost = answers.iter().flatten().filter(|it| matches!(it.1, Answer::Lost(_))).count();
    println!("{n_calls} cases, {n_values} give a value, {n_lost} give nothing on BEAM");
    assert!(n_calls / 4 < n_values, "too many fail to show anything");
    assert!(n_lost < n_calls / 10, "too many are not run");

    let different = cases.iter().zip(&answers).filter_map(|(case, answers)| {
        let at = answers.iter().position(differs)?;
        Some(case.only(at))
    });
    let different: Vec<Case> = different.collect();
    if let Some(first) = different.first() {
        let (smallest, (ours, theirs)) = cut_down(&dir, first.clone());
        let n = different.len();
        let call = smallest.calls.first().map(ToString::to_string).unwrap_or_default();
        let source = smallest.source();
        panic!("{n} modules differ; one is\n{source}\n{call}\nBEAM {theirs}\nours {ours}");
    }
    fs::remove_dir_all(&dir).expect("our own directory can be removed");
}

/// A module and calls of its functions.
#[derive(Clone, Debug)]
struct Case {
    module: String,
    functions: Tree,
    calls: Vec<Call>,
}

impl Case {
    fn new(random: &mut Random, number: usize) -> Case {
        let module = format!("random_{number}");
        let functions = functions(random);
        let calls = (0..N_CALLS)
            .map(|_| {
                let function = Atom::new(&format!("f{}", random.below(N_FUNCTIONS)));
                let args = (0..2).map(|_| read(&argument(random))).collect();
                Call { module: Atom::new(&module), function, args }
            })
            .collect();
        Case { module, functions, calls }
    }

    fn only(&self, at: usize) -> Case {
        let calls = self.calls.get(at).cloned().into_iter().collect();
        Case { calls, ..self.clone() }
    }

    fn source(&self) -> String {
        module_source(&self.module, &self.functions)
    }

    /// Returns the cases that are one shrinking step smaller.
    fn smaller(&self) -> Vec<Case> {
        let mut trees = self.functions.smaller();
        trees.sort_by_key(|it| it.to_string().len());
        trees
            .into_iter()
            .enumerate()
            .map(|(at, functions)| {
                let module = format!("smaller_{at}");
                let rename = |it: &Call| Call { module: Atom::new(&module), ..it.clone() };
                let calls = self.calls.iter().map(rename).collect();
                Case { module, functions, calls }
            })
            .collect()
    }
}

fn read(text: &str) -> Term {
    read_term(text).unwrap_or_else(|why| panic!("{text}: {why:?}"))
}

/// Returns the machine's answer and BEAM's answer to each call of each case.
fn run(dir: &Path, cases: &[Case]) -> Vec<Vec<(Answer, Answer)>> {
    let files: Vec<PathBuf> =
        cases.iter().map(|it| dir.join(format!("{}.erl", it.module))).collect();
    for (file, case) in files.iter().zip(cases) {
        fs::write(file, case.source()).expect("programs can be written");
    }
    let calls: Vec<Call> = cases.iter().flat_map(|it| it.calls.clone()).collect();
    let theirs = thread::spawn({
        let (files, calls) = (files.clone(), calls.clone());
        move || beam_runs(&files, Compiled::Faithfully, &calls)
    });
    let mut programs = Programs::new(&files);
    let ours: Vec<Answer> = calls.iter().map(|it| without_trace(programs.run(it))).collect();
    let theirs = theirs.join().expect("BEAM answers").into_iter().map(without_trace);
    let mut pairs = ours.into_iter().zip(theirs);
    cases.iter().map(|it| pairs.by_ref().take(it.calls.len()).collect()).collect()
}

fn without_trace(answer: Answer) -> Answer {
    match answer {
        Answer::Raised { class, reason } => {
            let parts = reason.as_tuple().unwrap_or_default();
            Answer::Raised { class, reason: parts.first().cloned().unwrap_or(Term::Nil) }
        }
        other @ (Answer::Value(_) | Answer::Lost(_)) => other,
    }
}

fn differs((ours, theirs): &(Answer, Answer)) -> bool {
    ours != theirs && !matches!(theirs, Answer::Lost(_))
}

/// Shrinks a case: returns the smallest one found that still differs, and its answers.
fn cut_down(dir: &Path, mut case: Case) -> (Case, (Answer, Answer)) {
    let mut shown = run(dir, std::slice::from_ref(&case)).concat().remove(0);
    for _ in 0..MAX_ROUNDS {
        let candidates = case.smaller();
        let better = candidates.chunks(MAX_CANDIDATES).find_map(|candidates| {
            let answers = run(dir, candidates);
            let found = answers.into_iter().position(|it| it.iter().any(differs))?;
            candidates.get(found).cloned()
        });
        let Some(better) = better else { break };
        shown = run(dir, std::slice::from_ref(&better)).concat().remove(0);
        case = better;
    }
    (case, shown)
}
