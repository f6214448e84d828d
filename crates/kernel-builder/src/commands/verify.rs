//! `verify`: see `kernel_core::verbs::verify`.

use camino::Utf8PathBuf;
use kernel_core::upload::target::is_branch;
use kernel_core::verbs::verify::{Rebuild, VerifyOptions, verify};
use kernel_spec::manifest::repository_id;
use kernel_spec::report::Report;

use super::{Answer, Run};
use crate::session::Session;
use crate::settings::Layer;

/// Say who signed variants, whether that signer may, and whether anything was changed
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  kernel-builder verify acme/relu@v1 --policy acme.toml\n\n\
    Without a policy nothing is verified, whoever signed (exit 10): anybody can make a sound signature.")]
pub(crate) struct Arguments {
    /// A project, a directory of variants, a variant, or a published kernel
    #[arg(default_value = ".", value_name = "DIR|OWNER/NAME@vN", hide_default_value = true)]
    directory: Utf8PathBuf,
    /// Who may sign: a repository by its number, a workflow, a ref
    #[arg(long, value_name = "FILE")]
    policy: Option<Utf8PathBuf>,
    /// The repository they must have been signed for; by default the published one, or a project's own
    #[arg(long, value_name = "OWNER/NAME", value_parser = repository)]
    repo_id: Option<String>,
    /// The branch they must have been signed for; by default the published one
    #[arg(long, value_name = "B", value_parser = branch)]
    branch: Option<String>,
    /// The longest time since they were signed, as `30d`, `12h` or seconds
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    max_age: Option<u64>,
    /// Authorities and logs of a private instance of Sigstore: its client trust configuration, or its trusted root
    #[arg(long, value_name = "FILE")]
    trust_config: Option<Utf8PathBuf>,
    /// Accept what is signed for no place, as other tools sign it
    #[arg(long, conflicts_with_all = ["repo_id", "branch"])]
    allow_unplaced: bool,
    /// Accept variants of several commits together
    #[arg(long)]
    allow_mixed: bool,
    /// Who else may sign the kernels that it depends on; can be given several times
    #[arg(long, value_name = "FILE")]
    dependency_policy: Vec<Utf8PathBuf>,
    /// Build it again from its sources, in the sandbox, and compare every file. They are fetched from the policy's repository
    #[arg(long)]
    rebuild: bool,
    /// Take the sources from a checkout in DIR
    #[arg(long, value_name = "DIR", requires = "rebuild")]
    sources: Option<Utf8PathBuf>,
    /// Forget which set of this branch was seen before, and accept an older one
    #[arg(long)]
    forget: bool,
}

fn repository(text: &str) -> Result<String, String> {
    if repository_id::is_valid(text) { Ok(text.to_owned()) } else { Err("write it as OWNER/NAME".to_owned()) }
}

fn branch(text: &str) -> Result<String, String> {
    let help = "use letters, digits, `-`, `_`, `.` and `/`";
    if is_branch(text) { Ok(text.to_owned()) } else { Err(help.to_owned()) }
}

/// A length of time in seconds.
fn seconds(text: &str) -> Result<u64, String> {
    let unit = [("d", 86_400), ("h", 3600), ("m", 60), ("s", 1)];
    let (number, unit) = unit
        .into_iter()
        .find_map(|(letter, unit)| Some((text.strip_suffix(letter)?, unit)))
        .unwrap_or((text, 1));
    let number: Option<u64> = number.parse().ok();
    number
        .and_then(|number| number.checked_mul(unit))
        .ok_or_else(|| "write it as `30d`, `12h` or seconds".to_owned())
}

impl Run for Arguments {
    fn flags(&self) -> Layer {
        Layer::of_trust_config(self.trust_config.as_ref())
    }

    fn run(self, session: &Session) -> Answer {
        let options = VerifyOptions {
            directory: self.directory,
            policy: self.policy,
            trust_config: session.settings.trust_config(),
            repository: self.repo_id,
            branch: self.branch,
            max_age: self.max_age,
            allow_unplaced: self.allow_unplaced,
            allow_mixed: self.allow_mixed,
            dependency_policies: self.dependency_policy,
            rebuild: self.rebuild.then(|| Rebuild {
                source: self.sources,
                python: session.settings.python(),
                sandbox: session.settings.sandbox,
                jobs: session.settings.jobs(),
            }),
            forget: self.forget,
        };
        Ok(Report::Verify(verify(&session.context, &options)?))
    }
}
