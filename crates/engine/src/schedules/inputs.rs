//! Inputs in breadth, before a search goes through all schedules of one of them.
//!
//! A search in depth comes to the first choice of a call last of all. So, once it has made [`BEFORE`] runs,
//! one run is made of each input that takes a choice the other way, choices near the beginning of a run first,
//! at most [`MAX_INPUTS`] of them; then the inputs have their schedules explored in turns, [`SHARE`] of each.
//! The search in depth goes on as if nothing had been, and makes these runs again: they count as in vain.
//! Random runs take their inputs from the same list.

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

/// Runs of a search before other inputs are looked at.
pub(super) const BEFORE: usize = 100;
/// Inputs that are looked at.
const MAX_INPUTS: usize = 200;
/// Schedules of each.
const SHARE: usize = 50;

/// Choices that can be taken the other way, by their place in the run, and inputs that were made so.
#[derive(Debug, Default)]
pub(super) struct Flips {
    open: BTreeMap<usize, VecDeque<Turn>>,
    made: Vec<Arc<Input>>,
    /// Which of them is next where they take turns.
    next: usize,
}

impl Flips {
    /// Adds what a run chose, from some place on: what comes before was flipped to make its input.
    pub(super) fn learn(&mut self, path: &Arc<Path>, from: usize, limit: usize) {
        for at in from..path.choices.len().min(limit) {
            self.open.entry(at).or_default().extend(Turn::all_at(path, at));
        }
    }

    /// An input that was not made before, and the place behind the choice that it takes the other way.
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

    /// The input of the next random run: a new one and one of those that there are, by turns.
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

/// Who sees runs, and who is asked whether to go on.
pub(super) struct Watching<'a> {
    pub(super) see: &'a mut dyn FnMut(&Ended<'_>),
    pub(super) watch: &'a mut dyn FnMut(&ScheduleReport) -> Option<Stop>,
}

impl Search {
    /// Makes runs of other inputs; see the head of this file.
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

    /// One more run of an input. `None`: there are others.
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
