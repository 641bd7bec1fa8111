//! Records the points at which the machine inspects symbolic values: matching heads, unifying, testing types.
//!
//! Adds choices to the path constraint; never changes what the machine computes.
#![expect(clippy::indexing_slicing, reason = "indices are the machine's own")]

use crate::code::{ClauseId, Ins, Key, Konst, Meta, PredId, Test, is_visible};
use crate::concolic::convert::{expr_of, term_of};
use crate::concolic::facts::{self, Top};
use crate::concolic::order::Pairs;
use crate::concolic::program::head_and_body;
use crate::concolic::recorder::{Recorder, TestPlace, WantedHeads};
use crate::data::{AtomId, Blob, FunctorId, Tag, Value, View, unify};
use crate::machine::Machine;
use std::rc::Rc;
use std::sync::Arc;
use term::fit_u32;
use term::{ExprId, Kind, Op, Term};
use trace::Head;

/// The kinds of places at which choices are made.
pub(super) const AT_CODE: u8 = 0;
pub(super) const AT_PREDICATE: u8 = 1;
pub(super) const AT_BUILTIN: u8 = 2;

/// The maximum number of subterms of one term that are pinned.
const MOST_PINNED: usize = 100_000;

/// The number of pairs of subterms after which unification no longer records choices.
const MANY_PARTS: u32 = 20_000;

impl Machine {
    /// Calls a function with the recorder, unless the path has reached its maximum length.
    pub(super) fn record<R>(
        &mut self,
        with: impl FnOnce(&mut Machine, &mut Recorder) -> R,
    ) -> Option<R> {
        let mut recorder = self.recorder.take()?;
        let res = (!recorder.is_full()).then(|| with(self, &mut recorder));
        self.recorder = Some(recorder);
        res
    }

    /// Returns the place of the running instruction.
    pub(super) fn here(&self, test: u32) -> TestPlace {
        (AT_CODE, fit_u32(self.control.pc), test)
    }

    /// Returns the place of the running builtin: its name, and the address that it returns to.
    pub(super) fn at_builtin(&self, test: u32) -> TestPlace {
        let row = self.control.running.map_or(0, |it| it.0.0);
        let at = fit_u32(self.control.continuation);
        (AT_BUILTIN, at, row << 8 | test & 0xff)
    }

    pub(super) fn top(&self, value: Value) -> Top {
        let atomic =
            |kind: u8| Top { kind, n_items: 0, literal: term_of(&self.heap, &self.atoms, value) };
        match value.view() {
            View::Var(_) => Top { kind: facts::VARIABLE, n_items: 0, literal: None },
            View::Int(_) | View::Big(_) => atomic(facts::INTEGER),
            View::Float(_) | View::Rational(_) => atomic(facts::FLOAT),
            View::Atom(_) if value.is_nil() => atomic(facts::NIL),
            View::Atom(_) => atomic(facts::ATOM),
            View::Text(_) => atomic(facts::TEXT),
            View::Struct(FunctorId::CONS, _) => {
                Top { kind: facts::CONS, n_items: 0, literal: None }
            }
            View::Struct(functor, _) => {
                Top { kind: facts::COMPOUND, n_items: self.n_items(functor), literal: None }
            }
        }
    }

    fn n_items(&self, functor: FunctorId) -> u32 {
        u32::try_from(self.atoms.arity(functor) + 1).unwrap_or(u32::MAX)
    }

    /// Records the comparison of a value with a constant.
    pub(crate) fn look_konst(&mut self, value: Value, konst: u32) {
        let Some(expr) = expr_of(value) else { return };
        let wanted = match &self.db.konsts[konst as usize] {
            Konst::Plain(wanted) => term_of(&self.heap, &self.atoms, *wanted),
            Konst::Blob(_, Blob::Text(text)) => Some(Term::binary(text.as_bytes().to_vec())),
            Konst::Blob(_, Blob::Big(big)) => Some(Term::integer((**big).clone())),
            Konst::Blob(_, Blob::Rational(_)) => None,
        };
        let place = self.here(0);
        if let Some(wanted) = wanted {
            self.look_literal(place, expr, value, wanted);
        }
    }

    pub(super) fn look_literal(
        &mut self,
        place: TestPlace,
        expr: ExprId,
        value: Value,
        wanted: Term,
    ) {
        let top = self.top(value);
        let is_nil = matches!(wanted, Term::Nil);
        let head = if is_nil { Head::Kind(Kind::Nil) } else { Head::Literal(wanted) };
        self.record(|_, it| it.choose_one(place, expr, &top, head));
    }

    /// Records the comparison of a value with a functor.
    pub(crate) fn look_functor(&mut self, value: Value, functor: FunctorId) {
        let Some(expr) = expr_of(value) else { return };
        let places = (self.here(0), self.here(1));
        self.look_functor_at(places, expr, value, functor);
    }

    pub(super) fn look_functor_at(
        &mut self,
        places: (TestPlace, TestPlace),
        expr: ExprId,
        value: Value,
        functor: FunctorId,
    ) {
        let top = self.top(value);
        if functor == FunctorId::CONS {
            self.record(|_, it| it.choose_one(places.0, expr, &top, Head::Kind(Kind::Cons)));
            return;
        }
        let n_items = self.n_items(functor);
        self.record(|_, it| it.choose_one(places.0, expr, &top, Head::Tuple(n_items)));
        if top.kind == facts::COMPOUND && top.n_items == n_items {
            let wanted = Term::atom(self.atoms.text(self.atoms.name_arity(functor).0));
            let name = self.name_of(value);
            self.record(|_, it| {
                let of = it.apply(Op::Element(0), &[expr]);
                it.choose_one(places.1, of, &name, Head::Literal(wanted));
            });
        }
    }

    /// Returns the name of a compound: the first item of its tuple.
    fn name_of(&self, value: Value) -> Top {
        let name = self.atoms.name_arity(value.functor()).0;
        let literal = Some(Term::atom(self.atoms.text(name)));
        Top { kind: facts::ATOM, n_items: 0, literal }
    }

    /// Records the selection of clauses by the first argument of a call.
    pub(crate) fn look_first_argument(&mut self, id: PredId) {
        if self.recorder.as_ref().is_some_and(|it| it.matched.is_some()) {
            self.note_matched(id);
        }
        let value = self.heap.deref(self.stack[self.control.base]);
        let Some(expr) = expr_of(value) else { return };
        self.record(|machine, recorder| {
            let wanted = machine.first_arg(id, recorder);
            machine.look_wanted((AT_PREDICATE, id.0, 0), expr, value, &wanted, recorder);
        });
    }

    /// Records the set of clauses that a call can match, given the concrete values of its arguments.
    fn note_matched(&mut self, id: PredId) {
        if self.db.marks.iter().all(|it| it.pred != id) {
            return;
        }
        let arity = self.db.get(id).arity as usize;
        let mut found = Vec::new();
        for (n, clause) in (1..).zip(self.db.clauses_of(id)) {
            let mark = self.heap.mark();
            let old = std::mem::replace(&mut self.heap.old, mark.cells);
            let n_woken = self.heap.woken.len();
            let term = Rc::clone(&self.db.clause(clause).term).load(&mut self.heap);
            let (head, _) = head_and_body(self, &self.heap, term);
            let is_match = (0..arity).all(|k| {
                let (given, wanted) = (self.stack[self.control.base + k], self.heap.arg(head, k));
                unify(&mut self.heap, &self.atoms, given, wanted)
            });
            self.heap.undo_to(mark, |_, _| {});
            self.heap.cut_back(mark);
            self.heap.old = old;
            self.heap.woken.truncate(n_woken);
            if is_match {
                found.push(n);
            }
        }
        if let Some(matched) = self.recorder.as_mut().and_then(|it| it.matched.as_mut()) {
            matched.insert((id, found));
        }
    }

    /// Records a comparison of the value with all wanted heads at once.
    fn look_wanted(
        &self,
        place: TestPlace,
        expr: ExprId,
        value: Value,
        wanted: &WantedHeads,
        recorder: &mut Recorder,
    ) {
        let top = self.top(value);
        let Some(heads) = &wanted.heads else { return };
        recorder.choose(place, expr, &top, heads);
        let names = wanted.names.iter().find(|it| it.0 == top.n_items);
        if let (facts::COMPOUND, Some((n, names))) = (top.kind, names) {
            let of = recorder.apply(Op::Element(0), &[expr]);
            recorder.choose((place.0, place.1, place.2 + n), of, &self.name_of(value), names);
        }
    }

    /// Records the call of a symbolic goal with `n_more` additional arguments: which predicate of the program
    /// it names, if any.
    pub(crate) fn look_goal(&mut self, goal: Value, n_more: usize) {
        let Some(expr) = expr_of(goal) else { return };
        let place = self.here(4 + u32::try_from(n_more).unwrap_or(0) * 64);
        self.record(|machine, recorder| {
            let wanted = match recorder.goals.get(&n_more) {
                Some(known) => Rc::clone(known),
                None => {
                    let new = Rc::new(machine.known_goals(n_more));
                    recorder.goals.insert(n_more, Rc::clone(&new));
                    new
                }
            };
            machine.look_wanted(place, expr, goal, &wanted, recorder);
        });
        let place = (place.0, place.1, place.2 + 32);
        if goal.as_atom().is_some() {
            let literal = term_of(&self.heap, &self.atoms, goal);
            literal.into_iter().for_each(|it| self.look_literal(place, expr, goal, it));
        } else {
            self.look_top(place, goal);
        }
    }

    fn known_goals(&self, n_more: usize) -> WantedHeads {
        let mut preds: Vec<PredId> = self.db.marks.iter().map(|it| it.pred).collect();
        preds.sort_unstable();
        preds.dedup();
        let (mut heads, mut names): (Vec<Head>, Vec<(u32, Vec<Head>)>) = (vec![], vec![]);
        let literal = |name: &str| Head::Literal(Term::atom(name));
        heads.extend(crate::concolic::maker::plain_goals(n_more).iter().map(|it| literal(it)));
        for pred in preds.into_iter().filter(|it| self.is_offered(*it)) {
            let pred = self.db.get(pred);
            let name = literal(self.atoms.text(pred.name));
            match (pred.arity as usize).checked_sub(n_more) {
                None => {}
                Some(0) => heads.push(name),
                Some(own) => {
                    let n_items = fit_u32(own + 1);
                    match names.iter_mut().find(|it| it.0 == n_items) {
                        Some((_, known)) => known.push(name),
                        None => {
                            heads.push(Head::Tuple(n_items));
                            names.push((n_items, vec![name]));
                        }
                    }
                }
            }
        }
        let names = names.into_iter().map(|(n, it)| (n, Arc::from(it))).collect();
        WantedHeads { heads: (!heads.is_empty()).then(|| Arc::from(heads)), names }
    }

    /// Whether users of a program can name a predicate as a goal: exported predicates, or all if the module
    /// exports none. Predicates that take goals are excluded, because they would only wrap the goals that are
    /// tested directly.
    pub(super) fn is_offered(&self, id: PredId) -> bool {
        let pred = self.db.get(id);
        if pred.meta.as_ref().is_some_and(|it| it.contains(&Meta::Qualified)) {
            return false;
        }
        let module = self.modules.by_name.get(&pred.module);
        module.is_none_or(|it| it.exports.is_empty() || it.exports.contains(&pred.functor))
    }

    fn first_arg(&self, id: PredId, recorder: &mut Recorder) -> Rc<WantedHeads> {
        if let Some(known) = recorder.first_args.get(&id) {
            return Rc::clone(known);
        }
        let res = Rc::new(self.wanted_first(id));
        // Dynamic predicates are not cached, because the clauses that a run asserts are removed after it.
        if !self.db.get(id).dynamic {
            recorder.first_args.insert(id, Rc::clone(&res));
        }
        res
    }

    fn wanted_first(&self, id: PredId) -> WantedHeads {
        let mut heads: Vec<Head> = Vec::new();
        let mut names: Vec<(u32, Vec<Head>)> = Vec::new();
        let mut at = self.db.get(id).first;
        while at != ClauseId::NONE {
            let clause = self.db.clause(at);
            at = clause.next;
            if !is_visible(clause, self.db.generation) {
                continue;
            }
            let first = match self.db.code.get(clause.code as usize) {
                Some(Ins::GetAtomic(0, konst)) => match &self.db.konsts[*konst as usize] {
                    Konst::Plain(value) => Some(*value),
                    Konst::Blob(..) => None,
                },
                Some(Ins::GetStruct(0, functor)) => Some(Value::structure(*functor, 0)),
                // A rule `Head => Body` matches its head by a goal of its body; calls are indexed by the
                // clause's key.
                _ => wanted_by_key(clause.key),
            };
            let head = match first {
                None => None,
                Some(value) if value.is_nil() => Some(Head::Kind(Kind::Nil)),
                Some(value) if value.is_cons() => Some(Head::Kind(Kind::Cons)),
                Some(value) if value.tag() == Tag::Struct => {
                    let functor = value.functor();
                    let n_items = self.n_items(functor);
                    let name = self.atoms.name_arity(functor).0;
                    let name = Head::Literal(Term::atom(self.atoms.text(name)));
                    match names.iter_mut().find(|it| it.0 == n_items) {
                        Some((_, known)) if known.contains(&name) => {}
                        Some((_, known)) => known.push(name),
                        None => names.push((n_items, vec![name])),
                    }
                    Some(Head::Tuple(n_items))
                }
                Some(value) => term_of(&self.heap, &self.atoms, value).map(Head::Literal),
            };
            if let Some(head) = head
                && !heads.contains(&head)
            {
                heads.push(head);
            }
        }
        let names = names.into_iter().map(|(n, it)| (n, Arc::from(it))).collect();
        WantedHeads { heads: (!heads.is_empty()).then(|| Arc::from(heads)), names }
    }

    /// Unifies two terms and records each comparison of symbolic subterms.
    pub(crate) fn unify_recorded(&mut self, a: Value, b: Value) -> bool {
        let place = self.here(2);
        self.unify_at(place, a, b)
    }

    pub(super) fn unify_at(&mut self, place: TestPlace, a: Value, b: Value) -> bool {
        let mut pairs = Pairs::of(a, b);
        let mut n_steps = 0_u32;
        while let Some((a, b)) = pairs.todo.pop() {
            let (a, b) = (self.heap.deref(a), self.heap.deref(b));
            let is_open = a.is_var() || b.is_var();
            if is_open || a.same_word(b) && a.shadow() == b.shadow() {
                if !unify(&mut self.heap, &self.atoms, a, b) {
                    return false;
                }
                continue;
            }
            n_steps += 1;
            if MANY_PARTS < n_steps {
                // A cyclic term would be traversed without end.
                if !unify(&mut self.heap, &self.atoms, a, b) {
                    return false;
                }
                continue;
            }
            let step = (place.0, place.1, place.2 + n_steps.min(50) * 4);
            match (expr_of(a), expr_of(b)) {
                (Some(x), Some(y)) => {
                    let holds = unify(&mut self.heap, &self.atoms, a, b);
                    if x != y {
                        self.look_same(step, x, y, holds);
                    }
                    if !holds {
                        return false;
                    }
                    continue;
                }
                (Some(expr), None) => self.look_like(step, expr, a, b),
                (None, Some(expr)) => self.look_like(step, expr, b, a),
                (None, None) => {}
            }
            if a.tag() == Tag::Struct && b.tag() == Tag::Struct {
                if a.functor() != b.functor() {
                    return false;
                }
                pairs.enter(self, a, b);
            } else if !unify(&mut self.heap, &self.atoms, a, b) {
                return false;
            }
        }
        true
    }

    pub(super) fn look_same(&mut self, place: TestPlace, x: ExprId, y: ExprId, holds: bool) {
        self.record(|_, it| {
            let (x, y) = (x.min(y), x.max(y));
            if let (Some(a), Some(b)) = (it.letters_in(x), it.letters_in(y)) {
                if a.len() != b.len() {
                    return;
                }
                // If the texts differ in one of several letters, it is not known in which one.
                if holds || a.len() == 1 {
                    for (a, b) in a.into_iter().zip(b).filter(|it| it.0 != it.1) {
                        let same = it.apply(Op::Same, &[a.min(b), a.max(b)]);
                        it.test(place, same, holds);
                    }
                    return;
                }
            }
            let same = it.apply(Op::Same, &[x, y]);
            it.test(place, same, holds);
        });
    }

    /// Records the comparison of a symbolic value with the principal functor of a value that is not symbolic.
    pub(super) fn look_like(&mut self, place: TestPlace, expr: ExprId, value: Value, other: Value) {
        if let View::Struct(functor, _) = other.view() {
            let name = (place.0, place.1, place.2 + 1);
            self.look_functor_at((place, name), expr, value, functor);
        } else if let Some(wanted) = term_of(&self.heap, &self.atoms, other) {
            self.look_literal(place, expr, value, wanted);
        }
    }

    pub(crate) fn look_test(&mut self, test: Test, value: Value) {
        let place = self.here(0);
        self.look_test_at(place, test, value);
    }

    pub(super) fn look_test_at(&mut self, place: TestPlace, test: Test, value: Value) {
        if matches!(test, Test::IsList | Test::NotList) {
            self.look_spine(place, value);
            return;
        }
        let Some(expr) = expr_of(value) else { return };
        let heads: &[Kind] = match test {
            Test::Var | Test::Nonvar
                if self.recorder.as_ref().is_some_and(|it| it.has_variables) =>
            {
                &[Kind::Reference]
            }
            Test::Var | Test::Nonvar | Test::IsList | Test::NotList => return,
            Test::Atom | Test::NotAtom => &[Kind::Atom],
            Test::Integer | Test::NotInteger => &[Kind::Integer],
            Test::Float | Test::NotFloat => &[Kind::Float],
            Test::Number | Test::NotNumber => &[Kind::Number],
            Test::Atomic | Test::NotAtomic | Test::Compound | Test::NotCompound => {
                &[Kind::Cons, Kind::Tuple]
            }
            Test::Callable | Test::NotCallable => &[Kind::Atom, Kind::Cons, Kind::Tuple],
            Test::String | Test::NotString => &[Kind::Binary],
        };
        let top = self.top(value);
        let heads: Arc<[Head]> = heads.iter().map(|it| Head::Kind(*it)).collect();
        self.record(|_, it| it.choose(place, expr, &top, &heads));
    }

    /// Records the length of a list, and whether it is a proper list.
    pub(super) fn look_spine(&mut self, place: TestPlace, list: Value) {
        let heads: Arc<[Head]> = Arc::from([Head::Kind(Kind::Cons), Head::Kind(Kind::Nil)]);
        let mut at = self.heap.deref(list);
        for n in 0..10_000 {
            if let Some(expr) = expr_of(at) {
                let top = self.top(at);
                let place = (place.0, place.1, place.2 + n.min(3));
                self.record(|_, it| it.choose(place, expr, &top, &heads));
            }
            if !at.is_cons() {
                return;
            }
            at = self.heap.arg(at, 1);
        }
    }

    /// Records the principal functor of a value: its kind, and the name and arity of a compound.
    pub(super) fn look_top(&mut self, place: TestPlace, value: Value) {
        const KINDS: [Kind; 6] =
            [Kind::Integer, Kind::Float, Kind::Atom, Kind::Nil, Kind::Cons, Kind::Binary];
        let Some(expr) = expr_of(value) else { return };
        let top = self.top(value);
        let mut heads: Vec<Head> = KINDS.iter().map(|it| Head::Kind(*it)).collect();
        if let View::Struct(functor, _) = value.view()
            && functor != FunctorId::CONS
        {
            heads.push(Head::Tuple(self.n_items(functor)));
            let heads: Arc<[Head]> = Arc::from(heads);
            self.record(|_, it| it.choose(place, expr, &top, &heads));
            let name = (place.0, place.1, place.2 + 1);
            self.look_functor_at((place, name), expr, value, functor);
            return;
        }
        let heads: Arc<[Head]> = Arc::from(heads);
        self.record(|_, it| it.choose(place, expr, &top, &heads));
    }

    /// Pins all symbolic subterms of a value. Returns whether there were any.
    pub(super) fn pin(&mut self, place: TestPlace, value: Value) -> bool {
        let mut todo = vec![value];
        let (mut found, mut n_parts) = (false, 0);
        while let Some(next) = todo.pop() {
            n_parts += 1;
            if MOST_PINNED < n_parts {
                // A cyclic term would be traversed without end.
                self.record(|_, it| it.lose(place, "a term of many parts".to_owned()));
                return true;
            }
            let next = self.heap.deref(next);
            if let Some(expr) = expr_of(next) {
                found = true;
                if let Some(term) = term_of(&self.heap, &self.atoms, next) {
                    self.record(|_, it| it.pin(place, expr, term));
                }
            } else if let View::Struct(functor, at) = next.view() {
                todo.extend((0..self.atoms.arity(functor)).rev().map(|n| self.heap.cell(at + n)));
            }
        }
        found
    }

    /// Whether any subterm of a value is symbolic.
    pub(crate) fn is_symbolic(&self, value: Value) -> bool {
        self.is_symbolic_within(value, 100_000) == Some(true)
    }

    /// Whether any of the first `most` subterms is symbolic; `None` if there are more subterms and none of
    /// the first is.
    pub(super) fn is_symbolic_within(&self, value: Value, most: usize) -> Option<bool> {
        let mut todo = vec![value];
        let mut n_steps = 0;
        while let Some(next) = todo.pop() {
            let next = self.heap.deref(next);
            n_steps += 1;
            if expr_of(next).is_some() || most < n_steps {
                return (n_steps <= most).then_some(true);
            }
            if let View::Struct(functor, at) = next.view() {
                todo.extend((0..self.atoms.arity(functor)).rev().map(|n| self.heap.cell(at + n)));
            }
        }
        Some(false)
    }
}

/// Returns the atom, integer or structure that a key was made from.
fn wanted_by_key(key: Key) -> Option<Value> {
    let payload = key.0 >> 3;
    match key.0 & 7 {
        1 => u32::try_from(payload).ok().map(|it| Value::atom(AtomId(it))),
        2 => Some(Value::int(key.0.cast_signed() >> 3)),
        3 => u32::try_from(payload).ok().map(|it| Value::structure(FunctorId(it), 0)),
        _ => None,
    }
}
