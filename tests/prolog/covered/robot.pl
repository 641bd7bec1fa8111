:- module(robot, [simulate/3, turn/3]).
%! turn(+Command:oneof([l,r]), +Dir:oneof([n,e,s,w]), -New) is det.
turn(l, n, w). turn(l, w, s). turn(l, s, e). turn(l, e, n).
turn(r, n, e). turn(r, e, s). turn(r, s, w). turn(r, w, n).
simulate(State, [], State).
simulate(robot(D, P), [C|Cs], S) :- turn(C, D, D1), simulate(robot(D1, P), Cs, S).
simulate(robot(D, P), [a|Cs], S) :- advance(D, P, P1), simulate(robot(D, P1), Cs, S).
advance(n, X-Y, X-Y1) :- Y1 is Y + 1.
advance(s, X-Y, X-Y1) :- Y1 is Y - 1.
advance(e, X-Y, X1-Y) :- X1 is X + 1.
advance(w, X-Y, X1-Y) :- X1 is X - 1.
