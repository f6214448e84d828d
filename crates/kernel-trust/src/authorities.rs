//! Who is trusted to name signers and to keep the log, and where they are asked.

use serde::Deserialize;
use serde_json::Value;
use sigstore_verify::trust_root::{
    SIGSTORE_PRODUCTION_SIGNING_CONFIG, SIGSTORE_PRODUCTION_TRUSTED_ROOT, SigningConfig, TrustedRoot,
};

use crate::TrustError;

/// Keys of certificate authorities and logs, and the services that belong to them.
#[derive(Clone, Debug)]
pub struct Authorities {
    pub(crate) root: TrustedRoot,
    signing: Option<SigningConfig>,
}

/// What clients of a private instance are configured with.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ClientTrustConfig {
    trusted_root: Value,
    #[serde(default)]
    signing_config: Option<Value>,
}

impl Authorities {
    /// Sigstore's public instance, by the keys that were known when this program was made.
    pub fn public_good() -> Result<Self, TrustError> {
        Ok(Self {
            root: TrustedRoot::from_json(SIGSTORE_PRODUCTION_TRUSTED_ROOT).map_err(unusable)?,
            signing: Some(SigningConfig::from_json(SIGSTORE_PRODUCTION_SIGNING_CONFIG).map_err(unusable)?),
        })
    }

    /// Another instance: a client trust configuration, or a trusted root alone, with which nothing can be signed.
    pub fn from_json(text: &str) -> Result<Self, TrustError> {
        let value: Value = serde_json::from_str(text).map_err(unusable)?;
        let kind = value.get("mediaType").and_then(Value::as_str).unwrap_or("none");
        if kind.starts_with("application/vnd.dev.sigstore.trustedroot") {
            return Ok(Self { root: TrustedRoot::from_json(text).map_err(unusable)?, signing: None });
        }
        if !kind.starts_with("application/vnd.dev.sigstore.clienttrustconfig") {
            return Err(unusable(format!("its media type is `{kind}`")));
        }
        let config = ClientTrustConfig::deserialize(value).map_err(unusable)?;
        let signing = config.signing_config.map(|signing| SigningConfig::from_json(&signing.to_string()));
        Ok(Self {
            root: TrustedRoot::from_json(&config.trusted_root.to_string()).map_err(unusable)?,
            signing: signing.transpose().map_err(unusable)?,
        })
    }

    /// The address of the authority that gives out certificates.
    pub(crate) fn fulcio(&self) -> Result<&str, TrustError> {
        let service = self.signing.as_ref().and_then(SigningConfig::fulcio_url);
        let service = service.ok_or(TrustError::NoService { service: "certificate authority" })?;
        Ok(service.url.trim_end_matches('/'))
    }

    /// The address of the log.
    pub(crate) fn rekor(&self) -> Result<&str, TrustError> {
        let service = self.signing.as_ref().and_then(|signing| signing.rekor_url(Some(1)));
        let service = service.ok_or(TrustError::NoService { service: "transparency log" })?;
        Ok(service.url.trim_end_matches('/'))
    }
}

fn unusable(reason: impl std::fmt::Display) -> TrustError {
    TrustError::Authorities { reason: reason.to_string() }
}
