//! The translation of a Core Erlang tree back to the `c_*` records of OTP's `core_parse.hrl`, which OTP compiles.

use erlang::core::{
    Clause, Expr, ExprKind, Lambda, LetrecKind, MapOp, Module, Pattern, PatternSegment, Place,
    Segment, VarId,
};
use rustc_hash::FxHashMap;
use smol_str::SmolStr;
use std::cell::RefCell;
use term::{Atom, Term};
use values::{Endian, SegmentSpec, SegmentType, Sign};

/// Returns the `c_module` record of a module under a given name.
pub fn emit(module: &Module, name: &Atom) -> Term {
    let emitter = Emitter { names: &module.names, arities: RefCell::default() };
    let definitions = module.functions.iter().map(|it| {
        let arity = it.lambda.params.len();
        pair(emitter.function_name(&it.name, arity), emitter.lambda(&it.lambda))
    });
    let export = |(name, arity): &(Atom, u32)| emitter.function_name(name, *arity as usize);
    node(
        "c_module",
        Place::default(),
        vec![
            literal(Term::Atom(name.clone())),
            list(module.exports.iter().map(export)),
            Term::Nil,
            list(definitions),
        ],
    )
}

struct Emitter<'a> {
    names: &'a [SmolStr],
    /// The arities of letrec functions, as they are encountered.
    arities: RefCell<FxHashMap<VarId, usize>>,
}

impl Emitter<'_> {
    fn function_name(&self, name: &Atom, arity: usize) -> Term {
        node("c_var", Place::default(), vec![pair(Term::Atom(name.clone()), number(arity))])
    }

    fn letrec_name(&self, var: VarId, arity: usize) -> Term {
        let name = self.names.get(var.0 as usize).map_or("f", SmolStr::as_str);
        self.function_name(&Atom::new(&format!("{name}#{}", var.0)), arity)
    }

    fn var(&self, var: VarId) -> Term {
        let name = self.names.get(var.0 as usize).map_or("", SmolStr::as_str);
        node("c_var", Place::default(), vec![Term::atom(&format!("{name}@{}", var.0))])
    }

    fn vars(&self, vars: &[VarId]) -> Term {
        list(vars.iter().map(|it| self.var(*it)))
    }

    fn lambda(&self, lambda: &Lambda) -> Term {
        let mut parts = vec![Term::atom("c_fun"), place(lambda.place)];
        if let (Some(name), Some(annotations)) = (&lambda.fun_name, parts.last_mut()) {
            let id = Term::Tuple(vec![Term::Int(0), Term::Int(0), Term::Atom(name.clone())]);
            *annotations = Term::proper_list(vec![pair(Term::atom("id"), id)]);
        }
        parts.extend([self.vars(&lambda.params), self.expr(&lambda.body)]);
        Term::Tuple(parts)
    }

    fn exprs(&self, exprs: &[Expr]) -> Term {
        list(exprs.iter().map(|it| self.expr(it)))
    }

    fn expr(&self, expr: &Expr) -> Term {
        let at = expr.place;
        match &expr.kind {
            ExprKind::Var(var) => self.var(*var),
            ExprKind::Literal(term) => literal(term.clone()),
            ExprKind::FunctionName(name, arity) => self.function_name(name, *arity as usize),
            ExprKind::LetrecName(var) => {
                let arity = self.arities.borrow().get(var).copied();
                self.letrec_name(*var, arity.unwrap_or(0))
            }
            ExprKind::Lambda(lambda) => self.lambda(lambda),
            ExprKind::Cons(head, tail) => {
                node("c_cons", at, vec![self.expr(head), self.expr(tail)])
            }
            ExprKind::Tuple(items) => node("c_tuple", at, vec![self.exprs(items)]),
            ExprKind::Values(items) => node("c_values", at, vec![self.exprs(items)]),
            ExprKind::Map { base, pairs } => {
                let pairs = list(pairs.iter().map(|it| {
                    let op = match it.op {
                        MapOp::Assoc => "assoc",
                        MapOp::Exact => "exact",
                    };
                    let parts =
                        vec![literal(Term::atom(op)), self.expr(&it.key), self.expr(&it.value)];
                    node("c_map_pair", at, parts)
                }));
                node("c_map", at, vec![self.expr(base), pairs, Term::atom("false")])
            }
            ExprKind::Binary(segments) => {
                let segments = segments.iter().map(|it| self.segment(it));
                node("c_binary", at, vec![list(segments)])
            }
            ExprKind::Let { vars, arg, body } => {
                node("c_let", at, vec![self.vars(vars), self.expr(arg), self.expr(body)])
            }
            ExprKind::Seq(first, then) => {
                node("c_seq", at, vec![self.expr(first), self.expr(then)])
            }
            ExprKind::Letrec { functions, body, kind } => {
                for (var, _, lambda) in functions {
                    self.arities.borrow_mut().insert(*var, lambda.params.len());
                }
                let definitions = functions.iter().map(|(var, _, lambda)| {
                    pair(self.letrec_name(*var, lambda.params.len()), self.lambda(lambda))
                });
                let parts = [list(definitions), self.expr(body)];
                let annotations = match kind {
                    LetrecKind::Functions => Term::Nil,
                    LetrecKind::Labels => Term::proper_list(vec![Term::atom("letrec_goto")]),
                };
                let parts = [Term::atom("c_letrec"), annotations].into_iter().chain(parts);
                Term::Tuple(parts.collect())
            }
            ExprKind::Local { name, arity, args } => {
                let name = self.function_name(name, *arity as usize);
                node("c_apply", at, vec![name, self.exprs(args)])
            }
            ExprKind::ApplyLetrec { function, args } => {
                let name = self.letrec_name(*function, args.len());
                node("c_apply", at, vec![name, self.exprs(args)])
            }
            ExprKind::Apply { fun, args } => {
                node("c_apply", at, vec![self.expr(fun), self.exprs(args)])
            }
            ExprKind::Call { module, name, args } => {
                node("c_call", at, vec![self.expr(module), self.expr(name), self.exprs(args)])
            }
            ExprKind::Primop { name, args } => {
                let name = literal(Term::Atom(name.clone()));
                node("c_primop", at, vec![name, self.exprs(args)])
            }
            ExprKind::Case { args, clauses } => {
                let arg = match args.as_slice() {
                    [only] => self.expr(only),
                    _ => node("c_values", at, vec![self.exprs(args)]),
                };
                let clauses = clauses.iter().map(|it| self.clause(it));
                node("c_case", at, vec![arg, list(clauses)])
            }
            ExprKind::Try { arg, vars, body, raised, handler } => {
                let parts = vec![
                    self.expr(arg),
                    self.vars(vars),
                    self.expr(body),
                    self.vars(raised),
                    self.expr(handler),
                ];
                node("c_try", at, parts)
            }
            ExprKind::Catch(body) => node("c_catch", at, vec![self.expr(body)]),
        }
    }

    fn segment(&self, segment: &Segment) -> Term {
        let Segment { value, size, spec, .. } = segment;
        bitstr(self.expr(value), size.as_ref().map(|it| self.expr(it)), *spec)
    }

    fn clause(&self, clause: &Clause) -> Term {
        let patterns = list(clause.patterns.iter().map(|it| self.pattern(it)));
        let parts = vec![patterns, self.expr(&clause.guard), self.expr(&clause.body)];
        node("c_clause", clause.place, parts)
    }

    fn pattern(&self, pattern: &Pattern) -> Term {
        let at = Place::default();
        match pattern {
            Pattern::Var(var) => self.var(*var),
            Pattern::Literal(term) => literal(term.clone()),
            Pattern::Cons(head, tail) => {
                node("c_cons", at, vec![self.pattern(head), self.pattern(tail)])
            }
            Pattern::Tuple(items) => {
                node("c_tuple", at, vec![list(items.iter().map(|it| self.pattern(it)))])
            }
            Pattern::Map(pairs) => {
                let pairs = list(pairs.iter().map(|(key, value)| {
                    let op = literal(Term::atom("exact"));
                    node("c_map_pair", at, vec![op, self.expr(key), self.pattern(value)])
                }));
                let empty = literal(Term::map(vec![]));
                node("c_map", at, vec![empty, pairs, Term::atom("true")])
            }
            Pattern::Binary(segments) => {
                let segments = segments.iter().map(|PatternSegment { value, size, spec }| {
                    bitstr(self.pattern(value), size.as_ref().map(|it| self.expr(it)), *spec)
                });
                node("c_binary", at, vec![list(segments)])
            }
            Pattern::Alias(var, pattern) => {
                node("c_alias", at, vec![self.var(*var), self.pattern(pattern)])
            }
        }
    }
}

fn bitstr(value: Term, size: Option<Term>, spec: SegmentSpec) -> Term {
    let (ty, is_utf) = match spec.ty {
        SegmentType::Integer => ("integer", false),
        SegmentType::Float => ("float", false),
        SegmentType::Binary => ("binary", false),
        SegmentType::Utf8 => ("utf8", true),
        SegmentType::Utf16 => ("utf16", true),
        SegmentType::Utf32 => ("utf32", true),
    };
    let undefined = || literal(Term::atom("undefined"));
    let size = if is_utf { Some(undefined()) } else { size };
    let unit = if is_utf { undefined() } else { literal(Term::Int(i64::from(spec.unit))) };
    let sign = match spec.sign {
        Sign::Signed => "signed",
        Sign::Unsigned => "unsigned",
    };
    let endian = match spec.endian {
        Endian::Big => "big",
        Endian::Little => "little",
    };
    let flags = Term::proper_list(vec![Term::atom(sign), Term::atom(endian)]);
    let size = size.unwrap_or_else(|| literal(Term::atom("all")));
    let parts = vec![value, size, unit, literal(Term::atom(ty)), literal(flags)];
    node("c_bitstr", Place::default(), parts)
}

fn node(kind: &str, at: Place, parts: Vec<Term>) -> Term {
    Term::Tuple([Term::atom(kind), place(at)].into_iter().chain(parts).collect())
}

fn place(place: Place) -> Term {
    match place.line {
        0 => Term::Nil,
        line => Term::proper_list(vec![Term::Int(i64::from(line))]),
    }
}

fn literal(term: Term) -> Term {
    node("c_literal", Place::default(), vec![term])
}

fn list(items: impl Iterator<Item = Term>) -> Term {
    Term::proper_list(items.collect())
}

fn pair(first: Term, second: Term) -> Term {
    Term::Tuple(vec![first, second])
}

fn number(n: usize) -> Term {
    Term::Int(i64::try_from(n).unwrap_or(i64::MAX))
}
