//! Searching binaries: `binary:match`, `matches`, `split` and compiled patterns.
//!
//! A compiled pattern is `{bm, Binary}` or `{ac, [Binary]}` where BEAM has a reference second: it
//! holds what is sought, so that it needs no table and no collector of its own.

use crate::builtins::arithmetic::{arg, badarg};
use crate::builtins::binary::{bytes, count, pair, range};
use crate::builtins::{Builtin, Fault, pure};
use crate::data::{AtomId, Value, View};
use crate::machine::World;
use aho_corasick::{AhoCorasick, MatchKind};
use memchr::memmem;

pub(super) const ROWS: &[Builtin] = &[
    pure("binary", "compile_pattern", 1, |w, args| compile(w, arg(args, 0))),
    pure("binary", "match", 2, match_one),
    pure("binary", "match", 3, match_one),
    pure("binary", "matches", 2, match_all),
    pure("binary", "matches", 3, match_all),
    pure("binary", "split", 2, split),
    pure("binary", "split", 3, split),
];

fn compile(w: &mut World, pattern: Value) -> Result<Value, Fault> {
    let (kind, sought) = match sought(w, pattern)?.as_slice() {
        [one] => (w.atoms.intern("bm"), *one),
        several => (w.atoms.intern("ac"), w.heap.list(several)),
    };
    Ok(w.heap.tuple(&[Value::atom(kind), sought]))
}

/// The binaries that a pattern names: at least one, none of them empty.
fn sought(w: &World, pattern: Value) -> Result<Vec<Value>, Fault> {
    let items = match pattern.view() {
        View::Bits(_) => vec![pattern],
        View::Cons(_) => badarg(w.heap.list_items(pattern))?,
        View::Tuple(..) => {
            let (kind, sought_by) = pair(&w.heap, pattern)?;
            let kind = badarg(kind.as_atom())?;
            if !matches!(w.atoms.name(kind), "bm" | "ac") {
                return Err(Fault::BADARG);
            }
            match sought_by.view() {
                View::Bits(_) => vec![sought_by],
                _ => badarg(w.heap.list_items(sought_by))?,
            }
        }
        _ => return Err(Fault::BADARG),
    };
    for item in &items {
        if bytes(&w.heap, *item)?.is_empty() {
            return Err(Fault::BADARG);
        }
    }
    Ok(items)
}

fn match_one(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let options = options(w, args, Allowed::Scope)?;
    match find(w, args, &options, Wanted::First)?.first() {
        Some(found) => Ok(place(w, *found)),
        None => Ok(Value::atom(w.atoms.intern("nomatch"))),
    }
}

fn match_all(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let options = options(w, args, Allowed::Scope)?;
    let found = find(w, args, &options, Wanted::All)?;
    let places: Vec<Value> = found.iter().map(|it| place(w, *it)).collect();
    Ok(w.heap.list(&places))
}

fn place(w: &mut World, (from, len): (u64, u64)) -> Value {
    w.heap.tuple(&[count(from), count(len)])
}

fn split(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let options = options(w, args, Allowed::All)?;
    let found = find(w, args, &options, options.wanted)?;
    let View::Bits(at) = arg(args, 0).view() else { return Err(Fault::BADARG) };
    let end = w.heap.bit_len(at) / 8;
    let mut from = 0;
    let mut parts: Vec<(u64, u64)> = Vec::with_capacity(found.len() + 1);
    for (place, len) in found {
        parts.push((from, place - from));
        from = place + len;
    }
    parts.push((from, end - from));
    match options.trim {
        Trim::None => (),
        Trim::End => {
            let n_kept = parts.iter().rposition(|it| it.1 > 0).map_or(0, |last| last + 1);
            parts.truncate(n_kept);
        }
        Trim::All => parts.retain(|it| it.1 > 0),
    }
    let parts: Vec<Value> =
        parts.iter().map(|(from, len)| w.heap.sub_bits(at, from * 8, len * 8)).collect();
    Ok(w.heap.list(&parts))
}

#[derive(Clone, Copy)]
struct Options {
    /// Where to look: from and length, in bytes.
    scope: (u64, u64),
    wanted: Wanted,
    trim: Trim,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    First,
    All,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Trim {
    None,
    End,
    All,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Allowed {
    Scope,
    All,
}

/// The options in the third argument, if there is one. BEAM does not mind what ends their list.
fn options(w: &World, args: &[Value], allowed: Allowed) -> Result<Options, Fault> {
    let n_bytes = bytes(&w.heap, arg(args, 0))?.len() as u64;
    let mut res = Options { scope: (0, n_bytes), wanted: Wanted::First, trim: Trim::None };
    let (items, tail) = w.heap.list_parts(arg(args, 2));
    if items.is_empty() && !tail.is_nil() {
        return Err(Fault::BADARG);
    }
    for item in items {
        match item.as_atom().map(|it| w.atoms.name(it)) {
            Some("global") if allowed == Allowed::All => res.wanted = Wanted::All,
            Some("trim") if allowed == Allowed::All => {
                res.trim = if res.trim == Trim::All { Trim::All } else { Trim::End };
            }
            Some("trim_all") if allowed == Allowed::All => res.trim = Trim::All,
            Some(_) => return Err(Fault::BADARG),
            None => {
                let (name, scope) = pair(&w.heap, item)?;
                let name = name.as_atom().map(|it: AtomId| w.atoms.name(it));
                if name != Some("scope") {
                    return Err(Fault::BADARG);
                }
                let (start, len) = pair(&w.heap, scope)?;
                res.scope = range(n_bytes, start, len)?;
            }
        }
    }
    Ok(res)
}

/// Where the pattern occurs: the earliest first, of those the longest, none overlapping.
fn find(
    w: &World,
    args: &[Value],
    options: &Options,
    wanted: Wanted,
) -> Result<Vec<(u64, u64)>, Fault> {
    let (from, len) = options.scope;
    if from + len == 0 {
        // Nothing to look at: BEAM does not even look at the pattern.
        return Ok(Vec::new());
    }
    let sought = sought(w, arg(args, 1))?;
    let subject = bytes(&w.heap, arg(args, 0))?;
    let within = usize::try_from(from).ok().zip(usize::try_from(from + len).ok());
    let subject = within.and_then(|(from, to)| subject.get(from..to)).unwrap_or_default();
    let n_wanted = if wanted == Wanted::First { 1 } else { usize::MAX };
    let at = |place: usize, len: usize| (from + place as u64, len as u64);
    if let [one] = sought.as_slice() {
        let needle = bytes(&w.heap, *one)?;
        let found = memmem::find_iter(subject, &needle).take(n_wanted);
        return Ok(found.map(|it| at(it, needle.len())).collect());
    }
    let needles = sought.iter().map(|it| bytes(&w.heap, *it)).collect::<Result<Vec<_>, Fault>>()?;
    let search = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&needles);
    let search = search.map_err(|_| Fault::BADARG)?;
    let found = search.find_iter(subject).take(n_wanted);
    Ok(found.map(|it| at(it.start(), it.len())).collect())
}
