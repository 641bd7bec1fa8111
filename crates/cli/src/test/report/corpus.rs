//! Recorded inputs: one file for each unit, one term on each line, in Erlang's syntax.
//!
//! ```erlang
//! {gimlet_corpus,1}.
//! {unit,{example,foo,1}}.
//! {targets,["examples/example.erl"]}.
//! {input,"b35bc96d",[[42]],{error,{case_clause,eq}}}.
//! ```

use crate::args::{Build, Nodes};
use crate::test::report::chosen::is_opaque;
use crate::test::report::{UnitReport, id_of};
use crate::test::schedules::Schedule;
use crate::test::unit::UnitName;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use term::{Style, Term, print, read_term};
use trace::Outcome;

/// Where the recorded inputs came from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Origin {
    /// As the command line named them.
    pub(crate) targets: Vec<String>,
    pub(crate) build: Build,
}

/// An input, and how its run ended when it was recorded.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Recorded {
    pub(crate) unit: UnitName,
    pub(crate) id: String,
    pub(crate) args: Vec<Term>,
    /// `value`, `error` and so on, as in JSON.
    pub(crate) class: String,
    /// The value or the reason; `None` if it can't be written down.
    pub(crate) term: Option<String>,
    pub(crate) schedule: Option<Schedule>,
}

const VERSION: i64 = 1;

/// The name of the file of a unit.
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

pub(crate) fn print_corpus(of: &UnitReport, origin: &Origin) -> String {
    let mut out = format!("%% Inputs of {}, for `gimlet replay` and for later tests.\n", of.unit);
    let UnitName { module, function, arity } = &of.unit;
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
    put("targets", vec![texts(&origin.targets)]);
    put("pa", vec![paths(&origin.build.code_paths)]);
    put("includes", vec![paths(&origin.build.includes)]);
    put("defines", vec![texts(&origin.build.defines)]);
    if !origin.build.nodes.0.is_empty() {
        put("nodes", vec![texts(&origin.build.nodes.0)]);
    }
    for (input, outcome) in of.explored.ends() {
        let end = end(outcome);
        let (id, args) = (Term::string(&id_of(&of.unit, &input.args)), input.args.clone());
        // Arguments are numbers more often than text.
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
            let class = super::json::class_and_reason(outcome).0;
            Term::Tuple(vec![Term::atom(&class)])
        }
    }
}

/// What the file says; `Err` is the number of the first line that says nothing.
pub(crate) fn read_corpus(text: &str) -> Result<(Origin, Vec<Recorded>), usize> {
    let mut origin = Origin::default();
    let mut unit = None;
    let mut inputs = Vec::new();
    let mut is_corpus = false;
    for (n, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('%') {
            continue;
        }
        let mut take = || -> Option<()> {
            let term = read_term(line.strip_suffix('.')?).ok()?;
            let (tag, parts) = term.as_tuple()?.split_first()?;
            match (tag.as_atom()?, parts) {
                ("gimlet_corpus", [version]) => is_corpus = version.as_int()? == VERSION,
                ("unit", [name]) => unit = Some(read_unit(name)?),
                ("targets", [list]) => origin.targets = read_texts(list)?,
                ("pa", [list]) => origin.build.code_paths = read_paths(list)?,
                ("includes", [list]) => origin.build.includes = read_paths(list)?,
                ("nodes", [list]) => origin.build.nodes = Nodes(read_texts(list)?),
                ("defines", [list]) => origin.build.defines = read_texts(list)?,
                ("input", [id, args, end]) => {
                    let (class, rest) = end.as_tuple()?.split_first()?;
                    inputs.push(Recorded {
                        unit: unit.clone()?,
                        id: read_text(id)?,
                        args: args.as_list()?.to_vec(),
                        class: class.as_atom()?.to_owned(),
                        term: rest.first().map(|it| print(it, Style::TW)),
                        schedule: None,
                    });
                }
                _ => return None,
            }
            Some(())
        };
        take().ok_or(n + 1)?;
    }
    if is_corpus { Ok((origin, inputs)) } else { Err(1) }
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

fn read_paths(list: &Term) -> Option<Vec<PathBuf>> {
    Some(read_texts(list)?.iter().map(|it| Path::new(it).to_owned()).collect())
}

#[cfg(test)]
mod tests {
    use super::{file_name, read_corpus};
    use crate::test::unit::UnitName;
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
        let (_, inputs) = read("{input,\"id\",[[fun (_) -> 1 end]],{value}}.\n").expect("a corpus");
        assert_eq!((inputs[0].class.as_str(), &inputs[0].term), ("value", &None));
        assert_eq!(read("{input,\"id\",[1],{value,2}}").expect_err("no dot"), 4);
        assert_eq!(read("{what,1}.").expect_err("no such row"), 4);
        assert_eq!(read_corpus("hello").expect_err("text"), 1);
        assert_eq!(read_corpus("").expect_err("nothing"), 1);
    }
}
