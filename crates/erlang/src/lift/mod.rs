//! The symbolic half of builtins: the choices that they make on symbolic arguments, and the expressions of their
//! results.
//!
//! Each builtin's row in the table names its lifting. A lifting runs after the concrete half, whose result it never
//! changes: it adds shadows to the result and choices to the path. Liftings run only in recorded runs.

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
pub(crate) use known::PathFacts;

use crate::builtins::Builtin;
use crate::machine::Recorder;
use std::sync::Arc;
use term::{ExprId, Kind, Op, Term};
use trace::{Choice, Head, Looked, Loss, SiteId};
use values::{Atoms, Heap, Shadow, Value, View};

/// How a builtin treats symbolic arguments.
#[derive(Clone, Copy, Debug)]
pub enum Lift {
    /// The builtin examines its arguments in a way that is not followed symbolically: a loss, and the arguments are
    /// pinned.
    Concrete,
    /// The builtin only moves its arguments, whose shadows move along. If bit n of the number is set, it also examines
    /// argument n, which is not followed symbolically.
    Moves(u8),
    /// The builtin has its own lifting, which follows it exactly.
    Own(Own),
    /// The result comes from the environment of the run: a clock, an environment variable, a limit. Other results are
    /// possible that no input leads to, which is a loss whatever the arguments are.
    Environment,
}

/// The lifting of a builtin. It gets the arguments and the concrete result (`None` if the builtin raised an exception),
/// and returns the result with its shadows.
pub type Own = fn(&mut Lifting<'_>, &[Value], Option<Value>) -> Option<Value>;

/// The context of a lifting: one instruction of a recorded run.
#[derive(Debug)]
pub struct Lifting<'a> {
    pub(crate) record: &'a mut Recorder,
    pub(crate) heap: &'a mut Heap,
    pub(crate) atoms: &'a Atoms,
    /// The address of the next instruction.
    pub(crate) pc: u32,
}

/// The number of sites for each instruction.
const SITES_PER_INSTRUCTION: u32 = 16;

impl Lifting<'_> {
    /// The site with this index among those of the instruction.
    pub(crate) fn site(&self, site_index: u32) -> SiteId {
        site(self.pc, site_index)
    }

    /// Records a test and its outcome.
    pub(crate) fn test(&mut self, site_index: u32, test: ExprId, holds: bool) {
        let site = self.site(site_index);
        self.record.choose(site, usize::from(!holds), Looked::Test(test));
    }

    /// Whether the value is of the kind (`holds`); records a choice if the value is symbolic.
    pub(crate) fn test_kind(
        &mut self,
        site_index: u32,
        value: Value,
        kind: Kind,
        holds: bool,
    ) -> bool {
        if let Some(expr) = own_expr(value) {
            let test = self.record.exprs.apply(Op::IsKind(kind), &[expr]);
            self.test(site_index, test, holds);
        }
        holds
    }

    /// Records the choice which of the literals a symbolic value is. Returns whether it is one of them.
    pub(crate) fn chooses(
        &mut self,
        site_index: u32,
        of: ExprId,
        found: &Term,
        literals: Arc<[Head]>,
    ) -> bool {
        let is_it = |it: &Head| matches!(it, Head::Literal(term) if term == found);
        let taken = literals.iter().position(is_it);
        let site = self.site(site_index);
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

    /// A part of a value: with its own shadow, or else with the selector applied to the whole's expression.
    pub(crate) fn part(&mut self, of: Value, op: Op, part: Value) -> Value {
        match (own_expr(of), own_expr(part)) {
            (Some(of), None) => part.with_shadow(shadow(self.apply(op, &[of]))),
            _ => part,
        }
    }

    /// The result with the shadow of an operation on expressions.
    pub(crate) fn result(&mut self, op: Op, args: &[ExprId], found: Value) -> Value {
        found.with_shadow(shadow(self.apply(op, args)))
    }

    /// The expression of any value; `None` with a loss if the value is nested too deeply.
    pub(crate) fn expr(&mut self, value: Value) -> Option<ExprId> {
        let res = express::expr_of(&mut self.record.exprs, (self.heap, self.atoms), value);
        if res.is_none() {
            self.lose("a deeply nested term");
        }
        res
    }

    /// Whether the value or a part of it is symbolic.
    pub(crate) fn is_symbolic(&self, value: Value) -> bool {
        is_symbolic(self.heap, value)
    }

    pub(crate) fn lose(&mut self, what: &str) {
        let site = self.site(0);
        self.record.losses.push(Loss { site, what: what.to_owned() });
    }

    /// Records that the run continues with a result from the environment; once for each site.
    pub(crate) fn lose_environment(&mut self, what: &str) {
        let site = self.site(0);
        if !self.record.losses.iter().any(|it| it.site == site && it.what == what) {
            self.lose(what);
        }
    }

    /// Pins the value: from here on the run depends on it in ways that are not followed symbolically.
    pub(crate) fn pin(&mut self, site_index: u32, value: Value) {
        let Some(expr) = self.expr(value) else { return };
        let Ok(term) = values::to_term(self.heap, self.atoms, value) else { return };
        let site = self.site(site_index);
        self.record.choose(site, 0, Looked::Pin(expr, term));
    }

    /// Returns the result of a builtin with its expression, and records the choices that the builtin makes about
    /// symbolic arguments. `found` is the concrete result; `None` if the builtin raised an exception.
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

    /// Records the loss of a builtin that is not followed symbolically, and pins the symbolic arguments that it
    /// examines.
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

/// `spawn/1` and similar: whether the argument is a function is a choice; its arity is not checked.
pub(crate) fn spawn_fun(
    l: &mut Lifting<'_>,
    args: &[Value],
    found: Option<Value>,
) -> Option<Value> {
    let fun = arg(args, 0);
    l.test_kind(0, fun, Kind::Function, matches!(fun.view(), View::Fun(_)));
    found
}

/// Lifts the builtins that spawn a process with a module, a function and arguments: that the first two are atoms are
/// choices, and the options are pinned. Which atoms they are is recorded later, when the new process makes the call.
pub(crate) fn spawn_call(
    l: &mut Lifting<'_>,
    args: &[Value],
    found: Option<Value>,
) -> Option<Value> {
    for (place, name) in (0..).zip(args.iter().take(2)) {
        l.test_kind(place, *name, Kind::Atom, name.as_atom().is_some());
    }
    l.concretise("erlang:spawn_opt/4", args, |it| it == 3);
    found
}

/// `spawn_monitor/1`: also checks that the function takes no arguments.
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

/// `erlang:raise/3` examines the class and the outermost shape of the stack trace, but not the trace's frames.
pub(crate) fn raise(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
    let is_open = |n: usize| n != 1 && own_expr(arg(args, n)).is_some();
    l.concretise("erlang:raise/3", args, is_open);
    found
}

/// The site with this index among those of the instruction before an address.
pub(crate) fn site(pc: u32, site_index: u32) -> SiteId {
    SiteId(
        pc.saturating_sub(1)
            .saturating_mul(SITES_PER_INSTRUCTION)
            .saturating_add(site_index.min(SITES_PER_INSTRUCTION - 1)),
    )
}

/// The address of the instruction that a site belongs to.
pub(crate) fn address(site: SiteId) -> u32 {
    site.0 / SITES_PER_INSTRUCTION
}

pub(crate) fn shadow(expr: ExprId) -> Shadow {
    Shadow(expr.0.saturating_add(1))
}

/// The expression of the value's own shadow; `None` if the value has none.
pub(crate) fn own_expr(value: Value) -> Option<ExprId> {
    value.shadow().0.checked_sub(1).map(ExprId)
}

/// Argument n. The arity in the table guarantees that it exists.
pub(crate) fn arg(args: &[Value], n: usize) -> Value {
    args.get(n).copied().unwrap_or(Value::NIL)
}

/// The maximum number of choices of a run. Longer paths come from endless loops, and flips after that many choices are
/// not useful.
const MAX_CHOICES: usize = 1_000;

impl Recorder {
    /// Records a choice, unless the earlier choices imply its outcome.
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
