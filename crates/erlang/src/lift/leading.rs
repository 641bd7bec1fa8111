//! `string:list_to_integer/1` and `string:list_to_float/1`: which prefix of the list is a number is decided by choices
//! at every character.

use crate::lift::{Lifting, arg, own_expr};
use term::{Base, Conversion, Kind, Op, Term};
use values::{Value, View};

/// A list whose characters are read from the front.
struct Reader {
    rest: Value,
    taken: Vec<Value>,
}

impl Reader {
    fn new(list: Value) -> Reader {
        Reader { rest: list, taken: Vec::new() }
    }

    /// Reads the next character if it is in a range. Returns whether it was.
    fn take(&mut self, l: &mut Lifting<'_>, site_index: u32, range: (char, char)) -> bool {
        let Some((item, tail)) = l.uncons(0, self.rest) else { return false };
        let is_in = l.test_kind(1, item, Kind::Integer, item.is_integer())
            && l.is_between(site_index, item, range);
        if is_in {
            self.taken.push(item);
            self.rest = tail;
        }
        is_in
    }

    fn sign(&mut self, l: &mut Lifting<'_>) {
        let _ = self.take(l, 2, ('+', '+')) || self.take(l, 3, ('-', '-'));
    }

    /// Reads all digits. Returns whether there was one.
    fn digits(&mut self, l: &mut Lifting<'_>) -> bool {
        let before = self.taken.len();
        while self.take(l, 4, ('0', '9')) {}
        before < self.taken.len()
    }
}

impl Lifting<'_> {
    /// Whether an integer is a character within a range.
    fn is_between(&mut self, site_index: u32, item: Value, (low, high): (char, char)) -> bool {
        let (low, high) = (i64::from(u32::from(low)), i64::from(u32::from(high)));
        let value = if let View::Int(value) = item.view() { Some(value) } else { None };
        let holds = value.is_some_and(|it| low <= it && it <= high);
        let Some(expr) = own_expr(item) else { return holds };
        if low == high {
            let wanted = self.constant(Term::Int(low));
            let test = self.apply(Op::Same, &[expr, wanted]);
            self.test(site_index, test, holds);
            return holds;
        }
        let is_negative = self.heap.to_big(item).is_some_and(|it| it < low.into());
        let low = self.constant(Term::Int(low));
        let test = self.apply(Op::Less, &[expr, low]);
        self.test(site_index, test, is_negative);
        if !is_negative {
            let high = self.constant(Term::Int(high));
            let test = self.apply(Op::LessEqual, &[expr, high]);
            self.test(site_index + 1, test, holds);
        }
        holds
    }

    /// The result `{Number, Rest}` from what was read.
    fn number_and_rest(
        &mut self,
        read: &Reader,
        conversion: Conversion,
        found: Option<Value>,
    ) -> Option<Value> {
        let [number, _] = self.heap.elements(found?)? else { return found };
        let number = *number;
        let text = self.heap.list(&read.taken);
        let number = match self.expr(text) {
            Some(text) if self.record.exprs.as_constant(text).is_none() => {
                self.result(Op::Convert(conversion), &[text], number)
            }
            _ => number,
        };
        Some(self.heap.tuple(&[number, read.rest]))
    }
}

pub(crate) fn integer(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
    if !l.is_symbolic(arg(args, 0)) {
        return found;
    }
    let mut read = Reader::new(arg(args, 0));
    read.sign(l);
    if !read.digits(l) {
        return found;
    }
    l.number_and_rest(&read, Conversion::ListToInteger(Base::TEN), found)
}

pub(crate) fn float(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
    if !l.is_symbolic(arg(args, 0)) {
        return found;
    }
    let mut read = Reader::new(arg(args, 0));
    read.sign(l);
    let has_point = read.digits(l) && read.take(l, 6, ('.', '.'));
    if !(has_point && read.digits(l)) {
        // BEAM also accepts a comma as the decimal point; such a float has no conversion that is followed symbolically.
        if !has_point && read.take(l, 7, (',', ',')) {
            l.concretise("string:list_to_float/1", args, |_| true);
        }
        return found;
    }
    let (rest, n_taken) = (read.rest, read.taken.len());
    if read.take(l, 8, ('e', 'e')) || read.take(l, 9, ('E', 'E')) {
        read.sign(l);
        if !read.digits(l) {
            read.rest = rest;
            read.taken.truncate(n_taken);
        }
    }
    let text = l.heap.list(&read.taken);
    let text = l.expr(text)?;
    // The number may exceed the range of floats.
    let is_float = l
        .heap
        .elements(found?)
        .is_some_and(|it| it.first().is_some_and(|it| it.as_float().is_some()));
    let test = l.apply(Op::Converts(Conversion::ListToFloat), &[text]);
    l.test(10, test, is_float);
    if is_float { l.number_and_rest(&read, Conversion::ListToFloat, found) } else { found }
}
