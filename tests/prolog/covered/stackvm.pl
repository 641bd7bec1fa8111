run(Prog, Out) :- exec(Prog, [], Out).
exec([], [X|_], X).
exec([push(N)|Is], St, O) :- exec(Is, [N|St], O).
exec([add|Is], [A,B|St], O) :- C is A+B, exec(Is, [C|St], O).
exec([mul|Is], [A,B|St], O) :- C is A*B, exec(Is, [C|St], O).
exec([dup|Is], [A|St], O) :- exec(Is, [A,A|St], O).
exec([jz(T,E)|Is], [A|St], O) :- ( A =:= 0 -> append(T, Is, P) ; append(E, Is, P) ), exec(P, St, O).
