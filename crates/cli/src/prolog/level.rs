//! Rates the findings of Prolog programs: a level, and the reason for it.
//!
//! A finding is a broken promise if a declaration allows its arguments. Otherwise it is suspicious if goals with
//! arguments of the same shape succeed, and a refusal if none succeeds or if the program raises the error explicitly.

use crate::flow::Rated;
use crate::prolog::finding::is_refusal;
use crate::prolog::plan::Way;
use ::report::{Kind, Level};
use engine::{Part, Precision, Shapes, last_parts};
use prolog::concolic::{Arg, Determinism, Finished, Ran, Unit, term_text};
use term::Term;
use trace::{Executor, Input};

/// The maximum number of goals that succeeded whose shapes are gathered.
const MOST: usize = 300;

/// Evidence of the arguments that a predicate accepts, from goals that succeeded.
pub(super) struct Evidence<'l> {
    log: &'l [Ran],
    /// Gathered when the first finding needs them.
    shapes: Option<Shapes>,
}

impl<'l> Evidence<'l> {
    pub(super) fn new(log: &'l [Ran]) -> Evidence<'l> {
        Evidence { log, shapes: None }
    }

    pub(super) fn rate(&mut self, unit: &mut Unit<'_>, way: &Way, ran: &Ran, kind: Kind) -> Rated {
        match kind {
            Kind::Spec => {
                let level = if way.is_declared || way.determinism.is_some() {
                    Level::Promise
                } else {
                    Level::Suspicious
                };
                Rated::new(level, promise(way, ran))
            }
            Kind::Property => Rated::new(Level::Promise, "a property must be true"),
            Kind::Crash | Kind::Timeout if way.is_declared => {
                Rated::new(Level::Promise, "the declared types allow these arguments")
            }
            Kind::Timeout => Rated::new(Level::Suspicious, "it may run for ever"),
            Kind::Race | Kind::Deadlock => {
                Rated::new(Level::Suspicious, "it depends on the schedule")
            }
            Kind::Crash | Kind::Rejected => self.rate_error(unit, way, ran, kind),
        }
    }

    fn rate_error(&mut self, unit: &mut Unit<'_>, way: &Way, ran: &Ran, kind: Kind) -> Rated {
        let uncaught = Rated::new(Level::Suspicious, "nobody catches this error");
        let is_rejected = kind == Kind::Rejected;
        let Finished::Thrown(ball, _) = &ran.finished else { return uncaught };
        if is_on_purpose(ball) {
            let why = "it raises this error on purpose, to say what it does not take";
            return Rated::new(Level::Refusal, why);
        }
        if is_missing_procedure(ball) && !is_refusal(ball, &ran.input) {
            return Rated::new(Level::Suspicious, "it calls a predicate that is not there");
        }
        if let Some(name) = own_culprit(ball, &ran.input) {
            let why =
                format!("the error is about {name}, which no argument has: it is the program's");
            return Rated::new(Level::Suspicious, why);
        }
        let decided_by = decided_by(unit, &ran.input);
        if decided_by.is_empty() {
            // The error may be due to an unbound result, which a caller may bind.
            let is_open = is_instantiation(ball) && way.goal.args.contains(&Arg::Result);
            if !is_open && !way.is_open && !unit.goal.args.is_empty() {
                let why = "it throws this error whatever its arguments are";
                return Rated::new(Level::Suspicious, why);
            }
            let why = "no declaration says that it takes these arguments";
            return if is_rejected { Rated::new(Level::Refusal, why) } else { uncaught };
        }
        let log = self.log;
        let shapes = self.shapes.get_or_insert_with(|| shapes(unit, log));
        if shapes.is_empty() {
            let why = "no goal was found that succeeds, so that nothing shows what it takes";
            return if is_rejected { Rated::new(Level::Refusal, why) } else { uncaught };
        }
        // A type error depends on the kind of a term; other errors on more than that.
        if let Some(part) =
            decided_by.iter().find(|it| shapes.example(it, Precision::Kind).is_none())
        {
            let why = format!("no goal succeeds with {} as {}", part.form, part.place);
            return Rated::new(Level::Refusal, why);
        }
        let example = decided_by.iter().find_map(|it| shapes.example(it, Precision::Kind)).cloned();
        let example = example.map(|it| way_text(unit, &it)).unwrap_or_default();
        Rated::new(Level::Suspicious, format!("arguments of this shape succeed: {}", cut(&example)))
    }
}

fn promise(way: &Way, ran: &Ran) -> String {
    if way.is_endlessly_recursive && way.determinism.is_none() {
        return "no goal can succeed: each clause needs another goal of it to succeed".to_owned();
    }
    let what = match (&ran.finished, way.determinism) {
        (Finished::Broken(_), _) => "the declaration says of which type this result is".to_owned(),
        (_, Some(Determinism::Failure)) => "it is declared failure, and has an answer".to_owned(),
        (_, Some(Determinism::Erroneous)) => {
            "it is declared erroneous, and does not throw".to_owned()
        }
        (Finished::Thrown(..), _) => "it is declared det, and is not".to_owned(),
        (_, Some(said)) if ran.answers.is_empty() => {
            format!("it is declared {}, and it fails", said.name())
        }
        (_, Some(said)) => {
            format!("it is declared {}, and it has more than one answer", said.name())
        }
        (_, None) => "it is declared otherwise".to_owned(),
    };
    if way.is_declared { what } else { format!("{what}; no type says which arguments it takes") }
}

/// The parts of the arguments that decided the last choice of a run.
fn decided_by(unit: &mut Unit<'_>, input: &Input) -> Vec<Part> {
    let n_logged = unit.log.len();
    let run = unit.run(input);
    unit.log.truncate(n_logged);
    run.map(|it| last_parts(unit.exprs(), &it.choices, input)).unwrap_or_default()
}

/// The parts of the arguments that goals that succeeded inspected.
fn shapes(unit: &mut Unit<'_>, log: &[Ran]) -> Shapes {
    let is_well = |it: &&Ran| {
        let is_broken = matches!(it.finished, Finished::Thrown(..) | Finished::Broken(_));
        !it.answers.is_empty() && !is_broken
    };
    let n_logged = unit.log.len();
    let interrupt = unit.machine().interrupt.clone();
    let goes_on = || !interrupt.load(std::sync::atomic::Ordering::Relaxed);
    let inputs = log.iter().filter(is_well).take(MOST).map(|it| &it.input);
    let res = Shapes::gather(unit, inputs, &goes_on);
    unit.log.truncate(n_logged);
    res
}

/// Whether an error was raised by `must_be/2`, `type_error/2` or `throw/1`: its context is unbound, while builtins put
/// their predicate there.
fn is_on_purpose(ball: &Term) -> bool {
    let Some([name, formal, context]) = ball.as_tuple() else { return false };
    let kind = formal.as_tuple().and_then(|it| it.first()?.as_atom()).or(formal.as_atom());
    let is_about_arguments = matches!(
        kind,
        Some(
            "type_error"
                | "domain_error"
                | "instantiation_error"
                | "uninstantiation_error"
                | "representation_error"
                | "permission_error"
        )
    );
    name.as_atom() == Some("error") && is_about_arguments && matches!(context, Term::Ref(_))
}

fn is_missing_procedure(ball: &Term) -> bool {
    let formal = ball.as_tuple().and_then(|it| it.get(1)?.as_tuple());
    matches!(formal, Some([name, what, _]) if name.as_atom() == Some("existence_error")
        && what.as_atom() == Some("procedure"))
}

fn is_instantiation(ball: &Term) -> bool {
    ball.as_tuple().and_then(|it| it.get(1)?.as_atom()) == Some("instantiation_error")
}

/// The culprit of a type or domain error, if it is a name that no argument contains and hence the program's own:
/// `foo/1` where `foo(X)` is evaluated.
fn own_culprit(ball: &Term, input: &Input) -> Option<String> {
    let formal = ball.as_tuple()?.get(1)?.as_tuple()?;
    let [kind, _, culprit] = formal else { return None };
    if !matches!(kind.as_atom(), Some("type_error" | "domain_error")) {
        return None;
    }
    let (name, shown) = match culprit.as_tuple() {
        Some([slash, name, arity]) if slash.as_atom() == Some("/") => {
            let name = name.as_atom()?;
            (name, format!("{name}/{}", arity.as_int()?))
        }
        Some([name, args @ ..]) => (name.as_atom()?, format!("{}/{}", name.as_atom()?, args.len())),
        Some([]) => return None,
        None => (culprit.as_atom()?, culprit.as_atom()?.to_owned()),
    };
    // The name may be a part of a text in the input, in upper or lower case.
    let name = name.to_lowercase();
    let has_name = |part: &Term| part.as_text().is_some_and(|it| it.to_lowercase().contains(&name));
    let is_given = input.args.iter().any(|it| it.has_part(has_name));
    (!is_given && !name.is_empty()).then_some(shown)
}

/// The text of a goal with this input.
fn way_text(unit: &mut Unit<'_>, input: &Input) -> String {
    let args: Vec<String> = input.args.iter().map(|it| term_text(unit.machine(), it)).collect();
    format!("{}({})", unit.goal.name, args.join(", "))
}

/// The maximum length of an example in a line, in characters.
const MAX_EXAMPLE: usize = 60;

fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_EXAMPLE) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or(text)),
        None => text.to_owned(),
    }
}
