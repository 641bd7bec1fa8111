//! Tests and constructions that take more than a line.

use crate::builtins::Fault;
use crate::code::{BitsPattern, Cmp, Kind, MapStep, Src};
use crate::core::MapOp;
use crate::data::{AtomId, Value, View, compare_exact, compare_value, equal_exact, equal_value};
use crate::machine::World;
use crate::machine::interpret::Cpu;
use crate::machine::record::either_shadowed;

impl Cpu<'_> {
    #[inline]
    pub(super) fn compare(&self, op: Cmp, a: Value, b: Value) -> bool {
        if let (Some(a), Some(b)) = (a.as_int(), b.as_int()) {
            return match op {
                Cmp::Less => a < b,
                Cmp::LessEqual => a <= b,
                Cmp::Greater => a > b,
                Cmp::GreaterEqual => a >= b,
                Cmp::Equal | Cmp::Same => a == b,
                Cmp::NotEqual | Cmp::NotSame => a != b,
            };
        }
        self.compare_any(op, a, b)
    }

    pub(super) fn compare_any(&self, op: Cmp, a: Value, b: Value) -> bool {
        let (heap, atoms) = (&self.world.heap, &self.world.atoms);
        match op {
            Cmp::Less => compare_value(heap, atoms, a, b).is_lt(),
            Cmp::LessEqual => compare_value(heap, atoms, a, b).is_le(),
            Cmp::Greater => compare_value(heap, atoms, a, b).is_gt(),
            Cmp::GreaterEqual => compare_value(heap, atoms, a, b).is_ge(),
            Cmp::Equal => equal_value(heap, atoms, a, b),
            Cmp::NotEqual => !equal_value(heap, atoms, a, b),
            Cmp::Same => equal_exact(heap, atoms, a, b),
            Cmp::NotSame => !equal_exact(heap, atoms, a, b),
        }
    }

    #[inline]
    pub(super) fn is_kind(&self, kind: Kind, value: Value) -> bool {
        match (kind, value.view()) {
            (Kind::Atom, View::Atom(_))
            | (Kind::Bitstring, View::Bits(_))
            | (Kind::Float, View::Float(_))
            | (Kind::Function, View::Fun(_))
            | (Kind::Integer, View::Int(_) | View::Big(_))
            | (Kind::Cons, View::Cons(_))
            | (Kind::List, View::Cons(_) | View::Nil)
            | (Kind::Nil, View::Nil)
            | (Kind::Map, View::Map(_))
            | (Kind::Number, View::Int(_) | View::Big(_) | View::Float(_))
            | (Kind::Pid, View::Pid(_))
            | (Kind::Port, View::Port(_))
            | (Kind::Reference, View::Ref(_))
            | (Kind::Tuple, View::Tuple(..)) => true,
            (Kind::Boolean, View::Atom(atom)) => atom == AtomId::TRUE || atom == AtomId::FALSE,
            (Kind::Binary, View::Bits(at)) => self.world.heap.bit_len(at).is_multiple_of(8),
            _ => false,
        }
    }

    pub(super) fn switch(&self, value: Value, table: u32) -> Option<u32> {
        let table = self.program.switches.get(table as usize)?;
        let found = match value.view() {
            View::Atom(atom) => find(&table.atoms, atom),
            View::Int(int) => find(&table.ints, int),
            View::Nil => table.nil,
            View::Cons(_) => table.cons,
            View::Tuple(_, arity) => table.tuples.iter().find(|it| it.0 == arity).map(|it| it.1),
            View::Big(_)
            | View::Float(_)
            | View::Map(_)
            | View::Bits(_)
            | View::Fun(_)
            | View::Pid(_)
            | View::Port(_)
            | View::Ref(_) => {
                let same = |src: Src| {
                    equal_exact(&self.world.heap, &self.world.atoms, value, self.src(src))
                };
                table.literals.iter().find(|it| same(it.0)).map(|it| it.1)
            }
        };
        Some(found.unwrap_or(table.default))
    }

    #[inline]
    pub(super) fn tuple(&mut self, args: u32, n: usize) -> Value {
        match *self.operands(args, n) {
            [a, b] => {
                let values = [self.src(a), self.src(b)];
                self.world.heap.tuple(&values)
            }
            [a, b, c] => {
                let values = [self.src(a), self.src(b), self.src(c)];
                self.world.heap.tuple(&values)
            }
            _ => {
                let values = self.values(args, n);
                self.world.heap.tuple(&values)
            }
        }
    }

    pub(super) fn update_map(&mut self, base: Value, steps: &[MapStep]) -> Result<Value, Fault> {
        let mut map = base;
        for (place, step) in steps.iter().enumerate() {
            let (key, value) = (self.src(step.key), self.src(step.value));
            if either_shadowed(map, key) {
                self.lose(self.pc, "a map update");
            }
            let World { heap, atoms, .. } = &mut *self.world;
            let View::Map(at) = map.view() else {
                let reason = heap.tuple(&[Value::atom(AtomId::BADMAP), base]);
                return Err(Fault::Error(reason));
            };
            if step.op == MapOp::Exact && heap.map_get(atoms, at, key).is_none() {
                let key = self.missing_key(map, steps.get(place..).unwrap_or_default(), key);
                let reason = self.world.heap.tuple(&[Value::atom(AtomId::BADKEY), key]);
                return Err(Fault::Error(reason));
            }
            map = heap.map_put(atoms, at, key, value);
        }
        Ok(map)
    }

    /// Constant keys side by side are updated in their order, so the least one that is missing is
    /// the one that is told.
    fn missing_key(&self, map: Value, steps: &[MapStep], first: Value) -> Value {
        let World { heap, atoms, .. } = &*self.world;
        let constant = steps.iter().take_while(|it| it.key.open().is_ok());
        let missing = constant
            .filter(|it| it.op == MapOp::Exact)
            .map(|it| self.src(it.key))
            .filter(|it| heap.map_get(atoms, map.address(), *it).is_none());
        missing.min_by(|a, b| compare_exact(heap, atoms, *a, *b)).unwrap_or(first)
    }

    /// Matches all segments; `None` if one does not.
    pub(super) fn match_bits(&mut self, value: Value, pattern: &BitsPattern) -> Option<()> {
        let View::Bits(bits) = value.view() else { return None };
        let mut at = 0;
        for part in &pattern.parts {
            let size = match part.size {
                Some(size) => Some(u64::try_from(self.src(size).as_int()?).ok()?),
                None => None,
            };
            let (found, next) = self.world.heap.match_segment(bits, at, part.spec, size)?;
            at = next;
            if let Some(literal) = part.literal {
                let literal = self.src(literal);
                let World { heap, atoms, .. } = &*self.world;
                if !equal_exact(heap, atoms, found, literal) {
                    return None;
                }
            }
            if let Some(dst) = part.dst {
                self.set(dst, found);
            }
        }
        (at == self.world.heap.bit_len(bits)).then_some(())
    }
}

fn find<K: Ord + Copy>(table: &[(K, u32)], key: K) -> Option<u32> {
    if table.len() <= 4 {
        return table.iter().find(|it| it.0 == key).map(|it| it.1);
    }
    let place = table.binary_search_by_key(&key, |it| it.0).ok()?;
    table.get(place).map(|it| it.1)
}
