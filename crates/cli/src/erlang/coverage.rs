//! Coverage of the clauses in the source: which were entered, which could be, and why the others were not.

use crate::elixir;
use crate::erlang::explore::{Explored, Task};
use crate::erlang::project::Project;
use crate::erlang::reach::{CallGraph, FunctionId, Functions};
use crate::erlang::report::function_name;
use crate::erlang::unit::{UnitName, quoted};
use crate::flow::Done;
use ::report::{CoveredLine, FunctionShare, Module, Share, Uncovered, Why};
use engine::Stop;
use erlang::Machine;
use erlang::machine::SourceClause;
use std::collections::BTreeMap;
use term::Atom;
use trace::{ClauseId, Covered};

/// The clauses of all modules under test, and the call graph.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sources {
    pub(crate) modules: Vec<ModuleClauses>,
    calls: CallGraph,
}

#[derive(Clone, Debug)]
pub(crate) struct ModuleClauses {
    pub(crate) module: Atom,
    pub(crate) clauses: Vec<SourceClause>,
    /// The function of each clause.
    functions: Vec<FunctionId>,
}

/// How much of its reachable clauses a unit covered.
#[derive(Clone, Debug, Default)]
pub(crate) struct UnitCoverage {
    pub(crate) all: Share,
    pub(crate) by_module: Vec<(Atom, Share)>,
    reachable: Functions,
}

impl Sources {
    /// Reads the clauses from a machine that has loaded the modules.
    pub(crate) fn of(machine: &Machine, project: &Project) -> Sources {
        let mut calls = CallGraph::of(project);
        let module = |module: &Atom| {
            let is_written = |it: &SourceClause| {
                project.module(module).is_none_or(|of| of.has_written(&it.function, it.arity))
            };
            let mut clauses = machine.clauses(module);
            clauses.retain(is_written);
            let functions = clauses.iter().map(|it| calls.add(function_of(module, it))).collect();
            ModuleClauses { module: module.clone(), clauses, functions }
        };
        Sources { modules: project.names().iter().map(module).collect(), calls }
    }

    pub(crate) fn of_unit(&self, task: &Task, covered: &Covered) -> UnitCoverage {
        let reachable = self.calls.reachable(&task.unit);
        // The functions that make inputs run before the unit is called.
        let makers = task.contract.makers();
        let before: Vec<Functions> = makers.iter().map(|it| self.calls.reachable(it)).collect();
        let mut res = UnitCoverage { reachable, ..UnitCoverage::default() };
        for module in &self.modules {
            // A function that was entered is reachable, even if the call graph lacks the call.
            for (_, function) in module.each().filter(|it| covered.has(it.0.id)) {
                if !before.iter().any(|it| it.has(function)) {
                    res.reachable.insert(function);
                }
            }
            let own = share(module.of(&res.reachable), |it| covered.has(it));
            if own.total > 0 {
                res.all.covered += own.covered;
                res.all.total += own.total;
                res.by_module.push((module.module.clone(), own));
            }
        }
        res
    }

    /// The clauses that the unit can reach according to the call graph.
    pub(crate) fn wanted(&self, unit: &UnitName) -> Covered {
        let reachable = self.calls.reachable(unit);
        let mut words: Vec<u64> = Vec::new();
        for ClauseId(id) in self.modules.iter().flat_map(|it| it.of(&reachable)).map(|it| it.id) {
            let word = id as usize / 64;
            words.resize(words.len().max(word + 1), 0);
            if let Some(word) = words.get_mut(word) {
                *word |= 1 << (id % 64);
            }
        }
        Covered::from_words(words)
    }

    /// The source file of a module, by its first clause.
    pub(crate) fn file(&self, module: &Atom) -> Option<String> {
        let clauses = &self.modules.iter().find(|it| it.module == *module)?.clauses;
        clauses.first().map(|it| it.file.clone()).filter(|it| !it.is_empty())
    }

    /// The report's entry of each module, with the joined coverage of all units.
    pub(crate) fn modules(&self, done: &[Done<'_, Project>]) -> Vec<Module> {
        let mut covered = Covered::default();
        let mut covering: BTreeMap<ClauseId, String> = BTreeMap::new();
        let mut units = Vec::new();
        for it in done {
            let Some(explored) = it.explored() else { continue };
            let report = &explored.report;
            covered.add(&report.covered);
            for (clause, input) in &report.covering {
                covering.entry(*clause).or_insert_with(|| it.unit.unit.script(&input.args).shown());
            }
            units.push((self.of_unit(it.unit, &report.covered), explored));
        }
        let found = JoinedCoverage { covered, covering, units };
        self.modules.iter().map(|it| it.coverage(&found)).collect()
    }
}

/// The joined coverage of all units.
struct JoinedCoverage<'a> {
    covered: Covered,
    /// The first call that covered each clause.
    covering: BTreeMap<ClauseId, String>,
    units: Vec<(UnitCoverage, &'a Explored)>,
}

impl ModuleClauses {
    fn each(&self) -> impl Iterator<Item = (&SourceClause, FunctionId)> {
        self.clauses.iter().zip(self.functions.iter().copied())
    }

    /// The clauses of these functions.
    fn of(&self, functions: &Functions) -> impl Iterator<Item = &SourceClause> {
        self.each().filter(|it| functions.has(it.1)).map(|it| it.0)
    }

    fn coverage(&self, found: &JoinedCoverage<'_>) -> Module {
        let mut functions: Vec<FunctionShare> = Vec::new();
        let (mut uncovered, mut lines) = (Vec::new(), Vec::new());
        for (clause, id) in self.each() {
            let function = function_name(&clause.function, clause.arity);
            let is_covered = found.covered.has(clause.id);
            let n_covered = usize::from(is_covered);
            match functions.iter_mut().find(|it| it.function == function) {
                Some(known) => {
                    known.covered += n_covered;
                    known.total += 1;
                }
                None => functions.push(FunctionShare {
                    function: function.clone(),
                    covered: n_covered,
                    total: 1,
                    entered: None,
                }),
            }
            let line = clause.line;
            let by = found.covering.get(&clause.id).cloned();
            lines.push(CoveredLine { line, function: function.clone(), covered: is_covered, by });
            if !is_covered {
                let why = why(id, &function_of(&self.module, clause), &found.units);
                uncovered.push(Uncovered { function, line, why, ..Uncovered::default() });
            }
        }
        let is_elixir = elixir::is_elixir(&self.module);
        let file = self.clauses.first().map(|it| it.file.clone());
        Module {
            module: self.module.as_str().to_owned(),
            title: if is_elixir { elixir::alias(&self.module) } else { quoted(&self.module) },
            language: if is_elixir { "elixir" } else { "erlang" }.to_owned(),
            file: file.filter(|it| !it.is_empty()),
            clauses: share(self.clauses.iter(), |it| found.covered.has(it)),
            functions,
            uncovered,
            lines,
            ..Module::default()
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

fn why(id: FunctionId, function: &UnitName, units: &[(UnitCoverage, &Explored)]) -> Why {
    let reaches = |it: &&&(UnitCoverage, &Explored)| it.0.reachable.has(id);
    let reaching = units.iter().filter(|it| reaches(&it));
    // A unit whose query for this function failed knows that it is unknown; a unit without time knows nothing.
    if reaching.clone().any(|it| it.1.given_up.contains(function)) {
        return Why::Unknown;
    }
    reaching.map(|it| why_of_unit(it.1)).max().unwrap_or(Why::NotReachable)
}

/// Why a unit did not enter more clauses. Clauses are unsatisfiable only if the search was exhaustive and without
/// losses.
fn why_of_unit(explored: &Explored) -> Why {
    match explored.report.stop {
        Stop::Exhausted if explored.report.is_complete() => Why::Unsatisfiable,
        Stop::Exhausted | Stop::Unsupported => Why::Unknown,
        Stop::Depth | Stop::Time | Stop::Runs | Stop::Interrupted | Stop::Memory => Why::NotTried,
    }
}

fn share<'c>(
    clauses: impl Iterator<Item = &'c SourceClause>,
    has: impl Fn(ClauseId) -> bool,
) -> Share {
    let mut res = Share::default();
    for clause in clauses {
        res.covered += usize::from(has(clause.id));
        res.total += 1;
    }
    res
}
