//! Tests of problems with `[report]`, `[path]`, `[unit]` and `[[ignore]]`, with their exact messages.

use crate::check;
use expect_test::expect;

#[test]
fn reports() {
    check(
        "[report]\nhtm = \"a.html\"\npowerpoint = \"a\"\njson = 1\nsarif = ''\n",
        &expect![[r#"
            there is no report `htm`
            2 | htm = "a.html"
              | ^^^
              = did you mean `html`?
            there is no report `powerpoint`
            3 | powerpoint = "a"
              | ^^^^^^^^^^
              = the formats are `text`, `json`, `sarif`, `junit`, `lcov`, `cobertura`, `github`, `markdown`, `html`
            a report wants the name of a file, not a number
            4 | json = 1
              |        ^
              = write `json = "FILE"`
            a report wants the name of a file, not an empty string
            5 | sarif = ''
              |         ^^
              = write `sarif = "FILE"`
        "#]],
    );
    check(
        "report = \"html=a.html\"\n",
        &expect![[r#"
            `report` is a table, not a string
            1 | report = "html=a.html"
              | ^^^^^^
              = write `[report]`, and below it a line for each: `html = "report.html"`
        "#]],
    );
}

#[test]
fn scopes() {
    check(
        "[path]\ntime = \"1s\"\n",
        &expect![[r#"
            `time` is not a pattern with options
            2 | time = "1s"
              | ^^^^
              = write `[path."src/**"]`, and the options below it
        "#]],
    );
    check(
        "unit = 'a:b/1'\n",
        &expect![[r#"
            `unit` is a table of patterns, not a string
            1 | unit = 'a:b/1'
              | ^^^^
              = write `[unit."m:f/1"]`, and the options below it
        "#]],
    );
    check(
        "[path.\"src/[a\"]\n[path.\"{a\"]\n[unit.\"\"]\nskip = 'yes'\n",
        &expect![[r#"
            `src/[a` is not a pattern: unclosed character class; missing ']'
            1 | [path."src/[a"]
              |       ^^^^^^^^
              = a pattern looks like `src/**`
            `{a` is not a pattern: unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)
            2 | [path."{a"]
              |       ^^^^
              = a pattern looks like `src/**`
            this pattern is empty
            3 | [unit.""]
              |       ^^
              = a pattern looks like `m:f/1`
            `skip` wants true or false, not a string
            4 | skip = 'yes'
              |        ^^^^^
              = write `skip = true`, without quotes
        "#]],
    );
    check(
        "[unit.Shop.Cart]\nskip = true\n",
        &expect![[r#"
            `Cart` is a table inside a pattern
            1 | [unit.Shop.Cart]
              |            ^^^^
              = put the whole pattern in quotes: `[unit."a.b:f/1"]`
        "#]],
    );
    check(
        "[unit.\"a:*\"]\nskp = true\ntme = 1\nreport = 'x'\nbudget = '1m'\n",
        &expect![[r#"
            there is no option `skp`
            2 | skp = true
              | ^^^
              = did you mean `skip`?
            there is no option `tme`
            3 | tme = 1
              | ^^^
              = did you mean `time`?
            `report` holds for the whole run, not for some units
            4 | report = 'x'
              | ^^^^^^
              = move it to `[report]`
            `budget` holds for the whole run, not for some units
            5 | budget = '1m'
              | ^^^^^^
              = move it to the top of the file
        "#]],
    );
}

#[test]
fn ignores() {
    check(
        "[[ignore]]\nunit = 'a:*'\n[[ignore]]\nbecause = 'x'\n[[ignore]]\n",
        &expect![[r#"
            an ignore needs a `because`
            1 | [[ignore]]
              | ^^^^^^^^^^
              = say why it is fine: `because = "the caller checks it"`
            this ignores every finding
            3 | [[ignore]]
              | ^^^^^^^^^^
              = say which: give at least one of `unit`, `kind`, `fingerprint`, `reason`
            this ignores every finding
            5 | [[ignore]]
              | ^^^^^^^^^^
              = say which: give at least one of `unit`, `kind`, `fingerprint`, `reason`
            an ignore needs a `because`
            5 | [[ignore]]
              | ^^^^^^^^^^
              = say why it is fine: `because = "the caller checks it"`
        "#]],
    );
    check(
        "[ignore]\nunit = 'a:*'\n",
        &expect![[r#"
            `ignore` is a list of tables, not a table
            1 | [ignore]
              |  ^^^^^^
              = write `[[ignore]]` above each of them, in double brackets
        "#]],
    );
    check(
        "ignore = ['a:*']\n",
        &expect![[r#"
            `ignore` is a list of tables, not a string
            1 | ignore = ['a:*']
              |           ^^^^^
              = write `[[ignore]]` above each of them, in double brackets
        "#]],
    );
    check(
        "[[ignore]]\nunit = 1\nkind = ['crash']\nfingerprint = 'xyz'\nreason = ''\nbecause = ' '\nresaon = 'a'\nauthor = 'b'\n",
        &expect![[r#"
            `unit` wants a string, not a number
            2 | unit = 1
              |        ^
              = write `unit = "TEXT"`
            `kind` wants a string, not a list
            3 | kind = ['crash']
              |        ^^^^^^^^^
              = write `kind = "TEXT"`
            `xyz` is not a fingerprint
            4 | fingerprint = 'xyz'
              |               ^^^^^
              = copy it from the report: digits and the letters a to f, such as `0123456789abcdef`
            `reason` wants a string, not an empty one
            5 | reason = ''
              |          ^^
              = write `reason = "TEXT"`
            `because` wants a string, not an empty one
            6 | because = ' '
              |           ^^^
              = write `because = "TEXT"`
            an ignore has no `resaon`
            7 | resaon = 'a'
              | ^^^^^^
              = did you mean `reason`?
            an ignore has no `author`
            8 | author = 'b'
              | ^^^^^^
              = an ignore has `unit`, `kind`, `fingerprint`, `reason`, `because`, `until`
        "#]],
    );
}

#[test]
fn dates() {
    check(
        "[[ignore]]\nkind = 'crash'\nbecause = 'x'\nuntil = '2026-12-31'\n",
        &expect![[r#"
            `until` wants a date, not a string
            4 | until = '2026-12-31'
              |         ^^^^^^^^^^^^
              = write `until = 2026-12-31`, without quotes
        "#]],
    );
    check(
        "[[ignore]]\nkind = 'crash'\nbecause = 'x'\nuntil = 2026-02-30\n",
        &expect![[r#"
            `2026-02-30` is not a date: expected day between 01 and 28
            4 | until = 2026-02-30
              |         ^^^^^^^^^^
              = write the year, the month and the day: `2026-12-31`
        "#]],
    );
    check(
        "[[ignore]]\nkind = 'crash'\nbecause = 'x'\nuntil = 2026-12-31T10:00:00\n",
        &expect![[r#"
            `until` wants a date, not a date with a time
            4 | until = 2026-12-31T10:00:00
              |         ^^^^^^^^^^^^^^^^^^^
              = write `until = 2026-12-31`, without quotes
        "#]],
    );
    check(
        "[[ignore]]\nkind = 'crash'\nbecause = 'x'\nuntil = 10:00:00\n",
        &expect![[r#"
            `until` wants a date, not a time
            4 | until = 10:00:00
              |         ^^^^^^^^
              = write `until = 2026-12-31`, without quotes
        "#]],
    );
}
