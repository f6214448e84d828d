//! The components of a variant: the framework section and every `[kernel.*]` of its backend under one shape, so that
//! nothing after this has to know that a binding is special. Components are sorted by name: the order of tables in
//! TOML means nothing, and must not change what is linked.

use std::collections::BTreeSet;

use kernel_spec::manifest::types::{Component, Manifest, Target};
use kernel_spec::path::normalised;
use kernel_spec::variant::{ArchVariant, ToolkitVersion};
use kernel_spec::{Backend, Finding, Located, SourceText, Version, code};

/// A list of sources that share their flags.
#[derive(Clone, Copy, Debug)]
pub struct SourceSet<'a> {
    /// `torch` or the name in `[kernel.<name>]`.
    name: &'a str,
    is_binding: bool,
    /// Sources and headers.
    pub sources: &'a [Located<String>],
    /// Include directories.
    pub include: &'a [Located<String>],
    /// Build dependencies.
    pub depends: &'a [Located<String>],
    /// Flags for C++.
    pub cxx_flags: &'a [Located<String>],
    /// What the component's backend adds; the binding has nothing of the kind.
    pub target: Option<&'a Target>,
}

impl<'a> SourceSet<'a> {
    /// `cuda-flags`.
    pub fn cuda_flags(&self) -> &'a [Located<String>] {
        match self.target {
            Some(Target::Cuda { flags, .. }) => flags,
            _ => &[],
        }
    }

    /// `hip-flags` or `sycl-flags`.
    pub fn device_flags(&self) -> &'a [Located<String>] {
        match self.target {
            Some(Target::Rocm { flags, .. } | Target::Xpu { flags }) => flags,
            _ => &[],
        }
    }

    /// The section of the manifest.
    pub fn section(&self) -> String {
        if self.is_binding { self.name.to_owned() } else { format!("kernel.{}", self.name) }
    }
}

/// The source sets of a variant, and why others were left out.
pub fn of<'a>(
    manifest: &'a Manifest,
    text: &SourceText,
    variant: &ArchVariant,
) -> (Vec<SourceSet<'a>>, Vec<Finding>) {
    let backend = variant.compute.backend();
    let toolkit = variant.compute.toolkit().map(ToolkitVersion::version);
    let mut sets = Vec::new();
    let mut findings = Vec::new();
    if let Some(binding) = manifest.compiled_binding() {
        sets.push(SourceSet {
            name: manifest.framework().section(),
            is_binding: true,
            sources: &binding.sources,
            include: &binding.include,
            depends: &[],
            cxx_flags: &binding.cxx_flags,
            target: None,
        });
    }
    let mut components: Vec<&Component> = manifest.components_of(backend).collect();
    components.sort_by(|one, other| one.name.value.cmp(&other.name.value));
    for component in components {
        match too_new(component, text, toolkit.as_ref()) {
            Some(finding) => findings.push(finding),
            None => sets.push(SourceSet {
                name: &component.name.value,
                is_binding: false,
                sources: &component.sources,
                include: &component.include,
                depends: &component.depends,
                cxx_flags: &component.cxx_flags,
                target: Some(&component.target),
            }),
        }
    }
    if manifest.components_of(backend).next().is_some() && sets.iter().all(|set| set.is_binding) {
        findings.push(nothing_left(backend, variant));
    }
    (sets, findings)
}

fn too_new(component: &Component, text: &SourceText, toolkit: Option<&Version>) -> Option<Finding> {
    let Target::Cuda { minimum: Some(minimum), .. } = &component.target else {
        return None;
    };
    let toolkit = toolkit.filter(|toolkit| !toolkit.reaches(&minimum.value))?;
    let name = &component.name.value;
    let message = format!(
        "component `{name}` is left out: it needs CUDA {}, this variant has {toolkit}",
        minimum.value
    );
    Some(Finding::note(&code::build::COMPONENT_LEFT_OUT, message).at(text.span(minimum.bytes.clone())))
}

fn nothing_left(backend: Backend, variant: &ArchVariant) -> Finding {
    let toolkit = variant.compute.toolkit().map(|toolkit| format!(" {toolkit}")).unwrap_or_default();
    Finding::error(
        &code::build::COMPONENT_LEFT_OUT,
        format!("every component of backend `{backend}` is left out for {backend}{toolkit}"),
    )
}

/// The sources of a set without repetitions, in order. A path may be written in several ways; `check` warns of those.
pub fn distinct<'a>(set: &SourceSet<'a>) -> Vec<(String, &'a Located<String>)> {
    let mut seen = BTreeSet::new();
    set.sources
        .iter()
        .map(|source| (normalised(&source.value), source))
        .filter(|(path, _)| seen.insert(path.clone()))
        .collect()
}
