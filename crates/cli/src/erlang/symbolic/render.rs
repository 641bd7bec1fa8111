//! The execution tree of a function as text, JSON and DOT.

use super::{Answer, AnswerKind, Called};
use crate::erlang::confirm::Verdict;
use crate::erlang::rules::Trace;
use crate::erlang::unit::quoted;
use crate::tree::{losses, summary};
use ::report::Colours;
use engine::{Branch, Doubt, End, Fork, Node, NodeId, Unfolded};
use erlang::Machine;
use serde_json::{Value, json};
use std::fmt::Write;
use term::{Exprs, Style, Var, constraint_text, print};
use trace::Outcome;

/// The data of a page.
pub(super) struct Page<'a> {
    pub(super) called: Called<'a>,
    /// The names of the inputs, by their numbers.
    pub(super) names: Vec<String>,
    pub(super) shows_tree: bool,
    pub(super) depth: usize,
    pub(super) tree: &'a Unfolded,
    pub(super) exprs: &'a mut Exprs,
    pub(super) machine: &'a Machine,
    pub(super) answer: Option<&'a Answer<'a>>,
    pub(super) confirmed: Option<&'a Verdict>,
    /// The lines of a message sequence chart of the answer.
    pub(super) chart: &'a [String],
    /// The derivation of each path, with a call that takes the path.
    pub(super) derivations: &'a [(String, Trace)],
}

/// The maximum number of constraints of a condition that are printed.
const MAX_PARTS: usize = 4;

impl Page<'_> {
    pub(super) fn text(&mut self) -> String {
        let mut out = String::new();
        if self.shows_tree {
            self.whole_tree(&mut out);
        }
        let is_reached = self.answer.is_some_and(|it| it.kind == AnswerKind::Yes);
        if self.shows_tree || !is_reached {
            let sums = self.tree.summary();
            line(
                &mut out,
                format_args!(
                    "paths: {} feasible, {} infeasible, {} unknown, {} not asked, {} cut off at the bound",
                    sums.feasible, sums.infeasible, sums.unknown, sums.open, sums.cut
                ),
            );
            for (what, count) in &self.tree.losses {
                line(&mut out, format_args!("not followed: {what} ({count})"));
            }
        }
        if let Some(answer) = self.answer {
            line(&mut out, format_args!("{}", self.verdict(answer)));
            self.chart.iter().for_each(|it| line(&mut out, format_args!("  {it}")));
        }
        for (call, trace) in self.derivations {
            line(&mut out, format_args!("\nthe path of {call}"));
            out.push_str(&trace.text(Colours::Off));
        }
        out
    }

    fn whole_tree(&mut self, out: &mut String) {
        line(out, format_args!("{}", self.head()));
        match self.tree.root {
            Branch::Node(node) => self.node(out, node, ""),
            leaf @ (Branch::End(_)
            | Branch::Infeasible
            | Branch::Unknown(_)
            | Branch::Elsewhere
            | Branch::Open) => {
                let leaf = self.leaf(leaf);
                line(out, format_args!("└─ {leaf}"));
            }
        }
        out.push('\n');
    }

    /// Returns the title of the tree: the call of the function with its inputs, and the depth.
    pub(super) fn head(&self) -> String {
        let Called { unit, open } = self.called;
        let args = match open {
            Some(open) => open.text(),
            None => self.names.join(", "),
        };
        let (module, function) = (quoted(&unit.module), quoted(&unit.function));
        format!("{module}:{function}({args}), up to {} choices", self.depth)
    }

    pub(super) fn verdict(&self, answer: &Answer<'_>) -> String {
        let what = &answer.what;
        match (answer.kind, answer.end) {
            (AnswerKind::Yes, Some(end)) => {
                let confirmed = match self.confirmed {
                    Some(Verdict::Confirmed) => "confirmed on BEAM".to_owned(),
                    Some(Verdict::Unconfirmed(why) | Verdict::Contradicted(why)) => {
                        format!("not confirmed: {why}")
                    }
                    Some(Verdict::Dismissed) | None => "not confirmed".to_owned(),
                };
                let call = self.called.script(end).shown();
                format!("yes: {what} is reached by {call} ({confirmed})")
            }
            (AnswerKind::No, _) => format!("no: {what} is not reached ({})", answer.why),
            (AnswerKind::Yes | AnswerKind::Unknown, _) => {
                format!("unknown: whether {what} is reached ({})", answer.why)
            }
        }
    }

    fn node(&mut self, out: &mut String, id: NodeId, indent: &str) {
        // The recursion is at most as deep as the bound of the tree.
        let Some(node) = self.tree.nodes.get(id.0) else { return };
        let place = self.place(node);
        let shown: Vec<(usize, Branch)> = node.branches.iter().copied().enumerate().collect();
        let n_shown = shown.len();
        for (n, (alternative, branch)) in shown.into_iter().enumerate() {
            let is_last = n + 1 == n_shown;
            let (corner, more) = if is_last { ("└─", "   ") } else { ("├─", "│  ") };
            let condition = self.condition(node, alternative);
            let place = if n == 0 { format!("    % {place}") } else { String::new() };
            match branch {
                Branch::Node(next) => {
                    line(out, format_args!("{indent}{corner} {condition}{place}"));
                    self.node(out, next, &format!("{indent}{more}"));
                }
                leaf @ (Branch::End(_)
                | Branch::Infeasible
                | Branch::Unknown(_)
                | Branch::Elsewhere
                | Branch::Open) => {
                    let leaf = self.leaf(leaf);
                    line(out, format_args!("{indent}{corner} {condition}: {leaf}{place}"));
                }
            }
        }
    }

    pub(super) fn place(&self, node: &Node) -> String {
        let Fork::Choice(choice) = &node.fork else { return "which comes first".to_owned() };
        match self.machine.function_of(choice.site) {
            Some((module, name, arity)) => {
                format!("{}:{}/{arity}", quoted(&module), quoted(&name))
            }
            None => String::new(),
        }
    }

    /// The condition of an alternative on the input.
    pub(super) fn condition(&mut self, node: &Node, alternative: usize) -> String {
        let choice = match &node.fork {
            Fork::Choice(choice) => choice,
            Fork::Turn(steps) => return steps.get(alternative).cloned().unwrap_or_default(),
        };
        let constraints = choice.constraints(self.exprs, alternative);
        let known = self.names.clone();
        let names = |var: Var| known.get(var.0 as usize).cloned().unwrap_or_default();
        let mut parts: Vec<String> = constraints
            .iter()
            .take(MAX_PARTS)
            .map(|it| constraint_text(self.exprs, it, &names))
            .collect();
        if constraints.len() > MAX_PARTS {
            parts.push(format!("{} more", constraints.len() - MAX_PARTS));
        }
        parts.join(" and ")
    }

    pub(super) fn leaf(&self, branch: Branch) -> String {
        match branch {
            Branch::End(end) => self.tree.ends.get(end.0).map_or(String::new(), |it| self.end(it)),
            Branch::Infeasible => "infeasible".to_owned(),
            Branch::Unknown(Doubt::TooHard) => "unknown: the solver can't tell".to_owned(),
            Branch::Unknown(Doubt::Diverged) => {
                "unknown: the input made for it went another way".to_owned()
            }
            Branch::Elsewhere => "with the steps in another order".to_owned(),
            Branch::Open => "not asked".to_owned(),
            Branch::Node(_) => String::new(),
        }
    }

    fn end(&self, end: &End) -> String {
        let call = self.called.script(end).shown();
        let beyond = match end.n_beyond {
            0 => String::new(),
            n => format!(" … {n} more choices"),
        };
        let failed = end.failed.iter();
        let failed: String = failed
            .map(|it| format!(", {} fails with {}", it.process, outcome(&it.outcome)))
            .collect();
        format!("{call} → {}{failed}{beyond}", outcome(&end.outcome))
    }

    pub(super) fn json(&mut self) -> String {
        let nodes: Vec<Value> = (0..self.tree.nodes.len()).map(|it| self.json_node(it)).collect();
        let ends: Vec<Value> = self
            .tree
            .ends
            .iter()
            .map(|it| {
                let script = self.called.script(it);
                json!({
                    "args": script.args(),
                    "call": script.text(),
                    "outcome": outcome_kind(&it.outcome),
                    "term": outcome(&it.outcome),
                    "beyond": it.n_beyond,
                    "steps": it.steps,
                    "failed": it.failed.iter()
                        .map(|it| json!({"process": it.process, "term": outcome(&it.outcome)}))
                        .collect::<Vec<_>>(),
                })
            })
            .collect();
        let answer = self.answer.map(|it| {
            let kind = match it.kind {
                AnswerKind::Yes => "yes",
                AnswerKind::No => "no",
                AnswerKind::Unknown => "unknown",
            };
            json!({
                "answer": kind,
                "what": it.what,
                "why": it.why,
                "call": it.end.map(|end| self.called.script(end).text()),
                "steps": it.end.map(|end| &end.steps),
                "confirmed": self.confirmed == Some(&Verdict::Confirmed),
            })
        });
        let document = json!({
            "schema": 1,
            "tool": {"name": "gimlet", "version": env!("CARGO_PKG_VERSION")},
            "unit": self.called.unit.to_string(),
            "depth": self.depth,
            "root": self.json_branch(self.tree.root),
            "nodes": nodes,
            "ends": ends,
            "summary": summary(self.tree),
            "runs": self.tree.n_runs,
            "losses": losses(self.tree),
            "reach": answer,
            "derivations": self.derivations.iter()
                .map(|it| json!({"call": it.0, "trace": it.1.json()}))
                .collect::<Vec<_>>(),
        });
        format!("{document:#}\n")
    }

    fn json_node(&mut self, n: usize) -> Value {
        let Some(node) = self.tree.nodes.get(n) else { return Value::Null };
        let branches: Vec<Value> = (0..node.branches.len())
            .map(|it| {
                let condition = self.condition(node, it);
                let branch = node.branches.get(it).copied().unwrap_or(Branch::Open);
                json!({"if": condition, "then": self.json_branch(branch)})
            })
            .collect();
        json!({"id": n, "function": self.place(node), "branches": branches})
    }

    fn json_branch(&self, branch: Branch) -> Value {
        match branch {
            Branch::Node(id) => json!({"node": id.0}),
            Branch::End(id) => json!({"end": id.0}),
            Branch::Infeasible => json!("infeasible"),
            Branch::Unknown(_) => json!("unknown"),
            Branch::Elsewhere => json!("elsewhere"),
            Branch::Open => json!("open"),
        }
    }

    pub(super) fn dot(&mut self) -> String {
        let mut out = "digraph paths {\n  node [shape=box, fontname=monospace];\n".to_owned();
        for n in 0..self.tree.nodes.len() {
            let Some(node) = self.tree.nodes.get(n) else { continue };
            line(&mut out, format_args!("  n{n} [label={:?}];", self.place(node)));
            for (alternative, branch) in node.branches.iter().enumerate() {
                let condition = self.condition(node, alternative);
                let to = match branch {
                    Branch::Node(next) => format!("n{}", next.0),
                    Branch::End(end) => format!("e{}", end.0),
                    Branch::Infeasible | Branch::Elsewhere => continue,
                    Branch::Unknown(_) | Branch::Open => {
                        let id = format!("u{n}_{alternative}");
                        line(&mut out, format_args!("  {id} [label=\"?\", shape=circle];"));
                        id
                    }
                };
                line(&mut out, format_args!("  n{n} -> {to} [label={condition:?}];"));
            }
        }
        for (n, end) in self.tree.ends.iter().enumerate() {
            let colour = if matches!(end.outcome, Outcome::Value(_)) { "black" } else { "red" };
            line(&mut out, format_args!("  e{n} [label={:?}, color={colour}];", self.end(end)));
        }
        out.push_str("}\n");
        out
    }
}

fn outcome(of: &Outcome) -> String {
    match of {
        Outcome::Value(value) => print(value, Style::READABLE),
        Outcome::Crash { class, reason, .. } => {
            format!("exception {}: {}", class.as_str(), print(reason, Style::READABLE))
        }
        Outcome::Deadlock => "deadlock".to_owned(),
        Outcome::Stopped(why) => format!("stopped: {why}"),
    }
}

fn outcome_kind(of: &Outcome) -> &'static str {
    match of {
        Outcome::Value(_) => "value",
        Outcome::Crash { .. } => "exception",
        Outcome::Deadlock => "deadlock",
        Outcome::Stopped(_) => "stopped",
    }
}

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    writeln!(out, "{text}").ok();
}
