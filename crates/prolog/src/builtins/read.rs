//! Reading terms from text.

use crate::builtins::output::WriteStyle;
use crate::builtins::{Row, row};
use crate::data::{AtomId, FunctorId, Value};
use crate::machine::{Fault, Machine, Next};
use crate::text::{ReadTerm, Reader, WriteOptions};

pub(super) const ROWS: &[Row] = &[
    row("term_to_atom", 2, |m, a| term_to_text(m, a, false)),
    row("term_string", 2, |m, a| term_to_text(m, a, true)),
    row("atom_to_term", 3, atom_to_term),
    row("$read_term_text", 3, atom_to_term),
];

impl Machine {
    /// Reads one term from a text; the full stop may be missing.
    pub fn read_text(&mut self, text: &str) -> Result<ReadTerm, crate::text::SyntaxError> {
        // A line break ends a comment at the end of the text.
        let whole = format!("{text}{}.", if text.contains('%') { '\n' } else { ' ' });
        let syntax = self.syntax_of(AtomId::USER);
        let mut reader = Reader::new(&whole);
        let found = reader.next_term(&mut self.heap, &mut self.atoms, &self.ops, syntax)?;
        found.ok_or(crate::text::SyntaxError {
            name: "end_of_file".to_owned(),
            at: 0,
            line: 1,
            column: 1,
        })
    }

    fn read_or_raise(&mut self, text: &str) -> Result<ReadTerm, Fault> {
        let trimmed = text.trim_end();
        let trimmed = trimmed
            .strip_suffix('.')
            .filter(|it| !it.ends_with(crate::text::is_symbol_char))
            .unwrap_or(trimmed);
        if trimmed.trim().is_empty() {
            return Ok(ReadTerm {
                term: Value::atom(AtomId::END_OF_FILE),
                variables: Vec::new(),
                singletons: Vec::new(),
                alone: Vec::new(),
                span: (0, 0),
                comments: Vec::new(),
            });
        }
        match self.read_text(trimmed) {
            Ok(read) => Ok(read),
            Err(error) => Err(self.syntax_error(&error.name)),
        }
    }

    /// Returns the named variables as `['X'=_, ...]`.
    pub(crate) fn variable_bindings(&mut self, read: &ReadTerm) -> Value {
        let mut items = Vec::new();
        for (name, var) in &read.variables {
            let name = self.atom_named(name);
            items.push(self.heap.structure(FunctorId::UNIFY, &[name, *var]));
        }
        self.heap.list(&items)
    }
}

fn term_to_text(m: &mut Machine, a: usize, string: bool) -> Result<Next, Fault> {
    let (term, text) = (m.arg(a, 0), m.arg(a, 1));
    if term.is_var() && !text.is_var() {
        let text = m.text_arg(text)?;
        let read = m.read_or_raise(&text)?;
        return m.answer(term, read.term);
    }
    let written = m.bounded_text(term, WriteStyle::Quoted)?;
    m.note_own_names(&WriteOptions::quoted(), term);
    let new = if string { m.heap.text(&written) } else { m.atom_named(&written) };
    if !text.is_var() {
        let given = m.text_arg(text)?;
        if given == written {
            return Ok(Next::True);
        }
        let read = m.read_or_raise(&given)?;
        return m.answer(term, read.term);
    }
    m.answer(text, new)
}

fn atom_to_term(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let (text, bindings) = (m.arg(a, 0), m.arg(a, 2));
    let text = m.text_arg(text)?;
    m.partial_list_arg(bindings)?;
    let read = m.read_or_raise(&text)?;
    let bindings = m.variable_bindings(&read);
    let (term, to) = (m.arg(a, 1), m.arg(a, 2));
    Ok((m.unify(term, read.term) && m.unify(to, bindings)).into())
}
