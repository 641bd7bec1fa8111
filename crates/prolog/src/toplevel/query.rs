//! Queries: goals given as text, whose answers are found one by one.

use crate::code::Kind;
use crate::data::{AtomId, FunctorId, Record, Value, View};
use crate::machine::Machine;
use crate::text::SyntaxError;
use crate::toplevel::Answer;

/// A goal that was read, and its variables.
#[derive(Clone, Debug)]
pub struct Query {
    /// The query in the form that [`Machine::solve`] takes.
    pub record: Record,
    /// The undefined predicates that the goal calls, as `name/arity`.
    pub unknown: Vec<String>,
}

/// The reason why a text is not a goal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QueryError {
    Syntax(SyntaxError),
    /// The term is a number, a string or a variable.
    NotCallable,
}

/// The name of the binding that holds the remaining constraints.
const CONSTRAINTS: &str = "$constraints";

impl Machine {
    /// Reads a goal as the toplevel does; the full stop may be missing.
    pub fn query(&mut self, text: &str) -> Result<Query, QueryError> {
        let trimmed = text.trim_end();
        let trimmed = trimmed
            .strip_suffix('.')
            .filter(|it| !it.ends_with(crate::text::is_symbol_char))
            .unwrap_or(trimmed);
        let trimmed = trimmed.trim_start().strip_prefix("?-").unwrap_or(trimmed);
        let read = self.read_text(trimmed).map_err(QueryError::Syntax)?;
        let goal = self.heap.deref(read.term);
        if !goal.is_callable() || goal.is_nil() {
            return Err(QueryError::NotCallable);
        }
        let mut unknown = Vec::new();
        self.unknown_goals(goal, &mut unknown);
        let values: Vec<Value> = read.variables.iter().map(|it| it.1).collect();
        let values = self.heap.list(&values);
        let constraints = self.heap.fresh();
        let functor = self.atoms.functor_named("$constraints", 2);
        let after = self.heap.structure(functor, &[values, constraints]);
        let after = self.in_module(AtomId::SYSTEM, after);
        let goal = self.in_module(AtomId::USER, goal);
        let goal = self.heap.structure(FunctorId::AND, &[goal, after]);
        let mut bindings = Vec::new();
        let own = (CONSTRAINTS.to_owned(), constraints);
        for (name, var) in read.variables.into_iter().chain([own]) {
            let name = self.atom_named(&name);
            bindings.push(self.heap.structure(FunctorId::UNIFY, &[name, var]));
        }
        let bindings = self.heap.list(&bindings);
        let query = self.heap.structure(FunctorId::PAIR, &[goal, bindings]);
        Ok(Query { record: Record::new(&self.heap, &self.atoms, query), unknown })
    }

    /// Returns a query for a goal that a program names, without variables to report.
    pub fn query_of(&mut self, goal: &Record) -> Query {
        self.heap = crate::data::Heap::default();
        let goal = goal.load(&mut self.heap);
        let query = self.heap.structure(FunctorId::PAIR, &[goal, Value::NIL]);
        Query { record: Record::new(&self.heap, &self.atoms, query), unknown: Vec::new() }
    }

    /// Returns the answer that was just found.
    pub fn answer_found(&mut self) -> Answer {
        let constraints = self.bindings().into_iter().find(|it| it.0 == CONSTRAINTS);
        let goals = constraints.map(|it| self.heap.list_items(it.1).0).unwrap_or_default();
        self.answer_text(&goals)
    }

    /// Collects the goals without a definition, inside control constructs, too.
    fn unknown_goals(&mut self, goal: Value, unknown: &mut Vec<String>) {
        let mut todo = vec![(AtomId::USER, goal)];
        while let Some((module, goal)) = todo.pop() {
            let (module, goal) = self.strip_module(module, goal);
            let functor = match goal.view() {
                View::Atom(name) => self.atoms.functor(name, 0),
                View::Struct(functor, _) => functor,
                View::Var(_)
                | View::Int(_)
                | View::Big(_)
                | View::Rational(_)
                | View::Float(_)
                | View::Text(_) => continue,
            };
            let (name, arity) = self.atoms.name_arity(functor);
            match functor {
                FunctorId::AND
                | FunctorId::OR
                | FunctorId::ALTERNATIVE
                | FunctorId::THEN
                | FunctorId::SOFT_THEN => {
                    todo.push((module, self.heap.arg(goal, 1)));
                    todo.push((module, self.heap.arg(goal, 0)));
                }
                FunctorId::UNPROVABLE => todo.push((module, self.heap.arg(goal, 0))),
                _ if name == AtomId::CUT || name == AtomId::COLON => {}
                // Later goals may call predicates that this one defines.
                _ if DEFINING.contains(&self.atoms.text(name)) => {
                    unknown.clear();
                    return;
                }
                _ => {
                    let id = self.db.pred(module, functor, name, arity);
                    // A predicate counts as defined if a library has it that is still to be loaded.
                    let known = !matches!(self.resolve(id), Ok(false))
                        || self.db.get(id).dynamic
                        || self.db.get(id).kind == Kind::Clauses;
                    if !known {
                        let indicator = self.indicator(name, arity);
                        let text = self.quoted_text(indicator);
                        unknown.push(if module == AtomId::USER {
                            text
                        } else {
                            format!("{}:{text}", self.atoms.text(module))
                        });
                    }
                }
            }
        }
    }
}

/// The names of goals that may define new predicates.
const DEFINING: &[&str] = &[
    "assert",
    "asserta",
    "assertz",
    "consult",
    "dynamic",
    "ensure_loaded",
    "load_files",
    "retractall",
    "use_module",
    "[|]",
];
