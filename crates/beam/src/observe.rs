//! Runs instrumented programs on the real BEAM and returns their events and results.

use crate::otp::Otp;
use erlang::HostError;
use erlang::core::{Module, read};
use std::time::Duration;
use term::{Atom, Term};

/// How a call of an instrumented program ended on BEAM, and the events that it put out.
#[derive(Clone, Debug)]
pub struct Observed {
    /// The value, or the class and the reason of the exception.
    pub end: Result<Term, (Atom, Term)>,
    /// The text of each event, and the value that it ends with if the program computed one.
    pub events: Vec<(String, Option<Term>)>,
}

/// A runtime of its own, so that no instrumented module replaces one that OTP uses.
#[derive(Debug)]
pub struct Observer {
    otp: Otp,
}

impl Observer {
    pub fn new(otp: Otp) -> Observer {
        Observer { otp }
    }

    /// Compiles and loads the `c_module` record of an instrumented program.
    pub fn define(&mut self, name: &Atom, core: Term) -> Result<(), HostError> {
        let request = Term::Tuple(vec![Term::atom("define"), Term::Atom(name.clone()), core]);
        self.otp.compile(name, &request).map(drop)
    }

    /// Calls a function of an instrumented program.
    pub fn call(
        &mut self,
        module: &Atom,
        function: &Atom,
        args: &[Term],
        limit: Duration,
    ) -> Result<Observed, HostError> {
        let request = Term::Tuple(vec![
            Term::atom("observe"),
            Term::Atom(module.clone()),
            Term::Atom(function.clone()),
            Term::proper_list(args.to_vec()),
        ]);
        let answer = self.otp.ask(limit, &request)?;
        observed(&answer).ok_or_else(|| HostError::Lost("it observed nothing".to_owned()))
    }

    /// Parses a text of Core Erlang.
    pub fn parse(&mut self, text: &str) -> Result<Module, HostError> {
        let mut ask = |module: &str, function: &str, arg: Term| {
            let request = Term::Tuple(vec![
                Term::atom("apply"),
                Term::atom(module),
                Term::atom(function),
                Term::proper_list(vec![arg]),
            ]);
            self.otp.ask(self.otp.load_limit(), &request)
        };
        let wrong = |what: &Term| {
            let what = term::print(what, term::Style::TP);
            HostError::Compile(vec![format!("this is not Core Erlang: {what}")])
        };
        let scanned = ask("core_scan", "string", Term::string(text))?;
        let Some([_, scanned]) = scanned.as_tuple() else { return Err(wrong(&scanned)) };
        let Some([ok, tokens, _]) = scanned.as_tuple() else { return Err(wrong(scanned)) };
        if ok.as_atom() != Some("ok") {
            return Err(wrong(scanned));
        }
        let parsed = ask("core_parse", "parse", tokens.clone())?;
        let Some([_, parsed]) = parsed.as_tuple() else { return Err(wrong(&parsed)) };
        match parsed.as_tuple() {
            Some([ok, core]) if ok.as_atom() == Some("ok") => {
                read(core, "").map_err(|it| HostError::Compile(vec![it.to_string()]))
            }
            _ => Err(wrong(parsed)),
        }
    }
}

fn observed(answer: &Term) -> Option<Observed> {
    let [_, end, events] = answer.as_tuple()? else { return None };
    let end = match end.as_tuple()? {
        [_, value] => Ok(value.clone()),
        [_, Term::Atom(class), reason] => Err((class.clone(), reason.clone())),
        _ => return None,
    };
    let event = |it: &Term| {
        let (text, value) = match it.as_tuple() {
            Some([text, value]) => (text, Some(value.clone())),
            _ => (it, None),
        };
        let text = String::from_utf8_lossy(text.as_bytes()?).into_owned();
        Some((text, value))
    };
    let events = events.as_list()?.iter().map(event).collect::<Option<_>>()?;
    Some(Observed { end, events })
}
