//! The report for programs: one document, whose fields are a promise.

use crate::args::Test;
use crate::test::prolog::expect::{Expectation, whole};
use crate::test::prolog::explore::{Case, Explored, Verdict};
use crate::test::prolog::finding::Finding;
use crate::test::prolog::report::{FileReport, Report};
use prolog::code::PredId;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

pub(crate) fn document(report: &Report, options: &Test) -> String {
    let units = report.files.iter().flat_map(|file| file.units.iter().map(|it| unit(file, it)));
    let document = json!({
        "schema": 1,
        "tool": {"name": "gimlet", "version": env!("CARGO_PKG_VERSION")},
        "targets": options.targets,
        "units": units.collect::<Vec<_>>(),
        "modules": report.files.iter().map(module).collect::<Vec<_>>(),
    });
    format!("{document:#}\n")
}

fn unit(file: &FileReport, of: &Explored) -> Value {
    let mut solver = Map::new();
    solver.insert("queries".to_owned(), of.solver.queries.into());
    solver.insert("sat".to_owned(), of.solver.sat.into());
    solver.insert("unsat".to_owned(), of.solver.unsat.into());
    solver.insert("unknown".to_owned(), of.solver.unknown.into());
    for name in ["cache", "guess", "z3"] {
        solver.insert(name.to_owned(), 0.into());
    }
    for (name, count) in &of.solver.layers {
        solver.insert((*name).to_owned(), (*count).into());
    }
    let clauses = json!({
        "covered": of.completed.len(),
        "total": of.reachable.len(),
        "entered": of.entered.len(),
    });
    let by_module = json!({ file.module.as_str(): clauses.clone() });
    let losses = of.losses.iter().map(|it| json!({"what": it.0, "count": it.1}));
    let mut res = json!({
        "unit": of.name,
        "language": "prolog",
        "file": file.path,
        "verdict": of.verdict(),
        "stop": of.stop.name(),
        "saturated": of.is_saturated,
        "runs": of.n_runs,
        "paths": of.n_paths,
        "diverged": of.n_diverged,
        "elapsed_ms": u64::try_from(of.elapsed.as_millis()).unwrap_or(u64::MAX),
        "solver": solver,
        "coverage": {"clauses": clauses, "by_module": by_module},
        "findings": of.findings.iter().map(|it| finding(file, of, it)).collect::<Vec<_>>(),
        "tests": of.tests.iter().map(|it| test(of, it)).collect::<Vec<_>>(),
        "losses": losses.collect::<Vec<_>>(),
    });
    if !of.matched.is_empty()
        && let Some(coverage) = res.get_mut("coverage").and_then(Value::as_object_mut)
    {
        coverage.insert("matched".to_owned(), matched(file, of).into());
    }
    if let (Value::Object(fields), Some(why)) = (&mut res, &of.trouble) {
        fields.insert("trouble".to_owned(), why.as_str().into());
    }
    res
}

/// The sets of clauses that calls could match: `{"function": "p/1", "clauses": [1, 3]}`.
fn matched(file: &FileReport, of: &Explored) -> Vec<Value> {
    let name = |id| file.predicates.iter().find(|it| it.id == id).map(|it| it.name.as_str());
    let set = |it: &(PredId, Vec<u32>)| json!({"function": name(it.0), "clauses": it.1});
    of.matched.iter().map(set).collect()
}

fn finding(file: &FileReport, unit: &Explored, of: &Finding) -> Value {
    let class = match &of.expectation {
        Some(it) => it.outcome(),
        None => "timeout",
    };
    let mut res = json!({
        "id": id(&unit.name, &whole(&of.setup, &of.call)),
        "kind": of.kind.name(),
        "class": class,
        "reason": of.reason,
        "args": of.args,
        "call": of.call,
        "file": file.path,
        "line": of.line,
        "stack": of.stack,
        "confirmed": matches!(of.verdict, Verdict::Same { .. }),
        "count": of.count,
        "why": of.why,
    });
    add_setup(&mut res, &of.setup);
    if let (Value::Object(fields), Verdict::Differs(why) | Verdict::Unknown(why)) =
        (&mut res, &of.verdict)
    {
        fields.insert("unconfirmed_because".to_owned(), why.as_str().into());
    }
    res
}

fn test(unit: &Explored, of: &Case) -> Value {
    let mut res = json!({
        "id": id(&unit.name, &whole(&of.setup, &of.call)),
        "args": of.args,
        "call": of.call,
        "outcome": of.expectation.outcome(),
        "bindings": {},
        "confirmed": matches!(of.verdict, Verdict::Same { .. }),
    });
    add_setup(&mut res, &of.setup);
    let Value::Object(fields) = &mut res else { return res };
    let bindings = |values: &Vec<String>| -> Value {
        let pairs = of.results.iter().zip(values);
        Value::Object(pairs.map(|it| (it.0.clone(), it.1.as_str().into())).collect())
    };
    match &of.expectation {
        Expectation::Fails => {}
        Expectation::Throws { ball, is_error } => {
            let term = if *is_error { format!("error({ball}, _)") } else { ball.clone() };
            fields.insert("term".to_owned(), term.into());
        }
        Expectation::Answers(answers) => {
            let all: Vec<Value> = answers.values.iter().map(bindings).collect();
            fields.insert("bindings".to_owned(), all.first().cloned().unwrap_or_default());
            fields.insert("answers".to_owned(), all.into());
            fields.insert("more".to_owned(), answers.is_open.into());
        }
    }
    res
}

/// Goals that are called before.
fn add_setup(to: &mut Value, setup: &[String]) {
    if let Some(fields) = to.as_object_mut().filter(|_| !setup.is_empty()) {
        fields.insert("setup".to_owned(), setup.into());
    }
}

fn module(of: &FileReport) -> Value {
    let functions = of.predicates.iter().map(|it| {
        json!({
            "function": it.name,
            "covered": it.n_completed,
            "total": it.n_clauses,
            "entered": it.n_entered,
        })
    });
    let uncovered = of.uncovered.iter().map(|it| {
        json!({
            "function": it.predicate,
            "clause": it.number,
            "line": it.line,
            "entered": it.is_entered,
            "stuck": it.stuck,
            "why": it.why,
        })
    });
    json!({
        "module": of.module,
        "file": of.path,
        "clauses": {"covered": of.n_completed, "total": of.n_clauses, "entered": of.n_entered},
        "functions": functions.collect::<Vec<_>>(),
        "uncovered": uncovered.collect::<Vec<_>>(),
    })
}

/// Names an input: the same in every run.
fn id(unit: &str, call: &str) -> String {
    let digest = Sha256::digest(format!("{unit} {call}"));
    digest.iter().take(4).map(|it| format!("{it:02x}")).collect()
}
