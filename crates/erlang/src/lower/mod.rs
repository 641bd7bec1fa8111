//! Compiles Core Erlang to our instructions: variables become registers, funs are lifted to functions, and patterns
//! become decision trees.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "most questions are about a few of many kinds of expressions; `walk` and `expr_kind` \
              name them all"
)]

mod assembly;
mod awaits;
mod cases;
mod emit;
mod exceptions;
mod functions;
mod guards;
mod inline;
mod names;
mod tree;

pub(crate) use assembly::{Assembly, AssemblyError, assemble};

use crate::builtins::How;
use crate::code::{FnId, FunctionInfo, ModuleInfo, Program, Src};
use crate::core::{Lambda, Module, Place, VarId};
use crate::machine::World;
use emit::{Emitter, Location};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use std::fmt;
use term::fit_u32;
use term::{Atom, Term};
use trace::ClauseId;
use values::{AtomId, LambdaId, from_term};

/// Code that exceeds a limit of the instruction set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TooLarge {
    pub function: String,
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is too large: it needs more than 65,000 registers", self.function)
    }
}

/// The identity of a module's closures, as BEAM's binary format and printed funs show it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Closures<'a> {
    pub(crate) md5: [u8; 16],
    /// The names and arities of the closures, in the order of BEAM's fun table.
    pub(crate) order: &'a [(Atom, u32)],
}

/// Adds a module to the program.
pub(crate) fn lower(
    program: &mut Program,
    world: &mut World,
    module: &Module,
    closures: Closures<'_>,
) -> Result<(), TooLarge> {
    let mut lowering = Lowering::new(program, world, module, closures);
    let name = lowering.name;
    for function in &module.functions {
        let arity = function.lambda.params.len();
        let id = lowering.declare(&function.name, arity);
        lowering.locals.insert((function.name.clone(), arity), id);
        if module.inline.iter().any(|it| it.0 == function.name && it.1 as usize == arity) {
            lowering.inlined.insert((function.name.clone(), arity), &function.lambda);
        }
        let native = lowering.is_native(&function.name, arity).then(|| function.name.clone());
        lowering.pending.push_back(PendingFunction {
            id,
            native,
            lambda: &function.lambda,
            captured: Vec::new(),
            outer: FxHashMap::default(),
            owner: format!("{}/{arity}", function.name.as_str()),
        });
    }
    let first = lowering.program.functions.len() - module.functions.len();
    while let Some(pending) = lowering.pending.pop_front() {
        Emitter::function(&mut lowering, pending)?;
    }
    let functions = (first..lowering.program.functions.len()).map(fn_id).collect();
    let locals = std::mem::take(&mut lowering.locals);
    for (function, arity) in &module.exports {
        if let Some(id) = locals.get(&(function.clone(), *arity as usize)) {
            let function = world.atoms.intern(function.as_str());
            program.exports.insert((name, function, *arity), *id);
        }
    }
    let files = module.files.clone();
    program.modules.insert(name, ModuleInfo { functions, files });
    Ok(())
}

/// The state that the functions of one module share while they are compiled.
struct Lowering<'a> {
    program: &'a mut Program,
    world: &'a mut World,
    module: &'a Module,
    name: AtomId,
    closures: Closures<'a>,
    locals: FxHashMap<(Atom, usize), FnId>,
    literals: FxHashMap<Term, Src>,
    /// Functions that are declared but not yet compiled, in the order of their ids.
    pending: VecDeque<PendingFunction<'a>>,
    /// The number of closures that have no entry in BEAM's fun table.
    n_unnumbered: usize,
    /// The indexes in BEAM's fun table that are taken by closures.
    numbered: FxHashSet<usize>,
    lambdas: FxHashMap<FnId, LambdaId>,
    /// Whether closures of this version of the module were named before it was loaded.
    is_named: bool,
    /// The functions that the module asks to be inlined.
    inlined: FxHashMap<(Atom, usize), &'a Lambda>,
    /// The numbers of clauses with code, by the address of the clause in the tree; copies of a clause share a number.
    clause_ids: FxHashMap<usize, ClauseId>,
}

/// A function that is declared and still to be compiled.
struct PendingFunction<'a> {
    id: FnId,
    /// The builtin that implements the function, if there is one.
    native: Option<Atom>,
    lambda: &'a Lambda,
    /// Variables of the enclosing function, which are passed after the parameters.
    captured: Vec<VarId>,
    /// Variables of the enclosing function that need no register: literals and lifted functions.
    outer: FxHashMap<VarId, Location<'a>>,
    /// The source function, after which lifted functions are named.
    owner: String,
}

impl<'a> Lowering<'a> {
    fn new(
        program: &'a mut Program,
        world: &'a mut World,
        module: &'a Module,
        closures: Closures<'a>,
    ) -> Lowering<'a> {
        let name = world.atoms.intern(module.name.as_str());
        let is_named = world.heap.has_lambdas_of(name, closures.md5);
        Lowering {
            program,
            world,
            module,
            name,
            closures,
            locals: FxHashMap::default(),
            literals: FxHashMap::default(),
            pending: VecDeque::new(),
            n_unnumbered: 0,
            numbered: FxHashSet::default(),
            lambdas: FxHashMap::default(),
            is_named,
            inlined: FxHashMap::default(),
            clause_ids: FxHashMap::default(),
        }
    }

    /// Whether a function of this module is implemented by a builtin alone.
    fn is_native(&mut self, name: &Atom, arity: usize) -> bool {
        let name = self.world.atoms.intern(name.as_str());
        let key = (self.name, name, u32::try_from(arity).unwrap_or(u32::MAX));
        let id = self.program.builtin_ids.get(&key);
        let builtin = id.and_then(|it| self.program.builtins.get(it.0 as usize));
        builtin.is_some_and(|it| !matches!(it.how, How::Code))
    }

    fn declare(&mut self, name: &Atom, arity: usize) -> FnId {
        let name = self.world.atoms.intern(name.as_str());
        let id = fn_id(self.program.functions.len());
        self.program.functions.push(FunctionInfo {
            module: self.name,
            name,
            arity: u32::try_from(arity).unwrap_or(u32::MAX),
            entry: u32::MAX,
            start: u32::MAX,
            end: u32::MAX,
            n_regs: 0,
        });
        id
    }

    /// The id of a closure's code, from which fun values are made.
    fn closure_of(&mut self, function: FnId, name: &Atom, arity: usize) -> LambdaId {
        if let Some(id) = self.lambdas.get(&function) {
            return *id;
        }
        let Closures { md5, order } = self.closures;
        let arity = u32::try_from(arity).unwrap_or(u32::MAX);
        let exact = order.iter().position(|it| it.0 == *name && it.1 == arity);
        let place = exact.or_else(|| self.alike(name, arity));
        let index = place.unwrap_or_else(|| {
            self.n_unnumbered += 1;
            order.len() + self.n_unnumbered - 1
        });
        self.numbered.insert(index);
        let name = order.get(index).map_or(name, |it| &it.0);
        let lambda = values::Lambda {
            module: self.name,
            name: self.world.atoms.intern(name.as_str()),
            arity,
            index: fit_u32(index),
            // The first 27 bits of the MD5 sum, as in `beam_asm`.
            uniq: u32::from_be_bytes([md5[0], md5[1], md5[2], md5[3]]) >> 5,
            module_md5: md5,
        };
        let heap = &mut self.world.heap;
        // A fun that was made by another copy of this version, or read from a binary, calls the new code.
        let named = self.is_named.then(|| heap.find_lambda(&lambda)).flatten();
        let place = named.map_or(heap.lambdas.len(), |it| it.0 as usize);
        match heap.lambdas.get_mut(place) {
            Some(known) => *known = lambda,
            None => heap.lambdas.push(lambda),
        }
        let id = LambdaId(fit_u32(place));
        let codes = &mut self.program.lambdas;
        codes.resize(codes.len().max(place + 1), None);
        if let Some(code) = codes.get_mut(place) {
            *code = Some(function);
        }
        self.lambdas.insert(function, id);
        id
    }

    /// The index in BEAM's fun table of a closure whose name stems from the source, ignoring the number at the end of
    /// the name, which is counted differently.
    fn alike(&self, name: &Atom, arity: u32) -> Option<usize> {
        let named = |it: &'a str| {
            let (stem, number) = it.strip_suffix('-')?.rsplit_once('-')?;
            (number.parse::<u32>().is_ok() && !stem.ends_with("-fun")).then_some(stem)
        };
        let stem = name.as_str().strip_suffix('-')?.rsplit_once('-')?.0;
        let is_it = |(place, it): (usize, &'a (Atom, u32))| {
            it.1 == arity && named(it.0.as_str()) == Some(stem) && !self.numbered.contains(&place)
        };
        self.closures.order.iter().enumerate().position(is_it)
    }

    fn literal(&mut self, term: &Term) -> Src {
        if let Some(src) = self.literals.get(term) {
            return *src;
        }
        let value = from_term(&mut self.world.heap, &mut self.world.atoms, term);
        let src = Src::literal(self.world.literals.len());
        self.world.literals.push(value);
        self.literals.insert(term.clone(), src);
        src
    }

    fn uses(&self, var: VarId) -> u32 {
        self.module.uses.get(var.0 as usize).copied().unwrap_or(0)
    }

    fn place(&mut self, pc: u32, place: Place) {
        if self.program.places.last().is_none_or(|it| it.1 != place) {
            self.program.places.push((pc, place));
        }
    }
}

fn fn_id(index: usize) -> FnId {
    FnId(fit_u32(index))
}

/// The name of the module's `-on_load` function, if it has one.
pub(crate) fn on_load(code: &Term) -> Option<Atom> {
    match code.as_tuple()? {
        // Attributes are pairs of literals.
        [tag, _, _, _, attributes, _] if tag.as_atom() == Some("c_module") => {
            attributes.as_list()?.iter().find_map(|it| {
                let [name, value] = it.as_tuple()? else { return None };
                let (name, value) = (name.as_tuple()?.get(2)?, value.as_tuple()?.get(2)?);
                let function = value.as_list()?.first()?.as_tuple()?.first()?.as_atom()?;
                (name.as_atom() == Some("on_load")).then(|| Atom::new(function))
            })
        }
        [tag, _, _, functions, ..] if tag.as_atom() == Some("assembly") => {
            functions.as_list()?.iter().find_map(|it| {
                let [_, name, _, _, code] = it.as_tuple()? else { return None };
                let marks = |it: &Term| it.as_atom() == Some("on_load");
                code.as_list()?.iter().any(marks).then(|| Atom::new(name.as_atom().unwrap_or("")))
            })
        }
        _ => None,
    }
}
