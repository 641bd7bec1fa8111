//! Directives: declarations change the state of the loader; all other goals are called.

use crate::code::{Kind, Meta};
use crate::data::{AtomId, FunctorId, Record, Value, View};
use crate::machine::{Ending, Machine, Stop};
use crate::program::load::{Condition, Loading};
use crate::program::{File, Library, Module};
use crate::text::{Op, OpType, Syntax, TextKind, WriteOptions, write_term};

impl Machine {
    pub(crate) fn directive(
        &mut self,
        goal: Value,
        loading: &mut Loading,
        library: &mut dyn Library,
    ) {
        let goal = self.heap.deref(goal);
        let (name, arity) = self.heap.name_arity(goal, &self.atoms).unwrap_or((AtomId::EMPTY, 0));
        let name = self.atoms.name(name);
        if self.condition(&name, arity, goal, loading, library) || !loading.is_active() {
            return;
        }
        let arg = |machine: &Machine, n: usize| machine.heap.arg(goal, n);
        match (name.as_str(), arity) {
            (",", 2) if self.declares(goal) => {
                let second = Record::new(&self.heap, &self.atoms, arg(self, 1));
                self.directive(arg(self, 0), loading, library);
                let second = second.load(&mut self.heap);
                self.directive(second, loading, library);
            }
            ("module", 2) => self.declare_module(arg(self, 0), arg(self, 1), loading),
            ("use_module" | "ensure_loaded" | "reexport" | "consult" | "load_files", 1 | 2) => {
                let only =
                    if arity == 2 && name != "load_files" { Some(arg(self, 1)) } else { None };
                let exported = name == "reexport";
                self.use_files(arg(self, 0), only, exported, loading, library);
            }
            ("[|]", 2) => self.use_files(goal, None, false, loading, library),
            ("begin_tests", 1 | 2) => self.open_unit(goal, loading, library),
            ("end_tests", 1) if !loading.units.is_empty() => self.close_unit(goal, loading),
            ("autoload", 1 | 2) => {
                let only = (arity == 2).then(|| arg(self, 1));
                self.autoload(arg(self, 0), only, loading, library);
            }
            ("include", 1) => self.include(arg(self, 0), loading, library),
            ("dynamic" | "thread_local", 1 | 2) => {
                self.declare(arg(self, 0), loading, Declare::Dynamic);
            }
            ("table", 1) => self.declare_tabled(arg(self, 0), loading),
            ("det", 1) => self.declare(arg(self, 0), loading, Declare::Det),
            ("discontiguous", 1) => self.declare(arg(self, 0), loading, Declare::Discontiguous),
            ("multifile", 1) => self.declare(arg(self, 0), loading, Declare::Multifile),
            ("meta_predicate", 1) => self.declare_meta(arg(self, 0), loading),
            // The goal of `initialization(Goal, main)` is only called if the program is run as a whole.
            ("initialization", 2) if self.is_main(arg(self, 1)) => {
                let goal = arg(self, 0);
                let goal = self.in_module(loading.module, goal);
                loading.report.main.push(Record::new(&self.heap, &self.atoms, goal));
            }
            ("initialization", 1 | 2) => {
                let goal = arg(self, 0);
                let goal = self.in_module(loading.module, goal);
                loading.report.initialization.push(Record::new(&self.heap, &self.atoms, goal));
            }
            ("set_prolog_flag", 2) => {
                self.set_flag_directive(arg(self, 0), arg(self, 1), goal, loading, library);
            }
            ("style_check", 1) => self.check_style(arg(self, 0), loading),
            ("op", 3) => self.run_directive(goal, loading, library),
            (
                "public"
                | "volatile"
                | "noprofile"
                | "license"
                | "module_transparent"
                | "set_module"
                | "encoding"
                | "create_prolog_flag"
                | "garbage_collect"
                | "mode"
                | "pred"
                | "predicate_options"
                | "non_terminal"
                | "$hide"
                | "expects_dialect"
                | "prolog_load_context",
                _,
            ) => {}
            _ => self.run_directive(goal, loading, library),
        }
    }

    /// Whether a conjunction contains a directive for the loader. Then its goals are handled one by one,
    /// without the bindings of earlier goals.
    fn declares(&self, goal: Value) -> bool {
        let goal = self.heap.deref(goal);
        if goal.is_struct(FunctorId::AND) {
            return self.declares(self.heap.arg(goal, 0)) || self.declares(self.heap.arg(goal, 1));
        }
        let name = self.heap.name_arity(goal, &self.atoms).map(|it| self.atoms.text(it.0));
        name.is_some_and(|it| LOADERS.contains(&it))
    }

    fn is_main(&self, when: Value) -> bool {
        when.as_atom().is_some_and(|it| matches!(self.atoms.text(it), "main" | "program"))
    }

    /// Handles `if`, `elif`, `else` and `endif`. Returns whether the directive was one of them.
    fn condition(
        &mut self,
        name: &str,
        arity: usize,
        goal: Value,
        loading: &mut Loading,
        library: &mut dyn Library,
    ) -> bool {
        match (name, arity) {
            ("if", 1) => {
                let active = loading.is_active();
                let holds = active && self.holds(self.heap.arg(goal, 0), loading, library);
                let state = match (active, holds) {
                    (_, true) => Condition::Active,
                    (true, false) => Condition::Waiting,
                    (false, false) => Condition::Done,
                };
                loading.conditions.push(state);
            }
            ("elif", 1) => {
                let was = loading.conditions.pop();
                let next = match was {
                    Some(Condition::Waiting) if loading.is_active() => {
                        if self.holds(self.heap.arg(goal, 0), loading, library) {
                            Condition::Active
                        } else {
                            Condition::Waiting
                        }
                    }
                    Some(Condition::Waiting) => Condition::Waiting,
                    Some(Condition::Active | Condition::Done) | None => Condition::Done,
                };
                loading.conditions.push(next);
            }
            ("else", 0) => {
                let next = match loading.conditions.pop() {
                    Some(Condition::Waiting) => Condition::Active,
                    Some(Condition::Active | Condition::Done) | None => Condition::Done,
                };
                loading.conditions.push(next);
            }
            ("endif", 0) => {
                loading.conditions.pop();
            }
            _ => return false,
        }
        true
    }

    fn holds(&mut self, goal: Value, loading: &mut Loading, library: &mut dyn Library) -> bool {
        matches!(self.ask(goal, loading, library), Ending::True { .. })
    }

    pub(crate) fn ask(
        &mut self,
        goal: Value,
        loading: &Loading,
        library: &mut dyn Library,
    ) -> Ending {
        let goal = self.in_module(loading.module, goal);
        let query = self.heap.structure(FunctorId::PAIR, &[goal, Value::NIL]);
        let query = Record::new(&self.heap, &self.atoms, query);
        let saved = self.enter_text(loading);
        let ending = self.run_once(&query, library);
        self.leave_text(saved);
        ending
    }

    /// Records which text is being loaded while its goals run, so that they can ask for it. Returns the
    /// previous state.
    pub(crate) fn enter_text(&mut self, loading: &Loading) -> Outer {
        let place = Some((loading.path.clone(), loading.line));
        Outer {
            module: std::mem::replace(&mut self.load_module, loading.module),
            place: std::mem::replace(&mut self.load_place, place),
        }
    }

    pub(crate) fn leave_text(&mut self, outer: Outer) {
        self.load_module = outer.module;
        self.load_place = outer.place;
    }

    pub(crate) fn run_directive(
        &mut self,
        goal: Value,
        loading: &mut Loading,
        library: &mut dyn Library,
    ) {
        let text = write_term(&self.heap, &self.atoms, &self.ops, &WriteOptions::quoted(), goal);
        match self.ask(goal, loading, library) {
            Ending::True { .. } => {}
            Ending::False => loading.warn(format!("directive failed: {text}")),
            Ending::Exception(ball) => {
                let ball = ball.load(&mut self.heap);
                let why = self.ball_text(ball);
                loading.warn(format!("directive {text}: {why}"));
            }
            Ending::Stopped(Stop::Refused(why)) => loading.warn(format!("directive {text}: {why}")),
            Ending::Stopped(stop) => loading.warn(format!("directive {text}: {stop:?}")),
        }
    }

    fn declare_module(&mut self, name: Value, exports: Value, loading: &mut Loading) {
        let View::Atom(name) = name.view() else { return };
        let syntax = Syntax { module: name, ..Syntax::default() };
        let (items, _) = self.heap.list_items(exports);
        let (mut functors, mut ops) = (Vec::new(), Vec::new());
        for item in items {
            if let Some(functor) = self.read_indicator(item) {
                functors.push(functor);
            } else {
                ops.extend(self.read_op(item).unwrap_or_default());
            }
        }
        // The importer gets the module's operators before the rest of the file is read. Operators of the
        // program do not apply to library files.
        let is_library = loading.importer == AtomId::SYSTEM;
        if is_library {
            self.ops.put_below(name, AtomId::SYSTEM);
        }
        for (op_name, op) in &ops {
            self.ops.add(name, *op_name, *op);
            if !is_library {
                self.ops.add(loading.importer, *op_name, *op);
            }
        }
        self.modules.by_name.insert(
            name,
            Module {
                exports: functors,
                ops,
                file: Some(loading.path.clone()),
                syntax: Some(syntax),
                ..Module::default()
            },
        );
        self.modules.loaded.insert(loading.path.clone(), name);
        loading.module = name;
    }

    /// Reads a predicate indicator `Name/Arity` or `Name//Arity`.
    pub(crate) fn read_indicator(&mut self, item: Value) -> Option<FunctorId> {
        let item = self.heap.deref(item);
        let extra = match item.view() {
            View::Struct(FunctorId::INDICATOR, _) => 0,
            View::Struct(FunctorId::DCG_INDICATOR, _) => 2,
            View::Var(_)
            | View::Int(_)
            | View::Big(_)
            | View::Rational(_)
            | View::Float(_)
            | View::Atom(_)
            | View::Text(_)
            | View::Struct(..) => return None,
        };
        let name = self.heap.arg(item, 0).as_atom()?;
        let arity = usize::try_from(self.heap.arg(item, 1).as_int()?).ok()?;
        Some(self.atoms.functor(name, arity + extra))
    }

    /// Reads `op(Priority, Type, Names)`.
    fn read_op(&mut self, item: Value) -> Option<Vec<(AtomId, Op)>> {
        let item = self.heap.deref(item);
        let View::Struct(functor, _) = item.view() else { return None };
        let (name, arity) = self.atoms.name_arity(functor);
        if self.atoms.text(name) != "op" || arity != 3 {
            return None;
        }
        let priority = u16::try_from(self.heap.arg(item, 0).as_int()?).ok()?;
        let kind = OpType::from_name(self.atoms.text(self.heap.arg(item, 1).as_atom()?))?;
        let names = self.heap.arg(item, 2);
        let names = if names.is_cons() { self.heap.list_items(names).0 } else { vec![names] };
        let names =
            names.into_iter().filter_map(|it| self.strip_module(AtomId::USER, it).1.as_atom());
        Some(names.map(|it| (it, Op { priority, kind })).collect())
    }

    fn use_files(
        &mut self,
        what: Value,
        only: Option<Value>,
        exported: bool,
        loading: &mut Loading,
        library: &mut dyn Library,
    ) {
        if what.is_cons() {
            let items: Vec<Record> = self
                .heap
                .list_items(what)
                .0
                .iter()
                .map(|it| Record::new(&self.heap, &self.atoms, *it))
                .collect();
            for item in items {
                let item = item.load(&mut self.heap);
                self.use_files(item, None, exported, loading, library);
            }
            return;
        }
        let only = only.and_then(|it| self.import_list(it));
        let Some(module) = self.load_spec(what, loading, library) else { return };
        let into = loading.module;
        self.import(module, into, only.as_deref());
        if exported {
            let other = self.modules.by_name.get(&module).cloned().unwrap_or_default();
            let wanted = |it: &FunctorId| only.as_ref().is_none_or(|only| only.contains(it));
            let exports = other.exports.into_iter().filter(wanted);
            if let Some(own) = self.modules.by_name.get_mut(&into) {
                own.exports.extend(exports);
                own.ops.extend(other.ops);
            }
        }
    }

    fn import_list(&mut self, list: Value) -> Option<Vec<FunctorId>> {
        let list = self.heap.deref(list);
        if !list.is_cons() && !list.is_nil() {
            return None;
        }
        let (items, _) = self.heap.list_items(list);
        Some(items.into_iter().filter_map(|it| self.read_indicator(it)).collect())
    }

    /// Loads the file that a specification such as `library(lists)` names. Returns its module.
    fn load_spec(
        &mut self,
        what: Value,
        loading: &mut Loading,
        library: &mut dyn Library,
    ) -> Option<AtomId> {
        let text = write_term(&self.heap, &self.atoms, &self.ops, &WriteOptions::of_name(), what);
        if let Some(name) = self.library_name(what) {
            if let Err(why) = self.load_library(&name, library) {
                loading.note(why);
                return None;
            }
            let found = self.modules.libraries.get(&name).copied();
            if found.is_none() {
                loading.note(format!("no such file: {text}"));
            }
            return found;
        }
        let Some(file) = library.file(&text, &loading.path) else {
            loading.note(format!("no such file: {text}"));
            return None;
        };
        if let Some(module) = self.modules.loaded.get(&file.path) {
            return Some(*module);
        }
        let report = self.load_file(&file, loading.module, library);
        loading.report.errors.extend(report.errors);
        loading.report.warnings.extend(report.warnings);
        loading.report.initialization.extend(report.initialization);
        report.module
    }

    /// Returns the library name of a specification: `library(dcg/basics)` → `dcg/basics`.
    pub(crate) fn library_name(&mut self, what: Value) -> Option<String> {
        let View::Struct(functor, _) = what.view() else { return None };
        let (name, arity) = self.atoms.name_arity(functor);
        if self.atoms.text(name) != "library" || arity != 1 {
            return None;
        }
        let inner = self.heap.arg(what, 0);
        Some(write_term(&self.heap, &self.atoms, &self.ops, &WriteOptions::of_name(), inner))
    }

    fn autoload(
        &mut self,
        what: Value,
        only: Option<Value>,
        loading: &mut Loading,
        library: &mut dyn Library,
    ) {
        let Some(name) = self.library_name(what) else {
            self.use_files(what, only, false, loading, library);
            return;
        };
        let functors = match only.and_then(|it| self.import_list(it)) {
            Some(functors) => functors,
            None => self.exports_in_index(&name),
        };
        if let Some(module) = self.modules.by_name.get_mut(&loading.module) {
            functors.into_iter().for_each(|it| {
                module.autoload.insert(it, name.clone());
            });
        }
    }

    fn exports_in_index(&self, name: &str) -> Vec<FunctorId> {
        let mut res: Vec<FunctorId> =
            self.modules.index.iter().filter(|it| it.1 == name).map(|it| *it.0).collect();
        res.sort();
        res
    }

    fn include(&mut self, what: Value, loading: &mut Loading, library: &mut dyn Library) {
        let text = write_term(&self.heap, &self.atoms, &self.ops, &WriteOptions::of_name(), what);
        let found: Option<File> = match self.library_name(what) {
            Some(name) => library.library(&name),
            None => library.file(&text, &loading.path),
        };
        match found {
            Some(file) => self.load_text(&file.text, loading, library),
            None => loading.note(format!("no such file: {text}")),
        }
    }

    fn declare(&mut self, what: Value, loading: &Loading, declare: Declare) {
        let mut todo = vec![(loading.module, what)];
        while let Some((module, next)) = todo.pop() {
            let (module, next) = self.strip_module(module, next);
            if next.is_struct(FunctorId::AND) || next.is_cons() {
                todo.push((module, self.heap.arg(next, 0)));
                todo.push((module, self.heap.arg(next, 1)));
                continue;
            }
            let as_functor = self.atoms.functor_named("as", 2);
            if next.is_struct(as_functor) {
                todo.push((module, self.heap.arg(next, 0)));
                continue;
            }
            let Some(functor) = self.read_indicator(next) else { continue };
            let (name, arity) = self.atoms.name_arity(functor);
            let id = self.db.pred(module, functor, name, arity);
            let pred = self.db.get_mut(id);
            if matches!(pred.kind, Kind::Import(_)) {
                pred.kind = Kind::Undefined;
            }
            match declare {
                Declare::Dynamic => {
                    pred.dynamic = true;
                    pred.kind = Kind::Clauses;
                }
                Declare::Discontiguous => pred.discontiguous = true,
                Declare::Multifile => pred.multifile = true,
                Declare::Det => pred.det = true,
            }
        }
    }

    pub(crate) fn declare_dynamic(&mut self, module: AtomId, functor: FunctorId) {
        let (name, arity) = self.atoms.name_arity(functor);
        let id = self.db.pred(module, functor, name, arity);
        let pred = self.db.get_mut(id);
        pred.dynamic = true;
        pred.kind = Kind::Clauses;
    }

    fn declare_meta(&mut self, what: Value, loading: &Loading) {
        let mut todo = vec![(loading.module, what)];
        while let Some((module, next)) = todo.pop() {
            let (module, next) = self.strip_module(module, next);
            if next.is_struct(FunctorId::AND) || next.is_cons() {
                todo.push((module, self.heap.arg(next, 0)));
                todo.push((module, self.heap.arg(next, 1)));
                continue;
            }
            let View::Struct(functor, _) = next.view() else { continue };
            let (name, arity) = self.atoms.name_arity(functor);
            let meta: Vec<Meta> = (0..arity)
                .map(|n| match self.heap.arg(next, n).view() {
                    View::Int(_) => Meta::Qualified,
                    View::Atom(name) if matches!(self.atoms.text(name), "^" | "//" | ":") => {
                        Meta::Qualified
                    }
                    View::Var(_)
                    | View::Big(_)
                    | View::Rational(_)
                    | View::Float(_)
                    | View::Atom(_)
                    | View::Text(_)
                    | View::Struct(..) => Meta::Plain,
                })
                .collect();
            let id = self.db.pred(module, functor, name, arity);
            self.db.get_mut(id).meta = Some(meta.into());
        }
    }

    fn set_flag_directive(
        &mut self,
        flag: Value,
        value: Value,
        goal: Value,
        loading: &mut Loading,
        library: &mut dyn Library,
    ) {
        let kind = value.as_atom().and_then(|it| match self.atoms.text(it) {
            "codes" => Some(TextKind::Codes),
            "chars" => Some(TextKind::Chars),
            "atom" => Some(TextKind::Atom),
            "string" => Some(TextKind::String),
            _ => None,
        });
        let mut syntax = self.syntax_of(loading.module);
        match (flag.as_atom(), kind) {
            (Some(AtomId::DOUBLE_QUOTES), Some(kind)) => syntax.double_quotes = kind,
            (Some(AtomId::BACK_QUOTES), Some(kind)) => syntax.back_quotes = kind,
            _ => {
                self.run_directive(goal, loading, library);
                return;
            }
        }
        self.modules.by_name.entry(loading.module).or_default().syntax = Some(syntax);
    }
}

/// The directives that change what is loaded and how.
const LOADERS: &[&str] = &[
    "module",
    "use_module",
    "ensure_loaded",
    "reexport",
    "consult",
    "load_files",
    "[|]",
    "autoload",
    "include",
    "dynamic",
    "thread_local",
    "table",
    "discontiguous",
    "multifile",
    "meta_predicate",
    "initialization",
    "set_prolog_flag",
    "style_check",
    "op",
];

/// The module and place of the outer text, saved while goals of an inner one run.
#[derive(Debug)]
pub(crate) struct Outer {
    module: AtomId,
    place: Option<(String, usize)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Declare {
    Dynamic,
    Discontiguous,
    Multifile,
    Det,
}
