//! A long-lived `erl` that answers requests, one at a time.
//!
//! It is started by the first request, and again by the first request after it was lost. Knows frames and time limits;
//! the meaning of requests is left to the agent and the callers.

use crate::cache::{Cache, CacheKey, EntryKind};
use crate::confinement::{Confinement, Runtime, around_code, free_ports};
use erlang::{HostError, Running as Applications};
use sandbox::{Process, Scratch};
use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use term::{Term, etf};

/// The source of the agent. It is part of every cache key, since all answers depend on it.
pub(crate) const AGENT: &str = include_str!("agent.erl");

const BOOT: &str = include_str!("boot.erl");

/// How much longer than the agent's own time limit we wait for an answer.
const GRACE: Duration = Duration::from_secs(2);
/// How long `erl` may take to stop.
const STOP: Duration = Duration::from_secs(2);
/// The interval at which the interrupt flag is checked.
const LOOK: Duration = Duration::from_millis(50);
/// How many bytes of the last output on standard error are kept.
const LAST_WORDS: usize = 2000;
/// The maximal size of a frame in bytes, given by its length field and the port driver.
const MAX_FRAME: usize = 1 << 30;

/// The ids of frames that come before the first answer.
const COMPILED: u32 = u32::MAX;
const STALE: u32 = u32::MAX - 1;
const READY: u32 = 0;

/// The time limit of a request whose processes are not ended.
const FOR_GOOD: u32 = 0;

/// The work that a request had done when it timed out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spent {
    /// The reductions of all its processes, or 1000 for each millisecond of processor time if that is more. A waiting
    /// process uses few reductions, however long it waits.
    pub reductions: u64,
    /// Whether one of the processes was within a native operation, which uses no reductions.
    pub is_computing: bool,
}

impl Spent {
    /// The work that is assumed for a runtime that does not answer.
    const UNKNOWN: Spent = Spent { reductions: 0, is_computing: true };
}

#[derive(Debug)]
pub(crate) struct Peer {
    launch: Launch,
    /// The location of the runtime; computed when a sandbox is needed.
    runtime: Option<Runtime>,
    running: Option<RunningPeer>,
    /// How many processes were started.
    pub(crate) starts: u32,
    /// The work that the last request had done when it timed out.
    pub(crate) spent: Spent,
    /// When the flag is set, the current request is given up.
    pub(crate) interrupt: Arc<AtomicBool>,
}

/// How to start the process.
#[derive(Clone, Debug)]
pub(crate) struct Launch {
    /// The path of the executable.
    pub(crate) erl: PathBuf,
    /// Identifies the executable and its OTP in cache keys.
    pub(crate) identity: CacheKey,
    /// Directories searched before OTP's own.
    pub(crate) code_paths: Vec<PathBuf>,
    /// Directories searched after OTP's own.
    pub(crate) last_paths: Vec<PathBuf>,
    pub(crate) start_limit: Duration,
    pub(crate) cache: Cache,
    /// The sandbox; `None`: the process may do what the user may.
    pub(crate) confinement: Option<Confinement>,
    /// Paths that it may read besides its own files.
    pub(crate) reads: Vec<PathBuf>,
    /// How many nodes it may start.
    pub(crate) nodes: usize,
    /// The applications that are started before any request.
    pub(crate) running: Applications,
}

impl Peer {
    pub(crate) fn new(launch: Launch) -> Peer {
        Peer {
            launch,
            runtime: None,
            running: None,
            starts: 0,
            spent: Spent::UNKNOWN,
            interrupt: Arc::default(),
        }
    }

    /// Returns the agent's answer to a request with this time limit.
    pub(crate) fn ask(&mut self, limit: Duration, request: &Term) -> Result<Term, HostError> {
        self.spent = Spent::UNKNOWN;
        let body = etf::encode(request).map_err(|why| HostError::Lost(why.to_string()))?;
        let interrupt = Arc::clone(&self.interrupt);
        let running = self.running()?;
        let answer = running.ask(limit, &body, &interrupt).map(undamaged);
        // A late answer could be mistaken for that of the next request, and a damaged runtime cannot be trusted.
        if !matches!(answer, Ok((_, Health::Sound))) {
            self.running = None;
        }
        let (answer, _) = answer?;
        if let Some([tag, Term::Int(reductions), state]) = answer.as_tuple()
            && tag.as_atom() == Some("timeout")
        {
            self.spent = Spent {
                reductions: u64::try_from(*reductions).unwrap_or(0),
                is_computing: state.as_atom() == Some("computing"),
            };
            return Err(HostError::Timeout(format!("it was given {} ms", limit.as_millis())));
        }
        Ok(answer)
    }

    /// Returns what the process reported about its OTP when it started.
    pub(crate) fn info(&mut self) -> Result<Term, HostError> {
        Ok(self.running()?.info.clone())
    }

    /// Adds directories to the front of the code path, now and after every restart.
    pub(crate) fn add_code_paths(&mut self, paths: &[PathBuf]) -> Result<(), HostError> {
        self.launch.code_paths.extend_from_slice(paths);
        self.allow_reading(paths.iter().flat_map(|it| around_code(it)).collect());
        if self.running.is_none() || paths.is_empty() {
            return Ok(());
        }
        let paths = Term::proper_list(paths.iter().map(|it| path_term(it)).collect());
        let request = Term::Tuple(vec![Term::atom("add_paths"), paths]);
        self.ask(self.launch.start_limit, &request).map(drop)
    }

    /// Allows the process to read these paths. A running process cannot be given more rights, so it is restarted if
    /// necessary.
    pub(crate) fn allow_reading(&mut self, paths: Vec<PathBuf>) {
        if self.launch.confinement.is_none() {
            return;
        }
        let runtime = self.runtime().map(|it| it.root.clone()).ok();
        for path in paths {
            let is_below = |it: &PathBuf| path.starts_with(it);
            if !runtime.iter().chain(&self.launch.reads).any(is_below) {
                self.launch.reads.push(path);
                self.running = None;
            }
        }
    }

    fn runtime(&mut self) -> Result<&Runtime, HostError> {
        if self.runtime.is_none() {
            self.runtime = Runtime::of(&self.launch.erl);
        }
        self.runtime.as_ref().ok_or_else(|| {
            let erl = self.launch.erl.display();
            HostError::Lost(format!("{erl} belongs to no OTP that is installed"))
        })
    }

    /// Sets the applications that are started first; restarts the process if they changed.
    pub(crate) fn run_applications(&mut self, running: Applications) {
        if self.launch.running != running {
            self.launch.running = running;
            self.running = None;
        }
    }

    /// Allows the process to start nodes that talk to each other.
    pub(crate) fn allow_nodes(&mut self, count: usize) {
        self.launch.nodes = count;
        self.running = None;
    }

    /// Returns the ports on which these nodes must listen.
    pub(crate) fn ports(&mut self) -> Result<Vec<u16>, HostError> {
        Ok(self.running()?.ports.clone())
    }

    /// Returns the id of the process, if it is running.
    pub(crate) fn process_id(&self) -> Option<u32> {
        self.running.as_ref().map(|it| it.process.id())
    }

    fn running(&mut self) -> Result<&mut RunningPeer, HostError> {
        if self.running.is_none() {
            self.starts += 1;
            let confinement = match self.launch.confinement.clone() {
                Some(confinement) => Some((confinement, self.runtime()?.clone())),
                None => None,
            };
            let mut running = RunningPeer::start(&self.launch, confinement.as_ref())?;
            if self.launch.running != Applications::default() {
                running.begin(&self.launch)?;
            }
            self.running = Some(running);
        }
        self.running.as_mut().ok_or_else(|| HostError::Lost("it did not start".to_owned()))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Health {
    Sound,
    /// A request has ended a process that belongs to the runtime.
    Damaged,
}

/// Separates an answer from the agent's report on the runtime.
fn undamaged(answer: Term) -> (Term, Health) {
    match answer.as_tuple() {
        Some([tag, inner]) if tag.as_atom() == Some("damaged") => (inner.clone(), Health::Damaged),
        Some(_) | None => (answer, Health::Sound),
    }
}

/// Returns a path as it is sent in a request.
pub(crate) fn path_term(path: &Path) -> Term {
    Term::binary(path.as_os_str().as_encoded_bytes().to_vec())
}

/// A running process, and the threads that read and write its pipes so that a full pipe does not block the tool.
#[derive(Debug)]
struct RunningPeer {
    process: Process,
    /// The queue to the process's input. Dropping it closes the input, which tells the agent to stop.
    frames: Option<Sender<Vec<u8>>>,
    answers: Receiver<Vec<u8>>,
    threads: Vec<JoinHandle<()>>,
    last_words: Arc<Mutex<VecDeque<u8>>>,
    last_id: u32,
    info: Term,
    /// The ports that its nodes may use.
    ports: Vec<u16>,
}

impl RunningPeer {
    fn start(
        launch: &Launch,
        confinement: Option<&(Confinement, Runtime)>,
    ) -> Result<RunningPeer, HostError> {
        let failed = |why: &dyn std::fmt::Display| {
            HostError::Lost(format!("{} could not be started: {why}", launch.erl.display()))
        };
        let ports = free_ports(launch.nodes);
        let (mut command, scratch) =
            command(launch, confinement, &ports).map_err(|why| failed(&why))?;
        let mut process = Process::start(&mut command, scratch).map_err(|why| failed(&why))?;
        let (frames, to_write) = channel();
        let (to_read, answers) = channel();
        let last_words = Arc::new(Mutex::new(VecDeque::new()));
        let mut threads = Vec::new();
        if let Some(stdin) = process.stdin() {
            threads.push(std::thread::spawn(move || write_frames(stdin, &to_write)));
        }
        if let Some(stdout) = process.stdout() {
            threads.push(std::thread::spawn(move || read_frames(stdout, &to_read)));
        }
        if let Some(stderr) = process.stderr() {
            let words = Arc::clone(&last_words);
            threads.push(std::thread::spawn(move || remember(stderr, &words)));
        }
        let mut running = RunningPeer {
            process,
            frames: Some(frames),
            answers,
            threads,
            last_words,
            last_id: READY,
            info: Term::Nil,
            ports,
        };
        running.boot(launch)?;
        Ok(running)
    }

    /// Sends the agent to the process: compiled if it is in the cache, otherwise as source.
    fn boot(&mut self, launch: &Launch) -> Result<(), HostError> {
        let key = CacheKey::of(&[launch.identity.as_str().as_bytes(), AGENT.as_bytes()]);
        match launch.cache.read(EntryKind::Agent, &key) {
            Some(beam) => self.send(&[b"b", &beam])?,
            None => self.send(&[b"s", AGENT.as_bytes()])?,
        }
        let end = Instant::now() + launch.start_limit;
        loop {
            match self.receive(end, &AtomicBool::new(false))? {
                (COMPILED, beam) => launch.cache.write(EntryKind::Agent, &key, &beam),
                (STALE, _) => self.send(&[b"s", AGENT.as_bytes()])?,
                (_, body) => {
                    self.info = etf::decode(&body).map_err(|why| self.lost(&why.to_string()))?;
                    return Ok(());
                }
            }
        }
    }

    /// Starts the applications that run as long as the runtime does.
    fn begin(&mut self, launch: &Launch) -> Result<(), HostError> {
        let Applications { environment, loaded, started } = &launch.running;
        let started = started.iter().cloned().map(Term::Atom).collect();
        let lists = [environment.clone(), loaded.clone(), started].map(Term::proper_list);
        let body = etf::encode(&Term::Tuple(lists.to_vec()))
            .map_err(|why| HostError::Lost(why.to_string()))?;
        self.last_id += 1;
        self.send(&[&self.last_id.to_be_bytes(), &FOR_GOOD.to_be_bytes(), &body])?;
        self.receive(Instant::now() + launch.start_limit, &AtomicBool::new(false)).map(drop)
    }

    fn ask(
        &mut self,
        limit: Duration,
        body: &[u8],
        interrupt: &AtomicBool,
    ) -> Result<Term, HostError> {
        self.last_id = self.last_id % (STALE - 1) + 1;
        let millis = u32::try_from(limit.as_millis()).unwrap_or(u32::MAX).max(FOR_GOOD + 1);
        self.send(&[&self.last_id.to_be_bytes(), &millis.to_be_bytes(), body])?;
        let (id, answer) = self.receive(Instant::now() + limit + GRACE, interrupt)?;
        if id != self.last_id {
            return Err(self.lost("it answered another request"));
        }
        etf::decode(&answer).map_err(|why| self.lost(&why.to_string()))
    }

    fn send(&mut self, parts: &[&[u8]]) -> Result<(), HostError> {
        let body = parts.concat();
        let len = u32::try_from(body.len()).ok().filter(|_| body.len() <= MAX_FRAME);
        let Some(len) = len else {
            return Err(HostError::Lost("the request is too large".to_owned()));
        };
        let frame = [&len.to_be_bytes(), body.as_slice()].concat();
        let sent = self.frames.as_ref().is_some_and(|it| it.send(frame).is_ok());
        if sent { Ok(()) } else { Err(self.lost("it takes no requests")) }
    }

    /// Receives a frame and returns its id and body.
    fn receive(
        &mut self,
        end: Instant,
        interrupt: &AtomicBool,
    ) -> Result<(u32, Vec<u8>), HostError> {
        let mut frame = loop {
            let left = end.saturating_duration_since(Instant::now());
            match self.answers.recv_timeout(left.min(LOOK)) {
                Ok(frame) => break frame,
                Err(RecvTimeoutError::Timeout) if interrupt.load(Ordering::Relaxed) => {
                    // A busy runtime would not notice the closed input. If it is gone already, there is nothing to
                    // stop.
                    drop(self.process.stop());
                    return Err(HostError::Timeout("it was interrupted".to_owned()));
                }
                Err(RecvTimeoutError::Timeout) if left.is_zero() => {
                    return Err(HostError::Timeout("it was stopped".to_owned()));
                }
                Err(RecvTimeoutError::Timeout) => (),
                Err(RecvTimeoutError::Disconnected) => return Err(self.lost("it ended")),
            }
        };
        let Some(id) = frame.first_chunk().map(|it| u32::from_be_bytes(*it)) else {
            return Err(self.lost("it sent an empty frame"));
        };
        frame.drain(..4);
        Ok((id, frame))
    }

    fn lost(&self, why: &str) -> HostError {
        let words = self.last_words.lock().unwrap_or_else(PoisonError::into_inner);
        let words: Vec<u8> = words.iter().copied().collect();
        match String::from_utf8_lossy(&words).trim() {
            "" => HostError::Lost(why.to_owned()),
            words => HostError::Lost(format!("{why}; its last words: {words}")),
        }
    }
}

/// Closes the input, gives the process time to stop, and then kills it; the threads end with their pipes.
impl Drop for RunningPeer {
    fn drop(&mut self) {
        self.frames = None;
        let end = Instant::now() + STOP;
        let mut stopped = false;
        while !stopped && Instant::now() < end {
            let left = end.saturating_duration_since(Instant::now());
            stopped = self.answers.recv_timeout(left) == Err(RecvTimeoutError::Disconnected);
        }
        // Programs that the runtime started may outlive it.
        drop(self.process.stop());
        for thread in self.threads.drain(..) {
            drop(thread.join());
        }
    }
}

/// Returns the command of the runtime. The frames go through descriptors 3 and 4, so that a program that prints, or a
/// port program that inherits standard output, cannot break a frame. Their output goes to standard error.
fn command(
    launch: &Launch,
    confinement: Option<&(Confinement, Runtime)>,
    ports: &[u16],
) -> io::Result<(Command, Option<Scratch>)> {
    let (mut command, scratch) = match confinement {
        Some((confinement, runtime)) => {
            let scratch = Scratch::new()?;
            (confinement.command(runtime, &launch.reads, ports, &scratch), Some(scratch))
        }
        None => (unconfined(launch), None),
    };
    command
        // No break handler on Ctrl-C, no busy-waiting schedulers, file names in UTF-8.
        .args(["+Bi", "+sbwt", "none", "+sbwtdcpu", "none", "+sbwtdio", "none", "+fnu"])
        // Neither the user's `~/.erlang` nor a shell.
        .args(["-boot", "no_dot_erlang", "-noinput"]);
    for path in &launch.code_paths {
        command.arg("-pa").arg(path);
    }
    for path in &launch.last_paths {
        command.arg("-pz").arg(path);
    }
    if std::env::current_dir().is_err() {
        // OTP does not start in a directory that was deleted.
        command.current_dir("/");
    }
    command
        .args(["-eval", BOOT])
        .env("ERL_CRASH_DUMP_SECONDS", "0")
        .env_remove("ERL_FLAGS")
        .env_remove("ERL_AFLAGS")
        .env_remove("ERL_ZFLAGS")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    Ok((command, scratch))
}

fn unconfined(launch: &Launch) -> Command {
    let mut command = Command::new("/bin/sh");
    command
        // A single allocation larger than the memory must fail. The limit allows for the gigabytes of address space
        // that a runtime with many schedulers reserves.
        .args(["-c", r#"ulimit -v 16777216 2>&-; exec "$0" "$@" 3<&0 4>&1 </dev/null >&2"#])
        .arg(&launch.erl);
    command
}

fn write_frames(mut pipe: impl Write, frames: &Receiver<Vec<u8>>) {
    while let Ok(frame) = frames.recv() {
        if pipe.write_all(&frame).and_then(|()| pipe.flush()).is_err() {
            return;
        }
    }
}

fn read_frames(mut pipe: impl Read, answers: &Sender<Vec<u8>>) {
    let mut len = [0; 4];
    while pipe.read_exact(&mut len).is_ok() {
        let len = u64::from(u32::from_be_bytes(len));
        let mut frame = Vec::new();
        let whole = pipe.by_ref().take(len).read_to_end(&mut frame);
        if !whole.is_ok_and(|read| u64::try_from(read) == Ok(len)) || answers.send(frame).is_err() {
            return;
        }
    }
}

fn remember(mut pipe: impl Read, words: &Mutex<VecDeque<u8>>) {
    let mut buffer = [0; 1024];
    while let Ok(count @ 1..) = pipe.read(&mut buffer) {
        let mut words = words.lock().unwrap_or_else(PoisonError::into_inner);
        words.extend(buffer.iter().take(count));
        let excess = words.len().saturating_sub(LAST_WORDS);
        words.drain(..excess);
    }
}
