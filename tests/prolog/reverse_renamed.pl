main(L,N,R) :- len(L,N), rev(L, [], R).
main(_L,_N,error).
rev([],A,A).
rev([H|T],Acc,Res) :- is_a_list(Acc), rev(T, [H|Acc], Res).
is_a_list([]).
is_a_list([_H|T]) :- is_a_list(T).
len([],0).
len([_H|R],s(N)) :- len(R,N).
