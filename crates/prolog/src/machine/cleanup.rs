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
        self.control.barrier = self.control.choices.len();
        self.push_frame(3);
        self.push_choice(Alternative::Cleanup, base + 3);
        self.control.n_cleanups += 1;
        let goal = self.in_context(self.stack[base]);
        self.control.next = (base + 3).max(self.control.kept_stack);
        self.reserve(self.control.next);
        self.stack[self.control.next] = goal;
        self.control.continuation = CLEANUP_EXIT;
        self.control.base = self.control.next;
        self.call_goal()?;
        Ok(Next::Jump)
    }

    /// The goal succeeded. It is finished unless it left choice points.
    pub(crate) fn cleanup_exit(&mut self) -> Result<(), Fault> {
        let frame = self.control.frames[self.control.frame];
        self.control.continuation = frame.continuation as usize;
        self.control.frame = frame.parent as usize;
        if self.control.choices.len() == frame.barrier as usize + 1 {
            self.pop_choice();
            self.control.n_cleanups -= 1;
            self.control.next = (frame.base + frame.n_slots) as usize;
            let reason = self.atom_named("exit");
            self.clean_up(frame.base as usize, reason)?;
        }
        self.proceed();
        Ok(())
    }

    /// Runs the cleanups of all choice points beyond the first `n`, innermost first.
    pub(crate) fn run_cleanups(&mut self, n: usize) -> Result<(), Fault> {
        while n < self.control.choices.len() && self.control.n_cleanups != 0 {
            let is_cleanup = |it: &crate::machine::Choice| it.alternative == Alternative::Cleanup;
            let Some(last) = self.control.choices[n..].iter().rposition(is_cleanup) else {
                return Ok(());
            };
            let base = self.control.choices[n + last].base as usize;
            // The cleanup must not overwrite the stack below.
            self.control.next = self.control.next.max(self.control.kept_stack);
            self.truncate_choices(n + last);
            self.control.n_cleanups -= 1;
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
        if self.control.n_nested == MAX_NESTED {
            return Err(self.resource_error("cleanup_depth"));
        }
        let saved = (
            self.control.pc,
            self.control.base,
            self.control.next,
            self.control.frame,
            self.control.continuation,
            self.control.barrier,
        );
        let (running, context, n) =
            (self.control.running, self.context, self.control.choices.len());
        self.push_choice(Alternative::Bottom, self.control.next);
        self.control.base = self.control.next.max(self.control.kept_stack);
        self.reserve(self.control.base);
        self.stack[self.control.base] = goal;
        self.control.continuation = 0;
        self.control.pc = RECOVER;
        self.control.n_nested += 1;
        let res = self.run_to_bottom();
        self.control.n_nested -= 1;
        let cut = if res.is_ok() { self.cut_to(n) } else { Ok(()) };
        (self.control.running, self.context) = (running, context);
        (
            self.control.pc,
            self.control.base,
            self.control.next,
            self.control.frame,
            self.control.continuation,
            self.control.barrier,
        ) = saved;
        res.and(cut)
    }

    fn run_to_bottom(&mut self) -> Result<(), Fault> {
        loop {
            match self.run_on() {
                Ok(_) => return Ok(()),
                Err(Fault::Ball(ball)) => {
                    if let Thrown::Uncaught(ball) = self.throw(ball)? {
                        // The exception is raised again from the frame of the bottom choice point.
                        if let Some(bottom) = self.control.choices.last().copied() {
                            self.restore(&bottom);
                            self.truncate_choices(self.control.choices.len() - 1);
                        }
                        let ball = ball.load(&mut self.heap);
                        return Err(Fault::Ball(ball));
                    }
                }
                Err(Fault::Stop(Stop::Memory)) => {
                    if !self.throw_stack_overflow()? {
                        if let Some(bottom) = self.control.choices.last().copied() {
                            self.restore(&bottom);
                            self.truncate_choices(self.control.choices.len() - 1);
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
        self.control.n_cleanups -= 1;
        // Execution does not return to the slots above.
        self.control.next = self.control.kept_stack.max(base + 3);
        let ball = ball.load(&mut self.heap);
        let functor = self.atoms.functor_named("exception", 1);
        let reason = self.heap.structure(functor, &[ball]);
        match self.clean_up(base, reason) {
            Ok(()) | Err(Fault::Ball(_) | Fault::Stop(Stop::Memory)) => Ok(()),
            Err(stop @ Fault::Stop(_)) => Err(stop),
        }
    }
}
