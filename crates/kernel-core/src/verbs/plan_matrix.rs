//! `plan --matrix`: the variants of a project as the jobs of a build matrix, one a runner can take each. Nothing of this
//! machine is asked, so the list is the same everywhere.

use camino::Utf8Path;
use kernel_spec::arch::{Cpu, Os};
use kernel_spec::identifier::Identifier;
use kernel_spec::matrix::{Offer, variants_of};
use kernel_spec::report::plan::{BuildJob, BuildMatrix};
use kernel_spec::variant::Variant;
use kernel_spec::{Backend, Event, Finding, code};

use crate::engine::limits::heavy_compile;
use crate::verbs::build::Wanted;
use crate::{Context, Project, Result, inputs, matrix};

/// The jobs for these variants; by default those that publishing builds.
pub fn build_matrix(context: &Context, directory: &Utf8Path, wanted: &Wanted) -> Result<BuildMatrix> {
    let project = Project::open(context, directory)?;
    let matrix = matrix::load(context)?;
    let offers = variants_of(&project.manifest, &matrix);
    let is_wanted = |offer: &&Offer| match wanted {
        Wanted::Loadable => offer.bundled,
        Wanted::Buildable => true,
        Wanted::Named(names) => names.contains(&offer.variant.to_string()),
    };
    let mut jobs = Vec::new();
    for offer in offers.iter().filter(is_wanted) {
        if let Some(runner) = runner(&offer.variant) {
            jobs.push(job(&project, offer, runner)?);
            continue;
        }
        let message = format!("`{}` is left out of the matrix", offer.variant);
        let cause = "this version of kernel-builder compiles on Linux, for the CPU and for CUDA";
        let finding = Finding::note(&code::environment::BACKEND_TOOLCHAIN, message).cause(cause);
        context.sink.event(&Event::Finding(finding));
    }
    Ok(BuildMatrix { include: jobs })
}

/// The label of a machine that can build it.
fn runner(variant: &Variant) -> Option<&'static str> {
    let Some(arch) = variant.arch() else { return Some("ubuntu-24.04") };
    match (arch.system.os, arch.system.cpu, arch.compute.backend()) {
        (Os::Linux, Cpu::X86_64, Backend::Cpu | Backend::Cuda) => Some("ubuntu-24.04"),
        (Os::Linux, Cpu::Aarch64, Backend::Cpu | Backend::Cuda) => Some("ubuntu-24.04-arm"),
        _ => None,
    }
}

fn job(project: &Project, offer: &Offer, runner: &str) -> Result<BuildJob> {
    let inputs = inputs::collect(&project.directory, &project.manifest, offer.backend)?.require_sound()?;
    let id = Identifier::of(&project.manifest, offer.backend, &inputs.digests()).to_string();
    let variant = offer.variant.to_string();
    Ok(BuildJob {
        cache_key: format!("kernel-builder-{}-{variant}-{id}", env!("CARGO_PKG_VERSION")),
        runner: runner.to_owned(),
        framework: offer.variant.framework().section().to_owned(),
        framework_version: offer.built_with.as_ref().map(ToString::to_string),
        memory_mib: offer.variant.arch().map(|_| heavy_compile(offer.backend == Backend::Cuda) >> 20),
        variant,
    })
}
