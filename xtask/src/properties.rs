//! `cargo xtask properties [SECONDS]`: gives Gimlet and PropEr the same time for properties whose
//! counterexamples random search seldom finds. Gimlet is `target/release/gimlet`, or the program that the
//! environment variable GIMLET names.
#![expect(clippy::disallowed_methods, reason = "it starts both tools")]

use serde_json::Value;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

const FILE: &str = "xtask/bench/prop_ten.erl";

/// Runs PropEr's quickcheck repeatedly until it finds a counterexample or the time is over. Prints which of
/// both happened, and after how many tests.
const PROPER: &str = "
    End = erlang:monotonic_time(millisecond) + MILLISECONDS,
    Check = fun Check(N) ->
        try proper:quickcheck(prop_ten:NAME(), [quiet, {numtests, 500}]) of
            true ->
                case erlang:monotonic_time(millisecond) < End of
                    true -> Check(N + 500);
                    false -> io:format(\"- ~b\", [N + 500])
                end;
            _ -> io:format(\"found ~b\", [N])
        catch _:_ -> io:format(\"found ~b\", [N])
        end
    end,
    Check(0), halt().
";

pub(crate) fn table(seconds: &str) -> Result<String, String> {
    let seconds: u64 = seconds.parse().map_err(|_| format!("{seconds} is no number of seconds"))?;
    let dir = tempfile::tempdir().map_err(|it| it.to_string())?;
    said(Command::new("erlc").arg("-o").arg(dir.path()).arg(FILE))?;
    let mut out = format!("{seconds} s for each property and each tool\n\n");
    writeln!(
        out,
        "{:<18} {:>7} {:>6}   {:>7} {:>8}",
        "property", "PropEr", "tests", "Gimlet", "runs"
    )
    .ok();
    for name in names()? {
        let by_proper = proper(dir.path(), &name, seconds)?;
        let (verdict, tests) = by_proper.split_once(' ').unwrap_or((&by_proper, ""));
        let (found, runs) = gimlet(&name, seconds)?;
        let is_found = if found.is_some() { "found" } else { "-" };
        let call = found.unwrap_or_default();
        writeln!(out, "{name:<18} {verdict:>7} {tests:>6}   {is_found:>7} {runs:>8}  {call}").ok();
    }
    Ok(out)
}

/// Returns the names of the file's properties, in order.
fn names() -> Result<Vec<String>, String> {
    let text = fs::read_to_string(FILE).map_err(|it| format!("{FILE}: {it}"))?;
    let names = text.lines().filter(|it| it.starts_with("prop_"));
    Ok(names.filter_map(|it| it.split_once('(')).map(|it| it.0.to_owned()).collect())
}

fn proper(dir: &Path, name: &str, seconds: u64) -> Result<String, String> {
    let milliseconds = (seconds * 1000).to_string();
    let script = PROPER.replace("MILLISECONDS", &milliseconds).replace("NAME", name);
    said(Command::new("erl").args(["-noshell", "-pa"]).arg(dir).args(["-eval", &script]))
}

/// Returns the counterexample that Gimlet found, and the number of runs.
fn gimlet(name: &str, seconds: u64) -> Result<(Option<String>, u64), String> {
    let binary = env::var_os("GIMLET").unwrap_or_else(|| "target/release/gimlet".into());
    let (unit, time) = (format!("{name}/0"), format!("{seconds}s"));
    let arguments = ["test", FILE, "--no-config", "--format", "json", "-f", &unit, "--time", &time];
    let text = said(Command::new(binary).args(arguments))?;
    let report: Value = serde_json::from_str(&text).map_err(|it| format!("{it}: {text}"))?;
    let call = report.pointer("/units/0/findings/0/call").and_then(Value::as_str);
    let runs = report.pointer("/units/0/runs").and_then(Value::as_u64);
    Ok((call.map(str::to_owned), runs.unwrap_or(0)))
}

fn said(command: &mut Command) -> Result<String, String> {
    let done = command.output().map_err(|it| format!("{command:?}: {it}"))?;
    Ok(String::from_utf8_lossy(&done.stdout).into_owned())
}
