//! Decision trees: the clauses of a case, arranged so that no test is made twice on a path.
//!
//! After [Giantsios et al. 2015, §6.1] and [Maranget 2008], with tests in source order. Tests of maps and bitstrings
//! are not mutually exclusive: whether such a test succeeds or fails, all later clauses may still match. Those clauses
//! are kept once, behind the test. This module allocates registers but emits no code.

use crate::code::{Reg, Src};
use crate::core::{Expr, ExprKind, Pattern, PatternSegment, VarId};
use rustc_hash::FxHashMap;
use term::Term;
use values::SegmentType;

#[derive(Debug)]
pub(super) enum Tree<'a> {
    /// No clause is left: continue with the `otherwise` branch of the innermost enclosing map or bitstring test.
    Fail,
    Leaf(Leaf),
    /// A clause whose patterns match and whose guard remains to be evaluated.
    Guard {
        leaf: Leaf,
        otherwise: Box<Tree<'a>>,
    },
    Switch {
        src: Src,
        branches: Vec<Branch<'a>>,
        default: Box<Tree<'a>>,
    },
    /// Tests whether the value is a map with all of the keys.
    Map {
        src: Src,
        keys: Vec<(&'a Expr, Reg)>,
        then: Box<Tree<'a>>,
        otherwise: Box<Tree<'a>>,
    },
    Bits {
        src: Src,
        segments: &'a [PatternSegment],
        dsts: Vec<Option<Reg>>,
        binds: Vec<(VarId, Src)>,
        then: Box<Tree<'a>>,
        otherwise: Box<Tree<'a>>,
    },
    /// Takes the first segment off a bitstring, for clauses that differ in the value of this segment.
    Split {
        src: Src,
        first: &'a PatternSegment,
        /// The register of the segment's value.
        value: Reg,
        /// The register of the remaining bits; `None` if no clause uses them.
        tail: Option<Reg>,
        then: Box<Tree<'a>>,
        otherwise: Box<Tree<'a>>,
    },
}

#[derive(Debug)]
pub(super) struct Leaf {
    pub(super) clause: usize,
    pub(super) binds: Vec<(VarId, Src)>,
    /// The first register that is not used on the path to this leaf.
    pub(super) depth: u16,
}

#[derive(Debug)]
pub(super) struct Branch<'a> {
    pub(super) head: Head,
    /// The registers of the value's parts; `None` for parts that no row uses.
    pub(super) parts: Vec<Option<Reg>>,
    pub(super) tree: Tree<'a>,
}

/// The outermost constructor of a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Head {
    Nil,
    Cons,
    Tuple(usize),
    Literal(Term),
}

/// A test that a clause requires of a value.
#[derive(Clone, Copy, Debug)]
enum Test<'a> {
    Pattern(&'a Pattern),
    /// A bitstring of exactly these segments.
    Segments(&'a [PatternSegment]),
}

#[derive(Clone, Debug)]
pub(super) struct Row<'a> {
    tests: Vec<(Src, Test<'a>)>,
    binds: Vec<(VarId, Src)>,
    clause: usize,
}

impl<'a> Row<'a> {
    pub(super) fn new(clause: usize, tests: Vec<(Src, &'a Pattern)>) -> Row<'a> {
        let mut res = Row { tests: Vec::new(), binds: Vec::new(), clause };
        for (src, pattern) in tests {
            res.add(src, pattern);
        }
        res
    }

    /// Adds a pattern: variables are bound, all other patterns remain to be tested.
    fn add(&mut self, src: Src, pattern: &'a Pattern) {
        match pattern {
            Pattern::Var(var) => self.binds.push((*var, src)),
            Pattern::Alias(var, inner) => {
                self.binds.push((*var, src));
                self.add(src, inner);
            }
            Pattern::Binary(segments) => self.tests.push((src, Test::Segments(segments))),
            Pattern::Literal(_) | Pattern::Cons(..) | Pattern::Tuple(_) | Pattern::Map(_) => {
                self.tests.push((src, Test::Pattern(pattern)));
            }
        }
    }

    fn test_of(&self, src: Src) -> Option<Test<'a>> {
        self.tests.iter().find(|it| it.0 == src).map(|it| it.1)
    }

    fn without(&self, src: Src) -> Row<'a> {
        let mut res = self.clone();
        if let Some(place) = res.tests.iter().position(|it| it.0 == src) {
            res.tests.remove(place);
        }
        res
    }
}

pub(super) struct TreeBuilder<'b> {
    pub(super) has_guard: &'b dyn Fn(usize) -> bool,
    pub(super) is_used: &'b dyn Fn(VarId) -> bool,
    /// The maximum number of registers on any path.
    pub(super) max_depth: u16,
}

impl TreeBuilder<'_> {
    pub(super) fn build<'a>(&mut self, rows: &[Row<'a>], depth: u16) -> Tree<'a> {
        self.max_depth = self.max_depth.max(depth);
        let Some((first, rest)) = rows.split_first() else { return Tree::Fail };
        let Some((src, test)) = first.tests.first().copied() else {
            let leaf = Leaf { clause: first.clause, binds: first.binds.clone(), depth };
            if !(self.has_guard)(first.clause) {
                return Tree::Leaf(leaf);
            }
            return Tree::Guard { leaf, otherwise: Box::new(self.build(rest, depth)) };
        };
        match test {
            Test::Pattern(Pattern::Map(pairs)) => self.map(src, pairs, first, rest, depth),
            Test::Segments(segments) => match table_at(src, rows) {
                Some((first, n)) => self.split(src, first, rows.split_at(n), depth),
                None => self.bits(src, segments, first, rest, depth),
            },
            Test::Pattern(
                Pattern::Var(_)
                | Pattern::Alias(..)
                | Pattern::Literal(_)
                | Pattern::Cons(..)
                | Pattern::Tuple(_)
                | Pattern::Binary(_),
            ) => self.switch(src, rows, depth),
        }
    }

    fn switch<'a>(&mut self, src: Src, rows: &[Row<'a>], depth: u16) -> Tree<'a> {
        // The rows are grouped in one pass, because Unicode tables have thousands of heads.
        let mut places: FxHashMap<Head, usize> = FxHashMap::default();
        let mut branches: Vec<(Head, Vec<usize>)> = Vec::new();
        let mut others: Vec<usize> = Vec::new();
        for (n, row) in rows.iter().enumerate() {
            let Some(head) = row.test_of(src).and_then(head_of) else {
                others.push(n);
                continue;
            };
            let place = *places.entry(head.clone()).or_insert(branches.len());
            match branches.get_mut(place) {
                Some(branch) => branch.1.push(n),
                None => branches.push((head, vec![n])),
            }
        }
        let rows_at = |places: &[usize]| -> Vec<&Row<'a>> {
            places.iter().filter_map(|it| rows.get(*it)).collect()
        };
        let branches = branches.into_iter().map(|(head, mut places)| {
            places.extend(&others);
            places.sort_unstable();
            self.branch(src, head, &rows_at(&places), depth)
        });
        let branches = branches.collect();
        let others: Vec<Row<'a>> = rows_at(&others).into_iter().cloned().collect();
        Tree::Switch { src, branches, default: Box::new(self.build(&others, depth)) }
    }

    /// The branch for a head: the rows that a value with this head may still match, with their subpatterns added.
    fn branch<'a>(&mut self, src: Src, head: Head, rows: &[&Row<'a>], depth: u16) -> Branch<'a> {
        let matches = |row: &Row<'a>| row.test_of(src).and_then(head_of).as_ref() == Some(&head);
        let arity = match &head {
            Head::Cons => 2,
            Head::Tuple(arity) => *arity,
            Head::Nil | Head::Literal(_) => 0,
        };
        let mut parts = vec![None; arity];
        let mut depth = depth;
        for (place, part) in parts.iter_mut().enumerate() {
            let wanted = rows.iter().filter(|it| matches(it)).any(|it| {
                let sub = it.test_of(src).and_then(|it| part_of(it, place));
                sub.is_some_and(|it| self.is_looked_at(it))
            });
            if wanted {
                *part = Some(Reg(depth));
                depth = depth.saturating_add(1);
            }
        }
        let rows: Vec<Row<'a>> = rows
            .iter()
            .filter_map(|row| match row.test_of(src) {
                None => Some((*row).clone()),
                Some(Test::Pattern(pattern)) if matches(row) => {
                    let mut row = row.without(src);
                    for (place, reg) in parts.iter().enumerate() {
                        if let (Some(reg), Some(part)) =
                            (reg, part_of(Test::Pattern(pattern), place))
                        {
                            row.add(Src::reg(*reg), part);
                        }
                    }
                    Some(row)
                }
                Some(test) => overlaps(&head, test).then(|| (*row).clone()),
            })
            .collect();
        Branch { head, parts, tree: self.build(&rows, depth) }
    }

    fn is_looked_at(&self, pattern: &Pattern) -> bool {
        if let Pattern::Var(var) = pattern { (self.is_used)(*var) } else { true }
    }

    fn map<'a>(
        &mut self,
        src: Src,
        pairs: &'a [(Expr, Pattern)],
        first: &Row<'a>,
        rest: &[Row<'a>],
        depth: u16,
    ) -> Tree<'a> {
        let mut row = first.without(src);
        let mut keys = Vec::new();
        let mut inner = depth;
        for (key, pattern) in pairs {
            keys.push((key, Reg(inner)));
            row.add(Src::reg(Reg(inner)), pattern);
            inner = inner.saturating_add(1);
        }
        Tree::Map {
            src,
            keys,
            then: Box::new(self.build(&[row], inner)),
            otherwise: Box::new(self.build(rest, depth)),
        }
    }

    /// Returns the decision tree of rows that form a table (see [`table_at`]) and of the rows after them.
    fn split<'a>(
        &mut self,
        src: Src,
        first: &'a PatternSegment,
        (table, rest): (&[Row<'a>], &[Row<'a>]),
        depth: u16,
    ) -> Tree<'a> {
        let value = Reg(depth);
        let tail = Reg(depth.saturating_add(1));
        let mut uses_tail = false;
        let mut rows = Vec::new();
        for row in table {
            let Some(Test::Segments([segment, others @ ..])) = row.test_of(src) else { continue };
            let mut row = row.without(src);
            // The tests of the segment and of the remaining bits come before the row's tests of other values.
            let later = std::mem::take(&mut row.tests);
            row.add(Src::reg(value), &segment.value);
            match any_bits(others) {
                Some(rest) if !self.is_looked_at(rest) => {}
                Some(rest) => {
                    uses_tail = true;
                    row.add(Src::reg(tail), rest);
                }
                None => {
                    uses_tail = true;
                    row.tests.push((Src::reg(tail), Test::Segments(others)));
                }
            }
            row.tests.extend(later);
            rows.push(row);
        }
        let inner = depth.saturating_add(1 + u16::from(uses_tail));
        Tree::Split {
            src,
            first,
            value,
            tail: uses_tail.then_some(tail),
            then: Box::new(self.build(&rows, inner)),
            otherwise: Box::new(self.build(rest, depth)),
        }
    }

    fn bits<'a>(
        &mut self,
        src: Src,
        segments: &'a [PatternSegment],
        first: &Row<'a>,
        rest: &[Row<'a>],
        depth: u16,
    ) -> Tree<'a> {
        let mut row = first.without(src);
        let mut inner = depth;
        let mut dsts = Vec::new();
        for segment in segments {
            let wanted = match &segment.value {
                Pattern::Literal(_) => false,
                other => self.is_looked_at(other),
            };
            dsts.push(wanted.then(|| {
                let reg = Reg(inner);
                inner = inner.saturating_add(1);
                row.add(Src::reg(reg), &segment.value);
                reg
            }));
        }
        // The size of a segment may use a variable that an earlier segment binds, in this test or in an earlier one.
        let binds = row.binds.clone();
        Tree::Bits {
            src,
            segments,
            dsts,
            binds,
            then: Box::new(self.build(&[row], inner)),
            otherwise: Box::new(self.build(rest, depth)),
        }
    }
}

/// The minimum number of clauses with integer literals that are compiled to a table. Fewer clauses are tested one
/// after the other: most binary parsers have a few clauses, each of which then is a choice of its own.
const MIN_TABLE: usize = 8;

/// Returns the first segment and the number of leading rows that form a table; `None` if they form none. The rows of
/// a table test the same value for bitstrings that begin with an integer segment of the same type and size, and at
/// least [`MIN_TABLE`] of them require a literal there. Tables of characters have this form: Elixir's
/// `String.downcase/1` has more than a thousand clauses.
fn table_at<'a>(src: Src, rows: &[Row<'a>]) -> Option<(&'a PatternSegment, usize)> {
    let first_of = |row: &Row<'a>| match row.tests.first() {
        Some((at, Test::Segments([first, ..]))) if *at == src => Some(first),
        Some(_) | None => None,
    };
    let first = first_of(rows.first()?).filter(|it| width(it).is_some())?;
    let is_alike = |it: &PatternSegment| {
        it.spec == first.spec
            && width(it) == width(first)
            && matches!(it.value, Pattern::Literal(Term::Int(_)) | Pattern::Var(_))
    };
    let n = rows.iter().take_while(|it| first_of(it).is_some_and(is_alike)).count();
    let alike = rows.get(..n)?.iter().filter_map(first_of);
    let n_literals = alike.filter(|it| matches!(it.value, Pattern::Literal(_))).count();
    (MIN_TABLE <= n_literals).then_some((first, n))
}

/// Returns the size of an integer segment in units; `None` if the segment has another type or a size that is not a
/// literal.
fn width(segment: &PatternSegment) -> Option<i64> {
    let size = segment.size.as_ref().filter(|_| segment.spec.ty == SegmentType::Integer)?;
    if let ExprKind::Literal(Term::Int(size)) = &size.kind { Some(*size) } else { None }
}

/// Returns the variable that is bound to all remaining bits; `None` if the segments test anything.
fn any_bits(segments: &[PatternSegment]) -> Option<&Pattern> {
    match segments {
        [PatternSegment { value: value @ Pattern::Var(_), size: None, spec }]
            if spec.ty == SegmentType::Binary && spec.unit == 1 =>
        {
            Some(value)
        }
        _ => None,
    }
}

/// Whether the literal might match a pattern that is not a literal.
fn overlaps(head: &Head, test: Test<'_>) -> bool {
    match head {
        Head::Literal(Term::Bits(_)) => matches!(test, Test::Segments(_)),
        Head::Literal(Term::Map(_)) => matches!(test, Test::Pattern(Pattern::Map(_))),
        Head::Literal(_) | Head::Nil | Head::Cons | Head::Tuple(_) => false,
    }
}

/// The outermost constructor that a pattern requires; `None` for maps and bitstrings, whose tests are not mutually
/// exclusive, and for variables.
fn head_of(test: Test<'_>) -> Option<Head> {
    let Test::Pattern(pattern) = test else { return None };
    match pattern {
        Pattern::Literal(Term::Nil) => Some(Head::Nil),
        Pattern::Literal(term) => Some(Head::Literal(term.clone())),
        Pattern::Cons(..) => Some(Head::Cons),
        Pattern::Tuple(items) => Some(Head::Tuple(items.len())),
        Pattern::Map(_) | Pattern::Binary(_) | Pattern::Var(_) | Pattern::Alias(..) => None,
    }
}

fn part_of(test: Test<'_>, place: usize) -> Option<&Pattern> {
    let Test::Pattern(pattern) = test else { return None };
    match pattern {
        Pattern::Cons(head, tail) => Some(if place == 0 { head } else { tail }),
        Pattern::Tuple(items) => items.get(place),
        Pattern::Literal(_)
        | Pattern::Map(_)
        | Pattern::Binary(_)
        | Pattern::Var(_)
        | Pattern::Alias(..) => None,
    }
}
