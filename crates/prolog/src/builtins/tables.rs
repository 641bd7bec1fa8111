//! Tabling: the answers of tabled predicates are stored in tables, one per variant of a call.
//!
//! A call is evaluated by running its clauses, which the prelude does. Calls that depend on each other's
//! answers form a component: its first call (the leader) is evaluated again until a fixpoint is reached. All
//! other calls are complete after one evaluation.

use crate::builtins::{Row, row};
use crate::data::{Blob, FunctorId, Record, Value, View, compare};
use crate::machine::throw::BYTES_PER_ANSWER;
use crate::machine::{Fault, Machine, Next, Stop};
use num_bigint::{BigInt, Sign};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Ordering;

pub(super) const ROWS: &[Row] = &[
    row("$table_state", 3, state),
    row("$table_enter", 1, enter),
    row("$table_begin", 0, |m, _| {
        m.run.tables.begin();
        Ok(Next::True)
    }),
    row("$table_again", 1, again),
    row("$table_first", 1, |m, a| {
        Ok((m.run.tables.by_number(m.arg(a, 0)).is_some_and(|it| it.n_evaluations == 1)).into())
    }),
    row("$table_add", 2, add),
    row("$table_join", 3, join),
    row("$table_improve", 4, improve),
    row("$table_answers", 2, answers),
    // Evaluations inside of a negation must be complete, independent of those in progress outside.
    row("$table_nest", 0, |m, _| {
        m.run.tables.barriers.push(m.run.tables.frames.len());
        Ok(Next::True)
    }),
    row("$table_unnest", 0, |m, _| {
        m.run.tables.barriers.pop();
        Ok(Next::True)
    }),
    row("$table_some", 4, some),
    row("abolish_all_tables", 0, |m, _| {
        if m.run.tables.frames.is_empty() {
            m.run.tables = Tables::default();
        } else {
            let complete = m.run.tables.tables.iter_mut().filter(|it| it.is_complete);
            complete.for_each(|it| *it = Table::default());
        }
        Ok(Next::True)
    }),
];

/// A term encoded as words. Variants (terms equal up to renaming of variables) have equal encodings.
type Variant = Box<[u64]>;

#[derive(Clone, Debug, Default)]
pub struct Tables {
    by_call: FxHashMap<Variant, usize>,
    tables: Vec<Table>,
    /// The evaluations in progress, outermost first.
    frames: Vec<Evaluation>,
    /// The numbers of the tables that wait for the completion of an outer evaluation.
    incomplete: Vec<usize>,
    /// The number of evaluations that were begun so far.
    n_begun: u64,
    /// For each negation in progress, the number of evaluations outside of it.
    barriers: Vec<usize>,
}

#[derive(Clone, Debug, Default)]
struct Table {
    answers: Vec<Record>,
    known: FxHashSet<Variant>,
    /// For tables with modes: the index of the answer of each group.
    best: FxHashMap<Variant, usize>,
    is_complete: bool,
    /// The depth of the table's evaluation among those in progress.
    running: Option<usize>,
    is_listed: bool,
    /// For an incomplete table: the depth of the outermost call whose answers it depends on, and the number
    /// of that call's evaluation.
    needs: usize,
    evaluated_in: u64,
    n_evaluations: u64,
}

#[derive(Clone, Debug)]
struct Evaluation {
    table: usize,
    /// The number of this evaluation, counted over all evaluations.
    number: u64,
    /// The depth of the outermost call in progress whose answers were needed.
    needs: usize,
    /// Whether its answers were needed before it was complete.
    is_needed: bool,
    /// Whether a new answer was found.
    is_changed: bool,
    /// The number of incomplete tables before the evaluation began.
    n_incomplete: usize,
    /// The number of collectors of answers including this evaluation's own. An exception that leaves fewer of
    /// them has left the evaluation.
    n_collectors: usize,
}

impl Tables {
    fn by_number(&mut self, number: Value) -> Option<&mut Table> {
        let n = number.as_int().and_then(|it| usize::try_from(it).ok())?;
        self.tables.get_mut(n)
    }

    fn number_of(&mut self, call: Variant) -> usize {
        let next = self.tables.len();
        let n = *self.by_call.entry(call).or_insert(next);
        if n == next {
            self.tables.push(Table::default());
        }
        n
    }

    /// Records that the innermost evaluation depends on the answers of the one at this depth.
    fn need(&mut self, depth: usize) {
        if let Some(needed) = self.frames.get_mut(depth) {
            needed.is_needed = true;
        }
        if let Some(own) = self.frames.last_mut() {
            own.needs = own.needs.min(depth);
        }
    }

    /// Returns the depth of the evaluation that an incomplete table belongs to, if it is still in progress.
    fn evaluation_of(&self, table: &Table) -> Option<usize> {
        let found = self.frames.get(table.needs)?;
        (0 < table.n_evaluations && found.number == table.evaluated_in).then_some(table.needs)
    }

    fn begin(&mut self) {
        self.n_begun += 1;
        let depth = self.frames.len().saturating_sub(1);
        let Some(own) = self.frames.last_mut() else { return };
        (own.number, own.needs) = (self.n_begun, depth);
        (own.is_needed, own.is_changed) = (false, false);
        if let Some(table) = self.tables.get_mut(own.table) {
            table.n_evaluations += 1;
        }
    }

    /// Ends the innermost evaluation. Returns true if it must be repeated because no fixpoint was reached.
    fn end(&mut self) -> bool {
        let depth = self.frames.len().saturating_sub(1);
        let Some(own) = self.frames.last() else { return false };
        let is_leader = own.needs == depth;
        if is_leader && own.is_needed && own.is_changed {
            return true;
        }
        let Some(own) = self.frames.pop() else { return false };
        if is_leader {
            let waiting = self.incomplete.split_off(own.n_incomplete.min(self.incomplete.len()));
            for n in waiting.into_iter().chain([own.table]) {
                if let Some(table) = self.tables.get_mut(n) {
                    (table.is_complete, table.is_listed) = (true, false);
                    table.known = FxHashSet::default();
                    table.best = FxHashMap::default();
                }
            }
        }
        let evaluated_in = self.frames.get(own.needs).map_or(0, |it| it.number);
        if let Some(table) = self.tables.get_mut(own.table) {
            table.running = None;
            (table.needs, table.evaluated_in) = (own.needs, evaluated_in);
        }
        if let Some(outer) = self.frames.last_mut()
            && !is_leader
        {
            outer.needs = outer.needs.min(own.needs);
            outer.is_changed |= own.is_changed;
        }
        false
    }

    /// Discards the evaluations that an exception has left, with their tables: those that began with more
    /// than `n_collectors` collectors of answers.
    pub(crate) fn leave(&mut self, n_collectors: usize) {
        while let Some(own) = self.frames.pop_if(|it| n_collectors < it.n_collectors) {
            let waiting = self.incomplete.split_off(own.n_incomplete.min(self.incomplete.len()));
            for n in waiting.into_iter().chain([own.table]) {
                if let Some(table) = self.tables.get_mut(n) {
                    *table = Table::default();
                }
            }
        }
    }

    fn note_change(&mut self) {
        if let Some(own) = self.frames.last_mut() {
            own.is_changed = true;
        }
    }
}

impl Machine {
    fn variant(&mut self, terms: &[Value]) -> Result<Variant, Fault> {
        /// The number of parts up to which a term needs no check: a larger term may have a shared structure
        /// whose encoding exceeds the memory.
        const SMALL: usize = 4096;
        if terms.iter().any(|it| !self.is_spread_within(*it, SMALL)) {
            for term in terms {
                self.check_spread(*term)?;
            }
        }
        let mut words = Vec::new();
        let mut vars: Vec<usize> = Vec::new();
        let mut todo: Vec<Value> = terms.iter().rev().copied().collect();
        while let Some(next) = todo.pop() {
            let value = self.heap.deref(next);
            words.push(value.tag() as u64);
            match value.view() {
                View::Var(at) => {
                    let n = vars.iter().position(|it| *it == at).unwrap_or(vars.len());
                    if n == vars.len() {
                        vars.push(at);
                    }
                    words.push(n as u64);
                }
                View::Int(_) | View::Float(_) | View::Atom(_) => words.push(value.payload()),
                View::Struct(functor, at) => {
                    words.push(u64::from(functor.0));
                    let arity = self.atoms.arity(functor);
                    todo.extend((0..arity).rev().map(|n| self.heap.cell(at + n)));
                }
                View::Big(_) | View::Rational(_) | View::Text(_) => {
                    put_blob(&mut words, self.heap.blob(value));
                }
            }
        }
        self.charge(words.len())?;
        Ok(words.into())
    }
}

fn put_blob(words: &mut Vec<u64>, blob: &Blob) {
    let integer = |words: &mut Vec<u64>, it: &BigInt| {
        let digits = it.iter_u64_digits();
        words.push(digits.len() as u64 * 2 + u64::from(it.sign() == Sign::Minus));
        words.extend(digits);
    };
    match blob {
        Blob::Big(it) => integer(words, it),
        Blob::Rational(it) => {
            integer(words, &it.numerator);
            integer(words, &it.denominator);
        }
        Blob::Text(it) => {
            words.push(it.len() as u64);
            for chunk in it.as_bytes().chunks(8) {
                words.push(chunk.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte)));
            }
        }
    }
}

/// `'$table_state'(Call, Table, State)`: the state is `complete`; `running`, if the answers found so far must
/// do; or `new`, if the clauses must be run.
fn state(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let call = m.variant(&[m.arg(a, 0)])?;
    let n = m.run.tables.number_of(call);
    let Some(table) = m.run.tables.tables.get(n) else { return Ok(Next::False) };
    let found = table.running.or_else(|| m.run.tables.evaluation_of(table));
    let name = match found {
        _ if table.is_complete => "complete",
        Some(depth) => {
            if depth < m.run.tables.barriers.last().copied().unwrap_or(0) {
                let why = "tnot/1: a call that depends on its own negation needs well-founded \
                           semantics, which are not supported";
                return Err(Stop::Refused(why.to_owned()).into());
            }
            m.run.tables.need(depth);
            "running"
        }
        None => "new",
    };
    let name = m.atom_named(name);
    let (to_table, to) = (m.arg(a, 1), m.arg(a, 2));
    Ok((m.unify(to_table, Value::size(n)) && m.unify(to, name)).into())
}

/// `'$table_enter'(Table)`: begins an evaluation of the table's clauses.
fn enter(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let Some(n) = m.arg(a, 0).as_int().and_then(|it| usize::try_from(it).ok()) else {
        return Ok(Next::False);
    };
    let (depth, n_incomplete) = (m.run.tables.frames.len(), m.run.tables.incomplete.len());
    m.control.collectors.push(Vec::new());
    let Some(table) = m.run.tables.tables.get_mut(n) else { return Ok(Next::False) };
    table.running = Some(depth);
    if !std::mem::replace(&mut table.is_listed, true) {
        m.run.tables.incomplete.push(n);
    }
    m.run.tables.frames.push(Evaluation {
        table: n,
        number: 0,
        needs: depth,
        is_needed: false,
        is_changed: false,
        n_incomplete,
        n_collectors: m.control.collectors.len(),
    });
    m.control.collected_bytes += size_of::<Table>() + size_of::<Evaluation>();
    m.check_memory(0)?;
    Ok(Next::True)
}

/// `'$table_again'(Again)`: ends an evaluation; true if the clauses must be run once more.
fn again(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let again = m.run.tables.end();
    if !again {
        m.control.collectors.pop();
    }
    let to = m.arg(a, 0);
    m.answer(to, Value::bool(again))
}

/// `'$table_add'(Table, Answer)`: adds an answer; fails if it is already in the table.
fn add(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let answer = m.arg(a, 1);
    let variant = m.variant(&[answer])?;
    let n_words = variant.len();
    let number = m.arg(a, 0);
    let Some(table) = m.run.tables.by_number(number) else { return Ok(Next::False) };
    if !table.known.insert(variant) {
        return Ok(Next::False);
    }
    let record = Record::new(&m.heap, &m.atoms, answer);
    keep(m, number, None, record, n_words)
}

/// Stores a new answer, or replaces the answer at an index by a better one.
fn keep(
    m: &mut Machine,
    number: Value,
    place: Option<usize>,
    record: Record,
    n_words: usize,
) -> Result<Next, Fault> {
    let bytes = record.size() + n_words * size_of::<u64>() + BYTES_PER_ANSWER;
    let Some(table) = m.run.tables.by_number(number) else { return Ok(Next::False) };
    match place.and_then(|it| table.answers.get_mut(it)) {
        Some(answer) => *answer = record,
        None => {
            table.answers.push(record);
            m.control.collected_bytes += bytes;
        }
    }
    m.run.tables.note_change();
    m.check_memory(0)?;
    Ok(Next::True)
}

/// The mode of an argument of a tabled predicate: how the answers of a group are combined into one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AnswerMode {
    /// The argument distinguishes the groups.
    Index,
    First,
    Last,
    Min,
    Max,
}

/// `'$table_join'(Table, Modes, Answer)`: compares the answer with the one of its group, and replaces that if
/// the new one is better. Fails otherwise.
fn join(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let (number, modes, answer) = (m.arg(a, 0), m.arg(a, 1), m.arg(a, 2));
    let is_first = m.run.tables.by_number(number).is_some_and(|it| it.n_evaluations == 1);
    let mut known = Vec::new();
    for mode in m.list_arg(modes)? {
        let name = mode.as_atom().map_or("", |it| m.atoms.text(it));
        known.push(match name {
            "index" => AnswerMode::Index,
            "last" if is_first => AnswerMode::Last,
            "min" => AnswerMode::Min,
            "max" => AnswerMode::Max,
            _ => AnswerMode::First,
        });
    }
    let (module, plain) = m.strip_module(m.context, answer);
    let new: Vec<Value> = (0..known.len()).map(|n| m.heap.arg(plain, n)).collect();
    let own: Vec<Value> =
        new.iter().zip(&known).filter(|it| *it.1 == AnswerMode::Index).map(|it| *it.0).collect();
    let group = m.variant(&own)?;
    let n_words = group.len();
    let Some(table) = m.run.tables.by_number(number) else { return Ok(Next::False) };
    let next = table.answers.len();
    let place = *table.best.entry(group).or_insert(next);
    let Some(old) = table.answers.get(place).cloned() else {
        let record = Record::new(&m.heap, &m.atoms, answer);
        return keep(m, number, None, record, n_words);
    };
    let old = old.load(&mut m.heap);
    let (_, old) = m.strip_module(m.context, old);
    let mut is_better = false;
    let mut best = Vec::with_capacity(new.len());
    for (n, (value, mode)) in new.iter().zip(&known).enumerate() {
        let before = m.heap.arg(old, n);
        let order = compare(&m.heap, &m.atoms, *value, before);
        let takes = match mode {
            AnswerMode::Index | AnswerMode::First => false,
            AnswerMode::Last => order != Ordering::Equal,
            AnswerMode::Min => order == Ordering::Less,
            AnswerMode::Max => order == Ordering::Greater,
        };
        is_better |= takes;
        best.push(if takes { *value } else { before });
    }
    let View::Struct(functor, _) = plain.view() else { return Ok(Next::False) };
    if !is_better {
        return Ok(Next::False);
    }
    let best = m.heap.structure(functor, &best);
    let best = m.heap.structure(FunctorId::QUALIFIED, &[Value::atom(module), best]);
    let record = Record::new(&m.heap, &m.atoms, best);
    keep(m, number, Some(place), record, n_words)
}

/// `'$table_improve'(Table, Group, Answer, Old)`: returns the answer of a group as `Old = old(Answer)`; with
/// `Old = new`, stores the answer as the group's.
fn improve(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let (number, group) = (m.arg(a, 0), m.variant(&[m.arg(a, 1)])?);
    let (answer, old) = (m.arg(a, 2), m.arg(a, 3));
    let functor = m.atoms.functor_named("old", 1);
    let n_words = group.len();
    let Some(table) = m.run.tables.by_number(number) else { return Ok(Next::False) };
    let place = table.best.get(&group).copied();
    if old.is_var() {
        let found = place.and_then(|it| table.answers.get(it).cloned());
        let Some(found) = found else { return Ok(Next::False) };
        let found = found.load(&mut m.heap);
        let found = m.heap.structure(functor, &[found]);
        return m.answer(old, found);
    }
    if place.is_none() {
        table.best.insert(group, table.answers.len());
    }
    let record = Record::new(&m.heap, &m.atoms, answer);
    keep(m, number, place, record, n_words)
}

/// `'$table_answers'(Table, List)`: returns all answers.
fn answers(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let (list, _) = load_answers(m, m.arg(a, 0), 0, usize::MAX)?;
    let to = m.arg(a, 1);
    m.answer(to, list)
}

/// `'$table_some'(Table, N, List, Next)`: returns some answers from index `N` on, and the index of the answer
/// after them; fails if there are none.
fn some(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    const MOST: usize = 1000;
    let n = m.arg(a, 1).as_int().and_then(|it| usize::try_from(it).ok()).unwrap_or(usize::MAX);
    let (list, next) = load_answers(m, m.arg(a, 0), n, MOST)?;
    let (to, to_next) = (m.arg(a, 2), m.arg(a, 3));
    Ok((n < next && m.unify(to, list) && m.unify(to_next, Value::size(next))).into())
}

/// Loads at most `most` answers from index `from` on, as a list. Returns the index after them, too.
fn load_answers(
    m: &mut Machine,
    number: Value,
    from: usize,
    most: usize,
) -> Result<(Value, usize), Fault> {
    let Some(table) = m.run.tables.by_number(number) else { return Ok((Value::NIL, from)) };
    // The answers are moved out of the table while they are copied to the heap; nothing else uses the table
    // meanwhile.
    let records = std::mem::take(&mut table.answers);
    let to = records.len().min(from.saturating_add(most));
    let wanted = records.get(from..to).unwrap_or(&[]);
    let n_cells = wanted.iter().map(Record::size).sum::<usize>() / size_of::<Value>();
    let room = m.check_memory(n_cells * size_of::<Value>()).and_then(|()| m.charge(n_cells));
    let items: Vec<Value> = match room {
        Ok(()) => wanted.iter().map(|it| it.load(&mut m.heap)).collect(),
        Err(_) => Vec::new(),
    };
    if let Some(table) = m.run.tables.by_number(number) {
        table.answers = records;
    }
    room?;
    Ok((m.heap.list(&items), to.max(from)))
}
