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
        self.stack[self.base + arity] = Value::int(i64::from(id.0));
        self.push_frame(arity + 1);
        let goal = self.woken_goals();
        self.next = (self.base + arity + 1).max(self.kept_stack);
        self.reserve(self.next);
        self.stack[self.next] = goal;
        self.continuation = RESUME;
        self.base = self.next;
        self.enter_pred(self.known.wakeup)
    }

    /// Continues with the call that waited for woken goals.
    pub(crate) fn resume(&mut self) -> Result<(), Fault> {
        let frame = self.frames[self.frame];
        let (base, n) = (frame.base as usize, frame.n_slots as usize - 1);
        let id = self.stack[base + n].as_int().and_then(|it| u32::try_from(it).ok()).unwrap_or(0);
        self.continuation = frame.continuation as usize;
        self.frame = frame.parent as usize;
        let to = base.max(self.kept_stack);
        self.reserve(to + n);
        self.stack.copy_within(base..base + n, to);
        self.base = to;
        self.enter_pred(PredId(id))
    }

    #[inline]
    pub(crate) fn return_or_wake(&mut self) -> Result<(), Fault> {
        if self.heap.woken.is_empty() {
            self.proceed();
            return Ok(());
        }
        let goal = self.woken_goals();
        self.base = self.base.max(self.kept_stack);
        self.reserve(self.base);
        self.stack[self.base] = goal;
        self.enter_pred(self.known.wakeup)
    }

    /// Whether goals were woken that must run before the current instruction; they are then called. The
    /// clause may have no frame, so a frame below its slots keeps the registers until the goals are done.
    #[inline]
    pub(crate) fn wake_here(&mut self) -> Result<bool, Fault> {
        if self.heap.woken.is_empty() {
            return Ok(false);
        }
        let n_slots = self.next - self.base;
        self.reserve(self.next + 1);
        self.stack[self.next] = Value::size(self.pc);
        self.push_frame(n_slots + 1);
        let goal = self.woken_goals();
        self.next += 1;
        self.stack[self.next] = goal;
        self.continuation = RESUME_HERE;
        self.base = self.next;
        self.enter_pred(self.known.wakeup)?;
        Ok(true)
    }

    /// Continues with the instruction that waited for woken goals.
    pub(crate) fn resume_here(&mut self) {
        let frame = self.frames[self.frame];
        let n = frame.n_slots as usize - 1;
        self.base = frame.base as usize;
        self.pc =
            self.stack[self.base + n].as_int().and_then(|it| usize::try_from(it).ok()).unwrap_or(0);
        self.next = (self.base + n).max(self.kept_stack);
        self.reserve(self.next);
        self.continuation = frame.continuation as usize;
        self.barrier = frame.barrier as usize;
        self.frame = frame.parent as usize;
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
