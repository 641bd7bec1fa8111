//! Every pure native builtin on edge values, compared with BEAM.

use conformance::{Answer, Call, Kinds, Native, Random, Report, beam_results};
use erlang::builtins::{Builtin, Effect, How, all};
use num_bigint::BigInt;
use term::{Atom, Pid, Reference, Term, read_term};

/// Samples of builtins with three or more arguments, and of the kinds written for one.
const N_SAMPLES: usize = 4_000;
/// Calls that one start of BEAM answers.
const BATCH: usize = 150_000;

#[test]
fn pure_builtins_answer_as_on_beam() {
    let edges = edges();
    let mut kinds = Kinds::default();
    kinds.define("Any", edges.clone());
    kinds.add(include_str!("bif_kinds.txt"));
    let written = kinds.calls(&mut Random(1), N_SAMPLES);

    let (mut report, mut batch) = (Report::default(), Vec::new());
    for row in rows() {
        let crossed = crossed(row, &edges);
        let written = written.iter().filter(|it| is_of(it, row)).cloned();
        for call in crossed.into_iter().chain(written).filter(|it| !is_excluded(it)) {
            batch.push((row, call));
            if batch.len() == BATCH {
                compare(&mut report, &std::mem::take(&mut batch));
            }
        }
    }
    compare(&mut report, &batch);
    assert!(N_EXPECTED < report.n_cases(), "only {} cases", report.n_cases());
    report.expect_no_difference();
}

/// A table that lost its rows must not pass.
const N_EXPECTED: usize = 200_000;

/// Kinds that are written for builtins which are gone would test nothing.
#[test]
fn every_written_kind_belongs_to_a_builtin() {
    let mut kinds = Kinds::default();
    kinds.define("Any", edges());
    kinds.add(include_str!("bif_kinds.txt"));
    for call in kinds.calls(&mut Random(1), 1) {
        let arity = call.args.len();
        let has_row = all().any(|it| is_of(&call, it));
        assert!(has_row, "{}:{}/{arity}", call.module.as_str(), call.function.as_str());
    }
}

fn rows() -> impl Iterator<Item = &'static Builtin> {
    all().filter(|it| it.effect == Effect::Pure && matches!(it.how, How::Native(_)))
}

fn is_of(call: &Call, row: &Builtin) -> bool {
    call.module.as_str() == row.module
        && call.function.as_str() == row.name
        && call.args.len() == usize::from(row.arity)
}

/// All values for one argument, all pairs for two, samples beyond.
fn crossed(row: &Builtin, edges: &[Term]) -> Vec<Call> {
    let args: Vec<Vec<Term>> = match row.arity {
        0 => vec![vec![]],
        1 => edges.iter().map(|it| vec![it.clone()]).collect(),
        2 => edges
            .iter()
            .flat_map(|left| edges.iter().map(|right| vec![left.clone(), right.clone()]))
            .collect(),
        arity => {
            let mut random = Random(u64::from(arity));
            let mut sample = || (0..arity).map(|_| random.pick(edges).clone()).collect();
            (0..N_SAMPLES).map(|_| sample()).collect()
        }
    };
    let (module, function) = (Atom::new(row.module), Atom::new(row.name));
    let call = |args| Call { module: module.clone(), function: function.clone(), args };
    args.into_iter().map(call).collect()
}

fn compare(report: &mut Report, batch: &[(&Builtin, Call)]) {
    let calls: Vec<Call> = batch.iter().map(|(_, call)| call.clone()).collect();
    let mut native = Native::default();
    for ((row, call), theirs) in batch.iter().zip(beam_results(&calls)) {
        let ours = native.call(row, &call.args);
        let (ours, theirs) = (settled(call, ours), settled(call, theirs));
        report.compare(call, &ours, &theirs);
    }
}

/// Builtins whose results list the contents of a map. BEAM orders a map of more than 32 keys by
/// hashes of words that differ from start to start; an answer in any order is right.
const IN_MAP_ORDER: &[(&str, &str, usize)] =
    &[("maps", "keys", 1), ("maps", "values", 1), ("maps", "to_list", 1)];

fn settled(call: &Call, answer: Answer) -> Answer {
    let name = (call.module.as_str(), call.function.as_str(), call.args.len());
    let is_large = call.args.iter().any(|it| matches!(it, Term::Map(pairs) if pairs.len() > 32));
    match answer {
        Answer::Value(value) if is_large && IN_MAP_ORDER.contains(&name) => {
            let mut items = value.as_list().unwrap_or_default().to_vec();
            items.sort_by(Term::cmp_exact);
            Answer::Value(Term::proper_list(items))
        }
        other => other,
    }
}

/// Calls that can't be compared, each with its reason.
const EXCLUDED: &[(&str, fn(&Call) -> bool, &str)] = &[
    ("erlang:bsl", shifts_far, "BEAM would build an integer of gigabytes"),
    ("erlang:bsr", shifts_far, "BEAM would build an integer of gigabytes"),
    ("binary:copy", |it| above(it, 1, 1_000_000), "BEAM would build a binary of gigabytes"),
    ("erlang:make_tuple", |it| above(it, 0, 100_000), "BEAM would build a tuple of gigabytes"),
];

fn is_excluded(call: &Call) -> bool {
    let name = format!("{}:{}", call.module.as_str(), call.function.as_str());
    EXCLUDED.iter().any(|(it, applies, _)| *it == name && applies(call))
}

fn shifts_far(call: &Call) -> bool {
    let far = 100_000_i64..(1 << 40);
    call.args.get(1).and_then(Term::as_int).is_some_and(|it| far.contains(&it.saturating_abs()))
}

fn above(call: &Call, place: usize, most: i64) -> bool {
    match call.args.get(place) {
        Some(Term::Int(value)) => *value > most,
        Some(Term::Big(value)) => **value > BigInt::from(most),
        _ => false,
    }
}

fn edges() -> Vec<Term> {
    let written = include_str!("edges.txt").lines();
    let mut res: Vec<Term> = written.map(|it| read_term(it).expect(it)).collect();
    let node = || Atom::new("nonode@nohost");
    res.extend([77, 78].map(|id| Term::Pid(Pid { node: node(), id, serial: 0, creation: 0 })));
    res.extend([5, 6].map(|n| {
        Term::Ref(Reference { node: node(), creation: 0, words: vec![n, 1, 0] })
    }));
    res
}
