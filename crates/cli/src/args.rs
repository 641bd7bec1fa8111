//! The definition of the command line: commands, options, and the parsers of their values.

use crate::confinement::Rights;
use crate::flow::of_runtime;
use clap::{Args, Parser, Subcommand, ValueEnum};
use engine::Strategy;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, Parser)]
#[command(
    name = "gimlet",
    version,
    about = "Concolic testing for Erlang, Elixir and Prolog",
    after_help = "Example: gimlet run lists 'lists:seq(1, 3)'"
)]
pub(crate) struct CommandLine {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Find inputs that make functions fail, write tests, and measure coverage
    #[command(
        override_usage = "gimlet test [OPTIONS] TARGET...",
        after_help = "Examples:\n  gimlet test src/shop.erl\n  \
                      gimlet test src/shop.erl -f total/1 --args '[[{apple, 3}]]' --out gimlet\n  \
                      gimlet test lists -f lists:nth/2 --format json\n  \
                      gimlet test . -j 8 --memory 4G --budget 5m\n\n\
                      Exit code: 0 no findings, 1 findings, 2 an error, \
                      130, 143 or 129 ended by SIGINT, SIGTERM or SIGHUP"
    )]
    Test(Box<Test>),
    /// Run one call or goal on Gimlet's own machine, and print the result as the language's shell does
    #[command(
        override_usage = "gimlet run [OPTIONS] TARGET... CALL",
        after_help = "Examples:\n  gimlet run lists 'lists:seq(1, 3)'\n  \
                      gimlet run src/shop.erl -I include 'shop:total([{apple, 3}])'\n  \
                      gimlet run family.pl 'ancestor(X, tom)'\n  \
                      gimlet run src/shop.erl 'shop:open()' --trace --lossy --seed 3\n\n\
                      Exit code: 0 a value or an answer, 1 an exception or no answer, 2 an error \
                      or an exceeded limit; a program that halts sets its own exit code"
    )]
    Run(Run),
    /// Replay the inputs of a corpus file or report.json that `test --out` wrote, and compare the outcomes
    #[command(after_help = "Examples:\n  gimlet replay gimlet/corpus/shop.total.1.corpus\n  \
                      gimlet replay gimlet/report.json --id 3f2a90c1\n\n\
                      Exit code: 0 all outcomes are as recorded, 1 an outcome differs, \
                      2 an error")]
    Replay(Replay),
    /// Run a command, such as the project's tests, and record the calls of the project's functions
    #[command(
        override_usage = "gimlet record [OPTIONS] -- COMMAND [ARGUMENT...]",
        after_help = "Examples:\n  gimlet record -- rebar3 eunit\n  \
                      gimlet record -- mix test\n  \
                      gimlet record --out calls.json -- erl -noshell -eval 'shop_tests:test(), halt().'\n\n\
                      The command runs as it would without gimlet, without a sandbox.\n\
                      Exit code: that of the command, or 2 if it could not be started"
    )]
    Record(Record),
    /// Explore all paths of a function within a bound, show an input for each, and tell what can be reached
    #[command(
        override_usage = "gimlet symbolic [OPTIONS] TARGET... -f M:F/A",
        after_help = "Examples:\n  gimlet symbolic src/shop.erl -f total/1\n  \
                      gimlet symbolic src/shop.erl -f total/1 --reach error\n  \
                      gimlet symbolic src/shop.erl -f total/1 --reach 42 --depth 20\n  \
                      gimlet symbolic src/shop.erl -f total/1 --format html > tree.html\n\n\
                      Exit code: 0; with --reach 1 if the target can be reached, 0 if not or if \
                      that is unknown; 2 an error"
    )]
    Symbolic(Symbolic),
    /// Show a module after flattening and after instrumentation, which makes BEAM report its execution
    #[command(after_help = "Examples:\n  gimlet instrument src/shop.erl\n  \
                      gimlet instrument orddict --form flat\n\n\
                      Exit code: 0, or 2 for an error")]
    Instrument(Instrument),
    /// Write a gimlet.toml for the project in a directory
    #[command(after_help = "Examples:\n  gimlet init\n  gimlet init apps/shop\n\n\
                      Exit code: 0, or 2 if there is one already or it could not be written")]
    Init(Init),
    /// Show the value of each option of `gimlet test`, and where it was set
    #[command(
        override_usage = "gimlet config [OPTIONS OF test] [TARGET...]",
        after_help = "Examples:\n  gimlet config\n  gimlet config . --time 5s\n\n\
                      Exit code: 0, or 2 if the configuration has mistakes"
    )]
    Config(Box<ConfigOf>),
    /// Test again whenever a source changes; compile rebar3, mix and Gleam projects first
    #[command(
        override_usage = "gimlet watch [OPTIONS OF test] TARGET...",
        after_help = "Examples:\n  gimlet watch src/shop.erl\n  gimlet watch . --budget 20s\n\n\
                      Ctrl-C ends it. Exit code: 128 plus the number of the signal that ended it, \
                      or 2 for an error"
    )]
    Watch(Watch),
    /// Serve an editor over the language server protocol, on standard input and output
    #[command(
        after_help = "Findings and uncovered clauses are diagnostics, with actions that add tests; \
                      code lenses above functions show the number of findings and the coverage.\n\n\
                      Example, for Neovim:\n  vim.lsp.start({ name = 'gimlet', cmd = { 'gimlet', 'lsp' } })\n\n\
                      Initialization options: {\"onOpen\": true, \"budget\": \"10s\", \"options\": []}"
    )]
    Lsp,
    /// Print the completion script for a shell
    #[command(
        after_help = "Examples:\n  gimlet completions bash > ~/.local/share/bash-completion/completions/gimlet\n  \
                      gimlet completions fish > ~/.config/fish/completions/gimlet.fish"
    )]
    Completions {
        /// The shell to complete for
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write one for each command to a directory
    #[command(after_help = "Examples:\n  gimlet manual | man -l -\n  \
                      gimlet manual ~/.local/share/man/man1")]
    Manual {
        /// The directory for the pages gimlet.1, gimlet-test.1, ...
        #[arg(value_name = "DIR")]
        dir: Option<PathBuf>,
    },
    /// Say what a diagnostic means and what to do about it
    #[command(after_help = "Example: gimlet explain G001")]
    Explain {
        /// The code in brackets: G001
        code: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Init {
    /// The project's directory
    #[arg(value_name = "DIR", default_value = ".")]
    pub(crate) dir: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct ConfigOf {
    /// Targets and options as `gimlet test` takes them
    #[arg(value_name = "ARGUMENT", trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) arguments: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Watch {
    /// Targets and options as `gimlet test` takes them
    #[arg(
        value_name = "ARGUMENT",
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    pub(crate) arguments: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Run {
    /// Source files, .beam files, directories or modules of OTP; then the call, as in the shell
    #[arg(value_name = "TARGET... CALL", required = true)]
    pub(crate) targets_and_call: Vec<String>,
    /// The format of standard output
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) build: Build,
    /// Allow the program effects outside of Gimlet's machine; may repeat
    #[arg(long = "allow", value_name = "EFFECT", value_enum)]
    pub(crate) allowed: Vec<Effect>,
    /// Stop the program after this time: 500ms, 30s, 2m
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) time: Option<Duration>,
    /// Stop the program when it uses more memory: 64K, 512M, 2G
    #[arg(long, value_name = "SIZE", value_parser = size, default_value = "2G")]
    pub(crate) memory: usize,
    /// Stop the program after this many function calls
    #[arg(long, value_name = "N")]
    pub(crate) reductions: Option<u64>,
    /// Show each step of the run: the processes with their remaining computations, and the messages; for Prolog the
    /// goal, the bindings so far and the alternatives
    #[arg(long)]
    pub(crate) trace: bool,
    /// The maximum number of steps shown
    #[arg(long, value_name = "N", default_value_t = 2000, requires = "trace")]
    pub(crate) steps: usize,
    /// When a sent message arrives: instant, causal or free, as for `test` [default with --trace: free, else instant]
    #[arg(long, value_enum, value_name = "HOW", hide_possible_values = true)]
    pub(crate) delivery: Option<Deliver>,
    /// Let up to N messages get lost; --lossy alone means 1
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "1")]
    pub(crate) lossy: Option<usize>,
    /// Deliver and lose messages at random, with this seed
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
}

/// Where code is found, how sources are compiled, and on which nodes they run.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Build {
    /// A directory of .beam files, searched before OTP's own; may repeat; -pa is the same
    #[arg(long = "pa", value_name = "DIR")]
    pub(crate) code_paths: Vec<PathBuf>,
    /// A directory of included files; may repeat
    #[arg(short = 'I', value_name = "DIR")]
    pub(crate) includes: Vec<PathBuf>,
    /// A macro for the compiler; may repeat
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub(crate) defines: Vec<String>,
    /// Run a distributed system of these nodes, with the call on the first: a@host,b@host
    #[arg(long, value_name = "NAMES", value_parser = nodes, default_value = "", hide_default_value = true)]
    pub(crate) nodes: Nodes,
    /// The effects and resources that are allowed to real runtimes.
    #[arg(skip)]
    pub(crate) rights: Rights,
}

/// Names of nodes, without duplicates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Nodes(pub(crate) Vec<String>);

#[derive(Debug, Args)]
pub(crate) struct Symbolic {
    /// Source files, .beam files, directories or modules of OTP
    #[arg(value_name = "TARGET", required = true)]
    pub(crate) targets: Vec<String>,
    /// The function to explore; F/A is enough with one module
    #[arg(short = 'f', long = "function", value_name = "M:F/A")]
    pub(crate) function: String,
    /// The arguments, of which variables are left open: '[{K, 3}, X]' or 'start({K, 3}, X)' [default: all are open]
    #[arg(long, value_name = "LIST")]
    pub(crate) args: Option<String>,
    /// When a message or a signal that was sent is there
    #[arg(long, value_enum, value_name = "HOW", default_value_t = Deliver::Local)]
    pub(crate) delivery: Deliver,
    /// Up to N messages of a run may get lost [default: 1]
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "1")]
    pub(crate) lossy: Option<usize>,
    /// The maximum number of choices of a path
    #[arg(short, long, value_name = "N", default_value_t = 12)]
    pub(crate) depth: usize,
    /// Stop the exploration after this time: 500ms, 30s, 2m
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "30s")]
    pub(crate) time: Duration,
    /// Tell whether a path reaches this target: a line, `FILE:LINE`, `error` or `deadlock`; for Prolog `error`, `true`
    /// or `false`
    #[arg(long, value_name = "WHAT")]
    pub(crate) reach: Option<String>,
    /// With --reach, show the tree as well as the answer
    #[arg(long, requires = "reach")]
    pub(crate) tree: bool,
    /// Show each step of each path too: the processes with their remaining computations, messages, and the path
    /// constraint
    #[arg(long)]
    pub(crate) trace: bool,
    /// The maximum number of steps shown of each path
    #[arg(long, value_name = "N", default_value_t = 2000, requires = "trace")]
    pub(crate) steps: usize,
    /// Ignore specs: any term is an input
    #[arg(long)]
    pub(crate) no_spec: bool,
    /// Allow the program effects outside of Gimlet's machine; may repeat
    #[arg(long = "allow", value_name = "EFFECT", value_enum)]
    pub(crate) allowed: Vec<Effect>,
    /// The format of standard output
    #[arg(long, value_enum, default_value_t = TreeFormat::Text)]
    pub(crate) format: TreeFormat,
    #[command(flatten)]
    pub(crate) build: Build,
}

/// The format of an execution tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TreeFormat {
    Text,
    Json,
    Dot,
    /// An HTML page with a tree that can be unfolded
    Html,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct Test {
    /// Source files, .beam files, directories or modules of OTP
    #[arg(value_name = "TARGET", required = true)]
    pub(crate) targets: Vec<String>,
    /// A function to test; F/A is enough with one module; may repeat [default: all exported]
    #[arg(short = 'f', long = "function", value_name = "M:F/A")]
    pub(crate) functions: Vec<String>,
    /// The first input: a list of arguments in Erlang syntax [default: made from the spec]
    #[arg(long, value_name = "LIST")]
    pub(crate) args: Option<String>,
    /// Prolog: the first goal, as at the toplevel: 'main([a], N, R)'
    #[arg(long, value_name = "GOAL")]
    pub(crate) goal: Option<String>,
    /// Prolog: which arguments are given (+) and which are results (-): 'main(+,+,-)'; may repeat
    #[arg(long, value_name = "MODE")]
    pub(crate) mode: Vec<String>,
    /// Prolog: the coverage criterion for the tests
    #[arg(long, value_enum, value_name = "KIND", default_value_t = Criterion::Clause)]
    pub(crate) coverage: Criterion,
    /// Prolog: how many answers of a goal to ask for; 1 as in the paper [default: 6]
    #[arg(long, value_name = "N")]
    pub(crate) answers: Option<usize>,
    /// Prolog: the maximum nesting of compounds and lists in inputs
    #[arg(long, value_name = "N")]
    pub(crate) term_depth: Option<usize>,
    /// Prolog: show the path condition of each test, and the alternatives of its choices
    #[arg(long)]
    pub(crate) explain: bool,
    /// How many choices of a path may be flipped [default: 25, more while clauses are uncovered]
    #[arg(short, long, value_name = "N")]
    pub(crate) depth: Option<usize>,
    /// Time limit for each function: 500ms, 30s, 2m [default: 30s, less without new coverage]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) time: Option<Duration>,
    /// Time limit for everything, including loading and replaying: 30s, 2m [default: 45s for each module, at most 5m]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) budget: Option<Duration>,
    /// Maximum number of runs for each function [default: until runs bring nothing new for a while]
    #[arg(long, value_name = "N")]
    pub(crate) runs: Option<usize>,
    /// Memory for everything together, shared by the functions that are tested at the same time: 2G, 512M
    /// [default: three quarters of the machine's]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) memory: Option<usize>,
    /// How many cores to use: for functions tested in parallel, or for the queries or schedules of a single one
    /// [default: all cores]
    #[arg(short, long, value_name = "N", value_parser = at_least_one)]
    pub(crate) jobs: Option<usize>,
    /// Where Erlang runs: on Gimlet's own machine, or on the real BEAM
    #[arg(long, value_enum, value_name = "NAME", default_value_t = Backend::Machine)]
    pub(crate) backend: Backend,
    /// The search strategy
    #[arg(long, value_name = "NAME", value_parser = strategy, default_value = "visited-first")]
    pub(crate) strategy: Strategy,
    /// Ignore specs: any term is an input, no result is wrong
    #[arg(long)]
    pub(crate) no_spec: bool,
    /// Generate values of opaque types, and of structs and records that only their module constructs, directly instead
    /// of by calls of the module's functions
    #[arg(long)]
    pub(crate) made_up: bool,
    /// Execute this module or function concretely, without following its arguments symbolically; may repeat
    #[arg(long, value_name = "M[:F/A]")]
    pub(crate) concrete: Vec<String>,
    /// A precondition: only inputs for which this function returns true are tested; may repeat
    #[arg(long, value_name = "M:F/A")]
    pub(crate) pre: Vec<String>,
    /// A function without arguments that runs before each input; may repeat [default: the application of the
    /// modules is started for functions that need it]
    #[arg(long, value_name = "M:F/0", conflicts_with = "schedules")]
    pub(crate) setup: Vec<String>,
    /// Do not start the application of the modules
    #[arg(long)]
    pub(crate) no_start: bool,
    /// How many steps a sequence has: messages and calls for the process of a behaviour [default: 4]; for other
    /// modules, calls of exported functions that share state [default: no sequences]
    #[arg(long, value_name = "N")]
    pub(crate) sequence: Option<usize>,
    /// Explore the schedules of processes too
    #[arg(long)]
    pub(crate) schedules: bool,
    /// How schedules are selected: by partial order reduction, or at random
    #[arg(long, value_enum, value_name = "HOW", default_value_t = Reduction::Optimal, requires = "schedules")]
    pub(crate) dpor: Reduction,

    /// With --dpor pct, how many ordering constraints between two steps a bug may need; most need 1 to 3
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=16), requires = "schedules")]
    pub(crate) bug_depth: u8,
    /// When sent messages and signals arrive
    #[arg(long, value_enum, value_name = "HOW", default_value_t = Deliver::Local, requires = "schedules")]
    pub(crate) delivery: Deliver,
    /// Let up to N messages of a run get lost; --lossy alone means 1
    #[arg(
        long,
        value_name = "N",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "1",
        requires = "schedules"
    )]
    pub(crate) lossy: Option<usize>,
    /// Maximum number of preemptions, which are switches away from a process that could continue [default: no limit]
    #[arg(long, value_name = "N", requires = "schedules")]
    pub(crate) preemptions: Option<usize>,
    /// Maximum number of steps of a run; a run that exceeds it is cut off, and the verdict is bounded
    #[arg(long, value_name = "N", default_value_t = engine::STEPS, requires = "schedules")]
    pub(crate) steps: usize,
    /// Report processes that wait for ever although the call has ended
    #[arg(long, requires = "schedules")]
    pub(crate) blocked: bool,
    /// Let each node of --nodes but the first go down, once, at any time
    #[arg(long, requires = "schedules", requires = "nodes")]
    pub(crate) node_down: bool,
    /// Allow the program effects outside of Gimlet's machine; may repeat
    #[arg(long = "allow", value_name = "EFFECT", value_enum)]
    pub(crate) allowed: Vec<Effect>,
    /// Seed of all random choices
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Show refusals like other findings, and let them make the exit code 1, as with --fail-on any
    #[arg(long)]
    pub(crate) strict: bool,
    /// Which findings make the exit code 1
    #[arg(long, value_enum, value_name = "LEVEL", default_value_t = FailLevel::Suspicious)]
    pub(crate) fail_on: FailLevel,
    /// A report.json of an earlier run: only findings that it does not contain make the exit code 1
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    /// Exclude modules and files that match; may repeat: 'src/gen_*', 'test/**'
    #[arg(long, value_name = "GLOB", value_parser = glob)]
    pub(crate) exclude: Vec<String>,
    /// The configuration [default: the nearest gimlet.toml, from the project or this directory upwards]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Read no gimlet.toml
    #[arg(long, conflicts_with = "config")]
    pub(crate) no_config: bool,
    /// Show every unit, every uncovered clause and every refusal
    #[arg(short, long)]
    pub(crate) verbose: bool,
    #[arg(
        long,
        value_name = "KIND",
        value_parser = report_format,
        default_value = "text",
        help = format!("The format of standard output: {}", format_names())
    )]
    pub(crate) format: ReportFormat,
    /// Write the report to a file too, in any format: html=report.html; may repeat
    #[arg(long, value_name = "KIND=FILE", value_parser = report_file)]
    pub(crate) report: Vec<ReportFile>,
    /// The calls that `gimlet record` recorded [default: the nearest .gimlet/recorded.json, from the project upwards]
    #[arg(long, value_name = "FILE")]
    pub(crate) recorded: Option<PathBuf>,
    /// Use no recorded calls
    #[arg(long, conflicts_with = "recorded")]
    pub(crate) no_recorded: bool,
    /// Write reports, tests and inputs to this directory, and use the inputs in it as seeds
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// The kind of tests to write; may repeat [default: that of the language]
    #[arg(long, value_enum, value_name = "KIND")]
    pub(crate) emit: Vec<Emit>,
    /// Which tests to write: a minimal set that enters every covered clause and shows every finding, or one for each
    /// path
    #[arg(long, value_enum, value_name = "HOW", default_value_t = Tests::Minimal)]
    pub(crate) tests: Tests,
    #[command(flatten)]
    pub(crate) build: Build,
}

#[derive(Debug, Args)]
pub(crate) struct Record {
    /// The file for the calls [default: .gimlet/recorded.json]
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// The command with its arguments
    #[arg(value_name = "COMMAND", required = true, last = true)]
    pub(crate) command: Vec<OsString>,
}

#[derive(Debug, Args)]
pub(crate) struct Replay {
    /// A corpus file or a report.json
    pub(crate) file: PathBuf,
    /// Only the input with this id
    #[arg(long, value_name = "ID")]
    pub(crate) id: Option<String>,
    /// The format of standard output
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct Instrument {
    /// A source file, a .beam file or a module of OTP
    #[arg(value_name = "FILE")]
    pub(crate) target: String,
    /// Which form of the module to show
    #[arg(long, value_enum, value_name = "FORM", default_value_t = Form::Both)]
    pub(crate) form: Form,
    #[command(flatten)]
    pub(crate) build: Build,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
    Flat,
    Instrumented,
    Both,
}

/// How schedules are selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Reduction {
    /// Explore each class of equivalent executions once (optimal partial order reduction)
    Optimal,
    /// Explore each class of equivalent executions at least once (source sets)
    Source,
    /// Try every enabled step, except those in sleep sets
    None,
    /// Take random enabled steps, all equally likely, until the budget is used up
    Random,
    /// Change random priorities --bug-depth less one times in a run (probabilistic concurrency testing): each run
    /// finds a bug that needs so many ordering constraints with a known probability
    Pct,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Deliver {
    /// Messages at once and exit signals with a delay, as on a single node of BEAM
    Local,
    /// Both at once
    Instant,
    /// Both in causal order
    Causal,
    /// Both in the order of each sender
    Free,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Tests {
    #[default]
    Minimal,
    All,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Backend {
    /// Gimlet's own machine
    Machine,
    /// The real BEAM
    Beam,
    /// The machine, and BEAM for a function that needs native code or a builtin that the machine lacks, or that makes
    /// more than 100,000 calls which do not depend on its input
    Auto,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Emit {
    Eunit,
    Exunit,
    /// Always used for Prolog
    Plunit,
}

/// The coverage criterion for Prolog programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Criterion {
    /// Every clause is completed
    Clause,
    /// Every alternative of every choice is taken
    Choice,
    /// Every path within the depth is taken
    Path,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Text,
    Json,
}

/// A format of reports.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReportFormat(pub(crate) &'static ::report::Format);

/// A report to write: `KIND=FILE`.
#[derive(Clone, Debug)]
pub(crate) struct ReportFile {
    pub(crate) format: &'static ::report::Format,
    pub(crate) file: PathBuf,
}

/// Which findings make the exit code 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailLevel {
    /// Broken promises: specs, properties, declared modes
    Promise,
    /// Also crashes on inputs that appear to be meant
    Suspicious,
    /// Also results that depend on the schedule
    Race,
    /// Also refusals
    Any,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Effect {
    Files,
    Network,
    Os,
    All,
}

impl Command {
    /// Copies the rights of the program to the build options, from which all starts of a runtime take them.
    pub(crate) fn share_rights(&mut self) {
        match self {
            Command::Test(it) => {
                let memory = Some(of_runtime(it));
                it.build.rights = Rights { effects: it.allowed.clone(), memory };
            }
            Command::Run(it) => it.build.rights.effects.clone_from(&it.allowed),
            Command::Symbolic(it) => it.build.rights.effects.clone_from(&it.allowed),
            Command::Record(_)
            | Command::Replay(_)
            | Command::Instrument(_)
            | Command::Init(_)
            | Command::Config(_)
            | Command::Watch(_)
            | Command::Lsp
            | Command::Completions { .. }
            | Command::Manual { .. }
            | Command::Explain { .. } => {}
        }
    }
}

/// Replaces `-pa` in the arguments of the process by `--pa`, which the parser knows. Arguments after `--` belong to
/// another command.
pub(crate) fn spelled_for_parser(args: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut is_ours = true;
    let spelled = args.map(|it| {
        is_ours &= it != "--";
        if is_ours && it == "-pa" { OsString::from("--pa") } else { it }
    });
    spelled.collect()
}

impl Test {
    pub(crate) fn fail_on(&self) -> ::report::FailOn {
        match self.fail_on {
            _ if self.strict => ::report::FailOn::Any,
            FailLevel::Promise => ::report::FailOn::Promise,
            FailLevel::Suspicious => ::report::FailOn::Suspicious,
            FailLevel::Race => ::report::FailOn::Race,
            FailLevel::Any => ::report::FailOn::Any,
        }
    }
}

impl Build {
    /// Converts the options for a report.
    pub(crate) fn reported(&self) -> ::report::Build {
        let texts = |it: &[PathBuf]| it.iter().map(|it| it.display().to_string()).collect();
        ::report::Build {
            pa: texts(&self.code_paths),
            includes: texts(&self.includes),
            defines: self.defines.clone(),
            nodes: self.nodes.0.clone(),
        }
    }

    pub(crate) fn of_report(build: &::report::Build) -> Build {
        let paths = |it: &[String]| it.iter().map(PathBuf::from).collect();
        Build {
            code_paths: paths(&build.pa),
            includes: paths(&build.includes),
            defines: build.defines.clone(),
            nodes: Nodes(build.nodes.clone()),
            // A replay does not inherit allowed effects: the user must allow them again.
            rights: Rights::default(),
        }
    }
}

fn glob(text: &str) -> Result<String, String> {
    config::Glob::path(text).map(|_| text.to_owned()).map_err(|it| it.to_string())
}

fn report_format(name: &str) -> Result<ReportFormat, String> {
    let format = ::report::format_named(name).map(ReportFormat);
    format.ok_or_else(|| format!("there is {}", format_names()))
}

/// The names of all formats of the report.
fn format_names() -> String {
    let names: Vec<&str> = ::report::FORMATS.iter().map(|it| it.name).collect();
    names.join(", ")
}

fn report_file(text: &str) -> Result<ReportFile, String> {
    let Some((kind, file)) = text.split_once('=').filter(|it| !it.1.is_empty()) else {
        return Err("write it as KIND=FILE: html=report.html".to_owned());
    };
    Ok(ReportFile { format: report_format(kind)?.0, file: PathBuf::from(file) })
}

fn strategy(name: &str) -> Result<Strategy, String> {
    let names: Vec<&str> = Strategy::ALL.iter().map(|it| it.0).collect();
    Strategy::from_name(name).ok_or_else(|| format!("there is {}", names.join(", ")))
}

/// The maximum number of nodes of a machine.
const MAX_NODES: usize = 15;

fn nodes(text: &str) -> Result<Nodes, String> {
    let mut res: Vec<String> = Vec::new();
    for name in text.split(',').map(str::trim).filter(|it| !it.is_empty()) {
        match name.split_once('@') {
            Some((node, host)) if !node.is_empty() && !host.is_empty() && !host.contains('@') => (),
            _ => return Err(format!("a node is a name and a host: a@host, not {name}")),
        }
        if res.iter().any(|it| it == name) {
            return Err(format!("{name} is there twice"));
        }
        res.push(name.to_owned());
    }
    if res.len() > MAX_NODES {
        return Err(format!("there can be {MAX_NODES} nodes"));
    }
    Ok(Nodes(res))
}

fn at_least_one(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|it| 1 <= *it);
    number.ok_or_else(|| "that is a number of at least 1".to_owned())
}

fn duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = number_and_unit(text)?;
    let seconds = match unit {
        "ms" => number / 1000.0,
        "" | "s" => number,
        "m" => number * 60.0,
        "h" => number * 3600.0,
        _ => return Err("a time is a number and ms, s, m or h: 30s".to_owned()),
    };
    Duration::try_from_secs_f64(seconds).map_err(|_| "that is too long".to_owned())
}

fn size(text: &str) -> Result<usize, String> {
    let (number, unit) = number_and_unit(text)?;
    let factor = match unit.to_ascii_uppercase().as_str() {
        "" => 1.0,
        "K" => 1024.0,
        "M" => 1024.0 * 1024.0,
        "G" => 1024.0 * 1024.0 * 1024.0,
        _ => return Err("a size is a number and K, M or G: 2G".to_owned()),
    };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the number has no sign, and what is too great becomes the greatest"
    )]
    Ok((number * factor) as usize)
}

fn number_and_unit(text: &str) -> Result<(f64, &str), String> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let number = number.parse().map_err(|_| format!("{text} does not start with a number"))?;
    Ok((number, unit))
}

#[cfg(test)]
mod tests {
    use super::{CommandLine, duration, nodes, size};
    use clap::CommandFactory;
    use std::time::Duration;

    #[test]
    fn the_parser_is_sound() {
        CommandLine::command().debug_assert();
    }

    #[test]
    fn units() {
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("1.5m"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("7"), Ok(Duration::from_secs(7)));
        assert!(duration("7 days").is_err() && duration("s").is_err());
        assert_eq!(size("2G"), Ok(2 << 30));
        assert_eq!(size("64k"), Ok(65_536));
        assert!(size("2T").is_err());
    }

    #[test]
    fn names_of_nodes() {
        assert_eq!(nodes("a@h, b@h").expect("two").0, ["a@h", "b@h"]);
        assert!(nodes("").expect("none").0.is_empty());
        assert!(nodes("a").is_err() && nodes("a@").is_err() && nodes("a@h,a@h").is_err());
    }
}
