//! Operations of the interpreter that take more than a line: tests and constructions.

use crate::builtins::Fault;
use crate::code::{BitsPattern, Cmp, Kind, MapStep, PatternPart, Src};
use crate::core::MapOp;
use crate::lift::compare::same_values;
use crate::lift::shadow;
use crate::machine::World;
use crate::machine::interpret::Cpu;
use values::{
    AtomId, SegmentType, Value, View, compare_exact, compare_value, equal_exact, equal_value,
};

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
            let (pc, is_exact) = (self.pc, step.op == MapOp::Exact);
            let is_map = matches!(map.view(), View::Map(_));
            if let Some(mut lifting) = self.lifting(pc) {
                lifting.test_kind(0, map, Kind::Map, is_map);
                if is_map && is_exact && lifting.is_symbolic_lookup(map, key) {
                    let found = lifting.heap.map_get(lifting.atoms, map.address(), key);
                    lifting.has_key(1, map, key, found.is_some());
                }
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
            let made = heap.map_put(atoms, at, key, value);
            map = match self.lifting(pc) {
                Some(mut lifting) => lifting.with_pair(map, key, value, made),
                None => made,
            };
        }
        Ok(map)
    }

    /// The key that `badkey` reports. BEAM sorts the keys of adjacent constant updates, so the least missing one is
    /// reported.
    fn missing_key(&self, map: Value, steps: &[MapStep], first: Value) -> Value {
        let World { heap, atoms, .. } = &*self.world;
        let constant = steps.iter().take_while(|it| it.key.open().is_ok());
        let missing = constant
            .filter(|it| it.op == MapOp::Exact)
            .map(|it| self.src(it.key))
            .filter(|it| heap.map_get(atoms, map.address(), *it).is_none());
        missing.min_by(|a, b| compare_exact(heap, atoms, *a, *b)).unwrap_or(first)
    }

    /// Matches a bitstring with a pattern; `None` if it does not match.
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

impl Cpu<'_> {
    /// Whether matching the pattern depends on a symbolic value.
    pub(super) fn is_symbolic_match(&self, value: Value, pattern: &BitsPattern) -> bool {
        let is_shadowed = |it: Src| self.slot(it).shadow().is_some();
        value.shadow().is_some() || pattern.parts.iter().any(|it| it.size.is_some_and(is_shadowed))
    }

    /// As [`Cpu::match_bits`], with the choices of the match.
    #[cold]
    pub(super) fn match_symbolic_bits(
        &mut self,
        pc: u32,
        value: Value,
        pattern: &BitsPattern,
    ) -> Option<()> {
        if self.lifting(pc).is_none() {
            return self.match_bits(value, pattern);
        }
        let is_bits = matches!(value.view(), View::Bits(_));
        let mut lifting = self.recording(pc)?;
        if !lifting.test_kind(0, value, Kind::Bitstring, is_bits) {
            return None;
        }
        let mut at = lifting.start_match();
        let View::Bits(bits) = value.view() else { return None };
        for part in &pattern.parts {
            let size = part.size.map(|it| self.src(it));
            let count = size.and_then(|it| u64::try_from(it.as_int()?).ok());
            let mut lifting = self.recording(pc)?;
            let n_bits = match size {
                Some(size) => Some(lifting.segment_bits(size, part.spec.unit)?),
                None => None,
            };
            let found = lifting.heap.match_segment(bits, at.bits, part.spec, count);
            let slice = match (n_bits, part.spec.ty) {
                (Some(n_bits), _) => {
                    let n = count.and_then(|it| it.checked_mul(u64::from(part.spec.unit)));
                    let end = n.and_then(|it| it.checked_add(at.bits));
                    let end = end.filter(|it| *it <= lifting.heap.bit_len(bits));
                    let (slice, next) = lifting.sized_segment(value, at, n_bits, end)?;
                    if value.shadow().is_some() {
                        lifting.choose_float(part.spec, slice, found.is_some());
                    }
                    at = next;
                    Some(slice)
                }
                (None, SegmentType::Binary) => {
                    let slice = lifting.last_segment(value, at, part.spec.unit, found.is_some());
                    at.bits = found?.1;
                    slice
                }
                (None, _) if value.shadow().is_some() => {
                    let (expr, next) = lifting.code_point_of(part.spec, value, bits, at)?;
                    let point = found?.0.with_shadow(shadow(expr));
                    at = next;
                    if !self.segment_found(pc, part, point)? {
                        return None;
                    }
                    continue;
                }
                (None, _) => {
                    at = lifting.position(found?.1);
                    None
                }
            };
            let found = lifting.segment_value(part, slice, found?.0);
            let is_rest = n_bits.is_none() && part.spec.ty == SegmentType::Binary;
            if !self.segment_found(pc, part, found)? {
                return None;
            }
            if is_rest {
                return Some(());
            }
        }
        let holds = at.bits == self.world.heap.bit_len(bits);
        self.recording(pc)?.end_match(value, at, holds);
        holds.then_some(())
    }
}

impl Cpu<'_> {
    /// Stores a segment's value in its register. Returns whether the value is the literal that the pattern requires.
    fn segment_found(&mut self, pc: u32, part: &PatternPart, found: Value) -> Option<bool> {
        if let Some(literal) = part.literal {
            let literal = self.src(literal);
            let mut lifting = self.recording(pc)?;
            if !same_values(&mut lifting, 9, found, literal) {
                return Some(false);
            }
        }
        if let Some(dst) = part.dst {
            self.set(dst, found);
        }
        Some(true)
    }
}

fn find<K: Ord + Copy>(table: &[(K, u32)], key: K) -> Option<u32> {
    if table.len() <= 4 {
        return table.iter().find(|it| it.0 == key).map(|it| it.1);
    }
    let place = table.binary_search_by_key(&key, |it| it.0).ok()?;
    table.get(place).map(|it| it.1)
}
