//! Writes interim files during the search, so that a killed process leaves most of its results behind.
//!
//! Tests in interim files were not run. At the end, the tests that passed on the real runtime replace them.

use crate::asked::Asked;
use crate::flow::files::{self, OutputDirectory};
use crate::flow::most_tests;
use crate::flow::program::{Done, Output, Program, Until};
use crate::flow::suppressed;
use ::report::{Report, Unit};
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// The minimum time between two writes.
const EVERY: Duration = Duration::from_millis(700);
/// Writing takes at most 1/20 of the time: the pause after a write is this many times its duration.
const SHARE: u32 = 20;

/// Why the search calls the keeper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moment {
    /// There are new results.
    News,
    /// Time has passed without new results.
    Pause,
}

/// Writes interim reports and files.
#[derive(Debug)]
pub(super) struct InterimWriter<'a> {
    pub(super) asked: &'a Asked,
    /// The report to start from: its heading, and the results of language families explored before.
    pub(super) base: &'a Report,
    /// The fingerprints of the findings in the baseline.
    pub(super) known: &'a BTreeSet<String>,
    pub(super) interrupt: &'a AtomicBool,
    is_news: bool,
    due: Instant,
}

impl<'a> InterimWriter<'a> {
    pub(super) fn new(
        asked: &'a Asked,
        base: &'a Report,
        known: &'a BTreeSet<String>,
        interrupt: &'a AtomicBool,
    ) -> InterimWriter<'a> {
        InterimWriter { asked, base, known, interrupt, is_news: false, due: Instant::now() + EVERY }
    }

    /// Whether files should be written now.
    pub(super) fn is_due(&mut self, moment: Moment) -> bool {
        self.is_news |= moment == Moment::News;
        let options = &self.asked.test;
        let is_wanted = options.out.is_some() || !options.report.is_empty();
        is_wanted && self.is_news && self.due <= Instant::now()
    }

    /// Writes all files. Diagnostics are dropped: the final write at the end reports them again.
    pub(super) fn keep<P: Program>(&mut self, programs: &[P], done: &[Vec<Done<'_, P>>]) {
        let begin = Instant::now();
        let options = &self.asked.test;
        let mut report = self.base.clone();
        let mut output = OutputDirectory::new(options.out.as_deref());
        for (program, done) in programs.iter().zip(done) {
            program.report(done, &mut report);
            if let Some(dir) = &options.out {
                let (targets, emit) = (&options.targets, options.emit.as_slice());
                let until = Until { deadline: None, interrupt: self.interrupt };
                let to = Output { done, targets, emit, tests: options.tests, dir, until };
                drop(output.write(program.files(None, &to, &mut Vec::new())));
            }
        }
        report.interrupted = true;
        suppressed::mark(&mut report, self.asked, self.known, &mut Vec::new());
        report.join_causes();
        files::shorten_paths(&mut report);
        report.units.iter_mut().for_each(Unit::judge);
        report.bound(most_tests(options));
        report.written = output.written;
        drop(files::write_reports(&mut report, options));
        let end = Instant::now();
        self.is_news = false;
        self.due = end + EVERY.max((end - begin) * SHARE);
    }
}
