//! Keyless signing: a key that lives for one run, a certificate that says who holds it, and an entry in a public log for
//! each signature. The protocol is that of Fulcio (version 2 of its interface) and Rekor (version 1).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use kernel_hub::http::{Client, HttpError, Method, Request, Response};
use kernel_spec::identifier::hexadecimal;
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use sigstore_verify::crypto::KeyPair;
use sigstore_verify::types::{DerCertificate, dsse};

use crate::verify::BUNDLE_TYPE;
use crate::{Authorities, IdentityToken, STATEMENT_TYPE, Signed, TrustError, Verifier, pem};

/// Most bytes of an answer.
const LIMIT: u64 = 4 << 20;

/// Signs in the name of one identity, with one key and one certificate.
pub struct Signer {
    client: Client,
    log: String,
    key: KeyPair,
    certificate: DerCertificate,
    verifier: Verifier,
}

/// A signature, as a bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewBundle {
    /// The text of the bundle.
    pub text: String,
    /// What a verifier makes of it.
    pub signed: Signed,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Certified {
    signed_certificate_embedded_sct: Option<WithChain>,
}

#[derive(Deserialize)]
struct WithChain {
    chain: Chain,
}

#[derive(Deserialize)]
struct Chain {
    certificates: Vec<String>,
}

/// An entry as the log answers it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    body: String,
    integrated_time: i64,
    #[serde(rename = "logID")]
    log_id: String,
    log_index: i64,
    verification: Evidence,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Evidence {
    signed_entry_timestamp: String,
    inclusion_proof: Proof,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Proof {
    checkpoint: String,
    hashes: Vec<String>,
    log_index: i64,
    root_hash: String,
    tree_size: i64,
}

impl Signer {
    /// A fresh key, and a certificate for it in the name of the token's identity.
    pub fn new(
        client: &Client,
        authorities: &Authorities,
        identity: &IdentityToken,
    ) -> Result<Self, TrustError> {
        let (authority, log) = (authorities.fulcio()?, authorities.rekor()?.to_owned());
        let verifier = Verifier::new(authorities)?;
        let failed = |error: sigstore_verify::crypto::Error| not_signed(authority, error);
        let key = KeyPair::generate_ecdsa_p256().map_err(failed)?;
        let public = pem::lines("PUBLIC KEY", key.public_key_der().map_err(failed)?.as_bytes());
        let proof = key.sign(identity.subject.as_bytes()).map_err(failed)?;
        let request = Request::new(Method::Post, format!("{authority}/api/v2/signingCert"))
            .token(Some(&identity.token))
            .json(&json!({
                "publicKeyRequest": {
                    "publicKey": { "algorithm": "ECDSA", "content": public },
                    "proofOfPossession": STANDARD.encode(proof.as_bytes()),
                }
            }));
        let answer = client.send(&request.limit(LIMIT))?.success()?;
        let answer: Certified = answer.json()?;
        let chain = answer.signed_certificate_embedded_sct.map(|answer| answer.chain.certificates);
        let leaf = chain.and_then(|chain| chain.into_iter().next());
        let leaf =
            leaf.ok_or_else(|| not_signed(authority, "it gave no certificate with an embedded timestamp"))?;
        let certificate = DerCertificate::from_pem(&leaf).map_err(|error| not_signed(authority, error))?;
        Ok(Self { client: client.clone(), log, key, certificate, verifier })
    }

    /// Signs bytes.
    pub fn blob(&self, content: &[u8]) -> Result<NewBundle, TrustError> {
        let signature = self.sign(content)?;
        let digest = Sha256::digest(content);
        let entry = self.enter(&json!({
            "apiVersion": "0.0.1",
            "kind": "hashedrekord",
            "spec": {
                "data": { "hash": { "algorithm": "sha256", "value": hexadecimal(&digest) } },
                "signature": { "content": signature, "publicKey": { "content": self.verifier_text() } },
            }
        }))?;
        let part = json!({
            "messageDigest": { "algorithm": "SHA2_256", "digest": STANDARD.encode(digest) },
            "signature": signature,
        });
        let text = self.bundle("hashedrekord", &entry, "messageSignature", &part)?;
        let signed = self.verifier.blob(content, text.as_bytes());
        self.require_sound(text, signed)
    }

    /// Signs an in-toto statement, one of whose subjects is `subject`.
    pub fn statement(&self, subject: &[u8], statement: &[u8]) -> Result<NewBundle, TrustError> {
        let signature = self.sign(&dsse::pae(STATEMENT_TYPE, statement))?;
        let envelope = json!({
            "payload": STANDARD.encode(statement),
            "payloadType": STATEMENT_TYPE,
            "signatures": [{ "sig": signature }],
        });
        let entry = self.enter(&json!({
            "apiVersion": "0.0.1",
            "kind": "dsse",
            "spec": {
                "proposedContent": { "envelope": envelope.to_string(), "verifiers": [self.verifier_text()] },
            }
        }))?;
        let text = self.bundle("dsse", &entry, "dsseEnvelope", &envelope)?;
        let signed = self.verifier.statement(subject, text.as_bytes()).map(|statement| statement.signed);
        self.require_sound(text, signed)
    }

    fn sign(&self, message: &[u8]) -> Result<String, TrustError> {
        let signature = self.key.sign(message).map_err(|error| not_signed("this machine", error))?;
        Ok(STANDARD.encode(signature.as_bytes()))
    }

    /// The certificate as the log wants it.
    fn verifier_text(&self) -> String {
        STANDARD.encode(pem::lines("CERTIFICATE", self.certificate.as_bytes()))
    }

    /// Enters a signature into the log. Entering it twice is the same as once.
    fn enter(&self, proposed: &Value) -> Result<Entry, TrustError> {
        let address = format!("{}/api/v1/log/entries", self.log);
        let request = Request::new(Method::Post, &address).json(proposed).repeatable(true).limit(LIMIT);
        let mut answer = self.client.send(&request)?;
        if answer.status == 409 {
            // An earlier attempt went through and its answer was lost; the log says where the entry is.
            let place = answer.headers.get("location").and_then(|place| place.rsplit('/').next());
            let place = place.filter(|place| place.bytes().all(|byte| byte.is_ascii_hexdigit()));
            let place = place.ok_or_else(|| HttpError::from_problem(answer.problem()))?;
            answer = self.client.send(&Request::get(format!("{address}/{place}")).limit(LIMIT))?;
        }
        self.entry(&answer.success()?)
    }

    /// The one entry of an answer; its name is the log's own.
    fn entry(&self, answer: &Response) -> Result<Entry, TrustError> {
        let entries: std::collections::BTreeMap<String, Entry> = answer.json()?;
        let mut entries = entries.into_values();
        match (entries.next(), entries.next()) {
            (Some(entry), None) => Ok(entry),
            _ => Err(not_signed(&self.log, "it did not answer with one entry")),
        }
    }

    fn bundle(&self, kind: &str, entry: &Entry, name: &str, part: &Value) -> Result<String, TrustError> {
        let unusable = || not_signed(&self.log, "a hash in its answer is none");
        let base64 = |hash: &String| bytes(hash).map(|hash| STANDARD.encode(hash)).ok_or_else(unusable);
        let proof = &entry.verification.inclusion_proof;
        let hashes = proof.hashes.iter().map(base64).collect::<Result<Vec<_>, _>>()?;
        let log_entry = json!({
            "logIndex": entry.log_index.to_string(),
            "logId": { "keyId": base64(&entry.log_id)? },
            "kindVersion": { "kind": kind, "version": "0.0.1" },
            "integratedTime": entry.integrated_time.to_string(),
            "inclusionPromise": { "signedEntryTimestamp": entry.verification.signed_entry_timestamp },
            "inclusionProof": {
                "logIndex": proof.log_index.to_string(),
                "rootHash": base64(&proof.root_hash)?,
                "treeSize": proof.tree_size.to_string(),
                "hashes": hashes,
                "checkpoint": { "envelope": proof.checkpoint },
            },
            "canonicalizedBody": entry.body,
        });
        let bundle = json!({
            "mediaType": BUNDLE_TYPE,
            "verificationMaterial": {
                "certificate": { "rawBytes": STANDARD.encode(self.certificate.as_bytes()) },
                "tlogEntries": [log_entry],
                "timestampVerificationData": {},
            },
            name: part,
        });
        Ok(format!("{bundle}\n"))
    }

    /// A bundle that nobody could verify is never given out.
    fn require_sound(
        &self,
        text: String,
        signed: Result<Signed, crate::Refusal>,
    ) -> Result<NewBundle, TrustError> {
        let signed = signed.map_err(|refusal| {
            not_signed(
                &self.log,
                format!("the bundle made from its answer does not verify: {}", refusal.reason),
            )
        })?;
        Ok(NewBundle { text, signed })
    }
}

fn not_signed(service: &str, reason: impl std::fmt::Display) -> TrustError {
    TrustError::NotSigned { service: service.to_owned(), reason: reason.to_string() }
}

/// The bytes of a SHA-256 in hexadecimal.
fn bytes(text: &str) -> Option<Vec<u8>> {
    let digits = text.as_bytes();
    let pairs =
        digits.chunks_exact(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok());
    if digits.len() == 64 { pairs.collect() } else { None }
}
