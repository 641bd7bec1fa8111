//! The instructions of compiled clauses, 16 bytes each.
//!
//! A clause works on slots: first its arguments, then its other variables and temporaries. The arguments of a
//! call are built behind the slots of the caller; there they are the first slots of the callee.

use crate::code::{ArithOp, PredId};
use crate::data::{Blob, FunctorId, Tag, Value};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ins {
    // Instructions that match or build a term in a slot. `Unify*` instructions follow `GetStruct`,
    // `PutStruct` or `BuildStruct`, one for each argument or run of arguments.
    GetAtomic(u32, u32),
    GetStruct(u32, FunctorId),
    /// Unifies two slots.
    GetSame(u32, u32),
    UnifyVar(u32),
    UnifyValue(u32),
    UnifyAtomic(u32),
    UnifyVoid(u32),
    /// Stores a new structure in the slot.
    BuildStruct(u32, FunctorId),
    /// Stores a new variable in the slot.
    Fresh(u32),
    Move(u32, u32),
    SetAtomic(u32, u32),

    // Instructions that build the arguments of the next call.
    PutFresh(u32),
    /// Stores a new variable in an argument and in a slot.
    PutVar(u32, u32),
    PutValue(u32, u32),
    PutAtomic(u32, u32),
    PutStruct(u32, FunctorId),

    // Control.
    Allocate(u32),
    Call(PredId),
    /// The last call of a clause without a frame (tail call).
    Execute(PredId),
    DeallocExecute(PredId),
    Proceed,
    DeallocProceed,
    NeckCut,
    Cut,
    /// Stores the number of choice points in the slot.
    Mark(u32),
    /// Removes the choice points made since the mark in the slot.
    CutTo(u32),
    /// Removes only the first choice point made since the mark in the slot.
    SoftCut(u32),
    /// Pushes a choice point; on backtracking, execution continues at this address.
    Try(u32),
    Jump(u32),
    Fail,

    // Operations without a call. The last number of a test is the address to jump to if the test does not
    // hold; `BACKTRACK` stands for failure.
    Arith(ArithOp, u32, Operand, Operand),
    /// Evaluates an operand, which may be bound to an expression at run time.
    Evaluate(u32, Operand),
    Compare(Compare, Operand, Operand, u32),
    Test(Test, Operand, u32),
    Order(Compare, Operand, Operand, u32),
    /// `==/2` if the flag is true, `\==/2` if it is false.
    Identical(bool, Operand, Operand, u32),

    // Coverage marks of a clause under test.
    /// The head of the clause matched.
    Enter(u32),
    /// The goal with this number, counted from 1, of the clause's body is called next.
    Reach(u32, u32),
    /// The next call is one of `catch/3` in a clause under test. The mark stands for the success of its goal;
    /// the mark with the next number stands for a caught exception.
    Catch(u32),
    /// The body was executed to its end.
    Exit(u32),

    // Addresses at which the machine itself continues; no clause contains them.
    Answer,
    CatchExit,
    CleanupExit,
    /// Calls the goal at the base of the stack; frame and continuation are set.
    CallGoal,
    /// Calls the predicate whose arguments are in the slots of the frame.
    Resume,
    /// Resumes at an instruction, after goals that had to run before it.
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

    /// Returns `Ok` with the constant's number, or `Err` with the slot.
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
    /// The negated tests have no names of their own: they are compiled from `\+ var(X)` and the like.
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

/// A constant that clauses use, by number.
#[derive(Clone, Debug)]
pub enum Konst {
    Plain(Value),
    Blob(Tag, Blob),
}

const _: () = assert!(size_of::<Ins>() == 16, "instructions are 16 bytes");
