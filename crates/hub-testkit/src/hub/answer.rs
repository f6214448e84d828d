//! Answers as the Hub words them.

use serde_json::{Value, json};

use crate::wire::Reply;

/// What is not done, and why.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    status: u16,
    code: String,
    message: String,
}

impl Refusal {
    pub(crate) fn new(status: u16, code: &str, message: &str) -> Self {
        Self { status, code: code.to_owned(), message: message.to_owned() }
    }

    pub(crate) fn bad(message: impl std::fmt::Display) -> Self {
        Self::new(400, "", &message.to_string())
    }
}

impl From<std::io::Error> for Refusal {
    fn from(error: std::io::Error) -> Self {
        Self::new(400, "", &error.to_string())
    }
}

impl From<serde_json::Error> for Refusal {
    fn from(error: serde_json::Error) -> Self {
        Self::bad(error)
    }
}

impl From<Refusal> for Reply {
    fn from(refusal: Refusal) -> Self {
        let reply = self::json(refusal.status, &json!({ "error": refusal.message }))
            .header("x-error-message", &refusal.message)
            .header("x-request-id", "Root=1-testkit");
        if refusal.code.is_empty() { reply } else { reply.header("x-error-code", &refusal.code) }
    }
}

pub(crate) fn json(status: u16, value: &Value) -> Reply {
    Reply::json(status, value.to_string())
}

pub(crate) type Answer = Result<Reply, Refusal>;
