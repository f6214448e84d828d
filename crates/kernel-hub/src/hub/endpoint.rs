//! Where a Hub is.

use crate::http::{Address, HttpError};

/// The public Hub.
const PUBLIC: &str = "https://huggingface.co";

/// The address of a Hub; it may have a path of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint(String);

impl Endpoint {
    /// The Hub that `HF_ENDPOINT` names, else the public one.
    pub fn parse(named: Option<&str>) -> Result<Self, HttpError> {
        let text = named.unwrap_or(PUBLIC).trim().trim_end_matches('/');
        let address = Address::parse(text)?;
        let refuse =
            |reason: &str| HttpError::Address { address: address.to_string(), reason: reason.to_owned() };
        if text.contains(['?', '#']) {
            return Err(refuse("it has a query or a fragment behind it"));
        }
        // A password with a slash in it looks like a path.
        if text.contains('@') {
            return Err(refuse("it holds a name or a password"));
        }
        Ok(Self(text.to_owned()))
    }

    /// Whether it is the public Hub, for which users store their tokens.
    pub fn is_public(&self) -> bool {
        self.0 == PUBLIC
    }

    /// The address of a path that begins with a slash.
    pub fn join(&self, path: &str) -> String {
        format!("{}{path}", self.0)
    }
}

impl std::fmt::Display for Endpoint {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}
