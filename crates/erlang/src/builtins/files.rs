//! The native functions of OTP's `prim_file`; everything else about files is OTP's own code.
//!
//! The host accesses the files. This module reads arguments as BEAM's native functions do, and keeps a reference for
//! each open file until its owner closes it or ends.

use crate::builtins::arithmetic::arg;
use crate::builtins::handles::HandleKind;
use crate::builtins::iolist;
use crate::builtins::make::atom;
use crate::builtins::{Builtin, Effect, Fault, OnBeam, Run, Shares, Stop, reaching};
use crate::host::{
    Advice, Errno, FileId, FileInfo, FileKind, Files, Links, OpenModes, Origin, Sync,
};
use crate::machine::World;
use std::collections::BTreeMap;
use trace::Mode;
use values::{AtomId, PidId, RefId, Value};

pub(super) const ROWS: &[Builtin] = &[
    file("open_nif", 2, Shares::Files(Mode::Write), open),
    file("close_nif", 1, Shares::Files(Mode::Write), close),
    file("delayed_close_nif", 1, Shares::Files(Mode::Write), close),
    file("read_nif", 2, Shares::Files(Mode::Write), read),
    file("pread_nif", 3, Shares::Files(Mode::Read), read_at),
    file("write_nif", 2, Shares::Files(Mode::Write), write),
    file("pwrite_nif", 3, Shares::Files(Mode::Write), write_at),
    file("seek_nif", 3, Shares::Files(Mode::Write), seek),
    file("sync_nif", 2, Shares::Files(Mode::Write), sync),
    file("truncate_nif", 1, Shares::Files(Mode::Write), |w, args| {
        with_file(w, args, |files, file, _| files.truncate(file))
    }),
    file("allocate_nif", 3, Shares::Files(Mode::Write), allocate),
    file("advise_nif", 4, Shares::Nothing, advise),
    file("read_handle_info_nif", 1, Shares::Files(Mode::Read), handle_info),
    file("get_handle_nif", 1, Shares::Nothing, descriptor),
    file("ipread_s32bu_p32bu_nif", 3, Shares::Files(Mode::Read), read_indirectly),
    file("read_file_nif", 1, Shares::Files(Mode::Read), read_file),
    file("read_info_nif", 2, Shares::Files(Mode::Read), info),
    file("set_permissions_nif", 2, Shares::Files(Mode::Write), set_permissions),
    file("set_owner_nif", 3, Shares::Files(Mode::Write), set_owner),
    file("set_time_nif", 4, Shares::Files(Mode::Write), set_time),
    file("read_link_nif", 1, Shares::Files(Mode::Read), |w, args| {
        with_path(w, args, Files::read_link)
    }),
    file("list_dir_nif", 1, Shares::Files(Mode::Read), list_dir),
    file("make_dir_nif", 1, Shares::Files(Mode::Write), |w, args| {
        with_path(w, args, Files::make_dir)
    }),
    file("del_file_nif", 1, Shares::Files(Mode::Write), |w, args| {
        with_path(w, args, Files::remove_file)
    }),
    file("del_dir_nif", 1, Shares::Files(Mode::Write), |w, args| {
        with_path(w, args, Files::remove_dir)
    }),
    file("rename_nif", 2, Shares::Files(Mode::Write), |w, args| with_paths(w, args, Files::rename)),
    file("make_hard_link_nif", 2, Shares::Files(Mode::Write), |w, args| {
        with_paths(w, args, Files::hard_link)
    }),
    file("make_soft_link_nif", 2, Shares::Files(Mode::Write), |w, args| {
        with_paths(w, args, Files::soft_link)
    }),
    file("set_cwd_nif", 1, Shares::Files(Mode::Write), |w, args| {
        with_path(w, args, Files::set_current_dir)
    }),
    file("get_cwd_nif", 0, Shares::Files(Mode::Read), |w, _| {
        let dir = files(w)?.current_dir();
        Ok(answer(w, dir))
    }),
    // These functions exist only on Windows.
    file("get_device_cwd_nif", 1, Shares::Nothing, |w, _| Ok(failed(w, Errno::ENOTSUP))),
    file("altname_nif", 1, Shares::Nothing, |w, _| Ok(failed(w, Errno::ENOTSUP))),
];

const fn file(name: &'static str, arity: u8, shares: Shares, run: Run) -> Builtin {
    reaching((Effect::Files, shares, OnBeam::Noted), "prim_file", name, arity, run)
}

/// Any implementation of the file operations by the host.
type AnyFiles = dyn Files;

/// The open files, by the references that programs have for them.
#[derive(Debug, Default)]
pub struct OpenFiles {
    host: Option<Box<dyn Files>>,
    /// Each file by its reference; `None` if it was closed, because BEAM distinguishes a closed file from an invalid
    /// reference.
    known: BTreeMap<RefId, Option<FileId>>,
}

impl OpenFiles {
    /// Whether the run has opened no file.
    pub(crate) fn is_unused(&self) -> bool {
        self.known.is_empty()
    }

    pub(crate) fn of(host: Box<dyn Files>) -> OpenFiles {
        OpenFiles { host: Some(host), known: BTreeMap::new() }
    }

    /// Forgets all files, between two runs.
    pub(crate) fn reset(&mut self) {
        self.known.clear();
        if let Some(host) = &mut self.host {
            host.reset();
        }
    }

    pub(crate) fn owner_died(&mut self, owner: PidId) {
        let Some(host) = &mut self.host else { return };
        let (first, last) = (RefId { owner, n: 0 }, RefId { owner, n: u32::MAX });
        for (_, file) in self.known.range_mut(first..=last) {
            if let Some(file) = file.take() {
                // Nobody is left who could be told about an error.
                host.close(file).unwrap_or_default();
            }
        }
    }
}

fn files(w: &mut World) -> Result<&mut AnyFiles, Fault> {
    match &mut w.files.host {
        Some(host) => Ok(host.as_mut()),
        None => Err(Stop::Unsupported { what: "files".to_owned() }.into()),
    }
}

/// Returns the directory that relative paths are relative to, if it is UTF-8.
pub(crate) fn current_dir(w: &mut World) -> Option<String> {
    String::from_utf8(w.files.host.as_mut()?.current_dir().ok()?).ok()
}

pub(super) fn is_dir(w: &mut World, path: &str) -> bool {
    let host = w.files.host.as_mut();
    let info = host.and_then(|it| it.info(path.as_bytes(), Links::Follow).ok());
    info.is_some_and(|it| it.kind == FileKind::Directory)
}

/// Reads a whole file for the machine itself.
pub(crate) fn contents(w: &mut World, path: &str) -> Option<Vec<u8>> {
    let host = w.files.host.as_mut()?;
    let file = host.open(path.as_bytes(), OpenModes { read: true, ..OpenModes::default() }).ok()?;
    let bytes = host.read(file, w.limits.memory_bytes);
    host.close(file).ok()?;
    bytes.ok()
}

// Open files

fn open(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let modes = arg(args, 1);
    if !modes.is_cons() && !modes.is_nil() {
        return Err(Fault::BADARG);
    }
    let modes = modes_of(w, modes);
    let Some(path) = path(w, arg(args, 0)) else { return Ok(failed(w, Errno::EINVAL)) };
    match files(w)?.open(&path, modes) {
        Ok(file) => {
            if modes.write {
                // The file may become a module that was missing before.
                w.missing.clear();
            }
            let id = w.run.handles.make(w.run.current, HandleKind::Other);
            w.files.known.insert(id, Some(file));
            Ok(ok(w, Value::reference(id)))
        }
        Err(errno) => Ok(failed(w, errno)),
    }
}

fn modes_of(w: &World, list: Value) -> OpenModes {
    let mut res = OpenModes::default();
    for mode in w.heap.list_parts(list).0 {
        match mode.as_atom().map(|it| w.atoms.name(it)) {
            Some("read") => res.read = true,
            Some("write") => res.write = true,
            Some("append") => res.append = true,
            Some("exclusive") => res.exclusive = true,
            Some("sync") => res.sync = true,
            Some("directory") => res.directory = true,
            Some("skip_type_check") => res.any_type = true,
            // OTP's Erlang code handles the other modes.
            _ => (),
        }
    }
    if res.append || res.exclusive {
        res.write = true;
    } else if !res.write {
        res.read = true;
    }
    res
}

fn close(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let slot = arg(args, 0).as_ref().and_then(|it| w.files.known.get_mut(&it));
    let Some(file) = slot.ok_or(Fault::BADARG)?.take() else {
        return Ok(failed(w, Errno::EINVAL));
    };
    let closed = files(w)?.close(file);
    Ok(answer(w, closed))
}

fn read(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let Some(n) = size(arg(args, 1))? else { return if_open(w, args, Errno::EINVAL) };
    read_block(w, args, n, Files::read)
}

fn read_at(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let (offset, n) = (size(arg(args, 1))?, size(arg(args, 2))?);
    let (Some(offset), Some(n)) = (offset, n) else { return if_open(w, args, Errno::EINVAL) };
    read_block(w, args, n, |files, file, n| files.read_at(file, offset, n))
}

/// Larger than the memory of any machine; BEAM fails to allocate it.
const TOO_LARGE: u64 = 1 << 40;

fn read_block(
    w: &mut World,
    args: &[Value],
    n: u64,
    read: impl FnOnce(&mut AnyFiles, FileId, usize) -> Result<Vec<u8>, Errno>,
) -> Result<Value, Fault> {
    let Some(file) = file_of(w, args)? else { return Ok(failed(w, Errno::EINVAL)) };
    if n >= TOO_LARGE {
        return Ok(failed(w, Errno("enomem")));
    }
    let room = w.limits.memory_bytes.saturating_sub(w.heap.bytes_used());
    let n = usize::try_from(n).unwrap_or(usize::MAX).min(room + 1);
    match read(files(w)?, file, n) {
        Ok(bytes) if bytes.len() > room => Err(Stop::OutOfMemory.into()),
        Ok(bytes) if bytes.is_empty() => Ok(atom(w, "eof")),
        bytes => Ok(answer(w, bytes)),
    }
}

fn write(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let bytes = iolist::bytes(w, arg(args, 1))?;
    with_file(w, args, |files, file, _| files.write(file, &bytes))
}

fn write_at(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let offset = size(arg(args, 1))?;
    let bytes = iolist::bytes(w, arg(args, 2))?;
    let Some(offset) = offset else { return if_open(w, args, Errno::EINVAL) };
    with_file(w, args, |files, file, _| files.write_at(file, offset, &bytes))
}

fn seek(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let offset = arg(args, 2).as_int().ok_or(Fault::BADARG)?;
    let origin = match arg(args, 1).as_atom().map(|it| w.atoms.name(it)) {
        Some("bof") => Origin::Begin,
        Some("cur") => Origin::Current,
        Some("eof") => Origin::End,
        _ => return Err(Fault::BADARG),
    };
    with_file(w, args, |files, file, _| files.seek(file, origin, offset))
}

fn sync(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let what = match arg(args, 1).as_int().ok_or(Fault::BADARG)? {
        0 => Sync::Everything,
        _ => Sync::DataOnly,
    };
    with_file(w, args, |files, file, _| files.sync(file, what))
}

fn allocate(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let (Some(offset), Some(len)) = (size(arg(args, 1))?, size(arg(args, 2))?) else {
        return if_open(w, args, Errno::EINVAL);
    };
    with_file(w, args, |files, file, _| files.allocate(file, offset, len))
}

fn advise(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let (Some(offset), Some(len)) = (size(arg(args, 1))?, size(arg(args, 2))?) else {
        return if_open(w, args, Errno::EINVAL);
    };
    let advice = match arg(args, 3).as_atom().map(|it| w.atoms.name(it)) {
        Some("normal") => Advice::Normal,
        Some("random") => Advice::Random,
        Some("sequential") => Advice::Sequential,
        Some("will_need") => Advice::WillNeed,
        Some("dont_need") => Advice::DontNeed,
        Some("no_reuse") => Advice::NoReuse,
        _ => return if_open(w, args, Errno::EINVAL),
    };
    with_file(w, args, |files, file, _| files.advise(file, offset, len, advice))
}

fn handle_info(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let Some(file) = file_of(w, args)? else { return Ok(failed(w, Errno::EINVAL)) };
    match files(w)?.info_of(file) {
        Ok(info) => Ok(info_record(w, info)),
        Err(errno) => Ok(failed(w, errno)),
    }
}

fn descriptor(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let Some(file) = file_of(w, args)? else { return Ok(failed(w, Errno::EINVAL)) };
    match files(w)?.descriptor(file) {
        Ok(number) => Ok(w.heap.binary(&number.to_ne_bytes())),
        Err(errno) => Ok(failed(w, errno)),
    }
}

/// Reads a size and an offset of 32 bits each, then that many bytes at that offset.
fn read_indirectly(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let (offset, most) = (size(arg(args, 1))?, size(arg(args, 2))?);
    let Some(file) = file_of(w, args)? else { return Ok(failed(w, Errno::EINVAL)) };
    let (Some(offset), Some(most)) = (offset, most.filter(|it| *it < 1 << 31)) else {
        return Ok(failed(w, Errno::EINVAL));
    };
    let pointer = match files(w)?.read_at(file, offset, 8) {
        Ok(bytes) => bytes,
        Err(errno) => return Ok(failed(w, errno)),
    };
    let [a, b, c, d, e, f, g, h] = *pointer.as_slice() else { return Ok(atom(w, "eof")) };
    let (n, at) = (u32::from_be_bytes([a, b, c, d]), u32::from_be_bytes([e, f, g, h]));
    let room = w.limits.memory_bytes.saturating_sub(w.heap.bytes_used());
    if u64::from(n) > most {
        return Ok(atom(w, "eof"));
    }
    let n_bytes = usize::try_from(n).unwrap_or(usize::MAX);
    if n_bytes > room {
        return Err(Stop::OutOfMemory.into());
    }
    let data = match files(w)?.read_at(file, u64::from(at), n_bytes) {
        Ok(bytes) if bytes.is_empty() => atom(w, "eof"),
        Ok(bytes) => w.heap.binary(&bytes),
        Err(errno) => return Ok(failed(w, errno)),
    };
    let parts = w.heap.tuple(&[Value::int(i64::from(n)), Value::int(i64::from(at)), data]);
    Ok(ok(w, parts))
}

/// Returns the file of the first argument; `None` if it was closed.
fn file_of(w: &World, args: &[Value]) -> Result<Option<FileId>, Fault> {
    let found = arg(args, 0).as_ref().and_then(|it| w.files.known.get(&it));
    found.copied().ok_or(Fault::BADARG)
}

fn with_file<T: ToValue>(
    w: &mut World,
    args: &[Value],
    work: impl FnOnce(&mut AnyFiles, FileId, &[Value]) -> Result<T, Errno>,
) -> Result<Value, Fault> {
    let Some(file) = file_of(w, args)? else { return Ok(failed(w, Errno::EINVAL)) };
    let done = work(files(w)?, file, args);
    Ok(answer(w, done))
}

/// Returns an error about other arguments, which BEAM reports only if the file is valid.
fn if_open(w: &mut World, args: &[Value], errno: Errno) -> Result<Value, Fault> {
    file_of(w, args)?;
    Ok(failed(w, errno))
}

/// Reads a size. An integer that is no size gives `None`, an error of the operating system; a term that is no number is
/// `badarg`.
fn size(value: Value) -> Result<Option<u64>, Fault> {
    if !value.is_number() {
        return Err(Fault::BADARG);
    }
    Ok(value.as_int().and_then(|it| u64::try_from(it).ok()))
}

// Files by name

fn read_file(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let Some(path) = path(w, arg(args, 0)) else { return Ok(failed(w, Errno::EINVAL)) };
    let room = w.limits.memory_bytes.saturating_sub(w.heap.bytes_used());
    let files = files(w)?;
    let bytes =
        files.open(&path, OpenModes { read: true, ..OpenModes::default() }).and_then(|file| {
            let bytes = files.read(file, room + 1);
            files.close(file)?;
            bytes
        });
    match bytes {
        Ok(bytes) if bytes.len() > room => Err(Stop::OutOfMemory.into()),
        bytes => Ok(answer(w, bytes)),
    }
}

fn info(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let links = match arg(args, 1).as_int().ok_or(Fault::BADARG)? {
        0 => Links::Keep,
        _ => Links::Follow,
    };
    let Some(path) = path(w, arg(args, 0)) else { return Ok(failed(w, Errno::EINVAL)) };
    match files(w)?.info(&path, links) {
        Ok(info) => Ok(info_record(w, info)),
        Err(errno) => Ok(failed(w, errno)),
    }
}

/// Makes a `#file_info{}` record.
fn info_record(w: &mut World, info: FileInfo) -> Value {
    let kind = match info.kind {
        FileKind::Device => "device",
        FileKind::Directory => "directory",
        FileKind::Regular => "regular",
        FileKind::Link => "symlink",
        FileKind::Other => "other",
    };
    let access = match (info.readable, info.writable) {
        (true, false) => "read",
        (false, true) => "write",
        (true, true) => "read_write",
        (false, false) => "none",
    };
    // BEAM truncates these numbers to 32 bits.
    let word = |it: u64| Value::int((it & u64::from(u32::MAX)).cast_signed());
    let fields = [
        atom(w, "file_info"),
        w.heap.integer(info.size.into()),
        atom(w, kind),
        atom(w, access),
        Value::int(info.accessed),
        Value::int(info.modified),
        Value::int(info.changed),
        Value::int(i64::from(info.mode)),
        word(info.links),
        word(info.device),
        word(info.special_device),
        word(info.inode),
        Value::int(i64::from(info.user)),
        Value::int(i64::from(info.group)),
    ];
    w.heap.tuple(&fields)
}

fn set_permissions(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let mode = arg(args, 1).as_int().and_then(|it| u32::try_from(it).ok());
    let mode = mode.ok_or(Fault::BADARG)?;
    with_path(w, args, |files, path| files.set_permissions(path, mode))
}

fn set_owner(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let id = |it: Value| it.as_int().and_then(|it| i32::try_from(it).ok()).ok_or(Fault::BADARG);
    let (user, group) = (id(arg(args, 1))?, id(arg(args, 2))?);
    // -1 leaves the user or group unchanged.
    let known = |it: i32| (it != -1).then_some(it.cast_unsigned());
    with_path(w, args, |files, path| files.set_owner(path, known(user), known(group)))
}

fn set_time(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let time = |n: usize| arg(args, n).as_int().ok_or(Fault::BADARG);
    let (accessed, modified, _created) = (time(1)?, time(2)?, time(3)?);
    with_path(w, args, |files, path| files.set_times(path, accessed, modified))
}

fn list_dir(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let Some(path) = path(w, arg(args, 0)) else { return Ok(failed(w, Errno::EINVAL)) };
    match files(w)?.list_dir(&path) {
        Ok(names) => {
            // In reverse order, because OTP's Erlang code reverses the list.
            let names: Vec<Value> = names.iter().rev().map(|it| w.heap.binary(it)).collect();
            let names = w.heap.list(&names);
            Ok(ok(w, names))
        }
        Err(errno) => Ok(failed(w, errno)),
    }
}

fn with_path<T: ToValue>(
    w: &mut World,
    args: &[Value],
    work: impl FnOnce(&mut AnyFiles, &[u8]) -> Result<T, Errno>,
) -> Result<Value, Fault> {
    let Some(path) = path(w, arg(args, 0)) else { return Ok(failed(w, Errno::EINVAL)) };
    let done = work(files(w)?, &path);
    Ok(answer(w, done))
}

fn with_paths(
    w: &mut World,
    args: &[Value],
    work: impl FnOnce(&mut AnyFiles, &[u8], &[u8]) -> Result<(), Errno>,
) -> Result<Value, Fault> {
    let (from, to) = (path(w, arg(args, 0)), path(w, arg(args, 1)));
    let (Some(from), Some(to)) = (from, to) else { return Ok(failed(w, Errno::EINVAL)) };
    w.missing.clear();
    let done = work(files(w)?, &from, &to);
    Ok(answer(w, done))
}

/// Reads a path: the bytes before the terminating zeros, or `None` if there is no zero or anything follows it.
fn path(w: &World, value: Value) -> Option<Vec<u8>> {
    let mut bytes = w.heap.as_binary_bytes(value)?.into_owned();
    let end = bytes.iter().position(|it| *it == 0)?;
    let is_clean = bytes.iter().skip(end).all(|it| *it == 0);
    bytes.truncate(end);
    is_clean.then_some(bytes)
}

// Answers

trait ToValue {
    /// Makes the value that the function returns for this result.
    fn answer(self, w: &mut World) -> Value;
}

impl ToValue for () {
    fn answer(self, _: &mut World) -> Value {
        Value::atom(AtomId::OK)
    }
}

impl ToValue for Vec<u8> {
    fn answer(self, w: &mut World) -> Value {
        let bytes = w.heap.binary(&self);
        ok(w, bytes)
    }
}

impl ToValue for u64 {
    fn answer(self, w: &mut World) -> Value {
        let number = w.heap.integer(self.into());
        ok(w, number)
    }
}

fn answer<T: ToValue>(w: &mut World, done: Result<T, Errno>) -> Value {
    match done {
        Ok(result) => result.answer(w),
        Err(errno) => failed(w, errno),
    }
}

fn ok(w: &mut World, value: Value) -> Value {
    w.heap.tuple(&[Value::atom(AtomId::OK), value])
}

fn failed(w: &mut World, errno: Errno) -> Value {
    let reason = atom(w, errno.0);
    w.heap.tuple(&[Value::atom(AtomId::ERROR), reason])
}
