//! Finds the places where the code under test raises in a clause that matches everything else: `_ -> error(unknown)`.
//!
//! Reads Core Erlang. Knows nothing of runs.

use crate::erlang::code::{node_kind, nodes};
use crate::erlang::frames::Frame;
use erlang::ModuleCode;
use std::collections::BTreeSet;
use term::{Atom, Term};

/// The places of such exceptions in all modules under test, by module and line.
#[derive(Clone, Debug, Default)]
pub(crate) struct Refusing {
    lines: BTreeSet<(Atom, i64)>,
}

impl Refusing {
    pub(crate) fn of<'c>(modules: impl Iterator<Item = &'c ModuleCode>) -> Refusing {
        let mut res = Refusing::default();
        for module in modules {
            for body in nodes(&module.core).filter_map(last_resort) {
                res.lines.extend(raised_at(body).map(|line| (module.name.clone(), line)));
            }
        }
        res
    }

    /// Whether an exception with this top frame was raised at such a place.
    pub(crate) fn has(&self, frame: &Frame) -> bool {
        frame.line.is_some_and(|it| self.lines.contains(&(frame.module.clone(), it)))
    }
}

/// The body of the last clause of a `case`, if it matches everything that earlier clauses do not.
fn last_resort(node: &Term) -> Option<&Term> {
    let [kind, _, _, clauses] = node.as_tuple()? else { return None };
    if kind.as_atom() != Some("c_case") {
        return None;
    }
    let is_written = |it: &&Term| match it.as_tuple() {
        Some([_, annotations, ..]) => {
            let mut known = annotations.as_list().unwrap_or_default().iter();
            !known.any(|it| it.as_atom() == Some("compiler_generated"))
        }
        Some(_) | None => false,
    };
    let written: Vec<&Term> =
        clauses.as_list().unwrap_or_default().iter().filter(is_written).collect();
    let [_, .., last] = written[..] else { return None };
    let [_, _, patterns, guard, body] = last.as_tuple()? else { return None };
    let is_any = |it: &Term| node_kind(it) == Some("c_var");
    let is_true = guard.as_tuple().and_then(|it| it.get(2)).and_then(Term::as_atom) == Some("true");
    let takes_all = patterns.as_list().unwrap_or_default().iter().all(is_any);
    (is_true && takes_all).then_some(body)
}

/// The line at which a body raises, if it always does.
fn raised_at(body: &Term) -> Option<i64> {
    let mut body = body;
    loop {
        body = match body.as_tuple()? {
            [kind, _, _, _, rest] if kind.as_atom() == Some("c_let") => rest,
            [kind, _, _, rest] if kind.as_atom() == Some("c_seq") => rest,
            [kind, annotations, module, name, _] if kind.as_atom() == Some("c_call") => {
                let raises = matches!(atom(name)?, "error" | "exit" | "throw");
                return line(annotations).filter(|_| raises && atom(module) == Some("erlang"));
            }
            _ => return None,
        };
    }
}

/// Reads the atom from `{c_literal, Anno, Atom}`.
fn atom(node: &Term) -> Option<&str> {
    let [_, _, value] = node.as_tuple()? else { return None };
    value.as_atom()
}

/// Reads the line; an annotation is a line, or a line and a column.
fn line(annotations: &Term) -> Option<i64> {
    annotations.as_list()?.iter().find_map(|it| match it.as_tuple() {
        Some([Term::Int(line), Term::Int(_)]) => Some(*line),
        Some(_) => None,
        None => it.as_int(),
    })
}
