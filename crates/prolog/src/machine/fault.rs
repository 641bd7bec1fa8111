//! The reasons why a goal ends neither with an answer nor by failure, and the standard's error terms.

use crate::code::PredId;
use crate::data::{AtomId, FunctorId, Value};
use crate::machine::Machine;
use crate::machine::throw::CATCH_EXIT;
use serde::{Deserialize, Serialize};
use trace::{Budget, Stopped};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// An exception: the term that was thrown (the ball).
    Ball(Value),
    Stop(Stop),
}

/// The reason why a whole run is stopped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stop {
    /// The budget of steps is exhausted.
    Steps,
    /// The budget of memory is exhausted.
    Memory,
    /// The budget of time is exhausted, or the run was interrupted from outside.
    Time,
    /// The program called `halt/1` with this status.
    Halt(i64),
    /// The program needs something outside of the machine that it may not use.
    Refused(String),
    /// A library must be loaded first; the run is then repeated from its beginning.
    Load(String),
}

/// The builtins whose error terms name them without a module on SWI-Prolog.
const UNQUALIFIED: &[&str] = &["length", "put_attr", "put_attrs"];

impl From<Stop> for Stopped {
    fn from(stop: Stop) -> Stopped {
        match stop {
            Stop::Steps => Stopped::OutOf(Budget::Reductions),
            Stop::Memory => Stopped::OutOf(Budget::Memory),
            Stop::Time => Stopped::Interrupted,
            Stop::Halt(status) => Stopped::Halted { status },
            Stop::Refused(what) => {
                Stopped::Refused { what, touches: "the world outside".to_owned() }
            }
            Stop::Load(library) => {
                Stopped::Unsupported { why: format!("the library {library} was not loaded") }
            }
        }
    }
}

impl From<Stop> for Fault {
    fn from(stop: Stop) -> Fault {
        Fault::Stop(stop)
    }
}

impl Machine {
    pub(crate) fn error(&mut self, formal: Value) -> Fault {
        let context = self.error_context();
        Fault::Ball(self.heap.structure(FunctorId::ERROR_2, &[formal, context]))
    }

    /// Returns `context(system:Name/Arity, _)` for the running builtin.
    fn error_context(&mut self) -> Value {
        let Some((name, arity)) = self.control.running else { return self.caller_context() };
        // An internal builtin, whose name begins with `$`: the context is the predicate that called it.
        if self.atoms.text(name).starts_with('$') {
            return self.system_context().unwrap_or_else(|| self.heap.fresh());
        }
        let module = if UNQUALIFIED.contains(&self.atoms.text(name)) {
            AtomId::USER
        } else {
            AtomId::SYSTEM
        };
        self.context_at(module, name, arity)
    }

    /// Returns `context(Module:Name/Arity, _)`.
    pub(crate) fn context_at(&mut self, module: AtomId, name: AtomId, arity: usize) -> Value {
        let indicator = self.indicator(name, arity);
        let place = match module {
            AtomId::USER => indicator,
            _ => self.heap.structure(FunctorId::QUALIFIED, &[Value::atom(module), indicator]),
        };
        let message = self.heap.fresh();
        self.heap.structure(FunctorId::CONTEXT_2, &[place, message])
    }

    pub(crate) fn context_of(&mut self, id: PredId) -> Value {
        let pred = self.db.get(id);
        let (module, name, arity) = (pred.module, pred.name, pred.arity as usize);
        self.context_at(module, name, arity)
    }

    /// Returns the context of the predicate that continues after the failing call.
    pub(crate) fn caller_context(&mut self) -> Value {
        if self.control.continuation == CATCH_EXIT {
            let name = self.atoms.intern("catch");
            return self.context_at(AtomId::SYSTEM, name, 3);
        }
        match self.db.pred_at(self.control.continuation).filter(|it| !self.is_hidden(*it)) {
            Some(id) => self.context_of(id),
            None => {
                let name = self.atoms.intern("<meta-call>");
                self.context_at(AtomId::SYSTEM, name, 1)
            }
        }
    }

    /// Returns the context of the innermost caller of the running builtin if that is a predicate of the
    /// system.
    pub(crate) fn system_context(&mut self) -> Option<Value> {
        let (mut continuation, mut frame) = (self.control.continuation, self.control.frame);
        loop {
            let id = self.db.pred_at(continuation)?;
            if self.db.get(id).module != AtomId::SYSTEM {
                return None;
            }
            if !self.is_hidden(id) {
                return Some(self.context_of(id));
            }
            let outer = self.control.frames.get(frame).filter(|_| 0 < frame)?;
            (continuation, frame) = (outer.continuation as usize, outer.parent as usize);
        }
    }

    /// Whether a predicate is internal, so that error terms do not mention it.
    fn is_hidden(&self, id: PredId) -> bool {
        self.atoms.text(self.db.get(id).name).starts_with('$')
    }

    pub(crate) fn instantiation_error(&mut self) -> Fault {
        self.error(Value::atom(AtomId::INSTANTIATION_ERROR))
    }

    pub(crate) fn type_error(&mut self, expected: &str, culprit: Value) -> Fault {
        self.formal("type_error", &[expected], culprit)
    }

    pub(crate) fn domain_error(&mut self, expected: &str, culprit: Value) -> Fault {
        self.formal("domain_error", &[expected], culprit)
    }

    pub(crate) fn existence_error(&mut self, what: &str, culprit: Value) -> Fault {
        self.formal("existence_error", &[what], culprit)
    }

    pub(crate) fn permission_error(&mut self, action: &str, what: &str, culprit: Value) -> Fault {
        self.formal("permission_error", &[action, what], culprit)
    }

    pub(crate) fn uninstantiation_error(&mut self, culprit: Value) -> Fault {
        self.formal("uninstantiation_error", &[], culprit)
    }

    pub(crate) fn representation_error(&mut self, what: &str) -> Fault {
        self.plain_error("representation_error", what)
    }

    pub(crate) fn evaluation_error(&mut self, what: &str) -> Fault {
        self.plain_error("evaluation_error", what)
    }

    pub(crate) fn resource_error(&mut self, what: &str) -> Fault {
        self.plain_error("resource_error", what)
    }

    pub(crate) fn syntax_error(&mut self, what: &str) -> Fault {
        let what = self.parse_error_name(what);
        let functor = self.atoms.functor(AtomId::SYNTAX_ERROR, 1);
        let formal = self.heap.structure(functor, &[what]);
        self.error(formal)
    }

    /// Returns the name of a syntax error as a term: `undefined_char_escape(z)` is a structure, other names
    /// are atoms.
    fn parse_error_name(&mut self, what: &str) -> Value {
        match what.strip_suffix(')').and_then(|it| it.split_once('(')) {
            Some((name, arg)) => {
                let arg = Value::atom(self.atoms.intern(arg));
                let functor = self.atoms.functor_named(name, 1);
                self.heap.structure(functor, &[arg])
            }
            None => Value::atom(self.atoms.intern(what)),
        }
    }

    fn plain_error(&mut self, kind: &str, what: &str) -> Fault {
        let what = Value::atom(self.atoms.intern(what));
        let functor = self.atoms.functor_named(kind, 1);
        let formal = self.heap.structure(functor, &[what]);
        self.error(formal)
    }

    fn formal(&mut self, kind: &str, names: &[&str], culprit: Value) -> Fault {
        let mut args: Vec<Value> =
            names.iter().map(|it| Value::atom(self.atoms.intern(it))).collect();
        args.push(culprit);
        let functor = self.atoms.functor_named(kind, args.len());
        let formal = self.heap.structure(functor, &args);
        self.error(formal)
    }

    /// Returns `Name/Arity`.
    pub(crate) fn indicator(&mut self, name: AtomId, arity: usize) -> Value {
        let arity = Value::size(arity);
        self.heap.structure(FunctorId::INDICATOR, &[Value::atom(name), arity])
    }
}
