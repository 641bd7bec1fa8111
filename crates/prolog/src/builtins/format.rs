//! `format/1,2,3`: directives, columns and fill.

use crate::builtins::output::Style;
use crate::builtins::{Row, row};
use crate::data::{Number, Value};
use crate::machine::{Fault, Machine, Next};
use num_bigint::BigInt;
use num_traits::Signed;

pub(super) const ROWS: &[Row] = &[
    row("format", 1, |m, a| {
        let format = m.arg(a, 0);
        format_to_output(m, format, Value::NIL)
    }),
    row("format", 2, |m, a| {
        let (format, args) = (m.arg(a, 0), m.arg(a, 1));
        format_to_output(m, format, args)
    }),
    row("$format_stream", 3, |m, a| {
        let (format, args) = (m.arg(a, 1), m.arg(a, 2));
        let n = m.enter_stream(a)?;
        let done = format_to_output(m, format, args);
        m.leave_stream(n);
        done
    }),
];

fn format_to_output(m: &mut Machine, format: Value, args: Value) -> Result<Next, Fault> {
    let format = m.text_arg(format)?;
    let args = if args.is_cons() || args.is_nil() { m.list_arg(args)? } else { vec![args] };
    let start = m.column();
    let mut state = Formatting {
        args: args.into_iter(),
        out: String::new(),
        line_start: start,
        segment: 0,
        fills: Vec::new(),
        last_stop: start,
    };
    state.run(m, &format)?;
    if state.args.next().is_some() {
        return Err(format_error(m, "too many arguments"));
    }
    let text = state.out;
    m.put_text(&text);
    Ok(Next::True)
}

fn format_error(m: &mut Machine, message: &str) -> Fault {
    let message = m.heap.text(message);
    let functor = m.atoms.functor_named("format", 1);
    let formal = m.heap.structure(functor, &[message]);
    m.error(formal)
}

struct Formatting {
    args: std::vec::IntoIter<Value>,
    out: String,
    /// The column where this output began.
    line_start: usize,
    /// Where in the output the text since the last column stop begins.
    segment: usize,
    /// Places in that text that may be filled, and with what.
    fills: Vec<(usize, char)>,
    last_stop: usize,
}

impl Formatting {
    fn run(&mut self, m: &mut Machine, format: &str) -> Result<(), Fault> {
        let mut chars = format.chars().peekable();
        while let Some(c) = chars.next() {
            if c != '~' {
                self.out.push(c);
                if c == '\n' {
                    self.new_line();
                }
                continue;
            }
            let mut argument = None;
            match chars.peek() {
                Some('`') => {
                    chars.next();
                    argument = chars.next().map(|c| i64::from(u32::from(c)));
                }
                Some('*') => {
                    chars.next();
                    let value = self.next(m)?;
                    argument = Some(m.int_arg(value)?);
                }
                Some(c) if c.is_ascii_digit() => {
                    let mut n: i64 = 0;
                    while let Some(digit) = chars.peek().and_then(|it| it.to_digit(10)) {
                        n = n.saturating_mul(10).saturating_add(i64::from(digit));
                        chars.next();
                    }
                    argument = Some(n);
                }
                _ => {}
            }
            let Some(directive) = chars.next() else {
                return Err(format_error(m, "truncated format specification"));
            };
            self.directive(m, directive, argument)?;
        }
        Ok(())
    }

    fn next(&mut self, m: &mut Machine) -> Result<Value, Fault> {
        self.args.next().ok_or_else(|| format_error(m, "not enough arguments"))
    }

    fn directive(
        &mut self,
        m: &mut Machine,
        directive: char,
        argument: Option<i64>,
    ) -> Result<(), Fault> {
        let count = usize::try_from(argument.unwrap_or(1)).unwrap_or(0).min(1_000_000);
        match directive {
            'w' => {
                let value = self.next(m)?;
                self.out.push_str(&m.term_text(value, Style::Write));
            }
            'p' => {
                let value = self.next(m)?;
                self.out.push_str(&m.term_text(value, Style::Print));
            }
            'q' => {
                let value = self.next(m)?;
                self.out.push_str(&m.term_text(value, Style::Quoted));
            }
            'k' => {
                let value = self.next(m)?;
                self.out.push_str(&m.term_text(value, Style::Canonical));
            }
            'a' => {
                let value = self.next(m)?;
                if value.is_var() {
                    return Err(m.instantiation_error());
                }
                match m.atomic_text(value) {
                    Some(text) => self.out.push_str(if value.is_nil() { "[]" } else { &text }),
                    None => return Err(format_error(m, "illegal argument to ~a")),
                }
            }
            's' => {
                let value = self.next(m)?;
                match m.any_text(value) {
                    Some(text) => self.out.push_str(&text),
                    None => return Err(format_error(m, "illegal string")),
                }
            }
            'd' | 'D' => {
                self.integer(m, argument, if directive == 'D' { Some(',') } else { None })?;
            }
            'f' | 'e' | 'g' => self.float(m, directive, argument)?,
            'n' => {
                self.out.push_str(&"\n".repeat(count));
                self.new_line();
            }
            'c' => {
                let value = self.next(m)?;
                let code = m.int_arg(value)?;
                let c = u32::try_from(code).ok().and_then(char::from_u32).unwrap_or('\u{fffd}');
                (0..count).for_each(|_| self.out.push(c));
            }
            'r' | 'R' | '8' => self.radix(m, directive, argument)?,
            '~' => self.out.push('~'),
            'i' => {
                self.next(m)?;
            }
            't' => {
                let fill = argument.and_then(|it| u32::try_from(it).ok()).and_then(char::from_u32);
                self.fills.push((self.out.len(), fill.unwrap_or(' ')));
            }
            '|' | '+' => self.column(directive, argument),
            _ => {
                return Err(format_error(m, &format!("unknown directive: ~{directive}")));
            }
        }
        Ok(())
    }

    fn new_line(&mut self) {
        self.line_start = 0;
        self.segment = self.out.len();
        self.last_stop = 0;
        self.fills.clear();
    }

    /// The column that the output has reached.
    fn position(&self) -> usize {
        match self.out.rsplit_once('\n') {
            Some((_, line)) => line.chars().count(),
            None => self.line_start + self.out.chars().count(),
        }
    }

    fn column(&mut self, directive: char, argument: Option<i64>) {
        let at = self.position();
        let n = argument.and_then(|it| usize::try_from(it).ok());
        let target = match (directive, n) {
            ('+', n) => self.last_stop + n.unwrap_or(8),
            (_, Some(n)) => n,
            (_, None) => at,
        };
        if at < target {
            self.fill(target - at);
        }
        self.last_stop = target.max(if directive == '+' { target } else { at });
        self.segment = self.out.len();
        self.fills.clear();
    }

    /// Spreads so many characters over the places to fill; without any, they go to the end.
    fn fill(&mut self, missing: usize) {
        if self.fills.is_empty() {
            self.out.push_str(&" ".repeat(missing));
            return;
        }
        let n = self.fills.len();
        let fills = std::mem::take(&mut self.fills);
        for (k, (at, c)) in fills.into_iter().enumerate().rev() {
            // What can't be shared evenly goes to the last ones.
            let extra = usize::from(n - missing % n <= k);
            let text: String = std::iter::repeat_n(c, missing / n + extra).collect();
            self.out.insert_str(at, &text);
        }
    }

    fn integer(
        &mut self,
        m: &mut Machine,
        argument: Option<i64>,
        group: Option<char>,
    ) -> Result<(), Fault> {
        let value = self.next(m)?;
        if value.is_var() {
            return Err(m.instantiation_error());
        }
        let number = if value.is_integer() {
            Number::of(&m.heap, value)
        } else if matches!(value.view(), crate::data::View::Struct(..)) {
            Some(m.evaluate(value)?)
        } else {
            None
        };
        let Some(number) = number.and_then(|it| it.to_big()) else {
            return Err(m.type_error("integer", value));
        };
        let places = usize::try_from(argument.unwrap_or(0)).unwrap_or(0);
        self.out.push_str(&decimal(&number, places, group));
        Ok(())
    }

    fn float(
        &mut self,
        m: &mut Machine,
        directive: char,
        argument: Option<i64>,
    ) -> Result<(), Fault> {
        let value = self.next(m)?;
        if value.is_var() {
            return Err(m.instantiation_error());
        }
        let number = m.evaluate(value)?;
        let places = usize::try_from(argument.unwrap_or(6)).unwrap_or(6).min(10_000);
        let text = match (directive, &number) {
            ('f', Number::Int(_) | Number::Big(_)) => {
                let mut text = number.to_big().unwrap_or_default().to_string();
                if 0 < places {
                    text.push('.');
                    text.push_str(&"0".repeat(places));
                }
                text
            }
            ('f', _) => format!("{:.places$}", number.to_float()),
            ('e', _) => exponent(number.to_float(), places),
            _ => {
                let float = number.to_float();
                crate::data::format_float(float).trim_end_matches(".0").to_owned()
            }
        };
        self.out.push_str(&text);
        Ok(())
    }

    fn radix(
        &mut self,
        m: &mut Machine,
        directive: char,
        argument: Option<i64>,
    ) -> Result<(), Fault> {
        let value = self.next(m)?;
        if value.is_var() {
            return Err(m.instantiation_error());
        }
        let Some(number) = Number::of(&m.heap, value).and_then(|it| it.to_big()) else {
            return Err(m.type_error("integer", value));
        };
        let radix =
            argument.and_then(|it| u32::try_from(it).ok()).filter(|it| (2..=36).contains(it));
        let Some(radix) = radix else {
            return Err(format_error(m, "no or illegal radix"));
        };
        let text = number.to_str_radix(radix);
        self.out.push_str(&if directive == 'R' { text.to_uppercase() } else { text });
        Ok(())
    }
}

/// Digits with a point so many places from the right, and groups of three.
fn decimal(number: &BigInt, places: usize, group: Option<char>) -> String {
    let mut digits = number.abs().to_string();
    if digits.len() <= places {
        digits = format!("{}{digits}", "0".repeat(places + 1 - digits.len()));
    }
    let (whole, fraction) = digits.split_at(digits.len() - places);
    let mut res = String::new();
    if number.is_negative() {
        res.push('-');
    }
    for (n, c) in whole.chars().enumerate() {
        if n != 0 && (whole.len() - n).is_multiple_of(3) {
            res.extend(group);
        }
        res.push(c);
    }
    if 0 < places {
        res.push('.');
        res.push_str(fraction);
    }
    res
}

/// As C's `%e`.
fn exponent(value: f64, places: usize) -> String {
    let text = format!("{value:.places$e}");
    match text.split_once('e') {
        Some((mantissa, exponent)) => {
            let (sign, digits) = exponent.strip_prefix('-').map_or(('+', exponent), |it| ('-', it));
            format!("{mantissa}e{sign}{digits:0>2}")
        }
        None => text,
    }
}
