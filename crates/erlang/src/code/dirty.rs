//! The code of `erts_debug:dirty_cpu/2` and `dirty_io/2` while they wait.
//!
//! BEAM has threads of their own for such work. Here the process only waits, and takes no message.

use crate::code::{FnId, FunctionInfo, Ins, Program, Reg, Src};
use values::Atoms;

/// Each is called with how long to wait, and with what it returns then.
pub(crate) const DIRTY_CPU: FnId = FnId(1);
pub(crate) const DIRTY_IO: FnId = FnId(2);

const TIMEOUT: Src = Src::reg(Reg(0));
const RESULT: Src = Src::reg(Reg(1));
/// Registers below live on.
const LIVE: Reg = Reg(2);
const IS_OVER: Reg = Reg(2);
const N_REGS: u16 = 3;

/// Adds the functions to a program that has none but that of `receive`.
pub(super) fn add(program: &mut Program, atoms: &mut Atoms) {
    debug_assert_eq!(program.functions.len(), DIRTY_CPU.0 as usize, "the places of the two");
    for name in ["dirty_cpu", "dirty_io"] {
        let entry = u32::try_from(program.code.len()).unwrap_or(u32::MAX);
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
            end: u32::try_from(program.code.len()).unwrap_or(u32::MAX),
            n_regs: N_REGS,
        });
    }
    program.max_regs = program.max_regs.max(N_REGS);
}
