//! The units of a file on several threads, each with a machine of its own that has the file loaded.

use crate::args::Test;
use crate::start::STACK_BYTES;
use crate::test::plan::n_workers;
use crate::test::progress::Progress;
use crate::test::prolog::explore::{Explored, explore};
use crate::test::prolog::load::{Source, load};
use crate::test::prolog::plan::Task;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// What came of each unit, in their order.
pub(crate) fn explore_all(
    source: &mut Source,
    tasks: &[Task],
    options: &Test,
    interrupt: &AtomicBool,
) -> Vec<Explored> {
    let n_workers = n_workers(options).min(tasks.len());
    let progress = Progress::new(tasks.len(), n_workers, super::super::time_of(options));
    let work = Work {
        tasks,
        options,
        interrupt,
        progress: &progress,
        next: AtomicUsize::new(0),
        done: Mutex::new(Vec::new()),
        furthest: Mutex::new(Vec::new()),
    };
    let target = source.path.display().to_string();
    thread::scope(|scope| {
        for _ in 1..n_workers {
            let builder = thread::Builder::new().stack_size(STACK_BYTES);
            // A thread that can't be had leaves its work to the others.
            drop(builder.spawn_scoped(scope, || {
                if let Ok(mut own) = load(&target) {
                    work.run(&mut own);
                }
            }));
        }
        work.run(source);
    });
    progress.clear();
    let Work { done, furthest, .. } = work;
    for furthest in furthest.into_inner().unwrap_or_else(PoisonError::into_inner) {
        source.machine.note_furthest(&furthest);
    }
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|it| it.0);
    done.into_iter().map(|it| it.1).collect()
}

struct Work<'a> {
    tasks: &'a [Task],
    options: &'a Test,
    interrupt: &'a AtomicBool,
    progress: &'a Progress,
    next: AtomicUsize,
    done: Mutex<Vec<(usize, Explored)>>,
    /// How far the machines have come in clauses.
    furthest: Mutex<Vec<Vec<u32>>>,
}

impl Work<'_> {
    /// Takes one unit after the other until there are none.
    fn run(&self, source: &mut Source) {
        loop {
            let n = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(task) = self.tasks.get(n) else { break };
            let explored = explore(source, task, self.options, self.interrupt, self.progress);
            self.done.lock().unwrap_or_else(PoisonError::into_inner).push((n, explored));
        }
        let furthest = source.machine.furthest().to_vec();
        self.furthest.lock().unwrap_or_else(PoisonError::into_inner).push(furthest);
    }
}
