//! Infers the modes of a predicate: which arguments are results.
//!
//! An argument is a result if every clause binds it, computed from the other arguments or by goals with
//! results. Only the last arguments of a predicate can be results; the first one only if it is the only one
//! and no clause head inspects it.

use crate::code::{ClauseId, Kind, PredId};
use crate::concolic::infer::Inference;
use crate::concolic::program::head_and_body;
use crate::concolic::unit::Arg;
use crate::data::{AtomId, FunctorId, Heap, Value, View};
use crate::machine::Machine;
use rustc_hash::{FxHashMap, FxHashSet};

/// The arguments of builtins and library predicates that are results, counted from 0. Of several rows for a
/// predicate, the first one applies whose other arguments are all bound.
const RESULTS: &[(&str, usize, &[usize])] = &[
    ("is", 2, &[0]),
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
    ("atom_codes", 2, &[0, 1]),
    ("atom_chars", 2, &[0, 1]),
    ("atom_length", 2, &[1]),
    ("atom_number", 2, &[0, 1]),
    ("atom_string", 2, &[0, 1]),
    ("atom_concat", 3, &[2]),
    ("atomic_list_concat", 2, &[1]),
    ("atomic_list_concat", 3, &[2]),
    ("number_codes", 2, &[0, 1]),
    ("char_code", 2, &[0, 1]),
    ("string_concat", 3, &[2]),
    ("string_chars", 2, &[0, 1]),
    ("string_codes", 2, &[0, 1]),
    ("string_length", 2, &[1]),
    ("split_string", 4, &[3]),
    ("string_to_atom", 2, &[0, 1]),
    ("upcase_atom", 2, &[1]),
    ("string_upper", 2, &[1]),
    ("format", 3, &[0]),
    ("maplist", 3, &[2]),
    ("maplist", 4, &[3]),
    ("foldl", 4, &[3]),
    ("include", 3, &[2]),
    ("exclude", 3, &[2]),
    ("convlist", 3, &[2]),
    ("append", 3, &[0, 1]),
    ("nth0", 3, &[0, 2]),
    ("nth1", 3, &[0, 2]),
    ("nextto", 3, &[0, 1]),
    ("flatten", 2, &[1]),
    ("subseq", 3, &[1, 2]),
    ("clumped", 2, &[1]),
    ("partition", 6, &[3, 4, 5]),
    ("maplist", 6, &[5]),
    ("foldl", 7, &[6]),
    ("findnsols", 4, &[3]),
    ("term_variables", 2, &[1]),
    ("term_string", 2, &[0, 1]),
    ("atomics_to_string", 2, &[1]),
    ("char_type", 2, &[1]),
    ("code_type", 2, &[1]),
    ("get_char", 1, &[0]),
    ("get_time", 1, &[0]),
    ("date_time_stamp", 2, &[1]),
    ("stamp_date_time", 3, &[1]),
    ("parse_time", 2, &[1]),
    ("format_time", 3, &[0]),
    ("day_of_the_week", 2, &[1]),
    ("map_list_to_pairs", 3, &[2]),
    ("transpose_pairs", 2, &[1]),
    ("ord_symdiff", 3, &[2]),
    ("sum", 3, &[2]),
    ("scalar_product", 4, &[3]),
    ("partition", 4, &[2, 3]),
    ("permutation", 2, &[1]),
    ("pairs_keys_values", 3, &[0]),
    ("pairs_keys_values", 3, &[1, 2]),
    ("pairs_values", 2, &[1]),
    ("pairs_keys", 2, &[1]),
    ("nb_getval", 2, &[1]),
    ("b_getval", 2, &[1]),
    ("call", 2, &[1]),
    ("call", 3, &[2]),
    ("call", 4, &[3]),
    ("clause", 2, &[1]),
    ("compare", 3, &[0]),
    ("sub_atom", 5, &[1, 2, 3, 4]),
    ("sub_string", 5, &[1, 2, 3, 4]),
    ("number_chars", 2, &[0, 1]),
    ("number_string", 2, &[0, 1]),
    ("string_code", 3, &[2]),
    ("string_lower", 2, &[1]),
    ("downcase_atom", 2, &[1]),
    ("normalize_space", 2, &[0]),
    ("with_output_to", 2, &[0]),
    ("text_concat", 3, &[2]),
    ("text_to_string", 2, &[1]),
    ("term_to_atom", 2, &[0, 1]),
    ("list_to_ord_set", 2, &[1]),
    ("ord_union", 3, &[2]),
    ("ord_union", 2, &[1]),
    ("ord_subtract", 3, &[2]),
    ("ord_intersection", 3, &[2]),
    ("ord_add_element", 3, &[2]),
    ("ord_insert", 3, &[2]),
    ("ord_del_element", 3, &[2]),
    ("max_member", 2, &[0]),
    ("min_member", 2, &[0]),
    ("nth0", 4, &[2, 3]),
    ("nth1", 4, &[2, 3]),
    ("select", 4, &[3]),
    ("selectchk", 3, &[2]),
    ("maplist", 5, &[4]),
    ("foldl", 5, &[4]),
    ("foldl", 6, &[5]),
    ("aggregate_all", 4, &[3]),
    ("group_pairs_by_key", 2, &[1]),
    ("transpose", 2, &[1]),
    ("empty_assoc", 1, &[0]),
    ("list_to_assoc", 2, &[1]),
    ("ord_list_to_assoc", 2, &[1]),
    ("get_assoc", 3, &[2]),
    ("put_assoc", 4, &[3]),
    ("assoc_to_list", 2, &[1]),
    ("assoc_to_keys", 2, &[1]),
    ("assoc_to_values", 2, &[1]),
    ("max_assoc", 3, &[1, 2]),
    ("min_assoc", 3, &[1, 2]),
    ("del_assoc", 4, &[2, 3]),
    ("rb_new", 1, &[0]),
    ("rb_empty", 1, &[0]),
    ("rb_insert", 4, &[3]),
    ("rb_lookup", 3, &[1]),
    ("list_to_rbtree", 2, &[1]),
    ("rb_visit", 2, &[1]),
    ("rb_keys", 2, &[1]),
    ("empty_heap", 1, &[0]),
    ("add_to_heap", 4, &[3]),
    ("get_from_heap", 4, &[1, 2, 3]),
    ("list_to_heap", 2, &[1]),
    ("heap_to_list", 2, &[1]),
    ("vertices_edges_to_ugraph", 3, &[2]),
    ("top_sort", 2, &[1]),
    ("neighbours", 3, &[2]),
    ("neighbors", 3, &[2]),
    ("reachable", 3, &[2]),
    ("vertices", 2, &[1]),
    ("edges", 2, &[1]),
    ("divmod", 4, &[2, 3]),
    ("label", 1, &[0]),
    ("labeling", 2, &[1]),
    ("retract", 1, &[0]),
    ("read", 1, &[0]),
    ("read_term", 2, &[0]),
    // Grammars of the library; the last two arguments are the text before and after.
    ("number", 3, &[0, 2]),
    ("integer", 3, &[0, 2]),
    ("float", 3, &[0, 2]),
    ("digits", 3, &[0, 2]),
    ("digit", 3, &[0, 2]),
    ("xinteger", 3, &[0, 2]),
    ("xdigits", 3, &[0, 2]),
    ("string", 3, &[0, 2]),
    ("string_without", 4, &[1, 3]),
    ("blank", 2, &[1]),
    ("blanks", 2, &[1]),
    ("blanks_to_nl", 2, &[1]),
    ("white", 2, &[1]),
    ("whites", 2, &[1]),
    ("nonblank", 3, &[0, 2]),
    ("nonblanks", 3, &[0, 2]),
    ("csym", 3, &[0, 2]),
    ("csyms", 2, &[1]),
    ("prolog_symbol", 3, &[0, 2]),
    ("remainder", 3, &[0, 2]),
    ("sequence", 4, &[1, 3]),
    ("sequence", 5, &[2, 4]),
    ("sequence", 7, &[4, 6]),
];

impl Inference {
    /// Returns the modes of a predicate without a declaration.
    pub fn modes(&self, machine: &Machine, pred: PredId) -> Vec<Arg> {
        let mut table = ModeTable { machine, known: FxHashMap::default() };
        let arity = machine.db.get(pred).arity as usize;
        let mut first = arity;
        if 1 < arity && arity <= MAX_ARITY {
            let is_result = |table: &mut ModeTable<'_>, first: usize| {
                let given = (1 << first) - 1;
                table.results(pred, given) | given == (1 << arity) - 1
            };
            while 1 < first && is_result(&mut table, first - 1) {
                first -= 1;
            }
        }
        if arity == 1 && is_computed(machine, pred) && table.results(pred, 0) & 1 == 1 {
            first = 0;
        }
        (0..arity).map(|n| if n < first { Arg::Input } else { Arg::Result }).collect()
    }
}

/// Whether no clause inspects the only argument of the predicate in its head.
fn is_computed(machine: &Machine, pred: PredId) -> bool {
    machine.db.clauses_of(pred).into_iter().all(|clause| {
        let mut heap = Heap::default();
        let term = machine.db.clause(clause).term.load(&mut heap);
        let (head, body) = head_and_body(machine, &heap, term);
        heap.arg(head, 0).is_var() && !body.is_atom(AtomId::TRUE)
    })
}

/// The maximum arity of predicates whose modes are inferred; others are called with all arguments given.
const MAX_ARITY: usize = 30;

/// A set of arguments as a bit mask.
type Args = u32;

/// The arguments that are bound on success, by the set of arguments that are bound at the call. Computed as a
/// greatest fixpoint: starts with all arguments and removes those that some clause contradicts.
struct ModeTable<'a> {
    machine: &'a Machine,
    known: FxHashMap<(PredId, Args), Args>,
}

impl ModeTable<'_> {
    fn results(&mut self, pred: PredId, given: Args) -> Args {
        self.look_up(pred, given);
        loop {
            let before = self.known.clone();
            let mut keys: Vec<(PredId, Args)> = before.keys().copied().collect();
            keys.sort_unstable();
            for (pred, given) in keys {
                let mut results = self.look_up(pred, given);
                for clause in self.machine.db.clauses_of(pred) {
                    results &= self.of_clause(pred, clause, given);
                }
                self.known.insert((pred, given), results);
            }
            if self.known == before {
                return self.look_up(pred, given);
            }
        }
    }

    fn look_up(&mut self, pred: PredId, given: Args) -> Args {
        *self.known.entry((pred, given)).or_insert(Args::MAX & !given)
    }

    fn of_clause(&mut self, pred: PredId, clause: ClauseId, given: Args) -> Args {
        let machine = self.machine;
        let mut heap = Heap::default();
        let term = machine.db.clause(clause).term.load(&mut heap);
        let (head, body) = head_and_body(machine, &heap, term);
        let arity = (machine.db.get(pred).arity as usize).min(MAX_ARITY);
        let bound = FxHashSet::default();
        let used = FxHashSet::default();
        let mut walk =
            ModeWalk { table: self, heap: &heap, pred, head, bound, used, is_dead: false };
        for n in (0..arity).filter(|n| given >> n & 1 == 1) {
            walk.bind(heap.arg(head, n));
        }
        walk.goal(body);
        let ModeWalk { bound, used, is_dead, .. } = walk;
        if is_dead {
            // A clause without answers cannot leave an argument unbound.
            return Args::MAX & !given;
        }
        let mut res = 0;
        for n in (0..arity).filter(|n| given >> n & 1 == 0) {
            let variables = variables(&heap, machine, heap.arg(head, n));
            if variables.iter().all(|it| bound.contains(it) && !used.contains(it)) {
                res |= 1 << n;
            }
        }
        res
    }
}

struct ModeWalk<'t, 'a> {
    table: &'t mut ModeTable<'a>,
    heap: &'t Heap,
    pred: PredId,
    head: Value,
    /// Variables that are bound at the current goal.
    bound: FxHashSet<usize>,
    /// Variables that were needed before they were bound.
    used: FxHashSet<usize>,
    /// Whether the current goal cannot be reached, because an earlier one failed or threw.
    is_dead: bool,
}

impl ModeWalk<'_, '_> {
    fn variables(&self, term: Value) -> Vec<usize> {
        variables(self.heap, self.table.machine, term)
    }

    fn bind(&mut self, term: Value) {
        let variables = self.variables(term);
        self.bound.extend(variables);
    }

    fn want(&mut self, term: Value) {
        let variables = self.variables(term);
        self.used.extend(variables.into_iter().filter(|it| !self.bound.contains(it)));
    }

    fn is_bound(&self, term: Value) -> bool {
        self.variables(term).iter().all(|it| self.bound.contains(it))
    }

    fn goal(&mut self, goal: Value) {
        let machine = self.table.machine;
        let goal = self.heap.deref(goal);
        let View::Struct(functor, _) = goal.view() else {
            self.is_dead |= goal.is_atom(AtomId::FAIL) || goal.is_atom(AtomId::FALSE);
            return;
        };
        let (name, arity) = machine.atoms.name_arity(functor);
        let name = machine.atoms.text(name);
        let arg = |n: usize| self.heap.arg(goal, n);
        match (name, arity) {
            ("," | "->" | "*->", 2) => {
                self.goal(arg(0));
                self.goal(arg(1));
                return;
            }
            (";" | "|", 2) => {
                self.either(arg(0), arg(1));
                return;
            }
            ("once" | "ignore", 1) | ("call", 1) => {
                self.goal(arg(0));
                return;
            }
            ("\\+" | "not" | "forall", _) => {
                let before = self.bound.clone();
                (0..arity).for_each(|n| self.goal(self.heap.arg(goal, n)));
                self.bound = before;
                self.is_dead = false;
                return;
            }
            ("catch", 3) => {
                self.either(arg(0), arg(2));
                return;
            }
            (":", 2) => {
                self.goal(arg(1));
                return;
            }
            ("=", 2) => {
                for (a, b) in [(arg(0), arg(1)), (arg(1), arg(0))] {
                    if self.is_bound(a) {
                        self.bind(b);
                    }
                }
                return;
            }
            ("phrase", 2 | 3) => {
                self.grammar(goal, arity);
                return;
            }
            ("findall" | "bagof" | "setof" | "aggregate_all" | "aggregate", 3) => {
                self.goal(arg(1));
                self.is_dead = false;
                self.bind(arg(2));
                return;
            }
            ("throw", 1) => {
                self.is_dead = true;
                return;
            }
            // An unbound side is computed from the other one, now or later.
            ("#=", 2) => {
                let mut open = self.variables(goal);
                open.retain(|it| !self.bound.contains(it));
                open.sort_unstable();
                open.dedup();
                for side in [arg(0), arg(1)] {
                    if open.len() == 1 || side.is_var() {
                        self.bind(side);
                    }
                }
                return;
            }
            // A predicate that tests an argument with `var/1` has other clauses for the bound case.
            ("var", 1) => return,
            (
                "nonvar" | "atom" | "atomic" | "callable" | "compound" | "float" | "ground"
                | "integer" | "is_list" | "number" | "string",
                1,
            ) if !self.is_bound(arg(0)) && self.may_be_open(arg(0)) => {
                self.is_dead = true;
                return;
            }
            // Constraints are delayed until their variables are bound.
            ("#\\=" | "#<" | "#>" | "#=<" | "#>=" | "in" | "ins" | "dif", 2) => return,
            // If the text is bound, it is split at the separator.
            ("atomic_list_concat", 3) if self.is_bound(arg(2)) => {
                self.want(arg(1));
                self.bind(arg(0));
                return;
            }
            _ => {}
        }
        let module = machine.db.get(self.pred).module;
        let own = machine.db.find(module, functor);
        let own = own.filter(|it| machine.db.get(*it).kind == Kind::Clauses);
        match own {
            Some(callee) => {
                let args: Vec<Value> = (0..arity).map(arg).collect();
                self.call(callee, &args);
            }
            None => {
                let args: Vec<Value> = (0..arity).map(arg).collect();
                self.builtin(name, &args);
            }
        }
    }

    fn builtin(&mut self, name: &str, args: &[Value]) {
        let arity = args.len();
        let given: Vec<bool> = args.iter().map(|it| self.is_bound(*it)).collect();
        let is_given = |n: usize| given.get(n) == Some(&true);
        let known = RESULTS.iter().filter(|it| it.0 == name && it.1 == arity);
        let fits =
            |it: &&(_, usize, &[usize])| (0..arity).all(|n| it.2.contains(&n) || is_given(n));
        let found = known.clone().find(fits).or_else(|| known.clone().next());
        let results = found.map_or(&[][..], |it| it.2);
        // One of the two arguments is computed from the other one, which must be bound.
        let is_either = 1 < arity && results.len() == arity;
        if let Some(first) = args.first().filter(|_| is_either && !given.contains(&true)) {
            self.want(*first);
        }
        for (n, arg) in args.iter().enumerate() {
            if !results.contains(&n) {
                self.want(*arg);
            }
        }
        for (n, arg) in args.iter().enumerate() {
            if results.contains(&n) {
                self.bind(*arg);
            }
        }
    }

    /// Whether the value is a head argument that some clause tests with `var/1`.
    fn may_be_open(&self, of: Value) -> bool {
        let own = |n: &usize| self.heap.deref(self.heap.arg(self.head, *n)).same_word(of);
        let arity = self.table.machine.db.get(self.pred).arity as usize;
        (0..arity).find(own).is_some_and(|n| self.table.machine.asks_for_variable(self.pred, n))
    }

    fn call(&mut self, callee: PredId, args: &[Value]) {
        let mut given: Args = 0;
        for (n, arg) in args.iter().enumerate().take(MAX_ARITY) {
            given |= Args::from(self.is_bound(*arg)) << n;
        }
        let results = self.table.look_up(callee, given);
        for (n, arg) in args.iter().enumerate().take(MAX_ARITY) {
            if results >> n & 1 == 1 {
                self.bind(*arg);
            } else if given >> n & 1 == 0 {
                self.want(*arg);
            }
        }
    }

    /// Analyses a disjunction: a variable is bound afterwards if both branches bind it.
    fn either(&mut self, one: Value, other: Value) {
        let before = self.bound.clone();
        self.goal(one);
        let after = std::mem::replace(&mut self.bound, before);
        let is_one_dead = std::mem::take(&mut self.is_dead);
        self.goal(other);
        match (is_one_dead, self.is_dead) {
            (true, _) => {}
            (false, true) => {
                self.bound = after;
                self.is_dead = false;
            }
            (false, false) if one.is_callable() && other.is_callable() => {
                self.bound = self.bound.intersection(&after).copied().collect();
            }
            (false, false) => {}
        }
    }

    /// Analyses `phrase(Rule, Text)` and `phrase(Rule, Text, Rest)`.
    fn grammar(&mut self, goal: Value, arity: usize) {
        let after = if arity == 3 { self.heap.arg(goal, 2) } else { Value::NIL };
        self.rule(self.heap.arg(goal, 0), [self.heap.arg(goal, 1), after]);
    }

    /// Analyses a grammar body: a nonterminal is called with the text before and after it.
    fn rule(&mut self, rule: Value, texts: [Value; 2]) {
        let machine = self.table.machine;
        let rule = self.heap.deref(rule);
        let mut args = Vec::new();
        if let View::Struct(functor, _) = rule.view() {
            let (name, arity) = machine.atoms.name_arity(functor);
            args.extend((0..arity).map(|n| self.heap.arg(rule, n)));
            match (machine.atoms.text(name), args.as_slice()) {
                ("," | ";" | "|" | "->", [one, other]) => {
                    // The text between the two parts is bound when the second part is reached.
                    self.rule(*one, [texts[0], Value::NIL]);
                    return self.rule(*other, [Value::NIL, texts[1]]);
                }
                ("{}", [goal]) => return self.goal(*goal),
                _ => {}
            }
        }
        args.extend(texts);
        let Some((name, _)) = self.heap.name_arity(rule, &machine.atoms) else { return };
        match machine.nonterminal(self.pred, self.heap, rule) {
            Some(callee) => self.call(callee, &args),
            None => self.builtin(machine.atoms.text(name), &args),
        }
    }
}

impl Machine {
    /// Returns the predicate that implements a nonterminal in the module of another predicate.
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

impl Machine {
    /// Whether a clause of the predicate begins with `var/1` on its argument with index `n`.
    fn asks_for_variable(&self, pred: PredId, n: usize) -> bool {
        self.db.clauses_of(pred).into_iter().any(|clause| {
            let mut heap = Heap::default();
            let term = self.db.clause(clause).term.load(&mut heap);
            let (head, mut body) = head_and_body(self, &heap, term);
            while body.is_struct(FunctorId::AND) {
                body = heap.arg(body, 0);
            }
            let named = heap.name_arity(body, &self.atoms);
            let is_var = named.is_some_and(|it| it.1 == 1 && self.atoms.text(it.0) == "var");
            is_var && heap.arg(body, 0).same_word(heap.arg(head, n))
        })
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
