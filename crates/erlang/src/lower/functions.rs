//! Emits calls, and lambda lifting: funs and letrecs become functions of their own.

use crate::code::{FnId, Import, ImportId, Ins, Reg, Src};
use crate::core::{Expr, ExprKind, Lambda, Place, VarId};
use crate::lower::PendingFunction;
use crate::lower::emit::{Dst, Emitter, Label, Location, count, count_u16};
use crate::lower::names::mentioned;
use term::fit_u32;
use term::{Atom, Term};

impl<'a> Emitter<'_, 'a> {
    pub(super) fn call_local(&mut self, name: &Atom, arity: usize, srcs: &[Src], dst: &Dst) {
        if self.is_builtin(name, arity) {
            let module = self.lowering.module.name.clone();
            self.call_import(&module, name, srcs, dst);
            return;
        }
        let Some(function) = self.lowering.locals.get(&(name.clone(), arity)).copied() else {
            debug_assert!(false, "a function that is not in its module: {name:?}/{arity}");
            return;
        };
        let (n, args) = (count(srcs.len()), self.operands(srcs));
        self.call(dst, Ins::TailCall { n, function, args }, |base| Ins::Call {
            n,
            base,
            function,
            args,
        });
    }

    pub(super) fn apply_letrec(
        &mut self,
        place: Place,
        function: VarId,
        args: &'a [Expr],
        dst: &Dst,
    ) {
        let mut srcs = self.operand_list(args);
        match self.env.get(&function).cloned() {
            Some(Location::Block { label, params }) => {
                self.move_all(&srcs, &params);
                self.jump(label);
            }
            Some(Location::Function { id, captured, .. }) => {
                srcs.extend(captured.iter().map(|it| self.variable(*it)));
                let (n, args) = (count(srcs.len()), self.operands(&srcs));
                self.place(place);
                self.call(dst, Ins::TailCall { n, function: id, args }, |base| Ins::Call {
                    n,
                    base,
                    function: id,
                    args,
                });
            }
            Some(Location::Src(_) | Location::Delayed(_)) | None => {
                debug_assert!(false, "a letrec name that is no function: {function:?}");
            }
        }
    }

    pub(super) fn letrec(
        &mut self,
        functions: &'a [(VarId, Atom, Lambda)],
        body: &'a Expr,
        dst: &Dst,
    ) {
        let captured = self.captured(functions.iter().map(|it| &it.2));
        let mut declared = Vec::new();
        for (var, name, lambda) in functions {
            let arity = lambda.params.len();
            let id = self.lowering.declare(name, arity + captured.len());
            let (captured, name) = (captured.clone().into(), name.clone());
            let location = Location::Function { id, captured, lambda, name };
            self.env.insert(*var, location);
            declared.push((id, lambda));
        }
        for (id, lambda) in declared {
            self.lift(id, lambda, captured.clone());
        }
        self.expr(body, dst);
    }

    /// Emits a letrec whose functions are only called in tail position: its functions become blocks of code that are
    /// jumped to, without frames.
    pub(super) fn blocks(
        &mut self,
        functions: &'a [(VarId, Atom, Lambda)],
        body: &'a Expr,
        dst: &Dst,
    ) {
        let first = self.depth;
        let mut labels = Vec::new();
        for (var, _, lambda) in functions {
            let params: Vec<Reg> = lambda.params.iter().map(|_| self.take()).collect();
            for (param, reg) in lambda.params.iter().zip(&params) {
                self.env.insert(*param, Location::Src(Src::reg(*reg)));
            }
            let label = self.label();
            labels.push(label);
            self.env.insert(*var, Location::Block { label, params: params.into() });
        }
        if self.depth > first {
            self.emit(Ins::Clear { from: Reg(first), n: self.depth - first });
        }
        let join = self.label();
        self.expr(body, dst);
        for (label, (_, _, lambda)) in labels.into_iter().zip(functions) {
            self.end_branch(dst, join);
            self.bind_label(label);
            self.emit(Ins::Loop { depth: Reg(self.depth) });
            self.expr(&lambda.body, dst);
        }
        self.bind_label(join);
    }

    /// Ends a branch whose value has been moved to its destination.
    pub(super) fn end_branch(&mut self, dst: &Dst, join: Label) {
        if !matches!(dst, Dst::Tail) {
            self.jump(join);
        }
    }

    /// The variables in this function's registers that the lifted lambdas use, directly or through other lifted
    /// functions.
    pub(super) fn captured(&self, lambdas: impl Iterator<Item = &'a Lambda>) -> Vec<VarId> {
        let mut res: Vec<VarId> = Vec::new();
        let mut add = |var: VarId| {
            if !res.contains(&var) {
                res.push(var);
            }
        };
        for lambda in lambdas {
            mentioned(lambda, &mut |var| match self.env.get(&var) {
                Some(Location::Src(src)) if src.as_reg().is_some() => add(var),
                Some(Location::Function { captured, .. }) => {
                    captured.iter().for_each(|it| {
                        if matches!(self.env.get(it), Some(Location::Src(it)) if it.as_reg().is_some()) {
                            add(*it);
                        }
                    });
                }
                Some(Location::Src(_) | Location::Block { .. } | Location::Delayed(_)) | None => (),
            });
        }
        res
    }

    pub(super) fn lift(&mut self, id: FnId, lambda: &'a Lambda, captured: Vec<VarId>) {
        let outer = self
            .env
            .iter()
            .filter(|(_, location)| match location {
                Location::Src(src) => src.as_reg().is_none(),
                Location::Function { .. } => true,
                Location::Block { .. } | Location::Delayed(_) => false,
            })
            .map(|(var, location)| (*var, location.clone()))
            .collect();
        let owner = self.owner.clone();
        self.lowering.pending.push_back(PendingFunction {
            id,
            native: None,
            lambda,
            captured,
            outer,
            owner,
        });
    }

    pub(super) fn lambda_value(&mut self, lambda: &'a Lambda) -> Src {
        let captured = self.captured(std::iter::once(lambda));
        let arity = lambda.params.len();
        let name = lambda.fun_name.clone().unwrap_or_else(|| {
            self.n_lifted += 1;
            Atom::new(&format!("-{}-anonymous-{}-", self.owner, self.n_lifted - 1))
        });
        let id = self.lowering.declare(&name, arity + captured.len());
        self.lift(id, lambda, captured.clone());
        self.closure(id, &name, arity, &captured)
    }

    pub(super) fn letrec_value(&mut self, var: VarId) -> Src {
        let Some(Location::Function { id, captured, lambda, name }) = self.env.get(&var).cloned()
        else {
            debug_assert!(false, "a letrec name that is no function: {var:?}");
            return self.lowering.literal(&Term::Nil);
        };
        self.closure(id, &name, lambda.params.len(), &captured)
    }

    pub(super) fn function_value(&mut self, name: &Atom, arity: usize) -> Src {
        let id = self.lowering.locals.get(&(name.clone(), arity)).copied();
        self.closure(id.unwrap_or(self.id), name, arity, &[])
    }

    pub(super) fn closure(
        &mut self,
        function: FnId,
        name: &Atom,
        arity: usize,
        captured: &[VarId],
    ) -> Src {
        let lambda = self.lowering.closure_of(function, name, arity).0;
        let srcs: Vec<Src> = captured.iter().map(|it| self.variable(*it)).collect();
        let (n, args) = (count_u16(srcs.len()), self.operands(&srcs));
        let dst = self.take();
        self.emit(Ins::Closure { dst, n, lambda, args });
        Src::reg(dst)
    }

    // Calls of other modules

    pub(super) fn import(&mut self, module: &Atom, name: &Atom, arity: usize) -> ImportId {
        let atoms = &mut self.lowering.world.atoms;
        let (module, name) = (atoms.intern(module.as_str()), atoms.intern(name.as_str()));
        let arity = u32::try_from(arity).unwrap_or(u32::MAX);
        let program = &mut self.lowering.program;
        *program.import_ids.entry((module, name, arity)).or_insert_with(|| {
            program.imports.push(Import { module, name, arity, target: None.into() });
            ImportId(fit_u32(program.imports.len() - 1))
        })
    }

    pub(super) fn call_import(&mut self, module: &Atom, name: &Atom, srcs: &[Src], dst: &Dst) {
        let import = self.import(module, name, srcs.len());
        let (n, args) = (count(srcs.len()), self.operands(srcs));
        self.call(dst, Ins::TailImport { n, import, args }, |base| Ins::CallImport {
            n,
            base,
            import,
            args,
        });
    }

    pub(super) fn call_remote(
        &mut self,
        place: Place,
        module: &'a Expr,
        name: &'a Expr,
        args: &'a [Expr],
        dst: &Dst,
    ) {
        if let (ExprKind::Literal(Term::Atom(module)), ExprKind::Literal(Term::Atom(name))) =
            (&module.kind, &name.kind)
        {
            let mut srcs = self.operand_list(args);
            self.place(place);
            let (module, name) = as_compiled(module, name, &mut srcs);
            if self.operator(&module, &name, &srcs, dst) {
                return;
            }
            self.call_import(&module, &name, &srcs, dst);
            return;
        }
        let mut srcs = vec![self.operand(module), self.operand(name)];
        srcs.extend(self.operand_list(args));
        let (n, args) = (count(srcs.len() - 2), self.operands(&srcs));
        self.place(place);
        self.call(dst, Ins::TailDynamic { n, args }, |base| Ins::CallDynamic { n, base, args });
    }
}

/// The call as OTP's compiler emits it, which is visible in stack traces: some builtins are renamed, and a literal
/// becomes the second operand of a commutative operator.
fn as_compiled(module: &Atom, name: &Atom, srcs: &mut [Src]) -> (Atom, Atom) {
    const COMMUTATIVE: &[&str] = &["+", "*", "band", "bor", "bxor", "and", "or", "xor"];
    let renamed = match (module.as_str(), name.as_str(), srcs.len()) {
        ("maps", "get", 2) => "map_get",
        ("maps", "is_key", 2) => "is_map_key",
        ("erlang", "!", 2) => "send",
        _ => {
            if module.as_str() == "erlang"
                && COMMUTATIVE.contains(&name.as_str())
                && let [left, right] = srcs
                && left.as_reg().is_none()
                && right.as_reg().is_some()
            {
                std::mem::swap(left, right);
            }
            return (module.clone(), name.clone());
        }
    };
    (Atom::new("erlang"), Atom::new(renamed))
}
