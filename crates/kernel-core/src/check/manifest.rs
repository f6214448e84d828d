//! Whether a built variant is what the manifest speaks of now.

use kernel_spec::finding::Subject;
use kernel_spec::manifest::Manifest;
use kernel_spec::{Finding, Metadata, code};

/// An error for the version, and one for the name, where the variant has another.
pub fn check(variant: &str, metadata: &Metadata, manifest: &Manifest) -> Vec<Finding> {
    let general = &manifest.general;
    let mut findings = Vec::new();
    let mut say = |message: String| {
        let subject = Subject { variant: Some(variant.to_owned()), ..Subject::default() };
        findings.push(Finding::error(&code::upload::VERSIONS, message).about(subject));
    };
    let (version, name) = (metadata.version, &metadata.name);
    if version != general.version.value {
        say(format!("`{variant}` is of version {version}, `build.toml` of {}", general.version.value));
    }
    if *name != general.name.value {
        say(format!("`{variant}` is of `{name}`, `build.toml` of `{}`", general.name.value));
    }
    findings
}
