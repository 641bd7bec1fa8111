//! Style warnings of the loader, as in SWI-Prolog: variables that occur once in a clause, and predicates whose
//! clauses are not together.

use crate::code::{ClauseId, PredId};
use crate::data::Value;
use crate::machine::Machine;
use crate::program::load::Loading;
use rustc_hash::FxHashMap;

/// The checks that are enabled for a text, and the predicates that it has defined so far.
#[derive(Debug)]
pub(crate) struct Style {
    pub(crate) singletons: bool,
    discontiguous: bool,
    /// The predicate of the last clause.
    last: Option<PredId>,
    /// The line of the first clause of each predicate.
    first_lines: FxHashMap<PredId, usize>,
}

impl Default for Style {
    fn default() -> Style {
        Style {
            singletons: true,
            discontiguous: true,
            last: None,
            first_lines: FxHashMap::default(),
        }
    }
}

impl Machine {
    /// Enables or disables checks as `:- style_check(-singleton)` says, or a list of such terms.
    pub(crate) fn check_style(&mut self, what: Value, loading: &mut Loading) {
        let what = self.heap.deref(what);
        if what.is_cons() {
            for item in self.heap.list_items(what).0 {
                self.check_style(item, loading);
            }
            return;
        }
        let Some((sign, 1)) = self.heap.name_arity(what, &self.atoms) else { return };
        let is_on = self.atoms.text(sign) == "+";
        let Some(name) = self.heap.arg(what, 0).as_atom() else { return };
        match self.atoms.text(name) {
            "singleton" => loading.style.singletons = is_on,
            "discontiguous" => loading.style.discontiguous = is_on,
            _ => {}
        }
    }

    /// Warns if the clause that was just added follows clauses of another predicate although its own predicate has
    /// earlier clauses in the same text.
    pub(crate) fn check_together(&mut self, clause: ClauseId, loading: &mut Loading) {
        let id = self.db.clause(clause).pred;
        // Each test of a test unit is a predicate of its own, so tests are not checked.
        if !loading.units.is_empty() {
            return;
        }
        let last = loading.style.last.replace(id);
        let first_line = *loading.style.first_lines.entry(id).or_insert(loading.line);
        let Some(last) = last.filter(|it| *it != id && first_line < loading.line) else { return };
        let pred = self.db.get(id);
        if pred.discontiguous || pred.multifile || !loading.style.discontiguous {
            return;
        }
        let (own, other) = (self.written_name(id), self.written_name(last));
        loading.warn(format!(
            "Clauses of {own} are not together in the source-file: the first stands in line {first_line}, \
             those of {other} come between (:- discontiguous {own}. says that this is meant)"
        ));
    }

    /// Returns the indicator of a predicate with the name that the program's text uses: `p/1`.
    fn written_name(&self, id: PredId) -> String {
        let pred = self.db.get(id);
        format!("{}/{}", self.atoms.text(self.source_name(id)), pred.arity)
    }
}
