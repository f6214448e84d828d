//! What a card says of a built variant: what its name and metadata say, whether its files are still those, and what was
//! proved about exactly these files.

use camino::{Utf8Path, Utf8PathBuf};
use kernel_abi::Policy;
use kernel_bench::report::Document;
use kernel_spec::finding::Subject;
use kernel_spec::identifier::hexadecimal;
use kernel_spec::metadata::BuildRecord;
use kernel_spec::path::confined;
use kernel_spec::report::test::VariantTests;
use kernel_spec::variant::{FrameworkAbi, Variant};
use kernel_spec::{Backend, Code, Finding, code};
use serde::Serialize;

use crate::digest::{METADATA, SIGNATURE};
use crate::{artifacts, bench, digest, suite};

/// A variant, as it lies there.
#[derive(Debug, Serialize)]
pub(super) struct BuiltModel {
    pub(super) name: String,
    /// Unknown where the metadata cannot be read and the name does not tell.
    pub(super) backend: Option<Backend>,
    pub(super) framework: Option<String>,
    pub(super) compute: Option<String>,
    pub(super) system: Option<String>,
    /// The oldest Python that a compiled variant loads in.
    pub(super) python: Option<String>,
    pub(super) architectures: Vec<String>,
    pub(super) commit: Option<String>,
    /// Whether the sources differed from the commit; unknown where it is not known what they were.
    pub(super) dirty: Option<bool>,
    /// The tool that built it.
    pub(super) builder: Option<String>,
    pub(super) build: Option<BuildRecord>,
    pub(super) signed: bool,
    /// Why it is not what was sealed.
    pub(super) damage: Option<String>,
    pub(super) tests: Option<VariantTests>,
    pub(super) benchmark: Option<BenchmarkModel>,
    /// What is kept of it and cannot be read.
    #[serde(skip)]
    pub(super) unreadable: Vec<Finding>,
}

/// What a benchmark said of exactly these files.
#[derive(Debug, Serialize)]
pub(super) struct BenchmarkModel {
    pub(super) verdict: String,
    pub(super) speedup: Option<f64>,
    pub(super) low: Option<f64>,
    pub(super) high: Option<f64>,
    pub(super) machine: String,
    pub(super) baseline: String,
    pub(super) workloads: Vec<WorkloadModel>,
}

/// One workload.
#[derive(Debug, Serialize)]
pub(super) struct WorkloadModel {
    pub(super) name: String,
    pub(super) dtype: Option<String>,
    pub(super) outcome: String,
    pub(super) speedup: Option<f64>,
}

impl BuiltModel {
    pub(super) fn of(project: &Utf8Path, directory: &Utf8Path) -> Self {
        let name = directory.file_name().unwrap_or_default().to_owned();
        let variant = name.parse::<Variant>().ok();
        let mut model = Self::named(name, variant.as_ref());
        model.signed = directory.join(SIGNATURE).is_file();
        let metadata = match artifacts::metadata(directory) {
            Ok(metadata) => metadata,
            Err(findings) => {
                model.damage = findings.first().map(|finding| finding.message.clone());
                return model;
            }
        };
        model.backend = Some(metadata.backend.backend);
        model.damage = artifacts::difference(directory, &metadata);
        model.architectures = metadata.backend.archs.unwrap_or_default();
        if let Some(provenance) = metadata.provenance {
            model.builder = Some(provenance.kernel_builder.version);
            model.dirty = provenance.kernel.as_ref().map(|sources| sources.dirty);
            model.commit = provenance.kernel.map(|sources| sources.commit);
        }
        model.build = metadata.build;
        if model.damage.is_none() {
            let (tests, document) =
                (suite::kept(project, &model.name, directory), bench::kept(project, &model.name));
            model.unreadable.extend(tests.as_ref().err().map(|unreadable| (**unreadable).clone()));
            model.unreadable.extend(document.as_ref().err().map(|unreadable| (**unreadable).clone()));
            model.tests = tests.ok().flatten();
            model.benchmark =
                document.ok().flatten().and_then(|it| BenchmarkModel::of(project, &model.name, &it));
        }
        model
    }

    /// What a name alone tells.
    fn named(name: String, variant: Option<&Variant>) -> Self {
        let arch = variant.and_then(Variant::arch);
        // The functions of TVM-FFI are called without Python's own interface.
        let binds_python = arch.filter(|arch| !matches!(arch.framework, FrameworkAbi::TvmFfi(_)));
        Self {
            name,
            backend: variant.and_then(Variant::backend),
            framework: variant.map(framework),
            compute: arch.map(|arch| arch.compute.to_string()),
            system: arch.map(|arch| arch.system.to_string()),
            python: binds_python.map(|arch| Policy::for_variant(arch).python.to_string()),
            architectures: Vec::new(),
            commit: None,
            dirty: None,
            builder: None,
            build: None,
            signed: false,
            damage: None,
            tests: None,
            benchmark: None,
            unreadable: Vec::new(),
        }
    }

    /// Whether a result of this kind is kept and cannot be read.
    pub(super) fn lacks(&self, code: &Code) -> bool {
        self.unreadable.iter().any(|finding| *finding.code == *code)
    }

    /// What is wrong with it, and with what is kept of it.
    pub(super) fn findings(&self) -> impl Iterator<Item = Finding> {
        self.finding().into_iter().chain(self.unreadable.iter().cloned())
    }

    fn finding(&self) -> Option<Finding> {
        let about = Subject { variant: Some(self.name.clone()), ..Subject::default() };
        let damage = self.damage.as_ref()?;
        let message = format!("`{}` is not what was built", self.name);
        Some(Finding::error(&code::artifact::DIGEST, message).cause(damage.clone()).about(about))
    }
}

/// What a variant binds to, for people.
fn framework(variant: &Variant) -> String {
    match variant {
        Variant::Arch(arch) => match arch.framework {
            FrameworkAbi::Torch { version, .. } => format!("torch {}", version.version()),
            FrameworkAbi::TorchStableAbi(version) => format!("torch {} and later", version.version()),
            FrameworkAbi::TvmFfi(version) => format!("tvm-ffi {}", version.version()),
        },
        Variant::Noarch(_) => "torch".to_owned(),
    }
}

impl BenchmarkModel {
    /// The last run of a variant, if it loaded exactly the files that are there now.
    fn of(project: &Utf8Path, variant: &str, document: &Document) -> Option<Self> {
        let subject = &document.subject;
        let own = format!("build/{variant}/");
        let names_it =
            subject.variant == variant && subject.files.iter().any(|file| file.path.starts_with(&own));
        let confined = subject.files.iter().all(|file| confined(&file.path).is_ok());
        if !(names_it && confined) {
            return None;
        }
        // Signing adds to the metadata, and changes nothing of what was measured.
        let (metadata, others): (Vec<_>, Vec<_>) =
            subject.files.iter().partition(|file| file.path == format!("{own}{METADATA}"));
        let directory = project.join(&own);
        let paths: Vec<Utf8PathBuf> = others.iter().map(|file| project.join(&file.path)).collect();
        let now = digest::of_files(&paths).ok()?;
        let same = metadata.iter().all(|file| artifacts::is_of(&directory, &file.sha256))
            && now.iter().zip(&others).all(|(now, then)| hexadecimal(&now.sha256) == then.sha256);
        same.then(|| Self::from(document))
    }
}

impl From<&Document> for BenchmarkModel {
    fn from(document: &Document) -> Self {
        let speedup = document.suite.speedup.as_ref();
        Self {
            verdict: document.suite.verdict.word().to_owned(),
            speedup: speedup.map(|speedup| speedup.ratio),
            low: speedup.map(|speedup| speedup.low),
            high: speedup.map(|speedup| speedup.high),
            machine: document.machine.name.clone(),
            baseline: document.baseline.kind.clone(),
            workloads: document
                .workloads
                .iter()
                .map(|result| WorkloadModel {
                    name: result.verdict.workload.clone(),
                    dtype: result.dtype.clone(),
                    outcome: result
                        .verdict
                        .fault
                        .as_ref()
                        .map_or(result.verdict.outcome.word(), |fault| fault.kind.word())
                        .to_owned(),
                    speedup: result.verdict.effect.as_ref().map(|effect| effect.ratio),
                })
                .collect(),
        }
    }
}
