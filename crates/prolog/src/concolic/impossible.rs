//! Finds clauses that no goal can complete, by static analysis of heads and goals: a fixpoint over
//! unifiability.

use crate::code::{Kind, PredId, never_returns};
use crate::concolic::program::Program;
use crate::data::{AtomId, FunctorId, Heap, Value, View, unify};
use crate::machine::Machine;
use rustc_hash::FxHashSet;

/// Builtins that make atoms or terms from text, so that a program may call predicates that it does not name.
const NAME_MAKERS: &[&str] = &[
    "atom_concat",
    "atomic_list_concat",
    "atomic_concat",
    "atom_codes",
    "atom_chars",
    "atom_string",
    "atom_to_term",
    "term_to_atom",
    "term_string",
    "sformat",
    "read",
    "read_term",
    "sub_atom",
    "upcase_atom",
    "downcase_atom",
    "char_code",
    "string_to_atom",
    "read_term_from_atom",
];

/// A clause as a term.
struct Parts {
    mark: u32,
    pred: PredId,
    head: Value,
    goals: Vec<Value>,
}

impl Machine {
    /// Returns the marks of clauses that cannot be entered or completed if only goals of the predicates
    /// `roots` are called.
    pub fn impossible(&self, program: &Program, roots: &[PredId]) -> Vec<u32> {
        let mut heap = Heap::default();
        let all = self.parts(program, &mut heap);
        let called_otherwise = self.called_otherwise(&heap, &all);
        let makes_names = self.makes_names(&heap, &all);
        let mut never: FxHashSet<u32> = FxHashSet::default();
        loop {
            let before = never.len();
            for clause in all.iter().filter(|it| !self.db.get(it.pred).dynamic) {
                if never.contains(&clause.mark) {
                    continue;
                }
                let is_asked = makes_names
                    || roots.contains(&clause.pred)
                    || called_otherwise.contains(&clause.pred)
                    || all.iter().any(|caller| {
                        caller.goals.iter().any(|goal| self.fits(&mut heap, *goal, clause.head))
                    });
                // A last goal that never returns is the intended end of its clause.
                let last = clause.goals.last().copied();
                let ends_so = last.is_some_and(|it| self.never_returns(it, clause.pred));
                let n_before = clause.goals.len() - usize::from(ends_so);
                let is_stuck = clause
                    .goals
                    .iter()
                    .take(n_before)
                    .any(|goal| self.always_fails(&mut heap, *goal, clause.pred, &all, &never));
                if !is_asked || is_stuck {
                    never.insert(clause.mark);
                }
            }
            if never.len() == before {
                let mut res: Vec<u32> = never.into_iter().collect();
                res.sort_unstable();
                return res;
            }
        }
    }

    fn parts(&self, program: &Program, heap: &mut Heap) -> Vec<Parts> {
        let mut res = Vec::new();
        for predicate in &program.predicates {
            let clauses = self.db.clauses_of(predicate.id);
            for (mark, clause) in predicate.marks.iter().zip(clauses) {
                let term = self.db.clause(clause).term.load(heap);
                let (head, body) = (heap.arg(term, 0), heap.arg(term, 1));
                let mut goals = Vec::new();
                let mut todo = vec![body];
                while let Some(next) = todo.pop() {
                    let next = heap.deref(next);
                    if next.is_struct(FunctorId::AND) {
                        todo.push(heap.arg(next, 1));
                        todo.push(heap.arg(next, 0));
                    } else {
                        goals.push(next);
                    }
                }
                res.push(Parts { mark: *mark, pred: predicate.id, head, goals });
            }
        }
        res
    }

    /// Returns the predicates whose names occur elsewhere than as a goal of a body, so that they may be
    /// called as closures.
    fn called_otherwise(&self, heap: &Heap, all: &[Parts]) -> FxHashSet<PredId> {
        let mut res = FxHashSet::default();
        for goal in all.iter().flat_map(|it| &it.goals) {
            let mut todo = Vec::new();
            if let View::Struct(functor, at) = goal.view() {
                todo.extend((0..self.atoms.arity(functor)).map(|n| heap.cell(at + n)));
            }
            while let Some(next) = todo.pop() {
                let next = heap.deref(next);
                if let View::Struct(functor, at) = next.view() {
                    todo.extend((0..self.atoms.arity(functor)).map(|n| heap.cell(at + n)));
                }
                let Some((name, _)) = heap.name_arity(next, &self.atoms) else { continue };
                let named = all.iter().filter(|it| self.db.get(it.pred).name == name);
                res.extend(named.map(|it| it.pred));
            }
        }
        res
    }

    /// Whether the program makes or reads atoms or terms from text, so that it may call any predicate.
    fn makes_names(&self, heap: &Heap, all: &[Parts]) -> bool {
        let mut todo: Vec<Value> = all.iter().flat_map(|it| &it.goals).copied().collect();
        while let Some(next) = todo.pop() {
            let View::Struct(functor, at) = heap.deref(next).view() else { continue };
            let (name, arity) = self.atoms.name_arity(functor);
            if NAME_MAKERS.contains(&self.atoms.text(name)) {
                return true;
            }
            todo.extend((0..arity).map(|n| heap.cell(at + n)));
        }
        false
    }

    fn fits(&self, heap: &mut Heap, goal: Value, head: Value) -> bool {
        let same = heap.name_arity(goal, &self.atoms) == heap.name_arity(head, &self.atoms);
        same && self.unifies(heap, goal, head)
    }

    fn unifies(&self, heap: &mut Heap, a: Value, b: Value) -> bool {
        let mark = heap.mark();
        let old = std::mem::replace(&mut heap.old, mark.cells);
        let res = unify(heap, &self.atoms, a, b);
        heap.undo_to(mark, |_, _| {});
        heap.cut_back(mark);
        heap.old = old;
        res
    }

    /// Whether a goal fails or throws in every case, by its name.
    fn never_returns(&self, goal: Value, from: PredId) -> bool {
        if goal.is_atom(AtomId::FAIL) || goal.is_atom(AtomId::FALSE) {
            return true;
        }
        let View::Struct(functor, _) = goal.view() else { return false };
        let (name, arity) = self.atoms.name_arity(functor);
        let callee = self.db.find(self.db.get(from).module, functor);
        let is_own = callee.is_some_and(|it| self.db.get(it).kind == Kind::Clauses);
        !is_own && never_returns(self.atoms.text(name), arity)
    }

    fn always_fails(
        &self,
        heap: &mut Heap,
        goal: Value,
        from: PredId,
        all: &[Parts],
        never: &FxHashSet<u32>,
    ) -> bool {
        if self.never_returns(goal, from) {
            return true;
        }
        let View::Struct(functor, _) = goal.view() else { return false };
        let callee = self.db.find(self.db.get(from).module, functor);
        let Some(callee) = callee else { return false };
        let pred = self.db.get(callee);
        if pred.kind != Kind::Clauses || pred.dynamic || pred.multifile {
            return false;
        }
        let mut clauses = all.iter().filter(|it| it.pred == callee).peekable();
        clauses.peek().is_some()
            && clauses.all(|it| never.contains(&it.mark) || !self.fits(heap, goal, it.head))
    }
}
