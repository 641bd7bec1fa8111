//! Pids, ports and references in the text form that `list_to_pid/1` and the like read.
//!
//! Only those of the local node, whose number in its own texts is 0.

use crate::ground::{Atom, Pid, Port, Reference, Term};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Handle {
    Pid,
    Port,
    Reference,
}

/// Returns the kind of term that the function with this name makes.
pub(super) fn of_function(name: &str) -> Option<Handle> {
    match name {
        "list_to_pid" => Some(Handle::Pid),
        "list_to_port" => Some(Handle::Port),
        "list_to_ref" => Some(Handle::Reference),
        _ => None,
    }
}

pub(super) fn read(handle: Handle, text: &str) -> Option<Term> {
    let opening = match handle {
        Handle::Pid => "<0.",
        Handle::Port => "#Port<0.",
        Handle::Reference => "#Ref<0.",
    };
    let numbers = text.strip_prefix(opening)?.strip_suffix('>')?.split('.');
    let numbers: Vec<u32> = numbers.map(|it| it.parse().ok()).collect::<Option<_>>()?;
    let (node, creation) = (Atom::new("nonode@nohost"), 0);
    match (handle, numbers.as_slice()) {
        (Handle::Pid, [id, serial]) => {
            Some(Term::Pid(Pid { node, id: *id, serial: *serial, creation }))
        }
        (Handle::Port, [id]) => Some(Term::Port(Port { node, id: u64::from(*id), creation })),
        (Handle::Reference, [_, _, _]) => {
            let words = numbers.into_iter().rev().collect();
            Some(Term::Ref(Reference { node, creation, words }))
        }
        (Handle::Pid | Handle::Port | Handle::Reference, _) => None,
    }
}
