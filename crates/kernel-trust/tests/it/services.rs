//! Services that refuse, lose an answer or lie; and authorities that nobody named.

use hub_testkit::sigstore::{Mishap, REQUEST_SECRET, Sigstore, Workflow};
use kernel_hub::job::Job;
use kernel_spec::code;
use kernel_trust::{Authorities, IdentityToken, Signer, TrustError, Verifier};

use crate::{authorities, client, signer, verifier};

#[test]
fn a_job_asks_for_its_identity_and_signs() {
    let services = Sigstore::start().expect("services");
    services.set_job(Workflow { event_name: "release".to_owned(), ..Workflow::default() });
    let ask = |secret: &str| {
        let [address, name] = Job::variables();
        let get = |wanted: &str| match wanted {
            _ if wanted == address => Some(services.request_url()),
            _ => (wanted == name).then(|| secret.to_owned()),
        };
        IdentityToken::of_job(&client(), &Job::find(&get).expect("a job"), 0)
    };
    let token = ask(REQUEST_SECRET);
    let signer = Signer::new(&client(), &authorities(&services), &token.expect("a token")).expect("a signer");
    let bundle = signer.blob(b"content").expect("signed");
    let signed = verifier(&services).blob(b"content", bundle.text.as_bytes()).expect("sound");
    assert_eq!(signed, bundle.signed);
    let claims = signed.signer;
    assert_eq!(claims.trigger.as_deref(), Some("release"));
    assert_eq!(claims.repository_id.as_deref(), Some("101"));
    assert_eq!(claims.workflow.as_deref(), Some(claims.subject.as_str()));
    let refused = ask("wrong");
    assert!(matches!(refused, Err(TrustError::Http(_))), "{refused:?}");
    assert!(matches!(ask("wr ong"), Err(TrustError::Http(_))), "what no header can carry");
}

#[test]
fn a_token_is_never_repeated() {
    let services = Sigstore::start().expect("services");
    services.plan(Mishap::TokenRefused);
    let workflow = Workflow::default();
    let error = signer(&services, &workflow).err().expect("refused").to_string();
    let token = workflow.token();
    let secret = token.split('.').nth(1).expect("claims");
    assert!(error.contains("[token]") && !error.contains(secret), "{error}");
    let wrong = Workflow { aud: "somebody".to_owned(), ..workflow };
    let error = signer(&services, &wrong).err().expect("refused").to_string();
    assert!(error.contains("another audience"), "{error}");
}

#[test]
fn an_entry_whose_answer_was_lost_is_found_again() {
    let services = Sigstore::start().expect("services");
    let signer = signer(&services, &Workflow::default()).expect("a signer");
    services.plan(Mishap::AnswerLost);
    let bundle = signer.blob(b"content").expect("signed");
    verifier(&services).blob(b"content", bundle.text.as_bytes()).expect("sound");
    let asked = services.asked();
    let gets = asked.iter().filter(|asked| asked.starts_with("GET /api/v1/log/entries/")).count();
    assert_eq!(gets, 1, "{asked:?}");
}

#[test]
fn a_log_that_lies_gets_no_bundle_out() {
    let services = Sigstore::start().expect("services");
    let signer = signer(&services, &Workflow::default()).expect("a signer");
    services.plan(Mishap::ProofWrong);
    let refused = signer.blob(b"content").expect_err("no bundle");
    assert!(
        matches!(&refused, TrustError::NotSigned { reason, .. } if reason.contains("does not verify")),
        "{refused}"
    );
}

#[test]
fn other_authorities_vouch_for_nobody() {
    let (services, others) = (Sigstore::start().expect("services"), Sigstore::start().expect("services"));
    let bundle = signer(&services, &Workflow::default()).expect("a signer").blob(b"content").expect("signed");
    let refused = verifier(&others).blob(b"content", bundle.text.as_bytes()).expect_err("unknown");
    assert!([&code::trust::CERTIFICATE, &code::trust::LOG].contains(&refused.code), "{refused:?}");
    let public = Verifier::new(&Authorities::public_good().expect("compiled in")).expect("a verifier");
    public.blob(b"content", bundle.text.as_bytes()).expect_err("unknown");
}

#[test]
fn a_trusted_root_verifies_and_does_not_sign() {
    let services = Sigstore::start().expect("services");
    let bundle = signer(&services, &Workflow::default()).expect("a signer").blob(b"content").expect("signed");
    let root = Authorities::from_json(&services.trusted_root().to_string()).expect("a root");
    Verifier::new(&root).expect("a verifier").blob(b"content", bundle.text.as_bytes()).expect("sound");
    let token = IdentityToken::parse(&Workflow::default().token(), 0).expect("a token");
    let refused = Signer::new(&client(), &root, &token).err().expect("nowhere to sign");
    assert!(matches!(refused, TrustError::NoService { .. }), "{refused}");
    for text in ["", "{}", r#"{"mediaType": "application/vnd.dev.sigstore.clienttrustconfig.v0.1+json"}"#] {
        assert!(matches!(Authorities::from_json(text), Err(TrustError::Authorities { .. })), "{text}");
    }
}
