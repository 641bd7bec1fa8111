//! Emits `case`: first the decision tree that selects a clause, then the clauses' bodies.

use crate::code::{BitsPattern, Ins, PatternPart, Reg, Src, SwitchTable};
use crate::core::{Clause, Expr, ExprKind, Pattern, PatternSegment, VarId};
use crate::lower::emit::{Dst, Emitter, Label, Location};
use crate::lower::tree::{Branch, Head, Leaf, Row, Tree, TreeBuilder};
use term::Term;
use term::fit_u32;
use values::{Endian, SegmentSpec, SegmentType, Sign};

/// The context that all leaves of a decision tree share.
struct LeafContext<'a, 'd> {
    clauses: &'a [Clause],
    /// The clauses with more than one leaf, which are emitted once: where their code is and which registers hold their
    /// variables.
    shared: Vec<Option<SharedClause>>,
    dst: &'d Dst,
    join: Label,
}

struct SharedClause {
    label: Label,
    vars: Vec<(VarId, Reg)>,
}

impl<'a> Emitter<'_, 'a> {
    pub(super) fn case(&mut self, args: &'a [Expr], clauses: &'a [Clause], dst: &Dst) {
        let srcs = self.operand_list(args);
        let rows: Vec<Row<'a>> = clauses
            .iter()
            .enumerate()
            .map(|(n, clause)| Row::new(n, srcs.iter().copied().zip(&clause.patterns).collect()))
            .collect();
        let first = self.depth;
        // Clauses that no leaf selects are numbered too, because coverage counts them.
        for clause in clauses.iter().filter(|it| it.is_of_source) {
            self.clause_id(clause);
        }
        let tree = self.tree(&rows, clauses, first);
        let mut n_leaves = vec![0; clauses.len()];
        count_leaves(&tree, &mut n_leaves);

        let mut goal = LeafContext { clauses, shared: Vec::new(), dst, join: self.label() };
        let mut reserved = 0;
        for (clause, n_leaves) in clauses.iter().zip(&n_leaves) {
            if *n_leaves < 2 {
                goal.shared.push(None);
                continue;
            }
            let mut vars = Vec::new();
            clause.patterns.iter().for_each(|it| bound(it, &mut vars));
            vars.retain(|it| self.lowering.uses(*it) > 0);
            let regs = (first..).map(Reg);
            let vars: Vec<(VarId, Reg)> = vars.into_iter().zip(regs).collect();
            reserved = reserved.max(vars.len());
            goal.shared.push(Some(SharedClause { label: self.label(), vars }));
        }
        let mut tree = tree;
        if reserved > 0 {
            let n = u16::try_from(reserved).unwrap_or(u16::MAX);
            self.emit(Ins::Clear { from: Reg(first), n });
            self.set_depth(first.saturating_add(n));
            tree = self.tree(&rows, clauses, self.depth);
        }
        let depth = self.depth;
        self.decide(&tree, &goal, None);
        for (clause, shared) in clauses.iter().zip(&goal.shared) {
            let Some(shared) = shared else { continue };
            self.bind_label(shared.label);
            for (var, reg) in &shared.vars {
                self.env.insert(*var, Location::Src(Src::reg(*reg)));
            }
            self.set_depth(depth);
            self.clause_body(clause, &goal);
        }
        self.bind_label(goal.join);
    }

    fn tree(&mut self, rows: &[Row<'a>], clauses: &'a [Clause], depth: u16) -> Tree<'a> {
        let has_guard = |clause: usize| clauses.get(clause).is_some_and(|it| !is_true(&it.guard));
        let is_used = |var: VarId| self.lowering.uses(var) > 0;
        let mut builder =
            TreeBuilder { has_guard: &has_guard, is_used: &is_used, max_depth: self.depth };
        let tree = builder.build(rows, depth);
        let max_depth = builder.max_depth;
        let now = self.depth;
        self.set_depth(max_depth);
        self.depth = now;
        tree
    }

    /// Emits a decision tree. `next` is the label of the code that tries the remaining clauses; with `None`, a failure
    /// raises `case_clause`.
    fn decide(&mut self, tree: &Tree<'a>, goal: &LeafContext<'a, '_>, next: Option<Label>) {
        match (tree, next) {
            (Tree::Fail, Some(next)) => self.jump(next),
            (Tree::Fail, None) => self.emit(Ins::NoClause),
            (Tree::Leaf(leaf), _) => self.leaf(leaf, goal),
            (Tree::Guard { leaf, otherwise }, _) => {
                self.bind_all(&leaf.binds);
                self.set_depth(leaf.depth);
                let fail = self.label();
                if let Some(clause) = goal.clauses.get(leaf.clause) {
                    self.guard(&clause.guard, fail);
                }
                self.leaf(leaf, goal);
                self.bind_label(fail);
                self.set_depth(leaf.depth);
                self.decide(otherwise, goal, next);
            }
            (Tree::Switch { src, branches, default }, _) => {
                self.switch(*src, (branches, default), goal, next);
            }
            (Tree::Map { src, keys, then, otherwise }, _) => {
                let fail = self.label();
                self.emit(Ins::IfMap { src: *src, to: fail.0 });
                for (key, dst) in keys {
                    let key = self.operand(key);
                    self.emit(Ins::GetKey { dst: *dst, map: *src, key, to: fail.0 });
                }
                self.decide(then, goal, Some(fail));
                self.bind_label(fail);
                self.decide(otherwise, goal, next);
            }
            (Tree::Split { src, first, value, tail, then, otherwise }, _) => {
                let fail = self.label();
                self.split_bits(*src, first, (*value, *tail), fail);
                self.decide(then, goal, Some(fail));
                self.bind_label(fail);
                self.decide(otherwise, goal, next);
            }
            (Tree::Bits { src, segments, dsts, binds, then, otherwise }, _) => {
                let fail = self.label();
                self.bind_all(binds);
                self.match_bits(*src, segments, dsts, fail);
                self.decide(then, goal, Some(fail));
                self.bind_label(fail);
                self.decide(otherwise, goal, next);
            }
        }
    }

    fn bind_all(&mut self, binds: &[(VarId, Src)]) {
        for (var, src) in binds {
            self.env.insert(*var, Location::Src(*src));
        }
    }

    fn leaf(&mut self, leaf: &Leaf, goal: &LeafContext<'a, '_>) {
        self.bind_all(&leaf.binds);
        self.set_depth(leaf.depth);
        match goal.shared.get(leaf.clause) {
            Some(Some(shared)) => {
                let srcs: Vec<Src> = shared
                    .vars
                    .iter()
                    .filter_map(|(var, _)| leaf.binds.iter().find(|it| it.0 == *var))
                    .map(|it| it.1)
                    .collect();
                let regs: Vec<Reg> = shared.vars.iter().map(|it| it.1).collect();
                debug_assert_eq!(srcs.len(), regs.len(), "a leaf binds all of its clause");
                self.move_all(&srcs, &regs);
                self.jump(shared.label);
            }
            _ => {
                if let Some(clause) = goal.clauses.get(leaf.clause) {
                    self.clause_body(clause, goal);
                }
            }
        }
    }

    fn clause_body(&mut self, clause: &'a Clause, goal: &LeafContext<'a, '_>) {
        if clause.is_of_source {
            let id = self.clause_id(clause);
            self.emit(Ins::Clause { id });
        }
        self.expr(&clause.body, goal.dst);
        self.end_branch(goal.dst, goal.join);
    }

    fn switch(
        &mut self,
        src: Src,
        (branches, default): (&[Branch<'a>], &Tree<'a>),
        goal: &LeafContext<'a, '_>,
        next: Option<Label>,
    ) {
        let depth = self.depth;
        let fail = self.label();
        let labels: Vec<Label> = branches.iter().map(|_| self.label()).collect();
        self.test(src, branches, &labels, fail);
        for (branch, label) in branches.iter().zip(labels) {
            self.bind_label(label);
            self.set_depth(depth);
            self.take_parts(src, branch);
            self.decide(&branch.tree, goal, next);
        }
        self.bind_label(fail);
        self.set_depth(depth);
        self.decide(default, goal, next);
    }

    /// Jumps to the branch that matches the value's head, or to `fail`. The code of the first branch follows directly.
    fn test(&mut self, src: Src, branches: &[Branch<'a>], labels: &[Label], fail: Label) {
        let to = fail.0;
        match branches {
            [Branch { head: Head::Cons, .. }] => self.emit(Ins::IfCons { src, to }),
            [Branch { head: Head::Nil, .. }] => self.emit(Ins::IfNil { src, to }),
            [Branch { head: Head::Tuple(arity), .. }] => {
                let arity = u32::try_from(*arity).unwrap_or(u32::MAX);
                self.emit(Ins::IfTuple { src, arity, to });
            }
            [Branch { head: Head::Literal(term), .. }] => {
                let literal = self.lowering.literal(term);
                self.emit(Ins::IfSame { src, literal, to });
            }
            [Branch { head: Head::Cons, .. }, Branch { head: Head::Nil, .. }] => {
                let nil = labels.get(1).map_or(to, |it| it.0);
                self.emit(Ins::SwitchList { src, nil, to });
            }
            _ => {
                let table = self.switch_table(branches, labels, fail);
                self.lowering.program.switches.push(table);
                let table = self.lowering.program.switches.len() - 1;
                self.emit(Ins::Switch { src, table: fit_u32(table) });
            }
        }
    }

    fn switch_table(
        &mut self,
        branches: &[Branch<'a>],
        labels: &[Label],
        fail: Label,
    ) -> SwitchTable {
        let mut table = SwitchTable { default: fail.0, ..SwitchTable::default() };
        for (branch, Label(label)) in branches.iter().zip(labels) {
            match &branch.head {
                Head::Nil => table.nil = Some(*label),
                Head::Cons => table.cons = Some(*label),
                Head::Tuple(arity) => {
                    table.tuples.push((u32::try_from(*arity).unwrap_or(u32::MAX), *label));
                }
                Head::Literal(Term::Atom(atom)) => {
                    let atom = self.lowering.world.atoms.intern(atom.as_str());
                    table.atoms.push((atom, *label));
                }
                Head::Literal(Term::Int(int)) => table.ints.push((*int, *label)),
                Head::Literal(term) => {
                    table.literals.push((self.lowering.literal(term), *label));
                }
            }
        }
        table.atoms.sort_unstable_by_key(|it| it.0);
        table.ints.sort_unstable_by_key(|it| it.0);
        table
    }

    fn take_parts(&mut self, src: Src, branch: &Branch<'a>) {
        match (&branch.head, branch.parts.as_slice()) {
            (Head::Cons, [Some(head), Some(tail)]) => {
                self.emit(Ins::GetCons { head: *head, tail: *tail, src });
            }
            (Head::Cons, [Some(dst), None]) => self.emit(Ins::GetHead { dst: *dst, src }),
            (Head::Cons, [None, Some(dst)]) => self.emit(Ins::GetTail { dst: *dst, src }),
            (Head::Tuple(_), parts) => {
                for (place, dst) in (0..).zip(parts) {
                    if let Some(dst) = dst {
                        self.emit(Ins::GetElement { dst: *dst, src, place });
                    }
                }
            }
            (Head::Cons | Head::Nil | Head::Literal(_), _) => (),
        }
        if let Some(last) = branch.parts.iter().flatten().max() {
            self.set_depth(last.0.saturating_add(1));
        }
    }

    fn match_bits(
        &mut self,
        src: Src,
        segments: &'a [PatternSegment],
        dsts: &[Option<Reg>],
        fail: Label,
    ) {
        if let Some(last) = dsts.iter().flatten().max() {
            self.set_depth(last.0.saturating_add(1));
        }
        let parts = segments
            .iter()
            .zip(dsts)
            .map(|(segment, dst)| PatternPart {
                spec: segment.spec,
                size: segment.size.as_ref().map(|it| self.operand(it)),
                dst: *dst,
                literal: match &segment.value {
                    Pattern::Literal(term) => Some(self.lowering.literal(term)),
                    Pattern::Var(_)
                    | Pattern::Cons(..)
                    | Pattern::Tuple(_)
                    | Pattern::Map(_)
                    | Pattern::Binary(_)
                    | Pattern::Alias(..) => None,
                },
            })
            .collect();
        self.emit_match(src, parts, fail);
    }

    /// Emits the code that takes the first segment off a bitstring, and jumps to `fail` if the bitstring is too
    /// short.
    fn split_bits(
        &mut self,
        src: Src,
        first: &'a PatternSegment,
        (value, tail): (Reg, Option<Reg>),
        fail: Label,
    ) {
        self.set_depth(tail.unwrap_or(value).0.saturating_add(1));
        let all_bits = SegmentSpec {
            ty: SegmentType::Binary,
            unit: 1,
            endian: Endian::Big,
            sign: Sign::Unsigned,
        };
        let size = first.size.as_ref().map(|it| self.operand(it));
        let parts = vec![
            PatternPart { spec: first.spec, size, dst: Some(value), literal: None },
            PatternPart { spec: all_bits, size: None, dst: tail, literal: None },
        ];
        self.emit_match(src, parts, fail);
    }

    fn emit_match(&mut self, src: Src, parts: Vec<PatternPart>, fail: Label) {
        let patterns = &mut self.lowering.program.bits_patterns;
        patterns.push(BitsPattern { parts });
        let pattern = fit_u32(patterns.len() - 1);
        self.emit(Ins::MatchBits { src, pattern, to: fail.0 });
    }
}

pub(super) fn is_true(guard: &Expr) -> bool {
    matches!(&guard.kind, ExprKind::Literal(it) if it.as_atom() == Some("true"))
}

fn count_leaves(tree: &Tree<'_>, counts: &mut [usize]) {
    let mut count = |leaf: &Leaf| {
        if let Some(count) = counts.get_mut(leaf.clause) {
            *count += 1;
        }
    };
    match tree {
        Tree::Fail => (),
        Tree::Leaf(leaf) => count(leaf),
        Tree::Guard { leaf, otherwise } => {
            count(leaf);
            count_leaves(otherwise, counts);
        }
        Tree::Switch { branches, default, .. } => {
            branches.iter().for_each(|it| count_leaves(&it.tree, counts));
            count_leaves(default, counts);
        }
        Tree::Map { then, otherwise, .. }
        | Tree::Bits { then, otherwise, .. }
        | Tree::Split { then, otherwise, .. } => {
            count_leaves(then, counts);
            count_leaves(otherwise, counts);
        }
    }
}

fn bound(pattern: &Pattern, vars: &mut Vec<VarId>) {
    match pattern {
        Pattern::Var(var) => vars.push(*var),
        Pattern::Literal(_) => (),
        Pattern::Cons(head, tail) => {
            bound(head, vars);
            bound(tail, vars);
        }
        Pattern::Tuple(items) => items.iter().for_each(|it| bound(it, vars)),
        Pattern::Map(pairs) => pairs.iter().for_each(|it| bound(&it.1, vars)),
        Pattern::Binary(segments) => segments.iter().for_each(|it| bound(&it.value, vars)),
        Pattern::Alias(var, inner) => {
            vars.push(*var);
            bound(inner, vars);
        }
    }
}
