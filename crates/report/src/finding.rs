//! One finding: what fails, how, why it counts, and how sure that is.

use crate::chart::Chart;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// An input for which a unit does what it should not.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Finding {
    /// Names the input: the same in every run.
    pub id: String,
    /// Names the cause: the same for other inputs and after the source moved by some lines.
    pub fingerprint: String,
    /// Names what fails and where, the same for every unit that leads there. `None`: it concerns the unit
    /// itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// The id of the finding that is shown for this cause, if it is not this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub same_as: Option<String>,
    /// Of the finding that is shown for its cause: the other units that lead there.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also_through: Vec<String>,
    pub kind: Kind,
    pub level: Level,
    /// Why it has this level, in one line.
    pub because: String,
    pub status: Status,
    /// Why it is ignored, in the words of whoever does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ignored_because: Option<String>,
    /// As [`crate::Test::outcome`].
    pub class: String,
    pub reason: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub setup: Vec<String>,
    pub args: Vec<String>,
    /// The call in the syntax that `gimlet replay` reads.
    pub call: String,
    /// The call as it can be pasted into the shell of the unit's language.
    pub shown: String,
    /// How it ends, as the shell of the language tells it.
    pub says: Vec<String>,
    pub file: Option<String>,
    pub line: Option<u32>,
    pub stack: Vec<String>,
    /// The choices on the way there, the last ones if there are many.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reached: Vec<Reached>,
    pub confirmed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unconfirmed_because: Option<String>,
    /// Paths or schedules that end like this.
    pub count: usize,
    pub minimised: bool,
    /// The first input that was found, if it was made smaller since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found_with: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schedule: Option<Schedule>,
    /// More than the outcome says: what a spec promises, what a race is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// A test that shows it, in the test language of the unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test: Option<String>,
}

/// What went wrong. In the order in which people want to see findings of one level.
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
    /// An exception that nobody catches.
    #[default]
    Crash,
    /// Every process waits for a message, and none is on its way.
    Deadlock,
    /// The result breaks the spec, or a predicate its declared determinism.
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

    /// What is wrong, as the title of a rule.
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

/// How much a finding matters. The most important first.
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
    /// The unit does not take such inputs, or raises on purpose.
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

    /// As people are told.
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
    /// The baseline has it.
    Known,
    /// The configuration asks to ignore it.
    Ignored,
}

/// One choice on the way to a finding.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Reached {
    pub file: Option<String>,
    pub line: Option<u32>,
    /// In the words of the source: `clause 2 of cmp/1`, `X > 42 is false`.
    pub what: String,
}

/// The order of steps that a finding needs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Schedule {
    /// Names of the steps, for `gimlet replay`.
    pub steps: Vec<String>,
    /// The process that failed, if it is not the unit.
    pub process: Option<String>,
    /// Messages that were lost.
    pub lost: Vec<String>,
    /// Who waits, and what lies in their mailboxes.
    pub blocked: Vec<String>,
    /// The message sequence chart as lines of text.
    pub chart: Vec<String>,
    /// The same as data, for pictures. Not part of the JSON form.
    #[serde(skip)]
    pub drawing: Option<Chart>,
}

impl Schedule {
    /// What is lost, who waits, and the chart, for people.
    pub fn lines(&self) -> impl Iterator<Item = &String> {
        self.lost.iter().chain(&self.blocked).chain(&self.chart)
    }
}

impl Finding {
    /// Whether the unit has findings because of this one.
    pub(crate) fn makes_verdict(&self) -> bool {
        self.kind != Kind::Race && self.level != Level::Refusal
    }
}

/// The short name of an input of a unit.
pub fn input_id(text: &str) -> String {
    hex(text, 4)
}

/// The short name of a cause of a unit.
pub fn fingerprint(unit: &str, cause: &str) -> String {
    hex(&format!("{unit}\n{cause}"), 8)
}

/// The short name of a cause, whichever unit leads there.
pub fn cause_id(condition: &str) -> String {
    hex(condition, 8)
}

fn hex(text: &str, n_bytes: usize) -> String {
    Sha256::digest(text.as_bytes()).iter().take(n_bytes).map(|it| format!("{it:02x}")).collect()
}
