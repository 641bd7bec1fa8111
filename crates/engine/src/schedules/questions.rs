//! Into which cells a search is divided: questions that its runs answer differently.
//!
//! Asked are runs at random. A question is good if nearly all of them have an answer and the answers differ,
//! so that cells are of one size. The same program is always divided in the same way.

use crate::schedules::cells::{Cell, Place, Rule};
use crate::schedules::offers::natural;
use crate::schedules::order::{Delivery, Trace};
use crate::schedules::settings::ScheduleSettings;
use crate::schedules::turns::scramble;
use std::collections::{BTreeMap, BTreeSet};
use trace::{Actor, ExecutorError, Input, MessageId, Offer, Stage, Take};

/// Runs that are asked.
pub(super) const N_SAMPLES: u64 = 64;

/// Who goes on does so until another has become more urgent: after one step of so many, at random.
const N_URGENT: u64 = 8;

/// No more cells are made.
const MAX_CELLS: usize = 48;

/// Messages that a receive is asked for one by one.
const MAX_MESSAGES: usize = 7;

#[derive(Clone, Debug)]
struct Question {
    /// The actor of whom it is asked which of his steps come first.
    pivot: Option<Actor>,
    /// One rule for each answer.
    rules: Vec<Rule>,
    /// What each run says, if anything.
    answers: Vec<Option<usize>>,
}

/// Cells for the runs that are like these; one if there is nothing to ask.
pub(super) fn divide(samples: &[Trace], delivery: Delivery) -> Vec<Cell> {
    let questions = questions(samples, delivery);
    let mut pivots: BTreeSet<Option<Actor>> = questions.iter().map(|it| it.pivot).collect();
    let mut res = Division::new(samples.len());
    // Free orders do not contradict each other if one actor is first in all of them. Those of the next one
    // divide what is left.
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

/// A run in which the most urgent always goes on, and who that is changes now and then. So late steps of
/// one actor come before early ones of another as often as not.
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

/// All questions that most of the runs answer, and not all in the same way.
fn questions(samples: &[Trace], delivery: Delivery) -> Vec<Question> {
    let mut orders: BTreeSet<(Place, Place)> = BTreeSet::new();
    let mut takes: BTreeMap<Place, BTreeSet<MessageId>> = BTreeMap::new();
    for trace in samples {
        // The order of steps says all only where messages are there when they are sent.
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

/// Which of two steps was before the other.
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

/// Cells, and in which of them each of the runs is.
#[derive(Clone, Debug)]
struct Division {
    cells: Vec<Cell>,
    places: Vec<usize>,
}

impl Division {
    fn new(n_samples: usize) -> Division {
        Division { cells: vec![Cell::default()], places: vec![0; n_samples] }
    }

    /// How likely two runs are in the same cell.
    fn unevenness(&self) -> usize {
        let mut sizes = vec![0_usize; self.cells.len()];
        for place in &self.places {
            if let Some(size) = sizes.get_mut(*place) {
                *size += 1;
            }
        }
        sizes.iter().map(|it| it * it).sum()
    }

    /// Asks the question that helps most, again and again.
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
