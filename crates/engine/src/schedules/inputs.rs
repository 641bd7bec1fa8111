//! Breadth-first exploration of inputs, before the search explores all schedules of one input.
//!
//! A depth-first search flips the first choice of a unit last of all. So, once it has made [`BEFORE`] runs, one run is
//! made for each of at most [`MAX_INPUTS`] inputs that flip a choice, choices near the beginning of a run first; then
//! [`SHARE`] schedules of each input are explored, in round-robin order. The depth-first search then continues as if
//! nothing had happened, and makes these runs again: they count as redundant. Random runs take their inputs from the
//! same list.

use crate::oracle::Oracle;
use crate::report::Stop;
use crate::schedules::cells::Cell;
use crate::schedules::data::{Path, Turn};
use crate::schedules::search::Search;
use crate::schedules::settings::{Ended, Pass, ScheduleReport, ScheduleSettings};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use term::Exprs;
use trace::{ExecutorError, Input, Stage};

/// How many runs the search makes before it looks ahead at other inputs.
pub(super) const BEFORE: usize = 100;
/// How many inputs are looked at.
const MAX_INPUTS: usize = 200;
/// How many schedules are explored for each of them.
const SHARE: usize = 50;

/// Flips of choices, by the index of the choice in its run, and the inputs that were made for flips.
#[derive(Debug, Default)]
pub(super) struct Flips {
    open: BTreeMap<usize, VecDeque<Turn>>,
    made: Vec<Arc<Input>>,
    /// The number of inputs given out so far.
    next: usize,
}

impl Flips {
    /// Records the choices of a run from index `from` on. Earlier choices belong to the run's parent, whose flip
    /// produced this input.
    pub(super) fn learn(&mut self, path: &Arc<Path>, from: usize, limit: usize) {
        for at in from..path.choices.len().min(limit) {
            self.open.entry(at).or_default().extend(Turn::all_at(path, at));
        }
    }

    /// Returns a new input for a flip, and the index after the flipped choice.
    pub(super) fn take(
        &mut self,
        exprs: &mut Exprs,
        oracle: &mut dyn Oracle,
    ) -> Option<(Arc<Input>, usize)> {
        while let Some(mut entry) = self.open.first_entry() {
            let at = *entry.key();
            let Some(turn) = entry.get_mut().pop_front() else {
                entry.remove();
                continue;
            };
            if let Some(input) = turn.input(exprs, oracle)
                && !self.made.contains(&input)
            {
                self.made.push(Arc::clone(&input));
                return Some((input, at + 1));
            }
        }
        None
    }

    /// Returns the input of the next random run: alternately a new one and one of those made before.
    pub(super) fn for_random_run(
        &mut self,
        exprs: &mut Exprs,
        oracle: &mut dyn Oracle,
        seed: &Arc<Input>,
    ) -> (Arc<Input>, usize) {
        self.next += 1;
        if self.next.is_multiple_of(2)
            && self.made.len() < MAX_INPUTS
            && let Some(new) = self.take(exprs, oracle)
        {
            return new;
        }
        let nth = self.next / 2 % (self.made.len() + 1);
        let input = nth.checked_sub(1).and_then(|it| self.made.get(it)).unwrap_or(seed);
        (Arc::clone(input), usize::MAX)
    }
}

/// The callbacks of a search.
pub(super) struct Watching<'a> {
    pub(super) see: &'a mut dyn FnMut(&Ended<'_>),
    pub(super) watch: &'a mut dyn FnMut(&ScheduleReport) -> Option<Stop>,
}

impl Search {
    /// Makes runs of other inputs; see the module's documentation.
    pub(super) fn look_ahead(
        &mut self,
        stage: &mut dyn Stage,
        oracle: &mut dyn Oracle,
        seed: &Input,
        watching: &mut Watching<'_>,
    ) -> Result<Option<Stop>, ExecutorError> {
        if seed.args.is_empty() || self.settings.is_random() {
            return Ok(None);
        }
        let mut ahead = Ahead { main: self, watching, n_runs: 0 };
        let stop = ahead.run(stage, oracle, seed);
        let n_runs = ahead.n_runs;
        self.report.n_blocked += n_runs;
        self.forget_stage();
        stop
    }
}

struct Ahead<'a, 'w> {
    main: &'a Search,
    watching: &'a mut Watching<'w>,
    n_runs: usize,
}

impl Ahead<'_, '_> {
    fn run(
        &mut self,
        stage: &mut dyn Stage,
        oracle: &mut dyn Oracle,
        seed: &Input,
    ) -> Result<Option<Stop>, ExecutorError> {
        let ScheduleSettings { choices: limit, .. } = self.main.settings;
        let settings = ScheduleSettings {
            choices: 0,
            max_runs: None,
            counts_classes: false,
            ..self.main.settings
        };
        let mut flips = Flips::default();
        let mut inputs: VecDeque<Search> = VecDeque::new();
        let mut next = Some((Arc::new(seed.clone()), 0));
        let mut n_inputs = 0;
        while let Some((input, from)) = next {
            let mut search = Search::new(&settings, &input, Cell::default());
            let ended = self.one_run(&mut search, stage, oracle)?;
            if let Some(path) = &search.path {
                flips.learn(path, from, limit);
            }
            match ended {
                Some(Stop::Exhausted | Stop::Depth) => (),
                None => inputs.push_back(search),
                stop => return Ok(stop),
            }
            n_inputs += 1;
            next = (n_inputs < MAX_INPUTS).then(|| flips.take(stage.exprs(), oracle)).flatten();
        }
        while n_inputs > 1
            && let Some(mut search) = inputs.pop_front()
        {
            match self.one_run(&mut search, stage, oracle)? {
                Some(Stop::Exhausted | Stop::Depth) => (),
                None if search.report.n_runs < SHARE => inputs.push_back(search),
                None => (),
                stop => return Ok(stop),
            }
        }
        Ok(None)
    }

    /// Makes one more run of an input. Returns `None` if further runs are left.
    fn one_run(
        &mut self,
        search: &mut Search,
        stage: &mut dyn Stage,
        oracle: &mut dyn Oracle,
    ) -> Result<Option<Stop>, ExecutorError> {
        let max_runs = self.main.settings.max_runs;
        let (n_main, n_before) = (self.main.report.n_runs, self.n_runs);
        if max_runs.is_some_and(|it| it <= n_main + n_before) {
            return Ok(Some(Stop::Runs));
        }
        let mut n_seen = 0;
        let Watching { see, watch } = &mut *self.watching;
        let mut see_one = |ended: &Ended<'_>| {
            n_seen += 1;
            see(&Ended { pass: Pass::LookAhead, ..*ended });
        };
        let main = &self.main.report;
        let mut watch_all = |_: &ScheduleReport| watch(main);
        search.forget_stage();
        let until = Some(search.report.n_runs + 1);
        let ended = search.go_on(stage, oracle, until, &mut see_one, &mut watch_all);
        self.n_runs += n_seen;
        ended
    }
}
