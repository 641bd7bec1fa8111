//! Control: calling goals, exceptions, and collecting answers.

use crate::builtins::{Row, iso, row};
use crate::data::{AtomId, FunctorId, Record, Trailed, Value, View};
use crate::machine::throw::BYTES_PER_ANSWER;
use crate::machine::{Fault, Machine, Next, Stop};

pub(super) const ROWS: &[Row] = &[
    iso("call", 1, |m, a| m.call_n(a, 1)),
    iso("call", 2, |m, a| m.call_n(a, 2)),
    iso("call", 3, |m, a| m.call_n(a, 3)),
    iso("call", 4, |m, a| m.call_n(a, 4)),
    iso("call", 5, |m, a| m.call_n(a, 5)),
    iso("call", 6, |m, a| m.call_n(a, 6)),
    iso("call", 7, |m, a| m.call_n(a, 7)),
    iso("call", 8, |m, a| m.call_n(a, 8)),
    iso(":", 2, |m, a| {
        let goal = [m.arg(a, 0), m.arg(a, 1)];
        let goal = m.heap.structure(FunctorId::QUALIFIED, &goal);
        m.run_body(m.context, goal, m.control.choices.len())?;
        Ok(Next::Jump)
    }),
    iso("catch", 3, |m, a| m.catch(a)),
    iso("throw", 1, throw),
    iso("true", 0, |_, _| Ok(Next::True)),
    iso("otherwise", 0, |_, _| Ok(Next::True)),
    iso("fail", 0, |_, _| Ok(Next::False)),
    iso("false", 0, |_, _| Ok(Next::False)),
    row("$halt", 1, halt),
    row("$body", 3, body),
    row("$call_cleanup", 3, |m, a| m.call_cleanup(a)),
    row("$det_goal", 1, |m, a| m.call_as_checked(a)),
    row("$limit_start", 2, |m, a| {
        let (limit, to) = (m.arg(a, 0), m.arg(a, 1));
        let limit = u64::try_from(m.int_arg(limit)?).unwrap_or(0);
        m.control.goal_limits.push(m.control.steps.saturating_add(limit));
        m.control.check_at = 0;
        m.answer(to, Value::size(m.control.goal_limits.len() - 1))
    }),
    row("$limit_end", 1, |m, a| {
        let n = m.arg(a, 0).as_int().and_then(|it| usize::try_from(it).ok()).unwrap_or(0);
        m.control.goal_limits.truncate(n);
        Ok(Next::True)
    }),
    row("$match", 2, match_head),
    row("$subsumes", 2, subsumes),
    row("$findall_start", 0, |m, _| {
        m.control.collectors.push(Vec::new());
        Ok(Next::True)
    }),
    row("$findall_add", 1, findall_add),
    row("$findall_collect", 2, findall_collect),
    row("thread_create", 2, |_, _| unsupported("thread_create/2", "threads")),
    row("thread_create", 3, |_, _| unsupported("thread_create/3", "threads")),
    row("thread_create", 4, |_, _| unsupported("thread_create/4", "threads")),
    row("thread_join", 1, |_, _| unsupported("thread_join/1", "threads")),
    row("thread_join", 2, |_, _| unsupported("thread_join/2", "threads")),
    row("thread_send_message", 2, |_, _| unsupported("thread_send_message/2", "threads")),
    row("thread_get_message", 1, |_, _| unsupported("thread_get_message/1", "threads")),
    row("thread_get_message", 2, |_, _| unsupported("thread_get_message/2", "threads")),
    row("message_queue_create", 1, |_, _| unsupported("message_queue_create/1", "threads")),
    row("message_queue_create", 1, |_, _| unsupported("message_queue_create/1", "threads")),
    row("message_queue_create", 2, |_, _| unsupported("message_queue_create/2", "threads")),
    row("message_queue_destroy", 1, |_, _| unsupported("message_queue_destroy/1", "threads")),
    row("thread_get_message", 3, |_, _| unsupported("thread_get_message/3", "threads")),
    row("thread_send_message", 1, |_, _| unsupported("thread_send_message/1", "threads")),
    row("thread_peek_message", 1, |_, _| unsupported("thread_peek_message/1", "threads")),
    row("thread_peek_message", 2, |_, _| unsupported("thread_peek_message/2", "threads")),
    row("engine_create", 3, |_, _| unsupported("engine_create/3", "engines")),
    row("engine_create", 4, |_, _| unsupported("engine_create/4", "engines")),
    row("reset", 3, |_, _| unsupported("reset/3", "delimited continuations")),
    row("shift", 1, |_, _| unsupported("shift/1", "delimited continuations")),
    row("dict_pairs", 3, |_, _| unsupported("dict_pairs/3", "dicts")),
    row("dict_create", 3, |_, _| unsupported("dict_create/3", "dicts")),
    row("get_dict", 3, |_, _| unsupported("get_dict/3", "dicts")),
    row("put_dict", 4, |_, _| unsupported("put_dict/4", "dicts")),
    row("undefined", 0, |_, _| unsupported("undefined/0", "undefined truth values")),
    row("$choices", 1, |m, a| {
        let n = Value::size(m.control.choices.len());
        let to = m.arg(a, 0);
        m.answer(to, n)
    }),
    row("dcg_translate_rule", 2, |m, a| {
        if m.arg(a, 0).is_var() && m.arg(a, 1).is_var() {
            return Err(m.instantiation_error());
        }
        let rule = m.arg(a, 0);
        if !rule.is_struct(FunctorId::GRAMMAR) {
            return Ok(Next::False);
        }
        let clause = m.translate_rule(rule)?;
        let to = m.arg(a, 1);
        m.answer(to, clause)
    }),
    row("garbage_collect", 0, |_, _| Ok(Next::True)),
    row("prompt", 2, |_, _| Ok(Next::True)),
    row("$unbind_template", 1, unbind_template),
];

/// Stops the run because a predicate needs a feature that the machine lacks. A program could not react to an
/// exception in a useful way.
fn unsupported(predicate: &str, what: &str) -> Result<Next, Fault> {
    Err(Stop::Refused(format!("{predicate}: {what} are not supported")).into())
}

fn throw(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let ball = m.arg(a, 0);
    if ball.is_var() {
        return Err(m.instantiation_error());
    }
    // An error that a predicate of the prelude throws without context gets the context of the builtin that it
    // implements.
    let is_ours = m.context == AtomId::SYSTEM && ball.is_struct(FunctorId::ERROR_2);
    if is_ours
        && m.heap.arg(ball, 1).is_var()
        && let Some(context) = m.system_context()
    {
        let formal = m.heap.arg(ball, 0);
        return Err(Fault::Ball(m.heap.structure(FunctorId::ERROR_2, &[formal, context])));
    }
    Err(Fault::Ball(ball))
}

fn halt(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let status = m.arg(a, 0);
    let status = m.int_arg(status)?;
    Err(Stop::Halt(status).into())
}

/// `'$match'(Actual, Head)`: unifies, and succeeds only if that binds no variable of the actual goal.
///
/// The calling clause builds both terms, the actual goal first, so variables older than the head belong to
/// the caller. The trail tells which variables were bound, so the cost does not depend on the size of the
/// arguments.
fn match_head(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let (actual, head) = (m.arg(a, 0), m.arg(a, 1));
    let (own, n_trailed) = (head.address(), m.heap.trail.len());
    if own <= actual.address() {
        return subsumes(m, a);
    }
    let old = std::mem::replace(&mut m.heap.old, usize::MAX);
    let holds = m.unify(actual, head);
    m.heap.old = old;
    let is_callers = |it: &Trailed| match it {
        Trailed::Bound(at) | Trailed::Changed(at, _) => *at < own,
        Trailed::Global(..) => false,
    };
    let since = m.heap.trail.get(n_trailed..).unwrap_or(&[]);
    if !holds || since.iter().any(is_callers) {
        return Ok(Next::False);
    }
    // Bindings of variables younger than every choice point need no trail entry.
    let needed = |it: &Trailed| match it {
        Trailed::Bound(at) | Trailed::Changed(at, _) => *at < old,
        Trailed::Global(..) => true,
    };
    let kept: Vec<Trailed> = m.heap.trail.drain(n_trailed..).filter(needed).collect();
    m.heap.trail.extend(kept);
    Ok(Next::True)
}

/// `'$subsumes'(Specific, General)`: unifies, and succeeds only if that binds no variable of the specific
/// term.
fn subsumes(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let (actual, pattern) = (m.arg(a, 0), m.arg(a, 1));
    let vars = m.variables(actual);
    if !m.unify(actual, pattern) {
        return Ok(Next::False);
    }
    let mut seen = rustc_hash::FxHashSet::default();
    let apart = |it: &Value| {
        let value = m.heap.deref(*it);
        value.is_var() && seen.insert(value.address())
    };
    Ok(vars.iter().all(apart).into())
}

/// `'$body'(Goal, Module, Barrier)`: calls a goal inside a control construct.
fn body(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let (goal, module, barrier) = (m.arg(a, 0), m.arg(a, 1), m.arg(a, 2));
    let View::Atom(module) = module.view() else { return Ok(Next::False) };
    let barrier = barrier.as_int().and_then(|it| usize::try_from(it).ok()).unwrap_or(0);
    m.run_body(module, goal, barrier)?;
    Ok(Next::Jump)
}

fn findall_add(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let record = Record::with_attributes(&m.heap, &m.atoms, m.arg(a, 0));
    m.control.collected_bytes += record.size() + BYTES_PER_ANSWER;
    m.check_memory(0)?;
    if let Some(results) = m.control.collectors.last_mut() {
        results.push(record);
    }
    Ok(Next::False)
}

/// `'$findall_collect'(List, Tail)`: returns the collected answers as a list with a tail.
fn findall_collect(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let results = m.control.collectors.pop().unwrap_or_default();
    let bytes: usize = results.iter().map(|it| it.size() + BYTES_PER_ANSWER).sum();
    m.control.collected_bytes = m.control.collected_bytes.saturating_sub(bytes);
    m.check_memory(bytes)?;
    let items: Vec<_> = results.iter().map(|it| it.load(&mut m.heap)).collect();
    let (to, tail) = (m.arg(a, 0), m.arg(a, 1));
    let list = m.heap.partial_list(&items, tail);
    m.answer(to, list)
}

/// `'$unbind_template'(Template)`: makes the arguments of the template fresh variables again.
fn unbind_template(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let template = m.arg(a, 0);
    let View::Struct(functor, at) = template.view() else { return Ok(Next::True) };
    for n in 0..m.atoms.arity(functor) {
        let mut at = at + n;
        while m.heap.cell(at).tag() == crate::data::Tag::Ref && m.heap.cell(at).address() != at {
            at = m.heap.cell(at).address();
        }
        m.heap.change(at, Value::reference(at));
    }
    Ok(Next::True)
}
