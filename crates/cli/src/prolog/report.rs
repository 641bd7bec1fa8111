//! Converts the results for Prolog programs into a report.

use crate::flow::Done;
use crate::prolog::expect::{Expectation, whole};
use crate::prolog::explore::{Case, Explored, Verdict};
use crate::prolog::finding::Finding;
use crate::prolog::plan::Planned;
use crate::prolog::plunit;
use crate::prolog::source::Source;
use ::report::{
    Bindings, CoveredLine, FunctionShare, Language, Matched, Module, Report, Share, Test,
    Uncovered, UncoveredBranch, Unit, UnitCoverage, Why, fingerprint, input_id,
};
use prolog::code::PredId;
use prolog::concolic::Program;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// Adds all predicates, the file as a module, and its source.
pub(crate) fn add(source: &Source, done: &[Done<'_, Source>], into: &mut Report) {
    for it in done {
        let mut unit = unit(source, it);
        it.excuse(&mut unit);
        into.units.push(unit);
    }
    into.modules.push(module(source, done));
    if into.languages.iter().all(|it| it.name != NAME) {
        into.languages.push(words());
    }
    let path = source.path.display().to_string();
    if let Ok(text) = fs::read_to_string(&path) {
        into.sources.insert(path, text);
    }
}

/// The tag of the language.
const NAME: &str = "prolog";

fn words() -> Language {
    Language {
        name: NAME.to_owned(),
        unit: "predicate".to_owned(),
        units: "predicates".to_owned(),
        runtime: "swipl".to_owned(),
        prompt: "?- ".to_owned(),
        end: ".".to_owned(),
        covered: "completed".to_owned(),
    }
}

fn unit(source: &Source, done: &Done<'_, Source>) -> Unit {
    let Planned { task, .. } = done.unit;
    let module = source.program.module.clone();
    let mut res = Unit {
        unit: task.name.clone(),
        title: task.name.clone(),
        language: NAME.to_owned(),
        module: module.clone(),
        file: Some(source.path.display().to_string()),
        ..Unit::default()
    };
    let Some(search) = done.explored() else { return res };
    let of = &search.res;
    let is_branch = |it: &u32| is_branch(&source.program, *it);
    let count = |all: &mut dyn Iterator<Item = &u32>, wanted: bool| {
        all.filter(|it| is_branch(it) == wanted).count()
    };
    let clauses = Share {
        covered: count(&mut of.completed.iter(), false),
        total: count(&mut of.reachable.iter(), false),
        entered: Some(count(&mut of.entered.iter(), false)),
    };
    let branches = Share {
        covered: count(&mut of.completed.iter(), true),
        total: count(&mut of.reachable.iter(), true),
        entered: None,
    };
    of.tally().note(&mut res);
    res.coverage = UnitCoverage {
        clauses,
        by_module: BTreeMap::from([(module, clauses)]),
        branches: (0 < branches.total).then_some(branches),
        matched: of.matched.iter().map(|it| matched(source, it)).collect(),
    };
    res.disagreements.clone_from(&of.disagreements);
    res.findings = of.findings.iter().map(|it| finding(source, of, it)).collect();
    res.tests = of.tests.iter().map(|it| test(of, it)).collect();
    res
}

fn is_branch(program: &Program, mark: u32) -> bool {
    program.clauses.get(mark as usize).is_some_and(|it| it.branch.is_some())
}

/// A set of clauses that a call could match.
fn matched(source: &Source, of: &(PredId, Vec<u32>)) -> Matched {
    let named = source.program.predicates.iter().find(|it| it.id == of.0);
    let function = named.map(|it| format!("{}/{}", it.name, it.arity));
    Matched { function, clauses: of.1.clone() }
}

fn finding(source: &Source, unit: &Explored, of: &Finding) -> ::report::Finding {
    let class = of.expectation.as_ref().map_or("timeout", Expectation::outcome);
    let (level, because) = (of.rated.level, of.rated.because.clone());
    let shown = whole(&of.setup, &of.call);
    let says = match &of.expectation {
        Some(Expectation::Throws { ball, is_error: true }) => format!("throws error({ball}, _)"),
        Some(Expectation::Throws { ball, .. }) => format!("throws {ball}"),
        Some(Expectation::Fails | Expectation::Answers(_)) | None => of.reason.clone(),
    };
    let unconfirmed_because = match &of.verdict {
        Verdict::Same { .. } => None,
        Verdict::Differs(why) | Verdict::Unknown(why) => Some(why.clone()),
    };
    ::report::Finding {
        id: id(&unit.name, &shown),
        fingerprint: fingerprint(&unit.name, &of.cause.text),
        kind: of.kind,
        level,
        because,
        class: class.to_owned(),
        reason: of.reason.clone(),
        setup: of.setup.clone(),
        args: of.args.clone(),
        call: of.call.clone(),
        shown,
        says: vec![says],
        file: Some(source.path.display().to_string()),
        line: of.line,
        stack: of.stack.clone(),
        confirmed: unconfirmed_because.is_none(),
        unconfirmed_because,
        count: of.count,
        why: Some(why(of)),
        reached: of.reached.clone(),
        test: plunit::of_finding(source, unit, of),
        ..::report::Finding::default()
    }
}

/// How many steps before the end a line tells.
const LAST_STEPS: usize = 3;

/// The reason why it is a finding, and how it was reached.
fn why(of: &Finding) -> String {
    let first = of.reached.len().saturating_sub(LAST_STEPS);
    let steps = of.reached.get(first..).unwrap_or_default();
    let steps: Vec<&str> = steps.iter().map(|it| it.what.as_str()).collect();
    let path = match steps.is_empty() {
        true => String::new(),
        false => format!("on the way: {}", steps.join("; ")),
    };
    match (of.rated.because.starts_with(&of.why), path.is_empty()) {
        (_, true) => of.why.clone(),
        (true, false) => path,
        (false, false) => format!("{}; {path}", of.why),
    }
}

fn test(unit: &Explored, of: &Case) -> Test {
    let mut res = Test {
        id: id(&unit.name, &whole(&of.setup, &of.call)),
        setup: of.setup.clone(),
        args: of.args.clone(),
        call: of.call.clone(),
        outcome: of.expectation.outcome().to_owned(),
        bindings: Some(Bindings::new()),
        confirmed: Some(matches!(of.verdict, Verdict::Same { .. })),
        path: of.path.clone(),
        ..Test::default()
    };
    let bindings = |values: &Vec<String>| -> Bindings {
        let pairs = of.results.iter().zip(values);
        pairs.map(|it| (it.0.clone(), Value::from(it.1.as_str()))).collect()
    };
    match &of.expectation {
        Expectation::Fails => {}
        Expectation::Throws { ball, is_error } => {
            res.term = Some(if *is_error { format!("error({ball}, _)") } else { ball.clone() });
        }
        Expectation::Answers(answers) => {
            let all: Vec<Bindings> = answers.values.iter().map(bindings).collect();
            res.bindings = Some(all.first().cloned().unwrap_or_default());
            res.answers = Some(all);
            res.more = Some(answers.is_open);
        }
    }
    res
}

/// The identifier of an input, which is the same in every run of the tool.
fn id(unit: &str, call: &str) -> String {
    input_id(&format!("{unit} {call}"))
}

/// The joined results of the predicates of a file.
struct Found<'a> {
    units: Vec<&'a Explored>,
    completed: BTreeSet<u32>,
    entered: BTreeSet<u32>,
    reachable: BTreeSet<u32>,
    /// The first goal that completed each clause.
    covering: BTreeMap<u32, String>,
    /// For each clause, how many goals of its body were reached at most.
    furthest: Vec<u32>,
}

impl<'a> Found<'a> {
    fn new(done: &[Done<'a, Source>]) -> Found<'a> {
        let searches = || done.iter().filter_map(Done::explored);
        let units: Vec<&Explored> = searches().map(|it| &it.res).collect();
        let mut covering = BTreeMap::new();
        let mut furthest: Vec<u32> = Vec::new();
        for search in searches() {
            for (mark, call) in &search.covering {
                covering.entry(*mark).or_insert_with(|| call.clone());
            }
            furthest.resize(furthest.len().max(search.furthest.len()), 0);
            for (known, own) in furthest.iter_mut().zip(&search.furthest) {
                *known = (*known).max(*own);
            }
        }
        let all = |of: fn(&Explored) -> &BTreeSet<u32>| -> BTreeSet<u32> {
            units.iter().flat_map(|it| of(it)).copied().collect()
        };
        Found {
            completed: all(|it| &it.completed),
            entered: all(|it| &it.entered),
            reachable: units.iter().flat_map(|it| &it.reachable).copied().collect(),
            units,
            covering,
            furthest,
        }
    }

    fn share(&self, marks: &[u32]) -> Share {
        let count = |of: &BTreeSet<u32>| marks.iter().filter(|it| of.contains(it)).count();
        Share {
            covered: count(&self.completed),
            total: marks.len(),
            entered: Some(count(&self.entered)),
        }
    }

    /// Whether the clause that contains a branch was entered.
    fn entered_clause(&self, program: &Program, branch: u32) -> bool {
        program.clause_of_branch(branch).is_some_and(|it| self.entered.contains(&it))
    }

    /// Why a clause was not completed.
    fn why(&self, source: &Source, mark: u32) -> Why {
        let mut own = self.units.iter().filter(|it| it.reachable.contains(&mark));
        let is_all_tried = own.clone().all(|it| it.is_all_tried);
        // Facts that the program adds at run time are only tried in short sequences of goals, so longer ones may
        // reach the clause.
        let is_all_tried = is_all_tried && source.program.facts.is_empty();
        let has_unknowns = own.any(|it| 0 < it.solver.unknown || !it.losses.is_empty());
        if !self.reachable.contains(&mark) {
            Why::NotReachable
        } else if source.impossible.contains(&mark) || is_all_tried && !has_unknowns {
            Why::Unsatisfiable
        } else if has_unknowns {
            Why::Unknown
        } else {
            Why::NotTried
        }
    }
}

fn module(source: &Source, done: &[Done<'_, Source>]) -> Module {
    let program = &source.program;
    let found = Found::new(done);
    let functions = program.predicates.iter().filter(|it| !it.is_foreign).map(|it| {
        let share = found.share(&it.marks);
        let function = format!("{}/{}", it.name, it.arity);
        let Share { covered, total, entered } = share;
        FunctionShare { function, covered, total, entered }
    });
    let (mut uncovered, mut lines, mut branches_left) = (Vec::new(), Vec::new(), Vec::new());
    // Clauses of other files that the program loads are not counted.
    let own = || (0..).zip(&program.clauses).filter(|it| it.1.file.is_none());
    for (mark, clause) in own() {
        let named = program.predicates.iter().find(|it| it.id == clause.pred);
        let function = named.map(|it| format!("{}/{}", it.name, it.arity)).unwrap_or_default();
        let covered = found.completed.contains(&mark);
        let by = found.covering.get(&mark).cloned();
        if let Some(branch) = clause.branch_text() {
            if !covered && found.entered_clause(program, mark) {
                let why = found.why(source, mark);
                let clause = Some(clause.number);
                let line = program.clauses.get(mark as usize).map_or(0, |it| it.line);
                branches_left.push(UncoveredBranch { function, clause, line, branch, why });
            }
            continue;
        }
        lines.push(CoveredLine { line: clause.line, function: function.clone(), covered, by });
        if covered {
            continue;
        }
        let is_entered = found.entered.contains(&mark);
        let at = found.furthest.get(mark as usize).copied().unwrap_or(0);
        let stuck = (at as usize).checked_sub(1).and_then(|it| clause.goals.get(it));
        uncovered.push(Uncovered {
            function,
            clause: Some(clause.number),
            line: clause.line,
            entered: Some(is_entered),
            stuck: stuck.filter(|_| is_entered).cloned(),
            why: found.why(source, mark),
        });
    }
    let of_kind = |is_branch: bool| -> Vec<u32> {
        own().filter(|it| it.1.branch.is_some() == is_branch).map(|it| it.0).collect()
    };
    let (marks, branches) = (of_kind(false), of_kind(true));
    let branches = Share { entered: None, ..found.share(&branches) };
    Module {
        module: program.module.clone(),
        title: source.path.display().to_string(),
        language: NAME.to_owned(),
        file: Some(source.path.display().to_string()),
        clauses: found.share(&marks),
        branches: (0 < branches.total).then_some(branches),
        uncovered_branches: branches_left,
        functions: functions.collect(),
        uncovered,
        lines,
    }
}
