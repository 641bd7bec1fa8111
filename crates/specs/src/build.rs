//! Builds types: turns the written forms of specs and declarations into nodes of one type graph. Names of types are
//! resolved, across modules too, and equal types share a node (hash consing).
//!
//! A type variable denotes a set of terms like any other type: two occurrences of a variable in a spec do not require
//! equal values.

use crate::declarations::{ClauseForm, Declarations};
use crate::form::Form;
use crate::made::{Identity, Otherwise, Recipe, struct_of};
use crate::outside::CallGraph;
use crate::protocols::implementers;
use crate::read::iolist;
use erlang::{Host, HostError};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::sync::Arc;
use term::{Atom, Encoding, Field, Kind, Style, Term, Type, TypeId, Types, atom_text, print};

/// The direction of the approximation where a type can't be represented exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// An under-approximation, for arguments: every term of the type must be an allowed input.
    Input,
    /// An over-approximation, for results: every term outside of the type must be a wrong result.
    Output,
}

/// Whether the type is that of Elixir's texts, `String.t()`.
pub fn is_text(types: &Types, id: TypeId) -> bool {
    *types.get(id) == TEXT
}

/// The representation of `String.t()`. `binary()` is represented as `Type::Kind(Kind::Binary)`, so that the two types
/// differ as values although both contain all binaries.
const TEXT: Type = Type::Bits { base: 0, unit: 8 };

/// The type graph of one side (arguments or results), shared by all signatures.
#[derive(Debug)]
pub(crate) struct Graph {
    pub(crate) side: Side,
    pub(crate) types: Types,
    interned: FxHashMap<Type, TypeId>,
    named: FxHashMap<Named, BuildState>,
    /// The types whose definitions are being built, outermost first: module, kind and name of the type, and call depth.
    open: Vec<(Atom, NamedKind, usize)>,
    /// Whether values of types that only their own module makes (opaque types, structs, records) are represented by
    /// recipes, that is, calls of the module's functions.
    pub(crate) builds: bool,
    /// The names of structs and records that other modules construct, too; they are not represented by recipes.
    pub(crate) open_tags: FxHashSet<Atom>,
    /// How many recipe calls enclose the type that is being built.
    pub(crate) call_depth: usize,
    pub(crate) made: FxHashMap<(Identity, Vec<TypeId>, usize), Option<TypeId>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Named {
    module: Atom,
    what: NamedKind,
    args: Vec<TypeId>,
    /// The level ([`Graph::level`]) at which the type is used. Recipes of a type nest at most `MAX_CALLS` deep, so the
    /// type has fewer recipes at deeper levels.
    call_depth: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum NamedKind {
    Type(Atom),
    /// A record type; the fields are those whose types are overridden where the type is used.
    Record(Atom, Vec<Atom>),
    Iolist,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum BuildState {
    /// The definition is being built. The node is present if the definition refers to itself.
    Open(Option<TypeId>),
    Done(TypeId),
}

impl Graph {
    pub(crate) fn new(side: Side) -> Graph {
        Graph {
            side,
            types: Types::default(),
            interned: FxHashMap::default(),
            named: FxHashMap::default(),
            open: Vec::new(),
            builds: false,
            open_tags: FxHashSet::default(),
            call_depth: 0,
            made: FxHashMap::default(),
        }
    }

    /// The part of a [`Named`] key that separates types by the number of enclosing recipe calls; always 0 if recipes
    /// are not built.
    fn level(&self) -> usize {
        if self.builds { self.call_depth + 1 } else { 0 }
    }

    pub(crate) fn intern(&mut self, of: Type) -> TypeId {
        if let Some(id) = self.interned.get(&of) {
            return *id;
        }
        let id = self.types.add(of.clone());
        self.interned.insert(of, id);
        id
    }
}

/// The declarations of all modules that were asked for, read at most once.
#[derive(Debug, Default)]
pub(crate) struct Library {
    modules: FxHashMap<Atom, Result<Arc<Declarations>, HostError>>,
    pub(crate) recipes: FxHashMap<Identity, Arc<Vec<Recipe>>>,
    /// The alternative results that the maker with a recipe tag may return instead of a value (such as `error`).
    pub(crate) otherwise: FxHashMap<Atom, Vec<Otherwise>>,
    pub(crate) call_graph: CallGraph,
}

impl Library {
    pub(crate) fn get(
        &mut self,
        host: &mut dyn Host,
        module: &Atom,
    ) -> Result<Arc<Declarations>, HostError> {
        if let Some(known) = self.modules.get(module) {
            return known.clone();
        }
        let found = host.declarations(module);
        let read = found.map(|it| Arc::new(Declarations::read(module, &it)));
        self.modules.insert(module.clone(), read.clone());
        read
    }
}

pub(crate) struct TypeBuilder<'a> {
    pub(crate) graph: &'a mut Graph,
    pub(crate) library: &'a mut Library,
    pub(crate) host: &'a mut dyn Host,
    /// Descriptions of the parts that were not understood and are treated as `any()`.
    pub(crate) gaps: &'a mut Vec<String>,
    /// Descriptions of types without recipes, whose values are therefore made up from their declarations.
    pub(crate) unmade: &'a mut Vec<String>,
}

/// The context of a form: its module, and the meaning of its type variables.
pub(crate) struct Scope<'a> {
    pub(crate) module: Atom,
    pub(crate) declarations: Arc<Declarations>,
    pub(crate) variables: BTreeMap<Atom, BuildState>,
    pub(crate) bounds: &'a [(Atom, Form)],
}

/// The types of the arguments and of the result of one clause of a spec.
pub(crate) struct Clause {
    pub(crate) args: TypeId,
    pub(crate) result: TypeId,
}

impl TypeBuilder<'_> {
    pub(crate) fn clause(
        &mut self,
        module: &Atom,
        declarations: &Arc<Declarations>,
        clause: &ClauseForm,
    ) -> Clause {
        let mut scope = Scope {
            module: module.clone(),
            declarations: declarations.clone(),
            variables: BTreeMap::new(),
            bounds: &clause.bounds,
        };
        let args = self.all(&clause.args, &mut scope);
        let args = self.graph.intern(Type::Tuple(args.into()));
        Clause { args, result: self.form(&clause.result, &mut scope) }
    }

    pub(crate) fn all(&mut self, forms: &[Form], scope: &mut Scope<'_>) -> Vec<TypeId> {
        forms.iter().map(|it| self.form(it, scope)).collect()
    }

    fn form(&mut self, form: &Form, scope: &mut Scope<'_>) -> TypeId {
        let of = match form {
            Form::Any => Type::Any,
            Form::None => Type::None,
            Form::Kind(kind) => Type::Kind(*kind),
            Form::Literal(term) => Type::Literal(term.clone()),
            Form::Range { low, high } => Type::Range { low: low.clone(), high: high.clone() },
            Form::List { item, tail, may_be_empty } => {
                let (item, tail) = (self.form(item, scope), self.form(tail, scope));
                self.list(item, tail, *may_be_empty)
            }
            Form::Tuple(parts) => Type::Tuple(self.all(parts, scope).into()),
            Form::Map(fields) => {
                let made = struct_of(form).map(|it| Identity::Struct(it.clone()));
                if let Some(made) = made.and_then(|it| self.made(&it, &[])) {
                    return made;
                }
                let fields = fields.iter().map(|it| {
                    let (key, value) = (self.form(&it.key, scope), self.form(&it.value, scope));
                    let is_required = it.is_required && self.is_demand(key);
                    Field { key, value, is_required }
                });
                let fields = fields.collect();
                self.map(fields)
            }
            Form::Bits { base: 0, unit: 8 } => Type::Kind(Kind::Binary),
            Form::Bits { base: 0, unit: 1 } => Type::Kind(Kind::Bitstring),
            Form::Bits { base, unit } => Type::Bits { base: *base, unit: *unit },
            Form::Fun { args, result } => {
                // The argument may be represented as a table of results, which holds terms; recipes are no terms, so
                // they are not built inside of function types.
                let builds = std::mem::replace(&mut self.graph.builds, false);
                let args = args.as_ref().map(|it| self.all(it, scope).into());
                let result = self.form(result, scope);
                self.graph.builds = builds;
                // The result of a returned function is not checked, so it is over-approximated by `any()`.
                let result = match self.graph.side {
                    Side::Input => result,
                    Side::Output => self.graph.intern(Type::Any),
                };
                Type::Fun { args, result }
            }
            Form::Union(parts) => Type::Union(self.all(parts, scope).into()),
            Form::Iolist => return self.iolist(scope),
            Form::Var(name) => return self.variable(name, scope),
            Form::Record { name, fields } => return self.record(name, fields, scope),
            Form::User { name, args } => {
                let args = self.all(args, scope);
                let (module, declarations) = (scope.module.clone(), scope.declarations.clone());
                return self.declared(module, &declarations, name, args);
            }
            Form::Remote { module, name, args } => {
                let args = self.all(args, scope);
                return self.remote(module, name, args, scope);
            }
            Form::Unknown(form) => {
                let text = print(form, Style::TW);
                return self.gap(format!("the type {text} is of an unknown kind"));
            }
        };
        self.graph.intern(of)
    }

    /// The type of a list. For results, a list type in the tail is merged with it, because `[a|[b]]` is `[a,b]`.
    fn list(&mut self, item: TypeId, tail: TypeId, may_be_empty: bool) -> Type {
        if self.graph.side == Side::Input {
            return Type::List { item, tail, may_be_empty };
        }
        let (mut items, mut tails) = (vec![item], Vec::new());
        for leaf in leaves(&self.graph.types, tail) {
            match self.graph.types.get(leaf) {
                Type::List { item, tail, .. } => {
                    items.push(*item);
                    tails.push(*tail);
                }
                Type::Any | Type::Kind(Kind::List | Kind::Cons) => {
                    let any = self.graph.intern(Type::Any);
                    items.push(any);
                    tails.push(any);
                }
                Type::None | Type::Kind(_) | Type::Literal(_) | Type::Range { .. } => {
                    tails.push(leaf);
                }
                Type::Tuple(_) | Type::Map(_) | Type::Bits { .. } | Type::Fun { .. } => {
                    tails.push(leaf);
                }
                Type::Union(_) => (),
            }
        }
        let item = self.union(items);
        let tail = self.union(tails);
        Type::List { item, tail, may_be_empty }
    }

    /// The type of a map. Fields with literal keys are moved before fields with described keys: Elixir puts
    /// `optional(any()) => any()` first and means the remaining keys. In a result, a literal key is also allowed the
    /// value type of a described field before it, because in Erlang the leftmost matching field applies.
    fn map(&mut self, fields: Vec<Field>) -> Type {
        let (mut named, mut described): (Vec<Field>, Vec<Field>) = (Vec::new(), Vec::new());
        for mut field in fields {
            let Type::Literal(term) = self.graph.types.get(field.key).clone() else {
                described.push(field);
                continue;
            };
            let has = |it: &&Field| self.graph.types.has(it.key, &term);
            if self.graph.side == Side::Output
                && let Some(left) = described.iter().find(has)
            {
                field.value = self.union(vec![left.value, field.value]);
            }
            named.push(field);
        }
        named.append(&mut described);
        Type::Map(named.into())
    }

    pub(crate) fn union(&mut self, mut parts: Vec<TypeId>) -> TypeId {
        parts.dedup();
        match parts.as_slice() {
            [one] => *one,
            _ => self.graph.intern(Type::Union(parts.into())),
        }
    }

    /// Whether a mandatory field (`:=`) really requires a key. In a result only literal keys are required: for
    /// Dialyzer, and by convention in Elixir, `#{atom() := _}` may be an empty map.
    fn is_demand(&self, key: TypeId) -> bool {
        match (self.graph.side, self.graph.types.get(key)) {
            (Side::Input, _) | (_, Type::Literal(_)) => true,
            (Side::Output, _) => false,
        }
    }

    fn iolist(&mut self, scope: &mut Scope<'_>) -> TypeId {
        let (module, call_depth) = (Atom::new("erlang"), self.graph.level());
        let key = Named { module, what: NamedKind::Iolist, args: Vec::new(), call_depth };
        self.named(key, |it| it.form(&iolist(), scope))
    }

    /// The type of a variable: its bound in the `when` part of the spec, or `any()` if it has none.
    fn variable(&mut self, name: &Atom, scope: &mut Scope<'_>) -> TypeId {
        match scope.variables.get(name) {
            Some(BuildState::Done(id) | BuildState::Open(Some(id))) => return *id,
            Some(BuildState::Open(None)) => {
                let id = self.graph.types.reserve();
                self.graph.types.name(id, name.as_str().to_owned());
                scope.variables.insert(name.clone(), BuildState::Open(Some(id)));
                return id;
            }
            None => (),
        }
        let bounds = scope.bounds;
        let mut found = bounds.iter().filter(|it| it.0 == *name);
        let Some((_, bound)) = found.next() else { return self.graph.intern(Type::Any) };
        scope.variables.insert(name.clone(), BuildState::Open(None));
        let built = self.form(bound, scope);
        let id = match scope.variables.get(name) {
            Some(BuildState::Open(Some(id))) => self.tie(*id, built),
            _ => built,
        };
        scope.variables.insert(name.clone(), BuildState::Done(id));
        id
    }

    fn record(&mut self, name: &Atom, overrides: &[(Atom, Form)], scope: &mut Scope<'_>) -> TypeId {
        let declarations = scope.declarations.clone();
        let Some(fields) = declarations.records.get(name) else {
            return self.gap(format!("the record {} is not known", name.as_str()));
        };
        if declarations.own_records.contains(name)
            && let identity = Identity::Record(scope.module.clone(), name.clone())
            && let Some(made) = self.made(&identity, &[])
        {
            return made;
        }
        let given: Vec<(Atom, TypeId)> =
            overrides.iter().map(|it| (it.0.clone(), self.form(&it.1, scope))).collect();
        let names = given.iter().map(|it| it.0.clone()).collect();
        let key = Named {
            module: scope.module.clone(),
            what: NamedKind::Record(name.clone(), names),
            args: given.iter().map(|it| it.1).collect(),
            call_depth: self.graph.level(),
        };
        let module = scope.module.clone();
        self.named(key, |it| {
            let (variables, bounds) = (BTreeMap::new(), [].as_slice());
            let mut scope = Scope { module, declarations: declarations.clone(), variables, bounds };
            let mut parts = vec![it.graph.intern(Type::Literal(Term::Atom(name.clone())))];
            for (field, of) in fields {
                let part = match given.iter().find(|it| it.0 == *field) {
                    Some((_, id)) => *id,
                    None => it.form(of, &mut scope),
                };
                parts.push(part);
            }
            it.graph.intern(Type::Tuple(parts.into()))
        })
    }

    fn remote(
        &mut self,
        module: &Atom,
        name: &Atom,
        args: Vec<TypeId>,
        scope: &Scope<'_>,
    ) -> TypeId {
        let found = if *module == scope.module {
            Ok(scope.declarations.clone())
        } else {
            self.library.get(self.host, module)
        };
        match found {
            Ok(declarations) => self.declared(module.clone(), &declarations, name, args),
            Err(why) => {
                let name = type_text(module, name, args.len());
                self.gap(format!("the type {name} is not known: {why}"))
            }
        }
    }

    /// The type of Elixir's texts. A text is a binary, but not every binary is a text, so the type is represented
    /// differently from `binary()`; see [`is_text`].
    fn text(&mut self) -> TypeId {
        self.graph.intern(TEXT)
    }

    fn declared(
        &mut self,
        module: Atom,
        declarations: &Arc<Declarations>,
        name: &Atom,
        args: Vec<TypeId>,
    ) -> TypeId {
        let Some(declaration) = declarations.types.get(&(name.clone(), args.len())) else {
            let name = type_text(&module, name, args.len());
            return self.gap(format!("the type {name} is not known"));
        };
        let full = (module.as_str(), name.as_str(), args.len());
        if self.graph.side == Side::Input && full == ("Elixir.String", "t", 0) {
            return self.text();
        }
        if self.graph.side == Side::Input
            && declarations.is_protocol
            && name.as_str() == "t"
            && let Some(form) = implementers(self.host, &module)
        {
            let (variables, bounds) = (BTreeMap::new(), [].as_slice());
            let declarations = declarations.clone();
            return self.form(&form, &mut Scope { module, declarations, variables, bounds });
        }
        if declaration.is_opaque {
            let identity = Identity::Opaque(module.clone(), name.clone(), args.len());
            if let Some(made) = self.made(&identity, &args) {
                return made;
            }
        }
        let call_depth = self.graph.level();
        let key =
            Named { module: module.clone(), what: NamedKind::Type(name.clone()), args, call_depth };
        let args = key.args.clone();
        self.named(key, |it| {
            let params = declaration.params.iter().cloned();
            let variables = params.zip(args.into_iter().map(BuildState::Done)).collect();
            let declarations = declarations.clone();
            let mut scope = Scope { module, declarations, variables, bounds: &[] };
            let built = it.form(&declaration.body, &mut scope);
            match it.graph.side {
                Side::Output if declaration.is_opaque => it.outline(built),
                Side::Input | Side::Output => built,
            }
        })
    }

    /// The outermost shape of an opaque type: tags, sizes of tuples, and kinds of terms. The inside is hidden from
    /// users, and often differs from the declaration (`array:array()` of OTP 25).
    fn outline(&mut self, id: TypeId) -> TypeId {
        let any = self.graph.intern(Type::Any);
        let parts = leaves(&self.graph.types, id);
        let parts = parts.into_iter().map(|leaf| {
            let of = match self.graph.types.get(leaf).clone() {
                Type::Tuple(parts) => {
                    let is_tag =
                        |it: &TypeId| matches!(self.graph.types.get(*it), Type::Literal(_));
                    Type::Tuple(parts.iter().map(|it| if is_tag(it) { *it } else { any }).collect())
                }
                Type::List { .. } => Type::Kind(Kind::List),
                Type::Map(_) => Type::Kind(Kind::Map),
                // The opaque type is defined by another type that is still being built: nothing is known of it yet.
                Type::None => Type::Any,
                simple @ (Type::Any | Type::Kind(_) | Type::Literal(_) | Type::Range { .. }) => {
                    simple
                }
                simple @ (Type::Bits { .. } | Type::Fun { .. } | Type::Union(_)) => simple,
            };
            self.graph.intern(of)
        });
        let parts = parts.collect();
        self.union(parts)
    }

    /// Returns the type that a name denotes, built by `body` unless it is known or being built.
    fn named(&mut self, key: Named, body: impl FnOnce(&mut Self) -> TypeId) -> TypeId {
        match self.graph.named.get(&key) {
            Some(BuildState::Done(id) | BuildState::Open(Some(id))) => return *id,
            Some(BuildState::Open(None)) => {
                let id = self.graph.types.reserve();
                let text = self.name_text(&key);
                self.graph.types.name(id, text);
                self.graph.named.insert(key, BuildState::Open(Some(id)));
                return id;
            }
            None => (),
        }
        let place = (key.module.clone(), key.what.clone(), key.call_depth);
        let n_open = self.graph.open.iter().filter(|it| **it == place).count();
        if n_open >= MAX_OPEN || self.graph.types.len() > MAX_NODES {
            let name = self.name_text(&key);
            return self.gap(format!("the type {name} grows without end"));
        }
        self.graph.open.push(place);
        self.graph.named.insert(key.clone(), BuildState::Open(None));
        let built = body(self);
        self.graph.open.pop();
        let id = match self.graph.named.get(&key) {
            Some(BuildState::Open(Some(id))) => self.tie(*id, built),
            _ => built,
        };
        self.graph.named.insert(key, BuildState::Done(id));
        id
    }

    /// Defines a reserved node as equal to the type that was built for it.
    fn tie(&mut self, promised: TypeId, built: TypeId) -> TypeId {
        if promised != built {
            self.graph.types.set(promised, Type::Union([built].into()));
        }
        promised
    }

    /// Records why a type has no recipes.
    pub(crate) fn unmade(&mut self, why: String) {
        if !self.unmade.contains(&why) {
            self.unmade.push(why);
        }
    }

    fn gap(&mut self, why: String) -> TypeId {
        if !self.gaps.contains(&why) {
            self.gaps.push(why);
        }
        self.graph.intern(Type::Any)
    }

    fn name_text(&self, key: &Named) -> String {
        match &key.what {
            NamedKind::Iolist => "iolist()".to_owned(),
            NamedKind::Record(record, _) => format!("#{}{{}}", text(record)),
            NamedKind::Type(of) => {
                let args: Vec<String> =
                    key.args.iter().map(|it| self.graph.types.text(*it)).collect();
                format!("{}:{}({})", text(&key.module), text(of), args.join(","))
            }
        }
    }
}

/// How often a definition may be open inside of itself. This cuts parametric types that apply themselves to ever larger
/// arguments.
const MAX_OPEN: usize = 6;
/// The maximum number of nodes in a graph: more than all types of OTP together need.
const MAX_NODES: usize = 1_000_000;

fn text(name: &Atom) -> String {
    atom_text(name, Encoding::Unicode)
}

fn type_text(module: &Atom, name: &Atom, arity: usize) -> String {
    format!("{}:{}/{arity}", text(module), text(name))
}

/// The members of a union, nested unions flattened; the type itself if it is not a union.
pub(crate) fn leaves(types: &Types, id: TypeId) -> Vec<TypeId> {
    let (mut seen, mut res, mut todo) = (Vec::new(), Vec::new(), vec![id]);
    while let Some(id) = todo.pop() {
        if seen.contains(&id) {
            continue;
        }
        seen.push(id);
        if let Type::Union(parts) = types.get(id) {
            todo.extend(parts.iter().rev());
        } else {
            res.push(id);
        }
    }
    res
}
