//! The atom table: interns the texts of atoms as small numbers.

use rustc_hash::FxHashMap;
use smol_str::SmolStr;
use std::cmp::Ordering;
use term::fit_u32;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AtomId(pub u32);

/// Declares the atoms that the machine itself uses, with fixed numbers as constants of [`AtomId`].
macro_rules! known_atoms {
    ($($name:ident = $text:literal),* $(,)?) => {
        #[expect(non_camel_case_types, clippy::upper_case_acronyms, reason = "one list of names makes ids and texts")]
        enum Known { $($name),* }

        impl AtomId {
            $(pub const $name: AtomId = AtomId(Known::$name as u32);)*
        }

        const KNOWN: &[&str] = &[$($text),*];
    };
}

known_atoms! {
    FALSE = "false", TRUE = "true", OK = "ok", ERROR = "error", EXIT = "exit", THROW = "throw",
    UNDEFINED = "undefined", INFINITY = "infinity", EMPTY = "", ERLANG = "erlang",
    BADARG = "badarg", BADARITH = "badarith", BADMATCH = "badmatch", BADFUN = "badfun",
    BADARITY = "badarity", BADMAP = "badmap", BADKEY = "badkey", BADRECORD = "badrecord",
    UNDEF = "undef", FUNCTION_CLAUSE = "function_clause", CASE_CLAUSE = "case_clause",
    IF_CLAUSE = "if_clause", TRY_CLAUSE = "try_clause", ELSE_CLAUSE = "else_clause",
    SYSTEM_LIMIT = "system_limit",
    NOPROC = "noproc", NORMAL = "normal", KILL = "kill", KILLED = "killed", NOCATCH = "nocatch",
    TIMEOUT = "timeout", TIMEOUT_VALUE = "timeout_value", DOWN = "DOWN", EXIT_SIGNAL = "EXIT",
    PROCESS = "process", PORT = "port", TIME_OFFSET = "time_offset", NOCONNECTION = "noconnection",
    NONODE = "nonode@nohost", FILE = "file", LINE = "line", ERROR_INFO = "error_info",
    MODULE = "module", ERL_ERTS_ERRORS = "erl_erts_errors", CAUSE = "cause", GENERAL = "general",
    ALL = "all", NONE = "none", NOT_FOUND = "not_found", VALUE = "value", KEY = "key",
    LINK = "link", MONITOR = "monitor", ALIAS = "alias", REPLY_DEMONITOR = "reply_demonitor",
    EXPLICIT_UNALIAS = "explicit_unalias", DEMONITOR = "demonitor", TAG = "tag",
    FLUSH = "flush", INFO = "info", TRAP_EXIT = "trap_exit", PRIORITY = "priority",
    LOW = "low", HIGH = "high", MAX = "max", MESSAGE_QUEUE_DATA = "message_queue_data",
    NAME = "name", ARITY = "arity", TYPE = "type", ENV = "env", LOCAL = "local", EXTERNAL = "external",
    INDEX = "index", UNIQ = "uniq", NEW_INDEX = "new_index", NEW_UNIQ = "new_uniq", PID = "pid",
    HIDE = "hide", NOSUSPEND = "nosuspend", NOCONNECT = "noconnect", SPAWN_REQUEST = "spawn_request",
    BIG = "big", LITTLE = "little", NATIVE = "native", SIGNED = "signed", UNSIGNED = "unsigned",
    INTEGER = "integer", FLOAT = "float", BINARY = "binary", BITSTRING = "bitstring",
    UTF8 = "utf8", UTF16 = "utf16", UTF32 = "utf32", LATIN1 = "latin1", UNICODE = "unicode",
    LIST = "list", TUPLE = "tuple", MAP = "map", ATOM = "atom", FUN = "fun",
    START = "start", LENGTH = "length", SCOPE = "scope", GLOBAL = "global", TRIM = "trim",
    SECOND = "second", MILLISECOND = "millisecond", MICROSECOND = "microsecond",
    NANOSECOND = "nanosecond", PERF_COUNTER = "perf_counter", SECONDS = "seconds",
    MILLI_SECONDS = "milli_seconds", MICRO_SECONDS = "micro_seconds", NANO_SECONDS = "nano_seconds",
    SET = "set", ORDERED_SET = "ordered_set", BAG = "bag", DUPLICATE_BAG = "duplicate_bag",
    PUBLIC = "public", PROTECTED = "protected", PRIVATE = "private", NAMED_TABLE = "named_table",
    KEYPOS = "keypos", HEIR = "heir", END_OF_TABLE = "$end_of_table", USER = "user",
    IO_REQUEST = "io_request", IO_REPLY = "io_reply", INCOMPLETE = "incomplete",
    MODULE_INFO = "module_info", DICTIONARY = "dictionary", MESSAGES = "messages",
    MESSAGE_QUEUE_LEN = "message_queue_len", LINKS = "links", MONITORS = "monitors",
    MONITORED_BY = "monitored_by", REGISTERED_NAME = "registered_name", STATUS = "status",
    WAITING = "waiting", RUNNING = "running", RUNNABLE = "runnable", EXITING = "exiting",
    CURRENT_FUNCTION = "current_function", INITIAL_CALL = "initial_call", GROUP_LEADER = "group_leader",
    BADFILE = "badfile", MINUS = "-", PLUS = "+", TIMES = "*", SLASH = "/",
    ABSOLUTE = "abs", ASYNC = "async", UNDERSCORE = "_", DOLLAR_UNDERSCORE = "$_",
    DOUBLE_DOLLAR = "$$", CONST = "const", APPLY = "apply", SIZE = "size", SHORT = "short",
    UNIT = "unit", REFC = "refc", INVALID = "invalid", NO_FLOAT = "no_float", FUNCTION = "function",
    TABLE = "-table-", SUSPENDED = "suspended",
}

#[derive(Clone, Debug)]
pub struct Atoms {
    names: Vec<SmolStr>,
    ids: FxHashMap<SmolStr, AtomId>,
}

impl Default for Atoms {
    fn default() -> Atoms {
        let mut res = Atoms { names: Vec::new(), ids: FxHashMap::default() };
        for text in KNOWN {
            res.intern(text);
        }
        debug_assert_eq!(res.names.len(), KNOWN.len(), "a known atom is listed twice");
        res
    }
}

impl Atoms {
    pub fn intern(&mut self, text: &str) -> AtomId {
        if let Some(id) = self.ids.get(text) {
            return *id;
        }
        let id = AtomId(fit_u32(self.names.len()));
        let name = SmolStr::new(text);
        self.names.push(name.clone());
        self.ids.insert(name, id);
        id
    }

    pub fn find(&self, text: &str) -> Option<AtomId> {
        self.ids.get(text).copied()
    }

    #[inline]
    pub fn name(&self, atom: AtomId) -> &str {
        self.names.get(atom.0 as usize).map_or("", SmolStr::as_str)
    }

    #[inline]
    pub fn compare(&self, left: AtomId, right: AtomId) -> Ordering {
        if left == right { Ordering::Equal } else { self.name(left).cmp(self.name(right)) }
    }

    pub fn len(&self) -> usize {
        self.names.len()
    }

    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Removes all atoms but the first `len` ones. None of the removed atoms may still be in use.
    pub fn truncate(&mut self, len: usize) {
        for name in self.names.drain(len.min(self.names.len())..) {
            self.ids.remove(&name);
        }
    }
}
