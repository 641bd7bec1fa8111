//! Arguments with variables: `--args '[{K, 3}]'`. A generated function with the variables as its parameters calls the
//! unit, and is unfolded in its place.

use crate::diagnostic::Diagnostic;
use crate::erlang::contract::Contract;
use crate::erlang::core::{self, Definition};
use crate::erlang::unit::UnitName;
use crate::explain::Code as Trouble;
use erlang::ModuleCode;
use std::collections::BTreeMap;
use term::{Code, Domain, Style, Term, Type, TypeId, print, read_open_list};
use trace::Input;

/// The arguments of a unit as patterns over the parameters of the generated function.
pub(super) struct Open {
    args: Vec<Code>,
    /// The names of the variables, by their numbers.
    pub(super) names: Vec<String>,
}

impl Open {
    pub(super) fn read(text: &str, unit: &UnitName) -> Result<Open, Diagnostic> {
        let bad = |why: String| {
            Diagnostic::new(Trouble::BadArgs, format!("--args {text}: {why}"))
                .hint("a list such as '[{K, 3}, X]', or the call with its arguments")
        };
        let list = without_name(text, unit);
        let (args, names) = read_open_list(&list).map_err(|it| bad(it.to_string()))?;
        if args.len() != unit.arity {
            return Err(bad(format!("{} takes {} arguments", unit.title(), unit.arity)));
        }
        if !args.iter().all(is_pattern) {
            return Err(bad("there can be no calls in it".to_owned()));
        }
        Ok(Open { args, names })
    }

    /// Returns a module with the generated function, which takes the variables and calls the unit, and the name of
    /// that function.
    pub(super) fn code(&self, unit: &UnitName) -> (ModuleCode, UnitName) {
        let name = term::Atom::new(&format!("gimlet$open:{unit}"));
        let args = self.args.iter().map(core_of).collect();
        let body = core::call(&unit.module, &unit.function, args);
        let params: Vec<usize> = (0..self.names.len()).collect();
        let arity = params.len();
        let definition = Definition { name: unit.function.clone(), params, body };
        let code = core::module(&name, vec![definition], Vec::new());
        (code, UnitName { module: name, function: unit.function.clone(), arity })
    }

    /// Returns the contract of the generated function. The type of a variable is the part of the unit's type at the
    /// variable's first place, found through tuples and lists; a variable elsewhere has the type `any()`.
    pub(super) fn contract(&self, of: &Contract) -> Contract {
        let mut types = of.domain.types.clone();
        let mut found: BTreeMap<u32, TypeId> = BTreeMap::new();
        let args = of.domain.args.map(|it| types.get(it).clone());
        if let Some(Type::Tuple(args)) = args {
            for (code, type_id) in self.args.iter().zip(args.iter()) {
                parts(code, *type_id, &types, &mut found);
            }
        }
        let any = types.add(Type::Any);
        let numbers = 0..u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        let params: Vec<TypeId> =
            numbers.map(|it| found.get(&it).copied().unwrap_or(any)).collect();
        let args = types.add(Type::Tuple(params.into()));
        let smallest = types.smallest(args);
        let seed = match smallest.as_ref().and_then(Term::as_tuple) {
            Some(items) => items.to_vec(),
            None => vec![Term::Int(0); self.names.len()],
        };
        let domain = Domain { types, args: Some(args) };
        Contract { domain, seeds: vec![Input { args: seed }], ..Contract::default() }
    }

    /// Returns the arguments in Erlang syntax, with the names of the variables.
    pub(super) fn text(&self) -> String {
        let name = |it: usize| self.names.get(it).cloned().unwrap_or_default();
        self.args.iter().map(|it| written(it, &name)).collect::<Vec<_>>().join(", ")
    }

    /// Returns the arguments of the unit for these values of the variables.
    pub(super) fn args(&self, input: &Input) -> Vec<Term> {
        self.args.iter().map(|it| filled(it, input)).collect()
    }
}

/// Returns the arguments as the text of a list. The text may also be a call of the unit: `start({K, 3}, X)`.
fn without_name(text: &str, unit: &UnitName) -> String {
    let (module, function) = (unit.module.as_str(), unit.function.as_str());
    let rest = text.trim().trim_end_matches('.');
    let rest = rest.strip_prefix(module).and_then(|it| it.strip_prefix(':')).unwrap_or(rest);
    let inside = rest.strip_prefix(function).and_then(|it| it.trim().strip_prefix('('));
    match inside.and_then(|it| it.strip_suffix(')')) {
        Some(inside) => format!("[{inside}]"),
        None => text.to_owned(),
    }
}

fn is_pattern(code: &Code) -> bool {
    match code {
        Code::Term(_) | Code::Variable(_) => true,
        Code::List(items, tail) => items.iter().all(is_pattern) && is_pattern(tail),
        Code::Tuple(items) => items.iter().all(is_pattern),
        Code::Map(pairs) => pairs.iter().all(|it| is_pattern(&it.0) && is_pattern(&it.1)),
        Code::Call { .. } => false,
    }
}

fn parts(code: &Code, of: TypeId, types: &term::Types, found: &mut BTreeMap<u32, TypeId>) {
    match (code, types.get(of)) {
        (Code::Variable(n), _) => {
            found.entry(*n).or_insert(of);
        }
        (Code::Tuple(items), Type::Tuple(of)) if items.len() == of.len() => {
            items.iter().zip(of.iter()).for_each(|it| parts(it.0, *it.1, types, found));
        }
        (Code::List(items, tail), Type::List { item, tail: end, .. }) => {
            items.iter().for_each(|it| parts(it, *item, types, found));
            let is_rest = matches!(**tail, Code::Variable(_));
            parts(tail, if is_rest { of } else { *end }, types, found);
        }
        _ => (),
    }
}

fn core_of(code: &Code) -> Term {
    match code {
        Code::Term(term) => core::literal(term.clone()),
        Code::Variable(n) => core::variable(*n as usize),
        Code::List(items, tail) => {
            items.iter().rev().fold(core_of(tail), |rest, it| core::cons(core_of(it), rest))
        }
        Code::Tuple(items) => core::tuple(items.iter().map(core_of).collect()),
        Code::Map(pairs) => {
            core::map(pairs.iter().map(|it| (core_of(&it.0), core_of(&it.1))).collect())
        }
        Code::Call { .. } => core::literal(Term::Nil),
    }
}

fn filled(code: &Code, input: &Input) -> Term {
    match code {
        Code::Term(term) => term.clone(),
        Code::Variable(n) => input.args.get(*n as usize).cloned().unwrap_or(Term::Nil),
        Code::List(items, tail) => {
            Term::list(items.iter().map(|it| filled(it, input)).collect(), filled(tail, input))
        }
        Code::Tuple(items) => Term::Tuple(items.iter().map(|it| filled(it, input)).collect()),
        Code::Map(pairs) => {
            let pair = |it: &(Code, Code)| (filled(&it.0, input), filled(&it.1, input));
            Term::map(pairs.iter().map(pair).collect())
        }
        Code::Call { .. } => Term::Nil,
    }
}

fn written(code: &Code, name: &dyn Fn(usize) -> String) -> String {
    let all =
        |items: &[Code]| items.iter().map(|it| written(it, name)).collect::<Vec<_>>().join(", ");
    match code {
        Code::Term(term) => print(term, Style::READABLE),
        Code::Variable(n) => name(*n as usize),
        Code::List(items, tail) if tail.as_term() == Some(&Term::Nil) => {
            format!("[{}]", all(items))
        }
        Code::List(items, tail) => format!("[{} | {}]", all(items), written(tail, name)),
        Code::Tuple(items) => format!("{{{}}}", all(items)),
        Code::Map(pairs) => {
            let pair =
                |it: &(Code, Code)| format!("{} => {}", written(&it.0, name), written(&it.1, name));
            format!("#{{{}}}", pairs.iter().map(pair).collect::<Vec<_>>().join(", "))
        }
        Code::Call { .. } => String::new(),
    }
}
