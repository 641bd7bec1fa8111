%% A process that keeps numbers. Number 77 spoils what it keeps, and nothing has no average.
-module(pile).
-behaviour(gen_server).
-export([start_link/1, add/2, total/1, average/1]).
-export([init/1, handle_call/3, handle_cast/2, handle_info/2]).

start_link(Size) -> gen_server:start_link(?MODULE, Size, []).

add(Pid, N) -> gen_server:cast(Pid, {add, N}).
total(Pid) -> gen_server:call(Pid, total).
average(Pid) -> gen_server:call(Pid, average).

init(Size) when is_integer(Size), Size > 0 -> {ok, {Size, []}};
init(_) -> {stop, bad_size}.

handle_call(total, _From, {_, Items} = State) ->
    {reply, lists:sum(Items), State};
handle_call(average, _From, {_, Items} = State) ->
    {reply, lists:sum(Items) div length(Items), State};
handle_call(_, _From, State) ->
    {reply, unknown, State}.

handle_cast({add, 77}, {Size, Items}) ->
    {noreply, {Size, [seventy_seven | Items]}};
handle_cast({add, N}, {Size, Items}) when is_integer(N), length(Items) < Size ->
    {noreply, {Size, [N | Items]}};
handle_cast(_, State) ->
    {noreply, State}.

handle_info(clear, {Size, _}) -> {noreply, {Size, []}};
handle_info(_, State) -> {noreply, State}.
