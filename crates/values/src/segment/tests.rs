//! Tests of reading and building segments. The expected results are those of `erl`.

use super::{BitsBuilder, BuildError, Endian, SegmentSpec, SegmentType, Sign};
use crate::{Heap, Value, View, to_term};
use num_bigint::BigInt;
use term::{Style, Term};

const UNSIGNED: SegmentSpec =
    SegmentSpec { ty: SegmentType::Integer, unit: 1, endian: Endian::Big, sign: Sign::Unsigned };
const SIGNED: SegmentSpec = SegmentSpec { sign: Sign::Signed, ..UNSIGNED };
const LITTLE: SegmentSpec = SegmentSpec { endian: Endian::Little, ..UNSIGNED };
const SIGNED_LITTLE: SegmentSpec = SegmentSpec { endian: Endian::Little, ..SIGNED };
const FLOAT: SegmentSpec = SegmentSpec { ty: SegmentType::Float, ..UNSIGNED };
const BITS: SegmentSpec = SegmentSpec { ty: SegmentType::Binary, ..UNSIGNED };
const BYTES: SegmentSpec = SegmentSpec { unit: 8, ..BITS };
const UTF8: SegmentSpec = SegmentSpec { ty: SegmentType::Utf8, ..UNSIGNED };
const UTF16: SegmentSpec = SegmentSpec { ty: SegmentType::Utf16, ..UNSIGNED };
const UTF32: SegmentSpec = SegmentSpec { ty: SegmentType::Utf32, ..UNSIGNED };

/// Reads the segment at each of several bit offsets in the buffer, which must make no difference.
fn check_read(bits: &str, spec: SegmentSpec, size: Option<u64>, expect: &str) {
    for offset in [0, 3, 8, 13] {
        let mut heap = Heap::default();
        let Term::Bits(given) = term::read_term(bits).unwrap() else { panic!("not bits: {bits}") };
        let whole = heap.bits_from(given.padded_bytes().to_vec(), given.bit_len() as u64);
        let mut builder = BitsBuilder::new(1000);
        builder.push_integer(&heap, Value::int(-1), offset, Endian::Big).unwrap();
        builder.push_all_bits(&heap, whole, 1).unwrap();
        let View::Bits(at) = builder.finish(&mut heap).view() else { panic!("no bits") };
        let res = heap.match_segment(at, offset, spec, size);
        let found = res.map_or("no".to_owned(), |(value, end)| {
            format!("{} +{}", print(&heap, value), end - offset)
        });
        assert_eq!(found, expect, "{bits} {spec:?} {size:?} at offset {offset}");
    }
}

fn print(heap: &Heap, value: Value) -> String {
    let term = to_term(heap, &crate::Atoms::default(), value).unwrap();
    term::print(&term, Style::W)
}

#[test]
fn integers() {
    check_read("<<200>>", UNSIGNED, Some(8), "200 +8");
    check_read("<<200>>", SIGNED, Some(8), "-56 +8");
    check_read("<<200>>", UNSIGNED, Some(0), "0 +0");
    check_read("<<>>", SIGNED, Some(0), "0 +0");
    check_read("<<200>>", UNSIGNED, Some(9), "no");
    check_read("<<200>>", UNSIGNED, Some(3), "6 +3");
    check_read("<<1,2>>", UNSIGNED, Some(16), "258 +16");
    check_read("<<1,2>>", LITTLE, Some(16), "513 +16");
    check_read("<<16#AB,16#C:4>>", LITTLE, Some(12), "3243 +12");
    check_read("<<16#AB,16#C:4>>", SIGNED_LITTLE, Some(12), "-853 +12");
    check_read("<<1,2,3,4,5,6,7,8>>", UNSIGNED, Some(64), "72623859790382856 +64");
    check_read("<<255,2,3,4,5,6,7,8>>", UNSIGNED, Some(64), "18375252745424078600 +64");
    check_read("<<255,2,3,4,5,6,7,8>>", SIGNED, Some(64), "-71491328285473016 +64");
    check_read("<<1,2,3,4,5,6,7,255>>", SIGNED_LITTLE, Some(64), "-70080650589044223 +64");
    check_read("<<1,2,3,4>>", SegmentSpec { unit: 8, ..UNSIGNED }, Some(3), "66051 +24");
    check_read("<<1,2,3,4>>", SegmentSpec { unit: 256, ..UNSIGNED }, Some(u64::MAX), "no");
    let bytes = "<<221,254,16,50,84,118,152,186,220,14:4>>";
    check_read(bytes, LITTLE, Some(76), "70184860083182638268125 +76");
    check_read(bytes, SIGNED_LITTLE, Some(76), "-5373003642731685151011 +76");
    let bytes = "<<237,203,169,135,101,67,33,15,237,13:4>>";
    check_read(bytes, UNSIGNED, Some(76), "70184860083182638268125 +76");
    check_read(bytes, SIGNED, Some(76), "-5373003642731685151011 +76");
}

#[test]
fn floats() {
    check_read("<<63,240,0,0,0,0,0,0>>", FLOAT, Some(64), "1.0 +64");
    check_read("<<0,0,0,0,0,0,240,63>>", with_little(FLOAT), Some(64), "1.0 +64");
    check_read("<<127,240,0,0,0,0,0,0>>", FLOAT, Some(64), "no");
    check_read("<<127,248,0,0,0,0,0,0>>", FLOAT, Some(64), "no");
    check_read("<<192,0,0,0>>", FLOAT, Some(32), "-2.0 +32");
    check_read("<<16#0001:16>>", FLOAT, Some(16), "5.960464477539063e-8 +16");
    check_read("<<16#fbff:16>>", FLOAT, Some(16), "-65504.0 +16");
    check_read("<<16#3555:16>>", FLOAT, Some(16), "0.333251953125 +16");
    check_read("<<16#7c00:16>>", FLOAT, Some(16), "no");
    check_read("<<1>>", FLOAT, Some(8), "no");
    check_read("<<1>>", FLOAT, Some(0), "0.0 +0");
}

#[test]
fn parts() {
    check_read("<<1,2,3>>", BYTES, Some(2), "<<1,2>> +16");
    check_read("<<1,2,3>>", BYTES, Some(4), "no");
    check_read("<<1,2,3>>", BYTES, None, "<<1,2,3>> +24");
    check_read("<<1,2,3:4>>", BYTES, None, "no");
    check_read("<<1,2,3:4>>", BITS, None, "<<1,2,3:4>> +20");
    check_read("<<1,2,3>>", SegmentSpec { unit: 16, ..BITS }, None, "no");
    check_read("<<>>", BYTES, None, "<<>> +0");
}

#[test]
fn code_points() {
    check_read("<<\"a\">>", UTF8, None, "97 +8");
    check_read("<<226,130,172,1>>", UTF8, None, "8364 +24");
    check_read("<<240,144,128,128>>", UTF8, None, "65536 +32");
    check_read("<<239,191,191>>", UTF8, None, "65535 +24");
    for bad in [
        "<<>>",
        "<<1:4>>",
        "<<16#80>>",
        "<<16#c0,16#80>>",
        "<<16#e0,16#80,16#80>>",
        "<<16#ed,16#a0,16#80>>",
        "<<16#f4,16#90,16#80,16#80>>",
        "<<16#e2,16#82>>",
        "<<16#e2,16#82,16#c0>>",
    ] {
        check_read(bad, UTF8, None, "no");
    }
    check_read("<<16#d800:16,16#dc00:16>>", UTF16, None, "65536 +32");
    check_read("<<16#dbff:16,16#dfff:16>>", UTF16, None, "1114111 +32");
    check_read("<<16#20ac:16>>", UTF16, None, "8364 +16");
    check_read("<<16#ac20:16>>", with_little(UTF16), None, "8364 +16");
    check_read("<<16#d800:16>>", UTF16, None, "no");
    check_read("<<16#dc00:16,16#d800:16>>", UTF16, None, "no");
    check_read("<<16#d800:16,1:16>>", UTF16, None, "no");
    check_read("<<16#10ffff:32>>", UTF32, None, "1114111 +32");
    check_read("<<16#ac200000:32>>", with_little(UTF32), None, "8364 +32");
    check_read("<<16#110000:32>>", UTF32, None, "no");
    check_read("<<16#d800:32>>", UTF32, None, "no");
    check_read("<<1:31>>", UTF32, None, "no");
}

fn with_little(spec: SegmentSpec) -> SegmentSpec {
    SegmentSpec { endian: Endian::Little, ..spec }
}

type Pushed = Result<(), BuildError>;

fn check_build(push: impl Fn(&mut BitsBuilder, &mut Heap) -> Pushed, expect: &str) {
    let mut heap = Heap::default();
    let mut builder = BitsBuilder::new(1000);
    let found = match push(&mut builder, &mut heap) {
        Ok(()) => {
            let res = builder.finish(&mut heap);
            print(&heap, res)
        }
        Err(error) => format!("{error:?}"),
    };
    assert_eq!(found, expect);
}

fn integer(text: &str, n_bits: u64, endian: Endian, expect: &str) {
    check_build(
        |b, heap| {
            let value = heap.integer(text.parse::<BigInt>().unwrap());
            b.push_integer(heap, value, n_bits, endian)
        },
        expect,
    );
    // The same segment behind one bit, which is then matched off again.
    let mut heap = Heap::default();
    let value = heap.integer(text.parse::<BigInt>().unwrap());
    let mut builder = BitsBuilder::new(1000);
    builder.push_integer(&heap, Value::int(1), 1, Endian::Big).unwrap();
    builder.push_integer(&heap, value, n_bits, endian).unwrap();
    let View::Bits(at) = builder.finish(&mut heap).view() else { panic!("no bits") };
    let rest = heap.sub_bits(at, 1, n_bits);
    assert_eq!(print(&heap, rest), expect);
}

#[test]
fn built_integers() {
    integer("258", 16, Endian::Big, "<<1,2>>");
    integer("258", 16, Endian::Little, "<<2,1>>");
    integer("258", 8, Endian::Big, "<<2>>");
    integer("258", 0, Endian::Little, "<<>>");
    integer("3243", 12, Endian::Little, "<<171,12:4>>");
    integer("-2", 12, Endian::Little, "<<254,15:4>>");
    integer("-2", 12, Endian::Big, "<<255,14:4>>");
    integer("-1", 72, Endian::Big, "<<255,255,255,255,255,255,255,255,255>>");
    integer("1", 72, Endian::Little, "<<1,0,0,0,0,0,0,0,0>>");
    let minus = "-5373003642731685151011";
    integer(minus, 76, Endian::Little, "<<221,254,16,50,84,118,152,186,220,14:4>>");
    integer(minus, 76, Endian::Big, "<<237,203,169,135,101,67,33,15,237,13:4>>");
    integer("5373003642731685151011", 12, Endian::Big, "<<18,3:4>>");
    check_build(|b, heap| b.push_integer(heap, Value::float(1.0), 8, Endian::Big), "Badarg");
    check_build(|b, heap| b.push_integer(heap, Value::int(0), 1 << 40, Endian::Big), "OutOfMemory");
}

#[test]
fn built_floats() {
    let float = |value, n_bits, expect: &str| {
        check_build(|b, heap| b.push_float(heap, value, n_bits, Endian::Big), expect);
    };
    float(Value::float(1.0), 64, "<<63,240,0,0,0,0,0,0>>");
    float(Value::int(1), 64, "<<63,240,0,0,0,0,0,0>>");
    float(Value::float(1e300), 32, "<<127,128,0,0>>");
    float(Value::float(1e-300), 32, "<<0,0,0,0>>");
    float(Value::float(1.0), 8, "Badarg");
    float(Value::float(1.0), 0, "Badarg");
    float(Value::NIL, 64, "Badarg");
    let halves = [
        (65520.0, "<<124,0>>"),
        (65519.9, "<<123,255>>"),
        (1.0 + 1.0 / 2048.0, "<<60,0>>"),
        (1.0 + 3.0 / 2048.0, "<<60,2>>"),
        (1.0 + 1.0 / 2048.0 + 1e-12, "<<60,1>>"),
        (1.0 + 3.0 / 2048.0 - 1e-12, "<<60,1>>"),
        (5.960464477539063e-8, "<<0,1>>"),
        (2.0e-8, "<<0,0>>"),
        (3.0e-8, "<<0,1>>"),
        (2.980_232_238_769_531_3e-8, "<<0,0>>"),
        (8.940696716308594e-8, "<<0,2>>"),
        (1e-10, "<<0,0>>"),
        (-0.0, "<<128,0>>"),
        (6.1e-5, "<<3,255>>"),
    ];
    for (value, expect) in halves {
        float(Value::float(value), 16, expect);
    }
    check_build(
        |b, heap| {
            let value = heap.integer(BigInt::from(1) << 5000);
            b.push_float(heap, value, 64, Endian::Big)
        },
        "Badarg",
    );
}

#[test]
fn built_parts() {
    let one = |heap: &mut Heap| heap.binary(&[1, 2, 3]);
    check_build(
        |b, heap| {
            let value = one(heap);
            b.push_bits(heap, value, 12)?;
            b.push_all_bits(heap, value, 8)
        },
        "<<1,0,16,32,3:4>>",
    );
    check_build(
        |b, heap| {
            let value = one(heap);
            b.push_all_bits(heap, value, 16)
        },
        "Badarg",
    );
    check_build(
        |b, heap| {
            let value = one(heap);
            b.push_bits(heap, value, 25)
        },
        "Badarg",
    );
    check_build(|b, heap| b.push_all_bits(heap, Value::NIL, 8), "Badarg");
    check_build(
        |b, _| {
            b.push_bytes(&[128], 1)?;
            b.push_utf8(Value::int(0x20ac))?;
            b.push_bytes(&[2], 7)
        },
        "<<241,65,86,1>>",
    );
    check_build(|b, _| b.push_utf8(Value::int(0x10ffff)), "<<244,143,191,191>>");
    check_build(|b, _| b.push_utf16(Value::int(0x10ffff), Endian::Little), "<<255,219,255,223>>");
    check_build(|b, _| b.push_utf32(Value::int(0x20ac), Endian::Big), "<<0,0,32,172>>");
    for bad in [-1, 0xd800, 0x11_0000] {
        check_build(|b, _| b.push_utf8(Value::int(bad)), "Badarg");
        check_build(|b, _| b.push_utf16(Value::int(bad), Endian::Big), "Badarg");
        check_build(|b, _| b.push_utf32(Value::int(bad), Endian::Big), "Badarg");
    }
}

#[test]
fn sizes() {
    let mut heap = Heap::default();
    let beyond = heap.integer(BigInt::from(1) << 70);
    let below = heap.integer(BigInt::from(-1) << 70);
    assert_eq!(heap.built_bits(Value::int(3), 8), Ok(24));
    assert_eq!(heap.built_bits(Value::int(-1), 8), Err(BuildError::Badarg));
    assert_eq!(heap.built_bits(Value::float(1.0), 8), Err(BuildError::Badarg));
    assert_eq!(heap.built_bits(beyond, 1), Err(BuildError::SystemLimit));
    assert_eq!(heap.built_bits(below, 1), Err(BuildError::Badarg));
    assert_eq!(heap.built_bits(Value::int(1 << 59), 32), Err(BuildError::SystemLimit));
    assert_eq!(Heap::matched_size(Value::int(-1)), None);
    assert_eq!(Heap::matched_size(beyond), None);
    assert_eq!(Heap::matched_size(Value::int(7)), Some(7));
}

#[test]
fn appending_in_a_loop_does_not_copy() {
    let mut heap = Heap::default();
    let mut acc = heap.binary(&[]);
    for n in 0..100_000 {
        let mut builder = BitsBuilder::new(1 << 20);
        builder.push_all_bits(&heap, acc, 8).unwrap();
        builder.push_integer(&heap, Value::int(n), 8, Endian::Big).unwrap();
        acc = builder.finish(&mut heap);
    }
    assert_eq!(heap.as_bits(acc).unwrap().bit_len, 800_000);
    // Each step makes a window of three cells; the bytes are shared. Copying in each step would take gigabytes.
    assert!(heap.bytes_used() < 100_000 * 48 + (1 << 20), "{} bytes", heap.bytes_used());
}
