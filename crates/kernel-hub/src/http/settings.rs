//! How to reach the network: proxies, certificates, patience. The caller gives the variables of its environment.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use camino::{Utf8Path, Utf8PathBuf};
use ureq::http::Uri;

use super::address::has_sound_port;
use super::error::HttpError;
use super::retry::{Notice, Patience};
use crate::confined::open_regular;

/// Everything that the client must know of its surroundings.
#[derive(Clone)]
pub struct Settings {
    /// What servers are told of us.
    pub user_agent: String,
    /// Whether every request is refused.
    pub offline: bool,
    /// Ends everything when it becomes true.
    pub cancelled: Arc<AtomicBool>,
    /// How often and how long to try.
    pub patience: Patience,
    /// Hears of waits and repetitions.
    pub observer: Arc<dyn Fn(&Notice) + Send + Sync>,
    /// Certificates of authorities to trust instead of the system's.
    pub certificates: Option<CertificateFile>,
    /// The proxy for everything that is not on this machine.
    pub proxy: Option<Proxy>,
}

/// A file of certificates, and the variable that names it.
#[derive(Clone, Debug)]
pub struct CertificateFile {
    variable: &'static str,
    path: Utf8PathBuf,
}

impl CertificateFile {
    /// The file that a variable names.
    pub fn new(variable: &'static str, path: impl Into<Utf8PathBuf>) -> Self {
        Self { variable, path: path.into() }
    }

    /// Where it is, once it is seen to be a regular file that can be read: libraries would wait for ever for a pipe.
    pub fn readable(&self) -> Result<&Utf8Path, HttpError> {
        let Self { variable, path } = self;
        match open_regular(path) {
            Ok(_) => Ok(path),
            Err(reason) => Err(HttpError::UnreadableCertificates { variable, path: path.clone(), reason }),
        }
    }
}

/// A proxy; [`Settings::from_environment`] reads it.
#[derive(Clone)]
pub struct Proxy {
    /// The variable that names it.
    pub(super) variable: &'static str,
    pub(super) proxy: ureq::Proxy,
}

/// The variables that name a file of certificates, first come, first served: those of OpenSSL, of Python and of curl.
const CERTIFICATES: &[&str] = &["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"];

impl Settings {
    /// The usual settings for an environment, whose variables `get` answers; an empty one counts as unset.
    pub fn from_environment(get: &dyn Fn(&str) -> Option<String>) -> Result<Self, HttpError> {
        let find = |names: &[&'static str]| {
            let set = |name: &&'static str| get(name).filter(|value| !value.is_empty());
            names.iter().find_map(|name| set(name).map(|value| (*name, value)))
        };
        // Plain http is only used on this machine, where no proxy is asked, so `HTTP_PROXY` has no meaning here.
        let proxy = find(&["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"]);
        let except = find(&["NO_PROXY", "no_proxy"]).map(|(_, value)| value).unwrap_or_default();
        Ok(Self {
            certificates: find(CERTIFICATES).map(|(variable, path)| CertificateFile::new(variable, path)),
            proxy: proxy.map(|(variable, value)| parse_proxy(variable, &value, &except)).transpose()?,
            ..Self::default()
        })
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            user_agent: concat!("kernel-builder/", env!("CARGO_PKG_VERSION")).to_owned(),
            offline: false,
            cancelled: Arc::default(),
            patience: Patience::default(),
            observer: Arc::new(|_| {}),
            certificates: None,
            proxy: None,
        }
    }
}

/// The library takes more than it can do, and panics when it is to do it: what it is given is judged here.
fn parse_proxy(variable: &'static str, value: &str, except: &str) -> Result<Proxy, HttpError> {
    let invalid = |reason| HttpError::Proxy { variable: variable.to_owned(), reason };
    // Without a scheme it is one of plain http, as curl reads it.
    let address = if value.contains("://") { value.to_owned() } else { format!("http://{value}") };
    let uri: Uri = address.parse().map_err(|_| invalid("it is no address"))?;
    let authority = uri.authority().filter(|authority| !authority.host().is_empty());
    let authority = authority.ok_or_else(|| invalid("it names no host"))?;
    if !matches!(uri.scheme_str(), Some("http" | "https")) {
        return Err(invalid("only proxies of http and https can be used"));
    }
    if !has_sound_port(authority) {
        return Err(invalid("its port is none"));
    }
    let unusable = |_| invalid("it is no address");
    let parsed = ureq::Proxy::new(&address).map_err(unusable)?;
    let mut builder = ureq::Proxy::builder(parsed.protocol()).host(parsed.host()).port(parsed.port());
    if let Some(name) = parsed.username() {
        builder = builder.username(name);
    }
    if let Some(password) = parsed.password() {
        builder = builder.password(password);
    }
    let except = ["localhost,127.0.0.1,[::1]", except].join(",");
    for host in except.split(',').map(str::trim).filter(|host| !host.is_empty()) {
        builder = builder.no_proxy(host);
        // As curl and Python read it, a host stands for those below it too.
        if !host.starts_with(['*', '.']) {
            builder = builder.no_proxy(&format!(".{host}"));
        }
    }
    builder.build().map(|proxy| Proxy { variable, proxy }).map_err(unusable)
}
