new(q([], [])).
push(X, q(F, B), q(F, [X|B])).
pop(X, q([X|F], B), q(F, B)).
pop(X, q([], B), q(F, [])) :- B = [_|_], reverse(B, [X|F]).
size(q(F, B), N) :- length(F, A), length(B, C), N is A+C.
