//! Converts inferred types to types of the solver, from which inputs are generated.

use crate::code::PredId;
use crate::concolic::declare::{declared_type, letters, list};
use crate::concolic::infer::{Belief, Inference, Node, NodeId};
use rustc_hash::FxHashMap;
use term::{Kind, Term, Type, TypeId, Types};

/// Builds the solver's types from the inferred ones.
#[derive(Debug)]
pub struct TypeMaker<'a> {
    inference: &'a Inference,
    belief: Belief,
    pub types: Types,
    known: FxHashMap<NodeId, TypeId>,
    any: Option<TypeId>,
}

impl<'a> TypeMaker<'a> {
    pub fn new(inference: &'a Inference, belief: Belief) -> TypeMaker<'a> {
        let (types, known) = (Types::default(), FxHashMap::default());
        TypeMaker { inference, belief, types, known, any: None }
    }

    /// Returns the type of an argument of a predicate.
    pub fn of_arg(&mut self, pred: PredId, n: usize) -> TypeId {
        let id = self.of_inner_arg(pred, n);
        // `X = s(X)` infers a type without finite values.
        if self.types.smallest(id).is_some() { id } else { self.any() }
    }

    fn of_inner_arg(&mut self, pred: PredId, n: usize) -> TypeId {
        match self.inference.args.get(&(pred, n)) {
            // The type of a called argument is used for every belief: other terms only raise type errors.
            Some(node) if self.belief != Belief::None || self.inference.is_goal(*node) => {
                self.of_node(*node)
            }
            _ => self.any(),
        }
    }

    /// Returns the type that a declaration names; parts that it leaves open are inferred.
    pub fn declared(&mut self, text: &str, pred: PredId, n: usize) -> TypeId {
        let inferred = self.of_arg(pred, n);
        if self.belief == Belief::Open {
            return inferred;
        }
        let item = match self.inference.args.get(&(pred, n)).map(|it| self.inference.root(*it)) {
            Some(root) => self.inference.nodes.get(root.0).and_then(|it| it.item),
            None => None,
        };
        let any = match item {
            Some(item) if self.belief != Belief::None && leaves_items_open(text) => {
                self.of_node(item)
            }
            _ => self.any(),
        };
        declared_type(&mut self.types, text, any).unwrap_or(inferred)
    }

    /// Returns a type for an argument whose declared type a goal has to check: the inferred type and any
    /// other term.
    pub fn asked(&mut self, text: &str, pred: PredId, n: usize) -> TypeId {
        let any = self.any();
        if let Some(made) = declared_type(&mut self.types, text, any) {
            return made;
        }
        let inferred = self.of_arg(pred, n);
        self.types.add(Type::Union(Box::from([inferred, any])))
    }

    /// Returns the type of any term made of the constructors that the program mentions.
    pub fn any(&mut self) -> TypeId {
        if let Some(known) = self.any {
            return known;
        }
        let id = self.types.reserve();
        self.any = Some(id);
        let mut parts = vec![
            self.types.add(Type::Kind(Kind::Atom)),
            self.types.add(Type::Kind(Kind::Integer)),
            list(&mut self.types, id),
        ];
        if self.inference.has_float {
            parts.push(self.types.add(Type::Kind(Kind::Float)));
        }
        if self.inference.has_text {
            parts.push(self.types.add(Type::Kind(Kind::Binary)));
        }
        for (name, arity) in &self.inference.functors {
            let mut items = vec![self.types.add(Type::Literal(Term::atom(name)))];
            items.extend((0..*arity).map(|_| id));
            parts.push(self.types.add(Type::Tuple(items.into())));
        }
        self.types.set(id, Type::Union(parts.into()));
        id
    }

    fn of_node(&mut self, node: NodeId) -> TypeId {
        let root = self.inference.root(node);
        if let Some(known) = self.known.get(&root) {
            return *known;
        }
        let id = self.types.reserve();
        self.known.insert(root, id);
        let Some(node) = self.inference.nodes.get(root.0).cloned() else { return self.any() };
        let of = self.of_parts(&node);
        self.types.set(id, of);
        id
    }

    /// Adds the goals of the program that can be called with a number of additional arguments.
    fn goals(&mut self, goals: &[Vec<NodeId>], parts: &mut Vec<TypeId>) {
        for n_more in goals.iter().map(Vec::len) {
            let known = plain_goals(n_more).iter().map(|it| Type::Literal(Term::atom(it)));
            parts.extend(known.map(|it| self.types.add(it)));
            for (pred, name, arity) in &self.inference.goals {
                let Some(n_own) = arity.checked_sub(n_more) else { continue };
                let name = self.types.add(Type::Literal(Term::atom(name)));
                if n_own == 0 {
                    parts.push(name);
                    continue;
                }
                let mut items = vec![name];
                items.extend((0..n_own).map(|n| self.of_inner_arg(*pred, n)));
                parts.push(self.types.add(Type::Tuple(items.into())));
            }
        }
    }

    fn of_parts(&mut self, node: &Node) -> Type {
        let mut parts = Vec::new();
        let has_parts = node.is_list || !node.compounds.is_empty() || !node.opened.is_empty();
        let is_closed = matches!(self.belief, Belief::Tight | Belief::Open) && has_parts;
        let mut kinds = Vec::new();
        let is_letter = |it: &Term| it.as_atom().is_some_and(|it| it.chars().count() == 1);
        let is_letter = node.is_letter && node.literals.iter().all(is_letter);
        if is_letter {
            parts.push(letters(&mut self.types));
        }
        for literal in &node.literals {
            let kinds_of = [Kind::Integer, Kind::Float, Kind::Binary, Kind::Atom];
            let kind = kinds_of.into_iter().find(|it| it.has(literal)).unwrap_or(Kind::Atom);
            parts.push(self.types.add(Type::Literal(literal.clone())));
            if !is_closed && !is_letter && !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        let said = [
            (node.is_integer, Kind::Integer),
            (node.is_atom, Kind::Atom),
            (node.is_float, Kind::Float),
            (node.is_text, Kind::Binary),
        ];
        for (is_said, kind) in said {
            if is_said && !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        self.goals(&node.goals, &mut parts);
        let is_plain = parts.is_empty() && !has_parts;
        if is_plain && kinds.is_empty() {
            kinds.extend([Kind::Atom, Kind::Integer]);
        }
        parts.extend(kinds.into_iter().map(|it| self.types.add(Type::Kind(it))));
        if node.is_list {
            let item = match node.item {
                Some(item) => self.of_node(item),
                None => {
                    let atom = self.types.add(Type::Kind(Kind::Atom));
                    let integer = self.types.add(Type::Kind(Kind::Integer));
                    self.types.add(Type::Union(Box::from([atom, integer])))
                }
            };
            let list = list(&mut self.types, item);
            parts.push(list);
        }
        for (name, args) in &node.compounds {
            let mut items = vec![self.types.add(Type::Literal(Term::atom(name)))];
            items.extend(args.iter().map(|it| self.of_node(*it)));
            parts.push(self.types.add(Type::Tuple(items.into())));
        }
        // A made-up name is added if the program mentions none, or if the belief asks for others.
        if node.compounds.is_empty() || self.belief != Belief::Tight {
            for (_, args) in &node.opened {
                let mut items = vec![self.types.add(Type::Literal(Term::atom("f")))];
                items.extend(args.iter().map(|it| self.of_node(*it)));
                parts.push(self.types.add(Type::Tuple(items.into())));
            }
        }
        if self.belief == Belief::Loose && has_parts {
            parts.push(self.types.add(Type::Kind(Kind::Atom)));
            parts.push(self.types.add(Type::Kind(Kind::Integer)));
        }
        if self.belief == Belief::Open {
            parts.push(self.types.add(Type::Kind(Kind::Reference)));
        }
        Type::Union(parts.into())
    }
}

/// Returns builtins that can be called with this number of arguments of any kind.
pub(super) fn plain_goals(n_more: usize) -> &'static [&'static str] {
    match n_more {
        0 => &["true", "fail"],
        1 => &["integer", "atom"],
        2 => &["=", "@=<"],
        _ => &[],
    }
}

/// Whether a declared type says nothing about the items of its lists, so that their inferred type is used.
fn leaves_items_open(text: &str) -> bool {
    let is_plain = |it: &str| !it.contains('(') && !it.contains("pair");
    text.split('|').all(is_plain)
}
