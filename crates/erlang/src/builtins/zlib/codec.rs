//! Compresses and decompresses in steps: raw deflate data, or data in the zlib or gzip format.
//!
//! Headers, trailers and dictionaries are handled here, because the compression library is used for raw data only.
//! Knows only bytes, no values of the machine.

use crate::builtins::checksum::{adler32, crc32};
use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};
use std::collections::VecDeque;

/// An error: invalid compressed data, or a call in the wrong state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CodecError;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flush {
    None,
    Sync,
    Full,
    Finish,
}

/// The format around the compressed data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Raw,
    Zlib,
    Gzip,
    /// zlib or gzip, detected by the first byte.
    Either,
}

impl Format {
    /// Returns the format that zlib's window bits encode; `None` if they are invalid.
    pub(super) fn for_deflate(bits: i64) -> Option<Format> {
        match bits {
            -15..=-8 => Some(Format::Raw),
            8..=15 => Some(Format::Zlib),
            24..=31 => Some(Format::Gzip),
            _ => None,
        }
    }

    pub(super) fn for_inflate(bits: i64) -> Option<Format> {
        if let 40..=47 = bits { Some(Format::Either) } else { Format::for_deflate(bits) }
    }
}

/// The maximum distance in bytes that compressed data can refer back.
const WINDOW: usize = 1 << 15;

pub(super) struct Deflate {
    compressor: Compress,
    format: Format,
    level: i64,
    /// The bytes to output before those of the compressor: the header.
    pending: Vec<u8>,
    dictionary: Option<u32>,
    has_begun: bool,
    is_finished: bool,
    /// Checksums and length of the input, for the trailer.
    crc: u32,
    adler: u32,
    n_in: u32,
}

impl std::fmt::Debug for Deflate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Deflate").field("format", &self.format).finish_non_exhaustive()
    }
}

impl Deflate {
    pub(super) fn new(format: Format, level: i64) -> Deflate {
        Deflate {
            compressor: compressor(level),
            format,
            level,
            pending: Vec::new(),
            dictionary: None,
            has_begun: false,
            is_finished: false,
            crc: 0,
            adler: 1,
            n_in: 0,
        }
    }

    pub(super) fn reset(&mut self) {
        *self = Deflate::new(self.format, self.level);
    }

    /// Returns the CRC of raw input. For the other formats it is 0, because their trailer has the checksum.
    pub(super) fn crc(&self) -> u32 {
        if self.format == Format::Raw { self.crc } else { 0 }
    }

    /// Whether data was begun and not finished.
    pub(super) fn is_midway(&self) -> bool {
        self.has_begun && !self.is_finished
    }

    /// Sets a dictionary by compressing it and dropping the output; the reader must have the same dictionary. Returns
    /// its checksum.
    pub(super) fn set_dictionary(&mut self, bytes: &[u8]) -> Result<u32, CodecError> {
        let is_late = self.has_begun && self.format != Format::Raw;
        if is_late || self.format == Format::Gzip {
            return Err(CodecError);
        }
        let checksum = adler32(1, bytes);
        self.dictionary = Some(checksum);
        let known = bytes.get(bytes.len().saturating_sub(WINDOW)..).unwrap_or_default();
        let mut dropped = Vec::with_capacity(known.len() * 2 + 1024);
        let done = self.compressor.compress_vec(known, &mut dropped, FlushCompress::Sync);
        done.map_err(|_| CodecError)?;
        // Raw data has no field for the checksum, and BEAM then starts the sum at 0 instead of 1.
        Ok(if self.format == Format::Raw { adler32(0, bytes) } else { checksum })
    }

    /// Compresses some input. Also returns whether all requested output has been returned.
    pub(super) fn step(
        &mut self,
        input: &mut VecDeque<u8>,
        n_in: usize,
        n_out: usize,
        flush: Flush,
    ) -> Result<(Vec<u8>, bool), CodecError> {
        self.begin();
        let mut output = Vec::with_capacity(n_out + self.pending.len());
        output.append(&mut self.pending);
        let bytes: Vec<u8> = input.iter().take(n_in).copied().collect();
        let before = self.compressor.total_in();
        if !bytes.is_empty() {
            self.compressor
                .compress_vec(&bytes, &mut output, FlushCompress::None)
                .map_err(|_| CodecError)?;
        }
        let used = usize::try_from(self.compressor.total_in() - before).unwrap_or(bytes.len());
        let taken = bytes.get(..used).unwrap_or_default();
        self.crc = crc32(self.crc, taken);
        self.adler = adler32(self.adler, taken);
        self.n_in = self.n_in.wrapping_add(u32::try_from(used).unwrap_or(0));
        input.drain(..used);
        let has_room = |it: &Vec<u8>| it.len() < it.capacity();
        if input.is_empty() && has_room(&output) && !self.is_finished {
            let flush = match flush {
                Flush::None => FlushCompress::None,
                Flush::Sync => FlushCompress::Sync,
                Flush::Full => FlushCompress::Full,
                Flush::Finish => FlushCompress::Finish,
            };
            let done =
                self.compressor.compress_vec(&[], &mut output, flush).map_err(|_| CodecError)?;
            if done == Status::StreamEnd {
                self.is_finished = true;
                let trailer = self.trailer();
                output.extend(trailer);
                return Ok((output, true));
            }
        }
        let is_done = input.is_empty() && has_room(&output);
        Ok((output, is_done))
    }

    fn begin(&mut self) {
        if std::mem::replace(&mut self.has_begun, true) {
            return;
        }
        match self.format {
            Format::Raw => (),
            Format::Zlib | Format::Either => {
                let speed: u8 = match self.level {
                    0 | 1 => 0,
                    2..=5 => 1,
                    -1 | 6 => 2,
                    _ => 3,
                };
                let flags = speed << 6 | u8::from(self.dictionary.is_some()) << 5;
                let rest = (0x7800 | u16::from(flags)) % 31;
                let check = u8::try_from(31 - rest).unwrap_or(0);
                self.pending = vec![0x78, flags + check];
                if let Some(checksum) = self.dictionary {
                    self.pending.extend(checksum.to_be_bytes());
                }
            }
            Format::Gzip => {
                let speed = match self.level {
                    9 => 2,
                    0 | 1 => 4,
                    _ => 0,
                };
                self.pending = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, speed, 3];
            }
        }
    }

    fn trailer(&self) -> Vec<u8> {
        match self.format {
            Format::Raw => Vec::new(),
            Format::Zlib | Format::Either => self.adler.to_be_bytes().to_vec(),
            Format::Gzip => [self.crc.to_le_bytes(), self.n_in.to_le_bytes()].concat(),
        }
    }
}

fn compressor(level: i64) -> Compress {
    let level = u32::try_from(level).map_or_else(|_| Compression::default(), Compression::new);
    Compress::new(level, false)
}

pub(super) struct Inflate {
    decompressor: Decompress,
    format: Format,
    /// The format of the current data, once its header is read.
    found: Format,
    phase: Phase,
    /// Checksums and length of the output, to compare with the trailer.
    crc: u32,
    adler: u32,
    n_out: u32,
    raw_crc: u32,
    /// The last bytes of the output, at most `WINDOW`.
    window: Vec<u8>,
}

/// The part of the format that the next byte of input belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Phase {
    Header(Vec<u8>),
    AwaitsDictionary(u32),
    Body,
    Trailer(Vec<u8>),
    End,
}

pub(super) enum Inflated {
    Bytes { output: Vec<u8>, is_done: bool },
    NeedsDictionary { checksum: u32, output: Vec<u8> },
}

/// Why a dictionary was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DictionaryError {
    Unasked,
    Other,
}

impl std::fmt::Debug for Inflate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Inflate").field("phase", &self.phase).finish_non_exhaustive()
    }
}

impl Inflate {
    pub(super) fn new(format: Format) -> Inflate {
        let phase = match format {
            Format::Raw => Phase::Body,
            Format::Zlib | Format::Gzip | Format::Either => Phase::Header(Vec::new()),
        };
        Inflate {
            decompressor: Decompress::new(false),
            format,
            found: format,
            phase,
            crc: 0,
            adler: 1,
            n_out: 0,
            raw_crc: 0,
            window: Vec::new(),
        }
    }

    /// Prepares for the next data in the same stream.
    pub(super) fn reset(&mut self) {
        let raw_crc = self.raw_crc;
        *self = Inflate { raw_crc, ..Inflate::new(self.format) };
    }

    pub(super) fn forget_crc(&mut self) {
        self.raw_crc = 0;
    }

    /// Returns the CRC of the output of raw data.
    pub(super) fn raw_crc(&self) -> u32 {
        self.raw_crc
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.phase == Phase::End
    }

    pub(super) fn window(&self) -> &[u8] {
        &self.window
    }

    pub(super) fn set_dictionary(&mut self, bytes: &[u8]) -> Result<(), DictionaryError> {
        match self.phase {
            Phase::AwaitsDictionary(checksum) if checksum != adler32(1, bytes) => {
                return Err(DictionaryError::Other);
            }
            Phase::AwaitsDictionary(_) => self.phase = Phase::Body,
            Phase::Body if self.format == Format::Raw => (),
            Phase::Header(_) | Phase::Body | Phase::Trailer(_) | Phase::End => {
                return Err(DictionaryError::Unasked);
            }
        }
        let known = bytes.get(bytes.len().saturating_sub(WINDOW)..).unwrap_or_default();
        // The dictionary is fed as an uncompressed block, and the output is dropped.
        for part in known.chunks(usize::from(u16::MAX)) {
            let len = u16::try_from(part.len()).unwrap_or(u16::MAX);
            let mut block = vec![0];
            block.extend(len.to_le_bytes());
            block.extend((!len).to_le_bytes());
            block.extend(part);
            let mut dropped = Vec::with_capacity(part.len() + 1);
            let done =
                self.decompressor.decompress_vec(&block, &mut dropped, FlushDecompress::Sync);
            done.map_err(|_| DictionaryError::Other)?;
        }
        Ok(())
    }

    /// Decompresses some input.
    pub(super) fn step(
        &mut self,
        input: &mut VecDeque<u8>,
        n_in: usize,
        n_out: usize,
    ) -> Result<Inflated, CodecError> {
        let n_before = input.len();
        let mut output = Vec::with_capacity(n_out);
        loop {
            match &mut self.phase {
                Phase::Header(bytes) => {
                    let Some(byte) = input.pop_front() else { break };
                    bytes.push(byte);
                    if let Some(next) = after_header(self.format, bytes)? {
                        let is_gzip = bytes.first() == Some(&0x1f);
                        self.found = if is_gzip { Format::Gzip } else { Format::Zlib };
                        self.phase = next;
                    }
                }
                Phase::AwaitsDictionary(checksum) => {
                    let checksum = *checksum;
                    return Ok(Inflated::NeedsDictionary { checksum, output });
                }
                Phase::Body => {
                    if self.body(input, n_in, &mut output)? {
                        break;
                    }
                }
                Phase::Trailer(bytes) => {
                    let n_bytes = if self.found == Format::Zlib { 4 } else { 8 };
                    if bytes.len() == n_bytes {
                        let is_right = if self.found == Format::Zlib {
                            **bytes == self.adler.to_be_bytes()
                        } else {
                            *bytes == [self.crc.to_le_bytes(), self.n_out.to_le_bytes()].concat()
                        };
                        if !is_right {
                            return Err(CodecError);
                        }
                        self.phase = Phase::End;
                        break;
                    }
                    let Some(byte) = input.pop_front() else { break };
                    bytes.push(byte);
                }
                Phase::End => break,
            }
        }
        if n_before == input.len() && output.is_empty() && !input.is_empty() {
            return Err(CodecError);
        }
        let is_done = input.is_empty() && output.len() < n_out;
        Ok(Inflated::Bytes { output, is_done })
    }

    /// Decompresses the data between header and trailer. Returns whether this step is finished.
    fn body(
        &mut self,
        input: &mut VecDeque<u8>,
        n_in: usize,
        output: &mut Vec<u8>,
    ) -> Result<bool, CodecError> {
        let bytes: Vec<u8> = input.iter().take(n_in).copied().collect();
        let (before_in, before_out) = (self.decompressor.total_in(), output.len());
        let status = self
            .decompressor
            .decompress_vec(&bytes, output, FlushDecompress::None)
            .map_err(|_| CodecError)?;
        let used = usize::try_from(self.decompressor.total_in() - before_in).unwrap_or(bytes.len());
        input.drain(..used);
        let made = output.get(before_out..).unwrap_or_default();
        self.crc = crc32(self.crc, made);
        self.adler = adler32(self.adler, made);
        self.n_out = self.n_out.wrapping_add(u32::try_from(made.len()).unwrap_or(0));
        if self.format == Format::Raw {
            self.raw_crc = crc32(self.raw_crc, made);
        }
        self.window.extend_from_slice(made);
        let excess = self.window.len().saturating_sub(WINDOW);
        self.window.drain(..excess);
        if status != Status::StreamEnd {
            return Ok(true);
        }
        match self.format {
            Format::Raw => {
                self.phase = Phase::End;
                Ok(true)
            }
            Format::Zlib | Format::Gzip | Format::Either => {
                self.phase = Phase::Trailer(Vec::new());
                Ok(false)
            }
        }
    }
}

/// Returns the phase that follows a header; `None` if the header is incomplete.
fn after_header(format: Format, bytes: &[u8]) -> Result<Option<Phase>, CodecError> {
    match (format, bytes) {
        (Format::Raw, _) => Ok(Some(Phase::Body)),
        (Format::Gzip, [first, ..]) | (Format::Either, [first @ 0x1f, ..]) => {
            if *first != 0x1f {
                Err(CodecError)
            } else {
                after_gzip_header(bytes)
            }
        }
        (Format::Zlib | Format::Either, [method, flags, rest @ ..]) => {
            let word = u16::from_be_bytes([*method, *flags]);
            if method & 0x0f != 8 || method >> 4 > 7 || word % 31 != 0 {
                return Err(CodecError);
            }
            match rest {
                _ if flags & 0x20 == 0 => Ok(Some(Phase::Body)),
                [a, b, c, d] => {
                    Ok(Some(Phase::AwaitsDictionary(u32::from_be_bytes([*a, *b, *c, *d]))))
                }
                _ => Ok(None),
            }
        }
        (Format::Zlib | Format::Gzip | Format::Either, _) => Ok(None),
    }
}

fn after_gzip_header(bytes: &[u8]) -> Result<Option<Phase>, CodecError> {
    if bytes.get(1).is_some_and(|it| *it != 0x8b) || bytes.get(2).is_some_and(|it| *it != 8) {
        return Err(CodecError);
    }
    let Some((fixed, mut rest)) = bytes.split_at_checked(10) else { return Ok(None) };
    let flags = fixed.get(3).copied().unwrap_or(0);
    if flags & 0xe0 != 0 {
        return Err(CodecError);
    }
    if flags & 4 != 0 {
        let Some(([low, high], after)) = rest.split_first_chunk() else { return Ok(None) };
        let len = usize::from(u16::from_le_bytes([*low, *high]));
        let Some((_, after)) = after.split_at_checked(len) else { return Ok(None) };
        rest = after;
    }
    for text in [8, 16] {
        if flags & text != 0 {
            let Some(end) = rest.iter().position(|it| *it == 0) else { return Ok(None) };
            rest = rest.get(end + 1..).unwrap_or_default();
        }
    }
    let checksum = if flags & 2 == 0 { 0 } else { 2 };
    Ok((rest.len() == checksum).then_some(Phase::Body))
}
