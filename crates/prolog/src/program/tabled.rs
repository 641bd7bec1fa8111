//! The directive `:- table`: the clauses of a tabled predicate are stored under another name, and the
//! predicate itself becomes a call that consults the table.

use crate::code::{PredId, Source};
use crate::data::{AtomId, FunctorId, Value, View};
use crate::machine::Machine;
use crate::program::Place;
use crate::program::load::Loading;

impl Machine {
    /// Declares tabled predicates: `p/2`, `p//1`, `p(_, min)`, and lists and conjunctions of them.
    pub(crate) fn declare_tabled(&mut self, what: Value, loading: &mut Loading) {
        let mut todo = vec![(loading.module, what)];
        while let Some((module, next)) = todo.pop() {
            let (module, next) = self.strip_module(module, next);
            let as_functor = self.atoms.functor_named("as", 2);
            if next.is_nil() {
                continue;
            }
            if next.is_struct(FunctorId::AND) || next.is_cons() {
                todo.push((module, self.heap.arg(next, 1)));
                todo.push((module, self.heap.arg(next, 0)));
            } else if next.is_struct(as_functor) {
                todo.push((module, self.heap.arg(next, 0)));
            } else if let Some(functor) = self.read_indicator(next) {
                self.table(module, functor, Value::NIL, loading);
            } else if let View::Struct(functor, at) = next.view() {
                let modes: Vec<Value> = (0..self.atoms.arity(functor))
                    .map(|n| {
                        let mode = self.heap.deref(self.heap.cell(at + n));
                        if mode.is_var() { self.atom_named("index") } else { mode }
                    })
                    .collect();
                let modes = self.heap.list(&modes);
                self.table(module, functor, modes, loading);
            }
        }
    }

    /// Adds `p(A, B) :- '$tabled'(m:p(A, B), m:'p tabled'(A, B), Modes).`
    fn table(&mut self, module: AtomId, functor: FunctorId, modes: Value, loading: &mut Loading) {
        if self.modules.tabled.contains_key(&(module, functor)) {
            return;
        }
        let (name, arity) = self.atoms.name_arity(functor);
        let other = self.atoms.intern(&format!("{} tabled", self.atoms.text(name)));
        let other_functor = self.atoms.functor(other, arity);
        let args: Vec<Value> = (0..arity).map(|_| self.heap.fresh()).collect();
        let goal = |machine: &mut Machine, name: AtomId, functor: FunctorId| match arity {
            0 => Value::atom(name),
            _ => machine.heap.structure(functor, &args),
        };
        let (head, own) = (goal(self, name, functor), goal(self, other, other_functor));
        let (call, own) = (self.in_module(module, head), self.in_module(module, own));
        let tabled = self.atoms.functor_named("$tabled", 3);
        let body = self.heap.structure(tabled, &[call, own, modes]);
        let clause = self.heap.structure(FunctorId::RULE, &[head, body]);
        // A tabled predicate without clauses fails; it is not an error.
        self.declare_dynamic(module, other_functor);
        let source = Source { file: loading.file, line: u32::try_from(loading.line).unwrap_or(0) };
        // The generated clause that looks up the table is not in the source, so it gets no coverage mark.
        let marking = std::mem::take(&mut self.db.marking);
        let added = self.add_clause(module, clause, source, Place::Loaded);
        self.db.marking = marking;
        match added {
            Ok(_) => {
                self.modules.tabled.insert((module, functor), other);
            }
            Err(fault) => self.note_fault(&fault, loading),
        }
    }

    /// Whether predicates of the module are tabled, so that the order of answers is undefined.
    pub fn has_tables(&self, module: &str) -> bool {
        self.modules.tabled.keys().any(|it| self.atoms.text(it.0) == module)
    }

    /// Returns the name of a predicate in the source. The clauses of a tabled predicate are stored under another
    /// name.
    pub(crate) fn source_name(&self, id: PredId) -> AtomId {
        let pred = self.db.get(id);
        let of = |it: &(&(AtomId, FunctorId), &AtomId)| {
            let arity = self.atoms.name_arity(it.0.1).1;
            *it.1 == pred.name && it.0.0 == pred.module && arity == pred.arity as usize
        };
        let tabled = self.modules.tabled.iter().find(of);
        tabled.map_or(pred.name, |it| self.atoms.name_arity(it.0.1).0)
    }

    /// Returns the head under which a clause of a tabled predicate is stored.
    pub(crate) fn tabled_head(&mut self, module: AtomId, head: Value) -> Value {
        if self.modules.tabled.is_empty() {
            return head;
        }
        let Some((name, arity)) = self.heap.name_arity(head, &self.atoms) else { return head };
        let functor = self.atoms.functor(name, arity);
        let Some(other) = self.modules.tabled.get(&(module, functor)).copied() else { return head };
        let functor = self.atoms.functor(other, arity);
        match head.view() {
            View::Struct(_, at) => Value::structure(functor, at),
            View::Var(_)
            | View::Int(_)
            | View::Big(_)
            | View::Rational(_)
            | View::Float(_)
            | View::Atom(_)
            | View::Text(_) => Value::atom(other),
        }
    }
}
