//! The exploration of one unit: runs its inputs, asks the oracle for the flips that the frontier proposes, and collects
//! the report.

use crate::dictionary::with_words;
use crate::frontier::{Flip, Frontier};
use crate::oracle::{Oracle, Question};
use crate::report::{Report, Stop, Test, Yield};
use crate::strategy::Strategy;
use crate::tries::{self, Tries, TriesReason};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use solve::Answer;
use std::hash::{Hash, Hasher};
use term::{Atom, Domain, ExprId, Exprs, Term};
use trace::{Choice, Covered, Executor, ExecutorError, Input, Looked, Outcome, Run, SiteId, Tried};

/// How many choices of a path may be flipped by default.
pub const DEPTH: usize = 25;

#[derive(Clone, Debug)]
pub struct Settings {
    /// Inputs outside of the domain. They are run before the seeds, and their choices are not flipped: where the domain
    /// fixes a value, the executor records no choice.
    pub strays: Vec<Input>,
    /// How many choices of a path, counted from its beginning, may be flipped.
    pub depth: usize,
    /// The clauses that the search should enter. While one of them was not entered and no flip is left within the
    /// depth, the depth grows.
    pub wanted: Covered,
    pub max_runs: Option<usize>,
    /// Stop when the effort since the last news is at least this much, and at least as much as was spent until that
    /// news. The unit is one run of a small program; the solver's cost is added to the number of runs. `None`: never
    /// stop for lack of news.
    pub patience: Option<u64>,
    pub strategy: Strategy,
    pub seed: u64,
    pub policy: Policy,
    /// The domain within which inputs of past runs are also changed at random; `None`: no random changes.
    pub changes: Option<Domain>,
    /// The texts of the source under test. If the search has not entered a wanted clause, it replaces texts of the
    /// first inputs by these words, once per search. Needs `changes`.
    pub words: Vec<Vec<u8>>,
}

/// How the search pursues runs, besides the order of the strategy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Policy {
    /// After a run with news, its flips are asked again with its input as the hint; an alternative that the choices
    /// before it rule out is asked for without these choices (a leap). For programs that take inputs apart.
    #[default]
    AskAgain,
    /// After a run with news, its last flips are queued for soon, and so are the last flips of its descendants, down to
    /// this many generations. Runs that are longer than all before, or that come close to a wanted clause, are pursued.
    /// For programs that build their results step by step.
    RunEnds { generations: u64 },
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            strays: Vec::new(),
            depth: DEPTH,
            wanted: Covered::default(),
            max_runs: None,
            patience: None,
            strategy: Strategy::default(),
            seed: 0,
            policy: Policy::default(),
            changes: None,
            words: Vec::new(),
        }
    }
}

/// Solving counts as costly once the effort of the search is at least this many times the number of runs.
const COSTLY_FACTOR: u64 = 10;

/// The number of runs before the words of the source are tried: most functions need no words.
const RUNS_BEFORE_WORDS: usize = 20;

/// Explores the unit: runs the seeds, then the inputs that the oracle finds for flips, until nothing is left to flip or
/// `watch` says stop. `watch` is called with the report so far before each batch of questions. If the executor fails,
/// the report keeps all that was found and names the failure in [`Report::trouble`].
pub fn explore(
    executor: &mut dyn Executor,
    oracle: &mut dyn Oracle,
    seeds: &[Input],
    settings: &Settings,
    watch: &mut dyn FnMut(&Report) -> Option<Stop>,
) -> Report {
    let mut exploration = Exploration::new(seeds, settings);
    exploration.go_on(executor, oracle, watch);
    exploration.finish()
}

/// How often the solver may give up on an uncovered alternative before further questions for it are postponed.
const MAX_GIVEN_UP: usize = 3;

/// The patience of the last phase, in which inputs are only changed at random because no flip is left to ask.
const TRIES_AT_THE_END: u64 = 100_000;

/// The length of the longest path, in choices, that is pursued for its length alone: questions about longer paths take
/// too long.
const MAX_PURSUED_LENGTH: usize = 160;

/// How many generations of descendants of a run that came close to a wanted clause are pursued.
const MAX_CLOSE_GENERATIONS: u64 = 2;

/// How many leaps are tried for an uncovered alternative.
const MAX_LEAPS: usize = 8;

/// How an input came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum InputOrigin {
    /// The input was given by the caller.
    Seed,
    /// The input was made from past inputs by random changes.
    Random,
    /// A text of an early input was replaced by a text of the source.
    Word,
    /// The input is a model of a question for this flip.
    For(Flip),
    /// The input is a model of what an alternative itself needs, without the choices before it.
    Leaping,
}

impl InputOrigin {
    /// Returns the name under which the report counts runs of this origin.
    fn source(self) -> &'static str {
        match self {
            InputOrigin::Seed => "seed",
            InputOrigin::Random => "random",
            InputOrigin::Word => "word",
            InputOrigin::For(flip) => flip.source.name(),
            InputOrigin::Leaping => "leap",
        }
    }
}

/// An exploration that can be paused and resumed. All calls of [`Exploration::go_on`] must pass the same executor and
/// the same oracle.
pub struct Exploration<'s> {
    settings: &'s Settings,
    /// Seeds that were not run yet, in reverse order.
    waiting: Vec<Input>,
    /// The limit on the number of runs that [`Exploration::allow_runs`] set; it overrides [`Settings::max_runs`].
    allowed: Option<usize>,
    frontier: Frontier,
    policy: Policy,
    wanted: Covered,
    /// The length of the longest path that was pursued for its length, in choices.
    longest: usize,
    /// For each run, its distance in flips from the nearest ancestor with news; 0 if the run itself had news. Kept for
    /// [`Policy::RunEnds`] only.
    generations: Vec<u64>,
    /// For each run, its distance in flips from the nearest ancestor that came close to a wanted clause. Kept for
    /// [`Policy::RunEnds`] only.
    close_generations: Vec<u64>,
    /// The inputs of all runs, in order.
    inputs: Vec<Input>,
    /// Hashes of the inputs of all runs.
    seen: FxHashSet<u64>,
    /// Hashes of whole paths, so that the report has one test per path.
    paths: FxHashSet<u64>,
    /// Hashes of the ways to fail that were seen; see [`failure`].
    crashes: FxHashSet<u64>,
    /// How often the solver gave up on an alternative of a site.
    given_up: FxHashMap<(SiteId, usize), usize>,
    /// Flips to uncovered alternatives that have no input where they are in the tree. The next leap asks for these
    /// alternatives without the choices before them.
    leaps: Vec<Flip>,
    n_leaps: FxHashMap<(SiteId, usize), usize>,
    /// Flips that wait because the solver gave up on their alternative at least [`MAX_GIVEN_UP`] times.
    put_off: Vec<Flip>,
    n_put_off: usize,
    tries: Option<Tries<'s>>,
    /// The cost of the random tries made after no flip was left to ask.
    spent_after_all: u64,
    /// The cost of trying the words of the source; `None` until they are tried.
    spent_on_words: Option<u64>,
    report: Report,
}

impl std::fmt::Debug for Exploration<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Exploration").field("report", &self.report).finish_non_exhaustive()
    }
}

impl<'s> Exploration<'s> {
    pub fn new(seeds: &[Input], settings: &'s Settings) -> Exploration<'s> {
        Exploration {
            settings,
            waiting: seeds.iter().rev().cloned().collect(),
            allowed: None,
            frontier: Frontier::new(
                settings.strategy,
                settings.seed,
                settings.depth,
                settings.wanted != Covered::default(),
            ),
            policy: settings.policy,
            wanted: settings.wanted.clone(),
            longest: 0,
            generations: Vec::new(),
            close_generations: Vec::new(),
            inputs: Vec::new(),
            seen: FxHashSet::default(),
            paths: FxHashSet::default(),
            crashes: FxHashSet::default(),
            given_up: FxHashMap::default(),
            leaps: Vec::new(),
            n_leaps: FxHashMap::default(),
            put_off: Vec::new(),
            n_put_off: 0,
            tries: settings.changes.as_ref().map(|it| Tries::new(it, settings.seed)),
            spent_after_all: 0,
            spent_on_words: None,
            report: Report::default(),
        }
    }

    /// Returns what was found so far.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Limits the number of runs. Runs made already and runs of seeds count.
    pub fn allow_runs(&mut self, n_runs: usize) {
        self.allowed = Some(n_runs);
    }

    /// Resumes the exploration until nothing is left or a limit is reached; [`Report::stop`] says why it ended.
    pub fn go_on(
        &mut self,
        executor: &mut dyn Executor,
        oracle: &mut dyn Oracle,
        watch: &mut dyn FnMut(&Report) -> Option<Stop>,
    ) {
        match self.run_all(executor, oracle, watch) {
            Ok(stop) => self.report.stop = stop,
            Err(error) => {
                self.report.stop = Stop::Unsupported;
                self.report.trouble = Some(error.why);
            }
        }
    }

    pub fn finish(self) -> Report {
        let Exploration { frontier, given_up, mut report, .. } = self;
        let is_open = |it: &(SiteId, usize)| !frontier.is_covered(*it);
        report.given_up = given_up.into_keys().filter(is_open).map(|it| it.0).collect();
        report
    }

    fn run_all(
        &mut self,
        executor: &mut dyn Executor,
        oracle: &mut dyn Oracle,
        watch: &mut dyn FnMut(&Report) -> Option<Stop>,
    ) -> Result<Stop, ExecutorError> {
        let settings = self.settings;
        if self.report.n_runs == 0 {
            for stray in &settings.strays {
                self.run_aside(executor, stray)?;
            }
        }
        while self.allowed.is_none_or(|it| self.report.n_runs < it)
            && let Some(seed) = self.waiting.pop()
        {
            self.run(executor, seed, InputOrigin::Seed)?;
        }
        let (mut n_news, mut at_news) = (0, 0);
        loop {
            let spent = self.report.n_runs as u64
                + oracle.cost()
                + self.spent_after_all
                + self.spent_on_words.unwrap_or(0);
            self.report.spent = spent;
            if let Some(stop) = watch(&self.report) {
                return Ok(stop);
            }
            if self.report.n_news != n_news {
                (n_news, at_news) = (self.report.n_news, spent);
            }
            let patience = match settings.patience {
                Some(patience) if self.spent_after_all == 0 || !self.lacks_something() => {
                    Some(patience)
                }
                _ => (0 < self.spent_after_all).then_some(TRIES_AT_THE_END),
            };
            if patience.is_some_and(|it| at_news + it.max(at_news) <= spent) {
                self.report.is_saturated = self.spent_after_all == 0;
                return Ok(if self.report.is_saturated { Stop::Runs } else { self.end() });
            }
            if RUNS_BEFORE_WORDS <= self.report.n_runs && self.try_words(executor)? {
                continue;
            }
            self.frontier.is_costly = COSTLY_FACTOR * self.report.n_runs as u64 <= spent;
            let n_flips = self.n_left().unwrap_or(usize::MAX).min(oracle.batch());
            if n_flips == 0 {
                return Ok(Stop::Runs);
            }
            let flips: Vec<Flip> = std::iter::from_fn(|| self.take()).take(n_flips).collect();
            if flips.is_empty() {
                if self.lacks_something() && self.frontier.deepen() || self.try_words(executor)? {
                    continue;
                }
                if self.may_find_more() {
                    self.allow(TriesReason::End);
                    self.spent_after_all += self.try_some(executor)?;
                    continue;
                }
                return Ok(self.end());
            }
            let exprs = executor.exprs();
            let questions = flips.iter().map(|it| self.question(exprs, *it)).collect();
            let answers = oracle.ask(exprs, questions);
            for (flip, answer) in flips.into_iter().zip(answers) {
                self.allow(TriesReason::Asked(flip.depth));
                let model = match answer {
                    Answer::Sat(model) => model,
                    Answer::Unsat => {
                        self.leap_later(flip, executor);
                        continue;
                    }
                    Answer::Unknown(_) => {
                        *self.given_up.entry((flip.site, flip.alternative)).or_default() += 1;
                        self.allow(TriesReason::GivenUp);
                        self.leap_later(flip, executor);
                        continue;
                    }
                };
                let input = self.inputs.get(flip.run).map(|it| it.with(&model));
                // Two flips of one run that are asked again may have the same model.
                let input = input.filter(|it| !self.seen.contains(&input_hash(it)));
                if let Some(input) = input {
                    self.run(executor, input, InputOrigin::For(flip))?;
                }
            }
            self.leap(executor, oracle)?;
            if self.tries.as_ref().is_some_and(Tries::is_time) {
                self.try_some(executor)?;
            }
        }
    }

    /// Returns how many runs are left within the limit; `None` if there is no limit.
    fn n_left(&self) -> Option<usize> {
        let max_runs = self.allowed.or(self.settings.max_runs);
        max_runs.map(|it| it.saturating_sub(self.report.n_runs))
    }

    /// Takes the next flip from the frontier. Flips to alternatives on which the solver gave up `n >= MAX_GIVEN_UP`
    /// times are postponed, all but every n-th.
    fn take(&mut self) -> Option<Flip> {
        while let Some(flip) = self.frontier.take() {
            let goal = (flip.site, flip.alternative);
            let n_given_up = self.given_up.get(&goal).copied().unwrap_or(0);
            if n_given_up < MAX_GIVEN_UP || self.frontier.is_covered(goal) {
                return Some(flip);
            }
            self.n_put_off += 1;
            if self.n_put_off.is_multiple_of(n_given_up) {
                return Some(flip);
            }
            self.put_off.push(flip);
        }
        self.put_off.pop()
    }

    /// Returns the reason for stopping when no flip is left.
    fn end(&self) -> Stop {
        if self.frontier.is_cut() { Stop::Depth } else { Stop::Exhausted }
    }

    /// Whether a loss or an unanswered question means that some paths may be missing although no flip is left.
    fn may_find_more(&self) -> bool {
        let is_incomplete = !self.report.losses.is_empty() || !self.given_up.is_empty();
        self.tries.is_some() && (is_incomplete || self.frontier.is_cut() && self.lacks_something())
    }

    /// Whether a wanted clause was not entered.
    fn lacks_something(&self) -> bool {
        self.report.covered.lacks_some_of(&self.wanted)
    }

    fn allow(&mut self, reason: TriesReason) {
        let is_something_wanted = self.lacks_something();
        if let Some(tries) = &mut self.tries {
            tries.allow(reason, is_something_wanted || reason == TriesReason::End);
        }
    }

    /// Tries randomly changed inputs and records those with news as runs. Returns the cost in runs.
    fn try_some(&mut self, executor: &mut dyn Executor) -> Result<u64, ExecutorError> {
        let mut cost = 0;
        if let Some(tries) = &mut self.tries {
            tries.learn(executor.exprs());
        }
        while let Some(tries) = &mut self.tries
            && let Some(input) = tries.next(&self.inputs)
        {
            let reductions = self.try_one(executor, input, InputOrigin::Random)?;
            if let Some(tries) = &mut self.tries {
                cost += tries.spend(reductions);
            }
        }
        Ok(cost)
    }

    /// Tries the words of the source, unless they were tried before or all wanted clauses were entered. Returns
    /// whether it tried them.
    fn try_words(&mut self, executor: &mut dyn Executor) -> Result<bool, ExecutorError> {
        let Settings { words, changes: Some(domain), .. } = self.settings else { return Ok(false) };
        if words.is_empty() || self.spent_on_words.is_some() || !self.lacks_something() {
            return Ok(false);
        }
        let mut cost = 0;
        for input in with_words(domain, words, &self.inputs) {
            if !self.lacks_something() || self.n_left() == Some(0) {
                break;
            }
            cost += tries::cost(self.try_one(executor, input, InputOrigin::Word)?);
        }
        self.spent_on_words = Some(cost);
        Ok(true)
    }

    /// Tries an input, and records it as a run if it covers something new. Returns the reductions that the try used.
    fn try_one(
        &mut self,
        executor: &mut dyn Executor,
        input: Input,
        origin: InputOrigin,
    ) -> Result<u64, ExecutorError> {
        let input = executor.completed(input);
        let Tried { outcome, covered, reductions } = executor.try_out(&input)?;
        let is_news = match &outcome {
            Outcome::Crash { class, reason, trace } => {
                !self.crashes.contains(&failure(class, reason, trace))
            }
            Outcome::Value(_) | Outcome::Deadlock | Outcome::Stopped(_) => false,
        };
        if is_news || self.report.covered.lacks_some_of(&covered) {
            self.run(executor, input, origin)?;
        }
        Ok(reductions)
    }

    /// Queues a leap for an uncovered alternative that no input takes after the choices before it.
    fn leap_later(&mut self, flip: Flip, executor: &dyn Executor) {
        let goal = (flip.site, flip.alternative);
        if self.policy == Policy::AskAgain
            && !self.frontier.is_covered(goal)
            && executor.is_inside(flip.site)
        {
            let n = self.n_leaps.entry(goal).or_default();
            *n += 1;
            if *n <= MAX_LEAPS {
                self.leaps.push(flip);
            }
        }
    }

    /// Asks for inputs that satisfy only what the alternatives themselves need, without the choices before them. The
    /// run of such an input may reach the alternative on another path, or its descendants may: a flip repairs a
    /// checksum, for example.
    fn leap(
        &mut self,
        executor: &mut dyn Executor,
        oracle: &mut dyn Oracle,
    ) -> Result<(), ExecutorError> {
        let mut flips = std::mem::take(&mut self.leaps);
        flips.truncate(self.n_left().unwrap_or(usize::MAX));
        if flips.is_empty() {
            return Ok(());
        }
        let exprs = executor.exprs();
        let last = |flip: &Flip| {
            let path = self.frontier.tree().path(flip.node, flip.alternative);
            let asked = path.last().map(|(choice, it)| choice.constraints(exprs, *it));
            let hint = self.inputs.get(flip.run).map(Input::to_model).unwrap_or_default();
            Question { constraints: asked.unwrap_or_default(), loose: None, hint }
        };
        let questions = flips.iter().map(last).collect();
        let answers = oracle.ask(exprs, questions);
        for (flip, answer) in flips.iter().zip(answers) {
            let Answer::Sat(model) = answer else { continue };
            let input = self.inputs.get(flip.run).map(|it| it.with(&model));
            if let Some(input) = input.filter(|it| !self.seen.contains(&input_hash(it))) {
                self.run(executor, input, InputOrigin::Leaping)?;
            }
        }
        Ok(())
    }

    /// Returns the question for an input that takes the flip: the path constraint with the alternative in the place of
    /// the flipped choice.
    fn question(&self, exprs: &mut Exprs, flip: Flip) -> Question {
        let path = self.frontier.tree().path(flip.node, flip.alternative);
        let is_pin = |choice: &Choice| matches!(choice.looked, Looked::Pin(..));
        let (mut constraints, mut loose) = (Vec::new(), Vec::new());
        for (n, (choice, alternative)) in path.iter().enumerate() {
            let asked = choice.constraints(exprs, *alternative);
            // With pins in the question, an input that satisfies it surely takes the path; without them it probably
            // does.
            if n + 1 == path.len() || !is_pin(choice) {
                loose.extend_from_slice(&asked);
            }
            constraints.extend(asked);
        }
        let loose = (loose.len() < constraints.len()).then_some(loose);
        let hint = self.inputs.get(flip.run).map(Input::to_model).unwrap_or_default();
        Question { constraints, loose, hint }
    }

    /// Runs an input without recording its path in the frontier.
    fn run_aside(
        &mut self,
        executor: &mut dyn Executor,
        input: &Input,
    ) -> Result<(), ExecutorError> {
        let Run { outcome, covered, .. } = executor.run(input)?;
        self.report.n_runs += 1;
        self.report.cover(&covered, input);
        self.report.tests.push(Test { input: input.clone(), outcome, is_news: true, covered });
        Ok(())
    }

    fn run(
        &mut self,
        executor: &mut dyn Executor,
        input: Input,
        origin: InputOrigin,
    ) -> Result<(), ExecutorError> {
        let intended = if let InputOrigin::For(flip) = origin { Some(flip) } else { None };
        let input = executor.completed(input);
        let Run { outcome, choices, trails, losses, covered } = executor.run(&input)?;
        let report = &mut self.report;
        report.n_runs += 1;
        let mut is_news = report.cover(&covered, &input);
        for loss in losses {
            *report.losses.entry(loss.what).or_default() += 1;
        }
        let is_as_intended = intended
            .map(|it| self.frontier.tree().path(it.node, it.alternative))
            .is_none_or(|path| follows(&choices, &path, |it| executor.looks_at(it, &input)));
        let n_covered = self.frontier.n_covered();
        let is_consistent = self.frontier.learn(&choices, &trails, |it| executor.is_inside(it));
        is_news |= n_covered < self.frontier.n_covered();
        if let Some(flip) = intended {
            let end = (choices.len(), choices.last().map(|it| it.taken));
            self.frontier.was_run(flip, end, is_news);
        }
        if let Outcome::Crash { class, reason, trace } = &outcome {
            is_news |= self.crashes.insert(failure(class, reason, trace));
        }
        report.n_news += usize::from(is_news);
        let of_source = Yield { runs: 1, news: usize::from(is_news) };
        report.sources.entry(origin.source().to_owned()).or_default().add(of_source);
        if self.policy == Policy::AskAgain {
            match &intended {
                _ if is_news || origin == InputOrigin::Leaping => self.frontier.ask_again(&choices),
                Some(flip) => self.frontier.ask_on(flip, &choices),
                None => (),
            }
        }
        self.seen.insert(input_hash(&input));
        if let (true, Some(tries)) = (is_news, &mut self.tries) {
            tries.note(self.inputs.len());
        }
        if let Policy::RunEnds { generations } = self.policy {
            let above = intended.and_then(|it| self.generations.get(it.run)).copied();
            let generation = if is_news { 0 } else { above.unwrap_or(0) + 1 };
            self.generations.push(generation);
            let after = intended.map_or(0, |it| it.depth + 1);
            if generation < generations {
                let from = if is_news { 0 } else { after };
                self.frontier.ask_soon(&choices, from, generation);
            }
            let above = intended.and_then(|it| self.close_generations.get(it.run)).copied();
            let n_steps =
                if executor.is_close() { 0 } else { above.unwrap_or(MAX_CLOSE_GENERATIONS) + 1 };
            self.close_generations.push(n_steps);
            if n_steps <= MAX_CLOSE_GENERATIONS {
                self.frontier.approach(&choices, if n_steps == 0 { 0 } else { after }, n_steps);
            }
            let is_longest = self.longest < choices.len() && choices.len() <= MAX_PURSUED_LENGTH;
            if is_longest && report.covered.lacks_some_of(&self.wanted) {
                self.longest = choices.len();
                self.frontier.pursue(&choices, after);
            }
        }
        // A run that was stopped by a budget may have ended before the flip.
        let is_whole = !matches!(outcome, Outcome::Stopped(_));
        report.n_diverged += usize::from(!(is_as_intended && is_consistent) && is_whole);
        if self.paths.insert(hash(&choices)) {
            let covered = if is_news { covered } else { Covered::default() };
            report.tests.push(Test { input: input.clone(), outcome, is_news, covered });
        }
        self.inputs.push(input);
        Ok(())
    }
}

/// Whether a run took the path that its input was made for. The comparison ends, with success, at a pin whose value
/// turned out to be another, since the choices behind it are unknown, and at a choice on heads whose value the run does
/// not look at for this input.
fn follows(
    choices: &[Choice],
    path: &[(&Choice, usize)],
    mut looks_at: impl FnMut(ExprId) -> bool,
) -> bool {
    for (n, (meant, alternative)) in path.iter().enumerate() {
        let Some(found) = choices.get(n).filter(|it| it.site == meant.site) else {
            return matches!(&meant.looked, Looked::Heads(of, _) if !looks_at(*of));
        };
        if matches!(meant.looked, Looked::Pin(..)) {
            if found.looked != meant.looked {
                return true;
            }
            if *alternative != 0 {
                return false;
            }
        } else if found.taken != *alternative {
            return false;
        }
    }
    true
}

fn hash(choices: &[Choice]) -> u64 {
    let mut hasher = FxHasher::default();
    choices.iter().for_each(|it| (it.site, it.taken).hash(&mut hasher));
    hasher.finish()
}

fn input_hash(input: &Input) -> u64 {
    let mut hasher = FxHasher::default();
    input.args.hash(&mut hasher);
    hasher.finish()
}

/// Hashes a way to fail: the exception's class, the tag of its reason and the function and line that raised it.
fn failure(class: &Atom, reason: &Term, trace: &Term) -> u64 {
    let mut hasher = FxHasher::default();
    class.hash(&mut hasher);
    let tag = reason.as_tuple().and_then(<[Term]>::first).unwrap_or(reason);
    tag.as_atom().hash(&mut hasher);
    // The frame of an undefined function has no line; the frame of its caller has one.
    let mut frames = trace.as_list().unwrap_or_default().iter().filter_map(Term::as_tuple);
    let has_place = |it: &&[Term]| !matches!(it, [.., Term::Nil]);
    if let Some([module, function, _, place]) = frames.find(has_place) {
        (module, function, place).hash(&mut hasher);
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::{Policy, Settings, explore};
    use crate::fake::{Row, Small, Table};
    use crate::report::{Report, Stop};
    use crate::strategy::Strategy;
    use term::Term;
    use trace::{Input, Outcome};

    /// Below 10: 3 crashes and all other numbers return. From 10 on: 20 crashes and all others return.
    const ROWS: [Row; 7] = [
        Row::IfLess(10, 4),
        Row::IfEqual(3, 3),
        Row::Crashes,
        Row::Returns,
        Row::IfEqual(20, 6),
        Row::Crashes,
        Row::Returns,
    ];

    fn of(rows: &[Row], numbers: &mut Small, settings: &Settings) -> Report {
        let seed = Input { args: vec![Term::Int(0)] };
        explore(&mut Table::new(rows), numbers, &[seed], settings, &mut |_| None)
    }

    fn ends(report: &Report) -> Vec<String> {
        let shown = |outcome: &Outcome| match outcome {
            Outcome::Value(row) => format!("returns at {row:?}"),
            Outcome::Crash { reason, .. } => format!("crashes at {reason:?}"),
            Outcome::Deadlock | Outcome::Stopped(_) => "does not end".to_owned(),
        };
        let mut res: Vec<String> = report.tests.iter().map(|it| shown(&it.outcome)).collect();
        res.sort();
        res
    }

    const ALL: [&str; 4] =
        ["crashes at Int(2)", "crashes at Int(5)", "returns at Int(3)", "returns at Int(6)"];

    #[test]
    fn every_strategy_takes_every_path_once() {
        for (name, strategy) in Strategy::ALL {
            for policy in [Policy::AskAgain, Policy::RunEnds { generations: 2 }] {
                let settings = Settings { strategy, policy, ..Settings::default() };
                let report = of(&ROWS, &mut Small::new(0..=50), &settings);
                assert_eq!(ends(&report), ALL, "{name}");
                assert_eq!(report.stop, Stop::Exhausted, "{name}");
                assert!(report.is_complete(), "{name}");
                assert_eq!(report.n_diverged, 0, "{name}");
            }
        }
    }

    #[test]
    fn alternatives_without_an_input_are_exhausted_too() {
        let report = of(&ROWS, &mut Small::new(0..=9), &Settings::default());
        assert_eq!(ends(&report), ["crashes at Int(2)", "returns at Int(3)"]);
        assert_eq!(report.stop, Stop::Exhausted);
    }

    #[test]
    fn questions_that_are_given_up_are_told() {
        let mut numbers = Small::new(0..=50);
        // Expressions are numbered as a run makes them; the first test is expression 2.
        numbers.too_hard = Some(term::ExprId(2));
        let report = of(&ROWS, &mut numbers, &Settings::default());
        assert!(!report.given_up.is_empty());
        // A leap asks for the number 3 without the test before it.
        assert_eq!(ends(&report), ["crashes at Int(2)", "returns at Int(3)"]);
    }

    #[test]
    fn runs_are_counted_and_bounded() {
        let settings = Settings { max_runs: Some(3), ..Settings::default() };
        let report = of(&ROWS, &mut Small::new(0..=50), &settings);
        assert_eq!((report.n_runs, report.stop), (3, Stop::Runs));
        let by_source: usize = report.sources.values().map(|it| it.runs).sum();
        assert_eq!(by_source, 3);
        let found = report.sources.get("uncovered").map(|it| (it.runs, it.news));
        assert_eq!(found, Some((2, 2)));
    }

    #[test]
    fn a_library_waits_for_the_code_under_test() {
        let settings = Settings { max_runs: Some(2), ..Settings::default() };
        let seed = Input { args: vec![Term::Int(15)] };
        let mut table = Table::new(&ROWS);
        // Rows from 4 on, among them the test for 20, belong to a library.
        table.library_from = 4;
        let mut numbers = Small::new(0..=50);
        let report = explore(&mut table, &mut numbers, &[seed], &settings, &mut |_| None);
        assert_eq!(ends(&report), ["returns at Int(3)", "returns at Int(6)"]);
    }
}
