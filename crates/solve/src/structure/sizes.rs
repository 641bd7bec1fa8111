//! Candidate sizes of tuples, functions and bitstrings.

#![expect(clippy::wildcard_enum_match_arm, reason = "other types say nothing of sizes")]

use super::candidates::Choice;
use super::state::{NodeId, State};
use super::typing::Alt;
use super::value::Value;
use term::Term;

impl<'q> State<'q> {
    pub(super) fn arities(&self, id: NodeId) -> (Vec<Choice<'q>>, bool) {
        let node = self.node(id);
        let limits = node.limits.as_deref();
        let mut res: Vec<u32> = Vec::new();
        res.extend(self.hint(id).and_then(|it| it.arity()));
        let mut is_complete = false;
        for alts in &node.types {
            let of_alts = alts.iter().filter_map(|it| match it {
                Alt::Tuple(parts) => u32::try_from(parts.len()).ok(),
                Alt::Literal(term) => u32::try_from(term.as_tuple()?.len()).ok(),
                _ => None,
            });
            let before = res.len();
            res.extend(of_alts);
            is_complete |= res.len() - before == alts.len();
        }
        if !is_complete {
            let low = limits.map_or(0, |it| it.min_arity);
            let n_excluded = limits.map_or(0, |it| it.not_arities.len());
            let more = u32::try_from(n_excluded).unwrap_or(0) + 3;
            res.extend(low..low.saturating_add(more));
            for bound in limits.iter().flat_map(|it| it.low.iter().chain(&it.high)) {
                let arity = bound.at.arity();
                res.extend(arity.into_iter().flat_map(|it| [it, it + 1, it.saturating_sub(1)]));
            }
        }
        let mut kept: Vec<u32> = Vec::new();
        for arity in res {
            let is_allowed =
                limits.is_none_or(|it| it.min_arity <= arity && !it.not_arities.contains(&arity));
            if is_allowed && !kept.contains(&arity) {
                kept.push(arity);
            }
        }
        (kept.into_iter().map(|it| Choice::Arity(id, it)).collect(), is_complete)
    }

    pub(super) fn fun_arities(&self, id: NodeId) -> Vec<Choice<'q>> {
        let node = self.node(id);
        let limits = node.limits.as_deref();
        if let Some(arity) = limits.and_then(|it| it.fun_arity) {
            let fun = self.fun_with(id, arity, Vec::new());
            return fun.into_iter().map(|it| Choice::Value(id, Value::own(it))).collect();
        }
        let is_allowed = |it: &u8| limits.is_none_or(|limits| !limits.not_fun_arities.contains(it));
        (0..10).filter(is_allowed).map(|it| Choice::FunArity(id, it)).collect()
    }

    pub(super) fn bit_sizes(&self, id: NodeId) -> Vec<u64> {
        let node = self.node(id);
        let limits = node.limits.as_deref();
        let low = limits.map_or(0, |it| it.min_bits);
        let is_binary = limits.and_then(|it| it.is_binary);
        let mut res = Vec::new();
        if let Some(hint) = self.hint(id)
            && let Term::Bits(bits) = &*hint.term()
        {
            res.push(bits.bit_len() as u64);
        }
        for alts in &node.types {
            for alt in alts.iter() {
                if let Alt::Bits { base, unit } = alt {
                    let first = low.saturating_sub(*base).checked_div(*unit).unwrap_or(0);
                    let sizes =
                        (first..first + 4).map(|it| base.saturating_add(it.saturating_mul(*unit)));
                    res.extend(sizes);
                }
            }
        }
        if is_binary != Some(false) {
            let bytes = low.div_ceil(8);
            res.extend((bytes..bytes + 4).map(|it| it * 8));
        }
        if is_binary != Some(true) {
            res.extend(low..low + 3);
        }
        let mut kept: Vec<u64> = Vec::new();
        for size in res {
            let fits = is_binary.is_none_or(|it| it == size.is_multiple_of(8)) && low <= size;
            if fits && !kept.contains(&size) {
                kept.push(size);
            }
        }
        kept
    }
}
