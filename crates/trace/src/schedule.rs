//! The vocabulary of schedules: the steps of actors, what they access, what they could have done instead, and the trait
//! [`Stage`] of programs that are run step by step.
//!
//! A step is one visible operation of an actor and everything that it computes until its next one. Actors and messages
//! have the same names in every interleaving. Knows no language.

use crate::{Choice, Covered, ExecutorError, Input, Loss, Outcome, Stopped};
use std::ops::Range;
use std::sync::Arc;
use term::{Atom, Exprs, Term};

/// Something that takes steps: a process, a running timer, or a signal on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Actor(pub u32);

/// The name of an actor, equal in all runs of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ActorName {
    pub parent: Actor,
    /// The actor's index among the children of its parent.
    pub n: u32,
    pub node: u8,
}

/// The n-th message that an actor sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MessageId {
    pub from: Actor,
    pub n: u32,
}

/// The n-th receive of a run, counted in the order in which actors reached their receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ReceiveId(pub u32);

/// The name of a step among those that an actor can take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Label {
    pub actor: Actor,
    pub take: Take,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Take {
    /// The operation that the actor has reached, which is not a receive.
    Next,
    /// The actor receives this message.
    Message(MessageId),
    /// The actor's receive times out.
    Timeout,
    /// The operation that the actor has reached sends a message, and the message is lost.
    Lost,
}

/// Something that steps share, identified by a hash of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Object(pub u64);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Access {
    pub object: Object,
    pub mode: Mode,
}

/// How a step accesses an object. Parts of an object (keys of a table, for example) are objects of their own; a step
/// that accesses a part also has an access `ReadPart` or `WritePart` to the whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    Read,
    Write,
    /// Writes a value with this hash; two writes of equal values do not conflict.
    Put(u64),
    /// Appends to something that keeps its order. A step that reads a part depends on whether the entry was appended
    /// before.
    Mail,
    ReadPart,
    WritePart,
}

impl Mode {
    /// Whether the access is to all of the object, not only to a part of it.
    pub fn is_whole(self) -> bool {
        matches!(self, Mode::Read | Mode::Write | Mode::Put(_) | Mode::Mail)
    }
}

impl Access {
    /// Whether the order of the two accesses can make a difference.
    pub fn conflicts(self, other: Access) -> bool {
        let (a, b) = (self.mode, other.mode);
        let writes =
            |it: Mode| matches!(it, Mode::Write | Mode::WritePart | Mode::Put(_) | Mode::Mail);
        let is_same = matches!((a, b), (Mode::Put(a), Mode::Put(b)) if a == b);
        self.object == other.object
            && (a.is_whole() || b.is_whole())
            && (writes(a) || writes(b))
            && !is_same
    }
}

/// The step that an actor can take next, or the receive in which it waits.
#[derive(Clone, Debug)]
pub struct Offer {
    pub actor: Actor,
    /// Shared with the stage's memory of the last offers until it changes.
    pub kind: Arc<OfferKind>,
}

#[derive(Clone, Debug)]
pub enum OfferKind {
    /// One operation, which accesses these objects and may end these actors.
    Next {
        accesses: Vec<Access>,
        is_global: bool,
        kills: Vec<Actor>,
        /// The access to the mailbox to which it sends, if the message is not lost.
        mail: Option<Access>,
        /// Whether it sends a message to another process, which might be lost.
        may_lose: bool,
        /// Whether it would begin another round of a loop that changed nothing and would change nothing now. Such a
        /// step is disabled until another actor changes what the round read; see [`Spin`].
        is_idle: bool,
    },
    /// A receive, and the messages in the mailbox that it would take.
    Receive(Waiting),
}

/// A receive that an actor has reached.
#[derive(Clone, Debug)]
pub struct Waiting {
    pub receive: ReceiveId,
    /// The messages that the receive matches, in the order of their arrival.
    pub matching: Vec<MessageId>,
    /// Messages for which it depends on the input whether the receive matches them.
    pub symbolic: Vec<(MessageId, Match)>,
    pub patience: Patience,
    /// The access if it takes a message.
    pub taking: Access,
    /// The accesses if it times out.
    pub giving_up: Vec<Access>,
}

impl Waiting {
    /// Returns the accesses of the receive if it does `take`.
    pub fn touched(&self, take: Take) -> &[Access] {
        match take {
            Take::Message(_) => std::slice::from_ref(&self.taking),
            Take::Timeout => &self.giving_up,
            Take::Next | Take::Lost => &[],
        }
    }
}

/// When a receive times out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patience {
    Never,
    Soon,
    /// Only when no other actor can take a step; the virtual time in nanoseconds decides which timeout comes first.
    Last(u64),
    /// Not before another actor has changed what the last round of a loop read; see [`Spin`].
    Idle,
}

/// A round of a busy-waiting loop: the last steps of an actor changed nothing and led back to the state before them.
/// Unless another actor changes what they read, the next round would do the same, and an execution without that round
/// ends in the same way. So the step that begins the next round is disabled until such a change, and depends on the
/// step that makes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spin {
    /// How many steps the round has.
    pub n_steps: usize,
    /// The accesses of the round, all of them reads.
    pub reads: Vec<Access>,
}

/// A step that was taken, with everything that decides which other steps it depends on.
#[derive(Clone, Debug)]
pub struct Step {
    pub label: Label,
    pub accesses: Vec<Access>,
    /// What the step did is not known in detail; every other step depends on it.
    pub is_global: bool,
    /// The step's accesses depend on more than values, so that it might access something else in another order of
    /// steps.
    pub might_differ: bool,
    pub sent: Vec<Sent>,
    /// Messages that the step sent and that were lost.
    pub lost: Vec<Sent>,
    pub spawned: Vec<Actor>,
    /// Signals that the step sent and that have not arrived. Each is one of the actors in `spawned`.
    pub signals: Vec<Signal>,
    /// Whether the step asks something of a process that earlier signals of the actor must reach first.
    pub might_wait: bool,
    /// The actors to which the step sent a signal that ends them.
    pub killed: Vec<Actor>,
    pub receive: Option<ReceiveId>,
    /// The step was enabled only because no other actor could take a step.
    pub is_last: bool,
    /// The step let time pass, after which other actors may come first.
    pub has_waited: bool,
    /// The round of a busy-waiting loop that the step begins again.
    pub spin: Option<Spin>,
    /// The range of the run's choices that were made in the step.
    pub choices: Range<usize>,
    /// A description for people; `None` unless steps are described.
    pub text: Option<StepText>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    pub message: MessageId,
    pub to: Actor,
    /// Whether the message arrives at once in every mode of delivery, because an actor sent it to itself.
    pub is_prompt: bool,
}

/// A signal other than a message that takes time to arrive. It is an actor whose only step is its arrival. Signals and
/// messages from one process to another arrive in the order in which they were sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signal {
    pub actor: Actor,
    pub to: Actor,
}

/// One line of a sequence chart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StepText {
    pub what: String,
    /// The module whose code takes the step; `None` for the end of an actor and for steps that no process takes.
    pub module: Option<String>,
    /// The contents of the messages sent, in the order of [`Step::sent`], and in `lost` of those that were lost.
    pub sent: Vec<String>,
    pub lost: Vec<String>,
}

/// The record of a run with a schedule.
#[derive(Clone, Debug)]
pub struct Performed {
    /// The outcome of the unit. Other actors that did not finish do not change it.
    pub outcome: Outcome,
    /// Actors that failed while no other actor was linked to them or monitored them.
    pub crashes: Vec<ActorCrash>,
    /// The unit loops, and nothing that the loop reads changes any more.
    pub is_spinning: bool,
    /// Actors other than the unit that wait for ever.
    pub waiting: Vec<Actor>,
    /// The actors that wait for something that will never come; empty unless steps are described.
    pub blocked: Vec<Blocked>,
    /// Whether a signal arrived at once that may take time on BEAM.
    pub has_prompt_signals: bool,
    /// Messages that were never received, or that were lost.
    pub unheard: Vec<MessageId>,
    /// The run was cut short: a budget was used up or an effect refused.
    pub stopped: Option<Stopped>,
    pub choices: Vec<Choice>,
    pub losses: Vec<Loss>,
    pub covered: Covered,
}

impl Performed {
    /// Records that the run was cut off after `most` steps, so that its end is unknown.
    pub fn run_out_of_steps(&mut self, most: usize) {
        let why = self.stopped.get_or_insert(Stopped::OutOfSteps { most }).clone();
        if self.outcome == Outcome::Deadlock {
            self.outcome = Outcome::Stopped(why);
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActorCrash {
    pub actor: Actor,
    pub class: Atom,
    pub reason: Term,
    pub trace: Term,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blocked {
    pub actor: Actor,
    pub is_unit: bool,
    /// Whether the actor loops, and nothing that the loop reads changes any more, instead of waiting in a receive.
    pub is_spinning: bool,
    /// The place of the receive: function, file and line.
    pub place: String,
    pub mailbox: Vec<Term>,
}

/// A program that is run step by step, in any order that the rules of its language allow.
pub trait Stage {
    /// Sets whether messages to one mailbox conflict with each other, whichever receives take them. If they do not, the
    /// order of two messages is decided where they are received.
    fn order_mail(&mut self, is_ordered: bool);

    /// Sets whether exit signals and the like arrive in a step of their own, which may come after steps that others
    /// take meanwhile.
    fn delay_signals(&mut self, are_delayed: bool);

    /// Starts a run, and discards the current one.
    fn begin(&mut self, input: &Input) -> Result<(), ExecutorError>;

    /// Starts a run that begins with the first steps of the last run, with the same input. Returns how many of these
    /// steps are taken already.
    fn begin_again(&mut self, input: &Input, n_steps: usize) -> Result<usize, ExecutorError>;

    /// Returns what the actors can do, in the actors' order. Actors whose receives match nothing are included; the run
    /// is over when there are no others.
    fn offers(&mut self) -> Result<Vec<Offer>, ExecutorError>;

    fn step(&mut self, label: Label) -> Result<Step, ExecutorError>;

    /// Takes a step that an earlier run with the same beginning took. The step need not have been offered in this run.
    fn again(&mut self, label: Label, is_last: bool) -> Result<(), ExecutorError>;

    /// Whether a receive of this run, which may be over, would take the message if it had arrived.
    fn matches(&mut self, receive: ReceiveId, message: MessageId) -> Result<Match, ExecutorError>;

    /// Ends the run.
    fn end(&mut self) -> Result<Performed, ExecutorError>;

    fn exprs(&mut self) -> &mut Exprs;

    /// Forgets the expressions of earlier runs, so that later runs do not depend on them.
    fn forget(&mut self);

    /// Returns the names of the actors met so far, in the order in which they were met.
    fn names(&self) -> Vec<ActorName>;

    fn n_names(&self) -> usize;

    /// Makes `names` the actors met so far, so that the stages of one program number actors alike.
    fn set_names(&mut self, names: &[ActorName]);

    /// Returns the name of an actor as people read it.
    fn name(&self, actor: Actor) -> String;
}

/// Whether a receive takes a message, and the choices on the input that this depends on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Match {
    pub holds: bool,
    pub choices: Vec<Choice>,
}
