//! Random conjunctions, compared with trying all terms of a small pool: no satisfiable query is called unsatisfiable,
//! and every model satisfies its query.

#![expect(clippy::indexing_slicing, reason = "a test may fail")]

use solve::{Answer, Cached, Effort, Query, Solver, Structure, Z3};
use term::{
    Constraint, Conversion, Domain, Expr, ExprId, Exprs, Kind, Model, Op, Term, Type, TypeId,
    Types, Var, all_hold, holds, print_query, read_term, value,
};

const N_QUERIES: u64 = 5_000;

#[test]
fn what_has_a_model_is_not_called_unsatisfiable() {
    let pool = pool();
    let mut solver = Structure::new(Cached::new(Z3::new(Effort(100_000))));
    let (mut n_sat, mut n_unsat, mut n_unknown) = (0, 0, 0);
    for seed in 0..N_QUERIES {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) + 1);
        let made = query(&mut random, &pool);
        let Made { exprs, constraints, hint, domain, witness } = &made;
        let query = Query { exprs, constraints, hint, domain };
        let text = || print_query(exprs, constraints, hint, domain);
        match solver.solve(&query) {
            Answer::Sat(model) => {
                n_sat += 1;
                let is_model = all_hold(exprs, constraints, &model);
                let args: Vec<Term> = model.values.values().cloned().collect();
                assert!(is_model && domain.has(&args), "seed {seed}:\n{}found {model:?}", text());
            }
            Answer::Unsat => {
                n_unsat += 1;
                assert!(witness.is_none(), "seed {seed}:\n{}has {witness:?}", text());
                if let Some(model) = enumerate(&made, &pool) {
                    panic!("seed {seed}:\n{}has {model:?}", text());
                }
            }
            Answer::Unknown(_) => n_unknown += 1,
        }
    }
    let all = n_sat + n_unsat + n_unknown;
    assert!(n_unknown * 100 < all, "{n_sat} sat, {n_unsat} unsat, {n_unknown} unknown");
}

struct Made {
    exprs: Exprs,
    constraints: Vec<Constraint>,
    hint: Model,
    domain: Domain,
    /// The model that the query was made from, if any.
    witness: Option<Model>,
}

fn query(random: &mut Random, pool: &[Term]) -> Made {
    let n_vars = 1 + random.below(2);
    let term = |random: &mut Random| random.pick(pool).clone();
    let mut witness = Model::of((0..n_vars).map(|_| term(random)).collect::<Vec<_>>());
    let domain = if random.below(3) == 0 { domain(random, n_vars) } else { Domain::default() };
    if let Some(args) = domain.args
        && let Some(Term::Tuple(items)) = domain.types.smallest(args)
        && !domain.has(&witness.values.values().cloned().collect::<Vec<_>>())
    {
        witness = Model::of(items);
    }
    let hint = Model::of((0..n_vars).map(|_| term(random)).collect::<Vec<_>>());
    let from_witness = random.below(4) > 0;
    let mut exprs = Exprs::default();
    let mut known: Vec<ExprId> =
        (0..n_vars).map(|it| exprs.var(Var(u32::try_from(it).expect("few")))).collect();
    let mut constraints = Vec::new();
    let ops = ops();
    for _ in 0..200 {
        if constraints.len() > random.below(7) {
            break;
        }
        let op = *random.pick(&ops);
        let n_args = op.arity().unwrap_or(1 + random.below(3));
        let args: Vec<ExprId> = (0..n_args)
            .map(|_| match random.below(3) {
                0 => exprs.constant(random.pick(pool).clone()),
                _ => *random.pick(&known),
            })
            .collect();
        if args.iter().all(|it| matches!(exprs.get(*it), Some(Expr::Const(_)))) {
            continue;
        }
        let expr = exprs.apply(op, &args);
        let Some(found) = value(&exprs, expr, &witness) else {
            if from_witness {
                continue;
            }
            known.push(expr);
            continue;
        };
        if !op.is_test() || random.below(5) == 0 {
            known.push(expr);
            continue;
        }
        let truth = found.as_atom() == Some("true");
        let holds = if from_witness { truth } else { random.below(2) == 0 };
        constraints.push(Constraint { expr, holds });
    }
    let has = domain.has(&witness.values.values().cloned().collect::<Vec<_>>());
    let is_model = has && constraints.iter().all(|it| holds(&exprs, *it, &witness) == Some(true));
    Made { exprs, constraints, hint, domain, witness: is_model.then_some(witness) }
}

fn enumerate(made: &Made, pool: &[Term]) -> Option<Model> {
    let n_vars = made.hint.values.len();
    let is_model = |args: &[Term]| {
        let model = Model::of(args.to_vec());
        (all_hold(&made.exprs, &made.constraints, &model) && made.domain.has(args)).then_some(model)
    };
    if n_vars == 1 {
        return pool.iter().find_map(|it| is_model(std::slice::from_ref(it)));
    }
    pool.iter().find_map(|a| pool.iter().find_map(|b| is_model(&[a.clone(), b.clone()])))
}

fn domain(random: &mut Random, n_vars: usize) -> Domain {
    let mut types = Types::default();
    let leaves = [
        Type::Any,
        Type::Kind(Kind::Integer),
        Type::Kind(Kind::Atom),
        Type::Kind(Kind::Boolean),
        Type::Kind(Kind::Number),
        Type::Kind(Kind::Binary),
        Type::Literal(Term::Nil),
        Type::Literal(Term::atom("a")),
        Type::Range { low: Some(0.into()), high: Some(5.into()) },
        Type::Bits { base: 0, unit: 8 },
    ];
    let mut ids: Vec<TypeId> = leaves.into_iter().map(|it| types.add(it)).collect();
    for _ in 0..6 {
        let id = |random: &mut Random| *random.pick(&ids);
        let made = match random.below(5) {
            0 => Type::List { item: id(random), tail: ids[6], may_be_empty: random.below(2) == 0 },
            1 => Type::Tuple((0..random.below(3)).map(|_| id(random)).collect()),
            2 => Type::Tuple([ids[7], id(random)].into()),
            _ => Type::Union((0..2 + random.below(2)).map(|_| id(random)).collect()),
        };
        ids.push(types.add(made));
    }
    let tuple = |random: &mut Random| -> Type {
        Type::Tuple((0..n_vars).map(|_| ids[ids.len() - 1 - random.below(6)]).collect())
    };
    let one = tuple(random);
    let other = tuple(random);
    let (one, other) = (types.add(one), types.add(other));
    let both = types.add(Type::Union([one, other].into()));
    let args = if random.below(2) == 0 { one } else { both };
    if types.smallest(args).is_none() {
        return Domain::default();
    }
    Domain { types, args: Some(args) }
}

fn ops() -> Vec<Op> {
    let tests = [
        Op::Same,
        Op::Equal,
        Op::Less,
        Op::LessEqual,
        Op::IsTuple(2),
        Op::IsTuple(1),
        Op::IsProper,
        Op::HasKey,
        Op::And,
        Op::Or,
        Op::Not,
        Op::IsFunction(1),
    ];
    let mut res = Vec::new();
    for _ in 0..4 {
        res.extend([
            Op::Same,
            Op::Equal,
            Op::Less,
            Op::LessEqual,
            Op::Head,
            Op::Tail,
            Op::Element(0),
        ]);
    }
    res.extend(tests);
    res.extend(Kind::all().map(Op::IsKind));
    res.extend([
        Op::Element(1),
        Op::Cons,
        Op::Tuple,
        Op::Add,
        Op::Subtract,
        Op::Multiply,
        Op::Divide,
        Op::Quotient,
        Op::Remainder,
        Op::Negate,
        Op::Absolute,
        Op::BitAnd,
        Op::BitOr,
        Op::BitXor,
        Op::BitNot,
        Op::ShiftLeft,
        Op::ShiftRight,
        Op::ToFloat,
        Op::Truncate,
        Op::Round,
        Op::Floor,
        Op::Ceiling,
        Op::Length,
        Op::TupleSize,
        Op::MapSize,
        Op::BitSize,
        Op::Get,
        Op::Put,
        Op::Remove,
        Op::Slice,
        Op::BitsToInteger { is_signed: false, is_little: false },
        Op::BitsToInteger { is_signed: true, is_little: true },
        Op::IntegerToBits { is_little: false },
        Op::Concat,
        Op::Call,
    ]);
    res.extend(Conversion::all().flat_map(|it| [Op::Convert(it), Op::Converts(it)]));
    res
}

fn pool() -> Vec<Term> {
    let texts = [
        "0",
        "1",
        "-1",
        "2",
        "3",
        "8",
        "42",
        "255",
        "-7",
        "100000000000000000000",
        "0.0",
        "1.0",
        "-1.5",
        "42.0",
        "0.5",
        "1.0e30",
        "a",
        "b",
        "true",
        "false",
        "''",
        "'1'",
        "[]",
        "[0]",
        "[1]",
        "[a]",
        "[1,2]",
        "[a|b]",
        "[1|2]",
        "[[]]",
        "[[1],2]",
        "\"12\"",
        "\"-7\"",
        "\"1.5\"",
        "[{a,1}]",
        "[1,2,3]",
        "{}",
        "{a}",
        "{1}",
        "{a,1}",
        "{b,2}",
        "{1,2}",
        "{{a},[]}",
        "{1.0,2}",
        "{a,1,2}",
        "#{}",
        "#{a => 1}",
        "#{1 => b}",
        "#{a => 2,b => 1}",
        "<<>>",
        "<<1>>",
        "<<5:3>>",
        "<<1,2>>",
        "<<\"12\">>",
        "<<255>>",
        "<<0,0,0>>",
        "fun (1) -> a; (_) -> 0 end",
        "fun () -> 1 end",
    ];
    texts.into_iter().map(|it| read_term(it).expect("a term")).collect()
}

/// The pseudo-random generator splitmix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let n = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let n = (n ^ (n >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        n ^ (n >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.next() % n as u64).expect("small")
    }

    fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}
