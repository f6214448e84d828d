//! `test`: the project's own suite against what was built or is published, loaded the way users load it, and then the gates
//! of the operations that it declares. It never builds anything.

use camino::Utf8PathBuf;
use kernel_spec::event::Stage;
use kernel_spec::report::TestReport;
use kernel_spec::{Backend, Event, ExitClass};
use miette::Diagnostic;
use thiserror::Error;

use super::next;
use super::subject::{Asked, chosen, fetch};
use crate::bench::Target;
use crate::gates;
use crate::host::PythonEnvironment;
use crate::project::Project;
use crate::published::Reference;
use crate::seal::BUILD_DIRECTORY;
use crate::suite::{Suite, keep};
use crate::{Context, Result, regular};

/// What `test` is asked for with.
#[derive(Clone, Debug)]
pub struct TestOptions {
    /// The project's directory, or a published kernel.
    pub project: Utf8PathBuf,
    /// The directory whose tests run against a published kernel.
    pub tests: Utf8PathBuf,
    /// Whether the code of a publisher whom the loader does not trust may run.
    pub trust_remote_code: bool,
    /// Variants by name; without any, all that are built and that this machine's loader accepts.
    pub variants: Vec<String>,
    /// The interpreter, or its environment's directory.
    pub python: Option<String>,
    /// Further arguments for pytest.
    pub pytest: Vec<String>,
    /// How declared operations are examined.
    pub gates: gates::Options,
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
pub struct Reasons(pub(super) Vec<String>);

/// Runs the suite against each chosen variant, one process each.
pub fn test(context: &Context, options: &TestOptions) -> Result<TestReport> {
    let (subject, python) = match Reference::parse(options.project.as_str()) {
        Some(reference) => published(context, options, reference)?,
        None => built(context, options)?,
    };
    // A file with faults ends it before the first test runs.
    let declared = gates::declared(&subject.tests)?;
    let mut tested = Vec::new();
    for (variant, backend) in &subject.variants {
        let message = format!("pytest with {}", python.interpreter);
        context.sink.event(&Event::Stage { stage: Stage::Test, variant: Some(variant.clone()), message });
        let suite = Suite {
            interpreter: &python.interpreter,
            project: &subject.tests,
            artifact: &subject.build.join(variant),
            variant,
            backend: *backend,
            repo_ids: &subject.repo_ids,
            package: &subject.package,
            arguments: &options.pytest,
        };
        let mut answer = suite.run(context)?;
        answer.level = options.gates.level;
        if let Some(declared) = &declared {
            let target = Target {
                interpreter: &python.interpreter,
                project: &subject.tests,
                artifact: suite.artifact,
                variant,
                backend: *backend,
            };
            answer.operations = gates::examine(context, target, declared, options.gates)?;
        }
        if subject.own {
            keep(&subject.tests, &answer)?;
        }
        tested.push(answer);
    }
    let mut report = TestReport::new(tested);
    if report.exit() == ExitClass::Success && Reference::parse(options.project.as_str()).is_none() {
        report.next = next::command(&["bench"], &options.project, options.python.as_deref());
    }
    Ok(report)
}

/// What is tested, and by whose tests.
struct Subject {
    /// The directory in which pytest runs.
    tests: Utf8PathBuf,
    /// The directory of the variants.
    build: Utf8PathBuf,
    /// Names under which the tests may ask for the kernel.
    repo_ids: Vec<String>,
    /// Name of the Python package.
    package: String,
    variants: Vec<(String, Backend)>,
    /// Whether the variants are the project's own, so that the results are kept beside them.
    own: bool,
}

fn built(context: &Context, options: &TestOptions) -> Result<(Subject, PythonEnvironment)> {
    let project = Project::open(context, &options.project)?;
    let python = PythonEnvironment::discover(context, options.python.as_deref())?;
    let build = project.directory.join(BUILD_DIRECTORY);
    let general = &project.manifest.general;
    let subject = Subject {
        variants: chosen(&build, &options.variants, &python)?,
        build,
        repo_ids: general.hub.repo_id.iter().map(|id| id.value.clone()).collect(),
        package: general.name.python_name(),
        tests: project.directory,
        own: true,
    };
    Ok((subject, python))
}

fn published(
    context: &Context,
    options: &TestOptions,
    reference: Reference,
) -> Result<(Subject, PythonEnvironment)> {
    let tests = context.resolve(&options.tests);
    regular::named_directory(&tests)?;
    let python = PythonEnvironment::discover(context, options.python.as_deref())?;
    let asked =
        Asked { reference, names: &options.variants, best: false, trusted: options.trust_remote_code };
    let fetched = fetch(context, asked, &python)?;
    let subject = Subject {
        tests,
        build: fetched.root.join(BUILD_DIRECTORY),
        repo_ids: vec![fetched.snapshot.reference.id()],
        package: fetched.package,
        variants: fetched.variants,
        own: false,
    };
    Ok((subject, python))
}
