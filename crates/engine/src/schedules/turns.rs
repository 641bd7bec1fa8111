//! The default order of actors at a node: which schedules a search meets first.

use crate::schedules::order::Trace;
use crate::schedules::settings::{Dpor, ScheduleSettings};
use trace::{Actor, Offer};

/// From this step of a run on, the actor that waited longest takes the next step.
const FAIR_FROM: usize = 200;

/// Sorts offers by preference. The actor of the last step comes first, unless it has just let time pass.
pub(super) fn in_order<'o>(
    settings: &ScheduleSettings,
    trace: &Trace,
    offers: &'o [Offer],
    last: Option<Actor>,
) -> Vec<&'o Offer> {
    // The reduction with a bound on preemptions requires that the actor of the last step comes first.
    let is_fair = !settings.is_bounded();
    let has_waited = trace.events.last().is_some_and(|it| it.step.has_waited);
    let tired = last.filter(|_| is_fair && has_waited);
    let mut order: Vec<&Offer> = offers.iter().collect();
    if settings.dpor == Dpor::Source {
        order.sort_by_key(|it| (Some(it.actor) == tired, in_turns(trace, it.actor, last)));
    } else {
        let is_long = is_fair && FAIR_FROM <= trace.len();
        let since = |it: &&Offer| if is_long { trace.last_step(it.actor) } else { None };
        order.sort_by_key(|it| (Some(it.actor) == tired, since(it), Some(it.actor) != last));
    }
    order
}

/// Returns a sort key: the actor of the last step comes first, then the actors started after it, then all others. The
/// number of redundant runs depends on this order, which is the one of [Abdulla et al. 2014].
pub(super) fn in_turns(
    trace: &Trace,
    actor: Actor,
    last: Option<Actor>,
) -> (bool, Option<(usize, usize)>) {
    let age = trace.age(actor);
    (last.is_some_and(|it| age < trace.age(it)), age)
}

/// Mixes the bits of a number (the finaliser of splitmix64).
pub(super) fn scramble(n: u64) -> u64 {
    let n = (n ^ (n >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let n = (n ^ (n >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    n ^ (n >> 31)
}
