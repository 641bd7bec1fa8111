//! Writes `docs/bifs.md` from the tables of builtins: every builtin and how it is supported.

use erlang::builtins::{self, Builtin, Effect, How, OnBeam, Shares, TableUse};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use trace::Mode;

/// Writes the page.
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
         *touches* says what a function touches besides its arguments. Files, the network \
         and the operating system are refused unless `--allow` names them. *shares* is what a call has \
         in common with other processes, from which `--schedules` knows which steps depend on each \
         other; nothing if it is empty. *back end* says where `--backend beam` runs it: on BEAM and \
         on the machine alike, on BEAM alone with its result noted, by the agent in a way that hides \
         what the back end has added, or never, because its effect would outlast the run.\n"
    );
    for (module, mut rows) in modules {
        rows.sort_by_key(|it| (it.name, it.arity));
        write!(page, "\n## {module}\n\n| function | how | touches | shares | back end |\n|---|---|---|---|---|\n").ok();
        for row in rows {
            let name = row.name.replace('|', "\\|");
            let (arity, shares) = (row.arity, shares(row.shares));
            let columns = [how(row), touches(row), &shares, on_beam(row)].join(" | ");
            writeln!(page, "| `{name}/{arity}` | {columns} |").ok();
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

fn shares(shares: Shares) -> String {
    let of = |mode: Mode, what: &str| match mode {
        Mode::Read | Mode::ReadPart => format!("reads {what}"),
        Mode::Write | Mode::WritePart | Mode::Put(_) | Mode::Mail => format!("writes {what}"),
    };
    let text = match shares {
        Shares::Nothing => "",
        Shares::InItsCode => "what its code does",
        Shares::Everything => "everything",
        Shares::Spawn | Shares::SpawnLinked => "starts a process",
        Shares::Population => "reads which processes there are",
        Shares::Send => "sends",
        Shares::ExitSignal => "sends a signal",
        Shares::Monitor | Shares::Demonitor => "monitors",
        Shares::Unalias => "ends an alias",
        Shares::Register | Shares::Unregister => "writes a name",
        Shares::WhereIs => "reads a name",
        Shares::RegisteredNames => "reads all names",
        Shares::IsAlive => "reads whether a process is alive",
        Shares::ProcessFlag | Shares::FlagOfOther => "writes flags of a process",
        Shares::ProcessInfo => "reads a process",
        Shares::StartTimer => "starts a timer",
        Shares::Clock => "reads the clock",
        Shares::UniqueInteger => "counts",
        Shares::Nodes => "reads the nodes",
        Shares::Variables => "reads the environment",
        Shares::SystemInfo => "reads the runtime's settings",
        Shares::Handle => "writes what its handle stands for",
        Shares::GroupLeader(mode) => return of(mode, "a group leader"),
        Shares::Link(_) => "links",
        Shares::Timer(mode) => return of(mode, "a timer"),
        Shares::PersistentTerm(mode) => return of(mode, "a persistent term"),
        Shares::PersistentTerms(mode) => return of(mode, "all persistent terms"),
        Shares::Cell(mode) => return of(mode, "a cell"),
        Shares::Node(mode) => return of(mode, "the connection to a node"),
        Shares::Variable(mode) => return of(mode, "a variable of the environment"),
        Shares::SystemFlags(mode) => return of(mode, "the runtime's settings"),
        Shares::Ports(mode) => return of(mode, "ports"),
        Shares::Files(mode) => return of(mode, "files"),
        Shares::LoadedCode(mode) => return of(mode, "the loaded code"),
        Shares::CodePath(mode) => return of(mode, "the code path"),
        Shares::Table(using) => match using {
            TableUse::New => "makes a table",
            TableUse::WhereIs => "reads the name of a table",
            TableUse::Whole(mode) => return of(mode, "a table"),
            TableUse::Key(mode) => return of(mode, "a key of a table"),
            TableUse::ChangeKey => "writes a key of a table",
            TableUse::Insert | TableUse::InsertNew | TableUse::DeleteObject => {
                "writes keys of a table"
            }
            TableUse::Delete | TableUse::GiveAway | TableUse::Rename | TableUse::SetOptions => {
                "writes a table"
            }
        },
    };
    text.to_owned()
}

fn on_beam(row: &Builtin) -> &'static str {
    match row.on_beam {
        OnBeam::Alike | OnBeam::AlikeIf(_) => "alike",
        OnBeam::Noted | OnBeam::NotedIf(_) => "noted",
        OnBeam::ByAgent(_) => "agent",
        OnBeam::Never => "never",
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "it reads the page that it keeps")]
fn the_page_of_builtins_is_up_to_date() {
    let found = fs::read_to_string(path()).unwrap_or_default();
    assert!(found == page(), "docs/bifs.md is old: run `cargo xtask bifs`");
}
