//! The structs that the modules under test define: their fields and default values.
//!
//! A map with the name of a struct and different fields is a value that no program makes.

use crate::elixir::is_elixir;
use erlang::{Machine, Outcome};
use std::collections::BTreeMap;
use term::{Atom, Term};

#[derive(Clone, Debug, Default)]
pub(crate) struct Structs(BTreeMap<Atom, Vec<(Term, Term)>>);

impl Structs {
    /// Reads the structs that these modules define by calling their `__struct__/0`.
    pub(crate) fn of(machine: &mut Machine, modules: &[Atom]) -> Structs {
        let mut res = BTreeMap::new();
        for module in modules.iter().filter(|it| is_elixir(it)) {
            let run = machine.call(module, &Atom::new("__struct__"), &[]);
            if let Ok(Outcome::Value(Term::Map(pairs))) = run.map(|it| it.outcome) {
                res.insert(module.clone(), pairs.to_vec());
            }
        }
        Structs(res)
    }

    /// Whether a map is a known struct with exactly the fields of its definition.
    pub(crate) fn has(&self, pairs: &[(Term, Term)]) -> bool {
        self.fields(pairs).is_some_and(|fields| {
            fields.len() == pairs.len() && fields.iter().zip(pairs).all(|(a, b)| a.0 == b.0)
        })
    }

    /// Completes every known struct in the terms: adds missing fields with their defaults, and removes unknown ones.
    /// `None` if all structs are complete.
    pub(crate) fn completed(&self, terms: &[Term]) -> Option<Vec<Term>> {
        let is_broken = |it: &Term| matches!(it, Term::Map(pairs) if self.fields(pairs).is_some() && !self.has(pairs));
        if self.0.is_empty() || !terms.iter().any(|it| it.has_part(is_broken)) {
            return None;
        }
        Some(terms.iter().map(|it| self.whole(it, 0)).collect())
    }

    fn fields(&self, pairs: &[(Term, Term)]) -> Option<&Vec<(Term, Term)>> {
        let name = pairs.iter().find(|it| it.0.as_atom() == Some("__struct__"))?;
        if let Term::Atom(name) = &name.1 { self.0.get(name) } else { None }
    }

    fn whole(&self, term: &Term, depth: usize) -> Term {
        if depth == MAX_DEPTH {
            return term.clone();
        }
        let whole = |it: &Term| self.whole(it, depth + 1);
        let Term::Map(pairs) = term else { return term.map_parts(whole) };
        let given = pairs.iter().map(|it| (it.0.clone(), whole(&it.1)));
        let given: Vec<(Term, Term)> = given.collect();
        let Some(fields) = self.fields(pairs) else { return Term::map(given) };
        let field = |(key, default): &(Term, Term)| {
            let own = given.iter().find(|it| it.0 == *key);
            (key.clone(), own.map_or_else(|| default.clone(), |it| it.1.clone()))
        };
        Term::map(fields.iter().map(field).collect())
    }
}

/// Structs nested deeper than this are left alone; small enough for the stack of any thread.
const MAX_DEPTH: usize = 200;

#[cfg(test)]
mod tests {
    use super::Structs;
    use term::{Atom, Term, read_term};

    fn structs() -> Structs {
        let Ok(Term::Map(fields)) =
            read_term("#{'__struct__' => 'Elixir.Cart', n => 0, at => nil}")
        else {
            unreachable!("a map")
        };
        Structs([(Atom::new("Elixir.Cart"), fields.to_vec())].into_iter().collect())
    }

    #[test]
    fn fields_that_are_missing_get_their_default_and_others_go() {
        let check = |text: &str, expect: &str| {
            let term = read_term(text).expect("a term");
            let found = structs().completed(std::slice::from_ref(&term)).unwrap_or(vec![term]);
            assert_eq!(found, [read_term(expect).expect("a term")], "{text}");
        };
        let whole = "#{'__struct__' => 'Elixir.Cart', n => 7, at => nil}";
        check(whole, whole);
        check("#{'__struct__' => 'Elixir.Cart', n => 7, x => 1}", whole);
        check("[{ok, #{'__struct__' => 'Elixir.Cart', n => 7}}]", &format!("[{{ok, {whole}}}]"));
        check("#{'__struct__' => 'Elixir.Other'}", "#{'__struct__' => 'Elixir.Other'}");
    }
}
