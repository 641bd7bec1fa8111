//! The calls that an input of a unit stands for, as people paste them and runtimes run them. Only this module turns
//! inputs into text, tests and requests.
//!
//! The outcome of the last step is judged. Most inputs are the arguments of that call; others have calls inside their
//! arguments, or steps before it. Knows nothing of outcomes and findings.

use crate::elixir::{self, is_elixir};
use crate::erlang::core::{self, Definition};
use crate::erlang::properties;
use crate::erlang::recipes::code;
use crate::erlang::systems::{self, Protocol};
use crate::erlang::unit::{UnitName, quoted};
use beam::Applied;
use erlang::{Machine, ModuleCode};
use term::{
    Atom, Code, CodeStep, Fun, ReadError, Style, Term, code_text, read_call, read_script,
    script_text,
};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Script {
    /// The steps, at least one; the value of the last one is the result.
    steps: Vec<CodeStep>,
    /// The call that runtimes run instead, if the steps need a driver that watches processes.
    driven: Option<CodeStep>,
    syntax: Syntax,
}

/// The language of the text for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Syntax {
    Erlang,
    Elixir,
}

impl UnitName {
    /// The script of an input of this unit.
    pub(crate) fn script(&self, args: &[Term]) -> Script {
        if let Some(protocol) = Protocol::of_unit(self) {
            return systems::script_of(self, protocol, args);
        }
        if let Some(script) = properties::script(self, args) {
            return script;
        }
        let args = args.iter().map(code).collect();
        let (module, function) = (self.module.clone(), self.function.clone());
        let call = Code::Call { module, function, args };
        Script::new(vec![CodeStep { binds: None, value: call }], self.syntax())
    }

    fn syntax(&self) -> Syntax {
        if is_elixir(&self.module) { Syntax::Elixir } else { Syntax::Erlang }
    }
}

impl Script {
    pub(crate) fn new(steps: Vec<CodeStep>, syntax: Syntax) -> Script {
        Script { steps, driven: None, syntax }
    }

    /// The same steps, run by a call of a driver.
    pub(crate) fn driven_by(self, call: CodeStep) -> Script {
        Script { driven: Some(call), ..self }
    }

    /// The steps that runtimes run.
    fn run(&self) -> &[CodeStep] {
        self.driven.as_ref().map_or(&self.steps, std::slice::from_ref)
    }

    /// Reads the text that [`Script::text`] returns.
    pub(crate) fn read(text: &str) -> Result<Script, ReadError> {
        let steps = match read_call(text) {
            Ok(call) => {
                if call.module.as_str() == systems::DRIVER_NAME
                    && let Some(script) = systems::read(&call.args)
                {
                    return Ok(script);
                }
                let args = call.args.into_iter().map(Code::Term).collect();
                let value = Code::Call { module: call.module, function: call.function, args };
                vec![CodeStep { binds: None, value }]
            }
            Err(_) => read_script(text)?,
        };
        let mut res = Script::new(steps, Syntax::Erlang);
        if res.modules().first().is_some_and(|it| is_elixir(it)) {
            res.syntax = Syntax::Elixir;
        }
        Ok(res)
    }

    /// The modules that the script calls, beginning with that of the last call.
    pub(crate) fn modules(&self) -> Vec<&Atom> {
        let mut res = Vec::new();
        let mut todo: Vec<&Code> = self.steps.iter().map(|it| &it.value).collect();
        while let Some(code) = todo.pop() {
            match code {
                Code::Term(_) | Code::Variable(_) => (),
                Code::List(items, tail) => todo.extend(items.iter().chain([&**tail])),
                Code::Tuple(items) => todo.extend(items),
                Code::Map(pairs) => todo.extend(pairs.iter().flat_map(|it| [&it.0, &it.1])),
                Code::Call { module, args, .. } => {
                    res.push(module);
                    todo.extend(args);
                }
            }
        }
        res
    }

    /// The text that `gimlet replay` reads, which Erlang's shell accepts too.
    pub(crate) fn text(&self) -> String {
        script_text(self.run(), Style::INPUT)
    }

    /// The text for people, in Erlang's syntax with strings in quotes.
    pub(crate) fn readable(&self) -> String {
        script_text(&self.steps, Style::READABLE)
    }

    /// The text that can be pasted into the shell of the unit's language.
    pub(crate) fn shown(&self) -> String {
        match self.syntax {
            Syntax::Erlang => self.readable(),
            Syntax::Elixir => elixir::script(&self.steps),
        }
    }

    /// Whether the text for people is in Elixir's syntax.
    pub(crate) fn is_elixir(&self) -> bool {
        self.syntax == Syntax::Elixir
    }

    /// The identifier of the input, which is the same in every run of the tool.
    pub(crate) fn id(&self) -> String {
        ::report::input_id(&self.text())
    }

    /// Module, function and arguments of the last step; `None` if it is no call.
    fn last_call(&self) -> Option<(&Atom, &Atom, &[Code])> {
        match &self.run().last()?.value {
            Code::Call { module, function, args } => Some((module, function, args)),
            Code::Term(_) | Code::Variable(_) | Code::List(..) | Code::Tuple(_) | Code::Map(_) => {
                None
            }
        }
    }

    /// The texts of the last call's arguments.
    pub(crate) fn args(&self) -> Vec<String> {
        let args = self.last_call().map(|it| it.2).unwrap_or_default();
        args.iter().map(|it| code_text(it, Style::INPUT)).collect()
    }

    /// Whether the script contains a closure, which has no text.
    pub(crate) fn is_unwritable(&self) -> bool {
        let is_closure =
            |it: &Term| matches!(it, Term::Fun(it) if matches!(**it, Fun::Closure { .. }));
        self.has_term(&|it| it.has_part(is_closure))
    }

    fn has_term(&self, is: &dyn Fn(&Term) -> bool) -> bool {
        self.steps.iter().any(|it| it.value.has_term(is))
    }

    /// The script as an expression of an EUnit test. `by_name` tells whether to hide from the compiler which function
    /// is called.
    pub(crate) fn expression(&self, by_name: ByName) -> String {
        let of_all = |text: String| match self.steps.as_slice() {
            [_] => text,
            _ => format!("begin {text} end"),
        };
        let (Some((module, function, args)), ByName::Called) = (self.last_call(), by_name) else {
            return of_all(self.readable());
        };
        let args = code_text(&Code::list(args.to_vec()).folded(), Style::READABLE);
        let last = format!("call({}, {}, {args})", quoted(module), quoted(function));
        let before = self.steps.split_last().map(|it| it.1).unwrap_or_default();
        let before = script_text(before, Style::READABLE);
        of_all(if before.is_empty() { last } else { format!("{before}, {last}") })
    }

    /// The steps as people would take them.
    pub(crate) fn steps(&self) -> &[CodeStep] {
        &self.steps
    }

    /// The call that BEAM applies.
    pub(crate) fn on_beam(&self) -> Applied {
        if let ([_], Some((module, function, args))) = (self.run(), self.last_call()) {
            let args = code_text(&Code::list(args.to_vec()).folded(), Style::INPUT);
            return Applied { module: module.clone(), function: function.clone(), args };
        }
        let args = format!("[fun() -> {} end, []]", self.text());
        Applied { module: Atom::new("erlang"), function: Atom::new("apply"), args }
    }

    /// The function and arguments that our machine applies. A script of several calls becomes a module that is loaded
    /// into the machine.
    pub(crate) fn on_machine(
        &self,
        machine: &mut Machine,
    ) -> Result<(Atom, Atom, Vec<Term>), String> {
        let terms = |args: &[Code]| args.iter().map(|it| it.as_term().cloned()).collect();
        if let ([_], Some((module, function, args))) = (self.run(), self.last_call())
            && let Some(args) = terms(args)
        {
            return Ok((module.clone(), function.clone(), args));
        }
        let function = Atom::new("run");
        let (code, args) = self.compiled(&function);
        machine.install(&code).map_err(|it| it.to_string())?;
        Ok((code.name, function, args))
    }

    /// Compiles the script to a module with one function. Terms without literals in Core Erlang are its arguments.
    fn compiled(&self, function: &Atom) -> (ModuleCode, Vec<Term>) {
        let mut compiler = Compiler::default();
        let mut body: Option<Term> = None;
        for step in self.steps.iter().rev() {
            let value = compiler.value(&step.value);
            body = Some(match (body, &step.binds) {
                (None, _) => value,
                (Some(rest), binds) => {
                    let other = compiler.fresh();
                    let any = || core::variable(other);
                    let pattern = binds.as_ref().map_or_else(any, |it| compiler.value(it));
                    let reason = vec![core::literal(Term::atom("badmatch")), any()];
                    let failed = core::raise("error", core::tuple(reason));
                    match binds {
                        Some(_) => core::case(value, vec![(pattern, rest), (any(), failed)]),
                        None => core::case(value, vec![(pattern, rest)]),
                    }
                }
            });
        }
        let body = body.unwrap_or_else(|| core::literal(Term::Nil));
        let params = (0..compiler.args.len()).map(Compiler::param).collect();
        let name = Atom::new(&format!("gimlet$script:{}", self.id()));
        let definition = Definition { name: function.clone(), params, body };
        (core::module(&name, vec![definition], Vec::new()), compiler.args)
    }
}

/// How a test calls the unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ByName {
    Written,
    /// Through `call/3` of the test module.
    Called,
}

/// Compiles code to Core Erlang. Variables of the script have even numbers, others odd ones.
#[derive(Default)]
struct Compiler {
    args: Vec<Term>,
    n_fresh: usize,
}

impl Compiler {
    fn param(n: usize) -> usize {
        4 * n + 1
    }

    fn fresh(&mut self) -> usize {
        self.n_fresh += 1;
        4 * self.n_fresh + 3
    }

    /// Compiles code as an expression or as a pattern; both have the same form.
    fn value(&mut self, code: &Code) -> Term {
        match code {
            Code::Term(term) if has_no_literal(term) => {
                self.args.push(term.clone());
                core::variable(Compiler::param(self.args.len() - 1))
            }
            Code::Term(term) => core::literal(term.clone()),
            Code::Variable(n) => core::variable(2 * usize::try_from(*n).unwrap_or_default()),
            Code::List(items, tail) => {
                let tail = self.value(tail);
                items.iter().rev().fold(tail, |tail, it| core::cons(self.value(it), tail))
            }
            Code::Tuple(items) => core::tuple(items.iter().map(|it| self.value(it)).collect()),
            Code::Map(pairs) => {
                core::map(pairs.iter().map(|it| (self.value(&it.0), self.value(&it.1))).collect())
            }
            Code::Call { module, function, args } => {
                core::call(module, function, args.iter().map(|it| self.value(it)).collect())
            }
        }
    }
}

fn has_no_literal(term: &Term) -> bool {
    term.has_part(|it| matches!(it, Term::Fun(_) | Term::Pid(_) | Term::Port(_) | Term::Ref(_)))
}

#[cfg(test)]
mod tests {
    use super::{ByName, Script};

    #[test]
    fn one_input_in_all_its_forms() {
        let check = |text: &str, shown: &str, expression: &str, on_beam: &str| {
            let script = Script::read(text).expect("a script");
            assert_eq!(script.text(), text);
            assert_eq!(script.shown(), shown);
            let written = match script.shown() == script.readable() {
                true => script.expression(ByName::Called),
                false => script.shown(),
            };
            assert_eq!(written, expression);
            let beam::Applied { module, function, args } = script.on_beam();
            assert_eq!(format!("{}:{} {args}", module.as_str(), function.as_str()), on_beam);
        };
        check("m:f(1, [2,3])", "m:f(1, [2,3])", "call(m, f, [1,[2,3]])", "m:f [1,[2,3]]");
        check(
            "m:f(queue:in(1, queue:new()))",
            "m:f(queue:in(1, queue:new()))",
            "call(m, f, [queue:in(1, queue:new())])",
            "m:f [queue:in(1, queue:new())]",
        );
        check(
            "'Elixir.M':f([queue:new()])",
            "M.f([:queue.new()])",
            "M.f([:queue.new()])",
            "Elixir.M:f [[queue:new()]]",
        );
        check(
            "{ok,V1} = m:start(), m:get(V1, a)",
            "{ok,V1} = m:start(), m:get(V1, a)",
            "begin {ok,V1} = m:start(), call(m, get, [V1,a]) end",
            "erlang:apply [fun() -> {ok,V1} = m:start(), m:get(V1, a) end, []]",
        );
        check(
            "{ok,V1} = 'Elixir.M':start(), 'Elixir.M':get(V1, #{a => V1})",
            "{:ok, v1} = M.start(); M.get(v1, %{a: v1})",
            "{:ok, v1} = M.start(); M.get(v1, %{a: v1})",
            "erlang:apply [fun() -> {ok,V1} = 'Elixir.M':start(), 'Elixir.M':get(V1, #{a => V1}) end, []]",
        );
    }
}
