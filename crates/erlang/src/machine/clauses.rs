//! Clauses of loaded code and their positions in the source, by which coverage is counted.

use crate::machine::Machine;
use term::Atom;
use term::fit_u32;
use trace::{ClauseId, SiteId};

/// A clause of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceClause {
    pub id: ClauseId,
    /// The function that contains the clause in the source; its code may have been lifted to another function.
    pub function: Atom,
    pub arity: u32,
    pub file: String,
    pub line: u32,
    pub column: u32,
}

impl Machine {
    /// How many processes were given names so far, in all runs.
    pub fn n_named(&self) -> usize {
        self.world.names.len()
    }

    /// The function of the source that contains the site: module, name and arity.
    pub fn function_of(&self, site: SiteId) -> Option<(Atom, Atom, u32)> {
        let function = self.program.function_at(crate::lift::address(site))?;
        let name = |it| Atom::new(self.world.atoms.name(it));
        let own = self.world.atoms.name(function.name);
        let (owner, arity) = owner(own).unwrap_or((own, function.arity));
        Some((name(function.module), Atom::new(owner), arity))
    }

    /// The file and line of a site; `None` if the compiler gives none.
    pub fn source_place(&self, site: SiteId) -> Option<(String, u32)> {
        let address = crate::lift::address(site);
        let function = self.program.function_at(address)?;
        let place = self.program.place_at(address);
        let file =
            self.program.modules.get(&function.module)?.files.get(usize::from(place.file))?;
        (place.line != 0).then(|| (file.to_string(), place.line))
    }

    /// All clauses of a loaded module, sorted by position.
    pub fn clauses(&self, module: &Atom) -> Vec<SourceClause> {
        let Some(id) = self.world.atoms.find(module.as_str()) else { return vec![] };
        let Some(info) = self.program.modules.get(&id) else { return vec![] };
        let mut res: Vec<SourceClause> = Vec::new();
        for (n, clause) in self.program.clauses.iter().enumerate() {
            // The functions of a module have consecutive numbers.
            let is_after = info.functions.first().is_some_and(|it| it.0 <= clause.function.0);
            let is_before = info.functions.last().is_some_and(|it| clause.function.0 <= it.0);
            // Generated clauses such as those of `module_info` have no position.
            if !(is_after && is_before) || clause.place.line == 0 {
                continue;
            }
            let Some(function) = self.program.function(clause.function) else { continue };
            let name = self.world.atoms.name(function.name);
            let (name, arity) = owner(name).unwrap_or((name, function.arity));
            // Elixir gives generated functions such as `__struct__` the position of their definition.
            if module.as_str().starts_with("Elixir.")
                && name.starts_with("__")
                && name.ends_with("__")
            {
                continue;
            }
            let file = info.files.get(usize::from(clause.place.file));
            res.push(SourceClause {
                id: ClauseId(fit_u32(n)),
                function: Atom::new(name),
                arity,
                file: file.map(ToString::to_string).unwrap_or_default(),
                line: clause.place.line,
                column: clause.place.column,
            });
        }
        res.sort_by_key(|it| (it.line, it.column, it.id));
        res
    }
}

/// The function after which a lifted function is named: `-foo/1-fun-0-` comes from `foo/1`.
fn owner(name: &str) -> Option<(&str, u32)> {
    let rest = name.strip_prefix('-')?;
    let slash = rest.match_indices('/').map(|it| it.0).find(|at| arity_after(rest, *at).is_some());
    let slash = slash?;
    Some((rest.get(..slash)?, arity_after(rest, slash)?))
}

/// The arity in `/1-` at a position.
fn arity_after(text: &str, slash: usize) -> Option<u32> {
    let digits = text.get(slash + 1..)?.split_once('-')?.0;
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::owner;

    #[test]
    fn lifted_code_belongs_to_the_function_it_was_written_in() {
        assert_eq!(owner("-foo/1-fun-0-"), Some(("foo", 1)));
        assert_eq!(owner("-a/b/12-lc$^0/1-0-"), Some(("a/b", 12)));
        assert_eq!(owner("foo"), None);
        assert_eq!(owner("-x"), None);
    }
}
