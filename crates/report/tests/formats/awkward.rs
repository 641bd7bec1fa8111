//! A report whose names, places and terms are as difficult for formats as the languages allow.

use crate::samples;
use report::{
    CoveredLine, Finding, FunctionShare, Kind, Language, Level, Module, Report, SCHEMA, Share,
    Status, Unit, fingerprint, input_id,
};

/// Returns every sample and the awkward report.
pub(crate) fn reports() -> Vec<(&'static str, Report)> {
    let mut res = samples::all();
    res.push(("awkward", report()));
    res
}

/// Markup, commands, mentions and control characters in one term.
pub(crate) const HOSTILE: &str = "f(\"````\\n</details></code><img src=x>\r\n::error::injected\n\
    ##[error]injected](https://example.org) @someone #1 www.example.org | a\\|b *b* _u_ $x$ \
    <!-- %0A%25 \u{1b}[31m\u{0}\u{b}\u{fffe}\tend\n\n# heading\n- item\n> quote\n```\")";

const SPACED: &str = "/srv/with space/é#%?.ex";
const PLAIN: &str = "lib/two, modules: one.ex";

pub(crate) fn report() -> Report {
    let languages = vec![Language {
        name: "elixir".to_owned(),
        unit: "function".to_owned(),
        units: "functions".to_owned(),
        runtime: "BEAM".to_owned(),
        covered: "covered".to_owned(),
        ..Language::default()
    }];
    let race = finding("race", Kind::Race, Level::Suspicious, None);
    let unplaced = finding("unplaced", Kind::Crash, Level::Promise, None);
    let spaced = Finding {
        stack: vec![
            format!("'Elixir.Spaced':'a, b'/1 {SPACED}:7"),
            "lists:map/2 lists.erl:1".to_owned(),
            "erlang:hd/1".to_owned(),
        ],
        reached: vec![report::Reached { file: None, line: None, what: HOSTILE.to_owned() }],
        test: Some(HOSTILE.to_owned()),
        ..finding("spaced", Kind::Spec, Level::Suspicious, Some((SPACED, 7)))
    };
    let at_line_0 = finding("at line 0", Kind::Timeout, Level::Promise, Some((PLAIN, 0)));
    let refusal = finding("refusal", Kind::Rejected, Level::Refusal, Some((PLAIN, 3)));
    let mut ignored = finding("ignored", Kind::Property, Level::Promise, Some((PLAIN, 3)));
    ignored.status = Status::Ignored;
    let mut res = Report {
        schema: SCHEMA,
        languages,
        elapsed_ms: 61_001,
        units: vec![
            unit("'Elixir.Nowhere':run/0", None, vec![race, unplaced]),
            Unit {
                trouble: Some(HOSTILE.to_owned()),
                ..unit("'Elixir.Spaced':'a, b'/1", Some(SPACED), vec![spaced])
            },
            unit("'Elixir.One':f/1", Some(PLAIN), vec![at_line_0, refusal]),
            unit("'Elixir.Two':f/1", Some(PLAIN), vec![ignored]),
        ],
        modules: vec![
            module("Nowhere", None, &[(1, "run/0", true)]),
            module(
                "Spaced",
                Some(SPACED),
                &[
                    (7, "'a, b'/1", true),
                    (7, "'a, b'/1", false),
                    (7, "'<&\"\t>'/2", true),
                    (9, "'<&\"\t>'/2", false),
                    (0, "unknown/0", true),
                ],
            ),
            module("One", Some(PLAIN), &[(3, "f/1", true), (4, "g/0", false)]),
            module("Two", Some(PLAIN), &[(9, "f/1", false), (4, "g/0", true)]),
        ],
        ..Report::default()
    };
    res.units.iter_mut().for_each(Unit::judge);
    res
}

fn finding(name: &str, kind: Kind, level: Level, place: Option<(&str, u32)>) -> Finding {
    Finding {
        id: input_id(name),
        fingerprint: fingerprint("awkward", name),
        kind,
        level,
        because: format!("{name} because {HOSTILE}"),
        reason: name.to_owned(),
        call: format!("{name} {HOSTILE}"),
        shown: format!("{name} {HOSTILE}"),
        says: vec![HOSTILE.to_owned(), "last line".to_owned()],
        file: place.map(|it| it.0.to_owned()),
        line: place.map(|it| it.1),
        count: 2,
        ..Finding::default()
    }
}

fn unit(name: &str, file: Option<&str>, findings: Vec<Finding>) -> Unit {
    let module = name.split(':').next().unwrap_or_default().trim_matches('\'');
    Unit {
        unit: name.to_owned(),
        title: format!("{name} |`<{HOSTILE}>`"),
        language: "elixir".to_owned(),
        module: module.trim_start_matches("Elixir.").to_owned(),
        file: file.map(str::to_owned),
        runs: 1,
        elapsed_ms: 1,
        findings,
        ..Unit::default()
    }
}

fn module(name: &str, file: Option<&str>, clauses: &[(u32, &str, bool)]) -> Module {
    let line = |it: &(u32, &str, bool)| CoveredLine {
        line: it.0,
        function: it.1.to_owned(),
        covered: it.2,
        by: None,
    };
    let mut names: Vec<&str> = clauses.iter().map(|it| it.1).collect();
    names.dedup();
    let covered = |name: &str| clauses.iter().filter(|it| it.1 == name && it.2).count();
    let function = |name: &&str| FunctionShare {
        function: (*name).to_owned(),
        covered: covered(name),
        total: clauses.iter().filter(|it| it.1 == *name).count(),
        entered: None,
    };
    Module {
        module: name.to_owned(),
        title: name.to_owned(),
        language: "elixir".to_owned(),
        file: file.map(str::to_owned),
        clauses: Share {
            covered: clauses.iter().filter(|it| it.2).count(),
            total: clauses.len(),
            entered: None,
        },
        functions: names.iter().map(function).collect(),
        uncovered: Vec::new(),
        branches: None,
        uncovered_branches: Vec::new(),
        lines: clauses.iter().map(line).collect(),
    }
}
