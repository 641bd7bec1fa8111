//! Rates the findings of Erlang and Elixir programs: a level, and the reason for it.
//!
//! A finding is a broken promise if an explicit spec allows its input. Otherwise it is suspicious if inputs of the
//! same shape are accepted elsewhere, and a refusal if they never are, if the unit is private to the project and no
//! call in the project passes such an input, or if the code under test raises the exception on purpose.

use crate::elixir::{alias, is_elixir};
use crate::erlang::absent::missing;
use crate::erlang::contract::SURROGATES;
use crate::erlang::finding::{Judge, RUNTIME_TAGS};
use crate::erlang::frames::{Frame, frames};
use crate::erlang::systems::{UNKNOWN, is_runtime_message};
use crate::erlang::unit::{UnitName, quoted};
use crate::flow::Rated;
use ::report::{Kind, Level};
use engine::{Part, Precision, Shapes};
use specs::{Maker, Origin};
use term::{Atom, Style, Term, print};
use trace::{Input, Outcome};

impl Judge<'_> {
    /// Rates an outcome of a kind. `decided_by` are the parts of the input that the last choice inspected.
    pub(crate) fn rate(
        &self,
        kind: Kind,
        input: &Input,
        outcome: &Outcome,
        decided_by: &[Part],
    ) -> Rated {
        let has_surrogate = || {
            self.contract.has_surrogate_char(input)
                || input.args.iter().any(|it| it.has_part(is_text_with_surrogate))
        };
        if kind != Kind::Property && has_surrogate() {
            let why = "it holds a surrogate code point, which no text has";
            return Rated::new(Level::Refusal, why);
        }
        if let Some(module) = self.contract.stray_struct(input) {
            let name = alias(&module);
            let why = format!("it holds a struct of {name} that no function of {name} made");
            return Rated::new(Level::Refusal, why);
        }
        if kind != Kind::Property
            && let Some(module) = self.contract.unmade_struct(input)
        {
            let why =
                format!("it holds a map for a struct of {} that nobody makes", alias(&module));
            return Rated::new(Level::Refusal, why);
        }
        match kind {
            Kind::Spec => {
                let returned = match outcome {
                    Outcome::Value(value) => self.made_up_result(input, value),
                    Outcome::Crash { .. } | Outcome::Deadlock | Outcome::Stopped(_) => None,
                };
                if let Some(why) = self.nobody_gives(input).or(returned) {
                    return Rated::new(Level::Refusal, why);
                }
                let complaint = match outcome {
                    Outcome::Value(value) => self.contract.complaint(input, value),
                    Outcome::Crash { .. } | Outcome::Deadlock | Outcome::Stopped(_) => None,
                };
                // The results that a behaviour expects from a callback depend on the arguments that it passes.
                let origin = self.contract.signature.as_ref().map(|it| &it.origin);
                let is_own = origin == Some(&Origin::Spec);
                let level = if is_own { Level::Promise } else { Level::Suspicious };
                Rated::new(level, complaint.unwrap_or_default())
            }
            Kind::Property => Rated::new(Level::Promise, "a property must return true"),
            Kind::Race => Rated::new(Level::Suspicious, "the result depends on the schedule"),
            Kind::Deadlock if self.contract.promises(input) => {
                Rated::new(Level::Promise, "the spec allows this input, and nobody can go on")
            }
            Kind::Deadlock => Rated::new(Level::Suspicious, "nobody can go on"),
            Kind::Rejected if self.contract.signature.is_some() => {
                Rated::new(Level::Refusal, self.outside_of_spec(input))
            }
            Kind::Rejected => {
                let title = self.unit.title();
                let why =
                    format!("no clause of {title} takes it, and no spec says that one should");
                Rated::new(Level::Refusal, why)
            }
            Kind::Crash | Kind::Timeout => self
                .unmeant_message(input, outcome)
                .or_else(|| self.refusal(input, outcome))
                .unwrap_or_else(|| self.rate_crash(input, outcome, decided_by)),
        }
    }

    /// Describes what the spec wants instead of the input.
    fn outside_of_spec(&self, input: &Input) -> String {
        let signature = self.contract.signature.as_ref();
        match signature.and_then(|it| it.refusal(&input.args)) {
            Some(it) => format!("the spec wants {} as argument {}", cut(&it.wanted), it.argument),
            None => "the spec does not allow this input".to_owned(),
        }
    }

    /// For a system that fails on a message that the module does not send by itself.
    fn unmeant_message(&self, input: &Input, outcome: &Outcome) -> Option<Rated> {
        let system = self.contract.system.as_ref()?;
        let (tag, content) = system.last_step(input)?;
        let is_start = input.args.get(1).is_some_and(|it| *it == Term::Nil);
        let refused_by = self.refused_by_callback(outcome);
        if is_start && !system.promises(input) && refused_by.is_some() {
            return refused_by;
        }
        if let Some(function) = system.function(tag) {
            let is_own = !system.promises(input) && is_refused_by(&function.name, outcome);
            let why = format!("no clause of {} takes it, and no spec says so", function.name);
            return is_own.then(|| Rated::new(Level::Refusal, why));
        }
        let message = content.first()?;
        if message.as_atom() == Some(UNKNOWN) {
            let why = "only a clause for everything takes this message";
            return Some(Rated::new(Level::Refusal, why));
        }
        if tag.as_str() == "info" && is_runtime_message(message) {
            let why = "the runtime sends such messages, and it did not send this one";
            return Some(Rated::new(Level::Refusal, why));
        }
        refused_by
    }

    fn refused_by_callback(&self, outcome: &Outcome) -> Option<Rated> {
        let system = self.contract.system.as_ref()?;
        let Outcome::Crash { reason, trace, .. } = outcome else { return None };
        let first = frames(trace).into_iter().next()?;
        let is_callback = first.module == system.unit.module
            && system.callbacks.contains(&(first.function.clone(), first.arity));
        if reason.as_atom() == Some("function_clause") && is_callback {
            let name = format!("{}/{}", quoted(&first.function), first.arity);
            let why = format!("no clause of {name} takes this");
            return Some(Rated::new(Level::Refusal, why));
        }
        None
    }

    /// For a crash whose exception shows that the input is not meant.
    fn refusal(&self, input: &Input, outcome: &Outcome) -> Option<Rated> {
        let Outcome::Crash { class, reason, trace } = outcome else { return None };
        if self.is_by_schedule {
            return None;
        }
        let frames = frames(trace);
        let first = frames.first()?;
        if self.is_deliberate(input, class, reason, &frames) {
            let at = first.line.map(|it| format!(" in line {it}")).unwrap_or_default();
            let function = format!("{}/{}", quoted(&first.function), first.arity);
            let why = format!("{function} refuses such inputs with an exception of its own{at}");
            return Some(Rated::new(Level::Refusal, why));
        }
        if reason.as_atom() == Some("undef") && self.contract.absent.contains(&first.module) {
            let why = format!("it needs the module {}, which is not there", quoted(&first.module));
            return Some(Rated::new(Level::Refusal, why));
        }
        missing(input, class, reason, &frames)
            .map(|what| Rated::new(Level::Refusal, format!("it needs {what}, which is not there")))
    }

    /// For a crash in a function that the input names, or in one to which the unit only passes its arguments on.
    fn asked_for_elsewhere(&self, input: &Input, outcome: &Outcome) -> Option<String> {
        let Outcome::Crash { trace, .. } = outcome else { return None };
        let frames = frames(trace);
        let is_unit = |it: &Frame| {
            (&it.module, &it.function, it.arity)
                == (&self.unit.module, &self.unit.function, self.unit.arity)
        };
        let has = |name: &Atom| {
            let is_it = |it: &Term| matches!(it, Term::Atom(it) if it == name);
            input.args.iter().any(|it| it.has_part(is_it))
        };
        let is_named = |it: &&Frame| !is_unit(it) && has(&it.module) && has(&it.function);
        if let Some(named) = frames.iter().find(is_named) {
            let name = format!("{}:{}", quoted(&named.module), quoted(&named.function));
            return Some(format!("the input itself names the function that fails: {name}"));
        }
        let to = self.contract.delegate.as_ref()?;
        let is_elsewhere = |it: &Frame| is_unit(it) || !self.modules.contains(&it.module);
        let is_raised_there = frames.first().is_some_and(|it| !is_unit(it));
        let why = format!("it only hands its arguments to {to}, which does not take them");
        (is_raised_there && frames.iter().all(is_elsewhere)).then_some(why)
    }

    /// Whether the code under test raises on purpose to refuse its arguments, and no spec promises to accept them: it
    /// throws; raises `badarg`, `ArgumentError` or an exception of the project; is a function with a `!` in its name;
    /// passes its arguments to `error/2`; or raises in a clause that matches everything else.
    pub(crate) fn is_deliberate(
        &self,
        input: &Input,
        class: &Atom,
        reason: &Term,
        frames: &[Frame],
    ) -> bool {
        let is_own = |it: &&Frame| self.modules.contains(&it.module);
        let is_named_so = |it: &Frame| is_elixir(&it.module) && it.function.as_str().ends_with('!');
        if frames.iter().filter(is_own).any(is_named_so) {
            return true;
        }
        let Some(first) = frames.first().filter(is_own) else { return false };
        let is_last_resort = || self.contract.refusing.has(first) && !self.contract.promises(input);
        if !is_of_runtime(reason) && (first.args.is_some() || is_last_resort()) {
            return true;
        }
        let tag = reason.as_tuple().and_then(<[Term]>::first).unwrap_or(reason);
        let is_of_project =
            |it: &Atom| it.as_str() == "Elixir.ArgumentError" || self.modules.contains(it);
        class.as_str() == "throw"
            || tag.as_atom() == Some("badarg")
            || exception_module(reason).is_some_and(is_of_project)
    }

    /// Describes an error that the code under test raises explicitly and that carries no data, so that it need not be
    /// about the arguments.
    fn raised_alone(&self, outcome: &Outcome) -> Option<String> {
        let Outcome::Crash { class, reason, trace } = outcome else { return None };
        let is_own = frames(trace).first().is_some_and(|it| self.modules.contains(&it.module));
        let is_message = exception_module(reason).is_some_and(|it| it.as_str() == RUNTIME_ERROR);
        let is_alone = reason.as_atom().is_some() || is_message;
        let is_error = class.as_str() == "error" && !is_of_runtime(reason);
        (is_own && is_error && is_alone).then(|| match reason.as_atom() {
            Some(_) => print(reason, Style::TW),
            None => "an exception".to_owned(),
        })
    }

    /// Returns a recorded call that returned, if for each of these parts there is one with the same shape.
    fn recorded_like(&self, parts: &[Part], precision: Precision) -> Option<String> {
        let shapes = self.recorded?;
        let mut examples = parts.iter().map(|it| shapes.example(it, precision));
        let first = examples.next()??;
        examples.all(|it| it.is_some()).then(|| self.unit.script(&first.args).shown())
    }

    /// Explains why the unit is not meant for an input although the spec allows it, since specs can't express
    /// everything.
    fn not_meant(&self, input: &Input, outcome: &Outcome, decided_by: &[Part]) -> Option<String> {
        self.nobody_gives(input)
            .or_else(|| self.asked_for_elsewhere(input, outcome))
            .or_else(|| self.unsaid_of_function(input, outcome, decided_by))
            .or_else(|| self.unreadable_text(input, outcome, decided_by))
            .or_else(|| self.unnamed_atom(outcome, decided_by))
            .or_else(|| self.no_byte(outcome, decided_by))
            .or_else(|| self.no_match_specification(input, outcome))
            .or_else(|| self.looks_for_absent(input, outcome))
    }

    /// Explains why no code of the project passes this input: the project's records hold other values, or the unit is
    /// private and its calls pass other values.
    fn nobody_gives(&self, input: &Input) -> Option<String> {
        if let Some(why) = self.contract.records.misfit(&self.unit.module, input) {
            return Some(why);
        }
        // A recipe stands for the value that it makes; call sites have the value itself.
        let is_recipe = |it: &Term| Maker::of_recipe(it).is_some();
        let calls = self.calls.filter(|_| !input.args.iter().any(|it| it.has_part(is_recipe)));
        calls?.refusal(input)
    }

    fn rate_crash(&self, input: &Input, outcome: &Outcome, decided_by: &[Part]) -> Rated {
        let rated = self.rate_meant(input, outcome, decided_by);
        let is_unknown = self.calls.is_some_and(|it| !it.says_something_of(decided_by));
        let is_recorded = || self.recorded_like(decided_by, Precision::Kind).is_some();
        if rated.level != Level::Refusal && is_unknown && !is_recorded() {
            let why = "the project keeps it to itself, and its calls do not show what it is given";
            return Rated::new(Level::Refusal, why);
        }
        rated
    }

    /// Rates a crash, without regard to whether the calls of a private unit are understood.
    fn rate_meant(&self, input: &Input, outcome: &Outcome, decided_by: &[Part]) -> Rated {
        let precision = match outcome {
            Outcome::Crash { reason, .. } if is_no_match(reason) => Precision::Exact,
            Outcome::Crash { .. } | Outcome::Stopped(_) | Outcome::Value(_) | Outcome::Deadlock => {
                Precision::Kind
            }
        };
        let recorded = self.recorded_like(decided_by, precision);
        if recorded.is_none()
            && let Some(why) = self.not_meant(input, outcome, decided_by)
        {
            return Rated::new(Level::Refusal, why);
        }
        if self.contract.promises(input) && self.contract.says_something_of(decided_by) {
            let why = match self.contract.system {
                Some(_) => "the specs of the functions that are called allow these arguments",
                None => "the spec allows this input",
            };
            return Rated::new(Level::Promise, why);
        }
        if let Some(example) = recorded {
            let why = format!("a recorded call of this shape returned: {}", cut(&example));
            return Rated::new(Level::Suspicious, why);
        }
        if let Some(Origin::Callback(behaviour)) =
            self.contract.signature.as_ref().map(|it| &it.origin)
        {
            let why = format!(
                "it is a callback of {}, and this input need not be one that it is called with",
                quoted(behaviour)
            );
            return Rated::new(Level::Refusal, why);
        }
        if let Some(behaviour) = &self.contract.unknown_behaviour {
            let behaviour = quoted(behaviour);
            let why = format!("it may be a callback of {behaviour}, a behaviour that is not there");
            return Rated::new(Level::Refusal, why);
        }
        if self.contract.is_left_alone {
            let why = "its documentation hides it, and no call in the project shows what it is for";
            return Rated::new(Level::Refusal, why);
        }
        let ends = match outcome {
            Outcome::Stopped(_) => "it may run forever",
            Outcome::Crash { .. } | Outcome::Value(_) | Outcome::Deadlock => {
                "nobody catches this exception"
            }
        };
        if let Some(what) = self.raised_alone(outcome) {
            let why = format!("the code itself raises {what}, which says nothing of the arguments");
            return Rated::new(Level::Suspicious, why);
        }
        let Some(shapes) = self.shapes else { return Rated::new(Level::Suspicious, ends) };
        if decided_by.is_empty() {
            return Rated::new(Level::Suspicious, format!("{ends}, whatever the arguments are"));
        }
        if shapes.is_empty() {
            let why = "no call was found that ends well, so that nothing shows what it takes";
            return Rated::new(Level::Refusal, why);
        }
        let refused = decided_by.iter().find(|it| shapes.example(it, precision).is_none());
        if let Some(part) = refused {
            return Rated::new(Level::Refusal, refused_part(part));
        }
        if let Some(why) = self.nothing_like_it(shapes, decided_by, precision) {
            return Rated::new(Level::Refusal, why);
        }
        let is_improper = |it: &Term| matches!(it, Term::List(list) if list.tail != Term::Nil);
        if input.args.iter().any(|it| it.has_part(is_improper)) && !shapes.takes_improper_lists() {
            let why = "no call ended well that looked at the end of a list without []";
            return Rated::new(Level::Refusal, why);
        }
        let example = decided_by.iter().find_map(|it| shapes.example(it, precision));
        let example = example.map(|it| self.unit.script(&it.args).shown()).unwrap_or_default();
        Rated::new(Level::Suspicious, format!("inputs of this shape end well: {}", cut(&example)))
    }
}

impl Judge<'_> {
    /// Explains a refusal of a combination of parts: calls with the deciding parts ended well, but in none of them
    /// the other parts that the failing run examined had the same atoms, tags and kinds. `None` if such a call may
    /// exist.
    fn nothing_like_it(
        &self,
        shapes: &Shapes,
        decided_by: &[Part],
        precision: Precision,
    ) -> Option<String> {
        let looked_at = self.looked_at?;
        let is_named = |it: &str| self.contract.named.contains(it);
        if shapes.may_have_beside(decided_by, looked_at, precision, &is_named) {
            return None;
        }
        let part = decided_by.first()?;
        let has_none = |it: &&Part| {
            !shapes.may_have_beside(decided_by, std::slice::from_ref(*it), precision, &is_named)
        };
        let with = |it: &Part| format!(" and {} as {}", it.form, it.place);
        let with = looked_at.iter().find(has_none).map(with).unwrap_or_default();
        let like_it = if with.is_empty() { " in an input like this one" } else { "" };
        Some(format!("{}{with}{like_it}", refused_part(part)))
    }
}

/// Whether the term is a list of code points that contains a surrogate. The type `char()` includes surrogates, but
/// texts can't contain them.
fn is_text_with_surrogate(term: &Term) -> bool {
    let Term::List(list) = term else { return false };
    let codes = || list.items.iter().filter_map(Term::as_int);
    codes().count() == list.items.len() && codes().any(|it| SURROGATES.contains(&it))
}

fn refused_part(part: &Part) -> String {
    format!("no call ended well with {} as {}", part.form, part.place)
}

/// The maximum length of an example in a line, in characters.
const MAX_EXAMPLE: usize = 60;

pub(crate) fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_EXAMPLE) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or(text)),
        None => text.to_owned(),
    }
}

/// The exception of `raise "message"` in Elixir.
const RUNTIME_ERROR: &str = "Elixir.RuntimeError";

/// The module of an Elixir exception struct.
fn exception_module(reason: &Term) -> Option<&Atom> {
    let Term::Map(pairs) = reason else { return None };
    let (_, name) = pairs.iter().find(|it| it.0.as_atom() == Some("__struct__"))?;
    if let Term::Atom(name) = name { Some(name) } else { None }
}

/// Whether the runtime raises errors with this reason: no clause matches, or a builtin refuses its arguments.
pub(crate) fn is_of_runtime(reason: &Term) -> bool {
    let is_known = |it: &str| RUNTIME_TAGS.contains(&it) && it != "badarg";
    match reason.as_tuple() {
        Some([Term::Atom(tag), ..]) => is_known(tag.as_str()),
        Some(_) => false,
        None => reason.as_atom().is_some_and(|it| {
            is_known(it) || matches!(it, "function_clause" | "if_clause" | "undef" | "badarith")
        }),
    }
}

/// Whether the reason says that a value matched no pattern.
pub(crate) fn is_no_match(reason: &Term) -> bool {
    let tag = reason.as_tuple().and_then(<[Term]>::first).unwrap_or(reason);
    let is_builtin = matches!(tag.as_atom(), Some("badarith" | "badarg" | "system_limit"));
    is_of_runtime(reason) && !is_builtin
}

/// Whether the outcome is a `function_clause` error of this function.
fn is_refused_by(function: &UnitName, outcome: &Outcome) -> bool {
    let Outcome::Crash { reason, trace, .. } = outcome else { return false };
    let first = frames(trace).into_iter().next();
    let is_it = |it: Frame| {
        (it.module, it.function, it.arity)
            == (function.module.clone(), function.function.clone(), function.arity)
    };
    reason.as_atom() == Some("function_clause") && first.is_some_and(is_it)
}
