//! Makes systems of modules: which functions start the process, which speak to it, and what types the
//! content of steps has.

use crate::erlang::code::{Function as Defined, Visibility};
use crate::erlang::project::Module;
use crate::erlang::systems::heads::{Heads, clauses, function, heads, union};
use crate::erlang::systems::roles::{AllRoles, Roles, Shape, roles};
use crate::erlang::systems::{CONTENT, Function, Protocol, RESULT, Role, SERVER, System, UNKNOWN};
use crate::erlang::unit::UnitName;
use erlang::Host;
use erlang::core::{self, Pattern};
use specs::{Origin, Signature, Specs};
use std::collections::BTreeSet;
use term::{Atom, Domain, Kind, Term, Type, TypeId, Types};

/// What systems are made with.
pub(crate) struct Builder<'a> {
    pub(crate) specs: &'a mut Specs,
    pub(crate) host: &'a mut dyn Host,
    pub(crate) ignores_specs: bool,
    pub(crate) n_steps: usize,
}

/// A system in the making.
struct Draft<'m> {
    module: &'m Module,
    core: core::Module,
    roles: AllRoles,
    types: Types,
    functions: Vec<Function>,
}

/// Milliseconds that a step may wait: a moment, a second, the five seconds that calls wait by default.
const WAITS: [i64; 3] = [20, 1100, 5100];

impl Builder<'_> {
    /// The module as a system, if it has a behaviour that we know how to speak to, or starts an agent.
    pub(crate) fn system(&mut self, module: &Module) -> Option<System> {
        let behaviours = self.specs.behaviours(self.host, &module.name).unwrap_or_default();
        let known = Protocol::of(&behaviours);
        let core = core::read(&module.code.core, &module.code.file).ok()?;
        let roles = roles(&core);
        let starts = |it: &&Defined| role_of(&roles, it).is_some_and(|it| it.starts.is_some());
        let protocol = match known {
            Some(protocol) => protocol,
            // Not every module says what it is.
            None => {
                let mut runtimes = exported(module)
                    .filter_map(|it| Some(role_of(&roles, it)?.starts.as_ref()?.runtime.clone()));
                let runtime = runtimes.next()?;
                Protocol::of(&[runtime]).unwrap_or(Protocol::Functions)
            }
        };
        let callbacks = self.callbacks(module, &core, protocol, &roles);
        let is_callback = |it: &&Defined| name_of(it).is_some_and(|it| callbacks.contains(&it));
        let own: Vec<&Defined> = exported(module).filter(|it| !is_callback(it)).collect();
        let starters: Vec<&Defined> = own.iter().copied().filter(|it| starts(it)).collect();
        let mut draft =
            Draft { module, core, roles, types: Types::default(), functions: Vec::new() };
        let start = self.start(&mut draft, &starters);
        let mut steps = self.messages(&mut draft, protocol);
        for defined in &own {
            let speaks = role_of(&draft.roles, defined).is_some_and(|it| it.speaks);
            if speaks && !starters.iter().any(|it| it == defined) {
                steps.extend(self.call(&mut draft, defined, None));
            }
        }
        if steps.is_empty() && callbacks.is_empty() {
            return None;
        }
        Some(self.finish(draft, protocol, callbacks, (start, steps)))
    }

    /// Calls of exported functions that share whatever they keep.
    pub(crate) fn sequence(&mut self, module: &Module, units: &[UnitName]) -> Option<System> {
        let core = core::read(&module.code.core, &module.code.file).ok()?;
        let roles = roles(&core);
        let mut draft =
            Draft { module, core, roles, types: Types::default(), functions: Vec::new() };
        let start = draft.types.add(Type::Literal(Term::atom("none")));
        let mut steps = Vec::new();
        for defined in exported(module) {
            let is_unit = |it: &UnitName| name_of(defined) == Some((it.function.clone(), it.arity));
            if units.iter().any(is_unit) {
                steps.extend(self.call(&mut draft, defined, Some(Role::Handle)));
            }
        }
        if steps.is_empty() {
            return None;
        }
        Some(self.finish(draft, Protocol::Functions, BTreeSet::new(), (start, steps)))
    }

    fn finish(
        &self,
        mut draft: Draft<'_>,
        protocol: Protocol,
        callbacks: BTreeSet<(Atom, usize)>,
        (start, steps): (TypeId, Vec<TypeId>),
    ) -> System {
        let types = &mut draft.types;
        let nil = types.add(Type::Literal(Term::Nil));
        let steps = match steps.is_empty() {
            true => nil,
            false => {
                let item = union(types, steps);
                types.add(Type::List { item, tail: nil, may_be_empty: true })
            }
        };
        let args = Some(types.add(Type::Tuple([start, steps].into())));
        System {
            unit: protocol.unit(&draft.module.name),
            protocol,
            functions: draft.functions,
            callbacks,
            domain: Domain { types: draft.types, args },
            n_steps: self.n_steps,
        }
    }

    /// What the behaviours of the module call; for a state machine, its states too.
    fn callbacks(
        &mut self,
        module: &Module,
        core: &core::Module,
        protocol: Protocol,
        roles: &AllRoles,
    ) -> BTreeSet<(Atom, usize)> {
        let mut res = self.specs.callbacks(self.host, &module.name).unwrap_or_default();
        if protocol == Protocol::GenStatem && function(core, "handle_event", 4).is_none() {
            let is_state = |it: &&Defined| {
                let role = role_of(roles, it);
                it.arity == 3 && role.is_none_or(|it| !it.speaks && it.starts.is_none())
            };
            res.extend(exported(module).filter(is_state).filter_map(name_of));
        }
        let is_exported =
            |it: &(Atom, usize)| exported(module).filter_map(name_of).any(|e| e == *it);
        res.retain(is_exported);
        res
    }

    /// A function of the module that starts it, or the argument of `init/1`.
    fn start(&mut self, draft: &mut Draft<'_>, starters: &[&Defined]) -> TypeId {
        let init = self.init(draft);
        let arg = init.union(&mut draft.types, &Term::atom(UNKNOWN));
        let mut starts = Vec::new();
        for defined in starters {
            starts.extend(self.call_with(draft, defined, None, Some(arg)));
        }
        if starts.is_empty() {
            let tag = draft.types.add(Type::Literal(Term::atom("init")));
            starts.push(draft.types.add(Type::Tuple([tag, arg].into())));
        }
        union(&mut draft.types, starts)
    }

    fn init(&mut self, draft: &mut Draft<'_>) -> Heads {
        let Some(init) = function(&draft.core, "init", 1) else {
            return Heads { is_open: true, ..Heads::default() };
        };
        let module = draft.module.name.clone();
        match self.own_spec(&UnitName { module, function: init.name.clone(), arity: 1 }) {
            Some(spec) if spec.says_something() => {
                let member = params(&mut draft.types, &spec, 1).into_iter().flatten().collect();
                Heads { members: member, ..Heads::default() }
            }
            Some(_) | None => {
                let mut res = heads(&mut draft.types, init, 0);
                // What a process is started with is kept, and looked at later.
                res.is_open |= res.has_rest;
                res
            }
        }
    }

    /// The steps that send a message or an event, and those that wait.
    fn messages(&mut self, draft: &mut Draft<'_>, protocol: Protocol) -> Vec<TypeId> {
        let Draft { core, types, roles, .. } = draft;
        let rows: &[(&str, &str, usize)] = match protocol {
            Protocol::GenServer => &[
                ("call", "handle_call", 3),
                ("cast", "handle_cast", 2),
                ("info", "handle_info", 2),
            ],
            Protocol::GenEvent => &[
                ("call", "handle_call", 2),
                ("notify", "handle_event", 2),
                ("info", "handle_info", 2),
            ],
            Protocol::GenStatem | Protocol::Supervisor | Protocol::Functions => &[],
        };
        let mut found: Vec<(&str, Heads)> = Vec::new();
        for (tag, name, arity) in rows {
            if let Some(callback) = function(core, name, *arity) {
                found.push((tag, heads(types, callback, 0)));
            }
        }
        if protocol == Protocol::GenStatem {
            found = events(types, core);
        }
        let is_timeout = |types: &Types, it: &Heads| {
            it.members.iter().any(|it| *types.get(*it) == Type::Literal(Term::atom("timeout")))
        };
        let waits = protocol == Protocol::GenStatem
            || found.iter().any(|it| is_timeout(types, &it.1))
            || roles.values().any(|it| it.waits);
        let mut res = Vec::new();
        for (tag, mut heads) in found {
            leave_out_sent(&mut heads, types, tag, roles);
            let content = heads.union(types, &Term::atom(UNKNOWN));
            if *types.get(content) != Type::None {
                let tag = types.add(Type::Literal(Term::atom(tag)));
                res.push(types.add(Type::Tuple([tag, content].into())));
            }
        }
        if waits {
            let times = WAITS.map(|it| types.add(Type::Literal(Term::Int(it))));
            let time = types.add(Type::Union(times.into()));
            let tag = types.add(Type::Literal(Term::atom("wait")));
            res.push(types.add(Type::Tuple([tag, time].into())));
        }
        res
    }

    /// The step that calls a function.
    fn call(
        &mut self,
        draft: &mut Draft<'_>,
        defined: &Defined,
        untyped: Option<Role>,
    ) -> Option<TypeId> {
        self.call_with(draft, defined, untyped, None)
    }

    /// `untyped`: what arguments are that no spec speaks of. `init`: the type of what is given to `init/1`.
    fn call_with(
        &mut self,
        draft: &mut Draft<'_>,
        defined: &Defined,
        untyped: Option<Role>,
        init: Option<TypeId>,
    ) -> Option<TypeId> {
        let (function, arity) = name_of(defined)?;
        let name = UnitName { module: draft.module.name.clone(), function, arity };
        let role = role_of(&draft.roles, defined).cloned().unwrap_or_default();
        let spec = self.own_spec(&name);
        let types = &mut draft.types;
        let of_spec = spec.as_ref().map(|it| params(types, it, arity)).unwrap_or_default();
        let tag = Atom::new(&name.local());
        let mut parts = vec![types.add(Type::Literal(Term::Atom(tag.clone())))];
        let mut roles = Vec::new();
        for n in 0..arity {
            if untyped.is_none() && role.servers.contains(&n) {
                parts.push(types.add(Type::Literal(Term::atom(SERVER))));
                roles.push(Role::Server);
                continue;
            }
            let members = of_spec.get(n).cloned().unwrap_or_else(|| vec![types.add(Type::Any)]);
            let of = union(types, members);
            let is_any = *types.get(of) == Type::Any;
            let handle = self.handle(types, of);
            parts.push(match (handle, init) {
                (Some(handle), _) => handle,
                (None, Some(init)) if is_any && role.init() == Some(n) => init,
                (None, _) => of,
            });
            roles.push(match (handle, untyped) {
                (Some(_), _) => Role::Process,
                (None, Some(role)) if is_any => role,
                (None, _) => Role::Value,
            });
        }
        // With several alternatives, arguments that fit one each need not fit one together.
        let is_promised = spec.is_some_and(|it| it.says_something() && it.args.len() == 1);
        draft.functions.push(Function { tag, name, roles, is_promised });
        Some(draft.types.add(Type::Tuple(parts.into())))
    }

    /// A type with processes, references or ports in it: they are what earlier steps returned.
    fn handle(&self, types: &mut Types, of: TypeId) -> Option<TypeId> {
        let members = types.members(of).map_or_else(|| vec![of], <[TypeId]>::to_vec);
        let is_handle = |types: &Types, it: TypeId| {
            matches!(types.get(it), Type::Kind(Kind::Pid | Kind::Reference | Kind::Port))
        };
        if !members.iter().any(|it| is_handle(types, *it)) {
            return None;
        }
        let mut res: Vec<TypeId> =
            members.into_iter().filter(|it| !is_handle(types, *it)).collect();
        for n in 1..=self.n_steps {
            let n = Term::Int(i64::try_from(n).unwrap_or(i64::MAX));
            for kind in [RESULT, CONTENT] {
                let result = Term::Tuple(vec![Term::atom(kind), n.clone()]);
                res.push(types.add(Type::Literal(result)));
            }
        }
        Some(union(types, res))
    }

    fn own_spec(&mut self, name: &UnitName) -> Option<Signature> {
        if self.ignores_specs {
            return None;
        }
        let UnitName { module, function, arity } = name;
        let found = self.specs.signature(self.host, module, function, *arity).ok()??;
        (found.origin == Origin::Spec && found.first_input().is_some()).then_some(found)
    }
}

/// Messages that the module sends by itself are those of its functions, which say what they carry.
fn leave_out_sent(heads: &mut Heads, types: &Types, tag: &str, roles: &AllRoles) {
    let all = roles.values().flat_map(|it| &it.sent);
    let sent: BTreeSet<&Shape> =
        all.filter(|it| it.0.as_str().contains(tag)).map(|it| &it.1).collect();
    heads.members.retain(|it| !sent.contains(&Shape::of_type(types, *it)));
    heads.is_open &= sent.is_empty();
}

/// The types of each argument, of all alternatives of a spec.
fn params(types: &mut Types, spec: &Signature, arity: usize) -> Vec<Vec<TypeId>> {
    let mut res = vec![Vec::new(); arity];
    for args in &spec.args {
        let Type::Tuple(parts) = spec.domain.types.get(*args) else { continue };
        for (into, part) in res.iter_mut().zip(parts) {
            into.push(types.copy_of(&spec.domain.types, *part));
        }
    }
    res
}

/// The events of a state machine: clauses of any function that takes the type of an event and its content.
fn events(types: &mut Types, core: &core::Module) -> Vec<(&'static str, Heads)> {
    let mut res = ["call", "cast", "info"].map(|it| (it, Heads::default()));
    for function in core.functions.iter().filter(|it| 3 <= it.lambda.params.len()) {
        for head in clauses(function) {
            let Some(kind) = head.patterns.first().and_then(|it| event_kind(it)) else { continue };
            for (_, heads) in res.iter_mut().filter(|it| it.0 == kind) {
                heads.add(types, &head, 1);
            }
        }
    }
    res.into()
}

fn event_kind(pattern: &Pattern) -> Option<&str> {
    match pattern {
        Pattern::Literal(Term::Atom(name)) => Some(name.as_str()),
        Pattern::Tuple(parts) => match parts.as_slice() {
            [Pattern::Literal(Term::Atom(name)), _] => Some(name.as_str()),
            _ => None,
        },
        Pattern::Alias(_, inner) => event_kind(inner),
        Pattern::Literal(_)
        | Pattern::Var(_)
        | Pattern::Cons(..)
        | Pattern::Map(_)
        | Pattern::Binary(_) => None,
    }
}

fn exported(module: &Module) -> impl Iterator<Item = &Defined> {
    module.functions.iter().filter(|it| it.visibility == Visibility::Exported)
}

fn name_of(defined: &Defined) -> Option<(Atom, usize)> {
    Some((defined.name.clone(), usize::try_from(defined.arity).ok()?))
}

fn role_of<'r>(roles: &'r AllRoles, defined: &Defined) -> Option<&'r Roles> {
    roles.get(&name_of(defined)?)
}
