//! What counts as found: errors that nobody catches, broken promises of determinism, no end.

use crate::prolog::expect::{Expectation, Written, expect};
use crate::prolog::explore::{ANSWERS, Verdict};
use crate::prolog::plan::Way;
use ::report::Kind;
use prolog::code::PredId;
use prolog::concolic::{Determinism, Finished, Program, Ran, Unit};
use prolog::{Limits, Stop};
use serde::{Deserialize, Serialize};
use term::Term;
use trace::Input;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Finding {
    pub(crate) kind: Kind,
    /// The same for findings that have one cause.
    pub(crate) cause: Cause,
    /// Whether what is declared allows these arguments.
    pub(crate) is_declared: bool,
    /// Goals that are called before.
    pub(crate) setup: Vec<String>,
    pub(crate) args: Vec<String>,
    pub(crate) call: String,
    pub(crate) results: Vec<String>,
    pub(crate) expectation: Option<Expectation>,
    /// Of the clause that it happened in; of its predicate's first if none was running.
    pub(crate) line: Option<u32>,
    /// The clauses that were running, the innermost first: `main/3 file.pl:8`.
    pub(crate) stack: Vec<String>,
    /// In words.
    pub(crate) reason: String,
    pub(crate) why: String,
    /// Paths that end like this.
    pub(crate) count: usize,
    pub(crate) verdict: Verdict,
}

/// What tells findings apart: how the goal ends, and the clause that it happened in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Cause {
    /// In words that do not depend on where clauses stand.
    pub(crate) text: String,
    /// The mark of the clause.
    clause: Option<u32>,
}

impl Cause {
    fn new(text: &str) -> Cause {
        Cause { text: text.to_owned(), clause: None }
    }
}

/// Steps after which a goal is said not to end.
pub(crate) const MANY_STEPS: u64 = 3_000_000;
const MEMORY: usize = 512 << 20;

/// What says where something happened.
pub(crate) struct Place<'a> {
    pub(crate) program: &'a Program,
    pub(crate) path: &'a str,
    /// The predicate that was asked.
    pub(crate) pred: PredId,
}

impl Place<'_> {
    fn of(&self, ran: &Ran) -> (Option<u32>, Vec<String>) {
        let marks =
            if let Finished::Thrown(_, marks) = &ran.finished { marks.as_slice() } else { &[] };
        let places: Vec<(String, u32)> =
            marks.iter().filter_map(|it| self.program.place(*it, self.path)).collect();
        let asked = self.program.predicates.iter().find(|it| it.id == self.pred);
        let line = places.first().map(|it| it.1).or_else(|| asked.map(|it| it.line));
        (line, places.into_iter().map(|it| it.0).collect())
    }
}

/// One finding for each cause and place. `is_trusted`: the inputs are of the kind that the program is for.
pub(crate) fn findings(
    unit: &mut Unit<'_>,
    way: &Way,
    log: &[Ran],
    is_trusted: bool,
    at: &Place<'_>,
) -> Vec<Finding> {
    let mut res: Vec<Finding> = Vec::new();
    let mut n_endless = 0;
    for ran in log {
        let Some((kind, cause)) = judge(way, ran) else { continue };
        let is_meant = is_trusted || way.is_declared;
        if !is_meant && kind != Kind::Crash {
            continue;
        }
        // It is given what it is not for, and says so.
        let kind = if is_meant { kind } else { Kind::Rejected };
        if let Some(known) = res.iter_mut().find(|it| it.cause == cause) {
            known.count += 1;
            continue;
        }
        let mut ran = ran.clone();
        if kind == Kind::Timeout {
            // A few steps more may be all that it needs.
            n_endless += 1;
            let limits = Limits { steps: MANY_STEPS, memory_bytes: MEMORY };
            if 1 < n_endless {
                continue;
            }
            match unit.solve(&ran.input, limits, 1) {
                Some(again) if judge(way, &again).map(|it| it.0) == Some(Kind::Timeout) => {
                    ran = again;
                }
                _ => continue,
            }
        }
        let Written { setup, args, call } = way.written(unit, &ran.input);
        let (line, stack) = at.of(&ran);
        let expectation = expect(unit, &ran);
        let reason = reason(expectation.as_ref());
        let why = why(way, kind, &expectation);
        let verdict = Verdict::Unknown("swipl was not asked".to_owned());
        let results = way.results.clone();
        let finding = Finding {
            kind,
            cause,
            is_declared: way.is_declared,
            setup,
            args,
            call,
            results,
            expectation,
            line,
            stack,
            reason,
            why,
            count: 1,
            verdict,
        };
        res.push(finding);
    }
    res
}

/// How a goal ends, in the words of reports.
pub(crate) fn reason(of: Option<&Expectation>) -> String {
    match of {
        Some(Expectation::Throws { ball, .. }) => ball.clone(),
        Some(Expectation::Fails) => "false".to_owned(),
        Some(Expectation::Answers(_)) => "more than one answer".to_owned(),
        None => "it does not end".to_owned(),
    }
}

/// The kind of finding that a run is, and its cause.
fn judge(way: &Way, ran: &Ran) -> Option<(Kind, Cause)> {
    let n_answers = ran.answers.len();
    match &ran.finished {
        Finished::Thrown(ball, places) if n_answers < ANSWERS => {
            let kind = if is_broken_promise(ball) {
                Kind::Spec
            } else if is_refusal(ball, &ran.input) && !way.is_declared {
                Kind::Rejected
            } else {
                Kind::Crash
            };
            let text = format!("throws {}", shape(ball));
            return Some((kind, Cause { text, clause: places.first().copied() }));
        }
        Finished::Stopped(Stop::Steps | Stop::Memory) if n_answers == 0 => {
            return Some((Kind::Timeout, Cause::new("no end")));
        }
        Finished::Unmade => return None,
        Finished::Thrown(..)
        | Finished::Stopped(_)
        | Finished::Exhausted { .. }
        | Finished::More
        | Finished::Strange => {}
    }
    let has_failed = n_answers == 0 && matches!(ran.finished, Finished::Exhausted { .. });
    match way.determinism? {
        Determinism::Det if has_failed => Some((Kind::Spec, Cause::new("det fails"))),
        Determinism::Multi if has_failed => Some((Kind::Spec, Cause::new("multi fails"))),
        Determinism::Det | Determinism::Semidet if 1 < n_answers => {
            Some((Kind::Spec, Cause::new("det has more answers")))
        }
        Determinism::Det | Determinism::Semidet | Determinism::Multi | Determinism::Nondet => None,
    }
}

/// Whether a predicate that is declared by `:- det` turned out not to be.
fn is_broken_promise(ball: &Term) -> bool {
    let formal = ball.as_tuple().and_then(|it| it.get(1)?.as_tuple());
    let is_named = |it: Option<&Term>, name: &str| it.and_then(Term::as_atom) == Some(name);
    formal.is_some_and(|it| {
        is_named(it.first(), "determinism_error") && is_named(it.last(), "property")
    })
}

/// Whether an error says that the arguments are not what the predicate is for.
fn is_refusal(ball: &Term, input: &Input) -> bool {
    let Some([name, formal, _]) = ball.as_tuple() else { return false };
    if name.as_atom() != Some("error") {
        return false;
    }
    let parts = formal.as_tuple().unwrap_or_default();
    let kind = formal.as_atom().or_else(|| parts.first()?.as_atom());
    match (kind, parts.get(1).and_then(Term::as_atom)) {
        (Some("type_error" | "domain_error" | "instantiation_error"), _) => true,
        (Some("representation_error" | "resource_error"), _) => true,
        (Some("existence_error"), Some("matching_rule")) => true,
        // The input was called.
        (Some("existence_error"), Some("procedure")) => {
            let mut names = Vec::new();
            parts.iter().skip(2).for_each(|it| collect_atoms(it, &mut names));
            let mut given = Vec::new();
            input.args.iter().for_each(|it| collect_atoms(it, &mut given));
            names.iter().any(|it| *it != "/" && *it != ":" && given.contains(it))
        }
        _ => false,
    }
}

fn collect_atoms<'t>(term: &'t Term, into: &mut Vec<&'t str>) {
    if matches!(term, Term::Nil) {
        into.push("[]");
    }
    if let Some(name) = term.as_atom() {
        into.push(name);
    }
    let list = if let Term::List(list) = term { list.items.as_slice() } else { &[] };
    let parts = term.as_tuple().unwrap_or(list);
    parts.iter().for_each(|it| collect_atoms(it, into));
}

/// A ball without its data.
pub(crate) fn shape(ball: &Term) -> String {
    if let Some(name) = ball.as_atom() {
        return name.to_owned();
    }
    match ball.as_tuple() {
        Some([Term::Atom(name), first, ..]) if name.as_str() == "error" => {
            format!("error({})", shape(first))
        }
        // Of other terms, what is in them is what they are about.
        Some([Term::Atom(name), Term::Atom(first), ..]) if name.as_str().ends_with("_error") => {
            format!("{}({},..)", name.as_str(), first.as_str())
        }
        Some([Term::Atom(name), ..]) => format!("{}(..)", name.as_str()),
        _ => "a term".to_owned(),
    }
}

/// Why it counts, in one line.
fn why(way: &Way, kind: Kind, expectation: &Option<Expectation>) -> String {
    match kind {
        Kind::Crash if way.is_declared => "the declared types allow these arguments".to_owned(),
        Kind::Crash => "nobody catches this error".to_owned(),
        Kind::Rejected => "no declaration says that it takes these arguments".to_owned(),
        Kind::Timeout => format!("{MANY_STEPS} calls were not enough"),
        Kind::Spec => {
            let promised = way.determinism.map_or("", Determinism::name);
            match expectation {
                Some(Expectation::Fails) => format!("it is declared {promised}, and it fails"),
                Some(Expectation::Throws { .. }) => "it is declared det, and is not".to_owned(),
                _ => format!("it is declared {promised}, and it has more than one answer"),
            }
        }
        // Nothing here has them.
        Kind::Deadlock | Kind::Property | Kind::Race => String::new(),
    }
}
