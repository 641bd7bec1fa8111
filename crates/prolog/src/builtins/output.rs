//! Writing terms, to a stream or as text into a term.

use crate::builtins::convert::TextForm;
use crate::builtins::streams::{CAPTURED, Direction, USER_ERROR, USER_OUTPUT};
use crate::builtins::{Row, iso, row};
use crate::data::{AtomId, Number, Value, View, Walk};
use crate::machine::{Capture, Fault, Machine, Next, Stop};
use crate::text::{Escapes, WriteOptions, write_term};

pub(super) const ROWS: &[Row] = &[
    iso("nl", 0, |m, _| {
        m.put_text("\n");
        Ok(Next::True)
    }),
    iso("nl", 1, |m, a| {
        on_stream(m, a, |m, _| {
            m.put_text("\n");
            Ok(Next::True)
        })
    }),
    iso("write", 1, |m, a| write(m, a, WriteStyle::Write)),
    iso("print", 1, |m, a| match m.has_portray() {
        true => m.call_own("$print", &[m.arg(a, 0)]),
        false => write(m, a, WriteStyle::Print),
    }),
    iso("writeln", 1, |m, a| {
        write(m, a, WriteStyle::Write)?;
        m.put_text("\n");
        Ok(Next::True)
    }),
    iso("writeq", 1, |m, a| write(m, a, WriteStyle::Quoted)),
    iso("write_canonical", 1, |m, a| write(m, a, WriteStyle::Canonical)),
    iso("write", 2, |m, a| on_stream(m, a, |m, a| write(m, a, WriteStyle::Write))),
    row("writeln", 2, |m, a| {
        on_stream(m, a, |m, a| {
            write(m, a, WriteStyle::Write)?;
            m.put_text("\n");
            Ok(Next::True)
        })
    }),
    iso("print", 2, |m, a| match m.has_portray() {
        true => m.call_own("$print", &[m.arg(a, 0), m.arg(a, 1)]),
        false => on_stream(m, a, |m, a| write(m, a, WriteStyle::Print)),
    }),
    iso("writeq", 2, |m, a| on_stream(m, a, |m, a| write(m, a, WriteStyle::Quoted))),
    iso("write_canonical", 2, |m, a| on_stream(m, a, |m, a| write(m, a, WriteStyle::Canonical))),
    iso("write_term", 2, |m, a| {
        let (term, options) = (m.arg(a, 0), m.arg(a, 1));
        if m.has_portray() && m.wants_portray(options)? {
            return m.call_own("$write_portrayed", &[term, options]);
        }
        m.write_with(term, options)?;
        Ok(Next::True)
    }),
    iso("write_term", 3, |m, a| {
        let options = m.arg(a, 2);
        m.options_arg(options)?;
        if m.has_portray() && m.wants_portray(options)? {
            return m.call_own("$write_portrayed", &[m.arg(a, 0), m.arg(a, 1), options]);
        }
        on_stream(m, a, |m, a| {
            let (term, options) = (m.arg(a, 0), m.arg(a, 1));
            m.write_with(term, options)?;
            Ok(Next::True)
        })
    }),
    iso("put_char", 1, put_char),
    iso("put_char", 2, put_char_to),
    row("put", 1, put_char),
    row("put", 2, put_char_to),
    iso("put_code", 1, put_char),
    iso("put_code", 2, put_char_to),
    row("tab", 1, tab),
    row("tab", 2, |m, a| on_stream(m, a, tab)),
    iso("flush_output", 0, |_, _| Ok(Next::True)),
    iso("flush_output", 1, |m, a| {
        let stream = m.arg(a, 0);
        m.stream(stream, Direction::Out)?;
        Ok(Next::True)
    }),
    row("$capture", 0, |m, _| {
        m.run.output.captures.push(Capture::default());
        Ok(Next::True)
    }),
    row("$captured", 2, captured),
    row("$error_message", 2, |m, a| {
        let ball = m.arg(a, 0);
        let Some(text) = m.error_message(ball) else { return Ok(Next::False) };
        let (to, text) = (m.arg(a, 1), m.heap.text(&text));
        m.answer(to, text)
    }),
];

/// The number of bytes of text whose writing is charged as one step.
pub(crate) const BYTES_PER_STEP: u64 = 1_000;
/// The maximum length in bytes of a term in a message.
const LONGEST_SHOWN: usize = 1 << 16;
/// One text may take at most this fraction (one over the number) of the memory that is left.
const ROOM_FOR_TEXT: usize = 4;
/// The number of bytes that a text may have even if fewer steps are left.
const SMALL: usize = 1 << 16;
/// The memory charged for a subterm of a clause: an instruction and a cell of the stored term.
const BYTES_PER_PART: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WriteStyle {
    Write,
    Print,
    Quoted,
    Canonical,
}

fn write(m: &mut Machine, a: usize, style: WriteStyle) -> Result<Next, Fault> {
    let text = m.bounded_text(m.arg(a, 0), style)?;
    m.put_text(&text);
    Ok(Next::True)
}

fn put_char(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let c = m.arg(a, 0);
    let c = m.char_arg(c)?;
    m.put_text(c.encode_utf8(&mut [0; 4]));
    Ok(Next::True)
}

fn put_char_to(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let c = m.arg(a, 1);
    m.char_arg(c)?;
    on_stream(m, a, put_char)
}

fn tab(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let n = m.arg(a, 0);
    match m.evaluate(n)? {
        Number::Int(n) => {
            let n = usize::try_from(n).unwrap_or(0);
            if m.writable() < n {
                return Err(m.too_large());
            }
            m.put_text(&" ".repeat(n));
            Ok(Next::True)
        }
        Number::Big(_) => Err(m.evaluation_error("int_overflow")),
        Number::Float(it) if it.is_nan() => Err(m.evaluation_error("undefined")),
        Number::Float(it) if it.is_infinite() => Err(m.evaluation_error("float_overflow")),
        other @ (Number::Float(_) | Number::Rational(_)) => {
            let culprit = other.store(&mut m.heap);
            Err(m.type_error("integer_expression", culprit))
        }
    }
}

/// Runs a builtin with its output redirected to the stream that is the first argument.
fn on_stream(
    m: &mut Machine,
    a: usize,
    run: fn(&mut Machine, usize) -> Result<Next, Fault>,
) -> Result<Next, Fault> {
    let n = m.enter_stream(a)?;
    let done = run(m, a + 1);
    m.leave_stream(n);
    done
}

/// `'$captured'(Kind, Text)`: ends a capture and returns its text.
fn captured(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let (kind, to) = (m.arg(a, 0), m.arg(a, 1));
    let text = m.run.output.captures.pop().unwrap_or_default().text;
    let form = match kind.as_atom().map(|it| m.atoms.name(it)).as_deref() {
        Some("atom") => TextForm::Atom,
        Some("string") => TextForm::String,
        Some("codes") => TextForm::Codes,
        Some("chars") => TextForm::Chars,
        _ => return Err(m.domain_error("output_sink", kind)),
    };
    let new = m.make_text(&text, form);
    m.answer(to, new)
}

impl Machine {
    pub(crate) fn put_text(&mut self, text: &str) {
        match self.run.output.captures.last_mut() {
            Some(capture) => capture.text.push_str(text),
            None => self.put_to(self.run.streams.output, text),
        }
    }

    /// Returns the current column of the output.
    pub(crate) fn column(&mut self) -> usize {
        match self.run.output.captures.last() {
            Some(capture) => column_after(&capture.text, capture.start),
            None => self.column_of(self.run.streams.output),
        }
    }

    fn column_of(&mut self, n: usize) -> usize {
        if let Some(depth) = n.checked_sub(CAPTURED) {
            let capture = self.run.output.captures.get(depth);
            return capture.map_or(0, |it| column_after(&it.text, it.start));
        }
        let text = match n {
            USER_OUTPUT => &self.run.output.text,
            USER_ERROR => &self.run.output.errors,
            _ => self.run.streams.written(n).map_or("", |it| it.as_str()),
        };
        column_after(text, 0)
    }

    /// Redirects output into a capture until [`Machine::leave_stream`] writes it to the stream.
    pub(crate) fn enter_stream(&mut self, args: usize) -> Result<usize, Fault> {
        let stream = self.arg(args, 0);
        let n = self.stream(stream, Direction::Out)?;
        let start = self.column_of(n);
        self.run.output.captures.push(Capture { text: String::new(), start });
        Ok(n)
    }

    pub(crate) fn leave_stream(&mut self, n: usize) {
        let capture = self.run.output.captures.pop().unwrap_or_default();
        self.put_to(n, &capture.text);
    }

    fn put_to(&mut self, n: usize, text: &str) {
        if let Some(depth) = n.checked_sub(CAPTURED) {
            if let Some(capture) = self.run.output.captures.get_mut(depth) {
                capture.text.push_str(text);
            }
            return;
        }
        match n {
            USER_OUTPUT => self.run.output.text.push_str(text),
            USER_ERROR => self.run.output.put_error(text),
            _ => {
                if let Some(written) = self.run.streams.written(n) {
                    written.push_str(text);
                }
            }
        }
    }

    /// Whether the program defines `portray/1`.
    pub(crate) fn has_portray(&mut self) -> bool {
        let functor = self.atoms.functor_named("portray", 1);
        self.db.find(AtomId::USER, functor).is_some_and(|it| 0 < self.db.get(it).n_clauses)
    }

    fn wants_portray(&mut self, options: Value) -> Result<bool, Fault> {
        let options = self.options_arg(options)?;
        let wants = |it: &(AtomId, Value)| {
            matches!(self.atoms.text(it.0), "portray" | "portrayed") && it.1.is_atom(AtomId::TRUE)
        };
        Ok(options.iter().any(wants))
    }

    /// Continues with a predicate of the prelude.
    pub(crate) fn call_own(&mut self, name: &str, args: &[Value]) -> Result<Next, Fault> {
        let functor = self.atoms.functor_named(name, args.len());
        let goal = self.heap.structure(functor, args);
        self.run_body(AtomId::SYSTEM, goal, self.control.choices.len())?;
        Ok(Next::Jump)
    }

    /// Returns the text of a term for a message; a very long text is cut off.
    pub(crate) fn term_text(&self, term: Value, style: WriteStyle) -> String {
        let options = WriteOptions { max_bytes: LONGEST_SHOWN, ..self.options_of(term, style) };
        self.text_with(&options, term)
    }

    /// Returns the text of a term that a goal writes; stops the run if the budgets do not suffice for it.
    pub(crate) fn bounded_text(&mut self, term: Value, style: WriteStyle) -> Result<String, Fault> {
        let max_bytes = self.writable();
        let options = WriteOptions { max_bytes, ..self.options_of(term, style) };
        let text = self.text_with(&options, term);
        self.check_written(&text)?;
        if !self.run.output.captures.is_empty() {
            self.note_own_names(&options, term);
        }
        Ok(text)
    }

    /// Records that a captured text has variables without a name given by the program: their names are
    /// addresses, which differ between runtimes.
    pub(crate) fn note_own_names(&mut self, options: &WriteOptions, term: Value) {
        let is_unnamed = |it: Value| it.is_var() && !options.names.contains_key(&it.address());
        if Walk::new(&self.heap, &self.atoms, term).any(is_unnamed) {
            self.note_environment("the names of variables");
        }
    }

    fn options_of(&self, term: Value, style: WriteStyle) -> WriteOptions {
        match style {
            WriteStyle::Write => WriteOptions::default(),
            WriteStyle::Print => {
                WriteOptions { escapes: Escapes::Unicode, ..WriteOptions::quoted() }
            }
            WriteStyle::Quoted => WriteOptions::quoted(),
            WriteStyle::Canonical => WriteOptions::canonical(&self.heap, &self.atoms, term),
        }
    }

    /// Returns the maximum number of bytes that a text may have under the remaining budgets of steps and
    /// memory.
    pub(crate) fn writable(&self) -> usize {
        let steps = self.limits.steps.saturating_sub(self.control.steps);
        let worth = usize::try_from(steps.saturating_mul(BYTES_PER_STEP)).unwrap_or(usize::MAX);
        let room = self.limits.memory_bytes.saturating_sub(self.bytes_used());
        (room / ROOM_FOR_TEXT).min(worth.max(SMALL))
    }

    fn check_written(&self, text: &str) -> Result<(), Fault> {
        self.check_room(text.len())
    }

    /// Fails if a text of this many bytes would exceed the memory or the work that the run has left.
    pub(crate) fn check_room(&self, n_bytes: usize) -> Result<(), Fault> {
        if self.writable() < n_bytes { Err(self.too_large()) } else { Ok(()) }
    }

    /// Returns the reason to stop for a text that is too long: the budget that is the smaller one.
    fn too_large(&self) -> Fault {
        let room = self.limits.memory_bytes.saturating_sub(self.bytes_used());
        let is_room = self.writable() < room / ROOM_FOR_TEXT;
        if is_room { Stop::Steps.into() } else { Stop::Memory.into() }
    }

    /// Returns the text of a term; that of a cyclic term is `@(Name, [Name = Part])`.
    pub(crate) fn text_with(&self, options: &WriteOptions, term: Value) -> String {
        let loops = if self.is_small(term) { Vec::new() } else { self.loops(term) };
        if loops.is_empty() {
            return write_term(&self.heap, &self.atoms, &self.ops, options, term);
        }
        let mut options = options.clone();
        let names = loops.iter().enumerate();
        options.loops = names.map(|(n, it)| (it.payload(), format!("S_{}", n + 1))).collect();
        let whole = match options.loops.get(&term.payload()) {
            Some(name) => name.clone(),
            None => write_term(&self.heap, &self.atoms, &self.ops, &options, term),
        };
        options.priority = 699;
        let part = |it: &Value| {
            let text = write_term(&self.heap, &self.atoms, &self.ops, &options, *it);
            format!("{}={text}", options.loops.get(&it.payload()).map_or("_", String::as_str))
        };
        format!("@({whole},[{}])", loops.iter().map(part).collect::<Vec<_>>().join(","))
    }

    /// Whether a term has so few subterms that it cannot be cyclic.
    fn is_small(&self, term: Value) -> bool {
        self.is_spread_within(term, 256)
    }

    /// Stops the run if a term is too large when shared subterms are copied, as they are in clauses.
    pub(crate) fn check_spread(&self, term: Value) -> Result<(), Fault> {
        match self.is_spread_within(term, self.writable() / BYTES_PER_PART) {
            true => Ok(()),
            false => Err(self.too_large()),
        }
    }

    /// Whether a term has at most `n_parts` subterms, where shared subterms count for each occurrence.
    pub(crate) fn is_spread_within(&self, term: Value, n_parts: usize) -> bool {
        let mut todo = vec![term];
        for _ in 0..n_parts {
            let Some(next) = todo.pop() else { return true };
            let View::Struct(functor, at) = self.heap.deref(next).view() else { continue };
            todo.extend((0..self.atoms.arity(functor)).map(|n| self.heap.cell(at + n)));
        }
        todo.is_empty()
    }

    pub(crate) fn quoted_text(&self, term: Value) -> String {
        self.term_text(term, WriteStyle::Quoted)
    }

    pub(crate) fn write_with(&mut self, term: Value, options: Value) -> Result<(), Fault> {
        let mut style = WriteOptions {
            numbervars: false,
            escapes: Escapes::Unicode,
            ..WriteOptions::default()
        };
        let (mut full_stop, mut new_line) = (false, false);
        for (name, value) in self.options_arg(options)? {
            let on = value.is_atom(AtomId::TRUE);
            let switch = matches!(
                self.atoms.text(name),
                "quoted"
                    | "ignore_ops"
                    | "numbervars"
                    | "portray"
                    | "brace_terms"
                    | "fullstop"
                    | "nl"
            );
            if switch && !on && !value.is_atom(AtomId::FALSE) {
                return Err(match value.is_var() {
                    true => self.instantiation_error(),
                    false => self.type_error("bool", value),
                });
            }
            match self.atoms.text(name) {
                "quoted" => style.quoted = on,
                "ignore_ops" => style.ignore_ops = on,
                "numbervars" => style.numbervars = on,
                "portray" | "portrayed" if on => style.numbervars = true,
                "brace_terms" => style.plain_braces = !on,
                "spacing" => {
                    style.spaced =
                        value.as_atom().is_some_and(|it| self.atoms.text(it) == "next_argument");
                }
                "max_depth" => {
                    style.max_depth =
                        value.as_int().and_then(|it| usize::try_from(it).ok()).unwrap_or(0);
                }
                "priority" => {
                    style.priority =
                        value.as_int().and_then(|it| u16::try_from(it).ok()).unwrap_or(1200);
                }
                "fullstop" => full_stop = on,
                "nl" => new_line = on,
                "variable_names" => {
                    for binding in self.list_arg(value)? {
                        let (name, var) = (self.heap.arg(binding, 0), self.heap.arg(binding, 1));
                        if let (Some(name), View::Var(at)) = (name.as_atom(), var.view()) {
                            style.names.insert(at, self.atoms.text(name).to_owned());
                        }
                    }
                }
                _ => {}
            }
        }
        style.max_bytes = self.writable();
        let mut text = self.text_with(&style, term);
        self.check_written(&text)?;
        if !self.run.output.captures.is_empty() {
            self.note_own_names(&style, term);
        }
        if full_stop {
            text.push_str(if new_line { ".\n" } else { ". " });
        } else if new_line {
            text.push('\n');
        }
        self.put_text(&text);
        Ok(())
    }
}

/// Returns the column behind a text that begins at column `start`.
fn column_after(text: &str, start: usize) -> usize {
    match text.rsplit_once('\n') {
        Some((_, line)) => line.chars().count(),
        None => start + text.chars().count(),
    }
}
