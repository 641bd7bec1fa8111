//! Tables: the answers of tabled predicates, by variant of the call. How they are found is the
//! prelude's business.

use crate::builtins::{Row, row};
use crate::data::{Record, Value};
use crate::machine::{Fault, Machine, Next, Stop};
use crate::text::{WriteOptions, write_term};
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) const ROWS: &[Row] = &[
    row("$table_state", 2, state),
    row("$table_start", 1, start),
    row("$table_first", 1, |m, a| {
        let key = m.variant_text(m.arg(a, 0));
        Ok(m.tables.by_call.get(&key).is_some_and(|it| it.first_round == it.round).into())
    }),
    row("$table_add", 2, add),
    row("$table_improve", 4, improve),
    row("$table_answers", 2, answers),
    row("$table_changed", 0, |m, _| {
        let changed = std::mem::take(&mut m.tables.changed);
        m.tables.round += 1;
        Ok(changed.into())
    }),
    row("$table_complete", 0, |m, _| {
        let level = m.tables.outer.len();
        let own = m.tables.by_call.values_mut().filter(|it| level <= it.level);
        own.for_each(|it| it.is_complete = true);
        m.tables.leading = false;
        Ok(Next::True)
    }),
    row("$table_abandon", 0, |m, _| {
        let level = m.tables.outer.len();
        m.tables.by_call.retain(|_, it| it.is_complete || it.level < level);
        m.tables.leading = false;
        Ok(Next::True)
    }),
    // What is inside is evaluated completely, whatever goes on outside.
    row("$table_nest", 0, |m, _| {
        let outside = (m.tables.leading, m.tables.changed, m.tables.round);
        m.tables.outer.push(outside);
        (m.tables.leading, m.tables.changed) = (false, false);
        Ok(Next::True)
    }),
    row("$table_unnest", 0, |m, _| {
        if let Some(outside) = m.tables.outer.pop() {
            (m.tables.leading, m.tables.changed, m.tables.round) = outside;
        }
        Ok(Next::True)
    }),
    row("$table_answer", 3, answer),
    row("abolish_all_tables", 0, |m, _| {
        m.tables = Tables::default();
        Ok(Next::True)
    }),
];

#[derive(Clone, Debug, Default)]
pub struct Tables {
    by_call: FxHashMap<String, Table>,
    /// A tabled call is being evaluated.
    leading: bool,
    /// An answer was new in this round.
    changed: bool,
    round: u64,
    /// What was going on outside of the negations that are being evaluated.
    outer: Vec<(bool, bool, u64)>,
}

#[derive(Clone, Debug, Default)]
struct Table {
    answers: Vec<Record>,
    known: FxHashSet<String>,
    /// Answers with a mode: where the one of a group is.
    best: FxHashMap<String, usize>,
    is_complete: bool,
    /// In how many negations it is evaluated.
    level: usize,
    first_round: u64,
    /// The round in which its clauses were last run.
    round: u64,
}

impl Machine {
    /// Equal for terms that differ in the names of variables only.
    fn variant_text(&self, term: Value) -> String {
        let mut names = FxHashMap::default();
        for (n, var) in self.variables(term).into_iter().enumerate() {
            names.insert(var.address(), format!("_{n}"));
        }
        let options = WriteOptions {
            quoted: true,
            ignore_ops: true,
            numbervars: false,
            names,
            ..WriteOptions::default()
        };
        write_term(&self.heap, &self.atoms, &self.ops, &options, term)
    }
}

/// `'$table_state'(Call, State)`: `complete`, `running` in this round, `lead` or `follow`.
fn state(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let key = m.variant_text(m.arg(a, 0));
    let name = match m.tables.by_call.get(&key) {
        Some(table) if table.is_complete => "complete",
        Some(table) if table.level < m.tables.outer.len() => {
            let why = "tnot/1: a call that depends on its own negation needs well-founded semantics, \
                       which are not supported";
            return Err(Stop::Refused(why.to_owned()).into());
        }
        Some(table) if table.round == m.tables.round => "running",
        Some(_) => "follow",
        None if m.tables.leading => "follow",
        None => "lead",
    };
    let name = m.atom_named(name);
    let to = m.arg(a, 1);
    m.answer(to, name)
}

/// `'$table_start'(Call)`: its clauses are run in this round.
fn start(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let key = m.variant_text(m.arg(a, 0));
    m.tables.leading = true;
    let (round, level) = (m.tables.round, m.tables.outer.len());
    let new = || Table { first_round: round, level, ..Table::default() };
    m.tables.by_call.entry(key).or_insert_with(new).round = round;
    Ok(Next::True)
}

/// `'$table_add'(Call, Answer)`: fails if the answer is known.
fn add(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let key = m.variant_text(m.arg(a, 0));
    let answer = m.arg(a, 1);
    let text = m.variant_text(answer);
    let record = Record::new(&m.heap, &m.atoms, answer);
    let bytes = record.size() + text.len() * 2 + 64;
    let Some(table) = m.tables.by_call.get_mut(&key) else { return Ok(Next::False) };
    if !table.known.insert(text) {
        return Ok(Next::False);
    }
    table.answers.push(record);
    m.tables.changed = true;
    m.collected_bytes += bytes;
    m.check_memory(0)?;
    Ok(Next::True)
}

/// `'$table_improve'(Call, Group, Answer, Old)`: the answer of a group, if there is one, as
/// `Old = old(Answer)`; `Old = new` puts the answer there.
fn improve(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let key = m.variant_text(m.arg(a, 0));
    let group = m.variant_text(m.arg(a, 1));
    let (answer, old) = (m.arg(a, 2), m.arg(a, 3));
    let functor = m.atoms.functor_named("old", 1);
    let record = Record::new(&m.heap, &m.atoms, answer);
    let Some(table) = m.tables.by_call.get_mut(&key) else { return Ok(Next::False) };
    let place = table.best.get(&group).copied();
    if old.is_var() {
        let found = place.and_then(|it| table.answers.get(it).cloned());
        let Some(found) = found else { return Ok(Next::False) };
        let found = found.load(&mut m.heap);
        let found = m.heap.structure(functor, &[found]);
        return m.answer(old, found);
    }
    match place.and_then(|it| table.answers.get_mut(it)) {
        Some(answer) => *answer = record,
        None => {
            table.best.insert(group, table.answers.len());
            table.answers.push(record);
        }
    }
    m.tables.changed = true;
    Ok(Next::True)
}

/// `'$table_answers'(Call, List)`
fn answers(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let key = m.variant_text(m.arg(a, 0));
    let records = m.tables.by_call.get(&key).map(|it| it.answers.clone()).unwrap_or_default();
    let bytes: usize = records.iter().map(Record::size).sum();
    m.check_memory(bytes)?;
    let items: Vec<Value> = records.iter().map(|it| it.load(&mut m.heap)).collect();
    let list = m.heap.list(&items);
    let to = m.arg(a, 1);
    m.answer(to, list)
}

/// `'$table_answer'(Call, N, Answer)`: the n-th answer so far.
fn answer(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let key = m.variant_text(m.arg(a, 0));
    let n = m.arg(a, 1).as_int().and_then(|it| usize::try_from(it).ok()).unwrap_or(usize::MAX);
    let found = m.tables.by_call.get(&key).and_then(|it| it.answers.get(n)).cloned();
    let Some(found) = found else { return Ok(Next::False) };
    let found = found.load(&mut m.heap);
    let to = m.arg(a, 2);
    m.answer(to, found)
}
