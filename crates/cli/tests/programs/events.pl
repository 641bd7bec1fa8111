% Symbolic execution from the events of an instrumented program: Fig. 7 and Fig. 10 of A. Palacios and
% G. Vidal, Concolic Execution in Functional Programming by Program Instrumentation.

% Example 2: main([a]). That these are its events is held by tests/tests/instrumentation.rs.
texts([
    'call([X],[W],W,[X,X])',
    'case([X,Y],[W1,W2,H,T],2,X,[H|T],[(1,X,[]),(2,X,[H|T])])',
    'call([X,Y],[W1,W2,H,T],W2,[T,Y])',
    'case([X,Y],[W1,W2,H,T],1,X,[],[(1,X,[]),(2,X,[H|T])])',
    'exitcase([X,Y],[W1,W2,H,T],W1,Y)',
    'exit([X,Y],[W1,W2,H,T],W1)',
    'exitcase([X,Y],[W1,W2,H,T],W1,[H|W2])',
    'exit([X,Y],[W1,W2,H,T],W1)',
    'exit([X],[W],W)'
]).

% Each event is read by itself, so that they are renamed apart.
events(Events) :- texts(Texts), renamed(Texts, Events).

renamed([], []).
renamed([Text | Texts], [Event | Events]) :- term_to_atom(Event, Text), renamed(Texts, Events).

% What the run computes of its input.
sym(Res, Vars) :- events(Tau), eval(Tau, taken, [(Res, Vars)], [_]).

% Inputs that take some alternative, chosen anew at every case.
input_alt(Vars) :- events(Tau), eval(Tau, any, [(_, Vars)], [_]).

eval([], _, [], []).
eval([call(Vars, BVars, NRes, NVars) | Tau], How, [(Res, Vars) | Env], [BVars | BEnv]) :-
    eval(Tau, How, [(NRes, NVars), (Res, Vars) | Env], [_, BVars | BEnv]).
eval([case(Vars, BVars, _, Arg, Pat, _) | Tau], How, [(Res, Vars) | Env], [BVars | BEnv]) :-
    Arg = Pat,
    eval(Tau, How, [(Res, Vars) | Env], [BVars | BEnv]).
% The new one of Fig. 10. What follows in the events belongs to the alternative that was taken.
eval([case(Vars, BVars, N, _, _, Alts) | _], any, [(_, Vars) | _], [BVars | _]) :-
    member((M, Arg, Pat), Alts),
    N \= M,
    Arg = Pat.
eval([exitcase(Vars, BVars, Arg, Pat) | Tau], How, [(Res, Vars) | Env], [BVars | BEnv]) :-
    Arg = Pat,
    eval(Tau, How, [(Res, Vars) | Env], [BVars | BEnv]).
eval([bind(Vars, BVars, Left, Right) | Tau], How, [(Res, Vars) | Env], [BVars | BEnv]) :-
    Left = Right,
    eval(Tau, How, [(Res, Vars) | Env], [BVars | BEnv]).
eval([exit(Vars, BVars, Pat) | Tau], How, [(Pat, Vars) | Env], [BVars | BEnv]) :-
    eval(Tau, How, Env, BEnv).
