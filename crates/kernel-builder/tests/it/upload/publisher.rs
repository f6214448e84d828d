//! Trusted publishing: a CI job shows who it is, and needs no stored token.

use hub_testkit::sigstore::{REQUEST_SECRET, Sigstore, Workflow};

use super::*;

/// A Hub on which the usual workflow may publish `acme/demo`, which is there already.
fn hub() -> Hub {
    let hub = Hub::builder()
        .organization("acme", true, &[("writer", Role::Write)])
        .user("writer", "hf_secret_writer", Role::Write)
        .publisher(REPOSITORY, Workflow::default())
        .start()
        .expect("a hub");
    assert_eq!(project(&hub, "writer", "one").run(&["upload"]).status, 0);
    hub
}

/// A job that has something new to publish, and no token.
fn job(hub: &Hub) -> Scene {
    project(hub, "writer", "two").variable("HF_TOKEN", "").variable("HF_OIDC_RESOURCE", REPOSITORY)
}

/// The code and the text of a refusal, which holds no secret.
fn refused(scene: &Scene) -> (String, String) {
    let ran = scene.run(&["upload", "--json"]);
    let text = ran.to_string();
    assert!(ran.status != 0 && !text.contains("secret") && !text.contains("eyJ"), "{text}");
    (ran.json().pop().expect("a line")["code"].as_str().expect("a code").to_owned(), text)
}

#[test]
fn a_job_publishes_by_its_identity() {
    let (hub, services) = (hub(), Sigstore::start().expect("services"));
    let scene = job(&hub)
        .variable("ACTIONS_ID_TOKEN_REQUEST_URL", &services.request_url())
        .variable("ACTIONS_ID_TOKEN_REQUEST_TOKEN", REQUEST_SECRET);
    let ran = scene.run(&["upload", "-vv"]);
    assert_eq!(ran.status, 0, "{ran}");
    assert!(!ran.to_string().contains("secret") && !ran.to_string().contains("eyJ"), "{ran}");
    assert_eq!(contents(&hub, &hub.history(REPOSITORY, "v1")[0]), local(&scene));

    // A token that some other service gave the job, and nothing else: it goes before a token that is set too.
    let identity = Workflow { aud: hub.url(), ..Workflow::default() }.token();
    let scene = project(&hub, "writer", "three")
        .variable("HF_TOKEN", "hf_of_nobody")
        .variable("HF_OIDC_RESOURCE", REPOSITORY)
        .variable("HF_OIDC_ID_TOKEN", &identity);
    let ran = scene.run(&["upload"]);
    assert_eq!(ran.status, 0, "{ran}");
    assert_eq!(contents(&hub, &hub.history(REPOSITORY, "v1")[0]), local(&scene));
    // The token is for that repository alone.
    let ran = scene.run(&["upload", "--repo-id", "acme/other", "--json"]);
    assert_eq!(
        (ran.status, &ran.json().pop().expect("a line")["code"]),
        (8, &"hub/permission".into()),
        "{ran}"
    );
    let ran = scene.run(&["upload", "--offline", "--json"]);
    assert_eq!(ran.json().pop().expect("a line")["code"], "hub/offline");
}

#[test]
fn a_job_that_is_no_publisher_gets_no_token_and_no_other_login() {
    let hub = hub();
    // A token is set too, and is not used instead.
    let job = || job(&hub).variable("HF_TOKEN", "hf_secret_writer");
    assert_eq!(refused(&job()).0, "hub/identity");
    let with = |change: fn(&mut Workflow)| {
        let mut workflow = Workflow { aud: hub.url(), ..Workflow::default() };
        change(&mut workflow);
        refused(&job().variable("HF_OIDC_ID_TOKEN", &workflow.token()))
    };
    for change in [
        |fork: &mut Workflow| fork.repository_id = "102".to_owned(),
        |other: &mut Workflow| {
            other.job_workflow_ref = "acme/kernels/.github/workflows/x.yaml@refs/heads/a".to_owned();
        },
    ] {
        let (code, text) = with(change);
        assert!(code == "hub/publisher" && text.contains("no trusted publisher of the repository"), "{text}");
    }
    let (code, text) = with(|job| job.aud = "sigstore".to_owned());
    assert!(code == "hub/publisher" && text.contains("another audience"), "{text}");
    // The server repeats what it was sent.
    let (code, text) = refused(&job().variable("HF_OIDC_ID_TOKEN", "eyJ.secret.x"));
    assert!(code == "hub/publisher" && text.contains("[token]"), "{text}");
    assert_eq!(refused(&job().variable("HF_OIDC_ID_TOKEN", "eyJ secret")).0, "hub/token");
    for variable in ["HF_OIDC_ID_TOKEN", "HF_OIDC_RESOURCE"] {
        let (code, text) = refused(&job().variable(variable, " "));
        assert!(code == "hub/token" && text.contains(&format!("`{variable}` is blank")), "{text}");
    }
    let gone = hub_testkit::Kind::Refused(503, Vec::new());
    let path = "/oauth/token".to_owned();
    hub.faults().plan(hub_testkit::Fault { method: "POST", path, times: 2, kind: gone });
    let identity = Workflow { aud: hub.url(), ..Workflow::default() }.token();
    let scene = job().variable("HF_OIDC_ID_TOKEN", &identity);
    assert_eq!(scene.run(&["upload"]).status, 0, "a busy service is waited for");
    // The token ends while it is used.
    let ended = hub_testkit::Kind::Refused(401, Vec::new());
    hub.faults().plan(hub_testkit::Fault { method: "GET", path: "/refs".to_owned(), times: 1, kind: ended });
    let (code, text) = refused(&scene);
    assert!(code == "hub/token" && text.contains("valid for a short time"), "{text}");
}

/// The Hub of the tests says which field is missing, and takes none for an empty one.
#[test]
fn an_exchange_without_a_field_is_told_which() {
    use std::io::{Read, Write};
    let hub = hub();
    for missing in ["subject_token", "resource"] {
        let mut body = serde_json::json!({
            "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange",
            "subject_token_type": "urn:ietf:params:oauth:token-type:id_token",
            "subject_token": "a", "resource": "kernels/acme/demo",
        });
        body.as_object_mut().expect("an object").remove(missing);
        let (body, host) = (body.to_string(), hub.url().replace("http://", ""));
        let mut stream = std::net::TcpStream::connect(&host).expect("a connection");
        write!(
            stream,
            "POST /oauth/token HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        )
        .expect("sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        assert!(
            answer.starts_with("HTTP/1.1 400") && answer.contains(&format!("{missing} is missing")),
            "{answer}"
        );
    }
}
