%% Programs that talk over the loopback. Each returns a term that must be the same on BEAM.
-module(sockets).
-compile([export_all, nowarn_export_all]).

tests() ->
    [echoes, lengths, partial_reads, long_packets, lines, long_lines, asn1, marks, tpkt, active, active_once, active_times,
     ended_passive, ended_active, half_closed, shutdowns, timeouts, nobody_listens, names, options, defaults, bad_options,
     owners, owner_dies, closed_while_accepting, closed_while_reading, several_clients, put_back, large, statuses, headers,
     too_large, not_connected, packets_out_of_bounds, by_name, wide, datagrams, active_datagrams, connected_datagrams,
     datagram_timeouts, ports_of_sockets, statistics, messages_to_sockets, two_listeners, reset].

pair(Options) -> pair(Options, Options).

pair(Ours, Theirs) ->
    {ok, L} = gen_tcp:listen(0, [{ip, loopback}, {active, false} | Ours]),
    {ok, Port} = inet:port(L),
    Me = self(),
    spawn_link(fun() ->
        {ok, C} = gen_tcp:connect({127, 0, 0, 1}, Port, [{active, false} | Theirs]),
        ok = gen_tcp:controlling_process(C, Me),
        Me ! {client, C}
    end),
    {ok, S} = gen_tcp:accept(L),
    receive {client, C} -> ok end,
    {L, S, C}.

closed({L, S, C}, Result) ->
    [gen_tcp:close(It) || It <- [L, S, C]],
    Result.

said(S) ->
    receive
        {tcp, S, Data} -> Data;
        {tcp_closed, S} -> closed;
        {tcp_passive, S} -> passive;
        {tcp_error, S, Why} -> {error, Why};
        {udp, S, Ip, _, Data} -> {Ip, Data};
        {udp_passive, S} -> passive
    after 2000 -> nothing
    end.

echoes() ->
    {_, S, C} = All = pair([binary]),
    ok = gen_tcp:send(C, [<<"hel">>, "lo"]),
    {ok, Got} = gen_tcp:recv(S, 5),
    ok = gen_tcp:send(S, [Got, Got]),
    closed(All, {Got, gen_tcp:recv(C, 10), gen_tcp:recv(C, 1, 10)}).

lengths() -> [packet_of(N) || N <- [1, 2, 4]].

packet_of(N) ->
    {_, S, C} = All = pair([{packet, N}]),
    [ok = gen_tcp:send(C, It) || It <- ["a", "", "bcd"]],
    closed(All, [gen_tcp:recv(S, 0) || _ <- [1, 2, 3]]).

partial_reads() ->
    {_, S, C} = All = pair([binary]),
    ok = gen_tcp:send(C, "abcdefghij"),
    closed(All, [gen_tcp:recv(S, N) || N <- [3, 1, 6]]).

long_packets() ->
    {_, S, C} = All = pair([binary, {packet, 4}]),
    Data = binary:copy(<<"x">>, 300000),
    spawn_link(fun() -> ok = gen_tcp:send(C, Data) end),
    {ok, Got} = gen_tcp:recv(S, 0),
    closed(All, {byte_size(Got), Got =:= Data}).

lines() ->
    {_, S, C} = All = pair([{packet, line}]),
    ok = gen_tcp:send(C, "one\ntwo\r\n\nlast"),
    Lines = [gen_tcp:recv(S, 0) || _ <- [1, 2, 3]],
    ok = gen_tcp:send(C, "!\n"),
    closed(All, {Lines, gen_tcp:recv(S, 0)}).

long_lines() ->
    {_, S, C} = All = pair([{packet, line}, {buffer, 10}], []),
    ok = gen_tcp:send(C, "0123456789abcdef\nx\n"),
    closed(All, [gen_tcp:recv(S, 0) || _ <- [1, 2, 3]]).

asn1() ->
    {_, S, C} = All = pair([binary, {packet, asn1}], []),
    ok = gen_tcp:send(C, <<16#30, 3, 1, 2, 3, 16#30, 16#81, 2, 7, 8, 16#1f, 16#81, 1, 1, 9>>),
    closed(All, [gen_tcp:recv(S, 0) || _ <- [1, 2, 3]]).

marks() ->
    {_, S, C} = All = pair([binary, {packet, sunrm}], []),
    ok = gen_tcp:send(C, <<1:1, 3:31, "abc", 0:1, 1:31, "d">>),
    closed(All, [gen_tcp:recv(S, 0) || _ <- [1, 2]]).

tpkt() ->
    {_, S, C} = All = pair([binary, {packet, tpkt}], []),
    ok = gen_tcp:send(C, <<3, 0, 7:16, "abc", 3, 0, 4:16>>),
    closed(All, [gen_tcp:recv(S, 0) || _ <- [1, 2]]).

active() ->
    {_, S, C} = All = pair([{packet, 2}]),
    ok = inet:setopts(S, [{active, true}]),
    [ok = gen_tcp:send(C, It) || It <- ["a", "b"]],
    Heard = [said(S), said(S)],
    closed(All, {Heard, gen_tcp:recv(S, 0)}).

active_once() ->
    {_, S, C} = All = pair([{packet, 2}]),
    [ok = gen_tcp:send(C, It) || It <- ["a", "b", "c"]],
    ok = inet:setopts(S, [{active, once}]),
    First = said(S),
    Then = inet:getopts(S, [active]),
    {ok, Second} = gen_tcp:recv(S, 0),
    ok = inet:setopts(S, [{active, once}]),
    closed(All, {First, Then, Second, said(S)}).

active_times() ->
    {_, S, C} = All = pair([{packet, 2}]),
    ok = inet:setopts(S, [{active, 2}]),
    Before = inet:getopts(S, [active]),
    ok = inet:setopts(S, [{active, 1}]),
    More = inet:getopts(S, [active]),
    [ok = gen_tcp:send(C, [It]) || It <- "abcd"],
    Heard = [said(S) || _ <- [1, 2, 3, 4]],
    Rest = gen_tcp:recv(S, 0),
    ok = inet:setopts(S, [{active, 3}]),
    ok = inet:setopts(S, [{active, -3}]),
    closed(All, {Before, More, Heard, Rest, said(S), inet:getopts(S, [active]), inet:setopts(S, [{active, 40000}])}).

ended_passive() ->
    {_, S, C} = All = pair([]),
    ok = gen_tcp:send(C, "last"),
    ok = gen_tcp:close(C),
    {ok, Last} = gen_tcp:recv(S, 0),
    Ends = [gen_tcp:recv(S, 0), gen_tcp:recv(S, 0), gen_tcp:send(S, "x")],
    closed(All, {Last, Ends}).

ended_active() ->
    process_flag(trap_exit, true),
    {_, S, C} = All = pair([]),
    ok = inet:setopts(S, [{active, true}]),
    ok = gen_tcp:send(C, "last"),
    ok = gen_tcp:close(C),
    Heard = [said(S), said(S)],
    Exit = receive {'EXIT', S, Why} -> Why after 1000 -> none end,
    closed(All, {Heard, Exit, erlang:port_info(S), gen_tcp:send(S, "x"), gen_tcp:recv(S, 0)}).

half_closed() ->
    {_, S, C} = All = pair([{exit_on_close, false}]),
    ok = gen_tcp:shutdown(C, write),
    End = gen_tcp:recv(S, 0),
    ok = gen_tcp:send(S, "still"),
    closed(All, {End, gen_tcp:recv(C, 5)}).

shutdowns() ->
    {_, S, C} = All = pair([]),
    ok = gen_tcp:send(C, "data"),
    Done = gen_tcp:shutdown(C, write),
    closed(All, {Done, gen_tcp:recv(S, 4), gen_tcp:recv(S, 1), gen_tcp:send(C, "x")}).

timeouts() ->
    {L, S, C} = All = pair([]),
    ok = gen_tcp:send(C, "ab"),
    Short = gen_tcp:recv(S, 3, 30),
    ok = gen_tcp:send(C, "c"),
    closed(All, {gen_tcp:accept(L, 0), gen_tcp:accept(L, 20), Short, gen_tcp:recv(S, 3, 2000), gen_tcp:recv(S, 0, 0)}).

nobody_listens() ->
    {ok, L} = gen_tcp:listen(0, [{ip, loopback}]),
    {ok, Port} = inet:port(L),
    ok = gen_tcp:close(L),
    {gen_tcp:connect({127, 0, 0, 1}, Port, []), gen_tcp:connect({127, 0, 0, 1}, Port, [], 1000)}.

names() ->
    {L, S, C} = All = pair([]),
    {ok, Port} = inet:port(L),
    {ok, {Ip, Port}} = inet:sockname(L),
    {ok, {_, OfClient}} = inet:sockname(C),
    Same = [inet:sockname(S) =:= {ok, {Ip, Port}}, inet:peername(S) =:= {ok, {{127, 0, 0, 1}, OfClient}},
            inet:peername(C) =:= {ok, {Ip, Port}}],
    closed(All, {Ip, Same, inet:peername(L)}).

options() ->
    {L, S, _} = All = pair([binary, {packet, 2}, {nodelay, true}, {keepalive, true}]),
    Asked = [mode, packet, active, nodelay, keepalive, linger, reuseaddr, exit_on_close],
    ok = inet:setopts(S, [list, {packet, line}, {linger, {true, 3}}, {exit_on_close, false}, {active, once}]),
    Changed = inet:getopts(S, Asked),
    closed(All, {inet:getopts(L, Asked), Changed}).

defaults() ->
    {_, S, _} = All = pair([]),
    closed(All, [inet:getopts(S, [It]) || It <- [high_watermark, low_watermark, send_timeout, send_timeout_close, delay_send, packet_size, header,
                                 deliver, line_delimiter, show_econnreset, read_packets, high_msgq_watermark, low_msgq_watermark,
                                 priority, dontroute, buffer]]).

bad_options() ->
    {_, S, _} = All = pair([]),
    closed(All, [inet:setopts(S, [{active, maybe}]), inet:setopts(S, [{no_such, 1}]), inet:getopts(S, [no_such]),
                 catch gen_tcp:listen(0, [{packet, 3}]), catch gen_tcp:listen(99999999, [])]).

owners() ->
    {_, S, C} = All = pair([{packet, 1}]),
    Me = self(),
    New = spawn_link(fun() -> receive go -> ok end, ok = inet:setopts(S, [{active, true}]), Me ! {heard, said(S)} end),
    ok = gen_tcp:controlling_process(S, New),
    Again = gen_tcp:controlling_process(S, Me),
    New ! go,
    ok = gen_tcp:send(C, "hi"),
    Heard = receive {heard, It} -> It end,
    closed(All, {Again, Heard, erlang:port_info(S, connected) =:= {connected, New}}).

owner_dies() ->
    {_, S, C} = All = pair([]),
    New = spawn(fun() -> receive go -> ok end end),
    ok = gen_tcp:controlling_process(S, New),
    New ! go,
    closed(All, gen_tcp:recv(C, 0, 2000)).

closed_while_accepting() ->
    {ok, L} = gen_tcp:listen(0, [{ip, loopback}]),
    Me = self(),
    spawn_link(fun() -> Me ! {done, gen_tcp:accept(L)} end),
    timer:sleep(50),
    ok = gen_tcp:close(L),
    {receive {done, It} -> It end, gen_tcp:accept(L), inet:port(L)}.

closed_while_reading() ->
    {_, S, _} = All = pair([]),
    Me = self(),
    spawn_link(fun() -> Me ! {done, gen_tcp:recv(S, 0)} end),
    timer:sleep(50),
    ok = gen_tcp:close(S),
    closed(All, receive {done, It} -> It end).

several_clients() ->
    {ok, L} = gen_tcp:listen(0, [{ip, loopback}, {active, false}, {packet, 4}, binary]),
    {ok, Port} = inet:port(L),
    Me = self(),
    [spawn_link(fun() ->
        {ok, C} = gen_tcp:connect("localhost", Port, [{packet, 4}, {active, false}, binary, inet]),
        ok = gen_tcp:send(C, term_to_binary({ask, N})),
        {ok, Answer} = gen_tcp:recv(C, 0),
        Me ! {answer, N, binary_to_term(Answer)},
        gen_tcp:close(C)
     end) || N <- lists:seq(1, 5)],
    [begin
        {ok, S} = gen_tcp:accept(L),
        {ok, Data} = gen_tcp:recv(S, 0),
        {ask, N} = binary_to_term(Data),
        ok = gen_tcp:send(S, term_to_binary(N * N)),
        gen_tcp:close(S)
     end || _ <- lists:seq(1, 5)],
    gen_tcp:close(L),
    lists:sort([receive {answer, N, It} -> {N, It} end || N <- lists:seq(1, 5)]).

put_back() ->
    {_, S, C} = All = pair([]),
    ok = gen_tcp:send(C, "def"),
    {ok, Got} = gen_tcp:recv(S, 3),
    Done = gen_tcp:unrecv(S, "abc" ++ Got),
    closed(All, {Done, gen_tcp:recv(S, 6)}).

large() ->
    {_, S, C} = All = pair([binary]),
    N = 3000000,
    spawn_link(fun() -> ok = gen_tcp:send(C, binary:copy(<<7>>, N)) end),
    {ok, Got} = gen_tcp:recv(S, N),
    closed(All, {byte_size(Got), Got =:= binary:copy(<<7>>, N)}).

statuses() ->
    {L, S, C} = All = pair([]),
    closed(All, [prim_inet:getstatus(It) || It <- [L, S, C]] ++ [prim_inet:gettype(S), inet_db:lookup_socket(S)]).

headers() ->
    {_, S, C} = All = pair([binary, {header, 2}]),
    ok = gen_tcp:send(C, "abcd"),
    One = gen_tcp:recv(S, 4),
    ok = gen_tcp:send(C, "e"),
    closed(All, {One, gen_tcp:recv(S, 1)}).

too_large() ->
    {_, S, C} = All = pair([{packet, 4}, {packet_size, 5}], [{packet, 4}]),
    ok = gen_tcp:send(C, "abcde"),
    Fits = gen_tcp:recv(S, 0),
    ok = gen_tcp:send(C, "abcdef"),
    closed(All, {Fits, gen_tcp:recv(S, 0)}).

not_connected() ->
    {ok, L} = gen_tcp:listen(0, [{ip, loopback}, {active, false}]),
    Res = [gen_tcp:recv(L, 0), gen_tcp:send(L, "x"), gen_tcp:shutdown(L, write)],
    gen_tcp:close(L),
    Res ++ [gen_tcp:send(L, "x"), gen_tcp:close(L)].

packets_out_of_bounds() ->
    {_, _, C} = All = pair([{packet, 1}]),
    closed(All, gen_tcp:send(C, lists:duplicate(256, $a))).

by_name() ->
    {ok, L} = gen_tcp:listen(0, [{ip, loopback}]),
    {ok, Port} = inet:port(L),
    {ok, C} = gen_tcp:connect("127.0.0.1", Port, []),
    {ok, S} = gen_tcp:accept(L),
    ok = gen_tcp:send(S, "hello"),
    closed({L, S, C}, {said(C), gen_tcp:connect("no.such.host.invalid", Port, [])}).

wide() ->
    case gen_tcp:listen(0, [inet6, {ip, {0, 0, 0, 0, 0, 0, 0, 1}}, {active, false}]) of
        {ok, L} ->
            {ok, {Ip, Port}} = inet:sockname(L),
            {ok, C} = gen_tcp:connect(Ip, Port, [inet6]),
            {ok, S} = gen_tcp:accept(L),
            ok = gen_tcp:send(S, "six"),
            closed({L, S, C}, {Ip, said(C), inet:getopts(S, [ipv6_v6only])});
        {error, Why} -> Why
    end.

udp(Options) ->
    {ok, S} = gen_udp:open(0, [{ip, loopback} | Options]),
    {ok, Port} = inet:port(S),
    {S, Port}.

datagrams() ->
    {A, _} = udp([binary, {active, false}]),
    {B, PortB} = udp([{active, false}]),
    [ok = gen_udp:send(A, {127, 0, 0, 1}, PortB, It) || It <- ["one", <<>>, [<<"th">>, "ree"]]],
    Got = [begin {ok, {Ip, _, Data}} = gen_udp:recv(B, 0), {Ip, Data} end || _ <- [1, 2, 3]],
    {ok, {Ip, Port}} = inet:sockname(A),
    ok = gen_udp:send(B, {Ip, Port}, "back"),
    {ok, {_, From, Back}} = gen_udp:recv(A, 0),
    {gen_udp:close(A), gen_udp:close(B), Got, Back, From =:= PortB}.

active_datagrams() ->
    {A, _} = udp([]),
    {B, PortB} = udp([{active, 2}]),
    [ok = gen_udp:send(A, localhost, PortB, It) || It <- ["x", "y"]],
    Heard = [said(B) || _ <- [1, 2, 3]],
    gen_udp:close(A),
    gen_udp:close(B),
    Heard.

connected_datagrams() ->
    {A, _} = udp([{active, false}]),
    {B, PortB} = udp([{active, false}]),
    ok = gen_udp:connect(A, {127, 0, 0, 1}, PortB),
    ok = gen_udp:send(A, "hello"),
    {ok, {_, _, Data}} = gen_udp:recv(B, 0),
    {Data, gen_udp:close(A), gen_udp:close(B)}.

datagram_timeouts() ->
    {A, _} = udp([{active, false}]),
    Res = [gen_udp:recv(A, 0, 0), gen_udp:recv(A, 0, 20)],
    gen_udp:close(A),
    Res ++ [gen_udp:recv(A, 0, 0), gen_udp:send(A, {127, 0, 0, 1}, 9, "x")].

ports_of_sockets() ->
    {L, S, C} = All = pair([]),
    Me = self(),
    Infos = [{erlang:port_info(It, name), erlang:port_info(It, connected) =:= {connected, Me}} || It <- [L, S, C]],
    Reference = monitor(port, S),
    gen_tcp:close(S),
    Down = receive {'DOWN', Reference, port, S, Why} -> Why after 1000 -> none end,
    closed(All, {Infos, Down, is_port(S)}).

statistics() ->
    {_, S, C} = All = pair([binary, {packet, 1}]),
    [ok = gen_tcp:send(C, It) || It <- ["abc", "d"]],
    {ok, _} = gen_tcp:recv(S, 0),
    {ok, _} = gen_tcp:recv(S, 0),
    closed(All, {inet:getstat(C, [send_cnt, send_pend]), element(1, inet:getstat(S))}).

messages_to_sockets() ->
    process_flag(trap_exit, true),
    {_, S, C} = All = pair([]),
    S ! {self(), {command, "data"}},
    Data = gen_tcp:recv(C, 4),
    Reply = receive {inet_reply, S, It} -> It after 1000 -> none end,
    S ! {self(), close},
    Closed = receive {S, closed} -> closed after 1000 -> none end,
    closed(All, {Data, Reply, Closed, gen_tcp:recv(C, 0)}).

two_listeners() ->
    {ok, L} = gen_tcp:listen(0, [{ip, loopback}]),
    {ok, Port} = inet:port(L),
    Second = gen_tcp:listen(Port, [{ip, loopback}]),
    gen_tcp:close(L),
    Second.

reset() ->
    {_, S, C} = All = pair([{show_econnreset, true}, {active, true}], [{linger, {true, 0}}]),
    ok = gen_tcp:close(C),
    Heard = [said(S), said(S)],
    closed(All, Heard).
