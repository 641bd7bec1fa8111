//! Reads the `c_*` records of OTP's `core_parse.hrl` into the syntax tree, giving each binding its own id.

use crate::core::ast::{
    Clause, Expr, ExprKind, Function, Lambda, LetrecKind, MapOp, MapPair, Module, Pattern,
    PatternSegment, Place, Segment, VarId,
};
use rustc_hash::FxHashMap;
use smol_str::SmolStr;
use std::fmt;
use term::fit_u32;
use term::{Atom, Term};
use values::{Endian, SegmentSpec, SegmentType, Sign};

/// A record that does not have the shape that OTP's compiler gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    pub expected: &'static str,
    pub found: String,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unexpected Core Erlang: {} expected, found {}", self.expected, self.found)
    }
}

type Read<T> = Result<T, ReadError>;

/// Reads a `c_module`. `file` is the source file for places that name none.
pub fn read(core: &Term, file: &str) -> Read<Module> {
    let [_, name, exports, attributes, definitions] = record(core, "c_module")? else {
        return Err(unexpected("a module", core));
    };
    let mut reader = Reader {
        vars: FxHashMap::default(),
        letrecs: FxHashMap::default(),
        uses: Vec::new(),
        names: Vec::new(),
        files: vec![SmolStr::new(file)],
        owner: String::new(),
        n_lifted: 0,
        stub_names: Vec::new(),
    };
    let mut functions = Vec::new();
    for definition in list(definitions)? {
        let [name, lambda] = tuple(definition)? else {
            return Err(unexpected("a definition", definition));
        };
        let (name, arity) = function_name(name)?;
        reader.vars.clear();
        reader.owner = format!("{}/{arity}", name.as_str());
        reader.n_lifted = 0;
        functions.push(Function { name, lambda: reader.lambda(lambda)? });
    }
    Ok(Module {
        name: literal_atom(name)?,
        exports: list(exports)?.iter().map(function_name).collect::<Read<_>>()?,
        functions,
        inline: inline_list(attributes)?,
        uses: reader.uses,
        names: reader.names,
        files: reader.files,
    })
}

/// Returns the functions that the `{inline, …}` options of the `compile` attributes name.
fn inline_list(attributes: &Term) -> Read<Vec<(Atom, u32)>> {
    let mut res = Vec::new();
    for attribute in list(attributes)? {
        let [name, value] = tuple(attribute)? else {
            return Err(unexpected("an attribute", attribute));
        };
        if literal(name).is_none_or(|it| it.as_atom() != Some("compile")) {
            continue;
        }
        for option in literal(value).and_then(Term::as_list).unwrap_or_default() {
            let Some([Term::Atom(tag), which]) = option.as_tuple() else { continue };
            if tag.as_str() == "inline" {
                let one = std::slice::from_ref(which);
                res.extend(which.as_list().unwrap_or(one).iter().filter_map(name_and_arity));
            }
        }
    }
    Ok(res)
}

fn name_and_arity(term: &Term) -> Option<(Atom, u32)> {
    match term.as_tuple() {
        Some([Term::Atom(name), Term::Int(arity)]) => {
            Some((name.clone(), u32::try_from(*arity).ok()?))
        }
        _ => None,
    }
}

struct Reader {
    /// The variables in scope by name. A binder overwrites an entry, and the end of its scope restores it.
    vars: FxHashMap<Term, VarId>,
    letrecs: FxHashMap<(Atom, u32), VarId>,
    uses: Vec<u32>,
    names: Vec<SmolStr>,
    files: Vec<SmolStr>,
    /// The function that is being read, as `name/arity`; `n_lifted` counts the names that OTP's compiler generates in
    /// it.
    owner: String,
    n_lifted: u32,
    /// For each enclosing lambda, its [`Lambda::stub_name`] if one was generated.
    stub_names: Vec<Option<Atom>>,
}

impl Reader {
    fn lambda(&mut self, term: &Term) -> Read<Lambda> {
        let [anno, params, body] = record(term, "c_fun")? else {
            return Err(unexpected("a fun", term));
        };
        let scope = self.vars.clone();
        let params = self.bind_all(params)?;
        self.stub_names.push(None);
        let body = self.expr(body)?;
        let stub_name = self.stub_names.pop().flatten();
        self.vars = scope;
        let fun_name = annotations(anno).iter().find_map(|it| match it.as_tuple() {
            Some([tag, Term::Tuple(id)]) if tag.as_atom() == Some("id") => match id.as_slice() {
                [_, _, Term::Atom(name)] => Some(name.clone()),
                _ => None,
            },
            _ => None,
        });
        Ok(Lambda { params, body, place: self.place(anno), fun_name, stub_name })
    }

    fn expr(&mut self, term: &Term) -> Read<Expr> {
        let items = tuple(term)?;
        let (tag, anno, fields) = match items {
            [Term::Atom(tag), anno, fields @ ..] => (tag.as_str(), anno, fields),
            _ => return Err(unexpected("an expression", term)),
        };
        let place = self.place(anno);
        let kind = self.expr_kind(term, tag, fields)?;
        Ok(Expr { kind, place })
    }

    fn expr_kind(&mut self, term: &Term, tag: &str, fields: &[Term]) -> Read<ExprKind> {
        Ok(match (tag, fields) {
            ("c_literal", [value]) => ExprKind::Literal(value.clone()),
            ("c_var", [name]) => match self.letrec_or_function(name) {
                Some(Callee::Letrec(id)) => ExprKind::LetrecName(id),
                Some(Callee::Function(name, arity)) => ExprKind::FunctionName(name, arity),
                None => ExprKind::Var(self.lookup(name)?),
            },
            ("c_fun", _) => ExprKind::Lambda(Box::new(self.lambda(term)?)),
            ("c_cons", [head, tail]) => {
                ExprKind::Cons(Box::new(self.expr(head)?), Box::new(self.expr(tail)?))
            }
            ("c_tuple", [items]) => ExprKind::Tuple(self.exprs(items)?),
            ("c_values", [items]) => ExprKind::Values(self.exprs(items)?),
            ("c_map", [base, pairs, _is_pattern]) => ExprKind::Map {
                base: Box::new(self.expr(base)?),
                pairs: list(pairs)?.iter().map(|it| self.map_pair(it)).collect::<Read<_>>()?,
            },
            ("c_binary", [segments]) => ExprKind::Binary(
                list(segments)?.iter().map(|it| self.segment(it)).collect::<Read<_>>()?,
            ),
            ("c_let", [vars, arg, body]) => {
                let arg = Box::new(self.expr(arg)?);
                let (vars, body) = self.scoped(vars, body)?;
                ExprKind::Let { vars, arg, body: Box::new(body) }
            }
            ("c_seq", [arg, body]) => {
                ExprKind::Seq(Box::new(self.expr(arg)?), Box::new(self.expr(body)?))
            }
            ("c_letrec", [definitions, body]) => self.letrec(term, definitions, body)?,
            ("c_apply", [fun, args]) => self.apply(fun, args)?,
            ("c_call", [module, name, args]) => ExprKind::Call {
                module: Box::new(self.expr(module)?),
                name: Box::new(self.expr(name)?),
                args: self.exprs(args)?,
            },
            ("c_primop", [name, args]) => {
                let (name, args) = (literal_atom(name)?, self.exprs(args)?);
                if name.as_str() == "match_fail" && args.first().is_some_and(is_function_clause) {
                    self.name_stub();
                }
                ExprKind::Primop { name, args }
            }
            ("c_case", [arg, clauses]) => {
                let arg = self.expr(arg)?;
                let args = if let ExprKind::Values(args) = arg.kind { args } else { vec![arg] };
                let clauses =
                    list(clauses)?.iter().map(|it| self.clause(it)).collect::<Read<_>>()?;
                ExprKind::Case { args, clauses }
            }
            ("c_try", [arg, vars, body, raised, handler]) => {
                let arg = Box::new(self.expr(arg)?);
                let (vars, body) = self.scoped(vars, body)?;
                let (raised, handler) = self.scoped(raised, handler)?;
                ExprKind::Try {
                    arg,
                    vars,
                    body: Box::new(body),
                    raised,
                    handler: Box::new(handler),
                }
            }
            ("c_catch", [body]) => ExprKind::Catch(Box::new(self.expr(body)?)),
            // `c_opaque` occurs only in trees that were not made for code generation.
            ("c_opaque", [value]) => ExprKind::Literal(value.clone()),
            _ => return Err(unexpected("an expression", term)),
        })
    }

    fn exprs(&mut self, terms: &Term) -> Read<Vec<Expr>> {
        list(terms)?.iter().map(|it| self.expr(it)).collect()
    }

    fn scoped(&mut self, vars: &Term, body: &Term) -> Read<(Vec<VarId>, Expr)> {
        let before: Vec<(Term, Option<VarId>)> = list(vars)?
            .iter()
            .map(|it| var_name(it).map(|name| (name.clone(), self.vars.get(name).copied())))
            .collect::<Read<_>>()?;
        let vars = self.bind_all(vars)?;
        let body = self.expr(body)?;
        self.restore(before);
        Ok((vars, body))
    }

    fn restore(&mut self, before: Vec<(Term, Option<VarId>)>) {
        for (name, id) in before.into_iter().rev() {
            match id {
                Some(id) => self.vars.insert(name, id),
                None => self.vars.remove(&name),
            };
        }
    }

    fn letrec(&mut self, term: &Term, definitions: &Term, body: &Term) -> Read<ExprKind> {
        let is_goto = tuple(term)?
            .get(1)
            .is_some_and(|it| annotations(it).iter().any(|it| it.as_atom() == Some("letrec_goto")));
        let kind = if is_goto { LetrecKind::Labels } else { LetrecKind::Functions };
        let definitions = list(definitions)?;
        let mut names = Vec::new();
        let before = self.letrecs.clone();
        for definition in definitions {
            let [name, _] = tuple(definition)? else {
                return Err(unexpected("a definition", definition));
            };
            let (name, arity) = function_name(name)?;
            let id = self.fresh(SmolStr::new(name.as_str()));
            let lifted = match kind {
                LetrecKind::Labels => name.clone(),
                LetrecKind::Functions => {
                    self.n_lifted += 1;
                    let (owner, n) = (&self.owner, self.n_lifted - 1);
                    Atom::new(&format!("-{owner}-{}/{arity}-{n}-", name.as_str()))
                }
            };
            self.letrecs.insert((name, arity), id);
            names.push((id, lifted));
        }
        let mut functions = Vec::new();
        for (definition, (id, name)) in definitions.iter().zip(names) {
            if let [_, lambda] = tuple(definition)? {
                functions.push((id, name, self.lambda(lambda)?));
            }
        }
        let body = Box::new(self.expr(body)?);
        self.letrecs = before;
        Ok(ExprKind::Letrec { functions, body, kind })
    }

    fn apply(&mut self, fun: &Term, args: &Term) -> Read<ExprKind> {
        let args = self.exprs(args)?;
        if let Ok([_, name]) = record(fun, "c_var") {
            match self.letrec_or_function(name) {
                Some(Callee::Letrec(function)) => {
                    return Ok(ExprKind::ApplyLetrec { function, args });
                }
                Some(Callee::Function(name, arity)) => {
                    return Ok(ExprKind::Local { name, arity, args });
                }
                None => (),
            }
        }
        Ok(ExprKind::Apply { fun: Box::new(self.expr(fun)?), args })
    }

    fn name_stub(&mut self) {
        let is_fun = self.stub_names.len() > 1;
        if let Some(name) = self.stub_names.last_mut()
            && is_fun
        {
            *name = Some(Atom::new(&format!("-{}-inlined-{}-", self.owner, self.n_lifted)));
            self.n_lifted += 1;
        }
    }

    fn letrec_or_function(&self, name: &Term) -> Option<Callee> {
        let Some([Term::Atom(name), Term::Int(arity)]) = name.as_tuple() else { return None };
        let arity = u32::try_from(*arity).ok()?;
        let key = (name.clone(), arity);
        Some(match self.letrecs.get(&key) {
            Some(id) => Callee::Letrec(*id),
            None => Callee::Function(key.0, arity),
        })
    }

    fn map_pair(&mut self, term: &Term) -> Read<MapPair> {
        let [_, op, key, value] = record(term, "c_map_pair")? else {
            return Err(unexpected("a map pair", term));
        };
        let op = if literal(op).is_some_and(|it| it.as_atom() == Some("exact")) {
            MapOp::Exact
        } else {
            MapOp::Assoc
        };
        Ok(MapPair { op, key: self.expr(key)?, value: self.expr(value)? })
    }

    fn segment(&mut self, term: &Term) -> Read<Segment> {
        let [anno, value, size, unit, ty, flags] = record(term, "c_bitstr")? else {
            return Err(unexpected("a segment", term));
        };
        // The compiler numbers only segments whose construction may fail.
        let number = annotations(anno).iter().find_map(|it| match it.as_tuple() {
            Some([tag, Term::Int(n)]) if tag.as_atom() == Some("segment") => u32::try_from(*n).ok(),
            _ => None,
        });
        Ok(Segment {
            number: number.unwrap_or(0),
            value: self.expr(value)?,
            size: self.size(size)?,
            spec: segment_spec(unit, ty, flags)?,
        })
    }

    fn size(&mut self, size: &Term) -> Read<Option<Expr>> {
        if literal(size).is_some_and(|it| matches!(it.as_atom(), Some("all" | "undefined"))) {
            return Ok(None);
        }
        self.expr(size).map(Some)
    }

    fn clause(&mut self, term: &Term) -> Read<Clause> {
        let [anno, patterns, guard, body] = record(term, "c_clause")? else {
            return Err(unexpected("a clause", term));
        };
        let scope = self.vars.clone();
        let patterns = list(patterns)?.iter().map(|it| self.pattern(it)).collect::<Read<_>>()?;
        let guard = self.expr(guard)?;
        let body = self.expr(body)?;
        self.vars = scope;
        let is_added = |it: &Term| it.as_atom() == Some("compiler_generated");
        let is_of_source =
            annotations(anno).iter().any(is_marked) && !annotations(anno).iter().any(is_added);
        Ok(Clause { patterns, guard, body, place: self.place(anno), is_of_source })
    }

    fn pattern(&mut self, term: &Term) -> Read<Pattern> {
        let items = tuple(term)?;
        let (tag, fields) = match items {
            [Term::Atom(tag), _, fields @ ..] => (tag.as_str(), fields),
            _ => return Err(unexpected("a pattern", term)),
        };
        Ok(match (tag, fields) {
            ("c_var", [name]) => Pattern::Var(self.bind(name)),
            ("c_literal", [value]) => literal_pattern(value),
            ("c_cons", [head, tail]) => {
                Pattern::Cons(Box::new(self.pattern(head)?), Box::new(self.pattern(tail)?))
            }
            ("c_tuple", [items]) => {
                Pattern::Tuple(list(items)?.iter().map(|it| self.pattern(it)).collect::<Read<_>>()?)
            }
            ("c_map", [_, pairs, _]) => Pattern::Map(
                list(pairs)?
                    .iter()
                    .map(|it| match record(it, "c_map_pair")? {
                        [_, _, key, value] => Ok((self.expr(key)?, self.pattern(value)?)),
                        _ => Err(unexpected("a map pair", it)),
                    })
                    .collect::<Read<_>>()?,
            ),
            ("c_binary", [segments]) => Pattern::Binary(
                list(segments)?.iter().map(|it| self.pattern_segment(it)).collect::<Read<_>>()?,
            ),
            ("c_alias", [var, pattern]) => {
                let pattern = self.pattern(pattern)?;
                Pattern::Alias(self.bind(var_name(var)?), Box::new(pattern))
            }
            _ => return Err(unexpected("a pattern", term)),
        })
    }

    fn pattern_segment(&mut self, term: &Term) -> Read<PatternSegment> {
        let [_, value, size, unit, ty, flags] = record(term, "c_bitstr")? else {
            return Err(unexpected("a segment", term));
        };
        let size = self.size(size)?;
        Ok(PatternSegment {
            value: self.pattern(value)?,
            size,
            spec: segment_spec(unit, ty, flags)?,
        })
    }

    fn bind_all(&mut self, vars: &Term) -> Read<Vec<VarId>> {
        list(vars)?.iter().map(|it| Ok(self.bind(var_name(it)?))).collect()
    }

    fn bind(&mut self, name: &Term) -> VarId {
        let text = match (name.as_atom(), name.as_int()) {
            (Some(name), _) => SmolStr::new(name),
            (_, Some(number)) => SmolStr::new(format!("_{number}")),
            (None, None) => SmolStr::new("_"),
        };
        let id = self.fresh(text);
        self.vars.insert(name.clone(), id);
        id
    }

    fn fresh(&mut self, name: SmolStr) -> VarId {
        self.uses.push(0);
        self.names.push(name);
        VarId(fit_u32(self.uses.len() - 1))
    }

    fn lookup(&mut self, name: &Term) -> Read<VarId> {
        let var = self.vars.get(name).ok_or_else(|| unexpected("a bound variable", name))?;
        if let Some(n_uses) = self.uses.get_mut(var.0 as usize) {
            *n_uses += 1;
        }
        Ok(*var)
    }

    fn place(&mut self, anno: &Term) -> Place {
        let mut place = Place::default();
        for item in annotations(anno) {
            if let Some(line) = item.as_int() {
                place.line = u32::try_from(line).unwrap_or(0);
            }
            match item.as_tuple() {
                Some([Term::Int(line), Term::Int(column)]) => {
                    place.line = u32::try_from(*line).unwrap_or(0);
                    place.column = u32::try_from(column % MARK).unwrap_or(0);
                }
                Some([tag, file]) if tag.as_atom() == Some("file") => place.file = self.file(file),
                _ => (),
            }
        }
        place
    }

    fn file(&mut self, name: &Term) -> u16 {
        let text: String = match name.as_bytes() {
            Some(bytes) => String::from_utf8_lossy(bytes).into_owned(),
            None => name.as_list().unwrap_or_default().iter().filter_map(to_char).collect(),
        };
        let place = self.files.iter().position(|it| *it == text).unwrap_or_else(|| {
            self.files.push(SmolStr::new(&text));
            self.files.len() - 1
        });
        u16::try_from(place).unwrap_or(0)
    }
}

/// Makes a pattern of a literal, with lists and tuples taken apart as in a written pattern.
fn literal_pattern(value: &Term) -> Pattern {
    match value {
        Term::List(list) => list.items.iter().rfold(literal_pattern(&list.tail), |tail, head| {
            Pattern::Cons(Box::new(literal_pattern(head)), Box::new(tail))
        }),
        Term::Tuple(items) => Pattern::Tuple(items.iter().map(literal_pattern).collect()),
        // `#{}` as a pattern matches every map.
        Term::Map(pairs) if pairs.is_empty() => Pattern::Map(Vec::new()),
        Term::Map(_)
        | Term::Int(_)
        | Term::Big(_)
        | Term::Float(_)
        | Term::Atom(_)
        | Term::Nil
        | Term::Bits(_)
        | Term::Fun(_)
        | Term::Pid(_)
        | Term::Port(_)
        | Term::Ref(_) => Pattern::Literal(value.clone()),
    }
}

fn literal_of(expr: &Expr) -> Option<&Term> {
    if let ExprKind::Literal(term) = &expr.kind { Some(term) } else { None }
}

fn is_function_clause(reason: &Expr) -> bool {
    let first = if let ExprKind::Tuple(items) = &reason.kind {
        items.first().and_then(literal_of)
    } else {
        literal_of(reason).and_then(Term::as_tuple).and_then(<[Term]>::first)
    };
    first.and_then(Term::as_atom) == Some("function_clause")
}

enum Callee {
    Letrec(VarId),
    Function(Atom, u32),
}

fn segment_spec(unit: &Term, ty: &Term, flags: &Term) -> Read<SegmentSpec> {
    let ty = match literal(ty).and_then(Term::as_atom) {
        Some("integer") => SegmentType::Integer,
        Some("float") => SegmentType::Float,
        Some("binary" | "bitstring" | "bytes" | "bits") => SegmentType::Binary,
        Some("utf8") => SegmentType::Utf8,
        Some("utf16") => SegmentType::Utf16,
        Some("utf32") => SegmentType::Utf32,
        _ => return Err(unexpected("a segment type", ty)),
    };
    let unit = literal(unit).and_then(Term::as_int).and_then(|it| u16::try_from(it).ok());
    let flags = literal(flags).and_then(Term::as_list).unwrap_or_default();
    let has = |flag: &str| flags.iter().any(|it| it.as_atom() == Some(flag));
    let is_little = has("little") || (has("native") && cfg!(target_endian = "little"));
    Ok(SegmentSpec {
        ty,
        unit: unit.unwrap_or(1),
        endian: if is_little { Endian::Little } else { Endian::Big },
        sign: if has("signed") { Sign::Signed } else { Sign::Unsigned },
    })
}

/// Returns the fields of a record after its tag.
fn record<'a>(term: &'a Term, tag: &'static str) -> Read<&'a [Term]> {
    match term.as_tuple() {
        Some([Term::Atom(found), fields @ ..]) if found.as_str() == tag => Ok(fields),
        _ => Err(unexpected(tag, term)),
    }
}

fn literal(term: &Term) -> Option<&Term> {
    match record(term, "c_literal").ok()? {
        [_, value] => Some(value),
        _ => None,
    }
}

fn literal_atom(term: &Term) -> Read<Atom> {
    match literal(term) {
        Some(Term::Atom(atom)) => Ok(atom.clone()),
        _ => Err(unexpected("an atom", term)),
    }
}

fn var_name(term: &Term) -> Read<&Term> {
    match record(term, "c_var")? {
        [_, name] => Ok(name),
        _ => Err(unexpected("a variable", term)),
    }
}

fn function_name(term: &Term) -> Read<(Atom, u32)> {
    match var_name(term)?.as_tuple() {
        Some([Term::Atom(name), Term::Int(arity)]) => {
            Ok((name.clone(), u32::try_from(*arity).unwrap_or(0)))
        }
        _ => Err(unexpected("a function name", term)),
    }
}

/// The number that is added to the column of a clause that comes from the source, to tell it from generated clauses.
pub const MARK: i64 = 1_000_000;

fn is_marked(annotation: &Term) -> bool {
    matches!(annotation.as_tuple(), Some([Term::Int(_), Term::Int(column)]) if *column >= MARK)
}

fn annotations(anno: &Term) -> &[Term] {
    anno.as_list().unwrap_or_default()
}

fn to_char(term: &Term) -> Option<char> {
    term.as_int().and_then(|it| u32::try_from(it).ok()).and_then(char::from_u32)
}

fn tuple(term: &Term) -> Read<&[Term]> {
    term.as_tuple().ok_or_else(|| unexpected("a record", term))
}

fn list(term: &Term) -> Read<&[Term]> {
    term.as_list().ok_or_else(|| unexpected("a list", term))
}

fn unexpected(expected: &'static str, found: &Term) -> ReadError {
    let mut found = format!("{found:?}");
    if let Some((end, _)) = found.char_indices().nth(200) {
        found.truncate(end);
    }
    ReadError { expected, found }
}
