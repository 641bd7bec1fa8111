//! Loaded code: one flat vector of instructions for all modules, and the tables beside it.
//!
//! The tables only grow. Literals live in the world's heap; instructions hold their indices.

use crate::builtins::{self, Builtin};
use crate::code::{BuiltinId, FnId, Ins, Reg, Src};
use crate::core::{MapOp, Place};
use rustc_hash::FxHashMap;
use smol_str::SmolStr;
use std::cell::Cell;
use trace::ClauseId;
use values::{AtomId, Atoms, LambdaId, SegmentSpec};

#[derive(Debug, Default)]
pub struct Program {
    pub code: Vec<Ins>,
    pub operands: Vec<Src>,
    pub functions: Vec<FunctionInfo>,
    /// The largest number of registers of any function.
    pub max_regs: u16,
    pub imports: Vec<Import>,
    pub switches: Vec<SwitchTable>,
    pub bits_patterns: Vec<BitsPattern>,
    pub bits: Vec<Vec<BitsSegment>>,
    pub map_steps: Vec<Vec<MapStep>>,
    /// Sorted by end address; inner handlers come before the ones around them.
    pub handlers: Vec<Handler>,
    /// Source places of instructions, sorted by address. An entry applies up to the next one.
    pub places: Vec<(u32, Place)>,
    pub clauses: Vec<ClauseInfo>,
    pub modules: FxHashMap<AtomId, ModuleInfo>,
    pub exports: FxHashMap<(AtomId, AtomId, u32), FnId>,
    /// The function of each [`LambdaId`], `None` until its module is loaded.
    pub lambdas: Vec<Option<FnId>>,
    pub builtins: Vec<&'static Builtin>,
    pub builtin_ids: FxHashMap<(AtomId, AtomId, u32), BuiltinId>,
    /// The original first instruction of each function whose body was ever replaced by [`Ins::Outside`], by its
    /// address.
    pub first_instructions: FxHashMap<u32, Ins>,
    pub import_ids: FxHashMap<(AtomId, AtomId, u32), crate::code::ImportId>,
}

#[derive(Clone, Debug)]
pub struct FunctionInfo {
    pub module: AtomId,
    pub name: AtomId,
    /// The number of parameters, captured values included.
    pub arity: u32,
    /// The address of its first instruction.
    pub entry: u32,
    /// The address that calls go to: `entry`, or the tracing code in front of the function.
    pub start: u32,
    pub end: u32,
    pub n_regs: u16,
}

#[derive(Clone, Debug)]
pub struct ModuleInfo {
    pub functions: Vec<FnId>,
    pub files: Vec<SmolStr>,
}

#[derive(Clone, Debug)]
pub struct Import {
    pub module: AtomId,
    pub name: AtomId,
    pub arity: u32,
    /// Resolved at the first call; `None` before, and after the target was replaced.
    pub target: Cell<Option<Target>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    Function(FnId),
    Builtin(BuiltinId),
}

#[derive(Clone, Debug, Default)]
pub struct SwitchTable {
    pub atoms: Vec<(AtomId, u32)>,
    pub ints: Vec<(i64, u32)>,
    pub tuples: Vec<(u32, u32)>,
    pub literals: Vec<(Src, u32)>,
    pub cons: Option<u32>,
    pub nil: Option<u32>,
    pub default: u32,
}

impl SwitchTable {
    /// How many values or shapes the switch distinguishes.
    pub(crate) fn n_heads(&self) -> usize {
        let lists = usize::from(self.cons.is_some()) + usize::from(self.nil.is_some());
        self.atoms.len() + self.ints.len() + self.tuples.len() + self.literals.len() + lists
    }

    pub(crate) fn targets(&mut self) -> impl Iterator<Item = &mut u32> {
        let atoms = self.atoms.iter_mut().map(|it| &mut it.1);
        let ints = self.ints.iter_mut().map(|it| &mut it.1);
        let tuples = self.tuples.iter_mut().map(|it| &mut it.1);
        let literals = self.literals.iter_mut().map(|it| &mut it.1);
        let lists = self.cons.iter_mut().chain(self.nil.iter_mut());
        atoms.chain(ints).chain(tuples).chain(literals).chain(lists).chain([&mut self.default])
    }
}

#[derive(Clone, Debug)]
pub struct BitsPattern {
    pub parts: Vec<PatternPart>,
}

#[derive(Clone, Debug)]
pub struct PatternPart {
    pub spec: SegmentSpec,
    /// The size in units; `None` means the rest, or a type that knows its own size.
    pub size: Option<Src>,
    /// The register that the value is stored in, if it is used.
    pub dst: Option<Reg>,
    /// The literal that the value must be equal to.
    pub literal: Option<Src>,
}

#[derive(Clone, Debug)]
pub struct BitsSegment {
    /// The number of the segment in the source expression, for error descriptions.
    pub number: u32,
    pub value: Src,
    pub size: Option<Src>,
    pub spec: SegmentSpec,
}

#[derive(Clone, Copy, Debug)]
pub struct MapStep {
    pub op: MapOp,
    pub key: Src,
    pub value: Src,
}

/// A handler for exceptions raised between two addresses.
#[derive(Clone, Copy, Debug)]
pub struct Handler {
    pub start: u32,
    pub end: u32,
    pub target: u32,
    pub kind: HandlerKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HandlerKind {
    /// Stores class, reason and raw trace in three registers from this one on.
    Try(Reg),
    /// A guard that fails: the exception is dropped.
    Guard,
}

#[derive(Clone, Debug)]
pub struct ClauseInfo {
    pub function: FnId,
    pub place: Place,
}

impl Program {
    /// Makes a program that has the builtins and no modules.
    pub fn new(atoms: &mut Atoms) -> Program {
        // Address 0 returns the value of a tail call that was run elsewhere, address 1 that of a traced call.
        let code = vec![Ins::Return { src: Src::reg(Reg(0)) }, Ins::TracedReturn];
        let mut res = Program { code, ..Program::default() };
        for builtin in builtins::all() {
            let id = BuiltinId(u16::try_from(res.builtins.len()).unwrap_or(u16::MAX));
            let key = (
                atoms.intern(builtin.module),
                atoms.intern(builtin.name),
                u32::from(builtin.arity),
            );
            res.builtins.push(builtin);
            res.builtin_ids.insert(key, id);
        }
        super::receive::add(&mut res, atoms);
        super::dirty::add(&mut res, atoms);
        res
    }

    pub fn function(&self, id: FnId) -> Option<&FunctionInfo> {
        self.functions.get(id.0 as usize)
    }

    pub fn lambda(&self, id: LambdaId) -> Option<FnId> {
        self.lambdas.get(id.0 as usize).copied().flatten()
    }

    /// Returns the target of a call from outside the module: a builtin, or an exported function of a loaded module.
    pub fn resolve(&self, module: AtomId, name: AtomId, arity: u32) -> Option<Target> {
        let key = (module, name, arity);
        let builtin = self.builtin_ids.get(&key).map(|it| Target::Builtin(*it));
        builtin.or_else(|| self.code_of(module, name, arity))
    }

    /// Returns the exported Erlang function, even if there is a builtin of the same name.
    pub fn code_of(&self, module: AtomId, name: AtomId, arity: u32) -> Option<Target> {
        self.exports.get(&(module, name, arity)).map(|it| Target::Function(*it))
    }

    /// Makes the module unreachable by name. Its code stays for the processes that still run it.
    pub(crate) fn forget(&mut self, module: AtomId) {
        self.exports.retain(|it, _| it.0 != module);
        self.modules.remove(&module);
        for import in self.imports.iter().filter(|it| it.module == module) {
            import.target.set(None);
        }
    }

    /// Makes calls that name the module reach this function from now on.
    pub(crate) fn redirect(&mut self, call: (AtomId, AtomId, u32), function: FnId) {
        if let Some(export) = self.exports.get_mut(&call) {
            *export = function;
        }
        let import = self.import_ids.get(&call).and_then(|it| self.imports.get(it.0 as usize));
        if let Some(import) = import {
            import.target.set(None);
        }
    }

    pub(crate) fn start_at(&mut self, function: FnId, start: u32) {
        if let Some(info) = self.functions.get_mut(function.0 as usize) {
            info.start = start;
        }
    }

    /// Returns the function whose code contains an address.
    pub fn function_at(&self, pc: u32) -> Option<&FunctionInfo> {
        if pc as usize >= self.code.len() {
            return None;
        }
        let after = self.functions.partition_point(|it| it.entry <= pc);
        self.functions.get(after.checked_sub(1)?)
    }

    pub fn place_at(&self, pc: u32) -> Place {
        let after = self.places.partition_point(|it| it.0 <= pc);
        let place = after.checked_sub(1).and_then(|it| self.places.get(it));
        place.map_or_else(Place::default, |it| it.1)
    }

    /// Returns the innermost handler for an exception raised at an address.
    pub fn handler_at(&self, pc: u32) -> Option<Handler> {
        // The handlers of one function are contiguous, and inner ones were closed first.
        let from = self.handlers.partition_point(|it| it.end <= pc);
        let function = self.function_at(pc)?;
        let candidates = self.handlers.get(from..)?.iter();
        candidates
            .take_while(|it| it.end <= function.end)
            .find(|it| it.start <= pc && pc < it.end)
            .copied()
    }

    /// Returns how many nested handlers, guards excluded, cover an address.
    pub(crate) fn n_handlers_at(&self, pc: u32) -> usize {
        let from = self.handlers.partition_point(|it| it.end <= pc);
        let Some(function) = self.function_at(pc) else { return 0 };
        let candidates = self.handlers.get(from..).unwrap_or_default().iter();
        candidates
            .take_while(|it| it.end <= function.end)
            .filter(|it| it.start <= pc && pc < it.end && it.kind != HandlerKind::Guard)
            .count()
    }

    pub fn clause(&self, id: ClauseId) -> Option<&ClauseInfo> {
        self.clauses.get(id.0 as usize)
    }
}
