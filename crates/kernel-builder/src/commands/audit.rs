//! `audit`: see `kernel_core::verbs::audit`.

use camino::Utf8PathBuf;
use kernel_core::verbs::audit::{AuditOptions, audit};
use kernel_spec::report::Report;

use super::check::Denied;
use super::{Answer, Run};
use crate::session::Session;

/// Say what variants could do, without importing or running any of them
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  kernel-builder audit acme/relu@v1 --sbom relu.spdx.json")]
pub(crate) struct Arguments {
    /// A project, a directory of variants, a variant, or a published kernel
    #[arg(default_value = ".", value_name = "DIR|OWNER/NAME@vN", hide_default_value = true)]
    subject: Utf8PathBuf,
    /// Write a bill of materials here, in SPDX 2.3 as JSON
    #[arg(long, value_name = "FILE")]
    sbom: Option<Utf8PathBuf>,
    /// Fail on warnings too
    #[arg(long, value_name = "SEVERITY")]
    deny: Option<Denied>,
}

impl Run for Arguments {
    fn run(self, session: &Session) -> Answer {
        let options = AuditOptions { subject: self.subject, bill: self.sbom };
        let mut report = audit(&session.context, &options)?;
        report.warnings_denied = self.deny.is_some();
        Ok(Report::Audit(report))
    }
}
