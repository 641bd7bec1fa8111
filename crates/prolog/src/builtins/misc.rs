//! Builtins of no larger family: hashes, unifiers, integer roots, parts of paths, loading libraries on
//! demand.

use crate::builtins::{Row, row};
use crate::data::{FunctorId, Tag, Trailed, Value, View};
use crate::machine::{Fault, Machine, Next, Stop};
use crate::program::NAMED_FILE;
use crate::text::{WriteOptions, write_term};
use std::hash::{Hash, Hasher};

pub(super) const ROWS: &[Row] = &[
    row("term_hash", 2, |m, a| {
        let term = m.arg(a, 0);
        if !m.is_ground(term) {
            return Ok(Next::True);
        }
        let (to, hash) = (m.arg(a, 1), hash(m, term));
        m.answer(to, Value::int(hash))
    }),
    row("variant_hash", 2, |m, a| {
        let (to, hash) = (m.arg(a, 1), hash(m, m.arg(a, 0)));
        m.answer(to, Value::int(hash))
    }),
    row("unifiable", 3, unifiable),
    row("same_term", 2, |m, a| {
        let (x, y) = (m.arg(a, 0), m.arg(a, 1));
        let equal = match x.tag() {
            Tag::Big | Tag::Rational | Tag::Text => crate::data::same(&m.heap, &m.atoms, x, y),
            Tag::Ref | Tag::Attr | Tag::Int | Tag::Atom | Tag::Struct | Tag::Float => {
                x.same_word(y)
            }
        };
        Ok(equal.into())
    }),
    row("$root", 3, root),
    row("$normal_space", 2, |m, a| {
        let text = m.arg(a, 0);
        let text = m.text_arg(text)?;
        let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let (to, joined) = (m.arg(a, 1), m.heap.text(&joined));
        m.answer(to, joined)
    }),
    row("$file_parts", 3, file_parts),
    row("file_name_extension", 3, file_name_extension),
    row("$use_library", 2, use_library),
    row("write_length", 3, |m, a| {
        let (term, options) = (m.arg(a, 0), m.arg(a, 2));
        m.run.output.captures.push(crate::machine::Capture::default());
        let done = m.write_with(term, options);
        let text = m.run.output.captures.pop().unwrap_or_default().text;
        done?;
        let to = m.arg(a, 1);
        m.answer(to, Value::size(text.chars().count()))
    }),
    row("$is_char", 1, |m, a| {
        let value = m.arg(a, 0);
        Ok(value.as_atom().is_some_and(|it| m.atoms.text(it).chars().count() == 1).into())
    }),
    row("$is_char_code", 1, |m, a| Ok(is_code(m.arg(a, 0)).into())),
    row("$is_char_list", 2, |m, a| {
        text_list(m, a, |m, it| {
            it.as_atom().is_some_and(|it| m.atoms.text(it).chars().count() == 1)
        })
    }),
    row("$is_code_list", 2, |m, a| text_list(m, a, |_, it| is_code(it))),
    row("$clausable", 1, |_, _| Ok(Next::True)),
];

/// Hashes a term, the same for variants, to 24 bits as on SWI-Prolog; the value differs from SWI-Prolog's.
fn hash(m: &Machine, term: Value) -> i64 {
    let mut hasher = rustc_hash::FxHasher::default();
    let mut vars = Vec::new();
    for part in crate::data::Walk::new(&m.heap, &m.atoms, term) {
        match part.view() {
            View::Var(at) => {
                let n = vars.iter().position(|it| *it == at).unwrap_or(vars.len());
                if n == vars.len() {
                    vars.push(at);
                }
                n.hash(&mut hasher);
            }
            View::Atom(name) => m.atoms.text(name).hash(&mut hasher),
            View::Struct(functor, _) => {
                let (name, arity) = m.atoms.name_arity(functor);
                m.atoms.text(name).hash(&mut hasher);
                arity.hash(&mut hasher);
            }
            View::Int(_) | View::Big(_) | View::Rational(_) | View::Float(_) | View::Text(_) => {
                m.atomic_text(part).hash(&mut hasher);
            }
        }
    }
    i64::try_from(hasher.finish() >> 40).unwrap_or(0)
}

/// `unifiable(X, Y, Bindings)`: the bindings that unification would make, the last one first.
fn unifiable(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let (x, y) = (m.arg(a, 0), m.arg(a, 1));
    // If one side is a variable, it is bound to the other side, even if that is a younger variable.
    let variables = [(x, y), (y, x)];
    if let Some((var, other)) = variables.into_iter().find(|it| it.0.is_var()) {
        let is_same = other.is_var() && var.address() == other.address();
        let pair = m.heap.structure(FunctorId::UNIFY, &[var, other]);
        let list = if is_same { Value::NIL } else { m.heap.list(&[pair]) };
        let to = m.arg(a, 2);
        return m.answer(to, list);
    }
    let mark = m.heap.mark();
    let old = std::mem::replace(&mut m.heap.old, mark.cells);
    let n_woken = m.heap.woken.len();
    let holds = m.unify(x, y);
    let bound = |it: &Trailed| match it {
        Trailed::Bound(at) => Some((Value::reference(*at), m.heap.cell(*at))),
        Trailed::Changed(at, var) if var.tag() == Tag::Attr => Some((*var, m.heap.cell(*at))),
        Trailed::Changed(..) | Trailed::Global(..) => None,
    };
    let since = m.heap.trail.get(mark.trail..).unwrap_or(&[]);
    let pairs: Vec<(Value, Value)> = since.iter().rev().filter_map(bound).collect();
    m.heap.undo_to(mark, |_, _| {});
    m.heap.old = old;
    m.heap.woken.truncate(n_woken);
    if !holds {
        return Ok(Next::False);
    }
    let items: Vec<Value> = pairs
        .into_iter()
        .map(|(var, value)| m.heap.structure(FunctorId::UNIFY, &[var, value]))
        .collect();
    let (to, list) = (m.arg(a, 2), m.heap.list(&items));
    m.answer(to, list)
}

/// `'$root'(N, I, Root)`: the integer part of the `N`-th root.
fn root(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let (n, of) = (m.arg(a, 0), m.arg(a, 1));
    let n = m.int_arg(n)?;
    let Some(of) = crate::data::Number::of(&m.heap, of).and_then(|it| it.to_big()) else {
        return Err(m.type_error("integer", of));
    };
    let Some(n) = u32::try_from(n).ok().filter(|it| *it != 0) else {
        let culprit = m.arg(a, 0);
        return Err(m.domain_error("not_less_than_one", culprit));
    };
    if n.is_multiple_of(2) && of.sign() == num_bigint::Sign::Minus {
        return Err(m.evaluation_error("undefined"));
    }
    let (to, root) = (m.arg(a, 2), m.heap.integer(of.nth_root(n)));
    m.answer(to, root)
}

/// `'$file_parts'(Path, Directory, Name)`: splits a path.
fn file_parts(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let path = m.arg(a, 0);
    let path = m.text_arg(path)?;
    let trimmed = if path.len() > 1 { path.trim_end_matches('/') } else { &path };
    let (dir, base) = match trimmed.rsplit_once('/') {
        Some(("", base)) => ("/", base),
        Some((dir, base)) => (dir, base),
        None => (".", trimmed),
    };
    let (dir, base) = (m.atom_named(dir), m.atom_named(base));
    let (to_dir, to_base) = (m.arg(a, 1), m.arg(a, 2));
    Ok((m.unify(to_dir, dir) && m.unify(to_base, base)).into())
}

fn file_name_extension(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let (base, extension, full) = (m.arg(a, 0), m.arg(a, 1), m.arg(a, 2));
    if !full.is_var() {
        let text = m.text_arg(full)?;
        let (name, ext) = match text.rsplit_once('.') {
            Some((name, ext)) if !ext.contains('/') => (name.to_owned(), ext.to_owned()),
            _ => (text.clone(), String::new()),
        };
        if !extension.is_var() {
            let Some(wanted) = m.any_text(extension) else { return Ok(Next::False) };
            if wanted.trim_start_matches('.') != ext {
                return Ok(Next::False);
            }
            let name = m.atom_named(&name);
            return m.answer(base, name);
        }
        let (name, ext) = (m.atom_named(&name), m.atom_named(&ext));
        return Ok((m.unify(base, name) && m.unify(extension, ext)).into());
    }
    let (base, extension) = (m.text_arg(base)?, m.text_arg(extension)?);
    let extension = extension.trim_start_matches('.');
    let whole = if extension.is_empty() || base.ends_with(&format!(".{extension}")) {
        base
    } else {
        format!("{base}.{extension}")
    };
    let whole = m.atom_named(&whole);
    m.answer(full, whole)
}

/// `'$use_library'(Spec, Module)`: loads a library or file while a goal runs.
fn use_library(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let (spec, into) = (m.arg(a, 0), m.arg(a, 1));
    if spec.is_var() {
        return Err(m.instantiation_error());
    }
    let into = m.atom_arg(into)?;
    let name = m.library_name(spec).unwrap_or_else(|| {
        let file = write_term(&m.heap, &m.atoms, &m.ops, &WriteOptions::of_name(), spec);
        format!("{NAMED_FILE}{file}")
    });
    if m.modules.missing.contains(&name) {
        return Err(m.existence_error("source_sink", spec));
    }
    let Some(module) = m.modules.libraries.get(&name).copied() else {
        return Err(Stop::Load(name).into());
    };
    m.import(module, into, None);
    Ok(Next::True)
}

fn is_code(value: Value) -> bool {
    value.as_int().is_some_and(|it| (0..=0x10_ffff).contains(&it))
}

/// `List, Length`: whether all items of a list satisfy a test; unifies the list's length.
fn text_list(
    m: &mut Machine,
    a: usize,
    is_item: fn(&Machine, Value) -> bool,
) -> Result<Next, Fault> {
    let (items, end) = m.heap.list_items(m.arg(a, 0));
    if end != crate::data::ListEnd::Nil || !items.iter().all(|it| is_item(m, *it)) {
        return Ok(Next::False);
    }
    let to = m.arg(a, 1);
    m.answer(to, Value::size(items.len()))
}
