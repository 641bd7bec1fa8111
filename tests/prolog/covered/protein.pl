translate(Rna, Proteins) :- string_chars(Rna, Cs), codons(Cs, Proteins), !.
codons([], []).
codons([A,B,C|_], []) :- stop([A,B,C]), !.
codons([A,B,C|T], [P|Ps]) :- codon([A,B,C], P), codons(T, Ps).
codon(['A','U','G'], methionine).
codon(['U','U',X], phenylalanine) :- member(X, ['U','C']).
codon(['U','U',X], leucine) :- member(X, ['A','G']).
codon(['U','C',_], serine).
stop(['U','A','A']).
stop(['U','A','G']).
stop(['U','G','A']).
