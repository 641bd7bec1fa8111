//! Tokens to terms: operator precedence with stacks of its own, so that depth costs no native stack.
//!
//! Follows what SWI-Prolog accepts: arguments may have any priority, a prefix operator that lacks
//! its argument is an atom, an infix operator that lacks its right argument may be a postfix one.

use crate::data::{AtomId, Atoms, FunctorId, Heap, Value};
use crate::text::lex::{After, LexError, Lexed, Lexer, Token};
use crate::text::{Fixity, Op, Ops, atom_needs_quotes};
use std::fmt;

/// What quoted text stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextKind {
    Codes,
    Chars,
    Atom,
    String,
}

/// How a module wants its text to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Syntax {
    pub module: AtomId,
    pub double_quotes: TextKind,
    pub back_quotes: TextKind,
}

impl Default for Syntax {
    fn default() -> Syntax {
        Syntax {
            module: AtomId::USER,
            double_quotes: TextKind::String,
            back_quotes: TextKind::Codes,
        }
    }
}

#[derive(Clone, Debug)]
pub struct ReadTerm {
    pub term: Value,
    /// Named variables in the order of their first occurrence.
    pub variables: Vec<(String, Value)>,
    /// Those of them that occur once.
    pub singletons: Vec<String>,
    /// Offsets of the first and behind the last character.
    pub span: (usize, usize),
    /// Comments before and inside the term.
    pub comments: Vec<(usize, usize)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// SWI's name for it, the argument of `syntax_error(_)`.
    pub name: String,
    pub at: usize,
    /// From 1.
    pub line: usize,
    /// From 1.
    pub column: usize,
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message())
    }
}

impl SyntaxError {
    /// What is wrong and what was expected, in words.
    pub fn message(&self) -> String {
        match self.name.as_str() {
            "operator_expected" => "an operator was expected here".to_owned(),
            "operator_clash" => {
                "operators of clashing priority: put one side in parentheses".to_owned()
            }
            "operator_balance" => "an operator lacks an argument".to_owned(),
            "end_of_clause" => "the clause ends here, but a term was expected".to_owned(),
            "end_of_clause_expected" => "a full stop was expected here".to_owned(),
            "cannot_start_term" => "a term can't start here; is a bracket missing?".to_owned(),
            "end_of_file" => "the text ends within a clause: a full stop was expected".to_owned(),
            "end_of_file_in_quoted" => "the quotes opened here are never closed".to_owned(),
            "end_of_file_in_block_comment" => "the comment opened here is never closed".to_owned(),
            "illegal_number" => "no such number".to_owned(),
            "illegal_character" => "this character can't be here".to_owned(),
            "list_rest" => "only `]` may follow the tail of a list".to_owned(),
            "dicts" => "dicts are not supported".to_owned(),
            other => other.replace('_', " "),
        }
    }
}

/// Reads the terms of a text one by one.
#[derive(Debug)]
pub struct Reader<'a> {
    lexer: Lexer<'a>,
    pushed_back: Option<Lexed>,
}

impl<'a> Reader<'a> {
    pub fn new(text: &'a str) -> Reader<'a> {
        let mut lexer = Lexer::new(text);
        if text.starts_with("#!") {
            lexer.at = text.find('\n').unwrap_or(text.len());
        }
        Reader { lexer, pushed_back: None }
    }

    /// Where the next term will be looked for.
    pub fn offset(&self) -> usize {
        self.lexer.at
    }

    /// The next term; `None` at the end. After an error, the next call goes on behind the full stop.
    pub fn next_term(
        &mut self,
        heap: &mut Heap,
        atoms: &mut Atoms,
        ops: &Ops,
        syntax: Syntax,
    ) -> Result<Option<ReadTerm>, SyntaxError> {
        self.lexer.comments.clear();
        self.pushed_back = None;
        let mut parser = Parser {
            reader: self,
            heap,
            atoms,
            ops,
            syntax,
            out: Vec::new(),
            side: Vec::new(),
            levels: Vec::new(),
            args: Vec::new(),
            vars: Vec::new(),
            start: 0,
        };
        match parser.clause() {
            Ok(found) => Ok(found),
            Err(error) => {
                self.skip_clause();
                Err(self.locate(error))
            }
        }
    }

    fn skip_clause(&mut self) {
        // The token that was wrong may be the full stop itself.
        if let Some(last) = self.pushed_back.take()
            && last.token == Token::FullStop
        {
            return;
        }
        loop {
            if let Ok(Lexed { token: Token::FullStop | Token::EndOfFile, .. }) =
                self.lexer.next(false)
            {
                return;
            }
        }
    }

    fn locate(&self, error: LexError) -> SyntaxError {
        let before = self.lexer.text.get(..error.at).unwrap_or("");
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        SyntaxError { name: error.name, at: error.at, line, column }
    }
}

/// Operators waiting for their right argument, as the token said it.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    name: AtomId,
    fixity: Fixity,
    op: Op,
    at: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Inside {
    Clause,
    Parentheses,
    Braces,
    /// Arguments of this name; they begin there in the stack of arguments.
    Arguments(AtomId, usize),
    List(usize),
    Tail(usize),
}

#[derive(Clone, Copy, Debug)]
struct Level {
    inside: Inside,
    out: usize,
    side: usize,
    /// An operand was read, and no operator after it.
    complete: bool,
}

struct Parser<'p, 'a> {
    reader: &'p mut Reader<'a>,
    heap: &'p mut Heap,
    atoms: &'p mut Atoms,
    ops: &'p Ops,
    syntax: Syntax,
    /// Terms and their priorities.
    out: Vec<(Value, u16)>,
    side: Vec<Waiting>,
    levels: Vec<Level>,
    args: Vec<Value>,
    vars: Vec<(String, Value, usize)>,
    start: usize,
}

const ANY: u16 = 1201;

impl Parser<'_, '_> {
    fn clause(&mut self) -> Result<Option<ReadTerm>, LexError> {
        let first = self.reader.lexer.next(true)?;
        if first.token == Token::EndOfFile {
            return Ok(None);
        }
        self.start = first.start;
        self.reader.pushed_back = Some(first);
        self.levels.push(Level { inside: Inside::Clause, out: 0, side: 0, complete: false });
        let term = self.terms()?;
        let singletons = self
            .vars
            .iter()
            .filter(|(name, _, count)| *count == 1 && warns_alone(name))
            .map(|(name, ..)| name.clone())
            .collect();
        Ok(Some(ReadTerm {
            term,
            variables: self.vars.drain(..).map(|(name, var, _)| (name, var)).collect(),
            singletons,
            span: (self.start, self.reader.lexer.at),
            comments: std::mem::take(&mut self.reader.lexer.comments),
        }))
    }

    fn next(&mut self, operand: bool) -> Result<Lexed, LexError> {
        match self.reader.pushed_back.take() {
            Some(token) => Ok(token),
            None => self.reader.lexer.next(operand),
        }
    }

    fn error<T>(&mut self, name: &str, at: &Lexed) -> Result<T, LexError> {
        self.reader.pushed_back = Some(at.clone());
        Err(LexError { name: name.to_owned(), at: at.start })
    }

    fn terms(&mut self) -> Result<Value, LexError> {
        loop {
            let Some(level) = self.levels.last().copied() else {
                return Ok(Value::NIL);
            };
            let token = self.next(!level.complete)?;
            let started = level.out < self.out.len() || level.side < self.side.len();
            if started && closes(level.inside, &token.token) {
                let term = self.finish(&token)?;
                if let Some(res) = self.close(term, &token)? {
                    return Ok(res);
                }
                continue;
            }
            if self.operator(&token, level)? {
                continue;
            }
            if level.complete && self.levels.last().is_some_and(|it| it.complete) {
                return self.error("operator_expected", &token);
            }
            self.operand(&token)?;
        }
    }

    /// Takes the token as an operator, if it is one here.
    fn operator(&mut self, token: &Lexed, level: Level) -> Result<bool, LexError> {
        let name = match &token.token {
            Token::Name(name) => {
                // `f(` is a term unless an operator must come; so is `f{`.
                if !level.complete && token.after != After::Other && !is_block(name) {
                    return Ok(false);
                }
                if name == "[]" { AtomId::NIL } else { self.atoms.intern(name) }
            }
            Token::Quoted(name) => {
                // A quoted name that needs no quotes is meant as a name.
                if !level.complete && token.after == After::Open || !atom_needs_quotes(name) {
                    return Ok(false);
                }
                self.atoms.intern(name)
            }
            Token::Punct(',') => AtomId::COMMA,
            Token::Punct('|') => AtomId::BAR,
            Token::Punct(')' | ']' | '}') => return self.error("cannot_start_term", token),
            Token::Punct(_)
            | Token::Var(_)
            | Token::Number(_)
            | Token::DoubleQuoted(_)
            | Token::BackQuoted(_)
            | Token::FullStop
            | Token::EndOfFile => return Ok(false),
        };
        let waiting = |fixity, op| Waiting { name, fixity, op, at: token.start };
        let get = |fixity| self.ops.get(self.syntax.module, name, fixity);
        if !level.complete
            && let Some(op) = get(Fixity::Prefix)
        {
            self.side.push(waiting(Fixity::Prefix, op));
            return Ok(true);
        }
        for fixity in [Fixity::Infix, Fixity::Postfix] {
            let Some(op) = self.ops.get(self.syntax.module, name, fixity) else { continue };
            self.settle(op.left())?;
            if self.levels.last().is_some_and(|it| it.complete) {
                self.reduce(op.left())?;
                self.side.push(waiting(fixity, op));
                self.set_complete(fixity == Fixity::Postfix);
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn set_complete(&mut self, complete: bool) {
        if let Some(level) = self.levels.last_mut() {
            level.complete = complete;
        }
    }

    /// An operator that lacks its right argument becomes an atom or a postfix operator.
    fn settle(&mut self, priority: u16) -> Result<(), LexError> {
        let Some(level) = self.levels.last().copied() else { return Ok(()) };
        if level.complete || self.side.len() <= level.side {
            return Ok(());
        }
        let Some(last) = self.side.last().copied() else { return Ok(()) };
        if priority <= last.op.right() {
            return Ok(());
        }
        match last.fixity {
            Fixity::Prefix => {
                self.side.pop();
                self.out.push((Value::atom(last.name), 0));
                self.set_complete(true);
            }
            Fixity::Infix => {
                let postfix = self.ops.get(self.syntax.module, last.name, Fixity::Postfix);
                if let Some(op) = postfix
                    && level.out < self.out.len()
                {
                    self.side.pop();
                    self.build(Waiting { fixity: Fixity::Postfix, op, ..last });
                    self.set_complete(true);
                }
            }
            Fixity::Postfix => {}
        }
        Ok(())
    }

    /// Builds the operators that bind tighter than the priority.
    fn reduce(&mut self, priority: u16) -> Result<(), LexError> {
        let Some(level) = self.levels.last().copied() else { return Ok(()) };
        while level.side < self.side.len() {
            let Some(last) = self.side.last().copied() else { return Ok(()) };
            let n = if last.fixity == Fixity::Infix { 2 } else { 1 };
            if priority < last.op.priority || self.out.len() < level.out + n {
                return Ok(());
            }
            let of = |back: usize| self.out.get(self.out.len() - back).map_or(0, |it| it.1);
            let fits = match last.fixity {
                Fixity::Prefix => of(1) <= last.op.right(),
                Fixity::Postfix => of(1) <= last.op.left(),
                Fixity::Infix => of(2) <= last.op.left() && of(1) <= last.op.right(),
            };
            if !fits {
                if priority == ANY {
                    return Err(LexError { name: "operator_clash".to_owned(), at: last.at });
                }
                return Ok(());
            }
            self.side.pop();
            self.build(last);
        }
        Ok(())
    }

    fn build(&mut self, op: Waiting) {
        let n = if op.fixity == Fixity::Infix { 2 } else { 1 };
        let functor = self.atoms.functor(op.name, n);
        let from = self.out.len().saturating_sub(n);
        let args: Vec<Value> = self.out.drain(from..).map(|it| it.0).collect();
        let term = self.heap.structure(functor, &args);
        self.out.push((term, op.op.priority));
    }

    /// The term of the innermost level, which ends before the token.
    fn finish(&mut self, token: &Lexed) -> Result<Value, LexError> {
        self.settle(ANY)?;
        self.reduce(ANY)?;
        let Some(level) = self.levels.last().copied() else { return Ok(Value::NIL) };
        match (self.out.len() - level.out, self.side.len() - level.side) {
            (1, 0) => Ok(self.out.pop().map_or(Value::NIL, |it| it.0)),
            (0, 1) => Ok(self.side.pop().map_or(Value::NIL, |it| Value::atom(it.name))),
            _ => self.error("operator_balance", token),
        }
    }

    /// Gives the term to whatever surrounds it; the whole clause is returned.
    fn close(&mut self, term: Value, token: &Lexed) -> Result<Option<Value>, LexError> {
        let Some(level) = self.levels.last().copied() else { return Ok(Some(term)) };
        let separator = match &token.token {
            Token::Punct(c) => *c,
            Token::Name(_)
            | Token::Quoted(_)
            | Token::Var(_)
            | Token::Number(_)
            | Token::DoubleQuoted(_)
            | Token::BackQuoted(_)
            | Token::FullStop
            | Token::EndOfFile => '.',
        };
        match level.inside {
            Inside::Clause => return Ok(Some(term)),
            Inside::Parentheses => {
                self.levels.pop();
                self.deliver(term);
            }
            Inside::Braces => {
                self.levels.pop();
                let term = self.heap.structure(FunctorId::BRACES, &[term]);
                self.deliver(term);
            }
            Inside::Arguments(name, from) => {
                self.args.push(term);
                self.set_complete(false);
                if separator == ')' {
                    self.levels.pop();
                    let args = self.args.split_off(from);
                    let functor = self.atoms.functor(name, args.len());
                    let term = self.heap.structure(functor, &args);
                    self.deliver(term);
                }
            }
            Inside::List(from) => {
                self.args.push(term);
                self.set_complete(false);
                match separator {
                    '|' => {
                        if let Some(level) = self.levels.last_mut() {
                            level.inside = Inside::Tail(from);
                        }
                    }
                    ']' => self.close_list(from, Value::NIL),
                    _ => {}
                }
            }
            Inside::Tail(from) => {
                if separator != ']' {
                    return self.error("list_rest", token);
                }
                self.close_list(from, term);
            }
        }
        Ok(None)
    }

    fn close_list(&mut self, from: usize, tail: Value) {
        self.levels.pop();
        let items = self.args.split_off(from);
        let list = self.heap.partial_list(&items, tail);
        self.deliver(list);
    }

    fn deliver(&mut self, term: Value) {
        self.out.push((term, 0));
        self.set_complete(true);
    }

    fn operand(&mut self, token: &Lexed) -> Result<(), LexError> {
        let value = match &token.token {
            Token::Name(name) | Token::Quoted(name) => {
                let name = match &token.token {
                    Token::Name(name) if name == "[]" => AtomId::NIL,
                    Token::Name(_)
                    | Token::Quoted(_)
                    | Token::Var(_)
                    | Token::Number(_)
                    | Token::DoubleQuoted(_)
                    | Token::BackQuoted(_)
                    | Token::Punct(_)
                    | Token::FullStop
                    | Token::EndOfFile => self.atoms.intern(name),
                };
                match token.after {
                    After::Open => return self.open_arguments(name),
                    After::Brace if matches!(token.token, Token::Name(_)) => {
                        return self.error("dicts", token);
                    }
                    After::Brace | After::Other => Value::atom(name),
                }
            }
            Token::Var(name) => {
                if token.after == After::Brace {
                    return self.error("dicts", token);
                }
                self.variable(name)
            }
            Token::Number(number) => number.clone().store(self.heap),
            Token::DoubleQuoted(text) => self.text(text, self.syntax.double_quotes),
            Token::BackQuoted(text) => self.text(text, self.syntax.back_quotes),
            Token::Punct('(') => {
                self.open(Inside::Parentheses);
                return Ok(());
            }
            Token::Punct('{') => {
                self.open(Inside::Braces);
                return Ok(());
            }
            Token::Punct('[') => {
                self.open(Inside::List(self.args.len()));
                return Ok(());
            }
            Token::Punct(c) => Value::atom(self.atoms.intern(&c.to_string())),
            Token::FullStop => return self.error("end_of_clause", token),
            Token::EndOfFile => return self.error("end_of_file", token),
        };
        self.deliver(value);
        Ok(())
    }

    fn open(&mut self, inside: Inside) {
        let (out, side) = (self.out.len(), self.side.len());
        self.levels.push(Level { inside, out, side, complete: false });
    }

    fn open_arguments(&mut self, name: AtomId) -> Result<(), LexError> {
        self.next(true)?;
        let first = self.next(true)?;
        if first.token == Token::Punct(')') {
            let functor = self.atoms.functor(name, 0);
            let term = self.heap.structure(functor, &[]);
            self.deliver(term);
            return Ok(());
        }
        self.reader.pushed_back = Some(first);
        self.open(Inside::Arguments(name, self.args.len()));
        Ok(())
    }

    fn variable(&mut self, name: &str) -> Value {
        if name == "_" {
            return self.heap.fresh();
        }
        if let Some((_, var, count)) = self.vars.iter_mut().find(|it| it.0 == name) {
            *count += 1;
            return *var;
        }
        let var = self.heap.fresh();
        self.vars.push((name.to_owned(), var, 1));
        var
    }

    fn text(&mut self, text: &str, kind: TextKind) -> Value {
        match kind {
            TextKind::String => self.heap.text(text),
            TextKind::Atom => Value::atom(self.atoms.intern(text)),
            TextKind::Codes => {
                let codes: Vec<Value> =
                    text.chars().map(|c| Value::int(i64::from(u32::from(c)))).collect();
                self.heap.list(&codes)
            }
            TextKind::Chars => {
                let chars: Vec<Value> =
                    text.chars().map(|c| Value::atom(self.atoms.intern(&c.to_string()))).collect();
                self.heap.list(&chars)
            }
        }
    }
}

fn closes(inside: Inside, token: &Token) -> bool {
    match (inside, token) {
        (Inside::Clause, Token::FullStop)
        | (Inside::Parentheses, Token::Punct(')'))
        | (Inside::Braces, Token::Punct('}'))
        | (Inside::Arguments(..), Token::Punct(',' | ')'))
        | (Inside::List(_) | Inside::Tail(_), Token::Punct(',' | '|' | ']')) => true,
        (
            Inside::Clause
            | Inside::Parentheses
            | Inside::Braces
            | Inside::Arguments(..)
            | Inside::List(_)
            | Inside::Tail(_),
            _,
        ) => false,
    }
}

fn is_block(name: &str) -> bool {
    name == "[]" || name == "{}"
}

/// `_Name` may stand alone, `__name` and `_` too; `Name` may not.
fn warns_alone(name: &str) -> bool {
    !name.starts_with('_')
}
