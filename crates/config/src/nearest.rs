//! Suggestions for misspelt names.
//!
//! Knows only text: the caller provides the valid names.

/// Returns the name with the smallest edit distance, if it is small enough for a typing error.
pub fn nearest<'a>(meant: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let bound = (meant.chars().count() / 3).max(1);
    names
        .into_iter()
        .map(|it| (distance(meant, it), it))
        .filter(|(distance, _)| *distance <= bound)
        .min()
        .map(|(_, it)| it)
}

/// Returns the edit distance: insertions, deletions, replacements and swaps of neighbours.
fn distance(left: &str, right: &str) -> usize {
    let left: Vec<char> = left.chars().collect();
    let right: Vec<char> = right.chars().collect();
    let mut before_last = Vec::new();
    let mut last: Vec<usize> = (0..=right.len()).collect();
    for (row, c) in left.iter().enumerate() {
        let mut current = vec![row + 1];
        for (column, other) in right.iter().enumerate() {
            let cost =
                |cells: &[usize], at: usize| cells.get(at).copied().unwrap_or(usize::MAX - 1);
            let mut best = cost(&last, column) + usize::from(c != other);
            best = best.min(cost(&last, column + 1) + 1).min(cost(&current, column) + 1);
            let is_swap = 0 < row
                && 0 < column
                && left.get(row - 1) == Some(other)
                && right.get(column - 1) == Some(c);
            if is_swap {
                best = best.min(cost(&before_last, column - 1) + 1);
            }
            current.push(best);
        }
        before_last = std::mem::replace(&mut last, current);
    }
    last.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{distance, nearest};

    #[test]
    fn distances() {
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("seq", "seq"), 0);
        assert_eq!(distance("sqe", "seq"), 1);
        assert_eq!(distance("revrese", "reverse"), 1);
    }

    #[test]
    fn only_near_names_are_suggested() {
        assert_eq!(nearest("sqe", ["sort", "seq", "map"]), Some("seq"));
        assert_eq!(nearest("revrese", ["reverse", "sort"]), Some("reverse"));
        assert_eq!(nearest("nope", ["code"]), None);
        assert_eq!(nearest("zip", ["foldl", "reverse"]), None);
    }
}
