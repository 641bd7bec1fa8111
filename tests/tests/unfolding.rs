//! The unfolded tree of a function contains every path that the search finds, within the same depth.

use conformance::machine_with;
use engine::{Alone, Branch, Fork, Report, Settings, Unfolded, explore, unfold};
use erlang::machine::Unit;
use solve::{Chain, Effort};
use std::path::Path;
use term::{Atom, Domain, Term};
use trace::{Choice, Executor, Input};

/// The maximum depth of the tree, in choices.
const DEPTH: usize = 6;

#[test]
fn every_path_of_the_search_is_in_the_tree() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("concolic/hunts.erl");
    let module = Atom::new("hunts");
    let mut machine = machine_with(module.clone(), &source);
    let mut n_paths = 0;
    let mut lost = Vec::new();
    for (function, arity) in machine.exports(&module).expect("it loads") {
        // Some inputs of this function do not terminate.
        let is_endless = matches!((function.as_str(), arity), ("countdown", 2));
        if function.as_str() == "module_info" || is_endless {
            continue;
        }
        let seed = Input { args: vec![Term::Int(0); arity as usize] };
        let mut unit = Unit::new(&mut machine, module.clone(), function.clone());
        let mut solver = Chain::new(Effort::default());
        let (domain, mut go_on) = (Domain::default(), |_: &Unfolded| false);
        let tree = unfold(&mut unit, &mut solver, &domain, &seed, DEPTH, &mut go_on);
        let tree = tree.expect("it runs");
        if !tree.losses.is_empty() {
            continue;
        }
        let settings = Settings { depth: DEPTH, max_runs: Some(MAX_RUNS), ..Settings::default() };
        let mut oracle = Alone { solver: &mut solver, domain: &domain };
        let report = explore(&mut unit, &mut oracle, &[seed], &settings, &mut |_: &Report| None);
        for test in &report.tests {
            // The run uses the expressions of the unit, so that its choices can be compared with the tree's.
            let run = unit.run(&test.input).expect("it runs");
            n_paths += 1;
            if !has(&tree, &run.choices) {
                lost.push(format!("{}/{arity}: {:?}", function.as_str(), test.input.args));
            }
        }
    }
    assert!(500 < n_paths, "{n_paths}");
    assert!(lost.is_empty(), "{} of {n_paths}:\n{}", lost.len(), lost.join("\n"));
}

/// The maximum number of runs of a search.
const MAX_RUNS: usize = 300;

/// Whether the path leads through the tree to an end, or to a branch that was not explored.
fn has(tree: &Unfolded, path: &[Choice]) -> bool {
    let mut at = tree.root;
    for choice in path.iter().take(DEPTH) {
        let Branch::Node(id) = at else { break };
        let Some(node) = tree.nodes.get(id.0) else { return false };
        let Fork::Choice(known) = &node.fork else { return false };
        if known.site != choice.site || known.looked != choice.looked {
            return false;
        }
        let Some(next) = node.branches.get(choice.taken) else { return false };
        at = *next;
    }
    matches!(at, Branch::End(_) | Branch::Unknown(_))
}
