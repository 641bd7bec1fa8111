//! Variables of terms: listing and numbering them, and comparing terms up to renaming.

use crate::builtins::{Row, iso, row};
use crate::data::{AssumedEqual, AtomId, CYCLE_CHECK_AFTER, FunctorId, Value, View, Walk};
use crate::machine::{Fault, Machine, Next};
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) const ROWS: &[Row] = &[
    iso("term_variables", 2, |m, a| {
        let vars = m.variables(m.arg(a, 0));
        let list = m.heap.list(&vars);
        let to = m.arg(a, 1);
        m.answer(to, list)
    }),
    row("term_variables", 3, |m, a| {
        let vars = m.variables(m.arg(a, 0));
        let (to, tail) = (m.arg(a, 1), m.arg(a, 2));
        let list = m.heap.partial_list(&vars, tail);
        m.answer(to, list)
    }),
    row("term_singletons", 2, |m, a| {
        let once = m.singletons(m.arg(a, 0));
        let list = m.heap.list(&once);
        let to = m.arg(a, 1);
        m.answer(to, list)
    }),
    row("numbervars", 3, numbervars),
    row("numbervars", 1, |m, a| {
        let term = m.arg(a, 0);
        m.number_variables(term, 0);
        Ok(Next::True)
    }),
    row("=@=", 2, |m, a| Ok(m.is_variant(m.arg(a, 0), m.arg(a, 1)).into())),
    row("\\=@=", 2, |m, a| Ok((!m.is_variant(m.arg(a, 0), m.arg(a, 1))).into())),
    row("$free_variables", 3, free_variables),
    row("term_attvars", 2, |m, a| {
        let attributed = m.attributed(m.arg(a, 0));
        let list = m.heap.list(&attributed);
        let to = m.arg(a, 1);
        m.answer(to, list)
    }),
];

fn numbervars(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let (term, start, end) = (m.arg(a, 0), m.arg(a, 1), m.arg(a, 2));
    let start = match start.view() {
        View::Big(_) => return Err(m.representation_error("long")),
        #[expect(clippy::cast_possible_truncation, reason = "whole and small")]
        View::Float(it) if it.fract() == 0.0 && it.abs() < 1e15 => it as i64,
        View::Var(_)
        | View::Int(_)
        | View::Float(_)
        | View::Rational(_)
        | View::Atom(_)
        | View::Text(_)
        | View::Struct(..) => m.int_arg(start)?,
    };
    let n = m.number_variables(term, start);
    m.answer(end, Value::int(n))
}

/// `'$free_variables'(Template^Goal, Goal, v(Free...))`: the free variables by whose values `bagof/3` groups
/// its answers.
fn free_variables(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let mut goal = m.arg(a, 0);
    let mut bound = FxHashSet::default();
    let mut module = None;
    loop {
        if goal.is_struct(FunctorId::QUALIFIED) {
            module = Some(m.heap.arg(goal, 0));
            goal = m.heap.arg(goal, 1);
        } else if goal.is_struct(FunctorId::EXISTS) {
            for var in m.variables(m.heap.arg(goal, 0)) {
                bound.insert(var.address());
            }
            goal = m.heap.arg(goal, 1);
        } else {
            break;
        }
    }
    let free: Vec<Value> =
        m.variables(goal).into_iter().filter(|it| !bound.contains(&it.address())).collect();
    let witness = if free.is_empty() {
        m.atom_named("v")
    } else {
        let functor = m.atoms.functor_named("v", free.len());
        m.heap.structure(functor, &free)
    };
    if let Some(module) = module {
        goal = m.heap.structure(FunctorId::QUALIFIED, &[module, goal]);
    }
    let (to_goal, to_witness) = (m.arg(a, 1), m.arg(a, 2));
    Ok((m.unify(to_goal, goal) && m.unify(to_witness, witness)).into())
}

impl Machine {
    /// Returns the attributed variables of a term and of their attributes, each variable before those in its
    /// attributes.
    fn attributed(&self, term: Value) -> Vec<Value> {
        let (mut seen, mut res) = (FxHashSet::default(), Vec::new());
        let mut todo = vec![Walk::new(&self.heap, &self.atoms, term)];
        while let Some(walk) = todo.last_mut() {
            let Some(part) = walk.next() else {
                todo.pop();
                continue;
            };
            if self.is_attributed(part) && seen.insert(part.address()) {
                res.push(part);
                let attributes = self.heap.cell(part.address() + 1);
                todo.push(Walk::new(&self.heap, &self.atoms, attributes));
            }
        }
        res
    }

    /// Returns the variables of a term in the order of their first occurrence.
    pub(crate) fn variables(&self, term: Value) -> Vec<Value> {
        let mut seen = FxHashSet::default();
        Walk::new(&self.heap, &self.atoms, term)
            .filter(|it| it.is_var() && seen.insert(it.address()))
            .collect()
    }

    fn singletons(&self, term: Value) -> Vec<Value> {
        let mut counts: FxHashMap<usize, u32> = FxHashMap::default();
        let mut order = Vec::new();
        for var in Walk::new(&self.heap, &self.atoms, term).filter(|it| it.is_var()) {
            let count = counts.entry(var.address()).or_insert(0);
            *count += 1;
            if *count == 1 {
                order.push(var);
            }
        }
        order.retain(|it| counts.get(&it.address()) == Some(&1));
        order
    }

    /// Binds the variables of a term to `'$VAR'(N)`, counting from `start`. Returns the next number.
    pub(crate) fn number_variables(&mut self, term: Value, start: i64) -> i64 {
        let mut n = start;
        for var in self.variables(term) {
            let name = self.heap.structure(FunctorId::NUMBERED, &[Value::int(n)]);
            self.heap.bind(var, name);
            n += 1;
        }
        n
    }

    /// Whether two terms are variants: equal up to renaming of variables.
    pub(crate) fn is_variant(&self, x: Value, y: Value) -> bool {
        let mut there: FxHashMap<usize, usize> = FxHashMap::default();
        let mut back: FxHashMap<usize, usize> = FxHashMap::default();
        let mut todo = vec![(x, y)];
        let (mut n_structs, mut assumed) = (0_usize, AssumedEqual::default());
        while let Some((x, y)) = todo.pop() {
            let (x, y) = (self.heap.deref(x), self.heap.deref(y));
            match (x.view(), y.view()) {
                (View::Var(p), View::Var(q)) => {
                    if *there.entry(p).or_insert(q) != q || *back.entry(q).or_insert(p) != p {
                        return false;
                    }
                }
                (View::Struct(f, p), View::Struct(g, q)) => {
                    if f != g {
                        return false;
                    }
                    n_structs += 1;
                    // The complement distinguishes the two sides of a pair: joining a structure with itself
                    // must not hide that its variables have to be the same on both sides.
                    if CYCLE_CHECK_AFTER < n_structs && !assumed.join(x.payload(), !y.payload()) {
                        continue;
                    }
                    let n = self.atoms.arity(f);
                    todo.extend(
                        (0..n).rev().map(|k| (self.heap.cell(p + k), self.heap.cell(q + k))),
                    );
                }
                (View::Var(_), _) | (_, View::Var(_)) => return false,
                _ => {
                    if !crate::data::same(&self.heap, &self.atoms, x, y) {
                        return false;
                    }
                }
            }
        }
        true
    }

    /// Splits the module off a goal, starting from the module that called the running builtin.
    pub(crate) fn plain_goal(&self, goal: Value) -> (AtomId, Value) {
        self.strip_module(self.context, goal)
    }
}
