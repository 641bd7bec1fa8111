//! Loads a program in SWI-Prolog to find parts that it refuses although our machine accepts them.
//!
//! Goals are not run here.

use crate::diagnostic::{Diagnostic, Severity};
use crate::explain::Code;
use crate::prolog::source::Source;
use crate::prolog::swipl::Swipl;
use ::report::Snippet;
use sandbox::Scratch;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// The time limit for loading a file; loading that takes longer is reported as endless.
const LONGEST: Duration = Duration::from_secs(20);
/// The maximum number of inferences of all directives and goals of `initialization/1` of a file together.
pub(super) const MOST_INFERENCES: u64 = 100_000_000;
/// The maximum number of errors shown per file.
const MOST: usize = 5;

/// A script that prints each load error with its file and line, except effects that the sandbox refuses.
const SCRIPT: &str = r#"
:- set_prolog_flag(verbose_load, silent).
:- multifile user:message_hook/3.
:- dynamic user:message_hook/3.
user:message_hook(Term, error, Lines) :-
    (   sub_term(Inner, Term), Inner == inference_limit_exceeded
    ->  Kind = endless
    ;   '$gimlet_effect'(Term)
    ->  Kind = kept
    ;   Kind = error
    ),
    '$gimlet_place'(Term, File, Line),
    with_output_to(string(Text), print_message_lines(current_output, '', Lines)),
    split_string(Text, "\n", " \t", Parts),
    exclude(==(""), Parts, Said),
    atomic_list_concat(Said, ' ', Words),
    format(user_output, "~n@! ~w\t~w\t~w\t~w~n", [Kind, Line, File, Words]),
    fail.
'$gimlet_effect'(error(permission_error(_, source_sink, _), _)).
'$gimlet_effect'(error(permission_error(_, file, _), _)).
'$gimlet_effect'(error(permission_error(_, directory, _), _)).
'$gimlet_effect'(error(system_error(_), _)).
'$gimlet_effect'(error(socket_error(_, _), _)).
'$gimlet_effect'(error(process_error(_, _), _)).
'$gimlet_effect'(unhandled_exception(E)) :- '$gimlet_effect'(E).
'$gimlet_effect'(T) :-
    functor(T, Name, _), memberchk(Name, [init_goal, initialization_error]),
    arg(_, T, E), nonvar(E), '$gimlet_effect'(E), !.
'$gimlet_place'(error(_, file(File, Line, _, _)), File, Line) :- integer(Line), !.
'$gimlet_place'(error(_, stream(_, Line, _, _)), File, Line) :-
    integer(Line), source_location(File, _), !.
'$gimlet_place'(_, File, Line) :- source_location(File, Line), !.
'$gimlet_place'(_, '', 0).
'$gimlet_load'(File) :-
    call_with_inference_limit(user:load_files(File, [silent(true)]), INFERENCES, Result),
    (   Result == inference_limit_exceeded
    ->  format(user_output, "~n@! endless\t0\t\t~n", [])
    ;   true
    ).
"#;

/// Returns a diagnostic for each part of the program that SWI-Prolog refuses, unless the line already has one.
pub(super) fn refused(swipl: &Swipl, source: &Source, said: &[Diagnostic]) -> Vec<Diagnostic> {
    let path = source.absolute();
    let named = path.display().to_string().replace('\\', "\\\\").replace('\'', "\\'");
    let script = SCRIPT.replace("INFERENCES", &MOST_INFERENCES.to_string());
    let text = format!("{script}:- '$gimlet_load'('{named}').\n");
    let written = Scratch::new().and_then(|scratch| {
        let script = scratch.path().join("load.pl");
        fs::write(&script, text)?;
        Ok((scratch, script))
    });
    let Ok((scratch, script)) = written else { return Vec::new() };
    let args = ["-q", "-g", "true", "-t", "halt"];
    let Some((out, _)) = swipl.run(&args, source, &script, scratch, LONGEST) else {
        return Vec::new();
    };
    let mut res: Vec<Diagnostic> = Vec::new();
    for line in out.lines().filter_map(|it| it.strip_prefix("@! ")) {
        let parts: Vec<&str> = line.splitn(4, '\t').collect();
        let [kind, line, file, words] = parts.as_slice() else { continue };
        let Ok(line) = line.parse::<usize>() else { continue };
        let is_there = |it: &&Diagnostic| {
            let is_same_file =
                |origin: &str| Path::new(origin).file_name() == Path::new(file).file_name();
            let is_error = it.severity == Severity::Error || it.code == Code::BadSyntax;
            is_error
                && it.place.as_ref().is_some_and(|it| it.line == line && is_same_file(&it.origin))
        };
        let new = match *kind {
            "kept" => {
                Diagnostic::warning(Code::Refused, format!("swipl was kept from this: {words}"))
                    .hint("--allow files and --allow os let the program do more")
            }
            "endless" => {
                let title = format!("swipl has not loaded this after {MOST_INFERENCES} inferences");
                Diagnostic::new(Code::Refused, title)
                    .hint("a directive or an initialization may not end")
            }
            _ => Diagnostic::new(Code::Refused, format!("swipl refuses this: {words}"))
                .hint("what is found here holds for our machine only, until swipl loads it"),
        };
        let is_known = said.iter().chain(&res).any(|it| is_there(&it))
            || res.iter().any(|it| it.title == new.title);
        if is_known || MOST <= res.len() {
            continue;
        }
        res.push(match snippet(source, Path::new(file), line) {
            Some(place) => new.at(place),
            None => new,
        });
    }
    res
}

fn snippet(source: &Source, file: &Path, line: usize) -> Option<Snippet> {
    let text = fs::read_to_string(file).ok()?;
    let text = text.lines().nth(line.checked_sub(1)?)?.to_owned();
    let is_own = file == source.absolute();
    let origin =
        if is_own { source.path.display().to_string() } else { file.display().to_string() };
    let n_chars = text.trim().chars().count();
    let column = text.chars().take_while(|it| it.is_whitespace()).count() + 1;
    Some(Snippet { origin, line, column, text, n_chars, label: String::new() })
}
