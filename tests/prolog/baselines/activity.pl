% What to do on a day, by weather, budget and company.
advise(Weather, Budget, Company, Activity) :-
    place(Weather, Place),
    price(Budget, Price),
    group(Company, Group),
    activity(Place, Price, Group, Activity).
place(sun, outside).
place(wind, outside).
place(clouds, either).
place(rain, inside).
place(snow, inside).
price(none, free).
price(little, cheap).
price(much, dear).
group(alone, one).
group(partner, two).
group(friends, many).
group(family, many).
activity(outside, free, one, run).
activity(outside, free, two, walk).
activity(outside, free, many, football).
activity(outside, cheap, one, swim).
activity(outside, cheap, _, picnic).
activity(outside, dear, _, sailing).
activity(either, free, _, chess).
activity(either, cheap, _, bowling).
activity(either, dear, _, climbing).
activity(inside, free, one, read).
activity(inside, free, _, games).
activity(inside, cheap, _, museum).
activity(inside, dear, one, opera).
activity(inside, dear, _, theatre).
