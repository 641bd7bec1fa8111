//! Drives a headless Chromium over the DevTools protocol.
//!
//! Messages are JSON objects that end with a zero byte, written to the browser's descriptor 3 and read
//! from its descriptor 4 (`--remote-debugging-pipe`). There is no port, and the browser ends when this
//! process does. Messages stay plain JSON, so that no event is dropped because a newer browser says
//! more than a typed client knows.
#![expect(clippy::indexing_slicing, reason = "what a JSON value does not have is null")]
#![expect(clippy::needless_pass_by_value, reason = "json! makes values")]

use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

/// The time after which a browser that does not answer counts as broken. It is not used for measurements.
const PATIENCE: Duration = Duration::from_secs(120);

const PROGRAMS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// As root there is no sandbox, and the browser must not try to use the network.
const FLAGS: [&str; 13] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-sync",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
];

/// Gives the browser its two descriptors; `Command` has no safe way to do so.
const SCRIPT: &str = "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null";

/// A browser with one tab.
pub(crate) struct Browser {
    child: Child,
    to: Option<ChildStdin>,
    from: Receiver<Value>,
    n_calls: u64,
    session: Option<String>,
    /// The events since the last [`Browser::open`].
    events: Vec<Value>,
    profile: PathBuf,
}

/// Returns the directory where pictures and pages are left for people to look at.
pub(crate) fn artefacts() -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("html-report");
    fs::create_dir_all(&dir).expect("a directory for artefacts");
    dir
}

impl Browser {
    /// Starts a browser with a new profile. The name distinguishes tests that run at the same time.
    pub(crate) fn start(name: &str) -> Browser {
        let program = PROGRAMS.into_iter().find(|it| is_program(it)).unwrap_or_else(|| {
            panic!("none of {PROGRAMS:?} is on PATH; on Debian: apt-get install chromium")
        });
        let profile = artefacts().join(format!("profile-{name}"));
        fs::remove_dir_all(&profile).ok();
        #[expect(clippy::disallowed_methods, reason = "a test starts the browser that it drives")]
        let mut child = Command::new("sh")
            .args(["-c", SCRIPT, program])
            .args(FLAGS)
            .arg(format!("--user-data-dir={}", profile.display()))
            .arg("about:blank")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("a shell");
        let to = child.stdin.take();
        let out = BufReader::new(child.stdout.take().expect("a pipe"));
        let (sender, from) = channel();
        thread::spawn(move || {
            for message in out.split(0).map_while(Result::ok) {
                let Ok(message) = serde_json::from_slice(&message) else { continue };
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let mut res =
            Browser { child, to, from, n_calls: 0, session: None, events: Vec::new(), profile };
        let target = res.call("Target.createTarget", json!({ "url": "about:blank" }));
        let target = json!({ "targetId": target["targetId"], "flatten": true });
        let session = res.call("Target.attachToTarget", target);
        res.session = session["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Network", "Runtime", "Log"] {
            res.call(&format!("{domain}.enable"), json!({}));
        }
        res
    }

    /// Calls a method of the protocol and waits for its result.
    pub(crate) fn call(&mut self, method: &str, params: Value) -> Value {
        self.n_calls += 1;
        let id = self.n_calls;
        let mut message = json!({ "id": id, "method": method, "params": params });
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        let to = self.to.as_mut().expect("the browser is running");
        to.write_all(&bytes).and_then(|()| to.flush()).expect("the browser reads");
        loop {
            let mut answer = self.next();
            if answer["id"] == id {
                assert!(answer.get("error").is_none(), "{method}: {}", answer["error"]);
                return answer["result"].take();
            }
            self.events.push(answer);
        }
    }

    fn next(&mut self) -> Value {
        self.from.recv_timeout(PATIENCE).expect("the browser answers")
    }

    /// Returns the parameters of all events of a kind since the page was opened.
    pub(crate) fn events(&self, method: &str) -> Vec<&Value> {
        self.events.iter().filter(|it| it["method"] == method).map(|it| &it["params"]).collect()
    }

    /// Sets the size of the window and the user's preferred colour scheme.
    pub(crate) fn look(&mut self, (width, height): (u32, u32), scheme: &str) {
        let size =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", size);
        self.media("", scheme);
    }

    pub(crate) fn media(&mut self, media: &str, scheme: &str) {
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.call("Emulation.setEmulatedMedia", json!({ "media": media, "features": features }));
    }

    /// Opens a file and waits until it is loaded.
    pub(crate) fn open(&mut self, file: &Path) {
        self.events.clear();
        let url = format!("file://{}", file.display());
        self.call("Page.navigate", json!({ "url": url }));
        while self.events("Page.loadEventFired").is_empty() {
            let event = self.next();
            self.events.push(event);
        }
    }

    /// Returns the value of a JavaScript expression; a promise is awaited.
    pub(crate) fn eval(&mut self, expression: &str) -> Value {
        let params =
            json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let mut res = self.call("Runtime.evaluate", params);
        assert!(res.get("exceptionDetails").is_none(), "{expression}: {res}");
        res["result"]["value"].take()
    }

    /// Moves the first element that matches into view and clicks in its middle.
    pub(crate) fn click(&mut self, selector: &str) {
        let at = self.eval(&format!(
            "(() => {{ const it = document.querySelector({selector:?}); \
             it.scrollIntoView({{ block: 'center' }}); const at = it.getBoundingClientRect(); \
             return [at.x + at.width / 2, at.y + at.height / 2] }})()"
        ));
        for kind in ["mousePressed", "mouseReleased"] {
            let params = json!({
                "type": kind, "x": at[0], "y": at[1], "button": "left", "clickCount": 1,
            });
            self.call("Input.dispatchMouseEvent", params);
        }
    }

    /// Presses a key that writes one character, or one that only has a name.
    pub(crate) fn press(&mut self, key: &str) {
        let text = if key.chars().count() == 1 { key } else { "" };
        let code = match key {
            "Escape" => 27,
            _ => 0,
        };
        for kind in ["keyDown", "keyUp"] {
            let params =
                json!({ "type": kind, "key": key, "text": text, "windowsVirtualKeyCode": code });
            self.call("Input.dispatchKeyEvent", params);
        }
    }

    pub(crate) fn write(&mut self, text: &str) {
        self.call("Input.insertText", json!({ "text": text }));
    }

    /// Leaves a picture of the visible part, or of the whole page, among the artefacts.
    pub(crate) fn picture(&mut self, name: &str, part: Part) {
        // Otherwise parts of the page that are out of view are not drawn.
        self.eval(
            "document.head.insertAdjacentHTML('beforeend', \
             '<style id=all>* { content-visibility: visible !important }</style>')",
        );
        let params = match part {
            Part::Window => json!({ "format": "png" }),
            Part::Page => json!({ "format": "png", "captureBeyondViewport": true, "clip": {
                "x": 0, "y": 0, "scale": 1,
                "width": self.eval("document.documentElement.clientWidth"),
                "height": self.eval("Math.min(document.documentElement.scrollHeight, 8000)"),
            } }),
        };
        let res = self.call("Page.captureScreenshot", params);
        let bytes = decoded(res["data"].as_str().expect("a picture"));
        fs::write(artefacts().join(format!("{name}.png")), &bytes).expect("a file");
        self.eval("document.getElementById('all').remove()");
    }

    /// Returns the page as it is printed.
    pub(crate) fn print(&mut self, name: &str) -> Vec<u8> {
        let res = self.call("Page.printToPDF", json!({ "printBackground": false }));
        let bytes = decoded(res["data"].as_str().expect("a document"));
        fs::write(artefacts().join(format!("{name}.pdf")), &bytes).expect("a file");
        bytes
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Part {
    Window,
    Page,
}

/// The browser ends when its input is closed.
impl Drop for Browser {
    fn drop(&mut self) {
        self.to = None;
        self.child.wait().ok();
        fs::remove_dir_all(&self.profile).ok();
    }
}

fn is_program(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|it| it.join(name).is_file())
}

/// Decodes Base64 without padding.
fn decoded(text: &str) -> Vec<u8> {
    let digit = |it: u8| match it {
        b'A'..=b'Z' => it - b'A',
        b'a'..=b'z' => it - b'a' + 26,
        b'0'..=b'9' => it - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let mut res = Vec::with_capacity(text.len() * 3 / 4);
    for group in text.trim_end_matches('=').as_bytes().chunks(4) {
        let bits = group.iter().fold(0_u32, |bits, it| bits << 6 | u32::from(digit(*it)));
        let bits = bits << (6 * (4 - group.len()));
        let [_, bytes @ ..] = bits.to_be_bytes();
        res.extend(bytes.iter().take(group.len() - 1));
    }
    res
}
