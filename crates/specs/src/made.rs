//! Recipes for types whose values only their own module makes: opaque types, structs and records. An input of such a
//! type is a *recipe*: a call of a function of the module whose spec says that it returns the type. The arguments of
//! the call may be recipes, too.
//!
//! A recipe is represented by a tuple whose tag names the function: `{'gimlet$made queue:in/2', 1, …}`. A type of
//! recipes is therefore an ordinary type, and the solver needs no knowledge of recipes. This module does not evaluate
//! them.

use crate::build::{BuildState, Library, Scope, Side, TypeBuilder};
use crate::declarations::{ClauseForm, Declarations};
use crate::form::Form;
use erlang::{Host, ModuleCode};
use std::collections::BTreeMap;
use std::sync::Arc;
use term::{Atom, Encoding, Kind, Term, Type, TypeId, atom_text};

/// A function that makes values of a type.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Maker {
    pub module: Atom,
    pub function: Atom,
    pub arity: usize,
    pub gives: Gives,
}

/// Where the value of the type is in the result of a maker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Gives {
    Whole,
    /// As the second element of `{ok, Value}`.
    Ok,
    /// The value is element `n`, counted from 0, of a tuple of `arity` elements. The first element is the atom `ok`
    /// (`is_ok`), or its type is not a single atom.
    Part {
        n: usize,
        arity: usize,
        is_ok: bool,
    },
}

impl Gives {
    /// The index of the value in the result tuple, counted from 0, and the tuple's arity. `None` if the whole result is
    /// the value.
    pub fn element(self) -> Option<(usize, usize)> {
        match self {
            Gives::Whole => None,
            Gives::Ok => Some((1, 2)),
            Gives::Part { n, arity, is_ok: _ } => Some((n, arity)),
        }
    }

    /// Whether the result begins with `ok`.
    pub fn is_ok(self) -> bool {
        match self {
            Gives::Whole => false,
            Gives::Ok => true,
            Gives::Part { is_ok, .. } => is_ok,
        }
    }
}

/// An alternative result of a maker, which is not a value of the type.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Otherwise {
    Atom(Atom),
    Tagged { tag: Atom, arity: usize },
}

const WHOLE: &str = "gimlet$made ";
const OK: &str = "gimlet$made-ok ";
/// The element's index and the tuple's arity follow the prefix: `gimlet$made-part-ok 2 3 m:f/1`.
const OK_PART: &str = "gimlet$made-part-ok ";
const PART: &str = "gimlet$made-part ";

impl Maker {
    /// The tag of the maker's recipes, their first element.
    pub fn tag(&self) -> Atom {
        let prefix = match self.gives {
            Gives::Whole => WHOLE.to_owned(),
            Gives::Ok => OK.to_owned(),
            Gives::Part { n, arity, is_ok } => {
                format!("{}{n} {arity} ", if is_ok { OK_PART } else { PART })
            }
        };
        let Maker { module, function, arity, .. } = self;
        Atom::new(&format!("{prefix}{}:{}/{arity}", module.as_str(), function.as_str()))
    }

    pub fn of_tag(tag: &Atom) -> Option<Maker> {
        let text = tag.as_str();
        let (gives, name) = if let Some(name) = text.strip_prefix(WHOLE) {
            (Gives::Whole, name)
        } else if let Some(name) = text.strip_prefix(OK) {
            (Gives::Ok, name)
        } else {
            let (is_ok, rest) = match text.strip_prefix(OK_PART) {
                Some(rest) => (true, rest),
                None => (false, text.strip_prefix(PART)?),
            };
            let (n, rest) = rest.split_once(' ')?;
            let (arity, name) = rest.split_once(' ')?;
            (Gives::Part { n: n.parse().ok()?, arity: arity.parse().ok()?, is_ok }, name)
        };
        let (module, rest) = name.split_once(':')?;
        let (function, arity) = rest.rsplit_once('/')?;
        let (module, function) = (Atom::new(module), Atom::new(function));
        Some(Maker { module, function, arity: arity.parse().ok()?, gives })
    }

    /// The maker and the arguments of a recipe; `None` if the term is not a recipe.
    pub fn of_recipe(term: &Term) -> Option<(Maker, &[Term])> {
        let (Term::Atom(tag), args) = term.as_tuple()?.split_first()? else { return None };
        Some((Maker::of_tag(tag)?, args))
    }
}

/// The name of a type whose values only its own module makes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Identity {
    Opaque(Atom, Atom, usize),
    Record(Atom, Atom),
    Struct(Atom),
}

impl Identity {
    fn module(&self) -> &Atom {
        match self {
            Identity::Opaque(module, ..)
            | Identity::Record(module, _)
            | Identity::Struct(module) => module,
        }
    }
}

/// A clause of the spec of a maker.
#[derive(Debug)]
pub(crate) struct Recipe {
    maker: Maker,
    otherwise: Vec<Otherwise>,
    /// The arguments of the type as they are written in the result.
    result_args: Vec<Form>,
    clause: usize,
}

/// The maximum nesting depth of recipe calls.
const MAX_CALLS: usize = 8;

/// The maximum number of nested aliases, unions and variables that are followed.
const MAX_ALIASES: usize = 8;

impl TypeBuilder<'_> {
    /// The type of the recipes of a type; `None` if its values are not built by recipes.
    pub(crate) fn made(&mut self, identity: &Identity, args: &[TypeId]) -> Option<TypeId> {
        if self.graph.side != Side::Input || !self.graph.builds || self.is_open(identity) {
            return None;
        }
        let key = (identity.clone(), args.to_vec(), self.graph.call_depth);
        if let Some(known) = self.graph.made.get(&key) {
            return *known;
        }
        let module = identity.module().clone();
        let declarations = self.library.get(self.host, &module).ok()?;
        let recipes = self.library.recipes(self.host, identity, &declarations);
        let res = self.recipes(&module, &declarations, &recipes, args);
        // Only opaque types are reported: values of structs and records may be constructed anywhere.
        if let (None, 0, Identity::Opaque(_, name, arity)) = (res, self.graph.call_depth, identity)
        {
            let quoted = |it: &Atom| atom_text(it, Encoding::Unicode);
            let name = format!("{}:{}/{arity}", quoted(&module), quoted(name));
            self.unmade(format!("no function with a spec makes values of the type {name}"));
        }
        self.graph.made.insert(key, res);
        res
    }

    /// Whether modules other than its own construct values of the type.
    fn is_open(&self, identity: &Identity) -> bool {
        match identity {
            Identity::Opaque(..) => false,
            Identity::Record(_, name) | Identity::Struct(name) => {
                self.graph.open_tags.contains(name)
            }
        }
    }

    fn recipes(
        &mut self,
        module: &Atom,
        declarations: &Arc<Declarations>,
        recipes: &[Recipe],
        args: &[TypeId],
    ) -> Option<TypeId> {
        if recipes.is_empty() {
            return None;
        }
        if self.graph.call_depth == MAX_CALLS {
            return Some(self.graph.intern(Type::None));
        }
        let mut alternatives: Vec<TypeId> = Vec::new();
        self.graph.call_depth += 1;
        for recipe in recipes {
            let name = (recipe.maker.function.clone(), recipe.maker.arity);
            let clause = declarations.specs.get(&name).and_then(|it| it.get(recipe.clause));
            let Some(clause) = clause else { continue };
            // The spec of the maker does not relate its result to the type parameters that are asked for.
            let has_parts = !args.is_empty() && !clause.args.is_empty();
            if has_parts && recipe.result_args.len() != args.len() && !self.are_any(args) {
                continue;
            }
            let mut scope = Scope {
                module: module.clone(),
                declarations: declarations.clone(),
                variables: BTreeMap::new(),
                bounds: &clause.bounds,
            };
            for (form, arg) in recipe.result_args.iter().zip(args) {
                for name in variables(form) {
                    scope.variables.insert(name.clone(), BuildState::Done(*arg));
                }
            }
            let of_args = self.all(&clause.args, &mut scope);
            if of_args.iter().any(|it| self.is_empty(*it, 0)) {
                continue;
            }
            let tag = self.graph.intern(Type::Literal(Term::Atom(recipe.maker.tag())));
            let parts = std::iter::once(tag).chain(of_args).collect();
            let alternative = self.graph.intern(Type::Tuple(parts));
            if !alternatives.contains(&alternative) {
                alternatives.push(alternative);
            }
        }
        self.graph.call_depth -= 1;
        match alternatives.as_slice() {
            [] if self.graph.call_depth == 0 => None,
            [] => Some(self.graph.intern(Type::None)),
            _ => Some(self.union(alternatives)),
        }
    }

    fn are_any(&self, types: &[TypeId]) -> bool {
        types.iter().all(|it| *self.graph.types.get(*it) == Type::Any)
    }

    /// Whether the type is obviously empty.
    fn is_empty(&self, id: TypeId, depth: usize) -> bool {
        if MAX_ALIASES < depth {
            return false;
        }
        let is_empty = |it: &TypeId| self.is_empty(*it, depth + 1);
        match self.graph.types.get(id) {
            // A type that is still being built is `Type::None` for now, but has a name.
            Type::None => self.graph.types.name_of(id).is_none(),
            Type::Tuple(parts) => parts.iter().any(is_empty),
            Type::Union(parts) => parts.iter().all(is_empty),
            Type::List { item, tail, may_be_empty } => {
                is_empty(tail) || (!may_be_empty && is_empty(item))
            }
            Type::Map(fields) => {
                fields.iter().any(|it| it.is_required && (is_empty(&it.key) || is_empty(&it.value)))
            }
            Type::Any
            | Type::Kind(_)
            | Type::Literal(_)
            | Type::Range { .. }
            | Type::Bits { .. }
            | Type::Fun { .. } => false,
        }
    }
}

/// The type variables that a type is, or that are members of its union.
fn variables(form: &Form) -> Vec<&Atom> {
    match form {
        Form::Var(name) => vec![name],
        Form::Union(parts) => parts.iter().flat_map(variables).collect(),
        Form::Any
        | Form::None
        | Form::Kind(_)
        | Form::Literal(_)
        | Form::Range { .. }
        | Form::List { .. }
        | Form::Tuple(_)
        | Form::Map(_)
        | Form::Bits { .. }
        | Form::Fun { .. }
        | Form::Iolist
        | Form::Record { .. }
        | Form::User { .. }
        | Form::Remote { .. }
        | Form::Unknown(_) => Vec::new(),
    }
}

impl Library {
    /// The makers of a type among the exported functions of the module, ordered by how many of their arguments are of
    /// the type, fewest first.
    fn recipes(
        &mut self,
        host: &mut dyn Host,
        identity: &Identity,
        declarations: &Declarations,
    ) -> Arc<Vec<Recipe>> {
        if let Some(known) = self.recipes.get(identity) {
            return known.clone();
        }
        let module = identity.module();
        let exports = host.load(module).map(|it| exports(&it)).unwrap_or_default();
        let mut found: Vec<(usize, Recipe)> = Vec::new();
        let mut names: Vec<&(Atom, usize)> = declarations.specs.keys().collect();
        names.sort();
        names.retain(|it| exports.contains(it) && !it.0.as_str().starts_with("__"));
        for name in names {
            let clauses = declarations.specs.get(name).map(Vec::as_slice).unwrap_or_default();
            for (n, clause) in clauses.iter().enumerate() {
                let finder = Finder { identity, module, declarations, clause };
                if let Some(mut recipe) = finder.recipe(name) {
                    recipe.clause = n;
                    found.push((finder.n_taken(), recipe));
                }
            }
        }
        found.retain(|(_, Recipe { maker, .. })| {
            let name = (maker.module.clone(), maker.function.clone(), maker.arity);
            !self.call_graph.reads_environment(host, name)
        });
        // Makers that return the value within a tuple are used only if they take no value of the type and no simpler
        // maker does without one: a function that takes a value and returns it among others is usually a step of a
        // protocol, and modules have many of those.
        let is_simple = |it: &(usize, Recipe)| !matches!(it.1.maker.gives, Gives::Part { .. });
        let has_simple = found.iter().any(|it| it.0 == 0 && is_simple(it));
        found.retain(|it| is_simple(it) || (it.0 == 0 && !has_simple));
        for (_, recipe) in &found {
            let known = self.otherwise.entry(recipe.maker.tag()).or_default();
            known.extend(recipe.otherwise.iter().cloned());
        }
        found.sort_by(|a, b| {
            let key = |it: &(usize, Recipe)| (it.0, it.1.maker.clone(), it.1.clause);
            key(a).cmp(&key(b))
        });
        let found = Arc::new(found.into_iter().map(|it| it.1).collect::<Vec<_>>());
        self.recipes.insert(identity.clone(), found.clone());
        found
    }
}

/// The exported functions of a module `{c_module, Anno, Name, Exports, Attributes, Definitions}`.
fn exports(code: &ModuleCode) -> Vec<(Atom, usize)> {
    let Some([_, _, _, exports, ..]) = code.core.as_tuple() else { return Vec::new() };
    let name = |it: &Term| match it.as_tuple()?.get(2)?.as_tuple()? {
        [Term::Atom(name), arity] => Some((name.clone(), usize::try_from(arity.as_int()?).ok()?)),
        _ => None,
    };
    exports.as_list().unwrap_or_default().iter().filter_map(name).collect()
}

/// Examines one clause of a spec.
struct Finder<'a> {
    identity: &'a Identity,
    module: &'a Atom,
    declarations: &'a Declarations,
    clause: &'a ClauseForm,
}

/// The outermost shape of a result, or of one member of its union.
enum ResultShape {
    It(Vec<Form>),
    Within(Gives, Vec<Form>),
    Otherwise(Otherwise),
    /// The function does not return.
    Never,
    Unclear,
}

impl Finder<'_> {
    fn recipe(&self, (function, arity): &(Atom, usize)) -> Option<Recipe> {
        // Functions with functional arguments are no makers: such an argument can do anything, and the values could be
        // made without it.
        if self.clause.args.iter().any(|it| self.is_function(it)) {
            return None;
        }
        let mut shapes = Vec::new();
        self.shapes(&self.clause.result, 0, &mut shapes);
        let mut made: Option<(Gives, Vec<Form>)> = None;
        let mut otherwise = Vec::new();
        for top in shapes {
            let found = match top {
                ResultShape::It(args) => (Gives::Whole, args),
                ResultShape::Within(gives, args) => (gives, args),
                ResultShape::Otherwise(it) => {
                    otherwise.push(it);
                    continue;
                }
                ResultShape::Never => continue,
                ResultShape::Unclear => return None,
            };
            match &made {
                None => made = Some(found),
                Some((gives, _)) if *gives == found.0 => (),
                Some(_) => return None,
            }
        }
        let (gives, result_args) = made?;
        let (module, function) = (self.module.clone(), function.clone());
        let maker = Maker { module, function, arity: *arity, gives };
        Some(Recipe { maker, otherwise, result_args, clause: 0 })
    }

    fn is_function(&self, form: &Form) -> bool {
        match form {
            Form::Fun { .. } | Form::Kind(Kind::Function) => true,
            Form::Var(name) => self
                .bound(name)
                .is_some_and(|it| matches!(it, Form::Fun { .. } | Form::Kind(Kind::Function))),
            Form::Any
            | Form::None
            | Form::Kind(_)
            | Form::Literal(_)
            | Form::Range { .. }
            | Form::List { .. }
            | Form::Tuple(_)
            | Form::Map(_)
            | Form::Bits { .. }
            | Form::Union(_)
            | Form::Iolist
            | Form::Record { .. }
            | Form::User { .. }
            | Form::Remote { .. }
            | Form::Unknown(_) => false,
        }
    }

    /// How many arguments of the clause may be of the type.
    fn n_taken(&self) -> usize {
        let is_it = |form: &&Form| {
            let mut shapes = Vec::new();
            self.shapes(form, 0, &mut shapes);
            shapes.iter().any(|it| matches!(it, ResultShape::It(_)))
        };
        self.clause.args.iter().filter(is_it).count()
    }

    fn bound(&self, name: &Atom) -> Option<&Form> {
        self.clause.bounds.iter().find(|it| it.0 == *name).map(|it| &it.1)
    }

    fn shapes(&self, form: &Form, depth: usize, into: &mut Vec<ResultShape>) {
        if MAX_ALIASES < depth {
            into.push(ResultShape::Unclear);
            return;
        }
        match form {
            Form::Var(name) => match self.bound(name) {
                Some(bound) => self.shapes(bound, depth + 1, into),
                None => into.push(ResultShape::Unclear),
            },
            Form::Union(parts) => parts.iter().for_each(|it| self.shapes(it, depth + 1, into)),
            Form::User { name, args } => self.named(self.module, name, args, depth, into),
            Form::Remote { module, name, args } => self.named(module, name, args, depth, into),
            Form::Record { name, .. } => {
                into.push(match self.identity {
                    Identity::Record(_, own) if own == name => ResultShape::It(Vec::new()),
                    Identity::Record(..) | Identity::Opaque(..) | Identity::Struct(_) => {
                        ResultShape::Unclear
                    }
                });
            }
            Form::Map(_) => into.push(match (self.identity, struct_of(form)) {
                (Identity::Struct(own), Some(module)) if own == module => {
                    ResultShape::It(Vec::new())
                }
                _ => ResultShape::Unclear,
            }),
            Form::Tuple(parts) => into.push(self.tuple(parts, depth)),
            Form::Literal(Term::Atom(atom)) => {
                into.push(ResultShape::Otherwise(Otherwise::Atom(atom.clone())));
            }
            Form::None => into.push(ResultShape::Never),
            Form::Any
            | Form::Kind(_)
            | Form::Literal(_)
            | Form::Range { .. }
            | Form::List { .. }
            | Form::Bits { .. }
            | Form::Fun { .. }
            | Form::Iolist
            | Form::Unknown(_) => into.push(ResultShape::Unclear),
        }
    }

    fn tuple(&self, parts: &[Form], depth: usize) -> ResultShape {
        let tag = match parts.first() {
            Some(Form::Literal(Term::Atom(tag))) => Some(tag),
            Some(_) | None => None,
        };
        let is_ok = tag.is_some_and(|it| it.as_str() == "ok");
        if is_ok || tag.is_none() {
            let made = parts.iter().enumerate().filter_map(|(n, part)| {
                let mut shapes = Vec::new();
                self.shapes(part, depth + 1, &mut shapes);
                if let [ResultShape::It(args)] = shapes.as_slice() {
                    Some((n, args.clone()))
                } else {
                    None
                }
            });
            if let [(n, args)] = made.collect::<Vec<_>>().as_slice() {
                let gives = match (is_ok, parts) {
                    (true, [_, _]) => Gives::Ok,
                    _ => Gives::Part { n: *n, arity: parts.len(), is_ok },
                };
                return ResultShape::Within(gives, args.clone());
            }
        }
        match tag {
            Some(tag) => {
                ResultShape::Otherwise(Otherwise::Tagged { tag: tag.clone(), arity: parts.len() })
            }
            None => ResultShape::Unclear,
        }
    }

    fn named(
        &self,
        of: &Atom,
        name: &Atom,
        args: &[Form],
        depth: usize,
        into: &mut Vec<ResultShape>,
    ) {
        if of != self.module {
            into.push(ResultShape::Unclear);
            return;
        }
        if let Identity::Opaque(_, own, arity) = self.identity
            && (own, *arity) == (name, args.len())
        {
            into.push(ResultShape::It(args.to_vec()));
            return;
        }
        match self.declarations.types.get(&(name.clone(), args.len())) {
            Some(declaration) => self.shapes(&declaration.body, depth + 1, into),
            None => into.push(ResultShape::Unclear),
        }
    }
}

/// The module of a struct type, `#{'__struct__' := Module, …}`.
pub(crate) fn struct_of(form: &Form) -> Option<&Atom> {
    let Form::Map(fields) = form else { return None };
    fields.iter().find_map(|it| match (&it.key, &it.value) {
        (Form::Literal(Term::Atom(key)), Form::Literal(Term::Atom(module)))
            if key.as_str() == "__struct__" =>
        {
            Some(module)
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::{Gives, Maker};
    use term::Atom;

    #[test]
    fn a_recipe_says_by_its_tag_what_it_is() {
        let check = |module: &str, function: &str, gives: Gives| {
            let (module, function) = (Atom::new(module), Atom::new(function));
            let maker = Maker { module, function, arity: 2, gives };
            assert_eq!(Maker::of_tag(&maker.tag()), Some(maker));
        };
        check("queue", "in", Gives::Whole);
        check("Elixir.Version", "parse", Gives::Ok);
        check("m", "init", Gives::Part { n: 2, arity: 3, is_ok: true });
        check("m", "step", Gives::Part { n: 0, arity: 2, is_ok: false });
        check("m", "a:b/c d", Gives::Whole);
        assert_eq!(Maker::of_tag(&Atom::new("gimlet")), None);
    }
}
