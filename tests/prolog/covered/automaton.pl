accepts(Word) :- start(S), run(Word, S).
run([], S) :- final(S).
run([C|Cs], S) :- delta(S, C, T), run(Cs, T).
start(q0).
final(q2).
delta(q0, 0, q0). delta(q0, 1, q1). delta(q1, 0, q2). delta(q1, 1, q1). delta(q2, _, q2).
