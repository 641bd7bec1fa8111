//! Modules rewritten so that they report each reduction of their expressions, with a table of how their places look.
//!
//! The agent rewrites them (`watch.erl`) so that each reduction calls `gimlet_watch:enter/3` or `gimlet_watch:tell/5`,
//! builtins of the machine, with the frame, the place in the source and the value. Tail calls stay tail calls. So the
//! machine's semantics is the only one: everything that it runs can be shown.

use crate::otp::Otp;
use crate::peer::path_term;
use crate::source::{Source, module_code, read_answer};
use erlang::{HostError, ModuleCode};
use std::collections::BTreeMap;
use term::{Atom, Term};

const WATCHER: &str = include_str!("watch.erl");

/// A place in the source: an expression, a sequence of expressions, or a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PlaceId(pub i64);

/// All places of the watched modules.
#[derive(Clone, Debug, Default)]
pub struct Places {
    pub nodes: BTreeMap<PlaceId, Node>,
    pub sequences: BTreeMap<PlaceId, Vec<Shown>>,
    pub functions: BTreeMap<PlaceId, Function>,
}

/// The text of a place, with references to the places inside it.
#[derive(Clone, Debug)]
pub enum Shown {
    Text(String),
    Variable(Atom),
    Node(PlaceId),
    /// A place in parentheses, which are dropped once it is a value.
    Group(PlaceId),
    Sequence(PlaceId),
    All(Vec<Shown>),
}

#[derive(Clone, Debug)]
pub struct Node {
    /// The name of the rule that reduces the expression.
    pub rule: String,
    pub shown: Shown,
    /// What may replace the expression, each with the rule that does so.
    pub bodies: Vec<(Shown, String)>,
    /// Whether the expression is a tail call.
    pub is_tail: bool,
}

#[derive(Clone, Debug)]
pub struct Function {
    pub name: String,
    pub params: Vec<Atom>,
    pub body: Shown,
}

impl Otp {
    /// Returns the rewritten code of a module and adds its places to `places`. `all` are the watched modules.
    pub fn watched(
        &mut self,
        source: &Source,
        all: &[Atom],
        places: &mut Places,
    ) -> Result<ModuleCode, HostError> {
        let limit = self.load_limit();
        let watcher = vec![Term::atom("helper"), Term::binary(WATCHER.as_bytes().to_vec())];
        self.ask(limit, &Term::Tuple(watcher))?;
        let options = match source {
            Source::Beam(_) => Term::atom("beam"),
            Source::Erl(_) => self.options(source).to_term(),
        };
        let all = Term::proper_list(all.iter().map(|it| Term::Atom(it.clone())).collect());
        let first = Term::Int(places.next());
        let request = vec![Term::atom("watch"), path_term(source.path()), options, all, first];
        let answer = self.ask(limit, &Term::Tuple(request))?;
        let lost = || HostError::Lost("it sent a module that is none".to_owned());
        match answer.as_tuple() {
            Some([kind, code, found]) if kind.as_atom() == Some("watched") => {
                found.as_list().and_then(|it| places.add(it)).ok_or_else(lost)?;
                code.as_bytes().and_then(module_code).ok_or_else(lost)
            }
            Some(_) | None => Err(read_answer(source, &answer).err().unwrap_or_else(lost)),
        }
    }
}

impl Places {
    fn next(&self) -> i64 {
        let nodes = self.nodes.last_key_value().map(|it| it.0.0);
        let sequences = self.sequences.last_key_value().map(|it| it.0.0);
        let functions = self.functions.last_key_value().map(|it| it.0.0);
        [nodes, sequences, functions].into_iter().flatten().max().unwrap_or(0) + 1
    }

    fn add(&mut self, found: &[Term]) -> Option<()> {
        for place in found {
            match place.as_tuple()? {
                [_, id, rule, shown, bodies, is_tail] => {
                    let body = |it: &Term| match it.as_tuple()? {
                        [shown, rule] => Some((read(shown)?, rule.as_atom()?.to_owned())),
                        _ => None,
                    };
                    let node = Node {
                        rule: rule.as_atom()?.to_owned(),
                        shown: read(shown)?,
                        bodies: bodies.as_list()?.iter().map(body).collect::<Option<_>>()?,
                        is_tail: is_tail.as_atom() == Some("true"),
                    };
                    self.nodes.insert(PlaceId(id.as_int()?), node);
                }
                [_, id, items] => {
                    let items = items.as_list()?.iter().map(read).collect::<Option<_>>()?;
                    self.sequences.insert(PlaceId(id.as_int()?), items);
                }
                [_, id, name, params, body] => {
                    let param = |it: &Term| Some(Atom::new(it.as_atom()?));
                    let function = Function {
                        name: text(name)?,
                        params: params.as_list()?.iter().map(param).collect::<Option<_>>()?,
                        body: read(body)?,
                    };
                    self.functions.insert(PlaceId(id.as_int()?), function);
                }
                _ => return None,
            }
        }
        Some(())
    }
}

fn read(shown: &Term) -> Option<Shown> {
    if let Some(items) = shown.as_list() {
        return Some(Shown::All(items.iter().map(read).collect::<Option<_>>()?));
    }
    let Some([kind, what]) = shown.as_tuple() else { return text(shown).map(Shown::Text) };
    let id = || what.as_int().map(PlaceId);
    match kind.as_atom()? {
        "var" => Some(Shown::Variable(Atom::new(what.as_atom()?))),
        "node" => Some(Shown::Node(id()?)),
        "group" => Some(Shown::Group(id()?)),
        "seq" => Some(Shown::Sequence(id()?)),
        _ => None,
    }
}

fn text(term: &Term) -> Option<String> {
    String::from_utf8(term.as_bytes()?.to_vec()).ok()
}
