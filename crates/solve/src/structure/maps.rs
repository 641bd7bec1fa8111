//! Maps: which keys they have and with which values. Most operations wait until the key is known.

#![expect(clippy::wildcard_enum_match_arm, reason = "other nodes say nothing of maps")]

use super::facts::fact;
use super::range::Range;
use super::state::{Consistency, Contradiction, Fact, MapShape, NodeId, Pending, Shape, State};
use super::typing::{Alt, Typed};
use super::value::Value;
use std::rc::Rc;
use term::{Kind, Kinds, Op, Term};

/// Larger maps are not built with a node for each key.
const MAX_PAIRS: usize = 16;

enum Entry {
    There(NodeId),
    Absent,
    /// Nothing is known about the key in this map.
    Open(NodeId),
    /// Depends on whether this node equals the key.
    Unclear(NodeId),
}

impl<'q> State<'q> {
    pub(super) fn has_key(
        &mut self,
        key: NodeId,
        map: NodeId,
        holds: bool,
    ) -> Result<bool, Contradiction> {
        self.restrict(map, Kinds::MAP)?;
        let asked = key;
        let Some(key) = self.ground(key) else { return self.has_open_key(key, map, holds) };
        match self.entry(map, &key) {
            Entry::There(_) => {
                if holds {
                    Ok(true)
                } else {
                    Err(Contradiction)
                }
            }
            Entry::Absent => {
                if holds {
                    Err(Contradiction)
                } else {
                    Ok(true)
                }
            }
            Entry::Open(base) => {
                let part = holds.then(|| self.add(Kinds::ALL));
                self.set_entry(base, key, part).map(|()| true)
            }
            Entry::Unclear(changed) => self.split_key(changed, asked),
        }
    }

    pub(super) fn examine_map(
        &mut self,
        node: NodeId,
        op: Op,
        args: &[NodeId],
    ) -> Result<bool, Contradiction> {
        match (op, args) {
            (Op::Get, [key, map]) => {
                self.restrict(*map, Kinds::MAP)?;
                let asked = *key;
                let Some(key) = self.ground(*key) else {
                    return self.get_open_key(node, *key, *map);
                };
                match self.entry(*map, &key) {
                    Entry::There(part) => self.unify(node, part).map(|()| true),
                    Entry::Absent => Err(Contradiction),
                    Entry::Open(base) => {
                        if self.node(node).hint.is_none()
                            && let Some(hint) = self.hint(node)
                        {
                            self.change(node).hint = Some(hint);
                        }
                        self.set_entry(base, key, Some(node)).map(|()| true)
                    }
                    Entry::Unclear(changed) => self.split_key(changed, asked),
                }
            }
            (Op::Key(place), [map]) => {
                self.restrict(*map, Kinds::MAP)?;
                if let Shape::Pairs(pairs) = &self.node(*map).shape {
                    let key = pairs.get(place as usize).ok_or(Contradiction)?.0;
                    return self.unify(node, key).map(|()| true);
                }
                let Some(key) = self.ground(node) else { return Ok(false) };
                match self.entry(*map, &key) {
                    Entry::Absent => Err(Contradiction),
                    Entry::Open(base) => {
                        let part = self.add(Kinds::ALL);
                        // Which position the key has is decided when the map is known.
                        self.set_entry(base, key, Some(part)).map(|()| false)
                    }
                    Entry::There(_) | Entry::Unclear(_) => Ok(false),
                }
            }
            (Op::MapSize, [map]) => {
                self.restrict(*map, Kinds::MAP)?;
                if let Shape::Pairs(pairs) = &self.node(*map).shape {
                    let n = i64::try_from(pairs.len()).map_err(|_| Contradiction)?;
                    return self.bind_int(node, n).map(|()| true);
                }
                if let Some(size) = self.known_int(node)
                    && self.is_walked(*map)
                {
                    let size = usize::try_from(size).map_err(|_| Contradiction)?;
                    return self.make_pairs(*map, size);
                }
                let n_there = match &self.node(*map).shape {
                    Shape::Map(shape) => shape.entries.iter().filter(|it| it.1.is_some()).count(),
                    _ => 0,
                };
                let low = i128::try_from(n_there).map_err(|_| Contradiction)?;
                self.narrow_range(node, Range::new(low, i128::MAX)).map(|()| false)
            }
            _ => Ok(false),
        }
    }

    /// Adds the case distinction whether two keys are equal, once for each pair.
    fn split_key(&mut self, changed: NodeId, key: NodeId) -> Result<bool, Contradiction> {
        let pair = (self.root(changed), self.root(key));
        if !self.split_keys.contains(&pair) {
            self.split_keys.push(pair);
            let same = |holds| vec![fact(Op::Same, &[changed, key], holds)];
            self.either(vec![same(true), same(false)]);
        }
        Ok(false)
    }

    /// Whether the map is iterated by position (`Op::Key`) and is no update of another map.
    fn is_walked(&self, map: NodeId) -> bool {
        let is_made = matches!(self.node(map).origin, Some((Op::Put | Op::Remove, _)));
        let is_key = |it: &Pending| match it {
            Pending::Define(_, Op::Key(_), args) => {
                args.first().is_some_and(|it| self.is_same_node(*it, map))
            }
            _ => false,
        };
        let is_open = matches!(self.node(map).shape, Shape::Open | Shape::Map(_));
        is_open && !is_made && self.pending.iter().any(is_key)
    }

    /// Gives the map a node for each key and each value, in the order of the keys.
    fn make_pairs(&mut self, map: NodeId, size: usize) -> Result<bool, Contradiction> {
        if size > MAX_PAIRS {
            return Ok(false);
        }
        let hints = match self.hint(map).map(|it| it.term().into_owned()) {
            Some(Term::Map(pairs)) => pairs,
            _ => Vec::new(),
        };
        let pairs: Rc<[(NodeId, NodeId)]> =
            (0..size).map(|_| (self.add(Kinds::ALL), self.add(Kinds::ALL))).collect();
        for ((key, value), hint) in pairs.iter().zip(hints) {
            self.change(*key).hint = Some(Value::own(hint.0));
            self.change(*value).hint = Some(Value::own(hint.1));
        }
        let known = match &self.node(map).shape {
            Shape::Map(shape) => Some(Rc::clone(shape)),
            _ => None,
        };
        for alts in self.node(map).types.clone() {
            let [Alt::Map(fields)] = *alts else { continue };
            let [field] = *fields else { continue };
            for (key, value) in pairs.iter() {
                self.add_type(*key, Typed::Id(field.key))?;
                self.add_type(*value, Typed::Id(field.value))?;
            }
        }
        for (one, next) in pairs.iter().zip(pairs.iter().skip(1)) {
            // As keys, integers come before floats, whatever their values.
            let is_below = vec![fact(Op::Less, &[one.0, next.0], true)];
            let are_numbers = vec![
                fact(Op::IsKind(Kind::Integer), &[one.0], true),
                fact(Op::IsKind(Kind::Float), &[next.0], true),
            ];
            self.either(vec![is_below, are_numbers]);
        }
        self.change(map).shape = Shape::Pairs(pairs);
        if let Some(known) = known {
            self.look_up_all(map, &known);
        }
        self.settle_made(map).map(|()| true)
    }

    /// Requires of a map with all its keys what was known of single keys.
    pub(super) fn look_up_all(&mut self, map: NodeId, known: &MapShape<'q>) {
        for (key, part) in &known.entries {
            let key = self.literal(key.clone());
            match part {
                Some(part) => self.push(Pending::Define(*part, Op::Get, [key, map].into())),
                None => self.push_fact(Op::HasKey, &[key, map], false),
            }
        }
    }

    /// Returns the keys of a map that may equal this one, with their values.
    fn pairs_like(&self, key: NodeId, map: NodeId) -> Option<Vec<(NodeId, NodeId)>> {
        let Shape::Pairs(pairs) = &self.node(map).shape else { return None };
        if let Some(it) = pairs.iter().find(|it| self.is_same_node(it.0, key)) {
            return Some(vec![*it]);
        }
        Some(pairs.iter().filter(|it| self.may_be_same(it.0, key)).copied().collect())
    }

    /// Requires that an unknown key is, or is not, one of the keys of a known map.
    fn has_open_key(
        &mut self,
        key: NodeId,
        map: NodeId,
        holds: bool,
    ) -> Result<bool, Contradiction> {
        if let Some(pairs) = self.pairs_like(key, map) {
            if !holds {
                pairs.iter().for_each(|it| self.push_fact(Op::Same, &[key, it.0], false));
                return Ok(true);
            }
            let of = pairs.iter().map(|it| vec![fact(Op::Same, &[key, it.0], true)]);
            return self.either_or_closed(of.collect()).map(|()| true);
        }
        let Some(pairs) = self.known_pairs(map) else { return Ok(false) };
        if !holds {
            pairs.into_iter().try_for_each(|it| self.exclude(key, &Value::own(it.0)))?;
            return Ok(true);
        }
        let same = |state: &mut State<'q>, it: Term| {
            let known = state.literal(Value::own(it));
            vec![fact(Op::Same, &[key, known], true)]
        };
        let of: Vec<Vec<Fact>> = pairs.into_iter().map(|it| same(self, it.0)).collect();
        self.either_or_closed(of).map(|()| true)
    }

    fn get_open_key(
        &mut self,
        node: NodeId,
        key: NodeId,
        map: NodeId,
    ) -> Result<bool, Contradiction> {
        if let Some(pairs) = self.pairs_like(key, map) {
            let same = |a, b| fact(Op::Same, &[a, b], true);
            let of = pairs.iter().map(|it| vec![same(key, it.0), same(node, it.1)]);
            return self.either_or_closed(of.collect()).map(|()| true);
        }
        let Some(pairs) = self.known_pairs(map) else { return Ok(false) };
        let mut of = Vec::new();
        for (known, value) in pairs {
            let (known, value) = (self.literal(Value::own(known)), self.literal(Value::own(value)));
            let facts = [fact(Op::Same, &[key, known], true), fact(Op::Same, &[node, value], true)];
            of.push(facts.to_vec());
        }
        self.either_or_closed(of).map(|()| true)
    }

    fn known_pairs(&self, map: NodeId) -> Option<Vec<(Term, Term)>> {
        if let Term::Map(pairs) = &*self.known(map)?.term() { Some(pairs.clone()) } else { None }
    }

    fn entry(&mut self, map: NodeId, key: &Value<'q>) -> Entry {
        let mut map = map;
        loop {
            match &self.node(map).shape {
                Shape::Literal(value) => {
                    let found = term::apply(Op::Get, &[&key.term(), &value.term()]);
                    return match found {
                        Some(found) => Entry::There(self.literal(Value::own(found))),
                        None => Entry::Absent,
                    };
                }
                Shape::Map(shape) => {
                    if let Some((_, part)) = shape.entries.iter().find(|it| it.0.is_same(key)) {
                        return part.map_or(Entry::Absent, Entry::There);
                    }
                }
                Shape::Pairs(pairs) => {
                    let is_it = |it: &NodeId| self.ground(*it).is_some_and(|it| it.is_same(key));
                    if let Some((_, value)) = pairs.iter().find(|it| is_it(&it.0)) {
                        return Entry::There(*value);
                    }
                    let may_be =
                        |it: &NodeId| self.ground(*it).is_none() && self.may_be_literal(*it, key);
                    let unclear = pairs.iter().find(|it| may_be(&it.0));
                    return unclear.map_or(Entry::Absent, |it| Entry::Unclear(it.0));
                }
                Shape::Open | Shape::Cons(..) | Shape::Tuple(_) | Shape::Fun(_) => (),
            }
            let (changed, below, found) = match &self.node(map).origin {
                Some((Op::Put, args)) => {
                    let [changed, value, below] = **args else { return Entry::Open(map) };
                    (changed, below, Entry::There(value))
                }
                Some((Op::Remove, args)) => {
                    let [changed, below] = **args else { return Entry::Open(map) };
                    (changed, below, Entry::Absent)
                }
                _ => return Entry::Open(map),
            };
            match self.ground(changed) {
                Some(changed) if changed.is_same(key) => return found,
                None if self.may_be_literal(changed, key) => return Entry::Unclear(changed),
                _ => map = below,
            }
        }
    }

    fn set_entry(&mut self, map: NodeId, key: Value<'q>, part: Option<NodeId>) -> Consistency {
        let mut entries = match &self.node(map).shape {
            Shape::Map(shape) => shape.entries.clone(),
            Shape::Open
            | Shape::Literal(_)
            | Shape::Cons(..)
            | Shape::Tuple(_)
            | Shape::Pairs(_)
            | Shape::Fun(_) => Vec::new(),
        };
        if let (Some(part), Some(hint)) = (part, self.hint(map))
            && self.node(part).hint.is_none()
        {
            let found = term::apply(Op::Get, &[&key.term(), &hint.term()]);
            self.change(part).hint = found.map(Value::own);
        }
        self.narrow_entry(map, &key.term(), part)?;
        entries.push((key, part));
        let was_open = matches!(self.node(map).shape, Shape::Open);
        self.change(map).shape = Shape::Map(Rc::new(MapShape { entries }));
        if was_open { self.settle_made(map) } else { Ok(()) }
    }

    /// Narrows an entry by the map's type.
    fn narrow_entry(&mut self, map: NodeId, key: &Term, part: Option<NodeId>) -> Consistency {
        for alts in self.node(map).types.clone() {
            let [Alt::Map(fields)] = *alts else { continue };
            let field = fields.iter().find(|it| self.typing.types.has(it.key, key));
            match (field, part) {
                (Some(field), Some(part)) => self.add_type(part, Typed::Id(field.value))?,
                (None, Some(_)) => return Err(Contradiction),
                (Some(field), None) if field.is_required => {
                    // A required field whose type has a single key.
                    let keys = self.typing.alternatives(Typed::Id(field.key));
                    if matches!(*keys, [Alt::Literal(_)]) {
                        return Err(Contradiction);
                    }
                }
                (Some(_) | None, None) => (),
            }
        }
        Ok(())
    }
}
