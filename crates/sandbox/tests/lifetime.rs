//! Tests that a program ends with its owner, together with everything it started, however the owner ended.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests start programs, and fail loudly"
)]

#[allow(dead_code, clippy::allow_attributes, reason = "each test uses a part of it")]
mod common;

use common::{Outside, confined, launcher};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open};
use sandbox::{Policy, Process, Programs, Scratch, Support};
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A program that never ends, with children and grandchildren, one of which has left its group as far as it could.
const ENDLESS: &str = "
    trap '' TERM HUP INT
    sh -c 'trap \"\" TERM HUP; (sleep 86400 & exec sleep 86400) & while :; do :; done' &
    setsid sleep 86400 &
    echo ready
    while :; do :; done";

/// Waits, without a limit, until the process has ended.
fn gone(process: &OwnedFd) {
    let mut watched = [PollFd::new(process, PollFlags::IN)];
    while poll(&mut watched, None).is_err() {}
}

fn watch(id: u32) -> OwnedFd {
    let id = Pid::from_raw(i32::try_from(id).unwrap()).unwrap();
    pidfd_open(id, PidfdFlags::empty()).unwrap()
}

/// Reads to the end of the stream, which is reached when no writer is left.
fn silent(mut stream: impl Read) {
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).unwrap();
}

fn line(stream: impl Read) -> (String, impl Read) {
    let mut stream = BufReader::new(stream);
    let mut res = String::new();
    stream.read_line(&mut res).unwrap();
    (res.trim().to_owned(), stream)
}

/// A process that owns an endless program. It is killed when the test ends or panics.
struct Owner(Child);

impl Owner {
    fn kill(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        // Both calls fail only if the process has ended, which is the aim.
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// Starts an owner of an endless program; returns it with a descriptor of its guard and the program's output.
fn owner(program: &str, args: &[&str]) -> (Owner, OwnedFd, impl Read + use<>) {
    let mut holding = Command::new(env!("CARGO_BIN_EXE_confine"));
    holding.args(["hold", program]).args(args);
    holding.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut owner = Owner(holding.spawn().unwrap());
    let (guard, errors) = line(owner.0.stderr.take().unwrap());
    // A full pipe must not block the process.
    let errors = std::thread::spawn(|| std::io::read_to_string(errors).unwrap());
    let (said, output) = line(owner.0.stdout.take().unwrap());
    if said != "ready" {
        let ended = owner.0.wait().unwrap();
        panic!("{program} said {said:?}, {ended}: {guard}; {}", errors.join().unwrap());
    }
    let number = guard.parse().unwrap_or_else(|_| panic!("the owner said {guard:?} first"));
    (owner, watch(number), output)
}

#[test]
fn a_killed_owner_leaves_nothing() {
    let (mut owner, guard, output) = owner("/bin/sh", &["-c", ENDLESS]);
    owner.kill();
    gone(&guard);
    silent(output);
}

#[test]
fn a_killed_owner_leaves_no_spinning_prolog() {
    let goal = "format(\"ready~n\"), flush_output, repeat, fail";
    let (mut owner, guard, output) = owner("/usr/bin/swipl", &["-q", "-g", goal, "-t", "halt"]);
    owner.kill();
    gone(&guard);
    silent(output);
}

/// A user who kills all processes with this name kills the guard, too.
#[test]
fn a_killed_guard_takes_the_program_along() {
    let goal = "format(\"ready~n\"), flush_output, repeat, fail";
    let mut command = launcher().command(&Policy::default(), &swipl());
    command.args(["-q", "-g", goal, "-t", "halt"]).stdin(Stdio::null()).stdout(Stdio::piped());
    let mut process = Process::start(&mut command, None).unwrap();
    let (said, output) = line(process.stdout().unwrap());
    assert_eq!(said, "ready");
    let guard = Pid::from_raw(i32::try_from(process.id()).unwrap()).unwrap();
    kill_process(guard, Signal::KILL).unwrap();
    silent(output);
    assert!(!process.wait().unwrap().success());
}

#[test]
fn a_dropped_process_leaves_nothing() {
    let policy = Policy { programs: Programs::Allowed, ..Policy::default() };
    let scratch = Scratch::new().unwrap();
    let place = scratch.path().to_owned();
    let policy = Policy { scratch: Some(place.clone()), ..policy };
    let mut command = launcher().command(&policy, Path::new("/bin/sh"));
    command.args(["-c", ENDLESS]).current_dir(&place);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut process = Process::start(&mut command, Some(scratch)).unwrap();
    let (said, output) = line(process.stdout().unwrap());
    assert_eq!(said, "ready");
    assert!(place.is_dir());
    drop(process);
    silent(output);
    assert!(!place.exists());
}

#[test]
fn what_a_program_leaves_behind_ends_with_it() {
    let policy = Policy { programs: Programs::Allowed, ..Policy::default() };
    let script =
        "(trap '' TERM HUP; while :; do :; done) & setsid sleep 86400 & echo ready; exit 3";
    let mut command = launcher().command(&policy, Path::new("/bin/sh"));
    command.args(["-c", script]).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut process = Process::start(&mut command, None).unwrap();
    let (said, output) = line(process.stdout().unwrap());
    assert_eq!(said, "ready");
    silent(output);
    assert_eq!(process.wait().unwrap().code(), Some(3));
}

#[test]
fn a_launcher_without_its_owner_starts_nothing() {
    let mut command = launcher().command(&Policy::default(), Path::new("/bin/echo"));
    command.arg("started");
    // The process between this one and the launcher is not the owner for which the command was made.
    let args: Vec<_> = command.get_args().map(ToOwned::to_owned).collect();
    let mut between = Command::new("/bin/sh");
    between.args(["-c", "\"$0\" \"$@\"; echo \"ended with $?\""]).arg(command.get_program());
    let said = between.args(args).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&said.stdout), "ended with 125\n");
}

/// Checks that files open in the owner are not open in the program.
#[test]
fn nothing_is_inherited_but_the_streams() {
    let outside = Outside::new();
    let script = "exec 7>>\"$0\"; shift 0; \"$@\"";
    let confine = launcher().command(&Policy::default(), Path::new("/bin/sh"));
    let mut args: Vec<_> = confine.get_args().map(ToOwned::to_owned).collect();
    // The shell, which has the file open, is the owner.
    args[2] = "$$".into();
    let quoted = |it: &std::ffi::OsString| match it.to_str().unwrap() {
        "$$" => "$$".to_owned(),
        other => format!("'{other}'"),
    };
    let args: Vec<String> = args.iter().map(quoted).collect();
    let confine = confine.get_program().to_str().unwrap().to_owned();
    let inner = "'echo harm >&7'";
    let script = script.replace("\"$@\"", &format!("{confine} {} -c {inner}", args.join(" ")));
    let kept = outside.path().join("kept");
    let mut owner = Command::new("/bin/sh");
    let said = owner.args(["-c", &script]).arg(&kept).output().unwrap();
    assert_eq!(fs::read_to_string(&kept).unwrap(), "precious");
    let errors = String::from_utf8_lossy(&said.stderr).into_owned();
    assert!(errors.to_lowercase().contains("bad file descriptor"), "{errors}");
}

#[test]
fn streams_and_exit_codes_are_those_of_the_program() {
    let policy = Policy { programs: Programs::Refused, ..Policy::default() };
    let said = confined(policy.clone(), Path::new("/bin/sh"), |command| {
        command.args(["-c", "echo out; echo err >&2; exit 7"]);
    });
    assert_eq!((said.stdout.as_str(), said.stderr.as_str()), ("out\n", "err\n"));
    for (script, code) in [("exit 7", 7), ("kill -9 $$", 137), ("exit 0", 0)] {
        let mut command = launcher().command(&policy, Path::new("/bin/sh"));
        let mut process = Process::start(command.args(["-c", script]), None).unwrap();
        assert_eq!(process.wait().unwrap().code(), Some(code), "{script}");
    }
    let mut command = launcher().command(&policy, Path::new("/no/such/program"));
    let mut process = Process::start(command.stderr(Stdio::null()), None).unwrap();
    assert_eq!(process.wait().unwrap().code(), Some(125));
}

#[test]
fn the_scratch_directory_is_ours_alone_and_links_in_it_lead_nowhere() {
    use std::os::unix::fs::PermissionsExt;
    let outside = Outside::new();
    let scratch = Scratch::new().unwrap();
    let other = Scratch::new().unwrap();
    assert_ne!(scratch.path(), other.path());
    let mode = fs::metadata(scratch.path()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
    std::os::unix::fs::symlink(outside.path(), scratch.path().join("link")).unwrap();
    drop(scratch);
    assert!(outside.path().join("kept").exists());
}

#[test]
fn this_machine_can_hold_a_policy() {
    let support = Support::of_this_machine();
    assert!(support.holds(), "{:?}: {:?}", support, support.missing());
    assert!(support.ports(), "{support:?}");
}

fn swipl() -> PathBuf {
    let found = Path::new("/usr/bin/swipl").canonicalize();
    found.expect("SWI-Prolog; `make deps` installs it")
}
