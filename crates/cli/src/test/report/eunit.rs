//! An EUnit module for each module under test: every path a test, with the value or the exception
//! that it ends with.
//!
//! Only what BEAM was seen to do is written down, so the tests pass. What can't be compared with a
//! literal (funs, pids, ports, references) is left out, and said to be.

use crate::test::confirm::{Verdict, compare};
use crate::test::report::UnitReport;
use crate::test::unit::{UnitName, quoted};
use beam::{Replayed, Replayer};
use engine::Test;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;
use term::{Atom, Fun, Style, Term, print};
use trace::Outcome;

/// Tests of one unit. What leads somewhere new is found early.
const MAX_TESTS: usize = 1000;
/// The compiler takes its time over long functions.
const MAX_TESTS_TOGETHER: usize = 50;
/// For one call on BEAM.
const LIMIT: Duration = Duration::from_secs(2);
/// A unit whose calls do not come back is not asked more often.
const MAX_TIMEOUTS: usize = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// A file of the user's.
    User,
    /// Part of OTP: the compiler knows its functions, and would warn of calls that fail.
    Otp,
}

/// Why a path has no test, and how often.
type LeftOut = BTreeMap<&'static str, usize>;

/// The name and the text of the test module.
pub(crate) fn module(
    module: &Atom,
    origin: Origin,
    units: &[&UnitReport],
    beam: &mut Replayer,
) -> (String, String) {
    let name = format!("{}_gimlet_tests", module.as_str());
    let mut out = format!(
        "%% Tests of {}, one for each path that gimlet {} found. Made anew by `gimlet test --out`.\n\
         -module({}).\n\n\
         -include_lib(\"eunit/include/eunit.hrl\").\n",
        quoted(module),
        env!("CARGO_PKG_VERSION"),
        quoted(&Atom::new(&name)),
    );
    for unit in units {
        show_unit(&mut out, unit, origin, beam);
    }
    if origin == Origin::Otp && out.contains("call(") {
        out.push_str("\ncall(Module, Function, Args) ->\n    apply(Module, Function, Args).\n");
    }
    (name, out)
}

fn show_unit(out: &mut String, of: &UnitReport, origin: Origin, beam: &mut Replayer) {
    let mut left_out = LeftOut::new();
    let tests = &of.explored.report.tests;
    if MAX_TESTS < tests.len() {
        left_out.insert("there are very many", tests.len() - MAX_TESTS);
    }
    let mut lines = Vec::new();
    let mut n_timeouts = 0;
    for test in tests.iter().take(MAX_TESTS) {
        let why = match assertion(&of.unit, origin, test) {
            _ if n_timeouts == MAX_TIMEOUTS => "BEAM takes too long",
            Err(why) => why,
            Ok(line) => {
                let Atoms { module, function } = Atoms::of(&of.unit);
                let replayed = beam.call(module, function, &test.input.args, LIMIT);
                n_timeouts += usize::from(replayed == Ok(Replayed::Timeout));
                match replayed.map(|it| compare(&test.outcome, &it)) {
                    Ok(Verdict::Confirmed) => {
                        lines.push(line);
                        continue;
                    }
                    Ok(Verdict::Unconfirmed(_) | Verdict::Dismissed) => "BEAM does otherwise",
                    Err(_) => "BEAM could not be asked",
                }
            }
        };
        *left_out.entry(why).or_default() += 1;
    }
    writeln!(out, "\n%% {}", of.unit).ok();
    for (why, count) in &left_out {
        writeln!(out, "%% {count} left out: {why}").ok();
    }
    if lines.is_empty() {
        return;
    }
    let stem = format!("{}_{}", of.unit.function.as_str(), of.unit.arity);
    for (n, lines) in lines.chunks(MAX_TESTS_TOGETHER).enumerate() {
        let part = if n == 0 { String::new() } else { format!("_{}", n + 1) };
        let generator = quoted(&Atom::new(&format!("{stem}_paths{part}_test_")));
        let list = quoted(&Atom::new(&format!("{stem}_paths{part}")));
        // Each in a process of its own: what one leaves behind does not disturb the next.
        writeln!(out, "{generator}() ->\n    [{{spawn, Test}} || Test <- {list}()].\n").ok();
        writeln!(out, "{list}() ->\n    [{}].\n", lines.join(",\n     ")).ok();
    }
}

struct Atoms<'u> {
    module: &'u Atom,
    function: &'u Atom,
}

impl Atoms<'_> {
    fn of(unit: &UnitName) -> Atoms<'_> {
        Atoms { module: &unit.module, function: &unit.function }
    }
}

fn assertion(unit: &UnitName, origin: Origin, test: &Test) -> Result<String, &'static str> {
    let args = &test.input.args;
    if args.iter().any(is_unwritable) {
        return Err("the input can't be written down");
    }
    let call = match origin {
        Origin::User => unit.shown(args),
        Origin::Otp => {
            let args = print(&Term::proper_list(args.clone()), Style::READABLE);
            format!("call({}, {}, {args})", quoted(&unit.module), quoted(&unit.function))
        }
    };
    match &test.outcome {
        Outcome::Value(value) if is_opaque(value) => Err("the value can't be compared"),
        Outcome::Value(value) => {
            Ok(format!("?_assertEqual({}, {call})", print(value, Style::READABLE)))
        }
        Outcome::Crash { class, trace, .. } if *trace == Term::Nil && class.as_str() == "exit" => {
            Err("the process is ended by another one")
        }
        Outcome::Crash { class, reason, .. } => {
            let name = match class.as_str() {
                "throw" => "Throw",
                "exit" => "Exit",
                _ => "Error",
            };
            Ok(format!("?_assert{name}({}, {call})", pattern(reason)))
        }
        Outcome::Deadlock => Err("it waits for a message that nobody sends"),
        Outcome::Stopped(_) => Err("it did not end"),
    }
}

/// What matches the term: exactly, where that can be written.
fn pattern(term: &Term) -> String {
    match term {
        Term::Fun(_) | Term::Pid(_) | Term::Port(_) | Term::Ref(_) => "_".to_owned(),
        // Newer compilers ask which zero is meant.
        Term::Float(x) if *x == 0.0 => "_".to_owned(),
        Term::List(list) => {
            let items: Vec<String> = list.items.iter().map(pattern).collect();
            if list.tail == Term::Nil {
                format!("[{}]", items.join(","))
            } else {
                format!("[{}|{}]", items.join(","), pattern(&list.tail))
            }
        }
        Term::Tuple(items) => {
            let items: Vec<String> = items.iter().map(pattern).collect();
            format!("{{{}}}", items.join(","))
        }
        Term::Map(pairs) => {
            let written = pairs.iter().filter(|it| !is_opaque(&it.0));
            let pairs: Vec<String> = written
                .map(|it| format!("{} := {}", print(&it.0, Style::TW), pattern(&it.1)))
                .collect();
            format!("#{{{}}}", pairs.join(","))
        }
        Term::Int(_)
        | Term::Big(_)
        | Term::Float(_)
        | Term::Atom(_)
        | Term::Nil
        | Term::Bits(_) => print(term, Style::TW),
    }
}

/// Whether two runs of the same call may give different ones.
pub(crate) fn is_opaque(term: &Term) -> bool {
    has(term, &|it| is_handle(it) || is_fun(it, |it| !matches!(it, Fun::External { .. })))
}

fn is_unwritable(term: &Term) -> bool {
    has(term, &|it| is_fun(it, |it| matches!(it, Fun::Closure { .. })))
}

fn is_handle(term: &Term) -> bool {
    matches!(term, Term::Pid(_) | Term::Port(_) | Term::Ref(_))
}

fn is_fun(term: &Term, is: impl Fn(&Fun) -> bool) -> bool {
    if let Term::Fun(fun) = term { is(fun) } else { false }
}

/// Whether some part of the term is such.
fn has(term: &Term, is: &dyn Fn(&Term) -> bool) -> bool {
    is(term)
        || match term {
            Term::List(list) => list.items.iter().any(|it| has(it, is)) || has(&list.tail, is),
            Term::Tuple(items) => items.iter().any(|it| has(it, is)),
            Term::Map(pairs) => pairs.iter().any(|it| has(&it.0, is) || has(&it.1, is)),
            Term::Fun(fun) => match &**fun {
                Fun::Table { entries, default, .. } => {
                    let entry = |it: &(Vec<Term>, Term)| {
                        it.0.iter().any(|it| has(it, is)) || has(&it.1, is)
                    };
                    entries.iter().any(entry) || has(default, is)
                }
                Fun::External { .. } | Fun::Closure { .. } => false,
            },
            Term::Int(_)
            | Term::Big(_)
            | Term::Float(_)
            | Term::Atom(_)
            | Term::Nil
            | Term::Bits(_)
            | Term::Pid(_)
            | Term::Port(_)
            | Term::Ref(_) => false,
        }
}
