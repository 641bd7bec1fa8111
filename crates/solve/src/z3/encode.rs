//! Constraints as Z3 formulas.
//!
//! Says at most what `term::value` says, so that what is unsatisfiable here is so there: whatever
//! has no exact encoding becomes an unknown of its own.

#![expect(clippy::wildcard_enum_match_arm, reason = "what is not encoded stays open")]

use super::atoms::AtomTable;
use super::theory::{FORMS, Form, OPAQUE, Theory};
use ::z3::ast::{Bool, Dynamic, Int, Real};
use num_bigint::BigInt;
use num_traits::Float;
use rustc_hash::FxHashMap;
use std::str::FromStr;
use term::{Constraint, Expr, ExprId, Exprs, Kind, Op, Term, Var};

pub(super) struct Encoder<'a> {
    theory: &'a Theory,
    atoms: &'a AtomTable,
    exprs: &'a Exprs,
    codes: FxHashMap<ExprId, Code>,
    /// What must hold.
    pub(super) facts: Vec<Bool>,
    pub(super) vars: Vec<(Var, Dynamic)>,
    /// Constants that are opaque to Z3; the number is the place.
    pub(super) opaque: Vec<Term>,
    /// An assumption: floats compute as reals do, without rounding.
    pub(super) floats_are_reals: Bool,
    /// An assumption: no part that is looked at is opaque.
    pub(super) all_are_plain: Bool,
    /// Nothing depends on how floats compute.
    pub(super) is_exact: bool,
}

#[derive(Clone, Debug)]
enum Code {
    Term(Dynamic),
    Test(Bool),
}

/// How deep an order of lists is spelled out.
const LEVELS: usize = 3;

impl<'a> Encoder<'a> {
    pub(super) fn new(theory: &'a Theory, atoms: &'a AtomTable, exprs: &'a Exprs) -> Encoder<'a> {
        Encoder {
            theory,
            atoms,
            exprs,
            codes: FxHashMap::default(),
            facts: Vec::new(),
            vars: Vec::new(),
            opaque: Vec::new(),
            floats_are_reals: Bool::fresh_const("floats_are_reals"),
            all_are_plain: Bool::fresh_const("all_are_plain"),
            is_exact: true,
        }
    }

    pub(super) fn require_all(&mut self, constraints: &[Constraint]) {
        for id in self.exprs.reachable(constraints.iter().map(|it| it.expr)) {
            if let Some(code) = self.exprs.get(id).and_then(|it| self.encode(it)) {
                self.codes.insert(id, code);
            }
        }
        for constraint in constraints {
            let fact = match self.codes.get(&constraint.expr) {
                Some(Code::Test(test)) if constraint.holds => test.clone(),
                Some(Code::Test(test)) => test.not(),
                Some(Code::Term(term)) => term.eq(self.atom(truth_name(constraint.holds))),
                None => continue,
            };
            self.facts.push(fact);
        }
    }

    fn encode(&mut self, expr: &Expr) -> Option<Code> {
        Some(match expr {
            Expr::Var(var) => {
                let res = Dynamic::new_const(format!("x{}", var.0), self.theory.sort());
                self.vars.push((*var, res.clone()));
                self.wish_plain(&res);
                Code::Term(res)
            }
            Expr::Const(term) => Code::Term(self.constant(term)),
            Expr::Apply(Op::Tuple, args) => {
                let items: Vec<Dynamic> =
                    args.iter().map(|it| self.term(*it)).collect::<Option<_>>()?;
                let items = self.theory.items(&items);
                Code::Term(self.theory.make(Form::Tuple, &[&items]))
            }
            Expr::Apply(op, args) => match args.as_ref() {
                [arg] => {
                    let arg = self.term(*arg)?;
                    self.unary(*op, &arg)?
                }
                [left, right] => {
                    let (left, right) = (self.term(*left)?, self.term(*right)?);
                    self.binary(*op, &left, &right)?
                }
                _ => return None,
            },
        })
    }

    /// The code of an expression that came before, as a term.
    fn term(&self, id: ExprId) -> Option<Dynamic> {
        Some(match self.codes.get(&id)? {
            Code::Term(term) => term.clone(),
            Code::Test(test) => test.ite(&self.atom("true"), &self.atom("false")),
        })
    }

    fn unary(&mut self, op: Op, arg: &Dynamic) -> Option<Code> {
        Some(match op {
            Op::Head | Op::Tail => {
                self.facts.push(self.theory.is(Form::Cons, arg));
                let res =
                    if op == Op::Head { self.theory.head(arg) } else { self.theory.tail(arg) };
                self.wish_plain(&res);
                Code::Term(res)
            }
            Op::Element(place) => {
                self.facts.push(self.theory.is(Form::Tuple, arg));
                let mut items = self.theory.elements(arg);
                for _ in 0..place {
                    self.facts.push(self.theory.has_item(&items));
                    items = self.theory.split_items(&items).1;
                }
                self.facts.push(self.theory.has_item(&items));
                let res = self.theory.split_items(&items).0;
                self.wish_plain(&res);
                Code::Term(res)
            }
            Op::IsKind(kind) => Code::Test(self.is_kind(kind, arg)),
            Op::IsTuple(arity) => {
                let mut tests = vec![self.theory.is(Form::Tuple, arg)];
                let mut items = self.theory.elements(arg);
                for _ in 0..arity {
                    tests.push(self.theory.has_item(&items));
                    items = self.theory.split_items(&items).1;
                }
                tests.push(self.theory.has_item(&items).not());
                Code::Test(Bool::and(&tests))
            }
            _ => return None,
        })
    }

    fn binary(&mut self, op: Op, left: &Dynamic, right: &Dynamic) -> Option<Code> {
        Some(match op {
            Op::Cons => Code::Term(self.theory.make(Form::Cons, &[left, right])),
            Op::Add => Code::Term(self.arithmetic(left, right, |a, b| a + b, |a, b| a + b)),
            Op::Subtract => Code::Term(self.arithmetic(left, right, |a, b| a - b, |a, b| a - b)),
            Op::Multiply => Code::Term(self.arithmetic(left, right, |a, b| a * b, |a, b| a * b)),
            Op::Same => Code::Test(left.eq(right)),
            Op::Equal => Code::Test(self.equal(left, right, LEVELS)),
            Op::Less => Code::Test(self.less(left, right, LEVELS)),
            // The order is total.
            Op::LessEqual => Code::Test(self.less(right, left, LEVELS).not()),
            _ => return None,
        })
    }

    fn is_kind(&self, kind: Kind, arg: &Dynamic) -> Bool {
        let any = |forms: &[Form]| self.theory.is_any(forms, arg);
        match kind {
            Kind::Atom => any(&[Form::Atom]),
            Kind::Bitstring => any(&[Form::Bits]),
            // How long it is, is not known here.
            Kind::Binary => Bool::and(&[any(&[Form::Bits]), Bool::fresh_const("is_binary")]),
            Kind::Boolean => Bool::or(&[arg.eq(self.atom("true")), arg.eq(self.atom("false"))]),
            Kind::Cons => any(&[Form::Cons]),
            Kind::Float => any(&[Form::Float]),
            Kind::Function => any(&[Form::Fun]),
            Kind::Integer => any(&[Form::Int]),
            Kind::List => any(&[Form::Cons, Form::Nil]),
            Kind::Map => any(&[Form::Map]),
            Kind::Nil => any(&[Form::Nil]),
            Kind::Number => self.is_number(arg),
            Kind::Pid => any(&[Form::Pid]),
            Kind::Port => any(&[Form::Port]),
            Kind::Reference => any(&[Form::Ref]),
            Kind::Tuple => any(&[Form::Tuple]),
        }
    }

    fn is_number(&self, arg: &Dynamic) -> Bool {
        self.theory.is_any(&[Form::Int, Form::Float], arg)
    }

    fn arithmetic(
        &mut self,
        left: &Dynamic,
        right: &Dynamic,
        of_ints: fn(Int, Int) -> Int,
        of_reals: fn(Real, Real) -> Real,
    ) -> Dynamic {
        self.facts.extend([self.is_number(left), self.is_number(right)]);
        let theory = self.theory;
        let are_ints = Bool::and(&[theory.is(Form::Int, left), theory.is(Form::Int, right)]);
        let int = of_ints(theory.number(Form::Int, left), theory.number(Form::Int, right));
        let float = Real::fresh_const("float");
        let exact = float.eq(of_reals(theory.real(left), theory.real(right)));
        self.facts.push(Bool::or(&[self.floats_are_reals.not(), are_ints.clone(), exact]));
        self.is_exact = false;
        let (int, float) = (theory.make(Form::Int, &[&int]), theory.make(Form::Float, &[&float]));
        are_ints.ite(&int, &float)
    }

    /// `==`: numbers by value, at every depth.
    fn equal(&self, left: &Dynamic, right: &Dynamic, levels: usize) -> Bool {
        let theory = self.theory;
        let are = |form: Form| Bool::and(&[theory.is(form, left), theory.is(form, right)]);
        let numbers = Bool::and(&[
            self.is_number(left),
            self.is_number(right),
            theory.real(left).eq(theory.real(right)),
        ]);
        let lists = if levels == 0 {
            Bool::fresh_const("equal_lists")
        } else {
            Bool::and(&[
                self.equal(&theory.head(left), &theory.head(right), levels - 1),
                self.equal(&theory.tail(left), &theory.tail(right), levels - 1),
            ])
        };
        let unknown = |form: Form| Bool::and(&[are(form), Bool::fresh_const("equal")]);
        Bool::or(&[
            left.eq(right),
            numbers,
            Bool::and(&[are(Form::Cons), lists]),
            unknown(Form::Tuple),
            unknown(Form::Map),
            unknown(Form::Fun),
        ])
    }

    /// Erlang's order of all terms.
    fn less(&self, left: &Dynamic, right: &Dynamic, levels: usize) -> Bool {
        let theory = self.theory;
        let are = |form: Form| Bool::and(&[theory.is(form, left), theory.is(form, right)]);
        let numbers = Bool::and(&[
            self.is_number(left),
            self.is_number(right),
            theory.real(left).lt(theory.real(right)),
        ]);
        let atoms = theory.number(Form::Atom, left).lt(theory.number(Form::Atom, right));
        let lists = if levels == 0 {
            Bool::fresh_const("less_lists")
        } else {
            let (head, tail) = (theory.head(left), theory.tail(left));
            let (head2, tail2) = (theory.head(right), theory.tail(right));
            let rest =
                [self.equal(&head, &head2, levels - 1), self.less(&tail, &tail2, levels - 1)];
            Bool::or(&[self.less(&head, &head2, levels - 1), Bool::and(&rest)])
        };
        let differ = left.eq(right).not();
        let unknown = OPAQUE
            .into_iter()
            .chain([Form::Tuple])
            .map(|it| Bool::and(&[are(it), differ.clone(), Bool::fresh_const("less")]));
        let mut cases = vec![
            self.rank(left).lt(self.rank(right)),
            numbers,
            Bool::and(&[are(Form::Atom), atoms]),
            Bool::and(&[are(Form::Cons), differ.clone(), lists]),
        ];
        cases.extend(unknown);
        Bool::or(&cases)
    }

    fn rank(&self, term: &Dynamic) -> Int {
        FORMS.into_iter().fold(Int::from_i64(0), |rank, (form, _, place)| {
            self.theory.is(form, term).ite(&Int::from_i64(place), &rank)
        })
    }

    fn wish_plain(&mut self, term: &Dynamic) {
        let is_opaque = self.theory.is_any(&OPAQUE, term);
        self.facts.push(Bool::or(&[self.all_are_plain.not(), is_opaque.not()]));
    }

    fn atom(&self, name: &str) -> Dynamic {
        self.theory.make(Form::Atom, &[&Int::from_i64(self.atoms.number(name))])
    }

    fn constant(&mut self, term: &Term) -> Dynamic {
        let theory = self.theory;
        match term {
            Term::Int(value) => theory.make(Form::Int, &[&Int::from_i64(*value)]),
            Term::Big(value) => theory.make(Form::Int, &[&numeral(value)]),
            Term::Float(value) => theory.make(Form::Float, &[&rational(*value)]),
            Term::Atom(atom) => self.atom(atom.as_str()),
            Term::Nil => theory.make(Form::Nil, &[]),
            Term::List(list) => {
                let mut res = self.constant(&list.tail);
                for item in list.items.iter().rev() {
                    let item = self.constant(item);
                    res = theory.make(Form::Cons, &[&item, &res]);
                }
                res
            }
            Term::Tuple(items) => {
                let items: Vec<Dynamic> = items.iter().map(|it| self.constant(it)).collect();
                theory.make(Form::Tuple, &[&theory.items(&items)])
            }
            Term::Map(_) => self.opaque(Form::Map, term),
            Term::Bits(_) => self.opaque(Form::Bits, term),
            Term::Fun(_) => self.opaque(Form::Fun, term),
            Term::Pid(_) => self.opaque(Form::Pid, term),
            Term::Port(_) => self.opaque(Form::Port, term),
            Term::Ref(_) => self.opaque(Form::Ref, term),
        }
    }

    fn opaque(&mut self, form: Form, term: &Term) -> Dynamic {
        let known = self.opaque.iter().position(|it| it.cmp_exact(term).is_eq());
        let place = known.unwrap_or_else(|| {
            self.opaque.push(term.clone());
            self.opaque.len() - 1
        });
        self.theory.make(form, &[&Int::from_u64(place as u64)])
    }
}

fn truth_name(holds: bool) -> &'static str {
    if holds { "true" } else { "false" }
}

fn numeral(value: &BigInt) -> Int {
    Int::from_str(&value.to_string()).expect("a decimal number")
}

/// The float without rounding.
fn rational(value: f64) -> Real {
    let (mantissa, exponent, sign) = value.integer_decode();
    let mut above = BigInt::from(mantissa) * sign;
    let mut below = BigInt::from(1);
    if exponent < 0 {
        below <<= exponent.unsigned_abs();
    } else {
        above <<= exponent.unsigned_abs();
    }
    Real::from_rational_str(&above.to_string(), &below.to_string()).expect("two numbers")
}
