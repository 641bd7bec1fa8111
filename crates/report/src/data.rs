//! The report: targets, units, modules. Its JSON form (schema 1) is stable for users: keys are added, never renamed or
//! removed.

use crate::finding::Finding;
use schemars::{JsonSchema, schema_for};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The version of the JSON form.
pub const SCHEMA: u32 = 1;

/// Everything that one run of `gimlet test` found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Report {
    pub schema: u32,
    pub tool: Tool,
    /// The targets as the command line named them.
    pub targets: Vec<String>,
    pub build: Build,
    /// The languages of the units, with the words that reports use for them.
    pub languages: Vec<Language>,
    /// The search was ended by a signal or by its budget before every unit had its turn.
    pub interrupted: bool,
    pub elapsed_ms: u64,
    pub units: Vec<Unit>,
    pub modules: Vec<Module>,
    /// The files that this run wrote.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub written: Vec<Written>,
    /// The text of each source file that findings and modules name. Not part of the JSON form.
    #[serde(skip)]
    pub sources: BTreeMap<String, String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tool {
    pub name: String,
    pub version: String,
}

impl Default for Tool {
    fn default() -> Tool {
        Tool { name: "gimlet".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() }
    }
}

/// How the code under test was found and compiled, so that a recorded input can be run again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Build {
    pub pa: Vec<String>,
    pub includes: Vec<String>,
    pub defines: Vec<String>,
    pub nodes: Vec<String>,
}

/// A language, with the words that a report uses for its parts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Language {
    /// The tag of the language in units and modules, such as `erlang`.
    pub name: String,
    /// The word for a unit: `function` or `predicate`.
    pub unit: String,
    pub units: String,
    /// The real runtime on which findings were replayed: `BEAM` or `swipl`.
    pub runtime: String,
    /// The text before a call in the language's shell: nothing, or `?- `.
    pub prompt: String,
    /// The text after a call in the language's shell: nothing, or `.`.
    pub end: String,
    /// The word for a clause that counts as covered: `covered` or `completed`.
    pub covered: String,
}

/// A function or predicate, and the result of its exploration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Unit {
    /// The name that the option `-f` takes, such as `example:foo/1` or `main/3`.
    pub unit: String,
    /// The name in the language's own notation, such as `Example.foo/1`.
    pub title: String,
    pub language: String,
    pub module: String,
    pub file: Option<String>,
    /// Whether the unit is not meant to be called from outside of the project.
    pub is_internal: bool,
    pub verdict: Verdict,
    pub stop: Stop,
    /// Whether the search stopped for lack of news, not because a limit was reached.
    pub saturated: bool,
    pub runs: usize,
    pub paths: usize,
    /// The number of runs whose input a precondition refused.
    pub refused: usize,
    /// The number of runs that did not take the path that their input was made for.
    pub diverged: usize,
    /// The number of schedules that turned out to be equivalent to explored ones.
    pub in_vain: usize,
    pub elapsed_ms: u64,
    pub solver: Solver,
    /// The sources of the inputs, and how productive each was.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<Source>,
    pub coverage: UnitCoverage,
    pub findings: Vec<Finding>,
    pub tests: Vec<Test>,
    pub losses: Vec<Loss>,
    /// Descriptions of the cases in which the real runtime behaves differently from the machine.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub disagreements: Vec<String>,
    pub unreceived: Vec<Unreceived>,
    /// Why the tool itself failed before or during the exploration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
}

/// The verdict on a unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    Findings,
    /// Nothing was found, and all paths were explored.
    Clean,
    /// Nothing was found, but not all paths were explored.
    #[default]
    Bounded,
}

/// Why the exploration of a unit ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Stop {
    #[default]
    Exhausted,
    /// The only alternatives left are those that the solver could not decide.
    Unknown,
    Depth,
    Time,
    Runs,
    Interrupted,
    Unsupported,
}

impl Stop {
    pub fn name(self) -> &'static str {
        match self {
            Stop::Exhausted => "exhausted",
            Stop::Unknown => "unknown",
            Stop::Depth => "depth",
            Stop::Time => "time",
            Stop::Runs => "runs",
            Stop::Interrupted => "interrupted",
            Stop::Unsupported => "unsupported",
        }
    }
}

/// The number of queries to the solver, by their answers and by the layer that answered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Solver {
    pub queries: u64,
    pub sat: u64,
    pub unsat: u64,
    pub unknown: u64,
    #[serde(flatten)]
    pub layers: BTreeMap<String, u64>,
}

/// The clauses that runs of a unit covered, of those that it can reach.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct UnitCoverage {
    pub clauses: Share,
    pub by_module: BTreeMap<String, Share>,
    /// Prolog: the outcomes of control constructs in the bodies of these clauses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branches: Option<Share>,
    /// Prolog with `--coverage choice`: the sets of clauses that calls could match.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub matched: Vec<Matched>,
}

/// The number of covered clauses and of all clauses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Share {
    pub covered: usize,
    pub total: usize,
    /// Prolog: the number of clauses whose head was unified, whether or not their body succeeded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entered: Option<usize>,
}

impl Share {
    /// Returns the percentage, rounded down; `None` if there are no clauses.
    pub fn percent(self) -> Option<usize> {
        (self.covered * 100).checked_div(self.total)
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Matched {
    pub function: Option<String>,
    pub clauses: Vec<u32>,
}

/// The names and values of a goal's results, in the order of its arguments.
pub type Bindings = serde_json::Map<String, serde_json::Value>;

/// An input and its outcome.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Test {
    pub id: String,
    /// Goals that are called first because they add facts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub setup: Vec<String>,
    pub args: Vec<String>,
    pub call: String,
    /// One of `value`, `error`, `exit`, `throw`; `true`, `false`, `throws`; `deadlock`, `timeout`, `stopped`.
    pub outcome: String,
    /// The value, the reason, or the term that was thrown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub term: Option<String>,
    /// Prolog: the first answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bindings: Option<Bindings>,
    /// Prolog: the answers that were computed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answers: Option<Vec<Bindings>>,
    /// Prolog: whether there may be more answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub more: Option<bool>,
    /// Whether the real runtime behaves in the same way, if it was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmed: Option<bool>,
    /// With `--explain`: the choices of the path.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<Chosen>,
}

/// A choice on the path of an input, and its other alternatives.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Chosen {
    /// The clause or function in which the choice is made; empty for a library.
    pub at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The condition that holds for the input.
    pub holds: String,
    /// The alternatives that were not taken: `c(2, {X1/[]})` stands for the second clause of the program; otherwise the
    /// condition for the alternative.
    pub others: Vec<String>,
}

/// A source of inputs: the seeds, a rule for flipping choices of earlier runs, or random changes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Source {
    pub source: String,
    /// The number of runs with its inputs.
    pub runs: usize,
    /// The number of runs that found a new alternative of a choice, a new clause or a new way to fail.
    pub news: usize,
}

/// Something that the symbolic half could not follow.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Loss {
    pub what: String,
    pub count: usize,
}

/// A message that is still in a mailbox at the end of some schedules.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Unreceived {
    pub from: String,
    pub to: String,
    pub message: String,
    pub call: String,
    pub schedules: usize,
}

/// The coverage of a module under test by all units.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Module {
    pub module: String,
    /// The name in the language's own notation.
    pub title: String,
    pub language: String,
    pub file: Option<String>,
    pub clauses: Share,
    /// Prolog: the outcomes of control constructs in the bodies of clauses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branches: Option<Share>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub uncovered_branches: Vec<UncoveredBranch>,
    pub functions: Vec<FunctionShare>,
    pub uncovered: Vec<Uncovered>,
    /// Every clause with its line, in the order of the source.
    pub lines: Vec<CoveredLine>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct FunctionShare {
    pub function: String,
    pub covered: usize,
    pub total: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entered: Option<usize>,
}

/// A clause that no run covered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Uncovered {
    pub function: String,
    /// The clause's number within its predicate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clause: Option<usize>,
    pub line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entered: Option<bool>,
    /// The goal of its body that never succeeded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stuck: Option<String>,
    pub why: Why,
}

/// An outcome of a control construct that no run took, in a clause that some run entered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct UncoveredBranch {
    pub function: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clause: Option<usize>,
    pub line: u32,
    /// A description, such as `condition does not hold`.
    pub branch: String,
    pub why: Why,
}

/// Why a clause was not covered.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
pub enum Why {
    #[serde(rename = "unsatisfiable")]
    Unsatisfiable,
    #[serde(rename = "unknown")]
    Unknown,
    #[default]
    #[serde(rename = "not tried")]
    NotTried,
    #[serde(rename = "not reachable")]
    NotReachable,
}

impl Why {
    pub fn name(self) -> &'static str {
        match self {
            Why::Unsatisfiable => "unsatisfiable",
            Why::Unknown => "unknown",
            Why::NotTried => "not tried",
            Why::NotReachable => "not reachable",
        }
    }

    /// Returns an explanation in a few words.
    pub fn meaning(self) -> &'static str {
        match self {
            Why::Unsatisfiable => "no input leads there",
            Why::Unknown => "the solver or the machine could not follow",
            Why::NotTried => "the search ended before a run came there",
            Why::NotReachable => "nothing that was tested calls it",
        }
    }
}

/// The line of a clause in the source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct CoveredLine {
    pub line: u32,
    pub function: String,
    pub covered: bool,
    /// The first call that covered it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// A file that was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Written {
    pub kind: WrittenKind,
    pub path: String,
    /// The command that runs the file, if it contains tests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_with: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum WrittenKind {
    Report,
    Tests,
    Inputs,
    Chart,
}

impl Report {
    pub fn language(&self, name: &str) -> Language {
        let known = self.languages.iter().find(|it| it.name == name).cloned();
        known.unwrap_or_else(|| Language { name: name.to_owned(), ..Language::default() })
    }

    /// Returns all findings with their units, in the order of the units.
    pub fn findings(&self) -> impl Iterator<Item = (&Unit, &Finding)> {
        self.units.iter().flat_map(|unit| unit.findings.iter().map(move |it| (unit, it)))
    }

    /// Returns the n-th line of a source, counted from one.
    pub fn source_line(&self, file: &str, line: u32) -> Option<&str> {
        let n = usize::try_from(line).ok()?.checked_sub(1)?;
        self.sources.get(file)?.lines().nth(n)
    }
}

impl Unit {
    /// Whether the exploration of the unit was exhaustive.
    pub fn is_complete(&self) -> bool {
        self.stop == Stop::Exhausted
            && !self.saturated
            && self.losses.is_empty()
            && self.disagreements.is_empty()
            && self.solver.unknown == 0
            && self.trouble.is_none()
    }

    /// Sets the verdict according to the findings and the completeness of the exploration.
    pub fn judge(&mut self) {
        self.verdict = if self.findings.iter().any(Finding::makes_verdict) {
            Verdict::Findings
        } else if self.is_complete() {
            Verdict::Clean
        } else {
            Verdict::Bounded
        };
    }
}

/// Returns the JSON schema of a report, as published in `docs/report.schema.json`.
pub fn schema_text() -> String {
    let schema = schema_for!(Report);
    let text = serde_json::to_string_pretty(&schema).unwrap_or_default();
    format!("{text}\n")
}
