//! Floats as text: the shortest digits that read back as the same float, in SWI-Prolog's layout.

pub fn format_float(value: f64) -> String {
    if value.is_nan() {
        // SWI-Prolog writes the payload of a NaN as a float between 1 and 2 that has the payload as its
        // mantissa.
        let bits = value.to_bits() & ((1 << 52) - 1) | 0x3ff << 52;
        let sign = if value.is_sign_negative() { "-" } else { "" };
        return format!("{sign}{}NaN", format_float(f64::from_bits(bits)));
    }
    if value.is_infinite() {
        return if value < 0.0 { "-1.0Inf".to_owned() } else { "1.0Inf".to_owned() };
    }
    // Rust's exponent form `1.2345e6` has the shortest digits that read back.
    let text = format!("{value:e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, mantissa) = mantissa.strip_prefix('-').map_or(("", mantissa), |it| ("-", it));
    let digits = mantissa.replace('.', "");
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let point = exponent + 1;
    let n_digits = i32::try_from(digits.len()).unwrap_or(i32::MAX);
    if point <= -4 || 15 < point {
        let (first, rest) = digits.split_at(1);
        let rest = if rest.is_empty() { "0" } else { rest };
        let plus = if 0 < exponent { "+" } else { "" };
        return format!("{sign}{first}.{rest}e{plus}{exponent}");
    }
    if point <= 0 {
        let zeros = "0".repeat(usize::try_from(-point).unwrap_or(0));
        return format!("{sign}0.{zeros}{digits}");
    }
    let point = usize::try_from(point).unwrap_or(0);
    if point < digits.len() {
        let (whole, fraction) = digits.split_at(point);
        return format!("{sign}{whole}.{fraction}");
    }
    let zeros =
        "0".repeat(usize::try_from(i32::try_from(point).unwrap_or(0) - n_digits).unwrap_or(0));
    format!("{sign}{digits}{zeros}.0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_laid_out_as_swipl_does() {
        let check = |value: f64, expect: &str| assert_eq!(format_float(value), expect);
        check(1.0, "1.0");
        check(-0.0, "-0.0");
        check(1e10, "10000000000.0");
        check(1e15, "1.0e+15");
        check(1e22, "1.0e+22");
        check(123456789012345.0, "123456789012345.0");
        check(1.5e-10, "1.5e-10");
        check(0.0001, "0.0001");
        check(0.00001, "1.0e-5");
        check(1.25, "1.25");
    }
}
