//! Explains in words how a run reached its end: the clauses and branches that it took, and the conditions on the
//! input.

use crate::prolog::plan::Way;
use ::report::{Chosen, Reached};
use prolog::concolic::{ChoicePlace, Declaration, Event, Program, Teller, Unit};
use term::{Expr, ExprId, Exprs, Op, Term};
use trace::{Choice, Input, Looked};

/// The maximum number of steps that are told.
const MAX_STEPS: usize = 12;
/// The maximum number of choices of a path that `--explain` shows.
const MAX_CHOICES: usize = 60;
/// The maximum length of a phrase, in characters.
const MAX_TOLD: usize = 200;

/// The program's text and declarations.
#[derive(Clone, Copy)]
pub(crate) struct Known<'a> {
    pub(crate) program: &'a Program,
    pub(crate) path: &'a str,
    pub(crate) declarations: &'a [Declaration],
}

/// The last steps of a run with this input.
pub(crate) fn reached(
    unit: &mut Unit<'_>,
    way: &Way,
    input: &Input,
    of: &Known<'_>,
) -> Vec<Reached> {
    let names = names(way, of.declarations);
    let events = unit.journal(input);
    let mut res: Vec<Reached> = Vec::new();
    let mut conditions: Vec<String> = Vec::new();
    let mut last = None;
    for event in &events {
        match event {
            Event::Chose(choice) => {
                let told = condition(unit, &names, choice, choice.taken);
                if conditions.last() != Some(&told) {
                    conditions.push(told);
                }
            }
            Event::Came(mark) => {
                let Some((what, line)) = came(of.program, *mark) else { continue };
                let file = of.program.clauses.get(*mark as usize).and_then(|it| it.file.clone());
                let file = Some(file.unwrap_or_else(|| of.path.to_owned()));
                let what = with_conditions(&what, &std::mem::take(&mut conditions));
                last = Some((file.clone(), line));
                res.push(Reached { file, line: Some(line), what });
            }
        }
    }
    if let Some((file, line)) = last.filter(|_| !conditions.is_empty()) {
        let what = cut(&conditions.join(", "));
        res.push(Reached { file, line: Some(line), what });
    }
    res.split_off(res.len().saturating_sub(MAX_STEPS))
}

fn with_conditions(what: &str, conditions: &[String]) -> String {
    match conditions {
        [] => what.to_owned(),
        all => cut(&format!("{what}, as {}", all.join(", "))),
    }
}

/// A clause or branch in words, and its line.
fn came(program: &Program, mark: u32) -> Option<(String, u32)> {
    let clause = program.clauses.get(mark as usize)?;
    let info = program.predicates.iter().find(|it| it.id == clause.pred)?;
    let place = format!("clause {} of {}/{}", clause.number, info.name, info.arity);
    let what = match clause.branch_text() {
        Some(branch) => format!("{branch} in {place}"),
        None => format!("{place} matches"),
    };
    Some((what, clause.line))
}

/// The names of the inputs: from the declaration, or by position.
pub(super) fn names(way: &Way, declarations: &[Declaration]) -> Vec<String> {
    let goals = way.goal.before.iter().chain([&way.goal]);
    let mut res = Vec::new();
    for goal in goals {
        let is_it = |it: &&Declaration| it.name == goal.name && it.args.len() == goal.args.len();
        let declared = declarations.iter().find(is_it);
        for (n, _) in goal.args.iter().enumerate().filter(|it| it.1.is_given()) {
            let name = declared.and_then(|it| it.args.get(n)?.name.clone());
            res.push(name.unwrap_or_else(|| format!("X{}", n + 1)));
        }
    }
    res
}

fn condition(unit: &mut Unit<'_>, names: &[String], choice: &Choice, alternative: usize) -> String {
    unit.telling(|exprs, show| Teller { exprs, names, show }.condition(choice, alternative))
}

/// The choices of a run: the path condition, and the conditions of the alternatives.
pub(crate) fn explained(
    unit: &mut Unit<'_>,
    way: &Way,
    input: &Input,
    of: &Known<'_>,
) -> Vec<Chosen> {
    let names = names(way, of.declarations);
    let mut res = Vec::new();
    for event in unit.journal(input) {
        let Event::Chose(choice) = event else { continue };
        if MAX_CHOICES <= res.len() {
            break;
        }
        let place = unit.place_of(choice.site);
        let (at, line) = match place {
            Some(ChoicePlace::Clause(mark)) => of_clause(of.program, mark),
            Some(ChoicePlace::Predicate(pred)) => {
                let info = of.program.predicates.iter().find(|it| it.id == pred);
                let name = info.map(|it| format!("{}/{}", it.name, it.arity));
                (name.unwrap_or_default(), info.map(|it| it.line))
            }
            None => (String::new(), None),
        };
        let holds = condition(unit, &names, &choice, choice.taken);
        let others = (0..choice.n_alternatives()).filter(|it| *it != choice.taken);
        let others: Vec<String> = others
            .flat_map(|it| alternative(unit, &names, &choice, it, (place, input), of))
            .collect();
        res.push(Chosen { at, line, holds, others });
    }
    res
}

fn of_clause(program: &Program, mark: u32) -> (String, Option<u32>) {
    let clause = program.clauses.get(mark as usize);
    let info = clause.and_then(|it| program.predicates.iter().find(|own| own.id == it.pred));
    match (clause, info) {
        (Some(clause), Some(info)) => {
            let at = format!("clause {} of {}/{}", clause.number, info.name, info.arity);
            (at, Some(clause.line))
        }
        (Some(_) | None, None) | (None, Some(_)) => (String::new(), None),
    }
}

/// An alternative that was not taken: for each clause that it leads to `c(l, {X1/[]})`, where `l` is the number of the
/// clause in the program, or else the condition of the alternative.
fn alternative(
    unit: &mut Unit<'_>,
    names: &[String],
    choice: &Choice,
    alternative: usize,
    (place, input): (Option<ChoicePlace>, &Input),
    of: &Known<'_>,
) -> Vec<String> {
    let told = condition(unit, names, choice, alternative);
    let (Some(ChoicePlace::Predicate(pred)), Looked::Heads(subject, heads)) =
        (place, &choice.looked)
    else {
        return vec![told];
    };
    let Some(head) = heads.get(alternative) else { return vec![told] };
    let candidates = unit.candidates(pred, head);
    if candidates.is_empty() {
        return vec![told];
    }
    let subject = *subject;
    let label = |mark: u32| {
        let before = of.program.clauses.iter().take(mark as usize);
        before.filter(|it| it.branch.is_none()).count() + 1
    };
    let mut res = Vec::new();
    for it in &candidates {
        let text = unit.telling(|exprs, show| {
            let (var, path) = part_of(exprs, subject)?;
            let name = names.get(var).cloned().unwrap_or_else(|| format!("X{}", var + 1));
            let value = input.args.get(var)?;
            Some(format!("{name}/{}", pattern(value, &path, &it.argument, show)))
        });
        res.push(match text {
            Some(text) => format!("c({}, {{{text}}})", label(it.mark)),
            None => told.clone(),
        });
    }
    res
}

/// The part of the input that an expression denotes: the number of the variable, and the path of accessors to the
/// part.
fn part_of(exprs: &Exprs, of: ExprId) -> Option<(usize, Vec<Op>)> {
    let (mut at, mut path) = (of, Vec::new());
    loop {
        match exprs.get(at)? {
            Expr::Var(var) => {
                path.reverse();
                return Some((usize::try_from(var.0).ok()?, path));
            }
            Expr::Apply(op @ (Op::Head | Op::Tail | Op::Element(_)), args) => {
                path.push(*op);
                at = *args.first()?;
            }
            Expr::Apply(..) | Expr::Const(_) => return None,
        }
    }
}

/// Prints a term of which only the path to a part is known, and that part.
fn pattern(of: &Term, path: &[Op], leaf: &str, show: &mut dyn FnMut(&Term) -> String) -> String {
    let Some((first, rest)) = path.split_first() else { return leaf.to_owned() };
    match (first, of) {
        (Op::Element(n), Term::Tuple(items)) => {
            let mut parts = Vec::new();
            for (k, item) in items.iter().enumerate().skip(1) {
                let is_it = usize::try_from(*n) == Ok(k);
                parts.push(if is_it { pattern(item, rest, leaf, show) } else { "_".to_owned() });
            }
            let name = items.first().map(&mut *show).unwrap_or_default();
            format!("{name}({})", parts.join(","))
        }
        (Op::Head | Op::Tail, Term::List(list)) => {
            let n = path.iter().take_while(|it| **it == Op::Tail).count();
            let before = vec!["_"; n].join(",");
            let comma = if n == 0 { "" } else { "," };
            match path.get(n..).unwrap_or_default() {
                [Op::Head, rest @ ..] => {
                    let item = list.items.get(n).map(|it| pattern(it, rest, leaf, show));
                    format!("[{before}{comma}{}|_]", item.unwrap_or_default())
                }
                _ if leaf == "[]" => format!("[{before}]"),
                _ => match leaf.strip_prefix('[') {
                    Some(inner) => format!("[{before}{comma}{inner}"),
                    None => format!("[{before}|{leaf}]"),
                },
            }
        }
        _ => leaf.to_owned(),
    }
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_TOLD) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or(text)),
        None => text.to_owned(),
    }
}
