//! Compares Elixir's own modules, run by the machine from their `.beam` files, with BEAM.

use conformance::{compare_functions, elixir_libraries, machine_that_runs_elixir};
use std::io::Write;

#[test]
fn elixir_computes_what_it_computes_on_beam() {
    let Some(paths) = elixir_libraries() else {
        let said =
            writeln!(std::io::stderr(), "no Elixir here, so nothing is compared: `make deps`");
        said.expect("standard error");
        return;
    };
    let list = include_str!("elixir_kinds.txt");
    compare_functions(list, 100, 15_000, &mut machine_that_runs_elixir(paths));
}
