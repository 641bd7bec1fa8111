//! Answers: the values of a query's variables, and the remaining constraints.

use crate::data::{AtomId, FunctorId, Tag, Value, View, Walk, same};
use crate::machine::Machine;
use crate::text::{Escapes, WriteOptions, write_term};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    pub bindings: Vec<Binding>,
    /// The goals of the remaining constraints.
    pub constraints: Vec<String>,
}

/// Variables of a query with the same value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// The names in the order of the query. If `value` is `None` there are at least two.
    pub names: Vec<String>,
    pub value: Option<String>,
}

impl fmt::Display for Answer {
    /// Writes `X = Y, Y = 1,` and one line for each further value; `true` if there is nothing to show.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = self.bindings.iter().map(ToString::to_string);
        let all: Vec<String> = lines.chain(self.constraints.iter().cloned()).collect();
        if all.is_empty() { write!(f, "true") } else { write!(f, "{}", all.join(",\n")) }
    }
}

impl fmt::Display for Binding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut sides = self.names.clone();
        sides.extend(self.value.clone());
        let pairs = sides.windows(2).map(|it| it.join(" = "));
        write!(f, "{}", pairs.collect::<Vec<_>>().join(", "))
    }
}

impl Machine {
    /// Returns the answer that was just found. `constraints` are goals about its variables.
    pub(crate) fn answer_text(&mut self, constraints: &[Value]) -> Answer {
        let groups = self.groups();
        let names = self.variable_names(&groups, constraints);
        let mut options = WriteOptions {
            spaced: true,
            priority: 699,
            escapes: Escapes::Unicode,
            names,
            ..WriteOptions::quoted()
        };
        let mut answer = Answer::default();
        let named: Vec<(String, Value)> =
            groups.iter().filter_map(|(names, it)| Some((names.last()?.clone(), *it))).collect();
        for (names, value) in groups {
            if value.is_var() {
                if 1 < names.len() {
                    answer.bindings.push(Binding { names, value: None });
                }
                continue;
            }
            let text = self.value_text(&mut options, &named, value);
            answer.bindings.push(Binding { names, value: Some(text) });
        }
        options.priority = 999;
        for goal in constraints {
            let goal = self.without_module(*goal);
            answer.constraints.push(write_term(&self.heap, &self.atoms, &self.ops, &options, goal));
        }
        answer
    }

    /// Returns the query's variables, grouped by identical values.
    fn groups(&self) -> Vec<(Vec<String>, Value)> {
        let mut res: Vec<(Vec<String>, Value)> = Vec::new();
        for (name, value) in self.bindings() {
            // Variables whose names begin with `$` are internal, not the query's.
            if name.starts_with('$') {
                continue;
            }
            let old = res.iter_mut().find(|it| same(&self.heap, &self.atoms, it.1, value));
            match old {
                Some(group) => group.0.push(name),
                None => res.push((vec![name], value)),
            }
        }
        res
    }

    /// Names the variables of an answer: those of the query by its names, others `_` if they occur once,
    /// otherwise `_A`, `_B` and so on.
    fn variable_names(
        &self,
        groups: &[(Vec<String>, Value)],
        constraints: &[Value],
    ) -> FxHashMap<usize, String> {
        let mut names = FxHashMap::default();
        let mut taken = FxHashSet::default();
        for (group, value) in groups {
            taken.extend(group.iter().cloned());
            if let (View::Var(at), Some(name)) = (value.view(), group.last()) {
                names.insert(at, name.clone());
            }
        }
        let mut counts: Vec<(usize, u32)> = Vec::new();
        let mut places: FxHashMap<usize, usize> = FxHashMap::default();
        let values = groups.iter().map(|it| it.1).filter(|it| !it.is_var());
        for term in values.chain(constraints.iter().copied()) {
            self.count_variables(term, &mut counts, &mut places);
        }
        let mut letters = (0_u32..).map(letter_name).filter(|it| !taken.contains(it));
        for (at, count) in counts {
            if names.contains_key(&at) {
                continue;
            }
            let name = if count == 1 { Some("_".to_owned()) } else { letters.next() };
            names.insert(at, name.unwrap_or_default());
        }
        names
    }

    fn count_variables(
        &self,
        term: Value,
        counts: &mut Vec<(usize, u32)>,
        places: &mut FxHashMap<usize, usize>,
    ) {
        for var in Walk::new(&self.heap, &self.atoms, term).filter(|it| it.is_var()) {
            let place = *places.entry(var.address()).or_insert_with(|| {
                counts.push((var.address(), 0));
                counts.len() - 1
            });
            if let Some(entry) = counts.get_mut(place) {
                entry.1 += 1;
            }
        }
    }

    /// Writes a value. A cyclic term is written with the names of the structures that contain themselves.
    fn value_text(
        &self,
        options: &mut WriteOptions,
        named: &[(String, Value)],
        value: Value,
    ) -> String {
        let loops = self.loops(value);
        if loops.is_empty() {
            return write_term(&self.heap, &self.atoms, &self.ops, options, value);
        }
        let mut where_ = Vec::new();
        for (n, part) in loops.iter().enumerate() {
            let name = named.iter().find(|it| part.same_word(it.1)).map(|it| it.0.clone());
            let is_named = name.is_some();
            let name = name.unwrap_or_else(|| format!("_S{}", n + 1));
            if !is_named {
                where_.push((name.clone(), *part));
            }
            options.loops.insert(part.payload(), name);
        }
        let mut text = write_term(&self.heap, &self.atoms, &self.ops, options, value);
        for (n, (name, part)) in where_.into_iter().enumerate() {
            let part = write_term(&self.heap, &self.atoms, &self.ops, options, part);
            text.push_str(if n == 0 { ", % where\n    " } else { ",\n    " });
            text.push_str(&format!("{name} = {part}"));
        }
        options.loops.clear();
        text
    }

    /// Returns structures of a term at which its cycles can be cut, so that the rest is finite.
    pub(crate) fn loops(&self, term: Value) -> Vec<Value> {
        enum Visit {
            Enter(Value),
            Leave(u64),
        }
        let mut open = FxHashSet::default();
        let mut done = FxHashSet::default();
        let mut res: Vec<Value> = Vec::new();
        let mut todo = vec![Visit::Enter(term)];
        while let Some(visit) = todo.pop() {
            match visit {
                Visit::Leave(at) => {
                    open.remove(&at);
                    done.insert(at);
                }
                Visit::Enter(value) => {
                    let value = self.heap.deref(value);
                    if value.tag() != Tag::Struct || done.contains(&value.payload()) {
                        continue;
                    }
                    if !open.insert(value.payload()) {
                        if !res.iter().any(|it| it.same_word(value)) {
                            res.push(value);
                        }
                        continue;
                    }
                    todo.push(Visit::Leave(value.payload()));
                    let n = self.atoms.arity(value.functor());
                    let cell = |k: usize| Visit::Enter(self.heap.cell(value.address() + k));
                    todo.extend((0..n).rev().map(cell));
                }
            }
        }
        res
    }

    /// Removes the module `user` from a goal.
    fn without_module(&self, goal: Value) -> Value {
        let goal = self.heap.deref(goal);
        if goal.is_struct(FunctorId::QUALIFIED) && self.heap.arg(goal, 0).is_atom(AtomId::USER) {
            return self.heap.arg(goal, 1);
        }
        goal
    }
}

/// Returns the n-th of the names `_A` to `_Z`, `_A1` to `_Z1` and so on.
fn letter_name(n: u32) -> String {
    let letter = char::from_u32(u32::from('A') + n % 26).unwrap_or('A');
    match n / 26 {
        0 => format!("_{letter}"),
        round => format!("_{letter}{round}"),
    }
}
