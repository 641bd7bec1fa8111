//! Writes what was found while the search goes on, so that little is lost with a process that is killed.
//!
//! Tests that are written meanwhile were not run; at the end, those that the real runtime passes replace them.

use crate::asked::Asked;
use crate::flow::files::{self, OutputDirectory};
use crate::flow::most_tests;
use crate::flow::program::{Done, Output, Program, Until};
use crate::flow::suppressed;
use ::report::{Report, Unit};
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// How often files are written at most.
const EVERY: Duration = Duration::from_millis(700);
/// And writing takes one part in so many of the time.
const SHARE: u32 = 20;

/// Why files may have to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moment {
    /// Something was found since.
    News,
    /// Time has passed.
    Pause,
}

/// Writes a report of what is known, again and again.
#[derive(Debug)]
pub(super) struct Keeper<'a> {
    pub(super) asked: &'a Asked,
    /// What was found of other languages, and what every report has.
    pub(super) base: &'a Report,
    /// The fingerprints of the findings that the baseline has.
    pub(super) known: &'a BTreeSet<String>,
    pub(super) interrupt: &'a AtomicBool,
    is_news: bool,
    due: Instant,
}

impl<'a> Keeper<'a> {
    pub(super) fn new(
        asked: &'a Asked,
        base: &'a Report,
        known: &'a BTreeSet<String>,
        interrupt: &'a AtomicBool,
    ) -> Keeper<'a> {
        Keeper { asked, base, known, interrupt, is_news: false, due: Instant::now() + EVERY }
    }

    /// Whether it is time to write something.
    pub(super) fn is_due(&mut self, moment: Moment) -> bool {
        self.is_news |= moment == Moment::News;
        let options = &self.asked.test;
        let is_wanted = options.out.is_some() || !options.report.is_empty();
        is_wanted && self.is_news && self.due <= Instant::now()
    }

    /// What can't be written now is told at the end, when it is tried again.
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
