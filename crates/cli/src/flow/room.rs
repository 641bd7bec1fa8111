//! The memory limits of the tool: its total, and the shares of the workers, of the real runtimes, and of the process
//! that starts the workers. Each worker enforces its own limit (`keep_within`); [`crate::flow::watched`] enforces the
//! others. Also measures the processor time of a worker.

use crate::args::Test;
use crate::start::STACK_BYTES;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use std::{fs, thread};

/// The default memory limit of the tool, as a fraction of the machine's memory.
const SHARE_OF_MACHINE: (u64, u64) = (3, 4);
/// The share of the workers in the tool's memory.
const SHARE_OF_WORKERS: (u64, u64) = (5, 8);
/// The share of the real runtimes, which workers and the process that starts the workers can start.
const SHARE_OF_RUNTIMES: (u64, u64) = (1, 4);
/// The share of the process that starts workers and collects their findings.
const SHARE_OF_OWNER: (u64, u64) = (1, 8);
/// The minimum memory in bytes of all workers, and of the process that starts them: the code of the tool and of the
/// program must fit.
const LEAST: u64 = 256 << 20;
/// The minimum memory in bytes of all runtimes: the compiler takes some hundred megabytes for a large module, and the
/// process that makes a call on BEAM may have a heap of half a gigabyte.
const LEAST_OF_RUNTIMES: u64 = 1 << 30;
/// The divisor of `--memory` that gives the maximum memory of one run of the program.
const RUNS_IN_MEMORY: usize = 8;
/// The assumed memory of a machine that does not tell it, in bytes.
const UNKNOWN_MACHINE: u64 = 8 << 30;
/// How many bytes a worker may map beyond its limit: arenas of the allocator, stacks of small threads.
const MAPPED_BEYOND: u64 = 3 << 30;
/// How often a worker checks its memory use.
const TICK: Duration = Duration::from_millis(50);

/// The fraction of its memory limit above which a worker should end its current search.
const NEARLY_FULL: (u64, u64) = (3, 4);
/// Whether this process uses more than [`NEARLY_FULL`] of its limit. A static, because the limit is one of the
/// process.
static IS_NEARLY_FULL: AtomicBool = AtomicBool::new(false);

/// The message of a worker that exceeds its memory limit and ends itself.
pub(super) const TOO_MUCH: &str = "gimlet: the memory of the worker is used up";

/// The memory limit of one worker, in bytes.
pub(super) fn of_worker(options: &Test, n_workers: usize) -> u64 {
    part_of(options, SHARE_OF_WORKERS).max(LEAST)
        / u64::try_from(n_workers.max(1)).unwrap_or(u64::MAX)
}

/// Returns the memory limit of all real runtimes together, in bytes.
pub(super) fn of_runtimes(options: &Test) -> u64 {
    part_of(options, SHARE_OF_RUNTIMES).max(LEAST_OF_RUNTIMES)
}

/// Returns the memory limit of the process that starts workers, in bytes.
pub(super) fn of_owner(options: &Test) -> u64 {
    part_of(options, SHARE_OF_OWNER).max(LEAST)
}

/// Returns the memory limit in bytes of each process of a real runtime: larger reservations fail.
pub(crate) fn of_runtime(options: &Test) -> u64 {
    sandbox::Limits::default().memory.min(of_runtimes(options))
}

fn part_of(options: &Test, (part, of): (u64, u64)) -> u64 {
    let asked = options.memory.and_then(|it| u64::try_from(it).ok());
    let (part_of_machine, of_machine) = SHARE_OF_MACHINE;
    let total = asked.unwrap_or_else(|| machine() / of_machine * part_of_machine);
    total / of * part
}

/// The memory limit of one run of a program, in bytes: `most`, or less if `--memory` is small. It does not depend on
/// the number of workers, so reports do not either.
pub(crate) fn of_run(options: &Test, most: usize) -> usize {
    options.memory.map_or(most, |it| most.min(it / RUNS_IN_MEMORY))
}

/// The memory of the machine, or of the container that this process runs in, in bytes.
fn machine() -> u64 {
    let info = rustix::system::sysinfo();
    let total = info.totalram.saturating_mul(u64::from(info.mem_unit));
    let total = if total == 0 { UNKNOWN_MACHINE } else { total };
    let of_container = fs::read_to_string("/sys/fs/cgroup/memory.max").ok();
    of_container.and_then(|it| it.trim().parse().ok()).unwrap_or(total).min(total)
}

/// Limits the memory of this process: a single allocation beyond the limit fails, and a process that exceeds it by
/// small allocations ends itself. The stacks of `n_stacks` threads are mapped in addition, and hardly used.
pub(super) fn keep_within(bytes: u64, n_stacks: u64) {
    let stacks = u64::try_from(STACK_BYTES).unwrap_or(u64::MAX).saturating_mul(n_stacks);
    let mapped = bytes.saturating_add(stacks).saturating_add(MAPPED_BEYOND);
    for (resource, wanted) in [(Resource::Data, mapped), (Resource::Core, 0)] {
        let most = getrlimit(resource).maximum;
        let value = Some(most.map_or(wanted, |it| it.min(wanted)));
        // If the limit can't be set, the thread below still checks memory use.
        setrlimit(resource, Rlimit { current: value, maximum: value }).unwrap_or_default();
    }
    let watching = thread::Builder::new().name("memory".to_owned());
    // If the thread can't be started, the limit above still holds.
    drop(watching.spawn(move || {
        loop {
            thread::sleep(TICK);
            let Some(now) = resident(std::process::id()) else { continue };
            if bytes < now {
                super::serve::end(TOO_MUCH);
            }
            let (part, of) = NEARLY_FULL;
            IS_NEARLY_FULL.store(bytes / of * part < now, Ordering::Relaxed);
        }
    }));
}

/// Whether the current search of this worker should end because the worker's memory is nearly used up.
pub(crate) fn is_nearly_full() -> bool {
    IS_NEARLY_FULL.load(Ordering::Relaxed)
}

/// Returns the resident memory of a process in bytes; `None` if the system does not tell it.
pub(super) fn resident(process: u32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{process}/statm")).ok()?;
    let pages: u64 = text.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages.saturating_mul(u64::try_from(rustix::param::page_size()).ok()?))
}

/// The processor time of a process without its ended children; `None` if the operating system does not tell it.
pub(super) fn processor_time(process: u32) -> Option<Duration> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The program's name, in parentheses, may contain spaces. The first field after it is the third of all; user and
    // system time are fields 14 and 15 (`man 5 proc`).
    let mut fields = text.rsplit_once(") ")?.1.split(' ').skip(14 - 3);
    let mut ticks = || fields.next()?.parse::<u64>().ok();
    let ticks = ticks()?.saturating_add(ticks()?);
    let millis = ticks.saturating_mul(1000) / rustix::param::clock_ticks_per_second().max(1);
    Some(Duration::from_millis(millis))
}

#[cfg(test)]
mod tests {
    use super::{of_owner, of_run, of_runtime, of_runtimes, of_worker, processor_time};
    use crate::args::{Command, CommandLine};
    use clap::Parser;

    #[test]
    fn the_time_on_processors_is_told_and_grows() {
        let own = std::process::id();
        let begin = processor_time(own).expect("the system tells");
        while processor_time(own) == Some(begin) {
            std::hint::black_box((0..1000).sum::<u64>());
        }
        assert!(processor_time(own) > Some(begin));
    }

    #[test]
    fn workers_share_what_the_tool_may_take() {
        let line = CommandLine::try_parse_from(["gimlet", "test", "x", "--memory", "4G"]);
        let Command::Test(options) = line.expect("arguments").command else { panic!("not `test`") };
        assert_eq!(of_worker(&options, 1), 5 << 29);
        assert_eq!(of_worker(&options, 5), 1 << 29);
        let others = (of_runtimes(&options), of_runtime(&options), of_owner(&options));
        assert_eq!(others, (1 << 30, 1 << 30, 1 << 29));
        assert_eq!((of_run(&options, 1 << 20), of_run(&options, 1 << 30)), (1 << 20, 1 << 29));
    }
}
