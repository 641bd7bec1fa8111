//! Checksums of iolists: CRC-32, Adler-32 and MD5.

use crate::builtins::arithmetic::arg;
use crate::builtins::iolist::{bytes, walk};
use crate::builtins::md5::Md5;
use crate::builtins::{Builtin, Fault, pure};
use crate::machine::World;
use values::Value;

pub(super) const ROWS: &[Builtin] = &[
    pure("erlang", "crc32", 1, |w, args| Ok(word(crc32(0, &bytes(w, arg(args, 0))?)))),
    pure("erlang", "crc32", 2, |w, args| {
        let start = sum(arg(args, 0))?;
        Ok(word(crc32(start, &bytes(w, arg(args, 1))?)))
    }),
    pure("erlang", "crc32_combine", 3, |_, args| combine(args, crc32_combine)),
    pure("erlang", "adler32", 1, |w, args| Ok(word(adler32(1, &bytes(w, arg(args, 0))?)))),
    pure("erlang", "adler32", 2, |w, args| {
        let start = sum(arg(args, 0))?;
        let bytes = bytes(w, arg(args, 1))?;
        let is_nothing = bytes.is_empty() && !has_pieces(w, arg(args, 1));
        Ok(word(if is_nothing { start } else { adler32(start, &bytes) }))
    }),
    pure("erlang", "adler32_combine", 3, |_, args| combine(args, adler32_combine)),
    pure("erlang", "md5", 1, |w, args| {
        let mut state = Md5::default();
        state.update(&bytes(w, arg(args, 0))?);
        Ok(w.heap.binary(&state.digest()))
    }),
    pure("erlang", "md5_init", 0, |w, _| Ok(w.heap.binary(&Md5::default().to_bytes()))),
    pure("erlang", "md5_update", 2, |w, args| {
        let mut state = md5_state(w, arg(args, 0))?;
        state.update(&bytes(w, arg(args, 1))?);
        Ok(w.heap.binary(&state.to_bytes()))
    }),
    pure("erlang", "md5_final", 1, |w, args| {
        let state = md5_state(w, arg(args, 0))?;
        Ok(w.heap.binary(&state.digest()))
    }),
];

fn md5_state(w: &World, value: Value) -> Result<Md5, Fault> {
    let bytes = w.heap.as_binary_bytes(value).ok_or(Fault::BADARG)?;
    Md5::from_bytes(&bytes).ok_or(Fault::BADARG)
}

fn sum(value: Value) -> Result<u32, Fault> {
    value.as_int().and_then(|it| u32::try_from(it).ok()).ok_or(Fault::BADARG)
}

fn word(sum: u32) -> Value {
    Value::int(i64::from(sum))
}

fn combine(args: &[Value], of: fn(u32, u32, u32) -> u32) -> Result<Value, Fault> {
    Ok(word(of(sum(arg(args, 0))?, sum(arg(args, 1))?, sum(arg(args, 2))?)))
}

/// Whether an iolist has any binary or byte. Adler-32 of an empty binary brings an out-of-range start into range; that
/// of an empty list does not.
fn has_pieces(w: &World, value: Value) -> bool {
    let mut res = false;
    let walked = walk(&w.heap, value, |_| {
        res = true;
        Ok(())
    });
    res && walked.is_ok()
}

/// The polynomial of IEEE 802.3, bits reversed.
const CRC_POLYNOMIAL: u32 = 0xedb8_8320;

pub(super) fn crc32(start: u32, bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!start, |crc, byte| {
        let place = (crc ^ u32::from(*byte)) & 0xff;
        crc >> 8 ^ CRC_TABLE.get(place as usize).copied().unwrap_or(0)
    })
}

static CRC_TABLE: [u32; 256] = crc_table();

#[expect(clippy::indexing_slicing, reason = "computed while compiling")]
const fn crc_table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut n = 0;
    while n < 256 {
        table[n as usize] = divided_by_x(n, 8);
        n += 1;
    }
    table
}

/// Does `times` steps of the polynomial division by [`CRC_POLYNOMIAL`].
const fn divided_by_x(polynomial: u32, times: u32) -> u32 {
    let mut res = polynomial;
    let mut n = 0;
    while n < times {
        res = if res & 1 == 1 { res >> 1 ^ CRC_POLYNOMIAL } else { res >> 1 };
        n += 1;
    }
    res
}

/// Returns the CRC of two texts one after the other, the second of `len` bytes: the first CRC times x^(8·len), plus the
/// second.
fn crc32_combine(first: u32, second: u32, len: u32) -> u32 {
    let mut res = first;
    // x^8, then its repeated squares. The highest bit stands for x^0.
    let mut power = divided_by_x(1 << 31, 8);
    let mut rest = len;
    while rest > 0 {
        if rest & 1 == 1 {
            res = crc_multiply(res, power);
        }
        power = crc_multiply(power, power);
        rest >>= 1;
    }
    res ^ second
}

fn crc_multiply(left: u32, right: u32) -> u32 {
    let mut res = 0;
    let mut shifted = right;
    for bit in (0..32).rev() {
        if left >> bit & 1 == 1 {
            res ^= shifted;
        }
        shifted = divided_by_x(shifted, 1);
    }
    res
}

const ADLER_BASE: u32 = 65_521;

pub(super) fn adler32(start: u32, bytes: &[u8]) -> u32 {
    /// The number of bytes after which the sums must be reduced before they overflow.
    const STRETCH: usize = 5_552;
    let (mut a, mut b) = ((start & 0xffff) % ADLER_BASE, (start >> 16) % ADLER_BASE);
    for part in bytes.chunks(STRETCH) {
        for byte in part {
            a += u32::from(*byte);
            b += a;
        }
        a %= ADLER_BASE;
        b %= ADLER_BASE;
    }
    b << 16 | a
}

/// Combines as zlib does, also for sums that are out of range.
fn adler32_combine(first: u32, second: u32, len: u32) -> u32 {
    if len == 0 {
        return first;
    }
    let rem = len % ADLER_BASE;
    let mut a = first & 0xffff;
    let mut b = rem.wrapping_mul(a) % ADLER_BASE;
    a += (second & 0xffff) + ADLER_BASE - 1;
    b += (first >> 16) + (second >> 16) + ADLER_BASE - rem;
    for _ in 0..2 {
        if a >= ADLER_BASE {
            a -= ADLER_BASE;
        }
    }
    if b >= ADLER_BASE << 1 {
        b -= ADLER_BASE << 1;
    }
    if b >= ADLER_BASE {
        b -= ADLER_BASE;
    }
    a | b << 16
}
