//! Streams: texts to read from, and texts that are written. Files are used only if the machine was given a
//! [`Disk`].

use crate::builtins::{Row, iso, row};
use crate::data::{AtomId, FunctorId, Value, View};
use crate::machine::{Fault, Machine, Next, Stop};
use crate::text::Reader;
use std::fmt::Debug;

pub(super) const ROWS: &[Row] = &[
    iso("open", 3, |m, a| open(m, a, None)),
    iso("open", 4, |m, a| {
        let options = m.arg(a, 3);
        open(m, a, Some(options))
    }),
    row("open_string", 2, open_string),
    iso("close", 1, close),
    iso("close", 2, close),
    iso("current_input", 1, |m, a| current(m, a, Direction::In)),
    iso("current_output", 1, |m, a| current(m, a, Direction::Out)),
    iso("set_input", 1, |m, a| {
        let stream = m.arg(a, 0);
        m.run.streams.input = m.stream(stream, Direction::In)?;
        Ok(Next::True)
    }),
    iso("set_output", 1, |m, a| {
        let stream = m.arg(a, 0);
        m.run.streams.output = m.stream(stream, Direction::Out)?;
        Ok(Next::True)
    }),
    row("is_stream", 1, |m, a| {
        let stream = m.arg(a, 0);
        Ok(m.find_stream(stream).is_some().into())
    }),
    iso("get_char", 1, |m, a| get(m, None, a, Take::Next, Unit::Char)),
    iso("get_char", 2, |m, a| get(m, Some(a), a + 1, Take::Next, Unit::Char)),
    iso("peek_char", 1, |m, a| get(m, None, a, Take::Peek, Unit::Char)),
    iso("peek_char", 2, |m, a| get(m, Some(a), a + 1, Take::Peek, Unit::Char)),
    iso("get_code", 1, |m, a| get(m, None, a, Take::Next, Unit::Code)),
    iso("get_code", 2, |m, a| get(m, Some(a), a + 1, Take::Next, Unit::Code)),
    iso("peek_code", 1, |m, a| get(m, None, a, Take::Peek, Unit::Code)),
    iso("peek_code", 2, |m, a| get(m, Some(a), a + 1, Take::Peek, Unit::Code)),
    iso("get_byte", 1, |m, a| get(m, None, a, Take::Next, Unit::Code)),
    iso("get_byte", 2, |m, a| get(m, Some(a), a + 1, Take::Next, Unit::Code)),
    iso("at_end_of_stream", 0, |m, _| {
        let n = m.run.streams.input;
        Ok(m.run.streams.at_end(n).into())
    }),
    iso("at_end_of_stream", 1, |m, a| {
        let stream = m.arg(a, 0);
        let n = m.stream(stream, Direction::In)?;
        Ok(m.run.streams.at_end(n).into())
    }),
    iso("read", 1, |m, a| read(m, None, a, Value::NIL)),
    iso("read", 2, |m, a| read(m, Some(a), a + 1, Value::NIL)),
    iso("read_term", 2, |m, a| {
        let options = m.arg(a, 1);
        read(m, None, a, options)
    }),
    iso("read_term", 3, |m, a| {
        let options = m.arg(a, 2);
        read(m, Some(a), a + 1, options)
    }),
    row("$rest_of_line", 2, rest_of_line),
    row("$rest_of_stream", 2, |m, a| {
        let stream = m.arg(a, 0);
        let n = m.stream(stream, Direction::In)?;
        let text = m.run.streams.rest(n).to_owned();
        m.run.streams.advance(n, text.len());
        let (to, text) = (m.arg(a, 1), m.heap.text(&text));
        m.answer(to, text)
    }),
    row("$peek", 2, |m, a| {
        let stream = m.arg(a, 0);
        let n = m.stream(stream, Direction::In)?;
        let text = m.run.streams.rest(n).to_owned();
        let (to, text) = (m.arg(a, 1), m.heap.text(&text));
        m.answer(to, text)
    }),
    row("line_count", 2, |m, a| {
        let stream = m.arg(a, 0);
        let n = m.stream(stream, Direction::Any)?;
        let lines = m.run.streams.passed(n, &m.run.output.text).matches('\n').count() + 1;
        let to = m.arg(a, 1);
        m.answer(to, Value::size(lines))
    }),
    row("line_position", 2, |m, a| {
        let stream = m.arg(a, 0);
        let n = m.stream(stream, Direction::Any)?;
        let passed = m.run.streams.passed(n, &m.run.output.text);
        let column = passed.rsplit('\n').next().unwrap_or("").chars().count();
        let to = m.arg(a, 1);
        m.answer(to, Value::size(column))
    }),
    row("character_count", 2, |m, a| {
        let stream = m.arg(a, 0);
        let n = m.stream(stream, Direction::Any)?;
        let count = m.run.streams.passed(n, &m.run.output.text).chars().count();
        let to = m.arg(a, 1);
        m.answer(to, Value::size(count))
    }),
    row("set_stream", 2, |m, a| {
        let stream = m.arg(a, 0);
        m.stream(stream, Direction::Any)?;
        Ok(Next::True)
    }),
    row("exists_file", 1, |m, a| {
        m.note_environment("the files that there are");
        let path = m.path_arg(a, "exists_file/1")?;
        Ok(m.disk.as_ref().is_some_and(|it| it.read(&path).is_ok()).into())
    }),
    row("delete_file", 1, |m, a| {
        let path = m.path_arg(a, "delete_file/1")?;
        let culprit = m.arg(a, 0);
        match m.disk.as_ref().map(|it| it.delete(&path)) {
            Some(Ok(())) => Ok(Next::True),
            _ => Err(m.existence_error("file", culprit)),
        }
    }),
    row("shell", 1, |_, _| refused("shell/1 runs a program")),
    row("shell", 2, |_, _| refused("shell/2 runs a program")),
    row("getenv", 2, |_, _| refused("getenv/2 reads the environment")),
    row("setenv", 2, |_, _| refused("setenv/2 changes the environment")),
    row("tmp_file", 2, |_, _| refused("tmp_file/2 names a file")),
    row("tmp_file_stream", 3, |_, _| refused("tmp_file_stream/3 opens a file")),
    row("sleep", 1, |_, _| Ok(Next::True)),
];

/// Access to files, implemented by the owner of the machine.
pub trait Disk: Debug {
    fn read(&self, path: &str) -> Result<String, DiskError>;
    /// Replaces the contents of the file, or appends to them.
    fn write(&self, path: &str, text: &str, how: Write) -> Result<(), DiskError>;
    fn delete(&self, path: &str) -> Result<(), DiskError>;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiskError {
    Missing,
    Denied,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Write {
    Replace,
    Append,
}

/// The open streams of a run. The first three are the user's.
#[derive(Clone, Debug)]
pub struct Streams {
    open: Vec<Option<Stream>>,
    pub(crate) input: usize,
    pub(crate) output: usize,
}

pub(crate) const USER_INPUT: usize = 0;
pub(crate) const USER_OUTPUT: usize = 1;
pub(crate) const USER_ERROR: usize = 2;
/// Stream numbers from here on stand for captures in progress, the outermost first.
pub(super) const CAPTURED: usize = 1 << 32;

impl Default for Streams {
    fn default() -> Streams {
        let input = Stream { alias: None, what: What::In { text: String::new(), at: 0 } };
        let out = Stream { alias: None, what: What::Out { text: String::new(), file: None } };
        Streams {
            open: vec![Some(input), Some(out.clone()), Some(out)],
            input: USER_INPUT,
            output: USER_OUTPUT,
        }
    }
}

#[derive(Clone, Debug)]
struct Stream {
    alias: Option<AtomId>,
    what: What,
}

#[derive(Clone, Debug)]
enum What {
    In {
        text: String,
        at: usize,
    },
    /// The text is written to the file when the stream is closed.
    Out {
        text: String,
        file: Option<(String, Write)>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    In,
    Out,
    Any,
}

impl Streams {
    fn rest(&self, n: usize) -> &str {
        match self.open.get(n).and_then(Option::as_ref).map(|it| &it.what) {
            Some(What::In { text, at }) => text.get(*at..).unwrap_or(""),
            Some(What::Out { .. }) | None => "",
        }
    }

    fn at_end(&self, n: usize) -> bool {
        self.rest(n).is_empty()
    }

    fn advance(&mut self, n: usize, by: usize) {
        if let Some(Some(Stream { what: What::In { at, .. }, .. })) = self.open.get_mut(n) {
            *at += by;
        }
    }

    /// Returns the text that was read or written so far.
    fn passed<'a>(&'a self, n: usize, user_output: &'a str) -> &'a str {
        match self.open.get(n).and_then(Option::as_ref).map(|it| &it.what) {
            _ if n == USER_OUTPUT => user_output,
            Some(What::In { text, at }) => text.get(..*at).unwrap_or(""),
            Some(What::Out { text, .. }) => text,
            None => "",
        }
    }

    /// Returns the text written to a stream; `None` for an input stream or one that is not open.
    pub(crate) fn written(&mut self, n: usize) -> Option<&mut String> {
        match self.open.get_mut(n) {
            Some(Some(Stream { what: What::Out { text, .. }, .. })) => Some(text),
            _ => None,
        }
    }

    fn push(&mut self, stream: Stream) -> usize {
        self.open.push(Some(stream));
        self.open.len() - 1
    }
}

fn refused(what: &str) -> Result<Next, Fault> {
    Err(Stop::Refused(format!("{what}, which no --allow lets it do here")).into())
}

impl Machine {
    /// Returns the number of the stream that a value names; `None` if it is not open.
    pub(crate) fn find_stream(&self, value: Value) -> Option<usize> {
        let n = match value.view() {
            View::Atom(AtomId::INPUT) => USER_INPUT,
            View::Atom(AtomId::OUTPUT) => USER_OUTPUT,
            View::Atom(AtomId::ERRORS) => USER_ERROR,
            View::Atom(name) if self.atoms.text(name) == "current_output" => {
                match self.run.output.captures.len().checked_sub(1) {
                    Some(depth) => return Some(CAPTURED + depth),
                    None => self.run.streams.output,
                }
            }
            View::Atom(name) if self.atoms.text(name) == "current_input" => self.run.streams.input,
            View::Atom(name) => {
                let named =
                    |it: &Option<Stream>| it.as_ref().is_some_and(|it| it.alias == Some(name));
                self.run.streams.open.iter().position(named)?
            }
            View::Struct(FunctorId::STREAM_1, _) => {
                let n = usize::try_from(self.heap.arg(value, 0).as_int()?).ok()?;
                if let Some(depth) = n.checked_sub(CAPTURED) {
                    return (depth < self.run.output.captures.len()).then_some(n);
                }
                n
            }
            View::Var(_)
            | View::Int(_)
            | View::Big(_)
            | View::Rational(_)
            | View::Float(_)
            | View::Text(_)
            | View::Struct(..) => return None,
        };
        self.run.streams.open.get(n)?.as_ref().map(|_| n)
    }

    /// Returns the number of the stream in a builtin's argument, or the error that the standard demands.
    pub(crate) fn stream(&mut self, value: Value, direction: Direction) -> Result<usize, Fault> {
        let Some(n) = self.find_stream(value) else {
            return Err(match value.view() {
                View::Var(_) => self.instantiation_error(),
                View::Atom(_) | View::Struct(FunctorId::STREAM_1, _) => {
                    self.existence_error("stream", value)
                }
                View::Int(_)
                | View::Big(_)
                | View::Rational(_)
                | View::Float(_)
                | View::Text(_)
                | View::Struct(..) => self.domain_error("stream_or_alias", value),
            });
        };
        let what = self.run.streams.open.get(n).and_then(Option::as_ref).map(|it| &it.what);
        match (direction, what) {
            (Direction::In, Some(What::Out { .. })) => {
                Err(self.permission_error("input", "stream", value))
            }
            (Direction::Out, Some(What::In { .. })) => {
                Err(self.permission_error("output", "stream", value))
            }
            (Direction::In | Direction::Out | Direction::Any, _) => Ok(n),
        }
    }

    fn stream_value(&mut self, n: usize) -> Value {
        match n {
            USER_INPUT => Value::atom(AtomId::INPUT),
            USER_OUTPUT => Value::atom(AtomId::OUTPUT),
            USER_ERROR => Value::atom(AtomId::ERRORS),
            _ => self.heap.structure(FunctorId::STREAM_1, &[Value::size(n)]),
        }
    }

    /// Returns the path in an argument; stops the run if it may not use files.
    fn path_arg(&mut self, a: usize, who: &str) -> Result<String, Fault> {
        let path = self.arg(a, 0);
        let path = self.text_arg(path)?;
        if self.disk.is_none() {
            return Err(Stop::Refused(format!(
                "{who} touches the file {path}; --allow files lets it"
            ))
            .into());
        }
        Ok(path)
    }
}

fn open(m: &mut Machine, a: usize, options: Option<Value>) -> Result<Next, Fault> {
    let (file, mode, to) = (m.arg(a, 0), m.arg(a, 1), m.arg(a, 2));
    if file.is_var() || mode.is_var() {
        return Err(m.instantiation_error());
    }
    let mode_name = m.atom_arg(mode)?;
    let mode_name = m.atoms.name(mode_name);
    if !matches!(mode_name.as_str(), "read" | "write" | "append" | "update") {
        return Err(m.domain_error("io_mode", mode));
    }
    if !to.is_var() {
        let functor = m.atoms.functor_named("uninstantiation_error", 1);
        let formal = m.heap.structure(functor, &[to]);
        return Err(m.error(formal));
    }
    let alias = match options {
        Some(options) => alias_of(m, options)?,
        None => None,
    };
    let path = m.path_arg(a, "open/3")?;
    let disk = m.disk.as_ref();
    let what = if mode_name == "read" {
        match disk.map(|it| it.read(&path)) {
            Some(Ok(text)) => What::In { text, at: 0 },
            Some(Err(DiskError::Missing)) | None => {
                return Err(m.existence_error("source_sink", file));
            }
            Some(Err(DiskError::Denied)) => {
                return Err(m.permission_error("open", "source_sink", file));
            }
        }
    } else {
        let how = if mode_name == "write" { Write::Replace } else { Write::Append };
        if !matches!(disk.map(|it| it.write(&path, "", how)), Some(Ok(()))) {
            return Err(m.permission_error("open", "source_sink", file));
        }
        What::Out { text: String::new(), file: Some((path, Write::Append)) }
    };
    let n = m.run.streams.push(Stream { alias, what });
    let stream = m.stream_value(n);
    m.answer(to, stream)
}

fn alias_of(m: &mut Machine, options: Value) -> Result<Option<AtomId>, Fault> {
    let alias = m.atoms.functor_named("alias", 1);
    let found = m.list_arg(options)?.into_iter().find(|it| it.is_struct(alias));
    Ok(found.and_then(|it| m.heap.arg(it, 0).as_atom()))
}

fn open_string(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let (text, to) = (m.arg(a, 0), m.arg(a, 1));
    if text.is_number() {
        return Err(m.type_error("text", text));
    }
    let text = m.text_arg(text)?;
    if !to.is_var() {
        return Err(m.uninstantiation_error(to));
    }
    let n = m.run.streams.push(Stream { alias: None, what: What::In { text, at: 0 } });
    let stream = m.stream_value(n);
    m.answer(to, stream)
}

fn close(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let stream = m.arg(a, 0);
    let n = m.stream(stream, Direction::Any)?;
    if n <= USER_ERROR {
        return Ok(Next::True);
    }
    if let Some(slot) = m.run.streams.open.get_mut(n)
        && let Some(Stream { what: What::Out { text, file: Some((path, how)) }, .. }) = slot.take()
        && let Some(disk) = &m.disk
        && disk.write(&path, &text, how).is_err()
    {
        return Err(m.permission_error("write", "stream", stream));
    }
    if m.run.streams.input == n {
        m.run.streams.input = USER_INPUT;
    }
    if m.run.streams.output == n {
        m.run.streams.output = USER_OUTPUT;
    }
    Ok(Next::True)
}

fn current(m: &mut Machine, a: usize, direction: Direction) -> Result<Next, Fault> {
    let to = m.arg(a, 0);
    if !to.is_var() {
        m.stream(to, Direction::Any)?;
    }
    let n = match (direction, m.run.output.captures.len().checked_sub(1)) {
        (Direction::In, _) => m.run.streams.input,
        (Direction::Out | Direction::Any, Some(depth)) => CAPTURED + depth,
        (Direction::Out | Direction::Any, None) => m.run.streams.output,
    };
    if !to.is_var() {
        return Ok((m.find_stream(to) == Some(n)).into());
    }
    let stream = m.stream_value(n);
    m.answer(to, stream)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Take {
    Next,
    Peek,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Char,
    Code,
}

/// Reads a character from the stream of an argument, or from the current input.
fn get(
    m: &mut Machine,
    stream: Option<usize>,
    to: usize,
    take: Take,
    unit: Unit,
) -> Result<Next, Fault> {
    let n = input(m, stream)?;
    note_input(m, n);
    let c = m.run.streams.rest(n).chars().next();
    if let (Some(c), Take::Next) = (c, take) {
        m.run.streams.advance(n, c.len_utf8());
    }
    let value = match (c, unit) {
        (Some(c), Unit::Char) => m.atom_named(c.encode_utf8(&mut [0; 4])),
        (Some(c), Unit::Code) => Value::int(i64::from(u32::from(c))),
        (None, Unit::Char) => Value::atom(AtomId::END_OF_FILE),
        (None, Unit::Code) => Value::int(-1),
    };
    let to = m.arg(to, 0);
    match (unit, to.view()) {
        (_, View::Var(_)) | (Unit::Char, View::Atom(_)) | (Unit::Code, View::Int(_)) => {}
        (Unit::Char, _) => return Err(m.type_error("character", to)),
        (Unit::Code, _) => return Err(m.type_error("integer", to)),
    }
    m.answer(to, value)
}

/// Records that the run depends on standard input, which is not a part of the test input.
fn note_input(m: &mut Machine, n: usize) {
    if n == USER_INPUT {
        m.note_environment("standard input");
    }
}

fn input(m: &mut Machine, stream: Option<usize>) -> Result<usize, Fault> {
    match stream {
        Some(a) => {
            let stream = m.arg(a, 0);
            m.stream(stream, Direction::In)
        }
        None => Ok(m.run.streams.input),
    }
}

/// `'$rest_of_line'(Stream, Text)`: reads up to the next line break and consumes it; -1 at the end of the
/// stream.
fn rest_of_line(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let stream = m.arg(a, 0);
    let n = m.stream(stream, Direction::In)?;
    let rest = m.run.streams.rest(n);
    let to = m.arg(a, 1);
    if rest.is_empty() {
        return m.answer(to, Value::int(-1));
    }
    let line = rest.split('\n').next().unwrap_or("").to_owned();
    m.run.streams.advance(n, (line.len() + 1).min(m.run.streams.rest(n).len()));
    let line = m.heap.text(line.trim_end_matches('\r'));
    m.answer(to, line)
}

fn read(m: &mut Machine, stream: Option<usize>, to: usize, options: Value) -> Result<Next, Fault> {
    let n = input(m, stream)?;
    note_input(m, n);
    let options = m.list_arg(options)?;
    let module = if m.context == AtomId::SYSTEM { AtomId::USER } else { m.context };
    let syntax = m.syntax_of(module);
    let text = m.run.streams.rest(n).to_owned();
    let mut reader = Reader::new(&text);
    let found = reader.next_term(&mut m.heap, &mut m.atoms, &m.ops, syntax);
    m.run.streams.advance(n, reader.offset());
    let read = match found {
        Ok(read) => read,
        Err(error) => return Err(m.syntax_error(&error.name)),
    };
    let term = read.as_ref().map_or(Value::atom(AtomId::END_OF_FILE), |it| it.term);
    let to = m.arg(to, 0);
    if !m.unify(to, term) {
        return Ok(Next::False);
    }
    for option in options {
        let Some((name, 1)) = m.heap.name_arity(option, &m.atoms) else { continue };
        let value = m.heap.arg(option, 0);
        let variables = read.as_ref().map_or(&[][..], |it| &it.variables);
        let list = match m.atoms.text(name) {
            "variable_names" => read.as_ref().map_or(Value::NIL, |it| m.variable_bindings(it)),
            "variables" => {
                let all = m.variables(term);
                m.heap.list(&all)
            }
            "singletons" => {
                let alone = read.as_ref().map_or(&[][..], |it| &it.alone);
                let of = |it: &&(String, Value)| alone.contains(&it.0);
                let pairs: Vec<(String, Value)> = variables.iter().filter(of).cloned().collect();
                let mut items = Vec::new();
                for (name, var) in pairs {
                    let name = m.atom_named(&name);
                    items.push(m.heap.structure(FunctorId::UNIFY, &[name, var]));
                }
                m.heap.list(&items)
            }
            _ => continue,
        };
        if !m.unify(value, list) {
            return Ok(Next::False);
        }
    }
    Ok(Next::True)
}
