//! Builtins of numbers and text on literal arguments, with the answers that OTP 25 gives.
//!
//! Errors are written `!Reason`. The conformance tests compare many more calls with a real BEAM.

use erlang::builtins::{Fault, How, all};
use erlang::machine::World;
use term::{Style, print, read_call};
use values::{from_term, to_term};

fn check(call: &str, expect: &str) {
    let mut w = World::default();
    assert_eq!(answer(&mut w, call), expect, "{call}");
}

fn answer(w: &mut World, text: &str) -> String {
    let call = read_call(text).expect("a call");
    let args: Vec<_> =
        call.args.iter().map(|it| from_term(&mut w.heap, &mut w.atoms, it)).collect();
    let row = all().find(|it| {
        let name = (it.module, it.name, usize::from(it.arity));
        name == (call.module.as_str(), call.function.as_str(), args.len())
    });
    let How::Native(run) = row.expect("a builtin").how else { panic!("{text} runs on the host") };
    let show = |w: &World, value| {
        print(&to_term(&w.heap, &w.atoms, value).expect("a flat term"), Style::TP)
    };
    match run(w, &args) {
        Ok(value) => show(w, value),
        Err(Fault::Error(reason)) => format!("!{}", show(w, reason)),
        Err(fault) => panic!("{text}: {fault:?}"),
    }
}

#[test]
fn kinds() {
    check("erlang:is_function(a, -1)", "!badarg");
    check("erlang:is_function(fun lists:map/2, 2)", "true");
    check("erlang:is_record({a,1}, a)", "true");
    check("erlang:is_record({a,1}, a, 3)", "false");
    check("erlang:is_record({a,1}, a, b)", "!badarg");
    check("erlang:is_binary(<<1:3>>)", "false");
    check("erlang:is_boolean(true)", "true");
}

#[test]
fn comparison() {
    check("erlang:'=='(1, 1.0)", "true");
    check("erlang:'=:='(1, 1.0)", "false");
    check("erlang:'<'(a, {})", "true");
    check("erlang:max(1, 1.0)", "1");
    check("erlang:min(1.0, 1)", "1.0");
    check("erlang:'and'(true, 1)", "!badarg");
    check("erts_internal:cmp_term(7, 1.0)", "-1");
}

#[test]
fn math() {
    check("erlang:round(2.5)", "3");
    check("erlang:round(-2.5)", "-3");
    check("erlang:trunc(1.0e22)", "10000000000000000000000");
    check("erlang:float(a)", "!badarg");
    check("math:sqrt(-1)", "!badarith");
    check("math:sqrt(x)", "!badarg");
    check("math:asinh(2.7933440580832922)", "1.7509879027134303");
    check("math:acosh(0.5)", "!badarith");
    check("math:atanh(1)", "!badarith");
    check("math:pow(2, 0.5)", "1.4142135623730951");
    // BEAM rounds while it adds up the words of a big integer.
    check(
        "erlang:float(4435721959303325551246959336490479942565783572610450178)",
        "4.435721959303325e54",
    );
}

#[test]
fn integers_and_text() {
    check("erlang:integer_to_list(-255, 16)", r#""-FF""#);
    check("erlang:integer_to_binary(1, 37)", "!badarg");
    check(r#"erlang:list_to_integer("+12")"#, "12");
    check(r#"erlang:list_to_integer("1_0")"#, "!badarg");
    check(r#"erlang:binary_to_integer(<<"zz">>, 36)"#, "1295");
    check(r#"string:list_to_integer("12ab")"#, r#"{12,"ab"}"#);
    check(r#"string:list_to_integer("-")"#, "{error,no_integer}");
    check("string:list_to_integer(a)", "{error,not_a_list}");
}

#[test]
fn floats_and_text() {
    check("erlang:float_to_list(0.1)", r#""1.00000000000000005551e-01""#);
    check("erlang:float_to_list(1.0e22, [short])", r#""1.0e22""#);
    check("erlang:float_to_list(1.005, [{decimals,2}])", r#""1.00""#);
    check("erlang:float_to_list(-0.0, [{decimals,0}])", r#""-0""#);
    check("erlang:float_to_list(1.5, [{decimals,10},compact])", r#""1.5""#);
    check("erlang:float_to_list(1.5, [{decimals,254}])", "!badarg");
    check("erlang:float_to_list(1.5, [{scientific,-1}])", r#""1.500000e+00""#);
    check("erlang:float_to_list(-2.5, [{scientific,249}])", "!badarg");
    check("erlang:float_to_list(1, [])", "!badarg");
    check(r#"erlang:list_to_float("1.5e3")"#, "1.5e3");
    check(r#"erlang:list_to_float("1,5")"#, "1.5");
    check(r#"erlang:list_to_float("1e5")"#, "!badarg");
    check(r#"erlang:list_to_float("1.0e999")"#, "!badarg");
    check(r#"string:list_to_float("1.0e+x")"#, r#"{1.0,"e+x"}"#);
}

#[test]
fn atoms_and_text() {
    check("erlang:list_to_atom([233])", "é");
    check("erlang:list_to_atom([55296])", "!badarg");
    check("erlang:list_to_existing_atom(\"never heard of\")", "!badarg");
    check("erlang:list_to_existing_atom(\"badarg\")", "badarg");
    check("erlang:atom_to_binary('Ω', latin1)", "!badarg");
    check("erlang:binary_to_atom(<<255>>, latin1)", "ÿ");
    check("erlang:binary_to_atom(<<255>>, utf8)", "!badarg");
    let long = "a".repeat(256);
    check(&format!("erlang:list_to_atom(\"{long}\")"), "!system_limit");
    check(&format!("erlang:list_to_existing_atom(\"{long}\")"), "!badarg");
}

#[test]
fn identifiers_and_text() {
    check(r#"erlang:list_to_pid("<0.5.0>")"#, "<0.5.0>");
    check(r#"erlang:list_to_pid("<0.5.1>")"#, "<0.5.1>");
    check(r#"erlang:list_to_pid("<0.32768.0>")"#, "!badarg");
    check(r##"erlang:list_to_ref("#Ref<0.0.2.3>")"##, "#Ref<0.0.2.3>");
    check(r##"erlang:list_to_port("#Port<0.3>")"##, "#Port<0.3>");
    check("erlang:fun_to_list(fun 'A b':c/2)", r#""fun 'A b':c/2""#);
}

#[test]
fn iolists() {
    check(r#"erlang:iolist_to_binary([1,[2,<<"x">>]|<<"y">>])"#, "<<1,2,120,121>>");
    check("erlang:iolist_to_binary([1|2])", "!badarg");
    check("erlang:list_to_binary(<<1>>)", "!badarg");
    check("erlang:list_to_bitstring([<<1:3>>,2,<<5:7>>])", "<<32,65,1:2>>");
    check("erlang:iolist_size([<<1:3>>])", "!badarg");
    check("erlang:bitstring_to_list(<<1,5:3>>)", "[1,<<5:3>>]");
    check("erlang:binary_to_list(<<1,2,3>>, 2, 3)", "[2,3]");
    check("erlang:binary_to_list(<<1,2,3>>, 0, 3)", "!badarg");
}

#[test]
fn hashes() {
    check("erlang:phash2([])", "113427502");
    check("erlang:phash2([a])", "23864141");
    check("erlang:phash2(0)", "88723725");
    check("erlang:phash2(-1)", "44071773");
    check("erlang:phash2(foo, 4294967296)", "27999");
    check("erlang:phash2(foo, 0)", "!badarg");
    check("erlang:phash(foo, 10)", "10");
}

#[test]
fn checksums() {
    check(r#"erlang:crc32("123456789")"#, "3421780262");
    check(r#"erlang:adler32("Wikipedia")"#, "300286872");
    check("erlang:adler32_combine(0, 0, 1)", "4293984240");
    check(r#"erlang:md5("abc")"#, "<<144,1,80,152,60,210,79,176,214,150,63,125,40,225,127,114>>");
}

#[test]
fn an_md5_state_goes_on_where_it_was_left() {
    let mut w = World::default();
    let mut state = answer(&mut w, "erlang:md5_init()");
    for part in ["a".repeat(70), "bc".to_owned()] {
        state = answer(&mut w, &format!("erlang:md5_update({state}, \"{part}\")"));
    }
    let whole = answer(&mut w, &format!("erlang:md5(\"{}bc\")", "a".repeat(70)));
    assert_eq!(answer(&mut w, &format!("erlang:md5_final({state})")), whole);
}

#[test]
fn unicode() {
    check("unicode:characters_to_binary([233,<<\"a\">>], utf8)", "<<\"éa\"/utf8>>");
    check("unicode:characters_to_list(<<195,169>>, unicode)", "\"é\"");
    check("unicode:characters_to_binary([<<195>>,[<<169>>]], utf8)", "<<\"é\"/utf8>>");
    check("unicode:characters_to_binary(<<1,195>>, utf8)", "{incomplete,<<1>>,<<\"Ã\">>}");
    check(
        "unicode:characters_to_binary([65,[66,<<255>>,67],68], utf8)",
        "{error,<<\"AB\">>,[[<<\"ÿ\">>,67],68]}",
    );
    check("unicode:characters_to_binary([<<195>>,1], utf8)", "{error,<<>>,[<<\"Ã\">>,[1]]}");
    check("unicode:characters_to_list([55296,65], utf8)", "{error,[],[55296,65]}");
    check("unicode:characters_to_list([256], latin1)", "{error,[],[256]}");
    check("unicode:characters_to_list([a], latin1)", "!badarg");
    check("unicode:characters_to_binary([<<0>>,<<65>>,66], utf16)", "<<\"AB\">>");
    check("unicode:characters_to_binary(<<216,61>>, utf16)", "{incomplete,<<>>,<<\"Ø=\">>}");
    check("unicode:characters_to_list(<<65,0,0,0>>, {utf32,little})", "\"A\"");
    check("unicode:characters_to_list(\"a\", utf7)", "!badarg");
}
