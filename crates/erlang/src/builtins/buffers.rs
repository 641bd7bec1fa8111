//! Byte queues that a process writes at one end and reads at the other: OTP's `prim_buffer`.

use crate::builtins::arithmetic::arg;
use crate::builtins::handles::HandleKind;
use crate::builtins::iolist;
use crate::builtins::make::{atom, count};
use crate::builtins::{Builtin, Fault, OnBeam, Shares, inside};
use crate::machine::World;
use std::collections::{BTreeMap, VecDeque};
use values::{AtomId, PidId, RefId, Value};

pub(super) const ROWS: &[Builtin] = &[
    inside("prim_buffer", "new", 0, Shares::Nothing, OnBeam::Alike, new),
    inside("prim_buffer", "size", 1, Shares::Handle, OnBeam::Alike, |w, args| {
        Ok(count(buffer(w, args)?.bytes.len()))
    }),
    inside("prim_buffer", "read", 2, Shares::Handle, OnBeam::Alike, read),
    inside("prim_buffer", "copying_read", 2, Shares::Handle, OnBeam::Alike, read),
    inside("prim_buffer", "read_iovec", 2, Shares::Handle, OnBeam::Alike, |w, args| {
        let bytes = read(w, args)?;
        Ok(w.heap.list(&[bytes]))
    }),
    inside("prim_buffer", "peek_head", 1, Shares::Handle, OnBeam::Alike, |w, args| {
        let bytes: Vec<u8> = buffer(w, args)?.bytes.iter().copied().collect();
        Ok(w.heap.binary(&bytes))
    }),
    inside("prim_buffer", "write", 2, Shares::Handle, OnBeam::Alike, write),
    inside("prim_buffer", "skip", 2, Shares::Handle, OnBeam::Alike, |w, args| {
        take(w, args)?;
        Ok(Value::atom(AtomId::OK))
    }),
    inside("prim_buffer", "wipe", 1, Shares::Handle, OnBeam::Alike, |w, args| {
        buffer(w, args)?.bytes.clear();
        Ok(Value::atom(AtomId::OK))
    }),
    inside("prim_buffer", "find_byte_index", 2, Shares::Handle, OnBeam::Alike, find),
    inside("prim_buffer", "try_lock", 1, Shares::Handle, OnBeam::Alike, |w, args| {
        let was_locked = std::mem::replace(&mut buffer(w, args)?.is_locked, true);
        Ok(atom(w, if was_locked { "busy" } else { "acquired" }))
    }),
    inside("prim_buffer", "unlock", 1, Shares::Handle, OnBeam::Alike, |w, args| {
        let was_locked = std::mem::take(&mut buffer(w, args)?.is_locked);
        if was_locked { Ok(Value::atom(AtomId::OK)) } else { Err(Fault::BADARG) }
    }),
];

#[derive(Debug, Default)]
pub struct Buffers {
    by_ref: BTreeMap<RefId, Buffer>,
}

#[derive(Debug, Default)]
struct Buffer {
    bytes: VecDeque<u8>,
    is_locked: bool,
}

impl Buffers {
    /// Whether the run has made no buffer.
    pub(crate) fn is_unused(&self) -> bool {
        self.by_ref.is_empty()
    }

    /// Removes the buffers of a process that ended, because no other process may use them.
    pub(crate) fn owner_died(&mut self, owner: PidId) {
        let of_owner = RefId { owner, n: 0 }..=RefId { owner, n: u32::MAX };
        let gone: Vec<RefId> = self.by_ref.range(of_owner).map(|it| *it.0).collect();
        for id in gone {
            self.by_ref.remove(&id);
        }
    }
}

fn new(w: &mut World, _: &[Value]) -> Result<Value, Fault> {
    let id = w.run.handles.make(w.run.current, HandleKind::Other);
    w.run.buffers.by_ref.insert(id, Buffer::default());
    Ok(Value::reference(id))
}

fn buffer<'a>(w: &'a mut World, args: &[Value]) -> Result<&'a mut Buffer, Fault> {
    arg(args, 0).as_ref().and_then(|it| w.run.buffers.by_ref.get_mut(&it)).ok_or(Fault::BADARG)
}

fn read(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let bytes = take(w, args)?;
    Ok(w.heap.binary(&bytes))
}

/// Removes and returns the number of bytes in the second argument.
fn take(w: &mut World, args: &[Value]) -> Result<Vec<u8>, Fault> {
    let n = arg(args, 1).as_usize().ok_or(Fault::BADARG)?;
    let bytes = &mut buffer(w, args)?.bytes;
    if n > bytes.len() { Err(Fault::BADARG) } else { Ok(bytes.drain(..n).collect()) }
}

fn write(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let bytes = iolist::bytes(w, arg(args, 1))?;
    buffer(w, args)?.bytes.extend(bytes);
    Ok(Value::atom(AtomId::OK))
}

fn find(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let byte = arg(args, 1).as_int().and_then(|it| u8::try_from(it).ok()).ok_or(Fault::BADARG)?;
    let bytes = &buffer(w, args)?.bytes;
    let (front, back) = bytes.as_slices();
    let found = memchr::memchr(byte, front)
        .or_else(|| memchr::memchr(byte, back).map(|it| front.len() + it));
    Ok(match found {
        Some(at) => w.heap.tuple(&[Value::atom(AtomId::OK), count(at)]),
        None => atom(w, "not_found"),
    })
}
