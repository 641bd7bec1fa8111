//! The dynamic database: clauses that programs add, inspect and remove at run time.

use crate::builtins::{Row, iso, row};
use crate::code::{Bucket, Clause, ClauseId, Key, Kind, PredId, is_visible, key_of};
use crate::data::{AtomId, FunctorId, Value, View};
use crate::machine::{Fault, Machine, Next, Stop, is_control};
use crate::program::Place;

pub(super) const ROWS: &[Row] = &[
    iso("assertz", 1, |m, a| assert(m, a, Place::Back)),
    iso("asserta", 1, |m, a| assert(m, a, Place::Front)),
    row("assert", 1, |m, a| assert(m, a, Place::Back)),
    row("assert", 2, |m, a| assert(m, a, Place::Back)),
    row("assertz", 2, |m, a| assert(m, a, Place::Back)),
    row("asserta", 2, |m, a| assert(m, a, Place::Front)),
    row("$clauses", 4, clauses),
    row("$first_clause", 5, first_clause),
    row("$next_clause", 5, next_clause),
    row("$clause", 3, |m, a| {
        let reference = m.arg(a, 0);
        let gone = clause_ref(m, reference).is_none_or(|it| m.db.clause(it).died != u64::MAX);
        if gone { Ok(Next::False) } else { clause(m, a) }
    }),
    row("$clause_seen", 3, clause),
    row("$stored", 2, Machine::stored),
    row("erase", 1, erase),
    row("$erase", 1, erase),
    iso("retractall", 1, retractall),
    iso("abolish", 1, abolish),
    row("$dynamic", 1, dynamic),
    row("dynamic", 1, dynamic),
    row("discontiguous", 1, |_, _| Ok(Next::True)),
    row("$predicate", 3, predicate),
    row("$procedures", 2, procedures),
    row("$is_loaded", 3, is_loaded),
];

fn assert(m: &mut Machine, a: usize, place: Place) -> Result<Next, Fault> {
    let term = m.arg(a, 0);
    let wants_reference = m.control.running.is_some_and(|it| it.1 == 2);
    let to = if wants_reference { m.arg(a, 1) } else { Value::NIL };
    if wants_reference && !to.is_var() {
        return Err(m.uninstantiation_error(to));
    }
    if term.is_var() {
        return Err(m.instantiation_error());
    }
    let context = m.context;
    let (_, plain) = m.strip_module(context, term);
    if plain.is_struct(FunctorId::RULE) && m.heap.arg(plain, 1).is_var() {
        return Err(m.instantiation_error());
    }
    let id = m.add_clause(context, term, crate::code::Source::default(), place)?;
    m.check_memory(0)?;
    if wants_reference {
        let reference = m.heap.structure(FunctorId::CLAUSE_1, &[Value::int(i64::from(id.0))]);
        return m.answer(to, reference);
    }
    Ok(Next::True)
}

/// Returns the predicate of a head (`None` if it does not exist) and the head without its module; errors are
/// those of `clause/2`.
fn head_pred(m: &mut Machine, head: Value) -> Result<(Option<PredId>, Value), Fault> {
    let (module, head) = m.plain_goal(head);
    let (name, arity) = match head.view() {
        View::Var(_) => return Err(m.instantiation_error()),
        View::Atom(name) => (name, 0),
        View::Struct(functor, _) => m.atoms.name_arity(functor),
        View::Int(_) | View::Big(_) | View::Rational(_) | View::Float(_) | View::Text(_) => {
            return Err(m.type_error("callable", head));
        }
    };
    let functor = m.atoms.functor(name, arity);
    let id = m.db.pred(module, functor, name, arity);
    if m.db.get(id).kind == Kind::Undefined {
        m.resolve(id)?;
    }
    let id = match m.db.get(id).kind {
        Kind::Import(target) => target,
        Kind::Clauses | Kind::Builtin(_) | Kind::Undefined => id,
    };
    Ok((Some(id), head))
}

/// A position among the clauses that a call iterates over.
#[derive(Clone, Copy, Debug)]
enum ClauseCursor {
    Chain(ClauseId),
    /// In a bucket of the index, at this position.
    Bucket(Bucket, u32),
}

/// The remaining clauses of an iteration, as they were when the call began.
#[derive(Clone, Copy, Debug)]
struct ClauseIteration {
    from: ClauseCursor,
    generation: u64,
    key: Key,
}

/// `'$clauses'(Head, Body, Purpose, Refs)`: returns references of the clauses that may match; the purpose is
/// `access` or `modify`.
fn clauses(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let body = m.arg(a, 1);
    let Some((mut left, head)) = looked_for(m, a)? else { return Ok(Next::False) };
    let mut refs = Vec::new();
    while let Some(found) = next_match(m, &mut left, head, body)? {
        refs.push(reference(m, found));
    }
    let list = m.heap.list(&refs);
    let to = m.arg(a, 3);
    m.answer(to, list)
}

/// `'$first_clause'(Head, Body, Purpose, Ref, Rest)`: returns the first clause that may match, and the
/// position at which [`next_clause`] continues; `[]` if no other clause may match.
fn first_clause(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let body = m.arg(a, 1);
    let Some((mut left, head)) = looked_for(m, a)? else { return Ok(Next::False) };
    let Some(found) = next_match(m, &mut left, head, body)? else { return Ok(Next::False) };
    answer_clause(m, a, found, left, (head, body))
}

/// `'$next_clause'(Head, Body, Rest, Ref, NewRest)`: returns the clause at the position `Rest`, and the next
/// position as [`first_clause`] does.
fn next_clause(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let (head, body, rest) = (m.arg(a, 0), m.arg(a, 1), m.arg(a, 2));
    let (_, head) = m.plain_goal(head);
    let number = |n: usize| m.heap.arg(rest, n).as_int().unwrap_or(0);
    let [bucket, at, generation] = [number(0), number(1), number(2)];
    let at = u32::try_from(at).unwrap_or(u32::MAX);
    let from = match u32::try_from(bucket) {
        Ok(bucket) => ClauseCursor::Bucket(Bucket(bucket), at),
        Err(_) => ClauseCursor::Chain(ClauseId(at)),
    };
    let key = first_key(m, head);
    let mut left =
        ClauseIteration { from, generation: u64::try_from(generation).unwrap_or(0), key };
    let Some(found) = next_match(m, &mut left, head, body)? else { return Ok(Next::False) };
    answer_clause(m, a, found, left, (head, body))
}

/// Looks for another clause after the one that was found, so that the last answer leaves no choice point, and
/// unifies the results.
fn answer_clause(
    m: &mut Machine,
    a: usize,
    found: ClauseId,
    left: ClauseIteration,
    (head, body): (Value, Value),
) -> Result<Next, Fault> {
    let mut ahead = left;
    let mut before = left;
    let mut rest = Value::NIL;
    // The position of the next matching clause is stored, not that of the clause after `found`.
    while let Some((next, is_match)) = next_candidate(m, &mut ahead, head, body)? {
        if is_match {
            let (bucket, at) = match before.from {
                ClauseCursor::Chain(_) => (-1, next.0),
                ClauseCursor::Bucket(bucket, _) => (i64::from(bucket.0), position(ahead.from)),
            };
            let functor = m.atoms.functor_named("$rest", 3);
            let generation = i64::try_from(left.generation).unwrap_or(i64::MAX);
            let parts = [bucket, i64::from(at), generation].map(Value::int);
            rest = m.heap.structure(functor, &parts);
            break;
        }
        before = ahead;
    }
    let (to, to_rest) = (m.arg(a, 3), m.arg(a, 4));
    let found = reference(m, found);
    Ok((m.unify(to, found) && m.unify(to_rest, rest)).into())
}

/// Returns the position of the last clause that was taken from a bucket.
fn position(from: ClauseCursor) -> u32 {
    match from {
        ClauseCursor::Chain(_) => 0,
        ClauseCursor::Bucket(_, n) => n.saturating_sub(1),
    }
}

fn reference(m: &mut Machine, id: ClauseId) -> Value {
    m.heap.structure(FunctorId::CLAUSE_1, &[Value::int(i64::from(id.0))])
}

fn next_match(
    m: &mut Machine,
    left: &mut ClauseIteration,
    head: Value,
    body: Value,
) -> Result<Option<ClauseId>, Fault> {
    while let Some((id, is_match)) = next_candidate(m, left, head, body)? {
        if is_match {
            return Ok(Some(id));
        }
    }
    Ok(None)
}

/// Returns the next clause that is visible and has the key, and whether it unifies with head and body.
fn next_candidate(
    m: &mut Machine,
    left: &mut ClauseIteration,
    head: Value,
    body: Value,
) -> Result<Option<(ClauseId, bool)>, Fault> {
    loop {
        let found = match &mut left.from {
            ClauseCursor::Chain(at) => {
                let found = *at;
                if found == ClauseId::NONE {
                    return Ok(None);
                }
                *at = m.db.clause(found).next;
                found
            }
            ClauseCursor::Bucket(bucket, n) => {
                let Some(found) = m.db.bucket_at(*bucket, *n) else { return Ok(None) };
                *n += 1;
                found
            }
        };
        let clause = m.db.clause(found);
        if is_visible(clause, left.generation) && clause.key.may_match(left.key) {
            m.charge(clause_parts(clause))?;
            return Ok(Some((found, matches(m, found, head, body))));
        }
    }
}

/// The number of subterms that are charged for comparing a clause.
fn clause_parts(clause: &Clause) -> usize {
    clause.term.size() / size_of::<Value>()
}

/// Returns the key of the first argument of a head. If the head depends on the input of a recorded run, all
/// clauses are compared, so that the comparisons are recorded.
fn first_key(m: &Machine, head: Value) -> Key {
    let is_followed = m.recorder.is_some() && m.is_symbolic(head);
    match head.view() {
        View::Struct(..) if !is_followed => key_of(m.heap.arg(head, 0)),
        View::Struct(..)
        | View::Var(_)
        | View::Int(_)
        | View::Big(_)
        | View::Rational(_)
        | View::Float(_)
        | View::Atom(_)
        | View::Text(_) => Key::ANY,
    }
}

/// Returns the clauses that the running builtin iterates over, and the head without its module.
fn looked_for(m: &mut Machine, a: usize) -> Result<Option<(ClauseIteration, Value)>, Fault> {
    let (head, purpose) = (m.arg(a, 0), m.arg(a, 2));
    let modify = purpose.as_atom().is_some_and(|it| m.atoms.text(it) == "modify");
    m.control.running = Some((
        m.atoms.intern(if modify { "retract" } else { "clause" }),
        if modify { 1 } else { 2 },
    ));
    let (_, plain) = m.plain_goal(head);
    if plain.is_struct(FunctorId::QUALIFIED) && !modify {
        return Ok(None);
    }
    let (id, head) = match head_pred(m, head) {
        Ok((Some(id), head)) => (id, head),
        // Inspecting clauses does not load a library.
        Ok((None, _)) | Err(Fault::Stop(Stop::Load(_))) => return Ok(None),
        Err(fault) => return Err(fault),
    };
    let is_control = m.is_control_pred(id);
    // A list is not a goal with clauses, although calling a list consults files.
    if m.db.get(id).module == AtomId::SYSTEM && m.db.get(id).functor == FunctorId::CONS {
        return Ok(None);
    }
    let pred = m.db.get(id);
    let (name, arity) = (pred.name, pred.arity as usize);
    let is_builtin = matches!(pred.kind, Kind::Builtin(_)) || is_control;
    let is_static = pred.kind == Kind::Clauses && !pred.dynamic && 0 < pred.n_clauses;
    let system = pred.module == AtomId::SYSTEM;
    if modify && (is_builtin || is_static || system && !pred.dynamic) {
        return Err(m.not_modifiable(id));
    }
    if is_control && name != AtomId::CUT {
        return Ok(None);
    }
    if is_builtin || system && !pred.dynamic {
        let indicator = m.indicator(name, arity);
        return Err(m.permission_error("access", "private_procedure", indicator));
    }
    let key = first_key(m, head);
    let chain = ClauseCursor::Chain(m.db.get(id).first);
    let from = match key {
        Key::ANY => chain,
        key => m.db.bucket(id, key).map_or(chain, |it| ClauseCursor::Bucket(it, 0)),
    };
    Ok(Some((ClauseIteration { from, generation: m.db.generation, key }, head)))
}

impl Machine {
    /// Whether a predicate is a control construct, which has no clauses.
    fn is_control_pred(&mut self, id: PredId) -> bool {
        let pred = self.db.get(id);
        let functor = self.atoms.functor(pred.name, pred.arity as usize);
        is_control(functor) || pred.name == AtomId::CUT && pred.arity == 0
    }

    /// Returns the permission error for changing a predicate.
    pub(crate) fn not_modifiable(&mut self, id: PredId) -> Fault {
        let pred = self.db.get(id);
        let (module, name, arity) = (pred.module, pred.name, pred.arity as usize);
        let is_control = is_control(pred.functor);
        let mut indicator = self.indicator(name, arity);
        if module != AtomId::SYSTEM && module != self.context && !is_control {
            let args = [Value::atom(module), indicator];
            indicator = self.heap.structure(FunctorId::QUALIFIED, &args);
        }
        self.permission_error("modify", "static_procedure", indicator)
    }
}

/// Whether a clause unifies with a head and a body; leaves no bindings.
fn matches(m: &mut Machine, clause: ClauseId, head: Value, body: Value) -> bool {
    let mark = m.heap.mark();
    let old = std::mem::replace(&mut m.heap.old, mark.cells);
    let term = m.db.clause(clause).term.clone().load(&mut m.heap);
    let (own_head, own_body) = (m.heap.arg(term, 0), m.heap.arg(term, 1));
    let pred = m.db.clause(clause).pred;
    let res = m.unify_stored(pred, own_head, head) && m.unify_stored(pred, own_body, body);
    m.heap.undo_to(mark, |_, _| {});
    m.heap.cut_back(mark);
    m.heap.old = old;
    res
}

fn clause_ref(m: &Machine, value: Value) -> Option<ClauseId> {
    if !value.is_struct(FunctorId::CLAUSE_1) {
        return None;
    }
    let number = m.heap.arg(value, 0).as_int().and_then(|it| u32::try_from(it).ok())?;
    ((number as usize) < m.db.clauses.len()).then_some(ClauseId(number))
}

/// `'$clause_seen'(Ref, Head, Body)`: unifies with a clause that was visible when the call began.
fn clause(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let (reference, head, body) = (m.arg(a, 0), m.arg(a, 1), m.arg(a, 2));
    let Some(id) = clause_ref(m, reference) else { return Ok(Next::False) };
    let (_, head) = m.plain_goal(head);
    let term = m.db.clause(id).term.clone().load(&mut m.heap);
    let (own_head, own_body) = (m.heap.arg(term, 0), m.heap.arg(term, 1));
    let pred = m.db.clause(id).pred;
    let is_it = m.unify_stored(pred, own_head, head) && m.unify_stored(pred, own_body, body);
    if is_it {
        m.note_read(id);
    }
    Ok(is_it.into())
}

fn erase(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let reference = m.arg(a, 0);
    match clause_ref(m, reference) {
        Some(id) => Ok(m.db.remove(id).into()),
        None if reference.is_var() => Err(m.instantiation_error()),
        None => Err(m.type_error("db_reference", reference)),
    }
}

fn retractall(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let head = m.arg(a, 0);
    let (module, plain) = m.plain_goal(head);
    let (Some(id), plain_head) = head_pred(m, head)? else { return Ok(Next::True) };
    if m.is_control_pred(id) {
        return Err(m.not_modifiable(id));
    }
    let pred = m.db.get(id);
    if pred.module == AtomId::SYSTEM && pred.functor == FunctorId::CONS {
        return Ok(Next::True);
    }
    let (name, arity) = (pred.name, pred.arity as usize);
    match pred.kind {
        Kind::Undefined => {
            let functor = m.atoms.functor(name, arity);
            m.declare_dynamic(module, functor);
            return Ok(Next::True);
        }
        Kind::Builtin(_) => return Err(m.not_modifiable(id)),
        Kind::Clauses if !pred.dynamic && 0 < pred.n_clauses => return Err(m.not_modifiable(id)),
        Kind::Clauses | Kind::Import(_) => {}
    }
    debug_assert!(plain.is_callable());
    let body = m.heap.fresh();
    for clause in m.db.clauses_of(id) {
        if matches(m, clause, plain_head, body) {
            m.db.remove(clause);
        }
    }
    Ok(Next::True)
}

fn abolish(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let spec = m.arg(a, 0);
    let (module, spec) = m.strip_module(m.context, spec);
    if spec.is_var() {
        return Err(m.instantiation_error());
    }
    if !spec.is_struct(FunctorId::INDICATOR) {
        return Err(m.type_error("predicate_indicator", spec));
    }
    let (name, arity) = (m.heap.arg(spec, 0), m.heap.arg(spec, 1));
    let name = m.atom_arg(name)?;
    let Ok(n) = usize::try_from(m.int_arg(arity)?) else {
        return Err(m.domain_error("not_less_than_zero", arity));
    };
    let functor = m.atoms.functor(name, n);
    let builtin = m.db.find(AtomId::SYSTEM, functor).filter(|it| m.db.get(*it).locked);
    let Some(id) = builtin.or_else(|| m.db.find(module, functor)) else { return Ok(Next::True) };
    let pred = m.db.get(id);
    let builtin = matches!(pred.kind, Kind::Builtin(_)) || pred.module == AtomId::SYSTEM;
    if builtin || is_control(functor) {
        return Err(m.not_modifiable(id));
    }
    for clause in m.db.clauses_of(id) {
        m.db.remove(clause);
    }
    m.db.forget(id);
    Ok(Next::True)
}

fn dynamic(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let mut todo = vec![(m.context, m.arg(a, 0))];
    while let Some((module, spec)) = todo.pop() {
        let (module, spec) = m.strip_module(module, spec);
        if spec.is_nil() {
            continue;
        }
        if spec.is_struct(FunctorId::AND) || spec.is_cons() {
            todo.push((module, m.heap.arg(spec, 1)));
            todo.push((module, m.heap.arg(spec, 0)));
            continue;
        }
        if spec.is_var() {
            return Err(m.instantiation_error());
        }
        match m.read_indicator(spec) {
            Some(functor) => m.declare_dynamic(module, functor),
            None => return Err(m.type_error("predicate_indicator", spec)),
        }
    }
    Ok(Next::True)
}

/// `'$predicate'(Head, Property, Value)`: a property of a predicate.
fn predicate(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let (head, property, value) = (m.arg(a, 0), m.arg(a, 1), m.arg(a, 2));
    let (Some(id), _) = head_pred(m, head)? else { return Ok(Next::False) };
    let pred = m.db.get(id).clone();
    let property = m.atom_arg(property)?;
    let holds = match m.atoms.text(property) {
        "defined" => pred.kind != Kind::Undefined || pred.dynamic,
        "dynamic" => pred.dynamic,
        "static" => !pred.dynamic && pred.kind != Kind::Undefined,
        "built_in" => pred.module == AtomId::SYSTEM,
        "tabled" => {
            let functor = m.atoms.functor(pred.name, pred.arity as usize);
            m.modules.tabled.contains_key(&(pred.module, functor))
        }
        "multifile" => pred.multifile,
        "discontiguous" => pred.discontiguous,
        "imported_from" => {
            let (asked, _) = m.plain_goal(head);
            let is_own = pred.module == asked || pred.module == AtomId::SYSTEM;
            if is_own || pred.kind == Kind::Undefined {
                return Ok(Next::False);
            }
            return m.answer(value, Value::atom(pred.module));
        }
        "exported" => {
            let functor = m.atoms.functor(pred.name, pred.arity as usize);
            m.modules.by_name.get(&pred.module).is_some_and(|it| it.exports.contains(&functor))
        }
        "interpreted" => pred.kind == Kind::Clauses,
        "number_of_rules" if pred.kind == Kind::Clauses => {
            let mut n = 0;
            for clause in m.db.clauses_of(id) {
                let term = m.db.clause(clause).term.clone().load(&mut m.heap);
                n += usize::from(!m.heap.arg(term, 1).is_atom(AtomId::TRUE));
            }
            return m.answer(value, Value::size(n));
        }
        "foreign" => matches!(pred.kind, Kind::Builtin(_)),
        "visible" => pred.kind != Kind::Undefined || pred.dynamic,
        "file" | "line_count" => {
            let Some(first) = m.db.clauses_of(id).first().copied() else { return Ok(Next::False) };
            let clause = m.db.clause(first);
            if clause.line == 0 {
                return Ok(Next::False);
            }
            if m.atoms.text(property) == "line_count" {
                let line = Value::int(i64::from(clause.line));
                return m.answer(value, line);
            }
            let file = m.modules.files.get(clause.file as usize).cloned().unwrap_or_default();
            let file = m.atom_named(&file);
            return m.answer(value, file);
        }
        "number_of_clauses" => {
            return if pred.kind == Kind::Clauses {
                m.answer(value, Value::int(i64::from(pred.n_clauses)))
            } else {
                Ok(Next::False)
            };
        }
        _ => false,
    };
    Ok(holds.into())
}

/// `'$procedures'(Module, List)`: name and arity of the module's predicates that have clauses or are
/// builtins.
fn procedures(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let module = m.arg(a, 0);
    let module = m.atom_arg(module)?;
    let found: Vec<(AtomId, u32)> =
        m.db.preds
            .iter()
            .filter(|it| it.module == module)
            .filter(|it| match it.kind {
                Kind::Clauses => 0 < it.n_clauses,
                Kind::Builtin(_) => true,
                Kind::Import(_) | Kind::Undefined => false,
            })
            .map(|it| (it.name, it.arity))
            .collect();
    let items: Vec<Value> =
        found.into_iter().map(|(name, arity)| m.indicator(name, arity as usize)).collect();
    let list = m.heap.list(&items);
    let to = m.arg(a, 1);
    m.answer(to, list)
}

/// `'$is_loaded'(Module, Name, Arity)`: whether the predicate is defined, without loading a library for it.
fn is_loaded(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let (module, name, arity) = (m.arg(a, 0), m.arg(a, 1), m.arg(a, 2));
    let (module, name) = (m.atom_arg(module)?, m.atom_arg(name)?);
    let Ok(arity) = usize::try_from(m.int_arg(arity)?) else { return Ok(Next::False) };
    let functor = m.atoms.functor(name, arity);
    let is_defined = |it: PredId| match m.db.get(it).kind {
        Kind::Clauses => m.db.get(it).dynamic || 0 < m.db.get(it).n_clauses,
        Kind::Builtin(_) | Kind::Import(_) => true,
        Kind::Undefined => false,
    };
    let places = [module, AtomId::USER, AtomId::SYSTEM];
    let found = places.iter().find_map(|it| m.db.find(*it, functor).filter(|it| is_defined(*it)));
    Ok((found.is_some() || is_control(functor)).into())
}
