//! Which functions belong to the run, which are asked and noted, and which are refused.

use erlang::builtins::{Builtin, Effect, How, all};
use erlang::machine::{Allowed, Outside};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use term::{Atom, Term};

/// What the log says besides results from outside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Witness {
    /// Nothing: how the run ends is all that is compared.
    #[default]
    Ends,
    /// Every clause of the source that is entered.
    Clauses,
}

/// Where a called function runs, and who learns of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Placed {
    /// On BEAM as it is, and on the machine: both compute the same.
    Both,
    /// On BEAM alone; its result is noted.
    Outside,
    /// Nowhere. The text says what it was.
    Refused(String),
    /// Code that is rewritten, in the module of this name.
    Rewritten(Atom),
}

#[derive(Debug)]
pub(super) struct Scope {
    rows: FxHashMap<(Atom, Atom, u8), Placed>,
    /// The modules under test, which keep their names.
    own: BTreeSet<Atom>,
    /// Those of them that are not rewritten: they load native code.
    native: BTreeSet<Atom>,
    witness: Witness,
}

/// Functions that give something else every time.
const CHANGING: &[&str] = &[
    "date",
    "localtime",
    "monotonic_time",
    "now",
    "perf_counter",
    "system_time",
    "time",
    "time_offset",
    "timestamp",
    "unique_integer",
    "universaltime",
];

/// Modules of OTP that compute and do nothing else. Unless somebody wants to see their clauses, they
/// need no rewriting.
const COMPUTING: &[&str] = &[
    "array",
    "base64",
    "binary",
    "dict",
    "gb_sets",
    "gb_trees",
    "io_lib",
    "io_lib_format",
    "io_lib_pretty",
    "io_lib_fread",
    "lists",
    "maps",
    "math",
    "orddict",
    "ordsets",
    "proplists",
    "queue",
    "sets",
    "string",
    "unicode",
    "unicode_util",
    "uri_string",
    "sofs",
    "digraph_utils",
];

/// Before the name of a module of OTP that was rewritten: OTP itself goes on with the original.
const PREFIX: &str = "gimlet ";
/// Before the name of a module under test as it was written.
const PLAIN: &str = "gimlet plain ";

impl Scope {
    pub(super) fn new(own: BTreeSet<Atom>, allowed: Allowed, witness: Witness) -> Scope {
        let row = |it: &'static Builtin| (key(it), placed(it, allowed));
        Scope { rows: all().map(row).collect(), own, native: BTreeSet::new(), witness }
    }

    pub(super) fn witness(&self) -> Witness {
        self.witness
    }

    pub(super) fn is_own(&self, module: &Atom) -> bool {
        self.own.contains(module)
    }

    pub(super) fn add_own(&mut self, module: Atom) {
        self.own.insert(module);
    }

    pub(super) fn add_native(&mut self, module: Atom) {
        self.native.insert(module);
    }

    pub(super) fn place(&self, module: &Atom, name: &Atom, arity: usize) -> Placed {
        if let Some(placed) = self.row(module, name, arity) {
            return placed.clone();
        }
        if self.native.contains(module) {
            return Placed::Outside;
        }
        if self.own.contains(module) {
            return Placed::Rewritten(module.clone());
        }
        match module.as_str() {
            // What the machine does not have of the runtime itself.
            "erlang" | "erts_internal" | "erts_debug" => Placed::Outside,
            text if self.is_left_alone(text) => Placed::Both,
            _ => Placed::Rewritten(self.name_of(module)),
        }
    }

    fn is_left_alone(&self, module: &str) -> bool {
        self.witness == Witness::Ends && COMPUTING.contains(&module)
    }

    /// Whether the module has a native function of this name, whatever its code says.
    pub(super) fn row(&self, module: &Atom, name: &Atom, arity: usize) -> Option<&Placed> {
        let arity = u8::try_from(arity).ok()?;
        self.rows.get(&(module.clone(), name.clone(), arity))
    }

    /// What a module is called after it was rewritten.
    pub(super) fn name_of(&self, module: &Atom) -> Atom {
        if self.own.contains(module) {
            return module.clone();
        }
        Atom::new(&format!("{PREFIX}{}", module.as_str()))
    }

    pub(super) fn plain_name(module: &Atom) -> Atom {
        Atom::new(&format!("{PLAIN}{}", module.as_str()))
    }

    /// What the machine takes from the log.
    pub(super) fn outside(&self) -> Outside {
        let is_outside = |it: &&'static Builtin| self.rows.get(&key(it)) == Some(&Placed::Outside);
        let builtins = all().filter(is_outside).map(|it| (it.module, it.name, it.arity)).collect();
        Outside { builtins, ..Outside::default() }
    }

    /// For calls of which only the run knows where they go.
    pub(super) fn to_term(&self) -> Term {
        let row = |it: &'static Builtin| {
            let placed = match self.rows.get(&key(it))? {
                Placed::Both | Placed::Rewritten(_) => Term::atom("both"),
                Placed::Outside => Term::atom("outside"),
                Placed::Refused(what) => Term::binary(what.as_bytes().to_vec()),
            };
            let (module, name) = (Term::atom(it.module), Term::atom(it.name));
            let key = Term::Tuple(vec![module, name, Term::Int(i64::from(it.arity))]);
            Some(Term::Tuple(vec![key, placed]))
        };
        let rows = all().filter_map(row).collect();
        let own = self.own.iter().map(|it| Term::Atom(it.clone())).collect();
        let alone = COMPUTING.iter().filter(|it| self.is_left_alone(it));
        let alone = alone.map(|it| Term::atom(it)).collect();
        Term::Tuple(vec![
            Term::atom("scope"),
            Term::proper_list(rows),
            Term::proper_list(own),
            Term::proper_list(alone),
        ])
    }
}

fn key(builtin: &Builtin) -> (Atom, Atom, u8) {
    (Atom::new(builtin.module), Atom::new(builtin.name), builtin.arity)
}

fn placed(builtin: &Builtin, allowed: Allowed) -> Placed {
    let Builtin { module, name, arity, effect, how, .. } = *builtin;
    if matches!(effect, Effect::Files | Effect::Network | Effect::Os) && !allowed.allows(effect) {
        return Placed::Refused(format!("{module}:{name}/{arity}"));
    }
    // What halts the runtime must not: the machine says how the run ended.
    if (module, name) == ("erlang", "halt") {
        return Placed::Refused(format!("{module}:{name}/{arity}"));
    }
    match how {
        How::Native(_) if CHANGING.contains(&name) => Placed::Outside,
        How::Native(_) => Placed::Both,
        How::Control(_) => Placed::Both,
        How::Outside(_) | How::Code | How::Host | How::Machine(_) => Placed::Outside,
    }
}
