//! Conversions between atoms, numbers, binaries and lists of characters.

use super::range::Range;
use super::state::{Consistency, Contradiction, NodeId, Pending, Shape, State};
use super::value::Value;
use term::{Conversion, Kind, Kinds, Op, Term};

/// Returns the kind of the operand, and whether every term of this kind can be converted.
fn operand(conversion: Conversion) -> (Kind, bool) {
    match conversion {
        Conversion::AtomToList | Conversion::AtomToBinary => (Kind::Atom, true),
        Conversion::IntegerToList(_) | Conversion::IntegerToBinary(_) => (Kind::Integer, true),
        Conversion::FloatToList | Conversion::FloatToBits { .. } => (Kind::Float, true),
        Conversion::BitsToFloat { .. } => (Kind::Bitstring, false),
        Conversion::BinaryToList => (Kind::Binary, true),
        Conversion::ListToAtom
        | Conversion::ListToInteger(_)
        | Conversion::ListToFloat
        | Conversion::ListToBinary => (Kind::List, false),
        Conversion::BinaryToAtom | Conversion::BinaryToInteger(_) => (Kind::Binary, false),
    }
}

/// Returns the inverse conversion, and whether it gives the only operand with that result.
pub(super) fn inverse(conversion: Conversion) -> (Conversion, bool) {
    match conversion {
        Conversion::AtomToList => (Conversion::ListToAtom, true),
        Conversion::ListToAtom => (Conversion::AtomToList, true),
        Conversion::AtomToBinary => (Conversion::BinaryToAtom, true),
        Conversion::BinaryToAtom => (Conversion::AtomToBinary, true),
        Conversion::IntegerToList(base) => (Conversion::ListToInteger(base), true),
        Conversion::ListToInteger(base) => (Conversion::IntegerToList(base), false),
        Conversion::IntegerToBinary(base) => (Conversion::BinaryToInteger(base), true),
        Conversion::BinaryToInteger(base) => (Conversion::IntegerToBinary(base), false),
        Conversion::FloatToList => (Conversion::ListToFloat, true),
        Conversion::ListToFloat => (Conversion::FloatToList, false),
        Conversion::BitsToFloat { is_little } => (Conversion::FloatToBits { is_little }, false),
        Conversion::FloatToBits { is_little } => (Conversion::BitsToFloat { is_little }, true),
        Conversion::BinaryToList => (Conversion::ListToBinary, true),
        Conversion::ListToBinary => (Conversion::BinaryToList, true),
    }
}

impl<'q> State<'q> {
    pub(super) fn converts(
        &mut self,
        conversion: Conversion,
        of: NodeId,
        holds: bool,
    ) -> Result<bool, Contradiction> {
        let (kind, is_all) = operand(conversion);
        if is_all {
            return self.is_kind(of, kind, holds).map(|()| true);
        }
        if let Some(value) = self.ground(of) {
            let is = term::apply(Op::Convert(conversion), &[&value.term()]).is_some();
            return if is == holds { Ok(true) } else { Err(Contradiction) };
        }
        if holds {
            // The definition of the result implies that there is one.
            self.define(Op::Convert(conversion), &[of])?;
            return Ok(true);
        }
        Ok(!self.kinds(of).has(Kinds::of(kind)))
    }

    pub(super) fn examine_convert(
        &mut self,
        node: NodeId,
        conversion: Conversion,
        of: NodeId,
    ) -> Result<bool, Contradiction> {
        self.is_kind(of, operand(conversion).0, true)?;
        self.is_kind(node, operand(inverse(conversion).0).0, true)?;
        let (back, is_only) = inverse(conversion);
        if let Some(value) = self.ground(node)
            && is_only
        {
            let origin = term::apply(Op::Convert(back), &[&value.term()]).ok_or(Contradiction)?;
            let again = term::apply(Op::Convert(conversion), &[&origin]).ok_or(Contradiction)?;
            if again.cmp_exact(&value.term()).is_ne() {
                return Err(Contradiction);
            }
            return self.bind(of, &Value::own(origin)).map(|()| true);
        }
        match conversion {
            Conversion::AtomToList => self.is_text(node, 0, 0x10_ffff)?,
            Conversion::ListToAtom => self.is_text(of, 0, 0x10_ffff)?,
            Conversion::IntegerToList(base) => return self.spell(of, node, base, true),
            Conversion::ListToInteger(base) => return self.spell(node, of, base, false),
            Conversion::FloatToList => self.is_text(node, 43, 101)?,
            Conversion::ListToFloat => self.is_text(of, 43, 101)?,
            Conversion::BinaryToList => {
                self.is_text(node, 0, 255)?;
                return self.relate_bytes(node, of);
            }
            Conversion::ListToBinary => {
                self.is_text(of, 0, 255)?;
                return self.relate_bytes(of, node);
            }
            // Digits are bytes: the conversion is reduced to one of lists.
            Conversion::IntegerToBinary(base) => {
                let text = self.define(Op::Convert(Conversion::BinaryToList), &[node])?;
                self.push_convert(text, Conversion::IntegerToList(base), of);
                return Ok(true);
            }
            Conversion::BinaryToInteger(base) => {
                let text = self.define(Op::Convert(Conversion::BinaryToList), &[of])?;
                self.push_convert(node, Conversion::ListToInteger(base), text);
                return Ok(true);
            }
            Conversion::BitsToFloat { is_little } => {
                let Some(size) = self.bit_len(of) else { return Ok(false) };
                let value = self.ground(node);
                let Some(Term::Float(float)) = value.map(|it| it.term().into_owned()) else {
                    return Ok(false);
                };
                let bits = term::float_bits(float, size, is_little).ok_or(Contradiction)?;
                return self.bind(of, &Value::own(bits)).map(|()| true);
            }
            Conversion::AtomToBinary
            | Conversion::BinaryToAtom
            | Conversion::FloatToBits { .. } => (),
        }
        Ok(false)
    }

    fn push_convert(&mut self, node: NodeId, conversion: Conversion, of: NodeId) {
        self.push(Pending::Define(node, Op::Convert(conversion), [of].into()));
    }

    /// Requires a list whose known cells hold integers in this range.
    fn is_text(&mut self, list: NodeId, low: i128, high: i128) -> Consistency {
        let mut at = list;
        loop {
            self.restrict(at, Kinds::LIST)?;
            let Shape::Cons(head, tail) = self.node(at).shape else {
                return if self.known(at).is_some() { Ok(()) } else { self.set_proper(at, true) };
            };
            self.restrict(head, Kinds::INT)?;
            self.narrow_range(head, Range::new(low, high))?;
            at = tail;
        }
    }
}
