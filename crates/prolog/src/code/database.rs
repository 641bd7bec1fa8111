//! The database: predicates and their clauses.
//!
//! The clauses of a predicate are a linked list that a running call may be in the middle of. A retracted
//! clause keeps its successor, and the generations of its creation and removal say which calls see it (the
//! logical update view).
#![expect(clippy::indexing_slicing, reason = "ids are made by the database")]

use crate::code::choose::ArgumentIndexing;
use crate::code::{Ins, Konst};
use crate::data::{AtomId, FunctorId, Heap, Record, Tag, Value};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::rc::Rc;
use term::fit_u32;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PredId(pub u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClauseId(pub u32);

impl ClauseId {
    pub const NONE: ClauseId = ClauseId(u32::MAX);
}

/// A summary of a first argument for clause indexing: terms with different keys do not unify. 0
/// ([`Key::ANY`]): a variable, which matches every key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key(pub u64);

impl Key {
    pub const ANY: Key = Key(0);

    #[inline]
    pub fn may_match(self, other: Key) -> bool {
        self == other || self == Key::ANY || other == Key::ANY
    }
}

/// Returns the key of a dereferenced value.
#[inline]
pub fn key_of(value: Value) -> Key {
    match value.tag() {
        Tag::Ref | Tag::Attr => Key::ANY,
        Tag::Atom => Key(value.payload() << 3 | 1),
        Tag::Int => Key(value.payload() << 3 | 2),
        Tag::Struct => Key(u64::from(value.functor().0) << 3 | 3),
        Tag::Float => Key(value.payload() << 3 | 4),
        Tag::Big | Tag::Rational => Key(5),
        Tag::Text => Key(6),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// No clause or declaration of the predicate was seen yet.
    Undefined,
    Clauses,
    /// A builtin: a row of the table of builtins.
    Builtin(u32),
    /// An import of the predicate of another module.
    Import(PredId),
}

/// The meta-argument specifier of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meta {
    Plain,
    /// An argument that is qualified with a module: `0` to `9`, `^`, `//` and `:`.
    Qualified,
}

#[derive(Clone, Debug)]
pub struct Pred {
    pub module: AtomId,
    pub functor: FunctorId,
    pub name: AtomId,
    pub arity: u32,
    pub kind: Kind,
    pub dynamic: bool,
    pub discontiguous: bool,
    pub multifile: bool,
    /// The clauses are single-sided unification rules (`Head => Body`): they match without binding, and a
    /// call that matches none of them is an error.
    pub one_sided: bool,
    /// The predicate is declared `det`: it must succeed exactly once, without leaving a choice point.
    pub det: bool,
    /// A system predicate, which programs may not redefine.
    pub locked: bool,
    pub meta: Option<Rc<[Meta]>>,
    pub first: ClauseId,
    pub last: ClauseId,
    pub n_clauses: u32,
    index: Option<Index>,
    pub(super) indexing: ArgumentIndexing,
}

#[derive(Clone, Debug, Default)]
struct Index {
    by_key: FxHashMap<Key, Bucket>,
    /// The clauses for keys that occur in no clause: those with a variable in the first argument.
    others: Bucket,
    n_dead: u32,
}

/// The number of a list of clauses that may match one key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bucket(pub u32);

#[derive(Clone, Debug)]
pub struct Clause {
    pub pred: PredId,
    pub code: u32,
    pub n_slots: u32,
    pub key: Key,
    pub next: ClauseId,
    pub previous: ClauseId,
    pub born: u64,
    pub died: u64,
    /// The line of the source; 0: the clause was asserted by the running program.
    pub line: u32,
    /// The number of the source file.
    pub file: u32,
    /// The clause as the term `Head :- Body`.
    pub term: Rc<Record>,
}

/// The number of clauses from which on a predicate gets an index of its first argument; below it a call goes
/// through the list.
const MIN_INDEXED_CLAUSES: u32 = 8;

#[derive(Debug, Default)]
pub struct Database {
    pub preds: Vec<Pred>,
    by_name: FxHashMap<(AtomId, FunctorId), PredId>,
    pub clauses: Vec<Clause>,
    pub code: Vec<Ins>,
    pub konsts: Vec<Konst>,
    konst_ids: FxHashMap<(Tag, u64), u32>,
    buckets: Vec<Vec<ClauseId>>,
    pub generation: u64,
    /// Whether the clauses compiled now are under test, so that they get coverage marks.
    pub marking: bool,
    /// The coverage marks, by number.
    pub marks: Vec<Marked>,
    /// The state before the run, from which its changes are undone; `None` outside of runs.
    base: Option<Base>,
}

/// A coverage mark: a clause under test, or a branch of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Marked {
    pub pred: PredId,
    pub file: u32,
    pub line: u32,
    /// The branch that the mark stands for; `None` if it stands for the clause itself.
    pub branch: Option<Branch>,
}

/// A coverage mark for one outcome of a control construct in the body of a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Branch {
    /// The mark of the clause that has the construct.
    pub of: u32,
    pub kind: BranchKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BranchKind {
    /// The condition of `->` or `*->` holds.
    Then,
    Else,
    /// The left side of `;` is executed.
    Left,
    Right,
    /// The goal of `\+` fails, so the negation holds.
    Holds,
    Refuted,
    /// The goal of `catch/3` succeeds.
    Returned,
    /// The goal of `catch/3` throws an exception that is caught.
    Caught,
}

#[derive(Debug)]
struct Base {
    n_preds: usize,
    n_clauses: usize,
    n_code: usize,
    n_konsts: usize,
    /// The bytes of the terms of clauses that the run added.
    term_bytes: usize,
    generation: u64,
    touched: FxHashMap<PredId, PredState>,
    killed: Vec<ClauseId>,
}

/// A predicate and its clauses before the run.
#[derive(Clone, Debug)]
pub struct PredState {
    pred: Pred,
    chain: Vec<ClauseId>,
}

#[inline]
pub fn is_visible(clause: &Clause, generation: u64) -> bool {
    clause.born <= generation && generation < clause.died
}

impl Database {
    /// Returns the predicate whose clause contains the instruction at this address.
    pub(crate) fn pred_at(&self, at: usize) -> Option<PredId> {
        let n = self.clauses.partition_point(|it| it.code as usize <= at);
        self.clauses.get(n.checked_sub(1)?).map(|it| it.pred)
    }

    pub(crate) fn mark(&mut self, of: Marked) -> u32 {
        self.marks.push(of);
        fit_u32(self.marks.len() - 1)
    }

    pub fn pred(
        &mut self,
        module: AtomId,
        functor: FunctorId,
        name: AtomId,
        arity: usize,
    ) -> PredId {
        if let Some(id) = self.by_name.get(&(module, functor)) {
            return *id;
        }
        let id = PredId(fit_u32(self.preds.len()));
        self.preds.push(Pred {
            module,
            functor,
            name,
            arity: u32::try_from(arity).unwrap_or(u32::MAX),
            kind: Kind::Undefined,
            dynamic: false,
            discontiguous: false,
            multifile: false,
            one_sided: false,
            det: false,
            locked: false,
            meta: None,
            first: ClauseId::NONE,
            last: ClauseId::NONE,
            n_clauses: 0,
            index: None,
            indexing: ArgumentIndexing::default(),
        });
        self.by_name.insert((module, functor), id);
        id
    }

    pub fn find(&self, module: AtomId, functor: FunctorId) -> Option<PredId> {
        self.by_name.get(&(module, functor)).copied()
    }

    #[inline]
    pub fn get(&self, id: PredId) -> &Pred {
        &self.preds[id.0 as usize]
    }

    /// Returns a predicate for changes, after its state before the run was saved.
    pub fn get_mut(&mut self, id: PredId) -> &mut Pred {
        self.touch(id);
        &mut self.preds[id.0 as usize]
    }

    #[inline]
    pub fn clause(&self, id: ClauseId) -> &Clause {
        &self.clauses[id.0 as usize]
    }

    /// Returns all clauses that are visible in the current generation.
    pub fn clauses_of(&self, id: PredId) -> Vec<ClauseId> {
        let mut res = Vec::new();
        let mut at = self.get(id).first;
        while at != ClauseId::NONE {
            let clause = self.clause(at);
            if is_visible(clause, self.generation) {
                res.push(at);
            }
            at = clause.next;
        }
        res
    }

    pub fn konst(&mut self, heap: &Heap, value: Value) -> u32 {
        let konst = match value.tag() {
            Tag::Big | Tag::Rational | Tag::Text => {
                Konst::Blob(value.tag(), heap.blob(value).clone())
            }
            Tag::Ref | Tag::Attr | Tag::Int | Tag::Atom | Tag::Struct | Tag::Float => {
                if let Some(id) = self.konst_ids.get(&(value.tag(), value.payload())) {
                    return *id;
                }
                Konst::Plain(value)
            }
        };
        let id = fit_u32(self.konsts.len());
        if let Konst::Plain(value) = &konst {
            self.konst_ids.insert((value.tag(), value.payload()), id);
        }
        self.konsts.push(konst);
        id
    }

    /// Adds a clause at the front or at the end of its predicate.
    pub fn add(&mut self, clause: Clause, front: bool) -> ClauseId {
        let pred_id = clause.pred;
        self.touch(pred_id);
        self.generation += 1;
        let id = ClauseId(fit_u32(self.clauses.len()));
        let key = clause.key;
        if let Some(base) = &mut self.base {
            base.term_bytes += clause.term.size();
        }
        self.clauses.push(Clause { born: self.generation, died: u64::MAX, ..clause });
        let pred = &mut self.preds[pred_id.0 as usize];
        if pred.kind != Kind::Clauses {
            pred.kind = Kind::Clauses;
        }
        pred.n_clauses += 1;
        pred.indexing.forget();
        let (first, last) = (pred.first, pred.last);
        if front {
            pred.first = id;
            pred.index = None;
            if last == ClauseId::NONE {
                pred.last = id;
            }
        } else {
            pred.last = id;
            if first == ClauseId::NONE {
                pred.first = id;
            }
        }
        if front {
            self.clauses[id.0 as usize].next = first;
            if first != ClauseId::NONE {
                self.clauses[first.0 as usize].previous = id;
            }
        } else {
            self.clauses[id.0 as usize].previous = last;
            if last != ClauseId::NONE {
                self.clauses[last.0 as usize].next = id;
            }
            self.index_new(pred_id, id, key);
        }
        id
    }

    fn index_new(&mut self, pred: PredId, id: ClauseId, key: Key) {
        let Some(index) = &mut self.preds[pred.0 as usize].index else { return };
        if key == Key::ANY {
            let all = index.by_key.values().copied().chain([index.others]);
            all.for_each(|it| self.buckets[it.0 as usize].push(id));
        } else if let Some(bucket) = index.by_key.get(&key) {
            self.buckets[bucket.0 as usize].push(id);
        } else {
            let mut list = self.buckets[index.others.0 as usize].clone();
            list.push(id);
            let bucket = Bucket(fit_u32(self.buckets.len()));
            self.buckets.push(list);
            index.by_key.insert(key, bucket);
        }
    }

    /// Changes the key by which the clause is found.
    pub(crate) fn set_key(&mut self, id: ClauseId, key: Key) {
        let clause = &mut self.clauses[id.0 as usize];
        clause.key = key;
        let pred = &mut self.preds[clause.pred.0 as usize];
        pred.index = None;
        pred.indexing.forget();
    }

    /// Removes a clause. Returns false if it was already removed.
    pub fn remove(&mut self, id: ClauseId) -> bool {
        let clause = &self.clauses[id.0 as usize];
        if clause.died != u64::MAX {
            return false;
        }
        let (pred_id, next, previous) = (clause.pred, clause.next, clause.previous);
        self.touch(pred_id);
        self.generation += 1;
        self.clauses[id.0 as usize].died = self.generation;
        if let Some(base) = &mut self.base
            && (id.0 as usize) < base.n_clauses
        {
            base.killed.push(id);
        }
        let pred = &mut self.preds[pred_id.0 as usize];
        pred.n_clauses -= 1;
        pred.indexing.forget();
        if pred.first == id {
            pred.first = next;
        }
        if pred.last == id {
            pred.last = previous;
        }
        if let Some(index) = &mut pred.index {
            index.n_dead += 1;
            if pred.n_clauses < index.n_dead {
                pred.index = None;
            }
        }
        if previous != ClauseId::NONE {
            self.clauses[previous.0 as usize].next = next;
        }
        if next != ClauseId::NONE {
            self.clauses[next.0 as usize].previous = previous;
        }
        true
    }

    /// Returns the clauses that may match a key; `None` if the predicate has too few clauses for an index.
    #[inline]
    pub fn bucket(&mut self, id: PredId, key: Key) -> Option<Bucket> {
        let pred = &self.preds[id.0 as usize];
        if pred.n_clauses < MIN_INDEXED_CLAUSES {
            return None;
        }
        if pred.index.is_none() {
            self.make_index(id);
        }
        let index = self.preds[id.0 as usize].index.as_ref()?;
        Some(index.by_key.get(&key).copied().unwrap_or(index.others))
    }

    #[inline]
    pub fn bucket_at(&self, bucket: Bucket, n: u32) -> Option<ClauseId> {
        self.buckets[bucket.0 as usize].get(n as usize).copied()
    }

    fn make_index(&mut self, id: PredId) {
        let mut index = Index { others: self.new_bucket(), ..Index::default() };
        for clause in self.clauses_of(id) {
            let key = self.clause(clause).key;
            if key == Key::ANY {
                let all = index.by_key.values().copied().chain([index.others]);
                all.for_each(|it| self.buckets[it.0 as usize].push(clause));
                continue;
            }
            let bucket = match index.by_key.get(&key) {
                Some(bucket) => *bucket,
                None => {
                    let bucket = self.new_bucket();
                    let others = self.buckets[index.others.0 as usize].clone();
                    self.buckets[bucket.0 as usize] = others;
                    index.by_key.insert(key, bucket);
                    bucket
                }
            };
            self.buckets[bucket.0 as usize].push(clause);
        }
        self.preds[id.0 as usize].index = Some(index);
    }

    fn new_bucket(&mut self) -> Bucket {
        self.filled_bucket(Vec::new())
    }

    pub(super) fn filled_bucket(&mut self, clauses: Vec<ClauseId>) -> Bucket {
        self.buckets.push(clauses);
        Bucket(fit_u32(self.buckets.len() - 1))
    }

    /// Whether the arguments after the first may distinguish two clauses that a call has found.
    #[inline]
    pub(crate) fn may_choose(&self, id: PredId, key: Key, found: [ClauseId; 2]) -> bool {
        let pred = self.get(id);
        let keys = found.map(|it| self.clause(it).key);
        pred.indexing.may_help(key, keys, pred.n_clauses)
    }

    /// Begins a run: changes from here on can be undone.
    pub fn begin_run(&mut self) {
        self.base = Some(Base {
            n_preds: self.preds.len(),
            n_clauses: self.clauses.len(),
            n_code: self.code.len(),
            n_konsts: self.konsts.len(),
            term_bytes: 0,
            generation: self.generation,
            touched: FxHashMap::default(),
            killed: Vec::new(),
        });
    }

    /// Returns the bytes of the clauses that the run has added, including those that it removed again.
    pub(crate) fn bytes_added(&self) -> usize {
        let Some(base) = &self.base else { return 0 };
        let n_clauses = self.clauses.len().saturating_sub(base.n_clauses);
        let n_code = self.code.len().saturating_sub(base.n_code);
        base.term_bytes + n_clauses * size_of::<Clause>() + n_code * size_of::<Ins>()
    }

    /// Makes the predicate undefined, as if it had never been declared.
    pub fn forget(&mut self, id: PredId) {
        self.touch(id);
        let pred = self.get_mut(id);
        (pred.kind, pred.dynamic) = (Kind::Undefined, false);
    }

    /// Keeps the changes of the run.
    pub fn keep_run(&mut self) {
        self.base = None;
    }

    /// Undoes what the run asserted and retracted.
    pub fn end_run(&mut self) {
        let Some(base) = self.base.take() else { return };
        for id in base.killed {
            self.clauses[id.0 as usize].died = u64::MAX;
        }
        let mut touched: Vec<(PredId, PredState)> = base.touched.into_iter().collect();
        touched.sort_by_key(|it| it.0);
        for (id, state) in touched {
            let chain = state.chain;
            self.preds[id.0 as usize] = state.pred;
            for (n, clause) in chain.iter().enumerate() {
                let previous = n.checked_sub(1).map_or(ClauseId::NONE, |it| chain[it]);
                let next = chain.get(n + 1).copied().unwrap_or(ClauseId::NONE);
                let clause = &mut self.clauses[clause.0 as usize];
                (clause.previous, clause.next) = (previous, next);
            }
        }
        self.clauses.truncate(base.n_clauses);
        self.code.truncate(base.n_code);
        for konst in self.konsts.drain(base.n_konsts..) {
            if let Konst::Plain(value) = konst {
                self.konst_ids.remove(&(value.tag(), value.payload()));
            }
        }
        for pred in self.preds.drain(base.n_preds..) {
            self.by_name.remove(&(pred.module, pred.functor));
        }
        self.generation = base.generation;
    }

    fn touch(&mut self, id: PredId) {
        let Some(base) = &self.base else { return };
        if base.n_preds <= id.0 as usize || base.touched.contains_key(&id) {
            return;
        }
        let chain = self.clauses_of(id);
        let mut pred = Pred { index: None, ..self.preds[id.0 as usize].clone() };
        pred.indexing.forget();
        if let Some(base) = &mut self.base {
            base.touched.insert(id, PredState { pred, chain });
        }
    }
}
