//! Translates `$/0` in the body of a clause: it is a cut, and the goals after it must succeed exactly once.

use crate::code::Kind;
use crate::data::{AtomId, FunctorId, Value};
use crate::machine::{Machine, is_control};

impl Machine {
    /// Returns the body with each `$, Rest` replaced by `!, '$guard'(PI, Last, Rest)`.
    pub(crate) fn guarded_body(&mut self, module: AtomId, head: Value, body: Value) -> Value {
        let dollar = self.atoms.intern("$");
        if !self.has_guard(dollar, body) {
            return body;
        }
        let Some((name, arity)) = self.heap.name_arity(head, &self.atoms) else { return body };
        let own = self.indicator_in(module, name, arity);
        self.with_guard(dollar, own, Some(module), body)
    }

    fn has_guard(&self, dollar: AtomId, body: Value) -> bool {
        let mut todo = vec![body];
        while let Some(next) = todo.pop() {
            let next = self.heap.deref(next);
            if next.is_atom(dollar) {
                return true;
            }
            if [FunctorId::AND, FunctorId::OR, FunctorId::THEN].iter().any(|it| next.is_struct(*it))
            {
                todo.extend((0..2).map(|n| self.heap.arg(next, n)));
            }
        }
        false
    }

    /// Replaces `$` in a part of a body. `module` is the module of the clause if the part's last goal is the clause's
    /// last call, else `None`.
    fn with_guard(
        &mut self,
        dollar: AtomId,
        own: Value,
        module: Option<AtomId>,
        body: Value,
    ) -> Value {
        let body = self.heap.deref(body);
        if body.is_atom(dollar) {
            return Value::atom(AtomId::CUT);
        }
        if !self.has_guard(dollar, body) {
            return body;
        }
        let (left, right) = (self.heap.arg(body, 0), self.heap.arg(body, 1));
        let functor = if body.is_struct(FunctorId::AND) {
            FunctorId::AND
        } else if body.is_struct(FunctorId::OR) {
            FunctorId::OR
        } else {
            FunctorId::THEN
        };
        if functor != FunctorId::AND || !left.is_atom(dollar) {
            let module = module.filter(|_| functor == FunctorId::AND);
            let left = self.with_guard(dollar, own, module, left);
            let right = self.with_guard(dollar, own, module, right);
            return self.heap.structure(functor, &[left, right]);
        }
        let last = match module {
            Some(module) => self.last_called(module, right),
            None => Value::atom(self.atoms.intern("none")),
        };
        let guard = self.atoms.functor_named("$guard", 3);
        let guarded = self.heap.structure(guard, &[own, last, right]);
        self.heap.structure(FunctorId::AND, &[Value::atom(AtomId::CUT), guarded])
    }

    /// Returns the indicator of the predicate that a conjunction calls last; the atom `none` if that is a builtin.
    fn last_called(&mut self, module: AtomId, goals: Value) -> Value {
        let mut last = self.heap.deref(goals);
        while last.is_struct(FunctorId::AND) {
            last = self.heap.arg(last, 1);
        }
        let none = Value::atom(self.atoms.intern("none"));
        let Some((name, arity)) = self.heap.name_arity(last, &self.atoms) else { return none };
        let functor = self.atoms.functor(name, arity);
        let system = self.db.find(AtomId::SYSTEM, functor);
        let is_builtin = system.is_some_and(|it| self.db.get(it).kind != Kind::Undefined);
        if is_builtin || is_control(functor) {
            return none;
        }
        self.indicator_in(module, name, arity)
    }

    fn indicator_in(&mut self, module: AtomId, name: AtomId, arity: usize) -> Value {
        let plain = self.indicator(name, arity);
        if module == AtomId::USER {
            return plain;
        }
        self.heap.structure(FunctorId::QUALIFIED, &[Value::atom(module), plain])
    }
}
