//! `plan`: everything a build would do, without doing it.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};
use kernel_spec::identifier::{Identifier, hexadecimal};
use kernel_spec::manifest::Manifest;
use kernel_spec::plan::{Input, PackageFile, Profile};
use kernel_spec::report::PlanReport;
use kernel_spec::variant::Variant;
use kernel_spec::{Backend, Framework, Plan};

use crate::host::PythonEnvironment;
use crate::inputs::{self, Inputs};
use crate::plan::language::{FileKind, kind};
use crate::plan::{Contents, Request, ToolchainFacts, plan, told};
use crate::project::Project;
use crate::toolchain::parts::{Toolchain, assemble};
use crate::toolchain::sysroot::Policy;
use crate::verbs::build::choose::{self, Wanted};
use crate::{Context, Result, matrix};

/// What a plan is asked for with.
#[derive(Clone, Debug)]
pub struct PlanOptions {
    /// The project's directory.
    pub project: Utf8PathBuf,
    /// Which variants.
    pub variants: Wanted,
    /// The interpreter, or the directory of its environment.
    pub python: Option<String>,
    /// Release or dev.
    pub profile: Profile,
    /// Oldest systems the result must run on.
    pub policy: Policy,
    /// Flags the owner of the machine allows in addition.
    pub allowed_flags: BTreeSet<String>,
}

/// The plans, one for each variant.
pub fn plans(context: &Context, options: &PlanOptions) -> Result<PlanReport> {
    let drafting = Drafting::open(context, options)?;
    let mut plans = Vec::new();
    for variant in &drafting.variants {
        plans.push(drafting.draft(variant)?.plan);
    }
    Ok(PlanReport { plans })
}

/// A project with everything that plans for it are made from.
pub(crate) struct Drafting<'a> {
    context: &'a Context,
    options: &'a PlanOptions,
    /// The project.
    pub project: Project,
    /// The chosen Python.
    pub python: PythonEnvironment,
    /// The chosen variants.
    pub variants: Vec<Variant>,
    /// Where parts and facts are kept between builds.
    cache: Utf8PathBuf,
}

/// A plan with what it was made from.
pub(crate) struct Draft {
    /// The plan.
    pub plan: Plan,
    /// What it is compiled with; absent in variants of Python alone.
    pub toolchain: Option<Toolchain>,
}

impl<'a> Drafting<'a> {
    /// The systems that the results must load on.
    pub(crate) fn policy(&self) -> Policy {
        self.options.policy
    }

    pub(crate) fn open(context: &'a Context, options: &'a PlanOptions) -> Result<Self> {
        let project = Project::open(context, &options.project)?;
        let python = PythonEnvironment::discover(context, options.python.as_deref())?;
        let variants =
            choose::variants(&project.manifest, &matrix::load(context)?, &python, &options.variants)?;
        let work = project.directory.join(crate::render::ninja::WORK);
        let cache = context.environment.cache_directory().unwrap_or_else(|| work.join("cache"));
        Ok(Self { context, options, project, python, variants, cache })
    }

    pub(crate) fn draft(&self, variant: &Variant) -> Result<Draft> {
        let manifest = &self.project.manifest;
        let backend = variant.backend().unwrap_or_else(|| first_backend(manifest));
        let policy = self.options.policy;
        let toolchain = match variant.arch() {
            Some(arch) => Some(assemble(self.context, arch, &self.python, policy, &self.cache)?),
            None => None,
        };
        let contents = contents(&self.project.directory, manifest, backend)?;
        let facts = toolchain.as_ref().map_or_else(ToolchainFacts::none, Toolchain::facts);
        let plan = plan(&Request {
            manifest,
            text: &self.project.source,
            variant,
            profile: self.options.profile,
            policy,
            project: &contents,
            toolchain: &facts,
            allowed_flags: &self.options.allowed_flags,
        })?;
        Ok(Draft { plan, toolchain })
    }
}

/// A universal variant is written for whatever torch runs on; its id names the first declared backend.
fn first_backend(manifest: &Manifest) -> Backend {
    manifest.general.backends.first().map_or(Backend::Cpu, |backend| backend.value)
}

fn contents(directory: &Utf8Path, manifest: &Manifest, backend: Backend) -> Result<Contents> {
    let inputs = inputs::collect(directory, manifest, backend)?.require_sound()?;
    let id = Identifier::of(manifest, backend, &inputs.digests()).to_string();
    let listed = inputs
        .files
        .iter()
        .map(|(path, file)| Input { path: path.clone(), sha256: hexadecimal(&file.sha256) });
    let package = inputs.package().map(|(destination, source)| PackageFile {
        destination: destination.to_owned(),
        source: source.to_owned(),
    });
    Ok(Contents {
        id,
        inputs: listed.collect(),
        package: package.collect(),
        told: told(directory, manifest.framework(), &inputs)?,
    })
}

/// Sources that must be told the id while they are preprocessed.
fn told(directory: &Utf8Path, framework: Framework, inputs: &Inputs) -> Result<BTreeSet<String>> {
    let word = match framework {
        Framework::Torch => "TORCH_EXTENSION_NAME",
        Framework::TvmFfi => "TVM_FFI_EXTENSION_NAME",
        Framework::TorchNoarch => return Ok(BTreeSet::new()),
    };
    let mut texts = BTreeMap::new();
    for (path, file) in &inputs.files {
        if !file.packaged || kind(path) != FileKind::Unknown {
            let bytes = fs_err::read(directory.join(path))?;
            texts.insert(path.as_str(), String::from_utf8_lossy(&bytes).into_owned());
        }
    }
    Ok(told::sources(texts.iter().map(|(path, text)| (*path, text.as_str())), word))
}
