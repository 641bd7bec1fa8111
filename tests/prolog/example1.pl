main(L,N,R) :- length(L,N), rev(L, [], R), foo(a).
main(_L,_N,error).
rev([],A,A).
rev([H|T],Acc,Res) :- is_list(Acc), rev(T, [H|Acc], Res).
is_list([]).
is_list([_H|T]) :- is_list(T).
length([],0).
length([_H|R],s(N)) :- length(R,N).
foo(b).
