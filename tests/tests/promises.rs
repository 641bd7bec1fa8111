//! Functions of OTP, called with random members of their specs: what they return keeps what they
//! promise. An oracle that cries wolf would do so here.

use conformance::Random;
use erlang::machine::Limits;
use erlang::{Machine, Outcome, Settings};
use num_bigint::BigInt;
use specs::{Signature, Specs};
use std::env;
use term::{Atom, Bits, Field, Fun, Kind, Style, Term, Type, TypeId, Types, print};

const MODULES: &[&str] = &[
    "lists",
    "maps",
    "string",
    "orddict",
    "ordsets",
    "gb_trees",
    "gb_sets",
    "dict",
    "sets",
    "queue",
    "array",
    "calendar",
    "proplists",
    "base64",
    "uri_string",
    "filename",
    "unicode",
    "binary",
    "math",
    "erl_internal",
    "otp_internal",
    "io_lib",
    "erl_anno",
    "erl_scan",
    "digraph",
    "sofs",
    "Elixir.Enum",
    "Elixir.String",
    "Elixir.Map",
    "Elixir.Keyword",
    "Elixir.URI",
    "Elixir.List",
];

/// Functions of OTP 25 that do break their spec, and with what.
const BROKEN: &[(&str, &str)] = &[
    ("lists:reverse/2", "takes any tail and promises a list"),
    ("filename:append/2", "the same"),
    ("io_lib:fread/3", "the end of input as the rest, and terms that the caller put there"),
    ("erl_anno:", "an annotation of any term, and annotations without a place"),
    ("erl_scan:", "the same, and no continuation"),
    ("array:sparse_to_orddict/1", "of trees that the module never makes"),
    ("digraph:", "undefined for tables that do not exist"),
];

const N_INPUTS: usize = 12;

#[test]
fn members_belong_and_results_keep_the_spec() {
    let mut machine = machine();
    let mut specs = Specs::default();
    let mut random = Random(7);
    let (mut n_values, mut wrong) = (0, Vec::new());
    for module in MODULES.iter().map(|it| Atom::new(it)) {
        let exports = machine.exports(&module).expect("it loads");
        let functions = specs.functions(machine.host(), &module).expect("it loads");
        for (function, arity) in functions {
            if !exports.iter().any(|it| it.0 == function && it.1 as usize == arity) {
                continue;
            }
            let found = specs.signature(machine.host(), &module, &function, arity);
            let signature = found.expect("it loads").expect("it has a spec");
            let name = format!("{}:{}/{arity}", module.as_str(), function.as_str());
            for _ in 0..N_INPUTS {
                let Some(args) = input(&signature, &mut random) else { continue };
                let shown = print(&Term::proper_list(args.clone()), Style::TW);
                if !signature.allows(&args) {
                    wrong.push(format!("{name} refuses {shown}: {:?}", signature.refusal(&args)));
                    continue;
                }
                let run = machine.call(&module, &function, &args).expect("the machine works");
                let Outcome::Value(value) = run.outcome else { continue };
                n_values += 1;
                if let Some(breach) = signature.breach(&args, &value) {
                    let value = print(&value, Style::TW);
                    wrong.push(format!("{name} of {shown}: {value} is not {}", breach.promised));
                }
            }
        }
    }
    wrong.retain(|it| !BROKEN.iter().any(|known| it.starts_with(known.0)));
    assert!(wrong.is_empty(), "{} of {n_values}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(n_values > 3000, "only {n_values} calls returned");
}

fn machine() -> Machine {
    let cache_dir = Some(env::temp_dir().join("gimlet-conformance-cache"));
    let host = beam::Otp::new(beam::Settings { cache_dir, ..beam::Settings::default() });
    let limits = Limits { reductions: 200_000, memory_bytes: 1 << 24, ..Limits::default() };
    let settings = Settings { limits, ..Settings::default() };
    Machine::new(Box::new(host.expect("OTP is installed")), settings)
}

fn input(signature: &Signature, random: &mut Random) -> Option<Vec<Term>> {
    let args = *random.pick(&signature.args);
    let members = Members { types: &signature.domain.types };
    if let Term::Tuple(args) = members.member(args, random, 4)? { Some(args) } else { None }
}

/// Random members of types, made by their syntax alone.
struct Members<'a> {
    types: &'a Types,
}

impl Members<'_> {
    fn member(&self, id: TypeId, random: &mut Random, depth: u32) -> Option<Term> {
        let Some(below) = depth.checked_sub(1) else { return self.types.smallest(id) };
        Some(match self.types.get(id) {
            Type::None => return None,
            Type::Any => anything(random),
            Type::Kind(kind) => of_kind(*kind, random),
            Type::Literal(term) => term.clone(),
            Type::Range { low, high } => {
                let near = self.types.smallest(id)?;
                let step = Term::integer(integer(&near)? + random.below(20));
                let fits = |it: &BigInt, bound: &BigInt| it <= bound;
                let value = integer(&step)?;
                let is_high = high.as_ref().is_none_or(|it| fits(&value, it));
                let is_low = low.as_ref().is_none_or(|it| fits(it, &value));
                if is_high && is_low { step } else { near }
            }
            Type::List { item, tail, may_be_empty } => {
                let n = random.below(4) + u64::from(!may_be_empty);
                let items: Option<Vec<Term>> =
                    (0..n).map(|_| self.member(*item, random, below)).collect();
                let items = items.filter(|it| *may_be_empty || !it.is_empty());
                let items = if *may_be_empty { items.unwrap_or_default() } else { items? };
                Term::list(items, self.member(*tail, random, below)?)
            }
            Type::Tuple(parts) => {
                let parts = parts.iter().map(|it| self.member(*it, random, depth));
                Term::Tuple(parts.collect::<Option<_>>()?)
            }
            Type::Map(fields) => self.map(fields, random, below)?,
            Type::Bits { base, unit } => {
                let n = usize::try_from(base + unit * random.below(3)).ok()?;
                Term::Bits(Bits::zeros(n))
            }
            Type::Fun { args, result } => {
                let arity = args.as_ref().map_or(1, |it| it.len());
                let default = self.member(*result, random, below)?;
                let arity = u8::try_from(arity).ok()?;
                Term::Fun(Box::new(Fun::Table { arity, entries: Vec::new(), default }))
            }
            Type::Union(parts) => {
                let picked = *random.pick(parts);
                self.member(picked, random, below).or_else(|| self.types.smallest(id))?
            }
        })
    }

    /// Named keys come first in a type, so they are put last.
    fn map(&self, fields: &[Field], random: &mut Random, below: u32) -> Option<Term> {
        let mut pairs = Vec::new();
        for field in fields.iter().rev() {
            if !field.is_required && random.below(2) == 0 {
                continue;
            }
            let key = self.member(field.key, random, below)?;
            if let Some(value) = self.member(field.value, random, below) {
                pairs.push((key, value));
            }
        }
        Some(Term::map(pairs))
    }
}

fn of_kind(kind: Kind, random: &mut Random) -> Term {
    let n = i64::try_from(random.below(7)).unwrap_or(0);
    match kind {
        Kind::Atom => Term::atom(pick(random, &["a", "b", "ok", "true", "nil", "utf8"])),
        Kind::Boolean => Term::atom(pick(random, &["true", "false"])),
        Kind::Integer => Term::Int(n - 3),
        Kind::Number if n > 3 => Term::Int(n),
        Kind::Number | Kind::Float => Term::Float(1.5 * n as f64),
        Kind::Binary => {
            Term::binary(random.pick(&["", "a", "b c", "1", "%41", "é"]).as_bytes().to_vec())
        }
        Kind::Bitstring => Term::Bits(Bits::zeros(usize::try_from(n * 3).unwrap_or(0))),
        Kind::Tuple => Term::Tuple(vec![Term::Int(n); usize::try_from(n % 3).unwrap_or(0)]),
        Kind::Map => Term::map(vec![(Term::Int(n), Term::atom("v"))]),
        Kind::List | Kind::Cons => Term::proper_list(vec![Term::Int(n), Term::atom("x")]),
        Kind::Function => Kind::Function.smallest(),
        Kind::Nil | Kind::Pid | Kind::Port | Kind::Reference => kind.smallest(),
    }
}

fn anything(random: &mut Random) -> Term {
    let kinds: Vec<Kind> = Kind::all().collect();
    of_kind(*random.pick(&kinds), random)
}

fn integer(term: &Term) -> Option<BigInt> {
    match (term.as_int(), term) {
        (Some(value), _) => Some(BigInt::from(value)),
        (None, Term::Big(value)) => Some((**value).clone()),
        (None, _) => None,
    }
}

fn pick<'a>(random: &mut Random, from: &[&'a str]) -> &'a str {
    let picked: &&str = random.pick(from);
    picked
}
