//! The life of the process: arguments in, an exit code out, and what happens if we break.

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

/// Exit code: it could not do what was asked.
pub(crate) const COULD_NOT: u8 = 2;

/// Terms are compared and dropped recursively, and a program may make very deep ones. The pages are
/// only taken when they are used.
pub(crate) const STACK_BYTES: usize = 1 << 30;

/// Does what the arguments of the process ask for.
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

/// Writes to standard output; what can't be written there was not done.
fn told(
    stdout: &[u8],
    mut diagnostics: Vec<Diagnostic>,
    code: ExitCode,
) -> (Vec<Diagnostic>, ExitCode) {
    let mut to = io::stdout();
    match to.write_all(stdout).and_then(|()| to.flush()) {
        // A reader that has gone away, as in `gimlet ... | head`, has what it wanted.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            let title = format!("standard output can't be written: {error}");
            diagnostics.push(Diagnostic::new(Code::CanNotWrite, title));
            (diagnostics, ExitCode::from(COULD_NOT))
        }
        Ok(()) | Err(_) => (diagnostics, code),
    }
}

/// Explores units for the process that started this one.
fn work(role: &Role, options: &Test, matches: &ArgMatches, arguments: &[OsString]) -> ExitCode {
    match (role.family(), asked(options, matches, arguments)) {
        (Some(family), Ok(asked)) => family.serve(&asked),
        // Its owner has told the user.
        (_, Ok(_) | Err(_)) => ExitCode::from(COULD_NOT),
    }
}

/// The options of `test` with what the configuration adds.
fn asked(
    options: &Test,
    matches: &ArgMatches,
    arguments: &[OsString],
) -> Result<Asked, Vec<Diagnostic>> {
    let texts = arguments.iter().map(|it| it.to_string_lossy().into_owned());
    // The program and the word `test` stand before them.
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

/// A reader that has gone away, as in `gimlet ... | head`, is not our trouble.
pub(crate) fn write(to: &mut impl Write, bytes: &[u8]) {
    to.write_all(bytes).and_then(|()| to.flush()).unwrap_or_default();
}
