//! What is asked of the services, and what they answer.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::certificate::{decode, pem, public_key, requested_key};
use super::key::verifies;
use super::{Mishap, REQUEST_SECRET, State, Workflow, base64, from_base64, hexadecimal};
use crate::wire::{Delivery, Reply, Request};

pub(super) fn answer(state: &mut State, request: &Request<'_>, body: &[u8]) -> Reply {
    state.asked.push(format!("{} {}", request.method, request.path));
    let body: Value = match serde_json::from_slice(body) {
        Ok(body) => body,
        Err(_) if body.is_empty() => Value::Null,
        Err(error) => return refuse(400, &format!("the request is no JSON: {error}")),
    };
    let bearer = request.header("authorization").and_then(|value| value.strip_prefix("Bearer "));
    match (request.method.as_str(), request.path.as_str()) {
        ("GET", "/identity") => identity(state, bearer, &request.query),
        ("POST", "/api/v2/signingCert") => certify(state, bearer, &body),
        ("POST", "/api/v1/log/entries") => enter(state, &body),
        ("GET", path) => {
            match path.strip_prefix("/api/v1/log/entries/").and_then(|name| state.log.find(name)) {
                Some(at) => Reply::json(200, state.log.answer(at).to_string()),
                None => refuse(404, "no such thing"),
            }
        }
        _ => refuse(404, "no such thing"),
    }
}

fn refuse(status: u16, reason: &str) -> Reply {
    Reply::json(status, json!({ "code": 3, "message": reason }).to_string())
}

fn identity(state: &State, bearer: Option<&str>, query: &str) -> Reply {
    if bearer != Some(REQUEST_SECRET) {
        return refuse(401, "who are you");
    }
    let Some(audience) = query.split('&').find_map(|part| part.strip_prefix("audience=")) else {
        return refuse(400, "for whom");
    };
    let job = Workflow { aud: crate::hub::decode(audience), ..state.job.clone() };
    Reply::json(200, json!({ "value": job.token() }).to_string())
}

fn certify(state: &mut State, bearer: Option<&str>, body: &Value) -> Reply {
    let Some(text) = bearer.or(body["credentials"]["oidcIdentityToken"].as_str()) else {
        return refuse(401, "credentials.oidcIdentityToken is missing");
    };
    if state.mishap.take_if(|mishap| *mishap == Mishap::TokenRefused).is_some() {
        return refuse(401, &format!("there was an error processing the identity token {text}"));
    }
    let Some((workflow, subject)) = Workflow::of_token(text) else {
        return refuse(401, "this is no identity token");
    };
    if workflow.aud != "sigstore" {
        return refuse(401, "the identity token is made out to another audience");
    }
    let key = &body["publicKeyRequest"];
    let public = key["publicKey"]["content"].as_str().and_then(decode);
    let proof = key["proofOfPossession"].as_str().and_then(from_base64);
    let proven = public.zip(proof).filter(|(public, proof)| verifies(public, subject.as_bytes(), proof));
    let asked = body["certificateSigningRequest"].as_str().and_then(from_base64);
    match proven.map(|(public, _)| public).or_else(|| requested_key(&asked?)) {
        Some(public) => {
            let chain = [state.authority.issue(&public, &workflow), state.authority.root()];
            let certificates: Vec<String> = chain.iter().map(|der| pem("CERTIFICATE", der)).collect();
            let answer =
                json!({ "signedCertificateEmbeddedSct": { "chain": { "certificates": certificates } } });
            Reply::json(200, answer.to_string())
        }
        None => refuse(400, "the signature does not prove that the requester holds the key"),
    }
}

/// The body that is entered for what was proposed, with its keys in the order of RFC 8785.
fn canonical(proposed: &Value) -> Option<String> {
    let spec = &proposed["spec"];
    let clean = |certificate: &str| {
        let text = from_base64(certificate)?;
        Some((
            base64(pem("CERTIFICATE", &decode(std::str::from_utf8(&text).ok()?)?).as_bytes()),
            public_key(&text)?,
        ))
    };
    if proposed["kind"] == "hashedrekord" {
        let digest = spec["data"]["hash"]["value"].as_str()?;
        let signature = spec["signature"]["content"].as_str()?;
        let (certificate, _) = clean(spec["signature"]["publicKey"]["content"].as_str()?)?;
        return Some(format!(
            r#"{{"apiVersion":"0.0.1","kind":"hashedrekord","spec":{{"data":{{"hash":{{"algorithm":"sha256","value":"{digest}"}}}},"signature":{{"content":"{signature}","publicKey":{{"content":"{certificate}"}}}}}}}}"#
        ));
    }
    let text = spec["proposedContent"]["envelope"].as_str()?;
    let envelope: Value = serde_json::from_str(text).ok()?;
    let (certificate, public) = clean(spec["proposedContent"]["verifiers"][0].as_str()?)?;
    let payload = from_base64(envelope["payload"].as_str()?)?;
    let kind = envelope["payloadType"].as_str()?;
    let signature = envelope["signatures"][0]["sig"].as_str()?;
    let message = [format!("DSSEv1 {} {kind} {} ", kind.len(), payload.len()).as_bytes(), &payload].concat();
    if !verifies(&public, &message, &from_base64(signature)?) {
        return None;
    }
    let hash = |bytes: &[u8]| hexadecimal(&Sha256::digest(bytes));
    Some(format!(
        r#"{{"apiVersion":"0.0.1","kind":"dsse","spec":{{"envelopeHash":{{"algorithm":"sha256","value":"{}"}},"payloadHash":{{"algorithm":"sha256","value":"{}"}},"signatures":[{{"signature":"{signature}","verifier":"{certificate}"}}]}}}}"#,
        hash(text.as_bytes()),
        hash(&payload),
    ))
}

fn enter(state: &mut State, proposed: &Value) -> Reply {
    let Some(body) = canonical(proposed) else { return refuse(400, "the proposed entry is not sound") };
    let (at, is_new) = state.log.add(body.into_bytes());
    if !is_new {
        let place = format!("/api/v1/log/entries/{}", state.log.name(at));
        return refuse(409, "an equivalent entry already exists").header("location", &place);
    }
    let mut answer = state.log.answer(at);
    match state.mishap.take_if(|mishap| matches!(mishap, Mishap::AnswerLost | Mishap::ProofWrong)) {
        Some(Mishap::AnswerLost) => return Reply::empty(201).delivered(Delivery::Never),
        Some(Mishap::ProofWrong) => {
            let proof = &mut answer[state.log.name(at)]["verification"]["inclusionProof"]["hashes"];
            *proof = json!(["00".repeat(32)]);
        }
        _ => {}
    }
    Reply::json(201, answer.to_string())
}
