//! What a request lacks is said by name, and never taken for empty or zero.

use std::io::{Read, Write};
use std::net::TcpStream;

use hub_testkit::sigstore::Sigstore;
use hub_testkit::{Hub, Role};

/// The whole answer to a request. Signed addresses take no token of the Hub, nor do other services.
fn ask(url: &str, request: &str, body: &str) -> String {
    let (host, length) = (url.trim_start_matches("http://"), body.len());
    let token = if [" /large/", " /api/v2/"].iter().any(|open| request.contains(open)) {
        ""
    } else {
        "authorization: Bearer hf_writer\r\n"
    };
    let head = format!("{request} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n{token}");
    let mut stream = TcpStream::connect(host).expect("a connection");
    write!(stream, "{head}content-length: {length}\r\n\r\n{body}").expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer
}

#[test]
fn a_missing_field_is_named() {
    let hub = Hub::builder().user("writer", "hf_writer", Role::Write).start().expect("a hub");
    let made = ask(&hub.url(), "POST /api/repos/create", r#"{"name": "demo", "type": "kernel"}"#);
    assert!(made.starts_with("HTTP/1.1 200"), "{made}");
    let (commit, signed) = ("POST /api/kernels/writer/demo/commit/main", "/large");
    let (zeros, header) = ("0".repeat(64), r#"{"key": "header", "value": {"summary": "A"}}"#);
    for (request, body, missing) in [
        (commit.to_owned(), r#"{"value": {}}"#.to_owned(), "the key of a line is missing"),
        (commit.to_owned(), r#"{"key": "header", "value": {}}"#.to_owned(), "summary is missing"),
        (
            commit.to_owned(),
            format!("{header}\n{}", r#"{"key": "lfsFile", "value": {"path": "a"}}"#),
            "oid is no SHA-256",
        ),
        (
            commit.to_owned(),
            format!("{header}\n{}", r#"{"key": "file", "value": {"path": "a"}}"#),
            "content is missing",
        ),
        (
            "POST /api/kernels/writer/demo/preupload/main".to_owned(),
            r#"{"files": [{"path": "a", "size": 1}]}"#.to_owned(),
            "sample is missing",
        ),
    ] {
        let answer = ask(&hub.url(), &request, &body);
        assert!(answer.starts_with("HTTP/1.1 400") && answer.contains(missing), "{request} {body}: {answer}");
    }
    for (request, body, missing) in [
        (format!("PUT {signed}/whole/{zeros}"), "", "size is missing"),
        (format!("POST {signed}/complete/1/{zeros}"), r#"{"parts": []}"#, "size is missing"),
        (
            format!("POST {signed}/complete/1/{zeros}?size=1"),
            r#"{"parts": [{"partNumber": 1}]}"#,
            "etag is missing",
        ),
        (format!("POST {signed}/verify/kernels/writer/demo"), "{}", "oid is no SHA-256"),
    ] {
        let answer = ask(&hub.url(), &request, body);
        assert!(answer.starts_with("HTTP/1.1 400") && answer.contains(missing), "{request}: {answer}");
    }
}

#[test]
fn a_certificate_without_an_identity_is_refused_by_name() {
    let services = Sigstore::start().expect("services");
    let address = services.request_url();
    let url = address.split("/identity").next().expect("an address");
    let answer = ask(url, "POST /api/v2/signingCert", "{}");
    assert!(
        answer.starts_with("HTTP/1.1 401") && answer.contains("oidcIdentityToken is missing"),
        "{answer}"
    );
}
