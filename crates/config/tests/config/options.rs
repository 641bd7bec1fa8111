//! Tests of problems with options: names and values, with their exact messages.

use crate::{OPTIONS, check, drawn, known};
use expect_test::expect;

#[test]
fn unknown_options() {
    check(
        "buget = \"2m\"\nno_sepc = true\nNo-Spec = true\n",
        &expect![[r#"
            there is no option `buget`
            1 | buget = "2m"
              | ^^^^^
              = did you mean `budget`?
            there is no option `no_sepc`
            2 | no_sepc = true
              | ^^^^^^^
              = did you mean `no-spec`?
            there is no option `No-Spec`
            3 | No-Spec = true
              | ^^^^^^^
              = did you mean `no-spec`?
        "#]],
    );
    check(
        "skip = true\n",
        &expect![[r#"
            there is no option `skip`
            1 | skip = true
              | ^^^^
              = it goes below `[path."src/**"]` or `[unit."m:f/1"]`
        "#]],
    );
    check(
        "paths = 1\n",
        &expect![[r#"
            there is no option `paths`
            1 | paths = 1
              | ^^^^^
              = did you mean `[path."src/**"]`?
        "#]],
    );
    let few = known(OPTIONS.get(..3).expect("three"));
    let problems = config::parse("gimlet.toml", "zzzz = 1\n[unit.\"a\"]\nzzzz = 1\n", &few, &[]);
    expect![[r#"
        there is no option `zzzz`
        1 | zzzz = 1
          | ^^^^
          = the options are `allow`, `args`, `backend`
        there is no option `zzzz`
        3 | zzzz = 1
          | ^^^^
          = there is `skip`, and the options are `allow`, `args`, `backend`
    "#]]
    .assert_eq(&drawn("zzzz = 1\n\nzzzz = 1\n", &problems.expect_err("problems")));
}

#[test]
fn unknown_tables() {
    check(
        "[pth.\"src/**\"]\ntime = 1\n[[ignores]]\nkind = 'crash'\n[database]\n",
        &expect![[r#"
            there is no table `pth`
            1 | [pth."src/**"]
              |  ^^^
              = did you mean `[path."src/**"]`?
            there is no table `ignores`
            3 | [[ignores]]
              |   ^^^^^^^
              = did you mean `[[ignore]]`?
            there is no table `database`
            5 | [database]
              |  ^^^^^^^^
              = the tables are `[report]`, `[path."src/**"]`, `[unit."m:f/1"]`, `[[ignore]]`
        "#]],
    );
    check(
        "[time]\nx = 1\n",
        &expect![[r#"
            `time` wants one value, not a table
            1 | [time]
              | ^^^^^^
              = write `time = "VALUE"`
        "#]],
    );
}

#[test]
fn wrong_types() {
    check(
        "strict = \"true\"\nno-spec = 1\ntime = [\"1s\"]\nout = 2026-12-31\nconcrete = [\"a\", [\"b\"]]\npre = { a = 1 }\n",
        &expect![[r#"
            `strict` wants true or false, not a string
            1 | strict = "true"
              |          ^^^^^^
              = write `strict = true`, without quotes
            `no-spec` wants true or false, not a number
            2 | no-spec = 1
              |           ^
              = write `no-spec = true`, without quotes
            `time` wants one value, not a list
            3 | time = ["1s"]
              |        ^^^^^^
              = write `time = "VALUE"`
            `out` wants one value, not a date
            4 | out = 2026-12-31
              |       ^^^^^^^^^^
              = write `out = "VALUE"`
            `concrete` wants strings or numbers, not a list
            5 | concrete = ["a", ["b"]]
              |                  ^^^^^
              = write `concrete = ["ONE", "TWO"]`
            `pre` wants strings or numbers, not a table
            6 | pre = { a = 1 }
              |       ^^^^^^^^^
              = write `pre = ["ONE", "TWO"]`
        "#]],
    );
}

#[test]
fn twice() {
    check(
        "no-spec = true\nno_spec = true\n",
        &expect![[r#"
            `no-spec` is set twice
            2 | no_spec = true
              | ^^^^^^^
              = `-` and `_` are the same in names; keep one of the two
        "#]],
    );
    check(
        "jobs = 1\njobs = 2\n",
        &expect![[r#"
            `jobs` is there twice
            2 | jobs = 2
              | ^^^^
              = keep one of the two
        "#]],
    );
    check(
        "[path.\"src/**\"]\n[path.\"src/**\"]\n",
        &expect![[r#"
            `src/**` is there twice
            2 | [path."src/**"]
              |       ^^^^^^^^
              = keep one of the two
        "#]],
    );
}
