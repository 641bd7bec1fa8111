//! Message delivery with delays: on a model with one queue per pair of processes, brute force tries all
//! orders of delivery. The exploration must make exactly one run for each combination of received messages.
#![expect(clippy::indexing_slicing, reason = "a process of the model is its place in every list")]

use conformance::{Random, machine_with};
use engine::explore_schedules;
use engine::{Alone, Delivery, Dpor, Ended, ScheduleReport, ScheduleSettings, Stop};
use erlang::Machine;
use erlang::machine::Staged;
use solve::{Chain, Effort};
use std::collections::{BTreeMap, BTreeSet};
use term::{Atom, Domain};
use trace::{Input, Stage, Take};

#[test]
fn instant() {
    check(11, Delivery::Instant);
}

#[test]
fn causal() {
    check(12, Delivery::Causal);
}

#[test]
fn free() {
    check(13, Delivery::Free);
}

/// With a bound on preemptions, too, the exploration finds all combinations that brute force finds.
#[test]
fn of_few_preemptions() {
    for (seed, delivery) in [(14, Delivery::Causal), (15, Delivery::Free)] {
        let (module, programs, mut machine) = load(seed, 30);
        let mut n_cut = 0;
        for (n, bound) in (0..programs.len()).flat_map(|n| (0..3).map(move |it| (n, it))) {
            let mut maps = |dpor| {
                let preemptions = Some(bound);
                let settings =
                    ScheduleSettings { dpor, delivery, preemptions, ..ScheduleSettings::default() };
                explored(&mut machine, &module, n, &settings)
            };
            let ((all, report), (found, _)) = (maps(Dpor::All), maps(Dpor::Optimal));
            n_cut += usize::from(report.stop == Stop::Depth);
            let text = programs.get(n).map(|it| it.text(n)).unwrap_or_default();
            assert_eq!(found, all, "{text}{bound} preemptions, {delivery:?}");
        }
        assert!(n_cut > programs.len(), "{n_cut}");
    }
}

const N_PROGRAMS: usize = 120;

fn load(seed: u64, n_programs: usize) -> (String, Vec<Program>, Machine) {
    let mut random = Random(seed);
    let programs: Vec<Program> = (0..n_programs).map(|_| Program::new(&mut random)).collect();
    let module = format!("deliveries_{seed}");
    let mut text = format!("-module({module}).\n-compile([export_all, nowarn_export_all]).\n\n");
    for (n, program) in programs.iter().enumerate() {
        text += &program.text(n);
    }
    let dir = std::env::temp_dir().join("gimlet-deliveries");
    std::fs::create_dir_all(&dir).expect("a directory");
    let file = dir.join(format!("{module}.erl"));
    std::fs::write(&file, &text).expect("a file");
    let machine = machine_with(Atom::new(&module), &file);
    (module, programs, machine)
}

fn check(seed: u64, delivery: Delivery) {
    let (module, programs, mut machine) = load(seed, N_PROGRAMS);
    let (mut wrong, mut n_maps) = (Vec::new(), 0);
    for (n, program) in programs.iter().enumerate() {
        let expect = program.maps(delivery);
        n_maps += expect.len();
        let settings =
            ScheduleSettings { dpor: Dpor::Optimal, delivery, ..ScheduleSettings::default() };
        let (found, report) = explored(&mut machine, &module, n, &settings);
        assert_eq!((report.stop, report.n_blocked), (Stop::Exhausted, 0), "p{n}");
        let n_runs = report.n_runs;
        if found != expect || n_runs != expect.len() {
            let lost: Vec<&Map> = expect.difference(&found).collect();
            let made: Vec<&Map> = found.difference(&expect).collect();
            let text = program.text(n);
            wrong.push(format!(
                "{text}{} ways, {n_runs} runs\nlost {lost:?}\nmade up {made:?}\n",
                expect.len()
            ));
        }
    }
    assert!(n_maps > 2 * N_PROGRAMS, "{n_maps}");
    wrong.sort_by_key(String::len);
    let shown = wrong.get(..wrong.len().min(3)).unwrap_or_default().join("\n");
    assert!(wrong.is_empty(), "{} of {N_PROGRAMS}:\n{shown}", wrong.len());
}

/// For each process that received anything: the results of its receives. A message is given by its sender and
/// its number; `None` is a timeout.
type Map = BTreeMap<String, Vec<Option<(String, u32)>>>;

fn explored(
    machine: &mut Machine,
    module: &str,
    n: usize,
    settings: &ScheduleSettings,
) -> (BTreeSet<Map>, ScheduleReport) {
    let mut stage = Staged::new(machine, Atom::new(module), Atom::new(&format!("p{n}")));
    let mut solver = Chain::new(Effort::default());
    let mut oracle = Alone { solver: &mut solver, domain: &Domain::default() };
    let mut schedules = Vec::new();
    let mut see = |ended: &Ended<'_>| schedules.push(ended.schedule.to_vec());
    let seed = Input { args: Vec::new() };
    let report =
        explore_schedules(&mut stage, &mut oracle, &seed, settings, &mut see, &mut |_| None);
    let mut maps = BTreeSet::new();
    for schedule in &schedules {
        let mut map = Map::new();
        for label in schedule {
            let taken = match label.take {
                Take::Message(it) => Some((stage.name(it.from), it.n)),
                Take::Timeout => None,
                Take::Next | Take::Lost => continue,
            };
            map.entry(stage.name(label.actor)).or_default().push(taken);
        }
        maps.insert(map);
    }
    (maps, report)
}

/// An action of a process.
#[derive(Clone, Copy, Debug)]
enum Action {
    /// Sends a message with this tag to a process.
    Send(usize, Tag),
    /// Receives a message with this tag, or any message; the flag says whether the receive may time out.
    Receive(Option<Tag>, bool),
}

type Tag = char;

/// The actions of each process. The first process starts the others; each of these knows the first one and
/// those started before it.
struct Program {
    processes: Vec<Vec<Action>>,
}

impl Program {
    fn new(random: &mut Random) -> Program {
        let n_processes = 3 + random.index(2);
        let n_actions = if n_processes == 3 { 5 } else { 4 };
        let of = |n: usize, random: &mut Random| {
            let n_known = if n == 0 { n_processes } else { n };
            let action = |random: &mut Random| {
                let to = if n == 0 { 1 + random.index(n_known - 1) } else { random.index(n_known) };
                match random.index(if n == 0 { 3 } else { 5 }) {
                    1 | 2 => {
                        let tag = [Some('a'), Some('b'), None][random.index(3)];
                        Action::Receive(tag, random.index(4) == 0)
                    }
                    _ => Action::Send(to, ['a', 'b'][random.index(2)]),
                }
            };
            (0..2 + random.index(n_actions - 1)).map(|_| action(random)).collect()
        };
        Program { processes: (0..n_processes).map(|n| of(n, random)).collect() }
    }

    fn text(&self, n: usize) -> String {
        let action = |it: &Action| match it {
            Action::Send(to, tag) => format!("P{to} ! {tag}"),
            Action::Receive(tag, gives_up) => {
                let tag = tag.map_or("_".to_owned(), String::from);
                let after = if *gives_up { " after 0 -> ok" } else { "" };
                format!("receive {tag} -> ok{after} end")
            }
        };
        let actions = |it: &Vec<Action>| it.iter().map(action).collect::<Vec<_>>().join(", ");
        let mut text = format!("p{n}() ->\n  P0 = self(),\n");
        for (n, process) in self.processes.iter().enumerate().skip(1) {
            text += &format!("  P{n} = spawn(fun() -> {} end),\n", actions(process));
        }
        let known = (0..self.processes.len()).map(|it| format!("_ = P{it}")).collect::<Vec<_>>();
        text += &format!(
            "  {},\n  {}.\n\n",
            known.join(", "),
            self.processes.first().map(actions).unwrap_or_default()
        );
        text
    }

    fn maps(&self, delivery: Delivery) -> BTreeSet<Map> {
        let n_processes = self.processes.len();
        let first = State {
            at: vec![0; n_processes],
            on_the_way: BTreeSet::new(),
            mailboxes: vec![Vec::new(); n_processes],
            n_sent: vec![0; n_processes],
            knows: vec![BTreeSet::new(); n_processes],
            taken: vec![Vec::new(); n_processes],
        };
        let (mut open, mut seen, mut maps) = (vec![first], BTreeSet::new(), BTreeSet::new());
        while let Some(state) = open.pop() {
            if !seen.insert(state.clone()) {
                continue;
            }
            let next = self.next(&state, delivery);
            if next.is_empty() {
                maps.insert(state.map());
            }
            open.extend(next);
        }
        maps
    }

    fn next(&self, state: &State, delivery: Delivery) -> Vec<State> {
        let mut res = Vec::new();
        for (n, actions) in self.processes.iter().enumerate() {
            match actions.get(state.at[n]) {
                Some(Action::Send(to, tag)) => {
                    let (past, nth) = (state.knows[n].clone(), state.n_sent[n]);
                    let message = Message { from: n, nth, to: *to, tag: *tag, past };
                    let mut next = state.clone();
                    next.at[n] += 1;
                    next.n_sent[n] += 1;
                    next.knows[n].insert((n, nth));
                    match delivery {
                        Delivery::Instant => next.mailboxes[*to].push(message),
                        Delivery::Causal | Delivery::Free => drop(next.on_the_way.insert(message)),
                    }
                    res.push(next);
                }
                Some(Action::Receive(tag, gives_up)) => {
                    let wanted = |it: &Message| tag.is_none_or(|tag| it.tag == tag);
                    let found = state.mailboxes[n].iter().position(wanted);
                    if found.is_none() && !gives_up {
                        continue;
                    }
                    let mut next = state.clone();
                    next.at[n] += 1;
                    let taken = found.map(|it| next.mailboxes[n].remove(it));
                    if let Some(message) = &taken {
                        next.knows[n].extend(message.past.iter().copied());
                        next.knows[n].insert((message.from, message.nth));
                    }
                    next.taken[n].push(taken.map(|it| (it.from, it.nth)));
                    res.push(next);
                }
                None => (),
            }
        }
        for message in &state.on_the_way {
            let is_before = |it: &Message| {
                it.to == message.to
                    && match delivery {
                        Delivery::Causal => message.past.contains(&(it.from, it.nth)),
                        Delivery::Instant | Delivery::Free => {
                            it.from == message.from && it.nth < message.nth
                        }
                    }
            };
            if !state.on_the_way.iter().any(is_before) {
                let mut next = state.clone();
                next.on_the_way.remove(message);
                next.mailboxes[message.to].push(message.clone());
                res.push(next);
            }
        }
        res
    }
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Message {
    from: usize,
    nth: u32,
    to: usize,
    tag: Tag,
    /// The messages that had been sent when this one was sent, as far as its sender can know (its causal
    /// past).
    past: BTreeSet<(usize, u32)>,
}

/// A state of the model: for each process its position, its mailbox, the number of messages it sent, those it
/// knows of and those it received; and the messages in transit.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    at: Vec<usize>,
    on_the_way: BTreeSet<Message>,
    mailboxes: Vec<Vec<Message>>,
    n_sent: Vec<u32>,
    knows: Vec<BTreeSet<(usize, u32)>>,
    taken: Vec<Vec<Option<(usize, u32)>>>,
}

impl State {
    fn map(&self) -> Map {
        let name = |n: usize| if n == 0 { "P".to_owned() } else { format!("P.{n}") };
        let took = self.taken.iter().enumerate().filter(|it| !it.1.is_empty());
        let told = |it: &Option<(usize, u32)>| it.map(|(from, nth)| (name(from), nth));
        took.map(|(n, taken)| (name(n), taken.iter().map(told).collect())).collect()
    }
}
