//! The symbolic execution tree of a concurrent program: every order of steps that matters, every alternative of every
//! choice, and whether inputs take it [Vidal 2015, figure 6].
//!
//! The tree is built from the runs of a search that has ended. Orders equivalent to one in the tree are left out.

use crate::oracle::Alone;
use crate::report::Stop;
use crate::schedules::follow::step_name;
use crate::schedules::search::explore_schedules;
use crate::schedules::settings::{Ended, ScheduleSettings};
use crate::unfold::{Branch, Doubt, End, EndId, Failed, Fork, Node, NodeId, Unfolded};
use solve::{Answer, Query, Solver};
use std::cell::RefCell;
use std::rc::Rc;
use term::{Constraint, Domain};
use trace::{Actor, Choice, ExecutorError, Input, Label, Outcome, Stage};

/// Explores all schedules and all alternatives of the first choices of each, until `watch` returns `true`. `watch` sees
/// the ends found so far, and no nodes.
pub fn unfold_schedules<S: Solver>(
    stage: &mut dyn Stage,
    solver: &mut S,
    domain: &Domain,
    seed: &Input,
    settings: &ScheduleSettings,
    watch: &mut dyn FnMut(&Unfolded) -> bool,
) -> Result<Unfolded, ExecutorError> {
    let seen = RefCell::new(Seen::new(seed));
    let report = {
        let mut see = |ended: &Ended<'_>| seen.borrow_mut().add(ended, settings.choices);
        let mut halt = |_: &_| watch(&seen.borrow().tree).then_some(Stop::Interrupted);
        let mut oracle = Alone { solver: &mut *solver, domain };
        explore_schedules(stage, &mut oracle, seed, settings, &mut see, &mut halt)
    };
    if let Some(why) = report.trouble {
        return Err(ExecutorError { why });
    }
    let Seen { mut tree, places, ends } = seen.into_inner();
    tree.n_runs = report.n_runs + report.n_blocked;
    let is_all = match report.stop {
        Stop::Exhausted => true,
        Stop::Depth => tree.ends.iter().any(|it| it.n_beyond > 0),
        Stop::Time | Stop::Runs | Stop::Interrupted | Stop::Unsupported => false,
    };
    if !is_all {
        tree.losses.insert("schedules that were left when the search stopped".to_owned(), 1);
    }
    for (end, (schedule, failed)) in tree.ends.iter_mut().zip(&ends) {
        end.steps = schedule.iter().map(|it| step_name(stage, *it)).collect();
        let name = |it: &Crash| Failed { process: stage.name(it.0), outcome: it.1.clone() };
        end.failed = failed.iter().map(name).collect();
    }
    let mut telling = Telling { stage, solver, domain, places, is_all, tree, path: Vec::new() };
    telling.tree.root = telling.branch(PlaceId(0), None);
    Ok(telling.tree)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PlaceId(usize);

/// A state of the runs' common prefix tree, between two events.
#[derive(Debug)]
struct Place {
    next: Vec<(Thing, PlaceId)>,
    end: Option<EndId>,
    /// The input of the first run that came here.
    input: Rc<Input>,
}

impl Place {
    fn new(input: &Rc<Input>) -> Place {
        Place { next: Vec::new(), end: None, input: Rc::clone(input) }
    }
}

#[derive(Clone, Debug)]
enum Thing {
    Step(Label),
    Choice(Rc<Choice>),
}

impl Thing {
    fn is(&self, other: &Thing) -> bool {
        match (self, other) {
            (Thing::Step(a), Thing::Step(b)) => a == b,
            (Thing::Choice(a), Thing::Choice(b)) => {
                (a.site, &a.looked, a.taken) == (b.site, &b.looked, b.taken)
            }
            (Thing::Step(_), Thing::Choice(_)) | (Thing::Choice(_), Thing::Step(_)) => false,
        }
    }
}

/// The prefix tree of all runs.
#[derive(Debug)]
struct Seen {
    tree: Unfolded,
    places: Vec<Place>,
    /// The schedule of each end, and the processes that failed.
    ends: Vec<(Vec<Label>, Vec<Crash>)>,
}

type Crash = (Actor, Outcome);

impl Seen {
    fn new(seed: &Input) -> Seen {
        let places = vec![Place::new(&Rc::new(seed.clone()))];
        Seen { tree: Unfolded::default(), places, ends: Vec::new() }
    }

    fn add(&mut self, ended: &Ended<'_>, depth: usize) {
        let performed = ended.performed;
        for loss in &performed.losses {
            *self.tree.losses.entry(loss.what.clone()).or_default() += 1;
        }
        let input = Rc::new(ended.input.clone());
        let choices = |range: std::ops::Range<usize>| {
            let range = range.start.min(depth)..range.end.min(depth);
            performed.choices.get(range).unwrap_or_default().iter().cloned()
        };
        let mut things: Vec<Thing> = Vec::new();
        let mut n_told = 0;
        for (label, range) in ended.steps {
            things.extend(choices(n_told..range.start).map(|it| Thing::Choice(Rc::new(it))));
            things.push(Thing::Step(*label));
            things.extend(choices(range.clone()).map(|it| Thing::Choice(Rc::new(it))));
            n_told = range.end;
        }
        things.extend(choices(n_told..usize::MAX).map(|it| Thing::Choice(Rc::new(it))));
        let mut at = PlaceId(0);
        for thing in things {
            at = self.next(at, thing, &input);
        }
        let id = EndId(self.tree.ends.len());
        let Some(place) = self.places.get_mut(at.0).filter(|it| it.end.is_none()) else { return };
        place.end = Some(id);
        let n_beyond = performed.choices.len().saturating_sub(depth);
        let (outcome, covered) = (performed.outcome.clone(), performed.covered.clone());
        let end = End { n_beyond, ..End::new(ended.input.clone(), outcome, covered) };
        self.tree.ends.push(end);
        let failed = performed.crashes.iter().map(|it| {
            let (class, reason, trace) = (it.class.clone(), it.reason.clone(), it.trace.clone());
            (it.actor, Outcome::Crash { class, reason, trace })
        });
        self.ends.push((ended.schedule.to_vec(), failed.collect()));
    }

    fn next(&mut self, at: PlaceId, thing: Thing, input: &Rc<Input>) -> PlaceId {
        let next = self.places.get(at.0).map(|it| it.next.as_slice()).unwrap_or_default();
        if let Some(known) = next.iter().find(|it| it.0.is(&thing)) {
            return known.1;
        }
        let id = PlaceId(self.places.len());
        self.places.push(Place::new(input));
        if let Some(place) = self.places.get_mut(at.0) {
            place.next.push((thing, id));
        }
        id
    }
}

struct Telling<'a> {
    stage: &'a mut dyn Stage,
    solver: &'a mut dyn Solver,
    domain: &'a Domain,
    places: Vec<Place>,
    is_all: bool,
    tree: Unfolded,
    /// The path constraint of the current place.
    path: Vec<Constraint>,
}

impl Telling<'_> {
    /// Returns the branch for a place; steps without an alternative get no node.
    fn branch(&mut self, at: PlaceId, above: Option<(NodeId, usize)>) -> Branch {
        let mut at = at;
        while let Some(Place { next, end: None, .. }) = self.places.get(at.0)
            && let [(Thing::Step(_), only)] = next.as_slice()
        {
            at = *only;
        }
        let Some(place) = self.places.get_mut(at.0) else { return Branch::Open };
        let (next, input) = (std::mem::take(&mut place.next), Rc::clone(&place.input));
        let choice = next.iter().find_map(|it| match &it.0 {
            Thing::Choice(choice) => Some(Rc::clone(choice)),
            Thing::Step(_) => None,
        });
        let id = NodeId(self.tree.nodes.len());
        let mut add = |fork: Fork, n: usize| {
            let branches = vec![Branch::Open; n];
            self.tree.nodes.push(Node::new(fork, branches, above, (*input).clone()));
        };
        let branches: Vec<Branch> = match choice {
            Some(choice) => {
                add(Fork::Choice((*choice).clone()), choice.n_alternatives());
                let ways = 0..choice.n_alternatives();
                ways.map(|it| self.alternative(&next, &choice, it, id, &input)).collect()
            }
            None if next.is_empty() => {
                let end = self.places.get(at.0).and_then(|it| it.end);
                return end.map_or(Branch::Open, Branch::End);
            }
            None => {
                let label = |it: &(Thing, PlaceId)| match it.0 {
                    Thing::Step(label) => Some(label),
                    Thing::Choice(_) => None,
                };
                let labels: Vec<Label> = next.iter().filter_map(label).collect();
                let mut names: Vec<String> =
                    labels.iter().map(|it| step_name(self.stage, *it)).collect();
                // With other inputs the run ends here because no step is enabled.
                let end = self.places.get(at.0).and_then(|it| it.end);
                names.extend(end.map(|_| "nobody goes on".to_owned()));
                let n_ways = names.len();
                add(Fork::Turn(names), n_ways);
                let ways = next.iter().enumerate();
                let ways = ways.map(|(n, it)| self.branch(it.1, Some((id, n))));
                ways.chain(end.map(Branch::End)).collect()
            }
        };
        if let Some(node) = self.tree.nodes.get_mut(id.0) {
            node.branches = branches;
        }
        Branch::Node(id)
    }

    fn alternative(
        &mut self,
        next: &[(Thing, PlaceId)],
        choice: &Choice,
        alternative: usize,
        node: NodeId,
        input: &Input,
    ) -> Branch {
        let n_before = self.path.len();
        self.path.extend(choice.constraints(self.stage.exprs(), alternative));
        let is_it = |it: &&(Thing, PlaceId)| matches!(&it.0, Thing::Choice(choice) if choice.taken == alternative);
        let found = match next.iter().find(is_it) {
            Some((_, to)) => self.branch(*to, Some((node, alternative))),
            None => self.untaken(input),
        };
        self.path.truncate(n_before);
        found
    }

    /// Returns why no run took an alternative.
    fn untaken(&mut self, hint: &Input) -> Branch {
        let (exprs, hint) = (self.stage.exprs(), hint.to_model());
        let query = Query { exprs, constraints: &self.path, hint: &hint, domain: self.domain };
        match self.solver.solve(&query) {
            Answer::Unsat => Branch::Infeasible,
            Answer::Unknown(_) => Branch::Unknown(Doubt::TooHard),
            Answer::Sat(_) if self.is_all => Branch::Elsewhere,
            Answer::Sat(_) => Branch::Open,
        }
    }
}
