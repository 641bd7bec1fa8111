//! Runs suites on the machine, in worker processes that execute one case at a time.
//!
//! A worker that exceeds its time, panics or overflows its stack is replaced.
#![expect(clippy::disallowed_methods, reason = "this chore starts workers of itself")]

use super::{Case, Effects, Options, each};
use beam::Otp;
use erlang::builtins::Stop;
use erlang::machine::{Allowed, Epoch, Limits, Logging};
use erlang::{Machine, Outcome, Settings};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{SystemTime, UNIX_EPOCH};
use term::{Atom, Term};

/// The name of the chore that a worker process executes.
pub(crate) const WORKER: &str = "suites-worker";

const STACK_BYTES: usize = 1 << 30;

/// The end of a case on the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    Passed,
    /// The case failed for this reason, given as one line.
    Failed(String),
}

impl Ending {
    /// Returns the text by which failures are grouped: the beginning of the line, without details that differ
    /// between cases.
    pub(crate) fn cause(&self) -> Option<String> {
        match self {
            Ending::Passed => None,
            Ending::Failed(line) => Some(line.chars().take(200).collect()),
        }
    }
}

/// Runs the cases and returns their ends in the same order.
pub(crate) fn run_all(
    options: &Options,
    driver: &Path,
    cases: &[Case],
) -> Result<Vec<(Case, Ending)>, String> {
    let mut batches: Vec<Vec<Case>> = Vec::new();
    for case in cases {
        match batches.last_mut() {
            Some(batch)
                if batch.len() < 25 && batch.first().is_some_and(|it| it.suite == case.suite) =>
            {
                batch.push(case.clone());
            }
            None | Some(_) => batches.push(vec![case.clone()]),
        }
    }
    let done = each(&batches, options.jobs, |batch| {
        let mut worker = None;
        batch
            .iter()
            .map(|case| Ok((case.clone(), run_one(options, driver, &mut worker, case)?)))
            .collect::<Result<Vec<_>, String>>()
    });
    let mut res = Vec::new();
    for batch in done {
        res.extend(batch?);
    }
    Ok(res)
}

fn run_one(
    options: &Options,
    driver: &Path,
    slot: &mut Option<Worker>,
    case: &Case,
) -> Result<Ending, String> {
    let worker = match slot {
        Some(worker) => worker,
        None => slot.insert(Worker::start(options, driver)?),
    };
    let asked = writeln!(worker.input, "{}\t{}", case.suite, case.name);
    let said = asked.ok().and_then(|()| worker.answers.recv_timeout(options.time).ok());
    let line = match said {
        Some(line) => line,
        None => {
            let over = worker.child.try_wait().ok().flatten();
            *slot = None;
            over.map_or_else(|| "out of time".to_owned(), |it| format!("the worker ended: {it}"))
        }
    };
    if line.starts_with("panic") {
        *slot = None;
    }
    Ok(if line == "ok" { Ending::Passed } else { Ending::Failed(line) })
}

struct Worker {
    child: Child,
    input: ChildStdin,
    answers: Receiver<String>,
}

impl Worker {
    fn start(options: &Options, driver: &Path) -> Result<Worker, String> {
        let exe = std::env::current_exe().map_err(|it| it.to_string())?;
        let mut command = Command::new(exe);
        command.arg(WORKER).arg(&options.dir).arg(driver).arg(options.reductions.to_string());
        if options.effects == Effects::Allowed {
            command.arg("allow");
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|it| it.to_string())?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("the worker has no pipes".to_owned());
        };
        let (sender, answers) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Ok(Worker { child, input, answers })
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // The worker may have exited already; killing it then fails, which is not an error.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Runs a worker: reads lines with suite and case, and writes a line with the end of each case.
pub(crate) fn work(args: &[&str]) -> Result<String, String> {
    let [dir, driver, reductions, effects @ ..] = args else {
        return Err("a worker needs the directories of the suites and the driver".to_owned());
    };
    let bench = Bench {
        dir: PathBuf::from(dir),
        driver: PathBuf::from(driver),
        reductions: reductions.parse().map_err(|_| format!("{reductions} is not a number"))?,
        effects: if effects.is_empty() { Effects::Refused } else { Effects::Allowed },
    };
    let worker = std::thread::Builder::new().stack_size(STACK_BYTES);
    let worker = worker.spawn(move || bench.serve()).map_err(|it| it.to_string())?;
    worker.join().map_err(|_| "the worker broke".to_owned())?
}

struct Bench {
    dir: PathBuf,
    driver: PathBuf,
    reductions: u64,
    effects: Effects,
}

impl Bench {
    fn serve(&self) -> Result<String, String> {
        std::panic::set_hook(Box::new(|info| {
            let place = info.location().map(|it| format!("{}:{}", it.file(), it.line()));
            let what = info.payload_as_str().unwrap_or("no text");
            LAST_PANIC.set(format!("panic at {}: {what}", place.unwrap_or_default()));
        }));
        let mut machine = self.machine()?;
        for line in std::io::stdin().lines().map_while(Result::ok) {
            let Some((suite, case)) = line.split_once('\t') else { continue };
            let ending = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                self.run(&mut machine, suite, case)
            }));
            let ending = ending.unwrap_or_else(|_| LAST_PANIC.take());
            let shown = ending.replace(['\n', '\r'], " ");
            writeln!(std::io::stdout(), "{shown}").map_err(|it| it.to_string())?;
        }
        Ok(String::new())
    }

    fn machine(&self) -> Result<Machine, String> {
        let settings = beam::Settings {
            cache_dir: Some(self.dir.join(".cache")),
            code_paths: vec![self.driver.clone(), self.dir.clone()],
            ..beam::Settings::default()
        };
        let otp = Otp::new(settings).map_err(|it| it.to_string())?;
        let allowed = self.effects == Effects::Allowed;
        // Cases compare the clock with the modification times of files, so it starts at the real time.
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let settings = Settings {
            limits: Limits {
                reductions: self.reductions,
                memory_bytes: 1 << 30,
                ..Limits::default()
            },
            logging: Logging::Terminal,
            allowed: Allowed { files: allowed, network: allowed, os: allowed },
            environment: if allowed { std::env::vars().collect() } else { BTreeMap::new() },
            epoch: Epoch(i64::try_from(now.as_nanos()).unwrap_or(i64::MAX)),
            ..Settings::default()
        };
        Ok(Machine::new(Box::new(otp), settings))
    }

    fn run(&self, machine: &mut Machine, suite: &str, case: &str) -> String {
        let mut groups: Vec<Term> = case.split('/').map(Term::atom).collect();
        let Some(case) = groups.pop() else { return "no case".to_owned() };
        // Other workers run other cases of the suite at the same time, so each needs a directory of its own.
        let private = self.dir.join(format!(".priv-{suite}-{}", std::process::id()));
        let made = fs::create_dir_all(&private);
        if let Err(error) = made.and_then(|()| std::env::set_current_dir(&private)) {
            return error.to_string();
        }
        let path = |key: &str, path: &Path| {
            Term::Tuple(vec![Term::atom(key), Term::string(&format!("{}/", path.display()))])
        };
        let config = Term::proper_list(vec![
            path("data_dir", &self.dir.join(format!("{suite}_data"))),
            path("priv_dir", &private),
        ]);
        let args = [Term::atom(suite), Term::proper_list(groups), case, config];
        let run = machine.call(&Atom::new("gimlet_ct"), &Atom::new("run"), &args);
        // Files that a case left behind must not affect the next case.
        let gone = std::env::set_current_dir(&self.dir).and_then(|()| fs::remove_dir_all(&private));
        match (run, gone) {
            (Ok(run), Ok(())) => shown(run.outcome),
            (Err(error), _) => format!("machine error: {error}"),
            (_, Err(error)) => error.to_string(),
        }
    }
}

thread_local! {
    /// The place and message of the last panic of this thread.
    static LAST_PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

fn shown(outcome: Outcome) -> String {
    match outcome {
        Outcome::Value(Term::Atom(atom)) if atom.as_str() == "ok" => "ok".to_owned(),
        Outcome::Value(term) => match term.as_tuple() {
            Some([_, phase, class, reason, stack]) => {
                let phase = match phase.as_atom() {
                    Some("case") | None => String::new(),
                    Some(phase) => format!("{phase} "),
                };
                let place = stack.as_list().and_then(|it| it.first()).map(place);
                let (class, reason) = (text(class), text(reason));
                format!("{phase}{class}:{reason} in {}", place.unwrap_or_default())
            }
            None | Some(_) => text(&term),
        },
        Outcome::Raised { class, reason, .. } => {
            format!("driver {}:{}", class.as_str(), text(&reason))
        }
        Outcome::Killed { reason } => format!("driver killed: {}", text(&reason)),
        Outcome::Deadlock { waiting } => format!("deadlock: {waiting} wait"),
        Outcome::NoTerm(why) => why.to_string(),
        Outcome::Stopped(Stop::Refused { effect, what }) => format!("refused {effect:?}: {what}"),
        Outcome::Stopped(stop) => stop.to_string(),
    }
}

/// Returns `module:function/arity` and the line of an entry of a stack trace.
fn place(entry: &Term) -> String {
    let Some([module, function, arity, info]) = entry.as_tuple() else { return text(entry) };
    let arity = match arity.as_list() {
        Some(args) => args.len().to_string(),
        None => text(arity),
    };
    let line = info.as_list().unwrap_or_default().iter().find_map(|it| match it.as_tuple() {
        Some([key, line]) if key.as_atom() == Some("line") => Some(format!(" line {}", text(line))),
        None | Some(_) => None,
    });
    let (module, function) = (text(module), text(function));
    format!("{module}:{function}/{arity}{}", line.unwrap_or_default())
}

fn text(term: &Term) -> String {
    term::print(term, term::Style::TP)
}
