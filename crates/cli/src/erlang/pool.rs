//! A pool of solvers that answer the queries of one unit in parallel.
//!
//! Each solver has a thread of its own, because its state can't move between threads. The number of a query determines
//! its solver, so that the answers are the same in every run with the same number of solvers.

use engine::{Oracle, Question};
use solve::{Answer, Chain, Effort, Reason, Solver, Statistics};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{JoinHandle, spawn};
use term::{Domain, Exprs};

pub(crate) struct Pool {
    workers: Vec<Worker>,
}

struct Worker {
    questions: Sender<Batch>,
    answers: Receiver<Answers>,
    thread: JoinHandle<()>,
    cost: u64,
    statistics: Statistics,
}

/// The part of a batch that one worker answers.
struct Batch {
    exprs: Arc<Exprs>,
    questions: Vec<Question>,
}

struct Answers {
    answers: Vec<Answer>,
    cost: u64,
    statistics: Statistics,
}

/// The number of queries per solver in a batch.
const SHARE: usize = 32;

impl Pool {
    pub(crate) fn new(n_workers: usize, domain: &Domain, halt: &Arc<AtomicBool>) -> Pool {
        let domain = Arc::new(domain.clone());
        let worker = |_| Worker::new(Arc::clone(&domain), halt);
        Pool { workers: (0..n_workers).map(worker).collect() }
    }

    /// Ends all solvers and returns their joined statistics.
    pub(crate) fn finish(self) -> Statistics {
        let mut res = Statistics::default();
        for Worker { questions, thread, statistics, .. } in self.workers {
            res.add(&statistics);
            drop(questions);
            // A solver that panicked gave no answers, so its result is not needed.
            drop(thread.join());
        }
        res
    }
}

impl Worker {
    fn new(domain: Arc<Domain>, halt: &Arc<AtomicBool>) -> Worker {
        let (questions, asked) = channel::<Batch>();
        let (answered, answers) = channel();
        let halt = Arc::clone(halt);
        let thread = spawn(move || {
            let mut solver = Chain::new(Effort::default()).halted_by(&halt);
            for Batch { exprs, questions } in asked {
                let all =
                    questions.iter().map(|it| it.answer(&mut solver, &exprs, &domain)).collect();
                // The expressions must be dropped before the answers are sent, so that the pool owns them alone again.
                drop(exprs);
                let (cost, statistics) = (solver.cost(), solver.statistics.clone());
                if answered.send(Answers { answers: all, cost, statistics }).is_err() {
                    return;
                }
            }
        });
        Worker { questions, answers, thread, cost: 0, statistics: Statistics::default() }
    }
}

impl Oracle for Pool {
    fn batch(&self) -> usize {
        self.workers.len() * SHARE
    }

    fn ask(&mut self, exprs: &mut Exprs, questions: Vec<Question>) -> Vec<Answer> {
        let n = questions.len();
        let n_workers = self.workers.len().max(1);
        let mut shares: Vec<Vec<Question>> = vec![Vec::new(); n_workers];
        for (n, question) in questions.into_iter().enumerate() {
            if let Some(share) = shares.get_mut(n % n_workers) {
                share.push(question);
            }
        }
        let shared = Arc::new(std::mem::take(exprs));
        for (worker, questions) in self.workers.iter().zip(shares) {
            // A worker that has ended gives no answer below.
            drop(worker.questions.send(Batch { exprs: Arc::clone(&shared), questions }));
        }
        let mut res = vec![Answer::Unknown(Reason::TooHard); n];
        for (first, worker) in self.workers.iter_mut().enumerate() {
            let Ok(Answers { answers, cost, statistics }) = worker.answers.recv() else { continue };
            (worker.cost, worker.statistics) = (cost, statistics);
            for (slot, answer) in res.iter_mut().skip(first).step_by(n_workers).zip(answers) {
                *slot = answer;
            }
        }
        *exprs = Arc::try_unwrap(shared).unwrap_or_else(|it| (*it).clone());
        res
    }

    /// The cost of the slowest solver, since they work in parallel.
    fn cost(&self) -> u64 {
        self.workers.iter().map(|it| it.cost).max().unwrap_or(0)
    }
}
