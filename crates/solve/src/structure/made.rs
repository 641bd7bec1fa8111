//! Maps and functions constructed from what is known of them.

#![expect(clippy::wildcard_enum_match_arm, reason = "other pendings say nothing of sizes")]

use super::state::{NodeId, Pending, State};
use super::typing::Alt;
use super::value::Value;
use term::{Fun, Op, Term};

impl<'q> State<'q> {
    /// Returns maps that have these entries; an entry without a value must be absent.
    pub(super) fn maps_with(&self, id: NodeId, entries: &[(Term, Option<Term>)]) -> Vec<Term> {
        let size = self.pending.iter().find_map(|it| match it {
            Pending::Define(n, Op::MapSize, args) if self.is_same_node(*args.first()?, id) => {
                self.known_int(*n)
            }
            _ => None,
        });
        let mut bases: Vec<Term> = Vec::new();
        bases.extend(self.hint(id).map(|it| it.term().into_owned()));
        for alts in &self.node(id).types {
            bases.extend(alts.iter().filter_map(|it| self.typing.smallest(it)));
        }
        bases.push(Term::Map(Vec::new()));
        let mut res = Vec::new();
        for base in bases {
            let Term::Map(pairs) = base else { continue };
            let kept = pairs
                .into_iter()
                .filter(|it| !entries.iter().any(|entry| entry.0.cmp_exact(&it.0).is_eq()));
            let mut kept: Vec<(Term, Term)> = kept.collect();
            let there = entries.iter().filter_map(|it| Some((it.0.clone(), it.1.clone()?)));
            let mut there: Vec<(Term, Term)> = there.collect();
            if let Some(size) = size.and_then(|it| usize::try_from(it).ok()) {
                kept.truncate(size.saturating_sub(there.len()));
                let mut n = 0;
                while kept.len() + there.len() < size && n < 10_000 {
                    let key = Term::Int(n);
                    let is_known = kept.iter().chain(&there).any(|it| it.0.cmp_exact(&key).is_eq())
                        || entries.iter().any(|it| it.0.cmp_exact(&key).is_eq());
                    if !is_known {
                        kept.push((key, Term::Int(0)));
                    }
                    n += 1;
                }
            }
            there.extend(kept);
            let map = Term::map(there);
            if self.admits(id, &Value::own(map.clone())) && !res.contains(&map) {
                res.push(map);
            }
        }
        res
    }

    /// Returns a table with these calls and results; `None` if two of them contradict each other.
    pub(super) fn fun_with(
        &self,
        id: NodeId,
        arity: u8,
        calls: Vec<(Vec<Term>, Term)>,
    ) -> Option<Term> {
        let mut default = None;
        if let Some(hint) = self.hint(id)
            && let Term::Fun(fun) = &*hint.term()
            && let Fun::Table { default: old, .. } = &**fun
        {
            default = Some(old.clone());
        }
        for alts in &self.node(id).types {
            for alt in alts.iter() {
                if let (Alt::Fun { result, .. }, None) = (alt, &default) {
                    default = self.typing.types.smallest(*result);
                }
            }
        }
        let mut entries: Vec<(Vec<Term>, Term)> = Vec::new();
        for (args, result) in calls {
            match entries.iter().find(|it| Fun::is_same_call(&it.0, &args)) {
                Some(known) if known.1.cmp_exact(&result).is_ne() => return None,
                Some(_) => (),
                None => entries.push((args.into_iter().map(as_key).collect(), result)),
            }
        }
        let default = default.unwrap_or(Term::Int(0));
        Some(Term::Fun(Box::new(Fun::Table { arity, entries, default })))
    }
}

/// Returns an argument for use as a key of a table. A closure is replaced, as it may contain the function that the
/// table is for.
fn as_key(arg: Term) -> Term {
    if let Term::Fun(fun) = &arg { Term::Fun(Box::new(Fun::any(fun.arity()))) } else { arg }
}
