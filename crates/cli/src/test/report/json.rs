//! The report for programs: one document, whose fields are a promise.

use crate::args::{Build, Nodes};
use crate::exception::stack_lines;
use crate::test::coverage::{ModuleCoverage, Share};
use crate::test::finding::{Confirmation, Finding, used_up};
use crate::test::report::corpus::{Origin, Recorded};
use crate::test::report::{Report, UnitReport, id_of};
use crate::test::schedules::Schedule;
use crate::test::unit::{UnitName, quoted};
use serde_json::{Map, Value, json};
use std::path::PathBuf;
use term::{Call, Style, Term, print, read_call};
use trace::{Input, Outcome};

pub(crate) fn document(report: &Report, origin: &Origin) -> String {
    let paths = |it: &[PathBuf]| -> Vec<String> {
        it.iter().map(|it| it.to_string_lossy().into_owned()).collect()
    };
    let build = &origin.build;
    let document = json!({
        "schema": 1,
        "tool": {"name": "gimlet", "version": env!("CARGO_PKG_VERSION")},
        "targets": origin.targets,
        "build": {
            "pa": paths(&build.code_paths),
            "includes": paths(&build.includes),
            "defines": build.defines,
            "nodes": build.nodes.0,
        },
        "units": report.units.iter().map(|it| unit(it, &report.modules)).collect::<Vec<_>>(),
        "modules": report.modules.iter().map(module).collect::<Vec<_>>(),
    });
    format!("{document:#}\n")
}

fn unit(of: &UnitReport, modules: &[ModuleCoverage]) -> Value {
    let explored = &of.explored;
    let report = &explored.report;
    let mut solver = Map::new();
    solver.insert("queries".to_owned(), report.solver.queries.into());
    solver.insert("sat".to_owned(), report.solver.sat.into());
    solver.insert("unsat".to_owned(), report.solver.unsat.into());
    solver.insert("unknown".to_owned(), report.solver.unknown.into());
    // Every layer has its count, also one that had nothing to do.
    for name in ["cache", "guess", "z3"] {
        solver.insert(name.to_owned(), 0.into());
    }
    for (name, count) in &report.solver.layers {
        solver.insert((*name).to_owned(), (*count).into());
    }
    let by_module: Map<String, Value> =
        of.coverage.by_module.iter().map(|it| (it.0.as_str().to_owned(), share(it.1))).collect();
    let findings = explored.findings.iter().map(|it| finding(&of.unit, it, modules));
    let unreceived = explored.unreceived.iter().map(|it| {
        json!({
            "from": it.from,
            "to": it.to,
            "message": it.message,
            "call": of.unit.call(&it.input.args),
            "schedules": it.n_runs,
        })
    });
    let losses = report.losses.iter().map(|it| json!({"what": it.0, "count": it.1}));
    let mut res = json!({
        "unit": of.unit.to_string(),
        "language": "erlang",
        "verdict": of.verdict(),
        "stop": report.stop.name(),
        "saturated": report.is_saturated,
        "runs": report.n_runs,
        "paths": explored.n_paths,
        "refused": explored.n_refused,
        "diverged": report.n_diverged,
        "in_vain": report.n_in_vain,
        "elapsed_ms": u64::try_from(explored.elapsed.as_millis()).unwrap_or(u64::MAX),
        "solver": solver,
        "coverage": {"clauses": share(of.coverage.all), "by_module": by_module},
        "findings": findings.collect::<Vec<_>>(),
        "tests": explored.ends().map(|it| test(&of.unit, it.0, it.1)).collect::<Vec<_>>(),
        "losses": losses.collect::<Vec<_>>(),
        "unreceived": unreceived.collect::<Vec<_>>(),
    });
    if let (Value::Object(fields), Some(why)) = (&mut res, &explored.trouble) {
        fields.insert("trouble".to_owned(), why.as_str().into());
    }
    res
}

fn share(of: Share) -> Value {
    json!({"covered": of.covered, "total": of.total})
}

fn finding(unit: &UnitName, of: &Finding, modules: &[ModuleCoverage]) -> Value {
    let (class, reason) = class_and_reason(&of.outcome);
    let place = of.place(&modules.iter().map(|it| it.module.clone()).collect::<Vec<_>>());
    let stack = match &of.outcome {
        Outcome::Crash { trace, .. } => stack_lines(trace),
        Outcome::Value(_) | Outcome::Deadlock | Outcome::Stopped(_) => vec![],
    };
    let mut res = json!({
        "id": id_of(unit, &of.input.args),
        "kind": of.kind.name(),
        "class": class,
        "reason": reason,
        "args": texts(&of.input),
        "call": unit.call(&of.input.args),
        "file": place.as_ref().map(|it| it.0.clone()),
        "line": place.as_ref().map(|it| it.1),
        "stack": stack,
        "confirmed": of.is_confirmed(),
        "count": of.count,
        "minimised": of.found_with.is_some(),
    });
    if let Value::Object(fields) = &mut res {
        if let Confirmation::Unconfirmed(why) = &of.confirmation {
            fields.insert("unconfirmed_because".to_owned(), why.as_str().into());
        }
        if let Some(input) = &of.found_with {
            fields.insert("found_with".to_owned(), texts(input).into());
        }
        if let Some(schedule) = &of.schedule {
            fields.insert("schedule".to_owned(), schedule.json());
        }
        if let Some(complaint) = &of.complaint {
            fields.insert("why".to_owned(), complaint.as_str().into());
        }
    }
    res
}

/// As findings and tests name an end.
pub(crate) fn class_and_reason(outcome: &Outcome) -> (String, String) {
    match outcome {
        Outcome::Value(value) => ("value".to_owned(), text(value)),
        Outcome::Crash { class, reason, .. } => (class.as_str().to_owned(), text(reason)),
        Outcome::Deadlock => ("deadlock".to_owned(), String::new()),
        Outcome::Stopped(why) => match used_up(why) {
            Some(budget) => ("timeout".to_owned(), budget.to_owned()),
            None => ("stopped".to_owned(), why.clone()),
        },
    }
}

fn test(unit: &UnitName, input: &Input, outcome: &Outcome) -> Value {
    let (outcome, term) = class_and_reason(outcome);
    json!({
        "id": id_of(unit, &input.args),
        "args": texts(input),
        "call": unit.call(&input.args),
        "outcome": outcome,
        "term": term,
    })
}

fn texts(input: &Input) -> Vec<String> {
    input.args.iter().map(text).collect()
}

fn text(term: &Term) -> String {
    print(term, Style::INPUT)
}

fn module(of: &ModuleCoverage) -> Value {
    let functions = of.functions.iter().map(
        |(name, it)| json!({"function": name.local(), "covered": it.covered, "total": it.total}),
    );
    let uncovered = of.uncovered.iter().map(|(clause, why)| {
        let function = format!("{}/{}", quoted(&clause.function), clause.arity);
        json!({"function": function, "line": clause.line, "why": why.name()})
    });
    json!({
        "module": of.module.as_str(),
        "clauses": share(of.all),
        "functions": functions.collect::<Vec<_>>(),
        "uncovered": uncovered.collect::<Vec<_>>(),
    })
}

/// The inputs that a document speaks of: those of its findings, then those of its tests.
pub(crate) fn read_document(text: &str) -> Option<(Origin, Vec<Recorded>)> {
    let document: Value = serde_json::from_str(text).ok()?;
    let texts = |of: &Value| -> Vec<String> {
        let items = of.as_array().into_iter().flatten();
        items.filter_map(|it| it.as_str().map(str::to_owned)).collect()
    };
    let paths = |of: &Value| texts(of).iter().map(PathBuf::from).collect();
    let build = document.get("build").cloned().unwrap_or_default();
    let field = |name: &str| build.get(name).cloned().unwrap_or_default();
    let build = Build {
        code_paths: paths(&field("pa")),
        includes: paths(&field("includes")),
        defines: texts(&field("defines")),
        nodes: Nodes(texts(&field("nodes"))),
        // Who replays says again what is allowed.
        effects: Vec::new(),
    };
    let origin = Origin { targets: texts(document.get("targets")?), build };
    let mut inputs: Vec<Recorded> = Vec::new();
    for unit in document.get("units")?.as_array()? {
        let all = |name: &str| unit.get(name).and_then(Value::as_array).into_iter().flatten();
        let found = all("findings").map(|it| recorded(it, "class", "reason"));
        for input in found.chain(all("tests").map(|it| recorded(it, "outcome", "term"))) {
            let input = input?;
            if !inputs.contains(&input) {
                inputs.push(input);
            }
        }
    }
    Some((origin, inputs))
}

fn recorded(of: &Value, class: &str, term: &str) -> Option<Recorded> {
    let text = |name: &str| Some(of.get(name)?.as_str()?.to_owned());
    let Call { module, function, args } = read_call(&text("call")?).ok()?;
    let arity = args.len();
    let unit = UnitName { module, function, arity };
    let term = Some(text(term)?).filter(|it| !it.contains("#Fun<") && !it.contains("#Ref<"));
    let schedule = of.get("schedule").and_then(Schedule::read);
    Some(Recorded { unit, id: text("id")?, args, class: text(class)?, term, schedule })
}
