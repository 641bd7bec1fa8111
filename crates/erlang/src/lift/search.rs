//! Searching symbolic binaries for known patterns: whether one begins at a byte is a choice.

use crate::data::{At, Value, View};
use crate::lift::{Lifting, arg, own_expr};
use term::{ExprId, Kind, Op, Term};

/// Where a pattern was found, in bytes.
#[derive(Clone, Copy, Debug)]
struct Match {
    at: u64,
    len: u64,
}

/// A binary that is searched.
#[derive(Clone, Copy, Debug)]
struct Subject {
    value: Value,
    bits: At,
    expr: ExprId,
    n_bytes: u64,
}

impl Lifting<'_> {
    /// The subject and the patterns, longest first; `None`: nothing is symbolic, or not in a way
    /// that is followed.
    fn searched(&mut self, args: &[Value]) -> Option<(Subject, Vec<Value>)> {
        let value = arg(args, 0);
        let expr = own_expr(value)?;
        let is_binary = self.heap.as_bits(value).is_some_and(|it| it.is_binary());
        if self.is_symbolic(arg(args, 1)) || !self.is(0, value, Kind::Binary, is_binary) {
            return None;
        }
        let View::Bits(bits) = value.view() else { return None };
        let n_bytes = self.heap.bit_len(bits) / 8;
        let pattern = arg(args, 1);
        let mut patterns = match self.compiled(pattern) {
            Some(patterns) => patterns,
            None => self.heap.list_items(pattern).unwrap_or_else(|| vec![pattern]),
        };
        if patterns.iter().any(|it| !matches!(it.view(), View::Bits(_))) {
            return None;
        }
        patterns.sort_by_key(|it| std::cmp::Reverse(self.pattern_len(*it)));
        Some((Subject { value, bits, expr, n_bytes }, patterns))
    }

    /// What a pattern that was compiled before looks for.
    fn compiled(&mut self, pattern: Value) -> Option<Vec<Value>> {
        let [_, handle] = self.heap.elements(pattern)? else { return None };
        let known = self.record.patterns.get(&handle.as_ref()?)?;
        Some(known.iter().map(|it| self.heap.binary(it)).collect())
    }

    fn pattern_len(&self, pattern: Value) -> u64 {
        if let View::Bits(bits) = pattern.view() { self.heap.bit_len(bits) / 8 } else { 0 }
    }

    /// The first match from a byte on.
    fn next_match(&mut self, subject: Subject, patterns: &[Value], from: u64) -> Option<Match> {
        let mut at = from;
        loop {
            let mut may_go_on = false;
            for pattern in patterns {
                let len = self.pattern_len(*pattern);
                let (first, n_bits) = (self.bits_of(at), self.bits_of(len));
                let end = at.checked_add(len).filter(|it| *it <= subject.n_bytes);
                let place = crate::lift::bits::Position { expr: first, bits: at * 8 };
                let end_bits = end.map(|it| it * 8);
                let Some((slice, _)) = self.sized_segment(subject.value, place, n_bits, end_bits)
                else {
                    continue;
                };
                may_go_on = true;
                let there = self.heap.sub_bits(subject.bits, at * 8, len * 8);
                let holds = crate::data::equal_exact(self.heap, self.atoms, there, *pattern);
                let wanted = self.expr(*pattern)?;
                let test = self.apply(Op::Same, &[slice, wanted]);
                self.test(6, test, holds);
                if holds {
                    return Some(Match { at, len });
                }
            }
            if !may_go_on {
                return None;
            }
            at += 1;
        }
    }

    fn bits_of(&mut self, n_bytes: u64) -> ExprId {
        self.constant(Term::Int(i64::try_from(n_bytes.saturating_mul(8)).unwrap_or(i64::MAX)))
    }

    /// The bytes from one place to another.
    fn piece(&mut self, subject: Subject, from: u64, to: Option<u64>) -> Value {
        let end = to.unwrap_or(subject.n_bytes);
        let bits = self.heap.sub_bits(subject.bits, from * 8, end.saturating_sub(from) * 8);
        let first = self.bits_of(from);
        let n_bits = match to {
            Some(to) => self.bits_of(to - from),
            None => {
                let size = self.apply(Op::BitSize, &[subject.expr]);
                self.apply(Op::Subtract, &[size, first])
            }
        };
        self.result(Op::Slice, &[subject.expr, first, n_bits], bits)
    }
}

/// `binary:match/2`
pub(crate) fn first(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
    match (l.searched(args), found) {
        (Some((subject, patterns)), Some(_)) => {
            l.next_match(subject, &patterns, 0);
        }
        _ => l.concretise("binary:match/2", args, |_| true),
    }
    found
}

/// `binary:matches/2`
pub(crate) fn all(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
    match (l.searched(args), found) {
        (Some((subject, patterns)), Some(_)) => {
            let mut from = 0;
            while let Some(found) = l.next_match(subject, &patterns, from) {
                from = found.at + found.len;
            }
        }
        _ => l.concretise("binary:matches/2", args, |_| true),
    }
    found
}

/// `binary:split/2`, and `binary:split/3` with no option but `global`
pub(crate) fn split(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
    let options = args.get(2).map_or(Some(Vec::new()), |it| l.heap.list_items(*it));
    let is_global = match options.as_deref() {
        Some([]) => Some(false),
        Some([only]) => {
            let name = only.as_atom().map(|it| l.atoms.name(it));
            (name == Some("global")).then_some(true)
        }
        _ => None,
    };
    let (Some((subject, patterns)), Some(is_global), Some(_)) =
        (l.searched(args), is_global, found)
    else {
        l.concretise("binary:split/3", args, |_| true);
        return found;
    };
    let mut pieces = Vec::new();
    let mut from = 0;
    while let Some(Match { at, len }) = l.next_match(subject, &patterns, from) {
        pieces.push(l.piece(subject, from, Some(at)));
        from = at + len;
        if !is_global {
            break;
        }
    }
    pieces.push(if pieces.is_empty() { subject.value } else { l.piece(subject, from, None) });
    Some(l.heap.list(&pieces))
}
