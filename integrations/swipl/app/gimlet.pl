/* `swipl gimlet file.pl [option ...]`, from SWI-Prolog 9.2 on: `gimlet test` with the same arguments.

   Not read as options of SWI-Prolog, so that there is one list of options: that of `gimlet test --help`.
*/

:- use_module(library(gimlet)).
:- use_module(library(main)).

:- initialization(main, main).

main(Argv) :-
    gimlet_command(Argv, Status),
    halt(Status).
