//! Watches the memory of the process that starts workers, and of the real runtimes that it and its workers started.
//! Workers watch their own memory ([`crate::flow::room`]).

use crate::args::Test;
use crate::flow::interrupt::Interrupt;
use crate::flow::room::{of_owner, of_runtimes, resident};
use crate::start::{COULD_NOT, write};
use rustix::process::{Pid, Signal, kill_process};
use std::time::Duration;
use std::{fs, io, thread};

/// The interval between two checks of the memory.
const TICK: Duration = Duration::from_millis(100);
/// The multiple of its memory limit at which the process that starts workers exits at once. At the limit itself, only
/// the search stops, so that its report can be written.
const MOST_PARTS: u64 = 2;
const TOO_MUCH: &[u8] = b"gimlet: the report needs more memory than --memory allows\n";

/// Starts a thread that checks the memory limits until this process ends.
pub(super) fn watch(options: &Test, interrupt: &Interrupt) {
    let (own, runtimes) = (of_owner(options), of_runtimes(options));
    let interrupt = interrupt.clone();
    let watching = thread::Builder::new().name("memory".to_owned());
    // If the thread can't be started, the limits that workers and runtimes enforce themselves still hold.
    drop(watching.spawn(move || {
        let owner = std::process::id();
        loop {
            thread::sleep(TICK);
            let used = resident(owner).unwrap_or(0);
            if own.saturating_mul(MOST_PARTS) < used {
                write(&mut io::stderr(), TOO_MUCH);
                std::process::exit(i32::from(COULD_NOT));
            }
            if own < used {
                interrupt.out_of_memory();
            }
            if let Some(largest) = excess(&guards(owner), runtimes) {
                end(largest);
            }
        }
    }));
}

/// Returns the guard of the runtime that uses most memory if all runtimes together use more than `most` bytes, else
/// `None`. `guards` are the process ids of the runtimes' guards.
fn excess(guards: &[u32], most: u64) -> Option<u32> {
    let sizes = guards.iter().map(|it| (resident_with_children(*it), *it));
    let sizes: Vec<(u64, u32)> = sizes.collect();
    let all: u64 = sizes.iter().map(|it| it.0).sum();
    let largest = sizes.into_iter().max()?;
    (most < all).then_some(largest.1)
}

/// Returns the process ids of the runtimes' guards: children of this process or of its workers.
fn guards(owner: u32) -> Vec<u32> {
    let of_owner = children(owner);
    let of_workers = of_owner.iter().flat_map(|it| children(*it));
    let all = of_owner.iter().copied().chain(of_workers);
    all.filter(|it| sandbox::is_guard(&command_line(*it))).collect()
}

fn resident_with_children(process: u32) -> u64 {
    let below: u64 = children(process).into_iter().map(resident_with_children).sum();
    resident(process).unwrap_or(0).saturating_add(below)
}

/// Returns the children of all threads of a process; none if the system does not list them.
fn children(process: u32) -> Vec<u32> {
    let threads = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let lists = threads.filter_map(|it| fs::read_to_string(it.path().join("children")).ok());
    lists.flat_map(|it| it.split_whitespace().flat_map(str::parse).collect::<Vec<u32>>()).collect()
}

/// Returns the command line of a process, as a list of arguments.
fn command_line(process: u32) -> Vec<String> {
    let line = fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
    line.split(|it| *it == 0).map(|it| String::from_utf8_lossy(it).into_owned()).collect()
}

/// Kills a guard, which ends its runtime too; the caller that waits for the runtime sees that it has exited.
fn end(guard: u32) {
    if let Some(pid) = i32::try_from(guard).ok().and_then(Pid::from_raw) {
        // The guard may have exited between the check and the signal, so an error is ignored.
        kill_process(pid, Signal::KILL).unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use super::{children, excess, resident_with_children};

    #[test]
    fn the_largest_runtime_is_named_if_all_are_too_large() {
        let own = std::process::id();
        assert_eq!(excess(&[own, 0], 1), Some(own));
        assert_eq!(excess(&[own, 0], u64::MAX), None);
        assert_eq!(excess(&[], 0), None);
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a child is needed")]
    fn children_and_what_they_have_are_found() {
        let own = std::process::id();
        let mut child = std::process::Command::new("sleep").arg("600").spawn().expect("`sleep`");
        assert!(children(own).contains(&child.id()));
        assert!(resident_with_children(child.id()) < resident_with_children(own));
        child.kill().expect("it runs");
        child.wait().expect("it ends");
    }
}
