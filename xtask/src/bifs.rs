//! Writes `docs/bifs.md`: every builtin and how it is supported, from the tables themselves.

use erlang::builtins::{self, Builtin, Effect, How};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// Writes the page anew.
pub(crate) fn write() -> Result<String, String> {
    fs::write(path(), page()).map_err(|it| it.to_string())?;
    Ok(format!("wrote {}\n", path().display()))
}

fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/bifs.md")
}

fn page() -> String {
    let mut modules: BTreeMap<&str, Vec<&Builtin>> = BTreeMap::new();
    for builtin in builtins::all() {
        modules.entry(builtin.module).or_default().push(builtin);
    }
    let n_builtins: usize = modules.values().map(Vec::len).sum();
    let mut page = format!(
        "# Builtins\n\n\
         <!-- Made by `cargo xtask bifs` from the tables in crates/erlang/src/builtins. -->\n\n\
         The {n_builtins} functions that do not run as Erlang code. Everything else of OTP is \
         loaded and run by the machine.\n\n\
         - *native*: computed by the machine, compared with BEAM in the tests.\n\
         - *control*: done by the interpreter itself.\n\
         - *machine*: done by the machine between two steps of the program.\n\
         - *OTP*: OTP's own code, named here because it is refused unless allowed.\n\
         - *host*: a pure function that the real runtime computes for us.\n\n\
         The last column says what a function touches besides its arguments. Files, the network \
         and the operating system are refused unless `--allow` names them.\n"
    );
    for (module, mut rows) in modules {
        rows.sort_by_key(|it| (it.name, it.arity));
        write!(page, "\n## {module}\n\n| function | how | touches |\n|---|---|---|\n").ok();
        for row in rows {
            let name = row.name.replace('|', "\\|");
            writeln!(page, "| `{name}/{}` | {} | {} |", row.arity, how(row), touches(row)).ok();
        }
    }
    page
}

fn how(row: &Builtin) -> &'static str {
    match row.how {
        How::Native(_) | How::Outside(_) => "native",
        How::Code => "OTP",
        How::Machine(_) => "machine",
        How::Host => "host",
        How::Control(_) => "control",
    }
}

fn touches(row: &Builtin) -> &'static str {
    match row.effect {
        Effect::Pure | Effect::Machine if row.reads_environment() => "the environment",
        Effect::Pure => "",
        Effect::Machine => "the machine",
        Effect::Files => "files",
        Effect::Network => "the network",
        Effect::Os => "the operating system",
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "it reads the page that it keeps")]
fn the_page_of_builtins_is_up_to_date() {
    let found = fs::read_to_string(path()).unwrap_or_default();
    assert!(found == page(), "docs/bifs.md is old: run `cargo xtask bifs`");
}
