//! Bitstrings: their sizes, and the integers encoded in parts of them.

#![expect(clippy::wildcard_enum_match_arm, reason = "other terms are no bitstrings")]

use super::facts::fact;
use super::range::{Range, integer};
use super::state::{Consistency, Contradiction, NodeId, Pending, Shape, State};
use super::value::Value;
use num_bigint::BigInt;
use num_traits::One;
use term::{Bits, Kinds, Op, Term};

/// Up to how many integers with given last bits are tried one by one.
const MAX_ENDS: i128 = 8;

/// Longer bitstrings are not constructed, in bits.
const MAX_BITS: u64 = 1 << 20;

impl<'q> State<'q> {
    pub(super) fn examine_bits(
        &mut self,
        node: NodeId,
        op: Op,
        args: &[NodeId],
    ) -> Result<bool, Contradiction> {
        match (op, args) {
            (Op::BitSize, [of]) => self.has_bit_size(node, *of),
            (Op::Slice, [of, offset, len]) => {
                if self.join_slice(node, [*of, *offset, *len])? {
                    return Ok(true);
                }
                self.narrow_range(*offset, Range::new(0, i128::MAX))?;
                self.narrow_range(*len, Range::new(0, i128::MAX))?;
                if let Some(size) = self.bit_len(node) {
                    self.bind_int(*len, i64::try_from(size).map_err(|_| Contradiction)?)?;
                }
                let least = self.node(node).limits.as_ref().map_or(0, |it| it.min_bits);
                self.narrow_range(*len, Range::new(i128::from(least), i128::MAX))?;
                let (from, n) = (self.range(*offset), self.range(*len));
                self.set_min_bits(*of, u64::try_from(from.low.saturating_add(n.low)).unwrap_or(0))?;
                if let Some(size) = self.bit_len(*of) {
                    let size = i128::from(size);
                    self.narrow_range(*offset, Range::new(0, size - n.low))?;
                    self.narrow_range(*len, Range::new(0, size - from.low))?;
                }
                if let Some(len) = self.known_int(*len) {
                    self.set_bits(node, u64::try_from(len).map_err(|_| Contradiction)?)?;
                }
                Ok(false)
            }
            (Op::BitsToInteger { is_signed, is_little }, [of]) => {
                if let Some(twin) = self.twin_number(node, op, *of) {
                    return self.unify(node, twin).map(|()| true);
                }
                let Some(size) = self.bit_len(*of) else {
                    if !is_signed {
                        let most = self.max_bits(*of).filter(|it| *it < 120);
                        let all = most.map_or(i128::MAX, |it| 1i128 << it);
                        self.narrow_range(node, Range::new(0, all - 1))?;
                    }
                    return Ok(false);
                };
                if let Some(value) = self.integer(node) {
                    let size = Term::Int(i64::try_from(size).map_err(|_| Contradiction)?);
                    let op = Op::IntegerToBits { is_little };
                    let bits = term::apply(op, &[&Term::integer(value.clone()), &size]);
                    let bits = bits.ok_or(Contradiction)?;
                    let back = term::apply(Op::BitsToInteger { is_signed, is_little }, &[&bits]);
                    if back != Some(Term::integer(value)) {
                        return Err(Contradiction);
                    }
                    return self.bind(*of, &Value::own(bits)).map(|()| true);
                }
                if size < 120 {
                    let all = 1i128 << size;
                    let range = if is_signed && size > 0 {
                        Range::new(-(all / 2), all / 2 - 1)
                    } else {
                        Range::new(0, all - 1)
                    };
                    self.narrow_range(node, range)?;
                }
                Ok(false)
            }
            (Op::IntegerToBits { is_little }, [value, size]) => {
                self.narrow_range(*size, Range::new(0, i128::MAX))?;
                if let Some(len) = self.bit_len(node) {
                    self.bind_int(*size, i64::try_from(len).map_err(|_| Contradiction)?)?;
                }
                let Some(len) = self.known_int(*size) else { return Ok(false) };
                let len = u64::try_from(len).map_err(|_| Contradiction)?;
                self.set_bits(node, len)?;
                if let Some(bits) = self.ground(node) {
                    let op = Op::BitsToInteger { is_signed: false, is_little };
                    let low = term::apply(op, &[&bits.term()]).ok_or(Contradiction)?;
                    return self.ends_with(*value, len, &low);
                }
                Ok(false)
            }
            (Op::Concat, parts) => self.concat(node, parts),
            _ => Ok(false),
        }
    }

    /// Returns the maximal size in bits if the node is a slice of bounded length.
    fn max_bits(&self, id: NodeId) -> Option<i128> {
        let (Op::Slice, args) = self.node(id).origin.clone()? else { return None };
        let range = self.range(*args.get(2)?);
        range.has_high().then_some(range.high)
    }

    /// Returns another node that is defined as the integer of the same bits.
    fn twin_number(&self, node: NodeId, op: Op, of: NodeId) -> Option<NodeId> {
        self.pending.iter().find_map(|it| match it {
            Pending::Define(number, same, args) if *same == op => {
                let is_it = args.first().is_some_and(|it| self.is_same_node(*it, of));
                (is_it && !self.is_same_node(*number, node)).then_some(*number)
            }
            _ => None,
        })
    }

    /// Requires that the last `len` bits of the integer are `low`. Returns `true` if the constraint is settled and can
    /// be dropped.
    fn ends_with(&mut self, value: NodeId, len: u64, low: &Term) -> Result<bool, Contradiction> {
        let range = self.range(value);
        let Some(low) = low.as_int().map(i128::from).filter(|_| len < 100) else {
            return Ok(false);
        };
        if !range.has_low() || !range.has_high() {
            return Ok(false);
        }
        let step = 1i128 << len;
        let first = range.low + (low - range.low).rem_euclid(step);
        if first > range.high {
            return Err(Contradiction);
        }
        let n = (range.high - first) / step;
        if n == 0 {
            return self.bind(value, &integer(first)).map(|()| true);
        }
        if n > MAX_ENDS {
            return Ok(false);
        }
        let alternatives = (0..=n).map(|it| self.literal(integer(first + it * step)));
        let alternatives: Vec<NodeId> = alternatives.collect();
        let facts = alternatives.into_iter().map(|it| vec![fact(Op::Same, &[value, it], true)]);
        self.either(facts.collect());
        Ok(true)
    }

    /// Returns the size in bits, if it is known.
    pub(super) fn bit_len(&self, id: NodeId) -> Option<u64> {
        match &self.node(id).shape {
            Shape::Literal(value) => {
                if let Term::Bits(bits) = &*value.term() {
                    Some(bits.bit_len() as u64)
                } else {
                    None
                }
            }
            _ => self.node(id).limits.as_ref()?.bits,
        }
    }

    pub(super) fn set_bits(&mut self, id: NodeId, bits: u64) -> Consistency {
        if let Some(known) = self.bit_len(id) {
            return if known == bits { Ok(()) } else { Err(Contradiction) };
        }
        let limits = self.change_limits(id);
        let fits = limits.is_binary.is_none_or(|it| it == bits.is_multiple_of(8));
        if bits < limits.min_bits || !fits {
            return Err(Contradiction);
        }
        limits.bits = Some(bits);
        if bits > MAX_BITS {
            self.typing.is_cut.set(true);
            return Err(Contradiction);
        }
        if bits == 0 {
            return self.bind(id, &Value::own(Term::Bits(Bits::default())));
        }
        self.settle(id)
    }

    pub(super) fn set_min_bits(&mut self, id: NodeId, bits: u64) -> Consistency {
        if let Some(known) = self.bit_len(id) {
            return if bits <= known { Ok(()) } else { Err(Contradiction) };
        }
        if self.node(id).limits.as_ref().is_none_or(|it| it.min_bits < bits) {
            self.change_limits(id).min_bits = bits;
        }
        Ok(())
    }

    fn has_bit_size(&mut self, node: NodeId, of: NodeId) -> Result<bool, Contradiction> {
        if let Some(bits) = self.bit_len(of) {
            return self
                .bind_int(node, i64::try_from(bits).map_err(|_| Contradiction)?)
                .map(|()| true);
        }
        if let Some(size) = self.known_int(node) {
            return self
                .set_bits(of, u64::try_from(size).map_err(|_| Contradiction)?)
                .map(|()| true);
        }
        if let Some((Op::Slice, args)) = self.node(of).origin.clone()
            && let [_, _, len] = *args
        {
            return self.unify(node, len).map(|()| true);
        }
        let is_binary = self.node(of).limits.as_ref().and_then(|it| it.is_binary);
        if is_binary == Some(true) && self.is_first(node) {
            let (n_bytes, eight) = (self.add(Kinds::INT), self.literal_int(8));
            self.narrow_range(n_bytes, Range::new(0, i128::MAX))?;
            self.push(Pending::Define(node, Op::Multiply, [n_bytes, eight].into()));
        }
        let min = self.node(of).limits.as_ref().map_or(0, |it| it.min_bits);
        self.narrow_range(node, Range::new(i128::from(min), i128::MAX))?;
        let low = u64::try_from(self.range(node).low).unwrap_or(0);
        self.set_min_bits(of, low)?;
        Ok(false)
    }

    fn concat(&mut self, node: NodeId, parts: &[NodeId]) -> Result<bool, Contradiction> {
        let sizes: Vec<Option<u64>> = parts.iter().map(|it| self.bit_len(*it)).collect();
        let known: u64 = sizes.iter().flatten().sum();
        let open: Vec<NodeId> =
            parts.iter().zip(&sizes).filter(|it| it.1.is_none()).map(|it| *it.0).collect();
        match (self.bit_len(node), open.as_slice()) {
            (None, []) => self.set_bits(node, known)?,
            (Some(all), []) if all != known => return Err(Contradiction),
            (Some(all), [only]) => {
                self.set_bits(*only, all.checked_sub(known).ok_or(Contradiction)?)?;
            }
            (Some(all), _) if known > all => return Err(Contradiction),
            _ => (),
        }
        let Some(whole) = self.ground(node) else { return Ok(false) };
        let mut at = 0;
        for part in parts {
            let Some(size) = self.bit_len(*part) else { return Ok(false) };
            let Term::Bits(bits) = &*whole.term() else { return Err(Contradiction) };
            let size = usize::try_from(size).map_err(|_| Contradiction)?;
            let piece = bits.slice(at, size).ok_or(Contradiction)?;
            self.bind(*part, &Value::own(Term::Bits(piece)))?;
            at += size;
        }
        Ok(true)
    }

    /// Returns a bitstring of this size with the known slices in place and the bits of the hint elsewhere; `None` if
    /// some slice is not known.
    pub(super) fn assemble(&self, id: NodeId, size: u64) -> Option<Term> {
        Bits::made_up(size)?;
        let size = usize::try_from(size).ok()?;
        let mut value = BigInt::ZERO;
        if let Some(hint) = self.hint(id)
            && let Term::Bits(bits) = &*hint.term()
        {
            let mut base = bits.slice(0, size.min(bits.bit_len()))?;
            base.append(&Bits::zeros(size - base.bit_len()));
            value = number(&base)?;
        }
        for pending in &self.pending {
            let Pending::Define(part, Op::Slice, args) = pending else { continue };
            let [of, offset, len] = **args else { continue };
            if !self.is_same_node(of, id) {
                continue;
            }
            let known = self.ground(*part)?;
            let Term::Bits(bits) = &*known.term() else { return None };
            let (offset, len) = (self.known_int(offset)?, self.known_int(len)?);
            let (offset, len) = (usize::try_from(offset).ok()?, usize::try_from(len).ok()?);
            let shift = size.checked_sub(offset.checked_add(len)?)?;
            let mask = ((BigInt::one() << len) - 1u8) << shift;
            value = (&value | &mask) ^ &mask | (number(bits)? << shift);
        }
        let op = Op::IntegerToBits { is_little: false };
        let size = Term::Int(i64::try_from(size).ok()?);
        term::apply(op, &[&Term::integer(value), &size])
    }
}

fn number(bits: &Bits) -> Option<BigInt> {
    let op = Op::BitsToInteger { is_signed: false, is_little: false };
    match term::apply(op, &[&Term::Bits(bits.clone())])? {
        Term::Big(value) => Some(*value),
        term => term.as_int().map(BigInt::from),
    }
}
