//! Runs native builtins outside a machine.

use crate::Answer;
use erlang::builtins::{Builtin, Fault, How, Run};
use erlang::machine::World;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use term::{Atom, Bits, Term};
use values::{Value, View, from_term, to_term};

/// Calls in one world before a fresh one, so that memory stays small.
const CALLS_PER_WORLD: usize = 500;
const MEMORY_BYTES: usize = 512 << 20;

/// How bitstrings lie in the heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    Aligned,
    /// As part of a longer one, from a bit within a byte on.
    Shifted,
}

#[derive(Debug, Default)]
pub struct Native {
    world: World,
    n_calls: usize,
}

impl Native {
    /// What the builtin makes of the arguments, however their bitstrings lie in memory.
    pub fn call(&mut self, builtin: &Builtin, args: &[Term]) -> Answer {
        let How::Native(run) = builtin.how else {
            return Answer::Lost("the builtin is not native".to_owned());
        };
        let aligned = self.run(run, args, Layout::Aligned);
        if args.iter().any(holds_bits) {
            let shifted = self.run(run, args, Layout::Shifted);
            if shifted != aligned {
                return Answer::Lost(format!("{aligned}, but {shifted} on unaligned bits"));
            }
        }
        aligned
    }

    fn run(&mut self, run: Run, args: &[Term], layout: Layout) -> Answer {
        self.n_calls += 1;
        if self.n_calls.is_multiple_of(CALLS_PER_WORLD) {
            self.world = World::default();
        }
        let world = &mut self.world;
        world.limits.memory_bytes = world.heap.bytes_used() + MEMORY_BYTES;
        let args: Vec<Value> = args.iter().map(|it| value(world, it, layout)).collect();
        match silently(|| run(world, &args)) {
            Ok(result) => answer(world, result),
            Err(why) => {
                self.world = World::default();
                Answer::Lost(why)
            }
        }
    }
}

fn holds_bits(term: &Term) -> bool {
    term.has_part(|it| matches!(it, Term::Bits(_)))
}

fn value(world: &mut World, term: &Term, layout: Layout) -> Value {
    if layout == Layout::Shifted {
        if let Term::Bits(bits) = term {
            return shifted(world, bits);
        }
        if let Term::List(list) = term {
            let items: Vec<Value> = list.items.iter().map(|it| value(world, it, layout)).collect();
            let tail = value(world, &list.tail, layout);
            return world.heap.list_with_tail(&items, tail);
        }
        if let Term::Tuple(items) = term {
            let items: Vec<Value> = items.iter().map(|it| value(world, it, layout)).collect();
            return world.heap.tuple(&items);
        }
    }
    from_term(&mut world.heap, &mut world.atoms, term)
}

/// The bits behind three others.
fn shifted(world: &mut World, bits: &Bits) -> Value {
    let (mut bytes, mut carried) = (Vec::new(), 0b1010_0000);
    for byte in bits.padded_bytes() {
        bytes.push(carried | byte >> 3);
        carried = byte << 5;
    }
    bytes.push(carried);
    bytes.truncate((3 + bits.bit_len()).div_ceil(8));
    let bit_len = bits.bit_len() as u64;
    let whole = world.heap.bits_from(bytes, 3 + bit_len);
    let View::Bits(at) = whole.view() else { return whole };
    world.heap.sub_bits(at, 3, bit_len)
}

/// A panic of ours is a difference to report, not the end of the comparison.
pub(crate) fn silently<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    let hook = take_hook();
    set_hook(Box::new(|_| ()));
    let result = catch_unwind(AssertUnwindSafe(run));
    set_hook(hook);
    result.map_err(|payload| {
        let text = payload.downcast_ref::<String>().cloned();
        let text = text.or_else(|| payload.downcast_ref::<&str>().map(|it| (*it).to_owned()));
        format!("it panicked: {}", text.unwrap_or_default())
    })
}

fn answer(world: &World, result: Result<Value, Fault>) -> Answer {
    let term = |value| to_term(&world.heap, &world.atoms, value);
    let raised = |class: &str, reason| match term(reason) {
        Ok(reason) => Answer::Raised { class: Atom::new(class), reason },
        Err(why) => Answer::Lost(why.to_string()),
    };
    match result {
        Ok(value) => term(value).map_or_else(|it| Answer::Lost(it.to_string()), Answer::Value),
        Err(
            Fault::Error(reason)
            | Fault::Plain(reason)
            | Fault::ErrorArgs(reason, _)
            | Fault::Caused(reason, _)
            | Fault::Described(reason, _, _),
        ) => raised("error", reason),
        Err(Fault::Exit(reason) | Fault::Killed(reason)) => raised("exit", reason),
        Err(Fault::Throw(reason)) => raised("throw", reason),
        Err(Fault::Raise(class, reason, _)) => raised(world.atoms.name(class), reason),
        Err(Fault::Stop(stop)) => Answer::Lost(stop.to_string()),
    }
}
