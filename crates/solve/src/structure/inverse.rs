//! Inverse operations: candidates for an operand that give a known result. They are guesses that evaluation checks.

use super::texts;
use num_traits::Signed;
use term::{Op, Term, apply};

/// Returns candidates for the operand at index `place`, given the other operand (if there is one) and the result
/// `target`.
pub(super) fn inverses(
    op: Op,
    place: usize,
    other: Option<&Term>,
    target: &Term,
    hint: Option<&Term>,
) -> Vec<Term> {
    let mut res: Vec<Option<Term>> = Vec::new();
    match (op, other) {
        (Op::Add, Some(other)) => res.push(apply(Op::Subtract, &[target, other])),
        (Op::Subtract, Some(other)) if place == 0 => res.push(apply(Op::Add, &[target, other])),
        (Op::Subtract, Some(other)) => res.push(apply(Op::Subtract, &[other, target])),
        (Op::Multiply, Some(other)) => {
            res.push(apply(Op::Quotient, &[target, other]));
            res.push(apply(Op::Divide, &[target, other]));
        }
        (Op::Divide, Some(other)) if place == 0 => {
            res.push(apply(Op::Multiply, &[target, other]));
        }
        (Op::Divide, Some(other)) => res.push(apply(Op::Divide, &[other, target])),
        (Op::Quotient, Some(other)) if place == 0 => {
            let low = apply(Op::Multiply, &[target, other]);
            if let (Some(low), Some(hint)) = (&low, hint) {
                // Keep the remainder of the hint.
                let rest = apply(Op::Remainder, &[hint, other]);
                res.push(rest.and_then(|it| apply(Op::Add, &[low, &it])));
            }
            res.push(low);
        }
        (Op::Quotient, Some(other)) => res.push(apply(Op::Quotient, &[other, target])),
        (Op::Remainder, Some(other)) if place == 0 => {
            if let Some(hint) = hint {
                let rest = apply(Op::Remainder, &[hint, other]);
                let whole = rest.and_then(|it| apply(Op::Subtract, &[hint, &it]));
                res.push(whole.and_then(|it| apply(Op::Add, &[&it, target])));
            }
            res.push(Some(target.clone()));
            res.push(apply(Op::Add, &[target, other]));
        }
        (Op::Remainder, Some(other)) => res.push(apply(Op::Subtract, &[other, target])),
        (Op::BitAnd, Some(mask)) => {
            // Keep the bits of the hint outside the mask.
            if let Some(hint) = hint {
                let rest =
                    apply(Op::BitNot, &[mask]).and_then(|it| apply(Op::BitAnd, &[hint, &it]));
                res.push(rest.and_then(|it| apply(Op::BitOr, &[&it, target])));
            }
            res.push(Some(target.clone()));
        }
        (Op::BitOr, Some(mask)) => {
            let rest = apply(Op::BitNot, &[mask]).and_then(|it| apply(Op::BitAnd, &[target, &it]));
            res.push(rest);
            res.push(Some(target.clone()));
        }
        (Op::BitXor, Some(other)) => res.push(apply(Op::BitXor, &[target, other])),
        (Op::ShiftLeft, Some(by)) if place == 0 => res.push(apply(Op::ShiftRight, &[target, by])),
        (Op::ShiftRight, Some(by)) if place == 0 => res.push(apply(Op::ShiftLeft, &[target, by])),
        (Op::ShiftLeft | Op::ShiftRight, Some(_)) => {
            res.extend((0..70).map(|it| Some(Term::Int(it))));
        }
        (Op::Negate, None) => res.push(apply(Op::Negate, &[target])),
        (Op::Absolute, None) => res.extend([Some(target.clone()), apply(Op::Negate, &[target])]),
        (Op::BitNot, None) => res.push(apply(Op::BitNot, &[target])),
        (Op::ToFloat, None) => {
            res.extend([Some(target.clone()), apply(Op::Truncate, &[target])]);
        }
        (Op::Truncate | Op::Round | Op::Floor | Op::Ceiling, None) => {
            res.extend([Some(target.clone()), apply(Op::ToFloat, &[target])]);
        }
        (Op::SquareRoot, None) => res.push(apply(Op::Multiply, &[target, target])),
        (Op::Exponential, None) => res.push(apply(Op::Logarithm, &[target])),
        (Op::Logarithm, None) => res.push(apply(Op::Exponential, &[target])),
        (Op::BinaryLogarithm, None) => res.push(apply(Op::Power, &[&Term::Int(2), target])),
        (Op::DecimalLogarithm, None) => res.push(apply(Op::Power, &[&Term::Int(10), target])),
        (Op::WholeBelow | Op::WholeAbove, None) => res.push(Some(target.clone())),
        (Op::Power, Some(other)) if place == 0 => {
            let root = apply(Op::Divide, &[&Term::Int(1), other]);
            res.push(root.and_then(|it| apply(Op::Power, &[target, &it])));
        }
        (Op::Power, Some(other)) => {
            let (whole, base) = (apply(Op::Logarithm, &[target]), apply(Op::Logarithm, &[other]));
            res.push(whole.zip(base).and_then(|(it, base)| apply(Op::Divide, &[&it, &base])));
        }
        (Op::Convert(conversion), None) => {
            let (back, _) = texts::inverse(conversion);
            res.push(apply(Op::Convert(back), &[target]));
        }
        (Op::IntegerToBits { is_little }, Some(_)) if place == 0 => {
            for is_signed in [false, true] {
                res.push(apply(Op::BitsToInteger { is_signed, is_little }, &[target]));
            }
        }
        _ => (),
    }
    let mut res: Vec<Term> = res.into_iter().flatten().collect();
    if op.is_of_floats() {
        // An integer operand may give the same float.
        let whole: Vec<Term> = res.iter().filter_map(|it| apply(Op::Round, &[it])).collect();
        res.extend(whole);
    }
    let floats: Vec<f64> = res
        .iter()
        .filter_map(|it| if let Term::Float(it) = it { Some(*it) } else { None })
        .collect();
    for float in floats {
        // Because of rounding, a neighbouring float may be the inverse.
        let near = [float.next_up(), float.next_down(), float.next_up().next_up()];
        res.extend(near.into_iter().filter(|it| it.is_finite()).map(Term::Float));
    }
    // Negative big integers come last.
    res.sort_by_key(|it| matches!(it, Term::Big(value) if value.is_negative()));
    res
}
