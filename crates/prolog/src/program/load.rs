//! Loads a source text: compiles clauses, handles directives, and records errors and warnings.

use crate::code::{Kind, PredId, Source, compile_clause};
use crate::data::{AtomId, FunctorId, Heap, Record, Value, View};
use crate::machine::{Ending, Fault, Machine, Stop};
use crate::program::style::Style;
use crate::program::{File, Library};
use crate::text::{ReadTerm, Reader};
use term::fit_u32;

/// The result of loading a text.
#[derive(Clone, Debug, Default)]
pub struct LoadReport {
    pub module: Option<AtomId>,
    pub errors: Vec<Note>,
    pub warnings: Vec<Note>,
    /// The goals of `initialization/1,2`, in order. They have not been called.
    pub initialization: Vec<Record>,
    /// The goals of `initialization(Goal, main)`.
    pub main: Vec<Record>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    pub file: String,
    /// The line, counted from 1.
    pub line: usize,
    /// The column, counted from 1; 0: the message is about the whole clause.
    pub column: usize,
    pub message: String,
}

/// The state of loading a text.
#[derive(Debug)]
pub(crate) struct Loading {
    pub(crate) path: String,
    pub(crate) file: u32,
    pub(crate) module: AtomId,
    pub(crate) line: usize,
    /// The open conditional sections (`:- if`), from the outermost one on.
    pub(crate) conditions: Vec<Condition>,
    pub(crate) report: LoadReport,
    /// The module that imports the exports of a module file.
    pub(crate) importer: AtomId,
    /// The open test units: their names, and the modules around them.
    pub(crate) units: Vec<(AtomId, AtomId)>,
    pub(crate) style: Style,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Condition {
    /// The clauses of the current branch are loaded.
    Active,
    /// The clauses of the current branch are skipped; a later branch may be loaded.
    Waiting,
    /// The clauses of this and of all later branches are skipped.
    Done,
}

impl Machine {
    /// Loads a program's text into the module `user`, or into the module that it declares.
    pub fn load(&mut self, file: &File, library: &mut dyn Library) -> LoadReport {
        self.reset();
        self.load_steps = LOAD_STEPS;
        let report = self.load_file(file, AtomId::USER, library);
        self.keep_loaded();
        report
    }

    /// Loads a program, imports its exports into `user`, and calls its initialization goals.
    pub fn load_program(&mut self, file: &File, library: &mut dyn Library) -> LoadReport {
        self.reset();
        self.load_steps = LOAD_STEPS;
        let mut report = self.load_file(file, AtomId::USER, library);
        if let Some(module) = report.module
            && module != AtomId::USER
        {
            self.import(module, AtomId::USER, None);
        }
        for goal in std::mem::take(&mut report.initialization) {
            self.heap = Heap::default();
            let goal = goal.load(&mut self.heap);
            let mut loading = Loading::new(file.path.clone(), 0, AtomId::USER, AtomId::USER);
            self.run_directive(goal, &mut loading, library);
            report.warnings.extend(loading.report.warnings);
        }
        self.keep_loaded();
        report
    }

    /// Returns the indicators `Name/Arity` of the predicates that loaded programs define; predicates of
    /// modules are qualified.
    pub fn own_predicates(&self) -> Vec<String> {
        let library: rustc_hash::FxHashSet<AtomId> =
            self.modules.libraries.values().copied().collect();
        let preds = self.db.preds.iter().filter(|it| {
            it.module != AtomId::SYSTEM
                && it.kind == Kind::Clauses
                && (it.module == AtomId::USER || !library.contains(&it.module))
        });
        let named = preds.map(|it| {
            let name = format!("{}/{}", self.atoms.text(it.name), it.arity);
            if it.module == AtomId::USER {
                name
            } else {
                format!("{}:{name}", self.atoms.text(it.module))
            }
        });
        let mut res: Vec<String> = named.collect();
        res.sort();
        res.dedup();
        res
    }

    /// Loads the prelude into the module `system`.
    pub(crate) fn load_system(&mut self, file: &File) -> LoadReport {
        let mut loading = Loading::new(file.path.clone(), 0, AtomId::SYSTEM, AtomId::SYSTEM);
        self.modules.files.push(file.path.clone());
        self.load_text(&file.text, &mut loading, &mut crate::program::NoLibrary);
        loading.report
    }

    /// Loads a library file by its name in `library(Name)`.
    pub(crate) fn load_library(
        &mut self,
        name: &str,
        library: &mut dyn Library,
    ) -> Result<(), String> {
        if self.modules.libraries.contains_key(name) {
            return Ok(());
        }
        if name == "chr" {
            return Err(
                "library(chr): constraint handling rules (CHR) are not supported".to_owned()
            );
        }
        let named = name.strip_prefix(NAMED_FILE);
        let found = match named {
            Some(path) => library.file(path, "./goal"),
            None => crate::program::units::embedded(name).or_else(|| library.library(name)),
        };
        let Some(file) = found else {
            self.modules.missing.insert(name.to_owned());
            return Ok(());
        };
        // The name is registered before the file is loaded, because libraries may load each other cyclically.
        self.modules.libraries.insert(name.to_owned(), AtomId::SYSTEM);
        let marking = std::mem::take(&mut self.db.marking);
        let importer = if named.is_some() { AtomId::USER } else { AtomId::SYSTEM };
        let left = std::mem::replace(&mut self.load_steps, LOAD_STEPS);
        let report = self.load_file(&file, importer, library);
        self.load_steps = left;
        self.db.marking = marking;
        if let Some(error) = report.errors.first().filter(|_| named.is_some()) {
            return Err(format!("{}:{}: {}", error.file, error.line, error.message));
        }
        let module = report.module.unwrap_or(AtomId::USER);
        self.modules.libraries.insert(name.to_owned(), module);
        Ok(())
    }

    pub(crate) fn load_file(
        &mut self,
        file: &File,
        importer: AtomId,
        library: &mut dyn Library,
    ) -> LoadReport {
        let number = fit_u32(self.modules.files.len());
        self.modules.files.push(file.path.clone());
        let module = if importer == AtomId::SYSTEM { AtomId::USER } else { importer };
        let mut loading = Loading::new(file.path.clone(), number, module, importer);
        self.modules.loaded.insert(file.path.clone(), module);
        self.load_text(&file.text, &mut loading, library);
        loading.report.module = Some(loading.module);
        if importer != AtomId::SYSTEM {
            self.check_exports(&mut loading);
        }
        loading.report
    }

    /// Reports the exports of a module that it does not define.
    fn check_exports(&self, loading: &mut Loading) {
        let Some(module) = self.modules.by_name.get(&loading.module) else { return };
        for functor in &module.exports {
            let found = [loading.module, AtomId::SYSTEM].map(|it| self.db.find(it, *functor));
            let is_there = found.into_iter().flatten().map(|it| self.db.get(it)).any(|it| match it
                .kind
            {
                Kind::Clauses => 0 < it.n_clauses || it.dynamic || it.multifile || it.discontiguous,
                Kind::Undefined => false,
                Kind::Builtin(_) | Kind::Import(_) => true,
            });
            if !is_there && !module.autoload.contains_key(functor) {
                let (name, arity) = self.atoms.name_arity(*functor);
                loading.line = 1;
                loading.note(format!(
                    "{}/{arity} is exported, but not defined",
                    self.atoms.text(name)
                ));
            }
        }
    }

    pub(crate) fn load_text(
        &mut self,
        text: &str,
        loading: &mut Loading,
        library: &mut dyn Library,
    ) {
        let mut reader = Reader::new(text);
        let mut lines = Lines { text, at: 0, line: 1 };
        loop {
            self.heap = Heap::default();
            let syntax = self.syntax_of(loading.module);
            match reader.next_term(&mut self.heap, &mut self.atoms, &self.ops, syntax) {
                Ok(None) => return,
                Ok(Some(read)) => {
                    loading.line = lines.line_of(read.span.0);
                    if read.term.is_atom(AtomId::END_OF_FILE) {
                        return;
                    }
                    self.load_term(&read, loading, library);
                }
                Err(error) => {
                    if loading.is_active() {
                        loading.report.errors.push(Note {
                            file: loading.path.clone(),
                            line: error.line,
                            column: error.column,
                            message: error.message(),
                        });
                    }
                }
            }
        }
    }

    fn load_term(&mut self, read: &ReadTerm, loading: &mut Loading, library: &mut dyn Library) {
        let term = self.heap.deref(read.term);
        let is_directive = term.is_struct(FunctorId::DIRECTIVE) || term.is_struct(FunctorId::ASK);
        if is_directive && !(loading.is_active() && self.expands_terms(loading.module).is_some()) {
            let goal = self.heap.arg(term, 0);
            self.directive(goal, loading, library);
            return;
        }
        if !loading.is_active() {
            return;
        }
        if !is_directive && loading.style.singletons && !read.singletons.is_empty() {
            loading.warn(format!("Singleton variables: [{}]", read.singletons.join(",")));
        }
        let terms = self.expand_term(term, loading, library);
        let expands_goals = self.expands_goals(loading.module);
        if let ([term], false) = (terms.as_slice(), expands_goals) {
            self.load_clause(*term, loading, library);
            return;
        }
        // The terms are stored outside of the heap, because directives among them use the heap.
        let terms: Vec<Record> =
            terms.iter().map(|it| Record::new(&self.heap, &self.atoms, *it)).collect();
        for term in terms {
            self.heap = Heap::default();
            let mut term = term.load(&mut self.heap);
            if expands_goals {
                term = self.expand_goals(term, loading, library);
            }
            self.load_clause(term, loading, library);
        }
    }

    /// Returns the module whose `term_expansion/2` is called.
    fn expands_terms(&mut self, module: AtomId) -> Option<AtomId> {
        let hook = self.atoms.functor_named("term_expansion", 2);
        [module, AtomId::USER, AtomId::SYSTEM].into_iter().find(|module| {
            self.db.find(*module, hook).is_some_and(|it| 0 < self.db.get(it).n_clauses)
        })
    }

    fn expands_goals(&mut self, module: AtomId) -> bool {
        // CLP(FD) expands constraints on integers to plain arithmetic.
        let constraint = self.atoms.functor_named("#=", 2);
        if self.db.find(module, constraint).is_some_and(|it| self.is_imported(it)) {
            return true;
        }
        let hook = self.atoms.functor_named("goal_expansion", 2);
        [module, AtomId::USER].into_iter().any(|module| {
            self.db.find(module, hook).is_some_and(|it| 0 < self.db.get(it).n_clauses)
        })
    }

    fn is_imported(&self, id: PredId) -> bool {
        matches!(self.db.get(id).kind, Kind::Import(_))
    }

    /// Applies the `goal_expansion/2` of the module and of `user` to the goals of a clause.
    fn expand_goals(
        &mut self,
        term: Value,
        loading: &mut Loading,
        library: &mut dyn Library,
    ) -> Value {
        let original = Record::new(&self.heap, &self.atoms, term);
        let result = self.heap.fresh();
        let functor = self.atoms.functor_named("$expand_clause", 3);
        let args = [term, Value::atom(loading.module), result];
        let goal = self.heap.structure(functor, &args);
        let saved = self.enter_text(loading);
        let found = self.ask_for_terms(AtomId::SYSTEM, goal, result, library);
        self.leave_text(saved);
        match found.as_deref() {
            Some([clause]) => *clause,
            _ => {
                self.heap = Heap::default();
                original.load(&mut self.heap)
            }
        }
    }

    /// Applies the program's `term_expansion/2` and translates grammar rules.
    fn expand_term(
        &mut self,
        term: Value,
        loading: &mut Loading,
        library: &mut dyn Library,
    ) -> Vec<Value> {
        let hook = self.atoms.functor_named("term_expansion", 2);
        let hooked = self.expands_terms(loading.module);
        if let Some(clauses) = self.test_clauses(term, loading, library) {
            return clauses;
        }
        let mut terms = vec![term];
        if let Some(module) = hooked {
            let result = self.heap.fresh();
            let goal = self.heap.structure(hook, &[term, result]);
            let original = Record::new(&self.heap, &self.atoms, term);
            let saved = self.enter_text(loading);
            let found = self.ask_for_terms(module, goal, result, library);
            self.leave_text(saved);
            if let Some(found) = found {
                terms = found;
            } else {
                self.heap = Heap::default();
                terms = vec![original.load(&mut self.heap)];
            }
        }
        let mut res = Vec::new();
        for term in terms {
            let term = self.heap.deref(term);
            if !term.is_struct(FunctorId::GRAMMAR) {
                res.push(term);
                continue;
            }
            match self.translate_rule(term) {
                Ok(clause) => res.push(clause),
                Err(fault) => self.note_fault(&fault, loading),
            }
        }
        res
    }

    /// Calls a goal and returns the term, or list of terms, that it binds to `result`. The rest of the heap
    /// is dropped.
    pub(crate) fn ask_for_terms(
        &mut self,
        module: AtomId,
        goal: Value,
        result: Value,
        library: &mut dyn Library,
    ) -> Option<Vec<Value>> {
        let goal = self.heap.structure(FunctorId::QUALIFIED, &[Value::atom(module), goal]);
        let name = Value::atom(AtomId::EMPTY);
        let binding = self.heap.structure(FunctorId::UNIFY, &[name, result]);
        let bindings = self.heap.list(&[binding]);
        let query = self.heap.structure(FunctorId::PAIR, &[goal, bindings]);
        let query = Record::new(&self.heap, &self.atoms, query);
        let Ending::True { .. } = self.run_once(&query, library) else { return None };
        let result = self.bindings().first().map_or(Value::NIL, |it| it.1);
        let result = Record::new(&self.heap, &self.atoms, result);
        self.heap = Heap::default();
        let result = result.load(&mut self.heap);
        let result = self.heap.deref(result);
        Some(if result.is_cons() || result.is_nil() {
            self.heap.list_items(result).0
        } else {
            vec![result]
        })
    }

    fn load_clause(&mut self, term: Value, loading: &mut Loading, library: &mut dyn Library) {
        if term.is_struct(FunctorId::DIRECTIVE) || term.is_struct(FunctorId::ASK) {
            let goal = self.heap.arg(term, 0);
            self.directive(goal, loading, library);
            return;
        }
        let source = Source { file: loading.file, line: u32::try_from(loading.line).unwrap_or(0) };
        let module = loading.module;
        let term = if module == AtomId::SYSTEM { self.keep_throwing(term) } else { term };
        match self.add_clause(module, term, source, Place::Loaded) {
            Ok(clause) => self.check_together(clause, loading),
            Err(fault) => self.note_fault(&fault, loading),
        }
    }

    /// Replaces `throw(E)` by `throw(E), fail` in a clause of the prelude. Without a last call the frame of
    /// the clause stays, so the error's context can name its predicate.
    fn keep_throwing(&mut self, term: Value) -> Value {
        let term = self.heap.deref(term);
        let View::Struct(functor, _) = term.view() else { return term };
        let (name, arity) = self.atoms.name_arity(functor);
        if self.atoms.text(name) == "throw" && arity == 1 {
            return self.heap.structure(FunctorId::AND, &[term, Value::atom(AtomId::FAIL)]);
        }
        let first = match functor {
            FunctorId::RULE => 1,
            _ if crate::machine::is_control(functor) => 0,
            _ => return term,
        };
        let args: Vec<Value> = (0..arity)
            .map(|n| {
                let arg = self.heap.arg(term, n);
                if n < first { arg } else { self.keep_throwing(arg) }
            })
            .collect();
        self.heap.structure(functor, &args)
    }

    /// Adds a clause to a predicate of a module.
    pub(crate) fn add_clause(
        &mut self,
        module: AtomId,
        term: Value,
        source: Source,
        place: Place,
    ) -> Result<crate::code::ClauseId, Fault> {
        if place != Place::Loaded && self.is_cyclic(term) {
            return Err(self.representation_error("cyclic_term"));
        }
        let (module, term) = self.strip_module(module, term);
        let (head, body) = if term.is_struct(FunctorId::RULE) {
            (self.heap.arg(term, 0), self.heap.arg(term, 1))
        } else if term.is_struct(FunctorId::SSU) {
            return self.add_one_sided(module, term, source, place);
        } else {
            (term, Value::TRUE)
        };
        let (home, head) = self.strip_module(module, head);
        let (context, body) = self.strip_module(module, body);
        if head.is_struct(FunctorId::QUALIFIED) {
            let module = self.heap.arg(head, 0);
            return Err(match module.is_var() {
                true => self.instantiation_error(),
                false => self.type_error("module", module),
            });
        }
        match head.view() {
            View::Var(_) => return Err(self.instantiation_error()),
            View::Atom(_) | View::Struct(..) => {}
            View::Int(_) | View::Big(_) | View::Rational(_) | View::Float(_) | View::Text(_) => {
                return Err(self.type_error("callable", head));
            }
        }
        let head = if place == Place::Loaded { self.tabled_head(home, head) } else { head };
        let definable = |m: &mut Machine| m.check_definable(home, head, place);
        if place == Place::Loaded {
            definable(self)?;
        }
        self.check_spread(head)?;
        self.check_spread(body)?;
        let whole = self.heap.structure(FunctorId::RULE, &[head, body]);
        let (head, body) =
            if place == Place::Loaded { (head, body) } else { self.followed(head, body) };
        let body = self.guarded_body(home, head, body);
        let compiled = compile_clause(
            &self.heap,
            &mut self.atoms,
            &mut self.db,
            home,
            context,
            head,
            body,
            source,
            whole,
        );
        match compiled {
            Ok(compiled) => {
                if place != Place::Loaded {
                    // The error of a body that is not callable takes precedence over this one.
                    definable(self)?;
                    let pred = self.db.get(compiled.pred);
                    if pred.kind != Kind::Clauses {
                        self.db.get_mut(compiled.pred).dynamic = true;
                    }
                }
                Ok(self.db.add(compiled.clause, place == Place::Front))
            }
            Err(crate::code::CompileError::NotCallable(_)) => {
                let whole = self.heap.structure(FunctorId::RULE, &[head, body]);
                if matches!(body.view(), View::Atom(_) | View::Struct(..)) {
                    return Err(self.type_error("callable", whole));
                }
                Err(self.type_error("callable", body))
            }
            Err(crate::code::CompileError::TooManyArguments) => {
                Err(self.representation_error("max_arity"))
            }
        }
    }

    fn check_definable(&mut self, module: AtomId, head: Value, place: Place) -> Result<(), Fault> {
        let Some((name, arity)) = self.heap.name_arity(head, &self.atoms) else { return Ok(()) };
        let functor = self.atoms.functor(name, arity);
        let own = self.db.find(module, functor);
        let own_kind = own.map(|it| self.db.get(it).kind);
        let locked_elsewhere = module != AtomId::SYSTEM
            && self.db.find(AtomId::SYSTEM, functor).is_some_and(|it| self.db.get(it).locked);
        let is_static = place != Place::Loaded
            && own.is_some_and(|it| {
                let pred = self.db.get(it);
                pred.kind == Kind::Clauses && !pred.dynamic && 0 < pred.n_clauses
            });
        let is_builtin = matches!(own_kind, Some(Kind::Builtin(_))) && module != AtomId::SYSTEM;
        if locked_elsewhere || is_builtin || is_static || crate::machine::is_control(functor) {
            let indicator = self.indicator(name, arity);
            return Err(self.permission_error("modify", "static_procedure", indicator));
        }
        // A definition in the module replaces an import.
        if let (Some(id), Some(Kind::Import(target))) = (own, own_kind) {
            if place != Place::Loaded && !self.db.get(target).dynamic {
                return Err(self.not_modifiable(target));
            }
            self.db.get_mut(id).kind = Kind::Undefined;
        }
        Ok(())
    }

    /// Calls a goal once while loading; its changes to the database are kept.
    pub(crate) fn run_once(&mut self, query: &Record, library: &mut dyn Library) -> Ending {
        loop {
            self.restart();
            let (globals, gensyms) = (self.run.globals.clone(), self.run.gensyms.clone());
            let random = self.run.random;
            let written = (self.run.output.text.len(), self.run.output.errors.len());
            self.db.begin_run();
            self.prepare(query);
            let limits = self.limits;
            self.limits.steps = self.load_steps.min(limits.steps);
            let ending = self.go();
            self.limits = limits;
            self.load_steps = self.load_steps.saturating_sub(self.control.steps);
            match ending {
                Ending::Stopped(Stop::Load(name)) => {
                    // The goal is called again after the library was loaded, so its effects so far are
                    // undone.
                    self.db.end_run();
                    (self.run.globals, self.run.gensyms) = (globals, gensyms);
                    self.run.output.truncate(written.0, written.1);
                    self.run.random = random;
                    if let Err(why) = self.load_library(&name, library) {
                        return Ending::Stopped(Stop::Refused(why));
                    }
                }
                Ending::True { .. } | Ending::False | Ending::Exception(_) | Ending::Stopped(_) => {
                    self.db.keep_run();
                    return ending;
                }
            }
        }
    }

    pub(crate) fn note_fault(&mut self, fault: &Fault, loading: &mut Loading) {
        let message = match fault {
            Fault::Ball(ball) => self.ball_text(*ball),
            Fault::Stop(stop) => format!("{stop:?}"),
        };
        loading.note(message);
    }
}

/// The maximum number of steps that all directives and expansions of a program together may take, because
/// they may not terminate.
pub(crate) const LOAD_STEPS: u64 = 50_000_000;

/// The prefix of names that stand for files loaded by goals. Names of libraries do not have it.
pub(crate) const NAMED_FILE: &str = "file:";

/// Where a clause is added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// At the end, because the clause is from a source file.
    Loaded,
    Front,
    Back,
}

impl Loading {
    fn new(path: String, file: u32, module: AtomId, importer: AtomId) -> Loading {
        Loading {
            path,
            file,
            module,
            line: 1,
            conditions: Vec::new(),
            report: LoadReport::default(),
            importer,
            units: Vec::new(),
            style: Style::default(),
        }
    }

    pub(crate) fn is_active(&self) -> bool {
        self.conditions.iter().all(|it| *it == Condition::Active)
    }

    pub(crate) fn note(&mut self, message: String) {
        let note = Note { file: self.path.clone(), line: self.line, column: 0, message };
        self.report.errors.push(note);
    }

    pub(crate) fn warn(&mut self, message: String) {
        let note = Note { file: self.path.clone(), line: self.line, column: 0, message };
        self.report.warnings.push(note);
    }
}

/// Converts ascending offsets to line numbers.
struct Lines<'a> {
    text: &'a str,
    at: usize,
    line: usize,
}

impl Lines<'_> {
    fn line_of(&mut self, offset: usize) -> usize {
        let passed = self.text.get(self.at..offset).unwrap_or("");
        self.line += passed.matches('\n').count();
        self.at = offset.max(self.at);
        self.line
    }
}
