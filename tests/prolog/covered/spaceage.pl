space_age(Planet, Seconds, Age) :-
    orbital_period(Planet, Period),
    Age is Seconds / (31557600 * Period).
orbital_period("Mercury", 0.2408467).
orbital_period("Venus", 0.61519726).
orbital_period("Earth", 1.0).
orbital_period("Mars", 1.8808158).
