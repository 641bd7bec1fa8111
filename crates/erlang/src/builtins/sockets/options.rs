//! Socket options by their numbers: those that the operating system keeps, those that change the driver's behaviour,
//! and those that are only stored.

use super::number;
use crate::builtins::{Fault, Stop};
use crate::host::{Errno, SocketOption, Transport};
use crate::machine::World;
use crate::machine::sockets::{Active, Packet};
use values::PortId;

const LINGER: u8 = 3;
const BUFFER: u8 = 20;
const HEADER: u8 = 21;
const ACTIVE: u8 = 22;
const PACKET: u8 = 23;
const MODE: u8 = 24;
const DELIVER: u8 = 25;
const EXIT_ON_CLOSE: u8 = 26;
const PACKET_SIZE: u8 = 32;
const READ_PACKETS: u8 = 33;
const SHOW_RESET: u8 = 39;
const DELIMITER: u8 = 40;

/// Returns the operating system's option for a number; `None` if the option is not one of those.
fn of_system(option: u8) -> Option<SocketOption> {
    Some(match option {
        0 => SocketOption::ReuseAddress,
        1 => SocketOption::KeepAlive,
        LINGER => SocketOption::Linger,
        4 => SocketOption::Broadcast,
        6 => SocketOption::SendBuffer,
        7 => SocketOption::ReceiveBuffer,
        9 | 41 => SocketOption::TypeOfService,
        10 => SocketOption::NoDelay,
        16 => SocketOption::OnlyInet6,
        46 => SocketOption::TimeToLive,
        48 => SocketOption::NoPush,
        _ => return None,
    })
}

/// Returns the initial value of an option that is only stored; `None` for other options.
fn remembered(option: u8) -> Option<u32> {
    Some(match option {
        // `dontroute`, `priority`, `delay_send`, `send_timeout_close`, and options for ancillary data
        2 | 8 | 31 | 35 | 43 | 44 | 47 | 99 => 0,
        // `high_watermark` and `low_watermark`, and those of the message queue
        27 | 36 => 8192,
        28 | 37 => 4096,
        // `send_timeout`: infinity
        30 => u32::MAX,
        READ_PACKETS => 5,
        _ => return None,
    })
}

pub(super) fn set(w: &mut World, id: PortId, mut data: &[u8]) -> Result<Result<(), Errno>, Fault> {
    let mut was_activated = false;
    while let Some((option, rest)) = data.split_first() {
        let Some((value, rest)) = number(rest) else { return Ok(Err(Errno::EINVAL)) };
        data = rest;
        let Some(socket) = w.socket(id) else { return Ok(Err(Errno::EINVAL)) };
        let options = &mut socket.options;
        match *option {
            BUFFER => options.buffer = value as usize,
            HEADER => options.header = value as usize,
            MODE => options.is_binary = value != 0,
            EXIT_ON_CLOSE => options.exits_on_close = value != 0,
            PACKET_SIZE => options.packet_size = value as usize,
            SHOW_RESET => options.shows_reset = value != 0,
            DELIMITER => options.delimiter = value.to_be_bytes()[3],
            DELIVER if value == 1 => (),
            DELIVER => return Err(unsupported("{deliver, port}")),
            PACKET => options.packet = packet(value)?,
            ACTIVE => {
                let times = if value == 3 { data.split_first_chunk::<2>() } else { None };
                let added = times.map(|it| i16::from_be_bytes(*it.0));
                data = times.map_or(data, |it| it.1);
                was_activated = true;
                if !activate(w, id, value, added) {
                    return Ok(Err(Errno::EINVAL));
                }
            }
            LINGER => {
                let Some((time, rest)) = number(data) else { return Ok(Err(Errno::EINVAL)) };
                data = rest;
                let value = if value == 0 { 0 } else { time.saturating_add(1) };
                if let Err(errno) = set_of_system(w, id, SocketOption::Linger, value) {
                    return Ok(Err(errno));
                }
            }
            option => match of_system(option) {
                Some(known) => {
                    if known == SocketOption::ReceiveBuffer {
                        options.buffer = options.buffer.max(value as usize);
                    }
                    if let Err(errno) = set_of_system(w, id, known, value) {
                        return Ok(Err(errno));
                    }
                }
                None if remembered(option).is_some() => drop(options.others.insert(option, value)),
                None => return Ok(Err(Errno::EINVAL)),
            },
        }
    }
    if was_activated {
        w.pump_socket(id);
    }
    Ok(Ok(()))
}

fn set_of_system(w: &mut World, id: PortId, option: SocketOption, value: u32) -> Result<(), Errno> {
    let (network, socket) = w.network(id).ok_or(Errno::EINVAL)?;
    network.set_option(socket, option, value)
}

fn packet(value: u32) -> Result<Packet, Fault> {
    Ok(match value {
        0 => Packet::Raw,
        1 => Packet::Length(1),
        2 => Packet::Length(2),
        3 => Packet::Length(4),
        4 => Packet::Asn1,
        5 => Packet::SunRm,
        8 => Packet::Line,
        9 => Packet::Tpkt,
        _ => return Err(unsupported("{packet, cdr | fcgi | http | httph | ssl_tls}")),
    })
}

fn unsupported(what: &str) -> Fault {
    Stop::Unsupported { what: format!("the option {what} of a socket") }.into()
}

/// Sets the option `active`. Returns `false` if the value is not allowed.
fn activate(w: &mut World, id: PortId, value: u32, added: Option<i16>) -> bool {
    let Some(socket) = w.socket(id) else { return false };
    let active = &mut socket.options.active;
    *active = match (value, added) {
        (0, _) => Active::Off,
        (1, _) => Active::On,
        (2, _) => Active::Once,
        (3, Some(added)) => {
            let before = if let Active::Times(n) = *active { i32::from(n) } else { 0 };
            let n = before + i32::from(added);
            if n > i32::from(i16::MAX) {
                return false;
            }
            match u16::try_from(n) {
                Ok(n @ 1..) => Active::Times(n),
                Ok(0) | Err(_) => {
                    *active = Active::Off;
                    w.tell_passive(id);
                    return true;
                }
            }
        }
        _ => return false,
    };
    true
}

/// Returns the requested options that exist, with their values.
pub(super) fn get(w: &mut World, id: PortId, asked: &[u8]) -> Result<Vec<u8>, Errno> {
    let mut res = Vec::new();
    for option in asked {
        let Some(socket) = w.socket(id) else { return Err(Errno::EINVAL) };
        let transport = socket.transport;
        let options = &socket.options;
        let size = |it: usize| u32::try_from(it).unwrap_or(u32::MAX);
        let mut more: Vec<u8> = Vec::new();
        let value = match *option {
            BUFFER => Some(size(options.buffer)),
            HEADER => Some(size(options.header)),
            MODE => Some(u32::from(options.is_binary)),
            DELIVER => Some(1),
            EXIT_ON_CLOSE => Some(u32::from(options.exits_on_close)),
            PACKET_SIZE => Some(size(options.packet_size)),
            SHOW_RESET => Some(u32::from(options.shows_reset)),
            // The delimiter can be set but not read.
            DELIMITER => return Err(Errno::EINVAL),
            READ_PACKETS if transport == Transport::Tcp => None,
            PACKET => Some(match options.packet {
                Packet::Raw => 0,
                Packet::Length(n) => size(n.min(3)),
                Packet::Asn1 => 4,
                Packet::SunRm => 5,
                Packet::Line => 8,
                Packet::Tpkt => 9,
            }),
            ACTIVE => Some(match options.active {
                Active::Off => 0,
                Active::On => 1,
                Active::Once => 2,
                Active::Times(n) => {
                    more.extend(n.to_be_bytes());
                    3
                }
            }),
            option => match of_system(option) {
                Some(known) => {
                    let value = w
                        .network(id)
                        .and_then(|(network, socket)| network.option(socket, known).ok());
                    if known == SocketOption::Linger {
                        more.extend(value.unwrap_or(0).saturating_sub(1).to_be_bytes());
                        value.map(|it| u32::from(it > 0))
                    } else {
                        value
                    }
                }
                None => options.others.get(&option).copied().or_else(|| remembered(option)),
            },
        };
        if let Some(value) = value {
            res.push(*option);
            res.extend(value.to_be_bytes());
            res.extend(more);
        }
    }
    Ok(res)
}
