//! The part of SARIF 2.1.0 that reports use, as types: <https://docs.oasis-open.org/sarif/sarif/v2.1.0/>.
//!
//! Fields have the names of the standard; absent values are not written.

use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Debug, Serialize)]
pub(super) struct Log<'r> {
    #[serde(rename = "$schema")]
    pub(super) schema: &'static str,
    pub(super) version: &'static str,
    pub(super) runs: [Run<'r>; 1],
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Run<'r> {
    pub(super) tool: Tool<'r>,
    pub(super) invocations: [Invocation; 1],
    pub(super) results: Vec<Finding<'r>>,
    pub(super) column_kind: &'static str,
}

#[derive(Debug, Serialize)]
pub(super) struct Tool<'r> {
    pub(super) driver: Driver<'r>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Driver<'r> {
    pub(super) name: &'r str,
    pub(super) version: &'r str,
    pub(super) semantic_version: &'r str,
    pub(super) rules: Vec<Rule>,
}

/// A `reportingDescriptor` of the standard.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Rule {
    pub(super) id: String,
    pub(super) name: &'static str,
    pub(super) short_description: Message,
    pub(super) full_description: Message,
    pub(super) help: Message,
    pub(super) default_configuration: Configuration,
}

#[derive(Debug, Serialize)]
pub(super) struct Configuration {
    pub(super) level: Severity,
}

/// A `level` of the standard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Severity {
    Error,
    Warning,
    Note,
}

#[derive(Debug, Serialize)]
pub(super) struct Message {
    pub(super) text: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Invocation {
    pub(super) execution_successful: bool,
    pub(super) tool_execution_notifications: Vec<Notification>,
}

#[derive(Debug, Serialize)]
pub(super) struct Notification {
    pub(super) level: Severity,
    pub(super) message: Message,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) locations: Vec<Location>,
}

/// A `result` of the standard.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Finding<'r> {
    pub(super) rule_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) rule_index: Option<usize>,
    pub(super) level: Severity,
    pub(super) message: Message,
    pub(super) locations: [Location; 1],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) code_flows: Vec<CodeFlow>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) stacks: Vec<Stack>,
    pub(super) partial_fingerprints: BTreeMap<&'static str, &'r str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) suppressions: Vec<Suppression<'r>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) baseline_state: Option<&'static str>,
    pub(super) properties: Properties<'r>,
}

#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Location {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) physical_location: Option<PhysicalLocation>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) logical_locations: Vec<LogicalLocation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) message: Option<Message>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PhysicalLocation {
    pub(super) artifact_location: ArtifactLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) region: Option<Region>,
}

#[derive(Debug, Serialize)]
pub(super) struct ArtifactLocation {
    pub(super) uri: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Region {
    pub(super) start_line: u32,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LogicalLocation {
    pub(super) name: String,
    pub(super) fully_qualified_name: String,
    pub(super) kind: &'static str,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CodeFlow {
    pub(super) thread_flows: [ThreadFlow; 1],
}

#[derive(Debug, Serialize)]
pub(super) struct ThreadFlow {
    pub(super) locations: Vec<Step>,
}

/// A `threadFlowLocation` or a `stackFrame` of the standard.
#[derive(Debug, Serialize)]
pub(super) struct Step {
    pub(super) location: Location,
}

#[derive(Debug, Serialize)]
pub(super) struct Stack {
    pub(super) frames: Vec<Step>,
}

#[derive(Debug, Serialize)]
pub(super) struct Suppression<'r> {
    pub(super) kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) justification: Option<&'r str>,
}

/// Properties beyond the standard.
#[derive(Debug, Serialize)]
pub(super) struct Properties<'r> {
    pub(super) id: &'r str,
    pub(super) call: &'r str,
    pub(super) confirmed: bool,
    pub(super) count: usize,
}
