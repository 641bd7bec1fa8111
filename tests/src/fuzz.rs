//! Fuzzing of readers: mutated inputs, and child processes that read them under resource limits.
//!
//! An input is identified by its number: the same number gives the same input as long as the seeds are the
//! same. So the number tells which input a process died of. Knows no reader.

use crate::Random;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::fs::{self, File, OpenOptions};
use std::io::{Seek, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, thread};
use term::{Term, etf};

/// A reader of data from outside, and how it is fuzzed.
#[derive(Clone, Debug)]
pub struct Target {
    pub name: &'static str,
    pub how: Mutation,
    /// Seeds in addition to those in `tests/fuzz`.
    pub seeds: Vec<Vec<u8>>,
    /// Reads the input. It may accept or reject the input, but must return.
    pub read: fn(&[u8]),
}

/// The kind of mutations that are applied to seeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mutation {
    /// Changes bytes and inserts pieces of other seeds.
    Bytes,
    /// Changes words and signs.
    Text,
    /// Replaces subterms of a term in the external format.
    Term,
}

/// The number of inputs per child process: a hang or an exhausted memory loses no more than these.
const OF_PROCESS: u64 = 20_000;
/// The memory, in bytes, that a child process may use in addition to its initial size.
const MEMORY: u64 = 1 << 30;
/// The CPU time, in seconds, for all inputs of a child process.
const COMPUTING: u64 = 120;
/// The stack size, in bytes, that the tool gives to its threads.
const STACK: usize = 1 << 30;

const TARGET: &str = "GIMLET_FUZZ_TARGET";
const FROM: &str = "GIMLET_FUZZ_FROM";
const COUNT: &str = "GIMLET_FUZZ_COUNT";
const AT: &str = "GIMLET_FUZZ_AT";

impl Target {
    fn corpus(&self) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz").join(self.name)
    }

    /// Returns the seeds, including the files in `tests/fuzz` in the order of their names.
    fn all_seeds(&self) -> Vec<Vec<u8>> {
        let entries = fs::read_dir(self.corpus()).into_iter().flatten().flatten();
        let mut paths: Vec<PathBuf> = entries.map(|it| it.path()).collect();
        paths.sort();
        let kept = paths.iter().filter_map(|it| fs::read(it).ok());
        kept.chain(self.seeds.iter().cloned()).collect()
    }

    /// Reads `count` inputs, from number `from` on, in child processes.
    ///
    /// # Panics
    /// If a reader does not return on some input. The input is kept in `tests/fuzz`.
    #[expect(clippy::print_stdout, reason = "whoever asks for millions wants to see how far it is")]
    pub fn check(&self, from: u64, count: u64) {
        let seeds = self.all_seeds();
        assert!(!seeds.is_empty(), "{} has nothing to begin with", self.name);
        let dir = tempfile::tempdir().expect("a directory");
        let at = dir.path().join("at");
        let mut next = from;
        while next < from + count {
            let n = OF_PROCESS.min(from + count - next);
            let mut command = Command::new(env::current_exe().expect("this test"));
            command.args(["--exact", "child", "--nocapture"]).stdout(Stdio::null());
            command.env(TARGET, self.name).env(AT, &at).env("RUST_BACKTRACE", "0");
            command.env(FROM, next.to_string()).env(COUNT, n.to_string());
            let done = command.stderr(Stdio::piped()).output().expect("it starts");
            if !done.status.success() {
                let stopped = fs::read_to_string(&at).unwrap_or_default();
                let number: u64 = stopped.trim().parse().unwrap_or(next);
                let input = input(self.how, &seeds, number);
                let path = self.corpus().join(format!("found-{number}"));
                fs::create_dir_all(self.corpus()).expect("a directory");
                fs::write(&path, &input).expect("a file");
                let said = String::from_utf8_lossy(&done.stderr).into_owned();
                panic!("{}, {}: {}\n{said}", self.name, done.status, path.display());
            }
            next += n;
        }
        println!("{}: {count} executions", self.name);
    }
}

/// Does the work of a child process started by [`Target::check`]; does nothing in any other process.
///
/// # Panics
/// If a reader panics.
pub fn child(targets: &[Target]) {
    let number = |name: &str| env::var(name).ok().and_then(|it| it.parse::<u64>().ok());
    let (Ok(name), Ok(at)) = (env::var(TARGET), env::var(AT)) else { return };
    let target = targets.iter().find(|it| it.name == name).expect("a target").clone();
    let (from, count) = (number(FROM).unwrap_or(0), number(COUNT).unwrap_or(0));
    let work = thread::Builder::new().stack_size(STACK).spawn(move || {
        let seeds = target.all_seeds();
        limit();
        let mut at =
            OpenOptions::new().create(true).truncate(true).write(true).open(at).expect("it");
        for n in from..from + count {
            note(&mut at, n);
            (target.read)(&input(target.how, &seeds, n));
        }
    });
    work.expect("a thread").join().expect("no panic");
}

/// Writes the number of the input that is read next to the file.
fn note(at: &mut File, n: u64) {
    at.rewind().expect("a file");
    writeln!(at, "{n:020}").expect("a file");
}

fn limit() {
    let statm = fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: u64 = statm.split(' ').next().and_then(|it| it.parse().ok()).unwrap_or(0);
    let set = |what: Resource, most: u64| {
        let maximum = getrlimit(what).maximum;
        let current = Some(maximum.map_or(most, |it| it.min(most)));
        setrlimit(what, Rlimit { current, maximum }).expect("a limit");
    };
    set(Resource::As, pages * 4096 + MEMORY);
    set(Resource::Cpu, COMPUTING);
}

/// Returns the input with a number.
#[must_use]
pub fn input(how: Mutation, seeds: &[Vec<u8>], number: u64) -> Vec<u8> {
    let mut random = Random(number.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ 0x5bf0_3635);
    let seed = random.pick(seeds).clone();
    // The first inputs are the seeds themselves.
    if number < seeds.len() as u64 {
        return seeds.get(usize::try_from(number).unwrap_or(0)).cloned().unwrap_or(seed);
    }
    let n_changes = 1 + random.below(6);
    match how {
        Mutation::Bytes => (0..n_changes).fold(seed, |it, _| change_bytes(it, seeds, &mut random)),
        Mutation::Text => {
            let text = String::from_utf8_lossy(&seed).into_owned();
            (0..n_changes).fold(text, |it, _| change_text(&it, seeds, &mut random)).into_bytes()
        }
        Mutation::Term => {
            let Ok(mut term) = etf::decode(&seed) else { return seed };
            for _ in 0..n_changes {
                let part = random_part(&term, &mut random);
                let at = random.index(count_parts(&term));
                replace(&mut term, &mut { at }, &part);
            }
            etf::encode(&term).unwrap_or(seed)
        }
    }
}

fn change_bytes(mut of: Vec<u8>, seeds: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let at = random.index(of.len() + 1);
    let end = at + random.index((of.len() - at).min(64) + 1);
    match random.below(7) {
        0 => of.truncate(at),
        1 => drop(of.drain(at..end)),
        2 => {
            let piece: Vec<u8> = of.get(at..end).unwrap_or_default().to_vec();
            let times = random.index(40);
            let to = random.index(of.len() + 1);
            of.splice(to..to, std::iter::repeat_n(piece, times).flatten());
        }
        3 => {
            let other = random.pick(seeds);
            let from = random.index(other.len() + 1);
            let until = from + random.index((other.len() - from).min(64) + 1);
            of.splice(at..end, other.get(from..until).unwrap_or_default().iter().copied());
        }
        // Size fields mostly have four bytes, and the largest values are the most dangerous.
        4 => {
            let size: [u8; 4] =
                *random.pick(&[[0xff; 4], [0x7f, 0xff, 0xff, 0xff], [0; 4], [0, 0, 0, 1]]);
            let end = (at + 4).min(of.len());
            of.splice(at..end, size);
        }
        5 => of.iter_mut().skip(at).take(1).for_each(|it| *it ^= 1 << random.below(8)),
        _ => of.iter_mut().skip(at).take(1).for_each(|it| *it = random.below(256).to_le_bytes()[0]),
    }
    of
}

const SIGNS: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "<<",
    ">>",
    "#{",
    "=>",
    ",",
    "|",
    ".",
    "'",
    "\"",
    "\\",
    "\\x{",
    "#",
    "-",
    "1",
    "9999999999999999999999",
    "16#",
    "1.0e308",
    "1e999",
    ":",
    "::",
    "%",
    "/*",
    "0'",
    "`",
    "$",
    "fun",
    "end",
    "->",
    "\u{1F980}",
    "\u{0}",
    "%{",
    "~c\"",
    "0x",
    "_",
    "X",
    "a",
    "\n",
    " ",
    "const",
    "var",
];

fn change_text(of: &str, seeds: &[Vec<u8>], random: &mut Random) -> String {
    let mut chars: Vec<char> = of.chars().collect();
    let at = random.index(chars.len() + 1);
    let end = at + random.index((chars.len() - at).min(40) + 1);
    match random.below(6) {
        0 => chars.truncate(at),
        1 => drop(chars.drain(at..end)),
        2 => drop(chars.splice(at..end, random.pick(SIGNS).chars())),
        3 => {
            let piece: Vec<char> = random.pick(SIGNS).chars().collect();
            let times = random.index(200);
            chars.splice(at..at, std::iter::repeat_n(piece, times).flatten());
        }
        4 => {
            let other = String::from_utf8_lossy(random.pick::<Vec<u8>>(seeds)).into_owned();
            let from = random.index(other.chars().count() + 1);
            let n = random.index(60);
            chars.splice(at..end, other.chars().skip(from).take(n).collect::<Vec<_>>());
        }
        _ => {
            let piece: Vec<char> = chars.get(at..end).unwrap_or_default().to_vec();
            let times = random.index(20);
            chars.splice(at..at, std::iter::repeat_n(piece, times).flatten());
        }
    }
    chars.into_iter().collect()
}

fn parts(of: &Term) -> Vec<&Term> {
    match of {
        Term::Tuple(items) => items.iter().collect(),
        Term::List(list) => list.items.iter().chain([&list.tail]).collect(),
        Term::Map(pairs) => pairs.iter().flat_map(|it| [&it.0, &it.1]).collect(),
        Term::Int(_)
        | Term::Big(_)
        | Term::Float(_)
        | Term::Atom(_)
        | Term::Nil
        | Term::Bits(_)
        | Term::Fun(_)
        | Term::Pid(_)
        | Term::Port(_)
        | Term::Ref(_) => Vec::new(),
    }
}

fn count_parts(of: &Term) -> usize {
    1 + parts(of).into_iter().map(count_parts).sum::<usize>()
}

/// Returns a random subterm, or a simple term.
fn random_part(of: &Term, random: &mut Random) -> Term {
    match random.below(8) {
        0 => Term::Nil,
        1 => Term::Int(*random.pick(&[0, -1, i64::MAX, i64::MIN, 255])),
        2 => Term::atom(random.pick::<&str>(&["", "true", "any", "c_case", "integer"])),
        3 => Term::Tuple(Vec::new()),
        4 => Term::binary(vec![0xff; 3]),
        _ => {
            let mut here = of;
            for _ in 0..random.below(30) {
                let parts = parts(here);
                if parts.is_empty() {
                    break;
                }
                here = random.pick::<&Term>(&parts);
            }
            here.clone()
        }
    }
}

/// Replaces the subterm with number `left` in pre-order. Returns whether it was found.
fn replace(of: &mut Term, left: &mut usize, by: &Term) -> bool {
    if *left == 0 {
        *of = by.clone();
        return true;
    }
    *left -= 1;
    match of {
        Term::Tuple(items) => items.iter_mut().any(|it| replace(it, left, by)),
        Term::List(list) => list.items.iter_mut().any(|it| replace(it, left, by)),
        Term::Map(pairs) => pairs.iter_mut().any(|it| replace(&mut it.1, left, by)),
        Term::Int(_)
        | Term::Big(_)
        | Term::Float(_)
        | Term::Atom(_)
        | Term::Nil
        | Term::Bits(_)
        | Term::Fun(_)
        | Term::Pid(_)
        | Term::Port(_)
        | Term::Ref(_) => false,
    }
}
