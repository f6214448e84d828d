//! Signing and verifying against services on this machine, and a signature that others made in public.

mod mutation;
mod public;
mod services;

use hub_testkit::sigstore::{Sigstore, Workflow};
use kernel_hub::http::{Client, Settings};
use kernel_trust::{Authorities, IdentityToken, Signer, TrustError, Verifier};

/// A statement about `subject`.
pub(crate) fn statement(subject: &[u8]) -> String {
    use sha2::{Digest, Sha256};
    let digest: String = Sha256::digest(subject).iter().map(|byte| format!("{byte:02x}")).collect();
    serde_json::json!({
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{ "name": "x", "digest": { "sha256": digest } }],
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {},
    })
    .to_string()
}

pub(crate) fn client() -> Client {
    Client::new(Settings::from_environment(&|_: &str| None).expect("settings"))
}

pub(crate) fn authorities(services: &Sigstore) -> Authorities {
    Authorities::from_json(&services.trust_config().to_string()).expect("authorities")
}

/// A signer in the name of a workflow.
pub(crate) fn signer(services: &Sigstore, workflow: &Workflow) -> Result<Signer, TrustError> {
    let token = IdentityToken::parse(&workflow.token(), 0)?;
    Signer::new(&client(), &authorities(services), &token)
}

pub(crate) fn verifier(services: &Sigstore) -> Verifier {
    Verifier::new(&authorities(services)).expect("a verifier")
}
