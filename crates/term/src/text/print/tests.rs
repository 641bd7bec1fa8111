//! Tests of printing; the expected texts are those of BEAM.

use super::{Style, print};
use crate::ground::{Atom, Fun, Pid, Port, Reference, Term};
use crate::{Bits, read_term};
use num_bigint::BigInt;

/// Reads `text` and checks how it is printed in both styles.
#[track_caller]
fn check(text: &str, as_w: &str, as_tp: &str) {
    let term = read_term(text).unwrap();
    assert_eq!(print(&term, Style::W), as_w);
    assert_eq!(print(&term, Style::TP), as_tp);
}

#[test]
fn compounds() {
    check("[]", "[]", "[]");
    check("[a|b]", "[a|b]", "[a|b]");
    check("{1, {}, [2 , 3|4]}", "{1,{},[2,3|4]}", "{1,{},[2,3|4]}");
    check("#{b=>1,a=>#{}}", "#{a => #{},b => 1}", "#{a => #{},b => 1}");
    check("#{1.0=>a,2=>b}", "#{2 => b,1.0 => a}", "#{2 => b,1.0 => a}");
}

#[test]
fn text_is_shown_where_it_is_printable() {
    check(r#""a\n\"\\\e""#, "[97,10,34,92,27]", r#""a\n\"\\\e""#);
    check("\"é\"", "[233]", "\"é\"");
    check("[1024]", "[1024]", "[1024]");
    check("[97,127]", "[97,127]", "[97,127]");
    check("[97|b]", "[97|b]", "[97|b]");
}

#[test]
fn bitstrings() {
    check("<<>>", "<<>>", "<<>>");
    check("<<\"abc\">>", "<<97,98,99>>", "<<\"abc\">>");
    check("<<\"é\"/utf8>>", "<<195,169>>", "<<\"é\"/utf8>>");
    check("<<228,229>>", "<<228,229>>", "<<\"äå\">>");
    check("<<97,2:3>>", "<<97,2:3>>", "<<97,2:3>>");
    check("<<0>>", "<<0>>", "<<0>>");
    assert_eq!(print(&Term::binary("é".into()), Style::P), "<<\"Ã©\">>");
    assert_eq!(print(&Term::Bits(Bits::new(vec![0xff], 1).unwrap()), Style::W), "<<1:1>>");
}

#[test]
fn atoms() {
    check("'if'", "'if'", "'if'");
    check("maybe", "maybe", "maybe");
    check("ärger", "ärger", "ärger");
    check("'Ä'", "'Ä'", "'Ä'");
    check("'x÷'", "'x÷'", "'x÷'");
    check("''", "''", "''");
    check("a@B_1", "a@B_1", "a@B_1");
    check(r"'\x{400}'", r"'\x{400}'", "'Ѐ'");
    check(r"'a b\n\d\201\0\''", r"'a b\n\d\201\000\''", r"'a b\n\d\201\000\''");
}

#[test]
fn funs_and_names_of_the_runtime() {
    check("fun lists:map/2", "fun lists:map/2", "fun lists:map/2");
    check("fun 'if':'A b'/1", "fun if:'A b'/1", "fun if:'A b'/1");
    check("fun 'ä':f/0", "fun Ã¤:f/0", "fun Ã¤:f/0");
    let node = || Atom::new("nonode@nohost");
    let pid = || Pid { node: node(), id: 83, serial: 0, creation: 0 };
    let show = |term: Term| print(&term, Style::P);
    assert_eq!(show(Term::Pid(pid())), "<0.83.0>");
    assert_eq!(show(Term::Port(Port { node: node(), id: 5, creation: 0 })), "#Port<0.5>");
    let words = vec![208_770, 451_936_257, 1_446_243_009];
    let reference = Term::Ref(Reference { node: node(), creation: 0, words });
    assert_eq!(show(reference), "#Ref<0.1446243009.451936257.208770>");
    let closure = Fun::Closure {
        module: Atom::new("erl_eval"),
        arity: 1,
        index: 42,
        uniq: [0; 16],
        old_index: 42,
        old_uniq: 3_316_493,
        pid: pid(),
        env: vec![],
    };
    assert_eq!(show(Term::Fun(Box::new(closure))), "#Fun<erl_eval.42.3316493>");
}

#[test]
fn depth_costs_no_native_stack() {
    const DEPTH: usize = 1_000_000;
    let mut term = Term::Nil;
    for _ in 0..DEPTH {
        term = Term::Tuple(vec![term]);
    }
    assert_eq!(print(&term, Style::P).len(), 2 * DEPTH + 2);
    // Dropping a term is recursive, so this one is taken apart from the outside.
    while let Term::Tuple(mut items) = term {
        term = items.pop().unwrap();
    }
}

#[test]
fn huge_integers_are_printed_in_base_16() {
    let huge: BigInt = BigInt::from(1) << (1 << 17);
    for value in [huge.clone(), -huge] {
        let term = Term::integer(value);
        let text = print(&term, Style::TW);
        assert!(text.trim_start_matches('-').starts_with("16#"), "{}", text.len());
        assert_eq!(read_term(&text), Ok(term));
    }
}
