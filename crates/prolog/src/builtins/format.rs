//! `format/1,2,3`: directives, column stops and fill characters.

use crate::builtins::output::WriteStyle;
use crate::builtins::{Row, row};
use crate::data::{Number, Value};
use crate::machine::{Capture, Fault, Machine, Next};
use num_bigint::BigInt;
use num_traits::Signed;

pub(super) const ROWS: &[Row] = &[
    row("format", 1, |m, a| {
        let format = m.arg(a, 0);
        format_to_output(m, format, Value::NIL)
    }),
    row("format", 2, |m, a| {
        let (format, args) = (m.arg(a, 0), m.arg(a, 1));
        if m.any_text(format).is_some_and(|it| m.format_calls_goals(&it)) {
            return m.call_own("$format_calling", &[format, args]);
        }
        format_to_output(m, format, args)
    }),
    row("$format_calls", 4, format_calls),
    row("$format_stream", 3, |m, a| {
        let (format, args) = (m.arg(a, 1), m.arg(a, 2));
        let n = m.enter_stream(a)?;
        let done = format_to_output(m, format, args);
        m.leave_stream(n);
        done
    }),
];

fn format_to_output(m: &mut Machine, format: Value, args: Value) -> Result<Next, Fault> {
    if format.is_number() {
        return Err(m.type_error("text", format));
    }
    if format.is_cons() && m.any_text(format).is_none() {
        return Err(m.type_error("text", format));
    }
    let format = m.text_arg(format)?;
    let args = if args.is_cons() || args.is_nil() { m.list_arg(args)? } else { vec![args] };
    let start = m.column();
    let mut state = Formatting {
        args: args.into_iter(),
        out: String::new(),
        line_start: start,
        segment: 0,
        fills: Vec::new(),
        last_stop: 0,
    };
    let mut done = state.run(m, &format);
    if done.is_ok() && state.args.next().is_some() {
        done = Err(format_error(m, "too many arguments"));
    }
    // The output before an error is written, as on SWI-Prolog.
    m.put_text(&state.out);
    done.map(|()| Next::True)
}

fn unknown_directive(m: &mut Machine, directive: char) -> Fault {
    let directive = m.atom_named(directive.encode_utf8(&mut [0; 4]));
    m.existence_error("format_character", directive)
}

/// Returns the error of a directive whose argument has the wrong type.
fn argument_error(m: &mut Machine, directive: char, value: Value) -> Fault {
    let directive = m.atom_named(directive.encode_utf8(&mut [0; 4]));
    let functor = m.atoms.functor_named("format_argument_type", 2);
    let formal = m.heap.structure(functor, &[directive, value]);
    m.error(formal)
}

impl Machine {
    /// Whether formatting calls goals: those of `~@`, and `portray/1` for `~p`.
    fn format_calls_goals(&mut self, text: &str) -> bool {
        text.contains("~@") || text.contains("~p") && self.has_portray()
    }
}

/// `'$format_calls'(Format, Arguments, Format1, Arguments1)`: replaces `~@` by `~w` with the argument
/// `'$call'(Goal)`, and `~p` likewise if the program defines `portray/1`. Fails if there are no such
/// directives.
fn format_calls(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let (format, args) = (m.arg(a, 0), m.arg(a, 1));
    let Some(text) = m.any_text(format).filter(|it| m.format_calls_goals(it)) else {
        return Ok(Next::False);
    };
    let mut items = if args.is_cons() { m.heap.list_items(args).0 } else { vec![args] };
    let (functor, print) = (m.atoms.functor_named("$call", 1), m.atoms.functor_named("print", 1));
    let portrays = m.has_portray();
    let (mut n, mut changed, mut chars) = (0, String::new(), text.chars().peekable());
    while let Some(c) = chars.next() {
        changed.push(c);
        if c != '~' {
            continue;
        }
        match chars.peek() {
            Some('`') => changed.extend(chars.by_ref().take(2)),
            Some('*') => {
                changed.extend(chars.next());
                n += 1;
            }
            _ => {}
        }
        while let Some(digit) = chars.next_if(char::is_ascii_digit) {
            changed.push(digit);
        }
        match chars.next() {
            Some(c) if c == '@' || c == 'p' && portrays => {
                if let Some(item) = items.get_mut(n) {
                    let goal = if c == 'p' { m.heap.structure(print, &[*item]) } else { *item };
                    *item = m.heap.structure(functor, &[goal]);
                }
                changed.push('w');
                n += 1;
            }
            Some(c) => {
                changed.push(c);
                n += usize::from(!matches!(c, '~' | 'n' | 'N' | 't' | '|' | '+'))
                    + usize::from(c == 'W');
            }
            None => {}
        }
    }
    let (format, list) = (m.heap.text(&changed), m.heap.list(&items));
    let (to, args) = (m.arg(a, 2), m.arg(a, 3));
    Ok((m.unify(to, format) && m.unify(args, list)).into())
}

fn format_error(m: &mut Machine, message: &str) -> Fault {
    let message = m.atom_named(message);
    let functor = m.atoms.functor_named("format", 1);
    let formal = m.heap.structure(functor, &[message]);
    m.error(formal)
}

struct Formatting {
    args: std::vec::IntoIter<Value>,
    out: String,
    /// The column at which this output began.
    line_start: usize,
    /// The offset in the output at which the text since the last column stop begins.
    segment: usize,
    /// The offsets in that text at which fill characters may be inserted, and these characters.
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
                    let count = value.as_int().filter(|it| 0 <= *it);
                    if count.is_none() {
                        let message = "no or negative integer for `*' argument";
                        return Err(format_error(m, message));
                    }
                    argument = count;
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
                return Err(unknown_directive(m, '\0'));
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
        let count = usize::try_from(argument.unwrap_or(1)).unwrap_or(0);
        match directive {
            'w' => {
                let value = self.next(m)?;
                self.out.push_str(&m.bounded_text(value, WriteStyle::Write)?);
            }
            'p' => {
                let value = self.next(m)?;
                self.out.push_str(&m.bounded_text(value, WriteStyle::Print)?);
            }
            'q' => {
                let value = self.next(m)?;
                self.out.push_str(&m.bounded_text(value, WriteStyle::Quoted)?);
            }
            'k' => {
                let value = self.next(m)?;
                self.out.push_str(&m.bounded_text(value, WriteStyle::Canonical)?);
            }
            'a' => {
                let value = self.next(m)?;
                match m.atomic_text(value).filter(|_| !value.is_nil()) {
                    Some(text) => self.out.push_str(&text),
                    None => return Err(argument_error(m, directive, value)),
                }
            }
            's' => {
                let value = self.next(m)?;
                match m.any_text(value).filter(|_| !value.is_number()) {
                    Some(text) => self.out.push_str(&text),
                    None => return Err(argument_error(m, directive, value)),
                }
            }
            'd' | 'D' => {
                self.integer(m, directive, argument)?;
            }
            'f' | 'e' | 'g' => self.float(m, directive, argument)?,
            'n' => {
                m.check_room(count)?;
                self.out.push_str(&"\n".repeat(count));
                self.new_line();
            }
            'N' => {
                if 0 < self.position() {
                    self.out.push('\n');
                    self.new_line();
                }
            }
            'W' => {
                let (value, options) = (self.next(m)?, self.next(m)?);
                m.run.output.captures.push(Capture::default());
                let done = m.write_with(value, options);
                let written = m.run.output.captures.pop().unwrap_or_default();
                done?;
                self.out.push_str(&written.text);
            }
            'c' => {
                let value = self.next(m)?;
                let code = value.as_int().and_then(|it| u32::try_from(it).ok());
                let Some(c) = code.and_then(char::from_u32) else {
                    return Err(argument_error(m, directive, value));
                };
                m.check_room(count.saturating_mul(c.len_utf8()))?;
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
            '|' | '+' => self.column(m, directive, argument)?,
            _ => {
                return Err(unknown_directive(m, directive));
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

    /// Returns the current column.
    fn position(&self) -> usize {
        match self.out.rsplit_once('\n') {
            Some((_, line)) => line.chars().count(),
            None => self.line_start + self.out.chars().count(),
        }
    }

    fn column(
        &mut self,
        m: &mut Machine,
        directive: char,
        argument: Option<i64>,
    ) -> Result<(), Fault> {
        let at = self.position();
        let n = argument.and_then(|it| usize::try_from(it).ok());
        let target = match (directive, n) {
            ('+', n) => self.last_stop.saturating_add(n.unwrap_or(8)),
            (_, Some(n)) => n,
            (_, None) => at,
        };
        if at < target {
            m.check_room(target - at)?;
            self.fill(target - at);
        }
        self.last_stop = target.max(if directive == '+' { target } else { at });
        self.segment = self.out.len();
        self.fills.clear();
        Ok(())
    }

    /// Distributes `missing` fill characters over the fill positions; without positions, pads with spaces at
    /// the end.
    fn fill(&mut self, missing: usize) {
        if self.fills.is_empty() {
            self.out.push_str(&" ".repeat(missing));
            return;
        }
        let n = self.fills.len();
        let fills = std::mem::take(&mut self.fills);
        for (k, (at, c)) in fills.into_iter().enumerate().rev() {
            // The last positions get the remainder of an uneven division.
            let extra = usize::from(n - missing % n <= k);
            let text: String = std::iter::repeat_n(c, missing / n + extra).collect();
            self.out.insert_str(at, &text);
        }
    }

    /// Returns the next argument as an integer; it may be an expression whose value is one.
    fn integer_argument(&mut self, m: &mut Machine, directive: char) -> Result<BigInt, Fault> {
        let value = self.next(m)?;
        let number = m.evaluate(value)?;
        number.to_big().ok_or_else(|| argument_error(m, directive, value))
    }

    fn integer(
        &mut self,
        m: &mut Machine,
        directive: char,
        argument: Option<i64>,
    ) -> Result<(), Fault> {
        let number = self.integer_argument(m, directive)?;
        let places = usize::try_from(argument.unwrap_or(0)).unwrap_or(0);
        m.check_room(places)?;
        let group = (directive == 'D').then_some(',');
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
            (_, Number::Float(it)) if !it.is_finite() => {
                let name = if it.is_nan() { "nan" } else { "inf" };
                format!("{}{name}", if *it < 0.0 { "-" } else { "" })
            }
            ('f', _) => format!("{:.places$}", number.to_float()),
            ('e', _) => exponent(number.to_float(), places),
            _ => shortest(number.to_float(), places),
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
        let number = self.integer_argument(m, directive)?;
        let given = argument.unwrap_or(8);
        let radix = u32::try_from(given).ok().filter(|it| (2..=36).contains(it));
        let Some(radix) = radix else {
            return Err(m.domain_error("radix", Value::int(given)));
        };
        let text = number.to_str_radix(radix);
        self.out.push_str(&if directive == 'R' { text.to_uppercase() } else { text });
        Ok(())
    }
}

/// Formats a float with `digits` significant digits, without trailing zeros, and with an exponent if that is
/// shorter (`%g` of C).
fn shortest(float: f64, digits: usize) -> String {
    let digits = digits.max(1);
    let scientific = format!("{float:.*e}", digits - 1);
    let exponent: i64 = scientific.split_once('e').and_then(|it| it.1.parse().ok()).unwrap_or(0);
    let plain = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    if exponent < -4 || i64::try_from(digits).is_ok_and(|it| it <= exponent) {
        let mantissa = scientific.split_once('e').map_or("", |it| it.0);
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{}e{sign}{:02}", plain(mantissa), exponent.abs());
    }
    let places = i64::try_from(digits).unwrap_or(6) - 1 - exponent;
    plain(&format!("{float:.*}", usize::try_from(places).unwrap_or(0)))
}

/// Formats an integer with a decimal point `places` digits from the right, and an optional separator between
/// groups of three.
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

/// Formats a float as C's `%e` does.
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
