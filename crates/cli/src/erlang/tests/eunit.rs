//! Writes an EUnit module for each module under test: calls with the value or exception of their outcome.
//!
//! Only outcomes that BEAM reproduced are written, so the tests pass. Outcomes that can't be compared with a literal
//! (funs, pids, ports, references) are left out, which a comment states.

use crate::erlang::script::ByName;
use crate::erlang::setup::Setup;
use crate::erlang::systems::{self, Protocol};
use crate::erlang::tests::Tested;
use crate::erlang::tests::chosen::{Chosen, has_place, is_frame, is_opaque};
use crate::erlang::unit::{UnitName, quoted};
use engine::Test;
use std::fmt::Write;
use term::{Atom, Style, Term, print};
use trace::Outcome;

/// The maximum number of assertions in a function: the compiler is slow on long functions.
const MAX_TESTS_TOGETHER: usize = 50;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ModuleOrigin {
    /// A file of the user.
    User,
    /// A module of OTP: the compiler knows its functions, and would warn of calls that fail.
    Otp,
}

/// The name of the test module.
pub(super) fn name(module: &Atom) -> String {
    format!("{}_gimlet_tests", module.as_str())
}

/// The text of the test module.
pub(super) fn text(
    module: &Atom,
    origin: ModuleOrigin,
    units: &[Tested<'_>],
    chosen: &[Chosen],
) -> String {
    let mut out = format!(
        "%% Tests of {}, which gimlet {} found. Made anew by `gimlet test --out`.\n\
         -module({}).\n\n\
         -include_lib(\"eunit/include/eunit.hrl\").\n",
        quoted(module),
        env!("CARGO_PKG_VERSION"),
        quoted(&Atom::new(&name(module))),
    );
    for (unit, chosen) in units.iter().zip(chosen) {
        show_unit(&mut out, *unit, chosen);
    }
    out.push_str(ALONE);
    if origin == ModuleOrigin::Otp {
        out.push_str("\ncall(Module, Function, Args) ->\n    apply(Module, Function, Args).\n");
    }
    out
}

/// The function of the test module that isolates a test from the next one.
const ALONE: &str = "
%% A test in a process of its own: what it started and what is linked to it ends with it.
alone({Line, Test}) ->
    {Line, fun() ->
        Before = processes(),
        {Pid, Ref} = spawn_monitor(fun() -> Test(), exit(passed) end),
        End = receive {'DOWN', Ref, process, Pid, Reason} -> Reason end,
        Leader = {group_leader, group_leader()},
        Left = [It || It <- processes() -- Before, process_info(It, group_leader) =:= Leader],
        Refs = [begin exit(It, kill), monitor(process, It) end || It <- Left],
        [receive {'DOWN', Gone, process, _, _} -> ok end || Gone <- Refs],
        case End of
            passed -> ok;
            {Error, Trace} when is_list(Trace) -> erlang:raise(error, Error, Trace);
            Other -> exit(Other)
        end
    end}.
";

fn show_unit(out: &mut String, of: Tested<'_>, chosen: &Chosen) {
    let Chosen { lines, left_out } = chosen;
    if lines.is_empty() && left_out.is_empty() {
        return;
    }
    writeln!(out, "\n%% {}", of.unit).ok();
    for (why, count) in left_out {
        writeln!(out, "%% {count} left out: {why}").ok();
    }
    if lines.is_empty() {
        return;
    }
    let name = of.unit.function.as_str();
    let stem = match Protocol::of_unit(of.unit) {
        Some(protocol) => protocol.name().to_owned(),
        None => format!("{name}_{}", of.unit.arity),
    };
    for (n, lines) in lines.chunks(MAX_TESTS_TOGETHER).enumerate() {
        let part = if n == 0 { String::new() } else { format!("_{}", n + 1) };
        let generator = quoted(&Atom::new(&format!("{stem}_paths{part}_test_")));
        let list = quoted(&Atom::new(&format!("{stem}_paths{part}")));
        let lines: Vec<&str> = lines.iter().map(|it| it.text.as_str()).collect();
        writeln!(out, "{generator}() ->\n    [alone(Test) || Test <- {list}()].\n").ok();
        writeln!(out, "{list}() ->\n    [{}].\n", lines.join(",\n     ")).ok();
    }
}

/// Whether a line of the file is a test.
pub(super) fn is_test(line: &str) -> bool {
    line.trim_start_matches([' ', '[', ',']).starts_with("?_assert")
}

pub(super) fn assertion(
    unit: &UnitName,
    setups: &[Setup],
    origin: ModuleOrigin,
    test: &Test,
) -> Result<String, &'static str> {
    if let Some(protocol) = Protocol::of_unit(unit) {
        return systems::test(unit, protocol, (&test.input.args, &test.outcome));
    }
    let script = unit.script(&test.input.args);
    if script.is_unwritable() {
        return Err("the input can't be written down");
    }
    let call = script.expression(match origin {
        ModuleOrigin::User => ByName::Written,
        ModuleOrigin::Otp => ByName::Called,
    });
    let steps: Vec<String> = setups.iter().map(Setup::erlang).collect();
    let call = match steps.is_empty() {
        true => call,
        false => format!("begin {}, {call} end", steps.join(", ")),
    };
    match &test.outcome {
        Outcome::Value(value) if is_opaque(value) => Err("the value can't be compared"),
        Outcome::Value(value) if has_place(value) => {
            Ok(format!("?_assertMatch({}, {call})", pattern(value)))
        }
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

/// A pattern that matches the term, exactly where that is possible.
pub(crate) fn pattern(term: &Term) -> String {
    if let Some([module, function, args]) = is_frame(term) {
        let [module, function] = [module, function].map(pattern);
        return format!("{{{module},{function},{},_}}", pattern(args));
    }
    match term {
        Term::Fun(_) | Term::Pid(_) | Term::Port(_) | Term::Ref(_) => "_".to_owned(),
        // Newer compilers warn of a pattern that does not distinguish `0.0` from `-0.0`.
        Term::Float(x) if *x == 0.0 => "_".to_owned(),
        Term::List(list) => {
            let items: Vec<String> = list.items.iter().map(pattern).collect();
            if !items.is_empty() && list.items.iter().all(|it| is_frame(it).is_some()) {
                // The frames below are those of the test's callers.
                format!("[{}|_]", items.join(","))
            } else if list.tail == Term::Nil {
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
