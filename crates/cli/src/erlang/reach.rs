//! Which functions a unit can come to, by what the code mentions.
//!
//! Errs on the side of more: a call that is only known at run time may go to every function that
//! fits, and a module named in passing may have every exported function called (`gen_server`).

use crate::erlang::code::Visibility;
use crate::erlang::project::Project;
use crate::erlang::unit::UnitName;
use erlang::ModuleCode;
use std::collections::BTreeSet;
use term::{Atom, Fun, Term};

/// What one function mentions.
#[derive(Clone, Debug, Default)]
pub(crate) struct References {
    pub(crate) function: FunctionName,
    /// Functions of the same module.
    local: BTreeSet<FunctionName>,
    remote: BTreeSet<(Atom, FunctionName)>,
    /// Atoms that may be the names of modules.
    atoms: BTreeSet<Atom>,
    /// Calls whose module or function is not known before they happen.
    open: BTreeSet<OpenCall>,
}

/// A function and its arity.
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

/// For each function of a module, in the order of their definitions.
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

/// Of `{c_var, Anno, {Name, Arity}}`.
fn function_name(variable: &Term) -> Option<FunctionName> {
    let [_, _, name] = variable.as_tuple()? else { return None };
    let [Term::Atom(name), Term::Int(arity)] = name.as_tuple()? else { return None };
    Some(FunctionName(name.clone(), usize::try_from(*arity).ok()?))
}

/// Of `{c_literal, Anno, Atom}`.
fn literal(node: &Term) -> Option<&Atom> {
    let [kind, _, Term::Atom(atom)] = node.as_tuple()? else { return None };
    (kind.as_atom() == Some("c_literal")).then_some(atom)
}

impl References {
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
                self.literal(key);
                self.literal(value);
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

    /// `fun M:F/A`, and `apply/3` and its like.
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
            // Any exported function may be meant, of any arity.
            self.open.insert(OpenCall { name: literal(function).cloned(), arity: usize::MAX });
        }
    }
}

/// The functions of the modules under test that a call of the unit may come to.
pub(crate) fn reachable(project: &Project, unit: &UnitName) -> BTreeSet<UnitName> {
    let mut res = BTreeSet::new();
    let mut todo = vec![unit.clone()];
    while let Some(name) = todo.pop() {
        let Some(module) = project.module(&name.module) else { continue };
        let of = FunctionName(name.function.clone(), name.arity);
        let Some(found) = module.references.iter().find(|it| it.function == of) else { continue };
        if !res.insert(name.clone()) {
            continue;
        }
        let unit = |module: &Atom, of: &FunctionName| UnitName {
            module: module.clone(),
            function: of.0.clone(),
            arity: of.1,
        };
        todo.extend(found.local.iter().map(|it| unit(&name.module, it)));
        todo.extend(found.remote.iter().map(|it| unit(&it.0, &it.1)));
        for module in &project.modules {
            let is_named = found.atoms.contains(&module.name);
            for (function, arity) in exports(module) {
                let fits = |it: &OpenCall| {
                    it.name.as_ref().is_none_or(|it| it == function)
                        && (it.arity == arity || it.arity == usize::MAX)
                };
                if is_named || found.open.iter().any(fits) {
                    todo.push(unit(&module.name, &FunctionName(function.clone(), arity)));
                }
            }
        }
    }
    res
}

fn exports(module: &crate::erlang::project::Module) -> impl Iterator<Item = (&Atom, usize)> {
    let exported = module.functions.iter().filter(|it| it.visibility == Visibility::Exported);
    exported.filter_map(|it| Some((&it.name, usize::try_from(it.arity).ok()?)))
}
