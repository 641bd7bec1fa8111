//! Maps: whether a key is present is a choice, and the value of a key is an expression.

use crate::lift::compare::is_plain;
use crate::lift::{Lifting, arg, own_expr};
use term::{Expr, ExprId, Kind, Op, Term};
use values::{Value, View, compare_exact, compare_value};

impl Lifting<'_> {
    /// Whether the lookup of a key depends on a symbolic value.
    pub(crate) fn is_symbolic_lookup(&self, map: Value, key: Value) -> bool {
        if own_expr(map).is_some() || own_expr(key).is_some() {
            return true;
        }
        let View::Map(at) = map.view() else { return false };
        let is_symbolic = |it: Value| !is_plain(it) && self.is_symbolic(it);
        is_symbolic(key) || self.heap.map_iter(at).any(|it| is_symbolic(it.0))
    }

    /// Records the choice whether the map has the key.
    pub(crate) fn has_key(&mut self, site_index: u32, map: Value, key: Value, holds: bool) {
        if let (Some(key), Some(map)) = (self.expr(key), self.expr(map)) {
            let test = self.apply(Op::HasKey, &[key, map]);
            self.test(site_index, test, holds);
        }
    }

    /// The value of a key that is present. At each pair that was put into the map, it is a choice whether that pair has
    /// the key. If so, the stored value already has its shadow.
    pub(crate) fn under(&mut self, map: Value, key: Value, found: Value) -> Value {
        let stored = self.stored_key(map, key);
        let (Some(wanted), Some(mut at), Some(stored)) = (self.expr(key), self.expr(map), stored)
        else {
            return found;
        };
        while let Some(Expr::Apply(op @ (Op::Put | Op::Remove), args)) = self.record.exprs.get(at) {
            let (is_put, Some(this), Some(below)) = (*op == Op::Put, args.first(), args.last())
            else {
                break;
            };
            let (this, below) = (*this, *below);
            let is_it = is_put && *self.record.merged.get(&at).unwrap_or(&this) == stored;
            self.is_key(wanted, this, is_it);
            if is_it {
                return found;
            }
            at = below;
        }
        self.result(Op::Get, &[wanted, at], found)
    }

    fn is_key(&mut self, wanted: ExprId, other: ExprId, holds: bool) {
        if wanted != other {
            let test = self.apply(Op::Same, &[wanted, other]);
            self.test(7, test, holds);
        }
    }

    /// The expression of the key that is stored in the map.
    fn stored_key(&mut self, map: Value, key: Value) -> Option<ExprId> {
        let View::Map(at) = map.view() else { return None };
        let (heap, atoms) = (&*self.heap, self.atoms);
        let is_it = |it: &(Value, Value)| values::equal_exact(heap, atoms, it.0, key);
        let (stored, _) = heap.map_iter(at).find(is_it)?;
        self.expr(stored)
    }

    /// The expression of a map after putting in a pair. If an identical key with another expression was there before,
    /// the stored key is recorded in `merged`, because walks of the map depend on it.
    fn put(&mut self, key: Value, value: Value, map: ExprId, made: Value) -> Option<ExprId> {
        let stored = self.stored_key(made, key);
        let (key, value) = (self.expr(key)?, self.expr(value)?);
        let res = self.apply(Op::Put, &[key, value, map]);
        if let Some(stored) = stored.filter(|it| *it != key) {
            self.record.merged.insert(res, stored);
        }
        Some(res)
    }

    /// The map after putting in a pair, with its shadow; `made` is its concrete half.
    pub(crate) fn with_pair(&mut self, map: Value, key: Value, value: Value, made: Value) -> Value {
        if !self.is_symbolic_lookup(map, key) {
            return made;
        }
        let put = self.expr(map).and_then(|it| self.put(key, value, it, made));
        put.map_or(made, |it| made.with_shadow(super::shadow(it)))
    }

    fn is_map(&mut self, site_index: u32, map: Value) -> bool {
        self.test_kind(site_index, map, Kind::Map, matches!(map.view(), View::Map(_)))
    }
}

pub(crate) fn size(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
    let map = arg(args, 0);
    l.is_map(0, map);
    let found = found?;
    let has_symbolic_keys = l.is_symbolic_lookup(map, Value::NIL);
    if !has_symbolic_keys {
        return Some(found);
    }
    let map = l.expr(map)?;
    Some(l.result(Op::MapSize, &[map], found))
}

/// `maps:get/2` and `map_get/2`
pub(crate) fn get(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
    let (key, map) = (arg(args, 0), arg(args, 1));
    if !l.is_symbolic_lookup(map, key) {
        return found;
    }
    if !l.is_map(0, map) {
        return found;
    }
    l.has_key(1, map, key, found.is_some());
    Some(l.under(map, key, found?))
}

pub(crate) fn is_key(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
    let (key, map) = (arg(args, 0), arg(args, 1));
    if !(l.is_symbolic_lookup(map, key) && l.is_map(0, map)) {
        return found;
    }
    let (key, map) = (l.expr(key)?, l.expr(map)?);
    Some(l.result(Op::HasKey, &[key, map], found?))
}

/// `maps:find/2`, which returns `{ok, Value}` or `error`.
pub(crate) fn find(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
    let (key, map) = (arg(args, 0), arg(args, 1));
    if !(l.is_symbolic_lookup(map, key) && l.is_map(0, map)) {
        return found;
    }
    let pair = l.heap.elements(found?).map(<[Value]>::to_vec);
    l.has_key(1, map, key, pair.is_some());
    let Some([ok, value]) = pair.as_deref() else { return found };
    let value = l.under(map, key, *value);
    Some(l.heap.tuple(&[*ok, value]))
}

pub(crate) fn put(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
    let (key, value, map) = (arg(args, 0), arg(args, 1), arg(args, 2));
    if !l.is_map(0, map) {
        return found;
    }
    Some(l.with_pair(map, key, value, found?))
}

pub(crate) fn update(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
    let (key, value, map) = (arg(args, 0), arg(args, 1), arg(args, 2));
    if !l.is_map(0, map) {
        return found;
    }
    if l.is_symbolic_lookup(map, key) {
        l.has_key(1, map, key, found.is_some());
    }
    Some(l.with_pair(map, key, value, found?))
}

pub(crate) fn remove(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
    let (key, map) = (arg(args, 0), arg(args, 1));
    if !(l.is_symbolic_lookup(map, key) && l.is_map(0, map)) {
        return found;
    }
    let (key, map) = (l.expr(key)?, l.expr(map)?);
    Some(l.result(Op::Remove, &[key, map], found?))
}

/// `maps:take/2`, which returns `{Value, Rest}` or `error`.
pub(crate) fn take(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
    let (key, map) = (arg(args, 0), arg(args, 1));
    if !(l.is_symbolic_lookup(map, key) && l.is_map(0, map)) {
        return found;
    }
    let pair = l.heap.elements(found?).map(<[Value]>::to_vec);
    l.has_key(1, map, key, pair.is_some());
    let Some([value, rest]) = pair.as_deref() else { return found };
    let value = l.under(map, key, *value);
    let (key, map) = (l.expr(key)?, l.expr(map)?);
    let rest = l.result(Op::Remove, &[key, map], *rest);
    Some(l.heap.tuple(&[value, rest]))
}

pub(crate) fn from_list(
    l: &mut Lifting<'_>,
    args: &[Value],
    found: Option<Value>,
) -> Option<Value> {
    let list = arg(args, 0);
    if !l.is_symbolic(list) {
        return found;
    }
    let (items, _) = l.spine(0, list);
    let mut pairs = Vec::new();
    for item in items {
        let test = own_expr(item).map(|it| l.apply(Op::IsTuple(2), &[it]));
        let is_pair = matches!(item.view(), View::Tuple(_, 2));
        if let Some(test) = test {
            l.test(1, test, is_pair);
        }
        if !is_pair {
            return found;
        }
        pairs.push((l.element(2, item, 1)?, l.element(2, item, 2)?));
    }
    found?;
    with_pairs(l, pairs)
}

pub(crate) fn from_keys(
    l: &mut Lifting<'_>,
    args: &[Value],
    found: Option<Value>,
) -> Option<Value> {
    let (keys, value) = (arg(args, 0), arg(args, 1));
    if !l.is_symbolic(keys) {
        return found;
    }
    let (keys, _) = l.spine(0, keys);
    found?;
    with_pairs(l, keys.into_iter().map(|it| (it, value)).collect())
}

/// The map of these pairs; later pairs replace earlier ones with the same key.
fn with_pairs(l: &mut Lifting<'_>, pairs: Vec<(Value, Value)>) -> Option<Value> {
    let has_symbolic_key = pairs.iter().any(|it| l.is_symbolic(it.0));
    let made = l.heap.map(l.atoms, pairs.clone());
    if !has_symbolic_key {
        return Some(made);
    }
    let mut res = l.constant(Term::Map(vec![]));
    for (key, value) in pairs {
        res = l.put(key, value, res, made)?;
    }
    Some(made.with_shadow(super::shadow(res)))
}

/// A step of a map iterator: `{Key, Value, Rest}`, nested, or a list of pairs.
pub(crate) fn next(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
    let map = arg(args, 1);
    if !l.is_map(0, map) {
        return found;
    }
    let Some(pairs) = l.walked(map) else { return found };
    let found = found?;
    if let Some(items) = l.heap.list_items(found) {
        let items: Vec<Value> = items.iter().map(|it| l.step(&pairs, *it)).collect();
        return Some(l.heap.list(&items));
    }
    Some(l.step(&pairs, found))
}

impl Lifting<'_> {
    /// The pairs of a map that is walked completely; their number is a choice. `None` if the map's keys are not
    /// symbolic.
    fn walked(&mut self, map: Value) -> Option<Vec<(Value, Value)>> {
        let View::Map(at) = map.view() else { return None };
        if !self.is_symbolic_lookup(map, Value::NIL) {
            return None;
        }
        let pairs: Vec<(Value, Value)> = self.heap.map_iter(at).collect();
        let whole = self.expr(map)?;
        if self.is_listed(whole) {
            return self.ordered(whole, &pairs);
        }
        let size = self.apply(Op::MapSize, &[whole]);
        // One test for each smaller size, so that larger maps share these tests.
        for n in 0..=pairs.len() {
            let this = self.int(i64::try_from(n).unwrap_or(i64::MAX));
            let test = self.apply(Op::Same, &[size, this]);
            self.test(2, test, n == pairs.len());
        }
        if pairs.len() > IN_ORDER {
            self.lose("the order of a large map");
        }
        let pair = |(n, (key, value)): (u32, (Value, Value))| {
            let place = self.apply(Op::Key(n), &[whole]);
            let symbolic = key.with_shadow(super::shadow(place));
            let value = self.under(map, symbolic, value);
            (symbolic, value)
        };
        Some((0..).zip(pairs).map(pair).collect())
    }

    /// Whether the map was made by putting pairs into a constant map, so that the expressions of all keys are known.
    fn is_listed(&self, map: ExprId) -> bool {
        let mut at = map;
        while let Some(Expr::Apply(Op::Put, args)) = self.record.exprs.get(at) {
            let Some(below) = args.get(2) else { return false };
            at = *below;
        }
        self.record.exprs.as_constant(at).is_some()
    }

    /// The pairs of a map that was made by putting pairs into a constant map, in the order of their keys. Which keys
    /// are the same, and how they are ordered, are choices. They are made in the order of the puts, because this order
    /// is the same for all inputs on this path.
    fn ordered(&mut self, map: ExprId, pairs: &[(Value, Value)]) -> Option<Vec<(Value, Value)>> {
        let keys: Vec<ExprId> = pairs.iter().map(|it| self.expr(it.0)).collect::<Option<_>>()?;
        // The index of each key in `keys`, and the expression of the first key that was put there; the map may store
        // another one.
        let mut different: Vec<(usize, ExprId)> = Vec::new();
        for (key, stored) in self.put_keys(map) {
            let place = keys.iter().position(|it| *it == stored)?;
            let known = different.iter().position(|it| it.0 == place);
            let others = different.iter().take(known.unwrap_or(different.len()));
            for (_, other) in others.copied().collect::<Vec<_>>() {
                self.is_other(key, other, false);
            }
            match known.and_then(|it| different.get(it)).copied() {
                Some((_, first)) => self.is_other(key, first, true),
                None => different.push((place, key)),
            }
        }
        let mut res: Vec<(Value, Value)> = Vec::new();
        for pair in different.iter().filter_map(|it| pairs.get(it.0)) {
            let mut at = 0;
            while let Some(other) = res.get(at).copied()
                && self.is_less(other.0, pair.0)
            {
                at += 1;
            }
            res.insert(at, *pair);
        }
        Some(res)
    }

    /// The keys that were put into a map, first to last, each with the expression of the key that the map then stores.
    fn put_keys(&mut self, map: ExprId) -> Vec<(ExprId, ExprId)> {
        let mut res = Vec::new();
        let mut at = map;
        while let Some(Expr::Apply(Op::Put, args)) = self.record.exprs.get(at) {
            let (Some(key), Some(below)) = (args.first(), args.get(2)) else { break };
            res.push((*key, *self.record.merged.get(&at).unwrap_or(key)));
            at = *below;
        }
        if let Some(Term::Map(pairs)) = self.record.exprs.as_constant(at) {
            for (key, _) in pairs.clone().into_iter().rev() {
                let key = self.constant(key);
                res.push((key, key));
            }
        }
        res.reverse();
        res
    }

    /// Records the choice whether two keys are the same, unless both are constants.
    fn is_other(&mut self, key: ExprId, other: ExprId, holds: bool) {
        let is_open = |it| self.record.exprs.as_constant(it).is_none();
        if is_open(key) || is_open(other) {
            self.is_key(key, other, holds);
        }
    }

    /// Whether a key comes before another in the order of map keys, where integers come before floats.
    fn is_less(&mut self, one: Value, other: Value) -> bool {
        let order = compare_exact(self.heap, self.atoms, one, other);
        if self.is_symbolic(one) || self.is_symbolic(other) {
            self.test_kind(3, one, Kind::Integer, one.is_integer());
            self.test_kind(3, other, Kind::Integer, other.is_integer());
            if let (Some(first), Some(next)) = (self.expr(one), self.expr(other)) {
                let test = self.apply(Op::Less, &[first, next]);
                let is_less = compare_value(self.heap, self.atoms, one, other).is_lt();
                self.test(5, test, is_less);
            }
        }
        order.is_lt()
    }

    /// A step of an iterator with its concrete pairs replaced by the symbolic ones.
    fn step(&mut self, pairs: &[(Value, Value)], step: Value) -> Value {
        let Some(parts) = self.heap.elements(step).map(<[Value]>::to_vec) else { return step };
        let (Some(key), Some(_)) = (parts.first(), parts.get(1)) else { return step };
        let (heap, atoms) = (&*self.heap, self.atoms);
        let is_it = |it: &&(Value, Value)| values::equal_exact(heap, atoms, it.0, *key);
        let Some((key, value)) = pairs.iter().find(is_it).copied() else { return step };
        match parts.get(2) {
            None => self.heap.tuple(&[key, value]),
            Some(rest) => {
                let rest = if rest.is_cons() { *rest } else { self.step(pairs, *rest) };
                self.heap.tuple(&[key, value, rest])
            }
        }
    }
}

/// The maximum size of maps that BEAM iterates in the order of their keys.
const IN_ORDER: usize = 32;

pub(crate) fn values(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
    column(l, args, found, |pair| pair.1)
}

pub(crate) fn keys(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
    column(l, args, found, |pair| pair.0)
}

fn column(
    l: &mut Lifting<'_>,
    args: &[Value],
    found: Option<Value>,
    of: fn(&(Value, Value)) -> Value,
) -> Option<Value> {
    let map = arg(args, 0);
    if !l.is_map(0, map) {
        return found;
    }
    let Some(pairs) = l.walked(map) else { return found };
    found?;
    let items: Vec<Value> = pairs.iter().map(of).collect();
    Some(l.heap.list(&items))
}

/// `maps:merge/2`: the pairs of the second map are put into the first.
pub(crate) fn merge(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
    let (first, second) = (arg(args, 0), arg(args, 1));
    let is_symbolic = |l: &Lifting<'_>, it| l.is_symbolic_lookup(it, Value::NIL);
    if !(is_symbolic(l, first) || is_symbolic(l, second)) {
        return found;
    }
    if !(l.is_map(0, first) && l.is_map(1, second)) {
        return found;
    }
    let View::Map(at) = second.view() else { return found };
    let plain: Vec<(Value, Value)> = l.heap.map_iter(at).collect();
    let pairs = l.walked(second).unwrap_or(plain);
    let mut res = l.expr(first)?;
    let found = found?;
    for (key, value) in pairs {
        res = l.put(key, value, res, found)?;
    }
    Some(found.with_shadow(super::shadow(res)))
}
