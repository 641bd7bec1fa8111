//! Data-flow analysis: finds the exception handlers that are active at each instruction by following the code from its
//! entry.
//!
//! OTP's validator guarantees that all paths to an instruction agree on the active handlers.

use super::read::{AssemblyError, natural};
use super::{label_of, parts};
use rustc_hash::FxHashMap;
use term::Term;

/// The active exception handlers, innermost last.
pub(super) type ActiveHandlers = Vec<ActiveHandler>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ActiveHandler {
    /// The y register that holds the handler's tag on BEAM.
    y: u32,
    /// The label of the assembly where exceptions are handled.
    pub(super) to: u32,
    /// Whether the handler is a `try`; otherwise it is a `catch`.
    pub(super) is_try: bool,
}

/// The active handlers at each instruction; empty for unreachable instructions.
pub(super) fn handlers(code: &[Term], entry: u32) -> Result<Vec<ActiveHandlers>, AssemblyError> {
    let labels: FxHashMap<u32, usize> = code
        .iter()
        .enumerate()
        .filter_map(|(n, op)| match parts(op) {
            ("label", [label]) => Some((natural(label)?, n)),
            _ => None,
        })
        .collect();
    let mut res: Vec<Option<ActiveHandlers>> = vec![None; code.len()];
    let mut todo = vec![(entry, ActiveHandlers::new())];
    // Jumps are followed before fall-through: the instruction after a call that never returns is not reached from that
    // call, so its handlers must come from a jump.
    let mut fallen = Vec::new();
    while let Some((label, mut active)) = todo.pop().or_else(|| fallen.pop()) {
        let Some(start) = labels.get(&label) else {
            return Err(AssemblyError { what: format!("no label {label}") });
        };
        for (n, (op, slot)) in code.iter().zip(&mut res).skip(*start).enumerate() {
            let (name, args) = parts(op);
            if slot.is_some() {
                break;
            }
            if let ("label", [label]) = (name, args)
                && n > 0
            {
                fallen.push((natural(label).unwrap_or(0), active));
                break;
            }
            *slot = Some(active.clone());
            match (name, args) {
                ("try" | "catch", [y, to]) => {
                    let to = label_of(to).unwrap_or(0);
                    todo.push((to, active.clone()));
                    active.push(ActiveHandler { y: y_of(y), to, is_try: name == "try" });
                }
                ("try_end" | "catch_end" | "try_case", [y]) => {
                    let y = y_of(y);
                    active.retain(|it| it.y != y);
                }
                ("trim", [n, _]) => {
                    let n = natural(n).unwrap_or(0);
                    active.iter_mut().for_each(|it| it.y = it.y.saturating_sub(n));
                }
                _ => {
                    let mut targets = Vec::new();
                    args.iter().for_each(|it| find_labels(it, &mut targets));
                    // Label 0 means that the instruction raises an exception instead of jumping.
                    todo.extend(
                        targets.into_iter().filter(|it| *it != 0).map(|it| (it, active.clone())),
                    );
                }
            }
            if is_last(name) {
                break;
            }
        }
    }
    Ok(res.into_iter().map(Option::unwrap_or_default).collect())
}

fn y_of(term: &Term) -> u32 {
    match term.as_tuple() {
        Some([_, n]) => natural(n).unwrap_or(0),
        None | Some(_) => 0,
    }
}

fn find_labels(term: &Term, found: &mut Vec<u32>) {
    if let Some(label) = label_of(term) {
        found.push(label);
        return;
    }
    match term {
        Term::Tuple(items) if items.first().and_then(Term::as_atom) != Some("literal") => {
            items.iter().for_each(|it| find_labels(it, found));
        }
        Term::List(list) => list.items.iter().for_each(|it| find_labels(it, found)),
        _ => (),
    }
}

/// Whether control never continues with the next instruction.
fn is_last(name: &str) -> bool {
    matches!(
        name,
        "return"
            | "jump"
            | "call_last"
            | "call_only"
            | "call_ext_last"
            | "call_ext_only"
            | "apply_last"
            | "select_val"
            | "select_tuple_arity"
            | "badmatch"
            | "case_end"
            | "if_end"
            | "try_case_end"
            | "badrecord"
            | "raise"
            | "func_info"
            | "loop_rec_end"
            | "wait"
    )
}
