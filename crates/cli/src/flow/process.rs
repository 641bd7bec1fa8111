//! The owner's side of a worker process: starts the process, gives it turns, and handles its end.

use crate::flow::explorer::{Explorer, Fault, LostTurn};
use crate::flow::program::Program;
use crate::flow::progress::Progress;
use crate::flow::room::{TOO_MUCH, processor_time};
use crate::flow::serve::Role;
use crate::flow::wire::{Answer, Frames, Order, Received, Turn, read, send};
use std::ffi::OsString;
use std::io::Read;
use std::marker::PhantomData;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often the owner checks the clock and the interrupt flag.
const TICK: Duration = Duration::from_millis(50);
/// How long a worker that was told to stop has to send its results.
const TO_STOP: Duration = Duration::from_millis(800);
/// How long a worker may take to load and plan.
const LOADING: Duration = Duration::from_secs(600);
/// A turn is aborted when its wall time exceeds its slice times `TIMES` plus `MORE`, and its processor time exceeds
/// that limit times the number of its cores. A worker keeps to its slice by itself; this limit is for code that can't
/// be stopped from within.
const TIMES: u32 = 3;
const MORE: Duration = Duration::from_secs(20);
/// A turn is also aborted when its wall time exceeds that limit by this factor, whatever its processor time. The
/// factor leaves room for a loaded machine, where a worker gets little processor time.
const TIMES_LONGER: u32 = 5;
/// How many bytes of a worker's standard error are kept.
const MAX_SAID: usize = 1 << 14;

/// The data that is the same for all worker processes.
#[derive(Clone, Debug)]
pub(super) struct Owner<'a> {
    /// The arguments of this process, without its name.
    pub(super) arguments: Vec<OsString>,
    /// The hash of the plan.
    pub(super) plan: u64,
    pub(super) interrupt: &'a AtomicBool,
}

/// A worker process as a [`Explorer`].
pub(super) struct WorkerProcess<'a, P> {
    owner: &'a Owner<'a>,
    child: Child,
    orders: ChildStdin,
    answers: ChildStdout,
    frames: Frames,
    said: StandardError,
    is_ready: bool,
    program: PhantomData<fn() -> P>,
}

impl<'a, P: Program> WorkerProcess<'a, P> {
    pub(super) fn start(owner: &'a Owner<'a>, role: &Role) -> Result<WorkerProcess<'a, P>, String> {
        // The path of the executable may refer to a newer version by now; `/proc/self/exe` does not.
        let mut command = Command::new("/proc/self/exe");
        command.arg0("gimlet").args(role.to_args()).args(&owner.arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // A process group of its own keeps signals of the terminal from the worker.
        command.process_group(0);
        let trouble = |why: &str| format!("a worker process could not be started: {why}");
        let mut child = command.spawn().map_err(|it| trouble(&it.to_string()))?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let (Some(orders), Some(answers), Some(errors)) = (stdin, stdout, child.stderr.take())
        else {
            return Err(trouble("it has no pipes"));
        };
        let said = StandardError::new(errors).map_err(|it| trouble(&it.to_string()))?;
        let frames = Frames::default();
        let (is_ready, program) = (false, PhantomData);
        Ok(WorkerProcess { owner, child, orders, answers, frames, said, is_ready, program })
    }

    /// Why the process ended, from its standard error and exit status. Kills it if it still runs.
    fn death(&mut self) -> LostTurn {
        // The process closed its pipes; if it still runs, it can't send results any more.
        self.child.kill().unwrap_or_default();
        let status = self.child.wait();
        let said = self.said.all();
        let why = if said.contains("has overflowed its stack") {
            "the native stack of its worker process overflowed".to_owned()
        } else if said.contains(TOO_MUCH) || said.contains("memory allocation of") {
            "its worker process used up its memory; --memory says how much there is".to_owned()
        } else {
            match status {
                Ok(status) => ending(status),
                Err(why) => format!("its worker process is gone: {why}"),
            }
        };
        LostTurn { why, cause: Fault::Died }
    }
}

fn failed(why: String) -> LostTurn {
    LostTurn { why, cause: Fault::Failed }
}

fn ending(status: ExitStatus) -> String {
    match (status.signal(), status.code()) {
        (Some(9), _) => "its worker process was killed (signal 9)".to_owned(),
        (Some(11), _) => "its worker process broke (signal 11)".to_owned(),
        (Some(signal), _) => format!("its worker process was ended by signal {signal}"),
        (None, code) => format!("its worker process ended with code {}", code.unwrap_or(-1)),
    }
}

impl<P: Program> Explorer<P> for WorkerProcess<'_, P> {
    fn prepare(&mut self) -> Result<(), LostTurn> {
        let begin = Instant::now();
        while !self.is_ready {
            match self.frames.next(&mut self.answers, TICK) {
                Received::Frame(Answer::Ready { plan }) if plan == self.owner.plan => {
                    self.is_ready = true;
                }
                Received::Frame(Answer::Ready { .. }) => {
                    return Err(failed("the program changed while it was tested".to_owned()));
                }
                // A worker answers no turn before it was given one.
                Received::Frame(
                    Answer::Seen(_)
                    | Answer::SoFar(_)
                    | Answer::Explored(_)
                    | Answer::Failed { .. },
                )
                | Received::End => return Err(self.death()),
                Received::Silence if self.owner.interrupt.load(Ordering::Relaxed) => {
                    let why = "it was not ready when it was asked to stop".to_owned();
                    return Err(LostTurn { why, cause: Fault::Stopped });
                }
                Received::Silence if LOADING < begin.elapsed() => {
                    return Err(failed("its worker process could not load it".to_owned()));
                }
                Received::Silence => {}
            }
        }
        Ok(())
    }

    /// Gives the worker a turn and waits for its result.
    fn explore(
        &mut self,
        turn: &Turn,
        progress: &Progress,
        heard: &mut dyn FnMut(P::Explored),
    ) -> Result<P::Explored, LostTurn> {
        self.prepare()?;
        let order = Order::Explore(turn.clone());
        if send(&mut self.orders, &order).is_err() {
            return Err(self.death());
        }
        let limit = Limit::new(&self.child, turn);
        let mut stopping: Option<Instant> = None;
        loop {
            let answer: Answer = match self.frames.next(&mut self.answers, TICK) {
                Received::Frame(answer) => answer,
                Received::End => return Err(self.death()),
                Received::Silence => {
                    if limit.is_over() {
                        return Err(failed("it did not stop when its time was over".to_owned()));
                    }
                    match stopping {
                        _ if !self.owner.interrupt.load(Ordering::Relaxed) => {}
                        Some(since) if since.elapsed() < TO_STOP => {}
                        None => {
                            stopping = Some(Instant::now());
                            if send(&mut self.orders, &Order::Stop).is_err() {
                                return Err(self.death());
                            }
                        }
                        Some(_) => {
                            let why = "it did not stop when it was asked to".to_owned();
                            return Err(LostTurn { why, cause: Fault::Stopped });
                        }
                    }
                    continue;
                }
            };
            match answer {
                Answer::Ready { .. } => {}
                Answer::Seen(seen) => progress.add(seen),
                Answer::SoFar(bytes) => heard(read(&bytes).map_err(failed)?),
                Answer::Explored(bytes) => return read(&bytes).map_err(failed),
                Answer::Failed { why } => {
                    self.said.pass_on();
                    return Err(failed(why));
                }
            }
        }
    }
}

/// The limit of wall time and processor time of one turn.
struct Limit {
    worker: u32,
    /// The processor time that the worker had used before the turn.
    used: Duration,
    most: Duration,
    n_cores: u32,
    begin: Instant,
}

impl Limit {
    fn new(worker: &Child, turn: &Turn) -> Limit {
        let worker = worker.id();
        Limit {
            worker,
            used: processor_time(worker).unwrap_or_default(),
            most: turn.time.saturating_mul(TIMES).saturating_add(MORE),
            n_cores: u32::try_from(turn.n_cores).unwrap_or(u32::MAX),
            begin: Instant::now(),
        }
    }

    fn is_over(&self) -> bool {
        let Limit { worker, used, most, n_cores, begin } = self;
        let spent = || processor_time(*worker).unwrap_or(Duration::MAX).saturating_sub(*used);
        let lasted = begin.elapsed();
        *most < lasted
            && (most.saturating_mul(*n_cores) < spent()
                || most.saturating_mul(TIMES_LONGER) < lasted)
    }
}

impl<P> Drop for WorkerProcess<'_, P> {
    fn drop(&mut self) {
        self.child.kill().unwrap_or_default();
        drop(self.child.wait());
    }
}

/// The beginning of a worker's standard error, read by a thread.
struct StandardError {
    text: Arc<Mutex<Vec<u8>>>,
    reading: Option<JoinHandle<()>>,
}

impl StandardError {
    fn new(mut errors: ChildStderr) -> std::io::Result<StandardError> {
        let text = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&text);
        let reading = thread::Builder::new().name("errors".to_owned()).spawn(move || {
            let mut chunk = [0; 4096];
            while let Ok(n @ 1..) = errors.read(&mut chunk) {
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                let n = n.min(MAX_SAID.saturating_sub(kept.len()));
                kept.extend_from_slice(chunk.get(..n).unwrap_or_default());
            }
        })?;
        Ok(StandardError { text, reading: Some(reading) })
    }

    /// The whole text; waits until the worker has closed its standard error.
    fn all(&mut self) -> String {
        drop(self.reading.take().map(JoinHandle::join));
        self.taken()
    }

    fn taken(&self) -> String {
        let mut text = self.text.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&std::mem::take(&mut *text)).into_owned()
    }

    /// Copies the worker's standard error to ours.
    fn pass_on(&self) {
        crate::start::write(&mut std::io::stderr(), self.taken().as_bytes());
    }
}
