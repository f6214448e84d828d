//! Who signed these bytes, and whether they may have: Sigstore bundles, the identities in them, and policies over those.
//! A crate of its own because it can be used alone, knows nothing of kernels, and is the only one that may depend on
//! libraries for signatures and certificates. It reads neither files nor environment; the network is `kernel_hub`'s.
//!
//! [`Verifier`] says who signed: a signature that is sound is not yet one that counts. [`Policy`] says who may sign.
//! [`Signer`] signs, and gives out no bundle that the verifier refuses.

mod authorities;
mod error;
mod identity;
mod pem;
mod policy;
mod sign;
mod token;
mod verify;

pub use authorities::Authorities;
pub use error::{Refusal, TrustError};
pub use policy::{Mismatch, Policy};
pub use sign::{NewBundle, Signer};
pub use token::IdentityToken;
pub use verify::{Signed, SignedStatement, Verifier, is_about, statement_in};

/// The type of what a signed statement holds: an in-toto statement.
pub const STATEMENT_TYPE: &str = "application/vnd.in-toto+json";
