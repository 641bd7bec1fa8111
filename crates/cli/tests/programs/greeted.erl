%% A session comes with a greeting: see `built.rs`.
-module(greeted).
-export([start/1, told/1]).
-export_type([session/0]).

-record(session, {user}).
-opaque session() :: #session{}.

-spec start(integer()) -> {ok, binary(), session()} | {error, atom()}.
start(User) when User > 0 -> {ok, <<"hello">>, #session{user = User}};
start(_) -> {error, nobody}.

-spec told(session()) -> integer().
told(#session{user = 7}) -> error(seven);
told(#session{user = User}) -> User.
