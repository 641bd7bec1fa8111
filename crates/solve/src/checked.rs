//! A layer that evaluates every model and refuses those that do not satisfy the query.

use crate::{Answer, Query, Reason, Solver};
use term::{Model, Scratch};

#[derive(Debug)]
pub struct Checked<S> {
    pub inner: S,
    scratch: Scratch,
}

impl<S> Checked<S> {
    pub fn new(inner: S) -> Checked<S> {
        Checked { inner, scratch: Scratch::default() }
    }
}

impl<S: Solver> Solver for Checked<S> {
    fn solve(&mut self, query: &Query<'_>) -> Answer {
        let answer = self.inner.solve(query);
        let Answer::Sat(model) = &answer else { return answer };
        let full = complete(query, model);
        let satisfied = self.scratch.all_hold(query.exprs, query.constraints, &full);
        let is_in_domain = query.domain.args.is_none()
            || query.domain.has(&full.values.into_values().collect::<Vec<_>>());
        if satisfied && is_in_domain { answer } else { Answer::Unknown(Reason::WrongModel) }
    }
}

/// Returns the model with the hint's values for the variables that it does not mention.
fn complete(query: &Query<'_>, model: &Model) -> Model {
    let mut values = query.hint.values.clone();
    values.extend(model.values.iter().map(|(var, term)| (*var, term.clone())));
    Model { values }
}

#[cfg(test)]
mod tests {
    use super::*;
    use term::{Domain, Term, read_query};

    struct Always(Answer);

    impl Solver for Always {
        fn solve(&mut self, _: &Query<'_>) -> Answer {
            self.0.clone()
        }
    }

    #[test]
    fn a_model_that_does_not_satisfy_the_query_is_refused() {
        let text = "%0 = var 0\n%1 = const 3\n%2 = same %0 %1\nrequire %2\n";
        let query = read_query(text).expect("a query");
        let check = |value: i64, expect: Answer| {
            let said = Answer::Sat(Model::of([Term::Int(value)]));
            let query = Query {
                exprs: &query.exprs,
                constraints: &query.constraints,
                hint: &Model::of([Term::Int(3)]),
                domain: &Domain::default(),
            };
            assert_eq!(Checked::new(Always(said)).solve(&query), expect);
        };
        check(3, Answer::Sat(Model::of([Term::Int(3)])));
        check(4, Answer::Unknown(Reason::WrongModel));
    }
}
