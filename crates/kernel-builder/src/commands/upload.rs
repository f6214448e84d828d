//! `upload`: see `kernel_core::verbs::upload`.

use camino::Utf8PathBuf;
use kernel_core::upload::preflight::Allowed;
use kernel_core::upload::target::{Chosen, RepositoryKind};
use kernel_core::verbs::upload::{UploadOptions, upload};
use kernel_spec::report::Report;

use super::{Answer, Run};
use crate::session::Session;
use crate::settings::Layer;

/// Publish built variants on the Hub, exactly once and resumable
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  kernel-builder upload --dry-run\n\n\
    HF_TOKEN holds the token, else the stored login is used; HF_ENDPOINT names another Hub.\n    \
    HF_OIDC_RESOURCE=kernels/OWNER/NAME lets a CI job publish by its identity, without a token.")]
pub(crate) struct Arguments {
    /// A project, a directory of variants, or a variant
    #[arg(default_value = ".", value_name = "DIR", hide_default_value = true)]
    directory: Utf8PathBuf,
    /// The repository; by default `repo-id` of `[general.hub]`
    #[arg(long, value_name = "OWNER/NAME")]
    repo_id: Option<String>,
    /// The branch; by default `branch` of `[general.hub]`, else `v` and the version
    #[arg(long, value_name = "B")]
    branch: Option<String>,
    /// The kind of repository; loaders of today read kernels
    #[arg(long, value_name = "KIND", value_enum, default_value = "kernel")]
    repo_type: Kind,
    /// Make a new repository private, and refuse one that is there and public
    #[arg(long)]
    private: bool,
    /// Remove from the branch what is not in this upload: variants, results, benchmarks
    #[arg(long)]
    prune: bool,
    /// Propose the change as a pull request, also without the right to write
    #[arg(long)]
    create_pr: bool,
    /// Say what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,
    /// Write the answer here too, in the form of the peer's option of that name
    #[arg(long, value_name = "FILE", conflicts_with = "dry_run")]
    output_json: Option<Utf8PathBuf>,
    /// Publish only variants with a sound signature
    #[arg(long)]
    require_signed: bool,
    /// Authorities and logs of a private instance of Sigstore, for `--require-signed`
    #[arg(long, value_name = "FILE", requires = "require_signed")]
    trust_config: Option<Utf8PathBuf>,
    /// Publish variants of sources that no commit holds
    #[arg(long)]
    allow_dirty: bool,
    /// Publish variants that were compiled without a sandbox
    #[arg(long)]
    allow_unsandboxed: bool,
    /// Publish variants of the machine's own compiler
    #[arg(long)]
    allow_host_toolchain: bool,
    /// Publish variants of several commits together
    #[arg(long)]
    allow_mixed: bool,
    /// Publish variants whose last test run failed
    #[arg(long)]
    allow_failed_tests: bool,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(crate) enum Kind {
    Kernel,
    Model,
}

impl Run for Arguments {
    fn flags(&self) -> Layer {
        Layer::of_trust_config(self.trust_config.as_ref())
    }

    fn run(self, session: &Session) -> Answer {
        let kind = match self.repo_type {
            Kind::Kernel => RepositoryKind::Kernel,
            Kind::Model => RepositoryKind::Model,
        };
        let options = UploadOptions {
            directory: self.directory,
            chosen: Chosen { repository: self.repo_id, kind, branch: self.branch },
            private: self.private,
            prune: self.prune,
            create_pr: self.create_pr,
            dry_run: self.dry_run,
            output_json: self.output_json,
            require_signed: self.require_signed,
            trust_config: session.settings.trust_config(),
            allowed: Allowed {
                dirty: self.allow_dirty,
                unsandboxed: self.allow_unsandboxed,
                host_toolchain: self.allow_host_toolchain,
                mixed: self.allow_mixed,
                failed_tests: self.allow_failed_tests,
            },
        };
        Ok(Report::Upload(Box::new(upload(&session.context, &options)?)))
    }
}
