//! Coverage of clauses converted to coverage of lines, which coverage tools require.
//!
//! A clause counts for the line on which it begins. If several clauses begin on one line, its number of hits is the
//! number of covered clauses among them. The number of runs is not known here.

use crate::data::{FunctionShare, Module};
use std::collections::BTreeMap;

/// The hits of each line, counted from one.
pub(super) type Hits = BTreeMap<u32, usize>;

/// A function of a module, for formats that list functions besides lines.
#[derive(Clone, Debug)]
pub(super) struct Function<'m> {
    pub(super) name: &'m str,
    /// The line of its first clause.
    pub(super) line: u32,
    /// The number of its clauses that were entered, or covered in languages that do not distinguish the two.
    pub(super) hits: usize,
    pub(super) lines: Hits,
}

/// The number of lines with hits and of all lines with clauses.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LineShare {
    pub(super) hit: usize,
    pub(super) found: usize,
}

/// Returns the hits of each line of a module that has a clause.
pub(super) fn hits(module: &Module) -> Hits {
    of_clauses(module, |_| true)
}

/// Returns the functions of a module whose first line is known, in the order of the report.
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

/// Returns the share of lines that have hits.
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
