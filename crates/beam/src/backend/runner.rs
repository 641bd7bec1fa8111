//! A BEAM in which units run: gets rewritten code and inputs, and returns outcomes and logs.
//!
//! A program can spoil only its own run: time and memory are limited, and a runtime that is lost is restarted with all
//! its modules.

use crate::backend::pure::Purity;
use crate::backend::rewrite::{ClausePlace, Clauses, Leaving, SEEN, is_native, plain, rewrite};
use crate::backend::scope::{Scope, Witness};
use crate::compiled::Compilation;
use crate::otp::Otp;
use crate::peer::path_term;
use crate::source::Source;
use erlang::machine::{Allowed, Answer, FunctionName, Outside};
use erlang::{Host, HostError, ModuleCode};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;
use term::{Atom, Fun, Style, Term, print};
use trace::Outcome;

/// The limits of one run.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub time: Duration,
    pub heap_bytes: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { time: Duration::from_secs(2), heap_bytes: 512 << 20 }
    }
}

#[derive(Debug)]
pub struct Runner {
    otp: Otp,
    limits: Limits,
    scope: Scope,
    /// The code of modules that are or may be rewritten.
    code: BTreeMap<Atom, Option<Arc<ModuleCode>>>,
    /// The modules that the runtime must have, in the order of loading.
    wanted: Vec<Atom>,
    /// Modules that are not rewritten: native ones, and those without readable code.
    alone: BTreeSet<Atom>,
    /// The functions that run outside as a whole, by module. `staying` has those that must not.
    leaving: BTreeMap<Atom, Leaving>,
    staying: BTreeSet<FunctionName>,
    purity: Purity,
    clauses: Clauses,
    /// How many runs the current process has made.
    n_runs_of_process: u64,
    outside: Arc<Outside>,
    /// The runtime that has the modules loaded, by the number of starts.
    ready: Option<u32>,
    /// How many runs were asked of BEAM.
    pub n_runs: u64,
    /// How many modules had to be compiled because they were not in the cache.
    pub n_compiled: u64,
}

/// The result of a run.
#[derive(Clone, Debug)]
pub enum Ran {
    Ended(Box<End>),
    /// The run was cut short: it took too long, became too large, was refused, or lost the runtime.
    Cut(String),
}

/// The outcome of a run, and its log.
#[derive(Clone, Debug)]
pub struct End {
    pub outcome: Outcome,
    /// The results of calls that left the run, in the order in which the unit's process got them.
    pub results: VecDeque<(FunctionName, Answer)>,
    /// The clauses that were entered, if they are witnessed.
    pub clauses: Vec<i64>,
    /// A hash of all alternatives taken, if it is witnessed.
    pub path: Option<i64>,
    /// The numbers of clauses that were entered in functions that run outside as a whole.
    pub seen: Vec<i64>,
}

impl Runner {
    /// Returns a runner on a runtime that it owns.
    pub fn new(otp: Otp, allowed: Allowed, witness: Witness, limits: Limits) -> Runner {
        let scope = Scope::new(BTreeSet::new(), allowed, witness);
        let outside = Arc::new(scope.outside());
        Runner {
            otp,
            limits,
            scope,
            code: BTreeMap::new(),
            wanted: Vec::new(),
            alone: BTreeSet::new(),
            leaving: BTreeMap::new(),
            staying: BTreeSet::new(),
            purity: Purity::default(),
            clauses: Clauses::default(),
            n_runs_of_process: 0,
            outside,
            ready: None,
            n_runs: 0,
            n_compiled: 0,
        }
    }

    /// Adds a module under test. It keeps its name, so no module of OTP may have the same name.
    pub fn add(&mut self, code: &Arc<ModuleCode>) -> Result<(), HostError> {
        let name = code.name.clone();
        self.code.insert(name.clone(), Some(Arc::clone(code)));
        if is_native(&code.core) {
            self.scope.add_native(name.clone());
            self.leave_alone(&name);
        } else {
            self.scope.add_own(name.clone());
        }
        if !self.wanted.contains(&name) {
            self.wanted.push(name.clone());
        }
        if self.is_ready() {
            self.tell_scope()?;
            self.define(&name)?;
        }
        Ok(())
    }

    /// Sets the limits of further runs.
    pub fn limit(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// Returns how many runtimes were started so far.
    pub fn n_starts(&self) -> u32 {
        self.otp.starts()
    }

    /// Whether a module under test loads native code.
    pub(super) fn has_native(&self) -> bool {
        !self.alone.is_empty()
    }

    /// Calls a function of a module under test.
    pub fn run(&mut self, module: &Atom, function: &Atom, args: &[Term]) -> Result<Ran, HostError> {
        self.n_runs += 1;
        loop {
            self.prepare()?;
            let request = self.request(module, function, args);
            let is_first = self.n_runs_of_process == 0;
            self.n_runs_of_process += 1;
            let answer = match self.otp.ask(self.limits.time, &request) {
                Ok(answer) => answer,
                Err(HostError::Timeout(_)) => return Ok(Ran::Cut("it takes too long".to_owned())),
                // The runtime may have been damaged by earlier runs, so the run is repeated on a new one.
                Err(HostError::Lost(_)) if !is_first => continue,
                Err(HostError::Lost(why)) => return Ok(Ran::Cut(why)),
                Err(error) => return Err(error),
            };
            if let Some(ran) = self.answered(&answer)? {
                return Ok(ran);
            }
        }
    }

    /// Interprets the answer to a run; `None` if the run must be repeated.
    fn answered(&mut self, answer: &Term) -> Result<Option<Ran>, HostError> {
        let lost = || HostError::Lost("no answer to a run".to_owned());
        let cut = |why: String| Ok(Some(Ran::Cut(why)));
        match answer.as_tuple().ok_or_else(lost)? {
            [tag, end, log, path, seen] if tag.as_atom() == Some("ran") => {
                let path = (self.witness() == Witness::Path).then(|| path.as_int()).flatten();
                ended(end, log, path, seen).ok_or_else(lost).map(Some)
            }
            [tag, Term::Atom(module)] if tag.as_atom() == Some("need") => {
                self.need(&module.clone())?;
                Ok(None)
            }
            [tag, reason] if tag.as_atom() == Some("exited") => {
                if reason.as_atom() == Some("killed") {
                    return cut("it was killed".to_owned());
                }
                let (class, trace) = (Atom::new("exit"), Term::Nil);
                let outcome = Outcome::Crash { class, reason: reason.clone(), trace };
                let (results, clauses, seen) = (VecDeque::new(), Vec::new(), Vec::new());
                let end = End { outcome, results, clauses, path: None, seen };
                Ok(Some(Ran::Ended(Box::new(end))))
            }
            [tag, what] if tag.as_atom() == Some("refused") => {
                let what = String::from_utf8_lossy(what.as_bytes().unwrap_or_default());
                cut(format!("{what} was refused"))
            }
            _ => Err(lost()),
        }
    }

    /// Returns the clauses that a run enters, in order, whatever is witnessed otherwise.
    pub(super) fn clauses_of(
        &mut self,
        module: &Atom,
        function: &Atom,
        args: &[Term],
    ) -> Result<Vec<ClausePlace>, HostError> {
        let usual = self.witness();
        let known = std::mem::take(&mut self.clauses);
        let n_wanted = self.wanted.len();
        self.scope.set_witness(Witness::Clauses);
        self.ready = None;
        let ran = self.run(module, function, args);
        let places = ran.map(|it| match it {
            Ran::Ended(end) => self.places(&end.clauses),
            Ran::Cut(_) => Vec::new(),
        });
        self.scope.set_witness(usual);
        self.clauses = known;
        self.wanted.truncate(n_wanted);
        self.ready = None;
        places
    }

    pub(super) fn places(&self, clauses: &[i64]) -> Vec<ClausePlace> {
        clauses.iter().filter_map(|it| self.clauses.places.get(it).cloned()).collect()
    }

    /// Returns the functions whose results the machine takes from the log.
    pub(super) fn outside(&self) -> Arc<Outside> {
        Arc::clone(&self.outside)
    }

    pub(super) fn witness(&self) -> Witness {
        self.scope.witness()
    }

    /// Returns the modules with functions that run outside.
    pub(super) fn leaving(&self) -> impl Iterator<Item = &Atom> {
        self.leaving.keys()
    }

    /// Whether this clause records when it is entered.
    pub(super) fn is_telling(&self, place: &ClausePlace) -> bool {
        self.clauses.places.get(&place.number()) == Some(place)
    }

    /// Moves a function outside as a whole, if it belongs to a module under test and is pure. Returns whether it was
    /// moved.
    pub(super) fn let_go(&mut self, function: &FunctionName) -> Result<bool, HostError> {
        let FunctionName { module, name, arity } = function;
        if !self.scope.is_own(module) || self.staying.contains(function) {
            return Ok(false);
        }
        let key = (name.clone(), *arity);
        let Runner { purity, scope, code, otp, .. } = self;
        let mut code_of = |module: &Atom| {
            let code = code.entry(module.clone());
            let code = code.or_insert_with(|| otp.load(module).ok().map(Arc::new));
            code.as_ref().map(|it| Arc::new(it.core.clone()))
        };
        if !purity.is_pure(scope, module, &key, &mut code_of) {
            return Ok(false);
        }
        if !self.leaving.entry(module.clone()).or_default().insert(key) {
            return Ok(false);
        }
        self.define(module)?;
        Ok(true)
    }

    /// Moves a function back inside, because it gets symbolic arguments.
    pub(super) fn keep(&mut self, function: &FunctionName) -> Result<(), HostError> {
        let FunctionName { module, name, arity } = function;
        self.staying.insert(function.clone());
        if let Some(leaving) = self.leaving.get_mut(module) {
            leaving.remove(&(name.clone(), *arity));
        }
        self.define(module)
    }

    fn request(&self, module: &Atom, function: &Atom, args: &[Term]) -> Term {
        let heap = Term::Int(i64::try_from(self.limits.heap_bytes).unwrap_or(i64::MAX));
        let args = Term::proper_list(args.to_vec());
        let is_table =
            |it: &Term| matches!(it, Term::Fun(fun) if matches!(**fun, Fun::Table { .. }));
        let (kind, args) = if args.has_part(is_table) {
            // A fun among the arguments is sent as text and created there.
            ("run_text", Term::binary(print(&args, Style::TW).into_bytes()))
        } else {
            ("run", args)
        };
        let (module, function) = (Term::Atom(module.clone()), Term::Atom(function.clone()));
        Term::Tuple(vec![Term::atom(kind), module, function, args, heap])
    }

    fn is_ready(&self) -> bool {
        self.ready == Some(self.otp.starts()) && self.otp.process_id().is_some()
    }

    /// Starts the runtime if it is not running, and restores the modules of the last one.
    pub fn prepare(&mut self) -> Result<(), HostError> {
        if self.is_ready() {
            return Ok(());
        }
        self.tell_scope()?;
        if self.ready.replace(self.otp.starts()) != Some(self.otp.starts()) {
            self.n_runs_of_process = 0;
        }
        for module in self.wanted.clone() {
            self.define(&module)?;
        }
        for module in self.alone.clone() {
            self.tell_alone(&module)?;
        }
        Ok(())
    }

    fn tell_scope(&mut self) -> Result<(), HostError> {
        let scope = self.scope.to_term();
        self.otp.ask(self.otp.load_limit(), &scope).map(drop)
    }

    fn tell_alone(&mut self, module: &Atom) -> Result<(), HostError> {
        let request = Term::Tuple(vec![Term::atom("alone"), Term::Atom(module.clone())]);
        self.otp.ask(self.otp.load_limit(), &request).map(drop)
    }

    /// Loads a module that the program has reached for the first time.
    fn need(&mut self, module: &Atom) -> Result<(), HostError> {
        let code = self.load(module);
        if code.is_none_or(|it| is_native(&it.core)) {
            self.leave_alone(module);
            return self.tell_alone(module);
        }
        self.wanted.push(module.clone());
        self.define(module)
    }

    fn leave_alone(&mut self, module: &Atom) {
        self.alone.insert(module.clone());
        let mut outside = (*self.outside).clone();
        outside.modules.insert(module.clone());
        self.outside = Arc::new(outside);
    }

    fn load(&mut self, module: &Atom) -> Option<Arc<ModuleCode>> {
        let otp = &mut self.otp;
        let code = self.code.entry(module.clone());
        code.or_insert_with(|| otp.load(module).ok().map(Arc::new)).clone()
    }

    /// Loads a module under test without rewriting it.
    fn use_as_it_is(&mut self, module: &Atom) -> Result<(), HostError> {
        let source = self.otp.find(module)?;
        let (name, path) = (Term::Atom(module.clone()), path_term(source.path()));
        let request = match &source {
            Source::Beam(_) => Term::Tuple(vec![Term::atom("use_beam"), name, path]),
            Source::Erl(_) => {
                let options = self.otp.options(&source).to_term();
                Term::Tuple(vec![Term::atom("use_source"), name, path, options])
            }
        };
        self.otp.ask(self.otp.load_limit(), &request).map(drop)?;
        self.tell_alone(module)
    }

    /// Rewrites a module and loads the result.
    fn define(&mut self, module: &Atom) -> Result<(), HostError> {
        if self.alone.contains(module) {
            return self.use_as_it_is(module);
        }
        let code = self.load(module);
        let code = code.ok_or_else(|| HostError::NotFound(module.as_str().to_owned()))?;
        let none = Leaving::new();
        let leaving = self.leaving.get(module).unwrap_or(&none);
        let rewritten = rewrite(&self.scope, module, &code.core, leaving, &mut self.clauses);
        let Some(rewritten) = rewritten else {
            return Err(HostError::NoDebugInfo(module.as_str().to_owned()));
        };
        let mut modules = vec![(self.scope.name_of(module), rewritten)];
        if !leaving.is_empty() {
            let plain = plain(module, &code.core);
            modules.extend(plain.map(|it| (Scope::plain_name(module), it)));
        }
        for (name, core) in modules {
            let parts = vec![Term::Atom(name.clone()), core, Term::string(&code.file)];
            let request = [Term::atom("rewritten")].into_iter().chain(parts).collect();
            let made = self.otp.compile(&name, &Term::Tuple(request))?;
            self.n_compiled += u64::from(made == Compilation::Now);
        }
        Ok(())
    }
}

fn ended(end: &Term, log: &Term, path: Option<i64>, seen: &Term) -> Option<Ran> {
    let outcome = match end.as_tuple()? {
        [_, value] => Outcome::Value(value.clone()),
        [_, Term::Atom(class), reason, trace] => {
            Outcome::Crash { class: class.clone(), reason: reason.clone(), trace: trace.clone() }
        }
        _ => return None,
    };
    let (mut results, mut clauses) = (VecDeque::new(), Vec::new());
    // The log is built by prepending, so the newest entry comes first.
    for entry in log.as_list()?.iter().rev() {
        match entry {
            Term::Int(number) => clauses.push(*number),
            entry => results.push_back(match entry.as_tuple()? {
                [called, value] => (function(called)?, Answer::Value(value.clone())),
                [called, Term::Atom(class), reason, trace] => {
                    let (class, reason, trace) = (class.clone(), reason.clone(), trace.clone());
                    (function(called)?, Answer::Raised { class, reason, trace })
                }
                _ => return None,
            }),
        }
    }
    let number = |it: &Term| it.as_atom()?.strip_prefix(SEEN)?.parse().ok();
    let seen = seen.as_list()?.iter().filter_map(number).collect();
    Some(Ran::Ended(Box::new(End { outcome, results, clauses, path, seen })))
}

fn function(called: &Term) -> Option<FunctionName> {
    let [Term::Atom(module), Term::Atom(name), Term::Int(arity)] = called.as_tuple()? else {
        return None;
    };
    let (module, name) = (module.clone(), name.clone());
    Some(FunctionName { module, name, arity: u32::try_from(*arity).ok()? })
}
