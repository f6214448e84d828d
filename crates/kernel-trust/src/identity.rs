//! Who signed, as the certificate says it. All of it are claims that the certificate authority copied from an identity
//! token; they say who asked, and nothing about whether they should have.

use kernel_spec::report::SignerIdentity;
use sigstore_verify::crypto::CertificateInfo;

pub(crate) fn of(certificate: &CertificateInfo) -> SignerIdentity {
    let claims = &certificate.ci_claims;
    SignerIdentity {
        subject: certificate.identity.as_ref().map(ToString::to_string).unwrap_or_default(),
        issuer: certificate.issuer.clone(),
        workflow: claims.build_signer_uri.clone(),
        caller: claims.build_config_uri.clone(),
        repository: claims.source_repository_uri.clone(),
        repository_id: claims.source_repository_identifier.clone(),
        owner_id: claims.source_repository_owner_identifier.clone(),
        r#ref: claims.source_repository_ref.clone(),
        commit: claims.source_repository_digest.clone(),
        trigger: claims.build_trigger.clone(),
        runner: claims.runner_environment.clone(),
        run: claims.run_invocation_uri.clone(),
    }
}
