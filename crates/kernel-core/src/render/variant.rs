//! All generated files of one variant's build directory.

use kernel_spec::plan::Plan;

use super::escape::Unwritable;
use super::ninja::{self, Tools};
use super::{FileSet, templates};
use crate::toolchain::sysroot::compat;

/// The files of a variant; `stamp` says what the toolchain is, and changes exactly when objects could.
pub fn files(plan: &Plan, tools: &Tools, stamp: &str) -> Result<FileSet, Unwritable> {
    let mut files = FileSet::default();
    let Some(library) = &plan.library else {
        return Ok(files);
    };
    let is_python_module = library.file_name.ends_with(".abi3.so");
    files.insert("build.ninja", ninja::variant(&plan.variant, library)?);
    files.insert("toolchain.ninja", tools.render()?);
    files.insert("toolchain.stamp", stamp);
    files.insert(library.identity.source.clone(), templates::identity(&plan.kernel.id, is_python_module));
    files.insert(library.link.version_script.clone(), templates::exports(plan.framework));
    if is_python_module {
        files.insert("include/registration.h", templates::registration());
    }
    if !library.link.compatibility.is_empty() {
        for (name, text) in compat::SOURCES {
            files.insert(format!("compat/{name}"), *text);
        }
    }
    Ok(files)
}
