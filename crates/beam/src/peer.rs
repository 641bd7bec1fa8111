//! One long-lived `erl` that answers requests, one at a time.
//!
//! Started by the first request and again by the first one after it was lost. Knows frames and
//! time limits; what a request means is between the agent and the caller.

use crate::cache::{Cache, Key, Kind};
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

/// The agent's source; part of every cache key, since what it answers depends on it.
pub(crate) const AGENT: &str = include_str!("agent.erl");

const BOOT: &str = include_str!("boot.erl");

/// How long `erl` may take beyond the limit that the agent keeps itself.
const GRACE: Duration = Duration::from_secs(2);
/// How long `erl` may take to stop.
const STOP: Duration = Duration::from_secs(2);
/// How often we look whether anyone still wants the answer.
const LOOK: Duration = Duration::from_millis(50);
/// What is remembered of the last lines that `erl` wrote to its standard error.
const LAST_WORDS: usize = 2000;
/// A frame is at most what its length field and the port driver can carry.
const MAX_FRAME: usize = 1 << 30;

/// Identities of frames that come before the first answer.
const COMPILED: u32 = u32::MAX;
const STALE: u32 = u32::MAX - 1;
const READY: u32 = 0;

/// The time limit of a request whose processes stay.
const FOR_GOOD: u32 = 0;

/// What a request had done when its time was over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spent {
    /// Those of all its processes, or a thousand for each millisecond on a processor. Whoever waits makes few,
    /// however long.
    pub reductions: u64,
    /// Whether one of them was within a native operation, which makes no reductions.
    pub is_computing: bool,
}

impl Spent {
    /// Of a runtime that could not be asked.
    const UNKNOWN: Spent = Spent { reductions: 0, is_computing: true };
}

#[derive(Debug)]
pub(crate) struct Peer {
    launch: Launch,
    /// Known once a sandbox was needed.
    runtime: Option<Runtime>,
    running: Option<Running>,
    /// How often a process was started.
    pub(crate) starts: u32,
    /// What the last request had done when its time was over.
    pub(crate) spent: Spent,
    /// Once it is set, nobody waits for an answer.
    pub(crate) interrupt: Arc<AtomicBool>,
}

/// How to start the process.
#[derive(Clone, Debug)]
pub(crate) struct Launch {
    /// The executable, found.
    pub(crate) erl: PathBuf,
    /// Names the executable and its OTP in cache keys.
    pub(crate) identity: Key,
    /// Searched before OTP's own.
    pub(crate) code_paths: Vec<PathBuf>,
    /// Searched after OTP's own.
    pub(crate) last_paths: Vec<PathBuf>,
    pub(crate) start_limit: Duration,
    pub(crate) cache: Cache,
    /// `None`: it may do what the user may.
    pub(crate) confinement: Option<Confinement>,
    /// What it may read besides its own files.
    pub(crate) reads: Vec<PathBuf>,
    /// How many nodes it may start beside itself.
    pub(crate) nodes: usize,
    /// What runs on it before anything is asked of it.
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

    /// The agent's answer to a request that takes no longer than `limit`.
    pub(crate) fn ask(&mut self, limit: Duration, request: &Term) -> Result<Term, HostError> {
        self.spent = Spent::UNKNOWN;
        let body = etf::encode(request).map_err(|why| HostError::Lost(why.to_string()))?;
        let interrupt = Arc::clone(&self.interrupt);
        let running = self.running()?;
        let answer = running.ask(limit, &body, &interrupt).map(undamaged);
        // Whatever it would still say belongs to this request, or can't be trusted.
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

    /// What the process said about its OTP when it started.
    pub(crate) fn info(&mut self) -> Result<Term, HostError> {
        Ok(self.running()?.info.clone())
    }

    /// Puts directories in front of the code path, now and after every restart.
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

    /// Lets it read these files and directories, too. What runs can't be given more, so it is started
    /// anew if it needs to be.
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

    /// Lets these applications run from the beginning, which takes a new start.
    pub(crate) fn run_applications(&mut self, running: Applications) {
        if self.launch.running != running {
            self.launch.running = running;
            self.running = None;
        }
    }

    /// Lets it start nodes that talk to each other.
    pub(crate) fn allow_nodes(&mut self, count: usize) {
        self.launch.nodes = count;
        self.running = None;
    }

    /// Where the nodes that it may start are to listen.
    pub(crate) fn ports(&mut self) -> Result<Vec<u16>, HostError> {
        Ok(self.running()?.ports.clone())
    }

    /// The process id, if the process runs.
    pub(crate) fn process_id(&self) -> Option<u32> {
        self.running.as_ref().map(|it| it.process.id())
    }

    fn running(&mut self) -> Result<&mut Running, HostError> {
        if self.running.is_none() {
            self.starts += 1;
            let confinement = match self.launch.confinement.clone() {
                Some(confinement) => Some((confinement, self.runtime()?.clone())),
                None => None,
            };
            let mut running = Running::start(&self.launch, confinement.as_ref())?;
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

/// The answer, without what the agent says of the runtime.
fn undamaged(answer: Term) -> (Term, Health) {
    match answer.as_tuple() {
        Some([tag, inner]) if tag.as_atom() == Some("damaged") => (inner.clone(), Health::Damaged),
        Some(_) | None => (answer, Health::Sound),
    }
}

/// A path as a request carries it.
pub(crate) fn path_term(path: &Path) -> Term {
    Term::binary(path.as_os_str().as_encoded_bytes().to_vec())
}

/// The process and the threads that keep a blocked pipe from blocking us.
#[derive(Debug)]
struct Running {
    process: Process,
    /// Dropping it closes the process's input, which tells the agent to stop.
    frames: Option<Sender<Vec<u8>>>,
    answers: Receiver<Vec<u8>>,
    threads: Vec<JoinHandle<()>>,
    last_words: Arc<Mutex<VecDeque<u8>>>,
    last_id: u32,
    info: Term,
    /// Those that its nodes may use.
    ports: Vec<u16>,
}

impl Running {
    fn start(
        launch: &Launch,
        confinement: Option<&(Confinement, Runtime)>,
    ) -> Result<Running, HostError> {
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
        let mut running = Running {
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

    /// Gives the process its agent: compiled if we have it, else as source to compile.
    fn boot(&mut self, launch: &Launch) -> Result<(), HostError> {
        let key = Key::of(&[launch.identity.as_str().as_bytes(), AGENT.as_bytes()]);
        match launch.cache.read(Kind::Agent, &key) {
            Some(beam) => self.send(&[b"b", &beam])?,
            None => self.send(&[b"s", AGENT.as_bytes()])?,
        }
        let end = Instant::now() + launch.start_limit;
        loop {
            match self.receive(end, &AtomicBool::new(false))? {
                (COMPILED, beam) => launch.cache.write(Kind::Agent, &key, &beam),
                (STALE, _) => self.send(&[b"s", AGENT.as_bytes()])?,
                (_, body) => {
                    self.info = etf::decode(&body).map_err(|why| self.lost(&why.to_string()))?;
                    return Ok(());
                }
            }
        }
    }

    /// Starts applications that run as long as the runtime does.
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

    /// The next frame's identity and the rest of it.
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
                    // It is busy, and would not notice that it shall stop. If it is gone, so much the better.
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

/// First the input is closed, then the process gets time to stop, then it is killed; the threads
/// end with their pipes.
impl Drop for Running {
    fn drop(&mut self) {
        self.frames = None;
        let end = Instant::now() + STOP;
        let mut stopped = false;
        while !stopped && Instant::now() < end {
            let left = end.saturating_duration_since(Instant::now());
            stopped = self.answers.recv_timeout(left) == Err(RecvTimeoutError::Disconnected);
        }
        // The runtime may be gone, and something that it started not.
        drop(self.process.stop());
        for thread in self.threads.drain(..) {
            drop(thread.join());
        }
    }
}

/// The process talks on descriptors 3 and 4, so that a program that prints, or a port program
/// that inherits standard output, cannot break a frame; what they print goes to standard error.
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
        // No break handler on Ctrl-C, no spinning schedulers, file names are UTF-8.
        .args(["+Bi", "+sbwt", "none", "+sbwtdcpu", "none", "+sbwtdio", "none", "+fnu"])
        // Neither the user's ~/.erlang nor a shell.
        .args(["-boot", "no_dot_erlang", "-noinput"]);
    for path in &launch.code_paths {
        command.arg("-pa").arg(path);
    }
    for path in &launch.last_paths {
        command.arg("-pz").arg(path);
    }
    if std::env::current_dir().is_err() {
        // Somebody deleted the directory that we are in; OTP starts in none.
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
        // A single allocation can be larger than all the memory there is: it must fail. A runtime with
        // many schedulers reserves some gigabytes from the start.
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
