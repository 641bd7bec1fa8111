//! Functions that are tables: inputs of function type, which return what a table says.
//!
//! Such a function is a closure of a module that does not exist; its captured values are its table.

use crate::heap::{FunKind, Heap, Lambda};
use crate::value::{At, PidId, Value, View};
use crate::{AtomId, Atoms, equal_exact};

/// The table of a function: a result for each listed list of arguments, and a default.
#[derive(Debug)]
pub struct Table<'a> {
    pub arity: usize,
    pub default: Value,
    /// The entries one after another, each as its arguments followed by its result.
    flat: &'a [Value],
}

impl<'a> Table<'a> {
    pub fn entries(&self) -> impl Iterator<Item = (&'a [Value], Value)> {
        let entries = self.flat.chunks_exact(self.arity + 1);
        entries.filter_map(|it| it.split_last().map(|(result, args)| (args, *result)))
    }

    pub fn look_up(&self, heap: &Heap, atoms: &Atoms, args: &[Value]) -> Value {
        // Functions among the arguments are compared by arity only, as in `term::Fun`.
        let is_same = |(a, b): (&Value, &Value)| match (a.view(), b.view()) {
            (View::Fun(a), View::Fun(b)) => heap.fun_arity(a) == heap.fun_arity(b),
            _ => equal_exact(heap, atoms, *a, *b),
        };
        let same = |it: &[Value]| it.iter().zip(args).all(is_same);
        self.entries().find(|it| same(it.0)).map_or(self.default, |it| it.1)
    }
}

impl Heap {
    /// Makes a function from a table: the default result first, then for each entry its arguments and its result.
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
