//! From what the engine made to a sealed directory: import, stamp, check, seal. The earlier directory stays in its
//! place until the new one is complete.

use std::os::unix::fs::PermissionsExt;

use camino::{Utf8Path, Utf8PathBuf};
use kernel_spec::error::Faults;
use kernel_spec::event::Stage;
use kernel_spec::identifier::RULE;
use kernel_spec::metadata::{BuildRecord, Metadata, Provenance, ToolRecord, ToolchainRecord};
use kernel_spec::variant::Variant;
use kernel_spec::{Finding, Severity, code};
use serde_json::Map;
use sha2::{Digest, Sha256};

use super::announce;
use crate::check::built::{self, BuiltVariant, Overrides};
use crate::check::layout;
use crate::engine::Built;
use crate::provenance::Provenance as Sources;
use crate::render::templates;
use crate::seal::{Complete, Partial, Sealed};
use crate::toolchain::fingerprint::hexadecimal;
use crate::toolchain::lock::Differences;
use crate::toolchain::parts::Toolchain;
use crate::toolchain::sysroot::Policy;
use crate::toolchain::sysroot::review::Review;
use crate::toolchain::sysroot::runtime::Runtime;
use crate::verbs::plan::{Draft, Drafting};
use crate::{Context, Result, stamp};

/// The version that libraries and metadata name.
pub(super) const TOOL: &str = env!("CARGO_PKG_VERSION");

/// A variant that only has to be put into its place.
pub(super) struct Finish<'a> {
    pub context: &'a Context,
    pub drafting: &'a Drafting<'a>,
    pub draft: &'a Draft,
    pub built: &'a Built,
    pub sources: &'a Sources,
}

impl Finish<'_> {
    /// Imports, stamps, checks and seals into `output`.
    pub(super) fn seal(&self, output: &Utf8Path) -> Result<(Sealed, Vec<Finding>)> {
        let variant = &self.draft.plan.variant;
        let partial = Partial::create(output, variant)?;
        announce(self.context, Stage::Import, variant, "place the library and the package");
        self.import(&partial.path())?;
        announce(self.context, Stage::Check, variant, "check the library and the package");
        let complete = partial.complete(self.metadata())?;
        let findings = self.check(&complete)?;
        if findings.iter().any(|finding| finding.severity == Severity::Error) {
            let kept = complete.reject()?;
            let summary = format!("`{variant}` was built and fails its checks; it is kept in `{kept}`");
            return Err(Faults::new(&code::build::CHECK, summary, findings).into());
        }
        announce(self.context, Stage::Seal, variant, "digest and seal");
        Ok((complete.seal()?, findings))
    }

    fn import(&self, partial: &Utf8Path) -> Result<()> {
        let plan = &self.draft.plan;
        for file in &plan.package {
            let target = partial.join(&file.destination);
            if let Some(parent) = target.parent() {
                fs_err::create_dir_all(parent)?;
            }
            fs_err::copy(self.drafting.project.directory.join(&file.source), target)?;
        }
        let state = self.sources.state();
        let made = self.built.libraries.get(&plan.variant);
        let ops = if let (Some(library), Some(made)) = (&plan.library, made) {
            let target = partial.join(&library.file_name);
            fs_err::copy(&made.library, &target)?;
            fs_err::set_permissions(&target, PermissionsExt::from_mode(0o755))?;
            stamp::stamp(&target, state, TOOL)?;
            templates::ops(plan.framework, &plan.kernel.id)
        } else {
            let commit = state.map(|state| state.commit.as_str());
            templates::noarch_ops(&plan.kernel.id, commit, state.map(|state| state.dirty))
        };
        Ok(fs_err::write(partial.join("_ops.py"), ops)?)
    }

    /// Everything that `check` says of a built variant, and what only the link itself shows.
    fn check(&self, complete: &Complete) -> Result<Vec<Finding>> {
        let variant = BuiltVariant { name: self.draft.plan.variant.clone(), directory: complete.path() };
        let policy = self.drafting.policy();
        let overrides = Overrides {
            manylinux: policy.manylinux(),
            this_system: policy == Policy::Host,
            link_reviewed: true,
            ..Overrides::default()
        };
        let mut findings = self.review()?;
        findings.extend(layout::check(&variant));
        findings.extend(built::check(&variant, &overrides)?);
        Ok(findings)
    }

    /// What the linker took from the static C++ library, and what it left undefined.
    fn review(&self) -> Result<Vec<Finding>> {
        let plan = &self.draft.plan;
        let (Some(toolchain), Some(made), Ok(Variant::Arch(variant))) =
            (&self.draft.toolchain, self.built.libraries.get(&plan.variant), plan.variant.parse::<Variant>())
        else {
            return Ok(Vec::new());
        };
        let runtimes = Runtime::of(&variant);
        let torch = toolchain.parts.get("torch").map(|root| root.join("lib"));
        // Headers alone come without libraries to compare with.
        let torch = torch.filter(|libraries| libraries.is_dir());
        let review = Review {
            policy: self.drafting.policy(),
            cpu: variant.system.cpu,
            runtimes: &runtimes,
            library: &made.library,
            map: &made.map,
            archive: toolchain.parts.get("libstdc++.a").map(Utf8PathBuf::as_path),
            torch: torch.as_deref(),
        };
        Ok(review.findings()?)
    }

    /// The lock, where everything was as it says.
    fn lock(&self, toolchain: &Toolchain) -> Option<String> {
        let kept = toolchain.lock.as_ref().is_some_and(Differences::is_empty);
        self.drafting.lock.as_ref().filter(|_| kept).map(|lock| lock.digest.clone())
    }

    fn metadata(&self) -> Metadata {
        let plan = &self.draft.plan;
        let archs = Some(plan.archs.clone()).filter(|archs| !archs.is_empty());
        let manifest = &self.drafting.project.manifest;
        let mut metadata = Metadata::of(manifest, plan.backend, plan.kernel.id.clone(), archs);
        metadata.provenance = Some(Provenance {
            kernel_builder: ToolRecord { version: TOOL.to_owned(), git: None, others: Map::new() },
            kernel: self.sources.state().cloned(),
            others: Map::new(),
        });
        metadata.build = Some(BuildRecord {
            variant: plan.variant.clone(),
            profile: plan.profile.to_string(),
            engine: self.built.engine.to_owned(),
            sandbox: if plan.library.is_some() { self.built.sandbox.to_owned() } else { "off".to_owned() },
            toolchain: self.draft.toolchain.as_ref().map(|toolchain| ToolchainRecord {
                compiler: toolchain.compiler.identity.vendor.clone(),
                identity: hexadecimal(Sha256::new_with_prefix(&toolchain.stamp)),
                lock: self.lock(toolchain),
                others: Map::new(),
            }),
            policy: plan.library.as_ref().map(|_| plan.policy.clone()),
            // The host's own compiler cannot be fetched again by hash.
            rebuildable: plan.library.is_none(),
            id_rule: RULE,
            provenance_unknown: match self.sources {
                Sources::Known(_) => None,
                Sources::Unknown(reason) => Some(reason.clone()),
            },
            others: Map::new(),
        });
        metadata
    }
}
