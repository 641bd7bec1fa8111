//! A process that restricts itself according to a policy and then becomes the program.

use crate::policy::{Descriptors, Files, Limits, Policy};
use crate::{calls, files};
use rustix::fs::{Mode, OFlags};
use rustix::io::FdFlags;
use rustix::process::{
    Pid, Resource, Rlimit, Signal, getppid, set_parent_process_death_signal, setrlimit,
};
use rustix::thread::{CapabilitySet, CapabilitySets};
use std::ffi::OsString;
use std::fs;
use std::os::fd::IntoRawFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

/// Becomes the program. Returns only if that fails, with the reason.
pub(crate) fn become_program(parent: i32, policy: &Policy, command: &[OsString]) -> String {
    let Some((program, args)) = command.split_first() else {
        return "no program was named".to_owned();
    };
    match restrict(parent, policy, Path::new(program)) {
        Ok(()) => {
            let why = Command::new(program).args(args).exec();
            format!("{} could not be started: {why}", Path::new(program).display())
        }
        Err(why) => why,
    }
}

fn restrict(parent: i32, policy: &Policy, program: &Path) -> Result<(), String> {
    die_with(parent)?;
    close_inherited();
    if policy.descriptors == Descriptors::Moved {
        move_streams()?;
    }
    limit(&policy.limits)?;
    drop_capabilities(policy.files)?;
    // Landlock comes first: the filter of system calls forbids the calls that setting it up needs. Rights are given to
    // files that exist at this time.
    files::restrict(policy, program)?;
    calls::restrict(policy)
}

/// Makes the kernel kill the program when the guard ends, for whatever reason.
fn die_with(parent: i32) -> Result<(), String> {
    set_parent_process_death_signal(Some(Signal::KILL)).map_err(|why| why.to_string())?;
    // A guard that ended before this call sends no signal.
    if getppid() != Pid::from_raw(parent) {
        return Err("its guard is gone".to_owned());
    }
    Ok(())
}

/// Closes inherited descriptors: files that the user's shell left open would otherwise be open, and perhaps writable,
/// in the program.
fn close_inherited() {
    let Ok(entries) = fs::read_dir("/proc/self/fd") else { return };
    let names = entries.flatten().map(|it| it.file_name());
    let open: Vec<i32> = names.filter_map(|it| it.to_str()?.parse().ok()).collect();
    for descriptor in open.into_iter().filter(|it| 2 < *it) {
        // The descriptor of the directory itself is closed already.
        nix::unistd::close(descriptor).unwrap_or_default();
    }
}

fn move_streams() -> Result<(), String> {
    let moved = || {
        let input = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3)?;
        let output = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdout(), 4)?;
        rustix::io::fcntl_setfd(&input, FdFlags::empty())?;
        rustix::io::fcntl_setfd(&output, FdFlags::empty())?;
        let null = rustix::fs::open("/dev/null", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
        rustix::stdio::dup2_stdin(&null)?;
        rustix::stdio::dup2_stdout(rustix::stdio::stderr())?;
        Ok((input.into_raw_fd(), output.into_raw_fd()))
    };
    match moved().map_err(|why: rustix::io::Errno| why.to_string())? {
        (3, 4) => Ok(()),
        _ => Err("descriptors 3 and 4 are taken".to_owned()),
    }
}

fn limit(limits: &Limits) -> Result<(), String> {
    let Limits { memory, file_size, processes, cpu_seconds } = *limits;
    let all = [
        (Resource::Core, 0),
        // Limits the data segment, not the address space, of which runtimes reserve much more than they use.
        (Resource::Data, memory),
        (Resource::Fsize, file_size),
        (Resource::Nproc, processes),
        (Resource::Cpu, cpu_seconds),
    ];
    for (resource, wanted) in all {
        let most = rustix::process::getrlimit(resource).maximum;
        let value = Some(most.map_or(wanted, |it| it.min(wanted)));
        setrlimit(resource, Rlimit { current: value, maximum: value })
            .map_err(|why| format!("{resource:?} can't be limited: {why}"))?;
    }
    Ok(())
}

/// Drops the capabilities of a superuser's program except those for accessing the user's files; other users have none.
fn drop_capabilities(files: Files) -> Result<(), String> {
    let kept = match files {
        Files::Listed => CapabilitySet::DAC_OVERRIDE | CapabilitySet::DAC_READ_SEARCH,
        Files::Allowed => {
            CapabilitySet::DAC_OVERRIDE
                | CapabilitySet::DAC_READ_SEARCH
                | CapabilitySet::FOWNER
                | CapabilitySet::CHOWN
        }
    };
    let dropped = || {
        rustix::thread::set_no_new_privs(true)?;
        let own = rustix::thread::capabilities(None)?;
        rustix::thread::set_capabilities(
            None,
            CapabilitySets {
                effective: own.effective & kept,
                permitted: own.permitted & kept,
                inheritable: CapabilitySet::empty(),
            },
        )
    };
    dropped().map_err(|why: rustix::io::Errno| format!("privileges can't be dropped: {why}"))
}
