//! `migrate`: bring `build.toml` to the current edition.

use camino::Utf8PathBuf;
use kernel_core::verbs::migrate::{self, Options};
use kernel_spec::report::Report;

use super::{Answer, Run};
use crate::session::Session;

/// Bring `build.toml` to the current edition, comments kept
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  kernel-builder migrate my-kernel --diff")]
pub(crate) struct Arguments {
    /// Directory of the project
    #[arg(default_value = ".", value_name = "DIR", hide_default_value = true)]
    directory: Utf8PathBuf,
    /// Write nothing; end with status 6 if the file would change
    #[arg(long)]
    check: bool,
    /// Write nothing; show the change
    #[arg(long)]
    diff: bool,
    /// Read the file as edition 3, where no framework section means a Python-only kernel
    #[arg(long, value_name = "EDITION")]
    from: Option<Old>,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Old {
    #[value(name = "3")]
    Three,
}

impl Run for Arguments {
    fn run(self, session: &Session) -> Answer {
        let options = Options { from_three: self.from.is_some(), check: self.check, diff: self.diff };
        Ok(Report::Migrate(migrate::run(&session.context, &self.directory, options)?))
    }
}
