//! Calls that `gimlet record` noted, as seeds and as evidence of what functions are meant for.

use crate::args::Test;
use crate::asked::nearest_to;
use crate::diagnostic::Diagnostic;
use crate::erlang::contract::Contract;
use crate::erlang::finding::size_of;
use crate::erlang::level::cut;
use crate::erlang::unit::UnitName;
use crate::explain::Code;
use crate::record::{Call, End, Recording, find};
use specs::{Origin, Signature};
use term::{Style, print};
use trace::Input;

/// Recorded calls of one function that the search begins with.
const MAX_SEEDS: usize = 24;

/// The recording that holds for these targets, if there is one, and a line that says so.
pub(crate) fn recording(options: &Test, diagnostics: &mut Vec<Diagnostic>) -> Option<Recording> {
    if options.no_recorded {
        return None;
    }
    let file = match &options.recorded {
        Some(file) => file.clone(),
        None => find(&nearest_to(&options.targets)?)?,
    };
    match Recording::read(&file) {
        Ok(recording) => Some(recording),
        Err(diagnostic) => {
            diagnostics.push(diagnostic);
            None
        }
    }
}

/// That recorded calls of some of the units are used.
pub(crate) fn used(recording: &Recording, units: &[UnitName]) -> Option<Diagnostic> {
    let counts = units.iter().map(|it| calls(recording, it).len()).filter(|it| 0 < *it);
    let (n_functions, n_calls) = counts.fold((0, 0), |(n, sum), it| (n + 1, sum + it));
    let command = recording.command.join(" ");
    let title =
        format!("{n_calls} recorded calls of {n_functions} functions are used (`{command}`)");
    (0 < n_functions).then(|| Diagnostic::note(Code::Recorded, title))
}

fn calls<'r>(recording: &'r Recording, unit: &UnitName) -> &'r [Call] {
    recording.calls(&unit.module, &unit.function, unit.arity)
}

/// Makes the recorded calls of a unit the first inputs, and keeps those that returned as evidence; tells of
/// a spec that they contradict.
pub(crate) fn learn(
    recording: &Recording,
    unit: &UnitName,
    spec: Option<&Signature>,
    contract: &mut Contract,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let calls = calls(recording, unit);
    diagnostics.extend(contradiction(calls, unit, spec));
    let fits = |it: &&Call| contract.domain.has(&it.args);
    let input = |it: &Call| Input { args: it.args.clone() };
    let returned = calls.iter().filter(fits).filter(|it| matches!(it.end, End::Value(_)));
    contract.recorded = returned.map(input).collect();
    let mut seeds: Vec<Input> = calls.iter().filter(fits).map(input).collect();
    seeds.sort_by_cached_key(size_of);
    seeds.truncate(MAX_SEEDS);
    seeds.extend(
        contract.seeds.iter().filter(|it| !seeds.contains(it)).cloned().collect::<Vec<_>>(),
    );
    contract.seeds = seeds;
}

/// The first call that the spec of the unit excludes, or whose result it excludes.
fn contradiction(calls: &[Call], unit: &UnitName, spec: Option<&Signature>) -> Option<Diagnostic> {
    let signature = spec.filter(|it| it.origin == Origin::Spec)?;
    calls.iter().find_map(|call| {
        let End::Value(value) = &call.end else { return None };
        let shown = cut(&unit.script(&call.args).shown());
        let told = |title: String| {
            let spec = format!("the spec is {}", signature.text());
            Diagnostic::warning(Code::Contradiction, title)
                .with_details(vec![spec])
                .hint("one of them is wrong: widen the spec, or mend who calls it so")
        };
        if !signature.allows(&call.args) {
            let title = format!("the spec of {} excludes a recorded call: {shown}", unit.title());
            return Some(told(title));
        }
        let value = value.as_ref().filter(|it| signature.breach(&call.args, it).is_some())?;
        let value = cut(&print(value, Style::READABLE));
        let unit = unit.title();
        Some(told(format!(
            "the spec of {unit} excludes what a recorded call returned: {shown} is {value}"
        )))
    })
}
