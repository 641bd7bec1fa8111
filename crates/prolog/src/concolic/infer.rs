//! Infers the types of arguments from their use: which constructors, lists and numbers flow together.
//!
//! Each position of a term is a node of a union-find structure; positions that must hold equal terms are one
//! node. The types prove nothing: inputs of them are only tried first.

use crate::code::{ClauseId, Kind as PredKind, PredId, arith_op};
use crate::concolic::convert::term_of;
use crate::concolic::made::Maker;
use crate::concolic::program::head_and_body;
use crate::concolic::wanted::WANTED;
use crate::data::{AtomId, Blob, FunctorId, Heap, ListEnd, Value, View};
use crate::machine::Machine;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use term::Term;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct NodeId(pub(super) usize);

#[derive(Clone, Debug, Default)]
pub(super) struct Node {
    pub(super) parent: Option<NodeId>,
    pub(super) item: Option<NodeId>,
    pub(super) is_list: bool,
    pub(super) is_integer: bool,
    pub(super) is_atom: bool,
    pub(super) is_float: bool,
    pub(super) is_text: bool,
    /// An atom of one letter.
    pub(super) is_letter: bool,
    pub(super) literals: Vec<Term>,
    pub(super) compounds: Vec<(String, Vec<NodeId>)>,
    /// Compounds of any name that are inspected: the nodes of the name and of the arguments.
    pub(super) opened: Vec<(NodeId, Vec<NodeId>)>,
    /// The library that constructs the values.
    pub(super) made: Option<Maker>,
    /// The value is called as a goal, with these additional arguments.
    pub(super) goals: Vec<Vec<NodeId>>,
}

/// How far the inferred types are trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Belief {
    /// Values consist only of constructors and constants that the program mentions.
    Tight,
    /// Other atoms and numbers are added to those that the program mentions.
    Loose,
    /// Any term made of constructors that the program mentions.
    None,
    /// Terms that the program mentions, with variables in them.
    Open,
}

/// The maximum number of arguments of an inspected compound of any name.
const MAX_OPENED: usize = 8;
/// The maximum arity of compounds that get a node of their own.
const MOST_ARGUMENTS: usize = 256;

/// The inferred types of a program's predicates.
#[derive(Debug, Default)]
pub struct Inference {
    pub(super) nodes: Vec<Node>,
    pub(super) args: FxHashMap<(PredId, usize), NodeId>,
    pub(super) functors: Vec<(String, usize)>,
    /// The predicates under test: name and arity.
    pub(super) preds: Vec<(PredId, String, usize)>,
    /// The predicates among them that users of the program can name as goals.
    pub(super) goals: Vec<(PredId, String, usize)>,
    pub(super) has_float: bool,
    pub(super) has_text: bool,
    /// Lengths of lists and texts that the program tests for, from 3 on.
    pub lengths: BTreeSet<usize>,
    /// Texts that the program contains, in order.
    pub texts: Vec<String>,
    /// Characters in the program's lists of letters that are neither letters nor digits.
    pub signs: BTreeSet<char>,
    /// Some atoms of more than one letter in clause heads: parsers compare words with them.
    pub names: Vec<String>,
    /// Lists of at least three constants.
    pub lists: Vec<Term>,
}

/// The maximum length of lists and texts that is taken from the program.
const MAX_LENGTH: usize = 40;
/// The maximum number of the program's lists that are tried as inputs.
const MAX_LISTS: usize = 4;
/// The maximum number of names that are kept.
const MAX_NAMES: usize = 30;

impl Inference {
    fn note_length(&mut self, n: usize) {
        if (3..=MAX_LENGTH).contains(&n) {
            self.lengths.insert(n);
        }
    }

    fn note_name(&mut self, name: &str) {
        let is_word = 1 < name.len() && name.chars().all(char::is_alphanumeric);
        if is_word && self.names.len() < MAX_NAMES && !self.names.iter().any(|it| it == name) {
            self.names.push(name.to_owned());
        }
    }

    /// Infers types from all predicates that have clauses under test.
    pub fn of(machine: &Machine) -> Inference {
        let mut res = Inference::default();
        let mut preds: Vec<PredId> = machine.db.marks.iter().map(|it| it.pred).collect();
        preds.sort_unstable();
        preds.dedup();
        for pred in &preds {
            let info = machine.db.get(*pred);
            let name = machine.atoms.text(info.name).to_owned();
            res.preds.push((*pred, name, info.arity as usize));
        }
        let offered = res.preds.iter().filter(|it| machine.is_offered(it.0));
        res.goals = offered.cloned().collect();
        for pred in preds {
            for clause in machine.db.clauses_of(pred) {
                res.clause(machine, pred, clause);
            }
        }
        res.name_opened();
        res.apply_closures();
        let mut goals = std::mem::take(&mut res.goals);
        // Goals that take goals as arguments add nothing to testing the inner goals.
        goals.retain(|(pred, _, arity)| !(0..*arity).any(|n| res.is_called(*pred, n)));
        res.goals = goals;
        res
    }

    /// Whether a predicate calls its argument with index `n`.
    fn is_called(&self, pred: PredId, n: usize) -> bool {
        self.args.get(&(pred, n)).is_some_and(|it| self.is_goal(*it))
    }

    pub(super) fn is_goal(&self, node: NodeId) -> bool {
        self.nodes.get(self.root(node).0).is_some_and(|it| !it.goals.is_empty())
    }

    /// Gives an inspected compound of any name the names that its name is compared with.
    fn name_opened(&mut self) {
        for n in 0..self.nodes.len() {
            let Some(node) = self.nodes.get(n).cloned() else { continue };
            for (name, args) in node.opened {
                let name = self.root(name);
                let literals = self.nodes.get(name.0).map(|it| it.literals.clone());
                let literals = literals.unwrap_or_default();
                for name in literals.iter().filter_map(Term::as_atom) {
                    let compounds = vec![(name.to_owned(), args.clone())];
                    let named = self.add(Node { compounds, ..Node::default() });
                    self.union(NodeId(n), named);
                }
            }
        }
    }

    /// Unifies the arguments of a called closure with the types of the predicate that it is known to be.
    fn apply_closures(&mut self) {
        for n in 0..self.nodes.len() {
            let Some(node) = self.nodes.get(n).cloned() else { continue };
            let atoms = node.literals.iter().filter_map(Term::as_atom).map(|it| (it, &[][..]));
            let parts = node.compounds.iter().map(|it| (it.0.as_str(), it.1.as_slice()));
            let known: Vec<(&str, &[NodeId])> = atoms.chain(parts).collect();
            for (more, (name, own)) in node.goals.iter().flat_map(|more| {
                let all = known.iter().copied();
                all.map(move |it| (more, it))
            }) {
                let arity = own.len() + more.len();
                let is_it = |it: &&(PredId, String, usize)| it.1 == name && it.2 == arity;
                let Some(callee) = self.preds.iter().find(is_it).map(|it| it.0) else { continue };
                for (place, node) in own.iter().chain(more).enumerate() {
                    let place = self.arg(callee, place);
                    self.union(place, *node);
                }
            }
        }
    }

    fn clause(&mut self, machine: &Machine, pred: PredId, clause: ClauseId) {
        let mut heap = Heap::default();
        let term = machine.db.clause(clause).term.load(&mut heap);
        let (head, body) = head_and_body(machine, &heap, term);
        let mut walk = Walk { of: self, machine, heap: &heap, vars: FxHashMap::default(), pred };
        if let View::Struct(functor, _) = head.view() {
            for n in 0..machine.atoms.arity(functor) {
                if let Some(name) = heap.arg(head, n).as_atom() {
                    walk.of.note_name(machine.atoms.text(name));
                }
                let node = walk.term(heap.arg(head, n));
                let place = walk.of.arg(pred, n);
                walk.of.union(place, node);
            }
        }
        walk.goal(body);
    }

    /// Returns the library that constructs an argument of a predicate, inferred from its use.
    pub fn made(&self, pred: PredId, n: usize) -> Option<Maker> {
        let root = self.root(*self.args.get(&(pred, n))?);
        let node = self.nodes.get(root.0)?;
        // A program that inspects the representation constructs its own.
        node.made.filter(|_| node.compounds.is_empty() && !node.is_list)
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

    pub(super) fn root(&self, of: NodeId) -> NodeId {
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
            node.is_letter |= old.is_letter;
            node.made = node.made.or(old.made);
            for literal in old.literals {
                if !node.literals.contains(&literal) {
                    node.literals.push(literal);
                }
            }
            for goal in old.goals {
                match node.goals.iter().find(|it| it.len() == goal.len()) {
                    Some(known) => todo.extend(known.iter().copied().zip(goal)),
                    None => node.goals.push(goal),
                }
            }
            match (node.item, old.item) {
                (Some(x), Some(y)) => todo.push((x, y)),
                (None, Some(y)) => node.item = Some(y),
                (_, None) => {}
            }
            for (name, args) in old.opened {
                match node.opened.iter().find(|it| it.1.len() == args.len()) {
                    Some((known, of)) => {
                        todo.push((*known, name));
                        todo.extend(of.iter().copied().zip(args));
                    }
                    None => node.opened.push((name, args)),
                }
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
                if at.is_nil() {
                    self.of.note_length(items.len());
                }
                self.note_list(&items, at);
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
                if let (true, Some(text)) = (node.is_text, node.literals.first()) {
                    self.of.texts.extend(text.as_text().map(str::to_owned));
                }
                self.of.add(node)
            }
        }
    }

    /// Records texts written as lists of letters, as in grammar rules, and lists that inputs may have to
    /// equal.
    fn note_list(&mut self, items: &[Value], tail: Value) {
        let letter = |it: &Value| {
            let it = self.heap.deref(*it);
            let code = it.as_int().and_then(|it| char::from_u32(u32::try_from(it).ok()?));
            let name = it.as_atom().map(|it| self.machine.atoms.text(it));
            let name = name.filter(|it| it.chars().count() == 1).and_then(|it| it.chars().next());
            code.filter(|it| matches!(it, ' '..='~')).or(name)
        };
        let signs = items.iter().filter_map(letter).filter(|it| !it.is_alphanumeric());
        self.of.signs.extend(signs.collect::<Vec<_>>());
        // Consecutive texts are the words of a sentence.
        let is_text = |it: &&Value| matches!(self.heap.deref(**it).view(), View::Text(_));
        let words = items.iter().take_while(is_text);
        let words: Vec<String> = words
            .filter_map(|it| term_of(self.heap, &self.machine.atoms, *it))
            .filter_map(|it| it.as_text().map(str::to_owned))
            .collect();
        if 1 < words.len() {
            self.of.texts.push(words.join(" "));
        }
        // So may consecutive atoms be.
        let names = items.iter().map_while(|it| self.heap.deref(*it).as_atom());
        let names: Vec<&str> = names.map(|it| self.machine.atoms.text(it)).collect();
        if names.iter().any(|it| 1 < it.len()) {
            let names = names.join(" ");
            self.of.texts.push(names);
        }
        let text: Option<String> = items.iter().map(letter).collect();
        if let Some(text) = text.filter(|it| 1 < it.len()) {
            self.of.texts.push(text);
        }
        let items: Option<Vec<Term>> =
            items.iter().map(|it| term_of(self.heap, &self.machine.atoms, *it)).collect();
        let is_ground = |it: &Term| !it.has_part(|it| matches!(it, Term::Ref(_)));
        let items = items.filter(|it| 2 < it.len() && it.iter().all(is_ground) && tail.is_nil());
        if let Some(items) = items.filter(|_| self.of.lists.len() < MAX_LISTS) {
            self.of.lists.push(Term::proper_list(items));
        }
    }

    fn goal(&mut self, goal: Value) {
        let goal = self.heap.deref(goal);
        if goal.is_var() {
            self.closure(goal, &[]);
            return;
        }
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
            ("\\+" | "once" | "ignore" | "not" | "forall", _) | ("call", 1) => {
                for n in 0..arity {
                    self.goal(arg(n));
                }
            }
            ("catch", 3) => {
                self.goal(arg(0));
                self.goal(arg(2));
            }
            ("call", _) => {
                let more: Vec<NodeId> = (1..arity).map(|n| self.term(arg(n))).collect();
                self.closure(arg(0), &more);
            }
            ("maplist" | "include" | "exclude" | "partition" | "foldl", 2..) => {
                self.over_lists(name, goal, arity);
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
            ("is" | "=:=" | "=\\=" | "<" | ">" | "=<" | ">=", 2)
            | ("#=" | "#\\=" | "#<" | "#>" | "#=<" | "#>=" | "in", 2) => {
                self.number(arg(0));
                self.number(arg(1));
            }
            ("#<==>" | "#==>" | "#<==" | "#\\/" | "#/\\" | "#\\", 1 | 2) => {
                for n in 0..arity {
                    let part = self.heap.deref(arg(n));
                    if part.is_var() { self.number(part) } else { self.goal(part) }
                }
            }
            ("ins", 2) => {
                let (list, item) = (self.term(arg(0)), self.of.add(Node::default()));
                self.of.edit(item, |it| it.is_integer = true);
                let integers = self.of.list_of(item);
                self.of.union(list, integers);
                self.number(arg(1));
            }
            ("functor" | "arg", 3) | ("=..", 2) => self.taken_apart(name, goal),
            ("format", 2 | 3) => self.directives(arg(arity - 2), arg(arity - 1)),
            ("foreach", 2) => {
                self.goal(arg(0));
                self.goal(arg(1));
            }
            ("findall" | "bagof" | "setof" | "aggregate_all" | "aggregate", 3) => {
                self.goal(arg(1));
                if name.starts_with("aggregate") {
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

    /// Handles `functor/3`, `arg/3` and `=../2`: the term is a compound of any name.
    fn taken_apart(&mut self, by: &str, goal: Value) {
        let arg = |n: usize| self.heap.arg(goal, n);
        match by {
            "functor" => {
                let n_args = self.heap.deref(arg(2)).as_int().map(usize::try_from);
                match n_args {
                    Some(Ok(n_args)) if n_args < MOST_ARGUMENTS => {
                        let args = (0..n_args).map(|_| self.of.add(Node::default())).collect();
                        self.opened(arg(0), arg(1), &[args]);
                    }
                    Some(Ok(_) | Err(_)) => {}
                    None => self.opened_like(arg(0), arg(1), &[], None),
                }
            }
            "arg" => {
                let (n, item) = (self.heap.deref(arg(0)).as_int(), self.term(arg(2)));
                let n = n.and_then(|it| usize::try_from(it).ok()).unwrap_or(1);
                let mut known: Vec<NodeId> =
                    (1..n.min(MAX_OPENED)).map(|_| self.of.add(Node::default())).collect();
                known.push(item);
                let (node, name) = (self.term(arg(1)), self.of.add(Node::default()));
                self.opened_nodes(node, name, &[known]);
            }
            _ => {
                let (parts, end) = self.heap.list_items(arg(1));
                let Some((name, parts)) = parts.split_first() else { return };
                let known: Vec<NodeId> = parts.iter().map(|it| self.term(*it)).collect();
                if end == ListEnd::Nil {
                    return self.opened(arg(0), *name, &[known]);
                }
                let item = self.of.add(Node::default());
                let rest = self.of.list_of(item);
                let mut tail = self.heap.deref(arg(1));
                while tail.is_cons() {
                    tail = self.heap.arg(tail, 1);
                }
                let tail = self.term(tail);
                self.of.union(rest, tail);
                self.opened_like(arg(0), *name, &known, Some(item));
            }
        }
    }

    /// Records a compound of any name with these arguments and up to two more.
    fn opened_like(&mut self, term: Value, name: Value, known: &[NodeId], more: Option<NodeId>) {
        let more = more.unwrap_or_else(|| self.of.add(Node::default()));
        let with = |n: usize| known.iter().copied().chain(std::iter::repeat_n(more, n)).collect();
        let args: Vec<Vec<NodeId>> = (0..=2).map(with).collect();
        self.opened(term, name, &args);
    }

    /// Records a compound of any name with one of these lists of arguments.
    fn opened(&mut self, term: Value, name: Value, args: &[Vec<NodeId>]) {
        let (node, name) = (self.term(term), self.term(name));
        self.opened_nodes(node, name, args);
    }

    fn opened_nodes(&mut self, node: NodeId, name: NodeId, args: &[Vec<NodeId>]) {
        for args in args.iter().filter(|it| !it.is_empty()) {
            let compound =
                self.of.add(Node { opened: vec![(name, args.clone())], ..Node::default() });
            self.of.union(node, compound);
        }
    }

    /// Records a call of a closure with additional arguments.
    fn closure(&mut self, closure: Value, more: &[NodeId]) {
        let closure = self.heap.deref(closure);
        if closure.is_var() {
            let node = self.term(closure);
            let called = self.of.add(Node { goals: vec![more.to_vec()], ..Node::default() });
            self.of.union(node, called);
            return;
        }
        let Some((name, n_own)) = self.heap.name_arity(closure, &self.machine.atoms) else {
            return;
        };
        let name = self.machine.atoms.text(name);
        match (name, n_own) {
            (":", 2) => return self.closure(self.heap.arg(closure, 1), more),
            // The parameters of a lambda, its body, and the arguments beyond the parameters.
            (">>", 2) => {
                let mut params = self.heap.arg(closure, 0);
                if self.heap.name_arity(params, &self.machine.atoms).is_some_and(|it| it.1 == 2)
                    && !params.is_cons()
                {
                    params = self.heap.arg(params, 1);
                }
                let params = self.heap.list_items(params).0;
                for (param, given) in params.iter().zip(more) {
                    let node = self.term(*param);
                    self.of.union(node, *given);
                }
                let rest = more.get(params.len()..).unwrap_or_default();
                let body = self.heap.arg(closure, 1);
                return if rest.is_empty() { self.goal(body) } else { self.closure(body, rest) };
            }
            _ => {}
        }
        let module = self.machine.db.get(self.pred).module;
        let is_it = |it: &&(PredId, String, usize)| {
            it.1 == name && it.2 == n_own + more.len() && self.machine.db.get(it.0).module == module
        };
        let callee = self.of.preds.iter().find(is_it).map(|it| it.0);
        let mut nodes: Vec<NodeId> =
            (0..n_own).map(|n| self.term(self.heap.arg(closure, n))).collect();
        nodes.extend(more);
        match callee {
            Some(callee) => {
                for (n, node) in nodes.into_iter().enumerate() {
                    let place = self.of.arg(callee, n);
                    self.of.union(place, node);
                }
            }
            None => self.wanted(name, &nodes),
        }
    }

    /// Handles `maplist/2..` and similar predicates: the closure is called with the items of the lists.
    fn over_lists(&mut self, name: &str, goal: Value, arity: usize) {
        let n_lists = match name {
            "maplist" => arity - 1,
            "foldl" => arity.saturating_sub(3),
            _ => 1,
        };
        let mut more = Vec::new();
        for n in 1..=n_lists {
            let item = self.of.add(Node::default());
            let list = self.of.list_of(item);
            let node = self.term(self.heap.arg(goal, n));
            self.of.union(list, node);
            more.push(item);
        }
        for n in n_lists + 1..arity {
            let node = self.term(self.heap.arg(goal, n));
            match (name, more.first()) {
                // The results are lists of items of the first list.
                ("include" | "exclude" | "partition", Some(item)) if arity < 6 => {
                    let list = self.of.list_of(*item);
                    self.of.union(list, node);
                }
                ("foldl", _) => more.push(node),
                _ => {}
            }
        }
        if name == "foldl"
            && let [.., from, to] = more.as_slice()
        {
            self.of.union(*from, *to);
        }
        self.closure(self.heap.arg(goal, 0), &more);
    }

    /// Applies the argument types that a builtin or library predicate demands.
    fn builtin(&mut self, name: &str, goal: Value, arity: usize) {
        let nodes: Vec<NodeId> = (0..arity).map(|n| self.term(self.heap.arg(goal, n))).collect();
        if let ("length" | "atom_length" | "string_length", 2) = (name, arity)
            && let Some(n) = self.heap.deref(self.heap.arg(goal, 1)).as_int()
        {
            self.of.note_length(usize::try_from(n).unwrap_or(0));
        }
        self.wanted(name, &nodes);
    }

    /// Applies the argument types that the directives of a format text demand.
    fn directives(&mut self, format: Value, args: Value) {
        let format = self.heap.deref(format);
        let text = match format.view() {
            View::Atom(name) => self.machine.atoms.text(name).to_owned(),
            View::Text(_) => match self.heap.blob(format) {
                Blob::Text(text) => text.to_string(),
                Blob::Big(_) | Blob::Rational(_) => return,
            },
            View::Var(_)
            | View::Int(_)
            | View::Big(_)
            | View::Rational(_)
            | View::Float(_)
            | View::Struct(..) => return,
        };
        let args = self.heap.deref(args);
        let args = if args.is_cons() { self.heap.list_items(args).0 } else { vec![args] };
        let mut args = args.into_iter();
        let mut letters = text.chars();
        while letters.by_ref().any(|it| it == '~') {
            // Skip a directive's column argument, fill character or repeat count.
            let mut letter = letters.next();
            if letter == Some('`') {
                letter = letters.nth(1);
            }
            while let Some(c) = letter
                && (c.is_ascii_digit() || c == '*')
            {
                if c == '*' {
                    args.next();
                }
                letter = letters.next();
            }
            let what = match letter {
                Some('d' | 'D' | 'c' | 'e' | 'f' | 'g' | 'r' | 'R') => Some("integer"),
                Some('a') => Some("atom"),
                Some('w' | 'p' | 'q' | 's' | 'i' | '@') => None,
                _ => continue,
            };
            let Some(arg) = args.next() else { return };
            let node = self.term(arg);
            if let Some(what) = what {
                self.wanted(what, &[node]);
            }
        }
    }

    fn wanted(&mut self, name: &str, nodes: &[NodeId]) {
        let fits = |it: &&(&str, &str)| it.0 == name && it.1.len() == nodes.len();
        let Some((_, wanted)) = WANTED.iter().find(fits) else { return };
        let item = self.of.add(Node::default());
        for (what, node) in wanted.chars().zip(nodes) {
            let node = *node;
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
                'A' => self.of.edit(node, |it| it.made = Some(Maker::Assoc)),
                'T' => self.of.edit(node, |it| it.made = Some(Maker::RedBlack)),
                'H' => self.of.edit(node, |it| it.made = Some(Maker::Heap)),
                'G' => self.of.edit(node, |it| it.made = Some(Maker::Graph)),
                'c' => self.of.edit(node, |it| it.is_letter = true),
                'x' => self.of.union(item, node),
                'C' => {
                    let letter = self.of.add(Node { is_letter: true, ..Node::default() });
                    let list = self.of.list_of(letter);
                    self.of.union(list, node);
                }
                'S' => {
                    let text = self.of.add(Node { is_text: true, ..Node::default() });
                    let list = self.of.list_of(text);
                    self.of.union(list, node);
                }
                'P' => {
                    let parts = vec![self.of.add(Node::default()), self.of.add(Node::default())];
                    let pair = Node { compounds: vec![("-".to_owned(), parts)], ..Node::default() };
                    let pair = self.of.add(pair);
                    let list = self.of.list_of(pair);
                    self.of.union(list, node);
                }
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
