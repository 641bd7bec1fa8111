//! SWI-Prolog as the oracle: runs goals there and compares their outcomes with the expected ones, many in one start.

use crate::confinement::{Rights, executable, launcher, policy, prolog_reads};
use crate::prolog::expect::{Answers, Expectation, whole};
use crate::prolog::explore::{ANSWERS, Explored, Verdict};
use crate::prolog::finding::MANY_STEPS;
use crate::prolog::refused;
use crate::prolog::source::Source;
use ::report::Kind;
use sandbox::{Policy, Process, Scratch};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use std::{fs, thread};

#[derive(Clone, Debug)]
pub(crate) struct Swipl {
    program: PathBuf,
    /// The sandbox's policy for the program.
    policy: Policy,
    interrupt: Arc<AtomicBool>,
    /// The time limit of one goal.
    pub(crate) of_goal: Duration,
    /// When all answers must be there.
    pub(crate) deadline: Option<Instant>,
}

/// A goal in the program's module with its expected outcome.
struct Question<'a> {
    setup: &'a [String],
    call: &'a str,
    results: &'a [String],
    /// The expected outcome; `None` if the goal does not end.
    expectation: Option<&'a Expectation>,
}

/// The maximum number of inferences of a goal in SWI-Prolog: ten times the steps after which our machine reports a
/// goal as endless, so a goal that ended in our machine needs fewer. Unlike seconds, inferences do not depend on the
/// load of the computer.
const MOST_INFERENCES: u64 = 10 * MANY_STEPS;
/// The time limit of a goal, for goals that make no inferences.
pub(crate) const LONGEST_GOAL: Duration = Duration::from_secs(30);
/// The maximum number of answers of a goal that are compared if they may come in any order.
const MOST_OF_SET: usize = 1000;
/// The time limit for all goals of a file.
pub(crate) const LONGEST: Duration = Duration::from_secs(120);

/// The number of consecutive starts without any answer after which SWI-Prolog is not started again.
const SILENT_STARTS: usize = 3;

/// The script that runs the questions. Its predicates are in a module of their own, because programs may redefine
/// predicates such as `length/2`.
const HARNESS: &str = r#"
:- module('$gimlet', ['$gimlet_all'/0]).
:- set_prolog_flag(verbose_load, silent).
:- set_prolog_flag(autoload, true).
'$gimlet_all' :-
    '$gimlet_keep',
    forall('$gimlet_case'(N, G, T, Max, Expected),
           ( '$gimlet_case_run'(N, G, T, Max, Expected), '$gimlet_put_back' )).
'$gimlet_case_run'(N, G, T, Max, Expected) :-
    S = s(0, [], more),
    catch(call_with_time_limit(SECONDS, '$gimlet_limited'('$gimlet_collect'(G, T, Max, S))), E, true),
    arg(2, S, Rev), reverse(Rev, As0), copy_term_nat(As0, As),
    (   nonvar(E) -> ( E == time_limit_exceeded -> End = time ; E = error(F, _) -> End = error(F) ; End = thrown(E) )
    ;   arg(3, S, End)
    ),
    (   '$gimlet_same'(Expected, As, End) -> Same = same ; Same = differs ),
    arg(1, S, Count),
    (   End == det -> Det = det ; Count > 0 -> Det = nondet ; Det = det ),
    functor(End, EndName, _),
    (   compound(End) -> arg(1, End, Said) ; As = [Said|_] -> true ; Said = none ),
    format("~n@@ ~w ~w ~w ~w ~w ", [N, Same, Det, Count, EndName]),
    write_term(Said, [quoted(true), max_depth(20), numbervars(true), spacing(next_argument)]), nl.
'$gimlet_limited'(G) :-
    call_with_inference_limit(G, INFERENCES, Result),
    ( Result == inference_limit_exceeded -> throw(time_limit_exceeded) ; true ).
'$gimlet_collect'(G, T, Max, S) :-
    (   call_cleanup(G, Det = true),
        arg(1, S, C0), C is C0 + 1, nb_setarg(1, S, C),
        arg(2, S, L), nb_setarg(2, S, [T|L]),
        (   Det == true -> nb_setarg(3, S, det) ; C >= Max )
    ->  true
    ;   nb_setarg(3, S, exhausted)
    ).
'$gimlet_same'(answers(As0, closed), As, End) :-
    '$gimlet_variants'(As0, As, []), memberchk(End, [det, exhausted]).
'$gimlet_same'(answers(As0, open), As, _) :- '$gimlet_variants'(As0, As, _).
'$gimlet_same'(set(As0, closed), As1, End) :-
    sort(0, @>=, As0, Sorted0), sort(0, @>=, As1, Sorted1), Sorted0 =@= Sorted1,
    memberchk(End, [det, exhausted]).
'$gimlet_same'(set(As0, open), As1, _) :- forall(member(A, As0), ( member(B, As1), A =@= B )).
'$gimlet_same'(fails, [], exhausted).
'$gimlet_same'(throws(error(F, _)), _, error(F1)) :-
    ( F = determinism_error(_, _, _, _) -> subsumes_term(F, F1) ; F =@= F1 ).
'$gimlet_same'(throws(B), _, thrown(B1)) :- B =@= B1.
'$gimlet_same'(endless, _, time).
'$gimlet_same'(endless, _, error(resource_error(_))).
'$gimlet_variants'([], Rest, Rest).
'$gimlet_variants'([A|As], [B|Bs], Rest) :- A =@= B, '$gimlet_variants'(As, Bs, Rest).
"#;

impl Swipl {
    /// Finds an installed SWI-Prolog; `None` if there is none.
    pub(crate) fn find(rights: &Rights, interrupt: &Arc<AtomicBool>) -> Option<Swipl> {
        let program = executable("swipl")?;
        let out = Command::new(&program).arg("--version").stdin(Stdio::null()).output().ok()?;
        let interrupt = Arc::clone(interrupt);
        let policy = policy(rights);
        let found = || Swipl { program, policy, interrupt, of_goal: LONGEST_GOAL, deadline: None };
        out.status.success().then(found)
    }

    /// Replays every test and finding of the predicates of a file.
    pub(crate) fn confirm(
        &self,
        source: &Source,
        units: &mut [&mut Explored],
        deadline: Option<Instant>,
    ) {
        let mut questions = Vec::new();
        for unit in units.iter() {
            let tests = unit.tests.iter();
            questions.extend(tests.map(|it| Question {
                setup: &it.setup,
                call: &it.call,
                results: &it.results,
                expectation: Some(&it.expectation),
            }));
            let findings = unit.findings.iter();
            questions.extend(findings.map(|it| Question {
                setup: &it.setup,
                call: &it.call,
                results: &it.results,
                expectation: it.expectation.as_ref().filter(|_| it.kind != Kind::Timeout),
            }));
        }
        // Goals that do not end are asked last, since they may take all the time there is.
        let mut order: Vec<(usize, Question<'_>)> = questions.into_iter().enumerate().collect();
        order.sort_by_key(|it| it.1.expectation.is_none());
        let (numbers, questions): (Vec<usize>, Vec<Question<'_>>) = order.into_iter().unzip();
        let verdicts = self.ask(source, &questions, deadline);
        let verdicts: BTreeMap<usize, Verdict> = numbers.into_iter().zip(verdicts).collect();
        let mut verdicts = verdicts.into_values();
        for unit in units {
            let tests = unit.tests.iter_mut().map(|it| &mut it.verdict);
            let findings = unit.findings.iter_mut().map(|it| &mut it.verdict);
            for verdict in tests.chain(findings) {
                if let Some(found) = verdicts.next() {
                    *verdict = found;
                }
            }
            unit.leave_out_contradicted();
        }
    }

    /// Returns SWI-Prolog's verdict on each question. If a question ends the process, SWI-Prolog is started again
    /// with the questions after it.
    fn ask(
        &self,
        source: &Source,
        questions: &[Question<'_>],
        deadline: Option<Instant>,
    ) -> Vec<Verdict> {
        let begin = Instant::now();
        let end = deadline.unwrap_or(begin + LONGEST).min(begin + LONGEST);
        let mut found: BTreeMap<usize, Verdict> = BTreeMap::new();
        let (mut first, mut n_silent) = (0, 0);
        let mut why = String::new();
        while first < questions.len() && n_silent < SILENT_STARTS {
            let left = end.saturating_duration_since(Instant::now());
            let (answers, said) = match self.answers(source, questions, first, left) {
                Ok(it) => it,
                Err(trouble) => {
                    why = trouble;
                    break;
                }
            };
            n_silent = if answers.is_empty() { n_silent + 1 } else { 0 };
            found.extend(answers);
            why = match said.is_empty() {
                true => "swipl did not answer in time: loading the program may not end".to_owned(),
                false => format!("swipl did not answer; it said: {said}"),
            };
            // SWI-Prolog answers the questions in order, so the first unanswered one ended the process.
            let Some(last) = (first..questions.len()).find(|it| !found.contains_key(it)) else {
                break;
            };
            found.insert(last, Verdict::Unknown(why.clone()));
            first = last + 1;
            if end <= Instant::now() || self.is_over() {
                break;
            }
        }
        let verdict = |n| found.remove(&n).unwrap_or_else(|| Verdict::Unknown(why.clone()));
        (0..questions.len()).map(verdict).collect()
    }

    /// Starts SWI-Prolog with the questions from index `first` on. Returns its verdicts by the indices of the
    /// questions, and the first line that it wrote to standard error. The error says why it could not be started.
    fn answers(
        &self,
        source: &Source,
        questions: &[Question<'_>],
        first: usize,
        time: Duration,
    ) -> Result<(BTreeMap<usize, Verdict>, String), String> {
        let text = script_text(source, questions, first, self.of_goal);
        let written = Scratch::new().and_then(|scratch| {
            let script = scratch.path().join("questions.pl");
            fs::write(&script, text)?;
            Ok((scratch, script))
        });
        let Ok((scratch, script)) = written else {
            return Err("the questions could not be written".to_owned());
        };
        let args = ["-q", "-g", "'$gimlet_all'", "-t", "halt"];
        let said = self.run(&args, source, &script, scratch, time);
        let (said, errors) = said.ok_or_else(|| "swipl could not be started".to_owned())?;
        let mut found = BTreeMap::new();
        for line in said.lines().filter_map(|it| it.strip_prefix(ANSWER)) {
            let words: Vec<&str> = line.splitn(6, ' ').collect();
            let [n, same, det, count, end, said] = words.as_slice() else { continue };
            let Ok(n) = n.parse() else { continue };
            let verdict = if *same == "same" {
                Verdict::Same { leaves_choice: *det == "nondet" }
            } else if *end == "time" {
                let seconds = self.of_goal.as_secs_f64();
                Verdict::Unknown(format!(
                    "swipl took more than {MOST_INFERENCES} inferences or {seconds} s"
                ))
            } else {
                Verdict::Differs(differs(count, end, said))
            };
            found.insert(n, verdict);
        }
        let said = errors.lines().find(|it| !it.trim().is_empty()).unwrap_or("").to_owned();
        Ok((found, said))
    }

    /// Whether the deadline has passed or the user interrupted the search, so that no more answers are needed.
    fn is_over(&self) -> bool {
        let is_late = self.deadline.is_some_and(|it| it <= Instant::now());
        is_late || self.interrupt.load(Ordering::Relaxed)
    }

    /// Runs `swipl` with a time limit. Returns the texts of standard output and standard error; `None` if it can't be
    /// started.
    pub(crate) fn run(
        &self,
        args: &[&str],
        source: &Source,
        file: &Path,
        scratch: Scratch,
        time: Duration,
    ) -> Option<(String, String)> {
        let dir = scratch.path().to_owned();
        let (out, err) = (dir.join("stdout.txt"), dir.join("stderr.txt"));
        let mut policy = self.policy.clone();
        policy.reads.extend(prolog_reads(&self.program, &source.absolute()));
        policy.reads.push(file.to_owned());
        policy.scratch = Some(dir);
        let mut command = launcher()?.command(&policy, &self.program);
        command.args(args).arg(file).stdin(Stdio::null());
        command.stdout(fs::File::create(&out).ok()?).stderr(fs::File::create(&err).ok()?);
        let mut process = Process::start(&mut command, Some(scratch)).ok()?;
        let begin = Instant::now();
        while let Ok(None) = process.try_wait() {
            if self.is_over() || time < begin.elapsed() {
                process.stop().ok()?;
                break;
            }
            thread::sleep(Duration::from_millis(5));
        }
        Some((written(&out).ok()?, written(&err).ok()?))
    }
}

impl Explored {
    /// Drops findings that SWI-Prolog contradicts: the goal ends on a faster machine, or our machine differs from
    /// SWI-Prolog. The latter, like a test that fails in SWI-Prolog, is recorded as a loss and a disagreement.
    fn leave_out_contradicted(&mut self) {
        // An outcome that depends on the environment, such as the clock, may differ without a disagreement.
        let outside = || Verdict::Unknown("what it does depends on where it runs".to_owned());
        for it in self.tests.iter_mut().filter(|it| it.asks_outside) {
            if matches!(it.verdict, Verdict::Differs(_)) {
                it.verdict = outside();
            }
        }
        for it in self.findings.iter_mut().filter(|it| it.asks_outside) {
            if matches!(it.verdict, Verdict::Differs(_)) {
                it.verdict = outside();
            }
        }
        for it in &self.tests {
            if let Verdict::Differs(why) = &it.verdict {
                let call = whole(&it.setup, &it.call);
                self.disagreements.push(format!("{call}: {why}"));
                *self.losses.entry(format!("{call}, of which {why}")).or_default() += 1;
            }
        }
        let (findings, others): (Vec<_>, Vec<_>) = std::mem::take(&mut self.findings)
            .into_iter()
            .partition(|it| !matches!(it.verdict, Verdict::Differs(_)));
        self.findings = findings;
        for it in others.iter().filter(|it| it.kind != Kind::Timeout) {
            let what = format!("{} of {}, which swipl does not have", it.reason, it.call);
            self.disagreements.push(format!("{}: swipl does not have {}", it.call, it.reason));
            *self.losses.entry(what).or_default() += it.count;
        }
    }
}

/// The prefix of output lines that answer questions.
const ANSWER: &str = "@@ ";
/// The maximum length of a line in bytes; longer lines are cut off.
const LONGEST_LINE: u64 = 1 << 16;
/// The maximum number of bytes of other output lines that are kept.
const MOST_OF_OTHERS: usize = 1 << 20;

/// Reads the output that a program wrote into a file: all answers, and the beginning of the rest, because a program
/// may write as much as the sandbox allows.
fn written(file: &Path) -> io::Result<String> {
    let mut reader = BufReader::new(fs::File::open(file)?);
    let mut res = String::new();
    let mut n_others = 0;
    let mut line = Vec::new();
    while 0 < reader.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line)? {
        if !line.ends_with(b"\n") {
            reader.skip_until(b'\n')?;
            line.push(b'\n');
        }
        let is_answer = line.starts_with(ANSWER.as_bytes());
        n_others += if is_answer { 0 } else { line.len() };
        if is_answer || n_others <= MOST_OF_OTHERS {
            res.push_str(&String::from_utf8_lossy(&line));
        }
        line.clear();
    }
    Ok(res)
}

/// Describes the outcome in SWI-Prolog, for messages.
fn differs(count: &str, end: &str, said: &str) -> String {
    match (end, count) {
        ("error", _) => format!("swipl throws error({said}, _)"),
        ("thrown", _) => format!("swipl throws {said}"),
        (_, "0") => "swipl fails".to_owned(),
        (_, _) if said == "[]" => "swipl succeeds".to_owned(),
        ("det" | "exhausted", "1") => format!("swipl answers {said} and nothing else"),
        ("det" | "exhausted", n) => format!("swipl has {n} answers, the first is {said}"),
        (_, _) => format!("swipl answers {said} and may have more"),
    }
}

/// Returns the script that asks the questions from index `first` on.
fn script_text(
    source: &Source,
    questions: &[Question<'_>],
    first: usize,
    of_goal: Duration,
) -> String {
    let mut res = HARNESS.replace("SECONDS", &of_goal.as_secs_f64().to_string());
    res = res.replace("INFERENCES", &MOST_INFERENCES.to_string());
    let path = source.absolute().display().to_string().replace('\\', "\\\\").replace('\'', "\\'");
    // If an initialization does not end, the limit stops loading, and the goals still run with the clauses loaded so
    // far.
    let most = refused::MOST_INFERENCES;
    let load = format!("user:load_files('{path}', [silent(true)])");
    writeln!(res, ":- call_with_inference_limit({load}, {most}, _).").ok();
    let module = quoted(&source.program.module);
    writeln!(res, "{}", kept_facts(source, "$gimlet_")).ok();
    for (n, it) in questions.iter().enumerate().skip(first) {
        let template = it.results.join(", ");
        let expected = match it.expectation {
            None => "endless".to_owned(),
            Some(Expectation::Fails) => "fails".to_owned(),
            Some(Expectation::Throws { ball, is_error: true }) => {
                format!("throws(error({ball}, _))")
            }
            Some(Expectation::Throws { ball, .. }) => format!("throws({ball})"),
            Some(Expectation::Answers(answers)) => {
                let name = if answers.in_any_order { "set" } else { "answers" };
                let ends = if answers.is_open { "open" } else { "closed" };
                format!("{name}([{}], {ends})", templates(answers))
            }
        };
        let call = whole(it.setup, it.call);
        let is_set = matches!(it.expectation, Some(Expectation::Answers(it)) if it.in_any_order);
        let most = if is_set { MOST_OF_SET } else { ANSWERS + 1 };
        writeln!(res, "'$gimlet_case'({n}, {module}:({call}), [{template}], {most}, {expected}).")
            .ok();
    }
    res
}

/// Prolog clauses that save the facts of the program and restore them.
pub(crate) fn kept_facts(source: &Source, prefix: &str) -> String {
    let name = |it: &str| quoted(&format!("{prefix}{it}"));
    let [fact, kept, keep, put_back] = ["fact", "kept", "keep", "put_back"].map(name);
    let module = quoted(&source.program.module);
    let mut res = format!(":- dynamic {fact}/1, {kept}/1.\n");
    for it in &source.program.facts {
        let blanks = vec!["_"; it.arity].join(", ");
        let args = if it.arity == 0 { String::new() } else { format!("({blanks})") };
        writeln!(res, "{fact}({module}:{}{args}).", quoted(&it.name)).ok();
    }
    writeln!(
        res,
        "{keep} :- forall(( {fact}(F), catch(clause(F, B), _, fail) ), assertz({kept}((F :- B))))."
    )
    .ok();
    writeln!(res, "{put_back} :-").ok();
    writeln!(res, "    forall({fact}(F), retractall(F)),").ok();
    writeln!(res, "    forall({kept}(C), assertz(C)),").ok();
    writeln!(res, "    abolish_all_tables.").ok();
    res
}

/// The expected answers in Prolog syntax, each a list of the results' values.
fn templates(of: &Answers) -> String {
    let lists: Vec<String> = of.values.iter().map(|it| format!("[{}]", it.join(", "))).collect();
    lists.join(", ")
}

/// Prints an atom, with quotes if necessary.
pub(crate) fn quoted(name: &str) -> String {
    let is_plain = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if is_plain {
        return name.to_owned();
    }
    format!("'{}'", name.replace('\\', "\\\\").replace('\'', "\\'"))
}

#[cfg(test)]
mod tests {
    use super::{LONGEST_LINE, MOST_OF_OTHERS, written};

    #[test]
    fn answers_are_found_in_any_flood() {
        let dir = tempfile::tempdir().expect("a directory");
        let file = dir.path().join("said");
        let long = " ".repeat(3 << 20);
        let many = "x\n".repeat(MOST_OF_OTHERS);
        std::fs::write(&file, format!("{long}\n@@ 1 same\n{many}@@ 2 same\n{long}")).expect("room");
        let text = written(&file).expect("it is there");
        let answers: Vec<&str> = text.lines().filter(|it| it.starts_with('@')).collect();
        assert_eq!(answers, ["@@ 1 same", "@@ 2 same"]);
        let longest = text.lines().map(str::len).max().expect("a line");
        assert_eq!(u64::try_from(longest), Ok(LONGEST_LINE));
        assert!(text.len() < 2 * MOST_OF_OTHERS);
    }
}
