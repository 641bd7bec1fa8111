//! Candidate values for an undecided node, the best first.

#![expect(clippy::wildcard_enum_match_arm, reason = "other nodes and types give no values")]

use super::inverse::inverses;
use super::range::{float_at_least, float_at_most, integer};
use super::state::{Fact, NodeId, Pending, Shape, State};
use super::typing::Alt;
use super::value::Value;
use num_traits::ToPrimitive;
use term::{Bits, Kind, Kinds, Op, Term};

/// A decision that the search can make.
#[derive(Clone, Debug)]
pub(super) enum Choice<'q> {
    /// Requires the facts of one alternative; the index is that of the pending `Either`.
    Facts(usize, Vec<Fact>),
    Kinds(NodeId, Kinds),
    Value(NodeId, Value<'q>),
    Arity(NodeId, u32),
    Bits(NodeId, u64),
    FunArity(NodeId, u8),
    /// Restricts the n-th type of the node to this alternative.
    Alternative(NodeId, usize, Alt<'q>),
}

/// Ranges with at most this many integers are enumerated.
const MAX_ALL: u64 = 40;

impl<'q> State<'q> {
    /// Returns the candidates for an open node, and whether they are exhaustive.
    pub(super) fn values(&self, id: NodeId) -> (Vec<Choice<'q>>, bool) {
        let kinds = self.kinds(id);
        match &self.node(id).shape {
            Shape::Map(shape) => {
                let entry = |(key, part): &(Value<'q>, Option<NodeId>)| {
                    let part = match part {
                        Some(part) => Some(self.ground(*part)?.term().into_owned()),
                        None => None,
                    };
                    Some((key.term().into_owned(), part))
                };
                let entries: Option<Vec<_>> = shape.entries.iter().map(entry).collect();
                let maps = self.maps_with(id, &entries.unwrap_or_default());
                let choices = maps.into_iter().map(|it| Choice::Value(id, Value::own(it)));
                return (choices.collect(), false);
            }
            Shape::Fun(shape) => {
                let term = |it: &NodeId| Some(self.ground(*it)?.term().into_owned());
                let call = |(args, result): &(std::rc::Rc<[NodeId]>, NodeId)| {
                    Some((args.iter().map(term).collect::<Option<Vec<Term>>>()?, term(result)?))
                };
                let calls: Option<Vec<_>> = shape.calls.iter().map(call).collect();
                let fun = calls.and_then(|it| self.fun_with(id, shape.arity, it));
                return (
                    fun.into_iter().map(|it| Choice::Value(id, Value::own(it))).collect(),
                    false,
                );
            }
            Shape::Open
            | Shape::Literal(_)
            | Shape::Cons(..)
            | Shape::Tuple(_)
            | Shape::Pairs(_) => (),
        }
        let mut terms: Vec<Value<'q>> = Vec::new();
        let hint = self.hint(id);
        terms.extend(hint.clone());
        terms.extend(self.inverse_values(id));
        if !kinds.is_one() {
            let mut res = self.admitted(id, terms);
            let mut kinds = self.plainest(id);
            if let Some(hint) = &hint {
                kinds.sort_by_key(|it| *it != hint.kinds());
            }
            res.extend(kinds.into_iter().map(|it| Choice::Kinds(id, it)));
            return (res, true);
        }
        if kinds == Kinds::TUPLE {
            return self.arities(id);
        }
        if kinds == Kinds::FUN {
            return (self.fun_arities(id), false);
        }
        if kinds == Kinds::BITS && self.bit_len(id).is_none() {
            let mut res = self.admitted(id, terms);
            res.extend(self.bit_sizes(id).into_iter().map(|it| Choice::Bits(id, it)));
            return (res, false);
        }
        let mut is_complete = false;
        if kinds == Kinds::INT {
            is_complete = self.integers(id, hint.as_ref(), &mut terms);
        } else if kinds == Kinds::FLOAT {
            terms.extend(self.floats(id, hint.as_ref()));
        } else if kinds == Kinds::ATOM {
            is_complete = self.atoms(id, &mut terms);
        } else if kinds == Kinds::BITS {
            let size = self.bit_len(id).unwrap_or(0);
            terms.extend(self.assemble(id, size).map(Value::own));
            terms.extend(bits_of(size));
        } else if kinds == Kinds::MAP {
            terms.extend(self.maps_with(id, &[]).into_iter().map(Value::own));
        } else if let Some(opaque) = opaque(kinds) {
            terms.extend(opaque.handles().map(Value::own));
        }
        (self.admitted(id, terms), is_complete)
    }

    /// Returns the kinds that the node may have, the simplest first; for the tail of a list, `[]` comes first.
    pub(super) fn plainest(&self, id: NodeId) -> Vec<Kinds> {
        let node = self.node(id);
        let mut res: Vec<Kinds> =
            Kinds::PLAINEST.into_iter().filter(|it| node.kinds.has(*it)).collect();
        res.sort_by_key(|it| !(node.is_tail && *it == Kinds::NIL));
        res
    }

    fn admitted(&self, id: NodeId, values: Vec<Value<'q>>) -> Vec<Choice<'q>> {
        let mut kept: Vec<Value<'q>> = Vec::new();
        for value in values {
            if self.admits(id, &value) && !kept.iter().any(|it| it.is_same(&value)) {
                kept.push(value);
            }
        }
        kept.into_iter().map(|it| Choice::Value(id, it)).collect()
    }

    /// Returns a value of this kind that the node admits, for a node that nothing else depends on.
    pub(super) fn plain_value(&self, id: NodeId, kind: Kinds) -> Option<Term> {
        let node = self.node(id);
        for alts in &node.types {
            let of_kind = alts.iter().filter(|it| it.kinds().has(kind));
            let found = of_kind
                .filter_map(|it| self.typing.smallest(it))
                .map(Value::own)
                .find(|it| it.kinds() == kind && self.admits(id, it));
            if let Some(found) = found {
                return Some(found.term().into_owned());
            }
        }
        let hint = self.hint(id);
        let mut values: Vec<Value<'q>> = Vec::new();
        if kind == Kinds::INT {
            self.integers(id, hint.as_ref(), &mut values);
        } else if kind == Kinds::FLOAT {
            values.extend(self.floats(id, hint.as_ref()));
        } else if kind == Kinds::ATOM {
            self.atoms(id, &mut values);
        } else if kind == Kinds::NIL {
            values.push(Value::Ref(&Term::Nil));
        } else if let Some(opaque) = opaque(kind) {
            values.extend(opaque.handles().map(Value::own));
        } else if kind == Kinds::BITS {
            for size in self.bit_len(id).map_or_else(|| self.bit_sizes(id), |it| vec![it]) {
                values.extend(self.assemble(id, size).map(Value::own));
                values.extend(bits_of(size));
            }
        } else if kind == Kinds::MAP {
            values.extend(self.maps_with(id, &[]).into_iter().map(Value::own));
        } else if kind == Kinds::TUPLE {
            let (arities, _) = self.arities(id);
            values.extend(arities.iter().filter_map(|it| {
                let Choice::Arity(_, n) = it else { return None };
                Some(Value::own(Term::Tuple(vec![Term::Int(0); *n as usize])))
            }));
        } else if kind == Kinds::CONS {
            let items = [Term::Int(0), Term::Int(1), Term::atom("a")];
            values.extend(items.map(|it| Value::own(Term::proper_list(vec![it]))));
            values.push(Value::own(Term::proper_list(vec![Term::Int(0); 2])));
            values.extend(self.beyond_bounds(id));
        } else if kind == Kinds::FUN {
            let arities = self.fun_arities(id).into_iter();
            values.extend(arities.filter_map(|it| match it {
                Choice::FunArity(_, arity) => self.fun_with(id, arity, Vec::new()).map(Value::own),
                Choice::Value(_, fun) => Some(fun),
                _ => None,
            }));
        }
        values.extend(hint);
        let found = values.into_iter().find(|it| it.kinds() == kind && self.admits(id, it));
        found.map(|it| it.term().into_owned())
    }

    /// Returns lists near the bounds of a node.
    fn beyond_bounds(&self, id: NodeId) -> Vec<Value<'q>> {
        let Some(limits) = &self.node(id).limits else { return Vec::new() };
        let bounds = limits.low.iter().chain(&limits.high).chain([]);
        let mut res = Vec::new();
        for bound in bounds {
            let term = bound.at.term().into_owned();
            if let Term::List(list) = &term {
                let mut longer = list.items.clone();
                longer.push(Term::Int(0));
                res.push(Value::own(Term::list(longer, list.tail.clone())));
            }
            res.push(Value::own(term));
        }
        res
    }

    fn integers(&self, id: NodeId, hint: Option<&Value<'q>>, res: &mut Vec<Value<'q>>) -> bool {
        let range = self.range(id);
        let near = hint.and_then(|it| {
            let term = it.term();
            if let Term::Float(float) = *term {
                float.to_i128()
            } else {
                term.as_int().map(i128::from)
            }
        });
        // In a range of characters, the default is a letter.
        let is_text = range.low == 0 && [255, 0x10_ffff].contains(&range.high);
        let plain = if is_text { i128::from(b'a') } else { 0 };
        let near = near.unwrap_or(plain).clamp(range.low, range.high);
        let is_all = range.count().is_some_and(|it| it <= MAX_ALL);
        if is_all {
            let mut all: Vec<i128> = (range.low..=range.high).collect();
            all.sort_by_key(|it| (it.abs_diff(near), *it < near));
            res.extend(all.into_iter().map(integer));
            return true;
        }
        let ends = [range.low, range.high];
        let ends = ends.into_iter().filter(|it| *it != i128::MIN && *it != i128::MAX);
        let near = [near, 0, 1, -1, 2, near.saturating_add(1), near.saturating_sub(1)];
        let steps: Vec<i128> = near.into_iter().chain(ends).collect();
        res.extend(steps.into_iter().filter(|it| range.has(*it)).map(integer));
        let n_excluded = self.node(id).limits.as_ref().map_or(0, |it| it.excluded.len());
        let from = if range.has_low() {
            range.low
        } else if range.has_high() {
            range.high - 50
        } else {
            0
        };
        let more = (0..n_excluded).filter_map(|it| i128::try_from(it).ok());
        res.extend(more.map(|it| from + it + 1).filter(|it| range.has(*it)).map(integer));
        false
    }

    fn floats(&self, id: NodeId, hint: Option<&Value<'q>>) -> Vec<Value<'q>> {
        let mut res = Vec::new();
        if let Some(hint) = hint {
            res.extend(term::apply(Op::ToFloat, &[&hint.term()]).map(Value::own));
        }
        let mut floats = Vec::new();
        if let Some(limits) = &self.node(id).limits {
            let low = limits.low.as_ref();
            let high = limits.high.as_ref();
            let low = low.and_then(|it| float_at_least(&it.at.term(), it.is_strict));
            let high = high.and_then(|it| float_at_most(&it.at.term(), it.is_strict));
            if let (Some(low), Some(high)) = (low, high) {
                floats.extend([(low + high) / 2.0, low.ceil(), high.floor()]);
            }
            if let Some(low) = low {
                floats.extend([low.floor() + 1.0, low, low.next_up(), low + 0.5]);
            }
            if let Some(high) = high {
                floats.extend([high.ceil() - 1.0, high, high.next_down(), high - 0.5]);
            }
        }
        floats.splice(0..0, [0.0, 1.0]);
        // The last two are so large that adding a small number does not change them.
        floats.extend([-1.0, 0.5, 2.0, 1.5, -0.5, 100.0, 3.0, 1.0e17, -1.0e17]);
        res.extend(
            floats.into_iter().filter(|it| it.is_finite()).map(|it| Value::own(Term::Float(it))),
        );
        res
    }

    /// Collects candidate atoms; returns `true` if they are exhaustive.
    fn atoms(&self, id: NodeId, res: &mut Vec<Value<'q>>) -> bool {
        let node = self.node(id);
        for alts in &node.types {
            let literals = alts.iter().filter_map(|it| {
                if let Alt::Literal(term) = it { Some(Value::Ref(term)) } else { None }
            });
            let before = res.len();
            res.extend(literals);
            if res.len() - before == alts.len() {
                return true;
            }
        }
        let n_excluded = node.limits.as_ref().map_or(0, |it| it.excluded.len());
        let names = (0..).map(atom_name).take(n_excluded + 3);
        res.extend(names.map(|it| Value::own(Term::atom(&it))));
        if let Some(limits) = &node.limits {
            for bound in limits.low.iter().chain(&limits.high) {
                if let Some(text) = bound.at.term().as_atom() {
                    for end in ["", "a", "0", "!", "\u{1}"] {
                        res.push(Value::own(Term::atom(&format!("{text}{end}"))));
                    }
                }
            }
            res.push(Value::own(Term::atom("")));
        }
        false
    }

    /// Returns candidates for an operand, computed back from a known or likely result.
    fn inverse_values(&self, id: NodeId) -> Vec<Value<'q>> {
        let mut res = Vec::new();
        for pending in &self.pending {
            let Pending::Define(node, op, args) = pending else { continue };
            let Some(place) = args.iter().position(|it| self.is_same_node(*it, id)) else {
                continue;
            };
            let other = args.iter().enumerate().find(|it| it.0 != place).map(|it| *it.1);
            let other = match other {
                None => None,
                Some(other) => match self.ground(other) {
                    Some(value) => Some(value.term().into_owned()),
                    None => continue,
                },
            };
            let hint = self.hint(id).map(|it| it.term().into_owned());
            for target in self.targets(*node) {
                let found = inverses(*op, place, other.as_ref(), &target, hint.as_ref());
                res.extend(found.into_iter().map(Value::own));
            }
        }
        res
    }

    /// Returns values that a result must or may have.
    fn targets(&self, id: NodeId) -> Vec<Term> {
        if let Some(value) = self.ground(id) {
            return vec![value.term().into_owned()];
        }
        let mut res: Vec<Value<'q>> = Vec::new();
        if self.kinds(id).has(Kinds::INT) && !self.integers(id, self.hint(id).as_ref(), &mut res) {
            res.truncate(3);
        }
        if self.kinds(id) == Kinds::FLOAT {
            res.extend(self.floats(id, None).into_iter().take(4));
        }
        res.retain(|it| self.admits(id, it));
        res.truncate(4);
        res.into_iter().map(|it| it.term().into_owned()).collect()
    }
}

fn opaque(kinds: Kinds) -> Option<Kind> {
    let kinds_of = [Kind::Pid, Kind::Port, Kind::Reference];
    kinds_of.into_iter().find(|it| Kinds::of(*it) == kinds)
}

fn bits_of<'q>(size: u64) -> Vec<Value<'q>> {
    let Some(zeros) = Bits::made_up(size) else { return Vec::new() };
    let size = zeros.bit_len();
    let ones = Bits::new(vec![0xff; size.div_ceil(8)], size);
    let mut res = vec![Value::own(Term::Bits(zeros))];
    res.extend(ones.map(|it| Value::own(Term::Bits(it))));
    res
}

/// Returns the n-th atom name: a, b, … z, a1, b1, …
fn atom_name(n: usize) -> String {
    let letter = char::from(b'a' + u8::try_from(n % 26).unwrap_or(0));
    if n < 26 { letter.to_string() } else { format!("{letter}{}", n / 26) }
}
