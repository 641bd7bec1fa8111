//! Tests of Cobertura's XML, which is read back by the crate `roxmltree`.

use crate::{awkward, samples, written};
use report::{Module, Report, View};
use roxmltree::{Document, Node};
use std::collections::{BTreeMap, BTreeSet};

fn text(report: &Report) -> String {
    written("cobertura", report, &View::default())
}

fn children<'a, 'd>(of: Node<'a, 'd>, name: &'static str) -> impl Iterator<Item = Node<'a, 'd>> {
    of.children().filter(move |it| it.has_tag_name(name))
}

fn attribute<'a>(of: Node<'a, '_>, name: &str) -> &'a str {
    of.attribute(name).unwrap_or_else(|| panic!("{:?} has no {name}", of.tag_name()))
}

fn number(of: Node<'_, '_>, name: &str) -> usize {
    attribute(of, name).parse().expect("a number")
}

/// Returns the hits by line in the element `lines`.
fn lines(of: Node<'_, '_>) -> BTreeMap<u32, usize> {
    let list = children(of, "lines").next().expect("lines");
    let read = list.children().filter(Node::is_element).map(|it| {
        assert_eq!(it.tag_name().name(), "line");
        (u32::try_from(number(it, "number")).expect("a line"), number(it, "hits"))
    });
    read.collect()
}

fn expected(module: &Module) -> BTreeMap<u32, usize> {
    let mut res: BTreeMap<u32, usize> = BTreeMap::new();
    for clause in module.lines.iter().filter(|it| it.line != 0) {
        *res.entry(clause.line).or_default() += usize::from(clause.covered);
    }
    res
}

/// Returns only the characters that XML can represent.
fn legal(text: &str) -> String {
    let is_legal =
        |c: &char| matches!(*c, '\t' | '\n' | '\r') || !c.is_control() && *c != '\u{fffe}';
    text.chars().filter(is_legal).collect()
}

/// Checks that a rate is the share of lines with hits, rounded down.
fn check_rate(of: Node<'_, '_>, n_hit: usize, n_all: usize) {
    let rate: f64 = attribute(of, "line-rate").parse().expect("a rate");
    let exact = if n_all == 0 { 1.0 } else { n_hit as f64 / n_all as f64 };
    assert!(rate <= exact && exact - rate < 0.000_11, "{rate} for {n_hit} of {n_all}");
}

#[test]
fn lines_and_their_hits_are_those_of_the_report() {
    for (name, report) in awkward::reports() {
        let text = text(&report);
        let document = Document::parse(&text).unwrap_or_else(|it| panic!("{name}: {it}\n{text}"));
        let coverage = document.root_element();
        assert_eq!(coverage.tag_name().name(), "coverage");
        let packages: Vec<Node<'_, '_>> =
            children(children(coverage, "packages").next().expect("packages"), "package").collect();
        let with_file: Vec<&Module> =
            report.modules.iter().filter(|it| it.file.is_some()).collect();
        let languages: BTreeSet<&str> = with_file.iter().map(|it| it.language.as_str()).collect();
        let named: Vec<&str> = packages.iter().map(|it| attribute(*it, "name")).collect();
        assert_eq!(named, languages.into_iter().collect::<Vec<_>>(), "{name}");

        let classes: Vec<Node<'_, '_>> = packages
            .iter()
            .flat_map(|it| children(children(*it, "classes").next().expect("classes"), "class"))
            .collect();
        assert_eq!(classes.len(), with_file.len(), "{name}");
        let mut totals = (0, 0);
        for module in with_file {
            let file = module.file.as_deref().map(legal).expect("a file");
            let is_meant = |it: &&Node<'_, '_>| {
                attribute(**it, "name") == module.title && attribute(**it, "filename") == file
            };
            let class = classes.iter().find(is_meant).expect("a class");
            let expected = expected(module);
            assert_eq!(lines(*class), expected, "{name}: {}", module.title);
            let n_hit = expected.values().filter(|it| 0 < **it).count();
            check_rate(*class, n_hit, expected.len());
            totals = (totals.0 + n_hit, totals.1 + expected.len());
            check_methods(*class, module);
        }
        assert_eq!(number(coverage, "lines-covered"), totals.0, "{name}");
        assert_eq!(number(coverage, "lines-valid"), totals.1, "{name}");
        check_rate(coverage, totals.0, totals.1);
    }
}

fn check_methods(class: Node<'_, '_>, module: &Module) {
    let methods = children(class, "methods").next().expect("methods");
    let read: BTreeMap<String, BTreeMap<u32, usize>> = children(methods, "method")
        .map(|it| (format!("{}{}", attribute(it, "name"), attribute(it, "signature")), lines(it)))
        .collect();
    let mut expected: BTreeMap<String, BTreeMap<u32, usize>> = BTreeMap::new();
    for clause in module.lines.iter().filter(|it| it.line != 0) {
        let lines = expected.entry(clause.function.clone()).or_default();
        *lines.entry(clause.line).or_default() += usize::from(clause.covered);
    }
    assert_eq!(read, expected, "{}", module.title);
}

/// Checks the attributes that `coverage-04.dtd` requires of each element.
#[test]
fn every_element_has_what_its_definition_requires() {
    let required: BTreeMap<&str, &str> = BTreeMap::from([
        (
            "coverage",
            "line-rate branch-rate lines-covered lines-valid branches-covered branches-valid \
             complexity version timestamp",
        ),
        ("sources", ""),
        ("source", ""),
        ("packages", ""),
        ("package", "name line-rate branch-rate complexity"),
        ("classes", ""),
        ("class", "name filename line-rate branch-rate complexity"),
        ("methods", ""),
        ("method", "name signature line-rate branch-rate complexity"),
        ("lines", ""),
        ("line", "number hits"),
    ]);
    for report in [samples::clean(), awkward::report()] {
        let text = text(&report);
        let document = Document::parse(&text).expect("XML");
        for element in document.descendants().filter(Node::is_element) {
            let required = required[element.tag_name().name()];
            required.split_whitespace().for_each(|it| {
                attribute(element, it);
            });
        }
    }
}
