//! The search by case distinction: alternatives first, then kinds, then values near the hint.

#![expect(clippy::wildcard_enum_match_arm, reason = "other pendings ask for nothing here")]

use super::candidates::Choice;
use super::residue::Residue;
use super::state::{Consistency, Fact, NodeId, Pending, Shape, State};
use super::texts;
use super::value::Value;
use crate::differences;
use crate::numbers::{Numbers, Solution};
use std::sync::atomic::{AtomicBool, Ordering};
use term::{Conversion, Kinds, Model, Op, Style, Term, Var, print};

/// The budget of one search, and whether it left anything out.
pub(super) struct Search<'a> {
    pub(super) left: usize,
    /// How many branches may fail by propagation alone; these cost less.
    pub(super) dead: usize,
    pub(super) is_incomplete: bool,
    /// The nodes of the variables.
    pub(super) vars: &'a [(Var, NodeId)],
    /// Set when the answer is not needed any more.
    pub(super) halt: &'a AtomicBool,
    /// The numeric solver; `None` in a search that only guesses.
    pub(super) numbers: Option<&'a mut dyn Numbers>,
    /// How many numeric problems may be given up before the numeric solver is not asked any more.
    pub(super) patience: usize,
}

/// How many definitions are followed back to find an open node.
const MAX_CHAIN: usize = 50;

impl Search<'_> {
    pub(super) fn run(&mut self, mut state: State<'_>) -> Option<Model> {
        loop {
            if self.halt.load(Ordering::Relaxed) {
                self.is_incomplete = true;
                return None;
            }
            state.propagate().ok()?;
            if state.relate_cuts().ok()? {
                continue;
            }
            let choices = match state.alternatives() {
                Some(choices) => Some((choices, true)),
                None => match self.differences(&state).unwrap_or_else(|| self.ask(&state)) {
                    NumbersAnswer::Decide(choices) => Some((choices, true)),
                    NumbersAnswer::Nothing => return None,
                    NumbersAnswer::Found(model) => return Some(model),
                    NumbersAnswer::Silent => state.choices(),
                },
            };
            let Some((choices, is_complete)) = choices else {
                let model = state.model(self.vars);
                // A model could not be constructed, which does not prove that none exists.
                self.is_incomplete |= model.is_none();
                return model;
            };
            if let ([choice], true) = (choices.as_slice(), is_complete) {
                state.choose(choice).ok()?;
                continue;
            }
            for choice in &choices {
                if self.left == 0 {
                    self.is_incomplete = true;
                    return None;
                }
                if self.halt.load(Ordering::Relaxed) {
                    self.is_incomplete = true;
                    return None;
                }
                let mut next = state.clone();
                if next.choose(choice).is_err() || next.propagate().is_err() {
                    self.dead = self.dead.saturating_sub(1);
                    self.left = if self.dead == 0 { 0 } else { self.left };
                    continue;
                }
                self.left -= 1;
                if let Some(found) = self.run(next) {
                    return Some(found);
                }
            }
            self.is_incomplete |= !is_complete;
            return None;
        }
    }

    /// Solves the residue by difference constraints, if several numbers are compared; `None` if that decides nothing.
    fn differences<'q>(&mut self, state: &State<'q>) -> Option<NumbersAnswer<'q>> {
        if !state.has_order() {
            return None;
        }
        let residue = state.residue().filter(|it| it.undecided.is_none())?;
        match differences::find(&residue.problem) {
            Solution::Nothing => Some(NumbersAnswer::Nothing),
            Solution::GaveUp => None,
            Solution::Found(found) => {
                self.left = self.left.checked_sub(1)?;
                self.with_numbers(state, &residue, found).map(NumbersAnswer::Found)
            }
        }
    }

    /// Asks the numeric solver about the residue.
    fn ask<'q>(&mut self, state: &State<'q>) -> NumbersAnswer<'q> {
        let Some(numbers) = &mut self.numbers else { return NumbersAnswer::Silent };
        if self.patience == 0 {
            return NumbersAnswer::Silent;
        }
        let Some(residue) = state.residue() else { return NumbersAnswer::Silent };
        if let Some(id) = residue.undecided {
            return NumbersAnswer::Decide(vec![
                Choice::Kinds(id, Kinds::INT),
                Choice::Kinds(id, Kinds::FLOAT),
            ]);
        }
        let found = match numbers.find(&residue.problem) {
            Solution::Nothing => return NumbersAnswer::Nothing,
            Solution::GaveUp => {
                self.patience = self.patience.saturating_sub(1);
                return NumbersAnswer::Silent;
            }
            Solution::Found(found) => found,
        };
        self.with_numbers(state, &residue, found)
            .map_or(NumbersAnswer::Silent, NumbersAnswer::Found)
    }

    fn with_numbers(
        &mut self,
        state: &State<'_>,
        residue: &Residue,
        found: Vec<Term>,
    ) -> Option<Model> {
        let mut next = state.clone();
        let mut pairs = residue.nodes.iter().zip(found);
        pairs.try_for_each(|(it, term)| next.bind(*it, &Value::own(term))).ok()?;
        self.run(next)
    }
}

/// The result of asking a numeric solver.
enum NumbersAnswer<'q> {
    Found(Model),
    Nothing,
    /// These decisions must be made first.
    Decide(Vec<Choice<'q>>),
    Silent,
}

impl<'q> State<'q> {
    pub(super) fn choose(&mut self, choice: &Choice<'q>) -> Consistency {
        match choice {
            Choice::Facts(at, facts) => {
                if let Some(slot) = self.pending.get_mut(*at) {
                    *slot = Pending::Done;
                }
                facts.iter().try_for_each(|it| self.require(it.op, &it.args, it.holds))
            }
            Choice::Kinds(id, kinds) => self.restrict(*id, *kinds),
            Choice::Value(id, value) => self.bind(*id, value),
            Choice::Arity(id, arity) => self.set_arity(*id, *arity),
            Choice::Bits(id, bits) => self.set_bits(*id, *bits),
            Choice::FunArity(id, arity) => self.set_fun_arity(*id, *arity),
            Choice::Alternative(id, n, alt) => {
                if let Some(slot) = self.change(*id).types.get_mut(*n) {
                    *slot = [*alt].into();
                }
                self.settle(*id)
            }
        }
    }

    /// Whether at least two comparisons between open integers are pending.
    fn has_order(&self) -> bool {
        let is_open = |it: &NodeId| {
            self.kinds(*it) == Kinds::INT && matches!(self.node(*it).shape, Shape::Open)
        };
        let orders = self.pending.iter().filter(|it| match it {
            Pending::Fact(Fact { op, args, .. }) => {
                matches!(op, Op::Less | Op::LessEqual | Op::Same | Op::Equal)
                    && args.iter().all(is_open)
            }
            _ => false,
        });
        orders.take(2).count() == 2
    }

    pub(super) fn has_alternatives(&self) -> bool {
        self.pending.iter().any(|it| matches!(it, Pending::Either(_)))
    }

    /// Returns pending alternatives, of which one must hold. Alternatives that the hint satisfies come first.
    fn alternatives(&self) -> Option<Vec<Choice<'q>>> {
        for (at, pending) in self.pending.iter().enumerate() {
            if let Pending::Either(of) = pending {
                let mut choices: Vec<Choice<'q>> =
                    of.iter().cloned().map(|it| Choice::Facts(at, it)).collect();
                choices.sort_by_key(|it| !self.holds_of_hint(it));
                return Some(choices);
            }
        }
        for pending in &self.pending {
            if let Pending::Typed(id) = pending
                && let Some(alts) = self.node(*id).types.first()
            {
                let mut alts: Vec<_> = alts.to_vec();
                if let Some(hint) = self.hint(*id) {
                    let term = hint.term();
                    alts.sort_by_key(|it| !self.typing.has(it, &term));
                }
                return Some(alts.into_iter().map(|it| Choice::Alternative(*id, 0, it)).collect());
            }
        }
        None
    }

    /// Returns the next decisions to try, and whether they are exhaustive; `None` if nothing is left to decide.
    fn choices(&self) -> Option<(Vec<Choice<'q>>, bool)> {
        if self.pending.is_empty() {
            return None;
        }
        if let Some(choices) = self.pending.iter().find_map(|it| self.float_texts(it)) {
            return Some(choices);
        }
        for pending in self.pending.iter().rev() {
            let Pending::Define(node, op, args) = pending else { continue };
            // For bitstrings, likely sizes are known.
            if let (Op::BitSize, [of]) = (op, &**args)
                && matches!(self.node(*of).shape, Shape::Open)
            {
                return Some(self.values(self.root(*of)));
            }
            if matches!(op, Op::Length | Op::TupleSize | Op::BitSize | Op::MapSize)
                && let Some(leaf) = self.open_leaf(*node)
            {
                return Some(self.values(leaf));
            }
        }
        if let Some(choices) = self.pending.iter().find_map(|it| self.texts(it)) {
            return Some((choices, false));
        }
        let leaf = self.pending.iter().rev().find_map(|it| self.leaf_of(it));
        // If everything is known and something is still pending, it cannot be decided here.
        Some(leaf.map_or((Vec::new(), false), |it| self.values(it)))
    }

    /// Decides the float before its text, since the length of the text depends on the float.
    fn float_texts(&self, pending: &Pending) -> Option<(Vec<Choice<'q>>, bool)> {
        let Pending::Define(node, Op::Convert(Conversion::ListToFloat), args) = pending else {
            return None;
        };
        if self.is_guided(*args.first()?) {
            return None;
        }
        match self.open_leaf(*node) {
            Some(leaf) => Some(self.values(leaf)),
            None => self.texts(pending).map(|it| (it, false)),
        }
    }

    /// Returns candidates for the text of a known number: the usual text first.
    fn texts(&self, pending: &Pending) -> Option<Vec<Choice<'q>>> {
        let Pending::Define(node, Op::Convert(conversion), args) = pending else { return None };
        let (back, is_only) = texts::inverse(*conversion);
        let of = *args.first()?;
        let value = self.ground(*node)?;
        let text = Value::own(term::apply(Op::Convert(back), &[&value.term()])?);
        if is_only || !self.may_be_literal(of, &text) {
            return None;
        }
        let others = self.open_leaf(of).map(|it| self.values(it).0).unwrap_or_default();
        let short = short_text(*conversion, &value.term()).map(Value::own);
        let short = short.filter(|it| self.may_be_literal(of, it));
        let texts = short.into_iter().chain([text]).map(|it| Choice::Value(of, it));
        Some(texts.chain(others).collect())
    }

    fn leaf_of(&self, pending: &Pending) -> Option<NodeId> {
        match pending {
            Pending::Fact(Fact { op: Op::IsProper, args, .. }) => {
                let mut end = *args.first()?;
                while let Shape::Cons(_, tail) = &self.node(end).shape {
                    end = *tail;
                }
                self.open_leaf(end)
            }
            Pending::Fact(fact) => fact.args.iter().find_map(|it| self.base_leaf(*it, MAX_CHAIN)),
            // A slice is decided before its whole.
            Pending::Define(node, Op::Slice, args) => {
                let [of, offset, len] = **args else { return None };
                let mut order = [offset, len, *node, of].into_iter();
                order.find_map(|it| self.open_leaf(it))
            }
            Pending::Define(node, Op::BitsToInteger { .. }, args) => {
                // When the size of a bitstring is known, its integer determines it.
                let of = *args.first()?;
                let is_sized = self.bit_len(of).is_some();
                let order = if is_sized { [*node, of] } else { [of, *node] };
                order.into_iter().find_map(|it| self.open_leaf(it))
            }
            // The key is decided before the map that contains it.
            Pending::Define(node, Op::Key(_), args) => {
                [node].into_iter().chain(args.iter()).find_map(|it| self.open_leaf(*it))
            }
            Pending::Define(node, Op::Convert(conversion), args) => {
                let of = *args.first()?;
                let has_many = !texts::inverse(*conversion).1 && !self.is_guided(of);
                let is_result_first = has_many || self.is_guided(*node) || self.has_cells(*node);
                let order = if is_result_first { [*node, of] } else { [of, *node] };
                order.into_iter().find_map(|it| self.base_leaf(it, MAX_CHAIN))
            }
            Pending::Define(node, _, args) => {
                args.iter().chain([node]).find_map(|it| self.base_leaf(*it, MAX_CHAIN))
            }
            Pending::Either(_) | Pending::Typed(_) | Pending::Done => None,
        }
    }

    /// Whether the node is a list with at least two cells.
    fn has_cells(&self, id: NodeId) -> bool {
        let Shape::Cons(_, tail) = self.node(id).shape else { return false };
        matches!(self.node(tail).shape, Shape::Cons(..))
    }

    /// Whether some character of a text is known.
    fn is_guided(&self, id: NodeId) -> bool {
        let mut at = id;
        while let Shape::Cons(head, tail) = self.node(at).shape {
            if self.known(head).is_some() {
                return true;
            }
            at = tail;
        }
        self.known(at).is_some()
    }

    /// Returns an open part of the node, or of the operands that it is computed from.
    fn base_leaf(&self, id: NodeId, left: usize) -> Option<NodeId> {
        let leaf = self.open_leaf(id)?;
        let left = left.checked_sub(1)?;
        // A text with several cells is decided character by character.
        let (is_guided, is_text) = (self.is_guided(id), self.has_cells(id));
        let leads_back = |op: Op| match op {
            Op::Key(_) | Op::Slice => false,
            Op::Convert(_) => !is_text,
            op => !op.is_test(),
        };
        let origin = self.pending.iter().find_map(|it| match it {
            Pending::Define(node, op, args)
                if self.is_same_node(*node, id)
                    && leads_back(*op)
                    && !self.is_sized_number(*op, args)
                    && args.first().is_none_or(|it| self.number_of_pieces(*it).is_none())
                    && !is_guided =>
            {
                Some(args)
            }
            _ => None,
        });
        let base = origin.and_then(|it| it.iter().find_map(|it| self.base_leaf(*it, left)));
        Some(base.unwrap_or(leaf))
    }

    /// Whether the definition is the integer of a bitstring of known size, which it determines.
    fn is_sized_number(&self, op: Op, args: &[NodeId]) -> bool {
        matches!(op, Op::BitsToInteger { .. })
            && args.first().is_some_and(|it| self.bit_len(*it).is_some())
    }

    /// Returns an open part of the node.
    pub(super) fn open_leaf(&self, id: NodeId) -> Option<NodeId> {
        let mut at = id;
        loop {
            match &self.node(at).shape {
                Shape::Literal(_) => return None,
                Shape::Open => {
                    if let Some(number) = self.number_of_pieces(at) {
                        return self.base_leaf(number, MAX_CHAIN);
                    }
                    // The slices of a bitstring are decided before it.
                    let part = self.pending.iter().find_map(|it| match it {
                        Pending::Define(part, Op::Slice, args)
                            if args.first().is_some_and(|it| self.is_same_node(*it, at))
                                && matches!(self.node(*part).shape, Shape::Open) =>
                        {
                            Some(*part)
                        }
                        _ => None,
                    });
                    if let Some(part) = part
                        && self.bit_len(at).is_some()
                        && self.bit_len(part).is_some()
                    {
                        return self.open_leaf(part);
                    }
                    return Some(self.root(at));
                }
                Shape::Cons(head, tail) => {
                    if let Some(leaf) = self.open_leaf(*head) {
                        return Some(leaf);
                    }
                    at = *tail;
                }
                Shape::Tuple(parts) => return parts.iter().find_map(|it| self.open_leaf(*it)),
                Shape::Pairs(pairs) => {
                    let mut parts = pairs.iter().flat_map(|it| [it.0, it.1]);
                    return parts.find_map(|it| self.open_leaf(it));
                }
                Shape::Map(shape) => {
                    let parts = shape.entries.iter().filter_map(|it| it.1);
                    return parts
                        .into_iter()
                        .find_map(|it| self.open_leaf(it))
                        .or(Some(self.root(at)));
                }
                Shape::Fun(shape) => {
                    let mut parts = shape.calls.iter().flat_map(|it| it.0.iter().chain([&it.1]));
                    return parts.find_map(|it| self.open_leaf(*it)).or(Some(self.root(at)));
                }
            }
        }
    }

    fn holds_of_hint(&self, choice: &Choice<'q>) -> bool {
        let Choice::Facts(_, facts) = choice else { return false };
        facts.iter().all(|it| {
            let args: Option<Vec<Value<'q>>> = it.args.iter().map(|it| self.hint(*it)).collect();
            let Some(args) = args else { return false };
            let terms: Vec<Term> = args.iter().map(|it| it.term().into_owned()).collect();
            let found = term::apply(it.op, &terms.iter().collect::<Vec<_>>());
            found.is_some_and(|found| {
                found.as_atom() == Some(if it.holds { "true" } else { "false" })
            })
        })
    }

    /// Returns the values of all variables, once nothing is pending; `None` if some value could not be constructed.
    fn model(&self, vars: &[(Var, NodeId)]) -> Option<Model> {
        let values = vars.iter().map(|(var, node)| Some((*var, self.read(*node)?)));
        Some(Model { values: values.collect::<Option<_>>()? })
    }

    fn read(&self, id: NodeId) -> Option<Term> {
        match &self.node(id).shape {
            Shape::Literal(value) => Some(value.term().into_owned()),
            Shape::Open => self.free_value(id),
            Shape::Cons(..) => {
                let mut items = Vec::new();
                let mut at = id;
                while let Shape::Cons(head, tail) = &self.node(at).shape {
                    items.push(self.read(*head)?);
                    at = *tail;
                }
                Some(Term::list(items, self.read(at)?))
            }
            Shape::Tuple(parts) => {
                let parts = parts.iter().map(|it| self.read(*it));
                parts.collect::<Option<_>>().map(Term::Tuple)
            }
            Shape::Pairs(pairs) => {
                let pairs = pairs.iter().map(|it| Some((self.read(it.0)?, self.read(it.1)?)));
                pairs.collect::<Option<_>>().map(Term::map)
            }
            Shape::Map(shape) => {
                let entries = shape.entries.iter().map(|(key, part)| {
                    let part = match part {
                        Some(part) => Some(self.read(*part)?),
                        None => None,
                    };
                    Some((key.term().into_owned(), part))
                });
                let entries: Vec<(Term, Option<Term>)> = entries.collect::<Option<_>>()?;
                self.maps_with(id, &entries).into_iter().next()
            }
            Shape::Fun(shape) => {
                let calls = shape.calls.iter().map(|(args, result)| {
                    let args = args.iter().map(|it| self.read(*it));
                    Some((args.collect::<Option<Vec<Term>>>()?, self.read(*result)?))
                });
                let calls: Vec<(Vec<Term>, Term)> = calls.collect::<Option<_>>()?;
                self.fun_with(id, shape.arity, calls)
            }
        }
    }

    /// Returns a value for a node that nothing else depends on.
    fn free_value(&self, id: NodeId) -> Option<Term> {
        // A needless improper tail would make the other elements of the list useless for the path.
        let node = self.node(id);
        let may_end = node.is_tail && node.kinds.has(Kinds::NIL);
        if let Some(hint) = self.hint(id)
            && (!may_end || hint.kinds().is_within(Kinds::LIST))
            && self.admits(id, &hint)
        {
            return Some(hint.term().into_owned());
        }
        self.plainest(id).into_iter().find_map(|it| self.plain_value(id, it))
    }
}

/// Returns the shortest text of a float.
fn short_text(conversion: Conversion, float: &Term) -> Option<Term> {
    let text = Term::string(&print(float, Style::W));
    let again = term::apply(Op::Convert(conversion), &[&text])?;
    (conversion == Conversion::ListToFloat && again == *float).then_some(text)
}
