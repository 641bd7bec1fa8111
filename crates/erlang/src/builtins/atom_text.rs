//! Conversions between atoms and text.

use crate::builtins::arithmetic::arg;
use crate::builtins::text::string;
use crate::builtins::{Builtin, Fault, OnBeam, Shares, Stop, inside, pure};
use crate::lift;
use crate::machine::World;
use values::{AtomId, Value};

pub(super) const ROWS: &[Builtin] = &[
    pure("erlang", "atom_to_list", 1, |w, args| {
        let atom = arg(args, 0).as_atom().ok_or(Fault::BADARG)?;
        Ok(string(&mut w.heap, w.atoms.name(atom)))
    })
    .own(lift::text::atom_to_list),
    pure("erlang", "atom_to_binary", 1, |w, args| to_binary(w, arg(args, 0), Encoding::Utf8))
        .own(lift::text::atom_to_binary),
    pure("erlang", "atom_to_binary", 2, |w, args| {
        let encoding = encoding(arg(args, 1))?;
        to_binary(w, arg(args, 0), encoding)
    })
    .own(lift::text::atom_to_binary_in),
    pure("erlang", "list_to_atom", 1, |w, args| {
        let text = list_name(w, arg(args, 0)).map_err(Fault::from)?;
        intern(w, &text)
    })
    .own(lift::text::list_to_atom),
    // Not pure, because the set of atoms depends on what ran before. A text that no atom can have raises `badarg` here,
    // since no such atom exists.
    inside("erlang", "list_to_existing_atom", 1, Shares::Nothing, OnBeam::Alike, |w, args| {
        let text = list_name(w, arg(args, 0)).map_err(|_| Fault::BADARG)?;
        find(w, &text)
    })
    .own(lift::text::list_to_existing_atom),
    pure("erlang", "binary_to_atom", 1, |w, args| from_binary(w, arg(args, 0), Encoding::Utf8))
        .own(lift::text::binary_to_atom),
    pure("erlang", "binary_to_atom", 2, |w, args| {
        let encoding = encoding(arg(args, 1))?;
        from_binary(w, arg(args, 0), encoding)
    })
    .own(lift::text::binary_to_atom_in),
    inside("erlang", "binary_to_existing_atom", 1, Shares::Nothing, OnBeam::Alike, |w, args| {
        existing_from_binary(w, arg(args, 0), Encoding::Utf8)
    })
    .own(lift::text::binary_to_existing_atom),
    inside("erlang", "binary_to_existing_atom", 2, Shares::Nothing, OnBeam::Alike, |w, args| {
        let encoding = encoding(arg(args, 1))?;
        existing_from_binary(w, arg(args, 0), encoding)
    })
    .own(lift::text::binary_to_existing_atom_in),
];

/// The maximum length of an atom in code points, as on BEAM.
const MAX_CHARS: usize = 255;

#[derive(Clone, Copy)]
enum Encoding {
    Latin1,
    Utf8,
}

fn encoding(value: Value) -> Result<Encoding, Fault> {
    match value.as_atom() {
        Some(AtomId::LATIN1) => Ok(Encoding::Latin1),
        Some(AtomId::UTF8 | AtomId::UNICODE) => Ok(Encoding::Utf8),
        _ => Err(Fault::BADARG),
    }
}

fn to_binary(w: &mut World, value: Value, encoding: Encoding) -> Result<Value, Fault> {
    let atom = value.as_atom().ok_or(Fault::BADARG)?;
    let text = w.atoms.name(atom);
    match encoding {
        Encoding::Utf8 => Ok(w.heap.binary(text.as_bytes())),
        Encoding::Latin1 => {
            let bytes: Option<Vec<u8>> =
                text.chars().map(|it| u8::try_from(u32::from(it)).ok()).collect();
            Ok(w.heap.binary(&bytes.ok_or(Fault::BADARG)?))
        }
    }
}

/// Why a text can't be the name of an atom.
enum NoName {
    NotText,
    TooLong,
}

impl From<NoName> for Fault {
    fn from(why: NoName) -> Fault {
        match why {
            NoName::NotText => Fault::BADARG,
            NoName::TooLong => Fault::SYSTEM_LIMIT,
        }
    }
}

/// Reads the text of a list of code points. As on BEAM, a list is too long as soon as one code point too many is found,
/// even if a later element is invalid.
fn list_name(w: &World, list: Value) -> Result<String, NoName> {
    let mut text = String::new();
    let mut n_chars = 0;
    let mut rest = list;
    while let Some((head, tail)) = w.heap.uncons(rest) {
        if n_chars == MAX_CHARS {
            return Err(NoName::TooLong);
        }
        let code = head.as_int().and_then(|it| u32::try_from(it).ok());
        let char = code.and_then(char::from_u32).ok_or(NoName::NotText)?;
        text.push(char);
        n_chars += 1;
        rest = tail;
    }
    if rest.is_nil() { Ok(text) } else { Err(NoName::NotText) }
}

fn binary_name(w: &World, binary: Value, encoding: Encoding) -> Result<String, NoName> {
    let bytes = w.heap.as_binary_bytes(binary).ok_or(NoName::NotText)?;
    let text = match encoding {
        Encoding::Latin1 => bytes.iter().map(|it| char::from(*it)).collect(),
        Encoding::Utf8 => String::from_utf8(bytes.into_owned()).map_err(|it| {
            // BEAM stops as soon as the text is too long, before it finds a later invalid byte.
            let valid = it.as_bytes().get(..it.utf8_error().valid_up_to()).unwrap_or_default();
            let n_chars = String::from_utf8_lossy(valid).chars().count();
            if n_chars > MAX_CHARS { NoName::TooLong } else { NoName::NotText }
        })?,
    };
    if text.chars().count() > MAX_CHARS { Err(NoName::TooLong) } else { Ok(text) }
}

fn from_binary(w: &mut World, binary: Value, encoding: Encoding) -> Result<Value, Fault> {
    let text = binary_name(w, binary, encoding)?;
    intern(w, &text)
}

fn existing_from_binary(w: &mut World, binary: Value, encoding: Encoding) -> Result<Value, Fault> {
    let text = binary_name(w, binary, encoding).map_err(|_| Fault::BADARG)?;
    find(w, &text)
}

fn intern(w: &mut World, text: &str) -> Result<Value, Fault> {
    if let Some(atom) = w.atoms.find(text) {
        return Ok(Value::atom(atom));
    }
    if w.atoms.len() >= w.limits.atoms {
        return Err(Stop::TooManyAtoms.into());
    }
    Ok(Value::atom(w.atoms.intern(text)))
}

fn find(w: &World, text: &str) -> Result<Value, Fault> {
    w.atoms.find(text).map(Value::atom).ok_or(Fault::BADARG)
}
