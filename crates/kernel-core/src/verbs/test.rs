//! `test`: the project's own suite against what was built, loaded the way users load it. It never builds anything.

use camino::{Utf8Path, Utf8PathBuf};
use kernel_spec::event::Stage;
use kernel_spec::report::TestReport;
use kernel_spec::selection::decide;
use kernel_spec::variant::LoaderName;
use kernel_spec::{Backend, Event};
use miette::Diagnostic;
use thiserror::Error;

use crate::digest::METADATA;
use crate::host::PythonEnvironment;
use crate::project::Project;
use crate::suite::{Suite, keep};
use crate::{Context, Result, artifacts};

/// What `test` is asked for with.
#[derive(Clone, Debug)]
pub struct TestOptions {
    /// The project's directory.
    pub project: Utf8PathBuf,
    /// Variants by name; without any, all that are built and that this machine's loader accepts.
    pub variants: Vec<String>,
    /// The interpreter, or its environment's directory.
    pub python: Option<String>,
    /// Further arguments for pytest.
    pub pytest: Vec<String>,
}

/// Why there is nothing to test.
#[derive(Debug, Error, Diagnostic)]
pub enum TestError {
    /// A variant that was asked for is not built.
    #[error("`{variant}` is not built")]
    #[diagnostic(code("test/no-artifact"), help("build it: `kernel-builder build --variant {variant}`"))]
    NotBuilt {
        /// The variant.
        variant: String,
    },
    /// Nothing that is built can be loaded here.
    #[error("no built variant can be loaded on this machine")]
    #[diagnostic(
        code("test/no-artifact"),
        help(
            "build one with `kernel-builder build`; `kernel-builder variants --explain` says what is accepted here"
        )
    )]
    NoneHere {
        /// What there is, with the loader's reason against each.
        #[source]
        reasons: Option<Reasons>,
    },
}

/// The loader's reasons against what is built.
#[derive(Debug, Error)]
#[error("{}", .0.join("; "))]
pub struct Reasons(Vec<String>);

/// Runs the suite against each chosen variant, one process each.
pub fn test(context: &Context, options: &TestOptions) -> Result<TestReport> {
    let project = Project::open(context, &options.project)?;
    let python = PythonEnvironment::discover(context, options.python.as_deref())?;
    let build = project.directory.join("build");
    let variants = chosen(&build, &options.variants, &python)?;
    let general = &project.manifest.general;
    let repo_ids: Vec<String> = general.hub.repo_id.iter().map(|id| id.value.clone()).collect();
    let mut tested = Vec::new();
    for (variant, backend) in &variants {
        let message = format!("pytest with {}", python.interpreter);
        context.sink.event(&Event::Stage { stage: Stage::Test, variant: Some(variant.clone()), message });
        let suite = Suite {
            interpreter: &python.interpreter,
            project: &project.directory,
            artifact: &build.join(variant),
            variant,
            backend: *backend,
            repo_ids: &repo_ids,
            package: &general.name.python_name(),
            arguments: &options.pytest,
        };
        let answer = suite.run(context)?;
        keep(&project.directory, &answer)?;
        tested.push(answer);
    }
    Ok(TestReport::new(tested))
}

/// The built variants of these names; without names, those that the loader accepts here.
pub(super) fn chosen(
    build: &Utf8Path,
    names: &[String],
    python: &PythonEnvironment,
) -> Result<Vec<(String, Backend)>, TestError> {
    match names {
        [] => loadable(&artifacts::variants_in(build), python),
        named => named.iter().map(|name| named_variant(build, name)).collect(),
    }
}

fn named_variant(build: &Utf8Path, name: &str) -> Result<(String, Backend), TestError> {
    let not_built = || TestError::NotBuilt { variant: name.to_owned() };
    let parsed: LoaderName = name.parse().map_err(|_no_variant_name| not_built())?;
    if !build.join(name).join(METADATA).is_file() {
        return Err(not_built());
    }
    Ok((name.to_owned(), backend_of(&parsed)))
}

/// A universal variant is tested on the CPU, which every machine has.
fn backend_of(name: &LoaderName) -> Backend {
    match name {
        LoaderName::Arch { compute, .. } => compute.backend(),
        LoaderName::Noarch(name) => {
            Backend::all().find(|backend| backend.row().noarch_name == name).unwrap_or(Backend::Cpu)
        }
    }
}

/// Those the loader accepts, for the machine's own backend first and then for the CPU, in its order of preference.
fn loadable(built: &[Utf8PathBuf], python: &PythonEnvironment) -> Result<Vec<(String, Backend)>, TestError> {
    let mut accepted: Vec<(String, Backend)> = Vec::new();
    let mut reasons = Vec::new();
    for requested in [None, Some(Backend::Cpu)] {
        let names = built.iter().filter_map(|directory| directory.file_name()?.parse::<LoaderName>().ok());
        let Ok(decisions) = decide(names, python.machine(), requested) else { continue };
        for decision in decisions.trace {
            let name = decision.name.to_string();
            match decision.rejection {
                Some(reason) => reasons.push(format!("`{name}`: {reason}")),
                None if accepted.iter().any(|(known, _)| *known == name) => {}
                None => accepted.push((name, decisions.backend.backend())),
            }
        }
    }
    if accepted.is_empty() {
        reasons.dedup();
        return Err(TestError::NoneHere { reasons: (!reasons.is_empty()).then_some(Reasons(reasons)) });
    }
    Ok(accepted)
}
