//! The worker's side of a worker process: explores the units that its owner assigns, and sends the results. If it
//! dies, only the results of the current turn are lost.
//!
//! Loads and plans the same program again, which takes milliseconds with the cache.

use crate::args::Test;
use crate::asked::Asked;
use crate::flow::explorer::InThread;
use crate::flow::program::Program;
use crate::flow::progress::Progress;
use crate::flow::so_far::SoFar;
use crate::flow::wire::{Answer, Order, bytes_of, receive, send};
use crate::flow::{Planned, plan_of, planned, room};
use crate::languages::Family;
use crate::start;
use rustix::process::{Signal, getpid, kill_process};
use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// The first argument of a worker process.
pub(super) const ROLE: &str = "__work";

/// How many large stacks ([`start::STACK_BYTES`]) a worker may map besides one for each of its cores.
const N_STACKS: u64 = 3;

/// The arguments of a worker process, which precede those of the owner's command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Role {
    /// The index of the language family.
    family: usize,
    /// The memory limit, in bytes.
    pub(super) memory: u64,
    /// The number of its threads with large stacks.
    pub(super) n_stacks: u64,
}

impl Role {
    /// Makes the role of one of `n_workers` workers that share the memory, each with `n_cores` cores.
    pub(super) fn new(family: Family, options: &Test, n_workers: usize, n_cores: usize) -> Role {
        let n_cores = u64::try_from(n_cores).unwrap_or(u64::MAX);
        Role {
            family: family.number(),
            memory: room::of_worker(options, n_workers),
            n_stacks: N_STACKS.saturating_add(n_cores),
        }
    }

    pub(crate) fn family(&self) -> Option<Family> {
        Family::ALL.get(self.family).copied()
    }

    pub(super) fn to_args(&self) -> [String; 4] {
        let Role { family, memory, n_stacks } = self;
        [ROLE.to_owned(), family.to_string(), memory.to_string(), n_stacks.to_string()]
    }

    /// Splits the arguments of a process into its role and the arguments of the command; `None` if it is not a worker.
    pub(crate) fn of_args(arguments: &[OsString]) -> Option<(Role, Vec<OsString>)> {
        let [program, role, family, memory, n_stacks, rest @ ..] = arguments else { return None };
        if role != ROLE {
            return None;
        }
        let number = |it: &OsString| it.to_str()?.parse::<u64>().ok();
        let family = usize::try_from(number(family)?).ok()?;
        let role = Role { family, memory: number(memory)?, n_stacks: number(n_stacks)? };
        Some((role, [std::slice::from_ref(program), rest].concat()))
    }

    /// Limits the memory of this process and makes it ignore signals, which the owner handles.
    pub(crate) fn begin(&self) {
        room::keep_within(self.memory, self.n_stacks);
        super::interrupt::ignore();
    }
}

/// Explores the units that the owner assigns, until it closes the pipe.
pub(crate) fn serve<P: Program>(targets: &[String], asked: &Asked) -> ExitCode {
    let interrupt = Arc::new(AtomicBool::new(false));
    let (orders, turns) = channel();
    let flag = Arc::clone(&interrupt);
    let listening = thread::Builder::new().name("orders".to_owned()).stack_size(start::STACK_BYTES);
    let listening = listening.spawn(move || {
        while let Some(order) = receive::<Order>(&mut io::stdin().lock()) {
            match order {
                Order::Explore(turn) => orders.send(turn).unwrap_or_default(),
                Order::Stop => flag.store(true, Ordering::Relaxed),
            }
        }
        // The owner closed the pipe or died, so nobody reads further results.
        end("");
    });
    if listening.is_err() {
        return ExitCode::from(start::COULD_NOT);
    }
    let told = Arc::new(Mutex::new(io::stdout()));
    let tell = move |answer: &Answer| {
        let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
        if send(&mut *told, answer).is_err() {
            end("");
        }
    };
    let Planned { programs, units } = planned::<P>(targets, asked, &interrupt, &mut Vec::new());
    tell(&Answer::Ready { plan: plan_of::<P>(&units) });
    let mut explorer = InThread::new(&programs, &units, &interrupt);
    let progress = Progress::told({
        let tell = tell.clone();
        move |seen| tell(&Answer::Seen(seen))
    });
    for turn in turns {
        let so_far = SoFar::new(|found| {
            if let Ok(bytes) = bytes_of(found) {
                tell(&Answer::SoFar(bytes));
            }
        });
        let explored = explorer.perform(&turn, &progress, &so_far);
        tell(&match explored.and_then(|it| bytes_of(&it)) {
            Ok(bytes) => Answer::Explored(bytes),
            Err(why) => Answer::Failed { why },
        });
    }
    ExitCode::SUCCESS
}

/// Kills the process at once, whatever its threads do.
pub(super) fn end(why: &str) {
    writeln!(io::stderr(), "{why}").unwrap_or_default();
    kill_process(getpid(), Signal::KILL).unwrap_or_default();
    std::process::abort();
}
