//! Writes the steps of a system's input: for the shell, and as tests.

use crate::elixir;
use crate::erlang::frames::frames;
use crate::erlang::script::{Script, Syntax};
use crate::erlang::systems::harness::plain_config;
use crate::erlang::systems::{CONTENT, DRIVER_NAME, Protocol, RESULT, RUN, SERVER};
use crate::erlang::tests::{is_opaque, pattern};
use crate::erlang::unit::UnitName;
use term::{Atom, Code, CodeStep, Style, Term, code_text, print, script_text};
use trace::Outcome;

/// The script of an input of a system: the steps as people type them, and the call of the driver.
pub(crate) fn script_of(unit: &UnitName, protocol: Protocol, args: &[Term]) -> Script {
    let config = plain_config(&unit.module, protocol);
    let all = std::iter::once(config).chain(args.iter().cloned());
    let driven = call(DRIVER_NAME, RUN, all.map(Code::Term).collect());
    let syntax = match elixir::is_elixir(&unit.module) {
        true => Syntax::Elixir,
        false => Syntax::Erlang,
    };
    let typed = Typed::new(&unit.module, protocol, syntax, args);
    Script::new(typed.steps, syntax).driven_by(CodeStep { binds: None, value: driven })
}

/// Reads the script from the arguments of a call of the driver.
pub(crate) fn read(args: &[Term]) -> Option<Script> {
    let [Term::Map(config), args @ ..] = args else { return None };
    let of = |key: &str| config.iter().find(|it| it.0.as_atom() == Some(key)).map(|it| &it.1);
    let (Term::Atom(module), protocol) = (of("module")?, of("protocol")?) else { return None };
    let protocol = Protocol::named(protocol.as_atom()?)?;
    Some(script_of(&protocol.unit(module), protocol, args))
}

/// The steps of an input as code.
struct Typed<'a> {
    module: &'a Atom,
    protocol: Protocol,
    syntax: Syntax,
    /// The results that later steps refer to, numbered from 1; the first is that of the start.
    used: Vec<ResultReference>,
    steps: Vec<CodeStep>,
    /// Whether a process was started that the steps address.
    has_server: bool,
}

/// A reference to the result of a step: the whole result, or the content of `{ok, Content}`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ResultReference {
    Whole(u32),
    Content(u32),
}

/// The variable that is bound to the process.
const PROCESS: u32 = 1;

impl<'a> Typed<'a> {
    fn new(module: &'a Atom, protocol: Protocol, syntax: Syntax, args: &[Term]) -> Typed<'a> {
        let mut res = Typed {
            module,
            protocol,
            syntax,
            used: Vec::new(),
            steps: Vec::new(),
            has_server: false,
        };
        let [start, steps] = args else { return res };
        let steps = steps.as_list().unwrap_or_default();
        steps.iter().for_each(|it| res.note_results(it));
        res.start(start);
        for (n, step) in steps.iter().enumerate() {
            res.step(u32::try_from(n + 2).unwrap_or(u32::MAX), step);
        }
        res
    }

    fn note_results(&mut self, step: &Term) {
        for part in step.as_tuple().unwrap_or_default() {
            self.used.extend(result(part));
        }
    }

    fn start(&mut self, start: &Term) {
        let own = Code::Term(Term::Atom(self.module.clone()));
        let server = || of_ok(Code::Variable(PROCESS));
        let value = match start.as_tuple() {
            Some([tag, arg]) if tag.as_atom() == Some("init") => {
                let arg = Code::Term(arg.clone());
                match self.protocol {
                    Protocol::GenEvent => {
                        let value = call("gen_event", "start", vec![]);
                        self.steps.push(CodeStep { binds: Some(server()), value });
                        let args = vec![Code::Variable(PROCESS), own, arg];
                        let value = call("gen_event", "add_handler", args);
                        self.has_server = true;
                        return self.steps.push(CodeStep { binds: None, value });
                    }
                    Protocol::Supervisor => call(self.runtime(), "start_link", vec![own, arg]),
                    Protocol::GenServer | Protocol::GenStatem | Protocol::Functions => {
                        let mut args = vec![own, arg];
                        if self.syntax == Syntax::Erlang {
                            args.push(Code::Term(Term::Nil));
                        }
                        call(self.runtime(), "start", args)
                    }
                }
            }
            Some(_) => self.own_call(start),
            None => return,
        };
        self.has_server = true;
        self.steps.push(CodeStep { binds: Some(server()), value });
    }

    fn runtime(&self) -> &'static str {
        match (self.protocol, self.syntax) {
            (Protocol::GenServer, Syntax::Elixir) => "Elixir.GenServer",
            (Protocol::Supervisor, Syntax::Elixir) => "Elixir.Supervisor",
            (protocol, _) => protocol.name(),
        }
    }

    /// Converts the n-th step; the start is the first.
    fn step(&mut self, n: u32, step: &Term) {
        let parts = step.as_tuple().unwrap_or_default();
        let tag = parts.first().and_then(Term::as_atom);
        let server = || Code::Variable(PROCESS);
        let value = match (tag, parts) {
            (Some("wait"), [_, time]) => call("timer", "sleep", vec![Code::Term(time.clone())]),
            (Some("info"), [_, message]) => {
                call("erlang", "send", vec![server(), Code::Term(message.clone())])
            }
            (Some(name @ ("call" | "cast" | "notify")), [_, content]) => {
                let mut args = vec![server()];
                if (self.protocol, name) == (Protocol::GenEvent, "call") {
                    args.push(Code::Term(Term::Atom(self.module.clone())));
                }
                args.push(Code::Term(content.clone()));
                call(self.runtime(), name, args)
            }
            _ => self.own_call(step),
        };
        let variable = || Code::Variable(n);
        let binds = match self.used {
            ref used if used.contains(&ResultReference::Content(n)) => Some(of_ok(variable())),
            ref used if used.contains(&ResultReference::Whole(n)) => Some(variable()),
            _ => None,
        };
        self.steps.push(CodeStep { binds, value });
    }

    /// Converts a call of a function of the module: its name with the arity, then its arguments.
    fn own_call(&self, step: &Term) -> Code {
        let parts = step.as_tuple().unwrap_or_default();
        let tag = parts.first().and_then(Term::as_atom).unwrap_or_default();
        let (name, _) = tag.rsplit_once('/').unwrap_or((tag, ""));
        let args = parts.iter().skip(1).map(|it| match result(it) {
            Some(ResultReference::Content(n)) => Code::Variable(n),
            Some(ResultReference::Whole(n))
                if self.used.contains(&ResultReference::Content(n)) || n == PROCESS =>
            {
                of_ok(Code::Variable(n))
            }
            Some(ResultReference::Whole(n)) => Code::Variable(n),
            None if it.as_atom() == Some(SERVER) => Code::Variable(PROCESS),
            None => Code::Term(it.clone()),
        });
        call(self.module.as_str(), name, args.collect())
    }
}

fn result(of: &Term) -> Option<ResultReference> {
    let [tag, n] = of.as_tuple()? else { return None };
    let n = u32::try_from(n.as_int()?).ok()?;
    match tag.as_atom()? {
        RESULT => Some(ResultReference::Whole(n)),
        CONTENT => Some(ResultReference::Content(n)),
        _ => None,
    }
}

fn of_ok(content: Code) -> Code {
    Code::Tuple(vec![Code::Term(Term::atom("ok")), content])
}

fn call(module: &str, function: &str, args: Vec<Code>) -> Code {
    Code::Call { module: Atom::new(module), function: Atom::new(function), args }
}

/// Writes a test of a sequence of steps: it compares the values that can be compared, or checks how the process ends.
pub(crate) fn test(
    unit: &UnitName,
    protocol: Protocol,
    (args, outcome): (&[Term], &Outcome),
) -> Result<String, &'static str> {
    let syntax = match elixir::is_elixir(&unit.module) {
        true => Syntax::Elixir,
        false => Syntax::Erlang,
    };
    let typed = Typed::new(&unit.module, protocol, syntax, args);
    let writer = Writer { typed: &typed, syntax };
    match outcome {
        Outcome::Value(replies) => {
            let replies = replies.as_list().unwrap_or_default();
            Ok(writer.values(replies))
        }
        Outcome::Crash { class, reason, trace } => {
            let frames = frames(trace);
            let is_of_process = frames.iter().any(|it| it.module.as_str() == "proc_lib");
            match (is_of_process, class.as_str()) {
                (true, "error") => {
                    let is_start = frames.iter().any(|it| it.function.as_str() == "init_it");
                    let phase = if is_start { Phase::Start } else { Phase::Steps };
                    Ok(writer.ends(reason, phase))
                }
                (true, _) => Err("the process ends otherwise"),
                (false, _) => Ok(writer.raises(class.as_str(), reason)),
            }
        }
        Outcome::Deadlock => Err("it waits for a message that nobody sends"),
        Outcome::Stopped(_) => Err("it did not end"),
    }
}

/// The phase in which a process fails.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Start,
    Steps,
}

struct Writer<'a> {
    typed: &'a Typed<'a>,
    syntax: Syntax,
}

impl Writer<'_> {
    fn values(&self, replies: &[Term]) -> String {
        let mut lines = Vec::new();
        // The event manager is started by a step of its own.
        let n_before = usize::from(self.typed.protocol == Protocol::GenEvent);
        let n_without = usize::from(!self.typed.has_server);
        let n_steps = (replies.len() + n_before).saturating_sub(n_without);
        for (n, step) in self.typed.steps.iter().enumerate().take(n_steps) {
            let reply = (n + n_without).checked_sub(n_before).and_then(|it| replies.get(it));
            let is_known = |it: &&Term| !is_opaque(it) && it.as_atom() != Some("failed");
            let failed = reply.and_then(Term::as_atom) == Some("failed");
            lines.push(match reply.filter(is_known) {
                Some(reply) if step.binds.is_none() || n == 0 && !is_opaque(reply) => {
                    self.equal(reply, step)
                }
                Some(_) | None if failed => self.tried(step),
                Some(_) | None => self.plain(step),
            });
        }
        self.all(lines)
    }

    /// The test of a process that ends with an error.
    fn ends(&self, reason: &Term, phase: Phase) -> String {
        let Some((start, steps)) = self.typed.steps.split_first() else { return String::new() };
        if steps.is_empty() || phase == Phase::Start {
            return self.all(vec![self.matches_error(reason, &start.value)]);
        }
        let mut lines = vec![self.plain(start)];
        lines.push(match self.syntax {
            Syntax::Erlang => format!("Monitor = monitor(process, V{PROCESS})"),
            Syntax::Elixir => format!("monitor = Process.monitor(v{PROCESS})"),
        });
        lines.extend(steps.iter().map(|it| self.tried(it)));
        lines.push(match self.syntax {
            Syntax::Erlang => format!(
                "receive {{'DOWN', Monitor, process, _, Reason}} -> ?assertMatch({{{}, _}}, Reason) \
                 after 5000 -> ?assert(false) end",
                pattern(reason)
            ),
            Syntax::Elixir => format!(
                "assert_receive {{:DOWN, ^monitor, :process, _, {{{}, _}}}}, 5000",
                elixir::term(reason)
            ),
        });
        self.all(lines)
    }

    /// The test of a call that fails in the calling process.
    fn raises(&self, class: &str, reason: &Term) -> String {
        let Some((last, before)) = self.typed.steps.split_last() else { return String::new() };
        let mut lines: Vec<String> = before.iter().map(|it| self.plain(it)).collect();
        lines.push(match self.syntax {
            Syntax::Erlang => {
                let name = match class {
                    "throw" => "Throw",
                    "exit" => "Exit",
                    _ => "Error",
                };
                let value = code_text(&last.value, Style::READABLE);
                format!("?assert{name}({}, {value})", pattern(reason))
            }
            Syntax::Elixir => {
                let value = elixir::code(&last.value);
                format!(
                    "assert {{:{class}, {}}} = (try do {value} catch kind, reason -> {{kind, reason}} end)",
                    elixir::term(reason)
                )
            }
        });
        self.all(lines)
    }

    fn matches_error(&self, reason: &Term, value: &Code) -> String {
        match self.syntax {
            Syntax::Erlang => format!(
                "?assertMatch({{error, {{{}, _}}}}, {})",
                pattern(reason),
                code_text(value, Style::READABLE)
            ),
            Syntax::Elixir => {
                format!(
                    "assert {{:error, {{{}, _}}}} = {}",
                    elixir::term(reason),
                    elixir::code(value)
                )
            }
        }
    }

    fn equal(&self, reply: &Term, step: &CodeStep) -> String {
        match self.syntax {
            Syntax::Erlang => {
                let value = code_text(&step.value, Style::READABLE);
                format!("?assertEqual({}, {value})", print(reply, Style::READABLE))
            }
            Syntax::Elixir => {
                format!("assert {} === {}", elixir::code(&step.value), elixir::term(reply))
            }
        }
    }

    fn tried(&self, step: &CodeStep) -> String {
        match self.syntax {
            Syntax::Erlang => format!("catch {}", code_text(&step.value, Style::READABLE)),
            Syntax::Elixir => {
                format!("try do {} catch _, _ -> :failed end", elixir::code(&step.value))
            }
        }
    }

    fn plain(&self, step: &CodeStep) -> String {
        match self.syntax {
            Syntax::Erlang => script_text(std::slice::from_ref(step), Style::READABLE),
            Syntax::Elixir => elixir::script(std::slice::from_ref(step)),
        }
    }

    /// Joins the lines to a test in a process that traps exits.
    fn all(&self, lines: Vec<String>) -> String {
        match self.syntax {
            Syntax::Erlang => {
                let lines: Vec<String> =
                    std::iter::once("process_flag(trap_exit, true)".to_owned())
                        .chain(lines)
                        .collect();
                format!("?_test(begin {} end)", lines.join(",\n         "))
            }
            Syntax::Elixir => {
                let lines: Vec<String> =
                    std::iter::once("Process.flag(:trap_exit, true)".to_owned())
                        .chain(lines)
                        .collect();
                lines.join("\n    ")
            }
        }
    }
}
