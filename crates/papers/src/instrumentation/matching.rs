//! Matching of patterns against ground terms, including the bit syntax.

use erlang::core::{Expr, Pattern, PatternSegment, VarId};
use rustc_hash::FxHashMap;
use term::Term;
use values::{
    Atoms, BitsBuilder, BuildError, Heap, SegmentSpec, SegmentType, Value, View, from_term, to_term,
};

pub(super) type Vars = FxHashMap<VarId, Term>;

/// Evaluates expressions inside patterns: keys of maps and sizes of segments.
pub(super) type Lookup<'a> = &'a mut dyn FnMut(&Expr, &Vars) -> Option<Term>;

/// Whether the term matches. Variables are bound during the match, so they are valid only if it succeeds.
pub(super) fn matches(pattern: &Pattern, term: &Term, vars: &mut Vars, value: Lookup<'_>) -> bool {
    match pattern {
        Pattern::Var(var) => {
            vars.insert(*var, term.clone());
            true
        }
        Pattern::Literal(literal) => literal.cmp_exact(term).is_eq(),
        Pattern::Cons(head, tail) => {
            let Term::List(list) = term else { return false };
            let Some((first, rest)) = list.items.split_first() else { return false };
            matches(head, first, vars, value)
                && matches(tail, &Term::list(rest.to_vec(), list.tail.clone()), vars, value)
        }
        Pattern::Tuple(patterns) => {
            let Term::Tuple(items) = term else { return false };
            patterns.len() == items.len()
                && patterns.iter().zip(items).all(|(it, term)| matches(it, term, vars, value))
        }
        Pattern::Map(pairs) => {
            let Term::Map(items) = term else { return false };
            pairs.iter().all(|(key, pattern)| {
                let Some(key) = value(key, vars) else { return false };
                let found = items.iter().find(|it| it.0.cmp_exact(&key).is_eq());
                found.is_some_and(|it| matches(pattern, &it.1, vars, value))
            })
        }
        Pattern::Binary(segments) => matches_bits(segments, term, vars, value),
        Pattern::Alias(var, pattern) => {
            vars.insert(*var, term.clone());
            matches(pattern, term, vars, value)
        }
    }
}

fn matches_bits(
    segments: &[PatternSegment],
    term: &Term,
    vars: &mut Vars,
    value: Lookup<'_>,
) -> bool {
    let (mut heap, mut atoms) = (Heap::default(), Atoms::default());
    let bits = from_term(&mut heap, &mut atoms, term);
    let View::Bits(bits) = bits.view() else { return false };
    let mut at = 0;
    for segment in segments {
        let size = match &segment.size {
            Some(size) => {
                let size = value(size, vars).and_then(|it| it.as_int());
                let Some(size) = size.and_then(|it| u64::try_from(it).ok()) else { return false };
                Some(size)
            }
            None => None,
        };
        let Some((found, next)) = heap.match_segment(bits, at, segment.spec, size) else {
            return false;
        };
        let Ok(found) = to_term(&heap, &atoms, found) else { return false };
        if !matches(&segment.value, &found, vars, value) {
            return false;
        }
        at = next;
    }
    at == heap.bit_len(bits)
}

/// The maximal size of a bitstring in bytes.
const MAX_BYTES: usize = 1 << 24;

/// Builds a bitstring from segments; the error is the reason of the exception.
pub(super) fn build(segments: &[(Term, Option<Term>, SegmentSpec)]) -> Result<Term, Term> {
    let (mut heap, mut atoms) = (Heap::default(), Atoms::default());
    let mut builder = BitsBuilder::new(MAX_BYTES);
    let mut values: Vec<(Value, Option<u64>, SegmentSpec)> = Vec::new();
    for (value, size, spec) in segments {
        let value = from_term(&mut heap, &mut atoms, value);
        let n_bits = match size {
            Some(size) => {
                let size = from_term(&mut heap, &mut atoms, size);
                Some(heap.built_bits(size, spec.unit).map_err(reason)?)
            }
            None => None,
        };
        values.push((value, n_bits, *spec));
    }
    for (value, n_bits, spec) in values {
        let SegmentSpec { endian, unit, ty, .. } = spec;
        let pushed = match (ty, n_bits) {
            (SegmentType::Integer, n) => builder.push_integer(&heap, value, n.unwrap_or(8), endian),
            (SegmentType::Float, n) => builder.push_float(&heap, value, n.unwrap_or(64), endian),
            (SegmentType::Binary, Some(n)) => builder.push_bits(&heap, value, n),
            (SegmentType::Binary, None) => builder.push_all_bits(&heap, value, unit),
            (SegmentType::Utf8, _) => builder.push_utf8(value),
            (SegmentType::Utf16, _) => builder.push_utf16(value, endian),
            (SegmentType::Utf32, _) => builder.push_utf32(value, endian),
        };
        pushed.map_err(reason)?;
    }
    let made = builder.finish(&mut heap);
    to_term(&heap, &atoms, made).map_err(|_| reason(BuildError::Badarg))
}

fn reason(error: BuildError) -> Term {
    match error {
        BuildError::Badarg => Term::atom("badarg"),
        BuildError::SystemLimit | BuildError::OutOfMemory => Term::atom("system_limit"),
    }
}
