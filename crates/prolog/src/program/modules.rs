//! Modules, and finding what a name means in one of them.

use crate::code::{Kind, PredId};
use crate::data::{AtomId, FunctorId, Value};
use crate::machine::{Fault, Machine, Stop};
use crate::text::{Op, Syntax};
use rustc_hash::{FxHashMap, FxHashSet};

#[derive(Clone, Debug, Default)]
pub struct Modules {
    pub by_name: FxHashMap<AtomId, Module>,
    /// Files that were loaded, and the modules they are.
    pub(crate) loaded: FxHashMap<String, AtomId>,
    /// Library names that were loaded or are being loaded.
    pub(crate) libraries: FxHashMap<String, AtomId>,
    /// Which library file exports what.
    pub(crate) index: FxHashMap<FunctorId, String>,
    /// Numbers of files, for places of clauses.
    pub(crate) files: Vec<String>,
    /// Tabled predicates: their clauses belong to another name.
    pub(crate) tabled: FxHashMap<(AtomId, FunctorId), AtomId>,
    /// Libraries that can't be loaded.
    pub(crate) missing: FxHashSet<String>,
}

#[derive(Clone, Debug, Default)]
pub struct Module {
    pub exports: Vec<FunctorId>,
    /// Operators that whoever imports the module gets.
    pub(crate) ops: Vec<(AtomId, Op)>,
    pub file: Option<String>,
    pub(crate) syntax: Option<Syntax>,
    /// Predicates that a library file has, if they turn out to be needed.
    pub(crate) autoload: FxHashMap<FunctorId, String>,
    /// Where names that are not defined here are looked for first: a unit of tests sees everything
    /// of the module it is written in.
    pub(crate) parent: Option<AtomId>,
}

impl Machine {
    pub(crate) fn syntax_of(&self, module: AtomId) -> Syntax {
        let own = self.modules.by_name.get(&module).and_then(|it| it.syntax);
        Syntax { module, ..own.unwrap_or_default() }
    }

    /// Calls a predicate that has no clauses here: finds it elsewhere, or raises the error.
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

    /// Looks for a predicate's definition in other modules; whether there is one.
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

    /// Makes everything that a module exports, or the named part of it, known in another one.
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
            // What the module itself has from elsewhere.
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
