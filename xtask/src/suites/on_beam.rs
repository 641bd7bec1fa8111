//! Runs suites on BEAM and determines which cases pass there. Knows nothing of the machine.
#![expect(clippy::disallowed_methods, reason = "this chore starts OTP and reads what it wrote")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

const SOURCES: &[(&str, &str)] = &[
    ("gimlet_ct.erl", include_str!("gimlet_ct.erl")),
    ("ct.erl", include_str!("ct.erl")),
    ("test_server.erl", include_str!("test_server.erl")),
    ("ct_property_test.erl", include_str!("ct_property_test.erl")),
];

/// Returns the directory of the compiled driver, which is compiled once per version of its sources.
pub(crate) fn driver(dir: &Path) -> Result<PathBuf, String> {
    let version = SOURCES.iter().flat_map(|it| it.1.bytes()).fold(0xcbf2_9ce4_8422_2325, fnv);
    let res = dir.join(format!(".driver-{version:016x}"));
    if res.is_dir() {
        return Ok(res);
    }
    // Another process may compile the driver at the same time: each uses a directory of its own, and the
    // first one that finishes renames it.
    let apart = dir.join(format!(".driver-{version:016x}-{}", std::process::id()));
    let said = |it: std::io::Error| format!("{}: {it}", apart.display());
    fs::create_dir_all(&apart).map_err(said)?;
    for (name, text) in SOURCES {
        fs::write(apart.join(name), text).map_err(said)?;
        let mut erlc = Command::new("erlc");
        erlc.args(["+debug_info", "+nowarn_export_all", name]).current_dir(&apart);
        let output = erlc.output().map_err(|it| format!("erlc: {it}"))?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stdout).into_owned());
        }
    }
    if fs::rename(&apart, &res).is_err() {
        fs::remove_dir_all(&apart).map_err(said)?;
    }
    Ok(res)
}

fn fnv(hash: u64, byte: u8) -> u64 {
    (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
}

/// Returns BEAM's verdict on each case of a suite: `ok`, or how it ended. The verdicts are cached in a file.
pub(crate) fn verdicts(
    dir: &Path,
    driver: &Path,
    suite: &str,
    limit: Duration,
) -> Result<BTreeMap<String, String>, String> {
    let file = dir.join(format!("{suite}.on_beam"));
    loop {
        let known = fs::read_to_string(&file).unwrap_or_default();
        if known.lines().any(|it| it == "end") {
            return Ok(read(&known));
        }
        // A case that crashed the runtime has a beginning but no end in the file; it is skipped from now on.
        let n_known = known.lines().count();
        ask(dir, driver, suite, limit, &file)?;
        let lines = fs::read_to_string(&file).unwrap_or_default().lines().count();
        if lines <= n_known {
            return Err(format!("{suite}: the runtime ran none of its cases"));
        }
    }
}

fn read(text: &str) -> BTreeMap<String, String> {
    let mut res = BTreeMap::new();
    for line in text.lines() {
        match line.split_once('\t') {
            Some(("no cases", _)) | None => (),
            Some(("begin", case)) => {
                res.insert(case.to_owned(), "the runtime ended".to_owned());
            }
            Some((case, verdict)) => {
                res.insert(case.to_owned(), verdict.to_owned());
            }
        }
    }
    res
}

fn ask(dir: &Path, driver: &Path, suite: &str, limit: Duration, file: &Path) -> Result<(), String> {
    let private = dir.join(format!(".priv-{suite}"));
    fs::create_dir_all(&private).map_err(|it| format!("{}: {it}", private.display()))?;
    let call = format!(
        "gimlet_ct:on_beam('{suite}', \"{}/{suite}_data/\", \"{}/\", \"{}\", {})",
        dir.display(),
        private.display(),
        file.display(),
        limit.as_millis()
    );
    let mut erl = Command::new("erl");
    erl.args(["-noinput", "+sbwt", "none", "-enable-feature", "all"])
        .arg("-pa")
        .arg(dir)
        .arg("-pa")
        .arg(driver);
    erl.args(["-eval", &call]).current_dir(&private).env("ERL_CRASH_DUMP_SECONDS", "0");
    erl.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    erl.status().map(drop).map_err(|it| format!("erl: {it}"))
}
