//! Where an integer lies among known ranges: a choice at each bound, not one for each number. What
//! is known of a character that was found among the digits is that it is one.

use crate::lift::{Lifting, own_expr};
use term::Op;
use values::Value;

/// A run of numbers, with both ends.
pub(crate) type Range = (i64, i64);

/// More ranges are told apart number by number.
pub(crate) const MAX_RANGES: usize = 32;

/// Choices of one call that have sites of their own.
const N_SITES: u32 = 6;

impl Lifting<'_> {
    /// Which of the ranges, in their order, an integer that is an input lies in. Takes the places
    /// from this one on to the end.
    pub(crate) fn range_of(
        &mut self,
        place: u32,
        number: Value,
        ranges: &[Range],
    ) -> Option<usize> {
        let expr = own_expr(number)?;
        let value = self.heap.to_big(number)?;
        let mut above: Option<i64> = None;
        for (site, (n, (low, high))) in (0..).zip(ranges.iter().enumerate()) {
            let place = place + 2 * N_SITES.min(site);
            // Where ranges touch, what is above one is not below the next.
            if above.and_then(|it| it.checked_add(1)) != Some(*low) {
                let bound = self.int(*low);
                let is_below = self.apply(Op::Less, &[expr, bound]);
                let holds = value < (*low).into();
                self.test(place, is_below, holds);
                if holds {
                    return None;
                }
            }
            let bound = self.int(*high);
            let is_inside = self.apply(Op::LessEqual, &[expr, bound]);
            let holds = value <= (*high).into();
            self.test(place + 1, is_inside, holds);
            if holds {
                return Some(n);
            }
            above = Some(*high);
        }
        None
    }
}

/// The ranges that numbers make up.
pub(crate) fn ranges(mut numbers: Vec<i64>) -> Vec<Range> {
    numbers.sort_unstable();
    let mut res: Vec<Range> = Vec::new();
    for number in numbers {
        match res.last_mut() {
            Some((_, high)) if number <= high.saturating_add(1) => *high = number,
            _ => res.push((number, number)),
        }
    }
    res
}

#[cfg(test)]
mod tests {
    use super::ranges;

    #[test]
    fn neighbours_are_one_range() {
        let numbers = |text: &str| text.bytes().map(i64::from).collect();
        assert_eq!(ranges(numbers("+-0129876543+")), [(43, 43), (45, 45), (48, 57)]);
        assert_eq!(ranges(vec![]), []);
        assert_eq!(ranges(vec![i64::MAX, i64::MAX - 1]), [(i64::MAX - 1, i64::MAX)]);
    }
}
