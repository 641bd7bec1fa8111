//! Network sockets, as the machine's drivers of TCP and UDP need them.
//!
//! Only [`Sockets::wait`] blocks; every other operation that would have to wait returns `eagain`.

use crate::host::Errno;
use std::fmt;
use std::net::SocketAddr;
use std::time::Duration;

pub trait Sockets: fmt::Debug {
    fn open(&mut self, family: Family, transport: Transport) -> Result<SocketId, Errno>;
    fn bind(&mut self, socket: SocketId, to: SocketAddr) -> Result<(), Errno>;
    fn listen(&mut self, socket: SocketId, backlog: u16) -> Result<(), Errno>;
    fn accept(&mut self, socket: SocketId) -> Result<SocketId, Errno>;
    /// Connects; `einprogress` means that the socket becomes writable when the connection is made or has failed.
    fn connect(&mut self, socket: SocketId, to: SocketAddr) -> Result<(), Errno>;
    /// Returns the result of a connection that was in progress.
    fn error(&mut self, socket: SocketId) -> Result<(), Errno>;
    /// Receives at most `max` bytes, for a datagram with its sender. An empty result of a stream means its end.
    fn receive(&mut self, socket: SocketId, max: usize) -> Result<Received, Errno>;
    /// Sends bytes and returns how many of them were accepted.
    fn send(
        &mut self,
        socket: SocketId,
        bytes: &[u8],
        to: Option<SocketAddr>,
    ) -> Result<usize, Errno>;
    fn shutdown(&mut self, socket: SocketId, how: Shutdown) -> Result<(), Errno>;
    fn name(&mut self, socket: SocketId) -> Result<SocketAddr, Errno>;
    fn peer(&mut self, socket: SocketId) -> Result<SocketAddr, Errno>;
    fn set_option(
        &mut self,
        socket: SocketId,
        option: SocketOption,
        value: u32,
    ) -> Result<(), Errno>;
    fn option(&mut self, socket: SocketId, option: SocketOption) -> Result<u32, Errno>;
    fn close(&mut self, socket: SocketId);
    /// Waits until one of the sockets is ready, at most for `limit`. Returns the ready ones and the time waited.
    fn wait(&mut self, wishes: &[Wish], limit: Duration) -> (Vec<Wish>, Duration);
    fn host_name(&mut self) -> String;
    /// Closes all sockets that were opened.
    fn reset(&mut self);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SocketId(pub u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    Inet,
    Inet6,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    Tcp,
    Udp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shutdown {
    Read,
    Write,
    Both,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Received {
    pub bytes: Vec<u8>,
    pub from: Option<SocketAddr>,
}

/// A socket to wait for, and whether to read from it or write to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wish {
    pub socket: SocketId,
    pub direction: Direction,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    In,
    Out,
}

/// Socket options that the operating system keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SocketOption {
    ReuseAddress,
    KeepAlive,
    /// The linger time in seconds plus 1; 0 turns lingering off.
    Linger,
    Broadcast,
    SendBuffer,
    ReceiveBuffer,
    TypeOfService,
    NoDelay,
    OnlyInet6,
    TimeToLive,
    NoPush,
}
