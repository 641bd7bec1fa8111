//! The modules under test, loaded.

use crate::args::{Backend, Build};
use crate::asked::Excluded;
use crate::diagnostic::Diagnostic;
use crate::elixir::{self, Structs};
use crate::erlang::code::{Function, Origin, functions};
use crate::erlang::coverage::Sources;
use crate::erlang::explore::MAX_MEMORY;
use crate::erlang::host::{host, target};
use crate::erlang::located::located;
use crate::erlang::reach::{References, references};
use crate::erlang::select::parse;
use crate::erlang::setup::Setup;
use crate::erlang::stale;
use crate::erlang::systems::System;
use crate::erlang::trouble::host_trouble;
use crate::erlang::unit::UnitName;
use crate::explain::Code;
use beam::{Otp, Source, Target};
use erlang::machine::Allowed;
use erlang::{Host, HostError, ModuleCode};
use std::path::Path;
use std::sync::Arc;
use term::Atom;

#[derive(Clone, Debug)]
pub(crate) struct Project {
    pub(crate) build: Build,
    pub(crate) targets: Vec<Target>,
    pub(crate) modules: Vec<Module>,
    /// Functions that targets name: `Shop.price/2`, `lib/shop.ex:42`.
    pub(crate) picked: Vec<UnitName>,
    /// Other modules whose code is not as it would be found.
    pub(crate) helpers: Vec<Arc<ModuleCode>>,
    /// Modules that are explored as systems.
    pub(crate) systems: Vec<Arc<System>>,
    /// Effects that programs may have.
    pub(crate) allowed: Allowed,
    pub(crate) backend: Backend,
    /// The bytes that a run may use.
    pub(crate) memory: usize,
    /// The structs of the modules.
    pub(crate) structs: Arc<Structs>,
    /// The clauses of all modules, once they are planned.
    pub(crate) sources: Sources,
    /// The application of the modules, if starting it was seen to work.
    pub(crate) application: Option<Setup>,
}

#[derive(Clone, Debug)]
pub(crate) struct Module {
    pub(crate) name: Atom,
    pub(crate) code: Arc<ModuleCode>,
    pub(crate) functions: Vec<Function>,
    pub(crate) references: Vec<References>,
    /// Where it is, unless it is one of OTP's.
    pub(crate) source: Option<Source>,
}

/// The function that a target names, besides the module that it is in.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Pick {
    Function(Atom, i64),
    /// The one that this line belongs to.
    Line(usize),
}

impl Pick {
    /// A target without what it says of a function.
    fn of(text: &str) -> (&str, Option<Pick>) {
        if Path::new(text).exists() {
            return (text, None);
        }
        let file_and_line = text.rsplit_once(':').filter(|it| Path::new(it.0).is_file());
        if let Some((file, line)) = file_and_line
            && let Ok(line) = line.parse()
        {
            return (file, Some(Pick::Line(line)));
        }
        match (parse(text), text.rsplit_once(['.', ':'])) {
            (Some((Some(_), function, arity)), Some((module, _))) => {
                (module, Some(Pick::Function(function, arity)))
            }
            _ => (text, None),
        }
    }

    fn unit<'m>(&self, modules: impl Iterator<Item = &'m Module>) -> Option<UnitName> {
        let line = |it: &Function| it.position.map_or(0, |it| it.0);
        let is_it = |it: &&'m Function| match self {
            Pick::Function(name, arity) => it.name == *name && it.arity == *arity,
            Pick::Line(wanted) => it.origin == Origin::Written && line(it) <= *wanted,
        };
        let all = modules.flat_map(|it| it.functions.iter().map(move |function| (it, function)));
        let (module, function) = all.filter(|it| is_it(&it.1)).max_by_key(|it| line(it.1))?;
        let arity = usize::try_from(function.arity).ok()?;
        Some(UnitName { module: module.name.clone(), function: function.name.clone(), arity })
    }
}

impl Module {
    /// Whether the source has this function, and no macro of the language made it.
    pub(crate) fn has_written(&self, name: &Atom, arity: u32) -> bool {
        let found =
            self.functions.iter().find(|it| it.name == *name && it.arity == i64::from(arity));
        found.is_none_or(|it| it.origin == Origin::Written)
    }
}

impl Project {
    /// With a diagnostic for each target or module that could not be loaded.
    pub(crate) fn load(texts: &[String], build: &Build) -> (Project, Vec<Diagnostic>) {
        let mut troubles = Vec::new();
        let mut project = Project {
            build: build.clone(),
            targets: Vec::new(),
            modules: Vec::new(),
            picked: Vec::new(),
            helpers: Vec::new(),
            systems: Vec::new(),
            allowed: Allowed::default(),
            backend: Backend::Machine,
            memory: MAX_MEMORY,
            structs: Arc::default(),
            sources: Sources::default(),
            application: None,
        };
        let mut picks: Vec<(Target, Pick)> = Vec::new();
        for text in texts {
            let (text, pick) = Pick::of(text);
            match target(text, build) {
                Ok(target) => {
                    picks.extend(pick.map(|it| (target.clone(), it)));
                    project.targets.push(target);
                }
                Err(error) => troubles.push(error),
            }
        }
        let mut host = match project.host() {
            Ok(host) => host,
            Err(error) => {
                troubles.push(host_trouble(&error, || project.host()));
                return (project, troubles);
            }
        };
        if elixir::is_used(&project.targets)
            && let Err(why) = elixir::run_applications(&mut host, &project.targets)
        {
            let title = format!("the configuration is not used: {why}");
            let hint = "--setup M:F/0 names a function that puts what is needed";
            troubles.push(Diagnostic::note(Code::NotStarted, title).hint(hint));
        }
        for module in project.targets.clone().iter().flat_map(|it| &it.modules) {
            if project.modules.iter().any(|it| it.name == module.name) {
                continue;
            }
            match host.load(&module.name) {
                Ok(code) => {
                    let (functions, references) = (functions(&code), references(&code));
                    let (name, source) = (module.name.clone(), module.source.clone());
                    let code = Arc::new(code);
                    project.modules.push(Module { name, code, functions, references, source });
                }
                Err(error) => troubles.push(host_trouble(&error, || project.host())),
            }
        }
        for (target, pick) in &picks {
            let of_target = target.modules.iter().filter_map(|it| project.module(&it.name));
            project.picked.extend(pick.unit(of_target));
        }
        troubles.extend(stale::warning(&project.modules));
        (project, troubles)
    }

    /// Leaves out modules whose name or file matches.
    pub(crate) fn leave_out(&mut self, excluded: &Excluded) {
        self.modules.retain(|it| {
            let file = it.source.as_ref().map(|it| it.path().display().to_string());
            let code = Some(it.code.file.clone()).filter(|it| !it.is_empty());
            let names = [Some(it.name.as_str().to_owned()), file, code];
            !names.iter().flatten().any(|it| excluded.has(it))
        });
    }

    pub(crate) fn host(&self) -> Result<Otp, HostError> {
        host(&self.build, &self.targets)
    }

    /// The source file of a module, as reports name it.
    pub(crate) fn file(&self, name: &Atom) -> Option<String> {
        let module = self.module(name)?;
        let file = &module.code.file;
        located(module).or_else(|| (!file.is_empty()).then(|| file.clone()))
    }

    pub(crate) fn module(&self, name: &Atom) -> Option<&Module> {
        self.modules.iter().find(|it| it.name == *name)
    }

    pub(crate) fn names(&self) -> Vec<Atom> {
        self.modules.iter().map(|it| it.name.clone()).collect()
    }
}
