//! Tests of the external term format against the real runtime, and with bytes that no runtime sends.

use beam::{Otp, Settings};
use erlang::{Host, HostAnswer};
use num_bigint::BigInt;
use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_assert_eq, prop_oneof, proptest};
use term::etf::{DecodeError, MAX_DEPTH, MAX_KEY_DEPTH, decode, decode_prefix, encode};
use term::{Atom, Bits, Fun, Pid, Port, Reference, Term};

fn apply(otp: &mut Otp, module: &str, function: &str, args: &[Term]) -> Term {
    match otp.apply(&Atom::new(module), &Atom::new(function), args).expect("an answer") {
        HostAnswer::Value(value) => value,
        raised @ HostAnswer::Raised { .. } => panic!("{module}:{function}: {raised:?}"),
    }
}

fn part(term: &Term, index: usize) -> Term {
    term.as_tuple().and_then(|it| it.get(index)).expect("a tuple").clone()
}

/// Evaluates an expression and returns the value as the runtime encodes it.
fn eval(otp: &mut Otp, text: &str) -> Term {
    let tokens = part(&apply(otp, "erl_scan", "string", &[Term::string(text)]), 1);
    let exprs = part(&apply(otp, "erl_parse", "parse_exprs", &[tokens]), 1);
    part(&apply(otp, "erl_eval", "exprs", &[exprs, Term::Nil]), 1)
}

fn big(text: &str) -> Term {
    Term::integer(text.parse::<BigInt>().expect("digits"))
}

fn ints(values: &[i64]) -> Term {
    Term::proper_list(values.iter().copied().map(Term::Int).collect())
}

#[test]
fn both_sides_mean_the_same() {
    let mut otp = Otp::new(Settings::default()).expect("OTP is installed");
    let atom = Term::atom;
    let bits = |bytes: &[u8], len| Term::Bits(Bits::new(bytes.to_vec(), len).expect("bits"));
    let external =
        Fun::External { module: Atom::new("lists"), function: Atom::new("map"), arity: 2 };
    let cases = [
        ("0.", Term::Int(0)),
        ("255.", Term::Int(255)),
        ("-1.", Term::Int(-1)),
        ("16#7fffffff.", Term::Int(0x7fff_ffff)),
        ("16#80000000.", Term::Int(0x8000_0000)),
        ("-16#80000001.", Term::Int(-0x8000_0001)),
        ("9223372036854775807.", Term::Int(i64::MAX)),
        ("-9223372036854775808.", Term::Int(i64::MIN)),
        ("9223372036854775808.", big("9223372036854775808")),
        ("-9223372036854775809.", big("-9223372036854775809")),
        ("1 bsl 2100.", Term::integer(BigInt::from(1) << 2100)),
        ("-(1 bsl 2100) + 1.", Term::integer(BigInt::from(1) - (BigInt::from(1) << 2100))),
        ("0.0.", Term::Float(0.0)),
        ("-0.0.", Term::Float(-0.0)),
        ("1.5e300.", Term::Float(1.5e300)),
        ("0.1.", Term::Float(0.1)),
        ("''.", atom("")),
        ("ok.", atom("ok")),
        ("'\u{e9}'.", atom("\u{e9}")),
        ("'\u{4e16}'.", atom("\u{4e16}")),
        ("list_to_atom(lists:duplicate(255, 16#1F600)).", atom(&"\u{1F600}".repeat(255))),
        ("[].", Term::Nil),
        ("\"abc\".", Term::string("abc")),
        ("[256, 1].", ints(&[256, 1])),
        ("lists:duplicate(70000, 7).", ints(&[7; 70_000])),
        ("[a | b].", Term::list(vec![atom("a")], atom("b"))),
        ("[1 | 2].", Term::list(vec![Term::Int(1)], Term::Int(2))),
        ("{}.", Term::Tuple(vec![])),
        ("{a, {}}.", Term::Tuple(vec![atom("a"), Term::Tuple(vec![])])),
        ("erlang:make_tuple(300, x).", Term::Tuple(vec![atom("x"); 300])),
        ("#{}.", Term::Map(vec![])),
        (
            "#{1 => a, 1.0 => b, [] => #{}}.",
            Term::map(vec![
                (Term::Nil, Term::Map(vec![])),
                (Term::Float(1.0), atom("b")),
                (Term::Int(1), atom("a")),
            ]),
        ),
        (
            "maps:from_list([{I, -I} || I <- lists:seq(0, 99)]).",
            Term::map((0..100).map(|it| (Term::Int(it), Term::Int(-it))).collect()),
        ),
        ("<<>>.", Term::binary(vec![])),
        ("<<1, 2, 3>>.", Term::binary(vec![1, 2, 3])),
        ("<<1:1>>.", bits(&[0x80], 1)),
        ("<<255, 5:3>>.", bits(&[255, 0xa0], 11)),
        ("fun lists:map/2.", Term::Fun(Box::new(external))),
    ];
    for (text, expect) in cases {
        let got = eval(&mut otp, text);
        assert_eq!(got, expect, "{text}");
        for options in
            ["[{minor_version,0}]", "[{minor_version,1}]", "[{minor_version,2}]", "[compressed]"]
        {
            let options = eval(&mut otp, &format!("{options}."));
            let bytes = apply(&mut otp, "erlang", "term_to_binary", &[expect.clone(), options]);
            assert_eq!(decode(bytes.as_bytes().expect("a binary")), Ok(expect.clone()), "{text}");
        }
        // The runtime compares its own term with the one that it decodes from our bytes.
        let ours = Term::binary(encode(&expect).expect("small enough"));
        let theirs = apply(&mut otp, "erlang", "binary_to_term", &[ours]);
        let same = apply(&mut otp, "erlang", "=:=", &[theirs, got]);
        assert_eq!(same, atom("true"), "{text}");
    }
}

#[test]
fn what_names_a_process_a_port_a_reference_or_a_closure_goes_there_and_back() {
    let mut otp = Otp::new(Settings::default()).expect("OTP is installed");
    let cases = [
        ("whereis(init).", "is_pid"),
        ("hd(erlang:ports()).", "is_port"),
        ("make_ref().", "is_reference"),
        ("X = 1, fun(Y) -> X + Y end.", "is_function"),
        ("maps:get(next, element(1, rand:seed_s(exsss, 1))).", "is_function"),
    ];
    for (text, test) in cases {
        let term = eval(&mut otp, text);
        assert_eq!(
            apply(&mut otp, "erlang", test, std::slice::from_ref(&term)),
            Term::atom("true"),
            "{text}"
        );
        let back = apply(&mut otp, "erlang", "hd", &[Term::proper_list(vec![term.clone()])]);
        assert_eq!(back, term, "{text}");
    }
}

#[test]
fn old_and_rare_forms_are_read() {
    let node = Atom::new("n");
    let check = |bytes: &[u8], expect: Result<Term, DecodeError>| {
        assert_eq!(decode(&[&[131], bytes].concat()), expect, "{bytes:?}");
    };
    let pid = Pid { node: node.clone(), id: 1, serial: 2, creation: 3 };
    check(&[103, 100, 0, 1, b'n', 0, 0, 0, 1, 0, 0, 0, 2, 3], Ok(Term::Pid(pid)));
    let port = |id| Term::Port(Port { node: node.clone(), id, creation: 3 });
    check(&[102, 115, 1, b'n', 0, 0, 0, 1, 3], Ok(port(1)));
    check(&[89, 119, 1, b'n', 0, 0, 0, 1, 0, 0, 0, 3], Ok(port(1)));
    check(&[120, 119, 1, b'n', 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3], Ok(port(1 << 56)));
    let reference = |words: &[u32]| {
        Term::Ref(Reference { node: node.clone(), creation: 3, words: words.to_vec() })
    };
    check(&[101, 118, 0, 1, b'n', 0, 0, 0, 7, 3], Ok(reference(&[7])));
    check(&[114, 0, 2, 100, 0, 1, b'n', 3, 0, 0, 0, 7, 0, 0, 0, 8], Ok(reference(&[7, 8])));
    check(&[115, 1, 0xe9], Ok(Term::atom("\u{e9}")));
    check(&[108, 0, 0, 0, 1, 97, 1, 108, 0, 0, 0, 1, 97, 2, 106], Ok(ints(&[1, 2])));
    check(&[108, 0, 0, 0, 1, 97, 1, 107, 0, 1, 2], Ok(ints(&[1, 2])));
    check(&[110, 2, 1, 1, 0], Ok(Term::Int(-1)));
    check(&[77, 0, 0, 0, 0, 0], Ok(Term::binary(vec![])));
    check(&[77, 0, 0, 0, 1, 8, 255], Ok(Term::binary(vec![255])));

    check(&[77, 0, 0, 0, 1, 9, 255], Err(DecodeError::Invalid("bitstring")));
    check(&[77, 0, 0, 0, 1, 0, 255], Err(DecodeError::Invalid("bitstring")));
    check(&[70, 0x7f, 0xf0, 0, 0, 0, 0, 0, 0], Err(DecodeError::Invalid("float")));
    check(&[116, 0, 0, 0, 2, 97, 1, 97, 2, 97, 1, 97, 3], Err(DecodeError::Invalid("map")));
    check(&[119, 1, 0xff], Err(DecodeError::Invalid("atom")));
    check(&[82, 0], Err(DecodeError::Tag(82)));
    check(&[117, 0, 0, 0, 0], Err(DecodeError::Tag(117)));
    check(&[121, 0, 0, 0, 0, 0, 0, 0, 0, 106], Err(DecodeError::Tag(121)));
    check(&[97, 1, 0], Err(DecodeError::Trailing(1)));
    check(&[105, 255, 255, 255, 255, 106], Err(DecodeError::Truncated));
    check(&[80, 255, 255, 255, 255, 0], Err(DecodeError::Invalid("size of a compressed term")));
    assert_eq!(decode(&[]), Err(DecodeError::Version(None)));
    assert_eq!(decode_prefix(&[131, 97, 1, 0]), Ok((Term::Int(1), 3)));
}

#[test]
fn nesting_has_a_limit() {
    let nested = |levels: usize| [&[131], [104, 1].repeat(levels).as_slice(), &[106]].concat();
    assert!(decode(&nested(MAX_DEPTH)).is_ok());
    assert_eq!(decode(&nested(MAX_DEPTH + 1)).err(), Some(DecodeError::TooDeep));
    let term = decode(&nested(MAX_DEPTH)).expect("within the limit");
    assert_eq!(encode(&term).ok(), Some(nested(MAX_DEPTH)));
    let key = |levels: usize| {
        let key = [[104, 1].repeat(levels).as_slice(), &[106]].concat();
        [&[131, 116, 0, 0, 0, 1], key.as_slice(), &[106]].concat()
    };
    assert!(decode(&key(MAX_KEY_DEPTH)).is_ok());
    assert_eq!(decode(&key(MAX_KEY_DEPTH + 1)).err(), Some(DecodeError::TooDeep));
}

/// A list whose cells are encoded one by one is decoded in linear time and without recursion.
#[test]
fn a_chain_of_cells_is_one_list() {
    let cells = 1_000_000;
    let bytes = [&[131], [108, 0, 0, 0, 1, 97, 1].repeat(cells).as_slice(), &[106]].concat();
    let list = decode(&bytes).expect("a list");
    assert_eq!(list.as_list().map(<[Term]>::len), Some(cells));
}

fn atoms() -> impl Strategy<Value = Atom> {
    prop_oneof!["[a-z]{0,8}", "\\PC{0,40}"].prop_map(|it| Atom::new(&it))
}

fn pids() -> impl Strategy<Value = Pid> {
    (atoms(), any::<u32>(), any::<u32>(), any::<u32>())
        .prop_map(|(node, id, serial, creation)| Pid { node, id, serial, creation })
}

fn terms() -> impl Strategy<Value = Term> {
    let external = (atoms(), atoms(), any::<u8>())
        .prop_map(|(module, function, arity)| Fun::External { module, function, arity });
    let leaf =
        prop_oneof![
            any::<i64>().prop_map(Term::Int),
            (-300i64..300).prop_map(Term::Int),
            vec(any::<u8>(), 0..600)
                .prop_map(|it| Term::integer(BigInt::from_signed_bytes_le(&it))),
            any::<f64>().prop_filter("finite", |it| it.is_finite()).prop_map(Term::Float),
            atoms().prop_map(Term::Atom),
            Just(Term::Nil),
            (vec(any::<u8>(), 1..20), 0usize..8).prop_map(|(bytes, unused)| {
                let len = bytes.len() * 8 - unused;
                Term::Bits(Bits::new(bytes, len).expect("long enough"))
            }),
            vec(any::<u8>(), 0..300)
                .prop_map(|it| ints(&it.into_iter().map(i64::from).collect::<Vec<_>>())),
            pids().prop_map(Term::Pid),
            (atoms(), any::<u64>(), any::<u32>())
                .prop_map(|(node, id, creation)| Term::Port(Port { node, id, creation })),
            (atoms(), any::<u32>(), vec(any::<u32>(), 0..5))
                .prop_map(|(node, creation, words)| Term::Ref(Reference { node, creation, words })),
            external.prop_map(|it| Term::Fun(Box::new(it))),
        ];
    leaf.prop_recursive(5, 64, 8, |inner| {
        let closure = (atoms(), any::<[u8; 16]>(), any::<i64>(), pids(), vec(inner.clone(), 0..3))
            .prop_map(|(module, uniq, old, pid, env)| Fun::Closure {
                module,
                arity: 3,
                index: 9,
                uniq,
                old_index: old,
                old_uniq: -old.saturating_add(1),
                pid,
                env,
            });
        prop_oneof![
            vec(inner.clone(), 0..8).prop_map(Term::Tuple),
            (vec(inner.clone(), 0..8), inner.clone()).prop_map(|(it, tail)| Term::list(it, tail)),
            vec(inner.clone(), 0..8).prop_map(Term::proper_list),
            vec((inner.clone(), inner), 0..8).prop_map(Term::map),
            closure.prop_map(|it| Term::Fun(Box::new(it))),
        ]
    })
}

proptest! {
    #[test]
    fn what_was_written_is_read(term in terms()) {
        let bytes = encode(&term).expect("small enough");
        prop_assert_eq!(decode(&bytes), Ok(term));
    }

    #[test]
    fn a_part_of_a_term_is_an_error(term in terms(), cut in any::<proptest::sample::Index>()) {
        let bytes = encode(&term).expect("small enough");
        let part = bytes.get(..cut.index(bytes.len())).expect("shorter");
        assert!(decode(part).is_err());
    }

    #[test]
    fn changed_bytes_give_a_term_or_an_error(
        term in terms(),
        changes in vec((any::<proptest::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let mut bytes = encode(&term).expect("small enough");
        let len = bytes.len();
        for (place, byte) in changes {
            if let Some(old) = bytes.get_mut(place.index(len)) {
                *old = byte;
            }
        }
        check_stable(&bytes);
    }

    #[test]
    fn any_bytes_give_a_term_or_an_error(bytes in vec(any::<u8>(), 0..200)) {
        check_stable(&[&[131], bytes.as_slice()].concat());
    }

    /// Mostly tags and small numbers, so that decoding gets some way before it fails.
    #[test]
    fn likely_bytes_give_a_term_or_an_error(
        bytes in vec(prop_oneof![0u8..4, 70u8..=121, Just(255)], 0..400),
    ) {
        check_stable(&[&[131], bytes.as_slice()].concat());
    }
}

/// Checks that every decoded term can be encoded, and is then decoded to an equal term.
fn check_stable(bytes: &[u8]) {
    if let Ok(term) = decode(bytes) {
        let again = encode(&term).expect("it came in a few bytes");
        assert_eq!(decode(&again), Ok(term));
    }
}
