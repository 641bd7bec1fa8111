//! The host of the Erlang machine: finds modules, has OTP turn them into Core Erlang, and passes requests on to OTP.
//!
//! Finding a file and recognising that it was loaded before need no OTP, so a second run on the same target starts
//! none.

use crate::cache::{Cache, CacheKey, EntryKind, Stamp};
use crate::confinement::{Confinement, around_code, around_source, library_paths};
use crate::disk::Disk;
use crate::installation::{Installation, elixir_paths, find_erl, identity};
use crate::peer::{AGENT, Launch, Peer, Spent, path_term};
use crate::programs::RunningPrograms;
use crate::sockets::Network;
use crate::source::{Loaded, Source, SourceOptions, read_answer};
use crate::target::Target;
use erlang::{Files, Host, HostAnswer, HostError, ModuleCode, Programs, Running, Sockets, System};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use term::{Atom, Term, etf, read_term};

/// The settings of an [`Otp`].
#[derive(Clone, Debug)]
pub struct Settings {
    /// The name or path of the runtime's executable.
    pub erl: PathBuf,
    /// The name or path of Elixir's executable; only its location is used.
    pub elixir: PathBuf,
    /// The directory of the cache; `None`: nothing is cached.
    pub cache_dir: Option<PathBuf>,
    /// Directories with `.beam` files, searched before OTP's own (`-pa`).
    pub code_paths: Vec<PathBuf>,
    /// Directories searched for included files (`-I`).
    pub includes: Vec<PathBuf>,
    /// Macros for the compiler (`-D`).
    pub defines: Vec<Define>,
    pub start_limit: Duration,
    pub load_limit: Duration,
    pub apply_limit: Duration,
    /// The sandbox; `None`: the runtime may do what the user may.
    pub confinement: Option<Confinement>,
}

/// `-D NAME` or `-D NAME=VALUE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Define {
    pub name: String,
    /// An Erlang term; other texts count as strings.
    pub value: Option<String>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            erl: PathBuf::from("erl"),
            elixir: PathBuf::from("elixir"),
            cache_dir: None,
            code_paths: Vec::new(),
            includes: Vec::new(),
            defines: Vec::new(),
            start_limit: Duration::from_secs(120),
            load_limit: Duration::from_secs(120),
            apply_limit: Duration::from_secs(10),
            confinement: None,
        }
    }
}

#[derive(Debug)]
pub struct Otp {
    settings: Settings,
    cache: Cache,
    identity: CacheKey,
    elixir: Vec<PathBuf>,
    /// Modules with a given file; no directory is searched for these.
    sources: BTreeMap<Atom, Source>,
    installation: Option<Installation>,
    /// The code path that the program under test has set.
    chosen_path: Option<Vec<PathBuf>>,
    /// Applications that are started before any request, besides kernel and stdlib.
    running: Running,
    peer: Peer,
}

impl Otp {
    /// Finds the executable; starts nothing.
    pub fn new(settings: Settings) -> Result<Otp, HostError> {
        let erl = find_erl(&settings.erl)?;
        let cache = Cache::new(settings.cache_dir.clone());
        let identity = identity(&erl);
        let elixir = elixir_paths(&settings.elixir);
        let paths = settings.code_paths.iter().chain(&elixir);
        let mut reads: Vec<PathBuf> = paths.flat_map(|it| around_code(it)).collect();
        reads.extend(library_paths());
        reads.extend_from_slice(&settings.includes);
        let peer = Peer::new(Launch {
            erl,
            identity: identity.clone(),
            code_paths: settings.code_paths.clone(),
            last_paths: elixir.clone(),
            start_limit: settings.start_limit,
            cache: cache.clone(),
            confinement: settings.confinement.clone(),
            reads,
            nodes: 0,
            running: Running::default(),
        });
        let sources = BTreeMap::new();
        Ok(Otp {
            settings,
            cache,
            identity,
            elixir,
            sources,
            installation: None,
            chosen_path: None,
            running: Running::default(),
            peer,
        })
    }

    /// Registers the modules of a target, and the directories of the modules they call.
    pub fn add_target(&mut self, target: &Target) -> Result<(), HostError> {
        for module in &target.modules {
            if let Some(source) = &module.source {
                self.add_source(module.name.clone(), source.clone());
            }
        }
        self.add_code_paths(&target.code_paths)
    }

    /// Registers the file of a module.
    pub fn add_source(&mut self, name: Atom, source: Source) {
        self.allow_source(&source);
        self.sources.insert(name, source);
    }

    /// Allows the runtime to read what is needed to load or compile this file.
    pub(crate) fn allow_source(&mut self, source: &Source) {
        let reads = around_source(source, &self.options(source));
        self.peer.allow_reading(reads);
    }

    /// Allows the runtime to read these files and directories.
    pub(crate) fn allow_reading(&mut self, paths: Vec<PathBuf>) {
        self.peer.allow_reading(paths);
    }

    /// Allows the runtime to start nodes.
    pub(crate) fn allow_nodes(&mut self, count: usize) {
        self.peer.allow_nodes(count);
    }

    /// Returns the ports on which these nodes must listen.
    pub(crate) fn ports(&mut self) -> Result<Vec<u16>, HostError> {
        self.peer.ports()
    }

    /// Adds directories to search before OTP's own.
    pub fn add_code_paths(&mut self, paths: &[PathBuf]) -> Result<(), HostError> {
        self.settings.code_paths.extend_from_slice(paths);
        self.peer.add_code_paths(paths)
    }

    /// Starts these applications before any request, in the machine and in the runtime.
    pub(crate) fn run_applications(&mut self, running: Running) {
        self.peer.run_applications(running.clone());
        self.running = running;
    }

    /// Whether the described application is started before any request.
    pub fn runs(&self, described: &Term) -> bool {
        let name = described.as_tuple().and_then(|it| it.get(1)).and_then(Term::as_atom);
        self.running.started.iter().any(|it| Some(it.as_str()) == name)
    }

    /// Returns how many runtimes were started so far.
    pub fn starts(&self) -> u32 {
        self.peer.starts
    }

    /// Sends a request to the agent and returns the answer.
    pub(crate) fn ask(&mut self, limit: Duration, request: &Term) -> Result<Term, HostError> {
        self.peer.ask(limit, request)
    }

    pub(crate) fn cache(&self) -> &Cache {
        &self.cache
    }

    pub(crate) fn load_limit(&self) -> Duration {
        self.settings.load_limit
    }

    /// Returns the work that the last request had done when it timed out.
    pub(crate) fn spent(&self) -> Spent {
        self.peer.spent
    }

    /// Returns the process id of the runtime, if it is running.
    pub fn process_id(&self) -> Option<u32> {
        self.peer.process_id()
    }

    pub fn installation(&mut self) -> Result<&Installation, HostError> {
        if self.installation.is_none() {
            let kept = self.cache.read(EntryKind::Installation, &self.identity);
            let found = match kept.as_deref().and_then(Installation::still_there) {
                Some(found) => found,
                None => self.ask_installation()?,
            };
            self.installation = Some(found);
        }
        self.installation.as_ref().ok_or_else(|| HostError::Lost("it said nothing".to_owned()))
    }

    fn ask_installation(&mut self) -> Result<Installation, HostError> {
        let info = self.peer.info()?;
        let mut found = Installation::from_term(&info)
            .ok_or_else(|| HostError::Lost("it described itself in an unknown way".to_owned()))?;
        // The runtime was started with the user's code paths, which are not part of the installation.
        let ours: Vec<&PathBuf> = self.settings.code_paths.iter().chain(&self.elixir).collect();
        found.code_paths.retain(|it| !ours.contains(&it));
        if let Ok(bytes) = etf::encode(&found.stamped()) {
            self.cache.write(EntryKind::Installation, &self.identity, &bytes);
        }
        Ok(found)
    }

    /// Finds the file of a module.
    pub fn find(&mut self, module: &Atom) -> Result<Source, HostError> {
        if let Some(source) = self.sources.get(module) {
            return Ok(source.clone());
        }
        let name = module.as_str();
        let not_found = || HostError::NotFound(name.to_owned());
        if name.is_empty() || name.contains(['/', '\0']) {
            return Err(not_found());
        }
        self.search(&format!("{name}.beam"))?.map(Source::Beam).ok_or_else(not_found)
    }

    /// Returns the first file with this name on the code path.
    fn search(&mut self, file: &str) -> Result<Option<PathBuf>, HostError> {
        let search = |dirs: &[PathBuf]| dirs.iter().map(|it| it.join(file)).find(|it| it.is_file());
        if let Some(chosen) = &self.chosen_path {
            let found = search(chosen);
            // Modules preloaded into the runtime are on no code path.
            let own = self.installation()?.code_paths.last().cloned();
            return Ok(found.or_else(|| search(own.as_slice())));
        }
        if let Some(path) = search(&self.settings.code_paths) {
            return Ok(Some(path));
        }
        Ok(search(&self.installation()?.code_paths).or_else(|| search(&self.elixir)))
    }

    /// Loads the code of a module from a given file.
    pub fn load_source(&mut self, source: &Source) -> Result<ModuleCode, HostError> {
        let options = self.options(source);
        let version = self.version()?;
        let index_key = CacheKey::of(&[&version, source.fingerprint(&options).as_bytes()]);
        let index = self.cache.read(EntryKind::Index, &index_key).and_then(|it| Index::decode(&it));
        if let Some(index) = &index
            && index.files.iter().all(|(path, stamp)| Stamp::of(path) == *stamp)
            && let Some(code) = self.kept(&index.content)
        {
            return Ok(code);
        }
        // The times differ but the content may be the same: a fresh checkout, or a build without changes.
        let files = index.map(|it| it.paths()).or_else(|| source.own_files());
        if let Some(files) = files {
            let content = content_key(&version, source, &options, &files);
            if let Some(code) = self.kept(&content) {
                self.keep_index(&index_key, Index::new(content, &files));
                return Ok(code);
            }
        }
        self.load_fresh(source, &options, &version, &index_key)
    }

    fn load_fresh(
        &mut self,
        source: &Source,
        options: &SourceOptions,
        version: &[u8],
        index_key: &CacheKey,
    ) -> Result<ModuleCode, HostError> {
        let begin = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let request = source.request(options);
        self.allow_source(source);
        let answer = self.peer.ask(self.settings.load_limit, &request)?;
        let Loaded { bytes, files } = read_answer(source, &answer)?;
        let code = crate::source::module_code(&bytes)
            .ok_or_else(|| HostError::Lost("it sent a module that is none".to_owned()))?;
        let files = if files.is_empty() { source.own_files().unwrap_or_default() } else { files };
        let content = content_key(version, source, options, &files);
        let index = Index::new(content, &files);
        let begin = i64::try_from(begin.as_nanos()).unwrap_or(i64::MAX);
        // A file written during the compilation may differ from what was compiled.
        if index.files.iter().all(|(_, stamp)| stamp.modified < begin) {
            self.cache.write(EntryKind::Code, &index.content, &bytes);
            self.keep_index(index_key, index);
        }
        Ok(code)
    }

    /// Loads a module of the tool from its text, without macros and included files.
    pub fn load_text(&mut self, text: &str) -> Result<ModuleCode, HostError> {
        let content = CacheKey::of(&[&self.version()?, text.as_bytes()]);
        if let Some(code) = self.kept(&content) {
            return Ok(code);
        }
        let text = Term::binary(text.as_bytes().to_vec());
        let request = Term::Tuple(vec![Term::atom("load_text"), text]);
        let answer = self.peer.ask(self.settings.load_limit, &request)?;
        let Loaded { bytes, .. } = read_answer(&Source::Erl(PathBuf::from("gimlet")), &answer)?;
        let code = crate::source::module_code(&bytes)
            .ok_or_else(|| HostError::Lost("it sent a module that is none".to_owned()))?;
        self.cache.write(EntryKind::Code, &content, &bytes);
        Ok(code)
    }

    pub(crate) fn options(&self, source: &Source) -> SourceOptions {
        let Settings { includes, defines, code_paths, .. } = &self.settings;
        SourceOptions::of(source, includes, defines, code_paths)
    }

    /// Returns everything besides the file that determines how a module is loaded: the compiler, its search path, and
    /// Elixir, whose code reads debug info.
    pub(crate) fn version(&mut self) -> Result<Vec<u8>, HostError> {
        let mut elixir: Vec<u8> = Vec::new();
        for dir in &self.elixir {
            elixir.extend(dir.as_os_str().as_encoded_bytes());
            elixir.extend(Stamp::of(dir).modified.to_le_bytes());
        }
        let otp = self.installation()?;
        let paths = otp.code_paths.iter().map(|it| it.as_os_str().as_encoded_bytes());
        let paths = paths.collect::<Vec<_>>().join(&0);
        let key = CacheKey::of(&[
            AGENT.as_bytes(),
            otp.otp_version.as_bytes(),
            otp.erts_version.as_bytes(),
            otp.root.as_os_str().as_encoded_bytes(),
            &paths,
            &elixir,
        ]);
        Ok(key.as_str().as_bytes().to_vec())
    }

    fn kept(&self, content: &CacheKey) -> Option<ModuleCode> {
        crate::source::module_code(&self.cache.read(EntryKind::Code, content)?)
    }

    fn keep_index(&self, key: &CacheKey, index: Index) {
        if let Ok(bytes) = etf::encode(&index.into_term()) {
            self.cache.write(EntryKind::Index, key, &bytes);
        }
    }
}

impl Host for Otp {
    fn interrupted_by(&mut self, flag: &Arc<AtomicBool>) {
        self.peer.interrupt = Arc::clone(flag);
    }

    fn load(&mut self, module: &Atom) -> Result<ModuleCode, HostError> {
        let source = self.find(module)?;
        let code = match self.load_source(&source) {
            // The modules under test need debug info; other modules can be made from their assembly.
            Err(HostError::NoDebugInfo(_)) if !self.sources.contains_key(module) => {
                let bytes =
                    std::fs::read(source.path()).map_err(|it| HostError::Lost(it.to_string()))?;
                self.load_binary(module, &bytes)?
            }
            loaded => loaded?,
        };
        if code.name == *module {
            return Ok(code);
        }
        let (path, found, asked) = (source.path().display(), code.name.as_str(), module.as_str());
        Err(HostError::Compile(vec![format!("{path}: holds the module {found}, not {asked}")]))
    }

    fn apply(
        &mut self,
        module: &Atom,
        function: &Atom,
        args: &[Term],
    ) -> Result<HostAnswer, HostError> {
        let call = format!("{}:{}/{}", module.as_str(), function.as_str(), args.len());
        let request = Term::Tuple(vec![
            Term::atom("apply"),
            Term::Atom(module.clone()),
            Term::Atom(function.clone()),
            Term::proper_list(args.to_vec()),
        ]);
        let answer = match self.peer.ask(self.settings.apply_limit, &request) {
            Err(HostError::Timeout(why)) => Err(HostError::Timeout(format!("{call}: {why}"))),
            answer => answer,
        }?;
        read_applied(answer).ok_or_else(|| HostError::Lost(format!("no answer to {call}")))
    }

    fn load_binary(&mut self, module: &Atom, bytes: &[u8]) -> Result<ModuleCode, HostError> {
        let request = Term::Tuple(vec![Term::atom("load_binary"), Term::binary(bytes.to_vec())]);
        let answer = self.peer.ask(self.settings.load_limit, &request)?;
        let path = PathBuf::from(format!("{}.beam", module.as_str()));
        let Loaded { bytes, .. } = read_answer(&Source::Beam(path), &answer)?;
        let code = crate::source::module_code(&bytes)
            .ok_or_else(|| HostError::Lost("it sent a module that is none".to_owned()))?;
        if code.name == *module {
            return Ok(code);
        }
        Err(HostError::NotFound(module.as_str().to_owned()))
    }

    fn set_code_path(&mut self, path: Option<Vec<String>>) {
        self.chosen_path = path.map(|it| it.into_iter().map(PathBuf::from).collect());
    }

    fn find_file(&mut self, name: &str) -> Option<String> {
        Some(self.search(name).ok()??.to_str()?.to_owned())
    }

    fn object_file(&mut self, module: &Atom) -> Option<String> {
        match self.find(module).ok()? {
            Source::Beam(path) => Some(path.to_str()?.to_owned()),
            Source::Erl(_) => None,
        }
    }

    fn object_code(&mut self, module: &Atom) -> Option<(String, Vec<u8>)> {
        let path = self.search(&format!("{}.beam", module.as_str())).ok()??;
        let bytes = std::fs::read(&path).ok()?;
        Some((path.to_str()?.to_owned(), bytes))
    }

    fn files(&mut self) -> Box<dyn Files> {
        Box::new(Disk::default())
    }

    fn programs(&mut self) -> Box<dyn Programs> {
        Box::new(RunningPrograms::default())
    }

    fn sockets(&mut self) -> Box<dyn Sockets> {
        Box::new(Network::default())
    }

    fn system(&mut self) -> Result<System, HostError> {
        let own = self.settings.code_paths.clone();
        let elixir = self.elixir.clone();
        let running = self.running.clone();
        let otp = self.installation()?;
        // The last directory belongs to the runtime itself and is on no code path.
        let of_otp = otp.code_paths.split_last().map(|it| it.1.to_vec()).unwrap_or_default();
        let code_path = own.into_iter().chain(of_otp).chain(elixir);
        let text = |it: PathBuf| it.to_str().map(str::to_owned);
        let application = |file: &str| {
            let find = |dir: &PathBuf| std::fs::read_to_string(dir.join(file)).ok();
            let text = otp.code_paths.iter().find_map(find)?;
            let text = text.trim_end();
            read_term(text.strip_suffix('.').unwrap_or(text)).ok()
        };
        Ok(System {
            release: otp.release.clone(),
            erts_version: otp.erts_version.clone(),
            root: otp.root.to_str().unwrap_or_default().to_owned(),
            code_path: code_path.filter_map(text).collect(),
            applications: ["kernel.app", "stdlib.app"]
                .into_iter()
                .filter_map(application)
                .collect(),
            running,
        })
    }
}

fn read_applied(answer: Term) -> Option<HostAnswer> {
    let Term::Tuple(parts) = answer else { return None };
    let mut parts = parts.into_iter();
    match parts.next()?.as_atom()? {
        "value" => Some(HostAnswer::Value(parts.next()?)),
        "raised" => {
            let Some(Term::Atom(class)) = parts.next() else { return None };
            Some(HostAnswer::Raised { class, reason: parts.next()?, trace: parts.next()? })
        }
        // The process received an exit signal from another process.
        "exited" => {
            let reason = parts.next()?;
            Some(HostAnswer::Raised { class: Atom::new("exit"), reason, trace: Term::Nil })
        }
        _ => None,
    }
}

/// The key of a content, and the files it was made from with their times.
struct Index {
    content: CacheKey,
    files: Vec<(PathBuf, Stamp)>,
}

impl Index {
    fn new(content: CacheKey, files: &[PathBuf]) -> Index {
        Index { content, files: files.iter().map(|it| (it.clone(), Stamp::of(it))).collect() }
    }

    fn paths(&self) -> Vec<PathBuf> {
        self.files.iter().map(|it| it.0.clone()).collect()
    }

    fn into_term(self) -> Term {
        let file = |(path, stamp): (PathBuf, Stamp)| {
            Term::Tuple(vec![path_term(&path), Term::Int(stamp.modified), Term::Int(stamp.size)])
        };
        let files = self.files.into_iter().map(file).collect();
        let content = Term::binary(self.content.as_str().as_bytes().to_vec());
        Term::Tuple(vec![content, Term::proper_list(files)])
    }

    fn decode(bytes: &[u8]) -> Option<Index> {
        let term = etf::decode(bytes).ok()?;
        let [content, files] = term.as_tuple()? else { return None };
        let file = |it: &Term| {
            let [path, modified, size] = it.as_tuple()? else { return None };
            let path = PathBuf::from(std::str::from_utf8(path.as_bytes()?).ok()?);
            Some((path, Stamp { modified: modified.as_int()?, size: size.as_int()? }))
        };
        let files: Vec<_> = files.as_list()?.iter().map(file).collect::<Option<_>>()?;
        let content = CacheKey::from_text(std::str::from_utf8(content.as_bytes()?).ok()?);
        (!files.is_empty()).then_some(Index { content, files })
    }
}

/// Returns the key of the content of files. The path of a `.beam` does not matter; that of a source file shows up in
/// stack traces.
fn content_key(
    version: &[u8],
    source: &Source,
    options: &SourceOptions,
    files: &[PathBuf],
) -> CacheKey {
    let options = match source {
        Source::Beam(_) => String::new(),
        Source::Erl(_) => source.fingerprint(options),
    };
    let contents: Vec<Vec<u8>> = files.iter().map(|it| read(it)).collect();
    let mut parts: Vec<&[u8]> = vec![version, options.as_bytes()];
    parts.extend(contents.iter().map(Vec::as_slice));
    CacheKey::of(&parts)
}

/// Reads a file for hashing; a missing file has a content of its own, as it may be created later.
fn read(path: &Path) -> Vec<u8> {
    std::fs::read(path).map_or_else(|_| vec![0], |it| [&[1], it.as_slice()].concat())
}
