//! Tests of the files that `gimlet init` writes.

use crate::{drawn, good, parse};
use config::{Project, ProjectKind, template};
use expect_test::expect;

const KINDS: &[ProjectKind] = &[
    ProjectKind::Rebar3,
    ProjectKind::Mix,
    ProjectKind::Gleam,
    ProjectKind::ErlangFiles,
    ProjectKind::PrologFiles,
    ProjectKind::Unknown,
];

/// Returns one project of every kind that makes a difference.
fn projects() -> Vec<Project> {
    let mut res = Vec::new();
    for kind in KINDS {
        for name in [None, Some("shop".to_owned()), Some("a\njobs = x".to_owned())] {
            for has_tests in [false, true] {
                res.push(Project { kind: *kind, name: name.clone(), has_tests });
            }
        }
    }
    res
}

/// Returns the template with all proposed settings uncommented.
fn uncommented(text: &str) -> String {
    let is_setting = |line: &str| {
        let name = line.split(" = ").next().unwrap_or_default();
        let is_name = name.chars().all(|it| it.is_ascii_alphanumeric() || it == '-');
        line.starts_with('[') || (line.contains(" = ") && is_name)
    };
    let lines = text.lines().map(|line| match line.strip_prefix("# ") {
        Some(rest) if is_setting(rest) => rest,
        _ => line,
    });
    lines.map(|it| format!("{it}\n")).collect()
}

#[test]
fn templates_parse_as_they_are() {
    for project in projects() {
        let config = good(&template(&project));
        let names: Vec<&str> = config.options.iter().map(|it| it.name.as_str()).collect();
        let expected: &[&str] =
            if project.has_tests { &["budget", "exclude"] } else { &["budget"] };
        assert_eq!(names, expected);
        assert!(config.paths.is_empty() && config.units.is_empty() && config.ignores.is_empty());
    }
}

#[test]
fn templates_parse_with_every_line_uncommented() {
    for project in projects() {
        let text = uncommented(&template(&project));
        let config = parse(&text).unwrap_or_else(|problems| panic!("{}", drawn(&text, &problems)));
        assert_eq!(config.options.len(), 8, "{text}");
        assert_eq!((config.paths.len(), config.units.len(), config.ignores.len()), (1, 1, 1));
    }
}

#[test]
fn lines_are_short() {
    for project in projects() {
        let text = template(&project);
        let long = text.lines().find(|it| it.chars().count() > 105);
        assert_eq!(long, None);
    }
}

#[test]
fn a_template() {
    let project =
        Project { kind: ProjectKind::Rebar3, name: Some("shop".to_owned()), has_tests: true };
    expect![[r##"
        # Gimlet's configuration of shop, a rebar3 project.
        #
        # Every long option of `gimlet test` can stand here; `gimlet test --help` lists them. The command line
        # wins over this file. `gimlet config` shows what holds, and from where.
        #
        # Build with `rebar3 compile`, then start with `gimlet test .`.

        # Time for everything together; without it, 45s for each module and at most 5m.
        budget = "2m"

        # Time for each function.
        # time = "30s"

        # Files and modules that are not tested.
        exclude = ["test/**"]

        # What is run with its concrete values only: code that costs more than it tells.
        # concrete = ["logger"]

        # Inputs that a function's own clauses refuse count as found, too.
        # strict = true

        # Findings of an earlier run don't count: `gimlet test . --report json=baseline.json` writes the file.
        # baseline = "baseline.json"

        # Reports to write: a page to look at, and what code hosts show beside a change.
        # [report]
        # html = "gimlet/report.html"
        # sarif = "gimlet/report.sarif"

        # Options for the units of some files.
        # [path."src/parser/**"]
        # time = "10s"

        # Options for one unit, or for several: "shop:*".
        # [unit."shop:total/1"]
        # pre = "shop:valid/1"

        # Findings that are known and accepted. Which ones (`unit`, `kind`, `reason`, `fingerprint`), and why.
        # [[ignore]]
        # unit = "shop:*"
        # kind = "crash"
        # reason = "*badarg*"
        # because = "the caller checks it"
        # until = 2030-12-31
    "##]].assert_eq(&template(&project));
}
