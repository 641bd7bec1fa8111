//! The shapes of accepted inputs: the forms of the parts that runs looked at before they ended well.
//!
//! A part is identified by its place in the arguments; all elements of a list share one place. Only parts that a run
//! looked at count: that a run ended well tells nothing about a part it never looked at. Knows choices and terms, no
//! language.

use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::fmt;
use term::{Expr, ExprId, Exprs, Op, Term, Var};
use trace::{Choice, Executor, Head, Input, Looked};

/// A selector that leads from a value to one of its parts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// Any element of a list.
    Item,
    /// The rest of a list after this many elements; all rests after [`MAX_TAIL`] or more elements share one place.
    Tail(usize),
    /// An element of a tuple, counted from 0. The elements of tuples with different tags have different places.
    Element { n: u32, arity: usize, tag: Option<String> },
    /// The value of a map's key, by the printed key.
    Value(String),
}

/// Up to this length lists are distinguished by their length, since short lists often stand for tuples.
const MAX_TAIL: usize = 4;

/// The place of a part in an input: the argument, counted from 0, and the selectors that lead from it to the part.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub argument: usize,
    pub steps: Vec<Step>,
}

/// The outermost constructor of a part.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    Integer,
    Float,
    Atom(String),
    /// A list with elements.
    List,
    /// A list without elements.
    Nil,
    /// The end of a proper list, at a place where the list could go on.
    End,
    Tuple {
        arity: usize,
        tag: Option<String>,
    },
    Map,
    /// A map in which a run looked for a key.
    MapWith {
        key: String,
        has_it: bool,
    },
    /// A bitstring; `is_whole` if its size is a multiple of 8 bits.
    Bits {
        is_whole: bool,
    },
    Function {
        arity: usize,
    },
    Pid,
    Port,
    Reference,
}

/// How precisely two forms are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// By kind: all atoms are equal, and so are all tuples of one arity.
    Kind,
    /// Names of atoms and tags of tuples are compared, too.
    Exact,
}

/// A part that a run looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    pub place: Place,
    pub form: Form,
}

/// The parts that runs with a good outcome looked at, each with the first input that had it.
#[derive(Clone, Debug, Default)]
pub struct Shapes {
    known: BTreeMap<Place, Vec<(Form, Input)>>,
    /// The runs with all parts that each looked at, as long as fewer than [`MAX_PARTS`] parts are stored.
    runs: Vec<(Input, Vec<Part>)>,
    n_parts: usize,
    n_runs: usize,
    n_steps: usize,
}

/// A limit on the work of finding parts over all runs, in selectors followed, so that it costs little beside the
/// search.
const MAX_STEPS: usize = 3_000_000;

/// The maximum number of parts that are stored per run, summed over all runs.
const MAX_PARTS: usize = 100_000;

impl Shapes {
    /// Runs inputs that are known to end well once more, and collects the parts that the runs look at. Stops when
    /// `goes_on`, which is called before each run, returns `false`.
    pub fn gather<'i>(
        executor: &mut dyn Executor,
        inputs: impl Iterator<Item = &'i Input>,
        goes_on: &dyn Fn() -> bool,
    ) -> Shapes {
        let mut res = Shapes::default();
        for input in inputs {
            if MAX_STEPS < res.n_steps || !goes_on() {
                break;
            }
            if let Ok(run) = executor.run(input) {
                res.accept(executor.exprs(), &run.choices, input);
            }
        }
        res
    }

    /// Adds the parts that a run with a good outcome looked at.
    pub fn accept(&mut self, exprs: &Exprs, choices: &[Choice], input: &Input) {
        self.n_runs += 1;
        let mut finder = PartFinder::new(exprs, input);
        let mut parts = Vec::new();
        for choice in choices {
            for Part { place, form } in finder.accepted_parts(choice) {
                if self.n_parts + parts.len() < MAX_PARTS {
                    parts.push(Part { place: place.clone(), form: form.clone() });
                }
                let forms = self.known.entry(place).or_default();
                if forms.iter().all(|it| it.0 != form) {
                    forms.push((form, input.clone()));
                }
            }
            if MAX_STEPS < self.n_steps + finder.n_steps {
                break;
            }
        }
        self.n_steps += finder.n_steps;
        self.n_parts += parts.len();
        self.runs.push((input.clone(), parts));
    }

    /// Adds all parts of `other`.
    pub fn add(&mut self, other: &Shapes) {
        self.n_runs += other.n_runs;
        self.n_parts += other.n_parts;
        self.runs.extend(other.runs.iter().cloned());
        for (place, forms) in &other.known {
            let known = self.known.entry(place.clone()).or_default();
            for it in forms {
                if known.iter().all(|(form, _)| *form != it.0) {
                    known.push(it.clone());
                }
            }
        }
    }

    /// Whether no run ended well.
    pub fn is_empty(&self) -> bool {
        self.n_runs == 0
    }

    /// Returns an input that ended well and had a part of this form at this place.
    pub fn example(&self, part: &Part, precision: Precision) -> Option<&Input> {
        let forms = self.known.get(&part.place)?;
        let is_alike = |it: &Form| match precision {
            Precision::Exact => *it == part.form,
            Precision::Kind => it.kind() == part.form.kind(),
        };
        // A list with elements shows that lists are accepted, empty ones included; an empty list does not show that
        // lists with elements are.
        let is_list = |it: &Form| part.form == Form::Nil && *it == Form::List;
        forms.iter().find(|it| is_alike(&it.0) || is_list(&it.0)).map(|it| &it.1)
    }

    /// Whether some input that ended well may have had `parts` and agreed with `beside` everywhere else. An input
    /// agrees with a part if its run did not look at the part's place, or found the same form there. Tags of tuples
    /// must be equal; two different atoms count as the same form unless the program names one of them (`is_named`).
    /// The places of `parts` and places within lists are not compared. Returns `true` if `MAX_PARTS` was reached,
    /// since not all runs are known then.
    pub fn may_have_beside(
        &self,
        parts: &[Part],
        beside: &[Part],
        precision: Precision,
        is_named: &dyn Fn(&str) -> bool,
    ) -> bool {
        let is_alike = |form: &Form, part: &Part| match precision {
            Precision::Exact => *form == part.form,
            Precision::Kind => form.kind() == part.form.kind(),
        };
        let has = |of: &[Part], part: &Part| {
            of.iter().any(|it| {
                let is_list = part.form == Form::Nil && it.form == Form::List;
                it.place == part.place && (is_alike(&it.form, part) || is_list)
            })
        };
        let is_counted = |it: &&Part| {
            let is_in_list = |it: &Step| matches!(it, Step::Item | Step::Tail(_));
            !it.place.steps.iter().any(is_in_list)
                && parts.iter().all(|part| part.place != it.place)
        };
        let counted: Vec<&Part> = beside.iter().filter(is_counted).collect();
        let is_like = |form: &Form, other: &Form| match (form, other) {
            (Form::Atom(one), Form::Atom(another)) => {
                one == another || !is_named(one) && !is_named(another)
            }
            _ => form == other,
        };
        let agrees = |of: &[Part], part: &Part| {
            let mut at = of.iter().filter(|it| it.place == part.place).peekable();
            at.peek().is_none() || at.any(|it| is_like(&it.form, &part.form))
        };
        MAX_PARTS <= self.n_parts
            || self.runs.iter().any(|(_, of)| {
                parts.iter().all(|it| has(of, it)) && counted.iter().all(|it| agrees(of, it))
            })
    }

    /// Returns an input that ended well and whose run looked at a part at this place; `None` if there is none.
    pub fn example_at(&self, place: &Place) -> Option<&Input> {
        self.known.get(place)?.first().map(|it| &it.1)
    }

    /// Whether a run that ended well looked at an improper tail of a list.
    pub fn takes_improper_lists(&self) -> bool {
        self.known.iter().any(|(place, forms)| {
            let is_tail = matches!(place.steps.last(), Some(Step::Tail(_)));
            is_tail && forms.iter().any(|it| !matches!(it.0, Form::List | Form::Nil | Form::End))
        })
    }

    /// Returns the forms at a place in the runs that ended well.
    pub fn forms(&self, place: &Place) -> impl Iterator<Item = &Form> {
        self.known.get(place).into_iter().flatten().map(|it| &it.0)
    }
}

/// Finds the parts of an input that the choices of one run are about.
struct PartFinder<'a> {
    exprs: &'a Exprs,
    input: &'a Input,
    /// Expressions that were examined; later choices about them tell nothing new.
    seen: FxHashSet<ExprId>,
    n_steps: usize,
}

impl<'a> PartFinder<'a> {
    fn new(exprs: &'a Exprs, input: &'a Input) -> PartFinder<'a> {
        PartFinder { exprs, input, seen: FxHashSet::default(), n_steps: 0 }
    }

    /// Returns the parts of the input that this choice looked at and no earlier one: the selections of parts that the
    /// tested expression is made of.
    fn parts(&mut self, choice: &Choice) -> Vec<Part> {
        let (Looked::Test(expr) | Looked::Heads(expr, _) | Looked::Pin(expr, _)) = &choice.looked;
        let mut res = Vec::new();
        let mut open = vec![*expr];
        while let Some(expr) = open.pop() {
            if !self.seen.insert(expr) {
                continue;
            }
            if let Some((place, selected_part)) = self.part(expr) {
                if let Some(form) = selected_part.form() {
                    res.push(Part { place, form });
                }
                continue;
            }
            let Some(Expr::Apply(op, args)) = self.exprs.get(expr) else { continue };
            if let (Op::HasKey, [key, map]) = (op, &args[..])
                && let (Some(key), Some((place, Selected::Whole(Term::Map(pairs))))) =
                    (self.exprs.as_constant(*key), self.part(*map))
            {
                let has_it = pairs.iter().any(|it| it.0 == *key);
                res.push(Part { place, form: Form::MapWith { key: text(key), has_it } });
                continue;
            }
            open.extend(args.iter().copied());
        }
        res
    }

    /// Returns the parts of a choice, on a path that ended well, that show what is accepted. A value that differs from
    /// what all clauses name shows something only if it is of their kind: that `b` is not `a` shows that atoms are
    /// accepted, that `7` is not `a` tells nothing about integers.
    fn accepted_parts(&mut self, choice: &Choice) -> Vec<Part> {
        let mut res = self.parts(choice);
        if let Some(Mismatch { of, others }) = Mismatch::of(self.exprs, choice)
            && let Some((denied, _)) = self.part(of)
        {
            let n_parts = res.len();
            let is_other = |it: &Form| {
                others.contains(&it.kind()) || (*it == Form::List && others.contains(&Form::Nil))
            };
            res.retain(|it| it.place != denied || is_other(&it.form));
            if res.len() < n_parts {
                // A later choice may show that the value is accepted.
                self.seen.remove(&of);
            }
        }
        res
    }

    /// Returns the place of an expression that selects a part of the input, and the part; `None` if the expression
    /// computes something else.
    fn part(&mut self, expr: ExprId) -> Option<(Place, Selected<'a>)> {
        let PartFinder { exprs, input, .. } = *self;
        let (mut expr, mut selectors) = (expr, Vec::new());
        let argument = loop {
            match exprs.get(expr)? {
                Expr::Var(Var(n)) => break usize::try_from(*n).ok()?,
                Expr::Const(_) => return None,
                Expr::Apply(op, args) => {
                    selectors.push((*op, args.first()?));
                    expr = if *op == Op::Get { *args.get(1)? } else { *args.first()? };
                }
            }
        };
        self.n_steps += 1 + selectors.len();
        let mut place = Place { argument, steps: Vec::new() };
        let mut selected_part = Selected::Whole(input.args.get(argument)?);
        for (op, key) in selectors.into_iter().rev() {
            let (step, selected) = match (op, selected_part) {
                (Op::Tail, Selected::Whole(list)) => (Step::Tail(1), Selected::Tail(list, 1)),
                (Op::Tail, Selected::Tail(list, n)) => {
                    (Step::Tail(MAX_TAIL.min(n + 1)), Selected::Tail(list, n + 1))
                }
                (Op::Head, Selected::Whole(Term::List(list))) => {
                    (Step::Item, Selected::Whole(list.items.first()?))
                }
                (Op::Head, Selected::Tail(Term::List(list), n)) => {
                    (Step::Item, Selected::Whole(list.items.get(n)?))
                }
                (Op::Element(n), Selected::Whole(Term::Tuple(items))) => {
                    let tag = if n == 0 { None } else { tag(items) };
                    let item = items.get(usize::try_from(n).ok()?)?;
                    (Step::Element { n, arity: items.len(), tag }, Selected::Whole(item))
                }
                (Op::Get, Selected::Whole(Term::Map(pairs))) => {
                    let key = exprs.as_constant(*key)?;
                    let (_, value) = pairs.iter().find(|it| it.0 == *key)?;
                    (Step::Value(text(key)), Selected::Whole(value))
                }
                _ => return None,
            };
            // All elements of a list share one place, and so do all of its rests.
            if let (Selected::Tail(..), Step::Item | Step::Tail(_)) = (selected_part, &step) {
                place.steps.pop();
            }
            place.steps.push(step);
            selected_part = selected;
        }
        Some((place, selected_part))
    }
}

/// Returns the parts that the last choice of a run looked at: this test decided how the run ended.
pub fn last_parts(exprs: &Exprs, choices: &[Choice], input: &Input) -> Vec<Part> {
    let parts = |it: &Choice| PartFinder::new(exprs, input).parts(it);
    choices.iter().rev().map(parts).find(|it| !it.is_empty()).unwrap_or_default()
}

/// Returns the parts that a run looked at.
pub fn all_parts(exprs: &Exprs, choices: &[Choice], input: &Input) -> Vec<Part> {
    let mut finder = PartFinder::new(exprs, input);
    choices.iter().flat_map(|it| finder.parts(it)).collect()
}

/// A choice that found that a value is none of those that the other alternatives name.
struct Mismatch {
    of: ExprId,
    /// What the value was compared with, as forms without names.
    others: Vec<Form>,
}

impl Mismatch {
    /// Returns the denial that a choice makes. Comparisons of order are none: that a number is not below another tells
    /// as much as that it is.
    fn of(exprs: &Exprs, choice: &Choice) -> Option<Mismatch> {
        match &choice.looked {
            Looked::Heads(of, heads) if choice.taken == heads.len() => {
                let others = heads.iter().filter_map(|it| match it {
                    Head::Kind(_) => None,
                    Head::Tuple(arity) => {
                        let arity = usize::try_from(*arity).unwrap_or(usize::MAX);
                        Some(Form::Tuple { arity, tag: None })
                    }
                    Head::Literal(term) => Some(Form::of(term).kind()),
                });
                Some(Mismatch { of: *of, others: others.collect() })
            }
            Looked::Test(test) if choice.taken == 1 => {
                let Some(Expr::Apply(op, args)) = exprs.get(*test) else { return None };
                match (*op, &args[..]) {
                    (Op::Same | Op::Equal, [a, b]) => {
                        let (of, other) = match exprs.as_constant(*a) {
                            Some(constant) => (b, constant),
                            None => (a, exprs.as_constant(*b)?),
                        };
                        Some(Mismatch { of: *of, others: vec![Form::of(other).kind()] })
                    }
                    (Op::IsKind(_) | Op::IsFunction(_), [of]) => {
                        Some(Mismatch { of: *of, others: Vec::new() })
                    }
                    (Op::IsTuple(arity), [of]) => {
                        let arity = usize::try_from(arity).unwrap_or(usize::MAX);
                        let others = vec![Form::Tuple { arity, tag: None }];
                        Some(Mismatch { of: *of, others })
                    }
                    _ => None,
                }
            }
            Looked::Heads(..) | Looked::Test(_) | Looked::Pin(..) => None,
        }
    }
}

/// A part of the input.
#[derive(Clone, Copy, Debug)]
enum Selected<'i> {
    Whole(&'i Term),
    /// The rest of a list after this many elements.
    Tail(&'i Term, usize),
}

impl Selected<'_> {
    fn form(self) -> Option<Form> {
        match self {
            Selected::Whole(term) => Some(Form::of(term)),
            Selected::Tail(Term::List(list), n) if n < list.items.len() => Some(Form::List),
            Selected::Tail(Term::List(list), n) if n == list.items.len() => {
                let is_proper = list.tail == Term::Nil;
                Some(if is_proper { Form::End } else { Form::of(&list.tail) })
            }
            Selected::Tail(..) => None,
        }
    }
}

/// Returns the first element of a tuple if it is an atom.
fn tag(items: &[Term]) -> Option<String> {
    items.first().and_then(Term::as_atom).map(str::to_owned)
}

fn text(key: &Term) -> String {
    term::print(key, term::Style::INPUT)
}

impl Form {
    /// Returns the form of a term.
    pub fn of(term: &Term) -> Form {
        match term {
            Term::Int(_) | Term::Big(_) => Form::Integer,
            Term::Float(_) => Form::Float,
            Term::Atom(name) => Form::Atom(name.as_str().to_owned()),
            Term::List(_) => Form::List,
            Term::Nil => Form::Nil,
            Term::Tuple(items) => Form::Tuple { arity: items.len(), tag: tag(items) },
            Term::Map(_) => Form::Map,
            Term::Bits(bits) => Form::Bits { is_whole: bits.bit_len().is_multiple_of(8) },
            Term::Fun(fun) => Form::Function { arity: fun.arity().into() },
            Term::Pid(_) => Form::Pid,
            Term::Port(_) => Form::Port,
            Term::Ref(_) => Form::Reference,
        }
    }

    /// Returns the form without names of atoms and tags.
    fn kind(&self) -> Form {
        match self {
            Form::Atom(_) => Form::Atom(String::new()),
            Form::Tuple { arity, .. } => Form::Tuple { arity: *arity, tag: None },
            Form::Integer
            | Form::Float
            | Form::List
            | Form::Nil
            | Form::End
            | Form::Map
            | Form::MapWith { .. }
            | Form::Bits { .. }
            | Form::Function { .. }
            | Form::Pid
            | Form::Port
            | Form::Reference => self.clone(),
        }
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Form::Integer => f.write_str("an integer"),
            Form::Float => f.write_str("a float"),
            Form::Atom(name) => write!(f, "the atom {}", text(&Term::atom(name))),
            Form::List | Form::Nil => f.write_str("a list"),
            Form::End => f.write_str("the end of a list"),
            Form::Tuple { tag: Some(tag), arity } => {
                write!(f, "a tuple of {arity} that begins with {}", text(&Term::atom(tag)))
            }
            Form::Tuple { tag: None, arity } => write!(f, "a tuple of {arity}"),
            Form::Map => f.write_str("a map"),
            Form::MapWith { key, has_it: true } => write!(f, "a map with the key {key}"),
            Form::MapWith { key, has_it: false } => write!(f, "a map without the key {key}"),
            Form::Bits { is_whole: true } => f.write_str("a binary"),
            Form::Bits { is_whole: false } => f.write_str("a bitstring that is no binary"),
            Form::Function { arity } => write!(f, "a function of {arity} arguments"),
            Form::Pid => f.write_str("a pid"),
            Form::Port => f.write_str("a port"),
            Form::Reference => f.write_str("a reference"),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for step in self.steps.iter().rev() {
            match step {
                Step::Item => f.write_str("an element of ")?,
                Step::Tail(_) => f.write_str("the rest of ")?,
                Step::Element { n, .. } => write!(f, "element {} of ", n + 1)?,
                Step::Value(key) => write!(f, "the value of {key} in ")?,
            }
        }
        write!(f, "argument {}", self.argument + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use trace::SiteId;

    fn read(text: &str) -> Input {
        Input { args: vec![term::read_term(text).expect("a term")] }
    }

    fn choice(looked: Looked) -> Choice {
        Choice { site: SiteId(0), taken: 0, looked }
    }

    /// Checks which parts a choice about an expression of the only argument looks at.
    fn check(ops: &[Op], input: &str, expect: &str) {
        let mut exprs = Exprs::default();
        let var = exprs.var(Var(0));
        let expr = ops.iter().fold(var, |expr, op| exprs.apply(*op, &[expr]));
        let heads: Arc<[Head]> = Arc::new([Head::Literal(Term::Int(1))]);
        let input = read(input);
        let found = PartFinder::new(&exprs, &input).parts(&choice(Looked::Heads(expr, heads)));
        let found: Vec<String> =
            found.iter().map(|it| format!("{} is {}", it.place, it.form)).collect();
        assert_eq!(found.join(", "), expect, "{input:?}");
    }

    #[test]
    fn parts_are_named_by_how_one_comes_to_them() {
        check(&[], "7", "argument 1 is an integer");
        check(&[Op::Head], "[7.5]", "an element of argument 1 is a float");
        check(&[Op::Tail, Op::Tail, Op::Head], "[1,2,a]", "an element of argument 1 is the atom a");
        check(&[Op::Tail], "[1]", "the rest of argument 1 is the end of a list");
        check(&[Op::Element(1)], "{port,[]}", "element 2 of argument 1 is a list");
        check(&[Op::Length], "[7]", "argument 1 is a list");
        check(&[Op::Head, Op::Negate], "[7]", "an element of argument 1 is an integer");
    }

    #[test]
    fn what_no_run_accepted_is_told_from_what_some_did() {
        let mut exprs = Exprs::default();
        let var = exprs.var(Var(0));
        let item = exprs.apply(Op::Head, &[var]);
        let looked = choice(Looked::Test(item));
        let mut shapes = Shapes::default();
        for accepted in ["[1]", "[a]"] {
            shapes.accept(&exprs, std::slice::from_ref(&looked), &read(accepted));
        }
        let check = |input: &str, precision: Precision, expect: Option<&str>| {
            let part = PartFinder::new(&exprs, &read(input)).parts(&looked).pop().expect("a part");
            assert_eq!(shapes.example(&part, precision), expect.map(read).as_ref(), "{input}");
        };
        check("[5]", Precision::Exact, Some("[1]"));
        check("[b]", Precision::Exact, None);
        check("[b]", Precision::Kind, Some("[a]"));
        check("[5.0]", Precision::Kind, None);
    }

    /// An accepted empty list tells nothing about elements.
    #[test]
    fn an_empty_list_does_not_stand_for_one_with_elements() {
        let mut exprs = Exprs::default();
        let var = exprs.var(Var(0));
        let looked = choice(Looked::Test(var));
        let example = |accepted: &str, input: &str| {
            let mut shapes = Shapes::default();
            shapes.accept(&exprs, std::slice::from_ref(&looked), &read(accepted));
            let part = PartFinder::new(&exprs, &read(input)).parts(&looked).pop().expect("a part");
            shapes.example(&part, Precision::Kind).is_some()
        };
        assert!(example("[1]", "[]") && example("[1]", "[2]") && example("[]", "[]"));
        assert!(!example("[]", "[2]"));
    }

    /// A value that differs from all that clauses name is shown to be accepted only if it is of their kind.
    #[test]
    fn what_is_passed_over_is_accepted_if_it_is_of_the_kind_that_was_looked_for() {
        let mut exprs = Exprs::default();
        let var = exprs.var(Var(0));
        let heads: Arc<[Head]> = Arc::new([Head::Literal(Term::Int(42))]);
        let looked = Looked::Heads(var, heads);
        let passed_over = Choice { site: SiteId(0), taken: 1, looked };
        let mut shapes = Shapes::default();
        for accepted in ["41", "a"] {
            shapes.accept(&exprs, std::slice::from_ref(&passed_over), &read(accepted));
        }
        let place = Place { argument: 0, steps: Vec::new() };
        assert_eq!(shapes.forms(&place).collect::<Vec<&Form>>(), [&Form::Integer]);
    }
}
