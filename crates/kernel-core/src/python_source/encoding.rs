//! The text of a file as Python reads it (PEP 263): in the coding that a comment in its first two lines names, otherwise as
//! UTF-8. Codings in which other letters mean something else are read for no file, for whoever judges must see what runs.

use std::borrow::Cow;

const MARK: &[u8] = b"\xef\xbb\xbf";

/// The letters of Windows-1252 from 0x80 on; five of them it does not have.
const WINDOWS: &str = "€\u{0}‚ƒ„…†‡ˆ‰Š‹Œ\u{0}Ž\u{0}\u{0}‘’“”•–—˜™š›œ\u{0}žŸ";

/// The letters in which ISO 8859-15 differs from Latin-1.
const WITH_EURO: [(u8, char); 8] =
    [(0xa4, '€'), (0xa6, 'Š'), (0xa8, 'š'), (0xb4, 'Ž'), (0xb8, 'ž'), (0xbc, 'Œ'), (0xbd, 'œ'), (0xbe, 'Ÿ')];

/// The text, or why there is none.
pub(super) fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, String> {
    if bytes.contains(&0) {
        return Err("it holds a null byte, and Python compiles no file with one".to_owned());
    }
    let utf8 =
        || std::str::from_utf8(bytes).map(Cow::Borrowed).map_err(|error| format!("it is not UTF-8: {error}"));
    let Some(coding) = coding(bytes) else { return utf8() };
    let letter: fn(u8) -> Option<char> = match normal(&coding).as_str() {
        "utf-8" => return utf8(),
        _ if bytes.starts_with(MARK) => {
            return Err(format!("it begins with the mark of UTF-8, and names the coding `{coding}`"));
        }
        "ascii" => |byte| byte.is_ascii().then(|| byte.into()),
        "latin-1" => |byte| Some(byte.into()),
        "latin-9" => |byte| {
            let other = WITH_EURO.iter().find(|(own, _)| *own == byte).map(|(_, letter)| *letter);
            Some(other.unwrap_or(byte.into()))
        },
        "windows" => |byte| match byte.checked_sub(0x80) {
            Some(at @ 0..0x20) => WINDOWS.chars().nth(at.into()).filter(|letter| *letter != '\0'),
            _ => Some(byte.into()),
        },
        _ => return Err(format!("it names the coding `{coding}`, which is not read here")),
    };
    let text: Option<String> = bytes.iter().map(|byte| letter(*byte)).collect();
    text.map(Cow::Owned).ok_or_else(|| format!("it holds bytes that its coding `{coding}` does not have"))
}

/// One name for all that Python has for a coding.
fn normal(coding: &str) -> String {
    let name = coding.to_ascii_lowercase().replace('_', "-");
    let is =
        |first: &str| name == first || name.strip_prefix(first).is_some_and(|rest| rest.starts_with('-'));
    let short = if is("utf-8") || ["utf8", "u8", "utf", "cp65001"].contains(&name.as_str()) {
        "utf-8"
    } else if ["latin-1", "iso-8859-1", "iso-latin-1"].iter().any(|first| is(first))
        || ["latin1", "latin", "iso8859-1", "8859", "cp819", "ibm819", "l1"].contains(&name.as_str())
    {
        "latin-1"
    } else {
        match name.as_str() {
            "ascii" | "us-ascii" | "646" => "ascii",
            "iso-8859-15" | "iso8859-15" | "latin9" | "l9" => "latin-9",
            "cp1252" | "windows-1252" | "1252" => "windows",
            _ => return name,
        }
    };
    short.to_owned()
}

/// The name of the coding, as written: in the first line, or in the second where nothing but a comment is in the first.
fn coding(bytes: &[u8]) -> Option<String> {
    let bytes = bytes.strip_prefix(MARK).unwrap_or(bytes);
    let first = line(bytes);
    if let Some(name) = named(first) {
        return Some(name);
    }
    let is_blank = comment(first).is_some() || first.iter().all(|byte| b" \t\x0c".contains(byte));
    let rest = bytes.get(first.len()..).filter(|rest| is_blank && !rest.is_empty())?;
    named(line(rest.strip_prefix(b"\r\n").unwrap_or(&rest[1..])))
}

fn line(bytes: &[u8]) -> &[u8] {
    bytes.split(|byte| *byte == b'\n' || *byte == b'\r').next().unwrap_or_default()
}

fn comment(line: &[u8]) -> Option<&[u8]> {
    let at = line.iter().position(|byte| !b" \t\x0c".contains(byte))?;
    (line[at] == b'#').then(|| &line[at..])
}

fn named(line: &[u8]) -> Option<String> {
    const WORD: &[u8] = b"coding";
    let comment = comment(line)?;
    comment.windows(WORD.len() + 1).enumerate().find_map(|(at, window)| {
        let is_one = window.starts_with(WORD) && b":=".contains(&window[WORD.len()]);
        let rest = comment[at + WORD.len() + 1..].trim_ascii_start();
        let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || b"-_.".contains(byte);
        let name: Vec<u8> = rest.iter().take_while(is_part).copied().collect();
        String::from_utf8(name).ok().filter(|name| is_one && !name.is_empty())
    })
}
