//! A message sequence chart: a column for each process, a row for each step. As data, and as text.

use erlang::machine::Staged;
use trace::{Actor, MessageId, Stage, Step, Take};

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Chart {
    /// The names of the processes and timers.
    pub(crate) columns: Vec<String>,
    pub(crate) rows: Vec<Row>,
}

/// One step.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    pub(crate) column: usize,
    pub(crate) what: String,
    pub(crate) sent: Vec<Mail>,
    /// The columns of those that the step started.
    pub(crate) started: Vec<usize>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Mail {
    pub(crate) to: usize,
    pub(crate) text: String,
    pub(crate) fate: Fate,
}

/// What becomes of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Taken,
    /// Nobody received it.
    Left,
    Lost,
}

impl Chart {
    pub(crate) fn new(stage: &Staged<'_>, steps: &[Step]) -> Chart {
        let mut actors: Vec<Actor> = Vec::new();
        for step in steps {
            let all = step.sent.iter().chain(&step.lost).map(|it| it.to);
            let all = step.spawned.iter().copied().chain(all);
            for actor in std::iter::once(step.label.actor).chain(all) {
                if !actors.contains(&actor) {
                    actors.push(actor);
                }
            }
        }
        let place = |actor: Actor| actors.iter().position(|it| *it == actor);
        let is_taken = |id: MessageId| steps.iter().any(|it| it.label.take == Take::Message(id));
        let row = |step: &Step| {
            let text = step.text.clone().unwrap_or_default();
            let fate = |id| if is_taken(id) { Fate::Taken } else { Fate::Left };
            let sent = step.sent.iter().zip(text.sent).map(|(sent, text)| {
                let fate = fate(sent.message);
                ((sent, text), fate)
            });
            let lost = step.lost.iter().zip(text.lost).map(|it| (it, Fate::Lost));
            let mail = |((sent, text), fate): ((&trace::Sent, String), Fate)| {
                Some(Mail { to: place(sent.to)?, text, fate })
            };
            Some(Row {
                column: place(step.label.actor)?,
                what: text.what,
                sent: sent.chain(lost).filter_map(mail).collect(),
                started: step.spawned.iter().filter_map(|it| place(*it)).collect(),
            })
        };
        Chart {
            columns: actors.iter().map(|it| stage.name(*it)).collect(),
            rows: steps.iter().filter_map(row).collect(),
        }
    }

    /// Longer charts are cut in the middle.
    pub(crate) fn lines(&self) -> Vec<String> {
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
