//! Clauses of the source: which were entered, which could have been, and why the others were not.

use crate::test::explore::Explored;
use crate::test::project::Project;
use crate::test::reach::reachable;
use crate::test::unit::UnitName;
use engine::Stop;
use erlang::Machine;
use erlang::machine::SourceClause;
use std::collections::BTreeSet;
use term::Atom;
use trace::{ClauseId, Covered};

/// The clauses of all modules under test.
#[derive(Clone, Debug)]
pub(crate) struct Sources {
    pub(crate) modules: Vec<ModuleClauses>,
}

#[derive(Clone, Debug)]
pub(crate) struct ModuleClauses {
    pub(crate) module: Atom,
    pub(crate) clauses: Vec<SourceClause>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Share {
    pub(crate) covered: usize,
    pub(crate) total: usize,
}

/// What a unit covers of what it can come to.
#[derive(Clone, Debug, Default)]
pub(crate) struct UnitCoverage {
    pub(crate) all: Share,
    pub(crate) by_module: Vec<(Atom, Share)>,
    reachable: BTreeSet<UnitName>,
}

#[derive(Clone, Debug)]
pub(crate) struct ModuleCoverage {
    pub(crate) module: Atom,
    pub(crate) all: Share,
    pub(crate) functions: Vec<(UnitName, Share)>,
    pub(crate) uncovered: Vec<(SourceClause, Why)>,
}

/// Why a clause was not entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Why {
    Unsatisfiable,
    Unknown,
    NotTried,
    NotReachable,
}

impl Why {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Why::Unsatisfiable => "unsatisfiable",
            Why::Unknown => "unknown",
            Why::NotTried => "not tried",
            Why::NotReachable => "not reachable",
        }
    }
}

impl Sources {
    /// From a machine that has loaded the modules.
    pub(crate) fn of(machine: &Machine, project: &Project) -> Sources {
        let module = |it: &Atom| ModuleClauses { module: it.clone(), clauses: machine.clauses(it) };
        Sources { modules: project.names().iter().map(module).collect() }
    }

    pub(crate) fn of_unit(
        &self,
        project: &Project,
        unit: &UnitName,
        covered: &Covered,
    ) -> UnitCoverage {
        let mut res =
            UnitCoverage { reachable: reachable(project, unit), ..UnitCoverage::default() };
        for module in &self.modules {
            // What was entered can be reached, whatever the code seems to say.
            let entered = module.clauses.iter().filter(|it| covered.has(it.id));
            res.reachable.extend(entered.map(|it| function_of(&module.module, it)));
            let is_reachable =
                |it: &&SourceClause| res.reachable.contains(&function_of(&module.module, it));
            let share = Share::of(module.clauses.iter().filter(is_reachable), |it| covered.has(it));
            if share.total > 0 {
                res.all.add(share);
                res.by_module.push((module.module.clone(), share));
            }
        }
        res
    }

    /// The clauses that the unit can come to, as far as the code tells.
    pub(crate) fn wanted(&self, project: &Project, unit: &UnitName) -> Covered {
        let reachable = reachable(project, unit);
        let mut words: Vec<u64> = Vec::new();
        for module in &self.modules {
            let is_reachable =
                |it: &&SourceClause| reachable.contains(&function_of(&module.module, it));
            for ClauseId(id) in module.clauses.iter().filter(is_reachable).map(|it| it.id) {
                let word = id as usize / 64;
                words.resize(words.len().max(word + 1), 0);
                if let Some(word) = words.get_mut(word) {
                    *word |= 1 << (id % 64);
                }
            }
        }
        Covered::from_words(words)
    }

    /// The union over all units.
    pub(crate) fn union(&self, units: &[(&UnitCoverage, &Explored)]) -> Vec<ModuleCoverage> {
        let mut covered = Covered::default();
        units.iter().for_each(|it| covered.add(&it.1.report.covered));
        self.modules.iter().map(|it| it.coverage(&covered, units)).collect()
    }

    pub(crate) fn n_covered(&self, covered: &Covered) -> usize {
        let ids = self.modules.iter().flat_map(|it| &it.clauses).map(|it| it.id);
        ids.filter(|it| covered.has(*it)).count()
    }
}

impl ModuleClauses {
    fn coverage(&self, covered: &Covered, units: &[(&UnitCoverage, &Explored)]) -> ModuleCoverage {
        let mut functions: Vec<(UnitName, Share)> = Vec::new();
        let mut uncovered = Vec::new();
        for clause in &self.clauses {
            let function = function_of(&self.module, clause);
            let share = Share { covered: usize::from(covered.has(clause.id)), total: 1 };
            match functions.iter_mut().find(|it| it.0 == function) {
                Some(known) => known.1.add(share),
                None => functions.push((function.clone(), share)),
            }
            if share.covered == 0 {
                uncovered.push((clause.clone(), why(&function, units)));
            }
        }
        ModuleCoverage {
            module: self.module.clone(),
            all: Share::of(self.clauses.iter(), |it| covered.has(it)),
            functions,
            uncovered,
        }
    }
}

fn function_of(module: &Atom, clause: &SourceClause) -> UnitName {
    UnitName {
        module: module.clone(),
        function: clause.function.clone(),
        arity: clause.arity as usize,
    }
}

fn why(function: &UnitName, units: &[(&UnitCoverage, &Explored)]) -> Why {
    let reaches = |it: &&&(&UnitCoverage, &Explored)| it.0.reachable.contains(function);
    let reaching = units.iter().filter(|it| reaches(&it));
    // Who gave up there was there; who had no time knows nothing.
    if reaching.clone().any(|it| it.1.given_up.contains(function)) {
        return Why::Unknown;
    }
    reaching.map(|it| why_of_unit(it.1)).max().unwrap_or(Why::NotReachable)
}

/// Why a unit entered no more than it did: impossible is what is proved so, in a search
/// that left nothing out.
fn why_of_unit(explored: &Explored) -> Why {
    match explored.report.stop {
        Stop::Exhausted if explored.report.is_complete() => Why::Unsatisfiable,
        Stop::Exhausted | Stop::Unsupported => Why::Unknown,
        Stop::Depth | Stop::Time | Stop::Runs | Stop::Interrupted => Why::NotTried,
    }
}

impl Share {
    fn of<'c>(
        clauses: impl Iterator<Item = &'c SourceClause>,
        has: impl Fn(ClauseId) -> bool,
    ) -> Share {
        let mut res = Share::default();
        for clause in clauses {
            res.add(Share { covered: usize::from(has(clause.id)), total: 1 });
        }
        res
    }

    pub(crate) fn add(&mut self, other: Share) {
        self.covered += other.covered;
        self.total += other.total;
    }
}
