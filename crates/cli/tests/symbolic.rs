//! Tests `gimlet symbolic`: arguments with variables, the delivery of messages, and the texts of answers.
#![expect(clippy::disallowed_methods, reason = "it starts the binary under test")]

mod common;

/// Returns the stdout and stderr of `gimlet symbolic open.erl`, and its exit code.
#[track_caller]
fn symbolic(function: &str, options: &[&str]) -> (String, String, i32) {
    let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs");
    let args = ["symbolic", "open.erl", "-f", function];
    let done = common::gimlet(dir, &[&args, options].concat());
    let text = |it: Vec<u8>| String::from_utf8(it).expect("UTF-8");
    (text(done.stdout), text(done.stderr), done.status.code().expect("no signal"))
}

#[test]
fn variables_in_the_arguments_are_open() {
    for args in ["start({K, 2})", "open:start({K,2}).", "[{K, 2}]"] {
        let (text, stderr, code) = symbolic("start/1", &["--args", args, "--reach", "15"]);
        let first = text.lines().next().unwrap_or_default();
        let expect = "is reached by open:start({14,2}) (confirmed on BEAM)";
        assert!(first.starts_with("yes: ") && first.ends_with(expect), "{text}{stderr}");
        assert_eq!(code, 1);
    }
    // Both occurrences of a variable are the same value.
    let (tree, ..) = symbolic("both/2", &["--args", "[X, X]"]);
    assert!(tree.contains("open:both(X, X), up to 12 choices"), "{tree}");
    assert!(tree.contains("(X + X) =:= 10: open:both(5, 5) → ten"), "{tree}");
    let (tree, ..) = symbolic("both/2", &["--args", "[X, 3]"]);
    assert!(tree.contains("open:both(7, 3) → ten"), "{tree}");
}

#[test]
fn bad_arguments_are_told() {
    let (_, stderr, code) = symbolic("both/2", &["--args", "[X]"]);
    assert!(stderr.contains("open:both/2 takes 2 arguments"), "{stderr}");
    assert_eq!(code, 2);
    let (_, stderr, code) = symbolic("both/2", &["--reach", "700"]);
    assert!(stderr.contains("names a line behind the end: there are 23 lines"), "{stderr}");
    assert_eq!(code, 2);
}

#[test]
fn the_answer_comes_without_the_tree() {
    let (text, ..) = symbolic("both/2", &["--reach", "21"]);
    assert_eq!(text.lines().count(), 1, "{text}");
    let (text, ..) = symbolic("both/2", &["--reach", "21", "--tree"]);
    assert!(text.starts_with("open:both(X1, X2), up to 12 choices\n"), "{text}");
}

#[test]
fn an_answer_says_what_it_assumes() {
    let (text, _, code) = symbolic("start/1", &["--args", "[{1, 2}]", "--reach", "deadlock"]);
    let assumed = "this assumes the arguments {1,2}, --delivery local, that no message is lost";
    assert!(text.contains("no: a deadlock is not reached") && text.contains(assumed), "{text}");
    assert_eq!(code, 0);
    let lossy = ["--args", "[{1, 2}]", "--reach", "deadlock", "--lossy", "--delivery", "free"];
    let (text, _, code) = symbolic("start/1", &lossy);
    assert!(text.starts_with("yes: a deadlock is reached by open:start({1,2})"), "{text}");
    assert!(text.contains("(lost)"), "{text}");
    assert_eq!(code, 1);
}
