//! One run of the program: the settings and the world, captured once and handed to the command.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use camino::Utf8PathBuf;
use kernel_core::Context;
use kernel_core::context::{Cancellation, Environment};
use miette::Diagnostic;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use thiserror::Error;

use crate::cli::Global;
use crate::failure::Failed;
use crate::output::{Choices, Output};
use crate::settings::{Layer, Settings};

/// What a command gets.
pub(crate) struct Session {
    /// The world, for the verbs.
    pub(crate) context: Context,
    /// The merged settings.
    pub(crate) settings: Settings,
    /// Where events and the answer go.
    pub(crate) output: Arc<Output>,
}

#[derive(Debug, Error, Diagnostic)]
enum SessionError {
    #[error("the working directory cannot be used")]
    #[diagnostic(
        code("environment/working-directory"),
        help("change to a directory that exists and whose path is UTF-8")
    )]
    WorkingDirectory(#[source] std::io::Error),

    #[error("`SOURCE_DATE_EPOCH` is `{0}`, which is not a number of seconds")]
    #[diagnostic(code("usage/settings"), help("set it to whole seconds since 1970, or unset it"))]
    SourceDate(String),

    #[error("signals cannot be handled")]
    #[diagnostic(code("internal/bug"), help("report it with the output of `kernel-builder -V`"))]
    Signals(#[source] std::io::Error),
}

impl Session {
    /// Captures the world. A failure comes with an output to say it on.
    pub(crate) fn open(global: &Global, flags: Layer) -> Result<Session, (Arc<Output>, Failed)> {
        let environment = environment();
        let opened = Settings::load(&environment, global.flags().over(flags));
        let choices = match &opened {
            Ok(settings) => Choices { json: global.json, quiet: settings.quiet, color: settings.color },
            Err(_) => Choices { json: global.json, ..Choices::default() },
        };
        let output = Arc::new(Output::new(choices));
        let session = opened.map_err(Failed::from).and_then(|settings| {
            let context = context(&output, environment, settings.offline)?;
            Ok(Session { context, settings, output: Arc::clone(&output) })
        });
        session.map_err(|failed| (output, failed))
    }
}

fn context(output: &Arc<Output>, environment: Environment, offline: bool) -> Result<Context, SessionError> {
    let cancelled = Cancellation::default();
    handle_signals(&cancelled).map_err(SessionError::Signals)?;
    kernel_core::reading::end_with(&cancelled);
    output.cancel_when_closed(cancelled.clone());
    let now = now();
    Ok(Context {
        sink: Arc::<Output>::clone(output),
        now,
        source_date: source_date(&environment)?.unwrap_or(now),
        environment,
        working_directory: working_directory().map_err(SessionError::WorkingDirectory)?,
        offline,
        cancelled,
    })
}

/// The first signal asks for an orderly end, the second ends at once.
fn handle_signals(cancelled: &Cancellation) -> std::io::Result<()> {
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register_conditional_shutdown(signal, 130, cancelled.flag())?;
        signal_hook::flag::register(signal, cancelled.flag())?;
    }
    Ok(())
}

fn environment() -> Environment {
    let variables: BTreeMap<String, String> = std::env::vars_os()
        // A value that is not UTF-8 is wrong wherever it is read: it is said there, and not passed over here.
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.to_string_lossy().into_owned())))
        .collect();
    Environment::new(variables)
}

#[expect(clippy::disallowed_methods, reason = "this is where the working directory is captured")]
fn working_directory() -> std::io::Result<Utf8PathBuf> {
    let directory = std::env::current_dir()?;
    Utf8PathBuf::try_from(directory).map_err(|error| std::io::Error::other(error.to_string()))
}

#[expect(clippy::disallowed_methods, reason = "this is where the clock is read")]
fn now() -> u64 {
    std::time::SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}

fn source_date(environment: &Environment) -> Result<Option<u64>, SessionError> {
    let date = |text: &str| text.trim().parse().map_err(|_| SessionError::SourceDate(text.to_owned()));
    environment.get("SOURCE_DATE_EPOCH").map(date).transpose()
}
