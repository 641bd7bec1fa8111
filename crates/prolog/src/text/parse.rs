//! The parser: tokens to terms by operator precedence. An operator waits on a stack until an operator follows
//! that its argument cannot contain. The stack is the parser's own, so that depth costs no native stack.
//!
//! The grammar follows the behaviour of SWI-Prolog 9, found by experiments: arguments may have any priority;
//! a prefix operator without an operand is an atom, and so is one before an infix operator that takes it as
//! its left argument.

use crate::data::{AtomId, Atoms, FunctorId, Heap, Value};
use crate::text::lex::{After, LexError, Lexed, Lexer, Token};
use crate::text::{Fixity, Op, Ops, atom_needs_quotes};
use std::fmt;

/// The type of term that quoted text is read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextKind {
    Codes,
    Chars,
    Atom,
    String,
}

/// The flags of a module that control the parser.
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
    /// The named variables in the order of their first occurrence.
    pub variables: Vec<(String, Value)>,
    /// The named variables that occur once and warn of it.
    pub singletons: Vec<String>,
    /// All named variables that occur once, including those whose names suppress the warning (`_Name`).
    pub alone: Vec<String>,
    /// The offsets of the term's first byte and behind its last one.
    pub span: (usize, usize),
    /// The spans of comments before and inside the term.
    pub comments: Vec<(usize, usize)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// SWI-Prolog's name of the error: the argument of `syntax_error(_)`.
    pub name: String,
    pub at: usize,
    /// The line, counted from 1.
    pub line: usize,
    /// The column, counted from 1.
    pub column: usize,
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message())
    }
}

impl SyntaxError {
    /// Returns a message that says what is wrong and what was expected.
    pub fn message(&self) -> String {
        match self.name.as_str() {
            "operator_expected" => "an operator was expected here".to_owned(),
            "operator_clash" => {
                "operators of clashing priority: put one side in parentheses".to_owned()
            }
            "operator_balance" => "the operator before lacks its right argument".to_owned(),
            "quoted_punctuation" => "a term was expected before this comma or bar".to_owned(),
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

/// Reads the terms of a text one after the other.
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

    /// Returns the offset at which the search for the next term starts.
    pub fn offset(&self) -> usize {
        self.lexer.at
    }

    /// Returns the next term; `None` at the end of the text. After an error, the next call continues behind
    /// the full stop of the erroneous clause.
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
            waiting: Vec::new(),
            brackets: Vec::new(),
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
        // The token that caused the error may be the full stop itself.
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

/// An entry of the parser's stack: an operator or bracket whose last argument is not complete.
#[derive(Clone, Copy, Debug)]
enum StackEntry {
    /// A prefix operator without its argument.
    Prefix { name: AtomId, op: Op, at: usize },
    /// An infix operator with its left argument, without its right one.
    Infix { name: AtomId, op: Op, left: Value, at: usize },
    /// A bracket, or the clause itself, without its end.
    Bracket,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bracket {
    Clause,
    Parentheses,
    Braces,
    /// The arguments of a compound term of this name. They begin at this index of the stack of arguments.
    Arguments(AtomId, usize),
    List(usize),
    Tail(usize),
}

/// A complete term, and the priority of its principal operator (0 if there is none).
#[derive(Clone, Copy, Debug)]
struct Operand {
    value: Value,
    priority: u16,
}

/// The state of the parser after a token that follows a complete term.
enum AfterToken {
    /// Another term must follow, such as an operator's right argument.
    Expect,
    /// A larger term is complete, for example after a closing bracket.
    Have(Operand),
    /// The whole clause is complete.
    Done(Value),
}

struct Parser<'p, 'a> {
    reader: &'p mut Reader<'a>,
    heap: &'p mut Heap,
    atoms: &'p mut Atoms,
    ops: &'p Ops,
    syntax: Syntax,
    waiting: Vec<StackEntry>,
    /// The open brackets, from the outermost one on.
    brackets: Vec<Bracket>,
    args: Vec<Value>,
    vars: Vec<(String, Value, usize)>,
    start: usize,
}

impl Parser<'_, '_> {
    fn clause(&mut self) -> Result<Option<ReadTerm>, LexError> {
        let first = self.reader.lexer.next(true)?;
        if first.token == Token::EndOfFile {
            return Ok(None);
        }
        self.start = first.start;
        self.reader.pushed_back = Some(first);
        self.open(Bracket::Clause);
        let term = self.term()?;
        let once = self.vars.iter().filter(|it| it.2 == 1);
        let alone: Vec<String> = once.map(|it| it.0.clone()).collect();
        let singletons = alone.iter().filter(|it| warns_alone(it)).cloned().collect();
        Ok(Some(ReadTerm {
            term,
            variables: self.vars.drain(..).map(|(name, var, _)| (name, var)).collect(),
            singletons,
            alone,
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

    /// Returns the next token without consuming it.
    fn look_ahead(&mut self) -> Result<Lexed, LexError> {
        let token = self.next(true)?;
        self.reader.pushed_back = Some(token.clone());
        Ok(token)
    }

    fn error<T>(&mut self, name: &str, at: &Lexed) -> Result<T, LexError> {
        self.reader.pushed_back = Some(at.clone());
        Err(LexError { name: name.to_owned(), at: at.start })
    }

    fn term(&mut self) -> Result<Value, LexError> {
        loop {
            let token = self.next(true)?;
            let Some(mut operand) = self.begin(&token)? else { continue };
            loop {
                match self.go_on(operand)? {
                    AfterToken::Expect => break,
                    AfterToken::Have(larger) => operand = larger,
                    AfterToken::Done(term) => return Ok(term),
                }
            }
        }
    }

    /// Parses the token that begins a term. `None`: the token opened a bracket or is a prefix operator, and
    /// another term must follow.
    fn begin(&mut self, token: &Lexed) -> Result<Option<Operand>, LexError> {
        let value = match &token.token {
            Token::Name(name) => return self.name(name, token),
            Token::Quoted(name) => {
                let name = self.atoms.intern(name);
                if token.after == After::Open {
                    return self.arguments(name);
                }
                Value::atom(name)
            }
            Token::Var(_) if token.after == After::Brace => return self.error("dicts", token),
            Token::Var(name) => self.variable(name),
            Token::Number(number) => number.clone().store(self.heap),
            Token::DoubleQuoted(text) => self.text(text, self.syntax.double_quotes),
            Token::BackQuoted(text) => self.text(text, self.syntax.back_quotes),
            Token::Punct('(') => return Ok(self.open(Bracket::Parentheses)),
            Token::Punct('{') => return Ok(self.open(Bracket::Braces)),
            Token::Punct('[') => return Ok(self.open(Bracket::List(self.args.len()))),
            Token::Punct(',' | '|') => return self.error("quoted_punctuation", token),
            Token::Punct(_) => return self.error("cannot_start_term", token),
            Token::FullStop => {
                let in_operator = !matches!(self.waiting.last(), Some(StackEntry::Bracket));
                let name = if in_operator { "operator_balance" } else { "end_of_clause" };
                return self.error(name, token);
            }
            Token::EndOfFile => return self.error("end_of_file", token),
        };
        Ok(Some(Operand { value, priority: 0 }))
    }

    /// Parses a name at the beginning of a term: a compound term, a prefix operator or an atom.
    fn name(&mut self, text: &str, token: &Lexed) -> Result<Option<Operand>, LexError> {
        let name = if text == "[]" { AtomId::NIL } else { self.atoms.intern(text) };
        let is_block = text == "[]" || text == "{}";
        match token.after {
            After::Open => return self.arguments(name),
            After::Brace if !is_block => return self.error("dicts", token),
            After::Brace | After::Other => {}
        }
        if let Some(op) = self.ops.get(self.syntax.module, name, Fixity::Prefix) {
            let following = self.look_ahead()?;
            if self.takes_argument(op, &following) {
                self.waiting.push(StackEntry::Prefix { name, op, at: token.start });
                return Ok(None);
            }
        }
        Ok(Some(Operand { value: Value::atom(name), priority: 0 }))
    }

    /// Whether the token after a prefix operator begins its argument. If not, the operator is an atom.
    fn takes_argument(&mut self, op: Op, following: &Lexed) -> bool {
        match &following.token {
            Token::FullStop | Token::EndOfFile | Token::Punct(')' | ']' | '}') => false,
            token @ Token::Punct(sign @ (',' | '|')) => {
                !closes(self.innermost(), token) && (*sign == '|' || 999 < op.priority)
            }
            Token::Name(text) if following.after != After::Open => {
                let name = self.atoms.intern(text);
                let get = |fixity| self.ops.get(self.syntax.module, name, fixity);
                let infix = get(Fixity::Infix).or_else(|| get(Fixity::Postfix));
                match infix {
                    Some(infix) if get(Fixity::Prefix).is_none() => infix.left() < op.priority,
                    Some(_) | None => true,
                }
            }
            Token::Name(_)
            | Token::Quoted(_)
            | Token::Var(_)
            | Token::Number(_)
            | Token::DoubleQuoted(_)
            | Token::BackQuoted(_)
            | Token::Punct(_) => true,
        }
    }

    fn open(&mut self, bracket: Bracket) -> Option<Operand> {
        self.waiting.push(StackEntry::Bracket);
        self.brackets.push(bracket);
        None
    }

    fn arguments(&mut self, name: AtomId) -> Result<Option<Operand>, LexError> {
        self.next(true)?;
        let first = self.look_ahead()?;
        if first.token == Token::Punct(')') {
            self.next(true)?;
            let functor = self.atoms.functor(name, 0);
            let value = self.heap.structure(functor, &[]);
            return Ok(Some(Operand { value, priority: 0 }));
        }
        Ok(self.open(Bracket::Arguments(name, self.args.len())))
    }

    /// Parses the token after a complete term: an operator, a separator or a closing bracket.
    fn go_on(&mut self, operand: Operand) -> Result<AfterToken, LexError> {
        let token = self.next(false)?;
        if closes(self.innermost(), &token.token) {
            let term = match self.finish(operand) {
                Ok(term) => term,
                Err(error) => {
                    // The token is pushed back, so that error recovery sees it if it is the full stop.
                    self.reader.pushed_back = Some(token);
                    return Err(error);
                }
            };
            return self.close(term, &token);
        }
        let name = match &token.token {
            Token::Name(name) if name == "[]" => AtomId::NIL,
            Token::Name(name) => self.atoms.intern(name),
            // A quoted name may be an infix operator only if it needs its quotes.
            Token::Quoted(name) if atom_needs_quotes(name) => self.atoms.intern(name),
            Token::Punct(',') => AtomId::COMMA,
            Token::Punct('|') => AtomId::BAR,
            Token::Punct(')' | ']' | '}') if self.innermost() == Bracket::Clause => {
                return self.error("cannot_start_term", &token);
            }
            Token::Quoted(_)
            | Token::Var(_)
            | Token::Number(_)
            | Token::DoubleQuoted(_)
            | Token::BackQuoted(_)
            | Token::Punct(_)
            | Token::FullStop => return self.error("operator_expected", &token),
            Token::EndOfFile => return self.error("end_of_file", &token),
        };
        let infix = self.ops.get(self.syntax.module, name, Fixity::Infix);
        let postfix = self.ops.get(self.syntax.module, name, Fixity::Postfix);
        match (infix, postfix) {
            (Some(infix), None) => self.infix(name, infix, operand, &token),
            (Some(infix), Some(postfix)) => {
                let following = self.look_ahead()?;
                if begins_term(&following.token) {
                    self.infix(name, infix, operand, &token)
                } else {
                    self.postfix(name, postfix, operand, &token)
                }
            }
            (None, Some(postfix)) => self.postfix(name, postfix, operand, &token),
            (None, None) => self.error("operator_expected", &token),
        }
    }

    fn infix(
        &mut self,
        name: AtomId,
        op: Op,
        operand: Operand,
        token: &Lexed,
    ) -> Result<AfterToken, LexError> {
        let left = self.left_argument(op, operand, token)?;
        self.waiting.push(StackEntry::Infix { name, op, left, at: token.start });
        Ok(AfterToken::Expect)
    }

    fn postfix(
        &mut self,
        name: AtomId,
        op: Op,
        operand: Operand,
        token: &Lexed,
    ) -> Result<AfterToken, LexError> {
        let left = self.left_argument(op, operand, token)?;
        let functor = self.atoms.functor(name, 1);
        let value = self.heap.structure(functor, &[left]);
        Ok(AfterToken::Have(Operand { value, priority: op.priority }))
    }

    /// Completes the operators on the stack that bind tighter than the new operator `op`. Returns the
    /// resulting term, which is the left argument of `op`.
    fn left_argument(
        &mut self,
        op: Op,
        operand: Operand,
        token: &Lexed,
    ) -> Result<Value, LexError> {
        let mut operand = operand;
        loop {
            let reach = match self.waiting.last() {
                Some(StackEntry::Prefix { op, .. } | StackEntry::Infix { op, .. }) => {
                    Some(op.right())
                }
                Some(StackEntry::Bracket) | None => None,
            };
            let fits = operand.priority <= op.left();
            match reach {
                Some(reach) if fits && op.priority <= reach => return Ok(operand.value),
                Some(_) => operand = self.build(operand)?,
                None if fits => return Ok(operand.value),
                None => return self.error("operator_clash", token),
            }
        }
    }

    /// Gives the topmost operator of the stack its right argument.
    fn build(&mut self, operand: Operand) -> Result<Operand, LexError> {
        let Some(waiting) = self.waiting.pop() else { return Ok(operand) };
        let (op, at) = match waiting {
            StackEntry::Prefix { op, at, .. } | StackEntry::Infix { op, at, .. } => (op, at),
            StackEntry::Bracket => {
                self.waiting.push(waiting);
                return Ok(operand);
            }
        };
        if op.right() < operand.priority {
            return Err(LexError { name: "operator_clash".to_owned(), at });
        }
        let value = match waiting {
            StackEntry::Infix { name, left, .. } => {
                let functor = self.atoms.functor(name, 2);
                self.heap.structure(functor, &[left, operand.value])
            }
            StackEntry::Prefix { name, .. } => {
                let functor = self.atoms.functor(name, 1);
                self.heap.structure(functor, &[operand.value])
            }
            StackEntry::Bracket => operand.value,
        };
        Ok(Operand { value, priority: op.priority })
    }

    /// Completes all operators inside the innermost bracket.
    fn finish(&mut self, operand: Operand) -> Result<Value, LexError> {
        let mut operand = operand;
        while !matches!(self.waiting.last(), Some(StackEntry::Bracket) | None) {
            operand = self.build(operand)?;
        }
        Ok(operand.value)
    }

    fn innermost(&self) -> Bracket {
        self.brackets.last().copied().unwrap_or(Bracket::Clause)
    }

    /// Adds the term to the innermost bracket, at a separator or at the closing token.
    fn close(&mut self, term: Value, token: &Lexed) -> Result<AfterToken, LexError> {
        let have = |value| Ok(AfterToken::Have(Operand { value, priority: 0 }));
        let bracket = self.innermost();
        let ends = !matches!(token.token, Token::Punct(',' | '|'));
        if ends {
            self.waiting.pop();
            self.brackets.pop();
        }
        match bracket {
            Bracket::Clause => Ok(AfterToken::Done(term)),
            Bracket::Parentheses => have(term),
            Bracket::Braces => have(self.heap.structure(FunctorId::BRACES, &[term])),
            Bracket::Arguments(name, from) => {
                self.args.push(term);
                if !ends {
                    return Ok(AfterToken::Expect);
                }
                let args = self.args.split_off(from);
                let functor = self.atoms.functor(name, args.len());
                have(self.heap.structure(functor, &args))
            }
            Bracket::List(from) => {
                self.args.push(term);
                if ends {
                    let items = self.args.split_off(from);
                    return have(self.heap.list(&items));
                }
                if token.token == Token::Punct('|')
                    && let Some(last) = self.brackets.last_mut()
                {
                    *last = Bracket::Tail(from);
                }
                Ok(AfterToken::Expect)
            }
            Bracket::Tail(_) if !ends => self.error("list_rest", token),
            Bracket::Tail(from) => {
                let items = self.args.split_off(from);
                have(self.heap.partial_list(&items, term))
            }
        }
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

fn closes(bracket: Bracket, token: &Token) -> bool {
    match (bracket, token) {
        (Bracket::Clause, Token::FullStop)
        | (Bracket::Parentheses, Token::Punct(')'))
        | (Bracket::Braces, Token::Punct('}'))
        | (Bracket::Arguments(..), Token::Punct(',' | ')'))
        | (Bracket::List(_) | Bracket::Tail(_), Token::Punct(',' | '|' | ']')) => true,
        (
            Bracket::Clause
            | Bracket::Parentheses
            | Bracket::Braces
            | Bracket::Arguments(..)
            | Bracket::List(_)
            | Bracket::Tail(_),
            _,
        ) => false,
    }
}

fn begins_term(token: &Token) -> bool {
    match token {
        Token::FullStop | Token::EndOfFile | Token::Punct(',' | '|' | ')' | ']' | '}') => false,
        Token::Name(_)
        | Token::Quoted(_)
        | Token::Var(_)
        | Token::Number(_)
        | Token::DoubleQuoted(_)
        | Token::BackQuoted(_)
        | Token::Punct(_) => true,
    }
}

/// Whether a variable of this name warns if it occurs once: `Name` does; `_Name`, `__name` and `_` do not.
fn warns_alone(name: &str) -> bool {
    !name.starts_with('_')
}
