//! Deep recursion and long loops work within their budgets; what exceeds one ends by its name; and
//! a run leaves nothing behind.
#![expect(clippy::disallowed_methods, reason = "it asks the system how much memory it has")]

use beam::{Otp, Target};
use erlang::builtins::Stop;
use erlang::machine::Limits;
use erlang::{Machine, Outcome, Settings};
use std::path::Path;
use term::{Atom, Term, read_call};
use values::NoTerm;

fn machine(limits: Limits) -> Machine {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("budgets/budgets.erl");
    let target = Target::resolve(&source.to_string_lossy()).expect("the program is there");
    let mut otp = Otp::new(beam::Settings::default()).expect("OTP is installed");
    otp.add_target(&target).expect("OTP takes the program");
    Machine::new(Box::new(otp), Settings { limits, ..Settings::default() })
}

fn outcome(limits: Limits, call: &str) -> Outcome {
    let call = read_call(call).expect("a call");
    let run = machine(limits).call(&call.module, &call.function, &call.args);
    run.expect("the machine works").outcome
}

fn check_value(call: &str, expected: &Term) {
    let limits = Limits { memory_bytes: 1 << 30, ..Limits::default() };
    assert_eq!(outcome(limits, call), Outcome::Value(expected.clone()), "{call}");
}

fn check_stop(limits: Limits, call: &str, expected: &Stop) {
    assert_eq!(outcome(limits, call), Outcome::Stopped(expected.clone()), "{call}");
}

#[test]
fn depth_and_length_cost_memory_only_where_they_must() {
    check_value("budgets:deep(1000000)", &Term::Int(1_000_000));
    check_value("budgets:foldr(1000000)", &Term::Int(500_000_500_000));
    check_value("budgets:garbage(2000000)", &Term::Int(1));
    let little = Limits { memory_bytes: 32 << 20, ..Limits::default() };
    assert_eq!(outcome(little, "budgets:tail(10000000)"), Outcome::Value(Term::atom("done")));
}

#[test]
fn waiting_takes_no_time_of_ours() {
    check_value("budgets:later(3600000)", &Term::atom("later"));
}

#[test]
fn every_budget_has_an_outcome_of_its_own() {
    let limits = || Limits { memory_bytes: 64 << 20, ..Limits::default() };
    let few = Limits { reductions: 100_000, ..limits() };
    check_stop(few, "budgets:forever()", &Stop::OutOfReductions);
    check_stop(limits(), "budgets:hog([])", &Stop::OutOfMemory);
    check_stop(limits(), "budgets:deep(100000000)", &Stop::OutOfMemory);
    let few = Limits { atoms: 10_000, ..limits() };
    check_stop(few, "budgets:atoms(0)", &Stop::TooManyAtoms);
    let few = Limits { integer_bits: 1 << 20, ..limits() };
    check_stop(few, "budgets:square(3)", &Stop::IntegerTooLarge);
    let few = Limits { processes: 1000, ..limits() };
    check_stop(few, "budgets:bomb()", &Stop::TooManyProcesses);
    assert!(matches!(outcome(limits(), "budgets:stuck()"), Outcome::Deadlock { .. }));
}

#[test]
fn single_operations_are_charged_by_their_work() {
    let few = || Limits { reductions: 1_000_000, memory_bytes: 64 << 20, ..Limits::default() };
    for call in [
        "budgets:factorial(1000000)",
        "budgets:power(3, 20000000)",
        "budgets:digits(2000000)",
        "budgets:number(3000000)",
        "budgets:hashed(1)",
        "budgets:flat(1)",
        "budgets:iolist()",
        "budgets:again([1,2,3,4,5,6,7,8,9,10])",
    ] {
        check_stop(few(), call, &Stop::OutOfReductions);
    }
}

#[test]
fn sizes_are_checked_before_anything_is_made() {
    let little = || Limits { memory_bytes: 64 << 20, ..Limits::default() };
    for call in [
        "budgets:double([1])",
        "budgets:zeros(100000000000000)",
        "budgets:copies(1000000000000)",
        "budgets:bytes(50000000)",
        "budgets:encoded(1)",
        "budgets:wide(1000000000)",
        "budgets:letters(1)",
    ] {
        let before = peak_kib();
        check_stop(little(), call, &Stop::OutOfMemory);
        let grown = peak_kib().saturating_sub(before);
        assert!(grown < 400 << 10, "{call} took {grown} KiB with 64 MiB allowed");
    }
}

#[test]
fn shared_parts_stay_shared() {
    let expected = Term::Tuple(["true", "true", "true", "true"].map(Term::atom).to_vec());
    check_value("budgets:equal(1)", &expected);
    check_value("budgets:kept()", &Term::atom("kept"));
    check_value("budgets:nests(1000000)", &Term::atom("true"));
    let little = || Limits { memory_bytes: 64 << 20, ..Limits::default() };
    let too_large = Outcome::NoTerm(NoTerm::TooLarge);
    for call in ["budgets:shared(1)", "budgets:cells(1)", "budgets:maps(1)", "budgets:raised(1)"] {
        assert_eq!(outcome(little(), call), too_large, "{call}");
    }
    // What the parts of a binary have in common is copied as often as it occurs.
    assert_eq!(outcome(little(), "budgets:parts(1000)"), too_large);
}

/// Terms may be nested 100,000 levels deep, which native recursion over them needs a large stack for.
#[test]
fn depth_is_checked() {
    let check = || {
        let outcome = outcome(Limits::default(), "budgets:nest(1000000, a)");
        assert_eq!(outcome, Outcome::NoTerm(NoTerm::TooDeep));
        let outcome = self::outcome(Limits::default(), "budgets:nest(99000, a)");
        assert!(matches!(outcome, Outcome::Value(_)));
    };
    let worker = std::thread::Builder::new().stack_size(1 << 30).spawn(check).expect("a thread");
    assert!(worker.join().is_ok());
}

#[test]
fn runs_leave_nothing_behind() {
    let mut machine = machine(Limits::default());
    let (module, function) = (Atom::new("budgets"), Atom::new("small"));
    let call = read_call("budgets:small([1, {2, abc}, 3])").expect("a call");
    let mut runs = |n: usize| {
        for _ in 0..n {
            let run = machine.call(&module, &function, &call.args).expect("the machine works");
            assert_eq!(run.outcome, Outcome::Value(Term::Int(9)));
        }
    };
    runs(1000);
    let before = resident_kib();
    runs(100_000);
    let grown = resident_kib().saturating_sub(before);
    assert!(grown < 4096, "100,000 runs made the process {grown} KiB larger");
}

fn resident_kib() -> u64 {
    kib("VmRSS")
}

/// The most memory that this process ever had.
fn peak_kib() -> u64 {
    kib("VmHWM")
}

fn kib(field: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find(|it| it.starts_with(field)).expect("a size");
    line.split_whitespace().nth(1).and_then(|it| it.parse().ok()).expect("a number")
}
