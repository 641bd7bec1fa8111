//! Reads the structure of a BEAM assembly module from the terms that OTP's disassembler returns.
//!
//! Individual instructions are interpreted by `ops`.

use crate::core::Place;
use smol_str::SmolStr;
use std::fmt;
use term::{Atom, Term};

/// Assembly that could not be translated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssemblyError {
    pub what: String,
}

impl fmt::Display for AssemblyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unexpected BEAM assembly: {}", self.what)
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Assembly {
    pub(crate) name: Atom,
    pub(crate) exports: Vec<(Atom, u32)>,
    pub(crate) functions: Vec<Function>,
    /// The source positions of the operands of `line` instructions; operand 1 is the first.
    pub(super) lines: Vec<Place>,
    pub(super) files: Vec<SmolStr>,
    /// The string table, from which literal strings in bitstrings are taken.
    pub(super) strings: Vec<u8>,
}

#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) name: Atom,
    pub(crate) arity: u32,
    /// The label of the first instruction.
    pub(super) entry: u32,
    pub(super) code: Vec<Term>,
}

impl Assembly {
    /// Whether a module's code is assembly; otherwise it is Core Erlang.
    pub(crate) fn is_assembly(code: &Term) -> bool {
        code.as_tuple().and_then(|it| it.first()).and_then(Term::as_atom) == Some("assembly")
    }

    /// Reads `{assembly, Module, Exports, Functions, Lines, Files, Strings}`.
    pub(crate) fn read(code: &Term) -> Result<Assembly, AssemblyError> {
        let whole = || AssemblyError { what: "not a module".to_owned() };
        let Some([_, name, exports, functions, lines, files, strings]) = code.as_tuple() else {
            return Err(whole());
        };
        let list = |it: &Term| it.as_list().map(<[Term]>::to_vec).ok_or_else(whole);
        let export = |it: &Term| match it.as_tuple() {
            Some([name, arity, ..]) => Some((atom(name)?, natural(arity)?)),
            None | Some(_) => None,
        };
        let line = |it: &Term| match it.as_tuple() {
            Some([file, line]) => Some(Place {
                file: u16::try_from(natural(file)?).ok()?,
                line: natural(line)?,
                column: 0,
            }),
            None | Some(_) => None,
        };
        let file = |it: &Term| Some(SmolStr::new(String::from_utf8_lossy(it.as_bytes()?)));
        let all = |it: Option<Vec<_>>| it.ok_or_else(whole);
        Ok(Assembly {
            name: atom(name).ok_or_else(whole)?,
            exports: all(list(exports)?.iter().map(export).collect())?,
            functions: list(functions)?.iter().map(function).collect::<Result<_, _>>()?,
            lines: list(lines)?.iter().map(line).collect::<Option<_>>().ok_or_else(whole)?,
            files: list(files)?.iter().map(file).collect::<Option<_>>().ok_or_else(whole)?,
            strings: strings.as_bytes().ok_or_else(whole)?.to_vec(),
        })
    }
}

fn function(term: &Term) -> Result<Function, AssemblyError> {
    let read = || match term.as_tuple()? {
        [_, name, arity, entry, code] => Some(Function {
            name: atom(name)?,
            arity: natural(arity)?,
            entry: natural(entry)?,
            code: code.as_list()?.to_vec(),
        }),
        _ => None,
    };
    read().ok_or_else(|| AssemblyError { what: "not a function".to_owned() })
}

pub(super) fn atom(term: &Term) -> Option<Atom> {
    term.as_atom().map(Atom::new)
}

pub(super) fn natural(term: &Term) -> Option<u32> {
    term.as_int().and_then(|it| u32::try_from(it).ok())
}
