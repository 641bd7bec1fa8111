//! Loads modules: from the host's Core Erlang to code.

use crate::builtins::{Fault, Stop, code_path};
use crate::core::{self, Lambda};
use crate::host::{HostError, ModuleCode};
use crate::lower::{self, Assembly};
use crate::machine::{LoadedModule, Machine, MachineError, Object, World};
use std::collections::BTreeSet;
use term::fit_u32;
use term::{Atom, Term};
use trace::Head;
use values::{AtomId, from_term};

/// The maximum number of atoms or modules in [`Machine::name_atoms`]; each is an alternative of a choice.
const MAX_NAMED: usize = 300;

/// Functions with their arities.
type Names = Vec<(Atom, u32)>;

impl Machine {
    /// Loads a module unless it is loaded already. Returns whether the module exists.
    pub(crate) fn load(&mut self, module: AtomId) -> Result<bool, MachineError> {
        if self.world.modules.contains_key(&module) {
            return Ok(true);
        }
        if self.world.missing.contains(&module) {
            return Ok(false);
        }
        let name = Atom::new(self.world.atoms.name(module));
        self.choose_code_path();
        let code = match self.host.load(&name) {
            Ok(code) => code,
            Err(HostError::NotFound(_) | HostError::NoDebugInfo(_)) => {
                self.world.missing.insert(module);
                return Ok(false);
            }
            Err(error) => return Err(MachineError::Host(error)),
        };
        self.install(&code)?;
        let object = self.host.object_file(&name);
        // A module from a directory that only this program added to its code path is unloaded after the run.
        if object.as_ref().is_some_and(|it| !self.world.code_path.is_initial(it)) {
            self.made_in_run.push(module);
        }
        self.loaded_from(module, object.map(Object::File));
        Ok(true)
    }

    /// Sets the host's code path, which the program may have changed.
    pub(super) fn choose_code_path(&mut self) {
        if self.world.allowed.files {
            let path = code_path::absolute(&mut self.world);
            self.host.set_code_path(Some(path));
        }
    }

    pub(super) fn loaded_from(&mut self, module: AtomId, object: Option<Object>) {
        if let Some(loaded) = self.world.modules.get_mut(&module) {
            // Preloaded modules of the runtime have no file.
            loaded.object = object.filter(|_| !loaded.file.is_empty());
        }
    }

    /// Adds the atoms in a tested module to the known atoms, which are alternatives where a text must be an existing
    /// atom, and the module to the tested modules, which are alternatives where a called module is symbolic.
    pub fn name_atoms(&mut self, code: &ModuleCode) {
        let mut names: BTreeSet<Atom> = BTreeSet::new();
        let mut todo = vec![(&code.core, false)];
        while let Some((term, is_literal)) = todo.pop() {
            match term {
                Term::Atom(atom) if is_literal => drop(names.insert(atom.clone())),
                Term::Tuple(parts) => {
                    let is_record = parts.first().and_then(Term::as_atom) == Some("c_literal");
                    let parts = parts.iter().skip(if is_record { 2 } else { 0 });
                    todo.extend(parts.map(|it| (it, is_literal || is_record)));
                }
                Term::List(list) => todo.extend(list.items.iter().map(|it| (it, is_literal))),
                Term::Atom(_)
                | Term::Int(_)
                | Term::Big(_)
                | Term::Float(_)
                | Term::Nil
                | Term::Map(_)
                | Term::Bits(_)
                | Term::Fun(_)
                | Term::Pid(_)
                | Term::Port(_)
                | Term::Ref(_) => (),
            }
        }
        let known = self.named.iter().cloned();
        let new = names.into_iter().map(|it| Head::Literal(Term::Atom(it)));
        self.named = known.chain(new).take(MAX_NAMED).collect();
        let tested = self.tested.iter().cloned();
        let this = Head::Literal(Term::Atom(code.name.clone()));
        self.tested = tested.chain([this]).take(MAX_NAMED).collect();
    }

    /// Loads a module from its code.
    pub fn install(&mut self, code: &ModuleCode) -> Result<(), MachineError> {
        let module = self.world.atoms.intern(code.name.as_str());
        // Set even if the translation fails, because a failed translation leaves literals as well.
        self.loaded_in_run = true;
        let (exports, functions) =
            self.translate(code).inspect_err(|_| self.program.forget(module))?;
        let world = &mut self.world;
        let attributes = literal(world, &code.attributes);
        let compile_info = literal(world, &code.compile_info);
        let atoms = &mut world.atoms;
        let mut known = |all: Names| -> Vec<(AtomId, u32)> {
            all.into_iter().map(|it| (atoms.intern(it.0.as_str()), it.1)).collect()
        };
        let (exports, functions) = (known(exports), known(functions));
        let loaded = LoadedModule {
            exports,
            functions,
            attributes,
            compile_info,
            md5: code.md5,
            file: code.file.clone(),
            object: None,
        };
        world.modules.insert(module, loaded);
        Ok(())
    }

    /// Translates a module to code. Returns its exported functions and all of its functions.
    fn translate(&mut self, code: &ModuleCode) -> Result<(Names, Names), MachineError> {
        let (program, world) = (&mut self.program, &mut self.world);
        let closures = lower::Closures { md5: code.md5, order: &code.closures };
        if Assembly::is_assembly(&code.core) {
            let assembly = Assembly::read(&code.core).map_err(MachineError::Assembly)?;
            lower::assemble(program, world, &assembly, closures).map_err(MachineError::Assembly)?;
            let functions = assembly.functions.iter().map(|it| (it.name.clone(), it.arity));
            return Ok((assembly.exports.clone(), functions.collect()));
        }
        let tree = core::read(&code.core, &code.file).map_err(MachineError::Read)?;
        lower::lower(program, world, &tree, closures).map_err(MachineError::Lower)?;
        let arity = |it: &Lambda| fit_u32(it.params.len());
        let functions = tree.functions.iter().map(|it| (it.name.clone(), arity(&it.lambda)));
        let functions = functions.collect();
        Ok((tree.exports, functions))
    }
}

fn literal(world: &mut World, term: &Term) -> usize {
    let value = from_term(&mut world.heap, &mut world.atoms, term);
    world.literals.push(value);
    world.literals.len() - 1
}

impl World {
    /// Whether the module is loaded, or known not to exist.
    pub(crate) fn is_known_module(&self, module: AtomId) -> bool {
        self.modules.contains_key(&module) || self.missing.contains(&module)
    }

    /// Asks for a module that a builtin needs; the builtin is called again once the module is loaded.
    pub fn need_module(&self, module: AtomId) -> Result<(), Fault> {
        if self.is_known_module(module) {
            return Ok(());
        }
        Err(Stop::NeedModule(module).into())
    }
}
