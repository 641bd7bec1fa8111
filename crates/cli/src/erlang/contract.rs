//! The contract of a unit: which inputs it takes, what its results must be, and the seeds of the search.

use crate::elixir::Structs;
use crate::erlang::callers::Records;
use crate::erlang::lookups::Lookups;
use crate::erlang::properties;
use crate::erlang::refusing::Refusing;
use crate::erlang::setup::Setup;
use crate::erlang::systems::System;
use crate::erlang::unit::UnitName;
use engine::{Part, Place, Step};
use erlang::machine::FromSpec;
use num_bigint::BigInt;
use specs::{Maker, Origin, Signature, is_text};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::sync::Arc;
use term::{Atom, Dice, Domain, Style, Term, Type, TypeId, Types, print};
use trace::Input;

#[derive(Clone, Debug, Default)]
pub(crate) struct Contract {
    /// The spec; `None` if there is none or it is ignored.
    pub(crate) signature: Option<Signature>,
    pub(crate) domain: Domain,
    /// The first inputs.
    pub(crate) seeds: Vec<Input>,
    /// What is done before each call of the unit.
    pub(crate) setups: Vec<Setup>,
    /// Inputs of recorded calls that returned.
    pub(crate) recorded: Vec<Input>,
    /// Functions that must return true for an input.
    pub(crate) preconditions: Vec<UnitName>,
    /// The contract with made-up values in place of values that are built by recipes; `None` if no value is built.
    pub(crate) made_up: Option<Box<Contract>>,
    /// Where the modules under test raise exceptions in a clause for everything else.
    pub(crate) refusing: Arc<Refusing>,
    /// The values that lookups in the modules under test return for missing keys.
    pub(crate) lookups: Arc<Lookups>,
    /// The atoms that occur in patterns and guards of the code under test.
    pub(crate) named: Arc<BTreeSet<String>>,
    /// The structs of the modules under test.
    pub(crate) structs: Arc<Structs>,
    /// The types of the values that the project puts into its records.
    pub(crate) records: Arc<Records>,
    /// Modules that the project calls and that can't be found.
    pub(crate) absent: Arc<BTreeSet<Atom>>,
    /// The function outside of the project to which the unit only passes its arguments on.
    pub(crate) delegate: Option<UnitName>,
    /// The function of the project that computes the results of the unit; `None` if it is not known.
    pub(crate) answered_by: Option<UnitName>,
    /// A behaviour of the module that can't be found; if there is one, the unit may be one of its callbacks.
    pub(crate) unknown_behaviour: Option<Atom>,
    /// Whether the documentation hides the unit and no code of the project refers to it.
    pub(crate) is_left_alone: bool,
    /// The system, if the unit is one.
    pub(crate) system: Option<Arc<System>>,
    /// Whether the inputs are numbers from which generators draw values.
    pub(crate) is_drawn: bool,
}

impl Contract {
    pub(crate) fn new(unit: &UnitName, signature: Option<Signature>, seed: u64) -> Contract {
        let domain = signature.as_ref().map(|it| it.domain.clone()).unwrap_or_default();
        let from_spec = signature.as_ref().and_then(Signature::first_input);
        let args = from_spec.unwrap_or_else(|| vec![Term::Int(0); unit.arity]);
        let mut seeds = vec![Input { args }];
        seeds.extend(larger(&domain, seed));
        Contract { signature, domain, seeds, ..Contract::default() }
    }

    /// The contract of a system. Its steps are promised to work if all functions that they call have specs.
    pub(crate) fn of_system(system: Arc<System>, seed: u64) -> Contract {
        let domain = system.domain.clone();
        let smallest = domain.args.and_then(|it| domain.types.smallest(it));
        let first = smallest.and_then(|it| Some(Input { args: it.as_tuple()?.to_vec() }));
        let mut seeds: Vec<Input> = first.into_iter().collect();
        for seed in (0..N_SEQUENCES).map(|it| seed.wrapping_add(it << 32)) {
            seeds.extend(larger(&domain, seed).into_iter().filter_map(|it| system.cut(&it)));
        }
        seeds.retain(|it| domain.has(&it.args));
        Contract { domain, seeds, system: Some(system), ..Contract::default() }
    }

    /// The contract of a property with generators.
    pub(crate) fn of_property() -> Contract {
        let (domain, seeds) = (properties::domain(), properties::seeds());
        Contract { domain, seeds, is_drawn: true, ..Contract::default() }
    }

    /// The domain and the promise for the search.
    pub(crate) fn spec(&self) -> FromSpec {
        let promise = self.signature.as_ref().map(Signature::promise).unwrap_or_default();
        FromSpec { domain: Arc::new(self.domain.clone()), promise: Arc::new(promise) }
    }

    /// Returns the module of a struct in the input that the spec does not ask for: it is part of an unrestricted term,
    /// and no function of its module made it.
    pub(crate) fn stray_struct(&self, input: &Input) -> Option<Atom> {
        let signature = self.signature.as_ref().filter(|it| it.builds)?;
        let asked = signature.structs();
        let stray = RefCell::new(None);
        let is_stray = |it: &Term| {
            let module = struct_of(it).filter(|it| !asked.contains(it));
            *stray.borrow_mut() = module.cloned();
            module.is_some()
        };
        input.args.iter().any(|it| it.has_part(is_stray)).then(|| stray.take()).flatten()
    }

    /// Returns the module of a struct in the input that no code constructs: one that lacks fields, or that no module
    /// defines. Structs that the spec names are skipped. `None` if the input has no such struct.
    pub(crate) fn unmade_struct(&self, input: &Input) -> Option<Atom> {
        let asked = self.signature.as_ref().map(Signature::structs).unwrap_or_default();
        let unmade = RefCell::new(None);
        let is_unmade = |it: &Term| {
            let module = struct_of(it).filter(|name| {
                !asked.contains(name) && !matches!(it, Term::Map(pairs) if self.structs.has(pairs))
            });
            *unmade.borrow_mut() = module.cloned();
            module.is_some()
        };
        input.args.iter().any(|it| it.has_part(is_unmade)).then(|| unmade.take()).flatten()
    }

    /// The functions that make parts of inputs.
    pub(crate) fn makers(&self) -> Vec<UnitName> {
        let makers = self.signature.iter().flat_map(|it| &it.makers);
        let name = |it: &Maker| {
            let Maker { module, function, arity, gives: _ } = it.clone();
            UnitName { module, function, arity }
        };
        makers.map(|it| name(&it.0)).collect()
    }

    /// Whether there is a spec and it allows this input.
    pub(crate) fn allows(&self, input: &Input) -> bool {
        self.signature.as_ref().is_some_and(|it| it.allows(&input.args))
    }

    /// Whether an explicit spec that says more than `term()` of some argument allows this input. The type of a
    /// behaviour's callback is no promise of the module to take every such term.
    pub(crate) fn promises(&self, input: &Input) -> bool {
        if let Some(system) = &self.system {
            return system.promises(input);
        }
        let is_promise = |it: &Signature| {
            it.origin == Origin::Spec && it.says_something() && it.allows(&input.args)
        };
        self.signature.as_ref().is_some_and(is_promise)
    }

    /// Whether the spec says more than `term()` of at least one of these parts; true for no parts.
    pub(crate) fn says_something_of(&self, parts: &[Part]) -> bool {
        let Domain { types, args } = &self.domain;
        let is_typed = |it: &Part| args.is_some_and(|args| is_typed(types, args, &it.place));
        parts.is_empty() || parts.iter().any(is_typed)
    }

    /// The types that a part of an input may have, with unions resolved.
    pub(crate) fn types_at(&self, place: &Place) -> Vec<TypeId> {
        let Domain { types, args } = &self.domain;
        let mut todo = args.map(|it| types_at(types, it, place)).unwrap_or_default();
        let mut res = Vec::new();
        for _ in 0..MAX_STEPS {
            let Some(id) = todo.pop() else { break };
            match types.members(id) {
                Some(members) => todo.extend(members),
                None => res.push(id),
            }
        }
        res
    }

    /// Whether the input is in the domain.
    pub(crate) fn has(&self, input: &Input) -> bool {
        self.domain.has(&input.args)
    }

    /// Whether a part of type `char()` is a surrogate code point, which `char()` includes although texts can't contain
    /// it.
    pub(crate) fn has_surrogate_char(&self, input: &Input) -> bool {
        let Domain { types, .. } = &self.domain;
        let is_surrogate = |it: &Term| matches!(it, Term::Int(code) if SURROGATES.contains(code));
        let has_one = || input.args.iter().any(|it| it.has_part(is_surrogate));
        let is_char = |it: TypeId| {
            matches!(types.get(it), Type::Range { high: Some(high), .. }
            if *high == BigInt::from(u32::from(char::MAX)))
        };
        has_one() && self.has_part(input, &|of, it| is_char(of) && is_surrogate(it))
    }

    /// Whether a part of type `String.t()` is not UTF-8: the type includes all binaries.
    pub(crate) fn has_broken_text(&self, input: &Input) -> bool {
        let Domain { types, .. } = &self.domain;
        let is_broken =
            |it: &Term| it.as_bytes().is_some_and(|it| std::str::from_utf8(it).is_err());
        let has_one = || input.args.iter().any(|it| it.has_part(is_broken));
        has_one() && self.has_part(input, &|of, it| is_text(types, of) && is_broken(it))
    }

    /// Whether `is` holds for some part of an input together with the type of that part.
    pub(crate) fn has_part(&self, input: &Input, is: &dyn Fn(TypeId, &Term) -> bool) -> bool {
        let Domain { types, args } = &self.domain;
        args.is_some_and(|it| {
            let mut left = MAX_STEPS;
            has_part(types, it, &Term::Tuple(input.args.clone()), &mut left, is)
        })
    }

    /// Describes how a result breaks the spec; `None` if it does not.
    pub(crate) fn complaint(&self, input: &Input, value: &Term) -> Option<String> {
        let signature = self.signature.as_ref()?;
        let promised = signature.breach(&input.args, value)?.promised;
        let by = match &signature.origin {
            Origin::Spec => "the spec".to_owned(),
            Origin::Callback(behaviour) => format!("the behaviour {}", behaviour.as_str()),
        };
        Some(format!("{by} promises {promised}, not {}", print(value, Style::TW)))
    }
}

fn struct_of(term: &Term) -> Option<&Atom> {
    let Term::Map(pairs) = term else { return None };
    let (_, name) = pairs.iter().find(|it| it.0.as_atom() == Some("__struct__"))?;
    if let Term::Atom(name) = name { Some(name) } else { None }
}

/// Whether the type of the arguments says more than `term()` of a part.
fn is_typed(types: &Types, args: TypeId, place: &Place) -> bool {
    let at = types_at(types, args, place);
    // A part without a type is not promised anything.
    !at.is_empty() && at.iter().all(|it| !matches!(types.get(*it), Type::Any))
}

/// The types that a part of the arguments may have.
fn types_at(types: &Types, args: TypeId, place: &Place) -> Vec<TypeId> {
    // The arguments of a spec with several clauses are a union of tuples, one for each clause.
    let clauses = types.members(args).map_or_else(|| vec![args], <[TypeId]>::to_vec);
    let argument = |it: &TypeId| {
        let Type::Tuple(args) = types.get(*it) else { return None };
        args.get(place.argument).copied()
    };
    let mut at: Vec<TypeId> = clauses.iter().filter_map(argument).collect();
    for step in &place.steps {
        at = at.into_iter().flat_map(|it| types_of_part(types, it, step)).collect();
    }
    at
}

/// The types that a part of a value may have.
fn types_of_part(types: &Types, of: TypeId, step: &Step) -> Vec<TypeId> {
    match (types.get(of), step) {
        (Type::Union(members), _) => {
            members.iter().flat_map(|it| types_of_part(types, *it, step)).collect()
        }
        (Type::List { item, .. }, Step::Item) => vec![*item],
        (Type::List { .. }, Step::Tail(_)) => vec![of],
        (Type::Tuple(items), Step::Element { n, arity, tag }) if items.len() == *arity => {
            let first = items.first().map(|it| types.get(*it));
            let is_other = match (first, tag) {
                (Some(Type::Literal(Term::Atom(name))), Some(tag)) => name.as_str() != tag,
                _ => false,
            };
            let item = usize::try_from(*n).ok().and_then(|it| items.get(it));
            if is_other { Vec::new() } else { item.copied().into_iter().collect() }
        }
        (Type::Map(fields), Step::Value(_)) => fields.iter().map(|it| it.value).collect(),
        (Type::Any, _) => vec![of],
        (
            Type::None
            | Type::Kind(_)
            | Type::Literal(_)
            | Type::Range { .. }
            | Type::List { .. }
            | Type::Tuple(_)
            | Type::Map(_)
            | Type::Bits { .. }
            | Type::Fun { .. },
            _,
        ) => Vec::new(),
    }
}

/// The code points of UTF-16 surrogates, which are no characters.
pub(crate) const SURROGATES: RangeInclusive<i64> = 0xD800..=0xDFFF;

/// The maximum number of pairs of types and parts that are examined: nested unions have very many.
const MAX_STEPS: usize = 10_000;

/// Whether some pair of a type and a part of a term satisfies the predicate `is`.
fn has_part(
    types: &Types,
    of: TypeId,
    term: &Term,
    left: &mut usize,
    is: &dyn Fn(TypeId, &Term) -> bool,
) -> bool {
    let Some(rest) = left.checked_sub(1) else { return false };
    *left = rest;
    if is(of, term) {
        return true;
    }
    let mut has = |of: &TypeId, term: &Term| has_part(types, *of, term, left, is);
    match (types.get(of), term) {
        (Type::Union(members), _) => members.iter().any(|it| has(it, term)),
        (Type::List { item, tail, .. }, Term::List(list)) => {
            list.items.iter().any(|it| has(item, it)) || has(tail, &list.tail)
        }
        (Type::Tuple(of), Term::Tuple(items)) if of.len() == items.len() => {
            of.iter().zip(items).any(|(of, item)| has(of, item))
        }
        (Type::Map(fields), Term::Map(pairs)) => {
            pairs.iter().any(|pair| fields.iter().any(|it| has(&it.value, &pair.1)))
        }
        _ => false,
    }
}

/// How often random sequences are made.
const N_SEQUENCES: u64 = 2;

/// Sizes of random seeds. Some code, such as sorting and merging of long lists, would be reached late or never from
/// the smallest input.
const SIZES: [u64; 8] = [3, 6, 6, 12, 12, 24, 24, 48];

/// Returns random members of the domain.
fn larger(domain: &Domain, seed: u64) -> Vec<Input> {
    let Some(args) = domain.args else { return vec![] };
    let mut dice = Dice(seed);
    let sample = |size: u64| {
        let args = domain.types.sample(args, size, &mut dice)?.as_tuple()?.to_vec();
        domain.has(&args).then_some(Input { args })
    };
    let mut res: Vec<Input> = SIZES.into_iter().filter_map(sample).collect();
    res.dedup();
    res
}
