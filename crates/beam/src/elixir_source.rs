//! Compiles Elixir files outside of mix projects: by Elixir in the sandbox. The modules are stored in the cache.

use crate::cache::{CacheKey, EntryKind, Stamp};
use crate::otp::Otp;
use crate::peer::path_term;
use crate::source::absolute;
use crate::target::{Target, TargetError, from_beams};
use erlang::HostError;
use std::fs;
use std::path::{Path, PathBuf};
use term::{Term, etf};

/// The reason why an Elixir file could not be compiled to a target.
#[derive(Debug)]
pub enum NoTarget {
    Target(TargetError),
    Host(HostError),
}

impl Otp {
    /// Compiles an Elixir file and returns its modules, or returns them from the cache if the file is unchanged.
    ///
    /// A file may have macros, so compiling it runs code of the user; this happens in the runtime's sandbox.
    pub fn compile_elixir(&mut self, path: &Path) -> Result<Target, NoTarget> {
        let path = absolute(path);
        let unreadable = |why: std::io::Error| {
            NoTarget::Target(TargetError::Unreadable(path.clone(), why.to_string()))
        };
        let text = fs::read(&path).map_err(unreadable)?;
        let version = self.version().map_err(NoTarget::Host)?;
        let key = CacheKey::of(&[&version, path.as_os_str().as_encoded_bytes(), &text]);
        let kept = self.cache().read(EntryKind::Elixir, &key).and_then(|it| etf::decode(&it).ok());
        let modules = match kept {
            Some(modules) => modules,
            None => {
                let modules = self.elixir_modules(&path).map_err(NoTarget::Host)?;
                if let Ok(bytes) = etf::encode(&modules) {
                    self.cache().write(EntryKind::Elixir, &key, &bytes);
                }
                modules
            }
        };
        let beams = self.unpack(&key, &path, &modules).map_err(NoTarget::Host)?;
        if beams.is_empty() {
            return Err(NoTarget::Target(TargetError::Empty(path)));
        }
        let dirs = beams.first().and_then(|it| it.parent()).map(Path::to_owned);
        from_beams(&beams, dirs.into_iter().collect()).map_err(NoTarget::Target)
    }

    /// Compiles a file by Elixir. Returns a list of pairs of a module's name and its code.
    fn elixir_modules(&mut self, path: &Path) -> Result<Term, HostError> {
        self.allow_reading(path.parent().map(Path::to_owned).into_iter().collect());
        let request = Term::Tuple(vec![Term::atom("compile_elixir"), path_term(path)]);
        let answer = self.ask(self.load_limit(), &request)?;
        match answer.as_tuple() {
            Some([tag, modules]) if tag.as_atom() == Some("modules") => Ok(modules.clone()),
            Some([_, messages]) => {
                let messages = messages.as_list().unwrap_or_default().iter();
                let text = |it: &Term| Some(String::from_utf8_lossy(it.as_bytes()?).into_owned());
                Err(HostError::Compile(messages.filter_map(text).collect()))
            }
            Some(_) | None => Err(HostError::Lost("it compiled nothing".to_owned())),
        }
    }

    /// Writes compiled modules as files unless they exist, and returns the paths. A file that is older than the
    /// source is written again, so that it does not look outdated.
    fn unpack(
        &self,
        key: &CacheKey,
        source: &Path,
        modules: &Term,
    ) -> Result<Vec<PathBuf>, HostError> {
        let pair = |it: &Term| {
            let [name, code] = it.as_tuple()? else { return None };
            Some((format!("{}.beam", name.as_atom()?), code.as_bytes()?.to_vec()))
        };
        let pairs: Vec<(String, Vec<u8>)> =
            modules.as_list().unwrap_or_default().iter().filter_map(pair).collect();
        let written = self.cache().unpack(EntryKind::Elixir, key, &pairs, Stamp::of(source));
        written.ok_or_else(|| {
            HostError::Compile(vec![format!(
                "{}: its modules need a place in the cache, and there is none",
                source.display()
            )])
        })
    }
}
