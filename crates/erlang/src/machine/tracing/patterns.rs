//! `trace_pattern`: selects the traced functions, and inserts stubs that are executed before them.

use crate::builtins::ets::spec::{Dialect, compile};
use crate::builtins::{Fault, Stop};
use crate::code::{FnId, FunctionInfo, Ins, Scope};
use crate::host::HostAnswer;
use crate::machine::tracing::flags::tracer;
use crate::machine::tracing::{CallCount, MatchSpec, Mfa, Reporting, Tracing};
use crate::machine::{Machine, World};
use std::sync::Arc;
use term::fit_u32;
use term::{Atom, Term};
use values::{AtomId, PidId, Value};

/// The change that `trace_pattern` makes to the matching functions.
struct PatternChange {
    how: PatternAction,
    source: Option<MatchSpec>,
    /// Whether only calls through exports are traced; the other kinds concern all calls.
    global: bool,
    local: bool,
    meta: Option<PidId>,
    count: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum PatternAction {
    On,
    Off,
    Restart,
    Pause,
}

impl Machine {
    /// `erlang:trace_pattern/2` and `/3`.
    pub(in crate::machine) fn trace_pattern(&mut self, args: &[Value]) -> Result<HostAnswer, Stop> {
        let (Some(what), Some(pattern)) = (args.first(), args.get(1)) else {
            return Ok(badarg());
        };
        let flags = args.get(2).copied().unwrap_or(Value::NIL);
        let change = match read(&mut self.world, *pattern, flags) {
            Ok(change) => change,
            Err(Fault::Stop(stop)) => return Err(*stop),
            Err(_) => return Ok(badarg()),
        };
        let n = if what.as_atom().is_some() {
            match self.trace_event(*what, &change)? {
                Some(n) => n,
                None => return Ok(badarg()),
            }
        } else {
            let Some(wanted) = CallPattern::read(&self.world, *what) else { return Ok(badarg()) };
            // OTP's own modules count as loaded.
            if let Some(module) = wanted.module {
                self.load(module).map_err(|it| Stop::Unsupported { what: it.to_string() })?;
            }
            let calls = self.matching(&wanted, &change);
            for call in &calls {
                self.watch(*call, &change);
            }
            calls.len()
        };
        Ok(HostAnswer::Value(Term::Int(i64::try_from(n).unwrap_or(i64::MAX))))
    }

    /// Switches the reports of sent or received messages. Match specifications for messages are not supported.
    fn trace_event(&mut self, what: Value, change: &PatternChange) -> Result<Option<usize>, Stop> {
        let name = what.as_atom().map(|it| self.world.atoms.name(it).to_owned());
        let plain = change.source.is_none() && !change.local && !change.count;
        match name.as_deref() {
            Some("send" | "receive") if !plain => {
                let what = "a match specification for messages".to_owned();
                Err(Stop::Unsupported { what })
            }
            Some(event @ ("send" | "receive")) => {
                let heard =
                    if change.how == PatternAction::Off { Reporting::No } else { Reporting::Yes };
                let tracing = self.world.tracing();
                if event == "send" {
                    tracing.hears_sends = heard;
                } else {
                    tracing.hears_receives = heard;
                }
                Ok(Some(1))
            }
            Some("on_load") => {
                let what = "tracing of modules to come".to_owned();
                Err(Stop::Unsupported { what })
            }
            _ => Ok(None),
        }
    }

    /// The matching functions and builtins.
    fn matching(&self, wanted: &CallPattern, change: &PatternChange) -> Vec<Mfa> {
        let mut res: Vec<Mfa> = Vec::new();
        let builtins = self.program.builtin_ids.keys();
        res.extend(builtins.filter(|it| wanted.matches(**it)));
        let is_global = change.is_global();
        let modules = self.program.modules.keys().copied();
        let mut modules: Vec<AtomId> =
            modules.filter(|it| wanted.module.is_none_or(|wanted| wanted == *it)).collect();
        modules.sort_unstable();
        for module in modules {
            let Some(info) = self.program.modules.get(&module) else { continue };
            for id in &info.functions {
                let Some(function) = self.program.function(*id) else { continue };
                let call = (function.module, function.name, function.arity);
                let exported = self.program.exports.contains_key(&call);
                if wanted.matches(call) && (exported || !is_global) && !res.contains(&call) {
                    res.push(call);
                }
            }
        }
        res
    }

    fn watch(&mut self, call: Mfa, change: &PatternChange) {
        let tracing = self.world.tracing();
        let watch = tracing.watched.entry(call).or_default();
        match change.how {
            PatternAction::On => {
                if change.is_global() {
                    watch.call = Some((Scope::Global, change.source.clone()));
                }
                if change.local {
                    watch.call = Some((Scope::Local, change.source.clone()));
                }
                if let Some(tracer) = change.meta {
                    watch.meta = Some((tracer, change.source.clone()));
                }
                if change.count {
                    watch.count = Some(CallCount { n: 0, is_paused: false });
                }
            }
            PatternAction::Off => {
                let scope = watch.call.as_ref().map(|it| it.0);
                if (change.is_global() && scope == Some(Scope::Global))
                    || (change.local && scope == Some(Scope::Local))
                {
                    watch.call = None;
                }
                if change.meta.is_some() {
                    watch.meta = None;
                }
                if change.count {
                    watch.count = None;
                }
            }
            PatternAction::Restart => {
                if change.count && watch.count.is_some() {
                    watch.count = Some(CallCount { n: 0, is_paused: false });
                }
            }
            PatternAction::Pause => {
                if let Some(count) = watch.count.as_mut().filter(|_| change.count) {
                    count.is_paused = true;
                }
            }
        }
        let global = matches!(watch.call, Some((Scope::Global, _)));
        let local = matches!(watch.call, Some((Scope::Local, _)))
            || watch.meta.is_some()
            || watch.count.is_some();
        if watch.is_empty() {
            tracing.watched.remove(&call);
        }
        self.place_stubs(call, global, local);
    }

    /// Inserts or removes the stubs of a function.
    fn place_stubs(&mut self, call: Mfa, global: bool, local: bool) {
        let function = {
            let tracing = self.world.tracing();
            tracing.redirected.remove(&call)
        };
        if let Some(function) = function {
            self.program.redirect(call, function);
        }
        let Some(function) = self.program.exports.get(&call).copied().or_else(|| self.find(call))
        else {
            return;
        };
        if global && self.program.exports.contains_key(&call) {
            let stub = self.stub(function, Scope::Global);
            self.world.tracing().redirected.insert(call, function);
            self.program.redirect(call, stub);
        }
        let start = if local {
            let stub = self.stub(function, Scope::Local);
            self.program.function(stub).map(|it| it.entry)
        } else {
            self.program.function(function).map(|it| it.entry)
        };
        if let Some(start) = start {
            self.program.start_at(function, start);
        }
    }

    /// Finds a function that may not be exported.
    fn find(&self, call: Mfa) -> Option<FnId> {
        let functions = &self.program.modules.get(&call.0)?.functions;
        functions.iter().copied().find(|it| {
            let info = self.program.function(*it);
            info.is_some_and(|it| (it.module, it.name, it.arity) == call)
        })
    }

    /// The stub that reports a call and continues with the function.
    fn stub(&mut self, function: FnId, scope: Scope) -> FnId {
        if let Some(stub) = self.world.tracing().stubs.get(&(function, scope)) {
            return *stub;
        }
        let Some(info) = self.program.function(function).cloned() else { return function };
        let entry = fit_u32(self.program.code.len());
        self.program.code.push(Ins::Traced { function, scope });
        self.program.code.push(match scope {
            Scope::Local => Ins::Jump { to: info.entry },
            // Local calls of the function may be traced as well.
            Scope::Global => Ins::Enter { function },
        });
        let end = fit_u32(self.program.code.len());
        let stub = FnId(fit_u32(self.program.functions.len()));
        self.program.functions.push(FunctionInfo { entry, start: entry, end, ..info });
        self.world.tracing().stubs.insert((function, scope), stub);
        stub
    }

    /// Removes all stubs.
    pub(in crate::machine) fn stop_tracing(&mut self) {
        let Some(tracing) = self.world.run.tracing.take() else { return };
        let Tracing { redirected, stubs, .. } = *tracing;
        for (call, function) in redirected {
            self.program.redirect(call, function);
        }
        for (function, _) in stubs.into_keys() {
            if let Some(entry) = self.program.function(function).map(|it| it.entry) {
                self.program.start_at(function, entry);
            }
        }
    }
}

impl PatternChange {
    fn is_global(&self) -> bool {
        self.global || (!self.local && self.meta.is_none() && !self.count)
    }
}

/// A pattern of module, function and arity; `None` matches everything.
struct CallPattern {
    module: Option<AtomId>,
    name: Option<AtomId>,
    arity: Option<u32>,
}

impl CallPattern {
    fn read(w: &World, what: Value) -> Option<CallPattern> {
        let Some([module, name, arity]) = w.heap.elements(what) else { return None };
        let given = |it: Value| it.as_atom().filter(|it| *it != AtomId::UNDERSCORE);
        let (module, name) =
            (module.as_atom().map(|_| given(*module))?, name.as_atom().map(|_| given(*name))?);
        let arity = if arity.is_atom(AtomId::UNDERSCORE) {
            None
        } else {
            Some(u32::try_from(arity.as_int()?).unwrap_or(u32::MAX))
        };
        let is_prefix = (module.is_some() || name.is_none()) && (name.is_some() || arity.is_none());
        is_prefix.then_some(CallPattern { module, name, arity })
    }

    fn matches(&self, call: Mfa) -> bool {
        self.module.is_none_or(|it| it == call.0)
            && self.name.is_none_or(|it| it == call.1)
            && self.arity.is_none_or(|it| it == call.2)
    }
}

fn read(w: &mut World, pattern: Value, flags: Value) -> Result<PatternChange, Fault> {
    let name = pattern.as_atom().map(|it| w.atoms.name(it).to_owned());
    let (how, source) = match name.as_deref() {
        Some("true") => (PatternAction::On, None),
        Some("false") => (PatternAction::Off, None),
        Some("restart") => (PatternAction::Restart, None),
        Some("pause") => (PatternAction::Pause, None),
        _ if pattern.is_nil() => (PatternAction::On, None),
        _ => match compile(w, pattern, Dialect::Trace) {
            Ok(spec) => {
                (PatternAction::On, Some(MatchSpec { term: pattern, spec: Arc::new(spec) }))
            }
            Err(refusal) => return Err(refusal.into()),
        },
    };
    let (global, local, meta, count) = (false, false, None, false);
    let mut res = PatternChange { how, source, global, local, meta, count };
    for flag in w.heap.list_items(flags).ok_or(Fault::BADARG)? {
        match flag.as_atom().map(|it| w.atoms.name(it)) {
            Some("global") => res.global = true,
            Some("local") => res.local = true,
            Some("meta") => res.meta = res.meta.or(Some(w.run.current)),
            Some("call_count") => res.count = true,
            Some("call_time") => {
                return Err(Stop::Unsupported { what: "call_time".to_owned() }.into());
            }
            Some(_) => return Err(Fault::BADARG),
            None => res.meta = Some(tracer(w, flag, "meta")?),
        }
    }
    let is_break = res.local || res.meta.is_some() || res.count;
    let only_counts = res.count && !res.local && res.meta.is_none();
    if (res.global && is_break) || (res.source.is_some() && only_counts) {
        return Err(Fault::BADARG);
    }
    Ok(res)
}

fn badarg() -> HostAnswer {
    HostAnswer::Raised { class: Atom::new("error"), reason: Term::atom("badarg"), trace: Term::Nil }
}

impl World {
    /// The result of `trace_info` for a function; `None` if it is not traced.
    pub(crate) fn watched(&mut self, call: Mfa, key: &str) -> Option<Value> {
        let watch = self.run.tracing.as_ref()?.watched.get(&call)?;
        let scope = watch.call.as_ref().map(|it| it.0);
        let source = |it: &Option<MatchSpec>| it.as_ref().map_or(Value::NIL, |it| it.term);
        let spec = watch.call.as_ref().map_or(Value::FALSE, |it| source(&it.1));
        let meta = watch.meta.as_ref().map(|it| it.0);
        let meta_spec = watch.meta.as_ref().map_or(Value::FALSE, |it| source(&it.1));
        let count = watch.count.map_or(Value::FALSE, |it| Value::int(it.n));
        let traced = match scope {
            Some(Scope::Global) => Value::atom(AtomId::GLOBAL),
            Some(Scope::Local) => Value::atom(AtomId::LOCAL),
            None => Value::FALSE,
        };
        Some(match key {
            "traced" => traced,
            "match_spec" => spec,
            "meta" => meta.map_or(Value::NIL, Value::pid),
            "meta_match_spec" => meta_spec,
            "call_count" => count,
            "call_time" => Value::FALSE,
            "all" => {
                let meta = meta.map_or(Value::FALSE, Value::pid);
                crate::builtins::make::pairs(
                    self,
                    &[
                        ("traced", traced),
                        ("match_spec", spec),
                        ("meta", meta),
                        ("meta_match_spec", meta_spec),
                        ("call_time", Value::FALSE),
                        ("call_count", count),
                    ],
                )
            }
            _ => return None,
        })
    }
}
