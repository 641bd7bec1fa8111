//! The recorder: collects the choices of one run. Knows expressions and sites, not the machine.

use crate::code::PredId;
use crate::concolic::facts::{self, Facts, Top};
use crate::concolic::letters::code_term;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;
use term::fit_u32;
use term::{ExprId, Exprs, Kind, Op, Term};
use trace::{Choice, Head, Looked, Loss, SiteId};

/// The maximum number of choices of a path; later ones are not recorded.
const MAX_CHOICES: usize = 20_000;

/// The maximum number of literals for which a place gets a site of its own each.
const MAX_LITERALS: usize = 40;

/// The identity of a place where choices are made: its kind, its address or predicate, and the number of the
/// test there.
pub(super) type TestPlace = (u8, u32, u32);

#[derive(Debug, Default)]
pub(crate) struct Recorder {
    pub(crate) exprs: Exprs,
    pub(crate) choices: Vec<Choice>,
    pub(crate) losses: Vec<Loss>,
    /// The sets of clauses that the calls of predicates under test could match: the predicate, and the
    /// numbers of the clauses. `None` if they are not collected.
    pub(crate) matched: Option<BTreeSet<(PredId, Vec<u32>)>>,
    /// Whether inputs may be or contain variables.
    pub(super) has_variables: bool,
    /// The clauses and branches that the run entered, each with the number of choices before it. `None` if
    /// they are not collected.
    pub(crate) journal: Option<Vec<(usize, u32)>>,
    facts: FxHashMap<ExprId, Facts>,
    tested: FxHashSet<ExprId>,
    sites: FxHashMap<(TestPlace, Option<Term>), SiteId>,
    /// The number of literals that a place has compared with so far.
    n_literals: FxHashMap<TestPlace, usize>,
    single: FxHashMap<SingleHead, Arc<[Head]>>,
    pub(super) first_args: FxHashMap<PredId, Rc<WantedHeads>>,
    /// The goals that the program defines, by the number of arguments that are added when they are called.
    pub(super) goals: FxHashMap<usize, Rc<WantedHeads>>,
}

/// The key of a list with a single head; such lists are shared.
type SingleHead = (u8, u32, Option<Term>);

/// The heads that a value is compared with at once: the first arguments of the clauses of a predicate.
#[derive(Debug, Default)]
pub(super) struct WantedHeads {
    pub(super) heads: Option<Arc<[Head]>>,
    /// The names of compounds, by the number of items of their tuples.
    pub(super) names: Vec<(u32, Arc<[Head]>)>,
}

impl Recorder {
    /// Clears the choices of the run; keeps expressions and sites.
    pub(crate) fn restart(&mut self) {
        self.choices.clear();
        self.losses.clear();
        self.matched.iter_mut().for_each(BTreeSet::clear);
        self.journal.iter_mut().for_each(Vec::clear);
        self.facts.clear();
        self.tested.clear();
    }

    /// Returns the place of a site.
    pub(super) fn place_of(&self, site: SiteId) -> Option<TestPlace> {
        self.sites.iter().find(|it| *it.1 == site).map(|it| it.0.0)
    }

    /// Records that the run enters a clause or a branch.
    pub(crate) fn enters(&mut self, mark: u32) {
        let n_choices = self.choices.len();
        if let Some(journal) = self.journal.as_mut().filter(|it| it.len() < MAX_CHOICES) {
            journal.push((n_choices, mark));
        }
    }

    pub(super) fn is_full(&self) -> bool {
        MAX_CHOICES <= self.choices.len()
    }

    fn site(&mut self, place: TestPlace) -> SiteId {
        self.site_of((place, None))
    }

    fn site_of(&mut self, key: (TestPlace, Option<Term>)) -> SiteId {
        let next = SiteId(fit_u32(self.sites.len()));
        *self.sites.entry(key).or_insert(next)
    }

    /// Returns the site of a comparison. A place that compares with one literal after the other
    /// (`memberchk/2`, or stored facts) gets one site for each literal, so that a match with each of them
    /// counts as new coverage.
    fn site_with(&mut self, place: TestPlace, heads: &[Head]) -> SiteId {
        let [Head::Literal(literal)] = heads else { return self.site(place) };
        let key = (place, Some(literal.clone()));
        if !self.sites.contains_key(&key) {
            let n_known = self.n_literals.entry(place).or_default();
            if MAX_LITERALS <= *n_known {
                return self.site(place);
            }
            *n_known += 1;
        }
        self.site_of(key)
    }

    /// Records the comparison of a value with the heads, unless the path already decides it.
    pub(super) fn choose(
        &mut self,
        place: TestPlace,
        expr: ExprId,
        top: &Top,
        heads: &Arc<[Head]>,
    ) {
        if let Some((code, top, heads)) = self.as_code(expr, top, heads) {
            return self.choose(place, code, &top, &heads);
        }
        if let [Head::Literal(wanted)] = &heads[..]
            && let Some(found) = &top.literal
            && let Some(letters) = self.letters_in(expr)
        {
            return self.choose_letters(place, &letters, found, wanted);
        }
        let facts = self.facts.entry(expr).or_default();
        if facts.decide(heads) {
            return;
        }
        let found = heads.iter().position(|it| top.is(it));
        match found.and_then(|it| heads.get(it)) {
            Some(head) => facts.take(head),
            None => facts.refuse(heads),
        }
        let taken = found.unwrap_or(heads.len());
        let site = self.site_with(place, heads);
        self.push_at(site, taken, Looked::Heads(expr, Arc::clone(heads)));
    }

    /// Compares a text made of letters with another one letter by letter, up to the first difference. The
    /// path already has the text's length.
    fn choose_letters(
        &mut self,
        place: TestPlace,
        letters: &[ExprId],
        found: &Term,
        wanted: &Term,
    ) {
        let is_atom = |it: &Term| it.as_atom().is_some();
        let (Some(found_text), Some(wanted_text)) = (found.as_text(), wanted.as_text()) else {
            return;
        };
        let n_wanted = wanted_text.chars().count();
        if is_atom(found) != is_atom(wanted) || letters.len() != n_wanted {
            return;
        }
        for (expr, (c, other)) in letters.iter().zip(found_text.chars().zip(wanted_text.chars())) {
            if self.exprs.as_constant(*expr).is_none() {
                let top = Top { kind: facts::INTEGER, n_items: 0, literal: Some(code_term(c)) };
                self.choose_one(place, *expr, &top, Head::Literal(code_term(other)));
            }
            if c != other {
                return;
            }
        }
    }

    /// Translates the comparison of a character made from a code to a comparison of codes.
    fn as_code(
        &self,
        expr: ExprId,
        top: &Top,
        heads: &[Head],
    ) -> Option<(ExprId, Top, Arc<[Head]>)> {
        let code = self.code_of_character(expr)?;
        let code_of = |it: &Term| {
            let mut letters = it.as_atom()?.chars();
            let first = letters.next()?;
            letters.next().is_none().then(|| code_term(first))
        };
        let literal = code_of(top.literal.as_ref()?)?;
        let head = |it: &Head| match it {
            // -1 is no code: such a character cannot have this head.
            Head::Literal(term) => Some(Head::Literal(code_of(term).unwrap_or(Term::Int(-1)))),
            Head::Kind(Kind::Atom | Kind::Boolean) => None,
            Head::Kind(_) | Head::Tuple(_) => Some(Head::Literal(Term::Int(-1))),
        };
        let heads: Arc<[Head]> = heads.iter().map(head).collect::<Option<_>>()?;
        Some((code, Top { kind: facts::INTEGER, n_items: 0, literal: Some(literal) }, heads))
    }

    pub(super) fn choose_one(&mut self, place: TestPlace, expr: ExprId, top: &Top, head: Head) {
        let key = match &head {
            Head::Kind(kind) => (0, *kind as u32, None),
            Head::Tuple(n) => (1, *n, None),
            Head::Literal(term) => (2, 0, Some(term.clone())),
        };
        let heads = Arc::clone(self.single.entry(key).or_insert_with(|| Arc::from([head])));
        self.choose(place, expr, top, &heads);
    }

    /// Records the result of a test that depends on the input, unless the path already has the test.
    pub(super) fn test(&mut self, place: TestPlace, expr: ExprId, holds: bool) {
        if self.tested.insert(expr) {
            self.push(place, usize::from(!holds), Looked::Test(expr));
        }
    }

    /// Pins an expression: from here on the path holds only for this value of it.
    pub(super) fn pin(&mut self, place: TestPlace, expr: ExprId, value: Term) {
        if self.facts.get(&expr).is_some_and(Facts::is_literal) {
            return;
        }
        self.facts.insert(expr, Facts::of_literal(value.clone()));
        self.push(place, 0, Looked::Pin(expr, value));
    }

    pub(super) fn lose(&mut self, place: TestPlace, what: String) {
        let site = self.site(place);
        self.losses.push(Loss { site, what });
    }

    fn push(&mut self, place: TestPlace, taken: usize, looked: Looked) {
        let site = self.site(place);
        self.push_at(site, taken, looked);
    }

    fn push_at(&mut self, site: SiteId, taken: usize, looked: Looked) {
        self.choices.push(Choice { site, taken, looked });
        if self.is_full() {
            self.losses.push(Loss { site, what: "a path of more choices".to_owned() });
        }
    }

    pub(super) fn apply(&mut self, op: Op, args: &[ExprId]) -> ExprId {
        self.exprs.apply(op, args)
    }

    /// Declares that an expression's value has this kind by construction.
    pub(super) fn is_of_kind(&mut self, expr: ExprId, kind: u8) {
        self.facts.entry(expr).or_insert_with(|| Facts::of_kind(kind));
    }
}
