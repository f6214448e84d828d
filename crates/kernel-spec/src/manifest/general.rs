//! Reading `[general]` and its sub-tables.

use std::collections::BTreeMap;

use serde_spanned::Spanned;
use toml::de::DeValue;

use super::keys;
use super::reader::{Reader, Section, describe};
use super::repository_id;
use super::types::{BackendDependencies, General, Hub, KernelDependency, KernelReference};
use crate::suggest::{closest, listed};
use crate::{Backend, KernelName, Located, code, dependency, git_url};

/// Reads the section; `None` where something that a manifest needs is missing or wrong.
pub(super) fn read(reader: &mut Reader<'_>, section: &Section<'_>) -> Option<General> {
    let name = name(reader, section);
    let version = match section.get("version") {
        Some(_) => reader.count(section, "version"),
        // Only edition 3 may leave it out; the others have been told.
        None => Some(Located::new(1, section.place.clone())),
    };
    let license = license(reader, section);
    let backends = backends(reader, section);
    let upstream = url(reader, section, "upstream");
    let source = url(reader, section, "source");
    let shared = dependencies(reader, section, None);
    let hub = hub(reader, section);
    let cuda = reader.table(section, "cuda", keys::GENERAL_CUDA);
    let cuda_minimum = cuda.as_ref().and_then(|cuda| reader.version(cuda, "minver"));
    let cuda_maximum = cuda.as_ref().and_then(|cuda| reader.version(cuda, "maxver"));
    let mut by_backend = BTreeMap::new();
    if let Some(cuda) = &cuda {
        by_backend.insert(Backend::Cuda, dependencies(reader, cuda, Some(Backend::Cuda)));
    }
    for (backend, known) in [
        (Backend::Neuron, keys::GENERAL_BACKEND),
        (Backend::Tpu, keys::GENERAL_TPU),
        (Backend::Xpu, keys::GENERAL_BACKEND),
    ] {
        if let Some(table) = reader.table(section, backend.as_str(), known) {
            by_backend.insert(backend, dependencies(reader, &table, Some(backend)));
        }
    }
    by_backend.retain(|_, dependencies| *dependencies != BackendDependencies::default());
    Some(General {
        name: name?,
        version: version?,
        license: license?,
        backends: backends?,
        upstream,
        source,
        python_depends: shared.python_depends,
        kernel_depends: shared.kernel_depends,
        hub,
        cuda_minimum,
        cuda_maximum,
        by_backend,
    })
}

fn name(reader: &mut Reader<'_>, section: &Section<'_>) -> Option<Located<KernelName>> {
    let text = reader.text(section, "name")?;
    match text.value.parse::<KernelName>() {
        Ok(name) => Some(Located::new(name, text.bytes)),
        Err(error) => {
            let help = error.proposal.as_ref().map_or_else(
                || "choose a name such as `my-kernel`".to_owned(),
                |proposal| format!("`{proposal}` would be a valid name"),
            );
            reader.error(&code::manifest::NAME, &text.bytes, error.to_string()).help(help);
            None
        }
    }
}

fn license(reader: &mut Reader<'_>, section: &Section<'_>) -> Option<Located<String>> {
    let license = reader.text(section, "license")?;
    if !crate::license::is_known(&license) {
        let near = crate::license::closest(&license);
        let message = format!("`{}` is no licence identifier of the Hub or of SPDX", license.value);
        let mut finding = reader.warning(&code::manifest::LICENSE, &license.bytes, message);
        if let Some(near) = near {
            finding.help(format!("did you mean `{near}`? for a licence of your own write `other`"));
        }
    }
    Some(license)
}

fn backends(reader: &mut Reader<'_>, section: &Section<'_>) -> Option<Vec<Located<Backend>>> {
    let texts = reader.texts(section, "backends")?;
    if texts.is_empty() {
        let place = section.get("backends").map(Spanned::span).unwrap_or_default();
        reader.warning(&code::manifest::NO_BACKENDS, &place, "`general.backends` is empty".to_owned());
    }
    let mut backends: Vec<Located<Backend>> = Vec::new();
    for text in texts {
        let Some(backend) = backend(reader, &text, Backend::all()) else { continue };
        if let Some(first) = backends.iter().find(|known| known.value == backend.value) {
            let first = reader.span(&first.bytes);
            let message = format!("backend `{}` is listed twice", backend.value);
            let mut finding = reader.warning(&code::manifest::REPEATED, &backend.bytes, message);
            finding.help("remove the second one");
            finding.also(first, "first listed here");
        } else {
            backends.push(backend);
        }
    }
    Some(backends)
}

/// A backend by its name, out of those that may stand here.
pub(super) fn backend(
    reader: &mut Reader<'_>,
    text: &Located<String>,
    allowed: impl Iterator<Item = Backend>,
) -> Option<Located<Backend>> {
    let names: Vec<&str> = allowed.map(Backend::as_str).collect();
    if let Some(backend) = text.value.parse::<Backend>().ok().filter(|found| names.contains(&found.as_str()))
    {
        return Some(Located::new(backend, text.bytes.clone()));
    }
    let message = match text.value.parse::<Backend>() {
        Ok(backend) => format!("nothing can be compiled for backend `{backend}`"),
        Err(error) => error.to_string(),
    };
    let choice = listed(names.iter().copied());
    let help = match closest(&text.value, names) {
        Some(near) => format!("did you mean `{near}`? there are {choice}"),
        None => format!("choose one of {choice}"),
    };
    reader.error(&code::manifest::BACKEND, &text.bytes, message).help(help);
    None
}

fn url(reader: &mut Reader<'_>, section: &Section<'_>, key: &str) -> Option<Located<String>> {
    let text = reader.text(section, key)?;
    if let Err(error) = git_url::check(&text) {
        let message = format!("`{}` is no address of a Git repository: {error}", section.dotted(key));
        reader.error(&code::manifest::GIT_URL, &text.bytes, message);
        return None;
    }
    Some(text)
}

fn hub(reader: &mut Reader<'_>, section: &Section<'_>) -> Hub {
    let Some(table) = reader.table(section, "hub", keys::HUB) else { return Hub::default() };
    let repo_id = reader.text(&table, "repo-id").filter(|id| repository_id::check(reader, id, "hub.repo-id"));
    Hub { repo_id, branch: reader.text(&table, "branch") }
}

/// `python-depends` and `kernel-depends` of `[general]` (for `None`) or of one backend's table.
fn dependencies(
    reader: &mut Reader<'_>,
    section: &Section<'_>,
    scope: Option<Backend>,
) -> BackendDependencies {
    let names = reader.texts(section, "python-depends").unwrap_or_default();
    for name in &names {
        if dependency::python_dependency(scope, name).is_none() {
            unknown_python_dependency(reader, name, scope);
        }
    }
    BackendDependencies { python_depends: names, kernel_depends: kernel_dependencies(reader, section) }
}

fn unknown_python_dependency(reader: &mut Reader<'_>, name: &Located<String>, scope: Option<Backend>) {
    let allowed = dependency::PYTHON.iter().filter(|known| known.backend == scope).map(|known| known.name);
    let allowed: Vec<&str> = allowed.collect();
    let elsewhere = dependency::PYTHON.iter().find(|known| known.name == name.value);
    let place = scope.map_or_else(|| "[general]".to_owned(), |backend| format!("[general.{backend}]"));
    let help = match (elsewhere, closest(&name.value, allowed.iter().copied())) {
        (Some(known), _) => {
            let home = known.backend.map_or_else(|| "[general]".to_owned(), |of| format!("[general.{of}]"));
            format!("move it to `python-depends` of `{home}`")
        }
        (None, Some(near)) => format!("did you mean `{near}`?"),
        (None, None) if allowed.is_empty() => format!("remove it; nothing is allowed in `{place}`"),
        (None, None) => format!("remove it; allowed in `{place}` is {}", listed(allowed)),
    };
    let message = format!("Python dependency `{}` is not allowed in `{place}`", name.value);
    let mut finding = reader.error(&code::manifest::DEPENDENCY, &name.bytes, message);
    finding.cause("the loader refuses every kernel with a dependency outside its list");
    finding.help(help);
}

fn kernel_dependencies(reader: &mut Reader<'_>, section: &Section<'_>) -> Vec<Located<KernelDependency>> {
    let Some(value) = section.get("kernel-depends") else { return Vec::new() };
    let name = section.dotted("kernel-depends");
    let mut dependencies = Vec::new();
    let DeValue::Array(elements) = value.get_ref() else {
        let message = format!("`{name}` is {}, but a list of tables is expected", describe(value.get_ref()));
        reader
            .error(&code::manifest::TYPE, &value.span(), message)
            .help("write for example `kernel-depends = [{ repo-id = \"owner/name\", version = 1 }]`");
        return dependencies;
    };
    for element in elements {
        let DeValue::Table(table) = element.get_ref() else {
            let message =
                format!("`{name}` holds {}, but only tables are expected", describe(element.get_ref()));
            reader
                .error(&code::manifest::TYPE, &element.span(), message)
                .help("write each as `{ repo-id = \"owner/name\", version = 1 }`");
            continue;
        };
        let element_section = Section { name: name.clone(), place: element.span(), table };
        let dependency = kernel_dependency(reader, &element_section);
        dependencies.extend(dependency.map(|dependency| Located::new(dependency, element.span())));
    }
    dependencies
}

fn kernel_dependency(reader: &mut Reader<'_>, section: &Section<'_>) -> Option<KernelDependency> {
    reader.check_keys(section, keys::KERNEL_DEPENDENCY);
    let repo_id = reader.text(section, "repo-id").filter(|id| repository_id::check(reader, id, "repo-id"));
    let version = reader.count(section, "version");
    let revision = reader.text(section, "revision");
    let given = (section.get("version").is_some(), section.get("revision").is_some());
    if given.0 == given.1 {
        let what = if given.0 { "both `version` and `revision`" } else { "neither `version` nor `revision`" };
        let message = format!("a kernel dependency has {what}");
        reader.error(&code::manifest::KERNEL_REFERENCE, &section.place, message);
        return None;
    }
    let reference = match (version, revision) {
        (Some(version), _) => KernelReference::Version(version.value),
        (None, revision) => KernelReference::Revision(revision?.value),
    };
    Some(KernelDependency { repo_id: repo_id?.value, reference })
}
