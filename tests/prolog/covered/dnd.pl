modifier(Score, M) :- M is floor((Score - 10) / 2).
ability(Dice, Total) :- length(Dice, 4), msort(Dice, [_|Top]), sum_list(Top, Total).
hp(Con, HP) :- modifier(Con, M), HP is 10 + M.
