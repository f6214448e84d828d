//! `--rebuild`: builds what was signed again from its sources, and compares every file. A signature says who made the bytes;
//! only this says from what. The sources are fetched ([`super::sources`]), or are a checkout of the user's.

use std::collections::BTreeMap;

use camino::Utf8PathBuf;
use kernel_spec::plan::Profile;
use kernel_spec::report::Rebuilt;
use kernel_spec::{Finding, Metadata, Severity, code};
use kernel_trust::{Policy, TrustError};

use super::Examined;
use super::sources::{self, Sources};
use crate::engine::Choice;
use crate::engine::local::sandbox;
use crate::verbs::build::{BuildOptions, Wanted, build};
use crate::verbs::plan::{Binding, PlanOptions};
use crate::{Context, Result, artifacts, compare};

/// From what, and how.
#[derive(Clone, Debug)]
pub struct Rebuild {
    /// A checkout of the project at the signed commit; fetched where not given.
    pub source: Option<Utf8PathBuf>,
    /// The interpreter to build with.
    pub python: Option<String>,
    /// Whether compilers are confined.
    pub sandbox: sandbox::Mode,
    /// Commands at once.
    pub jobs: Option<usize>,
}

/// Builds the variants of which nothing was refused so far, and adds what came out differently to their findings.
pub(super) fn rebuild(
    context: &Context,
    rebuild: &Rebuild,
    policy: Option<&Policy>,
    examined: &mut [Examined],
) -> Result<()> {
    if rebuild.source.is_none() && policy.is_none() {
        let reason = "`--rebuild` fetches the sources of the repository that a policy names, so give `--policy` too, or `--sources DIR`";
        return Err(TrustError::Policy { reason: reason.to_owned() }.into());
    }
    let mut fetched: BTreeMap<String, Sources> = BTreeMap::new();
    let directory = tempfile::Builder::new().prefix("rebuilt ").tempdir()?;
    let output = Utf8PathBuf::try_from(directory.path().to_owned())
        .map_err(camino::FromPathBufError::into_io_error)?;
    for examined in examined.iter_mut().filter(|examined| is_sound(examined)) {
        let Some(metadata) = examined.metadata.clone() else { continue };
        let project = match (&rebuild.source, policy, examined.result.signer.clone()) {
            (Some(source), _, _) => source.clone(),
            (None, Some(policy), Some(signer)) => {
                // All of them are of one repository, which the policy names.
                let key = format!("{:?}", signer.commit);
                if !fetched.contains_key(&key) {
                    match sources::fetch(context, policy, &signer, &metadata)? {
                        Ok(sources) => drop(fetched.insert(key.clone(), sources)),
                        Err(finding) => {
                            examined.refuse(finding);
                            continue;
                        }
                    }
                }
                let Some(sources) = fetched.get(&key) else { continue };
                sources.project.clone()
            }
            _ => continue,
        };
        // Whoever wrote what was fetched is a stranger.
        let sandbox = match rebuild.sandbox {
            sandbox::Mode::Auto if rebuild.source.is_none() => sandbox::Mode::Require,
            chosen => chosen,
        };
        let name = examined.result.variant.clone();
        let policy = metadata.build.as_ref().and_then(|build| build.policy.as_deref());
        let options = BuildOptions {
            plan: PlanOptions {
                project,
                variants: Wanted::Named(vec![name.clone()]),
                python: rebuild.python.clone(),
                profile: Profile::Release,
                policy: policy.and_then(|policy| policy.parse().ok()).unwrap_or_default(),
                allowed_flags: std::collections::BTreeSet::default(),
                binding: Binding::Present,
                engine: Choice::Local,
            },
            sandbox,
            jobs: rebuild.jobs,
            keep_going: false,
            output: Some(output.clone()),
            check_reproducible: false,
        };
        build(context, &options)?;
        let again = output.join(&name);
        let made = artifacts::require_metadata(&again)?;
        let ids = (!made.id.is_empty()).then_some((metadata.id.as_str(), made.id.as_str()));
        let differences = compare::variants(&examined.directory, &again, ids)?;
        let (toolchains, commits) = (toolchains(&metadata, &made), commits(&metadata, &made));
        let inputs = (metadata.id != made.id)
            .then(|| format!("other inputs: signed was `{}`, the sources give `{}`", metadata.id, made.id));
        examined.result.rebuilt = Some(match (differences.is_empty(), &toolchains) {
            (true, None) => Rebuilt::Identical,
            (true, Some(_)) => Rebuilt::IdenticalByOtherToolchain,
            (false, _) => Rebuilt::Different,
        });
        for difference in differences {
            let mut finding = Finding { code: &code::trust::REBUILD, ..difference.finding(&name) };
            code::trust::REBUILD.remedy.clone_into(&mut finding.help);
            finding.causes.splice(0..0, commits.iter().chain(&inputs).chain(&toolchains).cloned());
            examined.refuse(finding);
        }
    }
    Ok(())
}

fn is_sound(examined: &Examined) -> bool {
    examined.result.findings.iter().all(|finding| finding.severity != Severity::Error)
}

/// Both toolchains in words, or both locks, where they are not the same.
fn toolchains(signed: &Metadata, made: &Metadata) -> Option<String> {
    if signed.lock() != made.lock() {
        let name = |lock: Option<&str>| lock.map_or_else(|| "none".to_owned(), |lock| short(lock).to_owned());
        let (signed, made) = (name(signed.lock()), name(made.lock()));
        return Some(format!("another lock: signed was what {signed} made, here is {made}"));
    }
    let of = |metadata: &Metadata| metadata.build.as_ref().and_then(|build| build.toolchain.clone());
    match (of(signed), of(made)) {
        (Some(signed), Some(made)) if signed.identity != made.identity => Some(format!(
            "another toolchain: signed was what {} made ({}), here is {} ({})",
            signed.compiler,
            short(&signed.identity),
            made.compiler,
            short(&made.identity)
        )),
        _ => None,
    }
}

/// Both states of the sources in words, where they are not the same.
fn commits(signed: &Metadata, made: &Metadata) -> Option<String> {
    let of = |metadata: &Metadata| {
        let kernel = metadata.provenance.as_ref().and_then(|provenance| provenance.kernel.as_ref());
        kernel.map_or_else(
            || "no known commit".to_owned(),
            |git| format!("{}{}", short(&git.commit), if git.dirty { " with changes" } else { "" }),
        )
    };
    let (signed, made) = (of(signed), of(made));
    (signed != made).then(|| format!("other sources: signed was what {signed} holds, here is {made}"))
}

fn short(text: &str) -> &str {
    text.get(..12).unwrap_or(text)
}
