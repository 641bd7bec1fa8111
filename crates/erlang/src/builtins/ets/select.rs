//! Operations with match specifications: select all, select in portions, count, delete, replace.

use crate::builtins::arithmetic::{arg, badarg};
use crate::builtins::ets::access::{Access, caused, find_by_key, follow_key, follow_order, table};
use crate::builtins::ets::rows::RowPosition;
use crate::builtins::ets::spec::{
    Called, Dialect, Effects, Program, Refusal, compile, compile_pattern, is_true, run, run_traced,
    settled,
};
use crate::builtins::ets::table::{Table, TableKind, keep_spec};
use crate::builtins::{Fault, Stop};
use crate::machine::World;
use std::sync::Arc;
use values::{AtomId, RefId, Value, equal_exact};

pub(super) fn select_all(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let id = find_by_key(w, arg(args, 0), Access::Read)?;
    let program = program_of(w, arg(args, 1))?;
    let found = results(w, id, &program)?;
    Ok(w.heap.list(&found))
}

/// `ets:select_reverse/2`. Only ordered sets are reversed.
pub(super) fn select_all_backwards(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let id = find_by_key(w, arg(args, 0), Access::Read)?;
    let program = program_of(w, arg(args, 1))?;
    let mut found = results(w, id, &program)?;
    if table(w, id)?.kind == TableKind::OrderedSet {
        found.reverse();
    }
    Ok(w.heap.list(&found))
}

pub(super) fn match_all(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    match_pattern(w, args, AtomId::DOUBLE_DOLLAR)
}

pub(super) fn match_object_all(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    match_pattern(w, args, AtomId::DOLLAR_UNDERSCORE)
}

fn match_pattern(w: &mut World, args: &[Value], result: AtomId) -> Result<Value, Fault> {
    let id = find_by_key(w, arg(args, 0), Access::Read)?;
    settled(w, arg(args, 1));
    let (program, _) = compile_pattern(w, arg(args, 1), result)?;
    let found = results(w, id, &program)?;
    Ok(w.heap.list(&found))
}

/// Compiles a specification. The empty specification, which `compile` refuses, matches nothing.
fn program_of(w: &mut World, spec: Value) -> Result<Program, Fault> {
    settled(w, spec);
    if spec.is_nil() { Ok(Program::default()) } else { Ok(compile(w, spec, Dialect::Table)?) }
}

fn results(w: &mut World, id: RefId, program: &Program) -> Result<Vec<Value>, Fault> {
    Ok(matches(w, id, program)?.into_iter().map(|it| it.1).collect())
}

/// Returns the result for each matching object, with its position.
fn matches(
    w: &mut World,
    id: RefId,
    program: &Program,
) -> Result<Vec<(RowPosition, Value)>, Fault> {
    let mut found = Vec::new();
    follow_places(w, id, program, None)?;
    for (from, to) in ranges(w, table(w, id)?, program) {
        let mut place = from;
        while place < to
            && let Some(row) = table(w, id)?.rows.get(place)
        {
            if let Some(result) = run(w, program, row)? {
                found.push((place, result));
            }
            place = table(w, id)?.rows.after(place);
        }
        if w.heap.bytes_used() > w.limits.memory_bytes {
            return Err(Stop::OutOfMemory.into());
        }
    }
    Ok(found)
}

/// Records the comparisons of keys that decide which rows the program visits: with the keys that its heads name, or,
/// if they name none, the comparisons that order all keys of the table.
fn follow_places(
    w: &mut World,
    id: RefId,
    program: &Program,
    after: Option<Value>,
) -> Result<(), Fault> {
    if w.record.is_some() {
        match program.keys(table(w, id)?.key_position) {
            Some(keys) => keys.into_iter().for_each(|it| follow_key(w, id, it, Access::Read)),
            None => follow_order(w, id, after),
        }
    }
    Ok(())
}

/// Returns the ranges of rows that can match, in ascending order: only the rows with the named keys if the heads name
/// keys, otherwise the whole table.
fn ranges(w: &World, table: &Table, program: &Program) -> Vec<(RowPosition, RowPosition)> {
    let Some(keys) = program.keys(table.key_position) else {
        return vec![(table.rows.start(), table.rows.end())];
    };
    let range =
        |key: &Value| (table.lower(&w.heap, &w.atoms, *key), table.upper(&w.heap, &w.atoms, *key));
    let mut ranges: Vec<(RowPosition, RowPosition)> = keys.iter().map(range).collect();
    ranges.sort();
    ranges.dedup();
    ranges
}

// Selection in portions

pub(super) fn select_some(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    select_portion(w, args, Direction::Forwards)
}

pub(super) fn select_some_backwards(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    select_portion(w, args, Direction::Backwards)
}

pub(super) fn match_some(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    match_portion(w, args, AtomId::DOUBLE_DOLLAR)
}

pub(super) fn match_object_some(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    match_portion(w, args, AtomId::DOLLAR_UNDERSCORE)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    Forwards,
    Backwards,
}

/// The state of a selection between two portions.
struct Walk {
    id: RefId,
    program: Arc<Program>,
    source: Value,
    limit: usize,
    direction: Direction,
    /// The key of the last visited object, and how many objects with this key were visited.
    seen: Option<(Value, usize)>,
}

fn select_portion(w: &mut World, args: &[Value], way: Direction) -> Result<Value, Fault> {
    let id = find_by_key(w, arg(args, 0), Access::Read)?;
    let source = arg(args, 1);
    let limit = badarg(arg(args, 2).as_usize().filter(|it| *it > 0))?;
    let program = Arc::new(program_of(w, source)?);
    let ordered = table(w, id)?.kind == TableKind::OrderedSet;
    let direction = if ordered { way } else { Direction::Forwards };
    portion(w, &Walk { id, program, source, limit, direction, seen: None })
}

fn match_portion(w: &mut World, args: &[Value], result: AtomId) -> Result<Value, Fault> {
    let id = find_by_key(w, arg(args, 0), Access::Read)?;
    let limit = badarg(arg(args, 2).as_usize().filter(|it| *it > 0))?;
    settled(w, arg(args, 1));
    let (program, source) = compile_pattern(w, arg(args, 1), result)?;
    let program = Arc::new(program);
    portion(w, &Walk { id, program, source, limit, direction: Direction::Forwards, seen: None })
}

/// Continues a selection. A continuation has BEAM's form, which `ets:repair_continuation/2` expects: for an ordered set
/// `{Table, LastKey, [], Limit, Spec, [], IsBackwards, Seen}`, for other tables `{Table, 0, Limit, Spec, [LastKey],
/// Seen}`.
pub(super) fn go_on(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let continuation = arg(args, 0);
    if continuation.is_atom(AtomId::END_OF_TABLE) {
        return Ok(continuation);
    }
    let parts = badarg(w.heap.elements(continuation))?.to_vec();
    let id = find_by_key(w, badarg(parts.first().copied())?, Access::Read)?;
    let (key, limit, spec, backwards, seen) = match parts.as_slice() {
        [_, key, _, limit, spec, _, backwards, seen] => (*key, limit, spec, *backwards, seen),
        [_, forwards, limit, spec, last, seen] => {
            let (key, _) = badarg(w.heap.uncons(*last))?;
            (key, limit, spec, *forwards, seen)
        }
        _ => return Err(Fault::BADARG),
    };
    let program = badarg(w.run.ets.specs.get(*spec))?;
    let limit = badarg(limit.as_usize().filter(|it| *it > 0))?;
    let direction = match backwards.as_int() {
        Some(0) => Direction::Forwards,
        Some(1) => Direction::Backwards,
        _ => return Err(Fault::BADARG),
    };
    let seen = Some((key, badarg(seen.as_usize())?));
    portion(w, &Walk { id, program, source: *spec, limit, direction, seen })
}

fn portion(w: &mut World, walk: &Walk) -> Result<Value, Fault> {
    let mut found = Vec::new();
    let end = Value::atom(AtomId::END_OF_TABLE);
    // With the keys given there are few candidates, and BEAM returns all matches in one portion.
    if walk.seen.is_none() && walk.program.keys(table(w, walk.id)?.key_position).is_some() {
        found = results(w, walk.id, &walk.program)?;
        if walk.direction == Direction::Backwards {
            found.reverse();
        }
        if found.is_empty() {
            return Ok(end);
        }
        let found = w.heap.list(&found);
        return Ok(w.heap.tuple(&[found, end]));
    }
    follow_places(w, walk.id, &walk.program, walk.seen.map(|it| it.0))?;
    let mut next = first_position(w, walk)?;
    while let Some(place) = next {
        let Some(row) = table(w, walk.id)?.rows.get(place) else { break };
        if let Some(result) = run(w, &walk.program, row)? {
            found.push(result);
        }
        if found.len() == walk.limit {
            let continuation = continuation(w, walk, place, row)?;
            let found = w.heap.list(&found);
            return Ok(w.heap.tuple(&[found, continuation]));
        }
        let rows = &table(w, walk.id)?.rows;
        next = match walk.direction {
            Direction::Forwards => Some(rows.after(place)),
            Direction::Backwards => rows.before(place),
        };
    }
    if found.is_empty() {
        return Ok(end);
    }
    let found = w.heap.list(&found);
    Ok(w.heap.tuple(&[found, end]))
}

fn first_position(w: &World, walk: &Walk) -> Result<Option<RowPosition>, Fault> {
    let table = table(w, walk.id)?;
    Ok(match (walk.direction, walk.seen) {
        (Direction::Forwards, None) => Some(table.rows.start()),
        (Direction::Backwards, None) => table.rows.before(table.rows.end()),
        (Direction::Backwards, Some((key, _))) => {
            table.rows.before(table.lower(&w.heap, &w.atoms, key))
        }
        (Direction::Forwards, Some((key, seen))) => {
            let behind = table.upper(&w.heap, &w.atoms, key);
            let mut place = table.lower(&w.heap, &w.atoms, key);
            for _ in 0..seen {
                if place >= behind {
                    break;
                }
                place = table.rows.after(place);
            }
            Some(place)
        }
    })
}

fn continuation(
    w: &mut World,
    walk: &Walk,
    place: RowPosition,
    row: Value,
) -> Result<Value, Fault> {
    if w.is_symbolic(walk.source) {
        w.look_at("a match specification that is gone on with", walk.source);
    }
    let table = table(w, walk.id)?;
    let key = badarg(table.key(&w.heap, row))?;
    let first = table.lower(&w.heap, &w.atoms, key);
    let seen = table.rows.between(first, table.rows.after(place)).len();
    let is_ordered = table.kind == TableKind::OrderedSet;
    let spec = if w.run.ets.specs.get(walk.source).is_some() {
        walk.source
    } else {
        keep_spec(w, walk.source, &walk.program)
    };
    let count = |n: usize| Value::int(i64::try_from(n).unwrap_or(i64::MAX));
    let (limit, seen) = (count(walk.limit), count(seen));
    // The reference and not the name, which another table may have when the selection continues.
    let table = Value::reference(walk.id);
    if is_ordered {
        let backwards = Value::int(i64::from(walk.direction == Direction::Backwards));
        let nil = Value::NIL;
        return Ok(w.heap.tuple(&[table, key, nil, limit, spec, nil, backwards, seen]));
    }
    let last = w.heap.list(&[key]);
    Ok(w.heap.tuple(&[table, Value::int(0), limit, spec, last, seen]))
}

// Counting, deleting, replacing

pub(super) fn count(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let id = find_by_key(w, arg(args, 0), Access::Read)?;
    let program = program_of(w, arg(args, 1))?;
    let n = results(w, id, &program)?.into_iter().filter(|it| is_true(w, *it)).count();
    Ok(Value::int(i64::try_from(n).unwrap_or(i64::MAX)))
}

pub(super) fn delete(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let id = find_by_key(w, arg(args, 0), Access::Write)?;
    let program = program_of(w, arg(args, 1))?;
    let found = matches(w, id, &program)?;
    let doomed: Vec<RowPosition> =
        found.iter().filter(|it| is_true(w, it.1)).map(|it| it.0).collect();
    let table = badarg(w.run.ets.tables.get_mut(&id))?;
    table.remove_at(&w.heap, &w.atoms, &doomed);
    Ok(Value::int(i64::try_from(doomed.len()).unwrap_or(i64::MAX)))
}

pub(super) fn replace(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let spec = arg(args, 1);
    let id = find_by_key(w, arg(args, 0), Access::Write)?;
    let table = table(w, id)?;
    if table.kind == TableKind::Bag {
        return Err(caused(w, "table_type"));
    }
    let key_position = table.key_position;
    let program = program_of(w, spec)?;
    for clause in w.heap.list_items(spec).unwrap_or_default() {
        if !keeps_key(w, clause, key_position) {
            return Err(Fault::BADARG);
        }
    }
    let found = matches(w, id, &program)?;
    let table = badarg(w.run.ets.tables.get_mut(&id))?;
    for (place, object) in &found {
        table.rows.replace(*place, *object);
    }
    Ok(Value::int(i64::try_from(found.len()).unwrap_or(i64::MAX)))
}

/// Whether a clause of `select_replace` provably leaves the key unchanged.
fn keeps_key(w: &World, clause: Value, key_position: usize) -> bool {
    let Some([head, _, body]) = w.heap.elements(clause) else { return false };
    let Some(body) = w.heap.list_items(*body) else { return false };
    let [result] = body.as_slice() else { return false };
    if result.is_atom(AtomId::DOLLAR_UNDERSCORE) {
        return true;
    }
    let key_of = |term: Value| w.heap.elements(term)?.get(key_position - 1).copied();
    let (Some(key), Some(parts)) = (key_of(*head), w.heap.elements(*result)) else { return false };
    match parts {
        [tag, constant] if tag.is_atom(AtomId::CONST) => {
            key_of(*constant).is_some_and(|it| builds_same(w, key, it, Reading::Literal))
        }
        [tuple] => {
            let Some(built) = key_of(*tuple) else { return false };
            builds_same(w, key, built, Reading::Expression)
                || match w.heap.elements(built) {
                    Some([function, position, whole]) => {
                        function.as_atom().is_some_and(|it| w.atoms.name(it) == "element")
                            && position.as_usize() == Some(key_position)
                            && whole.is_atom(AtomId::DOLLAR_UNDERSCORE)
                    }
                    _ => false,
                }
        }
        _ => false,
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Reading {
    Expression,
    Literal,
}

/// Whether a body term always builds the term that the head term matched.
fn builds_same(w: &World, head: Value, body: Value, reading: Reading) -> bool {
    let mut rest = vec![(head, body, reading)];
    while let Some((head, body, reading)) = rest.pop() {
        if let Some((body_head, body_tail)) = w.heap.uncons(body) {
            let Some((head_head, head_tail)) = w.heap.uncons(head) else { return false };
            rest.extend([(head_tail, body_tail, reading), (head_head, body_head, reading)]);
        } else if let Some(parts) = w.heap.elements(body) {
            let built = match (reading, parts) {
                (Reading::Literal, _) => parts,
                (Reading::Expression, [tag, constant]) if tag.is_atom(AtomId::CONST) => {
                    rest.push((head, *constant, Reading::Literal));
                    continue;
                }
                (Reading::Expression, [inner]) => match w.heap.elements(*inner) {
                    Some(inner) => inner,
                    None => return false,
                },
                (Reading::Expression, _) => return false,
            };
            let Some(matched) = w.heap.elements(head) else { return false };
            if matched.len() != built.len() {
                return false;
            }
            rest.extend(matched.iter().zip(built).map(|(head, body)| (*head, *body, reading)));
        } else if let Some(atom) = body.as_atom() {
            let is_special = matches!(
                atom,
                AtomId::UNDERSCORE | AtomId::DOUBLE_DOLLAR | AtomId::DOLLAR_UNDERSCORE
            );
            let name = w.atoms.name(atom);
            let is_variable = name
                .strip_prefix('$')
                .is_some_and(|it| !it.is_empty() && it.bytes().all(|digit| digit.is_ascii_digit()));
            if !head.is_atom(atom) || is_special || (reading == Reading::Literal && is_variable) {
                return false;
            }
        } else if w.heap.map_pairs(body).is_some() || !equal_exact(&w.heap, &w.atoms, head, body) {
            // A map pattern matches larger maps too, so the result may differ from the matched map.
            return false;
        }
    }
    true
}

// Compiled specifications

pub(super) fn compile_spec(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let source = arg(args, 0);
    let program = Arc::new(compile(w, source, Dialect::Table)?);
    Ok(keep_spec(w, source, &program))
}

pub(super) fn is_compiled(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    Ok(Value::bool(w.run.ets.specs.get(arg(args, 0)).is_some()))
}

/// `ets:match_spec_run_r/3`: prepends the results in reverse order to the third argument.
pub(super) fn run_spec(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let program = badarg(w.run.ets.specs.get(arg(args, 1)))?;
    let mut res = arg(args, 2);
    for term in badarg(w.heap.list_items(arg(args, 0)))? {
        if let Some(result) = run(w, &program, term)? {
            res = w.heap.cons(result, res);
        }
    }
    Ok(res)
}

pub(super) fn test_spec(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let (term, spec) = (arg(args, 0), arg(args, 1));
    let dialect = match arg(args, 2).as_atom().map(|it| w.atoms.name(it)) {
        Some("table") => Dialect::Table,
        Some("trace") if term.is_cons() || term.is_nil() => Dialect::Trace,
        _ => return Err(Fault::BADARG),
    };
    match compile(w, spec, dialect) {
        Ok(program) => {
            let (result, flags) = try_out(w, &program, term, dialect)?;
            Ok(w.heap.tuple(&[Value::atom(AtomId::OK), result, flags, Value::NIL]))
        }
        Err(Refusal::Stop(stop)) => Err(stop.into()),
        Err(refusal) => {
            let complaints = match refusal {
                Refusal::Wrong(complaints) => complaints,
                _ => vec!["Excessive nesting; system limit reached".to_owned()],
            };
            let error = Value::atom(AtomId::ERROR);
            let mut items = Vec::with_capacity(complaints.len());
            for complaint in complaints {
                let codes: Vec<Value> =
                    complaint.chars().map(|it| Value::int(i64::from(u32::from(it)))).collect();
                let text = w.heap.list(&codes);
                items.push(w.heap.tuple(&[error, text]));
            }
            let items = w.heap.list(&items);
            Ok(w.heap.tuple(&[error, items]))
        }
    }
}

/// Runs a specification for a test. Returns its result and the trace flags that it would set.
fn try_out(
    w: &mut World,
    program: &Program,
    term: Value,
    dialect: Dialect,
) -> Result<(Value, Value), Fault> {
    if dialect == Dialect::Table {
        return Ok((run(w, program, term)?.unwrap_or(Value::FALSE), Value::NIL));
    }
    let undefined = Value::atom(AtomId::UNDEFINED);
    let called = Called { caller: undefined, caller_line: undefined, stack: Value::NIL };
    let mut effects = Effects { is_test: true, ..Effects::default() };
    let result = match run_traced(w, program, term, called, &mut effects)? {
        Some(_) => effects.message.unwrap_or(Value::TRUE),
        None => Value::FALSE,
    };
    let wanted = [(effects.returns, "return_trace"), (effects.exceptions, "exception_trace")];
    let wanted = wanted.into_iter().filter(|it| it.0);
    let flags: Vec<Value> = wanted.map(|it| Value::atom(w.atoms.intern(it.1))).collect();
    Ok((result, w.heap.list(&flags)))
}
