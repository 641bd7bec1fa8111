//! Floats of 16 bits (IEEE 754 binary16).

/// Converts to the nearest half-precision float, ties to even. A number that is too large becomes infinite.
pub(super) fn to_half(value: f64) -> u16 {
    let bits = value.to_bits();
    let sign = low_u16(bits >> 48) & 0x8000;
    let exponent = low_u16(bits >> 52) & 0x7ff;
    let fraction = bits & ((1 << 52) - 1);
    // The exponent of the result if it is a normal number; `None` if it is subnormal or zero.
    let Some(exponent) = exponent.checked_sub(BIAS - HALF_BIAS).filter(|it| *it > 0) else {
        let shift = 43 + u32::from((BIAS - HALF_BIAS).saturating_sub(exponent));
        let significand = if exponent == 0 { fraction } else { fraction | 1 << 52 };
        return sign | low_u16(round_off(significand, shift));
    };
    if exponent >= 31 {
        return sign | 0x7c00;
    }
    // Rounding up may carry into the exponent, which gives the next larger number, possibly infinity.
    sign | low_u16(round_off(u64::from(exponent) << 52 | fraction, 42))
}

const BIAS: u16 = 1023;
const HALF_BIAS: u16 = 15;

/// Drops the low `shift` bits, rounding to nearest, ties to even.
fn round_off(value: u64, shift: u32) -> u64 {
    if shift > 63 {
        return 0;
    }
    let kept = value >> shift;
    let dropped = value & ((1 << shift) - 1);
    let tie = 1 << (shift - 1);
    if dropped > tie || (dropped == tie && kept & 1 == 1) { kept + 1 } else { kept }
}

#[expect(clippy::cast_possible_truncation, reason = "all callers have at most 16 bits left")]
fn low_u16(value: u64) -> u16 {
    value as u16
}

/// Returns the number that 16 bits stand for; `None` for infinities and NaN.
pub(super) fn from_half(bits: u16) -> Option<f64> {
    let fraction = f64::from(bits & 0x3ff);
    let magnitude = match bits >> 10 & 0x1f {
        31 => return None,
        0 => fraction * 2f64.powi(-24),
        exponent => (1024.0 + fraction) * 2f64.powi(i32::from(exponent) - 25),
    };
    Some(if bits & 0x8000 == 0 { magnitude } else { -magnitude })
}
