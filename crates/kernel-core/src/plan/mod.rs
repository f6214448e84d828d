//! Manifest and variant become a [`Plan`]: pure decisions, no tool is run and no file is read.

pub mod allowed;
pub mod compile;
pub mod components;
pub mod flags;
pub mod language;
mod link;
mod objects;
pub mod told;

use std::collections::BTreeSet;

use kernel_spec::error::Faults;
use kernel_spec::manifest::types::Manifest;
use kernel_spec::plan::{
    CompilerFamily, IdentityUnit, Input, KernelIdentity, Library, PackageFile, Plan, Profile, SCHEMA,
    ToolchainPlan,
};
use kernel_spec::variant::{ArchVariant, Variant};
use kernel_spec::{Backend, Finding, Severity, SourceText, Version, code};

use crate::toolchain::sysroot::Policy;
use compile::Circumstances;
use flags::Base;

/// What a plan is made from.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The manifest.
    pub manifest: &'a Manifest,
    /// Its text, for pointing at elements of it.
    pub text: &'a SourceText,
    /// The variant.
    pub variant: &'a Variant,
    /// Release or dev.
    pub profile: Profile,
    /// Oldest systems the result must run on.
    pub policy: Policy,
    /// What the project contributes.
    pub project: &'a Contents,
    /// What the toolchain is, as far as flags depend on it.
    pub toolchain: &'a ToolchainFacts,
    /// Flags the owner of the machine allows in addition.
    pub allowed_flags: &'a BTreeSet<String>,
}

/// What the project's files contribute to a plan.
#[derive(Clone, Debug, Default)]
pub struct Contents {
    /// The id of this state of the kernel.
    pub id: String,
    /// The closed set of files that the build reads.
    pub inputs: Vec<Input>,
    /// Files that ship.
    pub package: Vec<PackageFile>,
    /// Sources that must be told the id while they are preprocessed.
    pub told: BTreeSet<String>,
}

/// What flags depend on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolchainFacts {
    /// The compiler's own files for a link, as `tc/<name>`; the names alone matter here.
    pub link_files: BTreeSet<String>,
    /// Whose options the compiler takes.
    pub family: CompilerFamily,
    /// The torch whose headers are read.
    pub torch: Option<Version>,
}

impl ToolchainFacts {
    /// For variants of Python alone, where no flag depends on anything.
    pub fn none() -> Self {
        Self { link_files: BTreeSet::new(), family: CompilerFamily::Gcc, torch: None }
    }
}

/// The plan of one variant; every fault of the project that keeps it from being built is reported at once.
pub fn plan(request: &Request) -> Result<Plan, Faults> {
    let mut findings = Vec::new();
    let (backend, library) = match request.variant {
        Variant::Arch(variant) => {
            let library = library(request, variant, &mut findings);
            (variant.compute.backend(), Some(library))
        }
        // A universal variant is written for whatever torch runs on; its metadata names the first declared backend.
        Variant::Noarch(_) => {
            (request.variant.backend().unwrap_or_else(|| first_backend(request.manifest)), None)
        }
    };
    if findings.iter().any(|finding| finding.severity == Severity::Error) {
        let summary =
            format!("`{}` cannot be built as `{}`", request.manifest.general.name.value, request.variant);
        return Err(Faults::new(&code::build::PLAN, summary, findings));
    }
    Ok(Plan {
        schema: SCHEMA,
        kernel: KernelIdentity {
            name: request.manifest.general.name.value.clone(),
            version: request.manifest.general.version.value,
            id: request.project.id.clone(),
        },
        variant: request.variant.to_string(),
        backend,
        framework: request.manifest.framework(),
        profile: request.profile,
        policy: request.policy.to_string(),
        archs: archs(request.manifest, backend, library.is_none()),
        inputs: request.project.inputs.clone(),
        library,
        package: request.project.package.clone(),
        findings,
    })
}

fn first_backend(manifest: &Manifest) -> Backend {
    manifest.general.backends.first().map_or(Backend::Cpu, |backend| backend.value)
}

fn library(request: &Request, variant: &ArchVariant, findings: &mut Vec<Finding>) -> Library {
    let base = Base {
        variant,
        profile: request.profile,
        family: request.toolchain.family,
        torch: request.toolchain.torch.as_ref(),
    };
    let circumstances = Circumstances {
        base: base.clone(),
        text: request.text,
        allowed: request.allowed_flags,
        id: &request.project.id,
        told: &request.project.told,
    };
    let (sets, left_out) = components::of(request.manifest, request.text, variant);
    findings.extend(left_out);
    let mut compile = Vec::new();
    for set in &sets {
        let (steps, found) = compile::steps(set, &circumstances);
        compile.extend(steps);
        findings.extend(found);
    }
    if compile.is_empty() {
        findings.push(Finding::error(
            &code::build::SOURCE,
            format!("no source is compiled for `{}`", request.variant),
        ));
    }
    let identity = IdentityUnit {
        source: "generated/identity.c".into(),
        object: "objects/identity.o".into(),
        flags: base.identity(),
    };
    let mut objects: Vec<String> = compile.iter().map(|step| step.object.clone()).collect();
    objects.push(identity.object.clone());
    let link = link::step(request, variant, objects);
    let suffix = if base.is_torch() { ".abi3.so" } else { ".so" };
    Library {
        file_name: format!("{}{suffix}", request.project.id),
        toolchain: ToolchainPlan { family: request.toolchain.family, parts: base.parts() },
        compile,
        identity,
        link,
    }
}

/// What the metadata lists: noarch kernels say it themselves, sorted as the peer sorts them.
fn archs(manifest: &Manifest, backend: Backend, noarch: bool) -> Vec<String> {
    use kernel_spec::manifest::types::Binding;
    let listed = match (&manifest.binding, backend) {
        (Binding::TorchNoarch(binding), Backend::Cuda) if noarch => &binding.cuda_capabilities,
        (Binding::TorchNoarch(binding), Backend::Rocm) if noarch => &binding.rocm_archs,
        _ => return Vec::new(),
    };
    listed.iter().map(|arch| arch.value.clone()).collect::<BTreeSet<_>>().into_iter().collect()
}
