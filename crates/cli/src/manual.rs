//! Manual pages and shell completions, both generated from the definition of the command line.

use crate::args::CommandLine;
use crate::diagnostic::Diagnostic;
use crate::explain::Code;
use clap::{Command, CommandFactory};
use clap_complete::{Shell, generate};
use clap_mangen::Man;
use std::path::Path;
use std::process::ExitCode;
use std::{fs, io};

pub(crate) fn completions(shell: Shell) -> (Vec<u8>, ExitCode) {
    let mut out = Vec::new();
    generate(shell, &mut CommandLine::command(), "gimlet", &mut out);
    (out, ExitCode::SUCCESS)
}

/// Returns the manual page of the whole tool, or writes a page for each command to a directory.
pub(crate) fn manual(dir: Option<&Path>) -> Result<(Vec<u8>, ExitCode), Diagnostic> {
    let command = CommandLine::command().disable_help_subcommand(true);
    let Some(dir) = dir else {
        let text = page(command).map_err(|it| cannot(Path::new("standard output"), &it))?;
        return Ok((text, ExitCode::SUCCESS));
    };
    fs::create_dir_all(dir).map_err(|it| cannot(dir, &it))?;
    let mut said = String::new();
    let own = command.get_subcommands().map(|it| {
        let name = format!("gimlet-{}", it.get_name());
        it.clone().name(name.clone()).display_name(name).version(env!("CARGO_PKG_VERSION"))
    });
    for it in own.chain([command.clone()]) {
        let path = dir.join(format!("{}.1", it.get_name()));
        page(it).and_then(|text| fs::write(&path, text)).map_err(|it| cannot(&path, &it))?;
        said.push_str(&format!("wrote {}\n", path.display()));
    }
    Ok((said.into_bytes(), ExitCode::SUCCESS))
}

fn page(command: Command) -> io::Result<Vec<u8>> {
    let mut out = Vec::new();
    Man::new(command).manual("Gimlet").render(&mut out)?;
    Ok(out)
}

fn cannot(path: &Path, why: &io::Error) -> Diagnostic {
    Diagnostic::new(Code::CanNotWrite, format!("{} can't be written: {why}", path.display()))
}
