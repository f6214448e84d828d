//! Answer of `skills`.

use schemars::JsonSchema;
use serde::Serialize;

/// The skills for agents.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SkillsReport {
    /// Of `list`: those that come with the program.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skills: Vec<Skill>,
    /// Of `add`: those that are in place now.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub installed: Vec<InstalledSkill>,
}

/// A skill.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Skill {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// The version of the program that it speaks of.
    pub version: String,
}

/// A skill in its place.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct InstalledSkill {
    /// Its name.
    pub name: String,
    /// The file.
    pub path: String,
    /// Whether it had to be written.
    pub state: SkillState,
}

/// Whether a file had to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SkillState {
    /// It was there already.
    Current,
    /// It was written.
    Written,
}
