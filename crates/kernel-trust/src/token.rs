//! Identity tokens: what a certificate authority is shown to learn who asks. A token is a secret for as long as it is
//! valid; only its subject is ever looked at here.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use kernel_hub::http::{Client, Token};
use kernel_hub::job::Job;
use serde::Deserialize;

use crate::TrustError;

/// Whom tokens for signing are made out to.
const AUDIENCE: &str = "sigstore";

/// A token, and whom it is about.
#[derive(Clone, Debug)]
pub struct IdentityToken {
    pub(crate) token: Token,
    /// What the requester signs to prove that it holds the key.
    pub(crate) subject: String,
}

#[derive(Deserialize)]
struct Claims {
    sub: String,
    #[serde(default)]
    email: Option<String>,
    #[serde(default)]
    email_verified: bool,
    #[serde(default)]
    exp: u64,
}

impl IdentityToken {
    /// A token's text; `now` in seconds since 1970. Its signature is the certificate authority's to check.
    pub fn parse(text: &str, now: u64) -> Result<Self, TrustError> {
        let refuse = |reason: &str| TrustError::Token { reason: reason.to_owned() };
        let parts: Vec<&str> = text.trim().split('.').collect();
        let [_, claims, _] = parts[..] else { return Err(refuse("what was given is no identity token")) };
        let claims = URL_SAFE_NO_PAD.decode(claims.trim_end_matches('=')).ok();
        let claims: Option<Claims> = claims.and_then(|claims| serde_json::from_slice(&claims).ok());
        let claims = claims.ok_or_else(|| refuse("what was given is no identity token"))?;
        if claims.exp != 0 && claims.exp <= now {
            return Err(refuse("the token has expired"));
        }
        let token =
            Token::new(text).ok_or_else(|| refuse("the token holds characters that cannot be sent"))?;
        let subject = claims.email.filter(|_| claims.email_verified).unwrap_or(claims.sub);
        Ok(Self { token, subject })
    }

    /// The token of the job that this runs in.
    pub fn of_job(client: &Client, job: &Job, now: u64) -> Result<Self, TrustError> {
        Self::parse(&job.token(client, AUDIENCE)?, now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(claims: &str) -> String {
        format!("e30.{}.c2ln", URL_SAFE_NO_PAD.encode(claims))
    }

    #[test]
    fn the_subject_is_the_proven_address_or_the_name() {
        let subject = |claims: &str| IdentityToken::parse(&token(claims), 100).expect("a token").subject;
        assert_eq!(subject(r#"{"sub": "repo:acme/kernels"}"#), "repo:acme/kernels");
        assert_eq!(subject(r#"{"sub": "1", "email": "a@b.c", "email_verified": true}"#), "a@b.c");
        assert_eq!(subject(r#"{"sub": "1", "email": "a@b.c"}"#), "1");
    }

    #[test]
    fn what_is_none_or_has_expired_is_refused_without_being_repeated() {
        for text in ["", "a.b", "a.b.c", "a.e30.c", &token(r#"{"sub": "x", "exp": 100}"#)] {
            let error = IdentityToken::parse(text, 100).expect_err("no token").to_string();
            assert!(text.is_empty() || !error.contains(text), "{error}");
        }
    }
}
