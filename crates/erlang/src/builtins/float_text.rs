//! Conversions between floats and text.

use crate::builtins::arithmetic::arg;
use crate::builtins::text::{leading_bytes, list_bytes, skip, string};
use crate::builtins::{Builtin, Fault, pure};
use crate::lift;
use crate::machine::World;
use values::{AtomId, Value};

pub(super) const ROWS: &[Builtin] = &[
    pure("erlang", "float_to_list", 1, |w, args| {
        let text = to_text(arg(args, 0), Layout::DEFAULT)?;
        Ok(string(&mut w.heap, &text))
    })
    .own(lift::text::float_to_list),
    pure("erlang", "float_to_list", 2, |w, args| {
        let layout = layout(w, arg(args, 1))?;
        let text = to_text(arg(args, 0), layout)?;
        Ok(string(&mut w.heap, &text))
    }),
    pure("erlang", "float_to_binary", 1, |w, args| {
        let text = to_text(arg(args, 0), Layout::DEFAULT)?;
        Ok(w.heap.binary(text.as_bytes()))
    }),
    pure("erlang", "float_to_binary", 2, |w, args| {
        let layout = layout(w, arg(args, 1))?;
        let text = to_text(arg(args, 0), layout)?;
        Ok(w.heap.binary(text.as_bytes()))
    }),
    pure("erlang", "list_to_float", 1, |w, args| {
        let bytes = list_bytes(&w.heap, arg(args, 0)).ok_or(Fault::BADARG)?;
        whole_float(&bytes)
    })
    .own(lift::text::list_to_float),
    pure("erlang", "binary_to_float", 1, |w, args| {
        let bytes = w.heap.as_binary_bytes(arg(args, 0)).ok_or(Fault::BADARG)?;
        whole_float(&bytes)
    })
    .own(lift::text::binary_to_float),
    pure("string", "list_to_float", 1, leading_float).own(lift::leading::float),
];

#[derive(Clone, Copy)]
enum Layout {
    Scientific { decimals: usize },
    Fixed { decimals: usize, zeros: Zeros },
    Short,
}

/// Whether trailing zeros are printed.
#[derive(Clone, Copy, PartialEq)]
enum Zeros {
    Keep,
    Drop,
}

impl Layout {
    const DEFAULT: Layout = Layout::Scientific { decimals: 20 };
}

/// The longest text that fits BEAM's buffer of 256 bytes; longer ones raise `badarg`.
const MAX_TEXT: usize = 255;
const MAX_FIXED: i64 = 253;
const MAX_SCIENTIFIC: i64 = 249;

fn layout(w: &World, options: Value) -> Result<Layout, Fault> {
    let mut res = Layout::DEFAULT;
    let mut zeros = Zeros::Keep;
    for option in w.heap.list_items(options).ok_or(Fault::BADARG)? {
        if let Some(name) = option.as_atom() {
            match w.atoms.name(name) {
                "compact" => zeros = Zeros::Drop,
                "short" => res = Layout::Short,
                _ => return Err(Fault::BADARG),
            }
            continue;
        }
        let Some([name, decimals]) = w.heap.elements(option) else { return Err(Fault::BADARG) };
        let decimals = decimals.as_int().ok_or(Fault::BADARG)?;
        let name = name.as_atom().map(|it| w.atoms.name(it));
        res = match (name, usize::try_from(decimals)) {
            (Some("decimals"), Ok(n)) if decimals <= MAX_FIXED => {
                Layout::Fixed { decimals: n, zeros: Zeros::Keep }
            }
            (Some("scientific"), Ok(n)) if decimals <= MAX_SCIENTIFIC => {
                Layout::Scientific { decimals: n }
            }
            // C's `printf` uses its default precision for a negative one.
            (Some("scientific"), Err(_)) => Layout::Scientific { decimals: 6 },
            _ => return Err(Fault::BADARG),
        };
    }
    if let Layout::Fixed { decimals, .. } = res {
        return Ok(Layout::Fixed { decimals, zeros });
    }
    Ok(res)
}

fn to_text(value: Value, layout: Layout) -> Result<String, Fault> {
    let float = value.as_float().ok_or(Fault::BADARG)?;
    let text = match layout {
        Layout::Short => term::float_text(float),
        Layout::Scientific { decimals } => scientific(float, decimals),
        Layout::Fixed { decimals, zeros } => fixed(float, decimals, zeros)?,
    };
    if text.len() <= MAX_TEXT { Ok(text) } else { Err(Fault::BADARG) }
}

/// Formats like `%e` in C: the exponent has a sign and at least two digits.
fn scientific(float: f64, decimals: usize) -> String {
    let text = format!("{float:.decimals$e}");
    let Some((mantissa, exponent)) = text.split_once('e') else { return text };
    let (sign, digits) = match exponent.strip_prefix('-') {
        Some(digits) => ('-', digits),
        None => ('+', exponent),
    };
    format!("{mantissa}e{sign}{digits:0>2}")
}

/// Formats with a fixed number of decimals. Up to 2^53 and 18 decimals BEAM computes the fraction in floats, which may
/// round differently from the exact value; beyond, it uses C's exact digits.
fn fixed(float: f64, decimals: usize, zeros: Zeros) -> Result<String, Fault> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let is_quick = float.abs() <= EXACT && decimals <= 18;
    let mut text =
        if is_quick { quick_fixed(float, decimals) } else { format!("{float:.decimals$}") };
    if text.len() > MAX_TEXT {
        return Err(Fault::BADARG);
    }
    if zeros == Zeros::Drop && (decimals > 0 || !is_quick) {
        text.truncate(text.trim_end_matches('0').len());
        if text.ends_with('.') {
            text.push('0');
        }
    }
    Ok(text)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "both parts are whole, not negative and below 2^63"
)]
fn quick_fixed(float: f64, decimals: usize) -> String {
    let sign = if float.is_sign_negative() { "-" } else { "" };
    let size = float.abs();
    if decimals == 0 {
        return format!("{sign}{}", size.round() as u64);
    }
    let scale = 10u64.pow(u32::try_from(decimals).unwrap_or(0));
    #[expect(clippy::cast_precision_loss, reason = "powers of ten up to 10^18 are exact")]
    let fraction = ((size - size.floor()) * scale as f64).round() as u64;
    let (whole, fraction) = match size.floor() as u64 {
        whole if fraction >= scale => (whole + 1, 0),
        whole => (whole, fraction),
    };
    format!("{sign}{whole}.{fraction:0decimals$}")
}

fn whole_float(text: &[u8]) -> Result<Value, Fault> {
    match float_prefix(text) {
        Some(len) if len == text.len() => parse(text).map(Value::float).ok_or(Fault::BADARG),
        _ => Err(Fault::BADARG),
    }
}

/// `string:list_to_float/1`: the float at the start of a list, and the rest of the list.
fn leading_float(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let list = arg(args, 0);
    let (bytes, _) = leading_bytes(&w.heap, list);
    let found = float_prefix(&bytes)
        .and_then(|len| parse(bytes.get(..len).unwrap_or_default()).map(|it| (len, it)));
    let Some((len, float)) = found else {
        let is_list = list.is_cons() || list.is_nil();
        let why = w.atoms.intern(if is_list { "no_float" } else { "not_a_list" });
        return Ok(w.heap.tuple(&[Value::atom(AtomId::ERROR), Value::atom(why)]));
    };
    let rest = skip(&w.heap, list, len);
    Ok(w.heap.tuple(&[Value::float(float), rest]))
}

/// Returns the length in bytes of the float that a text begins with: sign, digits, point, digits, and the exponent if
/// it is complete.
fn float_prefix(text: &[u8]) -> Option<usize> {
    let sign = |at: usize| usize::from(matches!(text.get(at), Some(b'+' | b'-')));
    let digits = |at: usize| {
        let n = text.iter().skip(at).take_while(|it| it.is_ascii_digit()).count();
        (n > 0).then_some(at + n)
    };
    let point = digits(sign(0))?;
    // BEAM accepts a comma too, because some C libraries print one.
    if !matches!(text.get(point), Some(b'.' | b',')) {
        return None;
    }
    let end = digits(point + 1)?;
    if !matches!(text.get(end), Some(b'e' | b'E')) {
        return Some(end);
    }
    let exponent = end + 1;
    Some(digits(exponent + sign(exponent)).unwrap_or(end))
}

/// Parses a float in the notation that [`float_prefix`] accepts; `None` if it is too large.
fn parse(text: &[u8]) -> Option<f64> {
    let float: f64 = str::from_utf8(text).ok()?.replace(',', ".").parse().ok()?;
    float.is_finite().then_some(float)
}
