//! Facts that a run adds: their symbolic subterms are followed when the facts are read again.
//!
//! A constant in compiled code has no shadow. Where a fact is symbolic, its compiled clause leaves the
//! argument unbound and unifies it with the fact as stored.

use crate::code::{ClauseId, PredId};
use crate::concolic::look::AT_PREDICATE;
use crate::data::{AtomId, Value, View};
use crate::machine::{COMPLETED, ENTERED, Fault, Machine, Next};

/// The test number that distinguishes the places of stored facts from others of their predicate.
const STORED: u32 = 1 << 20;

impl Machine {
    /// Returns head and body to compile for a clause that a recorded run adds. A rule is pinned, because only
    /// facts are followed.
    pub(crate) fn followed(&mut self, head: Value, body: Value) -> (Value, Value) {
        let is_given = self.recorder.is_some();
        if !is_given || !self.is_symbolic(head) && !self.is_symbolic(body) {
            return (head, body);
        }
        let View::Struct(functor, at) = head.view() else { return (head, body) };
        if !body.is_atom(AtomId::TRUE) {
            let place = self.at_builtin(0);
            self.pin(place, head);
            self.pin(place, body);
            self.record(|_, it| it.lose(place, "a rule that is added".to_owned()));
            return (head, body);
        }
        let mut args: Vec<Value> =
            (0..self.atoms.arity(functor)).map(|n| self.heap.cell(at + n)).collect();
        for arg in &mut args {
            if self.is_symbolic(*arg) {
                *arg = self.heap.fresh();
            }
        }
        let open = self.heap.structure(functor, &args);
        let next = i64::try_from(self.db.clauses.len()).unwrap_or(i64::MAX);
        let stored = self.atoms.functor_named("$stored", 2);
        let body = self.heap.structure(stored, &[Value::int(next), open]);
        (open, body)
    }

    /// `'$stored'(Clause, Head)`: unifies a head with the stored fact.
    pub(crate) fn stored(&mut self, base: usize) -> Result<Next, Fault> {
        let (number, head) = (self.arg(base, 0), self.arg(base, 1));
        let number = number.as_int().and_then(|it| u32::try_from(it).ok());
        let Some(id) = number.map(ClauseId) else { return Ok(Next::False) };
        let clause = self.db.clause(id);
        let (pred, term) = (clause.pred, clause.term.clone());
        let term = term.load(&mut self.heap);
        let own = self.heap.arg(term, 0);
        Ok(self.unify_stored(pred, own, head).into())
    }

    /// Unifies a part of a stored clause with a term.
    pub(crate) fn unify_stored(&mut self, pred: PredId, own: Value, given: Value) -> bool {
        if self.recorder.is_some() {
            self.unify_at((AT_PREDICATE, pred.0, STORED), given, own)
        } else {
            self.unify(own, given)
        }
    }

    /// Marks a fact that `clause/2` or `retract/1` has read as entered and completed.
    pub(crate) fn note_read(&mut self, id: ClauseId) {
        let Some(mark) = self.mark_of(id) else { return };
        let term = self.db.clause(id).term.clone().load(&mut self.heap);
        let is_fact = self.heap.arg(term, 1).is_atom(AtomId::TRUE);
        if let Some(reached) = self.run.reached.get_mut(mark as usize).filter(|_| is_fact) {
            *reached |= ENTERED | COMPLETED;
        }
    }
}
