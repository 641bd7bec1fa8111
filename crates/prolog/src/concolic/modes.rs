//! Which arguments of a predicate are results, by how its clauses use them.
//!
//! An argument is taken for a result if every clause gives it a value: from its other arguments, or
//! by goals that have results. Only the last arguments, and never the first, are.

use crate::code::{ClauseId, Kind, PredId};
use crate::concolic::infer::Inference;
use crate::concolic::unit::Arg;
use crate::data::{Heap, Value, View};
use crate::machine::Machine;
use rustc_hash::{FxHashMap, FxHashSet};

/// Arguments of builtins and of the library that are results, from 0.
const RESULTS: &[(&str, usize, &[usize])] = &[
    ("is", 2, &[0]),
    ("=", 2, &[0, 1]),
    ("findall", 3, &[2]),
    ("bagof", 3, &[2]),
    ("setof", 3, &[2]),
    ("aggregate_all", 3, &[2]),
    ("length", 2, &[1]),
    ("append", 3, &[2]),
    ("append", 2, &[1]),
    ("reverse", 2, &[1]),
    ("msort", 2, &[1]),
    ("sort", 2, &[1]),
    ("sort", 4, &[3]),
    ("keysort", 2, &[1]),
    ("predsort", 3, &[2]),
    ("nth0", 3, &[2]),
    ("nth1", 3, &[2]),
    ("member", 2, &[0]),
    ("memberchk", 2, &[0]),
    ("select", 3, &[0, 2]),
    ("delete", 3, &[2]),
    ("subtract", 3, &[2]),
    ("intersection", 3, &[2]),
    ("union", 3, &[2]),
    ("list_to_set", 2, &[1]),
    ("sort", 3, &[2]),
    ("sum_list", 2, &[1]),
    ("sumlist", 2, &[1]),
    ("max_list", 2, &[1]),
    ("min_list", 2, &[1]),
    ("numlist", 3, &[2]),
    ("last", 2, &[1]),
    ("between", 3, &[2]),
    ("succ", 2, &[1]),
    ("plus", 3, &[2]),
    ("functor", 3, &[1, 2]),
    ("arg", 3, &[2]),
    ("=..", 2, &[1]),
    ("copy_term", 2, &[1]),
    ("atom_codes", 2, &[1]),
    ("atom_chars", 2, &[1]),
    ("atom_length", 2, &[1]),
    ("atom_number", 2, &[1]),
    ("atom_string", 2, &[1]),
    ("atom_concat", 3, &[2]),
    ("atomic_list_concat", 2, &[1]),
    ("atomic_list_concat", 3, &[2]),
    ("number_codes", 2, &[1]),
    ("string_concat", 3, &[2]),
    ("string_chars", 2, &[1]),
    ("string_codes", 2, &[1]),
    ("string_length", 2, &[1]),
    ("split_string", 4, &[3]),
    ("string_to_atom", 2, &[1]),
    ("upcase_atom", 2, &[1]),
    ("string_upper", 2, &[1]),
    ("format", 3, &[0]),
    ("maplist", 3, &[2]),
    ("maplist", 4, &[3]),
    ("foldl", 4, &[3]),
    ("include", 3, &[2]),
    ("exclude", 3, &[2]),
    ("partition", 4, &[2, 3]),
    ("permutation", 2, &[1]),
    ("exclude", 3, &[2]),
    ("pairs_keys_values", 3, &[0]),
    ("pairs_values", 2, &[1]),
    ("pairs_keys", 2, &[1]),
    ("nb_getval", 2, &[1]),
    ("b_getval", 2, &[1]),
    ("phrase", 3, &[2]),
    ("call", 2, &[1]),
    ("call", 3, &[2]),
    ("call", 4, &[3]),
    ("clause", 2, &[1]),
    ("compare", 3, &[0]),
];

impl Inference {
    /// How a predicate is called if nobody says it.
    pub fn modes(&self, machine: &Machine, pred: PredId) -> Vec<Arg> {
        let inputs = inputs(machine);
        let arity = machine.db.get(pred).arity as usize;
        let clauses = machine.db.clauses_of(pred);
        let mut first = arity;
        // Each alone may be a result of the others; together they must be results of the rest.
        while 1 < first
            && (first - 1..arity).all(|n| {
                let given: Vec<usize> = (0..first - 1).collect();
                clauses.iter().all(|it| gives(machine, pred, *it, n, &given, &inputs))
            })
        {
            first -= 1;
        }
        (0..arity).map(|n| if n < first { Arg::Input } else { Arg::Result }).collect()
    }
}

/// Arguments that are no results, of all predicates under test.
fn inputs(machine: &Machine) -> FxHashSet<(PredId, usize)> {
    let mut preds: Vec<PredId> = machine.db.marks.iter().map(|it| it.pred).collect();
    preds.sort_unstable();
    preds.dedup();
    let mut res: FxHashSet<(PredId, usize)> = FxHashSet::default();
    loop {
        let before = res.len();
        for pred in &preds {
            let arity = machine.db.get(*pred).arity as usize;
            for clause in machine.db.clauses_of(*pred) {
                for n in 0..arity {
                    let given: Vec<usize> = (0..arity).filter(|it| *it != n).collect();
                    if !res.contains(&(*pred, n))
                        && !gives(machine, *pred, clause, n, &given, &res)
                    {
                        res.insert((*pred, n));
                    }
                }
            }
        }
        if res.len() == before {
            return res;
        }
    }
}

/// Whether the clause gives its n-th argument a value, if the given ones have one.
fn gives(
    machine: &Machine,
    pred: PredId,
    clause: ClauseId,
    n: usize,
    given: &[usize],
    inputs: &FxHashSet<(PredId, usize)>,
) -> bool {
    let mut heap = Heap::default();
    let term = machine.db.clause(clause).term.load(&mut heap);
    let (head, body) = (heap.arg(term, 0), heap.arg(term, 1));
    let mut walk =
        Walk { machine, heap: &heap, inputs, pred, uses: FxHashMap::default(), bound: vec![] };
    for other in given {
        walk.bind(heap.arg(head, *other));
    }
    walk.goal(body);
    variables(&heap, machine, heap.arg(head, n)).iter().all(|it| {
        walk.bound.contains(it) && walk.uses.get(it).is_none_or(|is_result| *is_result)
    })
}

struct Walk<'a> {
    machine: &'a Machine,
    heap: &'a Heap,
    inputs: &'a FxHashSet<(PredId, usize)>,
    pred: PredId,
    /// By variable: whether its first use in the body gives it a value.
    uses: FxHashMap<usize, bool>,
    bound: Vec<usize>,
}

impl Walk<'_> {
    fn bind(&mut self, term: Value) {
        for at in variables(self.heap, self.machine, term) {
            if !self.bound.contains(&at) {
                self.bound.push(at);
                self.uses.insert(at, true);
            }
        }
    }

    fn goal(&mut self, goal: Value) {
        let goal = self.heap.deref(goal);
        let View::Struct(functor, _) = goal.view() else { return };
        let (name, arity) = self.machine.atoms.name_arity(functor);
        let name = self.machine.atoms.text(name);
        match (name, arity) {
            ("," | ";" | "->" | "*->" | "|", 2) => {
                self.goal(self.heap.arg(goal, 0));
                self.goal(self.heap.arg(goal, 1));
                return;
            }
            ("\\+" | "not" | "once" | "ignore" | "forall", _) | ("call", 1) => {
                (0..arity).for_each(|n| self.goal(self.heap.arg(goal, n)));
                return;
            }
            ("catch", 3) => {
                self.bind(self.heap.arg(goal, 1));
                self.goal(self.heap.arg(goal, 0));
                self.goal(self.heap.arg(goal, 2));
                return;
            }
            ("phrase", 2 | 3) => {
                self.grammar(goal, arity);
                return;
            }
            (":", 2) => {
                self.goal(self.heap.arg(goal, 1));
                return;
            }
            _ => {}
        }
        let module = self.machine.db.get(self.pred).module;
        let own = self.machine.db.find(module, functor);
        let own = own.filter(|it| self.machine.db.get(*it).kind == Kind::Clauses);
        if let (None, View::Struct(_, at), "findall" | "bagof" | "setof" | "aggregate_all") =
            (own, goal.view(), name)
        {
            self.goal(self.heap.cell(at + 1));
        }
        let known = RESULTS.iter().find(|it| it.0 == name && it.1 == arity);
        for n in 0..arity {
            let is_result = match (own, known) {
                (Some(callee), _) => !self.inputs.contains(&(callee, n)),
                (None, Some((_, _, results))) => results.contains(&n),
                (None, None) => false,
            };
            self.note(self.heap.arg(goal, n), is_result);
        }
    }
}

impl Walk<'_> {
    /// A nonterminal is called with two arguments more.
    fn grammar(&mut self, goal: Value, arity: usize) {
        let rule = self.heap.arg(goal, 0);
        let own = self.machine.nonterminal(self.pred, self.heap, rule);
        if let (Some(callee), View::Struct(functor, at)) = (own, rule.view()) {
            for n in 0..self.machine.atoms.arity(functor) {
                let is_result = !self.inputs.contains(&(callee, n));
                self.note(self.heap.cell(at + n), is_result);
            }
        }
        self.note(self.heap.arg(goal, 1), false);
        if arity == 3 {
            self.note(self.heap.arg(goal, 2), true);
        }
    }

    fn note(&mut self, term: Value, is_result: bool) {
        for at in variables(self.heap, self.machine, term) {
            self.uses.entry(at).or_insert(is_result);
            if is_result && !self.bound.contains(&at) {
                self.bound.push(at);
            }
        }
    }
}

impl Machine {
    /// The predicate of a nonterminal in a predicate's module.
    pub(super) fn nonterminal(&self, from: PredId, heap: &Heap, rule: Value) -> Option<PredId> {
        let (name, arity) = heap.name_arity(rule, &self.atoms)?;
        let module = self.db.get(from).module;
        let fits = |it: &&crate::code::Pred| {
            it.name == name && it.arity as usize == arity + 2 && it.module == module
        };
        let functor = self.db.preds.iter().find(fits)?.functor;
        self.db.find(module, functor).filter(|it| self.db.get(*it).kind == Kind::Clauses)
    }
}

fn variables(heap: &Heap, machine: &Machine, term: Value) -> Vec<usize> {
    let mut res = Vec::new();
    let mut todo = vec![term];
    while let Some(next) = todo.pop() {
        let next = heap.deref(next);
        match next.view() {
            View::Var(at) => res.push(at),
            View::Struct(functor, at) => {
                todo.extend((0..machine.atoms.arity(functor)).map(|n| heap.cell(at + n)));
            }
            View::Int(_)
            | View::Big(_)
            | View::Rational(_)
            | View::Float(_)
            | View::Atom(_)
            | View::Text(_) => {}
        }
    }
    res
}
