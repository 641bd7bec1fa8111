//! Reads the goals in a program's own plunit tests: they become seeds, and the errors that they expect are not
//! findings.
//!
//! Tests are in the program's file or in a file beside it. They are read, not run. Tests that Gimlet wrote are
//! ignored: they record what the program does, not what it is meant to do.

use crate::prolog::plunit::is_own;
use prolog::Machine;
use prolog::concolic::{term_text, to_term};
use prolog::data::{FunctorId, Value, unify};
use prolog::text::Reader;
use std::fs;
use std::path::{Path, PathBuf};
use term::Term;

/// A goal of a test, with those arguments that are known without running the test.
#[derive(Clone, Debug)]
pub(crate) struct TestedGoal {
    pub(crate) name: String,
    /// `None` for an argument that contains a variable.
    pub(crate) args: Vec<Option<Term>>,
    /// The ball that the test expects.
    pub(crate) throws: Option<String>,
}

/// The maximum number of goals of one program.
const MAX_GOALS: usize = 400;
/// Directories of test files, relative to that of the program.
const PLACES: &[&str] = &["", "t", "test", "tests", "../t", "../test", "../tests"];
const EXTENSIONS: &[&str] = &["plt", "pl"];

/// Reads the goals in the tests of a program.
pub(crate) fn tested_goals(machine: &mut Machine, path: &Path, text: &str) -> Vec<TestedGoal> {
    let mut res = Vec::new();
    goals_in(machine, text, &mut res);
    for file in beside(path) {
        if let Some(text) = fs::read_to_string(&file).ok().filter(|it| !is_own(it)) {
            goals_in(machine, &text, &mut res);
        }
    }
    res.truncate(MAX_GOALS);
    res
}

/// Finds files with tests of this program by their names.
fn beside(path: &Path) -> Vec<PathBuf> {
    let (Some(dir), Some(stem)) = (path.parent(), path.file_stem().and_then(|it| it.to_str()))
    else {
        return Vec::new();
    };
    let names =
        [stem.to_owned(), format!("test_{stem}"), format!("{stem}_test"), format!("{stem}_tests")];
    let mut res = Vec::new();
    for place in PLACES {
        for name in &names {
            for extension in EXTENSIONS {
                let file = dir.join(place).join(format!("{name}.{extension}"));
                if file != path && file.is_file() {
                    res.push(file);
                }
            }
        }
    }
    res
}

fn goals_in(machine: &mut Machine, text: &str, res: &mut Vec<TestedGoal>) {
    if !text.contains("begin_tests") {
        return;
    }
    let mut reader = Reader::new(text);
    let syntax = machine.syntax();
    for _ in 0..text.len() {
        machine.clear();
        let read = reader.next_term(&mut machine.heap, &mut machine.atoms, &machine.ops, syntax);
        match read {
            Ok(Some(read)) => test(machine, read.term, res),
            Ok(None) => return,
            Err(_) => {}
        }
        if MAX_GOALS <= res.len() {
            return;
        }
    }
}

/// Reads the goals of `test(Name, Options) :- Body`.
fn test(machine: &mut Machine, clause: Value, res: &mut Vec<TestedGoal>) {
    let clause = machine.heap.deref(clause);
    if !clause.is_struct(FunctorId::RULE) {
        return;
    }
    let (head, body) = (machine.heap.arg(clause, 0), machine.heap.arg(clause, 1));
    let named = machine.heap.name_arity(head, &machine.atoms);
    let Some(arity) = named.filter(|it| machine.atoms.text(it.0) == "test").map(|it| it.1) else {
        return;
    };
    let throws = if arity == 2 { thrown(machine, machine.heap.arg(head, 1)) } else { None };
    let mut todo = vec![body];
    while let Some(next) = todo.pop() {
        let next = machine.heap.deref(next);
        let Some((name, arity)) = machine.heap.name_arity(next, &machine.atoms) else { continue };
        let name = machine.atoms.text(name).to_owned();
        let arg = |n: usize| machine.heap.arg(next, n);
        match (name.as_str(), arity) {
            ("," | ";" | "->" | "*->", 2) => todo.extend([arg(1), arg(0)]),
            ("\\+" | "once" | "ignore" | "call", 1) => todo.push(arg(0)),
            (":", 2) => todo.push(arg(1)),
            ("findall" | "bagof" | "setof" | "aggregate_all", 3) => todo.push(arg(1)),
            ("catch", 3) => todo.push(arg(0)),
            ("=", 2) => {
                // A variable may be bound to a term before a goal uses it.
                let (left, right) = (arg(0), arg(1));
                unify(&mut machine.heap, &machine.atoms, left, right);
            }
            _ => {
                let args = (0..arity).map(|n| to_term(machine, machine.heap.arg(next, n)));
                let is_ground = |it: &Term| !it.has_part(|it| matches!(it, Term::Ref(_)));
                let args = args.map(|it| it.filter(is_ground)).collect();
                res.push(TestedGoal { name, args, throws: throws.clone() });
            }
        }
    }
}

/// The ball that the options of a test expect.
fn thrown(machine: &mut Machine, options: Value) -> Option<String> {
    let options = machine.heap.deref(options);
    let items = if options.is_cons() { machine.heap.list_items(options).0 } else { vec![options] };
    items.into_iter().find_map(|it| {
        let (name, arity) = machine.heap.name_arity(it, &machine.atoms)?;
        let is_it = arity == 1 && matches!(machine.atoms.text(name), "throws" | "error");
        let is_error = machine.atoms.text(name) == "error";
        if !is_it {
            return None;
        }
        let ball = to_term(machine, machine.heap.arg(it, 0))?;
        let ball = term_text(machine, &ball);
        Some(if is_error { format!("error({ball}, _)") } else { ball })
    })
}
