//! LCOV: covered lines and functions in the format of `lcov`'s trace files (see `geninfo(1)`), for editors, for
//! `genhtml` and for services that collect coverage.
//!
//! The format has no escapes, so characters in names that it cannot represent are replaced. Modules without a file are
//! left out.

use super::lines::{Function, Hits, functions, hits, share};
use super::printable::on_one_line;
use super::{Format, View};
use crate::data::{Module, Report};
use std::collections::BTreeMap;
use std::io;

pub(super) const FORMAT: Format =
    Format { name: "lcov", about: "coverage of lines, for editors and genhtml", write };

fn write(report: &Report, _: &View, out: &mut dyn io::Write) -> io::Result<()> {
    files(report).iter().try_for_each(|it| it.write(out))
}

/// A file with its functions and lines. Some languages have several modules in one file.
struct File<'r> {
    path: &'r str,
    functions: Vec<(String, Function<'r>)>,
    hits: Hits,
}

/// Returns the files of all modules, in the order of the report.
fn files(report: &Report) -> Vec<File<'_>> {
    let with_files = || report.modules.iter().filter_map(|it| Some((it, it.file.as_deref()?)));
    let mut n_modules: BTreeMap<&str, usize> = BTreeMap::new();
    with_files().for_each(|(_, path)| *n_modules.entry(path).or_default() += 1);
    let mut res: Vec<File<'_>> = Vec::new();
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for (module, path) in with_files() {
        let is_shared = n_modules.get(path).is_some_and(|it| 1 < *it);
        let place = *places.entry(path).or_insert(res.len());
        if place == res.len() {
            res.push(File { path, functions: Vec::new(), hits: Hits::new() });
        }
        let Some(file) = res.get_mut(place) else { continue };
        for function in functions(module) {
            file.functions.push((function_name(module, function.name, is_shared), function));
        }
        for (line, n) in hits(module) {
            *file.hits.entry(line).or_default() += n;
        }
    }
    res
}

/// Returns the name of a function, with its module if the file has several. Commas are replaced, because `lcov`
/// separates fields by commas and a quoted atom may contain one.
fn function_name(module: &Module, function: &str, is_shared: bool) -> String {
    let name = match is_shared {
        true => format!("{}.{function}", module.title),
        false => function.to_owned(),
    };
    on_one_line(&name).replace(',', ";")
}

impl File<'_> {
    fn write(&self, out: &mut dyn io::Write) -> io::Result<()> {
        writeln!(out, "TN:gimlet")?;
        writeln!(out, "SF:{}", on_one_line(self.path))?;
        for (name, function) in &self.functions {
            writeln!(out, "FN:{},{name}", function.line)?;
        }
        for (name, function) in &self.functions {
            writeln!(out, "FNDA:{},{name}", function.hits)?;
        }
        let n_hit = self.functions.iter().filter(|it| 0 < it.1.hits).count();
        writeln!(out, "FNF:{}\nFNH:{n_hit}", self.functions.len())?;
        for (line, n) in &self.hits {
            writeln!(out, "DA:{line},{n}")?;
        }
        let lines = share(&self.hits);
        writeln!(out, "LF:{}\nLH:{}\nend_of_record", lines.found, lines.hit)
    }
}
