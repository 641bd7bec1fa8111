//! `term_to_binary`, `binary_to_term` and related functions, by the codec `term::etf`.
//!
//! Knows the options and the budgets; the codec knows the format.

use crate::builtins::arithmetic::{arg, badarg};
use crate::builtins::binary::{bytes, count, pair};
use crate::builtins::{Builtin, Fault, Stop, on_host, pure};
use crate::machine::World;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use std::io::Write;
use term::etf::{self, DecodeError, Form};
use term::{Atom, Fun, Pid, Port, Reference, Term};
use values::{Heap, NoTerm, PidId, PortId, Value, View, from_term, to_external};

/// The largest number of words in a reference, as on BEAM.
const MAX_REF_WORDS: usize = 5;

pub(super) const ROWS: &[Builtin] = &[
    pure("erlang", "term_to_binary", 1, to_binary),
    pure("erlang", "term_to_binary", 2, to_binary),
    pure("erlang", "external_size", 1, size),
    pure("erlang", "external_size", 2, size),
    pure("erlang", "binary_to_term", 1, from_binary),
    pure("erlang", "binary_to_term", 2, from_binary),
    // The real runtime decides where the pieces are split.
    on_host("erlang", "term_to_iovec", 1),
    on_host("erlang", "term_to_iovec", 2),
];

fn to_binary(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let mut form = DEFAULT;
    let mut level = 0;
    for option in badarg(w.heap.list_items(arg(args, 1)))? {
        match option.as_atom().map(|it| w.atoms.name(it)) {
            Some("compressed") => level = 6,
            // Maps are ordered by key, so the encoding is always deterministic.
            Some("deterministic") => (),
            Some(_) => return Err(Fault::BADARG),
            None => {
                let (name, value) = pair(&w.heap, option)?;
                match name.as_atom().map(|it| w.atoms.name(it)) {
                    Some("minor_version") => form = minor_version(value)?,
                    Some("compressed") => {
                        let given = value.as_int().and_then(|it| u32::try_from(it).ok());
                        level = badarg(given.filter(|it| *it <= 9))?;
                    }
                    _ => return Err(Fault::BADARG),
                }
            }
        }
    }
    let plain = encode(w, arg(args, 0), form)?;
    let bytes = compress(&plain, level).unwrap_or(plain);
    let bit_len = bytes.len() as u64 * 8;
    Ok(w.heap.bits_from(bytes, bit_len))
}

/// The form that OTP 25 writes by default.
const DEFAULT: Form = Form { atoms: etf::AtomForm::Latin1, floats: etf::FloatForm::Bits };

fn minor_version(value: Value) -> Result<Form, Fault> {
    badarg(value.as_int().and_then(Form::of_minor_version))
}

fn encode(w: &World, value: Value, form: Form) -> Result<Vec<u8>, Fault> {
    let budget = w.room();
    if !unfolds_within(&w.heap, value, budget) {
        return Err(Stop::OutOfMemory.into());
    }
    let term = to_external(&w.heap, &w.atoms, value).map_err(|why| match why {
        NoTerm::TooDeep => Stop::Unsupported { what: format!("term_to_binary: {why}") },
        NoTerm::TooLarge => Stop::OutOfMemory,
    })?;
    etf::encode_as(&term, form).map_err(|_| Fault::SYSTEM_LIMIT)
}

/// Whether a value, with shared subterms repeated, takes at most `budget` bytes as a term.
///
/// A value of `n` cells with sharing can expand to `2^n`.
fn unfolds_within(heap: &Heap, value: Value, budget: usize) -> bool {
    let mut used = 0usize;
    let mut todo = vec![value];
    while let Some(next) = todo.pop() {
        used = used.saturating_add(size_of::<Term>());
        heap.count_steps(1);
        let outside = match next.view() {
            View::Bits(at) => heap.bit_len(at) / 8,
            View::Big(at) => heap.big(at).bits() / 8,
            _ => 0,
        };
        used = used.saturating_add(usize::try_from(outside).unwrap_or(usize::MAX));
        heap.push_parts(next, &mut todo);
        if used.saturating_add(todo.len() * size_of::<Value>()) > budget {
            return false;
        }
    }
    true
}

/// Returns the compressed form, or `None` if it is not shorter.
fn compress(plain: &[u8], level: u32) -> Option<Vec<u8>> {
    let (version, body) = plain.split_first().filter(|_| level > 0)?;
    let mut out = vec![*version, COMPRESSED];
    out.extend(u32::try_from(body.len()).ok()?.to_be_bytes());
    let mut zlib = ZlibEncoder::new(out, Compression::new(level));
    zlib.write_all(body).ok()?;
    zlib.finish().ok().filter(|it| it.len() < plain.len())
}

const COMPRESSED: u8 = 80;

fn size(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let mut form = DEFAULT;
    for option in badarg(w.heap.list_items(arg(args, 1)))? {
        let (name, value) = pair(&w.heap, option)?;
        let name = name.as_atom().map(|it| w.atoms.name(it));
        match value.as_int() {
            _ if name != Some("minor_version") => return Err(Fault::BADARG),
            Some(0) => form = minor_version(value)?,
            // Version 1 is the default, but OTP 25 does not return to it after an earlier `{minor_version, 0}`.
            Some(1) => (),
            // Version 2 is refused here, though `term_to_binary` accepts it.
            _ => return Err(Fault::BADARG),
        }
    }
    Ok(count(encode(w, arg(args, 0), form)?.len() as u64))
}

fn from_binary(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let (mut atoms, mut rest) = (NewAtoms::Made, Rest::Ignored);
    for option in badarg(w.heap.list_items(arg(args, 1)))? {
        match option.as_atom().map(|it| w.atoms.name(it)) {
            Some("safe") => atoms = NewAtoms::Refused,
            Some("used") => rest = Rest::Counted,
            _ => return Err(Fault::BADARG),
        }
    }
    let encoded = bytes(&w.heap, arg(args, 0))?;
    let budget = w.limits.memory_bytes.saturating_sub(w.heap.bytes_used());
    if inflated_size(&encoded).is_some_and(|it| it > budget.min(etf::MAX_INFLATED)) {
        return Err(Stop::OutOfMemory.into());
    }
    let (term, used) = etf::decode_prefix(&encoded).map_err(|why| match why {
        DecodeError::TooDeep => Stop::Unsupported { what: format!("binary_to_term: {why}") }.into(),
        DecodeError::Version(_)
        | DecodeError::Truncated
        | DecodeError::Tag(_)
        | DecodeError::Invalid(_)
        | DecodeError::Trailing(_) => Fault::BADARG,
    })?;
    drop(encoded);
    let mut names = Vec::new();
    if !collect_atoms(&term, &mut names) {
        return Err(Fault::BADARG);
    }
    let n_new = names.iter().filter(|it| w.atoms.find(it.as_str()).is_none()).count();
    if n_new > 0 && atoms == NewAtoms::Refused {
        return Err(Fault::BADARG);
    }
    if n_new > 0 && w.atoms.len() + n_new > w.limits.atoms {
        return Err(Stop::TooManyAtoms.into());
    }
    let value = from_term(&mut w.heap, &mut w.atoms, &term);
    Ok(match rest {
        Rest::Ignored => value,
        Rest::Counted => w.heap.tuple(&[value, count(used as u64)]),
    })
}

/// Returns the declared size of a compressed term, or `None` if it is impossible: deflate expands a byte to at most
/// 1032.
fn inflated_size(encoded: &[u8]) -> Option<usize> {
    let [_, COMPRESSED, rest @ ..] = encoded else { return None };
    let declared = usize::try_from(u32::from_be_bytes(*rest.first_chunk()?)).ok()?;
    Some(declared).filter(|it| *it <= rest.len().saturating_mul(1032))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum NewAtoms {
    Made,
    Refused,
}

#[derive(Clone, Copy)]
enum Rest {
    Ignored,
    Counted,
}

/// Collects all atoms of a term. Returns whether BEAM would accept all pids, ports and references in it.
fn collect_atoms<'a>(term: &'a Term, names: &mut Vec<&'a Atom>) -> bool {
    let mut todo = vec![term];
    while let Some(next) = todo.pop() {
        match next {
            Term::Atom(atom) => names.push(atom),
            Term::Pid(Pid { node, id, serial, creation }) => {
                names.push(node);
                if !is_possible(node, *creation, PidId::from_parts(*id, *serial).is_some()) {
                    return false;
                }
            }
            Term::Port(Port { node, id, creation }) => {
                names.push(node);
                if !is_possible(node, *creation, *id <= PortId::MAX_NUMBER) {
                    return false;
                }
            }
            Term::Ref(Reference { node, creation, words }) => {
                names.push(node);
                if words.len() > MAX_REF_WORDS || !is_possible(node, *creation, words.len() <= 3) {
                    return false;
                }
            }
            Term::List(list) => {
                todo.push(&list.tail);
                todo.extend(&list.items);
            }
            Term::Tuple(items) => todo.extend(items),
            Term::Map(pairs) => todo.extend(pairs.iter().flat_map(|(key, value)| [key, value])),
            Term::Fun(fun) => match fun.as_ref() {
                Fun::External { module, function, .. } => names.extend([module, function]),
                Fun::Table { entries, default, .. } => {
                    todo.push(default);
                    todo.extend(entries.iter().flat_map(|it| it.0.iter().chain([&it.1])));
                }
                Fun::Closure { module, env, .. } => {
                    names.push(module);
                    todo.extend(env);
                }
            },
            Term::Int(_) | Term::Big(_) | Term::Float(_) | Term::Nil | Term::Bits(_) => (),
        }
    }
    true
}

/// Whether a pid, port or reference that claims to be of the current node could exist.
fn is_possible(node: &Atom, creation: u32, is_within: bool) -> bool {
    is_within || creation != 0 || node.as_str() != "nonode@nohost"
}
