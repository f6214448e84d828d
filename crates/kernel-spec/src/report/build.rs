//! The answer of `build`: what was made, and what every variant's making took.

use schemars::JsonSchema;
use serde::Serialize;

use crate::Finding;
use crate::plan::Profile;

/// The answer of `build`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BuildReport {
    /// Each variant, in the order asked for.
    pub variants: Vec<BuiltVariant>,
    /// What was found on the way.
    pub findings: Vec<Finding>,
    /// The command that usually comes next, argument by argument.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub next: Vec<String>,
}

/// One finished variant.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BuiltVariant {
    /// Its name.
    pub variant: String,
    /// Its directory.
    pub directory: String,
    /// The id of this state of the kernel.
    pub id: String,
    /// How it was compiled.
    pub profile: Profile,
    /// What had to be done.
    pub work: Work,
    /// How commands were confined: `bubblewrap` or `off`; absent where none ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<String>,
    /// The steps that ran, in the order they finished.
    pub steps: Vec<String>,
}

/// How much of a variant was made anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Work {
    /// Compilers or linkers ran, or files were placed anew.
    Built,
    /// Only the commit was written anew.
    Restamped,
    /// Nothing had changed.
    UpToDate,
}
