:- dynamic stock/2.
reset :- retractall(stock(_, _)).
add_item(Item, N) :- stock(Item, Old), !, retract(stock(Item, Old)), New is Old + N, assertz(stock(Item, New)).
add_item(Item, N) :- assertz(stock(Item, N)).
remove_item(Item, N) :- stock(Item, Old), Old >= N, !, retract(stock(Item, Old)), New is Old - N, ( New > 0 -> assertz(stock(Item, New)) ; true ).
remove_item(Item, _) :- throw(error(out_of_stock(Item), _)).
process([]).
process([buy(I, N)|Os]) :- add_item(I, N), process(Os).
process([sell(I, N)|Os]) :- remove_item(I, N), process(Os).
report(Os, Rs) :- reset, process(Os), findall(I-N, stock(I, N), Rs0), msort(Rs0, Rs).
