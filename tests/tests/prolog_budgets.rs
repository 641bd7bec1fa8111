//! Budgets of the Prolog machine: every budget also holds inside of single operations, and a program can
//! catch the exhaustion of its stack. Budgets are counted in steps and bytes.

use conformance::swipl::Installed;
use prolog::data::Record;
use prolog::{Ending, File, Limits, Machine, Stop};

const PROGRAM: &str = "
x(T, [L|Ls]) :- T =.. [a,L,R], x(R, Ls), !.
x(T, [T]).
grow(X) :- grow(f(X, X)), true.
keep(N) :- assertz(kept(N)), M is N + 1, keep(M).
speak :- write(some_words), speak.
choose :- choose.
choose.
tree(0, a) :- !.
tree(N, f(X, X)) :- M is N - 1, tree(M, X).
hold(G, R) :- catch(G, error(E, _), true), ( var(E) -> R = done ; R = E ).
collect(L) :- findall(X, repeat_value(X), L).
repeat_value(X) :- repeat, X = f(a, b, c).
cyclic(R) :- A = f(A, A, A, B), B = g(A, B), C = f(C, C, C, D), D = g(C, D),
    compare(O, A, C), ( A == C, O == (=), A = C -> R = same ; R = different ).
";

const LIMITS: Limits = Limits { steps: 20_000_000, memory_bytes: 1 << 26 };

/// Returns how a goal ends, and the number of its steps.
fn ending(program: &str, goal: &str, limits: Limits) -> (Ending, u64) {
    let mut library = Installed;
    let mut machine = Machine::new(&mut library);
    let file = File { path: "program.pl".to_owned(), text: program.to_owned() };
    machine.load(&file, &mut library);
    let query = machine.query(goal).expect("a goal");
    let mut solutions = machine.solve(&mut library, &query.record, limits);
    let ending = solutions.next_answer();
    let steps = solutions.machine().steps();
    (ending, steps)
}

fn is_true(goal: &str) {
    let (ending, _) = ending(PROGRAM, goal, LIMITS);
    assert!(matches!(ending, Ending::True { .. }), "{goal}: {ending:?}");
}

#[test]
fn a_program_catches_that_its_stack_is_full() {
    for goal in [
        "x(_, _)",
        "grow(a)",
        "keep(0)",
        "speak",
        "choose",
        "collect(_)",
        "functor(_, f, 10000000000)",
        "compound_name_arity(_, f, 10000000000)",
        "length(_, 100000000000)",
        "numlist(1, 1000000000, _)",
        "tab(100000000000)",
    ] {
        is_true(&format!("hold({goal}, R), R == resource_error(stack)"));
    }
}

#[test]
fn memory_is_available_again_after_a_stack_overflow() {
    is_true(
        "hold(collect(_), _), hold(x(_, _), _), numlist(1, 100000, L), length(L, N), N == 100000",
    );
    is_true(
        "hold(setup_call_cleanup(true, grow(a), nb_setval(cleaned, yes)), _), nb_getval(cleaned, yes)",
    );
    is_true("hold(catch(grow(a), other, true), R), R == resource_error(stack)");
}

#[test]
fn an_uncaught_stack_overflow_ends_the_run() {
    for goal in ["grow(a)", "catch(grow(a), E, throw(E))", "with_output_to(atom(_), grow(a))"] {
        let (ending, _) = ending(PROGRAM, goal, LIMITS);
        assert!(matches!(ending, Ending::Stopped(Stop::Memory)), "{goal}: {ending:?}");
    }
}

/// The work inside a single call is charged as steps.
#[test]
fn large_operations_count_as_steps() {
    for goal in [
        "numlist(1, 100000, L), msort(L, M), length(M, _)",
        "functor(T, f, 1000000), T = f(_)",
        "length(L, 1000000), L = [a]",
    ] {
        let (_, steps) = ending(
            PROGRAM,
            &format!("( {goal} ; true )"),
            Limits { memory_bytes: 1 << 30, ..LIMITS },
        );
        assert!(3_000 < steps, "{goal}: {steps} steps");
    }
}

#[test]
fn terms_that_share_their_parts_are_looked_at_once() {
    is_true("tree(60, X), tree(60, Y), X == Y, X = Y, X @=< Y, ground(X)");
    is_true(
        "tree(60, X), copy_term(X, Y), X == Y, \\+ X \\= Y, term_variables(X, []), findall(X, true, [Z]), Z == X",
    );
    is_true(
        "tree(60, X), catch(throw(X), Y, true), X == Y, nb_setval(k, X), nb_getval(k, Z), X == Z",
    );
    is_true(
        "hold(assertz(t), R), R == done, tree(60, X), hold(assertz(k(X)), S), S == resource_error(stack)",
    );
    is_true("cyclic(same)");
}

/// The message of an uncaught exception is cut off.
#[test]
fn messages_are_short() {
    let mut library = Installed;
    let mut machine = Machine::new(&mut library);
    let file = File { path: "program.pl".to_owned(), text: PROGRAM.to_owned() };
    machine.load(&file, &mut library);
    let query = machine.query("tree(60, X), throw(X)").expect("a goal");
    let mut solutions = machine.solve(&mut library, &query.record, LIMITS);
    let Ending::Exception(ball) = solutions.next_answer() else { panic!("nothing is thrown") };
    assert!(solutions.machine().exception_text(&ball).len() < 1 << 20);
}

/// Directives and expansions of a program share a budget of their own.
#[test]
fn loading_ends() {
    for program in [
        ":- repeat, fail.\np(1).",
        ":- initialization(loop).\nloop :- loop.\np(1).",
        "term_expansion(X, Y) :- term_expansion(X, Y).\np(1).\np(2).",
        "goal_expansion(X, Y) :- goal_expansion(X, Y).\np(1) :- q.\nq.",
    ] {
        let (ending, _) = ending(program, "p(1)", LIMITS);
        assert!(matches!(ending, Ending::True { .. }), "{program}: {ending:?}");
    }
}

/// A record of a goal is made outside of a run, so no budget limits its size.
#[test]
fn a_record_of_shared_parts_is_small() {
    let mut library = Installed;
    let mut machine = Machine::new(&mut library);
    let f = machine.atoms.functor_named("f", 2);
    let mut term = prolog::data::Value::NIL;
    for _ in 0..60 {
        term = machine.heap.structure(f, &[term, term]);
    }
    assert!(Record::new(&machine.heap, &machine.atoms, term).size() < 1 << 16);
}
