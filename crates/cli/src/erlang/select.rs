//! Which functions are tested: those asked for, or every exported one.

use crate::diagnostic::Diagnostic;
use crate::elixir;
use crate::erlang::code::{Function, Origin, Visibility};
use crate::erlang::project::{Module, Project};
use crate::erlang::systems::Protocol;
use crate::erlang::trouble::no_function_named;
use crate::erlang::unit::{UnitName, quoted};
use crate::explain::Code;
use ::report::Snippet;
use config::nearest;
use term::{Atom, ReadError, Term, read_args, read_term};

/// The units in the order of the command line, or of the source.
pub(crate) fn select(project: &Project, asked: &[String]) -> Result<Vec<UnitName>, Diagnostic> {
    if !asked.is_empty() {
        return asked.iter().map(|it| named(project, it)).collect();
    }
    let units: Vec<UnitName> = project.modules.iter().flat_map(defaults).collect();
    if units.is_empty() {
        let names: Vec<String> = project.modules.iter().map(|it| quoted(&it.name)).collect();
        let title = format!("{} exports nothing that can be tested", names.join(", "));
        return Err(Diagnostic::new(Code::NothingToTest, title)
            .hint("export a function, or compile the source with -D and export_all"));
    }
    Ok(units)
}

/// Every exported function that the author wrote to be called.
fn defaults(module: &Module) -> Vec<UnitName> {
    let is_made = |it: &&Function| {
        let name = it.name.as_str();
        let is_reflection = name.len() > 4 && name.starts_with("__") && name.ends_with("__");
        matches!(name, "module_info" | "behaviour_info")
            || it.origin == Origin::Generated
            || is_reflection && elixir::is_elixir(&module.name)
            || name.starts_with("MACRO-")
            || (it.arity == 0 && (name.ends_with("_test") || name.ends_with("_test_")))
            || (it.arity == 0 && name == "test")
    };
    let exported = module.functions.iter().filter(|it| it.visibility == Visibility::Exported);
    exported.filter(|it| !is_made(it)).filter_map(|it| unit(module, it)).collect()
}

fn unit(module: &Module, function: &Function) -> Option<UnitName> {
    Some(UnitName {
        module: module.name.clone(),
        function: function.name.clone(),
        arity: usize::try_from(function.arity).ok()?,
    })
}

/// `M:F/A`, or `M.F/A` as in Elixir, or `F/A` if there is one module.
pub(crate) fn named(project: &Project, text: &str) -> Result<UnitName, Diagnostic> {
    let (module, function, arity) = parse(text).ok_or_else(|| {
        Diagnostic::new(Code::BadUnit, format!("{text} does not name a function"))
            .hint("write module:function/arity, as in lists:nth/2")
    })?;
    let module = match (module, project.modules.as_slice()) {
        (None, [only]) => only,
        (None, _) => {
            let title = format!("{text} may be in any of {} modules", project.modules.len());
            let first = project.modules.first().map(|it| UnitName {
                module: it.name.clone(),
                function: function.clone(),
                arity: usize::try_from(arity).unwrap_or(usize::MAX),
            });
            let example = first.map_or_else(|| text.to_owned(), |it| it.title());
            return Err(Diagnostic::new(Code::BadUnit, title)
                .hint(format!("write it with its module: {example}")));
        }
        (Some(name), _) => project.module(&name).ok_or_else(|| no_module(project, &name))?,
    };
    let system = UnitName { module: module.name.clone(), function: function.clone(), arity: 2 };
    if Protocol::of_unit(&system).is_some() {
        return Ok(system);
    }
    match no_function_named(&module.code, &function, arity) {
        Some(diagnostic) => Err(diagnostic),
        None => Ok(UnitName {
            module: module.name.clone(),
            function,
            arity: usize::try_from(arity).unwrap_or(usize::MAX),
        }),
    }
}

pub(crate) fn parse(text: &str) -> Option<(Option<Atom>, Atom, i64)> {
    let (name, arity) = text.trim().rsplit_once('/')?;
    let arity: u8 = arity.trim().parse().ok()?;
    if let Some((module, function)) = elixir::read_function(name) {
        return Some((Some(module), function, i64::from(arity)));
    }
    let atom = |text: &str| match read_term(text) {
        Ok(Term::Atom(atom)) => Some(atom),
        // Elixir's users say Enum.
        _ if text.starts_with(|it: char| it.is_ascii_uppercase()) => {
            Some(Atom::new(&format!("Elixir.{text}")))
        }
        _ => None,
    };
    // A quoted name may have a colon in it.
    let colon = name.match_indices(':').map(|it| it.0).find(|at| {
        let (left, right) = name.split_at(*at);
        atom(left).is_some() && right.get(1..).and_then(atom).is_some()
    });
    match colon {
        Some(at) => {
            let (left, right) = name.split_at(at);
            Some((atom(left), atom(right.get(1..)?)?, i64::from(arity)))
        }
        None => Some((None, atom(name)?, i64::from(arity))),
    }
}

fn no_module(project: &Project, name: &Atom) -> Diagnostic {
    let title = format!("{} is not among the targets", quoted(name));
    let res = Diagnostic::new(Code::BadUnit, title);
    let names: Vec<Atom> = project.names();
    match nearest(name.as_str(), names.iter().map(Atom::as_str)) {
        Some(near) => res.hint(format!("did you mean {near}?")),
        None => res.hint("name its file as a target too"),
    }
}

/// The arguments that `--args` gives.
pub(crate) fn first_args(text: &str, unit: &UnitName) -> Result<Vec<Term>, Diagnostic> {
    let bad = |error: &ReadError| {
        let before = text.get(..error.offset).unwrap_or(text);
        let place = Snippet {
            origin: "--args".to_owned(),
            line: before.matches('\n').count() + 1,
            column: before.chars().rev().take_while(|it| *it != '\n').count() + 1,
            text: text.lines().nth(before.matches('\n').count()).unwrap_or("").to_owned(),
            n_chars: 1,
            label: String::new(),
        };
        let hint = "a list with one term for each argument: '[[1, 2], ok]'";
        Diagnostic::new(Code::BadArgs, error.to_string()).at(place).hint(hint)
    };
    // The contract has a list here; what stands between parentheses is taken too.
    let args = match elixir::is_elixir(&unit.module) {
        // What is read in both ways is Elixir: `"a"` is a binary there.
        true => elixir::read_args(text).or_else(|error| read_args(text).map_err(|_| error)),
        false => read_args(text),
    };
    let args = args.map_err(|it| bad(&it))?;
    if args.len() == unit.arity {
        return Ok(args);
    }
    let title = format!("{unit} takes {}, --args has {}", count(unit.arity), args.len());
    let hint = match unit.arity {
        1 => format!("--args is the list of arguments: '[{text}]'"),
        _ => "--args is the list of arguments: '[first, second]'".to_owned(),
    };
    Err(Diagnostic::new(Code::BadArgs, title).hint(hint))
}

fn count(arity: usize) -> String {
    match arity {
        1 => "one argument".to_owned(),
        _ => format!("{arity} arguments"),
    }
}
