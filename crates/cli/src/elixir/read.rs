//! Reads calls and terms in Elixir's syntax, as users type them or paste them from a report. Accepts literals only: no
//! variables, operators, interpolation or `fn`.

use crate::elixir::{PREFIX, literals};
use num_bigint::BigInt;
use term::{Atom, Call, Fun, Problem, ReadError, Style, Term, print, read_term};

/// Reads a module and a function: `Shop.price`, `:lists.seq`.
pub(crate) fn read_function(text: &str) -> Option<(Atom, Atom)> {
    let mut reader = Reader::new(text);
    let res = reader.function().ok()?;
    reader.end().ok().map(|()| res)
}

pub(crate) fn read_call(text: &str) -> Result<Call, ReadError> {
    let mut reader = Reader::new(text);
    let (module, function) = reader.function()?;
    reader.expect("(", "`(` and arguments")?;
    let args = reader.items(")")?;
    reader.end()?;
    Ok(Call { module, function, args })
}

/// Reads the arguments of a call: a list (`[1, :a]`), or its items without brackets (`1, :a`).
pub(crate) fn read_args(text: &str) -> Result<Vec<Term>, ReadError> {
    let mut reader = Reader::new(text);
    let mut res = Vec::new();
    while reader.peek().is_some() {
        res.push(reader.term()?);
        if !reader.accept(",") {
            break;
        }
    }
    reader.end()?;
    match res.as_slice() {
        [only] if let Some(items) = only.as_list() => Ok(items.to_vec()),
        [_] => Err(ReadError {
            offset: 0,
            problem: Problem::Expected {
                expected: "a list of arguments",
                found: text.trim().to_owned(),
            },
        }),
        _ => Ok(res),
    }
}

/// The maximum nesting of a term: deeper than a person types, and small enough for the stack of any thread.
const MAX_DEPTH: usize = 200;

struct Reader<'a> {
    text: &'a str,
    offset: usize,
    depth: usize,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Reader<'a> {
        let mut res = Reader { text, offset: 0, depth: 0 };
        res.skip_blanks();
        res
    }

    // Characters

    fn rest(&self) -> &'a str {
        self.text.get(self.offset..).unwrap_or("")
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn skip_blanks(&mut self) {
        self.offset = self.text.len() - self.rest().trim_start().len();
    }

    /// Consumes the text and the white space after it, if the text comes next.
    fn accept(&mut self, text: &str) -> bool {
        let is_next = self.rest().starts_with(text);
        if is_next {
            self.offset += text.len();
            self.skip_blanks();
        }
        is_next
    }

    fn expect(&mut self, text: &str, expected: &'static str) -> Result<(), ReadError> {
        if self.accept(text) { Ok(()) } else { Err(self.wrong(expected)) }
    }

    fn take_while(&mut self, is_part: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let len = rest.find(|it| !is_part(it)).unwrap_or(rest.len());
        self.offset += len;
        rest.get(..len).unwrap_or("")
    }

    fn end(&mut self) -> Result<(), ReadError> {
        self.skip_blanks();
        if self.rest().is_empty() { Ok(()) } else { Err(self.wrong("the end")) }
    }

    fn wrong(&self, expected: &'static str) -> ReadError {
        let found = match self.peek() {
            Some(_) => self.rest().chars().take_while(|it| !it.is_whitespace()).collect(),
            None => "the end".to_owned(),
        };
        ReadError { offset: self.offset, problem: Problem::Expected { expected, found } }
    }

    // Terms

    fn term(&mut self) -> Result<Term, ReadError> {
        if self.depth == MAX_DEPTH {
            let problem = Problem::TooDeep(MAX_DEPTH);
            return Err(ReadError { offset: self.offset, problem });
        }
        self.depth += 1;
        let first = self.literal()?;
        self.depth -= 1;
        self.skip_blanks();
        if self.accept("..") { self.range(first) } else { Ok(first) }
    }

    fn literal(&mut self) -> Result<Term, ReadError> {
        let rest = self.rest();
        let Some(first) = self.peek() else { return Err(self.wrong("a term")) };
        match first {
            '0'..='9' | '-' => self.number(),
            '?' => self.character(),
            '"' => Ok(Term::binary(self.quoted('"')?.into_bytes())),
            '\'' => Ok(Term::string(&self.quoted('\'')?)),
            '~' if rest.starts_with("~c\"") => {
                self.offset += 2;
                Ok(Term::string(&self.quoted('"')?))
            }
            '[' => {
                self.accept("[");
                self.list()
            }
            '{' => {
                self.accept("{");
                Ok(Term::Tuple(self.items("}")?))
            }
            '%' => self.map(),
            '<' if rest.starts_with("<<") => self.bits(),
            ':' if rest.starts_with(":erlang.") => self.handle(),
            ':' => Ok(Term::Atom(self.atom_after_colon()?)),
            '&' => self.capture(),
            '~' => self.sigil(),
            'A'..='Z' if rest.starts_with("MapSet.new(") => self.set(),
            'A'..='Z' => Ok(Term::Atom(self.alias()?)),
            _ if ["true", "false", "nil"].contains(&self.word()) => {
                let name = self.word();
                self.offset += name.len();
                Ok(Term::atom(name))
            }
            _ => Err(self.wrong("a literal term")),
        }
    }

    /// The name at the current position; empty if there is none.
    fn word(&self) -> &'a str {
        let rest = self.rest();
        rest.split(|it: char| !is_name_part(it)).next().unwrap_or("")
    }

    fn number(&mut self) -> Result<Term, ReadError> {
        let start = self.offset;
        let is_negative = self.accept("-");
        let base = match self.rest().get(..2) {
            Some("0x") => 16,
            Some("0o") => 8,
            Some("0b") => 2,
            _ => 10,
        };
        let bad = |problem: Problem| ReadError { offset: start, problem };
        if base != 10 {
            self.offset += 2;
        }
        let mut digits = self.take_while(|it| it.is_digit(base) || it == '_').replace('_', "");
        let fraction = self.rest().strip_prefix('.');
        if base == 10 && fraction.is_some_and(|it| it.starts_with(|it: char| it.is_ascii_digit())) {
            self.offset += 1;
            let is_part = |it: char| it.is_ascii_alphanumeric() || "+-_".contains(it);
            let fraction = self.take_while(is_part).replace('_', "");
            digits = format!("{digits}.{fraction}");
            let value: f64 = digits.parse().map_err(|_| bad(Problem::BadNumber))?;
            if value.is_infinite() {
                return Err(bad(Problem::GreatFloat));
            }
            return Ok(Term::Float(if is_negative { -value } else { value }));
        }
        let value = BigInt::parse_bytes(digits.as_bytes(), base);
        let value = value.ok_or_else(|| bad(Problem::BadNumber))?;
        Ok(Term::integer(if is_negative { -value } else { value }))
    }

    /// Reads a character: `?a`.
    fn character(&mut self) -> Result<Term, ReadError> {
        self.offset += 1;
        let character = match self.peek() {
            Some('\\') => {
                self.offset += 1;
                self.escape()?
            }
            Some(character) => {
                self.offset += character.len_utf8();
                character
            }
            None => return Err(self.wrong("a character")),
        };
        Ok(Term::Int(i64::from(u32::from(character))))
    }

    fn quoted(&mut self, quote: char) -> Result<String, ReadError> {
        let start = self.offset;
        self.offset += quote.len_utf8();
        let mut res = String::new();
        while let Some(next) = self.peek() {
            if self.rest().starts_with("#{") {
                return Err(self.wrong("no interpolation"));
            }
            self.offset += next.len_utf8();
            match next {
                '\\' => res.push(self.escape()?),
                _ if next == quote => return Ok(res),
                _ => res.push(next),
            }
        }
        Err(ReadError { offset: start, problem: Problem::Unfinished("string") })
    }

    /// Reads an escape sequence after its backslash.
    fn escape(&mut self) -> Result<char, ReadError> {
        let bad = ReadError { offset: self.offset, problem: Problem::BadEscape };
        let next = self.peek().ok_or_else(|| bad.clone())?;
        self.offset += next.len_utf8();
        let digits = match next {
            'u' if self.rest().starts_with('{') => {
                self.offset += 1;
                let digits = self.take_while(|it| it.is_ascii_hexdigit());
                self.offset += 1;
                digits
            }
            'u' => self.take(4),
            'x' => self.take(2),
            _ => {
                return Ok(match next {
                    '0' => '\0',
                    'a' => '\u{7}',
                    'b' => '\u{8}',
                    'd' => '\u{7f}',
                    'e' => '\u{1b}',
                    'f' => '\u{c}',
                    'n' => '\n',
                    'r' => '\r',
                    's' => ' ',
                    't' => '\t',
                    'v' => '\u{b}',
                    other => other,
                });
            }
        };
        u32::from_str_radix(digits, 16).ok().and_then(char::from_u32).ok_or(bad)
    }

    fn take(&mut self, n_bytes: usize) -> &'a str {
        let res = self.rest().get(..n_bytes).unwrap_or("");
        self.offset += res.len();
        res
    }

    /// Reads an atom after its colon: `:name` or `:"any name"`.
    fn atom_after_colon(&mut self) -> Result<Atom, ReadError> {
        self.offset += 1;
        self.name("an atom")
    }

    fn function(&mut self) -> Result<(Atom, Atom), ReadError> {
        let module = match self.peek() {
            Some(':') => self.atom_after_colon()?,
            _ => self.alias()?,
        };
        self.expect(".", "`.` and a function name")?;
        Ok((module, self.name("a function name")?))
    }

    fn name(&mut self, expected: &'static str) -> Result<Atom, ReadError> {
        let res = match self.peek() {
            Some('"') => self.quoted('"')?,
            _ if self.word().is_empty() => {
                self.take_while(|it| "+-*/<>=!&|^~".contains(it)).to_owned()
            }
            _ => {
                let name = self.word();
                self.offset += name.len();
                let mark = self.rest().chars().next().filter(|it| matches!(it, '?' | '!'));
                self.offset += mark.map_or(0, char::len_utf8);
                name.chars().chain(mark).collect()
            }
        };
        if res.is_empty() && !self.text.get(..self.offset).is_some_and(|it| it.ends_with('"')) {
            return Err(self.wrong(expected));
        }
        Ok(Atom::new(&res))
    }

    /// Reads a module name, `My.App`, without the function that may follow.
    fn alias(&mut self) -> Result<Atom, ReadError> {
        let mut res = PREFIX.to_owned();
        loop {
            if !self.peek().is_some_and(|it| it.is_ascii_uppercase()) {
                return Err(self.wrong("a module name"));
            }
            res.push_str(self.take_while(is_name_part));
            let next = self.rest().strip_prefix('.');
            if !next.is_some_and(|it| it.starts_with(|it: char| it.is_ascii_uppercase())) {
                return Ok(Atom::new(&res));
            }
            self.offset += 1;
            res.push('.');
        }
    }

    /// Reads terms separated by commas, up to the closing bracket. Keyword pairs such as `a: 1` at the end become one
    /// list.
    fn items(&mut self, close: &'static str) -> Result<Vec<Term>, ReadError> {
        let mut res = Vec::new();
        while !self.accept(close) {
            let item = match self.key()? {
                Some(key) => {
                    let mut pairs = vec![Term::Tuple(vec![key, self.term()?])];
                    while self.accept(",") {
                        let key = self.key()?.ok_or_else(|| self.wrong("`name:` and a term"))?;
                        pairs.push(Term::Tuple(vec![key, self.term()?]));
                    }
                    Term::proper_list(pairs)
                }
                None => self.term()?,
            };
            res.push(item);
            if !self.accept(",") {
                self.expect(close, "`,` or the end of the items")?;
                break;
            }
        }
        Ok(res)
    }

    fn list(&mut self) -> Result<Term, ReadError> {
        let mut items = Vec::new();
        while !self.accept("]") {
            let item = match self.key()? {
                Some(key) => Term::Tuple(vec![key, self.term()?]),
                None => self.term()?,
            };
            items.push(item);
            if self.accept("|") {
                let tail = self.term()?;
                self.expect("]", "`]`")?;
                return Ok(Term::list(items, tail));
            }
            if !self.accept(",") {
                self.expect("]", "`,`, `|` or `]`")?;
                break;
            }
        }
        Ok(Term::proper_list(items))
    }

    /// Reads the key of a keyword pair: `name:` or `"any name":`. `None`, with nothing consumed, if there is none.
    fn key(&mut self) -> Result<Option<Term>, ReadError> {
        let start = self.offset;
        let starts = |it: char| it.is_ascii_lowercase() || it == '_' || it == '"';
        if self.peek().is_some_and(starts) {
            let name = self.name("a name")?;
            let is_key = self.rest().strip_prefix(':').is_some_and(|it| !it.starts_with(':'));
            if is_key {
                self.accept(":");
                return Ok(Some(Term::Atom(name)));
            }
        }
        self.offset = start;
        Ok(None)
    }

    /// Reads a map, `%{...}`, or a struct, `%Shop{...}`. A struct gets the fields that are given, without defaults.
    fn map(&mut self) -> Result<Term, ReadError> {
        self.offset += 1;
        let mut pairs = Vec::new();
        if self.peek() != Some('{') {
            pairs.push((Term::atom("__struct__"), Term::Atom(self.alias()?)));
        }
        self.expect("{", "`{`")?;
        while !self.accept("}") {
            let key = match self.key()? {
                Some(key) => key,
                None => {
                    let key = self.term()?;
                    self.expect("=>", "`=>` and a value")?;
                    key
                }
            };
            pairs.push((key, self.term()?));
            if !self.accept(",") {
                self.expect("}", "`,` or `}`")?;
                break;
            }
        }
        Ok(Term::map(pairs))
    }

    fn range(&mut self, first: Term) -> Result<Term, ReadError> {
        let last = self.literal()?;
        self.skip_blanks();
        let step = if self.accept("//") {
            self.literal()?
        } else {
            let is_down =
                matches!((&first, &last), (Term::Int(first), Term::Int(last)) if last < first);
            Term::Int(if is_down { -1 } else { 1 })
        };
        self.skip_blanks();
        Ok(structure("Range", vec![("first", first), ("last", last), ("step", step)]))
    }

    /// Reads a binary, `<<1, 5::3, "text">>`, by translating it to Erlang's syntax.
    fn bits(&mut self) -> Result<Term, ReadError> {
        let start = self.offset;
        self.accept("<<");
        let mut segments = Vec::new();
        while !self.accept(">>") {
            let value = self.term()?;
            if let Term::Bits(bits) = &value {
                segments.extend(bits.as_bytes().unwrap_or_default().iter().map(u8::to_string));
            } else {
                let size = self.size()?;
                segments.push(format!("{}:{size}", print(&value, Style::TW)));
            }
            self.skip_blanks();
            if !self.accept(",") {
                self.expect(">>", "`,` or `>>`")?;
                break;
            }
        }
        read_term(&format!("<<{}>>", segments.join(",")))
            .map_err(|it| ReadError { offset: start, ..it })
    }

    /// Reads the size of a segment in bits; 8 if none is given.
    fn size(&mut self) -> Result<&'a str, ReadError> {
        let is_digit = |it: char| it.is_ascii_digit();
        if self.accept("::size(") {
            let size = self.take_while(is_digit);
            self.expect(")", "`)`")?;
            return Ok(size);
        }
        Ok(if self.accept("::") { self.take_while(is_digit) } else { "8" })
    }

    /// Reads a call that stands for a pid, port or reference, which have no literal:
    /// `:erlang.list_to_pid(~c"<0.1.0>")`.
    fn handle(&mut self) -> Result<Term, ReadError> {
        let start = self.offset;
        self.accept(":erlang.");
        let maker = self.word();
        self.offset += maker.len();
        self.expect("(", "`(`")?;
        let argument = self.term()?;
        self.expect(")", "`)`")?;
        read_term(&format!("{maker}({})", print(&argument, Style::TP)))
            .map_err(|it| ReadError { offset: start, ..it })
    }

    /// Reads a captured function: `&Shop.price/2`.
    fn capture(&mut self) -> Result<Term, ReadError> {
        self.accept("&");
        let (module, function) = self.function()?;
        self.expect("/", "`/` and an arity")?;
        let arity = self.take_while(|it| it.is_ascii_digit());
        let arity = arity.parse().map_err(|_| self.wrong("an arity"))?;
        Ok(Term::Fun(Box::new(Fun::External { module, function, arity })))
    }

    /// Reads a set: `MapSet.new([1, 2])`.
    fn set(&mut self) -> Result<Term, ReadError> {
        self.accept("MapSet.new(");
        let items = self.items(")")?;
        let members = items.first().and_then(Term::as_list).unwrap_or_default();
        let members = members.iter().map(|it| (it.clone(), Term::Nil)).collect();
        Ok(structure("MapSet", vec![("map", Term::map(members)), ("version", Term::Int(2))]))
    }

    /// Reads a sigil: a date, a time, or a text with other quotes. Time zones other than UTC are not supported, since
    /// they would need a time zone database.
    fn sigil(&mut self) -> Result<Term, ReadError> {
        let bad = self.wrong("a sigil that can be read: ~c, ~s, ~D, ~T, ~N or ~U");
        let mut chars = self.rest().chars().skip(1);
        let (Some(kind), Some(open)) = (chars.next(), chars.next()) else { return Err(bad) };
        let close = match open {
            '(' => ')',
            '[' => ']',
            '{' => '}',
            '<' => '>',
            other => other,
        };
        let body = self.rest().get(2 + open.len_utf8()..).unwrap_or("");
        let Some((text, _)) = body.split_once(close) else { return Err(bad) };
        self.offset += 2 + open.len_utf8() + text.len() + close.len_utf8();
        let found = match kind {
            's' if !text.contains(['\\', '#']) => Some(Term::binary(text.as_bytes().to_vec())),
            'c' if !text.contains(['\\', '#']) => Some(Term::string(text)),
            'D' => literals::date_of(text),
            'T' => literals::time_of(text),
            'N' => literals::naive_of(text),
            'U' => literals::utc_of(text),
            _ => None,
        };
        found.ok_or(bad)
    }
}

/// Makes a struct of Elixir's standard library.
pub(super) fn structure(name: &str, fields: Vec<(&str, Term)>) -> Term {
    let name = (Term::atom("__struct__"), Term::atom(&format!("{PREFIX}{name}")));
    let fields = fields.into_iter().map(|(name, value)| (Term::atom(name), value));
    Term::map([name].into_iter().chain(fields).collect())
}

fn is_name_part(it: char) -> bool {
    it.is_alphanumeric() || it == '_' || it == '@'
}

#[cfg(test)]
mod tests {
    use super::{read_args, read_call, read_function};
    use crate::elixir;
    use term::{Atom, Style, print, read_term};

    #[test]
    fn what_is_printed_can_be_read() {
        for text in [
            "{ok,'Elixir.My.App',[1.0,'a b',nil,-7,true]}",
            "#{a => <<\"x#y\">>,<<\"b\">> => #{}}",
            "#{'__struct__' => 'Elixir.Cart',n => 0}",
            "[{a,1},{ok,[{'b c',2}]}]",
            "[<<1,255,5:3>>,<<>>,<<\"\\n\">>,[],{}]",
            "[a|b]",
            "123456789012345678901234567890",
            "fun lists:map/2",
            "list_to_pid(\"<0.1.0>\")",
        ] {
            let term = read_term(text).expect("a term");
            let written = elixir::term(&term);
            assert_eq!(read_args(&format!("[{written}]")), Ok(vec![term]), "{written}");
        }
    }

    #[test]
    fn terms_as_people_type_them() {
        let check = |elixir: &str, expect: &str| {
            let args = read_args(elixir).expect("arguments");
            let terms: Vec<String> = args.iter().map(|it| print(it, Style::TW)).collect();
            assert_eq!(terms.join(" "), expect, "{elixir}");
        };
        check("1_000, 0xff, ?a, 1.5e3", "1000 255 97 1.5e3");
        check("[\"ab\", 'ab', ~c\"ab\"]", "<<97,98>> [97,98] [97,98]");
        check("[[a: 1, \"b c\": 2], :done]", "[{a,1},{'b c',2}] done");
        check("[{1, a: 2}]", "{1,[{a,2}]}");
        check(
            "[%Point{x: 1}, %{1 => 2, a: 3}]",
            "#{'__struct__' => 'Elixir.Point',x => 1} #{1 => 2,a => 3}",
        );
        check("[1..3]", "#{'__struct__' => 'Elixir.Range',first => 1,last => 3,step => 1}");
        check("[<<1, \"b\", 3::size(4)>>, Enum, nil]", "<<1,98,3:4>> 'Elixir.Enum' nil");
        check("[&A.f/2, ~s(a b)]", "fun 'Elixir.A':f/2 <<97,32,98>>");
        check(
            "[~D[2024-02-29]]",
            "#{'__struct__' => 'Elixir.Date',calendar => 'Elixir.Calendar.ISO',day => 29,month => 2,\
             year => 2024}",
        );
        check("[]", "");
    }

    #[test]
    fn calls() {
        let check = |text: &str, module: &str, function: &str, n_args: usize| {
            let call = read_call(text).expect("a call");
            let found = (call.module.as_str(), call.function.as_str(), call.args.len());
            assert_eq!(found, (module, function, n_args), "{text}");
        };
        check("My.App.ok?(1, b: 2)", "Elixir.My.App", "ok?", 2);
        check(":lists.seq(1, 3)", "lists", "seq", 2);
        check("A.\"we ird\"()", "Elixir.A", "we ird", 0);
        let name = read_function("A.B.ok?");
        assert_eq!(name, Some((Atom::new("Elixir.A.B"), Atom::new("ok?"))));
        assert_eq!(read_function("nth"), None);
    }

    #[test]
    fn what_is_no_literal_is_said() {
        let check = |text: &str, offset: usize, expect: &str| {
            let error = read_args(text).expect_err("an error");
            assert_eq!((error.offset, error.to_string().as_str()), (offset, expect), "{text}");
        };
        check("[x]", 1, "expected a literal term, found x]");
        check("[1 2]", 3, "expected `,`, `|` or `]`, found 2]");
        check("[\"a#{b}\"]", 3, "expected no interpolation, found #{b}\"]");
        check("7", 0, "expected a list of arguments, found 7");
    }
}
