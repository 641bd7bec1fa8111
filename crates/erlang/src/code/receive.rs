//! The code of `prim_eval:'receive'/2`, by which interpreted code (`erl_eval`) receives messages.
//!
//! OTP has this function in assembly, because Erlang cannot call a function to test whether a message matches.

use crate::code::{Cmp, FnId, FunctionInfo, Ins, Program, Reg, Src};
use term::fit_u32;
use values::Atoms;

/// The function's arguments are the fun that matches, the timeout, and the atoms `timeout` and `nomatch`.
pub(crate) const RECEIVE: FnId = FnId(0);

const FUN: Src = Src::reg(Reg(0));
const TIMEOUT: Src = Src::reg(Reg(1));
const TIMED_OUT: Src = Src::reg(Reg(2));
const NO_MATCH: Src = Src::reg(Reg(3));
/// The registers below this one stay alive throughout the loop.
const LIVE: Reg = Reg(4);
const FOUND: Reg = Reg(4);
const MESSAGE: Reg = Reg(5);
const RESULT: Reg = Reg(6);
const N_REGS: u16 = 16;

/// Adds the function to a program that has no functions yet.
pub(super) fn add(program: &mut Program, atoms: &mut Atoms) {
    debug_assert!(program.functions.is_empty(), "{RECEIVE:?} is the first function");
    let entry = fit_u32(program.code.len());
    let args = fit_u32(program.operands.len());
    program.operands.push(Src::reg(MESSAGE));
    let (take, wait) = (entry + 7, entry + 9);
    let code = [
        Ins::Loop { depth: LIVE },
        Ins::Peek { found: FOUND, message: MESSAGE },
        Ins::JumpUnlessTrue { src: Src::reg(FOUND), to: wait },
        Ins::CallFun { n: 1, base: RESULT, fun: FUN, args },
        Ins::JumpUnless { op: Cmp::Same, a: Src::reg(RESULT), b: NO_MATCH, to: take },
        Ins::PeekNext,
        Ins::Jump { to: entry },
        Ins::RemoveMessage,
        Ins::Return { src: Src::reg(RESULT) },
        Ins::Wait { dst: FOUND, timeout: TIMEOUT, depth: LIVE },
        Ins::JumpUnlessTrue { src: Src::reg(FOUND), to: entry },
        Ins::Return { src: TIMED_OUT },
    ];
    program.code.extend(code);
    program.functions.push(FunctionInfo {
        module: atoms.intern("prim_eval"),
        name: atoms.intern("receive"),
        arity: 2,
        entry,
        start: entry,
        end: fit_u32(program.code.len()),
        n_regs: N_REGS,
    });
    program.max_regs = program.max_regs.max(N_REGS);
}
