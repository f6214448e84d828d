//! `card`: what the Hub shows of a kernel.

use camino::Utf8PathBuf;
use kernel_core::verbs::card::{CardOptions, card};
use kernel_spec::report::Report;

use super::{Answer, Run};
use crate::session::Session;

/// Write a kernel's card, from what was built, tested and measured
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  kernel-builder card my-kernel\n  kernel-builder card --output - | less")]
pub(crate) struct Arguments {
    /// Directory of the project
    #[arg(default_value = ".", value_name = "DIR", hide_default_value = true)]
    directory: Utf8PathBuf,
    /// Write to FILE instead of `build/CARD.md`; `-` is standard output
    #[arg(long, value_name = "FILE")]
    output: Option<Utf8PathBuf>,
    /// Write nothing; fail where the card on disk is stale
    #[arg(long)]
    check: bool,
    /// Write the card as a page for a browser as well
    #[arg(long, value_name = "FILE.html")]
    preview: Option<Utf8PathBuf>,
}

impl Run for Arguments {
    fn run(self, session: &Session) -> Answer {
        let options = CardOptions {
            project: self.directory,
            output: self.output,
            check: self.check,
            preview: self.preview,
        };
        Ok(Report::Card(card(&session.context, &options)?))
    }
}
