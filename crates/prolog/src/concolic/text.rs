//! Builtins on text, followed letter by letter.
#![expect(clippy::indexing_slicing, reason = "indices are the machine's own")]

use crate::builtins::TextForm;
use crate::code::Test;
use crate::concolic::convert::{expr_of, shadow_of};
use crate::concolic::facts;
use crate::concolic::letters::{Letter, is_followed, text_of};
use crate::data::{FunctorId, ListEnd, Value, View};
use crate::machine::{Fault, Machine, Next};
use term::{Base, Conversion, ExprId, Op, Term};

type Run = fn(&mut Machine, usize) -> Result<Next, Fault>;

/// Whether a builtin is followed by this module.
pub(super) fn is_text(name: &str, arity: usize) -> bool {
    matches!(
        (name, arity),
        (
            "atom_codes"
                | "atom_chars"
                | "string_codes"
                | "string_chars"
                | "atom_string"
                | "string_to_atom"
                | "text_to_string"
                | "number_codes"
                | "number_chars"
                | "atom_number"
                | "number_string"
                | "char_code"
                | "atom_length"
                | "string_length"
                | "upcase_atom"
                | "downcase_atom"
                | "string_upper"
                | "string_lower"
                | "$normal_space",
            2
        ) | ("atomic_list_concat", 2 | 3)
            | ("split_string" | "$concat" | "$splits", 4)
            | ("string_code" | "$char_type", 3)
            | ("$slices", 7)
    )
}

impl Machine {
    pub(super) fn text_recorded(
        &mut self,
        name: &str,
        arity: usize,
        base: usize,
        run: Run,
    ) -> Result<Next, Fault> {
        match name {
            "atom_codes" => self.converted(base, TextForm::Atom, TextForm::Codes, run),
            "atom_chars" => self.converted(base, TextForm::Atom, TextForm::Chars, run),
            "string_codes" => self.converted(base, TextForm::String, TextForm::Codes, run),
            "string_chars" => self.converted(base, TextForm::String, TextForm::Chars, run),
            "atom_string" => self.converted(base, TextForm::Atom, TextForm::String, run),
            "string_to_atom" => self.converted(base, TextForm::String, TextForm::Atom, run),
            "text_to_string" => self.converted(base, TextForm::String, TextForm::String, run),
            "number_codes" => self.number_text(base, 0, TextForm::Codes, run),
            "number_chars" => self.number_text(base, 0, TextForm::Chars, run),
            "number_string" => self.number_text(base, 0, TextForm::String, run),
            "atom_number" => self.number_text(base, 1, TextForm::Atom, run),
            "char_code" => self.char_code_recorded(base, run),
            "atom_length" | "string_length" => self.text_length(base, run),
            "upcase_atom" => self.in_case(base, TextForm::Atom, Case::Upper, run),
            "downcase_atom" => self.in_case(base, TextForm::Atom, Case::Lower, run),
            "string_upper" => self.in_case(base, TextForm::String, Case::Upper, run),
            "string_lower" => self.in_case(base, TextForm::String, Case::Lower, run),
            "$normal_space" => self.normal_space(base, run),
            "atomic_list_concat" => self.joined(base, arity, run),
            "split_string" => self.split_recorded(base, run),
            "$concat" => self.concat_recorded(base, run),
            "$splits" => self.splits_recorded(base, run),
            "string_code" => self.string_code_recorded(base, run),
            "$char_type" => self.char_type_recorded(base, run),
            "$slices" => self.slices_recorded(base, run),
            _ => run(self, base),
        }
    }

    /// Pins the arguments and records a loss, because this call cannot be followed.
    fn give_up(&mut self, name: &str, arity: usize, base: usize, run: Run) -> Result<Next, Fault> {
        let place = self.at_builtin(0);
        for n in 0..arity {
            self.pin(place, self.stack[base + n]);
        }
        self.record(|_, it| it.lose(place, format!("{name}/{arity}")));
        run(self, base)
    }

    /// Follows a conversion from one representation of text to another.
    fn converted(
        &mut self,
        base: usize,
        left: TextForm,
        right: TextForm,
        run: Run,
    ) -> Result<Next, Fault> {
        let (x, y) = (self.arg(base, 0), self.arg(base, 1));
        let (from, slot, form) = if x.is_var() { (y, 0, left) } else { (x, 1, right) };
        // `[]` as an atom has two letters, as a list of letters none.
        let letters = if from.is_nil() && !x.is_var() { None } else { self.spell(0, from) };
        let Some(letters) = letters else { return self.give_up("conversion", 2, base, run) };
        self.text_result(base, slot, &letters, form, run)
    }

    /// Unifies an argument of the builtin with a text of these letters.
    fn text_result(
        &mut self,
        base: usize,
        slot: usize,
        letters: &[Letter],
        form: TextForm,
        run: Run,
    ) -> Result<Next, Fault> {
        let to = self.arg(base, slot);
        let is_open = matches!(self.heap.list_items(to).1, ListEnd::Open(_));
        if !to.is_var() && (!is_open || !to.is_cons()) {
            match self.spell(16, to) {
                Some(given) => {
                    self.same_letters(24, letters, &given);
                }
                None if self.is_symbolic(to) => return self.give_up("conversion", 2, base, run),
                None => {}
            }
            return run(self, base);
        }
        self.stack[base + slot] = self.heap.fresh();
        let next = run(self, base)?;
        if next != Next::True {
            return Ok(next);
        }
        let value = self.written(letters, form);
        Ok(self.unify_at(self.at_builtin(32), to, value).into())
    }

    fn number_text(
        &mut self,
        base: usize,
        text_first: usize,
        form: TextForm,
        run: Run,
    ) -> Result<Next, Fault> {
        let number = self.arg(base, text_first);
        let text = self.arg(base, 1 - text_first);
        if text.is_var() {
            let Some(letters) = self.spell(0, number) else {
                return self.give_up("number to text", 2, base, run);
            };
            return self.text_result(base, 1 - text_first, &letters, form, run);
        }
        let letters = self.spell(0, text);
        let Some(letters) = letters.filter(|_| self.list_end(text) != Some(false)) else {
            return self.give_up("text to number", 2, base, run);
        };
        let is_signed = letters.first().is_some_and(|it| self.is_one_of(12, *it, "+-"));
        let digits = letters.get(usize::from(is_signed)..).unwrap_or_default();
        let is_digit = |c: char| c.is_ascii_digit();
        let is_integer =
            !digits.is_empty() && digits.iter().all(|it| self.is_in_class(13, *it, &is_digit));
        let expr = if is_integer { self.integer_of(&letters) } else { None };
        let is_number = crate::text::read_number(text_of(&letters).trim()).is_some();
        if !is_integer && is_followed(&letters) && is_number {
            return self.give_up("text to number", 2, base, run);
        }
        if !number.is_var() {
            self.look_top(self.at_builtin(16), number);
            run(self, base)?;
            self.stack[base + text_first] = self.heap.fresh();
        }
        let to = self.arg(base, text_first);
        let next = run(self, base)?;
        let value = self.heap.deref(to);
        let value = match expr.filter(|_| value.is_integer()) {
            Some(expr) => value.with_shadow(shadow_of(expr)),
            None => value,
        };
        if next != Next::True {
            return Ok(next);
        }
        Ok(self.result(number, value, next))
    }

    /// Returns the expression of the integer with these digits.
    fn integer_of(&mut self, letters: &[Letter]) -> Option<ExprId> {
        let whole = self.written(letters, TextForm::Atom);
        let atom = expr_of(whole)?;
        self.record(|_, it| {
            let list = it.codes_of(whole, atom)?;
            let number = it.apply(Op::Convert(Conversion::ListToInteger(Base::TEN)), &[list]);
            it.is_of_kind(number, facts::INTEGER);
            Some(number)
        })?
    }

    /// Whether a list ends with `[]`; `None` if the value is not a list.
    fn list_end(&self, value: Value) -> Option<bool> {
        value.is_cons().then(|| self.heap.list_items(value).1 == ListEnd::Nil)
    }

    fn char_code_recorded(&mut self, base: usize, run: Run) -> Result<Next, Fault> {
        let (c, code) = (self.arg(base, 0), self.arg(base, 1));
        self.look_test_at(self.at_builtin(0), Test::Atom, c);
        self.look_test_at(self.at_builtin(1), Test::Integer, code);
        let is_letter = |m: &Machine| m.character(c).is_some() && c.as_atom().is_some();
        if let Some(expr) = expr_of(c).filter(|_| !is_letter(self)) {
            // The atom does not have exactly one letter.
            let place = self.at_builtin(4);
            self.record(|_, it| {
                let list = it.codes_of(c, expr)?;
                let length = it.apply(Op::Length, &[list]);
                let one = it.exprs.constant(Term::Int(1));
                let is_one = it.apply(Op::Same, &[length, one]);
                it.test(place, is_one, false);
                Some(())
            });
            return run(self, base);
        }
        if is_letter(self) {
            let found = expr_of(c).and_then(|it| self.code_of_atom(4, it));
            let next = run(self, base)?;
            let Some(letter) = self.character(c) else { return Ok(next) };
            let value = self.written_letter(Letter { c: letter, expr: found }, TextForm::Codes);
            return Ok(self.result(code, value, next));
        }
        if let (Some(expr), Some(n)) = (expr_of(code), code.as_int()) {
            let places = [self.at_builtin(8), self.at_builtin(9)];
            let code = u32::try_from(n).unwrap_or(if n < 0 { 0 } else { u32::MAX });
            self.record(|_, it| {
                let zero = it.exprs.constant(Term::Int(0));
                let less = it.apply(Op::Less, &[expr, zero]);
                it.test(places[0], less, n < 0);
                it.look_more_than(places[1], expr, 0x10_ffff, code);
            });
        }
        let next = run(self, base)?;
        let Some(letter) = self.character(code) else { return Ok(next) };
        let value = self.written_letter(Letter { c: letter, expr: expr_of(code) }, TextForm::Chars);
        Ok(self.result(c, value, next))
    }

    /// Follows the length of a text without spelling it.
    fn text_length(&mut self, base: usize, run: Run) -> Result<Next, Fault> {
        let (text, len) = (self.arg(base, 0), self.arg(base, 1));
        self.look_top(self.at_builtin(0), text);
        let codes = match expr_of(text).filter(|_| !text.is_nil()) {
            Some(of) => self.record(|_, it| it.codes_of(text, of)).flatten(),
            None => None,
        };
        let Some(list) = codes else {
            if text.is_cons() {
                self.look_spine(self.at_builtin(4), text);
            } else {
                self.pin(self.at_builtin(2), text);
            }
            return self.with_results(2, 0b1, run);
        };
        if !len.is_var() {
            self.look_top(self.at_builtin(8), len);
        }
        let fresh = self.heap.fresh();
        self.stack[base + 1] = if len.is_var() || len.is_integer() { fresh } else { len };
        let next = run(self, base)?;
        let value = self.heap.deref(fresh);
        let expr = self.record(|_, it| {
            let expr = it.apply(Op::Length, &[list]);
            it.is_of_kind(expr, facts::INTEGER);
            expr
        });
        let value = expr.map_or(value, |it| value.with_shadow(shadow_of(it)));
        if next != Next::True {
            return Ok(next);
        }
        Ok(self.unify_at(self.at_builtin(32), len, value).into())
    }

    fn in_case(
        &mut self,
        base: usize,
        form: TextForm,
        case: Case,
        run: Run,
    ) -> Result<Next, Fault> {
        let Some(letters) = self.spell(0, self.arg(base, 0)) else {
            return self.give_up("case", 2, base, run);
        };
        let mut changed = Vec::with_capacity(letters.len());
        for letter in letters {
            match self.letter_in_case(8, letter, case) {
                Some(letter) => changed.push(letter),
                None => return self.give_up("case", 2, base, run),
            }
        }
        self.text_result(base, 1, &changed, form, run)
    }

    /// Converts a letter to upper or lower case; `None` if the result has more than one letter.
    fn letter_in_case(&mut self, test: u32, letter: Letter, case: Case) -> Option<Letter> {
        let is_changed = |c: char| case.of(c) != Some(c);
        let is_other = self.is_in_class(test, letter, &is_changed);
        let c = case.of(letter.c)?;
        let Some(expr) = letter.expr.filter(|_| is_other) else {
            return Some(Letter { c, ..letter });
        };
        let by = i64::from(u32::from(c)) - i64::from(u32::from(letter.c));
        let expr = self.record(|_, it| {
            let by = it.exprs.constant(Term::Int(by));
            let code = it.apply(Op::Add, &[expr, by]);
            it.is_of_kind(code, facts::INTEGER);
            code
        });
        Some(Letter { c, expr })
    }

    fn normal_space(&mut self, base: usize, run: Run) -> Result<Next, Fault> {
        let Some(letters) = self.spell(0, self.arg(base, 0)) else {
            return self.give_up("normalize_space", 2, base, run);
        };
        let mut kept: Vec<Letter> = Vec::new();
        let mut is_gap = false;
        for letter in letters {
            if self.is_in_class(8, letter, &char::is_whitespace) {
                is_gap = !kept.is_empty();
                continue;
            }
            if is_gap {
                kept.push(Letter { c: ' ', expr: None });
            }
            is_gap = false;
            kept.push(letter);
        }
        self.text_result(base, 1, &kept, TextForm::String, run)
    }

    /// Follows `atomic_list_concat/2` and `/3`.
    fn joined(&mut self, base: usize, arity: usize, run: Run) -> Result<Next, Fault> {
        let (list, to) = (self.arg(base, 0), self.arg(base, arity - 1));
        let separator =
            if arity == 3 { self.spell(0, self.arg(base, 1)) } else { Some(Vec::new()) };
        let Some(separator) = separator else {
            return self.give_up("atomic_list_concat", arity, base, run);
        };
        self.look_spine(self.at_builtin(8), list);
        let (items, end) = self.heap.list_items(list);
        let is_open = end != ListEnd::Nil || items.iter().any(|it| it.is_var());
        if is_open && arity == 3 && !to.is_var() && !separator.is_empty() {
            return self.taken_apart(base, &separator, run);
        }
        let mut letters = Vec::new();
        for (n, item) in items.iter().enumerate() {
            let Some(own) = self.spell(12, *item) else {
                return self.give_up("atomic_list_concat", arity, base, run);
            };
            if 0 < n {
                letters.extend_from_slice(&separator);
            }
            letters.extend(own);
        }
        self.text_result(base, arity - 1, &letters, TextForm::Atom, run)
    }

    /// Follows `atomic_list_concat(-Parts, +Separator, +Text)`.
    fn taken_apart(&mut self, base: usize, separator: &[Letter], run: Run) -> Result<Next, Fault> {
        let (list, whole) = (self.arg(base, 0), self.arg(base, 2));
        let Some(letters) = self.spell(16, whole) else {
            return self.give_up("atomic_list_concat", 3, base, run);
        };
        let mut parts: Vec<Vec<Letter>> = vec![Vec::new()];
        let mut rest = letters.as_slice();
        while let Some((first, after)) = rest.split_first() {
            let n = separator.len();
            if let Some(here) = rest.get(..n)
                && self.same_letters(20, here, separator)
            {
                parts.push(Vec::new());
                rest = &rest[n..];
                continue;
            }
            if let Some(part) = parts.last_mut() {
                part.push(*first);
            }
            rest = after;
        }
        self.parts_result(base, (0, list), &parts, TextForm::Atom, run)
    }

    /// Unifies an argument with the list of texts that the builtin finds.
    fn parts_result(
        &mut self,
        base: usize,
        (slot, to): (usize, Value),
        parts: &[Vec<Letter>],
        form: TextForm,
        run: Run,
    ) -> Result<Next, Fault> {
        // The list may be partly known, so it is unified with the symbolic parts instead of by the builtin.
        self.stack[base + slot] = self.heap.fresh();
        let next = run(self, base)?;
        if next != Next::True {
            return Ok(next);
        }
        let items: Vec<Value> = parts.iter().map(|it| self.written(it, form)).collect();
        let list = self.heap.list(&items);
        Ok(self.unify_at(self.at_builtin(32), to, list).into())
    }

    fn split_recorded(&mut self, base: usize, run: Run) -> Result<Next, Fault> {
        let [text, separators, pad, to] = [0, 1, 2, 3].map(|n| self.arg(base, n));
        self.pin(self.at_builtin(0), separators);
        self.pin(self.at_builtin(1), pad);
        let (separators, pad) = (self.any_text(separators), self.any_text(pad));
        let (Some(letters), Some(separators), Some(pad)) = (self.spell(2, text), separators, pad)
        else {
            return self.give_up("split_string", 4, base, run);
        };
        let mut parts: Vec<Vec<Letter>> = vec![Vec::new()];
        for letter in letters {
            if !separators.is_empty() && self.is_one_of(8, letter, &separators) {
                parts.push(Vec::new());
            } else if let Some(part) = parts.last_mut() {
                part.push(letter);
            }
        }
        for part in &mut parts {
            while let Some(first) = part.first().copied()
                && self.is_one_of(9, first, &pad)
            {
                part.remove(0);
            }
            while let Some(last) = part.last().copied()
                && self.is_one_of(10, last, &pad)
            {
                part.pop();
            }
        }
        self.parts_result(base, (3, to), &parts, TextForm::String, run)
    }

    fn concat_recorded(&mut self, base: usize, run: Run) -> Result<Next, Fault> {
        let [kind, x, y, to] = [0, 1, 2, 3].map(|n| self.arg(base, n));
        let is_string = kind.as_atom().is_some_and(|it| self.atoms.text(it) == "string");
        let form = if is_string { TextForm::String } else { TextForm::Atom };
        let Some(mut letters) = self.spell(0, x) else {
            return self.give_up("concatenation", 4, base, run);
        };
        if to.is_var()
            && let Some(expr) = expr_of(y).filter(|_| !y.is_cons() && !y.is_nil())
        {
            // The letters of the second text are not inspected.
            self.look_top(self.at_builtin(8), y);
            let next = run(self, base)?;
            let text = self.any_text(y).unwrap_or_default();
            let Some(Some(codes)) = self.record(|_, it| it.codes_of(y, expr)) else {
                self.pin(self.at_builtin(9), y);
                return Ok(next);
            };
            let value = self.written_with(&letters, Some((&text, codes)), form);
            return Ok(self.result(to, value, next));
        }
        let Some(more) = self.spell(8, y) else {
            return self.give_up("concatenation", 4, base, run);
        };
        letters.extend(more);
        self.text_result(base, 3, &letters, form, run)
    }

    fn splits_recorded(&mut self, base: usize, run: Run) -> Result<Next, Fault> {
        let [kind, text, _, to] = [0, 1, 2, 3].map(|n| self.arg(base, n));
        let is_string = kind.as_atom().is_some_and(|it| self.atoms.text(it) == "string");
        let form = if is_string { TextForm::String } else { TextForm::Atom };
        let Some(letters) = self.spell(0, text) else {
            return self.give_up("concatenation", 4, base, run);
        };
        let mut pairs = Vec::new();
        for cut in 0..=letters.len() {
            let (x, y) = letters.split_at(cut);
            let (x, y) = (self.written(x, form), self.written(y, form));
            pairs.push(self.heap.structure(FunctorId::PAIR, &[x, y]));
        }
        let list = self.heap.list(&pairs);
        self.answer(to, list)
    }

    fn string_code_recorded(&mut self, base: usize, run: Run) -> Result<Next, Fault> {
        let [n, text, to] = [0, 1, 2].map(|n| self.arg(base, n));
        let Some(letters) = self.spell(0, text) else {
            return self.give_up("string_code", 3, base, run);
        };
        self.look_test_at(self.at_builtin(40), Test::Integer, n);
        if n.is_integer() {
            self.look_index(0, n, letters.len());
        }
        let place = n.as_int().and_then(|it| usize::try_from(it).ok()?.checked_sub(1));
        let Some(letter) = place.and_then(|it| letters.get(it)) else { return run(self, base) };
        self.stack[base + 2] = self.heap.fresh();
        run(self, base)?;
        let value = self.written_letter(*letter, TextForm::Codes);
        Ok(self.unify_at(self.at_builtin(32), to, value).into())
    }

    fn char_type_recorded(&mut self, base: usize, run: Run) -> Result<Next, Fault> {
        let [code, kind, argument] = [0, 1, 2].map(|n| self.arg(base, n));
        self.pin_quietly(1, kind);
        let (Some(expr), Some(c)) = (expr_of(code), self.character(code)) else {
            return run(self, base);
        };
        let letter = Letter { c, expr: Some(expr) };
        let Some(name) = kind.as_atom().map(|it| self.atoms.text(it).to_owned()) else {
            return run(self, base);
        };
        let case = match name.as_str() {
            "to_upper" | "lower" if !argument.is_nil() => Some(Case::Upper),
            "to_lower" | "upper" if !argument.is_nil() => Some(Case::Lower),
            _ => None,
        };
        if let Some(case) = case {
            self.stack[base + 2] = self.heap.fresh();
            let next = run(self, base)?;
            let changed = self.letter_in_case(8, letter, case);
            let (Next::True, Some(changed)) = (next, changed) else { return Ok(next) };
            let value = self.written_letter(changed, TextForm::Codes);
            return Ok(self.unify_at(self.at_builtin(32), argument, value).into());
        }
        if !argument.is_nil() {
            return self.digit_recorded(base, letter, &name, run);
        }
        // The builtin itself tells which characters belong to the class.
        let holds: Vec<bool> = (0..128)
            .map(|other| {
                self.stack[base] = Value::int(other);
                run(self, base).is_ok_and(|it| it == Next::True)
            })
            .collect();
        self.stack[base] = code;
        let next = run(self, base)?;
        let is_member = |c: char| match holds.get(c as usize) {
            Some(holds) => *holds,
            None => next == Next::True,
        };
        self.is_in_class(8, letter, &is_member);
        Ok(next)
    }

    /// Follows `char_type(C, digit(Weight))` and similar types.
    fn digit_recorded(
        &mut self,
        base: usize,
        letter: Letter,
        kind: &str,
        run: Run,
    ) -> Result<Next, Fault> {
        let radix = match kind {
            "digit" | "decimal" => 10,
            "xdigit" => 16,
            _ => {
                self.is_one_of(8, letter, "([{");
                return self.with_results(3, 0b11, run);
            }
        };
        self.is_in_class(8, letter, &|c: char| c.is_digit(radix));
        let to = self.arg(base, 2);
        self.stack[base + 2] = self.heap.fresh();
        let next = run(self, base)?;
        let (Next::True, Some(weight)) = (next, letter.c.to_digit(radix)) else { return Ok(next) };
        // The weight is the code minus the code of zero in the same range of digits.
        let nought = i64::from(u32::from(letter.c)) - i64::from(weight);
        let weight = Value::int(i64::from(weight));
        let shadow = letter.expr.and_then(|code| {
            self.record(|_, it| {
                let nought = it.exprs.constant(Term::Int(nought));
                let res = it.apply(Op::Subtract, &[code, nought]);
                it.is_of_kind(res, facts::INTEGER);
                res
            })
        });
        let weight = shadow.map_or(weight, |it| weight.with_shadow(shadow_of(it)));
        Ok(self.unify_at(self.at_builtin(32), to, weight).into())
    }

    /// Follows `'$slices'(Kind, Text, Before, Length, After, Sub, Solutions)`.
    fn slices_recorded(&mut self, base: usize, run: Run) -> Result<Next, Fault> {
        let [kind, text, before, length, after, sub, to] =
            [0, 1, 2, 3, 4, 5, 6].map(|n| self.arg(base, n));
        let is_string = kind.as_atom().is_some_and(|it| self.atoms.text(it) == "string");
        let form = if is_string { TextForm::String } else { TextForm::Atom };
        let Some(letters) = self.spell(0, text) else {
            return self.give_up("sub_atom", 5, base, run);
        };
        for (n, size) in [before, length, after].into_iter().enumerate() {
            self.look_test_at(self.at_builtin(40), Test::Integer, size);
            if size.is_integer() {
                self.look_index(n, size, letters.len());
            }
        }
        let wanted = if sub.is_var() { None } else { self.spell(16, sub) };
        if let Some(wanted) = &wanted {
            let sizes = [before, length, after].map(|it| it.as_int());
            let fits = |b: usize| {
                let found = [b, wanted.len(), letters.len() - b - wanted.len()];
                let is =
                    |it: (&Option<i64>, usize)| it.0.is_none_or(|n| usize::try_from(n) == Ok(it.1));
                sizes.iter().zip(found).all(is)
            };
            if let Some(last) = letters.len().checked_sub(wanted.len()) {
                for b in (0..=last).filter(|it| fits(*it)) {
                    self.same_letters(24, &letters[b..b + wanted.len()], wanted);
                }
            }
        }
        let next = run(self, base)?;
        if wanted.is_none() && next == Next::True {
            self.write_slices(to, &letters, form);
        }
        Ok(next)
    }

    /// Stores symbolic texts in the last arguments of solutions `s(Before, Length, After, Sub)`.
    fn write_slices(&mut self, solutions: Value, letters: &[Letter], form: TextForm) {
        for solution in self.heap.list_items(self.heap.deref(solutions)).0 {
            let View::Struct(_, at) = solution.view() else { continue };
            let size = |n: usize| {
                let size = self.heap.deref(self.heap.cell(at + n)).as_int();
                size.and_then(|it| usize::try_from(it).ok()).unwrap_or(0)
            };
            let (b, l) = (size(0), size(1));
            let part = letters.get(b..b + l).unwrap_or_default();
            let value = self.written(part, form);
            self.heap.cells[at + 3] = value;
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Case {
    Upper,
    Lower,
}

impl Case {
    /// Returns the letter in this case; `None` if that is not a single letter.
    fn of(self, c: char) -> Option<char> {
        let mut all = match self {
            Case::Upper => c.to_uppercase().collect::<Vec<char>>(),
            Case::Lower => c.to_lowercase().collect(),
        }
        .into_iter();
        let first = all.next()?;
        all.next().is_none().then_some(first)
    }
}
