//! Tests of the HTML report in a real browser: its contents, its behaviour, and its network requests.
//!
//! Pages and pictures are left in `html-report` in the target's directory for temporary files.

mod devtools;
#[path = "../formats/samples.rs"]
mod samples;

use devtools::{Browser, Part, artefacts};
use report::{Report, TreeKind, TreeNode, View, format_named, tree_page};
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;

const DESKTOP: (u32, u32) = (1280, 800);
const PHONE: (u32, u32) = (390, 844);
const SCHEMES: [&str; 2] = ["light", "dark"];

/// Writes a page to the artefacts.
fn page(name: &str, text: &str) -> PathBuf {
    let file = artefacts().join(format!("{}.html", name.replace(' ', "-")));
    fs::write(&file, text).expect("a file");
    file
}

fn html(report: &Report) -> String {
    format_named("html").expect("the format").text(report, &View::default())
}

/// Returns the address of every request of the page except for itself and embedded data.
fn requests(browser: &Browser) -> Vec<String> {
    let url = |it: &&Value| {
        let url = it.pointer("/request/url").and_then(Value::as_str);
        url.unwrap_or_default().to_owned()
    };
    let all = browser.events("Network.requestWillBeSent");
    let all = all.iter().filter(|it| it["type"] != "Document").map(url);
    all.filter(|it| !it.starts_with("data:")).collect()
}

/// Returns the browser's complaints.
fn complaints(browser: &Browser) -> Vec<String> {
    let all = ["Log.entryAdded", "Runtime.exceptionThrown"];
    all.iter().flat_map(|it| browser.events(it)).map(Value::to_string).collect()
}

#[test]
fn pages_are_sound_at_every_size_and_in_every_theme() {
    let mut browser = Browser::start("sound");
    let mut pages: Vec<(String, PathBuf)> = samples::all()
        .iter()
        .filter(|it| it.0 != "thousands of units")
        .map(|(name, report)| ((*name).to_owned(), page(name, &html(report))))
        .collect();
    pages.push(("tree".to_owned(), page("tree", &tree_page("foo/1", &tree(3)))));
    let mut wrong = Vec::new();
    for (name, file) in &pages {
        for (device, size) in [("desktop", DESKTOP), ("phone", PHONE)] {
            for scheme in SCHEMES {
                browser.look(size, scheme);
                browser.open(file);
                let what = format!("{}-{device}-{scheme}", name.replace(' ', "-"));
                browser.picture(&what, Part::Page);
                let found = browser.eval(include_str!("checks.js"));
                let found = found.as_array().expect("a list").iter();
                wrong.extend(found.map(|it| format!("{what}: {it}")));
                wrong.extend(requests(&browser).iter().map(|it| format!("{what} asks for {it}")));
                wrong.extend(complaints(&browser).iter().map(|it| format!("{what}: {it}")));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Returns a binary tree whose leaves are one node of each kind.
fn tree(depth: usize) -> TreeNode {
    let kinds = [TreeKind::Value, TreeKind::Failure, TreeKind::Infeasible, TreeKind::Unknown];
    let node = |label: String, kind: TreeKind, children: Vec<TreeNode>| {
        let note = String::new();
        TreeNode { label, note, kind, children }
    };
    let children = match depth {
        0 => kinds.into_iter().map(|it| node(format!("{it:?}"), it, vec![])).collect(),
        _ => vec![tree(depth - 1), tree(depth - 1)],
    };
    node(format!("X < {depth}"), TreeKind::Branch, children)
}

#[test]
fn a_reader_clicks_searches_and_uses_keys() {
    let mut browser = Browser::start("clicks");
    browser.look(DESKTOP, "light");
    browser.open(&page("clicked", &html(&samples::erlang())));
    let is_open = "document.querySelector('#findings > .finding').open";
    assert_eq!(browser.eval(is_open), true);
    browser.click("#findings > .finding > summary .badge");
    assert_eq!(browser.eval(is_open), false, "a click folds a finding");
    browser.click("[data-fold=open]");
    assert_eq!(browser.eval(is_open), true, "a click unfolds all");

    browser.click("#findings .meaning a");
    let target = "(() => { const it = document.querySelector(':target'); \
                  return [it !== null, it?.closest('details')?.open ?? false] })()";
    assert_eq!(browser.eval(target), json!([true, true]), "a place leads to its line of source");

    let theme = "document.documentElement.dataset.theme ?? ''";
    browser.click("#theme");
    assert_eq!(browser.eval(theme), "dark");
    browser.click("#theme");
    assert_eq!(browser.eval(theme), "light");

    browser.click("#findings .paste.call > .copy");
    let said = "new Promise((done) => setTimeout(() => \
                done(document.querySelector('#findings .copy').textContent), 100))";
    assert_ne!(browser.eval(said), "Copy", "a copied call is said to be");

    let shown = "document.querySelectorAll('#findings > .finding:not([hidden])').length";
    let n_all = browser.eval(shown);
    browser.press("/");
    browser.write("deadlock");
    assert_eq!(browser.eval(shown), 1, "a search leaves what has the word");
    browser.picture("searched", Part::Window);
    browser.press("Escape");
    assert_eq!(browser.eval(shown), n_all, "Escape ends the search");

    browser.eval("scrollTo(0, 0)");
    browser.press("j");
    let focused = "[...document.querySelectorAll('#findings > .finding')]\
                   .indexOf(document.activeElement.closest('.finding'))";
    assert_eq!(browser.eval(focused), 0);
    browser.press("j");
    assert_eq!(browser.eval(focused), 1);
    browser.press("k");
    assert_eq!(browser.eval(focused), 0);
    browser.press("?");
    assert_eq!(browser.eval("document.getElementById('keys').open"), true);
    assert_eq!(requests(&browser), Vec::<String>::new());
    assert_eq!(complaints(&browser), Vec::<String>::new());
}

#[test]
fn without_script_everything_is_there() {
    let mut browser = Browser::start("plain");
    browser.call("Emulation.setScriptExecutionDisabled", json!({ "value": true }));
    browser.look(DESKTOP, "light");
    browser.open(&page("plain", &html(&samples::erlang())));
    browser.picture("without-script", Part::Page);
    assert_eq!(browser.eval("document.documentElement.classList.contains('scripted')"), false);
    let dead = "[...document.querySelectorAll('.js')].filter((it) => it.checkVisibility()).length";
    assert_eq!(browser.eval(dead), 0, "what needs a script is not shown");
    // Elements that fold need no script.
    let is_open = "document.querySelector('#refusals > details').open";
    assert_eq!(browser.eval(is_open), false);
    browser.click("#refusals > details > summary");
    assert_eq!(browser.eval(is_open), true);
    browser.click("#findings .meaning a");
    assert_eq!(browser.eval("document.querySelector(':target')?.closest('details').open"), true);
    let text = browser.eval("document.body.textContent");
    for expected in ["example:foo([42])", "the list has an element", "gimlet replay"] {
        assert!(text.as_str().is_some_and(|it| it.contains(expected)), "{expected}");
    }
}

#[test]
fn it_prints() {
    let mut browser = Browser::start("print");
    browser.look(DESKTOP, "dark");
    browser.open(&page("printed", &html(&samples::erlang())));
    assert!(browser.print("printed").starts_with(b"%PDF"));
    browser.media("print", "dark");
    let sides = "getComputedStyle(document.querySelector('.side')).display";
    assert_eq!(browser.eval(sides), "none", "what is clicked is not printed");
}

/// Checks that the page opens fast by counting its elements. The time is measured and left among the artefacts.
#[test]
fn five_hundred_modules_are_few_elements() {
    let mut browser = Browser::start("large");
    browser.look(DESKTOP, "light");
    let text = html(&samples::large(500, 8));
    let file = page("large", &text);
    assert!(text.len() < 8 << 20, "{} bytes", text.len());
    browser.open(&file);
    browser.picture("large", Part::Window);
    let n_elements = browser.eval("document.querySelectorAll('*').length");
    assert!(n_elements.as_u64().is_some_and(|it| it < 120_000), "{n_elements} elements");
    let n_shown = "[...document.querySelectorAll('body *')].filter((it) => it.checkVisibility({ \
                   contentVisibilityAuto: true })).length";
    let n_shown = browser.eval(n_shown);
    let time = browser.eval(
        "(() => { const it = performance.getEntriesByType('navigation')[0]; \
         return Math.round(it.loadEventEnd - it.startTime) })()",
    );
    let said =
        format!("{n_elements} elements, {n_shown} of them laid out, {time} ms until loaded\n");
    fs::write(artefacts().join("large.txt"), said).expect("a file");
    assert_eq!(requests(&browser), Vec::<String>::new());
    browser.press("/");
    browser.write("module_499");
    let shown = "document.querySelectorAll('#modules > .module:not([hidden])').length";
    assert_eq!(browser.eval(shown), 1);
}
