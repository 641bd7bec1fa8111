//! `roundtoward(Expression, Mode)`: floats with another rounding mode than to nearest.
//!
//! The basic operations and `sqrt` are compared with their exact results as rationals. Other functions round
//! to nearest in every mode.

use crate::data::{Number, Rational};
use std::cmp::Ordering;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rounding {
    Nearest,
    Up,
    Down,
    Zero,
}

impl Rounding {
    pub(super) fn named(name: &str) -> Option<Rounding> {
        Some(match name {
            "to_nearest" => Rounding::Nearest,
            "to_positive" => Rounding::Up,
            "to_negative" => Rounding::Down,
            "to_zero" => Rounding::Zero,
            _ => return None,
        })
    }

    /// Adjusts a result that was rounded to the nearest float to this mode.
    pub(super) fn adjust(self, name: &str, of: &[Number], res: Number) -> Number {
        let Number::Float(nearest) = res else { return res };
        let Some(order) = exact_order(name, of, nearest) else { return res };
        let up = match self {
            Rounding::Nearest => return res,
            Rounding::Up => true,
            Rounding::Down => false,
            Rounding::Zero => nearest < 0.0,
        };
        match (order, up) {
            (Ordering::Less, true) => Number::Float(nearest.next_up()),
            (Ordering::Greater, false) => Number::Float(nearest.next_down()),
            _ => res,
        }
    }
}

/// Compares a rounded result with the exact one; `None` if the exact result is not known.
fn exact_order(name: &str, of: &[Number], nearest: f64) -> Option<Ordering> {
    let rounded = Rational::from_float(nearest)?;
    let numbers: Option<Vec<Rational>> = of.iter().map(Number::to_rational).collect();
    let exact = match (name, numbers?.as_slice()) {
        ("+", [a, b]) => a.add(b),
        ("-", [a, b]) => a.sub(b),
        ("*", [a, b]) => a.mul(b),
        ("/", [a, b]) => a.div(b)?,
        ("sqrt", [a]) => return Some(rounded.mul(&rounded).compare(a)),
        _ => return None,
    };
    Some(rounded.compare(&exact))
}
