//! Finds functions that read the environment, above all the clock. Their results do not depend on the input alone, so
//! they differ between runs.

use erlang::Host;
use erlang::builtins;
use rustc_hash::{FxHashMap, FxHashSet};
use term::{Atom, Term};

type Name = (Atom, Atom, usize);

/// The maximum depth of nested calls that are examined. Deeper readers of the environment usually only compose the
/// text of an exception.
const MAX_DEPTH: usize = 4;

/// The maximum number of functions that are examined.
const MAX_FUNCTIONS: usize = 60;

/// The functions that each function calls, read module by module on demand.
#[derive(Debug, Default)]
pub(crate) struct CallGraph {
    calls: FxHashMap<Atom, FxHashMap<(Atom, usize), Vec<Name>>>,
}

impl CallGraph {
    pub(crate) fn reads_environment(&mut self, host: &mut dyn Host, function: Name) -> bool {
        let mut known: FxHashSet<Name> = FxHashSet::default();
        let mut level = vec![function];
        for _ in 0..MAX_DEPTH {
            let mut next = Vec::new();
            for name in level {
                if is_reader(&name) {
                    return true;
                }
                if known.len() < MAX_FUNCTIONS && known.insert(name.clone()) {
                    next.extend_from_slice(self.calls(host, &name));
                }
            }
            level = next;
        }
        level.iter().any(is_reader)
    }

    /// The functions that a function calls by name.
    fn calls(&mut self, host: &mut dyn Host, (module, function, arity): &Name) -> &[Name] {
        let of_module = self.calls.entry(module.clone()).or_insert_with(|| calls(host, module));
        of_module.get(&(function.clone(), *arity)).map(Vec::as_slice).unwrap_or_default()
    }
}

fn is_reader((module, function, arity): &Name) -> bool {
    let is_it = |it: &builtins::Builtin| {
        (it.module, it.name, usize::from(it.arity)) == (module.as_str(), function.as_str(), *arity)
    };
    builtins::all().any(|it| is_it(it) && it.reads_environment())
}

/// For each function of a module, the functions that it calls by name.
fn calls(host: &mut dyn Host, module: &Atom) -> FxHashMap<(Atom, usize), Vec<Name>> {
    let Ok(code) = host.load(module) else { return FxHashMap::default() };
    let definitions = code.core.as_tuple().and_then(|it| it.get(5)).and_then(Term::as_list);
    let definitions = definitions.unwrap_or_default().iter().filter_map(Term::as_tuple);
    let of = |it: &[Term]| {
        let [name, body, ..] = it else { return None };
        Some((local(name)?, calls_in(module, body)))
    };
    definitions.filter_map(of).collect()
}

/// The functions that a piece of code in a module calls by name.
fn calls_in(module: &Atom, code: &Term) -> Vec<Name> {
    let mut res = Vec::new();
    let mut todo = vec![code];
    while let Some(node) = todo.pop() {
        if let Term::List(list) = node {
            todo.extend(list.items.iter().chain([&list.tail]));
        }
        let Some(parts) = node.as_tuple() else { continue };
        if let [kind, _, of, name, args] = parts
            && kind.as_atom() == Some("c_call")
            && let (Some(of), Some(name)) = (literal(of), literal(name))
        {
            let arity = args.as_list().map_or(0, <[Term]>::len);
            res.push((Atom::new(of), Atom::new(name), arity));
        }
        if let Some((name, arity)) = local(node) {
            res.push((module.clone(), name, arity));
        }
        todo.extend(parts);
    }
    res
}

/// The name and arity in `{c_var, Anno, {Name, Arity}}`.
fn local(node: &Term) -> Option<(Atom, usize)> {
    let [_, _, name] = node.as_tuple()? else { return None };
    let [Term::Atom(name), Term::Int(arity)] = name.as_tuple()? else { return None };
    Some((name.clone(), usize::try_from(*arity).ok()?))
}

/// The atom in `{c_literal, Anno, Atom}`.
fn literal(node: &Term) -> Option<&str> {
    match node.as_tuple()? {
        [kind, _, Term::Atom(atom)] if kind.as_atom() == Some("c_literal") => Some(atom.as_str()),
        _ => None,
    }
}
