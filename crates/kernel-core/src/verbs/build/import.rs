//! Importing: the engine's library, the package's files and `_ops.py` become the directory of a variant.

use camino::{Utf8Path, Utf8PathBuf};

use crate::engine::Built;
use crate::project::Project;
use crate::render::templates;
use crate::verbs::plan::Draft;
use crate::{Context, Result};

/// Places everything of a variant.
pub(super) fn import(
    _context: &Context,
    project: &Project,
    draft: &Draft,
    built: &Built,
    output: &Utf8Path,
) -> Result<Utf8PathBuf> {
    let plan = &draft.plan;
    let partial = output.join(format!(".{}.partial", plan.variant));
    if partial.exists() {
        fs_err::remove_dir_all(&partial)?;
    }
    fs_err::create_dir_all(&partial)?;
    place(project, draft, built, &partial)?;
    let metadata = serde_json::json!({
        "name": plan.kernel.name, "id": plan.kernel.id, "version": plan.kernel.version,
        "license": project.manifest.general.license.value, "python-depends": [], "backend": {"type": plan.backend},
    });
    fs_err::write(partial.join("metadata.json"), serde_json::to_vec_pretty(&metadata).unwrap_or_default())?;
    let finished = output.join(&plan.variant);
    if finished.exists() {
        fs_err::remove_dir_all(&finished)?;
    }
    fs_err::rename(&partial, &finished)?;
    Ok(finished)
}

fn place(project: &Project, draft: &Draft, built: &Built, partial: &Utf8Path) -> Result<()> {
    let plan = &draft.plan;
    for file in &plan.package {
        let target = partial.join(&file.destination);
        if let Some(parent) = target.parent() {
            fs_err::create_dir_all(parent)?;
        }
        fs_err::copy(project.directory.join(&file.source), target)?;
    }
    let ops = match (&plan.library, built.libraries.get(&plan.variant)) {
        (Some(library), Some(made)) => {
            fs_err::copy(made, partial.join(&library.file_name))?;
            templates::ops(plan.framework, &plan.kernel.id)
        }
        _ => templates::noarch_ops(&plan.kernel.id, None, None),
    };
    fs_err::write(partial.join("_ops.py"), ops)?;
    Ok(())
}
