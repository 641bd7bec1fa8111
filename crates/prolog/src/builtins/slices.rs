//! Parts of texts. All solutions are computed at once, and the prelude enumerates them.

use crate::builtins::convert::TextForm;
use crate::builtins::{Row, row};
use crate::data::{Number, Value, View};
use crate::machine::{Fault, Machine, Next};

pub(super) const ROWS: &[Row] = &[row("$slices", 7, slices), row("$splits", 4, splits)];

/// `'$slices'(Kind, Text, Before, Length, After, Sub, Solutions)`: returns the solutions of `sub_atom/5` or
/// `sub_string/5` as a list of `s(Before, Length, After, Sub)`.
fn slices(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let is_string = m.arg(a, 0).as_atom().is_some_and(|it| m.atoms.text(it) == "string");
    m.control.running =
        Some((m.atoms.intern(if is_string { "sub_string" } else { "sub_atom" }), 5));
    let form = if is_string { TextForm::String } else { TextForm::Atom };
    let (text, sub) = (m.arg(a, 1), m.arg(a, 5));
    if text.tag() == crate::data::Tag::Struct {
        return Err(m.type_error(if is_string { "string" } else { "atom" }, text));
    }
    let whole = m.text_arg(text)?;
    let chars: Vec<char> = whole.chars().collect();
    let n = chars.len();
    let mut sizes = [None; 3];
    for (k, size) in sizes.iter_mut().enumerate() {
        let value = m.arg(a, 2 + k);
        *size = match value.view() {
            View::Var(_) => None,
            View::Int(it) => match usize::try_from(it) {
                Ok(it) => Some(it),
                Err(_) => return Err(m.domain_error("not_less_than_zero", value)),
            },
            View::Big(_) if Number::of(&m.heap, value).is_some_and(|it| it.sign().is_lt()) => {
                return Err(m.domain_error("not_less_than_zero", value));
            }
            View::Big(_) => return Err(m.representation_error("size_t")),
            View::Rational(_)
            | View::Float(_)
            | View::Atom(_)
            | View::Text(_)
            | View::Struct(..) => return Err(m.type_error("integer", value)),
        };
    }
    let wanted: Option<Vec<char>> = match sub.view() {
        View::Var(_) => None,
        View::Int(_)
        | View::Big(_)
        | View::Rational(_)
        | View::Float(_)
        | View::Atom(_)
        | View::Text(_)
        | View::Struct(..) => match m.atomic_text(sub) {
            Some(text) => Some(text.chars().collect()),
            None => return Err(m.type_error(if is_string { "string" } else { "atom" }, sub)),
        },
    };
    let found = positions(&chars, sizes, wanted.as_deref());
    m.check_memory(found.len().saturating_mul(128))?;
    let functor = m.atoms.functor_named("s", 4);
    let mut solutions = Vec::with_capacity(found.len());
    for (before, length) in found {
        let part: String = chars.get(before..before + length).unwrap_or(&[]).iter().collect();
        let part = if wanted.is_some() { sub } else { m.make_text(&part, form) };
        let after = n - before - length;
        let args = [Value::size(before), Value::size(length), Value::size(after), part];
        solutions.push(m.heap.structure(functor, &args));
    }
    let list = m.heap.list(&solutions);
    let to = m.arg(a, 6);
    m.answer(to, list)
}

/// Returns offset and length of the matching parts, in the order of SWI-Prolog's solutions.
fn positions(
    chars: &[char],
    sizes: [Option<usize>; 3],
    wanted: Option<&[char]>,
) -> Vec<(usize, usize)> {
    let n = chars.len();
    let [before, length, after] = sizes;
    let fits = |b: usize, l: usize| {
        b + l <= n
            && before.is_none_or(|it| it == b)
            && length.is_none_or(|it| it == l)
            && after.is_none_or(|it| it == n - b - l)
    };
    if let Some(wanted) = wanted {
        let l = wanted.len();
        return (0..=n.saturating_sub(l))
            .filter(|b| fits(*b, l) && chars.get(*b..*b + l) == Some(wanted))
            .map(|b| (b, l))
            .collect();
    }
    match (before, length, after) {
        (Some(b), Some(l), _) => {
            if fits(b, l) {
                vec![(b, l)]
            } else {
                vec![]
            }
        }
        (Some(b), None, Some(e)) => match n.checked_sub(b + e) {
            Some(l) => vec![(b, l)],
            None => vec![],
        },
        (None, Some(l), Some(e)) => match n.checked_sub(l + e) {
            Some(b) => vec![(b, l)],
            None => vec![],
        },
        (Some(b), None, None) => (b..=n).map(|end| (b, end - b)).collect(),
        (None, Some(l), None) if l <= n => (0..=n - l).map(|b| (b, l)).collect(),
        (None, Some(_), None) => vec![],
        (None, None, Some(e)) if e <= n => (0..=n - e).map(|b| (b, n - e - b)).collect(),
        (None, None, Some(_)) => vec![],
        (None, None, None) => (0..=n).flat_map(|b| (0..=n - b).map(move |l| (b, l))).collect(),
    }
}

/// `'$splits'(Kind, Text, Whole, Solutions)`: returns `X-Y` for every way to cut the text in two.
fn splits(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let is_string = m.arg(a, 0).as_atom().is_some_and(|it| m.atoms.text(it) == "string");
    let form = if is_string { TextForm::String } else { TextForm::Atom };
    let text = m.arg(a, 1);
    let whole = m.text_arg(text)?;
    let mut cuts: Vec<usize> = whole.char_indices().map(|it| it.0).collect();
    cuts.push(whole.len());
    let mut solutions = Vec::new();
    for cut in cuts {
        let (x, y) = whole.split_at(cut);
        let (x, y) = (m.make_text(x, form), m.make_text(y, form));
        solutions.push(m.heap.structure(crate::data::FunctorId::PAIR, &[x, y]));
    }
    let list = m.heap.list(&solutions);
    let to = m.arg(a, 3);
    m.answer(to, list)
}
