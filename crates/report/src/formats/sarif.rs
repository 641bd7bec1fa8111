//! SARIF 2.1.0: findings as results of a static analysis, for GitHub's code scanning and for editors.
//!
//! Every finding is a result, whatever its level and status; readers filter by level, suppression and state. Coverage
//! is not included.

mod shape;

use super::place::{Place, place};
use super::{Format, View};
use crate::data::{Report, Unit};
use crate::finding::{Finding, Kind, Level, Status};
use crate::summary::{Summary, count};
use shape::{
    ArtifactLocation, CodeFlow, Configuration, Driver, Invocation, Location, Log, LogicalLocation,
    Message, Notification, PhysicalLocation, Properties, Region, Rule, Run, Severity, Stack, Step,
    Suppression, ThreadFlow, Tool,
};
use std::collections::{BTreeMap, BTreeSet};
use std::io;

pub(super) const FORMAT: Format =
    Format { name: "sarif", about: "SARIF 2.1.0, for code scanning and editors", write };

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

fn write(report: &Report, _: &View, out: &mut dyn io::Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, &log(report))?;
    writeln!(out)
}

fn log(report: &Report) -> Log<'_> {
    let driver = Driver {
        name: &report.tool.name,
        version: &report.tool.version,
        semantic_version: &report.tool.version,
        rules: Kind::ALL.into_iter().map(rule).collect(),
    };
    let about = About::new(report);
    let run = Run {
        tool: Tool { driver },
        invocations: [invocation(report)],
        results: report.findings().map(|(unit, it)| about.result(unit, it)).collect(),
        column_kind: "utf16CodeUnits",
    };
    Log { schema: SCHEMA, version: "2.1.0", runs: [run] }
}

fn rule(kind: Kind) -> Rule {
    Rule {
        id: rule_id(kind),
        name: kind.name(),
        short_description: text(kind.title()),
        full_description: text(help(kind)),
        help: text(help(kind)),
        default_configuration: Configuration { level: usual_severity(kind) },
    }
}

fn rule_id(kind: Kind) -> String {
    format!("gimlet/{}", kind.name())
}

fn help(kind: Kind) -> &'static str {
    match kind {
        Kind::Crash => {
            "An input was found for which the function raises an exception that nobody catches. \
             Handle the input, or say in the specification that it is not allowed."
        }
        Kind::Deadlock => {
            "An input or a schedule was found after which every process waits for a message that \
             nobody sends. Send it, or wait with a timeout."
        }
        Kind::Spec => {
            "An input was found that the specification allows, but the result is not what it \
             promises. Mend the function or its specification."
        }
        Kind::Property => {
            "An input was found for which the property is false. Mend the code or the property."
        }
        Kind::Timeout => {
            "An input was found for which the call does not end within the limit of its steps. \
             Look for a loop or a recursion that does not come closer to its end."
        }
        Kind::Race => {
            "The result of the call depends on the order in which processes run. If all of its \
             results are right, nothing needs to be done."
        }
        Kind::Rejected => {
            "The function refuses an input that no specification allows. A specification that says \
             so makes this go away; one that allows the input makes it a broken promise."
        }
    }
}

/// Returns the most common severity of findings of a kind.
fn usual_severity(kind: Kind) -> Severity {
    match kind {
        Kind::Crash | Kind::Deadlock | Kind::Spec | Kind::Property => Severity::Error,
        Kind::Timeout => Severity::Warning,
        Kind::Race | Kind::Rejected => Severity::Note,
    }
}

fn severity(finding: &Finding) -> Severity {
    match (finding.kind, finding.level) {
        (Kind::Race, _) | (_, Level::Refusal) => Severity::Note,
        (_, Level::Promise) => Severity::Error,
        (_, Level::Suspicious) => Severity::Warning,
    }
}

/// Returns the record of the tool's own run.
fn invocation(report: &Report) -> Invocation {
    let mut notifications = Vec::new();
    for unit in &report.units {
        if let Some(trouble) = &unit.trouble {
            notifications.push(Notification {
                level: Severity::Error,
                message: text(trouble),
                locations: vec![Location {
                    logical_locations: vec![logical(&unit.title, &unit.unit)],
                    ..Location::default()
                }],
            });
        }
    }
    if report.interrupted {
        let units = count(Summary::of(report).n_untried, "unit was", "units were");
        let message = format!("the search was ended early: {units} not tried");
        notifications.push(Notification {
            level: Severity::Warning,
            message: text(&message),
            locations: Vec::new(),
        });
    }
    Invocation {
        execution_successful: report.units.iter().all(|it| it.trouble.is_none()),
        tool_execution_notifications: notifications,
    }
}

/// Facts about the whole report that results depend on.
struct About<'r> {
    report: &'r Report,
    /// The files of the report. Other files in stack frames belong to a runtime, and the reader does not have them.
    files: BTreeSet<&'r str>,
    /// Whether some finding is in a baseline, so that the others are new relative to it.
    has_baseline: bool,
}

impl<'r> About<'r> {
    fn new(report: &'r Report) -> About<'r> {
        let of_units = report.units.iter().filter_map(|it| it.file.as_deref());
        let of_modules = report.modules.iter().filter_map(|it| it.file.as_deref());
        About {
            report,
            files: of_units.chain(of_modules).collect(),
            has_baseline: report.findings().any(|it| it.1.status == Status::Known),
        }
    }

    fn result(&self, unit: &'r Unit, finding: &'r Finding) -> shape::Finding<'r> {
        let location = Location {
            physical_location: place(self.report, unit, finding).map(physical),
            logical_locations: vec![logical(&unit.title, &unit.unit)],
            message: None,
        };
        let suppression =
            Suppression { kind: "external", justification: finding.ignored_because.as_deref() };
        shape::Finding {
            rule_id: rule_id(finding.kind),
            rule_index: Kind::ALL.iter().position(|it| *it == finding.kind),
            level: severity(finding),
            message: text(&message(finding)),
            locations: [location],
            code_flows: code_flow(finding).into_iter().collect(),
            stacks: self.stack(finding).into_iter().collect(),
            partial_fingerprints: BTreeMap::from([("gimlet/v1", finding.fingerprint.as_str())]),
            suppressions: match finding.status {
                Status::Ignored => vec![suppression],
                Status::New | Status::Known => Vec::new(),
            },
            baseline_state: match finding.status {
                Status::Known => Some("unchanged"),
                Status::New if self.has_baseline => Some("new"),
                Status::New | Status::Ignored => None,
            },
            properties: Properties {
                id: &finding.id,
                call: &finding.call,
                confirmed: finding.confirmed,
                count: finding.count,
            },
        }
    }

    /// Returns the frames of the stack, innermost first.
    fn stack(&self, finding: &Finding) -> Option<Stack> {
        let frames: Vec<Step> = finding.stack.iter().map(|it| self.frame(it)).collect();
        (!frames.is_empty()).then_some(Stack { frames })
    }

    /// Reads a frame: a name, usually with a place, as in `example:fcmp/1 src/example.erl:8`. Both may contain spaces.
    fn frame(&self, text: &str) -> Step {
        let with_place = text.rsplit_once(':').and_then(|(before, line)| {
            let line: u32 = line.parse().ok()?;
            let mut splits = before.match_indices(' ').map(|(at, _)| before.split_at(at));
            let (name, file) = splits.find(|(_, file)| self.files.contains(file.trim_start()))?;
            Some((name, Place::new(file.trim_start(), Some(line))))
        });
        let name = with_place.map_or(text, |it| it.0);
        let location = Location {
            physical_location: with_place.map(|it| physical(it.1)),
            logical_locations: vec![logical(name, name)],
            message: None,
        };
        Step { location }
    }
}

/// Returns the message of a result: the call, the outcome, and why it matters.
fn message(finding: &Finding) -> String {
    let mut lines = vec![finding.shown.clone()];
    lines.extend(finding.says.iter().cloned());
    lines.push(format!("{}: {}", finding.level.title(), finding.because));
    lines.join("\n")
}

/// Returns the choices on the path to a finding, with the finding itself as the last step.
fn code_flow(finding: &Finding) -> Option<CodeFlow> {
    if finding.reached.is_empty() {
        return None;
    }
    let step = |file: &Option<String>, line: Option<u32>, what: &str| Step {
        location: Location {
            physical_location: file.as_deref().map(|it| physical(Place::new(it, line))),
            message: Some(text(what)),
            ..Location::default()
        },
    };
    let mut locations: Vec<Step> =
        finding.reached.iter().map(|it| step(&it.file, it.line, &it.what)).collect();
    let end = finding.says.first().map_or(finding.kind.title(), String::as_str);
    locations.push(step(&finding.file, finding.line, end));
    Some(CodeFlow { thread_flows: [ThreadFlow { locations }] })
}

fn physical(place: Place<'_>) -> PhysicalLocation {
    PhysicalLocation {
        artifact_location: ArtifactLocation { uri: uri(place.file) },
        region: place.line.map(|start_line| Region { start_line }),
    }
}

/// Returns the location of a unit. Languages have different words for units; `function` is the word of the standard.
fn logical(name: &str, qualified: &str) -> LogicalLocation {
    LogicalLocation {
        name: name.to_owned(),
        fully_qualified_name: qualified.to_owned(),
        kind: "function",
    }
}

/// Returns a path as a relative reference, or as a `file` URI if it is absolute. All characters that are not plain in
/// every part of a URI are percent-encoded, including the colon, which could make a relative reference look like a
/// scheme.
fn uri(path: &str) -> String {
    let mut res = if path.starts_with('/') { "file://".to_owned() } else { String::new() };
    for byte in path.strip_prefix("./").unwrap_or(path).bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/@+=".contains(&byte) {
            res.push(char::from(byte));
        } else {
            res.push_str(&format!("%{byte:02X}"));
        }
    }
    res
}

/// Returns a message of plain text. The standard reads `[text](target)` as a link, which a space prevents; the call
/// stands unchanged in the properties.
fn text(text: &str) -> Message {
    Message { text: text.replace("](", "] (") }
}
