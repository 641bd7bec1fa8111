//! Symbolic text as a sequence of letters: spelling a text adds its length to the path constraint, and each
//! letter has its own symbolic expression.
//!
//! Atoms, strings, numbers and lists of codes or characters are all treated as text here.
#![expect(clippy::indexing_slicing, reason = "indices are the machine's own")]

use crate::builtins::TextForm;
use crate::concolic::convert::{expr_of, shadow_of};
use crate::concolic::facts::{self, Top};
use crate::concolic::recorder::{Recorder, TestPlace};
use crate::data::{ListEnd, Value, View};
use crate::machine::Machine;
use std::sync::Arc;
use term::{Base, Conversion, Expr, ExprId, Kind, Op, Term};
use trace::Head;

/// A letter, and the symbolic expression of its code; `None` if the letter does not depend on the input.
#[derive(Clone, Copy, Debug)]
pub(super) struct Letter {
    pub(super) c: char,
    pub(super) expr: Option<ExprId>,
}

/// The highest code that is followed. Letters beyond it are not distinguished by ranges.
const LAST: u32 = 127;

impl Recorder {
    fn convert(&mut self, conversion: Conversion, back: Conversion, of: ExprId) -> ExprId {
        if let Some(Expr::Apply(Op::Convert(found), parts)) = self.exprs.get(of)
            && *found == back
        {
            return parts[0];
        }
        self.apply(Op::Convert(conversion), &[of])
    }

    fn atom_codes(&mut self, atom: ExprId) -> ExprId {
        self.convert(Conversion::AtomToList, Conversion::ListToAtom, atom)
    }

    fn codes_atom(&mut self, list: ExprId) -> ExprId {
        let atom = self.convert(Conversion::ListToAtom, Conversion::AtomToList, list);
        self.is_of_kind(atom, facts::ATOM);
        atom
    }

    fn codes_string(&mut self, list: ExprId) -> ExprId {
        let atom = self.codes_atom(list);
        let string = self.convert(Conversion::AtomToBinary, Conversion::BinaryToAtom, atom);
        self.is_of_kind(string, facts::TEXT);
        string
    }

    /// Returns the expression of the list of codes of an atom, a string or an integer; `None` for other
    /// values.
    pub(super) fn codes_of(&mut self, value: Value, expr: ExprId) -> Option<ExprId> {
        match value.view() {
            View::Atom(_) => Some(self.atom_codes(expr)),
            View::Text(_) => {
                let atom = self.convert(Conversion::BinaryToAtom, Conversion::AtomToBinary, expr);
                Some(self.atom_codes(atom))
            }
            View::Int(_) | View::Big(_) => {
                let digits = Conversion::IntegerToList(Base::TEN);
                Some(self.convert(digits, Conversion::ListToInteger(Base::TEN), expr))
            }
            View::Var(_) | View::Float(_) | View::Rational(_) | View::Struct(..) => None,
        }
    }

    fn head(&mut self, list: ExprId) -> ExprId {
        match self.exprs.get(list) {
            Some(Expr::Apply(Op::Cons, parts)) => parts[0],
            _ => self.apply(Op::Head, &[list]),
        }
    }

    fn tail(&mut self, list: ExprId) -> ExprId {
        match self.exprs.get(list) {
            Some(Expr::Apply(Op::Cons, parts)) => parts[1],
            _ => self.apply(Op::Tail, &[list]),
        }
    }

    /// Returns the code from which a character was made, if its expression says so.
    pub(super) fn code_of_character(&self, atom: ExprId) -> Option<ExprId> {
        let Some(Expr::Apply(Op::Convert(Conversion::ListToAtom), list)) = self.exprs.get(atom)
        else {
            return None;
        };
        match self.exprs.get(list[0]) {
            Some(Expr::Apply(Op::Cons, parts)) => {
                let is_last = self.exprs.as_constant(parts[1]) == Some(&Term::Nil);
                is_last.then_some(parts[0])
            }
            _ => None,
        }
    }

    /// Returns the codes of all letters from which a text was made, if its expression says so.
    pub(super) fn letters_in(&mut self, text: ExprId) -> Option<Vec<ExprId>> {
        let part = |it: &Recorder, of: ExprId, wanted: Conversion| match it.exprs.get(of) {
            Some(Expr::Apply(Op::Convert(found), parts)) if *found == wanted => Some(parts[0]),
            _ => None,
        };
        let atom = part(self, text, Conversion::AtomToBinary).unwrap_or(text);
        let mut list = part(self, atom, Conversion::ListToAtom)?;
        let mut res = Vec::new();
        while let Some(Expr::Apply(Op::Cons, parts)) = self.exprs.get(list) {
            res.push(parts[0]);
            list = parts[1];
        }
        let rest = self.exprs.as_constant(list)?;
        let is_end = matches!(rest, Term::Nil);
        let rest = if is_end { Vec::new() } else { rest.as_list()?.to_vec() };
        res.extend(rest.into_iter().map(|it| self.exprs.constant(it)));
        Some(res)
    }

    /// Returns the code of an atom of one letter: a character made from a code, or a constant.
    pub(super) fn code_of_letter(&mut self, atom: ExprId) -> Option<ExprId> {
        if let Some(code) = self.code_of_character(atom) {
            return Some(code);
        }
        let mut letters = self.exprs.as_constant(atom)?.as_atom()?.chars();
        let first = letters.next().filter(|_| letters.as_str().is_empty())?;
        Some(self.exprs.constant(code_term(first)))
    }

    pub(super) fn character(&mut self, code: ExprId) -> ExprId {
        let nil = self.exprs.constant(Term::Nil);
        let list = self.apply(Op::Cons, &[code, nil]);
        self.codes_atom(list)
    }

    /// Returns the expression of a list of letters' codes, followed by the list `more`.
    fn codes(&mut self, letters: &[Letter], more: Option<ExprId>) -> ExprId {
        let nil = self.exprs.constant(Term::Nil);
        letters.iter().rev().fold(more.unwrap_or(nil), |list, letter| {
            let code = letter.expr.unwrap_or_else(|| self.exprs.constant(code_term(letter.c)));
            self.apply(Op::Cons, &[code, list])
        })
    }

    /// Records whether a list of codes continues here.
    fn look_cell(&mut self, place: TestPlace, list: ExprId, kind: u8) {
        if matches!(self.exprs.get(list), Some(Expr::Apply(Op::Cons, _) | Expr::Const(_))) {
            return;
        }
        let heads: Arc<[Head]> = Arc::from([Head::Kind(Kind::Cons), Head::Kind(Kind::Nil)]);
        self.is_of_kind(list, facts::NIL | facts::CONS);
        self.choose(place, list, &Top { kind, n_items: 0, literal: None }, &heads);
    }
}

pub(super) fn code_term(c: char) -> Term {
    Term::Int(i64::from(u32::from(c)))
}

pub(super) fn is_followed(letters: &[Letter]) -> bool {
    letters.iter().any(|it| it.expr.is_some())
}

pub(super) fn text_of(letters: &[Letter]) -> String {
    letters.iter().map(|it| it.c).collect()
}

impl Machine {
    /// Returns the letters of a text, and adds its kind and length to the path constraint. `None`: the value
    /// is not a text that can be followed.
    pub(super) fn spell(&mut self, test: u32, value: Value) -> Option<Vec<Letter>> {
        let value = self.heap.deref(value);
        self.look_top(self.at_builtin(test), value);
        if value.is_cons() || value.is_nil() {
            return self.spell_list(test, value);
        }
        let text = self.atomic_text(value)?;
        let plain = |c: char| Letter { c, expr: None };
        let Some(expr) = expr_of(value) else { return Some(text.chars().map(plain).collect()) };
        let place = self.at_builtin(test + 2);
        self.record(|_, it| {
            let mut list = it.codes_of(value, expr)?;
            let mut letters = Vec::new();
            for c in text.chars() {
                it.look_cell(place, list, facts::CONS);
                let code = it.head(list);
                it.is_of_kind(code, facts::INTEGER);
                let is_known = it.exprs.as_constant(code).is_some();
                letters.push(Letter { c, expr: (!is_known).then_some(code) });
                list = it.tail(list);
            }
            it.look_cell(place, list, facts::NIL);
            Some(letters)
        })?
    }

    fn spell_list(&mut self, test: u32, list: Value) -> Option<Vec<Letter>> {
        self.look_spine(self.at_builtin(test + 2), list);
        let (items, end) = self.heap.list_items(list);
        if end != ListEnd::Nil {
            return None;
        }
        items.into_iter().map(|it| self.spell_item(test + 4, it)).collect()
    }

    /// Returns the letter of an item of a list of codes or characters.
    fn spell_item(&mut self, test: u32, item: Value) -> Option<Letter> {
        let item = self.heap.deref(item);
        if let Some(expr) = expr_of(item) {
            let heads: Arc<[Head]> = Arc::from([Head::Kind(Kind::Integer), Head::Kind(Kind::Atom)]);
            let (place, top) = (self.at_builtin(test), self.top(item));
            self.record(|_, it| it.choose(place, expr, &top, &heads));
        }
        let c = self.character(item)?;
        let Some(expr) = expr_of(item) else { return Some(Letter { c, expr: None }) };
        if item.is_integer() {
            return Some(Letter { c, expr: Some(expr) });
        }
        Some(Letter { c, expr: self.code_of_atom(test + 1, expr) })
    }

    /// Returns the code of an atom, and records that the atom has one letter.
    pub(super) fn code_of_atom(&mut self, test: u32, atom: ExprId) -> Option<ExprId> {
        let place = self.at_builtin(test);
        self.record(|_, it| {
            if let Some(code) = it.code_of_character(atom) {
                return code;
            }
            let list = it.atom_codes(atom);
            let length = it.apply(Op::Length, &[list]);
            let one = it.exprs.constant(Term::Int(1));
            let is_one = it.apply(Op::Same, &[length, one]);
            it.test(place, is_one, true);
            let code = it.head(list);
            it.is_of_kind(code, facts::INTEGER);
            code
        })
    }

    /// Returns a text of these letters.
    pub(super) fn written(&mut self, letters: &[Letter], form: TextForm) -> Value {
        self.written_with(letters, None, form)
    }

    /// Returns a text of these letters followed by the codes of another text, which are not inspected.
    pub(super) fn written_with(
        &mut self,
        letters: &[Letter],
        more: Option<(&str, ExprId)>,
        form: TextForm,
    ) -> Value {
        let text = text_of(letters);
        if !is_followed(letters) && more.is_none() {
            return self.make_text(&text, form);
        }
        let whole = text + more.map_or("", |it| it.0);
        let more = more.map(|it| it.1);
        let plain = self.make_text(&whole, form);
        let shadow = |it: Option<ExprId>| it.map_or(plain, |it| plain.with_shadow(shadow_of(it)));
        match form {
            TextForm::Atom | TextForm::Name => shadow(self.record(|_, it| {
                let list = it.codes(letters, more);
                it.codes_atom(list)
            })),
            TextForm::String => shadow(self.record(|_, it| {
                let list = it.codes(letters, more);
                it.codes_string(list)
            })),
            TextForm::Codes | TextForm::Chars => {
                let items: Vec<Value> =
                    letters.iter().map(|it| self.written_letter(*it, form)).collect();
                self.heap.list(&items)
            }
        }
    }

    pub(super) fn written_letter(&mut self, letter: Letter, form: TextForm) -> Value {
        let Letter { c, expr } = letter;
        let is_code = form == TextForm::Codes;
        let plain = if is_code {
            Value::int(i64::from(u32::from(c)))
        } else {
            self.atom_named(c.encode_utf8(&mut [0; 4]))
        };
        let Some(code) = expr else { return plain };
        let expr = if is_code { Some(code) } else { self.record(|_, it| it.character(code)) };
        expr.map_or(plain, |it| plain.with_shadow(shadow_of(it)))
    }

    /// Records whether two texts of equal length are equal: comparisons of letters up to the first
    /// difference.
    pub(super) fn same_letters(&mut self, test: u32, a: &[Letter], b: &[Letter]) -> bool {
        let place = self.at_builtin(test);
        if a.len() != b.len() {
            return false;
        }
        a.iter().zip(b).all(|(a, b)| {
            self.record(|_, it| match (a.expr, b.expr) {
                (Some(x), Some(y)) if x != y => {
                    let same = it.apply(Op::Same, &[x.min(y), x.max(y)]);
                    it.test(place, same, a.c == b.c);
                }
                (Some(x), None) => it.look_code(place, x, a.c, &[b.c]),
                (None, Some(y)) => it.look_code(place, y, b.c, &[a.c]),
                (Some(_), Some(_)) | (None, None) => {}
            });
            a.c == b.c
        })
    }

    /// Records whether a letter is one of a set, and returns it.
    pub(super) fn is_one_of(&mut self, test: u32, letter: Letter, all: &str) -> bool {
        let place = self.at_builtin(test);
        if let Some(expr) = letter.expr {
            // Each letter occurs once among the alternatives: a second occurrence could never be taken.
            let mut once: Vec<char> = Vec::new();
            for c in all.chars() {
                if !once.contains(&c) {
                    once.push(c);
                }
            }
            self.record(|_, it| it.look_code(place, expr, letter.c, &once));
        }
        all.contains(letter.c)
    }

    /// Records which range of a character class a letter is in, and returns whether it is in the class.
    pub(super) fn is_in_class(
        &mut self,
        test: u32,
        letter: Letter,
        is_member: &dyn Fn(char) -> bool,
    ) -> bool {
        let Letter { c, expr: Some(expr) } = letter else { return is_member(letter.c) };
        let code = u32::from(c);
        let (below, above) = (self.at_builtin(test), self.at_builtin(test + 1));
        let is_known = self.record(|_, it| {
            for (low, high) in ranges(is_member) {
                if 0 < low && it.look_less_than(below, expr, low, code) {
                    return true;
                }
                if !it.look_more_than(above, expr, high, code) {
                    return true;
                }
            }
            !it.look_more_than(above, expr, LAST, code)
        });
        if is_known == Some(false) {
            let place = self.at_builtin(test + 2);
            self.record(|_, it| it.pin(place, expr, code_term(c)));
        }
        is_member(c)
    }
}

impl Recorder {
    fn look_code(&mut self, place: TestPlace, expr: ExprId, c: char, wanted: &[char]) {
        let heads: Arc<[Head]> = wanted.iter().map(|it| Head::Literal(code_term(*it))).collect();
        let top = Top { kind: facts::INTEGER, n_items: 0, literal: Some(code_term(c)) };
        self.choose(place, expr, &top, &heads);
    }

    pub(super) fn look_less_than(
        &mut self,
        place: TestPlace,
        expr: ExprId,
        low: u32,
        code: u32,
    ) -> bool {
        let low_expr = self.exprs.constant(Term::Int(i64::from(low)));
        let less = self.apply(Op::Less, &[expr, low_expr]);
        self.test(place, less, code < low);
        code < low
    }

    pub(super) fn look_more_than(
        &mut self,
        place: TestPlace,
        expr: ExprId,
        high: u32,
        code: u32,
    ) -> bool {
        let high_expr = self.exprs.constant(Term::Int(i64::from(high)));
        let less = self.apply(Op::Less, &[high_expr, expr]);
        self.test(place, less, high < code);
        high < code
    }
}

/// Returns the ranges of followed codes whose letters belong to a class.
fn ranges(is_member: &dyn Fn(char) -> bool) -> Vec<(u32, u32)> {
    let mut res: Vec<(u32, u32)> = Vec::new();
    for code in 0..=LAST {
        if !char::from_u32(code).is_some_and(is_member) {
            continue;
        }
        match res.last_mut() {
            Some((_, high)) if *high + 1 == code => *high = code,
            _ => res.push((code, code)),
        }
    }
    res
}

#[cfg(test)]
mod tests {
    use super::ranges;

    #[test]
    fn a_class_is_a_few_ranges() {
        assert_eq!(ranges(&|c| c.is_ascii_alphabetic()), [(65, 90), (97, 122)]);
        assert_eq!(ranges(&|c| c == 'x'), [(120, 120)]);
        assert_eq!(ranges(&|_| true), [(0, 127)]);
    }
}
