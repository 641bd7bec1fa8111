//! How builtins treat symbolic values. The symbolic arguments of a builtin without a row in [`handling`] are
//! pinned.
#![expect(clippy::indexing_slicing, reason = "indices are the machine's own")]

use crate::code::{Compare, Test};
use crate::concolic::convert::expr_of;
use crate::concolic::text::is_text;
use crate::data::{ListEnd, Value, View};
use crate::machine::{Fault, Machine, Next};
use std::sync::Arc;
use term::{Kind, Op, Term};
use trace::Head;

/// The maximum number whose value is distinguished from other numbers at its use as an index or length.
const MAX_INDEX: usize = 32;
/// The number of subterms of an argument that are searched for symbolic values at every call.
const SMALL: usize = 1_000;

/// How a builtin with symbolic arguments is followed. Sets of arguments are bit masks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Handling {
    /// Values pass through the builtin, which does not inspect any.
    Moves,
    /// Values pass through the builtin. Its result arguments (a bit mask) are unified with the results.
    Results(u8),
    /// The builtin only tests for variables.
    Variables,
    /// These arguments name a stream, a key or options, and are pinned; values pass through the others.
    Named(u8),
    /// The builtin adds or removes a clause, whose principal functor determines the predicate.
    Stores,
    /// The builtin writes a list of arguments under the control of a format text, as `format/2` does.
    Format,
    /// The builtin inspects the principal functors of these arguments; the others are results.
    Tops(u8),
    /// The builtin inspects the lengths of these lists; the others are results.
    Spines(u8),
    /// The builtin sorts a list by the standard order.
    Sorts,
    /// The builtin works on text and is followed letter by letter.
    Text,
    Own,
    /// All symbolic arguments are pinned.
    Pins,
}

fn handling(name: &str, arity: usize) -> Handling {
    match (name, arity) {
        (
            "call" | "catch" | "throw" | "$body" | "$call_cleanup" | "$det_goal" | "$findall_start"
            | "$findall_add" | "$choices" | "$findall_collect" | "$halt" | "print_message"
            | "$capture" | "attvar" | "$clauses" | "$first_clause" | "$next_clause" | "$clause"
            | "$clause_seen" | "$stored",
            _,
        ) => Handling::Moves,
        ("write" | "print" | "writeln" | "writeq" | "write_canonical", 1) => Handling::Moves,
        ("write" | "print" | "writeln" | "writeq" | "write_canonical", 2) => Handling::Named(0b1),
        ("write_term", 2) => Handling::Named(0b10),
        ("write_term", 3) => Handling::Named(0b101),
        ("put_char", 1 | 2) => Handling::Named(0b11),
        ("is_stream", 1) => Handling::Named(0b1),
        ("nb_setval" | "b_setval", 2) => Handling::Named(0b1),
        ("put_attr", 3) => Handling::Named(0b10),
        ("format", 1 | 2) => Handling::Format,
        ("assert" | "asserta" | "assertz" | "retractall", _) => Handling::Stores,
        (
            "copy_term" | "copy_term_nat" | "duplicate_term" | "nb_getval" | "b_getval"
            | "nb_current",
            2,
        ) => Handling::Results(0b10),
        ("get_attr", 3) => Handling::Results(0b100),
        ("strip_module", 3) => Handling::Results(0b110),
        ("acyclic_term" | "cyclic_term", 1) => Handling::Moves,
        ("ground" | "term_variables" | "term_attvars" | "$free_variables", _) => {
            Handling::Variables
        }
        ("$check_partial_list", 1) => Handling::Spines(0b1),
        ("setarg" | "nb_setarg", 3) => Handling::Own,
        ("functor", 3) => Handling::Tops(0b111),
        ("compound_name_arity", 3) => Handling::Tops(0b111),
        ("compound_name_arguments", 3) => Handling::Tops(0b1),
        ("arg", 3) => Handling::Tops(0b11),
        ("=..", 2) => Handling::Tops(0b1),
        ("is_callable" | "rational" | "blob" | "is_dict", _) => Handling::Tops(0b1),
        ("$skip_list", 3) => Handling::Spines(0b10),
        ("$length", 2) => Handling::Spines(0b1),
        ("msort" | "sort" | "keysort", 2) | ("sort", 4) => Handling::Sorts,
        _ if is_text(name, arity) => Handling::Text,
        (
            "="
            | "\\="
            | "=="
            | "\\=="
            | "@<"
            | "@>"
            | "@=<"
            | "@>="
            | "compare"
            | "atom"
            | "integer"
            | "float"
            | "number"
            | "atomic"
            | "compound"
            | "callable"
            | "is_list"
            | "string"
            | "is"
            | "=:="
            | "=\\="
            | "<"
            | ">"
            | "=<"
            | ">="
            | "succ"
            | "plus"
            | "memberchk"
            | "var"
            | "nonvar"
            | "unify_with_occurs_check"
            | "$match"
            | "$subsumes",
            _,
        ) => Handling::Own,
        _ => Handling::Pins,
    }
}

/// Whether a builtin asks for terms that inputs cannot contain: rational numbers, cyclic terms, streams and
/// other blobs, dicts, attributed variables.
fn is_beyond(name: &str, arity: usize) -> bool {
    matches!(
        (name, arity),
        ("rational" | "cyclic_term" | "acyclic_term" | "is_dict" | "attvar" | "is_stream", 1)
            | ("blob", 2)
            | ("rational", 3)
    )
}

impl Machine {
    /// Runs a builtin of a recorded run.
    pub(crate) fn builtin_recorded(&mut self, row: usize) -> Result<Next, Fault> {
        let row = self.rows[row];
        let arity = row.arity as usize;
        let base = self.control.base;
        let given = |n: usize, most: usize| self.is_symbolic_within(self.stack[base + n], most);
        let is_given = (0..arity).any(|n| given(n, SMALL) != Some(false));
        if !is_given && is_keeper(row.name) {
            return self.with_results(arity, 0b1, row.run);
        }
        if !is_given {
            return (row.run)(self, base);
        }
        let handling = handling(row.name, arity);
        // A builtin that only inspects the principal functor of a large term must not cost a traversal of the
        // term at each call.
        let is_shallow = matches!(handling, Handling::Moves | Handling::Tops(_));
        if !is_shallow && (0..arity).all(|n| !self.is_symbolic(self.stack[base + n])) {
            return (row.run)(self, base);
        }
        if is_beyond(row.name, arity) {
            let place = self.at_builtin(1);
            let what = format!("{}/{arity} of terms that no input is", row.name);
            self.record(|_, it| it.lose(place, what));
        }
        match handling {
            Handling::Moves => self.write_recorded(row.name, arity, row.run),
            Handling::Named(names) => {
                self.pin_named(row.name, arity, names);
                self.write_recorded(row.name, arity, row.run)
            }
            Handling::Stores => {
                let clause = self.strip_module(self.context, self.arg(base, 0)).1;
                self.look_top(self.at_builtin(0), clause);
                if clause.as_atom().is_some() {
                    self.pin_quietly(0, clause);
                }
                (row.run)(self, base)
            }
            Handling::Format => {
                self.pin_named(row.name, arity, 0b1);
                if arity == 2 {
                    let list = self.arg(base, 1);
                    self.look_spine(self.at_builtin(8), list);
                    for item in self.heap.list_items(list).0 {
                        self.look_top(self.at_builtin(12), item);
                    }
                }
                self.write_recorded(row.name, arity, row.run)
            }
            Handling::Results(results) => {
                if is_keeper(row.name) {
                    self.pin_named(row.name, arity, 0b1);
                }
                if row.name == "strip_module" {
                    self.look_top(self.at_builtin(0), self.arg(base, 0));
                }
                self.with_results(arity, !results, row.run)
            }
            Handling::Variables if self.recorder.as_ref().is_some_and(|it| it.has_variables) => {
                self.pin_all(row.name, arity);
                (row.run)(self, base)
            }
            // The inputs of this unit contain no variables.
            Handling::Variables => self.with_results(arity, 0b1, row.run),
            Handling::Own => self.own(row.name, arity, base, row.run),
            Handling::Text => self.text_recorded(row.name, arity, base, row.run),
            Handling::Tops(looked) => {
                for n in (0..arity).filter(|n| looked >> n & 1 == 1) {
                    let value = self.arg(base, n);
                    let place = self.at_builtin(u32::try_from(n * 2).unwrap_or(0));
                    self.look_top(place, value);
                    if value.is_integer() && (row.name == "arg" || n == 2) {
                        let whole = self.arg(base, 1);
                        self.look_index(n, value, self.arity_of(whole).unwrap_or(8));
                    } else if value.is_number() || value.as_atom().is_some() && !value.is_nil() {
                        self.pin_quietly(n, value);
                    }
                }
                // A term is built from these arguments, so they are not results.
                if looked == 0b1 && 1 < arity && self.arg(base, 0).is_var() {
                    let list = self.arg(base, arity - 1);
                    self.look_spine(self.at_builtin(8), list);
                    if row.name == "=.." && list.is_cons() {
                        self.pin(self.at_builtin(12), self.heap.arg(list, 0));
                    }
                    if row.name != "=.." {
                        self.pin(self.at_builtin(12), self.arg(base, 1));
                    }
                    return (row.run)(self, base);
                }
                let wanted = self.arg(base, arity - 1);
                if row.name == "arg" && self.arg(base, 0).is_integer() && !wanted.is_var() {
                    // The argument may be symbolic while the term that it is unified with is not.
                    let fresh = self.heap.fresh();
                    self.stack[base + 2] = fresh;
                    let next = (row.run)(self, base)?;
                    let is_same =
                        next == Next::True && self.unify_at(self.at_builtin(32), fresh, wanted);
                    return Ok(if is_same { Next::True } else { Next::False });
                }
                self.with_results(arity, looked, row.run)
            }
            Handling::Spines(looked) => {
                for n in (0..arity).filter(|n| looked >> n & 1 == 1) {
                    let place = self.at_builtin(u32::try_from(n * 4).unwrap_or(0));
                    self.look_spine(place, self.stack[base + n]);
                }
                let length = self.arg(base, 1);
                let is_open = |it: Value| matches!(self.heap.list_items(it).1, ListEnd::Open(_));
                if row.name == "$length" && is_open(self.arg(base, 0)) && !length.is_var() {
                    // The builtin creates a list of this length.
                    self.look_kind(8, length);
                    if length.is_integer() {
                        self.look_index(0, length, MAX_INDEX / 2);
                    }
                    return (row.run)(self, base);
                }
                self.with_results(arity, looked, row.run)
            }
            Handling::Sorts => self.sorts(row.name, arity, row.run),
            Handling::Pins => {
                self.pin_all(row.name, arity);
                (row.run)(self, base)
            }
        }
    }

    /// Runs a builtin that may write. A loss is recorded if the text is captured, because captured text is
    /// not followed.
    fn write_recorded(
        &mut self,
        name: &str,
        arity: usize,
        run: fn(&mut Machine, usize) -> Result<Next, Fault>,
    ) -> Result<Next, Fault> {
        if !self.run.output.captures.is_empty() && is_written(name) {
            let place = self.at_builtin(0);
            let what = format!("the text that {name}/{arity} writes");
            self.record(|_, it| it.lose(place, what));
        }
        run(self, self.control.base)
    }

    /// Pins the arguments that decide what the builtin does.
    fn pin_named(&mut self, name: &str, arity: usize, names: u8) {
        let place = self.at_builtin(0);
        let mut is_pinned = false;
        for n in (0..arity).filter(|n| names >> n & 1 == 1) {
            is_pinned |= self.pin(place, self.stack[self.control.base + n]);
        }
        if is_pinned {
            self.record(|_, it| it.lose(place, format!("{name}/{arity}")));
        }
    }

    /// Pins all symbolic arguments of the builtin.
    fn pin_all(&mut self, name: &str, arity: usize) {
        let place = self.at_builtin(0);
        for n in 0..arity {
            self.pin(place, self.stack[self.control.base + n]);
        }
        let what = format!("{name}/{arity}");
        self.record(|_, it| it.lose(place, what));
    }

    /// Records a loss: the program asks for something that its environment decides, such as a flag, the clock
    /// or standard input. The answer is not a function of the input, and other runs may get another answer.
    pub(crate) fn note_environment(&mut self, what: &str) {
        self.run.has_asked_outside = true;
        let place = self.at_builtin(0);
        let what = what.to_owned();
        self.record(|_, it| it.lose(place, what));
    }

    /// Pins a number or name that decides the shape of a term. Only a few other values are tried.
    pub(super) fn pin_quietly(&mut self, n: usize, value: Value) {
        let place = self.at_builtin(64 + u32::try_from(n).unwrap_or(0));
        self.pin(place, value);
    }

    /// Records which number a value is, from 0 to `highest`, or that it is outside of that range.
    pub(super) fn look_index(&mut self, n: usize, value: Value, highest: usize) {
        let Some(expr) = expr_of(value) else { return };
        let highest = i64::try_from(highest.min(MAX_INDEX)).unwrap_or(0);
        let heads: Arc<[Head]> = (0..=highest).map(|it| Head::Literal(Term::Int(it))).collect();
        let place = self.at_builtin(72 + u32::try_from(n).unwrap_or(0));
        let top = self.top(value);
        self.record(|_, it| it.choose(place, expr, &top, &heads));
        if value.as_int().is_none_or(|it| highest < it || it < 0) {
            let place = self.at_builtin(76 + u32::try_from(n).unwrap_or(0));
            self.record(|_, it| {
                let zero = it.exprs.constant(Term::Int(0));
                let less = it.apply(Op::Less, &[expr, zero]);
                it.test(place, less, value.as_int().is_some_and(|it| it < 0));
            });
        }
    }

    fn arity_of(&self, value: Value) -> Option<usize> {
        match value.view() {
            View::Struct(functor, _) => Some(self.atoms.arity(functor)),
            View::Var(_)
            | View::Int(_)
            | View::Big(_)
            | View::Rational(_)
            | View::Float(_)
            | View::Atom(_)
            | View::Text(_) => None,
        }
    }

    /// Runs the builtin with fresh variables in place of symbolic results, and unifies these with the results
    /// afterwards.
    pub(super) fn with_results(
        &mut self,
        arity: usize,
        looked: u8,
        run: fn(&mut Machine, usize) -> Result<Next, Fault>,
    ) -> Result<Next, Fault> {
        let base = self.control.base;
        self.look_results(arity, looked, run);
        let mut results = Vec::new();
        for n in (0..arity).filter(|n| looked >> n & 1 == 0) {
            let value = self.stack[base + n];
            let value = self.heap.deref(value);
            if !value.is_var() && self.is_symbolic(value) {
                let fresh = self.heap.fresh();
                self.stack[base + n] = fresh;
                results.push((fresh, value));
            }
        }
        let next = run(self, base)?;
        if next != Next::True {
            return Ok(next);
        }
        let place = self.at_builtin(32);
        for (result, wanted) in results {
            if !self.unify_at(place, result, wanted) {
                return Ok(Next::False);
            }
        }
        Ok(Next::True)
    }

    /// Records the comparison of a builtin's symbolic result with an argument that is not symbolic. To get
    /// the result, the builtin is run once more, and its bindings are undone.
    fn look_results(
        &mut self,
        arity: usize,
        looked: u8,
        run: fn(&mut Machine, usize) -> Result<Next, Fault>,
    ) {
        let base = self.control.base;
        let is_given = |machine: &Machine, n: &usize| {
            let value = machine.arg(base, *n);
            looked >> n & 1 == 0 && !value.is_var() && !machine.is_symbolic(value)
        };
        let given: Vec<usize> = (0..arity).filter(|n| is_given(self, n)).collect();
        if given.is_empty() {
            return;
        }
        let args = self.stack[base..base + arity].to_vec();
        let mark = self.heap.mark();
        let old = std::mem::replace(&mut self.heap.old, mark.cells);
        let n_woken = self.heap.woken.len();
        for n in &given {
            let fresh = self.heap.fresh();
            self.stack[base + n] = fresh;
        }
        let place = self.at_builtin(32);
        if run(self, base) == Ok(Next::True) {
            for n in given {
                if !self.unify_at(place, self.stack[base + n], args[n]) {
                    break;
                }
            }
        }
        self.heap.undo_to(mark, |_, _| {});
        self.heap.cut_back(mark);
        self.heap.old = old;
        self.heap.woken.truncate(n_woken);
        self.stack[base..base + arity].copy_from_slice(&args);
    }

    /// Follows `sort/2`, `msort/2`, `keysort/2` and `sort/4`: the order of the result depends on the
    /// comparisons of the keys.
    fn sorts(
        &mut self,
        name: &str,
        arity: usize,
        run: fn(&mut Machine, usize) -> Result<Next, Fault>,
    ) -> Result<Next, Fault> {
        let base = self.control.base;
        let (at, key) = match (name, arity) {
            ("keysort", _) => (0, 1),
            (_, 4) => {
                self.pin_quietly(0, self.arg(base, 0));
                self.pin_quietly(1, self.arg(base, 1));
                let key = self.arg(base, 0).as_int();
                (2, key.and_then(|it| usize::try_from(it).ok()).unwrap_or(0))
            }
            _ => (0, 0),
        };
        let list = self.stack[base + at];
        self.look_spine(self.at_builtin(0), list);
        let (items, _) = self.heap.list_items(list);
        let mut keys = Vec::with_capacity(items.len());
        for item in items {
            if 0 < key {
                self.look_top(self.at_builtin(8), item);
            }
            if key == 0 {
                keys.push(item);
            } else if self.arity_of(item).is_some_and(|it| key <= it) {
                keys.push(self.heap.arg(item, key - 1));
            } else {
                // The item has no such key, so the builtin raises an error.
                return run(self, base);
            }
        }
        let place = self.at_builtin(16);
        // Each comparison of a sort depends only on the results of the earlier ones.
        keys.sort_by(|a, b| {
            self.look_order_at(place, *a, *b);
            crate::data::compare(&self.heap, &self.atoms, *a, *b)
        });
        // All arguments except the last one are inputs.
        self.with_results(arity, (1 << (arity - 1)) - 1, run)
    }

    fn own(
        &mut self,
        name: &str,
        arity: usize,
        base: usize,
        run: fn(&mut Machine, usize) -> Result<Next, Fault>,
    ) -> Result<Next, Fault> {
        let place = self.at_builtin(0);
        let (x, y) = (self.arg(base, 0), self.arg(base, 1.min(arity - 1)));
        match name {
            "=" => return Ok(self.unify_at(place, x, y).into()),
            "\\=" => return Ok((!self.can_unify_recorded(x, y)).into()),
            "unify_with_occurs_check" => {
                if !self.unify_at(place, x, y) {
                    return Ok(Next::False);
                }
            }
            // These builtins inspect the same as unification. That they bind fewer variables affects only
            // their result.
            "$match" | "$subsumes" => {
                self.can_unify_recorded(x, y);
            }
            "==" | "\\==" => self.look_identical_at(place, x, y),
            "@<" | "@>" | "@=<" | "@>=" => self.look_order_at(place, x, y),
            "compare" => {
                let third = self.arg(base, 2);
                self.look_order_at(place, y, third);
            }
            "is" => {
                let value = self.number_recorded(place, y)?;
                return Ok(self.unify_at(self.at_builtin(32), x, value).into());
            }
            "=:=" | "=\\=" | "<" | ">" | "=<" | ">=" => {
                let op = match name {
                    "<" => Compare::Less,
                    ">" => Compare::Greater,
                    "=<" => Compare::LessEqual,
                    ">=" => Compare::GreaterEqual,
                    "=:=" => Compare::Equal,
                    _ => Compare::NotEqual,
                };
                let (x, y) = self.look_compare_at(place, op, x, y)?;
                (self.stack[base], self.stack[base + 1]) = (x, y);
            }
            "is_list" => self.look_test_at(place, Test::IsList, x),
            "setarg" | "nb_setarg" => {
                self.look_top(self.at_builtin(4), y);
                self.look_top(place, x);
                if x.is_integer() {
                    self.look_index(0, x, self.arity_of(y).unwrap_or(8));
                }
            }
            "succ" => return self.succ_recorded(base, run),
            "plus" => return self.plus_recorded(base, run),
            "memberchk" => return self.memberchk_recorded(x, y, base, run),
            _ => {
                if let Some(test) = Test::from_name(name) {
                    self.look_test_at(place, test, x);
                }
            }
        }
        run(self, base)
    }

    pub(crate) fn can_unify_recorded(&mut self, x: Value, y: Value) -> bool {
        let mark = self.heap.mark();
        let old = std::mem::replace(&mut self.heap.old, mark.cells);
        let n_woken = self.heap.woken.len();
        let place = self.at_builtin(0);
        let res = self.unify_at(place, x, y);
        self.heap.undo_to(mark, |_, _| {});
        self.heap.cut_back(mark);
        self.heap.old = old;
        self.heap.woken.truncate(n_woken);
        res
    }

    fn succ_recorded(
        &mut self,
        base: usize,
        run: fn(&mut Machine, usize) -> Result<Next, Fault>,
    ) -> Result<Next, Fault> {
        let (x, y) = (self.arg(base, 0), self.arg(base, 1));
        self.look_kind(0, x);
        self.look_kind(4, y);
        let zero = Value::int(0);
        let place = self.at_builtin(16);
        if x.is_integer() && expr_of(x).is_some() {
            self.look_compare_at(place, Compare::Less, x, zero)?;
        }
        if y.is_integer() && expr_of(y).is_some() {
            self.look_compare_at(self.at_builtin(20), Compare::Less, zero, y)?;
        }
        let next = run(self, base)?;
        let place = self.at_builtin(32);
        if x.is_integer() {
            let sum = self.arith_at(place, crate::code::ArithOp::Add, x, Value::int(1))?;
            return Ok(self.result(y, sum, next));
        }
        let difference = self.arith_at(place, crate::code::ArithOp::Sub, y, Value::int(1))?;
        Ok(self.result(x, difference, next))
    }

    fn plus_recorded(
        &mut self,
        base: usize,
        run: fn(&mut Machine, usize) -> Result<Next, Fault>,
    ) -> Result<Next, Fault> {
        use crate::code::ArithOp;
        let (x, y, z) = (self.arg(base, 0), self.arg(base, 1), self.arg(base, 2));
        self.look_kind(0, x);
        self.look_kind(4, y);
        self.look_kind(8, z);
        let next = run(self, base)?;
        let place = self.at_builtin(32);
        let (to, value) = if x.is_var() {
            (x, self.arith_at(place, ArithOp::Sub, z, y)?)
        } else if y.is_var() {
            (y, self.arith_at(place, ArithOp::Sub, z, x)?)
        } else {
            (z, self.arith_at(place, ArithOp::Add, x, y)?)
        };
        Ok(self.result(to, value, next))
    }

    fn look_kind(&mut self, test: u32, value: Value) {
        let place = self.at_builtin(test);
        self.look_test_at(place, Test::Integer, value);
    }

    /// Gives `to` the symbolic expression of a result: stores it in the variable that the builtin just bound,
    /// or unifies with it.
    pub(super) fn result(&mut self, to: Value, value: Value, next: Next) -> Next {
        if to.is_var() {
            // The binding of the cell is already on the trail.
            if next == Next::True {
                self.heap.cells[to.address()] = value;
            }
        } else if !self.unify_at(self.at_builtin(48), to, value) {
            return Next::False;
        }
        next
    }

    /// Follows `memberchk/2` item by item, as its definition in Prolog does.
    fn memberchk_recorded(
        &mut self,
        item: Value,
        list: Value,
        base: usize,
        run: fn(&mut Machine, usize) -> Result<Next, Fault>,
    ) -> Result<Next, Fault> {
        let heads: Arc<[Head]> = Arc::from([Head::Kind(Kind::Cons), Head::Kind(Kind::Nil)]);
        let mut at = list;
        for n in 0..10_000 {
            if let Some(expr) = expr_of(at) {
                let top = self.top(at);
                let place = self.at_builtin(1 + n.min(3));
                self.record(|_, it| it.choose(place, expr, &top, &heads));
            }
            if !at.is_cons() {
                break;
            }
            let other = self.heap.arg(at, 0);
            if self.can_unify_recorded(item, other) {
                let place = self.at_builtin(8);
                return Ok(self.unify_at(place, item, other).into());
            }
            at = self.heap.arg(at, 1);
        }
        if at.is_nil() { Ok(Next::False) } else { run(self, base) }
    }
}

/// Whether a builtin writes its arguments.
fn is_written(name: &str) -> bool {
    name.starts_with("write") || matches!(name, "print" | "format" | "put_char")
}

/// Whether a builtin returns a value that was stored before, which may be symbolic.
fn is_keeper(name: &str) -> bool {
    matches!(name, "nb_getval" | "b_getval" | "nb_current")
}
