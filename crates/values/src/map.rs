//! Maps, ordered by key: up to 32 pairs in one object, more in a balanced tree.
//!
//! BEAM orders small maps by key too, and large ones by a hash in an unspecified order. Ours keep the key order at
//! every size, so that runs are deterministic and outputs readable.

use crate::compare::{compare_exact, is_immediate};
use crate::heap::{Heap, index};
use crate::value::{At, Tag, Value, View};
use crate::{Atoms, Shadow};
use std::cmp::Ordering;

/// The largest size of a flat map, as on BEAM, where the size decides the iteration order.
const MAX_FLAT: usize = 32;
const FLAT: u32 = 0;
const TREE: u32 = 1;

/// An iterator over the pairs of a map in key order.
#[derive(Debug)]
pub struct MapView<'a> {
    heap: &'a Heap,
    flat: &'a [Value],
    /// The stack of tree nodes whose own pair and right subtree are still to come.
    path: Vec<Value>,
}

impl Iterator for MapView<'_> {
    type Item = (Value, Value);

    fn next(&mut self) -> Option<(Value, Value)> {
        if let [key, value, rest @ ..] = self.flat {
            self.flat = rest;
            return Some((*key, *value));
        }
        let node = self.heap.node(self.path.pop()?)?;
        self.heap.descend_left(&mut self.path, node.right);
        Some((node.key, node.value))
    }
}

/// A tree node, stored in the heap as the tuple `{Size, Key, Value, Left, Right}`.
#[derive(Clone, Copy)]
struct TreeNode {
    size: usize,
    key: Value,
    value: Value,
    left: Value,
    right: Value,
}

impl Heap {
    pub fn empty_map(&mut self) -> Value {
        self.flat_map(&[])
    }

    /// Makes a map of pairs in any order. Of pairs with equal keys the last one wins.
    pub fn map(&mut self, atoms: &Atoms, mut pairs: Vec<(Value, Value)>) -> Value {
        pairs.sort_by(|left, right| compare_exact(self, atoms, left.0, right.0));
        let mut unique: Vec<(Value, Value)> = Vec::with_capacity(pairs.len());
        for pair in pairs {
            match unique.last_mut() {
                Some(last) if compare_exact(self, atoms, last.0, pair.0).is_eq() => {
                    // The key is replaced too: -0.0 and 0.0 are equal keys with different words.
                    *last = pair;
                }
                _ => unique.push(pair),
            }
        }
        self.map_of_sorted(&unique)
    }

    /// Makes a map of pairs that are sorted by key and have no key twice.
    pub fn map_of_sorted(&mut self, pairs: &[(Value, Value)]) -> Value {
        if pairs.len() <= MAX_FLAT {
            let cells: Vec<Value> = pairs.iter().flat_map(|(key, value)| [*key, *value]).collect();
            return self.flat_map(&cells);
        }
        let root = self.balanced(pairs);
        self.tree_map(root)
    }

    pub fn map_len(&self, map: At) -> usize {
        let header = self.cell(map.0);
        if header.shadow() == Shadow(TREE) {
            return self.node_size(self.cell(map.0 + 1));
        }
        index(header.payload())
    }

    pub fn map_iter(&self, map: At) -> MapView<'_> {
        let mut res = MapView { heap: self, flat: &[], path: Vec::new() };
        if self.is_tree(map) {
            self.descend_left(&mut res.path, self.cell(map.0 + 1));
        } else {
            res.flat = self.flat_cells(map);
        }
        res
    }

    /// Iterates over the pairs after the first `n`, in logarithmic time for a tree.
    pub fn map_iter_from(&self, map: At, n: usize) -> MapView<'_> {
        let mut res = MapView { heap: self, flat: &[], path: Vec::new() };
        if !self.is_tree(map) {
            res.flat = self.flat_cells(map).get(2 * n..).unwrap_or_default();
            return res;
        }
        let (mut at, mut skip) = (self.cell(map.0 + 1), n);
        while let Some(node) = self.node(at) {
            let n_left = self.node_size(node.left);
            if skip <= n_left {
                res.path.push(at);
                at = node.left;
            } else {
                skip -= n_left + 1;
                at = node.right;
            }
        }
        res
    }

    /// Returns the pairs in key order, or `None` if the value is not a map.
    pub fn map_pairs(&self, map: Value) -> Option<Vec<(Value, Value)>> {
        if let View::Map(at) = map.view() { Some(self.map_iter(at).collect()) } else { None }
    }

    #[inline]
    pub fn map_get(&self, atoms: &Atoms, map: At, key: Value) -> Option<Value> {
        if self.is_tree(map) {
            return self.tree_find(atoms, self.cell(map.0 + 1), key).map(|it| it.1);
        }
        let cells = self.flat_cells(map);
        if is_immediate(key) {
            return cells.chunks_exact(2).find_map(|it| match it {
                [other, value] if other.same_word(key) => Some(*value),
                _ => None,
            });
        }
        let place = self.flat_place(atoms, cells, key).ok()?;
        cells.get(place + 1).copied()
    }

    pub fn map_put(&mut self, atoms: &Atoms, map: At, key: Value, value: Value) -> Value {
        if self.is_tree(map) {
            let root = self.cell(map.0 + 1);
            if self.tree_find(atoms, root, key) == Some((key, value)) {
                return Value::at(Tag::Map, map);
            }
            let root = self.tree_put(atoms, root, key, value);
            return self.tree_map(root);
        }
        let mut cells = self.flat_cells(map).to_vec();
        match self.flat_place(atoms, &cells, key) {
            Ok(place) => match cells.get_mut(place + 1) {
                Some(slot) if *slot != value => *slot = value,
                // The pair is there already.
                _ => return Value::at(Tag::Map, map),
            },
            Err(place) => {
                cells.splice(place..place, [key, value]);
            }
        }
        if cells.len() <= 2 * MAX_FLAT {
            return self.flat_map(&cells);
        }
        let pairs = pairs_of(&cells);
        self.map_of_sorted(&pairs)
    }

    pub fn map_remove(&mut self, atoms: &Atoms, map: At, key: Value) -> Value {
        if self.map_get(atoms, map, key).is_none() {
            return Value::at(Tag::Map, map);
        }
        if self.is_tree(map) {
            let root = self.tree_remove(atoms, self.cell(map.0 + 1), key);
            if self.node_size(root) <= MAX_FLAT {
                let tree = self.tree_map(root);
                let pairs: Vec<(Value, Value)> = self.map_iter(tree.address()).collect();
                return self.map_of_sorted(&pairs);
            }
            return self.tree_map(root);
        }
        let mut cells = self.flat_cells(map).to_vec();
        if let Ok(place) = self.flat_place(atoms, &cells, key) {
            cells.drain(place..place + 2);
        }
        self.flat_map(&cells)
    }

    // Flat maps: a header with the number of pairs, then the pairs.

    fn flat_map(&mut self, cells: &[Value]) -> Value {
        let at = self.next_at();
        self.cells.push(Value::raw(cells.len() as u64 / 2, FLAT));
        self.cells.extend_from_slice(cells);
        Value::at(Tag::Map, at)
    }

    fn is_tree(&self, map: At) -> bool {
        self.cell(map.0).shadow() == Shadow(TREE)
    }

    fn flat_cells(&self, map: At) -> &[Value] {
        self.slice(map.0 + 1, 2 * index(self.cell(map.0).payload()))
    }

    /// Finds the index of a key among the cells: `Ok` if the key is there, `Err` with the index to insert it at.
    fn flat_place(&self, atoms: &Atoms, cells: &[Value], key: Value) -> Result<usize, usize> {
        let (mut low, mut high) = (0, cells.len() / 2);
        while low < high {
            let middle = usize::midpoint(low, high);
            let other = cells.get(2 * middle).copied().unwrap_or(Value::NIL);
            match compare_exact(self, atoms, key, other) {
                Ordering::Less => high = middle,
                Ordering::Equal => return Ok(2 * middle),
                Ordering::Greater => low = middle + 1,
            }
        }
        Err(2 * low)
    }

    pub(super) fn map_object_len(&self, map: At) -> usize {
        let header = self.cell(map.0);
        if header.shadow() == Shadow(TREE) { 2 } else { 1 + 2 * index(header.payload()) }
    }

    // Tree maps: weight-balanced trees [Adams 1993] with the parameters <3, 2>, which [Hirai and Yamamoto 2011] proved
    // to keep the balance.

    fn tree_map(&mut self, root: Value) -> Value {
        let at = self.next_at();
        self.cells.extend_from_slice(&[Value::raw(0, TREE), root]);
        Value::at(Tag::Map, at)
    }

    fn node(&self, node: Value) -> Option<TreeNode> {
        match self.elements(node) {
            Some([size, key, value, left, right]) => Some(TreeNode {
                size: size.as_usize().unwrap_or(0),
                key: *key,
                value: *value,
                left: *left,
                right: *right,
            }),
            _ => None,
        }
    }

    fn node_size(&self, node: Value) -> usize {
        self.node(node).map_or(0, |it| it.size)
    }

    fn descend_left(&self, path: &mut Vec<Value>, from: Value) {
        let mut at = from;
        while let Some(node) = self.node(at) {
            path.push(at);
            at = node.left;
        }
    }

    fn new_node(&mut self, key: Value, value: Value, left: Value, right: Value) -> Value {
        let size = 1 + self.node_size(left) + self.node_size(right);
        let size = Value::int(i64::try_from(size).unwrap_or(i64::MAX));
        self.tuple(&[size, key, value, left, right])
    }

    fn balanced(&mut self, pairs: &[(Value, Value)]) -> Value {
        let middle = pairs.len() / 2;
        let (Some((key, value)), Some(left), Some(right)) =
            (pairs.get(middle).copied(), pairs.get(..middle), pairs.get(middle + 1..))
        else {
            return Value::NIL;
        };
        let left = self.balanced(left);
        let right = self.balanced(right);
        self.new_node(key, value, left, right)
    }

    /// Finds the pair of a key, with the key as it is stored.
    fn tree_find(&self, atoms: &Atoms, root: Value, key: Value) -> Option<(Value, Value)> {
        let mut at = root;
        while let Some(node) = self.node(at) {
            at = match compare_exact(self, atoms, key, node.key) {
                Ordering::Less => node.left,
                Ordering::Equal => return Some((node.key, node.value)),
                Ordering::Greater => node.right,
            };
        }
        None
    }

    fn tree_put(&mut self, atoms: &Atoms, root: Value, key: Value, value: Value) -> Value {
        let Some(node) = self.node(root) else {
            return self.new_node(key, value, Value::NIL, Value::NIL);
        };
        match compare_exact(self, atoms, key, node.key) {
            Ordering::Less => {
                let left = self.tree_put(atoms, node.left, key, value);
                self.rebalance(node.key, node.value, left, node.right)
            }
            // The key is replaced too, as in a large map of BEAM: -0.0 and 0.0 are equal keys with different words.
            Ordering::Equal => self.new_node(key, value, node.left, node.right),
            Ordering::Greater => {
                let right = self.tree_put(atoms, node.right, key, value);
                self.rebalance(node.key, node.value, node.left, right)
            }
        }
    }

    fn tree_remove(&mut self, atoms: &Atoms, root: Value, key: Value) -> Value {
        let Some(node) = self.node(root) else { return root };
        match compare_exact(self, atoms, key, node.key) {
            Ordering::Less => {
                let left = self.tree_remove(atoms, node.left, key);
                self.rebalance(node.key, node.value, left, node.right)
            }
            Ordering::Greater => {
                let right = self.tree_remove(atoms, node.right, key);
                self.rebalance(node.key, node.value, node.left, right)
            }
            Ordering::Equal => match self.take_first(node.right) {
                None => node.left,
                Some((next, right)) => self.rebalance(next.key, next.value, node.left, right),
            },
        }
    }

    /// Returns the leftmost node of a tree, and the tree without that node.
    fn take_first(&mut self, root: Value) -> Option<(TreeNode, Value)> {
        let node = self.node(root)?;
        let Some((first, left)) = self.take_first(node.left) else {
            return Some((node, node.right));
        };
        Some((first, self.rebalance(node.key, node.value, left, node.right)))
    }

    fn rebalance(&mut self, key: Value, value: Value, left: Value, right: Value) -> Value {
        let (n_left, n_right) = (self.node_size(left), self.node_size(right));
        if n_left + n_right <= 1 {
            return self.new_node(key, value, left, right);
        }
        if 3 * n_left < n_right
            && let Some(node) = self.node(right)
        {
            if self.node_size(node.left) < 2 * self.node_size(node.right) {
                let left = self.new_node(key, value, left, node.left);
                return self.new_node(node.key, node.value, left, node.right);
            }
            if let Some(inner) = self.node(node.left) {
                let left = self.new_node(key, value, left, inner.left);
                let right = self.new_node(node.key, node.value, inner.right, node.right);
                return self.new_node(inner.key, inner.value, left, right);
            }
        }
        if 3 * n_right < n_left
            && let Some(node) = self.node(left)
        {
            if self.node_size(node.right) < 2 * self.node_size(node.left) {
                let right = self.new_node(key, value, node.right, right);
                return self.new_node(node.key, node.value, node.left, right);
            }
            if let Some(inner) = self.node(node.right) {
                let left = self.new_node(node.key, node.value, node.left, inner.left);
                let right = self.new_node(key, value, inner.right, right);
                return self.new_node(inner.key, inner.value, left, right);
            }
        }
        self.new_node(key, value, left, right)
    }
}

fn pairs_of(cells: &[Value]) -> Vec<(Value, Value)> {
    cells
        .chunks_exact(2)
        .filter_map(|it| if let [key, value] = it { Some((*key, *value)) } else { None })
        .collect()
}
