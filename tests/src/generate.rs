//! Random terms, the same ones in every run.

use num_bigint::BigInt;
use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use term::{Atom, Bits, Fun, Term};

/// Returns `count` values of a strategy.
///
/// # Panics
/// If the strategy gives up.
pub fn sample<S: Strategy>(strategy: &S, count: usize) -> Vec<S::Value> {
    let mut runner = TestRunner::deterministic();
    let mut next = || strategy.new_tree(&mut runner).expect("a value").current();
    (0..count).map(|_| next()).collect()
}

/// Generates terms that have a textual form: all except pids, ports, references and closures.
pub fn terms() -> impl Strategy<Value = Term> {
    let leaf = prop_oneof![
        4 => integers(),
        2 => floats().prop_map(Term::Float),
        3 => atoms().prop_map(Term::Atom),
        1 => Just(Term::Nil),
        2 => bits().prop_map(Term::Bits),
        1 => funs().prop_map(|it| Term::Fun(Box::new(it))),
        3 => vec(characters(), 0..8).prop_map(Term::proper_list),
    ];
    leaf.prop_recursive(5, 48, 6, |inner| {
        prop_oneof![
            3 => vec(inner.clone(), 0..6).prop_map(Term::proper_list),
            1 => (vec(inner.clone(), 1..4), inner.clone()).prop_map(|(it, tail)| Term::list(it, tail)),
            3 => vec(inner.clone(), 0..6).prop_map(Term::Tuple),
            2 => vec((inner.clone(), inner), 0..6).prop_map(Term::map),
        ]
    })
}

fn integers() -> impl Strategy<Value = Term> {
    prop_oneof![
        any::<i8>().prop_map(|it| Term::Int(i64::from(it))),
        any::<i64>().prop_map(Term::Int),
        (any::<i128>(), 0..200_usize)
            .prop_map(|(value, shift)| Term::integer(BigInt::from(value) << shift)),
        prop_oneof![Just(i64::MAX), Just(i64::MIN), Just(1 << 59), Just(-(1 << 59) - 1)]
            .prop_map(Term::Int),
    ]
}

fn floats() -> impl Strategy<Value = f64> {
    let decimals = (-99_999_i32..99_999, -25_i32..25)
        .prop_map(|(digits, exponent)| f64::from(digits) * 10_f64.powi(exponent));
    let edges = [0.0, -0.0, f64::MAX, f64::MIN_POSITIVE, 5e-324, 9_007_199_254_740_992.0, 0.1];
    prop_oneof![
        any::<f64>().prop_filter("Erlang has no NaN and no infinity", |it| it.is_finite()),
        decimals,
        proptest::sample::select(edges.to_vec()),
    ]
}

fn atoms() -> impl Strategy<Value = Atom> {
    let odd = ["", "if", "maybe", "else", "cond", "nil", "Ä", "ß", "x÷", "a@b", "_", "é", "true"];
    prop_oneof![
        "[a-z][a-zA-Z0-9_@]{0,6}",
        "\\PC{0,6}",
        "[\\x00-\u{ff}]{0,6}",
        proptest::sample::select(odd.map(str::to_owned).to_vec()),
    ]
    .prop_map(|it| Atom::new(&it))
}

/// Generates mostly the characters of a list that is printed as a string.
fn characters() -> impl Strategy<Value = Term> {
    prop_oneof![8 => 32..127_i64, 2 => 0..256_i64, 1 => 0..0x500_i64].prop_map(Term::Int)
}

fn bits() -> impl Strategy<Value = Bits> {
    let printable = vec(prop_oneof![9 => 32..127_u8, 1 => any::<u8>()], 0..8);
    prop_oneof![
        printable.prop_map(Bits::from_bytes),
        "\\PC{0,6}".prop_map(|it| Bits::from_bytes(it.into_bytes())),
        "[ -~\u{a0}-\u{ff}\n]{0,6}".prop_map(|it| Bits::from_bytes(it.into_bytes())),
        vec(any::<u8>(), 0..30).prop_map(Bits::from_bytes),
        (vec(any::<u8>(), 1..8), 0..8_usize).prop_map(|(bytes, cut)| {
            let bit_len = bytes.len() * 8 - cut;
            Bits::new(bytes, bit_len).unwrap_or_default()
        }),
    ]
}

/// Generates funs whose names are printed in a form that the reader accepts.
fn funs() -> impl Strategy<Value = Fun> {
    let name =
        || prop_oneof!["x[a-z0-9_@]{0,4}", "X[a-z'\\\\ ]{0,4}"].prop_map(|it| Atom::new(&it));
    (name(), name(), any::<u8>()).prop_map(|(module, function, arity)| Fun::External {
        module,
        function,
        arity,
    })
}
