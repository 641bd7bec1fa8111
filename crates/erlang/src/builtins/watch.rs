//! The calls by which instrumented code reports its own reductions; see [`Told`].

use crate::builtins::arithmetic::arg;
use crate::builtins::{Builtin, Fault, OnBeam, Shares, inside};
use crate::machine::World;
use crate::machine::schedule::{Told, actor};
use term::{Atom, Term};
use values::{Value, to_marked};

pub(super) const ROWS: &[Builtin] = &[
    inside("gimlet_watch", "enter", 3, Shares::Nothing, OnBeam::Alike, enter).moves(0),
    inside("gimlet_watch", "tell", 5, Shares::Nothing, OnBeam::Alike, tell).moves(0),
];

/// Reports that a function is entered. Returns the number of its frame.
fn enter(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let frame = w.run.schedule.as_mut().map_or(0, |it| it.next_frame());
    let parts = [Value::int(frame), arg(args, 0), arg(args, 1), arg(args, 2)];
    note(w, "enter", parts);
    Ok(Value::int(frame))
}

/// Reports that an expression in a frame was reduced to a value. Returns the value.
fn tell(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let what = arg(args, 1).as_atom().map(|it| w.atoms.name(it).to_owned()).unwrap_or_default();
    note(w, &what, [arg(args, 0), arg(args, 2), arg(args, 3), arg(args, 4)]);
    Ok(arg(args, 3))
}

fn note(w: &mut World, what: &str, [frame, place, value, bindings]: [Value; 4]) {
    let term = |it: Value| {
        to_marked(&w.heap, &w.atoms, it).unwrap_or_else(|_| Term::atom("too_deep_to_show"))
    };
    let n_choices = w.record.as_ref().map_or(0, |it| it.choices.len());
    let bindings = term(bindings);
    let binding = |it: &Term| match it.as_tuple() {
        Some([name, value]) => Some((Atom::new(name.as_atom()?), value.clone())),
        Some(_) | None => None,
    };
    let mut told = Told {
        actor: actor(w.run.current),
        what: what.to_owned(),
        frame: frame.as_int().unwrap_or(0),
        place: place.as_int().unwrap_or(0),
        value: term(value),
        bindings: bindings.as_list().unwrap_or_default().iter().filter_map(binding).collect(),
        choices: 0..n_choices,
    };
    if let Some(schedule) = &mut w.run.schedule {
        told.choices.start = std::mem::replace(&mut schedule.n_told, n_choices);
        schedule.told.push(told);
    }
}
