//! Sample reports for the tests of all formats, in several languages: with findings, without findings, interrupted, and
//! with thousands of units.

use report::{
    Chart, CoveredLine, Fate, Finding, FunctionShare, Kind, Language, Level, Loss, Mail, Module,
    Reached, Report, Row, SCHEMA, Schedule, Share, Status, Stop, Test, Tool, Uncovered, Unit,
    UnitCoverage, Why, Written, WrittenKind, fingerprint, input_id,
};

/// Returns all samples by name.
pub(crate) fn all() -> Vec<(&'static str, Report)> {
    vec![
        ("erlang with findings", erlang()),
        ("prolog with findings", prolog()),
        ("both with nothing found", clean()),
        ("interrupted", interrupted()),
        ("nothing at all", Report { schema: SCHEMA, ..Report::default() }),
        ("thousands of units", large(500, 8)),
    ]
}

fn erlang_words() -> Language {
    Language {
        name: "erlang".to_owned(),
        unit: "function".to_owned(),
        units: "functions".to_owned(),
        runtime: "BEAM".to_owned(),
        prompt: String::new(),
        end: String::new(),
        covered: "covered".to_owned(),
    }
}

fn prolog_words() -> Language {
    Language {
        name: "prolog".to_owned(),
        unit: "predicate".to_owned(),
        units: "predicates".to_owned(),
        runtime: "swipl".to_owned(),
        prompt: "?- ".to_owned(),
        end: ".".to_owned(),
        covered: "completed".to_owned(),
    }
}

const EXAMPLE: &str = "\
-module(example).
-export([foo/1, wait/0]).

%% Hostile characters: <b>&amp;</b> \"quotes\" 'single' ]]> --> </script> \u{1F980} é
foo(L) -> lists:foreach(fun fcmp/1, L).

fcmp(X) ->
    case cmp(X) of
        gt -> ok;
        lt -> ok
    end.

cmp(X) when X > 42 -> gt;
cmp(X) when X < 42 -> lt;
cmp(_) -> eq.

wait() ->
    receive {never, X} -> X end.
";

/// Three levels, a schedule with a chart, and characters that every format must escape.
pub(crate) fn erlang() -> Report {
    let crash = Finding {
        id: input_id("example:foo([42])"),
        fingerprint: fingerprint("example:foo/1", "crash error {case_clause,} example:fcmp/1"),
        kind: Kind::Crash,
        level: Level::Promise,
        because: "the spec allows this input".to_owned(),
        class: "error".to_owned(),
        reason: "{case_clause,eq}".to_owned(),
        args: vec!["[42]".to_owned()],
        call: "example:foo([42])".to_owned(),
        shown: "example:foo([42])".to_owned(),
        says: vec![
            "** exception error: no case clause matching eq".to_owned(),
            "     in function  example:fcmp/1 (src/example.erl, line 8)".to_owned(),
        ],
        file: Some("src/example.erl".to_owned()),
        line: Some(8),
        stack: vec![
            "example:fcmp/1 src/example.erl:8".to_owned(),
            "lists:foreach/2 lists.erl:1342".to_owned(),
        ],
        reached: vec![
            reached(5, "the list has an element"),
            reached(13, "not hd(L) > 42"),
            reached(14, "not hd(L) < 42"),
        ],
        confirmed: true,
        count: 376,
        minimised: true,
        found_with: Some(vec!["[42,17]".to_owned()]),
        test: Some("?_assertError({case_clause,eq}, example:foo([42]))".to_owned()),
        ..Finding::default()
    };
    let refusal = Finding {
        id: input_id("example:foo(0)"),
        fingerprint: fingerprint("example:foo/1", "rejected"),
        kind: Kind::Rejected,
        level: Level::Refusal,
        because: "no clause of example:foo/1 takes it, and no spec says that one should".to_owned(),
        class: "error".to_owned(),
        reason: "function_clause".to_owned(),
        args: vec!["0".to_owned()],
        call: "example:foo(0)".to_owned(),
        shown: "example:foo(0)".to_owned(),
        says: vec!["** exception error: no function clause matching example:foo(0)".to_owned()],
        file: Some("src/example.erl".to_owned()),
        line: Some(5),
        confirmed: true,
        count: 2,
        ..Finding::default()
    };
    let known = Finding { status: Status::Known, fingerprint: "known".to_owned(), ..crash.clone() };
    let ignored = Finding {
        status: Status::Ignored,
        ignored_because: Some("the caller checks it".to_owned()),
        fingerprint: "ignored".to_owned(),
        ..crash.clone()
    };
    let deadlock = Finding {
        id: input_id("example:wait()"),
        fingerprint: fingerprint("example:wait/0", "deadlock"),
        kind: Kind::Deadlock,
        level: Level::Promise,
        because: "nobody can go on".to_owned(),
        class: "deadlock".to_owned(),
        call: "example:wait()".to_owned(),
        shown: "example:wait()".to_owned(),
        says: vec!["waits for a message that nobody sends".to_owned()],
        file: Some("src/example.erl".to_owned()),
        line: Some(18),
        confirmed: true,
        count: 1,
        schedule: Some(schedule()),
        ..Finding::default()
    };
    let total = Unit {
        findings: vec![hostile(), crash, refusal, known, ignored],
        tests: vec![Test {
            id: input_id("example:foo([17])"),
            args: vec!["[17]".to_owned()],
            call: "example:foo([17])".to_owned(),
            outcome: "value".to_owned(),
            term: Some("ok".to_owned()),
            ..Test::default()
        }],
        losses: vec![Loss { what: "os:timestamp/0".to_owned(), count: 3 }],
        ..erlang_unit("example:foo/1", "example")
    };
    let wait = Unit { findings: vec![deadlock], ..erlang_unit("example:wait/0", "example") };
    let mut res = Report {
        schema: SCHEMA,
        tool: Tool::default(),
        targets: vec!["src/example.erl".to_owned()],
        languages: vec![erlang_words()],
        elapsed_ms: 1234,
        units: vec![total, wait],
        modules: vec![example_module()],
        written: vec![Written {
            kind: WrittenKind::Tests,
            path: "gimlet/example_gimlet_tests.erl".to_owned(),
            run_with: Some("erlc -o gimlet gimlet/*.erl && erl -pa gimlet".to_owned()),
        }],
        ..Report::default()
    };
    res.sources.insert("src/example.erl".to_owned(), EXAMPLE.to_owned());
    res.units.iter_mut().for_each(Unit::judge);
    res
}

/// Texts that break formats which do not escape them.
fn hostile() -> Finding {
    Finding {
        id: input_id("hostile"),
        fingerprint: fingerprint("example:foo/1", "hostile"),
        kind: Kind::Timeout,
        level: Level::Suspicious,
        because: "it may run forever: <script>alert(1)</script> & \"more\" %0A\n::error::no"
            .to_owned(),
        class: "timeout".to_owned(),
        reason: "reductions".to_owned(),
        args: vec!["[<<\"</script>]]>--&amp;|`*_\">>]".to_owned()],
        call: "example:foo([<<\"</script>]]>--&amp;|`*_\">>])".to_owned(),
        shown: "example:foo([<<\"</script>]]>--&amp;|`*_\">>])".to_owned(),
        says: vec![
            "does not end: 1000000 function calls were not enough\u{1b}[31m\u{0}".to_owned(),
        ],
        confirmed: false,
        unconfirmed_because: Some("BEAM did not end, either; <it> \"said\" nothing".to_owned()),
        count: 1,
        ..Finding::default()
    }
}

fn reached(line: u32, what: &str) -> Reached {
    Reached { file: Some("src/example.erl".to_owned()), line: Some(line), what: what.to_owned() }
}

fn schedule() -> Schedule {
    let mail = |to: usize, text: &str, fate: Fate| Mail { to, text: text.to_owned(), fate };
    let row = |column: usize, what: &str, sent: Vec<Mail>, started: Vec<usize>| Row {
        column,
        what: what.to_owned(),
        sent,
        started,
    };
    let drawing = Chart {
        columns: vec!["P".to_owned(), "P.1".to_owned()],
        rows: vec![
            row(0, "spawn", vec![], vec![1]),
            row(1, "sends", vec![mail(0, "{hello,<&>}", Fate::Left)], vec![]),
            row(1, "ends", vec![], vec![]),
        ],
    };
    Schedule {
        steps: vec!["P".to_owned(), "P.1".to_owned()],
        process: None,
        lost: vec![],
        blocked: vec!["P waits in example:wait/0 and has only {hello,1}".to_owned()],
        chart: drawing.lines(),
        drawing: Some(drawing),
    }
}

fn erlang_unit(name: &str, module: &str) -> Unit {
    Unit {
        unit: name.to_owned(),
        title: name.to_owned(),
        language: "erlang".to_owned(),
        module: module.to_owned(),
        file: Some(format!("src/{module}.erl")),
        stop: Stop::Exhausted,
        runs: 12,
        paths: 12,
        elapsed_ms: 41,
        coverage: UnitCoverage { clauses: share(6, 7), ..UnitCoverage::default() },
        ..Unit::default()
    }
}

fn share(covered: usize, total: usize) -> Share {
    Share { covered, total, entered: None }
}

fn example_module() -> Module {
    let line = |line: u32, function: &str, by: Option<&str>| CoveredLine {
        line,
        function: function.to_owned(),
        covered: by.is_some(),
        by: by.map(str::to_owned),
    };
    Module {
        module: "example".to_owned(),
        title: "example".to_owned(),
        language: "erlang".to_owned(),
        file: Some("src/example.erl".to_owned()),
        clauses: share(7, 8),
        functions: vec![
            function("foo/1", 1, 1),
            function("fcmp/1", 3, 3),
            function("cmp/1", 3, 3),
            function("wait/0", 0, 1),
        ],
        uncovered: vec![Uncovered {
            function: "wait/0".to_owned(),
            line: 18,
            why: Why::Unsatisfiable,
            ..Uncovered::default()
        }],
        lines: vec![
            line(5, "foo/1", Some("example:foo([])")),
            line(7, "fcmp/1", Some("example:foo([17])")),
            line(9, "fcmp/1", Some("example:foo([43])")),
            line(10, "fcmp/1", Some("example:foo([17])")),
            line(13, "cmp/1", Some("example:foo([43])")),
            line(14, "cmp/1", Some("example:foo([17])")),
            line(15, "cmp/1", Some("example:foo([42])")),
            line(18, "wait/0", None),
        ],
        ..Module::default()
    }
}

fn function(name: &str, covered: usize, total: usize) -> FunctionShare {
    FunctionShare { function: name.to_owned(), covered, total, entered: None }
}

const LEDGER: &str = "\
%! shares(+Total:integer, +N:nonneg, -Share:integer) is det.
shares(Total, N, Share) :- Share is Total // N.
";

pub(crate) fn prolog() -> Report {
    let crash = Finding {
        id: input_id("shares/3 shares(0, 0, R)"),
        fingerprint: fingerprint("shares/3", "throws error(evaluation_error)"),
        kind: Kind::Crash,
        level: Level::Promise,
        because: "the declared types allow these arguments".to_owned(),
        class: "throws".to_owned(),
        reason: "evaluation_error(zero_divisor)".to_owned(),
        args: vec!["0".to_owned(), "0".to_owned(), "R".to_owned()],
        call: "shares(0, 0, R)".to_owned(),
        shown: "shares(0, 0, R)".to_owned(),
        says: vec!["evaluation_error(zero_divisor)".to_owned()],
        file: Some("ledger.pl".to_owned()),
        line: Some(2),
        stack: vec!["shares/3 ledger.pl:2".to_owned()],
        confirmed: true,
        count: 1,
        ..Finding::default()
    };
    let mut bindings = report::Bindings::new();
    bindings.insert("R".to_owned(), "1".into());
    let unit = Unit {
        unit: "shares/3".to_owned(),
        title: "shares/3".to_owned(),
        language: "prolog".to_owned(),
        module: "user".to_owned(),
        file: Some("ledger.pl".to_owned()),
        stop: Stop::Exhausted,
        runs: 2,
        paths: 2,
        elapsed_ms: 3,
        coverage: UnitCoverage {
            clauses: Share { covered: 1, total: 1, entered: Some(1) },
            ..UnitCoverage::default()
        },
        findings: vec![crash],
        tests: vec![Test {
            id: input_id("shares/3 shares(1, 1, R)"),
            args: vec!["1".to_owned(), "1".to_owned(), "R".to_owned()],
            call: "shares(1, 1, R)".to_owned(),
            outcome: "true".to_owned(),
            answers: Some(vec![bindings.clone()]),
            bindings: Some(bindings),
            more: Some(false),
            confirmed: Some(true),
            ..Test::default()
        }],
        ..Unit::default()
    };
    let module = Module {
        module: "user".to_owned(),
        title: "ledger.pl".to_owned(),
        language: "prolog".to_owned(),
        file: Some("ledger.pl".to_owned()),
        clauses: Share { covered: 1, total: 1, entered: Some(1) },
        functions: vec![FunctionShare { entered: Some(1), ..function("shares/3", 1, 1) }],
        uncovered: vec![],
        lines: vec![CoveredLine {
            line: 2,
            function: "shares/3".to_owned(),
            covered: true,
            by: Some("shares(1, 1, R)".to_owned()),
        }],
        ..Module::default()
    };
    let mut res = Report {
        schema: SCHEMA,
        targets: vec!["ledger.pl".to_owned()],
        languages: vec![prolog_words()],
        units: vec![unit],
        modules: vec![module],
        ..Report::default()
    };
    res.sources.insert("ledger.pl".to_owned(), LEDGER.to_owned());
    res.units.iter_mut().for_each(Unit::judge);
    res
}

/// Units of two languages without findings.
pub(crate) fn clean() -> Report {
    let (mut left, right) = (erlang(), prolog());
    left.languages.extend(right.languages);
    left.units.extend(right.units);
    left.modules.extend(right.modules);
    left.sources.extend(right.sources);
    for unit in &mut left.units {
        unit.findings.clear();
        unit.judge();
    }
    left
}

/// A report ended by Ctrl-C: one unit done, one with an error of the tool, one without its turn.
pub(crate) fn interrupted() -> Report {
    let mut res = erlang();
    res.interrupted = true;
    res.written.clear();
    let broken = Unit {
        trouble: Some("gimlet broke; that is a bug of ours".to_owned()),
        stop: Stop::Unsupported,
        runs: 0,
        ..erlang_unit("example:broken/0", "example")
    };
    let untried = Unit {
        stop: Stop::Interrupted,
        runs: 0,
        paths: 0,
        ..erlang_unit("example:later/0", "example")
    };
    res.units.extend([broken, untried]);
    res.units.iter_mut().for_each(Unit::judge);
    res
}

/// A project with `n_modules` modules of `n_units` units each; every tenth unit has a finding.
pub(crate) fn large(n_modules: usize, n_units: usize) -> Report {
    let first = erlang();
    let mut res = Report {
        schema: SCHEMA,
        targets: vec![".".to_owned()],
        languages: vec![erlang_words()],
        ..Report::default()
    };
    let example = first.modules.first().cloned().unwrap_or_default();
    let findings: Vec<Finding> =
        first.units.first().map(|it| it.findings.clone()).unwrap_or_default();
    for m in 0..n_modules {
        let name = format!("module_{m:03}");
        let file = format!("src/{name}.erl");
        for u in 0..n_units {
            let mut unit = erlang_unit(&format!("{name}:function_{u}/1"), &name);
            if (m * n_units + u).is_multiple_of(10) {
                let mut finding = findings.get(m % 3).cloned().unwrap_or_default();
                finding.fingerprint = fingerprint(&unit.unit, "crash");
                finding.file = finding.file.map(|_| file.clone());
                unit.findings.push(finding);
            }
            unit.judge();
            res.units.push(unit);
        }
        res.modules.push(Module {
            module: name.clone(),
            title: name.clone(),
            file: Some(file.clone()),
            ..example.clone()
        });
        res.sources.insert(file, EXAMPLE.repeat(8));
    }
    res
}
