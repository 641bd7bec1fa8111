//! Converts errors of targets, hosts and calls into diagnostics with hints.

use crate::diagnostic::Diagnostic;
use crate::elixir;
use crate::erlang::code::{Function, Visibility, functions};
use crate::explain::Code;
use ::report::Snippet;
use beam::{Builder, Otp, TargetError};
use config::nearest;
use erlang::{HostError, ModuleCode};
use std::fs;
use std::path::Path;
use term::{Atom, Call, Encoding, ReadError, atom_text};

pub(crate) fn bad_call(text: &str, targets: &[String], error: &ReadError) -> Diagnostic {
    let before = text.get(..error.offset).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |it| it + 1);
    let place = Snippet {
        origin: "call".to_owned(),
        line: before.matches('\n').count() + 1,
        column: before.chars().rev().take_while(|it| *it != '\n').count() + 1,
        text: text.get(line_start..).and_then(|it| it.lines().next()).unwrap_or("").to_owned(),
        n_chars: 1,
        label: String::new(),
    };
    let hint = if targets.is_empty() && !text.contains('(') {
        "the last argument is the call: gimlet run lists 'lists:seq(1, 3)'"
    } else {
        "write it as in the shell, with literal arguments: 'lists:seq(1, 3)', 'Enum.sum([1, 2])'"
    };
    Diagnostic::new(Code::BadCall, error.to_string()).at(place).hint(hint)
}

pub(crate) fn bad_target(error: &TargetError) -> Diagnostic {
    let title = error.to_string();
    let no_target = |hint: &str| Diagnostic::new(Code::NoTarget, title.clone()).hint(hint);
    match error {
        TargetError::NoSuchFile(_) => no_target("paths are relative to the current directory"),
        TargetError::Unreadable(..) => Diagnostic::new(Code::NoTarget, title),
        TargetError::UnknownKind(_) | TargetError::NotBeam(_) => {
            no_target("a target is an .erl, .ex, .exs or .beam file, a directory, or a module")
        }
        TargetError::NoDebugInfo(_) => no_debug_info(title),
        TargetError::NotModule(_) => no_target("a module goes by the name of its file"),
        TargetError::NotBuilt(_, Builder::Rebar3) => no_target("build it first: rebar3 compile"),
        TargetError::NotBuilt(_, Builder::Mix) => no_target("build it first: mix compile"),
        TargetError::NotBuilt(_, Builder::Gleam) => no_target("build it first: gleam build"),
        TargetError::NotCompiled(_) => {
            no_target("compile it with elixirc and give the .beam files")
        }
        TargetError::Empty(_) => no_target("name a file in it, or build the project first"),
    }
}

/// Converts an error of a host. `host` starts another host, for the names of known modules in a hint.
pub(crate) fn host_trouble(
    error: &HostError,
    host: impl FnOnce() -> Result<Otp, HostError>,
) -> Diagnostic {
    let title = error.to_string();
    match error {
        HostError::NotFound(name) => {
            let res = Diagnostic::new(Code::NoModule, title);
            let known = host().map(|mut it| known_modules(&mut it)).unwrap_or_default();
            match nearest(name, known.iter().map(String::as_str)) {
                Some(near) => res.hint(format!("did you mean {near}?")),
                None => res.hint("name its file as a target, or its directory with -pa"),
            }
        }
        HostError::NoDebugInfo(_) => no_debug_info(title),
        HostError::Compile(messages) => {
            Diagnostic::new(Code::DoesNotCompile, "the source does not compile")
                .with_details(messages.clone())
                .hint("include directories are given with -I, macros with -D")
        }
        HostError::Timeout(_) => Diagnostic::new(Code::SlowOtp, title).hint("try it again"),
        HostError::Lost(_) => Diagnostic::new(Code::NoOtp, title)
            .hint("OTP 25 or newer must be installed, and erl on the PATH"),
    }
}

fn no_debug_info(title: String) -> Diagnostic {
    Diagnostic::new(Code::NoDebugInfo, title)
        .hint("compile it with +debug_info, or name the source file as the target")
}

/// The names of all modules of the installation, to find one that is similar to a misspelt name.
fn known_modules(host: &mut Otp) -> Vec<String> {
    let Ok(installation) = host.installation() else { return vec![] };
    let dirs = installation.code_paths.iter().filter_map(|it| fs::read_dir(it).ok());
    dirs.flatten()
        .flatten()
        .map(|it| it.path())
        .filter(|it| it.extension().is_some_and(|it| it == "beam"))
        .filter_map(|it| Some(it.file_stem()?.to_str()?.to_owned()))
        .collect()
}

/// A diagnostic if the called function does not exist or is not exported; `None` if it can be called.
pub(crate) fn no_function(code: &ModuleCode, call: &Call) -> Option<Diagnostic> {
    let arity = i64::try_from(call.args.len()).unwrap_or(i64::MAX);
    no_function_named(code, &call.function, arity)
}

pub(crate) fn no_function_named(
    code: &ModuleCode,
    function: &Atom,
    arity: i64,
) -> Option<Diagnostic> {
    let all = functions(code);
    let text = |name: &Atom, arity: i64| {
        if elixir::is_elixir(&code.name) {
            return elixir::function(&code.name, name, usize::try_from(arity).unwrap_or_default());
        }
        let quoted = |it: &Atom| atom_text(it, Encoding::Unicode);
        format!("{}:{}/{arity}", quoted(&code.name), quoted(name))
    };
    let asked = text(function, arity);
    let same = |it: &&Function| it.name == *function && it.arity == arity;
    if let Some(found) = all.iter().find(same) {
        if found.visibility == Visibility::Exported {
            return None;
        }
        let res = Diagnostic::new(Code::NotExported, format!("{asked} is not exported"))
            .hint("call it through an exported function, or add it to -export");
        return Some(match definition(code, found) {
            Some(place) => res.at(place),
            None => res,
        });
    }
    let res = Diagnostic::new(Code::NoFunction, format!("there is no function {asked}"));
    let arities: Vec<String> = exported(&all)
        .filter(|it| it.name == *function)
        .map(|it| text(&it.name, it.arity))
        .collect();
    if !arities.is_empty() {
        return Some(res.hint(format!("there is {}", arities.join(", "))));
    }
    let near = nearest(function.as_str(), exported(&all).map(|it| it.name.as_str()));
    Some(match near.and_then(|near| exported(&all).find(|it| it.name.as_str() == near)) {
        Some(near) => res.hint(format!("did you mean {}?", text(&near.name, near.arity))),
        None => res,
    })
}

fn exported(all: &[Function]) -> impl Iterator<Item = &Function> {
    all.iter().filter(|it| it.visibility == Visibility::Exported)
}

pub(crate) fn definition(code: &ModuleCode, function: &Function) -> Option<Snippet> {
    let (line, column) = function.position?;
    let source = fs::read_to_string(Path::new(&code.file)).ok()?;
    Some(Snippet {
        origin: code.file.clone(),
        line,
        column,
        text: source.lines().nth(line.checked_sub(1)?)?.to_owned(),
        n_chars: atom_text(&function.name, Encoding::Unicode).chars().count(),
        label: "defined here".to_owned(),
    })
}
