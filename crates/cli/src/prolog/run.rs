//! `gimlet run file.pl 'goal'`: all answers, as the toplevel of SWI-Prolog shows them.

use crate::args::{Format, Run};
use crate::diagnostic::Diagnostic;
use crate::erlang::{alarm, allowed};
use crate::explain::Code;
use crate::prolog::disk::RealDisk;
use crate::prolog::load::{Loaded, load};
use crate::start::{COULD_NOT, Done, write};
use ::report::Snippet;
use config::nearest;
use prolog::{Answer, Ending, Limits, Machine, Query, QueryError, Stop, Written};
use serde_json::{Map, Value, json};
use std::io;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

/// Shows the answers as they are found.
pub(crate) fn run(options: &Run) -> Result<Done, Vec<Diagnostic>> {
    let Some((goal, targets)) = options.targets_and_call.split_last() else {
        return Err(vec![Diagnostic::new(Code::BadCall, "there is no goal")]);
    };
    let Loaded { mut machine, mut files, diagnostics, written } =
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
    let stop = |diagnostic: Diagnostic| {
        let mut all = diagnostics.clone();
        all.push(diagnostic);
        all
    };
    let query = machine.query(goal).map_err(|it| stop(bad_goal(goal, &it)))?;
    if let Some(unknown) = query.unknown.first() {
        return Err(stop(no_predicate(&machine, unknown)));
    }
    let mut shown = Shown { goal: goal.clone(), ..Shown::new(options.format) };
    shown.program_wrote(&written);
    let limits =
        Limits { steps: options.reductions.unwrap_or(u64::MAX), memory_bytes: options.memory };
    shown.answers(&mut machine, &mut files, &query, limits);
    let stdout = match options.format {
        Format::Text => Vec::new(),
        Format::Json => shown.json().into_bytes(),
    };
    Ok(Done { stdout, stderr: vec![], diagnostics, code: shown.exit_code() })
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

/// What was shown so far.
struct Shown {
    goal: String,
    format: Format,
    answers: Vec<Answer>,
    output: String,
    /// The program wrote last, and no new line.
    in_line: bool,
    end: End,
}

/// How the search ended.
#[derive(Clone, Debug)]
enum End {
    /// Nothing is left; whether the last answer was known to be the last.
    Exhausted,
    Raised {
        ball: String,
        message: String,
    },
    Budget(&'static str),
    Refused(String),
    Halted(i64),
}

impl Shown {
    fn new(format: Format) -> Shown {
        Shown {
            goal: String::new(),
            format,
            answers: Vec::new(),
            output: String::new(),
            in_line: false,
            end: End::Exhausted,
        }
    }

    fn put(&self, text: &str) {
        if self.format == Format::Text {
            write(&mut io::stdout(), text.as_bytes());
        }
    }

    /// Both streams may be one terminal: what was written first is shown first.
    fn program_wrote(&mut self, written: &[Written]) {
        for piece in written {
            match piece {
                Written::Error(text) => write(&mut io::stderr(), text.as_bytes()),
                Written::Output(text) => {
                    self.put(text);
                    if let Some(last) = text.chars().next_back() {
                        self.in_line = last != '\n';
                    }
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
        let mut solutions = machine.solve(files, &query.record, limits);
        let (mut n_written, mut n_errors) = (0, 0);
        loop {
            let ending = solutions.next_answer();
            let machine = solutions.machine();
            self.program_wrote(&machine.written_since(n_written, n_errors));
            (n_written, n_errors) = (machine.output_text().len(), machine.error_text().len());
            // The toplevel begins what it says on a line of its own.
            if self.in_line && !matches!(ending, Ending::Stopped(Stop::Halt(_))) {
                self.put("\n");
                self.in_line = false;
            }
            self.end = match ending {
                Ending::True { more } => {
                    let answer = machine.answer_found();
                    self.put(&format!("{answer}{}", if more { " ;\n" } else { ".\n" }));
                    self.answers.push(answer);
                    if more {
                        continue;
                    }
                    End::Exhausted
                }
                Ending::False => {
                    self.put("false.\n");
                    End::Exhausted
                }
                Ending::Exception(ball) => {
                    let message = machine.exception_text(&ball);
                    self.put(&format!("ERROR: {}\n", message.replace('\n', "\nERROR: ")));
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
                self.put(&format!("** refused: {effect}; see --allow\n"));
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
            End::Exhausted => ExitCode::SUCCESS,
            End::Raised { .. } | End::Refused(_) => ExitCode::from(1),
            // Nobody knows how it would have ended.
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
        };
        if let (Value::Object(all), Value::Object(fields)) = (&mut res, fields) {
            all.extend(fields);
            all.insert("answers".to_owned(), answers.into());
            all.insert("output".to_owned(), self.output.clone().into());
        }
        format!("{res:#}\n")
    }
}

/// Variables with their values; of variables that are equal and free, one has the other's name.
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
