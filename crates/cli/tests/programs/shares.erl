%% An atom is larger than 100 too, and fails where no integer can.
-module(shares).
-export([share/1]).

-spec share(integer()) -> integer().
share(People) when People > 100 -> 5000 div (People - 777);
share(_) -> 50.
