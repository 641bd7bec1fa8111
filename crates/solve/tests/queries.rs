//! Queries in text form, solved by Z3 alone and by the whole chain. Models are checked by evaluation.

use solve::{Answer, Chain, Effort, Query, Solver};
use term::{Model, Style, Var, print, read_query};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Expect {
    Sat,
    Unsat,
}

/// Checks the kind of the chain's answer; returns the variable's value as text.
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
    // The head of something that is not a list cell, and a test used as a value.
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

/// In the reals `X + 1.0 > X` always holds, in floats it does not: the negation must not be called unsatisfiable.
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

/// `lines` are expressions and requirements over `%0`, the variable 0, and `%9`, the variable 1.
fn ask(lines: &str, hint: &str, expect: Expect) -> String {
    check(&format!("%0 = var 0\n{lines}\nhint 0 = {hint}\n"), expect)
}

#[test]
fn integers() {
    let div = "%1 = const 7\n%2 = quotient %0 %1\n%3 = const 11\n%4 = same %2 %3\nrequire %4\n\
               %5 = remainder %0 %1\n%6 = const 3\n%7 = same %5 %6\nrequire %7";
    assert_eq!(ask(div, "0", Expect::Sat), "80");
    assert_eq!(
        ask(&div.replace("11", "-11").replace("const 3", "const -3"), "0", Expect::Sat),
        "-80"
    );
    ask(&div.replace("const 3", "const -3"), "0", Expect::Unsat);
    let bits = "%1 = const 255\n%2 = bit_and %0 %1\n%3 = const 90\n%4 = same %2 %3\nrequire %4\n\
                %5 = const 8\n%6 = shift_right %0 %5\n%7 = const 60\n%8 = same %6 %7\nrequire %8";
    assert_eq!(ask(bits, "0", Expect::Sat), "15450");
    let xor = "%1 = const 43981\n%2 = bit_xor %0 %1\n%3 = const 4660\n%4 = same %2 %3\nrequire %4\n\
               %5 = const 1\n%6 = bit_or %0 %5\n%7 = add %0 %5\n%8 = same %6 %7\n";
    assert_eq!(ask(&format!("{xor}refuse %8"), "0", Expect::Sat), "47609");
    ask(&format!("{xor}require %8"), "0", Expect::Unsat);
    let square = "%1 = multiply %0 %0\n%2 = const 15241578750190521\n%3 = same %1 %2\nrequire %3";
    assert_eq!(ask(square, "0", Expect::Sat), "123456789");
    ask(&square.replace("521", "522"), "0", Expect::Unsat);
    let big = "%1 = const 1\n%2 = subtract %0 %1\n%3 = const 1267650600228229401496703205376\n\
               %4 = same %2 %3\nrequire %4";
    assert_eq!(ask(big, "0", Expect::Sat), "1267650600228229401496703205377");
}

#[test]
fn two_integers() {
    let linear = "%9 = var 1\n%1 = const 3\n%2 = multiply %0 %1\n%3 = const 7\n%4 = multiply %9 %3\n\
                  %5 = add %2 %4\n%6 = const 1001\n%7 = same %5 %6\nrequire %7\n%8 = subtract %0 %9\n\
                  %10 = const 57\n%11 = same %8 %10\nrequire %11\nhint 1 = 0";
    assert_eq!(ask(linear, "0", Expect::Sat), "140");
    ask(&linear.replace("57", "58"), "0", Expect::Unsat);
    let factors = "%9 = var 1\n%1 = const 1\n%2 = less %1 %0\nrequire %2\n%3 = less %1 %9\nrequire %3\n\
                   %4 = multiply %0 %9\n%5 = const 8633\n%6 = same %4 %5\nrequire %6\n\
                   %7 = is:integer %0\nrequire %7\n%8 = is:integer %9\nrequire %8\nhint 1 = 2";
    assert!(["89", "97"].contains(&ask(factors, "2", Expect::Sat).as_str()));
    // Both variables are unknown and have infinitely many candidates.
    let cycle = "%9 = var 1\n%1 = is:integer %0\nrequire %1\n%2 = is:integer %9\nrequire %2\n\
                 %3 = less %0 %9\nrequire %3\n%4 = less %9 %0\nrequire %4\nhint 1 = 0";
    ask(cycle, "0", Expect::Unsat);
}

#[test]
fn floats() {
    let product =
        "%1 = const 3.0\n%2 = multiply %0 %1\n%3 = const 0.3\n%4 = same %2 %3\nrequire %4";
    assert_eq!(ask(product, "1.0", Expect::Sat), "0.09999999999999999");
    let between = "%1 = const 0.1\n%2 = less %1 %0\nrequire %2\n%3 = const 0.1000001\n%4 = less %0 %3\n\
                   require %4";
    ask(between, "0", Expect::Sat);
    ask(&between.replace("0.1000001", "0.10000000000000002"), "0", Expect::Unsat);
    let rounded = "%1 = const 100\n%2 = multiply %0 %1\n%3 = round %2\n%4 = const 314\n%5 = same %3 %4\n\
                   require %5\n%6 = is:float %0\nrequire %6";
    ask(rounded, "0.0", Expect::Sat);
    // The float must be so large that adding 1.0 does not change it.
    let absorbed = "%1 = const 1.0\n%2 = add %0 %1\n%3 = less %0 %2\n%4 = is:float %0\nrefuse %3\n\
                    require %4";
    ask(absorbed, "0.0", Expect::Sat);
}

#[test]
fn texts() {
    let atom = "%1 = convert:atom_to_list %0\n%2 = const \"gt\"\n%3 = same %1 %2\nrequire %3";
    assert_eq!(ask(atom, "x", Expect::Sat), "gt");
    let digits = "%1 = convert:integer_to_list %0\n%2 = head %1\n%3 = const 52\n%4 = same %2 %3\n\
                  require %4\n%5 = tail %1\n%6 = is:nil %5\nrefuse %6";
    ask(digits, "0", Expect::Sat);
    let negative = "%1 = convert:integer_to_list %0\n%2 = head %1\n%3 = const 45\n%4 = same %2 %3\n\
                    require %4\n%5 = is:integer %0\nrequire %5";
    assert_eq!(ask(negative, "0", Expect::Sat), "-1");
    let parsed = "%1 = convert:list_to_integer %0\n%2 = const -71\n%3 = same %1 %2\nrequire %3";
    assert_eq!(ask(parsed, "[]", Expect::Sat), "[45,55,49]");
    let not_text = "%1 = converts:list_to_integer %0\nrefuse %1\n%2 = is:cons %0\nrequire %2";
    ask(not_text, "\"7\"", Expect::Sat);
    let binary = "%1 = convert:binary_to_integer %0\n%2 = const 905\n%3 = same %1 %2\nrequire %3";
    assert_eq!(ask(binary, "<<>>", Expect::Sat), "<<57,48,53>>");
}

#[test]
fn maps() {
    let has = "%1 = const a\n%2 = has_key %1 %0\nrequire %2\n%3 = get %1 %0\n%4 = const 3\n\
               %5 = less %4 %3\nrequire %5\n%6 = const b\n%7 = has_key %6 %0\n";
    assert_eq!(ask(&format!("{has}refuse %7"), "#{}", Expect::Sat), "#{a => 4}");
    ask(
        &format!("{has}refuse %7\n%8 = get %6 %0\n%10 = same %8 %4\nrequire %10"),
        "#{}",
        Expect::Unsat,
    );
    let size = "%1 = map_size %0\n%2 = const 3\n%3 = same %1 %2\nrequire %3\n%4 = const a\n\
                %5 = has_key %4 %0\nrequire %5";
    ask(size, "#{}", Expect::Sat);
    let put = "%1 = const a\n%2 = const 1\n%3 = put %1 %2 %0\n%4 = get %1 %3\n%5 = same %4 %2\n";
    ask(&format!("{put}require %5"), "#{}", Expect::Sat);
    ask(&format!("{put}refuse %5"), "#{}", Expect::Unsat);
}

#[test]
fn bitstrings() {
    let size = "%1 = const 0\n%2 = const 8\n%3 = slice %0 %1 %2\n\
                %4 = bits_to_integer:unsigned-big %3\n";
    // A length, that many bytes, and a byte with their number.
    let packet = format!(
        "{size}%5 = const 1\n%6 = less %5 %4\nrequire %6\n%7 = multiply %4 %2\n%8 = slice %0 %2 %7\n\
         %10 = add %7 %2\n%11 = slice %0 %10 %2\n%12 = bits_to_integer:unsigned-big %11\n\
         %13 = same %12 %4\nrequire %13\n%14 = bit_size %0\n%15 = add %10 %2\n%16 = same %14 %15\n\
         require %16\n%17 = bit_size %8\n%18 = const 24\n%19 = same %17 %18\nrequire %19"
    );
    assert_eq!(ask(&packet, "<<>>", Expect::Sat), "<<3,0,0,0,3>>");
    let range = "%5 = const 255\n%6 = less %5 %4\nrequire %6";
    ask(&format!("{size}{range}"), "<<>>", Expect::Unsat);
    let little = "%1 = bit_size %0\n%2 = const 32\n%3 = same %1 %2\nrequire %3\n\
                  %4 = bits_to_integer:unsigned-little %0\n%5 = const 16909060\n%6 = same %4 %5\nrequire %6";
    assert_eq!(ask(little, "<<>>", Expect::Sat), "<<4,3,2,1>>");
    let made = "%1 = const 16\n%2 = integer_to_bits:big %0 %1\n%3 = const 0\n%4 = const 8\n\
                %5 = slice %2 %3 %4\n%6 = const <<7>>\n%7 = same %5 %6\nrequire %7";
    ask(made, "0", Expect::Sat);
}

#[test]
fn functions() {
    let calls = "%1 = const 1\n%2 = const 2\n%3 = call %0 %1\n%4 = call %0 %2\n%5 = const true\n\
                 %6 = same %4 %5\nrequire %6\n%7 = same %3 %5\n";
    assert_eq!(
        ask(&format!("{calls}refuse %7"), "0", Expect::Sat),
        "fun (2) -> true; (1) -> 0; (_) -> 0 end"
    );
    let same = "%9 = var 1\n%1 = call %0 %9\n%2 = const 3\n%3 = call %0 %2\n%4 = same %1 %3\nrefuse %4\n\
                %5 = same %9 %2\nrequire %5\nhint 1 = 0";
    ask(same, "0", Expect::Unsat);
}

#[test]
fn types_are_kept() {
    let types =
        "type 0 = kind integer\ntype 1 = literal []\ntype 2 = list 0 1\ntype 3 = tuple 2\ndomain 3";
    let head = "%1 = head %0\n%2 = const 42\n%3 = less %1 %2\n%4 = same %1 %2\n%5 = less %2 %1\n";
    ask(&format!("{head}refuse %3\nrefuse %4\nrefuse %5\n{types}"), "[17]", Expect::Unsat);
    assert_eq!(ask(&format!("{head}require %5\n{types}"), "[17]", Expect::Sat), "[43]");
    // Trees: a leaf, or a node with two trees.
    let tree = "type 0 = literal leaf\ntype 1 = literal node\ntype 2 = kind integer\n\
                type 3 = tuple 1 4 2 4\ntype 4 = union 0 3\ntype 5 = tuple 4\ndomain 5";
    let deep = "%1 = element:1 %0\n%2 = element:1 %1\n%3 = is_tuple:4 %2\nrequire %3\n";
    let found = ask(&format!("{deep}{tree}"), "leaf", Expect::Sat);
    assert_eq!(found, "{node,{node,{node,leaf,0,leaf},0,leaf},0,leaf}");
    ask(
        &format!("{deep}%4 = element:0 %2\n%5 = const leaf\n%6 = same %4 %5\nrequire %6\n{tree}"),
        "leaf",
        Expect::Unsat,
    );
}

#[test]
fn digits_in_binaries() {
    let any = "%0 = var 0\n%1 = converts:binary_to_integer %0\nrequire %1\nhint 0 = []\n";
    check(any, Expect::Sat);
    let number = "%0 = var 0\n%1 = convert:binary_to_integer %0\n%2 = const 905\n\
                  %3 = same %1 %2\nrequire %3\nhint 0 = <<1,2>>\n";
    assert_eq!(check(number, Expect::Sat), "<<57,48,53>>");
    let hex = "%0 = var 0\n%1 = const 0\n%2 = const 16\n%3 = slice %0 %1 %2\n\
               %4 = convert:binary_to_integer.16 %3\n%5 = const 250\n%6 = less %5 %4\n\
               %7 = slice %0 %2 %2\n%8 = converts:binary_to_integer.16 %7\n%9 = convert:binary_to_integer.16 %7\n\
               %10 = const 2\n%11 = quotient %4 %10\n%12 = same %9 %11\n\
               require %6\nrequire %8\nrequire %12\nhint 0 = <<0,0,0,0,0,0>>\n";
    check(hex, Expect::Sat);
}

#[test]
fn numbers_in_texts_are_found_by_their_size() {
    let hex = "\
%0 = var 0
%1 = const 0
%2 = const 16
%3 = const 32
%4 = slice %0 %1 %2
%5 = slice %0 %2 %2
%6 = bit_size %0
%7 = same %6 %3
%8 = converts:binary_to_integer.16 %4
%9 = converts:binary_to_integer.16 %5
%10 = convert:binary_to_integer.16 %4
%11 = convert:binary_to_integer.16 %5
%12 = add %10 %11
%13 = const 300
%14 = same %12 %13
require %7
require %8
require %9
require %14
hint 0 = <<43,57,43,48>>
";
    check(hex, Expect::Sat);
    check(&hex.replace("const 300", "const 511"), Expect::Unsat);
    let float = "\
%0 = var 0
%1 = convert:binary_to_list %0
%2 = converts:list_to_float %1
%3 = convert:list_to_float %1
%4 = const 3.1
%5 = less %4 %3
%6 = const 3.2
%7 = less %3 %6
require %2
require %5
require %7
hint 0 = <<52,46,48>>
";
    check(float, Expect::Sat);
}

/// Unfolding a type that only contains itself would not terminate.
#[test]
fn types_without_members_are_left_out() {
    let text = "%0 = var 0\n%1 = is:tuple %0\nrequire %1\nhint 0 = x\n";
    let types = "type 0 = literal s\ntype 1 = tuple 0 1\ntype 2 = kind atom\n";
    let both = format!("{text}{types}type 3 = union 1 2\ntype 4 = tuple 3\ndomain 4\n");
    assert_eq!(check(&both, Expect::Unsat), "");
    assert_eq!(check(&both.replace("require", "refuse"), Expect::Sat), "x");
    let inside = "type 3 = literal g\ntype 4 = tuple 3 2\ntype 5 = union 1 4\ntype 6 = tuple 5\n";
    let found = check(&format!("{text}{types}{inside}domain 6\n"), Expect::Sat);
    assert!(found.starts_with("{g,"), "{found}");
}
