//! The units of a file on several threads, each with a machine of its own that has the file loaded.

use crate::args::Test;
use crate::start::STACK_BYTES;
use crate::test::plan::n_workers;
use crate::test::progress::Progress;
use crate::test::prolog::bounded::explore_within;
use crate::test::prolog::explore::{
    Explored, Round, Search, explore, finish, has_short_round, is_bounded,
};
use crate::test::prolog::load::{Source, load};
use crate::test::prolog::plan::Task;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
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
        searches: tasks.iter().map(|it| Mutex::new(Some(Search::new(it)))).collect(),
        n_short: Mutex::new(if has_short_round(options) { tasks.len() } else { 0 }),
        all_short: Condvar::new(),
        elsewhere: Mutex::new(BTreeSet::new()),
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
    /// The rounds of all units, one after the other.
    next: AtomicUsize,
    searches: Vec<Mutex<Option<Search>>>,
    /// Units whose short round is not over.
    n_short: Mutex<usize>,
    all_short: Condvar,
    /// What short rounds have completed.
    elsewhere: Mutex<BTreeSet<u32>>,
    done: Mutex<Vec<(usize, Explored)>>,
    /// How far the machines have come in clauses.
    furthest: Mutex<Vec<Vec<u32>>>,
}

impl Work<'_> {
    /// Takes one unit after the other until there are none, first for a short round.
    fn run(&self, source: &mut Source) {
        let n_tasks = self.tasks.len();
        let n_before = if has_short_round(self.options) { n_tasks } else { 0 };
        loop {
            let n = self.next.fetch_add(1, Ordering::Relaxed);
            if n < n_before {
                let _is_over = ShortRound(self);
                self.round(source, n, &Round::Short);
                continue;
            }
            let n = n - n_before;
            if n_tasks <= n {
                break;
            }
            let elsewhere = self.completed();
            self.round(source, n, &Round::Long { elsewhere });
            let search = self.searches.get(n).and_then(|it| lock(it).take());
            if let (Some(task), Some(search)) = (self.tasks.get(n), search) {
                let explored = finish(source, task, self.options, search);
                lock(&self.done).push((n, explored));
            }
        }
        let furthest = source.machine.furthest().to_vec();
        lock(&self.furthest).push(furthest);
    }

    fn round(&self, source: &mut Source, n: usize, round: &Round) {
        let Some((task, search)) = self.tasks.get(n).zip(self.searches.get(n)) else { return };
        if let Some(search) = lock(search).as_mut() {
            let Work { options, interrupt, progress, .. } = *self;
            if is_bounded(options) {
                explore_within(source, task, options, interrupt, progress, search);
            } else {
                explore(source, task, options, interrupt, progress, round, search);
            }
            if matches!(round, Round::Short) {
                // What an input calls is not counted as completed by this predicate.
                let counts = |it: &&u32| task.reachable.contains(it);
                lock(&self.elsewhere).extend(search.res.completed.iter().filter(counts));
            }
        }
    }

    /// What short rounds have completed: known when all of them are over, so that it does not depend
    /// on who came first.
    fn completed(&self) -> BTreeSet<u32> {
        let mut n_short = lock(&self.n_short);
        while 0 < *n_short {
            n_short = self.all_short.wait(n_short).unwrap_or_else(PoisonError::into_inner);
        }
        lock(&self.elsewhere).clone()
    }
}

/// Counts a short round as over when it is dropped, however it ended.
struct ShortRound<'a>(&'a Work<'a>);

impl Drop for ShortRound<'_> {
    fn drop(&mut self) {
        *lock(&self.0.n_short) -= 1;
        self.0.all_short.notify_all();
    }
}

fn lock<T>(of: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}
