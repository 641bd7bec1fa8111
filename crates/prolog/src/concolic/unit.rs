//! The unit under test: a goal whose arguments are inputs or results, as an `Executor`.

use crate::code::PredId;
use crate::concolic::convert::{decode, decode_input, term_of};
use crate::concolic::made::Maker;
use crate::concolic::recorder::Recorder;
use crate::data::{AtomId, FunctorId, Heap, Record, Value};
use crate::machine::{COMPLETED, ENTERED, Ending, Limits, Machine, Stop};
use crate::program::Library;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};
use term::{Atom, ExprId, Exprs, Model, Term, Var};
use trace::{Covered, Executor, ExecutorError, Input, Outcome, Run, SiteId, Stopped, Tried};

/// The predicate under test and the roles of its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Goal {
    pub module: String,
    pub name: String,
    pub args: Vec<Arg>,
    /// Goals that are called once each before this one, because they add facts. Their inputs come first.
    pub before: Vec<Goal>,
    /// Declared types by argument index. Inputs of other types are not tried; a result of another type is a
    /// broken promise.
    pub types: Vec<(usize, Term)>,
    /// The preconditions: predicates that must succeed for an input to be used.
    pub conditions: Vec<Condition>,
}

/// A precondition: a predicate that takes all arguments of the goal, or only the given ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    pub name: String,
    pub arity: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arg {
    /// An input: the next argument of the test input.
    Input,
    /// An input: a value that a library constructs from the next argument of the test input.
    Made(Maker),
    /// A result: an unbound variable.
    Result,
}

impl Arg {
    pub fn is_given(self) -> bool {
        self != Arg::Result
    }
}

/// The observations of a run of the goal.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Ran {
    pub input: Input,
    pub answers: Vec<Answer>,
    pub finished: Finished,
    /// The marks of the clauses that were entered.
    pub entered: Vec<u32>,
    pub completed: Vec<u32>,
    /// The choices of the path: the site, and the alternative taken.
    pub choices: Vec<(SiteId, usize)>,
    /// The sets of clauses that its calls could match, if [`Unit::note_matched`] was called.
    pub matched: Vec<(PredId, Vec<u32>)>,
    /// A number that is equal for runs with the same choices.
    pub path: u64,
    pub steps: u64,
    /// Whether the run asked for something that its environment decides, such as a flag, the clock or
    /// standard input.
    pub asks_outside: bool,
}

/// The values of the results, in the order of the arguments.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    pub values: Vec<Term>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Finished {
    /// There are no further answers. `left_choice`: the last answer left a choice point, so that this was not
    /// known when it was given.
    Exhausted { left_choice: bool },
    /// The wanted number of answers was found, and there may be more.
    More,
    /// An exception: the ball, and the marks of the clauses that were running, innermost first.
    Thrown(Term, Vec<u32>),
    /// A budget was exhausted, or the run was refused something.
    Stopped(Stop),
    /// An answer contains terms that the theory lacks: rational numbers or cyclic terms.
    Strange,
    /// The library's constructor failed to make an argument.
    Unmade,
    /// The result with this argument index is not of its declared type.
    Broken(usize),
}

/// The limits of solving a goal.
#[derive(Clone, Copy, Debug)]
struct Extent {
    limits: Limits,
    n_answers: usize,
}

/// After runs that were stopped by a limit have taken this many steps together, and there were at least two,
/// later runs get a lower limit of steps. Otherwise they would take most of the time.
const MANY_STEPS: u64 = 500_000;
const FEW_STEPS: u64 = 5_000;

/// The maximum number of answers of a goal that are kept. Further answers are only counted, because they may grow
/// without end.
const MOST_KEPT: usize = 100;

/// A global variable that is set when the goals before the goal are done.
const BEGUN: &str = "$gimlet_begun";

/// The cost of beginning and ending an unrecorded run, and of each of its steps, in calls of the Erlang
/// machine.
const OVERHEAD: u64 = 400;
const CALLS_PER_STEP: u64 = 4;

fn no_term() -> Outcome {
    Outcome::Stopped(Stopped::Unsupported { why: "an input that is no Prolog term".to_owned() })
}

pub struct Unit<'m> {
    pub(super) machine: &'m mut Machine,
    library: &'m mut dyn Library,
    pub goal: Goal,
    extent: Extent,
    pub(super) recorder: Option<Box<Recorder>>,
    /// Marks of clauses that no run has completed yet and that a run should complete.
    sought: Vec<u32>,
    is_close: bool,
    n_stopped: u64,
    /// Whether the declared types of arguments are checked.
    is_typed: bool,
    /// All runs, in order.
    pub log: Vec<Ran>,
}

/// A suspended unit, without the machine that runs it.
#[derive(Debug)]
pub struct Waiting {
    goal: Goal,
    extent: Extent,
    recorder: Option<Box<Recorder>>,
    sought: Vec<u32>,
    is_close: bool,
    n_stopped: u64,
    log: Vec<Ran>,
}

impl Waiting {
    /// Resumes the unit on the machine that it was on.
    pub fn go_on<'m>(self, machine: &'m mut Machine, library: &'m mut dyn Library) -> Unit<'m> {
        let Waiting { goal, extent, recorder, sought, is_close, n_stopped, log } = self;
        let is_typed = true;
        Unit {
            machine,
            library,
            goal,
            extent,
            recorder,
            sought,
            is_close,
            n_stopped,
            is_typed,
            log,
        }
    }
}

impl std::fmt::Debug for Unit<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Unit").field("goal", &self.goal).finish_non_exhaustive()
    }
}

impl<'m> Unit<'m> {
    pub fn new(
        machine: &'m mut Machine,
        library: &'m mut dyn Library,
        goal: Goal,
        limits: Limits,
        n_answers: usize,
    ) -> Unit<'m> {
        let extent = Extent { limits, n_answers };
        let recorder = Some(Box::default());
        let (sought, is_close, log) = (Vec::new(), false, Vec::new());
        let (n_stopped, is_typed) = (0, true);
        Unit {
            machine,
            library,
            goal,
            extent,
            recorder,
            sought,
            is_close,
            n_stopped,
            is_typed,
            log,
        }
    }

    /// Suspends the unit, so that others can use the machine.
    pub fn wait(self) -> Waiting {
        let Unit { goal, extent, recorder, sought, is_close, n_stopped, log, .. } = self;
        Waiting { goal, extent, recorder, sought, is_close, n_stopped, log }
    }

    /// Runs the goal without recording; `None` if the input is not a Prolog term.
    pub fn solve(&mut self, input: &Input, limits: Limits, n_answers: usize) -> Option<Ran> {
        let mut heap = Heap::default();
        let mut values = Vec::new();
        for arg in &input.args {
            values.push(decode(&mut heap, &mut self.machine.atoms, arg)?);
        }
        let extent = std::mem::replace(&mut self.extent, Extent { limits, n_answers });
        let ran = self.perform(input, heap, &values);
        self.extent = extent;
        Some(ran)
    }

    /// Runs the goal without recording and without checking types.
    pub fn solve_untyped(
        &mut self,
        input: &Input,
        limits: Limits,
        n_answers: usize,
    ) -> Option<Ran> {
        self.is_typed = false;
        let ran = self.solve(input, limits, n_answers);
        self.is_typed = true;
        ran
    }

    /// Makes later runs collect the sets of clauses that their calls could match.
    pub fn note_matched(&mut self) {
        self.recorder.get_or_insert_default().matched = Some(BTreeSet::new());
    }

    /// Sets the clauses to be completed: runs that get far in their bodies are preferred by the search.
    pub fn seek(&mut self, marks: Vec<u32>) {
        self.sought = marks;
    }

    /// Allows inputs that are or contain variables.
    pub fn allow_variables(&mut self) {
        self.recorder.get_or_insert_default().has_variables = true;
    }

    /// Returns the value that a library constructs from an input.
    pub fn made(&mut self, maker: Maker, of: &Term) -> Option<Term> {
        let (name, n_before) = maker.constructor();
        let mut args = vec![Arg::Input; n_before + 1];
        args.push(Arg::Result);
        let module = self.goal.module.clone();
        let making = Goal {
            module,
            name: name.to_owned(),
            args,
            before: Vec::new(),
            types: Vec::new(),
            conditions: Vec::new(),
        };
        let goal = std::mem::replace(&mut self.goal, making);
        let mut given = vec![Term::Nil; n_before];
        given.push(of.clone());
        let limits = self.extent.limits;
        let ran = self.solve(&Input { args: given }, limits, 1);
        self.goal = goal;
        ran?.answers.into_iter().next()?.values.into_iter().next()
    }

    pub fn machine(&mut self) -> &mut Machine {
        self.machine
    }

    fn perform(&mut self, input: &Input, mut heap: Heap, given: &[Value]) -> Ran {
        let mut given = given.iter().copied();
        let mut results = Vec::new();
        let mut makes = Vec::new();
        let mut calls = Vec::new();
        for goal in self.goal.before.iter().chain([&self.goal]) {
            results.clear();
            let arg = |arg: &Arg| match arg {
                Arg::Input => given.next().unwrap_or(Value::NIL),
                Arg::Made(maker) => {
                    let var = heap.fresh();
                    makes.push((*maker, given.next().unwrap_or(Value::NIL), var));
                    var
                }
                Arg::Result => {
                    let var = heap.fresh();
                    results.push(var);
                    var
                }
            };
            let args: Vec<Value> = goal.args.iter().map(arg).collect();
            let name = self.machine.atoms.intern(&goal.name);
            calls.push(if args.is_empty() {
                Value::atom(name)
            } else {
                let functor = self.machine.atoms.functor(name, args.len());
                heap.structure(functor, &args)
            });
        }
        let call = calls.pop().unwrap_or(Value::TRUE);
        let conditions = self.conditions(&mut heap, call);
        let atoms = &mut self.machine.atoms;
        let module = Value::atom(atoms.intern(&self.goal.module));
        let begun = atoms.intern(BEGUN);
        let mut goal = call;
        let (mut wanted, mut promised) = (Vec::new(), Vec::new());
        for (n, of) in self.goal.types.iter().filter(|_| self.is_typed) {
            let Some(of) = decode(&mut heap, atoms, of) else { continue };
            let arg = heap.arg(goal, *n);
            match self.goal.args.get(*n) {
                Some(Arg::Result) => promised.push((*n, of, arg)),
                Some(Arg::Input | Arg::Made(_)) => wanted.push((of, arg)),
                None => {}
            }
        }
        for (n, of, arg) in promised {
            let functor = atoms.functor_named("$check_result", 3);
            let check = heap.structure(functor, &[Value::size(n), of, arg]);
            goal = heap.structure(FunctorId::AND, &[goal, check]);
        }
        let is_prepared =
            !makes.is_empty() || !calls.is_empty() || !wanted.is_empty() || !conditions.is_empty();
        if is_prepared {
            let functor = atoms.functor_named("nb_setval", 2);
            let begin = heap.structure(functor, &[Value::atom(begun), Value::TRUE]);
            goal = heap.structure(FunctorId::AND, &[begin, goal]);
        }
        for condition in conditions.into_iter().rev() {
            goal = heap.structure(FunctorId::AND, &[condition, goal]);
        }
        for (of, arg) in wanted {
            let functor = atoms.functor_named("$has_type", 2);
            let check = heap.structure(functor, &[of, arg]);
            goal = heap.structure(FunctorId::AND, &[check, goal]);
        }
        for before in calls.into_iter().rev() {
            let functor = atoms.functor_named("catch", 3);
            let ball = heap.fresh();
            let before = heap.structure(functor, &[before, ball, Value::atom(AtomId::FAIL)]);
            goal = heap.structure(FunctorId::THEN, &[before, goal]);
        }
        for (maker, of, made) in makes.iter().rev() {
            let (name, n_before) = maker.constructor();
            let mut args = vec![Value::NIL; n_before];
            args.extend([*of, *made]);
            let functor = atoms.functor_named(name, args.len());
            let make = heap.structure(functor, &args);
            goal = heap.structure(FunctorId::AND, &[make, goal]);
        }
        let goal = heap.structure(FunctorId::QUALIFIED, &[module, goal]);
        let named = |heap: &mut Heap, var: Value| {
            heap.structure(FunctorId::UNIFY, &[Value::atom(AtomId::EMPTY), var])
        };
        let bindings: Vec<Value> = results.iter().map(|it| named(&mut heap, *it)).collect();
        let bindings = heap.list(&bindings);
        let query = heap.structure(FunctorId::PAIR, &[goal, bindings]);
        let query = Record::new(&heap, &self.machine.atoms, query);
        let (answers, finished) = self.answers(&query);
        let machine = &*self.machine;
        let reached = |how: u8| {
            let marks = (0..).zip(&machine.run.reached);
            marks.filter(|it| it.1 & how != 0).map(|it| it.0).collect()
        };
        let (entered, completed): (Vec<u32>, Vec<u32>) = (reached(ENTERED), reached(COMPLETED));
        let is_made = !is_prepared || machine.run.globals.contains_key(&begun);
        let finished = if is_made { finished } else { Finished::Unmade };
        let (steps, asks_outside) = (machine.control.steps, machine.run.has_asked_outside);
        let recorder = machine.recorder.as_ref();
        let taken = recorder.into_iter().flat_map(|it| &it.choices).map(|it| (it.site, it.taken));
        let mut hasher = rustc_hash::FxHasher::default();
        taken.clone().for_each(|it| it.hash(&mut hasher));
        let path = hasher.finish();
        // Choices are only kept on request, because all runs are kept and a path may have thousands of choices.
        let wanted = recorder.and_then(|it| it.matched.as_ref());
        let choices: Vec<(SiteId, usize)> = taken.filter(|_| wanted.is_some()).collect();
        let matched: Vec<(PredId, Vec<u32>)> = wanted.into_iter().flatten().cloned().collect();
        let input = input.clone();
        Ran {
            input,
            answers,
            finished,
            entered,
            completed,
            choices,
            matched,
            path,
            steps,
            asks_outside,
        }
    }

    /// Returns `\\+ \\+ catch(p(Args), _, fail)` for each precondition. The double negation undoes the bindings of
    /// the precondition.
    fn conditions(&mut self, heap: &mut Heap, call: Value) -> Vec<Value> {
        let atoms = &mut self.machine.atoms;
        let mut res = Vec::new();
        for of in &self.goal.conditions {
            let is_wanted =
                |it: &(usize, &Arg)| of.arity == self.goal.args.len() || it.1.is_given();
            let all = self.goal.args.iter().enumerate().filter(is_wanted);
            let args: Vec<Value> = all.map(|it| heap.arg(call, it.0)).collect();
            let name = atoms.intern(&of.name);
            let mut condition = Value::atom(name);
            if !args.is_empty() {
                condition = heap.structure(atoms.functor(name, args.len()), &args);
            }
            let catching = atoms.functor_named("catch", 3);
            let ball = heap.fresh();
            condition = heap.structure(catching, &[condition, ball, Value::atom(AtomId::FAIL)]);
            for _ in 0..2 {
                condition = heap.structure(FunctorId::UNPROVABLE, &[condition]);
            }
            res.push(condition);
        }
        res
    }

    fn answers(&mut self, query: &Record) -> (Vec<Answer>, Finished) {
        let Extent { limits, n_answers } = self.extent;
        let (mut answers, mut n_found) = (Vec::new(), 0_usize);
        let mut left_choice = false;
        let mut solutions = self.machine.solve(self.library, query, limits);
        let finished = loop {
            match solutions.next_answer() {
                Ending::True { more } => {
                    n_found += 1;
                    if n_found <= MOST_KEPT {
                        let machine = solutions.machine();
                        let value =
                            |it: &(String, Value)| term_of(&machine.heap, &machine.atoms, it.1);
                        let values = machine.bindings().iter().map(value).collect();
                        let Some(values) = values else { break Finished::Strange };
                        answers.push(Answer { values });
                    }
                    left_choice = more;
                    if !more {
                        break Finished::Exhausted { left_choice };
                    }
                    if n_answers <= n_found {
                        break Finished::More;
                    }
                }
                Ending::False => break Finished::Exhausted { left_choice },
                Ending::Exception(ball) => {
                    let machine = solutions.machine();
                    let ball = ball.load(&mut machine.heap);
                    let ball = term_of(&machine.heap, &machine.atoms, ball);
                    let places = machine.thrown_in();
                    break match ball.as_ref().and_then(broken_result) {
                        Some(n) => Finished::Broken(n),
                        None => ball.map_or(Finished::Strange, |it| Finished::Thrown(it, places)),
                    };
                }
                Ending::Stopped(stop) => break Finished::Stopped(stop),
            }
        };
        (answers, finished)
    }
}

impl Executor for Unit<'_> {
    fn run(&mut self, input: &Input) -> Result<Run, ExecutorError> {
        let broken = |why: &str| ExecutorError { why: why.to_owned() };
        let mut recorder = self.recorder.take().ok_or_else(|| broken("a run within a run"))?;
        recorder.restart();
        let mut heap = Heap::default();
        let mut given = Vec::new();
        for (n, arg) in (0..).zip(&input.args) {
            let expr = recorder.exprs.var(Var(n));
            let atoms = &mut self.machine.atoms;
            match decode_input(&mut heap, atoms, &mut recorder.exprs, arg, expr) {
                Some(value) => given.push(value),
                None => {
                    self.recorder = Some(recorder);
                    let outcome = no_term();
                    let (choices, trails, losses) = (Vec::new(), Vec::new(), Vec::new());
                    let covered = Covered::default();
                    return Ok(Run { outcome, choices, trails, losses, covered });
                }
            }
        }
        self.machine.recorder = Some(recorder);
        let furthest = std::mem::take(&mut self.machine.furthest);
        let ran = self.perform(input, heap, &given);
        let is_far = |mark: &u32| {
            let [now, before] = [&self.machine.furthest, &furthest]
                .map(|it| it.get(*mark as usize).copied().unwrap_or(0));
            0 < now && before <= now
        };
        if matches!(ran.finished, Finished::Stopped(Stop::Steps)) {
            self.n_stopped += 1;
            let many = (MANY_STEPS / self.extent.limits.steps.max(1)).max(2);
            if many <= self.n_stopped {
                self.extent.limits.steps = self.extent.limits.steps.min(FEW_STEPS);
            }
        }
        self.sought.retain(|it| !ran.completed.contains(it));
        self.is_close = self.sought.iter().any(is_far);
        self.machine.note_furthest(&furthest);
        let recorder = self.machine.recorder.take().ok_or_else(|| broken("a run lost its path"))?;
        let run = Run {
            outcome: outcome(&ran),
            choices: recorder.choices.clone(),
            trails: Vec::new(),
            losses: recorder.losses.clone(),
            covered: covered(&ran),
        };
        self.recorder = Some(recorder);
        self.log.push(ran);
        Ok(run)
    }

    fn try_out(&mut self, input: &Input) -> Result<Tried, ExecutorError> {
        let Extent { mut limits, n_answers } = self.extent;
        limits.steps = limits.steps.min(FEW_STEPS);
        let Some(ran) = self.solve(input, limits, n_answers) else {
            let outcome = no_term();
            return Ok(Tried { outcome, covered: Covered::default(), reductions: 0 });
        };
        let reductions = OVERHEAD + ran.steps * CALLS_PER_STEP;
        Ok(Tried { outcome: outcome(&ran), covered: covered(&ran), reductions })
    }

    fn is_close(&self) -> bool {
        self.is_close
    }

    fn looks_at(&mut self, value: ExprId, input: &Input) -> bool {
        let model = Model::of(input.args.iter().cloned());
        !matches!(term::value(self.exprs(), value, &model), Some(Term::Ref(_)))
    }

    fn exprs(&mut self) -> &mut Exprs {
        &mut self.recorder.get_or_insert_default().exprs
    }
}

/// Returns the index of the argument that a ball of `$check_result` reports as not of its type.
fn broken_result(ball: &Term) -> Option<usize> {
    match ball.as_tuple()? {
        [name, n] if name.as_atom() == Some("$broken_result") => usize::try_from(n.as_int()?).ok(),
        _ => None,
    }
}

fn outcome(ran: &Ran) -> Outcome {
    match &ran.finished {
        Finished::Broken(n) => Outcome::Crash {
            class: Atom::new("broken"),
            reason: Term::Int(i64::try_from(*n).unwrap_or(i64::MAX)),
            trace: Term::Nil,
        },
        Finished::Thrown(ball, _) if ran.answers.is_empty() => Outcome::Crash {
            class: Atom::new("throws"),
            reason: formal(ball).clone(),
            trace: Term::Nil,
        },
        Finished::Stopped(stop) if ran.answers.is_empty() => Outcome::Stopped(stop.clone().into()),
        Finished::Exhausted { .. }
        | Finished::More
        | Finished::Thrown(..)
        | Finished::Stopped(_)
        | Finished::Strange
        | Finished::Unmade => {
            Outcome::Value(Term::atom(if ran.answers.is_empty() { "false" } else { "true" }))
        }
    }
}

/// Returns the formal part of an error term, or the whole ball if it is not one.
pub(crate) fn formal(ball: &Term) -> &Term {
    match ball.as_tuple() {
        Some([name, formal, _]) if name.as_atom() == Some("error") => formal,
        _ => ball,
    }
}

/// Returns the coverage of a run, with separate bits for clauses entered and clauses completed.
fn covered(ran: &Ran) -> Covered {
    let n = ran.entered.iter().chain(&ran.completed).max().map_or(0, |it| *it as usize + 1);
    let mut words = vec![0_u64; (n * 2).div_ceil(64)];
    let bits = ran.entered.iter().map(|it| it * 2).chain(ran.completed.iter().map(|it| it * 2 + 1));
    for bit in bits {
        if let Some(word) = words.get_mut(bit as usize / 64) {
            *word |= 1 << (bit % 64);
        }
    }
    Covered::from_words(words)
}
