//! Emits the code of one function.
//!
//! Registers are allocated as a stack: `depth` is the first free register. The last instruction of an expression writes
//! its result to its [`Dst`], so the destination may overlap with the operands.

use crate::code::{BitsSegment, MapStep};
use crate::code::{FnId, Ins, Reg, Src};
use crate::core::{Expr, ExprKind, Lambda, LetrecKind, MapPair, Place, Segment, VarId};
use crate::lower::awaits::awaited;
use crate::lower::names::is_block;
use crate::lower::{Lowering, PendingFunction, TooLarge};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use term::fit_u32;
use term::{Atom, Term};

/// Where the value of a variable is found.
#[derive(Clone, Debug)]
pub(super) enum Location<'a> {
    Src(Src),
    /// A function lifted out of the current one: its code, and the variables that it takes after its arguments.
    Function {
        id: FnId,
        captured: Rc<[VarId]>,
        lambda: &'a Lambda,
        name: Atom,
    },
    /// A block: `apply` moves the arguments to the parameters' registers and jumps to the label.
    Block {
        label: Label,
        params: Rc<[Reg]>,
    },
    /// A guard expression that is evaluated where its variable is used; the variable is used once.
    Delayed(&'a Expr),
}

/// A position in the code, whose address is known only once the label is bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Label(pub(super) u32);

/// The destination of an expression's value.
#[derive(Clone, Debug)]
pub(super) enum Dst {
    /// The value is returned from the function.
    Tail,
    Reg(Reg),
    /// One register for each value of an expression with several values.
    Many(Vec<Reg>),
    Nowhere,
}

pub(super) struct Emitter<'l, 'a> {
    pub(super) lowering: &'l mut Lowering<'a>,
    pub(super) env: FxHashMap<VarId, Location<'a>>,
    pub(super) depth: u16,
    pub(super) max_depth: u16,
    labels: Vec<Option<u32>>,
    entry: u32,
    first_switch: usize,
    first_handler: usize,
    pub(super) owner: String,
    pub(super) id: FnId,
    pub(super) n_lifted: u32,
    pub(super) stub_name: Option<Atom>,
    /// The functions that are being inlined at this point, outermost first.
    pub(super) inlining: Vec<(Atom, usize)>,
}

impl<'l, 'a> Emitter<'l, 'a> {
    pub(super) fn function(
        lowering: &'l mut Lowering<'a>,
        pending: PendingFunction<'a>,
    ) -> Result<(), TooLarge> {
        let entry = here(lowering);
        let mut emitter = Emitter {
            entry,
            first_switch: lowering.program.switches.len(),
            first_handler: lowering.program.handlers.len(),
            lowering,
            env: pending.outer,
            depth: 0,
            max_depth: 0,
            labels: Vec::new(),
            owner: pending.owner,
            id: pending.id,
            n_lifted: 0,
            stub_name: pending.lambda.stub_name.clone().filter(|_| !pending.captured.is_empty()),
            inlining: Vec::new(),
        };
        for var in pending.lambda.params.iter().chain(&pending.captured) {
            let reg = emitter.take();
            emitter.env.insert(*var, Location::Src(Src::reg(reg)));
        }
        emitter.place(pending.lambda.place);
        match pending.native {
            // This code runs only if the function is called through a fun; calls by name go to the builtin directly.
            Some(name) => {
                let module = emitter.lowering.module.name.clone();
                let params = &pending.lambda.params;
                let srcs: Vec<Src> = params.iter().map(|it| emitter.variable(*it)).collect();
                emitter.call_import(&module, &name, &srcs, &Dst::Tail);
            }
            None => emitter.expr(&pending.lambda.body, &Dst::Tail),
        }
        emitter.finish_function()
    }

    fn finish_function(self) -> Result<(), TooLarge> {
        let program = &mut self.lowering.program;
        let at = |label: u32| self.labels.get(label as usize).copied().flatten().unwrap_or(label);
        let code = program.code.get_mut(self.entry as usize..).unwrap_or_default();
        for target in code.iter_mut().flat_map(Ins::targets).flatten() {
            *target = at(*target);
        }
        for table in program.switches.get_mut(self.first_switch..).unwrap_or_default() {
            table.targets().for_each(|it| *it = at(*it));
        }
        for handler in program.handlers.get_mut(self.first_handler..).unwrap_or_default() {
            handler.target = at(handler.target);
        }
        let end = here(self.lowering);
        // A callee's frame begins at its caller's depth; the additional registers hold its result.
        let n_regs = self.max_depth.checked_add(8).ok_or(TooLarge { function: self.owner })?;
        if let Some(info) = self.lowering.program.functions.get_mut(self.id.0 as usize) {
            info.entry = self.entry;
            info.start = self.entry;
            info.end = end;
            info.n_regs = n_regs;
        }
        let max_regs = &mut self.lowering.program.max_regs;
        *max_regs = n_regs.max(*max_regs);
        Ok(())
    }

    // Registers, labels, instructions

    pub(super) fn take(&mut self) -> Reg {
        let reg = Reg(self.depth);
        self.set_depth(self.depth.saturating_add(1));
        reg
    }

    pub(super) fn set_depth(&mut self, depth: u16) {
        self.depth = depth;
        self.max_depth = self.max_depth.max(depth);
    }

    pub(super) fn emit(&mut self, ins: Ins) {
        self.lowering.program.code.push(ins);
    }

    pub(super) fn here(&self) -> u32 {
        here(self.lowering)
    }

    pub(super) fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(fit_u32(self.labels.len() - 1))
    }

    pub(super) fn bind_label(&mut self, label: Label) {
        let here = self.here();
        if let Some(slot) = self.labels.get_mut(label.0 as usize) {
            *slot = Some(here);
        }
    }

    pub(super) fn jump(&mut self, label: Label) {
        self.emit(Ins::Jump { to: label.0 });
    }

    pub(super) fn place(&mut self, place: Place) {
        let here = self.here();
        if place.line != 0 {
            self.lowering.place(here, place);
        }
    }

    pub(super) fn function_id(&self) -> FnId {
        self.id
    }

    pub(super) fn operands(&mut self, srcs: &[Src]) -> u32 {
        let start = self.lowering.program.operands.len();
        self.lowering.program.operands.extend_from_slice(srcs);
        fit_u32(start)
    }

    // Expressions

    pub(super) fn expr(&mut self, expr: &'a Expr, dst: &Dst) {
        let depth = self.depth;
        self.expr_kind(expr, dst);
        self.depth = depth;
    }

    fn expr_kind(&mut self, expr: &'a Expr, dst: &Dst) {
        match &expr.kind {
            ExprKind::Var(_)
            | ExprKind::Literal(_)
            | ExprKind::FunctionName(..)
            | ExprKind::LetrecName(_)
            | ExprKind::Lambda(_) => {
                let src = self.operand(expr);
                self.finish(src, dst);
            }
            ExprKind::Cons(head, tail) => {
                let (head, tail) = (self.operand(head), self.operand(tail));
                self.compute(dst, |dst| Ins::Cons { dst, head, tail });
            }
            ExprKind::Tuple(items) => {
                let srcs = self.operand_list(items);
                let args = self.operands(&srcs);
                let n = fit_u32(srcs.len());
                self.compute(dst, |dst| Ins::Tuple { dst, n, args });
            }
            ExprKind::Map { base, pairs } => self.map(expr.place, base, pairs, dst),
            ExprKind::Binary(segments) => self.bits(expr.place, segments, dst),
            ExprKind::Let { vars, arg, body } => self.let_in(vars, arg, body, dst),
            ExprKind::Seq(first, then) => {
                self.expr(first, &Dst::Nowhere);
                self.expr(then, dst);
            }
            ExprKind::Letrec { functions, body, kind } => match kind {
                LetrecKind::Labels if is_block(functions, body) => {
                    self.blocks(functions, body, dst);
                }
                LetrecKind::Labels | LetrecKind::Functions => self.letrec(functions, body, dst),
            },
            ExprKind::Local { name, arity, args } => {
                let srcs = self.operand_list(args);
                if self.inline_call(name, *arity as usize, &srcs, dst) {
                    return;
                }
                self.place(expr.place);
                self.call_local(name, *arity as usize, &srcs, dst);
            }
            ExprKind::ApplyLetrec { function, args } => {
                self.apply_letrec(expr.place, *function, args, dst);
            }
            ExprKind::Apply { fun, args } => {
                let fun = self.operand(fun);
                let srcs = self.operand_list(args);
                let (n, args) = (count(srcs.len()), self.operands(&srcs));
                self.place(expr.place);
                self.call(dst, Ins::TailFun { n, fun, args }, |base| Ins::CallFun {
                    n,
                    base,
                    fun,
                    args,
                });
            }
            ExprKind::Call { module, name, args } => {
                self.call_remote(expr.place, module, name, args, dst);
            }
            ExprKind::Primop { name, args } => self.primop(expr.place, name, args, dst),
            ExprKind::Case { args, clauses } => self.case(args, clauses, dst),
            ExprKind::Try { arg, vars, body, raised, handler } => {
                self.try_of(arg, (vars, body), (raised, handler), dst);
            }
            ExprKind::Catch(body) => self.catch(body, dst),
            ExprKind::Values(items) => {
                let srcs = self.operand_list(items);
                self.finish_many(&srcs, dst);
            }
        }
    }

    /// The value of an expression as an operand. Names and literals are operands themselves; any other expression is
    /// evaluated into a register, which remains allocated.
    pub(super) fn operand(&mut self, expr: &'a Expr) -> Src {
        match &expr.kind {
            ExprKind::Var(var) => self.variable(*var),
            ExprKind::Literal(term) => self.lowering.literal(term),
            ExprKind::FunctionName(name, arity) => self.function_value(name, *arity as usize),
            ExprKind::LetrecName(var) => self.letrec_value(*var),
            ExprKind::Lambda(lambda) => self.lambda_value(lambda),
            _ => {
                let reg = Reg(self.depth);
                self.expr(expr, &Dst::Reg(reg));
                Src::reg(self.take())
            }
        }
    }

    pub(super) fn operand_list(&mut self, exprs: &'a [Expr]) -> Vec<Src> {
        exprs.iter().map(|it| self.operand(it)).collect()
    }

    pub(super) fn variable(&mut self, var: VarId) -> Src {
        match self.env.get(&var).cloned() {
            Some(Location::Src(src)) => src,
            Some(Location::Delayed(expr)) => self.operand(expr),
            Some(Location::Function { .. } | Location::Block { .. }) | None => {
                debug_assert!(false, "a variable that is nowhere: {var:?}");
                self.lowering.literal(&Term::Nil)
            }
        }
    }

    /// Moves a value to its destination.
    pub(super) fn finish(&mut self, src: Src, dst: &Dst) {
        match dst {
            Dst::Tail => self.emit(Ins::Return { src }),
            Dst::Reg(reg) => self.move_to(*reg, src),
            Dst::Many(regs) => {
                if let [reg] = regs.as_slice() {
                    self.move_to(*reg, src);
                }
            }
            Dst::Nowhere => (),
        }
    }

    fn finish_many(&mut self, srcs: &[Src], dst: &Dst) {
        match (dst, srcs) {
            (Dst::Many(regs), _) if regs.len() == srcs.len() => self.move_all(srcs, regs),
            (_, [src]) => self.finish(*src, dst),
            _ => (),
        }
    }

    pub(super) fn move_to(&mut self, dst: Reg, src: Src) {
        if src != Src::reg(dst) {
            self.emit(Ins::Move { dst, src });
        }
    }

    /// Moves several values in parallel: destinations may overlap with sources.
    pub(super) fn move_all(&mut self, srcs: &[Src], dsts: &[Reg]) {
        let clashes = |n: usize, src: &Src| {
            let before = dsts.get(..n).unwrap_or_default();
            src.as_reg().is_some_and(|it| before.contains(&it))
        };
        if !srcs.iter().enumerate().any(|(n, src)| clashes(n, src)) {
            srcs.iter().zip(dsts).for_each(|(src, dst)| self.move_to(*dst, *src));
            return;
        }
        let top = dsts.iter().map(|it| it.0.saturating_add(1)).max().unwrap_or(0).max(self.depth);
        let depth = self.depth;
        self.set_depth(top);
        let copies: Vec<Reg> = srcs.iter().map(|_| self.take()).collect();
        srcs.iter().zip(&copies).for_each(|(src, dst)| self.move_to(*dst, *src));
        copies.iter().zip(dsts).for_each(|(src, dst)| self.move_to(*dst, Src::reg(*src)));
        self.depth = depth;
    }

    /// Emits one instruction that computes a value.
    pub(super) fn compute(&mut self, dst: &Dst, ins: impl FnOnce(Reg) -> Ins) {
        match dst {
            Dst::Reg(reg) => {
                self.emit(ins(*reg));
                self.max_depth = self.max_depth.max(reg.0.saturating_add(1));
            }
            Dst::Tail | Dst::Many(_) | Dst::Nowhere => {
                let reg = self.take();
                self.emit(ins(reg));
                self.finish(Src::reg(reg), dst);
            }
        }
    }

    /// Emits a call. The callee's frame begins at register `depth`, where it leaves its result.
    pub(super) fn call(&mut self, dst: &Dst, tail: Ins, call: impl FnOnce(Reg) -> Ins) {
        if let Dst::Tail = dst {
            self.emit(tail);
            return;
        }
        let base = Reg(self.depth);
        self.emit(call(base));
        let base = self.take();
        self.finish(Src::reg(base), dst);
    }

    fn let_in(&mut self, vars: &[VarId], arg: &'a Expr, body: &'a Expr, dst: &Dst) {
        let [var] = vars else {
            let regs: Vec<Reg> =
                (0..vars.len()).map(|it| Reg(self.depth.saturating_add(count_u16(it)))).collect();
            let is_peek = matches!(&arg.kind, ExprKind::Primop { name, .. } if name.as_str() == "recv_peek_message");
            if let Some(message) = vars.get(1).filter(|_| is_peek) {
                for reference in awaited(*message, body) {
                    let reference = self.operand(reference);
                    self.emit(Ins::Awaits { reference });
                }
            }
            self.expr(arg, &Dst::Many(regs.clone()));
            for (var, reg) in vars.iter().zip(regs) {
                self.set_depth(reg.0.saturating_add(1));
                self.env.insert(*var, Location::Src(Src::reg(reg)));
            }
            self.expr(body, dst);
            return;
        };
        match &arg.kind {
            ExprKind::Var(_)
            | ExprKind::Literal(_)
            | ExprKind::FunctionName(..)
            | ExprKind::LetrecName(_)
            | ExprKind::Lambda(_) => {
                let src = self.operand(arg);
                self.env.insert(*var, Location::Src(src));
            }
            _ if self.lowering.uses(*var) == 0 => self.expr(arg, &Dst::Nowhere),
            _ => {
                let reg = Reg(self.depth);
                self.expr(arg, &Dst::Reg(reg));
                self.take();
                self.env.insert(*var, Location::Src(Src::reg(reg)));
            }
        }
        self.expr(body, dst);
    }

    // Data

    fn map(&mut self, place: Place, base: &'a Expr, pairs: &'a [MapPair], dst: &Dst) {
        let base = self.operand(base);
        let steps: Vec<MapStep> = pairs
            .iter()
            .map(|it| MapStep {
                op: it.op,
                key: self.operand(&it.key),
                value: self.operand(&it.value),
            })
            .collect();
        let program = &mut self.lowering.program;
        program.map_steps.push(steps);
        let steps = fit_u32(program.map_steps.len() - 1);
        self.place(place);
        self.compute(dst, |dst| Ins::Map { dst, base, steps });
    }

    fn bits(&mut self, place: Place, segments: &'a [Segment], dst: &Dst) {
        let segments: Vec<BitsSegment> = segments
            .iter()
            .map(|it| BitsSegment {
                number: it.number,
                value: self.operand(&it.value),
                size: it.size.as_ref().map(|it| self.operand(it)),
                spec: it.spec,
            })
            .collect();
        let program = &mut self.lowering.program;
        program.bits.push(segments);
        let segments = fit_u32(program.bits.len() - 1);
        self.place(place);
        self.compute(dst, |dst| Ins::Bits { dst, segments });
    }
}

fn here(lowering: &Lowering<'_>) -> u32 {
    fit_u32(lowering.program.code.len())
}

/// The number of arguments; BEAM allows at most 255.
pub(super) fn count(len: usize) -> u8 {
    u8::try_from(len).unwrap_or(u8::MAX)
}

pub(super) fn count_u16(len: usize) -> u16 {
    u16::try_from(len).unwrap_or(u16::MAX)
}
