//! Emits `try`, `catch`, and the primitive operations that raise exceptions and receive messages.

use crate::code::{Handler, HandlerKind, Ins, Reg, Src};
use crate::core::{Expr, ExprKind, Place, VarId};
use crate::lower::emit::{Dst, Emitter, Label, Location, count, count_u16};
use term::{Atom, Term};
use values::AtomId;

impl<'a> Emitter<'_, 'a> {
    pub(super) fn try_of(
        &mut self,
        arg: &'a Expr,
        (vars, body): (&[VarId], &'a Expr),
        (raised, handler): (&[VarId], &'a Expr),
        dst: &Dst,
    ) {
        let base = self.depth;
        let start = self.here();
        let regs: Vec<Reg> =
            (0..vars.len()).map(|it| Reg(base.saturating_add(count_u16(it)))).collect();
        let arg_dst = match regs.as_slice() {
            [reg] => Dst::Reg(*reg),
            _ => Dst::Many(regs.clone()),
        };
        self.expr(arg, &arg_dst);
        let end = self.here();
        let (caught, join) = (self.label(), self.label());
        self.handler(start, end, caught, HandlerKind::Try(Reg(base)));
        for (var, reg) in vars.iter().zip(&regs) {
            self.set_depth(reg.0.saturating_add(1));
            self.env.insert(*var, Location::Src(Src::reg(*reg)));
        }
        self.expr(body, dst);
        self.end_branch(dst, join);
        self.bind_label(caught);
        self.set_depth(base);
        let regs: Vec<Reg> = (0..3).map(|_| self.take()).collect();
        for (var, reg) in raised.iter().zip(regs) {
            self.env.insert(*var, Location::Src(Src::reg(reg)));
        }
        self.expr(handler, dst);
        self.bind_label(join);
    }

    pub(super) fn catch(&mut self, body: &'a Expr, dst: &Dst) {
        let base = Reg(self.depth);
        let start = self.here();
        self.expr(body, &Dst::Reg(base));
        let end = self.here();
        let (caught, join) = (self.label(), self.label());
        self.handler(start, end, caught, HandlerKind::Try(base));
        self.jump(join);
        self.bind_label(caught);
        self.emit(Ins::CatchEnd { at: base });
        self.bind_label(join);
        self.set_depth(base.0.saturating_add(3));
        self.finish(Src::reg(base), dst);
    }

    pub(super) fn handler(&mut self, start: u32, end: u32, target: Label, kind: HandlerKind) {
        if start < end {
            self.lowering.program.handlers.push(Handler { start, end, target: target.0, kind });
        }
    }

    pub(super) fn primop(&mut self, place: Place, name: &Atom, args: &'a [Expr], dst: &Dst) {
        self.place(place);
        match (name.as_str(), args) {
            ("match_fail", [reason]) => self.match_fail(place, reason),
            ("raise", [trace, reason]) => {
                let (trace, reason) = (self.operand(trace), self.operand(reason));
                self.emit(Ins::Raise { trace, reason });
            }
            ("build_stacktrace", [trace]) => {
                let src = self.operand(trace);
                self.compute(dst, |dst| Ins::BuildTrace { dst, src });
            }
            ("recv_peek_message", []) => {
                let (found, message) = match dst {
                    Dst::Many(regs) if regs.len() == 2 => (regs.first(), regs.get(1)),
                    _ => (None, None),
                };
                let found = found.copied().unwrap_or(Reg(self.depth));
                let message = message.copied().unwrap_or(Reg(self.depth.saturating_add(1)));
                self.max_depth = self.max_depth.max(message.0.saturating_add(1));
                self.emit(Ins::Peek { found, message });
            }
            ("recv_next", []) => {
                self.emit(Ins::PeekNext);
            }
            ("remove_message", []) => {
                self.emit(Ins::RemoveMessage);
            }
            ("recv_wait_timeout", [timeout]) => {
                let timeout = self.operand(timeout);
                let depth = Reg(self.depth);
                self.compute(dst, |dst| Ins::Wait { dst, timeout, depth });
            }
            // The remaining primitive operations are hints to the JIT compiler and internals of OTP.
            _ => {
                let srcs = self.operand_list(args);
                let import = self.import(&Atom::new("gimlet_primop"), name, srcs.len());
                let (n, args) = (count(srcs.len()), self.operands(&srcs));
                self.call(dst, Ins::TailImport { n, import, args }, |base| Ins::CallImport {
                    n,
                    base,
                    import,
                    args,
                });
            }
        }
    }

    pub(super) fn match_fail(&mut self, place: Place, reason: &'a Expr) {
        if let ExprKind::Tuple(items) = &reason.kind
            && let Some((head, args)) = items.split_first()
            && matches!(&head.kind, ExprKind::Literal(it) if it.as_atom() == Some("function_clause"))
        {
            let srcs = self.operand_list(args);
            self.function_clause(&srcs);
            return;
        }
        if let ExprKind::Literal(Term::Tuple(items)) = &reason.kind
            && let Some((head, args)) = items.split_first()
            && head.as_atom() == Some("function_clause")
        {
            let srcs: Vec<Src> = args.iter().map(|it| self.lowering.literal(it)).collect();
            self.function_clause(&srcs);
            return;
        }
        // `if_clause` and `else_clause` are written as tuples of one element, but raised as atoms.
        let src = match &reason.kind {
            ExprKind::Tuple(items) if items.len() == 1 => match items.first() {
                Some(item) => self.operand(item),
                None => return,
            },
            ExprKind::Literal(Term::Tuple(items)) if items.len() == 1 => match items.first() {
                Some(item) => self.lowering.literal(item),
                None => return,
            },
            _ => self.operand(reason),
        };
        self.place(place);
        self.emit(Ins::Fail { reason: src });
    }

    /// Emits the exception for arguments that no clause of the function matches.
    fn function_clause(&mut self, srcs: &[Src]) {
        let name = self.shown_name();
        let (n, args) = (count(srcs.len()), self.operands(srcs));
        self.emit(Ins::FunctionClause { n, name, args });
    }

    /// The function name that the stack trace shows for a `function_clause` raised here.
    fn shown_name(&mut self) -> AtomId {
        let atoms = &mut self.lowering.world.atoms;
        if let Some((name, arity)) = self.inlining.last() {
            return atoms.intern(&format!("-inlined-{}/{arity}-", name.as_str()));
        }
        if let Some(name) = &self.stub_name {
            return atoms.intern(name.as_str());
        }
        let id = self.function_id().0 as usize;
        let function = self.lowering.program.functions.get(id);
        function.map_or(AtomId::UNDEFINED, |it| it.name)
    }
}
