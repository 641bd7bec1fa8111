//! The strategies: orders in which flips are tried.

use crate::frontier::Flip;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Strategy {
    /// Uncovered alternatives first, then by increasing depth [Giantsios et al. 2015, Algorithm 1].
    #[default]
    VisitedFirst,
    BreadthFirst,
    DepthFirst,
    /// All flips of a run before those of the next run.
    Generational,
    /// In a pseudo-random order that the seed determines.
    Random,
}

impl Strategy {
    pub const ALL: [(&'static str, Strategy); 5] = [
        ("visited-first", Strategy::VisitedFirst),
        ("breadth-first", Strategy::BreadthFirst),
        ("depth-first", Strategy::DepthFirst),
        ("generational", Strategy::Generational),
        ("random", Strategy::Random),
    ];

    pub fn from_name(name: &str) -> Option<Strategy> {
        Strategy::ALL.iter().find(|it| it.0 == name).map(|it| it.1)
    }

    /// Returns the sort key of a flip; smaller keys come first. `age` is the number of flips added before it.
    pub(crate) fn key(self, flip: &Flip, age: u64, seed: u64) -> (u64, u64) {
        let depth = flip.depth as u64;
        match self {
            Strategy::VisitedFirst | Strategy::BreadthFirst => (depth, age),
            Strategy::DepthFirst => (u64::MAX - depth, u64::MAX - age),
            Strategy::Generational => (flip.run as u64, age),
            Strategy::Random => (scramble(age ^ scramble(seed)), age),
        }
    }

    pub(crate) fn prefers_uncovered(self) -> bool {
        self == Strategy::VisitedFirst
    }
}

/// Spreads numbers over all of their range (the finaliser of splitmix64).
fn scramble(n: u64) -> u64 {
    let n = (n ^ (n >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let n = (n ^ (n >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    n ^ (n >> 31)
}
