//! The requests of `prim_inet` to the drivers of TCP and UDP, by `port_control` and `port_command`.
//!
//! Requests and answers are bytes. What happens between requests is in `machine/sockets`.

mod options;

use crate::builtins::make::atom;
use crate::builtins::{Effect, Fault, Stop};
use crate::host::{Errno, Family, Shutdown, Transport};
use crate::machine::World;
use crate::machine::sockets::{Active, Counts, Socket, Stage, Wanted, encode};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use values::{PortId, Value};

/// Opens the driver of this name; `None` if there is none.
pub(super) fn driver(w: &World, name: &str) -> Option<Result<Socket, Fault>> {
    let transport = match name {
        "tcp_inet" => Transport::Tcp,
        "udp_inet" => Transport::Udp,
        _ => return None,
    };
    if !w.allowed.allows(Effect::Network) {
        let what = format!("erlang:open_port({{spawn_driver, \"{name}\"}}, ...)");
        return Some(Err(Stop::Refused { effect: Effect::Network, what }.into()));
    }
    Some(Ok(Socket::new(transport)))
}

/// The number that `prim_inet` adds to the number of each request.
const MAGIC: i64 = 0x03f1_a300;

/// An answer: bytes, or the name of an error.
type Answer = Result<Vec<u8>, Errno>;

pub(super) fn control(
    w: &mut World,
    id: PortId,
    request: Value,
    data: &[u8],
) -> Result<Value, Fault> {
    let request = request.as_int().ok_or(Fault::BADARG)?;
    let answer = match request - MAGIC {
        1 => open(w, id, data),
        3 => connect(w, id, data),
        4 => peer_name(w, id),
        5 => own_name(w, id),
        6 => bind(w, id, data),
        7 => return options::set(w, id, data).map(|it| replied(w, &it.map(|()| Vec::new()))),
        8 => options::get(w, id, data),
        11 => statistics(w, id, data),
        12 => host_name(w),
        14 => Ok(w.socket(id).and_then(|it| it.id).map_or(0, |it| it.0).to_be_bytes().to_vec()),
        15 => kind(w, id),
        16 => status(w, id),
        24 => subscribe(w, id),
        26 => accept(w, id, data),
        27 => listen(w, id, data),
        28 => Ok(Vec::new()),
        42 | 60 => receive(w, id, data),
        43 => put_back(w, id, data),
        44 => shutdown(w, id, data),
        _ => Err(Errno::EINVAL),
    };
    Ok(replied(w, &answer))
}

fn replied(w: &mut World, answer: &Answer) -> Value {
    let (head, rest) = match answer {
        Ok(bytes) => (1, bytes.as_slice()),
        Err(errno) => (0, errno.0.as_bytes()),
    };
    let bytes = std::iter::once(&head).chain(rest).map(|it| Value::int(i64::from(*it)));
    let bytes: Vec<Value> = bytes.collect();
    w.heap.list(&bytes)
}

/// Sends data, and reports the result to the sender by an `inet_reply` message.
pub(crate) fn command(w: &mut World, id: PortId, bytes: &[u8]) {
    let is_udp = w.socket(id).is_some_and(|it| it.transport == Transport::Udp);
    let result = if is_udp { send_datagram(w, id, bytes) } else { w.send_stream(id, bytes) };
    let said = match result {
        Ok(()) => atom(w, "ok"),
        Err(errno) => w.socket_error(errno),
    };
    let message = [atom(w, "inet_reply"), Value::port(id), said];
    let message = w.heap.tuple(&message);
    let me = w.run.current;
    w.send(me, message);
}

/// Sends a datagram, given as an address, ancillary options and the data.
fn send_datagram(w: &mut World, id: PortId, bytes: &[u8]) -> Result<(), Errno> {
    let is_connected = w.socket(id).is_some_and(|it| it.stage == Stage::Connected);
    let family = family(w, id);
    let (to, rest) = read_address(bytes, family)?;
    let (n_options, rest) = number(rest).ok_or(Errno::EINVAL)?;
    let data = rest.get(n_options as usize..).ok_or(Errno::EINVAL)?;
    let (network, socket) = w.network(id).ok_or(Errno::EINVAL)?;
    let to = if is_connected { None } else { Some(to) };
    network.send(socket, data, to).map(drop)
}

// Opening and naming

fn open(w: &mut World, id: PortId, data: &[u8]) -> Answer {
    let family = match data.first() {
        Some(1) => Family::Inet,
        Some(2) => Family::Inet6,
        _ => return Err(Errno("eafnosupport")),
    };
    let Some(transport) = w.socket(id).map(|it| it.transport) else { return Err(Errno::EINVAL) };
    let network = w.ports.network.as_mut().ok_or(Errno("enotsup"))?;
    let opened = network.open(family, transport)?;
    if let Some(socket) = w.socket(id) {
        (socket.id, socket.family, socket.stage) = (Some(opened), family, Stage::Open);
    }
    Ok(Vec::new())
}

fn bind(w: &mut World, id: PortId, data: &[u8]) -> Answer {
    let family = family(w, id);
    let (to, _) = read_address(data, family)?;
    let (network, socket) = w.network(id).ok_or(Errno::EINVAL)?;
    network.bind(socket, to)?;
    let port = network.name(socket)?.port();
    if let Some(socket) = w.socket(id) {
        socket.stage = Stage::Bound;
    }
    Ok(port.to_be_bytes().to_vec())
}

fn own_name(w: &mut World, id: PortId) -> Answer {
    let (network, socket) = w.network(id).ok_or(Errno::EINVAL)?;
    network.name(socket).map(encode)
}

fn peer_name(w: &mut World, id: PortId) -> Answer {
    let (network, socket) = w.network(id).ok_or(Errno("enotconn"))?;
    network.peer(socket).map(encode)
}

fn host_name(w: &mut World) -> Answer {
    let network = w.ports.network.as_mut().ok_or(Errno("enotsup"))?;
    Ok(network.host_name().into_bytes())
}

// Connections

fn listen(w: &mut World, id: PortId, data: &[u8]) -> Answer {
    let backlog = data.first_chunk().map(|it| u16::from_be_bytes(*it)).ok_or(Errno::EINVAL)?;
    let (network, socket) = w.network(id).ok_or(Errno::EINVAL)?;
    network.listen(socket, backlog)?;
    if let Some(socket) = w.socket(id) {
        socket.stage = Stage::Listening;
    }
    Ok(Vec::new())
}

fn accept(w: &mut World, id: PortId, data: &[u8]) -> Answer {
    let (time, _) = number(data).ok_or(Errno::EINVAL)?;
    if w.socket(id).is_none_or(|it| it.stage != Stage::Listening) {
        return Err(Errno::EINVAL);
    }
    Ok(ask(w, id, Wanted::Accept, time))
}

fn connect(w: &mut World, id: PortId, data: &[u8]) -> Answer {
    let (time, rest) = number(data).ok_or(Errno::EINVAL)?;
    let stage = w.socket(id).map_or(Stage::Closed, |it| it.stage);
    match stage {
        Stage::Open | Stage::Bound => (),
        Stage::Connecting => return Err(Errno("ealready")),
        Stage::Connected => return Err(Errno("eisconn")),
        Stage::Closed | Stage::Listening => return Err(Errno::EINVAL),
    }
    let family = family(w, id);
    let (to, _) = read_address(rest, family)?;
    let (network, socket) = w.network(id).ok_or(Errno::EINVAL)?;
    match network.connect(socket, to) {
        // Even if the connection was made at once, the answer is a message.
        Ok(()) | Err(Errno("einprogress")) => (),
        Err(errno) => return Err(errno),
    }
    if let Some(socket) = w.socket(id) {
        socket.stage = Stage::Connecting;
    }
    Ok(ask(w, id, Wanted::Connect, time))
}

fn receive(w: &mut World, id: PortId, data: &[u8]) -> Answer {
    let (time, rest) = number(data).ok_or(Errno::EINVAL)?;
    let (length, _) = number(rest).ok_or(Errno::EINVAL)?;
    let limit = w.limits.memory_bytes;
    let Some(socket) = w.socket(id) else { return Err(Errno::EINVAL) };
    if socket.transport == Transport::Tcp && socket.stage != Stage::Connected {
        return Err(Errno("enotconn"));
    }
    if socket.options.active != Active::Off {
        return Err(Errno::EINVAL);
    }
    if length as usize > limit {
        return Err(Errno("enomem"));
    }
    let reference = ask(w, id, Wanted::Receive(length as usize), time);
    w.pump_socket(id);
    Ok(reference)
}

fn put_back(w: &mut World, id: PortId, data: &[u8]) -> Answer {
    let socket = w.socket(id).ok_or(Errno::EINVAL)?;
    if socket.stage != Stage::Connected {
        return Err(Errno("enotconn"));
    }
    socket.input.splice(0..0, data.iter().copied());
    w.pump_socket(id);
    Ok(Vec::new())
}

fn shutdown(w: &mut World, id: PortId, data: &[u8]) -> Answer {
    let how = match data.first() {
        Some(0) => Shutdown::Read,
        Some(1) => Shutdown::Write,
        Some(2) => Shutdown::Both,
        _ => return Err(Errno::EINVAL),
    };
    let socket = w.socket(id).ok_or(Errno::EINVAL)?;
    if socket.stage != Stage::Connected {
        return Err(Errno("enotconn"));
    }
    if how != Shutdown::Read && !socket.output.is_empty() {
        socket.shutdown = Some(how);
        return Ok(Vec::new());
    }
    let (network, socket) = w.network(id).ok_or(Errno("enotconn"))?;
    network.shutdown(socket, how).map(|()| Vec::new())
}

/// Returns how many bytes wait to be sent. If there are any, the caller gets a message when all are sent.
fn subscribe(w: &mut World, id: PortId) -> Answer {
    let me = w.run.current;
    let socket = w.socket(id).ok_or(Errno::EINVAL)?;
    let n = u32::try_from(socket.output.len()).unwrap_or(u32::MAX);
    if n > 0 {
        socket.awaits_output.push(me);
    }
    Ok([&[1], n.to_be_bytes().as_slice()].concat())
}

fn ask(w: &mut World, id: PortId, what: Wanted, time: u32) -> Vec<u8> {
    const FOR_EVER: u32 = u32::MAX;
    let (me, now) = (w.run.current, w.run.clock);
    let until = (time != FOR_EVER).then(|| now.saturating_add(u64::from(time) * 1_000_000));
    let reference = w.socket(id).map_or(0, |it| it.ask(me, what, until));
    reference.to_be_bytes().to_vec()
}

// Information

fn kind(w: &mut World, id: PortId) -> Answer {
    let socket = w.socket(id).ok_or(Errno::EINVAL)?;
    let family: u32 = match socket.family {
        Family::Inet => 1,
        Family::Inet6 => 2,
    };
    let kind: u32 = match socket.transport {
        Transport::Tcp => 1,
        Transport::Udp => 2,
    };
    Ok([family.to_be_bytes(), kind.to_be_bytes()].concat())
}

fn status(w: &mut World, id: PortId) -> Answer {
    let socket = w.socket(id).ok_or(Errno::EINVAL)?;
    let is_accepting = !socket.pending.is_empty();
    let flags: u32 = match socket.stage {
        Stage::Closed => 0,
        Stage::Open => 0x1,
        Stage::Bound => 0x3,
        Stage::Listening if is_accepting => 0x29,
        Stage::Listening => 0x9,
        Stage::Connecting => 0x11,
        Stage::Connected => 0x5,
    };
    Ok(flags.to_be_bytes().to_vec())
}

fn statistics(w: &mut World, id: PortId, data: &[u8]) -> Answer {
    let socket = w.socket(id).ok_or(Errno::EINVAL)?;
    let (received, sent) = (socket.received, socket.sent);
    let average = |it: Counts| it.bytes.checked_div(it.n).unwrap_or(0);
    let mut res = Vec::new();
    for what in data {
        let value = match what {
            1 => received.n,
            2 => received.largest,
            3 => average(received),
            // The average deviation of packet sizes is not computed.
            4 => 0,
            5 => sent.n,
            6 => sent.largest,
            7 => average(sent),
            8 => socket.output.len() as u64,
            9 => received.bytes,
            10 => sent.bytes,
            _ => return Err(Errno::EINVAL),
        };
        res.push(*what);
        let bytes = value.to_be_bytes();
        let n_short = if matches!(what, 9 | 10) { 0 } else { 4 };
        res.extend(bytes.get(n_short..).unwrap_or_default());
    }
    Ok(res)
}

// Encoding

fn family(w: &mut World, id: PortId) -> Family {
    w.socket(id).map_or(Family::Inet, |it| it.family)
}

/// Reads a number of 32 bits. Returns it with the bytes after it.
fn number(data: &[u8]) -> Option<(u32, &[u8])> {
    let (head, rest) = data.split_first_chunk()?;
    Some((u32::from_be_bytes(*head), rest))
}

/// Reads an address. Returns it with the bytes after it.
fn read_address(data: &[u8], family: Family) -> Result<(SocketAddr, &[u8]), Errno> {
    let bad = Errno::EINVAL;
    let (kind, rest) = data.split_first().ok_or(bad)?;
    if !(1..=4).contains(kind) {
        return Err(Errno("eafnosupport"));
    }
    let (port, rest) = rest.split_first_chunk().ok_or(bad)?;
    let (ip, rest): (IpAddr, &[u8]) = match (kind, family) {
        (1, _) => {
            let (ip, rest) = rest.split_first_chunk::<4>().ok_or(bad)?;
            (Ipv4Addr::from(*ip).into(), rest)
        }
        (2, _) => {
            // The address is followed by flow information and scope, which are skipped.
            let (ip, rest) = rest.split_first_chunk::<16>().ok_or(bad)?;
            (Ipv6Addr::from(*ip).into(), rest.get(8..).unwrap_or_default())
        }
        (3, Family::Inet) => (Ipv4Addr::UNSPECIFIED.into(), rest),
        (3, Family::Inet6) => (Ipv6Addr::UNSPECIFIED.into(), rest),
        (_, Family::Inet) => (Ipv4Addr::LOCALHOST.into(), rest),
        (_, Family::Inet6) => (Ipv6Addr::LOCALHOST.into(), rest),
    };
    Ok((SocketAddr::new(ip, u16::from_be_bytes(*port)), rest))
}
