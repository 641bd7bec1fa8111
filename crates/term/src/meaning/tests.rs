//! Tests of operators that differ from a builtin of Erlang (the others are compared with BEAM).

use super::apply;
use crate::expr::Op;
use crate::{Style, Term, print, read_term};

fn check(op: &str, args: &[&str], expect: &str) {
    let terms: Vec<Term> = args.iter().map(|it| read_term(it).expect("a term")).collect();
    let op = Op::from_name(op).expect("an operator");
    let found = apply(op, &terms.iter().collect::<Vec<_>>());
    let found = found.map_or("undefined".to_owned(), |it| print(&it, Style::TW));
    assert_eq!(found, expect, "{op:?} of {args:?}");
}

#[test]
fn maps() {
    check("get", &["b", "#{a => 1,b => 2}"], "2");
    check("get", &["1", "#{1.0 => 1}"], "undefined");
    check("get", &["b", "[]"], "undefined");
    check("has_key", &["1", "#{1.0 => 1}"], "false");
    check("has_key", &["1", "x"], "undefined");
    check("put", &["b", "3", "#{a => 1,b => 2}"], "#{a => 1,b => 3}");
    check("put", &["b", "3", "#{a => 1,c => 2}"], "#{a => 1,b => 3,c => 2}");
    check("remove", &["b", "#{a => 1,b => 2}"], "#{a => 1}");
    check("remove", &["c", "#{a => 1}"], "#{a => 1}");
    check("map_size", &["#{a => 1}"], "1");
}

#[test]
fn bitstrings() {
    check("slice", &["<<1,2,3>>", "4", "12"], "<<16,2:4>>");
    check("slice", &["<<1,2,3>>", "4", "21"], "undefined");
    check("slice", &["<<1,2,3>>", "-1", "2"], "undefined");
    check("concat", &["<<1:4>>", "<<255>>", "<<0:2>>"], "<<31,60:6>>");
    check("concat", &[], "<<>>");
    check("bits_to_integer:unsigned-big", &["<<1,2:4>>"], "18");
    check("bits_to_integer:unsigned-little", &["<<1,2:4>>"], "513");
    check("bits_to_integer:signed-big", &["<<255,14:4>>"], "-2");
    check("bits_to_integer:signed-big", &["<<>>"], "0");
    check("integer_to_bits:big", &["-2", "12"], "<<255,14:4>>");
    check("integer_to_bits:little", &["513", "12"], "<<1,2:4>>");
    check("integer_to_bits:big", &["1", "-1"], "undefined");
}

#[test]
fn functions() {
    check("call", &["fun (1) -> a; (_) -> b end", "1"], "a");
    check("call", &["fun (1) -> a; (_) -> b end", "2"], "b");
    check("call", &["fun (1) -> a; (_) -> b end"], "undefined");
    check("is_function:1", &["fun (_) -> b end"], "true");
    check("is_function:2", &["fun (_) -> b end"], "false");
}

#[test]
fn lists_and_truth() {
    check("is_proper", &["[1|2]"], "false");
    check("is_proper", &["[1]"], "true");
    check("length", &["[1|2]"], "undefined");
    check("and", &["true", "false"], "false");
    check("or", &["true", "x"], "undefined");
    check("not", &["false"], "true");
    check("converts:list_to_integer", &["\"+7\""], "true");
    check("converts:list_to_integer", &["\"7x\""], "false");
}

#[test]
fn large_numbers_are_refused() {
    check("shift_left", &["1", "1048576"], "undefined");
    check("shift_left", &["0", "100000000000000000000"], "0");
    check("shift_right", &["-1", "100000000000000000000"], "-1");
    check("shift_left", &["5", "-1"], "2");
}
