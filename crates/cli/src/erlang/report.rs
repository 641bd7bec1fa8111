//! Converts the results for Erlang and Elixir programs into a report.

use crate::diagnostic::Diagnostic;
use crate::elixir;
use crate::erlang::confirm::is_confirmed;
use crate::erlang::exception::{exception_text, stack_lines};
use crate::erlang::explore::{Explored, MAX_REDUCTIONS, Task};
use crate::erlang::finding::{Confirmation, Finding};
use crate::erlang::located::locate;
use crate::erlang::project::Project;
use crate::erlang::schedules::Schedule;
use crate::erlang::script::Script;
use crate::erlang::setup::Setup;
use crate::erlang::tests;
use crate::erlang::unit::{UnitName, quoted};
use crate::explain::Code;
use crate::flow::{Again, Counts, Done, Rated, Recorded, Tally};
use ::report::{
    Language, Report, Test, Unit, UnitCoverage, Unreceived, cause_id, fingerprint, is_cut, kept,
};
use erlang::Machine;
use std::fmt::Write;
use std::fs;
use term::{Atom, Style, Term, print};
use trace::{Budget, Covered, Executor, Input, Outcome, Stopped};

/// Adds all units and modules, and their sources.
pub(crate) fn add(project: &Project, done: &[Done<'_, Project>], into: &mut Report) {
    for it in done {
        let mut unit = unit(project, it);
        it.excuse(&mut unit);
        into.units.push(unit);
    }
    into.modules.extend(project.sources.modules(done));
    let is_elixir = |it: &Atom| elixir::is_elixir(it);
    let names = project.names();
    if !names.iter().all(is_elixir) {
        into.languages.push(words("erlang"));
    }
    if names.iter().any(is_elixir) {
        into.languages.push(words("elixir"));
    }
    locate(project, into);
    let files = into.modules.iter().filter_map(|it| it.file.clone());
    let raised = into.findings().filter_map(|it| it.1.file.clone());
    for file in files.chain(raised).collect::<Vec<_>>() {
        if !into.sources.contains_key(&file)
            && let Ok(text) = fs::read_to_string(&file)
        {
            into.sources.insert(file, text);
        }
    }
}

fn words(name: &str) -> Language {
    Language {
        name: name.to_owned(),
        unit: "function".to_owned(),
        units: "functions".to_owned(),
        runtime: "BEAM".to_owned(),
        prompt: String::new(),
        end: String::new(),
        covered: "covered".to_owned(),
    }
}

fn unit(project: &Project, done: &Done<'_, Project>) -> Unit {
    let task = done.unit;
    let name = &task.unit;
    let mut res = Unit {
        unit: name.to_string(),
        title: name.title(),
        language: name.language().to_owned(),
        module: name.module.as_str().to_owned(),
        file: project.sources.file(&name.module),
        ..Unit::default()
    };
    let Some(explored) = done.explored() else { return res };
    let Explored { report, findings, .. } = explored;
    let coverage = project.sources.of_unit(task, &report.covered);
    let tally = Tally {
        stop: report.stop,
        is_saturated: report.is_saturated,
        counts: Counts {
            n_runs: report.n_runs,
            n_paths: explored.n_paths,
            n_diverged: report.n_diverged,
            sources: &report.sources,
        },
        elapsed: explored.elapsed,
        solver: &report.solver,
        losses: &report.losses,
        trouble: explored.trouble.as_ref(),
    };
    tally.note(&mut res);
    (res.refused, res.in_vain) = (explored.n_refused, report.n_in_vain);
    res.coverage = UnitCoverage {
        clauses: coverage.all,
        by_module: coverage.by_module.iter().map(|it| (it.0.as_str().to_owned(), it.1)).collect(),
        ..UnitCoverage::default()
    };
    res.findings = findings.iter().map(|it| finding(project, task, &explored.setups, it)).collect();
    res.tests = explored.ends().map(|it| test(name, it.0, it.1)).collect();
    res.unreceived = explored
        .unreceived
        .iter()
        .map(|it| Unreceived {
            from: it.from.clone(),
            to: it.to.clone(),
            message: it.message.clone(),
            call: name.script(&it.input.args).text(),
            schedules: it.n_runs,
        })
        .collect();
    res
}

fn finding(project: &Project, task: &Task, setups: &[Setup], of: &Finding) -> ::report::Finding {
    let unit = &task.unit;
    let (class, reason) = class_and_reason(&of.outcome);
    let place = of.place(&project.names());
    let stack = match &of.outcome {
        Outcome::Crash { trace, .. } => stack_lines(trace),
        Outcome::Value(_) | Outcome::Deadlock | Outcome::Stopped(_) => vec![],
    };
    let Rated { level, mut because } = of.rated.clone();
    if !setups.is_empty() && !because.is_empty() {
        let steps: Vec<String> = setups.iter().map(Setup::title).collect();
        because = format!("{because}; {}", steps.join(", "));
    }
    let (input, outcome) = (of.input.clone(), of.outcome.clone());
    let test = engine::Test { input, outcome, is_news: true, covered: Covered::default() };
    let script = unit.script(&of.input.args);
    ::report::Finding {
        id: script.id(),
        fingerprint: fingerprint(&unit.to_string(), &of.cause),
        cause: of.condition.as_deref().map(cause_id),
        kind: of.kind,
        level,
        because,
        class,
        reason,
        args: script.args(),
        call: script.text(),
        shown: script.shown(),
        says: match &of.said {
            Some(said) => said.lines().map(str::to_owned).collect(),
            None => says(unit, &of.outcome),
        },
        file: place.as_ref().map(|it| it.0.clone()),
        line: place.as_ref().and_then(|it| u32::try_from(it.1).ok()),
        stack,
        reached: of.reached.clone(),
        confirmed: is_confirmed(of),
        unconfirmed_because: match &of.confirmation {
            Confirmation::Confirmed => None,
            Confirmation::Untried => Some("it was not tried on BEAM".to_owned()),
            Confirmation::Unconfirmed(why) => Some(why.clone()),
        },
        count: of.count,
        minimised: of.found_with.is_some(),
        found_with: of.found_with.as_ref().map(|it| unit.script(&it.args).args()),
        schedule: of.schedule.as_ref().map(Schedule::reported),
        why: of.complaint.clone(),
        test: tests::one(project, task, setups, &test).filter(|_| of.schedule.is_none()),
        ..::report::Finding::default()
    }
}

/// The outcome in the words of the language's shell.
fn says(unit: &UnitName, outcome: &Outcome) -> Vec<String> {
    let is_elixir = elixir::is_elixir(&unit.module);
    let text = match outcome {
        Outcome::Crash { class, reason, trace } if is_elixir => {
            elixir::exception_text(class.as_str(), reason, trace)
        }
        Outcome::Crash { class, reason, trace } => exception_text(class.as_str(), reason, trace),
        Outcome::Value(value) if is_elixir => format!("returns {}", elixir::term(value)),
        Outcome::Value(value) => format!("returns {}", print(value, Style::TP)),
        Outcome::Deadlock => "waits for a message that nobody sends".to_owned(),
        Outcome::Stopped(Stopped::OutOf(Budget::Reductions)) => {
            format!("does not end: {MAX_REDUCTIONS} function calls were not enough")
        }
        Outcome::Stopped(Stopped::OutOf(budget)) => {
            format!("does not end: it has no bound on its {}", budget.name())
        }
        Outcome::Stopped(why) => why.to_string(),
    };
    text.lines().map(str::to_owned).collect()
}

/// The names of an outcome's class and reason in findings and tests.
pub(crate) fn class_and_reason(outcome: &Outcome) -> (String, String) {
    match outcome {
        Outcome::Value(value) => ("value".to_owned(), text(value)),
        Outcome::Crash { class, reason, .. } => (class.as_str().to_owned(), text(reason)),
        Outcome::Deadlock => ("deadlock".to_owned(), String::new()),
        Outcome::Stopped(Stopped::OutOf(budget)) => {
            ("timeout".to_owned(), budget.name().to_owned())
        }
        Outcome::Stopped(why) => ("stopped".to_owned(), why.to_string()),
    }
}

fn test(unit: &UnitName, input: &Input, outcome: &Outcome) -> Test {
    let (outcome, term) = class_and_reason(outcome);
    let script = unit.script(&input.args);
    Test {
        id: script.id(),
        args: script.args(),
        call: script.text(),
        outcome,
        term: Some(term),
        ..Test::default()
    }
}

fn text(term: &Term) -> String {
    print(term, Style::INPUT)
}

/// The name of a clause's function in reports: `f/1`.
pub(crate) fn function_name(function: &Atom, arity: u32) -> String {
    format!("{}/{arity}", quoted(function))
}

/// Replays a recorded input on our machine.
pub(crate) fn again(machine: &mut Machine, recorded: &Recorded) -> Result<Again, Diagnostic> {
    let failed = |why: &str| {
        let title = format!("{} could not be run: {why}", recorded.unit);
        Diagnostic::new(Code::UnitFailed, title)
    };
    let script = Script::read(&recorded.call).map_err(|it| failed(&it.to_string()))?;
    let (module, function, args) = script.on_machine(machine).map_err(|it| failed(&it))?;
    let input = Input { args };
    let end = match &recorded.schedule {
        Some(schedule) => Schedule::read(schedule).run(machine, (module, function), &input),
        None => {
            let run = erlang::machine::Unit::new(machine, module, function).run(&input);
            run.map(|it| it.outcome).map_err(|it| it.why)
        }
    };
    let end = end.map_err(|it| failed(&it))?;
    let (outcome, term) = class_and_reason(&end);
    // A function or reference of the runtime has no stable text to compare.
    let is_comparable = |it: &&String| !it.contains("#Fun<") && !it.contains("#Ref<");
    let is_same = |it: &String| match is_cut(it) {
        true => term.starts_with(kept(it)),
        false => handles_in_order(it) == handles_in_order(&term),
    };
    let is_as_recorded = outcome == recorded.outcome
        && recorded.term.as_ref().filter(is_comparable).is_none_or(is_same);
    let said = script.is_elixir().then(|| elixir::said(machine, &end)).flatten();
    let says = match said {
        Some(said) => said.lines().map(str::to_owned).collect(),
        None => replayed(&end),
    };
    let shown = script.shown();
    Ok(Again { outcome, term: Some(term), shown, says, is_as_recorded })
}

fn replayed(end: &Outcome) -> Vec<String> {
    let text = match end {
        Outcome::Value(value) => print(value, Style::TP),
        Outcome::Crash { class, reason, trace } => exception_text(class.as_str(), reason, trace),
        Outcome::Deadlock => "** deadlock".to_owned(),
        Outcome::Stopped(why) => format!("** {why}"),
    };
    text.lines().map(str::to_owned).collect()
}

/// The text of a term with processes, ports and references numbered in the order of their occurrence: their own
/// numbers depend on earlier runs.
fn handles_in_order(text: &str) -> String {
    let mut known: Vec<&str> = Vec::new();
    let mut parts = text.split("list_to_");
    let mut res = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let kind = ["pid(\"", "port(\"", "ref(\""].into_iter().find(|it| part.starts_with(it));
        let handle = kind.and_then(|_| part.split_inclusive(')').next());
        let rest = part.get(handle.map_or(0, str::len)..).unwrap_or_default();
        res.push_str("list_to_");
        if let (Some(kind), Some(handle)) = (kind, handle) {
            let nth = known.iter().position(|it| *it == handle).unwrap_or_else(|| {
                known.push(handle);
                known.len() - 1
            });
            write!(res, "{kind}{nth}\")").ok();
        }
        res.push_str(rest);
    }
    res
}

#[cfg(test)]
mod unit_tests {
    use super::handles_in_order;

    #[test]
    fn what_matters_is_which_handles_are_the_same() {
        let check = |a: &str, b: &str, is_same: bool| {
            assert_eq!(handles_in_order(a) == handles_in_order(b), is_same, "{a} {b}");
        };
        let pid = |n: u32| format!("list_to_pid(\"<0.{n}.0>\")");
        let pair = |a: u32, b: u32| format!("{{{},{},x}}", pid(a), pid(b));
        check(&pair(81, 82), &pair(81, 84), true);
        check(&pair(81, 82), &pair(82, 81), true);
        check(&pair(81, 82), &pair(81, 81), false);
        check(&pid(1), "list_to_ref(\"#Ref<0.1.2.3>\")", false);
        check(&pid(1), "list_to_pid", false);
        check("{list_to_atom,1}", "{list_to_atom,2}", false);
    }
}
