//! Conversion of Prolog terms to terms of the shared theory, and back.

use crate::data::{AtomId, Atoms, Blob, FunctorId, Heap, Shadow, Value, View};
use crate::machine::Machine;
use crate::text::{WriteOptions, write_term};
use term::fit_u32;
use term::{Atom, ExprId, Exprs, Op, Reference, Term};

/// The maximum nesting depth of a term that is converted.
const MAX_DEPTH: usize = 2_000;
/// The maximum number of subterms of a term that is converted.
const MAX_PARTS: usize = 200_000;

pub(super) fn shadow_of(expr: ExprId) -> Shadow {
    Shadow(expr.0 + 1)
}

pub(super) fn expr_of(value: Value) -> Option<ExprId> {
    value.shadow().0.checked_sub(1).map(ExprId)
}

/// Returns the term of a value; `None` for values that the theory lacks: rationals and cyclic terms.
pub fn term_of(heap: &Heap, atoms: &Atoms, value: Value) -> Option<Term> {
    of(heap, atoms, value, &mut ConversionBudget { depth: MAX_DEPTH, parts: MAX_PARTS })
}

pub fn to_term(machine: &Machine, value: Value) -> Option<Term> {
    term_of(&machine.heap, &machine.atoms, value)
}

/// The remaining budget of a conversion. A term with shared subterms may be larger than memory when it is
/// written out.
struct ConversionBudget {
    depth: usize,
    parts: usize,
}

fn of(heap: &Heap, atoms: &Atoms, value: Value, budget: &mut ConversionBudget) -> Option<Term> {
    let value = heap.deref(value);
    budget.depth = budget.depth.checked_sub(1)?;
    budget.parts = budget.parts.checked_sub(1)?;
    let term = match value.view() {
        View::Var(at) => Term::Ref(variable(at)),
        View::Int(it) => Term::Int(it),
        View::Float(it) => Term::Float(it),
        View::Atom(AtomId::NIL) => Term::Nil,
        View::Atom(name) => Term::atom(atoms.text(name)),
        View::Rational(_) => return None,
        View::Big(_) | View::Text(_) => match heap.blob(value) {
            Blob::Big(it) => Term::integer((**it).clone()),
            Blob::Text(it) => Term::binary(it.as_bytes().to_vec()),
            Blob::Rational(_) => return None,
        },
        View::Struct(FunctorId::CONS, _) => {
            let (items, end) = heap.list_items(value);
            let tail = match end {
                crate::data::ListEnd::Nil => Term::Nil,
                crate::data::ListEnd::Open(tail) | crate::data::ListEnd::Other(tail) => {
                    of(heap, atoms, tail, budget)?
                }
                crate::data::ListEnd::Cyclic => return None,
            };
            let items = items.into_iter().map(|it| of(heap, atoms, it, budget));
            Term::list(items.collect::<Option<Vec<Term>>>()?, tail)
        }
        View::Struct(functor, at) => {
            let (name, arity) = atoms.name_arity(functor);
            let mut items = vec![Term::atom(atoms.text(name))];
            for n in 0..arity {
                items.push(of(heap, atoms, heap.cell(at + n), budget)?);
            }
            Term::Tuple(items)
        }
    };
    budget.depth += 1;
    Some(term)
}

fn variable(at: usize) -> Reference {
    let word = fit_u32(at);
    Reference { node: Atom::new("prolog"), creation: 0, words: vec![word, 0, 0] }
}

/// Builds the value of a term, without shadows. Equal references become the same variable.
pub fn decode(heap: &mut Heap, atoms: &mut Atoms, term: &Term) -> Option<Value> {
    Builder { heap, atoms, exprs: None, vars: Vec::new() }.build(term, None)
}

/// Builds the value of an input. All of its subterms get shadows: `expr` and projections of it.
pub(super) fn decode_input(
    heap: &mut Heap,
    atoms: &mut Atoms,
    exprs: &mut Exprs,
    term: &Term,
    expr: ExprId,
) -> Option<Value> {
    Builder { heap, atoms, exprs: Some(exprs), vars: Vec::new() }.build(term, Some(expr))
}

struct Builder<'a> {
    heap: &'a mut Heap,
    atoms: &'a mut Atoms,
    exprs: Option<&'a mut Exprs>,
    vars: Vec<(Reference, Value)>,
}

impl Builder<'_> {
    fn build(&mut self, term: &Term, expr: Option<ExprId>) -> Option<Value> {
        let value = match term {
            Term::Int(it) => Value::int(*it),
            Term::Big(it) => self.heap.integer((**it).clone()),
            Term::Float(it) => Value::float(*it),
            Term::Nil => Value::NIL,
            Term::Atom(name) => Value::atom(self.atoms.intern(name.as_str())),
            Term::Bits(bits) => {
                let text = std::str::from_utf8(bits.as_bytes()?).ok()?;
                self.heap.text(text)
            }
            Term::Ref(name) => return Some(self.variable(name)),
            Term::List(list) => return self.list(&list.items, &list.tail, expr),
            Term::Tuple(items) => {
                let (Term::Atom(name), args) = items.split_first()? else { return None };
                if args.is_empty() {
                    return None;
                }
                let mut values = Vec::with_capacity(args.len());
                for (n, arg) in args.iter().enumerate() {
                    let part = self.part(expr, Op::Element(u32::try_from(n + 1).ok()?));
                    values.push(self.build(arg, part)?);
                }
                let name = self.atoms.intern(name.as_str());
                let functor = self.atoms.functor(name, values.len());
                self.heap.structure(functor, &values)
            }
            Term::Map(_) | Term::Fun(_) | Term::Pid(_) | Term::Port(_) => return None,
        };
        Some(shadowed(value, expr))
    }

    fn list(&mut self, items: &[Term], tail: &Term, expr: Option<ExprId>) -> Option<Value> {
        let mut cells = Vec::with_capacity(items.len());
        let mut at = expr;
        for item in items {
            let head = self.part(at, Op::Head);
            let item = self.build(item, head)?;
            cells.push((item, at));
            at = self.part(at, Op::Tail);
        }
        let mut res = self.build(tail, at)?;
        for (item, expr) in cells.into_iter().rev() {
            res = shadowed(self.heap.cons(item, res), expr);
        }
        Some(res)
    }

    fn part(&mut self, of: Option<ExprId>, op: Op) -> Option<ExprId> {
        let exprs = self.exprs.as_mut()?;
        of.map(|it| exprs.apply(op, &[it]))
    }

    fn variable(&mut self, name: &Reference) -> Value {
        if let Some((_, var)) = self.vars.iter().find(|it| it.0 == *name) {
            return *var;
        }
        let var = self.heap.fresh();
        self.vars.push((name.clone(), var));
        var
    }
}

fn shadowed(value: Value, expr: Option<ExprId>) -> Value {
    expr.map_or(value, |it| value.with_shadow(shadow_of(it)))
}

/// Returns a term in Prolog syntax, with operators.
pub fn term_text(machine: &mut Machine, term: &Term) -> String {
    term_texts(machine, std::slice::from_ref(term)).pop().unwrap_or_default()
}

/// Returns the texts of terms that may share variables.
pub fn term_texts(machine: &mut Machine, terms: &[Term]) -> Vec<String> {
    let mark = machine.heap.mark();
    let (heap, atoms) = (&mut machine.heap, &mut machine.atoms);
    let mut builder = Builder { heap, atoms, exprs: None, vars: Vec::new() };
    let values: Vec<Option<Value>> = terms.iter().map(|it| builder.build(it, None)).collect();
    let known: Vec<Value> = values.iter().flatten().copied().collect();
    let whole = machine.heap.list(&known);
    let options = WriteOptions {
        ignore_ops: false,
        plain_braces: false,
        numbervars: false,
        priority: 999,
        ..WriteOptions::canonical(&machine.heap, &machine.atoms, whole)
    };
    let text = |it: Option<Value>| match it {
        Some(value) => write_term(&machine.heap, &machine.atoms, &machine.ops, &options, value),
        None => "_".to_owned(),
    };
    let texts = values.into_iter().map(text).collect();
    machine.heap.cut_back(mark);
    texts
}
