//! Sockets of the network, as the machine's drivers of TCP and UDP need them.
//!
//! Nothing here waits but [`Sockets::wait`]; who would have to is told `eagain`.

use crate::host::Errno;
use std::fmt;
use std::net::SocketAddr;
use std::time::Duration;

pub trait Sockets: fmt::Debug {
    fn open(&mut self, family: Family, transport: Transport) -> Result<SocketId, Errno>;
    fn bind(&mut self, socket: SocketId, to: SocketAddr) -> Result<(), Errno>;
    fn listen(&mut self, socket: SocketId, backlog: u16) -> Result<(), Errno>;
    fn accept(&mut self, socket: SocketId) -> Result<SocketId, Errno>;
    /// `einprogress` if it is not known yet; then the socket can be written to when it is.
    fn connect(&mut self, socket: SocketId, to: SocketAddr) -> Result<(), Errno>;
    /// What became of a connection that was in progress.
    fn error(&mut self, socket: SocketId) -> Result<(), Errno>;
    /// At most that many bytes, and of a datagram who sent it; no bytes if there will be no more.
    fn receive(&mut self, socket: SocketId, max: usize) -> Result<Received, Errno>;
    /// How many bytes it took.
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
    /// Waits until one of these can go on, but not longer than this. Also how long it took.
    fn wait(&mut self, wishes: &[Wish], limit: Duration) -> (Vec<Wish>, Duration);
    fn host_name(&mut self) -> String;
    /// Closes all that were opened.
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

/// Who waits, and for what.
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

/// Options that the operating system keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SocketOption {
    ReuseAddress,
    KeepAlive,
    /// Seconds, and one more; 0 is none.
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
