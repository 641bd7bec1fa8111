//! Instructions: at most 16 bytes each, on registers of the current frame and constants.
//!
//! Registers are given out as a stack: at every instruction that may collect, those below a known
//! depth hold values and those above hold nothing. Calls place the callee's frame at that depth.

use term::Kind;
use trace::ClauseId;
use values::AtomId;

/// A register of the current frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reg(pub u16);

/// Where an operand comes from: a register or a literal.
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

    /// Index of a literal or number of a register.
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

/// `args` are places in [`Program::operands`](super::Program), `n` how many; `to` is an address
/// in the code, taken when the test fails.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ins {
    Move {
        dst: Reg,
        src: Src,
    },
    /// Makes registers hold something before their time, so that a collection may look at them.
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
    /// Operands: module, name, then the arguments.
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
    /// `+` of a constant, or `-` if it is negative.
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
    /// Goes on if the list has a cell.
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
    /// `n` captured values.
    Closure {
        dst: Reg,
        n: u16,
        lambda: u32,
        args: u32,
    },

    /// `error:function_clause`, in the trace as a call of that name with the arguments.
    FunctionClause {
        n: u8,
        name: AtomId,
        args: u32,
    },
    /// `error:Reason`
    Fail {
        reason: Src,
    },
    /// Raises again what a handler caught. The class is in the trace.
    Raise {
        trace: Src,
        reason: Src,
    },
    BuildTrace {
        dst: Reg,
        src: Src,
    },
    /// Makes the value of `catch` from what was raised at `at`.
    CatchEnd {
        at: Reg,
    },

    /// The receive wants messages with this reference only: older messages have it not.
    Awaits {
        reference: Src,
    },
    /// The message that the receive looks at, if there is one.
    Peek {
        found: Reg,
        message: Reg,
    },
    PeekNext,
    RemoveMessage,
    /// Waits for a message; the result says whether time ran out. Registers below `depth` live on.
    Wait {
        dst: Reg,
        timeout: Src,
        depth: Reg,
    },

    Clause {
        id: ClauseId,
    },
    /// The head of a loop that has no call in it.
    Loop {
        depth: Reg,
    },
    /// Falls out of a case whose clauses the compiler believed complete.
    NoClause,
    /// The whole body of a function that another runtime runs.
    Outside,
    /// Stands before a function whose calls are watched.
    Traced {
        function: FnId,
        scope: Scope,
    },
    /// A call that is watched returns.
    TracedReturn,
    /// Goes on with a function whose arguments are in place.
    Enter {
        function: FnId,
    },
}

/// From where calls of a function are seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// Only calls that name the module.
    Global,
    Local,
}

const _: () = assert!(size_of::<Ins>() <= 16, "an instruction fits 16 bytes");

impl Ins {
    /// Where the instruction may jump to.
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
