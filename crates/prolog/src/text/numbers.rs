//! Numbers as text: the syntax of integers, rationals and floats.

use crate::data::{Number, Rational};
use crate::text::chars::is_alnum;
use crate::text::lex::scan_escape;
use num_bigint::BigInt;
use num_traits::Num;

/// Parses a whole text as a number: optional blanks, an optional sign, and a number in Prolog's syntax.
pub fn read_number(text: &str) -> Option<Number> {
    let (number, len) = read_number_prefix(text)?;
    (len == text.len()).then_some(number)
}

/// Parses a number with an optional sign at the beginning of a text. Returns the offset behind it, too.
pub fn read_number_prefix(text: &str) -> Option<(Number, usize)> {
    let trimmed = text.trim_start();
    let skipped = text.len() - trimmed.len();
    let (negative, digits) = match trimmed.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, trimmed.strip_prefix('+').unwrap_or(trimmed)),
    };
    if !digits.starts_with(|c: char| c.is_ascii_digit()) {
        return special_float(digits).map(|(it, len)| {
            let it = if negative { -it } else { it };
            (Number::Float(it), text.len() - digits.len() + len)
        });
    }
    let (number, len) = scan_number(digits).ok()?;
    let number = match (negative, number) {
        (false, number) => number,
        (true, Number::Int(it)) => Number::integer(-BigInt::from(it)),
        (true, Number::Big(it)) => Number::integer(-it),
        (true, Number::Rational(it)) => Number::Rational(it.neg()),
        (true, Number::Float(it)) => Number::Float(-it),
    };
    Some((number, skipped + (trimmed.len() - digits.len()) + len))
}

fn special_float(text: &str) -> Option<(f64, usize)> {
    let word = text.split(|c: char| !is_alnum(c)).next().unwrap_or("");
    match word {
        "inf" | "infinite" => Some((f64::INFINITY, word.len())),
        "nan" => Some((f64::NAN, word.len())),
        "epsilon" | "max_tagged_integer" => None,
        _ => None,
    }
}

/// Parses a number at the beginning of a text that starts with a digit. Returns its length, too.
pub(crate) fn scan_number(text: &str) -> Result<(Number, usize), (&'static str, usize)> {
    if let Some(rest) = text.strip_prefix("0'")
        && let Some(found) = scan_char_code(rest)
    {
        return Ok(found);
    }
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] {
        if let Some(rest) = text.strip_prefix(prefix) {
            let len = digits_len(rest, radix);
            if 0 < len {
                return Ok((parse(rest, len, radix), 2 + len));
            }
        }
    }
    let len = digits_len(text, 10);
    let rest = text.get(len..).unwrap_or("");
    if let Some(found) = scan_radix(text, len, rest) {
        return found;
    }
    if let Some(found) = scan_rational(text, len, rest) {
        return found;
    }
    if let Some(found) = scan_float(text, len, rest) {
        return found;
    }
    // `1e10` was scanned as a float above. Letters after an integer, as in `1a`, are left to the caller,
    // for which they are a syntax error.
    Ok((parse(text, len, 10), len))
}

fn scan_char_code(rest: &str) -> Option<(Number, usize)> {
    let mut chars = rest.chars();
    let c = chars.next()?;
    let code = |c: char| Number::Int(i64::from(u32::from(c)));
    match c {
        '\\' => {
            let (c, len) = scan_escape(chars.as_str(), '\'').ok()?;
            Some((code(c?), 3 + len))
        }
        '\'' => Some((code('\''), 3 + usize::from(chars.as_str().starts_with('\'')))),
        _ => Some((code(c), 2 + c.len_utf8())),
    }
}

/// A number and its length in bytes, or SWI-Prolog's name of the error and the length of the invalid text.
type Scanned = Result<(Number, usize), (&'static str, usize)>;

/// Scans an integer with a radix, such as `16'FF`.
fn scan_radix(text: &str, len: usize, rest: &str) -> Option<Scanned> {
    let digits = rest.strip_prefix('\'')?;
    let radix: u32 = text.get(..len)?.parse().ok()?;
    if !(2..=36).contains(&radix) {
        return None;
    }
    let n = digits_len(digits, radix);
    (0 < n).then(|| Ok((parse(digits, n, radix), len + 1 + n)))
}

/// Scans a rational, such as `1r3`.
fn scan_rational(text: &str, len: usize, rest: &str) -> Option<Scanned> {
    let digits = rest.strip_prefix('r')?;
    let n = digits_len(digits, 10);
    if n == 0 || digits.get(n..).is_some_and(|it| it.starts_with(is_alnum)) {
        return None;
    }
    let numerator = parse(text, len, 10).to_big()?;
    let denominator = parse(digits, n, 10).to_big()?;
    let res = Rational::new(numerator, denominator).map(Number::rational);
    Some(res.map(|it| (it, len + 1 + n)).ok_or(("illegal_number", len + 1 + n)))
}

fn scan_float(text: &str, len: usize, rest: &str) -> Option<Scanned> {
    let fraction = rest.strip_prefix('.').map_or(0, |it| {
        let n = it.find(|c: char| !c.is_ascii_digit()).unwrap_or(it.len());
        if n == 0 { 0 } else { n + 1 }
    });
    let after = rest.get(fraction..).unwrap_or("");
    let mantissa = text.get(..len + fraction)?;
    if fraction != 0 {
        if after.starts_with("Inf") {
            return Some(Ok((Number::Float(f64::INFINITY), len + fraction + 3)));
        }
        if after.starts_with("NaN") {
            let value: f64 = mantissa.parse().ok()?;
            let bits = value.to_bits() & ((1 << 52) - 1) | 0x7ff << 52;
            return Some(Ok((Number::Float(f64::from_bits(bits)), len + fraction + 3)));
        }
    }
    let exponent = exponent_len(after);
    if fraction == 0 && exponent == 0 {
        return None;
    }
    let total = len + fraction + exponent;
    let digits = text.get(..total)?.replace(['_', ' '], "");
    match digits.parse::<f64>() {
        Ok(value) if value.is_finite() => Some(Ok((Number::Float(value), total))),
        _ => Some(Err(("illegal_number", total))),
    }
}

fn exponent_len(after: &str) -> usize {
    let Some(rest) = after.strip_prefix(['e', 'E']) else { return 0 };
    let sign = usize::from(rest.starts_with(['+', '-']));
    let digits = rest.get(sign..).unwrap_or("");
    let n = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    if n == 0 { 0 } else { 1 + sign + n }
}

/// Returns the length of digits with digit groups: `1_000_000`, and for radix 10 also `1 000 000`.
fn digits_len(text: &str, radix: u32) -> usize {
    let mut len = 0;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let digit = |c: &char| c.is_digit(radix);
        let separates = c == '_' || c == ' ' && radix == 10;
        let goes_on = digit(&c) || separates && 0 < len && chars.peek().is_some_and(digit);
        if !goes_on {
            break;
        }
        len += 1;
    }
    len
}

fn parse(text: &str, len: usize, radix: u32) -> Number {
    let digits = text.get(..len).unwrap_or("0").replace(['_', ' '], "");
    match i64::from_str_radix(&digits, radix) {
        Ok(small) => Number::Int(small),
        Err(_) => Number::integer(BigInt::from_str_radix(&digits, radix).unwrap_or_default()),
    }
}
