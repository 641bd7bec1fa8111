//! Compiles a clause, given as a term, to instructions.
//!
//! Terms are traversed with work lists, never by native recursion. Only control constructs nest natively, up
//! to a fixed depth.

use crate::code::{Clause, ClauseId, Database, Ins, Key, Marked, PredId, key_of};
use crate::data::{AtomId, Atoms, FunctorId, Heap, Record, Value, View};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use term::fit_u32;

/// The file and line of a clause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Source {
    pub file: u32,
    pub line: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompileError {
    /// A goal is not callable, for example a number.
    NotCallable(Value),
    /// A goal has more than `MAX_ARGUMENTS` arguments.
    TooManyArguments,
}

#[derive(Debug)]
pub struct Compiled {
    pub pred: PredId,
    pub clause: Clause,
}

/// Compiles `head :- body` for a predicate of the module. The goals of the body are looked up in `context`.
/// The instructions are appended to the database's code; adding the clause is up to the caller.
#[expect(clippy::too_many_arguments, reason = "the parts of the machine that a compiler works on")]
pub fn compile_clause(
    heap: &Heap,
    atoms: &mut Atoms,
    db: &mut Database,
    module: AtomId,
    context: AtomId,
    head: Value,
    body: Value,
    source: Source,
    whole: Value,
) -> Result<Compiled, CompileError> {
    let head = heap.deref(head);
    let (name, arity) = heap.name_arity(head, atoms).ok_or(CompileError::NotCallable(head))?;
    if MAX_ARGUMENTS < arity {
        return Err(CompileError::TooManyArguments);
    }
    let functor = atoms.functor(name, arity);
    let pred = db.pred(module, functor, name, arity);
    let term = Rc::new(Record::new(heap, atoms, whole));
    let marked = Marked { pred, file: source.file, line: source.line, branch: None };
    let mark = db.marking.then(|| db.mark(marked));
    let mut compiler = Compiler::new(heap, atoms, db, context);
    compiler.mark = mark;
    // Most clauses need no frame, so a clause is first compiled without one, and again if it turns out to
    // need one. A clause under test always has a frame, so that its last call returns to it and its
    // completion is recorded.
    if mark.is_some() {
        compiler.clause(head, arity, body, true)?;
    } else if !compiler.clause(head, arity, body, false)? {
        compiler.reset();
        compiler.clause(head, arity, body, true)?;
    }
    let n_slots = compiler.n_slots;
    let code = std::mem::take(&mut compiler.code);
    let key = if 0 < arity { key_of(heap.arg(head, 0)) } else { Key::ANY };
    let start = fit_u32(db.code.len());
    db.code.extend(code);
    let clause = Clause {
        pred,
        code: start,
        n_slots,
        key,
        next: ClauseId::NONE,
        previous: ClauseId::NONE,
        born: 0,
        died: u64::MAX,
        line: source.line,
        file: source.file,
        term,
    };
    Ok(Compiled { pred, clause })
}

pub(crate) const MAX_ARGUMENTS: usize = 1000;

/// A variable of the clause.
#[derive(Clone, Copy, Debug)]
pub(super) struct Var {
    pub(super) slot: Option<u32>,
    pub(super) count: u32,
    /// Whether the slot holds a value at the current point of the code.
    pub(super) seen: bool,
}

pub(super) struct Compiler<'a> {
    pub(super) heap: &'a Heap,
    pub(super) atoms: &'a mut Atoms,
    pub(super) db: &'a mut Database,
    pub(super) module: AtomId,
    pub(super) code: Vec<Ins>,
    pub(super) vars: FxHashMap<usize, Var>,
    pub(super) n_slots: u32,
    free: Vec<u32>,
    /// Whether the clause has a frame.
    pub(super) frame: bool,
    /// Whether the code compiled so far needs a frame.
    pub(super) wants_frame: bool,
    pub(super) start: u32,
    pub(super) depth: u32,
    /// The coverage mark of a clause under test.
    pub(super) mark: Option<u32>,
}

impl<'a> Compiler<'a> {
    fn new(
        heap: &'a Heap,
        atoms: &'a mut Atoms,
        db: &'a mut Database,
        module: AtomId,
    ) -> Compiler<'a> {
        let start = fit_u32(db.code.len());
        Compiler {
            heap,
            atoms,
            db,
            module,
            code: Vec::new(),
            vars: FxHashMap::default(),
            n_slots: 0,
            free: Vec::new(),
            frame: false,
            wants_frame: false,
            start,
            depth: 0,
            mark: None,
        }
    }

    fn reset(&mut self) {
        self.code.clear();
        self.vars.clear();
        self.free.clear();
        self.wants_frame = false;
    }

    /// Compiles the clause. Returns false if the code cannot be used because it lacks a frame that it needs.
    fn clause(
        &mut self,
        head: Value,
        arity: usize,
        body: Value,
        frame: bool,
    ) -> Result<bool, CompileError> {
        self.frame = frame;
        self.n_slots = u32::try_from(arity).unwrap_or(u32::MAX);
        self.count(head);
        self.count(body);
        self.head(head, arity);
        let allocate = self.code.len();
        if frame {
            self.code.push(Ins::Allocate(0));
        }
        if let Some(mark) = self.mark {
            self.code.push(Ins::Enter(mark));
        }
        self.body(body)?;
        if let Some(ins @ Ins::Allocate(_)) = self.code.get_mut(allocate) {
            *ins = Ins::Allocate(self.n_slots);
        }
        Ok(frame || !self.wants_frame)
    }

    /// Counts the occurrences of variables.
    fn count(&mut self, term: Value) {
        for at in variables_with_repeats(self.heap, self.atoms, term) {
            self.vars.entry(at).or_insert(Var { slot: None, count: 0, seen: false }).count += 1;
        }
    }

    fn head(&mut self, head: Value, arity: usize) {
        // Variables that are head arguments stay in the slots of the arguments.
        let mut repeated = Vec::new();
        for n in 0..arity {
            let slot = fit_u32(n);
            if let View::Var(at) = self.heap.arg(head, n).view() {
                match self.vars.get_mut(&at) {
                    Some(var) if !var.seen => {
                        var.slot = Some(slot);
                        var.seen = true;
                    }
                    Some(Var { slot: Some(old), .. }) => repeated.push(Ins::GetSame(slot, *old)),
                    _ => {}
                }
            }
        }
        for n in 0..arity {
            let arg = self.heap.arg(head, n);
            if !arg.is_var() {
                self.match_slot(fit_u32(n), arg);
            }
        }
        self.code.extend(repeated);
    }

    /// Emits the instructions that unify the slot's value with a term that is not a variable.
    pub(super) fn match_slot(&mut self, slot: u32, term: Value) {
        let mut todo = vec![(slot, term, false)];
        while let Some((slot, term, temporary)) = todo.pop() {
            match term.view() {
                View::Struct(functor, _) => {
                    self.code.push(Ins::GetStruct(slot, functor));
                    if temporary {
                        self.release(slot);
                    }
                    self.arguments(functor, term, &mut todo);
                }
                View::Var(_)
                | View::Int(_)
                | View::Big(_)
                | View::Rational(_)
                | View::Float(_)
                | View::Atom(_)
                | View::Text(_) => {
                    let konst = self.db.konst(self.heap, term);
                    self.code.push(Ins::GetAtomic(slot, konst));
                }
            }
        }
    }

    /// Emits the instructions for the arguments of a structure that the last instruction began. Nested
    /// structures get a temporary slot and are added to `todo`.
    pub(super) fn arguments(
        &mut self,
        functor: FunctorId,
        term: Value,
        todo: &mut Vec<(u32, Value, bool)>,
    ) {
        let mut void = 0;
        let mut nested = Vec::new();
        for n in 0..self.atoms.arity(functor) {
            let arg = self.heap.arg(term, n);
            if let View::Var(at) = arg.view()
                && self.is_void(at)
            {
                void += 1;
                continue;
            }
            if void != 0 {
                self.code.push(Ins::UnifyVoid(void));
                void = 0;
            }
            match arg.view() {
                View::Var(at) => {
                    let (slot, seen) = self.slot_of(at);
                    self.code.push(if seen { Ins::UnifyValue(slot) } else { Ins::UnifyVar(slot) });
                }
                View::Struct(..) => {
                    let slot = self.temporary();
                    self.code.push(Ins::UnifyVar(slot));
                    nested.push((slot, arg, true));
                }
                View::Int(_)
                | View::Big(_)
                | View::Rational(_)
                | View::Float(_)
                | View::Atom(_)
                | View::Text(_) => {
                    let konst = self.db.konst(self.heap, arg);
                    self.code.push(Ins::UnifyAtomic(konst));
                }
            }
        }
        if void != 0 {
            self.code.push(Ins::UnifyVoid(void));
        }
        todo.extend(nested.into_iter().rev());
    }

    pub(super) fn is_void(&self, at: usize) -> bool {
        self.vars.get(&at).is_some_and(|it| it.count == 1 && !it.seen)
    }

    /// Returns the variable's slot, and whether it held a value before. From here on it counts as holding
    /// one.
    pub(super) fn slot_of(&mut self, at: usize) -> (u32, bool) {
        let old = self.vars.get(&at).copied();
        let slot = match old.and_then(|it| it.slot) {
            Some(slot) => slot,
            None => self.new_slot(),
        };
        let seen = old.is_some_and(|it| it.seen);
        let count = old.map_or(1, |it| it.count);
        self.vars.insert(at, Var { slot: Some(slot), count, seen: true });
        (slot, seen)
    }

    fn new_slot(&mut self) -> u32 {
        self.n_slots += 1;
        self.n_slots - 1
    }

    pub(super) fn temporary(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| self.new_slot())
    }

    pub(super) fn release(&mut self, slot: u32) {
        self.free.push(slot);
    }

    /// Returns the address of the next instruction.
    pub(super) fn here(&self) -> u32 {
        self.start + fit_u32(self.code.len())
    }
}

/// Returns the addresses of the variables of a term, left to right, once per occurrence.
pub(super) fn variables_with_repeats(heap: &Heap, atoms: &Atoms, term: Value) -> Vec<usize> {
    let mut res = Vec::new();
    let mut todo = vec![term];
    while let Some(next) = todo.pop() {
        let next = heap.deref(next);
        match next.view() {
            View::Var(at) => res.push(at),
            View::Struct(functor, at) => {
                todo.extend((0..atoms.arity(functor)).rev().map(|n| heap.cell(at + n)));
            }
            View::Int(_)
            | View::Big(_)
            | View::Rational(_)
            | View::Float(_)
            | View::Atom(_)
            | View::Text(_) => {}
        }
    }
    res
}
