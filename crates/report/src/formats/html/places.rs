//! Links into the sources of the page: which module shows a file, and which of its lines are link targets.

use crate::data::Report;
use crate::finding::Finding;
use crate::rank::Ranked;
use std::collections::{BTreeMap, BTreeSet};

/// The links between findings and sources.
#[derive(Debug, Default)]
pub(super) struct Places<'r> {
    /// The index of the module that shows a file.
    modules: BTreeMap<&'r str, usize>,
    /// Lines that some finding names.
    lines: BTreeSet<(&'r str, u32)>,
    /// Links to the findings that fail at a line.
    failing: BTreeMap<(&'r str, u32), Vec<Link>>,
    /// The number of findings that are shown for each module, by its name.
    counts: BTreeMap<&'r str, usize>,
}

/// A link to a finding.
#[derive(Clone, Debug)]
pub(super) struct Link {
    pub(super) href: String,
    pub(super) text: &'static str,
}

impl<'r> Places<'r> {
    /// Collects the links. Findings are numbered from one in the order of `ranked.shown`, as in the page.
    pub(super) fn of(report: &'r Report, ranked: &Ranked<'r>) -> Places<'r> {
        let mut res = Places::default();
        for (n, module) in report.modules.iter().enumerate() {
            if let Some(file) = module.file.as_deref().filter(|it| report.sources.contains_key(*it))
            {
                res.modules.entry(file).or_insert(n);
            }
        }
        for (_, finding) in report.findings() {
            res.lines.extend(finding.file.as_deref().zip(finding.line));
            let reached = finding.reached.iter();
            res.lines.extend(reached.filter_map(|it| it.file.as_deref().zip(it.line)));
        }
        for (n, (unit, finding)) in ranked.shown.iter().enumerate() {
            *res.counts.entry(unit.module.as_str()).or_default() += 1;
            if let Some(at) = place(finding) {
                let link = Link { href: format!("#f{}", n + 1), text: finding.kind.name() };
                res.failing.entry(at).or_default().push(link);
            }
        }
        res
    }

    /// Returns the link to a line of source, if the page shows it.
    pub(super) fn href(&self, file: Option<&str>, line: Option<u32>) -> Option<String> {
        let (file, line) = file.zip(line)?;
        let anchor = self.anchor(*self.modules.get(file)?, file, line)?;
        Some(format!("#{anchor}"))
    }

    /// Returns the id of a line of source, if something links to it.
    pub(super) fn anchor(&self, module: usize, file: &str, line: u32) -> Option<String> {
        let is_shown = self.modules.get(file) == Some(&module) && self.is_linked(file, line);
        is_shown.then(|| format!("m{module}-{line}"))
    }

    fn is_linked(&self, file: &str, line: u32) -> bool {
        self.lines.contains(&(file, line))
    }

    /// Returns the findings that fail at a line.
    pub(super) fn failing<'a>(&'a self, file: &'a str, line: u32) -> &'a [Link] {
        self.failing.get(&(file, line)).map_or(&[], Vec::as_slice)
    }

    pub(super) fn n_findings(&self, module: &str) -> usize {
        self.counts.get(module).copied().unwrap_or(0)
    }
}

fn place(finding: &Finding) -> Option<(&str, u32)> {
    finding.file.as_deref().zip(finding.line)
}
