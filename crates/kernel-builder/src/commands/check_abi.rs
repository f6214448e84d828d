//! `check-abi`: the peer's name for the judgement of libraries alone.

use camino::Utf8PathBuf;
use kernel_core::check::built::{Manylinux, Overrides};
use kernel_core::verbs::check_abi::check_abi;
use kernel_spec::Version;
use kernel_spec::report::Report;

use super::check::Denied;
use super::{Answer, Run};
use crate::session::Session;

/// Check which old systems can load built libraries
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  kernel-builder check-abi build --manylinux manylinux_2_28 --python-abi 3.9"
)]
pub(crate) struct Arguments {
    /// A project, a directory of variants, one variant, one library, or a published kernel
    #[arg(default_value = ".", value_name = "DIR|FILE|OWNER/NAME@vN", hide_default_value = true)]
    path: Utf8PathBuf,
    /// Oldest Linux systems, such as `manylinux_2_28` or `manylinux2014`
    #[arg(short, long, value_name = "POLICY")]
    manylinux: Option<Manylinux>,
    /// Oldest Python
    #[arg(short, long, value_name = "VERSION")]
    python_abi: Option<Version>,
    /// Oldest macOS
    #[arg(long, value_name = "VERSION")]
    macos: Option<Version>,
    /// Oldest Torch whose stable ABI is used; the variant's name says it otherwise
    #[arg(long, value_name = "VERSION")]
    torch_stable_abi: Option<Version>,
    /// Fail on warnings too
    #[arg(long, value_name = "SEVERITY")]
    deny: Option<Denied>,
}

impl Run for Arguments {
    fn run(self, session: &Session) -> Answer {
        let overrides = Overrides {
            this_system: false,
            link_reviewed: false,
            manylinux: self.manylinux,
            python: self.python_abi,
            macos: self.macos,
            torch_stable_abi: self.torch_stable_abi,
        };
        let mut report = check_abi(&session.context, &self.path, &overrides)?;
        report.warnings_denied = self.deny.is_some();
        Ok(Report::CheckAbi(report))
    }
}
