//! The life of the process: reads the arguments, performs the command, returns the exit code, and reports our own
//! panics.

use crate::args::{Command, CommandLine, Test, spelled_for_parser};
use crate::asked::Asked;
use crate::configure::{init, show_config};
use crate::diagnostic::Diagnostic;
use crate::erlang::{instrument, run, symbolic};
use crate::explain::Code;
use crate::flow::{Role, replay, test};
use crate::lsp::lsp;
use crate::manual::{completions, manual};
use crate::prolog::is_prolog;
use crate::record::record;
use crate::watch::watch;
use ::report::Colours;
use clap::{ArgMatches, CommandFactory, FromArgMatches};
use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::{env, io, panic, thread};

/// The exit code when the request could not be carried out.
pub(crate) const COULD_NOT: u8 = 2;

/// The stack size, in bytes, of the thread that does the work. Terms are compared and dropped recursively, and a
/// program may build very deep ones. The operating system commits only the pages that are touched.
pub(crate) const STACK_BYTES: usize = 1 << 30;

/// Performs the command that the process arguments name.
pub fn start() -> ExitCode {
    let given: Vec<OsString> = env::args_os().collect();
    let (role, given) = match Role::of_args(&given) {
        Some((role, given)) => (Some(role), given),
        None => (None, given),
    };
    if let Some(role) = &role {
        role.begin();
    }
    let arguments = spelled_for_parser(given.into_iter());
    let matches = CommandLine::command().get_matches_from(&arguments);
    let mut command_line = match CommandLine::from_arg_matches(&matches) {
        Ok(command_line) => command_line,
        Err(error) => error.exit(),
    };
    command_line.command.share_rights();
    panic::set_hook(Box::new(|info| {
        let text = format!(
            "gimlet broke; that is a bug of ours, not of your program.\n{info}\n\
             Please send us this message, `gimlet --version`, and the command with its files.\n"
        );
        write(&mut io::stderr(), text.as_bytes());
    }));
    let worker = thread::Builder::new().name("gimlet".to_owned()).stack_size(STACK_BYTES);
    let worker = worker.spawn(move || match (&role, &command_line.command) {
        (Some(role), Command::Test(options)) => work(role, options, &matches, &arguments),
        (_, command) => perform(command, &matches, &arguments),
    });
    match worker.map(thread::JoinHandle::join) {
        Ok(Ok(code)) => code,
        // The panic hook has already printed the message.
        Ok(Err(_)) => ExitCode::from(COULD_NOT),
        Err(error) => {
            let text = format!("gimlet can't start a thread with a stack of 1 GiB: {error}\n");
            write(&mut io::stderr(), text.as_bytes());
            ExitCode::from(COULD_NOT)
        }
    }
}

/// The result of a command.
pub(crate) struct Done {
    pub(crate) stdout: Vec<u8>,
    /// Text that the program under test wrote to its standard error.
    pub(crate) stderr: Vec<u8>,
    /// Warnings and notes of a command that succeeded.
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) code: ExitCode,
}

fn perform(command: &Command, matches: &ArgMatches, arguments: &[OsString]) -> ExitCode {
    let plain = |(stdout, code)| Done { stdout, stderr: vec![], diagnostics: vec![], code };
    let silent = |code| plain((vec![], code));
    let done = match command {
        Command::Test(options) => asked(options, matches, arguments).and_then(|asked| test(&asked)),
        Command::Init(options) => init(&options.dir).map(plain).map_err(|it| vec![it]),
        Command::Config(options) => show_config(&options.arguments).map(plain),
        Command::Run(options) if options.targets_and_call.iter().any(|it| is_prolog(it)) => {
            crate::prolog::run(options)
        }
        Command::Run(options) => run(options).map_err(|it| vec![it]),
        Command::Record(options) => record(options).map_err(|it| vec![it]),
        Command::Replay(options) => replay(options),
        Command::Symbolic(options) if options.targets.iter().any(|it| is_prolog(it)) => {
            crate::prolog::symbolic(options)
        }
        Command::Symbolic(options) => symbolic(options),
        Command::Instrument(options) => instrument(options).map(plain).map_err(|it| vec![it]),
        Command::Watch(options) => watch(options).map(silent).map_err(|it| vec![it]),
        Command::Lsp => lsp().map(silent).map_err(|it| vec![it]),
        Command::Completions { shell } => Ok(plain(completions(*shell))),
        Command::Manual { dir } => manual(dir.as_deref()).map(plain).map_err(|it| vec![it]),
        Command::Explain { code } => explain(code).map(plain).map_err(|it| vec![it]),
    };
    let (diagnostics, code) = match done {
        Ok(Done { stdout, stderr, diagnostics, code }) => {
            write(&mut io::stderr(), &stderr);
            told(&stdout, diagnostics, code)
        }
        Err(diagnostics) => (diagnostics, ExitCode::from(COULD_NOT)),
    };
    let colours = colours(io::stderr().is_terminal());
    for diagnostic in diagnostics {
        write(&mut io::stderr(), diagnostic.render(colours).as_bytes());
    }
    code
}

/// Writes to standard output. A write that fails, except to a closed pipe, turns the exit code into [`COULD_NOT`].
fn told(
    stdout: &[u8],
    mut diagnostics: Vec<Diagnostic>,
    code: ExitCode,
) -> (Vec<Diagnostic>, ExitCode) {
    let mut to = io::stdout();
    match to.write_all(stdout).and_then(|()| to.flush()) {
        // A reader that closed the pipe, as in `gimlet ... | head`, needs no more output.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            let title = format!("standard output can't be written: {error}");
            diagnostics.push(Diagnostic::new(Code::CanNotWrite, title));
            (diagnostics, ExitCode::from(COULD_NOT))
        }
        Ok(()) | Err(_) => (diagnostics, code),
    }
}

/// Runs this process as a worker of the process that started it.
fn work(role: &Role, options: &Test, matches: &ArgMatches, arguments: &[OsString]) -> ExitCode {
    match (role.family(), asked(options, matches, arguments)) {
        (Some(family), Ok(asked)) => family.serve(&asked),
        // The owner reads the same configuration and has reported its errors.
        (_, Ok(_) | Err(_)) => ExitCode::from(COULD_NOT),
    }
}

/// Combines the options of `test` with the configuration.
fn asked(
    options: &Test,
    matches: &ArgMatches,
    arguments: &[OsString],
) -> Result<Asked, Vec<Diagnostic>> {
    let texts = arguments.iter().map(|it| it.to_string_lossy().into_owned());
    // The first two arguments are the program and the word `test`.
    let own: Vec<String> = texts.skip(2).collect();
    let (_, matches) = matches.subcommand().unwrap_or(("test", matches));
    Asked::new(options.clone(), matches, own)
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

/// Writes the bytes and ignores errors, such as that of a reader that closed the pipe (`gimlet ... | head`).
pub(crate) fn write(to: &mut impl Write, bytes: &[u8]) {
    to.write_all(bytes).and_then(|()| to.flush()).unwrap_or_default();
}
