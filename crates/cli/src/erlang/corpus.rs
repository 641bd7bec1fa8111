//! Recorded inputs: one file for each unit, one term on each line, in Erlang's syntax.
//!
//! ```erlang
//! {gimlet_corpus,1}.
//! {unit,{example,foo,1}}.
//! {targets,["examples/example.erl"]}.
//! {input,"b35bc96d",[[42]],{error,{case_clause,eq}}}.
//! ```

use crate::args::Build;
use crate::erlang::explore::Explored;
use crate::erlang::report::class_and_reason;
use crate::erlang::tests::is_opaque;
use crate::erlang::unit::UnitName;
use crate::flow::Recorded;
use std::fmt::Write;
use std::path::PathBuf;
use term::{Style, Term, print, read_call, read_term};
use trace::{Input, Outcome};

const VERSION: i64 = 1;

/// The file name for a unit's corpus.
pub(crate) fn file_name(unit: &UnitName) -> String {
    let plain = |text: &str| {
        let mut res = String::new();
        for c in text.chars() {
            if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') {
                res.push(c);
            } else {
                write!(res, "%{:x}", u32::from(c)).ok();
            }
        }
        res
    };
    format!(
        "{}.{}.{}.corpus",
        plain(unit.module.as_str()),
        plain(unit.function.as_str()),
        unit.arity
    )
}

pub(crate) fn print_corpus(
    unit: &UnitName,
    explored: &Explored,
    targets: &[String],
    build: &Build,
) -> String {
    let mut out = format!("%% Inputs of {unit}, for `gimlet replay` and for later tests.\n");
    let UnitName { module, function, arity } = unit;
    let name = vec![Term::Atom(module.clone()), Term::Atom(function.clone()), int(*arity)];
    let texts = |it: &[String]| Term::proper_list(it.iter().map(|it| Term::string(it)).collect());
    let paths = |it: &[PathBuf]| {
        let texts = it.iter().map(|it| Term::string(&it.to_string_lossy()));
        Term::proper_list(texts.collect())
    };
    let mut put = |tag: &str, parts: Vec<Term>| {
        let term = Term::Tuple([Term::atom(tag)].into_iter().chain(parts).collect());
        writeln!(out, "{}.", print(&term, Style::TP)).ok();
    };
    put("gimlet_corpus", vec![Term::Int(VERSION)]);
    put("unit", vec![Term::Tuple(name)]);
    put("targets", vec![texts(targets)]);
    put("pa", vec![paths(&build.code_paths)]);
    put("includes", vec![paths(&build.includes)]);
    put("defines", vec![texts(&build.defines)]);
    if !build.nodes.0.is_empty() {
        put("nodes", vec![texts(&build.nodes.0)]);
    }
    for (input, outcome) in explored.ends() {
        let end = end(outcome);
        let script = unit.script(&input.args);
        let (id, args) = (Term::string(&script.id()), input.args.clone());
        // In arguments, lists of numbers are more frequent than strings.
        let args = print(&Term::proper_list(args), Style::INPUT);
        let (id, end) = (print(&id, Style::TP), print(&end, Style::TW));
        writeln!(out, "{{input,{id},{args},{end}}}.").ok();
    }
    out
}

fn int(n: usize) -> Term {
    Term::Int(i64::try_from(n).unwrap_or(i64::MAX))
}

fn end(outcome: &Outcome) -> Term {
    let tagged = |tag: &str, term: &Term| {
        let mut parts = vec![Term::atom(tag)];
        if !is_opaque(term) {
            parts.push(term.clone());
        }
        Term::Tuple(parts)
    };
    match outcome {
        Outcome::Value(value) => tagged("value", value),
        Outcome::Crash { class, reason, .. } => tagged(class.as_str(), reason),
        Outcome::Deadlock => Term::Tuple(vec![Term::atom("deadlock")]),
        Outcome::Stopped(_) => {
            let class = class_and_reason(outcome).0;
            Term::Tuple(vec![Term::atom(&class)])
        }
    }
}

/// Reads targets, build options and inputs of a corpus. `Err` is the number of the first line that can't be read.
pub(crate) fn read_corpus(
    text: &str,
) -> Result<(Vec<String>, ::report::Build, Vec<Recorded>), usize> {
    let mut corpus = Corpus::default();
    let mut is_corpus = false;
    for (n, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('%') {
            continue;
        }
        let term = line.strip_suffix('.').and_then(|it| read_term(it).ok());
        let row = term.as_ref().and_then(Term::as_tuple).and_then(<[Term]>::split_first);
        let taken = row.and_then(|(tag, parts)| match (tag.as_atom()?, parts) {
            ("gimlet_corpus", [version]) => {
                is_corpus = version.as_int()? == VERSION;
                Some(())
            }
            (tag, parts) => corpus.take(tag, parts),
        });
        taken.ok_or(n + 1)?;
    }
    if is_corpus { Ok((corpus.targets, corpus.build, corpus.inputs)) } else { Err(1) }
}

/// Reads the inputs of one unit that an earlier run recorded.
pub(crate) fn recorded_inputs(text: &str) -> Vec<Input> {
    let Ok((_, _, inputs)) = read_corpus(text) else { return Vec::new() };
    let input = |it: &Recorded| Some(Input { args: read_call(&it.call).ok()?.args });
    inputs.iter().filter_map(input).collect()
}

#[derive(Default)]
struct Corpus {
    targets: Vec<String>,
    build: ::report::Build,
    unit: Option<UnitName>,
    inputs: Vec<Recorded>,
}

impl Corpus {
    /// Reads one row; `None` if it is malformed.
    fn take(&mut self, tag: &str, parts: &[Term]) -> Option<()> {
        match (tag, parts) {
            ("unit", [name]) => self.unit = Some(read_unit(name)?),
            ("targets", [list]) => self.targets = read_texts(list)?,
            ("pa", [list]) => self.build.pa = read_texts(list)?,
            ("includes", [list]) => self.build.includes = read_texts(list)?,
            ("nodes", [list]) => self.build.nodes = read_texts(list)?,
            ("defines", [list]) => self.build.defines = read_texts(list)?,
            ("input", [id, args, end]) => {
                let (class, rest) = end.as_tuple()?.split_first()?;
                let unit = self.unit.as_ref()?;
                self.inputs.push(Recorded {
                    language: unit.language().to_owned(),
                    unit: unit.to_string(),
                    file: None,
                    id: read_text(id)?,
                    setup: Vec::new(),
                    call: unit.script(args.as_list()?).text(),
                    outcome: class.as_atom()?.to_owned(),
                    term: rest.first().map(|it| print(it, Style::TW)),
                    schedule: None,
                });
            }
            _ => return None,
        }
        Some(())
    }
}

fn read_unit(term: &Term) -> Option<UnitName> {
    let [Term::Atom(module), Term::Atom(function), arity] = term.as_tuple()? else { return None };
    let arity = usize::try_from(arity.as_int()?).ok()?;
    Some(UnitName { module: module.clone(), function: function.clone(), arity })
}

fn read_text(term: &Term) -> Option<String> {
    let code = |it: &Term| char::from_u32(u32::try_from(it.as_int()?).ok()?);
    term.as_list()?.iter().map(code).collect()
}

fn read_texts(list: &Term) -> Option<Vec<String>> {
    list.as_list()?.iter().map(read_text).collect()
}

#[cfg(test)]
mod tests {
    use super::{file_name, read_corpus};
    use crate::erlang::unit::UnitName;
    use term::Atom;

    #[test]
    fn file_names_are_plain() {
        let check = |module: &str, function: &str, expect: &str| {
            let (module, function) = (Atom::new(module), Atom::new(function));
            assert_eq!(file_name(&UnitName { module, function, arity: 2 }), expect);
        };
        check("lists", "nth", "lists.nth.2.corpus");
        check("Elixir.Enum", "at/x é", "Elixir%2eEnum.at%2fx%20%e9.2.corpus");
    }

    #[test]
    fn what_is_no_corpus_is_refused_with_its_line() {
        let head = "%% x\n{gimlet_corpus,1}.\n{unit,{m,f,1}}.\n";
        let read = |rest: &str| read_corpus(&format!("{head}{rest}"));
        let (_, _, inputs) =
            read("{input,\"id\",[[fun (_) -> 1 end]],{value}}.\n").expect("a corpus");
        assert_eq!((inputs[0].outcome.as_str(), &inputs[0].term), ("value", &None));
        assert_eq!(read("{input,\"id\",[1],{value,2}}").expect_err("no dot"), 4);
        assert_eq!(read("{what,1}.").expect_err("no such row"), 4);
        assert_eq!(read_corpus("hello").expect_err("text"), 1);
        assert_eq!(read_corpus("").expect_err("nothing"), 1);
    }
}
