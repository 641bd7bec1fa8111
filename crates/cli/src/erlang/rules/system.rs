//! Converts the events of a run into states of a system as in [Vidal 2015]: processes with their remaining
//! computations and mailboxes, and the messages on their way. Replays the events and records a state before each rule.

use crate::erlang::rules::expression::{Expressions, Marked, shown_term, spelled};
use crate::erlang::rules::normal::{Event, Played, SentMessage, VisibleStep};
use beam::Places;
use erlang::machine::Told;
use std::collections::BTreeMap;
use term::{ExprId, Term};
use trace::{Actor, MessageId, Take};

/// A state of a system, and the rule that led to it.
#[derive(Clone, Debug)]
pub(crate) struct State {
    /// `None` for the initial state.
    pub(crate) rule: Option<Rule>,
    pub(crate) processes: Vec<ProcessState>,
    pub(crate) mail: Vec<Channel>,
    /// The indices of the run's choices up to this state.
    pub(crate) choices: Vec<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rule {
    pub(crate) name: String,
    pub(crate) arrow: Arrow,
    /// The process that takes the step; `None` for a delivery.
    pub(crate) process: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrow {
    /// A reduction of a process.
    Tau,
    /// A choice of the scheduler.
    Alpha,
}

#[derive(Clone, Debug)]
pub(crate) struct ProcessState {
    pub(crate) name: String,
    /// The remaining computation, with the next redex marked.
    pub(crate) expression: Marked,
    pub(crate) mailbox: Vec<String>,
}

#[derive(Clone, Debug)]
pub(crate) struct Channel {
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) messages: Vec<String>,
}

impl State {
    /// Replaces numbers of expressions by their texts.
    pub(super) fn spelled(mut self, expr: &dyn Fn(ExprId) -> String) -> State {
        let spell = |it: &mut String| *it = spelled(it, expr);
        for process in &mut self.processes {
            process.expression = process.expression.spelled(expr);
            process.mailbox.iter_mut().for_each(spell);
        }
        self.mail.iter_mut().flat_map(|it| &mut it.messages).for_each(spell);
        self
    }
}

/// Returns all states, from the call to its end.
pub(super) fn states(played: &Played, places: &Places) -> Vec<State> {
    let mut system = System {
        names: vec![(played.unit.actor, "p0".to_owned())],
        pids: vec![(played.unit.pid.clone(), "p0".to_owned())],
        expressions: Expressions::new(places),
        boxes: BTreeMap::new(),
        channels: Vec::new(),
        letters: BTreeMap::new(),
        states: Vec::new(),
        choices: Vec::new(),
        rule: None,
    };
    // The first function that a process enters gives its initial expression.
    for event in &played.events {
        if let Event::Told(told) = event {
            system.expressions.register(told);
        }
    }
    let mut events = played.events.iter().peekable();
    while let Some(event) = events.next() {
        match event {
            Event::Told(told) => system.told(told, None),
            Event::Does(deed) => {
                let own = events.next_if(|it| {
                    let is_own = |told: &Told| {
                        told.actor == deed.actor && system.expressions.is_report_of(told, deed)
                    };
                    matches!(it, Event::Told(told) if is_own(told))
                });
                match own {
                    Some(Event::Told(told)) => system.told(told, Some(deed)),
                    Some(_) | None => system.silent(deed),
                }
            }
            Event::Arrives(id) => system.arrives(*id),
            Event::Lost(id) => system.lost(*id),
        }
    }
    system.picture(None);
    system.states
}

struct System<'a> {
    names: Vec<(Actor, String)>,
    pids: Vec<(Term, String)>,
    expressions: Expressions<'a>,
    boxes: BTreeMap<Actor, Vec<MessageId>>,
    channels: Vec<(Actor, Actor, Vec<MessageId>)>,
    letters: BTreeMap<MessageId, SentMessage>,
    states: Vec<State>,
    choices: Vec<usize>,
    /// The rule that leads to the state that is recorded next.
    rule: Option<Rule>,
}

impl System<'_> {
    fn told(&mut self, told: &Told, deed: Option<&VisibleStep>) {
        if let Some(name) = self.expressions.rule(told) {
            self.picture(Some(told));
            let process = Some(self.name(told.actor));
            self.rule = Some(Rule { name, arrow: Arrow::Tau, process });
        }
        if let Some(deed) = deed {
            self.apply(deed);
        }
        self.expressions.apply(told, &self.pids);
        self.choices.extend(told.choices.clone());
    }

    /// Handles a step of code that is not instrumented, or of a timer.
    fn silent(&mut self, deed: &VisibleStep) {
        let is_process = self.names.iter().any(|it| it.0 == deed.actor);
        let is_end = deed.what.starts_with("fails") || deed.what.starts_with("is ended");
        let name = if !is_process {
            Some("timer")
        } else if is_end || (deed.what == "ends" && !deed.sent.is_empty()) {
            Some("exit")
        } else if !deed.spawned.is_empty() {
            Some("spawn")
        } else if !deed.sent.is_empty() {
            Some("send")
        } else {
            match deed.take {
                Take::Message(_) => Some("receive"),
                Take::Timeout => Some("timeout"),
                Take::Next | Take::Lost => None,
            }
        };
        if let Some(name) = name {
            self.picture(None);
            let process = is_process.then(|| self.name(deed.actor));
            self.rule = Some(Rule { name: name.to_owned(), arrow: Arrow::Tau, process });
        }
        if !is_process {
            let n_timers = self.names.len() - self.pids.len();
            self.names.push((deed.actor, format!("t{n_timers}")));
        }
        self.apply(deed);
        if is_end {
            let why = deed.what.split_once(": ").map_or("", |it| it.1);
            self.expressions.fail(deed.actor, &format!("** {why}"));
        }
    }

    fn apply(&mut self, deed: &VisibleStep) {
        for child in &deed.spawned {
            let n = self.pids.len();
            self.names.push((child.actor, format!("p{n}")));
            self.pids.push((child.pid.clone(), format!("p{n}")));
        }
        if let Take::Message(id) = deed.take {
            self.boxes.entry(deed.actor).or_default().retain(|it| *it != id);
        }
        for letter in &deed.sent {
            let is_its = |it: &&mut (Actor, Actor, _)| (it.0, it.1) == (deed.actor, letter.to);
            match self.channels.iter_mut().find(is_its) {
                Some(channel) => channel.2.push(letter.id),
                None => self.channels.push((deed.actor, letter.to, vec![letter.id])),
            }
            self.letters.insert(letter.id, letter.clone());
        }
    }

    fn arrives(&mut self, id: MessageId) {
        self.picture(None);
        self.rule = Some(Rule { name: "sched".to_owned(), arrow: Arrow::Alpha, process: None });
        self.forget(id);
        if let Some(letter) = self.letters.get(&id) {
            self.boxes.entry(letter.to).or_default().push(id);
        }
    }

    fn lost(&mut self, id: MessageId) {
        self.picture(None);
        self.rule = Some(Rule { name: "loss".to_owned(), arrow: Arrow::Alpha, process: None });
        self.forget(id);
    }

    fn forget(&mut self, id: MessageId) {
        self.channels.iter_mut().for_each(|it| it.2.retain(|it| *it != id));
    }

    /// Records the current state, with the next redex marked.
    fn picture(&mut self, next: Option<&Told>) {
        let text = |id: &MessageId| {
            self.letters.get(id).map(|it| shown_term(&it.message, &self.pids)).unwrap_or_default()
        };
        let texts = |ids: &[MessageId]| ids.iter().map(text).collect::<Vec<String>>();
        let is_process = |name: &str| self.pids.iter().any(|it| it.1 == name);
        let process = |(actor, name): &(Actor, String)| ProcessState {
            name: name.clone(),
            expression: self.expressions.show(*actor, next, &self.pids),
            mailbox: self.boxes.get(actor).map(|it| texts(it)).unwrap_or_default(),
        };
        let processes = self.names.iter().filter(|it| is_process(&it.1)).map(process).collect();
        let channel = |it: &(Actor, Actor, Vec<MessageId>)| Channel {
            from: self.name(it.0),
            to: self.name(it.1),
            messages: texts(&it.2),
        };
        let mail = self.channels.iter().map(channel).collect();
        let rule = self.rule.take();
        self.states.push(State { rule, processes, mail, choices: self.choices.clone() });
    }

    fn name(&self, actor: Actor) -> String {
        let found = self.names.iter().find(|it| it.0 == actor);
        found.map_or_else(|| "?".to_owned(), |it| it.1.clone())
    }
}
