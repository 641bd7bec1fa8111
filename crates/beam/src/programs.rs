//! Programs of the operating system that ports of the machine start; threads read their output and write their input.
//!
//! All readers send to one bounded queue, so a program with too much output blocks. All programs are ended with the
//! run.

use crate::errno;
use erlang::{Command, Errno, Errors, Executable, Input, ProgramEvent, ProgramId, Programs};
use rustix::fs::{Access, access};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::{PipeReader, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{self, Child, ChildStdin, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

#[derive(Debug)]
pub(crate) struct RunningPrograms {
    programs: BTreeMap<ProgramId, Program>,
    /// Programs whose ports were closed and that may still run.
    orphans: Vec<Child>,
    n_started: u32,
    /// Events of programs that could not be started.
    early: Vec<(ProgramId, ProgramEvent)>,
    said: Receiver<(ProgramId, ProgramEvent)>,
    tell: SyncSender<(ProgramId, ProgramEvent)>,
}

#[derive(Debug)]
struct Program {
    child: Child,
    input: Option<Sender<Vec<u8>>>,
    is_closed: Arc<AtomicBool>,
    /// The program closed its output, and its exit status is not known yet.
    is_ending: bool,
}

/// How many pieces of output the queue holds.
const QUEUE: usize = 256;
const PIECE: usize = 1 << 16;
/// The interval at which a program that closed its output is polled for its exit status.
const STEP: Duration = Duration::from_millis(1);

impl Default for RunningPrograms {
    fn default() -> RunningPrograms {
        let (tell, said) = sync_channel(QUEUE);
        let (programs, orphans, early) = (BTreeMap::new(), Vec::new(), Vec::new());
        RunningPrograms { programs, orphans, n_started: 0, early, said, tell }
    }
}

impl Programs for RunningPrograms {
    fn start(&mut self, command: &Command) -> Result<(ProgramId, u32), Errno> {
        let (output, writer) = std::io::pipe().map_err(|it| errno::name(&it))?;
        if let Executable::File { path, .. } = &command.what {
            let may = |what| access(OsStr::from_bytes(path), what);
            may(Access::EXISTS)
                .and_then(|()| may(Access::EXEC_OK))
                .map_err(|it| errno::name(&it.into()))?;
        }
        let mut started = to_start(command);
        if command.errors == Errors::WithOutput {
            started.stderr(writer.try_clone().map_err(|it| errno::name(&it))?);
        }
        started.stdout(writer);
        started.stdin(match command.input {
            Input::Piped => Stdio::piped(),
            Input::Nothing => Stdio::null(),
        });
        self.n_started += 1;
        let id = ProgramId(self.n_started);
        let mut child = match started.spawn() {
            Ok(child) => child,
            // BEAM reports the error as the program's exit status, since it learns of it only after the fork.
            Err(error) => {
                let status = error.raw_os_error().unwrap_or(-1);
                self.early.extend([(id, ProgramEvent::End), (id, ProgramEvent::Exited(status))]);
                return Ok((id, 0));
            }
        };
        // The command holds the writing end of the pipe, which only the program must have.
        drop(started);
        let is_closed = Arc::new(AtomicBool::new(false));
        let input = child.stdin.take().map(|it| writer_of(id, it, self.tell.clone()));
        read_all(id, output, self.tell.clone(), Arc::clone(&is_closed));
        let os_process = child.id();
        self.programs.insert(id, Program { child, input, is_closed, is_ending: false });
        Ok((id, os_process))
    }

    fn write(&mut self, program: ProgramId, bytes: Vec<u8>) {
        if let Some(input) = self.programs.get(&program).and_then(|it| it.input.as_ref()) {
            // A writer thread that ended has reported the reason.
            input.send(bytes).unwrap_or_default();
        }
    }

    fn close(&mut self, program: ProgramId) {
        if let Some(program) = self.programs.remove(&program) {
            program.is_closed.store(true, Ordering::Relaxed);
            self.orphans.push(program.child);
        }
    }

    fn listen(&mut self, limit: Duration) -> (Vec<(ProgramId, ProgramEvent)>, Duration) {
        let begin = Instant::now();
        self.orphans.retain_mut(|it| it.try_wait().is_ok_and(|it| it.is_none()));
        let mut events = std::mem::take(&mut self.early);
        loop {
            while let Ok(event) = self.said.try_recv() {
                self.note(&event);
                events.push(event);
            }
            self.ended(&mut events);
            let left = limit.saturating_sub(begin.elapsed());
            if !events.is_empty() || left.is_zero() {
                return (events, begin.elapsed());
            }
            let is_ending = self.programs.values().any(|it| it.is_ending);
            let step = if is_ending { STEP.min(left) } else { left };
            if let Ok(event) = self.said.recv_timeout(step) {
                self.note(&event);
                events.push(event);
            }
        }
    }

    fn own_process(&mut self) -> u32 {
        process::id()
    }

    fn reset(&mut self) {
        if self.n_started == 0 {
            return;
        }
        let programs = std::mem::take(&mut self.programs).into_values();
        let children: Vec<Child> = programs
            .map(|it| {
                it.is_closed.store(true, Ordering::Relaxed);
                it.child
            })
            .chain(self.orphans.drain(..))
            .collect();
        for mut child in children {
            // The program may have exited already.
            child.kill().unwrap_or_default();
            drop(child.wait());
        }
        // Threads of earlier programs still hold the old queue; their sends fail.
        *self = RunningPrograms::default();
    }
}

impl RunningPrograms {
    fn note(&mut self, (id, event): &(ProgramId, ProgramEvent)) {
        if let (Some(program), ProgramEvent::End) = (self.programs.get_mut(id), event) {
            program.is_ending = true;
        }
    }

    fn ended(&mut self, events: &mut Vec<(ProgramId, ProgramEvent)>) {
        for (id, program) in self.programs.iter_mut().filter(|it| it.1.is_ending) {
            if let Ok(Some(status)) = program.child.try_wait() {
                program.is_ending = false;
                events.push((*id, ProgramEvent::Exited(number(status))));
            }
        }
    }
}

impl Drop for RunningPrograms {
    fn drop(&mut self) {
        for program in self.programs.values_mut() {
            program.child.kill().unwrap_or_default();
            drop(program.child.wait());
        }
    }
}

fn to_start(command: &Command) -> process::Command {
    let mut res = match &command.what {
        Executable::Line(line) => {
            let mut shell = process::Command::new("/bin/sh");
            shell.arg("-c").arg(OsStr::from_bytes(&[b"exec ", line.as_slice()].concat()));
            shell
        }
        Executable::File { path, name, args } => {
            let mut program = process::Command::new(OsStr::from_bytes(path));
            if let Some(name) = name {
                program.arg0(OsStr::from_bytes(name));
            }
            program.args(args.iter().map(|it| OsStr::from_bytes(it)));
            program
        }
    };
    res.env_clear().envs(command.environment.iter().map(|it| (&it.0, &it.1)));
    res.current_dir(&command.dir);
    res
}

/// Returns an exit status as a shell does: 128 plus the signal's number for a program that a signal ended.
fn number(status: ExitStatus) -> i32 {
    status.code().or_else(|| status.signal().map(|it| it + 128)).unwrap_or(-1)
}

fn read_all(
    id: ProgramId,
    mut output: PipeReader,
    tell: SyncSender<(ProgramId, ProgramEvent)>,
    is_closed: Arc<AtomicBool>,
) {
    thread::spawn(move || {
        let mut piece = vec![0; PIECE];
        while let Ok(n @ 1..) = output.read(&mut piece) {
            let bytes = piece.get(..n).unwrap_or_default().to_vec();
            let is_heard = tell.send((id, ProgramEvent::Output(bytes))).is_ok();
            if !is_heard || is_closed.load(Ordering::Relaxed) {
                return;
            }
        }
        // The send fails if the port was closed, and then nobody needs the event.
        tell.send((id, ProgramEvent::End)).unwrap_or_default();
    });
}

fn writer_of(
    id: ProgramId,
    mut input: ChildStdin,
    tell: SyncSender<(ProgramId, ProgramEvent)>,
) -> Sender<Vec<u8>> {
    let (give, given) = channel::<Vec<u8>>();
    thread::spawn(move || {
        for bytes in given {
            if let Err(error) = input.write_all(&bytes).and_then(|()| input.flush()) {
                let event = ProgramEvent::Failed(errno::name(&error));
                tell.send((id, event)).unwrap_or_default();
                return;
            }
        }
    });
    give
}
