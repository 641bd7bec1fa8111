//! Judges runs: uncaught errors, broken promises of determinism, and goals that do not end are findings.

use crate::flow::Rated;
use crate::prolog::expect::{Expectation, Written, expect};
use crate::prolog::explore::{ANSWERS, Verdict};
use crate::prolog::level::Evidence;
use crate::prolog::plan::Way;
use crate::prolog::reached::{Known, reached};
use ::report::{Kind, Level, Reached};
use prolog::code::PredId;
use prolog::concolic::{Declaration, Determinism, Finished, Program, Ran, Unit};
use prolog::{Limits, Stop};
use serde::{Deserialize, Serialize};
use term::Term;
use trace::Input;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Finding {
    pub(crate) kind: Kind,
    /// Equal for findings with the same cause.
    pub(crate) cause: Cause,
    /// The level with its reason.
    pub(crate) rated: Rated,
    /// Goals that are called before it.
    pub(crate) setup: Vec<String>,
    pub(crate) args: Vec<String>,
    pub(crate) call: String,
    pub(crate) results: Vec<String>,
    pub(crate) expectation: Option<Expectation>,
    /// The line of the clause that failed, or of the predicate's first clause if no clause was running.
    pub(crate) line: Option<u32>,
    /// The clauses that were running, innermost first: `main/3 file.pl:8`.
    pub(crate) stack: Vec<String>,
    /// The last clauses and branches that the run reached.
    pub(crate) reached: Vec<Reached>,
    /// The outcome in words.
    pub(crate) reason: String,
    pub(crate) why: String,
    /// The number of paths with this cause.
    pub(crate) count: usize,
    /// Whether the outcome depends on the environment, such as the clock.
    pub(crate) asks_outside: bool,
    pub(crate) verdict: Verdict,
}

/// The identity of a finding: the way in which the goal ended, and the clause that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Cause {
    /// In words that do not change when clauses move.
    pub(crate) text: String,
    /// The mark of the clause.
    clause: Option<u32>,
}

impl Cause {
    fn new(text: &str) -> Cause {
        Cause { text: text.to_owned(), clause: None }
    }
}

/// A goal that takes more steps is reported as not ending.
pub(crate) const MANY_STEPS: u64 = 3_000_000;
const MEMORY: usize = 512 << 20;

/// The program, and the predicate under test in it.
pub(crate) struct Place<'a> {
    pub(crate) program: &'a Program,
    pub(crate) path: &'a str,
    /// The predicate under test.
    pub(crate) pred: PredId,
    pub(crate) declarations: &'a [Declaration],
}

impl Place<'_> {
    fn known(&self) -> Known<'_> {
        let Place { program, path, declarations, .. } = *self;
        Known { program, path, declarations }
    }

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

/// Returns one finding per cause. `is_trusted`: whether the inputs are those that the program is meant for.
pub(crate) fn findings(
    unit: &mut Unit<'_>,
    way: &Way,
    log: &[Ran],
    is_trusted: bool,
    at: &Place<'_>,
) -> Vec<Finding> {
    let mut res: Vec<Finding> = Vec::new();
    let mut n_endless = 0;
    let mut evidence = Evidence::new(log);
    for ran in log {
        let Some((kind, cause)) = judge(way, ran) else { continue };
        let is_meant = is_trusted || way.is_declared;
        if !is_meant && kind != Kind::Crash {
            continue;
        }
        // An error for an input that is not meant is a refusal.
        let kind = if is_meant { kind } else { Kind::Rejected };
        if let Some(known) = res.iter_mut().find(|it| it.cause == cause) {
            known.count += 1;
            continue;
        }
        let mut ran = ran.clone();
        if kind == Kind::Timeout {
            // The run may end with more steps; only one goal per mode is tried, since it takes long.
            n_endless += 1;
            let limits = Limits { steps: MANY_STEPS, memory_bytes: MEMORY };
            if 1 < n_endless {
                continue;
            }
            let n_answers = ran.answers.len() + 1;
            match unit.solve(&ran.input, limits, n_answers) {
                Some(again) if judge(way, &again).map(|it| it.0) == Some(Kind::Timeout) => {
                    ran = again;
                }
                _ => continue,
            }
        }
        let rated = evidence.rate(unit, way, &ran, kind);
        // An error that inputs of the same shape do not raise is a crash, not a refusal.
        let is_crash = kind == Kind::Rejected && rated.level != Level::Refusal;
        let kind = if is_crash { Kind::Crash } else { kind };
        let Written { setup, args, call } = way.written(unit, &ran.input);
        let (line, stack) = at.of(&ran);
        let expectation = if kind == Kind::Timeout { None } else { expect(unit, &ran) };
        let reached = reached(unit, way, &ran.input, &at.known());
        let (reason, why) = match &ran.finished {
            Finished::Broken(n) => broken(way, *n, expectation.as_ref()),
            Finished::Thrown(..)
            | Finished::Stopped(_)
            | Finished::Exhausted { .. }
            | Finished::More
            | Finished::Strange
            | Finished::Unmade => {
                let is_wrong_end =
                    matches!(way.determinism, Some(Determinism::Failure | Determinism::Erroneous))
                        && matches!(expectation, Some(Expectation::Answers(_)));
                let reason = if is_wrong_end {
                    "it succeeds".to_owned()
                } else if kind == Kind::Timeout && !ran.answers.is_empty() {
                    "it looks for another answer without end".to_owned()
                } else {
                    reason(expectation.as_ref())
                };
                (reason, why(way, kind, &expectation))
            }
        };
        let verdict = Verdict::not_asked();
        let results = way.results.clone();
        let finding = Finding {
            kind,
            cause,
            rated,
            setup,
            args,
            call,
            results,
            expectation,
            line,
            stack,
            reached,
            reason,
            why,
            count: 1,
            asks_outside: ran.asks_outside,
            verdict,
        };
        res.push(finding);
    }
    res
}

/// For a result that is not of its type: which one, and why that is a finding.
fn broken(way: &Way, n: usize, expectation: Option<&Expectation>) -> (String, String) {
    let before = way.goal.args.iter().take(n);
    let nth = before.filter(|it| !it.is_given()).count();
    let name = way.results.get(nth).map_or("a result", String::as_str);
    let value = match expectation {
        Some(Expectation::Answers(answers)) => answers.values.last().and_then(|it| it.get(nth)),
        Some(Expectation::Fails | Expectation::Throws { .. }) | None => None,
    };
    let value = value.map_or_else(String::new, |it| format!(" = {it}"));
    let of = way.goal.types.iter().find(|it| it.0 == n);
    let of = of.map_or_else(String::new, |it| shown_type(&it.1));
    (format!("{name}{value} is not of type {of}"), format!("it is declared -{of}"))
}

/// Prints a type as declarations write it.
fn shown_type(of: &Term) -> String {
    match of.as_tuple() {
        Some([name, left, right]) if name.as_atom() == Some("|") => {
            format!("{}|{}", shown_type(left), shown_type(right))
        }
        Some([name, args @ ..]) => {
            let args: Vec<String> = args.iter().map(shown_type).collect();
            format!("{}({})", shown_type(name), args.join(","))
        }
        Some([]) | None => term::print(of, term::Style::INPUT),
    }
}

/// The outcome of a goal in the words of reports.
pub(crate) fn reason(of: Option<&Expectation>) -> String {
    match of {
        Some(Expectation::Throws { ball, .. }) => ball.clone(),
        Some(Expectation::Fails) => "false".to_owned(),
        Some(Expectation::Answers(_)) => "more than one answer".to_owned(),
        None => "it does not end".to_owned(),
    }
}

/// The kind and cause of the finding that a run shows; `None` if it shows none.
fn judge(way: &Way, ran: &Ran) -> Option<(Kind, Cause)> {
    let n_answers = ran.answers.len();
    match &ran.finished {
        Finished::Broken(n) => {
            return Some((
                Kind::Spec,
                Cause::new(&format!("argument {} is not of its type", n + 1)),
            ));
        }
        Finished::Thrown(ball, _)
            if way.determinism == Some(Determinism::Erroneous) || is_documented(way, ball) =>
        {
            return None;
        }
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
        // A caller of a predicate that is declared to have at most one answer may ask for another; that must end.
        Finished::Stopped(Stop::Steps | Stop::Memory)
            if n_answers == 1
                && matches!(way.determinism, Some(Determinism::Det | Determinism::Semidet)) =>
        {
            return Some((Kind::Timeout, Cause::new("no end after an answer")));
        }
        Finished::Unmade => return None,
        Finished::Thrown(..)
        | Finished::Stopped(_)
        | Finished::Exhausted { .. }
        | Finished::More
        | Finished::Strange => {}
    }
    let has_failed = n_answers == 0 && matches!(ran.finished, Finished::Exhausted { .. });
    if way.is_endlessly_recursive
        && has_failed
        && way.determinism.is_none()
        && !ran.entered.is_empty()
    {
        return Some((Kind::Spec, Cause::new("no goal succeeds")));
    }
    match way.determinism? {
        Determinism::Failure if 0 < n_answers => {
            Some((Kind::Spec, Cause::new("failure has an answer")))
        }
        Determinism::Erroneous if has_failed || 0 < n_answers => {
            Some((Kind::Spec, Cause::new("erroneous does not throw")))
        }
        Determinism::Det if has_failed => Some((Kind::Spec, Cause::new("det fails"))),
        Determinism::Multi if has_failed => Some((Kind::Spec, Cause::new("multi fails"))),
        Determinism::Det | Determinism::Semidet if 1 < n_answers => {
            Some((Kind::Spec, Cause::new("det has more answers")))
        }
        Determinism::Det
        | Determinism::Semidet
        | Determinism::Multi
        | Determinism::Nondet
        | Determinism::Failure
        | Determinism::Erroneous => None,
    }
}

/// Whether the source's documentation says that the predicate throws such a ball.
fn is_documented(way: &Way, ball: &Term) -> bool {
    let parts = |it: &Term| match it.as_tuple() {
        Some([name, args @ ..]) => (name.as_atom().map(str::to_owned), args.to_vec()),
        Some([]) | None => (it.as_atom().map(str::to_owned), Vec::new()),
    };
    let (name, args) = parts(ball);
    let formal = args.first().filter(|_| name.as_deref() == Some("error"));
    let thrown = [Some(ball), formal];
    let is_same = |said: &str, of: &Term| {
        let (name, args) = parts(of);
        let (said_name, said_args) = named(said);
        let first = |it: &str| it.starts_with(|c: char| c.is_lowercase() || c == '\'');
        let is_first_same = match (said_args.first(), args.first().and_then(Term::as_atom)) {
            (Some(said), Some(is)) if first(said) && !said.contains('(') => {
                said.trim_matches('\'') == is
            }
            _ => true,
        };
        name.as_deref() == Some(said_name) && said_args.len() == args.len() && is_first_same
    };
    way.throws.iter().any(|said| {
        let (name, args) = named(said);
        let said = match (name, args.as_slice()) {
            ("error", [formal, _]) => formal.clone(),
            _ => said.clone(),
        };
        thrown.into_iter().flatten().any(|it| is_same(&said, it))
    })
}

/// Splits a term in a comment into its name and its arguments.
fn named(text: &str) -> (&str, Vec<String>) {
    let Some((name, rest)) = text.split_once('(') else { return (text, Vec::new()) };
    let mut depth = 0_usize;
    let is_end = |c: char| {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && c == ','
    };
    let inside = rest.strip_suffix(')').unwrap_or(rest);
    (name, inside.split(is_end).map(|it| it.trim().to_owned()).collect())
}

/// Whether the ball is the error of a predicate that `:- det` declares and that left a choice point or failed.
fn is_broken_promise(ball: &Term) -> bool {
    let formal = ball.as_tuple().and_then(|it| it.get(1)?.as_tuple());
    let is_named = |it: Option<&Term>, name: &str| it.and_then(Term::as_atom) == Some(name);
    formal.is_some_and(|it| {
        is_named(it.first(), "determinism_error") && is_named(it.last(), "property")
    })
}

/// Whether an error means that the predicate does not accept the arguments.
pub(super) fn is_refusal(ball: &Term, input: &Input) -> bool {
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
        // The predicate called a part of the input.
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

/// The ball without its data, to compare causes.
pub(crate) fn shape(ball: &Term) -> String {
    if let Some(name) = ball.as_atom() {
        return name.to_owned();
    }
    match ball.as_tuple() {
        Some([Term::Atom(name), first, ..]) if name.as_str() == "error" => {
            format!("error({})", shape(first))
        }
        // Other terms are identified by their name and, for errors, by their first argument.
        Some([Term::Atom(name), Term::Atom(first), ..]) if name.as_str().ends_with("_error") => {
            format!("{}({},..)", name.as_str(), first.as_str())
        }
        Some([Term::Atom(name), ..]) => format!("{}(..)", name.as_str()),
        _ => "a term".to_owned(),
    }
}

/// The reason why it is a finding, in one line.
fn why(way: &Way, kind: Kind, expectation: &Option<Expectation>) -> String {
    match kind {
        Kind::Crash if way.is_declared => "the declared types allow these arguments".to_owned(),
        Kind::Crash => "nobody catches this error".to_owned(),
        Kind::Rejected => "no declaration says that it takes these arguments".to_owned(),
        Kind::Timeout => format!("{MANY_STEPS} calls were not enough"),
        Kind::Spec => {
            let promised = way.determinism.map_or("", Determinism::name);
            match expectation {
                _ if way.is_endlessly_recursive && way.determinism.is_none() => {
                    "a clause that ends the recursion may be missing".to_owned()
                }
                _ if promised == "failure" => {
                    "it is declared failure, and has an answer".to_owned()
                }
                _ if promised == "erroneous" => {
                    "it is declared erroneous, and does not throw".to_owned()
                }
                Some(Expectation::Fails) => format!("it is declared {promised}, and it fails"),
                Some(Expectation::Throws { .. }) => "it is declared det, and is not".to_owned(),
                _ => format!("it is declared {promised}, and it has more than one answer"),
            }
        }
        // No run of Prolog has these kinds.
        Kind::Deadlock | Kind::Property | Kind::Race => String::new(),
    }
}
