//! The filter of system calls: the part of a policy that seccomp enforces.
//!
//! The calls listed here have effects beyond the process that Landlock does not cover. A refused call fails with
//! `EPERM`, as if the user lacked the right to make it.

use crate::files::version;
use crate::policy::{Files, Network, Policy, Programs};
use libc::c_long;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, apply_filter,
};
use std::collections::BTreeMap;

/// The calls that are refused: always (no rules), or if the arguments match one of the rules.
type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// Calls that affect the state of the machine, other processes, other namespaces or other users, and calls that could
/// hide such effects.
const SYSTEM: &[c_long] = &[
    libc::SYS_acct,
    libc::SYS_add_key,
    libc::SYS_adjtimex,
    libc::SYS_bpf,
    libc::SYS_chroot,
    libc::SYS_clock_adjtime,
    libc::SYS_clock_settime,
    libc::SYS_delete_module,
    libc::SYS_fanotify_init,
    libc::SYS_finit_module,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fsopen,
    libc::SYS_fspick,
    libc::SYS_init_module,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_io_uring_setup,
    libc::SYS_kcmp,
    libc::SYS_kexec_file_load,
    libc::SYS_kexec_load,
    libc::SYS_keyctl,
    libc::SYS_migrate_pages,
    libc::SYS_mount,
    libc::SYS_mount_setattr,
    libc::SYS_move_mount,
    libc::SYS_move_pages,
    libc::SYS_nfsservctl,
    libc::SYS_open_by_handle_at,
    libc::SYS_open_tree,
    libc::SYS_perf_event_open,
    libc::SYS_pidfd_getfd,
    libc::SYS_pivot_root,
    libc::SYS_process_madvise,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_ptrace,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_reboot,
    libc::SYS_request_key,
    libc::SYS_setdomainname,
    libc::SYS_setfsgid,
    libc::SYS_setfsuid,
    libc::SYS_setgid,
    libc::SYS_setgroups,
    libc::SYS_sethostname,
    libc::SYS_setns,
    libc::SYS_setregid,
    libc::SYS_setresgid,
    libc::SYS_setresuid,
    libc::SYS_setreuid,
    libc::SYS_settimeofday,
    libc::SYS_setuid,
    libc::SYS_swapoff,
    libc::SYS_swapon,
    libc::SYS_syslog,
    libc::SYS_umount2,
    libc::SYS_unshare,
    libc::SYS_userfaultfd,
    libc::SYS_vhangup,
];

/// Calls that leave the process group, which is killed with the program, and calls for communication without files or
/// sockets.
const GROUP_AND_MESSAGES: &[c_long] = &[
    libc::SYS_setpgid,
    libc::SYS_setsid,
    libc::SYS_mq_notify,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
    libc::SYS_msgctl,
    libc::SYS_msgget,
    libc::SYS_msgrcv,
    libc::SYS_msgsnd,
    libc::SYS_semctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_shmget,
    libc::SYS_ioprio_set,
    libc::SYS_sched_setattr,
    libc::SYS_sched_setparam,
    libc::SYS_sched_setscheduler,
    libc::SYS_setpriority,
];

/// Calls that change owners, modes, times and attributes of files.
const METADATA: &[c_long] = &[
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    FCHMODAT2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_fremovexattr,
    libc::SYS_fsetxattr,
    libc::SYS_lremovexattr,
    libc::SYS_lsetxattr,
    libc::SYS_removexattr,
    libc::SYS_setxattr,
    libc::SYS_utimensat,
];
/// The number is the same on every architecture, as for all calls that are this new.
const FCHMODAT2: c_long = 452;

/// Older variants of the calls above, which exist on this architecture only.
#[cfg(target_arch = "x86_64")]
mod old {
    use libc::c_long;

    pub(super) const METADATA: &[c_long] = &[
        libc::SYS_chmod,
        libc::SYS_chown,
        libc::SYS_futimesat,
        libc::SYS_lchown,
        libc::SYS_utime,
        libc::SYS_utimes,
    ];
    pub(super) const PROCESSES: &[c_long] = &[libc::SYS_fork, libc::SYS_vfork];
    pub(super) const SYSTEM: &[c_long] = &[
        libc::SYS_ioperm,
        libc::SYS_iopl,
        libc::SYS_modify_ldt,
        libc::SYS_uselib,
        libc::SYS__sysctl,
    ];
    /// The bit in the numbers of the same calls with other pointer sizes (the x32 ABI).
    pub(super) const SECOND_ABI: Option<i64> = Some(0x4000_0000);
}

#[cfg(not(target_arch = "x86_64"))]
mod old {
    use libc::c_long;

    pub(super) const METADATA: &[c_long] = &[];
    pub(super) const PROCESSES: &[c_long] = &[];
    pub(super) const SYSTEM: &[c_long] = &[];
    pub(super) const SECOND_ABI: Option<i64> = None;
}

const SIGNALS: &[c_long] = &[
    libc::SYS_kill,
    libc::SYS_pidfd_send_signal,
    libc::SYS_rt_sigqueueinfo,
    libc::SYS_rt_tgsigqueueinfo,
    libc::SYS_tkill,
];

/// Calls newer than any that was examined: runtimes work without calls that an older kernel lacks.
const NEWER: std::ops::RangeInclusive<i64> = 463..=600;

/// The flags of `clone` that create namespaces.
const NAMESPACES: &[i32] = &[
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWUTS,
];

/// Requests that insert input into a terminal, as if the user had typed it.
const TYPING: &[u64] = &[libc::TIOCSTI, libc::TIOCLINUX];

/// Restricts this thread and its descendants. Does nothing on an unknown architecture.
pub(crate) fn restrict(policy: &Policy) -> Result<(), String> {
    let Ok(arch) = TargetArch::try_from(std::env::consts::ARCH) else { return Ok(()) };
    let absent = absent();
    let refused = refused(policy)?;
    for (rules, error) in [(absent, libc::ENOSYS), (refused, libc::EPERM)] {
        let action = SeccompAction::Errno(error.unsigned_abs());
        let filter = SeccompFilter::new(rules, SeccompAction::Allow, action, arch);
        let program = filter.and_then(BpfProgram::try_from).map_err(|why| why.to_string())?;
        apply_filter(&program).map_err(|why| why.to_string())?;
    }
    Ok(())
}

/// Returns the calls that fail as if the kernel lacked them, so that libraries use others.
fn absent() -> Rules {
    // The flags of `clone3` are in memory, which a filter cannot read; `clone` does the same.
    let calls = NEWER.chain([libc::SYS_clone3]);
    with_second_abi(calls.map(|it| (it, Vec::new())).collect())
}

fn refused(policy: &Policy) -> Result<Rules, String> {
    let mut res = Rules::new();
    let mut always = |calls: &[c_long]| {
        for call in calls {
            res.insert(*call, Vec::new());
        }
    };
    always(SYSTEM);
    always(old::SYSTEM);
    always(GROUP_AND_MESSAGES);
    if policy.files == Files::Listed {
        always(METADATA);
        always(old::METADATA);
        if version() < 3 {
            always(&[libc::SYS_truncate]);
        }
    }
    if policy.programs == Programs::Refused {
        always(old::PROCESSES);
    }
    let signals_reach_others = version() < 6 && policy.programs != Programs::Allowed;
    if signals_reach_others {
        always(SIGNALS);
    }
    let ports = match &policy.network {
        Network::Ports(_) if version() < 4 => &Network::Refused,
        others @ (Network::Refused | Network::Ports(_) | Network::Allowed) => others,
    };
    if *ports == Network::Refused {
        always(&[libc::SYS_socket]);
    }

    let mut when = |call: c_long, conditions: Vec<Condition>| -> Result<(), String> {
        let conditions = conditions.into_iter().map(|it| {
            SeccompCondition::new(it.argument, SeccompCmpArgLen::Dword, it.operator, it.value)
        });
        let conditions = conditions.collect::<Result<_, _>>().map_err(|why| why.to_string())?;
        let rule = SeccompRule::new(conditions).map_err(|why| why.to_string())?;
        res.entry(call).or_default().push(rule);
        Ok(())
    };
    for flag in NAMESPACES {
        when(libc::SYS_clone, vec![has(0, flag.unsigned_abs().into())])?;
    }
    if policy.programs == Programs::Refused {
        when(libc::SYS_clone, vec![lacks(0, libc::CLONE_THREAD.unsigned_abs().into())])?;
    }
    for request in TYPING {
        when(libc::SYS_ioctl, vec![is(1, *request)])?;
    }
    // The program must not disable the signal that kills it with its guard.
    when(libc::SYS_prctl, vec![is(0, libc::PR_SET_PDEATHSIG.unsigned_abs().into())])?;
    // Limits and processors of other processes.
    for call in [libc::SYS_prlimit64, libc::SYS_sched_setaffinity] {
        when(call, vec![is_not(0, 0)])?;
    }
    if signals_reach_others {
        when(libc::SYS_tgkill, vec![is_not(0, std::process::id().into())])?;
    }
    if policy.network != Network::Allowed {
        when(libc::SYS_socketpair, vec![is_not(0, number(libc::AF_UNIX))])?;
    }
    if let Network::Ports(_) = ports {
        const KIND: u64 = 0xf;
        let kinds = (0..=KIND).filter(|it| *it != number(libc::SOCK_STREAM));
        when(libc::SYS_socket, vec![is_not(0, number(libc::AF_INET))])?;
        for value in kinds {
            let operator = SeccompCmpOp::MaskedEq(KIND);
            when(libc::SYS_socket, vec![Condition { argument: 1, operator, value }])?;
        }
        // Landlock restricts only the ports of TCP.
        let protocols = vec![is_not(2, 0), is_not(2, number(libc::IPPROTO_TCP))];
        when(libc::SYS_socket, protocols)?;
        // These calls can connect without Landlock's check.
        let fast = number(libc::MSG_FASTOPEN);
        when(libc::SYS_sendto, vec![has(3, fast)])?;
        when(libc::SYS_sendmsg, vec![has(2, fast)])?;
        when(libc::SYS_sendmmsg, vec![has(3, fast)])?;
    }
    Ok(with_second_abi(res))
}

fn with_second_abi(mut rules: Rules) -> Rules {
    if let Some(bit) = old::SECOND_ABI {
        let second: Vec<_> = rules.iter().map(|(call, it)| (call | bit, it.clone())).collect();
        rules.extend(second);
    }
    rules
}

/// A condition on an argument, counted from 0, for a rule to apply.
struct Condition {
    argument: u8,
    operator: SeccompCmpOp,
    value: u64,
}

fn is(argument: u8, value: u64) -> Condition {
    Condition { argument, operator: SeccompCmpOp::Eq, value }
}

fn is_not(argument: u8, value: u64) -> Condition {
    Condition { argument, operator: SeccompCmpOp::Ne, value }
}

fn has(argument: u8, flag: u64) -> Condition {
    Condition { argument, operator: SeccompCmpOp::MaskedEq(flag), value: flag }
}

fn lacks(argument: u8, flag: u64) -> Condition {
    Condition { argument, operator: SeccompCmpOp::MaskedEq(flag), value: 0 }
}

fn number(constant: i32) -> u64 {
    constant.unsigned_abs().into()
}
