//! Global variables, flags, operators and counters.

use crate::builtins::{Row, iso, row};
use crate::data::{AtomId, Record, Tag, Trailed, Value, View};
use crate::machine::{Fault, Global, Machine, Next};
use crate::text::{Op, OpType};
use std::rc::Rc;

pub(super) const ROWS: &[Row] = &[
    row("nb_setval", 2, nb_setval),
    row("nb_delete", 1, |m, a| {
        let name = m.arg(a, 0);
        let name = m.atom_arg(name)?;
        m.run.globals.remove(&name);
        Ok(Next::True)
    }),
    row("$modules", 1, |m, a| {
        let mut names: Vec<AtomId> = m.modules.by_name.keys().copied().collect();
        names.extend([AtomId::USER, AtomId::SYSTEM]);
        names.sort();
        names.dedup();
        let names: Vec<Value> = names.into_iter().map(Value::atom).collect();
        let (to, list) = (m.arg(a, 0), m.heap.list(&names));
        m.answer(to, list)
    }),
    row("b_setval", 2, b_setval),
    row("nb_getval", 2, getval),
    row("b_getval", 2, getval),
    row("nb_current", 2, |m, a| {
        let name = m.arg(a, 0);
        let name = m.atom_arg(name)?;
        match m.global(name) {
            Some(found) => {
                let to = m.arg(a, 1);
                m.answer(to, found)
            }
            None => Ok(Next::False),
        }
    }),
    iso("set_prolog_flag", 2, set_flag),
    row("create_prolog_flag", 3, |m, a| {
        let options = m.arg(a, 2);
        m.options_arg(options)?;
        set_flag(m, a)
    }),
    row("$flag", 2, get_flag),
    iso("op", 3, op),
    row("$ops", 1, ops),
    row("gensym", 2, gensym),
    row("reset_gensym", 1, |m, a| {
        let base = m.arg(a, 0);
        let base = m.text_arg(base)?;
        m.run.gensyms.remove(&base);
        Ok(Next::True)
    }),
    row("reset_gensym", 0, |m, _| {
        m.run.gensyms.clear();
        Ok(Next::True)
    }),
    row("statistics", 2, statistics),
    row("get_time", 1, |m, a| {
        m.note_environment("the clock");
        let to = m.arg(a, 0);
        // The clock is derived from the number of steps, a microsecond each, so that runs are deterministic.
        #[expect(clippy::cast_precision_loss, reason = "steps are far below 2^53")]
        let now = m.epoch + m.control.steps as f64 * 1e-6;
        m.answer(to, Value::float(now))
    }),
    row("prolog_load_context", 2, |m, a| {
        let (key, to) = (m.arg(a, 0), m.arg(a, 1));
        let Some(key) = key.as_atom() else { return Ok(Next::False) };
        if key == AtomId::MODULE {
            let module = Value::atom(m.load_module);
            return m.answer(to, module);
        }
        let Some((path, _)) = m.load_place.clone() else { return Ok(Next::False) };
        let value = match m.atoms.text(key) {
            "source" | "file" => path.as_str(),
            "directory" => path.rsplit_once('/').map_or(".", |it| it.0),
            "dialect" => "swi",
            _ => return Ok(Next::False),
        };
        let value = m.atom_named(value);
        m.answer(to, value)
    }),
    row("source_location", 2, |m, a| {
        let Some((path, line)) = m.load_place.clone() else { return Ok(Next::False) };
        let (path, to_path, to_line) = (m.atom_named(&path), m.arg(a, 0), m.arg(a, 1));
        Ok((m.unify(to_path, path) && m.unify(to_line, Value::size(line))).into())
    }),
    row("$current_source_module", 1, |m, a| {
        let (to, module) = (m.arg(a, 0), Value::atom(m.load_module));
        m.answer(to, module)
    }),
    row("$current_typein_module", 1, |m, a| {
        let to = m.arg(a, 0);
        m.answer(to, Value::atom(AtomId::USER))
    }),
    row("context_module", 1, |m, a| {
        let (to, module) = (m.arg(a, 0), Value::atom(m.context));
        m.answer(to, module)
    }),
];

impl Machine {
    fn global(&mut self, name: AtomId) -> Option<Value> {
        match self.run.globals.get_mut(&name)?.last_mut()? {
            Global::Live(value) | Global::Kept(_, Some(value)) => Some(*value),
            Global::Kept(record, loaded) => {
                let value = record.clone().load(&mut self.heap);
                if value.tag() == Tag::Struct {
                    *loaded = Some(value);
                    self.heap.trail.push(Trailed::Global(name, Value::TRUE));
                }
                Some(value)
            }
        }
    }
}

fn nb_setval(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let name = m.arg(a, 0);
    let name = m.atom_arg(name)?;
    let record = Rc::new(Record::with_attributes(&m.heap, &m.atoms, m.arg(a, 1)));
    let values = m.run.globals.entry(name).or_default();
    // Older values that backtracking would restore stay below the new one.
    match values.last_mut() {
        Some(last) => *last = Global::Kept(record, None),
        None => values.push(Global::Kept(record, None)),
    }
    Ok(Next::True)
}

fn b_setval(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let (name, value) = (m.arg(a, 0), m.arg(a, 1));
    let name = m.atom_arg(name)?;
    m.run.globals.entry(name).or_default().push(Global::Live(value));
    m.heap.trail.push(Trailed::Global(name, Value::NIL));
    Ok(Next::True)
}

fn getval(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let (name, to) = (m.arg(a, 0), m.arg(a, 1));
    let id = m.atom_arg(name)?;
    match m.global(id) {
        Some(found) => m.answer(to, found),
        None => missing_global(m, name, to),
    }
}

/// Calls `user:exception/3`, which may create a global variable when it is first read.
fn missing_global(m: &mut Machine, name: Value, to: Value) -> Result<Next, Fault> {
    let hook = m.atoms.functor_named("exception", 3);
    let hooked = m.db.find(AtomId::USER, hook).is_some_and(|it| 0 < m.db.get(it).n_clauses);
    if !hooked {
        return Err(m.existence_error("variable", name));
    }
    let functor = m.atoms.functor_named("$missing_global", 2);
    let goal = m.heap.structure(functor, &[name, to]);
    m.run_body(AtomId::SYSTEM, goal, m.control.choices.len())?;
    Ok(Next::Jump)
}

const READ_ONLY: &[&str] = &[
    "bounded",
    "max_integer",
    "min_integer",
    "max_tagged_integer",
    "min_tagged_integer",
    "version",
];

fn set_flag(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let (name, value) = (m.arg(a, 0), m.arg(a, 1));
    if name.is_var() || value.is_var() {
        return Err(m.instantiation_error());
    }
    let flag = m.atom_arg(name)?;
    if READ_ONLY.contains(&m.atoms.text(flag)) {
        return Err(m.permission_error("modify", "flag", name));
    }
    let record = Record::new(&m.heap, &m.atoms, value);
    m.flags.insert(flag, record);
    Ok(Next::True)
}

fn get_flag(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let (name, to) = (m.arg(a, 0), m.arg(a, 1));
    let name = m.atom_arg(name)?;
    if let Some(record) = m.flags.get(&name).cloned() {
        let value = record.load(&mut m.heap);
        return m.answer(to, value);
    }
    let value = match m.atoms.text(name) {
        "bounded" | "iso" | "prefer_rationals" | "occurs_check" | "xref" | "gc"
        | "char_conversion" | "debug" | "optimise" | "report_error_stack" => "false",
        "unbounded"
        | "character_escapes"
        | "generate_debug_info"
        | "autoload"
        | "unix"
        | "last_call_optimisation"
        | "stream_type_check_loose" => "true",
        "max_arity" => "unbounded",
        "integer_rounding_function" => "toward_zero",
        "emulated_dialect" => "swi",
        "float_overflow" | "float_zero_div" | "float_undefined" => "error",
        "float_rounding" => "to_nearest",
        "back_quotes" => "codes",
        "rational_syntax" => "compatibility",
        "encoding" => "utf8",
        "float_max" => return m.answer(to, Value::float(f64::MAX)),
        "float_min" => return m.answer(to, Value::float(f64::MIN_POSITIVE)),
        "argv" => {
            m.note_environment("the flag argv");
            // The program gets no command-line arguments.
            return m.answer(to, Value::NIL);
        }
        "double_quotes" => "string",
        "unknown" => "error",
        "dialect" => "swi",
        "max_integer" => return m.answer(to, Value::int(i64::MAX)),
        "min_integer" => return m.answer(to, Value::int(i64::MIN)),
        "max_tagged_integer" => return m.answer(to, Value::int((1 << 60) - 1)),
        "min_tagged_integer" => return m.answer(to, Value::int(-(1 << 60))),
        "version" => return m.answer(to, Value::int(90_004)),
        // The real runtime may have such a flag.
        other => {
            let other = format!("the flag {other}");
            m.note_environment(&other);
            return Ok(Next::False);
        }
    };
    let value = m.atom_named(value);
    m.answer(to, value)
}

fn op(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let (priority, kind, names) = (m.arg(a, 0), m.arg(a, 1), m.arg(a, 2));
    let n = m.int_arg(priority)?;
    let n = match u16::try_from(n) {
        Ok(n) if n <= 1200 => n,
        _ => return Err(m.domain_error("operator_priority", priority)),
    };
    let kind_name = m.atom_arg(kind)?;
    let Some(op_type) = OpType::from_name(m.atoms.text(kind_name)) else {
        return Err(m.domain_error("operator_specifier", kind));
    };
    let module = if m.context == AtomId::SYSTEM { AtomId::USER } else { m.context };
    let (module, names) = m.strip_module(module, names);
    let is_list = names.is_cons() || names.is_nil();
    let items = if is_list { m.list_arg(names)? } else { vec![names] };
    for item in items {
        let (module, item) = m.strip_module(module, item);
        let name = match item.view() {
            View::Var(_) => return Err(m.instantiation_error()),
            View::Atom(name) => name,
            View::Int(_)
            | View::Big(_)
            | View::Rational(_)
            | View::Float(_)
            | View::Text(_)
            | View::Struct(..) => return Err(m.type_error("list", item)),
        };
        match m.atoms.text(name) {
            "," => return Err(m.permission_error("modify", "operator", item)),
            "|" if n != 0 && n < 1001 => return Err(m.permission_error("create", "operator", item)),
            "[]" if name == AtomId::NIL => {
                return Err(m.permission_error("create", "operator", item));
            }
            "{}" => return Err(m.permission_error("create", "operator", item)),
            _ => {}
        }
        m.ops.add(module, name, Op { priority: n, kind: op_type });
    }
    Ok(Next::True)
}

/// Returns all operators as `op(Priority, Type, Name)`.
fn ops(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let module = if m.context == AtomId::SYSTEM { AtomId::USER } else { m.context };
    let all = m.ops.all(module);
    let functor = m.atoms.functor_named("op", 3);
    let mut items = Vec::with_capacity(all.len());
    for (name, op) in all {
        let kind = m.atom_named(op.kind.name());
        let args = [Value::int(i64::from(op.priority)), kind, Value::atom(name)];
        items.push(m.heap.structure(functor, &args));
    }
    let list = m.heap.list(&items);
    let to = m.arg(a, 0);
    m.answer(to, list)
}

fn gensym(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let (base, to) = (m.arg(a, 0), m.arg(a, 1));
    let base = m.text_arg(base)?;
    let n = m.run.gensyms.entry(base.clone()).or_insert(0);
    *n += 1;
    let name = format!("{base}{n}");
    let name = m.atom_named(&name);
    m.answer(to, name)
}

/// Implements `statistics/2`. No time passes in the machine; steps stand for time.
fn statistics(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let (key, to) = (m.arg(a, 0), m.arg(a, 1));
    let name = m.atom_arg(key)?;
    m.note_environment("the clock");
    let steps = i64::try_from(m.control.steps).unwrap_or(i64::MAX);
    let value = match m.atoms.text(name) {
        "inferences" => Value::int(steps),
        "runtime" | "cputime" | "walltime" | "real_time" | "process_cputime" | "system_time" => {
            let millis = Value::int(steps / 1000);
            if m.atoms.text(name).contains("cputime") {
                Value::float(0.0)
            } else {
                m.heap.list(&[millis, Value::int(0)])
            }
        }
        _ => return Err(m.domain_error("statistics_key", key)),
    };
    m.answer(to, value)
}
