//! Keys on the curve P-256.

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_ASN1, ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair, UnparsedPublicKey,
};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::base64;

/// What comes before the point in the encoded form of such a key.
const PREFIX: [u8; 26] = [
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a, 0x86,
    0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
];

pub(super) struct Key(EcdsaKeyPair);

impl Key {
    pub(super) fn generate() -> Self {
        Self(EcdsaKeyPair::generate(&ECDSA_P256_SHA256_ASN1_SIGNING).expect("a key"))
    }

    pub(super) fn sign(&self, message: &[u8]) -> Vec<u8> {
        self.0.sign(&SystemRandom::new(), message).expect("a signature").as_ref().to_vec()
    }

    /// The public key in its encoded form.
    pub(super) fn public(&self) -> Vec<u8> {
        [&PREFIX, self.0.public_key().as_ref()].concat()
    }

    /// The name of a log that signs with it.
    pub(super) fn id(&self) -> [u8; 32] {
        Sha256::digest(self.public()).into()
    }

    /// It as a log in a trusted root.
    pub(super) fn trusted(&self, url: &str) -> Value {
        json!({
            "baseUrl": url,
            "hashAlgorithm": "SHA2_256",
            "publicKey": {
                "rawBytes": base64(&self.public()),
                "keyDetails": "PKIX_ECDSA_P256_SHA_256",
                "validFor": { "start": "2020-01-01T00:00:00Z" },
            },
            "logId": { "keyId": base64(&self.id()) },
        })
    }
}

/// Whether a signature is that of the holder of an encoded key.
pub(super) fn verifies(public: &[u8], message: &[u8], signature: &[u8]) -> bool {
    let point = public.strip_prefix(&PREFIX);
    point.is_some_and(|point| {
        UnparsedPublicKey::new(&ECDSA_P256_SHA256_ASN1, point).verify(message, signature).is_ok()
    })
}
