//! `hash`: see `kernel_core::verbs::hash`.

use camino::Utf8PathBuf;
use kernel_core::verbs::hash::{HashOptions, hash};
use kernel_spec::report::Report;

use super::{Answer, Run};
use crate::session::Session;

/// Bring the digests in the metadata of built variants up to date
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  kernel-builder hash --check")]
pub(crate) struct Arguments {
    /// A project, a directory of variants, or a variant; a published kernel is compared and not changed
    #[arg(default_value = ".", value_name = "DIR|OWNER/NAME@vN", hide_default_value = true)]
    dir: Utf8PathBuf,
    /// Change nothing; fail if a digest is not that of the files
    #[arg(long)]
    check: bool,
}

impl Run for Arguments {
    fn run(self, session: &Session) -> Answer {
        let options = HashOptions { directory: self.dir, check: self.check };
        Ok(Report::Hash(hash(&session.context, &options)?))
    }
}
