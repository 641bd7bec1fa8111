//! `gimlet run file.pl 'goal'`: prints all answers as the toplevel of SWI-Prolog does.

use crate::args::{Format, Run};
use crate::diagnostic::{Diagnostic, Severity};
use crate::erlang::{alarm, allowed};
use crate::explain::Code;
use crate::prolog::disk::RealDisk;
use crate::prolog::files::is_prolog;
use crate::prolog::load::{Loaded, load};
use crate::prolog::source::Session;
use crate::prolog::trace::trace;
use crate::start::{COULD_NOT, Done, write};
use ::report::Snippet;
use config::nearest;
use prolog::{Answer, Ending, Limits, Machine, Query, QueryError, Sink, Stop, Written};
use serde_json::{Map, Value, json};
use std::cell::Cell;
use std::io::{self, Write};
use std::process::ExitCode;
use std::rc::Rc;
use std::time::{SystemTime, UNIX_EPOCH};

/// Prints the answers as they are found. Without a goal, runs the goal of `initialization(Goal, main)`.
pub(crate) fn run(options: &Run) -> Result<Done, Vec<Diagnostic>> {
    let (goal, targets) = match options.targets_and_call.split_last() {
        Some((last, rest)) if !is_prolog(last) => (Some(last.as_str()), rest),
        Some(_) => (None, options.targets_and_call.as_slice()),
        None => return Err(vec![Diagnostic::new(Code::BadCall, "there is no goal")]),
    };
    if options.trace {
        return traced(options, goal, targets);
    }
    let Loaded { mut machine, mut files, diagnostics, main, written } =
        load(targets).map_err(|it| vec![it])?;
    machine.interrupt = alarm(options.time);
    let allowed = allowed(&options.allowed);
    if allowed.files {
        machine.disk = Some(Box::new(RealDisk));
    }
    if allowed.os {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        machine.epoch = now.as_secs_f64();
    }
    let shown_goal = goal.unwrap_or_default().to_owned();
    let mut shown = Shown { goal: shown_goal, ..Shown::new(options.format) };
    shown.is_quiet = goal.is_none();
    shown.program_wrote(&written);
    let query = match (goal, main.last()) {
        (Some(goal), _) => asked(&mut machine, goal),
        (None, Some(main)) => Ok(machine.query_of(main)),
        (None, None) => return Ok(loaded_only(&machine, targets, diagnostics)),
    };
    let query = query.map_err(|it| diagnostics.iter().cloned().chain([it]).collect::<Vec<_>>())?;
    let limits =
        Limits { steps: options.reductions.unwrap_or(u64::MAX), memory_bytes: options.memory };
    shown.answers(&mut machine, &mut files, &query, limits);
    let stdout = match options.format {
        Format::Text => Vec::new(),
        Format::Json => shown.json().into_bytes(),
    };
    Ok(Done { stdout, stderr: vec![], diagnostics, code: shown.exit_code() })
}

/// Reads the goal; fails if it calls an unknown predicate.
fn asked(machine: &mut Machine, goal: &str) -> Result<Query, Diagnostic> {
    let query = machine.query(goal).map_err(|it| bad_goal(goal, &it))?;
    match query.unknown.first() {
        Some(unknown) => Err(no_predicate(machine, unknown)),
        None => Ok(query),
    }
}

/// The result for a program that is loaded without a goal to run.
fn loaded_only(machine: &Machine, targets: &[String], diagnostics: Vec<Diagnostic>) -> Done {
    let is_bad = diagnostics.iter().any(|it| it.severity == Severity::Error);
    let known = machine.own_predicates();
    let example = known.iter().find(|it| it.as_str() == "main/0").or(known.first());
    let example = example.map_or("true", |it| it.rsplit_once('/').map_or(it, |it| it.0));
    let said = format!(
        "{} loaded; name a goal to run one, as in: gimlet run {} '{example}'\n",
        targets.join(", "),
        targets.join(" "),
    );
    let code = if is_bad { ExitCode::from(COULD_NOT) } else { ExitCode::SUCCESS };
    Done { stdout: said.into_bytes(), stderr: Vec::new(), diagnostics, code }
}

/// Traces the goal step by step.
fn traced(options: &Run, goal: Option<&str>, targets: &[String]) -> Result<Done, Vec<Diagnostic>> {
    let (Some(goal), [target]) = (goal, targets) else {
        let title = "--trace shows one goal of one file";
        let hint = "as in: gimlet run rev.pl 'rev([a,b], [], R)' --trace";
        return Err(vec![Diagnostic::new(Code::BadCall, title).hint(hint)]);
    };
    let mut session = Session::load(target).map_err(|it| vec![it])?;
    session.machine.interrupt = alarm(options.time);
    let diagnostics = std::mem::take(&mut session.diagnostics);
    let query = session.machine.query(goal).map_err(|it| {
        diagnostics.iter().cloned().chain([bad_goal(goal, &it)]).collect::<Vec<_>>()
    })?;
    Ok(trace(&mut session, &query, goal, options, diagnostics))
}

fn bad_goal(goal: &str, error: &QueryError) -> Diagnostic {
    let hint = "write it as at the toplevel of SWI-Prolog: 'append(X, Y, [a, b])'";
    match error {
        QueryError::Syntax(error) => {
            let line = goal.lines().nth(error.line.saturating_sub(1)).unwrap_or("");
            let place = Snippet {
                origin: "goal".to_owned(),
                line: error.line,
                column: error.column,
                text: line.to_owned(),
                n_chars: 1,
                label: String::new(),
            };
            Diagnostic::new(Code::BadCall, error.message()).at(place).hint(hint)
        }
        QueryError::NotCallable => {
            let title = format!("{} is no goal", goal.trim());
            Diagnostic::new(Code::BadCall, title).hint(hint)
        }
    }
}

fn no_predicate(machine: &Machine, unknown: &str) -> Diagnostic {
    let res = Diagnostic::new(Code::NoPredicate, format!("there is no predicate {unknown}"));
    let known = machine.own_predicates();
    let name = unknown.rsplit_once('/').map_or(unknown, |it| it.0);
    let same: Vec<&str> = known
        .iter()
        .map(String::as_str)
        .filter(|it| {
            it.rsplit_once('/')
                .is_some_and(|it| it.0 == name || it.0.ends_with(&format!(":{name}")))
        })
        .collect();
    if !same.is_empty() {
        return res.hint(format!("there is {}", same.join(", ")));
    }
    match nearest(unknown, known.iter().map(String::as_str)) {
        Some(near) => res.hint(format!("did you mean {near}?")),
        None => res,
    }
}

/// The output so far.
struct Shown {
    goal: String,
    format: Format,
    answers: Vec<Answer>,
    output: String,
    /// Whether answers are not shown because the program runs as a whole.
    is_quiet: bool,
    /// The length of the program's output when something else was shown last.
    n_before: usize,
    end: End,
}

/// How the search for answers ended.
#[derive(Clone, Debug)]
enum End {
    /// No further answer exists.
    Exhausted,
    Raised {
        ball: String,
        message: String,
    },
    Budget(&'static str),
    Refused(String),
    Halted(i64),
    /// Standard output was closed.
    Gone,
}

impl Shown {
    fn new(format: Format) -> Shown {
        Shown {
            goal: String::new(),
            format,
            answers: Vec::new(),
            output: String::new(),
            is_quiet: false,
            n_before: 0,
            end: End::Exhausted,
        }
    }

    fn put(&self, text: &str) {
        if self.format == Format::Text {
            write(&mut io::stdout(), text.as_bytes());
        }
    }

    /// Passes the program's output on, piece by piece: both streams may be the same terminal, so their order matters.
    fn program_wrote(&mut self, written: &[Written]) {
        for piece in written {
            match piece {
                Written::Error(text) => write(&mut io::stderr(), text.as_bytes()),
                Written::Output(text) => {
                    self.put(text);
                    self.output.push_str(text);
                }
            }
        }
    }

    fn answers(
        &mut self,
        machine: &mut Machine,
        files: &mut crate::prolog::files::Files,
        query: &Query,
        limits: Limits,
    ) {
        let is_gone = Rc::new(Cell::new(false));
        machine.sink = (self.format == Format::Text).then(|| {
            let is_gone = Rc::clone(&is_gone);
            Sink(Box::new(move |written: &[Written]| {
                is_gone.set(is_gone.get() || !passed_on(written));
                !is_gone.get()
            }))
        });
        let mut solutions = machine.solve(files, &query.record, limits);
        let (mut n_written, mut n_errors) = (0, 0);
        loop {
            let ending = solutions.next_answer();
            let machine = solutions.machine();
            if !machine.give_written() || is_gone.get() {
                // The reader closed the pipe, as in `gimlet run ... | head`.
                self.end = End::Gone;
                return;
            }
            if self.format == Format::Json {
                self.program_wrote(&machine.written_since(n_written, n_errors));
                (n_written, n_errors) = (machine.output_text().len(), machine.error_text().len());
            }
            // The toplevel starts its own output on a new line.
            let text = machine.output_text();
            let is_in_line = self.n_before < text.len() && !text.ends_with('\n');
            self.n_before = text.len();
            if is_in_line && !self.is_quiet && !matches!(ending, Ending::Stopped(Stop::Halt(_))) {
                self.put("\n");
            }
            self.end = match ending {
                Ending::True { more } => {
                    let answer = machine.answer_found();
                    if !self.is_quiet {
                        self.put(&format!("{answer}{}", if more { " ;\n" } else { ".\n" }));
                    }
                    self.answers.push(answer);
                    if more && !self.is_quiet {
                        continue;
                    }
                    End::Exhausted
                }
                Ending::False => {
                    if !self.is_quiet {
                        self.put("false.\n");
                    }
                    End::Exhausted
                }
                Ending::Exception(ball) => {
                    let message = machine.exception_text(&ball);
                    let text = format!("ERROR: {}\n", message.replace('\n', "\nERROR: "));
                    if self.is_quiet {
                        write(&mut io::stderr(), text.as_bytes());
                    } else {
                        self.put(&text);
                    }
                    End::Raised { ball: machine.record_text(&ball), message }
                }
                Ending::Stopped(stop) => self.stopped(stop),
            };
            return;
        }
    }

    fn stopped(&self, stop: Stop) -> End {
        let budget = |name: &'static str| {
            self.put(&format!("** out of {name}; --{name} allows more\n"));
            End::Budget(name)
        };
        match stop {
            Stop::Steps => budget("reductions"),
            Stop::Memory => budget("memory"),
            Stop::Time => budget("time"),
            Stop::Halt(status) => End::Halted(status),
            Stop::Refused(effect) => {
                self.put(&format!("** refused: {effect}\n"));
                End::Refused(effect)
            }
            Stop::Load(file) => {
                self.put(&format!("** refused: library {file} can't be loaded\n"));
                End::Refused(file)
            }
        }
    }

    fn exit_code(&self) -> ExitCode {
        match &self.end {
            End::Exhausted if self.answers.is_empty() => ExitCode::from(1),
            End::Exhausted | End::Gone => ExitCode::SUCCESS,
            // The exit code of SWI-Prolog for a main goal that throws.
            End::Raised { .. } if self.is_quiet => ExitCode::from(2),
            End::Raised { .. } | End::Refused(_) => ExitCode::from(1),
            // The outcome without the limit is unknown.
            End::Budget(_) => ExitCode::from(COULD_NOT),
            End::Halted(status) => ExitCode::from(u8::try_from(status & 0xff).unwrap_or(1)),
        }
    }

    fn json(&self) -> String {
        let answers: Vec<Value> = self.answers.iter().map(answer_json).collect();
        let mut res = json!({
            "schema": 1,
            "tool": {"name": "gimlet", "version": env!("CARGO_PKG_VERSION")},
            "goal": self.goal,
        });
        let fields = match &self.end {
            End::Exhausted if self.answers.is_empty() => json!({"outcome": "false"}),
            End::Exhausted => json!({"outcome": "true"}),
            End::Raised { ball, message } => {
                json!({"outcome": "throws", "ball": ball, "message": message})
            }
            End::Budget(budget) => json!({"outcome": "budget", "budget": budget}),
            End::Refused(effect) => json!({"outcome": "refused", "effect": effect}),
            End::Halted(status) => json!({"outcome": "halt", "status": status}),
            End::Gone => json!({"outcome": "closed"}),
        };
        if let (Value::Object(all), Value::Object(fields)) = (&mut res, fields) {
            all.extend(fields);
            all.insert("answers".to_owned(), answers.into());
            all.insert("output".to_owned(), self.output.clone().into());
        }
        format!("{res:#}\n")
    }
}

/// Passes the program's output on. False if standard output was closed.
fn passed_on(written: &[Written]) -> bool {
    written.iter().all(|piece| match piece {
        Written::Error(text) => {
            write(&mut io::stderr(), text.as_bytes());
            true
        }
        Written::Output(text) => {
            let mut to = io::stdout();
            to.write_all(text.as_bytes()).and_then(|()| to.flush()).is_ok()
        }
    })
}

/// Converts an answer to JSON. Of variables that are equal and unbound, one has another's name as its value.
fn answer_json(answer: &Answer) -> Value {
    let mut bindings = Map::new();
    for binding in &answer.bindings {
        let value = binding.value.as_ref().or(binding.names.last());
        let named = binding.names.iter().filter(|it| Some(*it) != value);
        for name in named {
            bindings.insert(name.clone(), value.cloned().unwrap_or_default().into());
        }
    }
    json!({"bindings": bindings, "constraints": answer.constraints})
}
