% Constraints over integers: answers, what is left of constraints, options of labeling, errors.
:- use_module(library(clpfd)).
%?- X #> 3, X #< 6, findall(X, label([X]), L).
%?- X in 1..10, X #\= 5, fd_dom(X, D).
%?- X #= Y + 2, Y in 0..3, fd_inf(X, I), fd_sup(X, S).
%?- Vs = [A,B,C], Vs ins 1..3, all_different(Vs), A #< B, findall(Vs, label(Vs), L).
%?- Vs = [A,B], Vs ins 0..3, A + B #= 3, findall(Vs, labeling([max(A)], Vs), L).
%?- Vs = [A,B], Vs ins 0..3, A + B #= 3, findall(Vs, labeling([min(A-B), down], Vs), L).
%?- Vs = [A,B,C], Vs ins 0..2, sum(Vs, #=, 4), findall(Vs, labeling([ff], Vs), L).
%?- Vs = [A,B,C], Vs ins 0..2, sum(Vs, #=, 4), findall(Vs, labeling([ffc, bisect], Vs), L).
%?- Vs = [A,B,C], Vs ins 0..2, sum(Vs, #=, 4), findall(Vs, labeling([leftmost, enum, up], Vs), L).
%?- Vs = [A,B,C], Vs ins 0..2, sum(Vs, #=, 4), findall(Vs, labeling([min, step, down], Vs), L).
%?- Vs = [A,B,C], Vs ins 0..2, sum(Vs, #=, 4), findall(Vs, labeling([max], Vs), L).
%?- X #> 3.
%?- X #> Y, Y #> 2.
%?- X * X #= 49, X #> 0.
%?- X #= abs(Y), Y in -3..2.
%?- X in 1..5, X mod 2 #= 0, findall(X, indomain(X), L).
%?- B #<==> (X #> 3), X in 0..2.
%?- B #<==> (X #> 3), X in 0..9, B = 1, fd_dom(X, D).
%?- X #= 3 #\/ X #= 4, X in 0..10, findall(X, label([X]), L).
%?- tuples_in([[X,Y]], [[1,2],[2,3],[3,4]]), X #> 1, findall(X-Y, label([X,Y]), L).
%?- element(I, [10,20,30], V), V #> 15, findall(I-V, label([I,V]), L).
%?- global_cardinality([X,Y,Z],[1-2,2-1]), findall([X,Y,Z], label([X,Y,Z]), L).
%?- length(Q, 4), Q ins 1..4, circuit(Q), findall(Q, label(Q), L).
%?- X #= 10 // 3, Y #= -7 mod 3, Z #= -7 rem 3, W #= 2^10.
%?- 3 #= X + 1.
%?- X #= a.
%?- X in foo.
%?- label([X]).
%?- X #> 0, label([X]).
%?- labeling([foo], [X]).
%?- transpose([[1,2,3],[4,5,6]], T).
%?- lex_chain([[A,B],[C,D]]), [A,B,C,D] ins 0..1, findall([A,B,C,D], label([A,B,C,D]), L), length(L, N).
%?- cumulative([task(S1,3,_,1,_),task(S2,2,_,1,_)], [limit(1)]), [S1,S2] ins 0..3, findall(S1-S2, label([S1,S2]), L).
%?- automaton([X,Y,Z], [source(a),sink(b)], [arc(a,0,a),arc(a,1,b),arc(b,0,b)]), findall([X,Y,Z], label([X,Y,Z]), L).
%?- X in inf..5, fd_dom(X,D), fd_size(X,S).
%?- X in 1..3 \/ 5..7 \/ 9, fd_dom(X, D), fd_degree(X, G).
%?- X in 1..3, copy_term(X, X, Gs).
%?- X #\= Y, copy_term([X,Y],[X,Y],Gs).
%?- X + Y #= 10, X - Y #= 2, X in 0..10, Y in 0..10, fd_dom(X, D).
%?- scalar_product([2,3],[X,Y],#=,12), [X,Y] ins 0..10, findall(X-Y,label([X,Y]),L).
%?- zcompare(O, 1, 2).
%?- X #= max(3,4), Y #= min(3,4).
%?- chain([A,B,C], #<), [A,B,C] ins 1..3.
%?- #\ X #= 3, X in 2..4, findall(X, label([X]), L).
%?- X in 0..5, X #>= 2 #==> X #= 4, findall(X, label([X]), L).
%?- length(L, 3), L ins 0..1, findall(L, label(L), Ls), length(Ls, N).
%?- all_distinct([X,Y,Z]), [X,Y] ins 1..2, Z in 1..3.
%?- disjoint2([r(X,2,0,1),r(1,1,0,1)]), X in 0..3, findall(X,label([X]),L).
%?- X #= Y + Z, [Y,Z] ins 0..3.
%?- X #= Y * Z, [Y,Z] ins 0..3.
%?- X // 2 #= 3.
%?- X mod 3 #= 1, X in 0..10.
%?- X #>= 0, X #=< 100, X * X #= 144.
%?- X in 0..5, Y #= X * 2, Z #= Y - 1.
%?- B1 #<==> (X #= 1), B2 #<==> (X #= 2), B1 + B2 #= 1, X in 0..3.
%?- X #> 3 #<==> B.
%?- X #= 1 #\ X #= 2, X in 0..3, findall(X, label([X]), L).
%?- length(Qs, 6), Qs ins 1..6, all_different(Qs), Qs = [1,2|_], findall(Qs, label(Qs), L), length(L, N).
%?- [S,E,N,D,M,O,R,Y] = V, V ins 0..9, all_different(V), S*1000+E*100+N*10+D+M*1000+O*100+R*10+E #= M*10000+O*1000+N*100+E*10+Y, M #\= 0, S #\= 0.
%?- [S,E,N,D,M,O,R,Y] = V, V ins 0..9, all_different(V), S*1000+E*100+N*10+D+M*1000+O*100+R*10+E #= M*10000+O*1000+N*100+E*10+Y, M #\= 0, S #\= 0, label(V).
%?- X in 1..3, X = 4.
%?- X in 1..3, X = a.
%?- X #= 1 / 2.
%?- X #= 7 / 7.
%?- 4 #= X * 2.
%?- 5 #= X * 2.
%?- X #\= 3.
%?- X #\= Y + 1.
%?- #\ (X #> 3).
%?- X in 1..100, X #> 98 #\/ X #< 3, fd_dom(X, D).
%?- fd_var(X).
%?- X in 0..1, fd_var(X).
%?- X in 5..3.
%?- X in 3.
%?- [X,Y] ins 0..1, X #\= Y, once(label([X,Y])).
%?- [X,Y] ins 1..3, X #< Y, findall(X-Y, labeling([max(X+Y)], [X,Y]), L).
%?- [X,Y] ins 1..3, X + Y #= 4, bagof(X-Y, label([X,Y]), L).
%?- sum([X,Y,Z], #=<, 2), [X,Y,Z] ins 0..9.
%?- sum([X,Y], #\=, 2), [X,Y] ins 0..2, findall(X-Y, label([X,Y]), L), length(L, N).
%?- all_distinct([A,B,C]), A = 1, B in 1..2, C in 1..3.
%?- X in 0..3, findall(X, indomain(X), L).
%?- X #= X.
%?- X #< X.
%?- X #= 2 * X.
%?- X ^ 2 #= 16.
%?- 2 ^ X #= 16.
%?- X in -5..5, X ^ 2 #= 16, findall(X, label([X]), L).
%?- X #>= Y, Y #>= X.
%?- X #> Y, Y #> X.
%?- abs(X) #= 3, findall(X, label([X]), L).
%?- max(X, 3) #= 5.
%?- min(X, 3) #= 3, X in 0..9.
%?- X #= 3, Y = X.
%?- X + 1 #= 4 - Y.
%?- X - Y #= 0.
%?- 2*X + 3*Y #= 7, [X,Y] ins 0..5, label([X,Y]).
%?- X #= Y, Y = 3.
%?- X in 0..9, (X #> 7 ; X #< 1), findall(X, label([X]), L).
%?- tuples_in([[X,Y],[Y,Z]], [[1,2],[2,3],[3,1]]), X = 1.
%?- element(X, [a,b], Y).
%?- X in 1..2, \+ \+ X = 1.
%?- X in 1..2, copy_term_nat(X, Y).
%?- X in 1..5, X #\= 3, X #\= 1, X #\= 5.
%?- X in 1..5, fd_inf(X, A), fd_sup(X, B), fd_size(X, S).
%?- X in inf..sup.
%?- X in 0..sup.
%?- X #>= 1, X #=< 1.
%?- Y #= X mod 2, X in 3..3.
%?- X in 0..10, X mod 4 #= 3, fd_dom(X, D).
%?- X rem -2 #= 1.
%?- X xor 3 #= 5.
%?- X in 0..7, X >> 1 #= 2.
%?- msb(8) #= X.
