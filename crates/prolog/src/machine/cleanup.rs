//! `setup_call_cleanup/3`: a cleanup goal that is called when another goal is finished, by success, failure,
//! cut or exception.
//!
//! The cleanup runs in a nested loop of the machine, inside the operation that finishes the goal: a cut, the
//! last answer, a failure or an exception.
#![expect(clippy::indexing_slicing, reason = "indices are our own")]

use crate::data::{AtomId, Record, Value};
use crate::machine::call::Next;
use crate::machine::throw::{RECOVER, Thrown};
use crate::machine::{Alternative, Fault, Machine, Stop};

/// The address that a goal with a cleanup returns to.
pub(crate) const CLEANUP_EXIT: usize = 5;

/// The maximum nesting of cleanups inside cleanups, which uses the native stack.
const MAX_NESTED: u32 = 32;

impl Machine {
    /// Calls `'$call_cleanup'(Goal, Catcher, Cleanup)`, whose arguments are at `base`.
    pub(crate) fn call_cleanup(&mut self, base: usize) -> Result<Next, Fault> {
        let cleanup = self.in_context(self.stack[base + 2]);
        self.stack[base + 2] = cleanup;
        self.barrier = self.choices.len();
        self.push_frame(3);
        self.push_choice(Alternative::Cleanup, base + 3);
        self.n_cleanups += 1;
        let goal = self.in_context(self.stack[base]);
        self.next = (base + 3).max(self.kept_stack);
        self.reserve(self.next);
        self.stack[self.next] = goal;
        self.continuation = CLEANUP_EXIT;
        self.base = self.next;
        self.call_goal()?;
        Ok(Next::Jump)
    }

    /// The goal succeeded. It is finished unless it left choice points.
    pub(crate) fn cleanup_exit(&mut self) -> Result<(), Fault> {
        let frame = self.frames[self.frame];
        self.continuation = frame.continuation as usize;
        self.frame = frame.parent as usize;
        if self.choices.len() == frame.barrier as usize + 1 {
            self.pop_choice();
            self.n_cleanups -= 1;
            self.next = (frame.base + frame.n_slots) as usize;
            let reason = self.atom_named("exit");
            self.clean_up(frame.base as usize, reason)?;
        }
        self.proceed();
        Ok(())
    }

    /// Runs the cleanups of all choice points beyond the first `n`, innermost first.
    pub(crate) fn run_cleanups(&mut self, n: usize) -> Result<(), Fault> {
        while n < self.choices.len() && self.n_cleanups != 0 {
            let is_cleanup = |it: &crate::machine::Choice| it.alternative == Alternative::Cleanup;
            let Some(last) = self.choices[n..].iter().rposition(is_cleanup) else { return Ok(()) };
            let base = self.choices[n + last].base as usize;
            // The cleanup must not overwrite the stack below.
            self.next = self.next.max(self.kept_stack);
            self.truncate_choices(n + last);
            self.n_cleanups -= 1;
            self.clean_up(base, Value::atom(AtomId::CUT))?;
        }
        Ok(())
    }

    /// Runs the cleanup of the goal whose arguments are at `base`, if its catcher unifies with the reason.
    pub(crate) fn clean_up(&mut self, base: usize, reason: Value) -> Result<(), Fault> {
        let functor = self.atoms.functor_named("$run_cleanup", 3);
        let args = [reason, self.stack[base + 1], self.stack[base + 2]];
        let goal = self.heap.structure(functor, &args);
        let goal = self.in_module(AtomId::SYSTEM, goal);
        self.run_inside(goal)
    }

    /// Calls a goal once, to its end, and restores the registers. Failure counts as success.
    pub(crate) fn run_inside(&mut self, goal: Value) -> Result<(), Fault> {
        if self.n_nested == MAX_NESTED {
            return Err(self.resource_error("cleanup_depth"));
        }
        let saved = (self.pc, self.base, self.next, self.frame, self.continuation, self.barrier);
        let (running, context, n) = (self.running, self.context, self.choices.len());
        self.push_choice(Alternative::Bottom, self.next);
        self.base = self.next.max(self.kept_stack);
        self.reserve(self.base);
        self.stack[self.base] = goal;
        self.continuation = 0;
        self.pc = RECOVER;
        self.n_nested += 1;
        let res = self.run_to_bottom();
        self.n_nested -= 1;
        let cut = if res.is_ok() { self.cut_to(n) } else { Ok(()) };
        (self.running, self.context) = (running, context);
        (self.pc, self.base, self.next, self.frame, self.continuation, self.barrier) = saved;
        res.and(cut)
    }

    fn run_to_bottom(&mut self) -> Result<(), Fault> {
        loop {
            match self.run_on() {
                Ok(_) => return Ok(()),
                Err(Fault::Ball(ball)) => {
                    if let Thrown::Uncaught(ball) = self.throw(ball)? {
                        // The exception is raised again from the frame of the bottom choice point.
                        if let Some(bottom) = self.choices.last().copied() {
                            self.restore(&bottom);
                            self.truncate_choices(self.choices.len() - 1);
                        }
                        let ball = ball.load(&mut self.heap);
                        return Err(Fault::Ball(ball));
                    }
                }
                Err(Fault::Stop(Stop::Memory)) => {
                    if !self.throw_stack_overflow()? {
                        if let Some(bottom) = self.choices.last().copied() {
                            self.restore(&bottom);
                            self.truncate_choices(self.choices.len() - 1);
                        }
                        return Err(Stop::Memory.into());
                    }
                }
                Err(stop @ Fault::Stop(_)) => return Err(stop),
            }
        }
    }

    /// Runs the cleanup of a goal that an exception leaves. An exception of the cleanup itself is ignored.
    pub(crate) fn cleanup_on_exception(&mut self, base: usize, ball: &Record) -> Result<(), Fault> {
        self.n_cleanups -= 1;
        // Execution does not return to the slots above.
        self.next = self.kept_stack.max(base + 3);
        let ball = ball.load(&mut self.heap);
        let functor = self.atoms.functor_named("exception", 1);
        let reason = self.heap.structure(functor, &[ball]);
        match self.clean_up(base, reason) {
            Ok(()) | Err(Fault::Ball(_) | Fault::Stop(Stop::Memory)) => Ok(()),
            Err(stop @ Fault::Stop(_)) => Err(stop),
        }
    }
}
