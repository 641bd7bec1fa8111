//! Calling predicates, selecting clauses, and backtracking.
#![expect(
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "the hot path; sizes are kept below 2^32 by the limits, and indices are our own"
)]

use crate::code::{Bucket, ClauseId, Key, Kind, Meta, PredId, is_visible, key_of};
use crate::data::{FunctorId, Value};
use crate::machine::{Alternative, Choice, Fault, Frame, Global, Machine, Stop};
use std::sync::atomic::Ordering;

/// The number of steps between two checks of the budgets. A step allocates only a few cells, so memory needs
/// no check at each step.
const STEPS_BETWEEN_CHECKS: u64 = 256;
/// How many returns from frames a run may make for each step of its budget.
const RETURNS_PER_STEP: u64 = 4;

/// The outcome of a builtin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    True,
    False,
    /// The registers are set to where execution continues.
    Jump,
}

impl From<bool> for Next {
    fn from(holds: bool) -> Next {
        if holds { Next::True } else { Next::False }
    }
}

impl Machine {
    /// Calls a predicate whose arguments are at `base`; frame and continuation are set.
    ///
    /// Afterwards the registers say where execution continues: if the call failed, this function has already
    /// backtracked.
    #[inline]
    pub(crate) fn call_pred(&mut self, id: PredId) -> Result<(), Fault> {
        self.control.steps += 1;
        if self.control.check_at <= self.control.steps {
            self.check_budgets(id)?;
        }
        if !self.heap.woken.is_empty() {
            return self.wake_before(id);
        }
        self.enter_pred(id)
    }

    /// Checks the budgets of the run, collects garbage if it is due, and sets when to check next.
    fn check_budgets(&mut self, id: PredId) -> Result<(), Fault> {
        if self.limits.steps < self.control.steps {
            return Err(Stop::Steps.into());
        }
        if self.interrupt.load(Ordering::Relaxed) || !self.give_written() {
            return Err(Stop::Time.into());
        }
        self.collect_if_due(self.db.get(id).arity as usize)?;
        self.check_memory(0)?;
        self.control.check_at =
            (self.control.steps + STEPS_BETWEEN_CHECKS).min(self.limits.steps.saturating_add(1));
        self.check_goal_limits()
    }

    /// Checks the limit on returns from frames, and the interrupt. Called once per [`STEPS_BETWEEN_CHECKS`] returns.
    #[cold]
    pub(crate) fn check_returns(&mut self) -> Result<(), Fault> {
        let most = self.limits.steps.saturating_mul(RETURNS_PER_STEP);
        if most < self.control.returns {
            return Err(Stop::Steps.into());
        }
        if self.interrupt.load(Ordering::Relaxed) {
            return Err(Stop::Time.into());
        }
        self.control.check_returns_at =
            (self.control.returns + STEPS_BETWEEN_CHECKS).min(most.saturating_add(1));
        Ok(())
    }

    /// Raises the exception of a goal with a limit of inferences that has exceeded it; of several such goals,
    /// the outermost one is informed.
    fn check_goal_limits(&mut self) -> Result<(), Fault> {
        let Some(n) = self.control.goal_limits.iter().position(|it| *it < self.control.steps)
        else {
            let next = self.control.goal_limits.iter().min().copied().unwrap_or(u64::MAX);
            self.control.check_at = self.control.check_at.min(next.saturating_add(1));
            return Ok(());
        };
        self.control.goal_limits.truncate(n);
        let functor = self.atoms.functor_named("$limit_exceeded", 1);
        Err(Fault::Ball(self.heap.structure(functor, &[Value::size(n)])))
    }

    pub(crate) fn enter_pred(&mut self, id: PredId) -> Result<(), Fault> {
        self.control.barrier = self.control.choices.len();
        let pred = self.db.get(id);
        match pred.kind {
            Kind::Clauses => {
                if let Some(meta) = &pred.meta {
                    let (meta, module) = (meta.clone(), pred.module);
                    self.qualify_arguments(&meta, module);
                }
                self.call_clauses(id)
            }
            Kind::Builtin(row) => {
                self.context = pred.module;
                self.call_builtin(row as usize)
            }
            Kind::Import(target) => {
                let context = pred.module;
                let target_pred = self.db.get(target);
                if let Some(meta) = target_pred.meta.clone()
                    && target_pred.module != context
                {
                    self.qualify_arguments(&meta, context);
                }
                match self.db.get(target).kind {
                    Kind::Clauses => self.call_clauses(target),
                    Kind::Builtin(row) => {
                        self.context = context;
                        self.call_builtin(row as usize)
                    }
                    Kind::Undefined | Kind::Import(_) => self.call_undefined(target),
                }
            }
            Kind::Undefined => self.call_undefined(id),
        }
    }

    fn call_builtin(&mut self, number: usize) -> Result<(), Fault> {
        let row = &self.rows[number];
        self.control.running = Some((row.name_id, row.arity as usize));
        let run = row.run;
        let next = if self.recorder.is_some() {
            self.builtin_recorded(number)?
        } else {
            run(self, self.control.base)?
        };
        match next {
            Next::True => self.return_or_wake(),
            Next::False => self.backtrack(),
            Next::Jump => Ok(()),
        }
    }

    /// Qualifies every meta-argument with the module: `M:G`.
    fn qualify_arguments(&mut self, meta: &[Meta], module: crate::data::AtomId) {
        for (n, meta) in meta.iter().enumerate() {
            if *meta == Meta::Plain {
                continue;
            }
            let arg = self.heap.deref(self.stack[self.control.base + n]);
            if arg.is_struct(FunctorId::QUALIFIED) {
                continue;
            }
            let arg = self.heap.structure(FunctorId::QUALIFIED, &[Value::atom(module), arg]);
            self.stack[self.control.base + n] = arg;
        }
    }

    #[inline]
    fn call_clauses(&mut self, id: PredId) -> Result<(), Fault> {
        let pred = self.db.get(id);
        let first = pred.first;
        let arity = pred.arity;
        if pred.det && !std::mem::take(&mut self.control.is_checked) {
            return self.call_checked(id);
        }
        if pred.one_sided {
            self.push_choice(Alternative::NoRule(id), self.control.base + arity as usize);
        }
        if self.recorder.is_some() && 0 < arity {
            self.look_first_argument(id);
        }
        let key = if 0 < arity { self.first_key() } else { Key::ANY };
        if key != Key::ANY
            && let Some(bucket) = self.db.bucket(id, key)
        {
            let generation = self.db.generation;
            let bucket = self.narrower(id, key, bucket, generation);
            return self.try_bucket(bucket, 0, generation, arity, None);
        }
        let generation = self.db.generation;
        let found = self.next_clause(first, key, generation);
        if found == ClauseId::NONE {
            return self.backtrack();
        }
        let later = self.next_clause(self.db.clause(found).next, key, generation);
        if later != ClauseId::NONE {
            if let Some(bucket) = self.chosen(id, key, [found, later]) {
                return self.try_bucket(bucket, 0, generation, arity, None);
            }
            self.push_choice(
                Alternative::Clause(later, generation),
                self.control.base + arity as usize,
            );
        }
        self.enter_clause(found);
        Ok(())
    }

    /// Returns a bucket that excludes clauses by arguments other than the first. A recorded run does not use
    /// it, because comparisons with the clauses that do not match must be recorded, too.
    #[inline]
    fn chosen(&mut self, id: PredId, key: Key, found: [ClauseId; 2]) -> Option<Bucket> {
        if self.recorder.is_some() || !self.db.may_choose(id, key, found) {
            return None;
        }
        let arity = self.db.get(id).arity as usize;
        let args = self.stack.get(self.control.base..self.control.base + arity)?;
        self.db.choose(id, &self.heap, &self.atoms, args)
    }

    fn narrower(&mut self, id: PredId, key: Key, bucket: Bucket, generation: u64) -> Bucket {
        let Some((found, n)) = self.next_in_bucket(bucket, 0, generation) else { return bucket };
        let Some((later, _)) = self.next_in_bucket(bucket, n + 1, generation) else {
            return bucket;
        };
        self.chosen(id, key, [found, later]).unwrap_or(bucket)
    }

    #[inline]
    fn first_key(&self) -> Key {
        key_of(self.heap.deref(self.stack[self.control.base]))
    }

    #[inline]
    fn next_clause(&self, from: ClauseId, key: Key, generation: u64) -> ClauseId {
        let mut at = from;
        while at != ClauseId::NONE {
            let clause = self.db.clause(at);
            if clause.key.may_match(key) && is_visible(clause, generation) {
                return at;
            }
            at = clause.next;
        }
        at
    }

    fn next_in_bucket(
        &self,
        bucket: Bucket,
        from: u32,
        generation: u64,
    ) -> Option<(ClauseId, u32)> {
        let mut n = from;
        while let Some(clause) = self.db.bucket_at(bucket, n) {
            if is_visible(self.db.clause(clause), generation) {
                return Some((clause, n));
            }
            n += 1;
        }
        None
    }

    /// Tries the next clause of a bucket. `resumed` is the choice point's index if there is one already.
    fn try_bucket(
        &mut self,
        bucket: Bucket,
        from: u32,
        generation: u64,
        arity: u32,
        resumed: Option<usize>,
    ) -> Result<(), Fault> {
        let Some((found, n)) = self.next_in_bucket(bucket, from, generation) else {
            if resumed.is_some() {
                self.pop_choice();
            }
            return self.backtrack();
        };
        let later = self.next_in_bucket(bucket, n + 1, generation);
        match (later, resumed) {
            (Some((_, m)), Some(choice)) => {
                self.control.choices[choice].alternative =
                    Alternative::Indexed(bucket, m, generation);
            }
            (Some((_, m)), None) => {
                let kept = self.control.base + arity as usize;
                self.push_choice(Alternative::Indexed(bucket, m, generation), kept);
            }
            (None, Some(_)) => self.pop_choice(),
            (None, None) => {}
        }
        self.enter_clause(found);
        Ok(())
    }

    #[inline]
    pub(crate) fn enter_clause(&mut self, id: ClauseId) {
        let clause = self.db.clause(id);
        self.control.pc = clause.code as usize;
        let end = self.control.base + clause.n_slots as usize;
        self.control.next = end.max(self.control.kept_stack);
        self.reserve(self.control.next);
    }

    /// Grows the stack so that there is room for the arguments of a call.
    #[inline]
    pub(crate) fn reserve(&mut self, upto: usize) {
        const SLACK: usize = 2048;
        if self.stack.len() < upto + SLACK {
            self.stack.resize((upto + SLACK) * 2, Value::NIL);
        }
    }

    #[inline]
    pub(crate) fn push_choice(&mut self, alternative: Alternative, kept_stack: usize) {
        let kept_stack = kept_stack.max(self.control.kept_stack);
        let kept_frames = (self.control.frame + 1).max(self.control.kept_frames);
        let mark = self.heap.mark();
        self.control.choices.push(Choice {
            alternative,
            frame: self.control.frame as u32,
            continuation: self.control.continuation as u32,
            base: self.control.base as u32,
            kept_stack: kept_stack as u32,
            kept_frames: kept_frames as u32,
            mark,
        });
        self.control.kept_stack = kept_stack;
        self.control.kept_frames = kept_frames;
        self.heap.old = mark.cells;
    }

    #[inline]
    pub(crate) fn pop_choice(&mut self) {
        self.control.choices.pop();
        self.after_cut();
    }

    /// Removes all choice points except the first `n`, and runs the cleanups of those removed.
    #[inline]
    pub(crate) fn cut_to(&mut self, n: usize) -> Result<(), Fault> {
        if n < self.control.choices.len() {
            if self.control.n_cleanups != 0 {
                self.run_cleanups(n)?;
            }
            self.truncate_choices(n);
        }
        Ok(())
    }

    #[inline]
    pub(crate) fn truncate_choices(&mut self, n: usize) {
        self.control.choices.truncate(n);
        self.after_cut();
    }

    #[inline]
    fn after_cut(&mut self) {
        if let Some(choice) = self.control.choices.last() {
            self.control.kept_stack = choice.kept_stack as usize;
            self.control.kept_frames = choice.kept_frames as usize;
            self.heap.old = choice.mark.cells;
        } else {
            self.control.kept_stack = 0;
            self.control.kept_frames = 0;
            self.heap.old = 0;
        }
    }

    #[inline]
    pub(crate) fn push_frame(&mut self, n_slots: usize) {
        let frame = Frame {
            parent: self.control.frame as u32,
            continuation: self.control.continuation as u32,
            base: self.control.base as u32,
            n_slots: n_slots as u32,
            barrier: self.control.barrier as u32,
        };
        let at = (self.control.frame + 1).max(self.control.kept_frames);
        if at < self.control.frames.len() {
            self.control.frames[at] = frame;
        } else {
            self.control.frames.resize(at, Frame::default());
            self.control.frames.push(frame);
        }
        self.control.frame = at;
    }

    /// Continues after the running predicate, which succeeded.
    #[inline]
    pub(crate) fn proceed(&mut self) {
        self.control.pc = self.control.continuation;
        let frame = &self.control.frames[self.control.frame];
        self.control.base = frame.base as usize;
        let end = self.control.base + frame.n_slots as usize;
        self.control.next = end.max(self.control.kept_stack);
        self.reserve(self.control.next);
    }

    /// Moves the arguments of a last call down to where the clause's own slots begin, or to the end of the
    /// slots that choice points keep.
    #[inline]
    pub(crate) fn move_arguments_down(&mut self, arity: usize) {
        let to = self.control.base.max(self.control.kept_stack);
        if to < self.control.next {
            // A loop is faster than a call of `memmove` here, because there are only a few arguments.
            let from = self.control.next;
            for n in 0..arity {
                self.stack[to + n] = self.stack[from + n];
            }
        }
        self.control.base = to.min(self.control.next);
    }

    /// Restores the state of the newest choice point and continues with its alternative.
    #[inline]
    pub(crate) fn backtrack(&mut self) -> Result<(), Fault> {
        loop {
            let Some(choice) = self.control.choices.last().copied() else {
                self.control.pc = 0;
                return Err(Fault::Stop(Stop::Refused("no choice point".to_owned())));
            };
            self.restore(&choice);
            match choice.alternative {
                Alternative::Clause(id, generation) => {
                    let pred = self.db.get(self.db.clause(id).pred);
                    let (has_arguments, below) = (pred.arity != 0, usize::from(pred.one_sided));
                    let key = if has_arguments { self.first_key() } else { Key::ANY };
                    let later = self.next_clause(self.db.clause(id).next, key, generation);
                    if later == ClauseId::NONE {
                        self.pop_choice();
                        self.control.barrier = self.control.choices.len() - below;
                    } else {
                        let last = self.control.choices.len() - 1;
                        self.control.barrier = last - below;
                        self.control.choices[last].alternative =
                            Alternative::Clause(later, generation);
                    }
                    self.enter_clause(id);
                    return Ok(());
                }
                Alternative::Indexed(bucket, n, generation) => {
                    let last = self.control.choices.len() - 1;
                    let one_sided = |it: ClauseId| self.db.get(self.db.clause(it).pred).one_sided;
                    let below = self.db.bucket_at(bucket, n).is_some_and(one_sided);
                    self.control.barrier = last - usize::from(below);
                    return self.try_bucket(bucket, n, generation, 0, Some(last));
                }
                Alternative::Label(pc) => {
                    self.pop_choice();
                    self.control.pc = pc as usize;
                    let frame = &self.control.frames[self.control.frame];
                    self.control.next =
                        (self.control.base + frame.n_slots as usize).max(self.control.kept_stack);
                    return Ok(());
                }
                Alternative::Catch(_) | Alternative::Fail => self.pop_choice(),
                Alternative::Cleanup => {
                    self.pop_choice();
                    self.control.n_cleanups -= 1;
                    self.control.next = self.control.base + 3;
                    self.clean_up(self.control.base, Value::atom(crate::data::AtomId::FAIL))?;
                }
                Alternative::NoRule(id) => {
                    self.pop_choice();
                    return Err(self.no_matching_rule(id));
                }
                Alternative::Bottom => {
                    self.control.pc = EXHAUSTED;
                    return Ok(());
                }
            }
        }
    }

    #[inline]
    pub(crate) fn restore(&mut self, choice: &Choice) {
        let globals = &mut self.run.globals;
        self.heap.undo_to(choice.mark, |name, how| {
            let Some(values) = globals.get_mut(&name) else { return };
            if how.is_nil() {
                values.pop();
            } else if let Some(Global::Kept(_, loaded)) = values.last_mut() {
                *loaded = None;
            }
        });
        self.heap.cut_back(choice.mark);
        self.heap.woken.clear();
        self.control.frame = choice.frame as usize;
        self.control.continuation = choice.continuation as usize;
        self.control.base = choice.base as usize;
    }
}

/// The address of the instruction that ends a run when no choice points are left.
pub(crate) const EXHAUSTED: usize = 1;
