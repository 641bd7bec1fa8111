//! Tests the GitHub action, the GitLab template, and the contents of a release.

use crate::project::{Project, SHOP};
use crate::tools::integration;
use std::fs;

#[test]
fn the_script_of_ci_leaves_every_report_and_the_exit_code() {
    let project = Project::new("ci", &[("src/shop.erl", SHOP)]);
    let script = integration("ci").canonicalize().expect("a directory").join("run.sh");
    let script = script.display().to_string();
    let environment = [
        ("GIMLET_TARGETS", "src/shop.erl"),
        ("GIMLET_OPTIONS", "--runs 50 -f total/1"),
        ("GIMLET_FORMAT", "github"),
        ("GITHUB_STEP_SUMMARY", "summary"),
        ("GITHUB_OUTPUT", "output"),
    ];
    project.run(&["bash", &script], &environment).check(1, &["::error file=src/shop.erl,line=5"]);
    for name in
        ["gimlet.sarif", "gimlet.xml", "coverage.xml", "gimlet.md", "gimlet.html", "gimlet.json"]
    {
        assert!(!project.read(&format!("gimlet-reports/{name}")).is_empty(), "{name}");
    }
    assert!(project.read("summary").contains("shop:total(13)"));
    assert_eq!(project.read("output"), "exit-code=1\nreports=gimlet-reports\n");
    let fine = [("GIMLET_TARGETS", "src/shop.erl"), ("GIMLET_OPTIONS", "-f size/1")];
    project.run(&["bash", &script], &fine).check(0, &["nothing found"]);
    let broken = [("GIMLET_BUILD", "false")];
    project.run(&["bash", &script], &broken).check(2, &["The project does not compile: false"]);
}

#[test]
fn files_of_ci_are_sound() {
    let root = integration("..").canonicalize().expect("the root");
    let project = Project::new("ci_files", &[]);
    for file in ["integrations/ci/run.sh", "integrations/ci/install.sh", ".ci/dist", ".ci/deps"] {
        let path = root.join(file).display().to_string();
        project.run(&["bash", "-n", &path], &[]).check(0, &[]);
    }
    let rules = "{extends: default, rules: {line-length: {max: 120}}}";
    let files = [".github", "integrations/ci"].map(|it| root.join(it).display().to_string());
    project.run(&["yamllint", "--strict", "-d", rules, &files[0], &files[1]], &[]).check(0, &[]);
}

#[test]
fn plugins_have_the_version_of_the_binary() {
    let version = env!("CARGO_PKG_VERSION");
    for (file, expect) in [
        ("rebar3_gimlet/src/rebar3_gimlet.app.src", format!("{{vsn, \"{version}\"}}")),
        ("mix_gimlet/mix.exs", format!("version: \"{version}\"")),
        ("swipl/pack.pl", format!("version('{version}').")),
        ("swipl/prolog/gimlet.pl", format!("own_version(\"{version}\").")),
    ] {
        let text = fs::read_to_string(integration(file)).expect(file);
        assert!(text.contains(&expect), "{file} lacks {expect}");
    }
}
