//! Conversions of counts and indices to the width of ids.

/// Converts a count or an index to `u32`.
///
/// # Panics
///
/// Panics if the number exceeds `u32::MAX`: a truncated or saturated id would silently name another object. The
/// machines reach their memory limits long before they have that many objects.
#[track_caller]
pub fn fit_u32(n: usize) -> u32 {
    u32::try_from(n).unwrap_or_else(|_| panic!("{n} does not fit 32 bits"))
}

#[cfg(test)]
mod tests {
    use super::fit_u32;

    #[test]
    fn what_fits_is_converted() {
        assert_eq!(fit_u32(7), 7);
    }

    #[test]
    #[should_panic(expected = "4294967296 does not fit 32 bits")]
    fn what_does_not_fit_panics() {
        fit_u32(1 << 32);
    }
}
