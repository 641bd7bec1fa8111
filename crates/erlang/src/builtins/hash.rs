//! The portable hashes: `erlang:phash2` and the older `erlang:phash`.
//!
//! Programs store these numbers, so every one must equal BEAM's. The mixing function is Bob Jenkins's of 1996; its
//! constants and the order in which a term is fed to it are those of `make_hash2` and `make_hash` in OTP's
//! erts/emulator/beam/utils.c.

use crate::builtins::arithmetic::arg;
use crate::builtins::text::as_byte;
use crate::builtins::{Builtin, Fault, pure};
use num_bigint::{BigInt, Sign};
use values::{AtomId, Atoms, FunKind, Heap, Value, View};

pub(super) const ROWS: &[Builtin] = &[
    pure("erlang", "phash2", 1, |w, args| {
        let hash = phash2(&w.heap, &w.atoms, arg(args, 0))?;
        Ok(Value::int(i64::from(hash & ((1 << 27) - 1))))
    }),
    pure("erlang", "phash2", 2, |w, args| {
        let range = range(arg(args, 1))?;
        let hash = phash2(&w.heap, &w.atoms, arg(args, 0))?;
        Ok(Value::int(i64::from(hash) % range))
    }),
    pure("erlang", "phash", 2, |w, args| {
        let range = range(arg(args, 1))?;
        let hash = phash(&w.heap, &w.atoms, arg(args, 0))?;
        Ok(Value::int(1 + i64::from(hash) % range))
    }),
];

fn range(value: Value) -> Result<i64, Fault> {
    value.as_int().filter(|it| (1..=1 << 32).contains(it)).ok_or(Fault::BADARG)
}

/// Returns the hash of an atom's name: `hashpjw` over its characters, in Latin-1 where possible and otherwise in UTF-8.
fn atom_hash(atoms: &Atoms, atom: AtomId) -> u32 {
    let mut bytes = atoms.name(atom).bytes().peekable();
    let mut hash = 0u32;
    while let Some(mut byte) = bytes.next() {
        if byte & 0xfe == 0xc2
            && let Some(low) = bytes.next_if(|it| it & 0xc0 == 0x80)
        {
            byte = byte << 6 | low & 0x3f;
        }
        hash = (hash << 4).wrapping_add(u32::from(byte));
        let high = hash & 0xf000_0000;
        hash ^= high >> 24;
        hash ^= high;
    }
    hash
}

/// Multiplies `n` with the first 32 bits of the golden ratio.
const fn golden(n: u32) -> u32 {
    0x9e37_79b9u32.wrapping_mul(n)
}

/// An entry of the stack of values still to be hashed.
enum HashTask {
    Value(Value),
    /// The end of a pair of a map: pairs are hashed separately and combined by exclusive or, so their order does not
    /// count.
    Pair,
    /// The end of a map, with the hash before it and the combined pairs of the enclosing map.
    Map {
        hash: u32,
        pairs: u32,
    },
}

struct Hash<'a> {
    heap: &'a Heap,
    atoms: &'a Atoms,
    hash: u32,
    pairs: u32,
    rest: Vec<HashTask>,
}

/// Hashes a term. A shared subterm is hashed as often as it occurs, because the hash depends on what precedes it, so a
/// term with much sharing may exceed the run's reductions.
pub(super) fn phash2(heap: &Heap, atoms: &Atoms, value: Value) -> Result<u32, Fault> {
    let mut state = Hash { heap, atoms, hash: 0, pairs: 0, rest: vec![HashTask::Value(value)] };
    while let Some(next) = state.rest.pop() {
        heap.spend_steps(1)?;
        match next {
            HashTask::Value(value) => state.value(value),
            HashTask::Pair => {
                state.pairs ^= state.hash;
                state.hash = 0;
            }
            HashTask::Map { hash, pairs } => {
                state.hash = hash;
                state.mix(state.pairs, 0, 19);
                state.pairs = pairs;
            }
        }
    }
    Ok(state.hash)
}

/// Returns the hash that BEAM uses inside its own maps, for values that are immediate on BEAM.
pub(super) fn internal_hash(value: Value) -> Option<u32> {
    let word = match value.view() {
        View::Int(it) if value.is_small_on_beam() => it.cast_unsigned() << 4 | 0xf,
        View::Nil => 0x3b,
        _ => return None,
    };
    let c = golden(1);
    let mut words = (c.wrapping_add(low(word)), c.wrapping_add(high(word)), 3_432_918_353);
    mix(&mut words);
    Some(words.2)
}

/// Returns the steps to count for processing `n_bits` bits.
fn words(n_bits: u64) -> usize {
    usize::try_from(n_bits / 64).unwrap_or(usize::MAX)
}

impl Hash<'_> {
    fn mix(&mut self, first: u32, second: u32, times: u32) {
        let c = golden(times);
        let mut words = (c.wrapping_add(first), c.wrapping_add(second), self.hash);
        mix(&mut words);
        self.hash = words.2;
    }

    fn value(&mut self, value: Value) {
        match value.view() {
            View::Int(int) => self.int(int),
            View::Big(at) => self.big(self.heap.big(at)),
            View::Float(float) => {
                // 0.0 and -0.0 are equal, so they have the same hash.
                let bits = if float == 0.0 { 0 } else { float.to_bits() };
                self.mix(high(bits), low(bits), 12);
            }
            View::Atom(atom) => match (self.hash, atom_hash(self.atoms, atom)) {
                (0, hash) => self.hash = hash,
                (_, hash) => self.mix(hash, 0, 3),
            },
            View::Nil if self.hash == 0 => self.hash = 3_468_870_702,
            View::Nil => self.mix(2, 0, 2),
            View::Cons(_) => self.list(value),
            View::Tuple(_, arity) => {
                self.mix(arity, 0, 9);
                let items = self.heap.elements(value).unwrap_or_default();
                self.rest.extend(items.iter().rev().map(|it| HashTask::Value(*it)));
            }
            View::Map(at) => {
                let len = self.heap.map_len(at);
                self.mix(u32::try_from(len).unwrap_or(u32::MAX), 0, 16);
                if len > 0 {
                    self.rest.push(HashTask::Map { hash: self.hash, pairs: self.pairs });
                    (self.hash, self.pairs) = (0, 0);
                    for (key, value) in self.heap.map_iter(at) {
                        self.rest.extend([
                            HashTask::Pair,
                            HashTask::Value(value),
                            HashTask::Value(key),
                        ]);
                    }
                }
            }
            View::Bits(at) => {
                let bits = self.heap.bits(at);
                self.heap.count_steps(words(bits.bit_len));
                self.bits(&bits.to_padded_bytes(), bits.bit_len);
            }
            View::Fun(at) => match self.heap.fun_kind(at) {
                FunKind::External { module, function, arity } => {
                    self.mix(arity, atom_hash(self.atoms, module), 1);
                    self.mix(atom_hash(self.atoms, function), 0, 14);
                }
                FunKind::Closure { lambda, n_free } => {
                    let lambda = self.heap.lambda(lambda);
                    let module = lambda.map_or(0, |it| atom_hash(self.atoms, it.module));
                    self.mix(u32::try_from(n_free).unwrap_or(u32::MAX), module, 1);
                    let (index, uniq) = lambda.map_or((0, 0), |it| (it.index, it.uniq));
                    self.mix(index, uniq, 1);
                    let free = self.heap.fun_free(at);
                    self.rest.extend(free.iter().rev().map(|it| HashTask::Value(*it)));
                }
            },
            View::Pid(pid) => self.mix(self.heap.nodes.pid(pid).1, 0, 5),
            View::Port(port) => {
                let number = self.heap.nodes.port(port).1;
                self.mix(low(number), high(number), 6);
            }
            View::Ref(id) => self.mix(self.heap.nodes.reference(id).1.first(), 0, 7),
        }
    }

    fn int(&mut self, int: i64) {
        match i32::try_from(int) {
            Ok(int) if (-(1 << 27)..1 << 27).contains(&int) => {
                if int < 0 {
                    self.mix(int.unsigned_abs(), 0, 1);
                }
                self.mix(int.cast_unsigned(), 0, 1);
            }
            _ => self.big(&BigInt::from(int)),
        }
    }

    fn big(&mut self, big: &BigInt) {
        let times = if big.sign() == Sign::Minus { 10 } else { 11 };
        for digit in big.iter_u64_digits() {
            self.mix(low(digit), high(digit), times);
        }
    }

    /// Hashes a list; leading bytes are mixed in four at a time.
    fn list(&mut self, list: Value) {
        let (mut word, mut n) = (0u32, 0);
        let mut rest = list;
        while let Some((head, tail)) = self.heap.uncons(rest)
            && let Some(byte) = as_byte(head)
        {
            word = word << 8 | u32::from(byte);
            n += 1;
            rest = tail;
            self.heap.count_steps(1);
            if n == 4 {
                self.mix(word, 0, 4);
                (word, n) = (0, 0);
            }
        }
        if n > 0 {
            self.mix(word, 0, 4);
        }
        match self.heap.uncons(rest) {
            Some((head, tail)) => self.rest.extend([HashTask::Value(tail), HashTask::Value(head)]),
            None => self.rest.push(HashTask::Value(rest)),
        }
    }

    fn bits(&mut self, bytes: &[u8], bit_len: u64) {
        let start = golden(13).wrapping_add(self.hash);
        if bit_len == 0 {
            self.hash = start;
            return;
        }
        let n_odd = bit_len % 8;
        let (whole, last) = match bytes.split_last() {
            Some((last, whole)) if n_odd > 0 => (whole, *last),
            _ => (bytes, 0),
        };
        self.hash = block_hash(whole, start);
        if n_odd > 0 {
            self.mix(low(n_odd), u32::from(last >> (8 - n_odd)), 15);
        }
    }
}

fn block_hash(bytes: &[u8], start: u32) -> u32 {
    let word =
        |bytes: &[u8]| bytes.iter().rev().fold(0u32, |word, byte| word << 8 | u32::from(*byte));
    let mut words = (golden(1), golden(1), start);
    let mut blocks = bytes.chunks_exact(12);
    let add = |words: &mut (u32, u32, u32), block: &[u8], c: u32| {
        let (a, rest) = block.split_at(block.len().min(4));
        let (b, _) = rest.split_at(rest.len().min(4));
        words.0 = words.0.wrapping_add(word(a));
        words.1 = words.1.wrapping_add(word(b));
        words.2 = words.2.wrapping_add(c);
        mix(words);
    };
    for block in &mut blocks {
        let c = word(block.get(8..).unwrap_or_default());
        add(&mut words, block, c);
    }
    // The lowest byte of the last word is reserved for the length.
    let last = blocks.remainder();
    let c = word(last.get(8..).unwrap_or_default()) << 8;
    let len = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    add(&mut words, last, c.wrapping_add(len));
    words.2
}

fn mix((a, b, c): &mut (u32, u32, u32)) {
    let step = |x: &mut u32, y: u32, z: u32, by: u32| {
        *x = x.wrapping_sub(y).wrapping_sub(z) ^ by;
    };
    for [first, second, third] in [[13, 8, 13], [12, 16, 5], [3, 10, 15]] {
        step(a, *b, *c, *c >> first);
        step(b, *c, *a, *a << second);
        step(c, *a, *b, *b >> third);
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the lower half is what is asked for")]
fn low(word: u64) -> u32 {
    word as u32
}

fn high(word: u64) -> u32 {
    low(word >> 32)
}

/// The older hash: `H = H * Prime + Byte`, with a prime for each type of term.
fn phash(heap: &Heap, atoms: &Atoms, value: Value) -> Result<u32, Fault> {
    let mut hash = 0u32;
    let mut rest = vec![PhashTask::Value(value)];
    while let Some(next) = rest.pop() {
        heap.spend_steps(1)?;
        let (prime, plus) = match next {
            PhashTask::Step(prime, plus) => (prime, plus),
            PhashTask::Tail(tail) => {
                if !tail.is_cons() {
                    rest.push(PhashTask::Step(PRIMES[8], 0));
                }
                rest.push(PhashTask::Value(tail));
                continue;
            }
            PhashTask::Value(value) => match value.view() {
                View::Nil => (PRIMES[3], 1),
                View::Atom(atom) => (PRIMES[1], atom_hash(atoms, atom)),
                View::Int(int) => {
                    hash = phash_integer(hash, &BigInt::from(int));
                    continue;
                }
                View::Big(at) => {
                    hash = phash_integer(hash, heap.big(at));
                    continue;
                }
                View::Float(float) => {
                    let bits = if float == 0.0 { 0 } else { float.to_bits() };
                    (PRIMES[6], low(bits) ^ high(bits))
                }
                View::Bits(at) => {
                    let bits = heap.bits(at);
                    hash = phash_bits(hash, &bits.to_padded_bytes(), bits.bit_len);
                    continue;
                }
                View::Map(_) => (PRIMES[13], PRIMES[14].wrapping_add(phash2(heap, atoms, value)?)),
                View::Tuple(_, arity) => {
                    rest.push(PhashTask::Step(PRIMES[9], arity));
                    let items = heap.elements(value).unwrap_or_default();
                    rest.extend(items.iter().rev().map(|it| PhashTask::Value(*it)));
                    continue;
                }
                View::Cons(_) => {
                    hash = phash_list(heap, hash, value, &mut rest);
                    continue;
                }
                View::Fun(at) => {
                    let steps = phash_fun(heap, atoms, at);
                    rest.extend(heap.fun_free(at).iter().rev().map(|it| PhashTask::Value(*it)));
                    for (prime, plus) in steps {
                        hash = hash.wrapping_mul(prime).wrapping_add(plus);
                    }
                    continue;
                }
                View::Pid(pid) => {
                    hash = phash_word(hash, heap.nodes.pid(pid).1, PRIMES[5]);
                    (PRIMES[6], 0)
                }
                View::Port(port) => {
                    let number = heap.nodes.port(port).1;
                    if high(number) != 0 {
                        hash = phash_word(hash, high(number), PRIMES[11]);
                    }
                    hash = phash_word(hash, low(number), PRIMES[9]);
                    (PRIMES[10], 0)
                }
                View::Ref(id) => {
                    hash = phash_word(hash, heap.nodes.reference(id).1.first(), PRIMES[9]);
                    (PRIMES[10], 0)
                }
            },
        };
        hash = hash.wrapping_mul(prime).wrapping_add(plus);
    }
    Ok(hash)
}

/// Primes just above 2^28, numbered from 1 as in OTP.
const PRIMES: [u32; 15] = [
    0,
    268_440_163,
    268_439_161,
    268_435_459,
    268_436_141,
    268_438_633,
    268_437_017,
    268_438_039,
    268_437_511,
    268_439_627,
    268_440_479,
    268_440_577,
    268_440_581,
    268_440_593,
    268_440_611,
];

enum PhashTask {
    Value(Value),
    Tail(Value),
    Step(u32, u32),
}

/// Hashes the leading bytes of a list, and pushes the next head and its tail onto the stack.
fn phash_list(heap: &Heap, mut hash: u32, list: Value, rest: &mut Vec<PhashTask>) -> u32 {
    let mut at = list;
    while let Some((head, tail)) = heap.uncons(at) {
        let Some(byte) = as_byte(head) else {
            rest.extend([PhashTask::Tail(tail), PhashTask::Value(head)]);
            return hash;
        };
        hash = hash.wrapping_mul(PRIMES[2]).wrapping_add(u32::from(byte));
        at = tail;
    }
    rest.push(PhashTask::Tail(at));
    hash
}

/// Hashes the magnitude of an integer in whole 32-bit words, the lowest byte first, then its sign.
fn phash_integer(hash: u32, value: &BigInt) -> u32 {
    let digits = value.iter_u32_digits();
    let digits = if digits.len() == 0 { vec![0] } else { digits.collect() };
    let hash = digits.iter().fold(hash, |hash, digit| phash_word(hash, *digit, PRIMES[2]));
    hash.wrapping_mul(if value.sign() == Sign::Minus { PRIMES[4] } else { PRIMES[3] })
}

fn phash_word(hash: u32, word: u32, prime: u32) -> u32 {
    let step = |hash: u32, byte| hash.wrapping_mul(prime).wrapping_add(u32::from(byte));
    word.to_le_bytes().into_iter().fold(hash, step)
}

fn phash_bits(hash: u32, bytes: &[u8], bit_len: u64) -> u32 {
    let step = |hash: u32, byte| hash.wrapping_mul(PRIMES[1]).wrapping_add(byte);
    let n_odd = bit_len % 8;
    let (whole, last) = match bytes.split_last() {
        Some((last, whole)) if n_odd > 0 => (whole, *last),
        _ => (bytes, 0),
    };
    let mut hash = whole.iter().fold(hash, |hash, byte| step(hash, u32::from(*byte)));
    if n_odd > 0 {
        hash = step(hash, u32::from(last >> (8 - n_odd)));
        hash = hash.wrapping_mul(PRIMES[12]).wrapping_add(low(n_odd));
    }
    hash.wrapping_mul(PRIMES[4]).wrapping_add(low(bit_len / 8))
}

fn phash_fun(heap: &Heap, atoms: &Atoms, at: values::At) -> Vec<(u32, u32)> {
    match heap.fun_kind(at) {
        FunKind::External { module, function, arity } => vec![
            (PRIMES[11], arity),
            (PRIMES[1], atom_hash(atoms, module)),
            (PRIMES[1], atom_hash(atoms, function)),
        ],
        FunKind::Closure { lambda, n_free } => {
            let Some(lambda) = heap.lambda(lambda) else { return Vec::new() };
            vec![
                (PRIMES[10], u32::try_from(n_free).unwrap_or(u32::MAX)),
                (PRIMES[1], atom_hash(atoms, lambda.module)),
                (PRIMES[2], lambda.index),
                (PRIMES[2], lambda.uniq),
            ]
        }
    }
}
