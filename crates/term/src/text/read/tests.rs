//! Tests of reading, and of errors.

use super::{read_args, read_call, read_term};
use crate::text::print::{Style, print};

#[track_caller]
fn check(text: &str, expect: &str) {
    assert_eq!(print(&read_term(text).unwrap(), Style::W), expect);
}

#[track_caller]
fn check_error(text: &str, offset: usize, message: &str) {
    let error = read_term(text).unwrap_err();
    assert_eq!((error.offset, error.to_string().as_str()), (offset, message));
}

#[test]
fn numbers() {
    check("16#fF", "255");
    check("36#z", "35");
    check("1_000", "1000");
    check("- 5", "-5");
    check("- -5", "5");
    check("-0.0", "-0.0");
    check("123456789012345678901234567890", "123456789012345678901234567890");
    check("1.5e3", "1.5e3");
    check("2.0E-3", "0.002");
    check("1_0.2_5", "10.25");
    check("[$a, $\\n, $\\x{41}, $ , $\\^A, $\\101]", "[97,10,65,32,1,65]");
}

#[test]
fn atoms_and_strings() {
    check("'a b'", "'a b'");
    check("[é, 'Ѐ']", "[é,'\\x{400}']");
    check(r#""a\tb" "c""#, "[97,9,98,99]");
    check(r#""\x41\x{e9}\s\d""#, "[65,233,32,127]");
    check("\"\"", "[]");
}

#[test]
fn compounds() {
    check("[1|[2|[]]]", "[1,2]");
    check("[1,2|c]", "[1,2|c]");
    check("{a,[],{},#{}}", "{a,[],{},#{}}");
    check("#{a => 1, b => 2, a => 3}", "#{a => 3,b => 2}");
    check("fun lists:map/2", "fun lists:map/2");
    check("( {1} ) % a comment", "{1}");
    check("ok.", "ok");
}

#[test]
fn bitstrings() {
    check("<<1,2:4>>", "<<1,2:4>>");
    check("<<\"abc\",300,-1>>", "<<97,98,99,44,255>>");
    check("<<\"ab\":16/little>>", "<<97,0,98,0>>");
    check("<<\"é\"/utf8, \"€\"/utf16-little, 65/utf32>>", "<<195,169,172,32,0,0,0,65>>");
    check("<<16#abc:12/little>>", "<<188,10:4>>");
    check("<<16#abc:12, 1:4>>", "<<171,193>>");
    check("<<1:1,(<<1,2>>)/binary,0:7>>", "<<128,129,0>>");
    check("<< <<3:2>>/bits, 1:1>>", "<<7:3>>");
    check("<<(<<1,2,3>>):2/binary>>", "<<1,2>>");
    check("<<1.5/float>>", "<<63,248,0,0,0,0,0,0>>");
    check("<<1:32/float,1.5:16/float-little>>", "<<63,128,0,0,0,62>>");
    check("<<1:2/unit:8>>", "<<0,1>>");
    check("<<5.960464477539063e-8:16/float,65504:16/float>>", "<<0,1,123,255>>");
}

#[test]
fn errors_say_where_and_what() {
    check_error("", 0, "expected a term, found the end");
    check_error("[1 2]", 3, "expected `,`, `|` or `]`, found 2");
    check_error("{1,", 3, "expected a term, found the end");
    check_error("[X]", 1, "X is a variable; only literal terms can be given here");
    check_error("if", 0, "if is a reserved word; as an atom it is written 'if'");
    check_error("\"abc", 0, "a string starts here and does not end");
    check_error("1 + a", 2, "expected the end, found `+`");
    check_error("37#1", 0, "37 is no base; it must be from 2 to 36");
    check_error("1__0", 0, "not a number");
    check_error("1.0e999", 0, "this float is too great to be represented");
    check_error("\"\\x{110000}\"", 1, "this escape names no character");
    check_error("a ~ b", 2, "`~` can't be part of a term");
    check_error("#{a := 1}", 4, "expected `=>` and a value, found `:=`");
    check_error("<<1.5>>", 2, "an integer segment needs an integer");
    check_error("<<0:99999999999>>", 2, "this segment is too long");
    check_error("<<1/foo>>", 4, "not a type of a bitstring segment");
    check_error(&"a".repeat(256), 0, "an atom has at most 255 characters");
}

#[test]
fn depth_is_bounded() {
    let nested = format!("{}{}", "[".repeat(9_000), "]".repeat(9_000));
    check(&nested, &nested);
    check_error(&"{".repeat(1_000_000), 10_001, "nested deeper than 10000 levels");
    check_error(&"<<(".repeat(1_000), 303, "nested deeper than 100 levels");
}

#[test]
fn calls_and_arguments() {
    let call = read_call("lists:seq(1, 3).").unwrap();
    assert_eq!((call.module.as_str(), call.function.as_str()), ("lists", "seq"));
    assert_eq!(call.args.len(), 2);
    assert_eq!(read_call("'Elixir.Enum':'empty?'([])").unwrap().function.as_str(), "empty?");
    assert!(read_call("m:f()").unwrap().args.is_empty());
    let error = read_call("lists").unwrap_err();
    assert_eq!(error.to_string(), "expected `:` and a function name, found the end");
    assert_eq!(read_args("[1,a]").unwrap(), read_args("1, a").unwrap());
    assert!(read_args("").unwrap().is_empty());
    assert_eq!(read_args("7").unwrap_err().to_string(), "expected a list of arguments, found 7");
}
