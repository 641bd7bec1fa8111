//! Tests of all known ways for SWI-Prolog to affect the outside: each has its effect when it runs plainly, and none in
//! the sandbox.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests write the programs that they start, and fail loudly"
)]

#[allow(dead_code, clippy::allow_attributes, reason = "each test uses a part of it")]
mod common;

use common::{Outside, Said, changed, confined, plain};
use sandbox::{Files, Network, Policy, Programs};
use std::fs;
use std::path::{Path, PathBuf};

/// The name of what changes if the goal takes effect, and the goal; `D` is the directory outside.
const WAYS: &[(&str, &str)] = &[
    ("shell", "shell('touch \"D/shell\"')"),
    ("shell_status", "shell('touch \"D/shell_status\"', _)"),
    ("pipe", "open(pipe('cat > \"D/pipe\"'), write, S), close(S)"),
    ("process", "process_create(path(touch), ['D/process'], [process(P)]), process_wait(P, _)"),
    ("fork", "fork(P), ( P == child -> exec(touch('D/fork')) ; wait(P, _) )"),
    ("open", "open('D/open', write, S), close(S)"),
    ("appended", "open('D/appended', append, S), write(S, x), close(S)"),
    ("truncated", "open('D/truncated', update, S), set_end_of_stream(S), close(S)"),
    ("tell", "tell('D/tell'), write(x), told"),
    ("renamed", "rename_file('D/renamed', 'D/renamed_to')"),
    ("moved", "rename_file('D/moved', 'D/moved_to')"),
    ("deleted", "delete_file('D/deleted')"),
    ("empty", "delete_directory('D/empty')"),
    ("made", "make_directory('D/made')"),
    ("made_path", "make_directory_path('D/made_path')"),
    ("linked", "link_file('D/kept', 'D/linked', symbolic)"),
    ("copied", "copy_file('D/kept', 'D/copied')"),
    ("kept", "chmod('D/kept', +x)"),
    ("through_link", "link_file('D', out, symbolic), open('out/through_link', write, S), close(S)"),
    ("saved", "qsave_program('D/saved', [stand_alone(false)])"),
    (
        "compiled",
        "copy_file('D/source.pl', 'D/c.pl'), qcompile('D/c.pl'), rename_file('D/c.qlf', 'D/compiled')",
    ),
    ("a TCP service", "tcp_connect('127.0.0.1':TCP, S, []), close(S)"),
    ("a UDP service", "udp_socket(S), udp_send(S, hello, ip(127,0,0,1):UDP, [])"),
    ("a local service", "unix_domain_socket(S), tcp_connect(S, 'D/socket')"),
    ("a process", "process_kill(VICTIM, kill)"),
    ("thread", "thread_create(( open('D/thread', write, S), close(S) ), T), thread_join(T)"),
    ("at_halt", "at_halt(( open('D/at_halt', write, S), close(S) ))"),
];

/// Effects that happen while a file is loaded.
const AT_LOAD: &[(&str, &str)] = &[
    ("directive", ":- shell('touch \"D/directive\"')."),
    ("directive_open", ":- open('D/directive_open', write, S), close(S)."),
    ("initialization", ":- initialization(make_directory('D/initialization'))."),
    (
        "expansion",
        "user:term_expansion(expand_me, []) :- make_directory('D/expansion').\nexpand_me.",
    ),
    (
        "goal_expansion",
        "user:goal_expansion(other_me, true) :- make_directory('D/goal_expansion').\nq :- other_me.",
    ),
];

fn swipl() -> PathBuf {
    let found = ["/usr/bin/swipl", "/usr/local/bin/swipl"].map(Path::new);
    let found = found.into_iter().find(|it| it.is_file());
    found.expect("SWI-Prolog; `make deps` installs it").canonicalize().unwrap()
}

fn program(outside: &Outside) -> String {
    let filled = |text: &str| {
        text.replace("D/", &format!("{}/", outside.path().display()))
            .replace("'D'", &format!("'{}'", outside.path().display()))
            .replace("TCP", &outside.tcp_port().to_string())
            .replace("UDP", &outside.udp_port().to_string())
            .replace("VICTIM", &outside.victim().to_string())
    };
    let mut res = String::from(
        ":- use_module(library(process)).\n:- use_module(library(socket)).\n\
         :- use_module(library(filesex)).\n:- use_module(library(unix)).\n",
    );
    for (_, text) in AT_LOAD {
        res.push_str(&filled(text));
        res.push('\n');
    }
    for (name, goal) in WAYS {
        res.push_str(&format!("way('{name}') :- {}.\n", filled(goal)));
    }
    res.push_str(
        "try :- forall(clause(way(N), G), ( catch(( G -> true ; fail ), E, true) ->\n\
           format(\"~w ~p~n\", [N, E]) ; format(\"~w failed~n\", [N]) )),\n\
           format(\"all tried~n\").\n",
    );
    res
}

fn tried(outside: &Outside, policy: Option<Policy>) -> Said {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("ways.pl");
    fs::write(&file, program(outside)).unwrap();
    let prepare = |command: &mut std::process::Command| {
        command.args(["-q", "-g", "try", "-t", "halt"]).arg(&file);
    };
    match policy {
        Some(policy) => {
            let reads = vec![dir.path().to_owned(), outside.path().to_owned()];
            confined(Policy { reads, ..policy }, &swipl(), prepare)
        }
        None => plain(&swipl(), prepare),
    }
}

fn prepared() -> Outside {
    let outside = Outside::new();
    fs::write(outside.path().join("source.pl"), "p(1).\n").unwrap();
    outside
}

#[test]
fn every_way_out_works_without_the_sandbox() {
    let mut outside = prepared();
    let before = outside.state();
    let said = tried(&outside, None);
    assert!(said.stdout.contains("all tried"), "{}{}", said.stdout, said.stderr);
    let changed = changed(&before, &outside.state());
    let names = WAYS.iter().chain(AT_LOAD).map(|it| it.0);
    let idle: Vec<&str> = names.filter(|it| !changed.iter().any(|name| name == it)).collect();
    assert!(idle.is_empty(), "{idle:?} change nothing:\n{}{}", said.stdout, said.stderr);
}

#[test]
fn no_way_out_works_inside() {
    for programs in [Programs::Refused, Programs::Listed] {
        let mut outside = prepared();
        let before = outside.state();
        let said = tried(&outside, Some(Policy { programs, ..Policy::default() }));
        assert!(said.stdout.contains("all tried"), "{}{}", said.stdout, said.stderr);
        let changed = changed(&before, &outside.state());
        assert!(changed.is_empty(), "{changed:?}:\n{}{}", said.stdout, said.stderr);
    }
}

/// Whether the way with this name must take effect.
type Expected<'a> = &'a dyn Fn(&str) -> bool;

/// Checks that what a right allows works, and nothing else.
#[test]
fn each_right_widens_what_it_says() {
    let network = ["a TCP service", "a UDP service", "a local service"];
    let programs = ["a process"];
    let cases: [(Policy, Expected<'_>); 3] = [
        (Policy { network: Network::Allowed, ..Policy::default() }, &|it| network.contains(&it)),
        (Policy { programs: Programs::Allowed, ..Policy::default() }, &|it| programs.contains(&it)),
        (Policy { files: Files::Allowed, ..Policy::default() }, &|it| {
            let others = ["shell", "shell_status", "pipe", "process", "fork", "directive"];
            !network.contains(&it) && !programs.contains(&it) && !others.contains(&it)
        }),
    ];
    for (policy, is_allowed) in cases {
        let mut outside = prepared();
        let before = outside.state();
        let said = tried(&outside, Some(policy.clone()));
        let changed = changed(&before, &outside.state());
        let ways = WAYS.iter().chain(AT_LOAD).map(|it| it.0);
        let expected: Vec<&str> = ways.clone().filter(|it| is_allowed(it)).collect();
        let found: Vec<&str> = ways.filter(|it| changed.iter().any(|name| name == it)).collect();
        assert_eq!(found, expected, "{policy:?}\n{}{}", said.stdout, said.stderr);
    }
}

#[test]
fn ordinary_work_goes_on() {
    let goal =
        "use_module(library(clpfd)), use_module(library(plunit)), use_module(library(dcg/basics)),
        numlist(1, 100000, L), sum_list(L, Sum), format(\"~w~n\", [Sum]),
        catch(call_with_time_limit(0.01, ( repeat, fail )), E, true), format(\"~w~n\", [E]),
        thread_create(true, Id), thread_join(Id, S), format(\"~w~n\", [S]),
        tmp_file_stream(text, File, Stream), close(Stream), delete_file(File),
        open(own, write, Own), write(Own, x), close(Own), exists_file(own), delete_file(own),
        format(\"all works~n\")";
    let said = confined(Policy::default(), &swipl(), |command| {
        command.args(["-q", "-g", goal, "-t", "halt"]);
    });
    let expected = "5000050000\ntime_limit_exceeded\ntrue\nall works\n";
    assert_eq!(said.stdout, expected, "{}", said.stderr);
}

#[test]
fn memory_and_output_end() {
    let endless = ["set_prolog_flag(stack_limit, 1_000_000_000_000), length(L, 1_000_000_000)"];
    for goal in endless {
        let said = confined(Policy::default(), &swipl(), |command| {
            command.args(["-q", "-g", goal, "-g", "write(had_room)", "-t", "halt"]);
        });
        assert!(!said.stdout.contains("had_room"), "{}{}", said.stdout, said.stderr);
    }
    let goal = "open(out, write, S), repeat, catch(format(S, \"~`x*c\", [1000000]), _, ( write(full), halt )), fail";
    let said = confined(Policy::default(), &swipl(), |command| {
        command.args(["-q", "-g", goal, "-t", "halt"]);
    });
    // The signal for an exceeded limit ends the program if it is not handled.
    assert!(said.stdout.is_empty() || said.stdout == "full", "{}", said.stdout);
}
