//! `gimlet symbolic`: prints all paths of a function within a bound, and whether they reach a target.

mod open;
mod page;
mod render;

use crate::args::{Deliver, Symbolic, TreeFormat};
use crate::diagnostic::Diagnostic;
use crate::erlang::confirm::{Verdict, compare, try_schedule};
use crate::erlang::contract::Contract;
use crate::erlang::coverage::Sources;
use crate::erlang::harness::Harnessed;
use crate::erlang::machine::allowed;
use crate::erlang::plan::{plan_one, travelling};
use crate::erlang::program::{machine, replayer};
use crate::erlang::project::{Module, Project};
use crate::erlang::rules::{Trace, argument_name, derive, watched};
use crate::erlang::schedules::told;
use crate::erlang::script::Script;
use crate::erlang::unit::UnitName;
use crate::explain::Code;
use crate::flow::Interrupt;
use crate::start::Done;
use beam::{Replayer, Turn};
use clap::ValueEnum;
use engine::{End, Failed, ScheduleSettings, Summary, Unfolded, unfold, unfold_schedules};
use erlang::machine::{SourceClause, Staged};
use open::Open;
use render::Page;
use solve::{Chain, Effort};
use std::collections::BTreeSet;
use std::fs;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use term::Term;
use trace::{Input, Outcome, Stage};

/// Runs the command. The result has the text for stdout, the diagnostics and the exit code.
pub(crate) fn symbolic(options: &Symbolic) -> Result<Done, Vec<Diagnostic>> {
    let (mut project, mut diagnostics) = Project::load(&options.targets, &options.build);
    if project.modules.is_empty() {
        return Err(diagnostics);
    }
    let planned = plan_one(&mut project, &options.function, options.no_spec, &mut diagnostics);
    let (name, contract) = match planned {
        // The tree has the paths of the program only, so the promise of the spec is dropped.
        Ok((name, contract)) => (name, Contract { signature: None, ..contract }),
        Err(diagnostic) => {
            diagnostics.push(diagnostic);
            return Err(diagnostics);
        }
    };
    let unsupported = |why: String| Diagnostic::new(Code::Unsupported, why);
    let interrupt = Interrupt::new();
    interrupt.begin();
    let interrupt = interrupt.flag;
    let mut machine = machine(&project, allowed(&options.allowed), &interrupt)
        .map_err(|it| vec![unsupported(it)])?;
    let sources = Sources::of(&machine, &project);
    let goal = match &options.reach {
        Some(text) => Some(Goal::read(text, &sources).map_err(|it| vec![it])?),
        None => None,
    };
    let open = match &options.args {
        Some(text) => Some(Open::read(text, &name).map_err(|it| vec![it])?),
        None => None,
    };
    let (target, within) = match &open {
        Some(open) => {
            let (code, target) = open.code(&name);
            machine.install(&code).map_err(|it| vec![unsupported(it.to_string())])?;
            (target, open.contract(&contract))
        }
        None => (name.clone(), contract.clone()),
    };
    let called = Called { unit: &name, open: open.as_ref() };
    let n_before = machine.n_named();
    let begin = Instant::now();
    let mut unit = Harnessed::new(&mut machine, None, &target, &within, &project.names())
        .map_err(|it| vec![unsupported(it)])?;
    let mut solver = Chain::new(Effort::default());
    let seed = within.seeds.first().cloned().unwrap_or(Input { args: vec![] });
    let mut watch = |tree: &Unfolded| {
        let is_found = goal.as_ref().is_some_and(|it| it.end(tree).is_some());
        is_found || interrupt.load(Ordering::Relaxed) || options.time <= begin.elapsed()
    };
    let mut assumed = Assumed {
        has_spec: contract.domain.args.is_some(),
        args: open.as_ref().map(Open::text),
        travelling: None,
    };
    let unfolded = unfold(&mut unit, &mut solver, &within.domain, &seed, options.depth, &mut watch);
    let mut tree = unfolded.map_err(|it| vec![unsupported(it.why)])?;
    let mut exprs = std::mem::take(trace::Executor::exprs(&mut unit));
    let mut beam = replayer(&project);
    let mut chart = Vec::new();
    let (answer, confirmed);
    // One new process is the unit's own. If there are more, the tree contains their interleavings.
    if n_before + 1 < machine.n_named() {
        let begin = Instant::now();
        let mut watch = |tree: &Unfolded| {
            let is_found = goal.as_ref().is_some_and(|it| it.end(tree).is_some());
            is_found || interrupt.load(Ordering::Relaxed) || options.time <= begin.elapsed()
        };
        let (module, function) = (target.module.clone(), target.function.clone());
        let mut stage = Staged::new(&mut machine, module, function).within(within.spec());
        stage.is_recorded = target.arity > 0;
        let travelling = travelling(options.delivery, options.lossy.unwrap_or(0));
        let settings = ScheduleSettings { choices: options.depth, ..travelling };
        assumed.travelling = Some((options.delivery, settings.losses));
        let domain = &within.domain;
        tree = unfold_schedules(&mut stage, &mut solver, domain, &seed, &settings, &mut watch)
            .map_err(|it| vec![unsupported(it.why)])?;
        exprs = std::mem::take(stage.exprs());
        answer = goal.map(|it| it.answer(&tree, options.depth, &assumed));
        let mut end = |end: &End| {
            let (turns, lines) = told(&mut stage, &end.input, &end.steps);
            chart = lines;
            confirm_schedule(beam.as_mut(), called, end, &turns)
        };
        confirmed = answer.as_ref().and_then(|it| it.end).map(&mut end);
    } else {
        answer = goal.map(|it| it.answer(&tree, options.depth, &assumed));
        let end = answer.as_ref().and_then(|it| it.end);
        confirmed = end.map(|end| confirm(beam.as_mut(), called, end));
    }
    let derivations = match options.trace {
        true => derivations(options, &project, called, &contract, &tree, &interrupt)
            .map_err(|it| vec![unsupported(it)])?,
        false => Vec::new(),
    };
    let mut page = Page {
        called,
        names: match &open {
            Some(open) => open.names.clone(),
            None => (0..name.arity).map(argument_name).collect(),
        },
        shows_tree: options.reach.is_none() || options.tree,
        depth: options.depth,
        tree: &tree,
        exprs: &mut exprs,
        machine: &machine,
        answer: answer.as_ref(),
        confirmed: confirmed.as_ref(),
        chart: &chart,
        derivations: &derivations,
    };
    let stdout = match options.format {
        TreeFormat::Text => page.text(),
        TreeFormat::Json => page.json(),
        TreeFormat::Dot => page.dot(),
        TreeFormat::Html => page.html(),
    };
    let is_reached = answer.is_some_and(|it| it.kind == AnswerKind::Yes);
    let code = if is_reached { ExitCode::from(1) } else { ExitCode::SUCCESS };
    Ok(Done { stdout: stdout.into_bytes(), stderr: vec![], diagnostics, code })
}

/// The derivation of each path that has an input [Vidal 2015, figure 7].
fn derivations(
    options: &Symbolic,
    project: &Project,
    called: Called<'_>,
    contract: &Contract,
    tree: &Unfolded,
    interrupt: &Arc<AtomicBool>,
) -> Result<Vec<(String, Trace)>, String> {
    let mut host = project.host().map_err(|it| it.to_string())?;
    let source = |it: &Module| {
        let found = it.source.clone().map_or_else(|| host.find(&it.name), Ok);
        found.map(|source| (it.name.clone(), source))
    };
    let sources: Result<Vec<_>, _> = project.modules.iter().map(source).collect();
    let watched = sources.and_then(|it| watched(&mut host, &it));
    let (codes, places) = watched.map_err(|it| it.to_string())?;
    let mut machine = machine(project, allowed(&options.allowed), interrupt)?;
    codes.iter().try_for_each(|it| machine.install(it)).map_err(|it| it.to_string())?;
    let (module, function) = (called.unit.module.clone(), called.unit.function.clone());
    let mut stage = Staged::new(&mut machine, module, function).within(contract.spec());
    stage.is_recorded = called.unit.arity > 0;
    let mut res: Vec<(String, Trace)> = Vec::new();
    for end in &tree.ends {
        let args = called.args(end);
        let call = called.unit.script(&args).shown();
        if res.iter().all(|it| it.0 != call) {
            res.push((call, derive(&mut stage, &Input { args }, &places, options.steps)?));
        }
    }
    Ok(res)
}

/// The unit, and how its arguments are composed of the inputs: `open` is `None` if they are the inputs themselves.
#[derive(Clone, Copy)]
struct Called<'a> {
    unit: &'a UnitName,
    open: Option<&'a Open>,
}

impl Called<'_> {
    fn args(&self, end: &End) -> Vec<Term> {
        self.open.map_or_else(|| end.input.args.clone(), |it| it.args(&end.input))
    }

    fn script(&self, end: &End) -> Script {
        self.unit.script(&self.args(end))
    }
}

/// The assumptions under which an answer holds, because the tree does not cover anything else.
struct Assumed {
    has_spec: bool,
    /// The arguments as the user wrote them, if `--args` was given.
    args: Option<String>,
    /// The delivery of messages and the maximum number of lost messages; `None` for a program with a single process.
    travelling: Option<(Deliver, usize)>,
}

impl Assumed {
    fn text(&self) -> String {
        let mut parts = Vec::new();
        parts.extend(self.args.as_ref().map(|it| format!("the arguments {it}")));
        if self.has_spec {
            parts.push("inputs that the spec allows".to_owned());
        }
        if let Some((delivery, losses)) = self.travelling {
            let how = delivery.to_possible_value();
            let how = how.as_ref().map(|it| it.get_name()).unwrap_or_default();
            parts.push(format!("--delivery {how}"));
            parts.push(match losses {
                0 => "that no message is lost".to_owned(),
                n => format!("that at most {n} messages are lost"),
            });
            parts.push("that timeouts of five seconds or more come last".to_owned());
        }
        if parts.is_empty() {
            String::new()
        } else {
            format!("; this assumes {}", parts.join(", "))
        }
    }
}

/// The target of `--reach`.
enum Goal {
    Clause(SourceClause),
    Error,
    Deadlock,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AnswerKind {
    Yes,
    No,
    Unknown,
}

struct Answer<'t> {
    kind: AnswerKind,
    what: String,
    why: String,
    end: Option<&'t End>,
}

impl Goal {
    fn read(text: &str, sources: &Sources) -> Result<Goal, Diagnostic> {
        match text {
            "error" => return Ok(Goal::Error),
            "deadlock" => return Ok(Goal::Deadlock),
            _ => (),
        }
        let (file, line) = text.rsplit_once(':').map_or((None, text), |it| (Some(it.0), it.1));
        let line: u32 = line.parse().map_err(|_| {
            Diagnostic::new(Code::BadArgs, format!("--reach {text} names nothing to reach"))
                .hint("a line, FILE:LINE, error or deadlock")
        })?;
        let is_there =
            |it: &&SourceClause| it.line <= line && file.is_none_or(|file| it.file.ends_with(file));
        let clauses = sources.modules.iter().flat_map(|it| &it.clauses);
        let is_file = |it: &&SourceClause| file.is_none_or(|file| it.file.ends_with(file));
        let files: BTreeSet<&str> =
            clauses.clone().filter(is_file).map(|it| it.file.as_str()).collect();
        let lengths = files.into_iter().map(|it| {
            let text = fs::read_to_string(it).ok()?;
            u32::try_from(text.lines().count()).ok()
        });
        // If one of the files can't be read, its number of lines is unknown, and the check is skipped.
        let longest: Option<u32> =
            lengths.collect::<Option<Vec<u32>>>().and_then(|it| it.into_iter().max());
        if let Some(n) = longest.filter(|it| *it < line) {
            let title = format!("--reach {text} names a line behind the end: there are {n} lines");
            return Err(Diagnostic::new(Code::BadArgs, title));
        }
        let found = clauses.filter(is_there).max_by_key(|it| (it.line, it.column));
        match found {
            Some(clause) => Ok(Goal::Clause(clause.clone())),
            None => Err(Diagnostic::new(Code::BadArgs, format!("no clause is at line {text}"))
                .hint("the line of a clause of a function, `case`, `if`, `receive` or `try`")),
        }
    }

    fn end<'t>(&self, tree: &'t Unfolded) -> Option<&'t End> {
        let is_it = |it: &&End| match self {
            Goal::Clause(clause) => it.covered.has(clause.id),
            Goal::Error => matches!(it.outcome, Outcome::Crash { .. }) || !it.failed.is_empty(),
            Goal::Deadlock => it.outcome == Outcome::Deadlock,
        };
        tree.ends.iter().find(is_it)
    }

    fn answer<'t>(&self, tree: &'t Unfolded, depth: usize, assumed: &Assumed) -> Answer<'t> {
        let what = match self {
            Goal::Clause(clause) => format!("the clause at {}:{}", clause.file, clause.line),
            Goal::Error => "an exception".to_owned(),
            Goal::Deadlock => "a deadlock".to_owned(),
        };
        if let Some(end) = self.end(tree) {
            return Answer { kind: AnswerKind::Yes, what, why: String::new(), end: Some(end) };
        }
        let Summary { feasible, unknown, open, cut, .. } = tree.summary();
        let (kind, why) = if open > 0 {
            (AnswerKind::Unknown, format!("{open} alternatives were left when time was up"))
        } else if unknown > 0 {
            (AnswerKind::Unknown, format!("of {unknown} alternatives nobody knows"))
        } else if let Some(what) = tree.losses.keys().next() {
            (AnswerKind::Unknown, format!("not followed: {what}"))
        } else if cut > 0 {
            let assumed = assumed.text();
            (AnswerKind::No, format!("within {depth} choices; {cut} paths go on beyond{assumed}"))
        } else {
            (AnswerKind::No, format!("all {feasible} paths were looked at{}", assumed.text()))
        };
        Answer { kind, what, why, end: None }
    }
}

/// The time limit of a call that ended on our machine.
const LIMIT: Duration = Duration::from_secs(10);

/// Replays the schedule of a path on BEAM and compares the outcome.
fn confirm_schedule(
    beam: Option<&mut Replayer>,
    called: Called<'_>,
    end: &End,
    turns: &[Turn],
) -> Verdict {
    let Some(beam) = beam else { return Verdict::Unconfirmed("there is no BEAM".to_owned()) };
    let (unit, args) = (called.unit, &called.args(end));
    match (&end.outcome, end.failed.first()) {
        (Outcome::Value(_) | Outcome::Deadlock, Some(Failed { process, outcome })) => {
            try_schedule(beam, unit, args, outcome, Some(process), turns)
        }
        (outcome, _) => try_schedule(beam, unit, args, outcome, None, turns),
    }
}

fn confirm(beam: Option<&mut Replayer>, called: Called<'_>, end: &End) -> Verdict {
    let Some(beam) = beam else { return Verdict::Unconfirmed("there is no BEAM".to_owned()) };
    match beam.call(&called.script(end).on_beam(), LIMIT) {
        Ok(replayed) => compare(&end.outcome, &replayed),
        Err(error) => Verdict::Unconfirmed(error.to_string()),
    }
}
