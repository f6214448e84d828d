//! https: against a real TLS server, directly and through a proxy, with an authority that is only trusted when named.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};

use kernel_hub::http::{Client, HttpError, Patience, Request, Settings};
use miette::Diagnostic;

/// Serves one answer over TLS with the certificate in its directory, and prints its port.
const SERVER: &str = r#"
import http.server, ssl, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = b"over TLS"
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *arguments): pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain("cert.pem", "key.pem")
server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_address[1], flush=True)
server.serve_forever()
"#;

/// What is certified.
const CERTIFICATE: &str = "[req]\ndistinguished_name = name\nx509_extensions = extensions\n[name]\n[extensions]\n\
    subjectAltName = DNS:localhost, DNS:kernels.test\nbasicConstraints = critical, CA:FALSE\n";

/// A running server; it ends when dropped.
struct Encrypted {
    folder: tempfile::TempDir,
    server: Child,
    port: u16,
}

impl Drop for Encrypted {
    fn drop(&mut self) {
        // It may be gone already.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

#[expect(clippy::disallowed_methods, reason = "the server is not ours")]
fn serve() -> Encrypted {
    let folder = tempfile::tempdir().expect("a folder");
    fs_err::write(folder.path().join("settings"), CERTIFICATE).expect("written");
    let made = Command::new("openssl")
        .args(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=test"])
        .args(["-config", "settings", "-keyout", "key.pem", "-out", "cert.pem"])
        .current_dir(folder.path())
        .output();
    let made = made.expect("the tests need `openssl`");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let mut server = Command::new("python3")
        .args(["-c", SERVER])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .spawn()
        .expect("python3 starts");
    let mut line = String::new();
    let output = server.stdout.take().expect("output");
    BufReader::new(output).read_line(&mut line).expect("a port");
    let port = line.trim().parse().expect("a number");
    Encrypted { folder, server, port }
}

fn client(variables: &[(&str, &str)]) -> Client {
    let get =
        |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
    let settings = Settings::from_environment(&get).expect("settings");
    let patience = Patience { attempts: 1, ..Patience::default() };
    Client::new(Settings { patience, ..settings })
}

fn named(folder: &Path) -> String {
    folder.join("cert.pem").to_str().expect("UTF-8").to_owned()
}

fn code(error: &HttpError) -> String {
    error.code().map(|code| code.to_string()).unwrap_or_default()
}

#[test]
fn an_authority_is_trusted_when_it_is_named() {
    let server = serve();
    let address = format!("https://localhost:{}/", server.port);
    let certificate = named(server.folder.path());
    for variable in ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"] {
        // A proxy is not asked for this machine.
        let variables = [(variable, certificate.as_str()), ("HTTPS_PROXY", "http://127.0.0.1:1")];
        let answer = client(&variables).send(&Request::get(&address)).expect("an answer");
        assert_eq!(answer.body, b"over TLS");
    }
    let other = serve();
    let error =
        client(&[("SSL_CERT_FILE", named(other.folder.path()).as_str())]).send(&Request::get(&address));
    let error = error.expect_err("nobody vouches for it");
    assert_eq!(code(&error), "hub/unreachable");
    let cause = std::error::Error::source(&error).expect("a cause").to_string();
    assert!(cause.contains("certificate"), "{cause}");
    let wrong_name = format!("https://127.0.0.1:{}/", server.port);
    let error = client(&[("SSL_CERT_FILE", certificate.as_str())]).send(&Request::get(wrong_name));
    assert_eq!(code(&error.expect_err("it is for another name")), "hub/unreachable");
}

/// A proxy that connects everything to one port, whatever name is asked for.
fn proxy(to: u16) -> (u16, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let log = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&log);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut reader = BufReader::new(stream.try_clone().expect("a clone"));
            let mut head = String::new();
            while !head.ends_with("\r\n\r\n") && reader.read_line(&mut head).is_ok_and(|count| count > 0) {}
            seen.lock().expect("a log").push(head);
            let target = TcpStream::connect(("127.0.0.1", to)).expect("the server");
            (&stream).write_all(b"HTTP/1.1 200 OK\r\n\r\n").expect("an answer");
            pipe(stream.try_clone().expect("a clone"), target.try_clone().expect("a clone"));
            pipe(target, stream);
        }
    });
    (port, log)
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
    let (port, log) = proxy(server.port);
    let certificate = named(server.folder.path());
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
