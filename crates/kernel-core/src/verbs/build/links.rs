//! A build writes below its project and nowhere else: a link in a checkout must not lead it to other folders.

use camino::{Utf8Path, Utf8PathBuf};
use miette::Diagnostic;
use thiserror::Error;

use crate::render::ninja::WORK;
use crate::seal::BUILD_DIRECTORY;

/// A folder that a build writes to is elsewhere.
#[derive(Debug, Error, Diagnostic)]
#[error("`{folder}` is a link that leads out of the project, to `{target}`")]
#[diagnostic(code("artifact/link"), help("remove the link; `build --out DIR` puts variants elsewhere"))]
pub struct LeadsOut {
    /// The folder, relative to the project.
    pub folder: String,
    /// Where it leads.
    pub target: Utf8PathBuf,
}

/// Refuses a project whose working folder, or whose `build` where that is written to, is outside of it.
pub(crate) fn refuse(project: &Utf8Path, writes_build: bool) -> Result<(), Box<LeadsOut>> {
    let Ok(root) = project.canonicalize_utf8() else { return Ok(()) };
    for folder in [WORK, BUILD_DIRECTORY].into_iter().take(1 + usize::from(writes_build)) {
        // What is not there yet will be made as a folder.
        let Ok(target) = project.join(folder).canonicalize_utf8() else { continue };
        if !target.starts_with(&root) {
            return Err(Box::new(LeadsOut { folder: folder.to_owned(), target }));
        }
    }
    Ok(())
}
