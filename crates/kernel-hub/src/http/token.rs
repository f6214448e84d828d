//! A secret that proves who the user is. It cannot be shown by accident: its text leaves only in requests, and the client
//! takes it out of every answer.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use memchr::memmem;

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
        let plain = without(bytes, |bytes, from| self.spelled(bytes, from));
        in_base64(&self.text).iter().fold(plain, |bytes, encoded| {
            let finder = memmem::Finder::new(encoded);
            without(bytes, |bytes, from| {
                finder.find(&bytes[from..]).map(|at| (from + at, from + at + encoded.len()))
            })
        })
    }

    /// Where the token stands next, some of its characters perhaps as escapes.
    fn spelled(&self, bytes: &[u8], from: usize) -> Option<(usize, usize)> {
        let first = self.text.as_bytes().first()?;
        let mut from = from;
        loop {
            let at = from + memchr::memchr3(*first, b'%', b'\\', &bytes[from..])?;
            let end = self.text.bytes().try_fold(at, |at, wanted| Some(at + spelling(&bytes[at..], wanted)?));
            if let Some(end) = end {
                return Some((at, end));
            }
            from = at + 1;
        }
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

/// How many bytes at the start of a text stand for a character: one, `%68`, or `\u0068`.
fn spelling(text: &[u8], wanted: u8) -> Option<usize> {
    let is = |digits: Option<&[u8]>| {
        let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        digits.and_then(|digits| u16::from_str_radix(digits, 16).ok()) == Some(wanted.into())
    };
    match text {
        [first, ..] if *first == wanted => Some(1),
        [b'%', ..] if is(text.get(1..3)) => Some(3),
        [b'\\', b'u', ..] if is(text.get(2..6)) => Some(6),
        _ => None,
    }
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
        assert_eq!(shown("hf_secret"), "hf_secret", "another one");
        for user in ["", "u", "me", "hf_user"] {
            for engine in [STANDARD, URL_SAFE] {
                let basic = engine.encode(format!("{user}:hf_secret+/Writer"));
                let left = shown(&format!("Basic {basic}!"));
                assert!(left.contains("[token]"), "{left}");
                let longest = left.split("[token]").map(str::len).max().unwrap_or_default();
                assert!(longest <= "Basic ".len() + basic.len() - 17, "{left} of {basic}");
            }
        }
    }
}
