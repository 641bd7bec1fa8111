//! Runs a compiled match specification on one term.

use crate::builtins::How;
use crate::builtins::ets::spec::inputs;
use crate::builtins::ets::spec::{Action, Called, Clause, Effects, Expr, Pattern, Program, Slot};
use crate::builtins::{Fault, Stop};
use crate::machine::World;
use term::Op;
use values::{AtomId, Value, View};

/// Returns the result of the first clause that matches, or `None` if none does.
pub(in crate::builtins::ets) fn run(
    w: &mut World,
    program: &Program,
    term: Value,
) -> Result<Option<Value>, Fault> {
    let called = Called { caller: Value::NIL, caller_line: Value::NIL, stack: Value::NIL };
    run_traced(w, program, term, called, &mut Effects::default())
}

/// Runs a specification on a traced call, and also records the effects that its clause asks for.
pub(crate) fn run_traced(
    w: &mut World,
    program: &Program,
    term: Value,
    called: Called,
    effects: &mut Effects,
) -> Result<Option<Value>, Fault> {
    for clause in &program.clauses {
        let slots = vec![Value::NIL; clause.n_slots];
        let mut matching =
            Matching { program, clause, term, slots, called, effects: &mut *effects };
        if !matching.head(w, &clause.head, term) || !matching.guards(w)? {
            continue;
        }
        let mut res = Value::TRUE;
        for expr in &clause.body {
            res = matching.value(w, expr, Context::Body)?.unwrap_or(Value::TRUE);
        }
        return Ok(Some(res));
    }
    Ok(None)
}

struct Matching<'a> {
    program: &'a Program,
    clause: &'a Clause,
    term: Value,
    slots: Vec<Value>,
    called: Called,
    effects: &'a mut Effects,
}

/// Where an expression is evaluated, which decides the effect of a failing call.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Context {
    /// In a guard: the guard fails.
    Guard,
    /// In a body: the call's value is `'EXIT'`, and the body continues.
    Body,
}

impl Matching<'_> {
    fn slot(&self, slot: Slot) -> Value {
        self.slots.get(slot.0 as usize).copied().unwrap_or(Value::NIL)
    }

    fn head(&mut self, w: &mut World, pattern: &Pattern, value: Value) -> bool {
        match pattern {
            Pattern::Any => true,
            Pattern::Bind(slot) => {
                if let Some(place) = self.slots.get_mut(slot.0 as usize) {
                    *place = value;
                }
                true
            }
            Pattern::Same(slot) => inputs::same(w, self.slot(*slot), value),
            Pattern::Const(id) => {
                let constant = self.program.constant(*id);
                // OTP compares the bits of floats here, so the sign of zero counts.
                match (constant.view(), value.view()) {
                    (View::Float(a), View::Float(b)) => a.to_bits() == b.to_bits(),
                    _ => inputs::same(w, constant, value),
                }
            }
            Pattern::Tuple(patterns) => {
                let n = patterns.len();
                if !inputs::is_tuple(w, value, n) {
                    return false;
                }
                patterns.iter().enumerate().all(|(at, pattern)| {
                    let found = w.heap.elements(value).and_then(|it| it.get(at)).copied();
                    let selector = Op::Element(u32::try_from(at).unwrap_or(u32::MAX));
                    found.is_some_and(|it| {
                        let part = inputs::part(w, value, selector, it);
                        self.head(w, pattern, part)
                    })
                })
            }
            Pattern::List(patterns, tail) => {
                let mut rest = value;
                for pattern in patterns {
                    let Some((head, tail)) = inputs::uncons(w, rest) else { return false };
                    if !self.head(w, pattern, head) {
                        return false;
                    }
                    rest = tail;
                }
                self.head(w, tail, rest)
            }
            Pattern::Map(pairs) => {
                let View::Map(at) = value.view() else {
                    return w.is_kind(value, term::Kind::Map, false);
                };
                w.is_kind(value, term::Kind::Map, true);
                pairs.iter().all(|(key, pattern)| {
                    let key = self.program.constant(*key);
                    let found = w.heap.map_get(&w.atoms, at, key);
                    let found = inputs::under(w, (value, key), found);
                    found.is_some_and(|it| self.head(w, pattern, it))
                })
            }
        }
    }

    fn guards(&mut self, w: &mut World) -> Result<bool, Fault> {
        for guard in &self.clause.guards {
            let value = self.value(w, guard, Context::Guard)?;
            if !value.is_some_and(|it| inputs::is_true(w, it)) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Evaluates an expression; `None` if a call failed in a guard.
    fn value(
        &mut self,
        w: &mut World,
        expr: &Expr,
        context: Context,
    ) -> Result<Option<Value>, Fault> {
        Ok(match expr {
            Expr::Const(id) => Some(self.program.constant(*id)),
            Expr::Slot(slot) => Some(self.slot(*slot)),
            Expr::Whole => Some(self.term),
            Expr::Bindings => {
                let items: Vec<Value> =
                    self.clause.bindings.iter().map(|it| self.slot(*it)).collect();
                Some(w.heap.list(&items))
            }
            Expr::CurrentProcess => Some(Value::pid(w.run.current)),
            Expr::Tuple(items) => self.values(w, items, context)?.map(|items| w.heap.tuple(&items)),
            Expr::List(items, tail) => {
                let Some(items) = self.values(w, items, context)? else { return Ok(None) };
                let Some(tail) = self.value(w, tail, context)? else { return Ok(None) };
                Some(w.heap.list_with_tail(&items, tail))
            }
            Expr::Map(pairs) => {
                let mut built = Vec::with_capacity(pairs.len());
                for (key, value) in pairs {
                    let Some(key) = self.value(w, key, context)? else { return Ok(None) };
                    let Some(value) = self.value(w, value, context)? else { return Ok(None) };
                    built.push((key, value));
                }
                Some(w.heap.map(&w.atoms, built))
            }
            Expr::Call(builtin, args) => {
                let Some(args) = self.values(w, args, context)? else { return Ok(None) };
                let How::Native(run) = builtin.how else { return Ok(failed(context)) };
                let found = match run(w, &args) {
                    Ok(value) => Some(value),
                    Err(Fault::Stop(stop)) => return Err(Fault::Stop(stop)),
                    Err(_) => None,
                };
                let followed = match w.following() {
                    Some(mut lifting) => lifting.lifted(builtin, &args, found),
                    None => found,
                };
                followed.or_else(|| failed(context))
            }
            Expr::And(args) => self.all_of(w, args, context, |values| !values.contains(&false))?,
            Expr::Or(args) => self.all_of(w, args, context, |values| values.contains(&true))?,
            Expr::AndAlso(args) => self.one_of(w, args, context, false)?,
            Expr::OrElse(args) => self.one_of(w, args, context, true)?,
            Expr::Act(action, args) => {
                let Some(args) = self.values(w, args, context)? else { return Ok(None) };
                match self.act(w, *action, &args)? {
                    Some(value) => Some(value),
                    None => failed(context),
                }
            }
        })
    }

    /// Performs an action; `None` if its arguments are wrong.
    fn act(
        &mut self,
        w: &mut World,
        action: Action,
        args: &[Value],
    ) -> Result<Option<Value>, Fault> {
        let first = args.first().copied().unwrap_or(Value::NIL);
        Ok(match action {
            Action::Message => {
                self.effects.message = Some(first);
                Some(Value::TRUE)
            }
            Action::ReturnTrace => {
                self.effects.returns = true;
                Some(Value::TRUE)
            }
            Action::ExceptionTrace => {
                self.effects.exceptions = true;
                Some(Value::TRUE)
            }
            // Output for the terminal of the runtime system is dropped.
            Action::Display => Some(Value::TRUE),
            Action::ProcessDump => {
                let text = format!("=proc:<0.{}.0>\nState: Running\n", w.run.current.0);
                Some(w.heap.binary(text.as_bytes()))
            }
            Action::Caller => Some(self.called.caller),
            Action::CallerLine => Some(self.called.caller_line),
            Action::CurrentStacktrace => {
                let frames = w.heap.list_items(self.called.stack).unwrap_or_default();
                let most = match args {
                    [most] => match most.as_usize() {
                        Some(most) => most,
                        None => return Ok(None),
                    },
                    _ => frames.len(),
                };
                Some(w.heap.list(frames.get(..most.min(frames.len())).unwrap_or_default()))
            }
            Action::IsSeqTrace => Some(Value::FALSE),
            Action::GetSeqToken => Some(Value::NIL),
            Action::SetSeqToken if self.effects.is_test => Some(Value::TRUE),
            Action::SetSeqToken => {
                let what = "sequential tracing in a match specification".to_owned();
                return Err(Stop::Unsupported { what }.into());
            }
            Action::GetControlWord => Some(Value::int(i64::from(w.tracing_control_word()))),
            Action::SetControlWord => {
                let Some(new) = first.as_int().and_then(|it| u32::try_from(it).ok()) else {
                    return Ok(None);
                };
                let old = w.tracing_control_word();
                if !self.effects.is_test {
                    w.set_tracing_control_word(new);
                }
                Some(Value::int(i64::from(old)))
            }
            Action::Silent => {
                if let (Some(silent), false) = (first.as_bool(), self.effects.is_test) {
                    w.trace_silently(silent);
                }
                Some(first)
            }
            Action::EnableTrace | Action::DisableTrace | Action::Trace if self.effects.is_test => {
                Some(Value::TRUE)
            }
            Action::EnableTrace => w.enable_trace(args),
            Action::DisableTrace => w.disable_trace(args),
            Action::Trace => w.change_trace(args),
        })
    }

    fn values(
        &mut self,
        w: &mut World,
        exprs: &[Expr],
        context: Context,
    ) -> Result<Option<Vec<Value>>, Fault> {
        exprs.iter().map(|it| self.value(w, it, context)).collect()
    }

    /// Evaluates `and` or `or`: all arguments are evaluated and must be booleans.
    fn all_of(
        &mut self,
        w: &mut World,
        args: &[Expr],
        context: Context,
        decide: fn(&[bool]) -> bool,
    ) -> Result<Option<Value>, Fault> {
        let Some(values) = self.values(w, args, context)? else { return Ok(None) };
        let booleans: Option<Vec<bool>> = values.iter().map(|it| inputs::truth(w, *it)).collect();
        Ok(match booleans {
            Some(booleans) => Some(Value::bool(decide(&booleans))),
            None => failed(context),
        })
    }

    /// Evaluates `andalso` or `orelse`: the result is the first argument equal to `decides`, or else the last, of any
    /// type.
    fn one_of(
        &mut self,
        w: &mut World,
        args: &[Expr],
        context: Context,
        decides: bool,
    ) -> Result<Option<Value>, Fault> {
        let Some((last, first)) = args.split_last() else { return Ok(None) };
        for arg in first {
            let Some(value) = self.value(w, arg, context)? else { return Ok(None) };
            match inputs::truth(w, value) {
                Some(value) if value == decides => return Ok(Some(Value::bool(value))),
                Some(_) => {}
                None => return Ok(failed(context)),
            }
        }
        self.value(w, last, context)
    }
}

fn failed(context: Context) -> Option<Value> {
    match context {
        Context::Guard => None,
        Context::Body => Some(Value::atom(AtomId::EXIT_SIGNAL)),
    }
}
