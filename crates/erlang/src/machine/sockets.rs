//! Sockets behind ports: the work of the TCP and UDP drivers between two requests.
//!
//! A request that must wait is stored and answered later by a message, as `prim_inet` expects. The format of requests
//! is implemented in `builtins/sockets`.

use crate::builtins::make::atom;
use crate::host::{
    Direction, Errno, Family, Received, Shutdown, SocketId, Sockets, Transport, Wish,
};
use crate::machine::World;
use crate::machine::ports::{Behind, Port};
use std::collections::{BTreeMap, VecDeque};
use std::net::{IpAddr, SocketAddr};
use values::{AtomId, PidId, PortId, Value};

#[derive(Debug)]
pub(crate) struct Socket {
    /// `None` before the socket is opened, and after the peer has closed it.
    pub(crate) id: Option<SocketId>,
    pub(crate) transport: Transport,
    pub(crate) family: Family,
    pub(crate) stage: Stage,
    pub(crate) options: SocketOptions,
    pub(crate) pending: VecDeque<PendingRequest>,
    pub(crate) received: Counts,
    pub(crate) sent: Counts,
    /// Data that was received but not delivered yet.
    pub(crate) input: Vec<u8>,
    /// Data to be sent that has not left yet.
    pub(crate) output: Vec<u8>,
    /// Processes to be told when all output has been sent.
    pub(crate) awaits_output: Vec<PidId>,
    /// A shutdown to be done when all output has been sent.
    pub(crate) shutdown: Option<Shutdown>,
    /// Present if nothing more will be received, with the reason.
    over: Option<Errno>,
    n_asked: u16,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    Closed,
    Open,
    Bound,
    Listening,
    Connecting,
    Connected,
}

/// A request that is answered later.
#[derive(Debug)]
pub(crate) struct PendingRequest {
    reference: u16,
    from: PidId,
    until: Option<u64>,
    what: Wanted,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    Accept,
    Connect,
    /// Receive this many bytes; with 0, whatever is available, or a packet.
    Receive(usize),
}

#[derive(Clone, Debug)]
pub(crate) struct SocketOptions {
    pub(crate) active: Active,
    pub(crate) is_binary: bool,
    pub(crate) header: usize,
    pub(crate) packet: Packet,
    pub(crate) packet_size: usize,
    pub(crate) buffer: usize,
    pub(crate) exits_on_close: bool,
    pub(crate) delimiter: u8,
    pub(crate) shows_reset: bool,
    /// Options without effect here, by number.
    pub(crate) others: BTreeMap<u8, u32>,
}

/// Whether received data is sent to the owner without a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Active {
    Off,
    On,
    Once,
    Times(u16),
}

/// How the bytes of a stream are divided into packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packet {
    Raw,
    /// Each packet is preceded by its length, a field of this many bytes.
    Length(usize),
    Line,
    /// ASN.1 BER: a tag and a length precede the contents.
    Asn1,
    /// Sun's record marking: a word whose lower 31 bits are the length precedes the contents.
    SunRm,
    /// RFC 1006: the third and fourth byte are the length of the whole packet.
    Tpkt,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) n: u64,
    pub(crate) bytes: u64,
    pub(crate) largest: u64,
}

impl Counts {
    fn note(&mut self, n_bytes: usize) {
        let n_bytes = n_bytes as u64;
        self.n += 1;
        self.bytes += n_bytes;
        self.largest = self.largest.max(n_bytes);
    }
}

/// The maximum number of bytes that one read takes, unless it is a TCP socket in raw mode.
const PIECE: usize = 1 << 16;

const CLOSED: Errno = Errno("closed");

impl Socket {
    pub(crate) fn new(transport: Transport) -> Socket {
        Socket {
            id: None,
            transport,
            family: Family::Inet,
            stage: Stage::Closed,
            options: SocketOptions {
                active: Active::Off,
                is_binary: false,
                header: 0,
                packet: Packet::Raw,
                packet_size: 0,
                buffer: 1460,
                exits_on_close: true,
                delimiter: b'\n',
                shows_reset: false,
                others: BTreeMap::new(),
            },
            pending: VecDeque::new(),
            received: Counts::default(),
            sent: Counts::default(),
            input: Vec::new(),
            output: Vec::new(),
            awaits_output: Vec::new(),
            shutdown: None,
            over: None,
            n_asked: 0,
        }
    }

    /// Stores a request. Returns its number, which the answer will contain.
    pub(crate) fn ask(&mut self, from: PidId, what: Wanted, until: Option<u64>) -> u16 {
        self.n_asked = self.n_asked.wrapping_add(1);
        self.pending.push_back(PendingRequest { reference: self.n_asked, from, until, what });
        self.n_asked
    }

    fn wishes(&self) -> Option<Wish> {
        let socket = self.id?;
        let wants_input = match self.stage {
            Stage::Closed | Stage::Connecting => false,
            Stage::Listening => !self.pending.is_empty(),
            Stage::Open | Stage::Bound | Stage::Connected => {
                let is_udp = self.transport == Transport::Udp;
                (is_udp || self.stage == Stage::Connected)
                    && self.over.is_none()
                    && (self.options.active != Active::Off || !self.pending.is_empty())
            }
        };
        let wants_output = self.stage == Stage::Connecting || !self.output.is_empty();
        match (wants_output, wants_input) {
            (true, _) => Some(Wish { socket, direction: Direction::Out }),
            (false, true) => Some(Wish { socket, direction: Direction::In }),
            (false, false) => None,
        }
    }

    /// Takes the next packet of a stream, or `wanted` bytes in raw mode. `None` if it is not complete.
    fn cut(&mut self, wanted: usize) -> Option<Result<Vec<u8>, Errno>> {
        let input = self.input.as_slice();
        let be = |bytes: &[u8]| bytes.iter().fold(0usize, |acc, it| acc << 8 | usize::from(*it));
        // The start and end of the packet.
        let (begin, end) = match self.options.packet {
            Packet::Raw if wanted > 0 => (0, wanted),
            Packet::Raw => (0, input.len().min(self.options.buffer.max(1))),
            Packet::Length(n) => (n, n.checked_add(be(input.get(..n)?))?),
            Packet::Line => {
                let end = input.iter().position(|it| *it == self.options.delimiter);
                let longest = self.options.buffer.max(1);
                match end {
                    Some(end) => (0, (end + 1).min(longest)),
                    None if input.len() >= longest => (0, longest),
                    None => return None,
                }
            }
            Packet::Asn1 => {
                let head = asn1_head(input)?;
                (0, head.0.checked_add(head.1)?)
            }
            Packet::SunRm => (0, 4 + (be(input.get(..4)?) & 0x7fff_ffff)),
            Packet::Tpkt => (0, be(input.get(2..4)?).max(4)),
        };
        let is_framed = !matches!(self.options.packet, Packet::Raw | Packet::Line);
        let limit = self.options.packet_size;
        if is_framed && limit > 0 && end - begin > limit {
            return Some(Err(Errno("emsgsize")));
        }
        let packet = input.get(begin..end).filter(|_| end > 0)?.to_vec();
        self.input.drain(..end);
        Some(Ok(packet))
    }
}

/// The length of a BER packet's head, and of its contents.
fn asn1_head(input: &[u8]) -> Option<(usize, usize)> {
    let mut at = 1;
    if input.first()? & 0x1f == 0x1f {
        while input.get(at)? & 0x80 != 0 {
            at += 1;
        }
        at += 1;
    }
    let length = usize::from(*input.get(at)?);
    at += 1;
    if length & 0x80 == 0 {
        return Some((at, length));
    }
    let n = length & 0x7f;
    let bytes = input.get(at..at + n)?;
    Some((at + n, bytes.iter().fold(0, |acc: usize, it| acc << 8 | usize::from(*it))))
}

impl World {
    /// The events for which the open sockets wait.
    pub(super) fn socket_wishes(&self) -> Vec<Wish> {
        self.ports.sockets().filter_map(|it| it.1.wishes()).collect()
    }

    /// The earliest deadline of all pending requests.
    pub(super) fn socket_deadline(&self) -> Option<u64> {
        let pending = self.ports.sockets().flat_map(|it| &it.1.pending);
        pending.filter_map(|it| it.until).min()
    }

    /// Answers the requests whose deadline has passed.
    pub(super) fn expire_sockets(&mut self) {
        let now = self.run.clock;
        let is_over = |it: &PendingRequest| it.until.is_some_and(|it| it <= now);
        let late: Vec<PortId> = self
            .ports
            .sockets()
            .filter(|it| it.1.pending.iter().any(is_over))
            .map(|it| it.0)
            .collect();
        for id in late {
            while let Some(socket) = self.socket(id)
                && let Some(at) = socket.pending.iter().position(is_over)
                && let Some(pending) = socket.pending.remove(at)
            {
                if pending.what == Wanted::Connect {
                    socket.stage = Stage::Open;
                }
                let error = self.socket_error(Errno("timeout"));
                self.answer_later(id, &pending, error);
            }
        }
    }

    /// Handles an event for which a socket waited.
    pub(super) fn socket_ready(&mut self, wish: Wish) {
        let found = self.ports.sockets().find(|it| it.1.id == Some(wish.socket)).map(|it| it.0);
        let Some(id) = found else { return };
        let Some(socket) = self.socket(id) else { return };
        match (wish.direction, socket.stage) {
            (Direction::Out, Stage::Connecting) => self.socket_connected(id),
            (Direction::Out, _) => self.flush_socket(id),
            (Direction::In, Stage::Listening) => self.socket_accepts(id),
            (Direction::In, _) => self.socket_receives(id),
        }
    }

    pub(crate) fn socket(&mut self, id: PortId) -> Option<&mut Socket> {
        match &mut self.ports.open.get_mut(&id)?.behind {
            Behind::Socket(socket) => Some(socket),
            Behind::Program { .. } | Behind::Memory(_) => None,
        }
    }

    /// The network, and the network's identifier of the socket.
    pub(crate) fn network(&mut self, id: PortId) -> Option<(&mut dyn Sockets, SocketId)> {
        let socket = self.socket(id)?.id?;
        Some((self.ports.network.as_deref_mut()?, socket))
    }

    fn socket_connected(&mut self, id: PortId) {
        let Some((network, known)) = self.network(id) else { return };
        let result = network.error(known);
        let Some(socket) = self.socket(id) else { return };
        socket.stage = if result.is_ok() { Stage::Connected } else { Stage::Open };
        let at = socket.pending.iter().position(|it| it.what == Wanted::Connect);
        let Some(pending) = at.and_then(|it| socket.pending.remove(it)) else { return };
        let said = match result {
            Ok(()) => Value::atom(AtomId::OK),
            Err(errno) => self.socket_error(errno),
        };
        self.answer_later(id, &pending, said);
    }

    fn socket_accepts(&mut self, id: PortId) {
        while self.socket(id).is_some_and(|it| !it.pending.is_empty()) {
            let Some((network, known)) = self.network(id) else { return };
            let result = network.accept(known);
            if result == Err(Errno("eagain")) {
                return;
            }
            let Some(listener) = self.socket(id) else { return };
            let Some(pending) = listener.pending.pop_front() else { return };
            let said = match result {
                Ok(accepted) => {
                    let mut socket = Socket::new(listener.transport);
                    socket.id = Some(accepted);
                    socket.family = listener.family;
                    socket.stage = Stage::Connected;
                    socket.options =
                        SocketOptions { active: Active::Off, ..listener.options.clone() };
                    let Some(port) = self.ports.open.get(&id) else { return };
                    let (name, options) = (port.name.clone(), port.options);
                    let behind = Behind::Socket(Box::new(socket));
                    let port = Port::new(pending.from, name, options, behind);
                    let port = self.ports.add(port);
                    self.heap.tuple(&[Value::atom(AtomId::OK), Value::port(port)])
                }
                Err(errno) => self.socket_error(errno),
            };
            self.answer_later(id, &pending, said);
        }
    }

    fn socket_receives(&mut self, id: PortId) {
        let Some(socket) = self.socket(id) else { return };
        let max = match (socket.transport, socket.options.packet) {
            (Transport::Udp, _) => PIECE,
            (Transport::Tcp, Packet::Raw) => socket.options.buffer.max(1),
            (Transport::Tcp, _) => PIECE,
        };
        let Some((network, known)) = self.network(id) else { return };
        let received = network.receive(known, max);
        if let (Ok(it), Some(port)) = (&received, self.ports.open.get_mut(&id)) {
            port.n_in += it.bytes.len() as u64;
        }
        let Some(socket) = self.socket(id) else { return };
        match received {
            Err(Errno("eagain" | "eintr")) => return,
            Ok(Received { bytes, from }) if socket.transport == Transport::Udp => {
                socket.received.note(bytes.len());
                return self.datagram(id, &bytes, from);
            }
            Ok(Received { bytes, .. }) if bytes.is_empty() => socket.over = Some(CLOSED),
            Ok(Received { bytes, .. }) => {
                socket.received.note(bytes.len());
                socket.input.extend(bytes);
            }
            Err(Errno("econnreset")) if !socket.options.shows_reset => socket.over = Some(CLOSED),
            Err(errno) if socket.transport == Transport::Udp => return self.no_datagram(id, errno),
            Err(errno) => socket.over = Some(errno),
        }
        self.pump_socket(id);
    }

    fn datagram(&mut self, id: PortId, bytes: &[u8], from: Option<SocketAddr>) {
        let (Some(socket), Some(from)) = (self.socket(id), from) else { return };
        let pending = socket.pending.pop_front();
        let data = self.socket_data(id, bytes);
        match pending {
            Some(pending) => {
                let address: Vec<Value> =
                    encode(from).iter().map(|it| Value::int(i64::from(*it))).collect();
                let said = self.heap.list_with_tail(&address, data);
                let said = self.heap.tuple(&[Value::atom(AtomId::OK), said]);
                self.answer_later(id, &pending, said);
            }
            None => {
                let parts: Vec<Value> = match from.ip() {
                    IpAddr::V4(ip) => {
                        ip.octets().iter().map(|it| Value::int(i64::from(*it))).collect()
                    }
                    IpAddr::V6(ip) => {
                        ip.segments().iter().map(|it| Value::int(i64::from(*it))).collect()
                    }
                };
                let ip = self.heap.tuple(&parts);
                let port = Value::int(i64::from(from.port()));
                let message = [atom(self, "udp"), Value::port(id), ip, port, data];
                self.tell_owner(id, &message);
                self.count_active(id);
            }
        }
    }

    fn no_datagram(&mut self, id: PortId, errno: Errno) {
        let Some(socket) = self.socket(id) else { return };
        match socket.pending.pop_front() {
            Some(pending) => {
                let error = self.socket_error(errno);
                self.answer_later(id, &pending, error);
            }
            None => {
                let message = [atom(self, "udp_error"), Value::port(id), atom(self, errno.0)];
                self.tell_owner(id, &message);
            }
        }
    }

    /// Delivers available data to pending requests, or to the owner.
    pub(crate) fn pump_socket(&mut self, id: PortId) {
        while let Some(socket) = self.socket(id) {
            if socket.stage != Stage::Connected || socket.transport == Transport::Udp {
                return;
            }
            let wanted = match socket.pending.front() {
                Some(PendingRequest { what: Wanted::Receive(wanted), .. }) => *wanted,
                Some(_) => return,
                None if socket.options.active != Active::Off => 0,
                None => return,
            };
            match socket.cut(wanted) {
                Some(Ok(bytes)) => {
                    let pending = socket.pending.pop_front();
                    let data = self.socket_data(id, &bytes);
                    match pending {
                        Some(pending) => {
                            let said = self.heap.tuple(&[Value::atom(AtomId::OK), data]);
                            self.answer_later(id, &pending, said);
                        }
                        None => {
                            let message = [atom(self, "tcp"), Value::port(id), data];
                            self.tell_owner(id, &message);
                            self.count_active(id);
                        }
                    }
                }
                Some(Err(errno)) => return self.socket_over(id, errno),
                None => match socket.over {
                    Some(errno) => return self.socket_over(id, errno),
                    None => return,
                },
            }
        }
    }

    /// Handles the end of a connection: the peer has closed it, or an error occurred.
    fn socket_over(&mut self, id: PortId, errno: Errno) {
        let Some(socket) = self.socket(id) else { return };
        let exits = socket.options.exits_on_close;
        let is_active = socket.options.active != Active::Off;
        socket.input.clear();
        socket.over = Some(errno);
        let pending = std::mem::take(&mut socket.pending);
        if exits {
            socket.stage = Stage::Closed;
            socket.output.clear();
            let known = socket.id.take();
            if let (Some(known), Some(network)) = (known, &mut self.ports.network) {
                network.close(known);
            }
        }
        for pending in pending {
            let error = self.socket_error(errno);
            self.answer_later(id, &pending, error);
        }
        if !is_active {
            return;
        }
        if errno != CLOSED {
            let message = [atom(self, "tcp_error"), Value::port(id), atom(self, errno.0)];
            self.tell_owner(id, &message);
        }
        let message = [atom(self, "tcp_closed"), Value::port(id)];
        self.tell_owner(id, &message);
        let Some(port) = self.ports.open.get_mut(&id) else { return };
        if exits {
            // When a port ends by itself, links are not told of a normal end.
            port.links.clear();
            self.close_port(id, Value::atom(AtomId::NORMAL));
        } else if let Some(socket) = self.socket(id) {
            socket.options.active = Active::Off;
        }
    }

    /// Updates the active mode after a message was delivered without a request.
    fn count_active(&mut self, id: PortId) {
        let Some(socket) = self.socket(id) else { return };
        match &mut socket.options.active {
            Active::Times(n @ 2..) => *n -= 1,
            Active::Times(_) => {
                socket.options.active = Active::Off;
                self.tell_passive(id);
            }
            Active::Once => socket.options.active = Active::Off,
            Active::On | Active::Off => (),
        }
    }

    /// Tells the owner that the socket has become passive.
    pub(crate) fn tell_passive(&mut self, id: PortId) {
        let Some(socket) = self.socket(id) else { return };
        let name = match socket.transport {
            Transport::Tcp => "tcp_passive",
            Transport::Udp => "udp_passive",
        };
        let message = [atom(self, name), Value::port(id)];
        self.tell_owner(id, &message);
    }

    /// Sends bytes to the peer. Bytes that can't be sent at once are sent later.
    pub(crate) fn send_stream(&mut self, id: PortId, bytes: &[u8]) -> Result<(), Errno> {
        let room = self.limits.memory_bytes;
        let Some(socket) = self.socket(id) else { return Err(Errno::EINVAL) };
        match socket.stage {
            Stage::Connected => (),
            Stage::Closed if socket.over.take().is_some() => return Err(CLOSED),
            Stage::Closed | Stage::Open | Stage::Bound | Stage::Listening | Stage::Connecting => {
                return Err(Errno("enotconn"));
            }
        }
        let length = (bytes.len() as u64).to_be_bytes();
        if let Packet::Length(n) = socket.options.packet {
            // A length that exceeds its field is truncated, as on BEAM.
            socket.output.extend(length.get(length.len() - n..).unwrap_or_default());
        }
        if socket.output.len() + bytes.len() > room {
            return Err(Errno("enomem"));
        }
        socket.output.extend(bytes);
        socket.sent.note(bytes.len());
        if let Some(port) = self.ports.open.get_mut(&id) {
            port.n_out += bytes.len() as u64;
        }
        self.flush_socket(id);
        match self.socket(id) {
            Some(socket) if socket.stage == Stage::Connected => Ok(()),
            _ => Err(CLOSED),
        }
    }

    /// Sends as much of the output as possible.
    pub(crate) fn flush_socket(&mut self, id: PortId) {
        while let Some(socket) = self.socket(id)
            && !socket.output.is_empty()
        {
            let bytes = std::mem::take(&mut socket.output);
            let Some((network, known)) = self.network(id) else { return };
            let result = network.send(known, &bytes, None);
            let Some(socket) = self.socket(id) else { return };
            socket.output = bytes;
            match result {
                Ok(n) => drop(socket.output.drain(..n)),
                Err(Errno("eagain" | "eintr")) => return,
                Err(_) => return self.socket_over(id, CLOSED),
            }
        }
        let Some(socket) = self.socket(id) else { return };
        let (told, shutdown) = (std::mem::take(&mut socket.awaits_output), socket.shutdown.take());
        if let (Some(how), Some((network, known))) = (shutdown, self.network(id)) {
            // The request for the shutdown was already answered, so an error can't be reported.
            network.shutdown(known, how).unwrap_or_default();
        }
        for pid in told {
            let message = [atom(self, "empty_out_q"), Value::port(id)];
            let message = self.heap.tuple(&message);
            self.send(pid, message);
        }
    }

    /// Handles the end of a socket's port.
    pub(super) fn drop_socket(&mut self, id: PortId, socket: &Socket) {
        if let (Some(known), Some(network)) = (socket.id, &mut self.ports.network) {
            network.close(known);
        }
        for pending in &socket.pending {
            let error = self.socket_error(CLOSED);
            self.answer_later(id, pending, error);
        }
    }

    fn answer_later(&mut self, id: PortId, pending: &PendingRequest, said: Value) {
        let reference = Value::int(i64::from(pending.reference));
        let message = [atom(self, "inet_async"), Value::port(id), reference, said];
        let message = self.heap.tuple(&message);
        self.send(pending.from, message);
    }

    pub(crate) fn socket_error(&mut self, errno: Errno) -> Value {
        let error = [Value::atom(AtomId::ERROR), atom(self, errno.0)];
        self.heap.tuple(&error)
    }

    fn tell_owner(&mut self, id: PortId, message: &[Value]) {
        let Some(owner) = self.ports.open.get(&id).map(|it| it.owner) else { return };
        let message = self.heap.tuple(message);
        self.send(owner, message);
    }

    /// Bytes as a list or binary, according to the socket's options.
    fn socket_data(&mut self, id: PortId, bytes: &[u8]) -> Value {
        let (is_binary, header) = match self.socket(id) {
            Some(socket) => (socket.options.is_binary, socket.options.header),
            None => (true, 0),
        };
        let is_listed = !is_binary || bytes.len() < header;
        let (listed, rest) = bytes.split_at(if is_listed { bytes.len() } else { header });
        let listed: Vec<Value> = listed.iter().map(|it| Value::int(i64::from(*it))).collect();
        let tail = if is_listed { Value::NIL } else { self.heap.binary(rest) };
        self.heap.list_with_tail(&listed, tail)
    }
}

/// The family, port and address in the drivers' format.
pub(crate) fn encode(address: SocketAddr) -> Vec<u8> {
    let port = address.port().to_be_bytes();
    match address.ip() {
        IpAddr::V4(ip) => [&[1], port.as_slice(), &ip.octets()].concat(),
        IpAddr::V6(ip) => [&[2], port.as_slice(), &ip.octets()].concat(),
    }
}
