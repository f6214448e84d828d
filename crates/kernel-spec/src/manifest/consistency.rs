//! What single values cannot show: whether the parts of a manifest agree with each other.

use std::collections::BTreeMap;

use super::lists::{check_capabilities, check_gfx};
use super::reader::Reader;
use super::types::{Binding, Component, Manifest};
use crate::dependency::{BuildPackage, build_dependency};
use crate::suggest::listed;
use crate::{Located, Version, code};

/// Checks a manifest against itself.
pub(super) fn check(reader: &mut Reader<'_>, manifest: &Manifest) {
    range(
        reader,
        "general.cuda",
        manifest.general.cuda_minimum.as_ref(),
        manifest.general.cuda_maximum.as_ref(),
    );
    match &manifest.binding {
        Binding::Torch(torch) => range(reader, "torch", torch.minimum.as_ref(), torch.maximum.as_ref()),
        Binding::TorchNoarch(noarch) => {
            check_capabilities(reader, &noarch.cuda_capabilities);
            check_gfx(reader, &noarch.rocm_archs);
            ignored_components(reader, &manifest.components);
        }
        Binding::TvmFfi(_) => {}
    }
    for component in &manifest.components {
        declared(reader, manifest, component);
        one_cutlass(reader, component);
    }
    names_differ(reader, &manifest.components);
}

fn range(
    reader: &mut Reader<'_>,
    table: &str,
    minimum: Option<&Located<Version>>,
    maximum: Option<&Located<Version>>,
) {
    let (Some(minimum), Some(maximum)) = (minimum, maximum) else { return };
    if minimum.within(maximum) {
        return;
    }
    let first = reader.span(&minimum.bytes);
    let message = format!("`minver` {} is above `maxver` {} in `[{table}]`", minimum.value, maximum.value);
    let mut finding = reader.error(&code::manifest::RANGE, &maximum.bytes, message);
    finding.also(first, "the lower bound");
}

fn declared(reader: &mut Reader<'_>, manifest: &Manifest, component: &Component) {
    let backends = &manifest.general.backends;
    if backends.iter().any(|backend| backend.value == component.backend.value) {
        return;
    }
    let (name, backend) = (&component.name.value, component.backend.value);
    let message = format!("component `{name}` is for `{backend}`, which `general.backends` does not list");
    let listed = listed(backends.iter().map(|backend| backend.value.as_str()));
    let mut finding = reader.warning(&code::manifest::UNDECLARED_BACKEND, &component.backend.bytes, message);
    finding.cause(format!("`general.backends` lists {listed}"));
    finding.help(format!("add `\"{backend}\"` to `general.backends`, or remove the component"));
}

fn one_cutlass(reader: &mut Reader<'_>, component: &Component) {
    let is_cutlass = |token: &&Located<String>| {
        build_dependency(token).is_some_and(|dependency| dependency.package == BuildPackage::Cutlass)
    };
    let mut versions = component.depends.iter().filter(is_cutlass);
    let Some(first) = versions.next() else { return };
    for other in versions.filter(|other| other.value != first.value) {
        let span = reader.span(&first.bytes);
        let message = format!(
            "component `{}` depends on `{}` and `{}`",
            component.name.value, first.value, other.value
        );
        let mut finding = reader.error(&code::manifest::DEPENDENCY, &other.bytes, message);
        finding.help("keep one version of CUTLASS in a component");
        finding.also(span, "the first version");
    }
}

fn ignored_components(reader: &mut Reader<'_>, components: &[Component]) {
    for component in components {
        let message =
            format!("component `{}` is never compiled: the kernel is Python only", component.name.value);
        reader
            .warning(&code::manifest::FRAMEWORK, &component.name.bytes, message)
            .help("remove the component, or bind the kernel to `[torch]` or `[tvm-ffi]`");
    }
}

/// Component names become directories, and some file systems do not tell `A` from `a`.
fn names_differ(reader: &mut Reader<'_>, components: &[Component]) {
    let mut seen: BTreeMap<String, &Located<String>> = BTreeMap::new();
    for component in components {
        let Some(first) = seen.insert(component.name.to_lowercase(), &component.name) else { continue };
        let span = reader.span(&first.bytes);
        let message =
            format!("components `{}` and `{}` differ only in case", first.value, component.name.value);
        let mut finding = reader.error(&code::manifest::COMPONENT_NAME, &component.name.bytes, message);
        finding.help("rename one of them; not every file system can keep both");
        finding.also(span, "the first one");
    }
}
