//! All generated files of one variant's build directory.

use std::collections::BTreeMap;

use kernel_spec::plan::{HipifyStep, Plan};

use serde_json::json;

use super::escape::Unwritable;
use super::ninja::{self, Tools};
use super::{FileSet, templates};
use crate::plan::rocm::{HIPIFIED, hipified};
use crate::toolchain::sysroot::compat;

/// The files of a variant; `stamp` says what the toolchain is, and changes exactly when objects could.
pub fn files(plan: &Plan, tools: &Tools, stamp: &str) -> Result<FileSet, Unwritable> {
    let mut files = FileSet::default();
    let Some(library) = &plan.library else {
        return Ok(files);
    };
    let is_python_module = library.file_name.ends_with(".abi3.so");
    for (name, text) in ninja::variant(&plan.variant, library)? {
        files.insert(name, text);
    }
    files.insert("toolchain.ninja", tools.render()?);
    files.insert("toolchain.stamp", stamp);
    files.insert(library.identity.source.clone(), templates::identity(&plan.kernel.id, is_python_module));
    let is_darwin = plan.variant.ends_with("-darwin");
    files.insert(library.link.version_script.clone(), templates::exports(plan.framework, is_darwin));
    if let Some(step) = &library.metal {
        let path = format!("{}/{}", ninja::build_directory(&plan.variant), step.output);
        files.insert(step.source.clone(), templates::metallib(&path));
        files.insert("include/embedded_metallib.h", templates::embedded_metallib());
    }
    if let Some(step) = &library.hipify {
        files.insert(ninja::HIPIFY.0, templates::hipify());
        files.insert(ninja::HIPIFY.1, hipify_list(step));
    }
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

/// What `hipify.py` is told. Its own outputs are relative to where it writes.
fn hipify_list(step: &HipifyStep) -> String {
    let inside = |path: &String| hipified(path)[HIPIFIED.len() + 1..].to_owned();
    let inputs: BTreeMap<&String, String> = step.inputs.iter().map(|path| (path, inside(path))).collect();
    format!("{:#}\n", json!({ "inputs": inputs, "sources": step.sources, "include": step.include }))
}
