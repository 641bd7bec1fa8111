//! Where each function runs: as part of the run, outside with its result logged, or nowhere.

use erlang::builtins::{Builtin, Effect, OnBeam, all};
use erlang::machine::{Allowed, Outside};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use term::{Atom, Term};

/// What the log contains besides results from outside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Witness {
    /// Nothing: only outcomes are compared.
    Ends,
    /// A hash of all alternatives taken, in order.
    #[default]
    Path,
    /// Every source clause that is entered.
    Clauses,
}

/// Where a called function runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Placed {
    /// On BEAM directly and on the machine: both compute the same.
    Both,
    /// On BEAM only; the result is logged.
    Outside,
    /// On BEAM through the agent, which hides the tool's own entries.
    ByAgent(&'static str),
    /// Nowhere; the text names what was refused.
    Refused(String),
    /// In rewritten code, in the module with this name.
    Rewritten(Atom),
}

#[derive(Debug)]
pub(super) struct Scope {
    rows: FxHashMap<(Atom, Atom, u8), Placed>,
    /// The modules under test, which keep their names.
    own: BTreeSet<Atom>,
    /// Modules under test that are not rewritten, because they load native code.
    native: BTreeSet<Atom>,
    allowed: Allowed,
    witness: Witness,
}

/// The runtime's own modules, which are never rewritten.
pub(super) const RUNTIME: [&str; 3] = ["erlang", "erts_internal", "erts_debug"];

/// Functions written in Erlang that change the runtime permanently or globally. Only the machine runs them, whose world
/// ends with the run; on BEAM their effect would last for all later runs. The rows of builtins say the same for
/// builtins.
const LASTING: &[(&str, &[&str])] = &[
    ("application", &["permit", "set_env", "stop", "takeover", "unload", "unset_env"]),
    ("code", &["atomic_load", "finish_loading", "replace_path"]),
    ("erlang", &["purge_module"]),
    ("erpc", &["call", "cast", "multicall", "multicast", "send_request"]),
    ("global", &["re_register_name", "register_name", "set_lock", "unregister_name"]),
    (
        "logger",
        &[
            "add_handler",
            "add_handler_filter",
            "add_handlers",
            "add_primary_filter",
            "remove_handler",
            "remove_handler_filter",
            "remove_primary_filter",
            "set_application_level",
            "set_handler_config",
            "set_module_level",
            "set_primary_config",
            "unset_application_level",
            "unset_module_level",
            "update_handler_config",
            "update_primary_config",
        ],
    ),
    ("net_kernel", &["stop"]),
    // These functions make another process call an arbitrary function.
    ("rpc", &["async_call", "block_call", "call", "cast", "eval_everywhere", "multicall"]),
    ("timer", &["apply_after", "apply_interval", "apply_repeatedly"]),
];

/// Functions written in Erlang with effects outside the runtime, whatever their arity.
const REACHING: &[(&str, &str, Effect)] = &[
    ("erl_ddll", "load", Effect::Os),
    ("erl_ddll", "load_driver", Effect::Os),
    ("erl_ddll", "try_load", Effect::Os),
    ("gen_tcp", "connect", Effect::Network),
    ("gen_tcp", "listen", Effect::Network),
    ("gen_udp", "open", Effect::Network),
];

/// Modules of OTP that only compute. They are rewritten only if their clauses are witnessed.
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

/// The prefix of the name of a rewritten copy of an OTP module; OTP itself uses the original.
const PREFIX: &str = "gimlet ";
/// The prefix of the name of an unchanged copy of a module under test.
const PLAIN: &str = "gimlet plain ";

impl Scope {
    pub(super) fn new(own: BTreeSet<Atom>, allowed: Allowed, witness: Witness) -> Scope {
        let row = |it: &'static Builtin| (key(it), placed(it, allowed));
        let rows = all().map(row).collect();
        Scope { rows, own, native: BTreeSet::new(), allowed, witness }
    }

    pub(super) fn witness(&self) -> Witness {
        self.witness
    }

    pub(super) fn set_witness(&mut self, witness: Witness) {
        self.witness = witness;
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
        let (text, function) = (module.as_str(), name.as_str());
        let reaching = REACHING.iter().find(|it| (it.0, it.1) == (text, function));
        let is_refused =
            is_lasting(text, function) || reaching.is_some_and(|it| !self.allowed.allows(it.2));
        if is_refused && !self.own.contains(module) {
            return Placed::Refused(format!("{}:{}/{arity}", module.as_str(), name.as_str()));
        }
        if self.native.contains(module) {
            return Placed::Outside;
        }
        if self.own.contains(module) {
            return Placed::Rewritten(module.clone());
        }
        match module.as_str() {
            // A function of the runtime that the machine lacks.
            text if RUNTIME.contains(&text) => Placed::Outside,
            text if self.is_left_alone(text) => Placed::Both,
            _ => Placed::Rewritten(self.name_of(module)),
        }
    }

    fn is_left_alone(&self, module: &str) -> bool {
        self.witness != Witness::Clauses && COMPUTING.contains(&module)
    }

    /// Returns where the native function with this name runs, if there is one; its Erlang code is ignored.
    pub(super) fn row(&self, module: &Atom, name: &Atom, arity: usize) -> Option<&Placed> {
        let arity = u8::try_from(arity).ok()?;
        self.rows.get(&(module.clone(), name.clone(), arity))
    }

    /// Returns the name of a module after rewriting.
    pub(super) fn name_of(&self, module: &Atom) -> Atom {
        if self.own.contains(module) {
            return module.clone();
        }
        Atom::new(&format!("{PREFIX}{}", module.as_str()))
    }

    pub(super) fn plain_name(module: &Atom) -> Atom {
        Atom::new(&format!("{PLAIN}{}", module.as_str()))
    }

    /// Returns the functions whose results the machine takes from the log.
    pub(super) fn outside(&self) -> Outside {
        let is_outside = |it: &&'static Builtin| self.rows.get(&key(it)) == Some(&Placed::Outside);
        let builtins = all().filter(is_outside).map(|it| (it.module, it.name, it.arity)).collect();
        Outside { builtins, ..Outside::default() }
    }

    /// Returns the table as a term for the agent, which places calls whose target only the run knows.
    pub(super) fn to_term(&self) -> Term {
        let row = |it: &'static Builtin| {
            let placed = match self.rows.get(&key(it))? {
                Placed::Both | Placed::Rewritten(_) => Term::atom("both"),
                Placed::Outside => Term::atom("outside"),
                Placed::ByAgent(name) => Term::Tuple(vec![Term::atom(name)]),
                Placed::Refused(what) => Term::binary(what.as_bytes().to_vec()),
            };
            let (module, name) = (Term::atom(it.module), Term::atom(it.name));
            let key = Term::Tuple(vec![module, name, Term::Int(i64::from(it.arity))]);
            Some(Term::Tuple(vec![key, placed]))
        };
        let refused = REACHING.iter().filter(|it| !self.allowed.allows(it.2));
        let mut lasting: BTreeMap<&str, Vec<Term>> = BTreeMap::new();
        for (module, name, _) in refused {
            lasting.entry(module).or_default().push(Term::atom(name));
        }
        for (module, names) in LASTING {
            lasting.entry(module).or_default().extend(names.iter().map(|it| Term::atom(it)));
        }
        let lasting = lasting
            .into_iter()
            .map(|(module, names)| Term::Tuple(vec![Term::atom(module), Term::proper_list(names)]));
        let lasting = Term::proper_list(lasting.collect());
        let rows = all().filter_map(row).collect();
        let own = self.own.iter().map(|it| Term::Atom(it.clone())).collect();
        let alone = COMPUTING.iter().filter(|it| self.is_left_alone(it));
        let alone = alone.map(|it| Term::atom(it)).collect();
        Term::Tuple(vec![
            Term::atom("scope"),
            Term::proper_list(rows),
            Term::proper_list(own),
            Term::proper_list(alone),
            lasting,
        ])
    }
}

fn key(builtin: &Builtin) -> (Atom, Atom, u8) {
    (Atom::new(builtin.module), Atom::new(builtin.name), builtin.arity)
}

fn placed(builtin: &Builtin, allowed: Allowed) -> Placed {
    let refused = || Placed::Refused(builtin.to_string());
    let or_refused = |effect: Effect, place: Placed| {
        let is_refused = effect.is_outside() && !allowed.allows(effect);
        if is_refused { refused() } else { place }
    };
    match builtin.on_beam {
        OnBeam::Alike => or_refused(builtin.effect, Placed::Both),
        OnBeam::AlikeIf(effect) => or_refused(effect, Placed::Both),
        OnBeam::Noted => or_refused(builtin.effect, Placed::Outside),
        OnBeam::NotedIf(effect) => or_refused(effect, Placed::Outside),
        OnBeam::ByAgent(name) => Placed::ByAgent(name),
        OnBeam::Never => refused(),
    }
}

fn is_lasting(module: &str, name: &str) -> bool {
    LASTING.iter().any(|it| it.0 == module && it.1.contains(&name))
}
