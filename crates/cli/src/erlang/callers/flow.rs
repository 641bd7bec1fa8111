//! What the expressions of a function may be: Core Erlang evaluated on abstract values.
//!
//! Knows neither modules nor specs: whoever asks says what calls return, and is told of each call with what
//! it is given.

use crate::erlang::callers::value::{Shape, Value};
use erlang::core::{
    Clause, Expr, ExprKind, Function, Lambda, MapPair, Pattern, PatternSegment, Place, VarId,
};
use rustc_hash::FxHashMap;
use term::{Atom, Kind, Term};
use values::SegmentType;

/// Knows the functions that are called.
pub(super) trait World {
    /// A call of a function of the same module, of another one, or, without a module, of any that fits.
    fn call(&mut self, callee: Callee<'_>, args: Vec<Value>, at: Place) -> Value;

    /// A function of the same module is used as a value.
    fn takes_function(&mut self, name: &Atom, arity: u32);

    /// A constant is used as a value.
    fn takes_constant(&mut self, term: &Term);

    /// A tuple of these parts is made; `None`: a part is the one of another such tuple.
    fn makes(&mut self, parts: &[Option<Value>]);
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Callee<'a> {
    Local(&'a Atom),
    Remote(&'a Atom, &'a Atom),
    OfSomeModule(&'a Atom),
}

/// What is known of the functions that are defined within others: loops of comprehensions for the most part.
#[derive(Debug, Default)]
pub(super) struct Inner {
    of: FxHashMap<VarId, Within>,
    pub(super) has_changed: bool,
}

#[derive(Debug)]
struct Within {
    /// `None`: anything.
    params: Option<Vec<Value>>,
    result: Value,
    n_changes: usize,
}

/// A value that was found to be larger so often may be anything: there may be no end to it.
pub(super) const MAX_CHANGES: usize = 6;

/// What a function returns, given what its parameters may be.
pub(super) fn evaluate(
    function: &Function,
    params: &[Value],
    inner: &mut Inner,
    world: &mut dyn World,
) -> Value {
    let mut flow = Flow {
        values: FxHashMap::default(),
        earlier: Vec::new(),
        elements: FxHashMap::default(),
        inner,
        world,
    };
    flow.lambda(&function.lambda, params)
}

struct Flow<'a> {
    values: FxHashMap<VarId, Value>,
    /// What variables were before something was learnt of them.
    earlier: Vec<(VarId, Option<Value>)>,
    /// Variables that are elements of tuples with a tag: the tag, how many elements there are, and which one.
    elements: FxHashMap<VarId, (Atom, usize, usize)>,
    inner: &'a mut Inner,
    world: &'a mut dyn World,
}

impl Flow<'_> {
    fn lambda(&mut self, lambda: &Lambda, params: &[Value]) -> Value {
        for (n, var) in lambda.params.iter().enumerate() {
            self.set(*var, params.get(n).cloned().unwrap_or(Value::Any));
        }
        self.value(&lambda.body)
    }

    fn set(&mut self, var: VarId, value: Value) {
        let earlier = self.values.insert(var, value);
        self.earlier.push((var, earlier));
    }

    fn set_all(&mut self, vars: &[VarId], values: Vec<Value>) {
        for (var, value) in vars.iter().zip(values) {
            self.set(*var, value);
        }
    }

    /// Forgets what was learnt since there were so many things to forget.
    fn forget(&mut self, n: usize) {
        for (var, value) in self.earlier.drain(n..).rev() {
            match value {
                Some(value) => self.values.insert(var, value),
                None => self.values.remove(&var),
            };
        }
    }

    fn var(&self, var: VarId) -> Value {
        self.values.get(&var).cloned().unwrap_or(Value::Any)
    }

    fn all(&mut self, exprs: &[Expr]) -> Vec<Value> {
        exprs.iter().map(|it| self.value(it)).collect()
    }

    fn value(&mut self, expr: &Expr) -> Value {
        match &expr.kind {
            ExprKind::Var(var) => self.var(*var),
            ExprKind::Literal(term) => {
                self.world.takes_constant(term);
                Value::of_term(term)
            }
            ExprKind::FunctionName(name, arity) => {
                self.world.takes_function(name, *arity);
                Value::kind(Kind::Function)
            }
            ExprKind::LetrecName(function) => {
                self.join_params(*function, None);
                Value::kind(Kind::Function)
            }
            ExprKind::Lambda(lambda) => {
                self.lambda(lambda, &[]);
                Value::kind(Kind::Function)
            }
            ExprKind::Cons(head, tail) => {
                let item = self.value(head);
                let rest = self.value(tail);
                Value::of(Shape::List(item.or(rest.items()))).flat()
            }
            ExprKind::Tuple(parts) => {
                let values = self.all(parts);
                self.makes(parts, &values);
                Value::of(Shape::Tuple(values)).flat()
            }
            ExprKind::Map { base, pairs } => self.map(base, pairs),
            ExprKind::Binary(segments) => {
                for segment in segments {
                    self.value(&segment.value);
                    if let Some(size) = &segment.size {
                        self.value(size);
                    }
                }
                let is_whole = segments.iter().all(|it| it.spec.unit.is_multiple_of(8));
                Value::kind(if is_whole { Kind::Binary } else { Kind::Bitstring })
            }
            ExprKind::Let { vars, arg, body } => {
                let values = self.values_of(arg, vars.len());
                self.set_all(vars, values);
                self.value(body)
            }
            ExprKind::Seq(first, second) => {
                self.value(first);
                self.value(second)
            }
            ExprKind::Letrec { functions, body, .. } => {
                let res = self.value(body);
                for (name, _, lambda) in functions {
                    self.inner_function(*name, lambda);
                }
                res
            }
            ExprKind::Local { name, args, .. } => {
                let args = self.all(args);
                self.world.call(Callee::Local(name), args, expr.place)
            }
            ExprKind::ApplyLetrec { function, args } => {
                let args = self.all(args);
                self.join_params(*function, Some(args));
                self.inner.of.get(function).map_or(Value::NONE, |it| it.result.clone())
            }
            ExprKind::Apply { fun, args } => {
                self.value(fun);
                self.all(args);
                Value::Any
            }
            ExprKind::Call { module, name, args } => self.call(module, name, args, expr.place),
            ExprKind::Primop { name, args } => {
                self.all(args);
                let raises = matches!(name.as_str(), "match_fail" | "raise");
                if raises { Value::NONE } else { Value::Any }
            }
            ExprKind::Case { args, clauses } => self.case(args, clauses),
            ExprKind::Try { arg, vars, body, raised, handler } => {
                let values = self.values_of(arg, vars.len());
                self.set_all(vars, values);
                let res = self.value(body);
                self.set_all(raised, vec![Value::Any; raised.len()]);
                res.or(self.value(handler))
            }
            ExprKind::Catch(inner) => {
                self.value(inner);
                Value::Any
            }
            ExprKind::Values(parts) => match parts.as_slice() {
                [one] => self.value(one),
                _ => {
                    self.all(parts);
                    Value::Any
                }
            },
        }
    }

    /// A tuple is made. Where most fields of a record are changed, the others are copied one by one.
    fn makes(&mut self, parts: &[Expr], values: &[Value]) {
        let tag = parts.first().and_then(as_atom);
        let is_copied = |n: usize, it: &Expr| match (&it.kind, tag) {
            (ExprKind::Var(var), Some(tag)) => {
                self.elements.get(var) == Some(&(tag.clone(), parts.len(), n))
            }
            _ => false,
        };
        let made = parts.iter().zip(values).enumerate();
        let made = made.map(|(n, (it, value))| (!is_copied(n, it)).then(|| value.clone()));
        let made: Vec<Option<Value>> = made.collect();
        self.world.makes(&made);
    }

    /// Of an expression that is bound to so many variables.
    fn values_of(&mut self, expr: &Expr, n: usize) -> Vec<Value> {
        if let ExprKind::Values(parts) = &expr.kind
            && parts.len() == n
        {
            return self.all(parts);
        }
        let value = self.value(expr);
        if n == 1 { vec![value] } else { vec![Value::Any; n] }
    }

    fn map(&mut self, base: &Expr, pairs: &[MapPair]) -> Value {
        let base = self.value(base);
        let mut known = match base.shapes() {
            [Shape::Map(known)] => known.clone(),
            _ => Vec::new(),
        };
        for MapPair { key, value, .. } in pairs {
            self.value(key);
            let value = self.value(value);
            let ExprKind::Literal(key) = &key.kind else { continue };
            known.retain(|it| it.0 != *key);
            known.push((key.clone(), value));
        }
        Value::of(Shape::Map(known)).flat()
    }

    /// The body of a function within this one, with what it is called with.
    fn inner_function(&mut self, name: VarId, lambda: &Lambda) {
        // Nobody has called it yet.
        let Some(known) = self.inner.of.get(&name) else { return };
        let params = known.params.clone().unwrap_or_default();
        let result = self.lambda(lambda, &params).flat();
        let Some(known) = self.inner.of.get_mut(&name) else { return };
        let joined = known.result.clone().or(result);
        if joined != known.result {
            known.n_changes += 1;
            known.result = if MAX_CHANGES < known.n_changes { Value::Any } else { joined };
            self.inner.has_changed = true;
        }
    }

    /// A function within this one is called with these; `None`: with anything.
    fn join_params(&mut self, function: VarId, args: Option<Vec<Value>>) {
        let Some(known) = self.inner.of.get_mut(&function) else {
            let new = Within { params: args, result: Value::NONE, n_changes: 0 };
            self.inner.of.insert(function, new);
            self.inner.has_changed = true;
            return;
        };
        let joined = match (&known.params, args) {
            (Some(params), Some(args)) => {
                Some(params.iter().cloned().zip(args).map(|(a, b)| a.or(b).flat()).collect())
            }
            (None, _) | (_, None) => None,
        };
        if joined != known.params {
            known.n_changes += 1;
            known.params = joined.filter(|_| known.n_changes <= MAX_CHANGES);
            self.inner.has_changed = true;
        }
    }

    fn call(&mut self, module: &Expr, name: &Expr, args: &[Expr], at: Place) -> Value {
        for part in [module, name] {
            if as_atom(part).is_none() {
                self.value(part);
            }
        }
        let args = self.all(args);
        let (module, name) = (as_atom(module), as_atom(name));
        match (module, name) {
            (Some(module), Some(name)) => {
                if let Some(known) = operator(module, name, &args) {
                    return known;
                }
                if let Some((n, tuples)) = with_element(module, name, &args) {
                    for it in tuples.shapes() {
                        if let Shape::Tuple(parts) = it {
                            let new = |at: usize| at == 0 || at == n;
                            let parts = parts.iter().enumerate();
                            let parts: Vec<Option<Value>> =
                                parts.map(|(at, it)| new(at).then(|| it.clone())).collect();
                            self.world.makes(&parts);
                        }
                    }
                    return tuples;
                }
                self.world.call(Callee::Remote(module, name), args, at)
            }
            (None, Some(name)) => self.world.call(Callee::OfSomeModule(name), args, at),
            (_, None) => Value::Any,
        }
    }

    fn case(&mut self, args: &[Expr], clauses: &[Clause]) -> Value {
        let exprs = match args {
            [Expr { kind: ExprKind::Values(parts), .. }] => parts.as_slice(),
            _ => args,
        };
        let mut values = self.all(exprs);
        let n_before = self.earlier.len();
        let mut res = Value::NONE;
        for clause in clauses {
            let n_earlier = self.earlier.len();
            let narrowed: Option<Vec<Value>> =
                clause.patterns.iter().zip(&values).map(|(p, v)| self.bind(p, v)).collect();
            if let Some(narrowed) = narrowed {
                for (expr, value) in exprs.iter().zip(narrowed) {
                    if let ExprKind::Var(var) = &expr.kind {
                        self.set(*var, value);
                    }
                }
                if self.guard(&clause.guard) {
                    res = res.or(self.value(&clause.body));
                }
            }
            self.forget(n_earlier);
            // What a clause without a condition takes does not come to the next one.
            if let ([pattern], [value], true) =
                (clause.patterns.as_slice(), values.as_mut_slice(), is_true(&clause.guard))
            {
                leave_out(value, pattern);
                if let Some(ExprKind::Var(var)) = exprs.first().map(|it| &it.kind) {
                    self.set(*var, value.clone());
                }
            }
        }
        self.forget(n_before);
        res.flat()
    }

    /// Binds the variables of a pattern; what of the value may match, `None`: nothing.
    fn bind(&mut self, pattern: &Pattern, value: &Value) -> Option<Value> {
        let some = |it: Value| (!it.is_none()).then_some(it);
        match pattern {
            Pattern::Var(var) => {
                self.set(*var, value.clone());
                some(value.clone())
            }
            Pattern::Alias(var, pattern) => {
                let narrowed = self.bind(pattern, value)?;
                self.set(*var, narrowed.clone());
                Some(narrowed)
            }
            Pattern::Literal(term) => some(match Value::of_term(term).shapes() {
                [shape] => value.and(shape),
                _ => value.clone(),
            }),
            Pattern::Cons(head, tail) => {
                let lists = some(value.and(&Shape::Kind(Kind::Cons)))?;
                let items = lists.items();
                self.bind(head, &items)?;
                let rest = match &items {
                    Value::Any => Value::Any,
                    Value::OneOf(_) => Value::of(Shape::List(items)),
                };
                self.bind(tail, &rest)?;
                Some(lists)
            }
            Pattern::Tuple(parts) => {
                let wanted = Shape::Tuple(parts.iter().map(wanted).collect());
                let tuples = some(value.and(&wanted))?;
                let mut joined = vec![Value::NONE; parts.len()];
                for shape in tuples.shapes() {
                    for (n, part) in joined.iter_mut().enumerate() {
                        let more = match shape {
                            Shape::Tuple(has) => has.get(n).cloned().unwrap_or(Value::Any),
                            Shape::Kind(_) | Shape::Literal(_) | Shape::List(_) | Shape::Map(_) => {
                                Value::Any
                            }
                        };
                        *part = std::mem::replace(part, Value::NONE).or(more);
                    }
                }
                if let Some(Pattern::Literal(Term::Atom(tag))) = parts.first() {
                    for (n, part) in parts.iter().enumerate() {
                        if let Pattern::Var(var) = part {
                            self.elements.insert(*var, (tag.clone(), parts.len(), n));
                        }
                    }
                }
                for (pattern, value) in parts.iter().zip(&joined) {
                    self.bind(pattern, value)?;
                }
                Some(tuples)
            }
            Pattern::Map(pairs) => {
                let key = |it: &Expr| {
                    if let ExprKind::Literal(key) = &it.kind { Some(key.clone()) } else { None }
                };
                let known = pairs.iter().filter_map(|it| Some((key(&it.0)?, wanted(&it.1))));
                let maps = some(value.and(&Shape::Map(known.collect())))?;
                for (of, pattern) in pairs {
                    let value = key(of).map_or(Value::Any, |it| maps.value_of(&it));
                    self.bind(pattern, &value)?;
                }
                Some(maps)
            }
            Pattern::Binary(segments) => {
                for PatternSegment { value, spec, .. } in segments {
                    let kind = match spec.ty {
                        SegmentType::Float => Kind::Float,
                        SegmentType::Binary if spec.unit.is_multiple_of(8) => Kind::Binary,
                        SegmentType::Binary => Kind::Bitstring,
                        SegmentType::Integer
                        | SegmentType::Utf8
                        | SegmentType::Utf16
                        | SegmentType::Utf32 => Kind::Integer,
                    };
                    self.bind(value, &Value::kind(kind))?;
                }
                some(value.and(&Shape::Kind(Kind::Bitstring)))
            }
        }
    }

    /// Whether a guard may be true; what it then says of variables is noted.
    fn guard(&mut self, guard: &Expr) -> bool {
        match &guard.kind {
            ExprKind::Literal(term) => term.as_atom() != Some("false"),
            ExprKind::Call { module, name, args } if as_atom(module).is_some_and(is_erlang) => {
                match (as_atom(name).map_or("", Atom::as_str), args.as_slice()) {
                    ("and", [a, b]) => self.guard(a) && self.guard(b),
                    ("=:=" | "==", [a, b]) => match (&a.kind, &b.kind) {
                        (ExprKind::Var(var), ExprKind::Literal(term))
                        | (ExprKind::Literal(term), ExprKind::Var(var)) => {
                            match Value::of_term(term).shapes() {
                                [shape] => self.narrow(*var, shape),
                                _ => true,
                            }
                        }
                        _ => true,
                    },
                    (test, [arg, ..]) => match (kind_test(test), &arg.kind) {
                        (Some(kind), ExprKind::Var(var)) => self.narrow(*var, &Shape::Kind(kind)),
                        _ => true,
                    },
                    _ => true,
                }
            }
            // `A andalso B`
            ExprKind::Case { args, clauses } => match (args.as_slice(), clauses.first()) {
                ([condition], Some(Clause { patterns, body, .. }))
                    if matches!(patterns.as_slice(),
                        [Pattern::Literal(it)] if it.as_atom() == Some("true"))
                        && clauses.iter().skip(1).all(|it| !may_be_true(&it.body)) =>
                {
                    self.guard(condition) && self.guard(body)
                }
                _ => true,
            },
            ExprKind::Try { arg, .. } => self.guard(arg),
            ExprKind::Let { vars, arg, body } => match (vars.as_slice(), &body.kind) {
                // `let V = Test in V`, and the same with `=:= true`.
                ([var], ExprKind::Var(it)) if var == it => self.guard(arg),
                _ => true,
            },
            ExprKind::Values(parts) => match parts.as_slice() {
                [one] => self.guard(one),
                _ => true,
            },
            ExprKind::Var(_)
            | ExprKind::FunctionName(..)
            | ExprKind::LetrecName(_)
            | ExprKind::Lambda(_)
            | ExprKind::Cons(..)
            | ExprKind::Tuple(_)
            | ExprKind::Map { .. }
            | ExprKind::Binary(_)
            | ExprKind::Seq(..)
            | ExprKind::Letrec { .. }
            | ExprKind::Local { .. }
            | ExprKind::ApplyLetrec { .. }
            | ExprKind::Apply { .. }
            | ExprKind::Call { .. }
            | ExprKind::Primop { .. }
            | ExprKind::Catch(_) => true,
        }
    }

    fn narrow(&mut self, var: VarId, to: &Shape) -> bool {
        let narrowed = self.var(var).and(to);
        let is_possible = !narrowed.is_none();
        self.set(var, narrowed);
        is_possible
    }
}

/// What a pattern asks of a value at its top: enough to tell clauses apart.
fn wanted(pattern: &Pattern) -> Value {
    match pattern {
        Pattern::Var(_) => Value::Any,
        Pattern::Alias(_, pattern) => wanted(pattern),
        Pattern::Literal(term) => Value::of_term(term),
        Pattern::Cons(..) => Value::kind(Kind::Cons),
        Pattern::Tuple(parts) => Value::of(Shape::Tuple(parts.iter().map(wanted).collect())),
        Pattern::Map(_) => Value::kind(Kind::Map),
        Pattern::Binary(_) => Value::kind(Kind::Bitstring),
    }
}

/// Takes the literals that a pattern matches for sure out of a value.
fn leave_out(value: &mut Value, pattern: &Pattern) {
    let Value::OneOf(shapes) = value else { return };
    let Pattern::Literal(term) = pattern else { return };
    shapes.retain(|it| match it {
        Shape::Literal(it) => it != term,
        Shape::Kind(Kind::Nil) => *term != Term::Nil,
        Shape::Kind(_) | Shape::List(_) | Shape::Tuple(_) | Shape::Map(_) => true,
    });
}

pub(super) fn as_atom(expr: &Expr) -> Option<&Atom> {
    if let ExprKind::Literal(Term::Atom(atom)) = &expr.kind { Some(atom) } else { None }
}

fn is_erlang(module: &Atom) -> bool {
    module.as_str() == "erlang"
}

pub(super) fn is_true(guard: &Expr) -> bool {
    matches!(&guard.kind, ExprKind::Literal(term) if term.as_atom() == Some("true"))
}

fn may_be_true(body: &Expr) -> bool {
    !matches!(&body.kind, ExprKind::Literal(term) if term.as_atom() == Some("false"))
        && !matches!(&body.kind, ExprKind::Primop { .. })
}

/// The kind that a test of the language asks for.
fn kind_test(name: &str) -> Option<Kind> {
    Some(match name {
        "is_atom" => Kind::Atom,
        "is_binary" => Kind::Binary,
        "is_bitstring" => Kind::Bitstring,
        "is_boolean" => Kind::Boolean,
        "is_float" => Kind::Float,
        "is_function" => Kind::Function,
        "is_integer" => Kind::Integer,
        "is_list" => Kind::List,
        "is_map" => Kind::Map,
        "is_number" => Kind::Number,
        "is_pid" => Kind::Pid,
        "is_port" => Kind::Port,
        "is_reference" => Kind::Reference,
        "is_tuple" => Kind::Tuple,
        _ => return None,
    })
}

/// What an operator of the language gives; they have no specs.
fn operator(module: &Atom, name: &Atom, args: &[Value]) -> Option<Value> {
    if !is_erlang(module) {
        return None;
    }
    let kind = match name.as_str() {
        "+" | "-" | "*" if args.iter().all(Value::is_integer) => Kind::Integer,
        "+" | "-" | "*" => Kind::Number,
        "/" => Kind::Float,
        "div" | "rem" | "band" | "bor" | "bxor" | "bsl" | "bsr" | "bnot" => Kind::Integer,
        "=:=" | "=/=" | "==" | "/=" | "<" | ">" | "=<" | ">=" | "and" | "or" | "xor" | "not" => {
            Kind::Boolean
        }
        "++" => {
            let [first, second] = args else { return None };
            // The second need not be a list, which is what the result then ends with.
            return match second {
                Value::Any => None,
                Value::OneOf(_) => {
                    Some(Value::of(Shape::List(first.items().or(second.items()))).flat())
                }
            };
        }
        "--" => return args.first().map(|it| Value::of(Shape::List(it.items()))),
        _ => return None,
    };
    Some(Value::kind(kind))
}

/// What `setelement/3` gives, which is how a field of a record is changed, and the element that is changed.
fn with_element(module: &Atom, name: &Atom, args: &[Value]) -> Option<(usize, Value)> {
    let [n, tuple, new] = args else { return None };
    let [Shape::Literal(Term::Int(n))] = n.shapes() else { return None };
    if !is_erlang(module) || name.as_str() != "setelement" {
        return None;
    }
    let n = usize::try_from(*n).ok()?.checked_sub(1)?;
    let changed = |it: &Shape| {
        let Shape::Tuple(parts) = it else { return None };
        let mut parts = parts.clone();
        *parts.get_mut(n)? = new.clone();
        Some(Shape::Tuple(parts))
    };
    let tuples: Option<Vec<Shape>> = tuple.shapes().iter().map(changed).collect();
    tuples.filter(|it| !it.is_empty()).map(|it| (n, Value::OneOf(it)))
}
