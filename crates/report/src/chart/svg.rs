//! A message sequence chart as a picture that needs nothing else: no script, no font, no other file.

use crate::chart::{Chart, Fate, Row};
use std::fmt::Write;

/// Pixels.
const TOP: usize = 74;
const ROW: usize = 30;
const LEFT: usize = 24;
/// Of a character of the text, about.
const LETTER: usize = 7;
const LEAST_COLUMN: usize = 96;
const MOST_COLUMN: usize = 320;
/// Characters of what is written; the report has all of it.
const MAX_TEXT: usize = 120;

const STYLE: &str = "
  text { font: 12px ui-monospace, Menlo, Consolas, monospace; fill: #1f2328 }
  .page { fill: #ffffff }
  .title { font-weight: bold; font-size: 14px }
  .head { fill: #eef2f7; stroke: #8c959f }
  .name { font-weight: bold; text-anchor: middle }
  .life { stroke: #afb8c1; stroke-dasharray: 3 3 }
  .band { fill: #f6f8fa }
  .sent { stroke: #0969da; stroke-width: 1.5; fill: none; marker-end: url(#arrow) }
  .left { stroke: #9a6700; stroke-dasharray: 5 3 }
  .lost { stroke: #cf222e; stroke-dasharray: 2 4; fill: none }
  .starts { stroke: #57606a; stroke-dasharray: 2 2; fill: none; marker-end: url(#child) }
  .mail { text-anchor: middle; fill: #0969da; stroke: #ffffff; stroke-width: 4; paint-order: stroke }
  .step { fill: #1f2328 }
  .bad { fill: #cf222e }
  .nth { fill: #8c959f; text-anchor: end }
";

/// The chart as an SVG document.
pub fn svg(chart: &Chart, title: &str) -> String {
    let picture = Picture::new(chart);
    let longest = chart.rows.iter().map(|it| cut(&it.what).chars().count()).max().unwrap_or(0);
    let width = (picture.notes_at() + longest * LETTER + LEFT)
        .max(LEFT * 2 + cut(title).chars().count() * (LETTER + 2));
    let height = picture.y(chart.rows.len()) + LEFT;
    let mut out = String::new();
    let title = escaped(&cut(title));
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\">\n<title>{title}</title>\n\
         <style>{STYLE}</style>\n<defs>{}{}</defs>\n\
         <rect class=\"page\" width=\"100%\" height=\"100%\"/>\n\
         <text class=\"title\" x=\"{LEFT}\" y=\"24\">{title}</text>",
        marker("arrow", "#0969da"),
        marker("child", "#57606a"),
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
    column: usize,
}

impl Picture<'_> {
    /// Columns are as far apart as the longest message between neighbours needs.
    fn new(chart: &Chart) -> Picture<'_> {
        let names = chart.columns.iter().map(|it| (it.chars().count() + 4) * LETTER);
        let mails = chart.rows.iter().flat_map(|row| {
            row.sent.iter().map(|it| {
                let apart = row.column.abs_diff(it.to).max(1);
                (cut(&it.text).chars().count() + 3) * LETTER / apart
            })
        });
        let widest = names.chain(mails).max().unwrap_or(LEAST_COLUMN);
        Picture { chart, column: widest.clamp(LEAST_COLUMN, MOST_COLUMN) }
    }

    fn x(&self, column: usize) -> usize {
        LEFT + 20 + self.column / 2 + column * self.column
    }

    fn y(&self, row: usize) -> usize {
        TOP + ROW + row * ROW
    }

    /// Where it is said what steps do.
    fn notes_at(&self) -> usize {
        LEFT + 20 + self.chart.columns.len() * self.column + 12
    }

    /// The head and the line of each process, from where it is started.
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
            writeln!(out, "<path class=\"starts\" d=\"M{x} {y}H{}\"/>", beside(x, to)).ok();
        }
        for mail in &row.sent {
            let class = match mail.fate {
                Fate::Taken => "sent",
                Fate::Left => "sent left",
                Fate::Lost => "lost",
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
                "<path class=\"{class}\" d=\"{path}\"/>\n\
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

/// The tip of an arrow, just before the line that it leads to.
fn beside(from: usize, to: usize) -> usize {
    if from < to { to - 6 } else { to + 6 }
}

fn marker(id: &str, colour: &str) -> String {
    format!(
        "<marker id=\"{id}\" viewBox=\"0 0 8 8\" refX=\"6\" refY=\"4\" markerWidth=\"8\" \
         markerHeight=\"8\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"{colour}\"/></marker>"
    )
}

fn cut(text: &str) -> String {
    if text.chars().count() <= MAX_TEXT {
        return text.to_owned();
    }
    text.chars().take(MAX_TEXT - 1).chain(['…']).collect()
}

/// As text of XML 1.0, which has no way to say most control characters.
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
    use super::{cut, escaped};

    #[test]
    fn texts_are_safe_and_short() {
        assert_eq!(escaped("<<\"a&b\">>\u{0}"), "&lt;&lt;&quot;a&amp;b&quot;&gt;&gt;\u{fffd}");
        assert_eq!(cut(&"x".repeat(500)).chars().count(), super::MAX_TEXT);
        assert_eq!(cut("short"), "short");
    }
}
