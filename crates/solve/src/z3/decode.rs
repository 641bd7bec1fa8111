//! Z3's values as terms.

use super::atoms::AtomTable;
use ::z3::ast::{Ast, Dynamic};
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use term::Term;

pub(super) struct Decoder<'a> {
    pub(super) atoms: &'a AtomTable,
    /// What the numbers of opaque terms stand for.
    pub(super) opaque: &'a [Term],
}

const MAX_DEPTH: usize = 1000;

impl Decoder<'_> {
    /// `None`: the value is something that we can't make.
    pub(super) fn term(&self, value: &Dynamic, depth: usize) -> Option<Term> {
        if depth > MAX_DEPTH {
            return None;
        }
        let form = value.safe_decl().ok()?.name();
        match form.as_str() {
            "int" => Some(Term::integer(integer(&value.nth_child(0)?)?)),
            "float" => real(&value.nth_child(0)?).map(Term::Float),
            "atom" => {
                let number = integer(&value.nth_child(0)?)?.to_i64()?;
                Some(Term::atom(&self.atoms.name(number)))
            }
            "nil" => Some(Term::Nil),
            "cons" => {
                let mut items = Vec::new();
                let mut rest = value.clone();
                while rest.safe_decl().ok()?.name() == "cons" {
                    items.push(self.term(&rest.nth_child(0)?, depth + 1)?);
                    rest = rest.nth_child(1)?;
                }
                Some(Term::list(items, self.term(&rest, depth + 1)?))
            }
            "tuple" => {
                let mut items = Vec::new();
                let mut rest = value.nth_child(0)?;
                while rest.safe_decl().ok()?.name() == "item" {
                    items.push(self.term(&rest.nth_child(0)?, depth + 1)?);
                    rest = rest.nth_child(1)?;
                }
                Some(Term::Tuple(items))
            }
            form => self.opaque(form, &integer(&value.nth_child(0)?)?),
        }
    }

    fn opaque(&self, form: &str, number: &BigInt) -> Option<Term> {
        let known = number.to_usize().and_then(|it| self.opaque.get(it));
        match (form, known) {
            ("map", Some(map @ Term::Map(_))) => Some(map.clone()),
            ("map", _) => Some(Term::map(vec![(Term::integer(number.clone()), Term::Int(0))])),
            ("bits", Some(bits @ Term::Bits(_))) => Some(bits.clone()),
            ("bits", _) => Some(Term::binary(number.to_signed_bytes_be())),
            ("fun", Some(fun @ Term::Fun(_))) => Some(fun.clone()),
            ("pid", Some(pid @ Term::Pid(_))) => Some(pid.clone()),
            ("port", Some(port @ Term::Port(_))) => Some(port.clone()),
            ("ref", Some(reference @ Term::Ref(_))) => Some(reference.clone()),
            _ => None,
        }
    }
}

fn integer(value: &Dynamic) -> Option<BigInt> {
    let text = value.as_int()?.to_string();
    // Z3 writes a negative number as `(- 5)`.
    match text.strip_prefix("(- ").and_then(|it| it.strip_suffix(')')) {
        Some(digits) => digits.parse::<BigInt>().ok().map(|it| -it),
        None => text.parse().ok(),
    }
}

/// The float nearest to the number; whether it will do is for the check to say.
fn real(value: &Dynamic) -> Option<f64> {
    let real = value.as_real()?;
    let res = match real.as_rational() {
        Some((above, below)) => above.to_f64()? / below.to_f64()?,
        None => real.approx_f64(),
    };
    res.is_finite().then_some(res)
}
