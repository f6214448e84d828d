//! https: against a real TLS server, directly and through a proxy, with an authority that is only trusted when named.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hub_testkit::Encrypted;
use kernel_hub::http::{Client, HttpError, Patience, Request, Settings};
use miette::Diagnostic;

/// A server with one file.
fn serve() -> Encrypted {
    let server = Encrypted::start().expect("the tests need `openssl` and `python3`");
    fs_err::write(server.files().join("index.html"), "over TLS").expect("written");
    server
}

fn client(variables: &[(&str, &str)]) -> Client {
    client_with(1, variables)
}

fn client_with(attempts: u32, variables: &[(&str, &str)]) -> Client {
    let get =
        |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
    let settings = Settings::from_environment(&get).expect("settings");
    let first = Duration::from_millis(1);
    let patience = Patience { attempts, first, longest: first, ..Patience::default() };
    Client::new(Settings { patience, ..settings })
}

fn named(server: &Encrypted) -> String {
    server.certificate().to_str().expect("UTF-8").to_owned()
}

fn code(error: &HttpError) -> String {
    error.code().map(|code| code.to_string()).unwrap_or_default()
}

#[test]
fn an_authority_is_trusted_when_it_is_named() {
    let server = serve();
    let address = format!("{}/", server.url());
    let certificate = named(&server);
    for variable in ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"] {
        // A proxy is not asked for this machine.
        let variables = [(variable, certificate.as_str()), ("HTTPS_PROXY", "http://127.0.0.1:1")];
        let answer = client(&variables).send(&Request::get(&address)).expect("an answer");
        assert_eq!(answer.body, b"over TLS");
    }
    let other = serve();
    let error = client(&[("SSL_CERT_FILE", named(&other).as_str())]).send(&Request::get(&address));
    let error = error.expect_err("nobody vouches for it");
    assert_eq!(code(&error), "hub/unreachable");
    let cause = std::error::Error::source(&error).expect("a cause").to_string();
    assert!(cause.contains("certificate"), "{cause}");
    let wrong_name = format!("https://127.0.0.1:{}/", server.port());
    let error = client(&[("SSL_CERT_FILE", certificate.as_str())]).send(&Request::get(wrong_name));
    assert_eq!(code(&error.expect_err("it is for another name")), "hub/unreachable");
}

/// A proxy that connects everything to one port, whatever name is asked for, and what it was asked.
fn proxy(to: u16) -> (u16, Arc<Mutex<Vec<String>>>) {
    recording(move |stream| {
        let target = TcpStream::connect(("127.0.0.1", to)).expect("the server");
        (&stream).write_all(b"HTTP/1.1 200 OK\r\n\r\n").expect("an answer");
        pipe(stream.try_clone().expect("a clone"), target.try_clone().expect("a clone"));
        pipe(target, stream);
    })
}

/// A proxy that connects nobody, and what it was asked.
fn refusing(answer: &'static str) -> (u16, Arc<Mutex<Vec<String>>>) {
    recording(move |mut stream| {
        stream.write_all(format!("HTTP/1.1 {answer}\r\n\r\n").as_bytes()).expect("an answer");
    })
}

/// A listener that does something with each connection, once it has noted what is asked.
fn recording(answer: impl Fn(TcpStream) + Send + 'static) -> (u16, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let log = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&log);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            seen.lock().expect("a log").push(head(&stream));
            answer(stream);
        }
    });
    (port, log)
}

fn head(stream: &TcpStream) -> String {
    let (mut reader, mut head) = (BufReader::new(stream), String::new());
    while !head.ends_with("\r\n\r\n") && reader.read_line(&mut head).is_ok_and(|count| count > 0) {}
    head
}

fn pipe(mut from: TcpStream, mut to: TcpStream) {
    std::thread::spawn(move || {
        // Either end may close at any time.
        let _ = std::io::copy(&mut from, &mut to);
        let _ = to.shutdown(std::net::Shutdown::Write);
    });
}

#[test]
fn a_proxy_is_asked_for_what_is_not_on_this_machine() {
    let server = serve();
    let (port, log) = proxy(server.port());
    let certificate = named(&server);
    let proxy = format!("http://user:pass@127.0.0.1:{port}");
    let variables = [("SSL_CERT_FILE", certificate.as_str()), ("https_proxy", proxy.as_str())];
    let answer = client(&variables).send(&Request::get("https://kernels.test/")).expect("an answer");
    assert_eq!(answer.body, b"over TLS");
    let seen = log.lock().expect("a log").clone();
    assert!(seen.len() == 1 && seen[0].starts_with("CONNECT kernels.test:443 "), "{seen:?}");
    assert!(seen[0].to_ascii_lowercase().contains("proxy-authorization: basic dxnlcjpwyxnz"), "{seen:?}");
    // Names below an exception are reached directly, and this one does not exist.
    let variables = [variables[0], variables[1], ("NO_PROXY", "example.org, test")];
    let direct = client(&variables);
    let error = direct.send(&Request::get("https://kernels.test/")).expect_err("no such host");
    assert_eq!(code(&error), "hub/unreachable");
    assert_eq!(log.lock().expect("a log").len(), 1);
}

#[test]
fn a_proxy_that_refuses_is_named_and_asked_once() {
    let server = serve();
    let certificate = named(&server);
    for (answer, status, attempts) in [
        ("407 Proxy Authentication Required", "407", 1),
        ("403 Forbidden", "403", 1),
        ("503 Service Unavailable", "503", 3),
    ] {
        let (port, log) = refusing(answer);
        let proxy = format!("http://user:hf_secret@127.0.0.1:{port}");
        let variables = [("SSL_CERT_FILE", certificate.as_str()), ("https_proxy", proxy.as_str())];
        let error = client_with(3, &variables).send(&Request::get("https://kernels.test/"));
        let error = error.expect_err("the proxy refuses");
        let cause = std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default();
        let text = format!("{error} {cause}");
        assert!(text.contains("proxy") && text.contains(status) && !text.contains("secret"), "{text}");
        let own = if attempts == 1 { "hub/proxy" } else { "hub/unreachable" };
        assert_eq!((code(&error).as_str(), log.lock().expect("a log").len()), (own, attempts), "{text}");
    }
}
