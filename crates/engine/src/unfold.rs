//! The symbolic execution tree of a unit: every alternative of every choice within a depth, and whether inputs take it.
//!
//! `explore` searches for news; this module leaves nothing out. Each alternative is taken by an input, proved
//! infeasible, or marked as unknown.

use solve::{Answer, Query, Solver};
use std::collections::{BTreeMap, VecDeque};
use term::{Constraint, Domain, Exprs};
use trace::{Choice, Covered, Executor, ExecutorError, Input, Outcome, Run};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NodeId(pub usize);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EndId(pub usize);

/// What an alternative of a node leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Branch {
    /// The next choice.
    Node(NodeId),
    /// The end of a path.
    End(EndId),
    /// No input takes the alternative.
    Infeasible,
    Unknown(Doubt),
    /// The processes take their steps in an order that is equivalent to one explored elsewhere in the tree.
    Elsewhere,
    /// The alternative was not explored before the time was up.
    Open,
}

/// Why it is unknown whether an input takes an alternative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Doubt {
    /// The solver could not decide.
    TooHard,
    /// The run of the model took another path.
    Diverged,
}

/// A place of the tree where paths diverge.
#[derive(Clone, Debug)]
pub enum Fork {
    /// A choice that depends on the input.
    Choice(Choice),
    /// A scheduling choice: which of these steps is taken first.
    Turn(Vec<String>),
}

#[derive(Clone, Debug)]
pub struct Node {
    pub fork: Fork,
    /// One branch for each alternative.
    pub branches: Vec<Branch>,
    above: Option<(NodeId, usize)>,
    /// An input whose run reaches the node.
    input: Input,
}

impl Node {
    pub(crate) fn new(
        fork: Fork,
        branches: Vec<Branch>,
        above: Option<(NodeId, usize)>,
        input: Input,
    ) -> Node {
        Node { fork, branches, above, input }
    }
}

/// A process that failed while no other process was linked to it or monitored it.
#[derive(Clone, Debug)]
pub struct Failed {
    pub process: String,
    pub outcome: Outcome,
}

/// How one path ends.
#[derive(Clone, Debug)]
pub struct End {
    pub input: Input,
    pub outcome: Outcome,
    pub covered: Covered,
    /// How many choices of the path lie beyond the depth; their alternatives were not explored.
    pub n_beyond: usize,
    /// The steps of the processes, in a possible order.
    pub steps: Vec<String>,
    pub failed: Vec<Failed>,
}

impl End {
    pub(crate) fn new(input: Input, outcome: Outcome, covered: Covered) -> End {
        End { input, outcome, covered, n_beyond: 0, steps: Vec::new(), failed: Vec::new() }
    }
}

#[derive(Clone, Debug)]
pub struct Unfolded {
    pub nodes: Vec<Node>,
    pub ends: Vec<End>,
    pub root: Branch,
    /// What the symbolic half could not follow, and how often.
    pub losses: BTreeMap<String, usize>,
    pub n_runs: usize,
}

impl Default for Unfolded {
    fn default() -> Unfolded {
        let (nodes, ends, losses) = (Vec::new(), Vec::new(), BTreeMap::new());
        Unfolded { nodes, ends, root: Branch::Open, losses, n_runs: 0 }
    }
}

/// Counts of the branches of a tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    pub feasible: usize,
    pub infeasible: usize,
    pub unknown: usize,
    pub open: usize,
    /// Paths with choices beyond the depth.
    pub cut: usize,
}

impl Unfolded {
    pub fn summary(&self) -> Summary {
        let mut res = Summary { feasible: self.ends.len(), ..Summary::default() };
        for branch in self.nodes.iter().flat_map(|it| &it.branches) {
            match branch {
                Branch::Infeasible => res.infeasible += 1,
                Branch::Unknown(_) => res.unknown += 1,
                Branch::Open => res.open += 1,
                Branch::Node(_) | Branch::End(_) | Branch::Elsewhere => (),
            }
        }
        res.cut = self.ends.iter().filter(|it| it.n_beyond > 0).count();
        res
    }

    /// Whether the tree is complete: every branch was decided, no path goes beyond the depth, and nothing was lost.
    pub fn is_whole(&self) -> bool {
        let Summary { unknown, open, cut, .. } = self.summary();
        unknown + open + cut == 0 && self.losses.is_empty()
    }
}

/// Explores every alternative of the first `depth` choices of every path, until `watch` returns `true`.
pub fn unfold(
    executor: &mut dyn Executor,
    solver: &mut dyn Solver,
    domain: &Domain,
    seed: &Input,
    depth: usize,
    watch: &mut dyn FnMut(&Unfolded) -> bool,
) -> Result<Unfolded, ExecutorError> {
    let tree = Unfolded::default();
    let mut unfolding = Unfolding { tree, todo: VecDeque::new(), max_depth: depth };
    unfolding.run(executor, seed.clone())?;
    while let Some((node, alternative)) = unfolding.todo.pop_front() {
        if watch(&unfolding.tree) {
            break;
        }
        unfolding.turn(executor, solver, domain, node, alternative)?;
    }
    Ok(unfolding.tree)
}

struct Unfolding {
    tree: Unfolded,
    todo: VecDeque<(NodeId, usize)>,
    max_depth: usize,
}

impl Unfolding {
    /// Explores one alternative of a node.
    fn turn(
        &mut self,
        executor: &mut dyn Executor,
        solver: &mut dyn Solver,
        domain: &Domain,
        node: NodeId,
        alternative: usize,
    ) -> Result<(), ExecutorError> {
        let Some(known) = self.tree.nodes.get(node.0) else { return Ok(()) };
        if known.branches.get(alternative) != Some(&Branch::Open) {
            return Ok(());
        }
        let input = known.input.clone();
        let constraints = self.constraints(executor.exprs(), node, alternative);
        let hint = input.to_model();
        let exprs = executor.exprs();
        let query = Query { exprs, constraints: &constraints, hint: &hint, domain };
        let found = match solver.solve(&query) {
            Answer::Sat(model) => {
                self.run(executor, input.with(&model))?;
                let branch = self.branch(node, alternative);
                (branch == Some(Branch::Open)).then_some(Branch::Unknown(Doubt::Diverged))
            }
            Answer::Unsat => Some(Branch::Infeasible),
            Answer::Unknown(_) => Some(Branch::Unknown(Doubt::TooHard)),
        };
        if let Some(found) = found {
            self.set(Some((node, alternative)), found);
        }
        Ok(())
    }

    /// Returns the path constraint of the node with the alternative taken.
    fn constraints(&self, exprs: &mut Exprs, node: NodeId, alternative: usize) -> Vec<Constraint> {
        let mut path = Vec::new();
        let mut at = Some((node, alternative));
        while let Some((node, taken)) = at {
            let Some(node) = self.tree.nodes.get(node.0) else { break };
            if let Fork::Choice(choice) = &node.fork {
                path.push((choice, taken));
            }
            at = node.above;
        }
        let path = path.into_iter().rev();
        path.flat_map(|(choice, taken)| choice.constraints(exprs, taken)).collect()
    }

    fn run(&mut self, executor: &mut dyn Executor, input: Input) -> Result<(), ExecutorError> {
        let input = executor.completed(input);
        let Run { outcome, choices, losses, covered, .. } = executor.run(&input)?;
        self.tree.n_runs += 1;
        for loss in losses {
            *self.tree.losses.entry(loss.what).or_default() += 1;
        }
        let mut above = None;
        for choice in choices.iter().take(self.max_depth) {
            let node = match self.at(above) {
                Some(Branch::Node(node)) if self.is_choice(node, choice) => node,
                Some(Branch::Open) => self.add(above, choice, &input),
                // The run looked at something else after equal choices: the program depends on more than its choices
                // say.
                _ => return Ok(()),
            };
            above = Some((node, choice.taken));
        }
        if self.at(above) == Some(Branch::Open) {
            let n_beyond = choices.len().saturating_sub(self.max_depth);
            let end = EndId(self.tree.ends.len());
            self.tree.ends.push(End { n_beyond, ..End::new(input, outcome, covered) });
            self.set(above, Branch::End(end));
        }
        Ok(())
    }

    fn add(&mut self, above: Option<(NodeId, usize)>, choice: &Choice, input: &Input) -> NodeId {
        let id = NodeId(self.tree.nodes.len());
        let branches = vec![Branch::Open; choice.n_alternatives()];
        for alternative in (0..branches.len()).filter(|it| *it != choice.taken) {
            self.todo.push_back((id, alternative));
        }
        let (fork, input) = (Fork::Choice(choice.clone()), input.clone());
        self.tree.nodes.push(Node { fork, branches, above, input });
        self.set(above, Branch::Node(id));
        id
    }

    fn is_choice(&self, node: NodeId, choice: &Choice) -> bool {
        let known = self.tree.nodes.get(node.0).map(|it| &it.fork);
        matches!(known, Some(Fork::Choice(it)) if it.site == choice.site && it.looked == choice.looked)
    }

    fn at(&self, above: Option<(NodeId, usize)>) -> Option<Branch> {
        match above {
            None => Some(self.tree.root),
            Some((node, alternative)) => self.branch(node, alternative),
        }
    }

    fn branch(&self, node: NodeId, alternative: usize) -> Option<Branch> {
        self.tree.nodes.get(node.0)?.branches.get(alternative).copied()
    }

    fn set(&mut self, above: Option<(NodeId, usize)>, branch: Branch) {
        let slot = match above {
            None => Some(&mut self.tree.root),
            Some((node, alternative)) => {
                self.tree.nodes.get_mut(node.0).and_then(|it| it.branches.get_mut(alternative))
            }
        };
        if let Some(slot) = slot {
            *slot = branch;
        }
    }
}
