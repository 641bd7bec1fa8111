//! Derivations for people to read: evaluates a goal step by step with the deterministic semantics of [Vidal
//! 2014], Fig. 1, extended to full Prolog programs.
//!
//! Cut, conditions and negation follow the linear semantics of [Ströder et al. 2011], which that paper builds
//! on. A goal that is not a predicate of the program is a single step, executed by the machine. States are
//! copied at every step. The crate `papers` has the semantics for definite programs exactly as published.

use crate::code::{ClauseId, Kind, PredId};
use crate::concolic::program::head_and_body;
use crate::data::{AtomId, FunctorId, Heap, Record, Tag, Value, View, Walk, unify};
use crate::machine::{Ending, Limits, Machine, Stop};
use crate::program::Library;
use crate::text::{Reader, WriteOptions, write_term};
use crate::toplevel::Query;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// All states of a goal's evaluation up to its first answer.
#[derive(Clone, Debug)]
pub struct Derivation {
    pub states: Vec<Derived>,
    pub end: DerivationEnd,
    /// The clauses that were tried: their labels, their predicates, and their lines.
    pub labels: Vec<(usize, String, u32)>,
}

/// A state `⟨goal; answer; stack⟩`, and the rule that led to it.
#[derive(Clone, Debug)]
pub struct Derived {
    /// The rule: `u(1,2)`, `b(2)`, `f`, `cut`, `if`, `or`, `not`, `call`, `builtin`; empty for the first
    /// state.
    pub rule: String,
    pub goal: String,
    pub answer: String,
    /// The alternatives, the next one first: label, answer so far, and goal.
    pub stack: Vec<[String; 3]>,
    /// The output of the program in this step.
    pub written: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DerivationEnd {
    Answer,
    Failure,
    /// An exception was thrown: its ball.
    Threw(String),
    /// The maximum number of steps was reached.
    Steps,
    /// The next step cannot be shown, for this reason.
    Stopped(String),
}

/// The maximum number of answers of a builtin that are shown as alternatives.
const MAX_ANSWERS: usize = 32;
/// The maximum number of machine steps for the answers of a builtin.
const STEPS: u64 = 5_000_000;

/// Builtins that change state outside of the goal and its stack.
const CHANGING: &[&str] = &[
    "assert",
    "asserta",
    "assertz",
    "retract",
    "retractall",
    "abolish",
    "nb_setval",
    "b_setval",
    "erase",
    "recorda",
    "recordz",
    "flag",
];

/// An alternative on the stack: its label, and the state that it continues from.
#[derive(Clone, Debug)]
struct Alternative {
    label: String,
    /// The pair `Goals-Names`: the goals, each with the height of the stack to which a cut in it cuts back,
    /// and the names of variables.
    state: Record,
}

struct Deriver<'m> {
    machine: &'m mut Machine,
    library: &'m mut dyn Library,
    module: AtomId,
    current: Record,
    /// The alternatives, the next one last.
    stack: Vec<Alternative>,
    n_steps: usize,
    n_query: usize,
    /// The names of the variables of each clause, by the line at which the clause begins.
    names: FxHashMap<u32, Vec<String>>,
    labels: FxHashMap<u32, usize>,
    tried: Vec<(usize, String, u32)>,
}

/// The result of a step.
enum Stepped {
    To(String, String),
    End(DerivationEnd),
}

impl Machine {
    /// Derives a goal of the program with this source text, which was loaded to be tested.
    pub fn derive(
        &mut self,
        library: &mut dyn Library,
        query: &Query,
        module: &str,
        text: &str,
        max_steps: usize,
    ) -> Derivation {
        let module = self.atoms.intern(module);
        let names = self.names_in(text);
        let clauses = (0..).zip(&self.db.marks).filter(|it| it.1.branch.is_none());
        let labels = (1..).zip(clauses).map(|(n, (mark, _))| (mark, n)).collect();
        let (current, n_query) = self.first_state(query);
        let mut deriver = Deriver {
            machine: self,
            library,
            module,
            current,
            stack: Vec::new(),
            n_steps: 0,
            n_query,
            names,
            labels,
            tried: Vec::new(),
        };
        let mut states = vec![deriver.shown(String::new(), String::new())];
        let end = loop {
            if max_steps <= deriver.n_steps {
                break DerivationEnd::Steps;
            }
            deriver.n_steps += 1;
            match deriver.step() {
                Stepped::To(rule, written) => states.push(deriver.shown(rule, written)),
                Stepped::End(DerivationEnd::Failure) => {
                    let mut last = deriver.shown("f".to_owned(), String::new());
                    last.goal = "fail".to_owned();
                    states.push(last);
                    break DerivationEnd::Failure;
                }
                Stepped::End(end) => break end,
            }
        };
        deriver.tried.sort();
        Derivation { states, end, labels: deriver.tried }
    }

    /// Returns the first state: the goal of a query, its variables, and their number.
    fn first_state(&mut self, query: &Query) -> (Record, usize) {
        let mut heap = Heap::default();
        let whole = query.record.load(&mut heap);
        // The query's goal has the form `user:Goal, system:'$constraints'(...)`.
        let goal = heap.arg(heap.arg(heap.arg(whole, 0), 0), 1);
        let (names, _) = heap.list_items(heap.arg(whole, 1));
        let is_own = |it: &Value| {
            let name = heap.arg(*it, 0).as_atom();
            name.is_some_and(|it| !self.atoms.text(it).starts_with('$'))
        };
        let names: Vec<Value> = names.into_iter().filter(is_own).collect();
        let n_query = names.len();
        let goals = flattened(&mut heap, goal, 0);
        (state(self, &mut heap, &goals, &names), n_query)
    }

    /// Returns the variable names of each clause of a text in the order of their first occurrence, by the
    /// clause's line.
    fn names_in(&mut self, text: &str) -> FxHashMap<u32, Vec<String>> {
        let mut res = FxHashMap::default();
        let syntax = self.syntax();
        let mut reader = Reader::new(text);
        for _ in 0..text.len() {
            let mut heap = Heap::default();
            let read = reader.next_term(&mut heap, &mut self.atoms, &self.ops, syntax);
            let read = match read {
                Ok(Some(read)) => read,
                Ok(None) => break,
                Err(_) => continue,
            };
            let before = text.get(..read.span.0).unwrap_or_default();
            let line = u32::try_from(before.matches('\n').count() + 1).unwrap_or(0);
            let name = |var: &Value| {
                let known = read.variables.iter().find(|it| heap.deref(it.1).same_word(*var));
                known.map_or("", |it| it.0.trim_start_matches('_')).to_owned()
            };
            let variables = variables(&heap, &self.atoms, read.term);
            res.insert(line, variables.iter().map(name).collect());
        }
        res
    }
}

/// Returns the variables of a term in the order of their first occurrence.
fn variables(heap: &Heap, atoms: &crate::data::Atoms, term: Value) -> Vec<Value> {
    let mut res: Vec<Value> = Vec::new();
    for var in Walk::new(heap, atoms, term).filter(|it| it.is_var()) {
        if !res.iter().any(|it| it.same_word(var)) {
            res.push(var);
        }
    }
    res
}

/// Returns the goals of a conjunction, each paired with the height of the stack to which a cut in it cuts
/// back.
fn flattened(heap: &mut Heap, goal: Value, height: usize) -> Vec<Value> {
    let mut res = Vec::new();
    let mut todo = vec![goal];
    while let Some(next) = todo.pop() {
        let next = heap.deref(next);
        if next.is_struct(FunctorId::AND) {
            todo.push(heap.arg(next, 1));
            todo.push(heap.arg(next, 0));
        } else if !next.is_atom(AtomId::TRUE) {
            res.push(heap.structure(FunctorId::PAIR, &[next, Value::size(height)]));
        }
    }
    res
}

fn state(machine: &Machine, heap: &mut Heap, goals: &[Value], names: &[Value]) -> Record {
    let (goals, names) = (heap.list(goals), heap.list(names));
    let whole = heap.structure(FunctorId::PAIR, &[goals, names]);
    Record::new(heap, &machine.atoms, whole)
}

impl Deriver<'_> {
    fn step(&mut self) -> Stepped {
        let mut heap = Heap::default();
        let (goals, names) = loaded(&mut heap, &self.current);
        let Some((first, rest)) = goals.split_first() else {
            return Stepped::End(DerivationEnd::Answer);
        };
        let selected = heap.deref(heap.arg(*first, 0));
        let height = heap.arg(*first, 1).as_int().and_then(|it| usize::try_from(it).ok());
        let height = height.unwrap_or(0);
        let selected = self.unqualified(&heap, selected);
        let Some((name, arity)) = heap.name_arity(selected, &self.machine.atoms) else {
            return self.builtin(heap, selected, rest, &names);
        };
        let name = self.machine.atoms.text(name).to_owned();
        let arg = |heap: &Heap, n: usize| heap.deref(heap.arg(selected, n));
        let here = self.stack.len();
        match (name.as_str(), arity) {
            ("!", 0) => {
                self.stack.truncate(height);
                self.go_on(heap, &[], rest, &names, "cut")
            }
            ("fail" | "false", 0) => self.back(),
            (";" | "|", 2) => {
                let (left, right) = (arg(&heap, 0), arg(&heap, 1));
                let other = flattened(&mut heap, right, height);
                let is_soft = left.is_struct(FunctorId::SOFT_THEN);
                if left.is_struct(FunctorId::THEN) {
                    self.push(&mut heap, "else", &other, rest, &names);
                    let goals = condition(&mut heap, left, here, height);
                    self.go_on(heap, &goals, rest, &names, "if")
                } else if is_soft {
                    self.builtin(heap, selected, rest, &names)
                } else {
                    self.push(&mut heap, "or", &other, rest, &names);
                    let goals = flattened(&mut heap, left, height);
                    self.go_on(heap, &goals, rest, &names, "or")
                }
            }
            ("->", 2) => {
                let fail = flattened(&mut heap, Value::atom(AtomId::FAIL), here);
                self.push(&mut heap, "else", &fail, rest, &names);
                let goals = condition(&mut heap, selected, here, height);
                self.go_on(heap, &goals, rest, &names, "if")
            }
            ("\\+" | "not", 1) => {
                self.push(&mut heap, "not", &[], rest, &names);
                let inner = arg(&heap, 0);
                let mut goals = flattened(&mut heap, inner, here + 1);
                goals.extend(flattened(&mut heap, Value::atom(AtomId::CUT), here));
                goals.extend(flattened(&mut heap, Value::atom(AtomId::FAIL), here));
                self.go_on(heap, &goals, rest, &names, "not")
            }
            ("call", 1) if arg(&heap, 0).is_callable() => {
                let goals = flattened_of(&mut heap, selected, here);
                self.go_on(heap, &goals, rest, &names, "call")
            }
            _ if CHANGING.contains(&name.as_str()) && self.own(selected).is_none() => {
                let why = format!("{name}/{arity} changes what is not part of a state");
                Stepped::End(DerivationEnd::Stopped(why))
            }
            _ => match self.own(selected) {
                Some(id) => self.unfold(id),
                None => self.builtin(heap, selected, rest, &names),
            },
        }
    }

    /// Removes the program's own module from a goal.
    fn unqualified(&self, heap: &Heap, goal: Value) -> Value {
        let mut goal = goal;
        while goal.is_struct(FunctorId::QUALIFIED)
            && heap.deref(heap.arg(goal, 0)).is_atom(self.module)
        {
            goal = heap.deref(heap.arg(goal, 1));
        }
        goal
    }

    /// Returns the predicate of the program that a goal calls, if its clauses can be shown.
    fn own(&self, goal: Value) -> Option<PredId> {
        let functor = match goal.view() {
            View::Struct(functor, _) => functor,
            View::Atom(name) => self.machine.atoms.known_functor(name, 0)?,
            View::Var(_)
            | View::Int(_)
            | View::Big(_)
            | View::Rational(_)
            | View::Float(_)
            | View::Text(_) => return None,
        };
        let id = self.machine.db.find(self.module, functor)?;
        let pred = self.machine.db.get(id);
        let clauses = self.machine.db.clauses_of(id);
        let are_marked = clauses.iter().all(|it| self.machine.mark_of(*it).is_some());
        let is_plain = pred.kind == Kind::Clauses && !pred.one_sided && are_marked;
        (is_plain && (pred.dynamic || !clauses.is_empty())).then_some(id)
    }

    /// Resolves a goal with all clauses whose heads unify with it: continues with the first one and pushes
    /// the others.
    fn unfold(&mut self, id: PredId) -> Stepped {
        let here = self.stack.len();
        let mut found = Vec::new();
        for clause in self.machine.db.clauses_of(id) {
            let mark = self.machine.mark_of(clause).unwrap_or(0);
            let label = self.labels.get(&mark).copied().unwrap_or(0);
            if let Some(state) = self.resolved(clause, here) {
                self.note_tried(id, clause, label);
                found.push(Alternative { label: label.to_string(), state });
            }
        }
        let labels: Vec<&str> = found.iter().map(|it| it.label.as_str()).collect();
        let rule = format!("u({})", labels.join(","));
        let mut found = found.into_iter();
        let Some(first) = found.next() else { return self.back() };
        self.current = first.state;
        let others: Vec<Alternative> = found.collect();
        self.stack.extend(others.into_iter().rev());
        Stepped::To(rule, String::new())
    }

    fn note_tried(&mut self, id: PredId, clause: ClauseId, label: usize) {
        if self.tried.iter().any(|it| it.0 == label) {
            return;
        }
        let pred = self.machine.db.get(id);
        let name = format!("{}/{}", self.machine.atoms.text(pred.name), pred.arity);
        self.tried.push((label, name, self.machine.db.clause(clause).line));
    }

    /// Returns the state after resolution with a clause; `None` if its head does not unify.
    fn resolved(&self, clause: ClauseId, height: usize) -> Option<Record> {
        let mut heap = Heap::default();
        let (goals, mut names) = loaded(&mut heap, &self.current);
        let (first, rest) = goals.split_first()?;
        let selected = self.unqualified(&heap, heap.deref(heap.arg(*first, 0)));
        let of = self.machine.db.clause(clause);
        let term = Rc::clone(&of.term).load(&mut heap);
        let (head, body) = head_and_body(self.machine, &heap, term);
        let fresh = variables(&heap, &self.machine.atoms, term);
        let known = self.names.get(&of.line).filter(|it| it.len() == fresh.len());
        for (n, var) in fresh.into_iter().enumerate() {
            let name = known.and_then(|it| it.get(n)).filter(|it| !it.is_empty());
            let name = name.map_or_else(|| format!("V{}", n + 1), Clone::clone);
            let name = heap.text(&format!("{name}_{}", self.n_steps));
            names.push(heap.structure(FunctorId::UNIFY, &[name, var]));
        }
        if !unify(&mut heap, &self.machine.atoms, selected, head) {
            return None;
        }
        let mut all = flattened(&mut heap, body, height);
        all.extend(rest);
        let names = self.in_use(&heap, &all, names);
        Some(state(self.machine, &mut heap, &all, &names))
    }

    /// Returns the names of the query's variables, and those of clause variables that still occur in the
    /// state.
    fn in_use(&self, heap: &Heap, goals: &[Value], names: Vec<Value>) -> Vec<Value> {
        let mut used: Vec<Value> = Vec::new();
        let query = names.iter().take(self.n_query).map(|it| heap.arg(*it, 1));
        for term in goals.iter().copied().chain(query) {
            used.extend(variables(heap, &self.machine.atoms, term));
        }
        let is_used = |it: &Value| {
            let var = heap.deref(heap.arg(*it, 1));
            var.is_var() && used.iter().any(|it| it.same_word(var))
        };
        let all = names.into_iter().enumerate();
        all.filter(|it| it.0 < self.n_query || is_used(&it.1)).map(|it| it.1).collect()
    }

    /// Backtracks to the next alternative.
    fn back(&mut self) -> Stepped {
        let Some(Alternative { label, state }) = self.stack.pop() else {
            return Stepped::End(DerivationEnd::Failure);
        };
        self.current = state;
        Stepped::To(format!("b({label})"), String::new())
    }

    fn push(
        &mut self,
        heap: &mut Heap,
        label: &str,
        goals: &[Value],
        rest: &[Value],
        names: &[Value],
    ) {
        let goals = [goals, rest].concat();
        let state = state(self.machine, heap, &goals, names);
        self.stack.push(Alternative { label: label.to_owned(), state });
    }

    fn go_on(
        &mut self,
        mut heap: Heap,
        goals: &[Value],
        rest: &[Value],
        names: &[Value],
        rule: &str,
    ) -> Stepped {
        let goals = [goals, rest].concat();
        self.current = state(self.machine, &mut heap, &goals, names);
        Stepped::To(rule.to_owned(), String::new())
    }

    /// Lets the machine solve a goal; each of its answers becomes an alternative.
    fn builtin(&mut self, mut heap: Heap, goal: Value, rest: &[Value], names: &[Value]) -> Stepped {
        let (goals, names) = (heap.list(rest), heap.list(names));
        let after = heap.structure(FunctorId::PAIR, &[goals, names]);
        let binding = heap.structure(FunctorId::UNIFY, &[Value::atom(AtomId::EMPTY), after]);
        let bindings = heap.list(&[binding]);
        let goal = heap.structure(FunctorId::QUALIFIED, &[Value::atom(self.module), goal]);
        let query = heap.structure(FunctorId::PAIR, &[goal, bindings]);
        let query = Record::new(&heap, &self.machine.atoms, query);
        let limits = Limits { steps: STEPS, ..Limits::default() };
        let mut solutions = self.machine.solve(self.library, &query, limits);
        let (mut found, mut written) = (Vec::new(), None);
        loop {
            let ending = solutions.next_answer();
            let machine = solutions.machine();
            written.get_or_insert_with(|| machine.output_text().to_owned());
            match ending {
                Ending::True { more } => {
                    let Some((_, after)) = machine.bindings().into_iter().next() else { break };
                    let parts = || Walk::new(&machine.heap, &machine.atoms, after);
                    if parts().any(|it| it.tag() == Tag::Attr) {
                        let why = "variables with constraints are not shown".to_owned();
                        return Stepped::End(DerivationEnd::Stopped(why));
                    }
                    found.push(Record::new(&machine.heap, &machine.atoms, after));
                    if !more || MAX_ANSWERS <= found.len() {
                        break;
                    }
                }
                Ending::False => break,
                Ending::Exception(_) | Ending::Stopped(_) if !found.is_empty() => break,
                Ending::Exception(ball) => {
                    let text = machine.record_text(&ball);
                    return Stepped::End(DerivationEnd::Threw(text));
                }
                Ending::Stopped(stop) => {
                    return Stepped::End(DerivationEnd::Stopped(stopped(&stop)));
                }
            }
        }
        let mut found = found.into_iter();
        let Some(first) = found.next() else { return self.back() };
        self.current = first;
        let others: Vec<Record> = found.collect();
        let others = others.into_iter().rev();
        self.stack.extend(others.map(|state| Alternative { label: "builtin".to_owned(), state }));
        Stepped::To("builtin".to_owned(), written.unwrap_or_default())
    }

    fn shown(&self, rule: String, written: String) -> Derived {
        let (goal, answer) = self.texts(&self.current);
        let kept = self.stack.iter().rev().map(|it| {
            let (goal, answer) = self.texts(&it.state);
            [it.label.clone(), answer, goal]
        });
        Derived { rule, goal, answer, stack: kept.collect(), written }
    }

    /// Returns the text of a state's goals, and of the values of the query's variables.
    fn texts(&self, of: &Record) -> (String, String) {
        let machine = &*self.machine;
        let mut heap = Heap::default();
        let (goals, names) = loaded(&mut heap, of);
        let mut options =
            WriteOptions { numbervars: false, priority: 999, ..WriteOptions::quoted() };
        for (n, it) in names.iter().enumerate() {
            let var = heap.deref(heap.arg(*it, 1));
            let name = heap.arg(*it, 0);
            let text = match name.as_atom() {
                Some(name) => machine.atoms.text(name).to_owned(),
                None => heap.as_text(name).map(|it| it.to_string()).unwrap_or_default(),
            };
            if var.is_var() && (n < self.n_query || !text.is_empty()) {
                options.names.entry(var.address()).or_insert(text);
            }
        }
        let show = |it: Value| write_term(&heap, &machine.atoms, &machine.ops, &options, it);
        let goals: Vec<String> = goals.iter().map(|it| show(heap.arg(*it, 0))).collect();
        let goal = if goals.is_empty() { "true".to_owned() } else { goals.join(", ") };
        let answer: Vec<String> = names
            .iter()
            .take(self.n_query)
            .filter_map(|it| {
                let name = machine.atoms.text(heap.arg(*it, 0).as_atom()?);
                let value = show(heap.arg(*it, 1));
                (value != name).then(|| format!("{name}/{value}"))
            })
            .collect();
        let answer =
            if answer.is_empty() { "id".to_owned() } else { format!("{{{}}}", answer.join(",")) };
        (goal, answer)
    }
}

/// Returns the goals and the names of a state.
fn loaded(heap: &mut Heap, of: &Record) -> (Vec<Value>, Vec<Value>) {
    let whole = of.load(heap);
    let (goals, names) = (heap.arg(whole, 0), heap.arg(whole, 1));
    (heap.list_items(goals).0, heap.list_items(names).0)
}

/// Returns the goals of `If -> Then`: the condition is followed by a cut that removes the else alternative.
fn condition(heap: &mut Heap, of: Value, here: usize, height: usize) -> Vec<Value> {
    let (test, then) = (heap.arg(of, 0), heap.arg(of, 1));
    let mut goals = flattened(heap, test, here + 1);
    goals.extend(flattened(heap, Value::atom(AtomId::CUT), here));
    goals.extend(flattened(heap, then, height));
    goals
}

/// Returns the goals of `call/1`; a cut inside is local.
fn flattened_of(heap: &mut Heap, call: Value, height: usize) -> Vec<Value> {
    let inner = heap.arg(call, 0);
    flattened(heap, inner, height)
}

fn stopped(stop: &Stop) -> String {
    match stop {
        Stop::Steps => "a goal of a builtin takes too many steps".to_owned(),
        Stop::Memory => "a goal of a builtin takes too much memory".to_owned(),
        Stop::Time => "interrupted".to_owned(),
        Stop::Halt(status) => format!("halt({status})"),
        Stop::Refused(effect) => format!("refused: {effect}"),
        Stop::Load(file) => format!("library {file} can't be loaded"),
    }
}
