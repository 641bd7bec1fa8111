//! Makes choices on the unit's result according to the result type in the spec, so that a flip of one of them gives an
//! input that violates the spec.
//!
//! The choices are made on the expression of the result, guided by its value in this run. Whether the run satisfies the
//! spec is decided elsewhere.

use crate::lift::site;
use crate::machine::Recorder;
use term::{Expr, ExprId, Kind, Op, Term, Type, TypeId, Types};
use trace::Looked;

/// The maximum number of parts of a result that are examined.
const MAX_PARTS: usize = 32;
/// The maximum nesting depth of unions that are examined.
const MAX_NESTED: usize = 8;

/// The address of the sites for the first type; programs have no code there.
const FIRST_PC: u32 = 1 << 27;

/// Makes the choices that checking the result against the spec would make.
pub(crate) fn check(record: &mut Recorder, result: ExprId, term: &Term) {
    let promise = record.spec.promise.clone();
    let mut check = ResultCheck { types: &promise.types, n_left: MAX_PARTS, record };
    check.any(&promise.results, result, term, MAX_NESTED);
}

struct ResultCheck<'a> {
    types: &'a Types,
    record: &'a mut Recorder,
    n_left: usize,
}

impl ResultCheck<'_> {
    fn any(&mut self, types: &[TypeId], of: ExprId, term: &Term, n_nested: usize) -> bool {
        let Recorder { known, exprs, .. } = &mut *self.record;
        // Everything that the spec of the arguments allows here belongs to the result type, so no choice is needed.
        if known.typed.is_within(exprs, of, (self.types, types)) {
            return true;
        }
        types.iter().any(|it| self.has(*it, of, term, n_nested))
    }

    /// Whether the term belongs to the type; records a choice for each test that depends on the input.
    fn has(&mut self, id: TypeId, of: ExprId, term: &Term, n_nested: usize) -> bool {
        if self.n_left == 0 || self.record.exprs.vars(of) == 0 {
            return self.types.has(id, term);
        }
        self.n_left -= 1;
        match self.types.get(id) {
            Type::Any => true,
            Type::None => false,
            Type::Kind(kind) => self.is_kind(id, *kind, of, term),
            Type::Literal(literal) => {
                let holds = literal.cmp_exact(term).is_eq();
                if self.is_open(of) {
                    let literal = self.record.exprs.constant(literal.clone());
                    self.test(id, 0, (Op::Same, &[of, literal]), holds);
                }
                holds
            }
            Type::Range { low, high } => {
                self.is_kind(id, Kind::Integer, of, term)
                    && low.clone().is_none_or(|it| {
                        let low = Term::integer(it);
                        let holds = low.cmp_value(term).is_le();
                        let low = self.record.exprs.constant(low);
                        self.test(id, 1, (Op::LessEqual, &[low, of]), holds)
                    })
                    && high.clone().is_none_or(|it| {
                        let high = Term::integer(it);
                        let holds = term.cmp_value(&high).is_le();
                        let high = self.record.exprs.constant(high);
                        self.test(id, 2, (Op::LessEqual, &[of, high]), holds)
                    })
            }
            Type::List { item, tail, may_be_empty } => {
                self.has_items(id, (*item, *tail), of, term, *may_be_empty)
            }
            Type::Tuple(parts) => self.has_elements(id, parts, of, term),
            // The parts of a map have no selectors, so they are not examined.
            Type::Map(_) => self.is_kind(id, Kind::Map, of, term) && self.is_in(id, term),
            Type::Bits { base, unit } => {
                let is_binary = base.is_multiple_of(8) && unit.is_multiple_of(8);
                let kind = if is_binary { Kind::Binary } else { Kind::Bitstring };
                self.is_kind(id, kind, of, term) && self.is_in(id, term)
            }
            Type::Fun { .. } => self.is_kind(id, Kind::Function, of, term) && self.is_in(id, term),
            Type::Union(alternatives) => match n_nested.checked_sub(1) {
                Some(n_nested) => self.any(alternatives, of, term, n_nested),
                None => self.is_in(id, term),
            },
        }
    }

    /// Whether a term that is not examined part by part belongs to the type. If it does not, the rest of the result is
    /// not examined either: runs whose results belong to the type make other choices there.
    fn is_in(&mut self, id: TypeId, term: &Term) -> bool {
        let res = self.types.has(id, term);
        if !res {
            self.n_left = 0;
        }
        res
    }

    /// Whether a list belongs to the type. Cells that the program constructed are examined one by one. A list that
    /// comes from the input is only tested as a whole; otherwise every such result would lead to queries for longer
    /// inputs.
    fn has_items(
        &mut self,
        id: TypeId,
        (item, tail): (TypeId, TypeId),
        of: ExprId,
        term: &Term,
        may_be_empty: bool,
    ) -> bool {
        let (Term::List(list), false) = (term, self.is_open(of)) else {
            let kind = if may_be_empty { Kind::List } else { Kind::Cons };
            return self.is_kind(id, kind, of, term) && self.is_in(id, term);
        };
        let (mut rest, mut left) = (of, &list.tail);
        for part in &list.items {
            let Some([first, behind]) = self.parts(rest, Op::Cons) else {
                left = term;
                break;
            };
            if !self.any(&[item], first, part, MAX_NESTED) {
                return false;
            }
            rest = behind;
        }
        if self.is_open(rest) {
            // The rest is a list too, unless it is the improper tail.
            self.is_kind(id, Kind::List, rest, left);
            return self.is_in(id, term);
        }
        self.any(&[tail], rest, &list.tail, MAX_NESTED)
    }

    fn has_elements(&mut self, id: TypeId, parts: &[TypeId], of: ExprId, term: &Term) -> bool {
        let elements = term.as_tuple().filter(|it| it.len() == parts.len());
        let Ok(arity) = u32::try_from(parts.len()) else { return false };
        if self.is_open(of) {
            self.test(id, 0, (Op::IsTuple(arity), &[of]), elements.is_some());
        }
        let Some(elements) = elements else { return false };
        (0..).zip(parts).zip(elements).all(|((place, part), element)| {
            let made = match self.record.exprs.get(of) {
                Some(Expr::Apply(Op::Tuple, made)) => made.get(place as usize).copied(),
                _ => None,
            };
            let of = made.unwrap_or_else(|| self.record.exprs.apply(Op::Element(place), &[of]));
            self.any(&[*part], of, element, MAX_NESTED)
        })
    }

    fn is_kind(&mut self, id: TypeId, kind: Kind, of: ExprId, term: &Term) -> bool {
        let holds = kind.has(term);
        if self.is_open(of) {
            self.test(id, 0, (Op::IsKind(kind), &[of]), holds);
        }
        holds
    }

    /// Whether the outermost constructor of the expression's value depends on the input.
    fn is_open(&self, of: ExprId) -> bool {
        match self.record.exprs.get(of) {
            Some(Expr::Apply(Op::Cons | Op::Tuple, _) | Expr::Const(_)) | None => false,
            Some(Expr::Apply(..) | Expr::Var(_)) => true,
        }
    }

    /// The two operands of the expression, if it is an application of the constructor.
    fn parts(&self, of: ExprId, constructor: Op) -> Option<[ExprId; 2]> {
        match self.record.exprs.get(of)? {
            Expr::Apply(op, parts) if *op == constructor => (**parts).try_into().ok(),
            Expr::Apply(..) | Expr::Var(_) | Expr::Const(_) => None,
        }
    }

    fn test(
        &mut self,
        id: TypeId,
        site_index: u32,
        (op, args): (Op, &[ExprId]),
        holds: bool,
    ) -> bool {
        let test = self.record.exprs.apply(op, args);
        let site = site(FIRST_PC.saturating_add(id.0), site_index);
        self.record.choose(site, usize::from(!holds), Looked::Test(test));
        holds
    }
}
