//! Loaded code: one flat vector of instructions for all modules, and the tables beside it.
//!
//! Only grows. Literals live in the world's heap; instructions hold their numbers.

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
    /// The most registers that any function has.
    pub max_regs: u16,
    pub imports: Vec<Import>,
    pub switches: Vec<SwitchTable>,
    pub bits_patterns: Vec<BitsPattern>,
    pub bits: Vec<Vec<BitsSegment>>,
    pub map_steps: Vec<Vec<MapStep>>,
    /// Sorted by where they end, inner before outer.
    pub handlers: Vec<Handler>,
    /// Places of instructions, sorted by address; one holds until the next.
    pub places: Vec<(u32, Place)>,
    pub clauses: Vec<ClauseInfo>,
    pub modules: FxHashMap<AtomId, ModuleInfo>,
    pub exports: FxHashMap<(AtomId, AtomId, u32), FnId>,
    /// The code of each [`LambdaId`], if it is loaded.
    pub lambdas: Vec<Option<FnId>>,
    pub builtins: Vec<&'static Builtin>,
    pub builtin_ids: FxHashMap<(AtomId, AtomId, u32), BuiltinId>,
    /// By its address, the first instruction of each function that was ever run elsewhere.
    pub first_instructions: FxHashMap<u32, Ins>,
    pub import_ids: FxHashMap<(AtomId, AtomId, u32), crate::code::ImportId>,
}

#[derive(Clone, Debug)]
pub struct FunctionInfo {
    pub module: AtomId,
    pub name: AtomId,
    /// Parameters, captured values included.
    pub arity: u32,
    /// Where its code begins.
    pub entry: u32,
    /// Where a call goes: to the code, or to what stands before it.
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
    /// Found at the first call.
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
    /// How many heads it tells apart.
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
    /// In units; `None` is the rest, or what the type says.
    pub size: Option<Src>,
    /// Where the value goes, if anyone looks at it.
    pub dst: Option<Reg>,
    /// What the value must be.
    pub literal: Option<Src>,
}

#[derive(Clone, Debug)]
pub struct BitsSegment {
    /// Where it stands in the source.
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

/// What happens to an exception raised between two addresses.
#[derive(Clone, Copy, Debug)]
pub struct Handler {
    pub start: u32,
    pub end: u32,
    pub target: u32,
    pub kind: HandlerKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HandlerKind {
    /// Class, reason and raw trace go to three registers from here on.
    Try(Reg),
    /// A guard that fails: nothing is kept.
    Guard,
}

#[derive(Clone, Debug)]
pub struct ClauseInfo {
    pub function: FnId,
    pub place: Place,
}

impl Program {
    /// A program that knows the builtins and no modules.
    pub fn new(atoms: &mut Atoms) -> Program {
        // Address 0 returns the value of a tail call that did not run here, address 1 that of a call
        // that is traced.
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

    /// What a call of this function reaches, if its module is loaded or it is a builtin.
    pub fn resolve(&self, module: AtomId, name: AtomId, arity: u32) -> Option<Target> {
        let key = (module, name, arity);
        let builtin = self.builtin_ids.get(&key).map(|it| Target::Builtin(*it));
        builtin.or_else(|| self.code_of(module, name, arity))
    }

    /// The Erlang code of a function, whether or not there is a builtin too.
    pub fn code_of(&self, module: AtomId, name: AtomId, arity: u32) -> Option<Target> {
        self.exports.get(&(module, name, arity)).map(|it| Target::Function(*it))
    }

    /// Nobody reaches the functions of this module any more; its code stays for who is in it.
    pub(crate) fn forget(&mut self, module: AtomId) {
        self.exports.retain(|it, _| it.0 != module);
        self.modules.remove(&module);
        for import in self.imports.iter().filter(|it| it.module == module) {
            import.target.set(None);
        }
    }

    /// Calls that name the module reach this function from now on.
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

    /// The function whose code an address is in.
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

    /// The innermost handler for an exception raised at an address.
    pub fn handler_at(&self, pc: u32) -> Option<Handler> {
        // Handlers of one function lie together; the inner one of two was closed first.
        let from = self.handlers.partition_point(|it| it.end <= pc);
        let function = self.function_at(pc)?;
        let candidates = self.handlers.get(from..)?.iter();
        candidates
            .take_while(|it| it.end <= function.end)
            .find(|it| it.start <= pc && pc < it.end)
            .copied()
    }

    /// How many handlers an exception raised at an address could find one after the other.
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
