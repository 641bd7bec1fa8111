//! Selects the paths of a unit that become tests, independently of the test language: those that can be written as
//! text and have the same outcome on BEAM.

use crate::args;
use crate::erlang::confirm::{Verdict, compare};
use crate::erlang::finding::{Confirmation, Finding};
use crate::erlang::setup::Setup;
use crate::erlang::tests::{Tested, Trial};
use beam::{Preparation, Replayed};
use engine::Test;
use std::collections::BTreeMap;
use std::time::Duration;
use term::{Fun, Term};
use trace::{ClauseId, Covered};

/// The maximum number of tests per unit; paths with news come first.
const MAX_TESTS: usize = 1000;
/// The time limit of a call on BEAM.
const LIMIT: Duration = Duration::from_secs(2);
/// After this many timeouts no further tests of the unit are tried.
const MAX_TIMEOUTS: usize = 3;

/// The tests of a unit, each an assertion on a line of its own.
#[derive(Debug, Default)]
pub(super) struct Chosen {
    pub(super) lines: Vec<Line>,
    /// The reasons why paths have no test, each with its count.
    pub(super) left_out: BTreeMap<&'static str, usize>,
}

#[derive(Debug)]
pub(super) struct Line {
    pub(super) text: String,
    covered: Covered,
    shows: Shows,
}

/// Why a test was selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shows {
    Finding,
    Path,
}

/// Selects the tests of a unit. `write` returns the text of a test, or why it has none. `entered` are the wanted
/// clauses that earlier tests enter; those of the new tests are added. Without a BEAM only confirmed findings are sure
/// to fail.
pub(super) fn choose(
    of: Tested<'_>,
    (wanted, entered): (&Covered, &mut Covered),
    how: args::Tests,
    mut trial: Option<&mut Trial<'_>>,
    write: impl Fn(&Test) -> Result<String, &'static str>,
) -> Chosen {
    let mut res = Chosen::default();
    // Without a trial, an unconfirmed finding may not reproduce, or not end.
    let is_sure = |it: &Finding| trial.is_some() || it.confirmation == Confirmation::Confirmed;
    let candidates = match how {
        args::Tests::Minimal => fewest(of, wanted, is_sure),
        args::Tests::All => each_path(of, &mut res),
    };
    let mut n_timeouts = 0;
    let preparations: Vec<Preparation> =
        of.explored.setups.iter().map(Setup::preparation).collect();
    for (shows, test) in candidates {
        let covered = both(&test.covered, wanted);
        let is_needed = shows == Shows::Finding || entered.lacks_some_of(&covered);
        if how == args::Tests::Minimal && !is_needed {
            continue;
        }
        let why = match write(&test) {
            _ if n_timeouts == MAX_TIMEOUTS => "BEAM takes too long",
            Err(why) => why,
            Ok(text) => {
                let script = of.unit.script(&test.input.args).on_beam();
                let verdict = match &mut trial {
                    // The caller discards tests that were selected after the time was over.
                    Some(Trial { until, .. }) if until.why_over().is_some() => return res,
                    Some(Trial { beam, .. }) => {
                        let replayed = beam.call_prepared(&preparations, &script, LIMIT);
                        n_timeouts += usize::from(matches!(replayed, Ok(Replayed::Timeout(_))));
                        replayed.map(|it| compare(&test.outcome, &it))
                    }
                    None => Ok(Verdict::Confirmed),
                };
                match verdict {
                    Ok(Verdict::Confirmed) => {
                        entered.add(&covered);
                        res.lines.push(Line { text, covered, shows });
                        continue;
                    }
                    Ok(Verdict::Unconfirmed(_) | Verdict::Contradicted(_) | Verdict::Dismissed) => {
                        "BEAM does otherwise"
                    }
                    Err(_) => "BEAM could not be asked",
                }
            }
        };
        *res.left_out.entry(why).or_default() += 1;
    }
    res
}

/// One test per path; of paths without news only as many as fit.
fn each_path(of: Tested<'_>, res: &mut Chosen) -> Vec<(Shows, Test)> {
    let (n_paths, tests) = (of.explored.n_paths, &of.explored.report.tests);
    if MAX_TESTS < n_paths {
        res.left_out.insert("there are very many", n_paths - MAX_TESTS);
    }
    let n_news = tests.iter().filter(|it| it.is_news).count();
    let mut n_others = MAX_TESTS.saturating_sub(n_news);
    let has_room = |it: &&Test| {
        let is_first = n_others > 0;
        n_others = n_others.saturating_sub(usize::from(!it.is_news));
        it.is_news || is_first
    };
    let chosen = tests.iter().filter(has_room).take(MAX_TESTS);
    chosen.map(|it| (Shows::Path, it.clone())).collect()
}

/// The findings, followed by the paths that enter most clauses.
fn fewest(
    of: Tested<'_>,
    wanted: &Covered,
    is_sure: impl Fn(&Finding) -> bool,
) -> Vec<(Shows, Test)> {
    let findings = of.explored.findings.iter();
    let without_schedule = findings.filter(|it| it.schedule.is_none() && is_sure(it));
    let finding = |it: &Finding| Test {
        input: it.input.clone(),
        outcome: it.outcome.clone(),
        is_news: true,
        covered: Covered::default(),
    };
    let n_wanted = |it: &Test| both(&it.covered, wanted).iter().count();
    let mut paths: Vec<(usize, &Test)> =
        of.explored.report.tests.iter().map(|it| (n_wanted(it), it)).collect();
    paths.retain(|it| it.0 > 0);
    paths.sort_by_key(|it| std::cmp::Reverse(it.0));
    let paths = paths.into_iter().map(|it| (Shows::Path, it.1.clone()));
    without_schedule.map(|it| (Shows::Finding, finding(it))).chain(paths).collect()
}

fn both(one: &Covered, other: &Covered) -> Covered {
    let mut res = Covered::default();
    one.iter().filter(|it| other.has(*it)).for_each(|it| res.insert(it));
    res
}

/// Removes tests whose clauses the other tests enter too, except tests of findings.
pub(super) fn leave_out_needless(chosen: &mut [Chosen]) {
    let mut counts: BTreeMap<ClauseId, usize> = BTreeMap::new();
    for clause in chosen.iter().flat_map(|it| &it.lines).flat_map(|it| it.covered.iter()) {
        *counts.entry(clause).or_default() += 1;
    }
    for lines in chosen.iter_mut().map(|it| &mut it.lines) {
        lines.retain(|line| {
            let is_elsewhere = |it| counts.get(&it).is_some_and(|n| *n > 1);
            let is_needed = line.shows == Shows::Finding || !line.covered.iter().all(is_elsewhere);
            if !is_needed {
                line.covered.iter().for_each(|it| {
                    counts.entry(it).and_modify(|n| *n -= 1);
                });
            }
            is_needed
        });
    }
}

/// Whether the term may differ between two runs of the same call.
pub(crate) fn is_opaque(term: &Term) -> bool {
    term.has_part(|it| is_handle(it) || is_fun(it, |it| !matches!(it, Fun::External { .. })))
}

fn is_handle(term: &Term) -> bool {
    matches!(term, Term::Pid(_) | Term::Port(_) | Term::Ref(_))
}

fn is_fun(term: &Term, is: impl Fn(&Fun) -> bool) -> bool {
    if let Term::Fun(fun) = term { is(fun) } else { false }
}

/// Whether a stack frame with a source position is in the term; positions differ between releases.
pub(super) fn has_place(term: &Term) -> bool {
    term.has_part(|it| is_frame(it).is_some())
}

/// Module, function and arguments of a stack frame with a source position.
pub(super) fn is_frame(term: &Term) -> Option<[&Term; 3]> {
    let [module @ Term::Atom(_), function @ Term::Atom(_), args, place] = term.as_tuple()? else {
        return None;
    };
    let is_called = args.as_int().is_some() || args.as_list().is_some();
    let is_place = |it: &Term| {
        let tag = it.as_tuple().and_then(|it| it.first()).and_then(Term::as_atom);
        matches!(tag, Some("file" | "line" | "error_info"))
    };
    let place = place.as_list()?;
    (is_called && !place.is_empty() && place.iter().all(is_place))
        .then_some([module, function, args])
}
