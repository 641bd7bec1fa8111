//! The structure solver: constructs the input that the constraints ask for, then chooses values.
//!
//! It combines unification over sets of kinds, bounds in the order of terms, and types. What propagation leaves
//! undecided is searched by case distinction, near the hint first. The answer is `Unsat` only if the search was
//! exhaustive.

mod bits;
mod candidates;
mod cuts;
mod define;
mod digits;
mod excluded;
mod facts;
mod funs;
mod inverse;
mod limits;
mod made;
mod maps;
mod narrow;
mod numbers;
mod ordering;
mod range;
mod residue;
mod search;
mod settle;
mod sizes;
mod state;
mod texts;
mod typed;
mod typing;
mod unify;
mod value;

use self::search::Search;
use self::state::{Consistency, Contradiction, NodeId, Shape, State};
use self::typing::{Typed, Typing};
use self::value::Value;
use crate::climb::climb;
use crate::numbers::Numbers;
use crate::{Answer, Query, Reason, Solver};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use term::{Expr, ExprId, Exprs, Kinds, Model, Op, Var};

#[derive(Debug)]
pub struct Structure<N> {
    /// Solves the numeric problems for which the first search finds no values.
    pub numbers: N,
    /// A flag that the owner of the clock sets; the current query is then given up.
    pub halt: Arc<AtomicBool>,
}

/// How many numeric problems may be given up in one query: a hard problem mostly stays hard with one more number fixed.
const PATIENCE: usize = 2;

/// How many branches are searched without the numeric solver, and with it.
const MAX_BRANCHES: [usize; 2] = [60, 200];

/// How many branches may fail by propagation alone.
const MAX_DEAD: usize = 400;

/// How many expressions the local search evaluates, when numbers are pending and as a last resort.
const CLIMB_WORK: [usize; 2] = [200_000, 100_000];

impl<N: Numbers> Structure<N> {
    pub fn new(numbers: N) -> Structure<N> {
        Structure { numbers, halt: Arc::default() }
    }
}

impl<N: Numbers> Solver for Structure<N> {
    fn solve(&mut self, query: &Query<'_>) -> Answer {
        let typing = Typing::new(&query.domain.types);
        match construct(query, &typing, &mut self.numbers, &self.halt) {
            Found::Model(model) => Answer::Sat(model),
            Found::Nothing => Answer::Unsat,
            Found::GaveUp => Answer::Unknown(Reason::TooHard),
        }
    }
}

enum Found {
    Model(Model),
    /// There is no model.
    Nothing,
    GaveUp,
}

fn construct<'q>(
    query: &Query<'q>,
    typing: &'q Typing<'q>,
    numbers: &mut dyn Numbers,
    halt: &AtomicBool,
) -> Found {
    if halt.load(Ordering::Relaxed) {
        return Found::GaveUp;
    }
    let mut builder = Builder {
        exprs: query.exprs,
        state: State::new(typing),
        nodes: FxHashMap::default(),
        vars: Vec::new(),
    };
    let closed = |builder: &Builder<'q>| {
        if builder.state.typing.is_cut.get() { Found::GaveUp } else { Found::Nothing }
    };
    if builder.build(query).is_err() {
        return closed(&builder);
    }
    let Builder { mut state, vars, .. } = builder;
    state.max_nodes = state.n_nodes() * 2 + 1000;
    let mut search = Search {
        left: MAX_BRANCHES[0],
        dead: MAX_DEAD,
        is_incomplete: false,
        vars: &vars,
        halt,
        numbers: None,
        patience: 0,
    };
    // The first search chooses numbers by guessing: the numeric solver costs a hundred times more.
    if let Some(model) = search.run(state.clone()) {
        return Found::Model(model);
    }
    let is_open = search.is_incomplete || typing.is_cut.get();
    let mut may_climb = is_open;
    let climb = |work| climb(query, work, halt).filter(|it| is_member(query, it));
    if is_open && (state.residue().is_some() || state.has_alternatives()) {
        // For linear problems the numeric solver is faster than local search.
        if !state.residue().is_some_and(|it| it.problem.is_linear()) {
            may_climb = false;
            if let Some(model) = climb(CLIMB_WORK[0]) {
                return Found::Model(model);
            }
        }
        search = Search {
            left: MAX_BRANCHES[1],
            dead: MAX_DEAD,
            is_incomplete: false,
            vars: &vars,
            halt,
            numbers: Some(numbers),
            patience: PATIENCE,
        };
        typing.is_cut.set(false);
        if let Some(model) = search.run(state) {
            return Found::Model(model);
        }
    }
    let is_incomplete = search.is_incomplete || typing.is_cut.get();
    if is_incomplete
        && may_climb
        && let Some(model) = climb(CLIMB_WORK[1])
    {
        return Found::Model(model);
    }
    if is_incomplete { Found::GaveUp } else { Found::Nothing }
}

/// Whether the values of the model are members of the domain.
fn is_member(query: &Query<'_>, model: &Model) -> bool {
    query.domain.has(&model.values.values().cloned().collect::<Vec<_>>())
}

/// Builds the nodes for the expressions of a query.
struct Builder<'q> {
    exprs: &'q Exprs,
    state: State<'q>,
    nodes: FxHashMap<ExprId, NodeId>,
    vars: Vec<(Var, NodeId)>,
}

impl<'q> Builder<'q> {
    fn build(&mut self, query: &Query<'q>) -> Consistency {
        for (var, term) in &query.hint.values {
            let node = self.var(*var);
            self.state.change(node).hint = Some(Value::Ref(term));
        }
        if let Some(args) = query.domain.args {
            let parts: Vec<NodeId> = self.vars.iter().map(|it| it.1).collect();
            let root = self.state.add_shape(Kinds::TUPLE, Shape::Tuple(parts.into()));
            self.state.add_type(root, Typed::Id(args))?;
        }
        query.constraints.iter().try_for_each(|it| self.require(it.expr, it.holds))
    }

    fn var(&mut self, var: Var) -> NodeId {
        if let Some((_, node)) = self.vars.iter().find(|it| it.0 == var) {
            return *node;
        }
        let node = self.state.add(Kinds::ALL);
        self.vars.push((var, node));
        node
    }

    fn require(&mut self, expr: ExprId, holds: bool) -> Consistency {
        let mut todo = vec![(expr, holds)];
        while let Some((expr, holds)) = todo.pop() {
            match self.exprs.get(expr) {
                Some(Expr::Apply(Op::Not, args)) => {
                    todo.extend(args.iter().map(|it| (*it, !holds)));
                }
                Some(Expr::Apply(op, args))
                    if (*op, holds) == (Op::And, true) || (*op, holds) == (Op::Or, false) =>
                {
                    todo.extend(args.iter().rev().map(|it| (*it, holds)));
                }
                Some(Expr::Apply(op, args)) if op.is_test() => {
                    let nodes: Vec<NodeId> =
                        args.iter().map(|it| self.node(*it)).collect::<Result<_, _>>()?;
                    self.state.narrow_operands(*op, &nodes)?;
                    self.state.require(*op, &nodes, holds)?;
                }
                _ => {
                    let node = self.node(expr)?;
                    self.state.bind(node, &Value::truth(holds))?;
                }
            }
        }
        Ok(())
    }

    /// Returns the node of an expression. Iterative, since nested `tail` operators are as deep as a list is long.
    fn node(&mut self, expr: ExprId) -> Result<NodeId, Contradiction> {
        if let Some(node) = self.nodes.get(&expr) {
            return Ok(*node);
        }
        let mut todo = vec![expr];
        while let Some(id) = todo.last().copied() {
            let before = todo.len();
            let node = match self.exprs.get(id).ok_or(Contradiction)? {
                Expr::Var(var) => self.var(*var),
                Expr::Const(term) => self.state.literal(Value::Ref(term)),
                Expr::Apply(op, args) => {
                    todo.extend(args.iter().filter(|it| !self.nodes.contains_key(it)));
                    if todo.len() > before {
                        continue;
                    }
                    let nodes: Option<Vec<NodeId>> =
                        args.iter().map(|it| self.nodes.get(it).copied()).collect();
                    self.state.define(*op, &nodes.ok_or(Contradiction)?)?
                }
            };
            self.nodes.insert(id, node);
            todo.pop();
        }
        self.nodes.get(&expr).copied().ok_or(Contradiction)
    }
}
