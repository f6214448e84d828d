//! `collect`: see `kernel_core::verbs::collect`.

use camino::Utf8PathBuf;
use kernel_core::verbs::collect::{CollectOptions, collect};
use kernel_spec::report::Report;

use super::{Answer, Run};
use crate::session::Session;

/// Join the built variants of many jobs into one set, for one upload
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  kernel-builder collect job-cpu job-cuda --out set && kernel-builder upload set --repo-id acme/relu"
)]
pub(crate) struct Arguments {
    /// Projects, directories of variants, or variants
    #[arg(required = true, value_name = "DIR")]
    directories: Vec<Utf8PathBuf>,
    /// The directory of the set, which must not exist
    #[arg(short, long, value_name = "DIR", default_value = "collected")]
    out: Utf8PathBuf,
}

impl Run for Arguments {
    fn run(self, session: &Session) -> Answer {
        let options = CollectOptions { directories: self.directories, out: self.out };
        Ok(Report::Collect(collect(&session.context, &options)?))
    }
}
