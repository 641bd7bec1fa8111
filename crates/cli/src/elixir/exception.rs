//! Formats exceptions as Elixir's `Exception.format/3` does.
//!
//! No runtime is involved, so the details that Elixir finds by inspecting modules (`module Foo is not available`) are
//! missing.

use crate::elixir::{alias, call, function, term};
use term::{Atom, Term};

/// Formats an exception: the banner, and a line for each stack frame.
pub(crate) fn exception_text(class: &str, reason: &Term, stack: &Term) -> String {
    let frames: Vec<StackFrame<'_>> =
        stack.as_list().unwrap_or_default().iter().map_while(StackFrame::new).collect();
    let banner = match class {
        "error" => {
            let (name, message) = explain(reason, frames.first());
            format!("({name}) {message}")
        }
        _ => format!("({class}) {}", term(reason)),
    };
    let lines = frames.iter().map(|it| format!("\n    {it}"));
    format!("** {banner}{}", lines.collect::<String>())
}

/// Returns the name of the Elixir exception for an Erlang error reason, and its message.
pub(crate) fn exception(reason: &Term, stack: &Term) -> (String, String) {
    explain(reason, stack.as_list().unwrap_or_default().iter().find_map(StackFrame::new).as_ref())
}

#[derive(Debug)]
struct StackFrame<'a> {
    module: &'a Atom,
    function: &'a Atom,
    args: &'a Term,
    place: Option<(String, i64)>,
}

impl<'a> StackFrame<'a> {
    fn new(term: &'a Term) -> Option<StackFrame<'a>> {
        let [Term::Atom(module), Term::Atom(function), args, location] = term.as_tuple()? else {
            return None;
        };
        let property = |name: &str| {
            location.as_list()?.iter().find_map(|it| match it.as_tuple()? {
                [key, value] if key.as_atom() == Some(name) => Some(value),
                _ => None,
            })
        };
        let codes = property("file").and_then(Term::as_list).unwrap_or_default().iter();
        let chars = codes.filter_map(|it| char::from_u32(u32::try_from(it.as_int()?).ok()?));
        let file: String = chars.collect();
        let line = property("line").and_then(Term::as_int);
        let place = line.filter(|_| !file.is_empty()).map(|line| (file, line));
        Some(StackFrame { module, function, args, place })
    }

    fn name(&self) -> String {
        let known = self.args.as_list().map(<[Term]>::len);
        let arity = known.or_else(|| usize::try_from(self.args.as_int()?).ok());
        function(self.module, self.function, arity.unwrap_or(0))
    }
}

impl std::fmt::Display for StackFrame<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some((file, line)) = &self.place {
            write!(f, "{file}:{line}: ")?;
        }
        match self.args.as_list() {
            Some(args) => f.write_str(&call(self.module, self.function, args)),
            None => f.write_str(&self.name()),
        }
    }
}

/// Returns the name of the Elixir exception for an error reason, and its message. `first` is the top stack frame.
fn explain(reason: &Term, first: Option<&StackFrame<'_>>) -> (String, String) {
    let (name, message) = match (reason, reason.as_tuple()) {
        (Term::Map(fields), _) => {
            if let Some(raised) = raised(fields) {
                return raised;
            }
            ("ErlangError", format!("Erlang error: {}", term(reason)))
        }
        (Term::Atom(tag), _) => match (tag.as_str(), first) {
            ("badarith", _) => {
                ("ArithmeticError", "bad argument in arithmetic expression".to_owned())
            }
            ("badarg", _) => ("ArgumentError", "argument error".to_owned()),
            ("system_limit", _) => {
                ("SystemLimitError", "a system limit has been reached".to_owned())
            }
            ("cond_clause", _) => {
                ("CondClauseError", "no cond clause evaluated to a truthy value".to_owned())
            }
            ("function_clause", Some(frame)) => {
                let message = format!("no function clause matching in {}", frame.name());
                ("FunctionClauseError", message)
            }
            ("undef", Some(frame)) => {
                ("UndefinedFunctionError", format!("function {} is undefined", frame.name()))
            }
            _ => ("ErlangError", format!("Erlang error: {}", term(reason))),
        },
        (_, Some([Term::Atom(tag), what])) => explain_pair(tag.as_str(), what, first)
            .unwrap_or_else(|| ("ErlangError", format!("Erlang error: {}", term(reason)))),
        (_, Some([Term::Atom(tag), operator, what])) if tag.as_str() == "badbool" => {
            let operator = operator.as_atom().unwrap_or_default();
            let message = format!("expected a boolean on left-side of \"{operator}\", got: ");
            ("BadBooleanError", message + &term(what))
        }
        (_, Some([Term::Atom(tag), Term::Atom(name), what])) if tag.as_str() == "badstruct" => {
            let message = format!("expected a struct named {}, got: {}", alias(name), term(what));
            ("BadStructError", message)
        }
        _ => ("ErlangError", format!("Erlang error: {}", term(reason))),
    };
    (name.to_owned(), message)
}

fn explain_pair(
    tag: &str,
    what: &Term,
    first: Option<&StackFrame<'_>>,
) -> Option<(&'static str, String)> {
    let (name, words) = match tag {
        "case_clause" => ("CaseClauseError", "no case clause matching: "),
        "badmatch" => ("MatchError", "no match of right hand side value: "),
        "with_clause" => ("WithClauseError", "no with clause matching: "),
        "try_clause" => ("TryClauseError", "no try clause matching: "),
        "badmap" => ("BadMapError", "expected a map, got: "),
        "badfun" => ("BadFunctionError", "expected a function, got: "),
        "badarg" => ("ArgumentError", "argument error: "),
        "badkey" => {
            let map = first.and_then(|it| it.args.as_list()?.iter().find(|it| is_map(it)));
            let within = map.map_or(String::new(), |it| format!(" in: {}", term(it)));
            return Some(("KeyError", format!("key {} not found{within}", term(what))));
        }
        "badarity" => {
            let [fun, args] = what.as_tuple()? else { return None };
            let args = args.as_list()?;
            let n = args.len();
            let shown: Vec<String> = args.iter().map(term).collect();
            let words = if n == 1 { "argument" } else { "arguments" };
            let message = format!("{} called with {n} {words} ({})", term(fun), shown.join(", "));
            return Some(("BadArityError", message));
        }
        _ => return None,
    };
    Some((name, format!("{words}{}", term(what))))
}

fn is_map(term: &Term) -> bool {
    matches!(term, Term::Map(_))
}

/// The name and message of an exception struct. The message of a struct without a `message` field is its fields.
fn raised(fields: &[(Term, Term)]) -> Option<(String, String)> {
    let field = |name: &str| fields.iter().find(|it| it.0.as_atom() == Some(name)).map(|it| &it.1);
    field("__exception__")?;
    let Term::Atom(name) = field("__struct__")? else { return None };
    let own = |it: &&(Term, Term)| !matches!(it.0.as_atom(), Some("__exception__" | "__struct__"));
    let message = match field("message").and_then(Term::as_bytes) {
        Some(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        None => term(&Term::Map(fields.iter().filter(own).cloned().collect())),
    };
    Some((alias(name), message))
}

#[cfg(test)]
mod tests {
    use super::exception_text;
    use term::{Term, read_term};

    /// The expected banners are those of Elixir 1.14.
    #[test]
    fn banners() {
        let check = |class: &str, reason: &str, stack: &str, expect: &str| {
            let (reason, stack) = (read_term(reason).unwrap(), read_term(stack).unwrap());
            let text = exception_text(class, &reason, &stack);
            assert_eq!(text.lines().next(), Some(expect));
        };
        let error = |reason: &str, expect: &str| check("error", reason, "[]", expect);
        error("{case_clause,{ok,0}}", "** (CaseClauseError) no case clause matching: {:ok, 0}");
        error("{badmatch,error}", "** (MatchError) no match of right hand side value: :error");
        error("{with_clause,[<<>>]}", "** (WithClauseError) no with clause matching: [\"\"]");
        error("cond_clause", "** (CondClauseError) no cond clause evaluated to a truthy value");
        error("badarith", "** (ArithmeticError) bad argument in arithmetic expression");
        error("{badkey,a}", "** (KeyError) key :a not found");
        error("{badmap,3}", "** (BadMapError) expected a map, got: 3");
        error(
            "{badbool,'and',3}",
            "** (BadBooleanError) expected a boolean on left-side of \"and\", got: 3",
        );
        error("{weird,1}", "** (ErlangError) Erlang error: {:weird, 1}");
        error(
            "#{'__exception__' => true,'__struct__' => 'Elixir.RuntimeError',message => <<\"oops\">>}",
            "** (RuntimeError) oops",
        );
        check(
            "error",
            "{badkey,a}",
            "[{erlang,map_get,[a,#{}],[]}]",
            "** (KeyError) key :a not found in: %{}",
        );
        check(
            "error",
            "function_clause",
            "[{'Elixir.Foo',f,[1],[]}]",
            "** (FunctionClauseError) no function clause matching in Foo.f/1",
        );
        check("throw", "{a,<<\"b\">>}", "[]", "** (throw) {:a, \"b\"}");
    }

    #[test]
    fn frames() {
        let stack = "[{'Elixir.Foo',f,[1],[{file,\"lib/a.ex\"},{line,3}]},\
                      {'Elixir.Foo','-price/2-fun-0-',2,[{file,\"lib/a.ex\"},{line,4}]},\
                      {lists,map,2,[{file,\"lists.erl\"},{line,5}]},\
                      {'Elixir.Foo','we ird',0,[]}]";
        let text = exception_text("error", &Term::atom("badarg"), &read_term(stack).unwrap());
        let lines: Vec<&str> = text.lines().skip(1).collect();
        assert_eq!(
            lines,
            [
                "    lib/a.ex:3: Foo.f(1)",
                "    lib/a.ex:4: anonymous fn/2 in Foo.price/2",
                "    lists.erl:5: :lists.map/2",
                "    Foo.\"we ird\"/0",
            ]
        );
    }
}
