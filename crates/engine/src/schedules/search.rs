//! The loop of the search: execute a run to its end, plan further runs that its races and receives call for, and
//! backtrack to the last node with something planned.
//!
//! Every run is executed from the start; the search keeps one path and what is planned along it. It may be confined to
//! a part of all executions (`cells`).

use crate::oracle::Oracle;
use crate::report::Stop;
use crate::schedules::bounded::{Detour, Standing, detours};
use crate::schedules::cells::Cell;
use crate::schedules::class::{Mail, class_of};
use crate::schedules::data::{Path, Turns, condition, inputs_for_match, needed};
use crate::schedules::doing::{Doing, NOTHING};
use crate::schedules::inputs::Flips;
use crate::schedules::node::Node;
use crate::schedules::offers::{is_open, labels, loss, natural, waiting};
use crate::schedules::order::Trace;
use crate::schedules::pct::Walk;
use crate::schedules::plan::{Plan, Settled, Settlements};
use crate::schedules::plan::{losses, ordered_plans, plans, try_out, unmatched_plans};
use crate::schedules::settings::{Dpor, Ended, Pass, ScheduleReport, ScheduleSettings};
use crate::schedules::turns::{in_order, in_turns, scramble};
use crate::schedules::wakeup::{Asleep, Branch, Sequence, first_of, insert};
use rustc_hash::FxHashSet;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;
use term::Exprs;
use trace::{
    Actor, Choice, ExecutorError, Input, Label, Match, Offer, OfferKind, Performed, Sent, Stage,
    Take,
};

/// Explores all executions of the program that are not equivalent. `see` is called with each run as it ends; `watch`
/// may stop the search.
pub fn explore_schedules(
    stage: &mut dyn Stage,
    oracle: &mut dyn Oracle,
    seed: &Input,
    settings: &ScheduleSettings,
    see: &mut dyn FnMut(&Ended<'_>),
    watch: &mut dyn FnMut(&ScheduleReport) -> Option<Stop>,
) -> ScheduleReport {
    settings.set(stage);
    let mut search = Search::new(settings, seed, Cell::default());
    let ended = search.go_on(stage, oracle, None, see, watch);
    search.into_report(ended)
}

pub(super) struct Search {
    pub(super) settings: ScheduleSettings,
    nodes: Vec<Node>,
    /// The part of all executions that the search is confined to.
    cell: Arc<Cell>,
    /// The number of actors that may have names; the search ends with [`Stop::Unsupported`] when there are more.
    max_names: Option<usize>,
    /// The input of the current run.
    input: Arc<Input>,
    /// The trace of the previous run, between two runs.
    trace: Trace,
    trace_input: Option<Arc<Input>>,
    /// How many steps of `trace` still belong to the path.
    n_in_trace: usize,
    /// Whether the stage executed something else since the previous run, such as a tried-out plan.
    is_stale: bool,
    /// Plans that need not be made again.
    settled: Settlements,
    /// The flips of choices made before the first step.
    root: Turns,
    classes: FxHashSet<u64>,
    random: u64,
    walk: Walk,
    /// For random runs: the flips from which their inputs are made, and how many choices at the beginning of the
    /// current input's path are not to be flipped again.
    flips: Flips,
    n_flipped: usize,
    seed: Arc<Input>,
    is_cut: bool,
    /// The choices of the last run.
    pub(super) path: Option<Arc<Path>>,
    pub(super) report: ScheduleReport,
}

/// The record of a run, whether it ended or was cut off.
struct Ran {
    whole: Option<Whole>,
    is_blocked: bool,
    is_diverged: bool,
    is_cut: bool,
}

/// The record of a run that came to its end.
struct Whole {
    schedule: Vec<Label>,
    steps: Vec<(Label, Range<usize>)>,
    unreceived: Vec<Sent>,
    performed: Performed,
    class: Option<u64>,
}

/// How the execution of a run went.
struct Played {
    trace: Trace,
    is_whole: bool,
    /// The run was cut off because every enabled step was asleep.
    is_blocked: bool,
    /// The run could not follow its plan.
    is_diverged: bool,
    /// The run was cut off by a bound.
    is_cut: bool,
    /// A planned receive that does not match its message with this input.
    refused: Option<Refused>,
    /// Actors that wait at the end, with messages that they would take with other inputs.
    waiting: Vec<(Label, Vec<Choice>)>,
    /// The steps that are asleep at the end.
    asleep: Vec<Arc<Asleep>>,
}

struct Refused {
    at: usize,
    label: Label,
    found: Match,
}

impl Search {
    pub(super) fn new(settings: &ScheduleSettings, seed: &Input, cell: Cell) -> Search {
        let seed = Arc::new(seed.clone());
        Search {
            settings: *settings,
            nodes: Vec::new(),
            cell: Arc::new(cell),
            max_names: None,
            input: Arc::clone(&seed),
            trace: Trace::new(settings.delivery),
            trace_input: None,
            n_in_trace: 0,
            is_stale: false,
            settled: Settlements::default(),
            root: Turns::default(),
            classes: FxHashSet::default(),
            random: settings.seed,
            walk: Walk::new(settings.seed),
            flips: Flips::default(),
            n_flipped: 0,
            seed,
            is_cut: false,
            path: None,
            report: ScheduleReport::default(),
        }
    }

    /// Limits the search to executions with the first `n_names` actors.
    pub(super) fn among(self, n_names: usize) -> Search {
        Search { max_names: Some(n_names), ..self }
    }

    /// Continues the search until nothing is left, `watch` says stop, or `until` runs were made. In the last case it
    /// returns `None`, and can be called again.
    pub(super) fn go_on(
        &mut self,
        stage: &mut dyn Stage,
        oracle: &mut dyn Oracle,
        until: Option<usize>,
        see: &mut dyn FnMut(&Ended<'_>),
        watch: &mut dyn FnMut(&ScheduleReport) -> Option<Stop>,
    ) -> Result<Option<Stop>, ExecutorError> {
        loop {
            let ran = self.run(stage, oracle)?;
            self.tell(&ran, see);
            let is_last = self.settings.max_runs.is_some_and(|it| it <= self.report.n_runs);
            let stop = watch(&self.report).or_else(|| is_last.then_some(Stop::Runs));
            if stop.is_some() {
                return Ok(stop);
            }
            if self.max_names.is_some_and(|it| it < stage.n_names()) {
                return Ok(Some(Stop::Unsupported));
            }
            if self.settings.is_random() {
                self.begin_at_random(stage, oracle);
            } else if !self.go_back(stage, oracle) {
                return Ok(Some(if self.is_cut { Stop::Depth } else { Stop::Exhausted }));
            }
            if until.is_some_and(|it| it <= self.report.n_runs) {
                return Ok(None);
            }
        }
    }

    /// Chooses the input of the next random run.
    fn begin_at_random(&mut self, stage: &mut dyn Stage, oracle: &mut dyn Oracle) {
        self.nodes.clear();
        if let Some(path) = self.path.take() {
            self.flips.learn(&path, self.n_flipped, self.settings.choices);
        }
        let exprs = stage.exprs();
        (self.input, self.n_flipped) = self.flips.for_random_run(exprs, oracle, &self.seed);
    }

    /// Returns the report of the search.
    pub(super) fn into_report(self, ended: Result<Option<Stop>, ExecutorError>) -> ScheduleReport {
        let (stop, trouble) = match ended {
            Ok(stop) => (stop.unwrap_or(Stop::Interrupted), None),
            Err(error) => (Stop::Unsupported, Some(error.why)),
        };
        ScheduleReport { stop, trouble, ..self.report }
    }

    /// Records that the stage was used for something else.
    pub(super) fn forget_stage(&mut self) {
        self.is_stale = true;
    }

    /// Executes one run and plans the runs that it calls for.
    fn run(
        &mut self,
        stage: &mut dyn Stage,
        oracle: &mut dyn Oracle,
    ) -> Result<Ran, ExecutorError> {
        let n_known = self.nodes.len().saturating_sub(1);
        let played = self.play(stage)?;
        let mut performed = stage.end()?;
        if played.is_cut && played.is_whole {
            performed.run_out_of_steps(self.settings.steps);
        }
        let settled = self.learn(stage, oracle, &played, &performed, n_known);
        let Played { trace, is_whole, is_blocked, is_diverged, is_cut, .. } = played;
        let whole = (is_whole && self.cell.counts(&trace)).then(|| {
            let label = |it: usize| trace.events.get(it).map(|it| it.step.label);
            let schedule: Vec<Label> = trace.linear().into_iter().filter_map(label).collect();
            let taken = trace.events.iter().map(|it| &it.step);
            let steps = taken.map(|it| (it.label, it.choices.clone())).collect();
            let mut unreceived = trace.unreceived();
            unreceived.retain(|it| !performed.unheard.contains(&it.message));
            let is_classed = self.settings.counts_classes || self.settings.meets_again();
            let mail = if self.settings.dpor.orders_mail() { Mail::Ordered } else { Mail::Free };
            let class = is_classed.then(|| class_of(&trace, &performed, stage, mail));
            Whole { schedule, steps, unreceived, performed, class }
        });
        self.trace = trace;
        settled.into_iter().for_each(|it| self.settled.add(it));
        self.trace_input = Some(Arc::clone(&self.input));
        self.n_in_trace = usize::MAX;
        Ok(Ran { whole, is_blocked, is_diverged, is_cut })
    }

    /// Counts a run and passes it to `see`.
    fn tell(&mut self, ran: &Ran, see: &mut dyn FnMut(&Ended<'_>)) {
        self.report.n_blocked += usize::from(ran.is_blocked);
        self.report.n_diverged += usize::from(ran.is_diverged);
        self.is_cut |= ran.is_cut;
        if let Some(Whole { schedule, steps, unreceived, performed, class }) = &ran.whole {
            let is_new = class.is_some_and(|it| self.classes.insert(it));
            // After a loss, runs of equal classes may still differ with the input.
            let is_followed = performed.losses.is_empty();
            if self.settings.meets_again() && !is_new && is_followed {
                self.report.n_blocked += 1;
                return;
            }
            self.report.n_runs += 1;
            self.report.n_classes += usize::from(is_new);
            let input = &*self.input;
            let class = *class;
            let pass = Pass::Search;
            see(&Ended { input, schedule, steps, unreceived, performed, class, pass });
        }
    }

    /// Executes one run: first along the path, then by free choice.
    fn play(&mut self, stage: &mut dyn Stage) -> Result<Played, ExecutorError> {
        let trace = self.play_known(stage)?;
        let mut res = Played {
            trace,
            is_whole: true,
            is_blocked: false,
            is_diverged: false,
            is_cut: false,
            refused: None,
            waiting: Vec::new(),
            asleep: Vec::new(),
        };
        let mut sleep: Vec<Arc<Asleep>> = Vec::new();
        let mut planned: Vec<Branch> = Vec::new();
        let known = res.trace.len();
        let mut n_preemptions = self.nodes.get(known).map_or(0, |it| it.standing.n_preemptions);
        let mut last = res.trace.events.last().map(|it| it.step.label.actor);
        loop {
            let trace = &mut res.trace;
            let depth = trace.len();
            let offers = stage.offers()?;
            if !offers.iter().any(is_open) && depth >= self.nodes.len() {
                (res.waiting, res.asleep) = (waiting(&offers), sleep);
                break;
            }
            if depth >= self.settings.steps {
                res.is_cut = true;
                break;
            }
            let standing = Standing::new(n_preemptions, last, &offers);
            if depth >= self.nodes.len() {
                let mut tree = std::mem::take(&mut planned);
                if tree.is_empty() {
                    let offers = self.within_bound(standing, &offers);
                    tree = self.choose(stage.exprs(), &offers, trace, &sleep, last);
                }
                if tree.is_empty() {
                    res.is_blocked = self.can_any(&offers, trace);
                    res.is_whole = false;
                    // A receive that may take only some messages in this cell may still match them with other inputs.
                    let may = |it: &(Label, Vec<Choice>)| self.cell.permits(trace, it.0);
                    res.waiting = waiting(&offers).into_iter().filter(may).collect();
                    res.asleep = sleep;
                    break;
                }
                let sleep = std::mem::take(&mut sleep);
                self.nodes.push(Node::new(sleep, tree, standing));
            } else if self.settings.is_bounded() {
                self.stand_at(depth, standing, &offers);
            }
            let is_newest = depth + 1 == self.nodes.len();
            let branch = self.nodes.get(depth).and_then(|it| it.tree.first());
            let Some(label) = branch.map(|it| it.doing.label) else { break };
            if !self.can(&offers, trace, label) {
                // The input has changed, and with it what is received here.
                res.refused = refused(stage, &offers, depth, label)?;
                // No step is possible with this input: the run ends here.
                res.is_whole = is_newest
                    && res.refused.is_some()
                    && !offers.iter().any(is_open)
                    && self.first_end_at(depth);
                res.is_diverged = res.refused.is_none() || !is_newest;
                if is_newest {
                    self.instead(stage.exprs(), &offers, trace, depth, last);
                }
                break;
            }
            if !standing.allows(label.actor, self.settings.preemptions) {
                // With another input, an actor is enabled that was not.
                (res.is_cut, res.is_whole) = (true, false);
                break;
            }
            n_preemptions = standing.with(label.actor);
            if is_newest && self.settings.is_bounded() {
                self.try_variants(depth, label.actor, &offers, trace);
            }
            let branch = self.nodes.get_mut(depth).and_then(|it| it.tree.first_mut());
            if let Some(branch) = branch.filter(|_| is_newest) {
                planned = std::mem::take(&mut branch.children);
            }
            let step = stage.step(label)?;
            last = Some(label.actor);
            // The last step of a plan is not guided: what it does is not known yet.
            let asks = trace.add(step, &offers, is_newest && !planned.is_empty());
            for (received, message) in asks {
                if let Some(receive) = trace.received.get(received).map(|it| it.receive) {
                    let found = stage.matches(receive, message)?;
                    trace.answer(received, message, found);
                }
            }
            if let (Some(node), Some(event)) = (self.nodes.get_mut(depth), trace.events.last()) {
                if let Some(branch) = node.tree.first_mut() {
                    branch.doing = Arc::clone(&event.doing);
                }
                if is_newest {
                    let stays = |it: &&Arc<Asleep>| !it.doing.depends_on(&event.doing);
                    if self.settings.dpor != Dpor::All && self.settings.preemptions.is_none() {
                        sleep = node.sleep.iter().filter(stays).cloned().collect();
                    }
                }
            }
        }
        Ok(res)
    }

    /// Returns the offers that stay within the bound on preemptions.
    fn within_bound<'o>(&mut self, standing: Standing, offers: &'o [Offer]) -> Cow<'o, [Offer]> {
        let max = self.settings.preemptions;
        let is_within = |it: &&Offer| !is_open(it) || standing.allows(it.actor, max);
        if offers.iter().all(|it| is_within(&it)) {
            return Cow::Borrowed(offers);
        }
        // A search that reverses races finds out more precisely what the bound leaves out.
        self.is_cut |= !self.settings.is_bounded();
        Cow::Owned(offers.iter().filter(is_within).cloned().collect())
    }

    /// Updates the standing of a known node, as the enabled actors may depend on the input, and plans the step of the
    /// running actor if it was not tried.
    fn stand_at(&mut self, depth: usize, standing: Standing, offers: &[Offer]) {
        let Some(node) = self.nodes.get_mut(depth) else { return };
        node.standing = standing;
        let offer = offers.iter().find(|it| Some(it.actor) == standing.running);
        let label = offer.and_then(|it| natural(std::slice::from_ref(it), None));
        if let (Some(offer), Some(label)) = (offer, label.filter(|it| !node.tries(*it))) {
            let doing = Doing::of_offer(label, Some(&offer.kind));
            node.tree.push(Branch::free(doing, &self.input));
        }
    }

    /// Plans the other steps of an actor that is tried here: losing its message, or taking another one.
    fn try_variants(&mut self, depth: usize, actor: Actor, offers: &[Offer], trace: &Trace) {
        let Some(offer) = offers.iter().find(|it| it.actor == actor) else { return };
        let labels = self.variants(offers, trace, offer);
        let Some(node) = self.nodes.get_mut(depth) else { return };
        for label in labels {
            if !node.tries(label) {
                let doing = Doing::of_offer(label, Some(&offer.kind));
                node.tree.push(Branch::free(doing, &self.input));
            }
        }
    }

    /// Takes the steps again that the previous run has in common with this one, if both have the same input.
    fn play_known(&mut self, stage: &mut dyn Stage) -> Result<Trace, ExecutorError> {
        let mut trace = std::mem::take(&mut self.trace);
        trace.delivery = self.settings.delivery;
        trace.cell = Arc::clone(&self.cell);
        let is_same = self.trace_input.as_ref().is_some_and(|it| Arc::ptr_eq(it, &self.input));
        let n_known = if is_same { self.nodes.len().saturating_sub(1) } else { 0 };
        self.settled.truncate(n_known);
        trace.truncate(n_known.min(self.n_in_trace));
        let n_taken = if is_same && !std::mem::take(&mut self.is_stale) {
            stage.begin_again(&self.input, trace.len())?
        } else {
            stage.begin(&self.input)?;
            0
        };
        for event in &mut trace.events {
            event.is_guided = false;
        }
        for event in trace.events.get(n_taken..).unwrap_or_default() {
            stage.again(event.step.label, event.step.is_last)?;
        }
        Ok(trace)
    }

    /// Whether no run has ended at this node before; records that one has now.
    fn first_end_at(&mut self, depth: usize) -> bool {
        let Some(node) = self.nodes.get_mut(depth) else { return true };
        let is_first = node.sleep.iter().all(|it| it.doing.label != NOTHING);
        if is_first {
            let nothing = Branch::free(Doing::nothing(), &self.input);
            node.sleep.push(nothing.into_asleep());
        }
        is_first
    }

    /// Returns the branches to try at a node where nothing is planned.
    fn choose(
        &mut self,
        exprs: &Exprs,
        offers: &[Offer],
        trace: &Trace,
        sleep: &[Arc<Asleep>],
        last: Option<Actor>,
    ) -> Vec<Branch> {
        let input = Arc::clone(&self.input);
        let branch = |label: Label| {
            let kind = offers.iter().find(|it| it.actor == label.actor).map(|it| &*it.kind);
            Branch::free(Doing::of_offer(label, kind), &input)
        };
        let variants = || -> Vec<Label> {
            offers.iter().flat_map(|it| self.variants(offers, trace, it)).collect()
        };
        match self.settings.dpor {
            Dpor::Optimal | Dpor::Source => {
                self.free_label(exprs, offers, trace, sleep, last).map(branch).into_iter().collect()
            }
            Dpor::SleepSets => {
                let is_awake = |it: &Label| !sleep.iter().any(|of| of.doing.label == *it);
                let mut labels = variants();
                labels.retain(is_awake);
                labels.sort_by_key(|it| in_turns(trace, it.actor, last));
                labels.into_iter().map(branch).collect()
            }
            Dpor::All => variants().into_iter().map(branch).collect(),
            Dpor::Random | Dpor::Pct { .. } => {
                let mut labels = variants();
                if let Dpor::Pct { depth } = self.settings.dpor {
                    let first = self.walk.choose(depth, trace.len(), &labels);
                    labels.retain(|it| Some(it.actor) == first);
                }
                self.random = scramble(self.random.wrapping_add(0x9e37_79b9_7f4a_7c15));
                let n = usize::try_from(self.random >> 16).unwrap_or(0) % labels.len().max(1);
                labels.get(n).copied().map(branch).into_iter().collect()
            }
        }
    }

    /// Returns all steps that an actor can take now.
    fn variants(&self, offers: &[Offer], trace: &Trace, offer: &Offer) -> Vec<Label> {
        let mut labels = labels(offer);
        labels.retain(|it| trace.arrivals_before(*it).is_some());
        if self.settings.takes_first() {
            labels.truncate(1);
        }
        labels.retain(|it| self.can(offers, trace, *it));
        let max_losses = self.settings.losses;
        let may_lose = max_losses > 0 && trace.n_lost(trace.len()) < max_losses;
        labels.extend(loss(offer).filter(|_| may_lose));
        labels
    }

    /// Returns an enabled step that is not asleep, preferably of the actor that took the last step.
    fn free_label(
        &self,
        exprs: &Exprs,
        offers: &[Offer],
        trace: &Trace,
        sleep: &[Arc<Asleep>],
        last: Option<Actor>,
    ) -> Option<Label> {
        let is_asleep = |label: &Label| {
            sleep
                .iter()
                .any(|it| it.doing.label == *label && it.conditions.hold(exprs, &self.input))
        };
        let order = in_order(&self.settings, trace, offers, last);
        order.into_iter().find_map(|offer| {
            let mut labels = labels(offer);
            labels.retain(|it| trace.arrivals_before(*it).is_some());
            if self.settings.takes_first() {
                labels.truncate(1);
            }
            labels.into_iter().find(|it| !is_asleep(it) && self.can(offers, trace, *it))
        })
    }

    /// Plans a free step at a node whose input does not permit the planned one.
    fn instead(
        &mut self,
        exprs: &Exprs,
        offers: &[Offer],
        trace: &Trace,
        depth: usize,
        last: Option<Actor>,
    ) {
        let Some(node) = self.nodes.get(depth) else { return };
        let Some(label) = self.free_label(exprs, offers, trace, &node.sleep, last) else { return };
        let kind = offers.iter().find(|it| it.actor == label.actor).map(|it| &*it.kind);
        let sequence = Sequence {
            doings: vec![Doing::of_offer(label, kind)],
            input: Arc::clone(&self.input),
            condition: None,
            n_fixed: 0,
        };
        if let Some(node) = self.nodes.get_mut(depth) {
            insert(&mut node.tree, 1, sequence, exprs);
        }
    }

    /// Plans the runs that a run calls for; returns the settled steps, which need not be planned again.
    fn learn(
        &mut self,
        stage: &mut dyn Stage,
        oracle: &mut dyn Oracle,
        played: &Played,
        performed: &Performed,
        fresh: usize,
    ) -> Vec<Settled> {
        let trace = &played.trace;
        let path = Path::new(trace, &performed.choices, &self.input);
        self.path = Some(Arc::clone(&path));
        let limit = self.settings.choices;
        self.is_cut |= limit < path.choices.len();
        let first = trace.events.first().map_or(path.choices.len(), |it| it.step.choices.start);
        self.root.learn(&path, 0..first, 0, limit);
        let mut n_assumed = 0;
        for (event, node) in trace.events.iter().zip(&mut self.nodes) {
            n_assumed += event.assumed.len();
            if !event.is_guided {
                node.turns.learn(&path, event.step.choices.clone(), n_assumed, limit);
            }
        }
        if self.settings.is_bounded() {
            self.learn_detours(stage.exprs(), oracle, trace, &path, fresh);
        }
        let mut settled = Vec::new();
        for mut plan in self.plans(trace, fresh) {
            if plan.is_open {
                self.is_stale = true;
                match try_out(stage, trace, &plan, &self.input) {
                    Ok(Some(doing)) => plan.is_tried(doing),
                    Ok(None) if plan.may_be_impossible => continue,
                    Ok(None) | Err(_) => (),
                }
            }
            let Some(plan) = plan.within(&self.cell, trace) else { continue };
            let place = self.accept(stage.exprs(), oracle, trace, &path, &plan);
            settled.extend(place.and_then(|it| plan.settled(it)));
        }
        if let Some(Refused { at, label, found }) = &played.refused {
            let n_fixed = self.nodes.get(*at).and_then(|it| it.tree.first()).map(|it| it.n_fixed);
            let needed: Vec<&Choice> = path.choices.iter().collect();
            // Unless the input was made for this match, the receive was refused because an earlier choice was flipped.
            if let Some(from) = n_fixed.filter(|it| *it > 0) {
                let (exprs, choices) = (stage.exprs(), &found.choices);
                let inputs = inputs_for_match(exprs, oracle, &needed, choices, from, &self.input);
                self.add_inputs(stage.exprs(), *at, *label, inputs);
            }
        }
        for (label, choices) in &played.waiting {
            let at = trace.len();
            let needed: Vec<&Choice> = path.choices.iter().collect();
            let inputs = inputs_for_match(stage.exprs(), oracle, &needed, choices, 0, &self.input);
            if inputs.is_empty() {
                continue;
            }
            if self.nodes.len() == at {
                // No step was taken here; the plans are inserted beside a placeholder.
                let tree = vec![Branch::free(Doing::nothing(), &self.input)];
                self.nodes.push(Node::new(played.asleep.clone(), tree, Standing::default()));
            }
            self.add_inputs(stage.exprs(), at, *label, inputs);
        }
        settled
    }

    fn plans(&self, trace: &Trace, fresh: usize) -> Vec<Plan> {
        let ScheduleSettings { dpor, losses: max_losses, .. } = self.settings;
        if self.settings.is_bounded() {
            return Vec::new();
        }
        let mut res = match dpor {
            Dpor::Optimal => plans(trace, &self.settled, fresh),
            Dpor::Source => ordered_plans(trace, fresh),
            Dpor::SleepSets | Dpor::All | Dpor::Random | Dpor::Pct { .. } => return Vec::new(),
        };
        if max_losses > 0 {
            // Source sets use only the first step of a plan.
            let is_source = dpor == Dpor::Source;
            let lost = losses(trace, max_losses).into_iter();
            res.extend(lost.map(|it| if is_source { it.only_last() } else { it }));
        }
        res
    }

    /// Plans the steps that a run calls for in a search with a bound on preemptions.
    fn learn_detours(
        &mut self,
        exprs: &mut Exprs,
        oracle: &mut dyn Oracle,
        trace: &Trace,
        path: &Path,
        fresh: usize,
    ) {
        // The cost of a step may depend on the input.
        let is_same = self.trace_input.as_ref().is_some_and(|it| Arc::ptr_eq(it, &self.input));
        let fresh = if is_same { fresh } else { 0 };
        for Detour { at, firsts } in detours(trace, fresh) {
            let Some(node) = self.nodes.get_mut(at) else { continue };
            let Some(doing) = firsts.first() else { continue };
            if firsts.iter().any(|it| node.tries(it.label)) {
                continue;
            }
            if node.standing.allows(doing.label.actor, self.settings.preemptions) {
                node.tree.push(Branch::free(Arc::clone(doing), &self.input));
            } else {
                self.is_cut = true;
            }
        }
        for plan in unmatched_plans(trace, fresh) {
            let is_tried = |it: &Node| it.tries(plan.last.label);
            if self.nodes.get(plan.at).is_some_and(is_tried) {
                continue;
            }
            let (needed, unmatched) = (needed(trace, path, &plan), plan.unmatched.as_deref());
            let unmatched = unmatched.unwrap_or_default();
            let inputs = inputs_for_match(exprs, oracle, &needed, unmatched, 0, &self.input);
            self.add_inputs(exprs, plan.at, plan.last.label, inputs);
        }
    }

    /// Plans one step at a node, with inputs that may enable it.
    fn add_inputs(
        &mut self,
        exprs: &Exprs,
        at: usize,
        label: Label,
        inputs: Vec<(Arc<Input>, usize)>,
    ) {
        let Some(node) = self.nodes.get_mut(at) else { return };
        for (input, n_fixed) in inputs {
            let doing = Doing::of_offer(label, None);
            if !node.covers(&[&*doing], exprs, &input) {
                let branch = Branch::free(doing, &input);
                node.tree.push(Branch { n_fixed, ..branch });
            }
        }
    }

    /// Inserts a plan into the wakeup tree of its node, unless the executions it leads to are explored or planned.
    /// Returns the index of the first step of the sequence that is an initial of it and that the node tries or has
    /// tried.
    fn accept(
        &mut self,
        exprs: &mut Exprs,
        oracle: &mut dyn Oracle,
        trace: &Trace,
        path: &Path,
        plan: &Plan,
    ) -> Option<usize> {
        let condition = condition(exprs, trace, path, plan);
        let mut inputs = vec![(Arc::clone(&self.input), 0)];
        if let Some(unmatched) = &plan.unmatched {
            let needed = needed(trace, path, plan);
            inputs = inputs_for_match(exprs, oracle, &needed, unmatched, 0, &self.input);
        }
        let sequence = plan.sequence(trace);
        let is_source = self.settings.dpor == Dpor::Source;
        let node = self.nodes.get_mut(plan.at)?;
        let doings: Vec<&Doing> = sequence.clone().map(|it| &**it).collect();
        let mut is_seen = false;
        for (input, n_fixed) in inputs {
            if node.is_seen(&doings, exprs, &input, self.settings.dpor) {
                is_seen = true;
                continue;
            }
            let (n_kept, condition) =
                if is_source { (1, None) } else { (usize::MAX, condition.clone()) };
            let doings: Vec<Arc<Doing>> = sequence.clone().take(n_kept).cloned().collect();
            // Another step that is tried here need not lead to the sending of the message that might be lost.
            if let (true, [lost]) = (is_source && plan.last.label.take == Take::Lost, &*doings) {
                node.tree.push(Branch::free(Arc::clone(lost), &input));
                continue;
            }
            insert(&mut node.tree, 1, Sequence { doings, input, condition, n_fixed }, exprs);
        }
        let asleep =
            node.sleep.iter().filter(|_| is_seen).map(|it| (it.doing.label, &it.conditions));
        // A step tried later leaves to this step everything that this step could precede. So this step cannot stand for
        // an alternative of the same receive: not all executions of the alternative are found there.
        let n_tried = if plan.is_choice { 0 } else { usize::MAX };
        let tried =
            node.tree.iter().skip(1).take(n_tried).map(|it| (it.doing.label, &it.conditions));
        first_of(asleep.chain(tried), &doings, &self.input, exprs)
    }

    /// Backtracks to the last node with something left to explore; returns `false` if there is none.
    fn go_back(&mut self, stage: &mut dyn Stage, oracle: &mut dyn Oracle) -> bool {
        while let Some(node) = self.nodes.last_mut() {
            if let Some(input) = node.turns.take(stage.exprs(), oracle) {
                self.input = input;
                return true;
            }
            if !node.tree.is_empty() {
                node.sleep.push(node.tree.remove(0).into_asleep());
            }
            node.turns = Turns::default();
            if let Some(next) = node.tree.first() {
                self.input = Arc::clone(&next.input);
                self.n_in_trace = self.n_in_trace.min(self.nodes.len().saturating_sub(1));
                return true;
            }
            self.nodes.pop();
        }
        match self.root.take(stage.exprs(), oracle) {
            Some(input) => {
                self.input = input;
                true
            }
            None => false,
        }
    }

    /// Whether the step is offered and enabled in this cell.
    fn can(&self, offers: &[Offer], trace: &Trace, label: Label) -> bool {
        self.settings.can(offers, trace, label) && self.cell.permits(trace, label)
    }

    /// Whether any step is enabled, asleep or not.
    fn can_any(&self, offers: &[Offer], trace: &Trace) -> bool {
        offers.iter().flat_map(labels).any(|it| self.can(offers, trace, it))
    }
}

/// Returns why a planned receive cannot take its message, if that depends on the input.
fn refused(
    stage: &mut dyn Stage,
    offers: &[Offer],
    at: usize,
    label: Label,
) -> Result<Option<Refused>, ExecutorError> {
    let offer = offers.iter().find(|it| it.actor == label.actor);
    let (Some(OfferKind::Receive(waiting)), Take::Message(id)) =
        (offer.map(|it| &*it.kind), label.take)
    else {
        return Ok(None);
    };
    let found = stage.matches(waiting.receive, id)?;
    let is_symbolic = !found.holds && !found.choices.is_empty();
    Ok(is_symbolic.then_some(Refused { at, label, found }))
}
