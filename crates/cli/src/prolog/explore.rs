//! Explores one predicate in each of its modes, until all wanted clauses are covered.

use crate::args::{Criterion, Test};
use crate::flow::clock::{Clock, not_exhausted_if_interrupted};
use crate::flow::{Counts, Slice, Tally, is_nearly_full, of_run};
use crate::prolog::expect::{Expectation, Written, expect, whole};
use crate::prolog::finding::{Finding, Place, findings};
use crate::prolog::plan::{Outcome, Planned, Task, Way};
use crate::prolog::reached::{Known, explained};
use crate::prolog::source::{Session, Source};
use crate::prolog::vary::vary;
use crate::prolog::words::{dictionary, sentences};
use ::report::{Chosen, Kind};
use engine::{Alone, Policy, Settings, Stop, Yield};
use prolog::code::PredId;
use prolog::concolic::{Finished, Inference, Program, Ran, Unit};
use prolog::{Library, Limits, Machine};
use serde::{Deserialize, Serialize};
use solve::{Chain, Effort, Statistics};
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use term::{Dice, Term};
use trace::{Covered, Input};

/// The results for a predicate.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Explored {
    pub(crate) name: String,
    pub(crate) pred: PredId,
    pub(crate) tests: Vec<Case>,
    pub(crate) findings: Vec<Finding>,
    pub(crate) reachable: Vec<u32>,
    pub(crate) completed: BTreeSet<u32>,
    pub(crate) entered: BTreeSet<u32>,
    /// The sets of clauses that calls could match, with `--coverage choice`.
    pub(crate) matched: BTreeSet<(PredId, Vec<u32>)>,
    pub(crate) n_runs: usize,
    pub(crate) n_paths: usize,
    pub(crate) n_diverged: usize,
    pub(crate) stop: Stop,
    pub(crate) is_saturated: bool,
    /// Whether all paths of all modes were explored, also with inputs that the types exclude.
    pub(crate) is_all_tried: bool,
    pub(crate) sources: BTreeMap<String, Yield>,
    pub(crate) losses: BTreeMap<String, usize>,
    /// Tests and findings in which SWI-Prolog differs, in words.
    pub(crate) disagreements: Vec<String>,
    pub(crate) solver: Statistics,
    pub(crate) elapsed: Duration,
    pub(crate) trouble: Option<String>,
}

impl Explored {
    pub(crate) fn tally(&self) -> Tally<'_> {
        let Explored { stop, is_saturated, n_runs, n_paths, n_diverged, elapsed, .. } = *self;
        let Explored { solver, sources, losses, .. } = self;
        let counts = Counts { n_runs, n_paths, n_diverged, sources };
        let trouble = self.trouble.as_ref();
        Tally { stop, is_saturated, counts, elapsed, solver, losses, trouble }
    }
}

/// A goal with its expected outcome.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Case {
    /// Goals that are called before it to add facts.
    pub(crate) setup: Vec<String>,
    /// The texts of all arguments; results are variables.
    pub(crate) args: Vec<String>,
    pub(crate) call: String,
    pub(crate) results: Vec<String>,
    pub(crate) expectation: Expectation,
    /// Clauses and branches, in words, that no test before this one covers.
    pub(crate) completes: Vec<String>,
    /// Whether the outcome depends on the environment, such as the clock.
    pub(crate) asks_outside: bool,
    pub(crate) verdict: Verdict,
    /// The choices of its path, with `--explain`.
    pub(crate) path: Vec<Chosen>,
}

/// The result of replaying a case on SWI-Prolog.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Verdict {
    /// The outcome is as expected. `leaves_choice`: SWI-Prolog leaves a choice point.
    Same {
        leaves_choice: bool,
    },
    Differs(String),
    Unknown(String),
}

impl Verdict {
    pub(crate) fn not_asked() -> Verdict {
        Verdict::Unknown("swipl was not asked".to_owned())
    }
}

/// The maximum number of steps of a run while exploring.
const STEPS: u64 = 50_000;
/// The maximum number of steps of a run in a mode where runs exceeded [`STEPS`] and clauses are still missing.
const MORE_STEPS: u64 = 5_000_000;
/// The steps of all tests of a predicate together, for finding further answers.
const TEST_STEPS: u64 = 2 * MORE_STEPS;
/// The default number of answers of a goal that a run asks for.
pub(crate) const ANSWERS: usize = 6;
const MEMORY: usize = 256 << 20;
/// How much effort (in the unit of [`engine::Report::spent`]) without news ends the search in a mode in the first,
/// short round.
const SHORT_PATIENCE: u64 = 400;
/// How much effort without news ends the search in the best mode in the second round.
const PATIENCE: u64 = 2_500;
/// How much effort without news ends the search in any other mode in the second round.
const LESS_PATIENCE: u64 = 1_000;
/// How many generations of flips after a new choice are still preferred: parsers need a few more choices after a new
/// one before they complete a clause.
const GENERATIONS: u64 = 8;
/// How much effort without news ends a search with runs of [`MORE_STEPS`], which are slow.
const LITTLE_PATIENCE: u64 = 40;
/// How much effort is spent on finding failures after all wanted clauses are completed.
const MORE: u64 = 250;
/// The factor for [`MORE`] if branches inside clause bodies are still not taken.
const FOR_BRANCHES: u64 = 3;
/// The time limit of finding failures after all wanted clauses are completed, since single queries may be slow.
const LINGER: Duration = Duration::from_secs(5);
/// The maximum number of inputs that are combined into pairs.
const MAX_ALONE: usize = 12;
/// The maximum number of refusals of a predicate that are reported.
const REFUSALS: usize = 3;

/// How much is spent on the modes of a predicate.
#[derive(Clone, Debug)]
pub(crate) enum Round {
    /// The first round: a little on each meant mode, since another mode may complete at once what this one searches
    /// long for.
    Short,
    /// The second round: more, on clauses that are missing. `elsewhere` are clauses that goals of other predicates
    /// completed.
    Long { elsewhere: BTreeSet<u32> },
}

/// How inputs of a mode are made and run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    Usual,
    /// Texts made of the words in the program's source.
    Words,
    /// More steps per run.
    Deep,
}

/// The state of the search for a predicate.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Search {
    pub(crate) res: Explored,
    /// Runs that may become tests, with the index of their mode.
    pub(super) kept: Vec<(usize, Ran)>,
    /// The indices of modes whose paths were all explored.
    pub(super) exhausted: BTreeSet<usize>,
    /// The indices of modes with runs that exceeded their number of steps.
    pub(super) stopped: BTreeSet<usize>,
    /// Inputs of runs with further answers that were not asked for, with the index of their mode. `n_strange` counts
    /// the runs that ended with an answer that has no term: a cyclic term or a rational number.
    open: Vec<(usize, Input)>,
    n_strange: usize,
    /// The number of rounds so far.
    pub(super) n_rounds: usize,
    /// The first goal that completed each clause.
    pub(super) covering: BTreeMap<u32, String>,
    /// For each clause, how many goals of its body were reached at most.
    pub(super) furthest: Vec<u32>,
}

impl Search {
    pub(crate) fn new(task: &Task) -> Search {
        Search {
            res: Explored::new(task),
            kept: Vec::new(),
            exhausted: BTreeSet::new(),
            stopped: BTreeSet::new(),
            open: Vec::new(),
            n_strange: 0,
            n_rounds: 0,
            covering: BTreeMap::new(),
            furthest: Vec::new(),
        }
    }

    /// A copy of the search as interim results.
    pub(super) fn so_far(&self, more: Duration) -> Search {
        let mut res = self.clone();
        res.res.stop = Stop::Interrupted;
        res.res.elapsed += more;
        res
    }

    /// Notes whether every way to call the predicate was explored to its end. A predicate that reads facts which other
    /// predicates add is never explored to its end, since modes add only a few facts.
    pub(super) fn note_tried(&mut self, task: &Task) {
        let reads_facts = task.ways.iter().any(|it| !it.goal.before.is_empty());
        if reads_facts && self.res.stop == Stop::Exhausted {
            self.res.stop = Stop::Depth;
        }
        self.res.is_all_tried = (0..task.ways.len()).all(|it| self.exhausted.contains(&it));
    }

    /// Adds the runs that cover something new.
    pub(super) fn keep(&mut self, log: &[Ran], n: usize, way: &Way, turn: Turn, options: &Test) {
        self.res.add_runs(log);
        let open = log.iter().filter(|it| it.finished == Finished::More);
        self.open.extend(open.map(|it| (n, it.input.clone())));
        self.n_strange += log.iter().filter(|it| it.finished == Finished::Strange).count();
        if log.iter().any(|it| matches!(it.finished, Finished::Stopped(_))) {
            self.stopped.insert(n);
        } else if turn == Turn::Deep {
            self.stopped.remove(&n);
        }
        let counts_ends = way.is_trusted || way.is_declared;
        let chosen = choose(log, options.coverage, counts_ends, &self.kept);
        self.kept.extend(chosen.into_iter().map(|it| (n, it)));
    }
}

/// Whether the user limits time or runs of a predicate.
pub(crate) fn is_bounded(options: &Test) -> bool {
    options.time.is_some() || options.runs.is_some()
}

/// Whether there is a first, short round: not within limits of the user, and not if choices or paths are to be
/// covered.
pub(crate) fn has_short_round(options: &Test) -> bool {
    options.coverage == Criterion::Clause && !is_bounded(options)
}

/// Explores a predicate for one round and adds the results to the search.
pub(crate) fn explore(
    session: &mut Session,
    planned: &Planned,
    slice: &Slice<'_, Search>,
    round: &Round,
    search: &mut Search,
) {
    let begin = Instant::now();
    let Slice { interrupt, progress, time, .. } = *slice;
    let Planned { task, options, wanted, branches } = planned;
    let path = session.source.path.display().to_string();
    let wanted: Vec<u32> = match round {
        Round::Short => wanted.clone(),
        Round::Long { elsewhere } => {
            wanted.iter().copied().filter(|it| !elsewhere.contains(it)).collect()
        }
    };
    let mut seen = progress.unit(&task.name);
    let is_long = matches!(round, Round::Long { .. });
    let turns = turns(task).into_iter();
    let turns = turns.filter(|it| is_long || it.2 == Turn::Usual && it.1.is_meant);
    for (n, way, turn) in turns {
        slice.so_far.note(search.res.n_runs, || search.so_far(begin.elapsed()));
        let Search { res, kept, exhausted, stopped, .. } = &mut *search;
        let is_again = turn != Turn::Usual || is_long && has_short_round(options);
        let is_seen = match turn {
            Turn::Usual => exhausted.contains(&n),
            Turn::Words => !has_words(&session.source),
            Turn::Deep => !stopped.contains(&n),
        };
        let is_due = !is_again && is_due(n, way);
        let is_needed =
            is_due || !res.has_all(&wanted, options) || needs_branches(res, branches, turn);
        if is_seen || !is_needed {
            continue;
        }
        let is_interrupted = interrupt.load(Ordering::Relaxed);
        if is_interrupted || time <= begin.elapsed() {
            res.stop = if is_interrupted { Stop::Interrupted } else { Stop::Time };
            continue;
        }
        let settings = Settings {
            patience: Some(patience(round, turn, way)),
            changes: (is_long && has_short_round(options) && turn != Turn::Deep)
                .then(|| way.domain.clone()),
            ..settings(options, &wanted)
        };
        let Session { machine, files, source, .. } = &mut *session;
        let Source { inference, program, declarations, .. } = &*source;
        let mut unit = unit(machine, files, way, turn, options);
        let seeds = match turn {
            Turn::Usual | Turn::Deep => way.seeds.clone(),
            Turn::Words => in_words(&mut unit, n, way, inference, options, (res, kept)),
        };
        if turn == Turn::Words && seeds.is_empty() {
            continue;
        }
        unit.seek(res.missing(&wanted, options));
        let mut covered: BTreeSet<u32> = res.completed.clone();
        let mut covered_at = None;
        let mut watch = |report: &engine::Report| {
            seen.update(report);
            if interrupt.load(Ordering::Relaxed) {
                return Some(Stop::Interrupted);
            }
            if is_too_much(report.n_runs) {
                return Some(Stop::Memory);
            }
            let completed = report.covered.iter().filter(|it| it.0 % 2 == 1);
            covered.extend(completed.map(|it| it.0 / 2));
            if options.coverage == Criterion::Clause && wanted.iter().all(|it| covered.contains(it))
            {
                let (since, begun) = *covered_at.get_or_insert((report.spent, Instant::now()));
                let has_branches = task.reachable.iter().all(|it| covered.contains(it));
                let more = if has_branches { MORE } else { MORE * FOR_BRANCHES };
                if since + more < report.spent {
                    return Some(Stop::Runs);
                }
                if LINGER < begun.elapsed() {
                    return Some(Stop::Time);
                }
            }
            (time <= begin.elapsed()).then_some(Stop::Time)
        };
        let left = time.saturating_sub(begin.elapsed());
        let (report, statistics) = Clock::during(left, interrupt, |halt| {
            let mut solver = Chain::new(Effort::default()).halted_by(halt);
            let mut oracle = Alone { solver: &mut solver, domain: &way.domain };
            let report = engine::explore(&mut unit, &mut oracle, &seeds, &settings, &mut watch);
            (report, solver.statistics)
        });
        res.solver.add(&statistics);
        let report = not_exhausted_if_interrupted(report, interrupt);
        let log = std::mem::take(&mut unit.log);
        res.add_counts(&report);
        res.note_stop(&report, way);
        let at = Place { program, path: &path, pred: task.pred, declarations };
        res.add_findings(findings(&mut unit, way, &log, way.is_trusted, &at));
        if report.stop == Stop::Exhausted && !report.is_saturated {
            exhausted.insert(n);
        }
        search.keep(&log, n, way, turn, options);
    }
    search.note_tried(task);
    search.res.elapsed += begin.elapsed();
}

/// Whether the runs that a search keeps use up the worker's memory. `false` for a search with few runs, which keeps
/// little: memory of an earlier search may not have been freed yet.
pub(super) fn is_too_much(n_runs: usize) -> bool {
    const HAS_BEGUN: usize = 20;
    HAS_BEGUN < n_runs && is_nearly_full()
}

/// Returns the modes in the order in which they are tried, each with its index and with the way of making its inputs.
pub(super) fn turns(task: &Task) -> Vec<(usize, &Way, Turn)> {
    let all = |turn: Turn| task.ways.iter().enumerate().map(move |it| (it.0, it.1, turn));
    let meant = |turn: Turn| all(turn).filter(|it| it.1.is_meant);
    // Texts of words cost little, and the searches after them need not look for what they found.
    let words = || meant(Turn::Words).take(1);
    let words_after = meant(Turn::Words).filter(|it| is_after_itself(it.1)).take(1);
    let turns = words().chain(words_after).chain(all(Turn::Usual)).chain(words());
    turns.chain(meant(Turn::Deep)).collect()
}

/// Whether inputs of other types are tried because some outcome of a control construct has occurred in no run. Only
/// outcomes in entered clauses count: the others are searched for together with their clauses.
pub(super) fn needs_branches(so_far: &Explored, branches: &[Outcome], turn: Turn) -> bool {
    let is_missing =
        |it: &Outcome| so_far.entered.contains(&it.of) && !so_far.completed.contains(&it.mark);
    turn == Turn::Usual && branches.iter().any(is_missing)
}

/// Whether a mode is explored even if no clause is missing: the first mode, and other declared modes whose inputs are
/// not trusted. The remaining modes are only for clauses that these modes did not reach.
pub(super) fn is_due(n: usize, way: &Way) -> bool {
    let is_same = 0 < n && way.is_trusted;
    n == 0 || way.is_declared && !is_same
}

pub(super) fn has_words(source: &Source) -> bool {
    !source.inference.texts.is_empty() || !source.inference.signs.is_empty()
}

pub(super) fn unit<'m>(
    machine: &'m mut Machine,
    files: &'m mut dyn Library,
    way: &Way,
    turn: Turn,
    options: &Test,
) -> Unit<'m> {
    let steps = if turn == Turn::Deep { MORE_STEPS } else { STEPS };
    let limits = Limits { steps, memory_bytes: of_run(options, MEMORY) };
    let mut unit = Unit::new(machine, files, way.goal.clone(), limits, answers(options));
    if options.coverage == Criterion::Choice {
        unit.note_matched();
    }
    if way.is_open {
        unit.allow_variables();
    }
    unit
}

/// Makes inputs of the words in the program's source. `so_far` are the results and the kept runs.
pub(super) fn in_words(
    unit: &mut Unit<'_>,
    n: usize,
    way: &Way,
    inference: &Inference,
    options: &Test,
    so_far: (&Explored, &[(usize, Ran)]),
) -> Vec<Input> {
    let (res, kept) = so_far;
    let mut seeds = way.seeds.clone();
    let own = kept.iter().filter(|it| it.0 == n).map(|it| &it.1.input);
    seeds.extend(own.cloned());
    if is_after_itself(way) {
        seeds.extend(pairs(kept));
    }
    let dice = Dice(options.seed + kept.len() as u64);
    sentences(unit, way, seeds, &dictionary(inference), &res.completed, dice)
}

/// Whether the mode calls the predicate after another call of the same predicate.
fn is_after_itself(way: &Way) -> bool {
    matches!(way.goal.before.as_slice(), [one] if one.name == way.goal.name && one.args == way.goal.args)
}

/// Combines inputs that covered something in a single call into pairs for two calls.
fn pairs(kept: &[(usize, Ran)]) -> Vec<Input> {
    let alone = || kept.iter().filter(|it| it.0 == 0).map(|it| &it.1.input.args).take(MAX_ALONE);
    let pair = |one: &[Term], other: &[Term]| Input { args: [one, other].concat() };
    alone().flat_map(|one| alone().map(|other| pair(one, other))).collect()
}

/// How much effort without news ends the search in a mode.
fn patience(round: &Round, turn: Turn, way: &Way) -> u64 {
    match round {
        Round::Long { .. } if turn == Turn::Deep => LITTLE_PATIENCE,
        Round::Short => SHORT_PATIENCE,
        Round::Long { .. } if way.is_trusted => PATIENCE,
        Round::Long { .. } => LESS_PATIENCE,
    }
}

/// The engine's settings for a mode.
pub(super) fn settings(options: &Test, wanted: &[u32]) -> Settings {
    Settings {
        depth: options.depth.unwrap_or(engine::DEPTH),
        strategy: options.strategy,
        seed: options.seed,
        // With `--depth`, no flips beyond the depth are made for wanted clauses.
        wanted: if options.depth.is_none() { completed(wanted) } else { Covered::default() },
        policy: match options.strategy == engine::Strategy::default() {
            true => Policy::RunEnds { generations: GENERATIONS },
            false => Policy::AskAgain,
        },
        ..Settings::default()
    }
}

/// The number of answers of a goal that a run asks for.
fn answers(options: &Test) -> usize {
    options.answers.unwrap_or(ANSWERS).max(1)
}

/// Makes the tests from the kept runs.
pub(crate) fn finish(session: &mut Session, planned: &Planned, search: &mut Search) {
    let Planned { task, options, .. } = planned;
    let begin = Instant::now();
    // With `--answers`, further answers are not searched for.
    let n_open = match options.answers {
        None => look_at_all_answers(session, (task, options), search),
        Some(_) => search.open.len(),
    };
    let Search { res, kept, stopped, covering, n_strange, .. } = search;
    if !stopped.is_empty() {
        res.losses.insert("what comes after the budget of a run".to_owned(), stopped.len());
    }
    if n_open != 0 {
        let what = format!("what comes after {} answers", answers(options));
        res.losses.insert(what, n_open);
    }
    if *n_strange != 0 {
        let what = "what comes after an answer that is cyclic or a rational number".to_owned();
        res.losses.insert(what, *n_strange);
    }
    res.tests.clear();
    let mut steps = TEST_STEPS;
    let mut told: BTreeSet<u32> = BTreeSet::new();
    let kept = prune(kept.clone(), options.coverage, options.goal.is_some());
    for (n, ran) in kept {
        let Some(way) = task.ways.get(n) else { continue };
        let goal = way.goal.clone();
        let limits = Limits { steps: STEPS * 10, memory_bytes: of_run(options, MEMORY) };
        let n_answers = answers(options);
        let mut unit = Unit::new(&mut session.machine, &mut session.files, goal, limits, n_answers);
        // A run with many steps is not repeated for varied inputs.
        let is_quick = ran.steps <= STEPS;
        let ran = if is_quick { vary(&mut unit, way, ran, options.goal.is_some()) } else { ran };
        let memory_bytes = of_run(options, MEMORY);
        let limits = Limits { steps: MORE_STEPS.min(steps), memory_bytes };
        let (case, n_steps) = case(&mut unit, way, &ran, limits, n_answers);
        steps = steps.saturating_sub(n_steps).max(STEPS);
        if let Some(mut case) = case {
            let program = &session.source.program;
            if options.explain {
                let Source { program, declarations, path, .. } = &session.source;
                let path = path.display().to_string();
                let known = Known { program, path: &path, declarations };
                case.path = explained(&mut unit, way, &ran.input, &known);
            }
            let new = ran.completed.iter().filter(|it| told.insert(**it));
            case.completes = new.filter_map(|it| told_of(program, *it)).collect();
            for mark in &ran.completed {
                covering.entry(*mark).or_insert_with(|| whole(&case.setup, &case.call));
            }
            res.tests.push(case);
        }
    }
    let reachable: BTreeSet<u32> = task.reachable.iter().copied().collect();
    res.completed.retain(|it| reachable.contains(it));
    res.entered.retain(|it| reachable.contains(it));
    res.elapsed += begin.elapsed();
}

impl Explored {
    fn new(task: &Task) -> Explored {
        Explored {
            name: task.name.clone(),
            pred: task.pred,
            tests: Vec::new(),
            findings: Vec::new(),
            reachable: task.reachable.clone(),
            completed: BTreeSet::new(),
            entered: BTreeSet::new(),
            matched: BTreeSet::new(),
            n_runs: 0,
            n_paths: 0,
            n_diverged: 0,
            stop: Stop::Exhausted,
            is_saturated: false,
            is_all_tried: false,
            sources: BTreeMap::new(),
            losses: BTreeMap::new(),
            disagreements: Vec::new(),
            solver: Statistics::default(),
            elapsed: Duration::ZERO,
            trouble: None,
        }
    }

    /// Whether no clause is missing. With `--coverage path` there is no end before all paths are explored.
    pub(super) fn has_all(&self, wanted: &[u32], options: &Test) -> bool {
        options.coverage != Criterion::Path && self.has_clauses(wanted)
    }

    pub(super) fn has_clauses(&self, wanted: &[u32]) -> bool {
        wanted.iter().all(|it| self.completed.contains(it))
    }

    /// The wanted clauses that are missing; empty with `--depth`.
    pub(super) fn missing(&self, wanted: &[u32], options: &Test) -> Vec<u32> {
        let wanted = if options.depth.is_none() { wanted } else { &[] };
        wanted.iter().copied().filter(|it| !self.completed.contains(it)).collect()
    }

    pub(super) fn add_counts(&mut self, report: &engine::Report) {
        self.n_runs += report.n_runs;
        self.n_paths += report.tests.len();
        self.n_diverged += report.n_diverged;
        for (source, of) in &report.sources {
            self.sources.entry(source.clone()).or_default().add(*of);
        }
        for (what, count) in &report.losses {
            *self.losses.entry(what.clone()).or_default() += count;
        }
        self.trouble = self.trouble.take().or_else(|| report.trouble.clone());
    }

    pub(super) fn note_stop(&mut self, report: &engine::Report, way: &Way) {
        if way.is_trusted || report.stop != Stop::Exhausted {
            (self.stop, self.is_saturated) = (report.stop, report.is_saturated);
        }
    }

    fn add_runs(&mut self, log: &[Ran]) {
        for ran in log {
            self.matched.extend(ran.matched.iter().cloned());
            self.completed.extend(&ran.completed);
            self.entered.extend(&ran.entered);
        }
    }

    pub(super) fn add_findings(&mut self, found: Vec<Finding>) {
        for found in found {
            let is_refusal = |it: &Finding| it.kind == Kind::Rejected;
            let n_refusals = self.findings.iter().filter(|it| is_refusal(it)).count();
            let is_known = self.findings.iter().any(|it| it.cause == found.cause);
            let is_too_many = is_refusal(&found) && REFUSALS <= n_refusals;
            if !is_known && !is_too_many {
                self.findings.push(found);
            }
        }
    }
}

/// Encodes completed clauses as [`Unit`] does in the coverage of a run.
pub(crate) fn completed(marks: &[u32]) -> Covered {
    let n = marks.iter().max().map_or(0, |it| *it as usize + 1);
    let mut words = vec![0_u64; (n * 2).div_ceil(64)];
    for mark in marks {
        let bit = mark * 2 + 1;
        if let Some(word) = words.get_mut(bit as usize / 64) {
            *word |= 1 << (bit % 64);
        }
    }
    Covered::from_words(words)
}

fn number(of: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

/// A number that tells the ways apart in which a goal ended.
pub(crate) fn end_of(ran: &Ran) -> u64 {
    match &ran.finished {
        _ if !ran.answers.is_empty() => 0,
        Finished::Thrown(ball, _) => number(&crate::prolog::finding::shape(ball)) | 2,
        Finished::Broken(n) => number(n) | 4,
        Finished::Exhausted { .. }
        | Finished::More
        | Finished::Stopped(_)
        | Finished::Strange
        | Finished::Unmade => 1,
    }
}

/// Selects the runs that cover something that earlier runs did not: clauses and, depending on the criterion, choices
/// or paths. New ways to end count if `counts_ends` is set, which is where the inputs are meant.
fn choose(
    log: &[Ran],
    criterion: Criterion,
    counts_ends: bool,
    before: &[(usize, Ran)],
) -> Vec<Ran> {
    let things = |it: &Ran| -> Vec<(u8, u64)> {
        let completed = it.completed.iter().map(|it| (0, u64::from(*it)));
        let entered = it.entered.iter().map(|it| (1, u64::from(*it)));
        let end = counts_ends.then(|| (4, end_of(it)));
        let clauses = completed.chain(entered).chain(end);
        match criterion {
            Criterion::Clause => clauses.collect(),
            Criterion::Choice => {
                let choices = it.choices.iter();
                let choices = choices.map(|it| (2, u64::from(it.0.0) << 20 | it.1 as u64));
                clauses.chain(choices).chain(it.matched.iter().map(|it| (5, number(it)))).collect()
            }
            Criterion::Path => clauses.chain([(3, it.path)]).collect(),
        }
    };
    let mut seen: BTreeSet<(u8, u64)> = before.iter().flat_map(|it| things(&it.1)).collect();
    let mut res = Vec::new();
    for ran in log {
        let is_stopped = matches!(ran.finished, Finished::Stopped(_) | Finished::Unmade);
        let has_ended = !is_stopped || !ran.answers.is_empty();
        let things = things(ran);
        if has_ended && things.iter().any(|it| !seen.contains(it)) {
            seen.extend(things);
            res.push(ran.clone());
        }
    }
    res
}

/// Drops runs whose coverage the other runs have together.
fn prune(kept: Vec<(usize, Ran)>, criterion: Criterion, wants_first: bool) -> Vec<(usize, Ran)> {
    if criterion != Criterion::Clause {
        return kept;
    }
    let mut is_kept = vec![true; kept.len()];
    let things = |it: &Ran| -> BTreeSet<(u8, u64)> {
        let completed = it.completed.iter().map(|it| (0, u64::from(*it)));
        let entered = it.entered.iter().map(|it| (1, u64::from(*it)));
        completed.chain(entered).chain([(4, end_of(it))]).collect()
    };
    let all: Vec<BTreeSet<(u8, u64)>> = kept.iter().map(|it| things(&it.1)).collect();
    // Small inputs come first in `kept` and should stay among runs of equal coverage, so runs with the least coverage
    // are examined first.
    let mut order: Vec<usize> = (0..kept.len()).collect();
    order.sort_by_key(|it| all.get(*it).map_or(0, BTreeSet::len));
    // The goal that the user named becomes a test in any case.
    for n in order.into_iter().filter(|it| *it != 0 || !wants_first) {
        let others: BTreeSet<(u8, u64)> = (0..kept.len())
            .filter(|it| *it != n && is_kept.get(*it) == Some(&true))
            .flat_map(|it| all.get(it).into_iter().flatten().copied())
            .collect();
        if let (Some(own), Some(kept)) = (all.get(n), is_kept.get_mut(n)) {
            *kept = !own.is_subset(&others);
        }
    }
    let is_kept = |n: usize| is_kept.get(n) == Some(&true);
    let kept = kept.into_iter().enumerate().filter(|it| is_kept(it.0));
    kept.map(|it| it.1).collect()
}

/// A clause or a branch in words; `None` if the mark is unknown.
fn told_of(program: &Program, mark: u32) -> Option<String> {
    let clause = program.clauses.get(mark as usize)?;
    let info = program.predicates.iter().find(|it| it.id == clause.pred)?;
    let place = format!("clause {} of {}/{}", clause.number, info.name, info.arity);
    Some(match clause.branch_text() {
        Some(branch) => format!("{branch} in {place}"),
        None => format!("completes {place}"),
    })
}

/// Runs goals with further answers again to find all of them, within a number of steps, because later answers may
/// complete more clauses. Returns how many goals may have even more answers.
fn look_at_all_answers(
    session: &mut Session,
    (task, options): (&Task, &Test),
    search: &mut Search,
) -> usize {
    let mut steps = TEST_STEPS;
    let mut n_left = 0;
    for (n, input) in &search.open {
        let Some(way) = task.ways.get(*n) else { continue };
        if n_left != 0 || steps == 0 {
            n_left += 1;
            continue;
        }
        let limits = Limits { steps, memory_bytes: of_run(options, MEMORY) };
        let goal = way.goal.clone();
        let mut unit = Unit::new(&mut session.machine, &mut session.files, goal, limits, ANSWERS);
        let Some(ran) = unit.solve(input, limits, usize::MAX) else { continue };
        steps = steps.saturating_sub(ran.steps);
        let res = &mut search.res;
        let is_new = |it: &&u32| !res.completed.contains(it);
        let new: Vec<u32> = ran.completed.iter().filter(is_new).copied().collect();
        if !new.is_empty() {
            let Written { setup, call, .. } = way.written(&mut unit, input);
            for mark in new {
                search.covering.entry(mark).or_insert_with(|| whole(&setup, &call));
            }
        }
        res.completed.extend(&ran.completed);
        res.entered.extend(&ran.entered);
        n_left += usize::from(!matches!(ran.finished, Finished::Exhausted { .. }));
    }
    n_left
}

/// Makes a case from a run. The number is how many steps were spent on finding more answers than the run had.
fn case(
    unit: &mut Unit<'_>,
    way: &Way,
    ran: &Ran,
    limits: Limits,
    n_answers: usize,
) -> (Option<Case>, u64) {
    let again = unit.solve(&ran.input, limits, n_answers);
    let n_steps = again.as_ref().map_or(0, |it| it.steps);
    // A second run that a limit stopped adds nothing to the first.
    let is_news = |it: &Ran| !matches!(it.finished, Finished::Stopped(_));
    let again = again.filter(is_news);
    let ran = again.as_ref().unwrap_or(ran);
    let Written { setup, args, call } = way.written(unit, &ran.input);
    let Some(expectation) = expect(unit, ran) else { return (None, n_steps) };
    let (verdict, asks_outside) = (Verdict::not_asked(), ran.asks_outside);
    let results = way.results.clone();
    let completes = Vec::new();
    let path = Vec::new();
    let case =
        Case { setup, args, call, results, expectation, completes, asks_outside, verdict, path };
    (Some(case), n_steps)
}
