//! Explains crashes of functions that look up a key from the input in a table that lacks the key.
//!
//! Types can't say which keys a table has: `close(id(), state()) -> state()` is as exact as a spec gets. A function
//! that only handles existing keys thereby refuses all others. [`Lookups`] is computed from Core Erlang: for each
//! function under test, the values that lookups in this function return for a missing key.

use crate::erlang::code::{literal, node_kind, nodes};
use crate::erlang::finding::Judge;
use crate::erlang::frames::{Frame, frames};
use crate::erlang::texts::has_result_for_nothing;
use crate::erlang::unit::{UnitName, quoted};
use erlang::ModuleCode;
use rustc_hash::{FxHashMap, FxHashSet};
use term::{Atom, Style, Term, print};
use trace::{Input, Outcome};

/// The values that lookups in the functions under test return for missing keys.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lookups {
    /// The values that the lookups of each function return for a missing key.
    missing: FxHashMap<UnitName, Vec<Term>>,
    /// Functions with a map pattern whose key is a variable.
    with_pattern: FxHashSet<UnitName>,
}

/// Functions of OTP that look up their first argument in another argument, with the value that they return for a
/// missing key. Functions of ETS and of the process dictionary are not in this table, because their arguments do not
/// show which keys are missing.
const OF_OTP: &[(&str, &str, usize, Absent)] = &[
    ("maps", "find", 2, Absent::Atom("error")),
    ("maps", "get", 3, Absent::Argument(2)),
    ("maps", "take", 2, Absent::Atom("error")),
    ("lists", "keyfind", 3, Absent::Atom("false")),
    ("lists", "keysearch", 3, Absent::Atom("false")),
    ("lists", "keytake", 3, Absent::Atom("false")),
    ("proplists", "get_value", 2, Absent::Atom("undefined")),
    ("proplists", "get_value", 3, Absent::Argument(2)),
    ("proplists", "lookup", 2, Absent::Atom("none")),
    ("gb_trees", "lookup", 2, Absent::Atom("none")),
    ("dict", "find", 2, Absent::Atom("error")),
    ("orddict", "find", 2, Absent::Atom("error")),
];

#[derive(Clone, Copy, Debug)]
enum Absent {
    Atom(&'static str),
    /// The literal in the argument with this index.
    Argument(usize),
}

/// The maximum number of rounds in which the results of functions are passed on to their callers.
const MAX_ROUNDS: usize = 5;

impl Lookups {
    pub(crate) fn of<'c>(modules: impl Iterator<Item = &'c ModuleCode>) -> Lookups {
        let mut res = Lookups::default();
        let mut definitions = Vec::new();
        for module in modules {
            definitions.extend(functions(module));
        }
        let mut returned: FxHashMap<UnitName, Vec<Term>> = FxHashMap::default();
        for _ in 0..MAX_ROUNDS {
            let mut is_over = true;
            for (name, body) in &definitions {
                let mut results = Vec::new();
                for tail in tails(body) {
                    add(&mut results, absent_of(name, tail, &returned));
                    add(&mut results, absent_of_case(name, tail, &returned));
                }
                if !results.is_empty() && returned.get(name) != Some(&results) {
                    returned.insert(name.clone(), results);
                    is_over = false;
                }
            }
            if is_over {
                break;
            }
        }
        for (name, body) in &definitions {
            let mut missing = Vec::new();
            for node in nodes(body) {
                add(&mut missing, absent_of(name, node, &returned));
                if is_pattern_with_variable_key(node) {
                    res.with_pattern.insert(name.clone());
                }
            }
            if !missing.is_empty() {
                res.missing.insert(name.clone(), missing);
            }
        }
        res
    }

    /// Whether a lookup in this function may return the value for a missing key, or the value is a map for one of the
    /// function's map patterns.
    fn gives(&self, frame: &Frame, value: &Term) -> bool {
        let Frame { module, function, arity, .. } = frame.clone();
        let name = UnitName { module, function, arity };
        self.missing.get(&name).is_some_and(|it| it.contains(value))
            || (matches!(value, Term::Map(_)) && self.with_pattern.contains(&name))
    }
}

impl Judge<'_> {
    /// Explains a crash of a function that looked up a missing key and has no clause for the result. `None` if the
    /// crash is of another form.
    pub(crate) fn looks_for_absent(&self, input: &Input, outcome: &Outcome) -> Option<String> {
        let Outcome::Crash { class, reason, trace } = outcome else { return None };
        if class.as_str() != "error" {
            return None;
        }
        let frames = frames(trace);
        if let Some([tag, key]) = reason.as_tuple()
            && tag.as_atom() == Some("badkey")
        {
            // A key that is an atom or `[]` is taken for one that the code names and so expects to be there.
            let is_data = !matches!(key, Term::Atom(_) | Term::Nil);
            let is_named = input.args.iter().any(|it| it.has_part(|part| part == key));
            let name = print(key, Style::TW);
            return (is_data && is_named)
                .then(|| format!("it looks for the key {name} of the input, which is not there"));
        }
        // A spec that has a result for missing things promises to return it instead of crashing.
        if self.contract.signature.as_ref().is_some_and(has_result_for_nothing) {
            return None;
        }
        let lookups = &self.contract.lookups;
        let mut own = frames.iter().filter(|it| self.modules.contains(&it.module));
        let first = own.next()?;
        let (asks, got) = match (reason.as_tuple(), reason.as_atom()) {
            (Some([tag, value]), _) if is_mismatch(tag) => (first, value.clone()),
            (None, Some("function_clause")) => {
                let caller = own.next()?;
                let given = first.args.as_ref()?.iter();
                (caller, given.clone().find(|it| lookups.gives(caller, it))?.clone())
            }
            _ => return None,
        };
        lookups.gives(asks, &got).then(|| {
            let function = format!("{}/{}", quoted(&asks.function), asks.arity);
            let is_map = matches!(got, Term::Map(_));
            let got = if is_map {
                String::new()
            } else {
                format!(", and gets {}", print(&got, Style::TW))
            };
            format!("{function} looks for a key that is not there{got}")
        })
    }
}

/// Adds those terms that the list does not contain yet.
fn add(to: &mut Vec<Term>, terms: Vec<Term>) {
    for it in terms {
        if !to.contains(&it) {
            to.push(it);
        }
    }
}

/// Whether an error reason with this tag has the value that matched no pattern as its second element.
fn is_mismatch(tag: &Term) -> bool {
    matches!(tag.as_atom(), Some("badmatch" | "case_clause" | "try_clause" | "badrecord"))
}

/// Returns the functions of a module with their bodies: `{{c_var, _, {Name, Arity}}, {c_fun, _, Vars, Body}}`.
fn functions(code: &ModuleCode) -> Vec<(UnitName, &Term)> {
    let definitions = code.core.as_tuple().and_then(|it| it.get(5)?.as_list()).unwrap_or_default();
    definitions.iter().filter_map(|it| function(&code.name, it)).collect()
}

fn function<'t>(module: &Atom, definition: &'t Term) -> Option<(UnitName, &'t Term)> {
    let [variable, lambda] = definition.as_tuple()? else { return None };
    let [Term::Atom(function), Term::Int(arity)] = variable.as_tuple()?.get(2)?.as_tuple()? else {
        return None;
    };
    let arity = usize::try_from(*arity).ok()?;
    let name = UnitName { module: module.clone(), function: function.clone(), arity };
    Some((name, lambda.as_tuple()?.get(3)?))
}

/// Returns the expressions of a body whose values can be the body's result.
fn tails(body: &Term) -> Vec<&Term> {
    let (mut todo, mut res) = (vec![body], Vec::new());
    while let Some(node) = todo.pop() {
        res.push(node);
        match (node_kind(node), node.as_tuple()) {
            (Some("c_let"), Some([_, _, _, _, rest]))
            | (Some("c_seq" | "c_letrec"), Some([_, _, _, rest])) => todo.push(rest),
            (Some("c_case"), Some([_, _, _, clauses])) => {
                let clauses = clauses.as_list().unwrap_or_default().iter();
                todo.extend(clauses.filter_map(|it| it.as_tuple()?.get(4)));
            }
            _ => {}
        }
    }
    res
}

/// Returns the values that a call returns for a missing key. Empty if the call is no lookup, or if the key is not a
/// variable.
fn absent_of(
    within: &UnitName,
    node: &Term,
    returned: &FxHashMap<UnitName, Vec<Term>>,
) -> Vec<Term> {
    let none = Vec::new;
    match (node_kind(node), node.as_tuple()) {
        (Some("c_call"), Some([_, _, module, name, args])) => {
            let (Some(module), Some(name), Some(args)) =
                (literal(module), literal(name), args.as_list())
            else {
                return none();
            };
            let (Term::Atom(module), Term::Atom(function)) = (module, name) else { return none() };
            let is_it = |it: &&(&str, &str, usize, Absent)| {
                it.0 == module.as_str() && it.1 == function.as_str() && it.2 == args.len()
            };
            if let Some((_, _, _, absent)) = OF_OTP.iter().find(is_it) {
                if args.first().and_then(node_kind) != Some("c_var") {
                    return none();
                }
                let value = match absent {
                    Absent::Atom(name) => Some(Term::atom(name)),
                    Absent::Argument(n) => args.get(*n).and_then(literal).cloned(),
                };
                return value.into_iter().collect();
            }
            let (module, function) = (module.clone(), function.clone());
            let name = UnitName { module, function, arity: args.len() };
            returned.get(&name).cloned().unwrap_or_default()
        }
        (Some("c_apply"), Some([_, _, function, _])) => {
            let name = function.as_tuple().and_then(|it| it.get(2)?.as_tuple());
            let Some([Term::Atom(function), Term::Int(arity)]) = name else { return none() };
            let Ok(arity) = usize::try_from(*arity) else { return none() };
            let (module, function) = (within.module.clone(), function.clone());
            returned.get(&UnitName { module, function, arity }).cloned().unwrap_or_default()
        }
        _ => none(),
    }
}

/// Returns the atoms that the clauses of a `case` on the result of a lookup return: `error -> undefined`. Empty for
/// other expressions.
fn absent_of_case(
    within: &UnitName,
    node: &Term,
    returned: &FxHashMap<UnitName, Vec<Term>>,
) -> Vec<Term> {
    let Some([_, _, of, clauses]) = node.as_tuple() else { return Vec::new() };
    if node_kind(node) != Some("c_case") {
        return Vec::new();
    }
    let clauses = || clauses.as_list().unwrap_or_default().iter().filter_map(Term::as_tuple);
    let mut patterns = clauses().filter_map(|it| it.get(2)).flat_map(nodes);
    let has_pattern = patterns.any(is_pattern_with_variable_key);
    if !has_pattern && absent_of(within, of, returned).is_empty() {
        return Vec::new();
    }
    let bodies = clauses().filter_map(|it| literal(it.get(4)?));
    bodies.filter(|it| it.as_atom().is_some()).cloned().collect()
}

/// Whether the node is a map pattern's pair with a variable as the key (`#{Key := Value}`): `{c_map_pair, _, _, Key,
/// _}`.
fn is_pattern_with_variable_key(node: &Term) -> bool {
    let Some([_, _, operator, key, _]) = node.as_tuple() else { return false };
    node_kind(node) == Some("c_map_pair")
        && literal(operator).and_then(Term::as_atom) == Some("exact")
        && node_kind(key) == Some("c_var")
}
