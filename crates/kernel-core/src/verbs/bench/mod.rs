//! `bench`: is the kernel right, and is it faster than what it replaces? It never builds anything.

mod compare;
mod merge;
mod news;
pub(crate) mod next;
mod referee;
pub(crate) mod targets;

use camino::{Utf8Path, Utf8PathBuf};
use kernel_bench::report::Document;
use kernel_spec::Backend;
use kernel_spec::report::BenchReport;

use referee::Referee;

pub use compare::{CompareOptions, compare};
pub use merge::{MergeOptions, merge};
pub(super) use news::{of_suite, speedup};
pub use targets::Target as RequestedTarget;

use super::subject::{Asked, Fetched, chosen, fetch};
use crate::bench::{Bench, BenchError, DOCUMENTS, Form, Options, Outcome, Target, compatible, write};
use crate::host::PythonEnvironment;
use crate::project::Project;
use crate::published::Reference;
use crate::seal::BUILD_DIRECTORY;
use crate::upload::contents::BENCHMARKS;
use crate::{Context, Result, regular};

/// What `bench` is asked for with.
#[derive(Clone, Debug)]
pub struct BenchOptions {
    /// The project's directory, or a published kernel.
    pub project: Utf8PathBuf,
    /// Whether the code of a publisher whom the loader does not trust may run.
    pub trust_remote_code: bool,
    /// Variants by name; without any, the one that the loader takes here.
    pub variants: Vec<String>,
    /// The interpreter, or its environment's directory.
    pub python: Option<String>,
    /// News that is to be a failure.
    pub fail_on: Vec<FailOn>,
    /// Where the document goes; without it, below `.kernel-builder`.
    pub output: Option<Utf8PathBuf>,
    /// The document of an earlier run to compare with.
    pub against: Option<Utf8PathBuf>,
    /// Whose scripts judge: a directory or a commit; the project's own without it.
    pub judge_from: Option<String>,
    /// Where the form of `kernels benchmark` goes, if it is wanted.
    pub compatible: Option<Utf8PathBuf>,
    /// Further forms of the result.
    pub forms: Vec<Form>,
    /// How to measure; its `output` is set for each variant.
    pub measuring: Options,
}

/// News that is a failure only if somebody asks for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailOn {
    /// Slower somewhere or as a whole.
    Slower,
    /// Anything but an improvement.
    NotFaster,
    /// The measurements do not tell.
    Inconclusive,
    /// Anything but an improvement, each verdict under its own code.
    NotImproved,
}

/// Measures each chosen variant.
pub fn bench(context: &Context, options: &BenchOptions) -> Result<BenchReport> {
    let mut measuring = options.measuring.clone();
    measuring.settings = measuring.settings.checked().map_err(BenchError::Settings)?;
    let saved = options.against.as_ref().map(|path| saved(&context.resolve(path))).transpose()?;
    let subject = match Reference::parse(options.project.as_str()) {
        Some(reference) => Subject::published(context, options, reference)?,
        None => Subject::built(context, options)?,
    };
    let Subject { directory, referee, python, variants, .. } = &subject;
    let mut report = BenchReport { variants: Vec::new(), findings: referee.findings(), next: Vec::new() };
    for (variant, backend) in variants {
        measuring.output = document_path(context, options, &subject.documents, variant, variants.len());
        let mut outcome =
            measure(context, directory, python, (variant, *backend), &measuring, &referee.scripts)?;
        let incomparable = saved.as_ref().and_then(|saved| outcome.document.hold_against(saved).err());
        let forms = write_forms(context, options, &outcome.document, &measuring.output, &referee.scripts)?;
        news::add(&outcome, variant, options, directory, &mut report);
        report.findings.extend(incomparable.map(news::incomparable));
        if let Some(variant) = report.variants.last_mut() {
            variant.document = measuring.output.to_string();
            variant.reports = forms;
        }
    }
    report.next = next::command(&report.variants, options);
    Ok(report)
}

/// What is measured, and by whose scripts.
struct Subject {
    /// Holds `build` and `benchmarks`.
    directory: Utf8PathBuf,
    referee: Referee,
    python: PythonEnvironment,
    variants: Vec<(String, Backend)>,
    /// Where documents go that are put nowhere else.
    documents: Utf8PathBuf,
}

impl Subject {
    fn built(context: &Context, options: &BenchOptions) -> Result<Self> {
        let directory = Project::open(context, &options.project)?.directory;
        let referee = Referee::choose(&directory, options.judge_from.as_deref())?;
        let python = PythonEnvironment::discover(context, options.python.as_deref())?;
        let mut variants = chosen(&directory.join(BUILD_DIRECTORY), &options.variants, &python)?;
        if options.variants.is_empty() {
            variants.truncate(1);
        }
        let documents = directory.join(DOCUMENTS);
        Ok(Self { directory, referee, python, variants, documents })
    }

    /// A published kernel comes with its publisher's scripts.
    fn published(context: &Context, options: &BenchOptions, reference: Reference) -> Result<Self> {
        let python = PythonEnvironment::discover(context, options.python.as_deref())?;
        let asked =
            Asked { reference, names: &options.variants, best: true, trusted: options.trust_remote_code };
        let Fetched { snapshot, root: directory, variants, .. } = fetch(context, asked, &python)?;
        snapshot.fetch(context, BENCHMARKS)?;
        let judge =
            options.judge_from.as_deref().map(|from| context.resolve(Utf8Path::new(from)).into_string());
        let referee = Referee::choose(&directory, judge.as_deref())?;
        let Reference { owner, name, revision } = &snapshot.reference;
        let documents = context.working_directory.join(DOCUMENTS).join("published");
        let documents = documents.join(owner).join(name).join(revision);
        Ok(Self { directory, referee, python, variants, documents })
    }
}

/// No document of a run comes near this size in bytes.
const LARGEST: u64 = 1 << 30;

/// The document of an earlier run.
pub(super) fn saved(path: &Utf8Path) -> Result<Document, BenchError> {
    let unreadable = |reason: String| BenchError::Saved { path: path.to_owned(), reason };
    let text = regular::text(path, LARGEST).map_err(|error| unreadable(error.to_string()))?;
    serde_json::from_str(&text).map_err(|error| unreadable(error.to_string()))
}

/// Writes the document once more, now that nothing is added to it, and its other forms.
fn write_forms(
    context: &Context,
    options: &BenchOptions,
    document: &Document,
    path: &Utf8Path,
    scripts: &[Utf8PathBuf],
) -> Result<Vec<String>, BenchError> {
    write(document, path)?;
    if let Some(path) = &options.compatible {
        compatible::write(document, scripts, &context.resolve(path))?;
    }
    options.forms.iter().map(|form| Ok(form.write(document, path)?.into_string())).collect()
}

fn document_path(
    context: &Context,
    options: &BenchOptions,
    documents: &Utf8Path,
    variant: &str,
    variants: usize,
) -> Utf8PathBuf {
    match &options.output {
        Some(path) if variants == 1 => context.resolve(path),
        Some(path) => {
            let stem = path.file_stem().unwrap_or("bench");
            context.resolve(&path.with_file_name(format!("{stem}-{variant}.json")))
        }
        None => documents.join(format!("{variant}.json")),
    }
}

fn measure(
    context: &Context,
    project: &Utf8Path,
    python: &PythonEnvironment,
    (variant, backend): (&str, Backend),
    options: &Options,
    scripts: &[Utf8PathBuf],
) -> Result<Outcome> {
    let artifact = project.join("build").join(variant);
    let target = Target { interpreter: &python.interpreter, project, artifact: &artifact, variant, backend };
    Bench::new(context, target, options)?.run(scripts)
}
