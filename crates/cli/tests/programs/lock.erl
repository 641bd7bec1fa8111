%% A lock that opens with 1, 7. It counts wrong codes, and divides by zero after two of them.
-module(lock).
-behaviour(gen_statem).
-export([start_link/0, push/1, code/2]).
-export([init/1, callback_mode/0, locked/3, open/3]).

start_link() -> gen_statem:start_link(?MODULE, [], []).
push(Pid) -> gen_statem:call(Pid, push).
code(Pid, Digits) -> gen_statem:cast(Pid, {code, Digits}).

init([]) -> {ok, locked, #{wrong => 0}}.
callback_mode() -> state_functions.

locked({call, From}, push, Data) ->
    {keep_state, Data, [{reply, From, locked}]};
locked(cast, {code, [1, 7 | _]}, Data) ->
    {next_state, open, Data, [{state_timeout, 1000, close}]};
locked(cast, {code, _}, #{wrong := N} = Data) ->
    {keep_state, Data#{wrong := N + 1}}.

open({call, From}, push, #{wrong := N} = Data) ->
    {next_state, locked, Data, [{reply, From, 10 div (2 - N)}]};
open(cast, {code, _}, Data) ->
    {keep_state, Data};
open(state_timeout, close, Data) ->
    {next_state, locked, Data}.
