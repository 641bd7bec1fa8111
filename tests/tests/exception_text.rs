//! Compares the text of exceptions with that of the shell (`erl_error`).

use cli::exception_text;
use conformance::ask_otp;
use term::read_term;

#[test]
fn exceptions_read_as_in_the_shell() {
    let questions: Vec<String> = CASES.lines().map(str::to_owned).collect();
    let answers = ask_otp("format_exceptions.escript", 1, &questions);
    let mut differences = Vec::new();
    for (question, answer) in questions.iter().zip(&answers) {
        let term = read_term(question).expect(question);
        let Some([class, reason, stack]) = term.as_tuple() else { panic!("{question}") };
        let ours = exception_text(class.as_atom().expect("a class"), reason, stack);
        let theirs = answer.concat().replace("\\n", "\n");
        if ours != theirs {
            differences.push(format!("{question}\nBEAM:\n{theirs}\nours:\n{ours}"));
        }
    }
    assert!(differences.is_empty(), "{} differ:\n{}", differences.len(), differences.join("\n\n"));
}

const CASES: &str = include_str!("exceptions.txt");
