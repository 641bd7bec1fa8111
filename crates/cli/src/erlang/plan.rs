//! Converts the command line to tasks: the units with their contracts and budgets.

use crate::args::{Deliver, Reduction, Test};
use crate::asked::Asked;
use crate::diagnostic::Diagnostic;
use crate::erlang::callers::{Flows, flows};
use crate::erlang::code::{Function, Visibility, argument_names, foreign_structs};
use crate::erlang::contract::Contract;
use crate::erlang::corpus::{file_name, recorded_inputs};
use crate::erlang::explore::Task;
use crate::erlang::lookups::Lookups;
use crate::erlang::project::Project;
use crate::erlang::properties::{self, is_drawn};
use crate::erlang::reach::References;
use crate::erlang::recorded::{learn, recording, used};
use crate::erlang::refusing::Refusing;
use crate::erlang::select::{first_args, named, parse, select};
use crate::erlang::setup::{Setup, tried};
use crate::erlang::systems::{Builder, DRIVER, STEPS, System};
use crate::erlang::unit::{UnitName, quoted};
use crate::erlang::words::{atoms, words};
use crate::explain::Code;
use crate::record::Recording;
use beam::Otp;
use engine::{Delivery, Dpor, ScheduleSettings};
use erlang::{Host, Machine};
use specs::{Directives, Inputs, Signature, Specs};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::Arc;
use term::{Atom, Style, Term, print};
use trace::{Covered, Input};

/// Makes the tasks, in the order of the units. Warnings go to `diagnostics`.
pub(crate) fn plan(
    project: &mut Project,
    asked: &Asked,
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<Vec<Task>, Diagnostic> {
    let options = &asked.test;
    project.make_concrete(&options.concrete)?;
    let is_picked = options.functions.is_empty() && !project.picked.is_empty();
    let mut units = match is_picked {
        true => project.picked.clone(),
        false => select(project, &options.functions)?,
    };
    let asked_for_functions = is_picked || !options.functions.is_empty();
    let mut planner =
        Planner::new(project, options.no_spec, inputs(project, options), diagnostics)?;
    if !asked_for_functions {
        units = planner.without_skipped(&units)?;
    }
    // The schedules are those of a single call.
    if !options.schedules {
        units = planner.with_systems(&units, asked_for_functions, options)?;
    }
    let preconditions: Vec<UnitName> =
        options.pre.iter().map(|it| planner.precondition(it)).collect::<Result<_, _>>()?;
    if let Some(it) =
        preconditions.iter().find(|it| units.iter().all(|unit| unit.arity != it.arity))
    {
        let title = format!("{it} takes as many arguments as none of the tested functions");
        return Err(Diagnostic::new(Code::BadPrecondition, title)
            .hint("a precondition takes the arguments of the function that it guards"));
    }
    planner.recording = recording(options, planner.warnings);
    if let Some(recording) = &planner.recording {
        planner.warnings.extend(used(recording, &units));
    }
    let setups: Vec<Setup> =
        options.setup.iter().map(|it| planner.setup(it)).collect::<Result<_, _>>()?;
    let mut tasks = Vec::new();
    for unit in units {
        let file = planner.project.file(&unit.module);
        let Some(options) = asked.for_unit(&unit.to_string(), file.as_deref())? else { continue };
        let mut pre = preconditions.clone();
        for text in options.pre.iter().filter(|it| !asked.test.pre.contains(it)) {
            pre.push(planner.precondition(text)?);
        }
        let mut own = setups.clone();
        for text in options.setup.iter().filter(|it| !asked.test.setup.contains(it)) {
            own.push(planner.setup(text)?);
        }
        let mut task = planner.task(unit, &pre, &options)?;
        task.contract.setups = own;
        tasks.push(task);
    }
    let tested: Vec<UnitName> = tasks.iter().map(|it| it.unit.clone()).collect();
    let Flows { calls, records, uses } = planner.flows(&tested);
    let records = Arc::new(records);
    let absent = Arc::new(planner.absent_modules());
    for task in &mut tasks {
        task.calls = calls.get(&task.unit).cloned();
        task.contract.records = Arc::clone(&records);
        task.contract.absent = Arc::clone(&absent);
        task.contract.delegate = uses.delegates.get(&task.unit).cloned();
        task.contract.answered_by = Some(uses.maker_of_results(&task.unit));
        task.contract.is_left_alone = uses.left_alone.contains(&task.unit);
        if uses.unmentioned.contains(&task.unit) {
            task.contract.unknown_behaviour = planner.unknown_behaviour(&task.unit.module);
        }
    }
    let codes = || planner.project.modules.iter().map(|it| &*it.code);
    let (refusing, lookups) = (Arc::new(Refusing::of(codes())), Arc::new(Lookups::of(codes())));
    let named = Arc::new(codes().flat_map(|it| atoms(&it.core)).collect::<BTreeSet<String>>());
    let mut words_of: BTreeMap<Atom, Vec<Vec<u8>>> = BTreeMap::new();
    for task in &mut tasks {
        task.contract.refusing = Arc::clone(&refusing);
        task.contract.lookups = Arc::clone(&lookups);
        task.contract.named = Arc::clone(&named);
        if let Some(module) = planner.project.module(&task.unit.module) {
            let known = words_of.entry(module.name.clone());
            task.settings.words = known.or_insert_with(|| words(&module.code.core)).clone();
        }
    }
    if tasks.is_empty() {
        let title = "the configuration leaves every function out";
        return Err(Diagnostic::new(Code::NothingToTest, title).hint("name one with -f"));
    }
    Ok(tasks)
}

/// Removes setups that fail, with one warning for each.
pub(crate) fn check_setups(
    machine: &mut Machine,
    tasks: &mut [Task],
    diagnostics: &mut Vec<Diagnostic>,
) {
    let mut known: Vec<(Setup, bool)> = Vec::new();
    for task in tasks {
        task.contract.setups.retain(|it| {
            if let Some((_, works)) = known.iter().find(|known| known.0 == *it) {
                return *works;
            }
            let result = tried(machine, it);
            known.push((it.clone(), result.is_ok()));
            let Err(why) = result else { return true };
            let title = format!("the setup {} is left out: {why}", it.erlang());
            let hint = "it runs on our machine; --allow lets it touch the world outside";
            diagnostics.push(Diagnostic::warning(Code::BadSetup, title).hint(hint));
            false
        });
    }
}

/// Plans a single function: its name and contract.
pub(crate) fn plan_one(
    project: &mut Project,
    function: &str,
    ignores_specs: bool,
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<(UnitName, Contract), Diagnostic> {
    let unit = named(project, function)?;
    let contract =
        Planner::new(project, ignores_specs, Inputs::MadeUp, diagnostics)?.contract(&unit, &[], 0);
    Ok((unit, contract))
}

/// The minimum effort (in the unit of [`engine::Report::spent`]) without news that ends the search of a unit.
const PATIENCE: u64 = 10_000;

/// The inputs in the output directory that an earlier run of the tool recorded for this unit.
fn earlier_inputs(dir: &Path, unit: &UnitName) -> Vec<Input> {
    let path = dir.join("corpus").join(file_name(unit));
    let Ok(text) = fs::read_to_string(path) else { return vec![] };
    let mut res = recorded_inputs(&text);
    res.retain(|it| it.args.len() == unit.arity);
    res
}

struct Planner<'a> {
    project: &'a mut Project,
    ignores_specs: bool,
    host: Otp,
    specs: Specs,
    /// Specs with made-up values in place of values that could be built.
    made_up: Specs,
    recording: Option<Recording>,
    warnings: &'a mut Vec<Diagnostic>,
}

impl<'a> Planner<'a> {
    fn new(
        project: &'a mut Project,
        ignores_specs: bool,
        inputs: Inputs,
        warnings: &'a mut Vec<Diagnostic>,
    ) -> Result<Planner<'a>, Diagnostic> {
        let host = project.host().map_err(|it| Diagnostic::new(Code::NoOtp, it.to_string()))?;
        Ok(Planner {
            project,
            ignores_specs,
            host,
            specs: Specs::new(inputs),
            made_up: Specs::default(),
            recording: None,
            warnings,
        })
    }

    fn contract(&mut self, unit: &UnitName, pre: &[UnitName], seed: u64) -> Contract {
        let mut res = Contract::new(unit, self.signature(unit), seed);
        let fits = |it: &&UnitName| it.arity == unit.arity;
        res.preconditions.extend(pre.iter().filter(fits).cloned());
        res.preconditions.extend(self.own_precondition(unit));
        if !res.makers().is_empty() {
            let UnitName { module, function, arity } = unit;
            let made_up = self.made_up.signature(&mut self.host, module, function, *arity);
            if let Some(signature) = made_up.ok().flatten() {
                let preconditions = res.preconditions.clone();
                let made_up = Contract::new(unit, Some(signature), seed);
                res.made_up = Some(Box::new(Contract { preconditions, ..made_up }));
            }
        }
        res
    }

    fn task(
        &mut self,
        unit: UnitName,
        pre: &[UnitName],
        options: &Test,
    ) -> Result<Task, Diagnostic> {
        let system = self.project.systems.iter().find(|it| it.unit == unit).cloned();
        let is_drawn = is_drawn(self.project, &unit) && self.help_properties(&unit);
        let mut contract = match system {
            Some(system) => Contract::of_system(system, options.seed),
            None if is_drawn => Contract::of_property(),
            None => self.contract(&unit, pre, options.seed),
        };
        let mut strays = Vec::new();
        if let Some(text) = &options.args {
            let args = first_args(text, &unit)?;
            // With `--args` the user may give a value that would otherwise be built by a recipe.
            if let Some(made_up) = contract.made_up.take_if(|it| it.domain.has(&args)) {
                contract = *made_up;
            }
            let is_stray = !contract.domain.has(&args);
            if is_stray {
                self.warn_of_args(&unit, &args, &contract);
            }
            let input = Input { args };
            if is_stray && !options.schedules {
                strays.push(input);
            } else {
                contract.seeds = vec![input];
            }
        }
        // Seeds that we made count as runs; recorded inputs are always run.
        contract.seeds.truncate(options.runs.unwrap_or(usize::MAX).max(1));
        let begins_elsewhere = options.args.is_some() || options.schedules;
        if let Some(recording) = self.recording.as_ref().filter(|_| !begins_elsewhere) {
            let UnitName { module, function, arity } = &unit;
            let made_up = self.made_up.signature(&mut self.host, module, function, *arity);
            let made_up = made_up.ok().flatten().filter(|_| !self.ignores_specs);
            learn(recording, &unit, made_up.as_ref(), &mut contract, self.warnings);
        }
        let mut earlier: Vec<Input> =
            options.out.iter().flat_map(|dir| earlier_inputs(dir, &unit)).collect();
        earlier.retain(|it| !contract.seeds.contains(it) && contract.domain.has(&it.args));
        let Test { depth, time, runs, strategy, seed, .. } = options;
        let settings = engine::Settings {
            strays,
            depth: depth.unwrap_or(if is_drawn { properties::DEPTH } else { engine::DEPTH }),
            max_runs: *runs,
            // With `--time` or `--runs` the whole budget is used.
            patience: (time.is_none() && runs.is_none()).then_some(PATIENCE),
            strategy: *strategy,
            seed: *seed,
            ..engine::Settings::default()
        };
        let schedules = options.schedules.then(|| schedules(options));
        let (nodes_fall, finds_blocked) = (options.node_down, options.blocked);
        let may_deepen = depth.is_none();
        let wanted = Covered::default();
        let code = self.project.module(&unit.module).map(|it| &it.code);
        let names = code.map(|it| argument_names(it, &unit.function, unit.arity));
        Ok(Task {
            unit,
            argument_names: names.unwrap_or_default(),
            contract,
            earlier,
            settings,
            schedules,
            nodes_fall,
            finds_blocked,
            may_deepen,
            wanted,
            calls: None,
            may_start: false,
        })
    }

    /// Loads the module between properties and their generators. Returns whether it is loaded.
    fn help_properties(&mut self, unit: &UnitName) -> bool {
        let is_there = |it: &str| self.project.helpers.iter().any(|code| code.name.as_str() == it);
        if is_there(properties::DRAWS_NAME) {
            return true;
        }
        match properties::helpers(&mut self.host) {
            Ok(helpers) => self.project.helpers.extend(helpers.into_iter().map(Arc::new)),
            Err(why) => {
                let title = format!("{unit} gets no generated values: {why}");
                let hint = "name the directory of PropEr's modules with -pa";
                self.warnings.push(Diagnostic::warning(Code::NoModule, title).hint(hint));
                return false;
            }
        }
        true
    }

    /// Returns a behaviour of the module that can't be found.
    fn unknown_behaviour(&mut self, module: &Atom) -> Option<Atom> {
        let Planner { made_up: specs, host, .. } = self;
        let behaviours = specs.behaviours(host, module).unwrap_or_default();
        behaviours.into_iter().find(|it| host.find(it).is_err())
    }

    /// Modules that the project calls by name and that can't be found.
    fn absent_modules(&mut self) -> BTreeSet<Atom> {
        let Planner { project, host, .. } = self;
        let references = project.modules.iter().flat_map(|it| &it.references);
        let called: BTreeSet<&Atom> =
            references.flat_map(References::called).filter_map(|it| it.0).collect();
        let mut is_there = |it: &Atom| project.module(it).is_some() || host.find(it).is_ok();
        let absent = called.into_iter().filter(|it| !is_there(it));
        absent.cloned().collect()
    }

    /// How the project calls those units that are private to it, and the types of the values in its records.
    fn flows(&mut self, units: &[UnitName]) -> Flows {
        let Planner { project, made_up: specs, host, .. } = self;
        let mut records = BTreeMap::new();
        for name in project.names() {
            let known = specs.records(host, &name).unwrap_or_default();
            records.insert(name, known);
        }
        let mut spec_of = |it: &UnitName| {
            let UnitName { module, function, arity } = it;
            specs.signature(host, module, function, *arity).ok().flatten()
        };
        flows(project, units, &records, &mut spec_of)
    }

    /// Replaces callbacks by the systems that their modules form.
    fn with_systems(
        &mut self,
        units: &[UnitName],
        are_asked_for: bool,
        options: &Test,
    ) -> Result<Vec<UnitName>, Diagnostic> {
        let n_steps = options.sequence.unwrap_or(STEPS);
        let mut systems: Vec<Arc<System>> = Vec::new();
        let mut specs = Specs::default();
        let mut res = Vec::new();
        for module in &self.project.modules {
            let mut own: Vec<UnitName> =
                units.iter().filter(|it| it.module == module.name).cloned().collect();
            if own.is_empty() {
                continue;
            }
            let mut builder = Builder {
                specs: &mut specs,
                host: &mut self.host,
                ignores_specs: self.ignores_specs,
                n_steps,
            };
            let wants = |it: &System| !are_asked_for || own.contains(&it.unit);
            let system = builder.system(module).filter(wants);
            let sequence = match (&system, options.sequence) {
                (None, Some(_)) => builder.sequence(module, &own),
                (Some(_), _) | (None, None) => None,
            };
            if let Some(system) = system {
                own.retain(|it| !system.takes(it) && *it != system.unit);
                own.push(system.unit.clone());
                systems.push(Arc::new(system));
            } else if let Some(sequence) = sequence {
                own.push(sequence.unit.clone());
                systems.push(Arc::new(sequence));
            }
            res.extend(own);
        }
        if !systems.is_empty() {
            let driver = self.host.load_text(DRIVER);
            let driver = driver.map_err(|it| Diagnostic::new(Code::NoOtp, it.to_string()))?;
            self.project.helpers.push(Arc::new(driver));
            self.project.systems = systems;
        }
        Ok(res)
    }

    fn signature(&mut self, unit: &UnitName) -> Option<Signature> {
        if self.ignores_specs {
            return None;
        }
        let UnitName { module, function, arity } = unit;
        match self.specs.signature(&mut self.host, module, function, *arity) {
            Ok(Some(signature)) => {
                for gap in &signature.gaps {
                    let title = format!("the spec of {unit} is only partly understood: {gap}");
                    self.warnings.push(Diagnostic::warning(Code::PartOfSpec, title));
                }
                for why in &signature.unmade {
                    let title = format!("inputs are made up where they should be built: {why}");
                    self.warnings.push(Diagnostic::warning(Code::PartOfSpec, title));
                }
                if signature.first_input().is_none() {
                    let title = format!("no input fits the spec of {unit}; it is ignored");
                    self.warnings.push(Diagnostic::warning(Code::PartOfSpec, title));
                    return None;
                }
                Some(signature)
            }
            Ok(None) => None,
            Err(error) => {
                let title = format!("the spec of {unit} is ignored: {error}");
                self.warnings.push(Diagnostic::warning(Code::PartOfSpec, title));
                None
            }
        }
    }

    fn directives(&mut self, unit: &UnitName) -> Directives {
        self.specs.directives(&mut self.host, &unit.module).unwrap_or_default()
    }

    /// Removes the units that their module's attributes exclude.
    fn without_skipped(&mut self, units: &[UnitName]) -> Result<Vec<UnitName>, Diagnostic> {
        let mut res = Vec::new();
        for module in self.project.names() {
            let of_module = units.iter().filter(|it| it.module == module);
            let Some(first) = of_module.clone().next() else { continue };
            let directives = self.directives(first);
            for problem in &directives.problems {
                let title = format!("{}: {problem}", quoted(&module));
                self.warnings.push(
                    Diagnostic::warning(Code::BadDirective, title)
                        .hint("-gimlet({skip, [f/1]}). or -gimlet({pre, f/1, valid/1})."),
                );
            }
            let is_skipped =
                |it: &UnitName| directives.skip.contains(&(it.function.clone(), it.arity));
            res.extend(of_module.filter(|it| !is_skipped(it)).cloned());
        }
        if res.is_empty() {
            return Err(Diagnostic::new(Code::NothingToTest, "every function asks to be left out")
                .hint("name one with -f"));
        }
        Ok(res)
    }

    /// The precondition of a unit in its module's attributes.
    fn own_precondition(&mut self, unit: &UnitName) -> Option<UnitName> {
        let directives = self.directives(unit);
        let own = directives.preconditions.get(&(unit.function.clone(), unit.arity))?;
        let (module, function) = (own.module.clone(), own.function.clone());
        let pre = UnitName { module, function, arity: unit.arity };
        if self.is_exported(&pre) || self.project.open(&pre) {
            return Some(pre);
        }
        let title = format!("there is no {pre}, the precondition of {unit}; it is ignored");
        self.warnings.push(Diagnostic::warning(Code::BadPrecondition, title));
        None
    }

    /// Resolves a function of `--pre`, of a target or of any other module.
    fn precondition(&mut self, text: &str) -> Result<UnitName, Diagnostic> {
        if let Some((Some(module), function, arity)) = parse(text)
            && self.project.module(&module).is_none()
        {
            let arity = usize::try_from(arity).unwrap_or(usize::MAX);
            let pre = UnitName { module, function, arity };
            if self.is_exported(&pre) {
                return Ok(pre);
            }
            let title = format!("there is no exported function {pre}");
            return Err(Diagnostic::new(Code::BadPrecondition, title)
                .hint("name its file as a target, or its directory with -pa"));
        }
        named(self.project, text)
    }

    /// Resolves a function of `--setup`, which has no arguments, of a target or of any other module.
    fn setup(&mut self, text: &str) -> Result<Setup, Diagnostic> {
        let unit = match parse(text) {
            Some((Some(module), function, 0)) => UnitName { module, function, arity: 0 },
            Some(_) | None => {
                let title = format!("{text} is no function without arguments");
                return Err(Diagnostic::new(Code::BadSetup, title).hint("write --setup m:f/0"));
            }
        };
        if self.is_exported(&unit) {
            return Ok(Setup::Call(unit));
        }
        let title = format!("there is no exported function {unit}");
        Err(Diagnostic::new(Code::BadSetup, title)
            .hint("name its file as a target, or its directory with -pa"))
    }

    fn is_exported(&mut self, unit: &UnitName) -> bool {
        let has = |functions: &[Function]| {
            let is_it = |it: &Function| {
                it.name == unit.function
                    && usize::try_from(it.arity) == Ok(unit.arity)
                    && it.visibility == Visibility::Exported
            };
            functions.iter().any(is_it)
        };
        match self.project.module(&unit.module) {
            Some(module) => has(&module.functions),
            None => {
                let code = self.host.load(&unit.module);
                code.is_ok_and(|it| has(&crate::erlang::code::functions(&it)))
            }
        }
    }

    fn warn_of_args(&mut self, unit: &UnitName, args: &[Term], contract: &Contract) {
        let args: Vec<String> = args.iter().map(|it| print(it, Style::INPUT)).collect();
        let title = format!("{} does not fit the spec of {unit}", args.join(", "));
        let spec = contract.signature.as_ref().map(Signature::text).unwrap_or_default();
        self.warnings.push(
            Diagnostic::warning(Code::ArgsBreakSpec, title)
                .with_details(vec![format!("the spec is {spec}")])
                .hint("it is run, and the search goes on with inputs that fit; see --no-spec"),
        );
    }
}

/// How values are made that only their module constructs.
fn inputs(project: &Project, options: &Test) -> Inputs {
    if options.made_up {
        return Inputs::MadeUp;
    }
    Inputs::Built { open_tags: foreign_structs(project.modules.iter().map(|it| &*it.code)) }
}

/// Returns the settings of the schedule search for this delivery of messages and signals and this number of lost
/// messages.
pub(crate) fn travelling(delivery: Deliver, losses: usize) -> ScheduleSettings {
    ScheduleSettings {
        delivery: match delivery {
            Deliver::Local | Deliver::Instant => Delivery::Instant,
            Deliver::Causal => Delivery::Causal,
            Deliver::Free => Delivery::Free,
        },
        delays_signals: delivery == Deliver::Local,
        losses,
        ..ScheduleSettings::default()
    }
}

fn schedules(options: &Test) -> ScheduleSettings {
    let Test { dpor, bug_depth, delivery, lossy, preemptions, steps, depth, runs, seed, .. } =
        options;
    ScheduleSettings {
        dpor: match dpor {
            Reduction::Optimal => Dpor::Optimal,
            Reduction::Source => Dpor::Source,
            Reduction::None => Dpor::SleepSets,
            Reduction::Random => Dpor::Random,
            Reduction::Pct => Dpor::Pct { depth: usize::from(*bug_depth) },
        },
        preemptions: *preemptions,
        steps: *steps,
        choices: depth.unwrap_or(engine::DEPTH),
        max_runs: *runs,
        seed: *seed,
        ..travelling(*delivery, lossy.unwrap_or(0))
    }
}
