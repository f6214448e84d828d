//! A bundle that cosign 3 made with Sigstore's public services (from the test data of sigstore-rust, Apache-2.0), verified
//! without any network by the keys that are compiled in.

use kernel_spec::code;
use kernel_trust::{Authorities, Verifier};

const CONTENT: &[u8] = include_bytes!("../data/cosign-v3-blob.txt");
const BUNDLE: &[u8] = include_bytes!("../data/cosign-v3-blob.sigstore.json");

#[test]
fn a_public_signature_of_cosign_verifies_offline() {
    let verifier = Verifier::new(&Authorities::public_good().expect("compiled in")).expect("a verifier");
    let signed = verifier.blob(CONTENT, BUNDLE).expect("a sound signature");
    assert!(signed.signer.issuer.is_some() && !signed.signer.subject.is_empty(), "{signed:?}");
    // December 2025, by the log.
    assert!((1_764_500_000..1_767_300_000).contains(&signed.logged_at), "{}", signed.logged_at);
    let refused = verifier.blob(b"other", BUNDLE).expect_err("other content");
    assert_eq!(refused.code, &code::trust::OTHER_CONTENT);
}
