//! Threads that make parts of a search, each on a stage of its own.
//!
//! A stage is set when there is something to do on it. Knows nothing of what is searched for.

use crate::oracle::Oracle;
use crate::schedules::ahead::{Helpers, Job, JobId, News, Nobody, perform_job};
use crate::schedules::settings::ScheduleSettings;
use std::collections::{BTreeMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use trace::{Input, Stage};

/// How many threads, and what each of them needs.
#[derive(Clone, Copy, Debug)]
pub struct Crew {
    pub n_helpers: usize,
    pub stack_bytes: usize,
}

/// Sets a stage and lets somebody use it, on the thread that asks.
pub type Staging<'a> = dyn Fn(&mut dyn FnMut(&mut dyn Stage, &mut dyn Oracle)) + Sync + 'a;

impl Crew {
    /// Searches with the help of all; see [`explore_schedules_with`](crate::explore_schedules_with).
    pub fn help<T>(
        self,
        staging: &Staging<'_>,
        seed: &Input,
        settings: &ScheduleSettings,
        search: impl FnOnce(&mut dyn Helpers) -> T,
    ) -> T {
        if self.n_helpers == 0 {
            return search(&mut Nobody);
        }
        let desk = Desk::default();
        thread::scope(|scope| {
            let mut n_helpers = 0;
            for n in 0..self.n_helpers {
                let builder = thread::Builder::new().name(format!("gimlet part {n}"));
                let work = || desk.work(staging, seed, settings);
                let thread = builder.stack_size(self.stack_bytes);
                n_helpers += usize::from(thread.spawn_scoped(scope, work).is_ok());
            }
            // Whatever becomes of the search, nobody must be left waiting.
            let _over = Over(&desk);
            search(&mut Threads { desk: &desk, n_helpers })
        })
    }
}

struct Threads<'d> {
    desk: &'d Desk,
    n_helpers: usize,
}

/// Where jobs lie and what was found.
#[derive(Default)]
struct Desk {
    papers: Mutex<Papers>,
    /// There is a job, or there will be none.
    is_given: Condvar,
    n_given: AtomicUsize,
    n_news: AtomicUsize,
}

#[derive(Default)]
struct Papers {
    given: VecDeque<Job>,
    /// What somebody is doing, and whether he should go on.
    begun: BTreeMap<JobId, Arc<AtomicBool>>,
    news: Vec<News>,
    is_over: bool,
}

/// Runs that may wait for their turn, of each helper.
const MAX_WAITING: usize = 3000;

impl Helpers for Threads<'_> {
    fn want(&self, n_waiting: usize) -> bool {
        self.desk.n_given.load(Ordering::Relaxed) < self.n_helpers
            && n_waiting < MAX_WAITING * self.n_helpers
    }

    fn give(&mut self, job: Job) {
        let mut papers = self.desk.papers();
        papers.given.push_back(job);
        self.desk.n_given.store(papers.given.len(), Ordering::Relaxed);
        drop(papers);
        self.desk.is_given.notify_one();
    }

    fn hear(&mut self) -> Vec<News> {
        if self.desk.n_news.load(Ordering::Relaxed) == 0 {
            return Vec::new();
        }
        let mut papers = self.desk.papers();
        self.desk.n_news.store(0, Ordering::Relaxed);
        std::mem::take(&mut papers.news)
    }

    fn take_back(&mut self, id: JobId) {
        let mut papers = self.desk.papers();
        papers.given.retain(|it| it.id != id);
        self.desk.n_given.store(papers.given.len(), Ordering::Relaxed);
        if let Some(goes_on) = papers.begun.get(&id) {
            goes_on.store(false, Ordering::Relaxed);
        }
    }
}

impl Desk {
    fn papers(&self) -> MutexGuard<'_, Papers> {
        self.papers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self, staging: &Staging<'_>, seed: &Input, settings: &ScheduleSettings) {
        // A job is not kept waiting for a stage.
        if self.wait().is_over {
            return;
        }
        (staging)(&mut |stage, oracle| {
            while let Some((job, goes_on)) = self.next() {
                let (id, goes_on) = (job.id, || goes_on.load(Ordering::Relaxed));
                let mut tell = |news: News| self.tell(news);
                let perform =
                    || perform_job(stage, oracle, seed, settings, job, &goes_on, &mut tell);
                // What can't be done here is done where the search is. After a bug of ours nobody knows
                // what the stage is like.
                let is_broken = catch_unwind(AssertUnwindSafe(perform)).is_err();
                self.papers().begun.remove(&id);
                if is_broken {
                    return;
                }
            }
        });
    }

    /// Waits until there is something to do, or nothing will be.
    fn wait(&self) -> MutexGuard<'_, Papers> {
        let is_idle = |it: &mut Papers| it.given.is_empty() && !it.is_over;
        let papers = self.is_given.wait_while(self.papers(), is_idle);
        papers.unwrap_or_else(PoisonError::into_inner)
    }

    fn next(&self) -> Option<(Job, Arc<AtomicBool>)> {
        let mut papers = self.wait();
        if papers.is_over {
            return None;
        }
        let job = papers.given.pop_front()?;
        self.n_given.store(papers.given.len(), Ordering::Relaxed);
        let goes_on = Arc::new(AtomicBool::new(true));
        papers.begun.insert(job.id, Arc::clone(&goes_on));
        Some((job, goes_on))
    }

    fn tell(&self, news: News) {
        let mut papers = self.papers();
        papers.news.push(news);
        self.n_news.store(papers.news.len(), Ordering::Relaxed);
    }
}

struct Over<'d>(&'d Desk);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        let mut papers = self.0.papers();
        papers.is_over = true;
        papers.begun.values().for_each(|it| it.store(false, Ordering::Relaxed));
        drop(papers);
        self.0.is_given.notify_all();
    }
}
