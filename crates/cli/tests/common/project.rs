//! A directory with the files of a small project, in which the binary under test is started.

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// A fresh directory for one test.
pub(crate) struct Project {
    pub(crate) dir: PathBuf,
}

/// The exit code and output of the binary.
pub(crate) struct Ended {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Project {
    /// Creates the directory, whose name must be unique among tests that run in parallel.
    pub(crate) fn new(name: &str, files: &[(&str, &str)]) -> Project {
        let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::remove_dir_all(&dir).ok();
        fs::create_dir_all(&dir).expect("a directory");
        let res = Project { dir };
        files.iter().for_each(|(name, text)| res.write(name, text));
        res
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.dir.join(name);
        fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
        fs::write(path, text).expect("a file");
    }

    #[track_caller]
    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.dir.join(name)).unwrap_or_else(|it| panic!("{name}: {it}"))
    }

    pub(crate) fn gimlet(&self, args: &[&str]) -> Ended {
        let done = crate::common::gimlet(&self.dir, args);
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
        Ended {
            code: done.status.code().expect("no signal"),
            stdout: text(done.stdout),
            stderr: text(done.stderr),
        }
    }

    /// Runs `gimlet test`, and returns the JSON report and the exit code.
    #[track_caller]
    pub(crate) fn report(&self, args: &[&str]) -> (Value, i32) {
        let ended = self.gimlet(&[&["test", "--format", "json"], args].concat());
        let document = serde_json::from_str(&ended.stdout);
        (document.unwrap_or_else(|_| panic!("{}{}", ended.stdout, ended.stderr)), ended.code)
    }
}

/// The names of the units of a report, in its order.
pub(crate) fn units(report: &Value) -> Vec<&str> {
    let units = report["units"].as_array().expect("units").iter();
    units.map(|it| it["unit"].as_str().expect("a name")).collect()
}

/// Three functions: `total/1` fails on an input that its spec allows, `label/1` only refuses inputs, `size/1` is
/// correct.
pub(crate) const SHOP: &str = "\
-module(shop).
-export([total/1, label/1, size/1]).

-spec total(integer()) -> integer().
total(13) -> error(unlucky);
total(N) -> N.

label(pen) -> \"pen\".

-spec size(boolean()) -> 1 | 2.
size(true) -> 1;
size(false) -> 2.
";

/// A predicate that divides by zero, and one that only fails.
pub(crate) const LEDGER: &str = "\
:- module(ledger, [share/2, known/1]).
%! share(+People:integer, -Share:integer) is det.
share(People, Share) :- Share is 100 // People.
known(alice).
known(bob).
";
