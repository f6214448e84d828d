//! A secret that proves who the user is. It cannot be shown by accident: its text leaves only in requests, and the client
//! takes it out of every answer.

use std::fmt;

use memchr::memmem;

/// Fewest characters of what can be a secret.
const SHORTEST: usize = 8;

/// A token of a server.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// A token; white space around it does not belong to it. None where nothing is left, or where it holds characters
    /// that no header may carry.
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        let is_sendable = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
        is_sendable.then(|| Self(text.to_owned()))
    }

    /// The value of the header `Authorization`.
    pub(crate) fn bearer(&self) -> String {
        format!("Bearer {}", self.0)
    }

    /// The token as what a body says.
    pub(crate) fn text(&self) -> &str {
        &self.0
    }

    /// Bytes without the token in them. What is shorter than any token is left alone: it would be found in every text.
    pub(super) fn redact(&self, bytes: Vec<u8>) -> Vec<u8> {
        let finder = memmem::Finder::new(&self.0);
        if self.0.len() < SHORTEST || finder.find(&bytes).is_none() {
            return bytes;
        }
        let mut rest = bytes.as_slice();
        let mut cleaned = Vec::new();
        while let Some(at) = finder.find(rest) {
            cleaned.extend_from_slice(&rest[..at]);
            cleaned.extend_from_slice(b"[token]");
            rest = &rest[at + self.0.len()..];
        }
        cleaned.extend_from_slice(rest);
        cleaned
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("[token]")
    }
}
