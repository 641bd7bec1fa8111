//! An EUnit module for each module under test: every path a test, with the value or the exception
//! that it ends with.
//!
//! Only what BEAM was seen to do is written down, so the tests pass. What can't be compared with a
//! literal (funs, pids, ports, references) is left out, and said to be.

use crate::erlang::setup::Setup;
use crate::erlang::tests::Tested;
use crate::erlang::tests::chosen::{Chosen, choose, is_opaque, is_unwritable};
use crate::erlang::unit::{UnitName, quoted};
use beam::Replayer;
use engine::Test;
use std::fmt::Write;
use term::{Atom, Style, Term, print};
use trace::Outcome;

/// The compiler takes its time over long functions.
const MAX_TESTS_TOGETHER: usize = 50;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// A file of the user's.
    User,
    /// Part of OTP: the compiler knows its functions, and would warn of calls that fail.
    Otp,
}

/// The name and the text of the test module.
pub(crate) fn module(
    module: &Atom,
    origin: Origin,
    units: &[Tested<'_>],
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
        show_unit(&mut out, *unit, origin, beam);
    }
    if origin == Origin::Otp && out.contains("call(") {
        out.push_str("\ncall(Module, Function, Args) ->\n    apply(Module, Function, Args).\n");
    }
    (name, out)
}

fn show_unit(out: &mut String, of: Tested<'_>, origin: Origin, beam: &mut Replayer) {
    let Chosen { lines, left_out } =
        choose(of, beam, |test| assertion(of.unit, &of.explored.setups, origin, test));
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

pub(super) fn assertion(
    unit: &UnitName,
    setups: &[Setup],
    origin: Origin,
    test: &Test,
) -> Result<String, &'static str> {
    let args = &test.input.args;
    if args.iter().any(is_unwritable) {
        return Err("the input can't be written down");
    }
    let call = match origin {
        Origin::User => unit.readable(args),
        Origin::Otp => {
            let args = print(&Term::proper_list(args.clone()), Style::READABLE);
            format!("call({}, {}, {args})", quoted(&unit.module), quoted(&unit.function))
        }
    };
    let steps: Vec<String> = setups.iter().map(Setup::erlang).collect();
    let call = match steps.is_empty() {
        true => call,
        false => format!("begin {}, {call} end", steps.join(", ")),
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
