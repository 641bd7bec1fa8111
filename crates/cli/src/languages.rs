//! The languages that there are. A new one has a row here, and a crate and a folder of its own.

use crate::asked::Asked;
use crate::diagnostic::Diagnostic;
use crate::erlang::Project;
use crate::flow::{Flow, Recorded, Replayed, replay_on, serve};
use crate::prolog::{Source, is_prolog};
use std::process::ExitCode;

/// A family of languages that share a runtime, and so a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    /// Erlang and Elixir.
    Beam,
    Prolog,
}

impl Family {
    pub(crate) const ALL: [Family; 2] = [Family::Beam, Family::Prolog];

    /// The family that a target belongs to, by its name.
    pub(crate) fn of_target(target: &str) -> Family {
        if is_prolog(target) { Family::Prolog } else { Family::Beam }
    }

    /// The family that a unit of a report belongs to, by its tag.
    pub(crate) fn of_tag(language: &str) -> Option<Family> {
        match language {
            "erlang" | "elixir" => Some(Family::Beam),
            "prolog" => Some(Family::Prolog),
            _ => None,
        }
    }

    /// Explores all that the targets hold.
    pub(crate) fn explore(self, targets: &[String], flow: &mut Flow<'_>) {
        match self {
            Family::Beam => flow.explore::<Project>(self, targets),
            Family::Prolog => flow.explore::<Source>(self, targets),
        }
    }

    /// Explores units of these targets for another process.
    pub(crate) fn serve(self, asked: &Asked) -> ExitCode {
        let own = by_family(&asked.test.targets).into_iter().find(|it| it.0 == self);
        let targets = own.map(|it| it.1).unwrap_or_default();
        match self {
            Family::Beam => serve::<Project>(&targets, asked),
            Family::Prolog => serve::<Source>(&targets, asked),
        }
    }

    /// Its place among all.
    pub(crate) fn number(self) -> usize {
        Family::ALL.iter().position(|it| *it == self).unwrap_or(0)
    }

    /// Runs recorded inputs again.
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

/// The targets of each family that has some, in the order of the families.
pub(crate) fn by_family(targets: &[String]) -> Vec<(Family, Vec<String>)> {
    let of = |family: Family| {
        let own = targets.iter().filter(|it| Family::of_target(it) == family);
        (family, own.cloned().collect::<Vec<_>>())
    };
    Family::ALL.into_iter().map(of).filter(|it| !it.1.is_empty()).collect()
}
