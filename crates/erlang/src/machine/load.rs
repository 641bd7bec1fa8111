//! Brings modules into the machine: from the host's Core Erlang to code.

use crate::builtins::{Fault, Stop, code_path};
use crate::core::{self, Lambda};
use crate::host::{HostError, ModuleCode};
use crate::lower::{self, Assembly};
use crate::machine::{LoadedModule, Machine, MachineError, Object, World};
use std::collections::BTreeSet;
use term::{Atom, Term};
use trace::Head;
use values::{AtomId, from_term};

/// Each is an alternative of a choice.
const MAX_NAMED: usize = 300;

/// Functions with their arities.
type Names = Vec<(Atom, u32)>;

impl Machine {
    /// Loads a module unless it is there. Says whether it exists.
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
        // What lies where only this program looks is no concern of the next one.
        if object.as_ref().is_some_and(|it| !self.world.code_path.is_initial(it)) {
            self.made_in_run.push(module);
        }
        self.loaded_from(module, object.map(Object::File));
        Ok(true)
    }

    /// Tells the host where to look, if the program may have chosen.
    pub(super) fn choose_code_path(&mut self) {
        if self.world.allowed.files {
            let path = code_path::absolute(&mut self.world);
            self.host.set_code_path(Some(path));
        }
    }

    pub(super) fn loaded_from(&mut self, module: AtomId, object: Option<Object>) {
        if let Some(loaded) = self.world.modules.get_mut(&module) {
            // What is part of the runtime shows no file of its own.
            loaded.object = object.filter(|_| !loaded.file.is_empty());
        }
    }

    /// Makes the atoms of a tested module known as likely ones, for texts that must be existing
    /// atoms, and the module itself, for calls of a module that is an input.
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

    /// Adds a module whose code is at hand.
    pub fn install(&mut self, code: &ModuleCode) -> Result<(), MachineError> {
        let module = self.world.atoms.intern(code.name.as_str());
        // Whatever comes of it: a module that turns out to be no good has left literals too.
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

    /// Turns a module into code. What it exports, and all its functions.
    fn translate(&mut self, code: &ModuleCode) -> Result<(Names, Names), MachineError> {
        let (program, world) = (&mut self.program, &mut self.world);
        let closures = lower::Closures { md5: code.md5, order: &code.closures };
        if Assembly::is(&code.core) {
            let assembly = Assembly::read(&code.core).map_err(MachineError::Assembly)?;
            lower::assemble(program, world, &assembly, closures).map_err(MachineError::Assembly)?;
            let functions = assembly.functions.iter().map(|it| (it.name.clone(), it.arity));
            return Ok((assembly.exports.clone(), functions.collect()));
        }
        let tree = core::read(&code.core, &code.file).map_err(MachineError::Read)?;
        lower::lower(program, world, &tree, closures).map_err(MachineError::Lower)?;
        let arity = |it: &Lambda| u32::try_from(it.params.len()).unwrap_or(u32::MAX);
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

    /// Asks for a module that a builtin needs; the builtin runs again when it is there.
    pub fn need_module(&self, module: AtomId) -> Result<(), Fault> {
        if self.is_known_module(module) {
            return Ok(());
        }
        Err(Stop::NeedModule(module).into())
    }
}
