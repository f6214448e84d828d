//! `plan`: everything a build would do, without doing it.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};
use kernel_spec::error::Faults;
use kernel_spec::identifier::{Identifier, hexadecimal};
use kernel_spec::manifest::Manifest;
use kernel_spec::plan::{Input, PackageFile, Profile};
use kernel_spec::report::PlanReport;
use kernel_spec::variant::{ArchVariant, Variant};
use kernel_spec::{Backend, Finding, Framework, Matrix, Plan, code};

use crate::engine::{Choice, Engine};
use crate::host::PythonEnvironment;
use crate::inputs::{self, Inputs};
use crate::plan::dependencies;
use crate::plan::language::{FileKind, kind};
use crate::plan::{Contents, Request, ToolchainFacts, plan, told};
use crate::project::Project;
use crate::toolchain::lock::{Lock, LockError};
use crate::toolchain::parts::{self, Machine, Toolchain, ToolchainError};
use crate::toolchain::store::Part;
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
    /// Which engine is to build.
    pub engine: Choice,
    /// What the project's lock counts for.
    pub binding: Binding,
}

/// What a project's lock counts for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Binding {
    /// Its parts are used; what is not as it says is told.
    #[default]
    Present,
    /// There must be one, and everything must be as it says.
    Demanded,
    /// Nothing: what this machine has is used.
    Ignored,
}

/// The plans, one for each variant.
pub fn plans(context: &Context, options: &PlanOptions) -> Result<PlanReport> {
    let drafting = Drafting::open(context, options)?;
    let mut plans = Vec::new();
    for variant in &drafting.variants {
        plans.push(drafting.sketch(variant)?);
    }
    Ok(PlanReport { plans, matrix: None })
}

/// A project with everything that plans for it are made from.
pub(crate) struct Drafting<'a> {
    context: &'a Context,
    options: &'a PlanOptions,
    /// The project.
    pub project: Project,
    /// What torch and toolkits need and build.
    matrix: Matrix,
    /// The chosen Python.
    pub python: PythonEnvironment,
    /// The chosen variants.
    pub variants: Vec<Variant>,
    /// Where parts and facts are kept between builds.
    pub cache: Utf8PathBuf,
    /// The project's lock, where it has one that counts.
    pub lock: Option<Lock>,
    /// What is to build.
    pub engine: Engine,
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
        let matrix = matrix::load(context)?;
        let work = project.directory.join(crate::render::ninja::WORK);
        let cache = context.environment.cache_directory().unwrap_or_else(|| work.join("cache"));
        let policy = options.policy;
        let lock = lock_of(&project, options.binding)?;
        let engine = Engine::ready(context, &options.engine, &cache)?;
        let machine = Machine {
            python: &python,
            matrix: &matrix,
            policy,
            profile: options.profile,
            cache: &cache,
            fetches: false,
            lock: lock.as_ref(),
            engine: &engine,
        };
        let variants = choose::variants(context, &project.manifest, &machine, &options.variants)?;
        Ok(Self { context, options, project, matrix, python, variants, cache, lock, engine })
    }

    /// The plan of a variant with the toolchain of this machine; parts of it that are missing are fetched.
    pub(crate) fn draft(&self, variant: &Variant) -> Result<Draft> {
        let toolchain = variant.arch().map(|arch| self.toolchain(arch, true)).transpose()?;
        let facts = toolchain.as_ref().map_or_else(ToolchainFacts::none, Toolchain::facts);
        let mut plan = self.plan(variant, &facts)?;
        if let Some(toolchain) = &toolchain {
            plan.findings.extend(self.unlocked(variant, toolchain)?);
        }
        Ok(Draft { plan, toolchain })
    }

    /// What is not as the lock says; an error where everything must be.
    fn unlocked(&self, variant: &Variant, toolchain: &Toolchain) -> Result<Vec<Finding>, Faults> {
        let demanded = self.options.binding == Binding::Demanded;
        let differences = toolchain.lock.iter();
        let findings: Vec<Finding> =
            differences.flat_map(|differences| differences.findings(demanded)).collect();
        if demanded && !findings.is_empty() {
            let summary = format!("`{variant}` cannot be made as it is locked");
            return Err(Faults::new(&code::toolchain::UNLOCKED, summary, findings));
        }
        Ok(findings)
    }

    /// What a variant needs of the store.
    pub(crate) fn needed(&self, variant: &ArchVariant) -> Vec<Part> {
        let depends = dependencies::of(&self.project.manifest, variant);
        parts::needed(variant, &depends, self.options.profile).0
    }

    /// The plan of a variant that need not be buildable here: what the machine lacks is supposed, and told.
    fn sketch(&self, variant: &Variant) -> Result<Plan> {
        let Some(arch) = variant.arch() else { return Ok(self.draft(variant)?.plan) };
        let missing = match self.toolchain(arch, false) {
            Ok(toolchain) => {
                let mut plan = self.plan(variant, &toolchain.facts())?;
                plan.findings.extend(self.unlocked(variant, &toolchain)?);
                return Ok(plan);
            }
            Err(missing) if parts::can_plan(arch) => missing,
            Err(missing) => return Err(missing.into()),
        };
        let mut plan =
            self.plan(variant, &ToolchainFacts::supposed(arch, &self.matrix, self.options.profile))?;
        plan.findings.push(missing.as_note());
        Ok(plan)
    }

    pub(crate) fn toolchain(
        &self,
        variant: &ArchVariant,
        fetches: bool,
    ) -> Result<Toolchain, ToolchainError> {
        let Self { python, matrix, cache, engine, .. } = self;
        let (policy, lock) = (self.options.policy, self.lock.as_ref());
        engine.supports(variant)?;
        let profile = self.options.profile;
        let machine = Machine { python, matrix, policy, profile, cache, fetches, lock, engine };
        let depends = dependencies::of(&self.project.manifest, variant);
        parts::assemble(self.context, variant, &depends, &machine)
    }

    fn plan(&self, variant: &Variant, toolchain: &ToolchainFacts) -> Result<Plan> {
        let manifest = &self.project.manifest;
        let backend = variant.backend().unwrap_or_else(|| first_backend(manifest));
        let contents = contents(&self.project.directory, manifest, backend)?;
        Ok(plan(&Request {
            manifest,
            text: &self.project.source,
            matrix: &self.matrix,
            variant,
            profile: self.options.profile,
            policy: self.options.policy,
            project: &contents,
            toolchain,
            allowed_flags: &self.options.allowed_flags,
        })?)
    }
}

fn lock_of(project: &Project, binding: Binding) -> Result<Option<Lock>, ToolchainError> {
    let system = parts::host().filter(|_| binding != Binding::Ignored);
    let lock = system.map(|system| Lock::read(&project.directory, system)).transpose()?.flatten();
    if lock.is_none() && binding == Binding::Demanded {
        return Err(LockError::Missing { project: project.directory.clone() }.into());
    }
    Ok(lock)
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
