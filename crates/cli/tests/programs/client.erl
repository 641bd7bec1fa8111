%% The client and the server of Fig. 3 of *Symbolic Execution in Erlang*.
-module(client).
-export([start/1, server/1, client/2]).

start(N) ->
    S = self(),
    C = spawn(client, client, [1, S]),
    server(N).

server(N) ->
    receive
        {Pid, M} when M < N -> Pid ! ok, server(N);
        {Pid, M} when M >= N -> Pid ! last
    end.

client(N, Pid) ->
    Pid ! {self(), N},
    receive
        Atom ->
            case Atom of
                ok -> client(N + 1, Pid);
                last -> ok
            end
    end.
