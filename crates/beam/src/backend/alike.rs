//! Whether two runtimes computed the same.

use term::{Fun, Term};

/// Equal, but for what has no equal on another runtime: funs, pids, ports and references.
pub fn is_alike(ours: &Term, theirs: &Term) -> bool {
    match (ours, theirs) {
        (Term::List(ours), Term::List(theirs)) => {
            are_alike(&ours.items, &theirs.items) && is_alike(&ours.tail, &theirs.tail)
        }
        (Term::Tuple(ours), Term::Tuple(theirs)) => are_alike(ours, theirs),
        (Term::Map(ours), Term::Map(theirs)) => {
            let pair = |it: &((Term, Term), (Term, Term))| {
                is_alike(&it.0.0, &it.1.0) && is_alike(&it.0.1, &it.1.1)
            };
            let mut pairs = ours.iter().cloned().zip(theirs.iter().cloned());
            ours.len() == theirs.len() && pairs.all(|it| pair(&it))
        }
        (Term::Fun(ours), Term::Fun(theirs)) => match (&**ours, &**theirs) {
            (Fun::External { .. }, Fun::External { .. }) => ours == theirs,
            _ => ours.arity() == theirs.arity(),
        },
        (Term::Pid(_), Term::Pid(_))
        | (Term::Port(_), Term::Port(_))
        | (Term::Ref(_), Term::Ref(_)) => true,
        _ => ours == theirs,
    }
}

fn are_alike(ours: &[Term], theirs: &[Term]) -> bool {
    ours.len() == theirs.len() && ours.iter().zip(theirs).all(|it| is_alike(it.0, it.1))
}
