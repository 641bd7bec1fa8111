//! The instructions of compiled clauses, 16 bytes each.
//!
//! A clause works on slots: its arguments first, then its other variables and temporaries. The
//! arguments of a call are built behind the slots, where the callee finds them as its own.

use crate::code::{ArithOp, PredId};
use crate::data::{Blob, FunctorId, Tag, Value};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ins {
    // Taking apart or building a term in a slot. `Unify*` follow `GetStruct`, `PutStruct` or
    // `BuildStruct` and go through its arguments.
    GetAtomic(u32, u32),
    GetStruct(u32, FunctorId),
    /// Two slots become equal.
    GetSame(u32, u32),
    UnifyVar(u32),
    UnifyValue(u32),
    UnifyAtomic(u32),
    UnifyVoid(u32),
    /// The slot gets a new structure.
    BuildStruct(u32, FunctorId),
    /// The slot gets a new variable.
    Fresh(u32),
    Move(u32, u32),
    SetAtomic(u32, u32),

    // Arguments of the next call.
    PutFresh(u32),
    /// A new variable, in the argument and in a slot.
    PutVar(u32, u32),
    PutValue(u32, u32),
    PutAtomic(u32, u32),
    PutStruct(u32, FunctorId),

    // Control.
    Allocate(u32),
    Call(PredId),
    /// The last call of a clause without a frame.
    Execute(PredId),
    DeallocExecute(PredId),
    Proceed,
    DeallocProceed,
    NeckCut,
    Cut,
    /// The slot remembers the choice points there are.
    Mark(u32),
    /// Back to those of a mark.
    CutTo(u32),
    /// Only the first choice point after the mark goes.
    SoftCut(u32),
    /// A choice point; on failure, execution goes on there.
    Try(u32),
    Jump(u32),
    Fail,

    // Operations without a call. The last number is where to go when it does not hold; `BACKTRACK`
    // is failure.
    Arith(ArithOp, u32, Operand, Operand),
    /// Evaluates an operand that may be an expression at run time.
    Evaluate(u32, Operand),
    Compare(Compare, Operand, Operand, u32),
    Test(Test, Operand, u32),
    Order(Compare, Operand, Operand, u32),
    /// `==` and `\==`.
    Identical(bool, Operand, Operand, u32),

    // Of a clause under test.
    /// Its head matched.
    Enter(u32),
    /// A goal of its body comes next, counted from 1.
    Reach(u32, u32),
    /// The next call is one of `catch/3` in a clause under test: the mark of its goal's success, and the next
    /// one that of a caught exception.
    Catch(u32),
    /// Its body was evaluated to the end.
    Exit(u32),

    // What the machine itself continues at.
    Answer,
    CatchExit,
    CleanupExit,
    /// Runs the goal at the base; frame and continuation are set.
    CallGoal,
    /// Calls the predicate whose arguments lie in the slots of the frame.
    Resume,
    /// Goes on at an instruction that goals had to run before.
    ResumeHere,
}

pub(crate) const BACKTRACK: u32 = u32::MAX;

/// A slot, or a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand(u32);

const CONSTANT: u32 = 1 << 31;

impl Operand {
    pub fn slot(slot: u32) -> Operand {
        Operand(slot)
    }

    pub fn konst(konst: u32) -> Operand {
        Operand(konst | CONSTANT)
    }

    /// The constant's number, or the slot.
    #[inline]
    pub fn place(self) -> Result<u32, u32> {
        if self.0 & CONSTANT == 0 { Err(self.0) } else { Ok(self.0 & !CONSTANT) }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compare {
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
}

impl Compare {
    #[inline]
    pub fn holds(self, order: std::cmp::Ordering) -> bool {
        match self {
            Compare::Less => order.is_lt(),
            Compare::LessEqual => order.is_le(),
            Compare::Greater => order.is_gt(),
            Compare::GreaterEqual => order.is_ge(),
            Compare::Equal => order.is_eq(),
            Compare::NotEqual => order.is_ne(),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test {
    Var,
    Nonvar,
    Atom,
    Integer,
    Float,
    Number,
    Atomic,
    Compound,
    Callable,
    IsList,
    String,
    /// Never: for `\+ var(X)` and the like.
    NotAtom,
    NotInteger,
    NotFloat,
    NotNumber,
    NotAtomic,
    NotCompound,
    NotCallable,
    NotList,
    NotString,
}

impl Test {
    pub fn negated(self) -> Test {
        match self {
            Test::Var => Test::Nonvar,
            Test::Nonvar => Test::Var,
            Test::Atom => Test::NotAtom,
            Test::Integer => Test::NotInteger,
            Test::Float => Test::NotFloat,
            Test::Number => Test::NotNumber,
            Test::Atomic => Test::NotAtomic,
            Test::Compound => Test::NotCompound,
            Test::Callable => Test::NotCallable,
            Test::IsList => Test::NotList,
            Test::String => Test::NotString,
            Test::NotAtom => Test::Atom,
            Test::NotInteger => Test::Integer,
            Test::NotFloat => Test::Float,
            Test::NotNumber => Test::Number,
            Test::NotAtomic => Test::Atomic,
            Test::NotCompound => Test::Compound,
            Test::NotCallable => Test::Callable,
            Test::NotList => Test::IsList,
            Test::NotString => Test::String,
        }
    }

    pub fn from_name(name: &str) -> Option<Test> {
        Some(match name {
            "var" => Test::Var,
            "nonvar" => Test::Nonvar,
            "atom" => Test::Atom,
            "integer" => Test::Integer,
            "float" => Test::Float,
            "number" => Test::Number,
            "atomic" => Test::Atomic,
            "compound" => Test::Compound,
            "callable" => Test::Callable,
            "string" => Test::String,
            _ => return None,
        })
    }
}

/// A constant of a clause.
#[derive(Clone, Debug)]
pub enum Konst {
    Plain(Value),
    Blob(Tag, Blob),
}

const _: () = assert!(size_of::<Ins>() == 16, "instructions are 16 bytes");
