//! Compression streams: the native functions of OTP's `zlib`.
//!
//! Arguments and states are checked as BEAM's native functions do; `codec` compresses. A stream belongs to one
//! process, and only this process may use it.

mod codec;

use crate::builtins::arithmetic::arg;
use crate::builtins::handles::HandleKind;
use crate::builtins::iolist;
use crate::builtins::make::atom;
use crate::builtins::{Builtin, Fault, OnBeam, Shares, Stop, inside};
use crate::machine::World;
use codec::{CodecError, Deflate, Flush, Format, Inflate, Inflated};
use std::collections::{BTreeMap, VecDeque};
use values::{AtomId, PidId, RefId, Value};

pub(super) const ROWS: &[Builtin] = &[
    inside("zlib", "open_nif", 0, Shares::Nothing, OnBeam::Alike, open),
    inside("zlib", "close_nif", 1, Shares::Handle, OnBeam::Alike, close),
    inside("zlib", "set_controller_nif", 2, Shares::Handle, OnBeam::Alike, set_controller),
    inside("zlib", "deflateInit_nif", 6, Shares::Handle, OnBeam::Alike, deflate_init),
    inside(
        "zlib",
        "deflateSetDictionary_nif",
        2,
        Shares::Handle,
        OnBeam::Alike,
        deflate_dictionary,
    ),
    inside("zlib", "deflateReset_nif", 1, Shares::Handle, OnBeam::Alike, deflate_reset),
    inside("zlib", "deflateParams_nif", 3, Shares::Handle, OnBeam::Alike, deflate_params),
    inside("zlib", "deflateEnd_nif", 1, Shares::Handle, OnBeam::Alike, deflate_end),
    inside("zlib", "deflate_nif", 4, Shares::Handle, OnBeam::Alike, deflate),
    inside("zlib", "inflateInit_nif", 3, Shares::Handle, OnBeam::Alike, inflate_init),
    inside(
        "zlib",
        "inflateSetDictionary_nif",
        2,
        Shares::Handle,
        OnBeam::Alike,
        inflate_dictionary,
    ),
    inside("zlib", "inflateGetDictionary_nif", 1, Shares::Handle, OnBeam::Alike, window),
    inside("zlib", "inflateReset_nif", 1, Shares::Handle, OnBeam::Alike, inflate_reset),
    inside("zlib", "inflateEnd_nif", 1, Shares::Handle, OnBeam::Alike, inflate_end),
    inside("zlib", "inflate_nif", 4, Shares::Handle, OnBeam::Alike, inflate),
    inside("zlib", "enqueue_nif", 2, Shares::Handle, OnBeam::Alike, enqueue),
    inside("zlib", "crc32_nif", 1, Shares::Handle, OnBeam::Alike, checksum),
    inside("zlib", "getBufSize_nif", 1, Shares::Handle, OnBeam::Alike, |w, args| {
        Ok(Value::int(stream(w, args)?.buffer_size))
    }),
    inside("zlib", "setBufSize_nif", 2, Shares::Handle, OnBeam::Alike, |w, args| {
        let size = arg(args, 1).as_int().ok_or(Fault::BADARG)?;
        stream(w, args)?.buffer_size = size;
        Ok(Value::atom(AtomId::OK))
    }),
    inside("zlib", "getStash_nif", 1, Shares::Handle, OnBeam::Alike, stash),
    inside("zlib", "setStash_nif", 2, Shares::Handle, OnBeam::Alike, set_stash),
    inside("zlib", "clearStash_nif", 1, Shares::Handle, OnBeam::Alike, clear_stash),
];

#[derive(Debug, Default)]
pub struct Streams {
    by_ref: BTreeMap<RefId, Stream>,
}

impl Streams {
    /// Whether the run has opened no stream.
    pub(crate) fn is_unused(&self) -> bool {
        self.by_ref.is_empty()
    }

    pub(crate) fn visit_roots(&mut self, visit: &mut dyn FnMut(&mut [Value])) {
        for stream in self.by_ref.values_mut() {
            visit(stream.stash.as_mut_slice());
        }
    }
}

#[derive(Debug)]
struct Stream {
    controller: PidId,
    state: State,
    input: VecDeque<u8>,
    /// Output that OTP's code keeps for the next call.
    stash: Option<Value>,
    buffer_size: i64,
}

#[derive(Debug)]
enum State {
    Fresh,
    Deflating(Box<Deflate>),
    Inflating(Box<Inflate>, ExcessInput),
    Closed,
}

/// How input after the end of the compressed data is handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ExcessInput {
    Fail,
    Restart,
    Cut,
}

// All streams

fn open(w: &mut World, _: &[Value]) -> Result<Value, Fault> {
    let id = w.run.handles.make(w.run.current, HandleKind::Other);
    let stream = Stream {
        controller: w.run.current,
        state: State::Fresh,
        input: VecDeque::new(),
        stash: None,
        buffer_size: 4000,
    };
    w.run.streams.by_ref.insert(id, stream);
    Ok(Value::reference(id))
}

/// Returns the stream of the first argument, which must belong to the running process.
fn stream<'a>(w: &'a mut World, args: &[Value]) -> Result<&'a mut Stream, Fault> {
    let me = w.run.current;
    let foreign = w.atoms.intern("not_on_controlling_process");
    let found = arg(args, 0).as_ref().and_then(|it| w.run.streams.by_ref.get_mut(&it));
    match found {
        Some(stream) if stream.controller == me => Ok(stream),
        Some(_) => Err(Fault::Error(Value::atom(foreign))),
        None => Err(Fault::BADARG),
    }
}

fn close(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let stream = stream(w, args)?;
    if matches!(stream.state, State::Closed) {
        return Err(raise(w, "not_initialized"));
    }
    stream.state = State::Closed;
    stream.input = VecDeque::new();
    stream.stash = None;
    Ok(Value::atom(AtomId::OK))
}

fn set_controller(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let new = w.local_pid(arg(args, 1))?;
    stream(w, args)?.controller = new;
    Ok(Value::atom(AtomId::OK))
}

fn enqueue(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    if matches!(stream(w, args)?.state, State::Fresh | State::Closed) {
        return Err(raise(w, "not_initialized"));
    }
    let bytes = iolist::bytes(w, arg(args, 1))?;
    stream(w, args)?.input.extend(bytes);
    Ok(Value::atom(AtomId::OK))
}

fn checksum(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    match &stream(w, args)?.state {
        State::Deflating(deflate) => Ok(Value::int(i64::from(deflate.crc()))),
        State::Inflating(inflate, _) => Ok(Value::int(i64::from(inflate.raw_crc()))),
        State::Fresh | State::Closed => Err(raise(w, "not_initialized")),
    }
}

fn stash(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    match stream(w, args)?.stash {
        Some(kept) => Ok(w.heap.tuple(&[Value::atom(AtomId::OK), kept])),
        None => Ok(atom(w, "empty")),
    }
}

fn set_stash(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let stream = stream(w, args)?;
    if stream.stash.is_some() {
        return Err(Fault::Error(Value::atom(AtomId::ERROR)));
    }
    stream.stash = Some(arg(args, 1));
    Ok(Value::atom(AtomId::OK))
}

fn clear_stash(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    match stream(w, args)?.stash.take() {
        Some(_) => Ok(Value::atom(AtomId::OK)),
        None => Err(Fault::Error(Value::atom(AtomId::ERROR))),
    }
}

// Compression

fn deflate_init(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let number = |n: usize| arg(args, n).as_int().ok_or(Fault::BADARG);
    let (level, _method, bits) = (number(1)?, number(2)?, number(3)?);
    let (_memory, _strategy) = (number(4)?, number(5)?);
    let stream = stream(w, args)?;
    if !matches!(stream.state, State::Fresh) {
        return Err(raise(w, "already_initialized"));
    }
    let Some(format) = Format::for_deflate(bits) else { return Err(raise(w, "stream_error")) };
    stream.state = State::Deflating(Box::new(Deflate::new(format, level)));
    Ok(Value::atom(AtomId::OK))
}

fn deflating<'a>(
    w: &'a mut World,
    args: &[Value],
) -> Result<(&'a mut Deflate, &'a mut VecDeque<u8>), Fault> {
    let uninitialized = raise(w, "not_initialized");
    match stream(w, args)? {
        Stream { state: State::Deflating(deflate), input, .. } => Ok((deflate.as_mut(), input)),
        _ => Err(uninitialized),
    }
}

fn deflate_dictionary(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let bytes = iolist::bytes(w, arg(args, 1))?;
    let (deflate, _) = deflating(w, args)?;
    match deflate.set_dictionary(&bytes) {
        Ok(checksum) => Ok(Value::int(i64::from(checksum))),
        Err(CodecError) => Err(raise(w, "stream_error")),
    }
}

fn deflate_reset(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let (deflate, input) = deflating(w, args)?;
    deflate.reset();
    input.clear();
    stream(w, args)?.stash = None;
    Ok(Value::atom(AtomId::OK))
}

/// `zlib:deflateParams`. OTP has flushed the stream before; a new level would change the compressed bytes but not the
/// data, so it is ignored.
fn deflate_params(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    deflating(w, args)?;
    Ok(Value::atom(AtomId::OK))
}

fn deflate_end(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let (deflate, input) = deflating(w, args)?;
    let is_whole = !deflate.is_midway() && input.is_empty();
    finish(w, args, is_whole)
}

fn deflate(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let (n_in, n_out) = (size(arg(args, 1))?, size(arg(args, 2))?);
    let flush = match arg(args, 3).as_int().ok_or(Fault::BADARG)? {
        0 => Flush::None,
        4 => Flush::Finish,
        3 => Flush::Full,
        _ => Flush::Sync,
    };
    let (deflate, input) = deflating(w, args)?;
    let Ok((output, is_done)) = deflate.step(input, n_in, n_out, flush) else {
        return Err(raise(w, "stream_error"));
    };
    Ok(progress(w, &output, is_done))
}

// Decompression

fn inflate_init(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let number = |n: usize| arg(args, n).as_int().ok_or(Fault::BADARG);
    let (bits, at_end) = (number(1)?, number(2)?);
    let stream = stream(w, args)?;
    if !matches!(stream.state, State::Fresh) {
        return Err(raise(w, "already_initialized"));
    }
    let Some(format) = Format::for_inflate(bits) else { return Err(raise(w, "stream_error")) };
    let at_end = match at_end {
        0 => ExcessInput::Fail,
        1 => ExcessInput::Restart,
        _ => ExcessInput::Cut,
    };
    stream.state = State::Inflating(Box::new(Inflate::new(format)), at_end);
    Ok(Value::atom(AtomId::OK))
}

fn inflating<'a>(
    w: &'a mut World,
    args: &[Value],
) -> Result<(&'a mut Inflate, ExcessInput, &'a mut VecDeque<u8>), Fault> {
    let uninitialized = raise(w, "not_initialized");
    match stream(w, args)? {
        Stream { state: State::Inflating(inflate, at_end), input, .. } => {
            Ok((inflate.as_mut(), *at_end, input))
        }
        _ => Err(uninitialized),
    }
}

fn inflate_dictionary(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let bytes = iolist::bytes(w, arg(args, 1))?;
    let (inflate, ..) = inflating(w, args)?;
    match inflate.set_dictionary(&bytes) {
        Ok(()) => Ok(Value::atom(AtomId::OK)),
        Err(codec::DictionaryError::Unasked) => Err(raise(w, "stream_error")),
        Err(codec::DictionaryError::Other) => Err(raise(w, "data_error")),
    }
}

fn window(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let (inflate, ..) = inflating(w, args)?;
    let bytes = inflate.window().to_vec();
    Ok(w.heap.binary(&bytes))
}

fn inflate_reset(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let (inflate, _, input) = inflating(w, args)?;
    inflate.reset();
    inflate.forget_crc();
    input.clear();
    stream(w, args)?.stash = None;
    Ok(Value::atom(AtomId::OK))
}

fn inflate_end(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let (inflate, _, input) = inflating(w, args)?;
    let is_whole = inflate.is_at_end() && input.is_empty();
    finish(w, args, is_whole)
}

fn inflate(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let (n_in, n_out) = (size(arg(args, 1))?, size(arg(args, 2))?);
    let room = w.limits.memory_bytes.saturating_sub(w.heap.bytes_used());
    if n_out > room {
        return Err(Stop::OutOfMemory.into());
    }
    let (inflate, at_end, input) = inflating(w, args)?;
    if inflate.is_at_end() && !input.is_empty() {
        match at_end {
            ExcessInput::Fail => return Err(raise(w, "data_error")),
            ExcessInput::Restart => inflate.reset(),
            ExcessInput::Cut => input.clear(),
        }
    }
    match inflate.step(input, n_in, n_out) {
        Ok(Inflated::Bytes { output, is_done }) => Ok(progress(w, &output, is_done)),
        Ok(Inflated::NeedsDictionary { checksum, output }) => {
            let output = chunks(w, &output);
            let name = atom(w, "need_dictionary");
            // BEAM returns the checksum as a signed 32-bit number.
            let checksum = Value::int(i64::from(checksum.cast_signed()));
            Ok(w.heap.tuple(&[name, checksum, output]))
        }
        Err(CodecError) => Err(raise(w, "data_error")),
    }
}

// Common parts

fn finish(w: &mut World, args: &[Value], is_whole: bool) -> Result<Value, Fault> {
    let stream = stream(w, args)?;
    stream.state = State::Fresh;
    stream.input.clear();
    stream.stash = None;
    if is_whole { Ok(Value::atom(AtomId::OK)) } else { Err(raise(w, "data_error")) }
}

fn progress(w: &mut World, output: &[u8], is_done: bool) -> Value {
    let output = chunks(w, output);
    let state = atom(w, if is_done { "finished" } else { "continue" });
    w.heap.tuple(&[state, output])
}

fn chunks(w: &mut World, output: &[u8]) -> Value {
    if output.is_empty() {
        return Value::NIL;
    }
    let bytes = w.heap.binary(output);
    w.heap.list(&[bytes])
}

fn size(value: Value) -> Result<usize, Fault> {
    value.as_usize().filter(|it| *it > 0).ok_or(Fault::BADARG)
}

fn raise(w: &mut World, reason: &str) -> Fault {
    Fault::Error(atom(w, reason))
}
