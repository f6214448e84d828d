//! Certificates for signers, each entered into a log of certificates before it is given out.

use std::str::FromStr;
use std::time::Duration;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use x509_cert::certificate::{Certificate, TbsCertificate, Version};
use x509_cert::der::asn1::{BitString, OctetString, UtcTime};
use x509_cert::der::oid::ObjectIdentifier;
use x509_cert::der::{Decode, Encode};
use x509_cert::ext::Extension;
use x509_cert::name::Name;
use x509_cert::request::CertReq;
use x509_cert::serial_number::SerialNumber;
use x509_cert::spki::{AlgorithmIdentifierOwned, SubjectPublicKeyInfoOwned};
use x509_cert::time::{Time, Validity};

use super::key::{Key, verifies};
use super::token::Workflow;
use super::{base64, now};

const ECDSA_WITH_SHA256: &str = "1.2.840.10045.4.3.2";
const TIMESTAMPS: &str = "1.3.6.1.4.1.11129.2.4.2";
/// Seconds that a signer's certificate is valid.
const VALID: u64 = 600;

/// The authority, and the log of its certificates.
pub(super) struct Authority {
    key: Key,
    pub(super) log: Key,
    root: Certificate,
    issued: u64,
}

impl Authority {
    pub(super) fn new() -> Self {
        let (key, log) = (Key::generate(), Key::generate());
        let name = Name::from_str("CN=test root,O=test").expect("a name");
        let extensions = vec![
            extension("2.5.29.19", true, &[0x30, 0x03, 0x01, 0x01, 0xff]),
            extension("2.5.29.15", true, &[0x03, 0x02, 0x01, 0x06]),
            extension("2.5.29.14", false, &tlv(0x04, &key_identifier(&key.public()))),
        ];
        let validity = validity(now() - 86_400, now() + 86_400 * 3650);
        let body = body((&name, &name), validity, 1, &key.public(), extensions);
        let root = signed(body, &key);
        Self { key, log, root, issued: 1 }
    }

    /// It in a trusted root.
    pub(super) fn trusted(&self, url: &str) -> Value {
        json!({
            "subject": { "organization": "test", "commonName": "test root" },
            "uri": url,
            "certChain": { "certificates": [{ "rawBytes": base64(&der(&self.root)) }] },
            "validFor": { "start": "2020-01-01T00:00:00Z" },
        })
    }

    pub(super) fn root(&self) -> Vec<u8> {
        der(&self.root)
    }

    /// A certificate for a key in the name of a workflow.
    pub(super) fn issue(&mut self, public: &[u8], workflow: &Workflow) -> Vec<u8> {
        self.issued += 1;
        let name = &self.root.tbs_certificate.subject;
        let mut extensions = vec![
            extension("2.5.29.15", true, &[0x03, 0x02, 0x07, 0x80]),
            // Signing of code.
            extension("2.5.29.37", false, &tlv(0x30, &tlv(0x06, &[0x2b, 6, 1, 5, 5, 7, 3, 3]))),
            extension("2.5.29.14", false, &tlv(0x04, &key_identifier(public))),
            extension("2.5.29.35", false, &tlv(0x30, &tlv(0x80, &key_identifier(&self.key.public())))),
            extension("2.5.29.17", true, &tlv(0x30, &tlv(0x86, workflow.workflow().as_bytes()))),
        ];
        for (number, claim) in workflow.claims() {
            let value = if number == 1 { claim.into_bytes() } else { tlv(0x0c, claim.as_bytes()) };
            extensions.push(extension(&format!("1.3.6.1.4.1.57264.1.{number}"), false, &value));
        }
        let validity = validity(now() - 60, now() + VALID);
        let subject = Name::default();
        let mut body = body((name, &subject), validity, self.issued, public, extensions);
        let timestamps = self.entered(&der(&body));
        if let Some(extensions) = &mut body.extensions {
            extensions.push(extension(TIMESTAMPS, false, &tlv(0x04, &timestamps)));
        }
        der(&signed(body, &self.key))
    }

    /// The log's timestamp for a certificate that is about to be given out.
    fn entered(&self, body: &[u8]) -> Vec<u8> {
        let time = (now() * 1000).to_be_bytes();
        let issuer: [u8; 32] = Sha256::digest(self.key.public()).into();
        let length = u32::try_from(body.len()).expect("a small certificate").to_be_bytes();
        let message = [&[0, 0], &time[..], &[0, 1], &issuer[..], &length[1..], body, &[0, 0]].concat();
        let signature = self.log.sign(&message);
        let prefixed = |bytes: &[u8]| {
            let length = u16::try_from(bytes.len()).expect("a short text").to_be_bytes();
            [&length[..], bytes].concat()
        };
        let timestamp =
            [&[0], &self.log.id()[..], &time[..], &[0, 0, 4, 3], &prefixed(&signature)[..]].concat();
        prefixed(&prefixed(&timestamp))
    }
}

fn body(
    (issuer, subject): (&Name, &Name),
    validity: Validity,
    serial: u64,
    public: &[u8],
    extensions: Vec<Extension>,
) -> TbsCertificate {
    TbsCertificate {
        version: Version::V3,
        serial_number: SerialNumber::new(&serial.to_be_bytes()).expect("a number"),
        signature: algorithm(),
        issuer: issuer.clone(),
        validity,
        subject: subject.clone(),
        subject_public_key_info: SubjectPublicKeyInfoOwned::from_der(public).expect("a public key"),
        issuer_unique_id: None,
        subject_unique_id: None,
        extensions: Some(extensions),
    }
}

fn signed(body: TbsCertificate, key: &Key) -> Certificate {
    let signature = key.sign(&der(&body));
    Certificate {
        tbs_certificate: body,
        signature_algorithm: algorithm(),
        signature: BitString::from_bytes(&signature).expect("bits"),
    }
}

fn algorithm() -> AlgorithmIdentifierOwned {
    AlgorithmIdentifierOwned { oid: identifier(ECDSA_WITH_SHA256), parameters: None }
}

fn validity(from: u64, until: u64) -> Validity {
    let time = |seconds| {
        Time::UtcTime(
            UtcTime::from_unix_duration(Duration::from_secs(seconds)).expect("a time of this century"),
        )
    };
    Validity { not_before: time(from), not_after: time(until) }
}

fn extension(oid: &str, critical: bool, value: &[u8]) -> Extension {
    let extn_value = OctetString::new(value).expect("a short value");
    Extension { extn_id: identifier(oid), critical, extn_value }
}

fn identifier(text: &str) -> ObjectIdentifier {
    ObjectIdentifier::from_str(text).expect("an object identifier")
}

/// A value with its tag and length.
fn tlv(tag: u8, value: &[u8]) -> Vec<u8> {
    let length = u16::try_from(value.len()).expect("a short value").to_be_bytes();
    let head = match value.len() {
        0..128 => vec![tag, length[1]],
        128..256 => vec![tag, 0x81, length[1]],
        _ => vec![tag, 0x82, length[0], length[1]],
    };
    [&head, value].concat()
}

fn key_identifier(public: &[u8]) -> Vec<u8> {
    Sha256::digest(public)[..20].to_vec()
}

fn der(value: &impl Encode) -> Vec<u8> {
    value.to_der().expect("a value that can be encoded")
}

/// The key that a certificate in PEM is for.
pub(super) fn public_key(pem: &[u8]) -> Option<Vec<u8>> {
    let der = decode(std::str::from_utf8(pem).ok()?)?;
    let certificate = Certificate::from_der(&der).ok()?;
    certificate.tbs_certificate.subject_public_key_info.to_der().ok()
}

/// The key that a signing request in PEM is for, which must be signed with it.
pub(super) fn requested_key(pem: &[u8]) -> Option<Vec<u8>> {
    let der = decode(std::str::from_utf8(pem).ok()?)?;
    let request = CertReq::from_der(&der).ok()?;
    let public = request.info.public_key.to_der().ok()?;
    let signed = verifies(&public, &request.info.to_der().ok()?, request.signature.as_bytes()?);
    signed.then_some(public)
}

/// PEM as services write it.
pub(super) fn pem(label: &str, der: &[u8]) -> String {
    let text = base64(der);
    let lines: Vec<&str> = (0..text.len()).step_by(64).map(|at| &text[at..text.len().min(at + 64)]).collect();
    format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", lines.join("\n"))
}

/// The bytes in PEM.
pub(super) fn decode(pem: &str) -> Option<Vec<u8>> {
    let lines: String = pem.lines().filter(|line| !line.starts_with("-----")).map(str::trim).collect();
    super::from_base64(&lines)
}
