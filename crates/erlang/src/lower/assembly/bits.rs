//! Translates BEAM's instructions on bitstrings. A match context is represented by the bitstring that remains to be
//! matched.

use super::ops::{Guard, items};
use super::read::natural;
use super::{Assembler, address, label_of};
use crate::code::{BitsPattern, BitsSegment, Ins, PatternPart, Reg, Src};
use term::{Bits, Kind, Term};
use values::{Endian, SegmentSpec, SegmentType, Sign};

const LITTLE: u32 = 2;
const SIGNED: u32 = 4;
const NATIVE: u32 = 16;

impl Assembler<'_, '_> {
    pub(super) fn bits_op(&mut self, name: &str, args: &[Term]) -> Option<Guard> {
        match (name, args) {
            ("bs_start_match3", [to, src, _, dst]) | ("bs_start_match4", [to, _, src, dst]) => {
                let (src, dst) = (self.src(src)?, self.reg(dst)?);
                if let Some(to) = label_of(to) {
                    self.emit(Ins::JumpUnlessKind { kind: Kind::Bitstring, src, to });
                }
                self.emit(Ins::Move { dst, src });
            }
            ("bs_get_tail" | "bs_get_position", [context, dst, _]) => {
                let (src, dst) = (self.src(context)?, self.reg(dst)?);
                self.emit(Ins::Move { dst, src });
            }
            ("bs_set_position", [context, position]) => {
                let (dst, src) = (self.reg(context)?, self.src(position)?);
                self.emit(Ins::Move { dst, src });
            }
            ("bs_init_writable", []) => {
                let src = self.lowering.literal(&Term::binary(Vec::new()));
                self.emit(Ins::Move { dst: Reg(0), src });
            }
            ("bs_create_bin", [whole]) => {
                let [whole] = whole.as_list()? else { return None };
                let args = whole.as_tuple()?.to_vec();
                return self.create(&args);
            }
            ("bs_create_bin", _) => return self.create(args),
            _ => return None,
        }
        Some(None)
    }

    /// Translates `bs_create_bin`, whose operands are: fail label, memory, live registers, unit, destination, …,
    /// segments.
    fn create(&mut self, args: &[Term]) -> Option<Guard> {
        let [to, _, _, _, dst, .., list] = args else { return None };
        let mut segments = Vec::new();
        for segment in items(list)?.chunks(6) {
            let [ty, number, unit, flags, value, size] = segment else { return None };
            segments.push(self.segment(ty, number, unit, flags, value, size)?);
        }
        let dst = self.reg(dst)?;
        self.lowering.program.bits.push(segments);
        let segments = address(self.lowering.program.bits.len() - 1);
        self.emit(Ins::Bits { dst, segments });
        Some(label_of(to).filter(|it| *it != 0))
    }

    fn segment(
        &mut self,
        ty: &Term,
        number: &Term,
        unit: &Term,
        flags: &Term,
        value: &Term,
        size: &Term,
    ) -> Option<BitsSegment> {
        let name = ty.as_tuple()?.get(1)?.as_atom()?;
        let number = operand_number(number)?;
        let unit = u16::try_from(operand_number(unit)?).ok()?.max(1);
        let flags: Vec<&str> = match flags.as_tuple() {
            Some([_, list]) => list.as_list()?.iter().filter_map(Term::as_atom).collect(),
            None | Some(_) => Vec::new(),
        };
        let is_little = flags.contains(&"little") || flags.contains(&"native");
        let endian = if is_little { Endian::Little } else { Endian::Big };
        let sign = if flags.contains(&"signed") { Sign::Signed } else { Sign::Unsigned };
        let ty = match name {
            "string" => {
                let (from, n) = (operand_number(value)? as usize, operand_number(size)? as usize);
                let bytes = self.assembly.strings.get(from..from + n)?.to_vec();
                let value = self.lowering.literal(&Term::binary(bytes));
                let spec = SegmentSpec { ty: SegmentType::Binary, unit: 8, endian, sign };
                return Some(BitsSegment { number, value, size: None, spec });
            }
            "append" | "private_append" | "binary" => SegmentType::Binary,
            "integer" => SegmentType::Integer,
            "float" => SegmentType::Float,
            "utf8" => SegmentType::Utf8,
            "utf16" => SegmentType::Utf16,
            "utf32" => SegmentType::Utf32,
            _ => return None,
        };
        let size = match size.as_tuple() {
            Some([tag, _]) if tag.as_atom() == Some("atom") => None,
            None | Some(_) => Some(self.src(size)?),
        };
        let spec = SegmentSpec { ty, unit, endian, sign };
        Some(BitsSegment { number, value: self.src(value)?, size, spec })
    }

    pub(super) fn bits_test(&mut self, name: &str, to: u32, args: &[Term]) -> Option<Guard> {
        match (name, args) {
            (
                "bs_get_integer2" | "bs_get_float2" | "bs_get_binary2",
                [context, _, size, unit, flags, dst],
            ) => {
                let ty = match name {
                    "bs_get_integer2" => SegmentType::Integer,
                    "bs_get_float2" => SegmentType::Float,
                    _ => SegmentType::Binary,
                };
                let dst = self.reg(dst)?;
                self.take(context, (ty, unit, flags), Some(size), Some(dst), to)?;
            }
            ("bs_skip_bits2", [context, size, unit, flags]) => {
                let ty = SegmentType::Binary;
                self.take(context, (ty, unit, flags), Some(size), None, to)?;
            }
            ("bs_get_utf8" | "bs_get_utf16" | "bs_get_utf32", [context, _, flags, dst]) => {
                let dst = self.reg(dst)?;
                self.take(context, (utf(name), &Term::Int(1), flags), None, Some(dst), to)?;
            }
            ("bs_skip_utf8" | "bs_skip_utf16" | "bs_skip_utf32", [context, _, flags]) => {
                self.take(context, (utf(name), &Term::Int(1), flags), None, None, to)?;
            }
            ("bs_test_tail2", [context, n]) => {
                let part = self.part(ANY, Some(i64::from(natural(n)?)), None);
                self.match_parts(context, vec![part], to)?;
            }
            ("bs_test_unit", [context, unit]) => {
                let spec = SegmentSpec { unit: u16::try_from(natural(unit)?).ok()?, ..ANY };
                let part = self.part(spec, None, None);
                self.match_parts(context, vec![part], to)?;
            }
            ("bs_match_string", [context, n, bytes]) => {
                let n = natural(n)? as usize;
                let literal = match bytes {
                    Term::Bits(bits) => Bits::new(bits.padded_bytes().to_vec(), n)?,
                    _ => return None,
                };
                let literal = self.lowering.literal(&Term::Bits(literal));
                let mut part = self.part(ANY, Some(i64::try_from(n).ok()?), None);
                part.literal = Some(literal);
                self.match_then_rest(context, part, to)?;
            }
            _ => return None,
        }
        Some(None)
    }

    /// Matches one segment, and replaces the context by the remaining bitstring.
    fn take(
        &mut self,
        context: &Term,
        (ty, unit, flags): (SegmentType, &Term, &Term),
        size: Option<&Term>,
        dst: Option<Reg>,
        to: u32,
    ) -> Option<()> {
        let flags = match flags.as_tuple() {
            Some([_, flags]) => natural(flags)?,
            None | Some(_) => 0,
        };
        let endian = if flags & (LITTLE | NATIVE) == 0 { Endian::Big } else { Endian::Little };
        let sign = if flags & SIGNED == 0 { Sign::Unsigned } else { Sign::Signed };
        let unit = u16::try_from(natural(unit)?).ok()?;
        let spec = SegmentSpec { ty, unit, endian, sign };
        let is_all = size.is_some_and(|it| {
            it.as_tuple().and_then(|it| it.get(1)).and_then(Term::as_atom) == Some("all")
        });
        let size = match size {
            Some(size) if !is_all => Some(self.src(size)?),
            Some(_) | None => None,
        };
        let part = PatternPart { spec, size, dst, literal: None };
        if is_all {
            self.match_parts(context, vec![part], to)?;
            let left = self.reg(context)?;
            if dst != Some(left) {
                let src = self.lowering.literal(&Term::binary(Vec::new()));
                self.emit(Ins::Move { dst: left, src });
            }
            return Some(());
        }
        self.match_then_rest(context, part, to)
    }

    fn match_then_rest(&mut self, context: &Term, part: PatternPart, to: u32) -> Option<()> {
        // If the segment's value is stored in the context's own register, the context is not used afterwards.
        let rest = self.part(ANY, None, self.reg(context).filter(|it| part.dst != Some(*it)));
        self.match_parts(context, vec![part, rest], to)
    }

    fn match_parts(&mut self, context: &Term, parts: Vec<PatternPart>, to: u32) -> Option<()> {
        let src = self.src(context)?;
        let patterns = &mut self.lowering.program.bits_patterns;
        patterns.push(BitsPattern { parts });
        let pattern = address(patterns.len() - 1);
        self.emit(Ins::MatchBits { src, pattern, to });
        Some(())
    }

    fn part(&mut self, spec: SegmentSpec, size: Option<i64>, dst: Option<Reg>) -> PatternPart {
        let size: Option<Src> = size.map(|it| self.lowering.literal(&Term::Int(it)));
        PatternPart { spec, size, dst, literal: None }
    }
}

const ANY: SegmentSpec =
    SegmentSpec { ty: SegmentType::Binary, unit: 1, endian: Endian::Big, sign: Sign::Unsigned };

fn utf(name: &str) -> SegmentType {
    if name.ends_with("16") {
        SegmentType::Utf16
    } else if name.ends_with("32") {
        SegmentType::Utf32
    } else {
        SegmentType::Utf8
    }
}

/// The number in an operand such as `{u, N}`.
fn operand_number(term: &Term) -> Option<u32> {
    term.as_tuple().and_then(|it| it.get(1)).and_then(natural)
}
