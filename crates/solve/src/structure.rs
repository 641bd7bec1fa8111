//! Solves by construction: the structure of the input that the constraints ask for, then values.
//!
//! Unification with sets of kinds, bounds in the order of terms and types; what is left is tried
//! near the hint. "Unsatisfiable" is said only if everything was tried.

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
use self::state::{Closed, NodeId, Shape, State, Step};
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
    /// Asked for numbers when trying has not found any.
    pub numbers: N,
    /// Set by whoever has a clock: what is being solved is given up.
    pub halt: Arc<AtomicBool>,
}

/// Numbers that are too hard once are mostly too hard again with one of them fixed.
const PATIENCE: usize = 2;

/// Branches tried without help, and with.
const MAX_BRANCHES: [usize; 2] = [60, 200];

/// Branches that end at once.
const MAX_DEAD: usize = 400;

/// Expressions evaluated in the search for numbers by trying, and for what nobody else can find.
const CLIMBING: [usize; 2] = [200_000, 100_000];

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
    /// There is none.
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
    // Whatever is numbers is tried first: asking costs a hundred times more.
    if let Some(model) = search.run(state.clone()) {
        return Found::Model(model);
    }
    let is_open = search.is_incomplete || typing.is_cut.get();
    let mut may_climb = is_open;
    let climb = |work| climb(query, work, halt).filter(|it| is_member(query, it));
    if is_open && (state.residue().is_some() || state.has_alternatives()) {
        // Where all is linear, whoever knows numbers is faster than trying.
        if !state.residue().is_some_and(|it| it.problem.is_linear()) {
            may_climb = false;
            if let Some(model) = climb(CLIMBING[0]) {
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
        && let Some(model) = climb(CLIMBING[1])
    {
        return Found::Model(model);
    }
    if is_incomplete { Found::GaveUp } else { Found::Nothing }
}

/// Whether the model is of the domain, as far as it says something.
fn is_member(query: &Query<'_>, model: &Model) -> bool {
    query.domain.has(&model.values.values().cloned().collect::<Vec<_>>())
}

/// Nodes for the expressions of a query.
struct Builder<'q> {
    exprs: &'q Exprs,
    state: State<'q>,
    nodes: FxHashMap<ExprId, NodeId>,
    vars: Vec<(Var, NodeId)>,
}

impl<'q> Builder<'q> {
    fn build(&mut self, query: &Query<'q>) -> Step {
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

    fn require(&mut self, expr: ExprId, holds: bool) -> Step {
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

    /// Without recursion: the tail of a tail is as deep as a list is long.
    fn node(&mut self, expr: ExprId) -> Result<NodeId, Closed> {
        if let Some(node) = self.nodes.get(&expr) {
            return Ok(*node);
        }
        let mut todo = vec![expr];
        while let Some(id) = todo.last().copied() {
            let before = todo.len();
            let node = match self.exprs.get(id).ok_or(Closed)? {
                Expr::Var(var) => self.var(*var),
                Expr::Const(term) => self.state.literal(Value::Ref(term)),
                Expr::Apply(op, args) => {
                    todo.extend(args.iter().filter(|it| !self.nodes.contains_key(it)));
                    if todo.len() > before {
                        continue;
                    }
                    let nodes: Option<Vec<NodeId>> =
                        args.iter().map(|it| self.nodes.get(it).copied()).collect();
                    self.state.define(*op, &nodes.ok_or(Closed)?)?
                }
            };
            self.nodes.insert(id, node);
            todo.pop();
        }
        self.nodes.get(&expr).copied().ok_or(Closed)
    }
}
