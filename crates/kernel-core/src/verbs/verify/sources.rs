//! The sources of what was signed: fetched from the one repository that the signer's certificate names and the policy
//! allows, over https, at a commit in the history of the ref that the policy names. Hosts serve the commits of every fork
//! under the address of its parent, so that a commit can be fetched there says nothing; only the history does.

use camino::{Utf8Path, Utf8PathBuf};
use kernel_hub::http::{Address, CertificateFile, HttpError};
use kernel_spec::event::Stage;
use kernel_spec::report::SignerIdentity;
use kernel_spec::{Event, Finding, Metadata, code};
use kernel_trust::Policy;
use tempfile::TempDir;

use crate::process::{Command, Finished};
use crate::project::{MANIFEST, Project};
use crate::tree::{self, Kind};
use crate::{Context, Result, network};

/// What git does not do for us: run hooks, ask for a password, follow a redirect, speak anything but https, or hang.
const SETTINGS: [&str; 8] = [
    "core.hooksPath=/dev/null",
    "credential.helper=",
    "http.followRedirects=false",
    "http.lowSpeedLimit=1000",
    "http.lowSpeedTime=60",
    "transfer.fsckObjects=true",
    "protocol.allow=never",
    "protocol.https.allow=always",
];

/// The name under which the policy's ref is kept.
const FETCHED: &str = "refs/fetched";

/// A checkout; it goes when dropped.
pub(super) struct Sources {
    _directory: TempDir,
    /// The project in it.
    pub(super) project: Utf8PathBuf,
}

/// Fetches the sources that a variant was signed for; a finding where they are not what was signed.
pub(super) fn fetch(
    context: &Context,
    policy: &Policy,
    signer: &SignerIdentity,
    metadata: &Metadata,
) -> Result<Result<Sources, Finding>> {
    let refuse = |reason: String| {
        let message = format!("the sources of `{}` cannot be had", metadata.name);
        Ok(Err(Finding::error(&code::trust::SOURCES, message).cause(reason)))
    };
    let provenance = metadata.provenance.as_ref().and_then(|provenance| provenance.kernel.as_ref());
    let commit = provenance.map(|kernel| kernel.commit.as_str()).filter(|commit| is_commit(commit));
    let (Some(commit), Some(address)) = (commit, signer.repository.as_deref()) else {
        return refuse("neither a commit nor a repository is signed".to_owned());
    };
    if !Address::parse(address).is_ok_and(|address| address.is_encrypted()) {
        return refuse(format!("`{address}` is no https:// address"));
    }
    if context.offline {
        return Err(HttpError::Offline { address: address.to_owned() }.into());
    }
    let message = format!("{} of {address}", policy.built_ref());
    context.sink.event(&Event::Stage { stage: Stage::Fetch, variant: None, message });
    let directory = tempfile::Builder::new().prefix("sources ").tempdir()?;
    let root = Utf8PathBuf::try_from(directory.path().to_owned())
        .map_err(camino::FromPathBufError::into_io_error)?;
    let named = network::settings(context)?.certificates;
    let certificates = named.as_ref().map(CertificateFile::readable).transpose()?.map(Utf8Path::to_owned);
    let git = Git { context, root: &root, certificates };
    let form = if commit.len() == 64 { "sha256" } else { "sha1" };
    git.run(&["init", "--quiet", "--template=", "--object-format", form])?.require_success()?;
    let wanted = format!("+{}:{FETCHED}", policy.built_ref());
    let options = ["fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head"];
    let fetched = git.run(&[&options[..], &["--", address, &wanted]].concat())?;
    if !fetched.succeeded() {
        return refuse(format!("git could not fetch {address}: {}", fetched.said.join(" ")));
    }
    let named = format!("{commit}^{{commit}}");
    let is_there = git.run(&["cat-file", "-e", &named])?.succeeded();
    if !is_there || !git.run(&["merge-base", "--is-ancestor", commit, FETCHED])?.succeeded() {
        let message = format!("{commit} is not in the history of `{}` of {address}", policy.built_ref());
        return Ok(Err(Finding::error(&code::trust::HISTORY, message)));
    }
    git.run(&["-c", "advice.detachedHead=false", "checkout", "--quiet", "--detach", commit])?
        .require_success()?;
    match project(context, &root, metadata)? {
        Ok(project) => Ok(Ok(Sources { _directory: directory, project })),
        Err(reason) => refuse(reason),
    }
}

fn is_commit(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The one project of that name in a checkout; the reason where there is none, or more.
fn project(context: &Context, root: &Utf8Path, metadata: &Metadata) -> Result<Result<Utf8PathBuf, String>> {
    let mut found = Vec::new();
    for entry in tree::walk(root, &|path| path != ".git")? {
        let path = Utf8Path::new(&entry.path);
        if entry.kind == Kind::File && path.file_name() == Some(MANIFEST) {
            let folder = root.join(path.parent().unwrap_or(Utf8Path::new("")));
            // Another kernel's broken manifest is not this one's.
            let is_it = Project::open(context, &folder)
                .is_ok_and(|project| project.manifest.general.name.value == metadata.name);
            found.extend(is_it.then_some(folder));
        }
    }
    Ok(match found.as_slice() {
        [project] => Ok(project.clone()),
        found => Err(format!("its commit has {} projects of the name `{}`", found.len(), metadata.name)),
    })
}

struct Git<'a> {
    context: &'a Context,
    root: &'a Utf8Path,
    certificates: Option<Utf8PathBuf>,
}

impl Git<'_> {
    /// Runs git without any of the user's or the machine's settings.
    fn run(&self, arguments: &[&str]) -> Result<Finished> {
        let mut command = Command::new("git").directory(self.root).with_proxies();
        for (name, value) in [
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_CONFIG_GLOBAL", "/dev/null"),
            ("GIT_ATTR_NOSYSTEM", "1"),
            ("GIT_TERMINAL_PROMPT", "0"),
        ] {
            command = command.variable(name, value);
        }
        if let Some(certificates) = &self.certificates {
            command = command.argument("-c").argument(format!("http.sslCAInfo={certificates}"));
        }
        let settings = SETTINGS.iter().flat_map(|setting| ["-c", setting]);
        Ok(command.arguments(settings).arguments(arguments).capture(self.context)?)
    }
}
