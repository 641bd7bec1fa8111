:- module(gimlet,
          [ gimlet/0,
            gimlet/1,                   % +Program
            gimlet/2,                   % +Program, +Options
            gimlet_findings/2,          % +Program, -Findings
            gimlet_findings/3,          % +Program, -Findings, +Options
            gimlet_command/2            % +Arguments, -Status
          ]).
:- use_module(library(apply)).
:- use_module(library(error)).
:- use_module(library(filesex)).
:- use_module(library(http/json)).
:- use_module(library(lists)).
:- use_module(library(option)).
:- use_module(library(process)).
:- use_module(library(readutil)).

/** <module> Concolic testing from the toplevel

    ?- gimlet(family).                       % finds goals that raise errors or break declarations
    ?- gimlet(family, [write_tests(true)]).  % and writes family.plt, which load_test_files/1 loads
    ?- gimlet_findings(family, Findings).    % the goals as terms

`%!` comments, `:- mode` and `:- pred` are contracts: they say which arguments are given, and what must hold. All is
done by the program `gimlet`, which must be on the PATH; the environment variable `GIMLET` may name it instead.
*/

:- predicate_options(gimlet/2, 2, [write_tests(boolean), pass_to(gimlet_findings/3, 3)]).
:- predicate_options(gimlet_findings/3, 3,
                     [ function(any), goal(any), mode(any), coverage(atom), depth(integer), time(any), budget(any),
                       runs(integer), memory(any), jobs(integer), strategy(atom), allow(atom), seed(integer),
                       strict(boolean), verbose(boolean), fail_on(atom), baseline(any), exclude(any),
                       config(any), no_config(boolean), report(any), tests(atom), out(any), answers(integer),
                       term_depth(integer), explain(boolean)
                     ]).

%!  gimlet is semidet.
%
%   Tests the programs of the user that are loaded.
%
%   @throws existence_error(program, gimlet) if there is no such program.

gimlet :-
    findall(File, loaded_program(File), Files),
    (   Files == []
    ->  existence_error(program, user)
    ;   run(Files, [], [stdout(std)], Status),
        ended(Status)
    ).

loaded_program(File) :-
    source_file(File),
    file_name_extension(_, Ext, File),
    user:prolog_file_type(Ext, prolog),
    Ext \== plt,
    \+ source_file_property(File, load_context(_, _, [if(not_loaded)|_])),
    \+ is_system_file(File),
    exists_file(File).

is_system_file(File) :-
    (   current_prolog_flag(home, Home)
    ;   absolute_file_name(pack(.), Home, [file_type(directory), solutions(all), file_errors(fail)])
    ;   module_property(gimlet, file(Own)),
        file_directory_name(Own, Home)
    ),
    atom_concat(Home, _, File),
    !.

%!  gimlet(+Program) is semidet.
%!  gimlet(+Program, +Options:list) is semidet.
%
%   Tests a program: a file, with or without its extension, or a module that is loaded. Prints what is found, and
%   fails if something is. Options are those of `gimlet test`, as terms: time('10s'), strategy(random), strict(true).
%   With write_tests(true) unit tests are written beside the program, with the extension `plt`; reports and inputs are
%   kept in the directory `.gimlet` there, and the next run begins with them.
%
%   @throws existence_error(program, gimlet) if there is no such program.
%   @throws gimlet_error(Status) if gimlet could not do it; it has said why.

gimlet(Program) :-
    gimlet(Program, []).

gimlet(Program, Options) :-
    program_file(Program, File),
    select_option(write_tests(Writes), Options, Others, false),
    must_be(boolean, Writes),
    (   Writes == true
    ->  file_directory_name(File, Home),
        directory_file_path(Home, '.gimlet', Usual),
        select_option(out(Dir), Others, Rest, Usual),
        run([File], [out(Dir)|Rest], [stdout(std)], Status),
        place_tests(Dir, File)
    ;   run([File], Others, [stdout(std)], Status)
    ),
    ended(Status).

ended(exit(0)) :- !.
ended(exit(1)) :- !, fail.
ended(Status) :- throw(error(gimlet_error(Status), _)).

%!  gimlet_findings(+Program, -Findings:list) is det.
%!  gimlet_findings(+Program, -Findings:list, +Options:list) is det.
%
%   What `gimlet test` finds, as terms finding(Kind, Goal, Says): Kind is `crash`, `spec`, `timeout` and so on, Goal
%   can be called, and Says is what the toplevel tells of it.

gimlet_findings(Program, Findings) :-
    gimlet_findings(Program, Findings, []).

gimlet_findings(Program, Findings, Options) :-
    program_file(Program, File),
    run([File], [format(json)|Options], [stdout(pipe(Out))], Process-running),
    call_cleanup(json_read_dict(Out, Report, [value_string_as_atom(false)]), close(Out)),
    process_wait(Process, Status),
    (   memberchk(Status, [exit(0), exit(1)])
    ->  findall(Finding, finding(Report, Finding), Findings)
    ;   ended(Status)
    ).

finding(Report, finding(Kind, Goal, Says)) :-
    member(Unit, Report.units),
    member(Finding, Unit.findings),
    Finding.level \== "refusal",
    atom_string(Kind, Finding.kind),
    term_string(Goal, Finding.call),
    joined_text(Finding.says, "\n", Says).

joined_text(Lines, Separator, Text) :-
    atomic_list_concat(Lines, Separator, Atom),
    atom_string(Atom, Text).

%!  gimlet_command(+Arguments:list(atom), -Status:integer) is det.
%
%   `gimlet test` with the arguments of a command line, and its exit code.

gimlet_command(Arguments, Status) :-
    executable(Gimlet),
    process_create(Gimlet, [test|Arguments], [process(Process), stdout(std), stderr(std)]),
    process_wait(Process, Ended),
    (   Ended = exit(Status)
    ->  true
    ;   Ended = killed(Signal),
        Status is 128 + Signal
    ).

% The file of a program by its name, by its module, or without its extension.
program_file(Program, File) :-
    must_be(ground, Program),
    (   absolute_file_name(Program, File, [file_type(prolog), access(read), file_errors(fail)])
    ->  true
    ;   atom(Program),
        module_property(Program, file(File))
    ->  true
    ;   existence_error(source_sink, Program)
    ).

% Runs gimlet to its end, or gives the process that has its output.
run(Files, Options, Streams, Result) :-
    executable(Gimlet),
    maplist(argument, Options, Lists),
    append(Lists, Arguments),
    maplist(seen_from_here, Files, Paths),
    append([[test], Paths, Arguments], All),
    process_create(Gimlet, All, [process(Process), stderr(std)|Streams]),
    (   memberchk(stdout(pipe(_)), Streams)
    ->  Result = Process-running
    ;   process_wait(Process, Result)
    ).

% Reports name files as the command line does.
seen_from_here(File, Path) :-
    working_directory(Here, Here),
    (   atom_concat(Here, Path, File)
    ->  true
    ;   Path = File
    ).

% As the command line of gimlet spells an option.
argument(Option, Arguments) :-
    must_be(callable, Option),
    (   Option =.. [Name, Value]
    ->  atomic_list_concat(Words, '_', Name),
        atomic_list_concat(Words, -, Long),
        argument(Value, Long, Arguments)
    ;   type_error(option, Option)
    ).

argument(true, Long, [Argument]) :-
    !,
    atom_concat(--, Long, Argument).
argument(false, _, []) :- !.
argument(Kind=File, Long, [Argument]) :-
    !,
    format(atom(Argument), '--~w=~w=~w', [Long, Kind, File]).
argument(Value, Long, [Argument]) :-
    atomic(Value),
    !,
    format(atom(Argument), '--~w=~w', [Long, Value]).
argument(Value, Long, [Argument]) :-
    \+ \+ ( numbervars(Value, 0, _),
            format(atom(Argument), '--~w=~W', [Long, Value, [quoted(true), numbervars(true)]]),
            nb_setval(gimlet_argument, Argument)
          ),
    nb_getval(gimlet_argument, Argument).

% The program gimlet; it is asked for its version once.
:- dynamic known/1.

executable(Gimlet) :-
    named(Name),
    (   absolute_file_name(Name, Gimlet, [access(execute), file_errors(fail)])
    ->  true
    ;   absolute_file_name(path(Name), Gimlet, [access(execute), file_errors(fail)])
    ->  true
    ;   existence_error(program, Name)
    ),
    (   known(Gimlet)
    ->  true
    ;   check_version(Gimlet),
        assertz(known(Gimlet))
    ).

named(Name) :-
    (   getenv('GIMLET', Name),
        Name \== ''
    ->  true
    ;   Name = gimlet
    ).

% Releases with the same first two numbers know the same options.
check_version(Gimlet) :-
    setup_call_cleanup(
        process_create(Gimlet, ['--version'], [stdout(pipe(Out)), stderr(null), process(Process)]),
        read_string(Out, _, Said),
        close(Out)),
    process_wait(Process, _),
    own_version(Own),
    (   split_string(Said, " ", " \n", ["gimlet", Version|_])
    ->  series(Version, Series),
        series(Own, Expected),
        (   Series == Expected
        ->  true
        ;   Series @< Expected
        ->  throw(error(gimlet_version(Gimlet, Version, Own), _))
        ;   print_message(warning, gimlet_version(Gimlet, Version, Own))
        )
    ;   domain_error(gimlet_program, Gimlet)
    ).

own_version("0.1.0").

series(Version, Major-Minor) :-
    split_string(Version, ".", "", [A, B|_]),
    catch(( number_string(Major, A), number_string(Minor, B) ), _, fail),
    !.
series(_, 0-0).

% Puts the tests beside the program. They name it relative to where they were written.
place_tests(Dir, File) :-
    file_directory_name(File, Home),
    file_base_name(File, Name),
    file_name_extension(Base, _, Name),
    file_name_extension(Base, plt, Tests),
    directory_file_path(Dir, Tests, From),
    directory_file_path(Home, Tests, To),
    (   exists_file(From)
    ->  read_file_to_string(From, Text, [encoding(utf8)]),
        split_string(Text, "\n", "", Lines),
        maplist(moved(Name), Lines, Moved),
        atomic_list_concat(Moved, '\n', Changed),
        setup_call_cleanup(open(To, write, Out, [encoding(utf8)]), write(Out, Changed), close(Out)),
        print_message(informational, gimlet_tests(To))
    ;   true
    ).

moved(Name, Line, Moved) :-
    (   sub_string(Line, 0, _, _, ":- ensure_loaded(")
    ->  format(string(Moved), ":- ensure_loaded(~q).", [Name])
    ;   Moved = Line
    ).

:- multifile prolog:message//1, prolog:error_message//1.

prolog:message(gimlet_tests(File)) -->
    [ 'Tests: ~w; ?- load_test_files([]), run_tests.'-[File] ].
prolog:message(gimlet_version(Gimlet, Version, Own)) -->
    [ '~w is gimlet ~w, and library(gimlet) ~w was made for an older one'-[Gimlet, Version, Own] ].
prolog:error_message(gimlet_version(Gimlet, Version, Own)) -->
    [ '~w is gimlet ~w, and library(gimlet) ~w needs ~w or newer'-[Gimlet, Version, Own, Own] ].
prolog:error_message(gimlet_error(Status)) -->
    [ 'gimlet could not do it (~w), see above'-[Status] ].
prolog:error_message(existence_error(program, user)) -->
    [ 'No program of the user is loaded' ].
prolog:error_message(existence_error(program, Name)) -->
    { Name \== user },
    [ 'There is no program ~w'-[Name], nl,
      'Get gimlet from its releases, or build it with `cargo install --path crates/cli`, and put it on the PATH;', nl,
      'or say where it is in the environment: GIMLET=/path/to/gimlet'-[]
    ].
prolog:error_message(domain_error(gimlet_program, Gimlet)) -->
    [ '~w is not gimlet: it does not tell its version'-[Gimlet] ].
