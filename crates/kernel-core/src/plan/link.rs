//! The link step: what is linked to what, under the promise of the policy.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};
use kernel_spec::Backend;
use kernel_spec::plan::{CompatibilityStep, LinkStep, Profile};
use kernel_spec::variant::ArchVariant;

use super::{Request, xpu};
use crate::render::ninja::build_directory;
use crate::toolchain::sysroot::link::{LinkParts, LinkPlan};
use crate::toolchain::sysroot::runtime::Runtime;
use crate::toolchain::sysroot::{Policy, compat};

const OUTPUT: &str = "library.so";
const MAP: &str = "library.map";
const VERSION_SCRIPT: &str = "generated/exports.map";
const ARCHIVE: &str = "compat/libcompat.a";

/// The last step of a variant.
pub(super) fn step(request: &Request, variant: &ArchVariant, objects: Vec<String>) -> LinkStep {
    let build = Utf8PathBuf::from(build_directory(&request.variant.to_string()));
    let inside = |path: &str| build.join(path);
    let paths: Vec<Utf8PathBuf> = objects.iter().map(|object| inside(object)).collect();
    let plan = LinkPlan {
        policy: request.policy,
        cpu: variant.system.cpu,
        objects: &paths,
        runtimes: &Runtime::of(variant),
        parts: &parts(&request.toolchain.link_files, &build.join("tc")),
        sysroot: &inside("tc/sysroot"),
        compat: &inside(ARCHIVE),
        version_script: &inside(VERSION_SCRIPT),
        map: &inside(MAP),
        output: &inside(OUTPUT),
    };
    let mut arguments = plan.arguments();
    if variant.compute.backend() == Backend::Xpu {
        arguments.extend(xpu::link());
    }
    if request.profile == Profile::Release {
        arguments.push("-s".into());
    }
    LinkStep {
        output: OUTPUT.into(),
        map: MAP.into(),
        objects,
        runtimes: plan.needed().map(str::to_owned).collect(),
        version_script: VERSION_SCRIPT.into(),
        compatibility: if request.policy == Policy::Host { Vec::new() } else { compatibility() },
        arguments,
    }
}

fn parts(present: &BTreeSet<String>, directory: &Utf8Path) -> LinkParts {
    let file = |name: &str| directory.join(name);
    let optional = |name: &str| present.contains(name).then(|| file(name));
    LinkParts {
        crti: file("crti.o"),
        crtbegin: file("crtbeginS.o"),
        crtend: file("crtendS.o"),
        crtn: file("crtn.o"),
        libgcc: file("libgcc.a"),
        libc_nonshared: optional("libc_nonshared.a"),
        libstdcxx: optional("libstdc++.a"),
    }
}

fn compatibility() -> Vec<CompatibilityStep> {
    let sources = compat::SOURCES.iter().filter_map(|(name, _)| name.strip_suffix(".c"));
    let mut steps: Vec<CompatibilityStep> = sources
        .map(|name| CompatibilityStep::Compile {
            source: format!("compat/{name}.c"),
            object: format!("compat/{name}.o"),
            flags: compat::FLAGS.iter().map(|&flag| flag.to_owned()).collect(),
        })
        .collect();
    let objects = steps.iter().filter_map(|step| match step {
        CompatibilityStep::Compile { object, .. } => Some(object.clone()),
        CompatibilityStep::Archive { .. } => None,
    });
    let archive = CompatibilityStep::Archive { objects: objects.collect(), archive: ARCHIVE.into() };
    steps.push(archive);
    steps
}
