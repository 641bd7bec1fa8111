//! The replay of a known schedule, and the names of its steps.

use crate::schedules::offers::{is_open, labels, loss, natural};
use crate::schedules::settings::STEPS;
use trace::{ExecutorError, Input, Label, Offer, Performed, Stage, Step, Take};

/// The record of a replayed run.
#[derive(Debug)]
pub struct Followed {
    pub steps: Vec<Step>,
    pub performed: Performed,
    /// How often the schedule switched away from an actor that was enabled.
    pub n_preemptions: usize,
    /// Whether every receive took the first matching message in the order of sending.
    pub is_in_order: bool,
}

/// Takes the steps of a schedule by their names, and free steps after its end.
pub fn follow(
    stage: &mut dyn Stage,
    input: &Input,
    schedule: &[String],
) -> Result<Followed, ExecutorError> {
    stage.begin(input)?;
    let mut steps: Vec<Step> = Vec::new();
    let mut names = schedule.iter();
    let (mut n_preemptions, mut is_in_order) = (0, true);
    while steps.len() < schedule.len() + STEPS {
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
    let is_whole = steps.len() < schedule.len() + STEPS;
    let mut performed = stage.end()?;
    if !is_whole {
        performed.run_out_of_steps(steps.len());
    }
    Ok(Followed { steps, performed, n_preemptions, is_in_order })
}

/// Returns the name of a step, which is the same in every interleaving: `P.1`, `P takes P.1#0`, `P gives up`, `P
/// loses`.
pub fn step_name(stage: &dyn Stage, label: Label) -> String {
    let actor = stage.name(label.actor);
    match label.take {
        Take::Next => actor,
        Take::Message(id) => format!("{actor} takes {}#{}", stage.name(id.from), id.n),
        Take::Timeout => format!("{actor} gives up"),
        Take::Lost => format!("{actor} loses"),
    }
}
