//! The system mailbox: messages that were sent and have not arrived, and which of them may arrive next.

use crate::args::Deliver;
use std::collections::{BTreeMap, BTreeSet};
use trace::{Actor, MessageId};

/// The delivery of messages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DeliverySettings {
    pub(crate) delivery: Deliver,
    /// The maximum number of lost messages.
    pub(crate) losses: usize,
    /// The seed for choosing the next message and whether it is lost; `None` delivers the oldest and loses none.
    pub(crate) seed: Option<u64>,
}

pub(super) struct SystemMailbox {
    post: DeliverySettings,
    random: u64,
    /// In the order of sending.
    travelling: Vec<MessageInTransit>,
    come: BTreeMap<Actor, Vec<MessageId>>,
    /// The messages in the causal past of each actor: those that it sent or received, and their causal pasts.
    past: BTreeMap<Actor, BTreeSet<MessageId>>,
    past_of: BTreeMap<MessageId, BTreeSet<MessageId>>,
}

/// A message that has not arrived.
#[derive(Clone, Copy)]
pub(super) struct MessageInTransit {
    pub(super) id: MessageId,
    pub(super) from: Actor,
    pub(super) to: Actor,
    /// False for signals of the runtime system.
    pub(super) may_lose: bool,
}

impl SystemMailbox {
    pub(super) fn new(post: DeliverySettings) -> SystemMailbox {
        SystemMailbox {
            post,
            random: post.seed.unwrap_or(0),
            travelling: Vec::new(),
            come: BTreeMap::new(),
            past: BTreeMap::new(),
            past_of: BTreeMap::new(),
        }
    }

    /// The messages that have arrived at an actor and were not received.
    pub(super) fn come(&self, actor: Actor) -> &[MessageId] {
        self.come.get(&actor).map_or(&[], Vec::as_slice)
    }

    pub(super) fn take(&mut self, actor: Actor, id: MessageId) {
        if let Some(come) = self.come.get_mut(&actor) {
            come.retain(|it| *it != id);
        }
        let known = self.past_of.get(&id).cloned().unwrap_or_default();
        let past = self.past.entry(actor).or_default();
        past.extend(known);
        past.insert(id);
    }

    pub(super) fn start(&mut self, parent: Actor, child: Actor) {
        let past = self.past.get(&parent).cloned().unwrap_or_default();
        self.past.insert(child, past);
    }

    /// Sends a message. Returns its id if it arrives at once.
    pub(super) fn send(&mut self, letter: MessageInTransit) -> Option<MessageId> {
        let MessageInTransit { id, from, to, .. } = letter;
        let past = self.past.entry(from).or_default();
        self.past_of.insert(id, past.clone());
        past.insert(id);
        let is_prompt = matches!(self.post.delivery, Deliver::Local | Deliver::Instant);
        if is_prompt && self.post.losses == 0 {
            self.come.entry(to).or_default().push(id);
            return Some(id);
        }
        self.travelling.push(letter);
        None
    }

    /// Delivers or loses the next message; `None` if there is none. The flag tells whether it is lost.
    pub(super) fn deliver(&mut self) -> Option<(MessageId, bool)> {
        let is_first = |n: usize, it: &MessageInTransit| {
            let mut before = self.travelling.iter().take(n);
            !before.any(|other| match self.post.delivery {
                Deliver::Local | Deliver::Instant => other.to == it.to,
                Deliver::Causal => {
                    let past = self.past_of.get(&it.id);
                    other.to == it.to && past.is_some_and(|past| past.contains(&other.id))
                }
                Deliver::Free => (other.from, other.to) == (it.from, it.to),
            })
        };
        let all = self.travelling.iter().enumerate();
        let open: Vec<usize> = all.filter(|(n, it)| is_first(*n, it)).map(|it| it.0).collect();
        let place = match self.post.seed {
            Some(_) => *open.get(self.roll(open.len()))?,
            None => *open.first()?,
        };
        let MessageInTransit { id, to, may_lose, .. } = self.travelling.remove(place);
        let is_lost =
            may_lose && self.post.losses > 0 && self.post.seed.is_some() && self.roll(3) == 0;
        if is_lost {
            self.post.losses -= 1;
        } else {
            self.come.entry(to).or_default().push(id);
        }
        Some((id, is_lost))
    }

    /// A pseudo-random number below `n` (splitmix64).
    fn roll(&mut self, n: usize) -> usize {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.random ^ (self.random >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((z ^ (z >> 31)) >> 16).unwrap_or(0) % n.max(1)
    }
}
