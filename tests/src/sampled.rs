//! Random goals for predicates, with arguments of all kinds; each predicate has a random generator of its
//! own.
//!
//! Knows names and arities only. Half of the goals of a predicate have arguments of a single kind, as in real
//! programs; the others are mixed, because the order in which errors are detected is compared, too.

use crate::Random;

const ANY: &[&str] = &[
    "_",
    "a",
    "[]",
    "'[]'",
    "''",
    "foo",
    "'A b'",
    "0",
    "1",
    "-1",
    "3",
    "1.5",
    "-0.0",
    "inf",
    "nan",
    "100000000000000000000",
    "-9223372036854775809",
    "1r3",
    "\"ab\"",
    "\"\"",
    "\"12\"",
    "'1'",
    "f(x)",
    "f(P,Q)",
    "f(P,P)",
    "[a]",
    "[a,b]",
    "[c,a,b,a]",
    "[3,1,2]",
    "[a|_]",
    "[a|b]",
    "[1-a,2-b]",
    "[k=v]",
    "a:b",
    "a-1",
    "(:-)",
    "[0'a,0'b]",
    "[_]",
    "[P,Q,P]",
    "true",
    "fail",
    "(a,b)",
    "(true,1)",
    "member(M,[1,2])",
    "atom",
    "succ",
    "=",
    "[M]>>true",
    "t",
    "black('','','','')",
    "{}",
    "{a}",
    "'$VAR'(1)",
    "foo/1",
    "append/3",
    "user:foo",
    "1:2",
    "end_of_file",
    "@<",
    "(foo:-bar)",
    "(a:-1)",
    "\"~w\"",
    "'~a~n'",
    "atom(_)",
    "string(_)",
    "1.0Inf",
    "1.5NaN",
    "1.0e10",
    "255",
];

/// Kinds of arguments: all arguments of a goal are of one kind, or variables.
const KINDS: &[&[&str]] = &[
    &[
        "[]",
        "[a]",
        "[a,b]",
        "[c,a,b,a]",
        "[3,1,2]",
        "[a|_]",
        "[1-a,2-b]",
        "[_]",
        "[P,Q,P]",
        "[k=v]",
        "1",
        "2",
    ],
    &[
        "a",
        "''",
        "abc",
        "\"abc\"",
        "'A b'",
        "\"a,b\"",
        "\",\"",
        "12",
        "[0'a,0'b]",
        "[a,b]",
        "0",
        "2",
        "\" x \"",
    ],
    &["0", "1", "-1", "3", "7", "1.5", "2.0", "1r3", "100000000000000000000", "X+1", "2**3", "-7"],
    &[
        "true",
        "fail",
        "member(M,[1,2])",
        "foo(1)",
        "throw(x)",
        "succ",
        "[M]>>(M=1)",
        "[a,b]",
        "[1,2]",
        "plus(1)",
        "(M=1;M=2)",
        "0",
        "1",
    ],
    &[
        "f(P,Q)",
        "f(x)",
        "g(P,h(Q),P)",
        "foo",
        "2",
        "1",
        "[f,x]",
        "[P|Q]",
        "f(P)+1",
        "a",
        "'$VAR'(1)",
    ],
    &["[]", "[a]", "[a,b]", "[1-a]", "[a-[b],b-[]]", "t", "t(k,v,<,t,t)", "k", "a", "b", "[a-b]"],
];

/// Returns goals for a predicate whose `name` is already quoted: one for each argument if its arity is 1,
/// otherwise `count` goals.
pub fn goals(name: &str, arity: usize, count: usize) -> Vec<String> {
    if arity == 0 {
        return vec![name.to_owned()];
    }
    if arity == 1 {
        return ANY.iter().map(|it| call(name, &[it])).collect();
    }
    let mut random = numbers(name, arity);
    let mut all: Vec<String> = (0..count)
        .map(|n| {
            let kind = if n % 2 == 0 { ANY } else { random.pick(KINDS) };
            let args: Vec<&str> = (0..arity)
                .map(|_| if random.below(6) == 0 { "_" } else { random.pick(kind) })
                .collect();
            call(name, &args)
        })
        .collect();
    all.sort();
    all.dedup();
    all
}

/// Returns a call in which each argument has variables of its own, so that their values are reported.
fn call(name: &str, args: &[&str]) -> String {
    let named = |n: usize, arg: &str| match arg {
        "_" => format!("X{n}"),
        "end_of_file" => arg.to_owned(),
        _ => arg
            .replace('P', &format!("P{n}"))
            .replace('Q', &format!("Q{n}"))
            .replace('_', &format!("_G{n}")),
    };
    let args: Vec<String> = args.iter().enumerate().map(|(n, it)| named(n, it)).collect();
    format!("{name}({})", args.join(","))
}

/// Returns a generator whose seed depends only on the predicate, so that a new predicate does not change the
/// goals of others.
fn numbers(name: &str, arity: usize) -> Random {
    let mixed = |seed: u64, byte: u8| (seed ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    Random(name.bytes().fold(arity as u64 + 1, mixed))
}
