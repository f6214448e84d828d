//! The library that speaks the protocol, set up once: certificates, proxy, limits of time. It follows no redirect by
//! itself, and a watcher ends its transfers when the caller asks for the end.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use ureq::Agent;
use ureq::tls::{Certificate, RootCerts, TlsConfig};
use ureq::unversioned::resolver::DefaultResolver;
use ureq::unversioned::transport::{Connector, DefaultConnector};

use super::address::Address;
use super::error::HttpError;
use super::settings::{CertificateFile, Settings};
use super::wire::Watching;

/// How often the watcher looks whether the end was asked for.
const INTERVAL: Duration = Duration::from_millis(50);

/// Longest time to make a connection.
const CONNECT: Duration = Duration::from_secs(20);

/// One agent for plain http, which needs neither certificates nor a proxy, and one for https.
#[derive(Default)]
pub(super) struct Agents {
    plain: OnceLock<Agent>,
    secure: OnceLock<Agent>,
    /// Dropped with the agents; then the watchers end.
    alive: Arc<()>,
}

impl Agents {
    /// The agent to ask an address with.
    pub(super) fn to(&self, address: &Address, settings: &Settings) -> Result<&Agent, HttpError> {
        let (place, roots, proxy) = if !address.is_encrypted() {
            (&self.plain, Vec::new(), None)
        } else if let Some(agent) = self.secure.get() {
            return Ok(agent);
        } else {
            (&self.secure, certificates(settings)?, settings.proxy.as_ref().map(|proxy| proxy.proxy.clone()))
        };
        Ok(place.get_or_init(|| {
            let tls = TlsConfig::builder().root_certs(RootCerts::Specific(Arc::new(roots))).build();
            let silence = Some(settings.patience.silence);
            let config = Agent::config_builder()
                .http_status_as_error(false)
                .max_redirects(0)
                .max_redirects_will_error(false)
                .max_response_header_size(64 << 10)
                .user_agent(settings.user_agent.as_str())
                .accept_encoding("identity")
                .proxy(proxy)
                .tls_config(tls)
                .timeout_resolve(Some(CONNECT))
                .timeout_connect(Some(CONNECT))
                .timeout_recv_response(silence.map(|silence| silence.saturating_add(settings.patience.grace)))
                .timeout_per_read(silence)
                .timeout_per_write(silence)
                .build();
            let connector = DefaultConnector::default().chain(Watching(settings.patience));
            let agent = Agent::with_parts(config, connector, DefaultResolver::default());
            watch(agent.clone(), Arc::clone(&settings.cancelled), Arc::downgrade(&self.alive));
            agent
        }))
    }
}

fn watch(agent: Agent, cancelled: Arc<AtomicBool>, alive: Weak<()>) {
    std::thread::spawn(move || {
        while alive.strong_count() > 0 {
            if cancelled.load(Ordering::SeqCst) {
                agent.shutdown();
                return;
            }
            std::thread::sleep(INTERVAL);
        }
    });
}

/// The certificates of the file that the user named, else those of the system.
fn certificates(settings: &Settings) -> Result<Vec<Certificate<'static>>, HttpError> {
    let found = match &settings.certificates {
        Some(file) => rustls_native_certs::load_certs_from_paths(Some(file.readable()?.as_std_path()), None),
        None => rustls_native_certs::load_native_certs(),
    };
    if found.certs.is_empty() {
        let named = settings.certificates.as_ref().map(CertificateFile::readable).transpose()?;
        let place = named.map_or_else(|| "the system".to_owned(), |path| format!("`{path}`"));
        return Err(HttpError::Certificates { place });
    }
    Ok(found.certs.iter().map(|certificate| Certificate::from_der(certificate).to_owned()).collect())
}
