//! Processes, references, ports and funs to text and back.
//!
//! The text is that of a node that is alone: `<0.N.0>`.

use crate::builtins::arithmetic::arg;
use crate::builtins::text::{list_bytes, string};
use crate::builtins::{Builtin, Fault, Stop, pure};
use crate::data::{FunKind, PidId, RefId, Value, View, to_term};
use crate::machine::World;
use term::{Atom, Fun, Style, Term};

pub(super) const ROWS: &[Builtin] = &[
    pure("erlang", "pid_to_list", 1, |w, args| {
        to_list(w, arg(args, 0), |it| matches!(it, View::Pid(_)))
    }),
    pure("erlang", "ref_to_list", 1, |w, args| {
        to_list(w, arg(args, 0), |it| matches!(it, View::Ref(_)))
    }),
    pure("erlang", "port_to_list", 1, |w, args| {
        to_list(w, arg(args, 0), |it| matches!(it, View::Port(_)))
    }),
    pure("erlang", "fun_to_list", 1, fun_to_list),
    pure("erlang", "list_to_pid", 1, list_to_pid),
    pure("erlang", "list_to_ref", 1, list_to_ref),
    pure("erlang", "list_to_port", 1, list_to_port),
];

fn to_list(w: &mut World, value: Value, is_right: fn(View) -> bool) -> Result<Value, Fault> {
    if !is_right(value.view()) {
        return Err(Fault::BADARG);
    }
    let term = to_term(&w.heap, &w.atoms, value).map_err(|_| Fault::BADARG)?;
    Ok(string(&mut w.heap, &term::print(&term, Style::W)))
}

fn fun_to_list(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let View::Fun(at) = arg(args, 0).view() else { return Err(Fault::BADARG) };
    let fun = match w.heap.fun_kind(at) {
        FunKind::External { module, function, arity } => Fun::External {
            module: Atom::new(w.atoms.name(module)),
            function: Atom::new(w.atoms.name(function)),
            arity: u8::try_from(arity).unwrap_or(u8::MAX),
        },
        FunKind::Closure { lambda, .. } => {
            let lambda = w.heap.lambda(lambda).ok_or(Fault::BADARG)?;
            // The text does not show what the fun captured.
            Fun::Closure {
                module: Atom::new(w.atoms.name(lambda.module)),
                arity: u8::try_from(lambda.arity).unwrap_or(u8::MAX),
                index: lambda.index,
                uniq: lambda.module_md5,
                old_index: i64::from(lambda.index),
                old_uniq: i64::from(lambda.uniq),
                pid: term::Pid { node: Atom::new("nonode@nohost"), id: 0, serial: 0, creation: 0 },
                env: Vec::new(),
            }
        }
    };
    Ok(string(&mut w.heap, &term::print(&Term::Fun(Box::new(fun)), Style::W)))
}

fn list_to_pid(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let numbers = numbers(w, arg(args, 0), "<")?;
    let [0, id, serial] = *numbers.as_slice() else { return Err(Fault::BADARG) };
    let pid = u32::try_from(id).ok().zip(u32::try_from(serial).ok());
    let pid = pid.and_then(|(id, serial)| PidId::from_parts(id, serial));
    pid.map(Value::pid).ok_or(Fault::BADARG)
}

fn list_to_ref(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    /// The first word of a reference on BEAM.
    const MAX_FIRST: u64 = (1 << 18) - 1;
    let numbers = numbers(w, arg(args, 0), "#Ref<")?;
    let [0, third, second, first] = *numbers.as_slice() else { return Err(Fault::BADARG) };
    let word = |it: u64| u32::try_from(it).map_err(|_| Fault::BADARG);
    let (third, owner, n) = (word(third)?, word(second)?, word(first)?);
    if first > MAX_FIRST {
        return Err(Fault::BADARG);
    }
    if third != 0 {
        let what = "a reference that this machine did not make".to_owned();
        return Err(Stop::Unsupported { what }.into());
    }
    Ok(Value::reference(RefId { owner: PidId(owner), n }))
}

fn list_to_port(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    const MAX_PORT: u64 = (1 << 28) - 1;
    let numbers = numbers(w, arg(args, 0), "#Port<")?;
    match *numbers.as_slice() {
        [0, id] if id <= MAX_PORT => Ok(Value::port(id)),
        _ => Err(Fault::BADARG),
    }
}

/// The numbers of a text like `<0.1.2>`.
fn numbers(w: &World, list: Value, opening: &str) -> Result<Vec<u64>, Fault> {
    let bytes = list_bytes(&w.heap, list).ok_or(Fault::BADARG)?;
    let text = str::from_utf8(&bytes).map_err(|_| Fault::BADARG)?;
    let inner = text.strip_prefix(opening).and_then(|it| it.strip_suffix('>'));
    let numbers = inner.ok_or(Fault::BADARG)?.split('.').map(|it| {
        let is_number = it.bytes().all(|it| it.is_ascii_digit());
        if is_number { it.parse().map_err(|_| Fault::BADARG) } else { Err(Fault::BADARG) }
    });
    numbers.collect()
}
