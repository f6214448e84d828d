//! `sign`: see `kernel_core::verbs::sign`.

use camino::Utf8PathBuf;
use kernel_core::verbs::sign::{SignOptions, sign};
use kernel_spec::report::Report;

use super::{Answer, Run};
use crate::session::Session;
use crate::settings::Layer;

/// Sign built variants for one repository and branch, in the name of this CI job
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  kernel-builder sign\n\n\
    A GitHub job needs `permissions: id-token: write`; elsewhere SIGSTORE_ID_TOKEN or --identity-token holds a token for \
    the audience `sigstore`. Signatures stand in a public log for ever, with the name of the signer.")]
pub(crate) struct Arguments {
    /// A project, a directory of variants, or a variant
    #[arg(default_value = ".", value_name = "DIR", hide_default_value = true)]
    directory: Utf8PathBuf,
    /// The repository they are for; by default `repo-id` of `[general.hub]`
    #[arg(long, value_name = "OWNER/NAME")]
    repo_id: Option<String>,
    /// The branch they are for; by default `branch` of `[general.hub]`, else `v` and the version
    #[arg(long, value_name = "B")]
    branch: Option<String>,
    /// A file that holds an identity token
    #[arg(long, value_name = "FILE")]
    identity_token: Option<Utf8PathBuf>,
    /// Authorities and logs of a private instance of Sigstore: its client trust configuration
    #[arg(long, value_name = "FILE")]
    trust_config: Option<Utf8PathBuf>,
    /// Sign variants of several commits together
    #[arg(long)]
    allow_mixed: bool,
}

impl Run for Arguments {
    fn flags(&self) -> Layer {
        Layer::of_trust_config(self.trust_config.as_ref())
    }

    fn run(self, session: &Session) -> Answer {
        let options = SignOptions {
            directory: self.directory,
            repository: self.repo_id,
            branch: self.branch,
            identity_token: self.identity_token,
            trust_config: session.settings.trust_config(),
            allow_mixed: self.allow_mixed,
        };
        Ok(Report::Sign(sign(&session.context, &options)?))
    }
}
