//! Construction of bitstrings, and the error information of a failed construction.

use crate::code::BitsSegment;
use crate::lift::shadow;
use crate::machine::World;
use crate::machine::interpret::Cpu;
use term::{ExprId, Op};
use values::{AtomId, BitsBuilder, BuildError, Heap, SegmentSpec, SegmentType, Value, View};

/// How many bytes are copied in about the time of one call.
const BYTES_PER_CALL: u64 = 800;

/// A segment that could not be built.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BitsFailed {
    pub(crate) error: BuildError,
    /// The number of the segment, as the compiler counts the segments in the source.
    number: u32,
    ty: SegmentType,
    what: AtomId,
    culprit: Value,
}

impl Cpu<'_> {
    pub(super) fn build_bits(&mut self, segments: &[BitsSegment]) -> Result<Value, BitsFailed> {
        let is_shadowed = |it| self.slot(it).shadow().is_some();
        let is_symbolic =
            segments.iter().any(|it| is_shadowed(it.value) || it.size.is_some_and(is_shadowed));
        let expr = if is_symbolic { self.built_expr(segments) } else { None };
        let heap = &self.world.heap;
        let left = self.world.limits.memory_bytes.saturating_sub(heap.bytes_used());
        let mut builder = BitsBuilder::new(left);
        let failed = |error, segment: &BitsSegment, (what, culprit)| BitsFailed {
            error,
            number: segment.number,
            ty: segment.spec.ty,
            what,
            culprit,
        };
        // BEAM evaluates all sizes before the values.
        let mut sizes = Vec::with_capacity(segments.len());
        for segment in segments {
            sizes.push(match segment.size {
                Some(size) => {
                    let size = self.src(size);
                    let n_bits = heap.built_bits(size, segment.spec.unit);
                    Some(n_bits.map_err(|it| failed(it, segment, (AtomId::SIZE, size)))?)
                }
                None => None,
            });
        }
        for (segment, n_bits) in segments.iter().zip(sizes) {
            let value = self.src(segment.value);
            let SegmentSpec { endian, unit, .. } = segment.spec;
            match (segment.spec.ty, n_bits) {
                (SegmentType::Integer, n_bits) => {
                    builder.push_integer(heap, value, n_bits.unwrap_or(8), endian)
                }
                (SegmentType::Float, n_bits) => {
                    builder.push_float(heap, value, n_bits.unwrap_or(64), endian)
                }
                (SegmentType::Binary, Some(n_bits)) => builder.push_bits(heap, value, n_bits),
                (SegmentType::Binary, None) => builder.push_all_bits(heap, value, unit),
                (SegmentType::Utf8, _) => builder.push_utf8(value),
                (SegmentType::Utf16, _) => builder.push_utf16(value, endian),
                (SegmentType::Utf32, _) => builder.push_utf32(value, endian),
            }
            .map_err(|it| failed(it, segment, blame(heap, segment.spec.ty, value, n_bits)))?;
        }
        let n_calls = builder.added_bytes() / BYTES_PER_CALL;
        let made = builder.finish(&mut self.world.heap);
        if n_calls > 0 {
            self.spend(n_calls);
        }
        Ok(expr.map_or(made, |it| made.with_shadow(shadow(it))))
    }

    /// The expression of a bitstring with symbolic segments, and the choices of its construction.
    #[cold]
    fn built_expr(&mut self, segments: &[BitsSegment]) -> Option<ExprId> {
        let pc = self.pc;
        let mut parts = Vec::with_capacity(segments.len());
        for segment in segments {
            let (value, size) = (self.src(segment.value), segment.size.map(|it| self.src(it)));
            parts.push(self.lifting(pc)?.built_segment(segment, value, size));
        }
        let parts: Vec<ExprId> = parts.into_iter().collect::<Option<_>>()?;
        Some(self.lifting(pc)?.apply(Op::Concat, &parts))
    }
}

/// The kind of the error and the value that is reported for it.
fn blame(heap: &Heap, ty: SegmentType, value: Value, n_bits: Option<u64>) -> (AtomId, Value) {
    let is_bits = matches!(value.view(), View::Bits(_));
    let is_number = matches!(value.view(), View::Int(_) | View::Big(_) | View::Float(_));
    match (ty, n_bits) {
        (SegmentType::Binary, Some(_)) if is_bits => (AtomId::SHORT, value),
        (SegmentType::Binary, None) if is_bits => (AtomId::UNIT, value),
        (SegmentType::Float, Some(n_bits)) if is_number && !matches!(n_bits, 16 | 32 | 64) => {
            let n_bits = i64::try_from(n_bits).unwrap_or(i64::MAX);
            (AtomId::INVALID, Value::int(n_bits))
        }
        (SegmentType::Float, _) if heap.to_big(value).is_some() => (AtomId::NO_FLOAT, value),
        (
            SegmentType::Integer
            | SegmentType::Float
            | SegmentType::Binary
            | SegmentType::Utf8
            | SegmentType::Utf16
            | SegmentType::Utf32,
            _,
        ) => (AtomId::TYPE, value),
    }
}

impl BitsFailed {
    /// The term that `erl_erts_errors:format_bs_fail/2` expects as the cause.
    pub(crate) fn cause(self, world: &mut World) -> Value {
        let ty = match self.ty {
            SegmentType::Integer => AtomId::INTEGER,
            SegmentType::Float => AtomId::FLOAT,
            SegmentType::Binary => AtomId::BINARY,
            SegmentType::Utf8 => AtomId::UTF8,
            SegmentType::Utf16 => AtomId::UTF16,
            SegmentType::Utf32 => AtomId::UTF32,
        };
        world.heap.tuple(&[
            Value::int(i64::from(self.number)),
            Value::atom(ty),
            Value::atom(self.what),
            self.culprit,
        ])
    }
}
