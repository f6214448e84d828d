//! A secret that proves who the user is. It cannot be shown by accident: its text leaves only in requests, and the client
//! takes it out of every answer.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE_NO_PAD};

/// Fewest characters of what can be a secret.
const SHORTEST: usize = 8;

/// A token of a server.
#[derive(Clone, PartialEq, Eq)]
pub struct Token {
    text: String,
    scheme: &'static str,
}

impl Token {
    /// A token; white space around it does not belong to it. None where nothing is left, or where it holds characters
    /// that no header may carry.
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        let is_sendable = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
        is_sendable.then(|| Self { text: text.to_owned(), scheme: "Bearer" })
    }

    /// A name and a password, as RFC 7617 sends them.
    pub fn basic(name: &str, password: &str) -> Self {
        Self { text: STANDARD.encode(format!("{name}:{password}")), scheme: "Basic" }
    }

    /// The value of the header `Authorization`.
    pub(crate) fn authorization(&self) -> String {
        format!("{} {}", self.scheme, self.text)
    }

    /// The token as what a body says.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Bytes without the token in them, however a server wrote it down: as it is, with the escapes of addresses or of JSON,
    /// or in base 64, as basic authentication has it. What is shorter than any token is left alone: it would be found in
    /// every text.
    pub(super) fn redact(&self, bytes: Vec<u8>) -> Vec<u8> {
        if self.text.len() < SHORTEST {
            return bytes;
        }
        let mut forms = in_base64(&self.text);
        forms.insert(0, self.text.as_bytes().to_vec());
        forms.iter().fold(bytes, |bytes, form| without(bytes, |bytes, from| spelled(form, bytes, from)))
    }
}

/// Where a text stands next, some of its characters perhaps as escapes.
fn spelled(text: &[u8], bytes: &[u8], from: usize) -> Option<(usize, usize)> {
    let first = text.first()?;
    let mut from = from;
    loop {
        let at = from + memchr::memchr3(*first, b'%', b'\\', &bytes[from..])?;
        // A backslash is one of the text itself, or begins an escape.
        let end = [plain, escaped].into_iter().find_map(|read| {
            text.iter().try_fold(at, |at, wanted| Some(at + spelling(&bytes[at..], *wanted, read)?))
        });
        if let Some(end) = end {
            return Some((at, end));
        }
        from = at + 1;
    }
}

/// Bytes without what `find` finds.
fn without(bytes: Vec<u8>, find: impl Fn(&[u8], usize) -> Option<(usize, usize)>) -> Vec<u8> {
    let (mut cleaned, mut from) = (Vec::new(), 0);
    while let Some((at, end)) = find(&bytes, from) {
        cleaned.extend_from_slice(&bytes[from..at]);
        cleaned.extend_from_slice(b"[token]");
        from = end;
    }
    if from == 0 {
        return bytes;
    }
    cleaned.extend_from_slice(&bytes[from..]);
    cleaned
}

/// The character at the start of a text, and how many bytes stand for it.
type ReadOne = fn(&[u8]) -> Option<(u8, usize)>;

fn plain(text: &[u8]) -> Option<(u8, usize)> {
    text.first().map(|first| (*first, 1))
}

/// As JSON writes it: by itself, as `\u0068`, or as `\/`.
fn escaped(text: &[u8]) -> Option<(u8, usize)> {
    match text {
        [b'\\', b'u', digits @ ..] => {
            let digits = std::str::from_utf8(digits.get(..4)?).ok()?;
            Some((u16::from_str_radix(digits, 16).ok()?.try_into().ok()?, 6))
        }
        [b'\\', character @ (b'/' | b'"' | b'\\'), ..] => Some((*character, 2)),
        _ => plain(text),
    }
}

/// How many bytes at the start of a text stand for a character: those that `read` knows, or what stands for `%68` in them.
fn spelling(text: &[u8], wanted: u8, read: ReadOne) -> Option<usize> {
    let (first, length) = read(text)?;
    if first == wanted {
        return Some(length);
    }
    let digit = |at: usize| {
        let (digit, length) = read(text.get(at..)?)?;
        Some((u8::try_from(char::from(digit).to_digit(16)?).ok()?, at + length))
    };
    let (high, at) = digit(length).filter(|_| first == b'%')?;
    let (low, end) = digit(at)?;
    (high * 16 + low == wanted).then_some(end)
}

/// The token in base 64, without what depends on the text around it: behind a text of any length, in both alphabets.
fn in_base64(token: &str) -> Vec<Vec<u8>> {
    let mut forms = Vec::new();
    for before in 0..3 {
        let text = [&[0; 2][..before], token.as_bytes()].concat();
        // Of each three bytes four characters are made; those of a group that is not the token's alone go.
        let begin = [0, 2, 3][before];
        let end = text.len() * 8 / 6;
        for engine in [STANDARD_NO_PAD, URL_SAFE_NO_PAD] {
            let encoded = engine.encode(&text);
            forms.extend(encoded.get(begin..end).map(|core| core.as_bytes().to_vec()));
        }
    }
    forms.dedup();
    forms
}

impl fmt::Debug for Token {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("[token]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::engine::general_purpose::{STANDARD, URL_SAFE};

    #[test]
    fn a_token_is_taken_out_however_it_is_written() {
        let token = Token::new("hf_secret+/Writer").expect("a token");
        let shown = |text: &str| String::from_utf8(token.redact(text.as_bytes().to_vec())).expect("UTF-8");
        assert_eq!(shown("a hf_secret+/Writer b%hf_secret+/Writer"), "a [token] b%[token]");
        assert_eq!(shown("hf%5Fsecret%2b%2FWriter"), "[token]");
        assert_eq!(shown("\\u0068f_\\u0073ecret+/Writer."), "[token].");
        assert_eq!(shown("hf_secret+\\/Writer hf_secret\\u002B\\/Writer"), "[token] [token]");
        assert_eq!(shown("hf\\u0025\\u0035Fsecret+%2\\u0066Writer"), "[token]", "an escape in an escape");
        assert_eq!(shown("hf_secret"), "hf_secret", "another one");
        assert_eq!(shown("hf_secret\\u992bx \\u00 %2"), "hf_secret\\u992bx \\u00 %2");
        for user in ["", "u", "me", "hf_user"] {
            for engine in [STANDARD, URL_SAFE] {
                let basic = engine.encode(format!("{user}:hf_secret+/Writer"));
                let left = shown(&format!("Basic {basic}!"));
                assert!(left.contains("[token]"), "{left}");
                let in_json = shown(&format!("\"{}\"", basic.replace('/', "\\/")));
                assert!(in_json.contains("[token]"), "{in_json}");
                let longest = left.split("[token]").map(str::len).max().unwrap_or_default();
                assert!(longest <= "Basic ".len() + basic.len() - 17, "{left} of {basic}");
            }
        }
    }

    #[test]
    fn quotes_and_backslashes_of_a_token_are_escaped_in_json() {
        let token = Token::new(r#"hf_a"b\c\nd"#).expect("a token");
        let shown = |text: &str| String::from_utf8(token.redact(text.as_bytes().to_vec())).expect("UTF-8");
        let json = serde_json::to_string(token.text()).expect("JSON");
        assert_eq!(shown(&format!("{json} {}", token.text())), r#""[token]" [token]"#);
    }
}
