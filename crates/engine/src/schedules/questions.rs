//! The division of a search into cells, by questions that its runs answer differently.
//!
//! The questions are chosen by a sample of random runs. A question is good if nearly all runs answer it and the answers
//! differ, so that the cells have similar sizes. Equal programs are always divided in the same way.

use crate::schedules::cells::{Cell, Place, Rule};
use crate::schedules::offers::natural;
use crate::schedules::order::{Delivery, Trace};
use crate::schedules::settings::ScheduleSettings;
use crate::schedules::turns::scramble;
use std::collections::{BTreeMap, BTreeSet};
use trace::{Actor, ExecutorError, Input, MessageId, Offer, Stage, Take};

/// The number of sample runs.
pub(super) const N_SAMPLES: u64 = 64;

/// In a sample run the priority of the running actor changes at random after one of this many steps.
const N_URGENT: u64 = 8;

/// The maximal number of cells.
const MAX_CELLS: usize = 48;

/// How many messages of a receive get an answer of their own.
const MAX_MESSAGES: usize = 7;

#[derive(Clone, Debug)]
struct Question {
    /// The actor whose step comes first in the answer that has the rest; `None` for questions about receives.
    pivot: Option<Actor>,
    /// One rule for each answer.
    rules: Vec<Rule>,
    /// The answer of each sample run; `None` if the run has none.
    answers: Vec<Option<usize>>,
}

/// Returns cells that divide the sample runs evenly; one cell if there is no good question.
pub(super) fn divide(samples: &[Trace], delivery: Delivery) -> Vec<Cell> {
    let questions = questions(samples, delivery);
    let mut pivots: BTreeSet<Option<Actor>> = questions.iter().map(|it| it.pivot).collect();
    let mut res = Division::new(samples.len());
    // Free orders do not contradict each other if one actor is first in all of them; see `cells`. The questions of the
    // next actor divide what is left.
    loop {
        let further = pivots.iter().map(|pivot| {
            let fit = questions.iter().filter(|it| it.pivot == *pivot);
            (*pivot, res.clone().grow(&fit.collect::<Vec<_>>()))
        });
        let best = further.min_by_key(|it| it.1.unevenness());
        let Some((pivot, better)) = best.filter(|it| res.cells.len() < it.1.cells.len()) else {
            return res.cells;
        };
        pivots.remove(&pivot);
        res = better;
    }
}

/// Executes a sample run: the actor with the highest priority takes each step, and priorities change at random, so that
/// late steps of one actor often come before early steps of another.
pub(super) fn sample(
    stage: &mut dyn Stage,
    input: &Input,
    settings: &ScheduleSettings,
    nth: u64,
) -> Result<Trace, ExecutorError> {
    stage.begin(input)?;
    let mut trace = Trace::new(settings.delivery);
    let mut random = scramble(settings.seed ^ scramble(nth));
    let mut draws: BTreeMap<Actor, u64> = BTreeMap::new();
    while trace.len() < settings.steps {
        let offers = stage.offers()?;
        let urgency = |it: &&Offer| {
            let n = draws.get(&it.actor).copied().unwrap_or(0);
            scramble(nth ^ scramble(u64::from(it.actor.0) ^ scramble(n)))
        };
        let can = |it: &&Offer| natural(std::slice::from_ref(*it), None).is_some();
        let next = offers.iter().filter(can).max_by_key(urgency);
        let Some(label) = next.and_then(|it| natural(std::slice::from_ref(it), None)) else {
            break;
        };
        trace.add(stage.step(label)?, &offers, false);
        random = scramble(random.wrapping_add(1));
        if random.is_multiple_of(N_URGENT) {
            *draws.entry(label.actor).or_default() += 1;
        }
    }
    stage.end()?;
    Ok(trace)
}

/// Returns all questions that most runs answer, and not all in the same way.
fn questions(samples: &[Trace], delivery: Delivery) -> Vec<Question> {
    let mut orders: BTreeSet<(Place, Place)> = BTreeSet::new();
    let mut takes: BTreeMap<Place, BTreeSet<MessageId>> = BTreeMap::new();
    for trace in samples {
        // With delayed delivery, the order of steps does not determine the order of messages.
        for race in trace.races.iter().filter(|_| delivery == Delivery::Instant) {
            if let (Some(one), Some(other)) =
                (trace.place_of(race.first), trace.place_of(race.second))
            {
                orders.extend([(one, other), (other, one)]);
            }
        }
        for received in &trace.received {
            if let (Some(Take::Message(id)), Some(at)) =
                (received.take, trace.place_of(received.at))
            {
                takes.entry(at).or_default().insert(id);
            }
        }
    }
    let orders = orders.into_iter().map(|(first, second)| Question {
        pivot: Some(first.actor),
        rules: vec![
            Rule::Order { first, second, has_rest: true },
            Rule::Order { first: second, second: first, has_rest: false },
        ],
        answers: samples.iter().map(|it| earlier(it, first, second)).collect(),
    });
    let takes = takes.into_iter().map(|(at, messages)| {
        let messages: Vec<MessageId> = messages.into_iter().take(MAX_MESSAGES).collect();
        let answers = samples.iter().map(|it| taken(it, at, &messages)).collect();
        let takes = messages.iter().map(|it| Rule::Takes { at, message: *it });
        let other = Rule::TakesOther { at, than: messages.clone() };
        Question { pivot: None, rules: takes.chain([other]).collect(), answers }
    });
    orders.chain(takes).filter(Question::is_good).collect()
}

/// Returns which of two steps happened before the other; `None` if they are concurrent or missing.
fn earlier(trace: &Trace, first: Place, second: Place) -> Option<usize> {
    let (first, second) = (trace.event_at(first)?, trace.event_at(second)?);
    if trace.is_before(first, second) {
        return Some(0);
    }
    trace.is_before(second, first).then_some(1)
}

fn taken(trace: &Trace, at: Place, messages: &[MessageId]) -> Option<usize> {
    let event = trace.events.get(trace.event_at(at)?)?;
    let is_it = |it: &MessageId| event.step.label.take == Take::Message(*it);
    Some(messages.iter().position(is_it).unwrap_or(messages.len()))
}

impl Question {
    fn is_good(&self) -> bool {
        let n_silent = self.answers.iter().filter(|it| it.is_none()).count();
        let said: BTreeSet<usize> = self.answers.iter().flatten().copied().collect();
        n_silent * 16 <= self.answers.len() && said.len() > 1
    }
}

/// The cells, and the index of the cell of each sample run.
#[derive(Clone, Debug)]
struct Division {
    cells: Vec<Cell>,
    places: Vec<usize>,
}

impl Division {
    fn new(n_samples: usize) -> Division {
        Division { cells: vec![Cell::default()], places: vec![0; n_samples] }
    }

    /// Returns the sum of the squares of the cells' sizes: the smaller, the more even the division.
    fn unevenness(&self) -> usize {
        let mut sizes = vec![0_usize; self.cells.len()];
        for place in &self.places {
            if let Some(size) = sizes.get_mut(*place) {
                *size += 1;
            }
        }
        sizes.iter().map(|it| it * it).sum()
    }

    /// Divides by the question that makes the cells most even, and repeats as long as that helps by at least 5%.
    fn grow(self, questions: &[&Question]) -> Division {
        let fits = |it: &&&Question| it.rules.len() * self.cells.len() <= MAX_CELLS;
        let further = questions.iter().filter(fits).map(|it| self.asked(it));
        let best = further.min_by_key(Division::unevenness);
        match best.filter(|it| it.unevenness() * 20 <= self.unevenness() * 19) {
            Some(it) => it.grow(questions),
            None => self,
        }
    }

    fn asked(&self, question: &Question) -> Division {
        let n = question.rules.len();
        let cell = |cell: &Cell, rule: &Rule| {
            let rules = cell.rules.iter().chain([rule]).cloned().collect();
            Cell { rules }
        };
        let of = |it| question.rules.iter().map(move |rule| cell(it, rule));
        let answers = question.answers.iter().map(|it| it.unwrap_or(0));
        Division {
            cells: self.cells.iter().flat_map(of).collect(),
            places: self.places.iter().zip(answers).map(|it| it.0 * n + it.1).collect(),
        }
    }
}
