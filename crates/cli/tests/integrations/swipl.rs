//! Tests `library(gimlet)` in the real SWI-Prolog.

use crate::project::{Ended, LEDGER, Project};
use crate::tools::integration;

/// Proves a goal with the library installed.
#[track_caller]
fn prove(project: &Project, environment: &[(&str, &str)], goal: &str) -> Ended {
    project.write("goal.pl", &format!(":- use_module(library(gimlet)).\ngo :- {goal}.\n"));
    let library = integration("swipl").canonicalize().expect("the pack").join("prolog");
    let command = format!("swipl -p library={} -g go -t halt goal.pl", library.display());
    project.tool(&command, environment)
}

#[test]
fn programs_are_tested_from_the_toplevel() {
    let project = Project::new("swipl_pack", &[("ledger.pl", LEDGER)]);
    let tests = "\\+ gimlet(ledger, [write_tests(true), mode(share(+,-))]), \
                 [ledger], load_test_files([]), run_tests";
    prove(&project, &[], tests).check(0, &["?- share(0, R).", "─ ledger.pl:3", "tests passed"]);
    assert!(project.read("ledger.plt").contains(":- ensure_loaded('ledger.pl')."));
    let findings = "gimlet_findings(ledger, [finding(crash, share(0, _), Says)], [runs(20)]), \
                    writeln(Says), gimlet(ledger, [function(known/1)])";
    prove(&project, &[], findings).check(0, &["throws error(evaluation_error(zero_divisor), _)"]);
    prove(&project, &[], "[ledger], \\+ gimlet").check(0, &["?- share(0, R)."]);
}

#[test]
fn what_can_not_be_done_says_why() {
    let project = Project::new("swipl_wrong", &[("ledger.pl", LEDGER)]);
    let check = |environment: &[(&str, &str)], goal: &str, expect: &[&str]| {
        prove(&project, environment, goal).check(2, expect);
    };
    check(&[], "gimlet(nothing)", &["source_sink `nothing' does not exist"]);
    check(&[], "gimlet(ledger, [tme(3)])", &["--time", "gimlet could not do it (exit(2))"]);
    check(&[("GIMLET", "none")], "gimlet(ledger)", &["There is no program none", "Get gimlet"]);
    project.program("old", "gimlet 0.0.9");
    check(
        &[("GIMLET", "./old")],
        "gimlet(ledger)",
        &["is gimlet 0.0.9, and library(gimlet) 0.1.0 needs 0.1.0 or newer"],
    );
}

#[test]
fn the_command_line_is_that_of_gimlet_test() {
    let project = Project::new("swipl_app", &[("ledger.pl", LEDGER)]);
    let pack = integration("swipl").canonicalize().expect("the pack").display().to_string();
    let app = format!("swipl -p library={pack}/prolog {pack}/app/gimlet.pl -- ledger.pl");
    project.tool(&format!("{app} -f known/1 --runs 20"), &[]).check(0, &["nothing found"]);
    project.tool(&format!("{app} -f share/2 --runs 20"), &[]).check(1, &["?- share(0, R)."]);
}
