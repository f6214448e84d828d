//! The identity of a CI job: where it asks for the token that says who it is, and with what.

use serde::Deserialize;

use crate::http::{Client, HttpError, Request, Token};
use crate::hub::encode;

/// The variables by which a GitHub job is told where to ask, and what with.
const ADDRESS: &str = "ACTIONS_ID_TOKEN_REQUEST_URL";
const SECRET: &str = "ACTIONS_ID_TOKEN_REQUEST_TOKEN";

/// Most bytes of the answer that holds a token.
const LIMIT: u64 = 1 << 20;

/// A job that may ask who it is.
pub struct Job {
    address: String,
    secret: String,
}

#[derive(Deserialize)]
struct Answer {
    value: String,
}

impl Job {
    /// The job that this runs in, by the variables of the environment; none where it may not ask.
    pub fn find(get: &dyn Fn(&str) -> Option<String>) -> Option<Self> {
        let set = |name: &str| get(name).filter(|value| !value.is_empty());
        Some(Self { address: set(ADDRESS)?, secret: set(SECRET)? })
    }

    /// The names of those variables.
    pub fn variables() -> [&'static str; 2] {
        [ADDRESS, SECRET]
    }

    /// A token that says who the job is to one audience, and is worth nothing to others. It is a secret.
    pub fn token(&self, client: &Client, audience: &str) -> Result<String, HttpError> {
        let secret = Token::new(&self.secret).ok_or_else(|| HttpError::Address {
            address: format!("what `{ADDRESS}` names"),
            reason: format!("`{SECRET}` holds characters that cannot be sent"),
        })?;
        let separator = if self.address.contains('?') { '&' } else { '?' };
        let address = format!("{}{separator}audience={}", self.address, encode(audience));
        let request = Request::get(address).token(Some(&secret)).follow(false).limit(LIMIT);
        Ok(client.send(&request)?.success()?.json::<Answer>()?.value)
    }
}
