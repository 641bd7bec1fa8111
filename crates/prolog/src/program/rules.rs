//! Single-sided unification rules, `Head, Guard => Body`: the head must match without binding variables of
//! the call, and the first rule that matches commits.

use crate::code::{ClauseId, Key, Source, key_of};
use crate::data::{AtomId, FunctorId, Value, View};
use crate::machine::{Fault, Machine};
use crate::program::Place;

impl Machine {
    /// Adds `Head, Guard => Body` as `Fresh :- '$match'(Fresh, Head), Guard, !, Body`.
    pub(crate) fn add_one_sided(
        &mut self,
        module: AtomId,
        rule: Value,
        source: Source,
        place: Place,
    ) -> Result<ClauseId, Fault> {
        let (left, body) = (self.heap.arg(rule, 0), self.heap.arg(rule, 1));
        let (module, left) = self.strip_module(module, left);
        let (head, guard) = if left.is_struct(FunctorId::AND) {
            (self.heap.arg(left, 0), self.heap.arg(left, 1))
        } else {
            (left, Value::TRUE)
        };
        let (module, head) = self.strip_module(module, head);
        let (name, arity) = match head.view() {
            View::Var(_) => return Err(self.instantiation_error()),
            View::Atom(name) => (name, 0),
            View::Struct(functor, _) => self.atoms.name_arity(functor),
            View::Int(_) | View::Big(_) | View::Rational(_) | View::Float(_) | View::Text(_) => {
                return Err(self.type_error("callable", head));
            }
        };
        let functor = self.atoms.functor(name, arity);
        let key = if 0 < arity { key_of(self.heap.arg(head, 0)) } else { Key::ANY };
        let mut goals = vec![guard, Value::atom(AtomId::CUT), body];
        let fresh = if 0 < arity {
            let args: Vec<Value> = (0..arity).map(|_| self.heap.fresh()).collect();
            let fresh = self.heap.structure(functor, &args);
            let matching = self.atoms.functor_named("$match", 2);
            goals.insert(0, self.heap.structure(matching, &[fresh, head]));
            fresh
        } else {
            head
        };
        let body = goals
            .into_iter()
            .rev()
            .reduce(|rest, goal| self.heap.structure(FunctorId::AND, &[goal, rest]));
        let body = body.unwrap_or(Value::TRUE);
        let clause = self.heap.structure(FunctorId::RULE, &[fresh, body]);
        let id = self.add_clause(module, clause, source, place)?;
        let pred = self.db.clause(id).pred;
        self.db.get_mut(pred).one_sided = true;
        self.db.set_key(id, key);
        Ok(id)
    }

    /// Returns the error of a call that no rule matches.
    pub(crate) fn no_matching_rule(&mut self, id: crate::code::PredId) -> Fault {
        let pred = self.db.get(id);
        let (module, functor, arity) = (pred.module, pred.functor, pred.arity as usize);
        let base = self.control.base;
        let args: Vec<Value> = (0..arity).map(|n| self.arg(base, n)).collect();
        let goal = if arity == 0 {
            Value::atom(self.db.get(id).name)
        } else {
            self.heap.structure(functor, &args)
        };
        let goal = self.in_module(module, goal);
        let functor = self.atoms.functor_named("existence_error", 2);
        let kind = self.atom_named("matching_rule");
        let formal = self.heap.structure(functor, &[kind, goal]);
        let context = self.context_of(id);
        Fault::Ball(self.heap.structure(FunctorId::ERROR_2, &[formal, context]))
    }
}
