//! The code of `erts_debug:dirty_cpu/2` and `dirty_io/2`, which only wait.
//!
//! BEAM runs such work on dirty schedulers. Here the process waits for the timeout and receives no message meanwhile.

use crate::code::{FnId, FunctionInfo, Ins, Program, Reg, Src};
use term::fit_u32;
use values::Atoms;

/// The functions' arguments are the timeout and the value to return after it.
pub(crate) const DIRTY_CPU: FnId = FnId(1);
pub(crate) const DIRTY_IO: FnId = FnId(2);

const TIMEOUT: Src = Src::reg(Reg(0));
const RESULT: Src = Src::reg(Reg(1));
/// The registers below this one stay alive during the wait.
const LIVE: Reg = Reg(2);
const IS_OVER: Reg = Reg(2);
const N_REGS: u16 = 3;

/// Adds the two functions to a program whose only function is [`RECEIVE`](super::RECEIVE).
pub(super) fn add(program: &mut Program, atoms: &mut Atoms) {
    debug_assert_eq!(
        program.functions.len(),
        DIRTY_CPU.0 as usize,
        "DIRTY_CPU and DIRTY_IO are the next functions"
    );
    for name in ["dirty_cpu", "dirty_io"] {
        let entry = fit_u32(program.code.len());
        program.code.extend([
            Ins::Wait { dst: IS_OVER, timeout: TIMEOUT, depth: LIVE },
            Ins::JumpUnlessTrue { src: Src::reg(IS_OVER), to: entry },
            Ins::Return { src: RESULT },
        ]);
        program.functions.push(FunctionInfo {
            module: atoms.intern("erts_debug"),
            name: atoms.intern(name),
            arity: 2,
            entry,
            start: entry,
            end: fit_u32(program.code.len()),
            n_regs: N_REGS,
        });
    }
    program.max_regs = program.max_regs.max(N_REGS);
}
