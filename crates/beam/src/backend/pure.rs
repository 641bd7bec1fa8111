//! Purity: functions that only compute, so that they may run elsewhere as a whole.
//!
//! Purity is judged by the code of a function and of all functions it calls; a function whose calls are not all known
//! is not pure.

use crate::backend::rewrite::{function_name, literal_atom, literal_of};
use crate::backend::scope::{Placed, Scope};
use erlang::builtins::{Effect, all};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use term::{Atom, Term};

/// The name and arity of a function.
type Function = (Atom, u32);

/// Returns the code of a module by its name; `None` if it has none.
pub(super) type CodeOf<'a> = &'a mut dyn FnMut(&Atom) -> Option<Arc<Term>>;

#[derive(Debug, Default)]
pub(super) struct Purity {
    known: FxHashMap<(Atom, Function), bool>,
}

impl Purity {
    /// Whether a function and everything it may call only compute.
    pub(super) fn is_pure(
        &mut self,
        scope: &Scope,
        module: &Atom,
        function: &Function,
        code_of: CodeOf<'_>,
    ) -> bool {
        if let Some(known) = self.known.get(&(module.clone(), function.clone())) {
            return *known;
        }
        // All functions reached are pure, or none is recorded as pure.
        let mut seen: FxHashSet<(Atom, Function)> = FxHashSet::default();
        let mut pending = vec![(module.clone(), function.clone())];
        let mut is_pure = true;
        while let Some((module, function)) = pending.pop() {
            if !is_pure || seen.len() > MAX_FUNCTIONS {
                is_pure = false;
                break;
            }
            if !seen.insert((module.clone(), function.clone())) {
                continue;
            }
            let code = code_of(&module);
            let body = code.as_ref().and_then(|it| definition(it, &function));
            let Some(body) = body else {
                is_pure = false;
                break;
            };
            let mut called = Called { scope, module: &module, found: Vec::new(), is_pure: true };
            called.look(body);
            is_pure &= called.is_pure;
            pending.extend(called.found);
        }
        self.known.insert((module.clone(), function.clone()), is_pure);
        is_pure
    }
}

/// The analysis gives up after this many functions.
const MAX_FUNCTIONS: usize = 2_000;

fn definition<'a>(core: &'a Term, function: &Function) -> Option<&'a Term> {
    let [.., definitions] = core.as_tuple()? else { return None };
    definitions.as_list()?.iter().find_map(|it| {
        let [name, fun] = it.as_tuple()? else { return None };
        (function_name(name)? == *function).then_some(fun)
    })
}

struct Called<'a> {
    scope: &'a Scope,
    module: &'a Atom,
    found: Vec<(Atom, Function)>,
    is_pure: bool,
}

impl Called<'_> {
    fn look(&mut self, term: &Term) {
        match term {
            Term::Tuple(parts) => match parts.as_slice() {
                [tag, ..] if tag.as_atom() == Some("c_literal") => (),
                [tag, _, module, name, args] if tag.as_atom() == Some("c_call") => {
                    self.call(module, name, args);
                    self.look(args);
                }
                [tag, _, name, args] if tag.as_atom() == Some("c_primop") => {
                    let name = literal_atom(name);
                    let is_quiet = name.is_some_and(|it| {
                        matches!(it.as_str(), "match_fail" | "raise" | "build_stacktrace")
                    });
                    self.is_pure &= is_quiet;
                    self.look(args);
                }
                [tag, _, _] if tag.as_atom() == Some("c_var") => {
                    // A function of this module. A letrec function with the same name only makes the result more
                    // conservative.
                    self.found.extend(function_name(term).map(|it| (self.module.clone(), it)));
                }
                [tag, _, definitions, body] if tag.as_atom() == Some("c_letrec") => {
                    let definitions = definitions.as_list().unwrap_or_default();
                    let n_before = self.found.len();
                    let mut own = Vec::new();
                    for definition in definitions {
                        if let Some([name, fun]) = definition.as_tuple() {
                            own.extend(function_name(name));
                            self.look(fun);
                        }
                    }
                    self.look(body);
                    let mut found = self.found.split_off(n_before);
                    found.retain(|it| it.0 != *self.module || !own.contains(&it.1));
                    self.found.extend(found);
                }
                parts => parts.iter().for_each(|it| self.look(it)),
            },
            Term::List(list) => list.items.iter().for_each(|it| self.look(it)),
            _ => (),
        }
    }

    fn call(&mut self, module: &Term, name: &Term, args: &Term) {
        let (Some(module), Some(name)) = (literal_atom(module), literal_atom(name)) else {
            self.is_pure = false;
            return;
        };
        let args = args.as_list().unwrap_or_default();
        match (module.as_str(), name.as_str(), args) {
            ("erlang", "make_fun", [of, name, arity]) => {
                let arity = literal_of(arity).and_then(Term::as_int);
                let arity = arity.and_then(|it| u32::try_from(it).ok());
                match (literal_atom(of), literal_atom(name), arity) {
                    (Some(of), Some(name), Some(arity)) => self.reach(&of, &name, arity),
                    _ => self.is_pure = false,
                }
            }
            // The fun was made in this code, or the function's purity is not asked for.
            ("erlang", "apply", [_, _]) => (),
            _ => self.reach(&module, &name, u32::try_from(args.len()).unwrap_or(u32::MAX)),
        }
    }

    fn reach(&mut self, module: &Atom, name: &Atom, arity: u32) {
        let row = all().find(|it| {
            it.module == module.as_str() && it.name == name.as_str() && u32::from(it.arity) == arity
        });
        match row {
            Some(row) => {
                let placed = self.scope.place(module, name, arity as usize);
                self.is_pure &= row.effect == Effect::Pure && placed == Placed::Both;
            }
            None => self.found.push((module.clone(), (name.clone(), arity))),
        }
    }
}
