//! JSON: the report as it is, for programs. `docs/report.schema.json` describes it.

use super::{Format, View};
use crate::data::Report;
use std::io;

pub(super) const FORMAT: Format =
    Format { name: "json", about: "the whole report as one JSON document", write };

fn write(report: &Report, _: &View, out: &mut dyn io::Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, report)?;
    writeln!(out)
}
