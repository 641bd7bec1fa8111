//! What is reported of Prolog programs, as plain data.

use crate::test::prolog::explore::Explored;
use crate::test::prolog::load::Source;
use engine::Stop;
use prolog::code::PredId;
use std::collections::BTreeSet;
use std::path::PathBuf;

#[derive(Clone, Debug)]
pub(crate) struct Report {
    pub(crate) files: Vec<FileReport>,
}

#[derive(Clone, Debug)]
pub(crate) struct FileReport {
    pub(crate) path: String,
    pub(crate) module: String,
    pub(crate) units: Vec<Explored>,
    pub(crate) predicates: Vec<Predicate>,
    pub(crate) uncovered: Vec<Uncovered>,
    pub(crate) n_clauses: usize,
    pub(crate) n_completed: usize,
    pub(crate) n_entered: usize,
    /// Where the tests were written.
    pub(crate) tests_file: Option<PathBuf>,
}

#[derive(Clone, Debug)]
pub(crate) struct Predicate {
    pub(crate) id: PredId,
    pub(crate) name: String,
    pub(crate) n_clauses: usize,
    pub(crate) n_completed: usize,
    pub(crate) n_entered: usize,
}

/// A clause that no goal evaluated to its end.
#[derive(Clone, Debug)]
pub(crate) struct Uncovered {
    pub(crate) predicate: String,
    pub(crate) number: usize,
    pub(crate) line: u32,
    pub(crate) is_entered: bool,
    /// The goal of its body that never succeeded.
    pub(crate) stuck: Option<String>,
    pub(crate) why: &'static str,
}

impl Report {
    pub(crate) fn units(&self) -> impl Iterator<Item = &Explored> {
        self.files.iter().flat_map(|it| &it.units)
    }
}

impl FileReport {
    pub(crate) fn new(source: &Source, units: Vec<Explored>) -> FileReport {
        let program = &source.program;
        let completed: BTreeSet<u32> = units.iter().flat_map(|it| &it.completed).copied().collect();
        let entered: BTreeSet<u32> = units.iter().flat_map(|it| &it.entered).copied().collect();
        let reachable: BTreeSet<u32> = units.iter().flat_map(|it| &it.reachable).copied().collect();
        let count =
            |marks: &[u32], of: &BTreeSet<u32>| marks.iter().filter(|it| of.contains(it)).count();
        let predicates = program.predicates.iter().map(|it| Predicate {
            id: it.id,
            name: format!("{}/{}", it.name, it.arity),
            n_clauses: it.marks.len(),
            n_completed: count(&it.marks, &completed),
            n_entered: count(&it.marks, &entered),
        });
        let is_all_tried = units.iter().all(|it| it.stop == Stop::Exhausted && !it.is_saturated);
        // What other facts would lead to is not known: of goals that add some, few follow each other.
        let is_all_tried = is_all_tried && program.facts.is_empty();
        let has_unknowns = units.iter().any(|it| 0 < it.solver.unknown || !it.losses.is_empty());
        let roots: Vec<_> = units.iter().map(|it| it.pred).collect();
        let impossible = source.machine.impossible(program, &roots);
        let furthest = source.machine.furthest();
        let mut uncovered = Vec::new();
        for (mark, clause) in (0..).zip(&program.clauses) {
            if completed.contains(&mark) {
                continue;
            }
            let named = program.predicates.iter().find(|it| it.id == clause.pred);
            let predicate = named.map(|it| format!("{}/{}", it.name, it.arity)).unwrap_or_default();
            let is_entered = entered.contains(&mark);
            let at = furthest.get(mark as usize).copied().unwrap_or(0);
            let stuck = (at as usize).checked_sub(1).and_then(|it| clause.goals.get(it));
            let why = if !reachable.contains(&mark) {
                "not reachable"
            } else if impossible.contains(&mark) || is_all_tried && !has_unknowns {
                "unsatisfiable"
            } else if has_unknowns {
                "unknown"
            } else {
                "not tried"
            };
            uncovered.push(Uncovered {
                predicate,
                number: clause.number,
                line: clause.line,
                is_entered,
                stuck: stuck.filter(|_| is_entered).cloned(),
                why,
            });
        }
        FileReport {
            path: source.path.display().to_string(),
            module: program.module.clone(),
            predicates: predicates.collect(),
            uncovered,
            n_clauses: program.clauses.len(),
            n_completed: completed.len(),
            n_entered: entered.len(),
            units,
            tests_file: None,
        }
    }
}

impl Explored {
    pub(crate) fn verdict(&self) -> &'static str {
        if !self.findings.is_empty() {
            "findings"
        } else if self.stop == Stop::Exhausted
            && !self.is_saturated
            && self.losses.is_empty()
            && self.solver.unknown == 0
        {
            "clean"
        } else {
            "bounded"
        }
    }
}
