//! `gimlet watch`: tests again whenever a source changes.
//!
//! Knows files and processes, not units: each round runs `gimlet test` with the same arguments.

mod files;

use crate::args::{Command as Asked, CommandLine, Test, Watch};
use crate::child::{TICK, build_command, gimlet_test, stop};
use crate::diagnostic::Diagnostic;
use crate::explain::Code;
use crate::flow::Interrupt;
use crate::start::{stdout_colours, write};
use ::report::Paint;
use clap::Parser;
use files::{Change, Files};
use notify::Watcher;
use std::io::{self, IsTerminal};
use std::path::Path;
use std::process::{Child, Command, ExitCode};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// Changes that follow each other within this time start one round: editors write several files at once, and a file in
/// several steps.
const SETTLE: Duration = Duration::from_millis(120);

/// Tests until a signal ends the process.
pub(crate) fn watch(options: &Watch) -> Result<ExitCode, Diagnostic> {
    let all = ["gimlet", "test"].map(str::to_owned).into_iter().chain(options.arguments.clone());
    // `exit` prints the error in the same words as `gimlet test` would.
    let test = match CommandLine::try_parse_from(all) {
        Ok(CommandLine { command: Asked::Test(test) }) => *test,
        Ok(_) => return Ok(ExitCode::SUCCESS),
        Err(error) => error.exit(),
    };
    let files = Files::of(&test);
    let (sender, changes) = channel();
    let mut watcher = notify::recommended_watcher(move |event| drop(sender.send(event)))
        .map_err(|it| cannot("files can't be watched", &it))?;
    for (dir, mode) in &files.dirs {
        let what = || format!("{} can't be watched", dir.display());
        watcher.watch(dir, *mode).map_err(|it| cannot(&what(), &it))?;
    }
    if files.dirs.is_empty() {
        let title = "there is nothing to watch: modules of OTP do not change";
        return Err(Diagnostic::new(Code::CanNotWatch, title).hint("name a file or a directory"));
    }
    let rounds =
        Rounds { options, test: &test, files: &files, changes, interrupt: Interrupt::new() };
    rounds.interrupt.begin();
    rounds.run().map_err(|it| cannot("gimlet test can't be started", &it))
}

fn cannot(what: &str, why: &dyn std::error::Error) -> Diagnostic {
    Diagnostic::new(Code::CanNotWatch, format!("{what}: {why}"))
}

struct Rounds<'a> {
    options: &'a Watch,
    test: &'a Test,
    files: &'a Files,
    changes: Receiver<notify::Result<notify::Event>>,
    interrupt: Interrupt,
}

/// Why a round ended before its processes did, or why the wait after it ended.
enum RoundEnd {
    Changed(Change),
    Interrupted,
}

impl Rounds<'_> {
    fn run(&self) -> io::Result<ExitCode> {
        let mut change = None;
        loop {
            self.announce(change.as_ref());
            match self.round()? {
                RoundEnd::Changed(by) => change = Some(by),
                RoundEnd::Interrupted => {
                    let code = self.interrupt.exit_code().unwrap_or_default();
                    return Ok(ExitCode::from(code));
                }
            }
        }
    }

    /// Clears the terminal, so that it shows one round at a time, and names the changed files.
    fn announce(&self, change: Option<&Change>) {
        let mut text = String::new();
        if io::stdout().is_terminal() && change.is_some() {
            text.push_str("\x1b[2J\x1b[3J\x1b[H");
        }
        if let Some(change) = change {
            let Paint { faint, off, .. } = Paint::new(stdout_colours());
            text.push_str(&format!("{faint}{} changed{off}\n\n", change.title()));
        }
        write(&mut io::stdout(), text.as_bytes());
    }

    /// Compiles, tests, and waits for a change. A change during compilation or testing stops the process.
    fn round(&self) -> io::Result<RoundEnd> {
        let mut commands: Vec<Command> =
            self.test.targets.iter().filter_map(|it| build_command(Path::new(it))).collect();
        commands.push(gimlet_test(&self.options.arguments)?);
        for mut command in commands {
            let mut child = match command.spawn() {
                Ok(child) => child,
                // The build tool may be missing where the user compiles by other means.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
            };
            if let Some(left) = self.wait(Some(&mut child)) {
                stop(&mut child)?;
                return Ok(left);
            }
            if !child.wait()?.success() && self.is_build(&command) {
                break;
            }
        }
        let Paint { faint, off, .. } = Paint::new(stdout_colours());
        let text = format!("\n{faint}watching {}; Ctrl-C ends{off}\n", self.files.title());
        write(&mut io::stdout(), text.as_bytes());
        Ok(self.wait(None).unwrap_or(RoundEnd::Interrupted))
    }

    /// Whether the command compiles the project; if it fails, the round does not test.
    fn is_build(&self, command: &Command) -> bool {
        std::env::current_exe().is_ok_and(|it| it.as_os_str() != command.get_program())
    }

    /// Waits for a change or a signal. With a child, returns `None` once the child has exited.
    fn wait(&self, mut child: Option<&mut Child>) -> Option<RoundEnd> {
        loop {
            if self.interrupt.flag.load(Ordering::SeqCst) {
                return Some(RoundEnd::Interrupted);
            }
            match self.changes.recv_timeout(TICK) {
                Ok(event) => {
                    if let Some(change) = self.files.change(&event) {
                        return Some(RoundEnd::Changed(self.settled(change)));
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Some(RoundEnd::Interrupted),
            }
            if let Some(child) = &mut child
                && !matches!(child.try_wait(), Ok(None))
            {
                return None;
            }
        }
    }

    /// Joins further changes until [`SETTLE`] has passed without one.
    fn settled(&self, first: Change) -> Change {
        let mut res = first;
        while let Ok(event) = self.changes.recv_timeout(SETTLE) {
            if let Some(change) = self.files.change(&event) {
                res.join(change);
            }
        }
        res
    }
}
