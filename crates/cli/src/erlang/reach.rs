//! The call graph of the code under test: which functions a unit can reach.
//!
//! It is an over-approximation: a call whose target is known only at run time has an edge to every function that fits,
//! and since behaviours such as `gen_server` take the names of modules, an atom that names a module has an edge to all
//! of its exported functions.

use crate::erlang::code::Visibility;
use crate::erlang::project::{Module, Project};
use crate::erlang::unit::UnitName;
use erlang::ModuleCode;
use std::collections::{BTreeMap, BTreeSet};
use term::{Atom, Fun, Term};

/// The key of a map under which a struct has the name of its module; that name does not lead to calls.
const STRUCT: &str = "__struct__";

/// The functions and modules that one function refers to.
#[derive(Clone, Debug, Default)]
pub(crate) struct References {
    pub(crate) function: FunctionName,
    /// Functions of the same module.
    local: BTreeSet<FunctionName>,
    remote: BTreeSet<(Atom, FunctionName)>,
    /// Atoms that may be names of modules.
    atoms: BTreeSet<Atom>,
    /// Calls whose module or function is known only at run time.
    open: BTreeSet<OpenCall>,
}

impl References {
    /// Returns names and arities of functions in calls whose module is not a literal.
    pub(crate) fn called_somewhere(&self) -> impl Iterator<Item = (Atom, usize)> {
        self.open.iter().filter_map(|it| Some((it.name.clone()?, it.arity)))
    }
}

/// The name and arity of a function.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FunctionName(pub(crate) Atom, pub(crate) usize);

impl Default for FunctionName {
    fn default() -> FunctionName {
        FunctionName(Atom::new(""), 0)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct OpenCall {
    name: Option<Atom>,
    arity: usize,
}

/// Returns the references of each function of a module, in the order of the definitions.
pub(crate) fn references(code: &ModuleCode) -> Vec<References> {
    let definitions = code.core.as_tuple().and_then(|it| it.get(5));
    let definitions = definitions.and_then(Term::as_list).unwrap_or_default();
    definitions.iter().filter_map(definition).collect()
}

fn definition(term: &Term) -> Option<References> {
    let [variable, body] = term.as_tuple()? else { return None };
    let mut res = References { function: function_name(variable)?, ..References::default() };
    let mut todo = vec![body];
    while let Some(node) = todo.pop() {
        match node.as_tuple() {
            Some([kind, _, _]) if kind.as_atom() == Some("c_var") => {
                res.local.extend(function_name(node));
            }
            Some([kind, _, literal]) if kind.as_atom() == Some("c_literal") => {
                res.literal(literal);
            }
            Some([kind, _, module, name, args]) if kind.as_atom() == Some("c_call") => {
                let arity = args.as_list().map_or(0, <[Term]>::len);
                res.call(literal(module), literal(name), arity);
                let is_open = |it: &&Term| literal(it).is_none();
                todo.extend([module, name].into_iter().filter(is_open));
                todo.push(args);
                res.made_fun(literal(module), literal(name), args);
            }
            // Patterns are not searched: an atom in a pattern is compared, not called.
            Some([kind, _, _, guard, body]) if kind.as_atom() == Some("c_clause") => {
                todo.extend([guard, body]);
            }
            Some([kind, _, _, key, value]) if kind.as_atom() == Some("c_map_pair") => {
                if literal(key).is_none_or(|it| it.as_str() != STRUCT) {
                    todo.extend([key, value]);
                }
            }
            Some(parts) => todo.extend(parts),
            None => {
                if let Term::List(list) = node {
                    todo.extend(&list.items);
                    todo.push(&list.tail);
                }
            }
        }
    }
    Some(res)
}

/// Reads name and arity from `{c_var, Anno, {Name, Arity}}`.
fn function_name(variable: &Term) -> Option<FunctionName> {
    let [_, _, name] = variable.as_tuple()? else { return None };
    let [Term::Atom(name), Term::Int(arity)] = name.as_tuple()? else { return None };
    Some(FunctionName(name.clone(), usize::try_from(*arity).ok()?))
}

/// Reads the atom from `{c_literal, Anno, Atom}`.
fn literal(node: &Term) -> Option<&Atom> {
    let [kind, _, Term::Atom(atom)] = node.as_tuple()? else { return None };
    (kind.as_atom() == Some("c_literal")).then_some(atom)
}

/// Returns the functions from which a function that refers to one of these modules can be reached.
pub(crate) fn who_reaches(project: &Project, modules: &[&str]) -> BTreeSet<UnitName> {
    let graph = CallGraph::of(project);
    let mut mention = Vec::new();
    let mut all = Vec::new();
    for module in &project.modules {
        for it in &module.references {
            let name = named(module, &it.function.0, it.function.1);
            if it.remote.iter().any(|it| modules.contains(&it.0.as_str())) {
                mention.extend(graph.id(&name));
            }
            all.push(name);
        }
    }
    all.retain(|it| {
        let reached = graph.reachable(it);
        mention.iter().any(|it| reached.has(*it))
    });
    all.into_iter().collect()
}

impl References {
    /// The functions that it refers to by name. The module is `None` for functions of the same module.
    pub(crate) fn called(&self) -> impl Iterator<Item = (Option<&Atom>, &FunctionName)> {
        let local = self.local.iter().map(|it| (None, it));
        local.chain(self.remote.iter().map(|(module, name)| (Some(module), name)))
    }

    fn literal(&mut self, term: &Term) {
        match term {
            Term::Atom(atom) => {
                self.atoms.insert(atom.clone());
            }
            Term::List(list) => {
                list.items.iter().for_each(|it| self.literal(it));
                self.literal(&list.tail);
            }
            Term::Tuple(items) => items.iter().for_each(|it| self.literal(it)),
            Term::Map(pairs) => pairs.iter().for_each(|(key, value)| {
                if key.as_atom() != Some(STRUCT) {
                    self.literal(key);
                    self.literal(value);
                }
            }),
            Term::Fun(fun) => {
                if let Fun::External { module, function, arity } = &**fun {
                    let name = FunctionName(function.clone(), usize::from(*arity));
                    self.remote.insert((module.clone(), name));
                }
            }
            Term::Int(_)
            | Term::Big(_)
            | Term::Float(_)
            | Term::Nil
            | Term::Bits(_)
            | Term::Pid(_)
            | Term::Port(_)
            | Term::Ref(_) => (),
        }
    }

    fn call(&mut self, module: Option<&Atom>, name: Option<&Atom>, arity: usize) {
        match (module, name) {
            (Some(module), Some(name)) => {
                self.remote.insert((module.clone(), FunctionName(name.clone(), arity)));
            }
            (_, name) => {
                self.open.insert(OpenCall { name: name.cloned(), arity });
            }
        }
    }

    /// Records the target of `fun M:F/A`, or of `apply/3`.
    fn made_fun(&mut self, module: Option<&Atom>, name: Option<&Atom>, args: &Term) {
        let is = |it: Option<&Atom>, text: &str| it.is_some_and(|it| it.as_str() == text);
        let Some([target, function, arity, ..]) = args.as_list() else { return };
        if !is(module, "erlang") {
            return;
        }
        if is(name, "make_fun") {
            let arity = arity.as_tuple().and_then(|it| it.get(2)).and_then(Term::as_int);
            let arity = arity.and_then(|it| usize::try_from(it).ok()).unwrap_or(0);
            self.call(literal(target), literal(function), arity);
        } else if is(name, "apply") && literal(target).is_none() {
            // The number of arguments is unknown, so any exported function of this name may be called.
            self.open.insert(OpenCall { name: literal(function).cloned(), arity: usize::MAX });
        }
    }
}

/// The call graph of all functions under test.
///
/// Further nodes stand for the modules, with edges to their exported functions, and for the kinds of calls that are
/// resolved at run time. So the number of edges is linear in the size of the code.
#[derive(Clone, Debug, Default)]
pub(crate) struct CallGraph {
    functions: BTreeMap<UnitName, FunctionId>,
    /// The successors of each node.
    edges: Vec<Vec<usize>>,
}

/// A function under test: the number of its node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FunctionId(usize);

/// A set of functions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Functions {
    words: Vec<u64>,
}

impl CallGraph {
    pub(crate) fn of(project: &Project) -> CallGraph {
        let mut res = CallGraph::default();
        for module in &project.modules {
            for it in &module.references {
                res.add(named(module, &it.function.0, it.function.1));
            }
        }
        let mut modules: BTreeMap<&Atom, usize> = BTreeMap::new();
        for module in &project.modules {
            let functions = exports(module);
            let functions = functions.filter_map(|it| res.node(module, it.0, it.1)).collect();
            modules.insert(&module.name, res.push(functions));
        }
        let mut open: BTreeMap<&OpenCall, usize> = BTreeMap::new();
        for module in &project.modules {
            for found in &module.references {
                let local = found.local.iter();
                let mut edges: Vec<usize> =
                    local.filter_map(|it| res.node(module, &it.0, it.1)).collect();
                edges.extend(found.remote.iter().filter_map(|(module, function)| {
                    res.node(project.module(module)?, &function.0, function.1)
                }));
                edges.extend(found.atoms.iter().filter_map(|it| modules.get(it)));
                for call in &found.open {
                    let known = open.get(call).copied();
                    let node = known.unwrap_or_else(|| res.push(res.open_call(project, call)));
                    open.insert(call, node);
                    edges.push(node);
                }
                let of = res.node(module, &found.function.0, found.function.1);
                if let Some(of) = of.and_then(|it| res.edges.get_mut(it)) {
                    *of = edges;
                }
            }
        }
        for system in &project.systems {
            let entries = system.entries();
            let edges = entries.filter_map(|it| Some(res.id(&it)?.0)).collect();
            let id = res.push(edges);
            res.functions.insert(system.unit.clone(), FunctionId(id));
        }
        res
    }

    /// Returns the number of a function. A function without a definition gets a new node without edges.
    pub(crate) fn add(&mut self, name: UnitName) -> FunctionId {
        if let Some(known) = self.functions.get(&name) {
            return *known;
        }
        let res = FunctionId(self.push(Vec::new()));
        self.functions.insert(name, res);
        res
    }

    pub(crate) fn id(&self, name: &UnitName) -> Option<FunctionId> {
        self.functions.get(name).copied()
    }

    /// The functions under test that a call of the unit may reach.
    pub(crate) fn reachable(&self, unit: &UnitName) -> Functions {
        let mut res = Functions::default();
        let mut todo: Vec<usize> = self.id(unit).into_iter().map(|it| it.0).collect();
        while let Some(node) = todo.pop() {
            if res.insert(FunctionId(node)) {
                todo.extend(self.edges.get(node).into_iter().flatten());
            }
        }
        res
    }

    fn push(&mut self, edges: Vec<usize>) -> usize {
        self.edges.push(edges);
        self.edges.len() - 1
    }

    fn node(&self, module: &Module, function: &Atom, arity: usize) -> Option<usize> {
        self.id(&named(module, function, arity)).map(|it| it.0)
    }

    /// The nodes of the exported functions that fit a call that is resolved at run time.
    fn open_call(&self, project: &Project, call: &OpenCall) -> Vec<usize> {
        let fits = |name: &Atom, arity: usize| {
            call.name.as_ref().is_none_or(|it| it == name)
                && (call.arity == arity || call.arity == usize::MAX)
        };
        let of_module = |module| {
            let fitting = exports(module).filter(move |it| fits(it.0, it.1));
            fitting.filter_map(move |(name, arity)| self.node(module, name, arity))
        };
        project.modules.iter().flat_map(of_module).collect()
    }
}

impl Functions {
    /// Inserts a function; returns whether it is new.
    pub(crate) fn insert(&mut self, FunctionId(id): FunctionId) -> bool {
        let (word, bit) = (id / 64, 1 << (id % 64));
        self.words.resize(self.words.len().max(word + 1), 0);
        let Some(word) = self.words.get_mut(word) else { return false };
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    pub(crate) fn has(&self, FunctionId(id): FunctionId) -> bool {
        self.words.get(id / 64).is_some_and(|it| it & (1 << (id % 64)) != 0)
    }
}

fn named(module: &Module, function: &Atom, arity: usize) -> UnitName {
    UnitName { module: module.name.clone(), function: function.clone(), arity }
}

fn exports(module: &Module) -> impl Iterator<Item = (&Atom, usize)> {
    let exported = module.functions.iter().filter(|it| it.visibility == Visibility::Exported);
    exported.filter_map(|it| Some((&it.name, usize::try_from(it.arity).ok()?)))
}
