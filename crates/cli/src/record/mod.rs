//! `gimlet record`: runs a command of the user, most often the project's tests, and notes how the project's
//! functions are called meanwhile.
//!
//! The command is the user's own and runs unconfined, with all that it may do anyway. The recorder is loaded
//! by each Erlang runtime that the command starts; it knows nothing of units or of specs.

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

/// Runs the command to its end; its exit code is ours.
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
    // Whom a signal has ended has no code; shells say 128 and more then.
    let code = status.code().and_then(|it| u8::try_from(it).ok());
    ExitCode::from(code.unwrap_or(130))
}

/// The directory in which runtimes leave what they noted; it is removed in the end.
struct Notes {
    dir: PathBuf,
}

/// The variable that names the script by which a runtime begins to record.
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

    /// What makes a runtime load the recorder before it does anything else. Neither quotes nor spaces
    /// would survive in the flags, so that the name of the variable is a list of characters.
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

    /// One for each runtime that was started.
    fn files(&self) -> impl Iterator<Item = PathBuf> {
        let entries = fs::read_dir(&self.dir).into_iter().flatten().flatten();
        let mut files: Vec<PathBuf> = entries.map(|it| it.path()).collect();
        files.retain(|it| it.extension().is_some_and(|it| it == "calls"));
        files.sort();
        files.into_iter()
    }

    /// All calls that were noted, each once, sorted.
    fn calls(&self) -> BTreeMap<String, Vec<Call>> {
        let mut res: BTreeMap<String, Vec<Call>> = BTreeMap::new();
        for bytes in self.files().filter_map(|it| fs::read(it).ok()) {
            let mut rest = bytes.as_slice();
            while let Some((size, after)) = rest.split_first_chunk::<4>() {
                let size = usize::try_from(u32::from_be_bytes(*size)).unwrap_or(usize::MAX);
                // The last one may be cut off.
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
        // It lies among files that nobody misses.
        drop(fs::remove_dir_all(&self.dir));
    }
}

/// What a runtime evaluates before anything else.
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

/// `{Module, Function, Args, End}` as the recorder writes it.
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
