//! The state of the structure solver: a node for every part of the input and every expression. Nodes that must be equal
//! are merged (union-find).
//!
//! This module defines the nodes and how they are found; `narrow`, `unify` and `typing` narrow them.

use super::excluded::Excluded;
use super::typing::{Alt, Typing};
use super::value::Value;
use std::rc::Rc;
use term::fit_u32;
use term::{Kinds, Op, Term};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct NodeId(pub(super) u32);

/// The constraints are contradictory: no term satisfies them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Contradiction;

/// The result of narrowing the state.
pub(super) type Consistency = Result<(), Contradiction>;

/// A node: a set of terms, narrowed as constraints are propagated.
#[derive(Clone, Debug)]
pub(super) struct Node<'q> {
    /// The node that this one was merged into; itself if it is a root.
    link: NodeId,
    pub(super) kinds: Kinds,
    pub(super) shape: Shape<'q>,
    pub(super) limits: Option<Box<Limits<'q>>>,
    /// The types of the node; for each of them one alternative must hold.
    pub(super) types: Vec<Rc<[Alt<'q>]>>,
    /// Whether a choice among the type's alternatives is pending.
    pub(super) is_typed: bool,
    /// The value in the run that the query came from.
    pub(super) hint: Option<Value<'q>>,
    /// Whether the node is the tail of a list cell.
    pub(super) is_tail: bool,
    /// The operator and operands that the node is computed from.
    pub(super) origin: Option<(Op, Rc<[NodeId]>)>,
    /// The version of the node's last change, and that in which its definition was last propagated.
    changed: u64,
    examined: u64,
}

/// What is known of the structure of a node.
#[derive(Clone, Debug)]
pub(super) enum Shape<'q> {
    Open,
    Literal(Value<'q>),
    Cons(NodeId, NodeId),
    Tuple(Rc<[NodeId]>),
    Map(Rc<MapShape<'q>>),
    /// A map with nodes for all its keys, in their order, and for their values.
    Pairs(Rc<[(NodeId, NodeId)]>),
    Fun(Rc<FunShape>),
}

/// A map of which some keys are known: the node of the key's value, or `None` if the key is absent.
#[derive(Clone, Debug, Default)]
pub(super) struct MapShape<'q> {
    pub(super) entries: Vec<(Value<'q>, Option<NodeId>)>,
}

/// A function of which some calls are known: the arguments and the result of each.
#[derive(Clone, Debug, Default)]
pub(super) struct FunShape {
    pub(super) arity: u8,
    pub(super) calls: Vec<(Rc<[NodeId]>, NodeId)>,
}

#[derive(Clone, Debug)]
pub(super) struct Bound<'q> {
    pub(super) at: Value<'q>,
    pub(super) is_strict: bool,
}

/// Restrictions of a node besides its kinds.
#[derive(Clone, Debug, Default)]
pub(super) struct Limits<'q> {
    /// The bounds in the order of all terms.
    pub(super) low: Option<Bound<'q>>,
    pub(super) high: Option<Bound<'q>>,
    pub(super) excluded: Excluded<'q>,
    /// Restrictions that apply if the node is a tuple.
    pub(super) arity: Option<u32>,
    pub(super) min_arity: u32,
    pub(super) not_arities: Vec<u32>,
    /// Whether the node, if it is a list, ends with `[]`.
    pub(super) is_proper: Option<bool>,
    /// Restrictions that apply if the node is a function.
    pub(super) fun_arity: Option<u8>,
    pub(super) not_fun_arities: Vec<u8>,
    /// Restrictions that apply if the node is a bitstring: whether it is a binary, and its size in bits.
    pub(super) is_binary: Option<bool>,
    pub(super) bits: Option<u64>,
    pub(super) min_bits: u64,
}

/// A test of nodes with the truth value that it must have.
#[derive(Clone, Debug)]
pub(super) struct Fact {
    pub(super) op: Op,
    pub(super) args: Rc<[NodeId]>,
    pub(super) holds: bool,
}

/// A constraint that is not settled.
#[derive(Clone, Debug)]
pub(super) enum Pending {
    Fact(Fact),
    /// The node is the operator applied to the others.
    Define(NodeId, Op, Rc<[NodeId]>),
    /// All facts of at least one alternative hold.
    Either(Rc<[Vec<Fact>]>),
    /// One alternative of each of the node's types holds; which one depends on its parts.
    Typed(NodeId),
    Done,
}

#[derive(Clone, Debug)]
pub(super) struct State<'q> {
    nodes: Vec<Node<'q>>,
    pub(super) pending: Vec<Pending>,
    /// Increases with every change.
    pub(super) version: u64,
    pub(super) typing: &'q Typing<'q>,
    /// Pairs of keys for which the case distinction on equality was added.
    pub(super) split_keys: Vec<(NodeId, NodeId)>,
    /// Integers of slices that are computed from those of smaller slices.
    pub(super) related: Vec<NodeId>,
    /// A limit on the number of nodes, which is reached by terms that would have to grow without end.
    pub(super) max_nodes: usize,
}

impl<'q> State<'q> {
    pub(super) fn new(typing: &'q Typing<'q>) -> State<'q> {
        State {
            nodes: Vec::with_capacity(64),
            pending: Vec::with_capacity(16),
            version: 0,
            typing,
            split_keys: Vec::new(),
            related: Vec::new(),
            max_nodes: usize::MAX,
        }
    }

    pub(super) fn n_nodes(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn add(&mut self, kinds: Kinds) -> NodeId {
        self.add_shape(kinds, Shape::Open)
    }

    pub(super) fn add_shape(&mut self, kinds: Kinds, shape: Shape<'q>) -> NodeId {
        let id = NodeId(fit_u32(self.nodes.len()));
        self.nodes.push(Node {
            link: id,
            kinds,
            shape,
            limits: None,
            types: Vec::new(),
            is_typed: false,
            hint: None,
            is_tail: false,
            origin: None,
            changed: self.version,
            examined: NEVER,
        });
        id
    }

    pub(super) fn literal(&mut self, value: Value<'q>) -> NodeId {
        self.add_shape(value.kinds(), Shape::Literal(value))
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "ids come from this state or one it was cloned from"
    )]
    pub(super) fn root(&self, mut id: NodeId) -> NodeId {
        while self.nodes[id.0 as usize].link != id {
            id = self.nodes[id.0 as usize].link;
        }
        id
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "ids come from this state or one it was cloned from"
    )]
    pub(super) fn node(&self, id: NodeId) -> &Node<'q> {
        &self.nodes[self.root(id).0 as usize]
    }

    /// Returns the root of a node for a change, and counts the change.
    #[expect(
        clippy::indexing_slicing,
        reason = "ids come from this state or one it was cloned from"
    )]
    pub(super) fn change(&mut self, id: NodeId) -> &mut Node<'q> {
        self.version += 1;
        let root = self.root(id);
        let node = &mut self.nodes[root.0 as usize];
        node.changed = self.version;
        node
    }

    pub(super) fn change_limits(&mut self, id: NodeId) -> &mut Limits<'q> {
        self.change(id).limits.get_or_insert_default()
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "ids come from this state or one it was cloned from"
    )]
    pub(super) fn link(&mut self, from: NodeId, to: NodeId) {
        self.version += 1;
        self.nodes[from.0 as usize].link = to;
        let root = self.root(to);
        self.nodes[root.0 as usize].changed = self.version;
    }

    /// Whether propagating the node's definition again would change nothing, as no operand changed since the last time.
    /// Valid only for definitions whose conclusions depend on these nodes alone.
    pub(super) fn is_examined(&self, node: NodeId, args: &[NodeId]) -> bool {
        let examined = self.nodes.get(node.0 as usize).map_or(NEVER, |it| it.examined);
        let is_old = |it: &NodeId| self.node(*it).changed <= examined;
        examined != NEVER && is_old(&node) && args.iter().all(is_old)
    }

    /// Records that the node's definition was propagated at this version.
    pub(super) fn examined(&mut self, node: NodeId, version: u64) {
        if let Some(node) = self.nodes.get_mut(node.0 as usize) {
            node.examined = version;
        }
    }

    pub(super) fn kinds(&self, id: NodeId) -> Kinds {
        self.node(id).kinds
    }

    pub(super) fn is_same_node(&self, a: NodeId, b: NodeId) -> bool {
        self.root(a) == self.root(b)
    }

    pub(super) fn known(&self, id: NodeId) -> Option<&Value<'q>> {
        if let Shape::Literal(value) = &self.node(id).shape { Some(value) } else { None }
    }

    pub(super) fn known_int(&self, id: NodeId) -> Option<i64> {
        match self.known(id)? {
            Value::Ref(term) => term.as_int(),
            Value::Own(term) => term.as_int(),
            Value::Rest(..) => None,
        }
    }

    /// Returns the term that the node must be, if all its parts are known.
    pub(super) fn ground(&self, id: NodeId) -> Option<Value<'q>> {
        match &self.node(id).shape {
            Shape::Literal(value) => Some(value.clone()),
            Shape::Cons(head, tail) => {
                let mut items = vec![self.ground(*head)?.term().into_owned()];
                let mut at = *tail;
                while let Shape::Cons(head, tail) = &self.node(at).shape {
                    items.push(self.ground(*head)?.term().into_owned());
                    at = *tail;
                }
                let tail = self.ground(at)?.term().into_owned();
                Some(Value::own(Term::list(items, tail)))
            }
            Shape::Tuple(parts) => {
                let parts = parts.iter().map(|it| Some(self.ground(*it)?.term().into_owned()));
                Some(Value::own(Term::Tuple(parts.collect::<Option<_>>()?)))
            }
            Shape::Pairs(pairs) => {
                let term = |it: &NodeId| Some(self.ground(*it)?.term().into_owned());
                let pairs = pairs.iter().map(|(key, value)| Some((term(key)?, term(value)?)));
                Some(Value::own(Term::map(pairs.collect::<Option<_>>()?)))
            }
            Shape::Open | Shape::Map(_) | Shape::Fun(_) => None,
        }
    }

    /// Returns the value of the node in the run that the query came from.
    pub(super) fn hint(&self, id: NodeId) -> Option<Value<'q>> {
        self.hint_within(id, MAX_HINT_DEPTH, &mut { MAX_HINT_NODES })
    }

    /// Computes the hint from those of parts or operands. Shared nodes are visited as often as they are reached, at
    /// most `n_left` nodes in all.
    fn hint_within(&self, id: NodeId, left: usize, n_left: &mut usize) -> Option<Value<'q>> {
        let node = self.node(id);
        if node.hint.is_some() {
            return node.hint.clone();
        }
        let left = left.checked_sub(1)?;
        *n_left = n_left.checked_sub(1)?;
        let mut part = |it: NodeId| Some(self.hint_within(it, left, n_left)?.term().into_owned());
        match (&node.shape, &node.origin) {
            (Shape::Literal(value), _) => Some(value.clone()),
            (_, Some((op, args))) => {
                let args: Vec<Term> = args.iter().map(|it| part(*it)).collect::<Option<_>>()?;
                term::apply(*op, &args.iter().collect::<Vec<_>>()).map(Value::own)
            }
            (Shape::Cons(head, tail), None) => {
                Some(Value::own(Term::list(vec![part(*head)?], part(*tail)?)))
            }
            (Shape::Tuple(parts), None) => {
                let parts: Option<Vec<Term>> = parts.iter().map(|it| part(*it)).collect();
                parts.map(|it| Value::own(Term::Tuple(it)))
            }
            (Shape::Open | Shape::Map(_) | Shape::Pairs(_) | Shape::Fun(_), None) => None,
        }
    }

    pub(super) fn push(&mut self, pending: Pending) {
        self.version += 1;
        self.pending.push(pending);
    }

    pub(super) fn push_fact(&mut self, op: Op, args: &[NodeId], holds: bool) {
        self.push(Pending::Fact(Fact { op, args: args.into(), holds }));
    }
}

/// The version of a definition that was never propagated.
const NEVER: u64 = u64::MAX;

const MAX_HINT_DEPTH: usize = 200;
const MAX_HINT_NODES: usize = 10_000;
