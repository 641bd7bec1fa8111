//! The host of the Erlang machine: finds modules, turns them into Core Erlang, asks OTP.
//!
//! Finding a file and recognising that it was loaded before need no OTP, so a second run of the
//! same target starts none.

use crate::cache::{Cache, Key, Kind, Stamp};
use crate::confinement::{Confinement, around_code, around_source, library_paths};
use crate::disk::Disk;
use crate::installation::{Installation, elixir_paths, find_erl, identity};
use crate::peer::{AGENT, Launch, Peer, Spent, path_term};
use crate::programs::Running as RunningPrograms;
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

/// Everything [`Otp`] depends on.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The name or path of the runtime's executable.
    pub erl: PathBuf,
    /// The name or path of Elixir's executable; only where it lies matters.
    pub elixir: PathBuf,
    /// Where loaded code is kept between runs.
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
    /// What the runtime is kept from; `None`: it may do what the user may.
    pub confinement: Option<Confinement>,
}

/// `-D NAME` or `-D NAME=VALUE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Define {
    pub name: String,
    /// An Erlang term; what is none counts as a string.
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
    identity: Key,
    elixir: Vec<PathBuf>,
    /// Modules whose file is given, before any directory is searched.
    sources: BTreeMap<Atom, Source>,
    installation: Option<Installation>,
    /// Where the program wants modules to be looked for.
    chosen_path: Option<Vec<PathBuf>>,
    /// What runs before anything is asked, besides kernel and stdlib.
    running: Running,
    peer: Peer,
}

impl Otp {
    /// Finds the executable, starts nothing.
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

    /// Makes the modules of a target known, and where the modules lie that they call.
    pub fn add_target(&mut self, target: &Target) -> Result<(), HostError> {
        for module in &target.modules {
            if let Some(source) = &module.source {
                self.add_source(module.name.clone(), source.clone());
            }
        }
        self.add_code_paths(&target.code_paths)
    }

    /// From now on this file is that module.
    pub fn add_source(&mut self, name: Atom, source: Source) {
        self.allow_source(&source);
        self.sources.insert(name, source);
    }

    /// Lets the runtime read what it takes to load or compile this file.
    pub(crate) fn allow_source(&mut self, source: &Source) {
        let reads = around_source(source, &self.options(source));
        self.peer.allow_reading(reads);
    }

    /// Lets the runtime read these files and directories.
    pub(crate) fn allow_reading(&mut self, paths: Vec<PathBuf>) {
        self.peer.allow_reading(paths);
    }

    /// Lets the runtime start nodes beside itself.
    pub(crate) fn allow_nodes(&mut self, count: usize) {
        self.peer.allow_nodes(count);
    }

    /// Where these nodes are to listen.
    pub(crate) fn ports(&mut self) -> Result<Vec<u16>, HostError> {
        self.peer.ports()
    }

    /// Searches these directories too, before OTP's own.
    pub fn add_code_paths(&mut self, paths: &[PathBuf]) -> Result<(), HostError> {
        self.settings.code_paths.extend_from_slice(paths);
        self.peer.add_code_paths(paths)
    }

    /// Lets these applications run from the beginning, in the machine and in the runtime.
    pub(crate) fn run_applications(&mut self, running: Running) {
        self.peer.run_applications(running.clone());
        self.running = running;
    }

    /// Whether the described application runs from the beginning.
    pub fn runs(&self, described: &Term) -> bool {
        let name = described.as_tuple().and_then(|it| it.get(1)).and_then(Term::as_atom);
        self.running.started.iter().any(|it| Some(it.as_str()) == name)
    }

    /// How many processes were started so far.
    pub fn starts(&self) -> u32 {
        self.peer.starts
    }

    /// What the agent says to a request.
    pub(crate) fn ask(&mut self, limit: Duration, request: &Term) -> Result<Term, HostError> {
        self.peer.ask(limit, request)
    }

    pub(crate) fn cache(&self) -> &Cache {
        &self.cache
    }

    pub(crate) fn load_limit(&self) -> Duration {
        self.settings.load_limit
    }

    /// What the last request had done when its time was over.
    pub(crate) fn spent(&self) -> Spent {
        self.peer.spent
    }

    /// The process id of the runtime, if it runs.
    pub fn process_id(&self) -> Option<u32> {
        self.peer.process_id()
    }

    pub fn installation(&mut self) -> Result<&Installation, HostError> {
        if self.installation.is_none() {
            let kept = self.cache.read(Kind::Installation, &self.identity);
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
        // The process was started with them; they belong to this run, not to the installation.
        let ours: Vec<&PathBuf> = self.settings.code_paths.iter().chain(&self.elixir).collect();
        found.code_paths.retain(|it| !ours.contains(&it));
        if let Ok(bytes) = etf::encode(&found.stamped()) {
            self.cache.write(Kind::Installation, &self.identity, &bytes);
        }
        Ok(found)
    }

    /// The file that holds a module.
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

    /// The first file of this name where modules are looked for.
    fn search(&mut self, file: &str) -> Result<Option<PathBuf>, HostError> {
        let search = |dirs: &[PathBuf]| dirs.iter().map(|it| it.join(file)).find(|it| it.is_file());
        if let Some(chosen) = &self.chosen_path {
            let found = search(chosen);
            // What is part of the runtime is on no path.
            let own = self.installation()?.code_paths.last().cloned();
            return Ok(found.or_else(|| search(own.as_slice())));
        }
        if let Some(path) = search(&self.settings.code_paths) {
            return Ok(Some(path));
        }
        Ok(search(&self.installation()?.code_paths).or_else(|| search(&self.elixir)))
    }

    /// The code of a module in a given file.
    pub fn load_source(&mut self, source: &Source) -> Result<ModuleCode, HostError> {
        let options = self.options(source);
        let version = self.version()?;
        let index_key = Key::of(&[&version, source.fingerprint(&options).as_bytes()]);
        let index = self.cache.read(Kind::Index, &index_key).and_then(|it| Index::decode(&it));
        if let Some(index) = &index
            && index.files.iter().all(|(path, stamp)| Stamp::of(path) == *stamp)
            && let Some(code) = self.kept(&index.content)
        {
            return Ok(code);
        }
        // Other times, same content: a fresh checkout, or a build that changed nothing.
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
        index_key: &Key,
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
        // A file written meanwhile may differ from what was compiled.
        if index.files.iter().all(|(_, stamp)| stamp.modified < begin) {
            self.cache.write(Kind::Code, &index.content, &bytes);
            self.keep_index(index_key, index);
        }
        Ok(code)
    }

    /// The code of a module of ours, from its text: no macros, no included files.
    pub fn load_text(&mut self, text: &str) -> Result<ModuleCode, HostError> {
        let content = Key::of(&[&self.version()?, text.as_bytes()]);
        if let Some(code) = self.kept(&content) {
            return Ok(code);
        }
        let text = Term::binary(text.as_bytes().to_vec());
        let request = Term::Tuple(vec![Term::atom("load_text"), text]);
        let answer = self.peer.ask(self.settings.load_limit, &request)?;
        let Loaded { bytes, .. } = read_answer(&Source::Erl(PathBuf::from("gimlet")), &answer)?;
        let code = crate::source::module_code(&bytes)
            .ok_or_else(|| HostError::Lost("it sent a module that is none".to_owned()))?;
        self.cache.write(Kind::Code, &content, &bytes);
        Ok(code)
    }

    pub(crate) fn options(&self, source: &Source) -> SourceOptions {
        let Settings { includes, defines, code_paths, .. } = &self.settings;
        SourceOptions::of(source, includes, defines, code_paths)
    }

    /// What decides, apart from the file, how a module is understood: the compiler, where it looks for
    /// applications, and Elixir, which has code of its own that reads debug info.
    pub(crate) fn version(&mut self) -> Result<Vec<u8>, HostError> {
        let mut elixir: Vec<u8> = Vec::new();
        for dir in &self.elixir {
            elixir.extend(dir.as_os_str().as_encoded_bytes());
            elixir.extend(Stamp::of(dir).modified.to_le_bytes());
        }
        let otp = self.installation()?;
        let paths = otp.code_paths.iter().map(|it| it.as_os_str().as_encoded_bytes());
        let paths = paths.collect::<Vec<_>>().join(&0);
        let key = Key::of(&[
            AGENT.as_bytes(),
            otp.otp_version.as_bytes(),
            otp.erts_version.as_bytes(),
            otp.root.as_os_str().as_encoded_bytes(),
            &paths,
            &elixir,
        ]);
        Ok(key.as_str().as_bytes().to_vec())
    }

    fn kept(&self, content: &Key) -> Option<ModuleCode> {
        crate::source::module_code(&self.cache.read(Kind::Code, content)?)
    }

    fn keep_index(&self, key: &Key, index: Index) {
        if let Ok(bytes) = etf::encode(&index.into_term()) {
            self.cache.write(Kind::Index, key, &bytes);
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
            // The user's own modules are wanted as they were written; others only have to run.
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
        // The last one is that of the runtime itself, which is on no path.
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
        // An exit signal of another process, not of the function itself.
        "exited" => {
            let reason = parts.next()?;
            Some(HostAnswer::Raised { class: Atom::new("exit"), reason, trace: Term::Nil })
        }
        _ => None,
    }
}

/// A content and the files it was read from, as they were then.
struct Index {
    content: Key,
    files: Vec<(PathBuf, Stamp)>,
}

impl Index {
    fn new(content: Key, files: &[PathBuf]) -> Index {
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
        let content = Key::from_text(std::str::from_utf8(content.as_bytes()?).ok()?);
        (!files.is_empty()).then_some(Index { content, files })
    }
}

/// Where a `.beam` lies does not matter to what it holds; a source file's path shows up in stack
/// traces.
fn content_key(version: &[u8], source: &Source, options: &SourceOptions, files: &[PathBuf]) -> Key {
    let options = match source {
        Source::Beam(_) => String::new(),
        Source::Erl(_) => source.fingerprint(options),
    };
    let contents: Vec<Vec<u8>> = files.iter().map(|it| read(it)).collect();
    let mut parts: Vec<&[u8]> = vec![version, options.as_bytes()];
    parts.extend(contents.iter().map(Vec::as_slice));
    Key::of(&parts)
}

/// A file that is not there has a content too: it may come back.
fn read(path: &Path) -> Vec<u8> {
    std::fs::read(path).map_or_else(|_| vec![0], |it| [&[1], it.as_slice()].concat())
}
