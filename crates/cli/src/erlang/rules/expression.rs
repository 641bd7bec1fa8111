//! What processes have yet to do, as text: the source with values in the place of what was reduced.

use crate::erlang::rules::normal::Deed;
use beam::{Node, PlaceId, Places, Shown};
use erlang::machine::Told;
use std::collections::BTreeMap;
use term::{Atom, ExprId, Style, Term, print};
use trace::{Actor, Take};
use values::marked;

/// A text, a part of which may be marked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Marked(String);

/// Around what is marked; no text of a program has them.
const BEGIN: char = '\u{1}';
const END: char = '\u{2}';

/// Around the number of an expression, the same.
const EXPR: char = '\u{3}';
const EXPR_END: char = '\u{4}';

impl Marked {
    pub(crate) fn plain(&self) -> String {
        self.0.replace([BEGIN, END], "")
    }

    pub(crate) fn with(&self, begin: &str, end: &str) -> String {
        self.0.replace(BEGIN, begin).replace(END, end)
    }

    /// With the texts of expressions.
    pub(super) fn spelled(&self, expr: &dyn Fn(ExprId) -> String) -> Marked {
        Marked(spelled(&self.0, expr))
    }

    pub(crate) fn marked(&self) -> Option<&str> {
        let rest = self.0.split_once(BEGIN)?.1;
        rest.split_once(END).map(|it| it.0)
    }
}

pub(super) struct Expressions<'a> {
    places: &'a Places,
    processes: BTreeMap<Actor, Process>,
}

#[derive(Default)]
struct Process {
    /// The function that it enters first, and with what.
    first: Option<(PlaceId, Term)>,
    frames: Vec<Frame>,
    failed: Option<String>,
}

/// A function that was entered.
struct Frame {
    id: i64,
    body: Shown,
    variables: BTreeMap<Atom, String>,
    values: BTreeMap<PlaceId, String>,
    /// Which clause stands for its expression.
    chosen: BTreeMap<PlaceId, usize>,
    /// How much of a sequence is done.
    done: BTreeMap<PlaceId, usize>,
    /// The call that is going on.
    calling: Option<PlaceId>,
}

/// Whether a sequence may stand as it is, or is a part of something.
#[derive(Clone, Copy, PartialEq)]
enum Around {
    Sequence,
    Expression,
}

type Pids<'p> = &'p [(Term, String)];

impl<'a> Expressions<'a> {
    pub(super) fn new(places: &'a Places) -> Expressions<'a> {
        Expressions { places, processes: BTreeMap::new() }
    }

    /// Something that will be told.
    pub(super) fn expect(&mut self, told: &Told) {
        let process = self.processes.entry(told.actor).or_default();
        if told.what == "enter" && process.first.is_none() {
            process.first = Some((PlaceId(told.place), told.value.clone()));
        }
    }

    fn node(&self, told: &Told) -> Option<&'a Node> {
        self.places.nodes.get(&PlaceId(told.place))
    }

    /// Whether what is told is what was done.
    pub(super) fn tells_of(&self, told: &Told, deed: &Deed) -> bool {
        let rule = self.node(told).map(|it| it.rule.as_str());
        match (told.what.as_str(), deed.take) {
            ("took", Take::Message(_) | Take::Timeout) => rule == Some("receive"),
            ("value", Take::Next) => {
                !matches!(rule, None | Some("call" | "fun" | "try" | "catch" | "comprehension"))
            }
            _ => false,
        }
    }

    /// The rule that is told of, if it is one.
    pub(super) fn rule(&self, told: &Told) -> Option<String> {
        match told.what.as_str() {
            "enter" => Some("fun".to_owned()),
            "value" => {
                // What a function returns is there when it is there.
                let frames = self.processes.get(&told.actor).map(|it| it.frames.as_slice());
                let top = frames?.last().filter(|it| it.id == told.frame)?;
                let is_new = !top.chosen.contains_key(&PlaceId(told.place));
                is_new.then(|| self.node(told).map(|it| it.rule.clone())).flatten()
            }
            "took" => {
                let nth = usize::try_from(told.value.as_int()? - 1).ok()?;
                self.node(told)?.bodies.get(nth).map(|it| it.1.clone())
            }
            "match" => Some("match".to_owned()),
            "seq" => Some("seq".to_owned()),
            "next" => Some("comprehension".to_owned()),
            _ => None,
        }
    }

    pub(super) fn apply(&mut self, told: &Told, pids: Pids<'_>) {
        let places = self.places;
        let process = self.processes.entry(told.actor).or_default();
        let place = PlaceId(told.place);
        let bindings = told.bindings.iter().map(|it| (it.0.clone(), shown_term(&it.1, pids)));
        if told.what == "enter" {
            let Some(function) = places.functions.get(&place) else { return };
            // Those that have returned to code which does not tell.
            while process.frames.last().is_some_and(|it| it.is_done(places, &it.body)) {
                process.frames.pop();
            }
            let calling = process.frames.last().and_then(|it| it.calling);
            if calling.and_then(|it| places.nodes.get(&it)).is_some_and(|it| it.is_tail) {
                process.frames.pop();
            }
            let args = told.value.as_list().unwrap_or_default();
            let args = args.iter().map(|it| shown_term(it, pids));
            let mut variables: BTreeMap<Atom, String> = bindings.collect();
            variables.extend(function.params.iter().cloned().zip(args));
            process.frames.push(Frame {
                id: told.frame,
                body: function.body.clone(),
                variables,
                values: BTreeMap::new(),
                chosen: BTreeMap::new(),
                done: BTreeMap::new(),
                calling: None,
            });
            return;
        }
        let Some(n) = process.frames.iter().rposition(|it| it.id == told.frame) else { return };
        process.frames.truncate(n + 1);
        let Some(frame) = process.frames.last_mut() else { return };
        frame.variables.extend(bindings);
        let number = || told.value.as_int().and_then(|it| usize::try_from(it).ok()).unwrap_or(0);
        match told.what.as_str() {
            "last" => frame.calling = Some(place),
            "value" | "match" => {
                frame.calling = None;
                frame.values.insert(place, shown_term(&told.value, pids));
            }
            "took" => {
                frame.calling = None;
                frame.chosen.insert(place, number().saturating_sub(1));
            }
            "seq" => {
                frame.done.insert(place, number());
            }
            // What is in it is done again.
            "next" => {
                frame.values.split_off(&place);
                frame.chosen.split_off(&place);
                frame.done.split_off(&place);
            }
            _ => (),
        }
    }

    pub(super) fn fail(&mut self, actor: Actor, why: &str) {
        self.processes.entry(actor).or_default().failed = Some(why.to_owned());
    }

    pub(super) fn show(&self, actor: Actor, next: Option<&Told>, pids: Pids<'_>) -> Marked {
        let Some(process) = self.processes.get(&actor) else { return Marked("…".to_owned()) };
        if let Some(why) = &process.failed {
            return Marked(why.clone());
        }
        let next = next.filter(|it| it.actor == actor);
        let mark = next.and_then(|it| match it.what.as_str() {
            "enter" => {
                let top = process.frames.last()?;
                Some((top.id, top.calling?))
            }
            _ => Some((it.frame, PlaceId(it.place))),
        });
        let print = Printer { places: self.places, frames: &process.frames, mark };
        if !process.frames.is_empty() {
            return Marked(print.frame(0, Around::Sequence));
        }
        let Some((id, args)) = &process.first else { return Marked("…".to_owned()) };
        let name = self.places.functions.get(id).map_or("…", |it| it.name.as_str());
        let args = args.as_list().unwrap_or_default().iter();
        let args: Vec<String> = args.map(|it| shown_term(it, pids)).collect();
        let call = format!("{name}({})", args.join(", "));
        Marked(if next.is_some() { format!("{BEGIN}{call}{END}") } else { call })
    }
}

impl Frame {
    /// Whether nothing is left to do but to return.
    fn is_done(&self, places: &Places, shown: &Shown) -> bool {
        match shown {
            Shown::Text(_) | Shown::Variable(_) => true,
            Shown::All(items) => items.iter().all(|it| self.is_done(places, it)),
            Shown::Node(id) | Shown::Group(id) => {
                let node = places.nodes.get(id);
                let body = self.chosen.get(id).and_then(|it| node?.bodies.get(*it));
                self.values.contains_key(id) || body.is_some_and(|it| self.is_done(places, &it.0))
            }
            Shown::Sequence(id) => {
                let items = places.sequences.get(id).map_or(&[][..], Vec::as_slice);
                let done = self.done.get(id).copied().unwrap_or(0);
                matches!(items.get(done..), Some([last]) if self.is_done(places, last))
            }
        }
    }
}

struct Printer<'a> {
    places: &'a Places,
    frames: &'a [Frame],
    /// The frame and the place that are marked.
    mark: Option<(i64, PlaceId)>,
}

impl Printer<'_> {
    fn frame(&self, n: usize, around: Around) -> String {
        self.frames.get(n).map_or_else(|| "…".to_owned(), |it| self.print(n, &it.body, around))
    }

    fn print(&self, n: usize, shown: &Shown, around: Around) -> String {
        let Some(frame) = self.frames.get(n) else { return String::new() };
        match shown {
            Shown::Text(text) => text.clone(),
            Shown::Variable(name) => {
                frame.variables.get(name).cloned().unwrap_or_else(|| name.as_str().to_owned())
            }
            Shown::All(items) => {
                items.iter().map(|it| self.print(n, it, Around::Expression)).collect()
            }
            Shown::Node(id) => self.node(n, *id, around),
            Shown::Group(id) if frame.values.contains_key(id) => self.node(n, *id, around),
            Shown::Group(id) => format!("({})", self.node(n, *id, Around::Sequence)),
            Shown::Sequence(id) => {
                let items = self.places.sequences.get(id).map_or(&[][..], Vec::as_slice);
                let done = frame.done.get(id).copied().unwrap_or(0);
                let left = items.get(done..).unwrap_or_default();
                if let [last] = left {
                    return self.print(n, last, around);
                }
                let left: Vec<String> =
                    left.iter().map(|it| self.print(n, it, Around::Sequence)).collect();
                let text = self.marked(n, *id, left.join(", "));
                if around == Around::Sequence { text } else { format!("begin {text} end") }
            }
        }
    }

    fn node(&self, n: usize, id: PlaceId, around: Around) -> String {
        let (Some(frame), Some(node)) = (self.frames.get(n), self.places.nodes.get(&id)) else {
            return String::new();
        };
        if let Some(value) = frame.values.get(&id) {
            return value.clone();
        }
        if let Some(body) = frame.chosen.get(&id).and_then(|it| node.bodies.get(*it)) {
            return self.print(n, &body.0, around);
        }
        let is_called = frame.calling == Some(id) && n + 1 < self.frames.len();
        if is_called && node.rule == "fun" {
            return self.frame(n + 1, around);
        }
        let text = self.marked(n, id, self.print(n, &node.shown, Around::Expression));
        // Code that does not tell how it runs has called this.
        if is_called {
            format!("{text} ▷ {}", self.frame(n + 1, Around::Expression))
        } else {
            text
        }
    }

    fn marked(&self, n: usize, id: PlaceId, text: String) -> String {
        let is_it = self.frames.get(n).is_some_and(|it| self.mark == Some((it.id, id)));
        if is_it { format!("{BEGIN}{text}{END}") } else { text }
    }
}

/// Longer values are cut.
const MAX_VALUE: usize = 400;

/// A value with processes by their names.
pub(super) fn shown_term(term: &Term, pids: Pids<'_>) -> String {
    let text = whole(term, pids);
    if text.chars().count() <= MAX_VALUE {
        return text;
    }
    text.chars().take(MAX_VALUE).chain(['…']).collect()
}

/// A text with those of expressions in their places.
pub(super) fn spelled(text: &str, expr: &dyn Fn(ExprId) -> String) -> String {
    let mut parts = text.split(EXPR);
    let mut res = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (number, rest) = part.split_once(EXPR_END).unwrap_or((part, ""));
        let id = number.parse().ok().map(ExprId);
        res.push_str(&id.map_or_else(|| "…".to_owned(), expr));
        res.push_str(rest);
    }
    res
}

fn whole(term: &Term, pids: Pids<'_>) -> String {
    let all = |items: &[Term]| -> String {
        let items: Vec<String> = items.iter().map(|it| whole(it, pids)).collect();
        items.join(", ")
    };
    let plain = print(term, Style::TP);
    match term {
        Term::Pid(_) => pids.iter().find(|it| it.0 == *term).map_or(plain, |it| it.1.clone()),
        Term::Tuple(items) => format!("{{{}}}", all(items)),
        Term::List(_) if plain.starts_with('"') => plain,
        Term::List(list) if list.tail == Term::Nil => format!("[{}]", all(&list.items)),
        Term::List(list) => format!("[{} | {}]", all(&list.items), whole(&list.tail, pids)),
        Term::Map(pairs) => {
            let pair =
                |it: &(Term, Term)| format!("{} => {}", whole(&it.0, pids), whole(&it.1, pids));
            let pairs: Vec<String> = pairs.iter().map(pair).collect();
            format!("#{{{}}}", pairs.join(", "))
        }
        Term::Atom(atom) => marked(atom).map_or(plain, |it| format!("{EXPR}{}{EXPR_END}", it.0)),
        Term::Int(_)
        | Term::Big(_)
        | Term::Float(_)
        | Term::Nil
        | Term::Bits(_)
        | Term::Fun(_)
        | Term::Port(_)
        | Term::Ref(_) => plain,
    }
}
