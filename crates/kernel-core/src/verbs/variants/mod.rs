//! `variants`: which variants a project has, and what the loader would say about each of them on this machine or on a
//! described one. The plain list is that of everywhere, and what `build` makes with the active Python.

mod loadable;
mod published;

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};
use kernel_spec::Backend;
use kernel_spec::matrix::{Refusal, compiled_variants_of, host_variants_of, variants_of};
use kernel_spec::report::{ChosenPython, DecisionEntry, Explanation, VariantsReport};
use kernel_spec::selection::{Decision, Decisions, MachineDescription, Reason, SystemBackend, decide_for};
use kernel_spec::variant::LoaderName;
use miette::Diagnostic;
use thiserror::Error;

use crate::host::{PythonEnvironment, device_is_present};
use crate::published::Reference;
use crate::{Context, Project, Result, matrix, regular};

pub(crate) use loadable::is_absent;

/// Where built variants are, below the project.
const BUILT: &str = "build";

/// No description of a machine comes near this size in bytes.
const LARGEST: u64 = 1 << 20;

/// What to list.
#[derive(Clone, Debug)]
pub struct VariantsOptions {
    /// The project's directory, as the user names it, or a published kernel.
    pub directory: Utf8PathBuf,
    /// Also variants that publishing does not build by default.
    pub all: bool,
    /// The variants the project would have if every backend were compiled, as the peer's `--arch` lists them.
    pub compiled: bool,
    /// Whether to let the loader decide, and where.
    pub explain: Option<Machine>,
    /// The Python that the user names; the active one otherwise.
    pub python: Option<String>,
    /// Whether the loader is told to trust a publisher whom it would not trust by itself.
    pub trust_remote_code: bool,
}

/// A machine to explain for.
#[derive(Clone, Debug)]
pub enum Machine {
    /// This one, with the Python the user names or the active one.
    Here(Option<String>),
    /// The one a file describes.
    Described(Utf8PathBuf),
}

/// The description of a machine cannot be read.
#[derive(Debug, Error, Diagnostic)]
#[error("`{path}` does not describe a machine: {fault}")]
#[diagnostic(
    code("variant/machine"),
    help(
        "write `cpu`, `os`, `python`, `tvm-ffi` and a table `torch` with `version` and `cuda`, `rocm` or `xpu` as TOML or JSON"
    )
)]
pub struct MachineError {
    path: Utf8PathBuf,
    fault: String,
}

/// Lists the variants of a project, or of a published kernel.
pub fn variants(context: &Context, options: &VariantsOptions) -> Result<VariantsReport> {
    if let Some(reference) = Reference::parse(options.directory.as_str()) {
        return published::variants(context, options, reference);
    }
    let project = Project::open(context, &options.directory)?;
    let matrix = matrix::load(context)?;
    let list = if options.compiled { compiled_variants_of } else { variants_of };
    let mut variants = list(&project.manifest, &matrix);
    variants.retain(|offer| offer.bundled || options.all);
    if options.explain.is_none() && !options.compiled {
        // What `build` makes here is there too, although nobody else builds it by default.
        let python = PythonEnvironment::discover(context, options.python.as_deref()).ok();
        let here = python.map(|python| host_variants_of(&project.manifest, &matrix, python.machine()).offers);
        for offer in here.into_iter().flatten() {
            if variants.iter().all(|listed| listed.variant != offer.variant) {
                variants.push(offer);
            }
        }
    }
    let place = options.explain.as_ref().map(|machine| Place::find(context, machine)).transpose()?;
    let explanation = place.map(|place| {
        let host = host_variants_of(&project.manifest, &matrix, &place.machine);
        let there = built(&project.directory);
        let offered = variants.iter().chain(&host.offers).map(|offer| offer.variant.to_string());
        let names = offered.chain(there.iter().cloned()).collect();
        Box::new(place.explain(&Subject { names, there, refusals: host.refusals }))
    });
    let manifest = &project.manifest;
    Ok(VariantsReport {
        kernel: manifest.general.name.value.to_string(),
        framework: Some(manifest.framework()),
        variants,
        published: None,
        explanation,
        findings: Vec::new(),
    })
}

/// What is explained.
struct Subject {
    /// All names to decide about.
    names: BTreeSet<String>,
    /// Those that are built, or published.
    there: BTreeSet<String>,
    /// Backends without a variant.
    refusals: Vec<Refusal>,
}

/// Where it is explained for.
struct Place {
    machine: MachineDescription,
    /// The Python, on this machine.
    python: Option<PythonEnvironment>,
}

impl Place {
    fn find(context: &Context, machine: &Machine) -> Result<Self> {
        match machine {
            Machine::Described(path) => Ok(Self { machine: describe(context, path)?, python: None }),
            Machine::Here(chosen) => {
                let python = PythonEnvironment::discover(context, chosen.as_deref())?;
                Ok(Self { machine: python.machine().clone(), python: Some(python) })
            }
        }
    }

    fn explain(self, subject: &Subject) -> Explanation {
        let Self { machine, python } = self;
        let names: Vec<LoaderName> = subject.names.iter().filter_map(|name| name.parse().ok()).collect();
        let decisions = decide_for(machine.detected_backend(), names.clone(), &machine);
        let on_cpu = decide_for(SystemBackend::cpu(), names, &machine);
        let with_cpu_backend = on_cpu
            .chosen()
            .filter(|_| decisions.backend.backend() != Backend::Cpu)
            .map(LoaderName::to_string);
        let remarks = remarks(&machine, &decisions, with_cpu_backend.as_deref(), python.is_some());
        let entry = |decision: &Decision| DecisionEntry {
            variant: decision.name.to_string(),
            accepted: decision.rejection.is_none(),
            check: decision.rejection.as_ref().map(Reason::check),
            reason: decision.rejection.as_ref().map(ToString::to_string),
            built: subject.there.contains(&decision.name.to_string()),
        };
        Explanation {
            python: python.map(|python| ChosenPython {
                interpreter: python.interpreter.into_string(),
                version: python.version,
                why: python.why,
            }),
            backend: decisions.backend.name_in_variants(),
            decisions: decisions.trace.iter().map(entry).collect(),
            passed_over: decisions.passed_over.iter().map(LoaderName::to_string).collect(),
            refusals: subject.refusals.clone(),
            machine,
            with_cpu_backend,
            remarks,
        }
    }
}

/// TOML or, where the file begins with a brace, JSON.
fn describe(context: &Context, path: &Utf8Path) -> Result<MachineDescription> {
    let wrong = |fault: String| MachineError { path: path.to_owned(), fault };
    let text = regular::named(&context.resolve(path), LARGEST)?;
    let read = if text.trim_start().starts_with('{') {
        serde_json::from_str(&text).map_err(|error| error.to_string())
    } else {
        toml::from_str(&text).map_err(|error| error.to_string().trim_end().to_owned())
    };
    Ok(read.map_err(wrong)?)
}

/// The names of the directories that the loader would find in the project.
fn built(project: &Utf8Path) -> BTreeSet<String> {
    let entries = project.join(BUILT).read_dir_utf8().into_iter().flatten().flatten();
    entries
        .filter(|entry| entry.path().join("metadata.json").is_file())
        .map(|entry| entry.file_name().to_owned())
        .filter(|name| name.parse::<LoaderName>().is_ok_and(|read| read.to_string() == *name))
        .collect()
}

/// The traps: torch decides by what it was compiled for, and a free-threaded Python passes compiled variants over.
fn remarks(
    machine: &MachineDescription,
    decisions: &Decisions,
    with_cpu_backend: Option<&str>,
    here: bool,
) -> Vec<String> {
    let mut remarks = Vec::new();
    let backend = decisions.backend.backend();
    if let (Some(torch), Some(cpu)) = (&machine.torch, with_cpu_backend) {
        let title = backend.row().title;
        let version = decisions.backend.version().map_or_else(String::new, |version| format!(" {version}"));
        let device = match device_is_present(backend).filter(|_| here) {
            Some(false) => format!(", although no {title} device was found"),
            Some(true) => String::new(),
            None => ", whether or not there is a device".to_owned(),
        };
        remarks.push(format!(
            "torch {} was compiled for {title}{version}, so the loader looks for {title} variants here{device}; \
             `get_kernel(…, backend=\"cpu\")` would load `{cpu}`",
            torch.version
        ));
    }
    if !decisions.passed_over.is_empty() {
        remarks.push(
            "this Python is free-threaded and older than 3.15, so the loader takes Python-only variants alone".to_owned(),
        );
    }
    if machine.torch.is_none() {
        remarks.push("torch is not installed, so no torch variant can be loaded".to_owned());
    }
    remarks
}
