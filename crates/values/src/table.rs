//! Functions that are tables: made up as inputs, they return what they were given to return.
//!
//! Such a function is a closure of code that nobody wrote; what it captures is its table.

use crate::heap::{FunKind, Heap, Lambda};
use crate::value::{At, PidId, Value, View};
use crate::{AtomId, Atoms, equal_exact};

/// The table of a function.
#[derive(Debug)]
pub struct Table<'a> {
    pub arity: usize,
    pub default: Value,
    /// Arguments and result, one after another.
    flat: &'a [Value],
}

impl<'a> Table<'a> {
    pub fn entries(&self) -> impl Iterator<Item = (&'a [Value], Value)> {
        let entries = self.flat.chunks_exact(self.arity + 1);
        entries.filter_map(|it| it.split_last().map(|(result, args)| (args, *result)))
    }

    pub fn look_up(&self, heap: &Heap, atoms: &Atoms, args: &[Value]) -> Value {
        // Of functions only the arity is asked, as in `term::Fun`.
        let is_same = |(a, b): (&Value, &Value)| match (a.view(), b.view()) {
            (View::Fun(a), View::Fun(b)) => heap.fun_arity(a) == heap.fun_arity(b),
            _ => equal_exact(heap, atoms, *a, *b),
        };
        let same = |it: &[Value]| it.iter().zip(args).all(is_same);
        self.entries().find(|it| same(it.0)).map_or(self.default, |it| it.1)
    }
}

impl Heap {
    /// What it returns for all other arguments comes first, then arguments and results.
    pub fn table_fun(&mut self, arity: u32, flat: &[Value]) -> Value {
        let lambda = self.foreign_lambda(Lambda {
            module: AtomId::TABLE,
            name: AtomId::TABLE,
            arity,
            index: arity,
            uniq: 0,
            module_md5: [0; 16],
        });
        self.closure(lambda, PidId(0), flat)
    }

    pub fn table(&self, fun: At) -> Option<Table<'_>> {
        let FunKind::Closure { lambda, .. } = self.fun_kind(fun) else { return None };
        let lambda = self.lambda(lambda).filter(|it| it.module == AtomId::TABLE)?;
        let (default, flat) = self.fun_free(fun).split_first()?;
        Some(Table { arity: lambda.arity as usize, default: *default, flat })
    }
}
