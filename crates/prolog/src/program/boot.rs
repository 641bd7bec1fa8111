//! Creates a machine with builtins, prelude and the library's index.

use crate::builtins;
use crate::code::{Database, Ins, Kind, PredId};
use crate::data::{AtomId, Atoms, Heap, Value};
use crate::machine::{Control, Loaded, RunState};
use crate::machine::{Limits, Machine};
use crate::program::{File, Library, Module, Modules};
use crate::text::{Ops, Syntax};
use rustc_hash::FxHashMap;
use term::fit_u32;

/// The predicates of the prelude that the machine itself calls.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    pub(crate) and: PredId,
    pub(crate) or: PredId,
    pub(crate) then: PredId,
    pub(crate) if_then_else: PredId,
    pub(crate) soft_then: PredId,
    pub(crate) soft_else: PredId,
    pub(crate) not: PredId,
    pub(crate) wakeup: PredId,
}

const PRELUDE: &str = include_str!("prelude.pl");

impl Machine {
    /// Creates a machine with the builtins and the prelude. Other predicates are loaded from the library when
    /// they are first called.
    pub fn new(library: &mut dyn Library) -> Machine {
        let mut atoms = Atoms::default();
        let ops = Ops::new(&mut atoms);
        let mut db = Database::default();
        // The instructions at which the machine itself continues. Constants such as `EXHAUSTED` are their
        // addresses.
        db.code.extend([
            Ins::Answer,
            Ins::Answer,
            Ins::CatchExit,
            Ins::CallGoal,
            Ins::Resume,
            Ins::CleanupExit,
            Ins::ResumeHere,
        ]);
        let mut known = |name: &str, arity: usize| {
            let name = atoms.intern(name);
            let functor = atoms.functor(name, arity);
            db.pred(AtomId::SYSTEM, functor, name, arity)
        };
        let known = Known {
            and: known("$and", 4),
            or: known("$or", 4),
            then: known("$then", 4),
            if_then_else: known("$if", 5),
            soft_then: known("$soft", 4),
            soft_else: known("$soft_if", 5),
            not: known("$not", 3),
            wakeup: known("$wakeup", 1),
        };
        let rows = builtins::rows(&mut atoms);
        for (n, row) in rows.iter().enumerate() {
            let functor = atoms.functor(row.name_id, row.arity as usize);
            let id = db.pred(AtomId::SYSTEM, functor, row.name_id, row.arity as usize);
            let pred = db.get_mut(id);
            pred.kind = Kind::Builtin(fit_u32(n));
            pred.locked = row.iso;
        }
        let mut machine = Machine {
            heap: Heap::default(),
            atoms,
            ops,
            db,
            modules: Modules::default(),
            rows,
            limits: Limits::default(),
            load_steps: crate::program::LOAD_STEPS,
            interrupt: std::sync::Arc::default(),
            sink: None,
            taken: (0, 0),
            stack: Vec::new(),
            collect_from: 1 << 19,
            context: AtomId::USER,
            flags: FxHashMap::default(),
            disk: None,
            // 2000-01-01, 00:00 UTC.
            epoch: 946_684_800.0,
            known,
            recorder: None,
            furthest: Vec::new(),
            bindings: Value::NIL,
            thrown_at: Vec::new(),
            load_module: AtomId::USER,
            load_place: None,
            control: Control::new(),
            run: RunState::new(&Loaded::default()),
            loaded: Loaded::default(),
        };
        machine.load_prelude();
        machine.read_index(library);
        machine
    }

    fn load_prelude(&mut self) {
        let system = Module {
            syntax: Some(Syntax { module: AtomId::SYSTEM, ..Syntax::default() }),
            ..Module::default()
        };
        self.modules.by_name.insert(AtomId::SYSTEM, system);
        self.modules.by_name.insert(AtomId::USER, Module::default());
        let file = File { path: "prelude.pl".to_owned(), text: PRELUDE.to_owned() };
        let report = self.load_system(&file);
        debug_assert!(report.errors.is_empty() && report.warnings.is_empty(), "{report:?}");
        for pred in &mut self.db.preds {
            // As on SWI-Prolog, programs may redefine the system predicates that are not part of the
            // standard.
            pred.locked |= pred.module == AtomId::SYSTEM
                && LOCKED.contains(&(self.atoms.text(pred.name), pred.arity));
        }
    }

    /// Reads the library's `INDEX.pl`, whose lines are of the form `index((append), 3, lists, lists).`
    fn read_index(&mut self, library: &mut dyn Library) {
        for (file, preds) in crate::program::units::OWN_INDEX {
            for (name, arity) in *preds {
                let functor = self.atoms.functor_named(name, *arity);
                self.modules.index.insert(functor, (*file).to_owned());
            }
        }
        let Some(index) = library.library("INDEX") else { return };
        for line in index.text.lines() {
            let Some(rest) = line.strip_prefix("index((") else { continue };
            let Some((name, rest)) = rest.split_once("), ") else { continue };
            let mut parts = rest.trim_end_matches(").").split(", ");
            let (Some(arity), Some(_), Some(file)) = (parts.next(), parts.next(), parts.next())
            else {
                continue;
            };
            let Ok(arity) = arity.parse::<usize>() else { continue };
            let name = name.trim_matches('\'');
            let functor = self.atoms.functor_named(name, arity);
            let file = file.trim_matches('\'').to_owned();
            self.modules.index.entry(functor).or_insert(file);
        }
    }
}

/// The predicates of the prelude that are part of the ISO standard, so that programs may not redefine them.
const LOCKED: &[(&str, u32)] = &[
    ("halt", 0),
    ("halt", 1),
    ("once", 1),
    ("findall", 3),
    ("findall", 4),
    ("bagof", 3),
    ("setof", 3),
    ("retract", 1),
    ("clause", 2),
    ("sub_atom", 5),
    ("current_op", 3),
    ("atom_length", 2),
    ("forall", 2),
];
