//! Tests of the builtins on binaries. The expected results are those of `erl` of OTP 25.

use crate::builtins::{Fault, How, all};
use crate::machine::World;
use term::{Style, read_call};
use values::{Value, from_term, to_term};

fn check(call: &str, expect: &str) {
    assert_eq!(answer(&mut World::default(), call), expect, "{call}");
}

fn answer(w: &mut World, call: &str) -> String {
    let call = read_call(call).unwrap();
    let args: Vec<Value> =
        call.args.iter().map(|it| from_term(&mut w.heap, &mut w.atoms, it)).collect();
    match run(w, call.module.as_str(), call.function.as_str(), &args) {
        Ok(value) => text(w, value),
        Err(Fault::Error(reason)) => text(w, reason),
        Err(other) => format!("{other:?}"),
    }
}

fn run(w: &mut World, module: &str, name: &str, args: &[Value]) -> Result<Value, Fault> {
    let row = all()
        .find(|it| it.module == module && it.name == name && usize::from(it.arity) == args.len());
    let Some(How::Native(run)) = row.map(|it| it.how) else { panic!("no native row: {name}") };
    run(w, args)
}

fn text(w: &World, value: Value) -> String {
    term::print(&to_term(&w.heap, &w.atoms, value).unwrap(), Style::W)
}

#[test]
fn sizes_and_parts() {
    check("erlang:byte_size(<<1,2,3:4>>)", "3");
    check("erlang:bit_size(<<1,2,3:4>>)", "20");
    check("erlang:size(<<1,2,3:4>>)", "2");
    check("erlang:size({a,b})", "2");
    check("erlang:size(a)", "badarg");
    check("erlang:split_binary(<<1,2,3:4>>,2)", "{<<1,2>>,<<3:4>>}");
    check("erlang:split_binary(<<1,2,3:4>>,3)", "badarg");
    check("erlang:binary_part(<<1,2,3:4>>,{0,2})", "<<1,2>>");
    check("erlang:binary_part(<<1,2,3>>,3,-2)", "<<2,3>>");
    check("erlang:binary_part(<<1>>,2,-1)", "badarg");
    check("binary:part(<<1,2,3:4>>,{0,2})", "<<1,2>>");
    check("binary:part(<<1,2>>,{3,0})", "badarg");
    check("erlang:bitstring_to_list(<<1,2,3:4>>)", "[1,2,<<3:4>>]");
    check("binary:at(<<1,2>>,1)", "2");
    check("binary:at(<<1,2>>,2)", "badarg");
    check("binary:first(<<>>)", "badarg");
    check("binary:last(<<1,2>>)", "2");
    check("binary:copy(<<1>>,3)", "<<1,1,1>>");
    check("binary:copy(<<>>,288230376151711744)", "<<>>");
    check("binary:copy(<<1>>,-1)", "badarg");
    check("binary:copy(<<1:3>>,0)", "<<>>");
    check("binary:copy(<<1,2>>,2305843009213693952)", "Stop(OutOfMemory)");
    check("binary:decode_unsigned(<<1,0>>,little)", "1");
    check("binary:decode_unsigned(<<>>)", "0");
    check("binary:encode_unsigned(256,little)", "<<0,1>>");
    check("binary:encode_unsigned(0)", "<<0>>");
    check("binary:encode_unsigned(1180591620717411303424)", "<<64,0,0,0,0,0,0,0,0>>");
    check("binary:encode_unsigned(1,x)", "badarg");
    check("binary:longest_common_prefix([<<1,2,3>>,<<1,2>>])", "2");
    check("binary:longest_common_suffix([<<1,2,3>>,<<2,3>>,<<9,3>>])", "1");
    check("binary:longest_common_prefix([])", "badarg");
}

#[test]
fn search() {
    check("binary:match(<<\"abcab\">>,[<<\"b\">>,<<\"bc\">>])", "{1,2}");
    check("binary:match(<<\"abcab\">>,<<\"b\">>,[{scope,{5,-3}}])", "{4,1}");
    check("binary:match(<<\"abcab\">>,<<\"b\">>,[{scope,{2,10}}])", "badarg");
    check("binary:match(<<\"abcab\">>,<<\"b\">>,[{scope,{0,1}},{scope,{0,3}}])", "{1,1}");
    check("binary:match(<<\"abc\">>,<<\"a\">>,[{scope,{0,3}}|x])", "{0,1}");
    check("binary:match(<<\"abc\">>,<<\"a\">>,[global])", "badarg");
    check("binary:match(<<\"abc\">>,[],[{scope,{1,0}}])", "badarg");
    check("binary:match(<<>>,[],[])", "nomatch");
    check("binary:match(<<\"abc\">>,<<>>)", "badarg");
    check(
        "binary:matches(<<\"abcababab\">>,[<<\"ab\">>,<<\"abab\">>,<<\"bc\">>])",
        "[{0,2},{3,4},{7,2}]",
    );
    check("binary:matches(<<\"abcababab\">>,<<\"abab\">>)", "[{3,4}]");
    let split = |options: &str, expect: &str| {
        check(&format!("binary:split(<<\",a,,b,,\">>,<<\",\">>,{options})"), expect);
    };
    split("[]", "[<<>>,<<97,44,44,98,44,44>>]");
    split("[global]", "[<<>>,<<97>>,<<>>,<<98>>,<<>>,<<>>]");
    split("[trim]", "[<<>>,<<97,44,44,98,44,44>>]");
    split("[trim_all]", "[<<97,44,44,98,44,44>>]");
    split("[global,trim]", "[<<>>,<<97>>,<<>>,<<98>>]");
    split("[trim,trim_all,global]", "[<<97>>,<<98>>]");
    split("[global,{scope,{2,3}}]", "[<<44,97>>,<<>>,<<98,44,44>>]");
    split("x", "badarg");
    check("binary:split(<<>>,<<\",\">>,[trim])", "[]");
    check("binary:split(<<\",,\">>,<<\",\">>,[trim])", "[<<>>,<<44>>]");
    check("binary:split(<<\"a,\">>,<<\",\">>,[trim])", "[<<97>>]");
}

#[test]
fn compiled_patterns_are_accepted() {
    for (pattern, kind, expect) in [
        ("<<\"b\">>", "bm", "[{1,1}]"),
        ("[<<\"b\">>]", "bm", "[{1,1}]"),
        ("[<<\"b\">>,<<\"bc\">>]", "ac", "[{1,2}]"),
    ] {
        let mut w = World::default();
        let term = term::read_term(pattern).unwrap();
        let pattern = from_term(&mut w.heap, &mut w.atoms, &term);
        let compiled = run(&mut w, "binary", "compile_pattern", &[pattern]).unwrap();
        assert!(text(&w, compiled).starts_with(&format!("{{{kind},#Ref<")), "{term:?}");
        let subject = w.heap.binary(b"abc");
        let found = run(&mut w, "binary", "matches", &[subject, compiled]).unwrap();
        assert_eq!(text(&w, found), expect);
        // The same reference with the other algorithm's name is not a valid pattern.
        let handle = w.heap.elements(compiled).unwrap()[1];
        let other = w.atoms.intern(if kind == "bm" { "ac" } else { "bm" });
        let other = w.heap.tuple(&[Value::atom(other), handle]);
        assert!(run(&mut w, "binary", "matches", &[subject, other]).is_err());
    }
    check("binary:match(<<\"abc\">>,{bm,<<\"b\">>})", "badarg");
    check("binary:compile_pattern([])", "badarg");
    check("binary:compile_pattern([<<>>])", "badarg");
}

#[test]
fn external_terms() {
    check("erlang:term_to_binary(a)", "<<131,100,0,1,97>>");
    check("erlang:term_to_binary(a,[{minor_version,2}])", "<<131,119,1,97>>");
    check("erlang:term_to_binary([1,2])", "<<131,107,0,2,1,2>>");
    check("erlang:term_to_binary(a,[{minor_version,3}])", "badarg");
    check("erlang:term_to_binary(a,[{compressed,10}])", "badarg");
    check("erlang:term_to_binary(a,[compressed])", "<<131,100,0,1,97>>");
    check("erlang:external_size({a,1.5},[{minor_version,0}])", "39");
    check("erlang:external_size(2.5,[{minor_version,0},{minor_version,1}])", "33");
    check("erlang:external_size(a,[{minor_version,2}])", "badarg");
    check("erlang:binary_to_term(<<131,119,1,97,1,2>>,[used])", "{a,4}");
    check("erlang:binary_to_term(<<131,119,4,\"zqzq\">>,[safe])", "badarg");
    check("erlang:binary_to_term(<<131,119,4,\"zqzq\">>)", "zqzq");
    check("erlang:binary_to_term(<<131,119,4,\"zqz\">>)", "badarg");
    check("erlang:binary_to_term(<<131,97,1>>,[safe,used])", "{1,3}");
    check("erlang:binary_to_term(<<131,80,255,255,255,255,1,2>>)", "badarg");
    check("erlang:binary_to_term(<<131,105,255,255,255,255>>)", "badarg");
    check("erlang:binary_to_term(<<131,80,0,0,0,5,1,2>>)", "badarg");
}

#[test]
fn compression_comes_back() {
    let mut w = World::default();
    let list = format!("[{}]", vec!["a"; 100].join(","));
    let encoded = answer(&mut w, &format!("erlang:term_to_binary({list},[compressed])"));
    assert!(encoded.starts_with("<<131,80,0,0,1,150,120,156,"), "{encoded}");
    assert_eq!(answer(&mut w, &format!("erlang:binary_to_term({encoded})")), list);
}

#[test]
fn sharing_that_unfolds_without_end_is_refused() {
    let mut w = World::default();
    let mut value = Value::NIL;
    for _ in 0..60 {
        value = w.heap.cons(value, value);
    }
    w.limits.memory_bytes = 1 << 20;
    let row = all().find(|it| it.name == "external_size" && it.arity == 1).unwrap();
    let How::Native(run) = row.how else { panic!("not native") };
    assert_eq!(run(&mut w, &[value]), Err(crate::builtins::Stop::OutOfMemory.into()));
}
