% A grammar of what goes into a dish: `2 eggs, 1 onion`. Amounts are added up by name.
:- module(recipe, [ingredients/2, amount/3]).

%! ingredients(+Text:codes, -Pairs:list) is semidet.
ingredients(Text, Pairs) :-
    phrase(list(Pairs), Text).

list([Name-N|Rest]) --> item(Name, N), ( ", " -> list(Rest) ; { Rest = [] } ).

item(egg, N) --> number(N), " egg", plural(N).
item(onion, N) --> number(N), " onion", plural(N).

plural(1) --> !, [].
plural(_) --> "s".

number(N) --> digit(D), digits(Ds), { number_codes(N, [D|Ds]) }.

digits([D|Ds]) --> digit(D), !, digits(Ds).
digits([]) --> [].

digit(D) --> [D], { code_type(D, digit) }.

%! amount(+Pairs:list(pair), +Name:atom, -Sum:integer) is det.
amount([], _, 0).
amount([Name-N|Rest], Name, Sum) :-
    amount(Rest, Name, More),
    Sum is N + More.
amount([Other-_|Rest], Name, Sum) :-
    Other \== Name,
    amount(Rest, Name, Sum).
