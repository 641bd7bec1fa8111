//! A layer that keeps only the constraints which share variables, directly or indirectly, with the last one, the
//! flipped choice. The others are satisfied by the hint [Cadar et al. 2008, independent constraints].

use crate::{Answer, Query, Solver};
use term::Constraint;

#[derive(Debug)]
pub struct Sliced<S> {
    pub inner: S,
}

impl<S: Solver> Solver for Sliced<S> {
    fn solve(&mut self, query: &Query<'_>) -> Answer {
        let vars = |it: &Constraint| query.exprs.vars(it.expr);
        let Some(last) = query.constraints.last() else { return self.inner.solve(query) };
        let mut shared = vars(last);
        loop {
            let more = query.constraints.iter().map(vars).filter(|it| it & shared != 0);
            let more = more.fold(shared, |sum, it| sum | it);
            if more == shared {
                break;
            }
            shared = more;
        }
        let constraints: Vec<Constraint> =
            query.constraints.iter().filter(|it| vars(it) & shared != 0).copied().collect();
        // Constraints without variables cannot be satisfied separately.
        if constraints.len() == query.constraints.len() || shared == 0 {
            return self.inner.solve(query);
        }
        self.inner.solve(&Query { constraints: &constraints, ..*query })
    }
}
