//! The recorder of a run, and the choices that instructions make on symbolic values.
//!
//! The interpreter calls this code only for values with shadows, so all of it is cold. The symbolic half of builtins is
//! in `lift`.

use crate::builtins::Builtin;
use crate::code::{Cmp, Kind};
use crate::lift::compare::truth_of;
use crate::lift::lists::LIST_HEADS;
use crate::lift::promised;
use crate::lift::search::Needle;
use crate::lift::{Lifting, Own, PathFacts, is_symbolic, own_expr, shadow, site};
use crate::machine::World;
use crate::machine::interpret::Cpu;
use crate::machine::schedule::LONG_MILLIS;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use term::fit_u32;
use term::{Domain, ExprId, Exprs, Kind as Sort, Op, Term, TypeId, Types, Var};
use trace::{Choice, ClauseId, Covered, Head, Looked, Loss, Mode};
use values::{
    AtomId, PidId, RefId, Shadow, Value, View, compare_value, equal_exact, equal_value, to_term,
};

/// The record of one run; the expressions and heads are shared by all runs of a unit.
#[derive(Debug, Default)]
pub struct Recorder {
    pub exprs: Exprs,
    pub choices: Vec<Choice>,
    /// For each choice, the trail of the clauses that were entered last before it.
    pub trails: Vec<u64>,
    pub losses: Vec<Loss>,
    /// The unit's result, if it is symbolic.
    pub result: Option<ExprId>,
    pub(crate) spec: FromSpec,
    /// Whether the run made more choices than are kept.
    pub(crate) is_full: bool,
    pub(crate) known: PathFacts,
    /// The trail of the counted clauses that were entered last; of all clauses, if none are counted.
    trail: u64,
    counted: Covered,
    /// The clause by which the tested code is entered, if other code runs first.
    pub(crate) entry: Option<ClauseId>,
    /// The number of choices before the entry clause was entered; `None` until then.
    pub(crate) n_before: Option<usize>,
    /// The binaries that the compiled patterns of this run search for.
    pub(crate) patterns: FxHashMap<RefId, Vec<Needle>>,
    /// Map updates whose key was stored before under another expression, with the expression of the stored key.
    pub(crate) merged: FxHashMap<ExprId, ExprId>,
    /// The atoms in the tested code.
    pub(crate) named: Arc<[Head]>,
    /// The names of tested modules.
    pub(crate) tested: Arc<[Head]>,
    /// The size of the expressions in bytes when this run began.
    bytes_before: usize,
    /// The heads of each switch table on which a choice was made.
    heads: FxHashMap<u32, Arc<[Head]>>,
}

/// The result types of a unit: a result must belong to at least one of them.
#[derive(Clone, Debug, Default)]
pub struct Promise {
    pub types: Types,
    pub results: Vec<TypeId>,
}

/// The knowledge about a unit from its spec.
#[derive(Clone, Debug, Default)]
pub struct FromSpec {
    /// The set of allowed inputs. A test whose outcome it implies is not a choice.
    pub domain: Arc<Domain>,
    /// The promised results. Whether the result is one of them is a choice.
    pub promise: Arc<Promise>,
}

/// Sites of the choices of a call by name: the module, the function, and the number of arguments.
const CALLED_MODULE: u32 = 2;
const CALLED_NAME: u32 = 3;
const CALLED_ARGS: u32 = 4;

/// Site indices of choices that are recorded at address 0, because the address of the builtin's call is not known.
const NAME: u32 = 2;
const GIVEN_NAME: u32 = 3;
const TIME: u32 = 4;

/// The size of a clause in a trail, which holds four clauses.
const BITS_OF_CLAUSE: u32 = 16;
const MAX_CLAUSE: u64 = (1 << BITS_OF_CLAUSE) - 1;

impl Recorder {
    pub fn within(spec: FromSpec) -> Recorder {
        let known = PathFacts::within(Arc::clone(&spec.domain));
        Recorder { known, spec, ..Recorder::default() }
    }

    /// Prepares for the next run of the same program.
    pub(crate) fn begin(&mut self) {
        self.choices.clear();
        self.trails.clear();
        self.trail = 0;
        self.n_before = None;
        self.losses.clear();
        self.result = None;
        self.is_full = false;
        self.known.clear();
        self.patterns.clear();
        self.merged.clear();
        self.bytes_before = self.exprs.bytes();
    }

    /// The number of bytes that this run has added to the expressions.
    pub(crate) fn bytes(&self) -> usize {
        self.exprs.bytes().saturating_sub(self.bytes_before)
    }

    /// Restricts trails to these clauses.
    pub fn count_clauses(&mut self, clauses: impl Iterator<Item = ClauseId>) {
        let mut counted = Covered::default();
        clauses.for_each(|it| counted.insert(it));
        self.counted = counted;
    }

    /// Records that the body of a clause is entered.
    pub(crate) fn enter(&mut self, clause: ClauseId) {
        if self.entry == Some(clause) && self.n_before.is_none() {
            self.n_before = Some(self.choices.len());
        }
        if self.counted.has(clause) || self.counted == Covered::default() {
            self.trail = self.trail << BITS_OF_CLAUSE | u64::from(clause.0) & MAX_CLAUSE;
        }
    }

    pub(crate) fn push(&mut self, choice: Choice) {
        self.choices.push(choice);
        self.trails.push(self.trail);
    }

    /// The value as a symbolic argument of the unit, with index `n`.
    pub(crate) fn argument(&mut self, n: usize, value: Value) -> Value {
        let var = Var(fit_u32(n));
        value.with_shadow(shadow(self.exprs.var(var)))
    }

    /// The heads that the choice on a list distinguishes.
    pub(crate) fn list_heads(&mut self) -> Arc<[Head]> {
        Arc::clone(self.heads.entry(NO_TABLE).or_insert_with(|| LIST_HEADS.into()))
    }
}

/// The key of the list heads in the table of heads; no switch table has this number.
const NO_TABLE: u32 = u32::MAX;

/// The keys of a table or dictionary in the order of their insertion, which does not depend on their values. Paths of
/// two inputs are only comparable if they compare the same keys at the same site.
#[derive(Clone, Debug, Default)]
pub(crate) struct Entered {
    keys: Vec<Value>,
    has_symbolic: bool,
    /// Whether more keys were inserted than are kept.
    is_full: bool,
    /// The keys for which processes asked while schedules are searched. The entry of `by` with the same index says
    /// which process asked, and how.
    asked: Vec<Value>,
    by: Vec<Asked>,
}

/// The process that asked for a key, and its mode of access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Asked {
    who: PidId,
    how: Mode,
}

impl Entered {
    /// Adds a key that was not there. Keys that have been removed are forgotten, because whether one of them equals the
    /// new key was never compared.
    pub(crate) fn add(&mut self, key: Value, is_symbolic: bool, is_there: impl Fn(&Value) -> bool) {
        self.has_symbolic |= is_symbolic;
        self.keys.retain(is_there);
        if self.keys.len() < MAX_KEYS {
            self.keys.push(key);
        } else {
            self.is_full = true;
        }
    }

    pub(crate) fn has_symbolic(&self) -> bool {
        self.has_symbolic
    }

    /// All inserted keys; `None` if there were too many.
    pub(crate) fn keys(&self) -> Option<&[Value]> {
        (!self.is_full).then_some(self.keys.as_slice())
    }

    /// Ends the tracking of symbolic keys, which the caller pins. Returns whether there were any.
    pub(crate) fn settle(&mut self) -> bool {
        std::mem::take(&mut self.has_symbolic)
    }

    /// Records that a process asks for a key. Returns the keys of earlier conflicting requests: those of other
    /// processes where one of the two accesses writes. Only if such a key equals this one does the order of the two
    /// requests matter. `None` if there are more requests than can be compared one by one.
    pub(crate) fn ask(&mut self, key: Value, who: PidId, how: Mode) -> Option<Vec<Value>> {
        let this = Asked { who, how };
        let counts = |it: &Asked| it.who != who && (it.how == Mode::Write || how == Mode::Write);
        let earlier = self.asked.iter().zip(&self.by).filter(|it| counts(it.1));
        let earlier = earlier.map(|it| *it.0).collect();
        let is_known =
            self.asked.iter().zip(&self.by).any(|it| it.0.same_word(key) && *it.1 == this);
        if !is_known {
            self.asked.push(key);
            self.by.push(this);
        }
        (self.asked.len() <= MAX_KEYS).then_some(earlier)
    }

    pub(crate) fn visit(&mut self, visitor: &mut dyn FnMut(&mut [Value])) {
        visitor(&mut self.keys);
        visitor(&mut self.asked);
    }
}

/// The maximum number of keys that are compared one by one.
const MAX_KEYS: usize = 32;

#[inline]
pub(super) fn either_shadowed(a: Value, b: Value) -> bool {
    (a.shadow().0 | b.shadow().0) != Shadow::NONE.0
}

/// Whether a comparison of the values may depend on a symbolic value, judged by their outermost shapes.
#[inline]
pub(super) fn may_be_symbolic(a: Value, b: Value) -> bool {
    either_shadowed(a, b)
        || matches!(
            (a.view(), b.view()),
            (View::Cons(_), View::Cons(_))
                | (View::Tuple(..), View::Tuple(..))
                | (View::Map(_), View::Map(_))
                | (View::Fun(_), View::Fun(_))
        )
}

impl World {
    /// Records that a builtin examines a value in a way that is not followed symbolically: a loss and pins.
    pub(crate) fn look_at(&mut self, what: &str, value: Value) {
        let World { record: Some(record), heap, atoms, .. } = self else { return };
        Lifting { record, heap, atoms, pc: 0 }.concretise(what, &[value], |_| true);
    }

    /// Returns the lifting for a builtin that depends on more than its arguments; `None` if the run is not recorded
    /// or the recorder is full.
    pub(crate) fn following(&mut self) -> Option<Lifting<'_>> {
        let World { record: Some(record), heap, atoms, .. } = self else { return None };
        (!record.is_full).then_some(Lifting { record, heap, atoms, pc: 0 })
    }

    /// Records the result of a comparison that a builtin made. It is a choice if one of the values is symbolic.
    pub(crate) fn compare_values(&mut self, op: Cmp, (a, b): (Value, Value), holds: bool) {
        if let Some(mut lifting) = self.following() {
            lifting.compared(0, op, a, b, holds);
        }
    }

    /// Returns `holds`: whether a value is of a kind. Records the test as a choice if the value is symbolic.
    pub(crate) fn is_kind(&mut self, value: Value, kind: Sort, holds: bool) -> bool {
        if let Some(mut lifting) = self.following() {
            lifting.test_kind(0, value, kind, holds);
        }
        holds
    }

    /// Returns the value `found` that one builtin computed by the operation of another one, with the expression that
    /// the lifting `own` of that operation gives it.
    pub(crate) fn followed(&mut self, own: Own, args: &[Value], found: Value) -> Value {
        let followed = self.following().and_then(|mut it| own(&mut it, args, Some(found)));
        followed.unwrap_or(found)
    }

    /// The items of a list that is walked; its length is a choice. `None` if the list is improper.
    pub(crate) fn listed(&mut self, pc: u32, list: Value) -> Option<Vec<Value>> {
        let World { record: Some(record), heap, atoms, .. } = self else {
            return self.heap.list_items(list);
        };
        let (items, end) = Lifting { record, heap, atoms, pc }.spine(CALLED_ARGS, list);
        end.is_nil().then_some(items)
    }

    /// Whether the run is recorded and some part of the value is symbolic.
    pub(crate) fn is_symbolic(&self, value: Value) -> bool {
        self.record.is_some() && is_symbolic(&self.heap, value)
    }

    /// A tuple or list of tuples whose shape is examined: it is rebuilt from its parts, which keep their shadows.
    pub(crate) fn taken_apart(&mut self, value: Value) -> Value {
        let World { record: Some(record), heap, atoms, .. } = self else { return value };
        let mut lifting = Lifting { record, heap, atoms, pc: 0 };
        if !lifting.is_symbolic(value) {
            return value;
        }
        let is_list = value.is_cons() || value.is_nil();
        if !lifting.test_kind(5, value, Kind::List, is_list) {
            return lifting.whole(value);
        }
        let (items, end) = lifting.spine(0, value);
        let items: Vec<Value> = items.into_iter().map(|it| lifting.whole(it)).collect();
        if items.is_empty() { end } else { lifting.heap.list_with_tail(&items, end) }
    }

    /// Records choices for a builtin that searches for a key among others, one for each comparison that depends on a
    /// symbolic value.
    pub(crate) fn compare_keys(&mut self, op: Op, key: Value, others: &[Value]) {
        let World { record: Some(record), heap, atoms, .. } = self else { return };
        let mut lifting = Lifting { record, heap, atoms, pc: 0 };
        let is_key_symbolic = lifting.is_symbolic(key);
        for other in others.iter().copied() {
            if !is_key_symbolic && !lifting.is_symbolic(other) {
                continue;
            }
            let (Some(a), Some(b)) = (lifting.expr(key), lifting.expr(other)) else { continue };
            let holds = if op == Op::Equal {
                equal_value(lifting.heap, lifting.atoms, key, other)
            } else {
                equal_exact(lifting.heap, lifting.atoms, key, other)
            };
            let test = lifting.apply(op, &[a, b]);
            lifting.test(0, test, holds);
        }
    }

    /// Records which registered process a symbolic name means: each name of a process of the program is a choice. The
    /// name is pinned if it is that of a process of the runtime system.
    pub(crate) fn follow_name(&mut self, name: Value) {
        let found = name.as_atom();
        let (Some(expr), true) = (own_expr(name), self.is_kind(name, Sort::Atom, found.is_some()))
        else {
            return;
        };
        let names = self.given_names();
        let is_taken = found.is_some_and(|it| self.run.registry.contains_key(&(self.here(), it)));
        let heads = names.into_iter().map(|it| Head::Literal(Term::atom(self.atoms.name(it))));
        let heads: Arc<[Head]> = heads.collect();
        let Ok(term) = to_term(&self.heap, &self.atoms, name) else { return };
        let is_own = self.following().is_none_or(|mut it| it.chooses(NAME, expr, &term, heads));
        if is_taken && !is_own {
            self.look_at("a name of the runtime system", name);
        }
    }

    /// Returns the names on this node that belong to processes of the program, not of the runtime system.
    fn given_names(&self) -> Vec<AtomId> {
        let here = self.here();
        let is_own = |pid: &PidId| !self.is_from_the_beginning(*pid);
        let own = self.run.registry.iter().filter(|it| it.0.0 == here && is_own(it.1));
        own.map(|it| it.0.1).collect()
    }

    /// Records which name a process gets if the name is symbolic: each registered name of the program and each name
    /// in the tested code is a choice.
    pub(crate) fn follow_given_name(&mut self, name: Value) {
        self.follow_name(name);
        let Ok(term) = to_term(&self.heap, &self.atoms, name) else { return };
        if let (Some(expr), Some(_), Some(mut lifting)) =
            (own_expr(name), name.as_atom(), self.following())
        {
            let named = Arc::clone(&lifting.record.named);
            lifting.chooses(GIVEN_NAME, expr, &term, named);
        }
    }

    /// Returns the receiver of a message with its shape recorded as choices. Node names, pids, ports and references
    /// that are symbolic are pinned.
    pub(crate) fn follow_receiver(&mut self, to: Value) -> Value {
        if !self.is_symbolic(to) {
            return to;
        }
        if to.as_atom().is_some() {
            self.follow_name(to);
            return to;
        }
        let is_pair = matches!(to.view(), View::Tuple(_, 2));
        if let (Some(expr), Some(mut lifting)) = (own_expr(to), self.following()) {
            let test = lifting.apply(Op::IsTuple(2), &[expr]);
            lifting.test(0, test, is_pair);
        }
        let handles = [Sort::Pid, Sort::Port, Sort::Reference];
        let found = [
            matches!(to.view(), View::Pid(_)),
            matches!(to.view(), View::Port(_)),
            matches!(to.view(), View::Ref(_)),
        ];
        if !is_pair && !handles.into_iter().zip(found).any(|it| self.is_kind(to, it.0, it.1)) {
            return to;
        }
        let to = if is_pair { self.taken_apart(to) } else { to };
        match self.heap.elements(to) {
            Some([name, node]) => {
                let (name, node) = (*name, *node);
                self.follow_name(name);
                self.look_at("the node that a message goes to", node);
            }
            _ => self.look_at("the process that a message goes to", to),
        }
        to
    }

    /// Returns whether a value is a number of milliseconds that a receive can wait for. The type and the range of a
    /// symbolic value are choices, and so is the atom `infinity`.
    pub(crate) fn follow_time(&mut self, time: Value) -> bool {
        let holds = time.as_int().is_some_and(|it| u32::try_from(it).is_ok());
        let (Some(expr), Ok(term)) = (own_expr(time), to_term(&self.heap, &self.atoms, time))
        else {
            return holds;
        };
        if let Some(mut lifting) = self.following() {
            let infinity: Arc<[Head]> = [Head::Literal(Term::atom("infinity"))].into();
            lifting.chooses(TIME, expr, &term, infinity);
        }
        if !self.is_kind(time, Sort::Integer, time.is_integer()) {
            return holds;
        }
        if !self.is_less(time, 0) {
            self.is_less(time, i64::from(u32::MAX) + 1);
        }
        holds
    }

    /// Returns whether a number is less than the bound. The comparison is a choice if the number is symbolic.
    pub(crate) fn is_less(&mut self, value: Value, bound: i64) -> bool {
        let bound = Value::int(bound);
        let holds = compare_value(&self.heap, &self.atoms, value, bound).is_lt();
        self.compare_values(Cmp::Less, (value, bound), holds);
        holds
    }

    /// Pins a symbolic waiting time if the order of events depends on it. While schedules are searched, whether the
    /// time is less than [`LONG_MILLIS`] is a choice, and only longer times are pinned, because they expire only when
    /// no process can go on. Otherwise, the time is pinned if another timer is pending.
    pub(crate) fn follow_length(&mut self, time: Value) {
        if time.shadow().is_none() {
            return;
        }
        let counts = match self.run.schedule {
            Some(_) => !self.is_less(time, LONG_MILLIS),
            None => self.run.timers.next_at().is_some(),
        };
        if counts {
            self.look_at("how long a process waits", time);
        }
    }

    /// The functions that a module exports with this arity, except `module_info`.
    fn exported(&self, module: AtomId, arity: u32) -> Arc<[Head]> {
        let exports = self.modules.get(&module).map(|it| it.exports.as_slice()).unwrap_or_default();
        let names = exports.iter().filter(|it| it.1 == arity).map(|it| self.atoms.name(it.0));
        let own = names.filter(|it| *it != "module_info");
        own.map(|it| Head::Literal(Term::atom(it))).collect()
    }

    /// Records the unit's result, if the run is recorded.
    pub(super) fn record_result(&mut self, value: Value) {
        let World { record: Some(record), heap, atoms, .. } = self else { return };
        let mut lifting = Lifting { record, heap, atoms, pc: 0 };
        if !lifting.is_symbolic(value) {
            return;
        }
        lifting.record.result = lifting.expr(value);
        if let (Some(result), Ok(term)) = (lifting.record.result, to_term(heap, atoms, value)) {
            promised::check(record, result, &term);
        }
    }
}

impl Cpu<'_> {
    /// The lifting of the instruction before this address; `None` if the run is not recorded.
    pub(super) fn lifting(&mut self, pc: u32) -> Option<Lifting<'_>> {
        // After the last kept choice, expressions are not needed.
        self.recording(pc).filter(|it| !it.record.is_full)
    }

    /// As [`Cpu::lifting`], for an instruction that has begun its choices: it continues even if the maximum number of
    /// choices is reached.
    pub(super) fn recording(&mut self, pc: u32) -> Option<Lifting<'_>> {
        let World { record: Some(record), heap, atoms, .. } = &mut *self.world else { return None };
        Some(Lifting { record, heap, atoms, pc })
    }

    // Choices of branches

    #[cold]
    pub(super) fn choose_kind(&mut self, pc: u32, value: Value, kind: Kind, holds: bool) {
        self.choose_test(pc, value, Op::IsKind(kind), holds);
    }

    #[cold]
    pub(super) fn choose_tuple(&mut self, pc: u32, value: Value, arity: u32, holds: bool) {
        self.choose_test(pc, value, Op::IsTuple(arity), holds);
    }

    fn choose_test(&mut self, pc: u32, value: Value, op: Op, holds: bool) {
        let (Some(mut lifting), Some(expr)) = (self.lifting(pc), own_expr(value)) else { return };
        let test = lifting.apply(op, &[expr]);
        lifting.test(0, test, holds);
    }

    #[cold]
    pub(super) fn choose_comparison(&mut self, pc: u32, op: Cmp, a: Value, b: Value, holds: bool) {
        if let Some(mut lifting) = self.lifting(pc) {
            lifting.compared(0, op, a, b, holds);
        }
    }

    /// Records the choice whether the value is `true`.
    #[cold]
    pub(super) fn choose_truth(&mut self, pc: u32, value: Value, holds: bool) {
        let (Some(mut lifting), Some(expr)) = (self.lifting(pc), own_expr(value)) else { return };
        let test = truth_of(&mut lifting, expr);
        lifting.test(0, test, holds);
    }

    /// Records the choice whether the value is a cell, the empty list, or neither.
    #[cold]
    pub(super) fn choose_list(&mut self, pc: u32, value: Value) {
        if let Some(mut lifting) = self.lifting(pc) {
            lifting.uncons(0, value);
        }
    }

    #[cold]
    pub(super) fn choose_switch(&mut self, pc: u32, value: Value, table: u32) {
        let taken = self.head_of(value, table);
        let known = self.world.record.as_ref().and_then(|it| it.heads.get(&table).cloned());
        let heads = known.unwrap_or_else(|| self.heads(table));
        let (Some(record), Some(expr)) = (&mut self.world.record, own_expr(value)) else {
            return;
        };
        record.heads.entry(table).or_insert_with(|| Arc::clone(&heads));
        record.choose(site(pc, 0), taken, Looked::Heads(expr, heads));
    }

    /// The heads of a switch, in the order of `head_of`.
    fn heads(&self, table: u32) -> Arc<[Head]> {
        let Some(table) = self.program.switches.get(table as usize) else { return [].into() };
        let World { heap, atoms, .. } = &*self.world;
        // Literals in code are never nested too deeply for this conversion.
        let literal = |value| Head::Literal(to_term(heap, atoms, value).unwrap_or(Term::Nil));
        let of_atoms = table.atoms.iter().map(|it| literal(Value::atom(it.0)));
        let of_ints = table.ints.iter().map(|it| literal(Value::int(it.0)));
        let of_tuples = table.tuples.iter().map(|it| Head::Tuple(it.0));
        let of_literals = table.literals.iter().map(|it| literal(self.src(it.0)));
        let of_cons = table.cons.iter().map(|_| Head::Kind(Kind::Cons));
        let of_nil = table.nil.iter().map(|_| Head::Kind(Kind::Nil));
        let words = of_atoms.chain(of_ints).chain(of_tuples);
        words.chain(of_literals).chain(of_cons).chain(of_nil).collect()
    }

    fn head_of(&self, value: Value, table: u32) -> usize {
        let Some(table) = self.program.switches.get(table as usize) else { return 0 };
        let World { heap, atoms, .. } = &*self.world;
        let is_tuple = |n: u32| matches!(value.view(), View::Tuple(_, arity) if arity == n);
        let of_atoms = table.atoms.iter().map(|it| value.is_atom(it.0));
        let of_ints = table.ints.iter().map(|it| value.as_int() == Some(it.0));
        let of_tuples = table.tuples.iter().map(|it| is_tuple(it.0));
        let of_literals =
            table.literals.iter().map(|it| equal_exact(heap, atoms, value, self.src(it.0)));
        let of_cons = table.cons.iter().map(|_| value.is_cons());
        let of_nil = table.nil.iter().map(|_| value.is_nil());
        let words = of_atoms.chain(of_ints).chain(of_tuples);
        let mut all = words.chain(of_literals).chain(of_cons).chain(of_nil);
        all.position(|it| it).unwrap_or_else(|| table.n_heads())
    }

    // Shadows of results

    /// The result of a comparison with its shadow.
    #[cold]
    pub(super) fn compared(
        &mut self,
        pc: u32,
        op: Cmp,
        (a, b): (Value, Value),
        found: Value,
    ) -> Value {
        let Some(mut lifting) = self.lifting(pc) else { return found };
        if !lifting.compares_symbols(a, b) {
            return found;
        }
        let Some((test, is_negated)) = lifting.comparison(op, a, b) else { return found };
        let test = if is_negated { lifting.apply(Op::Not, &[test]) } else { test };
        found.with_shadow(shadow(test))
    }

    /// A part of a value, or the result of a test, with its shadow.
    #[cold]
    pub(super) fn derived(&mut self, pc: u32, of: Value, op: Op, found: Value) -> Value {
        match self.lifting(pc) {
            Some(mut lifting) => lifting.part(of, op, found),
            None => found,
        }
    }

    /// The value that a map pattern found under a key; whether the key is present is a choice.
    #[cold]
    pub(super) fn looked_up(
        &mut self,
        pc: u32,
        (map, key): (Value, Value),
        found: Option<Value>,
    ) -> Option<Value> {
        let Some(mut lifting) = self.lifting(pc) else { return found };
        if !lifting.is_symbolic_lookup(map, key) {
            return found;
        }
        lifting.has_key(0, map, key, found.is_some());
        Some(lifting.under(map, key, found?))
    }

    /// Lifts a call of a builtin: the result with its shadows. `found` is `None` if the builtin raised an exception.
    #[cold]
    pub(super) fn lifted(
        &mut self,
        builtin: &Builtin,
        args: &[Value],
        found: Option<Value>,
    ) -> Option<Value> {
        let is_of_program = self.is_of_program();
        let Some(mut lifting) = self.lifting(self.pc) else { return found };
        if builtin.reads_environment() && is_of_program {
            lifting.lose_environment(&builtin.to_string());
        }
        lifting.lifted(builtin, args, found)
    }

    /// Whether the running process was started by the program under test. Processes of the runtime system read the
    /// environment as well, which is not a loss.
    fn is_of_program(&mut self) -> bool {
        self.world.me().is_none_or(|it| it.resident.is_none())
    }

    /// Records the loss of a builtin that OTP's own code computes from the environment.
    #[cold]
    pub(super) fn looked_outside(&mut self, builtin: &Builtin) {
        if self.is_of_program()
            && let Some(mut lifting) = self.lifting(self.pc)
            && builtin.reads_environment()
        {
            lifting.lose_environment(&builtin.to_string());
        }
    }

    /// Records the choices of a call by a symbolic name: which of the tested modules it names, and which of the
    /// module's functions; or another one.
    #[cold]
    pub(super) fn choose_name(&mut self, module: Value, name: Value, arity: u32) {
        let (module_id, name_id) = (module.as_atom(), name.as_atom());
        // A call that waits for its module is repeated once the module is loaded.
        let is_waiting = module_id.is_some_and(|it| !self.world.is_known_module(it));
        if is_waiting && name_id.is_some() {
            return;
        }
        let target = module_id.zip(name_id).map(|it| self.program.resolve(it.0, it.1, arity));
        let is_there = target.flatten().is_some();
        let names = module_id.map(|it| self.world.exported(it, arity)).unwrap_or_default();
        let Some(mut lifting) = self.lifting(self.pc) else { return };
        let is_module = lifting.test_kind(CALLED_MODULE, module, Kind::Atom, module_id.is_some());
        if !lifting.test_kind(CALLED_NAME, name, Kind::Atom, name_id.is_some()) || !is_module {
            return;
        }
        let modules = Arc::clone(&lifting.record.tested);
        for (place, value, heads) in [(CALLED_MODULE, module, modules), (CALLED_NAME, name, names)]
        {
            let found = to_term(lifting.heap, lifting.atoms, value);
            let (Some(expr), Ok(found)) = (own_expr(value), found) else { continue };
            if !lifting.chooses(place, expr, &found, heads) && is_there {
                lifting.lose("a call of what no tested module exports");
                lifting.pin(place, value);
            }
        }
    }

    /// The call of a symbolic fun: its result is an application of the fun to its arguments.
    #[cold]
    pub(super) fn called_input(
        &mut self,
        fun: Value,
        args: &[Value],
        found: Option<Value>,
    ) -> Option<Value> {
        let (Some(expr), Ok(arity)) = (own_expr(fun), u8::try_from(args.len())) else {
            return found;
        };
        let is_function = matches!(fun.view(), View::Fun(_));
        let Some(mut lifting) = self.lifting(self.pc) else { return found };
        if !lifting.test_kind(0, fun, Kind::Function, is_function) {
            return found;
        }
        let takes = lifting.apply(Op::IsFunction(arity), &[expr]);
        let View::Fun(at) = fun.view() else { return found };
        let holds = lifting.heap.fun_arity(at) == u32::from(arity);
        lifting.test(1, takes, holds);
        let found = found?;
        let mut operands: Vec<ExprId> = vec![expr];
        for arg in args {
            operands.push(lifting.expr(*arg)?);
        }
        Some(lifting.result(Op::Call, &operands, found))
    }
}
