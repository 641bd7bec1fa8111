//! Atoms as numbers in the order of their names, with room between them for names not yet seen.

use crate::Query;
use term::{Expr, Term};

#[derive(Debug)]
pub(super) struct AtomTable {
    /// Sorted.
    names: Vec<String>,
}

/// How many numbers from one known atom to the next.
const ROOM: i64 = 1 << 16;

impl AtomTable {
    /// The atoms that a query mentions, and a few that please.
    pub(super) fn of(query: &Query<'_>) -> AtomTable {
        let mut names: Vec<String> =
            ["a", "b", "false", "true"].into_iter().map(str::to_owned).collect();
        for id in query.exprs.reachable(query.constraints.iter().map(|it| it.expr)) {
            if let Some(Expr::Const(term)) = query.exprs.get(id) {
                collect(&mut names, term);
            }
        }
        names.sort_unstable();
        names.dedup();
        AtomTable { names }
    }

    pub(super) fn number(&self, name: &str) -> i64 {
        let place = self.names.partition_point(|it| it.as_str() < name);
        i64::try_from(place).unwrap_or(i64::MAX / ROOM) * ROOM
    }

    /// An atom of that number: a known one, or one that comes after the known one below.
    pub(super) fn name(&self, number: i64) -> String {
        let (place, beyond) = (number.div_euclid(ROOM), number.rem_euclid(ROOM));
        let last = self.names.len().saturating_sub(1);
        let Ok(place) = usize::try_from(place) else {
            // Before all known names; capital letters come before small ones.
            return format!("A{}", i64::MAX.saturating_add(number));
        };
        let extra = place.saturating_sub(last);
        let base = self.names.get(place.min(last)).map_or("", String::as_str);
        if beyond == 0 && extra == 0 {
            return base.to_owned();
        }
        format!("{base}{}{beyond}", "_".repeat(extra.min(100) + 1))
    }
}

fn collect(names: &mut Vec<String>, term: &Term) {
    match term {
        Term::Atom(atom) => names.push(atom.as_str().to_owned()),
        Term::List(list) => {
            list.items.iter().for_each(|it| collect(names, it));
            collect(names, &list.tail);
        }
        Term::Tuple(items) => items.iter().for_each(|it| collect(names, it)),
        Term::Int(_) | Term::Big(_) | Term::Float(_) | Term::Nil => (),
        // Opaque as a whole.
        Term::Map(_) | Term::Bits(_) | Term::Fun(_) => (),
        Term::Pid(_) | Term::Port(_) | Term::Ref(_) => (),
    }
}
