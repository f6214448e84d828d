//! Answer of `init`.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{Backend, Finding, KernelName};

/// The project that was made.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct InitReport {
    /// Its directory, relative to the working directory where it lies below it.
    pub directory: String,
    /// The kernel's name.
    pub name: KernelName,
    /// Its repository on the Hub.
    pub repo_id: String,
    /// What it binds to: `torch`, `torch-stable`, `tvm-ffi` or `torch-noarch`.
    pub framework: String,
    /// Its backends.
    pub backends: Vec<Backend>,
    /// The files, relative to the directory.
    pub files: Vec<String>,
    /// Whether the directory lies in a git repository, which then wants the files added.
    pub in_repository: bool,
    /// What is worth knowing.
    pub notes: Vec<Finding>,
}
