//! Tests of text that is not TOML, and of the problems reported about the rest of it.

use crate::{check, parse};
use expect_test::expect;

#[test]
fn missing_quotes() {
    check(
        "budget = 2m\nstrategy = fast\nexclude = [test/**, 'b']\nstrict = True\nout =\n",
        &expect![[r#"
            `2m` has no quotes
            1 | budget = 2m
              |          ^^
              = write `"2m"`
            `fast` has no quotes
            2 | strategy = fast
              |            ^^^^
              = write `"fast"`
            `test/**` has no quotes
            3 | exclude = [test/**, 'b']
              |            ^^^^^^^
              = write `"test/**"`
            `True` is not in lower case
            4 | strict = True
              |          ^^^^
              = write `true`
            there is no value after `=`
            5 | out =
              |      ^
              = write the value, or put `#` before the line
        "#]],
    );
    check(
        "[unit.shop:total/1]\nruns = 1\n",
        &expect![[r#"
            `:` can't be in a name without quotes
            1 | [unit.shop:total/1]
              |           ^
              = put the name in quotes: `[unit."shop:total/1"]`
        "#]],
    );
}

#[test]
fn what_is_no_toml() {
    check(
        "jobs 2\n",
        &expect![[r#"
            there is no `=` after this name
            1 | jobs 2
              |      ^
              = write `name = value`
        "#]],
    );
    check(
        "out = \"gimlet\ntime = 1\n",
        &expect![[r#"
            `"` is missing here
            1 | out = "gimlet
              |              ^
        "#]],
    );
    check(
        "jobs = 1__0\ntime = nope\ndepth = 3 4\n",
        &expect![[r#"
            this is not TOML: `_` may only go between digits, expected nothing
            1 | jobs = 1__0
              |         ^
        "#]],
    );
    check(
        "out = 'a\n",
        &expect![[r#"
            `'` is missing here
            1 | out = 'a
              |         ^
        "#]],
    );
    check(
        "exclude = ['a'",
        &expect![[r#"
            `]` is missing here
            1 | exclude = ['a'
              |               ^
        "#]],
    );
    check(
        "out = \"\\q\"\n",
        &expect![[r#"
            this is not TOML: missing escaped value, expected `b`, `e`, `f`, `n`, `r`, `\`, `"`, `x`, `u`, `U`
            1 | out = "\q"
              |         ^
              = write `\\` for a backslash, or put the string in single quotes
        "#]],
    );
    check(
        "[[ignore]\nkind = 'a'\n",
        &expect![[r#"
            `]` is missing here
            1 | [[ignore]
              |          ^
        "#]],
    );
    check(
        "report = { html = 'a'",
        &expect![[r#"
            `}` is missing here
            1 | report = { html = 'a'
              |                      ^
        "#]],
    );
    check(
        "[report\nhtml = 'a'\n",
        &expect![[r#"
            `]` is missing here
            1 | [report
              |        ^
        "#]],
    );
}

#[test]
fn all_at_once_up_to_what_makes_the_rest_unclear() {
    check(
        "tme = 1\ntime = 30s\nbuget = 1\n[[ignore]]\nkind = 'crash'\n",
        &expect![[r#"
            there is no option `tme`
            1 | tme = 1
              | ^^^
              = did you mean `time`?
            `30s` has no quotes
            2 | time = 30s
              |        ^^^
              = write `"30s"`
            there is no option `buget`
            3 | buget = 1
              | ^^^^^
              = did you mean `budget`?
            an ignore needs a `because`
            4 | [[ignore]]
              | ^^^^^^^^^^
              = say why it is fine: `because = "the caller checks it"`
        "#]],
    );
    check(
        "tme = 1\nexclude = ['a',\nbuget = 1\n[[ignore]]\nkind = 'crash'\n",
        &expect![[r#"
            there is no option `tme`
            1 | tme = 1
              | ^^^
              = did you mean `time`?
            this is not TOML: unexpected `=` in array, expected value, `]`
            3 | buget = 1
              |       ^
              = is there a `]` for each `[` above?
        "#]],
    );
}

#[test]
fn columns_are_characters() {
    check(
        "args = { é = \"é\" }\n[report]\n\"é\" = 'x'\n",
        &expect![[r#"
            `é` can't be in a name without quotes
            1 | args = { é = "é" }
              |          ^
              = put the name in quotes: `[unit."shop:total/1"]`
            there is no report `é`
            3 | "é" = 'x'
              | ^^^
              = the formats are `text`, `json`, `sarif`, `junit`, `lcov`, `cobertura`, `github`, `markdown`, `html`
        "#]],
    );
}

#[test]
fn every_beginning_of_a_file_has_problems_inside_it() {
    let text = include_str!("whole.toml");
    for (end, _) in text.char_indices() {
        let text = text.get(..end).expect("a character");
        let n_lines = text.matches('\n').count() + 1;
        for problem in parse(text).err().into_iter().flatten() {
            let line = text.lines().nth(problem.line - 1).unwrap_or_default();
            let width = line.chars().count() + 1;
            assert!(problem.line <= n_lines, "{text}\n{problem}");
            assert!(problem.column + problem.length <= width + 1, "{text}\n{problem}");
        }
    }
}
