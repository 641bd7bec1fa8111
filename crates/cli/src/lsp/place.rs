//! Conversions between paths and lines and the URIs and ranges of the language server protocol.

use lsp_types::{Position, Range, Uri};
use std::path::{Path, PathBuf};

/// Returns the path that a `file` URI denotes.
pub(super) fn path_of(uri: &Uri) -> Option<PathBuf> {
    let text = uri.as_str().strip_prefix("file://")?;
    // The text before the first slash is a host name.
    let (_, path) = text.split_at(text.find('/')?);
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.bytes();
    while let Some(byte) = rest.next() {
        let decoded = if byte == b'%' {
            let digits = [rest.next()?, rest.next()?];
            u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
        } else {
            byte
        };
        bytes.push(decoded);
    }
    String::from_utf8(bytes).ok().map(PathBuf::from)
}

pub(super) fn uri_of(path: &Path) -> Option<Uri> {
    let mut res = "file://".to_owned();
    for byte in path.to_str()?.bytes() {
        let is_plain = byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte);
        if is_plain { res.push(char::from(byte)) } else { res.push_str(&format!("%{byte:02X}")) }
    }
    res.parse().ok()
}

/// The range of a line, counted from 1, without leading and trailing white space; columns are in UTF-16 units.
pub(super) fn range_of(text: &str, line: u32) -> Range {
    let n = line.saturating_sub(1);
    let of_line = usize::try_from(n).ok().and_then(|it| text.lines().nth(it)).unwrap_or_default();
    let units = |it: &str| u32::try_from(it.encode_utf16().count()).unwrap_or(u32::MAX);
    let (whole, trimmed) = (of_line.trim_end(), of_line.trim());
    let start = Position::new(n, units(whole) - units(trimmed));
    Range::new(start, Position::new(n, units(whole)))
}

#[cfg(test)]
mod tests {
    use super::{path_of, range_of, uri_of};
    use std::path::Path;

    #[test]
    fn paths_and_uris() {
        for path in ["/home/me/a b.erl", "/ä/100%.pl", "/c:/x.ex"] {
            assert_eq!(
                path_of(&uri_of(Path::new(path)).expect("a URI")).as_deref(),
                Some(Path::new(path))
            );
        }
        assert_eq!(path_of(&"untitled:Untitled-1".parse().expect("a URI")), None);
    }

    #[test]
    fn a_range_counts_utf16() {
        let range = range_of("one\n  \"😀\" x\n", 2);
        assert_eq!((range.start.line, range.start.character, range.end.character), (1, 2, 8));
    }
}
