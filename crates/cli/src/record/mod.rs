//! `gimlet record`: runs a command of the user, most often the project's tests, and records the calls of the project's
//! functions.
//!
//! The command is the user's own and runs without a sandbox. Each Erlang runtime that the command starts loads the
//! recorder (`recorder.erl`), which knows nothing of units or specs.

mod file;

pub(crate) use file::{Call, End, Recording, find};

use crate::args::Record;
use crate::diagnostic::Diagnostic;
use crate::explain::Code;
use crate::start::Done;
use file::FILE;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus};
use std::{env, fs, io};
use term::{Atom, Term, etf};

const RECORDER: &str = include_str!("recorder.erl");

/// Runs the command to its end and returns its exit code.
pub(crate) fn record(options: &Record) -> Result<Done, Diagnostic> {
    let cannot =
        |what: &str, why: &io::Error| Diagnostic::new(Code::CanNotRecord, format!("{what}: {why}"));
    let Some((program, args)) = options.command.split_first() else {
        return Err(Diagnostic::new(Code::CanNotRecord, "there is no command to run")
            .hint("gimlet record -- rebar3 eunit"));
    };
    let root = env::current_dir().map_err(|it| cannot("the directory can't be found", &it))?;
    let notes = Notes::new(&root).map_err(|it| cannot("nothing can be noted", &it))?;
    let mut command = Command::new(program);
    command.args(args).envs(notes.environment());
    let status = command
        .status()
        .map_err(|it| cannot(&format!("{} can't be started", program.display()), &it))?;
    let mut diagnostics = Vec::new();
    let words: Vec<String> =
        options.command.iter().map(|it| it.to_string_lossy().into_owned()).collect();
    let recording = Recording { command: words, functions: notes.calls() };
    let file = options.out.clone().unwrap_or_else(|| root.join(FILE));
    let mut stderr = Vec::new();
    if recording.functions.is_empty() {
        diagnostics.push(nothing(&notes, &recording.command.join(" ")));
    } else {
        recording.write(&file).map_err(|it| cannot(&format!("{}", file.display()), &it))?;
        let n_calls: usize = recording.functions.values().map(Vec::len).sum();
        let n_functions = recording.functions.len();
        let text = format!(
            "recorded {n_calls} calls of {n_functions} functions in {}\n",
            file.strip_prefix(&root).unwrap_or(&file).display()
        );
        stderr = text.into_bytes();
    }
    Ok(Done { stdout: Vec::new(), stderr, diagnostics, code: code_of(status) })
}

fn nothing(notes: &Notes, command: &str) -> Diagnostic {
    let has_run = notes.files().next().is_some();
    let (title, hint) = if has_run {
        let hint = "run it in the project's directory; only exported functions of modules whose \
                    source lies there count, and none of its tests or dependencies";
        (format!("`{command}` called no function of this project"), hint)
    } else {
        let hint = "calls are recorded in Erlang runtimes: rebar3, mix, erl; not in others";
        (format!("`{command}` started no Erlang runtime"), hint)
    };
    Diagnostic::warning(Code::CanNotRecord, title).hint(hint)
}

fn code_of(status: ExitStatus) -> ExitCode {
    // A process that a signal ended has no exit code; shells use 128 plus the signal's number then.
    let code = status.code().and_then(|it| u8::try_from(it).ok());
    ExitCode::from(code.unwrap_or(130))
}

/// The directory to which the recorders write; removed on drop.
struct Notes {
    dir: PathBuf,
}

/// The environment variable with the path of the script that starts the recorder.
const VARIABLE: &str = "GIMLET_RECORDER";

impl Notes {
    fn new(root: &Path) -> io::Result<Notes> {
        let dir = env::temp_dir().join(format!("gimlet-record-{}", std::process::id()));
        fs::create_dir_all(&dir)?;
        let res = Notes { dir };
        fs::write(res.dir.join("gimlet_recorder.erl"), RECORDER)?;
        fs::write(res.dir.join("start"), script(&res.dir, root))?;
        Ok(res)
    }

    /// The environment that makes a runtime start the recorder before anything else. Quotes and spaces would not
    /// survive in `ERL_AFLAGS`, so the name of the variable is written as a list of character codes.
    fn environment(&self) -> Vec<(&'static str, OsString)> {
        let name: Vec<String> = VARIABLE.bytes().map(|it| it.to_string()).collect();
        let mut flags =
            OsString::from(format!("-eval catch(file:script(os:getenv([{}])))", name.join(",")));
        if let Some(own) = env::var_os("ERL_AFLAGS") {
            flags.push(" ");
            flags.push(own);
        }
        vec![("ERL_AFLAGS", flags), (VARIABLE, self.dir.join("start").into_os_string())]
    }

    /// The recorders' files, one per runtime that was started.
    fn files(&self) -> impl Iterator<Item = PathBuf> {
        let entries = fs::read_dir(&self.dir).into_iter().flatten().flatten();
        let mut files: Vec<PathBuf> = entries.map(|it| it.path()).collect();
        files.retain(|it| it.extension().is_some_and(|it| it == "calls"));
        files.sort();
        files.into_iter()
    }

    /// Returns all recorded calls by function, sorted and without duplicates.
    fn calls(&self) -> BTreeMap<String, Vec<Call>> {
        let mut res: BTreeMap<String, Vec<Call>> = BTreeMap::new();
        for bytes in self.files().filter_map(|it| fs::read(it).ok()) {
            let mut rest = bytes.as_slice();
            while let Some((size, after)) = rest.split_first_chunk::<4>() {
                let size = usize::try_from(u32::from_be_bytes(*size)).unwrap_or(usize::MAX);
                // The last entry may be truncated, if its runtime was killed.
                let Some(entry) = after.get(..size) else { break };
                rest = after.get(size..).unwrap_or_default();
                let call = etf::decode(entry).ok().and_then(|it| call(&it));
                if let Some((function, call)) = call {
                    res.entry(function).or_default().push(call);
                }
            }
        }
        for calls in res.values_mut() {
            calls.sort();
            calls.dedup_by(|a, b| a.args == b.args);
        }
        res
    }
}

impl Drop for Notes {
    fn drop(&mut self) {
        // A directory left behind in the temporary directory does no harm.
        drop(fs::remove_dir_all(&self.dir));
    }
}

/// The Erlang script that compiles, loads and starts the recorder.
fn script(dir: &Path, root: &Path) -> String {
    let text = |it: &Path| term::print(&Term::string(&it.to_string_lossy()), term::Style::TP);
    format!(
        "%% -*- coding: utf-8 -*-\n\
         Dir = {},\n\
         {{ok, Module, Beam}} = compile:file(filename:join(Dir, \"gimlet_recorder.erl\"), [binary]),\n\
         {{module, _}} = code:load_binary(Module, \"gimlet_recorder.erl\", Beam),\n\
         Module:start(filename:join(Dir, os:getpid() ++ \".calls\"), {}).\n",
        text(dir),
        text(root)
    )
}

/// Reads an entry of the recorder, `{Module, Function, Args, End}`. `None` if it has another form.
fn call(term: &Term) -> Option<(String, Call)> {
    let [Term::Atom(module), Term::Atom(function), args, end] = term.as_tuple()? else {
        return None;
    };
    let args = args.as_list()?.to_vec();
    let end = match (end.as_atom(), end.as_tuple()) {
        (Some("value"), _) => End::Value(None),
        (_, Some([tag, value])) if tag.as_atom() == Some("value") => {
            End::Value(Some(value.clone()))
        }
        (_, Some([_, class, ..])) => End::Raised(Atom::new(class.as_atom()?)),
        (Some(_), _) | (None, Some(_) | None) => return None,
    };
    Some((file::name(module, function, args.len()), Call { args, end }))
}
