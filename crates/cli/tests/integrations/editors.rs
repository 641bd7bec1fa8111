//! Tests `gimlet lsp` in a real editor, and `gimlet watch` in a real terminal.

use crate::project::{LEDGER, Project, SHOP};
use std::path::Path;

#[test]
fn findings_coverage_and_tests_in_neovim() {
    let project =
        Project::new("editor", &[("src/shop.erl", SHOP), ("ledger.pl", LEDGER), ("test/kept", "")]);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/integrations/editor.lua");
    let load = format!("luafile {}", script.display());
    let done = project.run(&["nvim", "-n", "--headless", "-u", "NONE", "-c", &load], &[]);
    done.check(
        0,
        &[
            "opened src/shop.erl",
            "5 crash 1: shop:total(13)",
            "    5: N is 13",
            "lens 5: explore",
            "lens 5: 1 finding, 2/2 clauses covered",
            "lens 8: nothing found, 1/1 clauses covered",
            "1 actions",
            "Add this test to shop_found_tests.erl",
            "0 actions",
            "mended",
            "opened ledger.pl",
            "crash 1: share(0, R)",
            "Add this test to ledger_found.plt",
            "stopped true",
        ],
    );
    assert!(
        project
            .read("test/shop_found_tests.erl")
            .contains("?_assertError(unlucky, shop:total(13)).")
    );
    project.tool("erlc -o . src/shop.erl test/shop_found_tests.erl", &[]).check(0, &[]);
    project.tool("swipl -g run_tests -t halt ledger_found.plt", &[]).check(0, &["passed"]);
}

/// A terminal session that ends with the test.
struct Terminal<'a> {
    project: &'a Project,
    socket: String,
}

impl Drop for Terminal<'_> {
    fn drop(&mut self) {
        self.tmux("kill-server");
    }
}

impl Terminal<'_> {
    fn tmux(&self, command: &str) -> String {
        self.project.tool(&format!("tmux -L {} {command}", self.socket), &[]).stdout
    }

    /// Waits until the screen shows all of these texts.
    #[track_caller]
    fn wait_for(&self, expect: &[&str]) {
        let mut screen = String::new();
        for _ in 0..1200 {
            screen = self.tmux("capture-pane -p");
            if expect.iter().all(|it| screen.contains(it)) {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
        panic!("no {expect:?} on the screen:\n{screen}");
    }
}

#[test]
fn what_changes_is_tested_again_in_a_terminal() {
    let project = Project::new("watched", &[("src/shop.erl", SHOP)]);
    let terminal = Terminal { project: &project, socket: format!("gimlet-{}", std::process::id()) };
    terminal.tmux("new-session -d -x 100 -y 50 sh");
    terminal.tmux(
        "send-keys gimlet Space watch Space src Space -f Space total/1 Space --runs Space 50 Enter",
    );
    // A directory without compiled modules is no target.
    terminal.wait_for(&["error[G002]", "watching src; Ctrl-C ends"]);
    terminal.tmux("send-keys C-c");
    terminal.tmux(
        "send-keys clear Enter gimlet Space watch Space src/shop.erl Space -f Space total/1 Enter",
    );
    terminal.wait_for(&[
        "shop:total(13)",
        "1 finding in 1 of 1 function",
        "watching src; Ctrl-C ends",
    ]);
    project.write("src/shop.erl", &SHOP.replace("error(unlucky)", "14"));
    terminal.wait_for(&["src/shop.erl changed", "nothing found in 1 function", "watching src"]);
    project.write("src/shop.erl", &SHOP.replace("error(unlucky)", "error("));
    terminal.wait_for(&["src/shop.erl changed", "error[G005]", "watching src"]);
    terminal.tmux("send-keys C-c");
    terminal.tmux("send-keys echo Space ended:$? Enter");
    terminal.wait_for(&["ended:130"]);
}
