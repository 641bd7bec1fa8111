//! Functions with effects outside the machine (files, network, operating system), and pure functions that the real
//! runtime computes.
//!
//! Each effect is attached to the function that users call, such as `file:read_file/1`, not to the native function
//! below it, so that a refusal names what the user wrote. If the user allows the effect, the real runtime performs it.

use crate::builtins::arithmetic::arg;
use crate::builtins::make::{atom, string};
use crate::builtins::{
    Builtin, Effect, Fault, OnBeam, Shares, Stop, if_allowed, inside, on_host, outside,
};
use crate::lift;
use crate::machine::World;
use trace::Mode;
use values::{AtomId, Value};

pub(super) const ROWS: &[Builtin] = &[
    // Pure
    on_host("re", "compile", 1),
    on_host("re", "compile", 2),
    on_host("re", "run", 2).own(lift::regexp::run),
    on_host("re", "run", 3).own(lift::regexp::run),
    on_host("re", "internal_run", 4),
    on_host("re", "inspect", 2),
    on_host("re", "version", 0),
    on_host("erts_internal", "beamfile_chunk", 2),
    on_host("erts_internal", "beamfile_module_md5", 1),
    on_host("zlib", "compress", 1),
    on_host("zlib", "uncompress", 1),
    on_host("zlib", "zip", 1),
    on_host("zlib", "unzip", 1),
    on_host("zlib", "gzip", 1),
    on_host("zlib", "gunzip", 1),
    on_host("crypto", "hash", 2),
    on_host("crypto", "mac", 3),
    on_host("crypto", "mac", 4),
    on_host("crypto", "macN", 4),
    on_host("crypto", "macN", 5),
    on_host("crypto", "supports", 0),
    on_host("crypto", "supports", 1),
    on_host("crypto", "hash_info", 1),
    on_host("crypto", "hash_equals", 2),
    on_host("crypto", "pbkdf2_hmac", 5),
    on_host("crypto", "info_lib", 0),
    on_host("crypto", "crypto_one_time", 4),
    on_host("crypto", "crypto_one_time", 5),
    on_host("crypto", "crypto_one_time_aead", 6),
    on_host("crypto", "crypto_one_time_aead", 7),
    on_host("crypto", "exor", 2),
    on_host("crypto", "mod_pow", 3),
    on_host("crypto", "bytes_to_integer", 1),
    on_host("asn1rt_nif", "decode_ber_tlv", 1),
    on_host("asn1rt_nif", "encode_ber_tlv", 1),
    on_host("asn1rt_nif", "encode_per_complete", 1),
    // The operating system
    inside("os", "getenv", 0, Shares::Variables, OnBeam::Alike, environment).environment(),
    inside("os", "env", 0, Shares::Variables, OnBeam::Alike, environment_pairs).environment(),
    inside("os", "getenv", 1, Shares::Variable(Mode::Read), OnBeam::Alike, |w, args| {
        Ok(getenv(w, arg(args, 0))?.unwrap_or(Value::FALSE))
    })
    .environment(),
    inside("os", "getenv", 2, Shares::Variable(Mode::Read), OnBeam::Alike, |w, args| {
        Ok(getenv(w, arg(args, 0))?.unwrap_or(arg(args, 1)))
    })
    .environment(),
    inside("os", "putenv", 2, Shares::Variable(Mode::Write), OnBeam::Never, putenv),
    inside("os", "unsetenv", 1, Shares::Variable(Mode::Write), OnBeam::Never, unsetenv),
    inside("os", "type", 0, Shares::Nothing, OnBeam::Alike, |w, _| {
        let kind = [atom(w, "unix"), atom(w, "linux")];
        Ok(w.heap.tuple(&kind))
    })
    .environment(),
    inside("os", "set_signal", 2, Shares::Nothing, OnBeam::Never, |_, _| {
        Ok(Value::atom(AtomId::OK))
    }),
    on_host("os", "version", 0).environment(),
    outside(Effect::Os, "crypto", "strong_rand_bytes", 1, Shares::Nothing),
    outside(Effect::Os, "crypto", "rand_seed", 0, Shares::Nothing),
    outside(Effect::Os, "crypto", "rand_uniform", 2, Shares::Nothing),
    // Configuration and facts of applications, set when they are started
    environment_of("get_env", 1),
    environment_of("get_env", 2),
    environment_of("get_env", 3),
    environment_of("get_all_env", 0),
    environment_of("get_all_env", 1),
    environment_of("get_key", 1),
    environment_of("get_key", 2),
    environment_of("get_all_key", 0),
    environment_of("get_all_key", 1),
    environment_of("get_application", 0),
    environment_of("get_application", 1),
    environment_of("which_applications", 0),
    environment_of("which_applications", 1),
    environment_of("loaded_applications", 0),
    environment_of("info", 0),
    // Files
    if_allowed(Effect::Files, "file", "read_file", 1),
    if_allowed(Effect::Files, "file", "read_file", 2),
    if_allowed(Effect::Files, "file", "write_file", 2),
    if_allowed(Effect::Files, "file", "write_file", 3),
    if_allowed(Effect::Files, "file", "consult", 1),
    if_allowed(Effect::Files, "file", "path_consult", 2),
    if_allowed(Effect::Files, "file", "script", 1),
    if_allowed(Effect::Files, "file", "script", 2),
    if_allowed(Effect::Files, "file", "list_dir", 1),
    if_allowed(Effect::Files, "file", "list_dir_all", 1),
    if_allowed(Effect::Files, "file", "make_dir", 1),
    if_allowed(Effect::Files, "file", "del_dir", 1),
    if_allowed(Effect::Files, "file", "del_dir_r", 1),
    if_allowed(Effect::Files, "file", "delete", 1),
    if_allowed(Effect::Files, "file", "delete", 2),
    if_allowed(Effect::Files, "file", "rename", 2),
    if_allowed(Effect::Files, "file", "copy", 2),
    if_allowed(Effect::Files, "file", "copy", 3),
    if_allowed(Effect::Files, "file", "make_link", 2),
    if_allowed(Effect::Files, "file", "make_symlink", 2),
    if_allowed(Effect::Files, "file", "read_link", 1),
    if_allowed(Effect::Files, "file", "read_link_all", 1),
    if_allowed(Effect::Files, "file", "read_link_info", 1),
    if_allowed(Effect::Files, "file", "read_link_info", 2),
    if_allowed(Effect::Files, "file", "read_file_info", 1),
    if_allowed(Effect::Files, "file", "read_file_info", 2),
    if_allowed(Effect::Files, "file", "write_file_info", 2),
    if_allowed(Effect::Files, "file", "write_file_info", 3),
    if_allowed(Effect::Files, "file", "change_mode", 2),
    if_allowed(Effect::Files, "file", "change_owner", 2),
    if_allowed(Effect::Files, "file", "change_owner", 3),
    if_allowed(Effect::Files, "file", "change_group", 2),
    if_allowed(Effect::Files, "file", "change_time", 2),
    if_allowed(Effect::Files, "file", "change_time", 3),
    if_allowed(Effect::Files, "file", "altname", 1),
    if_allowed(Effect::Files, "file", "get_cwd", 0),
    if_allowed(Effect::Files, "file", "get_cwd", 1),
    if_allowed(Effect::Files, "file", "set_cwd", 1),
    if_allowed(Effect::Files, "file", "open", 2),
    if_allowed(Effect::Files, "file", "path_open", 3),
    if_allowed(Effect::Files, "filelib", "is_file", 1),
    if_allowed(Effect::Files, "filelib", "is_dir", 1),
    if_allowed(Effect::Files, "filelib", "is_regular", 1),
    if_allowed(Effect::Files, "filelib", "file_size", 1),
    if_allowed(Effect::Files, "filelib", "last_modified", 1),
    if_allowed(Effect::Files, "filelib", "ensure_dir", 1),
    if_allowed(Effect::Files, "filelib", "ensure_path", 1),
    if_allowed(Effect::Files, "filelib", "wildcard", 1),
    if_allowed(Effect::Files, "filelib", "wildcard", 2),
    if_allowed(Effect::Files, "filelib", "find_file", 1),
    if_allowed(Effect::Files, "filelib", "find_file", 2),
    if_allowed(Effect::Files, "filelib", "find_source", 1),
    if_allowed(Effect::Files, "filename", "absname", 1),
    inside("prim_file", "internal_name2native", 1, Shares::Nothing, OnBeam::Alike, name_to_native),
    inside("prim_file", "internal_native2name", 1, Shares::Nothing, OnBeam::Alike, native_to_name),
    inside(
        "prim_file",
        "internal_normalize_utf8",
        1,
        Shares::Nothing,
        OnBeam::Alike,
        native_to_name,
    ),
    inside("prim_file", "is_translatable", 1, Shares::Nothing, OnBeam::Alike, |w, args| {
        Ok(Value::bool(name_to_native(w, args).is_ok()))
    }),
    inside("file", "native_name_encoding", 0, Shares::Nothing, OnBeam::Alike, |w, _| {
        Ok(atom(w, "utf8"))
    }),
    // The network
    if_allowed(Effect::Network, "gen_tcp", "connect", 2),
    if_allowed(Effect::Network, "gen_tcp", "connect", 3),
    if_allowed(Effect::Network, "gen_tcp", "connect", 4),
    if_allowed(Effect::Network, "gen_tcp", "listen", 2),
    if_allowed(Effect::Network, "gen_udp", "open", 1),
    if_allowed(Effect::Network, "gen_udp", "open", 2),
    inside("gen_sctp", "open", 0, Shares::Nothing, OnBeam::NotedIf(Effect::Network), |w, _| {
        stays_open(w, Effect::Network, "gen_sctp:open/0")
    }),
    inside("gen_sctp", "open", 1, Shares::Nothing, OnBeam::NotedIf(Effect::Network), |w, _| {
        stays_open(w, Effect::Network, "gen_sctp:open/1")
    }),
    inside("gen_sctp", "open", 2, Shares::Nothing, OnBeam::NotedIf(Effect::Network), |w, _| {
        stays_open(w, Effect::Network, "gen_sctp:open/2")
    }),
    inside("ssl", "connect", 2, Shares::Nothing, OnBeam::NotedIf(Effect::Network), |w, _| {
        stays_open(w, Effect::Network, "ssl:connect/2")
    }),
    inside("ssl", "connect", 3, Shares::Nothing, OnBeam::NotedIf(Effect::Network), |w, _| {
        stays_open(w, Effect::Network, "ssl:connect/3")
    }),
    inside("ssl", "connect", 4, Shares::Nothing, OnBeam::NotedIf(Effect::Network), |w, _| {
        stays_open(w, Effect::Network, "ssl:connect/4")
    }),
    inside("ssl", "listen", 2, Shares::Nothing, OnBeam::NotedIf(Effect::Network), |w, _| {
        stays_open(w, Effect::Network, "ssl:listen/2")
    }),
    inside("socket", "open", 1, Shares::Nothing, OnBeam::NotedIf(Effect::Network), |w, _| {
        stays_open(w, Effect::Network, "socket:open/1")
    }),
    inside("socket", "open", 2, Shares::Nothing, OnBeam::NotedIf(Effect::Network), |w, _| {
        stays_open(w, Effect::Network, "socket:open/2")
    }),
    inside("socket", "open", 3, Shares::Nothing, OnBeam::NotedIf(Effect::Network), |w, _| {
        stays_open(w, Effect::Network, "socket:open/3")
    }),
    inside("socket", "open", 4, Shares::Nothing, OnBeam::NotedIf(Effect::Network), |w, _| {
        stays_open(w, Effect::Network, "socket:open/4")
    }),
    inside("httpc", "request", 1, Shares::Nothing, OnBeam::NotedIf(Effect::Network), |w, _| {
        stays_open(w, Effect::Network, "httpc:request/1")
    }),
    inside("httpc", "request", 4, Shares::Nothing, OnBeam::NotedIf(Effect::Network), |w, _| {
        stays_open(w, Effect::Network, "httpc:request/4")
    }),
    inside("httpc", "request", 5, Shares::Nothing, OnBeam::NotedIf(Effect::Network), |w, _| {
        stays_open(w, Effect::Network, "httpc:request/5")
    }),
    inside("net_kernel", "start", 1, Shares::Nothing, OnBeam::Never, |w, _| {
        stays_open(w, Effect::Network, "net_kernel:start/1")
    }),
    inside("net_kernel", "start", 2, Shares::Nothing, OnBeam::Never, |w, _| {
        stays_open(w, Effect::Network, "net_kernel:start/2")
    }),
    outside(Effect::Network, "inet", "gethostname", 0, Shares::Nothing),
    outside(Effect::Network, "inet", "getaddr", 2, Shares::Nothing),
    outside(Effect::Network, "inet", "getaddrs", 2, Shares::Nothing),
    outside(Effect::Network, "inet", "gethostbyname", 1, Shares::Nothing),
    outside(Effect::Network, "inet", "gethostbyname", 2, Shares::Nothing),
    outside(Effect::Network, "inet", "gethostbyaddr", 1, Shares::Nothing),
    outside(Effect::Network, "inet", "getifaddrs", 0, Shares::Nothing),
    outside(Effect::Network, "inet", "getif", 0, Shares::Nothing),
    outside(Effect::Network, "inet", "getservbyname", 2, Shares::Nothing),
    outside(Effect::Network, "inet", "getservbyport", 2, Shares::Nothing),
    outside(Effect::Network, "inet_gethost_native", "gethostbyname", 1, Shares::Nothing),
    outside(Effect::Network, "inet_gethost_native", "gethostbyname", 2, Shares::Nothing),
    outside(Effect::Network, "inet_gethost_native", "gethostbyaddr", 1, Shares::Nothing),
    outside(Effect::Network, "net_adm", "names", 0, Shares::Nothing),
    outside(Effect::Network, "net_adm", "localhost", 0, Shares::Nothing),
];

/// The row of an `application` function: OTP's own code reads the tables of the application controller.
const fn environment_of(name: &'static str, arity: u8) -> Builtin {
    if_allowed(Effect::Machine, "application", name, arity).environment()
}

/// Refuses a function whose result stays open between calls. It would belong to a process of the real runtime, which
/// does not live from one call to the next.
fn stays_open(w: &mut World, effect: Effect, what: &str) -> Result<Value, Fault> {
    let what = what.to_owned();
    Err(if w.allowed.allows(effect) {
        Stop::Unsupported { what }.into()
    } else {
        Stop::Refused { effect, what }.into()
    })
}

// The environment: the machine's own, empty unless the program is allowed to see the real one.

fn environment(w: &mut World, _: &[Value]) -> Result<Value, Fault> {
    let lines: Vec<String> =
        w.run.environment.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let lines: Vec<Value> = lines.iter().map(|it| string(w, it)).collect();
    Ok(w.heap.list(&lines))
}

fn environment_pairs(w: &mut World, _: &[Value]) -> Result<Value, Fault> {
    let variables: Vec<(String, String)> =
        w.run.environment.iter().map(|it| (it.0.clone(), it.1.clone())).collect();
    let mut items = Vec::new();
    for (name, value) in variables {
        let pair = [string(w, &name), string(w, &value)];
        items.push(w.heap.tuple(&pair));
    }
    Ok(w.heap.list(&items))
}

fn getenv(w: &mut World, name: Value) -> Result<Option<Value>, Fault> {
    let name = variable_name(w, name)?;
    let Some(value) = w.run.environment.get(&name).cloned() else { return Ok(None) };
    Ok(Some(string(w, &value)))
}

fn putenv(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let name = variable_name(w, arg(args, 0))?;
    let value = text_of(w, arg(args, 1))?;
    w.run.environment.insert(name, value);
    Ok(Value::TRUE)
}

fn unsetenv(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let name = variable_name(w, arg(args, 0))?;
    w.run.environment.remove(&name);
    Ok(Value::TRUE)
}

fn variable_name(w: &World, name: Value) -> Result<String, Fault> {
    let name = text_of(w, name)?;
    if name.contains('=') { Err(Fault::BADARG) } else { Ok(name) }
}

fn text_of(w: &World, chars: Value) -> Result<String, Fault> {
    let chars = w.heap.list_items(chars).ok_or(Fault::BADARG)?;
    let char_of = |it: Value| u32::try_from(it.as_int()?).ok().and_then(char::from_u32);
    let text: Option<String> = chars.into_iter().map(char_of).collect();
    text.filter(|it| !it.contains('\0')).ok_or(Fault::BADARG)
}

/// Encodes a file name for the operating system: UTF-8 with a terminating zero.
fn name_to_native(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let name = arg(args, 0);
    let mut bytes = match w.heap.as_binary_bytes(name) {
        Some(bytes) => bytes.to_vec(),
        None => text_of(w, name)?.into_bytes(),
    };
    bytes.push(0);
    Ok(w.heap.binary(&bytes))
}

/// Decodes a file name to characters. If it is not UTF-8, returns `{error, warning}`, and the caller decides.
fn native_to_name(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let bytes = w.heap.as_binary_bytes(arg(args, 0)).ok_or(Fault::BADARG)?.into_owned();
    match std::str::from_utf8(&bytes) {
        Ok(text) => Ok(string(w, text)),
        Err(_) => {
            let error = [Value::atom(AtomId::ERROR), atom(w, "warning")];
            Ok(w.heap.tuple(&error))
        }
    }
}
