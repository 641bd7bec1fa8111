//! Terms with named variables, substitutions, most general unifiers, and definite clauses.

use prolog::data::{Atoms, FunctorId, Heap, Value, View};
use prolog::text::{Ops, Reader, Syntax};
use std::collections::BTreeMap;
use std::fmt;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Term {
    Var(String),
    App(String, Vec<Term>),
}

/// A goal is a sequence of these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Atomic {
    Call(Term),
    /// `e(l)`: the clause with this label is completely evaluated.
    Exit(usize),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Substitution(pub BTreeMap<String, Term>);

/// A labelled clause; labels count from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definite {
    pub label: usize,
    pub head: Term,
    pub body: Vec<Term>,
}

impl Term {
    pub fn apply(&self, with: &Substitution) -> Term {
        match self {
            Term::Var(name) => match with.0.get(name) {
                Some(term) => term.apply(with),
                None => self.clone(),
            },
            Term::App(name, args) => {
                Term::App(name.clone(), args.iter().map(|it| it.apply(with)).collect())
            }
        }
    }

    pub fn variables(&self, into: &mut Vec<String>) {
        match self {
            Term::Var(name) if into.contains(name) => {}
            Term::Var(name) => into.push(name.clone()),
            Term::App(_, args) => args.iter().for_each(|it| it.variables(into)),
        }
    }

    fn renamed(&self, with: &dyn Fn(&str) -> String) -> Term {
        match self {
            Term::Var(name) => Term::Var(with(name)),
            Term::App(name, args) => {
                Term::App(name.clone(), args.iter().map(|it| it.renamed(with)).collect())
            }
        }
    }

    fn has(&self, var: &str) -> bool {
        match self {
            Term::Var(name) => name == var,
            Term::App(_, args) => args.iter().any(|it| it.has(var)),
        }
    }
}

impl Definite {
    /// The clause with variables that nothing else has.
    pub fn fresh(&self, step: usize) -> Definite {
        let name = |it: &str| format!("{}_{step}", it.trim_start_matches('_'));
        Definite {
            label: self.label,
            head: self.head.renamed(&name),
            body: self.body.iter().map(|it| it.renamed(&name)).collect(),
        }
    }
}

impl Substitution {
    /// The most general unifier of a goal and a head; variables of the head are bound first.
    pub fn unifier(goal: &Term, head: &Term) -> Option<Substitution> {
        let mut res = Substitution::default();
        let mut todo = vec![(goal.clone(), head.clone())];
        while let Some((a, b)) = todo.pop() {
            let (a, b) = (a.apply(&res), b.apply(&res));
            match (a, b) {
                (a, b) if a == b => {}
                (other, Term::Var(name)) | (Term::Var(name), other) => {
                    if other.has(&name) {
                        return None;
                    }
                    res.0.insert(name, other);
                }
                (Term::App(f, xs), Term::App(g, ys)) => {
                    if f != g || xs.len() != ys.len() {
                        return None;
                    }
                    todo.extend(xs.into_iter().zip(ys).rev());
                }
            }
        }
        Some(res)
    }

    /// First this, then the other.
    pub fn then(&self, other: &Substitution) -> Substitution {
        let mut res: BTreeMap<String, Term> =
            self.0.iter().map(|it| (it.0.clone(), it.1.apply(other))).collect();
        for (name, term) in &other.0 {
            res.entry(name.clone()).or_insert_with(|| term.apply(other));
        }
        Substitution(res)
    }

    /// Only what it does to these variables.
    pub fn restricted(&self, to: &[String]) -> Substitution {
        let all = to.iter().map(|it| (it.clone(), Term::Var(it.clone()).apply(self)));
        Substitution(all.filter(|it| it.1 != Term::Var(it.0.clone())).collect())
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Term::Var(name) => f.write_str(name),
            Term::App(name, args) if name == "[|]" && args.len() == 2 => {
                f.write_str("[")?;
                let mut at = self;
                let mut separator = "";
                while let Term::App(name, args) = at
                    && name == "[|]"
                    && let [head, tail] = args.as_slice()
                {
                    write!(f, "{separator}{head}")?;
                    (separator, at) = (",", tail);
                }
                if *at != Term::App("[]".to_owned(), vec![]) {
                    write!(f, "|{at}")?;
                }
                f.write_str("]")
            }
            Term::App(name, args) if args.is_empty() => f.write_str(name),
            Term::App(name, args) => {
                let args: Vec<String> = args.iter().map(Term::to_string).collect();
                write!(f, "{name}({})", args.join(","))
            }
        }
    }
}

impl fmt::Display for Atomic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Atomic::Call(term) => term.fmt(f),
            Atomic::Exit(label) => write!(f, "e({label})"),
        }
    }
}

impl fmt::Display for Substitution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("id");
        }
        let all: Vec<String> = self.0.iter().map(|it| format!("{}/{}", it.0, it.1)).collect();
        write!(f, "{{{}}}", all.join(","))
    }
}

/// The clauses of a text; `None` if it is no program of definite clauses.
pub fn read_program(text: &str) -> Option<Vec<Definite>> {
    let mut res = Vec::new();
    for (label, term) in (1..).zip(read(text)?) {
        let (head, body) = match term {
            Term::App(name, args) if name == ":-" && args.len() == 2 => {
                let mut args = args.into_iter();
                (args.next()?, goals(args.next()?))
            }
            head @ (Term::Var(_) | Term::App(..)) => (head, Vec::new()),
        };
        res.push(Definite { label, head, body });
    }
    Some(res)
}

pub fn read_goal(text: &str) -> Option<Term> {
    read(&format!("{text}."))?.into_iter().next()
}

fn goals(body: Term) -> Vec<Term> {
    match body {
        Term::App(name, args) if name == "," && args.len() == 2 => {
            args.into_iter().flat_map(goals).collect()
        }
        Term::App(name, args) if name == "true" && args.is_empty() => Vec::new(),
        other @ (Term::Var(_) | Term::App(..)) => vec![other],
    }
}

fn read(text: &str) -> Option<Vec<Term>> {
    let mut atoms = Atoms::default();
    let ops = Ops::new(&mut atoms);
    let mut reader = Reader::new(text);
    let mut res = Vec::new();
    loop {
        let mut heap = Heap::default();
        let read = reader.next_term(&mut heap, &mut atoms, &ops, Syntax::default()).ok()?;
        let Some(read) = read else { return Some(res) };
        let name = |value: Value| {
            let named = read.variables.iter().find(|it| heap.deref(it.1).same_word(value));
            named.map_or_else(|| format!("_{}", value.address()), |it| it.0.clone())
        };
        res.push(term_of(&heap, &atoms, read.term, &name)?);
    }
}

fn term_of(
    heap: &Heap,
    atoms: &Atoms,
    value: Value,
    name: &dyn Fn(Value) -> String,
) -> Option<Term> {
    let value = heap.deref(value);
    Some(match value.view() {
        View::Var(_) => Term::Var(name(value)),
        View::Atom(atom) => Term::App(atoms.text(atom).to_owned(), Vec::new()),
        View::Int(int) => Term::App(int.to_string(), Vec::new()),
        View::Struct(functor, at) => {
            let (of, arity) = atoms.name_arity(functor);
            let of = if functor == FunctorId::CONS { "[|]" } else { atoms.text(of) };
            let args = (0..arity).map(|n| term_of(heap, atoms, heap.cell(at + n), name));
            Term::App(of.to_owned(), args.collect::<Option<_>>()?)
        }
        View::Big(_) | View::Rational(_) | View::Float(_) | View::Text(_) => return None,
    })
}
