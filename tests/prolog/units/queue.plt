:- use_module(queue).
edge(a,b). edge(a,c). edge(b,d). edge(c,d). edge(d,e).
:- begin_tests(queue).
test(empty, fail) :- empty(Q), pop(Q, _, _).
test(fifo, X-Y == 1-2) :- empty(Q0), push(Q0, 1, Q1), push(Q1, 2, Q2), pop(Q2, X, Q3), pop(Q3, Y, _).
test(list, L == [1,2,3]) :- list_queue([1,2], Q), push(Q, 3, L-[]).
test(bfs, P == [a,b,d,e]) :- bfs(a, e, edge, P).
test(bfs_none, fail) :- bfs(e, a, edge, _).
test(bfs_lambda, P == [1,2,4,8]) :- bfs(1, 8, [X,Y]>>(Y is X*2), P).
:- end_tests(queue).
