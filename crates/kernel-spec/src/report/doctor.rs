//! Answer of `doctor`.

use schemars::JsonSchema;
use serde::Serialize;

use crate::Finding;

/// What this machine has and what it can do.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DoctorReport {
    /// The tools that were looked for.
    pub tools: Vec<ToolState>,
    /// What can be done here.
    pub abilities: Vec<Ability>,
    /// What will surprise the user of this machine.
    pub findings: Vec<Finding>,
}

/// One tool or package.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ToolState {
    /// Its name.
    pub name: String,
    /// Its version, where it was found and says one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Where it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Why it cannot be used; also that it is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// Something a user may want to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Ability {
    /// What, for example ``build with torch for the CPU``.
    pub what: String,
    /// What is missing for it, each with what to do; empty where it can be done.
    pub missing: Vec<String>,
}
