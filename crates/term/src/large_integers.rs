//! Multiplication, division and text conversion of integers of up to millions of digits.
//!
//! `num-bigint` does each of these in one call that can't be interrupted. Here large operands are split into parts
//! that take milliseconds each, and the work is counted before each part is done. The module knows no machine: the
//! implementation of [`Work`] decides when an operation must stop.

use num_bigint::{BigInt, BigUint, Sign};
use num_integer::Integer;
use num_traits::Zero;

/// Operands of at most this many bits are multiplied by `num-bigint` in one call.
const PART_BITS: u64 = 1 << 19;

/// How many multiplications of two 64-bit digits count as one step.
const PRODUCTS_PER_STEP: u64 = 8;

/// The number of digit products in one part of a division.
const PRODUCTS_PER_PART: u64 = 1 << 22;

/// Counts the steps of an operation before they are made.
pub trait Work {
    /// Why the operation must stop before it is finished.
    type Stopped;

    /// Counts `n_steps` steps that are about to be made. Returns an error if the operation must stop.
    fn count(&self, n_steps: u64) -> Result<(), Self::Stopped>;
}

fn n_digits(of: &BigUint) -> u64 {
    of.bits().div_ceil(64)
}

fn count_products<W: Work>(work: &W, n: u64) -> Result<(), W::Stopped> {
    work.count(n / PRODUCTS_PER_STEP)
}

pub fn multiply<W: Work>(work: &W, a: &BigInt, b: &BigInt) -> Result<BigInt, W::Stopped> {
    let sign = if a.sign() == b.sign() { Sign::Plus } else { Sign::Minus };
    Ok(BigInt::from_biguint(sign, product(work, a.magnitude(), b.magnitude())?))
}

/// Returns the quotient, rounded towards zero.
pub fn divide<W: Work>(work: &W, a: &BigInt, b: &BigInt) -> Result<BigInt, W::Stopped> {
    let sign = if a.sign() == b.sign() { Sign::Plus } else { Sign::Minus };
    Ok(BigInt::from_biguint(sign, quotient(work, a.magnitude(), b.magnitude())?.0))
}

/// Returns the remainder, which has the sign of the dividend.
pub fn remainder<W: Work>(work: &W, a: &BigInt, b: &BigInt) -> Result<BigInt, W::Stopped> {
    Ok(BigInt::from_biguint(a.sign(), quotient(work, a.magnitude(), b.magnitude())?.1))
}

/// Multiplies: operands below [`PART_BITS`] by `num-bigint`, larger ones by Karatsuba's method.
fn product<W: Work>(work: &W, a: &BigUint, b: &BigUint) -> Result<BigUint, W::Stopped> {
    let (long, short) = if a.bits() < b.bits() { (b, a) } else { (a, b) };
    let (n, m) = (n_digits(long), n_digits(short));
    if long.bits() <= PART_BITS || m <= 1 {
        // An estimate between the linear and the quadratic cost, because `num-bigint` switches algorithms by size.
        count_products(work, n * m.min(5 * m.isqrt() + 1))?;
        return Ok(long * short);
    }
    let half = 64 * if n > 2 * m { m.max(PART_BITS / 64) } else { n.div_ceil(2) };
    if short.bits() <= half {
        let mut sum = BigUint::zero();
        for (place, part) in parts(long, half).into_iter().enumerate().rev() {
            sum += product(work, &part, short)? << (place as u64 * half);
        }
        return Ok(sum);
    }
    let ((a1, a0), (b1, b0)) = (halves(long, half), halves(short, half));
    let (high, low) = (product(work, &a1, &b1)?, product(work, &a0, &b0)?);
    let middle = product(work, &(a1 + a0), &(b1 + b0))? - &high - &low;
    Ok((high << (2 * half)) + (middle << half) + low)
}

/// Splits a number into the part above its low `n_bits` bits and those bits. `n_bits` is a multiple of 32.
fn halves(of: &BigUint, n_bits: u64) -> (BigUint, BigUint) {
    (of >> n_bits, low_bits(of, n_bits))
}

fn low_bits(of: &BigUint, n_bits: u64) -> BigUint {
    let n = usize::try_from(n_bits / 32).unwrap_or(usize::MAX);
    BigUint::new(of.iter_u32_digits().take(n).collect())
}

/// Splits a number into parts of `n_bits` bits, the lowest part first.
fn parts(of: &BigUint, n_bits: u64) -> Vec<BigUint> {
    let digits = of.to_u32_digits();
    let n = usize::try_from(n_bits / 32).unwrap_or(usize::MAX);
    digits.chunks(n.max(1)).map(BigUint::from_slice).collect()
}

/// Divides one part of the dividend after the other, the highest first. The divisor is not 0.
fn quotient<W: Work>(work: &W, a: &BigUint, b: &BigUint) -> Result<(BigUint, BigUint), W::Stopped> {
    let (n, m) = (n_digits(a), n_digits(b));
    if n < m {
        return Ok((BigUint::zero(), a.clone()));
    }
    let products = (n - m + 1) * m;
    if products <= PRODUCTS_PER_PART || m <= 1 {
        count_products(work, products)?;
        return Ok(a.div_rem(b));
    }
    let part_bits = 64 * (PRODUCTS_PER_PART / m).max(16);
    let part_len = usize::try_from(part_bits / 32).unwrap_or(usize::MAX);
    let mut rest = BigUint::zero();
    let mut digits: Vec<u32> = Vec::new();
    for part in parts(a, part_bits).into_iter().rev() {
        count_products(work, part_bits / 64 * m)?;
        let (quotient, left) = ((rest << part_bits) + part).div_rem(b);
        rest = left;
        let mut found = quotient.to_u32_digits();
        found.resize(part_len, 0);
        // Digits are collected with the highest first and reversed at the end.
        digits.extend(found.into_iter().rev());
    }
    digits.reverse();
    Ok((BigUint::new(digits), rest))
}

/// Texts of at most this many digits are converted by `num-bigint` in one call.
const PART_LEN: usize = 1 << 13;

/// Returns the sign and the digits of an integer in lower case.
pub fn to_text<W: Work>(work: &W, of: &BigInt, base: u32) -> Result<String, W::Stopped> {
    let mut text = String::new();
    if of.sign() == Sign::Minus {
        text.push('-');
    }
    if base.is_power_of_two() {
        count_products(work, n_digits(of.magnitude()))?;
        text.push_str(&of.magnitude().to_str_radix(base));
        return Ok(text);
    }
    // The smallest number with more than `PART_LEN` digits, its square, the square of that, and so on.
    let mut powers = vec![BigUint::from(base).pow(u32::try_from(PART_LEN).unwrap_or(0))];
    while let Some(last) = powers.last()
        && last.bits() < of.bits()
    {
        let square = product(work, last, last)?;
        powers.push(square);
    }
    push_digits(work, of.magnitude(), base, &powers, None, &mut text)?;
    Ok(text)
}

/// Appends the digits: divides by the largest power and converts quotient and remainder with the smaller ones. `len` is
/// the number of digits to pad to with zeros, `None` for the leading part.
fn push_digits<W: Work>(
    work: &W,
    of: &BigUint,
    base: u32,
    powers: &[BigUint],
    len: Option<usize>,
    text: &mut String,
) -> Result<(), W::Stopped> {
    let Some((power, smaller)) = powers.split_last() else {
        count_products(work, n_digits(of).pow(2))?;
        let digits = of.to_str_radix(base);
        text.extend(std::iter::repeat_n('0', len.unwrap_or(0).saturating_sub(digits.len())));
        text.push_str(&digits);
        return Ok(());
    };
    if of < power && len.is_none() {
        return push_digits(work, of, base, smaller, None, text);
    }
    let (high, low) = quotient(work, of, power)?;
    let low_len = PART_LEN << smaller.len();
    let high_len = len.map(|it| it.saturating_sub(low_len));
    push_digits(work, &high, base, smaller, high_len, text)?;
    push_digits(work, &low, base, smaller, Some(low_len), text)
}

/// Returns the number with these digits, the highest first. Each digit must be below the base.
pub fn from_digits<W: Work>(work: &W, digits: &[u8], base: u32) -> Result<BigUint, W::Stopped> {
    let mut powers = Vec::new();
    if digits.len() > PART_LEN {
        powers.push(BigUint::from(base).pow(u32::try_from(PART_LEN).unwrap_or(0)));
    }
    while PART_LEN << powers.len() < digits.len()
        && let Some(last) = powers.last()
    {
        let square = product(work, last, last)?;
        powers.push(square);
    }
    number_of(work, digits, base, &powers)
}

fn number_of<W: Work>(
    work: &W,
    digits: &[u8],
    base: u32,
    powers: &[BigUint],
) -> Result<BigUint, W::Stopped> {
    let Some((power, smaller)) = powers.split_last() else {
        count_products(work, (digits.len() as u64 / 16).pow(2))?;
        return Ok(BigUint::from_radix_be(digits, base).unwrap_or_default());
    };
    let low_len = PART_LEN << smaller.len();
    let Some(n_high) = digits.len().checked_sub(low_len).filter(|it| *it > 0) else {
        return number_of(work, digits, base, smaller);
    };
    let (high, low) = digits.split_at(n_high);
    let high = number_of(work, high, base, smaller)?;
    Ok(product(work, &high, power)? + number_of(work, low, base, smaller)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_traits::Pow;
    use std::cell::Cell;

    /// The number of steps that are left.
    struct Steps(Cell<u64>);

    #[derive(Debug, PartialEq, Eq)]
    struct TooMany;

    impl Work for Steps {
        type Stopped = TooMany;

        fn count(&self, n_steps: u64) -> Result<(), TooMany> {
            self.0.set(self.0.get().checked_sub(n_steps).ok_or(TooMany)?);
            Ok(())
        }
    }

    fn steps(n: u64) -> Steps {
        Steps(Cell::new(n))
    }

    /// Returns a pseudo-random number of about `n_bits` bits.
    fn number(seed: u32, n_bits: u64) -> BigInt {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state ^ state >> 15
        };
        let n = usize::try_from(n_bits.div_ceil(32)).expect("a length");
        BigInt::from(BigUint::new((0..n).map(|_| next()).collect())) >> (n_bits % 7)
    }

    #[test]
    fn parts_make_the_same_as_the_whole() {
        let work = steps(u64::MAX);
        let sizes = [1, 64, 1000, 1 << 19, (1 << 19) + 1, 3 << 19, 5 << 19];
        for (n, m) in sizes.into_iter().flat_map(|n| sizes.map(|m| (n, m))) {
            let (a, b) = (-number(1, n) - 1, number(2, m) + 1);
            assert!(multiply(&work, &a, &b) == Ok(&a * &b), "{n} bits * {m} bits");
            assert!(divide(&work, &a, &b) == Ok(&a / &b), "{n} bits div {m} bits");
            assert!(remainder(&work, &a, &b) == Ok(&a % &b), "{n} bits rem {m} bits");
        }
    }

    #[test]
    fn texts_are_those_of_the_whole() {
        let work = steps(u64::MAX);
        let ten = BigInt::from(10);
        let round = [8191u32, 8192, 8193, 16384, 32768, 40000].map(|it| Pow::pow(&ten, it));
        let others = [0, 40, 27_000, 28_000, 300_000].map(|it| -number(3, it));
        for it in round.iter().flat_map(|it| [it.clone(), it - 1]).chain(others) {
            for base in [10, 16, 36] {
                let text = it.to_str_radix(base);
                assert!(to_text(&work, &it, base) == Ok(text.clone()), "{} bits", it.bits());
                let digits = text.trim_start_matches('-').bytes();
                let digit =
                    |it: u8| char::from(it).to_digit(36).and_then(|it| u8::try_from(it).ok());
                let digits: Vec<u8> = digits.filter_map(digit).collect();
                let read = from_digits(&work, &digits, base);
                assert!(read == Ok(it.magnitude().clone()), "{} digits", digits.len());
            }
        }
    }

    #[test]
    fn work_is_counted_before_it_is_done() {
        let a = number(1, 1 << 25);
        assert_eq!(multiply(&steps(64_000), &a, &a), Err(TooMany));
        assert_eq!(to_text(&steps(64_000), &a, 10), Err(TooMany));
    }
}
