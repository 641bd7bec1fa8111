//! Types of arguments from their use: which constructors, lists and numbers come together.
//!
//! Every place where a term can be is a node; places that must hold equal terms are one node. Not a
//! proof of anything: inputs that fit are tried first, and others only where those do not suffice.

use crate::code::{ClauseId, Kind as PredKind, PredId, arith_op};
use crate::concolic::convert::term_of;
use crate::concolic::declare::{declared_type, list};
use crate::concolic::program::head_and_body;
use crate::data::{AtomId, FunctorId, Heap, Value, View};
use crate::machine::Machine;
use rustc_hash::FxHashMap;
use term::{Kind, Term, Type, TypeId, Types};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct NodeId(usize);

#[derive(Clone, Debug, Default)]
struct Node {
    parent: Option<NodeId>,
    item: Option<NodeId>,
    is_list: bool,
    is_integer: bool,
    is_atom: bool,
    is_float: bool,
    is_text: bool,
    literals: Vec<Term>,
    compounds: Vec<(String, Vec<NodeId>)>,
}

/// How much the inferred types are believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Belief {
    /// Only what the program speaks of.
    Tight,
    /// Other atoms and numbers beside those that are named.
    Loose,
    /// Any term made of what the program speaks of.
    None,
}

/// The types of a program's predicates.
#[derive(Debug, Default)]
pub struct Inference {
    nodes: Vec<Node>,
    args: FxHashMap<(PredId, usize), NodeId>,
    functors: Vec<(String, usize)>,
    has_float: bool,
    has_text: bool,
}

impl Inference {
    /// Of all predicates that have clauses under test.
    pub fn of(machine: &Machine) -> Inference {
        let mut res = Inference::default();
        let mut preds: Vec<PredId> = machine.db.marks.iter().map(|it| it.pred).collect();
        preds.sort_unstable();
        preds.dedup();
        for pred in preds {
            for clause in machine.db.clauses_of(pred) {
                res.clause(machine, pred, clause);
            }
        }
        res
    }

    fn clause(&mut self, machine: &Machine, pred: PredId, clause: ClauseId) {
        let mut heap = Heap::default();
        let term = machine.db.clause(clause).term.load(&mut heap);
        let (head, body) = head_and_body(machine, &heap, term);
        let mut walk = Walk { of: self, machine, heap: &heap, vars: FxHashMap::default(), pred };
        if let View::Struct(functor, _) = head.view() {
            for n in 0..machine.atoms.arity(functor) {
                let node = walk.term(heap.arg(head, n));
                let place = walk.of.arg(pred, n);
                walk.of.union(place, node);
            }
        }
        walk.goal(body);
    }

    fn arg(&mut self, pred: PredId, n: usize) -> NodeId {
        if let Some(known) = self.args.get(&(pred, n)) {
            return *known;
        }
        let node = self.add(Node::default());
        self.args.insert((pred, n), node);
        node
    }

    fn add(&mut self, node: Node) -> NodeId {
        self.nodes.push(node);
        NodeId(self.nodes.len() - 1)
    }

    fn root(&self, of: NodeId) -> NodeId {
        let mut at = of;
        while let Some(parent) = self.nodes.get(at.0).and_then(|it| it.parent) {
            at = parent;
        }
        at
    }

    fn union(&mut self, a: NodeId, b: NodeId) {
        let mut todo = vec![(a, b)];
        while let Some((a, b)) = todo.pop() {
            let (a, b) = (self.root(a), self.root(b));
            if a == b {
                continue;
            }
            let Some(node) = self.nodes.get_mut(b.0) else { continue };
            let old = std::mem::replace(node, Node { parent: Some(a), ..Node::default() });
            let Some(node) = self.nodes.get_mut(a.0) else { continue };
            node.is_list |= old.is_list;
            node.is_integer |= old.is_integer;
            node.is_atom |= old.is_atom;
            node.is_float |= old.is_float;
            node.is_text |= old.is_text;
            for literal in old.literals {
                if !node.literals.contains(&literal) {
                    node.literals.push(literal);
                }
            }
            match (node.item, old.item) {
                (Some(x), Some(y)) => todo.push((x, y)),
                (None, Some(y)) => node.item = Some(y),
                (_, None) => {}
            }
            for (name, args) in old.compounds {
                let same = |it: &&(String, Vec<NodeId>)| it.0 == name && it.1.len() == args.len();
                match node.compounds.iter().find(same) {
                    Some((_, known)) => todo.extend(known.iter().copied().zip(args)),
                    None => node.compounds.push((name, args)),
                }
            }
        }
    }

    fn edit(&mut self, of: NodeId, change: impl FnOnce(&mut Node)) {
        let root = self.root(of);
        if let Some(node) = self.nodes.get_mut(root.0) {
            change(node);
        }
    }

    fn list_of(&mut self, item: NodeId) -> NodeId {
        self.add(Node { is_list: true, item: Some(item), ..Node::default() })
    }
}

struct Walk<'a> {
    of: &'a mut Inference,
    machine: &'a Machine,
    heap: &'a Heap,
    vars: FxHashMap<usize, NodeId>,
    pred: PredId,
}

impl Walk<'_> {
    fn term(&mut self, term: Value) -> NodeId {
        let term = self.heap.deref(term);
        match term.view() {
            View::Var(at) => {
                if let Some(known) = self.vars.get(&at) {
                    return *known;
                }
                let node = self.of.add(Node::default());
                self.vars.insert(at, node);
                node
            }
            View::Struct(FunctorId::CONS, _) => {
                let mut items = Vec::new();
                let mut at = term;
                while at.is_cons() {
                    items.push(self.heap.arg(at, 0));
                    at = self.heap.arg(at, 1);
                }
                let item = self.of.add(Node::default());
                for value in items {
                    let node = self.term(value);
                    self.of.union(item, node);
                }
                let list = self.of.list_of(item);
                let tail = self.term(at);
                self.of.union(list, tail);
                list
            }
            View::Struct(functor, at) => {
                let (name, arity) = self.machine.atoms.name_arity(functor);
                let name = self.machine.atoms.text(name).to_owned();
                if !self.of.functors.contains(&(name.clone(), arity)) {
                    self.of.functors.push((name.clone(), arity));
                }
                let args = (0..arity).map(|n| self.term(self.heap.cell(at + n))).collect();
                self.of.add(Node { compounds: vec![(name, args)], ..Node::default() })
            }
            View::Atom(AtomId::NIL) => self.of.add(Node { is_list: true, ..Node::default() }),
            View::Int(_)
            | View::Big(_)
            | View::Rational(_)
            | View::Float(_)
            | View::Atom(_)
            | View::Text(_) => {
                let literal = term_of(self.heap, &self.machine.atoms, term);
                let mut node = Node { literals: literal.into_iter().collect(), ..Node::default() };
                node.is_float = matches!(term.view(), View::Float(_));
                node.is_text = matches!(term.view(), View::Text(_));
                self.of.has_float |= node.is_float;
                self.of.has_text |= node.is_text;
                self.of.add(node)
            }
        }
    }

    fn goal(&mut self, goal: Value) {
        let goal = self.heap.deref(goal);
        let View::Struct(functor, _) = goal.view() else { return };
        let (name, arity) = self.machine.atoms.name_arity(functor);
        let name = self.machine.atoms.text(name);
        let arg = |n: usize| self.heap.arg(goal, n);
        let pred = self.machine.db.get(self.pred);
        let own = self.machine.db.find(pred.module, functor);
        let own = own.filter(|it| self.machine.db.get(*it).kind == PredKind::Clauses);
        if let Some(callee) = own {
            for n in 0..arity {
                let node = self.term(arg(n));
                let place = self.of.arg(callee, n);
                self.of.union(place, node);
            }
            return;
        }
        match (name, arity) {
            ("," | ";" | "->" | "*->" | "|", 2) => {
                self.goal(arg(0));
                self.goal(arg(1));
            }
            ("\\+" | "call" | "once" | "ignore" | "not" | "forall" | "catch", _) => {
                for n in 0..arity {
                    self.goal(arg(n));
                }
            }
            ("phrase", 2 | 3) => {
                let rule = arg(0);
                let Some(callee) = self.machine.nonterminal(self.pred, self.heap, rule) else {
                    return;
                };
                let n_own = self.machine.db.get(callee).arity as usize - 2;
                for n in 0..n_own {
                    let node = self.term(self.heap.arg(rule, n));
                    let place = self.of.arg(callee, n);
                    self.of.union(place, node);
                }
                for n in 1..arity {
                    let node = self.term(arg(n));
                    self.of.edit(node, |it| it.is_list = true);
                    let place = self.of.arg(callee, n_own + n - 1);
                    self.of.union(place, node);
                }
            }
            (":" | "^", 2) => self.goal(arg(1)),
            ("=" | "\\=" | "==" | "\\==" | "@<" | "@>" | "@=<" | "@>=" | "dif", 2) => {
                let (a, b) = (self.term(arg(0)), self.term(arg(1)));
                self.of.union(a, b);
            }
            ("is" | "=:=" | "=\\=" | "<" | ">" | "=<" | ">=", 2) => {
                self.number(arg(0));
                self.number(arg(1));
            }
            ("findall" | "bagof" | "setof" | "aggregate_all", 3) => {
                self.goal(arg(1));
                if name == "aggregate_all" {
                    return;
                }
                let item = self.term(arg(0));
                let list = self.of.list_of(item);
                let node = self.term(arg(2));
                self.of.union(list, node);
            }
            _ => self.builtin(name, goal, arity),
        }
    }

    /// What builtins and the library want of their arguments.
    fn builtin(&mut self, name: &str, goal: Value, arity: usize) {
        const WANTED: &[(&str, &str)] = &[
            ("integer", "i"),
            ("atom", "a"),
            ("number", "i"),
            ("is_list", "L"),
            ("float", "f"),
            ("string", "s"),
            ("length", "Li"),
            ("append", "LLL"),
            ("append", "ML"),
            ("member", "xX"),
            ("memberchk", "xX"),
            ("between", "iii"),
            ("succ", "ii"),
            ("plus", "iii"),
            ("nth0", "iXx"),
            ("nth1", "iXx"),
            ("msort", "LL"),
            ("sort", "LL"),
            ("reverse", "LL"),
            ("last", "Xx"),
            ("sum_list", "Ii"),
            ("sumlist", "Ii"),
            ("max_list", "Ii"),
            ("min_list", "Ii"),
            ("numlist", "iiI"),
            ("permutation", "LL"),
            ("select", "xXX"),
            ("selectchk", "xXX"),
            ("exclude", "_LL"),
            ("include", "_LL"),
            ("maplist", "_L"),
            ("maplist", "_L_"),
            ("maplist", "_L__"),
            ("foldl", "_L__"),
            ("atom_length", "ai"),
            ("atom_codes", "aI"),
            ("atom_chars", "a_"),
            ("char_code", "ai"),
            ("atom_number", "ai"),
            ("delete", "XxX"),
            ("subtract", "LLL"),
            ("list_to_set", "LL"),
            ("union", "LLL"),
            ("intersection", "LLL"),
            ("sumlist", "Ii"),
            ("string_chars", "s_"),
            ("string_concat", "sss"),
            ("string_length", "si"),
            ("upcase_atom", "aa"),
            ("exclude", "_LL"),
            ("partition", "_LLL"),
            ("keysort", "LL"),
            ("predsort", "_LL"),
            ("atomic_list_concat", "_a"),
            ("atom_concat", "aaa"),
            ("sub_atom", "aiiia"),
        ];
        let fits = |it: &&(&str, &str)| it.0 == name && it.1.len() == arity;
        let Some((_, wanted)) = WANTED.iter().find(fits) else { return };
        let item = self.of.add(Node::default());
        for (n, what) in wanted.chars().enumerate() {
            let node = self.term(self.heap.arg(goal, n));
            match what {
                'i' => self.of.edit(node, |it| it.is_integer = true),
                'a' => self.of.edit(node, |it| it.is_atom = true),
                'f' => {
                    self.of.has_float = true;
                    self.of.edit(node, |it| it.is_float = true);
                }
                's' => {
                    self.of.has_text = true;
                    self.of.edit(node, |it| it.is_text = true);
                }
                'x' => self.of.union(item, node),
                'X' | 'L' => {
                    let list = self.of.list_of(item);
                    self.of.union(list, node);
                }
                'I' => {
                    self.of.edit(item, |it| it.is_integer = true);
                    let list = self.of.list_of(item);
                    self.of.union(list, node);
                }
                _ => {}
            }
        }
    }

    fn number(&mut self, term: Value) {
        let mut todo = vec![term];
        while let Some(next) = todo.pop() {
            let next = self.heap.deref(next);
            match next.view() {
                View::Var(_) => {
                    let node = self.term(next);
                    self.of.edit(node, |it| it.is_integer = true);
                }
                View::Struct(functor, at) => {
                    let (name, arity) = self.machine.atoms.name_arity(functor);
                    let name = self.machine.atoms.text(name);
                    self.of.has_float |= arith_op(name, arity).is_none();
                    todo.extend((0..arity).map(|n| self.heap.cell(at + n)));
                }
                View::Int(_)
                | View::Big(_)
                | View::Rational(_)
                | View::Float(_)
                | View::Atom(_)
                | View::Text(_) => {}
            }
        }
    }
}

/// Makes types of what was inferred.
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

    /// The n-th argument of a predicate.
    pub fn of_arg(&mut self, pred: PredId, n: usize) -> TypeId {
        match self.inference.args.get(&(pred, n)) {
            Some(node) if self.belief != Belief::None => self.of_node(*node),
            _ => self.any(),
        }
    }

    /// A type that the source names; what it does not say is inferred.
    pub fn declared(&mut self, text: &str, pred: PredId, n: usize) -> TypeId {
        let inferred = self.of_arg(pred, n);
        let item = match self.inference.args.get(&(pred, n)).map(|it| self.inference.root(*it)) {
            Some(root) => self.inference.nodes.get(root.0).and_then(|it| it.item),
            None => None,
        };
        let any = match item {
            Some(item) if self.belief != Belief::None => self.of_node(item),
            _ => self.any(),
        };
        declared_type(&mut self.types, text, any).unwrap_or(inferred)
    }

    /// Any term made of what the program speaks of.
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

    fn of_parts(&mut self, node: &Node) -> Type {
        let mut parts = Vec::new();
        let is_closed =
            self.belief == Belief::Tight && (node.is_list || !node.compounds.is_empty());
        let mut kinds = Vec::new();
        for literal in &node.literals {
            let kinds_of = [Kind::Integer, Kind::Float, Kind::Binary, Kind::Atom];
            let kind = kinds_of.into_iter().find(|it| it.has(literal)).unwrap_or(Kind::Atom);
            parts.push(self.types.add(Type::Literal(literal.clone())));
            if !is_closed && !kinds.contains(&kind) {
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
        let is_plain = parts.is_empty() && !node.is_list && node.compounds.is_empty();
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
        if self.belief == Belief::Loose && (node.is_list || !node.compounds.is_empty()) {
            parts.push(self.types.add(Type::Kind(Kind::Atom)));
            parts.push(self.types.add(Type::Kind(Kind::Integer)));
        }
        Type::Union(parts.into())
    }
}
