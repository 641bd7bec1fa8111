//! Local search for numbers, and for bytes of binaries, near the hint: the alternating variable method [Korel 1990].
//! One number at a time is changed in ever larger steps; the model nearest to satisfying the constraints is explored
//! first.
//!
//! It solves chains of divisions and products, where solving is hard and evaluating is cheap. It finds models, but
//! proves nothing.

use crate::Query;
use rustc_hash::FxHashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use term::{Expr, ExprId, Model, Scratch, Term, Var, float_at, place_of};

/// Returns a model near the hint; `None` if none was found within the evaluation of `work` expressions.
pub(crate) fn climb(query: &Query<'_>, work: usize, halt: &AtomicBool) -> Option<Model> {
    let vars = query.constraints.iter().fold(0, |sum, it| sum | query.exprs.vars(it.expr));
    let mut leaves = Vec::new();
    for (var, term) in &query.hint.values {
        if vars >> var.0.min(63) & 1 == 1 {
            add_leaves(*var, term, &mut Vec::new(), &mut leaves);
        }
    }
    if leaves.is_empty() || leaves.len() > MAX_LEAVES {
        return None;
    }
    let mut climber =
        Climber { query, halt, scratch: Scratch::default(), left: work, steps: steps(query) };
    climber.run(&leaves)
}

/// The maximal number of leaves in the input. Inputs with more numbers are left to the layers that know structure.
const MAX_LEAVES: usize = 24;

/// How many expressions are searched for constants.
const MAX_EXPRS: usize = 2_000;

/// How many constants are used as step sizes.
const MAX_CONSTANTS: usize = 12;

/// A number in the input, by its variable and the path of indices to it.
struct Leaf {
    var: Var,
    path: Vec<usize>,
    kind: LeafKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LeafKind {
    Integer,
    /// A byte of a binary.
    Byte,
    Float,
}

/// A change of a number.
#[derive(Clone, Copy, Debug)]
enum Move {
    By(i64),
    /// Adds a fraction.
    Fraction(f64),
    /// Moves to the n-th next float.
    Ulps(i64),
}

fn add_leaves(var: Var, term: &Term, path: &mut Vec<usize>, res: &mut Vec<Leaf>) {
    if res.len() > MAX_LEAVES {
        return;
    }
    let parts = match term {
        Term::Int(_) | Term::Float(_) => {
            let is_float = matches!(term, Term::Float(_));
            let kind = if is_float { LeafKind::Float } else { LeafKind::Integer };
            res.push(Leaf { var, path: path.clone(), kind });
            return;
        }
        Term::Bits(bits) => {
            let n_bytes = bits.as_bytes().map_or(0, <[u8]>::len);
            let path = |n: usize| path.iter().copied().chain([n]).collect();
            let kind = LeafKind::Byte;
            res.extend((0..n_bytes).map(|n| Leaf { var, path: path(n), kind }));
            return;
        }
        Term::Tuple(items) => items,
        Term::List(list) => &list.items,
        Term::Big(_)
        | Term::Atom(_)
        | Term::Nil
        | Term::Map(_)
        | Term::Fun(_)
        | Term::Pid(_)
        | Term::Port(_)
        | Term::Ref(_) => return,
    };
    for (n, part) in parts.iter().enumerate() {
        path.push(n);
        add_leaves(var, part, path, res);
        path.pop();
    }
}

/// Returns the step sizes: powers of two, and the constants of the program, since a quotient by 7 changes at multiples
/// of 7.
fn steps(query: &Query<'_>) -> Vec<i64> {
    let mut res: Vec<i64> = (0..44).map(|it| 1 << it).collect();
    let mut seen: FxHashSet<ExprId> = FxHashSet::default();
    let mut todo: Vec<ExprId> = query.constraints.iter().rev().map(|it| it.expr).collect();
    let mut n_constants = 0;
    while let Some(id) = todo.pop() {
        if !seen.insert(id) || seen.len() > MAX_EXPRS {
            continue;
        }
        match query.exprs.get(id) {
            Some(Expr::Const(Term::Int(value))) if value.unsigned_abs() > 2 => {
                let step = value.saturating_abs();
                if n_constants < MAX_CONSTANTS && !res.contains(&step) {
                    n_constants += 1;
                    res.push(step);
                }
            }
            Some(Expr::Apply(_, args)) => todo.extend(args.iter()),
            Some(Expr::Const(_) | Expr::Var(_)) | None => (),
        }
    }
    res
}

struct Climber<'a, 'q> {
    query: &'a Query<'q>,
    halt: &'a AtomicBool,
    scratch: Scratch,
    /// How many expressions may still be evaluated.
    left: usize,
    steps: Vec<i64>,
}

impl Climber<'_, '_> {
    /// Best-first search. Moves that lead no nearer are kept, too, as they may be the first of two that do.
    fn run(&mut self, leaves: &[Leaf]) -> Option<Model> {
        let here = self.query.hint.clone();
        let work = self.left;
        let begin = self.height(&here, f64::INFINITY);
        // If a single evaluation is expensive, the few that the budget allows would not find anything.
        if self.left < (work - self.left) * leaves.len() * LEAST_STEPS {
            return None;
        }
        let mut waiting = vec![(begin, here)];
        while let Some((_, here)) = waiting.pop() {
            if self.halt.load(Ordering::Relaxed) {
                return None;
            }
            for leaf in leaves {
                for step in self.moves(leaf.kind) {
                    let Some(next) = moved(&here, leaf, step) else { continue };
                    if self.left == 0 {
                        return None;
                    }
                    let height = self.height(&next, begin);
                    if height <= 0.0 {
                        return Some(next);
                    }
                    if height <= begin {
                        waiting.push((height, next));
                    }
                }
            }
            // Among models at equal distance, the first one found is explored first.
            waiting.reverse();
            waiting.sort_by(|a, b| b.0.total_cmp(&a.0));
            waiting.drain(..waiting.len().saturating_sub(MAX_WAITING));
        }
        None
    }

    fn moves(&self, kind: LeafKind) -> Vec<Move> {
        let both = |it: i64| [Move::By(it), Move::By(-it)];
        let steps = self.steps.iter().copied();
        match kind {
            LeafKind::Integer => steps.flat_map(both).collect(),
            LeafKind::Byte => steps.filter(|it| *it <= MAX_BYTE).flat_map(both).collect(),
            // First steps that give short decimals, then steps in units in the last place, which reach every float.
            LeafKind::Float => {
                let parts =
                    [0.5, 0.25, 0.1].into_iter().flat_map(|it| [it, -it]).map(Move::Fraction);
                let bits = (0..63).flat_map(|it| [1 << it, -(1 << it)]).map(Move::Ulps);
                steps.flat_map(both).chain(parts).chain(bits).collect()
            }
        }
    }

    fn height(&mut self, model: &Model, at_most: f64) -> f64 {
        let Query { exprs, constraints, .. } = self.query;
        let (height, n_values) = self.scratch.distance(exprs, constraints, model, at_most);
        self.left = self.left.saturating_sub(n_values.max(1));
        height
    }
}

/// The search is begun only if the budget allows this many steps per leaf.
const LEAST_STEPS: usize = 8;

const MAX_BYTE: i64 = 255;

/// How many models wait to be explored; those farther from satisfying the constraints are dropped.
const MAX_WAITING: usize = 20;

/// Returns the model with one number changed.
fn moved(model: &Model, leaf: &Leaf, step: Move) -> Option<Model> {
    let mut res = model.clone();
    let mut at = res.values.get_mut(&leaf.var)?;
    for n in &leaf.path {
        at = match at {
            Term::Tuple(items) => items.get_mut(*n)?,
            Term::List(list) => list.items.get_mut(*n)?,
            Term::Bits(bits) => {
                let Move::By(step) = step else { return None };
                let mut bytes = bits.as_bytes()?.to_vec();
                let byte = bytes.get_mut(*n)?;
                *byte = u8::try_from(i64::from(*byte).checked_add(step)?).ok()?;
                *at = Term::binary(bytes);
                return Some(res);
            }
            Term::Int(_)
            | Term::Big(_)
            | Term::Float(_)
            | Term::Atom(_)
            | Term::Nil
            | Term::Map(_)
            | Term::Fun(_)
            | Term::Pid(_)
            | Term::Port(_)
            | Term::Ref(_) => return None,
        };
    }
    *at = match (&*at, step) {
        (Term::Int(value), Move::By(step)) => Term::Int(value.checked_add(step)?),
        (Term::Float(value), step) => Term::Float(moved_float(*value, step)?),
        _ => return None,
    };
    Some(res)
}

#[expect(clippy::cast_precision_loss, reason = "any number near it will do")]
fn moved_float(value: f64, step: Move) -> Option<f64> {
    let res = match step {
        Move::By(step) => value + step as f64,
        Move::Fraction(part) => value + part,
        Move::Ulps(n) => float_at(place_of(value).checked_add(n)?),
    };
    res.is_finite().then_some(res)
}

#[cfg(test)]
mod tests {
    use super::*;
    use term::{Domain, all_hold, read_query};

    fn check(text: &str, is_found: bool) {
        let read = read_query(text).expect("a query");
        let query = Query {
            exprs: &read.exprs,
            constraints: &read.constraints,
            hint: &read.hint,
            domain: &Domain::default(),
        };
        let found = climb(&query, 200_000, &AtomicBool::new(false));
        assert_eq!(found.is_some(), is_found, "{text}");
        if let Some(model) = found {
            assert!(all_hold(&read.exprs, &read.constraints, &model), "{model:?}");
        }
    }

    #[test]
    fn chains_of_divisions() {
        let days = "%0 = var 0\n%1 = const 86400\n%2 = quotient %0 %1\n%3 = const 7\n\
                    %4 = remainder %2 %3\n%5 = const 4\n%6 = same %4 %5\n%7 = const 1000000\n\
                    %8 = less %7 %2\nrequire %6\nrequire %8\nhint 0 = 0\n";
        check(days, true);
        let square = "%0 = var 0\n%1 = multiply %0 %0\n%2 = const -1\n%3 = same %1 %2\n\
                      require %3\nhint 0 = 5\n";
        check(square, false);
    }

    #[test]
    fn floats_to_the_last_bit() {
        let third = "%0 = var 0\n%1 = const 3.0\n%2 = multiply %0 %1\n%3 = const 0.3\n\
                     %4 = same %2 %3\nrequire %4\nhint 0 = 0.0\n";
        check(third, true);
        let mean = "%0 = var 0\n%1 = head %0\n%2 = tail %0\n%3 = head %2\n%4 = add %1 %3\n\
                    %5 = const 2\n%6 = divide %4 %5\n%7 = const 2.5\n%8 = same %6 %7\n\
                    %9 = less %1 %3\nrequire %8\nrequire %9\nhint 0 = [0.0,0.0]\n";
        check(mean, true);
    }

    #[test]
    fn what_a_test_came_out_as() {
        let rounded = "%0 = var 0\n%1 = const 9\n%2 = multiply %0 %1\n%3 = const 5\n\
                       %4 = divide %2 %3\n%5 = round %4\n%6 = const 419\n%7 = same %5 %6\n\
                       %8 = const true\n%9 = same %7 %8\nrequire %9\nhint 0 = 0\n";
        check(rounded, true);
    }

    #[test]
    fn digits_in_a_binary() {
        let digits = "%0 = var 0\n%1 = convert:binary_to_integer %0\n%2 = const 700\n%3 = less %2 %1\n\
                      %4 = const 710\n%5 = less %1 %4\nrequire %3\nrequire %5\n\
                      hint 0 = <<\"100\">>\n";
        check(digits, true);
    }
}
