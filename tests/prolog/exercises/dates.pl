% Time stamps and calendars.
:- use_module(library(date)).
later(Text, Seconds, Out) :- parse_time(Text, Stamp), End is Stamp + Seconds, format_time(atom(Out), '%FT%T', End).
day(Y, M, D, Name) :- format_time(atom(Name), '%A', date(Y, M, D)).
%?- later('2011-04-25', 1000000000, T).
%?- later('2015-01-24T23:59:59', 1000000000, T).
%?- day(2024, 2, 29, N).
%?- date_time_stamp(date(2000, 1, 1, 0, 0, 0, 0, -, -), S).
%?- date_time_stamp(date(2023, 14, 35, 25, 61, 3.5, 0, -, -), S).
%?- date_time_stamp(date(1969, 12, 31), S).
%?- date_time_stamp(foo, S).
%?- date_time_stamp(_, S).
%?- stamp_date_time(0, D, 'UTC').
%?- stamp_date_time(1700000000.25, D, 'UTC').
%?- stamp_date_time(-1, D, 'UTC').
%?- stamp_date_time(1.0e9, D, 3600).
%?- stamp_date_time(a, D, 'UTC').
%?- format_time(atom(A), '%a %A %b %B %c %d %D %e %F', 1234567890).
%?- format_time(atom(A), '%H %I %j %k %l %m %M %p %r %R %S %T', 1234567890).
%?- format_time(atom(A), '%u %w %U %W %V %G %g %y %Y %C %%', 1234567890).
%?- format_time(atom(A), '%s %z %Z %h %n%t.', 1234567890).
%?- format_time(string(A), "%3f %f", 1234567890.125).
%?- format_time(atom(A), '%V %G', date(2021, 1, 3)).
%?- format_time(codes(A), '%d', 0).
%?- format_time(atom(A), '%d', _).
%?- day_of_the_week(date(2024, 2, 29), N).
%?- date_time_value(year, date(2024, 2, 29, 1, 2, 3.0, 0, -, -), Y).
%?- stamp_date_time(0, D, 'UTC'), date_time_value(K, D, V).
