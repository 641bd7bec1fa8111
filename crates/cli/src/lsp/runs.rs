//! Runs of `gimlet test` for an editor: one at a time, with a queue that holds the latest request for each file.

use crate::child::{build_command, gimlet_test, stop};
use crate::lsp::place::path_of;
use crate::prolog::is_prolog;
use ::report::Report;
use lsp_types::InitializeParams;
use serde_json::Value;
use std::collections::VecDeque;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::thread::{self, JoinHandle};
use std::{env, fs};

/// The settings that the editor sends when it starts the server.
pub(super) struct Settings {
    /// The working directory of runs, to which the paths in reports are relative. `None`: that of the tested file.
    root: Option<PathBuf>,
    /// `"onOpen"`: whether a file is tested when it is opened, and not only when it is saved.
    pub(super) on_open: bool,
    /// `"budget": "10s"`: the time limit of each run.
    budget: String,
    /// `"options": ["--strict"]`: further options of `gimlet test`.
    options: Vec<String>,
    pub(super) shows_progress: bool,
}

impl Settings {
    pub(super) fn of(params: &InitializeParams) -> Settings {
        let said = params.initialization_options.clone().unwrap_or_default();
        let options = said.get("options").and_then(Value::as_array).cloned().unwrap_or_default();
        let folders = params.workspace_folders.iter().flatten();
        let window = params.capabilities.window.as_ref();
        Settings {
            root: folders.filter_map(|it| path_of(&it.uri)).next(),
            on_open: said.get("onOpen").and_then(Value::as_bool).unwrap_or(true),
            budget: said.get("budget").and_then(Value::as_str).unwrap_or("10s").to_owned(),
            options: options.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            shows_progress: window.and_then(|it| it.work_done_progress).unwrap_or(false),
        }
    }
}

/// A request to test a file, or only one of its functions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Job {
    pub(super) path: PathBuf,
    pub(super) unit: Option<String>,
}

impl Job {
    pub(super) fn title(&self) -> String {
        let file = self.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.unit.as_ref().map_or(file, Clone::clone)
    }
}

/// The result of a job.
pub(super) enum Ended {
    /// The report, and the directory that its paths are relative to.
    Report(Box<Report>, PathBuf),
    Failed(String),
}

struct Run {
    job: Job,
    root: PathBuf,
    child: Child,
    stage: Stage,
}

/// The stage of a run, by its current child process.
enum Stage {
    /// The build tool compiles the project in this directory.
    Build(PathBuf),
    /// `gimlet test` runs, and threads read its output.
    Test { stdout: JoinHandle<String>, stderr: JoinHandle<String> },
}

pub(super) struct Runs {
    pub(super) settings: Settings,
    waiting: VecDeque<Job>,
    running: Option<Run>,
    failed: VecDeque<(Job, String)>,
}

impl Runs {
    pub(super) fn new(settings: Settings) -> Runs {
        Runs { settings, waiting: VecDeque::new(), running: None, failed: VecDeque::new() }
    }

    /// Queues a job, which replaces an older request for the same file.
    pub(super) fn request(&mut self, job: Job) -> Result<(), String> {
        if !is_source(&job.path) {
            return Ok(());
        }
        if self.running.as_ref().is_some_and(|it| it.job.path == job.path) {
            self.stop();
        }
        self.waiting.retain(|it| it.path != job.path);
        self.waiting.push_back(job);
        Ok(())
    }

    /// Drops the requests for a file that the editor has closed.
    pub(super) fn forget(&mut self, path: &Path) {
        self.waiting.retain(|it| it.path != path);
        if self.running.as_ref().is_some_and(|it| it.job.path == path) {
            self.stop();
        }
    }

    /// Starts the next job unless one is running, and returns it.
    pub(super) fn begun(&mut self) -> Option<Job> {
        if self.running.is_some() {
            return None;
        }
        let job = self.waiting.pop_front()?;
        match self.start(job.clone()) {
            Ok(run) => self.running = Some(run),
            Err(why) => self.failed.push_back((job.clone(), why)),
        }
        Some(job)
    }

    /// Returns a job that has ended, if there is one.
    pub(super) fn ended(&mut self) -> Option<(Job, Ended)> {
        if let Some((job, why)) = self.failed.pop_front() {
            return Some((job, Ended::Failed(why)));
        }
        let run = self.running.as_mut()?;
        let status = match run.child.try_wait() {
            Ok(Some(status)) => status,
            Ok(None) => return None,
            Err(why) => {
                let job = self.running.take()?.job;
                return Some((job, Ended::Failed(why.to_string())));
            }
        };
        let Run { job, root, stage, .. } = self.running.take()?;
        match stage {
            Stage::Build(dir) if !status.success() => {
                let why = format!("the project in {} does not compile", dir.display());
                Some((job, Ended::Failed(why)))
            }
            Stage::Build(_) => match self.start_test(job.clone(), root) {
                Ok(run) => {
                    self.running = Some(run);
                    None
                }
                Err(why) => Some((job, Ended::Failed(why))),
            },
            Stage::Test { stdout, stderr } => {
                let text = stdout.join().unwrap_or_default();
                let said = stderr.join().unwrap_or_default();
                let ended = match serde_json::from_str::<Report>(&text) {
                    Ok(report) if !report.units.is_empty() => Ended::Report(Box::new(report), root),
                    Ok(_) | Err(_) => Ended::Failed(first_trouble(&said)),
                };
                Some((job, ended))
            }
        }
    }

    /// Stops the running job; its report is dropped.
    pub(super) fn stop(&mut self) {
        if let Some(mut run) = self.running.take() {
            drop(stop(&mut run.child));
        }
    }

    /// Starts a job: compiles the mix project first if the file belongs to one.
    fn start(&self, job: Job) -> Result<Run, String> {
        let root = self.settings.root.clone().or_else(|| job.path.parent().map(Path::to_owned));
        let root = root.unwrap_or_else(|| env::current_dir().unwrap_or_default());
        let build = mix_root(&job.path).and_then(|dir| Some((build_command(dir)?, dir.to_owned())));
        let Some((mut command, dir)) = build else { return self.start_test(job, root) };
        let silent = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = silent.spawn().map_err(|why| format!("mix can't be started: {why}"))?;
        Ok(Run { job, root, child, stage: Stage::Build(dir) })
    }

    fn start_test(&self, job: Job, root: PathBuf) -> Result<Run, String> {
        let cannot = |why: io::Error| format!("gimlet test can't be started: {why}");
        let mut arguments = targets(&job.path)?;
        arguments
            .extend(["--format=json".to_owned(), format!("--budget={}", self.settings.budget)]);
        arguments.extend(job.unit.iter().map(|it| format!("--function={it}")));
        arguments.extend(self.settings.options.iter().cloned());
        let mut command = gimlet_test(&arguments).map_err(cannot)?;
        command.current_dir(&root).stdin(Stdio::null());
        let mut child =
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(cannot)?;
        let (stdout, stderr) = (reader(child.stdout.take()), reader(child.stderr.take()));
        Ok(Run { job, root, child, stage: Stage::Test { stdout, stderr } })
    }
}

/// Reads to the end on a thread of its own, since a process blocks when its pipe is full.
fn reader(from: Option<impl Read + Send + 'static>) -> JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // After a read error the bytes read so far are used.
        from.and_then(|mut it| it.read_to_end(&mut bytes).ok());
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

fn is_source(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default();
    ["erl", "ex"].iter().any(|it| extension == *it) || is_prolog(&path.to_string_lossy())
}

/// Returns the root of the mix project of an Elixir source; of an umbrella the outermost, which builds in one place.
fn mix_root(path: &Path) -> Option<&Path> {
    let is_elixir = path.extension().is_some_and(|it| it == "ex");
    let is_root = |it: &&Path| is_elixir && it.join("mix.exs").is_file();
    path.ancestors().skip(1).filter(is_root).last()
}

/// Returns the targets of `gimlet test` for a source. For Elixir these are the modules that mix compiled from it.
fn targets(path: &Path) -> Result<Vec<String>, String> {
    if path.extension().is_none_or(|it| it != "ex") {
        return Ok(vec![path.display().to_string()]);
    }
    let root =
        mix_root(path).ok_or("an Elixir file is tested in its mix project, and there is none")?;
    let text = fs::read_to_string(path).map_err(|it| format!("{}: {it}", path.display()))?;
    let beams = modules(&text).into_iter().filter_map(|it| beam(root, &it));
    let beams: Vec<String> = beams.map(|it| it.display().to_string()).collect();
    if beams.is_empty() {
        return Err(format!("{} has no module that mix compiled", path.display()));
    }
    Ok(beams)
}

/// Names of the modules that an Elixir source defines at its top level.
fn modules(text: &str) -> Vec<String> {
    let names =
        text.lines().filter_map(|it| it.strip_prefix("defmodule ")?.split([' ', ',']).next());
    names.map(str::to_owned).collect()
}

fn beam(root: &Path, module: &str) -> Option<PathBuf> {
    let children = |dir: PathBuf| -> Vec<PathBuf> {
        let mut res: Vec<PathBuf> =
            fs::read_dir(dir).into_iter().flatten().flatten().map(|it| it.path()).collect();
        res.sort();
        res
    };
    let libs = children(root.join("_build")).into_iter().flat_map(|it| children(it.join("lib")));
    libs.map(|it| it.join(format!("ebin/Elixir.{module}.beam"))).find(|it| it.is_file())
}

/// Returns the first diagnostic of a process from its standard error: `error[G005]: the source does not compile` and
/// the place.
fn first_trouble(said: &str) -> String {
    let lines: Vec<&str> = said.lines().filter(|it| !it.trim().is_empty()).take(2).collect();
    if lines.is_empty() { "nothing was found out".to_owned() } else { lines.join("\n") }
}
