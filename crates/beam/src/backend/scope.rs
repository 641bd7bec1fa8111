//! Which functions belong to the run, which are asked and noted, and which are refused.

use erlang::builtins::{Builtin, Effect, How, all};
use erlang::machine::{Allowed, Outside};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use term::{Atom, Term};

/// What the log says besides results from outside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Witness {
    /// Nothing: how the run ends is all that is compared.
    Ends,
    /// One number made of all alternatives that were taken, in order.
    #[default]
    Path,
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
    /// On BEAM by the agent, which hides what is not the program's own.
    ByAgent(&'static str),
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
    allowed: Allowed,
    witness: Witness,
}

/// The runtime's own modules, which are never rewritten.
pub(super) const RUNTIME: [&str; 3] = ["erlang", "erts_internal", "erts_debug"];

/// Functions that give something else every time, or everywhere.
const CHANGING: &[&str] = &[
    "date",
    "localtime",
    "localtime_to_universaltime",
    "memory",
    "monotonic_time",
    "now",
    "perf_counter",
    "statistics",
    "system_time",
    "time",
    "time_offset",
    "timestamp",
    "unique_integer",
    "universaltime",
    "universaltime_to_localtime",
];

/// What changes the runtime for good, or for all. The machine does it in a world that ends with the
/// run; on BEAM it would be there for all runs that follow, so only the machine does it.
const LASTING: &[(&str, &[&str])] = &[
    ("application", &["permit", "set_env", "stop", "takeover", "unload", "unset_env"]),
    (
        "code",
        &[
            "add_path",
            "add_patha",
            "add_paths",
            "add_pathsa",
            "add_pathsz",
            "add_pathz",
            "atomic_load",
            "del_path",
            "delete",
            "finish_loading",
            "load_abs",
            "load_binary",
            "load_file",
            "purge",
            "replace_path",
            "set_path",
            "soft_purge",
            "stick_dir",
            "stick_mod",
            "unstick_dir",
            "unstick_mod",
        ],
    ),
    (
        "erlang",
        &[
            "delete_module",
            "finish_loading",
            "halt",
            "load_module",
            "purge_module",
            "set_cookie",
            "system_flag",
            "system_monitor",
            "system_profile",
            "trace",
            "trace_pattern",
        ],
    ),
    ("erts_debug", &["set_internal_state"]),
    ("erts_internal", &["erase_persistent_terms"]),
    ("erpc", &["call", "cast", "multicall", "multicast", "send_request"]),
    ("global", &["re_register_name", "register_name", "set_lock", "unregister_name"]),
    ("init", &["reboot", "restart", "stop"]),
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
    ("net_kernel", &["start", "stop"]),
    ("os", &["putenv", "set_signal", "unsetenv"]),
    ("persistent_term", &["erase", "put"]),
    // These have another process call what it should not.
    ("rpc", &["async_call", "block_call", "call", "cast", "eval_everywhere", "multicall"]),
    ("timer", &["apply_after", "apply_interval", "apply_repeatedly"]),
];

/// What reaches outside although its row says nothing of it: there, the arguments decide.
const REACHING: &[(&str, &str, Effect)] = &[
    ("erl_ddll", "load", Effect::Os),
    ("erl_ddll", "load_driver", Effect::Os),
    ("erl_ddll", "try_load", Effect::Os),
    ("erlang", "load_nif", Effect::Os),
    ("erlang", "open_port", Effect::Os),
    ("gen_sctp", "open", Effect::Network),
    ("gen_tcp", "connect", Effect::Network),
    ("gen_tcp", "listen", Effect::Network),
    ("gen_udp", "open", Effect::Network),
    ("httpc", "request", Effect::Network),
    ("socket", "open", Effect::Network),
    ("ssl", "connect", Effect::Network),
    ("ssl", "listen", Effect::Network),
];

/// What looks at the whole dictionary of a process, or starts one, which must be told where calls go;
/// and who does it instead.
const BY_AGENT: &[(&str, usize, &str)] = &[
    ("erase", 0, "erase_dictionary"),
    ("get", 0, "dictionary"),
    ("get_keys", 0, "dictionary_keys"),
    ("get_keys", 1, "dictionary_keys"),
    ("spawn", 1, "start"),
    ("spawn", 3, "start"),
    ("spawn_link", 1, "start_link"),
    ("spawn_link", 3, "start_link"),
    ("spawn_monitor", 1, "start_monitor"),
    ("spawn_monitor", 3, "start_monitor"),
    ("spawn_opt", 2, "start_opt"),
    ("spawn_opt", 4, "start_opt"),
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
            // What the machine does not have of the runtime itself.
            text if RUNTIME.contains(&text) => Placed::Outside,
            text if self.is_left_alone(text) => Placed::Both,
            _ => Placed::Rewritten(self.name_of(module)),
        }
    }

    fn is_left_alone(&self, module: &str) -> bool {
        self.witness != Witness::Clauses && COMPUTING.contains(&module)
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
    let Builtin { module, name, arity, how, .. } = *builtin;
    let reaching = REACHING.iter().find(|it| (it.0, it.1) == (module, name));
    let effect = reaching.map_or(builtin.effect, |it| it.2);
    if matches!(effect, Effect::Files | Effect::Network | Effect::Os) && !allowed.allows(effect) {
        return Placed::Refused(format!("{module}:{name}/{arity}"));
    }
    if is_lasting(module, name) {
        return Placed::Refused(format!("{module}:{name}/{arity}"));
    }
    let by_agent = BY_AGENT.iter().find(|it| (it.0, it.1) == (name, usize::from(arity)));
    if let Some((_, _, agent)) = by_agent.filter(|_| module == "erlang") {
        return Placed::ByAgent(agent);
    }
    match how {
        How::Native(_) if CHANGING.contains(&name) => Placed::Outside,
        How::Native(_) if effect == Effect::Network => Placed::Outside,
        How::Native(_) => Placed::Both,
        How::Control(_) => Placed::Both,
        How::Outside(_) | How::Code | How::Host | How::Machine(_) => Placed::Outside,
    }
}

fn is_lasting(module: &str, name: &str) -> bool {
    LASTING.iter().any(|it| it.0 == module && it.1.contains(&name))
}
