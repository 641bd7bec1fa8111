//! The functions of a loaded module: enough of Core Erlang to say what a name could have meant.

use erlang::ModuleCode;
use erlang::core::MARK;
use std::collections::BTreeSet;
use term::{Atom, Term};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Function {
    pub(crate) name: Atom,
    pub(crate) arity: i64,
    pub(crate) visibility: Visibility,
    /// Of the definition, line first; the column is one where it is not known.
    pub(crate) position: Option<(usize, usize)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Visibility {
    Exported,
    Local,
}

/// All functions, in the order of their definitions.
pub(crate) fn functions(code: &ModuleCode) -> Vec<Function> {
    // {c_module, Anno, Name, Exports, Attributes, Definitions}
    let Some([_, _, _, exports, _, definitions]) = code.core.as_tuple() else { return vec![] };
    let exports: Vec<_> = items(exports).iter().filter_map(name_and_arity).collect();
    let function = |definition: &Term| {
        let [variable, value] = definition.as_tuple()? else { return None };
        let (name, arity) = name_and_arity(variable)?;
        let exported = exports.iter().any(|it| it.0 == name && it.1 == arity);
        let visibility = if exported { Visibility::Exported } else { Visibility::Local };
        Some(Function { name, arity, visibility, position: position(value) })
    };
    items(definitions).iter().filter_map(function).collect()
}

fn items(list: &Term) -> &[Term] {
    list.as_list().unwrap_or_default()
}

/// Of `{c_var, Anno, {Name, Arity}}`.
fn name_and_arity(variable: &Term) -> Option<(Atom, i64)> {
    let [_, _, name] = variable.as_tuple()? else { return None };
    let [Term::Atom(name), Term::Int(arity)] = name.as_tuple()? else { return None };
    Some((name.clone(), *arity))
}

/// Of `{c_fun, Anno, Variables, Body}`; an annotation is a line, or a line and a column.
fn position(value: &Term) -> Option<(usize, usize)> {
    items(value.as_tuple()?.get(1)?).iter().find_map(|it| {
        let (line, column) = match it.as_tuple() {
            Some([Term::Int(line), Term::Int(column)]) => (*line, (column % MARK).max(1)),
            _ => (it.as_int()?, 1),
        };
        Some((usize::try_from(line).ok()?, usize::try_from(column).ok()?))
    })
}

/// The structs that are made by other modules than their own.
pub(crate) fn foreign_structs<'c>(modules: impl Iterator<Item = &'c ModuleCode>) -> Vec<Atom> {
    let mut res = BTreeSet::new();
    for code in modules {
        let mut todo = vec![&code.core];
        while let Some(node) = todo.pop() {
            let found = match node {
                Term::Tuple(parts) => {
                    match (parts.first().and_then(Term::as_atom), parts.as_slice()) {
                        // What is matched is not made.
                        (Some("c_clause"), [_, _, _, guard, body]) => {
                            todo.extend([guard, body]);
                            None
                        }
                        (Some("c_map_pair"), [_, _, _, key, value]) => {
                            todo.push(value);
                            literal(key).filter(|it| is_struct_key(it)).and_then(|_| literal(value))
                        }
                        (Some("c_literal"), [_, _, value]) => {
                            todo.push(value);
                            None
                        }
                        _ => {
                            todo.extend(parts);
                            None
                        }
                    }
                }
                Term::List(list) => {
                    todo.extend(list.items.iter().chain([&list.tail]));
                    None
                }
                Term::Map(pairs) => {
                    todo.extend(pairs.iter().map(|it| &it.1));
                    pairs.iter().find(|it| is_struct_key(&it.0)).map(|it| &it.1)
                }
                Term::Int(_)
                | Term::Big(_)
                | Term::Float(_)
                | Term::Atom(_)
                | Term::Nil
                | Term::Bits(_)
                | Term::Fun(_)
                | Term::Pid(_)
                | Term::Port(_)
                | Term::Ref(_) => None,
            };
            if let Some(Term::Atom(name)) = found
                && *name != code.name
            {
                res.insert(name.clone());
            }
        }
    }
    res.into_iter().collect()
}

fn is_struct_key(key: &Term) -> bool {
    key.as_atom() == Some("__struct__")
}

fn literal(node: &Term) -> Option<&Term> {
    match node.as_tuple()? {
        [kind, _, value] if kind.as_atom() == Some("c_literal") => Some(value),
        _ => None,
    }
}
