//! Converts between ground terms (`term::Term`) and values in the heap.

use crate::heap::{FunKind, Heap, Lambda};
use crate::table::Table;
use crate::value::{NodeId, PidId, Value, View};
use crate::{AtomId, Atoms, NodeName};
use std::cell::Cell;
use std::fmt;
use term::{Atom, Bits, ExprId, Fun, Pid, Port, Reference, Term};

/// Terms nested more deeply than this are refused, because the conversion recurses.
const MAX_DEPTH: usize = 100_000;

/// Why a value can't be converted to a ground term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoTerm {
    TooDeep,
    /// The term would take more than `Heap::max_term_bytes`. A term repeats shared subterms, so it can be exponentially
    /// larger than the value.
    TooLarge,
}

impl fmt::Display for NoTerm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoTerm::TooDeep => write!(f, "the term is nested more than {MAX_DEPTH} levels deep"),
            NoTerm::TooLarge => write!(f, "the term does not fit the memory when written out"),
        }
    }
}

pub fn from_term(heap: &mut Heap, atoms: &mut Atoms, term: &Term) -> Value {
    match term {
        Term::Int(value) => Value::int(*value),
        Term::Big(value) => heap.integer((**value).clone()),
        Term::Float(value) => Value::float(*value),
        Term::Atom(atom) => Value::atom(atoms.intern(atom.as_str())),
        Term::Nil => Value::NIL,
        Term::List(list) => {
            let items: Vec<Value> =
                list.items.iter().map(|it| from_term(heap, atoms, it)).collect();
            let tail = from_term(heap, atoms, &list.tail);
            heap.list_with_tail(&items, tail)
        }
        Term::Tuple(items) => {
            let items: Vec<Value> = items.iter().map(|it| from_term(heap, atoms, it)).collect();
            heap.tuple(&items)
        }
        Term::Map(pairs) => {
            let pairs: Vec<(Value, Value)> = pairs
                .iter()
                .map(|(key, value)| (from_term(heap, atoms, key), from_term(heap, atoms, value)))
                .collect();
            // The two sides know the nodes by different names, so pids, and with them the keys, may be ordered
            // differently.
            if heap.nodes.is_distributed() {
                return heap.map(atoms, pairs);
            }
            heap.map_of_sorted(&pairs)
        }
        Term::Bits(bits) => heap.bits_from(bits.padded_bytes().to_vec(), bits.bit_len() as u64),
        Term::Fun(fun) => match fun.as_ref() {
            Fun::External { module, function, arity } => {
                let module = atoms.intern(module.as_str());
                let function = atoms.intern(function.as_str());
                heap.external_fun(module, function, u32::from(*arity))
            }
            Fun::Table { arity, entries, default } => {
                let mut value = |term: &Term| from_term(heap, atoms, term);
                let mut flat = vec![value(default)];
                for (args, result) in entries {
                    flat.extend(args.iter().chain([result]).map(&mut value));
                }
                heap.table_fun(u32::from(*arity), &flat)
            }
            Fun::Closure { module, arity, index, uniq, old_uniq, pid, env, .. } => {
                let lambda = heap.foreign_lambda(Lambda {
                    module: atoms.intern(module.as_str()),
                    name: AtomId::UNDEFINED,
                    arity: u32::from(*arity),
                    index: *index,
                    uniq: u32::try_from(*old_uniq).unwrap_or(0),
                    module_md5: *uniq,
                });
                let env: Vec<Value> = env.iter().map(|it| from_term(heap, atoms, it)).collect();
                let maker = pid_from(heap, atoms, pid);
                heap.closure(lambda, maker, &env)
            }
        },
        Term::Pid(pid) => Value::pid(pid_from(heap, atoms, pid)),
        Term::Port(port) => {
            let node = node_name(atoms, &port.node, port.creation);
            Value::port(heap.nodes.make_port(node, port.id))
        }
        Term::Ref(reference) => {
            let node = node_name(atoms, &reference.node, reference.creation);
            Value::reference(heap.nodes.make_reference(node, &reference.words))
        }
    }
}

fn pid_from(heap: &mut Heap, atoms: &mut Atoms, pid: &Pid) -> PidId {
    let node = node_name(atoms, &pid.node, pid.creation);
    heap.nodes.make_pid(node, pid.id, pid.serial)
}

fn node_name(atoms: &mut Atoms, name: &Atom, creation: u32) -> NodeName {
    NodeName { name: atoms.intern(name.as_str()), creation }
}

/// How many more bytes the term that is being made may take.
struct ByteBudget(Cell<usize>);

impl ByteBudget {
    fn take(&self, n: usize) -> Result<(), NoTerm> {
        self.0.set(self.0.get().checked_sub(n).ok_or(NoTerm::TooLarge)?);
        Ok(())
    }
}

/// Converts a value to a term for readers outside the machine: the first node appears as `nonode@nohost`.
pub fn to_term(heap: &Heap, atoms: &Atoms, value: Value) -> Result<Term, NoTerm> {
    TermBuilder::new(heap, atoms, Some(NodeId::FIRST), false).term(value, 0)
}

/// Converts like [`to_term`], but puts a mark in place of each part that depends on the input. [`marked`] tells marks
/// from atoms.
pub fn to_marked(heap: &Heap, atoms: &Atoms, value: Value) -> Result<Term, NoTerm> {
    TermBuilder::new(heap, atoms, Some(NodeId::FIRST), true).term(value, 0)
}

/// Returns the expression that a mark made by [`to_marked`] stands for, or `None` for any other atom.
pub fn marked(atom: &Atom) -> Option<ExprId> {
    atom.as_str().strip_prefix(MARK)?.parse().ok().map(ExprId)
}

/// The first character of a mark. No printable atom of a program begins with it.
const MARK: char = '\u{3}';

/// Converts a value as the external term format has it: every node appears under its own name.
pub fn to_external(heap: &Heap, atoms: &Atoms, value: Value) -> Result<Term, NoTerm> {
    TermBuilder::new(heap, atoms, None, false).term(value, 0)
}

struct TermBuilder<'a> {
    heap: &'a Heap,
    atoms: &'a Atoms,
    /// The node that appears as `nonode@nohost` instead of under its name.
    nameless: Option<NodeId>,
    /// Whether parts that depend on the input are replaced by marks.
    marks: bool,
    room: ByteBudget,
}

impl<'a> TermBuilder<'a> {
    fn new(heap: &'a Heap, atoms: &'a Atoms, nameless: Option<NodeId>, marks: bool) -> Self {
        TermBuilder {
            heap,
            atoms,
            nameless,
            marks,
            room: ByteBudget(Cell::new(heap.max_term_bytes)),
        }
    }
}

impl TermBuilder<'_> {
    fn is_marked(&self, value: Value) -> bool {
        self.marks && value.shadow().is_some()
    }

    fn term(&self, value: Value, depth: usize) -> Result<Term, NoTerm> {
        if depth > MAX_DEPTH {
            return Err(NoTerm::TooDeep);
        }
        self.room.take(size_of::<Term>())?;
        if self.is_marked(value) {
            return Ok(Term::Atom(Atom::new(&format!("{MARK}{}", value.shadow().0 - 1))));
        }
        let atom = |id| Atom::new(self.atoms.name(id));
        Ok(match value.view() {
            View::Int(value) => Term::Int(value),
            View::Big(at) => {
                let value = self.heap.big(at);
                self.room.take(usize::try_from(value.bits() / 8).unwrap_or(usize::MAX))?;
                Term::Big(Box::new(value.clone()))
            }
            View::Float(value) => Term::Float(value),
            View::Atom(id) => Term::Atom(atom(id)),
            View::Nil => Term::Nil,
            View::Cons(_) => {
                let (mut items, mut rest) = (Vec::new(), value);
                while !self.is_marked(rest)
                    && let Some((head, tail)) = self.heap.uncons(rest)
                {
                    items.push(head);
                    rest = tail;
                }
                Term::list(self.terms(&items, depth)?, self.term(rest, depth + 1)?)
            }
            View::Tuple(..) => {
                Term::Tuple(self.terms(self.heap.elements(value).unwrap_or_default(), depth)?)
            }
            View::Map(at) => Term::Map(
                self.heap
                    .map_iter(at)
                    .map(|(key, value)| {
                        Ok((self.term(key, depth + 1)?, self.term(value, depth + 1)?))
                    })
                    .collect::<Result<_, NoTerm>>()?,
            ),
            View::Bits(at) => {
                let bits = self.heap.bits(at);
                let bit_len = usize::try_from(bits.bit_len).unwrap_or(usize::MAX);
                self.room.take(bit_len / 8)?;
                Term::Bits(Bits::new(bits.to_padded_bytes(), bit_len).unwrap_or_default())
            }
            View::Fun(at) => Term::Fun(Box::new(match self.heap.fun_kind(at) {
                FunKind::External { module, function, arity } => Fun::External {
                    module: atom(module),
                    function: atom(function),
                    arity: u8::try_from(arity).unwrap_or(u8::MAX),
                },
                FunKind::Closure { .. } if let Some(table) = self.heap.table(at) => {
                    self.table(&table, depth)?
                }
                FunKind::Closure { lambda, .. } => {
                    let lambda = self.heap.lambda(lambda);
                    Fun::Closure {
                        module: Atom::new(lambda.map_or("", |it| self.atoms.name(it.module))),
                        arity: lambda.map_or(0, |it| u8::try_from(it.arity).unwrap_or(u8::MAX)),
                        index: lambda.map_or(0, |it| it.index),
                        uniq: lambda.map_or([0; 16], |it| it.module_md5),
                        old_index: lambda.map_or(0, |it| i64::from(it.index)),
                        old_uniq: lambda.map_or(0, |it| i64::from(it.uniq)),
                        pid: self.pid(self.heap.fun_maker(at)),
                        env: self.terms(self.heap.fun_free(at), depth)?,
                    }
                }
            })),
            View::Pid(pid) => Term::Pid(self.pid(pid)),
            View::Port(port) => {
                let (name, id) = self.heap.nodes.port(port);
                let (node, creation) = self.node(port.node(), name);
                Term::Port(Port { node, id, creation })
            }
            View::Ref(id) => {
                let (name, words) = self.heap.nodes.reference(id);
                let (node, creation) = self.node(id.owner.node(), name);
                Term::Ref(Reference { node, creation, words: words.all().to_vec() })
            }
        })
    }

    fn pid(&self, pid: PidId) -> Pid {
        let (name, id, serial) = self.heap.nodes.pid(pid);
        let (node, creation) = self.node(pid.node(), name);
        Pid { node, id, serial, creation }
    }

    fn node(&self, node: NodeId, name: NodeName) -> (Atom, u32) {
        if self.nameless == Some(node) {
            return (Atom::new(self.atoms.name(AtomId::NONODE)), 0);
        }
        (Atom::new(self.atoms.name(name.name)), name.creation)
    }

    fn table(&self, table: &Table<'_>, depth: usize) -> Result<Fun, NoTerm> {
        let entry = |(args, result)| Ok((self.terms(args, depth)?, self.term(result, depth + 1)?));
        Ok(Fun::Table {
            arity: u8::try_from(table.arity).unwrap_or(u8::MAX),
            entries: table.entries().map(entry).collect::<Result<_, NoTerm>>()?,
            default: self.term(table.default, depth + 1)?,
        })
    }

    fn terms(&self, values: &[Value], depth: usize) -> Result<Vec<Term>, NoTerm> {
        values.iter().map(|it| self.term(*it, depth + 1)).collect()
    }
}
