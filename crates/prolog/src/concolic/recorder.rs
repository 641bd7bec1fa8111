//! Collects the choices of one run. Knows expressions and sites, not the machine.

use crate::code::PredId;
use crate::concolic::facts::{self, Facts, Top};
use crate::concolic::letters::code_term;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;
use term::{ExprId, Exprs, Kind, Op, Term};
use trace::{Choice, Head, Looked, Loss, SiteId};

/// Beyond this many a path is not followed further.
const MAX_CHOICES: usize = 20_000;

/// Literals that a place is told apart by.
const MAX_LITERALS: usize = 40;

/// What makes a place one of its own: what kind of place, where, and which test there.
pub(super) type Place = (u8, u32, u32);

#[derive(Debug, Default)]
pub(crate) struct Recorder {
    pub(crate) exprs: Exprs,
    pub(crate) choices: Vec<Choice>,
    pub(crate) losses: Vec<Loss>,
    /// Which sets of clauses the calls of predicates under test could match, if somebody wants to
    /// know: the predicate, and the clauses by their number.
    pub(crate) matched: Option<BTreeSet<(PredId, Vec<u32>)>>,
    /// Inputs may be variables, or have some in them.
    pub(super) has_variables: bool,
    /// The clauses and branches that the run came to, each with the choices before it, if somebody wants
    /// to know.
    pub(crate) journal: Option<Vec<(usize, u32)>>,
    facts: FxHashMap<ExprId, Facts>,
    tested: FxHashSet<ExprId>,
    sites: FxHashMap<(Place, Option<Term>), SiteId>,
    /// How many literals a place was seen to compare with.
    n_literals: FxHashMap<Place, usize>,
    single: FxHashMap<Head1, Arc<[Head]>>,
    pub(super) first_args: FxHashMap<PredId, Rc<FirstArg>>,
    /// Goals that the program knows, by the number of arguments that are added when they are called.
    pub(super) goals: FxHashMap<usize, Rc<FirstArg>>,
}

/// Heads that are asked for one at a time, shared.
type Head1 = (u8, u32, Option<Term>);

/// What a value is compared with at once: what the clauses of a predicate want of their first argument.
#[derive(Debug, Default)]
pub(super) struct FirstArg {
    pub(super) heads: Option<Arc<[Head]>>,
    /// The names of compounds, by the number of items of the tuples that they are.
    pub(super) names: Vec<(u32, Arc<[Head]>)>,
}

impl Recorder {
    /// Forgets the run, keeps expressions and sites.
    pub(crate) fn restart(&mut self) {
        self.choices.clear();
        self.losses.clear();
        self.matched.iter_mut().for_each(BTreeSet::clear);
        self.journal.iter_mut().for_each(Vec::clear);
        self.facts.clear();
        self.tested.clear();
    }

    /// The place of a choice.
    pub(super) fn place_of(&self, site: SiteId) -> Option<Place> {
        self.sites.iter().find(|it| *it.1 == site).map(|it| it.0.0)
    }

    /// The run comes to a clause or a branch.
    pub(crate) fn enters(&mut self, mark: u32) {
        let n_choices = self.choices.len();
        if let Some(journal) = self.journal.as_mut().filter(|it| it.len() < MAX_CHOICES) {
            journal.push((n_choices, mark));
        }
    }

    pub(super) fn is_full(&self) -> bool {
        MAX_CHOICES <= self.choices.len()
    }

    fn site(&mut self, place: Place) -> SiteId {
        self.site_of((place, None))
    }

    fn site_of(&mut self, key: (Place, Option<Term>)) -> SiteId {
        let next = SiteId(u32::try_from(self.sites.len()).unwrap_or(u32::MAX));
        *self.sites.entry(key).or_insert(next)
    }

    /// A place that compares with one literal after the other (`memberchk/2`, a fact that was found)
    /// is one site for each: to find the second is news.
    fn site_with(&mut self, place: Place, heads: &[Head]) -> SiteId {
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

    /// The value was compared with the heads.
    pub(super) fn choose(&mut self, place: Place, expr: ExprId, top: &Top, heads: &Arc<[Head]>) {
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

    /// A text that was made of letters is compared with another: letter by letter, up to the first
    /// difference. How long it is, the path has said.
    fn choose_letters(&mut self, place: Place, letters: &[ExprId], found: &Term, wanted: &Term) {
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

    /// A character that was made of a code is compared with others by their codes.
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
            // No code: nothing that such a character could be.
            Head::Literal(term) => Some(Head::Literal(code_of(term).unwrap_or(Term::Int(-1)))),
            Head::Kind(Kind::Atom | Kind::Boolean) => None,
            Head::Kind(_) | Head::Tuple(_) => Some(Head::Literal(Term::Int(-1))),
        };
        let heads: Arc<[Head]> = heads.iter().map(head).collect::<Option<_>>()?;
        Some((code, Top { kind: facts::INTEGER, n_items: 0, literal: Some(literal) }, heads))
    }

    pub(super) fn choose_one(&mut self, place: Place, expr: ExprId, top: &Top, head: Head) {
        let key = match &head {
            Head::Kind(kind) => (0, *kind as u32, None),
            Head::Tuple(n) => (1, *n, None),
            Head::Literal(term) => (2, 0, Some(term.clone())),
        };
        let heads = Arc::clone(self.single.entry(key).or_insert_with(|| Arc::from([head])));
        self.choose(place, expr, top, &heads);
    }

    /// A test of the input that came out like this.
    pub(super) fn test(&mut self, place: Place, expr: ExprId, holds: bool) {
        if self.tested.insert(expr) {
            self.push(place, usize::from(!holds), Looked::Test(expr));
        }
    }

    /// From here on the run depends on this very value.
    pub(super) fn pin(&mut self, place: Place, expr: ExprId, value: Term) {
        if self.facts.get(&expr).is_some_and(Facts::is_literal) {
            return;
        }
        self.facts.insert(expr, Facts::of_literal(value.clone()));
        self.push(place, 0, Looked::Pin(expr, value));
    }

    pub(super) fn lose(&mut self, place: Place, what: String) {
        let site = self.site(place);
        self.losses.push(Loss { site, what });
    }

    fn push(&mut self, place: Place, taken: usize, looked: Looked) {
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

    /// The expression's value is of this kind by construction.
    pub(super) fn is_of_kind(&mut self, expr: ExprId, kind: u8) {
        self.facts.entry(expr).or_insert_with(|| Facts::of_kind(kind));
    }
}
