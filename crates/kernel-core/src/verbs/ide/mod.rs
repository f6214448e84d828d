//! `ide`: what an editor needs to know of a project, from the plan and nothing else: the exact command of every source,
//! with headers and generated files in place, the types of its operators, and how its tests run. Nothing is compiled.

mod stub;

use camino::{Utf8Path, Utf8PathBuf};
use kernel_spec::Located;
use kernel_spec::manifest::Binding;
use kernel_spec::plan::{Language, Library};
use kernel_spec::report::IdeReport;
use serde_json::{Value, json};

use crate::engine::local::prepare;
use crate::inputs::OPERATORS;
use crate::render::ninja::{HIP_CLANG, NVCC, WORK, build_directory};
use crate::verbs::build::{job, links};
use crate::verbs::plan::{Drafting, PlanOptions};
use crate::workspace_lock::WorkspaceLock;
use crate::{Context, Project, Result, regular, written};

/// Name of the database, in the project's state directory.
const DATABASE: &str = "compile_commands.json";

/// clangd's own settings of a project.
const CLANGD: &str = ".clangd";

/// Where the database is, and which options of nvcc clangd does not know.
const COMPILATION: &str = "# Written once by `kernel-builder ide`; it is yours now.\nCompileFlags:\n  \
    CompilationDatabase: .kernel-builder\n  \
    Remove: [-gencode*, --generate-code*, --threads*, -ccbin, -Xcudafe*, --expt-*, -Xcompiler*, -objtemp]\n";

/// Variables for tests that an editor runs, in the project's state directory.
const VARIABLES: &str = "tests.env";

/// Settings of Visual Studio Code.
const VSCODE: &str = ".vscode/settings.json";

/// Which tests there are, and with which variables they run.
const TESTS: &str = "{\n  \"python.testing.pytestEnabled\": true,\n  \"python.testing.pytestArgs\": [\"tests\"],\n  \
    \"python.envFile\": \"${workspaceFolder}/.kernel-builder/tests.env\"\n}\n";

/// The files of settings beside the sources.
pub(super) const SETTINGS: [(&str, &str); 2] = [(CLANGD, COMPILATION), (VSCODE, TESTS)];

/// Writes the database for the chosen variants, and what editors need beside it; what somebody wrote or edited stays.
pub fn ide(context: &Context, options: &PlanOptions) -> Result<IdeReport> {
    let drafting = Drafting::open(context, options)?;
    let project = &drafting.project.directory;
    links::refuse(project, false)?;
    let _lock = WorkspaceLock::acquire(context, project)?;
    let mut report = IdeReport::default();
    let mut entries = Vec::new();
    for variant in &drafting.variants {
        let draft = drafting.draft(variant)?;
        let (Some(library), Some(toolchain)) = (&draft.plan.library, &draft.toolchain) else { continue };
        prepare(project, &job(&draft)?)?;
        entries.extend(commands(project, &draft.plan.variant, library, &toolchain.tools().cxx));
        report.variants.push(draft.plan.variant.clone());
    }
    report.commands = entries.len();
    let text = serde_json::to_string_pretty(&entries).map_err(std::io::Error::from)? + "\n";
    let database = format!("{WORK}/{DATABASE}");
    // Its compile commands are of the plan and of nothing else.
    put(&mut report, project, &database, &text)?;
    for (path, text) in SETTINGS {
        settle(&mut report, project, path, text)?;
    }
    settle(&mut report, project, &format!("{WORK}/{VARIABLES}"), &variables(&drafting.project))?;
    operators(&mut report, &drafting.project)?;
    Ok(report)
}

/// Puts a file of ours into its place. What somebody else wrote there, or edited since, was a decision and stays.
fn settle(report: &mut IdeReport, project: &Utf8Path, path: &str, text: &str) -> std::io::Result<()> {
    let place = project.join(path);
    let is_there = fs_err::symlink_metadata(&place).is_ok();
    if is_there && !regular::holds(&place, text.as_bytes()) && !written::is_as_written(project, path) {
        report.kept.push(place.into_string());
        return Ok(());
    }
    put(report, project, path, text)
}

/// Writes a file where it is not as it should be.
fn put(report: &mut IdeReport, project: &Utf8Path, path: &str, text: &str) -> std::io::Result<()> {
    let place = project.join(path).into_string();
    if !regular::holds(Utf8Path::new(&place), text.as_bytes()) {
        written::write(project, path, text.as_bytes())?;
        report.written.push(place.clone());
    }
    report.files.push(place);
    Ok(())
}

/// Lets an editor run the tests as `test` does: with the loader pointed at what is built here.
fn variables(project: &Project) -> String {
    let directory = &project.directory;
    let repository = project.manifest.general.hub.repo_id.as_ref();
    // The loader splits its variable at these.
    let repository = repository.filter(|_| !directory.as_str().contains([':', '=', '\n']));
    repository.map_or_else(String::new, |id| format!("LOCAL_KERNELS={}={directory}\n", id.value))
}

/// Writes the types of the operators beside the package's modules, where `_ops` would be. It never ships.
fn operators(report: &mut IdeReport, project: &Project) -> Result<()> {
    let Project { directory, manifest, .. } = project;
    let listed: &[Located<String>] = match &manifest.binding {
        Binding::Torch(torch) => &torch.common.sources,
        Binding::TvmFfi(tvm_ffi) => &tvm_ffi.common.sources,
        Binding::TorchNoarch(_) => &[],
    };
    let mut sources = Vec::new();
    for source in listed {
        sources.push(String::from_utf8_lossy(&fs_err::read(directory.join(&source.value))?).into_owned());
    }
    let text = stub::stub(manifest.framework(), sources.iter().map(String::as_str));
    let path = Utf8PathBuf::from(manifest.package_directory()).join(OPERATORS);
    Ok(settle(report, directory, path.as_str(), &text)?)
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
