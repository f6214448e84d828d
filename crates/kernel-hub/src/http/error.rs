//! Why a request did not go well. Every text here is free of tokens and of signed addresses.

use std::fmt;

use camino::Utf8PathBuf;
use miette::Diagnostic;
use thiserror::Error;

/// Why there is no answer, or none that can be used.
#[derive(Debug, Error, Diagnostic)]
#[allow(missing_docs, reason = "the texts are the documentation")]
pub enum HttpError {
    #[error("`{address}` cannot be asked: {reason}")]
    #[diagnostic(code("hub/address"), help("give an address that begins with https:// and names a host"))]
    Address { address: String, reason: String },

    #[error("`{address}` would be asked without encryption")]
    #[diagnostic(code("hub/insecure"), help("use its https:// address; http:// is for this machine alone"))]
    Insecure { address: String },

    #[error("the network is needed for `{address}`, and `--offline` forbids it")]
    #[diagnostic(
        code("hub/offline"),
        help("run it without `--offline`, and without `KERNEL_BUILDER_OFFLINE`")
    )]
    Offline { address: String },

    #[error("the proxy in `{variable}` cannot be used: {reason}")]
    #[diagnostic(
        code("hub/proxy"),
        help(
            "write it as http://host:port or https://host:port, with name:password@ before the host if needed; a SOCKS proxy needs one of these before it"
        )
    )]
    Proxy { variable: String, reason: &'static str },

    #[error("the proxy in `{variable}` does not connect to `{host}`: it answered {status}")]
    #[diagnostic(code("hub/proxy"), help("{help}"))]
    ProxyRefused { variable: &'static str, host: String, status: u16, help: &'static str },

    #[error("there are no certificates to check servers with in {place}")]
    #[diagnostic(
        code("hub/certificates"),
        help(
            "install the system's `ca-certificates`, or name a file of PEM certificates in `SSL_CERT_FILE`"
        )
    )]
    Certificates { place: String },

    #[error("the certificates in `{path}`, which `{variable}` names, cannot be read")]
    #[diagnostic(
        code("environment/unreadable"),
        help(
            "name a regular file of PEM certificates that the user of this command may read, or unset the variable"
        )
    )]
    UnreadableCertificates {
        variable: &'static str,
        path: Utf8PathBuf,
        #[source]
        reason: std::io::Error,
    },

    #[error("`{host}` cannot be reached")]
    #[diagnostic(
        code("hub/unreachable"),
        help(
            "check the network, the proxy (`HTTPS_PROXY`) and the address; then run the same command again"
        )
    )]
    Unreachable {
        host: String,
        #[source]
        reason: Transport,
    },

    #[error("`{path}` changed while it was uploaded")]
    #[diagnostic(
        code("hub/changed"),
        help("let nothing write there meanwhile, and run the same command again")
    )]
    Changed {
        path: String,
        #[source]
        reason: std::io::Error,
    },

    #[error("the download could not be written")]
    #[diagnostic(code("environment/file"), help("look at the path and the system's reason above"))]
    Write(#[source] std::io::Error),

    #[error("the answer of `{address}` cannot be used: {reason}")]
    #[diagnostic(
        code("hub/answer"),
        help("check that the address is that of the right service; if it is, tell its operators")
    )]
    Answer { address: String, reason: String },

    #[error("the answer of `{address}` cannot be used: it has more than {most} bytes")]
    #[diagnostic(
        code("hub/answer"),
        help("check that the address is that of the right service; if it is, tell its operators")
    )]
    TooLarge { address: String, most: u64 },

    #[error("the answer of `{address}` comes so slowly that it would not end: {reason}")]
    #[diagnostic(
        code("hub/slow"),
        help("run the same command again; if it stays so, look at what is between here and there")
    )]
    Slow { address: String, reason: String },

    #[error("`{address}` takes what it is sent so slowly that it would not end: {reason}")]
    #[diagnostic(
        code("hub/slow"),
        help("run the same command again; if it stays so, look at what is between here and there")
    )]
    SlowToTake { address: String, reason: String },

    #[error("what `{address}` sent is not `{file}`: {reason}", file = path.file_name().unwrap_or_default())]
    #[diagnostic(
        code("hub/content"),
        help(
            "nothing was kept; if it happens again, the file was replaced there or something on the way changes it"
        )
    )]
    Content { address: String, path: Utf8PathBuf, reason: String },

    #[error("{0}")]
    #[diagnostic(
        code("hub/rate-limited"),
        help("wait a while and run the same command again; finished work is kept")
    )]
    RateLimited(Problem),

    #[error("{0}")]
    #[diagnostic(
        code("hub/server-fault"),
        help(
            "it is a fault of the server: run the same command again later, and name the request to its operators"
        )
    )]
    ServerFault(Problem),

    #[error("{0}")]
    #[diagnostic(code("hub/refused"), help("the server's own words say why"))]
    Refused(Problem),

    #[error("interrupted")]
    #[diagnostic(code("internal/interrupted"), help("run the same command again; finished work is kept"))]
    Interrupted,
}

/// What to do about the answer of a proxy.
pub(super) fn help_for_proxy(status: u16) -> &'static str {
    if status == 407 {
        "it wants a login: write it as http://name:password@host:port, and check name and password"
    } else {
        "ask whoever runs the proxy to allow that host, or name the host in `NO_PROXY` where it can be reached directly"
    }
}

/// What the network library said.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct Transport(pub(super) String);

/// A server's answer that is no success.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What was asked, without its query.
    pub address: String,
    /// The status.
    pub status: u16,
    /// The server's own code.
    pub code: Option<String>,
    /// The server's own words.
    pub message: Option<String>,
    /// The server's name for the request.
    pub request: Option<String>,
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "`{}` answered {}", self.address, self.status)?;
        if let Some(message) = &self.message {
            write!(formatter, ": {}", message.trim_end_matches('.'))?;
        }
        let details = [("code", &self.code), ("request", &self.request)];
        let known: Vec<String> = details
            .iter()
            .filter_map(|(name, value)| value.as_ref().map(|value| format!("{name} {value}")))
            .collect();
        if known.is_empty() { Ok(()) } else { write!(formatter, " ({})", known.join(", ")) }
    }
}

impl HttpError {
    /// The error for a problem that nobody understands better.
    pub fn from_problem(problem: Problem) -> Self {
        match problem.status {
            300..400 => {
                let reason = problem.message.unwrap_or_else(|| format!("it answered {}", problem.status));
                Self::Answer { address: problem.address, reason }
            }
            429 => Self::RateLimited(problem),
            500.. => Self::ServerFault(problem),
            _ => Self::Refused(problem),
        }
    }

    /// The server's problem, where there was an answer.
    pub fn problem(&self) -> Option<&Problem> {
        match self {
            Self::RateLimited(problem) | Self::ServerFault(problem) | Self::Refused(problem) => Some(problem),
            _ => None,
        }
    }
}
