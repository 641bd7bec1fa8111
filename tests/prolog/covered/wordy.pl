wordy(Question, Answer) :-
    string_concat("What is", Rest0, Question), string_concat(Rest, "?", Rest0), !,
    split_string(Rest, " ", " ", Ws0), exclude(==(""), Ws0, Ws),
    tokens(Ws, Ts), calc(Ts, Answer).
wordy(_, _) :- throw(error(unknown_operation_error, _)).

tokens([], []).
tokens(["plus"|T], [op(+)|R]) :- !, tokens(T, R).
tokens(["minus"|T], [op(-)|R]) :- !, tokens(T, R).
tokens(["multiplied","by"|T], [op(*)|R]) :- !, tokens(T, R).
tokens(["divided","by"|T], [op(//)|R]) :- !, tokens(T, R).
tokens([W|T], [num(N)|R]) :- number_string(N, W), !, tokens(T, R).
tokens([_|_], _) :- throw(error(unknown_operation_error, _)).

calc([num(N)|Ts], A) :- !, calc(Ts, N, A).
calc(_, _) :- throw(error(syntax_error, _)).
calc([], A, A) :- !.
calc([op(O),num(N)|Ts], Acc, A) :- !, E =.. [O, Acc, N], Acc1 is E, calc(Ts, Acc1, A).
calc(_, _, _) :- throw(error(syntax_error, _)).
