classify(N, Class) :-
    (   N < 0 -> Class = negative
    ;   N =:= 0 -> Class = zero
    ;   N < 10 -> small(N, Class)
    ;   N =< 1000 -> Class = medium
    ;   Class = large
    ).
small(N, Class) :- ( 0 is N mod 2 -> Class = small_even ; N =:= 7 -> lucky(Class) ; Class = small_odd ).
lucky(seven).
