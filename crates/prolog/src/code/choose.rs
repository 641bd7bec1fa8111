//! Just-in-time indexing of clauses by arguments other than the first.
//!
//! SWI-Prolog builds such indexes while a program runs, and they decide whether an answer is known to be the
//! last one. So arguments are assessed by SWI-Prolog's rules (`pl-index.c`). Knows only the arguments of a
//! call.
#![expect(clippy::indexing_slicing, reason = "lists and clauses are numbered by this module")]

use crate::code::{Bucket, ClauseId, Database, Key, Kind, PredId, key_of};
use crate::data::{Atoms, Blob, FunctorId, Heap, Record, Tag, Value};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

/// The number of arguments of a head, or of a compound term in it, that are candidates for an index.
const INDEXED_ARGUMENTS: usize = 3;
/// Up to this number of clauses, keys of the first argument are compared one by one without an index.
const MAX_UNINDEXED: usize = 10;
/// The minimum speedup of each of two arguments for which a combined index is considered, and the minimum factor
/// by which the combined index must exceed the better one of the two.
const MIN_PAIR_SPEEDUP: f64 = 1.5;
/// The maximum ratio of clauses with a variable in an argument to distinct keys in it, for an index on the
/// The maximum nesting depth of indexes on arguments of compound arguments.
/// argument.
const MAX_VARIABLE_RATIO: f64 = 0.1;
const MAX_DEPTH: usize = 7;
/// The number of times that the indexes of a predicate are built anew after changes; then it gets none.
const MAX_REBUILDS: u32 = 100;

type Keys = [Key; INDEXED_ARGUMENTS];

/// The indexing state of a predicate. A clone starts without indexes.
#[derive(Debug, Default)]
pub(super) struct ArgumentIndexing {
    indexes: Option<Box<ArgumentIndexes>>,
    n_made: u32,
    /// No argument distinguishes clauses, or the predicate changed too often.
    hopeless: bool,
    /// No index was built, and comparing the keys of the first argument is all that there is to do.
    plain: bool,
}

#[derive(Clone, Debug, Default)]
struct ArgumentIndexes {
    /// The first list has all clauses of the predicate; the others have the clauses with one functor in some
    /// argument.
    lists: Vec<ClauseList>,
}

#[derive(Clone, Debug)]
struct ClauseList {
    clauses: Vec<ClauseId>,
    keys: Vec<Keys>,
    /// The bucket of all clauses of the list.
    bucket: Bucket,
    /// The argument numbers on the way from the head to the term whose arguments are looked at, from the
    /// outside in; empty for the head itself.
    place: Vec<usize>,
    gains: [Option<Gain>; INDEXED_ARGUMENTS],
    pairs_tried: usize,
    /// The indexes that were built, the one with the highest speedup first.
    tables: Vec<ArgumentIndex>,
    /// The index on the first argument, whatever its speedup.
    first: Option<ArgumentIndex>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Gain {
    speedup: f64,
    /// Several clauses have the same functor, so the arguments of that term may distinguish them.
    deep: bool,
}

#[derive(Clone, Debug)]
struct ArgumentIndex {
    args: (usize, Option<usize>),
    speedup: f64,
    by_key: FxHashMap<Key, IndexEntry>,
    others: Bucket,
}

#[derive(Clone, Copy, Debug)]
enum IndexEntry {
    Clauses(Bucket),
    /// The clauses with one functor, whose arguments may distinguish them: a position in
    /// [`ArgumentIndexes::lists`].
    Inside(usize),
}

impl Clone for ArgumentIndexing {
    fn clone(&self) -> ArgumentIndexing {
        ArgumentIndexing { n_made: self.n_made, ..ArgumentIndexing::default() }
    }
}

impl ArgumentIndexing {
    /// Drops the indexes, because the clauses of the predicate changed.
    pub(super) fn forget(&mut self) {
        self.indexes = None;
        self.hopeless = MAX_REBUILDS < self.n_made;
        self.plain = false;
    }

    /// Whether other arguments may distinguish clauses for a call that finds two clauses by its first
    /// argument. `key` is the key of the call, `found` are the keys of the two clauses.
    #[inline]
    pub(super) fn may_help(&self, key: Key, found: [Key; 2], n_clauses: u32) -> bool {
        !self.hopeless
            && (!self.plain
                || key == Key::ANY
                || found == [key; 2]
                || MAX_UNINDEXED < n_clauses as usize)
    }
}

impl Database {
    /// Returns the clauses that a call may match, if an index excludes some of them.
    pub(crate) fn choose(
        &mut self,
        id: PredId,
        heap: &Heap,
        atoms: &Atoms,
        args: &[Value],
    ) -> Option<Bucket> {
        let indexing = &mut self.preds[id.0 as usize].indexing;
        let known = indexing.indexes.take();
        let mut indexes = match known {
            Some(it) => it,
            None => self.new_indexes(id)?,
        };
        let found = self.choose_in(&mut indexes, heap, atoms, args);
        let indexing = &mut self.preds[id.0 as usize].indexing;
        indexing.plain &= indexes.lists.first().is_some_and(|it| it.tables.is_empty());
        indexing.indexes = Some(indexes);
        found
    }

    fn new_indexes(&mut self, id: PredId) -> Option<Box<ArgumentIndexes>> {
        let clauses = self.clauses_of(id);
        let list = self.new_list(clauses, Vec::new());
        let own = |n: usize| self.clauses[list.clauses[n].0 as usize].key;
        let plain = list.keys.iter().enumerate().all(|(n, it)| is_plain(own(n)) && it[0] == own(n));
        let hopeless = self.get(id).kind != Kind::Clauses
            || self.get(id).one_sided
            || list.keys.iter().flatten().all(|it| *it == Key::ANY);
        let indexing = &mut self.preds[id.0 as usize].indexing;
        indexing.n_made += 1;
        (indexing.plain, indexing.hopeless) = (plain, hopeless);
        (!hopeless).then(|| Box::new(ArgumentIndexes { lists: vec![list] }))
    }

    fn new_list(&mut self, clauses: Vec<ClauseId>, place: Vec<usize>) -> ClauseList {
        let keys = clauses.iter().map(|it| self.head_keys(*it, &place)).collect();
        let bucket = self.filled_bucket(clauses.clone());
        let (gains, tables) = ([None; INDEXED_ARGUMENTS], Vec::new());
        ClauseList { clauses, keys, bucket, place, gains, pairs_tried: 0, tables, first: None }
    }

    /// Returns the keys of a clause for the arguments of the term at `place` of its head.
    fn head_keys(&self, id: ClauseId, place: &[usize]) -> Keys {
        let clause = self.clause(id);
        let record = &*clause.term;
        let mut moved = Vec::new();
        let rule = record.root();
        let Some(mut term) = record.arg(rule, 0) else { return [Key::ANY; INDEXED_ARGUMENTS] };
        if !self.get(clause.pred).dynamic {
            moved = unified_first(record, term, record.arg(rule, 1));
        }
        let asked = |term: Value, n: usize, top: bool| {
            let arg = record.arg(term, n)?;
            let first = moved.iter().find(|it| top && it.0 == n);
            Some(first.map_or(arg, |it| it.1))
        };
        for (depth, n) in place.iter().enumerate() {
            match asked(term, *n, depth == 0) {
                Some(inside) => term = inside,
                None => return [Key::ANY; INDEXED_ARGUMENTS],
            }
        }
        std::array::from_fn(|n| match asked(term, n, place.is_empty()) {
            Some(value) => fine_key(value, |it| record.blob(it)),
            None => Key::ANY,
        })
    }

    fn choose_in(
        &mut self,
        indexes: &mut ArgumentIndexes,
        heap: &Heap,
        atoms: &Atoms,
        args: &[Value],
    ) -> Option<Bucket> {
        let mut here: Vec<Value> =
            args.iter().take(INDEXED_ARGUMENTS).map(|it| heap.deref(*it)).collect();
        let mut at = 0;
        loop {
            let key = |n: usize| here.get(n).map(|it| fine_key(*it, |it| Some(heap.blob(it))));
            let keys: Keys = std::array::from_fn(|n| key(n).unwrap_or(Key::ANY));
            let Some(table) = self.table_for(indexes, at, keys) else {
                let list = &mut indexes.lists[at];
                if keys[0] == Key::ANY {
                    return (0 < at).then_some(list.bucket);
                }
                return Some(self.by_first(list, keys[0]));
            };
            let table = &indexes.lists[at].tables[table];
            match table.by_key.get(&table.key(keys)).copied() {
                None => return Some(table.others),
                Some(IndexEntry::Clauses(bucket)) => return Some(bucket),
                Some(IndexEntry::Inside(list)) => {
                    let term = here[table.args.0];
                    let arity = atoms.arity(term.functor()).min(INDEXED_ARGUMENTS);
                    here = (0..arity).map(|n| heap.arg(term, n)).collect();
                    at = list;
                }
            }
        }
    }

    /// Returns the number of the index that serves a call with these keys, and builds it if its speedup is
    /// high enough.
    fn table_for(&mut self, indexes: &mut ArgumentIndexes, at: usize, keys: Keys) -> Option<usize> {
        let list = &mut indexes.lists[at];
        let n_clauses = list.clauses.len() as f64;
        let known = list.tables.iter().position(|it| it.key(keys) != Key::ANY);
        if let Some(known) = known {
            let speedup = list.tables[known].speedup;
            if n_clauses <= MAX_UNINDEXED as f64 || n_clauses / speedup <= 10.0 {
                return Some(known);
            }
            let better = list.best(keys, speedup);
            return Some(better.map_or(known, |it| self.made_table(indexes, at, it.0, it.1)));
        }
        if keys[0] != Key::ANY && list.clauses.len() <= MAX_UNINDEXED && !list.repeats(keys[0]) {
            return None;
        }
        let (args, gain) = list.best(keys, 0.0)?;
        Some(self.made_table(indexes, at, args, gain))
    }

    fn made_table(
        &mut self,
        indexes: &mut ArgumentIndexes,
        at: usize,
        args: (usize, Option<usize>),
        gain: Gain,
    ) -> usize {
        let list = &indexes.lists[at];
        if let Some(known) = list.tables.iter().position(|it| it.args == args) {
            return known;
        }
        let mut table = self.new_table(list, args, gain.speedup);
        if gain.deep && list.place.len() < MAX_DEPTH {
            let place: Vec<usize> = list.place.iter().copied().chain([args.0]).collect();
            let mut functors: Vec<Key> =
                table.by_key.keys().copied().filter(|it| is_functor(*it)).collect();
            functors.sort_unstable_by_key(|it| it.0);
            for key in functors {
                let among = indexes.lists[at].with_key(args.0, key);
                let inside = self.new_list(among, place.clone());
                if inside.keys.iter().flatten().any(|it| *it != Key::ANY) {
                    table.by_key.insert(key, IndexEntry::Inside(indexes.lists.len()));
                    indexes.lists.push(inside);
                }
            }
        }
        let tables = &mut indexes.lists[at].tables;
        let worse = |it: &ArgumentIndex| it.speedup < table.speedup;
        let to = tables.iter().position(worse).unwrap_or(tables.len());
        tables.insert(to, table);
        to
    }

    fn new_table(
        &mut self,
        list: &ClauseList,
        args: (usize, Option<usize>),
        speedup: f64,
    ) -> ArgumentIndex {
        let others = Bucket::default();
        let mut table = ArgumentIndex { args, speedup, by_key: FxHashMap::default(), others };
        let mut by_key: FxHashMap<Key, Vec<ClauseId>> = FxHashMap::default();
        let mut order = Vec::new();
        let mut anywhere: Vec<ClauseId> = Vec::new();
        for (clause, keys) in list.clauses.iter().zip(&list.keys) {
            let key = table.key(*keys);
            if key == Key::ANY {
                by_key.values_mut().for_each(|it| it.push(*clause));
                anywhere.push(*clause);
                continue;
            }
            let found = by_key.entry(key).or_insert_with(|| {
                order.push(key);
                anywhere.clone()
            });
            found.push(*clause);
        }
        for key in order {
            let clauses = by_key.remove(&key).unwrap_or_default();
            table.by_key.insert(key, IndexEntry::Clauses(self.filled_bucket(clauses)));
        }
        table.others = self.filled_bucket(anywhere);
        table
    }

    fn by_first(&mut self, list: &mut ClauseList, key: Key) -> Bucket {
        let table = match list.first.take() {
            Some(it) => it,
            None => self.new_table(list, (0, None), 0.0),
        };
        let bucket = match table.by_key.get(&key) {
            Some(IndexEntry::Clauses(bucket)) => *bucket,
            Some(IndexEntry::Inside(_)) | None => table.others,
        };
        list.first = Some(table);
        bucket
    }
}

impl ArgumentIndex {
    /// Returns the key of a call or clause in this index.
    fn key(&self, keys: Keys) -> Key {
        let (first, second) = self.args;
        paired(keys[first], second.map(|it| keys[it]))
    }
}

impl ClauseList {
    fn with_key(&self, arg: usize, key: Key) -> Vec<ClauseId> {
        let both = self.clauses.iter().zip(&self.keys);
        both.filter(|it| it.1[arg] == key).map(|it| *it.0).collect()
    }

    /// Whether the first two clauses that may match a first argument both have exactly this key.
    fn repeats(&self, key: Key) -> bool {
        let mut found = self.keys.iter().map(|it| it[0]).filter(|it| it.may_match(key));
        (found.next(), found.next()) == (Some(key), Some(key))
    }

    /// Returns the argument or pair of arguments, bound in the call, whose index has the highest speedup.
    fn best(&mut self, keys: Keys, least: f64) -> Option<((usize, Option<usize>), Gain)> {
        let mut bound: Vec<usize> =
            (0..INDEXED_ARGUMENTS).filter(|n| keys[*n] != Key::ANY).collect();
        for n in &bound {
            if self.gains[*n].is_none() {
                self.gains[*n] = Some(gain(self.keys.iter().map(|it| it[*n]), self.keys.len()));
            }
        }
        let of = |n: usize| self.gains[n].unwrap_or_default();
        // The sort is stable: of two arguments with the same speedup the first one wins.
        bound.sort_by(|a, b| of(*b).speedup.total_cmp(&of(*a).speedup));
        let best = *bound.first().filter(|it| 0.0 < of(**it).speedup)?;
        let promising: Vec<usize> =
            bound.iter().copied().filter(|it| MIN_PAIR_SPEEDUP < of(*it).speedup).collect();
        if 3.0 < self.keys.len() as f64 / of(best).speedup && 1 < promising.len() {
            self.pairs_tried += 1;
            let mut pairs = Vec::new();
            for (m, second) in promising.iter().enumerate() {
                pairs.extend(promising.iter().take(m).map(|it| (*it, *second)));
            }
            let judged = pairs.into_iter().filter(|_| self.pairs_tried <= INDEXED_ARGUMENTS).map(
                |(a, b)| {
                    let keys = self.keys.iter().map(|it| paired(it[a], Some(it[b])));
                    ((a.min(b), Some(a.max(b))), gain(keys, self.keys.len()))
                },
            );
            let pair = judged.max_by(|a, b| a.1.speedup.total_cmp(&b.1.speedup));
            let wanted = MIN_PAIR_SPEEDUP * of(best).speedup.max(1.0);
            if let Some(pair) = pair.filter(|it| wanted < it.1.speedup) {
                return Some(pair);
            }
        }
        (least < of(best).speedup).then(|| ((best, None), of(best)))
    }
}

/// Estimates the speedup of an index on these keys; the default (no speedup) if an index would not pay.
fn gain(keys: impl Iterator<Item = Key>, n_clauses: usize) -> Gain {
    let mut counts: FxHashMap<Key, usize> = FxHashMap::default();
    let mut n_vars = 0;
    for key in keys {
        match key {
            Key::ANY => n_vars += 1,
            key => *counts.entry(key).or_default() += 1,
        }
    }
    let only_one =
        |it: &FxHashMap<Key, usize>| it.len() == 1 && !it.keys().all(|it| is_functor(*it));
    let (n_keys, all, vars) = (counts.len() as f64, n_clauses as f64, f64::from(n_vars));
    if counts.is_empty() || only_one(&counts) || MAX_VARIABLE_RATIO < vars / n_keys {
        return Gain::default();
    }
    let mean = counts.values().sum::<usize>() as f64 / n_keys;
    let squares: f64 = counts.values().map(|it| (*it as f64 - mean).powi(2)).sum();
    let deviation = (squares / n_keys).sqrt();
    let speedup = all * n_keys / (all - vars + vars * n_keys) / (1.0 + deviation * n_keys / all);
    let repeated = counts.iter().any(|(key, n)| is_functor(*key) && 1 < *n);
    Gain { speedup, deep: speedup < 0.8 * all && repeated && n_vars == 0 }
}

/// Returns the unifications with head arguments that a body begins with. SWI-Prolog moves them into the head,
/// so they count for indexing.
fn unified_first(record: &Record, head: Value, body: Option<Value>) -> Vec<(usize, Value)> {
    let mut found: Vec<(usize, Value)> = Vec::new();
    let mut todo: Vec<Value> = body.into_iter().collect();
    let argument = |it: Value| {
        let is_it = |n: &usize| record.arg(head, *n) == Some(it);
        (0..INDEXED_ARGUMENTS).find(is_it).filter(|_| it.is_var())
    };
    while let Some(goal) = todo.pop() {
        if goal == Value::TRUE {
            continue;
        }
        let (Some(left), Some(right)) = (record.arg(goal, 0), record.arg(goal, 1)) else { break };
        if goal.is_struct(FunctorId::AND) {
            todo.extend([right, left]);
            continue;
        }
        if !goal.is_struct(FunctorId::UNIFY) {
            break;
        }
        match (argument(left), argument(right)) {
            (Some(n), None) if !right.is_var() => found.push((n, right)),
            (None, Some(n)) if !left.is_var() => found.push((n, left)),
            _ => break,
        }
    }
    found
}

fn paired(key: Key, other: Option<Key>) -> Key {
    match other {
        None => key,
        Some(other) if key == Key::ANY || other == Key::ANY => Key::ANY,
        Some(other) => hashed(&(key.0, other.0), 7),
    }
}

/// Returns the key of a value as [`key_of`] does, but distinguishes large numbers and strings by a hash of
/// their contents.
fn fine_key<'a>(value: Value, blob: impl Fn(Value) -> Option<&'a Blob>) -> Key {
    match value.tag() {
        Tag::Big | Tag::Rational | Tag::Text => match blob(value) {
            Some(Blob::Text(text)) => hashed(&**text, 6),
            Some(Blob::Big(it)) => hashed(&**it, 5),
            Some(Blob::Rational(it)) => hashed(&(&it.numerator, &it.denominator), 5),
            None => Key::ANY,
        },
        Tag::Ref | Tag::Attr | Tag::Int | Tag::Atom | Tag::Struct | Tag::Float => key_of(value),
    }
}

fn hashed(of: &(impl Hash + ?Sized), kind: u64) -> Key {
    let mut hasher = FxHasher::default();
    of.hash(&mut hasher);
    Key(hasher.finish() << 3 | kind)
}

fn is_functor(key: Key) -> bool {
    key.0 & 7 == 3
}

/// Whether equal keys mean equal values. Hashes of large numbers and strings may collide.
fn is_plain(key: Key) -> bool {
    !matches!(key.0 & 7, 5 | 6)
}
