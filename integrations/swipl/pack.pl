name(gimlet).
version('0.1.0').
title('Concolic testing with Gimlet: goals that fail, tests that cover every clause').
keywords([testing, 'concolic testing', coverage]).
author('The Gimlet developers', 'gimlet@example.org').
requires(prolog >= '9.0.0').
