//! Compiles a match specification to a program, or to error messages.

use crate::builtins::ets::spec::{Action, Clause, ConstId, Expr, Pattern, Program, Slot};
use crate::builtins::{Builtin, Fault, How, Stop, all};
use crate::machine::World;
use term::fit_u32;
use term::{Style, print};
use values::{AtomId, Atoms, Heap, Value, View, to_term};

/// Why a specification was not compiled.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// The specification is wrong; the messages are in OTP's words.
    Wrong(Vec<String>),
    /// The specification is nested too deeply.
    TooDeep,
    Stop(Stop),
}

impl From<Refusal> for Fault {
    fn from(refusal: Refusal) -> Fault {
        match refusal {
            Refusal::Wrong(_) => Fault::BADARG,
            Refusal::TooDeep => Fault::SYSTEM_LIMIT,
            Refusal::Stop(stop) => stop.into(),
        }
    }
}

/// The use of a specification, which decides what its clauses may contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    Table,
    Trace,
}

pub(crate) fn compile(w: &World, spec: Value, dialect: Dialect) -> Result<Program, Refusal> {
    if !spec.is_cons() {
        return wrong("Match programs are not in a list.");
    }
    let Some(parts) = w.heap.list_items(spec) else {
        return wrong("Match programs are not in a proper list.");
    };
    let mut program = Program::default();
    for part in parts {
        let Some([head, guards, body]) = w.heap.elements(part) else {
            return wrong("Match program part is not a tuple of arity 3.");
        };
        if dialect == Dialect::Trace && !may_be_head(w, *head) {
            return wrong("Match head is invalid in this context.");
        }
        let clause = Compiler::new(w, &mut program, dialect).clause(*head, *guards, *body)?;
        program.clauses.push(clause);
    }
    Ok(program)
}

/// Compiles a specification with one head and one result, for `ets:match` and `ets:match_object`.
pub(in crate::builtins::ets) fn compile_pattern(
    w: &mut World,
    head: Value,
    result: AtomId,
) -> Result<(Program, Value), Refusal> {
    let body = w.heap.list(&[Value::atom(result)]);
    let clause = w.heap.tuple(&[head, Value::NIL, body]);
    let spec = w.heap.list(&[clause]);
    Ok((compile(w, spec, Dialect::Table)?, spec))
}

/// Whether a term may be the head of a trace specification, which matches lists of arguments.
fn may_be_head(w: &World, head: Value) -> bool {
    head.is_cons()
        || head.is_nil()
        || head.is_atom(AtomId::UNDERSCORE)
        || variable(&w.atoms, head).is_some()
}

fn wrong<T>(why: &str) -> Result<T, Refusal> {
    Err(Refusal::Wrong(vec![why.to_owned()]))
}

/// Returns the number of a match variable: 7 for `'$7'`. Overflows at 32 bits as BEAM's computation does.
fn variable(atoms: &Atoms, value: Value) -> Option<u32> {
    let digits = atoms.name(value.as_atom()?).strip_prefix('$')?.as_bytes();
    match digits {
        [b'0'] => return Some(0),
        [b'1'..=b'9', ..] => {}
        _ => return None,
    }
    let mut number: u32 = 0;
    for digit in digits {
        if !digit.is_ascii_digit() {
            return None;
        }
        number = number.wrapping_mul(10).wrapping_add(u32::from(digit - b'0'));
    }
    (number <= i32::MAX.cast_unsigned()).then_some(number)
}

/// Specifications nested more deeply are refused, because the compiler recurses.
const MAX_DEPTH: usize = 2_000;
/// OTP truncates its error messages to this many characters.
const MAX_COMPLAINT: usize = 99;

struct Compiler<'a> {
    w: &'a World,
    program: &'a mut Program,
    /// The variables of the head by their numbers, in the order of their slots.
    variables: Vec<u32>,
    complaints: Vec<String>,
    depth: usize,
    dialect: Dialect,
    in_guard: bool,
}

impl Compiler<'_> {
    fn new<'a>(w: &'a World, program: &'a mut Program, dialect: Dialect) -> Compiler<'a> {
        let (variables, complaints) = (Vec::new(), Vec::new());
        Compiler { w, program, variables, complaints, depth: 0, dialect, in_guard: true }
    }

    fn clause(mut self, head: Value, guards: Value, body: Value) -> Result<Clause, Refusal> {
        let head = self.pattern(head)?;
        let guards = self.sequence(guards)?;
        self.in_guard = false;
        let may_be_empty = self.dialect == Dialect::Trace && body.is_nil();
        if !body.is_cons() && !may_be_empty {
            self.complain("Body clause does not return anything.");
            return Err(Refusal::Wrong(self.complaints));
        }
        let body = self.sequence(body)?;
        if !self.complaints.is_empty() {
            return Err(Refusal::Wrong(self.complaints));
        }
        let mut numbered: Vec<(u32, Slot)> =
            self.variables.iter().zip(0..).map(|(number, slot)| (*number, Slot(slot))).collect();
        numbered.sort_by_key(|it| it.0);
        Ok(Clause {
            head,
            n_slots: self.variables.len(),
            bindings: numbered.into_iter().map(|it| it.1).collect(),
            guards,
            body,
        })
    }

    fn complain(&mut self, why: &str) {
        self.complaints.push(why.chars().take(MAX_COMPLAINT).collect());
    }

    fn constant(&mut self, value: Value) -> ConstId {
        self.program.constants.push(value);
        ConstId(fit_u32(self.program.constants.len() - 1))
    }

    fn slot_of(&self, number: u32) -> Option<Slot> {
        let slot = self.variables.iter().position(|it| *it == number)?;
        Some(Slot(fit_u32(slot)))
    }

    fn deeper<T>(
        &mut self,
        inside: impl FnOnce(&mut Self) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        if self.depth >= MAX_DEPTH {
            return Err(Refusal::TooDeep);
        }
        self.depth += 1;
        let res = inside(self);
        self.depth -= 1;
        res
    }

    // The head

    fn pattern(&mut self, value: Value) -> Result<Pattern, Refusal> {
        if let Some(number) = variable(&self.w.atoms, value) {
            if let Some(slot) = self.slot_of(number) {
                return Ok(Pattern::Same(slot));
            }
            self.variables.push(number);
            return Ok(self.slot_of(number).map_or(Pattern::Any, Pattern::Bind));
        }
        if value.is_atom(AtomId::UNDERSCORE) {
            return Ok(Pattern::Any);
        }
        if self.depth > 0 && is_plain(&self.w.heap, &self.w.atoms, value) {
            return Ok(Pattern::Const(self.constant(value)));
        }
        let w = self.w;
        match value.view() {
            View::Tuple(..) => {
                let elements = w.heap.elements(value).unwrap_or_default();
                Ok(Pattern::Tuple(self.patterns(elements)?))
            }
            View::Cons(_) => {
                let (items, tail) = w.heap.list_parts(value);
                let items = self.patterns(&items)?;
                let tail = self.deeper(|it| it.pattern(tail))?;
                Ok(Pattern::List(items, Box::new(tail)))
            }
            View::Map(at) => {
                let mut pairs = Vec::new();
                for (key, value) in w.heap.map_iter(at) {
                    if variable(&w.atoms, key).is_some() {
                        return wrong("Variable found in map key.");
                    }
                    if key.is_atom(AtomId::UNDERSCORE) {
                        return wrong("Underscore found in map key.");
                    }
                    pairs.push((self.constant(key), self.deeper(|it| it.pattern(value))?));
                }
                Ok(Pattern::Map(pairs))
            }
            _ => Ok(Pattern::Const(self.constant(value))),
        }
    }

    fn patterns(&mut self, values: &[Value]) -> Result<Vec<Pattern>, Refusal> {
        values.iter().map(|value| self.deeper(|it| it.pattern(*value))).collect()
    }

    // Guards and body

    fn sequence(&mut self, list: Value) -> Result<Vec<Expr>, Refusal> {
        if !list.is_cons() && !list.is_nil() {
            self.complain("Match expression is not a list.");
            return Ok(Vec::new());
        }
        let (items, tail) = self.w.heap.list_parts(list);
        let res = self.exprs(&items)?;
        if !tail.is_nil() {
            self.complain("Match expression is not a proper list.");
        }
        Ok(res)
    }

    fn exprs(&mut self, values: &[Value]) -> Result<Vec<Expr>, Refusal> {
        values.iter().map(|value| self.deeper(|it| it.expr(*value))).collect()
    }

    /// Compiles expressions like `exprs`, but from the last to the first, the order of OTP's messages about arguments.
    fn exprs_backwards(&mut self, values: &[Value]) -> Result<Vec<Expr>, Refusal> {
        let mut res: Vec<Expr> = values
            .iter()
            .rev()
            .map(|value| self.deeper(|it| it.expr(*value)))
            .collect::<Result<_, _>>()?;
        res.reverse();
        Ok(res)
    }

    fn expr(&mut self, value: Value) -> Result<Expr, Refusal> {
        let w = self.w;
        match value.view() {
            View::Cons(_) => {
                let (items, tail) = w.heap.list_parts(value);
                let items = self.exprs(&items)?;
                let tail = self.deeper(|it| it.expr(tail))?;
                Ok(Expr::List(items, Box::new(tail)))
            }
            View::Map(at) => {
                let mut pairs = Vec::new();
                for (key, value) in w.heap.map_iter(at) {
                    let key = self.deeper(|it| it.expr(key))?;
                    pairs.push((key, self.deeper(|it| it.expr(value))?));
                }
                Ok(Expr::Map(pairs))
            }
            View::Tuple(..) => self.tuple_expr(value),
            View::Atom(AtomId::DOLLAR_UNDERSCORE) => Ok(Expr::Whole),
            View::Atom(AtomId::DOUBLE_DOLLAR) => Ok(Expr::Bindings),
            _ => match variable(&w.atoms, value) {
                None => Ok(Expr::Const(self.constant(value))),
                Some(number) => Ok(match self.slot_of(number) {
                    Some(slot) => Expr::Slot(slot),
                    None => {
                        self.complain(&format!("Variable ${number} is unbound."));
                        Expr::Whole
                    }
                }),
            },
        }
    }

    /// Compiles a tuple: `{{...}}` builds a tuple, `{Function, Arg, ...}` is a call.
    fn tuple_expr(&mut self, value: Value) -> Result<Expr, Refusal> {
        let w = self.w;
        let elements = w.heap.elements(value).unwrap_or_default();
        if let [inner] = elements
            && let Some(items) = w.heap.elements(*inner)
        {
            return Ok(Expr::Tuple(self.exprs_backwards(items)?));
        }
        if let [function, args @ ..] = elements
            && let Some(name) = function.as_atom()
            && variable(&w.atoms, *function).is_none()
        {
            return self.call(value, name, args);
        }
        let shown = self.shown(value);
        self.complain(&format!(
            "{shown} is neither a function call, nor a tuple (tuples are written {{{{ ... }}}})."
        ));
        Ok(Expr::Whole)
    }

    fn call(&mut self, whole: Value, name: AtomId, args: &[Value]) -> Result<Expr, Refusal> {
        let text = self.w.atoms.name(name);
        match text {
            "const" => {
                if let [value] = args {
                    return Ok(Expr::Const(self.constant(*value)));
                }
                let shown = self.shown(whole);
                self.complain(&format!(
                    "Special form 'const' called with more than one argument in {shown}."
                ));
                return Ok(Expr::Whole);
            }
            "and" | "or" | "andalso" | "andthen" | "orelse" => {
                if args.is_empty() {
                    let shown = self.shown(whole);
                    let form = if text == "andthen" { "andalso" } else { text };
                    self.complain(&format!(
                        "Special form '{form}' called without arguments in {shown}."
                    ));
                    return Ok(Expr::Whole);
                }
                return Ok(match text {
                    "and" => Expr::And(self.exprs_backwards(args)?),
                    "or" => Expr::Or(self.exprs_backwards(args)?),
                    "orelse" => Expr::OrElse(self.exprs(args)?),
                    _ => Expr::AndAlso(self.exprs(args)?),
                });
            }
            "self" => {
                if !args.is_empty() {
                    let shown = self.shown(whole);
                    self.complain(&format!(
                        "Special form 'self' called with arguments in {shown}."
                    ));
                }
                return Ok(Expr::CurrentProcess);
            }
            _ if self.dialect == Dialect::Trace && Action::of(text, args.len()).is_some() => {
                return self.action(whole, text, args);
            }
            _ if TRACE_FORMS.contains(&text) => {
                if self.dialect == Dialect::Trace {
                    let what = format!("{text} in a match specification");
                    return Err(Refusal::Stop(Stop::Unsupported { what }));
                }
                // OTP's error message has another name for `set_seq_token`.
                let form = if text == "set_seq_token" { "set_seq_trace" } else { text };
                self.complain(&format!("Special form '{form}' used in wrong dialect."));
                return Ok(Expr::Whole);
            }
            _ => {}
        }
        let arity = args.len();
        if TRACE_FUNCTIONS.contains(&(text, arity)) {
            self.complain(&format!("Function {text}/{arity} cannot be called in this context."));
            return Ok(Expr::Whole);
        }
        if !FUNCTIONS.contains(&(text, arity)) {
            let shown = self.shown(Value::atom(name));
            self.complain(&format!("Function {shown}/{arity} does_not_exist."));
            return Ok(Expr::Whole);
        }
        let Some(builtin) = builtin(text, arity) else {
            let what = format!("erlang:{text}/{arity} in a match specification");
            return Err(Refusal::Stop(Stop::Unsupported { what }));
        };
        Ok(Expr::Call(builtin, self.exprs_backwards(args)?))
    }

    /// Compiles an action, which only trace specifications may contain.
    fn action(&mut self, whole: Value, text: &str, args: &[Value]) -> Result<Expr, Refusal> {
        match Action::of(text, args.len()) {
            Some(Ok((_, false))) if self.in_guard => {
                self.complain(&format!("Special form '{text}' called in guard context."));
                Ok(Expr::Whole)
            }
            Some(Ok((action, _))) => Ok(Expr::Act(action, self.exprs_backwards(args)?)),
            Some(Err(())) | None => {
                let shown = self.shown(whole);
                let how = match text {
                    "message" | "display" | "enable_trace" | "disable_trace" | "trace"
                    | "silent" => "called with wrong number of arguments",
                    _ => "called with arguments",
                };
                self.complain(&format!("Special form '{text}' {how} in {shown}."));
                Ok(Expr::Whole)
            }
        }
    }

    /// Formats a term as OTP's error messages do.
    fn shown(&self, value: Value) -> String {
        if let Some(atom) = value.as_atom() {
            let text = self.w.atoms.name(atom);
            // Unlike the shell, OTP's C code does not quote reserved words.
            if text.starts_with(|it: char| it.is_ascii_lowercase())
                && text.chars().all(|it| it.is_ascii_alphanumeric() || it == '_' || it == '@')
            {
                return text.to_owned();
            }
        }
        if let Some(elements) = self.w.heap.elements(value) {
            let items: Vec<String> = elements.iter().map(|it| self.shown(*it)).collect();
            return format!("{{{}}}", items.join(","));
        }
        to_term(&self.w.heap, &self.w.atoms, value)
            .map_or_else(|_| "...".to_owned(), |it| print(&it, Style::W))
    }
}

/// Whether a term in a head matches exactly the terms equal to it. Variables do not, nor do maps (they match larger
/// ones) and zero floats (their sign counts in a head).
fn is_plain(heap: &Heap, atoms: &Atoms, value: Value) -> bool {
    let mut rest = vec![value];
    while let Some(value) = rest.pop() {
        match value.view() {
            View::Map(_) => return false,
            View::Float(0.0) => return false,
            View::Atom(AtomId::UNDERSCORE) => return false,
            View::Atom(_) if variable(atoms, value).is_some() => return false,
            View::Tuple(..) => rest.extend_from_slice(heap.elements(value).unwrap_or_default()),
            View::Cons(at) => rest.extend([heap.tail(at), heap.head(at)]),
            _ => {}
        }
    }
    true
}

fn builtin(name: &str, arity: usize) -> Option<&'static Builtin> {
    let found = all()
        .find(|it| it.module == "erlang" && it.name == name && usize::from(it.arity) == arity)?;
    match found.how {
        How::Native(_) => Some(found),
        How::Outside(_) | How::Code | How::Host | How::Machine(_) | How::Control(_) => None,
    }
}

/// Whether guards may call a function of `erlang`, operators included.
pub(crate) fn is_guard(name: &str, arity: usize) -> bool {
    FUNCTIONS.contains(&(name, arity)) || OTHER_GUARDS.contains(&(name, arity))
}

/// Functions allowed in guards of the language but not in match specifications.
const OTHER_GUARDS: &[(&str, usize)] = &[
    ("and", 2),
    ("or", 2),
    ("ceil", 1),
    ("floor", 1),
    ("is_bitstring", 1),
    ("is_boolean", 1),
    ("is_function", 2),
    ("is_record", 2),
    ("tuple_size", 1),
];

/// Special forms that are allowed only in trace specifications.
const TRACE_FORMS: &[&str] = &[
    "message",
    "is_seq_trace",
    "set_seq_token",
    "get_seq_token",
    "return_trace",
    "exception_trace",
    "display",
    "process_dump",
    "enable_trace",
    "disable_trace",
    "trace",
    "caller",
    "caller_line",
    "current_stacktrace",
    "silent",
];

const TRACE_FUNCTIONS: &[(&str, usize)] = &[("get_tcw", 0), ("set_tcw", 1), ("set_tcw_fake", 1)];

/// The functions that guards and bodies of match specifications may call.
const FUNCTIONS: &[(&str, usize)] = &[
    ("*", 2),
    ("+", 1),
    ("+", 2),
    ("-", 1),
    ("-", 2),
    ("/", 2),
    ("/=", 2),
    ("<", 2),
    ("=/=", 2),
    ("=:=", 2),
    ("=<", 2),
    ("==", 2),
    (">", 2),
    (">=", 2),
    ("abs", 1),
    ("band", 2),
    ("binary_part", 2),
    ("binary_part", 3),
    ("bit_size", 1),
    ("bnot", 1),
    ("bor", 2),
    ("bsl", 2),
    ("bsr", 2),
    ("bxor", 2),
    ("byte_size", 1),
    ("div", 2),
    ("element", 2),
    ("float", 1),
    ("hd", 1),
    ("is_atom", 1),
    ("is_binary", 1),
    ("is_float", 1),
    ("is_function", 1),
    ("is_integer", 1),
    ("is_list", 1),
    ("is_map", 1),
    ("is_map_key", 2),
    ("is_number", 1),
    ("is_pid", 1),
    ("is_port", 1),
    ("is_record", 3),
    ("is_reference", 1),
    ("is_tuple", 1),
    ("length", 1),
    ("map_get", 2),
    ("map_size", 1),
    ("node", 0),
    ("node", 1),
    ("not", 1),
    ("rem", 2),
    ("round", 1),
    ("size", 1),
    ("tl", 1),
    ("trunc", 1),
    ("xor", 2),
];
