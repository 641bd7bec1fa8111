//! Files, ports and signals: the part of a policy that Landlock enforces.

use crate::policy::{Files, Network, Policy, Programs};
use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, NetPort, Ruleset,
    RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError, Scope, path_beneath_rules,
};
use std::ffi::OsStr;
use std::fs;
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The newest version of the interface that was tested with all runtimes; an older kernel enforces the part that it
/// has.
const TRIED: ABI = ABI::V6;

/// Directories of libraries, locales and time zones, descriptions of the machine, and harmless devices; no home
/// directories, and nothing that belongs to other processes.
const SYSTEM: &[&str] = &[
    "/usr",
    "/lib",
    "/lib32",
    "/lib64",
    "/nix/store",
    "/gnu/store",
    "/opt",
    "/etc/alternatives",
    "/etc/erlang",
    "/etc/group",
    "/etc/host.conf",
    "/etc/hostname",
    "/etc/hosts",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/ld.so.preload",
    "/etc/locale.alias",
    "/etc/localtime",
    "/etc/nsswitch.conf",
    "/etc/os-release",
    "/etc/passwd",
    "/etc/protocols",
    "/etc/resolv.conf",
    "/etc/services",
    "/etc/swi-prolog",
    "/etc/timezone",
    "/etc/xdg",
    "/proc/cpuinfo",
    "/proc/filesystems",
    "/proc/loadavg",
    "/proc/meminfo",
    "/proc/self",
    "/proc/stat",
    "/proc/sys",
    "/proc/uptime",
    "/proc/version",
    "/sys/devices/system",
    "/sys/fs/cgroup",
];

/// Devices that store nothing.
const DEVICES: &[&str] = &["/dev/full", "/dev/null", "/dev/random", "/dev/urandom", "/dev/zero"];

/// The usual loaders of programs that name none themselves.
const LOADERS: &[&str] = &[
    "/lib64/ld-linux-x86-64.so.2",
    "/lib/ld-linux-aarch64.so.1",
    "/lib/ld-linux-riscv64-lp64d.so.1",
];

/// Restricts this process. Rights that the kernel does not know are left out.
pub(crate) fn restrict(policy: &Policy, program: &Path) -> Result<(), String> {
    let mut ruleset = Ruleset::default().set_compatibility(CompatLevel::BestEffort);
    let handled = handled(policy);
    let prepared = || -> Result<Option<RulesetCreated>, RulesetError> {
        if handled.is_empty() && policy.programs == Programs::Allowed {
            return Ok(None);
        }
        if !handled.is_empty() {
            ruleset = ruleset.handle_access(handled)?;
        }
        if policy.network != Network::Allowed {
            ruleset = ruleset.handle_access(AccessNet::from_all(TRIED))?;
        }
        if policy.programs != Programs::Allowed {
            ruleset = ruleset.scope(Scope::from_all(TRIED))?;
        }
        Ok(Some(rules(ruleset.create()?, policy, program)?))
    };
    let Some(ruleset) = prepared().map_err(|why| why.to_string())? else { return Ok(()) };
    ruleset.restrict_self().map(drop).map_err(|why| why.to_string())
}

/// Returns the kinds of access that are forbidden unless a rule allows them.
fn handled(policy: &Policy) -> BitFlags<AccessFs> {
    let all = AccessFs::from_all(TRIED);
    match (policy.files, policy.programs) {
        (Files::Listed, Programs::Allowed) => all & !BitFlags::from(AccessFs::Execute),
        (Files::Listed, Programs::Refused | Programs::Listed) => all,
        (Files::Allowed, Programs::Allowed) => BitFlags::empty(),
        (Files::Allowed, Programs::Refused | Programs::Listed) => AccessFs::Execute.into(),
    }
}

fn rules(
    mut ruleset: RulesetCreated,
    policy: &Policy,
    program: &Path,
) -> Result<RulesetCreated, RulesetError> {
    if policy.files == Files::Listed {
        let read = AccessFs::ReadFile | AccessFs::ReadDir;
        let write = read | AccessFs::WriteFile | AccessFs::Truncate;
        // Programs may do everything in the scratch directory except executing files.
        let scratch = AccessFs::from_all(TRIED) & !BitFlags::from(AccessFs::Execute);
        let programs = policy.runs.iter().map(PathBuf::as_path).chain([program]);
        ruleset = ruleset
            .add_rules(path_beneath_rules(SYSTEM, read))?
            .add_rules(path_beneath_rules(DEVICES, write))?
            .add_rules(path_beneath_rules(programs, read))?
            .add_rules(path_beneath_rules(&policy.reads, read))?
            .add_rules(path_beneath_rules(&policy.scratch, scratch))?;
    }
    if policy.programs != Programs::Allowed {
        let run = executables(policy, program);
        ruleset = ruleset.add_rules(path_beneath_rules(run, AccessFs::Execute))?;
    }
    if let Network::Ports(ports) = &policy.network {
        let access = AccessNet::from_all(TRIED);
        for port in ports {
            ruleset = ruleset.add_rule(NetPort::new(*port, access))?;
        }
    }
    Ok(ruleset)
}

/// Returns the files that may be executed, with their loaders.
fn executables(policy: &Policy, program: &Path) -> Vec<PathBuf> {
    let mut res: Vec<PathBuf> = LOADERS.iter().map(PathBuf::from).collect();
    let listed = match policy.programs {
        Programs::Listed | Programs::Allowed => policy.runs.as_slice(),
        Programs::Refused => &[],
    };
    for path in listed.iter().map(PathBuf::as_path).chain([program]) {
        // The directory of a runtime may contain scripts; their interpreters, such as a shell, are not allowed for
        // that.
        let inside = fs::read_dir(path).into_iter().flatten().flatten();
        res.extend(inside.filter_map(|it| named_in_elf(&head(&it.path())?)));
        res.extend(head(path).and_then(|it| named_in_script(&it).or_else(|| named_in_elf(&it))));
        res.push(path.to_owned());
    }
    res
}

/// Returns the beginning of an executable, which names its interpreter.
fn head(path: &Path) -> Option<Vec<u8>> {
    let mut res = Vec::new();
    fs::File::open(path).ok()?.take(4096).read_to_end(&mut res).ok()?;
    Some(res)
}

/// Returns the interpreter in the first line of a script.
fn named_in_script(head: &[u8]) -> Option<PathBuf> {
    let line = head.strip_prefix(b"#!")?.split(|it| *it == b'\n').next()?;
    let name = line.trim_ascii().split(u8::is_ascii_whitespace).next()?;
    Some(PathBuf::from(OsStr::from_bytes(name)))
}

/// Returns the segment PT_INTERP of a 64-bit ELF file in the machine's byte order.
fn named_in_elf(head: &[u8]) -> Option<PathBuf> {
    const PT_INTERP: u32 = 3;
    let short = |at: usize| Some(u16::from_ne_bytes(*head.get(at..)?.first_chunk()?));
    let word = |at: usize| Some(u32::from_ne_bytes(*head.get(at..)?.first_chunk()?));
    let long =
        |at: usize| usize::try_from(u64::from_ne_bytes(*head.get(at..)?.first_chunk()?)).ok();
    if !head.starts_with(b"\x7fELF\x02") {
        return None;
    }
    let (table, size, count) = (long(32)?, usize::from(short(54)?), usize::from(short(56)?));
    let mut segments = (0..count).filter_map(|it| table.checked_add(it.checked_mul(size)?));
    let segment = segments.find(|it| word(*it) == Some(PT_INTERP))?;
    let (begin, len) = (long(segment.checked_add(8)?)?, long(segment.checked_add(32)?)?);
    let name = head.get(begin..begin.checked_add(len)?)?.split(|it| *it == 0).next()?;
    Some(PathBuf::from(OsStr::from_bytes(name)))
}

/// Returns the newest version of the interface that the kernel supports, as far as this crate uses it; 0 if none.
pub(crate) fn version() -> u8 {
    let has = |it: ABI| {
        let ruleset = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
        let created = ruleset.handle_access(AccessFs::from_all(it)).and_then(|ruleset| {
            let network = AccessNet::from_all(it);
            if network.is_empty() { Ok(ruleset) } else { ruleset.handle_access(network) }
        });
        let created = created.and_then(|ruleset| {
            let scope = Scope::from_all(it);
            if scope.is_empty() { Ok(ruleset) } else { ruleset.scope(scope) }
        });
        created.and_then(Ruleset::create).is_ok()
    };
    let versions = [(6, ABI::V6), (5, ABI::V5), (4, ABI::V4), (3, ABI::V3), (2, ABI::V2)];
    let newest = versions.into_iter().chain([(1, ABI::V1)]).find(|it| has(it.1));
    newest.map_or(0, |it| it.0)
}
