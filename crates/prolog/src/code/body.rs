//! Compiles the body of a clause: calls, control constructs, and goals that have instructions of their own.

use crate::code::clause::{Compiler, MAX_ARGUMENTS, variables_with_repeats};
use crate::code::ins::BACKTRACK;
use crate::code::{
    Branch, BranchKind, Compare, CompileError, Ins, Kind, Marked, Operand, Test, arith_op,
};
use crate::data::{AtomId, FunctorId, Value, View};
use rustc_hash::FxHashMap;
use term::fit_u32;

/// The nesting depth of control constructs below which a construct is called as a goal instead of compiled.
const MAX_DEPTH: u32 = 200;
/// The nesting depth of expressions from which on they are built as terms and evaluated at run time.
const MAX_EXPRESSION: u32 = 60;

/// The choice points that a cut removes.
#[derive(Clone, Copy, Debug)]
enum Scope {
    Clause,
    /// Those made since the mark in this slot: the cut is inside a condition.
    Mark(u32),
}

/// Whether a goal is the last one of its clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Position {
    Last,
    Inner,
}

impl Compiler<'_> {
    pub(super) fn body(&mut self, body: Value) -> Result<(), CompileError> {
        let Some(mark) = self.mark else {
            return self.goals(body, Position::Last, Scope::Clause);
        };
        let goals = self.conjunction(body);
        let never_returns = goals.last().is_some_and(|it| self.never_returns(*it));
        let n_goals = fit_u32(goals.len());
        for (n, goal) in (1..).zip(goals) {
            self.code.push(Ins::Reach(mark, n));
            if never_returns && n == n_goals {
                // The goal can only fail or throw, so the clause counts as completed before the goal is
                // called.
                self.code.push(Ins::Exit(mark));
            }
            self.goal(goal, Position::Inner, Scope::Clause)?;
        }
        self.code.push(Ins::Exit(mark));
        self.proceed();
        Ok(())
    }

    fn goals(&mut self, body: Value, position: Position, scope: Scope) -> Result<(), CompileError> {
        let goals = self.conjunction(body);
        let n_goals = goals.len();
        for (n, goal) in goals.into_iter().enumerate() {
            let inner = n + 1 < n_goals || position == Position::Inner;
            let position = if inner { Position::Inner } else { Position::Last };
            self.goal(goal, position, scope)?;
        }
        if n_goals == 0 && position == Position::Last {
            self.proceed();
        }
        Ok(())
    }

    /// Returns the goals of `A, B, C` without `true`.
    fn conjunction(&self, body: Value) -> Vec<Value> {
        let mut res = Vec::new();
        let mut todo = vec![body];
        while let Some(next) = todo.pop() {
            let next = self.heap.deref(next);
            if next.is_struct(FunctorId::AND) {
                todo.push(self.heap.arg(next, 1));
                todo.push(self.heap.arg(next, 0));
            } else if !next.is_atom(AtomId::TRUE) {
                res.push(next);
            }
        }
        res
    }

    /// Whether a goal fails or throws in every case.
    fn never_returns(&self, goal: Value) -> bool {
        match goal.view() {
            View::Atom(AtomId::FAIL | AtomId::FALSE) => true,
            View::Struct(functor, _) => {
                let (name, arity) = self.atoms.name_arity(functor);
                never_returns(self.atoms.text(name), arity)
                    && self
                        .db
                        .find(self.module, functor)
                        .is_none_or(|it| self.db.get(it).kind != Kind::Clauses)
            }
            View::Atom(_)
            | View::Var(_)
            | View::Int(_)
            | View::Big(_)
            | View::Rational(_)
            | View::Float(_)
            | View::Text(_) => false,
        }
    }

    /// Emits the coverage marks of a branch, if the clause is under test.
    fn branch(&mut self, kind: BranchKind) {
        let Some(of) = self.mark else { return };
        let Some(clause) = self.db.marks.get(of as usize).copied() else { return };
        let mark = self.db.mark(Marked { branch: Some(Branch { of, kind }), ..clause });
        self.code.push(Ins::Enter(mark));
        self.code.push(Ins::Exit(mark));
    }

    fn proceed(&mut self) {
        self.code.push(if self.frame { Ins::DeallocProceed } else { Ins::Proceed });
    }

    fn goal(&mut self, goal: Value, position: Position, scope: Scope) -> Result<(), CompileError> {
        let functor = match goal.view() {
            View::Var(at) => return self.call_variable(at, position),
            View::Atom(AtomId::CUT) => {
                self.cut(scope);
                self.end(position);
                return Ok(());
            }
            View::Atom(AtomId::FAIL | AtomId::FALSE) => {
                self.code.push(Ins::Fail);
                return Ok(());
            }
            View::Atom(name) => self.atoms.functor(name, 0),
            View::Struct(functor, _) => functor,
            View::Int(_) | View::Big(_) | View::Rational(_) | View::Float(_) | View::Text(_) => {
                return Err(CompileError::NotCallable(goal));
            }
        };
        if self.depth < MAX_DEPTH {
            self.depth += 1;
            let done = self.control(goal, functor, position, scope);
            self.depth -= 1;
            if done? {
                return Ok(());
            }
        }
        if self.inline(goal, functor) {
            self.end(position);
            return Ok(());
        }
        self.catch_branches(functor);
        self.call(goal, functor, position)
    }

    /// Emits the coverage marks for how a call of `catch/3` ends, if the clause is under test.
    fn catch_branches(&mut self, functor: FunctorId) {
        let Some(of) = self.mark else { return };
        let (name, arity) = self.atoms.name_arity(functor);
        let is_own = || {
            let found = self.db.find(self.module, functor);
            found.is_some_and(|it| self.db.get(it).kind == Kind::Clauses)
        };
        if (self.atoms.text(name), arity) != ("catch", 3) || is_own() {
            return;
        }
        let Some(clause) = self.db.marks.get(of as usize).copied() else { return };
        let branch = |kind: BranchKind| Marked { branch: Some(Branch { of, kind }), ..clause };
        let mark = self.db.mark(branch(BranchKind::Returned));
        self.db.mark(branch(BranchKind::Caught));
        self.code.push(Ins::Catch(mark));
    }

    fn end(&mut self, position: Position) {
        if position == Position::Last {
            self.proceed();
        }
    }

    fn cut(&mut self, scope: Scope) {
        self.code.push(match scope {
            Scope::Clause if self.frame => Ins::Cut,
            Scope::Clause => Ins::NeckCut,
            Scope::Mark(slot) => Ins::CutTo(slot),
        });
    }

    /// Compiles a control construct. Returns whether the goal was one.
    fn control(
        &mut self,
        goal: Value,
        functor: FunctorId,
        position: Position,
        scope: Scope,
    ) -> Result<bool, CompileError> {
        let arg = |n: usize| self.heap.arg(goal, n);
        match functor {
            FunctorId::AND => self.goals(goal, position, scope)?,
            FunctorId::OR | FunctorId::ALTERNATIVE => {
                let (left, right) = (arg(0), arg(1));
                if left.is_struct(FunctorId::THEN) {
                    let (test, then) = (self.heap.arg(left, 0), self.heap.arg(left, 1));
                    self.initialise(goal, &[&[test, then], &[right]]);
                    self.if_then_else(test, then, Some(right), position, scope)?;
                } else if left.is_struct(FunctorId::SOFT_THEN) {
                    let (test, then) = (self.heap.arg(left, 0), self.heap.arg(left, 1));
                    self.initialise(goal, &[&[test, then], &[right]]);
                    self.soft(test, then, right, position, scope)?;
                } else {
                    self.initialise(goal, &[&[left], &[right]]);
                    self.disjunction(left, right, position, scope)?;
                }
            }
            FunctorId::THEN => {
                let (test, then) = (arg(0), arg(1));
                self.initialise(goal, &[&[test, then]]);
                self.if_then_else(test, then, None, position, scope)?;
            }
            FunctorId::SOFT_THEN => {
                let (test, then) = (arg(0), arg(1));
                self.initialise(goal, &[&[test, then]]);
                let mark = self.temporary();
                self.code.push(Ins::Mark(mark));
                self.wants_frame = true;
                self.goals(test, Position::Inner, Scope::Mark(mark))?;
                self.goals(then, position, scope)?;
            }
            FunctorId::UNPROVABLE => {
                let inner = arg(0);
                self.initialise(goal, &[&[inner]]);
                self.negation(inner)?;
                self.end(position);
            }
            FunctorId::QUALIFIED => {
                let (module, inner) = (arg(0), arg(1));
                let (View::Atom(module), true) = (module.view(), inner.is_callable()) else {
                    return Ok(false);
                };
                if inner.is_atom(AtomId::CUT) {
                    self.cut(scope);
                    self.end(position);
                    return Ok(true);
                }
                let old = std::mem::replace(&mut self.module, module);
                let done = self.goal(inner, position, scope);
                self.module = old;
                done?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Creates fresh variables for those that occur first inside of one branch and are used in other branches
    /// or afterwards, so that their slots hold a value on every path.
    fn initialise(&mut self, whole: Value, branches: &[&[Value]]) {
        let mut fresh = Vec::new();
        for branch in branches {
            let mut inside: FxHashMap<usize, u32> = FxHashMap::default();
            let mut order = Vec::new();
            for term in *branch {
                for at in variables_with_repeats(self.heap, self.atoms, *term) {
                    let count = inside.entry(at).or_insert(0);
                    *count += 1;
                    if *count == 1 {
                        order.push(at);
                    }
                }
            }
            for at in order {
                let here = inside.get(&at).copied().unwrap_or(0);
                let elsewhere = self.vars.get(&at).is_some_and(|it| !it.seen && here < it.count);
                if elsewhere && !fresh.contains(&at) {
                    fresh.push(at);
                }
            }
        }
        debug_assert!(whole.is_callable());
        for at in fresh {
            let (slot, _) = self.slot_of(at);
            self.code.push(Ins::Fresh(slot));
        }
    }

    fn disjunction(
        &mut self,
        left: Value,
        right: Value,
        position: Position,
        scope: Scope,
    ) -> Result<(), CompileError> {
        self.wants_frame = true;
        let try_at = self.emit(Ins::Try(0));
        self.branch(BranchKind::Left);
        self.goals(left, position, scope)?;
        let jump = (position == Position::Inner).then(|| self.emit(Ins::Jump(0)));
        self.patch(&[try_at]);
        self.branch(BranchKind::Right);
        self.goals(right, position, scope)?;
        self.patch(jump.as_slice());
        Ok(())
    }

    fn if_then_else(
        &mut self,
        test: Value,
        then: Value,
        otherwise: Option<Value>,
        position: Position,
        scope: Scope,
    ) -> Result<(), CompileError> {
        let failing = if let Some(tests) = self.pure_tests(test) {
            self.pure_condition(&tests)
        } else {
            self.wants_frame = true;
            let mark = self.temporary();
            self.code.push(Ins::Mark(mark));
            let try_at = self.emit(Ins::Try(0));
            let scope = self.inner_scope(test, mark);
            self.goals(test, Position::Inner, scope)?;
            self.code.push(Ins::CutTo(mark));
            vec![try_at]
        };
        self.branch(BranchKind::Then);
        self.goals(then, position, scope)?;
        match otherwise {
            None => {
                // A failing test jumps here, and so does the choice point that was made for the condition;
                // then the goal fails.
                let jump = (position == Position::Inner).then(|| self.emit(Ins::Jump(0)));
                self.patch(&failing);
                self.branch(BranchKind::Else);
                self.code.push(Ins::Fail);
                self.patch(jump.as_slice());
            }
            Some(otherwise) => {
                let jump = (position == Position::Inner).then(|| self.emit(Ins::Jump(0)));
                self.patch(&failing);
                self.branch(BranchKind::Else);
                self.goals(otherwise, position, scope)?;
                self.patch(jump.as_slice());
            }
        }
        Ok(())
    }

    fn soft(
        &mut self,
        test: Value,
        then: Value,
        otherwise: Value,
        position: Position,
        scope: Scope,
    ) -> Result<(), CompileError> {
        self.wants_frame = true;
        let mark = self.temporary();
        self.code.push(Ins::Mark(mark));
        let try_at = self.emit(Ins::Try(0));
        let inner = self.inner_scope(test, mark);
        self.goals(test, Position::Inner, inner)?;
        self.code.push(Ins::SoftCut(mark));
        self.branch(BranchKind::Then);
        self.goals(then, position, scope)?;
        let jump = (position == Position::Inner).then(|| self.emit(Ins::Jump(0)));
        self.patch(&[try_at]);
        self.branch(BranchKind::Else);
        self.goals(otherwise, position, scope)?;
        self.patch(jump.as_slice());
        Ok(())
    }

    fn negation(&mut self, goal: Value) -> Result<(), CompileError> {
        if let Some(tests) = self.pure_tests(goal) {
            let failing = self.pure_condition(&tests);
            self.branch(BranchKind::Refuted);
            self.code.push(Ins::Fail);
            self.patch(&failing);
            self.branch(BranchKind::Holds);
            return Ok(());
        }
        self.wants_frame = true;
        let mark = self.temporary();
        self.code.push(Ins::Mark(mark));
        let try_at = self.emit(Ins::Try(0));
        let scope = self.inner_scope(goal, mark);
        self.goals(goal, Position::Inner, scope)?;
        self.code.push(Ins::CutTo(mark));
        self.branch(BranchKind::Refuted);
        self.code.push(Ins::Fail);
        self.patch(&[try_at]);
        self.branch(BranchKind::Holds);
        Ok(())
    }

    /// Returns the scope of cuts inside a condition. Such a cut must not remove the choice point that leads
    /// to the else branch, so it gets a mark of its own.
    fn inner_scope(&mut self, test: Value, mark: u32) -> Scope {
        let mut todo = vec![test];
        while let Some(next) = todo.pop() {
            let next = self.heap.deref(next);
            match next.view() {
                View::Atom(AtomId::CUT) => {
                    let inner = self.temporary();
                    self.code.push(Ins::Mark(inner));
                    return Scope::Mark(inner);
                }
                View::Struct(
                    FunctorId::AND
                    | FunctorId::OR
                    | FunctorId::ALTERNATIVE
                    | FunctorId::THEN
                    | FunctorId::SOFT_THEN
                    | FunctorId::QUALIFIED,
                    _,
                ) => {
                    todo.push(self.heap.arg(next, 0));
                    todo.push(self.heap.arg(next, 1));
                }
                View::Var(_)
                | View::Int(_)
                | View::Big(_)
                | View::Rational(_)
                | View::Float(_)
                | View::Atom(_)
                | View::Text(_)
                | View::Struct(..) => {}
            }
        }
        Scope::Mark(mark)
    }

    fn emit(&mut self, ins: Ins) -> usize {
        self.code.push(ins);
        self.code.len() - 1
    }

    /// Sets the target of the jumps at these indexes to the next instruction.
    fn patch(&mut self, jumps: &[usize]) {
        let here = self.here();
        for at in jumps {
            match self.code.get_mut(*at) {
                Some(
                    Ins::Try(to)
                    | Ins::Jump(to)
                    | Ins::Compare(_, _, _, to)
                    | Ins::Test(_, _, to)
                    | Ins::Order(_, _, _, to)
                    | Ins::Identical(_, _, _, to),
                ) => *to = here,
                _ => debug_assert!(false, "only jumps are patched"),
            }
        }
    }

    /// Returns the goals of a condition if all of them are tests that bind nothing and leave no choice point.
    fn pure_tests(&self, test: Value) -> Option<Vec<Value>> {
        let goals = self.conjunction(test);
        goals.iter().all(|it| self.is_pure_test(*it)).then_some(goals)
    }

    fn is_pure_test(&self, goal: Value) -> bool {
        let View::Struct(functor, _) = goal.view() else { return false };
        let (name, arity) = self.atoms.name_arity(functor);
        match (self.atoms.text(name), arity) {
            ("==" | "\\==" | "@<" | "@>" | "@=<" | "@>=", 2) => true,
            ("<" | ">" | "=<" | ">=" | "=:=" | "=\\=", 2) => {
                (0..2).all(|n| self.is_expression(self.heap.arg(goal, n), 0))
            }
            (name, 1) => Test::from_name(name).is_some(),
            _ => false,
        }
    }

    /// Compiles pure tests. Returns the indexes of their instructions, which jump if the test does not hold.
    fn pure_condition(&mut self, tests: &[Value]) -> Vec<usize> {
        let mut failing = Vec::new();
        for test in tests {
            if let View::Struct(functor, _) = test.view() {
                self.inline(*test, functor);
                failing.push(self.code.len() - 1);
            }
        }
        failing
    }

    /// Compiles a goal that has instructions of its own. Returns whether it did. A test is the last
    /// instruction emitted.
    fn inline(&mut self, goal: Value, functor: FunctorId) -> bool {
        let (name, arity) = self.atoms.name_arity(functor);
        let name = self.atoms.name(name);
        match (name.as_str(), arity) {
            ("=", 2) => {
                self.unify(self.heap.arg(goal, 0), self.heap.arg(goal, 1));
                true
            }
            ("==" | "\\==", 2) => {
                let (a, b) = self.two_operands(goal);
                self.code.push(Ins::Identical(name == "==", a, b, BACKTRACK));
                true
            }
            ("@<" | "@>" | "@=<" | "@>=", 2) => {
                let (a, b) = self.two_operands(goal);
                let compare = match name.as_str() {
                    "@<" => Compare::Less,
                    "@>" => Compare::Greater,
                    "@=<" => Compare::LessEqual,
                    _ => Compare::GreaterEqual,
                };
                self.code.push(Ins::Order(compare, a, b, BACKTRACK));
                true
            }
            ("<" | ">" | "=<" | ">=" | "=:=" | "=\\=", 2) => self.comparison(&name, goal),
            ("is", 2) => self.is(self.heap.arg(goal, 0), self.heap.arg(goal, 1)),
            (_, 1) => match Test::from_name(&name) {
                Some(test) => {
                    let operand = self.operand(self.heap.arg(goal, 0));
                    self.code.push(Ins::Test(test, operand, BACKTRACK));
                    true
                }
                None => false,
            },
            _ => false,
        }
    }

    fn comparison(&mut self, name: &str, goal: Value) -> bool {
        let (left, right) = (self.heap.arg(goal, 0), self.heap.arg(goal, 1));
        if !self.is_expression(left, 0) || !self.is_expression(right, 0) {
            return false;
        }
        let compare = match name {
            "<" => Compare::Less,
            ">" => Compare::Greater,
            "=<" => Compare::LessEqual,
            ">=" => Compare::GreaterEqual,
            "=:=" => Compare::Equal,
            _ => Compare::NotEqual,
        };
        let mut temporaries = Vec::new();
        let a = self.expression(left, &mut temporaries);
        let b = self.expression(right, &mut temporaries);
        self.code.push(Ins::Compare(compare, a, b, BACKTRACK));
        temporaries.into_iter().for_each(|it| self.release(it));
        true
    }

    fn is(&mut self, target: Value, expression: Value) -> bool {
        if !self.is_expression(expression, 0) {
            return false;
        }
        let mut temporaries = Vec::new();
        let value = self.expression(expression, &mut temporaries);
        // The result of an operation already has a slot of its own.
        let computed = matches!(expression.view(), View::Struct(..));
        let slot = match value.place() {
            Err(slot) if computed => slot,
            _ => {
                let slot = self.temporary();
                self.code.push(Ins::Evaluate(slot, value));
                temporaries.push(slot);
                slot
            }
        };
        match target.view() {
            View::Var(at) if self.is_void(at) => {}
            View::Var(at) => {
                let (to, seen) = self.slot_of(at);
                if seen {
                    self.code.push(Ins::GetSame(to, slot));
                } else {
                    self.retarget(slot, to);
                }
            }
            View::Int(_)
            | View::Big(_)
            | View::Rational(_)
            | View::Float(_)
            | View::Atom(_)
            | View::Text(_)
            | View::Struct(..) => {
                // The result is a number, so unification with anything else than a number fails.
                self.match_slot(slot, target);
            }
        }
        temporaries.into_iter().for_each(|it| self.release(it));
        true
    }

    /// Makes the last instruction store its result in another slot, or emits a move.
    fn retarget(&mut self, from: u32, to: u32) {
        match self.code.last_mut() {
            Some(Ins::Arith(_, slot, ..) | Ins::Evaluate(slot, _)) if *slot == from => *slot = to,
            _ => self.code.push(Ins::Move(to, from)),
        }
    }

    /// Whether an expression consists only of operations that have instructions.
    fn is_expression(&self, term: Value, depth: u32) -> bool {
        match term.view() {
            View::Var(_) | View::Int(_) | View::Big(_) | View::Float(_) => true,
            View::Struct(functor, _) => {
                let (name, arity) = self.atoms.name_arity(functor);
                depth < MAX_EXPRESSION
                    && arith_op(self.atoms.text(name), arity).is_some()
                    && (0..arity).all(|n| self.is_expression(self.heap.arg(term, n), depth + 1))
            }
            View::Rational(_) | View::Atom(_) | View::Text(_) => false,
        }
    }

    fn expression(&mut self, term: Value, temporaries: &mut Vec<u32>) -> Operand {
        let View::Struct(functor, _) = term.view() else { return self.operand(term) };
        let (name, arity) = self.atoms.name_arity(functor);
        let Some(op) = arith_op(self.atoms.text(name), arity) else { return self.operand(term) };
        let a = self.expression(self.heap.arg(term, 0), temporaries);
        let b = if arity == 2 { self.expression(self.heap.arg(term, 1), temporaries) } else { a };
        let slot = self.temporary();
        temporaries.push(slot);
        self.code.push(Ins::Arith(op, slot, a, b));
        Operand::slot(slot)
    }

    fn two_operands(&mut self, goal: Value) -> (Operand, Operand) {
        (self.operand(self.heap.arg(goal, 0)), self.operand(self.heap.arg(goal, 1)))
    }

    /// Returns an operand for a term; emits instructions that build the term if it is a structure.
    fn operand(&mut self, term: Value) -> Operand {
        match term.view() {
            View::Var(at) => {
                let (slot, seen) = self.slot_of(at);
                if !seen {
                    self.code.push(Ins::Fresh(slot));
                }
                Operand::slot(slot)
            }
            View::Struct(..) => {
                let slot = self.temporary();
                self.build(Ins::BuildStruct(slot, term.functor()), term);
                Operand::slot(slot)
            }
            View::Int(_)
            | View::Big(_)
            | View::Rational(_)
            | View::Float(_)
            | View::Atom(_)
            | View::Text(_) => Operand::konst(self.db.konst(self.heap, term)),
        }
    }

    fn unify(&mut self, a: Value, b: Value) {
        match (a.view(), b.view()) {
            (View::Var(x), View::Var(y)) => self.unify_variables(x, y),
            (View::Var(x), _) => self.unify_variable(x, b),
            (_, View::Var(y)) => self.unify_variable(y, a),
            (View::Struct(functor, _), View::Struct(..)) => {
                let slot = self.temporary();
                self.build(Ins::BuildStruct(slot, functor), a);
                self.match_slot(slot, b);
            }
            _ => {
                let slot = self.temporary();
                let (atomic, other) =
                    if matches!(a.view(), View::Struct(..)) { (b, a) } else { (a, b) };
                let konst = self.db.konst(self.heap, atomic);
                self.code.push(Ins::SetAtomic(slot, konst));
                self.match_slot(slot, other);
            }
        }
    }

    fn unify_variables(&mut self, x: usize, y: usize) {
        if x == y || self.is_void(x) || self.is_void(y) {
            return;
        }
        let (slot_x, seen_x) = self.slot_of(x);
        let (slot_y, seen_y) = self.slot_of(y);
        match (seen_x, seen_y) {
            (true, true) => self.code.push(Ins::GetSame(slot_x, slot_y)),
            (true, false) => self.code.push(Ins::Move(slot_y, slot_x)),
            (false, true) => self.code.push(Ins::Move(slot_x, slot_y)),
            (false, false) => {
                self.code.push(Ins::Fresh(slot_x));
                self.code.push(Ins::Move(slot_y, slot_x));
            }
        }
    }

    fn unify_variable(&mut self, x: usize, term: Value) {
        if self.is_void(x) {
            return;
        }
        let occurs = variables_with_repeats(self.heap, self.atoms, term).contains(&x);
        let (slot, seen) = self.slot_of(x);
        if seen || occurs {
            if !seen {
                self.code.push(Ins::Fresh(slot));
            }
            self.match_slot(slot, term);
            return;
        }
        if let View::Struct(functor, _) = term.view() {
            self.build(Ins::BuildStruct(slot, functor), term);
        } else {
            let konst = self.db.konst(self.heap, term);
            self.code.push(Ins::SetAtomic(slot, konst));
        }
    }

    /// Emits the instructions that build a structure; `first` begins it.
    fn build(&mut self, first: Ins, term: Value) {
        let mut todo = Vec::new();
        self.code.push(first);
        self.arguments(term.functor(), term, &mut todo);
        while let Some((slot, term, _)) = todo.pop() {
            self.code.push(Ins::GetStruct(slot, term.functor()));
            self.release(slot);
            self.arguments(term.functor(), term, &mut todo);
        }
    }

    fn call_variable(&mut self, at: usize, position: Position) -> Result<(), CompileError> {
        let pred = self.db.pred(self.module, FunctorId::CALL_1, AtomId::CALL, 1);
        let (slot, seen) = self.slot_of(at);
        self.code.push(if seen { Ins::PutValue(0, slot) } else { Ins::PutVar(0, slot) });
        self.invoke(pred, position);
        Ok(())
    }

    fn call(
        &mut self,
        goal: Value,
        functor: FunctorId,
        position: Position,
    ) -> Result<(), CompileError> {
        let (name, arity) = self.atoms.name_arity(functor);
        if MAX_ARGUMENTS < arity {
            return Err(CompileError::TooManyArguments);
        }
        for n in 0..arity {
            let to = fit_u32(n);
            let arg = self.heap.arg(goal, n);
            match arg.view() {
                View::Var(at) if self.is_void(at) => self.code.push(Ins::PutFresh(to)),
                View::Var(at) => {
                    let (slot, seen) = self.slot_of(at);
                    self.code.push(if seen {
                        Ins::PutValue(to, slot)
                    } else {
                        Ins::PutVar(to, slot)
                    });
                }
                View::Struct(functor, _) => self.build(Ins::PutStruct(to, functor), arg),
                View::Int(_)
                | View::Big(_)
                | View::Rational(_)
                | View::Float(_)
                | View::Atom(_)
                | View::Text(_) => {
                    let konst = self.db.konst(self.heap, arg);
                    self.code.push(Ins::PutAtomic(to, konst));
                }
            }
        }
        let pred = self.db.pred(self.module, functor, name, arity);
        self.invoke(pred, position);
        Ok(())
    }

    fn invoke(&mut self, pred: crate::code::PredId, position: Position) {
        self.code.push(match position {
            Position::Last if self.frame => Ins::DeallocExecute(pred),
            Position::Last => Ins::Execute(pred),
            Position::Inner => {
                self.wants_frame = true;
                Ins::Call(pred)
            }
        });
    }
}

/// Whether a predicate throws in every case: `throw/1`, and those of `library(error)` that throw the error of
/// their name.
pub(crate) fn never_returns(name: &str, arity: usize) -> bool {
    matches!(
        (name, arity),
        ("throw" | "instantiation_error" | "uninstantiation_error", 1)
            | ("representation_error" | "syntax_error" | "resource_error", 1)
            | ("type_error" | "domain_error" | "existence_error", 2)
            | ("existence_error" | "permission_error", 3)
    )
}
