//! The symbolic half of builtins: which choices they make on symbolic arguments, and what their
//! results are as expressions.
//!
//! A builtin's row names its lifting. The concrete half has run already and is never changed here;
//! a lifting adds shadows to the result and choices to the path. Only recorded runs come here.

pub(crate) mod arithmetic;
pub(crate) mod bits;
pub(crate) mod compare;
mod express;
pub(crate) mod iolist;
mod known;
pub(crate) mod leading;
pub(crate) mod lists;
pub(crate) mod maps;
pub(crate) mod promised;
mod ranges;
pub(crate) mod regexp;
pub(crate) mod search;
pub(crate) mod text;
pub(crate) mod tuples;
mod typed;
pub(crate) mod unicode;

pub(crate) use express::is_symbolic;
pub(crate) use known::Known;

use crate::builtins::Builtin;
use crate::data::{Atoms, Heap, Shadow, Value, View};
use crate::machine::Recorder;
use std::sync::Arc;
use term::{ExprId, Kind, Op, Term};
use trace::{Choice, Head, Looked, Loss, SiteId};

/// How a builtin treats symbolic arguments.
#[derive(Clone, Copy, Debug)]
pub enum Lift {
    /// Looks at its arguments and what is in them, in a way that is not followed: a loss.
    Concrete,
    /// Moves its arguments about; shadows travel with them. Bit n of the number: it looks into the
    /// n-th argument all the same, and that is not followed.
    Moves(u8),
    /// Followed exactly.
    Own(Own),
    /// Answers with what the environment of the run has: a clock, a variable, a limit. Other answers are
    /// possible that no input leads to, which is a loss whatever the arguments are.
    Environment,
}

/// Sees the arguments and what the concrete half made of them, `None` if it raised. Returns the
/// result as the program gets it.
pub type Own = fn(&mut Lifting<'_>, &[Value], Option<Value>) -> Option<Value>;

/// One instruction of a recorded run.
#[derive(Debug)]
pub struct Lifting<'a> {
    pub(crate) record: &'a mut Recorder,
    pub(crate) heap: &'a mut Heap,
    pub(crate) atoms: &'a Atoms,
    /// The address after the instruction.
    pub(crate) pc: u32,
}

/// Choices of one instruction that have names of their own.
const PLACES: u32 = 16;

impl Lifting<'_> {
    /// The site of the n-th kind of choice that the instruction makes.
    pub(crate) fn site(&self, place: u32) -> SiteId {
        site(self.pc, place)
    }

    /// Records a test that came out like this.
    pub(crate) fn test(&mut self, place: u32, test: ExprId, holds: bool) {
        let site = self.site(place);
        self.record.choose(site, usize::from(!holds), Looked::Test(test));
    }

    /// Whether the value is of the kind; a choice if the value is symbolic.
    pub(crate) fn is(&mut self, place: u32, value: Value, kind: Kind, holds: bool) -> bool {
        if let Some(expr) = own_expr(value) {
            let test = self.record.exprs.apply(Op::IsKind(kind), &[expr]);
            self.test(place, test, holds);
        }
        holds
    }

    /// Which of the literals a symbolic value is, or none of them; whether it is one.
    pub(crate) fn chooses(
        &mut self,
        place: u32,
        of: ExprId,
        found: &Term,
        literals: Arc<[Head]>,
    ) -> bool {
        let is_it = |it: &Head| matches!(it, Head::Literal(term) if term == found);
        let taken = literals.iter().position(is_it);
        let site = self.site(place);
        let index = taken.unwrap_or(literals.len());
        self.record.choose(site, index, Looked::Heads(of, literals));
        taken.is_some()
    }

    pub(crate) fn apply(&mut self, op: Op, args: &[ExprId]) -> ExprId {
        self.record.exprs.apply(op, args)
    }

    pub(crate) fn constant(&mut self, term: Term) -> ExprId {
        self.record.exprs.constant(term)
    }

    pub(crate) fn int(&mut self, value: i64) -> ExprId {
        self.constant(Term::Int(value))
    }

    /// A part of a value: its own shadow, or the selector applied to that of the whole.
    pub(crate) fn part(&mut self, of: Value, op: Op, part: Value) -> Value {
        match (own_expr(of), own_expr(part)) {
            (Some(of), None) => part.with_shadow(shadow(self.apply(op, &[of]))),
            _ => part,
        }
    }

    /// The result of an operation on expressions.
    pub(crate) fn result(&mut self, op: Op, args: &[ExprId], found: Value) -> Value {
        found.with_shadow(shadow(self.apply(op, args)))
    }

    /// The expression of any value; a loss if it is nested too deeply.
    pub(crate) fn expr(&mut self, value: Value) -> Option<ExprId> {
        let res = express::expr_of(&mut self.record.exprs, (self.heap, self.atoms), value);
        if res.is_none() {
            self.lose("a deeply nested term");
        }
        res
    }

    /// Whether something in the value is symbolic.
    pub(crate) fn is_symbolic(&self, value: Value) -> bool {
        is_symbolic(self.heap, value)
    }

    pub(crate) fn lose(&mut self, what: &str) {
        let site = self.site(0);
        self.record.losses.push(Loss { site, what: what.to_owned() });
    }

    /// The run goes on with what the environment answered here, once for each place.
    pub(crate) fn lose_environment(&mut self, what: &str) {
        let site = self.site(0);
        if !self.record.losses.iter().any(|it| it.site == site && it.what == what) {
            self.lose(what);
        }
    }

    /// From here on the run depends on this very value in ways that are not followed.
    pub(crate) fn pin(&mut self, place: u32, value: Value) {
        let Some(expr) = self.expr(value) else { return };
        let Ok(term) = crate::data::to_term(self.heap, self.atoms, value) else { return };
        let site = self.site(place);
        self.record.choose(site, 0, Looked::Pin(expr, term));
    }

    /// What a builtin made of its arguments, `None` if it raised.
    pub(crate) fn lifted(
        &mut self,
        builtin: &Builtin,
        args: &[Value],
        found: Option<Value>,
    ) -> Option<Value> {
        match builtin.lift {
            Lift::Own(own) => own(self, args, found),
            Lift::Concrete | Lift::Environment => {
                if args.iter().any(|it| self.is_symbolic(*it)) {
                    self.concretise(&builtin.to_string(), args, |_| true);
                }
                found.map(Value::concrete)
            }
            Lift::Moves(looks_at) => {
                if looks_at != 0 {
                    self.concretise(&builtin.to_string(), args, |it| looks_at >> it & 1 == 1);
                }
                found
            }
        }
    }

    /// What a builtin that is not followed looks at, and what it was.
    pub(crate) fn concretise(
        &mut self,
        what: &str,
        args: &[Value],
        looks_at: impl Fn(usize) -> bool,
    ) {
        let symbolic: Vec<(usize, Value)> = args
            .iter()
            .copied()
            .enumerate()
            .filter(|it| looks_at(it.0) && self.is_symbolic(it.1))
            .collect();
        if symbolic.is_empty() {
            return;
        }
        self.lose(what);
        for (n, arg) in symbolic {
            self.pin(u32::try_from(n).unwrap_or(0), arg);
        }
    }
}

/// A process is made of a function, whatever that takes.
pub(crate) fn spawn_fun(
    l: &mut Lifting<'_>,
    args: &[Value],
    found: Option<Value>,
) -> Option<Value> {
    let fun = arg(args, 0);
    l.is(0, fun, Kind::Function, matches!(fun.view(), View::Fun(_)));
    found
}

/// A process is made of a call: the module and the function are atoms. Which ones is a choice of the process
/// that makes the call.
pub(crate) fn spawn_call(
    l: &mut Lifting<'_>,
    args: &[Value],
    found: Option<Value>,
) -> Option<Value> {
    for (place, name) in (0..).zip(args.iter().take(2)) {
        l.is(place, *name, Kind::Atom, name.as_atom().is_some());
    }
    l.concretise("erlang:spawn_opt/4", args, |it| it == 3);
    found
}

/// The same, of one that takes nothing.
pub(crate) fn spawn_monitor_fun(
    l: &mut Lifting<'_>,
    args: &[Value],
    found: Option<Value>,
) -> Option<Value> {
    let fun = arg(args, 0);
    let View::Fun(at) = fun.view() else { return spawn_fun(l, args, found) };
    if let Some(expr) = own_expr(fun) {
        spawn_fun(l, args, found);
        let test = l.apply(Op::IsFunction(0), &[expr]);
        let holds = l.heap.fun_arity(at) == 0;
        l.test(1, test, holds);
    }
    found
}

/// `erlang:raise/3` looks at the class and at the shape of the trace, not into its frames.
pub(crate) fn raise(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
    let is_open = |n: usize| n != 1 && own_expr(arg(args, n)).is_some();
    l.concretise("erlang:raise/3", args, is_open);
    found
}

/// The n-th kind of choice of the instruction before this address.
pub(crate) fn site(pc: u32, place: u32) -> SiteId {
    SiteId(pc.saturating_sub(1).saturating_mul(PLACES).saturating_add(place.min(PLACES - 1)))
}

/// The address of the instruction that a site belongs to.
pub(crate) fn address(site: SiteId) -> u32 {
    site.0 / PLACES
}

pub(crate) fn shadow(expr: ExprId) -> Shadow {
    Shadow(expr.0.saturating_add(1))
}

/// The expression of a value's own shadow.
pub(crate) fn own_expr(value: Value) -> Option<ExprId> {
    value.shadow().0.checked_sub(1).map(ExprId)
}

/// The n-th argument; the table's arity says that it is there.
pub(crate) fn arg(args: &[Value], n: usize) -> Value {
    args.get(n).copied().unwrap_or(Value::NIL)
}

/// Longer paths come from loops that do not end; nobody flips what is behind so many choices.
const MAX_CHOICES: usize = 1_000;

impl Recorder {
    /// Adds a choice, unless those before it imply how it comes out.
    pub(crate) fn choose(&mut self, site: SiteId, taken: usize, looked: Looked) {
        if self.choices.len() >= MAX_CHOICES {
            if !self.is_full {
                self.is_full = true;
                self.losses.push(Loss { site, what: "choices after the first 1,000".to_owned() });
            }
            return;
        }
        match &looked {
            Looked::Test(test) => {
                if self.known.implies(&self.exprs, *test) {
                    return;
                }
                self.known.learn(&self.exprs, *test, taken == 0);
            }
            Looked::Heads(of, heads) => {
                if self.known.implies_head(&self.exprs, *of, heads) {
                    return;
                }
                self.known.learn_head(&self.exprs, *of, heads, taken);
            }
            Looked::Pin(..) => (),
        }
        self.push(Choice { site, taken, looked });
    }
}
