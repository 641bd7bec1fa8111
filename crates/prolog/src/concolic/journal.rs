//! The events of a run in their order: clauses, branches, and choices that depend on the input.

use crate::code::PredId;
use crate::concolic::convert::term_of;
use crate::concolic::look::{AT_BUILTIN, AT_CODE, AT_PREDICATE};
use crate::concolic::program::head_and_body;
use crate::concolic::unit::Unit;
use crate::data::{Heap, View};
use crate::text::{WriteOptions, write_term};
use std::rc::Rc;
use term::{Exprs, Kind, Term};
use trace::{Choice, Executor, Head, Input, SiteId};

/// An event of a run.
#[derive(Clone, Debug)]
pub enum Event {
    /// The run entered the clause or branch with this mark.
    Came(u32),
    Chose(Choice),
}

/// The place of a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChoicePlace {
    /// In the head or body of the clause with this mark.
    Clause(u32),
    /// In the selection among the clauses of a predicate.
    Predicate(PredId),
}

/// A clause that an alternative of a choice leads to: its mark, and its first argument as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    pub mark: u32,
    pub argument: String,
}

impl Unit<'_> {
    /// Runs the goal with this input and returns its events.
    pub fn journal(&mut self, input: &Input) -> Vec<Event> {
        self.recorder.get_or_insert_default().journal = Some(Vec::new());
        let n_logged = self.log.len();
        let run = self.run(input);
        self.log.truncate(n_logged);
        let journal = self.recorder.get_or_insert_default().journal.take().unwrap_or_default();
        let Ok(run) = run else { return Vec::new() };
        let mut res = Vec::new();
        let mut came = journal.into_iter().peekable();
        for (n, choice) in run.choices.into_iter().enumerate() {
            while let Some((_, mark)) = came.next_if(|it| it.0 <= n) {
                res.push(Event::Came(mark));
            }
            res.push(Event::Chose(choice));
        }
        res.extend(came.map(|it| Event::Came(it.1)));
        res
    }

    /// Returns the place of a choice of this unit; `None` if it is in a library.
    pub fn place_of(&self, site: SiteId) -> Option<ChoicePlace> {
        let (kind, at, _) = self.recorder.as_ref()?.place_of(site)?;
        match kind {
            AT_CODE | AT_BUILTIN => self.machine.mark_at(at).map(ChoicePlace::Clause),
            AT_PREDICATE => Some(ChoicePlace::Predicate(PredId(at))),
            _ => None,
        }
    }

    /// Returns the clauses of a predicate whose first arguments have this head.
    pub fn candidates(&self, pred: PredId, head: &Head) -> Vec<Candidate> {
        let machine = &*self.machine;
        let mut res = Vec::new();
        for clause in machine.db.clauses_of(pred) {
            let Some(mark) = machine.mark_of(clause) else { continue };
            let mut heap = Heap::default();
            let term = Rc::clone(&machine.db.clause(clause).term).load(&mut heap);
            let (own, _) = head_and_body(machine, &heap, term);
            let first = heap.deref(heap.arg(own, 0));
            let is_it = match (head, first.view()) {
                (_, View::Var(_)) => false,
                (Head::Kind(Kind::Nil), _) => first.is_nil(),
                (Head::Kind(Kind::Cons), _) => first.is_cons(),
                (Head::Tuple(n), View::Struct(functor, _)) if !first.is_cons() => {
                    machine.atoms.arity(functor) + 1 == *n as usize
                }
                (Head::Literal(literal), _) => {
                    term_of(&heap, &machine.atoms, first).as_ref() == Some(literal)
                }
                (Head::Kind(_) | Head::Tuple(_), _) => false,
            };
            if is_it {
                let mut options = WriteOptions { priority: 999, ..WriteOptions::quoted() };
                let parts = crate::data::Walk::new(&heap, &machine.atoms, first);
                let free = parts.filter(|it| it.is_var());
                options.names = free.map(|it| (it.address(), "_".to_owned())).collect();
                let argument = write_term(&heap, &machine.atoms, &machine.ops, &options, first);
                res.push(Candidate { mark, argument });
            }
        }
        res
    }

    /// Calls a function with the expressions of the runs and a function that writes terms.
    pub fn telling<R>(
        &mut self,
        with: impl FnOnce(&Exprs, &mut dyn FnMut(&Term) -> String) -> R,
    ) -> R {
        let exprs = std::mem::take(self.exprs());
        let machine = &mut *self.machine;
        let res = with(&exprs, &mut |it| crate::concolic::convert::term_text(machine, it));
        *self.exprs() = exprs;
        res
    }
}
