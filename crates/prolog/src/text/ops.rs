//! The tables of operators, one per module.

use crate::data::{AtomId, Atoms};
use rustc_hash::FxHashMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum OpType {
    Xfx,
    Xfy,
    Yfx,
    Fy,
    Fx,
    Xf,
    Yf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fixity {
    Prefix,
    Infix,
    Postfix,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Op {
    pub priority: u16,
    pub kind: OpType,
}

impl OpType {
    pub const ALL: [OpType; 7] =
        [OpType::Xfx, OpType::Xfy, OpType::Yfx, OpType::Fy, OpType::Fx, OpType::Xf, OpType::Yf];

    pub fn name(self) -> &'static str {
        match self {
            OpType::Xfx => "xfx",
            OpType::Xfy => "xfy",
            OpType::Yfx => "yfx",
            OpType::Fy => "fy",
            OpType::Fx => "fx",
            OpType::Xf => "xf",
            OpType::Yf => "yf",
        }
    }

    pub fn from_name(name: &str) -> Option<OpType> {
        OpType::ALL.into_iter().find(|it| it.name() == name)
    }

    pub fn fixity(self) -> Fixity {
        match self {
            OpType::Xfx | OpType::Xfy | OpType::Yfx => Fixity::Infix,
            OpType::Fy | OpType::Fx => Fixity::Prefix,
            OpType::Xf | OpType::Yf => Fixity::Postfix,
        }
    }
}

impl Op {
    /// Returns the highest priority that the operator's left argument may have; 0 for prefix operators.
    pub fn left(self) -> u16 {
        match self.kind {
            OpType::Xfx | OpType::Xfy | OpType::Xf => self.priority.saturating_sub(1),
            OpType::Yfx | OpType::Yf => self.priority,
            OpType::Fy | OpType::Fx => 0,
        }
    }

    pub fn right(self) -> u16 {
        match self.kind {
            OpType::Xfx | OpType::Yfx | OpType::Fx => self.priority.saturating_sub(1),
            OpType::Xfy | OpType::Fy => self.priority,
            OpType::Xf | OpType::Yf => 0,
        }
    }
}

/// The definitions of a name as prefix, infix and postfix operator, in this order. Priority 0 cancels a
/// definition that is inherited.
type Meanings = [Option<Op>; 3];

#[derive(Clone, Debug)]
pub struct Ops {
    modules: FxHashMap<AtomId, FxHashMap<AtomId, Meanings>>,
    /// The module whose operators a module inherits besides its own; `user` if there is no entry.
    above: FxHashMap<AtomId, AtomId>,
}

impl Ops {
    pub fn new(atoms: &mut Atoms) -> Ops {
        let mut res = Ops { modules: FxHashMap::default(), above: FxHashMap::default() };
        for (priority, kind, names) in STANDARD {
            for name in names.split(' ') {
                let name = atoms.intern(name);
                res.add(AtomId::SYSTEM, name, Op { priority: *priority, kind: *kind });
            }
        }
        res
    }

    pub fn add(&mut self, module: AtomId, name: AtomId, op: Op) {
        let meanings = self.modules.entry(module).or_default().entry(name).or_default();
        if let Some(place) = meanings.get_mut(op.kind.fixity() as usize) {
            *place = Some(op);
        }
    }

    pub fn get(&self, module: AtomId, name: AtomId, fixity: Fixity) -> Option<Op> {
        let own = |module: AtomId| {
            let meanings = self.modules.get(&module)?.get(&name)?;
            meanings.get(fixity as usize).copied().flatten()
        };
        self.chain(module).find_map(own).filter(|it| it.priority != 0)
    }

    /// Makes a module inherit the operators of another one.
    pub fn put_below(&mut self, module: AtomId, above: AtomId) {
        self.above.insert(module, above);
    }

    /// Returns a module and those that it inherits operators from, up to `system`.
    fn chain(&self, module: AtomId) -> impl Iterator<Item = AtomId> {
        let above = |it: &AtomId| match *it {
            AtomId::SYSTEM => None,
            AtomId::USER => Some(AtomId::SYSTEM),
            other => Some(self.above.get(&other).copied().unwrap_or(AtomId::USER)),
        };
        std::iter::successors(Some(module), above)
    }

    /// Returns the highest priority of a name as an operator of any fixity; 0 if it is no operator.
    pub fn priority(&self, module: AtomId, name: AtomId) -> u16 {
        [Fixity::Prefix, Fixity::Infix, Fixity::Postfix]
            .into_iter()
            .filter_map(|it| self.get(module, name, it))
            .map(|it| it.priority)
            .max()
            .unwrap_or(0)
    }

    /// Returns all operators that are visible in a module, sorted by the number of their names.
    pub fn all(&self, module: AtomId) -> Vec<(AtomId, Op)> {
        let mut names: Vec<AtomId> = self
            .chain(module)
            .filter_map(|it| self.modules.get(&it))
            .flat_map(|it| it.keys().copied())
            .collect();
        names.sort();
        names.dedup();
        let fixities = [Fixity::Prefix, Fixity::Infix, Fixity::Postfix];
        names
            .into_iter()
            .flat_map(|name| fixities.map(|it| self.get(module, name, it).map(|op| (name, op))))
            .flatten()
            .collect()
    }
}

const STANDARD: &[(u16, OpType, &str)] = &[
    (1200, OpType::Xfx, ":- --> =>"),
    (1200, OpType::Fx, ":- ?-"),
    (
        1150,
        OpType::Fx,
        "dynamic discontiguous initialization meta_predicate module_transparent \
        multifile public thread_local thread_initialization volatile table",
    ),
    (1105, OpType::Xfy, "|"),
    (1100, OpType::Xfy, ";"),
    (1050, OpType::Xfy, "-> *->"),
    (1000, OpType::Xfy, ","),
    (800, OpType::Xfx, ":="),
    (900, OpType::Fy, "\\+"),
    (700, OpType::Xfx, "< = =.. =@= \\=@= =:= =< == =\\= > >= @< @=< @> @>= \\= \\== as is >:< :<"),
    (600, OpType::Xfy, ":"),
    (500, OpType::Yfx, "+ - /\\ \\/"),
    (400, OpType::Yfx, "* / // mod rdiv << >> div rem xor"),
    (200, OpType::Xfx, "**"),
    (200, OpType::Xfy, "^"),
    (200, OpType::Fy, "- + \\"),
    (100, OpType::Yfx, "."),
    (1, OpType::Fx, "$"),
];
