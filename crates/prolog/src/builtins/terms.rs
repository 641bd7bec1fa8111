//! Inspecting, building and changing terms, and attributes of variables.

use crate::builtins::{Row, iso, row};
use crate::data::{AtomId, ListEnd, Number, Record, Tag, Value, View, copy_plain};
use crate::machine::{Fault, Machine, Next};

pub(super) const ROWS: &[Row] = &[
    iso("functor", 3, functor),
    iso("arg", 3, arg),
    iso("=..", 2, univ),
    iso("copy_term", 2, copy_term),
    row("copy_term_nat", 2, |m, a| {
        let (term, to) = (m.arg(a, 0), m.arg(a, 1));
        let copy = copy_plain(&mut m.heap, &m.atoms, term);
        m.answer(to, copy)
    }),
    row("duplicate_term", 2, copy_term),
    row("compound_name_arity", 3, compound_name_arity),
    row("compound_name_arguments", 3, compound_name_arguments),
    row("setarg", 3, |m, a| set_arg(m, a, true)),
    row("nb_setarg", 3, |m, a| set_arg(m, a, false)),
    iso("unify_with_occurs_check", 2, occurs_check),
    row("strip_module", 3, |m, a| {
        let (module, plain) = m.strip_module(m.context, m.arg(a, 0));
        let (to_module, to_plain) = (m.arg(a, 1), m.arg(a, 2));
        let both = m.unify(to_module, Value::atom(module)) && m.unify(to_plain, plain);
        Ok(both.into())
    }),
    row("put_attr", 3, put_attr),
    row("get_attr", 3, get_attr),
    row("del_attr", 2, del_attr),
    row("del_attrs", 1, |m, a| {
        let var = m.arg(a, 0);
        if var.tag() == Tag::Attr {
            m.heap.change(var.address() + 1, Value::NIL);
        }
        Ok(Next::True)
    }),
    row("attvar", 1, |m, a| Ok(m.is_attributed(m.arg(a, 0)).into())),
    row("put_attrs", 2, |m, a| {
        let (var, attributes) = (m.arg(a, 0), m.arg(a, 1));
        if var.tag() == Tag::Attr {
            m.heap.change(var.address() + 1, attributes);
        } else if var.is_var() {
            m.attribute_variable(var, attributes);
        } else {
            return Err(m.uninstantiation_error(var));
        }
        Ok(Next::True)
    }),
    row("$get_attrs", 2, |m, a| {
        let var = m.arg(a, 0);
        if var.tag() != Tag::Attr {
            return Ok(Next::False);
        }
        let (attributes, to) = (m.heap.cell(var.address() + 1), m.arg(a, 1));
        m.answer(to, attributes)
    }),
];

fn copy_term(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let (term, to) = (m.arg(a, 0), m.arg(a, 1));
    let copy = match term.is_var() || term.tag() == Tag::Struct {
        true => Record::with_attributes(&m.heap, &m.atoms, term).load(&mut m.heap),
        false => term,
    };
    m.answer(to, copy)
}

fn functor(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let (term, name, arity) = (m.arg(a, 0), m.arg(a, 1), m.arg(a, 2));
    match term.view() {
        View::Var(_) => {
            if name.is_var() {
                return Err(m.instantiation_error());
            }
            if name.tag() == Tag::Struct {
                return Err(m.type_error("atomic", name));
            }
            if arity.is_var() {
                return Err(m.instantiation_error());
            }
            let n = match arity.view() {
                View::Big(_) => return Err(m.representation_error("size_t")),
                View::Int(n) => n,
                View::Var(_)
                | View::Rational(_)
                | View::Float(_)
                | View::Atom(_)
                | View::Text(_)
                | View::Struct(..) => return Err(m.type_error("integer", arity)),
            };
            if n == 0 {
                return m.answer(term, name);
            }
            let Ok(n) = usize::try_from(n) else {
                return Err(m.domain_error("not_less_than_zero", arity));
            };
            let View::Atom(name) = name.view() else {
                return Err(m.type_error("atom", name));
            };
            let new = fresh_structure(m, name, n)?;
            m.answer(term, new)
        }
        View::Struct(functor, _) => {
            let (found, n) = m.atoms.name_arity(functor);
            Ok((m.unify(name, Value::atom(found)) && m.unify(arity, Value::size(n))).into())
        }
        View::Int(_)
        | View::Big(_)
        | View::Rational(_)
        | View::Float(_)
        | View::Atom(_)
        | View::Text(_) => Ok((m.unify(name, term) && m.unify(arity, Value::int(0))).into()),
    }
}

/// Builds a structure whose arguments are `n` fresh variables.
fn fresh_structure(m: &mut Machine, name: AtomId, n: usize) -> Result<Value, Fault> {
    m.check_memory(n.saturating_mul(size_of::<Value>()))?;
    m.charge(n)?;
    let at = m.heap.cells.len();
    for _ in 0..n {
        m.heap.fresh();
    }
    Ok(Value::structure(m.atoms.functor(name, n), at))
}

/// Implements `arg/3` for a known index. The prelude enumerates the others.
fn arg(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let (n, term, value) = (m.arg(a, 0), m.arg(a, 1), m.arg(a, 2));
    if term.is_var() {
        return Err(m.instantiation_error());
    }
    let View::Struct(functor, _) = term.view() else {
        return Err(m.type_error("compound", term));
    };
    let arity = m.atoms.arity(functor);
    match n.view() {
        View::Int(it) if it < 0 => Err(m.domain_error("not_less_than_zero", n)),
        View::Int(n) => match usize::try_from(n) {
            Ok(n) if 0 < n && n <= arity => {
                let found = m.heap.arg(term, n - 1);
                m.answer(value, found)
            }
            _ => Ok(Next::False),
        },
        View::Var(_) => {
            // An unbound index: a goal of the prelude enumerates all indexes.
            let goal = m.atoms.functor_named("$arg", 4);
            let (name, _) = m.atoms.name_arity(goal);
            let count = Value::size(arity);
            let args = [n, term, value, count];
            m.reserve(a + 4);
            for (k, arg) in args.into_iter().enumerate() {
                if let Some(slot) = m.stack.get_mut(a + k) {
                    *slot = arg;
                }
            }
            let pred = m.db.pred(AtomId::SYSTEM, goal, name, 4);
            m.enter_pred(pred)?;
            Ok(Next::Jump)
        }
        View::Big(_) => Ok(Next::False),
        View::Rational(_) | View::Float(_) | View::Atom(_) | View::Text(_) | View::Struct(..) => {
            Err(m.type_error("integer", n))
        }
    }
}

fn univ(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let (term, list) = (m.arg(a, 0), m.arg(a, 1));
    if !term.is_var() {
        m.partial_list_arg(list)?;
    }
    match term.view() {
        View::Struct(functor, _) => {
            let (name, n) = m.atoms.name_arity(functor);
            let mut items = vec![Value::atom(name)];
            items.extend((0..n).map(|k| m.heap.arg(term, k)));
            let found = m.heap.list(&items);
            m.answer(list, found)
        }
        View::Var(_) => {
            if list.is_var() {
                return Err(m.instantiation_error());
            }
            if list.is_nil() {
                return Err(m.domain_error("non_empty_list", list));
            }
            let items = m.list_arg(list)?;
            let (Some(head), args) = (items.first().copied(), items.get(1..).unwrap_or(&[])) else {
                return Err(m.domain_error("non_empty_list", list));
            };
            if head.is_var() {
                return Err(m.instantiation_error());
            }
            if args.is_empty() {
                if head.tag() == Tag::Struct {
                    return Err(m.type_error("atomic", head));
                }
                return m.answer(term, head);
            }
            let View::Atom(name) = head.view() else {
                return Err(m.type_error("atom", head));
            };
            let functor = m.atoms.functor(name, args.len());
            let new = m.heap.structure(functor, args);
            m.answer(term, new)
        }
        View::Int(_)
        | View::Big(_)
        | View::Rational(_)
        | View::Float(_)
        | View::Atom(_)
        | View::Text(_) => {
            if list.is_cons() && m.heap.arg(list, 0).same_word(term) {
                let tail = m.heap.arg(list, 1);
                m.partial_list_arg(tail)?;
            }
            let found = m.heap.list(&[term]);
            m.answer(list, found)
        }
    }
}

fn compound_name_arity(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let (term, name, arity) = (m.arg(a, 0), m.arg(a, 1), m.arg(a, 2));
    match term.view() {
        View::Struct(functor, _) => {
            let (found, n) = m.atoms.name_arity(functor);
            Ok((m.unify(name, Value::atom(found)) && m.unify(arity, Value::size(n))).into())
        }
        View::Var(_) => {
            let name = m.atom_arg(name)?;
            if let View::Big(_) = arity.view() {
                return Err(m.representation_error("size_t"));
            }
            let n = m.int_arg(arity)?;
            let Ok(n) = usize::try_from(n) else {
                return Err(m.domain_error("not_less_than_zero", arity));
            };
            let new = fresh_structure(m, name, n)?;
            m.answer(term, new)
        }
        View::Int(_)
        | View::Big(_)
        | View::Rational(_)
        | View::Float(_)
        | View::Atom(_)
        | View::Text(_) => Err(m.type_error("compound", term)),
    }
}

fn compound_name_arguments(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let (term, name, args) = (m.arg(a, 0), m.arg(a, 1), m.arg(a, 2));
    match term.view() {
        View::Struct(functor, _) => {
            let (found, n) = m.atoms.name_arity(functor);
            let items: Vec<Value> = (0..n).map(|k| m.heap.arg(term, k)).collect();
            let list = m.heap.list(&items);
            if !m.unify(name, Value::atom(found)) {
                return Ok(Next::False);
            }
            m.partial_list_arg(args)?;
            let (given, end) = m.heap.list_items(args);
            if let ListEnd::Other(tail) = end {
                // The items before the invalid tail are unified first, so a mismatch fails instead of raising
                // the error.
                let equal = given.len() <= items.len()
                    && given.into_iter().zip(items).all(|(x, y)| m.unify(x, y));
                return if equal { Err(m.type_error("list", tail)) } else { Ok(Next::False) };
            }
            m.answer(args, list)
        }
        View::Var(_) => {
            let name = m.atom_arg(name)?;
            let items = m.list_arg(args)?;
            let functor = m.atoms.functor(name, items.len());
            let new = m.heap.structure(functor, &items);
            m.answer(term, new)
        }
        View::Int(_)
        | View::Big(_)
        | View::Rational(_)
        | View::Float(_)
        | View::Atom(_)
        | View::Text(_) => Err(m.type_error("compound", term)),
    }
}

fn set_arg(m: &mut Machine, a: usize, undone: bool) -> Result<Next, Fault> {
    let (n, term, value) = (m.arg(a, 0), m.arg(a, 1), m.arg(a, 2));
    let sign = Number::of(&m.heap, n).filter(|_| n.is_integer()).map(|it| it.sign());
    if sign == Some(std::cmp::Ordering::Less) {
        return Err(m.domain_error("not_less_than_zero", n));
    }
    if sign.is_some() && n.as_int().is_none() {
        return Err(m.representation_error("size_t"));
    }
    let n = m.int_arg(n)?;
    let View::Struct(functor, at) = term.view() else {
        if term.is_var() {
            return Err(m.instantiation_error());
        }
        let is_atom = term.as_atom().is_some() && !term.is_nil();
        return if is_atom { Ok(Next::False) } else { Err(m.type_error("compound", term)) };
    };
    let arity = m.atoms.arity(functor);
    match usize::try_from(n) {
        Ok(n) if 0 < n && n <= arity => {
            if undone {
                m.heap.change(at + n - 1, value);
            } else {
                let copy = copy_plain(&mut m.heap, &m.atoms, value);
                m.keep_heap_for(at + n - 1);
                if let Some(cell) = m.heap.cells.get_mut(at + n - 1) {
                    *cell = copy;
                }
            }
            Ok(Next::True)
        }
        _ => Ok(Next::False),
    }
}

fn occurs_check(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let (x, y) = (m.arg(a, 0), m.arg(a, 1));
    if !m.unify(x, y) {
        return Ok(Next::False);
    }
    Ok((!m.is_cyclic(x)).into())
}

impl Machine {
    /// Keeps the present contents of the heap as long as a cell lives: choice points younger than the cell do
    /// not cut them off.
    fn keep_heap_for(&mut self, cell: usize) {
        let now = self.heap.mark();
        for choice in self.control.choices.iter_mut().rev() {
            if choice.mark.cells <= cell {
                break;
            }
            choice.mark.cells = now.cells;
            choice.mark.blobs = now.blobs;
            self.heap.old = self.heap.old.max(now.cells);
        }
    }

    /// Whether a term is cyclic.
    pub(crate) fn is_cyclic(&self, term: Value) -> bool {
        // Depth-first search: a structure that is met again while it is open contains itself.
        enum Visit {
            Enter(Value),
            Leave(u64),
        }
        let mut open = rustc_hash::FxHashSet::default();
        let mut done = rustc_hash::FxHashSet::default();
        let mut todo = vec![Visit::Enter(term)];
        while let Some(visit) = todo.pop() {
            match visit {
                Visit::Leave(at) => {
                    open.remove(&at);
                    done.insert(at);
                }
                Visit::Enter(value) => {
                    let value = self.heap.deref(value);
                    let View::Struct(functor, at) = value.view() else { continue };
                    if done.contains(&value.payload()) {
                        continue;
                    }
                    if !open.insert(value.payload()) {
                        return true;
                    }
                    todo.push(Visit::Leave(value.payload()));
                    let n = self.atoms.arity(functor);
                    todo.extend((0..n).map(|k| Visit::Enter(self.heap.cell(at + k))));
                }
            }
        }
        false
    }

    pub(crate) fn is_attributed(&self, var: Value) -> bool {
        var.tag() == Tag::Attr && !self.heap.deref(self.heap.cell(var.address() + 1)).is_nil()
    }

    /// Makes a plain variable an attributed one.
    fn attribute_variable(&mut self, var: Value, attributes: Value) {
        let at = self.heap.cells.len();
        self.heap.cells.push(Value::attributed(at));
        self.heap.cells.push(attributes);
        self.heap.bind(var, Value::reference(at));
    }

    /// Returns the link `att(Module, Value, More)` of a module in the chain of a variable's attributes.
    fn attribute(&self, var: Value, module: AtomId) -> Option<Value> {
        let mut at = self.heap.deref(self.heap.cell(var.address() + 1));
        while at.tag() == Tag::Struct {
            if self.heap.arg(at, 0).is_atom(module) {
                return Some(at);
            }
            at = self.heap.arg(at, 2);
        }
        None
    }
}

fn put_attr(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let (var, module, value) = (m.arg(a, 0), m.arg(a, 1), m.arg(a, 2));
    let module = m.atom_arg(module)?;
    if !var.is_var() {
        return Err(m.uninstantiation_error(var));
    }
    let att = m.atoms.functor_named("att", 3);
    if var.tag() == Tag::Attr {
        if let Some(found) = m.attribute(var, module) {
            m.heap.change(found.address() + 1, value);
            return Ok(Next::True);
        }
        // New attributes are appended at the end of the chain.
        let mut place = var.address() + 1;
        loop {
            let at = m.heap.deref(m.heap.cell(place));
            if at.tag() != Tag::Struct {
                break;
            }
            place = at.address() + 2;
        }
        let new = m.heap.structure(att, &[Value::atom(module), value, Value::NIL]);
        m.heap.change(place, new);
        return Ok(Next::True);
    }
    let attributes = m.heap.structure(att, &[Value::atom(module), value, Value::NIL]);
    m.attribute_variable(var, attributes);
    Ok(Next::True)
}

fn get_attr(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let (var, module, value) = (m.arg(a, 0), m.arg(a, 1), m.arg(a, 2));
    if var.tag() != Tag::Attr {
        return Ok(Next::False);
    }
    let module = m.atom_arg(module)?;
    match m.attribute(var, module) {
        Some(found) => {
            let found = m.heap.arg(found, 1);
            m.answer(value, found)
        }
        None => Ok(Next::False),
    }
}

fn del_attr(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let (var, module) = (m.arg(a, 0), m.arg(a, 1));
    let module = m.atom_arg(module)?;
    if var.tag() != Tag::Attr {
        return Ok(Next::True);
    }
    let mut place = var.address() + 1;
    loop {
        let at = m.heap.deref(m.heap.cell(place));
        if at.tag() != Tag::Struct {
            return Ok(Next::True);
        }
        if m.heap.arg(at, 0).is_atom(module) {
            let rest = m.heap.arg(at, 2);
            m.heap.change(place, rest);
            return Ok(Next::True);
        }
        place = at.address() + 2;
    }
}
