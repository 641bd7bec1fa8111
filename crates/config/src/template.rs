//! The text of an initial `gimlet.toml` for an existing project.
//!
//! Options are only text here; a test checks that the text can be parsed, also with every setting uncommented. Comments
//! in prose never look like `# name = value` or `# [table]`.

/// The properties of a project that its first configuration depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    pub kind: ProjectKind,
    pub name: Option<String>,
    /// Whether the project has a directory `test`.
    pub has_tests: bool,
}

/// The build tool of a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProjectKind {
    Rebar3,
    Mix,
    Gleam,
    /// Erlang sources without a build tool.
    ErlangFiles,
    PrologFiles,
    /// None of these.
    Unknown,
}

/// The texts that differ between kinds of projects.
struct Wording {
    what: &'static str,
    /// The sentence that explains how to get a first result.
    start: &'static str,
    tests: &'static str,
    files: &'static str,
    unit: &'static str,
    units: &'static str,
    /// A setting for one unit.
    for_unit: &'static str,
    /// An option for units in which the search does not get far; `tuning_is` is its purpose.
    tuning: &'static str,
    tuning_is: &'static str,
}

impl ProjectKind {
    fn wording(self) -> Wording {
        let erlang = Wording {
            what: "Erlang files",
            start: "Start with `gimlet test src/*.erl`.",
            tests: "test/**",
            files: "src/parser/**",
            unit: "shop:total/1",
            units: "shop:*",
            for_unit: "pre = \"shop:valid/1\"",
            tuning: "concrete = [\"logger\"]",
            tuning_is: "What is run with its concrete values only: code that costs more than it tells.",
        };
        match self {
            ProjectKind::Rebar3 => Wording {
                what: "a rebar3 project",
                start: "Build with `rebar3 compile`, then start with `gimlet test .`.",
                ..erlang
            },
            ProjectKind::Mix => Wording {
                what: "a mix project",
                start: "Build with `mix compile`, then start with `gimlet test .`.",
                files: "lib/parser/**",
                unit: "Shop.total/1",
                units: "Shop.*",
                for_unit: "pre = \"Shop.valid/1\"",
                tuning: "concrete = [\"Logger\"]",
                ..erlang
            },
            ProjectKind::Gleam => Wording {
                what: "a Gleam project",
                start: "Build with `gleam build`, then start with `gimlet test .`.",
                ..erlang
            },
            ProjectKind::ErlangFiles => erlang,
            ProjectKind::PrologFiles => Wording {
                what: "Prolog files",
                start: "Start with `gimlet test FILE.pl`.",
                tests: "**/*.plt",
                files: "parser/**",
                unit: "total/2",
                units: "total/*",
                for_unit: "mode = \"total(+,-)\"",
                tuning: "coverage = \"choice\"",
                tuning_is: "What the tests shall cover: `clause`, `choice` or `path`.",
            },
            ProjectKind::Unknown => Wording {
                what: "a project without a build file that Gimlet knows",
                start: "Start with `gimlet test FILE`, a file of Erlang, Elixir or Prolog.",
                ..erlang
            },
        }
    }
}

/// Returns the text that `gimlet init` writes.
pub fn template(project: &Project) -> String {
    let Wording { what, start, tests, files, unit, units, for_unit, tuning, tuning_is } =
        project.kind.wording();
    let of = project.name.as_deref().map(one_line).filter(|it| !it.is_empty());
    let title = match of {
        Some(name) => format!("Gimlet's configuration of {name}, {what}."),
        None => format!("Gimlet's configuration, for {what}."),
    };
    let exclude = if project.has_tests { "exclude" } else { "# exclude" };
    format!(
        r#"# {title}
#
# Every long option of `gimlet test` can stand here; `gimlet test --help` lists them. The command line
# wins over this file. `gimlet config` shows what holds, and from where.
#
# {start}

# Time for everything together; without it, 45s for each module and at most 5m.
budget = "2m"

# Time for each function.
# time = "30s"

# Files and modules that are not tested.
{exclude} = ["{tests}"]

# {tuning_is}
# {tuning}

# Inputs that a function's own clauses refuse count as found, too.
# strict = true

# Findings of an earlier run don't count: `gimlet test . --report json=baseline.json` writes the file.
# baseline = "baseline.json"

# Reports to write: a page to look at, and what code hosts show beside a change.
# [report]
# html = "gimlet/report.html"
# sarif = "gimlet/report.sarif"

# Options for the units of some files.
# [path."{files}"]
# time = "10s"

# Options for one unit, or for several: "{units}".
# [unit."{unit}"]
# {for_unit}

# Findings that are known and accepted. Which ones (`unit`, `kind`, `reason`, `fingerprint`), and why.
# [[ignore]]
# unit = "{units}"
# kind = "crash"
# reason = "*badarg*"
# because = "the caller checks it"
# until = 2030-12-31
"#
    )
}

/// Returns a name without control characters, which could end the comment around it.
fn one_line(name: &str) -> String {
    name.chars().filter(|it| !it.is_control()).collect()
}
