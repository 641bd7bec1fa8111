//! The protocol between a worker process and its owner: frames of a length and that many bytes, on a pipe.
//!
//! Knows no language: results of units are opaque bytes, which only the language's own types can read.

use crate::flow::progress::Seen;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::time::Duration;
use trace::{Covered, Input};

/// A message from the owner to a worker.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Order {
    Explore(Turn),
    /// The user interrupts: the current turn ends, and no other begins.
    Stop,
}

/// One turn of a unit.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Turn {
    /// The index of the unit in the plan.
    pub(super) n: usize,
    pub(super) round: usize,
    pub(super) time: Duration,
    pub(super) n_cores: usize,
    /// Inputs that an earlier run of the tool wrote.
    pub(super) earlier: Vec<Input>,
    /// Clauses that any unit of the program covered in earlier rounds.
    pub(super) elsewhere: Covered,
    /// The results of earlier rounds.
    pub(super) before: Option<Vec<u8>>,
}

/// A message from a worker to its owner.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Answer {
    /// The program is loaded and planned. `plan` is the hash of the plan.
    Ready {
        plan: u64,
    },
    Seen(Seen),
    /// Interim results of the unit, in case the worker dies before the final ones.
    SoFar(Vec<u8>),
    Explored(Vec<u8>),
    Failed {
        why: String,
    },
}

pub(super) fn bytes_of(what: &impl Serialize) -> Result<Vec<u8>, String> {
    postcard::to_allocvec(what).map_err(|why| format!("it can't be passed on: {why}"))
}

pub(super) fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    postcard::from_bytes(bytes).map_err(|why| format!("what was passed on can't be read: {why}"))
}

pub(super) fn send(to: &mut impl Write, what: &impl Serialize) -> io::Result<()> {
    let bytes = bytes_of(what).map_err(io::Error::other)?;
    let length = u64::try_from(bytes.len()).map_err(io::Error::other)?;
    to.write_all(&length.to_le_bytes())?;
    to.write_all(&bytes)?;
    to.flush()
}

/// Waits for the next frame; `None` if the pipe is closed or the frame can't be read.
pub(super) fn receive<T: DeserializeOwned>(from: &mut impl Read) -> Option<T> {
    let mut length = [0; LENGTH];
    from.read_exact(&mut length).ok()?;
    let length = usize::try_from(u64::from_le_bytes(length)).ok()?;
    let mut bytes = vec![0; length];
    from.read_exact(&mut bytes).ok()?;
    read(&bytes).ok()
}

/// The size of the length before a frame, in bytes.
const LENGTH: usize = 8;
/// The number of bytes to read at once.
const CHUNK: usize = 1 << 16;

/// A buffer that assembles frames from pieces.
#[derive(Debug, Default)]
pub(super) struct Frames {
    unread: Vec<u8>,
}

/// The result of waiting for a frame.
pub(super) enum Received<T> {
    Frame(T),
    /// Nothing arrived within the time.
    Silence,
    /// The other side closed the pipe, or sent a frame that can't be read.
    End,
}

impl Frames {
    /// Waits for a frame, at most for `time` after each piece.
    pub(super) fn next<T: DeserializeOwned>(
        &mut self,
        from: &mut (impl Read + AsFd),
        time: Duration,
    ) -> Received<T> {
        loop {
            if let Some(frame) = self.take() {
                return read(&frame).map_or(Received::End, Received::Frame);
            }
            let millis = i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
            let timeout = Timespec { tv_sec: millis / 1000, tv_nsec: millis % 1000 * 1_000_000 };
            match poll(&mut [PollFd::new(from, PollFlags::IN)], Some(&timeout)) {
                Ok(0) | Err(Errno::INTR) => return Received::Silence,
                Ok(_) => {}
                Err(_) => return Received::End,
            }
            let mut chunk = vec![0; CHUNK];
            match from.read(&mut chunk) {
                Ok(0) => return Received::End,
                Ok(n) => self.unread.extend_from_slice(chunk.get(..n).unwrap_or_default()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return Received::End,
            }
        }
    }

    fn take(&mut self) -> Option<Vec<u8>> {
        let length: [u8; LENGTH] = self.unread.get(..LENGTH)?.try_into().ok()?;
        let end = usize::try_from(u64::from_le_bytes(length)).ok()?.checked_add(LENGTH)?;
        let frame = self.unread.get(LENGTH..end)?.to_vec();
        self.unread.drain(..end);
        Some(frame)
    }
}

#[cfg(test)]
mod tests {
    use super::{Answer, Frames, Received, send};
    use std::io::Write;
    use std::os::unix::net::UnixStream;
    use std::time::Duration;

    #[test]
    fn frames_that_come_in_pieces_are_put_together() {
        let (mut ours, mut theirs) = UnixStream::pair().expect("a pair of sockets");
        let mut bytes = Vec::new();
        send(&mut bytes, &Answer::Ready { plan: 7 }).expect("a frame");
        send(&mut bytes, &Answer::Failed { why: "no".to_owned() }).expect("a frame");
        let (first, second) = bytes.split_at(bytes.len() - 2);
        let mut frames = Frames::default();
        let mut hear = |theirs: &mut UnixStream| match frames.next::<Answer>(theirs, Duration::ZERO)
        {
            Received::Frame(it) => format!("{it:?}"),
            Received::Silence => "silence".to_owned(),
            Received::End => "end".to_owned(),
        };
        ours.write_all(first).expect("a socket takes it");
        assert_eq!(hear(&mut theirs), "Ready { plan: 7 }");
        assert_eq!(hear(&mut theirs), "silence");
        ours.write_all(second).expect("a socket takes it");
        assert_eq!(hear(&mut theirs), "Failed { why: \"no\" }");
        drop(ours);
        assert_eq!(hear(&mut theirs), "end");
    }
}
