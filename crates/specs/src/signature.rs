//! Signatures: which arguments a function takes, and what it returns for them.

use crate::made::{Maker, Otherwise};
use erlang::machine::Promise;
use std::collections::BTreeSet;
use term::fit_u32;
use term::{Atom, Domain, Field, Term, Type, TypeId, Types};

/// The spec of a function. If several clauses of an overloaded spec accept the arguments, the result may satisfy any of
/// them.
#[derive(Clone, Debug)]
pub struct Signature {
    pub origin: Origin,
    /// The set of allowed inputs.
    pub domain: Domain,
    /// The arguments of each clause, as a tuple type of the domain.
    pub args: Vec<TypeId>,
    /// The types of results. They are separate from those of the domain because results are over-approximated where a
    /// type can't be represented exactly.
    pub result_types: Types,
    /// The result type of each clause.
    pub results: Vec<TypeId>,
    /// Descriptions of the parts of the spec that are not understood and are treated as `any()`.
    pub gaps: Vec<String>,
    /// The functions that make parts of inputs, each with its alternative results. If there are makers, some parts of
    /// an input are recipes; otherwise an input is the list of arguments.
    pub makers: Vec<(Maker, Vec<Otherwise>)>,
    /// Whether recipes are used where a type has any.
    pub builds: bool,
    /// Descriptions of types whose values only their own module makes but that have no recipes.
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
    /// The modules of the structs that occur in the types of inputs.
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
        (0..fit_u32(types.len())).filter_map(module).collect()
    }

    /// Whether the spec restricts some argument to less than `term()`, or the function has no arguments.
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

/// A result that no applicable clause of the spec allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    /// The results that the applicable clauses promise, in Erlang's syntax.
    pub promised: String,
}

/// An argument that no clause of the spec accepts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The position of the argument, counted from 1.
    pub argument: usize,
    /// The type that the argument should have, in Erlang's syntax.
    pub wanted: String,
}

impl Signature {
    /// Whether some clause of the spec accepts the arguments.
    pub fn allows(&self, args: &[Term]) -> bool {
        self.domain.has(args)
    }

    /// The first argument that is refused, by the clause that accepts the most arguments before it. `None` if a clause
    /// accepts all arguments.
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

    /// Whether the result violates the spec. For arguments that no clause accepts, nothing is promised.
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

    /// The results of all clauses.
    pub fn promise(&self) -> Promise {
        Promise { types: self.result_types.clone(), results: self.results.clone() }
    }

    /// The smallest input; `None` if the spec allows no input.
    pub fn first_input(&self) -> Option<Vec<Term>> {
        let args = self.domain.types.smallest(self.domain.args?)?;
        if let Term::Tuple(args) = args { Some(args) } else { None }
    }

    /// The text of all clauses in Erlang's syntax, with the names of types replaced by their definitions.
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
