//! Prints floats as OTP 25 does: with the fewest digits that read back as the same number.
//!
//! The layout is that of `float_to_list(F, [short])`: the shorter of the plain and the scientific notation, the plain
//! one if they are equally long, and always the scientific one from 2^53 on, where neighbouring integers cannot be
//! distinguished.

/// Returns the text of a finite float; it always contains a point with digits on both sides.
pub fn float_text(value: f64) -> String {
    let sign = if value.is_sign_negative() { "-" } else { "" };
    let (digits, point) = shortest(value.abs());
    let body = if value.abs() < EXACT {
        plain_or_scientific(&digits, point)
    } else {
        scientific(&digits, point)
    };
    format!("{sign}{body}")
}

/// 2^53: from here on not every integer is a float.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Returns the significant digits, and the position of the point from their left end.
fn shortest(value: f64) -> (String, i32) {
    let (digits, exponent) = split(&format!("{value:e}"));
    let digits = even_neighbour(value, digits.len()).unwrap_or(digits);
    (digits, exponent + 1)
}

/// Returns the digits and the exponent of a text in scientific notation.
fn split(text: &str) -> (String, i32) {
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let digits = mantissa.chars().filter(char::is_ascii_digit).collect();
    (digits, exponent.parse().unwrap_or(0))
}

/// Where a float lies exactly between two texts of `len` digits, OTP chooses the even one and Rust the greater one.
/// Returns the digits if the even one is the lesser.
fn even_neighbour(value: f64, len: usize) -> Option<String> {
    let (mut digits, exponent) = split(&format!("{value:.len$e}"));
    if digits.pop() != Some('5') || !digits.ends_with(['2', '4', '6', '8']) {
        return None;
    }
    // All digits that a float can have.
    let (all, _) = split(&format!("{value:.800e}"));
    let is_tie = all.get(len + 1..)?.bytes().all(|it| it == b'0');
    let (first, rest) = digits.split_at_checked(1)?;
    let reads_back = format!("{first}.{rest}e{exponent}").parse() == Ok(value);
    (is_tie && reads_back).then_some(digits)
}

fn plain_or_scientific(digits: &str, point: i32) -> String {
    let n_digits = i32::try_from(digits.len()).unwrap_or(i32::MAX);
    if point == 1 && digits == "0" {
        return "0.0".to_owned();
    }
    if 0 < point && point < n_digits {
        let (whole, rest) = digits.split_at(usize::try_from(point).unwrap_or(0));
        return format!("{whole}.{rest}");
    }
    if point == 0 {
        return format!("0.{digits}");
    }
    // The additional length of the scientific notation: the point (and the zero that must follow it), the `e`, and the
    // exponent.
    let for_point = if n_digits == 1 { 2 } else { 1 };
    let exponent_len = i32::try_from((point - 1).to_string().len()).unwrap_or(i32::MAX);
    let cost = exponent_len + 1 + for_point;
    let zeros = |n: i32| "0".repeat(usize::try_from(n).unwrap_or(0));
    if point < 0 && 2 - point <= cost {
        format!("0.{}{digits}", zeros(-point))
    } else if n_digits <= point && point - n_digits + 2 <= cost {
        format!("{digits}{}.0", zeros(point - n_digits))
    } else {
        scientific(digits, point)
    }
}

fn scientific(digits: &str, point: i32) -> String {
    let (first, rest) = digits.split_at(1);
    let rest = if rest.is_empty() { "0" } else { rest };
    format!("{first}.{rest}e{}", point - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(value: f64, expect: &str) {
        assert_eq!(float_text(value), expect);
    }

    #[test]
    fn the_shorter_notation_wins() {
        check(0.0, "0.0");
        check(-0.0, "-0.0");
        check(1.0, "1.0");
        check(0.1, "0.1");
        check(10.0, "10.0");
        check(100.0, "100.0");
        check(1000.0, "1.0e3");
        check(0.001, "0.001");
        check(0.0001, "0.0001");
        check(0.000_12, "1.2e-4");
        check(1.0e-5, "1.0e-5");
        check(1.0e5, "1.0e5");
        check(123_456_789.0, "123456789.0");
        check(123_400.0, "1.234e5");
        check(1_234.5, "1234.5");
        check(-2.5, "-2.5");
    }

    #[test]
    fn of_two_equally_near_texts_the_even_one_is_taken() {
        check(1_310_150_405_114_557.2, "1310150405114557.2");
        check(1_310_150_405_114_557.8, "1310150405114557.8");
        check(5_902_958_103_587_056_517_120.0, "5.902958103587057e21");
    }

    #[test]
    fn great_floats_are_scientific() {
        check(9_007_199_254_740_991.0, "9007199254740991.0");
        check(9_007_199_254_740_992.0, "9.007199254740992e15");
        check(1.0e22, "1.0e22");
        check(f64::MAX, "1.7976931348623157e308");
        check(5e-324, "5.0e-324");
    }
}
