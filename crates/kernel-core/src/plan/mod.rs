//! Manifest and variant become a [`Plan`]: pure decisions, no tool is run and no file is read.

pub mod allowed;
pub mod compile;
pub mod components;
mod cuda;
mod cuda_clang;
mod darwin;
pub mod dependencies;
pub mod flags;
pub mod language;
mod link;
mod objects;
pub(crate) mod rocm;
pub mod told;
mod xpu;

use std::collections::BTreeSet;

use kernel_spec::capability::Capability;
use kernel_spec::error::Faults;
use kernel_spec::manifest::types::Manifest;
use kernel_spec::matrix::Matrix;
use kernel_spec::plan::{
    CompilerFamily, IdentityUnit, Input, KernelIdentity, Language, Library, PackageFile, Plan, Profile,
    SCHEMA, ToolchainPlan,
};
use kernel_spec::variant::{ArchVariant, FrameworkAbi, FrameworkVersion, Variant};
use kernel_spec::{Backend, Finding, Severity, SourceText, Version, code};

use crate::toolchain::store::Part;
use crate::toolchain::sysroot::Policy;
use crate::toolchain::sysroot::link::LinkParts;
use compile::Circumstances;
pub(crate) use cuda_clang::OLDEST as OLDEST_CUDA_CLANG;
use flags::Base;

/// What a plan is made from.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The manifest.
    pub manifest: &'a Manifest,
    /// Its text, for pointing at elements of it.
    pub text: &'a SourceText,
    /// What torch and toolkits need and build.
    pub matrix: &'a Matrix,
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
    /// The major version of the clang that compiles CUDA in nvcc's place.
    pub cuda_clang: Option<u32>,
}

impl ToolchainFacts {
    /// For variants of Python alone, where no flag depends on anything.
    pub fn none() -> Self {
        Self { link_files: BTreeSet::new(), family: CompilerFamily::Gcc, torch: None, cuda_clang: None }
    }

    /// A GCC with all its files, and the torch that a variant is for: what a plan goes by where there is no toolchain.
    pub fn supposed(variant: &ArchVariant, matrix: &Matrix, profile: Profile) -> Self {
        let torch = match variant.framework {
            FrameworkAbi::Torch { version, .. } => Some(version),
            FrameworkAbi::TorchStableAbi(_) => matrix.newest_torch(),
            FrameworkAbi::TvmFfi(_) => None,
        };
        Self {
            link_files: LinkParts::FILE_NAMES.iter().map(|&name| name.to_owned()).collect(),
            // The compiler for Intel's GPUs is a Clang, and compiles everything of such a variant; so is macOS's own.
            family: if variant.compute.backend() == Backend::Xpu || darwin::is_for(variant) {
                CompilerFamily::Clang
            } else {
                CompilerFamily::Gcc
            },
            torch: torch.map(FrameworkVersion::version),
            cuda_clang: variant
                .compute
                .toolkit()
                .filter(|_| variant.compute.backend() == Backend::Cuda && profile == Profile::Dev)
                .and_then(|toolkit| Part::cuda(&toolkit.version()))
                .filter(|part| !part.has_nvcc())
                .map(|_| cuda_clang::OLDEST),
        }
    }
}

/// The plan of one variant; every fault of the project that keeps it from being built is reported at once.
pub fn plan(request: &Request) -> Result<Plan, Faults> {
    let mut findings = Vec::new();
    let (backend, native) = match request.variant {
        Variant::Arch(variant) => {
            let native = native(request, variant, &mut findings);
            (variant.compute.backend(), Some(native))
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
        archs: native
            .as_ref()
            .map_or_else(|| listed_archs(request.manifest, backend), |native| native.archs.clone()),
        inputs: request.project.inputs.clone(),
        library: native.map(|native| native.library),
        package: request.project.package.clone(),
        findings,
    })
}

fn first_backend(manifest: &Manifest) -> Backend {
    manifest.general.backends.first().map_or(Backend::Cpu, |backend| backend.value)
}

/// The compiled part of a plan.
struct Native {
    library: Library,
    archs: Vec<String>,
}

fn native(request: &Request, variant: &ArchVariant, findings: &mut Vec<Finding>) -> Native {
    let base = Base {
        variant,
        profile: request.profile,
        family: request.toolchain.family,
        matrix: request.matrix,
        torch: request.toolchain.torch.as_ref(),
        cuda_clang: request.toolchain.cuda_clang,
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
    let (mut capabilities, mut targets) = (BTreeSet::new(), BTreeSet::new());
    for set in &sets {
        let compiled = compile::component(set, &circumstances);
        compile.extend(compiled.steps);
        capabilities.extend(compiled.capabilities);
        targets.extend(compiled.targets.iter().map(ToString::to_string));
        findings.extend(compiled.findings);
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
    let metal = darwin::metallib(&compile, base.unit());
    let linked = compile.iter().filter(|step| step.language != Language::Metal);
    let mut objects: Vec<String> = linked.map(|step| step.object.clone()).collect();
    objects.extend(metal.iter().map(|metal| metal.object.clone()));
    objects.push(identity.object.clone());
    let link = if darwin::is_for(variant) {
        darwin::link(request, variant, objects)
    } else {
        link::step(request, variant, objects)
    };
    let mut parts = base.parts();
    parts.extend(dependencies::of(request.manifest, variant));
    let suffix = match (base.is_torch(), darwin::is_for(variant)) {
        (true, _) => ".abi3.so",
        (false, true) => ".dylib",
        (false, false) => ".so",
    };
    let library = Library {
        file_name: format!("{}{suffix}", request.project.id),
        toolchain: ToolchainPlan {
            family: request.toolchain.family,
            cuda: base.cuda_clang.map(|_| CompilerFamily::Clang),
            parts,
        },
        hipify: rocm::hipify(&compile, &sets, request.project),
        compile,
        metal,
        identity,
        link,
    };
    let archs = promised(capabilities).into_iter().chain(targets).collect();
    Native { library, archs }
}

/// What the metadata promises: PTX and machine code of one number are one entry, and text order is the peer's.
fn promised(architectures: BTreeSet<Capability>) -> Vec<String> {
    let with_ptx: BTreeSet<Capability> =
        architectures.iter().filter(|one| one.ptx).map(|one| Capability { ptx: false, ..*one }).collect();
    let distinct = architectures.iter().filter(|one| one.ptx || !with_ptx.contains(one));
    distinct.map(ToString::to_string).collect::<BTreeSet<_>>().into_iter().collect()
}

/// Kernels of Python alone say it themselves; sorted as the peer sorts them.
fn listed_archs(manifest: &Manifest, backend: Backend) -> Vec<String> {
    use kernel_spec::manifest::types::Binding;
    let listed = match (&manifest.binding, backend) {
        (Binding::TorchNoarch(binding), Backend::Cuda) => &binding.cuda_capabilities,
        (Binding::TorchNoarch(binding), Backend::Rocm) => &binding.rocm_archs,
        _ => return Vec::new(),
    };
    listed.iter().map(|arch| arch.value.clone()).collect::<BTreeSet<_>>().into_iter().collect()
}
