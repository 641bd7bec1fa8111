% A ledger: entries that change a balance, and what a balance is called.
:- module(ledger, [balance/3, standing/2, shares/3]).

%! balance(+Entries:list, +Start:integer, -End:integer) is semidet.
balance([], Sum, Sum).
balance([deposit(N)|Rest], Sum, End) :-
    N > 0,
    Next is Sum + N,
    balance(Rest, Next, End).
balance([withdraw(N)|Rest], Sum, End) :-
    N > 0,
    N =< Sum,
    Next is Sum - N,
    balance(Rest, Next, End).

%! standing(+Balance:integer, -Name) is det.
standing(Balance, overdrawn) :- Balance < 0, !.
standing(0, empty) :- !.
standing(Balance, small) :- Balance < 100, !.
standing(_, good).

%! shares(+Sum:integer, +People:integer, -Share:integer) is det.
shares(Sum, People, Share) :-
    Share is Sum // People.
