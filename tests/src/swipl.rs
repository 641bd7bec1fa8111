//! Runs goals on our Prolog machine and on SWI-Prolog, many goals per start of `swipl`.
//!
//! Both run the same harness, written in Prolog. It prints the answers of a goal, how it ended, and whether
//! the last answer left a choice point. Of errors only the formal part is compared; contexts are for people.

use prolog::data::{FunctorId, Record, Value};
use prolog::{Ending, File, Library, Limits, Machine};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The directory of SWI-Prolog's library.
pub const LIBRARY: &str = "/usr/lib/swi-prolog/library";

const HARNESS: &str = r#"
'$res'(G, Vs) :-
    nb_setval('$acc', []), nb_setval('$n', 0), nb_setval('$end', end),
    catch(( '$run'(G, Vs) -> End = more ; nb_getval('$end', End) ), E, End = err(E)),
    nb_getval('$acc', A0), reverse(A0, A),
    forall(member(X, A), ( write(X), write(' ; ') )),
    '$end'(End), nl.
'$run'(G, Vs) :-
    call_cleanup(G, Last = true),
    ( Last == true -> nb_setval('$end', end) ; nb_setval('$end', tried) ),
    '$text'(Vs, T),
    nb_getval('$acc', A), nb_setval('$acc', [T|A]),
    nb_getval('$n', N), N1 is N + 1, nb_setval('$n', N1), N1 >= 10.
'$text'(Vs, T) :-
    copy_term(Vs, C0, Gs), ( Gs == [] -> C = C0 ; C = C0-Gs ), numbervars(C, 0, _),
    with_output_to(atom(T), write_term(C, [quoted(true), numbervars(true)])).
'$end'(more) :- write('...').
'$end'(end) :- write(end).
'$end'(tried) :- write('a choice point was left').
'$end'(err(E)) :- ( nonvar(E), E = error(F0, _) -> F = F0 ; F = E ), '$text'(F, T), write(T).
'$all'(File) :-
    open(File, read, S), repeat,
    read_term(S, G, [variable_names(Bs)]),
    (   G == end_of_file -> !, close(S)
    ;   findall(V, ( member(B, Bs), B = (_ = V) ), _), '$values'(Bs, Vs),
        write('%%%'), nl, '$bounded'(G, Vs), fail
    ).
% Nothing stays of a goal, and one that goes on for long is given up.
'$bounded'(G, Vs) :-
    call_with_inference_limit(catch(snapshot('$res'(G, Vs)), _, true), 2000000, R),
    ( R == inference_limit_exceeded -> nl, write('Steps'), nl ; true ).
'$values'([], []).
'$values'([_ = V|Bs], [V|Vs]) :- '$values'(Bs, Vs).
"#;

/// Returns SWI-Prolog's answer to each goal. Panics if SWI-Prolog is not installed.
pub fn swipl(program: &str, goals: &[String]) -> Vec<String> {
    let dir =
        std::env::temp_dir().join(format!("gimlet-prolog-{}-{}", std::process::id(), goals.len()));
    fs::create_dir_all(&dir).expect("a directory for the questions");
    let (source, questions) = (dir.join("program.pl"), dir.join("goals.txt"));
    fs::write(&source, format!("{HARNESS}\n{program}")).expect("the program is written");
    let mut text = String::new();
    for goal in goals {
        writeln!(text, "{goal} .").expect("strings can be written to");
    }
    fs::write(&questions, text).expect("the goals are written");
    let goal = format!("'$all'('{}')", questions.display());
    let out = Command::new("swipl")
        .args(["-q", "-f", "none", "-g", &goal, "-t", "halt"])
        .arg(&source)
        .stdin(std::process::Stdio::null())
        .output()
        .expect("swipl is installed");
    fs::remove_dir_all(&dir).expect("the directory can be removed");
    let answers: Vec<String> = String::from_utf8_lossy(&out.stdout)
        .split("%%%\n")
        .skip(1)
        .map(|it| it.trim_end().to_owned())
        .collect();
    assert_eq!(answers.len(), goals.len(), "{}", String::from_utf8_lossy(&out.stderr));
    answers
}

/// Returns the output of `run_tests` on SWI-Prolog to `user_error`, without times and directories.
pub fn swipl_units(path: &Path) -> String {
    let out = Command::new("swipl")
        .args(["-g", "run_tests", "-t", "halt"])
        .arg(path)
        .output()
        .expect("swipl is installed");
    let text = String::from_utf8_lossy(&out.stderr).into_owned();
    without_times(&without_directory(&text, path).replace("ERROR: -g run_tests: false\n", ""))
}

fn without_directory(text: &str, path: &Path) -> String {
    let dir = path.parent().map(|it| format!("{}/", it.display())).unwrap_or_default();
    without_addresses(&text.replace(&dir, ""))
}

/// Returns the output of `run_tests` on our machine.
pub fn our_units(path: &Path) -> String {
    let mut library = Installed;
    let mut machine = Machine::new(&mut library);
    let file = read(path).expect("the tests are there");
    let report = machine.load_program(&file, &mut library);
    assert!(report.errors.is_empty(), "{:?}", report.errors);
    let limits = Limits { steps: 20_000_000, memory_bytes: 1 << 28 };
    let goal = machine.read_text("run_tests-[]").expect("a goal");
    let query = Record::new(&machine.heap, &machine.atoms, goal.term);
    let mut solutions = machine.solve(&mut library, &query, limits);
    let ending = solutions.next_answer();
    assert!(matches!(ending, Ending::True { .. } | Ending::False), "{ending:?}");
    without_times(&without_directory(solutions.machine().error_text(), path))
}

fn without_times(text: &str) -> String {
    let is_time = |it: &str| !it.is_empty() && it.chars().all(|c| c.is_ascii_digit() || c == '.');
    let word = |it: &'_ str| {
        if is_time(it) && it.contains('.') { "TIME".to_owned() } else { it.to_owned() }
    };
    text.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

/// Returns our machine's answer to each goal.
pub fn ours(program: &str, goals: &[String]) -> Vec<String> {
    let mut library = Installed;
    let mut machine = Machine::new(&mut library);
    // Garbage is collected at every check, so that a value that is lost is noticed.
    machine.collect_from = 0;
    let file = File { path: "program.pl".to_owned(), text: format!("{HARNESS}\n{program}") };
    let report = machine.load_program(&file, &mut library);
    assert!(report.errors.is_empty(), "{:?}", report.errors);
    goals.iter().map(|it| answer(&mut machine, &mut library, it)).collect()
}

fn answer(machine: &mut Machine, library: &mut Installed, goal: &str) -> String {
    let read = match machine.read_text(goal) {
        Ok(read) => read,
        Err(error) => return format!("syntax: {error}"),
    };
    let values: Vec<Value> = read.variables.iter().map(|it| it.1).collect();
    let values = machine.heap.list(&values);
    let functor = machine.atoms.functor_named("$res", 2);
    let goal = machine.heap.structure(functor, &[read.term, values]);
    let query = machine.heap.structure(FunctorId::PAIR, &[goal, Value::NIL]);
    let query = Record::new(&machine.heap, &machine.atoms, query);
    let limits = Limits { steps: 2_000_000, memory_bytes: 1 << 26 };
    let mut solutions = machine.solve(library, &query, limits);
    match solutions.next_answer() {
        Ending::True { .. } => solutions.machine().output_text().trim_end().to_owned(),
        Ending::False => "the harness failed".to_owned(),
        Ending::Exception(_) => "the harness raised".to_owned(),
        Ending::Stopped(stop) => format!("{stop:?}"),
    }
}

/// Compares the answers to all goals; panics with the first differences.
pub fn check(program: &str, goals: &[String]) {
    let (theirs, ours) = (swipl(program, goals), ours(program, goals));
    let different: Vec<String> = goals
        .iter()
        .zip(theirs.iter().zip(&ours))
        .filter(|(_, (theirs, ours))| !agree(theirs, ours))
        .map(|(goal, (theirs, ours))| format!("{goal}\n  swipl: {theirs}\n  ours:  {ours}"))
        .collect();
    let shown = different.iter().take(25).cloned().collect::<Vec<_>>().join("\n");
    assert!(different.is_empty(), "{} of {} differ\n{shown}", different.len(), goals.len());
}

/// Whether two answers agree. Detecting earlier that an answer is the last one is not a difference, and
/// neither is the budget that ends a goal that does not terminate.
fn agree(theirs: &str, ours: &str) -> bool {
    let (theirs, ours) = (&without_addresses(theirs), &without_addresses(ours));
    let endless = ["Steps", "inference_limit_exceeded"].iter().any(|it| theirs.ends_with(it))
        || theirs.contains("resource_error");
    let left = theirs.strip_suffix("a choice point was left");
    theirs == ours
        || left.is_some_and(|it| ours.strip_suffix("end") == Some(it))
        || endless
            && (matches!(ours.as_str(), "Steps" | "Memory") || ours.contains("resource_error"))
}

/// Replaces the names of variables, streams, clauses and records, which are generated at run time.
fn without_addresses(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    let handles = ["<stream>(", "<clause>(", "<record>(", "'$stream'(", "'$clause'("];
    while let Some(c) = rest.chars().next() {
        let handle = handles.iter().find_map(|it| rest.strip_prefix(it)?.split_once(')'));
        let is_inside = plain.chars().next_back().is_some_and(|it| it.is_alphanumeric());
        let variable = rest.strip_prefix("_G").or_else(|| rest.strip_prefix('_'));
        let variable =
            variable.filter(|it| !is_inside && it.starts_with(|c: char| c.is_ascii_digit()));
        if let Some((_, after)) = handle {
            plain.push_str("HANDLE");
            rest = after;
        } else if let Some(after) = variable {
            plain.push('_');
            rest = after.trim_start_matches(|c: char| c.is_ascii_digit());
        } else {
            plain.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    plain
}

/// The files of the SWI-Prolog installation.
#[derive(Clone, Copy, Debug)]
pub struct Installed;

impl Library for Installed {
    fn library(&mut self, name: &str) -> Option<File> {
        ["", "clp/"].iter().find_map(|it| read(&Path::new(LIBRARY).join(format!("{it}{name}.pl"))))
    }

    fn file(&mut self, name: &str, from: &str) -> Option<File> {
        let dir = Path::new(from).parent()?;
        ["", ".pl"].iter().find_map(|it| read(&dir.join(format!("{name}{it}"))))
    }
}

fn read(path: &Path) -> Option<File> {
    let bytes = fs::read(path).ok()?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    Some(File { path: path.display().to_string(), text })
}
