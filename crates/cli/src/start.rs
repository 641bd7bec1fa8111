//! The life of the process: arguments in, an exit code out, and what happens if we break.

use crate::args::{Command, CommandLine, spelled_for_parser};
use crate::diagnostic::{Colours, Diagnostic};
use crate::explain::Code;
use crate::instrument::instrument;
use crate::prolog::is_prolog;
use crate::run::run;
use crate::test::{replay, symbolic, test};
use clap::Parser;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::{env, io, panic, thread};

/// Exit code: it could not do what was asked.
pub(crate) const COULD_NOT: u8 = 2;

/// Terms are compared and dropped recursively, and a program may make very deep ones. The pages are
/// only taken when they are used.
pub(crate) const STACK_BYTES: usize = 1 << 30;

/// Does what the arguments of the process ask for.
pub fn start() -> ExitCode {
    let mut asked = CommandLine::parse_from(spelled_for_parser(env::args_os()));
    asked.command.share_effects();
    panic::set_hook(Box::new(|info| {
        let text = format!(
            "gimlet broke; that is a bug of ours, not of your program.\n{info}\n\
             Please send us this message, `gimlet --version`, and the command with its files.\n"
        );
        write(&mut io::stderr(), text.as_bytes());
    }));
    let worker = thread::Builder::new().name("gimlet".to_owned()).stack_size(STACK_BYTES);
    let worker = worker.spawn(move || perform(&asked.command));
    match worker.map(thread::JoinHandle::join) {
        Ok(Ok(code)) => code,
        // The hook has said it.
        Ok(Err(_)) => ExitCode::from(COULD_NOT),
        Err(error) => {
            let text = format!("gimlet can't start a thread with a stack of 1 GiB: {error}\n");
            write(&mut io::stderr(), text.as_bytes());
            ExitCode::from(COULD_NOT)
        }
    }
}

/// What a command leaves behind.
pub(crate) struct Done {
    pub(crate) stdout: Vec<u8>,
    /// What the program wrote there.
    pub(crate) stderr: Vec<u8>,
    /// What is worth saying although it went on.
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) code: ExitCode,
}

fn perform(command: &Command) -> ExitCode {
    let plain = |(stdout, code)| Done { stdout, stderr: vec![], diagnostics: vec![], code };
    let done = match command {
        Command::Test(options) if options.targets.iter().all(|it| is_prolog(it)) => {
            crate::test::prolog::test(options)
        }
        Command::Test(options) => test(options),
        Command::Run(options) if options.targets_and_call.iter().any(|it| is_prolog(it)) => {
            crate::prolog::run(options)
        }
        Command::Run(options) => run(options).map_err(|it| vec![it]),
        Command::Replay(options) => replay(options),
        Command::Symbolic(options) => symbolic(options),
        Command::Instrument(options) => instrument(options).map(plain).map_err(|it| vec![it]),
        Command::Explain { code } => explain(code).map(plain).map_err(|it| vec![it]),
    };
    let (diagnostics, code) = match done {
        Ok(Done { stdout, stderr, diagnostics, code }) => {
            write(&mut io::stderr(), &stderr);
            write(&mut io::stdout(), &stdout);
            (diagnostics, code)
        }
        Err(diagnostics) => (diagnostics, ExitCode::from(COULD_NOT)),
    };
    let colours = colours(io::stderr().is_terminal());
    for diagnostic in diagnostics {
        write(&mut io::stderr(), diagnostic.render(colours).as_bytes());
    }
    code
}

pub(crate) fn stdout_colours() -> Colours {
    colours(io::stdout().is_terminal())
}

fn colours(is_terminal: bool) -> Colours {
    let is_wanted = env::var_os("NO_COLOR").is_none_or(|it| it.is_empty());
    if is_terminal && is_wanted { Colours::On } else { Colours::Off }
}

fn explain(code: &str) -> Result<(Vec<u8>, ExitCode), Diagnostic> {
    match Code::from_name(code) {
        Some(code) => Ok((code.page().as_bytes().to_vec(), ExitCode::SUCCESS)),
        None => {
            let names: Vec<&str> = Code::ALL.iter().map(|it| it.name()).collect();
            let title = format!("there is no diagnostic {code}");
            let hint = format!("there are {}", names.join(", "));
            Err(Diagnostic::new(Code::NoExplanation, title).hint(hint))
        }
    }
}

/// A reader that has gone away, as in `gimlet ... | head`, is not our trouble.
pub(crate) fn write(to: &mut impl Write, bytes: &[u8]) {
    to.write_all(bytes).and_then(|()| to.flush()).unwrap_or_default();
}
