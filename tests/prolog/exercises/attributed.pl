% Variables with attributes of one's own: domains as lists, and residual goals.
:- module(domain, [domain/2]).
domain(X, Dom) :- var(Dom), !, get_attr(X, domain, Dom).
domain(X, List) :- list_to_ord_set(List, Domain), put_attr(Y, domain, Domain), X = Y.
attr_unify_hook(Domain, Y) :-
    (   get_attr(Y, domain, Dom2) -> ord_intersection(Domain, Dom2, NewDomain),
        ( NewDomain == [] -> fail ; NewDomain = [Value] -> Y = Value ; put_attr(Y, domain, NewDomain) )
    ;   var(Y) -> put_attr(Y, domain, Domain)
    ;   ord_memberchk(Y, Domain)
    ).
attribute_goals(X) --> { get_attr(X, domain, List) }, [domain(X, List)].
%?- domain(X, [a, b]), X = c.
%?- domain(X, [a, b]), domain(X, [a, c]).
%?- domain(X, [a, b, c]), domain(X, [a, c]).
%?- domain(X, [a, b]), copy_term(X, Y, Gs), del_attr(X, domain), del_attr(Y, domain).
%?- freeze(X, Y = got(X)), X = 1.
%?- freeze(X, fail), X = 1.
%?- frozen(X, G).
%?- dif(f(X, Y), f(1, 2)), X = 1.
%?- dif(f(X, Y), f(1, 2)), X = 1, Y = 2.
%?- dif(X, Y), X = Y.
%?- when((nonvar(X) ; ground(Y)), Z = done), Y = 1.
%?- when(?=(X, Y), Z = decided), X = a, Y = b.
%?- put_attr(X, my, 1), get_attr(X, my, V), del_attr(X, my).
%?- put_attr(X, my, 1), \+ \+ ( put_attr(X, my, 2), get_attr(X, my, 2) ), get_attr(X, my, V), del_attr(X, my).
