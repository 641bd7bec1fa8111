//! The loop that executes instructions.
//!
//! Optimised for speed; the benchmarks nrev, queens, zebra and tak measure this loop.
#![expect(
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "the hot path; sizes are kept below 2^32 by the limits, and indices are our own"
)]

use crate::code::{ArithOp, Compare, Ins, Konst, Operand, Test};
use crate::data::{AtomId, FunctorId, Number, Tag, Value, compare, same, unify};
use crate::machine::{Alternative, COMPLETED, ENTERED, Fault, Machine};

/// Whether the arguments of the current structure are matched or built.
#[derive(Clone, Copy, Debug)]
enum Mode {
    /// Matched: they are in the heap from this address on.
    Read(usize),
    /// Built: they are appended to the heap.
    Write,
}

/// The label that stands for failure, as in the instructions.
const BACKTRACK: u32 = crate::code::BACKTRACK_LABEL;

impl Machine {
    /// Runs until an answer (true) or until no choice points are left (false). Compiled twice: with `RECORD`
    /// false, nothing checks values for shadows.
    #[expect(clippy::too_many_lines, reason = "one arm per instruction")]
    pub(crate) fn run<const RECORD: bool>(&mut self) -> Result<bool, Fault> {
        let mut mode = Mode::Write;
        loop {
            let ins = self.db.code[self.control.pc];
            match ins {
                Ins::GetAtomic(slot, konst) => {
                    let value = self.heap.deref(self.stack[self.control.base + slot as usize]);
                    if RECORD && value.shadow().is_some() {
                        self.look_konst(value, konst);
                    }
                    if self.match_konst(value, konst) {
                        self.control.pc += 1;
                    } else {
                        self.backtrack()?;
                    }
                }
                Ins::GetStruct(slot, functor) => {
                    let value = self.heap.deref(self.stack[self.control.base + slot as usize]);
                    if RECORD && value.shadow().is_some() {
                        self.look_functor(value, functor);
                    }
                    if value.is_struct(functor) {
                        mode = Mode::Read(value.address());
                        self.control.pc += 1;
                    } else if value.is_var() {
                        let new = Value::structure(functor, self.heap.cells.len());
                        self.heap.bind(value, new);
                        mode = Mode::Write;
                        self.control.pc += 1;
                    } else {
                        self.backtrack()?;
                    }
                }
                Ins::GetSame(a, b) => {
                    let (a, b) = (self.slot(a), self.slot(b));
                    self.branch_unify::<RECORD>(a, b)?;
                }
                Ins::UnifyVar(slot) => {
                    let value = match &mut mode {
                        Mode::Read(at) => {
                            *at += 1;
                            self.heap.cells[*at - 1]
                        }
                        Mode::Write => self.heap.fresh(),
                    };
                    self.stack[self.control.base + slot as usize] = value;
                    self.control.pc += 1;
                }
                Ins::UnifyValue(slot) => {
                    let value = self.stack[self.control.base + slot as usize];
                    match &mut mode {
                        Mode::Read(at) => {
                            *at += 1;
                            let other = self.heap.cells[*at - 1];
                            self.branch_unify::<RECORD>(value, other)?;
                        }
                        Mode::Write => {
                            self.heap.cells.push(value);
                            self.control.pc += 1;
                        }
                    }
                }
                Ins::UnifyAtomic(konst) => match &mut mode {
                    Mode::Read(at) => {
                        *at += 1;
                        let value = self.heap.deref(self.heap.cells[*at - 1]);
                        if RECORD && value.shadow().is_some() {
                            self.look_konst(value, konst);
                        }
                        if self.match_konst(value, konst) {
                            self.control.pc += 1;
                        } else {
                            self.backtrack()?;
                        }
                    }
                    Mode::Write => {
                        let value = self.konst(konst);
                        self.heap.cells.push(value);
                        self.control.pc += 1;
                    }
                },
                Ins::UnifyVoid(n) => {
                    match &mut mode {
                        Mode::Read(at) => *at += n as usize,
                        Mode::Write => {
                            for _ in 0..n {
                                self.heap.fresh();
                            }
                        }
                    }
                    self.control.pc += 1;
                }
                Ins::BuildStruct(slot, functor) => {
                    let new = Value::structure(functor, self.heap.cells.len());
                    self.stack[self.control.base + slot as usize] = new;
                    mode = Mode::Write;
                    self.control.pc += 1;
                }
                Ins::Fresh(slot) => {
                    let var = self.heap.fresh();
                    self.stack[self.control.base + slot as usize] = var;
                    self.control.pc += 1;
                }
                Ins::Move(to, from) => {
                    self.stack[self.control.base + to as usize] =
                        self.stack[self.control.base + from as usize];
                    self.control.pc += 1;
                }
                Ins::SetAtomic(slot, konst) => {
                    let value = self.konst(konst);
                    self.stack[self.control.base + slot as usize] = value;
                    self.control.pc += 1;
                }
                Ins::PutFresh(to) => {
                    let var = self.heap.fresh();
                    self.stack[self.control.next + to as usize] = var;
                    self.control.pc += 1;
                }
                Ins::PutVar(to, slot) => {
                    let var = self.heap.fresh();
                    self.stack[self.control.next + to as usize] = var;
                    self.stack[self.control.base + slot as usize] = var;
                    self.control.pc += 1;
                }
                Ins::PutValue(to, slot) => {
                    self.stack[self.control.next + to as usize] =
                        self.stack[self.control.base + slot as usize];
                    self.control.pc += 1;
                }
                Ins::PutAtomic(to, konst) => {
                    let value = self.konst(konst);
                    self.stack[self.control.next + to as usize] = value;
                    self.control.pc += 1;
                }
                Ins::PutStruct(to, functor) => {
                    let new = Value::structure(functor, self.heap.cells.len());
                    self.stack[self.control.next + to as usize] = new;
                    mode = Mode::Write;
                    self.control.pc += 1;
                }
                Ins::Allocate(n_slots) => {
                    self.push_frame(n_slots as usize);
                    self.control.pc += 1;
                }
                Ins::Call(pred) => {
                    self.control.continuation = self.control.pc + 1;
                    self.control.base = self.control.next;
                    self.call_pred(pred)?;
                }
                Ins::Execute(pred) => {
                    let arity = self.db.get(pred).arity as usize;
                    self.move_arguments_down(arity);
                    self.call_pred(pred)?;
                }
                Ins::DeallocExecute(pred) => {
                    let arity = self.db.get(pred).arity as usize;
                    let frame = &self.control.frames[self.control.frame];
                    self.control.continuation = frame.continuation as usize;
                    self.control.frame = frame.parent as usize;
                    self.move_arguments_down(arity);
                    self.call_pred(pred)?;
                }
                Ins::Proceed => self.return_or_wake()?,
                Ins::DeallocProceed => {
                    let frame = &self.control.frames[self.control.frame];
                    self.control.continuation = frame.continuation as usize;
                    self.control.frame = frame.parent as usize;
                    self.control.returns += 1;
                    if self.control.check_returns_at <= self.control.returns {
                        self.check_returns()?;
                    }
                    self.return_or_wake()?;
                }
                Ins::NeckCut => {
                    if self.wake_here()? {
                        continue;
                    }
                    self.cut_to(self.control.barrier)?;
                    self.control.pc += 1;
                }
                Ins::Cut => {
                    if self.wake_here()? {
                        continue;
                    }
                    self.cut_to(self.control.frames[self.control.frame].barrier as usize)?;
                    self.control.pc += 1;
                }
                Ins::Mark(slot) => {
                    self.stack[self.control.base + slot as usize] =
                        Value::size(self.control.choices.len());
                    self.control.pc += 1;
                }
                Ins::CutTo(slot) => {
                    if self.wake_here()? {
                        continue;
                    }
                    let n = self.stack[self.control.base + slot as usize].payload() as usize;
                    self.cut_to(n)?;
                    self.control.pc += 1;
                }
                Ins::SoftCut(slot) => {
                    if self.wake_here()? {
                        continue;
                    }
                    let n = self.stack[self.control.base + slot as usize].payload() as usize;
                    if n + 1 == self.control.choices.len() {
                        self.pop_choice();
                    } else if let Some(choice) = self.control.choices.get_mut(n) {
                        choice.alternative = Alternative::Fail;
                    }
                    self.control.pc += 1;
                }
                Ins::Try(to) => {
                    let kept = self.control.base
                        + self.control.frames[self.control.frame].n_slots as usize;
                    self.push_choice(Alternative::Label(to), kept);
                    self.control.next = self.control.next.max(self.control.kept_stack);
                    self.control.pc += 1;
                }
                Ins::Jump(to) => self.control.pc = to as usize,
                Ins::Fail => self.backtrack()?,
                Ins::Arith(op, to, a, b) => {
                    let (a, b) = (self.operand(a), self.operand(b));
                    let is_plain = !RECORD || a.shadow().0 == 0 && b.shadow().0 == 0;
                    let res = match (a.as_int(), b.as_int()) {
                        (Some(x), Some(y)) if is_plain => match small(op, x, y) {
                            Some(res) => Value::int(res),
                            None => self.arith(op, a, b)?,
                        },
                        _ if self.wake_here()? => continue,
                        _ if RECORD => {
                            self.control.running = Some((AtomId::IS, 2));
                            self.arith_recorded(op, a, b)?
                        }
                        _ => self.arith(op, a, b)?,
                    };
                    self.stack[self.control.base + to as usize] = res;
                    self.control.pc += 1;
                }
                Ins::Evaluate(to, of) => {
                    if self.wake_here()? {
                        continue;
                    }
                    let value = self.operand(of);
                    self.control.running = Some((AtomId::IS, 2));
                    let value = if RECORD {
                        self.evaluate_here(value)?
                    } else if value.is_number() {
                        value
                    } else {
                        self.evaluate_to_value(value)?
                    };
                    self.stack[self.control.base + to as usize] = value;
                    self.control.pc += 1;
                }
                Ins::Compare(op, a, b, to) => {
                    if self.wake_here()? {
                        continue;
                    }
                    let (mut a, mut b) = (self.operand(a), self.operand(b));
                    if RECORD
                        && (a.shadow().0 | b.shadow().0 != 0 || !a.is_integer() || !b.is_integer())
                    {
                        self.running_compare(op);
                        (a, b) = self.look_compare(op, a, b)?;
                    }
                    let holds = match (a.as_int(), b.as_int()) {
                        (Some(x), Some(y)) => op.holds(x.cmp(&y)),
                        _ => self.compare_numbers(op, a, b)?,
                    };
                    self.branch(holds, to)?;
                }
                Ins::Test(test, of, to) => {
                    if self.wake_here()? {
                        continue;
                    }
                    let value = self.operand(of);
                    if RECORD {
                        self.look_test(test, value);
                    }
                    let holds = self.test(test, value);
                    self.branch(holds, to)?;
                }
                Ins::Order(op, a, b, to) => {
                    if self.wake_here()? {
                        continue;
                    }
                    let (a, b) = (self.operand(a), self.operand(b));
                    if RECORD {
                        self.look_order(a, b);
                    }
                    let holds = op.holds(compare(&self.heap, &self.atoms, a, b));
                    self.branch(holds, to)?;
                }
                Ins::Identical(wanted, a, b, to) => {
                    if self.wake_here()? {
                        continue;
                    }
                    let (a, b) = (self.operand(a), self.operand(b));
                    if RECORD {
                        self.look_identical(a, b);
                    }
                    let holds = same(&self.heap, &self.atoms, a, b) == wanted;
                    self.branch(holds, to)?;
                }
                Ins::Enter(mark) => self.reach(mark, ENTERED),
                Ins::Reach(mark, n) => {
                    if let Some(furthest) = self.furthest.get_mut(mark as usize) {
                        *furthest = n.max(*furthest);
                    }
                    self.control.pc += 1;
                }
                Ins::Exit(mark) => self.reach(mark, COMPLETED),
                Ins::Catch(mark) => {
                    self.control.catch_mark = Some(mark);
                    self.control.pc += 1;
                }
                Ins::Answer => return Ok(self.control.pc == 0),
                Ins::CatchExit => self.catch_exit(),
                Ins::CleanupExit => self.cleanup_exit()?,
                Ins::CallGoal => self.call_goal()?,
                Ins::Resume => self.resume()?,
                Ins::ResumeHere => self.resume_here(),
            }
        }
    }

    fn reach(&mut self, mark: u32, how: u8) {
        self.note_reached(mark, how);
        self.control.pc += 1;
    }

    pub(crate) fn note_reached(&mut self, mark: u32, how: u8) {
        if let Some(reached) = self.run.reached.get_mut(mark as usize) {
            *reached |= how;
        }
        if how & ENTERED != 0
            && let Some(recorder) = &mut self.recorder
        {
            recorder.enters(mark);
        }
    }

    #[inline]
    fn slot(&self, slot: u32) -> Value {
        self.stack[self.control.base + slot as usize]
    }

    #[inline]
    fn operand(&mut self, operand: Operand) -> Value {
        match operand.place() {
            Err(slot) => self.heap.deref(self.stack[self.control.base + slot as usize]),
            Ok(konst) => self.konst(konst),
        }
    }

    #[inline]
    fn konst(&mut self, konst: u32) -> Value {
        match &self.db.konsts[konst as usize] {
            Konst::Plain(value) => *value,
            Konst::Blob(tag, blob) => self.heap.push_blob(*tag, blob.clone()),
        }
    }

    /// Unifies a dereferenced value with a constant.
    #[inline]
    fn match_konst(&mut self, value: Value, konst: u32) -> bool {
        match &self.db.konsts[konst as usize] {
            Konst::Plain(wanted) => {
                let wanted = *wanted;
                if value.same_word(wanted) {
                    return true;
                }
                if value.is_var() {
                    self.heap.bind(value, wanted);
                    return true;
                }
                false
            }
            Konst::Blob(tag, blob) => {
                let wanted = self.heap.push_blob(*tag, blob.clone());
                unify(&mut self.heap, &self.atoms, value, wanted)
            }
        }
    }

    #[inline]
    fn branch_unify<const RECORD: bool>(&mut self, a: Value, b: Value) -> Result<(), Fault> {
        let holds = if RECORD {
            self.unify_recorded(a, b)
        } else {
            unify(&mut self.heap, &self.atoms, a, b)
        };
        if holds {
            self.control.pc += 1;
            Ok(())
        } else {
            self.backtrack()
        }
    }

    #[inline]
    fn branch(&mut self, holds: bool, to: u32) -> Result<(), Fault> {
        if holds {
            self.control.pc += 1;
            Ok(())
        } else if to == BACKTRACK {
            self.backtrack()
        } else {
            self.control.pc = to as usize;
            Ok(())
        }
    }

    fn arith(&mut self, op: ArithOp, a: Value, b: Value) -> Result<Value, Fault> {
        self.control.running = Some((AtomId::IS, 2));
        let y = match op {
            ArithOp::Negate | ArithOp::Abs => Number::Int(0),
            ArithOp::Add
            | ArithOp::Sub
            | ArithOp::Mul
            | ArithOp::Divide
            | ArithOp::IntDivide
            | ArithOp::FloorDivide
            | ArithOp::Mod
            | ArithOp::Rem
            | ArithOp::Min
            | ArithOp::Max
            | ArithOp::ShiftLeft
            | ArithOp::ShiftRight
            | ArithOp::And
            | ArithOp::Or
            | ArithOp::Xor => self.evaluate(b)?,
        };
        let x = self.evaluate(a)?;
        let res = self.arith_numbers(op, x, y)?;
        Ok(res.store(&mut self.heap))
    }

    /// Sets the running builtin to a comparison, for error messages.
    fn running_compare(&mut self, op: Compare) {
        let name = match op {
            Compare::Less => "<",
            Compare::LessEqual => "=<",
            Compare::Greater => ">",
            Compare::GreaterEqual => ">=",
            Compare::Equal => "=:=",
            Compare::NotEqual => "=\\=",
        };
        self.control.running = Some((self.atoms.intern(name), 2));
    }

    fn compare_numbers(&mut self, op: Compare, a: Value, b: Value) -> Result<bool, Fault> {
        self.running_compare(op);
        let (x, y) = (self.evaluate(a)?, self.evaluate(b)?);
        Ok(match x.compare(&y) {
            Some(order) => op.holds(order),
            None => op == Compare::NotEqual,
        })
    }

    pub(crate) fn test(&self, test: Test, value: Value) -> bool {
        match test {
            Test::Var => value.is_var(),
            Test::Nonvar => !value.is_var(),
            Test::Atom => value.tag() == Tag::Atom && !value.is_nil(),
            Test::Integer => value.is_integer(),
            Test::Float => value.tag() == Tag::Float,
            Test::Number => value.is_number(),
            Test::Atomic => !value.is_var() && value.tag() != Tag::Struct,
            Test::Compound => value.tag() == Tag::Struct,
            Test::Callable => value.is_callable() && !value.is_nil(),
            Test::IsList => self.is_list(value),
            Test::String => value.tag() == Tag::Text,
            Test::NotAtom
            | Test::NotInteger
            | Test::NotFloat
            | Test::NotNumber
            | Test::NotAtomic
            | Test::NotCompound
            | Test::NotCallable
            | Test::NotList
            | Test::NotString => !self.test(test.negated(), value),
        }
    }

    pub(crate) fn is_list(&self, value: Value) -> bool {
        let mut at = self.heap.deref(value);
        let (mut turtle, mut power, mut n) = (at, 1_usize, 0_usize);
        while at.is_struct(FunctorId::CONS) {
            at = self.heap.arg(at, 1);
            n += 1;
            if at.same_word(turtle) && at.is_cons() {
                return false;
            }
            if n == power {
                turtle = at;
                power *= 2;
            }
        }
        at.is_nil()
    }
}

/// Computes on 64-bit integers; `None` if the result does not fit or an error must be raised.
#[inline]
fn small(op: ArithOp, a: i64, b: i64) -> Option<i64> {
    match op {
        ArithOp::Add => a.checked_add(b),
        ArithOp::Sub => a.checked_sub(b),
        ArithOp::Mul => a.checked_mul(b),
        ArithOp::IntDivide => a.checked_div(b),
        ArithOp::FloorDivide => {
            let quotient = a.checked_div(b)?;
            Some(if a % b != 0 && (a < 0) != (b < 0) { quotient - 1 } else { quotient })
        }
        ArithOp::Mod => {
            let rest = a.checked_rem(b)?;
            Some(if rest != 0 && (rest < 0) != (b < 0) { rest + b } else { rest })
        }
        ArithOp::Rem => a.checked_rem(b),
        ArithOp::Min => Some(a.min(b)),
        ArithOp::Max => Some(a.max(b)),
        ArithOp::And => Some(a & b),
        ArithOp::Or => Some(a | b),
        ArithOp::Xor => Some(a ^ b),
        ArithOp::Negate => a.checked_neg(),
        ArithOp::Abs => a.checked_abs(),
        ArithOp::Divide | ArithOp::ShiftLeft | ArithOp::ShiftRight => None,
    }
}
