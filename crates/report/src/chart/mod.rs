//! A message sequence chart, as data, as text, and as a picture. It has a column for each process and a row for each
//! step.

use serde::{Deserialize, Serialize};

mod svg;

pub use svg::svg;
pub(crate) use svg::svg_element;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chart {
    /// The names of the processes and timers.
    pub columns: Vec<String>,
    pub rows: Vec<Row>,
}

/// A step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    pub column: usize,
    pub what: String,
    pub sent: Vec<Mail>,
    /// The columns of the processes that the step started.
    pub started: Vec<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mail {
    pub to: usize,
    pub text: String,
    pub fate: Fate,
}

/// What happened to a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fate {
    Taken,
    /// No process received it.
    Left,
    Lost,
}

impl Chart {
    /// Returns the chart as text. Long charts are cut in the middle.
    pub fn lines(&self) -> Vec<String> {
        let names = &self.columns;
        let width = names.iter().map(|it| it.chars().count()).max().unwrap_or(1) + 3;
        let mut res = vec![names.iter().map(|it| format!("{it:<width$}")).collect::<String>()];
        for row in &self.rows {
            let from = row.column * width;
            let mut cells: Vec<char> = vec![' '; names.len() * width];
            for column in 0..names.len() {
                put(&mut cells, column * width, '│');
            }
            for mail in row.sent.iter().filter(|it| it.to != row.column) {
                let to = mail.to * width;
                let between = from.min(to) + 1..from.max(to);
                between.for_each(|it| put(&mut cells, it, '─'));
                if mail.fate == Fate::Lost {
                    put(&mut cells, if from < to { to - 1 } else { to + 1 }, '✗');
                } else {
                    put(&mut cells, to, if from < to { '▶' } else { '◀' });
                }
            }
            put(&mut cells, from, '●');
            let text = |it: &Mail| match it.fate {
                Fate::Taken | Fate::Left => it.text.clone(),
                Fate::Lost => format!("{} (lost)", it.text),
            };
            let texts: Vec<String> = row.sent.iter().map(text).collect();
            let sent =
                if texts.is_empty() { String::new() } else { format!("  {}", texts.join(", ")) };
            res.push(format!("{}{}{sent}", cells.into_iter().collect::<String>(), row.what));
        }
        if res.len() > MAX_ROWS {
            let n_cut = res.len() - MAX_ROWS;
            let half = MAX_ROWS / 2;
            res.splice(half..half + n_cut, [format!("… {n_cut} more steps …")]);
        }
        res
    }
}

const MAX_ROWS: usize = 60;

fn put(row: &mut [char], at: usize, c: char) {
    if let Some(slot) = row.get_mut(at) {
        *slot = c;
    }
}
