//! The functions of a loaded module, read from Core Erlang.

use erlang::ModuleCode;
use erlang::core::MARK;
use std::collections::BTreeSet;
use term::{Atom, Term};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Function {
    pub(crate) name: Atom,
    pub(crate) arity: i64,
    pub(crate) visibility: Visibility,
    /// Line and column of the definition, from 1; the column is 1 if it is unknown.
    pub(crate) position: Option<(usize, usize)>,
    pub(crate) origin: Origin,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    Written,
    /// Defined by a macro of Elixir's standard library: the functions that `use GenServer` or `defexception` adds.
    Generated,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Visibility {
    Exported,
    Local,
}

/// Returns all functions in the order of their definitions.
pub(crate) fn functions(code: &ModuleCode) -> Vec<Function> {
    // {c_module, Anno, Name, Exports, Attributes, Definitions}
    let Some([_, _, _, exports, _, definitions]) = code.core.as_tuple() else { return vec![] };
    let exports: Vec<_> = items(exports).iter().filter_map(name_and_arity).collect();
    let generated = generated(code);
    let function = |definition: &Term| {
        let [variable, value] = definition.as_tuple()? else { return None };
        let (name, arity) = name_and_arity(variable)?;
        let exported = exports.iter().any(|it| it.0 == name && it.1 == arity);
        let visibility = if exported { Visibility::Exported } else { Visibility::Local };
        let is_generated = generated.iter().any(|it| it.0 == name && it.1 == arity);
        let origin = if is_generated { Origin::Generated } else { Origin::Written };
        Some(Function { name, arity, visibility, position: position(value), origin })
    };
    items(definitions).iter().filter_map(function).collect()
}

/// The functions that the agent found to be defined by macros of Elixir's standard library.
fn generated(code: &ModuleCode) -> Vec<(Atom, i64)> {
    let names = |form: &Term| match form.as_tuple() {
        Some([_, _, kind, names]) if kind.as_atom() == Some("gimlet_generated") => {
            let name = |it: &Term| match it.as_tuple()? {
                [Term::Atom(name), Term::Int(arity)] => Some((name.clone(), *arity)),
                _ => None,
            };
            items(names).iter().filter_map(name).collect()
        }
        Some(_) | None => Vec::new(),
    };
    items(&code.forms).iter().flat_map(names).collect()
}

/// The names of a function's arguments in the source: the variable, if all clauses that have a variable there use the
/// same one, or else "argument 2".
pub(crate) fn argument_names(code: &ModuleCode, function: &Atom, arity: usize) -> Vec<String> {
    let clauses = clauses(code, function, arity).unwrap_or_default();
    let name = |n: usize| {
        let patterns = clauses.iter().filter_map(|it| it.get(n));
        let mut names: Vec<&str> = patterns.filter_map(variable).collect();
        names.dedup();
        let only = if let [only] = names[..] { Some(only.to_owned()) } else { None };
        only.unwrap_or_else(|| match arity {
            1 => "the argument".to_owned(),
            _ => format!("argument {}", n + 1),
        })
    };
    (0..arity).map(name).collect()
}

/// The patterns of each clause of a function. The compiler turns the clauses into one `case`.
fn clauses<'a>(code: &'a ModuleCode, function: &Atom, arity: usize) -> Option<Vec<&'a [Term]>> {
    let [_, _, _, _, _, definitions] = code.core.as_tuple()? else { return None };
    let is_it = |it: &Term| {
        let found = it.as_tuple().and_then(|it| name_and_arity(it.first()?));
        found.is_some_and(|it| it.0 == *function && usize::try_from(it.1) == Ok(arity))
    };
    let definition = items(definitions).iter().find(|it| is_it(it))?;
    // {c_fun, Anno, Variables, {c_case, Anno, Values, Clauses}}, and {c_clause, Anno, Patterns, Guard, Body}
    let [_, value] = definition.as_tuple()? else { return None };
    let [_, _, _, body] = value.as_tuple()? else { return None };
    let [kind, _, _, clauses] = body.as_tuple()? else { return None };
    if kind.as_atom() != Some("c_case") {
        return None;
    }
    let patterns = |it: &'a Term| Some(items(it.as_tuple()?.get(2)?));
    Some(items(clauses).iter().filter_map(patterns).collect())
}

/// The name of a variable in the source, without the affixes of Elixir's compiler: `_items@1` is `items`.
fn variable(pattern: &Term) -> Option<&str> {
    let variable = match pattern.as_tuple()? {
        [kind, _, variable, _] if kind.as_atom() == Some("c_alias") => variable,
        _ => pattern,
    };
    let [kind, _, name] = variable.as_tuple()? else { return None };
    let name = name.as_atom().filter(|_| kind.as_atom() == Some("c_var"))?;
    let of_elixir = name.strip_prefix('_').and_then(|it| it.split_once('@'));
    Some(of_elixir.map_or(name, |it| it.0)).filter(|it| !it.is_empty())
}

fn items(list: &Term) -> &[Term] {
    list.as_list().unwrap_or_default()
}

/// Reads name and arity from `{c_var, Anno, {Name, Arity}}`.
fn name_and_arity(variable: &Term) -> Option<(Atom, i64)> {
    let [_, _, name] = variable.as_tuple()? else { return None };
    let [Term::Atom(name), Term::Int(arity)] = name.as_tuple()? else { return None };
    Some((name.clone(), *arity))
}

/// Reads the position from `{c_fun, Anno, Variables, Body}`; an annotation is a line, or a line and a column.
fn position(value: &Term) -> Option<(usize, usize)> {
    items(value.as_tuple()?.get(1)?).iter().find_map(|it| {
        let (line, column) = match it.as_tuple() {
            Some([Term::Int(line), Term::Int(column)]) => (*line, (column % MARK).max(1)),
            _ => (it.as_int()?, 1),
        };
        Some((usize::try_from(line).ok()?, usize::try_from(column).ok()?))
    })
}

/// Returns the structs that modules other than their own construct.
pub(crate) fn foreign_structs<'c>(modules: impl Iterator<Item = &'c ModuleCode>) -> Vec<Atom> {
    let mut res = BTreeSet::new();
    for code in modules {
        let mut todo = vec![&code.core];
        while let Some(node) = todo.pop() {
            let found = match node {
                Term::Tuple(parts) => {
                    match (parts.first().and_then(Term::as_atom), parts.as_slice()) {
                        // A pattern does not construct its struct.
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

/// Returns all nodes of a tree of Core Erlang in the order of the source: its records, the lists in them, and their items.
pub(crate) fn nodes(tree: &Term) -> impl Iterator<Item = &Term> {
    let mut todo = vec![tree];
    std::iter::from_fn(move || {
        let node = todo.pop()?;
        let parts = node.as_tuple().or_else(|| node.as_list()).unwrap_or_default();
        todo.extend(parts.iter().rev());
        Some(node)
    })
}

/// Returns the name of a record: `c_call` of `{c_call, Anno, Module, Name, Args}`.
pub(crate) fn node_kind(node: &Term) -> Option<&str> {
    node.as_tuple()?.first()?.as_atom()
}

/// Returns the value of `{c_literal, Anno, Value}`.
pub(crate) fn literal(node: &Term) -> Option<&Term> {
    let [_, _, value] = node.as_tuple()? else { return None };
    (node_kind(node) == Some("c_literal")).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::variable;
    use term::read_term;

    #[test]
    fn variables_have_the_names_of_the_source() {
        let name = |text: &str| variable(&read_term(text).expect("a term")).map(str::to_owned);
        assert_eq!(name("{c_var, [], 'Items'}").as_deref(), Some("Items"));
        assert_eq!(name("{c_var, [], '_items@1'}").as_deref(), Some("items"));
        assert_eq!(
            name("{c_alias, [], {c_var, [], 'All'}, {c_literal, [], []}}").as_deref(),
            Some("All")
        );
        // `_` has no name in either language.
        assert_eq!(name("{c_var, [], 3}"), None);
        assert_eq!(name("{c_var, [], '_@1'}"), None);
    }
}
