//! `ide`: what an editor needs to know of a project, from the plan and nothing else: the exact command of every source,
//! with headers and generated files in place. Nothing is compiled.

use camino::Utf8Path;
use kernel_spec::plan::{Language, Library};
use kernel_spec::report::IdeReport;
use serde_json::{Value, json};

use crate::engine::local::prepare;
use crate::render::ninja::{HIP_CLANG, NVCC, WORK, build_directory};
use crate::verbs::build::{job, links};
use crate::verbs::plan::{Drafting, PlanOptions};
use crate::workspace_lock::WorkspaceLock;
use crate::{Context, Result, atomic, regular};

/// Name of the database, in the project's state directory.
const DATABASE: &str = "compile_commands.json";

/// clangd's own settings of a project.
const CLANGD: &str = ".clangd";

/// Where the database is, and which options of nvcc clangd does not know.
const SETTINGS: &str = "# Written once by `kernel-builder ide`; it is yours now.\nCompileFlags:\n  \
    CompilationDatabase: .kernel-builder\n  \
    Remove: [-gencode*, --generate-code*, --threads*, -ccbin, -Xcudafe*, --expt-*, -Xcompiler*, -objtemp]\n";

/// Writes the database for the chosen variants, and clangd's settings where the project has none.
pub fn ide(context: &Context, options: &PlanOptions) -> Result<IdeReport> {
    let drafting = Drafting::open(context, options)?;
    let project = &drafting.project.directory;
    links::refuse(project, false)?;
    let _lock = WorkspaceLock::acquire(context, project)?;
    let mut report = IdeReport { variants: Vec::new(), commands: 0, files: Vec::new(), kept: Vec::new() };
    let mut entries = Vec::new();
    for variant in &drafting.variants {
        let draft = drafting.draft(variant)?;
        let (Some(library), Some(toolchain)) = (&draft.plan.library, &draft.toolchain) else { continue };
        prepare(project, &job(&draft)?)?;
        entries.extend(commands(project, &draft.plan.variant, library, &toolchain.tools().cxx));
        report.variants.push(draft.plan.variant.clone());
    }
    report.commands = entries.len();
    let database = project.join(WORK).join(DATABASE);
    let text = serde_json::to_string_pretty(&entries).map_err(std::io::Error::from)? + "\n";
    if !regular::holds(&database, text.as_bytes()) {
        atomic::write(&database, text.as_bytes())?;
    }
    report.files.push(database.into_string());
    let settings = project.join(CLANGD);
    if fs_err::symlink_metadata(&settings).is_err() {
        atomic::write(&settings, SETTINGS.as_bytes())?;
    }
    // Also where it was there before: what stands in it was somebody's decision.
    let ours = regular::holds(&settings, SETTINGS.as_bytes());
    let list = if ours { &mut report.files } else { &mut report.kept };
    list.push(settings.into_string());
    Ok(report)
}

/// The entries of a variant, in clang's form of a compilation database.
fn commands(project: &Utf8Path, variant: &str, library: &Library, cxx: &[String]) -> Vec<Value> {
    let build = build_directory(variant);
    let entry = |step: &kernel_spec::plan::CompileStep| {
        let object = format!("{build}/{}", step.object);
        let driver = match step.language {
            Language::Cuda => {
                let program = cxx.iter().take(1).cloned();
                [format!("{build}/{NVCC}"), "-ccbin".to_owned()].into_iter().chain(program).collect()
            }
            Language::Hip => vec![format!("{build}/{HIP_CLANG}"), "-x".to_owned(), "hip".to_owned()],
            Language::C => cxx.iter().cloned().chain(["-x", "c"].map(str::to_owned)).collect(),
            _ => cxx.to_vec(),
        };
        let flags = step.flags.iter().flat_map(|flag| flag.arguments(&build));
        let rest = ["-c", step.source.as_str(), "-o", object.as_str()].map(str::to_owned);
        let arguments: Vec<String> = driver.into_iter().chain(flags).chain(rest).collect();
        json!({ "directory": project, "file": step.source, "arguments": arguments, "output": object })
    };
    library.compile.iter().map(entry).collect()
}
