//! Text queries, each put to Z3 alone and to the whole chain. Models are judged by evaluation.

use solve::{Answer, Chain, Effort, Query, Solver};
use term::{Model, Style, Var, print, read_query};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Expect {
    Sat,
    Unsat,
}

/// What the whole chain finds for the variable, if anything.
fn check(text: &str, expect: Expect) -> String {
    let read = read_query(text).expect("a query");
    let query = Query {
        exprs: &read.exprs,
        constraints: &read.constraints,
        hint: &read.hint,
        domain: &read.domain,
    };
    let found = |answer: &Answer| match answer {
        Answer::Sat(_) => Some(Expect::Sat),
        Answer::Unsat => Some(Expect::Unsat),
        Answer::Unknown(_) => None,
    };
    let answer = Chain::new(Effort::default()).solve(&query);
    assert_eq!(found(&answer), Some(expect), "{text}: the chain says {answer:?}");
    match answer {
        Answer::Sat(Model { values }) => print(values.get(&Var(0)).expect("a value"), Style::TW),
        Answer::Unsat | Answer::Unknown(_) => String::new(),
    }
}

#[test]
fn only_a_float_is_neither_above_nor_below_nor_the_same() {
    let text = "\
%0 = var 0
%1 = head %0
%2 = const 42
%3 = less %2 %1
%4 = same %1 %2
%5 = less %1 %2
refuse %3
refuse %4
refuse %5
hint 0 = [17]
";
    assert_eq!(check(text, Expect::Sat), "[42.0]");
    check(&text.replace("hint", "%6 = is:float %1\nrefuse %6\nhint"), Expect::Unsat);
}

#[test]
fn every_kind_has_a_value() {
    let kinds = ["atom", "binary", "bitstring", "boolean", "cons", "float", "integer", "list"];
    for kind in kinds.into_iter().chain(["map", "nil", "number", "tuple"]) {
        let text = format!("%0 = var 0\n%1 = is:{kind} %0\nrequire %1\nhint 0 = x\n");
        check(&text, Expect::Sat);
        check(&text.replace("require", "refuse"), Expect::Sat);
        check(&format!("{text}refuse %1\n"), Expect::Unsat);
    }
}

#[test]
fn kinds_are_ordered() {
    let between = |low: &str, high: &str, expect: Expect| {
        let text = format!(
            "%0 = var 0\n%1 = const {low}\n%2 = const {high}\n%3 = less %1 %0\n%4 = less %0 %2\n\
             require %3\nrequire %4\nhint 0 = 0\n"
        );
        check(&text, expect)
    };
    between("1", "2", Expect::Sat);
    between("a", "b", Expect::Sat);
    between("zz", "[]", Expect::Sat);
    between("[]", "[0]", Expect::Sat);
    between("[1]", "[2]", Expect::Sat);
    between("2", "1", Expect::Unsat);
    between("b", "a", Expect::Unsat);
    between("[]", "x", Expect::Unsat);
    between("[3]", "[2]", Expect::Unsat);
    between("1.0e308", "100000000000000000000", Expect::Unsat);
}

#[test]
fn structures_are_found_and_compared() {
    let same = "%0 = var 0\n%1 = const [{a,1.5},<<1>>,-7|#{k => v}]\n%2 = same %0 %1\n\
                require %2\nhint 0 = 0\n";
    assert_eq!(check(same, Expect::Sat), "[{a,1.5},<<1>>,-7|#{k => v}]");
    let tuple = "%0 = var 0\n%1 = is_tuple:3 %0\n%2 = element:2 %0\n%3 = const x\n\
                 %4 = same %2 %3\nrequire %1\nrequire %4\nhint 0 = 0\n";
    check(tuple, Expect::Sat);
    check(&format!("{tuple}%5 = is_tuple:2 %0\nrequire %5\n"), Expect::Unsat);
    // The part of a list that is no list, and a test as a value.
    let head = "%0 = var 0\n%1 = head %0\n%2 = is:nil %0\nrequire %2\n%3 = is:atom %1\n\
                require %3\nhint 0 = 0\n";
    check(head, Expect::Unsat);
    let negated = "%0 = var 0\n%1 = is:list %0\n%2 = const false\n%3 = same %1 %2\nrequire %3\n\
                   hint 0 = []\n";
    check(negated, Expect::Sat);
    let neither = "%0 = var 0\n%1 = is:list %0\n%2 = const false\n%3 = same %1 %2\n\
                   %4 = const true\n%5 = same %1 %4\nrefuse %3\nrefuse %5\nhint 0 = []\n";
    check(neither, Expect::Unsat);
}

#[test]
fn arithmetic_is_solved_and_its_operands_are_numbers() {
    let sum = "%0 = var 0\n%1 = const 5\n%2 = add %0 %1\n%3 = const 12\n%4 = same %2 %3\n\
               require %4\nhint 0 = 0\n";
    assert_eq!(check(sum, Expect::Sat), "7");
    check(&format!("{sum}%5 = is:atom %0\nrequire %5\n"), Expect::Unsat);
    let product = "%0 = var 0\n%1 = const 3\n%2 = multiply %0 %1\n%3 = const \
                   300000000000000000000\n%4 = same %2 %3\nrequire %4\nhint 0 = 0\n";
    assert_eq!(check(product, Expect::Sat), "100000000000000000000");
}

/// In reals `X + 1.0 > X`, in floats not always: it must not be called impossible.
#[test]
fn rounding_is_not_ruled_out() {
    let text = "%0 = var 0\n%1 = const 1.0\n%2 = add %0 %1\n%3 = less %0 %2\n%4 = is:float %0\n\
                refuse %3\nrequire %4\nhint 0 = 0.0\n";
    let read = read_query(text).expect("a query");
    let query = Query {
        exprs: &read.exprs,
        constraints: &read.constraints,
        hint: &read.hint,
        domain: &read.domain,
    };
    let answer = Chain::new(Effort::default()).solve(&query);
    assert_ne!(answer, Answer::Unsat);
}

#[test]
fn the_same_question_has_the_same_answer_later() {
    let mut solver = Chain::new(Effort::default());
    let less = "%0 = var 0\n%1 = const 42\n%2 = less %0 %1\nrequire %2\nhint 0 = 0\n";
    let never = "%0 = var 0\n%1 = less %0 %0\nrequire %1\nhint 0 = 0\n";
    for _ in 0..20 {
        for (text, expect) in [(less, true), (never, false)] {
            let read = read_query(text).expect("a query");
            let (exprs, constraints) = (&read.exprs, read.constraints.as_slice());
            let answer =
                solver.solve(&Query { exprs, constraints, hint: &read.hint, domain: &read.domain });
            assert_eq!(matches!(answer, Answer::Sat(_)), expect, "{answer:?}");
        }
    }
    let counts = solver.statistics;
    assert_eq!((counts.sat, counts.unsat, counts.unknown), (20, 20, 0));
}
