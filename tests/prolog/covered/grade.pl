grade(S, _) :- \+ integer(S), !, throw(error(type_error(integer, S), grade/2)).
grade(S, _) :- ( S < 0 ; S > 100 ), !, throw(error(domain_error(score, S), grade/2)).
grade(S, a) :- S >= 90, !.
grade(S, b) :- S >= 80, !.
grade(S, c) :- S >= 70, !.
grade(_, f).
bmi(W, H, C) :- B is W * 10000 / (H * H), ( B < 18.5 -> C = under ; B < 25 -> C = normal ; B < 30 -> C = over ; C = obese ).
tax(I, T) :- ( I =< 10000 -> T = 0 ; I =< 30000 -> T is (I - 10000) * 20 // 100 ; T is 4000 + (I - 30000) * 40 // 100 ).
safe_div(X, Y, R) :- catch(R is X / Y, error(evaluation_error(E), _), R = error(E)).
