check_date(date(Y,M,D)) :- must_be(integer, Y), must_be(between(1,12), M), must_be(positive_integer, D), dim(Y, M, Max), ( D > Max -> domain_error(day, D) ; true ).
dim(Y, 2, 29) :- ( Y mod 400 =:= 0 ; Y mod 4 =:= 0, Y mod 100 =\= 0 ), !.
dim(_, 2, 28) :- !.
dim(_, M, 30) :- member(M, [4,6,9,11]), !.
dim(_, _, 31).
