//! Modules, and name resolution in them.

use crate::code::{Kind, PredId};
use crate::data::{AtomId, FunctorId, Value};
use crate::machine::{Fault, Machine, Stop};
use crate::text::{Op, Syntax};
use rustc_hash::{FxHashMap, FxHashSet};

#[derive(Clone, Debug, Default)]
pub struct Modules {
    pub by_name: FxHashMap<AtomId, Module>,
    /// The files that were loaded, and their modules.
    pub(crate) loaded: FxHashMap<String, AtomId>,
    /// The names of libraries that were loaded or are being loaded, and their modules.
    pub(crate) libraries: FxHashMap<String, AtomId>,
    /// The index of the library: the file that exports a predicate.
    pub(crate) index: FxHashMap<FunctorId, String>,
    /// The paths of the loaded files. A file's index is its number in the places of clauses.
    pub(crate) files: Vec<String>,
    /// Tabled predicates, and the names that their clauses are stored under.
    pub(crate) tabled: FxHashMap<(AtomId, FunctorId), AtomId>,
    /// The names of libraries that cannot be loaded.
    pub(crate) missing: FxHashSet<String>,
}

#[derive(Clone, Debug, Default)]
pub struct Module {
    pub exports: Vec<FunctorId>,
    /// The operators that are exported to modules that import this one.
    pub(crate) ops: Vec<(AtomId, Op)>,
    pub file: Option<String>,
    pub(crate) syntax: Option<Syntax>,
    /// The predicates that are imported from a library file when they are first called.
    pub(crate) autoload: FxHashMap<FunctorId, String>,
    /// The module in which undefined names are looked up first. A test unit sees all predicates of the module
    /// around it.
    pub(crate) parent: Option<AtomId>,
}

impl Machine {
    pub(crate) fn syntax_of(&self, module: AtomId) -> Syntax {
        let own = self.modules.by_name.get(&module).and_then(|it| it.syntax);
        Syntax { module, ..own.unwrap_or_default() }
    }

    /// Calls a predicate that has no clauses in its module: resolves it in other modules, or raises the
    /// error.
    pub(crate) fn call_undefined(&mut self, id: PredId) -> Result<(), Fault> {
        if self.resolve(id)? {
            return self.enter_pred(id);
        }
        let pred = self.db.get(id);
        let (module, name, arity) = (pred.module, pred.name, pred.arity as usize);
        if pred.dynamic || pred.multifile || pred.discontiguous {
            return self.backtrack();
        }
        let mut indicator = self.indicator(name, arity);
        if module != AtomId::USER {
            indicator =
                self.heap.structure(FunctorId::QUALIFIED, &[Value::atom(module), indicator]);
        }
        let functor = self.atoms.functor(AtomId::EXISTENCE_ERROR, 2);
        let formal = self.heap.structure(functor, &[Value::atom(AtomId::PROCEDURE), indicator]);
        let context = self.caller_context();
        Err(Fault::Ball(self.heap.structure(FunctorId::ERROR_2, &[formal, context])))
    }

    /// Looks up the definition of a predicate in other modules. Returns whether there is one.
    pub(crate) fn resolve(&mut self, id: PredId) -> Result<bool, Fault> {
        let pred = self.db.get(id);
        if pred.kind != Kind::Undefined {
            return Ok(true);
        }
        let (module, functor) = (pred.module, pred.functor);
        if pred.dynamic {
            return Ok(false);
        }
        let defined = |machine: &Machine, module: AtomId| {
            let found = machine.db.find(module, functor)?;
            let kind = machine.db.get(found).kind;
            match kind {
                Kind::Undefined if machine.db.get(found).dynamic => Some(found),
                Kind::Undefined => None,
                Kind::Import(target) => Some(target),
                Kind::Clauses | Kind::Builtin(_) => Some(found),
            }
        };
        let mut target = None;
        let mut above = self.modules.by_name.get(&module).and_then(|it| it.parent);
        while let (None, Some(parent)) = (target, above) {
            target = defined(self, parent);
            above = self.modules.by_name.get(&parent).and_then(|it| it.parent);
        }
        target = target.or_else(|| defined(self, AtomId::SYSTEM));
        if target.is_none() && module != AtomId::USER {
            target = defined(self, AtomId::USER);
        }
        if target.is_none() {
            let hint = self.modules.by_name.get(&module).and_then(|it| it.autoload.get(&functor));
            if let Some(file) = hint.or_else(|| self.modules.index.get(&functor)).cloned() {
                if self.modules.missing.contains(&file) {
                    return Ok(false);
                }
                let Some(library) = self.modules.libraries.get(&file).copied() else {
                    return Err(Stop::Load(file).into());
                };
                target = defined(self, library);
            }
        }
        match target {
            Some(target) if target != id => {
                self.db.get_mut(id).kind = Kind::Import(target);
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Imports the exports of a module, or those in `only`, into another one.
    pub(crate) fn import(&mut self, from: AtomId, into: AtomId, only: Option<&[FunctorId]>) {
        let Some(module) = self.modules.by_name.get(&from) else { return };
        let (exports, ops) = (module.exports.clone(), module.ops.clone());
        for (name, op) in ops {
            self.ops.add(into, name, op);
        }
        for functor in exports {
            if only.is_some_and(|it| !it.contains(&functor)) {
                continue;
            }
            let (name, arity) = self.atoms.name_arity(functor);
            let mut target = self.db.pred(from, functor, name, arity);
            // The module re-exports a predicate that it imports itself.
            if let Kind::Import(other) = self.db.get(target).kind {
                target = other;
            }
            let id = self.db.pred(into, functor, name, arity);
            if id != target && matches!(self.db.get(id).kind, Kind::Undefined | Kind::Import(_)) {
                self.db.get_mut(id).kind = Kind::Import(target);
            }
        }
    }
}
