%% Programs about files. Each works in a directory of its own and returns a term that must be the
%% same on BEAM.
-module(files).
-compile([export_all, nowarn_export_all]).
-include_lib("kernel/include/file.hrl").

tests() ->
    [whole_files, errors, modes, exclusive, appending, lines, characters, positions, at_places,
     many_places, raw_lines, raw_modes, raw_owner, read_ahead, delayed_write, encodings, bad_utf8,
     binary_mode, latin1, writing_wide, formatted, formatted_reading, terms_of_a_device, line_input,
     consulting, consulting_errors, evaluating, scripts, copies, copied_parts, truncated, allocated,
     synced, advised, directories, removed, removed_trees, renamed, links, infos, times, permissions,
     wildcards, folds, ensured, sizes, working_directory, absolute_names, names_of_files,
     strange_names, closed_files, dead_owners, device_protocol, two_readers, memory_files, memory_positions, compressed, streams, dictionaries, compiled, compiled_errors, disk_tables, disk_tables_again, logs, sorted,
     tables_in_files, archives, beam_chunks, searched, other_kinds, many_open, large,
     info_of_processes].

%% Where a program works.

in(Work) ->
    Dir = fresh(1),
    try Work(Dir)
    after ok = file:del_dir_r(Dir)
    end.

fresh(N) ->
    Dir = "/tmp/gimlet_files_" ++ integer_to_list(N),
    case file:make_dir(Dir) of
        ok -> Dir;
        {error, eexist} -> fresh(N + 1)
    end.

in_file(Bytes, Work) ->
    in(fun(Dir) ->
               Name = filename:join(Dir, "file"),
               ok = file:write_file(Name, Bytes),
               Work(Name)
       end).

opened(Bytes, Modes, Work) ->
    in_file(Bytes, fun(Name) ->
                           {ok, Device} = file:open(Name, Modes),
                           Result = Work(Device),
                           {Result, file:close(Device), file:read_file(Name)}
                   end).

caught(Work) ->
    try Work() catch Class:Why -> {Class, Why} end.

%% Names of the directory have no place in a result.
told(Dir, Names) -> [string:prefix(Name, Dir) || Name <- lists:sort(Names)].

whole_files() ->
    in(fun(D) ->
               F = D ++ "/a",
               [file:read_file(F), file:write_file(F, ["ab", <<"c">>, [$d]]), file:read_file(F),
                file:write_file(F, <<"new">>, [append]), file:read_file(list_to_binary(F)),
                file:write_file(F, "x", [exclusive]), file:write_file(F, [unicode:characters_to_binary("é")]),
                file:read_file(F), file:write_file(F, [256]), file:write_file(F, not_bytes)]
       end).

errors() ->
    in(fun(D) ->
               ok = file:write_file(D ++ "/f", ""),
               [file:open(D ++ "/none", [read]), file:open(D, [read]), file:open(D, [write]),
                file:open(D ++ "/f/x", [write]), file:read_file(D), file:list_dir(D ++ "/f"),
                file:open(D ++ "/none/x", [write]), file:make_dir(D), file:del_dir(D ++ "/none"),
                file:delete(D), file:delete(D ++ "/none"), file:open("", [read]),
                file:open({a, b}, [read]), file:open(D ++ "/f", what),
                file:read_file([$a, 0, $b]), file:open(D ++ [0], [read]), file:read_file(12),
                file:rename(D ++ "/none", D ++ "/new"), file:make_link(D ++ "/none", D ++ "/l"),
                file:read_link(D ++ "/f"), file:read_file_info(D ++ "/none"), file:set_cwd(D ++ "/f"),
                file:set_cwd(D ++ "/none"), file:consult(D ++ "/none"), file:altname(D ++ "/f"),
                file:format_error(enoent), file:format_error({3, erl_parse, ["bad"]})]
       end).

modes() ->
    [opened("0123456789", Modes,
            fun(F) -> [file:read(F, 3), file:write(F, "ab"), file:read(F, 2), file:position(F, cur)] end)
     || Modes <- [[read], [write], [read, write], [append], [read, append], [], [binary],
                  [read, binary, raw], [write, raw], [read, write, raw], [raw, append, read]]].

exclusive() ->
    in(fun(D) ->
               F = D ++ "/f",
               {ok, A} = file:open(F, [exclusive]),
               [file:write(A, "x"), file:close(A), file:open(F, [write, exclusive]), file:read_file(F)]
       end).

appending() ->
    opened("begin", [append],
           fun(F) -> [file:write(F, "1"), file:position(F, bof), file:write(F, "2"), file:pwrite(F, 0, "3")] end).

lines() ->
    opened("one\ntwo\r\n\nlast", [read],
           fun(F) -> [file:read_line(F) || _ <- lists:seq(1, 6)] end).

characters() ->
    opened("abc\ndef", [read, write],
           fun(F) -> [io:get_chars(F, '', 2), io:get_chars(F, prompt, 4), io:get_chars(F, '', 9),
                      io:get_chars(F, '', 1), io:put_chars(F, "end"), io:nl(F)] end).

positions() ->
    opened("0123456789", [read, write],
           fun(F) -> [file:position(F, P) || P <- [3, cur, {cur, 2}, {cur, -4}, eof, {eof, -2}, bof,
                                                   {bof, 5}, {bof, -1}, {eof, -100}, {cur, -6}, 100,
                                                   {what, 1}, nowhere, -1]]
                         ++ [file:write(F, "x"), file:position(F, cur)] end).

at_places() ->
    [opened("0123456789", [read, write | M],
            fun(F) -> [file:pread(F, 2, 3), file:pread(F, 8, 9), file:pread(F, 10, 1), file:pread(F, 0, 0),
                       file:pwrite(F, 4, "ab"), file:pwrite(F, 12, "z"), file:pread(F, -1, 2),
                       file:pwrite(F, -1, "x"), file:pread(F, a, 2), file:read(F, 4)] end)
     || M <- [[], [raw], [binary], [raw, binary]]].

many_places() ->
    [opened("0123456789", [read, write | M],
            fun(F) -> [file:pread(F, [{0, 2}, {8, 5}, {20, 1}]), file:pread(F, []),
                       file:pwrite(F, [{1, "x"}, {3, ["y", <<"z">>]}]), file:pwrite(F, [{0, "a"}, {-1, "b"}]),
                       file:pread(F, [{0, 1}, {-1, 1}])] end)
     || M <- [[], [raw, binary]]].

raw_lines() ->
    [opened("one\ntwo\r\n\nlast", [read, raw | M],
            fun(F) -> [file:read_line(F) || _ <- lists:seq(1, 6)] end)
     || M <- [[], [binary], [read_ahead], [{read_ahead, 2}]]].

raw_modes() ->
    [opened(<<"0123456789">>, [raw | M],
            fun(F) -> [file:read(F, 0), file:read(F, 4), file:read(F, 100), file:read(F, 1), file:write(F, "ab"),
                       file:position(F, 0), file:read(F, 2), file:read(F, -1), catch file:read(F, a)] end)
     || M <- [[read], [read, binary], [write], [read, write, binary], [read, binary, read_ahead],
              [read, write, {read_ahead, 3}], [write, {delayed_write, 10, 1000}]]].

raw_owner() ->
    in_file("abc",
            fun(Name) ->
                    {ok, F} = file:open(Name, [raw, read]),
                    Self = self(),
                    spawn(fun() -> Self ! (catch file:read(F, 1)) end),
                    receive {'EXIT', {Why, _}} -> {Why, file:read(F, 1)}; Other -> Other end
            end).

read_ahead() ->
    opened("0123456789abcdefghij", [raw, read, write, binary, {read_ahead, 5}],
           fun(F) -> [file:read(F, 2), file:position(F, cur), file:read(F, 2), file:write(F, "XY"),
                      file:position(F, {cur, 1}), file:read(F, 3), file:pread(F, 0, 3), file:read(F, 30)] end).

delayed_write() ->
    in(fun(D) ->
               F = D ++ "/f",
               {ok, A} = file:open(F, [write, raw, {delayed_write, 5, 2000}]),
               R = [file:write(A, "abc"), file:read_file(F), file:write(A, "def"), file:read_file(F),
                    file:write(A, "g"), file:sync(A), file:read_file(F), file:write(A, "h"),
                    file:position(A, cur), file:close(A), file:read_file(F)],
               {ok, B} = file:open(F, [write, delayed_write]),
               R ++ [io:put_chars(B, "more"), file:close(B), file:read_file(F)]
       end).

encodings() ->
    [in(fun(D) ->
                F = D ++ "/f",
                {ok, A} = file:open(F, [write, {encoding, E}]),
                R = [io:put_chars(A, [16#E5, 16#3B1, 16#1F600]), io:setopts(A, [{encoding, latin1}]),
                     io:put_chars(A, [16#E5]), io:getopts(A), file:close(A), file:read_file(F)],
                {ok, B} = file:open(F, [read, {encoding, E}]),
                R ++ [io:get_chars(B, '', 3), file:position(B, 0), file:read(B, 100), file:close(B)]
        end)
     || E <- [utf8, latin1, utf16, {utf16, little}, {utf16, big}, utf32, {utf32, little}, unicode]].

bad_utf8() ->
    opened(<<"ab", 16#FF, "cd\n">>, [read, {encoding, utf8}],
           fun(F) -> [io:get_line(F, ''), file:read_line(F), io:getopts(F), io:setopts(F, [{encoding, latin1}]),
                      file:position(F, 0), io:get_line(F, '')] end).

binary_mode() ->
    opened(unicode:characters_to_binary("åäö\nline\n"), [read, binary, {encoding, utf8}],
           fun(F) -> [io:get_line(F, ''), io:setopts(F, [list]), io:get_line(F, ''), io:get_line(F, ''),
                      lists:sort(io:getopts(F))] end).

latin1() ->
    opened(<<"a", 228, "\n">>, [read, write, binary],
           fun(F) -> [file:read_line(F), file:write(F, [246]), catch file:write(F, [1000]),
                      io:put_chars(F, latin1, <<229>>), file:position(F, 0), io:get_line(F, '')] end).

writing_wide() ->
    opened("", [write],
           fun(F) -> [catch io:put_chars(F, [1024]), catch io:format(F, "~ts", [[1024]]),
                      io:format(F, "~w", [[1024]]), file:write(F, <<1, 2, 3>>), io:write(F, {a, "b"})] end).

formatted() ->
    opened("", [write, {encoding, utf8}],
           fun(F) -> [io:format(F, "~p ~ts ~6.2f~n", [{a, [1, 2]}, "åß", 3.14159]), io:fwrite(F, "~s", ["x"]),
                      io:nl(F), caught(fun() -> io:format(F, "~d", [1]) end), io:write(F, #{a => 1})] end).

formatted_reading() ->
    opened("12 abc 3.5 'x y' {t,1}.\nrest", [read],
           fun(F) -> [io:fread(F, '', "~d ~s ~f"), io:fread(F, '', "~a"), io:get_line(F, ''),
                      io:fread(F, '', "~s"), io:fread(F, '', "~s")] end).

terms_of_a_device() ->
    opened("{a,1}. [x|y].\nfoo(. ok.\nX = 1 + 2.", [read],
           fun(F) -> [io:read(F, ''), io:read(F, '', 1), io:read(F, ''), io:read(F, ''), io:parse_erl_exprs(F, ''),
                      io:read(F, ''), io:scan_erl_exprs(F, '')] end).

line_input() ->
    opened("a\nbb\n\nccc", [read],
           fun(F) -> lines_of(F, 1) end).

lines_of(F, N) ->
    case io:get_line(F, '') of
        eof -> [eof];
        Line -> [{N, Line} | lines_of(F, N + 1)]
    end.

consulting() ->
    in_file("{a, 1}.\n[1,2|3]. %% comment\n\"text\". #{k => v}.\n<<1,2>>.",
            fun(Name) -> [file:consult(Name), file:path_consult([filename:dirname(Name)], "none"),
                          element(1, file:path_consult(["/none", filename:dirname(Name)], "file"))] end).

consulting_errors() ->
    [in_file(Text, fun(Name) -> file:consult(Name) end)
     || Text <- ["", "a", "a b.", "{a,.", "'x", "ok.\n{", "f().", <<"%% coding: latin-1\n\"", 228, "\".\n">>,
                 <<"%% coding: utf-8\n\"", 228, "\".\n">>, <<"\"", 195, 164, "\".\n">>]].

evaluating() ->
    in(fun(D) ->
               F = D ++ "/e",
               ok = file:write_file(F, "X = 1,\nY = X + 1.\nput(evaluated, Y).\n"),
               R = [file:eval(F), get(evaluated), file:eval(F, [{'Z', 1}])],
               ok = file:write_file(F, "error(here).\n"),
               R ++ [shorter(catch file:eval(F))]
       end).

shorter({error, {Line, file_eval, {error, Why, _}}}) -> {Line, Why};
shorter({error, {Line, Module, {Class, Why, Stack}}}) when is_list(Stack) -> {Line, Module, Class, Why};
shorter(Other) -> Other.

scripts() ->
    [in_file(Text, fun(Name) -> shorter(file:script(Name)) end)
     || Text <- ["A = 1, B = 2.\nA + B.\n", "lists:seq(1, 3).", "x", "X.", "error(a)."]]
        ++ [in_file("A + 1.", fun(Name) -> file:script(Name, [{'A', 41}]) end)].

copies() ->
    in(fun(D) ->
               [A, B] = [D ++ "/a", D ++ "/b"],
               ok = file:write_file(A, lists:duplicate(1000, "0123456789")),
               [file:copy(A, B), file:copy(A, B, 25), file:read_file(B), file:copy(D ++ "/none", B),
                file:copy({A, [read]}, {B, [append]}, 5), file:read_file(B), file:copy(A, D)]
       end).

copied_parts() ->
    in(fun(D) ->
               [A, B] = [D ++ "/a", D ++ "/b"],
               ok = file:write_file(A, "0123456789"),
               {ok, F} = file:open(A, [read, binary]),
               {ok, G} = file:open(B, [raw, write]),
               [file:position(F, 3), file:copy(F, G, 4), file:copy(F, G), file:close(F), file:close(G),
                file:read_file(B)]
       end).

truncated() ->
    [opened("0123456789", [read, write | M],
            fun(F) -> [file:position(F, 4), file:truncate(F), file:read(F, 1), file:position(F, 6), file:truncate(F)] end)
     || M <- [[], [raw]]] ++ [opened("abc", [read, raw], fun file:truncate/1)].

allocated() ->
    opened("abc", [read, write, raw],
           fun(F) -> [file:allocate(F, 0, 10), file:allocate(F, -1, 1), file:position(F, eof)] end).

synced() ->
    opened("abc", [read, write],
           fun(F) -> [file:write(F, "x"), file:sync(F), file:datasync(F)] end).

advised() ->
    opened("abc", [read, raw],
           fun(F) -> [file:advise(F, 0, 1, A) || A <- [normal, sequential, random, no_reuse, will_need, dont_need, what]]
                         ++ [file:advise(F, -1, 1, normal)] end).

directories() ->
    in(fun(D) ->
               [ok = file:make_dir(D ++ "/" ++ N) || N <- ["a", "b"]],
               ok = file:write_file(D ++ "/c", ""),
               {ok, Names} = file:list_dir(D),
               {ok, All} = file:list_dir_all(D),
               [lists:sort(Names), lists:sort(All), file:list_dir(D ++ "/a"), file:del_dir(D), file:del_dir(D ++ "/a"),
                file:del_dir(D ++ "/c"), file:make_dir(D ++ "/x/y"), file:make_dir(D ++ "/b/"), file:list_dir_all("")]
       end).

removed() ->
    in(fun(D) ->
               F = D ++ "/f",
               ok = file:write_file(F, "abc"),
               {ok, A} = file:open(F, [read]),
               [file:delete(F), file:read(A, 2), file:delete(F), file:close(A), file:delete(F, [raw])]
       end).

removed_trees() ->
    in(fun(D) ->
               ok = filelib:ensure_dir(D ++ "/a/b/c/"),
               ok = file:write_file(D ++ "/a/b/f", "x"),
               ok = file:make_symlink(D, D ++ "/a/b/link"),
               [file:del_dir_r(D ++ "/a"), filelib:is_dir(D), file:del_dir_r(D ++ "/a")]
       end).

renamed() ->
    in(fun(D) ->
               [A, B] = [D ++ "/a", D ++ "/b"],
               ok = file:write_file(A, "1"),
               R = [file:rename(A, B), file:read_file(A), file:read_file(B), file:rename(B, D ++ "/x/y")],
               ok = file:make_dir(A),
               ok = file:make_dir(D ++ "/full"),
               ok = file:write_file(D ++ "/full/f", ""),
               R ++ [file:rename(B, A), file:rename(A, B), file:rename(A, D ++ "/full"), file:rename(A, A ++ "/in")]
       end).

links() ->
    in(fun(D) ->
               [A, S, H] = [D ++ "/a", D ++ "/s", D ++ "/h"],
               ok = file:write_file(A, "abc"),
               R = [file:make_symlink("a", S), file:make_link(A, H), file:read_link(S), file:read_link_all(S),
                    file:read_link(A), file:read_file(S), file:make_symlink("a", S)],
               {ok, I} = file:read_link_info(S),
               {ok, J} = file:read_file_info(S),
               {ok, K} = file:read_file_info(H),
               R ++ [I#file_info.type, J#file_info.type, K#file_info.links, file:delete(A), file:read_file(S),
                     file:read_file(H), element(1, file:read_link_info(S)), file:read_file_info(S)]
       end).

infos() ->
    in_file("hello",
            fun(F) ->
                    {ok, I} = file:read_file_info(F),
                    {ok, J} = file:read_file_info(filename:dirname(F)),
                    {ok, K} = file:read_file_info(F, [{time, posix}]),
                    {ok, L} = file:read_file_info(F, [raw, {time, universal}]),
                    {ok, M} = file:read_file_info("/dev/null"),
                    [I#file_info.size, I#file_info.type, I#file_info.access, I#file_info.mode band 8#777,
                     I#file_info.links, J#file_info.type, is_integer(K#file_info.mtime),
                     calendar:system_time_to_universal_time(K#file_info.mtime, second) =:= L#file_info.mtime,
                     tuple_size(I), M#file_info.type, I#file_info.uid =:= J#file_info.uid]
            end).

times() ->
    in_file("x",
            fun(F) ->
                    T = {{2001, 2, 3}, {4, 5, 6}},
                    R = [file:change_time(F, T), filelib:last_modified(F) =:= T, file:change_time(F, {{2000, 1, 1}, {0, 0, 0}}, T),
                         file:write_file_info(F, #file_info{mtime = 1000000000, atime = 5}, [{time, posix}])],
                    {ok, I} = file:read_file_info(F, [{time, posix}]),
                    R ++ [I#file_info.mtime, I#file_info.atime, file:change_time(F ++ "x", T), file:change_time(F, bad)]
            end).

permissions() ->
    in_file("x",
            fun(F) ->
                    Mode = fun() -> {ok, I} = file:read_file_info(F), I#file_info.mode band 8#7777 end,
                    [file:change_mode(F, 8#600), Mode(), file:change_mode(F, 8#4711), Mode(), file:change_mode(F ++ "x", 8#600),
                     file:write_file_info(F, #file_info{mode = 8#444}), Mode(), file:change_group(F, 0), file:change_owner(F ++ "x", 0)]
            end).

wildcards() ->
    in(fun(D) ->
               [ok = file:write_file(D ++ "/" ++ N, "") || N <- ["a.erl", "b.erl", "c.hrl", ".hidden", "x1", "x2"]],
               ok = filelib:ensure_dir(D ++ "/sub/deep/"),
               ok = file:write_file(D ++ "/sub/d.erl", ""),
               ok = file:write_file(D ++ "/sub/deep/e.erl", ""),
               [filelib:wildcard(P, D) || P <- ["*", "*.erl", "*.{erl,hrl}", "x[12]", "x[3-9]", "?.hrl", "**/*.erl", "sub/*", "none*",
                                                "sub/**", ".*", "{a,b}.erl", "*/deep/*"]]
                   ++ [told(D, filelib:wildcard(D ++ "/*.erl")), caught(fun() -> filelib:wildcard("{a", D) end)]
       end).

folds() ->
    in(fun(D) ->
               ok = filelib:ensure_dir(D ++ "/s/t/x"),
               [ok = file:write_file(D ++ N, "1") || N <- ["/a.txt", "/b.dat", "/s/c.txt", "/s/t/d.txt"]],
               [told(D, filelib:fold_files(D, ".*\\.txt$", R, fun(F, A) -> [F | A] end, [])) || R <- [true, false]]
       end).

ensured() ->
    in(fun(D) ->
               [filelib:ensure_dir(D ++ "/a/b/c"), filelib:is_dir(D ++ "/a/b"), filelib:is_dir(D ++ "/a/b/c"),
                filelib:ensure_path(D ++ "/p/q"), filelib:is_dir(D ++ "/p/q"), file:write_file(D ++ "/f", ""),
                filelib:ensure_dir(D ++ "/f/x/y"), filelib:ensure_dir(D ++ "/a/")]
       end).

sizes() ->
    in_file("12345",
            fun(F) -> D = filename:dirname(F),
                      [filelib:file_size(F), filelib:file_size(D ++ "/none"), filelib:is_file(F), filelib:is_file(D),
                       filelib:is_regular(F), filelib:is_regular(D), filelib:is_dir(F), filelib:last_modified(D ++ "/none"),
                       is_tuple(filelib:last_modified(F))] end).

working_directory() ->
    {ok, Before} = file:get_cwd(),
    R = in(fun(D) ->
                   ok = file:set_cwd(D),
                   {ok, Here} = file:get_cwd(),
                   ok = file:write_file("f", "x"),
                   ok = file:make_dir("sub"),
                   X = [Here =:= D, file:read_file(D ++ "/f"), filelib:is_file("f"), file:set_cwd("sub"), file:read_file("../f"),
                        filename:absname("z") =:= D ++ "/sub/z", file:set_cwd(".."), lists:sort(element(2, file:list_dir("."))),
                        filelib:wildcard("*"), file:get_cwd() =:= {ok, D}, file:del_dir("."), catch file:set_cwd(1)],
                   ok = file:set_cwd(Before),
                   X
           end),
    {R, file:get_cwd() =:= {ok, Before}}.

absolute_names() ->
    {ok, Here} = file:get_cwd(),
    [filename:absname("a") =:= filename:join(Here, "a"), filename:absname("/x/../y"), filename:absname("b", "/c"),
     filename:absname(<<"a">>) =:= list_to_binary(filename:join(Here, "a"))].

names_of_files() ->
    in(fun(D) ->
               Names = ["with space", "åäö", [16#4E2D], "a'b\"c", "-dash", "tab\there"],
               R = [file:write_file(filename:join(D, N), N, []) || N <- Names, lists:all(fun(C) -> C < 256 end, N)],
               ok = file:write_file(filename:join(D, [16#4E2D]), "wide"),
               {ok, Found} = file:list_dir(D),
               {R, lists:sort(Found) =:= lists:sort(Names), file:read_file(filename:join(list_to_binary(D), <<"åäö"/utf8>>)),
                file:native_name_encoding()}
       end).

strange_names() ->
    in(fun(D) ->
               F = <<(list_to_binary(D))/binary, "/", 255, 254>>,
               R = [file:write_file(F, "raw"), file:read_file(F), element(1, file:read_file_info(F))],
               {ok, All} = file:list_dir_all(D),
               R ++ [All, file:delete(F)]
       end).

closed_files() ->
    in_file("abc",
            fun(Name) ->
                    {ok, F} = file:open(Name, [read]),
                    ok = file:close(F),
                    {ok, R} = file:open(Name, [read, raw]),
                    ok = file:close(R),
                    [file:close(F), file:read(F, 1), catch io:get_line(F, ''), file:position(F, 0), file:read(R, 1), file:close(R),
                     file:position(R, 0), file:read(not_a_file, 1), file:close({a, b}), file:read_line(R), is_process_alive(F)]
            end).

dead_owners() ->
    in_file("abc",
            fun(Name) ->
                    Self = self(),
                    {P, M} = spawn_monitor(fun() -> {ok, F} = file:open(Name, [read]), Self ! {file, F} end),
                    receive {file, F} -> ok end,
                    receive {'DOWN', M, process, P, _} -> ok end,
                    N = monitor(process, F),
                    receive {'DOWN', N, process, F, Why} when Why =:= noproc; Why =:= normal -> ok end,
                    file:read(F, 1)
            end).

device_protocol() ->
    opened("line1\nline2\n", [read, write],
           fun(F) ->
                   Ask = fun(Request) ->
                                 Ref = make_ref(),
                                 F ! {io_request, self(), Ref, Request},
                                 receive {io_reply, Ref, Reply} -> Reply after 1000 -> none end
                         end,
                   [Ask(R) || R <- [{get_line, latin1, ''}, {get_chars, unicode, '', 3}, {put_chars, unicode, "x"},
                                    {put_chars, latin1, io_lib, format, ["~p", [a]]}, getopts, {setopts, [binary]},
                                    {requests, [{put_chars, latin1, "1"}, {put_chars, latin1, "2"}]}, {get_geometry, rows}, nonsense,
                                    {get_until, unicode, '', io_lib, collect_line, [x]}]]
           end).

two_readers() ->
    opened("1\n2\n3\n4\n", [read],
           fun(F) ->
                   Self = self(),
                   [spawn(fun() -> Self ! {line, io:get_line(F, '')} end) || _ <- [1, 2]],
                   lists:sort([receive {line, L} -> L end || _ <- [1, 2]]) ++ [io:get_line(F, '')]
           end).

compressed() ->
    in(fun(D) ->
               F = D ++ "/f.gz",
               {ok, A} = file:open(F, [write, compressed]),
               R = [file:write(A, "hello "), io:put_chars(A, "world\nmore"), file:close(A)],
               {ok, <<31, 139, _/binary>> = Bytes} = file:read_file(F),
               {ok, B} = file:open(F, [read, compressed]),
               S = [io:get_line(B, ''), file:read(B, 2), file:position(B, 0), file:read(B, 5), file:close(B)],
               {R, S, zlib:gunzip(Bytes)}
       end).

%% How data is packed differs, what comes out does not.
streams() ->
    Data = binary:copy(<<"some text that repeats, ">>, 500),
    [begin
         Z = zlib:open(),
         ok = zlib:deflateInit(Z, Level, deflated, Bits, 8, default),
         A = zlib:deflate(Z, binary:part(Data, 0, 1000)),
         B = zlib:deflate(Z, binary:part(Data, 1000, 5000), sync),
         C = zlib:deflate(Z, binary:part(Data, 6000, byte_size(Data) - 6000), finish),
         Crc = zlib:crc32(Z),
         ok = zlib:deflateEnd(Z),
         Packed = iolist_to_binary([A, B, C]),
         ok = zlib:inflateInit(Z, Bits),
         {First, Rest} = split_binary(Packed, 20),
         X = zlib:inflate(Z, First),
         Y = zlib:inflate(Z, Rest),
         Crc2 = zlib:crc32(Z),
         ok = zlib:inflateEnd(Z),
         R = [caught(fun() -> zlib:inflate(Z, First) end), zlib:close(Z), caught(fun() -> zlib:close(Z) end)],
         {Crc, Crc2, iolist_to_binary([X, Y]) =:= Data, R}
     end || {Level, Bits} <- [{default, 15}, {9, -15}, {1, 31}, {none, -15}, {best_speed, 15}]]
        ++ [caught(fun() -> zlib:gunzip(<<"nonsense">>) end), caught(fun() -> inflated(<<120, 156, 1, 2, 3>>, 15) end),
            caught(fun() -> inflated(<<"nonsense">>, 15) end), caught(fun() -> inflated(zlib:gzip("x"), 15) end),
            caught(fun() -> inflated(zlib:gzip("either"), 47) end), caught(fun() -> inflated(zlib:compress("either"), 47) end),
            caught(fun() -> inflated(<<(zlib:compress("cut"))/binary, "more">>, 15) end)].

inflated(Bytes, Bits) ->
    Z = zlib:open(),
    ok = zlib:inflateInit(Z, Bits),
    Out = zlib:inflate(Z, Bytes),
    {iolist_to_binary(Out), caught(fun() -> zlib:inflateEnd(Z) end)}.

dictionaries() ->
    Dictionary = <<"words that both sides know beforehand">>,
    Z = zlib:open(),
    ok = zlib:deflateInit(Z),
    Sum = zlib:deflateSetDictionary(Z, Dictionary),
    Packed = iolist_to_binary(zlib:deflate(Z, "both sides know these words", finish)),
    ok = zlib:deflateEnd(Z),
    ok = zlib:inflateInit(Z),
    {need_dictionary, Sum, []} = zlib:inflate(Z, Packed, [{exception_on_need_dict, false}]),
    Bad = caught(fun() -> zlib:inflateSetDictionary(Z, "others") end),
    ok = zlib:inflateSetDictionary(Z, Dictionary),
    {Sum, Bad, iolist_to_binary(zlib:inflate(Z, [])), zlib:inflateEnd(Z), zlib:close(Z)}.

memory_files() ->
    {ok, F} = file:open("abcdef", [ram, read, write, binary]),
    [file:read(F, 2), file:write(F, "XY"), file:read(F, 9), file:read(F, 1), file:position(F, 0), file:read(F, 6),
     ram_file:get_size(F), file:pread(F, 1, 2), file:pwrite(F, 8, "end"), ram_file:get_file(F), file:truncate(F),
     file:sync(F), file:close(F), file:read(F, 1)].

memory_positions() ->
    {ok, F} = file:open(<<"0123456789">>, [ram, read]),
    R = [file:position(F, P) || P <- [3, cur, {cur, 2}, {eof, -2}, bof, {bof, -1}]],
    R ++ [file:read(F, 3), file:write(F, "x"), file:pread(F, [{0, 2}, {9, 5}, {20, 1}]), file:close(F)].

compiled() ->
    in(fun(D) ->
               F = D ++ "/gimlet_made.erl",
               ok = file:write_file(F, "-module(gimlet_made).\n-export([f/1, g/0]).\n-include(\"h.hrl\").\n"
                                       "f(X) -> X + ?ONE.\ng() -> ?FILE.\n"),
               ok = file:write_file(D ++ "/h.hrl", "-define(ONE, 1).\n"),
               R = [compile:file(F, [{outdir, D}, debug_info]), filelib:is_file(D ++ "/gimlet_made.beam"),
                    code:load_abs(D ++ "/gimlet_made"), gimlet_made:f(41), filename:basename(gimlet_made:g())],
               {ok, Bytes} = file:read_file(D ++ "/gimlet_made.beam"),
               S = [element(1, beam_lib:info(Bytes)), code:delete(gimlet_made), code:purge(gimlet_made),
                    code:load_binary(gimlet_made, "x.beam", Bytes), gimlet_made:f(1), code:delete(gimlet_made), code:purge(gimlet_made)],
               {R, tl(S)}
       end).

compiled_errors() ->
    in(fun(D) ->
               F = D ++ "/bad.erl",
               [begin
                    ok = file:write_file(F, Text),
                    named(compile:file(F, [return, {outdir, D}]))
                end
                || Text <- ["-module(bad).\nf( -> 1.\n", "-module(bad).\n-export([f/0]).\nf() -> g().\n", "-module(other).\n",
                            "-module(bad).\n-export([f/0]).\nf() -> X = 1, ok.\n", "-module(bad).\n-include(\"none.hrl\").\n"]]
                   ++ [named(compile:file(D ++ "/none", [return]))]
       end).

named({error, Errors, Warnings}) ->
    {error, [{filename:basename(F), E} || {F, E} <- Errors], [{filename:basename(F), E} || {F, E} <- Warnings]};
named({ok, M, Warnings}) ->
    {ok, M, [{filename:basename(F), E} || {F, E} <- Warnings]};
named(Other) -> Other.

disk_tables() ->
    in(fun(D) ->
               {ok, T} = dets:open_file(gimlet_table, [{file, D ++ "/t.dets"}, {type, set}]),
               R = [dets:insert(T, [{N, N * N} || N <- lists:seq(1, 50)]), dets:lookup(T, 7), dets:lookup(T, 70),
                    dets:info(T, size), dets:delete(T, 7), dets:lookup(T, 7), dets:member(T, 8),
                    lists:sort(dets:match(T, {'$1', 4})), dets:insert_new(T, {8, x}), dets:update_counter(T, 9, 1)],
               {R, dets:close(T), filelib:is_regular(D ++ "/t.dets"), dets:is_dets_file(D ++ "/t.dets")}
       end).

disk_tables_again() ->
    in(fun(D) ->
               F = D ++ "/t.dets",
               {ok, T} = dets:open_file(F, [{type, bag}]) ,
               R = [dets:insert(T, [{a, 1}, {a, 2}, {b, 1}]), dets:close(T)],
               {ok, U} = dets:open_file(F),
               S = [lists:sort(dets:lookup(U, a)), dets:info(U, type), lists:sort(dets:foldl(fun(X, A) -> [X | A] end, [], U)),
                    dets:sync(U), dets:delete_all_objects(U), dets:info(U, size), dets:close(U)],
               {R, S, dets:open_file(D ++ "/none")  =:= {error, {file_error, D ++ "/none", enoent}}}
       end).

logs() ->
    in(fun(D) ->
               {ok, L} = disk_log:open([{name, gimlet_log}, {file, D ++ "/l"}]),
               R = [disk_log:log(L, {entry, N}) || N <- lists:seq(1, 5)],
               ok = disk_log:sync(L),
               {_, Terms} = disk_log:chunk(L, start),
               {R, Terms, disk_log:close(L), disk_log:close(L)}
       end).

sorted() ->
    in(fun(D) ->
               [A, B] = [D ++ "/a", D ++ "/b"],
               ok = file:write_file(A, "pear\napple\nfig\napple\n"),
               {ok, F} = file:open(A, [read, raw, binary, read_ahead]),
               Lines = fun Read(close) -> file:close(F);
                           Read(read) -> case file:read_line(F) of {ok, L} -> {[L], Read}; eof -> end_of_input end
                       end,
               [file_sorter:sort(Lines, B, [{format, term}, {unique, true}]) , element(1, file:read_file(B))]
       end).

tables_in_files() ->
    in(fun(D) ->
               F = D ++ "/tab",
               T = ets:new(gimlet_tab, [ordered_set]),
               true = ets:insert(T, [{N, [N]} || N <- lists:seq(1, 20)]),
               R = ets:tab2file(T, F),
               {ok, U} = ets:file2tab(F),
               {ok, I} = ets:tabfile_info(F),
               {R, ets:tab2list(U), proplists:get_value(size, I), proplists:get_value(type, I), ets:file2tab(D ++ "/none")  =/= ok}
       end).

archives() ->
    in(fun(D) ->
               {ok, Here} = file:get_cwd(),
               ok = file:set_cwd(D),
               ok = file:write_file("one", "first"),
               ok = filelib:ensure_dir("d/x"),
               ok = file:write_file("d/two", "second"),
               R = [erl_tar:create("t.tar", ["one", "d"]), element(1, erl_tar:table("t.tar")), lists:sort(element(2, erl_tar:table("t.tar"))),
                    erl_tar:create("t.tgz", ["one"], [compressed]), erl_tar:table("t.tgz", [compressed]),
                    erl_tar:extract("t.tar", [memory, {files, ["one"]}]), zip:create("z.zip", ["one", "d/two"]),
                    element(1, zip:table("z.zip")), zip:unzip("z.zip", [memory]), erl_tar:extract("t.tar", [{cwd, "out"}]), file:read_file("out/d/two")],
               ok = file:set_cwd(Here),
               R
       end).

beam_chunks() ->
    in(fun(D) ->
               F = D ++ "/m.erl",
               ok = file:write_file(F, "-module(m).\n-export([f/0]).\n-vsn(7).\nf() -> ok.\n"),
               {ok, m} = compile:file(F, [{outdir, D}, debug_info]),
               B = D ++ "/m",
               [beam_lib:version(B), beam_lib:chunks(B, [exports]), element(1, beam_lib:chunks(B, [abstract_code])),
                beam_lib:chunks(D ++ "/none", [exports]) =:= {error, beam_lib, {file_error, D ++ "/none.beam", enoent}},
                element(1, beam_lib:md5(B))]
       end).

searched() ->
    in(fun(D) ->
               ok = filelib:ensure_dir(D ++ "/src/x"),
               ok = filelib:ensure_dir(D ++ "/ebin/x"),
               ok = file:write_file(D ++ "/src/m.erl", ""),
               [filelib:find_source("m.beam", D ++ "/ebin") =:= {ok, D ++ "/src/m.erl"}, filelib:find_file("none", D),
                file:path_open([D ++ "/ebin"], "m.erl", [read]), element(1, file:path_open([D ++ "/ebin", D ++ "/src"], "m.erl", [read]))]
       end).

other_kinds() ->
    {ok, N} = file:open("/dev/null", [read, write, raw]),
    R = [file:read(N, 10), file:write(N, "gone"), file:close(N)],
    {ok, Z} = file:open("/dev/zero", [read, raw, binary]),
    R ++ [file:read(Z, 4), file:close(Z), filelib:is_regular("/dev/null"), filelib:is_file("/dev/null")].

many_open() ->
    in(fun(D) ->
               Fs = [begin {ok, F} = file:open(D ++ "/" ++ integer_to_list(N), [write]), F end || N <- lists:seq(1, 30)],
               [ok = io:format(F, "~w", [I]) || {I, F} <- lists:zip(lists:seq(1, 30), Fs)],
               [ok = file:close(F) || F <- Fs],
               [element(2, file:read_file(D ++ "/" ++ integer_to_list(N))) || N <- [1, 15, 30]]
       end).

large() ->
    in(fun(D) ->
               F = D ++ "/f",
               Bytes = binary:copy(<<"0123456789abcdef">>, 20000),
               ok = file:write_file(F, Bytes),
               {ok, A} = file:open(F, [read, binary]),
               {ok, X} = file:read(A, 100000),
               {ok, Y} = file:read(A, 1000000),
               ok = file:close(A),
               {<<X/binary, Y/binary>> =:= Bytes, byte_size(X), element(2, file:read_file(F)) =:= Bytes}
       end).

info_of_processes() ->
    in_file("a", fun(Name) ->
                         {ok, F} = file:open(Name, [read]),
                         R = {is_pid(F), file:pid2name(F) =:= {ok, Name}, is_pid(whereis(file_server_2))},
                         ok = file:close(F),
                         R
                 end).
