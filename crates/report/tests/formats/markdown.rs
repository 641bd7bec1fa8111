//! Tests of Markdown, which is read back by the crate `pulldown-cmark`, and golden files.

use crate::{awkward, samples, written};
use expect_test::expect_file;
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use report::{Report, Summary, View, ranked};

/// The maximal length of a comment on GitHub, in characters.
const MAX_CHARS: usize = 65_536;

fn text(report: &Report) -> String {
    written("markdown", report, &View::default())
}

/// The content of a document as a reader parses it.
#[derive(Debug, Default)]
struct Read {
    headings: Vec<String>,
    /// Text outside of blocks of code.
    words: String,
    /// Text outside of all code.
    prose: String,
    blocks: Vec<(String, String)>,
    /// The rows of tables, as the texts of their cells.
    rows: Vec<Vec<String>>,
    html: String,
    others: Vec<String>,
}

fn read(text: &str) -> Read {
    let mut res = Read::default();
    let mut is_code = false;
    let mut is_heading = false;
    let mut is_cell = false;
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_GFM;
    for event in Parser::new_ext(text, options) {
        match event {
            Event::Start(Tag::Heading { .. }) => {
                is_heading = true;
                res.headings.push(String::new());
            }
            Event::End(TagEnd::Heading(_)) => is_heading = false,
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(language))) => {
                is_code = true;
                res.blocks.push((language.to_string(), String::new()));
            }
            Event::End(TagEnd::CodeBlock) => is_code = false,
            Event::Start(Tag::TableHead | Tag::TableRow) => res.rows.push(Vec::new()),
            Event::Start(Tag::TableCell) => {
                is_cell = true;
                res.rows.last_mut().expect("a row").push(String::new());
            }
            Event::End(TagEnd::TableCell) => is_cell = false,
            Event::Text(it) if is_code => res.blocks.last_mut().expect("a block").1.push_str(&it),
            Event::Text(it) => {
                res.words.push_str(&it);
                if !res.html.ends_with("<code>") {
                    res.prose.push_str(&it);
                }
                if is_heading {
                    res.headings.last_mut().expect("a heading").push_str(&it);
                }
                if is_cell {
                    let cell = res.rows.last_mut().and_then(|it| it.last_mut());
                    cell.expect("a cell").push_str(&it);
                }
            }
            Event::Html(it) | Event::InlineHtml(it) => res.html.push_str(&it),
            Event::SoftBreak => res.words.push('\n'),
            Event::Start(
                Tag::Paragraph | Tag::HtmlBlock | Tag::List(None) | Tag::Item | Tag::Table(_),
            )
            | Event::Start(Tag::Strong)
            | Event::End(_) => {}
            other @ (Event::Start(_)
            | Event::Code(_)
            | Event::InlineMath(_)
            | Event::DisplayMath(_)
            | Event::FootnoteReference(_)
            | Event::HardBreak
            | Event::Rule
            | Event::TaskListMarker(_)) => res.others.push(format!("{other:?}")),
        }
    }
    res
}

/// Returns the names of the tags in some HTML, closing ones with their slash.
fn tags(html: &str) -> Vec<&str> {
    let starts = html.split('<').skip(1);
    starts.map(|it| it.split(['>', ' ', '\n']).next().unwrap_or_default()).collect()
}

/// Returns the visible characters of a text that is shown in part.
fn essence(text: &str) -> String {
    let is_seen = |c: &char| !c.is_whitespace() && !c.is_control();
    text.chars().filter(is_seen).filter(|it| !"\u{fffe}\u{fffd}\u{200b}…".contains(*it)).collect()
}

#[test]
fn only_our_own_markup_is_read() {
    for (name, report) in awkward::reports() {
        let read = read(&text(&report));
        assert_eq!(read.others, Vec::<String>::new(), "{name}");
        let ours = ["!--", "details", "summary", "code", "b"];
        let tags = tags(&read.html);
        for tag in &tags {
            assert!(ours.contains(&tag.trim_start_matches('/')), "{name}: <{tag}>");
        }
        for tag in &ours[1..] {
            let n_open = tags.iter().filter(|it| *it == tag).count();
            let n_closed = tags.iter().filter(|it| **it == format!("/{tag}")).count();
            assert_eq!(n_open, n_closed, "{name}: {tag}");
        }
        let [heading] = &read.headings[..] else { panic!("{name}: {:?}", read.headings) };
        let summary = Summary::of(&report);
        assert_eq!(*heading, format!("gimlet: {}", summary.headline()), "{name}");
    }
}

#[test]
fn a_fold_for_each_finding_one_for_refusals_and_one_for_coverage() {
    for (name, report) in awkward::reports() {
        let text = text(&report);
        let read = read(&text);
        let ranked = ranked(&report);
        let n_folds = tags(&read.html).iter().filter(|it| **it == "details").count();
        let is_cut = text.contains("there is no room for them here");
        let n_others =
            usize::from(!ranked.folded.is_empty()) + usize::from(!report.modules.is_empty());
        let n_findings = n_folds - n_others;
        assert_eq!(is_cut, n_findings < ranked.shown.len(), "{name}");
        let mut blocks = read.blocks.iter();
        for (unit, finding) in ranked.shown.iter().take(n_findings) {
            let language = report.language(&unit.language);
            let call = format!("{}{}{}", language.prompt, finding.shown, language.end);
            let block = blocks.find(|it| essence(&it.1) == essence(&call));
            let block = block.unwrap_or_else(|| panic!("{name}: no {call}"));
            assert_eq!(block.0, unit.language, "{name}");
            let says = blocks.next().expect("how it ends");
            assert_eq!(essence(&says.1), essence(&finding.says.join("\n")), "{name}");
            let because = essence(&finding.because);
            let start: String = because.chars().take(100).collect();
            assert!(essence(&read.words).contains(&start), "{name}: no {because}");
        }
    }
}

#[test]
fn tables_have_the_counts_of_the_report() {
    for (name, report) in awkward::reports() {
        let read = read(&text(&report));
        let summary = Summary::of(&report);
        let counts: Vec<usize> =
            read.rows[1].iter().take(6).map(|it| it.parse().expect("a number")).collect();
        let expected = [
            summary.n_promises,
            summary.n_suspicious,
            summary.n_races,
            summary.n_refusals,
            summary.n_known,
            summary.n_ignored,
        ];
        assert_eq!(counts, expected, "{name}");
        let columns = [8, 3];
        assert!(read.rows.iter().all(|it| columns.contains(&it.len())), "{name}");
        for module in report.modules.iter().take(5) {
            let clauses = format!("{}/{}", module.clauses.covered, module.clauses.total);
            let is_meant = |it: &&Vec<String>| it[0] == module.title && it[1] == clauses;
            assert!(read.rows.iter().any(|it| is_meant(&it)), "{name}: {}", module.title);
        }
    }
}

#[test]
fn a_comment_is_never_too_long() {
    for (name, report) in awkward::reports() {
        assert!(text(&report).chars().count() <= MAX_CHARS, "{name}");
    }
    for text in [awkward::HOSTILE, "@", "<", "\u{1d54f}", "`", "- x\n\n"] {
        check_length(&text.repeat(20_000 / text.len()));
    }
}

/// Checks the length of a large report whose texts are all `hostile`.
fn check_length(hostile: &str) {
    let mut report = samples::large(60, 8);
    for unit in &mut report.units {
        unit.title.push_str(hostile);
        unit.trouble = Some(hostile.to_owned());
        for finding in &mut unit.findings {
            finding.shown = hostile.to_owned();
            finding.because = hostile.to_owned();
        }
    }
    for module in &mut report.modules {
        module.title = hostile.to_owned();
    }
    let text = text(&report);
    assert!(text.len() <= MAX_CHARS, "{} bytes", text.len());
    assert!(text.contains("there is no room for them here"));
    assert_eq!(read(&text).others, Vec::<String>::new());
}

/// GitHub notifies a person of `@name` outside of code.
#[test]
fn nobody_is_mentioned() {
    let read = read(&text(&awkward::report()));
    assert!(read.prose.contains("@\u{200b}someone"), "{}", read.prose);
    assert!(!read.prose.contains("@someone"), "{}", read.prose);
    assert!(!read.prose.contains("#1"), "{}", read.prose);
}

#[test]
fn golden() {
    expect_file!["golden/erlang.md"].assert_eq(&text(&samples::erlang()));
    expect_file!["golden/interrupted.md"].assert_eq(&text(&samples::interrupted()));
    expect_file!["golden/awkward.md"].assert_eq(&text(&awkward::report()));
}
