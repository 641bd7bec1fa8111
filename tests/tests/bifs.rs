//! Compares every pure native builtin on edge values with BEAM.

use conformance::{Answer, Call, Kinds, Native, Random, Report, beam_results};
use erlang::builtins::{Builtin, Effect, How, all};
use num_bigint::BigInt;
use std::sync::mpsc::sync_channel;
use std::thread;
use term::{Atom, Pid, Port, Reference, Term, read_term};

/// The number of samples for builtins with three or more arguments, and for those with kinds of their own.
const N_SAMPLES: usize = 4_000;
/// The number of calls that one start of BEAM answers.
const BATCH: usize = 60_000;

#[test]
fn pure_builtins_answer_as_on_beam() {
    let edges = Edges::read();
    let mut kinds = Kinds::default();
    kinds.define("Any", edges.all.clone());
    kinds.add(include_str!("bif_kinds.txt"));
    let written = kinds.calls(&mut Random(1), N_SAMPLES);

    let mut cases = Vec::new();
    for row in rows() {
        let written = written.iter().filter(|it| is_of(it, row)).cloned();
        let calls = edges.calls(row).into_iter().chain(written).filter(|it| !is_excluded(it));
        cases.extend(calls.map(|it| (row, it)));
    }
    let report = compare(&cases);
    assert!(N_EXPECTED < report.n_cases(), "only {} cases", report.n_cases());
    report.expect_no_difference();
}

/// The minimum number of compared calls, so that a table that lost its rows does not pass.
const N_EXPECTED: usize = 200_000;

/// Every kind in the file must belong to an existing builtin.
#[test]
fn every_written_kind_belongs_to_a_builtin() {
    let mut kinds = Kinds::default();
    kinds.define("Any", Edges::read().all);
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

/// Compares the answers; BEAM answers the next batch in parallel.
fn compare(cases: &[(&Builtin, Call)]) -> Report {
    let batches: Vec<&[(&Builtin, Call)]> = cases.chunks(BATCH).collect();
    let batches = batches.as_slice();
    let mut report = Report::default();
    thread::scope(|scope| {
        // Each side owns one end of the channel: if one fails, the other one notices instead of waiting.
        let (sender, answers) = sync_channel(1);
        scope.spawn(move || {
            for batch in batches {
                let calls: Vec<Call> = batch.iter().map(|(_, call)| call.clone()).collect();
                sender.send(beam_results(&calls)).expect("somebody compares");
            }
        });
        let mut native = Native::default();
        for batch in batches {
            let theirs = answers.recv().expect("BEAM answers");
            for ((row, call), theirs) in batch.iter().zip(theirs) {
                let ours = settled(call, native.call(row, &call.args));
                report.compare(call, &ours, &settled(call, theirs));
            }
        }
    });
    report
}

/// Builtins whose results list the contents of a map. BEAM orders a map of more than 32 keys by hashes that
/// differ between starts, so their results are compared without regard to order.
const IN_MAP_ORDER: &[(&str, &str, usize)] =
    &[("maps", "keys", 1), ("maps", "values", 1), ("maps", "to_list", 1)];

fn settled(call: &Call, answer: Answer) -> Answer {
    let name = (call.module.as_str(), call.function.as_str(), call.args.len());
    let is_large = call.args.iter().any(|it| matches!(it, Term::Map(pairs) if pairs.len() > 32));
    if let Answer::Value(value) = &answer
        && is_large
        && IN_MAP_ORDER.contains(&name)
    {
        let mut items = value.as_list().unwrap_or_default().to_vec();
        items.sort_by(Term::cmp_exact);
        return Answer::Value(Term::proper_list(items));
    }
    answer
}

/// A class of calls that cannot be compared, and the reason.
struct Exclusion {
    function: &'static str,
    applies: fn(&Call) -> bool,
    _reason: &'static str,
}

const fn exclude(
    function: &'static str,
    applies: fn(&Call) -> bool,
    reason: &'static str,
) -> Exclusion {
    Exclusion { function, applies, _reason: reason }
}

const EXCLUDED: &[Exclusion] = &[
    exclude("erlang:bsl", shifts_far, "BEAM would build an integer of gigabytes"),
    exclude("erlang:bsr", shifts_far, "BEAM would build an integer of gigabytes"),
    exclude("binary:copy", |it| above(it, 1, 1_000_000), "BEAM would build gigabytes"),
    exclude("erlang:make_tuple", |it| above(it, 0, 100_000), "BEAM would build gigabytes"),
    exclude(
        "erts_internal:map_next",
        |it| it.args.first() != Some(&Term::Int(0)),
        "each runtime has paths of its own into a map",
    ),
    exclude("erlang:md5_init", |_| true, "BEAM leaves the unused part of the state as it found it"),
    exclude(
        "erlang:posixtime_to_universaltime",
        |it| !above(it, 0, -62_167_219_201),
        "before the year 0 BEAM is a day off now and then",
    ),
    exclude("erlang:pid_to_list", is_foreign, "each runtime has numbers of its own for nodes"),
    exclude("erlang:port_to_list", is_foreign, "each runtime has numbers of its own for nodes"),
    exclude("erlang:ref_to_list", is_foreign, "each runtime has numbers of its own for nodes"),
    exclude("binary:compile_pattern", |_| true, "each runtime has patterns of its own"),
    exclude("erlang:term_to_binary", has_large_map, "BEAM writes large maps in hash order"),
    exclude("erlang:term_to_binary", is_compressed, "each compressor has its own ways to be short"),
];

fn is_excluded(call: &Call) -> bool {
    let name = format!("{}:{}", call.module.as_str(), call.function.as_str());
    EXCLUDED.iter().any(|it| it.function == name && (it.applies)(call))
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

/// Whether an argument contains a map of more than 32 keys.
fn has_large_map(call: &Call) -> bool {
    call.args.iter().any(holds_large_map)
}

fn holds_large_map(term: &Term) -> bool {
    term.has_part(|it| matches!(it, Term::Map(pairs) if pairs.len() > 32))
}

fn is_foreign(call: &Call) -> bool {
    let node = match call.args.first() {
        Some(Term::Pid(it)) => &it.node,
        Some(Term::Port(it)) => &it.node,
        Some(Term::Ref(it)) => &it.node,
        _ => return false,
    };
    node.as_str() != "nonode@nohost"
}

fn is_compressed(call: &Call) -> bool {
    let compressed = Term::atom("compressed");
    let options = call.args.get(1).and_then(Term::as_list).unwrap_or_default();
    options.iter().any(|it| match it.as_tuple() {
        Some(parts) => parts.first() == Some(&compressed),
        None => *it == compressed,
    })
}

/// Returns pids, ports and references of other nodes, or of earlier incarnations of this node. The first list
/// is combined with all values.
fn of_other_nodes() -> (Vec<Term>, Vec<Term>) {
    let (node, here) = (|| Atom::new("a@h"), || Atom::new("nonode@nohost"));
    let pid = |node, id, serial, creation| Term::Pid(Pid { node, id, serial, creation });
    let port = |node, id, creation| Term::Port(Port { node, id, creation });
    let reference = |node, creation, words: &[u32]| {
        Term::Ref(Reference { node, creation, words: words.to_vec() })
    };
    let crossed =
        vec![pid(node(), 77, 0, 7), port(node(), 12, 7), reference(node(), 7, &[5, 1, 0])];
    let others = vec![
        pid(node(), 77, 0, 8),
        pid(here(), 77, 0, 3),
        pid(Atom::new("b@h"), u32::MAX, u32::MAX, u32::MAX),
        port(here(), 12, 0),
        port(node(), u64::MAX - 1, 7),
        // References have the same length, because BEAM puts equal ones of different lengths twice into a
        // large map.
        reference(node(), 7, &[5, 2, 1]),
        reference(here(), 0, &[5, 1, 9]),
        reference(here(), 3, &[5, 1, 0]),
    ];
    (crossed, others)
}

struct Edges {
    all: Vec<Term>,
    /// The number of values, from the first one on, that are combined with each other.
    n_crossed: usize,
}

impl Edges {
    fn read() -> Edges {
        let (crossed, sampled) = include_str!("edges.txt").split_once("%").expect("two parts");
        let read = |it: &str| read_term(it).expect("a term");
        let mut all: Vec<Term> = crossed.lines().map(read).collect();
        let node = || Atom::new("nonode@nohost");
        all.extend([77, 78].map(|id| Term::Pid(Pid { node: node(), id, serial: 0, creation: 0 })));
        all.extend(
            [5, 6]
                .map(|n| Term::Ref(Reference { node: node(), creation: 0, words: vec![n, 1, 0] })),
        );
        let (crossed, others) = of_other_nodes();
        all.extend(crossed);
        let n_crossed = all.len();
        all.extend(others);
        all.extend(sampled.lines().skip(1).map(read));
        Edges { all, n_crossed }
    }

    /// Returns calls with all values for one argument, all pairs for two, and random samples for more.
    fn calls(&self, row: &Builtin) -> Vec<Call> {
        let mut random = Random(u64::from(row.arity));
        let mut sample = || (0..row.arity).map(|_| random.pick(&self.all).clone()).collect();
        let crossed = self.all.get(..self.n_crossed).unwrap_or_default();
        let mut args: Vec<Vec<Term>> = match row.arity {
            0 => vec![vec![]],
            1 => self.all.iter().map(|it| vec![it.clone()]).collect(),
            2 => crossed
                .iter()
                .flat_map(|left| crossed.iter().map(|right| vec![left.clone(), right.clone()]))
                .collect(),
            _ => vec![],
        };
        if 2 <= row.arity {
            args.extend((0..N_SAMPLES).map(|_| sample()));
        }
        let (module, function) = (Atom::new(row.module), Atom::new(row.name));
        let call = |args| Call { module: module.clone(), function: function.clone(), args };
        args.into_iter().map(call).collect()
    }
}
