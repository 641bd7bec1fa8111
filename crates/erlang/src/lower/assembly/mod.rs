//! Translates BEAM assembly to our instructions, for modules whose source (Core Erlang) is not available.
//!
//! BEAM's registers become registers of the frame, in this order: x registers, y registers, floating-point registers,
//! and a few scratch registers. All are initialised on entry, so that the garbage collector may scan any of them. BEAM
//! finds its exception handlers on the stack; ours are ranges of addresses, so the handler of each instruction is
//! computed from the control flow. BEAM matches bits with a position in a bitstring; here the remaining bitstring takes
//! its place.

mod bits;
mod flow;
mod ops;
mod read;

pub(crate) use read::{Assembly, AssemblyError};

use crate::code::{FnId, Handler, HandlerKind, Ins, ModuleInfo, Program, Reg, Src};
use crate::core::{Module, Place};
use crate::lower::{Closures, Lowering};
use crate::machine::World;
use flow::{ActiveHandler, ActiveHandlers};
use read::{Function, natural};
use rustc_hash::FxHashMap;
use term::Term;

/// Adds a module to the program. An error means that the module has an instruction that is unknown, or inconsistent
/// labels.
pub(crate) fn assemble(
    program: &mut Program,
    world: &mut World,
    assembly: &Assembly,
    closures: Closures<'_>,
) -> Result<(), AssemblyError> {
    let module = Module {
        name: assembly.name.clone(),
        exports: Vec::new(),
        functions: Vec::new(),
        inline: Vec::new(),
        uses: Vec::new(),
        names: Vec::new(),
        files: Vec::new(),
    };
    let mut lowering = Lowering::new(program, world, &module, closures);
    let name = lowering.name;
    let mut ids = Vec::new();
    for function in &assembly.functions {
        let arity = function.arity as usize;
        let id = lowering.declare(&function.name, arity);
        lowering.locals.insert((function.name.clone(), arity), id);
        ids.push(id);
    }
    for (function, id) in assembly.functions.iter().zip(&ids) {
        Assembler::function(&mut lowering, assembly, function, *id)?;
    }
    let locals = std::mem::take(&mut lowering.locals);
    for (function, arity) in &assembly.exports {
        if let Some(id) = locals.get(&(function.clone(), *arity as usize)) {
            let function = world.atoms.intern(function.as_str());
            program.exports.insert((name, function, *arity), *id);
        }
    }
    let files = assembly.files.clone();
    program.modules.insert(name, ModuleInfo { functions: ids, files });
    Ok(())
}

/// Generates the code of one function.
struct Assembler<'l, 'a> {
    lowering: &'l mut Lowering<'a>,
    assembly: &'a Assembly,
    function: &'a Function,
    n_x: u16,
    n_y: u16,
    n_floats: u16,
    /// The address of each label: those of the assembly, and our own, which are numbered from [`FIRST_OWN_LABEL`].
    labels: FxHashMap<u32, u32>,
    n_labels: u32,
    /// The `catch_end` instructions that exceptions jump to, by their label in the assembly.
    catches: Vec<CatchPath>,
    first_switch: usize,
    entry: u32,
    /// Whether the instruction that is being translated is followed by a return.
    returns_next: bool,
}

/// The path of an exception to the code behind a `catch`.
struct CatchPath {
    /// The label in the assembly.
    label: u32,
    stub: u32,
    after: u32,
}

/// The number of scratch registers.
const N_OWN: u16 = 3;
const FIRST_OWN_LABEL: u32 = 1 << 30;

impl<'l, 'a> Assembler<'l, 'a> {
    fn function(
        lowering: &'l mut Lowering<'a>,
        assembly: &'a Assembly,
        function: &'a Function,
        id: FnId,
    ) -> Result<(), AssemblyError> {
        let RegisterCounts { x, y, floats } = register_counts(function);
        let entry = address(lowering.program.code.len());
        let first_switch = lowering.program.switches.len();
        let mut assembler = Assembler {
            lowering,
            assembly,
            function,
            n_x: x,
            n_y: y,
            n_floats: floats,
            labels: FxHashMap::default(),
            n_labels: FIRST_OWN_LABEL,
            catches: Vec::new(),
            first_switch,
            entry,
            returns_next: false,
        };
        let active = flow::handlers(&function.code, function.entry)?;
        assembler.code(&active)?;
        assembler.finish(id)
    }

    fn code(&mut self, active: &[ActiveHandlers]) -> Result<(), AssemblyError> {
        self.lowering.place(self.entry, Place::default());
        let arity = u16::try_from(self.function.arity).unwrap_or(u16::MAX);
        let n = self.base().0 - arity;
        self.emit(Ins::Clear { from: Reg(arity), n });
        self.emit(Ins::Jump { to: self.function.entry });
        let mut label = 0;
        for (n, (op, active)) in self.function.code.iter().zip(active).enumerate() {
            self.returns_next = returns(self.function.code.get(n + 1..).unwrap_or_default());
            let start = self.here();
            match parts(op) {
                ("label", [n]) => {
                    label = natural(n).unwrap_or(0);
                    self.bind(label);
                }
                ("catch_end", _) => self.bind_after(label),
                (name, args) => {
                    let guard = self.op(name, args).ok_or_else(|| self.unknown(op))?;
                    let end = self.here();
                    match (guard, active.last()) {
                        (Some(to), _) => self.handler(start, end, to, HandlerKind::Guard),
                        (None, Some(ActiveHandler { to, is_try: true, .. })) => {
                            self.handler(start, end, *to, HandlerKind::Try(Reg(0)));
                        }
                        (None, Some(ActiveHandler { to, is_try: false, .. })) => {
                            let stub = self.caught(*to);
                            self.handler(start, end, stub, HandlerKind::Try(Reg(0)));
                        }
                        (None, None) => (),
                    }
                }
            }
        }
        for CatchPath { stub, after, .. } in std::mem::take(&mut self.catches) {
            self.bind(stub);
            self.emit(Ins::CatchEnd { at: Reg(0) });
            self.emit(Ins::Jump { to: after });
        }
        Ok(())
    }

    fn unknown(&self, op: &Term) -> AssemblyError {
        let (name, arity) = (self.function.name.as_str(), self.function.arity);
        let op = term::print(op, term::Style::TW);
        AssemblyError { what: format!("{op} in {name}/{arity}") }
    }

    fn finish(self, id: FnId) -> Result<(), AssemblyError> {
        let n_regs = self.base().0.saturating_add(8);
        let program = &mut self.lowering.program;
        let mut is_whole = true;
        let mut at = |label: u32| {
            let found = self.labels.get(&label).copied();
            is_whole &= found.is_some();
            found.unwrap_or(0)
        };
        let code = program.code.get_mut(self.entry as usize..).unwrap_or_default();
        for target in code.iter_mut().flat_map(Ins::targets).flatten() {
            *target = at(*target);
        }
        for table in program.switches.get_mut(self.first_switch..).unwrap_or_default() {
            table.targets().for_each(|it| *it = at(*it));
        }
        let from = program.handlers.partition_point(|it| it.end <= self.entry);
        for handler in program.handlers.get_mut(from..).unwrap_or_default() {
            handler.target = at(handler.target);
        }
        if !is_whole {
            return Err(AssemblyError { what: "a label that is nowhere".to_owned() });
        }
        let end = address(program.code.len());
        if let Some(info) = program.functions.get_mut(id.0 as usize) {
            info.entry = self.entry;
            info.start = self.entry;
            info.end = end;
            info.n_regs = n_regs;
        }
        program.max_regs = n_regs.max(program.max_regs);
        Ok(())
    }

    // Registers, labels, instructions

    fn y(&self, n: u32) -> Reg {
        Reg(self.n_x.saturating_add(as_u16(n)))
    }

    fn float(&self, n: u32) -> Reg {
        Reg(self.n_x.saturating_add(self.n_y).saturating_add(as_u16(n)))
    }

    fn own(&self, n: u16) -> Reg {
        Reg(self.n_x.saturating_add(self.n_y).saturating_add(self.n_floats).saturating_add(n))
    }

    /// The first register of a callee's frame.
    fn base(&self) -> Reg {
        self.own(N_OWN)
    }

    fn emit(&mut self, ins: Ins) {
        self.lowering.program.code.push(ins);
    }

    fn here(&self) -> u32 {
        address(self.lowering.program.code.len())
    }

    fn label(&mut self) -> u32 {
        self.n_labels += 1;
        self.n_labels
    }

    fn bind(&mut self, label: u32) {
        let here = self.here();
        self.labels.insert(label, here);
    }

    /// The label of the stub that handles the exceptions of a `catch` with this label.
    fn caught(&mut self, label: u32) -> u32 {
        if let Some(caught) = self.catches.iter().find(|it| it.label == label) {
            return caught.stub;
        }
        let (stub, after) = (self.label(), self.label());
        self.catches.push(CatchPath { label, stub, after });
        stub
    }

    fn bind_after(&mut self, label: u32) {
        self.caught(label);
        let after = self.catches.iter().find(|it| it.label == label).map(|it| it.after);
        if let Some(after) = after {
            self.bind(after);
        }
    }

    fn handler(&mut self, start: u32, end: u32, target: u32, kind: HandlerKind) {
        if start == end {
            return;
        }
        let handlers = &mut self.lowering.program.handlers;
        if let Some(last) = handlers.last_mut()
            && last.end == start
            && (last.target, last.kind) == (target, kind)
        {
            last.end = end;
            return;
        }
        handlers.push(Handler { start, end, target, kind });
    }

    fn operands(&mut self, srcs: &[Src]) -> u32 {
        let start = self.lowering.program.operands.len();
        self.lowering.program.operands.extend_from_slice(srcs);
        address(start)
    }
}

/// How many registers of each kind a function uses.
#[derive(Default)]
struct RegisterCounts {
    x: u16,
    y: u16,
    floats: u16,
}

fn register_counts(function: &Function) -> RegisterCounts {
    // The handler of an exception receives its class, reason and stack trace in the first three x registers.
    let mut res = RegisterCounts { x: as_u16(function.arity).max(3), ..RegisterCounts::default() };
    let mut todo: Vec<&Term> = function.code.iter().collect();
    while let Some(term) = todo.pop() {
        if let Some([tag, n]) = term.as_tuple()
            && let Some(n) = natural(n)
        {
            let most = match tag.as_atom() {
                Some("x") => &mut res.x,
                Some("y") => &mut res.y,
                Some("fr") => &mut res.floats,
                // These instructions use the arguments without naming them, then a fun, or a module and a function.
                Some("call_fun" | "apply") => {
                    res.x = res.x.max(as_u16(n).saturating_add(2));
                    continue;
                }
                Some(_) | None => continue,
            };
            *most = (*most).max(as_u16(n).saturating_add(1));
            continue;
        }
        if let Some([tag, n, ..]) = term.as_tuple()
            && let Some(
                "call" | "call_last" | "call_only" | "call_ext" | "call_ext_last" | "call_ext_only"
                | "call_fun2" | "apply_last" | "trim",
            ) = tag.as_atom()
            && let Some(n) = natural(n)
        {
            res.x = res.x.max(as_u16(n).saturating_add(2));
        }
        match term {
            Term::Tuple(items) => match items.first().and_then(Term::as_atom) {
                // Literals contain arbitrary terms, and `tr` operands contain type information.
                Some("literal") => (),
                Some("tr") => todo.extend(items.get(1)),
                Some(_) | None => todo.extend(items),
            },
            Term::List(list) => todo.extend(&list.items),
            _ => (),
        }
    }
    res
}

fn returns(code: &[Term]) -> bool {
    match code.first().map(parts) {
        Some(("return", _)) => true,
        Some(("deallocate", _)) => code.get(1).is_some_and(|it| parts(it).0 == "return"),
        Some(_) | None => false,
    }
}

/// The name of an instruction and its operands.
fn parts(op: &Term) -> (&str, &[Term]) {
    match op {
        Term::Atom(name) => (name.as_str(), &[]),
        Term::Tuple(items) => match items.split_first() {
            Some((name, args)) => (name.as_atom().unwrap_or_default(), args),
            None => ("", &[]),
        },
        _ => ("", &[]),
    }
}

/// The label in an operand `{f, Label}`.
fn label_of(term: &Term) -> Option<u32> {
    match term.as_tuple()? {
        [tag, label] if tag.as_atom() == Some("f") => natural(label),
        _ => None,
    }
}

fn as_u16(n: u32) -> u16 {
    u16::try_from(n).unwrap_or(u16::MAX)
}

fn address(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
