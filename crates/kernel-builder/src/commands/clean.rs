//! `clean`: see `kernel_core::verbs::clean`.

use camino::Utf8PathBuf;
use kernel_core::verbs::clean::{CleanOptions, clean};
use kernel_spec::report::Report;

use super::{Answer, Run};
use crate::session::Session;

/// Remove build products that nobody edited; name what stays
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  kernel-builder clean --dry-run")]
pub(crate) struct Arguments {
    /// Directory of the project
    #[arg(default_value = ".", value_name = "DIR", hide_default_value = true)]
    dir: Utf8PathBuf,
    /// Only say what would be removed
    #[arg(short = 'd', long)]
    dry_run: bool,
}

impl Run for Arguments {
    fn run(self, session: &Session) -> Answer {
        let options = CleanOptions { directory: self.dir, dry_run: self.dry_run };
        Ok(Report::Clean(clean(&session.context, &options)?))
    }
}
