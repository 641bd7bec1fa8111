//! The words of schedules: who did what next, what it touched, and what it could have done.
//!
//! A step is one visible operation of an actor and all that it computes by itself until its next
//! one. Names are the same in every interleaving. Knows no language.

use crate::{Choice, Covered, ExecutorError, Input, Loss, Outcome, Stopped};
use std::ops::Range;
use std::sync::Arc;
use term::{Atom, Exprs, Term};

/// Whoever takes steps: a process, or a timer that is running.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Actor(pub u32);

/// What an actor is called in all runs of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ActorName {
    pub parent: Actor,
    /// Among the children of its parent.
    pub n: u32,
    pub node: u8,
}

/// The n-th message that an actor sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MessageId {
    pub from: Actor,
    pub n: u32,
}

/// The n-th receive of a run, in the order in which actors came to them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ReceiveId(pub u32);

/// Names a step among those that an actor can take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Label {
    pub actor: Actor,
    pub take: Take,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Take {
    /// The operation that the actor has come to; it is no receive.
    Next,
    /// It receives this message.
    Message(MessageId),
    /// Its receive gives up.
    Timeout,
    /// The operation that it has come to sends a message, which is lost.
    Lost,
}

/// Something that steps share, by a hash of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Object(pub u64);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Access {
    pub object: Object,
    pub mode: Mode,
}

/// What is done to an object. Parts are objects of their own; who touches one says so at the whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    Read,
    Write,
    /// Writes what has this hash; who writes the same is no rival.
    Put(u64),
    /// Adds to what is kept in the order in which it comes. Who looks at a part looks whether it came.
    Mail,
    ReadPart,
    WritePart,
}

impl Mode {
    /// Whether it touches all of an object.
    pub fn is_whole(self) -> bool {
        matches!(self, Mode::Read | Mode::Write | Mode::Put(_) | Mode::Mail)
    }
}

impl Access {
    /// Whether the order of the two can make a difference.
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

/// What an actor can do next.
#[derive(Clone, Debug)]
pub struct Offer {
    pub actor: Actor,
    /// Shared with what remembers it until it changes.
    pub kind: Arc<OfferKind>,
}

#[derive(Clone, Debug)]
pub enum OfferKind {
    /// One operation, which touches these objects and may end these actors.
    Next {
        accesses: Vec<Access>,
        is_global: bool,
        kills: Vec<Actor>,
        /// The mailbox that what it sends comes to, unless it is lost.
        mail: Option<Access>,
        /// It sends a message to another process, which might be lost.
        may_lose: bool,
        /// It would begin a round again that changed nothing, and would not change anything now: it is not
        /// possible before another actor has changed what the round read. See [`Spin`].
        is_idle: bool,
    },
    /// A receive, and the messages here that it would take.
    Receive(Waiting),
}

#[derive(Clone, Debug)]
pub struct Waiting {
    pub receive: ReceiveId,
    /// In the order in which they came.
    pub matching: Vec<MessageId>,
    /// Messages of which it depends on the input whether they are taken.
    pub symbolic: Vec<(MessageId, Match)>,
    pub patience: Patience,
    /// What it touches if it takes a message.
    pub taking: Access,
    /// The same if it gives up.
    pub giving_up: Vec<Access>,
}

impl Waiting {
    /// What it touches if it does this.
    pub fn touched(&self, take: Take) -> &[Access] {
        match take {
            Take::Message(_) => std::slice::from_ref(&self.taking),
            Take::Timeout => &self.giving_up,
            Take::Next | Take::Lost => &[],
        }
    }
}

/// When a receive gives up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patience {
    Never,
    Soon,
    /// Only when nobody else can do anything; the nanosecond says who is first then.
    Last(u64),
    /// Not before another actor has changed what the last round of a loop read; see [`Spin`].
    Idle,
}

/// A round of a loop that waits: the last steps of an actor changed nothing and led back to where it was
/// before them. Unless another actor changes what they read, the next round would do the same, and a run
/// without that round has the same end. So the step that begins the next round is not possible before,
/// and it depends on whoever makes it possible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spin {
    /// How many steps the round has.
    pub n_steps: usize,
    /// What they read.
    pub reads: Vec<Access>,
}

/// A step that was taken, and all that its dependence on others follows from.
#[derive(Clone, Debug)]
pub struct Step {
    pub label: Label,
    pub accesses: Vec<Access>,
    /// What it did is not known in detail: every other step depends on it.
    pub is_global: bool,
    /// After other steps it might touch something else: what it does depends on more than values.
    pub might_differ: bool,
    pub sent: Vec<Sent>,
    /// What it sent in vain.
    pub lost: Vec<Sent>,
    pub spawned: Vec<Actor>,
    /// Signals that it sent and that are on their way: each is one of the actors that it started.
    pub signals: Vec<Signal>,
    /// It asks something of a process that what it signalled before must reach first.
    pub might_wait: bool,
    /// Whom it sent a signal that ends them.
    pub killed: Vec<Actor>,
    pub receive: Option<ReceiveId>,
    /// It happened only because nobody could do anything else.
    pub is_last: bool,
    /// It let time pass: others may go first now.
    pub has_waited: bool,
    /// The round that it begins again.
    pub spin: Option<Spin>,
    /// Which of the run's choices were made in it.
    pub choices: Range<usize>,
    /// For people, if anyone wants to read it.
    pub text: Option<StepText>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    pub message: MessageId,
    pub to: Actor,
    /// It needs no time, however messages travel: who sends to itself finds it there.
    pub is_prompt: bool,
}

/// A signal that is no message, and that takes its time: an actor whose only step is that it arrives. What
/// one process sends to another comes in the order in which it was sent, be it signal or message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signal {
    pub actor: Actor,
    pub to: Actor,
}

/// One line of a chart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StepText {
    pub what: String,
    /// The module whose code takes the step; none if it is the end of an actor, or no process does.
    pub module: Option<String>,
    /// The contents of the messages that were sent, in the order of [`Step::sent`], and of those that
    /// were lost.
    pub sent: Vec<String>,
    pub lost: Vec<String>,
}

/// How a run with a schedule ended.
#[derive(Clone, Debug)]
pub struct Performed {
    /// Of the unit. What others left undone does not change it.
    pub outcome: Outcome,
    /// Actors that failed and whose failure nobody watched.
    pub crashes: Vec<ActorCrash>,
    /// The unit goes round in a loop in which nothing changes any more.
    pub is_spinning: bool,
    /// Who waits for ever, besides the unit.
    pub waiting: Vec<Actor>,
    /// Who waits for what will never come; only if steps are told.
    pub blocked: Vec<Blocked>,
    /// Whether a signal that may take its time on BEAM was there when it was sent.
    pub has_prompt_signals: bool,
    /// Messages that nobody wanted any more, or that did not come at all.
    pub unheard: Vec<MessageId>,
    /// A budget was used up or something refused, so that the run is not whole.
    pub stopped: Option<Stopped>,
    pub choices: Vec<Choice>,
    pub losses: Vec<Loss>,
    pub covered: Covered,
}

impl Performed {
    /// Nobody knows how the run would have ended.
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
    /// It does not wait in a receive: it goes round in a loop in which nothing changes any more.
    pub is_spinning: bool,
    /// The place of the receive: function, file and line.
    pub place: String,
    pub mailbox: Vec<Term>,
}

/// A program that is run step by step, in any order that its rules allow.
pub trait Stage {
    /// Whether messages to one mailbox conflict with each other, whoever takes them. If not, which of
    /// them came first is decided where they are taken.
    fn order_mail(&mut self, is_ordered: bool);

    /// Whether exit signals and the like arrive in a step of their own, which may come later than what
    /// others do meanwhile.
    fn delay_signals(&mut self, are_delayed: bool);

    /// Starts a run. Whatever was running is over.
    fn begin(&mut self, input: &Input) -> Result<(), ExecutorError>;

    /// Starts a run that begins with the first steps of the last one, of the same input. Says how many
    /// of them are taken already.
    fn begin_again(&mut self, input: &Input, n_steps: usize) -> Result<usize, ExecutorError>;

    /// What actors could do, in their order. Those who wait for what is not there are among them;
    /// the run is over if there is nobody else.
    fn offers(&mut self) -> Result<Vec<Offer>, ExecutorError>;

    fn step(&mut self, label: Label) -> Result<Step, ExecutorError>;

    /// Takes a step that an earlier run with the same beginning took, `is_last` or not. Nothing need
    /// have been offered, and what it does is known.
    fn again(&mut self, label: Label, is_last: bool) -> Result<(), ExecutorError>;

    /// Whether a receive of this run, which may be over, would take the message if it had come.
    fn matches(&mut self, receive: ReceiveId, message: MessageId) -> Result<Match, ExecutorError>;

    /// Ends the run.
    fn end(&mut self) -> Result<Performed, ExecutorError>;

    fn exprs(&mut self) -> &mut Exprs;

    /// Forgets the expressions of earlier runs, so that later ones do not depend on them.
    fn forget(&mut self);

    /// Actors that have been met so far, the first ones first.
    fn names(&self) -> Vec<ActorName>;

    fn n_names(&self) -> usize;

    /// From now on these are the ones that have been met: stages of one program can speak of the same
    /// actors.
    fn set_names(&mut self, names: &[ActorName]);

    /// As people call an actor.
    fn name(&self, actor: Actor) -> String;
}

/// Whether a receive takes a message, and what that depends on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Match {
    pub holds: bool,
    pub choices: Vec<Choice>,
}
