//! Services that sign on this machine, for tests: a certificate authority with its log of certificates (Fulcio's
//! interface, version 2), a log of signatures (Rekor's, version 1), and the endpoint at which a CI job asks for its
//! identity. Verifiers that nobody here wrote accept what comes of them; tokens alone are taken on trust.

mod certificate;
mod key;
mod log;
mod mutants;
mod service;
mod token;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use certificate::Authority;
use key::Key;
use log::Log;
use serde_json::{Value, json};

use crate::wire::{Reply, Request, Server};

pub use mutants::{Mutant, mutants};
pub use token::Workflow;

/// The secret with which a job asks for its identity.
pub const REQUEST_SECRET: &str = "request-secret";

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mishap {
    /// The certificate authority refuses the token, and repeats it.
    TokenRefused,
    /// The log takes the next entry, and its answer is lost.
    AnswerLost,
    /// The log's proof does not prove the entry.
    ProofWrong,
}

/// The running services; they end when dropped.
pub struct Sigstore {
    server: Server,
    state: Arc<Mutex<State>>,
}

struct State {
    authority: Authority,
    log: Log,
    /// Who runs the job that asks for its identity.
    job: Workflow,
    mishap: Option<Mishap>,
    asked: Vec<String>,
}

impl Sigstore {
    /// Starts them with fresh keys; the log already holds a few entries of others.
    pub fn start() -> std::io::Result<Self> {
        let mut log = Log::new(Key::generate());
        for number in 0..5 {
            log.add(format!("{{\"entry of others\":{number}}}").into_bytes());
        }
        let state = State {
            authority: Authority::new(),
            log,
            job: Workflow::default(),
            mishap: None,
            asked: Vec::new(),
        };
        let state = Arc::new(Mutex::new(state));
        let shared = Arc::clone(&state);
        let server = Server::start(move |request: &mut Request<'_>| -> Reply {
            match request.read_body() {
                Ok(body) => service::answer(&mut lock(&shared), request, &body),
                Err(error) => Reply::json(400, json!({ "message": error.to_string() }).to_string()),
            }
        })?;
        Ok(Self { server, state })
    }

    /// The configuration of clients: keys to trust, and where to ask.
    pub fn trust_config(&self) -> Value {
        let service = || {
            json!([{
                "url": self.server.url(), "majorApiVersion": 1, "operator": "test",
                "validFor": { "start": "2020-01-01T00:00:00Z" },
            }])
        };
        json!({
            "mediaType": "application/vnd.dev.sigstore.clienttrustconfig.v0.1+json",
            "trustedRoot": self.trusted_root(),
            "signingConfig": {
                "mediaType": "application/vnd.dev.sigstore.signingconfig.v0.2+json",
                "caUrls": service(), "oidcUrls": service(),
                "rekorTlogUrls": service(), "rekorTlogConfig": { "selector": "ANY" },
                "tsaUrls": [], "tsaConfig": { "selector": "ANY" },
            },
        })
    }

    /// The keys to trust alone.
    pub fn trusted_root(&self) -> Value {
        let state = lock(&self.state);
        let url = self.server.url();
        json!({
            "mediaType": "application/vnd.dev.sigstore.trustedroot+json;version=0.1",
            "tlogs": [state.log.key.trusted(&format!("https://{}", log::NAME))],
            "certificateAuthorities": [state.authority.trusted(&url)],
            "ctlogs": [state.authority.log.trusted(&url)],
            "timestampAuthorities": [],
        })
    }

    /// Who runs the job that asks for its identity from now on.
    pub fn set_job(&self, job: Workflow) {
        lock(&self.state).job = job;
    }

    /// The address at which a job asks for its identity; its secret is [`REQUEST_SECRET`].
    pub fn request_url(&self) -> String {
        format!("{}/identity?version=2", self.server.url())
    }

    /// Lets something go wrong once.
    pub fn plan(&self, mishap: Mishap) {
        lock(&self.state).mishap = Some(mishap);
    }

    /// The requests so far, as `METHOD PATH`.
    pub fn asked(&self) -> Vec<String> {
        lock(&self.state).asked.clone()
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Seconds since 1970.
#[expect(clippy::disallowed_methods, reason = "the services have a clock of their own, as everywhere")]
fn now() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |time| time.as_secs())
}

fn base64(bytes: &[u8]) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

fn from_base64(text: &str) -> Option<Vec<u8>> {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.decode(text).ok()
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
