//! A solver for difference constraints: integers that are ordered, equal, distinct, or at a fixed distance from each
//! other.
//!
//! Each row bounds the difference of two numbers, so all of them form a graph. A cycle of negative length proves that
//! there is no solution, and shortest paths give one (the Bellman–Ford algorithm). Other rows are left out; the answer
//! can then only be "no solution" or "gave up".

use crate::numbers::{Number, Problem, Row, Solution, Unknown};
use term::{Op, Term};

/// Solves the differences between the unknowns, with numbers as near to the hints as possible.
pub(crate) fn find(problem: &Problem) -> Solution {
    let mut graph = Graph::default();
    graph.add_unknowns(&problem.unknowns);
    problem.rows.iter().for_each(|it| graph.add_row(it));
    if graph.edges.len() > MAX_EDGES {
        return Solution::GaveUp;
    }
    if !graph.settle() {
        return Solution::Nothing;
    }
    if graph.n_left_out > 0 {
        return Solution::GaveUp;
    }
    if graph.part() { graph.solution() } else { Solution::GaveUp }
}

const MAX_EDGES: usize = 2_000;

/// Larger numbers are left to other solvers.
const MAX_SIZE: i64 = 1 << 60;

/// The graph of the constraints. Vertex 0 stands for zero, the others for the unknowns.
#[derive(Debug, Default)]
struct Graph {
    edges: Vec<Edge>,
    /// Pairs of vertices that must not have this distance.
    apart: Vec<Edge>,
    /// How many rows and bounds are no difference constraints and were left out.
    n_left_out: usize,
    at: Vec<i64>,
    /// Unknowns that are floats; difference constraints on them are not exact.
    floats: Vec<usize>,
}

/// The constraint `to - from =< most`.
#[derive(Clone, Copy, Debug)]
struct Edge {
    from: usize,
    to: usize,
    most: i64,
}

/// A vertex plus a constant.
type Point = (usize, i64);

impl Graph {
    fn add_unknowns(&mut self, unknowns: &[Unknown]) {
        self.at.push(0);
        for (n, unknown) in unknowns.iter().enumerate() {
            let hint = unknown.hint.as_ref().and_then(Term::as_int);
            self.at.push(hint.filter(|it| it.abs() < MAX_SIZE).unwrap_or(0));
            if unknown.is_float {
                self.floats.push(n + 1);
                self.n_left_out += 1;
                continue;
            }
            let this = (n + 1, 0);
            for (bound, is_low) in [(&unknown.low, true), (&unknown.high, false)] {
                let Some((bound, is_strict)) = bound else { continue };
                let Some(at) = small(bound) else {
                    self.n_left_out += 1;
                    continue;
                };
                let bound = (0, at);
                let (low, high) = if is_low { (bound, this) } else { (this, bound) };
                self.below(low, high, *is_strict);
            }
            for excluded in &unknown.excluded {
                if let Some(at) = small(excluded) {
                    self.apart.push(Edge { from: 0, to: n + 1, most: at });
                }
            }
        }
    }

    fn add_row(&mut self, row: &Row) {
        match row {
            Row::Holds(op, [a, b], holds) => {
                let (Some(a), Some(b)) = (self.point(a), self.point(b)) else {
                    self.n_left_out += 1;
                    return;
                };
                match (op, holds) {
                    (Op::Less, true) => self.below(a, b, true),
                    (Op::Less, false) => self.below(b, a, false),
                    (Op::LessEqual, true) => self.below(a, b, false),
                    (Op::LessEqual, false) => self.below(b, a, true),
                    (Op::Same | Op::Equal, true) => self.same(a, b),
                    (Op::Same | Op::Equal, false) => {
                        self.apart.push(Edge { from: a.0, to: b.0, most: a.1 - b.1 });
                    }
                    _ => self.n_left_out += 1,
                }
            }
            Row::Is(result, op @ (Op::Add | Op::Subtract), args) => {
                let points: Option<Vec<Point>> = args.iter().map(|it| self.point(it)).collect();
                let (Some(result), Some(points)) = (self.point(result), points) else {
                    self.n_left_out += 1;
                    return;
                };
                match (op, points.as_slice()) {
                    (Op::Add, [(0, n), (at, by)] | [(at, by), (0, n)]) => {
                        self.same(result, (*at, n + by));
                    }
                    (Op::Subtract, [(at, by), (0, n)]) => self.same(result, (*at, by - n)),
                    // The difference of two unknowns is known.
                    (Op::Subtract, [(a, by), (b, less)]) if result.0 == 0 => {
                        self.same((*a, *by), (*b, less + result.1));
                    }
                    _ => self.n_left_out += 1,
                }
            }
            Row::Is(..) => self.n_left_out += 1,
        }
    }

    fn point(&self, number: &Number) -> Option<Point> {
        match number {
            Number::Known(term) => small(term).map(|it| (0, it)),
            Number::Unknown(place) => {
                Some((place.0 + 1, 0)).filter(|it| !self.floats.contains(&it.0))
            }
        }
    }

    fn below(&mut self, low: Point, high: Point, is_strict: bool) {
        // low + l =< high + h, so low - high =< h - l.
        let most = high.1 - low.1 - i64::from(is_strict);
        self.edges.push(Edge { from: high.0, to: low.0, most });
    }

    fn same(&mut self, a: Point, b: Point) {
        self.below(a, b, false);
        self.below(b, a, false);
    }

    /// Relaxes all edges until they hold; returns `false` if there is a negative cycle.
    fn settle(&mut self) -> bool {
        for _ in 0..=self.at.len() {
            let mut has_moved = false;
            for Edge { from, to, most } in &self.edges {
                let (Some(from), Some(to)) = (self.at.get(*from).copied(), self.at.get_mut(*to))
                else {
                    continue;
                };
                let limit = from.saturating_add(*most);
                if limit < *to {
                    *to = limit;
                    has_moved = true;
                }
            }
            if !has_moved {
                return true;
            }
        }
        false
    }

    /// Separates the pairs that must differ, by trying both orders; returns `false` if that failed.
    fn part(&mut self) -> bool {
        for _ in 0..=2 * self.apart.len() {
            let is_met = |it: &&Edge| self.distance(it) == it.most;
            let Some(Edge { from, to, most }) = self.apart.iter().find(is_met).copied() else {
                return true;
            };
            let (before, n_edges) = (self.at.clone(), self.edges.len());
            let below = Edge { from, to, most: most - 1 };
            let above = Edge { from: to, to: from, most: -most - 1 };
            let mut is_parted = false;
            for way in [above, below] {
                self.edges.push(way);
                is_parted = self.settle();
                if is_parted {
                    break;
                }
                self.edges.truncate(n_edges);
                self.at.clone_from(&before);
            }
            if !is_parted {
                return false;
            }
        }
        false
    }

    fn distance(&self, edge: &Edge) -> i64 {
        let at = |n: usize| self.at.get(n).copied().unwrap_or(0);
        at(edge.to).saturating_sub(at(edge.from))
    }

    fn solution(&self) -> Solution {
        let zero = self.at.first().copied().unwrap_or(0);
        let numbers = self.at.iter().skip(1);
        Solution::Found(numbers.map(|it| Term::Int(it.saturating_sub(zero))).collect())
    }
}

fn small(term: &Term) -> Option<i64> {
    term.as_int().filter(|it| it.abs() < MAX_SIZE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::UnknownId;

    fn unknown(hint: i64) -> Unknown {
        let hint = Some(Term::Int(hint));
        Unknown { is_float: false, low: None, high: None, excluded: Vec::new(), hint }
    }

    fn is(place: usize) -> Number {
        Number::Unknown(UnknownId(place))
    }

    fn check(hints: &[i64], rows: Vec<Row>, expect: &Solution) {
        let unknowns = hints.iter().map(|it| unknown(*it)).collect();
        assert_eq!(find(&Problem { unknowns, rows }), *expect);
    }

    #[test]
    fn orders_and_distances() {
        let less = |a, b| Row::Holds(Op::Less, [is(a), is(b)], true);
        let found = |it: &[i64]| Solution::Found(it.iter().copied().map(Term::Int).collect());
        check(&[5, 3], vec![less(0, 1)], &found(&[2, 3]));
        check(&[1, 2, 3], vec![less(0, 1), less(1, 2), less(2, 0)], &Solution::Nothing);
        let sum = Row::Is(is(1), Op::Add, vec![is(0), Number::Known(Term::Int(7))]);
        check(&[1, 1], vec![sum.clone()], &found(&[-6, 1]));
        check(&[1, 1], vec![sum, less(1, 0)], &Solution::Nothing);
        let apart = Row::Holds(Op::Same, [is(0), is(1)], false);
        check(&[4, 4], vec![apart], &found(&[3, 4]));
        // With a row that is no difference, the answer is unknown.
        let product = Row::Is(is(0), Op::Multiply, vec![is(0), is(1)]);
        check(&[4, 4], vec![product], &Solution::GaveUp);
    }
}
