//! The objects of a table in the order of their keys: a list of short sorted runs.
//!
//! Positions are found by comparing contents, never by address, because the collector moves objects. Knows no keys: the
//! caller passes a function that compares a row with the wanted key.

use std::cmp::Ordering;
use values::Value;

/// The maximum length of a run: long enough to keep the runs few, short enough to keep insertion cheap.
const MAX_RUN: usize = 256;

#[derive(Clone, Debug, Default)]
pub(super) struct Rows {
    /// The runs in order, none of them empty.
    runs: Vec<Vec<Value>>,
    len: usize,
}

/// The position of a row, or the position to insert it at. Valid until a row is inserted or removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RowPosition {
    run: usize,
    at: usize,
}

impl Rows {
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Returns the position of the first row that is not less than the wanted key.
    pub(super) fn lower(&self, order: impl Fn(Value) -> Ordering) -> RowPosition {
        self.partition(|row| order(row) == Ordering::Less)
    }

    /// Returns the position of the first row that is greater than the wanted key.
    pub(super) fn upper(&self, order: impl Fn(Value) -> Ordering) -> RowPosition {
        self.partition(|row| order(row) != Ordering::Greater)
    }

    fn partition(&self, is_before: impl Fn(Value) -> bool) -> RowPosition {
        let run = self.runs.partition_point(|run| run.last().is_some_and(|it| is_before(*it)));
        let at = self.runs.get(run).map_or(0, |run| run.partition_point(|it| is_before(*it)));
        RowPosition { run, at }
    }

    pub(super) fn start(&self) -> RowPosition {
        RowPosition { run: 0, at: 0 }
    }

    pub(super) fn end(&self) -> RowPosition {
        RowPosition { run: self.runs.len(), at: 0 }
    }

    pub(super) fn get(&self, place: RowPosition) -> Option<Value> {
        self.runs.get(place.run)?.get(place.at).copied()
    }

    pub(super) fn after(&self, place: RowPosition) -> RowPosition {
        match self.runs.get(place.run) {
            Some(run) if place.at + 1 < run.len() => {
                RowPosition { run: place.run, at: place.at + 1 }
            }
            _ => RowPosition { run: place.run + 1, at: 0 },
        }
    }

    pub(super) fn before(&self, place: RowPosition) -> Option<RowPosition> {
        if let Some(at) = place.at.checked_sub(1) {
            return Some(RowPosition { run: place.run, at });
        }
        let run = place.run.checked_sub(1)?;
        let at = self.runs.get(run)?.len().checked_sub(1)?;
        Some(RowPosition { run, at })
    }

    /// Returns the rows from one position up to, but not including, another.
    pub(super) fn between(&self, from: RowPosition, to: RowPosition) -> Vec<Value> {
        let mut res = Vec::new();
        let mut place = from;
        while place < to
            && let Some(row) = self.get(place)
        {
            res.push(row);
            place = self.after(place);
        }
        res
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Value> {
        self.runs.iter().flatten().copied()
    }

    /// Returns the n-th row, counted from zero.
    pub(super) fn nth(&self, n: usize) -> Option<Value> {
        let mut left = n;
        for run in &self.runs {
            if let Some(row) = run.get(left) {
                return Some(*row);
            }
            left -= run.len();
        }
        None
    }

    pub(super) fn insert(&mut self, place: RowPosition, row: Value) {
        self.len += 1;
        // An insertion at the end extends the last run.
        let place = match self.runs.last() {
            Some(last) if place.run >= self.runs.len() => {
                RowPosition { run: self.runs.len() - 1, at: last.len() }
            }
            _ => place,
        };
        let Some(run) = self.runs.get_mut(place.run) else {
            self.runs.push(vec![row]);
            return;
        };
        run.insert(place.at.min(run.len()), row);
        if run.len() > MAX_RUN {
            // If rows arrive in ascending order, splitting at the end leaves full runs behind.
            let half = if place.at + 1 >= run.len() { MAX_RUN } else { run.len() / 2 };
            let rest = run.split_off(half);
            self.runs.insert(place.run + 1, rest);
        }
    }

    pub(super) fn replace(&mut self, place: RowPosition, row: Value) {
        if let Some(slot) = self.runs.get_mut(place.run).and_then(|it| it.get_mut(place.at)) {
            *slot = row;
        }
    }

    /// Removes a row. Positions before it stay valid.
    pub(super) fn remove(&mut self, place: RowPosition) -> Option<Value> {
        let run = self.runs.get_mut(place.run)?;
        if place.at >= run.len() {
            return None;
        }
        let row = run.remove(place.at);
        self.len -= 1;
        if run.is_empty() {
            self.runs.remove(place.run);
            return Some(row);
        }
        let len = run.len();
        if self.runs.get(place.run + 1).is_some_and(|next| len + next.len() <= MAX_RUN / 2) {
            let next = self.runs.remove(place.run + 1);
            if let Some(run) = self.runs.get_mut(place.run) {
                run.extend(next);
            }
        }
        Some(row)
    }

    pub(super) fn visit_roots(&mut self, visit: &mut dyn FnMut(&mut [Value])) {
        for run in &mut self.runs {
            visit(run);
        }
    }

    /// Checks the invariant: no run is empty, and `len` is the number of rows.
    pub(super) fn is_sound(&self) -> bool {
        self.runs.iter().all(|it| !it.is_empty())
            && self.runs.iter().map(Vec::len).sum::<usize>() == self.len
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_RUN, Rows};
    use values::Value;

    fn place_of(rows: &Rows, key: i64) -> super::RowPosition {
        rows.lower(|row| row.as_int().unwrap().cmp(&key))
    }

    /// Compares insertions and removals with those in a sorted vector.
    fn check(steps: impl Iterator<Item = (bool, i64)>) {
        let mut rows = Rows::default();
        let mut model: Vec<i64> = Vec::new();
        for (inserts, key) in steps {
            let place = place_of(&rows, key);
            let found = model.binary_search(&key);
            assert_eq!(rows.get(place).and_then(Value::as_int) == Some(key), found.is_ok());
            match (inserts, found) {
                (true, Err(at)) => {
                    rows.insert(place, Value::int(key));
                    model.insert(at, key);
                }
                (false, Ok(at)) => {
                    rows.remove(place);
                    model.remove(at);
                }
                (true, Ok(_)) | (false, Err(_)) => {}
            }
        }
        assert!(rows.is_sound());
        assert_eq!(rows.iter().map(|it| it.as_int().unwrap()).collect::<Vec<_>>(), model);
        let mut backwards = Vec::new();
        let mut place = rows.end();
        while let Some(before) = rows.before(place) {
            backwards.push(rows.get(before).unwrap().as_int().unwrap());
            place = before;
        }
        backwards.reverse();
        assert_eq!(backwards, model);
        assert_eq!(
            rows.nth(model.len() / 2).and_then(Value::as_int),
            model.get(model.len() / 2).copied()
        );
    }

    #[test]
    fn rows_behave_as_a_sorted_vector() {
        let n = 4 * i64::try_from(MAX_RUN).unwrap();
        check((0..n).map(|it| (true, it)));
        check((0..n).rev().map(|it| (true, it)));
        check((0..n).map(|it| (true, it)).chain((0..n).map(|it| (false, it))));
        let mut seed = 1_u64;
        check((0..20_000).map(|_| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 63 == 0, i64::try_from((seed >> 33) % 1500).unwrap())
        }));
    }
}
