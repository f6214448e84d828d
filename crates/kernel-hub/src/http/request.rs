//! What is asked.

use serde::Serialize;

use super::planned::Planned;
use super::token::Token;

/// The methods that are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are those of the protocol")]
pub enum Method {
    Get,
    Head,
    Post,
    Put,
    Delete,
}

/// A request. It can be sent any number of times.
#[derive(Clone, Debug)]
pub struct Request {
    pub(super) method: Method,
    pub(super) address: String,
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) token: Option<Token>,
    pub(super) body: Body,
    pub(super) limit: u64,
    pub(super) repeats: bool,
    pub(super) follows: bool,
}

/// What is sent along.
#[derive(Clone, Debug)]
pub enum Body {
    /// Nothing.
    None,
    /// Bytes in memory.
    Bytes(Vec<u8>),
    /// A part of a file, read anew for each attempt.
    File {
        /// The file.
        file: Planned,
        /// First byte.
        offset: u64,
        /// Number of bytes.
        length: u64,
    },
}

impl Body {
    /// Bytes that it has.
    pub fn length(&self) -> u64 {
        match self {
            Self::None => 0,
            Self::Bytes(bytes) => bytes.len() as u64,
            Self::File { length, .. } => *length,
        }
    }
}

impl Request {
    /// A request; `address` need not be checked before.
    pub fn new(method: Method, address: impl Into<String>) -> Self {
        Self {
            method,
            address: address.into(),
            headers: Vec::new(),
            token: None,
            body: Body::None,
            limit: 16 << 20,
            repeats: method != Method::Post,
            follows: matches!(method, Method::Get | Method::Head),
        }
    }

    /// Asks for a document.
    pub fn get(address: impl Into<String>) -> Self {
        Self::new(Method::Get, address)
    }

    /// Whether it only asks to see something.
    pub(crate) fn is_reading(&self) -> bool {
        matches!(self.method, Method::Get | Method::Head)
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// Says who asks; the token goes to the address's own origin only.
    #[must_use]
    pub fn token(mut self, token: Option<&Token>) -> Self {
        self.token = token.cloned();
        self
    }

    /// Sends a body.
    #[must_use]
    pub fn body(mut self, body: Body) -> Self {
        self.body = body;
        self
    }

    /// Sends a value as JSON.
    #[must_use]
    pub fn json(self, value: &impl Serialize) -> Self {
        let bytes = serde_json::to_vec(value).unwrap_or_default();
        self.header("content-type", "application/json").body(Body::Bytes(bytes))
    }

    /// Most bytes that the answer may have; 16 MiB where not said.
    #[must_use]
    pub fn limit(mut self, bytes: u64) -> Self {
        self.limit = bytes;
        self
    }

    /// Whether sending it twice does no harm, so that it is repeated after a failure. All methods but POST do none by
    /// themselves.
    #[must_use]
    pub fn repeatable(mut self, repeats: bool) -> Self {
        self.repeats = repeats;
        self
    }

    /// Whether redirects of a GET or HEAD are followed; where not, the answer is the redirect.
    #[must_use]
    pub fn follow(mut self, follows: bool) -> Self {
        self.follows = follows;
        self
    }
}
