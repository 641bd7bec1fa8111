//! Instructions: at most 16 bytes each, on registers of the current frame and constants.
//!
//! Registers are allocated as a stack: at every instruction that may collect, the registers below a known depth hold
//! values and those above hold nothing. A call places the callee's frame at that depth.

use term::Kind;
use trace::ClauseId;
use values::AtomId;

/// A register of the current frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reg(pub u16);

/// The source of an operand: a register or a literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Src(u32);

const LITERAL: u32 = 1 << 31;

impl Src {
    pub const fn reg(reg: Reg) -> Src {
        Src(reg.0 as u32)
    }

    pub fn literal(index: usize) -> Src {
        Src(LITERAL | u32::try_from(index).unwrap_or(LITERAL - 1))
    }

    /// Returns `Ok` with the index of a literal or `Err` with the number of a register.
    #[inline]
    pub fn open(self) -> Result<usize, usize> {
        if self.0 & LITERAL != 0 { Ok((self.0 & !LITERAL) as usize) } else { Err(self.0 as usize) }
    }

    pub fn as_reg(self) -> Option<Reg> {
        self.open().err().and_then(|it| u16::try_from(it).ok()).map(Reg)
    }
}

/// Index into [`Program::functions`](super::Program).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FnId(pub u32);

/// Index into [`Program::imports`](super::Program).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImportId(pub u32);

/// Index into [`Program::builtins`](super::Program).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuiltinId(pub u16);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cmp {
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    Same,
    NotSame,
}

/// An instruction. `args` is the index of the first of `n` operands in [`Program::operands`](super::Program); `to` is
/// the address of the code to continue at if the test fails.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ins {
    Move {
        dst: Reg,
        src: Src,
    },
    /// Initialises registers before they are assigned, so that a collection may visit them.
    Clear {
        from: Reg,
        n: u16,
    },

    Call {
        n: u8,
        base: Reg,
        function: FnId,
        args: u32,
    },
    TailCall {
        n: u8,
        function: FnId,
        args: u32,
    },
    CallImport {
        n: u8,
        base: Reg,
        import: ImportId,
        args: u32,
    },
    TailImport {
        n: u8,
        import: ImportId,
        args: u32,
    },
    CallFun {
        n: u8,
        base: Reg,
        fun: Src,
        args: u32,
    },
    TailFun {
        n: u8,
        fun: Src,
        args: u32,
    },
    /// The operands are the module, the function name and the arguments.
    CallDynamic {
        n: u8,
        base: Reg,
        args: u32,
    },
    TailDynamic {
        n: u8,
        args: u32,
    },
    Return {
        src: Src,
    },

    Builtin {
        n: u8,
        dst: Reg,
        builtin: BuiltinId,
        args: u32,
    },
    Builtin1 {
        dst: Reg,
        builtin: BuiltinId,
        a: Src,
    },
    Builtin2 {
        dst: Reg,
        builtin: BuiltinId,
        a: Src,
        b: Src,
    },
    Add {
        dst: Reg,
        a: Src,
        b: Src,
    },
    /// Adds a constant; a negative one comes from a subtraction.
    AddInt {
        dst: Reg,
        a: Src,
        b: i32,
    },
    Subtract {
        dst: Reg,
        a: Src,
        b: Src,
    },
    Multiply {
        dst: Reg,
        a: Src,
        b: Src,
    },
    Compare {
        op: Cmp,
        dst: Reg,
        a: Src,
        b: Src,
    },
    IsKind {
        kind: Kind,
        dst: Reg,
        src: Src,
    },

    Jump {
        to: u32,
    },
    JumpUnless {
        op: Cmp,
        a: Src,
        b: Src,
        to: u32,
    },
    JumpUnlessInt {
        op: Cmp,
        a: Src,
        b: i32,
        to: u32,
    },
    JumpUnlessKind {
        kind: Kind,
        src: Src,
        to: u32,
    },
    JumpUnlessTrue {
        src: Src,
        to: u32,
    },
    IfCons {
        src: Src,
        to: u32,
    },
    IfNil {
        src: Src,
        to: u32,
    },
    IfTuple {
        src: Src,
        arity: u32,
        to: u32,
    },
    IfSame {
        src: Src,
        literal: Src,
        to: u32,
    },
    IfMap {
        src: Src,
        to: u32,
    },
    /// Continues with the next instruction if the value is a cons cell, at `nil` if it is `[]`.
    SwitchList {
        src: Src,
        nil: u32,
        to: u32,
    },
    Switch {
        src: Src,
        table: u32,
    },

    GetCons {
        head: Reg,
        tail: Reg,
        src: Src,
    },
    GetHead {
        dst: Reg,
        src: Src,
    },
    GetTail {
        dst: Reg,
        src: Src,
    },
    GetElement {
        dst: Reg,
        src: Src,
        place: u32,
    },
    GetKey {
        dst: Reg,
        map: Src,
        key: Src,
        to: u32,
    },
    MatchBits {
        src: Src,
        pattern: u32,
        to: u32,
    },

    Cons {
        dst: Reg,
        head: Src,
        tail: Src,
    },
    Tuple {
        dst: Reg,
        n: u32,
        args: u32,
    },
    Map {
        dst: Reg,
        base: Src,
        steps: u32,
    },
    Bits {
        dst: Reg,
        segments: u32,
    },
    /// Makes a closure with `n` captured values.
    Closure {
        dst: Reg,
        n: u16,
        lambda: u32,
        args: u32,
    },

    /// Raises `error:function_clause`; the stack trace shows a call of the function `name` with these arguments.
    FunctionClause {
        n: u8,
        name: AtomId,
        args: u32,
    },
    /// Raises `error:Reason`.
    Fail {
        reason: Src,
    },
    /// Raises again what a handler caught. The class is stored in the raw trace.
    Raise {
        trace: Src,
        reason: Src,
    },
    BuildTrace {
        dst: Reg,
        src: Src,
    },
    /// Makes the value of a `catch` expression from the exception whose class, reason and trace begin at register `at`.
    CatchEnd {
        at: Reg,
    },

    /// The receive accepts only messages with this reference, so it skips messages older than the reference.
    Awaits {
        reference: Src,
    },
    /// Reads the current message of the receive, and whether there is one.
    Peek {
        found: Reg,
        message: Reg,
    },
    PeekNext,
    RemoveMessage,
    /// Waits for a message; `dst` says whether the timeout expired. Registers below `depth` stay alive.
    Wait {
        dst: Reg,
        timeout: Src,
        depth: Reg,
    },

    Clause {
        id: ClauseId,
    },
    /// The head of a loop without a call: a safe point, and charged as a call.
    Loop {
        depth: Reg,
    },
    /// Raises `error:if_clause`: no clause of a case matched that the compiler took to be complete.
    NoClause,
    /// Replaces the body of a function that another runtime runs.
    Outside,
    /// Stands before a function whose calls are traced.
    Traced {
        function: FnId,
        scope: Scope,
    },
    /// Reports the return of a traced call.
    TracedReturn,
    /// Continues with a function whose arguments are already in its registers.
    Enter {
        function: FnId,
    },
}

/// Which calls of a function are traced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// Only calls that name the module.
    Global,
    Local,
}

const _: () = assert!(size_of::<Ins>() <= 16, "an instruction fits 16 bytes");

impl Ins {
    /// The addresses that the instruction may jump to, except those in a switch table.
    pub(crate) fn targets(&mut self) -> [Option<&mut u32>; 2] {
        match self {
            Ins::Jump { to }
            | Ins::JumpUnless { to, .. }
            | Ins::JumpUnlessInt { to, .. }
            | Ins::JumpUnlessKind { to, .. }
            | Ins::JumpUnlessTrue { to, .. }
            | Ins::IfCons { to, .. }
            | Ins::IfNil { to, .. }
            | Ins::IfTuple { to, .. }
            | Ins::IfSame { to, .. }
            | Ins::IfMap { to, .. }
            | Ins::GetKey { to, .. }
            | Ins::MatchBits { to, .. } => [Some(to), None],
            Ins::SwitchList { nil, to, .. } => [Some(nil), Some(to)],
            Ins::Move { .. }
            | Ins::Clear { .. }
            | Ins::Call { .. }
            | Ins::TailCall { .. }
            | Ins::CallImport { .. }
            | Ins::TailImport { .. }
            | Ins::CallFun { .. }
            | Ins::TailFun { .. }
            | Ins::CallDynamic { .. }
            | Ins::TailDynamic { .. }
            | Ins::Return { .. }
            | Ins::Builtin { .. }
            | Ins::Builtin1 { .. }
            | Ins::Builtin2 { .. }
            | Ins::Add { .. }
            | Ins::AddInt { .. }
            | Ins::Subtract { .. }
            | Ins::Multiply { .. }
            | Ins::Compare { .. }
            | Ins::IsKind { .. }
            | Ins::Switch { .. }
            | Ins::GetCons { .. }
            | Ins::GetHead { .. }
            | Ins::GetTail { .. }
            | Ins::GetElement { .. }
            | Ins::Cons { .. }
            | Ins::Tuple { .. }
            | Ins::Map { .. }
            | Ins::Bits { .. }
            | Ins::Closure { .. }
            | Ins::FunctionClause { .. }
            | Ins::Fail { .. }
            | Ins::Raise { .. }
            | Ins::BuildTrace { .. }
            | Ins::CatchEnd { .. }
            | Ins::Awaits { .. }
            | Ins::Peek { .. }
            | Ins::PeekNext
            | Ins::RemoveMessage
            | Ins::Wait { .. }
            | Ins::Clause { .. }
            | Ins::Loop { .. }
            | Ins::Traced { .. }
            | Ins::TracedReturn
            | Ins::Enter { .. }
            | Ins::NoClause
            | Ins::Outside => [None, None],
        }
    }
}
