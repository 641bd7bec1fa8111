//! What a machine consists of.

use crate::builtins::{Disk, Row, Streams, Tables};
use crate::code::{Bucket, ClauseId, Database, PredId};
use crate::data::{AtomId, Atoms, Heap, Mark, Record, Value};
use crate::machine::Limits;
use crate::program::Modules;
use crate::text::Ops;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

#[derive(Debug)]
pub struct Machine {
    pub heap: Heap,
    pub atoms: Atoms,
    pub ops: Ops,
    pub db: Database,
    pub modules: Modules,
    pub(crate) rows: Vec<Row>,
    pub limits: Limits,
    /// Calls so far in this run.
    pub steps: u64,
    /// The count of steps at which the budgets are looked at again.
    pub(crate) check_at: u64,
    /// Returns from frames so far in this run, and the count at which the budgets are looked at again. After
    /// backtracking a goal may return through many frames without a call: `nat(s(N)) :- nat(N)`.
    pub(crate) returns: u64,
    pub(crate) check_returns_at: u64,
    /// Steps that the directives and expansions of a text that is being loaded may still take.
    pub(crate) load_steps: u64,
    /// Set from outside to stop a run.
    pub interrupt: Arc<AtomicBool>,
    /// The run has asked for what the place where it runs decides.
    pub(crate) has_asked_outside: bool,

    pub(crate) stack: Vec<Value>,
    pub(crate) frames: Vec<Frame>,
    pub(crate) choices: Vec<Choice>,

    /// The next instruction.
    pub(crate) pc: usize,
    /// Where the slots of the running clause begin.
    pub(crate) base: usize,
    /// Where arguments of the next call are built.
    pub(crate) next: usize,
    /// The frame that is returned to, or the clause's own.
    pub(crate) frame: usize,
    /// Where execution goes on after the running clause, if it has no frame.
    pub(crate) continuation: usize,
    /// The choice points there were when the running predicate was called.
    pub(crate) barrier: usize,
    /// Below these, stack and frames belong to a choice point.
    pub(crate) kept_stack: usize,
    pub(crate) kept_frames: usize,

    /// Choice points of `setup_call_cleanup/3`.
    pub(crate) n_cleanups: usize,
    /// Cleanups under way, one inside the other.
    pub(crate) n_nested: u32,
    /// The predicate that is called next is declared det, and who called it looks after that.
    pub(crate) is_checked: bool,
    /// Below this many cells collecting is not worth it.
    pub collect_from: usize,
    /// The weight of the heap at which garbage is collected.
    pub(crate) collect_at: usize,

    /// The builtin that runs, for error messages.
    pub(crate) running: Option<(AtomId, usize)>,
    /// The module that the running builtin was called from.
    pub(crate) context: AtomId,
    /// Results of the `findall` calls under way.
    pub(crate) collectors: Vec<Vec<Record>>,
    pub(crate) collected_bytes: usize,
    pub(crate) globals: FxHashMap<AtomId, Vec<Global>>,
    /// What directives left: where every run begins.
    pub(crate) loaded_globals: FxHashMap<AtomId, Vec<Global>>,
    pub(crate) loaded_gensyms: FxHashMap<String, u64>,
    pub(crate) flags: FxHashMap<AtomId, Record>,
    pub(crate) output: Output,
    pub(crate) streams: Streams,
    pub(crate) tables: Tables,
    /// The files that programs may touch; none by default.
    pub disk: Option<Box<dyn Disk>>,
    /// The time at which runs begin, in seconds since 1970.
    pub epoch: f64,
    pub(crate) gensyms: FxHashMap<String, u64>,
    pub(crate) random: u64,
    pub(crate) known: crate::program::Known,
    /// Where goals with a limit of inferences end, in steps; the innermost last.
    pub(crate) goal_limits: Vec<u64>,
    /// The module whose text is being loaded.
    pub(crate) load_module: AtomId,
    /// The file of that text, and the line of the term that is being loaded.
    pub(crate) load_place: Option<(String, usize)>,
    /// Whoever wants to know what of the run depends on its input.
    pub(crate) recorder: Option<Box<crate::concolic::Recorder>>,
    /// Which marked clauses the run has entered and completed: bits [`ENTERED`] and [`COMPLETED`].
    pub(crate) reached: Vec<u8>,
    /// For each marked clause, the furthest goal of its body that any run has come to, from 1.
    pub(crate) furthest: Vec<u32>,
    /// `Name = Value` of the query's variables.
    pub(crate) bindings: Value,
    /// The mark of the `catch/3` that is called next, in a clause under test.
    pub(crate) catch_mark: Option<u32>,
    /// Takes what the program writes while it runs.
    pub sink: Option<Sink>,
    /// How much of the output and of the errors it has taken.
    pub(crate) taken: (usize, usize),
    /// Where the last ball was thrown: the instruction, and those that would have been returned to.
    pub(crate) thrown_at: Vec<u32>,
}

/// Takes what a program writes; answers whether it wants more.
type Take = dyn FnMut(&[Written]) -> bool;

/// Who takes what a program writes while it runs.
pub struct Sink(pub Box<Take>);

impl std::fmt::Debug for Sink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Sink")
    }
}

/// The clause's head matched.
pub(crate) const ENTERED: u8 = 1;
/// Its body was evaluated to the end.
pub(crate) const COMPLETED: u8 = 2;

/// What programs write: to the user, and to whoever captures it.
#[derive(Clone, Debug, Default)]
pub struct Output {
    /// Everything written to `user_output`.
    pub text: String,
    /// Everything written to `user_error`.
    pub errors: String,
    /// How long the text was when a part of the errors was written, and where that part begins.
    turns: Vec<(usize, usize)>,
    /// `with_output_to` and `format/3` to a sink, the innermost last.
    pub captures: Vec<Capture>,
}

/// A piece of what a program wrote, in the order of writing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Written {
    Output(String),
    Error(String),
}

impl Output {
    pub(crate) fn bytes(&self) -> usize {
        let captured: usize = self.captures.iter().map(|it| it.text.len()).sum();
        self.text.len() + self.errors.len() + captured
    }

    pub(crate) fn put_error(&mut self, text: &str) {
        if self.turns.last().is_none_or(|it| it.0 < self.text.len()) {
            self.turns.push((self.text.len(), self.errors.len()));
        }
        self.errors.push_str(text);
    }

    /// Forgets what was written after there was so much of both.
    pub(crate) fn truncate(&mut self, text: usize, errors: usize) {
        self.text.truncate(text);
        self.errors.truncate(errors);
        self.turns.retain(|it| it.1 < errors);
    }

    /// What was written after there was so much of both.
    pub fn since(&self, text: usize, errors: usize) -> Vec<Written> {
        let ends = self.turns.iter().skip(1).map(|it| it.1).chain([self.errors.len()]);
        let mut written = text;
        let mut res = Vec::new();
        for (turn, end) in self.turns.iter().zip(ends).filter(|it| errors < it.1) {
            res.extend(self.text.get(written..turn.0).map(|it| Written::Output(it.to_owned())));
            let new = self.errors.get(errors.max(turn.1)..end);
            res.extend(new.map(|it| Written::Error(it.to_owned())));
            written = written.max(turn.0);
        }
        res.extend(self.text.get(written..).map(|it| Written::Output(it.to_owned())));
        res
    }
}

#[derive(Clone, Debug, Default)]
pub struct Capture {
    pub text: String,
    /// The column of what it is written to, once it is.
    pub start: usize,
}

#[derive(Clone, Debug)]
pub enum Global {
    /// Of `nb_setval`. Once asked for it is in the heap too, so that `setarg/3` on it is seen by the
    /// next who asks; backtracking takes that away.
    Kept(Rc<Record>, Option<Value>),
    /// Of `b_setval`: gone after backtracking.
    Live(Value),
}

/// A clause that called something and goes on afterwards.
#[derive(Clone, Copy, Debug, Default)]
pub struct Frame {
    pub parent: u32,
    pub continuation: u32,
    pub base: u32,
    pub n_slots: u32,
    pub barrier: u32,
}

/// A state to come back to on failure, and what to try then.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    pub alternative: Alternative,
    pub frame: u32,
    pub continuation: u32,
    pub base: u32,
    /// Everything below on the stack is kept.
    pub kept_stack: u32,
    pub kept_frames: u32,
    pub mark: Mark,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alternative {
    /// The next clause of the chain; which generation the call sees.
    Clause(ClauseId, u64),
    /// The next clause of a bucket.
    Indexed(Bucket, u32, u64),
    /// An instruction of the clause itself.
    Label(u32),
    /// `catch/3`: fails, but stops exceptions. How many `findall` calls were under way.
    Catch(u32),
    /// `setup_call_cleanup/3`: the goal is finished; its cleanup is the second slot at `base`.
    Cleanup,
    /// No clause `Head => Body` of the predicate matched.
    NoRule(PredId),
    /// Nothing: fails again.
    Fail,
    /// The bottom of a run.
    Bottom,
}

#[cfg(test)]
mod tests {
    use super::{Output, Written};

    #[test]
    fn both_streams_are_told_in_the_order_of_writing() {
        let mut output = Output::default();
        output.text.push('a');
        output.put_error("1");
        output.put_error("2");
        output.text.push('b');
        output.put_error("3");
        output.text.push('c');
        let (out, err) =
            (|it: &str| Written::Output(it.to_owned()), |it: &str| Written::Error(it.to_owned()));
        assert_eq!(output.since(0, 0), [out("a"), err("12"), out("b"), err("3"), out("c")]);
        assert_eq!(output.since(1, 1), [out(""), err("2"), out("b"), err("3"), out("c")]);
        assert_eq!(output.since(2, 3), [out("c")]);
        output.truncate(1, 2);
        assert_eq!(output.since(0, 0), [out("a"), err("12"), out("")]);
    }
}
