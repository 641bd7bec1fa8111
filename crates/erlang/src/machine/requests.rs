//! Requests of processes that the owner of the machine serves: values that the host computes, facts, and loading of
//! code at run time.

use crate::builtins::files;
use crate::builtins::handles::HandleKind;
use crate::builtins::{Builtin, Effect, Fault, How, Request, Stop};
use crate::host::{HostAnswer, HostError};
use crate::lower;
use crate::machine::RunState;
use crate::machine::process::{Execution, OnReturn, Start};
use crate::machine::versions::Purge;
use crate::machine::{Machine, MachineError, Object, World};
use std::sync::atomic::Ordering;
use term::{Atom, Term};
use values::{AtomId, NoTerm, PidId, Value, from_term, to_term};

impl Machine {
    /// Serves the request of a builtin. The process continues with the result.
    pub(super) fn ask_host(
        &mut self,
        pid: PidId,
        builtin: &Builtin,
        args: &[Value],
    ) -> Result<Option<Stop>, MachineError> {
        let answer = match builtin.how {
            How::Machine(Request::LoadModule) => self.load_module(builtin, args),
            How::Machine(Request::DeleteModule) => Ok(self.delete_module(builtin, args)),
            How::Machine(Request::Purge) => Ok(self.purge_old(builtin, args)),
            How::Machine(Request::PurgeStep) => Ok(self.purge_step(args)),
            How::Machine(Request::LoadFile) => self.load_file(args),
            How::Machine(Request::LoadAbsolute) => self.load_absolute(args),
            How::Machine(Request::ObjectCode) => Ok(self.object_code(args)),
            How::Machine(Request::WhereIsFile) => Ok(self.where_is_file(args)),
            How::Machine(Request::PrepareLoading) => self.prepare_loading(args),
            How::Machine(Request::FinishLoading) => self.finish_loading(args),
            How::Machine(Request::HasOnLoad) => Ok(self.has_on_load(args)),
            How::Machine(Request::TracePattern) => self.trace_pattern(args),
            How::Host | How::Native(_) | How::Outside(_) | How::Code | How::Control(_) => {
                self.apply_on_host(builtin, args)
            }
        };
        let mut answer = match answer {
            Ok(answer) => answer,
            Err(stop) => return Ok(Some(stop)),
        };
        if let (How::Machine(_), HostAnswer::Raised { reason, trace, .. }) =
            (builtin.how, &mut answer)
            && reason.as_atom() == Some("badarg")
        {
            *trace = self.frame_of(builtin, args);
        }
        let World { heap, atoms, run: RunState { processes, .. }, .. } = &mut self.world;
        let (start, values) = match answer {
            HostAnswer::Value(term) => (Start::Deliver, vec![from_term(heap, atoms, &term)]),
            HostAnswer::Raised { class, reason, trace } => {
                let class = Value::atom(atoms.intern(class.as_str()));
                let mut put = |it: &Term| from_term(heap, atoms, it);
                (Start::DeliverRaise, vec![class, put(&reason), put(&trace)])
            }
        };
        if let Some(execution) = processes.get_mut(&pid).and_then(|it| it.execution.as_mut()) {
            execution.start = start;
            execution.stack.extend_from_slice(&values);
            execution.live = execution.stack.len();
        }
        Ok(None)
    }

    /// The stack trace of an exception that the builtin itself raises.
    fn frame_of(&self, builtin: &Builtin, args: &[Value]) -> Term {
        let Ok(args) = self.terms(args) else { return Term::Nil };
        let call = [Term::atom(builtin.module), Term::atom(builtin.name), Term::proper_list(args)];
        let frame = call.into_iter().chain([Term::Nil]).collect();
        Term::proper_list(vec![Term::Tuple(frame)])
    }

    fn apply_on_host(&mut self, builtin: &Builtin, args: &[Value]) -> Result<HostAnswer, Stop> {
        let Builtin { module, name, arity, .. } = *builtin;
        let terms = self.terms(args).map_err(|why| match why {
            NoTerm::TooDeep => Stop::Unsupported {
                what: format!("{module}:{name}/{arity} on a deeply nested term"),
            },
            NoTerm::TooLarge => Stop::OutOfMemory,
        })?;
        // Whatever such a call leaves open would belong to a process of the host that ends with the call.
        if builtin.effect != Effect::Pure && terms.iter().any(holds_fun) {
            return Err(Stop::Unsupported { what: format!("{module}:{name}/{arity} with a fun") });
        }
        let answer = self.host.apply(&Atom::new(module), &Atom::new(name), &terms);
        answer.map_err(|it| match self.interrupt.load(Ordering::Relaxed) {
            true => Stop::Interrupted,
            false => Stop::Host { why: it.to_string() },
        })
    }

    fn terms(&self, values: &[Value]) -> Result<Vec<Term>, NoTerm> {
        values.iter().map(|it| to_term(&self.world.heap, &self.world.atoms, *it)).collect()
    }

    /// Asks the host for an item of `erlang:system_info`.
    pub(super) fn learn(&mut self, item: AtomId) -> Option<Stop> {
        let name = self.world.atoms.name(item).to_owned();
        let args = [Term::atom(&name)];
        match self.host.apply(&Atom::new("erlang"), &Atom::new("system_info"), &args) {
            Ok(HostAnswer::Value(term)) => {
                self.world.facts.insert(name, term);
                None
            }
            Ok(HostAnswer::Raised { .. }) => {
                let what = format!("erlang:system_info({name})");
                Some(Stop::Unsupported { what })
            }
            Err(error) => Some(Stop::Host { why: error.to_string() }),
        }
    }

    /// Loads a module from `[Module, …, Binary]`, with the result of `code:load_binary`.
    fn load_module(&mut self, builtin: &Builtin, args: &[Value]) -> Result<HostAnswer, Stop> {
        let module = args.first().and_then(|it| it.as_atom());
        let bytes = args.last().and_then(|it| self.world.heap.as_binary_bytes(*it));
        let (Some(module), Some(bytes)) = (module, bytes) else {
            return Ok(raised("badarg"));
        };
        let bytes = bytes.into_owned();
        // The code server purges an old version; `erlang:load_module` does not.
        if builtin.module == "erlang" && self.has_both_versions(module) {
            return Ok(error("not_purged"));
        }
        // `code:load_binary/3` also names a file.
        let file = match args {
            [_, file, _] => match file.as_atom() {
                Some(name) => Some(Object::Name(name)),
                None => self.text(*file).map(Object::File),
            },
            _ => None,
        };
        self.load_bytes(module, &bytes, file)
    }

    fn load_bytes(
        &mut self,
        module: AtomId,
        bytes: &[u8],
        object: Option<Object>,
    ) -> Result<HostAnswer, Stop> {
        let name = Atom::new(self.world.atoms.name(module));
        let code = match self.host.load_binary(&name, bytes) {
            Ok(code) => code,
            Err(HostError::NotFound(_) | HostError::NoDebugInfo(_) | HostError::Compile(_)) => {
                return Ok(error("badfile"));
            }
            Err(error) => return Err(Stop::Host { why: error.to_string() }),
        };
        self.make_old(module);
        // BEAM's loader rejects invalid code as well.
        if self.install(&code).is_err() {
            return Ok(error("badfile"));
        }
        self.made_in_run.push(module);
        self.loaded_from(module, object);
        if let Some(function) = lower::on_load(&code.core) {
            self.run_on_load(module, &function)?;
        }
        Ok(HostAnswer::Value(Term::Tuple(vec![Term::atom("module"), Term::Atom(name)])))
    }

    /// Makes a reference to code that can be loaded later.
    fn prepare_loading(&mut self, args: &[Value]) -> Result<HostAnswer, Stop> {
        let module = args.first().and_then(|it| it.as_atom());
        let bytes = args.last().and_then(|it| self.world.heap.as_binary_bytes(*it));
        let (Some(module), Some(bytes)) = (module, bytes) else {
            return Ok(raised("badarg"));
        };
        let bytes = bytes.into_owned();
        let name = Atom::new(self.world.atoms.name(module));
        let code = match self.host.load_binary(&name, &bytes) {
            Ok(code) => code,
            Err(HostError::NotFound(_) | HostError::NoDebugInfo(_) | HostError::Compile(_)) => {
                return Ok(error("badfile"));
            }
            Err(error) => return Err(Stop::Host { why: error.to_string() }),
        };
        let owner = self.world.run.current;
        let id = self.world.run.handles.make(owner, HandleKind::Other);
        self.prepared.insert(id, (module, code));
        let handle = to_term(&self.world.heap, &self.world.atoms, Value::reference(id));
        Ok(handle.map_or_else(|_| raised("badarg"), HostAnswer::Value))
    }

    /// Loads all prepared modules, or none of them.
    fn finish_loading(&mut self, args: &[Value]) -> Result<HostAnswer, Stop> {
        let items = args.first().and_then(|it| self.world.heap.list_items(*it));
        let ids = items.map(|it| it.iter().map(|it| it.as_ref()).collect::<Option<Vec<_>>>());
        let Some(Some(ids)) = ids else { return Ok(raised("badarg")) };
        let all: Option<Vec<_>> = ids.iter().map(|it| self.prepared.get(it).cloned()).collect();
        let Some(all) = all else { return Ok(raised("badarg")) };
        let mut names: Vec<AtomId> = all.iter().map(|it| it.0).collect();
        names.sort_unstable();
        let twice = names.windows(2).filter(|it| matches!(it, [a, b] if a == b));
        let mut twice: Vec<AtomId> = twice.filter_map(|it| it.first().copied()).collect();
        twice.dedup();
        if !twice.is_empty() {
            return Ok(self.named("duplicated", &twice));
        }
        let waits = all.iter().any(|it| lower::on_load(&it.1.core).is_some());
        if waits && all.len() > 1 {
            return Ok(raised("system_limit"));
        }
        let in_the_way = names.iter().copied().filter(|it| self.has_both_versions(*it));
        let in_the_way: Vec<AtomId> = in_the_way.collect();
        if !in_the_way.is_empty() {
            return Ok(self.named("not_purged", &in_the_way));
        }
        for (module, code) in all {
            self.make_old(module);
            if self.install(&code).is_err() {
                return Ok(raised("badarg"));
            }
            self.made_in_run.push(module);
            if waits {
                return Ok(self.named("on_load", &[module]));
            }
        }
        for id in ids {
            self.prepared.remove(&id);
        }
        Ok(HostAnswer::Value(Term::atom("ok")))
    }

    /// The result `{What, Modules}`.
    fn named(&self, what: &str, modules: &[AtomId]) -> HostAnswer {
        let modules = modules.iter().map(|it| Term::atom(self.world.atoms.name(*it)));
        let modules = Term::proper_list(modules.collect());
        HostAnswer::Value(Term::Tuple(vec![Term::atom(what), modules]))
    }

    fn has_on_load(&self, args: &[Value]) -> HostAnswer {
        let prepared =
            args.first().and_then(|it| it.as_ref()).and_then(|it| self.prepared.get(&it));
        match prepared {
            Some((_, code)) => truth(lower::on_load(&code.core).is_some()),
            None => raised("badarg"),
        }
    }

    /// Starts the module's `on_load` function. The loading process continues when it is done.
    fn run_on_load(&mut self, module: AtomId, function: &Atom) -> Result<(), Stop> {
        let name = self.world.atoms.intern(function.as_str());
        let functions = self.program.modules.get(&module).map_or(&[][..], |it| &it.functions);
        let found = functions.iter().copied().find(|it| {
            let info = self.program.function(*it);
            info.is_some_and(|it| it.name == name && it.arity == 0)
        });
        let Some(found) = found else { return Ok(()) };
        let loader = self.world.run.current;
        let pid = match self.world.spawn(Execution::enter(found)) {
            Ok(pid) => pid,
            Err(Fault::Stop(stop)) => return Err(*stop),
            Err(_) => return Ok(()),
        };
        if let Some(process) = self.world.run.processes.get_mut(&pid) {
            process.on_return = OnReturn::OnLoad { module };
        }
        self.world.run.suspended.insert((pid, loader), 1);
        Ok(())
    }

    /// Unloads a module whose `on_load` function failed, and tells the loading process.
    pub(super) fn on_load_failed(&mut self, pid: PidId, module: AtomId) {
        self.forget(module);
        let reason = Value::atom(self.world.atoms.intern("on_load_failure"));
        let answer = self.world.heap.tuple(&[Value::atom(AtomId::ERROR), reason]);
        let loader = self.world.run.suspended.keys().find(|it| it.0 == pid).map(|it| it.1);
        let loader = loader.and_then(|it| self.world.run.processes.get_mut(&it));
        if let Some(execution) = loader.and_then(|it| it.execution.as_mut())
            && execution.start == Start::Deliver
            && let Some(value) = execution.stack.last_mut()
        {
            *value = answer;
        }
    }

    /// Loads a module; again if the module's file may have changed since it was loaded.
    fn load_file(&mut self, args: &[Value]) -> Result<HostAnswer, Stop> {
        let Some(module) = args.first().and_then(|it| it.as_atom()) else {
            return Ok(raised("function_clause"));
        };
        let name = Atom::new(self.world.atoms.name(module));
        self.choose_code_path();
        match self.host.object_code(&name) {
            Some((file, bytes)) if !self.world.code_path.is_initial(&file) => {
                self.load_bytes(module, &bytes, Some(Object::File(file)))
            }
            None | Some(_) => {
                let is_there =
                    self.load(module).map_err(|it| Stop::Host { why: it.to_string() })?;
                let loaded = Term::Tuple(vec![Term::atom("module"), Term::Atom(name)]);
                Ok(if is_there { HostAnswer::Value(loaded) } else { error("nofile") })
            }
        }
    }

    /// `code:load_abs(File)` and `code:load_abs(File, Module)`; `File` has no extension.
    fn load_absolute(&mut self, args: &[Value]) -> Result<HostAnswer, Stop> {
        let Some(file) = args.first().and_then(|it| self.text(*it)) else {
            return Ok(raised("function_clause"));
        };
        let file = if file.starts_with('/') {
            format!("{file}.beam")
        } else {
            let here = files::current_dir(&mut self.world).unwrap_or_default();
            format!("{here}/{file}.beam")
        };
        let stem = file.rsplit('/').next().and_then(|it| it.strip_suffix(".beam"));
        let named = self.world.atoms.intern(stem.unwrap_or_default());
        let module = args.get(1).and_then(|it| it.as_atom()).unwrap_or(named);
        match files::contents(&mut self.world, &file) {
            Some(bytes) => self.load_bytes(module, &bytes, Some(Object::File(file))),
            None => Ok(error("nofile")),
        }
    }

    fn object_code(&mut self, args: &[Value]) -> HostAnswer {
        let Some(module) = args.first().and_then(|it| it.as_atom()) else {
            return raised("function_clause");
        };
        let name = Atom::new(self.world.atoms.name(module));
        self.choose_code_path();
        HostAnswer::Value(match self.host.object_code(&name) {
            Some((file, bytes)) => {
                Term::Tuple(vec![Term::Atom(name), Term::binary(bytes), Term::string(&file)])
            }
            None => Term::atom("error"),
        })
    }

    fn where_is_file(&mut self, args: &[Value]) -> HostAnswer {
        let Some(name) = args.first().and_then(|it| self.text(*it)) else {
            return raised("function_clause");
        };
        self.choose_code_path();
        let found = self.host.find_file(&name);
        HostAnswer::Value(found.map_or_else(|| Term::atom("non_existing"), |it| Term::string(&it)))
    }

    /// The text of a list of characters.
    fn text(&self, chars: Value) -> Option<String> {
        let chars = self.world.heap.list_items(chars)?;
        let char_of = |it: Value| u32::try_from(it.as_int()?).ok().and_then(char::from_u32);
        chars.into_iter().map(char_of).collect()
    }

    fn delete_module(&mut self, builtin: &Builtin, args: &[Value]) -> HostAnswer {
        let Some(module) = args.first().and_then(|it| it.as_atom()) else {
            return raised(if builtin.module == "code" { "function_clause" } else { "badarg" });
        };
        let by_server = builtin.module == "code";
        if self.world.run.old_code.contains_key(&module) {
            return if by_server { truth(false) } else { raised("badarg") };
        }
        if self.world.modules.contains_key(&module) {
            self.deleted.insert(module);
            self.retire(module);
            return truth(true);
        }
        // For modules that were loaded before, BEAM returns `true`.
        match self.deleted.contains(&module) {
            true => truth(true),
            false if by_server => truth(false),
            false => HostAnswer::Value(Term::atom("undefined")),
        }
    }

    /// `code:purge` returns whether it killed a process, `code:soft_purge` whether it succeeded.
    fn purge_old(&mut self, builtin: &Builtin, args: &[Value]) -> HostAnswer {
        let Some(module) = args.first().and_then(|it| it.as_atom()) else {
            return raised("function_clause");
        };
        if builtin.name == "purge" {
            truth(self.purge(module, Purge::Hard).1)
        } else {
            truth(!self.purge(module, Purge::Soft).0)
        }
    }

    /// Serves a request of OTP's own purger, which checks the processes itself.
    fn purge_step(&mut self, args: &[Value]) -> HostAnswer {
        let (Some(module), Some(step)) = (
            args.first().and_then(|it| it.as_atom()),
            args.get(1).and_then(|it| it.as_atom()).map(|it| self.world.atoms.name(it)),
        ) else {
            return raised("badarg");
        };
        match step {
            "prepare" | "prepare_on_load" => truth(self.prepare_purge(module)),
            "abort" => {
                self.abort_purge(module);
                truth(false)
            }
            "complete" => {
                self.drop_old(module);
                truth(true)
            }
            _ => raised("badarg"),
        }
    }

    fn has_both_versions(&self, module: AtomId) -> bool {
        self.world.modules.contains_key(&module) && self.world.run.old_code.contains_key(&module)
    }

    /// Makes the current version of a module the old one, after purging an older version.
    fn make_old(&mut self, module: AtomId) {
        if self.world.modules.contains_key(&module) {
            self.purge(module, Purge::Hard);
            self.retire(module);
        } else {
            self.forget(module);
        }
    }

    /// Unloads a module: it can't be called any more, but running code continues.
    pub(super) fn forget(&mut self, module: AtomId) {
        self.world.modules.remove(&module);
        self.world.missing.remove(&module);
        self.world.forget_watched(module);
        self.program.forget(module);
    }
}

/// Whether a term contains a fun, which has no meaning outside of the machine.
fn holds_fun(term: &Term) -> bool {
    term.has_part(|it| matches!(it, Term::Fun(_)))
}

fn raised(reason: &str) -> HostAnswer {
    let (class, reason) = (Atom::new("error"), Term::atom(reason));
    HostAnswer::Raised { class, reason, trace: Term::Nil }
}

fn truth(value: bool) -> HostAnswer {
    HostAnswer::Value(Term::atom(if value { "true" } else { "false" }))
}

fn error(reason: &str) -> HostAnswer {
    HostAnswer::Value(Term::Tuple(vec![Term::atom("error"), Term::atom(reason)]))
}
