//! `pin`: see `kernel_core::verbs::pin`.

use camino::Utf8PathBuf;
use kernel_core::verbs::pin::{PinOptions, pin};
use kernel_spec::report::Report;

use super::{Answer, Run};
use crate::session::Session;

/// Write down what published kernels are now: commits, hashes and dependencies
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  kernel-builder pin acme/relu@v1\n  kernel-builder pin acme/relu@v1 --check"
)]
pub(crate) struct Arguments {
    /// Published kernels
    #[arg(required = true, value_name = "OWNER/NAME@vN")]
    kernels: Vec<String>,
    /// Where to write commits and the hashes of metadata
    #[arg(long, value_name = "FILE", default_value = "kernel-pins.json")]
    pins: Utf8PathBuf,
    /// Where to write the lock that `get_locked_kernel` of the loader reads
    #[arg(long, value_name = "FILE", default_value = "kernels.lock")]
    lock: Utf8PathBuf,
    /// Write nothing; fail if the files say something else
    #[arg(long)]
    check: bool,
}

impl Run for Arguments {
    fn run(self, session: &Session) -> Answer {
        let options =
            PinOptions { kernels: self.kernels, pins: self.pins, lock: self.lock, check: self.check };
        Ok(Report::Pin(pin(&session.context, &options)?))
    }
}
