//! Who signed these bytes. The cryptography is the library's: certificate chain and its log, the log's proof, checkpoint
//! and promise, the time of signing, the signature. Around it this is stricter than the format asks: one form of bundle,
//! one log entry, no key twice, so that two readers never see two different things.

use kernel_spec::report::SignerIdentity;
use kernel_spec::{code, metadata};
use sha2::{Digest, Sha256};
use sigstore_verify::types::{Bundle, DsseEnvelope, SignatureContent};
use sigstore_verify::{Error, TimestampError, TransparencyLogError, VerificationPolicy, VerificationResult};

use crate::{Authorities, Refusal, STATEMENT_TYPE, TrustError, identity};

/// The one form of bundle that is read and written.
pub(crate) const BUNDLE_TYPE: &str = "application/vnd.dev.sigstore.bundle.v0.3+json";

/// Says who signed.
pub struct Verifier {
    verifier: sigstore_verify::Verifier,
}

/// Bytes with a sound signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signed {
    /// Who signed them.
    pub signer: SignerIdentity,
    /// When the log took the signature, in seconds since 1970.
    pub logged_at: u64,
}

/// A statement with a sound signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedStatement {
    /// Who made it, and when.
    pub signed: Signed,
    /// What it says: JSON.
    pub statement: Vec<u8>,
}

impl Verifier {
    /// A verifier that trusts these authorities.
    pub fn new(authorities: &Authorities) -> Result<Self, TrustError> {
        let verifier = sigstore_verify::Verifier::new(&authorities.root)
            .map_err(|error| TrustError::Authorities { reason: error.to_string() })?;
        Ok(Self { verifier })
    }

    /// Who signed `content`, by the text of a bundle.
    pub fn blob(&self, content: &[u8], bundle: &[u8]) -> Result<Signed, Refusal> {
        let bundle = read(bundle)?;
        let SignatureContent::MessageSignature(signature) = &bundle.content else {
            return Err(Refusal::new(
                &code::trust::BUNDLE,
                "it holds a statement, and no signature of a file",
            ));
        };
        if signature.message_digest.is_none() {
            return Err(Refusal::new(&code::trust::BUNDLE, "it does not say what it signs"));
        }
        self.check(content, &bundle)
    }

    /// The statement in a bundle, which must name `subject` among what it is about.
    pub fn statement(&self, subject: &[u8], bundle: &[u8]) -> Result<SignedStatement, Refusal> {
        let bundle = read(bundle)?;
        let envelope = envelope(&bundle)?;
        let signed = self.check(subject, &bundle)?;
        Ok(SignedStatement { signed, statement: envelope.payload.as_bytes().to_vec() })
    }

    fn check(&self, content: &[u8], bundle: &Bundle) -> Result<Signed, Refusal> {
        // Whether the signer may sign is the policy's question, asked with all claims of the certificate.
        let policy = VerificationPolicy::any_identity();
        let result = self.verifier.verify(content, bundle, &policy).map_err(refusal)?;
        let logged_at = time(&result)
            .filter(|_| result.certificate_verified() && result.sct_verified() && result.tlog_verified())
            .ok_or_else(|| Refusal::new(&code::trust::LOG, "the time of signing is not proven"))?;
        let certificate = result
            .certificate()
            .ok_or_else(|| Refusal::new(&code::trust::CERTIFICATE, "it names no signer, only a key"))?;
        Ok(Signed { signer: identity::of(certificate), logged_at })
    }
}

/// Whether a bundle is about `content`, by its own word: enough to tell a bundle that was left from an earlier build, and
/// nothing about who made it.
pub fn is_about(content: &[u8], bundle: &[u8]) -> Result<(), Refusal> {
    let bundle = read(bundle)?;
    let digest = match &bundle.content {
        SignatureContent::MessageSignature(signature) => signature.message_digest.as_ref(),
        _ => None,
    };
    let digest = digest.ok_or_else(|| Refusal::new(&code::trust::BUNDLE, "it does not say what it signs"))?;
    if digest.digest.as_bytes() == &Sha256::digest(content)[..] {
        return Ok(());
    }
    Err(Refusal::new(&code::trust::OTHER_CONTENT, "it is of other metadata"))
}

/// The statement in a bundle, by the bundle's own word: nothing about who made it.
pub fn statement_in(bundle: &[u8]) -> Result<Vec<u8>, Refusal> {
    Ok(envelope(&read(bundle)?)?.payload.as_bytes().to_vec())
}

/// What a bundle holds instead of a signature of a file.
fn envelope(bundle: &Bundle) -> Result<&DsseEnvelope, Refusal> {
    let SignatureContent::DsseEnvelope(envelope) = &bundle.content else {
        return Err(Refusal::new(&code::trust::BUNDLE, "it holds no statement"));
    };
    if envelope.payload_type != STATEMENT_TYPE {
        let reason = format!("what it holds is of type `{}`", envelope.payload_type);
        return Err(Refusal::new(&code::trust::BUNDLE, reason));
    }
    Ok(envelope)
}

/// The earliest proven time.
fn time(result: &VerificationResult) -> Option<u64> {
    let times = result.verified_timestamps().iter().map(|time| time.as_second());
    times.min().and_then(|seconds| u64::try_from(seconds).ok())
}

/// Reads a bundle as strictly as it is written.
fn read(text: &[u8]) -> Result<Bundle, Refusal> {
    let refuse = |reason: String| Refusal::new(&code::trust::BUNDLE, reason);
    let value = metadata::strict_json(text).map_err(|error| refuse(error.to_string()))?;
    let kind = value.get("mediaType").and_then(serde_json::Value::as_str).unwrap_or("none");
    if kind != BUNDLE_TYPE {
        return Err(refuse(format!("its media type is `{kind}`, and not `{BUNDLE_TYPE}`")));
    }
    let bundle = Bundle::from_json(&value.to_string()).map_err(|error| refuse(error.to_string()))?;
    match bundle.verification_material.tlog_entries.len() {
        1 => Ok(bundle),
        count => {
            Err(Refusal::new(&code::trust::LOG, format!("it has {count} entries of a log instead of one")))
        }
    }
}

/// Which of our codes an error of the library belongs to.
fn refusal(error: Error) -> Refusal {
    let code = match &error {
        Error::ArtifactMismatch(_) => &code::trust::OTHER_CONTENT,
        Error::SignatureInvalid(_) | Error::Crypto(_) => &code::trust::SIGNATURE,
        Error::Certificate(_) => &code::trust::CERTIFICATE,
        // An entry of another signature is the mark of a bundle that was put together from two.
        Error::TransparencyLog(TransparencyLogError::EntryMismatch(_)) => &code::trust::LOG,
        Error::TransparencyLog(_)
        | Error::Timestamp(TimestampError::NoVerifiedTimestamp(_) | TimestampError::Invalid(_)) => {
            &code::trust::LOG
        }
        _ => &code::trust::BUNDLE,
    };
    Refusal::new(code, error.to_string())
}
