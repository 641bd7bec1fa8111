//! Makes models small and plain, because people read them: `[43]` says more than `[77190]`.
//!
//! Replaces parts by simpler ones of the same kind while the query still holds. Knows nothing of
//! where the model came from.

use crate::checked::complete;
use crate::{Answer, Query, Solver};
use term::{Model, Term, Var, all_hold};

#[derive(Debug)]
pub struct Small<S> {
    pub inner: S,
}

/// Evaluations spent on one model.
const MAX_TRIES: usize = 200;

impl<S: Solver> Solver for Small<S> {
    fn solve(&mut self, query: &Query<'_>) -> Answer {
        let answer = self.inner.solve(query);
        let Answer::Sat(model) = answer else { return answer };
        let mut full = complete(query, &model);
        if !all_hold(query.exprs, query.constraints, &full) {
            return Answer::Sat(model);
        }
        let mut n_tries = 0;
        for var in model.values.keys() {
            while let Some(smaller) = smaller(query, &mut full, *var, &mut n_tries) {
                full.values.insert(*var, smaller);
            }
        }
        full.values.retain(|var, _| model.values.contains_key(var));
        Answer::Sat(full)
    }
}

/// One step: the first simpler value of the variable under which the query holds.
fn smaller(query: &Query<'_>, full: &mut Model, var: Var, n_tries: &mut usize) -> Option<Term> {
    let old = full.values.get(&var)?.clone();
    let found = simpler(&old).into_iter().find(|it| {
        *n_tries += 1;
        full.values.insert(var, it.clone());
        *n_tries <= MAX_TRIES && all_hold(query.exprs, query.constraints, full)
    });
    full.values.insert(var, old);
    found
}

/// The term with one part made simpler, the boldest first. Every chain of steps ends.
fn simpler(term: &Term) -> Vec<Term> {
    match term {
        Term::Int(0) | Term::Nil => vec![],
        Term::Int(int) => vec![Term::Int(0), Term::Int(int / 2), Term::Int(int - int.signum())],
        Term::Big(_) => vec![Term::Int(0), Term::Int(i64::MAX)],
        Term::Float(float) => {
            let steps = [0.0, float.trunc(), (float / 2.0).trunc()];
            steps.into_iter().filter(|it| it.abs() < float.abs()).map(Term::Float).collect()
        }
        Term::Atom(atom) if atom.as_str() == "a" => vec![],
        Term::Atom(_) => vec![Term::atom("a")],
        Term::List(list) => {
            let mut res = vec![Term::Nil];
            for n in 0..list.items.len() {
                let mut items = list.items.clone();
                items.remove(n);
                res.push(Term::list(items, list.tail.clone()));
            }
            let with = |items| Term::list(items, list.tail.clone());
            res.extend(one_simpler(&list.items).into_iter().map(with));
            let tails = simpler(&list.tail).into_iter();
            let tails = tails.chain((list.tail != Term::Nil).then_some(Term::Nil));
            res.extend(tails.map(|it| Term::list(list.items.clone(), it)));
            res
        }
        Term::Tuple(items) => one_simpler(items).into_iter().map(Term::Tuple).collect(),
        Term::Map(pairs) if pairs.is_empty() => vec![],
        Term::Map(_) => vec![Term::Map(vec![])],
        Term::Bits(bits) if bits.bit_len() == 0 => vec![],
        Term::Bits(_) => vec![Term::binary(vec![])],
        Term::Fun(_) | Term::Pid(_) | Term::Port(_) | Term::Ref(_) => vec![],
    }
}

fn one_simpler(items: &[Term]) -> Vec<Vec<Term>> {
    let mut res = Vec::new();
    for (n, item) in items.iter().enumerate() {
        for small in simpler(item) {
            let mut items = items.to_vec();
            if let Some(slot) = items.get_mut(n) {
                *slot = small;
            }
            res.push(items);
        }
    }
    res
}

#[cfg(test)]
mod tests {
    use super::*;
    use term::{Domain, Style, print, read_query, read_term};

    struct Always(Model);

    impl Solver for Always {
        fn solve(&mut self, _: &Query<'_>) -> Answer {
            Answer::Sat(self.0.clone())
        }
    }

    fn check(query: &str, found: &str, expect: &str) {
        let read = read_query(query).expect("a query");
        let model = Model::of([read_term(found).expect("a term")]);
        let (exprs, constraints) = (&read.exprs, read.constraints.as_slice());
        let query = Query { exprs, constraints, hint: &model, domain: &Domain::default() };
        let Answer::Sat(model) = (Small { inner: Always(model.clone()) }).solve(&query) else {
            panic!("no model")
        };
        assert_eq!(print(model.values.get(&Var(0)).expect("a value"), Style::TW), expect);
    }

    #[test]
    fn models_become_small_but_stay_models() {
        let greater = "%0 = var 0\n%1 = const 42\n%2 = less %1 %0\n%3 = is:integer %0\n\
                       require %2\nrequire %3\n";
        check(greater, "77190", "43");
        let head = "%0 = var 0\n%1 = head %0\n%2 = const 42\n%3 = less %1 %2\nrequire %3\n";
        check(head, "[-500,{x,7.5},z|foo]", "[0]");
        let same = "%0 = var 0\n%1 = const {b,[7]}\n%2 = same %0 %1\nrequire %2\n";
        check(same, "{b,[7]}", "{b,[7]}");
    }
}
