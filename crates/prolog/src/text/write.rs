//! Terms as text, with the spacing of SWI-Prolog's `writeq/1`.
//!
//! The parts still to be written are on a stack of the writer's own, so depth costs no native stack.

use crate::data::{AtomId, Atoms, FunctorId, Heap, Value, View, Walk, format_float};
use crate::text::chars::is_alnum;
use crate::text::spacing::{Before, Class, needs_space};
use crate::text::{Escapes, Fixity, Ops, atom_needs_quotes, quoted};
use rustc_hash::FxHashMap;

#[derive(Clone, Debug)]
pub struct WriteOptions {
    pub quoted: bool,
    pub ignore_ops: bool,
    /// Whether `'$VAR'(1)` is written as `B`.
    pub numbervars: bool,
    /// Whether `{}(X)` is written in canonical form instead of `{X}`.
    pub plain_braces: bool,
    /// Whether a space follows the comma between arguments.
    pub spaced: bool,
    pub priority: u16,
    /// The depth below which subterms are written as `...`; 0: no limit.
    pub max_depth: usize,
    /// The length in bytes after which the text is cut off. Terms that share subterms may have a text larger
    /// than memory.
    pub max_bytes: usize,
    pub module: AtomId,
    pub escapes: Escapes,
    /// The names of variables, by their addresses.
    pub names: FxHashMap<usize, String>,
    /// The names of cyclic structures, by their words. A name is written in place of its structure.
    pub loops: FxHashMap<u64, String>,
}

/// The default limit of a text's length, in bytes.
const MAX_BYTES: usize = 1 << 28;

/// The limit of a file name's length, in bytes.
const MAX_NAME: usize = 1 << 14;

impl Default for WriteOptions {
    fn default() -> WriteOptions {
        WriteOptions {
            quoted: false,
            ignore_ops: false,
            numbervars: true,
            plain_braces: false,
            spaced: false,
            priority: 1200,
            max_depth: 0,
            max_bytes: MAX_BYTES,
            module: AtomId::USER,
            escapes: Escapes::Hexadecimal,
            names: FxHashMap::default(),
            loops: FxHashMap::default(),
        }
    }
}

impl WriteOptions {
    pub fn quoted() -> WriteOptions {
        WriteOptions { quoted: true, ..WriteOptions::default() }
    }

    /// Returns options for a text that names a file. No valid name is longer than the limit.
    pub fn of_name() -> WriteOptions {
        WriteOptions { max_bytes: MAX_NAME, ..WriteOptions::default() }
    }

    /// Returns the options of `write_canonical/1`: variables that occur once are written `_`, the others `A`,
    /// `B` and so on.
    pub fn canonical(heap: &Heap, atoms: &Atoms, term: Value) -> WriteOptions {
        let mut counts: FxHashMap<usize, usize> = FxHashMap::default();
        let mut order = Vec::new();
        for var in Walk::new(heap, atoms, term).filter(|it| it.is_var()) {
            let at = var.address();
            let count = counts.entry(at).or_insert(0);
            *count += 1;
            if *count == 1 {
                order.push(at);
            }
        }
        let mut names = FxHashMap::default();
        let mut n = 0;
        for at in order {
            let once = counts.get(&at) == Some(&1);
            let name = if once { "_".to_owned() } else { numbered(n) };
            n += i64::from(!once);
            names.insert(at, name);
        }
        WriteOptions {
            quoted: true,
            ignore_ops: true,
            numbervars: false,
            plain_braces: true,
            names,
            ..WriteOptions::default()
        }
    }
}

pub fn write_term(
    heap: &Heap,
    atoms: &Atoms,
    ops: &Ops,
    options: &WriteOptions,
    term: Value,
) -> String {
    let mut writer = Writer {
        heap,
        atoms,
        ops,
        options,
        out: String::new(),
        before: Before::Nothing,
        todo: Vec::new(),
    };
    writer.todo.push(WriteTask::Term(term, options.priority, Role::Other, 1));
    while let Some(work) = writer.todo.pop() {
        writer.step(work);
        // A cyclic term may let the stack grow without writing anything, so the stack counts, too.
        let n_waiting = writer.todo.len() * size_of::<WriteTask>();
        if options.max_bytes < writer.out.len().max(n_waiting) {
            writer.out.push_str("...");
            break;
        }
    }
    writer.out
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// An argument of an operator: an atom that is itself an operator gets parentheses.
    Operand,
    Other,
}

#[derive(Clone, Copy, Debug)]
enum WriteTask {
    Term(Value, u16, Role, usize),
    /// The arguments of a structure from an index up to a count, at a depth.
    Args(Value, usize, usize, usize),
    /// The tail of a list, at a depth.
    Tail(Value, usize),
    Put(&'static str),
    /// The name of an infix operator.
    Infix(AtomId),
    /// The name of a postfix operator.
    Atom(AtomId),
}

struct Writer<'a> {
    heap: &'a Heap,
    atoms: &'a Atoms,
    ops: &'a Ops,
    options: &'a WriteOptions,
    out: String,
    /// The token that was written last.
    before: Before,
    todo: Vec<WriteTask>,
}

impl Writer<'_> {
    fn step(&mut self, work: WriteTask) {
        match work {
            WriteTask::Term(term, priority, role, depth) => self.term(term, priority, role, depth),
            WriteTask::Put(text) => self.put(text),
            WriteTask::Atom(name) => {
                self.atom(name);
            }
            WriteTask::Infix(name) => self.infix(name),
            WriteTask::Args(of, n, count, depth) => {
                if n == count {
                    self.put(")");
                    return;
                }
                if 0 < n {
                    self.comma();
                }
                self.todo.push(WriteTask::Args(of, n + 1, count, depth));
                self.todo.push(WriteTask::Term(
                    self.heap.cell(of.address() + n),
                    999,
                    Role::Other,
                    depth + 1,
                ));
            }
            WriteTask::Tail(list, depth) => self.tail(list, depth),
        }
    }

    fn term(&mut self, term: Value, priority: u16, role: Role, depth: usize) {
        let term = self.heap.deref(term);
        if self.options.max_depth != 0 && self.options.max_depth < depth {
            self.token("...");
            return;
        }
        match term.view() {
            View::Var(_) | View::Int(_) | View::Big(_) | View::Rational(_) | View::Float(_) => {
                self.token(&self.plain(term));
            }
            View::Text(_) => {
                let text = self.heap.as_text(term).cloned().unwrap_or_default();
                if self.options.quoted {
                    self.put(&quoted(&text, '"', self.options.escapes));
                } else {
                    self.put(&text);
                }
            }
            View::Atom(name) => {
                if role == Role::Operand && self.ops.priority(self.options.module, name) != 0 {
                    self.open();
                    self.atom(name);
                    self.put(")");
                } else {
                    self.atom(name);
                }
            }
            View::Struct(..) if 1 < depth && self.options.loops.contains_key(&term.payload()) => {
                let name = self.options.loops.get(&term.payload()).cloned().unwrap_or_default();
                self.token(&name);
            }
            View::Struct(functor, _) => self.compound(term, functor, priority, depth),
        }
    }

    /// Returns the text of a variable or number; empty for other terms.
    fn plain(&self, term: Value) -> String {
        match term.view() {
            View::Var(at) => match self.options.names.get(&at) {
                Some(name) => name.clone(),
                None => format!("_{at}"),
            },
            View::Int(value) => value.to_string(),
            View::Float(value) => format_float(value),
            View::Big(_) => self.heap.as_big(term).map(ToString::to_string).unwrap_or_default(),
            View::Rational(_) => {
                let found = self.heap.as_rational(term);
                found.map(|it| format!("{}r{}", it.numerator, it.denominator)).unwrap_or_default()
            }
            View::Atom(_) | View::Text(_) | View::Struct(..) => String::new(),
        }
    }

    fn compound(&mut self, term: Value, functor: FunctorId, priority: u16, depth: usize) {
        if functor == FunctorId::NUMBERED && self.options.numbervars && self.numbered(term) {
            return;
        }
        if functor == FunctorId::BRACES && !self.options.plain_braces {
            self.token("{");
            self.todo.push(WriteTask::Put("}"));
            self.todo.push(WriteTask::Term(self.heap.arg(term, 0), 1200, Role::Other, depth + 1));
            return;
        }
        if functor == FunctorId::CONS {
            self.put("[");
            self.todo.push(WriteTask::Tail(self.heap.arg(term, 1), depth + 1));
            self.todo.push(WriteTask::Term(self.heap.arg(term, 0), 999, Role::Other, depth + 1));
            return;
        }
        let (name, arity) = self.atoms.name_arity(functor);
        if !self.options.ignore_ops && self.operator(term, name, arity, priority, depth) {
            return;
        }
        self.atom(name);
        self.put("(");
        self.todo.push(WriteTask::Args(term, 0, arity, depth));
    }

    fn operator(
        &mut self,
        term: Value,
        name: AtomId,
        arity: usize,
        priority: u16,
        depth: usize,
    ) -> bool {
        let get = |fixity| self.ops.get(self.options.module, name, fixity);
        let arg = |n: usize, max: u16| {
            WriteTask::Term(self.heap.cell(term.address() + n), max, Role::Operand, depth + 1)
        };
        if arity == 1
            && let Some(op) = get(Fixity::Prefix)
        {
            let arg = arg(0, op.right());
            let embrace = priority < op.priority;
            if embrace {
                self.open();
                self.todo.push(WriteTask::Put(")"));
            }
            self.atom(name);
            self.before = match name {
                AtomId::MINUS => Before::Minus,
                _ => Before::Prefix(self.last_class()),
            };
            self.todo.push(arg);
            return true;
        }
        if arity == 1
            && let Some(op) = get(Fixity::Postfix)
        {
            let arg = arg(0, op.left());
            if priority < op.priority {
                self.open();
                self.todo.push(WriteTask::Put(")"));
            }
            self.todo.push(WriteTask::Atom(name));
            self.todo.push(arg);
            return true;
        }
        if arity == 2
            && let Some(op) = get(Fixity::Infix)
        {
            let (left, right) = (arg(0, op.left()), arg(1, op.right()));
            if priority < op.priority {
                self.open();
                self.todo.push(WriteTask::Put(")"));
            }
            self.todo.push(right);
            self.todo.push(WriteTask::Infix(name));
            self.todo.push(left);
            return true;
        }
        false
    }

    fn infix(&mut self, name: AtomId) {
        match name {
            AtomId::COMMA => self.comma(),
            AtomId::BAR => self.put(if self.options.spaced { "| " } else { "|" }),
            AtomId::DOT => {
                self.token(".");
            }
            _ => {
                if self.atom(name) {
                    self.put(" ");
                }
            }
        }
        self.before = Before::Infix(self.last_class());
    }

    fn tail(&mut self, list: Value, depth: usize) {
        let list = self.heap.deref(list);
        if list.is_nil() {
            self.put("]");
            return;
        }
        if self.options.max_depth != 0 && self.options.max_depth <= depth {
            self.put("|...]");
            return;
        }
        if list.is_cons() && !self.options.loops.contains_key(&list.payload()) {
            self.comma();
            self.todo.push(WriteTask::Tail(self.heap.arg(list, 1), depth + 1));
            self.todo.push(WriteTask::Term(self.heap.arg(list, 0), 999, Role::Other, depth + 1));
        } else {
            self.put("|");
            self.todo.push(WriteTask::Put("]"));
            self.todo.push(WriteTask::Term(list, 999, Role::Other, depth + 1));
        }
    }

    /// Writes `'$VAR'(N)` as a variable's name. Returns false if `N` is nothing that has one.
    fn numbered(&mut self, term: Value) -> bool {
        match self.heap.arg(term, 0).view() {
            View::Int(n) => {
                self.token(&numbered(n));
                true
            }
            View::Atom(name) if is_var_name(self.atoms.text(name)) => {
                self.token(&self.atoms.name(name));
                true
            }
            View::Var(_)
            | View::Big(_)
            | View::Rational(_)
            | View::Float(_)
            | View::Atom(_)
            | View::Text(_)
            | View::Struct(..) => false,
        }
    }

    /// Writes an atom. Returns whether a space was put before it.
    fn atom(&mut self, name: AtomId) -> bool {
        let text = self.atoms.name(name);
        if name == AtomId::NIL || !self.options.quoted || !atom_needs_quotes(&text) {
            return self.token(&text);
        }
        let spaced = self.space_before('\'');
        self.put(&quoted(&text, '\'', self.options.escapes));
        spaced
    }

    fn comma(&mut self) {
        self.put(if self.options.spaced { ", " } else { "," });
    }

    fn open(&mut self) {
        self.space_before('(');
        self.put("(");
    }

    fn token(&mut self, text: &str) -> bool {
        let Some(first) = text.chars().next() else { return false };
        let spaced = self.space_before(first);
        self.put(text);
        spaced
    }

    fn put(&mut self, text: &str) {
        self.out.push_str(text);
        if !text.is_empty() {
            self.before = Before::Token(self.last_class());
        }
    }

    fn last_class(&self) -> Class {
        self.out.chars().next_back().map_or(Class::Layout, Class::of)
    }

    /// Puts a space if a token that begins with this character needs one. Returns whether it did.
    fn space_before(&mut self, c: char) -> bool {
        let needed = needs_space(self.before, Class::of(c));
        if needed {
            self.put(" ");
        }
        needed
    }
}

/// Returns the name of a numbered variable: `A`, `B`, ..., `Z`, `A1`, ...
fn numbered(n: i64) -> String {
    if n < 0 {
        return format!("S_{}", n.unsigned_abs());
    }
    let letter = u8::try_from(n % 26).map_or('A', |it| char::from(b'A' + it));
    match n / 26 {
        0 => letter.to_string(),
        j => format!("{letter}{j}"),
    }
}

fn is_var_name(text: &str) -> bool {
    text.starts_with(|c: char| c == '_' || c.is_uppercase()) && text.chars().all(is_alnum)
}
