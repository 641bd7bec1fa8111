//! Formats exceptions as the Erlang shell does (`erl_error` of OTP).
//!
//! Works on the reason and the stack trace alone, without a runtime. The details that OTP gets from a module's
//! `format_error` (`*** argument 1: not a list`) are therefore missing.

use term::{Encoding, Fun, Style, Term, atom_text, print};

/// Returns the lines that the shell prints for an uncaught exception.
pub fn exception_text(class: &str, reason: &Term, stack: &Term) -> String {
    let frames = frames(stack);
    let head = format!("** exception {class}: ");
    let (explained, used) = match class {
        "error" => explain(&head, reason, &frames),
        _ => (value(&head, "", reason), 0),
    };
    let mut lines = vec![format!("{head}{explained}").trim_end().to_owned()];
    for (at, frame) in frames.iter().skip(used).enumerate() {
        lines.extend(frame.lines(at == 0));
    }
    lines.join("\n")
}

/// Returns `module:function/arity file:line` for each frame.
pub(crate) fn stack_lines(stack: &Term) -> Vec<String> {
    let line = |frame: &StackFrame| {
        let name = format!("{}:{}/{}", frame.module, frame.function, frame.arity());
        match &frame.location {
            Some((file, line)) => format!("{name} {file}:{line}"),
            None => name,
        }
    };
    frames(stack).iter().map(line).collect()
}

/// OTP's default width of 80 columns, less the two that it leaves free.
const WIDTH: usize = 78;

#[derive(Clone, Debug)]
struct StackFrame {
    /// Quoted if necessary.
    module: String,
    function: String,
    args: Arguments,
    location: Option<(String, i64)>,
}

#[derive(Clone, Debug)]
enum Arguments {
    Count(usize),
    Known(Vec<Term>),
}

/// The frames of a stack trace up to the first malformed one.
fn frames(stack: &Term) -> Vec<StackFrame> {
    stack.as_list().unwrap_or_default().iter().map_while(frame).collect()
}

fn frame(term: &Term) -> Option<StackFrame> {
    let [Term::Atom(module), Term::Atom(function), args, location] = term.as_tuple()? else {
        return None;
    };
    let args = match args.as_int() {
        Some(arity) => Arguments::Count(usize::try_from(arity).ok()?),
        None => Arguments::Known(args.as_list()?.to_vec()),
    };
    let property = |name: &str| {
        let pairs = location.as_list().unwrap_or_default().iter().filter_map(Term::as_tuple);
        pairs.filter(|it| it.first().and_then(Term::as_atom) == Some(name)).find_map(|it| it.get(1))
    };
    let file = property("file").and_then(Term::as_list).map(|it| {
        let codes = it.iter().filter_map(Term::as_int).filter_map(|it| u32::try_from(it).ok());
        codes.filter_map(char::from_u32).collect::<String>()
    });
    Some(StackFrame {
        module: atom_text(module, Encoding::Unicode),
        function: atom_text(function, Encoding::Unicode),
        args,
        location: file.zip(property("line").and_then(Term::as_int)),
    })
}

impl StackFrame {
    fn arity(&self) -> usize {
        match &self.args {
            Arguments::Count(arity) => *arity,
            Arguments::Known(args) => args.len(),
        }
    }

    fn lines(&self, first: bool) -> Vec<String> {
        let origin = match (first, self.operator()) {
            (true, Some(_)) => "in operator  ",
            (true, None) => "in function  ",
            (false, _) => "in call from ",
        };
        let name = format!("     {origin}{}/{}", self.name(), self.arity());
        match &self.args {
            Arguments::Count(_) => vec![format!("{name}{}", self.place())],
            Arguments::Known(args) => {
                vec![name, format!("        called as {}", self.call(args))]
            }
        }
    }

    fn place(&self) -> String {
        self.location
            .as_ref()
            .map_or(String::new(), |(file, line)| format!(" ({file}, line {line})"))
    }

    /// The function's name, without its module if the function is auto-imported.
    fn name(&self) -> String {
        match self.operator() {
            // `//2` would be hard to read.
            Some("/") => "'/'".to_owned(),
            Some(operator) => operator.to_owned(),
            None if self.is_auto_imported() => self.function.clone(),
            None => format!("{}:{}", self.module, self.function),
        }
    }

    fn call(&self, args: &[Term]) -> String {
        let args: Vec<String> = args.iter().map(|it| print(it, Style::TP)).collect();
        match (self.operator(), args.as_slice()) {
            (Some(operator), [left, right]) => format!("{left} {operator} {right}"),
            (Some(operator), [only]) => format!("{operator} {only}"),
            _ => format!("{}({})", self.name(), args.join(",")),
        }
    }

    fn operator(&self) -> Option<&str> {
        if self.module != "erlang" {
            return None;
        }
        let name = self.function.trim_matches('\'');
        let operators = match self.arity() {
            1 => UNARY,
            2 => BINARY,
            _ => return None,
        };
        operators.split(' ').find(|it| *it == name)
    }

    fn is_auto_imported(&self) -> bool {
        let arity = self.arity().to_string();
        let arities = |line: &str| line.split(' ').skip(1).any(|it| it == arity);
        self.module == "erlang"
            && AUTO_IMPORTED
                .lines()
                .any(|it| it.split(' ').next() == Some(&self.function) && arities(it))
    }
}

const UNARY: &str = "+ - bnot not";
const BINARY: &str =
    "+ - * / div rem band bor bxor bsl bsr and or xor ++ -- == /= =< < >= > =:= =/= !";

/// The auto-imported functions as in `erl_internal:bif/2`, one per line with its arities.
const AUTO_IMPORTED: &str = include_str!("auto_imported.txt");

/// Explains the reason, and returns how many frames the explanation includes.
fn explain(head: &str, reason: &Term, frames: &[StackFrame]) -> (String, usize) {
    if let Some(frame) = frames.first() {
        match (reason.as_atom(), &frame.args) {
            (Some("function_clause"), Arguments::Known(args)) => {
                let what = "no function clause matching ";
                let call = broken(head, what, &frame.call(args));
                return (format!("{call}{}", frame.place()), 1);
            }
            (Some("undef"), _) => {
                return (format!("undefined function {}/{}", frame.name(), frame.arity()), 1);
            }
            _ => (),
        }
    }
    let text = match (reason.as_atom(), reason.as_tuple()) {
        (Some(atom), _) => explain_atom(atom).map(str::to_owned),
        (None, Some([Term::Atom(tag), what])) => explain_pair(head, tag.as_str(), what),
        _ => None,
    };
    (text.unwrap_or_else(|| value(head, "", reason)), 0)
}

fn explain_atom(reason: &str) -> Option<&'static str> {
    Some(match reason {
        "badarg" => "bad argument",
        "badarith" => "an error occurred when evaluating an arithmetic expression",
        "if_clause" => "no true branch found when evaluating an if expression",
        "noproc" => "no such process or port",
        "system_limit" => "a system limit has been reached",
        "timeout_value" => "bad receive timeout value",
        _ => return None,
    })
}

fn explain_pair(head: &str, tag: &str, what: &Term) -> Option<String> {
    let words = match tag {
        "badarg" => "bad argument: ",
        "badfun" => "bad function ",
        "badkey" => "bad key: ",
        "badmap" => "bad map: ",
        "badmatch" => "no match of right hand side value ",
        "bad_filter" => "bad filter ",
        "bad_generator" => "bad generator ",
        "case_clause" => "no case clause matching ",
        "try_clause" => "no try clause matching ",
        "badarity" => return explain_arity(what),
        _ => return None,
    };
    Some(value(head, words, what))
}

fn explain_arity(what: &Term) -> Option<String> {
    let [Term::Fun(fun), args] = what.as_tuple()? else { return None };
    let name = match &**fun {
        Fun::External { module, function, arity } => {
            let frame = StackFrame {
                module: atom_text(module, Encoding::Unicode),
                function: atom_text(function, Encoding::Unicode),
                args: Arguments::Count(usize::from(*arity)),
                location: None,
            };
            format!("{}/{arity}", frame.name())
        }
        Fun::Closure { .. } | Fun::Table { .. } => print(&Term::Fun(fun.clone()), Style::TW),
    };
    Some(match args.as_list()?.len() {
        0 => format!("{name} called with no arguments"),
        1 => format!("{name} called with one argument"),
        2 => format!("{name} called with two arguments"),
        more => format!("{name} called with {more} arguments"),
    })
}

fn value(head: &str, words: &str, term: &Term) -> String {
    broken(head, words, &print(term, Style::TP))
}

/// Puts the text on a line of its own if it would exceed the width.
fn broken(head: &str, words: &str, text: &str) -> String {
    let n_chars: usize = [head, words, text].iter().map(|it| it.chars().count()).sum();
    if n_chars <= WIDTH || words.is_empty() {
        return format!("{words}{text}");
    }
    format!("{}\n{}{text}", words.trim_end(), " ".repeat(head.chars().count()))
}

#[cfg(test)]
mod tests {
    use super::{exception_text, stack_lines};
    use expect_test::{Expect, expect};
    use term::read_term;

    #[expect(clippy::needless_pass_by_value, reason = "expect! makes values")]
    fn check(class: &str, reason: &str, stack: &str, expect: Expect) {
        let text = exception_text(class, &read_term(reason).unwrap(), &read_term(stack).unwrap());
        expect.assert_eq(&text);
    }

    #[test]
    fn errors_are_explained() {
        check(
            "error",
            "{case_clause,eq}",
            r#"[{example,fcmp,1,[{file,"example.erl"},{line,9}]},
                {lists,foreach,2,[{file,"lists.erl"},{line,1342}]}]"#,
            expect![[r#"
                ** exception error: no case clause matching eq
                     in function  example:fcmp/1 (example.erl, line 9)
                     in call from lists:foreach/2 (lists.erl, line 1342)"#]],
        );
        check(
            "error",
            "function_clause",
            r#"[{lists,nth,[0,"a"],[{file,"lists.erl"},{line,198}]}]"#,
            expect![[
                r#"** exception error: no function clause matching lists:nth(0,"a") (lists.erl, line 198)"#
            ]],
        );
        check(
            "error",
            "undef",
            "[{foo,bar,[1],[]},{m,f,0,[]}]",
            expect![[r#"
                ** exception error: undefined function foo:bar/1
                     in function  m:f/0"#]],
        );
        check(
            "error",
            "badarith",
            "[{erlang,'/',[1,0],[]},{erlang,abs,[a],[]},{erlang,make_tuple,2,[]}]",
            expect![[r#"
                ** exception error: an error occurred when evaluating an arithmetic expression
                     in operator  '/'/2
                        called as 1 / 0
                     in call from abs/1
                        called as abs(a)
                     in call from erlang:make_tuple/2"#]],
        );
    }

    #[test]
    fn other_classes_are_shown_as_they_are() {
        check("throw", "badarg", "[]", expect!["** exception throw: badarg"]);
        check("exit", "{a,\"b\"}", "[]", expect![[r#"** exception exit: {a,"b"}"#]]);
    }

    #[test]
    fn stacks_for_programs() {
        let stack = r#"[{m,'F',[1],[{file,"m.erl"},{line,3}]},{m,g,2,[]}]"#;
        assert_eq!(stack_lines(&read_term(stack).unwrap()), ["m:'F'/1 m.erl:3", "m:g/2"]);
    }
}
