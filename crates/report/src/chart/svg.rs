//! A message sequence chart as a self-contained SVG picture: no script, no font, no other file.

use crate::chart::{Chart, Fate, Row};
use std::fmt::Write;

// Lengths are in pixels.
const TOP: usize = 74;
const ROW: usize = 30;
const LEFT: usize = 24;
/// The approximate width of a character of the text.
const LETTER: usize = 7;
const LEAST_COLUMN: usize = 96;
const MOST_COLUMN: usize = 320;
/// The maximal length of a text in the picture, in characters; the report has the whole text.
const MAX_TEXT: usize = 120;

/// The style of the picture. Every rule begins with the picture's class, so that it does not affect a page that
/// contains the picture.
const STYLE: &str = "
  .chart text { font: 12px ui-monospace, Menlo, Consolas, monospace; fill: #1f2328 }
  .chart .page { fill: #ffffff }
  .chart .title { font-weight: bold; font-size: 14px }
  .chart .head { fill: #eef2f7; stroke: #8c959f }
  .chart .name { font-weight: bold; text-anchor: middle }
  .chart .life { stroke: #afb8c1; stroke-dasharray: 3 3 }
  .chart .band { fill: #f6f8fa }
  .chart .sent { stroke: #0969da; stroke-width: 1.5; fill: none }
  .chart .left { stroke: #9a6700; stroke-dasharray: 5 3 }
  .chart .lost { stroke: #cf222e; stroke-dasharray: 2 4; fill: none }
  .chart .starts { stroke: #57606a; stroke-dasharray: 2 2; fill: none }
  .chart .mail { text-anchor: middle; fill: #0969da; stroke: #ffffff; stroke-width: 4; paint-order: stroke }
  .chart .arrow { fill: #0969da }
  .chart .child { fill: #57606a }
  .chart .step { fill: #1f2328 }
  .chart .bad { fill: #cf222e }
  .chart .nth { fill: #6e7781; text-anchor: end }
  @media (prefers-color-scheme: dark) {
    .chart text, .chart .step { fill: #e4e8ee }
    .chart .page { fill: #0e1116 }
    .chart .head { fill: #222a35; stroke: #6b7684 }
    .chart .life { stroke: #4a5462 }
    .chart .band { fill: #151a21 }
    .chart .sent { stroke: #6cb0ff }
    .chart .left { stroke: #e8b75a }
    .chart .lost { stroke: #ff8b82 }
    .chart .starts { stroke: #9aa5b1 }
    .chart .mail { fill: #6cb0ff; stroke: #0e1116 }
    .chart .arrow { fill: #6cb0ff }
    .chart .child, .chart .nth { fill: #9aa5b1 }
    .chart .bad { fill: #ff8b82 }
  }
";

/// Returns the chart as an SVG document with its style. It follows the colour scheme of the program that shows it.
pub fn svg(chart: &Chart, title: &str) -> String {
    drawn(chart, title, "", STYLE)
}

/// Returns the chart as an element of a page, whose style sheet has the rules for `.chart`. The `prefix` distinguishes
/// the ids of the element from those of other charts in the page.
pub(crate) fn svg_element(chart: &Chart, title: &str, prefix: &str) -> String {
    drawn(chart, title, prefix, "")
}

fn drawn(chart: &Chart, title: &str, prefix: &str, style: &str) -> String {
    let picture = Picture::new(chart, prefix);
    let longest = chart.rows.iter().map(|it| cut(&it.what).chars().count()).max().unwrap_or(0);
    let width = (picture.notes_at() + longest * LETTER + LEFT)
        .max(LEFT * 2 + cut(title).chars().count() * (LETTER + 2));
    let height = picture.y(chart.rows.len()) + LEFT;
    let mut out = String::new();
    let title = escaped(&cut(title));
    let style = match style {
        "" => String::new(),
        rules => format!("<style>{rules}</style>\n"),
    };
    writeln!(
        out,
        "<svg class=\"chart\" xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" \
         height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"img\">\n\
         <title>{title}</title>\n{style}<defs>{}{}</defs>\n\
         <rect class=\"page\" width=\"100%\" height=\"100%\"/>\n\
         <text class=\"title\" x=\"{LEFT}\" y=\"24\">{title}</text>",
        marker(prefix, "arrow"),
        marker(prefix, "child"),
    )
    .ok();
    for n in (1..chart.rows.len()).step_by(2) {
        let top = picture.y(n) - ROW / 2;
        writeln!(
            out,
            "<rect class=\"band\" x=\"0\" y=\"{top}\" width=\"{width}\" height=\"{ROW}\"/>"
        )
        .ok();
    }
    picture.lives(&mut out);
    for (n, row) in chart.rows.iter().enumerate() {
        picture.row(&mut out, n, row);
    }
    out.push_str("</svg>\n");
    out
}

struct Picture<'a> {
    chart: &'a Chart,
    /// The prefix of the ids in the picture.
    prefix: &'a str,
    /// The distance between two columns.
    column: usize,
}

impl Picture<'_> {
    /// Makes the columns as far apart as the longest message between neighbours needs.
    fn new<'a>(chart: &'a Chart, prefix: &'a str) -> Picture<'a> {
        let names = chart.columns.iter().map(|it| (it.chars().count() + 4) * LETTER);
        let mails = chart.rows.iter().flat_map(|row| {
            row.sent.iter().map(|it| {
                let apart = row.column.abs_diff(it.to).max(1);
                (cut(&it.text).chars().count() + 3) * LETTER / apart
            })
        });
        let widest = names.chain(mails).max().unwrap_or(LEAST_COLUMN);
        Picture { chart, prefix, column: widest.clamp(LEAST_COLUMN, MOST_COLUMN) }
    }

    fn x(&self, column: usize) -> usize {
        LEFT + 20 + self.column / 2 + column * self.column
    }

    fn y(&self, row: usize) -> usize {
        TOP + ROW + row * ROW
    }

    /// Returns the position of the descriptions of the steps.
    fn notes_at(&self) -> usize {
        LEFT + 20 + self.chart.columns.len() * self.column + 12
    }

    /// Returns the attribute that gives a line its arrow head.
    fn tip(&self, marker: &str) -> String {
        format!(" marker-end=\"url(#{}{marker})\"", self.prefix)
    }

    /// Draws the head and the line of each process, from where it is started.
    fn lives(&self, out: &mut String) {
        for (column, name) in self.chart.columns.iter().enumerate() {
            let rows = &self.chart.rows;
            let born = rows.iter().position(|it| it.started.contains(&column));
            let last = rows.iter().rposition(|it| {
                it.column == column || it.sent.iter().any(|mail| mail.to == column)
            });
            let (x, half) = (self.x(column), (name.chars().count() + 2) * LETTER / 2 + 4);
            let from = born.map_or(TOP, |it| self.y(it));
            let to = self.y(last.unwrap_or(0)) + ROW / 2;
            writeln!(
                out,
                "<line class=\"life\" x1=\"{x}\" y1=\"{from}\" x2=\"{x}\" y2=\"{to}\"/>\n\
                 <rect class=\"head\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"24\" rx=\"4\"/>\n\
                 <text class=\"name\" x=\"{x}\" y=\"{}\">{}</text>",
                x.saturating_sub(half),
                TOP - 34,
                2 * half,
                TOP - 18,
                escaped(name)
            )
            .ok();
        }
    }

    fn row(&self, out: &mut String, n: usize, row: &Row) {
        let (x, y) = (self.x(row.column), self.y(n));
        let number = n + 1;
        writeln!(out, "<text class=\"nth\" x=\"{}\" y=\"{}\">{number}</text>", LEFT + 8, y + 4)
            .ok();
        for to in row.started.iter().map(|it| self.x(*it)).filter(|it| *it != x) {
            let (tip, end) = (self.tip("child"), beside(x, to));
            writeln!(out, "<path class=\"starts\"{tip} d=\"M{x} {y}H{end}\"/>").ok();
        }
        for mail in &row.sent {
            let (class, tip) = match mail.fate {
                Fate::Taken => ("sent", self.tip("arrow")),
                Fate::Left => ("sent left", self.tip("arrow")),
                Fate::Lost => ("lost", String::new()),
            };
            let to = self.x(mail.to);
            let (path, middle) = if to == x {
                (
                    format!("M{x} {}h26v10h-18", y - 5),
                    x + 34 + mail.text.chars().count() * LETTER / 2,
                )
            } else {
                (format!("M{x} {y}H{}", beside(x, to)), usize::midpoint(x, to))
            };
            let mut text = escaped(&cut(&mail.text));
            if mail.fate == Fate::Lost {
                text.push_str(" ✗");
            }
            writeln!(
                out,
                "<path class=\"{class}\"{tip} d=\"{path}\"/>\n\
                 <text class=\"mail\" x=\"{middle}\" y=\"{}\">{text}</text>",
                y - 5
            )
            .ok();
        }
        let is_bad = row.what.starts_with("fails") || row.what.starts_with("is ended");
        let class = if is_bad { "step bad" } else { "step" };
        writeln!(
            out,
            "<circle class=\"{class}\" cx=\"{x}\" cy=\"{y}\" r=\"4.5\"/>\n\
             <text{} x=\"{}\" y=\"{}\">{}</text>",
            if is_bad { " class=\"bad\"" } else { "" },
            self.notes_at(),
            y + 4,
            escaped(&cut(&row.what))
        )
        .ok();
    }
}

/// Returns the position of an arrow's tip, just before the line that it leads to.
fn beside(from: usize, to: usize) -> usize {
    if from < to { to - 6 } else { to + 6 }
}

/// Returns the definition of an arrow head. Its class determines its colour.
fn marker(prefix: &str, name: &str) -> String {
    format!(
        "<marker id=\"{prefix}{name}\" viewBox=\"0 0 8 8\" refX=\"6\" refY=\"4\" \
         markerWidth=\"8\" markerHeight=\"8\" orient=\"auto\">\
         <path class=\"{name}\" d=\"M0 0L8 4L0 8z\"/></marker>"
    )
}

fn cut(text: &str) -> String {
    if text.chars().count() <= MAX_TEXT {
        return text.to_owned();
    }
    text.chars().take(MAX_TEXT - 1).chain(['…']).collect()
}

/// Escapes text for XML 1.0, which cannot represent most control characters.
fn escaped(text: &str) -> String {
    let mut res = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => res.push_str("&amp;"),
            '<' => res.push_str("&lt;"),
            '>' => res.push_str("&gt;"),
            '"' => res.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => res.push('\u{fffd}'),
            c if c.is_control() => res.push('\u{fffd}'),
            c => res.push(c),
        }
    }
    res
}

#[cfg(test)]
mod tests {
    use super::{cut, escaped, svg, svg_element};
    use crate::chart::{Chart, Fate, Mail, Row};

    #[test]
    fn texts_are_safe_and_short() {
        assert_eq!(escaped("<<\"a&b\">>\u{0}"), "&lt;&lt;&quot;a&amp;b&quot;&gt;&gt;\u{fffd}");
        assert_eq!(cut(&"x".repeat(500)).chars().count(), super::MAX_TEXT);
        assert_eq!(cut("short"), "short");
    }

    #[test]
    fn two_charts_in_one_page_share_neither_ids_nor_styles() {
        let sent = Mail { to: 1, text: "hello".to_owned(), fate: Fate::Taken };
        let row = Row { column: 0, what: "sends".to_owned(), sent: vec![sent], started: vec![1] };
        let chart = Chart { columns: vec!["P".to_owned(), "Q".to_owned()], rows: vec![row] };
        let alone = svg(&chart, "title");
        assert!(alone.contains("<style>") && alone.contains("url(#arrow)"), "{alone}");
        let element = svg_element(&chart, "title", "f7-");
        assert!(!element.contains("<style>"), "{element}");
        assert!(element.contains("id=\"f7-arrow\"") && element.contains("url(#f7-child)"));
        assert!(!element.contains("url(#arrow)") && !element.contains("id=\"arrow\""));
    }
}
