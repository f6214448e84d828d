//! Everything a card can say, under the names that templates use.

use std::collections::BTreeMap;

use camino::Utf8Path;
use kernel_spec::error::Faults;
use kernel_spec::{Backend, code};
use serde::Serialize;

use super::CardError;
use super::built::BuiltModel;
use crate::project::Project;
use crate::python_source::{PublicApi, PythonSource, public_api};
use crate::{artifacts, inputs};

/// What is known of a kernel. The first eight fields have the peer's names and meanings.
#[derive(Debug, Serialize)]
pub(super) struct Model {
    pub(super) repo_id: Option<String>,
    pub(super) version: u64,
    /// As the Hub writes licences: in lower case.
    pub(super) license: String,
    pub(super) upstream: Option<String>,
    pub(super) source: Option<String>,
    pub(super) functions: Vec<String>,
    pub(super) layers: Vec<String>,
    pub(super) has_benchmark: bool,
    pub(super) name: String,
    pub(super) framework: &'static str,
    pub(super) backends: Vec<Backend>,
    pub(super) backend_titles: Vec<&'static str>,
    pub(super) python_depends: Vec<String>,
    pub(super) kernel_depends: Vec<String>,
    pub(super) api: PublicApi,
    /// A call of the first function: `relu(x)`.
    pub(super) usage: Option<String>,
    pub(super) variants: Vec<BuiltModel>,
}

impl Model {
    pub(super) fn of(project: &Project, build: &Utf8Path) -> Result<Self, CardError> {
        let manifest = &project.manifest;
        let general = &manifest.general;
        let api = api_of(project)?;
        let backends: Vec<Backend> = general.backends.iter().map(|backend| backend.value).collect();
        let variants = artifacts::find_in(build);
        Ok(Self {
            repo_id: general.hub.repo_id.as_ref().map(|id| id.value.clone()),
            version: general.version.value,
            license: general.license.value.to_lowercase(),
            upstream: general.upstream.as_ref().map(|url| url.value.clone()),
            source: general.source.as_ref().map(|url| url.value.clone()),
            functions: api.functions.iter().map(|function| function.name.clone()).collect(),
            layers: api.layers.iter().map(|layer| layer.name.clone()).collect(),
            has_benchmark: project.directory.join("benchmarks/benchmark.py").is_file(),
            name: general.name.value.to_string(),
            framework: manifest.framework().section(),
            backend_titles: backends.iter().map(|backend| backend.row().title).collect(),
            backends,
            python_depends: general.python_depends.iter().map(|name| name.value.clone()).collect(),
            kernel_depends: general
                .kernel_depends
                .iter()
                .map(|depends| depends.value.repo_id.clone())
                .collect(),
            variants: variants
                .iter()
                .map(|directory| BuiltModel::of(&project.directory, directory))
                .collect(),
            usage: api.functions.first().map(|function| format!("{}{}", function.name, function.call)),
            api,
        })
    }
}

/// The API, from the package's files as they are in the project. A file that cannot be parsed is told about by `check`;
/// a card of half an API would be worse than none.
fn api_of(project: &Project) -> Result<PublicApi, CardError> {
    let package = project.manifest.package_directory();
    // The package is the same for every backend.
    let backend = project.manifest.general.backends.first().map_or(Backend::Cpu, |backend| backend.value);
    let inputs = inputs::collect(&project.directory, &project.manifest, backend).map_err(Box::new)?;
    let mut sources = BTreeMap::new();
    let mut findings = Vec::new();
    for (shipped, path) in
        inputs.package().filter(|(shipped, _)| Utf8Path::new(shipped).extension() == Some("py"))
    {
        match PythonSource::parse(path, &fs_err::read(project.directory.join(path))?) {
            Ok(source) => {
                sources.insert(shipped.to_owned(), source);
            }
            Err(finding) => findings.push(*finding),
        }
    }
    if !findings.is_empty() {
        let summary = format!("the public API of `{package}` cannot be read");
        return Err(Faults::new(&code::python::UNREADABLE, summary, findings).into());
    }
    Ok(public_api(&sources))
}
