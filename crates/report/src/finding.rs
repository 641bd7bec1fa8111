//! A finding: what fails, how, why it matters, and how certain that is.

use crate::chart::Chart;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// An input for which a unit behaves as it should not.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Finding {
    /// Identifies the input; equal in every run.
    pub id: String,
    /// Identifies the cause; equal for other inputs, and after the source was shifted by some lines.
    pub fingerprint: String,
    /// Identifies what fails and where, for all units that lead there. Absent if the finding concerns the unit itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// The id of the finding that is shown for this cause, if it is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub same_as: Option<String>,
    /// The other units that lead to the cause, if this finding is the one shown for it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also_through: Vec<String>,
    pub kind: Kind,
    pub level: Level,
    /// The reason for the level, in one line.
    pub because: String,
    pub status: Status,
    /// The reason for ignoring the finding, as given in the configuration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ignored_because: Option<String>,
    /// See [`crate::Test::outcome`].
    pub class: String,
    pub reason: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub setup: Vec<String>,
    pub args: Vec<String>,
    /// The call in the syntax that `gimlet replay` reads.
    pub call: String,
    /// The call in a form that can be pasted into the shell of the unit's language.
    pub shown: String,
    /// The message of the language's shell about the outcome.
    pub says: Vec<String>,
    pub file: Option<String>,
    pub line: Option<u32>,
    pub stack: Vec<String>,
    /// The last choices on the path to the finding.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reached: Vec<Reached>,
    pub confirmed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unconfirmed_because: Option<String>,
    /// The number of paths or schedules that end like this.
    pub count: usize,
    pub minimised: bool,
    /// The arguments that were found first, if they were made smaller since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found_with: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schedule: Option<Schedule>,
    /// An explanation beyond the outcome: what a spec promises, or what a race is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// A test that shows the finding, in the test language of the unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test: Option<String>,
}

/// What went wrong. Findings of one level are sorted in this order.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// An exception that is not caught.
    #[default]
    Crash,
    /// Every process waits for a message, and none is on its way.
    Deadlock,
    /// The result violates the spec, or a predicate its declared determinism.
    Spec,
    /// A property returned false.
    Property,
    /// The call does not end.
    Timeout,
    /// The result depends on the schedule.
    Race,
    /// The unit's own clauses refuse the input, and no spec allows it.
    Rejected,
}

impl Kind {
    pub const ALL: [Kind; 7] = [
        Kind::Crash,
        Kind::Deadlock,
        Kind::Spec,
        Kind::Property,
        Kind::Timeout,
        Kind::Race,
        Kind::Rejected,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Kind::Crash => "crash",
            Kind::Deadlock => "deadlock",
            Kind::Spec => "spec",
            Kind::Property => "property",
            Kind::Timeout => "timeout",
            Kind::Race => "race",
            Kind::Rejected => "rejected",
        }
    }

    /// Returns the name of the problem, as the title of a rule.
    pub fn title(self) -> &'static str {
        match self {
            Kind::Crash => "An exception that nobody catches",
            Kind::Deadlock => "Every process waits for a message",
            Kind::Spec => "A result that breaks its specification",
            Kind::Property => "A property that does not hold",
            Kind::Timeout => "A call that does not end",
            Kind::Race => "A result that depends on the schedule",
            Kind::Rejected => "An input that the function refuses",
        }
    }
}

/// How much a finding matters, the most important first.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// The input keeps an explicit promise, and the unit breaks its own.
    Promise,
    /// Nothing was promised, but the code shows that such inputs are meant.
    #[default]
    Suspicious,
    /// The unit does not accept such inputs, or raises on purpose.
    Refusal,
}

impl Level {
    pub const ALL: [Level; 3] = [Level::Promise, Level::Suspicious, Level::Refusal];

    pub fn name(self) -> &'static str {
        match self {
            Level::Promise => "promise",
            Level::Suspicious => "suspicious",
            Level::Refusal => "refusal",
        }
    }

    /// Returns the name of the level in messages.
    pub fn title(self) -> &'static str {
        match self {
            Level::Promise => "broken promise",
            Level::Suspicious => "suspicious",
            Level::Refusal => "refusal",
        }
    }
}

/// Whether a finding counts.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    #[default]
    New,
    /// The finding is in the baseline.
    Known,
    /// The configuration asks to ignore the finding.
    Ignored,
}

/// A choice on the path to a finding.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Reached {
    pub file: Option<String>,
    pub line: Option<u32>,
    /// A description, such as `clause 2 of cmp/1` or `X > 42 is false`.
    pub what: String,
}

/// The order of steps that a finding needs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Schedule {
    /// The names of the steps, for `gimlet replay`.
    pub steps: Vec<String>,
    /// The process that failed, if it is not the unit.
    pub process: Option<String>,
    /// Messages that were lost.
    pub lost: Vec<String>,
    /// The processes that wait, with the contents of their mailboxes.
    pub blocked: Vec<String>,
    /// The message sequence chart as lines of text.
    pub chart: Vec<String>,
    /// The chart as data, for pictures. Not part of the JSON form.
    #[serde(skip)]
    pub drawing: Option<Chart>,
}

impl Schedule {
    /// Returns the lines about lost messages, waiting processes and the chart.
    pub fn lines(&self) -> impl Iterator<Item = &String> {
        self.lost.iter().chain(&self.blocked).chain(&self.chart)
    }
}

impl Finding {
    /// Whether the finding determines the unit's verdict.
    pub(crate) fn makes_verdict(&self) -> bool {
        self.kind != Kind::Race && self.level != Level::Refusal
    }
}

/// Returns the id of an input of a unit.
pub fn input_id(text: &str) -> String {
    hex(text, 4)
}

/// Returns the fingerprint of a cause within a unit.
pub fn fingerprint(unit: &str, cause: &str) -> String {
    hex(&format!("{unit}\n{cause}"), 8)
}

/// Returns the id of a cause, independent of the unit.
pub fn cause_id(condition: &str) -> String {
    hex(condition, 8)
}

fn hex(text: &str, n_bytes: usize) -> String {
    Sha256::digest(text.as_bytes()).iter().take(n_bytes).map(|it| format!("{it:02x}")).collect()
}
