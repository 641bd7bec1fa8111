//! Tests the whole tool: arguments, output and exit codes.
#![expect(clippy::disallowed_methods, reason = "it starts the binary under test")]

mod common;

use expect_test::{Expect, expect};

/// Runs the binary in the root of the project.
#[expect(clippy::needless_pass_by_value, reason = "expect! makes values")]
#[track_caller]
fn check(args: &[&str], expect: Expect) {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let done = common::gimlet(root, args);
    let here = std::fs::canonicalize(root).expect("the project is somewhere");
    let text = |bytes: &[u8]| {
        let text = String::from_utf8(bytes.to_vec()).expect("UTF-8");
        text.replace(&*here.to_string_lossy(), "PROJECT")
    };
    let code = done.status.code().map_or("a signal".to_owned(), |it| it.to_string());
    expect.assert_eq(&format!("{}{}exit {code}\n", text(&done.stdout), text(&done.stderr)));
}

#[test]
fn values() {
    check(
        &["run", "lists", "lists:seq(1, 3)"],
        expect![[r#"
        [1,2,3]
        exit 0
    "#]],
    );
    check(
        &["run", "maps", "maps:put(\"k\", <<\"é\"/utf8>>, #{1.0 => a, 2 => b})"],
        expect![[r##"
        #{2 => b,1.0 => a,"k" => <<"é"/utf8>>}
        exit 0
    "##]],
    );
    check(
        &["run", "examples/example.erl", "example:foo([17, 43, a])"],
        expect![[r#"
            ok
            exit 0
        "#]],
    );
    check(
        &["run", "--format", "json", "lists", "lists:reverse([1, a])"],
        expect![[r#"
        {
          "schema": 1,
          "tool": {
            "name": "gimlet",
            "version": "0.1.0"
          },
          "call": "lists:reverse([1, a])",
          "outcome": "value",
          "term": "[a,1]",
          "output": ""
        }
        exit 0
    "#]],
    );
}

#[test]
fn what_is_logged_and_written_before_the_end_is_shown() {
    check(
        &["run", "logger", "logger:error(\"disk ~p\", [full])"],
        expect![[r#"
            =ERROR REPORT==== 1-Jan-2024::00:00:00.000064 ===
            disk full
            ok
            exit 0
        "#]],
    );
    check(
        &["run", "crates/cli/tests/programs/spoken.erl", "spoken:crash()"],
        expect![[r#"
        it is gone
        =ERROR REPORT==== 1-Jan-2024::00:00:00.000000 ===
        Error in process <0.81.0> with exit value:
        {{no,reason},
         [{spoken,'-crash/0-fun-0-',0,
                  [{file,"crates/cli/tests/programs/spoken.erl"},{line,6}]}]}

        ok
        exit 0
    "#]],
    );
    check(
        &["run", "crates/cli/tests/programs/spoken.erl", "spoken:stop()"],
        expect![[r#"
        that is allexit 3
    "#]],
    );
    check(
        &["run", "crates/cli/tests/programs/spoken.erl", "spoken:aside()"],
        expect![[r#"
        anyone? 
        eof
        a word aside
        exit 0
    "#]],
    );
    check(
        &["run", "crates/cli/tests/programs/spoken.erl", "spoken:missing()"],
        expect![[r#"
        so far
        error[G009]: erl_ddll:loaded_drivers/0 is not supported
        exit 2
    "#]],
    );
}

#[test]
fn exceptions() {
    check(
        &["run", "examples/example.erl", "example:foo([42])"],
        expect![[r#"
            ** exception error: no case clause matching eq
                 in function  example:fcmp/1 (examples/example.erl, line 9)
                 in call from lists:foreach_1/2 (lists.erl, line 1442)
            exit 1
        "#]],
    );
    check(
        &["run", "lists", "lists:nth(0, [a])"],
        expect![[r#"
        ** exception error: no function clause matching lists:nth(0,[a]) (lists.erl, line 198)
        exit 1
    "#]],
    );
    check(
        &["run", "--format", "json", "examples/example.erl", "example:foo([42])"],
        expect![[r#"
        {
          "schema": 1,
          "tool": {
            "name": "gimlet",
            "version": "0.1.0"
          },
          "call": "example:foo([42])",
          "outcome": "error",
          "class": "error",
          "reason": "{case_clause,eq}",
          "stack": [
            "example:fcmp/1 examples/example.erl:9",
            "lists:foreach_1/2 lists.erl:1442"
          ],
          "output": ""
        }
        exit 1
    "#]],
    );
}

#[test]
fn calls_that_name_nothing() {
    check(
        &["run", "lists", "lists:sqe(1, 3)"],
        expect![[r#"
        error[G011]: there is no function lists:sqe/2
          = hint: did you mean lists:seq/2?
        exit 2
    "#]],
    );
    check(
        &["run", "examples/example.erl", "example:foo()"],
        expect![[r#"
        error[G011]: there is no function example:foo/0
          = hint: there is example:foo/1
        exit 2
    "#]],
    );
    check(
        &["run", "examples/example.erl", "example:fcmp(1)"],
        expect![[r#"
            error[G012]: example:fcmp/1 is not exported
              ┌─ examples/example.erl:8:1
            8 │ fcmp(X) ->
              │ ^^^^ defined here
              = hint: call it through an exported function, or add it to -export
            exit 2
        "#]],
    );
    check(
        &["run", "lits:seq(1, 3)"],
        expect![[r#"
        error[G003]: there is no module lits
          = hint: did you mean lists?
        exit 2
    "#]],
    );
    check(
        &["run", "lists", "no_such_module_at_all:f()"],
        expect![[r#"
        error[G003]: there is no module no_such_module_at_all
          = hint: name its file as a target, or its directory with -pa
        exit 2
    "#]],
    );
}

#[test]
fn arguments_that_can_not_be_followed() {
    check(
        &["run", "lists", "lists:seq(1 3)"],
        expect![[r#"
            error[G001]: expected `,` or `)`, found 3
              ┌─ call:1:13
            1 │ lists:seq(1 3)
              │             ^
              = hint: write it as in the shell, with literal arguments: 'lists:seq(1, 3)', 'Enum.sum([1, 2])'
            exit 2
        "#]],
    );
    check(
        &["run", "lists"],
        expect![[r#"
        error[G001]: expected `:` and a function name, found the end
          ┌─ call:1:6
        1 │ lists
          │      ^
          = hint: the last argument is the call: gimlet run lists 'lists:seq(1, 3)'
        exit 2
    "#]],
    );
    check(
        &["run", "lists", "lists:seq(1, X)"],
        expect![[r#"
            error[G001]: X is a variable; only literal terms can be given here
              ┌─ call:1:14
            1 │ lists:seq(1, X)
              │              ^
              = hint: write it as in the shell, with literal arguments: 'lists:seq(1, 3)', 'Enum.sum([1, 2])'
            exit 2
        "#]],
    );
    check(
        &["run", "absent.erl", "absent:f()"],
        expect![[r#"
            error[G002]: there is no absent.erl
              = hint: paths are relative to the current directory
            exit 2
        "#]],
    );
    check(
        &["run", "README.md", "readme:f()"],
        expect![[r#"
            error[G002]: README.md is not a file that can be loaded
              = hint: a target is an .erl, .ex, .exs or .beam file, a directory, or a module
            exit 2
        "#]],
    );
    check(
        &["run", "docs", "docs:f()"],
        expect![[r#"
            error[G002]: PROJECT/docs holds no modules
              = hint: name a file in it, or build the project first
            exit 2
        "#]],
    );
    check(
        &["run", "--time", "5x", "lists", "lists:seq(1, 3)"],
        expect![[r#"
        error: invalid value '5x' for '--time <TIME>': a time is a number and ms, s, m or h: 30s

        For more information, try '--help'.
        exit 2
    "#]],
    );
}

#[test]
fn explanations() {
    check(
        &["explain", "g012"],
        expect![[r#"
        # G012: the function is not exported

        The module has this function, but does not export it, so it can't be called from outside.

        ## What to do

        - Call it through an exported function.
        - Add it to `-export`, or compile the source with `export_all`.
        exit 0
    "#]],
    );
    check(
        &["explain", "G999"],
        expect![[r#"
            error[G008]: there is no diagnostic G999
              = hint: there are G001, G002, G003, G004, G005, G006, G007, G008, G009, G011, G012, G013, G014, G015, G016, G017, G018, G019, G020, G021, G022, G023, G024, G025, G026, G028, G029, G030, G031, G032, G033, G034, G035, G036, G040, G041, G042, G043, G044, G045, G060, G061
            exit 2
        "#]],
    );
}

#[test]
fn every_command_has_an_example_in_its_help() {
    check(
        &["--help"],
        expect![[r#"
            Concolic testing for Erlang, Elixir and Prolog

            Usage: gimlet <COMMAND>

            Commands:
              test         Find inputs that make functions fail, write tests, and measure coverage
              run          Run one call or goal on Gimlet's own machine, and print the result as the language's shell does
              replay       Replay the inputs of a corpus file or report.json that `test --out` wrote, and compare the outcomes
              record       Run a command, such as the project's tests, and record the calls of the project's functions
              symbolic     Explore all paths of a function within a bound, show an input for each, and tell what can be reached
              instrument   Show a module after flattening and after instrumentation, which makes BEAM report its execution
              init         Write a gimlet.toml for the project in a directory
              config       Show the value of each option of `gimlet test`, and where it was set
              watch        Test again whenever a source changes; compile rebar3, mix and Gleam projects first
              lsp          Serve an editor over the language server protocol, on standard input and output
              completions  Print the completion script for a shell
              manual       Print the manual page, or write one for each command to a directory
              explain      Say what a diagnostic means and what to do about it
              help         Print this message or the help of the given subcommand(s)

            Options:
              -h, --help     Print help
              -V, --version  Print version

            Example: gimlet run lists 'lists:seq(1, 3)'
            exit 0
        "#]],
    );
    check(
        &["run", "--help"],
        expect![[r#"
            Run one call or goal on Gimlet's own machine, and print the result as the language's shell does

            Usage: gimlet run [OPTIONS] TARGET... CALL

            Arguments:
              <TARGET... CALL>...  Source files, .beam files, directories or modules of OTP; then the call, as in the shell

            Options:
                  --format <FORMAT>  The format of standard output [default: text] [possible values: text, json]
                  --pa <DIR>         A directory of .beam files, searched before OTP's own; may repeat; -pa is the same
              -I <DIR>               A directory of included files; may repeat
              -D <NAME[=VALUE]>      A macro for the compiler; may repeat
                  --nodes <NAMES>    Run a distributed system of these nodes, with the call on the first: a@host,b@host
                  --allow <EFFECT>   Allow the program effects outside of Gimlet's machine; may repeat [possible values: files, network, os, all]
                  --time <TIME>      Stop the program after this time: 500ms, 30s, 2m
                  --memory <SIZE>    Stop the program when it uses more memory: 64K, 512M, 2G [default: 2G]
                  --reductions <N>   Stop the program after this many function calls
                  --trace            Show each step of the run: the processes with their remaining computations, and the messages; for Prolog the goal, the bindings so far and the alternatives
                  --steps <N>        The maximum number of steps shown [default: 2000]
                  --delivery <HOW>   When a sent message arrives: instant, causal or free, as for `test` [default with --trace: free, else instant]
                  --lossy[=<N>]      Let up to N messages get lost; --lossy alone means 1
                  --seed <N>         Deliver and lose messages at random, with this seed
              -h, --help             Print help

            Examples:
              gimlet run lists 'lists:seq(1, 3)'
              gimlet run src/shop.erl -I include 'shop:total([{apple, 3}])'
              gimlet run family.pl 'ancestor(X, tom)'
              gimlet run src/shop.erl 'shop:open()' --trace --lossy --seed 3

            Exit code: 0 a value or an answer, 1 an exception or no answer, 2 an error or an exceeded limit; a program that halts sets its own exit code
            exit 0
        "#]],
    );
    check(
        &["explain", "--help"],
        expect![[r#"
        Say what a diagnostic means and what to do about it

        Usage: gimlet explain <CODE>

        Arguments:
          <CODE>  The code in brackets: G001

        Options:
          -h, --help  Print help

        Example: gimlet explain G001
        exit 0
    "#]],
    );
}

#[test]
fn a_module_is_shown_flat_and_instrumented() {
    check(
        &["instrument", "crates/cli/tests/programs/append.erl", "--form", "flat"],
        expect![[r#"
        %% append, flat

        main/1 = fun (_0) ->
          let W1 = case _0 of
              X ->
                let W2 = apply app/2 (X,X)
                in W2
              _1 ->
                let W3 = primop match_fail ({function_clause,_1})
                in W3
            end
          in W1

        app/2 = fun (_0, _1) ->
          let W1 = case <_0,_1> of
              <[],Y> ->
                Y
              <[H|T],Y_2> ->
                let _2 = apply app/2 (T,Y_2)
                in [H|_2]
              <_4,_3> ->
                let W2 = primop match_fail ({function_clause,_4,_3})
                in W2
            end
          in W1
        exit 0
    "#]],
    );
    check(
        &["instrument", "crates/cli/tests/programs/append.erl", "--form", "instrumented"],
        expect![[r#"
            %% append, instrumented

            main/1 = fun (_0) ->
              let W1 = case _0 of
                  X ->
                    out("case([_0],[W1,W2,W3,X,_1],1,_0,X,[(1,_0,X),(2,_0,_1)])",
                      let W2 = out("call([_0],[W1,W2,W3,X,_1],W2,[X,X])",
                          apply app/2 (X,X))
                      in out("exitcase([_0],[W1,W2,W3,X,_1],W1,W2)",
                        W2))
                  _1 ->
                    out("case([_0],[W1,W2,W3,X,_1],2,_0,_1,[(1,_0,X),(2,_0,_1)])",
                      let W3 = primop match_fail ({function_clause,_1})
                      in out("bind([_0],[W1,W2,W3,X,_1],W3,primop match_fail ({function_clause,_1}))",
                        out("exitcase([_0],[W1,W2,W3,X,_1],W1,W3)",
                          W3)))
                end
              in out("exit([_0],[W1,W2,W3,X,_1],W1)",
                W1)

            app/2 = fun (_0, _1) ->
              let W1 = case <_0,_1> of
                  <[],Y> ->
                    out("case([_0,_1],[W1,_2,W2,Y,H,T,Y_2,_4,_3],1,<_0,_1>,<[],Y>,[(1,<_0,_1>,<[],Y>),(2,<_0,_1>,<[H|T],Y_2>),(3,<_0,_1>,<_4,_3>)])",
                      out("exitcase([_0,_1],[W1,_2,W2,Y,H,T,Y_2,_4,_3],W1,Y)",
                        Y))
                  <[H|T],Y_2> ->
                    out("case([_0,_1],[W1,_2,W2,Y,H,T,Y_2,_4,_3],2,<_0,_1>,<[H|T],Y_2>,[(1,<_0,_1>,<[],Y>),(2,<_0,_1>,<[H|T],Y_2>),(3,<_0,_1>,<_4,_3>)])",
                      let _2 = out("call([_0,_1],[W1,_2,W2,Y,H,T,Y_2,_4,_3],_2,[T,Y_2])",
                          apply app/2 (T,Y_2))
                      in out("exitcase([_0,_1],[W1,_2,W2,Y,H,T,Y_2,_4,_3],W1,[H|_2])",
                        [H|_2]))
                  <_4,_3> ->
                    out("case([_0,_1],[W1,_2,W2,Y,H,T,Y_2,_4,_3],3,<_0,_1>,<_4,_3>,[(1,<_0,_1>,<[],Y>),(2,<_0,_1>,<[H|T],Y_2>),(3,<_0,_1>,<_4,_3>)])",
                      let W2 = primop match_fail ({function_clause,_4,_3})
                      in out("bind([_0,_1],[W1,_2,W2,Y,H,T,Y_2,_4,_3],W2,primop match_fail ({function_clause,_4,_3}))",
                        out("exitcase([_0,_1],[W1,_2,W2,Y,H,T,Y_2,_4,_3],W1,W2)",
                          W2)))
                end
              in out("exit([_0,_1],[W1,_2,W2,Y,H,T,Y_2,_4,_3],W1)",
                W1)
            exit 0
        "#]],
    );
    check(
        &["instrument", "crates/cli/tests/programs/nothing.erl"],
        expect![[r#"
        error[G002]: there is no crates/cli/tests/programs/nothing.erl
          = hint: paths are relative to the current directory
        exit 2
    "#]],
    );
}
