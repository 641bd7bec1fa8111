% Dates: time stamps, calendar dates, and their texts. The only time zone is UTC.
:- module('$dates', [ date_time_stamp/2, stamp_date_time/3, format_time/3, format_time/4, date_time_value/3 ]).

date_time_stamp(Date, _) :- var(Date), !, throw(error(instantiation_error, _)).
date_time_stamp(date(Y, Mo, D), Stamp) :- !, date_time_stamp(date(Y, Mo, D, 0, 0, 0, 0, -, -), Stamp).
date_time_stamp(date(Y, Mo, D, H, Mn, S, Off, Zone, Dst), Stamp) :- !,
    maplist(must_be(integer), [Y, Mo, D, H, Mn]), seconds(S),
    ( var(Off) -> West = 0 ; must_be(integer, Off), West = Off ),
    ( var(Zone) -> true ; must_be(atom, Zone) ),
    ( ( var(Dst) ; memberchk(Dst, [-, true, false]) ) -> true ; type_error(bool, Dst) ),
    days(Y, Mo, D, Days),
    Stamp0 is float(Days * 86400 + H * 3600 + Mn * 60 + West + S),
    Stamp = Stamp0.
date_time_stamp(Date, _) :- throw(error(type_error(time, Date), _)).

seconds(S) :- ( number(S) -> true ; must_be(float, S) ).

% The number of days since 1970-01-01. Month and day may be out of range. The algorithm's years begin in March.
days(Y0, M0, D, Days) :-
    Y1 is Y0 + (M0 - 1) div 12, M is (M0 - 1) mod 12 + 1,
    ( M =< 2 -> Y is Y1 - 1 ; Y = Y1 ),
    Era is Y div 400, OfEra is Y mod 400,
    OfYear is (153 * ((M + 9) mod 12) + 2) // 5 + D - 1,
    Days is Era * 146097 + OfEra * 365 + OfEra // 4 - OfEra // 100 + OfYear - 719468.
civil(Days, Y, M, D) :-
    Z is Days + 719468, Era is Z div 146097, OfEra is Z mod 146097,
    YearOfEra is (OfEra - OfEra // 1460 + OfEra // 36524 - OfEra // 146096) // 365,
    OfYear is OfEra - (365 * YearOfEra + YearOfEra // 4 - YearOfEra // 100),
    Mp is (5 * OfYear + 2) // 153,
    D is OfYear - (153 * Mp + 2) // 5 + 1,
    M is (Mp + 2) mod 12 + 1,
    ( M =< 2 -> Y is YearOfEra + Era * 400 + 1 ; Y is YearOfEra + Era * 400 ).

stamp_date_time(Stamp, Date, Zone) :-
    ( number(Stamp) -> true ; must_be(float, Stamp) ),
    ( var(Zone) -> Zone = local ; true ),
    zone(Zone, West, Name, Summer),
    Local is Stamp - West, Whole is floor(Local),
    Days is Whole div 86400, civil(Days, Y, Mo, D),
    OfDay is Whole mod 86400, H is OfDay // 3600, Mn is OfDay mod 3600 // 60,
    S is float(OfDay mod 60 + (Local - Whole)),
    Date = date(Y, Mo, D, H, Mn, S, West, Name, Summer).
zone('UTC', 0, 'UTC', -) :- !.
zone(local, 0, 'UTC', -) :- !.
zone(West, West, -, -) :- integer(West), !.
zone(Zone, _, _, _) :- atom(Zone), !, throw(error(domain_error(timezone, Zone), _)).
zone(Zone, _, _, _) :- throw(error(type_error(integer, Zone), _)).

date_time_value(year, date(Y, _, _, _, _, _, _, _, _), Y).
date_time_value(month, date(_, M, _, _, _, _, _, _, _), M).
date_time_value(day, date(_, _, D, _, _, _, _, _, _), D).
date_time_value(hour, date(_, _, _, H, _, _, _, _, _), H).
date_time_value(minute, date(_, _, _, _, M, _, _, _, _), M).
date_time_value(second, date(_, _, _, _, _, S, _, _, _), S).
date_time_value(utc_offset, date(_, _, _, _, _, _, O, _, _), O).
date_time_value(time_zone, date(_, _, _, _, _, _, _, Z, _), Z) :- Z \== (-).
date_time_value(daylight_saving, date(_, _, _, _, _, _, _, _, D), D) :- D \== (-).
date_time_value(date, date(Y, M, D, _, _, _, _, _, _), date(Y, M, D)).
date_time_value(time, date(_, _, _, H, M, S, _, _, _), time(H, M, S)).

format_time(Out, Format, When) :- format_time(Out, Format, When, posix).
format_time(Out, Format, When, _) :-
    (   var(When) -> throw(error(instantiation_error, _))
    ;   number(When) -> Stamp = When, stamp_date_time(When, Date, local)
    ;   date_time_stamp(When, Stamp),
        ( When = date(_, _, _, _, _, _, West, _, _), integer(West) -> true ; West = 0 ),
        ( West == 0 -> Zone = local ; Zone = West ),
        stamp_date_time(Stamp, Date, Zone)
    ),
    text_to_string(Format, Text), string_chars(Text, Chars),
    phrase(formatted(Chars, Date, Stamp), Codes),
    format(Out, "~s", [Codes]).

formatted([], _, _) --> [].
formatted(['%'|Cs], Date, Stamp) --> !, directive(Cs, Rest, Date, Stamp), formatted(Rest, Date, Stamp).
formatted([C|Cs], Date, Stamp) --> put("~w", [C]), formatted(Cs, Date, Stamp).

directive(['E'|Cs], Rest, Date, Stamp) --> !, directive(Cs, Rest, Date, Stamp).
directive(['O'|Cs], Rest, Date, Stamp) --> !, directive(Cs, Rest, Date, Stamp).
directive(['_'|Cs], Rest, Date, Stamp) --> !, directive(Cs, Rest, Date, Stamp).
directive([D, f|Cs], Cs, Date, _) --> { char_type(D, digit(N)) }, !, fraction(N, Date).
directive([C|Cs], Cs, Date, Stamp) --> field(C, Date, Stamp), !.
directive([C|Cs], Cs, _, _) --> put("%~w", [C]).
directive([], [], _, _) --> put("%", []).

put(Format, Args) --> { format(codes(Codes), Format, Args) }, list(Codes).
list([]) --> [].
list([C|Cs]) --> [C], list(Cs).
two(N) --> put("~|~`0t~d~2+", [N]).
spaced(N) --> put("~|~t~d~2+", [N]).
several(Format, Date, Stamp) --> { string_chars(Format, Cs) }, formatted(Cs, Date, Stamp).

field(a, Date, _) --> { weekday(Date, N), day_name(N, Name), sub_atom(Name, 0, 3, _, Short) }, put("~w", [Short]).
field('A', Date, _) --> { weekday(Date, N), day_name(N, Name) }, put("~w", [Name]).
field(b, date(_, M, _, _, _, _, _, _, _), _) --> { month_name(M, Name), sub_atom(Name, 0, 3, _, Short) }, put("~w", [Short]).
field(h, Date, Stamp) --> field(b, Date, Stamp).
field('B', date(_, M, _, _, _, _, _, _, _), _) --> { month_name(M, Name) }, put("~w", [Name]).
field(c, Date, Stamp) --> several("%a %b %e %H:%M:%S %Y", Date, Stamp).
field('C', date(Y, _, _, _, _, _, _, _, _), _) --> { C is Y // 100 }, two(C).
field(d, date(_, _, D, _, _, _, _, _, _), _) --> two(D).
field('D', Date, Stamp) --> several("%m/%d/%y", Date, Stamp).
field(e, date(_, _, D, _, _, _, _, _, _), _) --> spaced(D).
field(f, Date, _) --> fraction(6, Date).
field('F', Date, Stamp) --> several("%Y-%m-%d", Date, Stamp).
field(g, Date, _) --> { iso_week(Date, Y, _), G is Y mod 100 }, two(G).
field('G', Date, _) --> { iso_week(Date, Y, _) }, put("~d", [Y]).
field('V', Date, _) --> { iso_week(Date, _, W) }, two(W).
field('H', date(_, _, _, H, _, _, _, _, _), _) --> two(H).
field('I', date(_, _, _, H, _, _, _, _, _), _) --> { twelve(H, T) }, two(T).
field(j, Date, _) --> { day_of_year(Date, N) }, put("~|~`0t~d~3+", [N]).
field(k, date(_, _, _, H, _, _, _, _, _), _) --> spaced(H).
field(l, date(_, _, _, H, _, _, _, _, _), _) --> { twelve(H, T) }, spaced(T).
field(m, date(_, M, _, _, _, _, _, _, _), _) --> two(M).
field('M', date(_, _, _, _, M, _, _, _, _), _) --> two(M).
field(n, _, _) --> "\n".
field(p, date(_, _, _, H, _, _, _, _, _), _) --> ( { H < 12 } -> "AM" ; "PM" ).
field('P', date(_, _, _, H, _, _, _, _, _), _) --> ( { H < 12 } -> "am" ; "pm" ).
field(r, Date, Stamp) --> several("%I:%M:%S %p", Date, Stamp).
field('R', Date, Stamp) --> several("%H:%M", Date, Stamp).
field(s, _, Stamp) --> { S is floor(Stamp) }, put("~d", [S]).
field('S', date(_, _, _, _, _, S0, _, _, _), _) --> { S is floor(S0) }, two(S).
field(t, _, _) --> "\t".
field('T', Date, Stamp) --> several("%H:%M:%S", Date, Stamp).
field(u, Date, _) --> { weekday(Date, N) }, put("~d", [N]).
field(w, Date, _) --> { weekday(Date, N), W is N mod 7 }, put("~d", [W]).
field('U', Date, _) --> { day_of_year(Date, D), weekday(Date, N), W is (D + 6 - N mod 7) // 7 }, two(W).
field('W', Date, _) --> { day_of_year(Date, D), weekday(Date, N), W is (D + 6 - (N - 1)) // 7 }, two(W).
field(x, Date, Stamp) --> several("%m/%d/%y", Date, Stamp).
field('X', Date, Stamp) --> several("%H:%M:%S", Date, Stamp).
field(y, date(Y, _, _, _, _, _, _, _, _), _) --> { G is Y mod 100 }, two(G).
field('Y', date(Y, _, _, _, _, _, _, _, _), _) --> put("~d", [Y]).
field(z, Date, _) --> offset(Date, "").
field(':', Date, _) --> offset(Date, ":").
field('Z', date(_, _, _, _, _, _, _, Z, _), _) --> ( { Z == (-) } -> [] ; put("~w", [Z]) ).
field(+, Date, Stamp) --> several("%a %b %e %H:%M:%S %Y", Date, Stamp).
field('%', _, _) --> "%".

offset(date(_, _, _, _, _, _, West, _, _), Between) -->
    { ( West > 0 -> Sign = (-) ; Sign = (+) ), M is abs(West) // 60, H is M // 60, R is M mod 60 },
    put("~w", [Sign]), two(H), put("~w", [Between]), two(R).
fraction(N, date(_, _, _, _, _, S, _, _, _)) -->
    { F is truncate((S - floor(S)) * 10 ** N), format(string(Format), "~~|~~`0t~~d~~~d+", [N]) },
    put(Format, [F]).
twelve(H, T) :- T is (H + 11) mod 12 + 1.
weekday(date(Y, M, D, _, _, _, _, _, _), N) :- days(Y, M, D, Days), N is (Days + 3) mod 7 + 1.
day_of_year(date(Y, M, D, _, _, _, _, _, _), N) :- days(Y, M, D, A), days(Y, 1, 1, B), N is A - B + 1.
% The ISO week of a date: a week runs from Monday to Sunday and belongs to the year of its Thursday.
iso_week(Date, Year, Week) :-
    Date = date(Y, M, D, _, _, _, _, _, _), weekday(Date, N),
    days(Y, M, D, Days), Thursday is Days - N + 4, civil(Thursday, Year, _, _),
    days(Year, 1, 1, First), Week is (Thursday - First) // 7 + 1.
day_name(N, Name) :- nth1(N, ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'], Name).
month_name(N, Name) :-
    nth1(N, ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'], Name).
