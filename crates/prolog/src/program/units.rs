//! Test units inside a text: `begin_tests/1,2` opens a module, `end_tests/1` closes it.
//!
//! The meaning of tests, and running them, is defined in Prolog (`plunit.pl`).

use crate::data::{AtomId, FunctorId, Heap, Record, Value};
use crate::machine::{Ending, Machine};
use crate::program::load::Loading;
use crate::program::{File, Library, Module};
use crate::text::{Syntax, TextKind};

/// Libraries that are part of the tool. They replace an installed one, or one that is implemented in C on
/// SWI-Prolog.
const EMBEDDED: &[(&str, &str)] = &[
    ("plunit", include_str!("plunit.pl")),
    ("pprint", include_str!("pprint.pl")),
    ("$dates", include_str!("dates.pl")),
    ("$depth", include_str!("depth.pl")),
];

/// The predicates of the embedded libraries that the index of SWI-Prolog's library does not have.
pub(crate) const OWN_INDEX: &[(&str, &[(&str, usize)])] = &[
    (
        "$dates",
        &[
            ("date_time_stamp", 2),
            ("stamp_date_time", 3),
            ("format_time", 3),
            ("format_time", 4),
            ("date_time_value", 3),
        ],
    ),
    ("$depth", &[("call_with_depth_limit", 3)]),
];

pub(crate) fn embedded(name: &str) -> Option<File> {
    let (_, text) = EMBEDDED.iter().find(|it| it.0 == name)?;
    Some(File { path: format!("{}.pl", name.trim_start_matches('$')), text: (*text).to_owned() })
}

impl Machine {
    pub(crate) fn open_unit(
        &mut self,
        goal: Value,
        loading: &mut Loading,
        library: &mut dyn Library,
    ) {
        let Some(unit) = self.heap.arg(goal, 0).as_atom() else {
            loading.note("a unit of tests has an atom as its name".to_owned());
            return;
        };
        let options = if goal.is_struct(self.atoms.functor_named("begin_tests", 2)) {
            self.heap.arg(goal, 1)
        } else {
            Value::NIL
        };
        let module = format!("plunit_{}", self.atoms.text(unit));
        let (module, file) = (self.atoms.intern(&module), self.atoms.intern(&loading.path));
        let args = [Value::atom(unit), Value::atom(module), Value::atom(file), options];
        let functor = self.atoms.functor_named("$open_unit", 4);
        let open = self.heap.structure(functor, &args);
        let plunit = Value::atom(self.atoms.intern("plunit"));
        let open = self.heap.structure(FunctorId::QUALIFIED, &[plunit, open]);
        let open = Record::new(&self.heap, &self.atoms, open);
        if let Err(why) = self.load_library("plunit", library) {
            loading.note(why);
            return;
        }
        self.heap = Heap::default();
        let open = open.load(&mut self.heap);
        match self.ask(open, loading, library) {
            Ending::True { .. } => {}
            Ending::Exception(ball) => {
                let text = self.exception_text(&ball);
                loading.note(text);
            }
            Ending::False | Ending::Stopped(_) => {
                loading.note("the unit of tests can't be opened".to_owned());
            }
        }
        self.ops.put_below(module, loading.module);
        // As on SWI-Prolog, this does not depend on the flags of the text around the unit.
        let double_quotes = TextKind::String;
        let syntax = Syntax { module, double_quotes, ..self.syntax_of(loading.module) };
        self.modules.by_name.insert(
            module,
            Module {
                file: Some(loading.path.clone()),
                syntax: Some(syntax),
                parent: Some(loading.module),
                ..Module::default()
            },
        );
        loading.units.push((unit, loading.module));
        loading.module = module;
    }

    pub(crate) fn close_unit(&mut self, goal: Value, loading: &mut Loading) {
        let Some((unit, outside)) = loading.units.pop() else { return };
        let named = self.heap.arg(goal, 0);
        if !named.is_atom(unit) {
            let unit = self.atoms.text(unit).to_owned();
            loading.note(format!("end_tests: the current unit is {unit}"));
        }
        loading.module = outside;
    }

    /// Translates a test in an open unit to clauses; `None` if the term is not a test.
    pub(crate) fn test_clauses(
        &mut self,
        term: Value,
        loading: &mut Loading,
        library: &mut dyn Library,
    ) -> Option<Vec<Value>> {
        if loading.units.is_empty() {
            return None;
        }
        let head = if term.is_struct(FunctorId::RULE) { self.heap.arg(term, 0) } else { term };
        let (name, arity) = self.heap.name_arity(head, &self.atoms)?;
        if self.atoms.text(name) != "test" || !(1..=2).contains(&arity) {
            return None;
        }
        let result = self.heap.fresh();
        let functor = self.atoms.functor_named("$test_clauses", 4);
        let args = [term, Value::size(loading.line), Value::atom(loading.module), result];
        let goal = self.heap.structure(functor, &args);
        let plunit: AtomId = self.atoms.intern("plunit");
        let clauses = self.ask_for_terms(plunit, goal, result, library).unwrap_or_default();
        let mistake = self.atoms.functor_named("$mistake", 1);
        match clauses.as_slice() {
            [] => loading.note("this test is not understood".to_owned()),
            [only] if only.is_struct(mistake) => {
                let why = self.heap.arg(*only, 0);
                let why = why.as_atom().map_or(String::new(), |it| self.atoms.text(it).to_owned());
                loading.note(why);
                return Some(Vec::new());
            }
            _ => {}
        }
        Some(clauses)
    }
}
