//! Exceptions, `apply`, and queries about funs and loaded modules.

use crate::builtins::arithmetic::arg;
use crate::builtins::modules::object_of;
use crate::builtins::{Builtin, Control, Effect, Fault, How, OnBeam, Shares, Stop, inside, pure};
use crate::lift::{self, Lift};
use crate::machine::World;
use term::Term;
use trace::Mode;
use values::{AtomId, FunKind, NodeId, Value, View};

pub(super) const ROWS: &[Builtin] = &[
    control("erlang", "apply", 2, Shares::Nothing, OnBeam::Alike, Control::Apply),
    control("erlang", "apply", 3, Shares::Nothing, OnBeam::Alike, Control::Apply),
    control("erlang", "hibernate", 3, Shares::Nothing, OnBeam::Alike, Control::Hibernate),
    control("erlang", "yield", 0, Shares::Nothing, OnBeam::Alike, Control::Yield),
    control("prim_eval", "receive", 2, Shares::Nothing, OnBeam::Alike, Control::Receive),
    control("erts_debug", "dirty_cpu", 2, Shares::Nothing, OnBeam::Alike, Control::Dirty),
    control("erts_debug", "dirty_io", 2, Shares::Nothing, OnBeam::Alike, Control::Dirty),
    inside("erlang", "error", 1, Shares::Nothing, OnBeam::Alike, |_, args| {
        Err(Fault::Plain(arg(args, 0)))
    })
    .moves(0b0),
    inside("erlang", "error", 2, Shares::Nothing, OnBeam::Alike, error_with_args).moves(0b0),
    inside("erlang", "error", 3, Shares::Nothing, OnBeam::Alike, error_with_options).moves(0b100),
    control("erlang", "nif_error", 1, Shares::Nothing, OnBeam::Alike, Control::Missing),
    control("erlang", "nif_error", 2, Shares::Nothing, OnBeam::Alike, Control::Missing),
    inside("erlang", "exit", 1, Shares::Nothing, OnBeam::Alike, |_, args| {
        Err(Fault::Exit(arg(args, 0)))
    })
    .moves(0b0),
    inside("erlang", "throw", 1, Shares::Nothing, OnBeam::Alike, |_, args| {
        Err(Fault::Throw(arg(args, 0)))
    })
    .moves(0b0),
    inside("erlang", "raise", 3, Shares::Nothing, OnBeam::Alike, raise).own(lift::raise),
    inside("erlang", "halt", 0, Shares::Everything, OnBeam::Never, |w, _| Err(halted(w, 0))),
    inside("erlang", "halt", 1, Shares::Everything, OnBeam::Never, halt),
    inside("erlang", "halt", 2, Shares::Everything, OnBeam::Never, halt),
    pure("erlang", "make_fun", 3, make_fun),
    inside("erlang", "fun_info", 1, Shares::Nothing, OnBeam::Alike, fun_info_all),
    inside("erlang", "fun_info", 2, Shares::Nothing, OnBeam::Alike, fun_info),
    inside("erlang", "fun_info_mfa", 1, Shares::Nothing, OnBeam::Alike, fun_info_mfa),
    inside(
        "erlang",
        "function_exported",
        3,
        Shares::LoadedCode(Mode::Read),
        OnBeam::Alike,
        function_exported,
    ),
    inside("erlang", "is_builtin", 3, Shares::Nothing, OnBeam::Alike, is_builtin),
    inside(
        "erlang",
        "get_module_info",
        1,
        Shares::LoadedCode(Mode::Read),
        OnBeam::Alike,
        module_info_all,
    ),
    inside(
        "erlang",
        "get_module_info",
        2,
        Shares::LoadedCode(Mode::Read),
        OnBeam::Alike,
        module_info,
    ),
    inside(
        "erlang",
        "module_loaded",
        1,
        Shares::LoadedCode(Mode::Read),
        OnBeam::Alike,
        module_loaded,
    )
    .environment(),
    inside("code", "ensure_modules_loaded", 1, Shares::Nothing, OnBeam::Alike, |_, _| {
        Ok(Value::atom(AtomId::OK))
    }),
    inside(
        "code",
        "ensure_loaded",
        1,
        Shares::LoadedCode(Mode::Read),
        OnBeam::Alike,
        ensure_loaded,
    ),
    inside("code", "is_loaded", 1, Shares::LoadedCode(Mode::Read), OnBeam::Alike, is_loaded)
        .environment(),
    inside("code", "which", 1, Shares::LoadedCode(Mode::Read), OnBeam::Alike, which).environment(),
    inside("net_kernel", "dflag_unicode_io", 1, Shares::Nothing, OnBeam::Alike, |_, _| {
        Ok(Value::TRUE)
    }),
    inside("gimlet_primop", "recv_marker_reserve", 0, Shares::Nothing, OnBeam::Alike, |_, _| {
        Ok(Value::NIL)
    }),
    // Reserves room for a native implementation. There is none, so the Erlang body of the function runs.
    inside("gimlet_primop", "nif_start", 0, Shares::Nothing, OnBeam::Alike, |_, _| Ok(Value::NIL)),
    // Makes the binary that a binary comprehension appends to. The size is a hint that matters only for
    // `allocated_bytes`.
    inside("gimlet_primop", "bs_init_writable", 1, Shares::Nothing, OnBeam::Alike, |w, args| {
        let planned = arg(args, 0).as_int().and_then(|it| u64::try_from(it).ok());
        Ok(w.heap.writable(planned.unwrap_or(1024).max(1)))
    }),
];

const fn control(
    module: &'static str,
    name: &'static str,
    arity: u8,
    shares: Shares,
    on_beam: OnBeam,
    control: Control,
) -> Builtin {
    Builtin {
        module,
        name,
        arity,
        how: How::Control(control),
        effect: Effect::Machine,
        shares,
        on_beam,
        lift: Lift::Moves(0),
    }
}

fn error_with_args(_: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let (reason, list) = (arg(args, 0), arg(args, 1));
    // An improper list counts as arguments too. Any other term, such as `none`, makes the trace show the arity.
    if list.is_cons() || list.is_nil() {
        return Err(Fault::ErrorArgs(reason, list));
    }
    Err(Fault::Plain(reason))
}

/// Raises `erlang:error/3`. The option `error_info` goes into the trace; other options, even invalid ones, are ignored.
fn error_with_options(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let options = w.heap.list_items(arg(args, 2)).unwrap_or_default();
    let info = options.into_iter().find(|it| {
        matches!(w.heap.elements(*it), Some([name, value])
            if name.is_atom(AtomId::ERROR_INFO) && matches!(value.view(), View::Map(_)))
    });
    match (error_with_args(w, args), info) {
        (Err(Fault::ErrorArgs(reason, list)), Some(info)) => {
            Err(Fault::Described(reason, Some(list), info))
        }
        (Err(Fault::Plain(reason)), Some(info)) => Err(Fault::Described(reason, None, info)),
        (other, _) => other,
    }
}

fn raise(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let (class, reason, trace) = (arg(args, 0), arg(args, 1), arg(args, 2));
    let class =
        class.as_atom().filter(|it| matches!(*it, AtomId::ERROR | AtomId::EXIT | AtomId::THROW));
    let frames = w.heap.list_items(trace);
    // `erlang:raise/3` returns `badarg` for invalid arguments instead of raising it.
    match (class, frames) {
        (Some(class), Some(frames)) if frames.iter().all(|it| is_frame(w, *it)) => {
            let frames: Vec<Value> = frames.into_iter().map(|it| full_frame(w, it)).collect();
            let trace = w.heap.list(&frames);
            Err(Fault::Raise(class, reason, trace))
        }
        _ => Ok(Value::atom(AtomId::BADARG)),
    }
}

fn is_frame(w: &World, frame: Value) -> bool {
    match w.heap.elements(frame) {
        Some([module, name, arity] | [module, name, arity, _])
            if module.as_atom().is_some() && name.as_atom().is_some() =>
        {
            arity.is_integer() || w.heap.list_len(*arity).is_some()
        }
        Some([fun, args] | [fun, args, _]) => {
            matches!(fun.view(), View::Fun(_)) && w.heap.list_len(*args).is_some()
        }
        _ => false,
    }
}

/// Adds an empty location to a frame that has none.
fn full_frame(w: &mut World, frame: Value) -> Value {
    match w.heap.elements(frame) {
        Some([module, name, arity]) if name.as_atom().is_some() => {
            let items = [*module, *name, *arity, Value::NIL];
            w.heap.tuple(&items)
        }
        Some([fun, args]) => {
            let items = [*fun, *args, Value::NIL];
            w.heap.tuple(&items)
        }
        _ => frame,
    }
}

fn halt(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    Err(halted(w, arg(args, 0).as_int().unwrap_or(1)))
}

/// Ends the run if the halted node runs the unit; any other node goes down alone.
fn halted(w: &mut World, status: i64) -> Fault {
    let here = w.here();
    if here == NodeId::FIRST {
        return Stop::Halted { status }.into();
    }
    w.node_down(here);
    Fault::Killed(Value::atom(AtomId::KILLED))
}

fn make_fun(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let (module, name, arity) = (arg(args, 0), arg(args, 1), arg(args, 2));
    match (module.as_atom(), name.as_atom(), arity.as_int()) {
        (Some(module), Some(name), Some(arity @ 0..=255)) => {
            Ok(w.heap.external_fun(module, name, u32::try_from(arity).unwrap_or(0)))
        }
        _ => Err(Fault::BADARG),
    }
}

fn fun_info(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let item = arg(args, 1);
    let value = fun_item(w, arg(args, 0), item.as_atom().ok_or(Fault::BADARG)?)?;
    Ok(w.heap.tuple(&[item, value]))
}

fn fun_info_mfa(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let mut items = [Value::NIL; 3];
    for (item, name) in items.iter_mut().zip([AtomId::MODULE, AtomId::NAME, AtomId::ARITY]) {
        *item = fun_item(w, arg(args, 0), name)?;
    }
    Ok(w.heap.tuple(&items))
}

fn fun_info_all(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let View::Fun(at) = arg(args, 0).view() else { return Err(Fault::BADARG) };
    let external = [AtomId::MODULE, AtomId::NAME, AtomId::ARITY, AtomId::ENV, AtomId::TYPE];
    let local = [
        AtomId::PID,
        AtomId::MODULE,
        AtomId::NEW_INDEX,
        AtomId::NEW_UNIQ,
        AtomId::INDEX,
        AtomId::UNIQ,
        AtomId::NAME,
        AtomId::ARITY,
        AtomId::ENV,
        AtomId::TYPE,
    ];
    let items: &[AtomId] = match w.heap.fun_kind(at) {
        FunKind::External { .. } => &external,
        FunKind::Closure { .. } => &local,
    };
    let mut pairs = Vec::new();
    for item in items {
        let value = fun_item(w, arg(args, 0), *item)?;
        pairs.push(w.heap.tuple(&[Value::atom(*item), value]));
    }
    Ok(w.heap.list(&pairs))
}

fn fun_item(w: &mut World, fun: Value, item: AtomId) -> Result<Value, Fault> {
    let View::Fun(at) = fun.view() else { return Err(Fault::BADARG) };
    let free = w.heap.fun_free(at).to_vec();
    let undefined = Value::atom(AtomId::UNDEFINED);
    let kind = w.heap.fun_kind(at);
    // While its code is being purged, a closure has no name.
    let is_pending = |w: &World| match kind {
        FunKind::Closure { lambda, .. } => w.purger_of(lambda).is_some(),
        FunKind::External { .. } => false,
    };
    let (lambda, external) = match kind {
        FunKind::Closure { lambda, .. } => (w.heap.lambda(lambda).cloned(), None),
        FunKind::External { module, function, arity } => (None, Some((module, function, arity))),
    };
    let atom = |it: Option<AtomId>| it.map_or(undefined, Value::atom);
    let int = |it: Option<u32>| it.map_or(undefined, |it| Value::int(i64::from(it)));
    Ok(match item {
        AtomId::MODULE => atom(external.map(|it| it.0).or(lambda.map(|it| it.module))),
        AtomId::NAME if is_pending(w) => Value::NIL,
        AtomId::NAME => atom(external.map(|it| it.1).or(lambda.map(|it| it.name))),
        AtomId::ARITY => Value::int(i64::from(w.heap.fun_arity(at))),
        AtomId::ENV => w.heap.list(&free),
        AtomId::TYPE => {
            Value::atom(if external.is_some() { AtomId::EXTERNAL } else { AtomId::LOCAL })
        }
        AtomId::INDEX | AtomId::NEW_INDEX => int(lambda.map(|it| it.index)),
        AtomId::UNIQ => int(lambda.map(|it| it.uniq)),
        AtomId::NEW_UNIQ => match lambda {
            Some(lambda) => w.heap.binary(&lambda.module_md5),
            None => undefined,
        },
        // BEAM counts the references from the module's code and from this value.
        AtomId::REFC => lambda.map_or(undefined, |_| Value::int(2)),
        AtomId::PID => match lambda {
            Some(_) => Value::pid(w.heap.fun_maker(at)),
            None => undefined,
        },
        _ => return Err(Fault::BADARG),
    })
}

fn function_exported(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let (Some(module), Some(name), Some(arity)) =
        (arg(args, 0).as_atom(), arg(args, 1).as_atom(), arg(args, 2).as_int())
    else {
        return Err(Fault::BADARG);
    };
    if find_builtin(w, module, name, arity) {
        return Ok(Value::TRUE);
    }
    // On BEAM a module counts only once it is loaded. Loading it here is invisible for OTP's modules, which programs
    // see as loaded.
    w.need_module(module)?;
    let loaded = w.modules.get(&module);
    let found = loaded
        .is_some_and(|it| it.exports.iter().any(|it| it.0 == name && i64::from(it.1) == arity));
    Ok(Value::bool(found))
}

fn find_builtin(w: &World, module: AtomId, name: AtomId, arity: i64) -> bool {
    let (module, name) = (w.atoms.name(module), w.atoms.name(name));
    super::all().any(|it| it.module == module && it.name == name && i64::from(it.arity) == arity)
}

fn is_builtin(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    match (arg(args, 0).as_atom(), arg(args, 1).as_atom(), arg(args, 2).as_int()) {
        (Some(module), Some(name), Some(arity)) => is_native(w, module, name, arity),
        _ => Err(Fault::BADARG),
    }
}

/// Whether the real runtime implements the function in C. Which functions we implement in Rust does not matter.
fn is_native(w: &mut World, module: AtomId, name: AtomId, arity: i64) -> Result<Value, Fault> {
    let wanted = (w.atoms.name(module), w.atoms.name(name), arity);
    if matches!(wanted, ("erlang", "yield", 0) | ("erlang", "apply", 2 | 3)) {
        return Ok(Value::TRUE);
    }
    let Some(natives) = w.facts.get("snifs") else {
        return Err(Stop::NeedFact(w.atoms.intern("snifs")).into());
    };
    let is_it = |it: &Term| match it.as_tuple() {
        Some([module, name, Term::Int(arity)]) => {
            (module.as_atom(), name.as_atom(), *arity) == (Some(wanted.0), Some(wanted.1), wanted.2)
        }
        _ => false,
    };
    Ok(Value::bool(natives.as_list().is_some_and(|it| it.iter().any(is_it))))
}

fn module_loaded(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let module = arg(args, 0).as_atom().ok_or(Fault::BADARG)?;
    Ok(Value::bool(w.modules.contains_key(&module)))
}

fn ensure_loaded(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let module =
        arg(args, 0).as_atom().ok_or(Fault::Plain(Value::atom(AtomId::FUNCTION_CLAUSE)))?;
    w.need_module(module)?;
    if w.modules.contains_key(&module) {
        return Ok(w.heap.tuple(&[Value::atom(AtomId::MODULE), Value::atom(module)]));
    }
    let nofile = Value::atom(w.atoms.intern("nofile"));
    Ok(w.heap.tuple(&[Value::atom(AtomId::ERROR), nofile]))
}

fn is_loaded(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let module = arg(args, 0).as_atom().ok_or(Fault::BADARG)?;
    w.need_module(module)?;
    if !w.modules.contains_key(&module) {
        return Ok(Value::FALSE);
    }
    let file = object_of(w, module);
    Ok(w.heap.tuple(&[Value::atom(AtomId::FILE), file]))
}

fn which(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let module = arg(args, 0).as_atom().ok_or(Fault::BADARG)?;
    w.need_module(module)?;
    Ok(object_of(w, module))
}

fn module_info_all(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let mut pairs = Vec::new();
    for item in ["module", "exports", "attributes", "compile", "md5"] {
        let item = Value::atom(w.atoms.intern(item));
        let value = module_info(w, &[arg(args, 0), item])?;
        pairs.push(w.heap.tuple(&[item, value]));
    }
    Ok(w.heap.list(&pairs))
}

fn module_info(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let module = arg(args, 0).as_atom().ok_or(Fault::BADARG)?;
    let item = arg(args, 1).as_atom().ok_or(Fault::BADARG)?;
    let loaded = w.modules.get(&module).cloned().ok_or(Fault::BADARG)?;
    let literal = |n: usize| w.literals.get(n).copied().unwrap_or(Value::NIL);
    match w.atoms.name(item) {
        "module" => Ok(Value::atom(module)),
        "attributes" => Ok(literal(loaded.attributes)),
        "compile" => Ok(literal(loaded.compile_info)),
        "exports" => Ok(functions(w, &loaded.exports)),
        "functions" => Ok(functions(w, &loaded.functions)),
        "nifs" | "native_addresses" => Ok(Value::NIL),
        "md5" => Ok(w.heap.binary(&loaded.md5)),
        "native" => Ok(Value::FALSE),
        _ => Err(Fault::BADARG),
    }
}

fn functions(w: &mut World, functions: &[(AtomId, u32)]) -> Value {
    let pairs: Vec<Value> = functions
        .iter()
        .map(|it| w.heap.tuple(&[Value::atom(it.0), Value::int(i64::from(it.1))]))
        .collect();
    w.heap.list(&pairs)
}
