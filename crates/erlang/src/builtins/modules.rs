//! Loaded code: queries, and loading, replacing, deleting and purging modules while the program runs.

use crate::builtins::arithmetic::arg;
use crate::builtins::make::{atom, string};
use crate::builtins::{
    Builtin, Effect, Fault, How, OnBeam, Request, Shares, Stop, inside, on_host,
};
use crate::lift::Lift;
use crate::machine::{Object, World};
use trace::Mode;
use values::{AtomId, Value};

pub(super) const ROWS: &[Builtin] = &[
    by_machine(
        "code",
        "load_binary",
        3,
        Shares::LoadedCode(Mode::Write),
        OnBeam::Never,
        Request::LoadModule,
    ),
    by_machine(
        "erlang",
        "load_module",
        2,
        Shares::LoadedCode(Mode::Write),
        OnBeam::Never,
        Request::LoadModule,
    ),
    by_machine(
        "erts_internal",
        "prepare_loading",
        2,
        Shares::Nothing,
        OnBeam::Noted,
        Request::PrepareLoading,
    ),
    by_machine(
        "erlang",
        "prepare_loading",
        2,
        Shares::Nothing,
        OnBeam::Noted,
        Request::PrepareLoading,
    ),
    by_machine(
        "erlang",
        "finish_loading",
        1,
        Shares::LoadedCode(Mode::Write),
        OnBeam::Never,
        Request::FinishLoading,
    ),
    by_machine(
        "erlang",
        "has_prepared_code_on_load",
        1,
        Shares::Nothing,
        OnBeam::Noted,
        Request::HasOnLoad,
    ),
    by_machine(
        "code",
        "delete",
        1,
        Shares::LoadedCode(Mode::Write),
        OnBeam::Never,
        Request::DeleteModule,
    ),
    by_machine(
        "erlang",
        "delete_module",
        1,
        Shares::LoadedCode(Mode::Write),
        OnBeam::Never,
        Request::DeleteModule,
    ),
    by_machine(
        "code",
        "load_file",
        1,
        Shares::LoadedCode(Mode::Write),
        OnBeam::Never,
        Request::LoadFile,
    ),
    by_machine(
        "code",
        "get_object_code",
        1,
        Shares::CodePath(Mode::Read),
        OnBeam::Noted,
        Request::ObjectCode,
    ),
    by_machine(
        "code",
        "where_is_file",
        1,
        Shares::CodePath(Mode::Read),
        OnBeam::Noted,
        Request::WhereIsFile,
    ),
    Builtin {
        effect: Effect::Files,
        ..by_machine(
            "code",
            "load_abs",
            1,
            Shares::LoadedCode(Mode::Write),
            OnBeam::Never,
            Request::LoadAbsolute,
        )
    },
    Builtin {
        effect: Effect::Files,
        ..by_machine(
            "code",
            "load_abs",
            2,
            Shares::LoadedCode(Mode::Write),
            OnBeam::Never,
            Request::LoadAbsolute,
        )
    },
    by_machine("code", "purge", 1, Shares::LoadedCode(Mode::Write), OnBeam::Never, Request::Purge),
    by_machine(
        "code",
        "soft_purge",
        1,
        Shares::LoadedCode(Mode::Write),
        OnBeam::Never,
        Request::Purge,
    ),
    by_machine(
        "erts_internal",
        "purge_module",
        2,
        Shares::LoadedCode(Mode::Write),
        OnBeam::Noted,
        Request::PurgeStep,
    ),
    inside(
        "erlang",
        "check_old_code",
        1,
        Shares::LoadedCode(Mode::Read),
        OnBeam::Alike,
        |w, args| {
            let module = arg(args, 0).as_atom().ok_or(Fault::BADARG)?;
            Ok(Value::bool(w.run.old_code.contains_key(&module)))
        },
    ),
    inside("code", "all_loaded", 0, Shares::LoadedCode(Mode::Read), OnBeam::Alike, all_loaded)
        .environment(),
    inside("erlang", "loaded", 0, Shares::LoadedCode(Mode::Read), OnBeam::Alike, loaded)
        .environment(),
    inside("erlang", "load_nif", 2, Shares::Nothing, OnBeam::AlikeIf(Effect::Os), load_nif),
    inside("code", "get_mode", 0, Shares::Nothing, OnBeam::Alike, |w, _| {
        Ok(atom(w, "interactive"))
    }),
    inside("code", "is_sticky", 1, Shares::Nothing, OnBeam::Alike, |_, _| Ok(Value::FALSE)),
    inside("code", "unstick_dir", 1, Shares::Nothing, OnBeam::Never, |_, _| {
        Ok(Value::atom(AtomId::OK))
    }),
    inside("code", "stick_dir", 1, Shares::Nothing, OnBeam::Never, |_, _| {
        Ok(Value::atom(AtomId::OK))
    }),
    inside("code", "unstick_mod", 1, Shares::Nothing, OnBeam::Never, |_, _| Ok(Value::TRUE)),
    inside("code", "stick_mod", 1, Shares::Nothing, OnBeam::Never, |_, _| Ok(Value::TRUE)),
    inside("code", "is_module_native", 1, Shares::Nothing, OnBeam::Alike, |_, _| Ok(Value::FALSE)),
    // The code path is part of the program, so looking something up in it needs no permission.
    on_host("code", "root_dir", 0).environment(),
    on_host("code", "lib_dir", 0).environment(),
    on_host("code", "lib_dir", 1).environment(),
    on_host("code", "lib_dir", 2).environment(),
    on_host("code", "priv_dir", 1).environment(),
    on_host("code", "compiler_dir", 0).environment(),
    on_host("code", "module_md5", 1),
    on_host("erl_prim_loader", "get_file", 1),
    on_host("erl_prim_loader", "get_path", 0).environment(),
    on_host("erlang", "pre_loaded", 0).environment(),
    // Of the emulator's arguments, only those that are always set.
    inside("init", "get_argument", 1, Shares::Nothing, OnBeam::Alike, argument).environment(),
    inside("init", "get_arguments", 0, Shares::Nothing, OnBeam::Alike, |_, _| Ok(Value::NIL))
        .environment(),
    inside("init", "get_plain_arguments", 0, Shares::Nothing, OnBeam::Alike, |_, _| Ok(Value::NIL))
        .environment(),
    inside("init", "get_status", 0, Shares::Nothing, OnBeam::Alike, |w, _| {
        let started = atom(w, "started");
        Ok(w.heap.tuple(&[started, started]))
    }),
    inside("init", "script_id", 0, Shares::Nothing, OnBeam::Alike, script_id).environment(),
    inside("init", "stop", 0, Shares::Everything, OnBeam::Never, |_, _| {
        Err(Stop::Halted { status: 0 }.into())
    }),
    inside("init", "stop", 1, Shares::Everything, OnBeam::Never, |_, args| {
        Err(Stop::Halted { status: arg(args, 0).as_int().unwrap_or(1) }.into())
    }),
    inside("init", "restart", 0, Shares::Everything, OnBeam::Never, |_, _| {
        Err(Stop::Halted { status: 0 }.into())
    }),
    inside("init", "reboot", 0, Shares::Everything, OnBeam::Never, |_, _| {
        Err(Stop::Halted { status: 0 }.into())
    }),
];

const fn by_machine(
    module: &'static str,
    name: &'static str,
    arity: u8,
    shares: Shares,
    on_beam: OnBeam,
    request: Request,
) -> Builtin {
    Builtin {
        module,
        name,
        arity,
        how: How::Machine(request),
        effect: Effect::Machine,
        shares,
        on_beam,
        lift: Lift::Concrete,
    }
}

fn all_loaded(w: &mut World, _: &[Value]) -> Result<Value, Fault> {
    let mut modules: Vec<AtomId> = w.modules.keys().copied().collect();
    modules.sort();
    let mut items = Vec::new();
    for module in modules {
        let file = object_of(w, module);
        items.push(w.heap.tuple(&[Value::atom(module), file]));
    }
    Ok(w.heap.list(&items))
}

/// Returns the file of a loaded module as the code server reports it.
pub(super) fn object_of(w: &mut World, module: AtomId) -> Value {
    let Some(loaded) = w.modules.get(&module) else { return atom(w, "non_existing") };
    let file = match loaded.object.clone() {
        Some(Object::Name(name)) => return Value::atom(name),
        Some(Object::File(file)) => file,
        None => loaded.file.clone(),
    };
    match file {
        file if file.is_empty() => atom(w, "preloaded"),
        file => string(w, &file),
    }
}

fn loaded(w: &mut World, _: &[Value]) -> Result<Value, Fault> {
    let mut modules: Vec<AtomId> = w.modules.keys().copied().collect();
    modules.sort();
    let modules: Vec<Value> = modules.into_iter().map(Value::atom).collect();
    Ok(w.heap.list(&modules))
}

/// Native code can't run here, so loading fails as it does on BEAM for a broken library.
fn load_nif(w: &mut World, _: &[Value]) -> Result<Value, Fault> {
    let reason = atom(w, "load_failed");
    let text = string(w, "the machine runs no native code");
    let pair = w.heap.tuple(&[reason, text]);
    Ok(w.heap.tuple(&[Value::atom(AtomId::ERROR), pair]))
}

fn argument(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let value = match arg(args, 0).as_atom().map(|it| w.atoms.name(it)) {
        Some("home") => w.run.environment.get("HOME").cloned(),
        Some("root") => Some(w.code_path.root.clone()),
        Some("progname") => Some("erl".to_owned()),
        _ => None,
    };
    let Some(value) = value else { return Ok(Value::atom(AtomId::ERROR)) };
    let value = string(w, &value);
    let values = w.heap.list(&[value]);
    let values = w.heap.list(&[values]);
    Ok(w.heap.tuple(&[Value::atom(AtomId::OK), values]))
}

fn script_id(w: &mut World, _: &[Value]) -> Result<Value, Fault> {
    let Some(release) = w.facts.get("otp_release") else {
        return Err(Stop::NeedFact(w.atoms.intern("otp_release")).into());
    };
    let release = values::from_term(&mut w.heap, &mut w.atoms, release);
    let system = string(w, "Erlang/OTP");
    Ok(w.heap.tuple(&[system, release]))
}
