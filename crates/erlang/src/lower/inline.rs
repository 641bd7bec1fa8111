//! Inlines functions into their callers if their module asks for it.
//!
//! Only functions named by `-compile({inline, …})` are inlined, because stack traces show it: an error in an inlined
//! function appears as an error of its caller (OTP's `sys_core_inline`).

use crate::code::{ClauseInfo, Src};
use crate::core::Clause;
use crate::lower::emit::{Dst, Emitter, Location};
use term::Atom;
use term::fit_u32;
use trace::ClauseId;

impl<'a> Emitter<'_, 'a> {
    /// Emits the body of the function in place of a call, if it is to be inlined. Returns whether it did.
    pub(super) fn inline_call(
        &mut self,
        name: &Atom,
        arity: usize,
        srcs: &[Src],
        dst: &Dst,
    ) -> bool {
        let key = (name.clone(), arity);
        let Some(lambda) = self.lowering.inlined.get(&key).copied() else { return false };
        if self.inlining.contains(&key) || self.owner == format!("{}/{arity}", name.as_str()) {
            return false;
        }
        self.inlining.push(key);
        for (param, src) in lambda.params.iter().zip(srcs) {
            self.env.insert(*param, Location::Src(*src));
        }
        self.expr(&lambda.body, dst);
        self.inlining.pop();
        true
    }

    /// The number of a clause of the source; all copies of the clause share it.
    pub(super) fn clause_id(&mut self, clause: &'a Clause) -> ClauseId {
        let at = std::ptr::from_ref(clause).addr();
        if let Some(id) = self.lowering.clause_ids.get(&at) {
            return *id;
        }
        let inlined = self.inlining.last().and_then(|it| self.lowering.locals.get(it)).copied();
        let function = inlined.unwrap_or(self.function_id());
        let clauses = &mut self.lowering.program.clauses;
        clauses.push(ClauseInfo { function, place: clause.place });
        let id = ClauseId(fit_u32(clauses.len() - 1));
        self.lowering.clause_ids.insert(at, id);
        id
    }
}
