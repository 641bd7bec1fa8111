//! Sockets that programs of the machine open. All are non-blocking, and all are closed with the run.

use crate::errno;
use erlang::{
    Direction, Errno, Family, Received, Shutdown, SocketId, SocketOption, Sockets, Transport, Wish,
};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::{self, RecvFlags, SendFlags, SocketFlags, sockopt};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

#[derive(Debug, Default)]
pub(crate) struct Network {
    open: BTreeMap<SocketId, (OwnedFd, Family)>,
    n_opened: u32,
}

impl Network {
    fn add(&mut self, socket: OwnedFd, family: Family) -> SocketId {
        self.n_opened += 1;
        let id = SocketId(self.n_opened);
        self.open.insert(id, (socket, family));
        id
    }

    fn of(&self, id: SocketId) -> Result<(&OwnedFd, Family), Errno> {
        self.open.get(&id).map(|it| (&it.0, it.1)).ok_or(Errno::EINVAL)
    }
}

impl Sockets for Network {
    fn open(&mut self, family: Family, transport: Transport) -> Result<SocketId, Errno> {
        let domain = match family {
            Family::Inet => net::AddressFamily::INET,
            Family::Inet6 => net::AddressFamily::INET6,
        };
        let kind = match transport {
            Transport::Tcp => net::SocketType::STREAM,
            Transport::Udp => net::SocketType::DGRAM,
        };
        let socket = named(net::socket_with(domain, kind, FLAGS, None))?;
        Ok(self.add(socket, family))
    }

    fn bind(&mut self, socket: SocketId, to: SocketAddr) -> Result<(), Errno> {
        named(net::bind(self.of(socket)?.0, &to))
    }

    fn listen(&mut self, socket: SocketId, backlog: u16) -> Result<(), Errno> {
        named(net::listen(self.of(socket)?.0, i32::from(backlog)))
    }

    fn accept(&mut self, socket: SocketId) -> Result<SocketId, Errno> {
        let (listener, family) = self.of(socket)?;
        let accepted = named(net::accept_with(listener, FLAGS))?;
        Ok(self.add(accepted, family))
    }

    fn connect(&mut self, socket: SocketId, to: SocketAddr) -> Result<(), Errno> {
        named(net::connect(self.of(socket)?.0, &to))
    }

    fn error(&mut self, socket: SocketId) -> Result<(), Errno> {
        named(sockopt::socket_error(self.of(socket)?.0).and_then(|it| it))
    }

    fn receive(&mut self, socket: SocketId, max: usize) -> Result<Received, Errno> {
        let mut bytes = vec![0; max];
        let got = net::recvfrom(self.of(socket)?.0, bytes.as_mut_slice(), RecvFlags::empty());
        let (_, n, from) = named(got)?;
        bytes.truncate(n);
        Ok(Received { bytes, from: from.and_then(|it| SocketAddr::try_from(it).ok()) })
    }

    fn send(
        &mut self,
        socket: SocketId,
        bytes: &[u8],
        to: Option<SocketAddr>,
    ) -> Result<usize, Errno> {
        let socket = self.of(socket)?.0;
        named(match to {
            Some(to) => net::sendto(socket, bytes, SendFlags::NOSIGNAL, &to),
            None => net::send(socket, bytes, SendFlags::NOSIGNAL),
        })
    }

    fn shutdown(&mut self, socket: SocketId, how: Shutdown) -> Result<(), Errno> {
        let how = match how {
            Shutdown::Read => net::Shutdown::Read,
            Shutdown::Write => net::Shutdown::Write,
            Shutdown::Both => net::Shutdown::Both,
        };
        named(net::shutdown(self.of(socket)?.0, how))
    }

    fn name(&mut self, socket: SocketId) -> Result<SocketAddr, Errno> {
        named(net::getsockname(self.of(socket)?.0).and_then(TryInto::try_into))
    }

    fn peer(&mut self, socket: SocketId) -> Result<SocketAddr, Errno> {
        let peer = named(net::getpeername(self.of(socket)?.0))?;
        named(peer.ok_or(rustix::io::Errno::NOTCONN).and_then(TryInto::try_into))
    }

    fn set_option(
        &mut self,
        socket: SocketId,
        option: SocketOption,
        value: u32,
    ) -> Result<(), Errno> {
        let (fd, family) = self.of(socket)?;
        let is_on = value != 0;
        named(match option {
            SocketOption::ReuseAddress => sockopt::set_socket_reuseaddr(fd, is_on),
            SocketOption::KeepAlive => sockopt::set_socket_keepalive(fd, is_on),
            SocketOption::Linger => {
                let time = value.checked_sub(1).map(|it| Duration::from_secs(u64::from(it)));
                sockopt::set_socket_linger(fd, time)
            }
            SocketOption::Broadcast => sockopt::set_socket_broadcast(fd, is_on),
            SocketOption::SendBuffer => sockopt::set_socket_send_buffer_size(fd, value as usize),
            SocketOption::ReceiveBuffer => sockopt::set_socket_recv_buffer_size(fd, value as usize),
            SocketOption::TypeOfService => match family {
                Family::Inet => sockopt::set_ip_tos(fd, u8::try_from(value).unwrap_or(u8::MAX)),
                Family::Inet6 => sockopt::set_ipv6_tclass(fd, value),
            },
            SocketOption::NoDelay => sockopt::set_tcp_nodelay(fd, is_on),
            SocketOption::OnlyInet6 => sockopt::set_ipv6_v6only(fd, is_on),
            SocketOption::TimeToLive => sockopt::set_ip_ttl(fd, value),
            SocketOption::NoPush => sockopt::set_tcp_cork(fd, is_on),
        })
    }

    fn option(&mut self, socket: SocketId, option: SocketOption) -> Result<u32, Errno> {
        let (fd, family) = self.of(socket)?;
        let size = |it: usize| u32::try_from(it).unwrap_or(u32::MAX);
        named(match option {
            SocketOption::ReuseAddress => sockopt::socket_reuseaddr(fd).map(u32::from),
            SocketOption::KeepAlive => sockopt::socket_keepalive(fd).map(u32::from),
            SocketOption::Linger => sockopt::socket_linger(fd)
                .map(|it| it.map_or(0, |it| u32::try_from(it.as_secs() + 1).unwrap_or(u32::MAX))),
            SocketOption::Broadcast => sockopt::socket_broadcast(fd).map(u32::from),
            SocketOption::SendBuffer => sockopt::socket_send_buffer_size(fd).map(size),
            SocketOption::ReceiveBuffer => sockopt::socket_recv_buffer_size(fd).map(size),
            SocketOption::TypeOfService => match family {
                Family::Inet => sockopt::ip_tos(fd).map(u32::from),
                Family::Inet6 => sockopt::ipv6_tclass(fd),
            },
            SocketOption::NoDelay => sockopt::tcp_nodelay(fd).map(u32::from),
            SocketOption::OnlyInet6 => sockopt::ipv6_v6only(fd).map(u32::from),
            SocketOption::TimeToLive => sockopt::ip_ttl(fd),
            SocketOption::NoPush => sockopt::tcp_cork(fd).map(u32::from),
        })
    }

    fn close(&mut self, socket: SocketId) {
        self.open.remove(&socket);
    }

    fn wait(&mut self, wishes: &[Wish], limit: Duration) -> (Vec<Wish>, Duration) {
        let begin = Instant::now();
        let known: Vec<(&Wish, &OwnedFd)> = wishes
            .iter()
            .filter_map(|it| self.open.get(&it.socket).map(|(socket, _)| (it, socket)))
            .collect();
        let mut asked: Vec<PollFd<'_>> = known
            .iter()
            .map(|(wish, socket)| {
                let events = match wish.direction {
                    Direction::In => PollFlags::IN,
                    Direction::Out => PollFlags::OUT,
                };
                PollFd::new(*socket, events)
            })
            .collect();
        let limit = Timespec::try_from(limit).ok();
        // A signal interrupts the wait; the machine then waits again.
        let n_ready = poll(&mut asked, limit.as_ref()).unwrap_or(0);
        let is_ready = |it: &PollFd<'_>| !it.revents().is_empty();
        let ready: Vec<Wish> = match n_ready {
            0 => Vec::new(),
            _ => known.iter().zip(&asked).filter(|it| is_ready(it.1)).map(|it| *it.0.0).collect(),
        };
        (ready, begin.elapsed())
    }

    fn host_name(&mut self) -> String {
        rustix::system::uname().nodename().to_string_lossy().into_owned()
    }

    fn reset(&mut self) {
        *self = Network::default();
    }
}

const FLAGS: SocketFlags = SocketFlags::NONBLOCK.union(SocketFlags::CLOEXEC);

fn named<T>(result: rustix::io::Result<T>) -> Result<T, Errno> {
    result.map_err(|it| errno::name(&it.into()))
}
