//! Searching binaries: `binary:match`, `matches`, `split` and compiled patterns.
//!
//! A compiled pattern is a reference into a table of the run, as on BEAM.

use crate::builtins::arithmetic::{arg, badarg};
use crate::builtins::binary::{bytes, count, pair, range};
use crate::builtins::handles::HandleKind;
use crate::builtins::{Builtin, Fault, OnBeam, Shares, Stop, inside, pure};
use crate::lift;
use crate::lift::search::Needle;
use crate::machine::World;
use aho_corasick::{AhoCorasick, MatchKind};
use memchr::memmem::Finder;
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use values::{AtomId, RefId, Shadow, Value, View};

pub(super) const ROWS: &[Builtin] = &[
    inside("binary", "compile_pattern", 1, Shares::Nothing, OnBeam::Alike, |w, args| {
        compile(w, arg(args, 0))
    })
    .own(lift::search::compile),
    pure("binary", "match", 2, match_one).own(lift::search::first),
    pure("binary", "match", 3, match_one),
    pure("binary", "matches", 2, match_all).own(lift::search::all),
    pure("binary", "matches", 3, match_all),
    pure("binary", "split", 2, split).own(lift::search::split),
    pure("binary", "split", 3, split).own(lift::search::split),
];

/// The patterns compiled in this run, by their references.
#[derive(Debug, Default)]
pub struct Patterns {
    known: FxHashMap<RefId, Pattern>,
    pub(crate) n_bytes: usize,
}

impl Patterns {
    /// Whether the run has compiled no pattern.
    pub(crate) fn is_unused(&self) -> bool {
        self.known.is_empty()
    }
}

#[derive(Clone, Debug)]
enum Pattern {
    One(Box<Finder<'static>>),
    Several(AhoCorasick),
}

impl Pattern {
    fn new(needles: &[Cow<'_, [u8]>]) -> Result<Pattern, Fault> {
        if needles.is_empty() || needles.iter().any(|it| it.is_empty()) {
            return Err(Fault::BADARG);
        }
        if let [one] = needles {
            return Ok(Pattern::One(Box::new(Finder::new(one).into_owned())));
        }
        let search = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(needles);
        search.map(Pattern::Several).map_err(|_| Fault::BADARG)
    }

    fn name(&self) -> &'static str {
        match self {
            Pattern::One(_) => "bm",
            Pattern::Several(_) => "ac",
        }
    }
}

fn compile(w: &mut World, pattern: Value) -> Result<Value, Fault> {
    let needles = needles(w, pattern)?;
    let n_bytes = needles.iter().map(|it| it.len()).sum::<usize>() + size_of::<Pattern>();
    let pattern = Pattern::new(&needles)?;
    let needle = |it: &Cow<'_, [u8]>| Needle { bytes: it.to_vec(), shadow: Shadow::NONE };
    let kept = needles.iter().map(needle).collect();
    let kind = w.atoms.intern(pattern.name());
    let handle = w.run.handles.make(w.run.current, HandleKind::Other);
    w.run.patterns.n_bytes += n_bytes;
    if w.heap.bytes_used() + w.run.patterns.n_bytes > w.limits.memory_bytes {
        return Err(Stop::OutOfMemory.into());
    }
    w.run.patterns.known.insert(handle, pattern);
    if let Some(record) = &mut w.record {
        record.patterns.insert(handle, kept);
    }
    Ok(w.heap.tuple(&[Value::atom(kind), Value::reference(handle)]))
}

/// Returns the pattern of an argument: a binary, a list of binaries, or a compiled pattern.
fn pattern_of(w: &World, pattern: Value) -> Result<Cow<'_, Pattern>, Fault> {
    let View::Tuple(..) = pattern.view() else {
        return Ok(Cow::Owned(Pattern::new(&needles(w, pattern)?)?));
    };
    let (kind, handle) = pair(&w.heap, pattern)?;
    let known = badarg(handle.as_ref().and_then(|it| w.run.patterns.known.get(&it)))?;
    let kind = kind.as_atom().map(|it| w.atoms.name(it));
    if kind == Some(known.name()) { Ok(Cow::Borrowed(known)) } else { Err(Fault::BADARG) }
}

fn needles(w: &World, pattern: Value) -> Result<Vec<Cow<'_, [u8]>>, Fault> {
    let items = match pattern.view() {
        View::Bits(_) => vec![pattern],
        View::Cons(_) => badarg(w.heap.list_items(pattern))?,
        _ => return Err(Fault::BADARG),
    };
    items.iter().map(|it| bytes(&w.heap, *it)).collect()
}

fn match_one(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let options = options(w, args, Allowed::Scope)?;
    match find(w, args, &options, Wanted::First)?.first() {
        Some(found) => Ok(match_position(w, *found)),
        None => Ok(Value::atom(w.atoms.intern("nomatch"))),
    }
}

fn match_all(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let options = options(w, args, Allowed::Scope)?;
    let found = find(w, args, &options, Wanted::All)?;
    w.check_room_for_list(2 * found.len())?;
    let places: Vec<Value> = found.iter().map(|it| match_position(w, *it)).collect();
    Ok(w.heap.list(&places))
}

fn match_position(w: &mut World, (from, len): (u64, u64)) -> Value {
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
    w.check_room_for_list(2 * parts.len())?;
    let parts: Vec<Value> =
        parts.iter().map(|(from, len)| w.heap.sub_bits(at, from * 8, len * 8)).collect();
    Ok(w.heap.list(&parts))
}

#[derive(Clone, Copy)]
struct Options {
    /// The part of the subject to search: start and length in bytes.
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

/// Reads the options in the third argument, if there is one. BEAM ignores the tail of an improper list.
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

/// Returns start and length of the matches in order: leftmost first, the longest at each start, none overlapping.
fn find(
    w: &World,
    args: &[Value],
    options: &Options,
    wanted: Wanted,
) -> Result<Vec<(u64, u64)>, Fault> {
    let (from, len) = options.scope;
    if from + len == 0 {
        // The scope is empty; BEAM then does not even check the pattern.
        return Ok(Vec::new());
    }
    let pattern_of = pattern_of(w, arg(args, 1))?;
    let subject = bytes(&w.heap, arg(args, 0))?;
    let within = usize::try_from(from).ok().zip(usize::try_from(from + len).ok());
    let subject = within.and_then(|(from, to)| subject.get(from..to)).unwrap_or_default();
    w.spend_steps(subject.len() / 8)?;
    let n_wanted = if wanted == Wanted::First { 1 } else { usize::MAX };
    let at = |place: usize, len: usize| (from + place as u64, len as u64);
    Ok(match pattern_of.as_ref() {
        Pattern::One(needle) => {
            let found = needle.find_iter(subject).take(n_wanted);
            found.map(|it| at(it, needle.needle().len())).collect()
        }
        Pattern::Several(search) => {
            let found = search.find_iter(subject).take(n_wanted);
            found.map(|it| at(it.start(), it.len())).collect()
        }
    })
}
