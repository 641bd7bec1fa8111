//! Tests shell completions and manual pages.

use crate::project::Project;

#[test]
fn completions_and_manual_pages() {
    let project = Project::new("shells", &[]);
    let completions = project.gimlet(&["completions", "bash"]);
    completions.check(0, &["_gimlet()", "--budget"]);
    project.write("gimlet.bash", &completions.stdout);
    let read = "source ./gimlet.bash; COMP_WORDS=(gimlet test --bud); COMP_CWORD=2; \
                _gimlet gimlet --bud test; echo \"${COMPREPLY[*]}\"";
    project.run(&["bash", "-c", read], &[]).check(0, &["--budget"]);
    for shell in ["fish", "zsh"] {
        project.gimlet(&["completions", shell]).check(0, &["budget"]);
    }
    project.gimlet(&["manual"]).check(0, &[".TH gimlet 1"]);
    project.gimlet(&["manual", "man"]).check(0, &["wrote man/gimlet-test.1", "wrote man/gimlet.1"]);
    assert!(project.read("man/gimlet-test.1").contains(".TH gimlet-test 1"));
}
