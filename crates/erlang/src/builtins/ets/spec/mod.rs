//! Match specifications: compiled once into a small program, then run on each object.
//!
//! Follows the compiler in OTP's `erl_db_util.c`, including the wording of its error messages, which `ets:test_ms/2`
//! returns. Knows no tables: it sees one term at a time.

mod action;
mod compile;
mod inputs;
mod run;

pub(crate) use action::{Action, Called, Effects};
pub(super) use compile::compile_pattern;
pub(crate) use compile::{Dialect, Refusal, compile, is_guard};
pub(super) use inputs::{is_true, settled};
pub(super) use run::run;
pub(crate) use run::run_traced;

use crate::builtins::Builtin;
use values::Value;

#[derive(Clone, Debug, Default)]
pub(crate) struct Program {
    pub(super) clauses: Vec<Clause>,
    /// All constant values of the program, in one place for the collector.
    pub(crate) constants: Vec<Value>,
}

#[derive(Clone, Debug)]
pub(super) struct Clause {
    pub(super) head: Pattern,
    /// The number of variables that the head binds.
    pub(super) n_slots: usize,
    /// The slots in ascending order of their variables' numbers, for `'$$'`.
    pub(super) bindings: Vec<Slot>,
    pub(super) guards: Vec<Expr>,
    pub(super) body: Vec<Expr>,
}

/// An index into [`Program::constants`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ConstId(u32);

/// The index of a variable's value while a clause runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slot(u32);

#[derive(Clone, Debug)]
pub(super) enum Pattern {
    Any,
    Bind(Slot),
    Same(Slot),
    Const(ConstId),
    Tuple(Vec<Pattern>),
    List(Vec<Pattern>, Box<Pattern>),
    /// A map with at least these keys.
    Map(Vec<(ConstId, Pattern)>),
}

#[derive(Clone, Debug)]
pub(super) enum Expr {
    Const(ConstId),
    Slot(Slot),
    /// `'$_'`
    Whole,
    /// `'$$'`
    Bindings,
    /// `{self}`
    CurrentProcess,
    Tuple(Vec<Expr>),
    List(Vec<Expr>, Box<Expr>),
    Map(Vec<(Expr, Expr)>),
    Call(&'static Builtin, Vec<Expr>),
    /// `and` and `or` take any number of arguments and evaluate all of them.
    And(Vec<Expr>),
    Or(Vec<Expr>),
    AndAlso(Vec<Expr>),
    OrElse(Vec<Expr>),
    /// An action of a trace specification.
    Act(Action, Vec<Expr>),
}

impl Program {
    pub(super) fn constant(&self, id: ConstId) -> Value {
        self.constants.get(id.0 as usize).copied().unwrap_or(Value::NIL)
    }

    /// Returns the keys that a matching object can have, or `None` if the heads do not determine them.
    pub(super) fn keys(&self, key_position: usize) -> Option<Vec<Value>> {
        let mut keys = Vec::new();
        for clause in &self.clauses {
            match &clause.head {
                Pattern::Any | Pattern::Bind(_) | Pattern::Same(_) => return None,
                // Objects are tuples, so this clause never matches.
                Pattern::List(..) | Pattern::Map(_) => {}
                // The head is a whole object without variables.
                Pattern::Const(_) => return None,
                Pattern::Tuple(elements) => match elements.get(key_position - 1) {
                    Some(Pattern::Const(id)) => keys.push(self.constant(*id)),
                    Some(_) => return None,
                    None => {}
                },
            }
        }
        Some(keys)
    }
}
