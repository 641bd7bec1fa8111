//! Modules of Core Erlang that we made: compiled by OTP once, and only loaded from then on.

use crate::cache::{Key, Kind};
use crate::otp::Otp;
use erlang::HostError;
use term::{Atom, Term, etf};

/// Where a module came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Made {
    Now,
    Before,
}

impl Otp {
    /// Has the agent compile and load a module, or loads what became of it the last time. The request
    /// is all that the result depends on, besides OTP and the agent.
    pub(crate) fn compile(&mut self, name: &Atom, request: &Term) -> Result<Made, HostError> {
        let bytes = etf::encode(request).map_err(|it| HostError::Lost(it.to_string()))?;
        let key = Key::of(&[&self.version()?, &bytes]);
        if let Some(beam) = self.cache().read(Kind::Rewritten, &key) {
            let name = Term::Atom(name.clone());
            let request = Term::Tuple(vec![Term::atom("use_binary"), name, Term::binary(beam)]);
            if self.ask(self.load_limit(), &request)?.as_atom() == Some("done") {
                return Ok(Made::Before);
            }
        }
        let answer = self.ask(self.load_limit(), request)?;
        match answer.as_tuple() {
            Some([tag, beam]) if tag.as_atom() == Some("compiled") => {
                self.cache().write(Kind::Rewritten, &key, beam.as_bytes().unwrap_or_default());
                Ok(Made::Now)
            }
            Some([_, why]) => {
                let why = String::from_utf8_lossy(why.as_bytes().unwrap_or_default()).into_owned();
                Err(HostError::Compile(vec![format!("{}, rewritten: {why}", name.as_str())]))
            }
            Some(_) | None => Err(HostError::Lost("it compiled nothing".to_owned())),
        }
    }
}
