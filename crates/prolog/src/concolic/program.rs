//! A summary of the program under test: predicates, their clauses, and the call graph.

use crate::code::{BranchKind, ClauseId, Ins, Kind, Meta, PredId};
use crate::data::{AtomId, FunctorId, Heap, Value, View};
use crate::machine::Machine;
use crate::program::{File, Library, LoadReport};
use crate::text::{WriteOptions, write_term};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

#[derive(Clone, Debug)]
pub struct Program {
    pub module: String,
    pub predicates: Vec<PredicateInfo>,
    /// Clauses and branches of their bodies, by mark.
    pub clauses: Vec<ClauseInfo>,
    pub facts: Vec<FactInfo>,
}

/// A predicate whose facts goals may add and remove.
#[derive(Clone, Debug)]
pub struct FactInfo {
    pub name: String,
    pub arity: usize,
    /// The predicates whose clauses add such facts, and those whose clauses mention the predicate.
    added_by: Vec<PredId>,
    named_by: Vec<PredId>,
}

#[derive(Clone, Debug)]
pub struct PredicateInfo {
    pub id: PredId,
    pub name: String,
    pub arity: usize,
    pub line: u32,
    pub is_exported: bool,
    /// Its clauses are facts that goals may add and remove.
    pub is_dynamic: bool,
    /// Whether the clauses of the predicate are in another file, which the program loads, or belong to a hook of
    /// another module, which calls them: `error:has_type/2` and the like.
    pub is_foreign: bool,
    /// Whether another predicate of the program certainly calls it.
    pub is_called: bool,
    pub calls: Vec<PredId>,
    /// The marks of its clauses.
    pub marks: Vec<u32>,
    /// The marks of the branches of its clauses' bodies.
    pub branches: Vec<u32>,
}

#[derive(Clone, Debug)]
pub struct ClauseInfo {
    pub pred: PredId,
    /// The path of the file that has the clause, if it is not the program's own.
    pub file: Option<String>,
    pub line: u32,
    /// The number of the clause in its predicate, counted from 1.
    pub number: usize,
    /// For a branch: its kind, and its number among the branches of this kind in the clause's body.
    pub branch: Option<(BranchKind, usize)>,
    pub goals: Vec<String>,
}

/// The role of a term in a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Position {
    /// A goal.
    Goal,
    /// A closure: it is called, perhaps with additional arguments.
    Closure,
    /// Data that may become a goal with additional arguments.
    Term,
}

/// The predicates of the program that the clauses of a predicate call.
struct Calls {
    /// The predicates whose names occur, with any number of arguments: data may become a goal.
    all: Vec<PredId>,
    /// The predicates that are called as goals or closures.
    certain: Vec<PredId>,
    /// The goals of each clause, as text.
    texts: Vec<Vec<String>>,
}

/// Control predicates whose arguments are goals.
const CONTROL: [(&str, usize); 9] = [
    (",", 2),
    (";", 2),
    ("|", 2),
    ("->", 2),
    ("*->", 2),
    ("\\+", 1),
    ("once", 1),
    ("ignore", 1),
    ("forall", 2),
];

impl Machine {
    /// Loads a program whose clauses are under test, so that they get coverage marks.
    pub fn load_marked(&mut self, file: &File, library: &mut dyn Library) -> LoadReport {
        self.db.marking = true;
        let report = self.load(file, library);
        self.db.marking = false;
        report
    }

    /// Empties the stacks, so that terms can be read into the heap.
    pub fn clear(&mut self) {
        self.reset();
    }

    /// Returns the syntax of the module `user`.
    pub fn syntax(&self) -> crate::text::Syntax {
        self.syntax_of(AtomId::USER)
    }

    /// Returns the summary of the program that was loaded under test with this report.
    pub fn program(&self, report: &LoadReport) -> Program {
        let module = report.module.unwrap_or(AtomId::USER);
        let exports = self.modules.by_name.get(&module).map(|it| it.exports.clone());
        let exports = exports.unwrap_or_default();
        let mut predicates: Vec<PredicateInfo> = Vec::new();
        let mut places: FxHashMap<PredId, usize> = FxHashMap::default();
        let mut clauses = Vec::new();
        // Predicates without a file were generated while loading, for test units.
        let own_file = self.db.marks.iter().map(|it| it.file).filter(|it| *it != 0).min();
        for (mark, marked) in (0..).zip(&self.db.marks) {
            let place = *places.entry(marked.pred).or_insert_with(|| {
                let pred = self.db.get(marked.pred);
                let name = self.source_name(marked.pred);
                let is_exported = exports
                    .iter()
                    .any(|it| self.atoms.name_arity(*it) == (name, pred.arity as usize));
                let is_hook = pred.module != module && pred.module != AtomId::USER;
                predicates.push(PredicateInfo {
                    id: marked.pred,
                    name: self.atoms.text(name).to_owned(),
                    arity: pred.arity as usize,
                    line: marked.line,
                    is_exported,
                    is_dynamic: pred.dynamic && name == pred.name,
                    is_foreign: is_hook || Some(marked.file) != own_file,
                    is_called: false,
                    calls: Vec::new(),
                    marks: Vec::new(),
                    branches: Vec::new(),
                });
                predicates.len() - 1
            });
            let Some(predicate) = predicates.get_mut(place) else { continue };
            let branch = marked.branch.map(|it| {
                let same = self.db.marks.iter().take(mark as usize);
                let n_before = same.filter(|other| other.branch == Some(it)).count();
                (it.kind, n_before + 1)
            });
            match branch {
                None => predicate.marks.push(mark),
                Some(_) => predicate.branches.push(mark),
            }
            let number = predicate.marks.len();
            let file = || self.modules.files.get(marked.file as usize).cloned();
            clauses.push(ClauseInfo {
                pred: marked.pred,
                file: (Some(marked.file) != own_file).then(file).flatten(),
                line: marked.line,
                number,
                branch,
                goals: vec![],
            });
        }
        let known: Vec<PredId> = predicates.iter().map(|it| it.id).collect();
        for n in 0..predicates.len() {
            let Some(id) = predicates.get(n).map(|it| it.id) else { continue };
            let Calls { all: calls, certain, texts: goals } = self.calls_of(id, &known);
            for callee in certain.iter().filter(|it| **it != id) {
                if let Some(info) = places.get(callee).and_then(|it| predicates.get_mut(*it)) {
                    info.is_called = true;
                }
            }
            let Some(info) = predicates.get_mut(n) else { continue };
            info.calls = calls;
            info.is_dynamic &= goals.iter().all(Vec::is_empty);
            for (mark, goals) in info.marks.iter().zip(goals) {
                if let Some(clause) = clauses.get_mut(*mark as usize) {
                    clause.goals = goals;
                }
            }
        }
        let facts = self.facts(module, &known);
        Program { module: self.atoms.text(module).to_owned(), predicates, clauses, facts }
    }

    /// Returns name and arity of the types that clauses of `error:has_type/2` define.
    pub fn own_types(&self) -> Vec<(String, usize)> {
        let is_it = |it: &&crate::code::Pred| {
            it.arity == 2
                && self.atoms.text(it.name) == "has_type"
                && self.atoms.text(it.module) == "error"
        };
        let Some(pred) = self.db.preds.iter().find(is_it) else { return Vec::new() };
        let Some(id) = self.db.find(pred.module, pred.functor) else { return Vec::new() };
        let mut res = Vec::new();
        for clause in self.db.clauses_of(id) {
            let mut heap = Heap::default();
            let term = self.db.clause(clause).term.load(&mut heap);
            let (head, _) = head_and_body(self, &heap, term);
            if let Some((name, arity)) = heap.name_arity(heap.arg(head, 0), &self.atoms) {
                res.push((self.atoms.text(name).to_owned(), arity));
            }
        }
        res
    }

    /// Returns the predicates that are dynamic, or whose facts a clause of the known predicates adds.
    fn facts(&self, module: AtomId, known: &[PredId]) -> Vec<FactInfo> {
        let mut res: Vec<FactInfo> = Vec::new();
        let mut named: Vec<(PredId, FunctorId)> = Vec::new();
        let mut place = |functor: FunctorId| {
            let (name, arity) = self.atoms.name_arity(functor);
            let name = self.atoms.text(name);
            if let Some(found) = res.iter().position(|it| it.name == name && it.arity == arity) {
                return found;
            }
            let (added_by, named_by) = (Vec::new(), Vec::new());
            res.push(FactInfo { name: name.to_owned(), arity, added_by, named_by });
            res.len() - 1
        };
        // The predicates that hold the clauses of tabled predicates are dynamic too, but their clauses are no facts.
        let has_table = |it: &crate::code::Pred| {
            self.modules.tabled.iter().any(|of| of.0.0 == it.module && *of.1 == it.name)
        };
        let dynamic = self.db.preds.iter().filter(|it| it.module == module && it.dynamic);
        for it in dynamic.filter(|it| !has_table(it)) {
            place(it.functor);
        }
        let mut added: Vec<(PredId, usize)> = Vec::new();
        for id in known {
            for clause in self.db.clauses_of(*id) {
                let mut heap = Heap::default();
                let mut todo = vec![self.db.clause(clause).term.load(&mut heap)];
                while let Some(next) = todo.pop() {
                    let View::Struct(functor, at) = heap.deref(next).view() else { continue };
                    let (name, arity) = self.atoms.name_arity(functor);
                    todo.extend((0..arity).map(|n| heap.cell(at + n)));
                    named.push((*id, functor));
                    let is_added =
                        matches!(self.atoms.text(name), "assert" | "asserta" | "assertz");
                    if is_added
                        && arity == 1
                        && let Some(head) = self.head_of(&heap, heap.cell(at))
                    {
                        added.push((*id, place(head)));
                    }
                }
            }
        }
        for (id, place) in added {
            res.get_mut(place).into_iter().for_each(|it| it.added_by.push(id));
        }
        for (id, functor) in named {
            let (name, arity) = self.atoms.name_arity(functor);
            let name = self.atoms.text(name);
            let found = res.iter_mut().find(|it| it.name == name && it.arity == arity);
            found.into_iter().for_each(|it| it.named_by.push(id));
        }
        // Facts that no predicate of the program uses belong to the system.
        res.retain(|it| !it.named_by.is_empty() || !it.added_by.is_empty());
        res
    }

    /// Returns the functor of the head of a clause that is added.
    fn head_of(&self, heap: &Heap, clause: Value) -> Option<FunctorId> {
        let mut head = heap.deref(clause);
        if head.is_struct(FunctorId::RULE) {
            head = heap.arg(head, 0);
        }
        if head.is_struct(FunctorId::QUALIFIED) {
            head = heap.arg(head, 1);
        }
        if let View::Struct(functor, _) = head.view() { Some(functor) } else { None }
    }

    /// Returns the calls in the clauses of a predicate.
    fn calls_of(&self, id: PredId, known: &[PredId]) -> Calls {
        let module = self.db.get(id).module;
        let (mut calls, mut certain) = (Vec::new(), Vec::new());
        let mut texts = Vec::new();
        for clause in self.db.clauses_of(id) {
            let mut heap = Heap::default();
            let term = self.db.clause(clause).term.load(&mut heap);
            let body = heap.arg(term, 1);
            texts.push(self.goal_texts(&heap, body));
            let mut todo = vec![(body, Position::Goal)];
            while let Some((next, position)) = todo.pop() {
                let next = heap.deref(next);
                let (name, arity) = match next.view() {
                    View::Atom(name) => (name, 0),
                    View::Struct(functor, at) => {
                        let (name, arity) = self.atoms.name_arity(functor);
                        let part = |n: usize| self.position(module, functor, n, position);
                        todo.extend((0..arity).map(|n| (heap.cell(at + n), part(n))));
                        (name, arity)
                    }
                    View::Var(_)
                    | View::Int(_)
                    | View::Big(_)
                    | View::Rational(_)
                    | View::Float(_)
                    | View::Text(_) => continue,
                };
                // A closure may get additional arguments; a grammar rule gets two.
                let n_more = if position == Position::Goal { 0 } else { 5 };
                for pred in known {
                    let callee = self.db.get(*pred);
                    let fits = (arity..=arity + n_more).contains(&(callee.arity as usize));
                    let is_named = fits && self.source_name(*pred) == name;
                    if is_named && (callee.module == module || self.imports(module, *pred)) {
                        calls.push(*pred);
                        if position != Position::Term {
                            certain.push(*pred);
                        }
                    }
                }
            }
        }
        for it in [&mut calls, &mut certain] {
            it.sort_unstable();
            it.dedup();
        }
        Calls { all: calls, certain, texts }
    }

    /// Whether a predicate of another module is visible by its name in a module.
    fn imports(&self, module: AtomId, pred: PredId) -> bool {
        let found = self.db.find(module, self.db.get(pred).functor);
        found.is_some_and(|it| it == pred || self.db.get(it).kind == Kind::Import(pred))
    }

    /// Returns the role of the argument with index `n` of a goal or term whose own role is `outer`.
    fn position(&self, module: AtomId, of: FunctorId, n: usize, outer: Position) -> Position {
        let (name, arity) = self.atoms.name_arity(of);
        let name = self.atoms.text(name);
        if outer == Position::Term {
            return Position::Term;
        }
        if CONTROL.contains(&(name, arity)) {
            return outer;
        }
        match (name, arity) {
            ("^" | ":", 2) if n == 1 => return outer,
            ("call", 1..) | ("phrase", 2 | 3) if n == 0 => return Position::Closure,
            ("findall" | "bagof" | "setof" | "aggregate_all" | "aggregate", 3) if n == 1 => {
                return Position::Goal;
            }
            _ => {}
        }
        // Arguments of closures are data.
        if outer == Position::Closure {
            return Position::Term;
        }
        let known = self.db.find(module, of);
        let is_known = |it: &PredId| self.db.get(*it).kind != Kind::Undefined;
        let Some(callee) = known.filter(is_known) else {
            // A library predicate that is not loaded yet may call any of its arguments.
            let is_library = self.modules.index.iter().any(|it| *it.0 == of);
            return if is_library { Position::Closure } else { Position::Term };
        };
        let callee = self.db.get(callee);
        let is_goal = match &callee.meta {
            Some(meta) => meta.get(n) == Some(&Meta::Qualified),
            // A system predicate defined in Prolog without a meta-predicate declaration may call any of its
            // arguments.
            None => callee.module == AtomId::SYSTEM && callee.kind == Kind::Clauses,
        };
        if is_goal { Position::Closure } else { Position::Term }
    }

    fn goal_texts(&self, heap: &Heap, body: Value) -> Vec<String> {
        let mut res = Vec::new();
        let mut todo = vec![body];
        let canonical = WriteOptions::canonical(heap, &self.atoms, body);
        let names = canonical.names;
        let options =
            WriteOptions { names, numbervars: false, priority: 999, ..WriteOptions::quoted() };
        while let Some(next) = todo.pop() {
            let next = heap.deref(next);
            if next.is_struct(FunctorId::AND) {
                todo.push(heap.arg(next, 1));
                todo.push(heap.arg(next, 0));
            } else if !next.is_atom(AtomId::TRUE) {
                let text = write_term(heap, &self.atoms, &self.ops, &options, next);
                res.push(if text.starts_with("'$match'(") { "its head".to_owned() } else { text });
            }
        }
        res
    }

    /// Returns the marks of the clauses that were running when the last exception was thrown, innermost
    /// first.
    pub fn thrown_in(&self) -> Vec<u32> {
        let mut res: Vec<u32> = self.thrown_at.iter().filter_map(|it| self.mark_at(*it)).collect();
        res.dedup();
        res
    }

    /// Returns the mark of the clause under test that contains an instruction.
    pub(super) fn mark_at(&self, address: u32) -> Option<u32> {
        let place = self.db.clauses.partition_point(|it| it.code <= address).checked_sub(1)?;
        self.mark_of(ClauseId(u32::try_from(place).ok()?))
    }

    /// Returns the mark of a clause under test.
    pub(super) fn mark_of(&self, id: ClauseId) -> Option<u32> {
        let (clauses, place) = (&self.db.clauses, id.0 as usize);
        let start = clauses.get(place)?.code as usize;
        let end = clauses.get(place + 1).map_or(self.db.code.len(), |it| it.code as usize);
        let enter = |it: &Ins| if let Ins::Enter(mark) = it { Some(*mark) } else { None };
        self.db.code.get(start..end)?.iter().find_map(enter)
    }

    /// Returns the number, counted from 1, of the furthest goal that any run has reached in the body of each
    /// marked clause; 0: none.
    pub fn furthest(&self) -> &[u32] {
        &self.furthest
    }

    /// Returns and clears the numbers of the furthest goals.
    pub fn take_furthest(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.furthest)
    }

    /// Merges the numbers of the furthest goals that another machine with the same program has reached.
    pub fn note_furthest(&mut self, other: &[u32]) {
        self.furthest.resize(self.furthest.len().max(other.len()), 0);
        for (own, other) in self.furthest.iter_mut().zip(other) {
            *own = (*own).max(*other);
        }
    }
}

/// Returns head and body of a clause. A rule `Head => Body` is stored as `Fresh :- '$match'(Fresh, Head),
/// ...`; its head is the pattern.
pub(super) fn head_and_body(machine: &Machine, heap: &Heap, clause: Value) -> (Value, Value) {
    let (head, body) = (heap.arg(clause, 0), heap.arg(clause, 1));
    let is_match = |goal: Value| {
        let named = heap.name_arity(goal, &machine.atoms);
        let named = named.is_some_and(|it| it.1 == 2 && machine.atoms.text(it.0) == "$match");
        let of = |it: Value| heap.name_arity(it, &machine.atoms);
        named && of(heap.arg(goal, 1)) == of(head)
    };
    if is_match(body) {
        return (heap.arg(body, 1), Value::TRUE);
    }
    if body.is_struct(FunctorId::AND) && is_match(heap.arg(body, 0)) {
        return (heap.arg(heap.arg(body, 0), 1), heap.arg(body, 1));
    }
    (head, body)
}

impl Program {
    pub fn predicate(&self, name: &str, arity: usize) -> Option<&PredicateInfo> {
        self.predicates.iter().find(|it| it.name == name && it.arity == arity)
    }

    /// Returns the text `main/3 file.pl:8` and the line of a clause; `None` if no clause has the mark.
    pub fn place(&self, mark: u32, path: &str) -> Option<(String, u32)> {
        let clause = self.clauses.get(mark as usize)?;
        let info = self.predicates.iter().find(|it| it.id == clause.pred)?;
        let path = clause.file.as_deref().unwrap_or(path);
        let text = format!("{}/{} {path}:{}", info.name, info.arity, clause.line);
        Some((text, clause.line))
    }

    /// Returns the mark of the clause whose body contains a branch; `None` if `mark` is not the mark of a branch.
    pub fn clause_of_branch(&self, mark: u32) -> Option<u32> {
        let branch = self.clauses.get(mark as usize).filter(|it| it.branch.is_some())?;
        let info = self.predicates.iter().find(|it| it.id == branch.pred)?;
        info.marks.get(branch.number.checked_sub(1)?).copied()
    }

    /// Returns the marks of all clauses and branches that are reachable from a predicate in the call graph.
    pub fn reachable(&self, from: PredId) -> Vec<u32> {
        let mut marks: Vec<u32> = Vec::new();
        for id in self.called_from(from) {
            let info = self.predicates.iter().find(|it| it.id == id);
            marks.extend(info.into_iter().flat_map(|it| it.marks.iter().chain(&it.branches)));
        }
        marks.sort_unstable();
        marks
    }

    /// Returns the entry points: predicates that no other one calls, and one predicate of each group that is
    /// only called within itself.
    pub fn entries(&self) -> Vec<&PredicateInfo> {
        let own = self.predicates.iter().filter(|it| !it.is_dynamic && !it.is_foreign);
        let (mut entries, mut called): (Vec<&PredicateInfo>, Vec<&PredicateInfo>) =
            own.partition(|it| !it.is_called);
        let mut reached: BTreeSet<PredId> =
            entries.iter().flat_map(|it| self.called_from(it.id)).collect();
        called.retain(|it| !reached.contains(&it.id));
        let from: Vec<BTreeSet<PredId>> = called.iter().map(|it| self.called_from(it.id)).collect();
        for (info, own) in called.iter().zip(&from) {
            let mut callers = called.iter().zip(&from).filter(|it| it.1.contains(&info.id));
            if !reached.contains(&info.id) && callers.all(|it| own.contains(&it.0.id)) {
                entries.push(info);
                reached.extend(own);
            }
        }
        entries.sort_by_key(|it| it.marks.first().copied());
        entries
    }

    /// Whether one predicate adds facts that the other one uses.
    pub fn prepares(&self, one: PredId, other: PredId) -> bool {
        let (one, other) = (self.called_from(one), self.called_from(other));
        self.facts.iter().any(|it| {
            it.added_by.iter().any(|it| one.contains(it))
                && it.named_by.iter().any(|it| other.contains(it))
        })
    }

    /// Whether a predicate may add, remove or read dynamic facts.
    pub fn has_facts(&self, pred: PredId) -> bool {
        let called = self.called_from(pred);
        let is_called =
            |it: &FactInfo| it.added_by.iter().chain(&it.named_by).any(|it| called.contains(it));
        self.facts.iter().any(is_called)
    }

    /// Returns a predicate and all predicates reachable from it in the call graph.
    fn called_from(&self, from: PredId) -> BTreeSet<PredId> {
        let mut seen = BTreeSet::new();
        let mut todo = vec![from];
        while let Some(next) = todo.pop() {
            if seen.insert(next)
                && let Some(info) = self.predicates.iter().find(|it| it.id == next)
            {
                todo.extend(&info.calls);
            }
        }
        seen
    }
}

impl ClauseInfo {
    /// Returns a description of the branch; `None` for a clause.
    pub fn branch_text(&self) -> Option<String> {
        let (kind, n) = self.branch?;
        let what = match kind {
            BranchKind::Then => "condition holds",
            BranchKind::Else => "condition does not hold",
            BranchKind::Left => "left side of ;",
            BranchKind::Right => "right side of ;",
            BranchKind::Holds => "\\+ holds",
            BranchKind::Refuted => "\\+ does not hold",
            BranchKind::Returned => "goal of catch succeeds",
            BranchKind::Caught => "exception is caught",
        };
        Some(if n == 1 { what.to_owned() } else { format!("{what} ({n})") })
    }
}
