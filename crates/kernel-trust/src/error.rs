//! Why something cannot be signed, and why a signature is not accepted.

use kernel_hub::http::HttpError;
use kernel_spec::{Code, Finding};
use miette::Diagnostic;
use thiserror::Error;

/// Why nothing could be signed, or nothing can be verified at all.
#[derive(Debug, Error, Diagnostic)]
#[allow(missing_docs, reason = "the texts are the documentation")]
pub enum TrustError {
    #[error("the description of the authorities to trust cannot be used: {reason}")]
    #[diagnostic(
        code("trust/authorities"),
        help("give a client trust configuration or a trusted root of Sigstore, as JSON")
    )]
    Authorities { reason: String },

    #[error("the authorities to trust name no {service} that can be used to sign")]
    #[diagnostic(
        code("trust/authorities"),
        help(
            "give a client trust configuration whose signing part names Fulcio (version 1) and Rekor (version 1)"
        )
    )]
    NoService { service: &'static str },

    #[error("the policy cannot be used: {reason}")]
    #[diagnostic(code("trust/policy"), help("see `docs/guide/trust.md` for the keys of a policy"))]
    Policy { reason: String },

    #[error("the file holds no policy: it is empty, and so says nothing of who may sign")]
    #[diagnostic(code("trust/no-policy"), help("see `docs/guide/trust.md` for the keys of a policy"))]
    NoPolicy,

    #[error("there is no identity to sign with: {reason}")]
    #[diagnostic(
        code("trust/identity-token"),
        help(
            "sign in a CI job that may ask for an identity token (on GitHub: `permissions: id-token: write`), or give a \
             token with `--identity-token`"
        )
    )]
    Token { reason: String },

    #[error("`{service}` did not sign: {reason}")]
    #[diagnostic(
        code("trust/not-signed"),
        help(
            "nothing was changed; check that the identity token is one that this service accepts, and run it again"
        )
    )]
    NotSigned { service: String, reason: String },

    #[error(transparent)]
    #[diagnostic(transparent)]
    Http(#[from] HttpError),
}

/// Why a signature is not accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What is wrong, as a code.
    pub code: &'static Code,
    /// What exactly.
    pub reason: String,
}

impl Refusal {
    pub(crate) fn new(code: &'static Code, reason: impl Into<String>) -> Self {
        Self { code, reason: reason.into() }
    }

    /// It as a finding, with the reason as its cause.
    pub fn finding(self, message: impl Into<String>) -> Finding {
        Finding::error(self.code, message).cause(self.reason)
    }
}
