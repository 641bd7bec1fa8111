//! The abstract syntax tree of a Core Erlang module. Every binding has a variable of its own: nothing is shadowed.

use smol_str::SmolStr;
use term::{Atom, Term};
use values::SegmentSpec;

/// A variable, unique in its module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VarId(pub u32);

#[derive(Clone, Debug)]
pub struct Module {
    pub name: Atom,
    pub exports: Vec<(Atom, u32)>,
    pub functions: Vec<Function>,
    /// The functions that `-compile({inline, …})` names.
    pub inline: Vec<(Atom, u32)>,
    /// How often each variable is used.
    pub uses: Vec<u32>,
    /// The compiler's name of each variable; not unique.
    pub names: Vec<SmolStr>,
    /// The files that places refer to. The first one is the module's own.
    pub files: Vec<SmolStr>,
}

#[derive(Clone, Debug)]
pub struct Function {
    pub name: Atom,
    pub lambda: Lambda,
}

/// A position in the source. Line 0 means that the compiler generated the code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    pub line: u32,
    pub column: u32,
    /// Index into [`Module::files`].
    pub file: u16,
}

#[derive(Clone, Debug)]
pub struct Lambda {
    pub params: Vec<VarId>,
    pub body: Expr,
    pub place: Place,
    /// The compiler's name for the code of a `fun … end`.
    pub fun_name: Option<Atom>,
    /// The function name to show in a `function_clause` error if the fun has captured values, because its own frame
    /// would show them among the arguments.
    pub stub_name: Option<Atom>,
}

#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub place: Place,
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    Var(VarId),
    Literal(Term),
    /// A function of this module, as a value.
    FunctionName(Atom, u32),
    /// A function bound by an enclosing `letrec`, as a value.
    LetrecName(VarId),
    Lambda(Box<Lambda>),
    Cons(Box<Expr>, Box<Expr>),
    Tuple(Vec<Expr>),
    Map {
        base: Box<Expr>,
        pairs: Vec<MapPair>,
    },
    Binary(Vec<Segment>),
    Let {
        vars: Vec<VarId>,
        arg: Box<Expr>,
        body: Box<Expr>,
    },
    Seq(Box<Expr>, Box<Expr>),
    Letrec {
        /// Each function's variable, the compiler's name for its lifted code, and the function.
        functions: Vec<(VarId, Atom, Lambda)>,
        body: Box<Expr>,
        kind: LetrecKind,
    },
    /// A call (`apply`) of a function of this module.
    Local {
        name: Atom,
        arity: u32,
        args: Vec<Expr>,
    },
    /// A call (`apply`) of a function bound by an enclosing `letrec`.
    ApplyLetrec {
        function: VarId,
        args: Vec<Expr>,
    },
    Apply {
        fun: Box<Expr>,
        args: Vec<Expr>,
    },
    Call {
        module: Box<Expr>,
        name: Box<Expr>,
        args: Vec<Expr>,
    },
    Primop {
        name: Atom,
        args: Vec<Expr>,
    },
    Case {
        args: Vec<Expr>,
        clauses: Vec<Clause>,
    },
    Try {
        arg: Box<Expr>,
        vars: Vec<VarId>,
        body: Box<Expr>,
        /// The variables for class, reason and raw stack trace.
        raised: Vec<VarId>,
        handler: Box<Expr>,
    },
    Catch(Box<Expr>),
    Values(Vec<Expr>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LetrecKind {
    Functions,
    /// Bodies that are only ever jumped to; stack traces do not show them.
    Labels,
}

#[derive(Clone, Debug)]
pub struct MapPair {
    pub op: MapOp,
    pub key: Expr,
    pub value: Expr,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapOp {
    /// `=>`
    Assoc,
    /// `:=`
    Exact,
}

#[derive(Clone, Debug)]
pub struct Segment {
    /// The number of the segment in the source, from 1; 0 if the compiler gives none. A string is one segment there and
    /// many here.
    pub number: u32,
    pub value: Expr,
    /// The size in units; `None` for the literals `all` and `undefined`.
    pub size: Option<Expr>,
    pub spec: SegmentSpec,
}

#[derive(Clone, Debug)]
pub struct Clause {
    pub patterns: Vec<Pattern>,
    pub guard: Expr,
    pub body: Expr,
    pub place: Place,
    /// Whether the programmer wrote the clause; the compiler adds others.
    pub is_of_source: bool,
}

#[derive(Clone, Debug)]
pub enum Pattern {
    Var(VarId),
    Literal(Term),
    Cons(Box<Pattern>, Box<Pattern>),
    Tuple(Vec<Pattern>),
    /// The keys are literals or variables bound outside the pattern.
    Map(Vec<(Expr, Pattern)>),
    Binary(Vec<PatternSegment>),
    Alias(VarId, Box<Pattern>),
}

#[derive(Clone, Debug)]
pub struct PatternSegment {
    pub value: Pattern,
    /// The size in units; may use variables bound by earlier segments.
    pub size: Option<Expr>,
    pub spec: SegmentSpec,
}
