//! Attributed variables: calling their goals after they were bound.
#![expect(clippy::indexing_slicing, reason = "indices are our own")]

use crate::code::PredId;
use crate::data::Value;
use crate::machine::{Fault, Machine};

/// The address that woken goals return to if a call waits for them. A new machine has the instruction
/// [`Ins::Resume`](crate::code::Ins::Resume) there.
pub(crate) const RESUME: usize = 4;

/// The address that woken goals return to if an instruction within a clause waits for them.
const RESUME_HERE: usize = 6;

impl Machine {
    /// Calls the woken goals, then the predicate. The frame keeps the arguments of the predicate and its
    /// number meanwhile.
    pub(crate) fn wake_before(&mut self, id: PredId) -> Result<(), Fault> {
        let arity = self.db.get(id).arity as usize;
        self.stack[self.control.base + arity] = Value::int(i64::from(id.0));
        self.push_frame(arity + 1);
        let goal = self.woken_goals();
        self.control.next = (self.control.base + arity + 1).max(self.control.kept_stack);
        self.reserve(self.control.next);
        self.stack[self.control.next] = goal;
        self.control.continuation = RESUME;
        self.control.base = self.control.next;
        self.enter_pred(self.known.wakeup)
    }

    /// Continues with the call that waited for woken goals.
    pub(crate) fn resume(&mut self) -> Result<(), Fault> {
        let frame = self.control.frames[self.control.frame];
        let (base, n) = (frame.base as usize, frame.n_slots as usize - 1);
        let id = self.stack[base + n].as_int().and_then(|it| u32::try_from(it).ok()).unwrap_or(0);
        self.control.continuation = frame.continuation as usize;
        self.control.frame = frame.parent as usize;
        let to = base.max(self.control.kept_stack);
        self.reserve(to + n);
        self.stack.copy_within(base..base + n, to);
        self.control.base = to;
        self.enter_pred(PredId(id))
    }

    #[inline]
    pub(crate) fn return_or_wake(&mut self) -> Result<(), Fault> {
        if self.heap.woken.is_empty() {
            self.proceed();
            return Ok(());
        }
        let goal = self.woken_goals();
        self.control.base = self.control.base.max(self.control.kept_stack);
        self.reserve(self.control.base);
        self.stack[self.control.base] = goal;
        self.enter_pred(self.known.wakeup)
    }

    /// Whether goals were woken that must run before the current instruction; they are then called. The
    /// clause may have no frame, so a frame below its slots keeps the registers until the goals are done.
    #[inline]
    pub(crate) fn wake_here(&mut self) -> Result<bool, Fault> {
        if self.heap.woken.is_empty() {
            return Ok(false);
        }
        let n_slots = self.control.next - self.control.base;
        self.reserve(self.control.next + 1);
        self.stack[self.control.next] = Value::size(self.control.pc);
        self.push_frame(n_slots + 1);
        let goal = self.woken_goals();
        self.control.next += 1;
        self.stack[self.control.next] = goal;
        self.control.continuation = RESUME_HERE;
        self.control.base = self.control.next;
        self.enter_pred(self.known.wakeup)?;
        Ok(true)
    }

    /// Continues with the instruction that waited for woken goals.
    pub(crate) fn resume_here(&mut self) {
        let frame = self.control.frames[self.control.frame];
        let n = frame.n_slots as usize - 1;
        self.control.base = frame.base as usize;
        self.control.pc = self.stack[self.control.base + n]
            .as_int()
            .and_then(|it| usize::try_from(it).ok())
            .unwrap_or(0);
        self.control.next = (self.control.base + n).max(self.control.kept_stack);
        self.reserve(self.control.next);
        self.control.continuation = frame.continuation as usize;
        self.control.barrier = frame.barrier as usize;
        self.control.frame = frame.parent as usize;
    }

    /// Returns the woken goals as a list of `wake(Attributes, Value)`, and empties the heap's list.
    fn woken_goals(&mut self) -> Value {
        let woken = std::mem::take(&mut self.heap.woken);
        let functor = self.atoms.functor_named("wake", 2);
        let goals: Vec<Value> = woken
            .into_iter()
            .map(|(attributes, value)| self.heap.structure(functor, &[attributes, value]))
            .collect();
        self.heap.list(&goals)
    }
}
