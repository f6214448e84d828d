//! A server of files over TLS, with a certificate that nobody trusts unless it is named. It is Python's and OpenSSL's, so
//! that what is tested against it is tested against somebody else's TLS.

use std::io::{BufRead, BufReader, Error};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

/// Serves the directory `files` and prints its port; `Location` of what is asked below `/elsewhere/` is another host.
const SERVER: &str = r#"
import functools, http.server, ssl
class Handler(http.server.SimpleHTTPRequestHandler):
    def do_GET(self):
        if self.path.startswith("/elsewhere/"):
            self.send_response(301)
            self.send_header("location", "https://127.0.0.1:1" + self.path)
            self.end_headers()
        else:
            super().do_GET()
    def log_message(self, *arguments): pass
handler = functools.partial(Handler, directory="files")
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
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
#[derive(Debug)]
pub struct Encrypted {
    folder: TempDir,
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

impl Encrypted {
    /// Starts it with an empty directory.
    #[expect(clippy::disallowed_methods, reason = "the server is not ours")]
    pub fn start() -> std::io::Result<Self> {
        let folder = tempfile::tempdir()?;
        fs_err::create_dir(folder.path().join("files"))?;
        fs_err::write(folder.path().join("settings"), CERTIFICATE)?;
        let made = Command::new("openssl")
            .args(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=test"])
            .args(["-config", "settings", "-keyout", "key.pem", "-out", "cert.pem"])
            .current_dir(folder.path())
            .output()?;
        if !made.status.success() {
            return Err(Error::other(String::from_utf8_lossy(&made.stderr).into_owned()));
        }
        let mut server = Command::new("python3")
            .args(["-c", SERVER])
            .current_dir(folder.path())
            .stdout(Stdio::piped())
            .spawn()?;
        let mut line = String::new();
        if let Some(output) = server.stdout.take() {
            BufReader::new(output).read_line(&mut line)?;
        }
        let port = line.trim().parse().map_err(Error::other)?;
        Ok(Self { folder, server, port })
    }

    /// Its port on this machine.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The address that it is certified for.
    pub fn url(&self) -> String {
        format!("https://localhost:{}", self.port)
    }

    /// The directory that it serves.
    pub fn files(&self) -> PathBuf {
        self.folder.path().join("files")
    }

    /// The file of its certificate.
    pub fn certificate(&self) -> PathBuf {
        self.folder.path().join("cert.pem")
    }

    /// Its folder, with the private key too.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }
}
