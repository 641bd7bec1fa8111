:- use_module(library(clpfd)).
puzzle([S,E,N,D] + [M,O,R,E] = [M,O,N,E,Y]) :-
    Vars = [S,E,N,D,M,O,R,Y], Vars ins 0..9, all_different(Vars),
    S*1000 + E*100 + N*10 + D + M*1000 + O*100 + R*10 + E #=
    M*10000 + O*1000 + N*100 + E*10 + Y, M #\= 0, S #\= 0.
queens(N, Qs) :- length(Qs, N), Qs ins 1..N, safe(Qs), labeling([ff], Qs).
safe([]).
safe([Q|Qs]) :- no_attack(Q, Qs, 1), safe(Qs).
no_attack(_, [], _).
no_attack(Q, [Q1|Qs], D) :- Q #\= Q1, abs(Q-Q1) #\= D, D1 is D+1, no_attack(Q, Qs, D1).
fact(0, 1).
fact(N, F) :- N #> 0, N1 #= N-1, F #= N*F1, fact(N1, F1).
knap(V, W) :- Vs=[A,B,C], Vs ins 0..5, A*4+B*3+C*2 #=< 10, V #= A*5+B*4+C*3, W=Vs, labeling([max(V)], Vs).
change(L) :- L=[A,B,C], L ins 0..20, 1*A+5*B+10*C #= 20, label(L).
len([], 0).
len([_|T], N) :- N #> 0, N #= M+1, len(T, M).
%?- puzzle(P), term_variables(P, Vs), label(Vs)
%?- puzzle([S,E,N,D]+_=_), fd_dom(S, DS), fd_dom(E, DE)
%?- queens(8, Qs)
%?- fact(5, F)
%?- fact(N, 120)
%?- X #> 3, X #< 6
%?- X #> 3, X #< 6, indomain(X)
%?- X in 1..5, X #\= 3, fd_dom(X, D)
%?- X #= 2*Y, Y in 1..3, findall(X, label([X]), L)
%?- X*X #= 49, findall(X, indomain(X), L)
%?- tuples_in([[X,Y]],[[1,2],[2,3]]), X #> 1
%?- sum([X,Y],#=,3), [X,Y] ins 0..3, findall(X-Y, label([X,Y]), L)
%?- knap(V, W)
%?- findall(L, change(L), Ls), length(Ls, N)
%?- length(Q, 3), Q ins 1..3, all_distinct(Q), sum(Q, #=, S)
%?- X #= Y + Z, [Y,Z] ins 1..2
%?- X #> Y, Y #> X, X in 0..10
%?- 3 #= X + 1
%?- X #= 7 // 2, Y #= 7 mod 2, Z #= -7 rem 2
%?- B #<==> (X #> 3), X in 0..10, B = 1, fd_inf(X, I)
%?- X in 1..3, \+ X #= 4
%?- len(L, 2)
%?- X in 0..3, Y #= X*X, fd_dom(Y, D)
%?- element(I, [10,20,30], 20)
%?- global_cardinality([X,Y,Z],[1-2,2-1]), X = 2
%?- lex_chain([[X,Y],[1,0]]), [X,Y] ins 0..1, findall(X-Y, label([X,Y]), L)
%?- circuit([X,Y,Z]), findall([X,Y,Z], label([X,Y,Z]), L)
%?- transpose([[1,2,3],[4,5,6]], T)
%?- X in inf..5, fd_sup(X, S)
%?- zcompare(O, 1, 2)
%?- catch(X #= a, error(E,_), true)
