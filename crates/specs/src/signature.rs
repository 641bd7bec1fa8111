//! What a function promises: which arguments it takes, and what it then returns.

use crate::made::{Maker, Otherwise};
use erlang::machine::Promise;
use std::collections::BTreeSet;
use term::{Atom, Domain, Field, Term, Type, TypeId, Types};

/// The spec of a function. Of several alternatives, whichever fits the arguments may hold.
#[derive(Clone, Debug)]
pub struct Signature {
    pub origin: Origin,
    /// What inputs must belong to.
    pub domain: Domain,
    /// The arguments of each alternative, as a tuple type of the domain.
    pub args: Vec<TypeId>,
    /// Results are types of their own: where a type can't be given exactly, a result is given the
    /// benefit of the doubt.
    pub result_types: Types,
    /// The result of each alternative.
    pub results: Vec<TypeId>,
    /// What of the spec is not understood and counts as `any()`, for people.
    pub gaps: Vec<String>,
    /// The functions that make parts of inputs, each with what else it returns. Without them an input is
    /// the arguments; with them some parts of it are recipes.
    pub makers: Vec<(Maker, Vec<Otherwise>)>,
    /// Whether inputs are built where that can be done.
    pub builds: bool,
    /// Types whose values only their module makes, and that are not built all the same, for people.
    pub unmade: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// `-spec` of the function's own module.
    Spec,
    /// `-callback` of a behaviour.
    Callback(Atom),
}

impl Signature {
    /// The modules of the structs that inputs may have by their types.
    pub fn structs(&self) -> BTreeSet<&Atom> {
        let types = &self.domain.types;
        let name = |id: TypeId| {
            if let Type::Literal(Term::Atom(name)) = types.get(id) { Some(name) } else { None }
        };
        let module = |id: u32| {
            let Type::Map(fields) = types.get(TypeId(id)) else { return None };
            let is_name = |it: &&Field| name(it.key).is_some_and(|it| it.as_str() == "__struct__");
            fields.iter().find(is_name).and_then(|it| name(it.value))
        };
        (0..u32::try_from(types.len()).unwrap_or(u32::MAX)).filter_map(module).collect()
    }

    /// Whether it says more than `term()` of some argument, or there is no argument.
    pub fn says_something(&self) -> bool {
        let types = &self.domain.types;
        let is_any = |it: &TypeId| matches!(types.get(*it), Type::Any);
        self.args.iter().any(|args| match types.get(*args) {
            Type::Tuple(args) => args.is_empty() || !args.iter().all(is_any),
            Type::Any
            | Type::None
            | Type::Kind(_)
            | Type::Literal(_)
            | Type::Range { .. }
            | Type::List { .. }
            | Type::Map(_)
            | Type::Bits { .. }
            | Type::Fun { .. }
            | Type::Union(_) => true,
        })
    }
}

/// A value that no alternative allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    /// What the alternatives for these arguments promise, in Erlang's syntax.
    pub promised: String,
}

/// An argument that no alternative takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Counted from 1.
    pub argument: usize,
    /// What it should belong to, in Erlang's syntax.
    pub wanted: String,
}

impl Signature {
    /// Whether some alternative takes the arguments.
    pub fn allows(&self, args: &[Term]) -> bool {
        self.domain.has(args)
    }

    /// The first argument that is wrong, by the alternative that goes furthest.
    pub fn refusal(&self, args: &[Term]) -> Option<Refusal> {
        if self.allows(args) {
            return None;
        }
        let types = &self.domain.types;
        let wrong = |id: &TypeId| {
            let Type::Tuple(parts) = types.get(*id) else { return None };
            let at = parts.iter().zip(args).position(|(part, arg)| !types.has(*part, arg))?;
            parts.get(at).map(|part| (at, *part))
        };
        let furthest: Vec<(usize, TypeId)> = self.args.iter().filter_map(wrong).collect();
        let at = furthest.iter().map(|it| it.0).max()?;
        let mut wanted: Vec<String> = Vec::new();
        for (_, part) in furthest.iter().filter(|it| it.0 == at) {
            let text = types.text(*part);
            if !wanted.contains(&text) {
                wanted.push(text);
            }
        }
        Some(Refusal { argument: at + 1, wanted: wanted.join(" | ") })
    }

    /// Whether the function broke its word. Arguments that it does not take bind it to nothing.
    pub fn breach(&self, args: &[Term], result: &Term) -> Option<Breach> {
        let args = Term::Tuple(args.to_vec());
        let takes = |it: &TypeId| self.domain.types.has(*it, &args);
        let fitting = self.args.iter().zip(&self.results).filter(|it| takes(it.0));
        let promised: Vec<TypeId> = fitting.map(|it| *it.1).collect();
        if promised.is_empty() || promised.iter().any(|it| self.result_types.has(*it, result)) {
            return None;
        }
        let texts: Vec<String> = promised.iter().map(|it| self.result_types.text(*it)).collect();
        Some(Breach { promised: texts.join(" | ") })
    }

    /// What any alternative promises.
    pub fn promise(&self) -> Promise {
        Promise { types: self.result_types.clone(), results: self.results.clone() }
    }

    /// A small input; `None` if the spec allows none.
    pub fn first_input(&self) -> Option<Vec<Term>> {
        let args = self.domain.types.smallest(self.domain.args?)?;
        if let Term::Tuple(args) = args { Some(args) } else { None }
    }

    /// All alternatives in Erlang's syntax, names of types replaced by what they stand for.
    pub fn text(&self) -> String {
        let clause = |(args, result): (&TypeId, &TypeId)| {
            let args = self.domain.types.text(*args);
            let args = args.strip_prefix('{').and_then(|it| it.strip_suffix('}')).unwrap_or(&args);
            format!("({args}) -> {}", self.result_types.text(*result))
        };
        let clauses: Vec<String> = self.args.iter().zip(&self.results).map(clause).collect();
        clauses.join("; ")
    }
}
