//! Determines how the functions of a project are called inside of it: the values of their arguments over all call
//! sites.
//!
//! This bounds the inputs that functions private to the project are meant for. It reads code without running any, and
//! over-approximates the values.

mod api;
mod delegates;
mod flow;
mod records;
mod value;

pub(crate) use records::Records;

use crate::erlang::callers::api::{Doc, Documentation, Manual};
use crate::erlang::callers::delegates::{answered_by, delegate_of};
use crate::erlang::callers::flow::{Callee, Inner, MAX_CHANGES, World, evaluate};
use crate::erlang::callers::records::Constructions;
use crate::erlang::callers::value::Value;
use crate::erlang::code::Visibility;
use crate::erlang::project::{Module, Project};
use crate::erlang::unit::UnitName;
use engine::{Part, Place};
use erlang::core::{self, read};
use rustc_hash::{FxHashMap, FxHashSet};
use specs::{Origin, Record, Signature};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use term::{Atom, Domain, Fun, Term, Type};
use trace::Input;

/// The arguments of a function over all of its call sites.
#[derive(Clone, Debug)]
pub(crate) struct Calls {
    args: Vec<Value>,
    /// The files and lines of the call sites.
    sites: BTreeSet<(String, u32)>,
}

/// How many call sites a message names.
const MAX_NAMED: usize = 3;

impl Calls {
    /// Explains that no call site passes such an input; `None` if one may.
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

impl Calls {
    /// Whether the arguments are known more precisely than [`Value::Any`] for at least one of these parts; true for no
    /// parts.
    pub(crate) fn says_something_of(&self, parts: &[Part]) -> bool {
        let says = |it: &Part| {
            let arg = self.args.get(it.place.argument).cloned().unwrap_or(Value::Any);
            it.place.steps.iter().fold(arg, |value, step| value.part(step)) != Value::Any
        };
        parts.is_empty() || parts.iter().any(says)
    }
}

/// A function that returns the spec of a function.
pub(crate) type SpecOf<'a> = &'a mut dyn FnMut(&UnitName) -> Option<Signature>;

/// The results of the analysis.
#[derive(Debug, Default)]
pub(crate) struct Flows {
    /// The calls of functions that the project calls and that are private to it.
    pub(crate) calls: FxHashMap<UnitName, Arc<Calls>>,
    pub(crate) records: Records,
    pub(crate) uses: Uses,
}

/// What functions are used for.
#[derive(Debug, Default)]
pub(crate) struct Uses {
    /// Functions that only pass their arguments on to one outside of the project.
    pub(crate) delegates: FxHashMap<UnitName, UnitName>,
    /// Functions whose result is always that of their last call, with the called function, which is in the project
    /// too.
    pub(crate) answered_by: FxHashMap<UnitName, UnitName>,
    /// Functions that are hidden in the documentation and that no code of the project refers to.
    pub(crate) left_alone: FxHashSet<UnitName>,
    /// Functions without documentation that no code of the project refers to. They may be callbacks if the behaviours
    /// of their modules can't be found.
    pub(crate) unmentioned: FxHashSet<UnitName>,
}

/// The maximum length of a chain of functions that return each other's results. Without a limit, a recursive function
/// would give an endless chain.
const MAX_ANSWERS: usize = 10;

impl Uses {
    /// Returns the function that computes the results of a unit: the end of the chain of functions that return the
    /// result of their last call.
    pub(crate) fn maker_of_results(&self, unit: &UnitName) -> UnitName {
        let next = |it: &&UnitName| self.answered_by.get(it);
        let chain = std::iter::successors(Some(unit), next).take(MAX_ANSWERS);
        chain.last().unwrap_or(unit).clone()
    }
}

/// Analyses the calls of private functions among the units, and the contents of the records that modules know.
pub(crate) fn flows(
    project: &Project,
    units: &[UnitName],
    records: &BTreeMap<Atom, Vec<Record>>,
    spec_of: SpecOf<'_>,
) -> Flows {
    let offer = Offer::of(project);
    let uses = Uses {
        delegates: FxHashMap::default(),
        answered_by: FxHashMap::default(),
        left_alone: units.iter().filter(|it| offer.is_left_alone(it)).cloned().collect(),
        unmentioned: units.iter().filter(|it| offer.is_unmentioned(it)).cloned().collect(),
    };
    let mut res = Flows { uses, ..Flows::default() };
    let mut modules = Vec::new();
    let mut functions = Vec::new();
    let mut by_name = FxHashMap::default();
    for module in &project.modules {
        let Ok(core) = read(&module.code.core, &module.code.file) else { continue };
        for (n, it) in module.functions.iter().enumerate() {
            let Ok(arity) = usize::try_from(it.arity) else { continue };
            let (module, function) = (module.name.clone(), it.name.clone());
            let name = UnitName { module, function, arity };
            let definition = core.functions.get(n);
            if let Some((module, function, arity)) =
                definition.and_then(|it| answered_by(&name.module, it))
                && project.module(&module).is_some()
            {
                let by = UnitName { module, function, arity };
                res.uses.answered_by.insert(name.clone(), by);
            }
            let delegate = definition.and_then(delegate_of);
            if let Some((module, function, arity)) = delegate
                && project.module(&module).is_none()
                && module.as_str() != "erlang"
            {
                let to = UnitName { module, function, arity };
                res.uses.delegates.insert(name.clone(), to);
            }
            let is_offered = offer.has(&name, it.visibility);
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
    let has_records = !records.values().all(Vec::is_empty);
    if !functions.iter().any(is_asked) && !has_records && res.uses.left_alone.is_empty() {
        return res;
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
        made: Constructions::default(),
        constants: FxHashSet::default(),
        spec_of,
    };
    for (n, it) in analysis.functions.iter().enumerate().filter(|it| it.1.is_exported) {
        let name = (it.name.function.clone(), it.name.arity);
        analysis.by_function.entry(name).or_default().push(n);
        analysis.by_module.entry(it.name.module.clone()).or_default().push(n);
    }
    analysis.perform(&modules);
    res.records = analysis.made.of_records(records);
    // A function whose name is in a constant may be called by a receiver of that constant.
    res.uses.left_alone.retain(|it| !analysis.constants.contains(&it.function));
    let bounded = analysis.functions.into_iter().filter(|it| !it.is_open && !it.sites.is_empty());
    let calls = bounded
        .filter_map(|it| Some((it.name, Arc::new(Calls { args: it.params?, sites: it.sites }))));
    res.calls = calls.collect();
    res
}

/// Decides which functions are public, that is, offered to users of the project.
struct Offer {
    docs: FxHashMap<Atom, Documentation>,
    has_docs: bool,
    manual: Manual,
    mentions: Mentions,
}

impl Offer {
    fn of(project: &Project) -> Offer {
        let modules = project.modules.iter();
        let docs: FxHashMap<Atom, Documentation> =
            modules.map(|it| (it.name.clone(), Documentation::of(it))).collect();
        let manual = Manual::of(project);
        let is_named = |it: &Module| {
            it.functions.iter().any(|function| manual.names(&it.name, &function.name))
        };
        let has_docs =
            docs.values().any(Documentation::is_there) || project.modules.iter().any(is_named);
        Offer { docs, has_docs, manual, mentions: Mentions::of(project) }
    }

    fn doc(&self, unit: &UnitName) -> Doc {
        let doc = self.docs.get(&unit.module).map(|it| it.doc(&unit.function, unit.arity));
        match doc.unwrap_or_default() {
            Doc::None if self.manual.names(&unit.module, &unit.function) => Doc::Shown,
            doc @ (Doc::None | Doc::Shown | Doc::Hidden) => doc,
        }
    }

    fn has(&self, unit: &UnitName, visibility: Visibility) -> bool {
        match (visibility, self.doc(unit)) {
            (Visibility::Local, _) | (_, Doc::Hidden) => !self.mentions.anywhere.contains(unit),
            (Visibility::Exported, Doc::Shown) => true,
            // In a project with documentation, an undocumented function is internal if other modules call it, or if
            // it may be a callback: a call of its name and arity has a module that is no literal.
            (Visibility::Exported, Doc::None) => {
                let Mentions { from_outside, of_some_module, .. } = &self.mentions;
                let name = (unit.function.clone(), unit.arity);
                !(self.has_docs && (from_outside.contains(unit) || of_some_module.contains(&name)))
            }
        }
    }

    fn is_unmentioned(&self, unit: &UnitName) -> bool {
        self.doc(unit) != Doc::Shown && !self.mentions.anywhere.contains(unit)
    }

    /// Whether its documentation hides it and no code of the project refers to it.
    fn is_left_alone(&self, unit: &UnitName) -> bool {
        self.has_docs && self.doc(unit) == Doc::Hidden && !self.mentions.anywhere.contains(unit)
    }
}

/// The functions that others refer to: anywhere, and from other modules.
struct Mentions {
    anywhere: FxHashSet<UnitName>,
    from_outside: FxHashSet<UnitName>,
    /// Names and arities of functions in calls whose module is not a literal: `Handler:event(E)`.
    of_some_module: FxHashSet<(Atom, usize)>,
}

impl Mentions {
    fn of(project: &Project) -> Mentions {
        let mut res = Mentions {
            anywhere: FxHashSet::default(),
            from_outside: FxHashSet::default(),
            of_some_module: FxHashSet::default(),
        };
        for module in &project.modules {
            for it in &module.references {
                res.of_some_module.extend(it.called_somewhere());
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

/// The state of the analysis for one function.
struct Known {
    name: UnitName,
    module: usize,
    /// The index among the definitions of the module.
    definition: usize,
    is_exported: bool,
    /// Whether the function may be called with arguments from outside.
    is_open: bool,
    /// `None`: no call was found yet.
    params: Option<Vec<Value>>,
    result: Value,
    /// The result that the spec promises.
    spec: Option<Value>,
    sites: BTreeSet<(String, u32)>,
    n_changes: usize,
    /// Whether a value that the function depends on has changed since its last evaluation.
    is_stale: bool,
    /// Functions that depend on its result.
    readers: BTreeSet<usize>,
}

struct Analysis<'a> {
    functions: Vec<Known>,
    by_name: FxHashMap<UnitName, usize>,
    /// Exported functions by name and arity, and by module.
    by_function: FxHashMap<(Atom, usize), Vec<usize>>,
    by_module: FxHashMap<Atom, Vec<usize>>,
    /// The results of functions outside of the project.
    specs: FxHashMap<UnitName, Value>,
    made: Constructions,
    /// Atoms that are used as values.
    constants: FxHashSet<Atom>,
    spec_of: SpecOf<'a>,
}

impl Analysis<'_> {
    /// Evaluates functions until a fixpoint is reached. Values only grow, and are widened after [`MAX_CHANGES`]
    /// changes, so that the iteration ends.
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
                // `__info__`, which Elixir's compiler generates, names all functions without calling any.
                if self.functions.get(n).is_some_and(|it| it.name.function.as_str() != "__info__") {
                    self.open_taken(&taken);
                }
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

    /// Marks functions as called from outside if their name and module are constants of the same function, since calls
    /// are often passed on as `{m, f, Args}`.
    fn open_taken(&mut self, taken: &[Atom]) {
        self.constants.extend(taken.iter().cloned());
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

    /// The result of a function for a caller, which is evaluated again when the result changes.
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

/// The function that is being evaluated.
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
            // A recursive call is no call site in messages, since it does not show what the function is meant for; its
            // arguments count all the same.
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

    fn makes(&mut self, parts: &[Option<Value>]) {
        self.analysis.made.add(&self.module.name, parts);
    }

    fn takes_constant(&mut self, term: &Term) {
        match term {
            Term::Atom(atom) => self.taken.push(atom.clone()),
            Term::List(list) => {
                list.items.iter().for_each(|it| self.takes_constant(it));
                self.takes_constant(&list.tail);
            }
            Term::Tuple(items) => {
                let parts: Vec<Option<Value>> =
                    items.iter().map(|it| Some(Value::of_term(it))).collect();
                self.makes(&parts);
                items.iter().for_each(|it| self.takes_constant(it));
            }
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
