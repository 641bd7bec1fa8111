//! Exceptions: `catch/3`, and unwinding from a `throw/1` to it.
#![expect(
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "sizes are kept below 2^32 by the limits, and indices are our own"
)]

use crate::data::{FunctorId, Record, Value, unify};
use crate::machine::call::Next;
use crate::machine::{Alternative, COMPLETED, ENTERED, Fault, Machine, Stop};

/// The address that a goal inside `catch/3` returns to.
pub(crate) const CATCH_EXIT: usize = 2;

/// The number of slots of a `catch/3` frame: its arguments, the module that it was called from, and its
/// coverage marks.
const CATCH_SLOTS: usize = 5;

/// The bytes charged for an answer of `findall/3` in addition to its cells.
pub(crate) const BYTES_PER_ANSWER: usize = 64;

/// The maximum number of addresses that are kept of the place of an exception.
const MAX_PLACES: usize = 64;

/// The outcome of throwing a ball.
#[derive(Clone, Debug)]
pub(crate) enum Thrown {
    Caught,
    Uncaught(Record),
}

impl Machine {
    /// Calls `catch(Goal, Catcher, Recovery)`, whose arguments are at `base`.
    pub(crate) fn catch(&mut self, base: usize) -> Result<Next, Fault> {
        self.stack[base + 3] = Value::atom(self.context);
        self.stack[base + 4] = match self.control.catch_mark.take() {
            Some(mark) => Value::int(i64::from(mark)),
            None => Value::NIL,
        };
        self.control.barrier = self.control.choices.len();
        self.push_frame(CATCH_SLOTS);
        self.push_choice(
            Alternative::Catch(self.control.collectors.len() as u32),
            base + CATCH_SLOTS,
        );
        let goal = self.in_context(self.stack[base]);
        self.control.next = (base + CATCH_SLOTS).max(self.control.kept_stack);
        self.reserve(self.control.next);
        self.stack[self.control.next] = goal;
        self.control.continuation = CATCH_EXIT;
        self.control.base = self.control.next;
        self.call_goal()?;
        Ok(Next::Jump)
    }

    /// Qualifies a goal with the module from which the running builtin was called.
    pub(crate) fn in_context(&mut self, goal: Value) -> Value {
        self.in_module(self.context, goal)
    }

    pub(crate) fn in_module(&mut self, module: crate::data::AtomId, goal: Value) -> Value {
        let goal = self.heap.deref(goal);
        if goal.is_struct(FunctorId::QUALIFIED) {
            return goal;
        }
        self.heap.structure(FunctorId::QUALIFIED, &[Value::atom(module), goal])
    }

    /// Leaves a `catch/3` whose goal succeeded.
    pub(crate) fn catch_exit(&mut self) {
        let frame = self.control.frames[self.control.frame];
        self.note_catch(frame.base as usize, 0);
        // The choice point of `catch/3` is removed unless the goal left choice points above it.
        if self.control.choices.len() == frame.barrier as usize + 1 {
            self.pop_choice();
        }
        self.control.continuation = frame.continuation as usize;
        self.control.frame = frame.parent as usize;
        self.proceed();
    }

    /// Unwinds to the innermost `catch/3` whose catcher unifies with the ball; returns the ball if there is
    /// none.
    pub(crate) fn throw(&mut self, ball: Value) -> Result<Thrown, Fault> {
        let ball = Record::new(&self.heap, &self.atoms, ball);
        let thrown_from = self.control.frame;
        self.note_place();
        while let Some(choice) = self.control.choices.last().copied() {
            match choice.alternative {
                Alternative::Bottom => return Ok(Thrown::Uncaught(ball)),
                Alternative::Cleanup => {
                    self.pop_choice();
                    self.cleanup_on_exception(choice.base as usize, &ball)?;
                }
                Alternative::Catch(n_collectors)
                    if self.is_inside(thrown_from, choice.frame as usize) =>
                {
                    // As on SWI-Prolog, the catcher is tested before the bindings of the goal are undone.
                    let thrown = ball.load(&mut self.heap);
                    let catcher = self.stack[choice.base as usize + 1];
                    let is_wanted = match self.recorder.is_some() {
                        true => self.can_unify_recorded(thrown, catcher),
                        false => self.can_unify(catcher, thrown),
                    };
                    if !is_wanted {
                        self.pop_choice();
                        continue;
                    }
                    self.restore(&choice);
                    self.pop_choice();
                    self.drop_collectors(n_collectors as usize);
                    let base = choice.base as usize;
                    let mark = self.heap.mark();
                    let thrown = ball.load(&mut self.heap);
                    let old = std::mem::replace(&mut self.heap.old, mark.cells);
                    let caught = unify(&mut self.heap, &self.atoms, self.stack[base + 1], thrown);
                    self.heap.old = old;
                    if caught {
                        self.recover(base);
                        return Ok(Thrown::Caught);
                    }
                    self.heap.undo_to(mark, |_, _| {});
                    self.heap.cut_back(mark);
                }
                Alternative::Catch(_)
                | Alternative::Clause(..)
                | Alternative::Indexed(..)
                | Alternative::Label(_)
                | Alternative::NoRule(_)
                | Alternative::Fail => self.pop_choice(),
            }
        }
        Ok(Thrown::Uncaught(ball))
    }

    /// Throws the resource error that SWI-Prolog raises when its stacks are full, because the budget of
    /// memory is exhausted. Returns whether the error was caught.
    pub(crate) fn throw_stack_overflow(&mut self) -> Result<bool, Stop> {
        // The data of the goals that the exception leaves is garbage for the goals that continue.
        (self.control.collect_at, self.control.check_at) = (0, 0);
        let stack = self.atom_named("stack");
        let functor = self.atoms.functor_named("resource_error", 1);
        let formal = self.heap.structure(functor, &[stack]);
        let context = self.atom_named("stack_overflow");
        let ball = self.heap.structure(FunctorId::ERROR_2, &[formal, context]);
        match self.throw(ball) {
            Ok(Thrown::Caught) => Ok(true),
            // An exception of a cleanup is ignored.
            Ok(Thrown::Uncaught(_)) | Err(Fault::Ball(_)) => Ok(false),
            Err(Fault::Stop(stop)) => Err(stop),
        }
    }

    /// Whether a ball is the error of [`Machine::throw_stack_overflow`]; it may have been caught and thrown
    /// again.
    pub(crate) fn is_stack_overflow(&self, ball: &Record) -> bool {
        let context = ball.arg(ball.root(), 1).and_then(Value::as_atom);
        ball.root().is_struct(FunctorId::ERROR_2)
            && context.is_some_and(|it| self.atoms.text(it) == "stack_overflow")
    }

    /// Discards the answers of the `findall/3` calls in progress, except those of the outermost `n` calls.
    fn drop_collectors(&mut self, n: usize) {
        let dropped = self.control.collectors.drain(n.min(self.control.collectors.len())..);
        let bytes: usize = dropped.flatten().map(|it| it.size() + BYTES_PER_ANSWER).sum();
        self.control.collected_bytes = self.control.collected_bytes.saturating_sub(bytes);
        self.run.tables.leave(n);
    }

    /// Records the addresses of the current instruction and of the continuations, to report where an
    /// exception came from.
    fn note_place(&mut self) {
        self.thrown_at.clear();
        self.thrown_at.extend([self.control.pc as u32, self.control.continuation as u32]);
        let mut at = self.control.frame;
        while self.thrown_at.len() < MAX_PLACES && 0 < at {
            let frame = self.control.frames[at];
            self.thrown_at.push(frame.continuation);
            at = frame.parent as usize;
        }
    }

    /// Whether `frame` is `from` or one of its ancestors.
    fn is_inside(&self, from: usize, frame: usize) -> bool {
        let mut at = from;
        while frame < at {
            at = self.control.frames[at].parent as usize;
        }
        at == frame
    }

    /// Records in the coverage how a `catch/3` of a clause under test ended: with the mark of its success (0)
    /// or of a caught exception (1).
    fn note_catch(&mut self, base: usize, nth: u32) {
        let mark = self.stack[base + 4].as_int().and_then(|it| u32::try_from(it).ok());
        if let Some(mark) = mark {
            self.note_reached(mark + nth, ENTERED | COMPLETED);
        }
    }

    fn recover(&mut self, base: usize) {
        let frame = self.control.frames[self.control.frame];
        self.note_catch(base, 1);
        let module = self.stack[base + 3].as_atom().unwrap_or(crate::data::AtomId::USER);
        let goal = self.in_module(module, self.stack[base + 2]);
        self.control.continuation = frame.continuation as usize;
        self.control.frame = frame.parent as usize;
        self.control.base = base.max(self.control.kept_stack);
        self.reserve(self.control.base);
        self.stack[self.control.base] = goal;
        // The goal is called by an instruction, so that the main loop handles its exceptions.
        self.control.pc = RECOVER;
    }
}

/// The address of the instruction that calls the goal at `base`.
pub(crate) const RECOVER: usize = 3;
