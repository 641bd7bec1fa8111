//! Tests of all known ways for BEAM to affect the outside: each has its effect when it runs plainly, and none in the
//! sandbox.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests start programs and read files, and fail loudly"
)]

#[allow(dead_code, clippy::allow_attributes, reason = "each test uses a part of it")]
mod common;

use common::{Outside, Said, changed, confined, plain};
use sandbox::{Files, Network, Policy, Programs};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The name of what changes if the expression takes effect, and the expression; `P` is the path with that name outside,
/// `D` the directory.
const WAYS: &[(&str, &str)] = &[
    ("write_file", "ok = file:write_file(P, <<>>)"),
    ("dets", "{ok, T} = dets:open_file(t, [{file, P}]), dets:close(T)"),
    ("disk_log", "{ok, L} = disk_log:open([{name, l}, {file, P}]), disk_log:close(L)"),
    ("prim_file", "{ok, _} = prim_file:open(P, [write])"),
    ("prim_file_dir", "ok = prim_file:make_dir(P)"),
    ("foreach", "lists:foreach(fun file:make_dir/1, [P]), true = filelib:is_dir(P)"),
    (
        "external_fun",
        "F = binary_to_term(<<131, 113, 100, 0, 4, \"file\", 100, 0, 8, \"make_dir\", 97, 1>>), ok = F(P)",
    ),
    ("spawned", "{_, R} = spawn_monitor(node(), file, make_dir, [P]), Await(R)"),
    (
        "spawn_opt",
        "{_, R} = spawn_opt(file, make_dir, [P], [monitor]), Await(R), true = filelib:is_dir(P)",
    ),
    ("applied", "ok = apply(list_to_atom(\"file\"), list_to_atom(\"make_dir\"), [P])"),
    ("file_server", "ok = gen_server:call(file_server_2, {make_dir, P})"),
    ("rex", "ok = gen_server:call(rex, {call, file, make_dir, [P], group_leader()})"),
    (
        "supervisor",
        "supervisor:start_child(kernel_sup, #{id => x, start => {file, make_dir, [P]}}),
         true = filelib:is_dir(P)",
    ),
    (
        "replaced_state",
        "sys:replace_state(file_server_2, fun(S) -> prim_file:make_dir(P), S end),
         true = filelib:is_dir(P)",
    ),
    (
        "proc_lib",
        "proc_lib:spawn(fun() -> ok = file:make_dir(P) end), Until(fun() -> filelib:is_dir(P) end)",
    ),
    ("timer", "{ok, _} = timer:apply_after(0, file, make_dir, [P]), Until(fun() -> filelib:is_dir(P) end)"),
    ("os_cmd", "os:cmd(\"touch '\" ++ P ++ \"'\"), {ok, _} = file:read_file_info(P)"),
    (
        "open_port",
        "Q = open_port({spawn, \"touch '\" ++ P ++ \"'\"}, [exit_status]),
         receive {Q, {exit_status, 0}} -> ok end",
    ),
    (
        "executable",
        "Q = open_port({spawn_executable, \"/usr/bin/touch\"}, [exit_status, {args, [P]}]),
         receive {Q, {exit_status, 0}} -> ok end",
    ),
    (
        "internal_port",
        "erts_internal:open_port({spawn, \"touch '\" ++ P ++ \"'\"}, [exit_status]),
         receive {_, {exit_status, 0}} -> ok end",
    ),
    ("renamed", "ok = file:rename(P, P ++ \"_to\")"),
    ("moved", "ok = file:rename(P, P ++ \"_to\")"),
    ("deleted", "ok = file:delete(P)"),
    ("empty", "ok = file:del_dir(P)"),
    ("truncated", "{ok, F} = file:open(P, [read, write]), ok = file:truncate(F)"),
    ("appended", "ok = file:write_file(P, <<\"more\">>, [append])"),
    ("symlink", "ok = file:make_symlink(\"kept\", P)"),
    ("link", "ok = file:make_link(D ++ \"/shut\", P)"),
    ("mode", "ok = file:change_mode(P, 8#777)"),
    ("time", "ok = file:change_time(P, {{2000, 1, 1}, {0, 0, 0}})"),
    ("copied", "{ok, _} = file:copy(D ++ \"/kept\", P)"),
    (
        "through_link",
        "ok = file:make_symlink(D, \"out\"), ok = file:write_file(\"out/through_link\", <<>>)",
    ),
    ("table", "ok = ets:tab2file(ets:new(t, []), P)"),
    ("tar", "ok = erl_tar:create(P, [{\"x\", <<>>}])"),
    ("zip", "{ok, _} = zip:create(P, [{\"x\", <<>>}])"),
    (
        "compiled.beam",
        "ok = file:write_file(\"compiled.erl\", \"-module(compiled).\"),
         {ok, _} = compile:file(\"compiled.erl\", [{outdir, D}])",
    ),
    (
        "transformed",
        "Forms = \"-module(T). -export([parse_transform/2]).
           parse_transform(Forms, _) -> ok = file:make_dir(\\\"\" ++ P ++ \"\\\"), Forms.\",
         Write = fun(Name, Text) -> ok = file:write_file(Name, string:replace(Text, \"T\", \"transform\")) end,
         Write(\"transform.erl\", Forms),
         {ok, _} = compile:file(\"transform.erl\", []),
         code:add_path(\".\"),
         ok = file:write_file(\"used.erl\", \"-module(used). -compile({parse_transform, transform}).\"),
         {ok, _, _} = compile:file(\"used.erl\", [binary])",
    ),
    (
        "on_load",
        "ok = file:write_file(\"loads.erl\", \"-module(loads). -on_load(f/0).
           f() -> file:make_dir(\\\"\" ++ P ++ \"\\\").\"),
         {ok, M, B} = compile:file(\"loads.erl\", [binary]),
         {module, M} = code:load_binary(M, \"loads\", B)",
    ),
    ("logger", "ok = logger:add_handler(h, logger_std_h, #{config => #{file => P}})"),
    ("raw", "{ok, _} = file:open(P, [write, raw]), ok"),
    ("a TCP service", "{ok, _} = gen_tcp:connect({127, 0, 0, 1}, TCP, [])"),
    (
        "a UDP service",
        "{ok, S} = gen_udp:open(0), ok = gen_udp:send(S, {127, 0, 0, 1}, UDP, <<\"hello\">>)",
    ),
    ("a local service", "{ok, _} = gen_tcp:connect({local, D ++ \"/socket\"}, 0, [])"),
];

/// Further expressions that lead to the same services.
const MORE_SOCKETS: &[&str] = &[
    "{ok, S} = socket:open(inet, stream, tcp),
     ok = socket:connect(S, #{family => inet, addr => {127, 0, 0, 1}, port => TCP})",
    "{ok, S} = prim_socket:open(inet, stream, tcp, #{})",
    "{ok, S} = socket:open(local, stream, default)",
    "{ok, _} = gen_tcp:listen(0, [])",
    "{ok, _} = gen_udp:open(0, [])",
    "{ok, _} = gen_sctp:open()",
];

fn programs() -> PathBuf {
    let erl = Path::new("/usr/bin/erl").canonicalize();
    let erl = erl.expect("OTP; `make deps` installs it");
    let root = erl.ancestors().nth(2).unwrap();
    let started = std::fs::read_to_string(root.join("releases/start_erl.data")).unwrap();
    root.join(format!("erts-{}/bin", started.split_whitespace().next().unwrap()))
}

/// Expressions that wait for their effect. Where the effect must not happen, they are ended after some milliseconds;
/// all others end by themselves.
const WAITING: &[&str] = &["proc_lib", "timer", "open_port", "executable", "internal_port"];
const REFUSED: &str = "300";

fn script(outside: &Outside, is_allowed: Expected<'_>) -> String {
    let filled = |text: &str| {
        text.replace("TCP", &outside.tcp_port().to_string())
            .replace("UDP", &outside.udp_port().to_string())
    };
    let mut res = format!("D = \"{}\",\n", outside.path().display());
    res.push_str(
        "Until = fun Until(Is) -> case Is() of true -> ok; false -> receive after 10 -> Until(Is) end end end,\n\
         Await = fun(Ref) -> receive {'DOWN', Ref, _, _, _} -> ok end end,\n\
         Try = fun(Name, F, Limit) ->\n\
           {Pid, Ref} = spawn_monitor(fun() -> exit({result, catch F(D ++ \"/\" ++ Name)}) end),\n\
           receive {'DOWN', Ref, _, _, Why} -> io:format(\"~s ~0p~n\", [Name, Why])\n\
           after Limit -> exit(Pid, kill), io:format(\"~s timeout~n\", [Name]) end end,\n",
    );
    for (name, expression) in WAYS {
        let limit = if is_allowed(name) || !WAITING.contains(name) { "infinity" } else { REFUSED };
        res.push_str(&format!("Try(\"{name}\", fun(P) -> {} end, {limit}),\n", filled(expression)));
    }
    for expression in MORE_SOCKETS {
        let expression = filled(expression);
        res.push_str(&format!("Try(\"more\", fun(_) -> {expression} end, infinity),\n"));
    }
    res.push_str("io:format(\"all tried~n\"), halt().\n");
    res
}

fn tried(outside: &Outside, policy: Option<Policy>, is_allowed: Expected<'_>) -> Said {
    let programs = programs();
    let erlexec = programs.join("erlexec");
    let root = programs.ancestors().nth(2).unwrap().to_owned();
    let prepare = |command: &mut Command| {
        command.args(["-boot", "no_dot_erlang", "-noinput", "-kernel", "logger_level", "none"]);
        command.arg("-eval").arg(script(outside, is_allowed));
        command.envs([("ROOTDIR", root.as_path()), ("BINDIR", &programs)]);
        command.envs([("EMU", "beam"), ("PROGNAME", "erl")]).env("ERL_CRASH_DUMP_SECONDS", "0");
    };
    match policy {
        Some(policy) => {
            let programs_allowed = match policy.programs {
                Programs::Refused | Programs::Listed => Programs::Listed,
                Programs::Allowed => Programs::Allowed,
            };
            let policy = Policy {
                reads: vec![outside.path().to_owned(), root.clone()],
                runs: vec![programs.clone()],
                programs: programs_allowed,
                ..policy
            };
            confined(policy, &erlexec, prepare)
        }
        None => plain(&erlexec, prepare),
    }
}

fn prepared() -> Outside {
    let outside = Outside::new();
    for name in ["mode", "time", "shut"] {
        std::fs::write(outside.path().join(name), "precious").unwrap();
    }
    outside
}

#[test]
fn every_way_out_works_without_the_sandbox() {
    let mut outside = prepared();
    let before = outside.state();
    let said = tried(&outside, None, &|_| true);
    assert!(said.stdout.contains("all tried"), "{}{}", said.stdout, said.stderr);
    let changed = changed(&before, &outside.state());
    let names = WAYS.iter().map(|it| it.0);
    let idle: Vec<&str> = names.filter(|it| !changed.iter().any(|name| name == it)).collect();
    assert!(idle.is_empty(), "{idle:?} change nothing:\n{}{}", said.stdout, said.stderr);
}

#[test]
fn no_way_out_works_inside() {
    let mut outside = prepared();
    let before = outside.state();
    let said = tried(&outside, Some(Policy::default()), &|_| false);
    assert!(said.stdout.contains("all tried"), "{}{}", said.stdout, said.stderr);
    let changed = changed(&before, &outside.state());
    assert!(changed.is_empty(), "{changed:?}:\n{}{}", said.stdout, said.stderr);
    // The reason is visible.
    for refused in ["write_file", "foreach", "dets", "mode", "a TCP service"] {
        let line = said.stdout.lines().find(|it| it.starts_with(refused)).unwrap();
        assert!(
            line.contains("eacces") || line.contains("eperm") || line.contains("badmatch"),
            "{line}"
        );
    }
    let sockets: Vec<&str> = said.stdout.lines().filter(|it| it.starts_with("more")).collect();
    assert_eq!(sockets.len(), MORE_SOCKETS.len());
    assert!(sockets.iter().all(|it| it.contains("EXIT")), "{sockets:?}");
}

/// Whether the way with this name must take effect.
type Expected<'a> = &'a dyn Fn(&str) -> bool;

/// Checks that what a right allows works, and nothing else.
#[test]
fn each_right_widens_what_it_says() {
    let network = ["a TCP service", "a UDP service", "a local service"];
    let programs = ["os_cmd", "open_port", "executable", "internal_port"];
    let cases: [(Policy, Expected<'_>); 3] = [
        (Policy { network: Network::Allowed, ..Policy::default() }, &|it| network.contains(&it)),
        // Started programs have the same restrictions as the program that started them.
        (Policy { programs: Programs::Allowed, ..Policy::default() }, &|_| false),
        (Policy { files: Files::Allowed, ..Policy::default() }, &|it| {
            !network.contains(&it) && !programs.contains(&it)
        }),
    ];
    for (policy, is_allowed) in cases {
        let mut outside = prepared();
        let before = outside.state();
        let said = tried(&outside, Some(policy.clone()), is_allowed);
        let changed = changed(&before, &outside.state());
        let ways = WAYS.iter().map(|it| it.0);
        let expected: Vec<&str> = ways.clone().filter(|it| is_allowed(it)).collect();
        let found: Vec<&str> = ways.filter(|it| changed.iter().any(|name| name == it)).collect();
        assert_eq!(found, expected, "{policy:?}\n{}{}", said.stdout, said.stderr);
    }
}
