%% Property tests need a tool that is not a part of OTP; they are skipped, as ct does without such a tool.
-module(ct_property_test).
-export([init_per_suite/1, init_tool/1, quickcheck/2]).

init_per_suite(_) -> {skip, no_property_testing_tool}.
init_tool(_) -> {skip, no_property_testing_tool}.
quickcheck(_, _) -> exit({skipped, no_property_testing_tool}).
