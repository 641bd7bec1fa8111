//! Checks the column of shared state in the rows of builtins: each builtin that shares state is called in a
//! program of two processes. Brute force over all interleavings and the reduced exploration must find the
//! same ends.
//!
//! One process makes the call and then reads or changes the shared state (`SharingGroup::peer`); the other one does so
//! in the opposite order. A builtin whose row wrongly said `Nothing` would lose an end here.

use conformance::{Classes, classes_of, machine_with};
use engine::{Crew, Dpor, ScheduleSettings, Stop};
use erlang::builtins::all;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use term::Atom;

/// A group of builtins that share the same state.
struct SharingGroup {
    /// An expression with which another process reads or changes the state.
    peer: &'static str,
    calls: &'static [(&'static str, &'static str)],
}

/// The variables of the expressions: `Q` is a waiting process, `O` the other one of the two processes, `Me`
/// the first one; `T` and `t` are tables, `A` and `C` are arrays of atomics and counters, `K` is a timer, `L`
/// an alias of the first process, `B` a buffer and `Z` a stream.
const SHARING_GROUPS: &[SharingGroup] = &[
    SharingGroup {
        peer: "length(processes())",
        calls: &[
            ("erlang:spawn/1", "is_pid(spawn(fun() -> ok end))"),
            ("erlang:spawn/3", "is_pid(spawn(erlang, self, []))"),
            ("erlang:spawn_link/1", "is_pid(spawn_link(fun() -> ok end))"),
            ("erlang:spawn_link/3", "is_pid(spawn_link(erlang, self, []))"),
            ("erlang:spawn_monitor/1", "is_tuple(spawn_monitor(fun() -> ok end))"),
            ("erlang:spawn_monitor/3", "is_tuple(spawn_monitor(erlang, self, []))"),
            ("erlang:spawn_opt/2", "is_pid(spawn_opt(fun() -> ok end, [link]))"),
            ("erlang:spawn_opt/4", "is_pid(spawn_opt(erlang, self, [], []))"),
            ("erts_internal:spawn_request/4", "is_reference(spawn_request(fun() -> ok end))"),
            ("erlang:processes/0", "begin spawn(fun() -> ok end), length(processes()) end"),
            ("erlang:system_info/1", "erlang:system_info(process_count)"),
        ],
    },
    SharingGroup {
        peer: "group_leader(Q, O)",
        calls: &[
            ("erlang:group_leader/0", "group_leader() == Q"),
            ("erlang:group_leader/2", "begin group_leader(O, Q), group_leader() == O end"),
            ("erlang:process_info/2", "process_info(Q, group_leader) == {group_leader, Me}"),
        ],
    },
    SharingGroup {
        peer: "begin O ! b, receive X -> X after 0 -> none end end",
        calls: &[
            ("erlang:!/2", "(O ! a)"),
            ("erlang:send/2", "erlang:send(O, a)"),
            ("erlang:send/3", "erlang:send(O, a, [noconnect])"),
            ("erlang:send_nosuspend/2", "erlang:send_nosuspend(O, a)"),
            ("erlang:send_nosuspend/3", "erlang:send_nosuspend(O, a, [])"),
            ("erlang:process_info/1", "length(process_info(O)) > 3"),
            ("erlang:send_after/3", "is_reference(erlang:send_after(0, O, a))"),
            ("erlang:send_after/4", "is_reference(erlang:send_after(0, O, a, []))"),
            ("erlang:start_timer/3", "is_reference(erlang:start_timer(0, O, a))"),
            ("erlang:start_timer/4", "is_reference(erlang:start_timer(0, O, a, []))"),
        ],
    },
    SharingGroup {
        peer: "is_process_alive(Q)",
        calls: &[
            ("erlang:exit/2", "exit(Q, kill)"),
            ("erlang:exit_signal/2", "erlang:exit_signal(Q, kill)"),
            ("erlang:is_process_alive/1", "begin exit(Q, kill), is_process_alive(Q) end"),
            ("erlang:garbage_collect/1", "begin exit(O, kill), garbage_collect(O) end"),
            ("erlang:garbage_collect/2", "begin exit(O, kill), garbage_collect(O, []) end"),
        ],
    },
    SharingGroup {
        peer: "begin process_flag(trap_exit, true), exit(O, bad), receive {'EXIT', _, R} -> R after 0 -> none end end",
        calls: &[
            ("erlang:link/1", "link(O)"),
            ("erlang:unlink/1", "begin link(O), unlink(O) end"),
            ("erlang:process_flag/2", "process_flag(trap_exit, true)"),
            (
                "erlang:process_flag/3",
                "begin process_flag(O, save_calls, 9), process_info(O, links) end == x",
            ),
        ],
    },
    SharingGroup {
        peer: "exit(Q, boom)",
        calls: &[
            (
                "erlang:monitor/2",
                "begin R = monitor(process, Q), receive {_, R, _, _, W} -> W after 0 -> no end end",
            ),
            (
                "erlang:monitor/3",
                "begin R = monitor(process, Q, []), receive {_, R, _, _, W} -> W after 0 -> no end end",
            ),
            (
                "erlang:demonitor/1",
                "begin R = monitor(process, Q), demonitor(R), receive {_, R, _, _, W} -> W after 0 -> no end end",
            ),
            ("erlang:demonitor/2", "demonitor(monitor(process, Q), [info])"),
        ],
    },
    SharingGroup {
        peer: "begin L ! x, receive x -> got after 0 -> none end end",
        calls: &[("erlang:unalias/1", "unalias(L)")],
    },
    SharingGroup {
        peer: "{t(fun() -> register(a, self()) end), whereis(a) == self()}",
        calls: &[
            ("erlang:register/2", "register(a, Q)"),
            ("erlang:unregister/1", "unregister(a)"),
            ("erlang:whereis/1", "whereis(a) == O"),
            ("erlang:registered/0", "lists:member(a, registered())"),
        ],
    },
    SharingGroup {
        peer: "receive tick -> tick after 0 -> none end",
        calls: &[
            ("erlang:cancel_timer/1", "is_integer(erlang:cancel_timer(K))"),
            ("erlang:cancel_timer/2", "is_integer(erlang:cancel_timer(K, []))"),
            ("erlang:read_timer/1", "is_integer(erlang:read_timer(K))"),
            ("erlang:read_timer/2", "is_integer(erlang:read_timer(K, []))"),
        ],
    },
    SharingGroup {
        peer: "{lists:sort(ets:tab2list(T)), ets:insert(T, {k, 1}), catch ets:insert(t, {m, 1})}",
        calls: &[
            ("ets:insert/2", "ets:insert(T, {k, 2})"),
            ("ets:insert_new/2", "ets:insert_new(T, {k, 2})"),
            ("ets:lookup/2", "ets:lookup(T, k)"),
            ("ets:lookup_element/3", "ets:lookup_element(T, k, 2)"),
            ("ets:member/2", "ets:member(T, k)"),
            ("ets:delete/2", "ets:delete(T, k)"),
            ("ets:delete_object/2", "ets:delete_object(T, {k, 1})"),
            ("ets:internal_delete_all/2", "ets:delete_all_objects(T)"),
            ("ets:take/2", "ets:take(T, k)"),
            ("ets:update_element/3", "ets:update_element(T, k, {2, 9})"),
            ("ets:update_counter/3", "ets:update_counter(T, k, 1)"),
            ("ets:update_counter/4", "ets:update_counter(T, k, 1, {k, 5})"),
            ("ets:first/1", "ets:first(T)"),
            ("ets:last/1", "ets:last(T)"),
            ("ets:next/2", "ets:next(t, k)"),
            ("ets:prev/2", "ets:prev(t, m)"),
            ("ets:slot/2", "ets:slot(t, 0)"),
            ("ets:safe_fixtable/2", "begin ets:safe_fixtable(T, true), ets:first(T) end"),
            ("erts_internal:ets_raw_first/1", "erts_internal:ets_raw_first(t)"),
            ("erts_internal:ets_raw_next/2", "erts_internal:ets_raw_next(t, k)"),
            (
                "erts_internal:ets_lookup_binary_info/2",
                "erts_internal:ets_lookup_binary_info(T, k)",
            ),
            ("ets:info/1", "proplists:get_value(size, ets:info(T))"),
            ("ets:info/2", "ets:info(T, size)"),
            ("ets:match/2", "ets:match(T, {k, '$1'})"),
            ("ets:match/3", "element(1, ets:match(T, {k, '$1'}, 1))"),
            ("ets:match/1", "next(fun ets:match/1, ets:match(t, '$1', 1))"),
            ("ets:match_object/2", "ets:match_object(T, {k, '_'})"),
            ("ets:match_object/3", "element(1, ets:match_object(T, {k, '_'}, 1))"),
            ("ets:match_object/1", "next(fun ets:match_object/1, ets:match_object(t, '$1', 1))"),
            ("ets:select/2", "ets:select(T, [{{k, '$1'}, [], ['$1']}])"),
            ("ets:select/3", "element(1, ets:select(T, [{{k, '$1'}, [], ['$1']}], 1))"),
            ("ets:select/1", "next(fun ets:select/1, ets:select(t, [{'$1', [], ['$1']}], 1))"),
            ("ets:select_reverse/2", "ets:select_reverse(T, [{{k, '$1'}, [], ['$1']}])"),
            (
                "ets:select_reverse/3",
                "element(1, ets:select_reverse(T, [{{k, '$1'}, [], ['$1']}], 1))",
            ),
            (
                "ets:select_reverse/1",
                "next(fun ets:select_reverse/1, ets:select_reverse(t, [{'$1', [], ['$1']}], 1))",
            ),
            ("ets:select_count/2", "ets:select_count(T, [{{k, 1}, [], [true]}])"),
            ("ets:internal_select_delete/2", "ets:match_delete(T, {k, '_'})"),
            ("ets:select_replace/2", "ets:select_replace(T, [{{k, '_'}, [], [{{k, 7}}]}])"),
            ("ets:new/2", "ets:new(u, [named_table, public])"),
            ("ets:rename/2", "ets:rename(t, u)"),
            ("ets:whereis/1", "ets:whereis(u) == undefined"),
            ("ets:delete/1", "ets:delete(t)"),
            ("ets:give_away/3", "ets:give_away(t, O, gift)"),
            ("ets:setopts/2", "ets:setopts(T, {heir, none})"),
        ],
    },
    SharingGroup {
        peer: "{catch ets:delete(t), catch ets:new(t, [named_table]) == x}",
        calls: &[("ets:all/0", "lists:member(t, ets:all())")],
    },
    SharingGroup {
        peer: "{persistent_term:get(v, none), persistent_term:put(v, 1)}",
        calls: &[
            ("persistent_term:get/0", "lists:keyfind(v, 1, persistent_term:get())"),
            ("persistent_term:get/1", "persistent_term:get(v)"),
            ("persistent_term:get/2", "persistent_term:get(v, no)"),
            ("persistent_term:put/2", "persistent_term:put(v, 2)"),
            ("persistent_term:erase/1", "persistent_term:erase(v)"),
            ("persistent_term:info/0", "maps:get(count, persistent_term:info())"),
            ("erts_internal:erase_persistent_terms/0", "erts_internal:erase_persistent_terms()"),
        ],
    },
    SharingGroup {
        peer: "{atomics:get(A, 1), atomics:put(A, 1, 5)}",
        calls: &[
            ("atomics:put/3", "atomics:put(A, 1, 3)"),
            ("atomics:get/2", "atomics:get(A, 1)"),
            ("atomics:add/3", "atomics:add(A, 1, 3)"),
            ("atomics:add_get/3", "atomics:add_get(A, 1, 3)"),
            ("atomics:exchange/3", "atomics:exchange(A, 1, 3)"),
            ("atomics:compare_exchange/4", "atomics:compare_exchange(A, 1, 0, 3)"),
        ],
    },
    SharingGroup {
        peer: "{counters:get(C, 1), counters:put(C, 1, 5)}",
        calls: &[
            ("erts_internal:counters_put/3", "counters:put(C, 1, 3)"),
            ("erts_internal:counters_get/2", "counters:get(C, 1)"),
            ("erts_internal:counters_add/3", "counters:add(C, 1, 3)"),
        ],
    },
    SharingGroup {
        peer: "erlang:monotonic_time()",
        calls: &[
            ("erlang:monotonic_time/0", "erlang:monotonic_time()"),
            ("erlang:monotonic_time/1", "erlang:monotonic_time(nanosecond)"),
            ("erlang:system_time/0", "erlang:system_time()"),
            ("erlang:system_time/1", "erlang:system_time(nanosecond)"),
            ("os:system_time/0", "os:system_time()"),
            ("os:system_time/1", "os:system_time(nanosecond)"),
            ("os:perf_counter/0", "os:perf_counter()"),
            ("erlang:timestamp/0", "erlang:timestamp()"),
            ("os:timestamp/0", "os:timestamp()"),
            ("erlang:now/0", "erlang:now()"),
        ],
    },
    SharingGroup {
        peer: "erlang:unique_integer([monotonic])",
        calls: &[("erlang:unique_integer/1", "erlang:unique_integer([monotonic])")],
    },
    SharingGroup {
        peer: "{os:getenv(\"GV\"), os:putenv(\"GV\", \"1\")}",
        calls: &[
            ("os:getenv/0", "lists:member(\"GV=1\", os:getenv())"),
            ("os:env/0", "lists:keyfind(\"GV\", 1, os:env())"),
            ("os:getenv/1", "os:getenv(\"GV\")"),
            ("os:getenv/2", "os:getenv(\"GV\", no)"),
            ("os:putenv/2", "os:putenv(\"GV\", \"2\")"),
            ("os:unsetenv/1", "os:unsetenv(\"GV\")"),
        ],
    },
    SharingGroup {
        peer: "{erlang:system_flag(fullsweep_after, 7), t(fun() -> erlang:system_monitor(O, [{long_gc, 9}]) end) == x}",
        calls: &[
            ("erlang:system_flag/2", "erlang:system_flag(fullsweep_after, 8)"),
            ("erlang:system_info/1", "erlang:system_info(fullsweep_after)"),
            ("erlang:system_monitor/0", "is_tuple(erlang:system_monitor())"),
            ("erlang:system_monitor/1", "is_tuple(erlang:system_monitor(undefined))"),
            ("erlang:system_monitor/2", "is_tuple(erlang:system_monitor(Q, [{long_gc, 9}]))"),
        ],
    },
    SharingGroup {
        peer: "begin O ! b, receive X -> X after 0 -> none end end",
        calls: &[
            (
                "erlang:suspend_process/1",
                "begin erlang:suspend_process(O), erlang:resume_process(O) end",
            ),
            ("erlang:suspend_process/2", "erlang:suspend_process(Q, [])"),
            ("erlang:resume_process/1", "erlang:resume_process(O)"),
        ],
    },
    SharingGroup {
        peer: "begin erlang:halt(7) end",
        calls: &[
            ("erlang:halt/0", "erlang:halt()"),
            ("erlang:halt/1", "erlang:halt(3)"),
            ("erlang:halt/2", "erlang:halt(3, [])"),
            ("init:stop/0", "init:stop()"),
            ("init:stop/1", "init:stop(3)"),
            ("init:restart/0", "init:restart()"),
            ("init:reboot/0", "init:reboot()"),
        ],
    },
    SharingGroup {
        peer: "begin erlang:trace(O, true, [send]), O ! x, receive {trace, _, _, _, _} -> traced after 0 -> no end end",
        calls: &[
            ("erlang:trace/3", "erlang:trace(Q, true, [send])"),
            ("erts_internal:trace/3", "erts_internal:trace(Q, true, [send])"),
            ("erlang:trace_info/2", "erlang:trace_info(self(), flags)"),
        ],
    },
    SharingGroup {
        peer: "{erlang:module_loaded(orddict), code:delete(orddict)}",
        calls: &[
            ("erlang:function_exported/3", "erlang:function_exported(orddict, new, 0)"),
            ("erlang:get_module_info/1", "is_list(erlang:get_module_info(orddict))"),
            ("erlang:get_module_info/2", "is_list(erlang:get_module_info(orddict, exports))"),
            ("erlang:module_loaded/1", "erlang:module_loaded(orddict)"),
            ("code:ensure_loaded/1", "code:ensure_loaded(orddict)"),
            ("code:is_loaded/1", "code:is_loaded(orddict) == false"),
            ("code:which/1", "code:which(orddict) == non_existing"),
            ("code:delete/1", "code:delete(orddict)"),
            ("erlang:delete_module/1", "erlang:delete_module(orddict)"),
            ("code:load_file/1", "code:load_file(orddict)"),
            ("code:purge/1", "code:purge(orddict)"),
            ("code:soft_purge/1", "code:soft_purge(orddict)"),
            ("erlang:check_old_code/1", "erlang:check_old_code(orddict)"),
            ("code:all_loaded/0", "lists:keymember(orddict, 1, code:all_loaded())"),
            ("erlang:loaded/0", "lists:member(orddict, erlang:loaded())"),
        ],
    },
    SharingGroup {
        peer: "{prim_buffer:size(B), prim_buffer:write(B, [<<9>>])}",
        calls: &[
            ("prim_buffer:size/1", "prim_buffer:size(B)"),
            ("prim_buffer:read/2", "prim_buffer:read(B, 1)"),
            ("prim_buffer:copying_read/2", "prim_buffer:copying_read(B, 1)"),
            ("prim_buffer:read_iovec/2", "prim_buffer:read_iovec(B, 1)"),
            ("prim_buffer:peek_head/1", "prim_buffer:peek_head(B)"),
            ("prim_buffer:write/2", "prim_buffer:write(B, [<<1>>])"),
            ("prim_buffer:skip/2", "prim_buffer:skip(B, 1)"),
            ("prim_buffer:wipe/1", "prim_buffer:wipe(B)"),
            ("prim_buffer:find_byte_index/2", "prim_buffer:find_byte_index(B, 9)"),
            ("prim_buffer:try_lock/1", "prim_buffer:try_lock(B)"),
            ("prim_buffer:unlock/1", "prim_buffer:unlock(B)"),
        ],
    },
];

/// Modules whose builtins are not tested here, and the reason.
const NOT_HERE: &[(&str, &str)] = &[
    ("zlib", "only one process may use a stream, and giving it away is a message of its own"),
    ("net_kernel", "one node"),
    ("prim_file", "files are outside"),
];

/// Single builtins that are not tested here, and the reason.
const NONE_HERE: &[(&str, &str)] = &[
    ("erlang:open_port/2", "ports are outside"),
    ("erlang:port_command/2", "ports are outside"),
    ("erlang:port_command/3", "ports are outside"),
    ("erlang:port_close/1", "ports are outside"),
    ("erlang:port_connect/2", "ports are outside"),
    ("erlang:port_control/3", "ports are outside"),
    ("erlang:port_call/2", "ports are outside"),
    ("erlang:port_call/3", "ports are outside"),
    ("erlang:port_set_data/2", "ports are outside"),
    ("erlang:port_get_data/1", "ports are outside"),
    ("erlang:port_info/1", "ports are outside"),
    ("erlang:port_info/2", "ports are outside"),
    ("erlang:ports/0", "ports are outside"),
    ("erlang:monitor_node/2", "one node"),
    ("erlang:monitor_node/3", "one node"),
    ("erts_internal:dist_spawn_request/4", "one node"),
    ("erlang:nodes/0", "one node"),
    ("erlang:nodes/1", "one node"),
    ("erlang:nodes/2", "one node"),
    ("erts_debug:get_internal_state/1", "tells of the emulator's inside"),
    ("erts_debug:set_internal_state/2", "changes the emulator's inside"),
    ("erts_internal:check_process_code/1", "a part of erlang:check_process_code/2"),
    ("erts_internal:request_system_task/3", "a part of erlang:check_process_code/2"),
    ("erts_internal:request_system_task/4", "a part of erlang:check_process_code/2"),
    ("erts_internal:purge_module/2", "a part of code:purge/1"),
    ("erlang:trace_pattern/2", "traces calls, which are no steps"),
    ("erlang:trace_pattern/3", "traces calls, which are no steps"),
    ("erts_internal:trace_pattern/3", "traces calls, which are no steps"),
    ("erlang:load_module/2", "needs the bytes of a module"),
    ("erlang:finish_loading/1", "needs the bytes of a module"),
    ("code:load_binary/3", "needs the bytes of a module"),
    ("code:load_abs/1", "files are outside"),
    ("code:load_abs/2", "files are outside"),
    ("code:get_path/0", "the path is changed by what reaches outside"),
    ("code:get_object_code/1", "the path is changed by what reaches outside"),
    ("code:where_is_file/1", "the path is changed by what reaches outside"),
    ("code:add_path/1", "files are outside"),
    ("code:add_path/2", "files are outside"),
    ("code:add_pathz/1", "files are outside"),
    ("code:add_pathz/2", "files are outside"),
    ("code:add_patha/1", "files are outside"),
    ("code:add_patha/2", "files are outside"),
    ("code:add_paths/1", "files are outside"),
    ("code:add_pathsz/1", "files are outside"),
    ("code:add_pathsa/1", "files are outside"),
    ("code:del_path/1", "files are outside"),
    ("code:set_path/1", "files are outside"),
    ("code:set_path/2", "files are outside"),
];

/// The maximum number of interleavings that brute force explores of a program; of larger programs it explores
/// a part.
const MAX_RUNS: usize = 700;

#[test]
fn every_builtin_that_shares_something_is_tried() {
    let tried: BTreeSet<&str> = SHARING_GROUPS
        .iter()
        .flat_map(|it| it.calls)
        .map(|it| it.0)
        .chain(NONE_HERE.iter().map(|it| it.0))
        .collect();
    let shared: BTreeSet<String> = all()
        .filter(|it| it.shares.is_shared())
        .filter(|it| !NOT_HERE.iter().any(|of| of.0 == it.module))
        .map(ToString::to_string)
        .collect();
    let missing: Vec<&String> = shared.iter().filter(|it| !tried.contains(it.as_str())).collect();
    let needless: Vec<&&str> = tried.iter().filter(|it| !shared.contains(**it)).collect();
    assert!(missing.is_empty(), "builtins without a program: {missing:?}");
    assert!(needless.is_empty(), "builtins that share nothing or are not there: {needless:?}");
}

#[test]
fn interactions_through_shared_state_are_found() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join("sharing.erl");
    let mut text = String::from(HEADER);
    let calls =
        || SHARING_GROUPS.iter().flat_map(|kin| kin.calls.iter().map(move |it| (kin.peer, it)));
    for (n, (peer, (_, call))) in calls().enumerate() {
        let timed = if call.contains("timer(K") { "timed" } else { "untimed" };
        let (first, second) =
            (format!("t(fun() -> {call} end)"), format!("t(fun() -> {peer} end)"));
        writeln!(text, "p{n}() -> run({timed}, fun({VARIABLES}) -> [{first}, {second}] end, fun({VARIABLES}) -> [{second}, {first}] end).").expect("text");
    }
    std::fs::write(&file, &text).expect("a file");
    let module = "sharing";
    let mut machine = machine_with(Atom::new(module), &file);
    let (mut wrong, mut n_raced, mut n_whole) = (Vec::new(), 0, 0);
    for (n, (peer, (name, call))) in calls().enumerate() {
        let function = format!("p{n}");
        let mut explore = |dpor| {
            let max_runs = (dpor == Dpor::All).then_some(MAX_RUNS);
            let settings = ScheduleSettings {
                dpor,
                counts_classes: true,
                max_runs,
                ..ScheduleSettings::default()
            };
            classes_of(&mut machine, (module, &function), &settings, Crew::new(0, 0))
        };
        let [all, optimal, source] = [Dpor::All, Dpor::Optimal, Dpor::Source].map(&mut explore);
        n_raced += usize::from(all.ends.len() > 1);
        let is_whole = all.report.stop == Stop::Exhausted;
        n_whole += usize::from(is_whole);
        // The text of a trace message depends on what was traced before, so classes with such messages are
        // not compared.
        let has_names = !call.contains("trace");
        let is_right = optimal.is_optimal()
            && [&optimal, &source].iter().all(|it| all.ends.is_subset(&it.ends))
            && (!is_whole || all.ends == optimal.ends)
            && (!is_whole || !has_names || all.classes == optimal.classes);
        if !is_right {
            let report = |it: &Classes| format!("{:?}, {} ends", it.report, it.ends.len());
            let lost: Vec<&String> = all.ends.difference(&optimal.ends).collect();
            wrong.push(format!(
                "{name}: {call} with {peer}\nall {}\noptimal {}\nsource {}\nlost {lost:#?}",
                report(&all),
                report(&optimal),
                report(&source)
            ));
        }
    }
    assert!(wrong.is_empty(), "{} builtins:\n{}", wrong.len(), wrong.join("\n\n"));
    let n_calls = calls().count();
    assert!(
        n_calls * 3 < n_raced * 4,
        "only {n_raced} of {n_calls} have ends that depend on the order"
    );
    assert!(n_calls * 4 < n_whole * 5, "only {n_whole} of {n_calls} were compared as a whole");
}

const VARIABLES: &str = "Me, O, Q, T, A, C, K, L, B";

const HEADER: &str = r"-module(sharing).
-compile([export_all, nowarn_export_all, nowarn_unused_vars]).

t(F) -> try F() catch C:R -> {C, R} end.

next(_, '$end_of_table') -> none;
next(F, {_, Rest}) -> case F(Rest) of {X, _} -> X; X -> X end.

run(Timed, First, Second) ->
  Me = self(),
  Q = spawn(fun() -> receive stop -> ok end end),
  T = ets:new(x, [public]), ets:new(t, [public, named_table, ordered_set]),
  ets:insert(T, {k, 0}), ets:insert(t, [{k, 0}, {l, 0}]),
  A = atomics:new(2, []), C = counters:new(2, []),
  K = case Timed of timed -> erlang:send_after(10, self(), tick); untimed -> none end, L = alias(), B = prim_buffer:new(),
  erlang:module_loaded(orddict) orelse orddict:new(),
  {P, R} = spawn_monitor(fun() -> exit({log, First(Me, Me, Q, T, A, C, K, L, B)}) end),
  Own = Second(Me, P, Q, T, A, C, K, L, B),
  receive {'DOWN', R, _, _, E} -> {Own, E} end.

";
