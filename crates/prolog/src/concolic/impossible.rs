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
    ///
    /// The clauses that can succeed are the least set of clauses whose goals are builtins, goals of libraries, or goals of
    /// predicates with a clause in the set: a goal that succeeds does so after finitely many steps.
    pub fn impossible(&self, program: &Program, roots: &[PredId]) -> Vec<u32> {
        let mut heap = Heap::default();
        let all = self.parts(program, &mut heap);
        let called_otherwise = self.called_otherwise(&heap, &all);
        let makes_names = self.makes_names(&heap, &all);
        let (mut completed, _) = self.succeeding(&mut heap, &all);
        completed.retain(|mark| {
            let Some(clause) = all.iter().find(|it| it.mark == *mark) else { return true };
            makes_names
                || self.db.get(clause.pred).dynamic
                || roots.contains(&clause.pred)
                || called_otherwise.contains(&clause.pred)
                || all.iter().any(|caller| {
                    caller.goals.iter().any(|goal| self.fits(&mut heap, *goal, clause.head))
                })
        });
        let impossible = all.iter().filter(|it| !completed.contains(&it.mark));
        let mut res: Vec<u32> = impossible.map(|it| it.mark).collect();
        res.sort_unstable();
        res
    }

    /// Returns the predicates that no goal can succeed for, because each of their clauses calls such a predicate. The
    /// clause that ends the recursion is missing or can't be completed.
    pub fn endlessly_recursive(&self, program: &Program) -> Vec<PredId> {
        let mut heap = Heap::default();
        let all = self.parts(program, &mut heap);
        let (_, succeeding) = self.succeeding(&mut heap, &all);
        let mut res: Vec<PredId> = all.iter().map(|it| it.pred).collect();
        res.retain(|id| {
            let own = all.iter().filter(|it| it.pred == *id);
            !self.db.get(*id).dynamic && !own.clone().any(|it| succeeding.contains(&it.mark))
        });
        res.dedup();
        loop {
            let before = res.clone();
            res.retain(|id| {
                let mut own = all.iter().filter(|it| it.pred == *id);
                own.all(|it| {
                    let mut callees = it.goals.iter().filter_map(|goal| self.callee(*goal, *id));
                    callees.any(|callee| before.contains(&callee))
                })
            });
            if res.len() == before.len() {
                return res;
            }
        }
    }

    /// Returns the marks of the clauses that may be completed, and of those that may succeed. A clause whose last
    /// goal never returns counts as completed when it calls that goal.
    fn succeeding(&self, heap: &mut Heap, all: &[Parts]) -> (FxHashSet<u32>, FxHashSet<u32>) {
        let (mut completed, mut succeeding) = (FxHashSet::default(), FxHashSet::default());
        loop {
            let before = completed.len();
            for clause in all {
                if succeeding.contains(&clause.mark) {
                    continue;
                }
                if self.db.get(clause.pred).dynamic {
                    succeeding.insert(clause.mark);
                    completed.insert(clause.mark);
                    continue;
                }
                // A last goal that never returns is the intended end of its clause.
                let last = clause.goals.last().copied();
                let ends_so = last.is_some_and(|it| self.never_returns(it, clause.pred));
                let n_before = clause.goals.len() - usize::from(ends_so);
                let mut goals = clause.goals.iter().take(n_before);
                if goals.all(|it| self.may_succeed(heap, *it, clause.pred, all, &succeeding)) {
                    completed.insert(clause.mark);
                    if !ends_so {
                        succeeding.insert(clause.mark);
                    }
                }
            }
            if completed.len() == before {
                return (completed, succeeding);
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

    /// Returns the predicate of the program that a goal calls; `None` if it calls none or if the callee is unknown.
    fn callee(&self, goal: Value, from: PredId) -> Option<PredId> {
        let functor = match goal.view() {
            View::Struct(functor, _) => functor,
            View::Atom(name) => self.atoms.known_functor(name, 0)?,
            View::Var(_)
            | View::Int(_)
            | View::Big(_)
            | View::Rational(_)
            | View::Float(_)
            | View::Text(_) => return None,
        };
        let callee = self.db.find(self.db.get(from).module, functor)?;
        let pred = self.db.get(callee);
        (pred.kind == Kind::Clauses && !pred.dynamic && !pred.multifile).then_some(callee)
    }

    fn may_succeed(
        &self,
        heap: &mut Heap,
        goal: Value,
        from: PredId,
        all: &[Parts],
        succeeding: &FxHashSet<u32>,
    ) -> bool {
        if self.never_returns(goal, from) {
            return false;
        }
        let Some(callee) = self.callee(goal, from) else { return true };
        let mut clauses = all.iter().filter(|it| it.pred == callee).peekable();
        clauses.peek().is_none()
            || clauses.any(|it| succeeding.contains(&it.mark) && self.fits(heap, goal, it.head))
    }
}
