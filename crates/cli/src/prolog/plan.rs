//! Selects the predicates to test, and for each its modes, input types and seeds.

use crate::args::Test;
use crate::asked::Asked;
use crate::diagnostic::Diagnostic;
use crate::explain::Code;
use crate::prolog::expect::is_ground;
use crate::prolog::seeds::{medium, sized};
use crate::prolog::shallow::shallow;
use crate::prolog::source::{Session, Source};
use config::nearest;
use prolog::code::PredId;
use prolog::concolic::{
    Arg, Belief, Condition, Declaration, Declared, Determinism, Goal, PredicateInfo, TypeMaker,
    declaration, is_made_exactly, to_term, type_term,
};
use prolog::text::Reader;
use term::{Domain, Term, Type};
use trace::Input;

/// A predicate and the modes in which it is called.
#[derive(Clone, Debug)]
pub(crate) struct Task {
    /// Name and arity: `main/3`.
    pub(crate) name: String,
    pub(crate) pred: PredId,
    pub(crate) ways: Vec<Way>,
    /// The marks of all clauses that it can reach.
    pub(crate) reachable: Vec<u32>,
}

/// A mode of a predicate: which arguments are inputs, their types, and the first inputs.
#[derive(Clone, Debug)]
pub(crate) struct Way {
    pub(crate) goal: Goal,
    /// Variable names of the arguments that are results.
    pub(crate) results: Vec<String>,
    pub(crate) domain: Domain,
    pub(crate) seeds: Vec<Input>,
    pub(crate) determinism: Option<Determinism>,
    /// The balls that the source documents, as text.
    pub(crate) throws: Vec<String>,
    /// Whether the user or the source declares the inputs.
    pub(crate) is_declared: bool,
    /// Whether the inputs are those that the program is meant for; true for the best mode.
    pub(crate) is_trusted: bool,
    /// Whether the inputs are as the source declares them or as the clauses use them.
    pub(crate) is_meant: bool,
    /// Whether inputs may contain variables.
    pub(crate) is_open: bool,
    /// Whether each clause of the predicate needs a goal of the same predicate, or of another such predicate, to
    /// succeed first.
    pub(crate) is_endlessly_recursive: bool,
}

/// A predicate with its options.
#[derive(Clone, Debug)]
pub(crate) struct Planned {
    pub(crate) task: Task,
    pub(crate) options: Test,
    /// The clauses that the predicate can reach and complete, according to static analysis.
    pub(crate) wanted: Vec<u32>,
    /// The outcomes of the control constructs in the bodies of the reachable clauses.
    pub(crate) branches: Vec<Outcome>,
}

/// An outcome of a control construct.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outcome {
    pub(crate) mark: u32,
    /// The mark of the clause whose body contains the control construct.
    pub(crate) of: u32,
}

impl Way {
    /// Restricts inputs to terms with at most `depth` nested compounds or lists.
    fn bound(&mut self, depth: usize) {
        let Domain { types, args } = &mut self.domain;
        // The tuple of all arguments is one more level.
        let bounded = args.and_then(|it| shallow(types, it, depth.saturating_add(1)));
        if let Some(bounded) = bounded {
            *args = Some(bounded);
            let types = &self.domain.types;
            let has = |it: &Input| types.has(bounded, &Term::Tuple(it.args.clone()));
            self.seeds.retain(has);
            let smallest = types.smallest(bounded);
            let smallest = smallest.and_then(|it| Some(Input { args: it.as_tuple()?.to_vec() }));
            self.seeds.extend(smallest.filter(|_| self.seeds.is_empty()));
        }
    }
}

/// Selects the predicates to test, and records the clauses that no goal of theirs can complete.
pub(crate) fn plan(session: &mut Session, asked: &Asked) -> Result<Vec<Planned>, Diagnostic> {
    let file = session.source.path.display().to_string();
    let mut res = Vec::new();
    let endless = session.machine.endlessly_recursive(&session.source.program);
    for mut task in tasks(session, &asked.test)? {
        let Some(options) = asked.for_unit(&task.name, Some(&file))? else { continue };
        for text in &options.pre {
            let condition = condition(&session.source, text)?;
            let ways = task.ways.iter_mut().map(|it| &mut it.goal);
            let fitting = ways.filter(|it| takes(&condition, &it.args));
            fitting.for_each(|it| it.conditions.push(condition.clone()));
        }
        let is_endless = endless.contains(&task.pred);
        task.ways.iter_mut().for_each(|it| it.is_endlessly_recursive = is_endless);
        if let Some(depth) = options.term_depth {
            task.ways.iter_mut().for_each(|it| it.bound(depth));
        }
        let impossible = session.machine.impossible(&session.source.program, &[task.pred]);
        let is_possible = |it: &u32| !impossible.contains(it);
        let (mut wanted, mut branches) = (Vec::new(), Vec::new());
        for mark in task.reachable.iter().copied().filter(is_possible) {
            match session.source.program.clause_of_branch(mark) {
                Some(of) => branches.push(Outcome { mark, of }),
                None => wanted.push(mark),
            }
        }
        res.push(Planned { task, options: options.into_owned(), wanted, branches });
    }
    let is_used = |text: &String| {
        let condition = condition(&session.source, text);
        let mut ways = res.iter().flat_map(|it| &it.task.ways);
        condition.is_ok_and(|it| ways.any(|way| way.goal.conditions.contains(&it)))
    };
    if let Some(it) = asked.test.pre.iter().find(|it| !is_used(it)) {
        let title = format!("{it} takes as many arguments as none of the tested predicates");
        let hint = "a precondition takes all arguments of the predicate that it guards, or those that are given";
        return Err(Diagnostic::new(Code::BadPrecondition, title).hint(hint));
    }
    let roots: Vec<PredId> = res.iter().map(|it| it.task.pred).collect();
    let impossible = session.machine.impossible(&session.source.program, &roots);
    session.source.impossible = impossible.into_iter().collect();
    Ok(res)
}

/// Returns the predicate that `--pre` names as a precondition.
fn condition(source: &Source, text: &str) -> Result<Condition, Diagnostic> {
    let PredicateInfo { name, arity, .. } = named(source, text)?;
    Ok(Condition { name, arity })
}

/// Whether the arity of a precondition is the number of all arguments of a goal, or the number of its given
/// arguments.
fn takes(condition: &Condition, args: &[Arg]) -> bool {
    let n_given = args.iter().filter(|it| it.is_given()).count();
    condition.arity == args.len() || condition.arity == n_given
}

fn tasks(session: &mut Session, options: &Test) -> Result<Vec<Task>, Diagnostic> {
    let first = options.goal.as_deref().map(|it| first_goal(session, it)).transpose()?;
    let source = &session.source;
    let modes = modes(source, options)?;
    let names = selected(source, options, &modes, first.as_ref())?;
    let tasks = names.iter().map(|info| task(session, info, &modes, first.as_ref()));
    let mut tasks = tasks.collect::<Result<Vec<Task>, Diagnostic>>()?;
    if first.is_none() {
        let firsts: Vec<Option<Part<'_>>> = names
            .iter()
            .zip(&tasks)
            .map(|(info, task)| Some(Part { info, args: task.ways.first()?.goal.args.clone() }))
            .collect();
        for (task, part) in tasks.iter_mut().zip(&firsts) {
            let others = firsts.iter().flatten();
            let others: Vec<&Part<'_>> =
                others.filter(|it| source.program.prepares(it.info.id, task.pred)).collect();
            let ways = part.iter().flat_map(|it| prepared(source, it, &others, &modes));
            task.ways.extend(ways);
        }
    }
    Ok(tasks)
}

/// A predicate with the mode of its arguments.
#[derive(Clone, Debug)]
struct Part<'a> {
    info: &'a PredicateInfo,
    args: Vec<Arg>,
}

/// The modes that call a predicate after goals that add facts which it reads: after each goal once, and after each
/// twice.
fn prepared(
    source: &Source,
    part: &Part<'_>,
    others: &[&Part<'_>],
    modes: &[Declaration],
) -> Vec<Way> {
    let mut res = Vec::new();
    for n in [1, 2] {
        for other in others.iter().take(MAX_PREPARING) {
            let mut parts = vec![(*other).clone(); n];
            parts.push(part.clone());
            let declared: Vec<Declaration> =
                modes.iter().chain(&source.declarations).cloned().collect();
            let mut way = way_of(source, &parts, &declared, Belief::Tight);
            way.determinism = None;
            way.is_declared = false;
            res.push(way);
        }
    }
    res
}

/// The maximum number of other predicates that are called before one.
const MAX_PREPARING: usize = 6;

/// The goal of `--goal`.
pub(crate) struct FirstGoal {
    pub(crate) name: String,
    pub(crate) args: Vec<Term>,
    /// The names of the arguments that are variables.
    pub(crate) names: Vec<Option<String>>,
}

fn modes(source: &Source, options: &Test) -> Result<Vec<Declaration>, Diagnostic> {
    let mut res = Vec::new();
    for text in &options.mode {
        let bad = |title: String| Diagnostic::new(Code::BadMode, title).hint("as in 'main(+,+,-)'");
        let Some(mode) = declaration(text, 0) else {
            return Err(bad(format!("{text} is no mode")));
        };
        if source.program.predicate(&mode.name, mode.args.len()).is_none() {
            let title = format!("there is no predicate {}/{}", mode.name, mode.args.len());
            return Err(bad(title).hint(same_name(source, &mode.name)));
        }
        res.push(kept(source, mode));
    }
    Ok(res)
}

/// Completes a mode of `--mode` with types, determinism and exceptions that the source declares for the same mode.
fn kept(source: &Source, mode: Declaration) -> Declaration {
    let is_result = |it: &Declared| it.arg() == Arg::Result;
    let n_alike = |other: &Declaration| {
        let alike = |it: &(&Declared, &Declared)| is_result(it.0) == is_result(it.1);
        mode.args.iter().zip(&other.args).filter(alike).count()
    };
    let same = |it: &&Declaration| it.name == mode.name && it.args.len() == mode.args.len();
    let Some(best) = source.declarations.iter().filter(same).rev().max_by_key(|it| n_alike(it))
    else {
        return mode;
    };
    let is_same_mode = n_alike(best) == mode.args.len();
    let args = mode.args.iter().zip(&best.args).map(|(own, known)| Declared {
        mode: own.mode,
        name: own.name.clone().or_else(|| known.name.clone()),
        of: own.of.clone().or_else(|| known.of.clone()),
    });
    Declaration {
        args: args.collect(),
        determinism: mode.determinism.or(best.determinism.filter(|_| is_same_mode)),
        throws: best.throws.clone(),
        ..mode
    }
}

pub(crate) fn first_goal(session: &mut Session, text: &str) -> Result<FirstGoal, Diagnostic> {
    let bad = |title: String| Diagnostic::new(Code::BadMode, title);
    let Session { machine, source, .. } = session;
    machine.clear();
    let full = format!("{} .", text.trim().trim_end_matches('.'));
    let mut reader = Reader::new(&full);
    let syntax = machine.syntax();
    let read = reader.next_term(&mut machine.heap, &mut machine.atoms, &machine.ops, syntax);
    let read = match read {
        Ok(Some(read)) => read,
        Ok(None) => return Err(bad("the goal is empty".to_owned())),
        Err(error) => return Err(bad(format!("--goal: {}", error.message()))),
    };
    let goal = machine.heap.deref(read.term);
    let Some((name, arity)) = machine.heap.name_arity(goal, &machine.atoms) else {
        return Err(bad(format!("{text} can't be called")));
    };
    let name = machine.atoms.text(name).to_owned();
    let (mut args, mut names) = (Vec::new(), Vec::new());
    for n in 0..arity {
        let arg = machine.heap.arg(goal, n);
        let named = read.variables.iter().find(|it| machine.heap.deref(it.1).same_word(arg));
        names.push(named.map(|it| it.0.clone()));
        let term = to_term(machine, arg);
        args.push(term.ok_or_else(|| bad(format!("{text} has an argument that can't be used")))?);
    }
    if source.program.predicate(&name, arity).is_none() {
        let title = format!("there is no predicate {name}/{arity}");
        return Err(Diagnostic::new(Code::NoPredicate, title).hint(same_name(source, &name)));
    }
    Ok(FirstGoal { name, args, names })
}

fn same_name(source: &Source, name: &str) -> String {
    let known: Vec<String> =
        source.program.predicates.iter().map(|it| format!("{}/{}", it.name, it.arity)).collect();
    let same = |it: &&String| it.rsplit_once('/').is_some_and(|it| it.0 == name);
    let same: Vec<&str> = known.iter().filter(same).map(String::as_str).collect();
    if !same.is_empty() {
        return format!("there is {}", same.join(", "));
    }
    match nearest(name, known.iter().map(String::as_str)) {
        Some(near) => format!("did you mean {near}?"),
        None => format!("{} has {}", source.path.display(), known.join(", ")),
    }
}

fn selected(
    source: &Source,
    options: &Test,
    modes: &[Declaration],
    first: Option<&FirstGoal>,
) -> Result<Vec<PredicateInfo>, Diagnostic> {
    let predicates: Vec<&PredicateInfo> =
        source.program.predicates.iter().filter(|it| !it.is_foreign).collect();
    if !options.functions.is_empty() {
        let found = options.functions.iter().map(|text| named(source, text));
        return found.collect();
    }
    if let Some(first) = first {
        let found = source.program.predicate(&first.name, first.args.len());
        return Ok(found.cloned().into_iter().collect());
    }
    if !modes.is_empty() {
        let found = modes.iter().filter_map(|it| source.program.predicate(&it.name, it.args.len()));
        let mut res: Vec<PredicateInfo> = found.cloned().collect();
        res.dedup_by_key(|it| it.id);
        return Ok(res);
    }
    let has_exports = predicates.iter().any(|it| it.is_exported);
    let is_called = |it: &&PredicateInfo| it.is_called || it.is_dynamic;
    let those = |wanted: fn(&PredicateInfo) -> bool| -> Vec<PredicateInfo> {
        predicates.iter().filter(|it| wanted(it)).map(|it| (*it).clone()).collect()
    };
    let mut res: Vec<PredicateInfo> = if has_exports {
        those(|it| it.is_exported)
    } else if predicates.iter().all(is_called) {
        // Every predicate is called by another one.
        those(|it| !it.is_dynamic)
    } else {
        source.program.entries().into_iter().cloned().collect()
    };
    let is_condition = |it: &PredicateInfo| {
        options.pre.iter().any(|text| named(source, text).is_ok_and(|named| named.id == it.id))
    };
    res.retain(|it| !is_condition(it));
    if res.is_empty() {
        let title = format!("{} has no clauses to test", source.path.display());
        return Err(Diagnostic::new(Code::NothingToTest, title));
    }
    Ok(res)
}

fn named(source: &Source, text: &str) -> Result<PredicateInfo, Diagnostic> {
    let plain = text.rsplit_once(':').map_or(text, |it| it.1);
    let parts = plain.rsplit_once('/').and_then(|(name, n)| Some((name, n.parse::<usize>().ok()?)));
    let Some((name, arity)) = parts else {
        let title = format!("{text} does not name a predicate");
        return Err(Diagnostic::new(Code::BadUnit, title).hint("as in main/3"));
    };
    let name = name.trim_matches('\'');
    source.program.predicate(name, arity).cloned().ok_or_else(|| {
        let title = format!("there is no predicate {name}/{arity}");
        Diagnostic::new(Code::NoPredicate, title).hint(same_name(source, name))
    })
}

/// The best mode of the predicate with this name.
pub(crate) fn best_way(session: &Session, name: &str) -> Result<Way, Diagnostic> {
    let info = named(&session.source, name)?;
    let task = task(session, &info, &[], None)?;
    let nothing = || Diagnostic::new(Code::NothingToTest, format!("{name} can't be called"));
    task.ways.into_iter().next().ok_or_else(nothing)
}

fn task(
    session: &Session,
    info: &PredicateInfo,
    modes: &[Declaration],
    first: Option<&FirstGoal>,
) -> Result<Task, Diagnostic> {
    let source = &session.source;
    let is_of = |it: &&Declaration| it.name == info.name && it.args.len() == info.arity;
    let mut declared: Vec<&Declaration> = modes.iter().filter(is_of).collect();
    if declared.is_empty() {
        declared = source.declarations.iter().filter(is_of).collect();
    }
    let first = first.filter(|it| it.name == info.name && it.args.len() == info.arity);
    let (mut ways, mut others) = (Vec::new(), Vec::new());
    for declaration in &declared {
        // Whether `--goal` is given; its arguments are never made by a library.
        let args: Vec<Arg> = declaration.args.iter().map(Declared::arg).collect();
        let plain = args.clone();
        let is_free = first.is_none();
        let args = if is_free { made(source, info, args, Some(declaration)) } else { args };
        if args != plain {
            // A second mode for clauses that values made by the library do not reach. It carries no promises.
            let mut way = way(source, info, plain, Some(declaration), Belief::Tight);
            way.determinism = None;
            way.is_declared = false;
            way.is_meant = false;
            others.push(way);
        }
        let mut way = way(source, info, args, Some(declaration), Belief::Tight);
        // Two declarations of the same mode may promise different determinism.
        let same = declared.iter().filter(|it| it.args == declaration.args).count();
        if 1 < same {
            way.determinism = None;
        }
        begin(&mut way, first)?;
        ways.push(way);
    }
    ways.append(&mut others);
    if first.is_none() {
        for declaration in &declared {
            let open = (0..declaration.args.len())
                .filter(|it| declaration.args.get(*it).is_some_and(|it| it.mode == '?'));
            let open: Vec<usize> = open.collect();
            // One mode with all `?` arguments as results, and one for each of them alone.
            let mut sets: Vec<Vec<usize>> = open.iter().map(|it| vec![*it]).collect();
            if 1 < open.len() {
                sets.insert(0, open);
            }
            for results in sets {
                let arg = |(n, it): (usize, &Declared)| {
                    if results.contains(&n) { Arg::Result } else { it.arg() }
                };
                let args: Vec<Arg> = declaration.args.iter().enumerate().map(arg).collect();
                let args = made(source, info, args, Some(declaration));
                let mut way = way(source, info, args, Some(declaration), Belief::Tight);
                way.determinism = None;
                way.is_declared = false;
                ways.push(way);
            }
        }
        for declaration in &declared {
            let is_vague = |it: &Declared| it.arg().is_given() && it.of.is_none();
            if declaration.args.iter().any(is_vague) {
                let args = declaration.args.iter().map(Declared::arg).collect();
                let mut way = way(source, info, args, Some(declaration), Belief::Loose);
                way.determinism = None;
                way.is_declared = false;
                ways.push(way);
            }
        }
    }
    if ways.is_empty() {
        let args = match first {
            Some(first) => first.args.iter().map(of_term).collect(),
            None => source.inference.modes(&session.machine, info.id),
        };
        if first.is_none() {
            let made = made(source, info, args.clone(), None);
            if made != args {
                ways.push(way(source, info, made, None, Belief::Tight));
            }
        }
        for belief in [Belief::Tight, Belief::Loose] {
            let mut way = way(source, info, args.clone(), None, belief);
            begin(&mut way, first)?;
            ways.push(way);
        }
        let all = vec![Arg::Input; info.arity];
        // Clauses with names in their heads may be selected by these arguments.
        let mut but_last = all.clone();
        but_last.pop();
        but_last.push(Arg::Result);
        let n_results = args.iter().filter(|it| !it.is_given()).count();
        if 1 < n_results && 1 < info.arity && first.is_none() {
            ways.push(way(source, info, but_last, None, Belief::Tight));
        }
        if args != all && first.is_none() {
            let mut way = way(source, info, all, None, Belief::Tight);
            way.is_meant = false;
            ways.push(way);
        }
        ways.push(way(source, info, args, None, Belief::None));
    }
    if let Some(best) = ways.first_mut() {
        best.is_trusted = true;
        // A larger first input may be closer to clauses that are far from the smallest one.
        let larger = best.domain.args.and_then(|it| medium(&best.domain.types, it));
        let larger = larger.and_then(|it| Some(Input { args: it.as_tuple()?.to_vec() }));
        if let Some(larger) = larger.filter(|it| !best.seeds.contains(it) && !it.args.is_empty()) {
            let again = Way { seeds: vec![larger], ..best.clone() };
            let types = &best.domain.types;
            let sized = best.domain.args.map(|it| sized(types, it, &source.inference));
            let sized = Way { seeds: sized.unwrap_or_default(), ..best.clone() };
            ways.insert(1, again);
            if !sized.seeds.is_empty() {
                ways.insert(2, sized);
            }
        }
    }
    if first.is_none()
        && let Some(args) = ways.first().map(|it| it.goal.args.clone())
        && args.iter().any(|it| it.is_given())
    {
        let plain = |it: Arg| if it.is_given() { Arg::Input } else { it };
        let args = args.into_iter().map(plain).collect();
        ways.push(way(source, info, args, None, Belief::Open));
    }
    let reachable = source.program.reachable(info.id);
    Ok(Task { name: format!("{}/{}", info.name, info.arity), pred: info.id, ways, reachable })
}

/// Marks the arguments whose values a library makes.
fn made(
    source: &Source,
    info: &PredicateInfo,
    args: Vec<Arg>,
    declared: Option<&Declaration>,
) -> Vec<Arg> {
    let maker = |n: usize| match declared {
        Some(declared) => declared.args.get(n)?.maker(&source.program.module),
        None => source.inference.made(info.id, n),
    };
    let arg = |(n, arg): (usize, Arg)| match maker(n) {
        Some(maker) if arg == Arg::Input => Arg::Made(maker),
        _ => arg,
    };
    args.into_iter().enumerate().map(arg).collect()
}

fn of_term(term: &Term) -> Arg {
    if is_ground(term) { Arg::Input } else { Arg::Result }
}

/// Replaces the seeds of a mode by the user's first goal.
fn begin(way: &mut Way, first: Option<&FirstGoal>) -> Result<(), Diagnostic> {
    let Some(first) = first else { return Ok(()) };
    let mut args = Vec::new();
    let mut names = Vec::new();
    for ((arg, mode), name) in first.args.iter().zip(&way.goal.args).zip(&first.names) {
        match mode {
            Arg::Input | Arg::Made(_) if !is_ground(arg) => {
                let title = format!("the first goal of {} has a variable in an input", first.name);
                let hint = "give it a value, or say with --mode that it is a result";
                return Err(Diagnostic::new(Code::BadMode, title).hint(hint));
            }
            Arg::Input | Arg::Made(_) => args.push(arg.clone()),
            Arg::Result => names.push(name.clone()),
        }
    }
    for (known, name) in way.results.iter_mut().zip(names) {
        if let Some(name) = name.filter(|it| !it.starts_with('_')) {
            *known = name;
        }
    }
    way.seeds = vec![Input { args }];
    Ok(())
}

fn way(
    source: &Source,
    info: &PredicateInfo,
    args: Vec<Arg>,
    declared: Option<&Declaration>,
    belief: Belief,
) -> Way {
    let declared: Vec<Declaration> = declared.into_iter().cloned().collect();
    let mut way = way_of(source, &[Part { info, args }], &declared, belief);
    let own = source.tested.iter().filter(|it| it.name == info.name && it.args.len() == info.arity);
    for goal in own.clone() {
        way.throws.extend(goal.throws.clone().filter(|it| !way.throws.contains(it)));
    }
    let inputs: Vec<Input> = own.filter_map(|it| tested_input(&way, &it.args)).collect();
    for input in inputs.into_iter().take(MAX_TESTED) {
        if !way.seeds.contains(&input) {
            way.seeds.push(input);
        }
    }
    way
}

/// The maximum number of goals in the program's own tests that become seeds.
const MAX_TESTED: usize = 12;

/// The input with which a goal of the program's own tests calls the predicate in this mode.
fn tested_input(way: &Way, args: &[Option<Term>]) -> Option<Input> {
    let given = way.goal.args.iter().zip(args).filter(|it| it.0.is_given());
    // The arguments from which a library made the value are unknown.
    let input = |(arg, term): (&Arg, &Option<Term>)| match arg {
        Arg::Input => term.clone(),
        Arg::Made(_) | Arg::Result => None,
    };
    let args = given.map(input).collect::<Option<Vec<Term>>>()?;
    (!args.is_empty() && way.domain.has(&args)).then_some(Input { args })
}

/// Builds the mode of the last part, to be called after the parts before it.
fn way_of(source: &Source, parts: &[Part<'_>], declared: &[Declaration], belief: Belief) -> Way {
    let mut maker = TypeMaker::new(&source.inference, belief);
    let mut inputs = Vec::new();
    let mut is_declared = belief != Belief::Open;
    let mut goals = Vec::new();
    let (mut determinism, mut throws, mut asked) = (None, Vec::new(), Vec::new());
    for Part { info, args } in parts {
        let is_of = |it: &&Declaration| it.name == info.name && it.args.len() == info.arity;
        let declared = declared.iter().find(is_of);
        is_declared &= args.iter().any(|it| it.is_given());
        asked = match belief {
            Belief::Tight | Belief::Loose | Belief::None => asked_types(source, args, declared),
            Belief::Open => Vec::new(),
        };
        for (n, arg) in args.iter().enumerate().filter(|it| it.1.is_given()) {
            if let Arg::Made(by) = arg {
                inputs.push(by.given(&mut maker.types));
                continue;
            }
            let said = declared.and_then(|it| it.args.get(n)?.of.clone());
            is_declared &= said.is_some();
            let is_asked = asked.iter().any(|it: &(usize, Term)| it.0 == n);
            inputs.push(match said {
                Some(said) if is_asked => maker.asked(&said, info.id, n),
                Some(said) => maker.declared(&said, info.id, n),
                None => maker.of_arg(info.id, n),
            });
        }
        determinism = declared.and_then(|it| it.determinism);
        throws = declared.map(|it| it.throws.clone()).unwrap_or_default();
        let (module, name) = (source.program.module.clone(), info.name.clone());
        let types = Vec::new();
        let (before, conditions) = (Vec::new(), Vec::new());
        goals.push(Goal { module, name, args: args.clone(), before, types, conditions });
    }
    let whole = maker.types.add(Type::Tuple(inputs.into()));
    let types = maker.types;
    let seed = types.smallest(whole);
    let seeds = seed.and_then(|it| Some(vec![Input { args: it.as_tuple()?.to_vec() }]));
    let last = goals.pop();
    let empty = Goal {
        module: String::new(),
        name: String::new(),
        args: vec![],
        before: vec![],
        types: vec![],
        conditions: vec![],
    };
    let goal = Goal { before: goals, types: asked, ..last.unwrap_or(empty) };
    let n_results = goal.args.iter().filter(|it| **it == Arg::Result).count();
    let result = |n: usize| if n_results == 1 { "R".to_owned() } else { format!("R{}", n + 1) };
    Way {
        goal,
        results: (0..n_results).map(result).collect(),
        domain: Domain { types, args: Some(whole) },
        seeds: seeds.unwrap_or_default(),
        determinism,
        throws,
        is_declared,
        is_trusted: false,
        is_meant: belief == Belief::Tight,
        is_open: belief == Belief::Open,
        is_endlessly_recursive: false,
    }
}

/// Types that must be checked by running goals: those of results, and those of inputs that can't be generated exactly.
fn asked_types(
    source: &Source,
    args: &[Arg],
    declared: Option<&Declaration>,
) -> Vec<(usize, Term)> {
    let Some(declared) = declared else { return Vec::new() };
    let mut res = Vec::new();
    for (n, (arg, said)) in args.iter().zip(&declared.args).enumerate() {
        let of = said.of.as_ref().and_then(|it| type_term(it, &source.own_types));
        let is_asked = |of: &Term| match arg {
            Arg::Result => true,
            Arg::Input => !is_made_exactly(of),
            Arg::Made(_) => false,
        };
        res.extend(of.filter(is_asked).map(|it| (n, it)));
    }
    res
}
