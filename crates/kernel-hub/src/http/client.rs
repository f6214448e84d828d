//! Sending a request until it is answered: attempts, waits, redirects.

use std::io::Read;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

use ureq::SendBody;
use ureq::http;

use super::address::Address;
use super::agent::Agents;
use super::attempts::Attempts;
use super::error::{HttpError, Transport, help_for_proxy};
use super::guard::guarded;
use super::paced::{Paced, TooSlow};
use super::planned::OtherContent;
use super::request::{Body, Method, Request};
use super::response::{Headers, Response};
use super::retry;
use super::secrets::{Finder, Secrets};
use super::settings::Settings;
use super::token::Token;
use super::wire::{NoPart, SlowAnswer};

/// Most redirects that are followed.
const REDIRECTS: usize = 10;

/// From this size on a server may refuse a body before it is sent.
const ASKS_FIRST: u64 = 1 << 20;

/// The one door to the network. Clones share connections.
#[derive(Clone)]
pub struct Client {
    settings: Arc<Settings>,
    agents: Arc<Agents>,
    /// Every secret that was ever sent, so that no answer, whoever gives it, brings one back.
    secrets: Arc<Mutex<Secrets>>,
}

/// An answer whose body is still to be read.
pub(super) struct Opened {
    pub(super) status: u16,
    pub(super) headers: Headers,
    pub(super) body: ureq::Body,
    pub(super) address: Address,
}

/// Why an attempt did not go well.
pub(super) enum Failed {
    /// No answer, or not all of it: trying again may help.
    Transport(Transport),
    /// An answer by whose status trying again may help.
    Transient(Box<Response>),
    /// Trying again will not help.
    Final(HttpError),
}

impl From<HttpError> for Failed {
    fn from(error: HttpError) -> Self {
        Self::Final(error)
    }
}

impl Client {
    /// A client; nothing is opened yet.
    pub fn new(settings: Settings) -> Self {
        Self { settings: Arc::new(settings), agents: Arc::default(), secrets: Arc::default() }
    }

    /// Its settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Takes a secret that is sent in a body out of every answer, as it is done with those of headers.
    pub fn keep_secret(&self, secret: &Token) {
        self.secrets.lock().unwrap_or_else(PoisonError::into_inner).keep(secret);
    }

    /// An answer without any secret in it.
    fn without_secrets(&self, bytes: Vec<u8>) -> Vec<u8> {
        self.finder().redact(bytes)
    }

    /// The words of others, as people are told them.
    pub(crate) fn told(&self, text: &str) -> String {
        self.finder().told(text)
    }

    fn finder(&self) -> Finder {
        self.secrets.lock().unwrap_or_else(PoisonError::into_inner).finder()
    }

    /// An answer that was read.
    pub(super) fn answered(
        &self,
        (status, headers, address): (u16, Headers, Address),
        body: Vec<u8>,
    ) -> Response {
        let finder = self.finder();
        Response { status, headers, body: finder.redact(body), address, finder }
    }

    /// Sends a request and reads the answer, which may be a refusal. An answer that is transient by its status is waited
    /// out: always where the server was too busy to begin (429), else where the request is repeatable.
    pub fn send(&self, request: &Request) -> Result<Response, HttpError> {
        let mut attempts = Attempts::new(self, &request.address)?;
        loop {
            let failed = match self.attempt(request) {
                Ok(response) if response.status == 429 => Failed::Transient(Box::new(response)),
                Ok(response) if request.repeats && retry::is_transient(response.status) => {
                    Failed::Transient(Box::new(response))
                }
                Ok(response) => return Ok(response),
                Err(failed) if request.repeats => failed,
                Err(failed) => return Err(attempts.give_up(failed)),
            };
            attempts.wait(failed)?;
        }
    }

    fn attempt(&self, request: &Request) -> Result<Response, Failed> {
        let Opened { status, headers, body: unread, address } = self.open(request)?;
        let mut body = Vec::new();
        let mut reader = Paced::new(unread.into_reader(), self.settings.patience).take(request.limit + 1);
        reader.read_to_end(&mut body).map_err(|error| self.broken(&error, &address))?;
        if body.len() as u64 > request.limit {
            return Err(HttpError::TooLarge { address: address.to_string(), most: request.limit }.into());
        }
        Ok(self.answered((status, headers, address), body))
    }

    /// Sends a request once, follows redirects, and leaves the body to be read.
    pub(super) fn open(&self, request: &Request) -> Result<Opened, Failed> {
        let first = Address::parse(&request.address)?;
        let mut address = first.clone();
        for _ in 0..=REDIRECTS {
            let token = request.token.as_ref().filter(|_| address.same_origin(&first));
            let opened = self.once(request, &address, token)?;
            let location = opened.headers.get("location").map(str::to_owned);
            match location {
                Some(location) if request.follows && matches!(opened.status, 301 | 302 | 303 | 307 | 308) => {
                    let next = address.join(&location).map_err(|error| match error {
                        HttpError::Address { reason, .. } => {
                            let reason = self.told(&reason);
                            let reason = format!("it redirects to where nothing can be asked: {reason}");
                            HttpError::Answer { address: address.to_string(), reason }
                        }
                        HttpError::Insecure { address } => {
                            HttpError::Insecure { address: self.told(&address) }
                        }
                        other => other,
                    })?;
                    if address.is_encrypted() && !next.is_encrypted() {
                        return Err(HttpError::Insecure { address: self.told(&next.to_string()) }.into());
                    }
                    address = next;
                }
                _ => return Ok(opened),
            }
        }
        let reason = format!("it redirects more than {REDIRECTS} times");
        Err(HttpError::Answer { address: first.to_string(), reason }.into())
    }

    fn once(&self, request: &Request, address: &Address, token: Option<&Token>) -> Result<Opened, Failed> {
        if self.settings.offline {
            return Err(HttpError::Offline { address: address.to_string() }.into());
        }
        if self.is_cancelled() {
            return Err(HttpError::Interrupted.into());
        }
        let agent = self.agents.to(address, &self.settings)?;
        let mut building = http::Request::builder().method(method(request.method)).uri(address.uri().clone());
        for (name, value) in &request.headers {
            building = building.header(*name, value);
        }
        if let Some(token) = token {
            self.keep_secret(token);
            building = building.header("authorization", token.authorization());
        }
        tracing::debug!(method = ?request.method, address = self.told(&address.to_string()), "asking");
        let invalid = |error: http::Error| {
            let reason = format!("the request cannot be written: {error}");
            HttpError::Address { address: address.to_string(), reason }
        };
        let answer = match content(&request.body)? {
            None => {
                let asked = building.body(()).map_err(invalid)?;
                guarded(|| agent.run(asked))
            }
            Some(reader) => {
                let mut reader = Paced::new(reader, self.settings.patience);
                let length = request.body.length();
                building = building.header("content-length", length);
                if length >= ASKS_FIRST {
                    building = building.header("expect", "100-continue");
                }
                let asked = building.body(SendBody::from_reader(&mut reader)).map_err(invalid)?;
                guarded(|| agent.run(asked))
            }
        };
        let answer = answer.map_err(|error| self.failed(error, address))?;
        let (parts, body) = answer.into_parts();
        tracing::debug!(
            status = parts.status.as_u16(),
            address = self.told(&address.to_string()),
            "answered"
        );
        let text = |value: &http::HeaderValue| {
            String::from_utf8_lossy(&self.without_secrets(value.as_bytes().to_vec())).into_owned()
        };
        let headers = parts.headers.iter().map(|(name, value)| (name.as_str().to_owned(), text(value)));
        Ok(Opened {
            status: parts.status.as_u16(),
            headers: headers.collect(),
            body,
            address: address.clone(),
        })
    }

    /// What an error of the library means.
    fn failed(&self, error: ureq::Error, address: &Address) -> Failed {
        if self.is_cancelled() {
            return HttpError::Interrupted.into();
        }
        if matches!(error, ureq::Error::Protocol(_) | ureq::Error::LargeResponseHeader(..)) {
            let reason = format!("it does not keep to HTTP ({})", self.told(&error.to_string()));
            return HttpError::Answer { address: address.to_string(), reason }.into();
        }
        if let ureq::Error::ConnectProxyFailed(reason) = &error
            && let Some(status @ 400..500) = status_of_proxy(reason)
        {
            let variable = self.settings.proxy.as_ref().map_or("HTTPS_PROXY", |proxy| proxy.variable);
            let (host, help) = (address.host().to_owned(), help_for_proxy(status));
            return HttpError::ProxyRefused { variable, host, status, help }.into();
        }
        let error = match error {
            ureq::Error::Io(reason) if slow_answer(&reason).or_else(|| no_part(&reason)).is_some() => {
                return self.broken(&reason, address);
            }
            ureq::Error::Io(reason) => match (name_of_changed(&reason), too_slow(&reason)) {
                (Some(path), _) => return HttpError::Changed { path, reason }.into(),
                (None, Some(reason)) => {
                    return HttpError::SlowToTake { address: address.to_string(), reason }.into();
                }
                (None, None) => ureq::Error::Io(reason),
            },
            other => other,
        };
        let reason = match error {
            ureq::Error::Io(error) => error.to_string(),
            ureq::Error::HostNotFound => "no such host is known".to_owned(),
            ureq::Error::Timeout(phase) => format!("no answer in time ({phase})"),
            other => other.to_string(),
        };
        Failed::Transport(Transport(self.told(&reason)))
    }

    /// What it means that a body ended early.
    pub(super) fn broken(&self, error: &std::io::Error, address: &Address) -> Failed {
        if self.is_cancelled() {
            return HttpError::Interrupted.into();
        }
        if let Some(reason) = too_slow(error).or_else(|| slow_answer(error)) {
            return HttpError::Slow { address: address.to_string(), reason }.into();
        }
        if let Some(reason) = no_part(error) {
            return HttpError::Answer { address: address.to_string(), reason }.into();
        }
        Failed::Transport(Transport(self.told(&format!("the answer broke off: {error}"))))
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.settings.cancelled.load(Ordering::SeqCst)
    }
}

/// The status that a proxy refused with, in the words of the library, which has no type for it.
fn status_of_proxy(reason: &str) -> Option<u16> {
    reason.strip_prefix("proxy server responded ")?.split('/').next()?.parse().ok()
}

/// The name of the file that was to be sent and has changed.
fn name_of_changed(reason: &std::io::Error) -> Option<String> {
    let OtherContent(name) = reason.get_ref()?.downcast_ref()?;
    Some(name.clone())
}

/// How slow a transfer was that was given up for it.
fn too_slow(reason: &std::io::Error) -> Option<String> {
    let slow: &TooSlow = reason.get_ref()?.downcast_ref()?;
    Some(slow.to_string())
}

/// The same of an answer, seen on its connection.
fn slow_answer(reason: &std::io::Error) -> Option<String> {
    let slow: &SlowAnswer = reason.get_ref()?.downcast_ref()?;
    Some(slow.to_string())
}

/// What a server sent instead of an end.
fn no_part(reason: &std::io::Error) -> Option<String> {
    let no_part: &NoPart = reason.get_ref()?.downcast_ref()?;
    Some(no_part.to_string())
}

fn method(method: Method) -> http::Method {
    match method {
        Method::Get => http::Method::GET,
        Method::Head => http::Method::HEAD,
        Method::Post => http::Method::POST,
        Method::Put => http::Method::PUT,
        Method::Delete => http::Method::DELETE,
    }
}

/// A reader of a body.
fn content(body: &Body) -> Result<Option<Box<dyn Read + '_>>, HttpError> {
    match body {
        Body::None => Ok(None),
        Body::Bytes(bytes) => Ok(Some(Box::new(bytes.as_slice()))),
        Body::File { file, offset, length } => Ok(Some(Box::new(file.read(*offset, *length)?))),
    }
}
