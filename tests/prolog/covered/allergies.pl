allergen(eggs, 1).
allergen(peanuts, 2).
allergen(shellfish, 4).
allergen(strawberries, 8).
allergen(tomatoes, 16).
allergen(chocolate, 32).
allergen(pollen, 64).
allergen(cats, 128).
allergic_to(Score, Allergy) :- allergen(Allergy, Bit), Score /\ Bit =\= 0.
allergies(Score, List) :- findall(A, allergic_to(Score, A), List).
