//! Builtin predicates, in one table of rows per subject.
//!
//! Predicates that SWI-Prolog defines in Prolog are in the prelude or in the library instead.

mod arithmetic;
mod control;
mod convert;
mod database;
mod flags;
mod format;
mod functions;
mod lists;
mod meter;
mod misc;
mod numbering;
mod output;
mod read;
mod rounding;
mod slices;
mod streams;
mod tables;
mod terms;
mod text;
mod types;

pub(crate) use convert::TextForm;
pub(crate) use output::WriteStyle;
pub use streams::{Disk, DiskError, Streams, Write};
pub use tables::Tables;

use crate::data::{AtomId, Atoms, FunctorId, ListEnd, Value, View};
use crate::machine::{Fault, Machine, Next};
use std::sync::atomic::Ordering;

/// The number of subterms whose inspection is charged as one step.
pub(crate) const PARTS_PER_STEP: u64 = 256;

pub(crate) type Run = fn(&mut Machine, usize) -> Result<Next, Fault>;

/// A builtin predicate. Its implementation gets the index on the machine's stack at which its arguments
/// begin.
#[derive(Clone, Copy)]
pub struct Row {
    pub name: &'static str,
    pub arity: u32,
    pub(crate) run: Run,
    /// Whether the predicate is part of the ISO standard, so that programs may not redefine it.
    pub iso: bool,
    pub(crate) name_id: AtomId,
}

impl std::fmt::Debug for Row {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.name, self.arity)
    }
}

const fn iso(name: &'static str, arity: u32, run: Run) -> Row {
    Row { name, arity, run, iso: true, name_id: AtomId::EMPTY }
}

const fn row(name: &'static str, arity: u32, run: Run) -> Row {
    Row { name, arity, run, iso: false, name_id: AtomId::EMPTY }
}

pub(crate) fn rows(atoms: &mut Atoms) -> Vec<Row> {
    let all = [
        control::ROWS,
        arithmetic::ROWS,
        types::ROWS,
        terms::ROWS,
        numbering::ROWS,
        lists::ROWS,
        text::ROWS,
        convert::ROWS,
        slices::ROWS,
        database::ROWS,
        flags::ROWS,
        output::ROWS,
        format::ROWS,
        read::ROWS,
        streams::ROWS,
        tables::ROWS,
        misc::ROWS,
    ];
    let named = |row: &Row, atoms: &mut Atoms| Row { name_id: atoms.intern(row.name), ..*row };
    all.into_iter().flatten().map(|it| named(it, atoms)).collect()
}

impl Machine {
    /// Returns the argument with index `n`, counted from 0, of the running builtin, dereferenced.
    #[inline]
    pub(crate) fn arg(&self, args: usize, n: usize) -> Value {
        self.stack.get(args + n).map_or(Value::NIL, |it| self.heap.deref(*it))
    }

    #[inline]
    pub(crate) fn unify(&mut self, a: Value, b: Value) -> bool {
        crate::data::unify(&mut self.heap, &self.atoms, a, b)
    }

    /// Unifies two values and returns the result as a builtin's outcome.
    pub(crate) fn answer(&mut self, a: Value, b: Value) -> Result<Next, Fault> {
        Ok(self.unify(a, b).into())
    }

    pub(crate) fn atom_named(&mut self, text: &str) -> Value {
        Value::atom(self.atoms.intern(text))
    }

    /// Charges steps for inspecting `n_parts` subterms, so that the budget of steps and interrupts also hold
    /// inside a single call of a builtin.
    pub(crate) fn charge(&mut self, n_parts: usize) -> Result<(), Fault> {
        self.control.steps = self.control.steps.saturating_add(n_parts as u64 / PARTS_PER_STEP);
        if self.limits.steps < self.control.steps {
            return Err(crate::machine::Stop::Steps.into());
        }
        if PARTS_PER_STEP < n_parts as u64 && self.interrupt.load(Ordering::Relaxed) {
            return Err(crate::machine::Stop::Time.into());
        }
        Ok(())
    }

    /// Stops the run if allocating `more` bytes would exceed the budget of memory.
    pub(crate) fn check_memory(&self, more: usize) -> Result<(), Fault> {
        let used = self.bytes_used();
        if self.limits.memory_bytes < used.saturating_add(more) {
            return Err(crate::machine::Stop::Memory.into());
        }
        Ok(())
    }

    /// Returns the bytes used by heap, stacks, collected answers, added clauses and output.
    pub(crate) fn bytes_used(&self) -> usize {
        let stack = self.control.next.max(self.control.kept_stack).max(self.control.base)
            * size_of::<Value>();
        let frames =
            self.control.frame.max(self.control.kept_frames) * size_of::<crate::machine::Frame>();
        let choices = self.control.choices.len() * size_of::<crate::machine::Choice>();
        let outside =
            self.control.collected_bytes + self.db.bytes_added() + self.run.output.bytes();
        self.heap.size() + outside + stack + frames + choices
    }

    /// Returns an integer argument that fits 64 bits.
    pub(crate) fn int_arg(&mut self, value: Value) -> Result<i64, Fault> {
        match value.view() {
            View::Var(_) => Err(self.instantiation_error()),
            View::Int(it) => Ok(it),
            View::Big(_)
            | View::Rational(_)
            | View::Float(_)
            | View::Atom(_)
            | View::Text(_)
            | View::Struct(..) => Err(self.type_error("integer", value)),
        }
    }

    pub(crate) fn atom_arg(&mut self, value: Value) -> Result<AtomId, Fault> {
        match value.view() {
            View::Var(_) => Err(self.instantiation_error()),
            View::Atom(it) => Ok(it),
            View::Int(_)
            | View::Big(_)
            | View::Rational(_)
            | View::Float(_)
            | View::Text(_)
            | View::Struct(..) => Err(self.type_error("atom", value)),
        }
    }

    /// Checks that an argument may be a list, by its first cell only: a variable, the empty list or a list
    /// cell.
    pub(crate) fn partial_list_arg(&mut self, value: Value) -> Result<(), Fault> {
        if value.is_var() || value.is_nil() || value.is_cons() {
            return Ok(());
        }
        Err(self.type_error("list", value))
    }

    /// Returns the options of a list, each of the form `name(Value)` or `name = Value`.
    pub(crate) fn options_arg(&mut self, options: Value) -> Result<Vec<(AtomId, Value)>, Fault> {
        let (items, end) = self.heap.list_items(options);
        let mut found = Vec::with_capacity(items.len());
        for option in items {
            let option = self.heap.deref(option);
            let View::Struct(functor, _) = option.view() else {
                return Err(match option.is_var() {
                    true => self.instantiation_error(),
                    false => self.type_error("option", option),
                });
            };
            let (name, arity) = self.atoms.name_arity(functor);
            let named = self.heap.arg(option, 0).as_atom().filter(|_| functor == FunctorId::UNIFY);
            match named {
                Some(name) => found.push((name, self.heap.arg(option, 1))),
                None if arity == 1 => found.push((name, self.heap.arg(option, 0))),
                None => return Err(self.type_error("option", option)),
            }
        }
        match end {
            ListEnd::Nil => Ok(found),
            ListEnd::Open(_) => Err(self.instantiation_error()),
            ListEnd::Other(_) | ListEnd::Cyclic => Err(self.type_error("list", options)),
        }
    }

    /// Returns a character, given as a character code or as a text of length one.
    pub(crate) fn char_arg(&mut self, value: Value) -> Result<char, Fault> {
        if value.is_var() {
            return Err(self.instantiation_error());
        }
        if let Some(code) = value.as_int() {
            let c = u32::try_from(code).ok().and_then(char::from_u32);
            return c.ok_or_else(|| self.type_error("character", value));
        }
        let text = if value.is_number() || value.is_nil() { None } else { self.any_text(value) };
        let text = text.unwrap_or_default();
        let mut chars = text.chars();
        match (chars.next(), chars.next()) {
            (Some(c), None) => Ok(c),
            _ => Err(self.type_error("character", value)),
        }
    }

    /// Returns the items of a proper list.
    pub(crate) fn list_arg(&mut self, value: Value) -> Result<Vec<Value>, Fault> {
        let (items, end) = self.heap.list_items(value);
        match end {
            ListEnd::Nil => Ok(items),
            ListEnd::Open(_) => Err(self.instantiation_error()),
            ListEnd::Other(_) | ListEnd::Cyclic => Err(self.type_error("list", value)),
        }
    }
}
