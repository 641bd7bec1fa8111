//! Tests in which of several known ranges an integer lies: one choice for each bound instead of one for each integer.
//! For example, the path constraint of a digit is only that it is a digit.

use crate::lift::{Lifting, own_expr};
use term::Op;
use values::Value;

/// An interval of integers, both ends included.
pub(crate) type Range = (i64, i64);

/// With more ranges than this, the integers are distinguished one by one.
pub(crate) const MAX_RANGES: usize = 32;

/// The number of ranges with sites of their own; further ranges share the last sites.
const N_SITES: u32 = 6;

impl Lifting<'_> {
    /// The index of the range in which a symbolic integer lies; `None` if it lies in none of them. The ranges are
    /// sorted. Uses the sites from `site_index` on.
    pub(crate) fn range_of(
        &mut self,
        site_index: u32,
        number: Value,
        ranges: &[Range],
    ) -> Option<usize> {
        let expr = own_expr(number)?;
        let value = self.heap.to_big(number)?;
        let mut above: Option<i64> = None;
        for (site, (n, (low, high))) in (0..).zip(ranges.iter().enumerate()) {
            let site_index = site_index + 2 * N_SITES.min(site);
            // If this range is adjacent to the one before, the integer can't lie between them.
            if above.and_then(|it| it.checked_add(1)) != Some(*low) {
                let bound = self.int(*low);
                let is_below = self.apply(Op::Less, &[expr, bound]);
                let holds = value < (*low).into();
                self.test(site_index, is_below, holds);
                if holds {
                    return None;
                }
            }
            let bound = self.int(*high);
            let is_inside = self.apply(Op::LessEqual, &[expr, bound]);
            let holds = value <= (*high).into();
            self.test(site_index + 1, is_inside, holds);
            if holds {
                return Some(n);
            }
            above = Some(*high);
        }
        None
    }
}

/// The maximal ranges of a set of numbers.
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
