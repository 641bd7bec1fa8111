//! Directives to Gimlet in a module's own attributes.
//!
//! ```erlang
//! -gimlet({skip, [main/1, loop/2]}).
//! -gimlet({pre, day_of_the_week/3, valid_date/3}).
//! ```

use std::collections::{BTreeMap, BTreeSet};
use term::{Atom, Style, Term, print};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Directives {
    /// Functions that must not be tested.
    pub skip: BTreeSet<(Atom, usize)>,
    /// The preconditions of functions: only inputs for which the precondition returns `true` are tested.
    pub preconditions: BTreeMap<(Atom, usize), Precondition>,
    /// Messages about directives that were not understood.
    pub problems: Vec<String>,
}

/// A precondition: a function of the same arity as the one that it restricts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Precondition {
    pub module: Atom,
    pub function: Atom,
}

impl Directives {
    /// Reads the directives from the attributes, as `module_info(attributes)` returns them.
    pub(crate) fn read(module: &Atom, attributes: &Term) -> Directives {
        let mut res = Directives::default();
        for attribute in attributes.as_list().unwrap_or_default() {
            if let Some([name, values]) = attribute.as_tuple()
                && name.as_atom() == Some("gimlet")
            {
                for value in values.as_list().unwrap_or_default() {
                    if res.add(module, value).is_none() {
                        let text = print(value, Style::TW);
                        res.problems.push(format!("-gimlet({text}) is not understood"));
                    }
                }
            }
        }
        res
    }

    fn add(&mut self, module: &Atom, value: &Term) -> Option<()> {
        let parts = value.as_tuple()?;
        match (parts.first()?.as_atom()?, parts.get(1..)?) {
            ("skip", [names]) => {
                let names = match names.as_list() {
                    Some(names) => names.iter().map(name).collect::<Option<Vec<_>>>()?,
                    None => vec![name(names)?],
                };
                self.skip.extend(names);
            }
            ("pre", [unit, pre]) => {
                let unit = name(unit)?;
                let pre = precondition(module, unit.1, pre)?;
                self.preconditions.insert(unit, pre);
            }
            _ => return None,
        }
        Some(())
    }
}

/// Reads the name of a function: `f/1`, which the compiler turns into `{f,1}`.
fn name(term: &Term) -> Option<(Atom, usize)> {
    match term.as_tuple()? {
        [Term::Atom(name), arity] => Some((name.clone(), usize::try_from(arity.as_int()?).ok()?)),
        _ => None,
    }
}

/// Reads the name of a precondition: `f`, `f/1` or `{m, f, 1}`. Its arity must be that of the unit.
fn precondition(module: &Atom, arity: usize, term: &Term) -> Option<Precondition> {
    let (module, function, given) = match (term, term.as_tuple()) {
        (Term::Atom(function), _) => {
            return Some(Precondition { module: module.clone(), function: function.clone() });
        }
        (_, Some([Term::Atom(function), given])) => (module, function, given),
        (_, Some([Term::Atom(module), Term::Atom(function), given])) => (module, function, given),
        _ => return None,
    };
    let is_same = usize::try_from(given.as_int()?).ok()? == arity;
    is_same.then(|| Precondition { module: module.clone(), function: function.clone() })
}

#[cfg(test)]
mod tests {
    use super::{Directives, Precondition};
    use term::{Atom, read_term};

    fn check(attributes: &str, skip: &[(&str, usize)], pre: &[(&str, usize, &str)], n_bad: usize) {
        let attributes = read_term(attributes).expect("a term");
        let found = Directives::read(&Atom::new("m"), &attributes);
        let skip = skip.iter().map(|it| (Atom::new(it.0), it.1)).collect();
        assert_eq!(found.skip, skip);
        let pre = pre.iter().map(|it| {
            let (module, function) = it.2.split_once(':').expect("a function");
            let by = Precondition { module: Atom::new(module), function: Atom::new(function) };
            ((Atom::new(it.0), it.1), by)
        });
        assert_eq!(found.preconditions, pre.collect());
        assert_eq!(found.problems.len(), n_bad, "{:?}", found.problems);
    }

    #[test]
    fn directives_are_read() {
        check("[{vsn,[1]}]", &[], &[], 0);
        check("[{gimlet,[{skip,[{f,1},{g,2}]}]}]", &[("f", 1), ("g", 2)], &[], 0);
        check("[{gimlet,[{skip,{f,1}},{skip,[{g,0}]}]}]", &[("f", 1), ("g", 0)], &[], 0);
        check("[{gimlet,[{pre,{f,3},{ok,3}}]}]", &[], &[("f", 3, "m:ok")], 0);
        check(
            "[{gimlet,[{pre,{f,3},ok}]},{gimlet,[{pre,{g,1},{other,ok,1}}]}]",
            &[],
            &[("f", 3, "m:ok"), ("g", 1, "other:ok")],
            0,
        );
        check("[{gimlet,[{pre,{f,3},{ok,2}},skip,{skip,f},{what,1}]}]", &[], &[], 4);
    }
}
