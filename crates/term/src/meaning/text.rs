//! Conversions between kinds of terms by their texts.

use crate::expr::{Base, Conversion};
use crate::ground::{Atom, Term};
use num_bigint::BigInt;

pub(super) fn convert(conversion: Conversion, of: &Term) -> Option<Term> {
    match conversion {
        Conversion::AtomToList => of.as_atom().map(Term::string),
        Conversion::ListToAtom => atom(&chars(of)?),
        Conversion::AtomToBinary => of.as_atom().map(|it| Term::binary(it.as_bytes().to_vec())),
        Conversion::BinaryToAtom => atom(str::from_utf8(of.as_bytes()?).ok()?),
        Conversion::IntegerToList(base) => integer_text(of, base).map(|it| Term::string(&it)),
        Conversion::ListToInteger(base) => integer(&bytes(of)?, base),
        Conversion::IntegerToBinary(base) => {
            integer_text(of, base).map(|it| Term::binary(it.into_bytes()))
        }
        Conversion::BinaryToInteger(base) => integer(of.as_bytes()?, base),
        Conversion::FloatToList => {
            if let Term::Float(value) = of {
                Some(Term::string(&scientific(*value)))
            } else {
                None
            }
        }
        Conversion::ListToFloat => float(&bytes(of)?),
        Conversion::BinaryToList => {
            let items = of.as_bytes()?.iter().map(|it| Term::Int(i64::from(*it)));
            Some(Term::proper_list(items.collect()))
        }
        Conversion::ListToBinary => bytes(of).map(Term::binary),
        Conversion::BitsToFloat { is_little } => super::bits::to_float(of, is_little),
        Conversion::FloatToBits { is_little } => {
            let Term::Float(float) = of else { return None };
            super::bits::float_bits(*float, 64, is_little)
        }
    }
}

/// The maximal length of an atom in code points, as on BEAM.
const MAX_CHARS: usize = 255;

fn atom(text: &str) -> Option<Term> {
    (text.chars().count() <= MAX_CHARS).then(|| Term::Atom(Atom::new(text)))
}

fn chars(list: &Term) -> Option<String> {
    let char = |it: &Term| char::from_u32(u32::try_from(it.as_int()?).ok()?);
    list.as_list()?.iter().map(char).collect()
}

fn bytes(list: &Term) -> Option<Vec<u8>> {
    list.as_list()?.iter().map(|it| u8::try_from(it.as_int()?).ok()).collect()
}

fn integer_text(of: &Term, base: Base) -> Option<String> {
    let text = match (of, of.as_int()) {
        (Term::Big(value), _) => value.to_str_radix(base.get()),
        (_, Some(value)) if base == Base::TEN => value.to_string(),
        (_, value) => BigInt::from(value?).to_str_radix(base.get()),
    };
    Some(text.to_uppercase())
}

/// Reads an optional sign and one or more digits.
fn integer(text: &[u8], base: Base) -> Option<Term> {
    let digits = text.strip_prefix(b"-").or(text.strip_prefix(b"+")).unwrap_or(text);
    if digits.is_empty() || !digits.iter().all(|it| char::from(*it).is_digit(base.get())) {
        return None;
    }
    BigInt::parse_bytes(text, base.get()).map(Term::integer)
}

/// Returns a float as `%.20e` of C does: the exponent has a sign and at least two digits.
fn scientific(value: f64) -> String {
    let text = format!("{value:.20e}");
    let Some((mantissa, exponent)) = text.split_once('e') else { return text };
    let (sign, digits) = match exponent.strip_prefix('-') {
        Some(digits) => ('-', digits),
        None => ('+', exponent),
    };
    format!("{mantissa}e{sign}{digits:0>2}")
}

/// Reads an optional sign, digits, a point, digits, and an optional exponent.
fn float(text: &[u8]) -> Option<Term> {
    let text = str::from_utf8(text).ok()?;
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    // BEAM also accepts a comma, because of some C libraries.
    let (whole, fraction) = mantissa.split_once(['.', ','])?;
    let is_digits = |it: &str| !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit());
    let exponent_digits = exponent.map(|it| it.strip_prefix(['+', '-']).unwrap_or(it));
    if !is_digits(whole) || !is_digits(fraction) || !exponent_digits.is_none_or(is_digits) {
        return None;
    }
    let value: f64 = text.replace(',', ".").parse().ok()?;
    value.is_finite().then_some(Term::Float(value))
}
