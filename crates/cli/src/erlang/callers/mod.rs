//! How the functions of a project are called inside of it: what their arguments may be at all places of call.
//!
//! It bounds what those functions are meant for that the project does not offer to others. Runs nothing: it
//! reads the code, and errs on the side of more values.

mod api;
mod flow;
mod value;

use crate::erlang::callers::api::{Doc, Documentation};
use crate::erlang::callers::flow::{Callee, Inner, MAX_CHANGES, World, evaluate};
use crate::erlang::callers::value::Value;
use crate::erlang::code::Visibility;
use crate::erlang::project::Project;
use crate::erlang::unit::UnitName;
use engine::{Part, Place};
use erlang::core::{self, read};
use erlang::spec::{Origin, Signature};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::sync::Arc;
use term::{Atom, Domain, Fun, Term, Type};
use trace::Input;

/// What a function is given at its places of call.
#[derive(Clone, Debug)]
pub(crate) struct Calls {
    args: Vec<Value>,
    /// File and line.
    sites: BTreeSet<(String, u32)>,
}

/// Places of call that are named.
const MAX_NAMED: usize = 3;

impl Calls {
    /// Why no place of call gives such an input, if none does.
    pub(crate) fn refusal(&self, input: &Input) -> Option<String> {
        let misfit =
            self.args.iter().zip(&input.args).enumerate().find_map(|(n, (arg, term))| {
                arg.misfit(term, Place { argument: n, steps: Vec::new() })
            })?;
        let Part { place, .. } = &misfit.part;
        let sites = self.sites.iter().take(MAX_NAMED).map(|(file, line)| format!("{file}:{line}"));
        let more = match self.sites.len().saturating_sub(MAX_NAMED) {
            0 => String::new(),
            n => format!(" and {n} more"),
        };
        let sites: Vec<String> = sites.collect();
        let what = misfit.what();
        let are = if self.sites.len() == 1 { "the call is" } else { "calls are" };
        let sites = sites.join(", ");
        Some(format!("no call in the project gives {what} as {place}: {are} in {sites}{more}"))
    }
}

/// Asked for the spec of a function, its module's own.
pub(crate) type SpecOf<'a> = &'a mut dyn FnMut(&UnitName) -> Option<Signature>;

/// Of those functions among the units that the project calls and does not offer to others.
pub(crate) fn calls(
    project: &Project,
    units: &[UnitName],
    spec_of: SpecOf<'_>,
) -> FxHashMap<UnitName, Arc<Calls>> {
    let docs: FxHashMap<&Atom, Documentation> =
        project.modules.iter().map(|it| (&it.name, Documentation::of(it))).collect();
    let has_docs = docs.values().any(Documentation::is_there);
    let mentions = Mentions::of(project);
    let is_offered = |unit: &UnitName, visibility: Visibility| {
        let doc = docs.get(&unit.module).map(|it| it.doc(&unit.function, unit.arity));
        match (visibility, doc.unwrap_or_default()) {
            (Visibility::Local, _) | (_, Doc::Hidden) => !mentions.anywhere.contains(unit),
            (Visibility::Exported, Doc::Shown) => true,
            // Where functions are documented, one that is not and that other modules call is theirs.
            (Visibility::Exported, Doc::None) => {
                !(has_docs && mentions.from_outside.contains(unit))
            }
        }
    };
    let mut modules = Vec::new();
    let mut functions = Vec::new();
    let mut by_name = FxHashMap::default();
    for module in &project.modules {
        let Ok(core) = read(&module.code.core, &module.code.file) else { continue };
        for (n, it) in module.functions.iter().enumerate() {
            let Ok(arity) = usize::try_from(it.arity) else { continue };
            let (module, function) = (module.name.clone(), it.name.clone());
            let name = UnitName { module, function, arity };
            let is_offered = is_offered(&name, it.visibility);
            by_name.insert(name.clone(), functions.len());
            functions.push(Known {
                module: modules.len(),
                definition: n,
                is_open: is_offered,
                is_exported: it.visibility == Visibility::Exported,
                params: None,
                result: Value::NONE,
                spec: None,
                sites: BTreeSet::new(),
                n_changes: 0,
                is_stale: true,
                readers: BTreeSet::new(),
                name,
            });
        }
        modules.push(core);
    }
    let is_asked = |it: &Known| !it.is_open && units.contains(&it.name);
    if !functions.iter().any(is_asked) {
        return FxHashMap::default();
    }
    for it in &mut functions {
        let signature = spec_of(&it.name).filter(|it| it.origin == Origin::Spec);
        it.spec = signature.as_ref().map(result_of);
        if it.is_open {
            let args = signature.as_ref().and_then(|spec| args_of(&spec.domain, it.name.arity));
            it.params = Some(args.unwrap_or_else(|| vec![Value::Any; it.name.arity]));
        }
    }
    let mut analysis = Analysis {
        by_name,
        by_function: FxHashMap::default(),
        by_module: FxHashMap::default(),
        functions,
        specs: FxHashMap::default(),
        spec_of,
    };
    for (n, it) in analysis.functions.iter().enumerate().filter(|it| it.1.is_exported) {
        let name = (it.name.function.clone(), it.name.arity);
        analysis.by_function.entry(name).or_default().push(n);
        analysis.by_module.entry(it.name.module.clone()).or_default().push(n);
    }
    analysis.perform(&modules);
    let bounded = analysis.functions.into_iter().filter(|it| !it.is_open && !it.sites.is_empty());
    bounded
        .filter_map(|it| {
            let args = it.params?;
            let says_something = args.iter().any(|it| *it != Value::Any);
            says_something.then(|| (it.name, Arc::new(Calls { args, sites: it.sites })))
        })
        .collect()
}

/// Which functions others mention.
struct Mentions {
    anywhere: FxHashSet<UnitName>,
    from_outside: FxHashSet<UnitName>,
}

impl Mentions {
    fn of(project: &Project) -> Mentions {
        let mut res =
            Mentions { anywhere: FxHashSet::default(), from_outside: FxHashSet::default() };
        for module in &project.modules {
            for it in &module.references {
                for (of, name) in it.called() {
                    let of = of.unwrap_or(&module.name);
                    let (function, arity) = (name.0.clone(), name.1);
                    let unit = UnitName { module: of.clone(), function, arity };
                    if *of == module.name && *name == it.function {
                        continue;
                    }
                    if *of != module.name {
                        res.from_outside.insert(unit.clone());
                    }
                    res.anywhere.insert(unit);
                }
            }
        }
        res
    }
}

/// What is known of a function.
struct Known {
    name: UnitName,
    module: usize,
    /// Its number among the definitions of the module.
    definition: usize,
    is_exported: bool,
    /// Whether it may be called with what no place of call shows.
    is_open: bool,
    /// `None`: nobody was seen to call it.
    params: Option<Vec<Value>>,
    result: Value,
    /// What the spec promises of the result.
    spec: Option<Value>,
    sites: BTreeSet<(String, u32)>,
    n_changes: usize,
    /// Whether something that it depends on has changed since it was evaluated.
    is_stale: bool,
    /// Functions that depend on its result.
    readers: BTreeSet<usize>,
}

struct Analysis<'a> {
    functions: Vec<Known>,
    by_name: FxHashMap<UnitName, usize>,
    /// Exported ones, by name and arity, and by module.
    by_function: FxHashMap<(Atom, usize), Vec<usize>>,
    by_module: FxHashMap<Atom, Vec<usize>>,
    /// Results of functions outside of the project.
    specs: FxHashMap<UnitName, Value>,
    spec_of: SpecOf<'a>,
}

impl Analysis<'_> {
    /// Evaluates all functions until nothing new is learnt. Sets only grow, and of one that grows too
    /// often anything is a member, so that there is an end.
    fn perform(&mut self, modules: &[core::Module]) {
        let mut inner: Vec<Inner> = self.functions.iter().map(|_| Inner::default()).collect();
        loop {
            let mut is_over = true;
            for n in 0..self.functions.len() {
                let Some(known) = self.functions.get_mut(n) else { continue };
                if !std::mem::take(&mut known.is_stale) {
                    continue;
                }
                is_over = false;
                let Some(module) = modules.get(known.module) else { continue };
                let Some(function) = module.functions.get(known.definition) else { continue };
                let (Some(params), Some(inner)) = (known.params.clone(), inner.get_mut(n)) else {
                    continue;
                };
                if params.iter().any(Value::is_none) {
                    continue;
                }
                inner.has_changed = false;
                let mut place = Caller { of: n, module, analysis: self, taken: Vec::new() };
                let result = evaluate(function, &params, inner, &mut place);
                let taken = place.taken;
                self.open_taken(&taken);
                if inner.has_changed {
                    self.make_stale(n);
                }
                self.add_result(n, result);
            }
            if is_over {
                return;
            }
        }
    }

    fn make_stale(&mut self, n: usize) {
        if let Some(known) = self.functions.get_mut(n) {
            known.is_stale = true;
        }
    }

    fn add_result(&mut self, n: usize, result: Value) {
        let Some(known) = self.functions.get_mut(n).filter(|it| it.spec.is_none()) else { return };
        let joined = known.result.clone().or(result).flat();
        if joined != known.result {
            known.n_changes += 1;
            known.result = if MAX_CHANGES < known.n_changes { Value::Any } else { joined };
            for reader in known.readers.clone() {
                self.make_stale(reader);
            }
        }
    }

    /// Opens functions whose name and module are constants of the same function: `{m, f, Args}` is how calls
    /// are passed on.
    fn open_taken(&mut self, taken: &[Atom]) {
        let taken: FxHashSet<&Atom> = taken.iter().collect();
        let of_modules = taken.iter().filter_map(|it| self.by_module.get(*it)).flatten();
        for n in of_modules {
            let Some(it) = self.functions.get_mut(*n) else { continue };
            if !it.is_open && taken.contains(&it.name.function) {
                open(it);
            }
        }
    }

    fn give(&mut self, n: usize, args: &[Value], site: (String, u32)) {
        let Some(known) = self.functions.get_mut(n) else { return };
        known.sites.insert(site);
        if known.is_open || args.iter().any(Value::is_none) {
            return;
        }
        let joined: Vec<Value> = match &known.params {
            None => args.to_vec(),
            Some(params) => {
                params.iter().zip(args).map(|(a, b)| a.clone().or(b.clone()).flat()).collect()
            }
        };
        if known.params.as_ref() == Some(&joined) {
            return;
        }
        known.n_changes += 1;
        known.is_stale = true;
        let is_endless = MAX_CHANGES < known.n_changes;
        let before = known.params.take();
        let widened = joined.into_iter().enumerate().map(|(at, it)| {
            let is_same = before.as_ref().and_then(|before| before.get(at)) == Some(&it);
            if is_endless && !is_same { Value::Any } else { it }
        });
        known.params = Some(widened.collect());
    }

    /// What a function returns, for another one.
    fn result(&mut self, name: &UnitName, reader: usize) -> Value {
        if let Some(known) = self.by_name.get(name).and_then(|it| self.functions.get_mut(*it)) {
            known.readers.insert(reader);
            return known.spec.clone().unwrap_or_else(|| known.result.clone());
        }
        if let Some(known) = self.specs.get(name) {
            return known.clone();
        }
        let res = (self.spec_of)(name).as_ref().map_or(Value::Any, result_of);
        self.specs.insert(name.clone(), res.clone());
        res
    }
}

fn open(known: &mut Known) {
    known.is_stale |= !known.is_open;
    known.is_open = true;
    known.params = Some(vec![Value::Any; known.name.arity]);
}

/// A function that is being evaluated.
struct Caller<'a, 'w> {
    of: usize,
    module: &'a core::Module,
    analysis: &'a mut Analysis<'w>,
    /// Atoms that it uses as values.
    taken: Vec<Atom>,
}

impl World for Caller<'_, '_> {
    fn call(&mut self, callee: Callee<'_>, args: Vec<Value>, at: core::Place) -> Value {
        let file = self.module.files.get(usize::from(at.file)).map_or("", |it| it.as_str());
        let file = file.rsplit('/').next().unwrap_or(file).to_owned();
        let site = (file, at.line);
        if let Callee::OfSomeModule(name) = callee {
            let fitting = self.analysis.by_function.get(&(name.clone(), args.len())).cloned();
            for n in fitting.into_iter().flatten() {
                self.analysis.give(n, &args, site.clone());
            }
            return Value::Any;
        }
        let (module, function) = match callee {
            Callee::Local(name) | Callee::OfSomeModule(name) => (&self.module.name, name),
            Callee::Remote(module, name) => (module, name),
        };
        let (module, function) = (module.clone(), function.clone());
        let name = UnitName { module, function, arity: args.len() };
        if let Some(n) = self.analysis.by_name.get(&name).copied() {
            // That it calls itself says where it is in its work, not what it is meant for; what it gives
            // itself counts all the same.
            if n == self.of {
                let sites = self.analysis.functions.get(n).map(|it| it.sites.clone());
                self.analysis.give(n, &args, site);
                if let (Some(known), Some(sites)) = (self.analysis.functions.get_mut(n), sites) {
                    known.sites = sites;
                }
            } else {
                self.analysis.give(n, &args, site);
            }
        }
        if args.iter().any(Value::is_none) {
            return Value::NONE;
        }
        self.analysis.result(&name, self.of)
    }

    fn takes_function(&mut self, name: &Atom, arity: u32) {
        let Ok(arity) = usize::try_from(arity) else { return };
        let unit = UnitName { module: self.module.name.clone(), function: name.clone(), arity };
        self.open(&unit);
    }

    fn takes_constant(&mut self, term: &Term) {
        match term {
            Term::Atom(atom) => self.taken.push(atom.clone()),
            Term::List(list) => {
                list.items.iter().for_each(|it| self.takes_constant(it));
                self.takes_constant(&list.tail);
            }
            Term::Tuple(items) => items.iter().for_each(|it| self.takes_constant(it)),
            Term::Map(pairs) => pairs.iter().for_each(|(key, value)| {
                self.takes_constant(key);
                self.takes_constant(value);
            }),
            Term::Fun(fun) => {
                if let Fun::External { module, function, arity } = &**fun {
                    let (module, function) = (module.clone(), function.clone());
                    self.open(&UnitName { module, function, arity: usize::from(*arity) });
                }
            }
            Term::Int(_) | Term::Big(_) | Term::Float(_) | Term::Nil | Term::Bits(_) => {}
            Term::Pid(_) | Term::Port(_) | Term::Ref(_) => {}
        }
    }
}

impl Caller<'_, '_> {
    fn open(&mut self, unit: &UnitName) {
        let Some(n) = self.analysis.by_name.get(unit).copied() else { return };
        if let Some(known) = self.analysis.functions.get_mut(n)
            && !known.is_open
        {
            open(known);
        }
    }
}

/// The arguments that a spec allows.
fn args_of(domain: &Domain, arity: usize) -> Option<Vec<Value>> {
    let Domain { types, args } = domain;
    let args = (*args)?;
    let alternatives =
        if let Type::Union(parts) = types.get(args) { parts.to_vec() } else { vec![args] };
    let mut res = vec![Value::NONE; arity];
    for it in alternatives {
        let Type::Tuple(parts) = types.get(it) else { return None };
        for (value, part) in res.iter_mut().zip(parts) {
            *value = std::mem::replace(value, Value::NONE).or(Value::of_type(types, *part));
        }
    }
    Some(res)
}

fn result_of(signature: &Signature) -> Value {
    let types = &signature.result_types;
    Value::union(signature.results.iter().map(|it| Value::of_type(types, *it))).flat()
}
