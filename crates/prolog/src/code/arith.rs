//! The arithmetic operations that have an instruction, so that no term is built for them.

/// An arithmetic operation. All are binary except those that say otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArithOp {
    Add,
    Sub,
    Mul,
    Divide,
    IntDivide,
    FloorDivide,
    Mod,
    Rem,
    Min,
    Max,
    ShiftLeft,
    ShiftRight,
    And,
    Or,
    Xor,
    /// Unary minus.
    Negate,
    /// The absolute value; unary.
    Abs,
}

pub fn arith_op(name: &str, arity: usize) -> Option<ArithOp> {
    Some(match (name, arity) {
        ("+", 2) => ArithOp::Add,
        ("-", 2) => ArithOp::Sub,
        ("*", 2) => ArithOp::Mul,
        ("/", 2) => ArithOp::Divide,
        ("//", 2) => ArithOp::IntDivide,
        ("div", 2) => ArithOp::FloorDivide,
        ("mod", 2) => ArithOp::Mod,
        ("rem", 2) => ArithOp::Rem,
        ("min", 2) => ArithOp::Min,
        ("max", 2) => ArithOp::Max,
        ("<<", 2) => ArithOp::ShiftLeft,
        (">>", 2) => ArithOp::ShiftRight,
        ("/\\", 2) => ArithOp::And,
        ("\\/", 2) => ArithOp::Or,
        ("xor", 2) => ArithOp::Xor,
        ("-", 1) => ArithOp::Negate,
        ("abs", 1) => ArithOp::Abs,
        _ => return None,
    })
}
