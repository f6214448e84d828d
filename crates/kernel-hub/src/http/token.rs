//! A secret that proves who the user is. It cannot be shown by accident: its text leaves only in requests, and the client
//! takes it out of every answer.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

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
}

impl fmt::Debug for Token {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("[token]")
    }
}
