//! Nothing in a bundle can be changed without being noticed.

use hub_testkit::sigstore::{Sigstore, Workflow, mutants};
use serde_json::Value;

use crate::{signer, statement, verifier};

/// Changes that mean nothing: what is left out is the same as what it would be then, by the format itself.
const SAME: [&str; 1] = ["/verificationMaterial/timestampVerificationData: left out"];

#[test]
fn every_change_of_a_signature_is_refused() {
    let services = Sigstore::start().expect("services");
    let signer = signer(&services, &Workflow::default()).expect("a signer");
    let text = signer.blob(b"content").expect("signed").text;
    let verifier = verifier(&services);
    verifier.blob(b"content", text.as_bytes()).expect("the bundle itself");
    let bundle: Value = serde_json::from_str(&text).expect("JSON");
    let mutants = mutants(&bundle);
    let accepted: Vec<&str> = mutants
        .iter()
        .filter(|mutant| verifier.blob(b"content", mutant.bundle.as_bytes()).is_ok())
        .map(|mutant| mutant.what.as_str())
        .filter(|what| !SAME.contains(what))
        .collect();
    assert!(accepted.is_empty(), "of {} changes these are accepted: {accepted:#?}", mutants.len());
    assert!(mutants.len() > 200, "{}", mutants.len());
    for content in [&b"Content"[..], b"", b"content\n"] {
        assert!(verifier.blob(content, text.as_bytes()).is_err());
    }
}

#[test]
fn every_change_of_a_signed_statement_is_refused() {
    let services = Sigstore::start().expect("services");
    let signer = signer(&services, &Workflow::default()).expect("a signer");
    let said = statement(b"subject");
    let text = signer.statement(b"subject", said.as_bytes()).expect("signed").text;
    let verifier = verifier(&services);
    let signed = verifier.statement(b"subject", text.as_bytes()).expect("the bundle itself");
    assert_eq!(signed.statement, said.as_bytes());
    let bundle: Value = serde_json::from_str(&text).expect("JSON");
    let mutants = mutants(&bundle);
    let accepted: Vec<&str> = mutants
        .iter()
        .filter(|mutant| verifier.statement(b"subject", mutant.bundle.as_bytes()).is_ok())
        .map(|mutant| mutant.what.as_str())
        .filter(|what| !SAME.contains(what))
        .collect();
    assert!(accepted.is_empty(), "of {} changes these are accepted: {accepted:#?}", mutants.len());
    assert!(verifier.statement(b"another", text.as_bytes()).is_err(), "it names its subjects");
    assert!(verifier.blob(b"subject", text.as_bytes()).is_err(), "a statement is no signature of a file");
}

#[test]
fn a_key_that_is_written_twice_is_refused() {
    let services = Sigstore::start().expect("services");
    let text =
        signer(&services, &Workflow::default()).expect("a signer").blob(b"content").expect("signed").text;
    let twice = text.replacen("\"messageSignature\":", "\"messageSignature\":{},\"messageSignature\":", 1);
    assert_ne!(text, twice);
    let refused = verifier(&services).blob(b"content", twice.as_bytes()).expect_err("twice");
    assert!(refused.reason.contains("twice"), "{refused:?}");
}
