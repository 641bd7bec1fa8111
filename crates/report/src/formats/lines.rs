//! Coverage of clauses as coverage of lines, which is what coverage tools know.
//!
//! A clause counts for the line it begins on. Several clauses may begin on one line; its hits are then
//! the covered ones among them. Numbers of runs are not known here: a hit is a clause that some run covered.

use crate::data::{FunctionShare, Module};
use std::collections::BTreeMap;

/// Hits by line, counted from one.
pub(super) type Hits = BTreeMap<u32, usize>;

/// A function of a module, for formats that list functions beside lines.
#[derive(Clone, Debug)]
pub(super) struct Function<'m> {
    pub(super) name: &'m str,
    /// The line of its first clause.
    pub(super) line: u32,
    /// Clauses of it that were entered; in languages that do not tell entered from covered, the latter.
    pub(super) hits: usize,
    pub(super) lines: Hits,
}

/// So many lines of so many have hits.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LineShare {
    pub(super) hit: usize,
    pub(super) found: usize,
}

/// The hits of each line of a module that has a clause.
pub(super) fn hits(module: &Module) -> Hits {
    of_clauses(module, |_| true)
}

/// The functions of a module whose first line is known, in the order of the report.
pub(super) fn functions(module: &Module) -> Vec<Function<'_>> {
    let function = |share: &'_ FunctionShare| of_clauses(module, |it| it == share.function);
    let with_lines = module.functions.iter().map(|it| (it, function(it)));
    with_lines
        .filter_map(|(share, lines)| {
            let line = *lines.keys().next()?;
            let hits = share.entered.unwrap_or(0).max(share.covered);
            Some(Function { name: &share.function, line, hits, lines })
        })
        .collect()
}

/// The share of lines that have hits.
pub(super) fn share(hits: &Hits) -> LineShare {
    LineShare { hit: hits.values().filter(|it| 0 < **it).count(), found: hits.len() }
}

fn of_clauses(module: &Module, is_meant: impl Fn(&str) -> bool) -> Hits {
    let mut res = Hits::new();
    let clauses = module.lines.iter().filter(|it| it.line != 0 && is_meant(&it.function));
    for clause in clauses {
        *res.entry(clause.line).or_default() += usize::from(clause.covered);
    }
    res
}
