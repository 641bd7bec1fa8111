//! A copy-on-write map: copies share their values until one of them changes a value.
//!
//! The schedule search keeps a copy of the run's state before each step (`machine::schedule::keep`), and a step changes
//! only one process and one table of many.

use std::collections::BTreeMap;
use std::rc::Rc;

#[derive(Clone, Debug)]
pub struct Forked<K, V>(BTreeMap<K, Rc<V>>);

impl<K, V> Default for Forked<K, V> {
    fn default() -> Forked<K, V> {
        Forked(BTreeMap::new())
    }
}

impl<K: Ord, V: Clone> Forked<K, V> {
    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn contains_key(&self, key: &K) -> bool {
        self.0.contains_key(key)
    }

    #[inline]
    pub fn get(&self, key: &K) -> Option<&V> {
        self.0.get(key).map(|it| &**it)
    }

    /// Returns a mutable reference, after copying the value if it is shared.
    #[inline]
    pub fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        self.0.get_mut(key).map(Rc::make_mut)
    }

    pub fn insert(&mut self, key: K, value: V) {
        self.0.insert(key, Rc::new(value));
    }

    pub fn remove(&mut self, key: &K) -> Option<V> {
        self.0.remove(key).map(Rc::unwrap_or_clone)
    }

    pub fn keys(&self) -> impl Iterator<Item = &K> {
        self.0.keys()
    }

    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.0.values().map(|it| &**it)
    }

    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.0.values_mut().map(Rc::make_mut)
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }
}
