//! Bitstrings of known size that are sliced in several ways. The bits between two cuts form an integer, and the
//! integers of larger slices are computed from these.

use super::facts::fact;
use super::state::{Consistency, Contradiction, NodeId, Pending, Shape, State};
use super::value::Value;
use num_bigint::BigInt;
use num_traits::One;
use std::collections::BTreeSet;
use term::{Kinds, Op, Term};

/// The integer of a slice: unsigned, most significant bit first.
const NUMBER: Op = Op::BitsToInteger { is_signed: false, is_little: false };

/// Longer binaries are not split into bytes.
const MAX_BYTES: u64 = 64;

/// A slice of a bitstring; position and length are in bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cut {
    whole: NodeId,
    from: i64,
    len: i64,
    part: NodeId,
}

impl<'q> State<'q> {
    /// Relates overlapping slices. Returns `true` if that added something.
    pub(super) fn relate_cuts(&mut self) -> Result<bool, Contradiction> {
        let cuts = self.cuts();
        let mut is_new = false;
        for cut in &cuts {
            let mut places = BTreeSet::new();
            for other in cuts.iter().filter(|it| it.whole == cut.whole) {
                places.extend([other.from, other.from + other.len]);
            }
            places.retain(|it| cut.from < *it && *it < cut.from + cut.len);
            if let Some(value) = self.ground(cut.part) {
                is_new |= !places.is_empty() && self.bind_pieces(&cuts, cut, &value)?;
                continue;
            }
            if !places.is_empty() && self.numbers_of(cut.part).is_empty() {
                self.number_of(cut.part)?;
                is_new = true;
            }
            for (number, is_signed, is_little) in self.numbers_of(cut.part) {
                let is_cut = !places.is_empty() && (!is_little || cut.len % 8 == 0);
                if is_cut && self.is_first(number) {
                    let mut places = places.clone();
                    if is_little {
                        places.extend((cut.from..cut.from + cut.len).step_by(8).skip(1));
                    }
                    self.relate(&cuts, cut, &places, (number, is_signed, is_little))?;
                    is_new = true;
                }
            }
        }
        Ok(is_new)
    }

    /// Whether the integer was not decomposed before; records that it is now.
    pub(super) fn is_first(&mut self, number: NodeId) -> bool {
        let is_known = self.related.iter().any(|it| self.is_same_node(*it, number));
        if !is_known {
            self.related.push(number);
        }
        !is_known
    }

    /// Returns an integer of the slice that was decomposed into those of smaller slices.
    pub(super) fn number_of_pieces(&self, part: NodeId) -> Option<NodeId> {
        if self.related.is_empty() {
            return None;
        }
        let is_made = |it: NodeId| self.related.iter().any(|made| self.is_same_node(*made, it));
        self.numbers_of(part).into_iter().map(|it| it.0).find(|it| is_made(*it))
    }

    /// Returns all slices whose position and length are known.
    fn cuts(&self) -> Vec<Cut> {
        let cut = |it: &Pending| {
            let Pending::Define(part, Op::Slice, args) = it else { return None };
            let [of, from, len] = **args else { return None };
            self.bit_len(of)?;
            let (from, len) = (self.known_int(from)?, self.known_int(len)?);
            let whole = self.root(of);
            (len > 0).then_some(Cut { whole, from, len, part: *part })
        };
        self.pending.iter().filter_map(cut).collect()
    }

    /// Returns the integers that a slice is interpreted as, each with whether it is signed and whether it is
    /// little-endian.
    fn numbers_of(&self, part: NodeId) -> Vec<(NodeId, bool, bool)> {
        let number = |it: &Pending| match it {
            Pending::Define(number, Op::BitsToInteger { is_signed, is_little }, args) => {
                let is_it = args.first().is_some_and(|it| self.is_same_node(*it, part));
                is_it.then_some((*number, *is_signed, *is_little))
            }
            Pending::Define(..)
            | Pending::Fact(_)
            | Pending::Either(_)
            | Pending::Typed(_)
            | Pending::Done => None,
        };
        self.pending.iter().filter_map(number).collect()
    }

    /// Binds the slices that lie within a known one. Returns `true` if there were any.
    fn bind_pieces(
        &mut self,
        cuts: &[Cut],
        cut: &Cut,
        value: &Value<'q>,
    ) -> Result<bool, Contradiction> {
        let term = value.term();
        let Term::Bits(bits) = &*term else { return Err(Contradiction) };
        let mut is_new = false;
        for other in cuts.iter().filter(|it| it.whole == cut.whole && *it != cut) {
            let (low, high) =
                (other.from.max(cut.from), (other.from + other.len).min(cut.from + cut.len));
            if low >= high || self.ground(other.part).is_some() {
                continue;
            }
            if other.from >= cut.from && other.from + other.len <= cut.from + cut.len {
                let from = usize::try_from(other.from - cut.from).map_err(|_| Contradiction)?;
                let len = usize::try_from(other.len).map_err(|_| Contradiction)?;
                let piece = bits.slice(from, len).ok_or(Contradiction)?;
                self.bind(other.part, &Value::own(Term::Bits(piece)))?;
                is_new = true;
            }
        }
        Ok(is_new)
    }

    /// Defines the integer of a slice by those of its pieces.
    fn relate(
        &mut self,
        cuts: &[Cut],
        cut: &Cut,
        places: &BTreeSet<i64>,
        (number, is_signed, is_little): (NodeId, bool, bool),
    ) -> Consistency {
        let mut ends: Vec<i64> = places.iter().copied().collect();
        ends.push(cut.from + cut.len);
        let mut pieces = Vec::new();
        let mut from = cut.from;
        for end in ends {
            let known = cuts
                .iter()
                .find(|it| (it.whole, it.from, it.len) == (cut.whole, from, end - from))
                .map(|it| it.part);
            let part = match known {
                Some(part) => part,
                None => self.slice(cut.whole, from, end - from)?,
            };
            pieces.push((self.number_of(part)?, end - from));
            from = end;
        }
        if is_little {
            pieces.reverse();
        }
        let mut sum: Option<NodeId> = None;
        for (piece, len) in pieces {
            sum = Some(match sum {
                None => piece,
                Some(high) => {
                    let factor = self.power(len);
                    let shifted = self.define(Op::Multiply, &[high, factor])?;
                    self.define(Op::Add, &[shifted, piece])?
                }
            });
        }
        let sum = sum.ok_or(Contradiction)?;
        if !is_signed {
            return self.unify(number, sum);
        }
        let (half, all) = (self.power(cut.len - 1), self.power(cut.len));
        let negative = self.define(Op::Subtract, &[sum, all])?;
        self.either(vec![
            vec![fact(Op::Less, &[sum, half], true), fact(Op::Same, &[number, sum], true)],
            vec![fact(Op::Less, &[sum, half], false), fact(Op::Same, &[number, negative], true)],
        ]);
        Ok(())
    }

    fn power(&mut self, bits: i64) -> NodeId {
        let value = BigInt::one() << u64::try_from(bits).unwrap_or(0);
        self.literal(Value::own(Term::integer(value)))
    }

    pub(super) fn slice(
        &mut self,
        of: NodeId,
        from: i64,
        len: i64,
    ) -> Result<NodeId, Contradiction> {
        let (from, len) = (self.literal_int(from), self.literal_int(len));
        self.define(Op::Slice, &[of, from, len])
    }

    /// Returns the unsigned big-endian integer of a slice; there is only one node for it.
    pub(super) fn number_of(&mut self, part: NodeId) -> Result<NodeId, Contradiction> {
        let known = self.numbers_of(part).into_iter().find(|it| !it.1 && !it.2);
        match known {
            Some((number, ..)) => Ok(number),
            None => self.define(NUMBER, &[part]),
        }
    }

    /// Replaces a slice of a slice by one of the whole, and unifies equal slices. Returns `true` if the definition is
    /// settled.
    pub(super) fn join_slice(
        &mut self,
        node: NodeId,
        args: [NodeId; 3],
    ) -> Result<bool, Contradiction> {
        let [of, from, len] = args;
        if let Some((Op::Slice, outer)) = self.node(of).origin.clone()
            && let [whole, outer_from, outer_len] = *outer
            && !self.is_same_node(whole, of)
            && self.known(of).is_none()
        {
            let place = match (self.known_int(outer_from), self.known_int(from)) {
                (Some(outer), Some(inner)) => self.literal_int(outer.saturating_add(inner)),
                (Some(0), None) => from,
                (None, Some(0)) => outer_from,
                _ => self.define(Op::Add, &[outer_from, from])?,
            };
            let end = self.define(Op::Add, &[from, len])?;
            self.require(Op::LessEqual, &[end, outer_len], true)?;
            if !self.examine_define(node, Op::Slice, &[whole, place, len])? {
                self.push(Pending::Define(node, Op::Slice, [whole, place, len].into()));
            }
            return Ok(true);
        }
        let (Some(start), Some(size)) = (self.known_int(from), self.known_int(len)) else {
            return Ok(false);
        };
        if start == 0 && self.bit_len(of).is_some_and(|it| i64::try_from(it) == Ok(size)) {
            return self.unify(node, of).map(|()| true);
        }
        let twin = self.pending.iter().find_map(|it| {
            let Pending::Define(part, Op::Slice, args) = it else { return None };
            let [other, other_from, other_len] = **args else { return None };
            let is_it = self.is_same_node(other, of)
                && self.known_int(other_from) == Some(start)
                && self.known_int(other_len) == Some(size)
                && !self.is_same_node(*part, node);
            is_it.then_some(*part)
        });
        match twin {
            Some(twin) => self.unify(node, twin).map(|()| true),
            None => Ok(false),
        }
    }

    /// Relates the elements of a list to the bytes of a binary. Returns `true` if the constraint is settled.
    pub(super) fn relate_bytes(
        &mut self,
        list: NodeId,
        bits: NodeId,
    ) -> Result<bool, Contradiction> {
        let n_bytes = match (self.bit_len(bits), self.n_cells(list)) {
            (Some(n_bits), _) => n_bits / 8,
            (None, Some(n_cells)) => {
                self.set_bits(bits, n_cells * 8)?;
                n_cells
            }
            (None, None) => return self.relate_least(list, bits).map(|()| false),
        };
        if n_bytes > MAX_BYTES {
            return Ok(false);
        }
        let mut at = list;
        for n in 0..i64::try_from(n_bytes).map_err(|_| Contradiction)? {
            let (byte, rest) = self.cons(at)?;
            let part = self.slice(bits, n * 8, 8)?;
            let number = self.number_of(part)?;
            self.unify(byte, number)?;
            at = rest;
        }
        self.bind(at, &Value::Ref(&Term::Nil)).map(|()| true)
    }

    /// Propagates the minimal length of the list to the binary and back.
    fn relate_least(&mut self, list: NodeId, bits: NodeId) -> Consistency {
        let (mut n_cells, mut end) = (0, list);
        while let Shape::Cons(_, tail) = self.node(end).shape {
            (n_cells, end) = (n_cells + 1, tail);
        }
        let least = n_cells + u64::from(!self.kinds(end).has(Kinds::NIL));
        self.set_min_bits(bits, least * 8)?;
        let min_bits = self.node(bits).limits.as_ref().map_or(0, |it| it.min_bits);
        for _ in n_cells..(min_bits / 8).min(MAX_BYTES) {
            end = self.cons(end)?.1;
        }
        Ok(())
    }

    /// Returns the number of cells of a list whose end is known.
    fn n_cells(&self, list: NodeId) -> Option<u64> {
        let mut n = 0;
        let mut at = list;
        while let Shape::Cons(_, tail) = &self.node(at).shape {
            n += 1;
            at = *tail;
        }
        let end = self.known(at)?;
        Some(n + u64::try_from(end.term().as_list()?.len()).ok()?)
    }
}
