//! Compares the text of terms with that of `io_lib`, `erl_scan` and `erl_parse`.

use conformance::{ask_otp, sample, terms};
use term::{Style, Term, print, read_term};

const STYLES: [(&str, Style); 4] =
    [("~w", Style::W), ("~tw", Style::TW), ("~p", Style::P), ("~tp", Style::TP)];

/// Compares our text of each term with OTP's text of the same term, given as a question.
#[track_caller]
fn check(questions: &[String], terms: &[Term]) {
    let answers = ask_otp("format_terms.escript", STYLES.len(), questions);
    let mut differences = Vec::new();
    for ((term, question), answer) in terms.iter().zip(questions).zip(&answers) {
        for ((name, style), theirs) in STYLES.iter().zip(answer) {
            let ours = print(term, *style);
            if ours != *theirs {
                differences
                    .push(format!("{question}\n  {name} BEAM {theirs}\n  {name} ours {ours}"));
            }
        }
    }
    assert!(
        differences.is_empty(),
        "{} differ; the first:\n{}",
        differences.len(),
        differences.iter().take(10).cloned().collect::<Vec<_>>().join("\n")
    );
}

#[test]
fn random_terms_print_as_on_beam_and_read_back() {
    let terms = sample(&terms(), 5_000);
    let questions: Vec<String> = terms.iter().map(|it| print(it, Style::TW)).collect();
    for (term, question) in terms.iter().zip(&questions) {
        assert_eq!(read_term(question).as_ref(), Ok(term), "{question}");
        let pretty = print(term, Style::TP);
        assert_eq!(read_term(&pretty).as_ref(), Ok(term), "{pretty}");
    }
    check(&questions, &terms);
}

#[test]
fn typed_terms_are_read_as_on_beam() {
    let questions: Vec<String> = TYPED.lines().map(str::to_owned).collect();
    let terms: Vec<Term> = questions.iter().map(|it| read_term(it).expect(it)).collect();
    check(&questions, &terms);
}

const TYPED: &str = include_str!("typed_terms.txt");
