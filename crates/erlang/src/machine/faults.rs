//! Finds the handler of a failed instruction.

use crate::builtins::{Builtin, Fault, Stop};
use crate::code::{Handler, HandlerKind, Ins, Src, Target};
use crate::machine::construct::BitsFailed;
use crate::machine::interpret::{Cpu, Flow, Pause, pause};
use crate::machine::raise::{self, Raised};
use term::fit_u32;
use values::{AtomId, Value, View};

impl Cpu<'_> {
    #[cold]
    pub(super) fn function_clause(&mut self, name: AtomId, args: &[Value]) -> Flow {
        let raised = Raised::function_clause(self, name, args);
        self.raise(raised)
    }

    #[cold]
    pub(super) fn operator_fault(&mut self, fault: Fault, name: AtomId, args: &[Value]) -> Flow {
        if let Fault::Error(reason) = fault
            && self.is_anonymous_operator()
        {
            return self.fault(Fault::Plain(reason), None);
        }
        let arity = fit_u32(args.len());
        let builtin = self.program.resolve(AtomId::ERLANG, name, arity);
        match builtin {
            Some(Target::Builtin(id)) => {
                let builtin = self.program.builtins.get(id.0 as usize).copied();
                self.fault(fault, builtin.map(|it| (it, args)))
            }
            _ => self.fault(fault, None),
        }
    }

    /// Whether the current operation is one whose BEAM instruction does not name the operator in the stack trace when
    /// it fails: addition of a small integer literal, and operations on floats.
    fn is_anonymous_operator(&self) -> bool {
        let literal = |src: Src| src.open().ok().and_then(|it| self.world.literals.get(it));
        let is_small = |src: Src| literal(src).is_some_and(|it| it.is_small_on_beam());
        let is_float =
            |src: Src| literal(src).is_some_and(|it| matches!(it.view(), View::Float(_)));
        match self.program.code.get(self.pc.saturating_sub(1) as usize) {
            Some(Ins::AddInt { .. }) => true,
            Some(Ins::Add { a, b, .. }) => {
                is_small(*a) || is_small(*b) || is_float(*a) || is_float(*b)
            }
            Some(Ins::Subtract { a, b, .. }) => is_small(*b) || is_float(*a) || is_float(*b),
            Some(Ins::Multiply { a, b, .. }) => is_float(*a) || is_float(*b),
            _ => false,
        }
    }

    #[cold]
    pub(super) fn bits_fault(&mut self, failed: BitsFailed) -> Flow {
        let Some(reason) = failed.error.reason() else {
            return self.fault(failed.error.into(), None);
        };
        let handler = self.program.handler_at(self.pc.saturating_sub(1));
        if handler.is_some_and(|it| it.kind == HandlerKind::Guard) {
            return self.fault(Fault::Error(reason), None);
        }
        let cause = failed.cause(self.world);
        let raised = Raised::building(self, reason, cause);
        self.raise(raised)
    }

    #[cold]
    pub(super) fn fault(
        &mut self,
        fault: Fault,
        culprit: Option<(&'static Builtin, &[Value])>,
    ) -> Flow {
        let is_guard = |it: Handler| it.kind == HandlerKind::Guard;
        let handler = self.program.handler_at(self.pc.saturating_sub(1));
        if let Some(guard) = handler.filter(|it| is_guard(*it))
            && !matches!(fault, Fault::Stop(_))
        {
            self.pc = guard.target;
            return Ok(());
        }
        match fault {
            Fault::Stop(stop) => {
                if let Stop::NeedModule(_)
                | Stop::NeedProcess(..)
                | Stop::NeedFact(_)
                | Stop::NeedTurn = *stop
                {
                    self.retry_call();
                }
                pause(Pause::Stop(*stop))
            }
            Fault::Killed(reason) => pause(Pause::Killed(reason)),
            Fault::Error(_)
            | Fault::Plain(_)
            | Fault::ErrorArgs(..)
            | Fault::Described(..)
            | Fault::Caused(..)
            | Fault::Exit(_)
            | Fault::Throw(_)
            | Fault::Raise(..) => {
                let raised = Raised::from_fault(self, &fault, culprit);
                self.raise(raised)
            }
        }
    }

    /// Continues at the innermost handler, or ends the process if there is none.
    #[cold]
    pub(super) fn raise(&mut self, raised: Raised) -> Flow {
        match raise::unwind(self, raised) {
            Ok(()) => Ok(()),
            Err(raised) => pause(Pause::Raised(raised)),
        }
    }
}
