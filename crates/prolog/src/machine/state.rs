//! The state of the machine: registers, stacks, choice points, and the data that outlives a run.

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
    /// The number of steps that the directives and expansions of the text being loaded may still take.
    pub(crate) load_steps: u64,
    /// Set by another thread or a signal handler to stop the run.
    pub interrupt: Arc<AtomicBool>,
    pub(crate) stack: Vec<Value>,
    /// The size of the heap, in cells, below which garbage is not collected.
    pub collect_from: usize,
    /// The module from which the running builtin was called.
    pub(crate) context: AtomId,
    pub(crate) flags: FxHashMap<AtomId, Record>,
    /// The files that programs may use; `None` if they may use no files.
    pub disk: Option<Box<dyn Disk>>,
    /// The time at which runs begin, in seconds since 1970.
    pub epoch: f64,
    pub(crate) known: crate::program::Known,
    /// The module whose text is being loaded.
    pub(crate) load_module: AtomId,
    /// The file of the text that is being loaded, and the line of the term in it.
    pub(crate) load_place: Option<(String, usize)>,
    /// Records which choices of the run depend on its input; `None` for runs that are not recorded.
    pub(crate) recorder: Option<Box<crate::concolic::Recorder>>,
    /// For each coverage mark of a clause, the number, counted from 1, of the furthest goal that any run has
    /// reached in its body.
    pub(crate) furthest: Vec<u32>,
    /// The list of `Name = Value` of the query's variables.
    pub(crate) bindings: Value,
    /// Receives the program's output while it runs.
    pub sink: Option<Sink>,
    /// The numbers of bytes of `user_output` and `user_error` that the sink has received.
    pub(crate) taken: (usize, usize),
    /// The addresses of the instruction that threw the last ball, and of the continuations that it would have
    /// returned to.
    pub(crate) thrown_at: Vec<u32>,
    /// The control state of the query that runs.
    pub(crate) control: Control,
    /// The state of the run besides the program and the heap.
    pub(crate) run: RunState,
    /// The state that directives left behind: each run begins with it.
    pub(crate) loaded: Loaded,
}

/// The control state of one query: frames, choice points, registers and counts. A new query replaces all of it.
#[derive(Debug, Default)]
pub(crate) struct Control {
    /// The number of predicate calls so far in this run.
    pub steps: u64,
    /// The number of steps at which the budgets are checked next.
    pub(crate) check_at: u64,
    /// The number of returns from frames so far in this run, and the number at which the budgets are checked next.
    /// After backtracking, a goal may return through many frames without a call: `nat(s(N)) :- nat(N)`.
    pub(crate) returns: u64,
    pub(crate) check_returns_at: u64,
    pub(crate) frames: Vec<Frame>,
    pub(crate) choices: Vec<Choice>,
    /// The address of the next instruction.
    pub(crate) pc: usize,
    /// The index of the running clause's first slot.
    pub(crate) base: usize,
    /// The index at which the arguments of the next call are built.
    pub(crate) next: usize,
    /// The frame of the running clause, or of its caller if the clause has none.
    pub(crate) frame: usize,
    /// The address at which execution continues after the running clause, if it has no frame.
    pub(crate) continuation: usize,
    /// The number of choice points when the running predicate was called; a cut removes the later ones.
    pub(crate) barrier: usize,
    /// The parts of the stack and of the frames below these indexes are kept by a choice point.
    pub(crate) kept_stack: usize,
    pub(crate) kept_frames: usize,
    /// The number of choice points of `setup_call_cleanup/3`.
    pub(crate) n_cleanups: usize,
    /// The number of cleanups in progress, nested in each other.
    pub(crate) n_nested: u32,
    /// Whether the predicate called next is declared `det` and its caller already checks its determinism.
    pub(crate) is_checked: bool,
    /// The weight of the heap at which garbage is collected next; see `Heap::weight`.
    pub(crate) collect_at: usize,
    /// The builtin that is running, for error messages.
    pub(crate) running: Option<(AtomId, usize)>,
    /// The answers of the `findall/3` calls in progress, innermost last.
    pub(crate) collectors: Vec<Vec<Record>>,
    pub(crate) collected_bytes: usize,
    /// The step counts at which goals with a limit of inferences are stopped; innermost last.
    pub(crate) goal_limits: Vec<u64>,
    /// The coverage mark of the `catch/3` that is called next, if it is in a clause under test.
    pub(crate) catch_mark: Option<u32>,
}

impl Control {
    /// Returns the state before a query, in which the only frame is the bottom one.
    pub(crate) fn new() -> Control {
        Control { frames: vec![Frame::default()], ..Control::default() }
    }
}

/// The state of one run besides the program and the heap. The end of the run replaces all of it.
#[derive(Debug, Default)]
pub(crate) struct RunState {
    /// Whether the run has asked for something that depends on the environment, such as the clock or a flag.
    pub(crate) has_asked_outside: bool,
    pub(crate) globals: FxHashMap<AtomId, Vec<Global>>,
    pub(crate) output: Output,
    pub(crate) streams: Streams,
    pub(crate) tables: Tables,
    pub(crate) gensyms: FxHashMap<String, u64>,
    pub(crate) random: u64,
    /// For each coverage mark, whether the run has entered and completed it: bits [`ENTERED`] and
    /// [`COMPLETED`].
    pub(crate) reached: Vec<u8>,
}

impl RunState {
    /// Returns the state in which a run begins.
    pub(crate) fn new(loaded: &Loaded) -> RunState {
        RunState {
            globals: loaded.globals.clone(),
            gensyms: loaded.gensyms.clone(),
            random: SEED,
            ..RunState::default()
        }
    }
}

/// The seed of the pseudo-random numbers of each run.
const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

/// The state that directives left behind for all runs.
#[derive(Debug, Default)]
pub(crate) struct Loaded {
    pub(crate) globals: FxHashMap<AtomId, Vec<Global>>,
    pub(crate) gensyms: FxHashMap<String, u64>,
}

/// A consumer of output; returns whether it wants more.
type Take = dyn FnMut(&[Written]) -> bool;

/// A consumer of what a program writes while it runs.
pub struct Sink(pub Box<Take>);

impl std::fmt::Debug for Sink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Sink")
    }
}

/// The head of the clause matched.
pub(crate) const ENTERED: u8 = 1;
/// The body of the clause was executed to its end.
pub(crate) const COMPLETED: u8 = 2;

/// What a program has written: to the user's streams, and to captures in progress.
#[derive(Clone, Debug, Default)]
pub struct Output {
    /// The text written to `user_output`.
    pub text: String,
    /// The text written to `user_error`.
    pub errors: String,
    /// For each piece of `errors` that was written at a stretch: the length of `text` at that time, and the
    /// offset of the piece in `errors`.
    turns: Vec<(usize, usize)>,
    /// The captures in progress of `with_output_to/2` and of `format/3` with a sink, innermost last.
    pub captures: Vec<Capture>,
}

/// A piece of output; pieces are in the order of writing.
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

    /// Cuts the output back to these lengths.
    pub(crate) fn truncate(&mut self, text: usize, errors: usize) {
        self.text.truncate(text);
        self.errors.truncate(errors);
        self.turns.retain(|it| it.1 < errors);
    }

    /// Returns the pieces written after the outputs had these lengths.
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
    /// The column at which the captured text will begin in the stream that it is written to.
    pub start: usize,
}

#[derive(Clone, Debug)]
pub enum Global {
    /// A value of `nb_setval/2`. Once it was read, it is also in the heap, so that later readers see the
    /// effects of `setarg/3`; backtracking removes the copy.
    Kept(Rc<Record>, Option<Value>),
    /// A value of `b_setval/2`, which backtracking undoes.
    Live(Value),
}

/// An environment frame: a clause that called a goal and continues afterwards.
#[derive(Clone, Copy, Debug, Default)]
pub struct Frame {
    pub parent: u32,
    pub continuation: u32,
    pub base: u32,
    pub n_slots: u32,
    pub barrier: u32,
}

/// A choice point: the state to restore on failure, and the alternative to try then.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    pub alternative: Alternative,
    pub frame: u32,
    pub continuation: u32,
    pub base: u32,
    /// The index below which the stack is kept.
    pub kept_stack: u32,
    pub kept_frames: u32,
    pub mark: Mark,
}

/// The alternative of a choice point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alternative {
    /// The next clause of the predicate's list, and the generation that the call sees.
    Clause(ClauseId, u64),
    /// The next clause of a bucket: its position, and the generation that the call sees.
    Indexed(Bucket, u32, u64),
    /// The instruction at this address of the clause itself.
    Label(u32),
    /// `catch/3`: fails when backtracked to, but stops exceptions. The number of `findall/3` calls that were
    /// in progress.
    Catch(u32),
    /// `setup_call_cleanup/3`: the goal is finished when backtracked to. Its cleanup is the third slot at
    /// `base`.
    Cleanup,
    /// No clause `Head => Body` of the predicate matched, which is an error.
    NoRule(PredId),
    /// Fails again.
    Fail,
    /// The bottom of a run or of a nested loop.
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
