//! Findings with the same cause are joined: what fails at one place for one reason is shown once, with all units that
//! lead there.

use crate::data::{Report, Unit};
use crate::finding::{Finding, Level, Status};
use std::collections::BTreeMap;

impl Report {
    /// Chooses the finding that is shown for each cause: the most important one; among equals that of a unit of the
    /// public interface, with the shortest call, of the first unit.
    pub fn join_causes(&mut self) {
        let mut by_cause: BTreeMap<String, Vec<(usize, usize)>> = BTreeMap::new();
        for (n, unit) in self.units.iter().enumerate() {
            for (m, finding) in unit.findings.iter().enumerate() {
                if let Some(cause) = finding.cause.clone() {
                    by_cause.entry(cause).or_default().push((n, m));
                }
            }
        }
        for places in by_cause.into_values().filter(|it| 1 < it.len()) {
            self.join(&places);
        }
    }

    fn join(&mut self, places: &[(usize, usize)]) {
        let found = |place: &(usize, usize)| -> Option<(&Unit, &Finding)> {
            let unit = self.units.get(place.0)?;
            Some((unit, unit.findings.get(place.1)?))
        };
        let rank = |place: &&(usize, usize)| -> Option<(Status, Level, usize, usize)> {
            let (unit, finding) = found(place)?;
            // A unit that only its own file calls is a less direct way to the cause.
            Some((
                finding.status,
                finding.level,
                usize::from(unit.is_internal),
                finding.shown.len(),
            ))
        };
        let Some(best) = places.iter().min_by_key(|it| (rank(it), **it)).copied() else { return };
        let Some((shown_unit, shown)) = found(&best) else { return };
        let (id, title) = (shown.id.clone(), shown_unit.title.clone());
        let mut others: Vec<String> =
            places.iter().filter_map(|it| Some(found(it)?.0.title.clone())).collect();
        others.retain(|it| *it != title);
        others.dedup();
        for place in places {
            let finding = self.units.get_mut(place.0).and_then(|it| it.findings.get_mut(place.1));
            let Some(finding) = finding else { continue };
            if *place == best {
                finding.also_through.clone_from(&others);
            } else {
                finding.same_as = Some(id.clone());
            }
        }
    }
}
