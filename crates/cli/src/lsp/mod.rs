//! `gimlet lsp`: findings and coverage in an editor, over the language server protocol.
//!
//! A process of `gimlet test` tests each saved file; this process only speaks to the editor. It keeps no texts: the
//! version on disk is tested.

mod edits;
mod found;
mod place;
mod runs;

use crate::diagnostic::Diagnostic as Trouble;
use crate::explain::Code;
use edits::add_test;
use found::FileResults;
use lsp_server::{Connection, Message, Notification, Request, Response, ResponseError};
use lsp_types::{
    CodeActionParams, CodeActionProviderCapability, CodeLensOptions, CodeLensParams,
    DidCloseTextDocumentParams, DidOpenTextDocumentParams, DidSaveTextDocumentParams,
    ExecuteCommandOptions, ExecuteCommandParams, InitializeParams, MessageType,
    PublishDiagnosticsParams, SaveOptions, ServerCapabilities, TextDocumentSyncCapability,
    TextDocumentSyncOptions, Uri,
};
use place::{path_of, uri_of};
use runs::{Ended, Job, Runs, Settings};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// How often the server polls whether a run has ended.
const TICK: Duration = Duration::from_millis(50);
pub(super) const EXPLORE: &str = "gimlet.explore";
pub(super) const SHOW: &str = "gimlet.findings";

/// Serves one editor over standard input and output.
pub(crate) fn lsp() -> Result<ExitCode, Trouble> {
    let trouble = |why: &dyn std::error::Error| {
        Trouble::new(Code::BadEditor, format!("the editor does not speak as expected: {why}"))
    };
    let (connection, threads) = Connection::stdio();
    let (id, params) = connection.initialize_start().map_err(|it| trouble(&it))?;
    let params: InitializeParams = serde_json::from_value(params).map_err(|it| trouble(&it))?;
    let answer = json!({
        "capabilities": capabilities(),
        "serverInfo": {"name": "gimlet", "version": env!("CARGO_PKG_VERSION")},
    });
    connection.initialize_finish(id, answer).map_err(|it| trouble(&it))?;
    let mut server = Server::new(&connection, Settings::of(&params));
    server.serve();
    server.runs.stop();
    drop(server);
    drop(connection);
    threads.join().map_err(|it| trouble(&it))?;
    Ok(ExitCode::SUCCESS)
}

fn capabilities() -> ServerCapabilities {
    ServerCapabilities {
        text_document_sync: Some(TextDocumentSyncCapability::Options(TextDocumentSyncOptions {
            open_close: Some(true),
            save: Some(SaveOptions::default().into()),
            ..TextDocumentSyncOptions::default()
        })),
        code_lens_provider: Some(CodeLensOptions { resolve_provider: Some(false) }),
        code_action_provider: Some(CodeActionProviderCapability::Simple(true)),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: [EXPLORE, SHOW].map(str::to_owned).to_vec(),
            ..ExecuteCommandOptions::default()
        }),
        ..ServerCapabilities::default()
    }
}

struct Server<'a> {
    connection: &'a Connection,
    runs: Runs,
    /// The results of the last run on each file.
    found: BTreeMap<PathBuf, FileResults>,
    /// Files that currently have diagnostics in the editor.
    published: BTreeSet<PathBuf>,
    n_requests: i32,
    shows_progress: bool,
}

impl<'a> Server<'a> {
    fn new(connection: &'a Connection, settings: Settings) -> Server<'a> {
        let shows_progress = settings.shows_progress;
        Server {
            connection,
            runs: Runs::new(settings),
            found: BTreeMap::new(),
            published: BTreeSet::new(),
            n_requests: 0,
            shows_progress,
        }
    }

    fn serve(&mut self) {
        loop {
            match self.connection.receiver.recv_timeout(TICK) {
                Ok(Message::Request(request)) => {
                    // An error means that no exit notification followed the shutdown request; the server ends all the
                    // same.
                    if !matches!(self.connection.handle_shutdown(&request), Ok(false)) {
                        return;
                    }
                    let (id, answer) = (request.id.clone(), self.answer(request));
                    self.send(Message::Response(match answer {
                        Ok(value) => Response::new_ok(id, value),
                        Err(error) => Response { id, result: None, error: Some(error) },
                    }));
                }
                Ok(Message::Notification(told)) => self.handle_notification(told),
                Ok(Message::Response(_)) => {}
                Err(error) if error.is_timeout() => {}
                Err(_) => return,
            }
            while let Some(job) = self.runs.begun() {
                self.progress(
                    &json!({"kind": "begin", "title": format!("gimlet: {}", job.title())}),
                );
            }
            if let Some((job, ended)) = self.runs.ended() {
                self.progress(&json!({"kind": "end"}));
                self.handle_result(&job, ended);
            }
        }
    }

    fn handle_notification(&mut self, told: Notification) {
        match told.method.as_str() {
            "textDocument/didOpen" => {
                let params = read::<DidOpenTextDocumentParams>(told.params);
                if let Ok(it) = params
                    && self.runs.settings.on_open
                {
                    self.explore(&it.text_document.uri, None);
                }
            }
            "textDocument/didSave" => {
                if let Ok(it) = read::<DidSaveTextDocumentParams>(told.params) {
                    self.explore(&it.text_document.uri, None);
                }
            }
            "textDocument/didClose" => {
                let params = read::<DidCloseTextDocumentParams>(told.params);
                if let Some(path) = params.ok().and_then(|it| path_of(&it.text_document.uri)) {
                    self.runs.forget(&path);
                    self.found.remove(&path);
                    self.publish();
                }
            }
            _ => {}
        }
    }

    fn answer(&mut self, request: Request) -> Result<Value, ResponseError> {
        match request.method.as_str() {
            "textDocument/codeLens" => {
                let params: CodeLensParams = read(request.params)?;
                let uri = params.text_document.uri;
                let path = path_of(&uri).unwrap_or_default();
                Ok(json!(
                    self.found
                        .get(&path)
                        .map_or_else(|| found::unexplored(&uri), |it| it.lenses(&uri, &path))
                ))
            }
            "textDocument/codeAction" => {
                let params: CodeActionParams = read(request.params)?;
                let actions = params.context.diagnostics.iter();
                Ok(json!(actions.filter_map(add_test).collect::<Vec<_>>()))
            }
            "workspace/executeCommand" => {
                let params: ExecuteCommandParams = read(request.params)?;
                self.execute(&params);
                Ok(Value::Null)
            }
            method => {
                let code = lsp_server::ErrorCode::MethodNotFound as i32;
                Err(ResponseError { code, message: format!("there is no {method}"), data: None })
            }
        }
    }

    fn execute(&mut self, params: &ExecuteCommandParams) {
        let texts: Vec<&str> = params.arguments.iter().filter_map(Value::as_str).collect();
        let Some((Ok(uri), rest)) = texts.split_first().map(|it| (it.0.parse::<Uri>(), it.1))
        else {
            return;
        };
        match params.command.as_str() {
            EXPLORE => self.explore(&uri, rest.first().map(|it| (*it).to_owned())),
            SHOW => {
                let path = path_of(&uri).unwrap_or_default();
                let unit = rest.first().copied().unwrap_or_default();
                let calls = self.found.get(&path).map(|it| it.calls(unit)).unwrap_or_default();
                self.say(MessageType::INFO, &calls.join("\n"));
            }
            _ => {}
        }
    }

    fn explore(&mut self, uri: &Uri, unit: Option<String>) {
        let Some(path) = path_of(uri) else { return };
        match self.runs.request(Job { path, unit }) {
            Ok(()) => {}
            Err(why) => self.say(MessageType::WARNING, &why),
        }
    }

    /// Tells the editor the results of a run, or why there are none.
    fn handle_result(&mut self, job: &Job, ended: Ended) {
        match ended {
            Ended::Report(report, root) => {
                let mut found = FileResults::of(&report, &root, &job.path);
                if let (Some(unit), Some(before)) = (&job.unit, self.found.remove(&job.path)) {
                    found.keep_others(before, unit);
                }
                self.found.insert(job.path.clone(), found);
                self.publish();
                self.request("workspace/codeLens/refresh", Value::Null);
            }
            Ended::Failed(why) => self.say(MessageType::ERROR, &format!("gimlet: {why}")),
        }
    }

    /// Sends the diagnostics of all files, including an empty list for files that no longer have any.
    fn publish(&mut self) {
        let mut by_file: BTreeMap<&Path, Vec<lsp_types::Diagnostic>> = BTreeMap::new();
        for (path, diagnostic) in self.found.values().flat_map(FileResults::diagnostics) {
            by_file.entry(path).or_default().push(diagnostic.clone());
        }
        let before = std::mem::take(&mut self.published);
        let empty = before.iter().filter(|it| !by_file.contains_key(it.as_path()));
        let cleared: Vec<(PathBuf, Vec<_>)> = empty.map(|it| (it.clone(), Vec::new())).collect();
        let filled = by_file.into_iter().map(|(path, all)| (path.to_owned(), all));
        let filled: Vec<(PathBuf, Vec<_>)> = filled.collect();
        self.published = filled.iter().map(|it| it.0.clone()).collect();
        for (path, diagnostics) in cleared.into_iter().chain(filled) {
            let Some(uri) = uri_of(&path) else { continue };
            let params = PublishDiagnosticsParams { uri, diagnostics, version: None };
            self.notify("textDocument/publishDiagnostics", json!(params));
        }
    }

    fn say(&self, kind: MessageType, message: &str) {
        self.notify("window/showMessage", json!({"type": kind, "message": message}));
    }

    fn progress(&mut self, value: &Value) {
        if !self.shows_progress {
            return;
        }
        if value.get("kind") == Some(&json!("begin")) {
            self.request("window/workDoneProgress/create", json!({"token": "gimlet"}));
        }
        self.notify("$/progress", json!({"token": "gimlet", "value": value}));
    }

    fn notify(&self, method: &str, params: Value) {
        self.send(Message::Notification(Notification::new(method.to_owned(), params)));
    }

    fn request(&mut self, method: &str, params: Value) {
        self.n_requests += 1;
        let id = self.n_requests.into();
        self.send(Message::Request(Request::new(id, method.to_owned(), params)));
    }

    /// Sends a message and ignores failure: the loop ends when the channel from the editor closes.
    fn send(&self, message: Message) {
        drop(self.connection.sender.send(message));
    }
}

fn read<T: serde::de::DeserializeOwned>(params: Value) -> Result<T, ResponseError> {
    serde_json::from_value(params).map_err(|why| {
        let code = lsp_server::ErrorCode::InvalidParams as i32;
        ResponseError { code, message: why.to_string(), data: None }
    })
}
