//! Replays findings on the real BEAM.

use crate::erlang::explore::{Explored, MAX_REDUCTIONS};
use crate::erlang::finding::{Confirmation, Finding};
use crate::erlang::frames::{Frame, frames};
use crate::erlang::properties::is_property;
use crate::erlang::schedules::Schedule;
use crate::erlang::setup::Setup;
use crate::erlang::unit::UnitName;
use crate::flow::{Rated, Replaying, Until};
use ::report::{Kind, Level};
use beam::backend::is_alike;
use beam::{Followed, Preparation, Replayed, Replayer, Turn};
use erlang::builtins;
use erlang::machine::Allowed;
use std::time::Duration;
use term::{Style, Term, print};
use trace::Outcome;

/// The time limit of a call that ended on our machine.
const LIMIT: Duration = Duration::from_secs(10);
/// The time limit of a call that did not end on our machine: far more than BEAM needs for as many reductions.
const LIMIT_OF_ENDLESS: Duration = Duration::from_secs(2);

const NO_END: &str = "BEAM did not end";

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Confirmed,
    Unconfirmed(String),
    /// BEAM has another outcome, although the finding may still be right.
    Contradicted(String),
    /// BEAM shows that the finding is none.
    Dismissed,
}

/// The BEAM for replays, and the effects that are allowed there.
#[derive(Debug)]
pub(crate) struct Real<'a> {
    pub(crate) beam: &'a mut Replayer,
    pub(crate) allowed: Allowed,
    /// Whether inputs ran on BEAM in the first place, so that the sandbox may have influenced both runs.
    pub(crate) was_on_beam: bool,
}

/// Replays the findings that were not replayed before, and removes those that BEAM disproves.
pub(crate) fn confirm(
    on: Real<'_>,
    unit: &UnitName,
    explored: &mut Explored,
    which: Replaying,
    until: &Until<'_>,
) {
    let Real { beam, allowed, was_on_beam } = on;
    let preparations: Vec<Preparation> = explored.setups.iter().map(Setup::preparation).collect();
    explored.findings.retain_mut(|finding| {
        let is_asked_for = which == Replaying::All || finding.rated.level != Level::Refusal;
        if !is_asked_for || finding.confirmation != Confirmation::Untried {
            return true;
        }
        if let Some(why) = until.why_over() {
            finding.confirmation = Confirmation::Unconfirmed(why.to_owned());
            return true;
        }
        let verdict = try_on_beam(beam, unit, &preparations, finding);
        // A call that was interrupted looks like one that does not end.
        if let Some(why) = until.why_over() {
            finding.confirmation = Confirmation::Unconfirmed(why.to_owned());
            return true;
        }
        let is_in_question = was_on_beam && finding.kind != Kind::Timeout
            || match &verdict {
                Verdict::Contradicted(_) => true,
                Verdict::Unconfirmed(why) => !why.starts_with(NO_END),
                Verdict::Confirmed | Verdict::Dismissed => false,
            };
        // An error that the sandbox causes looks like an outcome of the program.
        if is_in_question
            && finding.schedule.is_none()
            && let Some(what) = touched(beam, unit, finding, allowed)
        {
            let why = format!("it touches {what}, which --allow does not name");
            finding.confirmation = Confirmation::Unconfirmed(why);
            return true;
        }
        match verdict {
            Verdict::Confirmed => finding.confirmation = Confirmation::Confirmed,
            Verdict::Unconfirmed(why) => finding.confirmation = Confirmation::Unconfirmed(why),
            Verdict::Contradicted(why) => {
                if finding.schedule.is_none() {
                    finding.rated = Rated::of_machine_only(&why);
                }
                finding.confirmation = Confirmation::Unconfirmed(why);
            }
            Verdict::Dismissed => return false,
        }
        true
    });
}

/// Returns the builtin through which a call on BEAM has an effect that is not allowed.
fn touched(
    beam: &mut Replayer,
    unit: &UnitName,
    finding: &Finding,
    allowed: Allowed,
) -> Option<String> {
    let refused = builtins::all().filter(|it| !allowed.allows(it.effect));
    let refused: Vec<_> = refused.map(|it| (it.module, it.name, it.arity)).collect();
    let call = unit.script(&finding.input.args).on_beam();
    beam.touches(&call, &refused, LIMIT_OF_ENDLESS)
}

/// Replays a finding and compares the outcome.
fn try_on_beam(
    beam: &mut Replayer,
    unit: &UnitName,
    preparations: &[Preparation],
    finding: &Finding,
) -> Verdict {
    if let Some(schedule) = &finding.schedule {
        let Schedule { process, turns, .. } = schedule;
        let (args, outcome) = (&finding.input.args, &finding.outcome);
        return try_schedule(beam, unit, args, outcome, process.as_deref(), turns);
    }
    let limit = match finding.kind {
        Kind::Timeout => LIMIT_OF_ENDLESS,
        Kind::Crash
        | Kind::Deadlock
        | Kind::Spec
        | Kind::Property
        | Kind::Race
        | Kind::Rejected => LIMIT,
    };
    let call = unit.script(&finding.input.args).on_beam();
    let mut called = |limit| beam.call_prepared(preparations, &call, limit);
    // On a loaded machine BEAM may need more time for the same reductions.
    let replayed = match called(limit) {
        Ok(Replayed::Timeout(it)) if limit < LIMIT && it.reductions <= MAX_REDUCTIONS => {
            called(LIMIT)
        }
        replayed => replayed,
    };
    match replayed {
        // PropEr up to 1.3 reports an exception of a property by calling a function that OTP 24 removed.
        Ok(Replayed::Raised { .. }) if is_property(unit) && finding.complaint.is_some() => {
            Verdict::Confirmed
        }
        Ok(replayed) => compare(&finding.outcome, &replayed),
        Err(error) => Verdict::Unconfirmed(error.to_string()),
    }
}

/// Replays a schedule on BEAM, where processes are made to take their turns, and compares the outcome.
pub(crate) fn try_schedule(
    beam: &mut Replayer,
    unit: &UnitName,
    args: &[Term],
    outcome: &Outcome,
    process: Option<&str>,
    turns: &[Turn],
) -> Verdict {
    let followed = beam.follow(&unit.script(args).on_beam(), turns, LIMIT);
    let Followed { lost, end, failed } = match followed {
        Ok(it) => it,
        Err(error) => return Verdict::Unconfirmed(error.to_string()),
    };
    let has_failed = process.is_some_and(|name| failed.iter().any(|it| it.0 == name));
    if (outcome, lost, has_failed) == (&Outcome::Deadlock, None, false) && process.is_some() {
        return Verdict::Confirmed;
    }
    let end = match process {
        Some(name) => failed.into_iter().find(|it| it.0 == *name).map(|it| it.1),
        None => end,
    };
    let verdict = match (outcome, &end) {
        // A process that waits after the schedule was lost may wait for the scheduler, which is no deadlock.
        (Outcome::Deadlock, None) if lost.is_none() => return Verdict::Confirmed,
        (outcome, Some(end)) => compare(outcome, end),
        (_, None) => match process {
            Some(name) => Verdict::Unconfirmed(format!("on BEAM {name} does not fail")),
            None => Verdict::Unconfirmed("on BEAM it waits".to_owned()),
        },
    };
    match (verdict, lost) {
        (Verdict::Unconfirmed(_) | Verdict::Contradicted(_), Some(at)) => Verdict::Unconfirmed(
            format!("BEAM can't be made to follow the schedule beyond step {}", at + 1),
        ),
        (verdict, _) => verdict,
    }
}

pub(crate) fn is_confirmed(finding: &Finding) -> bool {
    finding.confirmation == Confirmation::Confirmed
}

pub(crate) fn compare(outcome: &Outcome, replayed: &Replayed) -> Verdict {
    let otherwise = |what: String| Verdict::Contradicted(format!("on BEAM {what}"));
    match (outcome, replayed) {
        (_, Replayed::Unreadable) => Verdict::Unconfirmed(
            "the input can't be written down: it holds a function that tells functions apart, or a \
             process, port or reference that only our machine has"
                .to_owned(),
        ),
        (_, Replayed::Unusable(why)) => {
            Verdict::Unconfirmed(format!("BEAM does not load the module: {why}"))
        }
        (Outcome::Stopped(_), Replayed::Timeout(it)) if MAX_REDUCTIONS < it.reductions => {
            Verdict::Confirmed
        }
        (Outcome::Stopped(_), Replayed::Timeout(it)) if !it.is_computing => {
            otherwise("it waits".to_owned())
        }
        (_, Replayed::Timeout(_)) => {
            Verdict::Unconfirmed(format!("{NO_END} within {} s", LIMIT.as_secs()))
        }
        (Outcome::Stopped(_), Replayed::Killed(reason)) if is_kill(reason) => Verdict::Confirmed,
        (Outcome::Stopped(_), _) => Verdict::Dismissed,
        (Outcome::Value(ours), Replayed::Value(theirs)) if is_alike(ours, theirs) => {
            Verdict::Confirmed
        }
        (Outcome::Crash { class, reason, trace }, Replayed::Killed(theirs))
            if class.as_str() == "exit" && *trace == Term::Nil && is_alike(reason, theirs) =>
        {
            Verdict::Confirmed
        }
        (
            Outcome::Crash { class, reason, trace },
            Replayed::Raised { class: their_class, reason: their_reason, trace: their_trace },
        ) if class == their_class
            && (is_alike(reason, their_reason) || is_of_inlined(trace, their_reason)) =>
        {
            let (ours, their_frames) = (frames(trace), frames(their_trace));
            // A native or inlined function may have a frame in only one of the traces; then its caller is in both.
            let is_on = |top: &Frame, trace: &[Frame]| trace.iter().any(|it| is_same_spot(it, top));
            match (ours.first(), their_frames.first()) {
                (Some(our), Some(theirs)) if !is_on(theirs, &ours) && !is_on(our, &their_frames) => otherwise(format!(
                    "it is raised in {}:{}/{}",
                    theirs.module.as_str(),
                    theirs.function.as_str(),
                    theirs.arity
                )),
                _ => Verdict::Confirmed,
            }
        }
        (_, Replayed::Value(value)) => otherwise(format!("it returns {}", print(value, Style::TW))),
        (_, Replayed::Killed(reason)) => {
            otherwise(format!("the process is killed: {}", print(reason, Style::TW)))
        }
        (_, Replayed::Raised { class, reason, .. }) => otherwise(format!(
            "it is the exception {}: {}",
            class.as_str(),
            print(reason, Style::TW)
        )),
    }
}

fn is_kill(reason: &Term) -> bool {
    reason.as_atom() == Some("killed")
}

/// Whether the difference is due to inlining: on BEAM an inlined function has no clauses of its own, so the error is
/// `case_clause` instead of `function_clause`.
fn is_of_inlined(trace: &Term, their_reason: &Term) -> bool {
    let is_inlined = |it: &Frame| it.function.as_str().starts_with("-inlined-");
    let is_case =
        their_reason.as_tuple().and_then(|it| it.first()?.as_atom()) == Some("case_clause");
    is_case && frames(trace).first().is_some_and(is_inlined)
}

/// Whether two frames are of the same function. The numbers of lifted functions and the position of inlined ones
/// depend on the compiler.
fn is_same_spot(ours: &Frame, theirs: &Frame) -> bool {
    let is_inlined = |it: &Frame| {
        it.function.as_str().starts_with("-inlined-") || it.function.as_str().contains('^')
    };
    if is_inlined(ours) || is_inlined(theirs) {
        return true;
    }
    ours.module == theirs.module && written_in(ours) == written_in(theirs)
}

/// Returns the name and arity of the function that a frame's code was written in. For the frame of a fun, this is the
/// enclosing function: compilers differ in whether a fun that is called where it is made (as by macros that assert)
/// is a function of its own or part of the enclosing one.
fn written_in(frame: &Frame) -> String {
    let name = frame.function.as_str();
    match name.strip_prefix('-') {
        Some(lifted) => lifted.split('-').next().unwrap_or(lifted).to_owned(),
        None => format!("{name}/{}", frame.arity),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use beam::Spent;
    use trace::{Budget, Stopped};

    /// The verdict does not depend on the time: a loaded machine is slow, and a sleep is no loop.
    #[test]
    fn what_only_waits_is_not_endless() {
        let outcome = Outcome::Stopped(Stopped::OutOf(Budget::Reductions));
        let after = |reductions, is_computing| {
            compare(&outcome, &Replayed::Timeout(Spent { reductions, is_computing }))
        };
        assert_eq!(after(MAX_REDUCTIONS + 1, false), Verdict::Confirmed);
        assert!(matches!(after(1_000, false), Verdict::Contradicted(_)));
        // A native operation is not counted in reductions and may end a moment later, so the timeout is not
        // confirmed.
        assert!(matches!(after(1_000, true), Verdict::Unconfirmed(_)));
    }

    #[test]
    fn a_frame_that_only_one_trace_has_does_not_matter() {
        let crash = |trace: &str| Outcome::Crash {
            class: term::Atom::new("error"),
            reason: Term::atom("badarg"),
            trace: term::read_term(trace).unwrap(),
        };
        let check = |ours: &str, theirs: &str, expect: bool| {
            let (class, reason) = (term::Atom::new("error"), Term::atom("badarg"));
            let trace = term::read_term(theirs).unwrap();
            let verdict = compare(&crash(ours), &Replayed::Raised { class, reason, trace });
            assert_eq!(verdict == Verdict::Confirmed, expect, "{ours} {theirs}");
        };
        let (native, own, other) = ("{erlang,hd,[x],[]}", "{m,f,1,[]}", "{m,g,1,[]}");
        check(&format!("[{native},{own}]"), &format!("[{own}]"), true);
        check(&format!("[{own}]"), &format!("[{native},{own}]"), true);
        check(&format!("[{own}]"), &format!("[{other}]"), false);
        let (fun, other_fun) = ("{m,'-f/1-fun-0-',0,[]}", "{m,'-f/2-fun-0-',0,[]}");
        check(&format!("[{fun}]"), &format!("[{own}]"), true);
        check(&format!("[{own}]"), &format!("[{fun}]"), true);
        check(&format!("[{other_fun}]"), &format!("[{own}]"), false);
        check(&format!("[{native},{own}]"), &format!("[{other}]"), false);
    }
}
