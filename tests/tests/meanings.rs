//! Compares the operators of constraints that are builtins of Erlang with BEAM, on edge values.

use conformance::{Answer, Call, beam_results};
use term::{Atom, Base, Conversion, Op, Style, Term, apply, print, read_term};

#[test]
fn operators_compute_as_beam_does() {
    let terms: Vec<Term> = EDGES.iter().map(|it| read_term(it).expect("a term")).collect();
    let mut cases: Vec<(Op, Call)> = Vec::new();
    for (op, name) in ONE {
        cases.extend(terms.iter().map(|it| (*op, call(name, vec![it.clone()]))));
    }
    for conversion in Conversion::all() {
        let (op, name) = (Op::Convert(conversion), conversion.name());
        cases.extend(terms.iter().map(|it| (op, call(&name, vec![it.clone()]))));
        for base in [2, 8, 10, 16, 36] {
            let based = conversion.in_base(Base::new(base).expect("a base"));
            if based == conversion {
                continue;
            }
            let args = |it: &Term| vec![it.clone(), Term::Int(base)];
            cases.extend(terms.iter().map(|it| (Op::Convert(based), call(&name, args(it)))));
        }
    }
    for (op, name) in TWO {
        for left in &terms {
            let calls = terms.iter().map(|it| call(name, vec![left.clone(), it.clone()]));
            cases.extend(calls.map(|it| (*op, it)));
        }
    }
    cases.retain(|it| !is_excluded(it));
    let calls: Vec<Call> = cases.iter().map(|it| it.1.clone()).collect();
    let mut differences = Vec::new();
    for ((op, call), theirs) in cases.iter().zip(beam_results(&calls)) {
        // The base of a conversion is a part of the operator, not an argument.
        let n_args = if let Op::Convert(_) = op { 1 } else { call.args.len() };
        let ours = apply(*op, &call.args.iter().take(n_args).collect::<Vec<_>>());
        let theirs = match theirs {
            Answer::Value(value) => Some(value),
            Answer::Raised { .. } => None,
            Answer::Lost(why) => panic!("{call}: {why}"),
        };
        if ours != theirs {
            let show = |it: Option<Term>| it.map(|it| print(&it, Style::TW)).unwrap_or_default();
            differences.push(format!("{call}: {} here, {} on BEAM", show(ours), show(theirs)));
        }
    }
    assert!(20_000 < cases.len(), "{}", cases.len());
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

fn call(name: &str, args: Vec<Term>) -> Call {
    let of_maps = name.strip_prefix("maps:");
    let (module, function) = of_maps.map_or(("erlang", name), |it| ("maps", it));
    Call { module: Atom::new(module), function: Atom::new(function), args }
}

/// Excluded are operators that are segments instead of builtins, operators that are only applied to flat
/// lists, results of gigabytes on BEAM, and characters beyond the low byte in `list_to_integer/1`: OTP 25
/// returns 4 for `list_to_integer([16#1234])`.
fn is_excluded((op, call): &(Op, Call)) -> bool {
    let is_far = |it: &Term| it.as_int().is_none_or(|it| it.unsigned_abs() >= 100_000);
    match (op, call.args.as_slice()) {
        (Op::Convert(Conversion::FloatToBits { .. } | Conversion::BitsToFloat { .. }), _) => true,
        (Op::Convert(Conversion::ListToBinary), [list]) => list.as_list().is_none_or(|it| {
            it.iter().any(|it| matches!(it, Term::Bits(_) | Term::Nil | Term::List(_)))
        }),
        (Op::ShiftLeft | Op::ShiftRight, [_, by]) => is_far(by),
        (Op::Convert(Conversion::ListToInteger(_)), [list, ..]) => {
            list.as_list().unwrap_or_default().iter().any(|it| it.as_int() > Some(255))
        }
        _ => false,
    }
}

const ONE: &[(Op, &str)] = &[
    (Op::Head, "hd"),
    (Op::Tail, "tl"),
    (Op::Negate, "-"),
    (Op::Absolute, "abs"),
    (Op::BitNot, "bnot"),
    (Op::ToFloat, "float"),
    (Op::Truncate, "trunc"),
    (Op::Round, "round"),
    (Op::Floor, "floor"),
    (Op::Ceiling, "ceil"),
    (Op::Length, "length"),
    (Op::TupleSize, "tuple_size"),
    (Op::MapSize, "map_size"),
    (Op::BitSize, "bit_size"),
    (Op::Not, "not"),
];

const TWO: &[(Op, &str)] = &[
    (Op::Add, "+"),
    (Op::Subtract, "-"),
    (Op::Multiply, "*"),
    (Op::Divide, "/"),
    (Op::Quotient, "div"),
    (Op::Remainder, "rem"),
    (Op::BitAnd, "band"),
    (Op::BitOr, "bor"),
    (Op::BitXor, "bxor"),
    (Op::ShiftLeft, "bsl"),
    (Op::ShiftRight, "bsr"),
    (Op::Get, "map_get"),
    (Op::HasKey, "is_map_key"),
    (Op::Remove, "maps:remove"),
    (Op::Same, "=:="),
    (Op::Equal, "=="),
    (Op::Less, "<"),
    (Op::LessEqual, "=<"),
    (Op::And, "and"),
    (Op::Or, "or"),
];

const EDGES: &[&str] = &[
    "0",
    "1",
    "-1",
    "2",
    "3",
    "-3",
    "7",
    "-8",
    "255",
    "256",
    "63",
    "64",
    "65",
    "9223372036854775807",
    "-9223372036854775808",
    "9223372036854775808",
    "-9223372036854775809",
    "18446744073709551616",
    "-340282366920938463463374607431768211456",
    "123456789012345678901234567890",
    "9007199254740993",
    "0.0",
    "-0.0",
    "0.5",
    "-0.5",
    "1.5",
    "-2.5",
    "2.4999999999999996",
    "1.0",
    "1.0e22",
    "1.0e308",
    "-1.0e308",
    "5.0e-324",
    "0.1",
    "9007199254740992.0",
    "0.49999999999999994",
    "a",
    "true",
    "false",
    "[]",
    "'1'",
    "'é'",
    "'ሴ'",
    "[1]",
    "[1|2]",
    "[a,b]",
    "[1,2]",
    "\"12\"",
    "\"-7\"",
    "\"+7\"",
    "\"7x\"",
    "\"-\"",
    "\"1.5\"",
    "\"1.5e3\"",
    "\"1.e3\"",
    "\".5\"",
    "\"-2.5E-3\"",
    "\"1e5\"",
    "[233]",
    "[4660]",
    "[55296]",
    "[256]",
    "{}",
    "{a}",
    "{a,b}",
    "#{}",
    "#{1 => a}",
    "#{1.0 => b}",
    "#{a => 1,b => 2}",
    "<<>>",
    "<<1>>",
    "<<1:1>>",
    "<<\"12\">>",
    "<<\"-7\">>",
    "<<195,169>>",
    "<<233>>",
    "<<\"x\">>",
    "<<1,2:4>>",
];
