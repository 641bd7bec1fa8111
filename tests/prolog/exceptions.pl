safe_divide(X, Y, Z) :- catch(divide(X, Y, Z), error(evaluation_error(_), _), Z = undefined).
divide(X, Y, Z) :- Z is X // Y.
checked(X, R) :- catch(check(X), bad(Why), recover(Why, R)), !.
checked(X, fine(X)).
check(X) :- X > 100, throw(bad(big)).
check(X) :- X < 0, throw(bad(negative)).
check(_) :- fail.
recover(big, clipped(100)).
recover(negative, clipped(0)).
