//! The table of language families. A new family has a row here, a crate, and a folder in this crate.

use crate::asked::Asked;
use crate::diagnostic::Diagnostic;
use crate::erlang::Project;
use crate::flow::{Flow, Recorded, Replayed, replay_on, serve};
use crate::prolog::{Source, is_prolog};
use std::process::ExitCode;

/// A family of languages that share a runtime, and so are explored as one program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    /// Erlang and Elixir.
    Beam,
    Prolog,
}

impl Family {
    pub(crate) const ALL: [Family; 2] = [Family::Beam, Family::Prolog];

    /// Returns the family of a target by the target's file name.
    pub(crate) fn of_target(target: &str) -> Family {
        if is_prolog(target) { Family::Prolog } else { Family::Beam }
    }

    /// Returns the family of a unit in a report by the unit's language tag.
    pub(crate) fn of_tag(language: &str) -> Option<Family> {
        match language {
            "erlang" | "elixir" => Some(Family::Beam),
            "prolog" => Some(Family::Prolog),
            _ => None,
        }
    }

    /// Explores all units of the targets.
    pub(crate) fn explore(self, targets: &[String], flow: &mut Flow<'_>) {
        match self {
            Family::Beam => flow.explore::<Project>(self, targets),
            Family::Prolog => flow.explore::<Source>(self, targets),
        }
    }

    /// Runs a worker process, which explores the units of these targets that its owner assigns to it.
    pub(crate) fn serve(self, asked: &Asked) -> ExitCode {
        let own = by_family(&asked.test.targets).into_iter().find(|it| it.0 == self);
        let targets = own.map(|it| it.1).unwrap_or_default();
        match self {
            Family::Beam => serve::<Project>(&targets, asked),
            Family::Prolog => serve::<Source>(&targets, asked),
        }
    }

    /// The index of the family in [`Family::ALL`].
    pub(crate) fn number(self) -> usize {
        Family::ALL.iter().position(|it| *it == self).unwrap_or(0)
    }

    /// Replays recorded inputs.
    pub(crate) fn replay(
        self,
        asked: &Asked,
        recorded: Vec<Recorded>,
    ) -> Result<Vec<Replayed>, Vec<Diagnostic>> {
        match self {
            Family::Beam => replay_on::<Project>(asked, recorded),
            Family::Prolog => replay_on::<Source>(asked, recorded),
        }
    }
}

/// Groups targets by family, in the order of [`Family::ALL`], without families that have no target.
pub(crate) fn by_family(targets: &[String]) -> Vec<(Family, Vec<String>)> {
    let of = |family: Family| {
        let own = targets.iter().filter(|it| Family::of_target(it) == family);
        (family, own.cloned().collect::<Vec<_>>())
    };
    Family::ALL.into_iter().map(of).filter(|it| !it.1.is_empty()).collect()
}
