//! Translates grammar rules (DCG) to clauses, as SWI-Prolog does.
//!
//! Bodies are translated recursively. Below a nesting depth of [`MAX_DEPTH`], a part of a body becomes a call
//! of `phrase/3`.

use crate::data::{AtomId, FunctorId, ListEnd, Value, View};
use crate::machine::{Fault, Machine};

const MAX_DEPTH: u32 = 500;

impl Machine {
    /// Translates `Head --> Body` to `Head :- Body`.
    pub(crate) fn translate_rule(&mut self, rule: Value) -> Result<Value, Fault> {
        let (head, body) = (self.heap.arg(rule, 0), self.heap.arg(rule, 1));
        let first = self.heap.fresh();
        if head.is_struct(FunctorId::AND) {
            let (nonterminal, pushback) = (self.heap.arg(head, 0), self.heap.arg(head, 1));
            let (last, between) = (self.heap.fresh(), self.heap.fresh());
            let head = self.extend(nonterminal, first, last)?;
            let body = self.grammar_body(body, first, between, 0)?;
            let pushback = self.grammar_body(pushback, last, between, 0)?;
            let body = self.heap.structure(FunctorId::AND, &[body, pushback]);
            return Ok(self.heap.structure(FunctorId::RULE, &[head, body]));
        }
        let last = self.heap.fresh();
        let head = self.extend(head, first, last)?;
        let body = self.grammar_body(body, first, last, 0)?;
        Ok(self.heap.structure(FunctorId::RULE, &[head, body]))
    }

    pub(crate) fn grammar_body(
        &mut self,
        body: Value,
        s: Value,
        rest: Value,
        depth: u32,
    ) -> Result<Value, Fault> {
        let body = self.heap.deref(body);
        if body.is_var() || MAX_DEPTH < depth {
            return Ok(self.heap.structure(FunctorId::PHRASE_3, &[body, s, rest]));
        }
        let equal = |machine: &mut Machine, a: Value, b: Value| {
            machine.heap.structure(FunctorId::UNIFY, &[a, b])
        };
        let and = |machine: &mut Machine, a: Value, b: Value| {
            machine.heap.structure(FunctorId::AND, &[a, b])
        };
        match body.view() {
            View::Atom(AtomId::NIL) => return Ok(equal(self, s, rest)),
            View::Atom(AtomId::CUT) => {
                let done = equal(self, rest, s);
                return Ok(and(self, Value::atom(AtomId::CUT), done));
            }
            View::Atom(AtomId::CURLY) => return Ok(equal(self, s, rest)),
            View::Text(_) => {
                let text = self.heap.as_text(body).cloned().unwrap_or_default();
                let codes: Vec<Value> =
                    text.chars().map(|c| Value::int(i64::from(u32::from(c)))).collect();
                let list = self.heap.partial_list(&codes, rest);
                return Ok(equal(self, s, list));
            }
            View::Struct(functor, _) => {
                if let Some(res) = self.grammar_control(body, functor, s, rest, depth)? {
                    return Ok(res);
                }
            }
            View::Var(_)
            | View::Int(_)
            | View::Big(_)
            | View::Rational(_)
            | View::Float(_)
            | View::Atom(_) => {}
        }
        self.extend(body, s, rest)
    }

    fn grammar_control(
        &mut self,
        body: Value,
        functor: FunctorId,
        s: Value,
        rest: Value,
        depth: u32,
    ) -> Result<Option<Value>, Fault> {
        let arg = |machine: &Machine, n: usize| machine.heap.arg(body, n);
        Ok(Some(match functor {
            FunctorId::CONS => {
                let (items, end) = self.heap.list_items(body);
                match end {
                    ListEnd::Nil => {
                        let list = self.heap.partial_list(&items, rest);
                        self.heap.structure(FunctorId::UNIFY, &[s, list])
                    }
                    ListEnd::Open(_) => {
                        let append = self.atoms.functor_named("$append", 3);
                        self.heap.structure(append, &[body, rest, s])
                    }
                    ListEnd::Other(_) | ListEnd::Cyclic => {
                        return Err(self.type_error("list_or_partial_list", body));
                    }
                }
            }
            FunctorId::BRACES => {
                let goal = arg(self, 0);
                let done = self.heap.structure(FunctorId::UNIFY, &[rest, s]);
                self.heap.structure(FunctorId::AND, &[goal, done])
            }
            FunctorId::AND | FunctorId::THEN | FunctorId::SOFT_THEN => {
                let between = self.heap.fresh();
                let a = self.grammar_body(arg(self, 0), s, between, depth + 1)?;
                let b = self.grammar_body(arg(self, 1), between, rest, depth + 1)?;
                self.heap.structure(functor, &[a, b])
            }
            FunctorId::OR | FunctorId::ALTERNATIVE => {
                let a = self.grammar_branch(arg(self, 0), s, rest, depth)?;
                let b = self.grammar_branch(arg(self, 1), s, rest, depth)?;
                self.heap.structure(FunctorId::OR, &[a, b])
            }
            FunctorId::UNPROVABLE => {
                let unused = self.heap.fresh();
                let goal = self.grammar_body(arg(self, 0), s, unused, depth + 1)?;
                let not = self.heap.structure(FunctorId::UNPROVABLE, &[goal]);
                let done = self.heap.structure(FunctorId::UNIFY, &[rest, s]);
                self.heap.structure(FunctorId::AND, &[not, done])
            }
            FunctorId::QUALIFIED => {
                let inner = self.grammar_body(arg(self, 1), s, rest, depth + 1)?;
                let module = arg(self, 0);
                self.heap.structure(FunctorId::QUALIFIED, &[module, inner])
            }
            _ => return Ok(None),
        }))
    }

    /// Translates a branch of a disjunction. It gets a variable of its own for the rest of the text, so that
    /// nothing is bound before the branch is selected.
    fn grammar_branch(
        &mut self,
        body: Value,
        s: Value,
        rest: Value,
        depth: u32,
    ) -> Result<Value, Fault> {
        self.grammar_body(body, s, rest, depth + 1)
    }

    /// Adds two arguments to a nonterminal: the text and the rest of it.
    fn extend(&mut self, nonterminal: Value, s: Value, rest: Value) -> Result<Value, Fault> {
        let nonterminal = self.heap.deref(nonterminal);
        let (name, arity) = match nonterminal.view() {
            View::Var(_) => return Err(self.instantiation_error()),
            View::Atom(name) => (name, 0),
            View::Struct(FunctorId::QUALIFIED, _) => {
                let module = self.heap.arg(nonterminal, 0);
                let inner = self.extend(self.heap.arg(nonterminal, 1), s, rest)?;
                return Ok(self.heap.structure(FunctorId::QUALIFIED, &[module, inner]));
            }
            View::Struct(functor, _) => self.atoms.name_arity(functor),
            View::Int(_) | View::Big(_) | View::Rational(_) | View::Float(_) | View::Text(_) => {
                return Err(self.type_error("callable", nonterminal));
            }
        };
        let mut args: Vec<Value> = (0..arity).map(|n| self.heap.arg(nonterminal, n)).collect();
        args.extend([s, rest]);
        let functor = self.atoms.functor(name, arity + 2);
        Ok(self.heap.structure(functor, &args))
    }
}
