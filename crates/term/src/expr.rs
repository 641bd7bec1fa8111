//! Symbolic expressions: values as functions of the input.
//!
//! Expressions are hash-consed in an arena, so that equal expressions have one id and `N * N` in a loop has linear
//! size. Their meaning is defined in `constraint`; this module defines only their form.

use crate::fit_u32;
use crate::ground::Term;
use crate::kind::Kind;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};

/// An unknown part of the input. Dense: the n-th argument is `Var(n)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Var(pub u32);

/// The id of an expression in an [`Exprs`]. The operands of an expression have smaller ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExprId(pub u32);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Expr {
    Var(Var),
    Const(Term),
    Apply(Op, Box<[ExprId]>),
}

/// An operator. There are few, since each needs a meaning and an encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Op {
    Head,
    Tail,
    /// An element of a tuple, counted from 0.
    Element(u32),
    Cons,
    /// A tuple of all operands.
    Tuple,

    Add,
    Subtract,
    Multiply,
    /// `/`
    Divide,
    /// `div`
    Quotient,
    /// `rem`
    Remainder,
    Negate,
    Absolute,
    BitAnd,
    BitOr,
    BitXor,
    BitNot,
    ShiftLeft,
    ShiftRight,
    /// `float/1`
    ToFloat,
    Truncate,
    Round,
    Floor,
    Ceiling,
    /// From here to `Modulo`: functions of floats, as in the module `math`.
    SquareRoot,
    Exponential,
    Logarithm,
    BinaryLogarithm,
    DecimalLogarithm,
    Sine,
    Cosine,
    Tangent,
    WholeBelow,
    WholeAbove,
    Power,
    Modulo,

    /// The length of a proper list.
    Length,
    TupleSize,
    MapSize,
    BitSize,

    /// The value of a key in a map. Operands: key, map.
    Get,
    /// The n-th key of a map in the order of its keys, counted from 0.
    Key(u32),
    /// The map with a key set. Operands: key, value, map.
    Put,
    /// The map without a key. Operands: key, map. A missing key is no error.
    Remove,

    /// A part of a bitstring. Operands: bitstring, offset, number of bits.
    Slice,
    /// The integer encoded by all bits of a bitstring.
    BitsToInteger {
        is_signed: bool,
        is_little: bool,
    },
    /// The low bits of an integer. Operands: integer, number of bits.
    IntegerToBits {
        is_little: bool,
    },
    /// The concatenation of all operands.
    Concat,

    Convert(Conversion),
    /// The result of a call. Operands: the function, then its arguments.
    Call,

    /// From here on: tests, whose value is `true` or `false`.
    IsKind(Kind),
    IsTuple(u32),
    /// Whether the value is a function with this arity.
    IsFunction(u8),
    /// Whether the value is a list that ends with `[]`.
    IsProper,
    /// Whether a map has a key. Operands: key, map.
    HasKey,
    /// Whether the conversion has a result.
    Converts(Conversion),
    /// `=:=`
    Same,
    /// `==`
    Equal,
    Less,
    LessEqual,
    /// The conjunction of two truth values.
    And,
    Or,
    Not,
}

/// A conversion between kinds of terms, named like the function in Erlang. Texts are lists of code points or UTF-8
/// binaries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Conversion {
    AtomToList,
    ListToAtom,
    AtomToBinary,
    BinaryToAtom,
    IntegerToList(Base),
    ListToInteger(Base),
    IntegerToBinary(Base),
    BinaryToInteger(Base),
    FloatToList,
    ListToFloat,
    BinaryToList,
    /// Converts a flat list of bytes.
    ListToBinary,
    /// Converts 32 or 64 bits; some bit patterns are not a float.
    BitsToFloat {
        is_little: bool,
    },
    /// Converts to 64 bits.
    FloatToBits {
        is_little: bool,
    },
}

/// The base of the digits of a number, from 2 to 36.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Base(u8);

impl Base {
    pub const TEN: Base = Base(10);

    pub fn new(base: i64) -> Option<Base> {
        u8::try_from(base).ok().filter(|it| (2..=36).contains(it)).map(Base)
    }

    pub fn get(self) -> u32 {
        u32::from(self.0)
    }
}

/// Conversions and their names in queries; a base other than ten follows after a dot.
const CONVERSIONS: &[(Conversion, &str)] = &[
    (Conversion::AtomToList, "atom_to_list"),
    (Conversion::ListToAtom, "list_to_atom"),
    (Conversion::AtomToBinary, "atom_to_binary"),
    (Conversion::BinaryToAtom, "binary_to_atom"),
    (Conversion::IntegerToList(Base::TEN), "integer_to_list"),
    (Conversion::ListToInteger(Base::TEN), "list_to_integer"),
    (Conversion::IntegerToBinary(Base::TEN), "integer_to_binary"),
    (Conversion::BinaryToInteger(Base::TEN), "binary_to_integer"),
    (Conversion::FloatToList, "float_to_list"),
    (Conversion::ListToFloat, "list_to_float"),
    (Conversion::BinaryToList, "binary_to_list"),
    (Conversion::ListToBinary, "list_to_binary"),
    (Conversion::BitsToFloat { is_little: false }, "bits_to_float"),
    (Conversion::BitsToFloat { is_little: true }, "little_bits_to_float"),
    (Conversion::FloatToBits { is_little: false }, "float_to_bits"),
    (Conversion::FloatToBits { is_little: true }, "float_to_little_bits"),
];

/// Operators without a parameter: name in queries, number of operands (`None`: any), and whether they are tests.
const PLAIN: &[(Op, &str, Option<usize>, bool)] = &[
    (Op::Head, "head", Some(1), false),
    (Op::Tail, "tail", Some(1), false),
    (Op::Cons, "cons", Some(2), false),
    (Op::Tuple, "tuple", None, false),
    (Op::Add, "add", Some(2), false),
    (Op::Subtract, "subtract", Some(2), false),
    (Op::Multiply, "multiply", Some(2), false),
    (Op::Divide, "divide", Some(2), false),
    (Op::Quotient, "quotient", Some(2), false),
    (Op::Remainder, "remainder", Some(2), false),
    (Op::Negate, "negate", Some(1), false),
    (Op::Absolute, "absolute", Some(1), false),
    (Op::BitAnd, "bit_and", Some(2), false),
    (Op::BitOr, "bit_or", Some(2), false),
    (Op::BitXor, "bit_xor", Some(2), false),
    (Op::BitNot, "bit_not", Some(1), false),
    (Op::ShiftLeft, "shift_left", Some(2), false),
    (Op::ShiftRight, "shift_right", Some(2), false),
    (Op::ToFloat, "to_float", Some(1), false),
    (Op::Truncate, "truncate", Some(1), false),
    (Op::Round, "round", Some(1), false),
    (Op::Floor, "floor", Some(1), false),
    (Op::Ceiling, "ceiling", Some(1), false),
    (Op::SquareRoot, "square_root", Some(1), false),
    (Op::Exponential, "exponential", Some(1), false),
    (Op::Logarithm, "logarithm", Some(1), false),
    (Op::BinaryLogarithm, "binary_logarithm", Some(1), false),
    (Op::DecimalLogarithm, "decimal_logarithm", Some(1), false),
    (Op::Sine, "sine", Some(1), false),
    (Op::Cosine, "cosine", Some(1), false),
    (Op::Tangent, "tangent", Some(1), false),
    (Op::WholeBelow, "whole_below", Some(1), false),
    (Op::WholeAbove, "whole_above", Some(1), false),
    (Op::Power, "power", Some(2), false),
    (Op::Modulo, "modulo", Some(2), false),
    (Op::Length, "length", Some(1), false),
    (Op::TupleSize, "tuple_size", Some(1), false),
    (Op::MapSize, "map_size", Some(1), false),
    (Op::BitSize, "bit_size", Some(1), false),
    (Op::Get, "get", Some(2), false),
    (Op::Put, "put", Some(3), false),
    (Op::Remove, "remove", Some(2), false),
    (Op::Slice, "slice", Some(3), false),
    (Op::Concat, "concat", None, false),
    (Op::Call, "call", None, false),
    (Op::IsProper, "is_proper", Some(1), true),
    (Op::HasKey, "has_key", Some(2), true),
    (Op::Same, "same", Some(2), true),
    (Op::Equal, "equal", Some(2), true),
    (Op::Less, "less", Some(2), true),
    (Op::LessEqual, "less_equal", Some(2), true),
    (Op::And, "and", Some(2), true),
    (Op::Or, "or", Some(2), true),
    (Op::Not, "not", Some(1), true),
];

impl Op {
    /// Returns the number of operands; `None` if it is variable.
    pub fn arity(self) -> Option<usize> {
        if let Some(plain) = plain(self) {
            return plain.2;
        }
        Some(if matches!(self, Op::IntegerToBits { .. }) { 2 } else { 1 })
    }

    /// Whether the operator's value is always `true` or `false`.
    pub fn is_test(self) -> bool {
        if let Some(plain) = plain(self) {
            return plain.3;
        }
        matches!(self, Op::IsKind(_) | Op::IsTuple(_) | Op::IsFunction(_) | Op::Converts(_))
    }

    /// Whether the operator computes with floats, whatever numbers it is given.
    pub fn is_of_floats(self) -> bool {
        matches!(
            self,
            Op::SquareRoot
                | Op::Exponential
                | Op::Logarithm
                | Op::BinaryLogarithm
                | Op::DecimalLogarithm
                | Op::Sine
                | Op::Cosine
                | Op::Tangent
                | Op::WholeBelow
                | Op::WholeAbove
                | Op::Power
                | Op::Modulo
        )
    }

    /// Returns the operator's name in queries, such as `less`, `element:0` or `is:list`.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the plain ones have their names in a table"
    )]
    pub fn name(self) -> String {
        if let Some(plain) = plain(self) {
            return plain.1.to_owned();
        }
        let sign = |is_signed: bool| if is_signed { "signed" } else { "unsigned" };
        let end = |is_little: bool| if is_little { "little" } else { "big" };
        match self {
            Op::Element(place) => format!("element:{place}"),
            Op::Key(place) => format!("key:{place}"),
            Op::IsKind(kind) => format!("is:{}", kind.name()),
            Op::IsTuple(arity) => format!("is_tuple:{arity}"),
            Op::IsFunction(arity) => format!("is_function:{arity}"),
            Op::Convert(conversion) => format!("convert:{}", conversion.name()),
            Op::Converts(conversion) => format!("converts:{}", conversion.name()),
            Op::BitsToInteger { is_signed, is_little } => {
                format!("bits_to_integer:{}-{}", sign(is_signed), end(is_little))
            }
            Op::IntegerToBits { is_little } => format!("integer_to_bits:{}", end(is_little)),
            _ => String::new(),
        }
    }

    pub fn from_name(name: &str) -> Option<Op> {
        let little = |text: &str| match text {
            "little" => Some(true),
            "big" => Some(false),
            _ => None,
        };
        match name.split_once(':') {
            None => PLAIN.iter().find(|it| it.1 == name).map(|it| it.0),
            Some(("element", place)) => place.parse().ok().map(Op::Element),
            Some(("key", place)) => place.parse().ok().map(Op::Key),
            Some(("is_tuple", arity)) => arity.parse().ok().map(Op::IsTuple),
            Some(("is_function", arity)) => arity.parse().ok().map(Op::IsFunction),
            Some(("is", kind)) => Kind::from_name(kind).map(Op::IsKind),
            Some(("convert", which)) => Conversion::from_name(which).map(Op::Convert),
            Some(("converts", which)) => Conversion::from_name(which).map(Op::Converts),
            Some(("integer_to_bits", end)) => {
                little(end).map(|is_little| Op::IntegerToBits { is_little })
            }
            Some(("bits_to_integer", how)) => {
                let (sign, end) = how.split_once('-')?;
                let is_signed = sign == "signed";
                little(end).map(|is_little| Op::BitsToInteger { is_signed, is_little })
            }
            Some(_) => None,
        }
    }
}

impl Conversion {
    pub fn name(self) -> String {
        let (usual, base) = (self.in_base(Base::TEN), self.base());
        let name = CONVERSIONS.iter().find(|it| it.0 == usual).map_or("", |it| it.1);
        match base {
            None | Some(Base::TEN) => name.to_owned(),
            Some(base) => format!("{name}.{}", base.0),
        }
    }

    pub fn from_name(name: &str) -> Option<Conversion> {
        let (name, base) = match name.split_once('.') {
            Some((name, base)) => (name, Some(Base::new(base.parse().ok()?)?)),
            None => (name, None),
        };
        let found = CONVERSIONS.iter().find(|it| it.1 == name)?.0;
        Some(base.map_or(found, |it| found.in_base(it)))
    }

    fn base(self) -> Option<Base> {
        match self {
            Conversion::IntegerToList(base)
            | Conversion::ListToInteger(base)
            | Conversion::IntegerToBinary(base)
            | Conversion::BinaryToInteger(base) => Some(base),
            Conversion::AtomToList
            | Conversion::ListToAtom
            | Conversion::AtomToBinary
            | Conversion::BinaryToAtom
            | Conversion::FloatToList
            | Conversion::ListToFloat
            | Conversion::BinaryToList
            | Conversion::ListToBinary
            | Conversion::BitsToFloat { .. }
            | Conversion::FloatToBits { .. } => None,
        }
    }

    /// Returns the conversion with digits in another base; unchanged if it has no digits.
    #[must_use]
    pub fn in_base(self, base: Base) -> Conversion {
        match self {
            Conversion::IntegerToList(_) => Conversion::IntegerToList(base),
            Conversion::ListToInteger(_) => Conversion::ListToInteger(base),
            Conversion::IntegerToBinary(_) => Conversion::IntegerToBinary(base),
            Conversion::BinaryToInteger(_) => Conversion::BinaryToInteger(base),
            Conversion::AtomToList
            | Conversion::ListToAtom
            | Conversion::AtomToBinary
            | Conversion::BinaryToAtom
            | Conversion::FloatToList
            | Conversion::ListToFloat
            | Conversion::BinaryToList
            | Conversion::ListToBinary
            | Conversion::BitsToFloat { .. }
            | Conversion::FloatToBits { .. } => self,
        }
    }

    pub fn all() -> impl Iterator<Item = Conversion> {
        CONVERSIONS.iter().map(|it| it.0)
    }
}

fn plain(op: Op) -> Option<&'static (Op, &'static str, Option<usize>, bool)> {
    PLAIN.iter().find(|it| it.0 == op)
}

/// The size of an expression.
#[derive(Clone, Copy, Debug)]
struct ExprSize {
    /// The number of constructors in the value; a shared part counts as often as it occurs. Saturating.
    n_parts: u32,
    /// The nesting of operators.
    depth: u32,
}

/// The expressions of all runs of a unit, or of one query.
#[derive(Clone, Debug, Default)]
pub struct Exprs {
    nodes: Vec<Expr>,
    /// For each expression a bit set of its variables.
    vars: Vec<u64>,
    /// The size of each expression.
    sizes: Vec<ExprSize>,
    /// The expressions by hash. An expression whose hash is taken is under the next free number.
    ids: FxHashMap<u64, ExprId>,
    /// The approximate memory of all expressions in bytes.
    bytes: usize,
}

impl Exprs {
    pub fn var(&mut self, var: Var) -> ExprId {
        let is = |it: &Expr| matches!(it, Expr::Var(other) if *other == var);
        self.find(hash(&(0u8, var)), is).unwrap_or_else(|key| self.add(key, Expr::Var(var)))
    }

    pub fn constant(&mut self, term: Term) -> ExprId {
        let hash = hash(&(1u8, &term));
        let expr = Expr::Const(term);
        self.find(hash, |it| *it == expr).unwrap_or_else(|key| self.add(key, expr))
    }

    /// Returns an operator applied to existing expressions.
    pub fn apply(&mut self, op: Op, args: &[ExprId]) -> ExprId {
        debug_assert!(op.arity().is_none_or(|it| it == args.len()), "{op:?} takes its operands");
        debug_assert!(args.iter().all(|it| self.get(*it).is_some()), "operands come first");
        let is =
            |it: &Expr| matches!(it, Expr::Apply(other, parts) if *other == op && **parts == *args);
        let found = self.find(hash(&(op, args)), is);
        found.unwrap_or_else(|key| self.add(key, Expr::Apply(op, args.into())))
    }

    /// Returns an operator applied to expressions, if that expression exists already.
    pub fn applied(&self, op: Op, args: &[ExprId]) -> Option<ExprId> {
        let is =
            |it: &Expr| matches!(it, Expr::Apply(other, parts) if *other == op && **parts == *args);
        self.find(hash(&(op, args)), is).ok()
    }

    pub fn get(&self, id: ExprId) -> Option<&Expr> {
        self.nodes.get(id.0 as usize)
    }

    /// Returns the approximate memory of all expressions in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether the value is always `true` or `false`.
    pub fn is_test(&self, id: ExprId) -> bool {
        matches!(self.get(id), Some(Expr::Apply(op, _)) if op.is_test())
    }

    pub fn as_constant(&self, id: ExprId) -> Option<&Term> {
        if let Some(Expr::Const(term)) = self.get(id) { Some(term) } else { None }
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns the variables of an expression as a bit set; those from 63 on share the last bit.
    pub fn vars(&self, id: ExprId) -> u64 {
        self.vars.get(id.0 as usize).copied().unwrap_or(0)
    }

    /// Returns the number of cells and tuples in the value; a shared part counts as often as it occurs. Saturating.
    pub fn n_parts(&self, id: ExprId) -> u32 {
        self.sizes.get(id.0 as usize).map_or(0, |it| it.n_parts)
    }

    /// Returns the nesting of operators.
    pub fn depth(&self, id: ExprId) -> u32 {
        self.sizes.get(id.0 as usize).map_or(0, |it| it.depth)
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Returns the given expressions and all expressions they are made of, operands first.
    pub fn reachable(&self, from: impl IntoIterator<Item = ExprId>) -> Vec<ExprId> {
        let mut seen: FxHashSet<ExprId> = FxHashSet::default();
        let mut todo: Vec<ExprId> = from.into_iter().collect();
        let mut res = Vec::new();
        while let Some(id) = todo.pop() {
            let Some(expr) = self.get(id) else { continue };
            if seen.insert(id) {
                res.push(id);
                if let Expr::Apply(_, args) = expr {
                    todo.extend_from_slice(args);
                }
            }
        }
        res.sort_unstable();
        res
    }

    /// Finds an expression; `Err` has the key under which it is to be added.
    fn find(&self, hash: u64, is: impl Fn(&Expr) -> bool) -> Result<ExprId, u64> {
        let mut key = hash;
        while let Some(id) = self.ids.get(&key) {
            if self.get(*id).is_some_and(&is) {
                return Ok(*id);
            }
            key = key.wrapping_add(1);
        }
        Err(key)
    }

    fn size_of(&self, expr: &Expr) -> ExprSize {
        let Expr::Apply(op, args) = expr else { return ExprSize { n_parts: 0, depth: 0 } };
        let depth = args.iter().map(|it| self.depth(*it)).max().unwrap_or(0) + 1;
        let parts = args.iter().map(|it| self.n_parts(*it));
        let n_parts = if matches!(op, Op::Cons | Op::Tuple | Op::Put | Op::Concat) {
            parts.fold(1, u32::saturating_add)
        } else {
            // For tests, the larger operand counts, so that the sizes of compared values are not lost.
            parts.max().unwrap_or(0)
        };
        ExprSize { n_parts, depth }
    }

    fn add(&mut self, key: u64, expr: Expr) -> ExprId {
        let id = ExprId(fit_u32(self.nodes.len()));
        let vars = match &expr {
            Expr::Var(var) => 1 << var.0.min(63),
            Expr::Const(term) => {
                self.bytes += term.bytes();
                0
            }
            Expr::Apply(_, args) => args.iter().fold(0, |sum, it| sum | self.vars(*it)),
        };
        self.bytes += BYTES_OF_EXPR;
        self.sizes.push(self.size_of(&expr));
        self.vars.push(vars);
        self.nodes.push(expr);
        self.ids.insert(key, id);
        id
    }
}

/// The memory of an expression with two operands, its variables and its entry in the table.
const BYTES_OF_EXPR: usize = size_of::<Expr>() + 2 * size_of::<ExprId>() + 40;

fn hash(of: &impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    of.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_expressions_are_one() {
        let mut exprs = Exprs::default();
        let mut n = exprs.var(Var(0));
        for _ in 0..1000 {
            n = exprs.apply(Op::Multiply, &[n, n]);
        }
        assert_eq!(exprs.len(), 1001);
        let var = exprs.var(Var(0));
        assert_eq!(exprs.apply(Op::Multiply, &[var, var]), ExprId(1));
        assert_eq!(exprs.reachable([ExprId(3)]), (0..4).map(ExprId).collect::<Vec<_>>());
    }

    #[test]
    fn operators_are_found_by_their_names() {
        let plain = PLAIN.iter().map(|it| it.0);
        let kinds = Kind::all().map(Op::IsKind);
        let hex = Base::new(16).expect("a base");
        let conversions = Conversion::all()
            .flat_map(|it| [it, it.in_base(hex)])
            .flat_map(|it| [Op::Convert(it), Op::Converts(it)]);
        let bits = [true, false].into_iter().flat_map(|is_little| {
            let from = |is_signed| Op::BitsToInteger { is_signed, is_little };
            [from(true), from(false), Op::IntegerToBits { is_little }]
        });
        let others = [Op::Element(7), Op::Key(3), Op::IsTuple(0), Op::IsFunction(2)];
        for op in plain.chain(kinds).chain(conversions).chain(bits).chain(others) {
            assert_eq!(Op::from_name(&op.name()), Some(op));
        }
    }
}
