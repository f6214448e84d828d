//! The Hub's protocol, one file for each part of it. Answers are read with suspicion: a listing may be endless, name
//! files outside the repository, or lead to another host.

mod account;
mod blobs;
mod commit;
mod endpoint;
mod error;
mod files;
mod lanes;
mod large;
mod login;
mod publisher;
mod refs;
mod repository;
mod tree;

pub use account::{Account, Created};
pub use blobs::{Blob, Mode, Source};
pub use commit::{Committed, Operation};
pub use endpoint::Endpoint;
pub use error::HubError;
pub use files::Fetch;
pub use login::Login;
pub use refs::Refs;
pub use repository::{Repository, RepositoryKind};
pub use tree::{RemoteFile, Tree};

use crate::http::{Client, Method, Request, Response, Token};
use error::Wish;

/// A Hub, and who asks it.
#[derive(Clone)]
pub struct Hub {
    client: Client,
    endpoint: Endpoint,
    login: Login,
    /// What it is asked for in the end, and so what a token must allow.
    purpose: Wish,
}

impl Hub {
    /// A Hub; nothing is asked yet.
    pub fn new(client: Client, endpoint: Endpoint, login: Login) -> Self {
        Self { client, endpoint, login, purpose: Wish::Read }
    }

    /// It, asked by somebody who is going to change something.
    #[must_use]
    pub fn for_changes(self) -> Self {
        Self { purpose: Wish::Change, ..self }
    }

    /// The way to it.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Where it is.
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    fn token(&self) -> Option<&Token> {
        self.login.token()
    }

    /// A request for a path of the Hub, with the user's token.
    fn request(&self, method: Method, path: &str) -> Request {
        Request::new(method, self.endpoint.join(path)).token(self.token())
    }

    /// Sends a request; whoever asks without rights is told what to do about it.
    fn send(&self, request: &Request) -> Result<Response, HubError> {
        let response = self.client.send(request)?;
        match response.status {
            401 => {
                let wish = if request.is_reading() { self.purpose } else { Wish::Change };
                Err(HubError::login(&self.endpoint, &self.login, wish, response.problem()))
            }
            _ => Ok(response),
        }
    }
}

/// One segment of a path.
pub(crate) fn encode(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~');
    text.bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

/// A path with its slashes.
fn encode_path(path: &str) -> String {
    path.split('/').map(encode).collect::<Vec<_>>().join("/")
}
