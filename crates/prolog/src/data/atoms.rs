//! Tables that intern names: atoms and functors are mapped to small numbers and back.

use rustc_hash::FxHashMap;
use smol_str::SmolStr;
use std::cmp::Ordering;
use term::fit_u32;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AtomId(pub u32);

/// The number of a functor: a name with an arity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FunctorId(pub u32);

/// Defines constants for the atoms and functors that the machine's own code refers to. They are interned
/// first, so their numbers are the same in every machine.
macro_rules! known {
    (atoms { $($name:ident = $text:literal),* $(,)? }
     functors { $($functor:ident = $of:ident / $arity:literal),* $(,)? }) => {
        #[expect(non_camel_case_types, clippy::upper_case_acronyms, reason = "one list of names makes ids and texts")]
        enum Known { $($name),* }

        #[expect(non_camel_case_types, clippy::upper_case_acronyms, reason = "one list of names makes ids and texts")]
        enum KnownFunctor { $($functor),* }

        impl AtomId {
            $(pub const $name: AtomId = AtomId(Known::$name as u32);)*
        }

        impl FunctorId {
            $(pub const $functor: FunctorId = FunctorId(KnownFunctor::$functor as u32);)*
        }

        const KNOWN: &[&str] = &[$($text),*];
        const KNOWN_FUNCTORS: &[(AtomId, usize)] = &[$((AtomId::$of, $arity)),*];
    };
}

known! {
    atoms {
        // The empty list `[]` differs from the atom `'[]'`, as in SWI-Prolog 7 and later; so `NIL` is not
        // interned by its text.
        NIL = "[]", LIST = "[|]", CURLY = "{}", TRUE = "true", FALSE = "false", FAIL = "fail",
        COMMA = ",", SEMICOLON = ";", ARROW = "->", SOFT_ARROW = "*->", NOT = "\\+", CUT = "!",
        NECK = ":-", DCG_NECK = "-->", QUERY = "?-", COLON = ":", BAR = "|", MINUS = "-", PLUS = "+",
        EQUALS = "=", SLASH = "/", DOT = ".", EMPTY = "", VAR = "$VAR", CALL = "call", USER = "user",
        SYSTEM = "system", ERROR = "error", CONTEXT = "context", END_OF_FILE = "end_of_file",
        INSTANTIATION_ERROR = "instantiation_error", TYPE_ERROR = "type_error",
        DOMAIN_ERROR = "domain_error", EXISTENCE_ERROR = "existence_error",
        PERMISSION_ERROR = "permission_error", REPRESENTATION_ERROR = "representation_error",
        EVALUATION_ERROR = "evaluation_error", RESOURCE_ERROR = "resource_error",
        SYNTAX_ERROR = "syntax_error", PROCEDURE = "procedure", EVALUABLE = "evaluable",
        INTEGER = "integer", ATOM = "atom", CALLABLE = "callable", COMPOUND = "compound",
        CODES = "codes", CHARS = "chars", STRING = "string", LESS = "<", GREATER = ">",
        CARET = "^", MODULE = "module", DYNAMIC = "dynamic", DOUBLE_QUOTES = "double_quotes",
        BACK_QUOTES = "back_quotes", ON = "on", OFF = "off", NONE = "none", PHRASE = "phrase",
        DICT = "dict", UNKNOWN = "unknown", DEFAULT = "default", STAR = "*", IS = "is",
        OUTPUT = "user_output", INPUT = "user_input", ERRORS = "user_error", LEXICAL = "$lex",
        PRED_BAR = "//", LAMBDA = ">>", EVAL = "$eval", LIST_TYPE = "list", STREAM = "$stream",
        CLAUSE_REF = "$clause", SSU_NECK = "=>", TABLE = "table", NUMBER = "number",
    }
    functors {
        CONS = LIST/2, BRACES = CURLY/1, AND = COMMA/2, OR = SEMICOLON/2, THEN = ARROW/2,
        SOFT_THEN = SOFT_ARROW/2, UNPROVABLE = NOT/1, RULE = NECK/2, DIRECTIVE = NECK/1,
        GRAMMAR = DCG_NECK/2, ASK = QUERY/1, QUALIFIED = COLON/2, ALTERNATIVE = BAR/2,
        PAIR = MINUS/2, UNIFY = EQUALS/2, INDICATOR = SLASH/2, NUMBERED = VAR/1, CALL_1 = CALL/1,
        ERROR_2 = ERROR/2, CONTEXT_2 = CONTEXT/2, EXISTS = CARET/2, DCG_INDICATOR = PRED_BAR/2,
        NEGATIVE = MINUS/1, POSITIVE = PLUS/1, PHRASE_3 = PHRASE/3, SUM = PLUS/2, NAMED = LEXICAL/1,
        IS_2 = IS/2, STREAM_1 = STREAM/1, CLAUSE_1 = CLAUSE_REF/1, SSU = SSU_NECK/2,
        MODULE_2 = MODULE/2, DYNAMIC_1 = DYNAMIC/1,
    }
}

#[derive(Clone, Debug)]
pub struct Atoms {
    texts: Vec<SmolStr>,
    by_text: FxHashMap<SmolStr, AtomId>,
    functors: Vec<(AtomId, usize)>,
    by_functor: FxHashMap<(AtomId, usize), FunctorId>,
}

impl Default for Atoms {
    fn default() -> Atoms {
        let mut res = Atoms {
            texts: Vec::new(),
            by_text: FxHashMap::default(),
            functors: Vec::new(),
            by_functor: FxHashMap::default(),
        };
        for text in KNOWN {
            let id = res.push(SmolStr::new(text));
            if id != AtomId::NIL {
                res.by_text.insert(SmolStr::new(text), id);
            }
        }
        for (name, arity) in KNOWN_FUNCTORS {
            res.functor(*name, *arity);
        }
        res
    }
}

impl Atoms {
    pub fn intern(&mut self, text: &str) -> AtomId {
        if let Some(id) = self.by_text.get(text) {
            return *id;
        }
        let text = SmolStr::new(text);
        let id = self.push(text.clone());
        self.by_text.insert(text, id);
        id
    }

    pub fn find(&self, text: &str) -> Option<AtomId> {
        self.by_text.get(text).copied()
    }

    pub fn text(&self, id: AtomId) -> &str {
        self.texts.get(id.0 as usize).map_or("", SmolStr::as_str)
    }

    /// Returns the text of an atom in a form that is cheap to clone.
    pub fn name(&self, id: AtomId) -> SmolStr {
        self.texts.get(id.0 as usize).cloned().unwrap_or_default()
    }

    pub fn count(&self) -> usize {
        self.texts.len()
    }

    pub fn functor(&mut self, name: AtomId, arity: usize) -> FunctorId {
        if let Some(id) = self.by_functor.get(&(name, arity)) {
            return *id;
        }
        let id = FunctorId(fit_u32(self.functors.len()));
        self.functors.push((name, arity));
        self.by_functor.insert((name, arity), id);
        id
    }

    /// Returns the functor if it was interned before; does not intern it.
    pub fn known_functor(&self, name: AtomId, arity: usize) -> Option<FunctorId> {
        self.by_functor.get(&(name, arity)).copied()
    }

    pub fn functor_named(&mut self, name: &str, arity: usize) -> FunctorId {
        let name = self.intern(name);
        self.functor(name, arity)
    }

    #[inline]
    pub fn name_arity(&self, functor: FunctorId) -> (AtomId, usize) {
        self.functors.get(functor.0 as usize).copied().unwrap_or((AtomId::EMPTY, 0))
    }

    #[inline]
    pub fn arity(&self, functor: FunctorId) -> usize {
        self.name_arity(functor).1
    }

    /// Returns the arities of all functors, indexed by the functor's number.
    pub(crate) fn arities(&self) -> Vec<u32> {
        self.functors.iter().map(|it| u32::try_from(it.1).unwrap_or(u32::MAX)).collect()
    }

    /// Compares two atoms in the standard order: by the code points of their characters.
    pub fn compare(&self, a: AtomId, b: AtomId) -> Ordering {
        if a == b {
            return Ordering::Equal;
        }
        self.text(a).cmp(self.text(b)).then(a.cmp(&b))
    }

    fn push(&mut self, text: SmolStr) -> AtomId {
        let id = AtomId(fit_u32(self.texts.len()));
        self.texts.push(text);
        id
    }
}
