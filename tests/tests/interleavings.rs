//! Compares partial-order reduction with brute force over all interleavings of random programs. The reduced
//! exploration has the same ends and meets every equivalence class of schedules; the optimal one meets each
//! class once. The same holds for an exploration divided into cells.

use conformance::{Random, classes_of, machine_with};
use engine::{Crew, Delivery, Dpor, ScheduleSettings, Stop};
use erlang::Machine;
use term::Atom;

#[test]
fn of_messages() {
    check(7, 60, Theme::Messages, 0);
}

#[test]
fn of_mail() {
    check(10, 80, Theme::Mail, 0);
}

#[test]
fn of_lives() {
    check(2, 50, Theme::Lives, 0);
}

#[test]
fn of_tables() {
    check(3, 50, Theme::Tables, 0);
}

#[test]
fn of_names() {
    check(4, 50, Theme::Names, 0);
}

#[test]
fn of_timers() {
    check(5, 40, Theme::Timers, 0);
}

#[test]
fn of_everything() {
    check(6, 80, Theme::Everything, 0);
}

#[test]
fn of_lost_messages() {
    check(8, 60, Theme::Messages, 1);
    check(9, 60, Theme::Everything, 2);
}

#[test]
fn of_messages_with_few_preemptions() {
    check_bounds(11, 30, Theme::Messages, 0);
    check_bounds(12, 30, Theme::Mail, 0);
    check_bounds(16, 30, Theme::Timers, 0);
    check_bounds(18, 30, Theme::Messages, 1);
}

#[test]
fn of_everything_with_few_preemptions() {
    check_bounds(13, 60, Theme::Lives, 0);
    check_bounds(14, 30, Theme::Tables, 0);
    check_bounds(15, 30, Theme::Names, 0);
    check_bounds(17, 30, Theme::Everything, 0);
}

#[test]
fn of_signals_that_take_their_time() {
    check_delivered(31, 40, Theme::Lives, Delivery::Instant);
    check_delivered(32, 40, Theme::Lives, Delivery::Causal);
    check_delivered(33, 40, Theme::Lives, Delivery::Free);
    check_delivered(34, 30, Theme::Everything, Delivery::Instant);
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Theme {
    Messages,
    /// Like `Messages`, with more messages per receiver.
    Mail,
    Lives,
    Tables,
    Names,
    Timers,
    Everything,
}

/// The maximum number of interleavings of a program that is compared.
const MAX_RUNS: usize = 3000;

/// The maximum number of interleavings within a bound on preemptions.
const MAX_BOUNDED: usize = 400;

fn check(seed: u64, n_programs: usize, theme: Theme, losses: usize) {
    let Programs { module, text, mut machine } = Programs::new(seed, n_programs, theme);
    let (mut wrong, mut n_compared, mut n_classes, mut n_divided) = (Vec::new(), 0, 0, 0);
    for n in 0..n_programs {
        let name = format!("p{n}");
        let mut explore = |dpor, crew| {
            let settings = ScheduleSettings { losses, ..settings(dpor) };
            classes_of(&mut machine, (&module, &name), &settings, crew)
        };
        let alone = Crew::new(0, 0);
        let all = explore(Dpor::All, alone);
        let found = explore(Dpor::Optimal, alone);
        let source = explore(Dpor::Source, alone);
        let divided = explore(Dpor::Optimal, Crew { min_search: 1, max_alone: 1, ..alone });
        n_divided += usize::from(divided.report.n_cells > 0);
        assert_eq!(found.report.stop, Stop::Exhausted);
        let is_whole = all.report.stop == Stop::Exhausted;
        n_compared += usize::from(is_whole);
        n_classes += all.report.n_classes;
        let is_right = found.is_optimal()
            && divided.is_optimal()
            && (&divided.classes, &divided.ends) == (&found.classes, &found.ends)
            && source.ends == found.ends
            && (!is_whole || (&found.classes, &found.ends) == (&all.classes, &all.ends));
        if !is_right {
            let lost: Vec<&String> = all.ends.difference(&found.ends).collect();
            let made: Vec<&String> = found.ends.difference(&all.ends).collect();
            wrong.push(format!(
                "{}\nall {:?}\noptimal {:?}\nsource {:?}\ndivided {:?}\nlost {lost:?}\nmade up {made:?}\n",
                source_of(&text, n),
                all.report,
                found.report,
                source.report,
                divided.report,
            ));
        }
    }
    assert!(n_compared > n_programs / 5, "{n_compared}");
    assert!(n_classes >= n_compared, "programs have {n_classes} classes");
    assert_eq!(n_divided > 0, losses == 0, "{n_divided} of {n_compared} were divided");
    assert_none(wrong, n_compared);
}

/// Checks the exploration with exit signals that are delivered in steps of their own.
fn check_delivered(seed: u64, n_programs: usize, theme: Theme, delivery: Delivery) {
    let Programs { module, text, mut machine } = Programs::new(seed, n_programs, theme);
    let (mut wrong, mut n_compared) = (Vec::new(), 0);
    for n in 0..n_programs {
        let name = format!("p{n}");
        let mut explore = |dpor, crew| {
            let settings = ScheduleSettings { delivery, delays_signals: true, ..settings(dpor) };
            classes_of(&mut machine, (&module, &name), &settings, crew)
        };
        let alone = Crew::new(0, 0);
        let all = explore(Dpor::All, alone);
        let found = explore(Dpor::Optimal, alone);
        let divided = explore(Dpor::Optimal, Crew { min_search: 1, max_alone: 1, ..alone });
        let is_whole = all.report.stop == Stop::Exhausted;
        n_compared += usize::from(is_whole);
        let is_right = found.is_optimal()
            && divided.is_optimal()
            && (&divided.classes, &divided.ends) == (&found.classes, &found.ends)
            && all.ends.is_subset(&found.ends)
            && (!is_whole || (&found.classes, &found.ends) == (&all.classes, &all.ends));
        if !is_right {
            let lost: Vec<&String> = all.ends.difference(&found.ends).collect();
            let made: Vec<&String> = found.ends.difference(&all.ends).collect();
            wrong.push(format!(
                "{}\nall {:?}\noptimal {:?}\ndivided {:?}\nlost {lost:?}\nmade up {made:?}\n",
                source_of(&text, n),
                all.report,
                found.report,
                divided.report,
            ));
        }
    }
    assert!(n_compared > n_programs / 8, "{n_compared}");
    assert_none(wrong, n_compared);
}

/// With a bound on preemptions, exactly the classes with a schedule within the bound are met.
fn check_bounds(seed: u64, n_programs: usize, theme: Theme, losses: usize) {
    let Programs { module, text, mut machine } = Programs::new(seed, n_programs, theme);
    let (mut wrong, mut n_compared, mut n_cut) = (Vec::new(), 0, 0);
    for (n, preemptions) in (0..n_programs).flat_map(|n| (0..3).map(move |it| (n, it))) {
        let name = format!("p{n}");
        let mut explore = |dpor| {
            let bound = Some(preemptions);
            let max_runs = (dpor == Dpor::All).then_some(MAX_BOUNDED);
            let settings =
                ScheduleSettings { losses, preemptions: bound, max_runs, ..settings(dpor) };
            classes_of(&mut machine, (&module, &name), &settings, Crew::new(0, 0))
        };
        let all = explore(Dpor::All);
        if all.report.stop == Stop::Runs {
            continue;
        }
        n_compared += 1;
        n_cut += usize::from(all.report.stop == Stop::Depth);
        let found = explore(Dpor::Optimal);
        // These two also distinguish orders of messages in a mailbox.
        let (source, none) = (explore(Dpor::Source), explore(Dpor::SleepSets));
        let is_right = (&found.classes, &found.ends) == (&all.classes, &all.ends)
            && found.report.n_runs == found.classes.len()
            && [&found, &source].iter().all(|it| it.report.n_diverged == 0)
            && (&source.classes, &source.ends) == (&none.classes, &none.ends)
            && source.ends == all.ends;
        if !is_right {
            let lost: Vec<&String> = all.ends.difference(&found.ends).collect();
            let made: Vec<&String> = found.ends.difference(&all.ends).collect();
            wrong.push(format!(
                "{}\n{preemptions} preemptions\nall {:?}\nbounded {:?}\nsource {:?}\nnone {:?}\nlost {lost:?}\nmade up {made:?}\n",
                source_of(&text, n),
                all.report,
                found.report,
                source.report,
                none.report,
            ));
        }
    }
    assert!(n_compared > n_programs && n_cut > 0, "{n_cut} of {n_compared} were cut");
    assert_none(wrong, n_compared);
}

/// Random programs, loaded as one module.
struct Programs {
    module: String,
    text: String,
    machine: Machine,
}

impl Programs {
    fn new(seed: u64, n_programs: usize, theme: Theme) -> Programs {
        let mut random = Random(seed);
        let module = format!("interleavings_{seed}");
        let mut text =
            format!("-module({module}).\n-compile([export_all, nowarn_export_all]).\n\n");
        for n in 0..n_programs {
            text += &program(&mut random, n, theme);
        }
        let dir = std::env::temp_dir().join("gimlet-interleavings");
        std::fs::create_dir_all(&dir).expect("a directory");
        let file = dir.join(format!("{module}.erl"));
        std::fs::write(&file, &text).expect("a file");
        let machine = machine_with(Atom::new(&module), &file);
        Programs { module, text, machine }
    }
}

fn source_of(text: &str, n: usize) -> &str {
    let from = text.find(&format!("p{n}() ->")).unwrap_or(0);
    let to = text.get(from..).and_then(|it| it.find("\n\n")).unwrap_or(0);
    text.get(from..from + to).unwrap_or_default()
}

fn assert_none(mut wrong: Vec<String>, n_compared: usize) {
    wrong.sort_by_key(String::len);
    let shown = wrong.get(..wrong.len().min(3)).unwrap_or_default().join("\n");
    assert!(wrong.is_empty(), "{} of {n_compared}:\n{shown}", wrong.len());
}

fn settings(dpor: Dpor) -> ScheduleSettings {
    let max_runs = (dpor == Dpor::All).then_some(MAX_RUNS);
    ScheduleSettings { dpor, counts_classes: true, max_runs, ..ScheduleSettings::default() }
}

/// Generates a program: a process that starts two or three others, which perform a few steps; it returns how
/// they ended.
fn program(random: &mut Random, n: usize, theme: Theme) -> String {
    // Timers add steps of their own, so there are fewer processes.
    let n_children = if theme == Theme::Timers { 1 } else { 2 } + random.index(2);
    let is_large = theme == Theme::Messages || random.index(3) == 0;
    let budget = (4 - n_children).min(2) + usize::from(is_large);
    let mut text = format!(
        "p{n}() ->\n  Me = self(), T = ets:new(t, [{}public]), A = atomics:new(2, []),\n",
        random.pick(&["", "", "ordered_set, ", "bag, "])
    );
    let is_first = random.index(3) == 0;
    if is_first {
        text += "  ets:insert(T, [{k, 0}, {l, 7}]),\n";
    }
    for child in 1..=n_children {
        let n_steps = 1 + random.index(budget);
        let steps: Vec<String> = (0..n_steps).map(|_| step(random, child, n, theme)).collect();
        text += &format!(
            "  {{P{child}, R{child}}} = spawn_monitor(fun() -> exit({{log, [{}]}}) end),\n",
            steps.join(", ")
        );
    }
    let n_own = if theme == Theme::Mail { 1 + random.index(2) } else { random.index(2) };
    let own: Vec<String> = (0..n_own).map(|_| step(random, n_children + 1, n, theme)).collect();
    text += &format!("  Own = [{}],\n", own.join(", "));
    let ends: Vec<String> = (1..=n_children)
        .map(|it| format!("receive {{'DOWN', R{it}, _, _, E{it}}} -> E{it} end"))
        .collect();
    text + &format!("  [Own, T == Me, A == Me | [{}]].\n\n", ends.join(", "))
}

/// The words from which the steps of a program are made.
struct Words {
    n: usize,
    /// A variable bound to a process that was started before.
    other: String,
    to: String,
    key: &'static str,
    name: String,
    tag: &'static str,
    value: usize,
}

/// Generates one step; its value is what the process observes. A child knows the children started before it.
fn step(random: &mut Random, child: usize, n: usize, theme: Theme) -> String {
    let other =
        if child > 1 { format!("P{}", 1 + random.index(child - 1)) } else { "Me".to_owned() };
    let words = Words {
        n,
        to: if random.index(2) == 0 { "Me".to_owned() } else { other.clone() },
        other,
        key: if random.index(2) == 0 { "k" } else { "l" },
        name: format!("name{n}_{}", random.index(2)),
        tag: if random.index(2) == 0 { "a" } else { "b" },
        value: random.index(3),
    };
    let themes = [messages, lives, tables, names, timers];
    let of = match theme {
        Theme::Messages => messages,
        Theme::Mail => mail,
        Theme::Lives => lives,
        Theme::Tables => tables,
        Theme::Names => names,
        Theme::Timers => timers,
        Theme::Everything => {
            themes.get(random.index(themes.len())).copied().unwrap_or(messages as Making)
        }
    };
    of(random, &words)
}

type Making = fn(&mut Random, &Words) -> String;

fn messages(random: &mut Random, words: &Words) -> String {
    let Words { to, tag, value, .. } = words;
    match random.index(16) {
        0..=3 => format!("{to} ! {{{tag}, {value}}}"),
        4 => format!("receive {{{tag}, X}} -> X end"),
        5 => format!("receive {{{tag}, X}} -> X after 0 -> none end"),
        6 => format!("receive {{X, {value}}} -> X after 10 -> none end"),
        7 => "receive {X, Y} -> {X, Y} after 100 -> none end".to_owned(),
        8 => format!("receive {{{tag}, X}} when X > 0 -> X after 9000 -> none end"),
        9 => format!("begin {to} ! {{{tag}, 1}}, {to} ! {{{tag}, 2}} end"),
        10 => format!("self() ! {{{tag}, self}}"),
        11 => "(fun F() -> receive {a, X} -> [X | F()] after 0 -> [] end end)()".to_owned(),
        12 => format!("(spawn(fun() -> {to} ! {{{tag}, new}} end) == {to})"),
        13 => {
            format!("begin {to} ! {{{tag}, self()}}, receive {{re, Z}} -> Z after 1 -> no end end")
        }
        14 => {
            format!("receive {{{tag}, Y}} when is_pid(Y) -> Y ! {{re, {value}}} after 1 -> no end")
        }
        _ => format!("erlang:send({to}, {{{tag}, {value}}}, [noconnect])"),
    }
}

fn mail(random: &mut Random, words: &Words) -> String {
    let Words { tag, value, other, .. } = words;
    match random.index(10) {
        0..=3 => format!("Me ! {{{tag}, {value}}}"),
        4 => format!("{other} ! {{{tag}, {value}}}"),
        5 => "receive {X, Y} -> {X, Y} after 100 -> none end".to_owned(),
        6 => format!("receive {{{tag}, X}} -> X after 100 -> none end"),
        7 => format!("receive {{X, {value}}} -> X after 0 -> none end"),
        8 => format!("receive {{X, Y}} when Y >= {value} -> X after 100 -> none end"),
        _ => format!("receive {{{tag}, X}} -> Me ! {{got, X}} after 50 -> none end"),
    }
}

fn lives(random: &mut Random, words: &Words) -> String {
    let Words { other, to, tag, value, .. } = words;
    match random.index(20) {
        0 => format!("(catch link({other}))"),
        1 => format!("unlink({other})"),
        2 => format!("exit({other}, kill)"),
        3 => format!("exit({other}, boom)"),
        4 => format!("exit({other}, normal)"),
        5 => format!("process_flag(trap_exit, {})", random.pick(&["true", "false"])),
        6 => format!("is_process_alive({other})"),
        7 => format!(
            "begin M = monitor(process, {other}), receive {{'DOWN', M, _, _, W}} -> W after 0 -> alive end end"
        ),
        8 => format!(
            "begin M = monitor(process, {other}), receive {{'DOWN', M, _, _, W}} -> W end end"
        ),
        9 => format!(
            "begin M = monitor(process, {other}), {{demonitor(M, [flush, info]), receive {{'DOWN', M, _, _, W}} -> W after 0 -> no end}} end"
        ),
        10 => "receive {'EXIT', _, W} -> W after 0 -> no end".to_owned(),
        11 => "receive {'EXIT', _, W} -> W after 9000 -> no end".to_owned(),
        12 => format!("(process_info({other}, status) == undefined)"),
        13 => format!("process_info({other}, trap_exit)"),
        14 => format!(
            "(spawn_link(fun() -> exit({})  end) == {other})",
            random.pick(&["normal", "bad", "kill"])
        ),
        15 => format!("{to} ! {{{tag}, {value}}}"),
        16 => format!("process_info({other}, message_queue_len)"),
        17 => format!("exit(self(), {})", random.pick(&["normal", "kill", "bad"])),
        18 => format!(
            "begin M = monitor(process, {other}, [{{alias, {}}}]), {to} ! {{{tag}, M}}, receive {{'DOWN', M, _, _, W}} -> W; {{re, Z}} -> Z after 10 -> no end end",
            random.pick(&["explicit_unalias", "demonitor", "reply_demonitor"])
        ),
        _ => format!(
            "receive {{{tag}, Y}} when is_reference(Y) -> Y ! {{re, {value}}} after 1 -> no end"
        ),
    }
}

fn tables(random: &mut Random, words: &Words) -> String {
    let Words { n, to, key, value, .. } = words;
    match random.index(31) {
        0 => format!("ets:insert(T, {{{key}, {value}}})"),
        1 => format!("ets:lookup(T, {key})"),
        2 => "lists:sort(ets:tab2list(T))".to_owned(),
        3 => format!("(catch ets:update_counter(T, {key}, 1, {{{key}, 0}}))"),
        4 => format!("ets:insert_new(T, {{{key}, {value}}})"),
        5 => format!("ets:delete(T, {key})"),
        6 => format!("ets:delete_object(T, {{{key}, {value}}})"),
        7 => format!("ets:member(T, {key})"),
        8 => format!("(catch ets:lookup_element(T, {key}, 2))"),
        9 => format!("(catch ets:update_element(T, {key}, {{2, {value}}}))"),
        10 => format!("ets:take(T, {key})"),
        11 => "ets:info(T, size)".to_owned(),
        12 => format!("ets:match_delete(T, {{{key}, '_'}})"),
        13 => format!("ets:select_count(T, [{{{{'_', {value}}}, [], [true]}}])"),
        14 => format!("length(ets:match_object(T, {{{key}, '_'}}))"),
        15 => format!("ets:insert(T, [{{k, {value}}}, {{l, {value}}}])"),
        16 => "(catch ets:delete_all_objects(T))".to_owned(),
        17 => format!("(catch ets:give_away(T, {to}, gift))"),
        18 => "receive {'ETS-TRANSFER', _, _, D} -> D after 0 -> no end".to_owned(),
        19 => format!("(catch ets:new(t{n}, [named_table, public]) == T)"),
        20 => format!("(catch ets:insert(t{n}, {{{key}, {value}}}))"),
        21 => format!("(catch ets:lookup(t{n}, {key}))"),
        22 => format!("(catch ets:delete(t{n}))"),
        23 => format!("(ets:whereis(t{n}) == undefined)"),
        24 => format!("(catch (ets:new(h{n}, [public, {{heir, {to}, left}}]) == T))"),
        25 => "atomics:add_get(A, 1, 1)".to_owned(),
        26 => format!(
            "(try ets:update_counter(T, {key}, 1) catch _:_ -> ets:insert_new(T, {{{key}, 1}}) end)"
        ),
        27 => format!("(catch ets:insert(ets:whereis(t{n}), {{{key}, {value}}}))"),
        28 => format!("(catch ets:rename(t{n}, u{n}))"),
        29 => format!("(catch ets:new(u{n}, [named_table, protected]) == T)"),
        _ => format!(
            "atomics:{}",
            random.pick(&["get(A, 1)", "put(A, 1, 5)", "get(A, 2)", "exchange(A, 2, 9)"])
        ),
    }
}

fn names(random: &mut Random, words: &Words) -> String {
    let Words { other, name, tag, value, .. } = words;
    match random.index(16) {
        0 | 1 => format!("(catch register({name}, self()))"),
        2 => format!("(catch ({name} ! {{{tag}, {value}}}))"),
        3 => format!("(whereis({name}) == undefined)"),
        4 => format!("(catch unregister({name}))"),
        5 => format!("(catch register({name}, {other}))"),
        6 => format!("lists:member({name}, registered())"),
        7 => format!("begin {{{name}, node()}} ! {{{tag}, {value}}}, sent end"),
        8 => format!(
            "begin M = monitor(process, {name}), receive {{'DOWN', M, _, _, W}} -> W after 0 -> there end end"
        ),
        9 => format!("(catch exit(whereis({name}), kill))"),
        10 => "receive {a, X} -> X after 0 -> none end".to_owned(),
        11 => format!("receive {{{tag}, X}} -> X after 10 -> none end"),
        12 => format!("process_info({other}, registered_name)"),
        13 => format!("persistent_term:put({name}, {value})"),
        14 => format!("persistent_term:get({name}, none)"),
        _ => format!(
            "(case whereis({name}) of undefined -> no; Pid -> Pid ! {{{tag}, {value}}} end)"
        ),
    }
}

fn timers(random: &mut Random, words: &Words) -> String {
    let Words { to, tag, value, .. } = words;
    match random.index(12) {
        0 => format!(
            "begin S = erlang:send_after({value}, self(), tick), erlang:cancel_timer(S) == false end"
        ),
        1 => format!("is_reference(erlang:send_after(1, {to}, {{{tag}, {value}}}))"),
        2 => format!("is_reference(erlang:start_timer(1, {to}, {value}))"),
        3 => "receive {timeout, _, V} -> V after 0 -> no end".to_owned(),
        4 => format!("receive {{{tag}, X}} -> X after 10 -> none end"),
        5 => format!("receive {{{tag}, X}} -> X after 0 -> none end"),
        6 => format!(
            "begin S = erlang:send_after(1, self(), {{{tag}, t}}), {{erlang:read_timer(S) == false, receive {{{tag}, X}} -> X after 0 -> none end}} end"
        ),
        7 => format!("{to} ! {{{tag}, {value}}}"),
        8 => "receive after 5 -> slept end".to_owned(),
        9 => format!("begin S = erlang:send_after(1, {to}, {{{tag}, t}}), {to} ! {{{tag}, S}} end"),
        10 => format!(
            "receive {{{tag}, S}} when is_reference(S) -> erlang:cancel_timer(S) == false after 0 -> none end"
        ),
        _ => "receive tick -> tick after 0 -> none end".to_owned(),
    }
}
