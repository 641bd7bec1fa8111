//! Cobertura: covered lines as XML according to `coverage-04.dtd`, which most services for coverage read.
//!
//! There is a package for each language and a class for each module. The format requires a file for each class, so
//! modules without one are left out. It also requires a time, which is always 0 because a report has none.

use super::lines::{Hits, LineShare, functions, hits, share};
use super::printable::printable;
use super::{Format, View};
use crate::data::{Module, Report};
use std::fmt::Write as _;
use std::io;

pub(super) const FORMAT: Format =
    Format { name: "cobertura", about: "coverage of lines, as Cobertura's XML", write };

fn write(report: &Report, _: &View, out: &mut dyn io::Write) -> io::Result<()> {
    let mut modules: Vec<(&Module, &str)> =
        report.modules.iter().filter_map(|it| Some((it, it.file.as_deref()?))).collect();
    // The sort is stable: within a language, modules keep the order of the report.
    modules.sort_by_key(|it| &it.0.language);
    let mut packages = String::new();
    let mut all = LineShare::default();
    for package in modules.chunk_by(|left, right| left.0.language == right.0.language) {
        let mut classes = String::new();
        let mut lines = LineShare::default();
        package.iter().for_each(|(module, file)| {
            lines = sum(lines, write_class(&mut classes, module, file));
        });
        let name = package.first().map_or("", |it| &it.0.language);
        let open = Open { indent: 4, element: "package", names: &[("name", name)], lines };
        writeln!(packages, "{open}\n      <classes>\n{classes}      </classes>\n    </package>")
            .ok();
        all = sum(all, lines);
    }
    let LineShare { hit, found } = all;
    let (rate, version) = (rate(all), attribute(&report.tool.version));
    writeln!(out, r#"<?xml version="1.0" encoding="UTF-8"?>"#)?;
    write!(out, r#"<coverage line-rate="{rate}" branch-rate="0" lines-covered="{hit}" "#)?;
    write!(out, r#"lines-valid="{found}" branches-covered="0" branches-valid="0" "#)?;
    writeln!(out, r#"complexity="0" version="{version}" timestamp="0">"#)?;
    writeln!(out, "  <sources>\n    <source>.</source>\n  </sources>")?;
    writeln!(out, "  <packages>\n{packages}  </packages>\n</coverage>")
}

/// Appends a module; returns how many of its lines have hits.
fn write_class(out: &mut String, module: &Module, file: &str) -> LineShare {
    let hits = hits(module);
    let lines = share(&hits);
    let names = [("name", module.title.as_str()), ("filename", file)];
    writeln!(out, "{}", Open { indent: 8, element: "class", names: &names, lines }).ok();
    writeln!(out, "          <methods>").ok();
    for function in functions(module) {
        let (name, arity) = function.name.rsplit_once('/').unwrap_or((function.name, ""));
        let signature = format!("/{arity}");
        let names = [("name", name), ("signature", signature.as_str())];
        let lines = share(&function.lines);
        writeln!(out, "{}", Open { indent: 12, element: "method", names: &names, lines }).ok();
        write_lines(out, 14, &function.lines);
        writeln!(out, "            </method>").ok();
    }
    writeln!(out, "          </methods>").ok();
    write_lines(out, 10, &hits);
    writeln!(out, "        </class>").ok();
    lines
}

fn write_lines(out: &mut String, indent: usize, hits: &Hits) {
    let blank = " ".repeat(indent);
    writeln!(out, "{blank}<lines>").ok();
    for (line, n) in hits {
        writeln!(out, r#"{blank}  <line number="{line}" hits="{n}" branch="false"/>"#).ok();
    }
    writeln!(out, "{blank}</lines>").ok();
}

/// The opening tag of an element with a coverage rate.
struct Open<'a> {
    indent: usize,
    element: &'static str,
    names: &'a [(&'static str, &'a str)],
    lines: LineShare,
}

impl std::fmt::Display for Open<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}<{}", " ".repeat(self.indent), self.element)?;
        for (name, value) in self.names {
            write!(out, r#" {name}="{}""#, attribute(value))?;
        }
        let rate = rate(self.lines);
        write!(out, r#" line-rate="{rate}" branch-rate="0" complexity="0">"#)
    }
}

fn sum(left: LineShare, right: LineShare) -> LineShare {
    LineShare { hit: left.hit + right.hit, found: left.found + right.found }
}

/// Returns a rate from 0 to 1 with four digits, rounded down so that only full coverage is 1; 1 if there is nothing to
/// cover.
fn rate(of: LineShare) -> String {
    let n = (of.hit * 10_000).checked_div(of.found).unwrap_or(10_000);
    format!("{}.{:04}", n / 10_000, n % 10_000)
}

/// Escapes the value of an attribute. Readers turn unescaped ends of lines and tabs into spaces.
fn attribute(text: &str) -> String {
    let mut res = String::with_capacity(text.len());
    for c in printable(text).chars() {
        match c {
            '&' => res.push_str("&amp;"),
            '<' => res.push_str("&lt;"),
            '>' => res.push_str("&gt;"),
            '"' => res.push_str("&quot;"),
            '\t' => res.push_str("&#9;"),
            '\n' => res.push_str("&#10;"),
            '\r' => res.push_str("&#13;"),
            _ => res.push(c),
        }
    }
    res
}
