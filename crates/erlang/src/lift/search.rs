//! Searches for patterns in binaries: whether a pattern matches at a byte is a choice, and so is the pattern's length.

use crate::lift::{Lifting, arg, own_expr};
use term::{ExprId, Kind, Op, Term};
use values::{At, Shadow, Value, View};

/// The position and length of a match in bytes.
#[derive(Clone, Copy, Debug)]
struct Match {
    at: u64,
    len: u64,
}

/// The binary that is searched.
#[derive(Clone, Copy, Debug)]
struct Subject {
    value: Value,
    bits: At,
    expr: ExprId,
    n_bytes: u64,
}

/// A binary that a compiled pattern searches for.
#[derive(Clone, Debug)]
pub(crate) struct Needle {
    pub(crate) bytes: Vec<u8>,
    /// The shadow of the bytes, if they depend on the input.
    pub(crate) shadow: Shadow,
}

impl Lifting<'_> {
    /// The subject and the patterns, longest first; `None` if nothing is symbolic, or it is not followed symbolically.
    fn searched(&mut self, args: &[Value]) -> Option<(Subject, Vec<Value>)> {
        let (value, pattern) = (arg(args, 0), arg(args, 1));
        let is_binary = self.heap.as_bits(value).is_some_and(|it| it.is_binary());
        if !self.test_kind(0, value, Kind::Binary, is_binary) {
            return None;
        }
        let View::Bits(bits) = value.view() else { return None };
        let n_bytes = self.heap.bit_len(bits) / 8;
        // In an empty subject nothing is found, whatever the pattern is.
        if let (Some(expr), true) = (own_expr(value), self.is_symbolic(pattern)) {
            let (size, zero) = (self.apply(Op::BitSize, &[expr]), self.int(0));
            let is_empty = self.apply(Op::Same, &[size, zero]);
            self.test(12, is_empty, n_bytes == 0);
            if n_bytes == 0 {
                return None;
            }
        }
        let mut patterns = match self.compiled(pattern) {
            Some(patterns) => patterns,
            None => self.needles(pattern)?,
        };
        if own_expr(value).is_none() && patterns.iter().all(|it| own_expr(*it).is_none()) {
            return None;
        }
        let expr = self.expr(value)?;
        patterns.sort_by_key(|it| std::cmp::Reverse(self.pattern_len(*it)));
        Some((Subject { value, bits, expr, n_bytes }, patterns))
    }

    /// The binaries that a compiled pattern searches for; `None` if the value is not a compiled pattern.
    fn compiled(&mut self, pattern: Value) -> Option<Vec<Value>> {
        let [_, handle] = self.heap.elements(pattern)? else { return None };
        let known = self.record.patterns.get(&handle.as_ref()?)?;
        let needle = |it: &Needle| self.heap.binary(&it.bytes).with_shadow(it.shadow);
        Some(known.iter().map(needle).collect())
    }

    /// The binaries of a pattern: one, or a list of them. The length of each is a choice. `None` if the value is not a
    /// valid pattern.
    fn needles(&mut self, pattern: Value) -> Option<Vec<Value>> {
        let is_bits = matches!(pattern.view(), View::Bits(_));
        let items = if self.test_kind(8, pattern, Kind::Bitstring, is_bits) {
            vec![pattern]
        } else {
            let (items, end) = self.spine(9, pattern);
            if items.is_empty() || !end.is_nil() {
                return None;
            }
            items
        };
        for item in &items {
            let is_binary = self.heap.as_bits(*item).is_some_and(|it| it.is_binary());
            if !self.test_kind(10, *item, Kind::Binary, is_binary) {
                return None;
            }
            let n_bytes = self.pattern_len(*item);
            if let Some(expr) = own_expr(*item) {
                let size = self.apply(Op::BitSize, &[expr]);
                for n in 0..=n_bytes {
                    let this = self.bits_of(n);
                    let test = self.apply(Op::Same, &[size, this]);
                    self.test(11, test, n == n_bytes);
                }
            }
            if n_bytes == 0 {
                return None;
            }
        }
        Some(items)
    }

    fn pattern_len(&self, pattern: Value) -> u64 {
        if let View::Bits(bits) = pattern.view() { self.heap.bit_len(bits) / 8 } else { 0 }
    }

    /// The first match that begins at byte `from` or later.
    fn next_match(&mut self, subject: Subject, patterns: &[Value], from: u64) -> Option<Match> {
        let mut at = from;
        loop {
            let mut may_go_on = false;
            for pattern in patterns {
                let len = self.pattern_len(*pattern);
                let end = at.checked_add(len).filter(|it| *it <= subject.n_bytes);
                let Some(slice) = self.window(subject, (at, len), end) else { continue };
                may_go_on = true;
                let there = self.heap.sub_bits(subject.bits, at * 8, len * 8);
                let holds = values::equal_exact(self.heap, self.atoms, there, *pattern);
                let wanted = self.expr(*pattern)?;
                if own_expr(subject.value).is_some() || own_expr(*pattern).is_some() {
                    let test = self.apply(Op::Same, &[slice, wanted]);
                    self.test(6, test, holds);
                }
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

    /// The `len` bytes of the subject from byte `at` on. Whether the subject is long enough is a choice; `None` if it
    /// is not.
    fn window(
        &mut self,
        subject: Subject,
        (at, len): (u64, u64),
        end: Option<u64>,
    ) -> Option<ExprId> {
        if own_expr(subject.value).is_none() {
            end?;
            let there = self.heap.sub_bits(subject.bits, at * 8, len * 8);
            return self.expr(there);
        }
        let (first, n_bits) = (self.bits_of(at), self.bits_of(len));
        let place = crate::lift::bits::Position { expr: first, bits: at * 8 };
        let (slice, _) = self.sized_segment(subject.value, place, n_bits, end.map(|it| it * 8))?;
        Some(slice)
    }

    fn bits_of(&mut self, n_bytes: u64) -> ExprId {
        self.constant(Term::Int(i64::try_from(n_bytes.saturating_mul(8)).unwrap_or(i64::MAX)))
    }

    /// The bytes from position `from` to position `to`, or to the end.
    fn piece(&mut self, subject: Subject, from: u64, to: Option<u64>) -> Value {
        let end = to.unwrap_or(subject.n_bytes);
        let bits = self.heap.sub_bits(subject.bits, from * 8, end.saturating_sub(from) * 8);
        if own_expr(subject.value).is_none() {
            return bits;
        }
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

/// `binary:compile_pattern/1`
pub(crate) fn compile(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
    let pattern = arg(args, 0);
    if !l.is_symbolic(pattern) {
        return found;
    }
    let needles = l.needles(pattern);
    let handle = l.heap.elements(found?).and_then(|it| it.get(1)).and_then(|it| it.as_ref());
    let known = handle.and_then(|it| l.record.patterns.get_mut(&it));
    if let (Some(known), Some(needles)) = (known, needles) {
        known.iter_mut().zip(needles).for_each(|(known, it)| known.shadow = it.shadow());
    }
    found
}

/// `binary:match/2`
pub(crate) fn first(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
    if let Some((subject, patterns)) = l.searched(args)
        && found.is_some()
    {
        l.next_match(subject, &patterns, 0);
    }
    found
}

/// `binary:matches/2`
pub(crate) fn all(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
    if let Some((subject, patterns)) = l.searched(args)
        && found.is_some()
    {
        let mut from = 0;
        while let Some(found) = l.next_match(subject, &patterns, from) {
            from = found.at + found.len;
        }
    }
    found
}

#[derive(Clone, Copy, Debug, Default)]
struct Options {
    is_global: bool,
    trims: bool,
    trims_all: bool,
}

impl Options {
    /// Reads the options; `None` if there is an unsupported one.
    fn read(l: &Lifting<'_>, options: Option<&Value>) -> Option<Options> {
        let mut res = Options::default();
        let Some(options) = options else { return Some(res) };
        if l.is_symbolic(*options) {
            return None;
        }
        for option in l.heap.list_items(*options)? {
            match option.as_atom().map(|it| l.atoms.name(it))? {
                "global" => res.is_global = true,
                "trim" => res.trims = true,
                "trim_all" => res.trims_all = true,
                _ => return None,
            }
        }
        Some(res)
    }
}

/// `binary:split/2` and `binary:split/3` without the option `scope`.
pub(crate) fn split(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
    let Some(options) = Options::read(l, args.get(2)) else {
        l.concretise("binary:split/3", args, |_| true);
        return found;
    };
    let Some((subject, patterns)) = l.searched(args) else { return found };
    found?;
    let mut pieces: Vec<(Value, bool)> = Vec::new();
    let mut from = 0;
    while let Some(Match { at, len }) = l.next_match(subject, &patterns, from) {
        pieces.push((l.piece(subject, from, Some(at)), from == at));
        from = at + len;
        if !options.is_global {
            break;
        }
    }
    let is_empty = from == subject.n_bytes;
    if (options.trims || options.trims_all) && own_expr(subject.value).is_some() {
        let (size, end) = (l.apply(Op::BitSize, &[subject.expr]), l.bits_of(from));
        let test = l.apply(Op::Same, &[size, end]);
        l.test(7, test, is_empty);
    }
    let whole = pieces.is_empty();
    let rest = if whole { subject.value } else { l.piece(subject, from, None) };
    pieces.push((rest, is_empty));
    if options.trims_all {
        pieces.retain(|it| !it.1);
    } else if options.trims {
        let n_kept = pieces.iter().rposition(|it| !it.1).map_or(0, |last| last + 1);
        pieces.truncate(n_kept);
    }
    let pieces: Vec<Value> = pieces.into_iter().map(|it| it.0).collect();
    Some(l.heap.list(&pieces))
}
