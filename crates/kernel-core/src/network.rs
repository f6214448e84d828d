//! The way to the network for verbs: settings from the context's environment, waits as events.

use std::sync::Arc;
use std::time::Duration;

use kernel_hub::http::{CertificateFile, Client, HttpError, Settings};
use kernel_hub::hub::{Endpoint, Hub, Login};
use kernel_spec::Event;
use kernel_spec::event::Stage;

use crate::{Context, Result};

/// A client for the context's network.
pub fn client(context: &Context) -> Result<Client, HttpError> {
    Ok(Client::new(settings(context)?))
}

/// How to reach the context's network.
pub fn settings(context: &Context) -> Result<Settings, HttpError> {
    let get = |name: &str| context.environment.get(name).map(str::to_owned);
    let sink = Arc::clone(&context.sink);
    Ok(Settings {
        offline: context.offline,
        cancelled: context.cancelled.flag(),
        observer: Arc::new(move |notice| {
            // Short waits only tell of a network as it is.
            if notice.wait >= Duration::from_secs(1) {
                let seconds = notice.wait.as_secs();
                let message = format!("{seconds} s for {}: {}", notice.host, notice.reason);
                sink.event(&Event::Stage { stage: Stage::Wait, variant: None, message });
            }
        }),
        ..Settings::from_environment(&get)?
    })
}

/// Refuses certificates that a child would be given and would wait for without end: a pipe, for example.
pub fn require_certificates(context: &Context, variable: &'static str) -> Result<(), HttpError> {
    let path = context.environment.get(variable).filter(|path| !path.is_empty());
    path.map_or(Ok(()), |path| CertificateFile::new(variable, path).readable().map(drop))
}

/// The Hub that the environment names, and the login to it: the job's where it is a trusted publisher, else the user's.
pub fn hub(context: &Context) -> Result<Hub> {
    let get = |name: &str| context.environment.get(name).map(str::to_owned);
    let endpoint = Endpoint::parse(context.environment.get("HF_ENDPOINT"))?;
    let client = client(context)?;
    let login = match Login::of_publisher(&client, &get, &endpoint)? {
        Some(login) => login,
        None => Login::find(&get, &endpoint)?,
    };
    Ok(Hub::new(client, endpoint, login))
}
