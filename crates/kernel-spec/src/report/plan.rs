//! The answer of `plan`.

use schemars::JsonSchema;
use serde::Serialize;

use crate::Plan;

/// The answer of `plan`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PlanReport {
    /// One plan for each variant.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub plans: Vec<Plan>,
    /// The build matrix, where that was asked for instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matrix: Option<BuildMatrix>,
}

/// The jobs of a build matrix, in the form that GitHub Actions expands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BuildMatrix {
    /// One job for each variant.
    pub include: Vec<BuildJob>,
}

/// A job that builds one variant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct BuildJob {
    /// The variant.
    pub variant: String,
    /// Label of a machine that can build it.
    pub runner: String,
    /// Section of the manifest: `torch`, `tvm-ffi` or `torch-noarch`.
    pub framework: String,
    /// Version of the framework to install.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub framework_version: Option<String>,
    /// MiB that one of its compiles may need; none where nothing is compiled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_mib: Option<u64>,
    /// Changes exactly when the variant has to be built anew.
    pub cache_key: String,
}
