//! Asks OTP many questions in one start, with a script, a file of questions and a file of answers.

use crate::elixir;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::{env, fs, process};

/// Runs a script of `tests/escripts` on questions of one line each. The script writes `per_question` lines
/// for each of them.
///
/// # Panics
/// If OTP is missing or the script fails.
pub fn ask_otp(script: &str, per_question: usize, questions: &[String]) -> Vec<Vec<String>> {
    let answers = run_script(script, questions.join("\n").as_bytes());
    let text = String::from_utf8(answers).expect("answers are UTF-8");
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), per_question * questions.len(), "one answer per question");
    lines.chunks(per_question).map(<[String]>::to_vec).collect()
}

/// Runs a script of `tests/escripts` and returns its answers.
pub(crate) fn run_script(script: &str, questions: &[u8]) -> Vec<u8> {
    static N_CALLS: AtomicU32 = AtomicU32::new(0);
    let number = N_CALLS.fetch_add(1, Ordering::Relaxed);
    let dir = env::temp_dir().join(format!("gimlet-conformance-{}-{number}", process::id()));
    fs::create_dir_all(&dir).expect("a directory for questions and answers");
    let asked = dir.join("questions");
    let answered = dir.join("answers");
    fs::write(&asked, questions).expect("questions can be written");

    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("escripts").join(script);
    let mut command = Command::new("escript");
    if let Some(libraries) = elixir::home() {
        command.env("ERL_LIBS", libraries);
    }
    let done = command.arg(script).arg(&asked).arg(&answered).output();
    let done = done.expect("escript starts; `make deps` installs OTP");
    assert!(
        done.status.success(),
        "OTP failed:\n{}{}",
        String::from_utf8_lossy(&done.stdout),
        String::from_utf8_lossy(&done.stderr)
    );

    let answers = fs::read(&answered).expect("answers can be read");
    fs::remove_dir_all(&dir).expect("our own directory can be removed");
    answers
}
