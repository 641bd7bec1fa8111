%% Bit syntax: every type, size, unit, endianness and sign, built and matched.
-module(binaries).
-compile(export_all).
-compile(nowarn_export_all).

id(X) -> X.
c(F) -> try F() catch C:R -> {C, R} end.
ints() -> [0, 1, -1, 127, 128, 255, 256, -128, -129, 65535, 16#12345678, -16#12345678, (1 bsl 64) - 1, 1 bsl 70, -(1 bsl 70)].
sizes() -> [0, 1, 3, 7, 8, 9, 12, 16, 17, 24, 31, 32, 33, 63, 64, 65, 80, 129].
bins() -> [<<>>, <<1>>, <<255>>, <<1, 2, 3>>, <<1:1>>, <<5:3>>, <<"hello">>, <<1, 2, 3:5>>, <<-1:64>>, <<16#123456789abcdef:64>>, <<0:129>>].

t_build_int_big() -> [<<X:S>> || X <- ints(), S <- sizes()].
t_build_int_little() -> [<<X:S/little>> || X <- ints(), S <- sizes()].
t_build_int_native() -> [<<X:S/native>> || X <- ints(), S <- [8, 16, 32, 64]].
t_build_signed() -> [<<X:S/signed>> || X <- ints(), S <- sizes()].
t_build_unit() -> [<<X:S/unit:7>> || X <- ints(), S <- [0, 1, 3]] ++ [<<X:2/little-unit:8>> || X <- ints()].
t_build_unaligned() -> [<<1:N, X:S, 0:2>> || X <- [1, -1, 300, 1 bsl 70], S <- sizes(), N <- [1, 3, 7]].
t_build_unaligned_little() -> [<<1:N, X:S/little, 0:2>> || X <- [1, -1, 300, 1 bsl 70], S <- sizes(), N <- [1, 3, 7]].
t_build_floats() -> [c(fun() -> <<X:S/float>> end) || X <- [0.0, 1.5, -1.5, 3, 1.0e300, 65504.0, 1 bsl 70, a, -0.0, 0.1], S <- [16, 32, 64, 8, 0, 65]].
t_build_floats_little() -> [c(fun() -> <<X:S/float-little>> end) || X <- [0.0, 1.5, -1.5, 3, 0.1], S <- [16, 32, 64]].
t_build_float_unaligned() -> [c(fun() -> <<1:3, X:S/float>> end) || X <- [0.0, 1.5, -1.5, 3, 0.1], S <- [16, 32, 64]].
t_build_float_overflow() -> [c(fun() -> <<X:S/float>> end) || X <- [1.0e39, -1.0e39, 70000.0, 65520.0, 1 bsl 1100], S <- [16, 32, 64]].
t_build_bits() -> [<<B/bits, 1:1, C/bits>> || B <- bins(), C <- bins()].
t_build_binary() -> [c(fun() -> <<B/binary, C/binary>> end) || B <- bins(), C <- bins()].
t_build_binary_size() -> [c(fun() -> <<B:N/binary>> end) || B <- bins(), N <- [0, 1, 2, 3, 9, -1, a]].
t_build_bits_size() -> [c(fun() -> <<0:3, B:N/bits>> end) || B <- bins(), N <- [0, 1, 2, 3, 9, 64, 65, -1]].
t_build_binary_unit() -> [c(fun() -> <<B:N/binary-unit:3>> end) || B <- bins(), N <- [0, 1, 2, 3, 9]] ++ [c(fun() -> <<B/binary-unit:3>> end) || B <- bins()].
t_build_utf8() -> [c(fun() -> <<X/utf8>> end) || X <- [0, 127, 128, 2047, 2048, 16#D7FF, 16#D800, 16#DFFF, 16#E000, 16#FFFF, 16#10000, 16#10FFFF, 16#110000, -1, a, 1 bsl 70]].
t_build_utf16() -> [c(fun() -> <<X/utf16>> end) || X <- [0, 127, 16#D800, 16#DFFF, 16#E000, 16#FFFF, 16#10000, 16#10FFFF, 16#110000, -1, a]].
t_build_utf16_little() -> [c(fun() -> <<1:1, X/utf16-little>> end) || X <- [0, 127, 16#E000, 16#10000, 16#10FFFF]].
t_build_utf32() -> [c(fun() -> <<X/utf32>> end) || X <- [0, 127, 16#D800, 16#E000, 16#10FFFF, 16#110000, -1, a]].
t_build_utf32_little() -> [c(fun() -> <<1:5, X/utf32-little>> end) || X <- [0, 127, 16#10FFFF]].
t_build_strings() -> {<<"abc">>, <<"abc":16>>, <<"abc":16/little>>, <<"åäö"/utf8>>, <<"åäö"/utf16>>, <<"åäö"/utf32-little>>, <<"ab":4>>, <<"ab", 1, "cd":12>>}.
t_build_errors_order() -> [c(fun() -> <<(id(a)):(id(-1))>> end), c(fun() -> <<(id(a)), (id(1)):(id(b))>> end), c(fun() -> <<(id(b))/binary, (id(1)):(id(-1))>> end), c(fun() -> <<(id(1)):(id(1 bsl 70))>> end)].
t_build_evaluation_order() -> put(l, []), N = fun(X) -> put(l, [X | get(l)]), X end, B = <<(N(1)):(N(8)), (N(2)):(N(16)), (N(<<"x">>))/binary>>, {B, get(l)}.
t_build_default() -> [c(fun() -> <<X>> end) || X <- [1, -1, 256, a, 1.0, <<1>>, []]].
t_build_float_default() -> [<<X/float>> || X <- [1, 1.5]].

t_match_int() -> [[case B of <<X:S, R/bits>> -> {X, R}; _ -> no end || S <- sizes()] || B <- bins()].
t_match_signed() -> [[case B of <<X:S/signed, R/bits>> -> {X, R}; _ -> no end || S <- sizes()] || B <- bins()].
t_match_little() -> [[case B of <<X:S/little, R/bits>> -> {X, R}; _ -> no end || S <- sizes()] || B <- bins()].
t_match_little_signed() -> [[case B of <<X:S/little-signed, R/bits>> -> {X, R}; _ -> no end || S <- sizes()] || B <- bins()].
t_match_native() -> [case B of <<X:16/native, Y:8/native-signed, _/bits>> -> {X, Y}; _ -> no end || B <- bins()].
t_match_unaligned() -> [[case B of <<A:N, X:S, R/bits>> -> {A, X, R}; _ -> no end || S <- [1, 7, 8, 13, 32], N <- [1, 3, 5]] || B <- bins()].
t_match_unaligned_little() -> [[case B of <<A:N, X:S/little-signed, R/bits>> -> {A, X, R}; _ -> no end || S <- [1, 7, 8, 13, 32], N <- [1, 3, 5]] || B <- bins()].
t_match_unit() -> [[case B of <<X:S/unit:3, R/bits>> -> {X, R}; _ -> no end || S <- [0, 1, 2, 5]] || B <- bins()].
t_match_binary() -> [[case B of <<X:S/binary, R/bits>> -> {X, R}; _ -> no end || S <- [0, 1, 2, 5]] || B <- bins()].
t_match_bits() -> [[case B of <<X:S/bits, R/binary>> -> {X, R}; _ -> no end || S <- [0, 1, 3, 5, 8]] || B <- bins()].
t_match_rest_unit() -> [case B of <<_:1, R/binary-unit:2>> -> {two, R}; <<_:1, R/binary-unit:3>> -> {three, R}; <<R/binary-unit:16>> -> {sixteen, R}; _ -> no end || B <- bins()].
t_match_floats() -> [case B of <<X:S/float>> -> X; _ -> no end || {B, S} <- [{<<1.5:64/float>>, 64}, {<<1.5:32/float>>, 32}, {<<1.5:16/float>>, 16}, {<<0:16>>, 16}, {<<-1:64>>, 64}, {<<-1:32>>, 32},
    {<<16#7ff0000000000000:64>>, 64}, {<<16#7c00:16>>, 16}, {<<1>>, 8}, {<<16#8000000000000000:64>>, 64}, {<<1:64>>, 64}, {<<16#3c01:16>>, 16}]].
t_match_floats_little() -> [case B of <<X:S/float-little>> -> X; _ -> no end || {B, S} <- [{<<1.5:64/float-little>>, 64}, {<<1.5:32/float-little>>, 32}, {<<1.5:16/float-little>>, 16}]].
t_match_float_unaligned() -> [case <<1:3, X:S/float>> of <<_:3, Y:S/float>> -> Y end || X <- [1.5, -2.0], S <- [16, 32, 64]].
t_match_utf8() -> [case B of <<X/utf8, R/binary>> -> {X, R}; _ -> no end || B <- [<<>>, <<"a">>, <<"å"/utf8>>, <<16#e2, 16#82, 16#ac, 1>>, <<16#f0, 16#90, 16#8d, 16#88>>, <<16#c0, 16#80>>, <<16#ed, 16#a0, 16#80>>, <<16#f4, 16#90, 16#80, 16#80>>, <<16#e2, 16#82>>, <<16#80>>, <<255>>, <<16#c3, 16#28>>]].
t_match_utf16() -> [case B of <<X/utf16, R/binary>> -> {X, R}; _ -> no end || B <- [<<>>, <<0>>, <<0, $a>>, <<16#d8, 0, 16#dc, 0>>, <<16#d8, 0>>, <<16#dc, 0>>, <<16#d8, 0, 0, 1>>, <<16#db, 16#ff, 16#df, 16#ff, 9>>]].
t_match_utf16_little() -> [case B of <<X/utf16-little, R/binary>> -> {X, R}; _ -> no end || B <- [<<$a, 0>>, <<0, 16#d8, 0, 16#dc>>, <<0, 16#d8>>]].
t_match_utf32() -> [case B of <<X/utf32, R/binary>> -> {X, R}; _ -> no end || B <- [<<>>, <<0, 0, 0, $a>>, <<0, 16#10, 16#ff, 16#ff>>, <<0, 16#11, 0, 0>>, <<0, 0, 16#d8, 0>>, <<0, 0, 0>>]].
t_match_utf_unaligned() -> [case B of <<_:3, X/utf8, R/bits>> -> {X, R}; _ -> no end || B <- [<<1:3, "å"/utf8, 5:2>>, <<1:3, "a">>, <<1:3>>]].
t_match_utf_literal() -> [case B of <<"å"/utf8, R/binary>> -> {a, R}; <<"öl"/utf16, R/binary>> -> {ol, R}; <<$x/utf32, R/binary>> -> {x, R}; _ -> no end || B <- [<<"åb"/utf8>>, <<"ölx"/utf16>>, <<"xy"/utf32>>, <<"b">>]].
t_match_utf_skip() -> [case B of <<_/utf8, _/utf8, R/binary>> -> R; _ -> no end || B <- [<<"åäö"/utf8>>, <<"a">>]].
t_match_literals() -> [case B of <<0:1, _/bits>> -> zero; <<1:4, 15:4, R/bits>> -> {r, R}; <<-1:8/signed, R/bits>> -> {minus, R}; <<255, R/bits>> -> {ff, R}; <<1.5/float>> -> f; _ -> no end || B <- [<<31>> | bins()] ++ [<<1.5/float>>, <<-1.5/float>>]].
t_match_literal_strings() -> [case B of <<"he", R/binary>> -> R; <<1, "x", R/binary>> -> {x, R}; _ -> no end || B <- [<<"hello">>, <<0, "h">>, <<1, "xy">>, <<1, "y">>]].
t_match_size_from_segment() -> [case B of <<N, X:N/binary, R/binary>> -> {N, X, R}; _ -> no end || B <- [<<2, 1, 2, 3>>, <<0>>, <<5, 1>>, <<>>]].
t_match_size_expression() -> [case B of <<N, X:(N * 8 - 8), R/bits>> -> {N, X, R}; _ -> no end || B <- [<<2, 1, 2, 3>>, <<1, 7>>, <<0, 1>>, <<9, 1>>]].
t_match_size_expression_fails() -> [case B of <<N, X:(N div (N - 1)), R/bits>> -> {N, X, R}; <<_, R/bits>> -> {other, R} end || B <- [<<2, 1>>, <<1, 7>>, <<0, 1>>]].
t_match_size_variable() -> [case <<1, 2, 3, 4>> of <<X:S, _/bits>> -> X; _ -> no end || S <- [0, 8, 16, 33, -1, a, 1.0, 1 bsl 70, undefined]].
t_match_size_in_head() -> [sized(S, B) || S <- [1, 2, 9], B <- [<<1, 2, 3>>, <<>>]].
sized(S, B) -> case B of <<X:S/binary, _/binary>> -> {ok, X}; _ -> none end.
t_match_two_sizes() -> [case B of <<A:4, C:4, X:A/binary, Y:C/bits, R/bits>> -> {X, Y, R}; _ -> no end || B <- [<<1:4, 3:4, 7, 255>>, <<0, 1>>, <<3:4, 0:4, 1>>]].
t_match_bound() -> X = id(5), [case B of <<X, R/binary>> -> {same, R}; <<Y, X>> -> {second, Y}; _ -> no end || B <- [<<5, 1>>, <<1, 5>>, <<1, 2>>, <<5>>]].
t_match_bound_in_pattern() -> [case B of <<X, X>> -> {twice, X}; <<X, Y, X>> -> {aba, X, Y}; _ -> no end || B <- [<<1, 1>>, <<1, 2>>, <<1, 2, 1>>, <<1, 2, 3>>]].
t_match_bound_binary() -> P = id(<<"ab">>), S = byte_size(P), [case B of <<P:S/binary, R/binary>> -> R; _ -> no end || B <- [<<"abc">>, <<"xbc">>, <<>>]].
t_match_alias() -> [case B of <<X, _/binary>> = Y -> {X, Y}; Y -> Y end || B <- [<<1, 2>>, <<>>, a]].
t_match_anonymous() -> [case B of <<_:3, _:2/binary, X/bits>> -> X; <<_:8>> -> eight; _ -> no end || B <- bins()].
t_match_zero_size() -> [case B of <<0:0, X:0, R/bits>> -> {X, R} end || B <- bins()].
t_match_fun_head() -> F = fun(<<X:4, Y:4>>) -> {X, Y}; (<<X:16/little>>) -> X; (_) -> no end, [F(B) || B <- bins()].
t_match_assign() -> <<A:3, B:13, C/binary>> = id(<<255, 1, 2, 3>>), {A, B, C}.
t_match_in_list() -> [{X, Y} || [<<X:4, _:4>>, <<Y/utf8>>] <- [[<<16#51>>, <<"å"/utf8>>], [<<1>>, <<255>>], [a, b]]].
t_match_nested() -> [case V of {<<N>>, <<X:2/binary, R/binary>>} -> {N, X, R}; #{k := <<Y:4, _/bits>>} -> Y; [<<Z>> | <<W>>] -> {Z, W}; _ -> no end || V <- [{<<1>>, <<2, 3>>}, {<<9>>, <<1>>}, #{k => <<16#ab>>}, [<<1>> | <<2>>], x]].
t_match_rest_then_more() -> parse(<<2, "ab", 3, "cde", 0, 1, "f">>, []).
parse(<<N, X:N/binary, R/binary>>, A) -> parse(R, [X | A]);
parse(<<>>, A) -> lists:reverse(A);
parse(R, A) -> {rest, R, A}.
t_loop_bits() -> bits(<<16#a5, 3:3>>, []).
bits(<<B:1, R/bits>>, A) -> bits(R, [B | A]);
bits(<<>>, A) -> lists:reverse(A).
t_loop_utf8() -> chars(<<"håå€𐍈x"/utf8, 255>>, []).
chars(<<C/utf8, R/binary>>, A) -> chars(R, [C | A]);
chars(R, A) -> {lists:reverse(A), R}.
t_append_loop() -> byte_size(lists:foldl(fun(X, A) -> <<A/binary, X:16>> end, <<>>, lists:seq(1, 5000))).
t_append_shared() -> A = id(<<"base">>), B = <<A/binary, 1>>, C = <<A/binary, 2>>, D = <<B/binary, 3>>, {A, B, C, D, <<B/binary, 4>>}.
t_prepend() -> lists:foldl(fun(X, A) -> <<X:3, A/bits>> end, <<>>, lists:seq(1, 20)).

t_lc_from_bin() -> [X || <<X:4>> <= <<16#1234:16>>].
t_lc_from_bin_filter() -> [X || <<X>> <= <<1, 2, 3, 4, 5>>, X rem 2 =:= 1].
t_lc_from_bin_partial() -> {[X || <<X:3>> <= <<255>>], [X || <<X:16>> <= <<1, 2, 3>>], [X || <<X/utf8>> <= <<"aå", 255, "b">>]}.
t_lc_from_bin_mismatch() -> {[X || <<1, X>> <= <<1, 2, 3, 4, 1, 5>>], [X || <<X, 9>> <= <<1, 9, 2, 8, 3, 9>>], [{A, B} || <<A:2, B:6/signed>> <= <<255, 1, 128>>]}.
t_lc_size_in_generator() -> [X || <<N, X:N/binary>> <= <<1, "a", 2, "bc", 0, 3, "de">>].
t_bc() -> << <<X:16>> || X <- [1, 2, 3] >>.
t_bc_bits() -> << <<X:3>> || X <- [1, 2, 3, 4] >>.
t_bc_from_bin() -> << <<Y, X>> || <<X, Y>> <= <<1, 2, 3, 4, 5>> >>.
t_bc_nested() -> << <<X, Y>> || <<X>> <= <<1, 2>>, Y <- [3, 4], X + Y =/= 5 >>.
t_bc_binary_body() -> << <<B/binary, 0>> || B <- [<<"a">>, <<"bc">>, <<>>] >>.
t_bc_of_bc() -> << (<< <<X>> || X <- [Y, Y] >>) || Y <- [1, 2] >>.
t_bc_expression_body() -> << (id(<<X>>)) || X <- [1, 2] >>.
t_bc_bad_body() -> c(fun() -> << (id(X)) || X <- [1, 2] >> end).
t_bc_empty() -> {<< <<X>> || X <- [] >>, << <<X>> || <<X>> <= <<>> >>, << <<X>> || X <- [1], X > 1 >>}.
t_bin_to_list_of_bits() -> [ [X || <<X:1>> <= B] || B <- [<<5:3>>, <<>>, <<1>>] ].
t_compare() -> [[A < B || B <- bins()] || A <- bins()].
t_equal() -> {<<1:8>> =:= <<1>>, <<1:7>> == <<1:8>>, <<5:3>> =:= <<5:3>>, <<1, 2:4>> < <<1, 3:4>>, <<1:1>> > <<0:1, 1:1>>}.
t_sizes() -> [{bit_size(B), byte_size(B), catch size(B), is_binary(B), is_bitstring(B)} || B <- bins()].
