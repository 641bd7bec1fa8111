//! Decodes stack traces.

use term::{Atom, Term};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) module: Atom,
    pub(crate) function: Atom,
    pub(crate) arity: usize,
    /// The arguments of the call; at most the first frame has them.
    pub(crate) args: Option<Vec<Term>>,
    pub(crate) file: Option<String>,
    pub(crate) line: Option<i64>,
}

/// The frames of a trace up to the first malformed one.
pub(crate) fn frames(trace: &Term) -> Vec<Frame> {
    trace.as_list().unwrap_or_default().iter().map_while(frame).collect()
}

fn frame(term: &Term) -> Option<Frame> {
    let [Term::Atom(module), Term::Atom(function), args, location] = term.as_tuple()? else {
        return None;
    };
    let known = args.as_list().map(<[Term]>::to_vec);
    let arity = match &known {
        Some(args) => args.len(),
        None => usize::try_from(args.as_int()?).ok()?,
    };
    let property = |name: &str| {
        let pairs = location.as_list().unwrap_or_default().iter().filter_map(Term::as_tuple);
        pairs.filter(|it| it.first().and_then(Term::as_atom) == Some(name)).find_map(|it| it.get(1))
    };
    let text = |codes: &[Term]| {
        let codes = codes.iter().filter_map(Term::as_int).filter_map(|it| u32::try_from(it).ok());
        codes.filter_map(char::from_u32).collect::<String>()
    };
    Some(Frame {
        module: module.clone(),
        function: function.clone(),
        arity,
        args: known,
        file: property("file").and_then(Term::as_list).map(text),
        line: property("line").and_then(Term::as_int),
    })
}
