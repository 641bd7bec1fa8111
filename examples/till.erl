%% The till of a shop, a gen_server: it is opened, takes money, gives change, and is counted.
-module(till).
-behaviour(gen_server).
-export([start_link/0, sell/3, refund/2, count/1]).
-export([init/1, handle_call/3, handle_cast/2]).

start_link() ->
    gen_server:start_link(?MODULE, [], []).

-spec sell(pid(), Price :: pos_integer(), Paid :: pos_integer()) -> {ok, non_neg_integer()} | too_little.
sell(Till, Price, Paid) ->
    gen_server:call(Till, {sell, Price, Paid}).

-spec refund(pid(), pos_integer()) -> ok.
refund(Till, Price) ->
    gen_server:call(Till, {refund, Price}).

-spec count(pid()) -> non_neg_integer().
count(Till) ->
    gen_server:call(Till, count).

init([]) ->
    {ok, #{cash => 100, sold => []}}.

handle_call({sell, Price, Paid}, _, State) when Paid < Price ->
    {reply, too_little, State};
handle_call({sell, Price, Paid}, _, #{cash := Cash, sold := Sold} = State) ->
    {reply, {ok, Paid - Price}, State#{cash := Cash + Price, sold := [Price | Sold]}};
%% Only what was sold can be given back. Here the till forgets that it may not have been.
handle_call({refund, Price}, _, #{cash := Cash, sold := Sold} = State) ->
    true = lists:member(Price, Sold),
    {reply, ok, State#{cash := Cash - Price, sold := lists:delete(Price, Sold)}};
handle_call(count, _, #{cash := Cash} = State) ->
    {reply, Cash, State}.

handle_cast(_, State) ->
    {noreply, State}.
