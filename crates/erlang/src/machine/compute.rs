//! Calls of native builtins and operators: their concrete and symbolic halves.

use crate::builtins::arithmetic::{add, subtract};
use crate::builtins::{Builtin, Fault, How, Stop};
use crate::code::{BuiltinId, Reg, Target};
use crate::machine::interpret::{Cpu, Flow};
use crate::machine::tracing::CallForm;
use values::{AtomId, Value};

impl Cpu<'_> {
    #[inline]
    pub(super) fn native(&mut self, builtin: BuiltinId, dst: Reg, args: &[Value]) -> Flow {
        let Some(builtin) = self.program.builtins.get(builtin.0 as usize) else { return Ok(()) };
        match self.compute_seen(builtin, args, CallForm::InCode) {
            Ok(value) => {
                self.set(dst, value);
                Ok(())
            }
            // For operations on floats, BEAM's stack trace does not name the operator.
            Err(Fault::Error(reason)) if builtin.name == "/" => {
                self.fault(Fault::Plain(reason), None)
            }
            Err(fault) => self.fault(fault, Some((builtin, args))),
        }
    }

    /// Computes both halves of a native builtin.
    #[inline]
    fn compute(&mut self, builtin: &'static Builtin, args: &[Value]) -> Result<Value, Fault> {
        let How::Native(run) = builtin.how else { return Err(Fault::BADARG) };
        if self.world.replay.is_some()
            && let Some(answered) = self.answered(builtin, args)
        {
            return answered;
        }
        if builtin.shares.is_shared() && !self.world.may_go(builtin, args, self.pc) {
            return Err(Stop::NeedTurn.into());
        }
        let found = run(self.world, args);
        if self.world.run.work > 0 {
            self.worked(builtin);
        }
        if self.world.record.is_none() {
            return found;
        }
        self.compute_symbolically(builtin, args, found)
    }

    /// As [`Cpu::compute`], for processes that may be traced.
    #[inline]
    pub(super) fn compute_seen(
        &mut self,
        builtin: &'static Builtin,
        args: &[Value],
        seen: CallForm,
    ) -> Result<Value, Fault> {
        if self.world.run.tracing.is_none() {
            return self.compute(builtin, args);
        }
        self.compute_traced(builtin, args, seen, |it| it.compute(builtin, args))
    }

    #[cold]
    fn compute_symbolically(
        &mut self,
        builtin: &'static Builtin,
        args: &[Value],
        found: Result<Value, Fault>,
    ) -> Result<Value, Fault> {
        match found {
            // A module or a turn is missing; the call is made again once it is available.
            Err(fault @ Fault::Stop(_)) => Err(fault),
            Err(fault) => {
                self.lifted(builtin, args, None);
                Err(fault)
            }
            Ok(value) => Ok(self.lifted(builtin, args, Some(value)).unwrap_or(value)),
        }
    }

    /// Computes the symbolic half of an operator with its own instruction.
    #[cold]
    pub(super) fn operate(
        &mut self,
        name: AtomId,
        dst: Reg,
        a: Value,
        b: Value,
        found: Result<Value, Fault>,
    ) -> Flow {
        let builtin = match self.program.resolve(AtomId::ERLANG, name, 2) {
            Some(Target::Builtin(id)) => self.program.builtins.get(id.0 as usize).copied(),
            _ => None,
        };
        let Some(builtin) = builtin else { return Ok(()) };
        match self.compute_symbolically(builtin, &[a, b], found) {
            Ok(value) => {
                self.set(dst, value);
                Ok(())
            }
            Err(fault) => self.operator_fault(fault, name, &[a, b]),
        }
    }

    /// Adds a constant to a value that is not a small integer, or if the sum overflows; a negative constant stands for
    /// a subtraction.
    #[cold]
    pub(super) fn add_slowly(&mut self, dst: Reg, a: Value, b: i64) -> Flow {
        let (result, operator, b) = if b < 0 {
            let b = Value::int(-b);
            (subtract(self.world, a, b), AtomId::MINUS, b)
        } else {
            let b = Value::int(b);
            (add(self.world, a, b), AtomId::PLUS, b)
        };
        if a.shadow().is_some() && self.world.record.is_some() {
            return self.operate(operator, dst, a, b, result);
        }
        match result {
            Ok(value) => {
                self.set(dst, value);
                Ok(())
            }
            Err(fault) => self.operator_fault(fault, operator, &[a, b]),
        }
    }
}
