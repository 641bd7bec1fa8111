//! Compares Prolog builtins on combinations of edge arguments: the same answers in the same order, the same
//! errors.

use conformance::sampled;
use conformance::swipl::check;

const ARGS: &[&str] = &[
    "_",
    "a",
    "[]",
    "''",
    "foo",
    "'A b'",
    "0",
    "1",
    "-1",
    "3",
    "1.5",
    "-0.0",
    "100000000000000000000",
    "f(x)",
    "f(A, B)",
    "[a]",
    "[a, b]",
    "[a|_]",
    "[a|b]",
    "\"ab\"",
    "\"\"",
    "a:b",
    "'1'",
    "(:-)",
    "[0'a, 0'b]",
    "1r3",
];

/// Returns calls with all combinations of arguments; from the third argument on, only every third value is
/// used.
fn crossed(name: &str, arity: usize, args: &[&str]) -> Vec<String> {
    let mut calls: Vec<Vec<&str>> = vec![vec![]];
    for n in 0..arity {
        let some: Vec<&str> =
            if 2 <= n { args.iter().step_by(3).copied().collect() } else { args.to_vec() };
        calls = calls
            .into_iter()
            .flat_map(|call| some.iter().map(move |it| [call.clone(), vec![*it]].concat()))
            .collect();
    }
    // Variables get distinct names, so that their values are reported.
    let name_variables = |call: Vec<&str>| {
        let args: Vec<String> = call
            .iter()
            .enumerate()
            .map(|(n, it)| match *it {
                "_" => format!("X{n}"),
                other => other.replace('A', &format!("A{n}")).replace('B', &format!("B{n}")),
            })
            .collect();
        format!("{name}({})", args.join(", "))
    };
    calls.into_iter().map(name_variables).collect()
}

fn check_all(names: &[(&str, usize)]) {
    let goals: Vec<String> =
        names.iter().flat_map(|(name, arity)| crossed(name, *arity, ARGS)).collect();
    check("", &goals);
}

#[test]
fn types_and_comparison() {
    check_all(&[
        ("var", 1),
        ("atom", 1),
        ("integer", 1),
        ("number", 1),
        ("atomic", 1),
        ("callable", 1),
        ("is_list", 1),
        ("ground", 1),
        ("compound", 1),
        ("float", 1),
        ("string", 1),
        ("rational", 1),
        ("=", 2),
        ("\\=", 2),
        ("==", 2),
        ("@<", 2),
        ("@>=", 2),
        ("=@=", 2),
        ("compare", 3),
        ("unify_with_occurs_check", 2),
    ]);
}

#[test]
fn terms() {
    check_all(&[
        ("functor", 3),
        ("arg", 3),
        ("=..", 2),
        ("copy_term", 2),
        ("term_variables", 2),
        ("compound_name_arity", 3),
        ("compound_name_arguments", 3),
    ]);
}

#[test]
fn lists_and_numbers() {
    check_all(&[
        ("length", 2),
        ("msort", 2),
        ("sort", 2),
        ("memberchk", 2),
        ("member", 2),
        ("nth0", 3),
        ("nth1", 3),
        ("between", 3),
        ("succ", 2),
        ("plus", 3),
    ]);
}

#[test]
fn functions() {
    let numbers = [
        "0",
        "1",
        "-1",
        "7",
        "-7",
        "2.5",
        "-0.5",
        "0.0",
        "1.0e300",
        "100000000000000000000",
        "1r3",
        "foo",
        "_",
    ];
    let mut goals = Vec::new();
    for name in [
        "-",
        "+",
        "abs",
        "sign",
        "sqrt",
        "sin",
        "atan",
        "exp",
        "float",
        "integer",
        "truncate",
        "round",
        "ceiling",
        "floor",
        "\\",
        "float_fractional_part",
        "rational",
        "rationalize",
    ] {
        goals.extend(numbers.iter().map(|x| format!("X is {name}({})", x.replace('_', "Y"))));
    }
    for name in [
        "+", "-", "*", "/", "//", "mod", "rem", "div", "min", ">>", "<<", "/\\", "\\/", "xor",
        "gcd", "atan2", "rdiv",
    ] {
        for x in numbers {
            for y in numbers {
                let huge = y.len() > 9 && matches!(name, "**" | "^" | "<<" | ">>");
                if !huge {
                    goals.push(format!(
                        "X is '{name}'({}, {})",
                        x.replace('_', "Y"),
                        y.replace('_', "Z")
                    ));
                }
            }
        }
    }
    check(
        "",
        &goals
            .iter()
            .map(|it| {
                it.replace("'\\'", "'\\\\'")
                    .replace("'/\\'", "'/\\\\'")
                    .replace("'\\/'", "'\\\\/'")
                    .replace("is \\(", "is \\ (")
            })
            .collect::<Vec<_>>(),
    );
}

#[test]
fn sub_atoms() {
    let mut goals = Vec::new();
    for text in ["abc", "''", "\"ab\"", "12", "X"] {
        for before in ["B", "0", "1", "5", "a", "-1"] {
            for length in ["L", "0", "2", "9"] {
                for after in ["A", "1"] {
                    for sub in ["S", "b", "\"b\"", "''", "bc"] {
                        goals.push(format!("sub_atom({text}, {before}, {length}, {after}, {sub})"));
                        goals.push(format!(
                            "sub_string({text}, {before}, {length}, {after}, {sub})"
                        ));
                    }
                }
            }
        }
    }
    check("", &goals);
}

/// Texts of every kind, and terms that are not texts, in both directions.
#[test]
fn texts() {
    let args = [
        "_", "abc", "''", "[]", "12", "1.5", "\"ab\"", "f(x)", "[a]", "[0'a]", "[a|_]", "[a|b]",
        "[f(x)]", "[_]", "[-1]", "[foo]",
    ];
    let names = [
        "atom_codes",
        "atom_chars",
        "number_codes",
        "number_chars",
        "atom_number",
        "number_string",
        "atom_length",
        "string_length",
        "upcase_atom",
        "string_lower",
        "atom_string",
        "string_to_atom",
        "string_chars",
        "string_codes",
        "text_to_string",
        "atomic_list_concat",
    ];
    let goals: Vec<String> = names.iter().flat_map(|name| crossed(name, 2, &args)).collect();
    check("", &goals);
}

/// Goals as people write them, one per line.
#[test]
fn goals() {
    let goals: Vec<String> = include_str!("prolog_goals.txt").lines().map(str::to_owned).collect();
    check("", &goals);
}

/// Random combinations of arguments of every kind, for every builtin and much of the library. The file lists
/// the predicates, and the reasons why some are not compared.
#[test]
fn sampled() {
    let lines = include_str!("prolog_predicates.txt").lines();
    let (different, predicates): (Vec<&str>, Vec<&str>) =
        lines.filter(|it| !it.starts_with('%')).partition(|it| it.starts_with("! "));
    let mut goals: Vec<String> = predicates
        .into_iter()
        .flat_map(|it| {
            let (name, arity) = it.rsplit_once('/').expect("an indicator");
            sampled::goals(name, arity.parse().expect("an arity"), 14)
        })
        .collect();
    let n_drawn = goals.len();
    goals.retain(|goal| !different.iter().any(|it| it[2..] == *goal));
    assert_eq!(n_drawn - goals.len(), different.len(), "each of them is drawn");
    assert!(10_000 < goals.len(), "{}", goals.len());
    check("", &goals);
}

/// Every builtin is listed in the file.
#[test]
fn all_are_named() {
    let named: Vec<String> = include_str!("prolog_predicates.txt")
        .lines()
        .map(|it| it.trim_start_matches("% ").replace('\'', "").replace("\\\\", "\\"))
        .collect();
    let goal = "forall(( predicate_property(system:H, visible), functor(H, N, A), \\+ sub_atom(N, 0, _, _, $) ), \
                format(\"~w/~w~n\", [N, A]))";
    let builtins = conformance::swipl::ours("", &[goal.to_owned()]).concat();
    let builtins: Vec<&str> = builtins.lines().filter(|it| it.contains('/')).collect();
    assert!(400 < builtins.len(), "{}", builtins.len());
    let missing: Vec<&&str> =
        builtins.iter().filter(|it| !named.iter().any(|name| name == *it)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
