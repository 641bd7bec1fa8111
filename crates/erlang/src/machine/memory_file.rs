//! A file in memory, with the protocol between OTP's `ram_file` and its driver: commands and responses as bytes.

#[derive(Debug, Default)]
pub(crate) struct MemoryFile {
    bytes: Vec<u8>,
    at: usize,
    can_read: bool,
    can_write: bool,
}

/// A response: a head, which becomes a list, and data if the command asked for it.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) head: Vec<u8>,
    pub(crate) data: Option<Vec<u8>>,
}

const OK: u8 = 0;
const ERROR: u8 = 1;
const DATA: u8 = 2;
const NUMBER: u8 = 3;

/// The maximum file size; offsets are signed 32-bit integers.
const MAX: usize = i32::MAX as usize;

impl MemoryFile {
    /// Executes a command: a byte that names it, and its arguments. `None` if the command is unknown.
    pub(crate) fn command(&mut self, command: &[u8]) -> Option<Response> {
        let (name, args) = command.split_first()?;
        let is_open = self.can_read || self.can_write;
        Some(match name {
            1 => {
                let (mode, bytes) = split_number(args)?;
                self.can_read = mode & 1 != 0;
                self.can_write = mode & 2 != 0;
                self.bytes = bytes.to_vec();
                self.at = 0;
                number(0)
            }
            2 => {
                let (n, _) = split_number(args)?;
                let at = self.at;
                let data = self.read(at, n);
                if let Ok(data) = &data {
                    self.at += data.len();
                }
                answered(data, data_response)
            }
            3 => {
                let (offset, rest) = split_number(args)?;
                let (origin, _) = split_number(rest)?;
                answered(self.seek(offset, origin), number)
            }
            4 => {
                let at = self.at;
                let done = self.write(at, args);
                if done.is_ok() {
                    self.at += args.len();
                }
                answered(done, number)
            }
            // Synchronisation, advice and allocation have no effect.
            9 | 19 | 38 | 39 if is_open => Response { head: vec![OK], data: None },
            9 | 19 | 38 | 39 => error("ebadf"),
            14 if !self.can_write => error("eacces"),
            14 => {
                self.bytes.truncate(self.at);
                self.bytes.resize(self.at, 0);
                Response { head: vec![OK], data: None }
            }
            17 => {
                let (offset, rest) = split_number(args)?;
                let (n, _) = split_number(rest)?;
                match usize::try_from(offset) {
                    Ok(at) => answered(self.read(at, n), data_response),
                    Err(_) => error("einval"),
                }
            }
            18 => {
                let (offset, bytes) = split_number(args)?;
                match usize::try_from(offset) {
                    Ok(at) => answered(self.write(at, bytes), number),
                    Err(_) => error("einval"),
                }
            }
            30 => data_response(self.bytes.clone()),
            37 => number(self.bytes.len()),
            _ => return None,
        })
    }

    fn read(&self, at: usize, n: i32) -> Result<Vec<u8>, &'static str> {
        if !self.can_read {
            return Err("ebadf");
        }
        let n = usize::try_from(n).map_err(|_| "einval")?;
        let rest = self.bytes.get(at..).unwrap_or_default();
        Ok(rest.get(..n).unwrap_or(rest).to_vec())
    }

    fn write(&mut self, at: usize, bytes: &[u8]) -> Result<usize, &'static str> {
        if !self.can_write {
            return Err("ebadf");
        }
        let end = at.checked_add(bytes.len()).filter(|it| *it <= MAX).ok_or("einval")?;
        if self.bytes.len() < end {
            self.bytes.resize(end, 0);
        }
        if let Some(place) = self.bytes.get_mut(at..end) {
            place.copy_from_slice(bytes);
        }
        Ok(bytes.len())
    }

    fn seek(&mut self, offset: i32, origin: i32) -> Result<usize, &'static str> {
        if !self.can_read && !self.can_write {
            return Err("ebadf");
        }
        let begin = match origin {
            0 => 0,
            1 => self.at,
            2 => self.bytes.len(),
            _ => return Err("einval"),
        };
        let begin = i64::try_from(begin).unwrap_or(i64::MAX);
        self.at = usize::try_from(begin + i64::from(offset)).map_err(|_| "einval")?;
        Ok(self.at)
    }
}

fn split_number(bytes: &[u8]) -> Option<(i32, &[u8])> {
    let (number, rest) = bytes.split_first_chunk()?;
    Some((i32::from_be_bytes(*number), rest))
}

fn answered<T>(done: Result<T, &'static str>, say: impl FnOnce(T) -> Response) -> Response {
    done.map_or_else(error, say)
}

fn number(n: usize) -> Response {
    let n = u32::try_from(n).unwrap_or(u32::MAX);
    Response { head: [&[NUMBER], n.to_be_bytes().as_slice()].concat(), data: None }
}

fn data_response(data: Vec<u8>) -> Response {
    let n = u32::try_from(data.len()).unwrap_or(u32::MAX);
    Response { head: [&[DATA], n.to_be_bytes().as_slice()].concat(), data: Some(data) }
}

fn error(name: &str) -> Response {
    Response { head: [&[ERROR], name.as_bytes()].concat(), data: None }
}
