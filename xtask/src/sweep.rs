//! `cargo xtask sweep`: runs the tool on every module of the libraries of Erlang, Elixir and SWI-Prolog.
//!
//! Checks that the tool terminates by itself, that its memory stays bounded, and that each confirmed finding
//! is reproduced by a fresh `erl` without the tool.
#![expect(clippy::disallowed_methods, reason = "a chore starts the tool and looks at its memory")]

use report::{Kind, Report, Unit};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

const USAGE: &str =
    "usage: cargo xtask sweep [--modules NAME[,NAME]] [--time TIME] [--gimlet FILE]";

/// The applications of OTP whose modules are tested.
const APPLICATIONS: &[&str] = &["stdlib", "kernel", "compiler"];
/// The maximum resident memory of the tool in bytes; it must not grow with the size of the tested module.
const MOST_MEMORY: u64 = 3 << 30;
const AGAIN: &str = include_str!("sweep/again.erl");

struct Options {
    /// The names of the modules to test; empty: all.
    modules: Vec<String>,
    time: String,
    gimlet: PathBuf,
}

/// A target of the tool, and the module name that users know.
struct SweptModule {
    name: String,
    target: String,
}

/// The result of testing a module.
struct ModuleResult {
    n_findings: usize,
    n_confirmed: usize,
    peak: u64,
    /// Violations of the checks.
    wrong: Vec<String>,
}

pub(crate) fn run(args: &[&str]) -> Result<String, String> {
    let options = options(args)?;
    let dir = tempdir()?;
    let mut wrong = Vec::new();
    let (mut n_modules, mut n_confirmed, mut most) = (0, 0, 0);
    for swept in modules()? {
        if !options.modules.is_empty() && !options.modules.contains(&swept.name) {
            continue;
        }
        let ended = sweep(&options, &swept, &dir);
        let ModuleResult { n_findings, n_confirmed: n, peak, wrong: found } = ended;
        eprint_line(&format!(
            "{}: {n_findings} findings, {n} confirmed, {} MiB{}",
            swept.name,
            peak >> 20,
            found.iter().map(|it| format!("\n  {it}")).collect::<String>()
        ));
        n_modules += 1;
        n_confirmed += n;
        most = most.max(peak);
        wrong.extend(found.into_iter().map(|it| format!("{}: {it}", swept.name)));
    }
    fs::remove_dir_all(&dir).map_err(|it| it.to_string())?;
    let summary = format!(
        "{n_modules} modules, {n_confirmed} confirmed findings, at most {} MiB, {} wrong\n",
        most >> 20,
        wrong.len()
    );
    if wrong.is_empty() { Ok(summary) } else { Err(format!("{}\n{summary}", wrong.join("\n"))) }
}

fn options(args: &[&str]) -> Result<Options, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut res = Options {
        modules: Vec::new(),
        time: "2s".to_owned(),
        gimlet: root.join("target/release/gimlet"),
    };
    for pair in args.chunks(2) {
        match pair {
            ["--modules", names] => res.modules = names.split(',').map(str::to_owned).collect(),
            ["--time", time] => (*time).clone_into(&mut res.time),
            ["--gimlet", file] => res.gimlet = PathBuf::from(file),
            _ => return Err(USAGE.to_owned()),
        }
    }
    match res.gimlet.is_file() {
        true => Ok(res),
        false => Err(format!("{} is not built; {USAGE}", res.gimlet.display())),
    }
}

/// Returns all modules to test, in the order of their names within their library.
fn modules() -> Result<Vec<SweptModule>, String> {
    let mut res = Vec::new();
    let asked = "[io:format(\"~s~n\", [code:lib_dir(A)]) || A <- [APPS]], halt().";
    let said =
        output("erl", &["-noshell", "-eval", &asked.replace("APPS", &APPLICATIONS.join(","))])?;
    for app in said.lines() {
        let stems = stems(&Path::new(app).join("ebin"), "beam");
        res.extend(stems.into_iter().map(|it| SweptModule { target: it.clone(), name: it }));
    }
    for stem in stems(Path::new("/usr/lib/elixir/lib/elixir/ebin"), "beam") {
        let target = stem.strip_prefix("Elixir.").unwrap_or(&stem).to_owned();
        res.push(SweptModule { target, name: stem });
    }
    let asked = "absolute_file_name(swi(library), D), write(D), nl";
    let library = output("swipl", &["-q", "-g", asked, "-t", "halt"]).unwrap_or_default();
    let library = Path::new(library.trim());
    for stem in stems(library, "pl") {
        let target = library.join(format!("{stem}.pl")).display().to_string();
        res.push(SweptModule { target, name: format!("{stem}.pl") });
    }
    Ok(res)
}

fn stems(dir: &Path, extension: &str) -> Vec<String> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten().map(|it| it.path());
    let named = entries.filter(|it| it.extension().is_some_and(|it| it == extension));
    let mut res: Vec<String> =
        named.filter_map(|it| Some(it.file_stem()?.to_str()?.to_owned())).collect();
    res.sort();
    res
}

fn output(program: &str, args: &[&str]) -> Result<String, String> {
    let done =
        Command::new(program).args(args).output().map_err(|it| format!("{program}: {it}"))?;
    Ok(String::from_utf8_lossy(&done.stdout).into_owned())
}

fn sweep(options: &Options, swept: &SweptModule, dir: &Path) -> ModuleResult {
    let mut ended = ModuleResult { n_findings: 0, n_confirmed: 0, peak: 0, wrong: Vec::new() };
    let written = dir.join("report.json");
    let file = fs::File::create(&written);
    let started = file.and_then(|file| {
        let mut command = Command::new(&options.gimlet);
        command.args(["test", &swept.target, "--time", &options.time, "-j", "1", "--no-config"]);
        command.args(["--format", "json"]).stdout(file).stderr(Stdio::null()).spawn()
    });
    let mut child = match started {
        Ok(child) => child,
        Err(error) => {
            ended.wrong.push(error.to_string());
            return ended;
        }
    };
    let status = loop {
        ended.peak = ended.peak.max(resident(child.id()));
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) => thread::sleep(LOOK),
            Err(error) => {
                ended.wrong.push(error.to_string());
                return ended;
            }
        }
    };
    if status.code().is_none_or(|it| it > 2) {
        ended.wrong.push(format!("it ended with {status}"));
    }
    if MOST_MEMORY < ended.peak {
        ended.wrong.push(format!("it took {} MiB", ended.peak >> 20));
    }
    let text = fs::read_to_string(&written).unwrap_or_default();
    // The tool writes no report for a module without testable units.
    let Ok(report) = serde_json::from_str::<Report>(&text) else { return ended };
    let failed = report.units.iter().filter_map(|it| Some((it, it.trouble.as_ref()?)));
    ended.wrong.extend(failed.map(|(unit, why)| format!("{}: {why}", unit.unit)));
    ended.n_findings = report.findings().count();
    let confirmed: Vec<(&Unit, &report::Finding)> = report
        .findings()
        .filter(|it| it.1.confirmed && it.1.schedule.is_none() && it.1.kind != Kind::Timeout)
        .filter(|it| it.0.language != "prolog" && !report::is_cut(&it.1.call))
        .collect();
    ended.n_confirmed = confirmed.len();
    ended.wrong.extend(untrue(dir, &confirmed));
    ended
}

const LOOK: Duration = Duration::from_millis(50);

/// Returns the peak resident memory of a process, in bytes.
fn resident(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|it| it.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|it| it.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) << 10
}

/// Returns the findings that a fresh runtime does not reproduce.
fn untrue(dir: &Path, confirmed: &[(&Unit, &report::Finding)]) -> Vec<String> {
    if confirmed.is_empty() {
        return Vec::new();
    }
    let mut text = String::new();
    for (_, it) in confirmed {
        let reason = if report::is_cut(&it.reason) { "none none" } else { &it.reason };
        writeln!(text, "{}\n{}\n{reason}", it.call, it.class).ok();
    }
    let source = dir.join("again.erl");
    let calls = dir.join("calls");
    let written = fs::write(&source, AGAIN).and_then(|()| fs::write(&calls, text));
    let compile = Command::new("erlc").arg("-o").arg(dir).arg(&source).status();
    if written.is_err() || !compile.is_ok_and(|it| it.success()) {
        return vec!["findings could not be tried again".to_owned()];
    }
    let mut erl = Command::new("erl");
    erl.args(["-noshell", "-pa"]).arg(dir);
    for path in elixir_paths() {
        erl.arg("-pz").arg(path);
    }
    let done = erl.args(["-s", "again", "main"]).arg(&calls).current_dir(dir).output();
    let said = done.map(|it| String::from_utf8_lossy(&it.stdout).into_owned()).unwrap_or_default();
    let mut verdicts: Vec<Option<&str>> = vec![None; confirmed.len()];
    for line in said.lines() {
        let (number, verdict) = line.split_once(' ').unwrap_or((line, ""));
        let place =
            number.parse::<usize>().ok().and_then(|it| verdicts.get_mut(it.checked_sub(1)?));
        if let Some(place) = place {
            *place = Some(verdict);
        }
    }
    let each = confirmed.iter().zip(verdicts).filter(|it| it.1 != Some("same"));
    each.map(|((_, of), verdict)| {
        let call: String = of.shown.chars().take(200).collect();
        format!("{call} is {} {}: {}", of.class, of.reason, verdict.unwrap_or("not answered"))
    })
    .collect()
}

fn elixir_paths() -> Vec<PathBuf> {
    let apps = fs::read_dir("/usr/lib/elixir/lib").into_iter().flatten().flatten();
    apps.map(|it| it.path().join("ebin")).collect()
}

fn tempdir() -> Result<PathBuf, String> {
    let dir = tempfile::Builder::new().prefix("gimlet-sweep-").tempdir();
    dir.map(tempfile::TempDir::keep).map_err(|it| it.to_string())
}

#[expect(clippy::print_stderr, reason = "a sweep takes hours, and shows how far it is")]
fn eprint_line(text: &str) {
    eprintln!("{text}");
}
