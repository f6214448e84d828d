//! `shell`: a program, or a person's own shell, in the environment of one variant: the Python that it is built for comes
//! first, the compilers are those of its build, and the loader finds what was built.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use kernel_spec::event::Stage;
use kernel_spec::report::ShellReport;
use kernel_spec::variant::Variant;
use kernel_spec::{Event, Finding, code};

use crate::digest::METADATA;
use crate::process::{Command, End};
use crate::seal::BUILD_DIRECTORY;
use crate::verbs::plan::{Drafting, PlanOptions};
use crate::{Context, Result};

/// The shell where the user has none.
const SHELL: &str = "/bin/sh";

/// What to run, and for which variant.
#[derive(Clone, Debug)]
pub struct ShellOptions {
    /// The project, the variant and the Python.
    pub plan: PlanOptions,
    /// The program and its arguments; without it the user's shell.
    pub command: Vec<String>,
    /// Whether standard output is taken, so that the program's goes to standard error.
    pub output_is_taken: bool,
}

/// Runs it to its end.
pub fn shell(context: &Context, options: &ShellOptions) -> Result<ShellReport> {
    let drafting = Drafting::open(context, &options.plan)?;
    // The first is the one that the loader prefers.
    let variant = drafting.variants.first().map(ToString::to_string).unwrap_or_default();
    let mut variables = BTreeMap::from([("KERNEL_BUILDER_VARIANT".to_owned(), variant.clone())]);
    variables.extend(python(context, &drafting.python.interpreter));
    if let Some(arch) = drafting.variants.first().and_then(Variant::arch) {
        let toolchain = drafting.toolchain(arch, true)?;
        variables.insert("CXX".to_owned(), toolchain.tools().cxx.join(" "));
        let parts = [("cuda", "CUDA_HOME"), ("hip", "ROCM_PATH")];
        variables.extend(
            parts
                .into_iter()
                .filter_map(|(part, name)| Some((name.to_owned(), toolchain.parts.get(part)?.to_string()))),
        );
    }
    // Where no colon and no equals sign is: `LOCAL_KERNELS` splits there.
    let scratch = tempfile::Builder::new().prefix("kernel-builder-shell-").tempdir()?;
    let directory = drafting.project.directory.join(BUILD_DIRECTORY).join(&variant);
    let built = directory.join(METADATA).is_file();
    let repository = drafting.project.manifest.general.hub.repo_id.as_ref().map(|id| id.value.as_str());
    if let (true, Some(repository), Some(root)) = (built, repository, Utf8Path::from_path(scratch.path())) {
        let place = root.join(BUILD_DIRECTORY);
        fs_err::create_dir(&place)?;
        fs_err::os::unix::fs::symlink(&directory, place.join(&variant))?;
        variables.insert("LOCAL_KERNELS".to_owned(), format!("{repository}={root}"));
    }
    let own = context.environment.get("SHELL").unwrap_or(SHELL);
    let command = if options.command.is_empty() { vec![own.to_owned()] } else { options.command.clone() };
    let loaded = if built { "the loader finds its build" } else { "it is not built" };
    let message = format!("environment of {variant}; {loaded}");
    context.sink.event(&Event::Stage { stage: Stage::Plan, variant: None, message });
    let (program, arguments) =
        command.split_first().map_or((SHELL, &[][..]), |(first, rest)| (first.as_str(), rest));
    let start = Command::new(program).arguments(arguments);
    let start =
        variables.iter().fold(start, |start, (name, value)| start.variable(name.as_str(), value.as_str()));
    let end = start.foreground(context, options.output_is_taken)?;
    let failed = !options.command.is_empty() && end != End::Exited(0);
    let findings = failed.then(|| Finding::error(&code::run::FAILED, format!("`{program}` {end}")));
    Ok(ShellReport {
        variant,
        built,
        variables,
        end: end.to_string(),
        findings: findings.into_iter().collect(),
        command,
    })
}

/// What makes an interpreter the one that its name starts.
fn python(context: &Context, interpreter: &Utf8Path) -> BTreeMap<String, String> {
    let mut variables = BTreeMap::new();
    let Some(programs) = interpreter.parent() else { return variables };
    let path = context.environment.get("PATH").unwrap_or_default();
    variables.insert("PATH".to_owned(), format!("{programs}:{path}"));
    let environment: Option<Utf8PathBuf> = programs.parent().map(Utf8Path::to_owned);
    if let Some(environment) = environment.filter(|environment| environment.join("pyvenv.cfg").is_file()) {
        variables.insert("VIRTUAL_ENV".to_owned(), environment.into_string());
    }
    variables
}
