//! Exceptions: `catch/3`, and the way from a `throw` to it.
#![expect(
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "sizes are kept below 2^32 by the limits, and indices are our own"
)]

use crate::data::{FunctorId, Record, Value, unify};
use crate::machine::call::Next;
use crate::machine::{Alternative, COMPLETED, ENTERED, Fault, Machine, Stop};

/// Where a goal inside `catch/3` returns to: see the first instructions of the code.
pub(crate) const CATCH_EXIT: usize = 2;

/// Its arguments, the module that it was called from, and the marks of its outcomes.
const CATCH_SLOTS: usize = 5;

/// What an answer of `findall/3` takes besides its cells.
pub(crate) const BYTES_PER_ANSWER: usize = 64;

/// How far back the way to an exception is kept.
const MAX_PLACES: usize = 64;

/// What became of a ball.
#[derive(Clone, Debug)]
pub(crate) enum Thrown {
    Caught,
    Uncaught(Record),
}

impl Machine {
    /// `catch(Goal, Catcher, Recovery)`, with its arguments at `base`.
    pub(crate) fn catch(&mut self, base: usize) -> Result<Next, Fault> {
        self.stack[base + 3] = Value::atom(self.context);
        self.stack[base + 4] = match self.catch_mark.take() {
            Some(mark) => Value::int(i64::from(mark)),
            None => Value::NIL,
        };
        self.barrier = self.choices.len();
        self.push_frame(CATCH_SLOTS);
        self.push_choice(Alternative::Catch(self.collectors.len() as u32), base + CATCH_SLOTS);
        let goal = self.in_context(self.stack[base]);
        self.next = (base + CATCH_SLOTS).max(self.kept_stack);
        self.reserve(self.next);
        self.stack[self.next] = goal;
        self.continuation = CATCH_EXIT;
        self.base = self.next;
        self.call_goal()?;
        Ok(Next::Jump)
    }

    /// The goal, as it is called from the module that the running builtin was called from.
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

    /// The goal inside a `catch/3` succeeded.
    pub(crate) fn catch_exit(&mut self) {
        let frame = self.frames[self.frame];
        self.note_catch(frame.base as usize, 0);
        // Its choice point goes unless the goal left others.
        if self.choices.len() == frame.barrier as usize + 1 {
            self.pop_choice();
        }
        self.continuation = frame.continuation as usize;
        self.frame = frame.parent as usize;
        self.proceed();
    }

    /// Goes to the innermost `catch/3` that wants the ball; gives the ball back if there is none.
    pub(crate) fn throw(&mut self, ball: Value) -> Result<Thrown, Fault> {
        let ball = Record::new(&self.heap, &self.atoms, ball);
        let thrown_from = self.frame;
        self.note_place();
        while let Some(choice) = self.choices.last().copied() {
            match choice.alternative {
                Alternative::Bottom => return Ok(Thrown::Uncaught(ball)),
                Alternative::Cleanup => {
                    self.pop_choice();
                    self.cleanup_on_exception(choice.base as usize, &ball)?;
                }
                Alternative::Catch(n_collectors)
                    if self.is_inside(thrown_from, choice.frame as usize) =>
                {
                    // As on SWI-Prolog, the catcher is looked at with what the goal has bound.
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

    /// The budget of memory is used up: the error that SWI-Prolog raises when its stacks are full.
    /// Whether somebody caught it.
    pub(crate) fn throw_stack_overflow(&mut self) -> Result<bool, Stop> {
        // What the goals that are left behind have made is garbage for those that go on.
        (self.collect_at, self.check_at) = (0, 0);
        let stack = self.atom_named("stack");
        let functor = self.atoms.functor_named("resource_error", 1);
        let formal = self.heap.structure(functor, &[stack]);
        let context = self.atom_named("stack_overflow");
        let ball = self.heap.structure(FunctorId::ERROR_2, &[formal, context]);
        match self.throw(ball) {
            Ok(Thrown::Caught) => Ok(true),
            // The exception of a cleanup is not heard.
            Ok(Thrown::Uncaught(_)) | Err(Fault::Ball(_)) => Ok(false),
            Err(Fault::Stop(stop)) => Err(stop),
        }
    }

    /// Whether a ball is the one of [`Machine::throw_stack_overflow`], which may have been caught and thrown
    /// again.
    pub(crate) fn is_stack_overflow(&self, ball: &Record) -> bool {
        let context = ball.arg(ball.root(), 1).and_then(Value::as_atom);
        ball.root().is_struct(FunctorId::ERROR_2)
            && context.is_some_and(|it| self.atoms.text(it) == "stack_overflow")
    }

    /// Answers of `findall/3` that are under way are given up, but for the outermost `n` calls.
    fn drop_collectors(&mut self, n: usize) {
        let dropped = self.collectors.drain(n.min(self.collectors.len())..);
        let bytes: usize = dropped.flatten().map(|it| it.size() + BYTES_PER_ANSWER).sum();
        self.collected_bytes = self.collected_bytes.saturating_sub(bytes);
        self.tables.leave(n);
    }

    /// Keeps where the run is, for whoever wants to know where an exception came from.
    fn note_place(&mut self) {
        self.thrown_at.clear();
        self.thrown_at.extend([self.pc as u32, self.continuation as u32]);
        let mut at = self.frame;
        while self.thrown_at.len() < MAX_PLACES && 0 < at {
            let frame = self.frames[at];
            self.thrown_at.push(frame.continuation);
            at = frame.parent as usize;
        }
    }

    /// Whether the frame is on the way from a clause to the bottom.
    fn is_inside(&self, from: usize, frame: usize) -> bool {
        let mut at = from;
        while frame < at {
            at = self.frames[at].parent as usize;
        }
        at == frame
    }

    /// Notes how a `catch/3` of a clause under test ended: which of its two marks.
    fn note_catch(&mut self, base: usize, nth: u32) {
        let mark = self.stack[base + 4].as_int().and_then(|it| u32::try_from(it).ok());
        if let Some(mark) = mark {
            self.note_reached(mark + nth, ENTERED | COMPLETED);
        }
    }

    fn recover(&mut self, base: usize) {
        let frame = self.frames[self.frame];
        self.note_catch(base, 1);
        let module = self.stack[base + 3].as_atom().unwrap_or(crate::data::AtomId::USER);
        let goal = self.in_module(module, self.stack[base + 2]);
        self.continuation = frame.continuation as usize;
        self.frame = frame.parent as usize;
        self.base = base.max(self.kept_stack);
        self.reserve(self.base);
        self.stack[self.base] = goal;
        // The goal is called by the instruction, so that its own exceptions are seen by the loop.
        self.pc = RECOVER;
    }
}

/// Calls the goal at `base`: see the first instructions of the code.
pub(crate) const RECOVER: usize = 3;
