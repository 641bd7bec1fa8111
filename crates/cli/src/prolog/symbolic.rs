//! `gimlet symbolic file.pl -f p/2`: prints the execution tree of a predicate up to a bound. Each alternative has a
//! goal that takes it, or the reason why there is none.

use crate::args::{Symbolic, TreeFormat};
use crate::diagnostic::Diagnostic;
use crate::explain::Code;
use crate::flow::Interrupt;
use crate::prolog::expect::{Expectation, expect, whole};
use crate::prolog::explore::ANSWERS;
use crate::prolog::plan::{Way, best_way};
use crate::prolog::reached::names;
use crate::prolog::source::{Session, Source};
use crate::prolog::trace::{derivation, shown};
use crate::start::Done;
use crate::tree::{losses, summary};
use ::report::{TreeKind, TreeNode, tree_page};
use engine::{Branch, Doubt, End, Fork, Node, Unfolded, unfold};
use prolog::Limits;
use prolog::concolic::{Arg, ChoicePlace, Program, Teller, Unit};
use serde_json::{Value, json};
use solve::{Chain, Effort};
use std::fmt::Write;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;
use trace::{Input, Outcome};

/// The limits of one run: steps, and bytes of memory.
const STEPS: u64 = 100_000;
const MEMORY: usize = 256 << 20;

/// Runs the command. The result has the text for stdout, the diagnostics and the exit code.
pub(crate) fn symbolic(options: &Symbolic) -> Result<Done, Vec<Diagnostic>> {
    let [target] = options.targets.as_slice() else {
        let title = "the tree of a predicate needs the one file that it stands in";
        return Err(vec![Diagnostic::new(Code::NoTarget, title)]);
    };
    if options.args.is_some() || options.lossy.is_some() {
        let title = "--args and --lossy are for Erlang and Elixir";
        return Err(vec![Diagnostic::new(Code::BadArgs, title)]);
    }
    let goal = options.reach.as_deref().map(Goal::read).transpose().map_err(|it| vec![it])?;
    let mut session = Session::load(target).map_err(|it| vec![it])?;
    let diagnostics = std::mem::take(&mut session.diagnostics);
    let way = match best_way(&session, &options.function) {
        Ok(way) => way,
        Err(diagnostic) => return Err(diagnostics.into_iter().chain([diagnostic]).collect()),
    };
    let interrupt = Interrupt::new();
    interrupt.begin();
    let flag = Arc::clone(&interrupt.flag);
    session.machine.interrupt = Arc::clone(&flag);
    let begin = Instant::now();
    let Session { machine, files, source, .. } = &mut session;
    let limits = Limits { steps: STEPS, memory_bytes: MEMORY };
    let mut unit = Unit::new(machine, files, way.goal.clone(), limits, ANSWERS);
    let mut solver = Chain::new(Effort::default());
    let seed = way.seeds.first().cloned().unwrap_or(Input { args: Vec::new() });
    let mut watch = |tree: &Unfolded| {
        let is_found = goal.as_ref().is_some_and(|it| it.end(tree).is_some());
        is_found || flag.load(Ordering::Relaxed) || options.time <= begin.elapsed()
    };
    let tree = unfold(&mut unit, &mut solver, &way.domain, &seed, options.depth, &mut watch)
        .map_err(|it| vec![Diagnostic::new(Code::Unsupported, it.why)])?;
    let ends: Vec<DescribedEnd> = tree.ends.iter().map(|it| told(&mut unit, &way, it)).collect();
    let page = Page { way: &way, source, tree: &tree, ends, depth: options.depth };
    let root = page.root(&mut unit);
    let answer = goal.map(|it| it.answer(&page));
    drop(unit);
    let (ends, name) = (page.ends, way.goal.name.clone());
    let mut stdout = match options.format {
        TreeFormat::Text => {
            text(&root, &tree, answer.as_ref(), options.reach.is_none() || options.tree)
        }
        TreeFormat::Json => json_text(options, &root, &tree, &ends, answer.as_ref()),
        TreeFormat::Dot => dot(&root),
        TreeFormat::Html => tree_page(&format!("{name}/{}", way.goal.args.len()), &root),
    };
    if options.trace && options.format == TreeFormat::Text {
        for end in &ends {
            let Ok(query) = session.machine.query(&end.call) else { continue };
            let derivation = derivation(&mut session, &query, options.steps);
            write!(stdout, "\nthe path of {}\n{}", end.call, shown(&derivation)).ok();
        }
    }
    let is_reached = answer.is_some_and(|it| it.0 == "yes");
    let code = if is_reached { ExitCode::from(1) } else { ExitCode::SUCCESS };
    Ok(Done { stdout: stdout.into_bytes(), stderr: Vec::new(), diagnostics, code })
}

/// The end of a path in words.
struct DescribedEnd {
    call: String,
    /// `true`, `false`, `throws` or `timeout`.
    outcome: &'static str,
    says: String,
}

fn told(unit: &mut Unit<'_>, way: &Way, end: &End) -> DescribedEnd {
    let written = way.written(unit, &end.input);
    let call = whole(&written.setup, &written.call);
    let limits = Limits { steps: STEPS, memory_bytes: MEMORY };
    let ran = unit.solve(&end.input, limits, ANSWERS);
    let expectation = ran.and_then(|it| expect(unit, &it));
    let (outcome, says) = match &expectation {
        None => ("timeout", format!("no end within {STEPS} calls")),
        Some(it @ Expectation::Fails) => (it.outcome(), "false".to_owned()),
        Some(it @ Expectation::Throws { ball, is_error: true }) => {
            (it.outcome(), format!("throws error({ball}, _)"))
        }
        Some(it @ Expectation::Throws { ball, .. }) => (it.outcome(), format!("throws {ball}")),
        Some(it @ Expectation::Answers(answers)) => {
            let first = answers.values.first();
            let pairs = first.into_iter().flat_map(|it| way.results.iter().zip(it));
            let pairs: Vec<String> =
                pairs.map(|(name, value)| format!("{name} = {value}")).collect();
            let first = if pairs.is_empty() { "true".to_owned() } else { pairs.join(", ") };
            let more = if 1 < answers.values.len() || answers.is_open { " ; ..." } else { "" };
            (it.outcome(), first + more)
        }
    };
    DescribedEnd { call, outcome, says }
}

struct Page<'a> {
    way: &'a Way,
    source: &'a Source,
    tree: &'a Unfolded,
    ends: Vec<DescribedEnd>,
    depth: usize,
}

impl Page<'_> {
    fn root(&self, unit: &mut Unit<'_>) -> TreeNode {
        let names = names(self.way, &self.source.declarations);
        let mut given = names.iter();
        let mut results = self.way.results.iter();
        let args = self.way.goal.args.iter().map(|it| match it {
            Arg::Input | Arg::Made(_) => given.next().cloned().unwrap_or_default(),
            Arg::Result => results.next().cloned().unwrap_or_default(),
        });
        let args: Vec<String> = args.collect();
        let head = format!("{}({})", self.way.goal.name, args.join(", "));
        let label = format!("{head}, up to {} choices", self.depth);
        self.node(unit, &names, self.tree.root, label)
    }

    /// Builds the tree below an alternative whose condition is the label. Recurses at most as deep as the bound.
    fn node(
        &self,
        unit: &mut Unit<'_>,
        names: &[String],
        branch: Branch,
        label: String,
    ) -> TreeNode {
        let leaf = |note: &str, kind: TreeKind| TreeNode {
            label: label.clone(),
            note: note.to_owned(),
            kind,
            children: Vec::new(),
        };
        match branch {
            Branch::End(id) => self.end(id.0, &label),
            Branch::Infeasible => leaf("infeasible", TreeKind::Infeasible),
            Branch::Unknown(Doubt::TooHard) => {
                leaf("unknown: the solver can't tell", TreeKind::Unknown)
            }
            Branch::Unknown(Doubt::Diverged) => {
                leaf("unknown: the input made for it went another way", TreeKind::Unknown)
            }
            Branch::Open => leaf("not asked", TreeKind::Unknown),
            Branch::Elsewhere => leaf("elsewhere", TreeKind::Branch),
            Branch::Node(id) => {
                let Some(node) = self.tree.nodes.get(id.0) else {
                    return leaf("", TreeKind::Unknown);
                };
                let mut children = Vec::new();
                for (n, next) in node.branches.iter().enumerate() {
                    let condition = condition(unit, names, node, n);
                    children.push(self.node(unit, names, *next, condition));
                }
                let note = place(unit, &self.source.program, node);
                TreeNode { label, note, kind: TreeKind::Branch, children }
            }
        }
    }

    fn end(&self, n: usize, label: &str) -> TreeNode {
        let (Some(end), Some(told)) = (self.tree.ends.get(n), self.ends.get(n)) else {
            return TreeNode::default();
        };
        let beyond = match end.n_beyond {
            0 => String::new(),
            n => format!(" … {n} more choices"),
        };
        let note = format!("?- {}.  % {}{beyond}", told.call, told.says);
        let is_failure = matches!(told.outcome, "throws" | "timeout");
        let kind = if is_failure { TreeKind::Failure } else { TreeKind::Value };
        TreeNode { label: label.to_owned(), note, kind, children: Vec::new() }
    }
}

fn condition(unit: &mut Unit<'_>, names: &[String], node: &Node, alternative: usize) -> String {
    match &node.fork {
        Fork::Choice(choice) => {
            unit.telling(|exprs, show| Teller { exprs, names, show }.condition(choice, alternative))
        }
        Fork::Turn(steps) => steps.get(alternative).cloned().unwrap_or_default(),
    }
}

/// The place of a choice in the source.
fn place(unit: &Unit<'_>, program: &Program, node: &Node) -> String {
    let Fork::Choice(choice) = &node.fork else { return String::new() };
    match unit.place_of(choice.site) {
        Some(ChoicePlace::Clause(mark)) => {
            let clause = program.clauses.get(mark as usize);
            let info = clause
                .and_then(|it| program.predicates.iter().find(|own| own.id == it.pred))
                .zip(clause);
            info.map(|(info, clause)| {
                format!("clause {} of {}/{}", clause.number, info.name, info.arity)
            })
            .unwrap_or_default()
        }
        Some(ChoicePlace::Predicate(pred)) => {
            let info = program.predicates.iter().find(|it| it.id == pred);
            info.map(|it| format!("clauses of {}/{}", it.name, it.arity)).unwrap_or_default()
        }
        None => "in a library".to_owned(),
    }
}

/// The target of `--reach`.
enum Goal {
    Error,
    Failure,
    Answer,
}

impl Goal {
    fn read(text: &str) -> Result<Goal, Diagnostic> {
        match text {
            "error" => Ok(Goal::Error),
            "false" => Ok(Goal::Failure),
            "true" => Ok(Goal::Answer),
            _ => Err(Diagnostic::new(
                Code::BadArgs,
                format!("--reach {text} names nothing that a predicate can reach"),
            )
            .hint("error, false or true")),
        }
    }

    fn end<'t>(&self, tree: &'t Unfolded) -> Option<(usize, &'t End)> {
        let value = |it: &End, wanted: &str| match &it.outcome {
            Outcome::Value(value) => value.as_atom() == Some(wanted),
            Outcome::Crash { .. } | Outcome::Deadlock | Outcome::Stopped(_) => false,
        };
        let is_it = |it: &(usize, &'t End)| match self {
            Goal::Error => matches!(it.1.outcome, Outcome::Crash { .. }),
            Goal::Failure => value(it.1, "false"),
            Goal::Answer => value(it.1, "true"),
        };
        tree.ends.iter().enumerate().find(is_it)
    }

    /// Whether the target is reached (`yes`, `no` or `unknown`), and an explanation.
    fn answer(&self, page: &Page<'_>) -> (&'static str, String) {
        let what = match self {
            Goal::Error => "an error",
            Goal::Failure => "failure",
            Goal::Answer => "an answer",
        };
        if let Some((n, _)) = self.end(page.tree) {
            let call = page.ends.get(n).map_or("", |it| it.call.as_str());
            let text = format!("{what} is reached by ?- {call}. (on our machine)");
            return ("yes", text);
        }
        let sums = page.tree.summary();
        if 0 < sums.open {
            return ("unknown", format!("{} alternatives were left when time was up", sums.open));
        }
        if 0 < sums.unknown {
            return ("unknown", format!("of {} alternatives nobody knows", sums.unknown));
        }
        if let Some(what) = page.tree.losses.keys().next() {
            return ("unknown", format!("not followed: {what}"));
        }
        let within = match sums.cut {
            0 => format!("all {} paths were looked at", sums.feasible),
            n => format!("within {} choices; {n} paths go on beyond", page.depth),
        };
        ("no", format!("{what} is not reached ({within})"))
    }
}

fn text(
    root: &TreeNode,
    tree: &Unfolded,
    answer: Option<&(&'static str, String)>,
    shows_tree: bool,
) -> String {
    let mut out = String::new();
    if shows_tree {
        out = whole_tree(root);
    }
    if let Some(("yes", text)) = answer.filter(|_| !shows_tree) {
        return format!("yes: {text}\n");
    }
    let sums = tree.summary();
    writeln!(
        out,
        "paths: {} feasible, {} infeasible, {} unknown, {} not asked, {} cut off at the bound",
        sums.feasible, sums.infeasible, sums.unknown, sums.open, sums.cut
    )
    .ok();
    for (what, count) in &tree.losses {
        writeln!(out, "not followed: {what} ({count})").ok();
    }
    if let Some((kind, text)) = answer {
        writeln!(out, "{kind}: {text}").ok();
    }
    out
}

fn whole_tree(root: &TreeNode) -> String {
    let mut out = format!("{}{}\n", root.label, noted(&root.note));
    branches(&mut out, root, "");
    if root.children.is_empty() && !root.note.is_empty() {
        out = format!("{}\n└─ {}\n", root.label, root.note);
    }
    out.push('\n');
    out
}

fn noted(note: &str) -> String {
    if note.is_empty() { String::new() } else { format!("    % {note}") }
}

fn branches(out: &mut String, of: &TreeNode, indent: &str) {
    let n_all = of.children.len();
    for (n, child) in of.children.iter().enumerate() {
        let (corner, more) = if n + 1 == n_all { ("└─", "   ") } else { ("├─", "│  ") };
        let label = &child.label;
        if child.children.is_empty() {
            writeln!(out, "{indent}{corner} {label}: {}", child.note).ok();
        } else {
            writeln!(out, "{indent}{corner} {label}{}", noted(&child.note)).ok();
            branches(out, child, &format!("{indent}{more}"));
        }
    }
}

fn json_text(
    options: &Symbolic,
    root: &TreeNode,
    tree: &Unfolded,
    ends: &[DescribedEnd],
    answer: Option<&(&'static str, String)>,
) -> String {
    let ends: Vec<Value> = ends
        .iter()
        .zip(&tree.ends)
        .map(|(told, end)| {
            json!({
                "call": told.call,
                "outcome": told.outcome,
                "term": told.says,
                "beyond": end.n_beyond,
            })
        })
        .collect();
    let document = json!({
        "schema": 1,
        "tool": {"name": "gimlet", "version": env!("CARGO_PKG_VERSION")},
        "unit": options.function,
        "depth": options.depth,
        "tree": json_node(root),
        "ends": ends,
        "summary": summary(tree),
        "runs": tree.n_runs,
        "losses": losses(tree),
        "reach": answer.map(|it| json!({"answer": it.0, "why": it.1})),
    });
    format!("{document:#}\n")
}

fn json_node(of: &TreeNode) -> Value {
    let children: Vec<Value> = of.children.iter().map(json_node).collect();
    json!({"if": of.label, "note": of.note, "kind": kind(of.kind), "then": children})
}

fn kind(of: TreeKind) -> &'static str {
    match of {
        TreeKind::Branch => "branch",
        TreeKind::Value => "end",
        TreeKind::Failure => "failure",
        TreeKind::Infeasible => "infeasible",
        TreeKind::Unknown => "unknown",
    }
}

fn dot(root: &TreeNode) -> String {
    let mut out = "digraph paths {\n  node [shape=box, fontname=monospace];\n".to_owned();
    let mut n = 0;
    dot_node(&mut out, root, &mut n);
    out.push_str("}\n");
    out
}

/// Writes a node and the nodes below it; returns its number.
fn dot_node(out: &mut String, of: &TreeNode, n: &mut usize) -> usize {
    let own = *n;
    *n += 1;
    let label = if own == 0 { format!("{}\n{}", of.label, of.note) } else { of.note.clone() };
    let colour = if of.kind == TreeKind::Failure { "red" } else { "black" };
    writeln!(out, "  n{own} [label={label:?}, color={colour}];").ok();
    for child in of.children.iter().filter(|it| it.kind != TreeKind::Infeasible) {
        let next = dot_node(out, child, n);
        writeln!(out, "  n{own} -> n{next} [label={:?}];", child.label).ok();
    }
    own
}
