//! Tests of ordinary programs in a sandbox: what they read, and system calls that no runtime offers.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests start programs, and fail loudly"
)]

#[allow(dead_code, clippy::allow_attributes, reason = "each test uses a part of it")]
mod common;

use common::{Outside, changed, confined, plain};
use sandbox::{Policy, Programs};
use std::path::{Path, PathBuf};

const SHELL: &str = "/bin/sh";

#[test]
fn only_what_is_listed_is_read() {
    let outside = Outside::new();
    let kept = outside.path().join("kept");
    let read = |reads: Vec<PathBuf>| {
        let policy = Policy { reads, ..Policy::default() };
        confined(policy, Path::new("/bin/cat"), |command| {
            command.arg(&kept);
        })
    };
    assert_eq!(read(vec![outside.path().to_owned()]).stdout, "precious");
    assert_eq!(read(vec![kept.clone()]).stdout, "precious");
    for elsewhere in [vec![], vec![outside.path().join("empty")]] {
        let said = read(elsewhere);
        assert!(
            said.stdout.is_empty() && said.stderr.contains("Permission denied"),
            "{}",
            said.stderr
        );
    }
    // Secrets of other processes cannot be read, either.
    let environment = format!("/proc/{}/environ", outside.victim());
    let said = confined(Policy::default(), Path::new("/bin/cat"), |command| {
        command.arg(&environment);
    });
    assert!(said.stdout.is_empty() && said.stderr.contains("Permission denied"), "{}", said.stderr);
}

/// The names of what changes, and commands for a shell in the directory outside.
const WAYS: &[(&str, &str)] = &[
    ("a process", "kill -9 VICTIM"),
    ("kept", "chmod 777 kept"),
    ("appended", "touch -d 2000-01-01 appended"),
    ("made", "mkdir made"),
    ("fifo", "mkfifo fifo"),
    ("linked", "ln kept2 linked"),
    ("symbolic", "ln -s kept symbolic"),
    ("moved", "mv moved moved_to"),
    ("deleted", "rm deleted"),
    ("truncated", "truncate -s 3 truncated"),
    ("renamed", "dd if=/dev/zero of=renamed count=1"),
];

/// Calls without an effect on files; each command must fail.
const CALLS: &[&str] = &[
    "unshare --user true",
    "unshare --mount true",
    "mount -t tmpfs none D/empty",
    "chroot / true",
    "setsid true",
    "renice -n 5 -p VICTIM",
    "prlimit --pid VICTIM --nofile=10",
    "ionice -c 3 -p VICTIM",
    "taskset -p 1 VICTIM",
    "ipcmk -M 10",
    "ipcmk -Q",
    "dmesg",
    "hostname other",
    "date -s 2000-01-01",
];

fn tried(outside: &Outside, confines: bool, text: &str) -> common::Said {
    let text = text
        .replace("VICTIM", &outside.victim().to_string())
        .replace("D/", &format!("{}/", outside.path().display()));
    let prepare = |command: &mut std::process::Command| {
        command.args(["-c", &text]).current_dir(outside.path());
    };
    if confines {
        let policy = Policy {
            programs: Programs::Listed,
            runs: ["/usr/bin", "/usr/sbin", "/bin", "/sbin"].map(PathBuf::from).to_vec(),
            reads: vec![outside.path().to_owned()],
            ..Policy::default()
        };
        confined(policy, Path::new(SHELL), prepare)
    } else {
        plain(Path::new(SHELL), prepare)
    }
}

#[test]
fn every_way_out_works_without_the_sandbox_and_none_inside() {
    for confines in [false, true] {
        let mut outside = Outside::new();
        std::fs::write(outside.path().join("kept2"), "precious").unwrap();
        let before = outside.state();
        let all: Vec<String> = WAYS.iter().map(|it| format!("({}) || true", it.1)).collect();
        let said = tried(&outside, confines, &(all.join("\n") + "\necho all tried"));
        assert_eq!(said.stdout, "all tried\n", "{}", said.stderr);
        let changed = changed(&before, &outside.state());
        let worked: Vec<&str> = WAYS.iter().map(|it| it.0).collect();
        let worked: Vec<&str> =
            worked.into_iter().filter(|it| changed.iter().any(|name| name == it)).collect();
        let expected = if confines { vec![] } else { WAYS.iter().map(|it| it.0).collect() };
        assert_eq!(worked, expected, "{}", said.stderr);
        assert!(!confines || changed.is_empty(), "{changed:?}");
    }
}

#[test]
fn calls_beyond_files_are_refused() {
    let outside = Outside::new();
    for call in CALLS {
        let said = tried(&outside, true, &format!("({call}) && echo worked"));
        assert!(!said.stdout.contains("worked"), "{call}");
        let refusals = ["not permitted", "ermission denied", "not implemented", "annot", "must be"];
        let is_refused = refusals.iter().any(|it| said.stderr.contains(it));
        assert!(is_refused, "{call}: {}", said.stderr);
    }
}
