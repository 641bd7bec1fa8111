//! Which paths of a unit become tests, whatever language they are written in: those that end on BEAM
//! as they did here and can be written down.

use crate::erlang::confirm::{Verdict, compare};
use crate::erlang::setup::Setup;
use crate::erlang::tests::Tested;
use beam::{Preparation, Replayed, Replayer};
use engine::Test;
use std::collections::BTreeMap;
use std::time::Duration;
use term::{Fun, Term};

/// Tests of one unit. What leads somewhere new comes first.
const MAX_TESTS: usize = 1000;
/// For one call on BEAM.
const LIMIT: Duration = Duration::from_secs(2);
/// A unit whose calls do not come back is not asked more often.
const MAX_TIMEOUTS: usize = 3;

#[derive(Debug, Default)]
pub(super) struct Chosen {
    /// The assertions.
    pub(super) lines: Vec<String>,
    /// Why a path has no test, and how often.
    pub(super) left_out: BTreeMap<&'static str, usize>,
}

/// The tests of a unit, each as `write` has it, or why it has none.
pub(super) fn choose(
    of: Tested<'_>,
    beam: &mut Replayer,
    write: impl Fn(&Test) -> Result<String, &'static str>,
) -> Chosen {
    let mut res = Chosen::default();
    let (n_paths, tests) = (of.explored.n_paths, &of.explored.report.tests);
    if MAX_TESTS < n_paths {
        res.left_out.insert("there are very many", n_paths - MAX_TESTS);
    }
    let n_news = tests.iter().filter(|it| it.is_news).count();
    let mut n_others = MAX_TESTS.saturating_sub(n_news);
    let mut has_room = |it: &&Test| {
        let is_first = n_others > 0;
        n_others = n_others.saturating_sub(usize::from(!it.is_news));
        it.is_news || is_first
    };
    let mut n_timeouts = 0;
    let preparations: Vec<Preparation> =
        of.explored.setups.iter().map(Setup::preparation).collect();
    for test in tests.iter().filter(&mut has_room).take(MAX_TESTS) {
        let why = match write(test) {
            _ if n_timeouts == MAX_TIMEOUTS => "BEAM takes too long",
            Err(why) => why,
            Ok(line) => {
                let (module, function) = (&of.unit.module, &of.unit.function);
                let args = &test.input.args;
                let replayed = beam.call_prepared(&preparations, (module, function), args, LIMIT);
                n_timeouts += usize::from(replayed == Ok(Replayed::Timeout));
                match replayed.map(|it| compare(&test.outcome, &it)) {
                    Ok(Verdict::Confirmed) => {
                        res.lines.push(line);
                        continue;
                    }
                    Ok(Verdict::Unconfirmed(_) | Verdict::Dismissed) => "BEAM does otherwise",
                    Err(_) => "BEAM could not be asked",
                }
            }
        };
        *res.left_out.entry(why).or_default() += 1;
    }
    res
}

/// Whether two runs of the same call may give different ones.
pub(crate) fn is_opaque(term: &Term) -> bool {
    term.has_part(|it| is_handle(it) || is_fun(it, |it| !matches!(it, Fun::External { .. })))
}

pub(super) fn is_unwritable(term: &Term) -> bool {
    term.has_part(|it| is_fun(it, |it| matches!(it, Fun::Closure { .. })))
}

fn is_handle(term: &Term) -> bool {
    matches!(term, Term::Pid(_) | Term::Port(_) | Term::Ref(_))
}

fn is_fun(term: &Term, is: impl Fn(&Fun) -> bool) -> bool {
    if let Term::Fun(fun) = term { is(fun) } else { false }
}
