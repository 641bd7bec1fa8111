//! The loop: run to the end, plan what the run gives reason to, go back to the last node that has
//! something planned.
//!
//! Runs begin from the start each time; what is kept is one path and what is planned along it.

use crate::oracle::Oracle;
use crate::report::Stop;
use crate::schedules::data::{Path, Turns, condition, inputs_for_match, needed};
use crate::schedules::doing::{Doing, initial, is_weak_initial};
use crate::schedules::offers::{fits, is_open, labels, loss, natural, waiting};
use crate::schedules::order::{Delivery, Settled, Trace};
use crate::schedules::plan::{Plan, losses, ordered_plans, plans, try_out};
use crate::schedules::wakeup::{Asleep, Branch, Sequence, first_tried, insert};
use rustc_hash::{FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;
use term::Exprs;
use trace::{
    Actor, Choice, ExecutorError, Input, Label, Match, Offer, OfferKind, Performed, Stage, Step,
    Take,
};

#[derive(Clone, Copy, Debug)]
pub struct ScheduleSettings {
    pub dpor: Dpor,
    pub delivery: Delivery,
    /// How often a process may be left although it could go on.
    pub preemptions: Option<usize>,
    /// How many messages of a run may be lost.
    pub losses: usize,
    /// Steps of a run.
    pub depth: usize,
    pub max_runs: Option<usize>,
    /// Choices of a path that may be flipped.
    pub choices: usize,
    pub seed: u64,
    /// Whether classes are counted; that takes memory for each run.
    pub counts_classes: bool,
}

impl Default for ScheduleSettings {
    fn default() -> ScheduleSettings {
        ScheduleSettings {
            dpor: Dpor::Optimal,
            delivery: Delivery::Instant,
            preemptions: None,
            losses: 0,
            depth: 5000,
            max_runs: None,
            choices: 25,
            seed: 0,
            counts_classes: false,
        }
    }
}

/// How much is left out because it would be the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Dpor {
    /// No two runs are equivalent.
    #[default]
    Optimal,
    /// Every class is met, some in vain; every order of messages in a mailbox counts.
    Source,
    /// Everybody who can is tried at every step, but for what was seen before (sleep sets).
    None,
    /// All interleavings.
    All,
    /// Runs at random, as many as the budget allows.
    Random,
}

impl Dpor {
    /// Whether which message came first is decided where they are sent. If not, it is decided where
    /// they are taken.
    fn orders_mail(self) -> bool {
        match self {
            Dpor::Source | Dpor::None => true,
            Dpor::Optimal | Dpor::All | Dpor::Random => false,
        }
    }
}

#[derive(Clone, Debug, Default)]
pub struct ScheduleReport {
    pub n_runs: usize,
    /// Runs that came to a place from where all had been seen.
    pub n_blocked: usize,
    /// Runs that could not follow their plan.
    pub n_diverged: usize,
    /// Different classes of schedules and inputs, if they are counted.
    pub n_classes: usize,
    pub stop: Stop,
    pub trouble: Option<String>,
}

/// A run that came to its end.
#[derive(Debug)]
pub struct Ended<'a> {
    pub input: &'a Input,
    /// In an order in which they can be taken with messages that are there when sent.
    pub schedule: &'a [Label],
    /// In the order in which they were taken, with the choices made in each.
    pub steps: &'a [(Label, Range<usize>)],
    pub performed: &'a Performed,
}

/// Runs the program in all ways that differ. `see` gets each run as it ends; `watch` is asked
/// whether to go on.
pub fn explore_schedules(
    stage: &mut dyn Stage,
    oracle: &mut dyn Oracle,
    seed: &Input,
    settings: &ScheduleSettings,
    see: &mut dyn FnMut(&Ended<'_>),
    watch: &mut dyn FnMut(&ScheduleReport) -> Option<Stop>,
) -> ScheduleReport {
    let mut search = Search {
        settings: *settings,
        nodes: Vec::new(),
        input: Rc::new(seed.clone()),
        trace: Trace::new(settings.delivery),
        trace_input: None,
        is_stale: false,
        root: Turns::default(),
        classes: FxHashSet::default(),
        random: settings.seed,
        is_cut: false,
        report: ScheduleReport::default(),
    };
    stage.order_mail(settings.dpor.orders_mail());
    match search.go_on(stage, oracle, see, watch) {
        Ok(stop) => search.report.stop = stop,
        Err(error) => {
            search.report.stop = Stop::Unsupported;
            search.report.trouble = Some(error.why);
        }
    }
    search.report
}

/// A run along a schedule that was known.
#[derive(Debug)]
pub struct Followed {
    pub steps: Vec<Step>,
    pub performed: Performed,
    /// How often an actor was left although it could go on.
    pub n_preemptions: usize,
    /// Every receive took the first message that it wanted, in the order in which they were sent.
    pub is_in_order: bool,
}

/// Takes the steps of a schedule again, by their names; beyond it, whatever comes.
pub fn follow(
    stage: &mut dyn Stage,
    input: &Input,
    schedule: &[String],
) -> Result<Followed, ExecutorError> {
    stage.begin(input)?;
    let mut steps: Vec<Step> = Vec::new();
    let mut names = schedule.iter();
    let (mut n_preemptions, mut is_in_order) = (0, true);
    loop {
        let offers = stage.offers()?;
        let name = names.next();
        let is_it = |it: &Label| name.is_some_and(|name| *name == step_name(stage, *it));
        let all = offers.iter().flat_map(|it| labels(it).into_iter().chain(loss(it)));
        let wanted = all.into_iter().find(is_it);
        let last = steps.last().map(|it| it.label.actor);
        let Some(label) = wanted.or_else(|| natural(&offers, last)) else { break };
        let goes_on = |of: &Offer| Some(of.actor) == last && of.actor != label.actor && is_open(of);
        n_preemptions += usize::from(offers.iter().any(goes_on));
        let is_first = |of: &Offer| {
            let is_other = of.actor != label.actor || label.take == Take::Lost;
            is_other || labels(of).first() == Some(&label)
        };
        is_in_order &= offers.iter().all(is_first);
        steps.push(stage.step(label)?);
    }
    Ok(Followed { steps, performed: stage.end()?, n_preemptions, is_in_order })
}

/// The name of a step, the same in every interleaving: `P.1`, `P takes P.1#0`, `P gives up`, `P loses`.
pub fn step_name(stage: &dyn Stage, label: Label) -> String {
    let actor = stage.name(label.actor);
    match label.take {
        Take::Next => actor,
        Take::Message(id) => format!("{actor} takes {}#{}", stage.name(id.from), id.n),
        Take::Timeout => format!("{actor} gives up"),
        Take::Lost => format!("{actor} loses"),
    }
}

struct Search {
    settings: ScheduleSettings,
    nodes: Vec<Node>,
    /// Of the run that is going on.
    input: Rc<Input>,
    /// Of the run before, when there is none going on.
    trace: Trace,
    trace_input: Option<Rc<Input>>,
    /// Whether something else was tried since.
    is_stale: bool,
    /// What was chosen before the first step.
    root: Turns,
    classes: FxHashSet<u64>,
    random: u64,
    is_cut: bool,
    report: ScheduleReport,
}

/// The step of a run that ends; no actor has it.
const NOTHING: Label = Label { actor: Actor(u32::MAX), take: Take::Next };

/// It comes before or after nothing else.
fn nothing() -> Arc<Doing> {
    let (accesses, kills) = (Vec::new(), Vec::new());
    let kind = OfferKind::Next { accesses, is_global: true, kills, may_lose: false };
    Doing::of_offer(NOTHING, Some(&kind))
}

/// A place on the path, before a step.
struct Node {
    sleep: Vec<Rc<Asleep>>,
    /// The first branch is the one on the path.
    tree: Vec<Branch>,
    /// What the step on the path chose by its data, and what was not tried.
    turns: Turns,
    /// On the way here.
    n_preemptions: usize,
}

impl Node {
    /// Whether all that a sequence leads to has been seen.
    fn covers(&self, sequence: &[&Doing], exprs: &Exprs, input: &Input) -> bool {
        let covers = |it: &Rc<Asleep>| {
            is_weak_initial(&it.doing, sequence) && it.conditions.hold(exprs, input)
        };
        self.sleep.iter().any(covers)
    }
}

/// How a run came to its end.
struct Played {
    trace: Trace,
    is_whole: bool,
    /// A planned receive did not want its message, with this input.
    refused: Option<Refused>,
    /// Who waits in the end, for messages that it would take with other inputs.
    waiting: Vec<(Label, Vec<Choice>)>,
}

struct Refused {
    at: usize,
    label: Label,
    found: Match,
}

impl Search {
    fn go_on(
        &mut self,
        stage: &mut dyn Stage,
        oracle: &mut dyn Oracle,
        see: &mut dyn FnMut(&Ended<'_>),
        watch: &mut dyn FnMut(&ScheduleReport) -> Option<Stop>,
    ) -> Result<Stop, ExecutorError> {
        loop {
            let fresh = self.nodes.len().saturating_sub(1);
            let played = self.play(stage)?;
            let performed = stage.end()?;
            let Played { trace, .. } = &played;
            if played.is_whole {
                self.report.n_runs += 1;
                let is_counted = self.settings.counts_classes;
                if is_counted && self.classes.insert(class_of(trace, &performed)) {
                    self.report.n_classes += 1;
                }
                let label = |it: usize| trace.events.get(it).map(|it| it.step.label);
                let schedule: Vec<Label> = trace.linear().into_iter().filter_map(label).collect();
                let taken = trace.events.iter().map(|it| &it.step);
                let steps: Vec<_> = taken.map(|it| (it.label, it.choices.clone())).collect();
                let (input, schedule, steps) = (&*self.input, &*schedule, &*steps);
                see(&Ended { input, schedule, steps, performed: &performed });
            }
            let settled = self.learn(stage, oracle, &played, &performed, fresh);
            self.trace = played.trace;
            settled.into_iter().for_each(|it| self.trace.settle(it));
            self.trace_input = Some(Rc::clone(&self.input));
            if let Some(stop) = watch(&self.report) {
                return Ok(stop);
            }
            if self.settings.max_runs.is_some_and(|it| it <= self.report.n_runs) {
                return Ok(Stop::Runs);
            }
            if self.settings.dpor == Dpor::Random {
                self.nodes.clear();
            } else if !self.go_back(stage, oracle) {
                return Ok(if self.is_cut { Stop::Depth } else { Stop::Exhausted });
            }
        }
    }

    /// One run along the path, then freely.
    fn play(&mut self, stage: &mut dyn Stage) -> Result<Played, ExecutorError> {
        let trace = self.play_known(stage)?;
        let mut res = Played { trace, is_whole: true, refused: None, waiting: Vec::new() };
        let mut sleep: Vec<Rc<Asleep>> = Vec::new();
        let mut planned: Vec<Branch> = Vec::new();
        let known = res.trace.len();
        let mut n_preemptions = self.nodes.get(known).map_or(0, |it| it.n_preemptions);
        let mut last = res.trace.events.last().map(|it| it.step.label.actor);
        loop {
            let trace = &mut res.trace;
            let depth = trace.len();
            let offers = stage.offers()?;
            if !offers.iter().any(is_open) && depth >= self.nodes.len() {
                res.waiting = waiting(&offers);
                break;
            }
            if depth >= self.settings.depth {
                self.is_cut = true;
                break;
            }
            if depth >= self.nodes.len() {
                let mut tree = std::mem::take(&mut planned);
                if tree.is_empty() {
                    tree = self.choose(stage.exprs(), &offers, trace, &sleep, last);
                }
                if tree.is_empty() {
                    self.report.n_blocked += 1;
                    res.is_whole = false;
                    break;
                }
                let sleep = std::mem::take(&mut sleep);
                self.nodes.push(Node { sleep, tree, turns: Turns::default(), n_preemptions });
            }
            let is_newest = depth + 1 == self.nodes.len();
            let Some(branch) = self.nodes.get_mut(depth).and_then(|it| it.tree.first_mut()) else {
                break;
            };
            let label = branch.doing.label;
            if !self.settings.can(&offers, trace, label) {
                // The data have changed, and with them what is received here.
                res.refused = refused(stage, &offers, depth, label)?;
                // With this input nobody can do anything: that is how the run ends.
                res.is_whole = is_newest
                    && res.refused.is_some()
                    && !offers.iter().any(is_open)
                    && self.first_end_at(depth);
                self.report.n_diverged += usize::from(res.refused.is_none() || !is_newest);
                if is_newest {
                    self.instead(stage.exprs(), &offers, trace, depth, last);
                }
                break;
            }
            if is_newest {
                planned = std::mem::take(&mut branch.children);
            }
            let left = last.filter(|it| *it != label.actor);
            let is_preempted = |it: Actor| offers.iter().any(|of| of.actor == it && is_open(of));
            n_preemptions += usize::from(left.is_some_and(is_preempted));
            if self.settings.preemptions.is_some_and(|it| it < n_preemptions) {
                self.is_cut = true;
                res.is_whole = false;
                break;
            }
            let step = stage.step(label)?;
            last = Some(label.actor);
            // The last step of a plan is open: what it does is not known yet.
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
                    let stays = |it: &&Rc<Asleep>| !it.doing.depends_on(&event.doing);
                    if self.settings.dpor != Dpor::All {
                        sleep = node.sleep.iter().filter(stays).cloned().collect();
                    }
                }
            }
        }
        Ok(res)
    }

    /// The steps that the run before took too, if it had the same input.
    fn play_known(&mut self, stage: &mut dyn Stage) -> Result<Trace, ExecutorError> {
        let mut trace = std::mem::take(&mut self.trace);
        trace.delivery = self.settings.delivery;
        let is_same = self.trace_input.as_ref().is_some_and(|it| Rc::ptr_eq(it, &self.input));
        let n_known = if is_same { self.nodes.len().saturating_sub(1) } else { 0 };
        trace.truncate(n_known);
        let n_taken = match is_same && !std::mem::take(&mut self.is_stale) {
            true => stage.begin_again(&self.input, trace.len())?,
            false => {
                stage.begin(&self.input)?;
                0
            }
        };
        for event in &mut trace.events {
            event.is_guided = false;
        }
        for event in trace.events.get(n_taken..).unwrap_or_default() {
            stage.again(event.step.label, event.step.is_last)?;
        }
        Ok(trace)
    }

    /// Whether no run has ended at this node yet; it has now.
    fn first_end_at(&mut self, depth: usize) -> bool {
        let Some(node) = self.nodes.get_mut(depth) else { return true };
        let is_first = node.sleep.iter().all(|it| it.doing.label != NOTHING);
        if is_first {
            let nothing = Branch::free(nothing(), &self.input);
            node.sleep.push(nothing.into_asleep());
        }
        is_first
    }

    /// What to do where nothing is planned.
    fn choose(
        &mut self,
        exprs: &Exprs,
        offers: &[Offer],
        trace: &Trace,
        sleep: &[Rc<Asleep>],
        last: Option<Actor>,
    ) -> Vec<Branch> {
        let input = Rc::clone(&self.input);
        let branch = |label: Label| {
            let kind = offers.iter().find(|it| it.actor == label.actor).map(|it| &*it.kind);
            Branch::free(Doing::of_offer(label, kind), &input)
        };
        let max_losses = self.settings.losses;
        let may_lose = max_losses > 0 && trace.n_lost(trace.len()) < max_losses;
        let natural_labels = || {
            let natural = |it: &Offer| natural(std::slice::from_ref(it), None);
            offers
                .iter()
                .flat_map(move |it| natural(it).into_iter().chain(loss(it).filter(|_| may_lose)))
        };
        match self.settings.dpor {
            Dpor::Optimal | Dpor::Source => {
                self.free_label(exprs, offers, trace, sleep, last).map(branch).into_iter().collect()
            }
            Dpor::None => {
                let is_awake = |it: &Label| !sleep.iter().any(|of| of.doing.label == *it);
                let mut labels: Vec<Label> = natural_labels().filter(is_awake).collect();
                labels.sort_by_key(|it| in_turns(trace, it.actor, last));
                labels.into_iter().map(branch).collect()
            }
            Dpor::All => natural_labels().map(branch).collect(),
            Dpor::Random => {
                let labels: Vec<Label> = natural_labels().collect();
                self.random = scramble(self.random.wrapping_add(0x9e37_79b9_7f4a_7c15));
                let n = usize::try_from(self.random >> 16).unwrap_or(0) % labels.len().max(1);
                labels.get(n).copied().map(branch).into_iter().collect()
            }
        }
    }

    /// A step that is possible and not asleep, preferably of who went last.
    fn free_label(
        &self,
        exprs: &Exprs,
        offers: &[Offer],
        trace: &Trace,
        sleep: &[Rc<Asleep>],
        last: Option<Actor>,
    ) -> Option<Label> {
        let is_asleep = |label: &Label| {
            sleep
                .iter()
                .any(|it| it.doing.label == *label && it.conditions.hold(exprs, &self.input))
        };
        let mut order: Vec<&Offer> = offers.iter().collect();
        if self.settings.dpor == Dpor::Source {
            order.sort_by_key(|it| in_turns(trace, it.actor, last));
        } else {
            order.sort_by_key(|it| Some(it.actor) != last);
        }
        order.into_iter().find_map(|offer| {
            let mut labels = labels(offer);
            if self.settings.dpor.orders_mail() {
                labels.truncate(1);
            }
            labels.into_iter().find(|it| !is_asleep(it) && self.settings.can(offers, trace, *it))
        })
    }

    /// What a node does with an input that does not let it do what was meant.
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
            input: Rc::clone(&self.input),
            condition: None,
            n_fixed: 0,
        };
        if let Some(node) = self.nodes.get_mut(depth) {
            push_after_first(&mut node.tree, sequence, exprs);
        }
    }

    /// All that a run gives reason to; returns what need not be planned again.
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
        let mut found = match self.settings.dpor {
            Dpor::Optimal => plans(trace, fresh),
            Dpor::Source => ordered_plans(trace, fresh),
            Dpor::None | Dpor::All | Dpor::Random => Vec::new(),
        };
        let max_losses = self.settings.losses;
        match self.settings.dpor {
            Dpor::Optimal if max_losses > 0 => found.extend(losses(trace, max_losses)),
            // Only the first step of a plan counts there.
            Dpor::Source if max_losses > 0 => {
                found.extend(losses(trace, max_losses).into_iter().map(Plan::only_last));
            }
            Dpor::Optimal | Dpor::Source | Dpor::None | Dpor::All | Dpor::Random => (),
        }
        let mut settled = Vec::new();
        for mut plan in found {
            if plan.is_open && self.settings.dpor == Dpor::Optimal {
                self.is_stale = true;
                if let Ok(Some(doing)) = try_out(stage, trace, &plan, &self.input) {
                    plan.last = doing;
                }
            }
            settled.extend(self.accept(stage.exprs(), oracle, trace, &path, &plan));
        }
        if let Some(Refused { at, label, found }) = &played.refused {
            let n_fixed = self.nodes.get(*at).and_then(|it| it.tree.first()).map(|it| it.n_fixed);
            let needed: Vec<&Choice> = path.choices.iter().collect();
            // Unless the input was made for this match, it was refused because a choice was turned.
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
                // Nothing was done here; what is planned comes after it.
                let tree = vec![Branch::free(nothing(), &self.input)];
                let (sleep, turns) = (Vec::new(), Turns::default());
                self.nodes.push(Node { sleep, tree, turns, n_preemptions: 0 });
            }
            self.add_inputs(stage.exprs(), at, *label, inputs);
        }
        settled
    }

    /// One step, with inputs that may make it possible.
    fn add_inputs(
        &mut self,
        exprs: &Exprs,
        at: usize,
        label: Label,
        inputs: Vec<(Rc<Input>, usize)>,
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

    /// Puts a plan where it belongs, unless what it leads to has been seen or will be. Returns
    /// that it need not be made again, if that is so.
    fn accept(
        &mut self,
        exprs: &mut Exprs,
        oracle: &mut dyn Oracle,
        trace: &Trace,
        path: &Path,
        plan: &Plan,
    ) -> Option<Settled> {
        let condition = condition(exprs, trace, path, plan);
        let mut inputs = vec![(Rc::clone(&self.input), 0)];
        if let Some(unmatched) = &plan.unmatched {
            let needed = needed(trace, path, plan);
            inputs = inputs_for_match(exprs, oracle, &needed, unmatched, 0, &self.input);
        }
        let is_source = self.settings.dpor == Dpor::Source;
        let node = self.nodes.get_mut(plan.at)?;
        for (input, n_fixed) in inputs {
            let doings: Vec<&Doing> = plan.sequence(trace).map(|it| &**it).collect();
            let is_seen = if is_source {
                // One step is kept, so that only steps which the sequence has count as seen.
                let is_initial = |label| initial(label, &doings).is_some();
                node.tree.iter().any(|it| is_initial(it.doing.label))
                    || node.sleep.iter().any(|it| is_initial(it.doing.label))
            } else {
                node.covers(&doings, exprs, &input)
            };
            if is_seen {
                continue;
            }
            let (n_kept, condition) =
                if is_source { (1, None) } else { (usize::MAX, condition.clone()) };
            let doings = plan.sequence(trace).take(n_kept).cloned().collect();
            push_after_first(&mut node.tree, Sequence { doings, input, condition, n_fixed }, exprs);
        }
        let tried = node.tree.get(1..).unwrap_or_default();
        let doings: Vec<&Doing> = plan.sequence(trace).map(|it| &**it).collect();
        plan.settled(first_tried(&node.sleep, tried, &doings, &self.input, exprs)?)
    }

    /// Goes back to the last place where something is left to do. `false`: there is none.
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
                self.input = Rc::clone(&next.input);
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
}

/// Why a planned receive can't take its message, if that is because of the input.
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

impl ScheduleSettings {
    /// Whether this is one of the offers, and possible.
    fn can(&self, offers: &[Offer], trace: &Trace, label: Label) -> bool {
        let offer = offers.iter().find(|it| fits(it, label));
        offer.is_some_and(|it| match &*it.kind {
            OfferKind::Next { .. } => true,
            OfferKind::Receive(waiting) => {
                matches!(self.dpor, Dpor::All | Dpor::Random)
                    || self.dpor.orders_mail()
                    || trace.allows(label.actor, waiting, label.take)
            }
        })
    }
}

/// Who went last goes on, then those who were started after it, then all others. How many runs are
/// in vain depends on the order; this is the one that others count with.
fn in_turns(trace: &Trace, actor: Actor, last: Option<Actor>) -> (bool, Option<(usize, usize)>) {
    let age = trace.age(actor);
    (last.is_some_and(|it| age < trace.age(it)), age)
}

/// The branch on the path is not looked at: a plan never goes through it.
fn push_after_first(tree: &mut Vec<Branch>, sequence: Sequence, exprs: &Exprs) {
    let mut rest = tree.split_off(tree.len().min(1));
    insert(&mut rest, sequence, exprs);
    tree.extend(rest);
}

fn class_of(trace: &Trace, performed: &Performed) -> u64 {
    let mut hasher = FxHasher::default();
    trace.class().hash(&mut hasher);
    performed.choices.iter().for_each(|it| (it.site, it.taken).hash(&mut hasher));
    hasher.finish()
}

/// Spreads numbers over all of their range (the finaliser of splitmix64).
fn scramble(n: u64) -> u64 {
    let n = (n ^ (n >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let n = (n ^ (n >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    n ^ (n >> 31)
}
