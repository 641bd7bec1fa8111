//! Opening ports, sending to them and describing them.
//!
//! The behaviour of an open port is in `machine/ports`.

use crate::builtins::arithmetic::arg;
use crate::builtins::make::{atom, count, pairs, string};
use crate::builtins::{
    Builtin, Effect, Fault, OnBeam, Shares, Stop, files, if_allowed, inside, iolist, sockets,
};
use crate::host::{Command, Errors, Executable, Input};
use crate::machine::World;
use crate::machine::memory_file::MemoryFile;
use crate::machine::ports::{Behind, Framing, Port, PortOptions};
use trace::Mode;
use values::{AtomId, PortId, Value, View};

pub(super) const ROWS: &[Builtin] = &[
    inside("erlang", "open_port", 2, Shares::Ports(Mode::Write), OnBeam::AlikeIf(Effect::Os), open),
    inside("erlang", "port_command", 2, Shares::Ports(Mode::Write), OnBeam::Alike, command),
    inside("erlang", "port_command", 3, Shares::Ports(Mode::Write), OnBeam::Alike, command),
    inside("erlang", "port_close", 1, Shares::Ports(Mode::Write), OnBeam::Alike, close),
    inside("erlang", "port_connect", 2, Shares::Ports(Mode::Write), OnBeam::Alike, connect),
    inside("erlang", "port_control", 3, Shares::Ports(Mode::Write), OnBeam::Alike, control),
    inside("erlang", "port_call", 2, Shares::Ports(Mode::Write), OnBeam::Alike, no_control),
    inside("erlang", "port_call", 3, Shares::Ports(Mode::Write), OnBeam::Alike, no_control),
    inside("erlang", "port_set_data", 2, Shares::Ports(Mode::Write), OnBeam::Alike, set_data),
    inside("erlang", "port_get_data", 1, Shares::Ports(Mode::Read), OnBeam::Alike, |w, args| {
        Ok(port(w, arg(args, 0))?.1.data)
    }),
    inside("erlang", "ports", 0, Shares::Ports(Mode::Read), OnBeam::Alike, |w, _| {
        // Port 0 always exists: on BEAM it is the one that starts external programs.
        let ports = w.ports.open.keys().map(|it| Value::port(*it));
        let ports: Vec<Value> = std::iter::once(Value::port(PortId(0))).chain(ports).collect();
        Ok(w.heap.list(&ports))
    }),
    inside("erlang", "port_info", 1, Shares::Ports(Mode::Read), OnBeam::Alike, info_all),
    inside("erlang", "port_info", 2, Shares::Ports(Mode::Read), OnBeam::Alike, info),
    if_allowed(Effect::Os, "os", "cmd", 1),
    if_allowed(Effect::Os, "os", "cmd", 2),
    if_allowed(Effect::Os, "os", "find_executable", 1),
    if_allowed(Effect::Os, "os", "find_executable", 2),
    inside("os", "getpid", 0, Shares::Nothing, OnBeam::Alike, |w, _| {
        let number = match &mut w.ports.host {
            Some(host) if w.allowed.os => host.own_process(),
            _ => 1,
        };
        Ok(string(w, &number.to_string()))
    }),
];

/// Returns an open port by its identifier or its registered name.
fn port(w: &mut World, value: Value) -> Result<(PortId, &mut Port), Fault> {
    let id = match value.view() {
        View::Port(id) => id,
        View::Atom(name) => *w.ports.names.get(&name).ok_or(Fault::BADARG)?,
        _ => return Err(Fault::BADARG),
    };
    w.ports.open.get_mut(&id).map(|it| (id, it)).ok_or(Fault::BADARG)
}

// Opening

/// The kind of a port whose name is not a tuple: a file that is read or written.
const FILE: &str = "file";

/// The driver of OTP's `ram_file`. It uses only memory, so it needs no permission.
const MEMORY: &str = "ram_file_drv";

fn open(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let requested = OpenOptions::read(w, arg(args, 1))?;
    let (kind, what) = match w.heap.elements(arg(args, 0)) {
        Some([kind, what]) => {
            let kind = kind.as_atom().map(|it| w.atoms.name(it).to_owned());
            (kind.unwrap_or_default(), *what)
        }
        _ => (FILE.to_owned(), arg(args, 0)),
    };
    let text = name_bytes(w, what).filter(|it| !it.is_empty() && !it.contains(&0));
    let text = match kind.as_str() {
        "spawn" | "spawn_driver" | "spawn_executable" | FILE => text.ok_or(Fault::BADARG)?,
        "fd" => {
            return Err(
                Stop::Unsupported { what: "erlang:open_port({fd, ...}, ...)".to_owned() }.into()
            );
        }
        _ => return Err(Fault::BADARG),
    };
    let name = String::from_utf8_lossy(&text).into_owned();
    let is_memory = name.split_whitespace().next() == Some(MEMORY);
    if is_memory && kind != "spawn_executable" {
        return Ok(add(w, name, requested.options, Behind::Memory(MemoryFile::default())));
    }
    if kind == "spawn_driver" {
        refuse_in_schedules(w)?;
        let socket = sockets::driver(w, &name).ok_or(Fault::BADARG)??;
        return Ok(add(w, name, requested.options, Behind::Socket(Box::new(socket))));
    }
    if !w.allowed.os {
        let what = "erlang:open_port/2".to_owned();
        return Err(Stop::Refused { effect: Effect::Os, what }.into());
    }
    refuse_in_schedules(w)?;
    let what = match kind.as_str() {
        "spawn" if requested.args.is_some() || requested.name.is_some() => {
            return Err(Fault::BADARG);
        }
        "spawn" => Executable::Line(text),
        FILE => {
            let script = if requested.has_input { "exec cat >\"$0\"" } else { "exec cat \"$0\"" };
            let args = vec![b"-c".to_vec(), script.as_bytes().to_vec(), absolute_path(w, text)];
            Executable::File { path: b"/bin/sh".to_vec(), name: None, args }
        }
        _ => Executable::File {
            path: absolute_path(w, text),
            name: requested.name,
            args: requested.args.unwrap_or_default(),
        },
    };
    let mut environment = w.run.environment.clone();
    for (name, value) in requested.environment {
        match value {
            Some(value) => environment.insert(name, value),
            None => environment.remove(&name),
        };
    }
    let here = files::current_dir(w).unwrap_or_default();
    let command = Command {
        what,
        environment: environment.into_iter().collect(),
        dir: match requested.dir {
            Some(dir) if dir.starts_with('/') => dir,
            Some(dir) => format!("{here}/{dir}"),
            None => here,
        },
        input: if requested.has_input { Input::Piped } else { Input::Nothing },
        errors: requested.errors,
    };
    let Some(host) = &mut w.ports.host else {
        return Err(Stop::Unsupported { what: "programs".to_owned() }.into());
    };
    match host.start(&command) {
        Ok((id, os_process)) => {
            Ok(add(w, name, requested.options, Behind::Program { id, os_process }))
        }
        Err(errno) => Err(Fault::Error(atom(w, errno.0))),
    }
}

/// Refuses external ports while schedules are explored: input from outside arrives at real times, which the exploration
/// can't order.
fn refuse_in_schedules(w: &World) -> Result<(), Fault> {
    if w.run.schedule.is_none() {
        return Ok(());
    }
    let what = "erlang:open_port/2 while schedules are explored".to_owned();
    Err(Stop::Unsupported { what }.into())
}

fn add(w: &mut World, name: String, options: PortOptions, behind: Behind) -> Value {
    let port = Port::new(w.run.current, name, options, behind);
    Value::port(w.ports.add(port))
}

/// Makes a path absolute, relative to the program's current directory, not to that of this process.
fn absolute_path(w: &mut World, path: Vec<u8>) -> Vec<u8> {
    if path.starts_with(b"/") {
        return path;
    }
    let here = files::current_dir(w).unwrap_or_default();
    [here.as_bytes(), b"/", path.as_slice()].concat()
}

/// The options of `open_port`.
struct OpenOptions {
    options: PortOptions,
    args: Option<Vec<Vec<u8>>>,
    name: Option<Vec<u8>>,
    dir: Option<String>,
    environment: Vec<(String, Option<String>)>,
    has_input: bool,
    errors: Errors,
}

impl OpenOptions {
    fn read(w: &World, list: Value) -> Result<OpenOptions, Fault> {
        let options = PortOptions {
            is_binary: false,
            tells_eof: false,
            tells_status: false,
            framing: Framing::Stream,
        };
        let mut res = OpenOptions {
            options,
            args: None,
            name: None,
            dir: None,
            environment: Vec::new(),
            has_input: true,
            errors: Errors::AsOurs,
        };
        let (mut reads, mut writes) = (false, false);
        for option in w.heap.list_items(list).ok_or(Fault::BADARG)? {
            if let Some(name) = option.as_atom() {
                match w.atoms.name(name) {
                    "binary" => res.options.is_binary = true,
                    "eof" => res.options.tells_eof = true,
                    "exit_status" => res.options.tells_status = true,
                    "stream" => res.options.framing = Framing::Stream,
                    "stderr_to_stdout" => res.errors = Errors::WithOutput,
                    "in" => reads = true,
                    "out" => writes = true,
                    "use_stdio" | "hide" | "overlapped_io" => (),
                    "nouse_stdio" => {
                        let what = "the option nouse_stdio of a port".to_owned();
                        return Err(Stop::Unsupported { what }.into());
                    }
                    _ => return Err(Fault::BADARG),
                }
                continue;
            }
            let Some([name, value]) = w.heap.elements(option) else { return Err(Fault::BADARG) };
            let name = name.as_atom().ok_or(Fault::BADARG)?;
            res.take(w, w.atoms.name(name), *value).ok_or(Fault::BADARG)?;
        }
        res.has_input = writes || !reads;
        Ok(res)
    }

    fn take(&mut self, w: &World, name: &str, value: Value) -> Option<()> {
        match name {
            "packet" => {
                let n = value.as_usize().filter(|it| matches!(it, 1 | 2 | 4))?;
                self.options.framing = Framing::Packet(n);
            }
            "line" => {
                let n = value.as_usize().filter(|it| *it > 0)?;
                self.options.framing = Framing::Line(n);
            }
            "cd" => self.dir = Some(String::from_utf8(name_bytes(w, value)?).ok()?),
            "arg0" => self.name = Some(name_bytes(w, value)?),
            "args" => {
                let items = w.heap.list_items(value)?;
                self.args =
                    Some(items.into_iter().map(|it| name_bytes(w, it)).collect::<Option<_>>()?);
            }
            "env" => {
                for pair in w.heap.list_items(value)? {
                    let [name, value] = w.heap.elements(pair)? else { return None };
                    let name = String::from_utf8(name_bytes(w, *name)?).ok()?;
                    let value = match value.as_bool() {
                        Some(false) => None,
                        _ => Some(String::from_utf8(name_bytes(w, *value)?).ok()?),
                    };
                    self.environment.push((name, value));
                }
            }
            "parallelism" => return value.as_bool().map(drop),
            "busy_limits_port" | "busy_limits_msgq" => (),
            _ => return None,
        }
        Some(())
    }
}

/// Encodes a name, an atom, binary or list of characters, for the operating system.
fn name_bytes(w: &World, value: Value) -> Option<Vec<u8>> {
    if let Some(bytes) = w.heap.as_binary_bytes(value) {
        return Some(bytes.into_owned());
    }
    if let Some(name) = value.as_atom() {
        return Some(w.atoms.name(name).as_bytes().to_vec());
    }
    let char_of = |it: Value| u32::try_from(it.as_int()?).ok().and_then(char::from_u32);
    let chars = w.heap.list_items(value)?;
    let text: String = chars.into_iter().map(char_of).collect::<Option<_>>()?;
    Some(text.into_bytes())
}

// Commands

fn command(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let (id, _) = port(w, arg(args, 0))?;
    let bytes = iolist::bytes(w, arg(args, 1))?;
    if args.len() == 3 {
        let options = w.heap.list_items(arg(args, 2)).ok_or(Fault::BADARG)?;
        let name = |it: &Value| it.as_atom().map(|it| w.atoms.name(it));
        if !options.iter().all(|it| matches!(name(it), Some("force" | "nosuspend"))) {
            return Err(Fault::BADARG);
        }
    }
    w.command_port(id, &bytes);
    killed_or(w, Value::TRUE)
}

fn close(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let (id, _) = port(w, arg(args, 0))?;
    w.close_port(id, Value::atom(AtomId::NORMAL));
    killed_or(w, Value::TRUE)
}

fn connect(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let new = w.local_pid(arg(args, 1))?;
    if !w.is_alive(new) {
        return Err(Fault::BADARG);
    }
    let (_, port) = port(w, arg(args, 0))?;
    port.owner = new;
    port.links.insert(new);
    Ok(Value::TRUE)
}

fn control(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let (id, port) = port(w, arg(args, 0))?;
    if !matches!(port.behind, Behind::Socket(_)) {
        return Err(Fault::BADARG);
    }
    let data = iolist::bytes(w, arg(args, 2))?;
    sockets::control(w, id, arg(args, 1), &data)
}

/// `erlang:port_call`: none of the machine's drivers accepts such calls.
fn no_control(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    port(w, arg(args, 0))?;
    Err(Fault::BADARG)
}

fn set_data(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    port(w, arg(args, 0))?.1.data = arg(args, 1);
    Ok(Value::TRUE)
}

/// Returns the value, unless the operation has ended the running process.
fn killed_or(w: &mut World, value: Value) -> Result<Value, Fault> {
    match w.run.killed.take() {
        Some(reason) => Err(Fault::Killed(reason)),
        None => Ok(value),
    }
}

// Information

const ITEMS: &[&str] = &["name", "links", "id", "connected", "input", "output", "os_pid"];

fn info_all(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let Some(id) = described(w, arg(args, 0))? else {
        return Ok(Value::atom(AtomId::UNDEFINED));
    };
    let mut items = Vec::new();
    if w.ports.open.get(&id).is_some_and(|it| it.registered.is_some()) {
        let name = item(w, id, "registered_name").unwrap_or(Value::NIL);
        items.push(("registered_name", name));
    }
    for name in ITEMS {
        items.push((name, item(w, id, name).unwrap_or(Value::NIL)));
    }
    Ok(pairs(w, &items))
}

fn info(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let name = arg(args, 1).as_atom().ok_or(Fault::BADARG)?;
    let Some(id) = described(w, arg(args, 0))? else {
        return Ok(Value::atom(AtomId::UNDEFINED));
    };
    let text = w.atoms.name(name).to_owned();
    let value = item(w, id, &text).ok_or(Fault::BADARG)?;
    if text == "registered_name" && value.is_nil() {
        return Ok(Value::NIL);
    }
    Ok(w.heap.tuple(&[Value::atom(name), value]))
}

fn described(w: &mut World, value: Value) -> Result<Option<PortId>, Fault> {
    match value.view() {
        View::Port(_) if w.node_of(value) != w.here() => Err(Fault::BADARG),
        View::Port(_) | View::Atom(_) => Ok(port(w, value).ok().map(|it| it.0)),
        _ => Err(Fault::BADARG),
    }
}

fn item(w: &mut World, id: PortId, name: &str) -> Option<Value> {
    let port = w.ports.open.get(&id)?;
    let number = |it: u64| Value::int(i64::try_from(it).unwrap_or(i64::MAX));
    Some(match name {
        "name" => {
            let name = port.name.clone();
            string(w, &name)
        }
        "links" => {
            let links: Vec<Value> = port.links.iter().map(|it| Value::pid(*it)).collect();
            w.heap.list(&links)
        }
        "id" => number(id.0),
        "connected" => Value::pid(port.owner),
        "input" => number(port.n_in),
        "output" => number(port.n_out),
        "os_pid" => match port.behind {
            Behind::Program { os_process, .. } => Value::int(i64::from(os_process)),
            Behind::Memory(_) | Behind::Socket(_) => Value::atom(AtomId::UNDEFINED),
        },
        "registered_name" => port.registered.map_or(Value::NIL, Value::atom),
        "monitored_by" => {
            let watchers: Vec<Value> = port.watchers.iter().map(|it| Value::pid(it.1)).collect();
            w.heap.list(&watchers)
        }
        "monitors" => Value::NIL,
        "queue_size" | "memory" => count(0),
        "parallelism" | "locking" => Value::FALSE,
        _ => return None,
    })
}
