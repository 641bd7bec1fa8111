%% A parser of messages: a version, flags, a length, and that many bytes.
-module(wire).
-export([frame/1]).

-type frame() :: #{version := 1..2, compressed := boolean(), body := binary()}.

-spec frame(binary()) -> {ok, frame(), Rest :: binary()} | more | {error, atom()}.
frame(<<Version:4, Flags:4, Length:16, Body:Length/binary, Rest/binary>>) when Version =< 2 ->
    {ok, #{version => Version, compressed => compressed(Version, Flags), body => Body}, Rest};
frame(<<Version:4, _:4, _/binary>>) when 2 < Version ->
    {error, version};
frame(_) ->
    more.

%% Version 1 knows no compression; in version 2 it is the highest flag.
compressed(1, _) -> false;
compressed(2, Flags) -> Flags band 8 =/= 0.
